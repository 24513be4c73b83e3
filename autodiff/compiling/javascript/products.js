// Products of matrices, and sums of products by Einstein's notation.

// c += a @ b for one pair of matrices of sizes m x k and k x n, where the rows of b lie in one line: two rows of a
// with four rows of b at a time, in blocks of b that stay in the processor's cache.
function addRows(a, a0, aRow, aColumn, b, b0, bRow, c, c0, m, k, n) {
  const deep = 64;
  for (let top = 0; top < k; top += deep) {
    const bottom = Math.min(top + deep, k);
    let i = 0;
    for (; i + 1 < m; i += 2) addTwoRows(a, a0 + i * aRow, aRow, aColumn, b, b0, bRow, c, c0 + i * n, top, bottom, n);
    if (i < m) addOneRow(a, a0 + i * aRow, aColumn, b, b0, bRow, c, c0 + i * n, top, bottom, n);
  }
}

function addTwoRows(a, a0, aRow, aColumn, b, b0, bRow, c, c0, top, bottom, n) {
  let l = top;
  for (; l + 3 < bottom; l += 4) {
    let x = a0 + l * aColumn, y = b0 + l * bRow;
    const p1 = a[x], p2 = a[x + aRow], q1 = a[(x += aColumn)], q2 = a[x + aRow];
    const r1 = a[(x += aColumn)], r2 = a[x + aRow], s1 = a[(x += aColumn)], s2 = a[x + aRow];
    for (let z = c0, end = c0 + n; z < end; z++, y++) {
      const p = b[y], q = b[y + bRow], r = b[y + 2 * bRow], s = b[y + 3 * bRow];
      c[z] += p1 * p + q1 * q + r1 * r + s1 * s;
      c[z + n] += p2 * p + q2 * q + r2 * r + s2 * s;
    }
  }
  if (l < bottom) {
    addOneRow(a, a0, aColumn, b, b0, bRow, c, c0, l, bottom, n);
    addOneRow(a, a0 + aRow, aColumn, b, b0, bRow, c, c0 + n, l, bottom, n);
  }
}

function addOneRow(a, a0, aColumn, b, b0, bRow, c, c0, top, bottom, n) {
  let l = top;
  for (; l + 3 < bottom; l += 4) {
    let x = a0 + l * aColumn, y = b0 + l * bRow;
    const p = a[x], q = a[(x += aColumn)], r = a[(x += aColumn)], s = a[(x += aColumn)];
    for (let z = c0, end = c0 + n; z < end; z++, y++) {
      c[z] += p * b[y] + q * b[y + bRow] + r * b[y + 2 * bRow] + s * b[y + 3 * bRow];
    }
  }
  for (; l < bottom; l++) {
    const p = a[a0 + l * aColumn];
    for (let z = c0, y = b0 + l * bRow, end = c0 + n; z < end; z++, y++) c[z] += p * b[y];
  }
}

// The same where the columns of b lie in one line, as in x @ weight.T: four dot products at a time.
function addDots(a, a0, aRow, aColumn, b, b0, bColumn, c, c0, m, k, n) {
  for (let i = 0; i < m; i++) {
    const z = c0 + i * n, x = a0 + i * aRow;
    let j = 0;
    for (; j + 3 < n; j += 4) {
      let p = 0, q = 0, r = 0, s = 0;
      let y1 = b0 + j * bColumn, y2 = y1 + bColumn, y3 = y2 + bColumn, y4 = y3 + bColumn;
      for (let l = 0, at = x; l < k; l++, at += aColumn) {
        const value = a[at];
        p += value * b[y1++];
        q += value * b[y2++];
        r += value * b[y3++];
        s += value * b[y4++];
      }
      c[z + j] += p;
      c[z + j + 1] += q;
      c[z + j + 2] += r;
      c[z + j + 3] += s;
    }
    for (; j < n; j++) {
      let p = 0;
      for (let l = 0, at = x, y = b0 + j * bColumn; l < k; l++, at += aColumn) p += a[at] * b[y++];
      c[z + j] += p;
    }
  }
}

