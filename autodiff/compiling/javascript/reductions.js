// Sums, products and extrema along axes, running sums, and what needs an order: sort, median, the largest element.

// How a reduction goes through an array. Axes are taken in the order in which they lie in memory, the last one is
// the inner loop, as in NumPy, so that sums add up in the same order.
//   sizes, steps: of the inner loop, the number of its elements, and the steps in the array and in the result
//   starts: of each inner loop, the place in the array and in the result
function reductionRows(x, z) {
  const order = x.shape.map((_, axis) => axis), steps = [x.strides, z.strides];
  order.sort((a, b) => Math.abs(x.strides[b]) - Math.abs(x.strides[a]) || a - b);
  const axes = mergedAxes(order.map((a) => x.shape[a]), steps.map((each) => order.map((a) => each[a])));
  const {size, steps: last} = axes.pop(), sizes = axes.map((axis) => axis.size);
  const starts = [x.offset, z.offset].map((place, i) => places(sizes, axes.map((axis) => axis.steps[i]), place));
  return {size, steps: last, starts};
}

// The result of a reduction before its first step, `first` everywhere, and a view of it in the shape of the array: its
// steps are 0 along the axes that go.
function reducedShape(x, axis, keepdims, dtype, first, out) {
  const axes = axesOf(axis, x.shape.length), isKept = x.shape.map((_, i) => !axes.includes(i));
  const shape = keepdims ? x.shape.map((n, i) => (isKept[i] ? n : 1)) : x.shape.filter((_, i) => isKept[i]);
  const found = out ?? made(shape, dtype);
  if (out) copyto(out, first);
  else if (first !== 0) found.data.fill(castNumber(first, dtype));
  let last = 0;
  const steps = isKept.map((kept, i) => (kept ? found.strides[keepdims ? i : last++] : 0));
  return [found, new NdArray(found.data, x.shape, found.dtype, steps, found.offset)];
}

// An array as a reduction reads it: in its dtype, with `first` where the mask is False.
function maskedBy(x, mask, dtype, first) {
  const whole = asarray(x);
  const from = dtype === whole.dtype || kindOf(whole.dtype) !== "f" ? whole : astype(whole, dtype);
  return mask === undefined || mask === true ? from : where(mask, from, full([], first, from.dtype));
}

// What a reduction starts with: of extrema the number of the dtype that all others replace.
function startOf(dtype, first) {
  const kind = kindOf(dtype), bits = bitsOf(dtype);
  if (kind === "f" || Number.isFinite(first)) return first;
  if (kind === "i") return first > 0 ? 2 ** (bits - 1) - 1 : -(2 ** (bits - 1));
  return first < 0 ? 0 : kind === "b" ? 1 : 2 ** bits - 1;
}

// Pattern: a reduction that starts with `first` and takes in one element after another.
function reduction(f, first, resultDtype = (dtype) => dtype) {
  return (x, {axis = null, keepdims = false, dtype, initial, where: mask, out} = {}) => {
    const kind = dtype ?? resultDtype(asarray(x).dtype), from = maskedBy(x, mask, kind, first);
    const start = initial === undefined ? startOf(kind, first) : number(initial);
    const [found, z] = reducedShape(from, axis, keepdims, kind, start, out), data = from.data, to = z.data;
    const {size, steps: [step, zStep], starts} = reductionRows(from, z);
    if (Math.abs(first) === Infinity && from.size < found.size * (initial === undefined ? 1 : 0)) {
      throw new RangeError("the extremum of no elements needs a start: {initial: ...}");
    }
    for (let loop = 0; loop < starts[0].length; loop++) {
      let i = starts[0][loop], j = starts[1][loop];
      for (let k = 0; k < size; k++, i += step, j += zStep) to[j] = f(to[j], data[i]);
    }
    return rounded(found);
  };
}

// Integers are added up in 64 bits, booleans too.
function sumDtype(dtype) {
  const kind = kindOf(dtype);
  return kind === "f" ? dtype : kind === "u" ? "uint64" : "int64";
}

// Pattern: the sum of elements that lie in one line, in the order in which NumPy adds: eight sums at a time, of at
// most 128 elements, and of longer lines by halves.
function pairwise(plus) {
  return function total(data, start, count, step) {
    if (count < 8) {
      let found = -0;
      for (let i = 0, at = start; i < count; i++, at += step) found = plus(found, data[at]);
      return found;
    }
    if (count > 128) {
      const front = (count >> 1) - ((count >> 1) % 8);
      return plus(total(data, start, front, step), total(data, start + front * step, count - front, step));
    }
    let at = start, i = 8;
    let a = data[at], b = data[(at += step)], c = data[(at += step)], d = data[(at += step)];
    let e = data[(at += step)], f = data[(at += step)], g = data[(at += step)], h = data[(at += step)];
    for (; i < count - (count % 8); i += 8) {
      a = plus(a, data[(at += step)]), b = plus(b, data[(at += step)]), c = plus(c, data[(at += step)]);
      d = plus(d, data[(at += step)]), e = plus(e, data[(at += step)]), f = plus(f, data[(at += step)]);
      g = plus(g, data[(at += step)]), h = plus(h, data[(at += step)]);
    }
    let found = plus(plus(plus(a, b), plus(c, d)), plus(plus(e, f), plus(g, h)));
    for (; i < count; i++) found = plus(found, data[(at += step)]);
    return found;
  };
}

