// The picture of the data: points in the plane with the border between classes, a curve through points, or pictures
// with the class that each is taken for.

// The class of a point: what the target says, or on which side of the middle it lies.
const labelOf = (y, i) => (PLAN.target === "class" ? y.data[i] : Number(y.data[i] > PLAN.between));

// A mark with a shape of its own for each class, so that colours are not all that tells them apart.
const MARKS = [
  (pen, x, y) => pen.arc(x, y, 4, 0, 7),
  (pen, x, y) => pen.rect(x - 3.5, y - 3.5, 7, 7),
  (pen, x, y) => paintPolygon(pen, [[x, y - 5], [x + 5, y + 3], [x - 5, y + 3]]),
  (pen, x, y) => paintPolygon(pen, [[x, y - 5], [x + 5, y], [x, y + 5], [x - 5, y]]),
];

function paintPolygon(pen, corners) {
  for (const corner of corners) pen.lineTo(...corner);
  pen.closePath();
}

function paintMark(pen, x, y, kind, fill) {
  pen.beginPath();
  MARKS[kind % MARKS.length](pen, x, y);
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = ink.paper;
  pen.lineWidth = 1.2;
  pen.stroke();
}

// -- the plane --------------------------------------------------------------------------------------------------

// How probable a class of a point is: the softmax of its scores.
function shareOf({values, width}, i, k) {
  let sum = 0;
  for (let j = 0; j < width; j++) sum += Math.exp(values.data[i * width + j] - values.data[i * width + k]);
  return 1 / sum;
}

// The most probable class of a point, and how probable it is.
function classAt({values, width}, i) {
  let best = 0;
  for (let k = 1; k < width; k++) if (values.data[i * width + k] > values.data[i * width + best]) best = k;
  return [best, shareOf({values, width}, i, best)];
}

// By how much a class is ahead of the best other one.
function leadOf({values, width}, i, k) {
  let other = -Infinity;
  for (let j = 0; j < width; j++) if (j !== k) other = Math.max(other, values.data[i * width + j]);
  return values.data[i * width + k] - other;
}

// The colour of the class at each place, the paler the less sure it is, and the borders between them.
function paintClasses(pen, column, side) {
  const zero = inParts(ink.paper), full = CLASSES.map((name) => inParts(ink[name]));
  paintMap(pen, (i) => {
    const [best, share] = classAt(column, i);
    return packed(mixed(zero, full[best % full.length], 0.15 + 0.6 * share));
  }, 0, 0, side);
  for (let k = 0; k < column.width; k++) paintBorder(pen, (i) => leadOf(column, i, k), side);
}

// The line where numbers of the grid change their sign, by marching squares.
function paintBorder(pen, numberAt, side, stroke = ink.ink, thick = 1.5) {
  const n = PLAN.grid, place = (i) => ((i + 0.5) / n) * side;
  pen.beginPath();
  for (let row = 0; row + 1 < n; row++) for (let column = 0; column + 1 < n; column++) {
    const corners = [[row, column], [row, column + 1], [row + 1, column + 1], [row + 1, column]], found = [];
    corners.forEach(([r, c], k) => {
      const [s, d] = corners[(k + 1) % 4], a = numberAt(r * n + c), b = numberAt(s * n + d), part = a / (a - b);
      if (a > 0 !== b > 0) found.push([place(c + (d - c) * part), place(r + (s - r) * part)]);
    });
    for (let k = 0; k + 1 < found.length; k += 2) {
      pen.moveTo(...found[k]);
      pen.lineTo(...found[k + 1]);
    }
  }
  pen.strokeStyle = stroke;
  pen.lineWidth = thick;
  pen.stroke();
}

function paintPlane(canvas, {x, y, count}, [[x0, x1], [y0, y1]], column, k, isPrediction) {
  const {pen, width} = cleared(canvas), numberAt = numbersOf(column, k);
  if (isPrediction && PLAN.target === "class") paintClasses(pen, column, width);
  else paintMap(pen, (i) => shade(numberAt(i)), 0, 0, width);
  if (isPrediction && PLAN.target === "sign") paintBorder(pen, numberAt, width);
  for (let i = 0; i < count; i++) {
    const across = ((x.data[2 * i] - x0) / (x1 - x0)) * width, down = ((y1 - x.data[2 * i + 1]) / (y1 - y0)) * width;
    if (PLAN.target !== "number") paintMark(pen, across, down, labelOf(y, i), ofClass(labelOf(y, i)));
    else paintMark(pen, across, down, 0, inWords(shade((y.data[i * rowOf(y)] - PLAN.middle) * PLAN.scale)));
  }
}

