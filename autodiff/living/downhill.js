// Downhill: at each step every number that walks goes against its gradient, and the streams dry up.

let isWalking = false;
const wantsStillness = matchMedia("(prefers-reduced-motion: reduce)");

function stepDownhill() {
  const rate = Number(find(".al-rate").value), walks = findAll(".al-walks input").map((box) => box.checked);
  const moved = numbers.map((x, k) => (walks[k] ? x - rate * slopeOf(GRAPH.inputs[k]) : x));
  if (moved.every((x) => Math.abs(x) < 1e8)) moved.forEach((x, k) => { numbers[k] = x; });
  else {
    walkDownhill(false);
    find(".al-downhill").textContent = "ran away: no bottom, or too large a rate";
  }
  show();
}

function onwards() {
  if (!isWalking) return;
  stepDownhill();
  requestAnimationFrame(onwards);
}

// Who wants no motion takes one step with each click.
function walkDownhill(on) {
  isWalking = on && !wantsStillness.matches;
  find(".al-downhill").textContent = isWalking ? "stop" : wantsStillness.matches ? "step downhill" : "walk downhill";
  if (isWalking) onwards();
  else if (on) stepDownhill();
}

find(".al-downhill").addEventListener("click", () => walkDownhill(!isWalking));
find(".al-reset").addEventListener("click", () => walkDownhill(false));
walkDownhill(false);
