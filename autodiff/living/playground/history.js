// Curves over the steps of a training, on a logarithmic scale if `isLog`; a line marks the step that is shown.
function paintHistory(canvas, curves, now, isLog) {
  const {pen, width, height} = cleared(canvas), steps = curves[0].values.length;
  const box = {left: 56, top: 8, across: width - 62, down: height - 26};
  const scaled = (value) => (isLog ? Math.log10(Math.max(value, 1e-12)) : value);
  const all = curves.flatMap(({values}) => values.map(scaled)).filter(Number.isFinite);
  const least = all.reduce((a, b) => Math.min(a, b), 0), most = all.reduce((a, b) => Math.max(a, b), least + 1e-9);
  const low = isLog ? all.reduce((a, b) => Math.min(a, b), most) : least;
  const xOf = (step) => box.left + (box.across * (step - 1)) / Math.max(1, steps - 1);
  const yOf = (value) => box.top + box.down * (1 - (scaled(value) - low) / (most - low || 1));
  paintAxes(pen, box, steps, !all.length ? ["", ""] : [most, low].map((value) => short(isLog ? 10 ** value : value)));
  const every = Math.max(1, Math.floor(steps / box.across));
  for (const {values, stroke} of curves) {
    pen.beginPath();
    for (let i = 0; i < values.length; i += every) {
      if (Number.isFinite(values[i])) pen.lineTo(xOf(i + 1), yOf(values[i]));
    }
    pen.strokeStyle = stroke;
    pen.lineWidth = 1.8;
    pen.stroke();
  }
  if (now && now < steps) {
    pen.fillStyle = ink.lit;
    pen.fillRect(xOf(now) - 0.5, box.top, 1, box.down);
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
