// A graph under the hand: all of its numbers come from one program, which runs again at each change.

const root = document.getElementById(GRAPH.id);
const find = (selector, within = root) => within.querySelector(selector);
const findAll = (selector, within = root) => [...within.querySelectorAll(selector)];

const pictures = findAll(".al-picture > svg"); // of the graph, from closed boxes to open ones
let level = GRAPH.start; // of the picture that is seen
const first = GRAPH.inputs.map((input) => input.value);
const numbers = [...first]; // those that the reader moves
const last = GRAPH.nodes.length - 1;
let now; // all numbers of the graph, as lists of elements
let lit = -1; // the node that is looked at
let isWaiting = false; // for the next frame
let saying; // the timer of what is read aloud

// What shows a node, in all pictures: their groups, and the texts and cells of the numbers in them.
const boxes = GRAPH.nodes.map((node, i) => {
  const groups = findAll(`[data-n="${i}"]`);
  const shown = (tag, part) => groups.flatMap((group) => findAll(`${tag}[data-p="${part}"]`, group));
  const maps = groups.map((group) => findAll("[data-m]", group));
  const each = (part, k) => (node.map
    ? {texts: [], cells: maps.flatMap((map) => (map[k] ? squares(map[k], node.map) : [])), map: node.map}
    : {texts: shown("text", part), cells: shown("path", part)});
  return {groups, data: each("data", 0), grad: each("grad", 1)};
});

// The modules that are closed: a group, its picture, and the index of what it stands for.
const closed = pictures.flatMap((picture, k) => findAll("[data-b]", picture).map((group) => {
  return {group, level: k, index: Number(group.dataset.b)};
}));

const edges = GRAPH.edges.map((edge, k) => {
  const group = find(`[data-e="${k}"]`), label = find(`[data-l="${k}"]`);
  if (!edge.flow.length) return {group, isStill: true}; // to a constant
  group.innerHTML = '<path class="al-s"/><path class="al-s"/><path/>';
  const [one, other, head] = group.children, points = [];
  for (let i = 0; i < edge.points.length; i += 2) points.push(edge.points.slice(i, i + 2));
  return {group, lines: [one, other], head, points, plate: label?.children[0], text: label?.children[1]};
});

const isSeen = (edge) => (edge.level ?? 0) === level;
const canOpen = (k = level) => k + 1 < pictures.length;
const titleOf = (i) => GRAPH.closed[level][i] ?? GRAPH.nodes[i].title;
const nameOf = (i) => GRAPH.closed[level][i] ?? GRAPH.nodes[i].name;

const elements = (value) => (typeof value === "object" ? [...nd.values(value)] : [Number(value)]);

// The arguments of the program for some numbers of the inputs.
function operandsOf(given) {
  return GRAPH.arguments.map(({from, shape, dtype, values, packed}) => {
    if (packed) return nd.packed(packed, shape, dtype);
    if (!shape) return values ? values[0] : given[from];
    const size = shape.reduce((product, n) => product * n, 1);
    return nd.reshape(nd.array(values ?? given.slice(from, from + size), dtype), shape);
  });
}

const read = (place, operands, results) =>
  place === null ? null : elements(place < 0 ? operands[-1 - place] : results[place]);

// What flows along an edge. Where it stands for many, that to one operand is added up, and the largest is shown.
function flowing(groups, operands, results) {
  const sums = groups.map((places) => places.map((place) => read(place, operands, results))
    .reduce((sum, values) => sum.map((v, k) => v + values[k])));
  return sums.length ? sums.reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one)) : null;
}

// All numbers of the graph for some numbers of the inputs.
function compute(given) {
  const operands = operandsOf(given), results = program(...operands);
  const each = (list, part) => list.map((one) => read(one[part], operands, results));
  return {
    data: each(GRAPH.nodes, "data"), grad: each(GRAPH.nodes, "grad"),
    slope: each(GRAPH.edges, "slope"), flow: GRAPH.edges.map((edge) => flowing(edge.flow, operands, results)),
  };
}

// The result alone.
function resultFor(given) {
  const operands = operandsOf(given);
  return read(GRAPH.nodes[last].data, operands, program(...operands))[0];
}

// The gradient of an input's number, and its text.
const slopeOf = (input) => now.grad[input.node][input.cell];
const inputGradient = (k, write = brief) => gradientText(GRAPH.inputs[k].node, GRAPH.inputs[k].cell, write);

const finiteMost = (values) => Math.max(0, ...values.filter(Number.isFinite));

// Write the elements of a value into its texts, and tint its cells by sign and size.
function fill({texts, cells, map}, values, most) {
  if (!values) return;
  texts.forEach((text, k) => {
    const v = values[k % values.length]; // one text for each element in each picture
    text.textContent = cells.length ? inCell(v) : inBox(v);
  });
  const shown = map ? farthest(values, map) : values;
  cells.forEach((cell, k) => {
    const v = shown[k % shown.length], part = most ? Math.sqrt(Math.min(1, Math.abs(v) / most)) : 0;
    cell.style.fill = Number.isFinite(v)
      ? `color-mix(in srgb,var(--${v > 0 ? "plus" : "minus"}) ${((map ? 100 : 45) * part).toFixed(0)}%,var(--cell))`
      : "var(--wrong)";
  });
}

// What stands on an edge: what flows back, or the local slope.
function drawLabel({plate, text}, values, colour, isHidden) {
  if (!text) return;
  const isNumber = values && values.length === 1;
  text.textContent = values ? (isNumber ? "" : "rms ") + brief(isNumber ? values[0] : sizeOf(values)) : "";
  if (isHidden) text.textContent = "?";
  const width = text.textContent.length * 6 + 9;
  plate.setAttribute("x", text.getAttribute("x") - width / 2);
  plate.setAttribute("width", values ? width : 0);
  plate.style.stroke = `var(--${colour})`;
}

