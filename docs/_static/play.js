// A graph under the hand: an expression is typed, its graph drawn, and a dragged number moves every value, gradient and
// stream. Each <div data-play="expression"> becomes one; what stands in it is shown where scripts do not run.

(() => {
  const {Unreadable, nodesOf, lineOf, run} = playEngine;
  const BOX = {width: 118, height: 64, gap: 44, side: 22}, LETTER = 7.4; // pixels
  const NARROW = 620, SVG = "http://www.w3.org/2000/svg";

  // -- texts ---------------------------------------------------------------------------------------------------

  const digits = (x) => (Number.isNaN(x) ? "nan" : Number.isFinite(x) ? String(Number(x.toPrecision(4))) : x < 0 ? "-inf" : "inf");
  const short = (x) => (x && Math.abs(x) < 0.01 ? x.toExponential(0) : digits(Number(x.toPrecision(3)))).replace("-", "\u2212");
  const shown = (x) => digits(x === 0 ? 0 : x).replace("-", "\u2212");

  // What stands at the top of a box.
  function titleOf(node) {
    const line = lineOf(node).replace(/\*\*|\*/g, (sign) => (sign === "*" ? "\u00d7" : sign));
    return node.operation ? line : node.name;
  }

  // Why a node has its gradient, as a sum over the ways on which it arrived.
  function reason(node, end) {
    if (node === end) return `The gradient of ${end.name} is 1: its slope with respect to itself.`;
    const ways = node.arrived.map(({from, slope}) => `${shown(from.gradient)} \u00d7 ${shown(slope)} through ${from.name}`);
    return `\u2202${end.name}/\u2202${node.name} = ${ways.join(" + ")} = ${shown(node.gradient)}`;
  }

  // -- where the boxes stand ------------------------------------------------------------------------------------

  // A layer for each node: behind all its creators; a leaf right before the first node that uses it.
  function layersOf(nodes) {
    const layer = new Map();
    for (const node of nodes) {
      if (node.operation) layer.set(node, 1 + Math.max(0, ...node.creators.map((c) => layer.get(c) ?? 0)));
    }
    for (const node of nodes) {
      if (node.operation) continue;
      const users = nodes.filter((n) => n.creators.includes(node)).map((n) => layer.get(n));
      layer.set(node, users.length ? Math.min(...users) - 1 : 0);
    }
    const found = [];
    for (const node of nodes) (found[layer.get(node)] ??= []).push(node);
    return found.filter(Boolean);
  }

  // What stands in each layer: nodes, and for each edge that passes a layer a waypoint, {edge}. Each has neighbours in
  // the layers before and behind it.
  function itemsOf(nodes) {
    const layers = layersOf(nodes).map((layer) => layer.map((node) => ({node, before: [], behind: []}))), edges = [];
    const itemOf = new Map(layers.flatMap((layer, i) => layer.map((item) => [item.node, Object.assign(item, {layer: i})])));
    for (const node of nodes) {
      node.creators.forEach((creator, i) => {
        if (typeof creator === "number") return;
        const edge = {node, creator, i, ways: [itemOf.get(creator)]}, last = itemOf.get(node);
        for (let k = edge.ways[0].layer + 1; k < last.layer; k++) {
          edge.ways.push({edge, before: [], behind: [], layer: k});
          layers[k].push(edge.ways[edge.ways.length - 1]);
        }
        edge.ways.push(last);
        edge.ways.slice(1).forEach((item, k) => {
          item.before.push(edge.ways[k]);
          edge.ways[k].behind.push(item);
        });
        edges.push(edge);
      });
    }
    return {layers, edges};
  }

  // The edges and the middle of each item, from left to right, or on a narrow screen from top to bottom; and the size of
  // the whole. Neighbours come close to each other: each layer is sorted by where those before, or behind, it stand.
  function placed(nodes, isNarrow) {
    const {layers, edges} = itemsOf(nodes), thick = isNarrow ? BOX.width : BOX.height;
    const along = isNarrow ? BOX.height + BOX.gap : BOX.width + BOX.gap;
    const roomOf = (item) => (item.node ? thick : 4) + BOX.side, lengthOf = (layer) => layer.reduce((sum, item) => sum + roomOf(item), 0);
    const width = Math.max(...layers.map(lengthOf));
    function spread(layer) {
      let at = (width - lengthOf(layer)) / 2;
      for (const item of layer) {
        item.across = at + roomOf(item) / 2;
        at += roomOf(item);
      }
    }
    layers.forEach(spread);
    for (const side of ["before", "behind", "before", "behind", "before"]) {
      for (const layer of side === "before" ? layers : [...layers].reverse()) {
        const wish = new Map(layer.map((item) => [item, item[side].length ? mean(item[side].map((x) => x.across)) : item.across]));
        layer.sort((x, y) => wish.get(x) - wish.get(y));
        spread(layer);
      }
    }
    const pointOf = ({layer, across}) => (isNarrow ? [across, (layer + 0.5) * along] : [(layer + 0.5) * along, across]);
    const size = isNarrow ? [width, layers.length * along] : [layers.length * along, width];
    for (const edge of edges) edge.points = edge.ways.map(pointOf);
    return {edges, middle: new Map(layers.flat().filter((item) => item.node).map((item) => [item.node, pointOf(item)])), size};
  }

  const mean = (numbers) => numbers.reduce((total, x) => total + x, 0) / Math.max(numbers.length, 1);

  // -- the page ---------------------------------------------------------------------------------------------------

  function element(name, attributes = {}, text = "", owner = null) {
    const made = owner === SVG ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  }
  const drawn = (name, attributes, text) => element(name, attributes, text, SVG);

  class Play {
    constructor(host) {
      this.host = host;
      this.first = host.dataset.play;
      this.values = {};
      this.typed = ""; // the digits of a number that is typed into a box
      host.replaceChildren(...this.parts());
      host.classList.add("play");
      const kept = new URLSearchParams(location.hash.slice(1));
      for (const [name, value] of kept) if (name !== "f") this.values[name] = Number(value);
      this.field.value = kept.get("f") ?? this.first;
      this.read();
      if (!this.nodes) this.reset();
      new ResizeObserver(() => this.isNarrow !== this.host.clientWidth < NARROW && this.draw()).observe(host);
    }

    parts() {
      this.field = element("textarea", {"aria-label": "an expression", rows: 1, spellcheck: "false", autocapitalize: "off"});
      this.field.addEventListener("input", () => this.read());
      this.problem = element("p", {class: "problem", role: "status"});
      this.picture = drawn("svg", {role: "group"});
      this.picture.addEventListener("pointerdown", (event) => this.grasp(event));
      this.picture.addEventListener("pointermove", (event) => this.drag(event));
      for (const name of ["pointerup", "pointercancel"]) this.picture.addEventListener(name, () => this.letGo());
      this.picture.addEventListener("keydown", (event) => this.press(event));
      this.why = element("p", {class: "why", "aria-live": "polite"});
      this.code = element("pre", {class: "code"});
      for (const part of [this.picture, this.code]) {
        part.addEventListener("pointerover", (event) => event.pointerType === "mouse" && !this.held && this.light(this.nodeAt(event)));
        part.addEventListener("pointerleave", () => !this.held && this.light(null));
        part.addEventListener("focusin", (event) => {
          this.typed = "";
          this.light(this.nodeAt(event));
        });
      }
      const reset = element("button", {type: "button"}, "reset");
      reset.addEventListener("click", () => this.reset());
      const line = element("div", {class: "line"}), frame = element("div", {class: "frame"});
      line.append(this.field, reset);
      frame.append(this.picture);
      return [line, this.problem, frame, this.why, this.code];
    }

    // -- what is typed --------------------------------------------------------------------------------------------

    // Read the field. What cannot be read is marked, and the graph stays as it was.
    read() {
      this.field.style.height = "auto";
      this.field.style.height = `${this.field.scrollHeight + 2}px`;
      let nodes;
      try {
        nodes = nodesOf(this.field.value);
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        this.mark(error);
        return;
      }
      this.problem.replaceChildren();
      this.nodes = nodes;
      for (const node of nodes) {
        if (!node.operation) this.values[node.name] = node.start ?? this.values[node.name] ?? 2;
      }
      this.lit = null;
      run(nodes, this.values);
      this.draw();
    }

    mark({message, start, end}) {
      const text = `${this.field.value.replaceAll("\n", ";")} `, stop = Math.max(end, start + 1);
      const code = element("code", {}, text.slice(0, start));
      code.append(element("mark", {}, text.slice(start, stop) || " "), text.slice(stop));
      this.problem.replaceChildren(code, ` ${message}`);
    }

    reset() {
      this.values = {};
      this.field.value = this.first;
      history.replaceState(null, "", location.pathname + location.search);
      this.read();
    }

    // -- the picture ------------------------------------------------------------------------------------------------

    // Draw the boxes and edges anew; `show` writes numbers into them.
    draw() {
      this.isNarrow = this.host.clientWidth < NARROW;
      BOX.width = Math.max(118, ...this.nodes.map((node) => LETTER * titleOf(node).length + 18));
      const {edges, middle, size: [width, height]} = placed(this.nodes, this.isNarrow);
      for (const [name, value] of Object.entries({viewBox: `0 0 ${width} ${height}`, width, height})) this.picture.setAttribute(name, value);
      this.picture.style.maxWidth = `${Math.round(1.25 * width)}px`;
      this.picture.style.minWidth = `${Math.round(Math.min(0.85 * width, 2 * NARROW))}px`;
      this.edges = edges.map((edge) => this.edge(edge));
      this.boxes = this.nodes.map((node) => this.box(node, middle.get(node)));
      this.picture.replaceChildren(...this.edges.map((edge) => edge.group), ...this.boxes.map((box) => box.group));
      this.lines = this.nodes.map((node) => element("span", {"data-node": node.index}));
      this.code.replaceChildren(...this.lines);
      this.show();
    }

    // An edge from the border of one box to that of another, around those between them.
    edge({node, creator, i, points}) {
      const group = drawn("g", {class: "edge"}), path = drawn("path"), arrow = drawn("path", {class: "arrow"}), label = drawn("text");
      const axis = this.isNarrow ? 1 : 0, half = (this.isNarrow ? BOX.height : BOX.width) / 2, last = points.length - 1;
      const aside = node.creators[0] === node.creators[1] ? (i - 0.5) * 26 : 0; // a * a has two edges
      const stops = points.flatMap((point, k) => { // on its way past a box an edge is straight
        const at = (along, across = 0) => (axis ? [point[0] + across, point[1] + along] : [point[0] + along, point[1] + across]);
        return k === 0 ? [at(half)] : k === last ? [at(-half, aside)] : [at(-half), at(half)];
      });
      const bends = stops.slice(1).map((to, k) => {
        const from = stops[k], one = [...from], two = [...to];
        one[axis] = two[axis] = (from[axis] + to[axis]) / 2;
        return `C${one} ${two} ${to}`;
      });
      path.setAttribute("d", `M${stops[0]}${bends.join("")}`);
      // The gradient flows back: the arrow points at the creator.
      arrow.setAttribute("d", `M${stops[0]}${this.isNarrow ? "l-5 9h10z" : "l9 -5v10z"}`);
      label.setAttribute("x", (stops[0][0] + stops[1][0]) / 2);
      label.setAttribute("y", (stops[0][1] + stops[1][1]) / 2 + 4 + aside / 3);
      group.append(path, arrow, label);
      return {group, path, label, node, creator, i};
    }

    box(node, [x, y]) {
      const isLeaf = !node.operation, is = isLeaf ? {role: "slider"} : {role: "img"};
      const group = drawn("g", {class: isLeaf ? "box leaf" : "box", "data-node": node.index, tabindex: 0, ...is});
      group.setAttribute("transform", `translate(${x - BOX.width / 2} ${y - BOX.height / 2})`);
      const right = BOX.width - 10;
      const texts = [
        drawn("text", {class: "title", x: BOX.width / 2, y: 19}, titleOf(node)),
        drawn("text", {class: "soft", x: 10, y: 38}, "data"), drawn("text", {class: "data", x: right, y: 38}),
        drawn("text", {class: "soft", x: 10, y: 55}, "grad"), drawn("text", {class: "grad", x: right, y: 55}),
      ];
      group.append(drawn("rect", {width: BOX.width, height: BOX.height, rx: 6}), ...texts);
      return {group, node, data: texts[2], grad: texts[4], title: texts[0]};
    }

    // The numbers of the last run.
    show() {
      const end = this.nodes[this.nodes.length - 1];
      for (const {group, node, data, grad} of this.boxes) {
        data.textContent = shown(node.value);
        grad.textContent = shown(node.gradient);
        group.setAttribute("aria-label", `${node.name} = ${digits(node.value)}, gradient ${digits(node.gradient)}`);
        if (!node.operation) group.setAttribute("aria-valuenow", digits(node.value));
      }
      const streams = this.edges.map(({node, i}) => Math.abs(node.streams[i])), finite = streams.filter(Number.isFinite);
      const most = Math.max(...finite, 1e-300);
      this.edges.forEach(({group, path, label, node, i}, k) => {
        const stream = node.streams[i], part = Number.isFinite(streams[k]) ? Math.sqrt(streams[k] / most) : 1;
        group.classList.toggle("minus", stream < 0);
        group.classList.toggle("none", !(streams[k] > 0));
        path.style.strokeWidth = `${1.2 + 6 * part}px`;
        label.textContent = short(stream);
      });
      this.nodes.forEach((node, k) => (this.lines[k].textContent = `${lineOf({...node, value: Number(digits(node.value))})}\n`));
      this.picture.setAttribute("aria-label", `the graph of ${end.name}, which is ${digits(end.value)}`);
      this.light(this.lit);
    }

    // Light a node, its line, and the edges on which its gradient arrives.
    light(node) {
      this.lit = node;
      for (const box of this.boxes) box.group.classList.toggle("lit", box.node === node);
      for (const edge of this.edges) {
        edge.group.classList.toggle("lit", edge.creator === node);
        edge.group.classList.toggle("dim", node !== null && edge.creator !== node && edge.node !== node);
      }
      this.lines.forEach((line, k) => line.classList.toggle("lit", this.nodes[k] === node));
      const end = this.nodes[this.nodes.length - 1];
      this.why.textContent = node ? reason(node, end) : "Drag a blue box sideways; or click it and type a number, or press the arrow keys; or change the expression.";
    }

    nodeAt(event) {
      const found = event.target.closest("[data-node]");
      return found ? this.nodes.find((node) => String(node.index) === found.dataset.node) : null;
    }

    // -- the hand ---------------------------------------------------------------------------------------------------

    grasp(event) {
      const node = this.nodeAt(event);
      this.light(node);
      if (!node || node.operation) return;
      this.held = {node, x: event.clientX, value: node.value};
      this.typed = "";
      this.picture.setPointerCapture(event.pointerId);
      event.target.closest("[data-node]").focus({preventScroll: true});
      event.preventDefault();
    }

    drag(event) {
      if (this.held) this.set(this.held.node, Math.round((this.held.value + (event.clientX - this.held.x) / 40) * 20) / 20);
    }

    letGo() {
      if (this.held) this.keep();
      this.held = null;
    }

    press(event) {
      const node = this.nodeAt(event), step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[event.key];
      if (!node || node.operation || event.ctrlKey || event.metaKey) return;
      if (step) {
        this.set(node, Number((node.value + step * (event.shiftKey ? 0.01 : 0.1)).toFixed(4)));
        this.typed = "";
      } else if (/^[-\d.]$/.test(event.key) || event.key === "Backspace") {
        this.typed = event.key === "Backspace" ? this.typed.slice(0, -1) : this.typed + event.key;
        if (this.typed && Number.isFinite(Number(this.typed))) this.set(node, Number(this.typed));
      } else return;
      event.preventDefault();
      this.keep();
    }

    set(node, value) {
      this.values[node.name] = value;
      run(this.nodes, this.values);
      this.show();
    }

    // Keep the expression and the numbers in the address, so that a link to the page holds them.
    keep() {
      const leaves = this.nodes.filter((node) => !node.operation).map((node) => [node.name, digits(node.value)]);
      history.replaceState(null, "", `#${new URLSearchParams([["f", this.field.value], ...leaves])}`);
    }
  }

  const start = () => document.querySelectorAll("[data-play]").forEach((host) => new Play(host));
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
