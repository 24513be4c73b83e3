// The curve of the result over the number that is held, with its tangent. It can be dragged too.

const plot = find(".al-curve");
const [LEFT, TOP, ACROSS, DOWN] = [52, 22, 300, 120]; // the frame of the plot
let range = {k: -1, low: 0, high: 0};

plot.innerHTML = `<text class="al-where" x="${LEFT}" y="14"/><text class="al-tells" x="${LEFT + ACROSS}" y="14"/>
<svg x="${LEFT}" y="${TOP}" width="${ACROSS}" height="${DOWN}"><rect width="100%" height="100%"/><path class="al-axes"/>
<path class="al-line"/><path class="al-tangent"/><path class="al-secant"/><circle r="5"/></svg>
<text x="${LEFT}" y="${TOP + DOWN + 14}"/><text class="al-right" x="${LEFT + ACROSS}" y="${TOP + DOWN + 14}"/>
<text class="al-right" x="${LEFT - 5}" y="${TOP + 10}"/><text class="al-right" x="${LEFT - 5}" y="${TOP + DOWN - 2}"/>`;

// The numbers of the inputs, with another one in the place k.
const withNumber = (k, value) => numbers.map((x, j) => (j === k ? value : x));

// How many points of a curve can be computed in a few milliseconds.
const pointCount = (() => {
  resultFor(numbers);
  const start = performance.now();
  for (let i = 0; i < 3; i++) resultFor(numbers);
  return Math.round(Math.min(121, Math.max(15, 12 / Math.max((performance.now() - start) / 3, 0.01))));
})();

// The range of the held number: around the one with which it began, or around where it is.
function follow(k) {
  const half = 400 * stepOf(k), middle = Math.abs(numbers[k] - first[k]) < half ? first[k] : numbers[k];
  const isInside = range.k === k && numbers[k] > range.low && numbers[k] < range.high;
  if (!isInside) range = {k, low: middle - half, high: middle + half};
}

// The lowest and the highest number that is shown; what shoots up at a pole is cut off.
function reach(ys) {
  const finite = ys.filter(Number.isFinite).sort((a, b) => a - b), size = finite.length;
  if (!size) return [-1, 1];
  let [low, high] = [finite[0], finite[size - 1]];
  const inner = [0.1, 0.9].map((part) => finite[Math.round(part * (size - 1))]), middle = inner[1] - inner[0];
  if (middle > 0 && high - low > 12 * middle) [low, high] = [inner[0] - middle, inner[1] + middle];
  const room = 0.06 * (high - low) || Math.max(1, Math.abs(high) * 0.1);
  return [low - room, high + room];
}

function drawCurve() {
  const k = Math.max(held, 0), {name} = GRAPH.inputs[k], end = GRAPH.nodes[last].name;
  follow(k);
  const xs = Array.from({length: pointCount}, (_, i) => range.low + ((range.high - range.low) * i) / (pointCount - 1));
  const ys = xs.map((x) => resultFor(withNumber(k, x))), [low, high] = reach(ys), y = now.data[last][0];
  const slope = slopeOf(GRAPH.inputs[k]), far = high - low;
  const across = (x) => ((x - range.low) / (range.high - range.low)) * ACROSS;
  const down = (v) => Math.min(1e4, Math.max(-1e4, (1 - (v - low) / (high - low)) * DOWN));
  const at = (x, v) => `${across(x).toFixed(1)} ${down(v).toFixed(1)}`;
  // The curve is broken where it is not finite, and at a pole, where it leads from far below to far above.
  const isJump = (...ends) => Math.min(...ends) < low - far && Math.max(...ends) > high + far;
  const isBroken = (i) => i === 0 || !Number.isFinite(ys[i - 1]) || isJump(ys[i - 1], ys[i]);
  const line = xs.map((x, i) => (Number.isFinite(ys[i]) ? `${isBroken(i) ? "M" : "L"}${at(x, ys[i])}` : "")).join("");
  const through = (m) => [range.low, range.high].map((x) => at(x, y + m * (x - numbers[k]))).join("L");
  const isHidden = isSecret(GRAPH.inputs[k].node), isSmooth = Number.isFinite(y) && Number.isFinite(slope), secant = nudged(k);
  find(".al-line", plot).setAttribute("d", line);
  find(".al-axes", plot).setAttribute("d", `M${at(range.low, 0)}L${at(range.high, 0)}M${across(0)} 0V${DOWN}`);
  find(".al-tangent", plot).setAttribute("d", isSmooth && !isHidden ? `M${through(slope)}` : "");
  find(".al-secant", plot).setAttribute("d", isSmooth && Number.isFinite(secant) ? `M${through(secant)}` : "");
  plot.style.setProperty("--sign", `var(--${isHidden ? "zero" : slope > 0 ? "plus" : slope < 0 ? "minus" : "zero"})`);
  find("circle", plot).setAttribute("cx", across(numbers[k]));
  find("circle", plot).setAttribute("cy", Number.isFinite(y) ? down(y) : -99);
  const texts = [`${name} = ${brief(numbers[k])}, ${end} = ${brief(y)}`, `slope ${inputGradient(k)}`,
    `${name} = ${brief(range.low)}`, brief(range.high), brief(high), brief(low)];
  findAll("text", plot).forEach((text, i) => {
    text.textContent = texts[i];
  });
}

followers.push(drawCurve);

const isDown = (event) => event.buttons > 0;

for (const kind of ["pointerdown", "pointermove"]) {
  plot.addEventListener(kind, (event) => {
    if (!isDown(event)) return;
    if (kind === "pointerdown") plot.setPointerCapture(event.pointerId);
    const k = Math.max(held, 0), part = (event.clientX - plot.getBoundingClientRect().left - LEFT) / ACROSS;
    const x = range.low + (range.high - range.low) * Math.min(0.999, Math.max(0.001, part));
    set(k, Math.round(x / stepOf(k)) * stepOf(k));
  });
}