// x @ y: vectors, matrices, and stacks of them. Products of float32 are added four at a time before they are rounded.
function matmul(x, y, {out} = {}) {
  let [a, b] = [asarray(x), asarray(y)];
  if (!a.shape.length || !b.shape.length) throw new TypeError("a matrix product needs axes on both sides");
  const dtype = commonDtype(a, b), isRow = a.shape.length === 1, isColumn = b.shape.length === 1;
  if (isRow) a = reshape(a, 1, -1);
  if (isColumn) b = reshape(b, -1, 1);
  const [m, k] = a.shape.slice(-2), [l, n] = b.shape.slice(-2);
  if (k !== l) throw new RangeError(`matrices of shapes [${shapeOf(x)}] and [${shapeOf(y)}] cannot be multiplied`);
  const stacked = broadcast_shapes(a.shape.slice(0, -2), b.shape.slice(0, -2));
  const whole = made([...stacked, m, n], dtype);
  if (k && whole.size) multiplyStacks(a, m < 16 || n === 1 || k === 1 ? inLine(b) : inRows(b), stacked, whole, m, k, n);
  rounded(whole);
  const shape = [...stacked, ...(isRow ? [] : [m]), ...(isColumn ? [] : [n])];
  const found = isRow || isColumn ? reshape(whole, shape) : whole;
  if (out) assign(out, found);
  return out ?? found;
}

// A matrix, or a stack, whose rows lie in one line each: of a transposed one a copy, which pays for many products.
const inRows = (b) => (b.strides[b.strides.length - 1] === 1 ? b : copy(b));

const inLine = (b) => (b.strides[b.strides.length - 2] === 1 ? b : inRows(b));

// The products of two stacks of matrices, by the loops that suit how those of b lie in memory.
function multiplyStacks(a, b, stacked, whole, m, k, n) {
  const [aRow, aColumn] = a.strides.slice(-2), [bRow, bColumn] = b.strides.slice(-2), c = whole.data;
  const [first, second] = [a, b].map((each) => {
    if (!stacked.length) return [each.offset];
    const view = broadcast_to(each, [...stacked, ...each.shape.slice(-2)]);
    return places(stacked, view.strides.slice(0, -2), view.offset);
  });
  const byDots = bRow === 1 && (bColumn !== 1 || n === 1), [p, q] = [a.data, b.data];
  for (let i = 0; i < first.length; i++) {
    const c0 = i * m * n, [a0, b0] = [first[i], second[i]];
    if (k === 1) addOuter(p, a0, aRow, q, b0, bColumn, c, c0, m, n);
    else if (byDots) addDots(p, a0, aRow, aColumn, q, b0, bColumn, c, c0, m, k, n);
    else addRows(p, a0, aRow, aColumn, q, b0, bRow, c, c0, m, k, n);
  }
}

// The product of a column with a row.
function addOuter(a, a0, aRow, b, b0, bColumn, c, c0, m, n) {
  for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) c[c0 + i * n + j] += a[a0 + i * aRow] * b[b0 + j * bColumn];
}

// The sum over the last axis of x and the last but one of y.
function dot(x, y, options = {}) {
  if (!shapeOf(x).length || !shapeOf(y).length) return multiply(x, y, options);
  if (x.shape.length <= 2 && y.shape.length <= 2) return matmul(x, y, options);
  const last = y.shape.length - 1, turned = last ? moveaxis(y, last - 1, 0) : y;
  const rows = asRows(x), columns = reshape(turned, turned.shape[0], sizeOf(turned.shape.slice(1)));
  return reshape(matmul(rows, columns), [...x.shape.slice(0, -1), ...turned.shape.slice(1)]);
}

// The matrix whose rows lie along the last axis.
const asRows = (x) => reshape(x, sizeOf(x.shape.slice(0, -1)), x.shape[x.shape.length - 1]);

// The sum over the last axes of both.
function inner(x, y) {
  if (!shapeOf(x).length || !shapeOf(y).length) return multiply(x, y);
  return reshape(matmul(asRows(x), transpose(asRows(y))), [...x.shape.slice(0, -1), ...y.shape.slice(0, -1)]);
}

