// Convolution, pooling and fold: what autodiff computes on pictures of shape (N, C, H, W).
//
// A convolution is a product of matrices: the windows of a picture as columns, multiplied by the kernels as rows.

const pairOf = (x) => (Array.isArray(x) ? x : [x, x]);

// Padding on both sides of both axes, from a number, a pair, or pairs.
const paddingOf = (x) => pairOf(x).map((each) => pairOf(each));

// The windows of a kernel on pictures of a size: `out` says how many there are along each axis.
function windowsOn(size, kernel, {stride = [1, 1], padding = 0, dilation = [1, 1]} = {}) {
  const [steps, apart, pads] = [pairOf(stride), pairOf(dilation), paddingOf(padding)];
  const out = [0, 1].map((i) => {
    const reach = (kernel[i] - 1) * apart[i] + 1, whole = size[i] + pads[i][0] + pads[i][1];
    return Math.floor((whole - reach) / steps[i]) + 1;
  });
  return {size, kernel, stride: steps, dilation: apart, before: pads.map((pad) => pad[0]), out};
}

// The windows of a pool, whose stride is the kernel's size unless it is given.
function poolWindows(size, {stride = null, padding = 0, dilation = 1, ...options}) {
  const {kernel_size: kernelSize, ceil_mode: keepsLast = false} = options;
  const kernel = pairOf(kernelSize), steps = pairOf(stride ?? kernel), pads = pairOf(padding), apart = pairOf(dilation);
  const sides = size.map((n, i) => {
    const room = n + 2 * pads[i] - (kernel[i] - 1) * apart[i] - 1, over = keepsLast ? remainderOf(-room, steps[i]) : 0;
    return [pads[i], pads[i] + (room + over < n + pads[i] ? over : 0)];
  });
  return windowsOn(size, kernel, {stride: steps, padding: sides, dilation: apart});
}

// Where the elements of a kernel's column j lie inside the picture, for all windows of a row: the first window, how
// many there are, and the first pixel.
function insideRow({size, stride, dilation, before, out}, j) {
  const shift = j * dilation[1] - before[1], first = Math.max(0, Math.ceil(-shift / stride[1]));
  const last = Math.min(out[1] - 1, Math.floor((size[1] - 1 - shift) / stride[1]));
  return [first, Math.max(last - first + 1, 0), shift + first * stride[1]];
}

// Copy the windows of pictures of some channels, which begin at a place in the data, into columns: a row for each
// channel and element of the kernel, a column for each window. `back` adds the columns to the pictures instead.
function exchangeColumns(windows, pixels, start, channels, columns, back) {
  const {size: [height, width], kernel: [rows, wide], stride, dilation, before, out: [high, across]} = windows;
  for (let c = 0, to = 0; c < channels; c++) for (let i = 0; i < rows; i++) for (let j = 0; j < wide; j++) {
    const [first, count, left] = insideRow(windows, j), step = stride[1];
    for (let p = 0; p < high; p++, to += across) {
      const line = p * stride[0] + i * dilation[0] - before[0];
      if (line < 0 || line >= height) continue;
      let from = start + (c * height + line) * width + left;
      const end = to + first + count;
      if (back) for (let k = to + first; k < end; k++, from += step) pixels[from] += columns[k];
      else for (let k = to + first; k < end; k++, from += step) columns[k] = pixels[from];
    }
  }
}

// The sizes that convolutions need: of the groups of channels, the number of rows and columns of each product.
function convolutionSizes(weight, groups, {out}) {
  const [kernels, channels, rows, wide] = weight;
  return {each: kernels / groups, channels, depth: channels * rows * wide, count: out[0] * out[1]};
}

// y[n, k] = the sum over channels and elements of the kernel of x * weight, plus a bias.
function convolution(x, weight, bias, {groups = 1, ...options} = {}) {
  const windows = windowsOn(x.shape.slice(2), weight.shape.slice(2), options), [pictures, , height, width] = x.shape;
  const {each, channels, depth, count} = convolutionSizes(weight.shape, groups, windows);
  const y = made([pictures, weight.shape[0], ...windows.out], result_type(x, weight, bias));
  const pixels = values(x), kernels = values(weight), columns = new x.data.constructor(depth * count);
  for (let n = 0; n < pictures; n++) for (let g = 0; g < groups; g++) {
    const place = n * groups + g;
    exchangeColumns(windows, pixels, place * channels * height * width, channels, columns, false);
    addRows(kernels, g * each * depth, depth, 1, columns, 0, count, y.data, place * each * count, each, depth, count);
  }
  return withBias(y, bias);
}

