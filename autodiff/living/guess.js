// Guess: a gradient is hidden until somebody types it, and so is what flows along the edges to it.

const guessed = new Set();

const isGuessing = () => find(".al-guess").checked;

// Whether a node's gradient is to be guessed: that of a single number, before the walk has begun.
const canBeGuessed = (i) => i !== last && now.grad[i]?.length === 1;
const isSecret = (i) => isGuessing() && canBeGuessed(i) && !guessed.has(i);

// A gradient as it may be said: a question mark for one that is to be guessed.
const gradientText = (i, cell = 0, write = brief) => (isSecret(i) ? "?" : write(now.grad[i][cell]));

// Whether a guess is right to two digits.
const isRight = (i, value) => Math.abs(value - now.grad[i][0]) <= 0.01 * Math.abs(now.grad[i][0]) + 1e-9;

// A field in which a gradient is guessed; a wrong guess is answered by the rule.
function guess(i, element) {
  light(i);
  openField(element, gradientName(i), "", {
    accepts: (value) => isRight(i, value),
    done: () => {
      guessed.add(i);
      show();
    },
    refused: (text) => {
      const line = document.createElement("span");
      line.textContent = `${text} is not it. Multiply along each edge, and add up what arrives.`;
      find(".al-rule").append(line);
      find(".al-said").textContent = line.textContent;
    },
  });
}

boxes.forEach(({groups, grad}, i) => {
  for (const text of grad.texts) {
    text.addEventListener("pointerdown", (event) => {
      if (!isSecret(i)) return;
      event.stopPropagation(); // the box of an input would be dragged
      event.preventDefault();
      guess(i, text);
    });
  }
  for (const box of groups) {
    box.addEventListener("keydown", (event) => {
      if (event.key !== "g" || !isSecret(i)) return;
      event.preventDefault();
      guess(i, document.activeElement);
    });
  }
});

find(".al-guess").addEventListener("input", () => {
  guessed.clear();
  showSoon();
});

followers.push(() => {
  const all = GRAPH.nodes.map((_, i) => i).filter(canBeGuessed), text = isGuessing() ? `${guessed.size} of ${all.length} found` : "";
  find(".al-found").textContent = text;
  boxes.forEach(({groups}, i) => mark(groups, "al-secret", isSecret(i)));
});
