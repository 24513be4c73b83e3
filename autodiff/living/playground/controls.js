// The hand: what is pressed, chosen, pointed at and typed, and what the page then shows.

const find = (name) => root.querySelector(`[data-${name}]`);

const training = new Training(PLAN, TENSORS, SETS, PROGRAMS);

const view = {columns: [], prediction: null, chosen: null, isFlowing: false, phase: 0};

const reducesMotion = matchMedia("(prefers-reduced-motion: reduce)");

// -- what is shown ------------------------------------------------------------------------------------------------

const domain = () => PLAN.sets[training.set].domain;

// The points of the grid: from left to right, and in the plane from the top down.
function gridPoints() {
  const n = PLAN.grid, [[x0, x1], [y0, y1]] = domain(), {dtype} = training.points.x;
  const across = (i) => x0 + ((x1 - x0) * (i + 0.5)) / n, down = (i) => y1 - ((y1 - y0) * (i + 0.5)) / n;
  const rows = PLAN.input === "line"
    ? Array.from({length: n}, (_, i) => [x0 + ((x1 - x0) * i) / (n - 1)])
    : Array.from({length: n * n}, (_, i) => [across(i % n), down(Math.floor(i / n))]);
  return nd.array(rows, dtype);
}

// The inputs as a column of neurons: from -1 to 1 over what is drawn.
function inputColumn(grid) {
  const [width, ranges] = [grid.shape[1], domain()], values = nd.copy(grid);
  for (let i = 0; i < values.data.length; i++) {
    const [low, high] = ranges[i % width];
    values.data[i] = (2 * (values.data[i] - low)) / (high - low) - 1;
  }
  return {name: "input", width, values, middle: 0, scale: 1.2};
}

// Compute what every neuron makes of every point, and draw it all.
function look() {
  const grid = gridPoints(), found = training.call("look", grid), end = found[found.length - 1];
  const layers = PLAN.columns.map((column, k) => ({...column, values: found[k], middle: 0, scale: 1.2}));
  view.prediction = {name: "prediction", width: end.size / grid.shape[0], values: end, middle: PLAN.middle, scale: PLAN.scale};
  const last = layers[layers.length - 1];
  if (last?.width === view.prediction.width) Object.assign(last, {middle: PLAN.middle, scale: PLAN.scale});
  view.columns = [inputColumn(grid), ...layers];
  draw();
}

const weightsOf = ({weight}) => {
  if (!view.isFlowing) return training.tensors[weight];
  const place = PLAN.optimizers[training.optimizer].parameters.indexOf(weight);
  return training.gradients?.[place] ?? null;
};

function draw() {
  if (PLAN.columns.length) paintNetwork(find("network"), view.columns, weightsOf, view);
  const [layer, k] = view.chosen ?? [-1, 0], column = layer < 0 ? view.prediction : view.columns[layer];
  const paint = PLAN.input === "plane" ? paintPlane : paintFit;
  paint(find("points"), training.points, domain(), column, k, layer < 0 || isOutput(layer));
  if (adding.at) paintCross(find("points"), ...adding.at);
  paintHistory(find("losses"), [{values: training.losses, stroke: ink.gradient}], training.count, false);
  const sizes = PLAN.layers.map((_, k) => ({values: training.sizes.map((each) => each[k]), stroke: ofLayer(k)}));
  paintHistory(find("sizes"), sizes, training.count, true);
  tell();
}

const isOutput = (layer) => layer === view.columns.length - 1 && view.columns[layer].width === view.prediction.width;

const ofLayer = (k) => ink[SERIES[k % SERIES.length]];

// -- words ----------------------------------------------------------------------------------------------------------

const pace = []; // the milliseconds of the latest frames

function tell() {
  const {count, losses} = training, words = [`step ${count}`];
  if (count) words.push(`loss ${short(losses[count - 1])}`);
  const counts = PLAN.target === "number" ? null : confusion();
  if (counts) words.push(`right ${Math.round((100 * trace(counts)) / training.points.count)} %`);
  if (pace.length > 5) words.push(`${Math.round((1000 * pace.length) / pace.reduce((a, b) => a + b))} frames a second`);
  find("words").textContent = words.join(", ");
  find("history").max = Math.max(training.losses.length, 1);
  find("history").value = count;
  find("back").disabled = !count;
  if (counts) showConfusion(counts);
}

const say = (text) => { find("live").textContent = text; };