// The adjoint of convolution: each element of x adds a multiple of the kernel to a picture of this size.
function transposed_convolution(x, weight, bias, {size, groups = 1, ...options}) {
  const windows = windowsOn(size, weight.shape.slice(2), options), pictures = x.shape[0];
  const {each, channels, depth, count} = convolutionSizes(weight.shape, groups, windows);
  const y = made([pictures, groups * channels, ...size], result_type(x, weight, bias));
  const from = values(x), kernels = values(weight), columns = new y.data.constructor(depth * count);
  for (let n = 0; n < pictures; n++) for (let g = 0; g < groups; g++) {
    const place = n * groups + g;
    columns.fill(0);
    addRows(kernels, g * each * depth, 1, depth, from, place * each * count, count, columns, 0, depth, each, count);
    exchangeColumns(windows, y.data, place * channels * size[0] * size[1], channels, columns, true);
  }
  return withBias(y, bias);
}

// For each element of a kernel, the sum over all windows of the pixel there times the window's element of y.
function kernel_gradient(x, y, {size, groups = 1, ...options}) {
  const windows = windowsOn(x.shape.slice(2), size, options), [pictures, allChannels, height, width] = x.shape;
  const shape = [y.shape[1], allChannels / groups, ...size];
  const {each, channels, depth, count} = convolutionSizes(shape, groups, windows);
  const weight = made(shape, result_type(x, y)), pixels = values(x), grads = values(y);
  const columns = new x.data.constructor(depth * count);
  for (let n = 0; n < pictures; n++) for (let g = 0; g < groups; g++) {
    const place = n * groups + g, [to, from] = [g * each * depth, place * each * count];
    exchangeColumns(windows, pixels, place * channels * height * width, channels, columns, false);
    addDots(grads, from, count, 1, columns, 0, count, weight.data, to, each, count, depth);
  }
  return weight;
}

const withBias = (y, bias) => (bias === 0 ? y : add(y, isArray(bias) ? reshape(bias, -1, 1, 1) : bias, {out: y}));

// Pictures from columns, which are added up where windows overlap.
function fold(x, {output_size: outputSize, kernel_size: kernelSize, ...options}) {
  const size = pairOf(outputSize), windows = windowsOn(size, pairOf(kernelSize), {padding: 0, ...options});
  const area = windows.kernel[0] * windows.kernel[1], rows = x.shape[x.shape.length - 2], channels = rows / area;
  const lead = x.shape.slice(0, -2), z = made([...lead, channels, ...size], x.dtype), count = sizeOf(x.shape.slice(-2));
  for (let n = 0; n < sizeOf(lead); n++) {
    const columns = values(x).subarray(n * count, (n + 1) * count);
    exchangeColumns(windows, z.data, n * channels * size[0] * size[1], channels, columns, true);
  }
  return rounded(z);
}

// The windows of pictures as columns.
function unfold(x, {kernel_size: kernelSize, ...options}) {
  const windows = windowsOn(x.shape.slice(-2), pairOf(kernelSize), options), lead = x.shape.slice(0, -3);
  const channels = x.shape[x.shape.length - 3], depth = channels * windows.kernel[0] * windows.kernel[1];
  const z = made([...lead, depth, windows.out[0] * windows.out[1]], x.dtype), count = sizeOf(z.shape.slice(-2));
  for (let n = 0; n < sizeOf(lead); n++) {
    const columns = z.data.subarray(n * count, (n + 1) * count);
    exchangeColumns(windows, values(x), n * sizeOf(x.shape.slice(-3)), channels, columns, false);
  }
  return z;
}

// -- pooling --------------------------------------------------------------------------------------------------

