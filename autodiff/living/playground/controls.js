// The hand: what is chosen, pointed at and typed.

const ARROWS = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};

const kept = (x, low, high) => Math.min(Math.max(x, low), high);

// -- settings -------------------------------------------------------------------------------------------------------

const reset = () => training.reset(Math.max(0, Math.floor(Number(find("seed").value)) || 0));

find("reset").addEventListener("click", pausing(reset));
find("seed").addEventListener("change", pausing(reset));

function showRate() {
  find("rate").value = Math.log10(training.rate);
  find("rate-shown").textContent = short(training.rate);
}

// The program of the next step.
function showProgram() {
  for (const table of root.querySelectorAll("[data-program]")) {
    table.hidden = table.dataset.program !== training.stepName;
    if (!table.hidden) fillProgram(table);
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

const canAdd = PLAN.input === "line" || (PLAN.input === "plane" && PLAN.target !== "number");

const label = () => (PLAN.target === "class" ? adding.kind : PLAN.values[adding.kind]);

// Add a point at a place of the picture, from 0 to 1 to the right and down.
function addPoint(across, down) {
  if (training.added >= PLAN.added) return say(`${PLAN.added} points were added, and there is no room for more`);
  const [[x0, x1], [y0, y1]] = domain(), x = x0 + across * (x1 - x0), y = y1 - down * (y1 - y0);
  training.addPoint(PLAN.input === "line" ? [x] : [x, y], [PLAN.target === "number" ? y : label()]);
  find("remove").hidden = false;
  look();
  return say(`a point was added, at ${short(x)} and ${short(y)}; now there are ${training.points.count}`);
}

function moveByKeys(event) {
  const by = ARROWS[event.key], [across, down] = adding.at ?? [0.5, 0.5];
  const moved = (x, steps) => kept(x + 0.04 * steps, 0.02, 0.98);
  if (event.key === "Escape") adding.at = null;
  else if (event.key === "Enter" || event.key === " ") addPoint(across, down);
  else if (by) adding.at = [moved(across, by[0]), moved(down, by[1])];
  else return;
  event.preventDefault();
  draw();
}

// A button for each class, of which one is pressed.
function classButtons() {
  const buttons = PLAN.names.map((name, k) => {
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
  const words = PLAN.target === "number" ? ["a click adds a point"] : ["a click adds", ...classButtons()];
  find("adding").append(...words, remove);
  canvas.addEventListener("click", ({offsetX, offsetY}) => {
    addPoint(offsetX / canvas.clientWidth, offsetY / canvas.clientHeight);
  });
  canvas.addEventListener("keydown", moveByKeys);
  canvas.addEventListener("blur", () => { adding.at = null; draw(); });
}

if (canAdd) listenToPoints(find("points"));

// -- pictures ---------------------------------------------------------------------------------------------------

function chooseExample(i) {
  view.example = kept(i, 0, pictureCount(training.points.count) - 1);
  look();
  const {y} = training.points, taken = view.taken?.[view.example], name = (k) => PLAN.names[k];
  find("adding").textContent = `picture ${view.example + 1}`
    + (view.taken ? `: it is ${name(labelOf(y, view.example))}, and taken for ${name(taken)}` : "");
}

function listenToGallery(canvas) {
  canvas.addEventListener("click", ({offsetX, offsetY}) => {
    const side = canvas.clientWidth / SHOWN;
    chooseExample(Math.floor(offsetX / side) + SHOWN * Math.floor(offsetY / side));
  });
  canvas.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    chooseExample(view.example + by[0] + SHOWN * by[1]);
    say(find("adding").textContent);
  });
}

if (PLAN.input === "picture") listenToGallery(find("points"));

// -- neurons --------------------------------------------------------------------------------------------------------

function choose(neuron) {
  if (String(neuron) === String(view.chosen)) return;
  view.chosen = neuron;
  const {name, width} = view.columns[neuron?.[0] ?? 0] ?? {};
  find("neuron").textContent = neuron ? `${name}, neuron ${neuron[1] + 1} of ${width}` : "";
  draw();
}

function listenToNetwork(canvas) {
  const at = (event) => neuronAt(view.columns, canvas, event.offsetX, event.offsetY);
  canvas.addEventListener("pointermove", (event) => choose(at(event)));
  canvas.addEventListener("pointerdown", (event) => choose(at(event)));
  canvas.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") choose(null); });
  canvas.addEventListener("blur", () => choose(null));
  canvas.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (event.key === "Escape") choose(null);
    if (!by) return;
    event.preventDefault();
    const [layer, k] = view.chosen ?? [-1, 0], next = kept(layer + by[0], 0, view.columns.length - 1);
    choose([next, kept(k + by[1], 0, shownOf(view.columns[next]) - 1)]);
    say(find("neuron").textContent);
  });
  find("edges").addEventListener("change", (event) => {
    view.isFlowing = event.target.value === "gradients";
    draw();
  });
}

if (PLAN.columns.length) listenToNetwork(find("network"));

find("legend").append(...PLAN.layers.flatMap(({name}, k) => {
  const key = document.createElement("span");
  key.className = "ap-key";
  key.style.background = `var(--${SERIES[k % SERIES.length]})`;
  return [key, name];
}));
showRate();
showProgram();
start();
