// Curves over the steps of a training, on a logarithmic scale if `isLog`; a line marks the step that is shown. Of a
// long history as many steps are drawn as there are pixels.
function paintHistory(canvas, curves, now, isLog) {
  const {pen, width, height} = cleared(canvas), steps = curves[0]?.values.length ?? 0;
  const box = {left: 56, top: 8, across: width - 62, down: height - 26};
  const every = Math.max(1, Math.floor(steps / box.across)), scaled = (x) => (isLog ? Math.log10(Math.max(x, 1e-12)) : x);
  const shown = Array.from({length: Math.ceil(steps / every)}, (_, i) => i * every);
  const drawn = curves.map(({values}) => shown.map((i) => scaled(values[i]))), all = drawn.flat().filter(Number.isFinite);
  const high = all.reduce((a, b) => Math.max(a, b), -Infinity), low = all.reduce((a, b) => Math.min(a, b), isLog ? high : 0);
  const xOf = (i) => box.left + (box.across * i) / Math.max(1, steps - 1);
  const yOf = (level) => box.top + box.down * (1 - (level - low) / (high - low || 1));
  paintAxes(pen, box, steps, all.length ? [high, low].map((level) => short(isLog ? 10 ** level : level)) : ["", ""]);
  drawn.forEach((levels, k) => {
    pen.beginPath();
    levels.forEach((level, i) => { if (Number.isFinite(level)) pen.lineTo(xOf(shown[i]), yOf(level)); });
    pen.strokeStyle = curves[k].stroke;
    pen.lineWidth = 1.8;
    pen.stroke();
  });
  if (now && now < steps) {
    pen.fillStyle = ink.lit;
    pen.fillRect(xOf(now - 1) - 0.5, box.top, 1, box.down);
  }
}

function paintAxes(pen, {left, top, across, down}, steps, [most, least]) {
  pen.strokeStyle = ink["cell-line"];
  pen.strokeRect(left, top, across, down);
  pen.fillStyle = ink.soft;
  pen.textAlign = "right";
  pen.fillText(most, left - 4, top + 10);
  pen.fillText(least, left - 4, top + down);
  pen.fillText(`step ${steps}`, left + across, top + down + 14);
}