const trace = (counts) => counts.reduce((sum, row, k) => sum + row[k], 0);

// How often points of each class (rows) were taken for each class (columns).
function confusion() {
  const {x, y, count} = training.points, missing = PLAN.room - count;
  const rest = nd.zeros([Math.max(missing, 0), ...x.shape.slice(1)], x.dtype);
  const found = training.call("predict", nd.concatenate([x, rest]))[0];
  const width = found.size / PLAN.room, counts = Array.from({length: PLAN.classes}, () => new Array(PLAN.classes).fill(0));
  for (let i = 0; i < count; i++) {
    const taken = PLAN.target === "class" ? classAt({values: found, width}, i)[0] : Number(found.data[i] > PLAN.middle);
    counts[labelOf(y, i)][taken]++;
  }
  return counts;
}

function showConfusion(counts) {
  const names = PLAN.target === "sign" ? PLAN.values : counts.map((_, k) => k);
  const head = `<tr><th scope=col>is, taken for<th scope=col>${names.join("<th scope=col>")}</tr>`;
  const rows = counts.map((row, k) => `<tr><th scope=row>${names[k]}<td>${row.join("<td>")}</tr>`);
  find("confusion").innerHTML = `<table class="ap-confusion">${head}${rows.join("")}</table>`;
}

// -- time -----------------------------------------------------------------------------------------------------------

let isPlaying = false, last = 0;

function frame(time) {
  if (!isPlaying) return;
  if (last) pace.push(time - last);
  if (pace.length > 30) pace.shift();
  last = time;
  for (let k = Number(find("speed").value); k > 0; k--) training.step();
  if (!reducesMotion.matches) view.phase -= 1.5;
  look();
  requestAnimationFrame(frame);
}

function play(on) {
  isPlaying = on;
  last = pace.length = 0;
  find("play").textContent = on ? "pause" : "play";
  if (on) requestAnimationFrame(frame);
  else say(find("words").textContent);
}

// Do something while nothing plays, and show and say what came of it.
function pausing(action) {
  return (event) => {
    play(false);
    action(event);
    look();
    say(find("words").textContent);
  };
}

const reset = () => training.reset(Math.max(0, Math.floor(Number(find("seed").value)) || 0));

find("play").addEventListener("click", () => play(!isPlaying));
find("step").addEventListener("click", pausing(() => training.step()));
find("back").addEventListener("click", pausing(() => training.goTo(training.count - 1)));
find("reset").addEventListener("click", pausing(reset));
find("seed").addEventListener("change", pausing(reset));
find("history").addEventListener("input", pausing((event) => training.goTo(Number(event.target.value))));

// -- settings -------------------------------------------------------------------------------------------------------

function showRate() {
  find("rate").value = Math.log10(training.rate);
  find("rate-shown").textContent = short(training.rate);
}

// The program of the next step; beside its lines in Python those of the function that runs, from its own text.
function showProgram() {
  for (const table of root.querySelectorAll("[data-program]")) {
    table.hidden = table.dataset.program !== training.stepName;
    const {rows} = table.tBodies[0], text = PROGRAMS[table.dataset.program].toString().split("\n");
    const start = text.findIndex((line) => line.endsWith("{")) + 1;
    if (rows[0]?.cells.length === 1) [...rows].forEach((row, k) => {
      row.insertCell().appendChild(document.createElement("code")).textContent = text[start + k];
    });
  }
}

find("rate").addEventListener("input", (event) => {
  training.rate = 10 ** Number(event.target.value);
  find("rate-shown").textContent = short(training.rate);
});
find("size").addEventListener("change", (event) => {
  training.size = Number(event.target.value);
  training.order = [];
  showProgram();
});
find("optimizer")?.addEventListener("change", (event) => {
  training.optimizer = Number(event.target.value);
  training.rate = PLAN.optimizers[training.optimizer].rate;
  showRate();
  showProgram();
});
find("data")?.addEventListener("change", pausing((event) => {
  training.set = Number(event.target.value);
  reset();
  showProgram();
  if (canAdd) find("remove").hidden = !training.added;
}));

// -- points ---------------------------------------------------------------------------------------------------------

const adding = {kind: 0, at: null}; // the class of the next point, and where the keys have moved it, from 0 to 1

const canAdd = PLAN.input === "line" || PLAN.target !== "number";

