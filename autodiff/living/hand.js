// The hand: a number is dragged, moved by keys, or typed; a node is pointed at or walked to.

// A step of an input: a hundredth of the power of ten that its first number has, 0.01 at the least.
const stepOf = (k) => 0.01 * Math.max(1, 10 ** Math.floor(Math.log10(Math.abs(first[k]) || 1)));

// A number on the grid of a tenth of a step.
const onGrid = (k, value) => (Math.round((value / stepOf(k)) * 10) * stepOf(k)) / 10;

let held = -1; // the input that was touched last

function hold(k) {
  held = k;
  light(GRAPH.inputs[k].node);
}

// Let an element move an input by dragging: to the right is more, Shift is finer. A click begins to type.
function draggable(element, k) {
  let from = null;
  element.addEventListener("pointerdown", (event) => {
    from = {x: event.clientX, y: event.clientY, value: numbers[k], isClick: true};
    element.setPointerCapture(event.pointerId);
    element.classList.add("al-held");
    hold(k);
  });
  element.addEventListener("pointermove", (event) => {
    if (!from) return;
    const moved = event.clientX - from.x;
    if (Math.abs(moved) > 2) from.isClick = false;
    if (!from.isClick) set(k, onGrid(k, from.value + moved * stepOf(k) * (event.shiftKey ? 0.1 : 2)));
  });
  // A finger that moves across moves the number, and one that moves up or down the page. (The style touch-action says
  // the same, but not for a part of an SVG.)
  element.addEventListener("touchmove", (event) => {
    const [{clientX, clientY}] = event.touches;
    if (from && Math.abs(clientX - from.x) > Math.abs(clientY - from.y)) event.preventDefault();
  }, {passive: false});
  const release = (event) => {
    if (from?.isClick && event.type === "pointerup") type(k, element);
    from = null;
    element.classList.remove("al-held");
  };
  element.addEventListener("pointerup", release);
  element.addEventListener("pointercancel", release);
}

// Let an element move an input by keys. Returns whether the key meant anything.
function moveByKey(event, k, element) {
  const by = {ArrowRight: 10, ArrowLeft: -10, PageUp: 100, PageDown: -100}[event.key];
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (by) set(k, numbers[k] + by * stepOf(k) * (event.shiftKey ? 0.1 : 1));
  else if (event.key === "Home") set(k, first[k]);
  else if (event.key === "Enter") type(k, element);
  else if (/^[-\d.]$/.test(event.key)) type(k, element, event.key);
  else return false;
  return true;
}

// A field over a number for as long as one types. What is not accepted is marked; Escape and going elsewhere leave it.
// accepts: whether a number will do; changed: called with it at each letter; done, refused: called at the end.
function openField(element, name, text, {accepts, changed = () => {}, done = () => {}, refused = () => {}}) {
  const field = document.createElement("input");
  const place = (find("text[data-p]", element) ?? element).getBoundingClientRect(), own = root.getBoundingClientRect();
  let isOpen = true;
  const close = (isGood) => {
    if (!isOpen) return;
    isOpen = false;
    field.remove();
    if (isGood) done();
    else changed(NaN);
    element.focus({preventScroll: true});
  };
  Object.assign(field, {className: "al-field", inputMode: "decimal", value: text});
  field.setAttribute("aria-label", name);
  field.style.left = `${Math.max(0, place.left - own.left - 24)}px`;
  field.style.top = `${place.top - own.top - 5}px`;
  field.addEventListener("input", () => {
    field.setAttribute("aria-invalid", !Number.isFinite(parsed(field.value)));
    changed(parsed(field.value));
  });
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") close(false);
    if (event.key !== "Enter") return;
    if (accepts(parsed(field.value))) return close(true);
    field.setAttribute("aria-invalid", true);
    refused(field.value);
  });
  field.addEventListener("blur", () => close(accepts(parsed(field.value))));
  root.append(field);
  field.focus({preventScroll: true});
  return field;
}

// Type another number for an input.
function type(k, element, start) {
  const before = numbers[k];
  const field = openField(element, GRAPH.inputs[k].name, start ?? String(before), {
    accepts: Number.isFinite,
    changed: (value) => set(k, Number.isFinite(value) ? value : before),
  });
  if (start === undefined) field.select();
}

