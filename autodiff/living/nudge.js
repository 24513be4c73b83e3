// Nudge: what the result does when one number is moved a little, beside the gradient that says it in advance.

const isNudging = () => find(".al-nudge").checked;

const nudgeSize = () => Number(find(".al-h").value);

// The change of the result for a nudge of an input, divided by the nudge.
function nudged(k) {
  if (!isNudging()) return NaN;
  return (resultFor(withNumber(k, numbers[k] + nudgeSize())) - now.data[last][0]) / nudgeSize();
}

followers.push(() => {
  for (const cell of findAll(".al-nudged")) cell.hidden = !isNudging();
  if (!isNudging()) return;
  findAll("td.al-nudged").forEach((cell, k) => {
    cell.textContent = brief(nudged(k), 5);
  });
});

for (const choice of [".al-nudge", ".al-h"]) find(choice).addEventListener("input", showSoon);
