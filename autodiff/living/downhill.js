// Downhill: at each step every number that walks goes against its gradient, and the streams dry up.

const LOST = 1e8; // beyond this a walk no longer comes back
const RAN_AWAY = "The walk ran away: there is no bottom on this way, or the rate is too large. Reset, and take a smaller one.";
let isWalking = false;
const wantsStillness = matchMedia("(prefers-reduced-motion: reduce)");

function stepDownhill() {
  const rate = Number(find(".al-rate").value), walks = findAll(".al-walks input").map((box) => box.checked);
  const moved = numbers.map((x, k) => (walks[k] ? x - rate * slopeOf(GRAPH.inputs[k]) : x));
  const isLost = !moved.every((x) => Math.abs(x) < LOST);
  if (isLost) walkDownhill(false);
  else moved.forEach((x, k) => { numbers[k] = x; });
  show();
  if (isLost) for (const name of [".al-rule", ".al-said"]) find(name).textContent = RAN_AWAY;
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
find(".al-reset").addEventListener("click", () => {
  walkDownhill(false);
  if (find(".al-rule").textContent === RAN_AWAY) find(".al-rule").textContent = "";
});
walkDownhill(false);
