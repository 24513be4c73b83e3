// A name under the hand: what the network says comes next, where its heads look, and the gradient at each letter.

const root = document.querySelector(".names"), one = (name) => root.querySelector(name), all = (name) => [...root.querySelectorAll(name)];
const CONTEXT = 16, CHARACTERS = 27, WIDTH = 16, END = 26, SIGNS = [..."abcdefghijklmnopqrstuvwxyz", "\u00b7"];
const state = {chosen: null, writes: false};
const field = one(".text"), heat = one(".heat");

// -- what the network says ------------------------------------------------------------------------------------------

const codesOf = (text) => [END, ...[...text].map((letter) => SIGNS.indexOf(letter))];

// The probabilities of what comes next, the gradient of the score of one, and the shares of each head.
function read(codes, chosen) {
  const zeros = (...shape) => new nd.NdArray(new Float32Array(shape.reduce((x, y) => x * y)), shape, "float32");
  const moved = zeros(CONTEXT, WIDTH), written = zeros(CONTEXT, CHARACTERS), now = zeros(CONTEXT), asked = zeros(CHARACTERS);
  codes.forEach((code, place) => (written.data[place * CHARACTERS + code] = 1));
  now.data[codes.length - 1] = 1;
  asked.data[chosen] = 1;
  const results = program(moved, written, now, asked, ...WEIGHTS);
  return {sure: results[FACTS.sure].data, gradient: results[FACTS.gradient].data, shares: results[FACTS.shares].data};
}

const largest = (numbers) => numbers.indexOf(Math.max(...numbers));

// -- what the reader sees ---------------------------------------------------------------------------------------------

function made(name, attributes = {}, text = "") {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

function row(kind, title, cells) {
  const line = made("tr", {class: kind});
  line.append(made("th", {scope: "row"}, title), ...cells);
  return line;
}

const mixed = (colour, part) => `color-mix(in srgb, var(${colour}) ${Math.round(100 * part)}%, var(--ground))`;

function show() {
  const codes = codesOf(field.value), {sure} = read(codes, 0), chosen = state.chosen ?? largest(sure);
  const {gradient, shares} = read(codes, chosen), places = codes.map((_, place) => place);
  const at = (place, k) => gradient[place * WIDTH + k];
  const sizes = places.map((place) => Math.hypot(...gradient.slice(place * WIDTH, (place + 1) * WIDTH)));
  const most = Math.max(...sizes, 1e-9), deepest = Math.max(...gradient.map(Math.abs), 1e-9);
  const bar = (size) => {
    const cell = made("td", {title: size.toPrecision(3)}), fill = made("i");
    fill.style.height = `${(64 * size) / most}px`;
    cell.append(fill);
    return cell;
  };
  const shade = (kind, colour, part, text) => {
    const cell = made("td", {class: kind, title: text});
    cell.style.background = mixed(colour, part);
    return cell;
  };
  one("tbody").replaceChildren(
    row("size", "size of the gradient", sizes.map(bar)),
    row("read", "read", codes.map((code) => made("td", {}, SIGNS[code]))),
    ...Array.from({length: WIDTH}, (_, k) => row("number", k ? "" : "its 16 numbers", places.map((place) => {
      const value = at(place, k);
      return shade("cell", value < 0 ? "--minus" : "--plus", Math.abs(value) / deepest, value.toPrecision(3));
    }))),
    ...[0, 1, 2, 3].map((head) => row("looks", `head ${head + 1} looks at`, places.map((place) => {
      const share = shares[head * CONTEXT + place];
      return shade("head", "--ink", share, `${Math.round(100 * share)} %`);
    }))),
  );
  all(".bars button").forEach((button, k) => {
    button.querySelector("i").style.width = `${100 * sure[k]}%`;
    button.querySelector("output").textContent = (100 * sure[k]).toFixed(1);
    button.classList.toggle("lit", k === chosen);
    button.setAttribute("aria-pressed", String(k === state.chosen));
  });
  return {sure, chosen};
}

function say() {
  const {sure, chosen} = show(), what = chosen === END ? "the end" : SIGNS[chosen];
  one(".said").textContent = `After ${field.value || "the beginning"}: ${what}, ${(100 * sure[chosen]).toFixed(0)} %.`;
}

// -- the hand -----------------------------------------------------------------------------------------------------------

// Draw the next character with the probabilities at a temperature. Returns whether the name goes on.
function writeLetter() {
  const {sure} = read(codesOf(field.value), 0), parts = [...sure].map((p) => p ** (1 / Number(heat.value)));
  let left = Math.random() * parts.reduce((x, y) => x + y), code = 0;
  while (code < END && (left -= parts[code]) > 0) code++;
  state.chosen = null;
  if (code === END && field.value) return false;
  if (code < END) field.value += SIGNS[code];
  show();
  return field.value.length < CONTEXT - 1;
}

function writeName() {
  state.writes = true;
  field.value = "";
  const next = () => {
    if (state.writes && writeLetter()) setTimeout(next, 350);
    else say();
  };
  next();
}

one(".bars").append(...SIGNS.map((sign, k) => {
  const button = made("button", {type: "button"});
  button.append(made("b", {}, k === END ? "end" : sign), made("i"), made("output"));
  button.addEventListener("click", () => {
    state.chosen = state.chosen === k ? null : k;
    say();
  });
  return button;
}));
field.addEventListener("input", () => {
  field.value = field.value.toLowerCase().replace(/[^a-z]/g, "");
  Object.assign(state, {chosen: null, writes: false});
  say();
});
heat.addEventListener("input", () => (heat.nextElementSibling.textContent = heat.value));
one(".letter").addEventListener("click", () => {
  state.writes = false;
  writeLetter();
  say();
});
one(".name").addEventListener("click", writeName);
say();
