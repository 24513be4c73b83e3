// What all pictures of a training share: the theme's colours, canvases in the pixels of the screen, and maps, which
// show a number for each place by its colour.

const root = document.querySelector("[data-playground]");

const find = (name) => root.querySelector(`[data-${name}]`);

const say = (text) => { find("live").textContent = text; };

const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

const inParts = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

const mixed = (near, far, part) => near.map((x, i) => Math.round(x + (far[i] - x) * part));

// A colour as the four bytes of a pixel, from the lowest: red, green, blue, and opaque.
const packed = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

const inWords = (pixel) => `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;

const ink = {}; // the theme's colours, read again when the scheme of the page changes

// The colours of classes, and of the layers in a chart.
const CLASSES = ["minus", "plus", "fold-line", "backward-line", "operation-line", "lit", "soft", "leaf-line"];

const SERIES = ["gradient", "minus", "fold-line", "backward-line", "operation-line", "lit"];

const ofClass = (k) => ink[CLASSES[k % CLASSES.length]];

const ofLayer = (k) => ink[SERIES[k % SERIES.length]];

function readColours() {
  for (const name of [...CLASSES, ...SERIES, "paper", "ink", "line", "made", "cell-line"]) ink[name] = colour(name);
  const [zero, plus, minus] = ["paper", "plus", "minus"].map((name) => inParts(ink[name]));
  ink.shades = Uint32Array.from({length: 255}, (_, i) => {
    const part = (Math.abs(i - 127) / 127) * 0.85;
    return packed(mixed(zero, i > 127 ? plus : minus, part));
  });
}

// The colour of a number around 0; of nan that of 0.
const shade = (value) => ink.shades[127 + Math.round(127 * Math.tanh(value))] ?? ink.shades[127];

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

// A number in three digits.
function short(x) {
  const isPlain = x === 0 || (Math.abs(x) >= 0.001 && Math.abs(x) < 1e4);
  return isPlain ? String(Number(x.toPrecision(3))) : x.toExponential(1);
}

// -- maps -------------------------------------------------------------------------------------------------------

// A small canvas with a pixel for each number of a map.
function smallCanvas(columns, rows) {
  const canvas = document.createElement("canvas");
  canvas.width = columns;
  canvas.height = rows;
  const pen = canvas.getContext("2d"), image = pen.createImageData(columns, rows);
  return {canvas, pen, image, pixels: new Uint32Array(image.data.buffer)};
}

const [COLUMNS, ROWS] = PLAN.map; // of the grid in the plane, or of a picture

const small = smallCanvas(COLUMNS, ROWS);

// Paint a colour for each place of the map, as a pixel, into a box.
function paintMap(pen, colourAt, x, y, width, height = width) {
  for (let i = 0; i < small.pixels.length; i++) small.pixels[i] = colourAt(i);
  small.pen.putImageData(small.image, 0, 0);
  pen.imageSmoothingEnabled = PLAN.input !== "picture" && width > COLUMNS;
  pen.drawImage(small.canvas, x, y, width, height);
}

// What one neuron makes of the points, as numbers around 0.
function numbersOf({values, width, middle, scale}, k) {
  return (i) => (values.data[i * width + k] - middle) * scale;
}
