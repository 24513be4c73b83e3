// A digit under the hand: at each stroke the picture is brought to the size of the training's, the program computes how
// sure the network is of each digit, and the gradient of one score in every pixel.

const root = document.querySelector(".digits"), one = (name) => root.querySelector(name), all = (name) => [...root.querySelectorAll(name)];
const SIZE = FACTS.size, AREA = SIZE * SIZE, WIDE = 280;
const pad = one(".pad"), pen = pad.getContext("2d", {willReadFrequently: true});
const strokes = newCanvas(WIDE), ink = strokes.getContext("2d", {willReadFrequently: true}); // what was drawn, alone
const small = newCanvas(SIZE), tiny = small.getContext("2d", {willReadFrequently: true});
const state = {picture: new Float32Array(AREA), chosen: null, last: null, pushes: false, sure: null, gradient: null};

function newCanvas(side) {
  const made = document.createElement("canvas");
  made.width = made.height = side;
  return made;
}

// -- what the network sees -----------------------------------------------------------------------------------------

// The drawing as the data set has it: in a box of five sevenths of the size, its centre of mass in the middle.
function seen() {
  const {data} = ink.getImageData(0, 0, WIDE, WIDE), found = new Float32Array(AREA);
  let [left, right, top, bottom, mass, x, y] = [WIDE, -1, WIDE, -1, 0, 0, 0];
  for (let row = 0; row < WIDE; row++) {
    for (let column = 0; column < WIDE; column++) {
      const value = data[4 * (row * WIDE + column) + 3];
      if (value <= 20) continue;
      [left, right, top, bottom] = [Math.min(left, column), Math.max(right, column), Math.min(top, row), Math.max(bottom, row)];
      mass += value;
      x += value * column;
      y += value * row;
    }
  }
  if (!mass) return found;
  const scale = ((5 / 7) * SIZE) / Math.max(right - left + 1, bottom - top + 1, 60);
  tiny.clearRect(0, 0, SIZE, SIZE);
  tiny.imageSmoothingQuality = "high";
  tiny.setTransform(scale, 0, 0, scale, SIZE / 2 - (scale * x) / mass, SIZE / 2 - (scale * y) / mass);
  tiny.drawImage(strokes, 0, 0);
  tiny.resetTransform();
  const pixels = tiny.getImageData(0, 0, SIZE, SIZE).data;
  for (let i = 0; i < AREA; i++) found[i] = Math.min(1, (1.15 * pixels[4 * i + 3]) / 255);
  return found;
}

// Run the program: how sure the network is of each digit, and the gradient of the score of one.
function read() {
  const run = (k) => {
    const picture = new nd.NdArray(state.picture, [1, 1, SIZE, SIZE], "float32");
    const target = new nd.NdArray(Float32Array.from({length: 10}, (_, i) => Number(i === k)), [10], "float32");
    const results = program(picture, target, ...WEIGHTS);
    return [results[FACTS.places.sure].data, results[FACTS.places.gradient].data];
  };
  if (state.chosen === null) state.sure = run(0)[0];
  [state.sure, state.gradient] = run(asked());
}

const best = () => state.sure.indexOf(Math.max(...state.sure));
const asked = () => state.chosen ?? best();

// -- what the reader sees --------------------------------------------------------------------------------------------

function colour(name) {
  const text = getComputedStyle(root).getPropertyValue(name).trim();
  return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
}

function show() {
  read();
  const [paper, dark, plus, minus] = ["--ground", "--ink", "--plus", "--minus"].map(colour), image = tiny.createImageData(SIZE, SIZE);
  const most = state.gradient.reduce((found, x) => Math.max(found, Math.abs(x)), 1e-9), shades = one(".shade").checked;
  for (let i = 0; i < AREA; i++) {
    const part = state.gradient[i] / most, over = part > 0 ? plus : minus, depth = shades ? 0.75 * Math.abs(part) ** 0.7 : 0;
    for (let c = 0; c < 3; c++) {
      const base = paper[c] + (dark[c] - paper[c]) * state.picture[i] * (shades ? 0.8 : 1);
      image.data[4 * i + c] = base + (over[c] - base) * depth;
    }
    image.data[4 * i + 3] = 255;
  }
  tiny.putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(small, 0, 0, WIDE, WIDE);
  all(".bars button").forEach((button, k) => {
    button.querySelector("i").style.width = `${100 * state.sure[k]}%`;
    button.querySelector("output").textContent = (100 * state.sure[k]).toFixed(1);
    button.classList.toggle("lit", k === asked());
    button.setAttribute("aria-pressed", String(k === state.chosen));
  });
  one(".k").textContent = asked();
}

const say = () => (one(".said").textContent = `The network takes it for ${best()}, and is ${(100 * state.sure[best()]).toFixed(0)} % sure.`);

// -- the hand ----------------------------------------------------------------------------------------------------------

function begin(picture = new Float32Array(AREA)) {
  ink.clearRect(0, 0, WIDE, WIDE);
  Object.assign(state, {picture, chosen: null, last: null});
  show();
}

function stroke(event) {
  const frame = pad.getBoundingClientRect(), to = [event.clientX - frame.left, event.clientY - frame.top].map((x) => (x * WIDE) / frame.width);
  const [x, y] = state.last ?? to;
  ink.lineWidth = 22;
  ink.lineCap = ink.lineJoin = "round";
  ink.beginPath();
  ink.moveTo(x, y);
  ink.lineTo(to[0], to[1] + 0.01);
  ink.stroke();
  state.last = to;
}

pad.addEventListener("pointerdown", (event) => {
  pad.setPointerCapture(event.pointerId);
  Object.assign(state, {last: null, chosen: null});
  stroke(event);
  state.picture = seen();
  show();
});
pad.addEventListener("pointermove", (event) => {
  if (!state.last) return;
  for (const each of event.getCoalescedEvents?.() ?? [event]) stroke(each);
  state.picture = seen();
  show();
});
for (const name of ["pointerup", "pointercancel"]) {
  pad.addEventListener(name, () => {
    state.last = null;
    say();
  });
}
one(".clear").addEventListener("click", () => begin());
one(".shade").addEventListener("change", show);
all(".example").forEach((button, i) => button.addEventListener("click", () => {
  begin(EXAMPLES[i].data);
  say();
}));
all(".bars button").forEach((button, k) => button.addEventListener("click", () => {
  state.chosen = state.chosen === k ? null : k;
  show();
}));

// Walk along the gradient of the chosen score while the button is held: a 3 becomes an 8.
function push() {
  if (!state.pushes) return;
  const most = state.gradient.reduce((found, x) => Math.max(found, Math.abs(x)), 1e-9);
  state.picture = state.picture.map((x, i) => Math.max(0, Math.min(1, x + (0.04 * state.gradient[i]) / most)));
  show();
  requestAnimationFrame(push);
}
function hold() {
  if (state.pushes) return;
  state.chosen ??= 8;
  state.pushes = true;
  show();
  push();
}
function release() {
  if (state.pushes) say();
  state.pushes = false;
}
const toward = one(".toward"), isHeld = (event) => event.key === " " || event.key === "Enter";
toward.addEventListener("pointerdown", hold);
for (const name of ["pointerup", "pointerleave", "pointercancel", "blur"]) toward.addEventListener(name, release);
toward.addEventListener("keydown", (event) => isHeld(event) && (event.preventDefault(), hold()));
toward.addEventListener("keyup", (event) => isHeld(event) && release());

begin(EXAMPLES[0].data);
say();