// How many numbers a row has.
const rowOf = ({size, shape}) => size / shape[0];

// Where the keys would add a point.
function paintCross(canvas, across, down) {
  const pen = canvas.getContext("2d"), x = across * canvas.clientWidth, y = down * canvas.clientHeight;
  pen.strokeStyle = ink.lit;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(x - 8, y);
  pen.lineTo(x + 8, y);
  pen.moveTo(x, y - 8);
  pen.lineTo(x, y + 8);
  pen.stroke();
}

// -- the line ---------------------------------------------------------------------------------------------------

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

// What the network says at each place of the line, as one curve or more: numbers; of logits of two classes, how far
// they are from the one to the other; of several classes how probable each is, over the whole height.
function curvesOf({values, width}, k, [low, high]) {
  const at = (i) => values.data[i * width + k];
  if (PLAN.target === "number") return [at];
  if (PLAN.target === "sign") {
    const [first, second] = PLAN.values, isLogit = PLAN.middle !== PLAN.between;
    return [isLogit ? (i) => first + (second - first) / (1 + Math.exp(-at(i))) : at];
  }
  return PLAN.names.map((_, each) => (i) => low + (high - low) * shareOf({values, width}, i, each));
}

// The points (x, y) of numbers, and the curve through them that the network has found.
function paintFit(canvas, {x, y, count}, [[x0, x1], [y0, y1]], column, k, isPrediction) {
  const {pen, width, height} = cleared(canvas), heightOf = (v) => ((v - y0) / (y1 - y0)) * 2 - 1;
  pen.fillStyle = ink.made;
  pen.fillRect(0, 0, width, height);
  for (let i = 0; i < count; i++) {
    const up = (heightOf(y.data[i * rowOf(y)]) + 1) / 2, kind = PLAN.target === "number" ? 0 : labelOf(y, i);
    paintMark(pen, ((x.data[i] - x0) / (x1 - x0)) * width, height * (1 - up), kind, ofClass(kind));
  }
  const curves = isPrediction ? curvesOf(column, k, [y0, y1]) : [numbersOf(column, k)];
  curves.forEach((numberAt, each) => {
    const stroke = curves.length > 1 ? ofClass(each) : isPrediction ? ink.plus : ink.lit;
    paintCurve(pen, numberAt, isPrediction ? heightOf : Math.tanh, 0, 0, width, height, stroke, 2.5);
  });
}

// -- pictures ---------------------------------------------------------------------------------------------------

const SHOWN = 8; // pictures in a row, and rows of them

const pictureCount = (count) => Math.min(count, SHOWN * SHOWN);

// One picture of an array of them, from black to white.
function paintPicture(pen, x, i, left, top, side) {
  const [[low, high]] = domain(), size = rowOf(x), area = COLUMNS * ROWS;
  const level = (at) => Math.round(255 * Math.min(Math.max((x.data[at] - low) / (high - low), 0), 1));
  const isColoured = size === 3 * area;
  paintMap(pen, (at) => {
    const red = level(i * size + at);
    return packed(isColoured ? [red, level(i * size + area + at), level(i * size + 2 * area + at)] : [red, red, red]);
  }, left, top, side);
}

// The first pictures, each with the class that it is taken for; a frame marks those that are taken for a wrong one.
function paintGallery(canvas, {x, y, count}, takenFor, chosen) {
  const {pen, width} = cleared(canvas), side = width / SHOWN;
  for (let i = 0; i < pictureCount(count); i++) {
    const left = (i % SHOWN) * side, top = Math.floor(i / SHOWN) * side;
    paintPicture(pen, x, i, left + 2, top + 2, side - 4);
    const taken = takenFor?.[i];
    if (i === chosen) paintFrame(pen, left + 2, top + 2, side - 4, ink.ink, 2);
    else if (takenFor && taken !== labelOf(y, i)) paintFrame(pen, left + 3, top + 3, side - 6, ink.lit, 3);
    if (takenFor) paintLabel(pen, PLAN.names[taken], left + side - 4, top + side - 4);
  }
}

function paintFrame(pen, left, top, side, stroke, thick) {
  pen.strokeStyle = stroke;
  pen.lineWidth = thick;
  pen.strokeRect(left, top, side, side);
}

function paintLabel(pen, text, right, bottom) {
  const wide = pen.measureText(text).width + 6;
  pen.fillStyle = ink.paper;
  pen.fillRect(right - wide, bottom - 15, wide, 15);
  pen.fillStyle = ink.ink;
  pen.textAlign = "right";
  pen.fillText(text, right - 3, bottom - 3);
}
