// A link that holds the numbers, page.html#a=-1.25: whoever opens it sees these.

const isOwnPage = ["http:", "https:", "file:"].includes(location.protocol) && window === window.top;

function readLink() {
  let text = "";
  try {
    text = decodeURIComponent(location.hash.slice(1));
  } catch {
    return; // it is not one of ours
  }
  for (const part of text.split("&")) {
    const [name, value] = part.split("="), k = GRAPH.inputs.findIndex((input) => input.name === name);
    if (k >= 0 && Number.isFinite(parsed(value ?? ""))) numbers[k] = parsed(value);
  }
}

const linkText = () => GRAPH.inputs.map(({name}, k) => `${encodeURIComponent(name)}=${numbers[k]}`).join("&");

if (isOwnPage) {
  readLink();
  addEventListener("hashchange", () => {
    readLink();
    showSoon();
  });
  find(".al-link").addEventListener("click", async () => {
    history.replaceState(null, "", `#${linkText()}`);
    const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
    find(".al-link").textContent = copied ? "link copied" : "the address has the numbers";
  });
} else {
  find(".al-link").remove();
}
