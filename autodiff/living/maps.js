// Large arrays as maps of squares, for pages that have some.

// The squares of a large array in place of those that were drawn in Python.
function squares(map, [rows, columns]) {
  const [left, top] = map.dataset.m.split(" ").map(Number);
  const paths = Array.from({length: rows * columns}, (_, k) => {
    return `<path d="M${left + 8 * (k % columns)} ${top + 8 * Math.floor(k / columns)}h8v8h-8z"/>`;
  });
  map.innerHTML = paths.join("");
  return [...map.children];
}

// For each square of the map of a large array the element farthest from 0, as graph/as_text.py finds it.
function farthest(values, [down, across, rows, columns]) {
  const found = new Array(down * across).fill(0);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const k = blockOf(i, rows, down) * across + blockOf(j, columns, across), v = values[i * columns + j];
      if (Number.isNaN(v) || Math.abs(v) > Math.abs(found[k])) found[k] = v;
    }
  }
  return found;
}

// Which of some equal blocks of a length a place lies in.
function blockOf(i, length, blocks) {
  let k = Math.floor((i * blocks) / length);
  while (k + 1 < blocks && Math.floor(((k + 1) * length) / blocks) <= i) k++;
  return k;
}
