// What the page shows: the numbers of every neuron for the inputs that are drawn, the pictures, and the words.

const training = new Training(PLAN, TENSORS, SETS, PROGRAMS);

// The layers with their numbers, the neuron and the picture that are chosen, and what the lines show.
const view = {columns: [], prediction: null, chosen: null, example: 0, isFlowing: false, phase: 0, taken: null};

// -- numbers ----------------------------------------------------------------------------------------------------

const HIDDEN = {middle: 0, scale: 1.2}; // how numbers of neurons within become colours

const domain = () => PLAN.sets[training.set].domain;

// What the neurons are asked about: a grid in the plane, from left to right and from the top down; points of a
// line; or the picture that is chosen.
function asked() {
  const {x} = training.points, n = PLAN.grid, at = (low, high, part) => low + (high - low) * part;
  if (PLAN.input === "picture") return nd.getitem(x, {from: view.example, to: view.example + 1});
  const [[x0, x1], [y0, y1]] = domain();
  if (PLAN.input === "line") return nd.array(Array.from({length: n}, (_, i) => [at(x0, x1, i / (n - 1))]), x.dtype);
  const place = (i) => [at(x0, x1, ((i % n) + 0.5) / n), at(y1, y0, (Math.floor(i / n) + 0.5) / n)];
  return nd.array(Array.from({length: n * n}, (_, i) => place(i)), x.dtype);
}

// The inputs as a column of neurons, from -1 to 1 over what is drawn.
function inputColumn(inputs) {
  const width = rowOf(inputs), values = nd.copy(inputs);
  for (let i = 0; i < values.data.length; i++) {
    const [low, high] = domain()[i % width];
    values.data[i] = (2 * (values.data[i] - low)) / (high - low) - 1;
  }
  return {name: "input", width, values, ...HIDDEN};
}

// Compute what every neuron makes of what it is asked, and what all points are taken for, and draw it.
function look() {
  const inputs = asked(), found = training.peek("look", inputs), end = found[found.length - 1];
  const {middle, scale} = PLAN, layers = PLAN.columns.map((each, k) => ({...each, values: found[k], ...HIDDEN}));
  view.prediction = {name: "prediction", width: rowOf(end), values: end, middle, scale};
  const last = layers[layers.length - 1];
  if (last?.width === view.prediction.width) Object.assign(last, {middle, scale});
  view.columns = PLAN.input === "picture" ? layers : [inputColumn(inputs), ...layers];
  view.taken = PLAN.programs.predict ? takenFor() : null;
  draw();
}

// The class that each point is taken for.
function takenFor() {
  const {x, count} = training.points, missing = PLAN.room - count;
  const rest = nd.full([missing, ...x.shape.slice(1)], 0, x.dtype);
  const [values] = training.peek("predict", nd.concatenate([x, rest])), column = {values, width: rowOf(values)};
  return Array.from({length: count}, (_, i) => (
    PLAN.target === "class" ? classAt(column, i)[0] : Number(values.data[i] > PLAN.middle)
  ));
}

// How often points of each class, in rows, were taken for each class.
function confusion() {
  const counts = PLAN.names.map(() => PLAN.names.map(() => 0));
  view.taken.forEach((taken, i) => { counts[labelOf(training.points.y, i)][taken]++; });
  return counts;
}

// -- pictures ---------------------------------------------------------------------------------------------------

// The weights of a layer; while the lines show gradients, these, once there was a step.
function weightsOf({weight}) {
  return view.isFlowing ? training.gradientOf(weight) : training.tensors[weight];
}

const isOutput = (layer) => layer === view.columns.length - 1 && view.columns[layer].width === view.prediction.width;

function drawPoints() {
  const canvas = find("points"), [layer, k] = view.chosen ?? [-1, 0];
  if (PLAN.input === "picture") return paintGallery(canvas, training.points, view.taken, view.example);
  const column = layer < 0 ? view.prediction : view.columns[layer], isPrediction = layer < 0 || isOutput(layer);
  const paint = PLAN.input === "plane" ? paintPlane : paintFit;
  return paint(canvas, training.points, domain(), column, k, isPrediction);
}

function draw() {
  if (PLAN.columns.length) paintNetwork(find("network"), view.columns, weightsOf, view);
  drawPoints();
  if (adding.at) paintCross(find("points"), ...adding.at);
  paintHistory(find("losses"), [{values: training.losses, stroke: ink.gradient}], training.count, false);
  const sizes = training.sizes.map((values, k) => ({values, stroke: ofLayer(k)}));
  paintHistory(find("sizes"), sizes, training.count, true);
  tell();
}

// -- words ------------------------------------------------------------------------------------------------------

function tell() {
  const {count, losses, points} = training, words = [`step ${count}`];
  if (count) words.push(`loss ${short(losses[count - 1])}`);
  if (view.taken) {
    const counts = confusion(), right = counts.reduce((sum, row, k) => sum + row[k], 0);
    words.push(`right ${Math.floor((100 * right) / points.count)} %`); // 100 only where all are
    showConfusion(counts);
  }
  tellTime(words);
  find("points").ariaLabel = `The points at ${words.join(", ")}`;
}

function showConfusion(counts) {
  const head = `<tr><th scope=col>is, taken for<th scope=col>${PLAN.names.join("<th scope=col>")}</tr>`;
  const rows = counts.map((row, k) => `<tr><th scope=row>${PLAN.names[k]}<td>${row.join("<td>")}</tr>`);
  find("confusion").innerHTML = `<table class="ap-confusion">${head}${rows.join("")}</table>`;
}
