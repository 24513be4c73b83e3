// Streams: each edge is as wide as the root of what flows back along it, as picture/streams.py draws it.

const LEAST = 1.6, WIDEST = 17, ONE_SIGN = 0.02;

const coordinates = (points) => points.map(([a, b]) => `${a.toFixed(1)} ${b.toFixed(1)}`);

// How large a gradient is: the root mean square of its elements.
function sizeOf(elements) {
  const most = Math.max(...elements.map(Math.abs));
  if (!(most > 0 && most < Infinity)) return most; // 0, inf or nan
  return most * Math.sqrt(elements.reduce((sum, v) => sum + (v / most) ** 2, 0) / elements.length);
}

// The colours of a stream, each with its part of the width.
function colours(elements) {
  const above = elements.reduce((sum, v) => sum + Math.max(v, 0), 0);
  const all = elements.reduce((sum, v) => sum + Math.abs(v), 0);
  if (!Number.isFinite(all)) return [["wrong-line", 1]];
  if (all === 0) return [["zero", 1]];
  const found = [["plus", above / all], ["minus", 1 - above / all]].filter(([, part]) => part > ONE_SIGN);
  const whole = found.reduce((sum, [, part]) => sum + part, 0);
  return found.map(([colour, part]) => [colour, part / whole]);
}

// The width of a stream of this size, where the largest of the picture has the size `most`.
function widthOf(size, most) {
  if (!Number.isFinite(size)) return WIDEST / 2;
  return most > 0 ? LEAST + (WIDEST - LEAST) * Math.sqrt(size / most) : LEAST;
}

// The unit vector from one point to another.
function direction([x0, y0], [x1, y1]) {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1;
  return [(x1 - x0) / length, (y1 - y0) / length];
}

const differsFrom = ([x0, y0]) => ([x, y]) => x !== x0 || y !== y0;

// A curve moved to its side, so that two colours run next to each other.
function beside(pulled, points, aside) {
  const last = points.length - 1;
  return pulled.map(([x, y], k) => {
    const near = 3 * Math.round(k / 3);
    let ends = [points[Math.max(near - 1, 0)], points[Math.min(near + 1, last)]];
    if (!differsFrom(ends[0])(ends[1])) ends = [points[0], points[last]];
    const [dx, dy] = direction(...ends);
    return [x - aside * dy, y + aside * dx];
  });
}

// Draw a stream anew: its lines side by side, and the head at the operand.
function drawStream({lines, head, points}, elements, most) {
  const width = widthOf(sizeOf(elements), most), parts = colours(elements), tip = points[0];
  const length = 7 + 0.55 * Math.max(0, width - 1.5), side = 3.2 + 0.65 * Math.max(0, width - 1.5);
  const [dx, dy] = direction(points.find(differsFrom(tip)) ?? tip, tip);
  const back = [tip[0] - length * dx, tip[1] - length * dy], end = points.at(-1);
  const [ex, ey] = direction(points.findLast(differsFrom(end)) ?? end, end), reach = width > 4 ? width / 2 : 0;
  const pulled = [[back[0] + dx, back[1] + dy], ...points.slice(1, -1), [end[0] + ex * reach, end[1] + ey * reach]];
  let aside = -width / 2;
  lines.forEach((line, k) => {
    if (!parts[k]) return line.setAttribute("d", "");
    const own = width * parts[k][1], moved = coordinates(beside(pulled, points, parts.length > 1 ? aside + own / 2 : 0));
    line.setAttribute("d", `M${moved[0]}C${moved.slice(1).join(" ")}`);
    line.style.stroke = `var(--${parts[k][0]})`;
    line.style.strokeWidth = own.toFixed(1);
    aside += own;
  });
  const wings = [[back[0] - side * dy, back[1] + side * dx], [back[0] + side * dy, back[1] - side * dx]];
  head.setAttribute("d", `M${coordinates([tip, ...wings]).join("L")}Z`);
  head.style.fill = `var(--${parts.reduce((a, b) => (b[1] > a[1] ? b : a))[0]})`;
  return parts;
}