const pairwise64 = pairwise((x, y) => x + y);
const pairwise32 = pairwise((x, y) => Math.fround(x + y));

function sum(x, {axis = null, keepdims = false, dtype, initial = 0, where: mask, out} = {}) {
  const kind = dtype ?? sumDtype(asarray(x).dtype), from = maskedBy(x, mask, kind, 0);
  const [found, z] = reducedShape(from, axis, keepdims, kind, number(initial), out);
  const {size, steps, starts} = reductionRows(from, z), [step, zStep] = steps, data = from.data, to = z.data;
  for (let loop = 0; loop < starts[0].length; loop++) {
    let i = starts[0][loop], j = starts[1][loop];
    if (zStep === 0) to[j] += (data instanceof Float32Array ? pairwise32 : pairwise64)(data, i, size, step);
    else for (let k = 0; k < size; k++, i += step, j += zStep) to[j] += data[i];
  }
  return rounded(found);
}

const prod = reduction((x, y) => x * y, 1, sumDtype);
const max = reduction((x, y) => Math.max(x, y), -Infinity);
const min = reduction((x, y) => Math.min(x, y), Infinity);
const any = reduction((x, y) => (x !== 0 || y !== 0 ? 1 : 0), 0, asBool);
const all = reduction((x, y) => (x !== 0 && y !== 0 ? 1 : 0), 1, asBool);

function mean(x, options = {}) {
  const total = sum(x, {dtype: asQuotient(asarray(x).dtype), ...options});
  return divide(total, asarray(x).size / total.size, {out: total});
}

// -- along one axis -------------------------------------------------------------------------------------------

// Call f for each line along an axis of an array and of a result, with the data, where the line begins, its step,
// and how many elements it has.
function eachLine(x, z, axis, f) {
  const at = axisOf(axis, x.shape.length), others = (list) => list.filter((_, i) => i !== at);
  const [first, second] = [x, z].map((each) => places(others(each.shape), others(each.strides), each.offset));
  for (let i = 0; i < first.length; i++) {
    f(x.data, first[i], x.strides[at], z.data, second[i], z.strides[at], x.shape[at]);
  }
}

// Pattern: a running sum or product.
function accumulation(f) {
  return (x, {axis = null, dtype, out} = {}) => {
    const whole = asarray(x), kind = dtype ?? sumDtype(whole.dtype), from = axis === null ? ravel(whole) : whole;
    const z = out ?? made(from.shape, kind);
    eachLine(from, z, axis ?? 0, (data, i, step, to, j, zStep, count) => {
      if (count) to[j] = data[i];
      for (let k = 1; k < count; k++) {
        i += step;
        to[j + zStep] = f(to[j], data[i]);
        j += zStep;
      }
    });
    return rounded(z);
  };
}

const cumsum = accumulation((x, y) => x + y);
const cumprod = accumulation((x, y) => x * y);

// z[i] = x[i] z[i - 1] + y[i], in which each product is rounded too.
function linear_recurrence(x, y, {axis = -1} = {}) {
  const shape = broadcast_shapes(shapeOf(x), shapeOf(y)), z = copy(broadcast_to(asarray(y, result_type(x, y)), shape));
  eachLine(broadcast_to(asarray(x, z.dtype), shape), z, axis, (data, i, step, to, j, zStep, count) => {
    const isSingle = to instanceof Float32Array;
    for (let k = 1; k < count; k++) {
      i += step;
      j += zStep;
      const product = data[i] * to[j - zStep];
      to[j] += isSingle ? Math.fround(product) : product;
    }
  });
  return z;
}

// -- order ----------------------------------------------------------------------------------------------------

// nan comes last, as in NumPy.
const inOrder = (a, b) => (a < b || (a === a && b !== b) ? -1 : a > b || (a !== a && b === b) ? 1 : 0);