const mark = (groups, name, isOn) => groups.forEach((group) => group.classList.toggle(name, isOn));

// Compute everything anew and show it.
function show() {
  isWaiting = false;
  now = compute(numbers);
  const most = finiteMost(now.flow.map((flow, k) => (flow && isSeen(GRAPH.edges[k]) ? sizeOf(flow) : 0)));
  for (const part of ["data", "grad"]) {
    const inCells = boxes.flatMap((box, i) => (box[part].cells.length ? now[part][i].map(Math.abs) : []));
    boxes.forEach((box, i) => fill(box[part], now[part][i], finiteMost(inCells)));
  }
  boxes.forEach(({grad}, i) => {
    if (isSecret(i)) for (const text of grad.texts) text.textContent = "?";
  });
  boxes.forEach(({groups}, i) => mark(groups, "al-odd", !now.data[i].every(Number.isFinite)));
  edges.forEach((edge, k) => {
    if (edge.isStill || !isSeen(GRAPH.edges[k])) return;
    const isHidden = isSecret(GRAPH.edges[k].from), parts = drawStream(edge, isHidden ? [0] : now.flow[k], most);
    drawLabel(edge, isShowingSlopes() ? now.slope[k] : now.flow[k], parts[0][0], isHidden && !isShowingSlopes());
  });
  find(".al-end").textContent = `${GRAPH.nodes[last].name} = ${inBox(now.data[last][0])}`;
  for (const follow of followers) follow();
  if (lit >= 0) explain();
  clearTimeout(saying);
  saying = setTimeout(say, 400);
}

const followers = []; // what else is shown, and called at each change

const isShowingSlopes = () => find(".al-edges").value === "slopes";

function showSoon() {
  if (!isWaiting) requestAnimationFrame(show);
  isWaiting = true;
}

// The numbers for those who hear the page.
function say() {
  const moved = GRAPH.inputs.slice(0, 8).map((input, k) => {
    return `${input.name} = ${brief(numbers[k])}, gradient ${inputGradient(k)}`;
  });
  find(".al-said").textContent = `${find(".al-end").textContent}. ${moved.join("; ")}`;
}

// Give an input another number, rounded to ten digits so that steps of 0.1 stay whole.
function set(k, value) {
  if (!Number.isFinite(value)) return;
  numbers[k] = Number(value.toPrecision(10));
  showSoon();
}

// -- one node in words --------------------------------------------------------------------------------------

const gradientName = (i) => `d_${GRAPH.nodes[i].name}`;

// The rule by which a node got its gradient, in names and in numbers.
function ruleOf(i) {
  const uses = GRAPH.edges.map((edge, k) => ({...edge, k})).filter((edge) => isSeen(edge) && edge.from === i && edge.flow.length);
  const own = gradientName(i);
  if (i === last) return [`${own} = 1`, "here the walk back begins"];
  if (!uses.length) return [`${own} = 0`, "nothing that follows depends on it"];
  if (uses.some((use) => use.rule === null)) {
    const names = [...new Set(uses.map((use) => nameOf(use.to)))];
    return [GRAPH.nodes[i].line ?? own, `arrives from ${names.join(" and ")}`];
  }
  const symbols = uses.map((use) => `${gradientName(use.to)} \u00b7 ${/ /.test(use.rule) ? `(${use.rule})` : use.rule}`);
  const factors = uses.map((use) => `${gradientText(use.to, 0, inProduct)} \u00b7 ${inProduct(now.slope[use.k][0])}`);
  return [`${own} = ${symbols.join(" + ")}`, `= ${factors.join(" + ")} = ${gradientText(i, 0, inBox)}`];
}

function explain() {
  const [rule, sum] = ruleOf(lit), value = now.data[lit], isClosed = lit in GRAPH.closed[level];
  const isNumber = value.length === 1 && !isClosed, hint = canOpen() ? "Click to open it." : "There is no room to open it.";
  const texts = [isNumber ? `${titleOf(lit)} = ${inBox(value[0])}` : titleOf(lit), ...(isClosed ? [hint] : [rule, sum])];
  find(".al-rule").replaceChildren(...texts.map((text, k) => {
    const line = document.createElement(k === 1 && !isClosed ? "code" : "span");
    line.textContent = text;
    return line;
  }));
}

// Light a node, what it was made from and what was made from it, and its lines.
function light(i) {
  if (i === lit) return;
  lit = i;
  const seen = GRAPH.edges.filter(isSeen);
  const creators = seen.filter((edge) => edge.to === i).map((edge) => edge.from);
  const users = seen.filter((edge) => edge.from === i).map((edge) => edge.to);
  const all = [...boxes.map(({groups}, j) => [groups, j]), ...closed.map(({group, index}) => [[group], index])];
  for (const [groups, j] of all) {
    mark(groups, "al-lit", j === i);
    mark(groups, "al-creator", creators.includes(j));
    mark(groups, "al-user", users.includes(j));
  }
  edges.forEach(({group}, k) => group.classList.toggle("al-lit", [GRAPH.edges[k].from, GRAPH.edges[k].to].includes(i)));
  for (const line of findAll("[data-of]")) line.classList.toggle("al-lit", line.dataset.of.split(" ").includes(String(i)));
  if (i >= 0) explain();
  else find(".al-rule").textContent = "Point at a box to see how its gradient comes about.";
}
