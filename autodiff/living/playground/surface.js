// Optimizers that go down a surface side by side, from a start that the reader drags.

const view = {phase: 0};

const place = PLAN.optimizers[0].parameters[0]; // of the two numbers among the tensors

// One training for each optimizer, which make their steps together.
class Race {
  constructor() {
    this.trainings = PLAN.optimizers.map((_, k) => new Training(PLAN, TENSORS, SETS, PROGRAMS));
    this.trainings.forEach((each, k) => Object.assign(each, {optimizer: k, rate: PLAN.optimizers[k].rate}));
    this.start = [...TENSORS[place].data];
    this.begin();
  }

  // All optimizers are at the start, and know nothing of earlier steps.
  begin() {
    for (const each of this.trainings) {
      each.beginning = TENSORS.map((x, k) => (k === place ? nd.array(this.start, x.dtype) : x));
      each.reset(PLAN.seed);
    }
    this.ways = this.trainings.map((each) => [this.placeOf(each)]);
  }

  placeOf(training) {
    return [...training.tensors[place].data];
  }

  get count() {
    return this.trainings[0].count;
  }

  get length() {
    return this.trainings[0].length;
  }

  get isLost() {
    return this.trainings.every((each) => each.isLost);
  }

  step() {
    this.trainings.forEach((each, k) => {
      each.step();
      this.ways[k].length = each.count;
      this.ways[k].push(this.placeOf(each));
    });
  }

  goTo(count) {
    for (const each of this.trainings) each.goTo(count);
  }
}

const training = new Race();

// -- the surface ------------------------------------------------------------------------------------------------

const [[X0, X1], [Y0, Y1]] = PLAN.sets[0].domain;

const inPicture = ([x, y], side) => [((x - X0) / (X1 - X0)) * side, ((Y1 - y) / (Y1 - Y0)) * side];

const onSurface = (across, down) => [X0 + across * (X1 - X0), Y1 - down * (Y1 - Y0)];

// The loss at each place of the grid, as its logarithm above the lowest, from 0 to 1.
function heights() {
  const n = PLAN.grid, {dtype} = TENSORS[place];
  const losses = Array.from({length: n * n}, (_, i) => {
    const at = onSurface(((i % n) + 0.5) / n, (Math.floor(i / n) + 0.5) / n);
    return nd.number(PROGRAMS.value(...argumentsOf(nd.array(at, dtype)))[0]);
  });
  const known = losses.filter(Number.isFinite), low = known.reduce((a, b) => Math.min(a, b), Infinity);
  const high = known.reduce((a, b) => Math.max(a, b), -Infinity), span = high - low || 1;
  return losses.map((loss) => Math.log1p((1000 * (loss - low)) / span) / Math.log(1001));
}

// What the program of the loss takes: the place, and the Tensors that it refers to.
const argumentsOf = (at) => PLAN.programs.value.arguments.map(([kind, k]) => (kind === "x" ? at : TENSORS[k]));

const surface = heights();

const LINES = 14; // of equal loss

function paintSurface(pen, side) {
  const [paper, deep] = [inParts(ink.paper), inParts(ink.minus)];
  const colours = Array.from({length: 256}, (_, k) => packed(mixed(deep, paper, 0.35 + 0.65 * (k / 255))));
  paintMap(pen, (i) => colours[Math.round(255 * surface[i])] ?? colours[255], 0, 0, side);
  for (let k = 1; k < LINES; k++) paintBorder(pen, (i) => surface[i] - k / LINES, side, ink.soft, 0.6);
}

function paintWays(pen, side) {
  training.ways.forEach((way, k) => {
    const corners = way.slice(0, training.count + 1).filter((at) => at.every(Number.isFinite));
    pen.beginPath();
    for (const at of corners) pen.lineTo(...inPicture(at, side));
    pen.strokeStyle = ofLayer(k);
    pen.lineWidth = 2;
    pen.stroke();
    paintMark(pen, ...inPicture(corners[corners.length - 1], side), k, ofLayer(k));
  });
}

// -- what is shown ----------------------------------------------------------------------------------------------

function look() {
  const canvas = find("points"), {pen, width} = cleared(canvas), [x, y] = inPicture(training.start, width);
  paintSurface(pen, width);
  paintWays(pen, width);
  paintCross(canvas, x / width, y / width);
  const curves = training.trainings.map(({losses}, k) => ({values: losses, stroke: ofLayer(k)}));
  paintHistory(find("losses"), curves, training.count, true);
  training.trainings.forEach(({losses, count}, k) => {
    rules[k].querySelector("[data-loss]").textContent = count ? short(losses[count - 1]) : "";
  });
  tellTime([`step ${training.count}`, `start ${training.start.map(short).join(", ")}`]);
}

// -- the hand ---------------------------------------------------------------------------------------------------

const rules = [...root.querySelectorAll(".ap-rules tbody tr")];

function listenToRule(row, k) {
  const input = row.querySelector("input"), shown = row.querySelector("[data-rate-shown]");
  const show = () => { shown.textContent = short(training.trainings[k].rate); };
  row.querySelector("[data-key]").style.background = `var(--${SERIES[k % SERIES.length]})`;
  input.value = Math.log10(training.trainings[k].rate);
  input.addEventListener("input", () => {
    training.trainings[k].rate = 10 ** Number(input.value);
    show();
  });
  show();
}

const startAt = (at) => {
  training.start = at;
  training.begin();
};

function listenToSurface(canvas) {
  const move = ({offsetX, offsetY}) => startAt(onSurface(offsetX / canvas.clientWidth, offsetY / canvas.clientHeight));
  canvas.addEventListener("pointerdown", pausing((event) => {
    canvas.setPointerCapture(event.pointerId);
    move(event);
  }));
  canvas.addEventListener("pointermove", (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    move(event);
    look();
  });
  canvas.addEventListener("keydown", (event) => {
    const by = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1]}[event.key];
    if (!by) return;
    event.preventDefault();
    const [x, y] = training.start, part = event.shiftKey ? 0.005 : 0.02;
    pausing(() => startAt([x + by[0] * part * (X1 - X0), y + by[1] * part * (Y1 - Y0)]))(event);
  });
}

rules.forEach(listenToRule);
listenToSurface(find("points"));
find("reset").addEventListener("click", pausing(() => training.begin()));
for (const table of root.querySelectorAll("[data-program]")) {
  table.hidden = false;
  fillProgram(table);
}
start();
