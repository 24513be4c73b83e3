// Arrays seen in other shapes, without a copy where NumPy makes none, and arrays joined.

const axisOf = (axis, count) => (axis < 0 ? axis + count : axis);

const listOf = (x) => (Array.isArray(x) ? x.flat(Infinity) : isArray(x) ? [...values(x)] : [x]);

// The axes that are meant: all for null, else those given, counted from the front.
function axesOf(axis, count) {
  if (axis === null || axis === undefined) return Array.from({length: count}, (_, i) => i);
  return listOf(axis).map((a) => axisOf(a, count));
}

// Another shape for the same elements: a view where one can show them, else a copy.
function reshape(x, ...shape) {
  x = asarray(x);
  shape = shape.flat();
  const open = shape.indexOf(-1);
  if (open >= 0) {
    shape[open] = 1;
    shape[open] = x.size / sizeOf(shape);
  }
  if (sizeOf(shape) !== x.size) throw new RangeError(`${x.size} elements cannot have the shape [${shape}]`);
  if (isDense(x)) return new NdArray(x.data, shape, x.dtype, denseStrides(shape), x.offset);
  const strides = reshapedStrides(x, shape);
  return strides ? new NdArray(x.data, shape, x.dtype, strides, x.offset) : new NdArray(values(x), shape, x.dtype);
}

// The strides of a view with another shape; null if there is none. Axes of both shapes are taken together, from
// the front, until both groups have as many elements; those of the old one must then lie in one line.
function reshapedStrides(x, shape) {
  const old = x.shape.map((n, i) => [n, x.strides[i]]).filter(([n]) => n !== 1), strides = new Array(shape.length);
  let a = 0, b = 0;
  while (b < shape.length) {
    if (shape[b] === 1) {
      strides[b++] = 0;
      continue;
    }
    const [first, start] = [a, b];
    let [m, n] = [old[a++][0], shape[b++]];
    while (m !== n) {
      if (m < n) m *= old[a++][0];
      else n *= shape[b++];
    }
    for (let k = first; k < a - 1; k++) if (old[k][1] !== old[k + 1][0] * old[k + 1][1]) return null;
    for (let k = b - 1, step = old[a - 1][1]; k >= start; k--) {
      strides[k] = step;
      step *= shape[k];
    }
  }
  return strides;
}

const ravel = (x) => reshape(x, -1);

function transpose(x, ...axes) {
  if (!isArray(x)) return x;
  const count = x.shape.length, given = axes.flat().filter((a) => a !== null && a !== undefined);
  const order = given.length ? axesOf(given, count) : axesOf(null, count).reverse();
  return new NdArray(x.data, order.map((a) => x.shape[a]), x.dtype, order.map((a) => x.strides[a]), x.offset);
}

function swapaxes(x, a, b) {
  const order = axesOf(null, x.shape.length), [i, j] = axesOf([a, b], order.length);
  [order[i], order[j]] = [j, i];
  return transpose(x, order);
}

function moveaxis(x, from, to) {
  const [i, j] = axesOf([from, to], x.shape.length), order = axesOf(null, x.shape.length);
  order.splice(j, 0, ...order.splice(i, 1));
  return transpose(x, order);
}

function expand_dims(x, axis) {
  const shape = [...shapeOf(x)], count = shape.length + listOf(axis).length;
  for (const a of axesOf(axis, count).sort((p, q) => p - q)) shape.splice(a, 0, 1);
  return reshape(x, shape);
}

function squeeze(x, axis) {
  const gone = axesOf(axis, x.shape.length);
  return reshape(x, x.shape.filter((n, i) => n !== 1 || !gone.includes(i)));
}

// The shape that shapes have together. Raises RangeError if they do not fit.
function broadcast_shapes(...shapes) {
  const count = Math.max(...shapes.map((s) => s.length));
  return Array.from({length: count}, (_, i) => {
    const sizes = shapes.map((s) => s[s.length - count + i] ?? 1), found = sizes.find((n) => n !== 1) ?? 1;
    if (sizes.some((n) => n !== 1 && n !== found)) throw new RangeError(`shapes do not fit: ${JSON.stringify(shapes)}`);
    return found;
  });
}

// A view in which axes of size 1, and new axes in front, are repeated.
function broadcast_to(x, shape) {
  x = asarray(x);
  shape = asShape(shape);
  if (sameList(x.shape, shape)) return x;
  const more = shape.length - x.shape.length;
  const strides = shape.map((n, i) => (i < more || (x.shape[i - more] === 1 && n !== 1) ? 0 : x.strides[i - more]));
  if (more < 0 || x.shape.some((n, i) => n !== 1 && n !== shape[i + more])) {
    throw new RangeError(`an array of shape [${x.shape}] cannot become one of shape [${shape}]`);
  }
  return new NdArray(x.data, shape, x.dtype, strides, x.offset);
}

function flip(x, axis = null) {
  const turned = axesOf(isArray(axis) || axis === null || typeof axis !== "object" ? axis : axis.axis, x.shape.length);
  let offset = x.offset;
  const strides = x.strides.map((step, i) => {
    if (!turned.includes(i)) return step;
    if (x.shape[i]) offset += (x.shape[i] - 1) * step;
    return -step;
  });
  return new NdArray(x.data, x.shape, x.dtype, strides, offset);
}

// -- joining --------------------------------------------------------------------------------------------------

function concatenate(parts, {axis = 0, out} = {}) {
  const arrays = parts.map((x) => asarray(x)), joined = arrays.map((x) => (axis === null ? ravel(x) : x));
  const place = axis === null ? 0 : axisOf(axis, joined[0].shape.length), shape = [...joined[0].shape];
  shape[place] = joined.reduce((total, x) => total + x.shape[place], 0);
  const found = out ?? made(shape, result_type(...arrays));
  let start = found.offset;
  for (const x of joined) {
    assign(new NdArray(found.data, x.shape, found.dtype, found.strides, start), x);
    start += x.shape[place] * found.strides[place];
  }
  return found;
}

function stack(parts, {axis = 0, out} = {}) {
  const arrays = parts.map((x) => asarray(x));
  return concatenate(arrays.map((x) => expand_dims(x, axis)), {axis, out});
}

// Write the elements of an array, or a number, to a view.
function assign(view, x) {
  let from = broadcast_to(asarray(x), view.shape);
  const exact = from.dtype === view.dtype || (kindOf(view.dtype) === "f" && view.dtype !== "float16");
  const size = view.size, to = view.data;
  if (!size) return;
  if (from.data === to || from.data.buffer === to.buffer) from = copy(from); // what is read may be written before
  if (exact && isDense(view) && isDense(from)) {
    to.set(values(from), view.offset);
    return;
  }
  const at = places(view.shape, view.strides, view.offset), origins = places(from.shape, from.strides, from.offset);
  const source = from.data;
  if (exact) for (let i = 0; i < size; i++) to[at[i]] = source[origins[i]];
  else for (let i = 0; i < size; i++) to[at[i]] = castNumber(source[origins[i]], view.dtype);
}
