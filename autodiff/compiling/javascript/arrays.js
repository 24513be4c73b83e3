// Arrays as NumPy has them: their dtypes, how they are made, and what is in them.
//
// What lives in this folder. A program that ad.compile writes calls NumPy; its translation calls the functions
// of these files, which have NumPy's names, take the arguments in NumPy's order, and return the same numbers:
//
//   arrays.js       dtypes, and how arrays are made           views.js        other shapes, and joining
//   indexing.js     x[...], and assignments to it             random.js       np.random.default_rng
//   elementwise.js  one result for each element               special.js      erf, erfc, rounding and the like
//   reductions.js   sums, extrema, running sums, order        products.js     matrix products, einsum
//   linalg.js       solve, inv, eigh, svd and others          pictures.js     convolution, pooling, fold
//   layers.js       attention and recurrent layers
//
// Conventions.
// - Keywords come last, as one object: sum(x, {axis: 0, keepdims: true}). So does out: add(x, y, {out: z}).
// - A JavaScript number or boolean is a Python number: it takes the dtype of the array beside it. One without
//   digits after the point is an int, as far as dtypes go. What NumPy returns as a scalar is an array without axes.
// - An array is dense or a view; views share their data, as in NumPy.
// - int64 and uint64 are kept as doubles: exact up to 2 ** 53, rounded beyond, and not wrapped. Smaller integers
//   wrap. float16 is kept as float32 and rounded after each function. There are no complex numbers and no longdouble.
//
// A page gets only what its program calls; shaking.py finds that by text. For its sake each declaration at the
// left edge (function, class or const) runs to the next one, has a name that no local variable has, and calls, when
// it is made, only what is declared above it, or in a file above in this list. A function whose comment begins with
// "Pattern:" is copied for each declaration that calls it, so that the loops of add are compiled for add alone.

const DTYPES = {
  bool: Uint8Array, uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: Float64Array,
  int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: Float64Array,
  float16: Float32Array, float32: Float32Array, float64: Float64Array,
};

// An array: the element at [i, j, ...] is data[offset + i * strides[0] + j * strides[1] + ...]. Strides count
// elements, not bytes.
class NdArray {
  constructor(data, shape, dtype, strides = denseStrides(shape), offset = 0) {
    this.data = data;
    this.shape = shape;
    this.dtype = dtype;
    this.strides = strides;
    this.offset = offset;
  }

  get size() {
    return sizeOf(this.shape);
  }
}

const isArray = (x) => x instanceof NdArray;

function sizeOf(shape) {
  let size = 1;
  for (const n of shape) size *= n;
  return size;
}

