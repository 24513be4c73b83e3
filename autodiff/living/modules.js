// Modules: the boxes that ad.scope and modules make are closed, or open, in one picture for each depth.

function setLevel(k) {
  level = k;
  lit = -2; // what was lit lies in another picture
  pictures.forEach((picture, j) => picture.toggleAttribute("hidden", j !== k));
  find(".al-levels").value = k;
  light(-1);
  show();
}

for (const {group, level: own, index} of closed) {
  const open = () => {
    setLevel(own + 1);
    const inside = find(`[data-n="${index}"], [data-b="${index}"]`, pictures[level]);
    inside?.closest("[tabindex]")?.focus({preventScroll: true});
  };
  if (!canOpen(own)) continue;
  group.classList.add("al-closed");
  group.addEventListener("click", open);
  group.addEventListener("keydown", (event) => {
    if (event.key === "Enter") open();
  });
}

find(".al-levels").addEventListener("input", (event) => setLevel(Number(event.target.value)));
