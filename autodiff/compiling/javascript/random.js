// np.random.default_rng: the same numbers from the same seed. The generator is PCG64 (O'Neill, 2014), seeded by
// NumPy's SeedSequence; normal numbers come from the ziggurat (Marsaglia and Tsang, 2000), with NumPy's strips.

// A generator for a seed, a whole number or a BigInt; or one that goes on where another one is, given its
// {state, inc, has_uint32, uinteger}, as bit_generator.state of Python has them.
const default_rng = (seed) => (seed instanceof Generator ? seed : new Generator(seed));

// The 128 bits of a number in eight parts of 16 bits, of which the products are exact; the lowest first.
const inParts = (x) => Float64Array.from({length: 8}, (_, k) => Number((x >> BigInt(16 * k)) & 0xffffn));

class Generator {
  constructor(seed) {
    this.multiplier = inParts(0x2360ed051fc65da44385df649fccf645n);
    this.high = 0; // of the last 64 bits that were drawn, the two halves
    this.low = 0;
    this.hasHalf = false; // whether the upper half of 64 bits waits to be drawn as 32 bits
    this.waiting = 0;
    if (typeof seed === "object") {
      [this.state, this.increment] = [seed.state, seed.inc].map((x) => inParts(BigInt(x)));
      this.hasHalf = Boolean(seed.has_uint32);
      this.waiting = Number(seed.uinteger ?? 0);
      return;
    }
    const words = seedWords(BigInt(seed), 8), wide = (k) => (BigInt(words[k + 1]) << 32n) | BigInt(words[k]);
    const [start, sequence] = [0, 4].map((k) => (wide(k) << 64n) | wide(k + 2));
    const increment = BigInt.asUintN(128, (sequence << 1n) | 1n);
    this.increment = inParts(increment);
    this.state = inParts(BigInt.asUintN(128, increment + start));
    this.step();
  }

  // state = state * multiplier + increment, in 128 bits.
  step() {
    const {state, multiplier, increment} = this;
    for (let k = 7; k >= 0; k--) {
      let total = 0;
      for (let i = 0; i <= k; i++) total += state[i] * multiplier[k - i];
      state[k] = total; // the parts below are still the old ones
    }
    for (let k = 0, carry = 0; k < 8; k++) {
      const total = state[k] + increment[k] + carry;
      carry = Math.floor(total / 65536);
      state[k] = total - 65536 * carry;
    }
  }

  // Draw 64 bits: the halves of the state combined, and turned by as many places as its highest six bits say.
  draw64() {
    this.step();
    const {state} = this, turn = state[7] >> 10;
    let high = ((state[7] ^ state[3]) << 16) | (state[6] ^ state[2]);
    let low = ((state[5] ^ state[1]) << 16) | (state[4] ^ state[0]);
    if (turn >= 32) [high, low] = [low, high];
    const count = turn % 32;
    if (count) {
      [high, low] = [(high >>> count) | (low << (32 - count)), (low >>> count) | (high << (32 - count))];
    }
    this.high = high >>> 0;
    this.low = low >>> 0;
  }

  draw32() {
    this.hasHalf = !this.hasHalf;
    if (!this.hasHalf) return this.waiting;
    this.draw64();
    this.waiting = this.high;
    return this.low;
  }

  // A double from 0 up to 1, of 53 bits; a single of 24 bits.
  double() {
    this.draw64();
    return (this.high * 2 ** 21 + (this.low >>> 11)) / 2 ** 53;
  }

  single() {
    return (this.draw32() >>> 8) / 2 ** 24;
  }

  // An array of draws, or one number if no size is given.
  many(size, dtype, draw) {
    if (size === null || size === undefined) return draw();
    const found = made(asShape(size), dtype);
    for (let i = 0; i < found.data.length; i++) found.data[i] = draw();
    return found;
  }

  random(size = null, {dtype = "float64"} = {}) {
    return this.many(size, dtype, () => (dtype === "float32" ? this.single() : this.double()));
  }

  uniform(low = 0, high = 1, size = null) {
    return this.many(size, "float64", () => low + (high - low) * this.double());
  }

  normal(loc = 0, scale = 1, size = null) {
    return this.many(size, "float64", () => loc + scale * normalDouble(this));
  }

  standard_normal(size = null, {dtype = "float64"} = {}) {
    return this.many(size, dtype, () => (dtype === "float32" ? normalSingle(this) : normalDouble(this)));
  }

