// Time: a training plays, pauses, steps, goes back, and is shown as it was at an earlier step.

const reducesMotion = matchMedia("(prefers-reduced-motion: reduce)");

const pace = []; // the milliseconds of the latest frames

let isPlaying = false, last = 0;

function frame(time) {
  if (!isPlaying) return;
  if (last) pace.push(time - last);
  if (pace.length > 30) pace.shift();
  last = time;
  for (let k = Number(find("speed").value); k > 0 && !training.isLost; k--) training.step();
  if (!reducesMotion.matches) view.phase -= 1.5;
  look();
  if (training.isLost) play(false);
  else requestAnimationFrame(frame);
}

function play(on) {
  isPlaying = on;
  last = pace.length = 0;
  find("play").textContent = on ? "pause" : "play";
  if (on) requestAnimationFrame(frame);
  else say(find("words").textContent);
}

// Do something while nothing plays, and show and say what came of it.
function pausing(action) {
  return (event) => {
    play(false);
    action(event);
    look();
    say(find("words").textContent);
  };
}

find("play").addEventListener("click", () => play(!isPlaying));
find("step").addEventListener("click", pausing(() => training.step()));
find("back").addEventListener("click", pausing(() => training.goTo(training.count - 1)));
find("history").addEventListener("input", pausing((event) => training.goTo(Number(event.target.value))));

// What is said of every training, and where it is in its history.
function tellTime(words) {
  const time = pace.reduce((a, b) => a + b, 0);
  if (pace.length > 5) words.push(`${Math.round((1000 * pace.length) / time)} frames a second`);
  if (training.isLost) words.push("the steps were too long: lower the rate, and go back");
  find("words").textContent = words.join(", ");
  find("history").max = Math.max(training.length, 1);
  find("history").value = training.count;
  find("back").disabled = !training.count;
}

// Beside the lines of a program in Python put those of the function that runs, from its own text.
function fillProgram(table) {
  const {rows} = table.tBodies[0], text = PROGRAMS[table.dataset.program].toString().split("\n");
  const start = text.findIndex((line) => line.endsWith("{")) + 1;
  if (rows[0]?.cells.length === 1) [...rows].forEach((row, k) => {
    row.insertCell().appendChild(document.createElement("code")).textContent = text[start + k];
  });
}

// Show what needs a script, and again whenever the page changes its size or its colours.
function start() {
  readColours();
  for (const element of root.querySelectorAll("[data-script]")) element.hidden = false;
  find("still").remove();
  look();
  new ResizeObserver(() => look()).observe(find("points"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColours();
    look();
  });
}