function denseStrides(shape) {
  const strides = new Array(shape.length);
  for (let axis = shape.length - 1, step = 1; axis >= 0; axis--) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

// Whether the elements lie in order and without gaps. No elements do.
function isDense(x) {
  for (let axis = x.shape.length - 1, step = 1; axis >= 0; axis--) {
    if (x.shape[axis] !== 1 && x.strides[axis] !== step) return x.size === 0;
    step *= x.shape[axis];
  }
  return true;
}

const sameList = (a, b) => a.length === b.length && a.every((n, i) => n === b[i]);

// -- dtypes ---------------------------------------------------------------------------------------------------

const kindOf = (dtype) => (dtype === "bool" ? "b" : dtype[0]); // of bool, uint, int, float

const bitsOf = (dtype) => (dtype === "bool" ? 8 : Number(dtype.replace(/\D/g, "")));

// The dtype of an array of one dtype with an array of another.
function promoted(a, b) {
  if (a === b || b === "bool") return a;
  if (a === "bool") return b;
  const [k, l] = [kindOf(a), kindOf(b)], [m, n] = [bitsOf(a), bitsOf(b)];
  if (k === l) return m > n ? a : b;
  if (k === "f" || l === "f") {
    const [float, whole] = k === "f" ? [m, n] : [n, m];
    return `float${Math.max(float, Math.min(2 * whole, 64))}`;
  }
  const [signed, unsigned] = k === "i" ? [m, n] : [n, m];
  if (signed > unsigned) return `int${signed}`;
  return unsigned === 64 ? "float64" : `int${2 * unsigned}`;
}

// The dtype of a Python number beside an array of some dtype.
function withNumber(dtype, x) {
  if (typeof x === "boolean" || kindOf(dtype) === "f") return dtype;
  if (!Number.isInteger(x) || Object.is(x, -0)) return "float64";
  return dtype === "bool" ? "int64" : dtype;
}

// The dtype of a number alone.
const ownDtype = (x) => (typeof x === "boolean" ? "bool" : withNumber("bool", x));

// The dtype that arrays and numbers have together.
function result_type(...operands) {
  const arrays = operands.filter(isArray);
  if (!arrays.length) return operands.map(ownDtype).reduce(promoted);
  const dtype = arrays.map((x) => x.dtype).reduce(promoted);
  return operands.reduce((found, x) => (isArray(x) ? found : withNumber(found, x)), dtype);
}

// The nearest number that float16 has; of two, the even one.
function half(x) {
  const size = Math.abs(x);
  if (!(size < 65520)) return size >= 65520 ? Math.sign(x) * Infinity : x;
  const step = 2 ** (Math.max(Math.floor(Math.log2(size)), -14) - 10);
  const found = (size + step * 2 ** 52) - step * 2 ** 52;
  return x < 0 || Object.is(x, -0) ? -found : found;
}

// A number as an array of a dtype would keep it.
function castNumber(value, dtype) {
  const kind = kindOf(dtype), x = Number(value);
  if (kind === "b") return x !== 0 ? 1 : 0; // nan is true
  if (dtype === "float16") return half(Math.fround(x));
  if (kind === "f") return x;
  return Number.isFinite(x) ? Math.trunc(x) + 0 : 0; // + 0 makes 0 of -0
}

// -- making arrays --------------------------------------------------------------------------------------------

// A new array, filled with zeros.
function made(shape, dtype) {
  const Kind = DTYPES[dtype];
  if (!Kind) throw new TypeError(`the dtype ${dtype} is not available in JavaScript`);
  return new NdArray(new Kind(sizeOf(shape)), shape, dtype);
}

const asShape = (shape) => (typeof shape === "number" ? [shape] : Array.isArray(shape) ? shape : [...values(shape)]);

function full(shape, value, dtype = isArray(value) ? value.dtype : ownDtype(value)) {
  const x = made(asShape(shape), dtype);
  x.data.fill(castNumber(number(value), dtype));
  return x;
}

const zeros = (shape, dtype = "float64") => made(asShape(shape), dtype);

const empty = (shape, dtype = "float64") => made(asShape(shape), dtype);

const ones = (shape, dtype = "float64") => full(shape, 1, dtype);

const zeros_like = (x, dtype = x.dtype) => made(shapeOf(x), dtype ?? ownDtype(x));

function arange(start, stop, step = 1, dtype = undefined) {
  if (stop === undefined) [start, stop] = [0, start];
  const x = made([Math.max(Math.ceil((stop - start) / step), 0)], dtype ?? result_type(start, stop, step));
  const second = start + step, apart = second - start; // as NumPy counts: from the first two
  for (let i = 0; i < x.data.length; i++) x.data[i] = castNumber(i === 1 ? second : start + i * apart, x.dtype);
  return x;
}

// An array of nested lists of numbers.
function array(nested, dtype) {
  if (isArray(nested)) return astype(nested, dtype ?? nested.dtype);
  const shape = [];
  for (let part = nested; Array.isArray(part); part = part[0]) shape.push(part.length);
  const flat = [nested].flat(Infinity);
  const x = made(shape, dtype ?? (flat.length ? flat.map(ownDtype).reduce(promoted) : "float64"));
  for (let i = 0; i < flat.length; i++) x.data[i] = castNumber(flat[i], x.dtype);
  return x;
}

// An array from its bytes in base64, in little-endian order: integers of 64 bits and float16 too.
function packed(text, shape, dtype) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), x = made(shape, dtype);
  const view = new DataView(bytes.buffer), step = bitsOf(dtype) / 8;
  const read = {
    b: () => view.getUint8, i: (n) => view[n === 64 ? "getBigInt64" : `getInt${n}`],
    u: (n) => view[n === 64 ? "getBigUint64" : `getUint${n}`], f: (n) => view[`getFloat${n}`],
  }[kindOf(dtype)](bitsOf(dtype));
  for (let i = 0; i < x.data.length; i++) {
    x.data[i] = dtype === "float16" ? fromHalf(view.getUint16(2 * i, true)) : Number(read.call(view, step * i, true));
  }
  return x;
}