// One tab stop for a group of elements: Up and Down go from one to the next.
function group(members, onKey = () => false) {
  const stop = (j) => members.forEach((member, i) => member.setAttribute("tabindex", i === j ? 0 : -1));
  members.forEach((member, j) => {
    member.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab has commands on these keys
    member.addEventListener("focus", () => stop(j));
    member.addEventListener("keydown", (event) => {
      const by = {ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!onKey(event, j)) {
        if (!by) return;
        members[(j + by + members.length) % members.length].focus();
      }
      event.preventDefault();
      event.stopPropagation();
    });
  });
  stop(0);
}

// Describe an element that moves an input to those who hear the page.
function describe(element, k) {
  const {name} = GRAPH.inputs[k];
  element.setAttribute("role", "slider");
  element.setAttribute("aria-label", name);
  followers.push(() => {
    element.setAttribute("aria-valuenow", numbers[k]);
    element.setAttribute("aria-valuetext", `${name} = ${brief(numbers[k])}, gradient ${inputGradient(k)}`);
  });
}

// What moves an input in the pictures: the box of a number, or the cell of an array.
const handles = new Map(); // to the place of the input
GRAPH.inputs.forEach(({node, cell}, k) => {
  const {groups, data} = boxes[node], size = data.cells.length / groups.length;
  mark(groups, "al-leaf", true);
  groups.forEach((group, p) => handles.set(size ? data.cells[p * size + cell] : group, k));
  for (const text of size ? data.texts : []) text.style.pointerEvents = "none"; // the number lies upon its cell
});

for (const [handle, k] of handles) {
  describe(handle, k);
  draggable(handle, k);
}

// A box without an input in words, for those who hear the page.
function labelOf(i) {
  const {map} = GRAPH.nodes[i], value = map ? "a large array" : now.data[i].map((v) => brief(v)).join(" ");
  const gradient = map ? "too" : now.grad[i]?.map((_, cell) => gradientText(i, cell)).join(" ");
  return `${GRAPH.nodes[i].title} = ${value}, gradient ${gradient ?? "none"}`;
}

// In a picture one walks over all boxes, and over the cells of those that can be moved.
pictures.forEach((picture, own) => {
  const places = new Map(); // of what one walks over, to its node
  for (const box of findAll("[data-n], [data-b]", picture)) {
    const index = Number(box.dataset.n ?? box.dataset.b), cells = findAll("path", box).filter((cell) => handles.has(cell));
    for (const stop of cells.length ? cells : [box]) places.set(stop, index);
    box.addEventListener("pointerenter", () => light(index));
    if (cells.length || handles.has(box)) continue;
    box.setAttribute("role", box.dataset.b && canOpen(own) ? "button" : "img");
    if (box.dataset.b) box.setAttribute("aria-label", `${canOpen(own) ? "open " : ""}${box.textContent}`);
    else followers.push(() => box.setAttribute("aria-label", labelOf(index)));
  }
  const stops = [...places.keys()];
  for (const stop of stops) {
    stop.addEventListener("focus", () => (handles.has(stop) ? hold(handles.get(stop)) : light(places.get(stop))));
  }
  group(stops, (event, j) => handles.has(stops[j]) && moveByKey(event, handles.get(stops[j]), stops[j]));
  picture.addEventListener("pointerleave", () => light(places.get(document.activeElement) ?? -1));
});
for (const line of findAll("[data-of]")) {
  line.addEventListener("pointerenter", () => light(Number(line.dataset.of.split(" ").at(-1))));
}

// The table of the inputs.
const rows = findAll("tr[data-i]").map((row, k) => {
  const value = find(".al-value", row);
  describe(value, k);
  draggable(value, k);
  value.addEventListener("focus", () => hold(k));
  followers.push(() => {
    value.textContent = inBox(numbers[k]);
    find(".al-grad", row).textContent = inputGradient(k, inBox);
  });
  return row;
});
group(rows.map((row) => find(".al-value", row)), (event, k) => moveByKey(event, k, find(".al-value", rows[k])));

find(".al-edges").addEventListener("input", showSoon);
find(".al-reset").addEventListener("click", () => {
  first.forEach((value, k) => set(k, value));
});
