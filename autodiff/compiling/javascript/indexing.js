// x[...], and what is written or added there. An index is a list: numbers, slices {from, to, by} whose parts may be
// missing, null for a new axis, "..." for the axes that are not mentioned, and arrays of integers or booleans.

// The parts of an index in a plain form: slices in place of "..." that stands for axes, and integer arrays in place of
// masks.
function plainIndex(x, index) {
  let parts = index.map((part) => (Array.isArray(part) ? array(part) : part));
  if (parts.some((p) => typeof p === "boolean" || (isMask(p) && !p.shape.length))) {
    throw new TypeError("an index is a number, a slice or an array, not a boolean");
  }
  const used = parts.reduce((count, p) => count + (p === null || p === "..." ? 0 : isMask(p) ? p.shape.length : 1), 0);
  const rest = new Array(Math.max(x.shape.length - used, 0)).fill({});
  if (used > x.shape.length) throw new RangeError(`${used} indices for an array of shape [${x.shape}]`);
  if (!parts.includes("...")) parts = [...parts, "..."];
  const dots = rest.length ? rest : ["..."]; // of no axes they still stand between arrays
  return parts.flatMap((part) => (part === "..." ? dots : isMask(part) ? nonzero(part) : [part]));
}

const isMask = (part) => isArray(part) && part.dtype === "bool";

// The places of the elements that are not 0: for each axis an array.
function nonzero(x) {
  const found = [], elements = values(x);
  for (let i = 0; i < elements.length; i++) if (elements[i]) found.push(i);
  return denseStrides(x.shape).map((step, axis) => {
    const along = Float64Array.from(found, (place) => Math.floor(place / step) % x.shape[axis]);
    return new NdArray(along, [found.length], "int64");
  });
}

// Where a slice begins on an axis, its step, and how many elements it has.
function sliceOn({from = null, to = null, by = null}, size) {
  const step = by ?? 1, [low, high] = step > 0 ? [0, size] : [-1, size - 1];
  const inside = (i) => Math.min(Math.max(i < 0 ? i + size : i, low), high);
  const start = from === null ? (step > 0 ? 0 : high) : inside(from);
  const end = to === null ? (step > 0 ? size : -1) : inside(to);
  return [start, step, Math.max(Math.ceil((end - start) / step), 0)];
}

// The place of an index on an axis. Raises RangeError if there is none.
function onAxis(i, size) {
  const place = i < 0 ? i + size : i;
  if (!(place >= 0 && place < size)) throw new RangeError(`index ${i} is out of bounds for an axis of size ${size}`);
  return place;
}

// What an index selects: the places of the elements in the data, and their shape; without arrays a view instead.
function selected(x, index) {
  const parts = plainIndex(x, index), advanced = parts.some((p) => isArray(p) && p.shape.length);
  const before = [], after = [], arrays = []; // [size, stride] of each axis, and [places, size, stride] of each array
  let axis = 0, start = x.offset, isApart = false, wasArray = false;
  for (const part of parts) {
    const isPlace = typeof part === "number" || isArray(part);
    if (isPlace && advanced) {
      isApart ||= arrays.length > 0 && !wasArray;
      arrays.push([asarray(part, "int64"), x.shape[axis], x.strides[axis]]);
      axis++;
    } else if (isPlace) {
      start += onAxis(number(part), x.shape[axis]) * x.strides[axis];
      axis++;
    } else if (part === null) {
      (arrays.length ? after : before).push([1, 0]);
    } else if (part !== "...") {
      const [first, step, count] = sliceOn(part, x.shape[axis]);
      if (count) start += first * x.strides[axis];
      (arrays.length ? after : before).push([count, step * x.strides[axis]]);
      axis++;
    }
    wasArray = isPlace;
  }
  const sizes = (axes) => axes.map(([n]) => n), steps = (axes) => axes.map(([, step]) => step);
  if (!arrays.length) return {view: new NdArray(x.data, sizes(before), x.dtype, steps(before), start)};
  const shape = broadcast_shapes(...arrays.map(([i]) => i.shape)), chosen = new Int32Array(sizeOf(shape));
  for (const [indices, size, step] of arrays) {
    const each = values(broadcast_to(indices, shape));
    for (let i = 0; i < chosen.length; i++) chosen[i] += onAxis(each[i], size) * step;
  }
  const [front, back] = isApart ? [[], [...before, ...after]] : [before, after]; // apart, they come first
  const first = places(sizes(front), steps(front), start), last = places(sizes(back), steps(back), 0);
  const at = new Int32Array(first.length * chosen.length * last.length);
  let count = 0;
  for (const i of first) for (const j of chosen) for (const k of last) at[count++] = i + j + k;
  return {at, shape: [...sizes(front), ...shape, ...sizes(back)]};
}

// x[index]. One element is a copy, as NumPy's scalars are.
function getitem(x, ...index) {
  const {view, at, shape} = selected(x, index);
  if (view) return view.shape.length || index.includes("...") ? view : copy(view);
  const found = made(shape, x.dtype), to = found.data, from = x.data;
  for (let i = 0; i < at.length; i++) to[i] = from[at[i]];
  return found;
}

// np.take(x, chosen, axis), of the elements in order where no axis is given.
function take(x, chosen, axis = null) {
  const at = axis !== null && typeof axis === "object" ? (axis.axis ?? null) : axis;
  const from = at === null ? ravel(x) : x, index = new Array(at === null ? 0 : axisOf(at, x.shape.length)).fill({});
  return getitem(from, ...index, Array.isArray(chosen) ? array(chosen, "int64") : chosen);
}

// x[index] = value
function setitem(x, value, ...index) {
  const {view, at, shape} = selected(x, index);
  if (view) assign(view, value);
  else assignAt(x, at, shape, value, false);
}

// np.add.at(x, index, value): an element that the index repeats is added each time.
function add_at(x, index, value) {
  const {view, at, shape} = selected(x, index);
  assignAt(x, at ?? places(view.shape, view.strides, view.offset), shape ?? view.shape, value, true);
}

// Write or add a value at places in the data.
function assignAt(x, at, shape, value, adds) {
  const from = values(broadcast_to(asarray(value, x.dtype), shape)), to = x.data;
  if (adds) for (let i = 0; i < at.length; i++) to[at[i]] += from[i];
  else for (let i = 0; i < at.length; i++) to[at[i]] = from[i];
}

// np.copyto(x, value, where=mask)
function copyto(x, value, {where: mask = true} = {}) {
  if (mask === true) assign(x, value);
  else if (isArray(mask)) {
    const [from, chosen] = [asarray(value, x.dtype), mask].map((part) => values(broadcast_to(part, x.shape)));
    const at = places(x.shape, x.strides, x.offset), to = x.data;
    for (let i = 0; i < at.length; i++) if (chosen[i]) to[at[i]] = from[i];
  } else if (mask) assign(x, value);
}

// A copy of an array with a value written at an index, or added there.
function put(base, value, index) {
  const whole = copy(asarray(base));
  setitem(whole, value, ...index);
  return whole;
}

function put_add(base, value, index) {
  const whole = copy(asarray(base));
  add_at(whole, index, value);
  return whole;
}

// Zeros, with each part added at its index.
function assemble(shape, dtype, indices, parts) {
  const whole = zeros(shape, dtype);
  indices.forEach((index, i) => add_at(whole, index, parts[i]));
  return whole;
}
