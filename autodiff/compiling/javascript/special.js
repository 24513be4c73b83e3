// Functions of single elements that need more than one line: erf and erfc, round, nan_to_num, frexp.

// -- the error function ---------------------------------------------------------------------------------------
// As autodiff computes it: from exact values at points 1/512 apart, and the first terms of Taylor's series.

// erf(x) for x from 0 to 2, by a series whose terms are all positive.
function erfSeries(x) {
  let term = x, total = x;
  for (let n = 1; term > total * 1e-17; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    total += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * total;
}

// erfc(x) * exp(x ** 2) for x from 1/2 on, by a continued fraction.
function scaledErfcFraction(x) {
  let below = x;
  for (let n = Math.ceil(30 + 300 / x); n > 0; n--) below = x + n / 2 / below;
  return 1 / (Math.sqrt(Math.PI) * below);
}

const scaledErfcAt = (x) => (x < 0.5 ? (1 - erfSeries(x)) * Math.exp(x * x) : scaledErfcFraction(x));

const erfAt = (x) => (x < 2 ? erfSeries(x) : 1 - scaledErfcFraction(x) * Math.exp(-x * x));

// The values of a function at the points 0, 1/512, ..., which are computed at the first use.
function tabulated(f, end) {
  let table = null;
  return (k) => {
    table ??= Float64Array.from({length: 512 * end + 1}, (_, i) => f(i / 512));
    return table[k];
  };
}

const erfTable = tabulated((x) => erfAt(x), 6);
const bellTable = tabulated((x) => (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x), 6);
const erfcTable = tabulated((x) => scaledErfcAt(x), 26.5);

function erfOf(x) {
  if (x !== x) return x;
  const distance = Math.min(Math.abs(x), 6), k = nearest(distance * 512), a = k / 512, d = distance - a, aa = 2 * a * a;
  const series = 1 - d * (a - d * ((aa - 1) / 3 - d * ((a * (aa - 3)) / 6 - (d * (aa * (aa - 6) + 3)) / 30)));
  const found = erfTable(k) + bellTable(k) * d * series;
  return x < 0 || Object.is(x, -0) ? -found : found;
}

// The factor erfc(a) exp(a ** 2) changes slowly, so its series needs few terms; it may not overflow for large x.
function erfcOf(x) {
  if (x !== x) return x;
  const distance = Math.abs(x), k = nearest(Math.min(distance, 26.5) * 512);
  const a = k / 512, d = Math.min(distance, 28) - a;
  const w = erfcTable(k), w1 = 2 * a * w - 2 / Math.sqrt(Math.PI), w2 = 2 * (a * w1 + w);
  const w3 = 2 * (a * w2 + 2 * w1), w4 = 2 * (a * w3 + 3 * w2);
  const found = (w + d * (w1 + d * (w2 / 2 + d * (w3 / 6 + (d * w4) / 24)))) * Math.exp(-distance * distance);
  return x < 0 ? 2 - found : found;
}

const erf = elementwise1((x) => erfOf(x), asQuotient);
const erfc = elementwise1((x) => erfcOf(x), asQuotient);

// -- others ---------------------------------------------------------------------------------------------------

// To a number of decimals, before the point if it is negative.
function round(x, decimals = 0, options = {}) {
  if (!decimals || kindOf(asarray(x).dtype) !== "f") return rint(x, options);
  const factor = 10 ** Math.abs(decimals);
  if (decimals > 0) return divide(rint(multiply(x, factor)), factor, options);
  return multiply(rint(divide(x, factor)), factor, options);
}

// The largest number of a dtype.
const largestOf = (dtype) => ({float16: 65504, float32: 3.4028234663852886e38, float64: Number.MAX_VALUE})[dtype];

function nan_to_num(x, {nan = 0, posinf = null, neginf = null} = {}) {
  const whole = asarray(x), most = largestOf(whole.dtype);
  const finite = where(equal(whole, Infinity), posinf ?? most, where(equal(whole, -Infinity), neginf ?? -most, whole));
  return where(isnan(whole), nan, finite);
}

// The exponent of a number that is written as a fraction, from 1/2 to 1, times a power of 2.
function exponentOf(x) {
  if (!Number.isFinite(x) || x === 0) return 0;
  const size = Math.abs(x), shift = size < 2 ** -1000 ? 1000 : 0, scaled1 = size * 2 ** shift;
  const found = Math.floor(Math.log2(scaled1)) + 1, fraction = scaled(scaled1, -found);
  return found - shift + (fraction >= 1 ? 1 : fraction < 0.5 ? -1 : 0); // the logarithm may have been rounded
}

const exponents = elementwise1((x) => exponentOf(x));

// [fraction, exponent]
function frexp(x) {
  const exponent = exponents(x);
  return [ldexp(x, negative(exponent)), isArray(x) ? astype(exponent, "int32") : exponent];
}
