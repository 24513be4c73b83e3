// NumPy's functions of single elements. A function of numbers is called for each element; the loops around it go
// over the data of arrays that have been broadcast together, along their longest axis.

// What a function returns for operands of some dtype: that dtype, a float, or a boolean.
const asOperands = (dtype) => dtype;

function asFloat(dtype) {
  if (kindOf(dtype) === "f") return dtype;
  return `float${Math.min(Math.max(2 * bitsOf(dtype), 16), 64)}`;
}

const asQuotient = (dtype) => (kindOf(dtype) === "f" ? dtype : "float64");

const asBool = () => "bool";

// An operand as an array of one dtype that has a shape.
function operand(x, dtype, shape, out) {
  if (!isArray(x)) {
    const found = made([], dtype);
    found.data[0] = castNumber(x, dtype);
    return new NdArray(found.data, shape, dtype, shape.map(() => 0));
  }
  const found = broadcast_to(dtype === "float16" && x.dtype !== dtype ? astype(x, dtype) : x, shape);
  if (!out || found.data !== out.data) return found;
  const inPlace = found.offset === out.offset && sameList(found.strides, out.strides);
  return inPlace ? found : copy(found); // what is read may be written before
}

// The dtype of one or two operands together.
function commonDtype(x, y = x) {
  if (isArray(x) && isArray(y)) return x.dtype === y.dtype ? x.dtype : promoted(x.dtype, y.dtype);
  return isArray(x) ? withNumber(x.dtype, y) : isArray(y) ? withNumber(y.dtype, x) : promoted(ownDtype(x), ownDtype(y));
}

// The shape of one or two operands together.
function commonShape(x, y = x) {
  if (!isArray(x) || !isArray(y)) return isArray(x) ? x.shape : shapeOf(y);
  return sameList(x.shape, y.shape) ? x.shape : broadcast_shapes(x.shape, y.shape);
}

// Numbers beside an array of floats, each as the data of an array of that dtype.
const NUMBERS = {
  float64: [new Float64Array(1), new Float64Array(1)], float32: [new Float32Array(1), new Float32Array(1)],
};

// The loops where there is one dtype of floats, one shape, and nothing but numbers and arrays that lie in order: most
// calls of most programs. Null for others.
function plainLoops(operands, result) {
  let like = null;
  for (const x of operands) {
    if (!isArray(x)) continue;
    if (!(x.dtype in NUMBERS) || !isDense(x)) return null;
    if (like && (x.dtype !== like.dtype || !sameList(x.shape, like.shape))) return null;
    like = x;
  }
  if (!like) return null;
  const z = made(like.shape, result(like.dtype)), data = [], steps = [], starts = [];
  for (const x of operands) {
    if (!isArray(x)) NUMBERS[like.dtype][data.length][0] = x;
    steps.push(isArray(x) ? 1 : 0);
    starts.push([isArray(x) ? x.offset : 0]);
    data.push(isArray(x) ? x.data : NUMBERS[like.dtype][data.length]);
  }
  return {z, data: [...data, z.data], rows: 1, size: z.data.length, steps: [...steps, 1], starts: [...starts, [0]]};
}

// The result of an elementwise function, and the loops over the data of its operands and of the result.
function loopsOver(operands, result, out) {
  const found = out ? null : plainLoops(operands, result);
  if (found) return found;
  const common = commonDtype(...operands), dtype = result(common), kind = dtype === "bool" ? common : dtype;
  const z = out ?? made(commonShape(...operands), dtype), arrays = operands.map((x) => operand(x, kind, z.shape, out));
  arrays.push(z);
  return {z, data: arrays.map((x) => x.data), ...rowsOf(arrays)};
}

// The loops over arrays of one shape: the number of rows, the length of a row, for each array the step in a row,
// and where its rows begin. A row is as long as the arrays allow: axes that lie in one line in all of them are one.
function rowsOf(arrays) {
  const {shape} = arrays[0], isOne = (x) => x.strides.every((step) => step === 0);
  const alike = arrays.map((x) => (isDense(x) ? 1 : isOne(x) ? 0 : null));
  if (!alike.includes(null)) {
    return {rows: 1, size: sizeOf(shape), steps: alike, starts: arrays.map((x) => [x.offset])};
  }
  const axes = mergedAxes(shape, arrays.map((x) => x.strides));
  let longest = axes.length - 1;
  for (let i = 0; i < axes.length; i++) if (axes[i].size > 2 * axes[longest].size) longest = i;
  const [{size, steps}] = axes.splice(longest, 1), sizes = axes.map((axis) => axis.size);
  const starts = arrays.map((x, i) => places(sizes, axes.map((axis) => axis.steps[i]), x.offset));
  return {rows: sizeOf(sizes), size, steps, starts};
}