// For each line the places of its elements in order; those of equal elements stay in theirs.
function argsort(x, {axis = -1} = {}) {
  const from = axis === null ? ravel(x) : asarray(x), z = made(from.shape, "int64");
  eachLine(from, z, axis ?? 0, (data, i, step, to, j, zStep, count) => {
    const order = Array.from({length: count}, (_, k) => k);
    order.sort((a, b) => inOrder(data[i + a * step], data[i + b * step]));
    for (let k = 0; k < count; k++) to[j + k * zStep] = order[k];
  });
  return z;
}

function sort(x, {axis = -1} = {}) {
  const from = axis === null ? ravel(x) : asarray(x), z = made(from.shape, from.dtype);
  eachLine(from, z, axis ?? 0, (data, i, step, to, j, zStep, count) => {
    const line = new data.constructor(count);
    for (let k = 0; k < count; k++) line[k] = data[i + k * step];
    line.sort(inOrder);
    for (let k = 0; k < count; k++) to[j + k * zStep] = line[k];
  });
  return z;
}

// The axis of a function that takes one axis, or all of them as one.
function alongOne(x, axis, keepdims, find) {
  const from = axis === null ? ravel(asarray(x)) : asarray(x), shape = [...from.shape];
  shape[axisOf(axis ?? 0, shape.length)] = 1;
  const z = find(from, made(shape, "int64"), axis ?? 0);
  if (axis === null) return reshape(z, keepdims ? shapeOf(x).map(() => 1) : []);
  return keepdims ? z : squeeze(z, axis);
}

// Pattern: the place of the first element that is better than all others; nan is best.
function placeOfBest(isBetter) {
  return (x, {axis = null, keepdims = false} = {}) => alongOne(x, axis, keepdims, (from, z, at) => {
    eachLine(from, z, at, (data, i, step, to, j, zStep, count) => {
      if (!count) throw new RangeError("no elements have no extremum");
      let best = 0;
      for (let k = 1; k < count; k++) {
        const a = data[i + k * step], b = data[i + best * step];
        if (isBetter(a, b) || (a !== a && b === b)) best = k;
      }
      to[j] = best;
    });
    return z;
  });
}

const argmax = placeOfBest((x, y) => x > y);
const argmin = placeOfBest((x, y) => x < y);

// The elements at places along an axis.
function take_along_axis(x, indices, axis = -1) {
  const from = axis === null ? ravel(x) : x, at = axisOf(axis ?? 0, from.shape.length);
  return getitem(from, ...alongPlaces(from, asarray(indices, "int64"), at));
}

// The index that means: at these places on one axis, and everywhere on the others.
function alongPlaces(x, indices, at) {
  const shape = x.shape.map((n, axis) => (axis === at ? indices.shape[axis] : Math.max(n, indices.shape[axis])));
  return x.shape.map((n, axis) => {
    if (axis === at) return indices;
    const size = n === 1 ? 1 : shape[axis];
    return reshape(arange(size), x.shape.map((_, i) => (i === axis ? size : 1)));
  });
}

// The axes of a reduction as one last axis.
function reducedLast(x, axis) {
  const axes = axesOf(axis, x.shape.length), order = axesOf(null, x.shape.length).filter((a) => !axes.includes(a));
  const turned = transpose(x, [...order, ...axes]), kept = order.map((a) => x.shape[a]);
  return [reshape(turned, [...kept, sizeOf(axes.map((a) => x.shape[a]))]), [...order, ...axes], turned.shape];
}

// The element in the middle, or the mean of the two there; nan if there is one.
function median(x, {axis = null, keepdims = false} = {}) {
  const whole = asarray(x), [rows] = reducedLast(whole, axis), count = rows.shape[rows.shape.length - 1];
  const ordered = sort(rows), upper = getitem(ordered, "...", count >> 1), last = getitem(ordered, "...", count - 1);
  const both = {from: (count >> 1) - 1, to: (count >> 1) + 1};
  const center = count % 2 ? upper : mean(getitem(ordered, "...", both), {axis: -1});
  const found = where(isnan(last), last, asarray(center, asQuotient(whole.dtype)));
  const axes = axesOf(axis, whole.shape.length);
  return keepdims ? reshape(found, whole.shape.map((n, i) => (axes.includes(i) ? 1 : n))) : found;
}

// The slope of the median: 1 in the middle, or one half for each of two.
function middle(x, {axis = null} = {}) {
  const [rows, order, shape] = reducedLast(asarray(x), axis), count = rows.shape[rows.shape.length - 1];
  const indices = getitem(argsort(rows), "...", {from: (count - 1) >> 1, to: (count >> 1) + 1});
  const slopes = made(rows.shape, asQuotient(rows.dtype));
  setitem(slopes, count % 2 ? 1 : 0.5, ...alongPlaces(slopes, indices, rows.shape.length - 1));
  return transpose(reshape(slopes, shape), order.map((_, i) => order.indexOf(i)));
}
