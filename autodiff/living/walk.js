// The walk back under a scrubber: at each step one operation passes on what has arrived at its result.

const scrubber = find(".al-walk");
let passed = Infinity; // how many operations have passed on

// The results of operations that pass something on in the picture that is seen, from the end.
const operations = pictures.map((_, k) => {
  const results = GRAPH.edges.filter((edge) => (edge.level ?? 0) === k && edge.flow.length).map((edge) => edge.to);
  return [...new Set(results)].sort((a, b) => b - a);
});

const hasPassed = (i) => operations[level].indexOf(i) < passed;

// What has arrived at a node so far: its gradient at the end of the walk, and null before something has come.
function arrived(i) {
  if (passed >= operations[level].length || i === last) return now.grad[i];
  const parts = GRAPH.edges.flatMap((edge, k) => {
    return isSeen(edge) && edge.from === i && now.flow[k] && hasPassed(edge.to) ? [now.flow[k]] : [];
  });
  return parts.length ? parts.reduce((sum, part) => sum.map((v, j) => v + part[j])) : null;
}

function walkTo(step) {
  const all = operations[level].length;
  passed = step >= all ? Infinity : step;
  Object.assign(scrubber, {max: all, value: Math.min(step, all)});
  const at = passed === Infinity ? -1 : passed === 0 ? last : operations[level][passed - 1];
  const name = at >= 0 && GRAPH.nodes[at].name;
  const words = at < 0 ? "all of it" : passed === 0 ? `it begins at ${name}` : `step ${passed} of ${all}: ${name} passes on`;
  find(".al-step").textContent = words;
  scrubber.setAttribute("aria-valuetext", words);
  light(at);
  showSoon();
}

scrubber.addEventListener("input", () => walkTo(Number(scrubber.value)));
find(".al-reset").addEventListener("click", () => walkTo(Infinity));