// The axes of a shape with the steps of some arrays on them, without those of size 1. Two axes next to each other
// are one where the steps on them allow it. There is one axis at least.
function mergedAxes(shape, strides) {
  const axes = [];
  for (let i = 0; i < shape.length; i++) {
    if (shape[i] === 1) continue;
    const steps = strides.map((each) => each[i]), last = axes[axes.length - 1];
    if (last && last.steps.every((step, k) => step === steps[k] * shape[i])) {
      last.size *= shape[i];
      last.steps = steps;
    } else axes.push({size: shape[i], steps});
  }
  return axes.length ? axes : [{size: 1, steps: strides.map(() => 1)}];
}

// A result of which the last step is rounding: to what float16 has, to whole numbers, or to true and false.
function rounded(x) {
  if (x.dtype === "float64" || x.dtype === "float32" || x.data instanceof Int32Array) return x;
  const {data} = x;
  for (const i of places(x.shape, x.strides, x.offset)) data[i] = castNumber(data[i], x.dtype);
  return x;
}

// Pattern: a function of one operand.
function elementwise1(f, result = asOperands) {
  return (x, {out} = {}) => {
    if (!isArray(x) && !out) return f(x);
    const {z, data: [from, to], rows, size, steps: [i1, i2], starts: [p, q]} = loopsOver([x], result, out);
    for (let line = 0; line < rows; line++) {
      let i = p[line], j = q[line];
      for (let n = 0; n < size; n++, i += i1, j += i2) to[j] = f(from[i]);
    }
    return result === asBool ? z : rounded(z);
  };
}

// Pattern: a function of two operands.
function elementwise2(f, result = asOperands) {
  return (x, y, {out} = {}) => {
    if (!isArray(x) && !isArray(y) && !out) return f(x, y);
    const {z, data: [a, b, to], rows, size, steps: [i1, i2, i3], starts: [p, q, r]} = loopsOver([x, y], result, out);
    for (let line = 0; line < rows; line++) {
      let i = p[line], j = q[line], k = r[line];
      for (let n = 0; n < size; n++, i += i1, j += i2, k += i3) to[k] = f(a[i], b[j]);
    }
    return result === asBool ? z : rounded(z);
  };
}

// Where a condition holds the elements of x, elsewhere those of y.
function where(condition, x, y, {out} = {}) {
  if (![condition, x, y].some(isArray) && !out) return condition ? x : y;
  const shape = out ? out.shape : broadcast_shapes(...[condition, x, y].map(shapeOf));
  const dtype = result_type(x, y), z = out ?? made(shape, dtype);
  const parts = [operand(condition, isArray(condition) ? condition.dtype : "bool", shape, out)];
  for (const part of [x, y]) parts.push(operand(part, dtype, shape, out));
  const {rows, size, steps: [i1, i2, i3, i4], starts: [p, q, r, s]} = rowsOf([...parts, z]);
  const [chosen, first, second] = parts.map((part) => part.data), to = z.data;
  for (let line = 0; line < rows; line++) {
    let h = p[line], i = q[line], j = r[line], k = s[line];
    for (let n = 0; n < size; n++, h += i1, i += i2, j += i3, k += i4) to[k] = chosen[h] !== 0 ? first[i] : second[j];
  }
  return z;
}

// -- arithmetic -----------------------------------------------------------------------------------------------

const add = elementwise2((x, y) => x + y);
const subtract = elementwise2((x, y) => x - y);
const multiply = elementwise2((x, y) => x * y);
const divide = elementwise2((x, y) => x / y, asQuotient);
const negative = elementwise1((x) => -x);
const positive = elementwise1((x) => x);
const conjugate = elementwise1((x) => x);
const absolute = elementwise1((x) => Math.abs(x));
const fabs = elementwise1((x) => Math.abs(x), asFloat);
const square = elementwise1((x) => x * x);
const reciprocal = elementwise1((x) => 1 / x);
const sign = elementwise1((x) => (x > 0 ? 1 : x < 0 ? -1 : x === 0 ? 0 : x));