  // Whole numbers from low up to high, or from 0 up to low; of BigInts a BigInt.
  integers(low, high = null, size = null, {dtype = "int64", endpoint = false} = {}) {
    if (!/^int(32|64)$/.test(dtype)) throw new TypeError(`integers of ${dtype} are not drawn in JavaScript`);
    if (high === null) [low, high] = [typeof low === "bigint" ? 0n : 0, low];
    const range = BigInt(high) - BigInt(low) - (endpoint ? 0n : 1n);
    if (range < 0n) throw new RangeError("low >= high");
    if (typeof high === "bigint") return low + BigInt(this.below(range));
    return this.many(size, dtype, () => low + Number(this.below(range)));
  }

  // A whole number from 0 up to `most`, with `most`, by a product whose upper half it is (Lemire, 2019).
  below(most) {
    if (most === 0n) return 0;
    if (most >= 2n ** 32n) return this.below64(most);
    if (most === 2n ** 32n - 1n) return this.draw32();
    const count = Number(most) + 1, least = 2 ** 32 % count;
    for (;;) {
      const x = this.draw32(), upper = Math.floor(x / 65536) * count; // in two parts, which are exact
      const whole = upper + Math.floor(((x % 65536) * count) / 65536), rest = (Math.imul(x, count) >>> 0);
      if (rest >= least) return Math.floor(whole / 65536);
    }
  }

  below64(most) {
    const count = most + 1n, least = 2n ** 64n % count;
    for (;;) {
      this.draw64();
      const product = ((BigInt(this.high) << 32n) | BigInt(this.low)) * count;
      if (count === 2n ** 64n || BigInt.asUintN(64, product) >= least) return product >> 64n;
    }
  }

  // A whole number from 0 up to `most`, with `most`: bits are drawn until they are not above it.
  masked(most) {
    let mask = 1;
    while (mask < most) mask = 2 * mask + 1;
    for (;;) {
      const found = (this.draw32() & mask) >>> 0;
      if (found <= most) return found;
    }
  }

  // The numbers up to n, or the rows of an array, in a random order.
  permutation(x) {
    if (!isArray(x)) return this.shuffle(arange(0, x, 1, "int64"));
    return x.shape.length === 1 ? this.shuffle(copy(x)) : getitem(x, this.permutation(x.shape[0]));
  }

  // Exchange the rows of an array in place.
  shuffle(x) {
    for (let i = x.shape[0] - 1; i > 0; i--) {
      const j = this.masked(i), kept = copy(row(x, i));
      assign(row(x, i), row(x, j));
      assign(row(x, j), kept);
    }
    return x;
  }
}

// -- seeds ----------------------------------------------------------------------------------------------------

// Words of 32 bits that depend on every bit of a seed: SeedSequence(seed).generate_state(count).
function seedWords(seed, count) {
  const entropy = [], pool = new Uint32Array(4), turned = (x) => (x ^ (x >>> 16)) >>> 0;
  if (seed < 0n) throw new RangeError("a seed must not be negative");
  for (let rest = seed; rest > 0n || !entropy.length; rest >>= 32n) entropy.push(Number(rest & 0xffffffffn));
  const hashing = (first, factor) => {
    let constant = first;
    return (x) => {
      const mixed = x ^ constant;
      constant = Math.imul(constant, factor);
      return turned(Math.imul(mixed, constant));
    };
  };
  const hash = hashing(0x43b0d7e5, 0x931e8875), scramble = hashing(0x8b51f9dd, 0x58f38ded);
  const mixInto = (to, x) => {
    pool[to] = turned(Math.imul(0xca01f9dd, pool[to]) - Math.imul(0x4973f715, x));
  };
  for (let i = 0; i < 4; i++) pool[i] = hash(entropy[i] ?? 0);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) if (i !== j) mixInto(j, hash(pool[i]));
  for (const word of entropy.slice(4)) for (let j = 0; j < 4; j++) mixInto(j, hash(word));
  return Uint32Array.from({length: count}, (_, i) => scramble(pool[i % 4]));
}

// -- normal numbers -------------------------------------------------------------------------------------------

// Logarithm and exponential of doubles with 160 binary digits, as JavaScript's own differ between browsers.
const toFixedPoint = (x) => BigInt(x * 2 ** 80) << 80n; // of doubles from about 1e-8 to 1e3

const fromFixed = (x) => Number(x) / 2 ** 160;

