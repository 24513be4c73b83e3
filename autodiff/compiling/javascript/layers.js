// Attention and recurrent layers over whole sequences: what autodiff computes in one operation each.

// -- attention ------------------------------------------------------------------------------------------------

// The exponentials of the logits, query @ key.T * scale + mask, and the divisors that make each row sum to 1. The
// largest logit of each row is subtracted only if exp would overflow or underflow otherwise.
function exponentials(query, key, mask, scale) {
  let parts = matmul(multiply(query, scale), swapaxes(key, -1, -2));
  if (isArray(mask) || mask !== 0) parts = add(parts, mask);
  let weights = exp(parts), sums = sum(weights, {axis: -1, keepdims: true});
  const [tiny, huge] = sums.dtype === "float32" ? [2 ** -126, largestOf("float32")] : [2 ** -1022, Number.MAX_VALUE];
  const least = number(min(sums, {initial: 1})), most = number(max(sums, {initial: 1}));
  if (!(Math.sqrt(tiny) < least && most < Math.sqrt(huge))) {
    const top = max(parts, {axis: -1, keepdims: true, initial: -Infinity});
    weights = exp(subtract(parts, clip(top, -huge, huge)));
    sums = sum(weights, {axis: -1, keepdims: true});
    sums = add(sums, equal(sums, 0));
  }
  return [weights, sums];
}

// How much each query attends to each key: softmax(query @ key.T * scale + mask).
function attention_weights(query, key, mask, {scale}) {
  const [weights, sums] = exponentials(query, key, mask, scale);
  return divide(weights, sums, {out: weights});
}

// softmax(query @ key.T * scale + mask) @ value
function attention(query, key, value, mask, {scale}) {
  const [weights, sums] = exponentials(query, key, mask, scale);
  return divide(matmul(weights, value), sums);
}

// The gradients of attention with respect to query, key and value, from that of its result z.
function attention_rule(grad, z, query, key, value, mask, {scale}) {
  const [weights, sums] = exponentials(query, key, mask, scale), share = divide(grad, sums);
  const dots = sum(multiply(share, z), {axis: -1, keepdims: true});
  const slope = multiply(subtract(matmul(share, swapaxes(value, -1, -2)), dots), weights);
  const ofQuery = multiply(matmul(slope, key), scale), ofKey = multiply(matmul(swapaxes(slope, -1, -2), query), scale);
  return [ofQuery, ofKey, matmul(swapaxes(weights, -1, -2), share), null];
}

// -- recurrent layers -----------------------------------------------------------------------------------------
// The products with the inputs are computed for all steps at once. Each gate has its own rows of a weight.

// For each gate the product of all inputs with its weight: (gates, steps, batch, hidden).
function inputProducts(x, weight, gates) {
  const [steps, batch, inputs] = x.shape, [rows, columns] = weight.shape;
  const each = swapaxes(reshape(weight, gates, rows / gates, columns), 1, 2);
  return reshape(matmul(reshape(x, steps * batch, inputs), each), gates, steps, batch, rows / gates);
}

// The transposed weight of each gate: (gates, hidden, hidden).
function transposedGates(weight, gates) {
  const [rows, columns] = weight.shape;
  return copy(swapaxes(reshape(weight, gates, rows / gates, columns), 1, 2));
}

const gateBias = (bias, gates) => (shapeOf(bias).length ? reshape(bias, gates, 1, bias.shape[0] / gates) : bias);

const sigmoidOf = (x) => divide(1, add(1, exp(negative(x))));

// The states after each step: h = tanh(x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh).
function rnn(x, h, weightIn, weightState, biasIn, biasState, {nonlinearity = "tanh"} = {}) {
  const products = row(inputProducts(x, weightIn, 1), 0), weight = row(transposedGates(weightState, 1), 0);
  const z = asarray(add(products, add(biasIn, biasState)), result_type(x, h, weightIn, weightState, biasIn, biasState));
  let state = broadcast_to(asarray(h, z.dtype), z.shape.slice(1));
  for (let t = 0; t < z.shape[0]; t++) {
    const total = add(row(z, t), matmul(state, weight));
    state = row(z, t);
    assign(state, nonlinearity === "relu" ? maximum(total, 0) : tanh(total));
  }
  return z;
}

// The states, cells and gates i, f, g, o after each step: (6, steps, batch, hidden).
function lstm(x, h, c, weightIn, weightState, biasIn, biasState) {
  const dtype = result_type(x, h, c, weightIn, weightState, biasIn, biasState);
  const inputs = asarray(inputProducts(x, weightIn, 4), dtype), weight = transposedGates(weightState, 4);
  const bias = gateBias(add(biasIn, biasState), 4), z = made([6, ...inputs.shape.slice(1)], dtype);
  let [state, cell] = [h, c].map((each) => broadcast_to(asarray(each, dtype), z.shape.slice(2)));
  for (let t = 0; t < x.shape[0]; t++) {
    const a = add(add(getitem(inputs, {}, t), matmul(state, weight)), bias), g = tanh(row(a, 2));
    const [i, f, o] = [0, 1, 3].map((k) => sigmoidOf(row(a, k)));
    cell = add(multiply(f, cell), multiply(i, g));
    state = multiply(o, tanh(cell));
    [state, cell, i, f, g, o].forEach((part, k) => assign(row(row(z, k), t), part));
  }
  return z;
}

// The states, gates r, z, candidates n and m after each step: (5, steps, batch, hidden).
function gru(x, h, weightIn, weightState, biasIn, biasState) {
  const dtype = result_type(x, h, weightIn, weightState, biasIn, biasState);
  const inputs = asarray(inputProducts(x, weightIn, 3), dtype), weight = transposedGates(weightState, 3);
  const [first, second] = [biasIn, biasState].map((bias) => gateBias(bias, 3));
  const y = made([5, ...inputs.shape.slice(1)], dtype);
  let state = broadcast_to(asarray(h, dtype), y.shape.slice(2));
  for (let t = 0; t < x.shape[0]; t++) {
    const a = add(getitem(inputs, {}, t), first), b = add(matmul(state, weight), second);
    const [r, z] = [0, 1].map((k) => sigmoidOf(add(row(a, k), row(b, k)))), m = row(b, 2);
    const n = tanh(add(row(a, 2), multiply(r, m)));
    state = add(multiply(subtract(1, z), n), multiply(z, state));
    [state, r, z, n, m].forEach((part, k) => assign(row(row(y, k), t), part));
  }
  return y;
}