// C's power is 1 where JavaScript's is nan: 1 ** nan, and (-1) ** inf.
function powerOf(x, y) {
  if (y === 2) return x * x;
  return x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y;
}

const power = elementwise2((x, y) => powerOf(x, y));
const float_power = elementwise2((x, y) => powerOf(x, y), () => "float64");

// The remainder has the sign of the divisor.
function remainderOf(x, y) {
  const rest = x % y;
  if (y === 0) return rest;
  if (rest === 0) return y < 0 || Object.is(y, -0) ? -0 : 0;
  return y < 0 === rest < 0 ? rest : rest + y;
}

// The whole number below the quotient, computed from the remainder: the rounded quotient may lie above.
function quotientBelow(x, y) {
  if (y === 0) return x / y;
  const rest = x % y, quotient = (x - rest) / y - (rest !== 0 && y < 0 !== rest < 0 ? 1 : 0);
  if (quotient === 0) return x / y < 0 || Object.is(x / y, -0) ? -0 : 0;
  const below = Math.floor(quotient);
  return quotient - below > 0.5 ? below + 1 : below;
}

const remainder = elementwise2((x, y) => remainderOf(x, y));
const floor_divide = elementwise2((x, y) => quotientBelow(x, y));
const fmod = elementwise2((x, y) => x % y);
const divmod = (x, y) => [floor_divide(x, y), remainder(x, y)];

// -- choices --------------------------------------------------------------------------------------------------

// Of 0 and -0 the larger one is 0 here; NumPy takes one or the other.
const maximum = elementwise2((x, y) => Math.max(x, y));
const minimum = elementwise2((x, y) => Math.min(x, y));
const fmax = elementwise2((x, y) => (x >= y || y !== y ? x : y)); // nan gives way
const fmin = elementwise2((x, y) => (x <= y || y !== y ? x : y));

const clip = (x, low, high, options) => minimum(maximum(x, low), high, options);

// -- comparisons and logic ------------------------------------------------------------------------------------

const greater = elementwise2((x, y) => x > y, asBool);
const greater_equal = elementwise2((x, y) => x >= y, asBool);
const less = elementwise2((x, y) => x < y, asBool);
const less_equal = elementwise2((x, y) => x <= y, asBool);
const equal = elementwise2((x, y) => x === y, asBool);
const not_equal = elementwise2((x, y) => x !== y, asBool);
const logical_and = elementwise2((x, y) => x !== 0 && y !== 0, asBool);
const logical_or = elementwise2((x, y) => x !== 0 || y !== 0, asBool);
const logical_xor = elementwise2((x, y) => (x !== 0) !== (y !== 0), asBool);
const logical_not = elementwise1((x) => x === 0 || x === false, asBool);
const isnan = elementwise1((x) => x !== x, asBool);
const isinf = elementwise1((x) => Math.abs(x) === Infinity, asBool);
const isfinite = elementwise1((x) => Number.isFinite(x), asBool);
const signbit = elementwise1((x) => x < 0 || Object.is(x, -0), asBool);
const bitwise_and = elementwise2((x, y) => x & y); // of booleans, and of integers of 32 bits
const bitwise_or = elementwise2((x, y) => x | y);
const bitwise_xor = elementwise2((x, y) => x ^ y);
const flipped = elementwise1((x) => -x - 1);
const invert = (x, options) => (asarray(x).dtype === "bool" ? logical_not(x, options) : flipped(x, options));
const left_shift = elementwise2((x, y) => x * 2 ** y);
const right_shift = elementwise2((x, y) => Math.floor(x / 2 ** y));

// -- roots, powers and angles ---------------------------------------------------------------------------------