// Add a point at a place of the picture, from 0 to 1 to the right and down.
function addPoint(across, down) {
  if (training.added >= PLAN.added) return say(`${PLAN.added} points were added, and there is no room for more`);
  const [[x0, x1], [y0, y1]] = domain(), x = x0 + across * (x1 - x0), y = y1 - down * (y1 - y0);
  if (PLAN.input === "line") training.addPoint([x], [y]);
  else training.addPoint([x, y], PLAN.target === "class" ? [adding.kind] : [PLAN.values[adding.kind]]);
  find("remove").hidden = false;
  look();
  return say(`a point was added, at ${short(x)} and ${short(y)}; now there are ${training.points.count}`);
}

function moveByKeys(event) {
  const by = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}[event.key];
  const [across, down] = adding.at ?? [0.5, 0.5], kept = (x) => Math.min(Math.max(x, 0.02), 0.98);
  if (event.key === "Escape") adding.at = null;
  else if (event.key === "Enter" || event.key === " ") addPoint(across, down);
  else if (by) adding.at = [kept(across + by[0] * 0.04), kept(down + by[1] * 0.04)];
  else return;
  event.preventDefault();
  draw();
}

// A button for each class, of which one is pressed.
function classButtons() {
  const names = PLAN.target === "sign" ? PLAN.values : Array.from({length: PLAN.classes}, (_, k) => k);
  const buttons = names.map((name, k) => {
    const button = document.createElement("button");
    button.textContent = name;
    button.style.borderColor = `var(--${CLASSES[k % CLASSES.length]})`;
    button.setAttribute("aria-pressed", k === 0);
    button.addEventListener("click", () => {
      adding.kind = k;
      buttons.forEach((each) => each.setAttribute("aria-pressed", each === button));
    });
    return button;
  });
  return buttons;
}

function listenToPoints(canvas) {
  const remove = document.createElement("button");
  remove.textContent = "remove added";
  remove.dataset.remove = "";
  remove.hidden = true;
  remove.addEventListener("click", pausing(() => {
    training.removeAdded();
    remove.hidden = true;
  }));
  const words = PLAN.input === "line" ? ["a click adds a point"] : ["a click adds", ...classButtons()];
  find("adding").append(...words, remove);
  canvas.addEventListener("click", (event) => addPoint(event.offsetX / canvas.clientWidth, event.offsetY / canvas.clientHeight));
  canvas.addEventListener("keydown", moveByKeys);
  canvas.addEventListener("blur", () => { adding.at = null; draw(); });
}

if (canAdd) listenToPoints(find("points"));

// -- neurons --------------------------------------------------------------------------------------------------------

function choose(neuron) {
  if (String(neuron) === String(view.chosen)) return;
  view.chosen = neuron;
  const words = neuron ? `${view.columns[neuron[0]].name}, neuron ${neuron[1] + 1} of ${view.columns[neuron[0]].width}` : "";
  find("neuron").textContent = words;
  draw();
}

function listenToNetwork(canvas) {
  const at = (event) => neuronAt(view.columns, canvas, event.offsetX, event.offsetY);
  canvas.addEventListener("pointermove", (event) => choose(at(event)));
  canvas.addEventListener("pointerdown", (event) => choose(at(event)));
  canvas.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") choose(null); });
  canvas.addEventListener("blur", () => choose(null));
  canvas.addEventListener("keydown", (event) => {
    const by = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}[event.key];
    if (event.key === "Escape") choose(null);
    if (!by) return;
    event.preventDefault();
    const [layer, k] = view.chosen ?? [-1, 0], kept = (x, count) => Math.min(Math.max(x, 0), count - 1);
    const next = kept(layer + by[0], view.columns.length);
    choose([next, kept(k + by[1], shownOf(view.columns[next]))]);
    say(find("neuron").textContent);
  });
  find("edges").addEventListener("change", (event) => {
    view.isFlowing = event.target.value === "gradients";
    draw();
  });
}

if (PLAN.columns.length) listenToNetwork(find("network"));

// -- the beginning --------------------------------------------------------------------------------------------------

function begin() {
  readColours();
  for (const element of root.querySelectorAll("[data-script]")) element.hidden = false;
  find("still").remove();
  find("legend").append(...PLAN.layers.flatMap(({name}, k) => {
    const key = document.createElement("span");
    key.className = "ap-key";
    key.style.background = `var(--${SERIES[k % SERIES.length]})`;
    return [key, name];
  }));
  showRate();
  showProgram();
  look();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); draw(); });
new ResizeObserver(() => draw()).observe(find("points"));
begin();
