// Linear algebra of small matrices, and of stacks of them. Systems are solved by elimination with pivots, as in
// LAPACK; eigenvalues and singular values are found by rotations (Jacobi), which is slower and at least as exact.
// Eigenvectors and singular vectors have no sign of their own: here the largest part of each is positive.

// Call f for each matrix of a stack with a copy of its elements by rows, and put what it returns, lists of numbers,
// into new arrays. shapes: of the results for one matrix.
function eachMatrix(x, shapes, f) {
  const whole = asarray(x), dtype = asQuotient(whole.dtype);
  const lead = whole.shape.slice(0, -2), size = sizeOf(whole.shape.slice(-2));
  const elements = Float64Array.from(values(whole)), found = shapes.map((shape) => made([...lead, ...shape], dtype));
  for (let i = 0; i < sizeOf(lead); i++) {
    const parts = f(elements.slice(i * size, (i + 1) * size), i);
    parts.forEach((part, k) => found[k].data.set(part, i * sizeOf(shapes[k])));
  }
  return found;
}

// The number of rows of a square matrix.
function sideOf(x) {
  const [rows, columns] = shapeOf(x).slice(-2);
  if (rows === columns && rows !== undefined) return rows;
  throw new RangeError(`a square matrix is needed, not the shape [${shapeOf(x)}]`);
  return rows;
}

// Elimination in place, with the largest pivot of each column: a becomes L and U, and the rows of b, which has
// `width` columns, are exchanged and eliminated alike. Returns the sign of the exchanges.
function eliminate(a, n, b = null, width = 0) {
  let parity = 1;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(a[i * n + k]) > Math.abs(a[best * n + k])) best = i;
    if (best !== k) {
      exchange(a, n, k, best);
      if (b) exchange(b, width, k, best);
      parity = -parity;
    }
    if (a[k * n + k] === 0) continue;
    for (let i = k + 1; i < n; i++) {
      const factor = a[i * n + k] / a[k * n + k];
      a[i * n + k] = factor;
      for (let j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      for (let j = 0; j < width; j++) b[i * width + j] -= factor * b[k * width + j];
    }
  }
  return parity;
}

function exchange(a, width, i, j) {
  for (let k = 0; k < width; k++) [a[i * width + k], a[j * width + k]] = [a[j * width + k], a[i * width + k]];
}

// The solution of a x = b in place of b.
function solved(a, n, b, width) {
  eliminate(a, n, b, width);
  for (let i = n - 1; i >= 0; i--) {
    if (a[i * n + i] === 0) throw new RangeError("Singular matrix");
    for (let j = 0; j < width; j++) {
      let total = b[i * width + j];
      for (let k = i + 1; k < n; k++) total -= a[i * n + k] * b[k * width + j];
      b[i * width + j] = total / a[i * n + i];
    }
  }
  return b;
}

// x in a @ x = b; b is a vector, or a stack of matrices.
function solve(a, b) {
  const n = sideOf(a), isVector = b.shape.length === 1, columns = isVector ? reshape(b, -1, 1) : b;
  const lead = broadcast_shapes(a.shape.slice(0, -2), columns.shape.slice(0, -2));
  const width = columns.shape[columns.shape.length - 1], dtype = asQuotient(result_type(a, b));
  const right = Float64Array.from(values(broadcast_to(columns, [...lead, n, width])));
  const [found] = eachMatrix(broadcast_to(asarray(a, dtype), [...lead, n, n]), [[n, width]], (matrix, i) => {
    return [solved(matrix, n, right.slice(i * n * width, (i + 1) * n * width), width)];
  });
  return isVector ? squeeze(found, -1) : found;
}

function identity(n) {
  const found = new Float64Array(n * n);
  for (let i = 0; i < n; i++) found[i * n + i] = 1;
  return found;
}

function inv(x) {
  const n = sideOf(x);
  return eachMatrix(x, [[n, n]], (a) => [solved(a, n, identity(n), n)])[0];
}

function det(x) {
  const n = sideOf(x);
  return eachMatrix(x, [[]], (a) => {
    let product = eliminate(a, n);
    for (let i = 0; i < n; i++) product *= a[i * n + i];
    return [[product]];
  })[0];
}

// [sign, logarithm of the size] of the determinant.
function slogdet(x) {
  const n = sideOf(x);
  return eachMatrix(x, [[], []], (a) => {
    let signum = eliminate(a, n), total = 0;
    for (let i = 0; i < n; i++) {
      signum *= Math.sign(a[i * n + i]);
      total += Math.log(Math.abs(a[i * n + i]));
    }
    return [[signum], [total]];
  });
}