// Call f for each window with its number, over all pictures and channels, and with the places of its pixels in the
// data of dense pictures: the first `count` of `inside`.
function eachWindow({size: [height, width], kernel, stride, dilation, before, out}, planes, f) {
  const inside = new Int32Array(kernel[0] * kernel[1]);
  for (let index = 0; index < planes * out[0] * out[1]; index++) {
    const q = index % out[1], p = Math.floor(index / out[1]) % out[0], plane = Math.floor(index / (out[0] * out[1]));
    let count = 0;
    for (let i = 0; i < kernel[0]; i++) for (let j = 0; j < kernel[1]; j++) {
      const line = p * stride[0] + i * dilation[0] - before[0], column = q * stride[1] + j * dilation[1] - before[1];
      if (line < 0 || line >= height || column < 0 || column >= width) continue;
      inside[count++] = (plane * height + line) * width + column;
    }
    f(index, inside, count, p, q);
  }
}

// The places of the largest elements are moved to the front; their number is returned. Nothing equals nan, so a window
// with nan has no largest element.
function largestFirst(data, inside, count) {
  let most = -Infinity, found = 0;
  for (let k = 0; k < count; k++) most = Math.max(most, data[inside[k]]);
  for (let k = 0; k < count; k++) if (data[inside[k]] === most) inside[found++] = inside[k];
  return found;
}

// The largest element of each window.
function max_pool2d(x, options) {
  const windows = poolWindows(x.shape.slice(-2), options), lead = x.shape.slice(0, -2);
  const z = made([...lead, ...windows.out], x.dtype), from = values(x), to = z.data;
  eachWindow(windows, sizeOf(lead), (i, inside, count) => {
    let most = -Infinity;
    for (let k = 0; k < count; k++) most = Math.max(most, from[inside[k]]);
    to[i] = most;
  });
  return z;
}

// y at the largest elements of x in each window, which share it.
function to_largest(y, x, options) {
  const z = made(x.shape, result_type(y, x)), from = values(x), share = values(y), to = z.data;
  eachWindow(poolWindows(x.shape.slice(-2), options), sizeOf(x.shape.slice(0, -2)), (i, inside, count) => {
    const found = largestFirst(from, inside, count), part = found ? share[i] / found : NaN;
    for (let k = 0; k < (found || count); k++) to[inside[k]] += part;
  });
  return z;
}

// The mean of y over the largest elements of x in each window.
function at_largest(y, x, options) {
  const windows = poolWindows(x.shape.slice(-2), options), lead = x.shape.slice(0, -2);
  const z = made([...lead, ...windows.out], result_type(y, x)), from = values(x), given = values(y), to = z.data;
  eachWindow(windows, sizeOf(lead), (i, inside, count) => {
    const found = largestFirst(from, inside, count);
    for (let k = 0; k < found; k++) to[i] += given[inside[k]];
    to[i] /= found;
  });
  return z;
}

// What the sum of the window in row p and column q is divided by.
function divisorOf({size, kernel, stride}, {padding = 0, ...options}, p, q) {
  const {count_include_pad: counts = true, divisor_override: fixed = null} = options;
  if (fixed !== null) return fixed;
  const [high, wide] = [p, q].map((at, i) => {
    const pad = pairOf(padding)[i], outside = counts ? pad : 0, start = at * stride[i] - pad;
    return Math.min(start + kernel[i], size[i] + outside) - Math.max(start, -outside);
  });
  return high * wide;
}

// The mean of each window.
function avg_pool2d(x, options) {
  const windows = poolWindows(x.shape.slice(-2), options), lead = x.shape.slice(0, -2);
  const z = made([...lead, ...windows.out], asQuotient(x.dtype)), from = values(x), to = z.data;
  eachWindow(windows, sizeOf(lead), (i, inside, count, p, q) => {
    for (let k = 0; k < count; k++) to[i] += from[inside[k]];
    to[i] /= divisorOf(windows, options, p, q);
  });
  return z;
}

// Each element of y divided among the pixels of its window.
function spread_mean(y, {size, ...options}) {
  const windows = poolWindows(size, options), lead = y.shape.slice(0, -2);
  const z = made([...lead, ...size], y.dtype), from = values(y), to = z.data;
  eachWindow(windows, sizeOf(lead), (i, inside, count, p, q) => {
    const share = from[i] / divisorOf(windows, options, p, q);
    for (let k = 0; k < count; k++) to[inside[k]] += share;
  });
  return z;
}
