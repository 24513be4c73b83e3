// The pictures of a training: what each neuron makes of the plane, the weights between them, the points, and how
// loss and gradients went. Colours are the theme's; a canvas is drawn in the pixels that it has on the screen.

const root = document.querySelector("[data-playground]");

const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

const inParts = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

// A colour as the four bytes of a pixel, from the lowest: red, green, blue, and opaque.
const packed = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

const mixed = (near, far, part) => near.map((x, i) => Math.round(x + (far[i] - x) * part));

const ink = {}; // the theme's colours, read again when the scheme of the page changes

// The colours of classes, and of the layers in a chart.
const CLASSES = ["minus", "plus", "fold-line", "backward-line", "operation-line", "lit", "soft", "leaf-line"];

const SERIES = ["gradient", "minus", "fold-line", "backward-line", "operation-line", "lit"];

function readColours() {
  for (const name of [...CLASSES, ...SERIES, "paper", "ink", "line", "made", "cell-line"]) ink[name] = colour(name);
  const [zero, plus, minus] = ["paper", "plus", "minus"].map((name) => inParts(ink[name]));
  ink.shades = Uint32Array.from({length: 255}, (_, i) => packed(mixed(zero, i > 127 ? plus : minus, (Math.abs(i - 127) / 127) * 0.85)));
}

const ofClass = (k) => ink[CLASSES[k % CLASSES.length]];

// The pen of a canvas, and the size in which it is seen.
function cleared(canvas) {
  const {clientWidth: width, clientHeight: height} = canvas, ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.lineWidth = 1;
  pen.font = "12px sans-serif";
  return {pen, width, height};
}

// -- maps -------------------------------------------------------------------------------------------------------

const small = document.createElement("canvas"); // one map, a pixel for each point
small.width = small.height = PLAN.grid;
const smallPen = small.getContext("2d"), image = smallPen.createImageData(PLAN.grid, PLAN.grid);
const pixels = new Uint32Array(image.data.buffer);

// Paint a colour for each point of the grid, as a pixel, into a square.
function paintMap(pen, colourAt, x, y, side) {
  for (let i = 0; i < pixels.length; i++) pixels[i] = colourAt(i);
  smallPen.putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = side > PLAN.grid;
  pen.drawImage(small, x, y, side, side);
}

// The colour of a number around 0; of nan that of 0.
const shade = (value) => ink.shades[127 + Math.round(127 * Math.tanh(value))] ?? ink.shades[127];

