// The picture of the network: a box for each neuron, with what it makes of all inputs, and the weights as lines.

const MOST = 16; // neurons of a layer that are shown

const shownOf = ({width}) => Math.min(width, MOST);

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
function paintEdges(pen, columns, places, weightsOf, {isFlowing, phase}) {
  pen.setLineDash(isFlowing ? [6, 5] : []);
  pen.lineDashOffset = -phase; // lines begin at the later layer: a gradient flows back
  pen.globalAlpha = 0.75;
  for (let layer = 1; layer < columns.length; layer++) {
    const weights = weightsOf(columns[layer]), before = columns[layer - 1];
    if (weights?.shape[1] === before.width) paintWeights(pen, columns, places, layer, weights, isFlowing);
  }
  pen.setLineDash([]);
  pen.globalAlpha = 1;
}

function paintWeights(pen, columns, {side, place}, layer, weights, isFlowing) {
  const most = weights.data.reduce((sum, value) => Math.max(sum, Math.abs(value)), 1e-12), half = side / 2;
  const scale = isFlowing ? 5 / most : Math.min(5 / most, 2.2);
  for (let i = 0; i < shownOf(columns[layer]); i++) for (let j = 0; j < shownOf(columns[layer - 1]); j++) {
    const value = weights.data[i * weights.shape[1] + j];
    const [x0, y0] = place(layer, i), [x1, y1] = place(layer - 1, j), middle = (x0 + x1 + side) / 2;
    pen.strokeStyle = value > 0 ? ink.plus : ink.minus;
    pen.lineWidth = Math.max(0.15, Math.abs(value) * scale);
    pen.beginPath();
    pen.moveTo(x0, y0 + half);
    pen.bezierCurveTo(middle, y0 + half, middle, y1 + half, x1 + side, y1 + half);
    pen.stroke();
  }
}

function paintNeuron(pen, column, k, weights, x, y, side, isChosen) {
  const numberAt = numbersOf(column, k);
  pen.fillStyle = PLAN.input === "picture" ? inWords(shade(numberAt(0))) : ink.paper;
  pen.fillRect(x, y, side, side);
  if (PLAN.input === "plane") paintMap(pen, (i) => shade(numberAt(i)), x, y, side);
  else if (PLAN.input === "line") paintCurve(pen, numberAt, Math.tanh, x + 1, y + 2, side - 2, side - 4, ink.plus);
  else if (weights?.shape[1] === COLUMNS * ROWS) paintTemplate(pen, weights, k, x + 3, y + 3, side - 6);
  pen.strokeStyle = isChosen ? ink.lit : ink.line;
  pen.lineWidth = isChosen ? 3 : 1;
  pen.strokeRect(x, y, side, side);
}

// The weights of a neuron that sees a whole picture: which pixels speak for it, and which against it.
function paintTemplate(pen, weights, k, x, y, side) {
  const width = weights.shape[1], row = weights.data.subarray(k * width, (k + 1) * width);
  const most = row.reduce((sum, value) => Math.max(sum, Math.abs(value)), 1e-12);
  paintMap(pen, (i) => shade((1.5 * row[i]) / most), x, y, side);
}

function paintNetwork(canvas, columns, weightsOf, look) {
  const {pen, width, height} = cleared(canvas), places = placesOf(columns, width, height), {side, place} = places;
  paintEdges(pen, columns, places, weightsOf, look);
  columns.forEach((column, layer) => {
    const weights = weightsOf(column), [left] = place(layer, 0);
    for (let k = 0; k < shownOf(column); k++) {
      const isChosen = look.chosen?.[0] === layer && look.chosen[1] === k;
      paintNeuron(pen, column, k, weights, ...place(layer, k), side, isChosen);
    }
    if (column.width > MOST) {
      pen.fillStyle = ink.soft;
      pen.textAlign = layer ? "right" : "left";
      pen.fillText(`and ${column.width - MOST} more`, left + (layer ? side : 0), height - 4);
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