// The lower triangular L with x = L @ L.T. Only the lower half of x is read.
function cholesky(x) {
  const n = sideOf(x);
  return eachMatrix(x, [[n, n]], (a) => {
    for (let j = 0; j < n; j++) {
      for (let i = 0; i < j; i++) a[i * n + j] = 0;
      for (let i = j; i < n; i++) {
        for (let k = 0; k < j; k++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
        if (i === j && !(a[j * n + j] > 0)) throw new RangeError("Matrix is not positive definite");
        a[i * n + j] = i === j ? Math.sqrt(a[j * n + j]) : a[i * n + j] / a[j * n + j];
      }
    }
    return [a];
  })[0];
}

// Rotations that make the columns of a, m x n, orthogonal to each other, applied to the columns of v, n x n, too
// (Hestenes, 1958).
function orthogonalized(a, m, n, v) {
  for (let turn = 0, most = 1; turn < 60 && most > 1e-16; turn++) {
    most = 0;
    for (let p = 0; p < n - 1; p++) for (let q = p + 1; q < n; q++) {
      let pp = 0, qq = 0, pq = 0;
      for (let i = 0; i < m; i++) {
        pp += a[i * n + p] * a[i * n + p];
        qq += a[i * n + q] * a[i * n + q];
        pq += a[i * n + p] * a[i * n + q];
      }
      const size = Math.sqrt(pp) * Math.sqrt(qq);
      if (Math.abs(pq) <= 1e-17 * size || size === 0) continue;
      most = Math.max(most, Math.abs(pq) / size);
      const zeta = (qq - pp) / (2 * pq), t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
      rotate(a, m, n, p, q, t);
      rotate(v, n, n, p, q, t);
    }
  }
}

// Turn two columns by the angle that has the tangent t.
function rotate(a, rows, width, p, q, t) {
  const c = 1 / Math.hypot(1, t), s = c * t;
  for (let i = 0; i < rows; i++) {
    const x = a[i * width + p], y = a[i * width + q];
    a[i * width + p] = c * x - s * y;
    a[i * width + q] = s * x + c * y;
  }
}

function transposed(a, rows, columns) {
  const found = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) found[j * rows + i] = a[i * columns + j];
  return found;
}

// The singular values of an m x n matrix from the largest, with m >= n, and the matrices of columns u and v.
function decomposed(a, m, n) {
  const v = identity(n), lengths = new Float64Array(n);
  orthogonalized(a, m, n, v);
  for (let j = 0; j < n; j++) for (let i = 0; i < m; i++) lengths[j] = Math.hypot(lengths[j], a[i * n + j]);
  const order = [...lengths.keys()].sort((i, j) => lengths[j] - lengths[i]), picked = (b, rows) => {
    const found = new Float64Array(rows * n);
    for (let i = 0; i < rows; i++) for (let j = 0; j < n; j++) found[i * n + j] = b[i * n + order[j]];
    return found;
  };
  const u = picked(a, m), w = picked(v, n), s = Float64Array.from(order, (j) => lengths[j]);
  const least = s[0] * 1e-15 * Math.max(m, n);
  for (let j = 0; j < n; j++) {
    if (s[j] > least) for (let i = 0; i < m; i++) u[i * n + j] /= s[j];
    else for (let i = 0; i < m; i++) u[i * n + j] = NaN; // any direction: see `completed`
  }
  return {u: completed(u, m, n, n), s, v: w};
}

// A matrix of `count` orthonormal columns whose first ones are given; nan stands for those that are not.
function completed(given, m, n, count) {
  const u = new Float64Array(m * count).fill(NaN);
  for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) u[i * count + j] = given[i * n + j];
  for (let j = 0, axis = 0; j < count; j++) {
    while (m && Number.isNaN(u[j]) && axis < m) {
      const column = Float64Array.from({length: m}, (_, i) => (i === axis ? 1 : 0));
      for (let repeat = 0; repeat < 2; repeat++) for (let k = 0; k < count; k++) {
        if (Number.isNaN(u[k])) continue;
        let part = 0;
        for (let i = 0; i < m; i++) part += column[i] * u[i * count + k];
        for (let i = 0; i < m; i++) column[i] -= part * u[i * count + k];
      }
      const length = Math.hypot(...column);
      axis++;
      if (length > 0.5 / Math.sqrt(m)) for (let i = 0; i < m; i++) u[i * count + j] = column[i] / length;
    }
  }
  return u;
}

// Give each column a sign: its largest part is positive, in the first matrix; the second one follows.
function signColumns(a, rows, width, b = null, others = 0) {
  for (let j = 0; j < width; j++) {
    let best = 0;
    for (let i = 0; i < rows; i++) {
      if (Math.abs(a[i * width + j]) > Math.abs(a[best * width + j]) * (1 + 1e-9)) best = i; // of equal ones, the first
    }
    if (!(a[best * width + j] < 0)) continue;
    for (let i = 0; i < rows; i++) a[i * width + j] *= -1;
    for (let i = 0; i < others; i++) b[i * width + j] *= -1;
  }
}