const inWords = (pixel) => `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;

// What one neuron makes of the points, as numbers around 0.
function numbersOf({values, width, middle, scale}, k) {
  return (i) => (values.data[i * width + k] - middle) * scale;
}

// The most probable class of each point, the paler the less sure it is.
function classAt({values, width}, i) {
  let best = 0, sum = 0;
  for (let k = 1; k < width; k++) if (values.data[i * width + k] > values.data[i * width + best]) best = k;
  for (let k = 0; k < width; k++) sum += Math.exp(values.data[i * width + k] - values.data[i * width + best]);
  return [best, 1 / sum];
}

// By how much a class is ahead of the best other one.
function leadOf({values, width}, i, k) {
  let other = -Infinity;
  for (let j = 0; j < width; j++) if (j !== k) other = Math.max(other, values.data[i * width + j]);
  return values.data[i * width + k] - other;
}

function paintClasses(pen, column, side) {
  const zero = inParts(ink.paper), full = CLASSES.map((name) => inParts(ink[name]));
  paintMap(pen, (i) => {
    const [best, share] = classAt(column, i);
    return packed(mixed(zero, full[best % full.length], 0.15 + 0.6 * share));
  }, 0, 0, side);
}

// The line where numbers of the grid change their sign, by marching squares.
function paintBorder(pen, numberAt, side) {
  const n = PLAN.grid, place = (i) => ((i + 0.5) / n) * side;
  pen.beginPath();
  for (let row = 0; row + 1 < n; row++) for (let column = 0; column + 1 < n; column++) {
    const corners = [[row, column], [row, column + 1], [row + 1, column + 1], [row + 1, column]], found = [];
    corners.forEach(([r, c], k) => {
      const [s, d] = corners[(k + 1) % 4], a = numberAt(r * n + c), b = numberAt(s * n + d);
      if (a > 0 !== b > 0) found.push([place(c + ((d - c) * a) / (a - b)), place(r + ((s - r) * a) / (a - b))]);
    });
    for (let k = 0; k + 1 < found.length; k += 2) {
      pen.moveTo(...found[k]);
      pen.lineTo(...found[k + 1]);
    }
  }
  pen.strokeStyle = ink.ink;
  pen.lineWidth = 1.5;
  pen.stroke();
}

// -- the network ------------------------------------------------------------------------------------------------

const MOST = 16; // neurons of a layer that are shown

const shownOf = (column) => Math.min(column.width, MOST);

// Where the neurons are, in a canvas of this size: [x, y] of each box, and the side of the boxes.
function placesOf(columns, width, height) {
  const tallest = Math.max(...columns.map(shownOf)), apart = (width - 8) / columns.length;
  const side = Math.max(8, Math.min(38, (height - 24) / tallest - 5, apart * 0.55));
  const place = (layer, k) => {
    const count = shownOf(columns[layer]), step = Math.min(64, (height - 24) / count);
    const left = columns.length > 1 ? 4 + (layer * (width - 8 - side)) / (columns.length - 1) : (width - side) / 2;
    return [left, height / 2 - side / 2 - 8 + (k - (count - 1) / 2) * step];
  };
  return {side, place};
}

// The weights into each layer, or their gradients, as lines: orange above zero, blue below.
function paintEdges(pen, columns, {side, place}, weightsOf, isFlowing, phase) {
  columns.forEach((column, layer) => {
    const weights = layer && weightsOf(column);
    if (!weights || weights.shape[1] !== columns[layer - 1].width) return;
    let most = 1e-12;
    for (const value of weights.data) most = Math.max(most, Math.abs(value));
    const scale = isFlowing ? 5 / most : Math.min(5 / most, 2.2);
    pen.setLineDash(isFlowing ? [6, 5] : []);
    pen.lineDashOffset = -phase; // lines begin at the later layer: a gradient flows back
    for (let i = 0; i < shownOf(column); i++) for (let j = 0; j < shownOf(columns[layer - 1]); j++) {
      const value = weights.data[i * weights.shape[1] + j], half = side / 2;
      const [x0, y0] = place(layer, i), [x1, y1] = place(layer - 1, j), middle = (x0 + x1 + side) / 2;
      pen.strokeStyle = value > 0 ? ink.plus : ink.minus;
      pen.lineWidth = Math.max(0.15, Math.abs(value) * scale);
      pen.globalAlpha = 0.75;
      pen.beginPath();
      pen.moveTo(x0, y0 + half);
      pen.bezierCurveTo(middle, y0 + half, middle, y1 + half, x1 + side, y1 + half);
      pen.stroke();
    }
  });
  pen.setLineDash([]);
  pen.globalAlpha = 1;
}

function paintNeuron(pen, column, k, x, y, side, isChosen) {
  pen.fillStyle = ink.paper;
  pen.fillRect(x, y, side, side);
  if (PLAN.input === "plane") paintMap(pen, (i) => shade(numbersOf(column, k)(i)), x, y, side);
  else paintCurve(pen, numbersOf(column, k), (v) => Math.tanh(v), x + 1, y + 2, side - 2, side - 4, ink.plus);
  pen.strokeStyle = isChosen ? ink.lit : ink.line;
  pen.lineWidth = isChosen ? 3 : 1;
  pen.strokeRect(x, y, side, side);
}

// A curve over the points of the line; `heightOf` makes of a number a height from -1 to 1.
function paintCurve(pen, numberAt, heightOf, x, y, width, height, stroke, thick = 1.5) {
  pen.beginPath();
  for (let i = 0; i < PLAN.grid; i++) {
    pen.lineTo(x + (width * i) / (PLAN.grid - 1), y + (height * (1 - heightOf(numberAt(i)))) / 2);
  }
  pen.strokeStyle = stroke;
  pen.lineWidth = thick;
  pen.stroke();
}

function paintNetwork(canvas, columns, weightsOf, {chosen, isFlowing, phase}) {
  const {pen, width, height} = cleared(canvas), places = placesOf(columns, width, height);
  paintEdges(pen, columns, places, weightsOf, isFlowing, phase);
  columns.forEach((column, layer) => {
    for (let k = 0; k < shownOf(column); k++) {
      paintNeuron(pen, column, k, ...places.place(layer, k), places.side, chosen?.[0] === layer && chosen[1] === k);
    }
    if (column.width > MOST) {
      pen.fillStyle = ink.soft;
      pen.textAlign = layer ? "right" : "left";
      pen.fillText(`and ${column.width - MOST} more`, places.place(layer, 0)[0] + (layer ? places.side : 0), height - 4);
    }
  });
}

// Which neuron is at a place of the canvas; null for none.
function neuronAt(columns, canvas, x, y) {
  const {side, place} = placesOf(columns, canvas.clientWidth, canvas.clientHeight);
  for (let layer = 0; layer < columns.length; layer++) for (let k = 0; k < shownOf(columns[layer]); k++) {
    const [left, top] = place(layer, k);
    if (x > left - 3 && x < left + side + 3 && y > top - 3 && y < top + side + 3) return [layer, k];
  }
  return null;
}

// -- the points -------------------------------------------------------------------------------------------------

// A mark with a shape of its own for each class, so that colours are not all that tells them apart.
function paintMark(pen, x, y, kind, fill) {
  const r = 4;
  pen.beginPath();
  if (kind % 4 === 0) pen.arc(x, y, r, 0, 7);
  else if (kind % 4 === 1) pen.rect(x - r + 0.5, y - r + 0.5, 2 * r - 1, 2 * r - 1);
  else {
    const corners = kind % 4 === 2 ? [[0, -r - 1], [r + 1, r - 1], [-r - 1, r - 1]] : [[0, -r - 1], [r + 1, 0], [0, r + 1], [-r - 1, 0]];
    corners.forEach(([a, b]) => pen.lineTo(x + a, y + b));
    pen.closePath();
  }
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = ink.paper;
  pen.lineWidth = 1.2;
  pen.stroke();
}

const labelOf = (y, i) => (PLAN.target === "class" ? y.data[i] : Number(y.data[i * (y.data.length / y.shape[0])] > PLAN.between));

function paintPlane(canvas, {x, y, count}, domain, column, k, isPrediction) {
  const {pen, width} = cleared(canvas), numberAt = numbersOf(column, k);
  if (isPrediction && PLAN.target === "class") {
    paintClasses(pen, column, width);
    for (let each = 0; each < column.width; each++) paintBorder(pen, (i) => leadOf(column, i, each), width);
  } else {
    paintMap(pen, (i) => shade(numberAt(i)), 0, 0, width);
    if (isPrediction && PLAN.target === "sign") paintBorder(pen, numberAt, width);
  }
  const [[x0, x1], [y0, y1]] = domain;
  for (let i = 0; i < count; i++) {
    const across = ((x.data[2 * i] - x0) / (x1 - x0)) * width, down = ((y1 - x.data[2 * i + 1]) / (y1 - y0)) * width;
    const isNumber = PLAN.target === "number", level = isNumber && (y.data[i] - PLAN.middle) * PLAN.scale;
    paintMark(pen, across, down, isNumber ? 0 : labelOf(y, i), isNumber ? inWords(shade(level)) : ofClass(labelOf(y, i)));
  }
}

// The points (x, y) of numbers, and the curve through them that the network has found.
function paintFit(canvas, {x, y, count}, [[x0, x1], [y0, y1]], column, k, isPrediction) {
  const {pen, width, height} = cleared(canvas), heightOf = (v) => ((v - y0) / (y1 - y0)) * 2 - 1;
  pen.fillStyle = ink.made;
  pen.fillRect(0, 0, width, height);
  for (let i = 0; i < count; i++) {
    const across = ((x.data[i] - x0) / (x1 - x0)) * width, up = (heightOf(y.data[i]) + 1) / 2;
    paintMark(pen, across, height * (1 - up), 0, ink.minus);
  }
  const raw = (i) => column.values.data[i * column.width + k];
  if (isPrediction) paintCurve(pen, raw, heightOf, 0, 0, width, height, ink.plus, 2.5);
  else paintCurve(pen, numbersOf(column, k), (v) => Math.tanh(v), 0, 0, width, height, ink.lit, 2.5);
}

// Where the keys would add a point.
function paintCross(canvas, across, down) {
  const pen = canvas.getContext("2d"), {clientWidth: width, clientHeight: height} = canvas;
  pen.strokeStyle = ink.lit;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(across * width - 8, down * height);
  pen.lineTo(across * width + 8, down * height);
  pen.moveTo(across * width, down * height - 8);
  pen.lineTo(across * width, down * height + 8);
  pen.stroke();
}

// -- over time --------------------------------------------------------------------------------------------------

// Curves over the steps; a logarithmic scale if `isLog`. `now` is the step that is shown elsewhere.
function paintHistory(canvas, curves, now, isLog) {
  const {pen, width, height} = cleared(canvas), scaled = (v) => (isLog ? Math.log10(Math.max(v, 1e-12)) : v);
  const left = 56, top = 8, across = width - left - 6, down = height - 26, steps = curves[0].values.length;
  const all = curves.flatMap(({values}) => values.map(scaled)).filter(Number.isFinite);
  const least = isLog ? Math.min(...all, 0) : Math.min(0, ...all);
  const most = Math.max(...all, least + 1e-9);
  const xOf = (step) => left + (across * (step - 1)) / Math.max(1, steps - 1), yOf = (v) => top + down * (1 - (scaled(v) - least) / (most - least));
  pen.strokeStyle = ink["cell-line"];
  pen.strokeRect(left, top, across, down);
  pen.fillStyle = ink.soft;
  pen.textAlign = "right";
  for (const [v, y] of [[most, top + 10], [least, top + down]]) pen.fillText(short(isLog ? 10 ** v : v), left - 4, y);
  pen.fillText(`step ${steps}`, width - 6, height - 4);
  const every = Math.max(1, Math.floor(steps / across));
  for (const {values, stroke} of curves) {
    pen.beginPath();
    for (let i = 0; i < values.length; i += every) if (Number.isFinite(values[i])) pen.lineTo(xOf(i + 1), yOf(values[i]));
    pen.strokeStyle = stroke;
    pen.lineWidth = 1.8;
    pen.stroke();
  }
  if (now && now < steps) {
    pen.fillStyle = ink.lit;
    pen.fillRect(xOf(now) - 0.5, top, 1, down);
  }
}

// A number in three digits.
const short = (x) => (x === 0 ? "0" : Math.abs(x) >= 0.001 && Math.abs(x) < 1e4 ? String(Number(x.toPrecision(3))) : x.toExponential(1));