function fixedExp(x) {
  let term = 1n << 160n, total = term;
  for (let n = 1n; term !== 0n && term !== -1n; n++) {
    term = ((term * x) >> 160n) / n;
    total += term;
  }
  return total;
}

// Of a number from 1/2 to 1: log(x) = 2 artanh((x - 1) / (x + 1)).
function fixedLog(x) {
  const one = 1n << 160n, ratio = ((x - one) << 160n) / (x + one), squared = (ratio * ratio) >> 160n;
  let part = ratio, total = 0n;
  for (let n = 1n; part !== 0n && part !== -1n; n += 2n) {
    total += part / n;
    part = (part * squared) >> 160n;
  }
  return 2n * total;
}

const exactExp = (x) => fromFixed(fixedExp(toFixedPoint(x)));

function exactLog(x) {
  const halvings = Math.ceil(-Math.log2(x)) - 1, shift = BigInt(Math.max(halvings, 0));
  const rest = toFixedPoint(x) << shift;
  return fromFixed(fixedLog(rest) + shift * fixedLog(1n << 159n));
}

// The ziggurat under exp(-x ** 2 / 2): 256 strips of one area. edges[i] is where strip i ends, and the lowest, 0, is
// as wide as a box of that area. NumPy's edges were computed one from the other in doubles, with correctly rounded
// functions, but for one digit: edge 37 lies one double below. tests/compiling/javascript/test_random.py compares
// 200,000 numbers drawn from them.
const TAIL = 3.6541528853610088;
const AREA = 0.004928673233974652;

function zigguratTables() {
  const edges = new Float64Array(256), heights = new Float64Array(256), shares = new Float64Array(256);
  edges[255] = TAIL;
  for (let i = 255; i > 0; i--) {
    heights[i] = exactExp(-0.5 * edges[i] ** 2);
    if (i > 1) edges[i - 1] = Math.sqrt(-2 * exactLog(AREA / edges[i] + heights[i]));
    if (i === 38) edges[37] -= 2 ** -52;
  }
  edges[0] = AREA / heights[255];
  heights[0] = 1;
  for (let i = 0; i < 256; i++) shares[i] = i === 1 ? 0 : (i ? edges[i - 1] : TAIL) / edges[i]; // surely inside
  return {edges, heights, shares};
}

const zigguratOnce = {tables: null};

const ziggurat = () => (zigguratOnce.tables ??= zigguratTables());

function normalDouble(generator) {
  const {edges, heights, shares} = ziggurat();
  for (;;) {
    generator.draw64();
    const {high, low} = generator, i = low & 255, isNegative = low & 256;
    const share = ((high & 0x1fffffff) * 2 ** 23 + (low >>> 9)) / 2 ** 52, size = share * edges[i];
    if (share < shares[i]) return isNegative ? -size : size;
    if (i === 0) {
      const beyond = TAIL + tailDistance(() => generator.double());
      return (low >>> 17) & 1 ? -beyond : beyond;
    }
    if ((heights[i - 1] - heights[i]) * generator.double() + heights[i] < Math.exp(-0.5 * size * size)) {
      return isNegative ? -size : size;
    }
  }
}

// The same with 23 bits, in single precision.
function normalSingle(generator) {
  const {edges, heights, shares} = ziggurat(), f = Math.fround;
  for (;;) {
    const bits = generator.draw32(), i = bits & 255, isNegative = bits & 256, whole = bits >>> 9;
    const size = f(whole * f(edges[i] / 2 ** 23));
    if (whole < Math.floor(shares[i] * 2 ** 23)) return isNegative ? -size : size;
    if (i === 0) {
      const beyond = f(f(TAIL) + tailDistance(() => generator.single(), f));
      return (whole >>> 8) & 1 ? -beyond : beyond;
    }
    const [upper, lower] = [f(heights[i - 1]), f(heights[i])];
    if (f(f(f(upper - lower) * generator.single()) + lower) < Math.exp(-0.5 * size * size)) {
      return isNegative ? -size : size;
    }
  }
}

// How far beyond the last strip a number lies (Marsaglia, 1964). This is where JavaScript's logarithm may change the
// last digit: of two million doubles in none, of two million singles in two.
function tailDistance(draw, f = (x) => x) {
  for (;;) {
    const x = f(f(-1 / TAIL) * f(Math.log1p(-draw()))), y = f(-Math.log1p(-draw()));
    if (f(y + y) > f(x * x)) return x;
  }
}