// The number that 16 bits stand for.
function fromHalf(bits) {
  const signum = bits >> 15 ? -1 : 1, exponent = (bits >> 10) & 31, digits = bits & 1023;
  if (exponent === 31) return digits ? NaN : signum * Infinity;
  return signum * (exponent ? (1024 + digits) * 2 ** (exponent - 25) : digits * 2 ** -24);
}

const asarray = (x, dtype) => (!isArray(x) ? array(x, dtype) : dtype && x.dtype !== dtype ? astype(x, dtype) : x);

// A copy in another dtype.
function astype(x, dtype) {
  if (!isArray(x)) return array(x, dtype);
  const found = made(x.shape, dtype), from = values(x);
  if (dtype === x.dtype || (kindOf(dtype) === "f" && dtype !== "float16")) found.data.set(from);
  else for (let i = 0; i < from.length; i++) found.data[i] = castNumber(from[i], dtype);
  return found;
}

// A new array of the same elements, in order.
function copy(x) {
  if (!isArray(x)) return x;
  return new NdArray(isDense(x) ? values(x).slice() : values(x), x.shape, x.dtype);
}

const ascontiguousarray = (x) => (isArray(x) && !isDense(x) ? copy(x) : x);

// -- what is in an array --------------------------------------------------------------------------------------

const shapeOf = (x) => (isArray(x) ? x.shape : []);

// The elements in order, as a typed array; it may be the array's own.
function values(x) {
  const size = x.size;
  if (isDense(x)) return x.data.length === size ? x.data : x.data.subarray(x.offset, x.offset + size);
  const found = new x.data.constructor(size), from = x.data, at = places(x.shape, x.strides, x.offset);
  for (let i = 0; i < size; i++) found[i] = from[at[i]];
  return found;
}

// The places in the data of the elements of a view, in order.
function places(shape, strides, start) {
  if (!shape.length) return Int32Array.of(start);
  const size = sizeOf(shape), found = new Int32Array(size), last = shape.length - 1;
  const count = new Array(shape.length).fill(0), width = shape[last], step = strides[last];
  for (let i = 0, place = start; i < size; ) {
    for (let k = 0, at = place; k < width; k++, at += step) found[i++] = at;
    for (let axis = last - 1; axis >= 0; axis--) {
      place += strides[axis];
      if (++count[axis] < shape[axis]) break;
      place -= strides[axis] * shape[axis];
      count[axis] = 0;
    }
  }
  return found;
}

// The number in an array that has one element; a number as it is. (float(x), int(x) and x.item() in Python.)
function number(x) {
  if (!isArray(x)) return x;
  const value = x.data[x.offset];
  return x.dtype === "bool" ? Boolean(value) : value;
}

// Nested lists of the elements.
function tolist(x) {
  if (!isArray(x)) return x;
  if (!x.shape.length) return number(x);
  return Array.from({length: x.shape[0]}, (_, i) => tolist(row(x, i)));
}

const row = (x, i) => new NdArray(x.data, x.shape.slice(1), x.dtype, x.strides.slice(1), x.offset + i * x.strides[0]);
