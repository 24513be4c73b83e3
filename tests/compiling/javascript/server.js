// Answers calls of the runtime, one a line: {name, args, options} in, the result or {error} out; and calls of
// programs: {program, args} in, the results and the arguments afterwards out. What stands above is the runtime, as
// the object `nd`; a program has one of its own. Numbers that JSON has not, and bytes, come as texts.

const decoded = (x, own = nd) => {
  if (Array.isArray(x)) return x.map((part) => decoded(part, own));
  if (x === null || typeof x !== "object") return x;
  if ("number" in x) return Number(x.number);
  if ("big" in x) return BigInt(x.big);
  if ("bytes" in x) {
    const flat = own.packed(x.bytes, [x.length], x.dtype);
    return new own.NdArray(flat.data, x.shape, x.dtype, x.strides, x.offset);
  }
  return Object.fromEntries(Object.entries(x).map(([key, part]) => [key, decoded(part, own)]));
};

const encoded = (x, own = nd) => {
  if (Array.isArray(x)) return x.map((part) => encoded(part, own));
  if (typeof x === "bigint") return {big: String(x)};
  if (typeof x === "number") return {number: Object.is(x, -0) ? "-0.0" : String(x)};
  if (!(own?.NdArray && x instanceof own.NdArray)) return x;
  const data = own.values(x), bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
  return {bytes, dtype: x.dtype, shape: x.shape, kept: data.constructor.name};
};

const generators = {};

const programs = {};

function ran({program, args}) {
  const f = (programs[program] ??= new Function(`${program}\nreturn {nd: typeof nd === "object" ? nd : null, program};`)());
  const given = args.map((x) => decoded(x, f.nd)), results = f.program(...given);
  return {results: encoded(results, f.nd), after: encoded(given, f.nd)};
}

function answer({name, args, options, on}) {
  const given = [...args.map((x) => decoded(x)), ...(options ? [decoded(options)] : [])];
  if (on !== undefined) {
    const generator = (generators[JSON.stringify(on)] ??= nd.default_rng(decoded(on))); // which keeps its state
    return encoded(generator[name](...given));
  }
  const found = encoded(nd[name](...given)); // a call may change its first argument
  return name === "shapeOf" || found !== undefined ? found : encoded(given[0]);
}

require("readline").createInterface({input: process.stdin}).on("line", (line) => {
  let found;
  try {
    const call = JSON.parse(line);
    if (call.text) found = {result: new Function(call.text)()};
    else found = call.program ? ran(call) : {result: answer(call)};
  } catch (error) {
    found = {error: `${error.name}: ${error.message}`};
  }
  process.stdout.write(`${JSON.stringify(found)}\n`);
});