function outer(x, y) {
  return multiply(reshape(x, -1, 1), reshape(y, 1, -1));
}

// -- Einstein's notation --------------------------------------------------------------------------------------

// The letters of each operand and of the result; axes that "..." stands for get numbers, counted from the last.
function einsumAxes(text, operands) {
  const [from, to] = text.replace(/\s/g, "").split("->"), texts = from.split(",");
  const axes = texts.map((part, i) => {
    const [before, after] = part.split("..."), count = operands[i].shape.length;
    if (after === undefined) return [...part];
    const hidden = count - before.length - after.length;
    return [...before, ...Array.from({length: hidden}, (_, k) => String(hidden - k)), ...after];
  });
  const found = axes.flat(), numbers = [...new Set(found.filter((c) => /\d/.test(c)))].sort((a, b) => b - a);
  if (to !== undefined) return [axes, to.split("...").flatMap((part, i) => (i ? [...numbers, ...part] : [...part]))];
  const once = [...new Set(found)].filter((c) => !/\d/.test(c) && found.indexOf(c) === found.lastIndexOf(c)).sort();
  return [axes, [...numbers, ...once]];
}

// An operand with one axis for each letter, in their order: of a letter that comes twice, the diagonal.
function lettered(x, axes, letters, sizes) {
  const steps = (c) => axes.map((d, i) => (c === d && x.shape[i] !== 1 ? x.strides[i] : 0));
  const strides = letters.map((c) => steps(c).reduce((total, step) => total + step, 0));
  return new NdArray(x.data, letters.map((c) => sizes[c]), x.dtype, strides, x.offset);
}

// Sums of products: einsum("ij,jk->ik", x, y). Of more than two operands, the first two are multiplied first.
function einsum(text, ...operands) {
  const arrays = operands.filter((x) => isArray(x) || typeof x !== "object").map((x) => asarray(x));
  const [axes, result] = einsumAxes(text, arrays), dtype = result_type(...arrays), sizes = {};
  axes.forEach((letters, i) => letters.forEach((c, k) => {
    if (!(sizes[c] > 1 || sizes[c] === 0)) sizes[c] = arrays[i].shape[k];
  }));
  while (arrays.length > 2) {
    const later = [...result, ...axes.slice(2).flat()];
    const both = [...new Set([...axes[0], ...axes[1]])].filter((c) => later.includes(c));
    const product = contracted(arrays.splice(0, 2), axes.splice(0, 2), both, sizes, dtype);
    arrays.unshift(product);
    axes.unshift(both);
  }
  return contracted(arrays, axes, result, sizes, dtype);
}

// The sum of products of one or two operands over the letters that the result has not.
function contracted(arrays, axes, result, sizes, dtype) {
  const summed = [...new Set(axes.flat())].filter((c) => !result.includes(c));
  const x = lettered(arrays[0], axes[0], [...result, ...summed], sizes);
  if (arrays.length === 1) return sum(x, {axis: summed.map((_, i) => result.length + i), dtype});
  const y = lettered(arrays[1], axes[1], [...result, ...summed], sizes), z = made(result.map((c) => sizes[c]), dtype);
  const count = result.length, steps = summed.map((_, i) => [x.strides[count + i], y.strides[count + i]]);
  const lengths = summed.map((c) => sizes[c]), [p, q] = steps.pop() ?? [0, 0], length = lengths.pop() ?? 1;
  const outside = [x, y].map((each) => places(z.shape, each.strides.slice(0, count), each.offset));
  const inside = [0, 1].map((i) => places(lengths, steps.map((each) => each[i]), 0)), a = x.data, b = y.data;
  for (let k = 0; k < z.data.length; k++) {
    let total = 0;
    for (let l = 0; l < inside[0].length; l++) {
      let i = outside[0][k] + inside[0][l], j = outside[1][k] + inside[1][l];
      for (let n = 0; n < length; n++, i += p, j += q) total += a[i] * b[j];
    }
    z.data[k] = total;
  }
  return rounded(z);
}