const sqrt = elementwise1((x) => Math.sqrt(x), asFloat);
const cbrt = elementwise1((x) => Math.cbrt(x), asFloat);
const exp = elementwise1((x) => Math.exp(x), asFloat);
const exp2 = elementwise1((x) => 2 ** x, asFloat);
const expm1 = elementwise1((x) => Math.expm1(x), asFloat);
const log = elementwise1((x) => Math.log(x), asFloat);
const log2 = elementwise1((x) => Math.log2(x), asFloat);
const log10 = elementwise1((x) => Math.log10(x), asFloat);
const log1p = elementwise1((x) => Math.log1p(x), asFloat);
const sin = elementwise1((x) => Math.sin(x), asFloat);
const cos = elementwise1((x) => Math.cos(x), asFloat);
const tan = elementwise1((x) => Math.tan(x), asFloat);
const arcsin = elementwise1((x) => Math.asin(x), asFloat);
const arccos = elementwise1((x) => Math.acos(x), asFloat);
const arctan = elementwise1((x) => Math.atan(x), asFloat);
const sinh = elementwise1((x) => Math.sinh(x), asFloat);
const cosh = elementwise1((x) => Math.cosh(x), asFloat);
const tanh = elementwise1((x) => Math.tanh(x), asFloat);
const arcsinh = elementwise1((x) => Math.asinh(x), asFloat);
const arccosh = elementwise1((x) => Math.acosh(x), asFloat);
const arctanh = elementwise1((x) => Math.atanh(x), asFloat);
const degrees = elementwise1((x) => x * (180 / Math.PI), asFloat);
const radians = elementwise1((x) => x * (Math.PI / 180), asFloat);
const rad2deg = elementwise1((x) => x * (180 / Math.PI), asFloat);
const deg2rad = elementwise1((x) => x * (Math.PI / 180), asFloat);
const arctan2 = elementwise2((x, y) => Math.atan2(x, y), asFloat);
const hypot = elementwise2((x, y) => Math.hypot(x, y), asFloat);
const copysign = elementwise2((x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x)), asFloat);
const ldexp = elementwise2((x, y) => scaled(x, y), asFloat);

// x * 2 ** y, in two steps where 2 ** y alone is too large or too small.
function scaled(x, y) {
  const first = Math.max(Math.min(y, 1000), -1000);
  return x * 2 ** first * 2 ** (y - first);
}

// log(exp(x) + exp(y)), and the same in powers of 2.
function logOfSum(x, y) {
  if (x === y) return x + Math.LN2;
  const apart = x - y;
  if (apart > 0) return x + Math.log1p(Math.exp(-apart));
  return apart <= 0 ? y + Math.log1p(Math.exp(apart)) : apart;
}

function log2OfSum(x, y) {
  if (x === y) return x + 1;
  const apart = x - y;
  if (apart > 0) return x + Math.LOG2E * Math.log1p(2 ** -apart);
  return apart <= 0 ? y + Math.LOG2E * Math.log1p(2 ** apart) : apart;
}

const logaddexp = elementwise2((x, y) => logOfSum(x, y), asFloat);
const logaddexp2 = elementwise2((x, y) => log2OfSum(x, y), asFloat);

// -- whole numbers --------------------------------------------------------------------------------------------

const floor = elementwise1((x) => Math.floor(x));
const ceil = elementwise1((x) => Math.ceil(x));
const trunc = elementwise1((x) => Math.trunc(x));

// The nearest whole number; of two, the even one. A number so large that its digits end before the point is one.
function nearest(x) {
  const size = Math.abs(x), large = 2 ** 52;
  if (!(size < large)) return x;
  const found = size + large - large;
  return x < 0 || Object.is(x, -0) ? -found : found;
}

const rint = elementwise1((x) => nearest(x), asFloat);

// The greatest common divisor, by Euclid's algorithm.
function divisorOfBoth(x, y) {
  let [a, b] = [Math.abs(x), Math.abs(y)];
  while (b) [a, b] = [b, a % b];
  return a;
}

const gcd = elementwise2((x, y) => divisorOfBoth(x, y));
const lcm = elementwise2((x, y) => (x && y ? Math.abs(x / divisorOfBoth(x, y)) * Math.abs(y) : 0));
const heaviside = elementwise2((x, y) => (x > 0 ? 1 : x < 0 ? 0 : x === 0 ? y : x), asFloat);

// [fraction, whole part]
function modf(x) {
  const whole = trunc(x), fraction = where(equal(x, whole), 0, subtract(x, whole));
  return [copysign(fraction, x), whole];
}
