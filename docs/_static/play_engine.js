// Reverse-mode differentiation of what somebody types: numbers, names, + - * / ** and functions. "b = 3 * a; c = b + 1"
// becomes nodes in the order of creation, each with a value, a gradient and, for each creator, the local slope and what
// is passed back to it. The arithmetic and the choices at corners (the slope of relu at 0) are the package's own.

const playEngine = (() => {
  const sigmoid = (x) => (x < 0 ? Math.exp(x) / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x)));
  const share = (wins, ties) => (ties ? 0.5 : wins ? 1 : 0); // equal operands share the slope

  function slopeOfExponent(x, y, z) {
    if (x === 0) return y < 0 ? -Infinity : 0;
    return z * Math.log(x); // nan for a negative x
  }

  // By name: what Python writes, the value, and the slopes; those may use the value z.
  const OPERATIONS = {
    add: {sign: "+", value: (x, y) => x + y, slopes: () => [1, 1]},
    sub: {sign: "-", value: (x, y) => x - y, slopes: () => [1, -1]},
    mul: {sign: "*", value: (x, y) => x * y, slopes: (x, y) => [y, x]},
    div: {sign: "/", value: (x, y) => x / y, slopes: (x, y, z) => [1 / y, -z / y]},
    pow: {sign: "**", value: (x, y) => x ** y, slopes: (x, y, z) => [y === 0 ? 0 : y * x ** (y - 1), slopeOfExponent(x, y, z)]},
    neg: {sign: "-", value: (x) => -x, slopes: () => [-1]},
    exp: {value: Math.exp, slopes: (x, z) => [z]},
    log: {value: Math.log, slopes: (x) => [1 / x]},
    sqrt: {value: Math.sqrt, slopes: (x, z) => [0.5 / z]},
    square: {value: (x) => x * x, slopes: (x) => [2 * x]},
    sin: {value: Math.sin, slopes: (x) => [Math.cos(x)]},
    cos: {value: Math.cos, slopes: (x) => [-Math.sin(x)]},
    tanh: {value: Math.tanh, slopes: (x, z) => [1 - z * z]},
    sigmoid: {value: sigmoid, slopes: (x, z) => [z * (1 - z)]},
    relu: {value: (x) => (x > 0 ? x : x === x ? 0 : x), slopes: (x) => [x > 0 ? 1 : 0]},
    abs: {value: Math.abs, slopes: (x) => [Math.sign(x)]},
    maximum: {value: Math.max, slopes: (x, y) => [share(x > y, x === y), share(y > x, x === y)]},
    minimum: {value: Math.min, slopes: (x, y) => [share(x < y, x === y), share(y < x, x === y)]},
  };
  const SIGNS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "**": "pow"};
  const TOKEN = /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|[-+*/(),;=])|(\S))/gy;
  const LIMIT = 40; // nodes

  // What cannot be read, and where it stands in the text.
  class Unreadable extends Error {
    constructor(message, start, end) {
      super(message);
      Object.assign(this, {start, end});
    }
  }

  function tokensOf(text) {
    const found = [];
    TOKEN.lastIndex = 0;
    for (let match; TOKEN.lastIndex < text.trimEnd().length && (match = TOKEN.exec(text)); ) {
      const [whole, number, name, sign, other] = match, end = match.index + whole.length;
      const token = {text: whole.trim(), start: end - whole.trim().length, end, number, name, sign};
      const instead = other === "^" ? "; a power is written **" : "";
      if (other) throw new Unreadable(`${other} means nothing here${instead}`, token.start, end);
      found.push(token);
    }
    return found;
  }

  // The nodes of a text, whose statements stand in lines or between ";", in the order in which Python would make them.
  // Raises Unreadable.
  function nodesOf(lines) {
    const text = lines.replaceAll("\n", ";");
    const tokens = tokensOf(text), nodes = [], known = new Map(), end = text.trimEnd().length;
    let place = 0;

    const next = () => tokens[place] ?? {text: "", start: end, end: end + 1};
    const isNext = (sign) => next().sign === sign && ++place > 0;
    const fail = (message, {start, end: stop} = next()) => {
      throw new Unreadable(message, start, stop);
    };
    function expect(sign, message) {
      if (!isNext(sign)) fail(message);
    }

    function node(operation, creators, name = null) {
      if (nodes.length === LIMIT) fail(`this page draws ${LIMIT} nodes, and not more`);
      const made = {operation, creators, name, index: nodes.length};
      nodes.push(made);
      return made;
    }
    // Of numbers alone Python computes the number.
    function applied(operation, operands) {
      if (operands.every((x) => typeof x === "number")) return OPERATIONS[operation].value(...operands);
      return node(operation, operands);
    }

    function sum() {
      let left = product();
      while (["+", "-"].includes(next().sign)) left = applied(SIGNS[tokens[place++].sign], [left, product()]);
      return left;
    }
    function product() {
      let left = signed();
      while (["*", "/"].includes(next().sign)) left = applied(SIGNS[tokens[place++].sign], [left, signed()]);
      return left;
    }
    function signed() { // -a ** 2 is -(a ** 2)
      if (isNext("-")) return applied("neg", [signed()]);
      return isNext("+") ? signed() : power();
    }
    function power() {
      const base = atom();
      return isNext("**") ? applied("pow", [base, signed()]) : base;
    }
    function atom() {
      const token = next();
      if (isNext("(")) {
        const inner = sum();
        expect(")", "a bracket is open");
        return inner;
      }
      place++;
      if (token.number) {
        if (next().name) fail(`between ${token.text} and ${next().text} a * is missing`);
        return Number(token.number);
      }
      if (!token.name) fail(token.text ? `a number or a name is missing before ${token.text}` : "the end is missing", token);
      return next().sign === "(" ? called(token) : leaf(token);
    }
    function called(token) {
      const operation = OPERATIONS[token.name];
      if (!operation || operation.sign) {
        const known = Object.keys(OPERATIONS).filter((name) => !OPERATIONS[name].sign);
        fail(`there is no function ${token.name}; there are ${known.join(", ")}`, token);
      }
      expect("(", "");
      const operands = [sum()];
      while (isNext(",")) operands.push(sum());
      expect(")", "a bracket is open");
      const count = operation.value.length === 2 ? 2 : 1;
      if (operands.length !== count) fail(`${token.name} takes ${count === 2 ? "two numbers" : "one number"}`, token);
      return applied(token.name, operands);
    }
    function leaf(token) {
      if (!known.has(token.name)) known.set(token.name, node(null, [], token.name));
      return known.get(token.name);
    }

    // "c = a * b", or "a * b"; "a = 2" makes a leaf that begins there.
    function statement() {
      const target = next().name && tokens[place + 1]?.sign === "=" ? tokens[(place += 2) - 2] : null;
      if (target && known.has(target.name)) fail(`${target.name} has a value already: take another name`, target);
      const found = sum();
      if (!target) return found;
      const made = typeof found === "number" ? Object.assign(node(null, [], target.name), {start: found}) : found;
      made.name ??= target.name;
      known.set(target.name, made);
      return made;
    }

    let last = null;
    while (place < tokens.length) {
      if (isNext(";")) continue;
      last = statement();
      if (place < tokens.length) expect(";", `${next().text} is too much`);
    }
    if (last === null) fail("type an expression, such as a * b");
    if (typeof last === "number") fail("a number alone has no gradient: use a name", {start: 0, end});
    return named(nodes, last, known);
  }

  // The nodes behind the last one, those without a name called v1, v2 and so on.
  function named(nodes, last, known) {
    const behind = new Set([last]);
    for (const node of [...nodes].reverse()) {
      if (behind.has(node)) for (const creator of node.creators) behind.add(creator);
    }
    let number = 0;
    const found = nodes.filter((node) => behind.has(node));
    for (const node of found) {
      while (!node.name) {
        number++;
        if (!known.has(`v${number}`)) node.name = `v${number}`;
      }
    }
    return found;
  }

  const written = (x) => (typeof x === "number" ? String(x).replace("Infinity", "inf") : x.name);

  // The line of Python that makes a node.
  function lineOf(node) {
    const {operation, creators, name} = node, operands = creators.map(written), sign = OPERATIONS[operation]?.sign;
    if (!operation) return `${name} = Tensor(${written(node.value)})`;
    if (!sign) return `${name} = ${operation}(${operands.join(", ")})`;
    return `${name} = ${operands.length === 1 ? `${sign}${operands[0]}` : `${operands[0]} ${sign} ${operands[1]}`}`;
  }

  // Give each node its value, slopes, streams and gradient; `values` has those of the leaves, by name.
  function run(nodes, values) {
    const valueOf = (x) => (typeof x === "number" ? x : x.value);
    for (const node of nodes) {
      const operands = node.creators.map(valueOf), operation = OPERATIONS[node.operation];
      node.value = operation ? operation.value(...operands) : values[node.name];
      node.slopes = operation ? operation.slopes(...operands, node.value) : [];
      node.gradient = 0;
      node.arrived = []; // from which node, along which of its slopes
    }
    nodes[nodes.length - 1].gradient = 1;
    for (const node of [...nodes].reverse()) {
      node.streams = node.slopes.map((slope) => node.gradient * slope);
      node.creators.forEach((creator, i) => {
        if (typeof creator === "number") return;
        creator.gradient += node.streams[i];
        creator.arrived.push({from: node, slope: node.slopes[i], stream: node.streams[i]});
      });
    }
  }

  return {OPERATIONS, Unreadable, nodesOf, lineOf, run};
})();