// [u, s, v.T] with x = u @ diag(s) @ v.T, or s alone.
function svd(x, {full_matrices = true, compute_uv = true} = {}) {
  const [m, n] = x.shape.slice(-2), k = Math.min(m, n), [rows, columns] = full_matrices ? [m, n] : [k, k];
  const shapes = [[m, rows], [k], [columns, n]];
  const found = eachMatrix(x, compute_uv ? shapes : [[k]], (a) => {
    const {u, s, v} = m < n ? decomposed(transposed(a, m, n), n, m) : decomposed(a, m, n);
    if (!compute_uv) return [s];
    signColumns(u, Math.max(m, n), k, v, k);
    const [left, right] = m < n ? [v, u] : [u, v];
    return [completed(left, m, k, rows), s, transposed(completed(right, n, k, columns), n, columns)];
  });
  return compute_uv ? found : found[0];
}

// [eigenvalues, from the least; matrix of eigenvectors] of symmetric matrices, of which one half is read.
function eigh(x, triangle = "L") {
  const n = sideOf(x);
  return eachMatrix(x, [[n], [n, n]], (a) => {
    const lower = triangle.toUpperCase() === "L", v = identity(n);
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) {
      if (lower) a[j * n + i] = a[i * n + j];
      else a[i * n + j] = a[j * n + i];
    }
    diagonalize(a, n, v);
    const order = Array.from({length: n}, (_, i) => i).sort((i, j) => a[i * n + i] - a[j * n + j]);
    const vectors = new Float64Array(n * n);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) vectors[i * n + j] = v[i * n + order[j]];
    signColumns(vectors, n, n);
    return [order.map((i) => a[i * n + i]), vectors];
  });
}

// Rotations that make a symmetric matrix diagonal, collected in v (Jacobi, 1846).
function diagonalize(a, n, v) {
  for (let turn = 0; turn < 60; turn++) {
    let off = 0, whole = 0;
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
      whole += a[i * n + j] * a[i * n + j];
      if (i !== j) off += a[i * n + j] * a[i * n + j];
    }
    if (!(off > 1e-34 * whole)) return;
    for (let p = 0; p < n - 1; p++) for (let q = p + 1; q < n; q++) {
      if (a[p * n + q] === 0) continue;
      const zeta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
      const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
      rotate(a, n, n, p, q, t);
      const rows = transposed(a, n, n);
      rotate(rows, n, n, p, q, t);
      a.set(rows); // symmetric, so its transpose is itself
      rotate(v, n, n, p, q, t);
    }
  }
}

const eigvalsh = (x, triangle = "L") => eigh(x, triangle)[0];

// The pseudoinverse: singular values up to rcond times the largest count as 0.
function pinv(x, rcond = null) {
  const [u, s, vt] = svd(x, {full_matrices: false}), [m, n] = x.shape.slice(-2);
  const share = rcond ?? Math.max(m, n) * (x.dtype === "float32" ? 2 ** -23 : 2 ** -52);
  const least = multiply(max(s, {axis: -1, keepdims: true, initial: 0}), share), large = greater(s, least);
  const inverse = multiply(divide(1, where(large, s, 1)), large);
  return matmul(swapaxes(vt, -1, -2), multiply(expand_dims(inverse, -1), swapaxes(u, -1, -2)));
}

// [q, r] with x = q @ r, by reflections (Householder), as in LAPACK: the diagonal of r may be negative.
function qr(x) {
  const [m, n] = x.shape.slice(-2), k = Math.min(m, n);
  return eachMatrix(x, [[m, k], [k, n]], (a) => {
    const q = identity(m);
    for (let j = 0; j < Math.min(k, m - 1); j++) {
      const column = Float64Array.from({length: m - j}, (_, i) => a[(i + j) * n + j]), length = Math.hypot(...column);
      if (column.slice(1).every((part) => part === 0)) continue;
      column[0] += column[0] < 0 ? -length : length;
      const lengthSquared = column.reduce((total, part) => total + part * part, 0);
      reflect(a, n, j, column, lengthSquared);
      reflect(q, m, j, column, lengthSquared);
    }
    const r = new Float64Array(k * n), left = new Float64Array(m * k);
    for (let i = 0; i < k; i++) for (let j = i; j < n; j++) r[i * n + j] = a[i * n + j];
    for (let i = 0; i < m; i++) for (let j = 0; j < k; j++) left[i * k + j] = q[j * m + i];
    return [left, r];
  });
}

// Reflect the rows of a matrix from `first` on at a vector.
function reflect(a, width, first, vector, lengthSquared) {
  for (let j = 0; j < width; j++) {
    let part = 0;
    for (let i = 0; i < vector.length; i++) part += vector[i] * a[(i + first) * width + j];
    part *= 2 / lengthSquared;
    for (let i = 0; i < vector.length; i++) a[(i + first) * width + j] -= part * vector[i];
  }
}
