// Python comes from another address than this page, or from far down in the site. Where it does not answer, cells
// would wait for ever, with a [*] and no word: so it is asked for first, and the reader is told what to do.
(async () => {
  const script = document.currentScript;
  const python = new URL(script.dataset.python, script.src);
  const limit = AbortSignal.timeout(20000);
  const answers = await fetch(python, { mode: "no-cors", signal: limit }).then(() => true, () => false);
  if (answers) return;
  const path = new URLSearchParams(location.search).get("path") ?? "index.ipynb";
  const lesson = new URL(`../course/${path.replace(/\.ipynb$/, ".html")}`, script.src);
  const start = new URL("../index.html#Run-it", script.src);
  const said = document.createElement("div");
  said.setAttribute("role", "alert");
  said.style.cssText =
    "position: fixed; inset: auto 0 0 0; z-index: 10000; padding: .8rem 1rem; max-height: 50%; overflow: auto;" +
    "font: 16px/1.4 sans-serif; color: #222; background: #fff3c4; border-top: 2px solid #b58900";
  said.innerHTML =
    `<b>Python cannot be loaded.</b> It comes from ${python.host}, which does not answer, so no cell will run here. ` +
    `You can <a style="color: #0b4f9e">read this lesson as a page</a>, or ` +
    `<a style="color: #0b4f9e">run it on your own computer</a>: ` +
    `<code>pip install -e ".[lessons]" &amp;&amp; jupyter lab notebooks</code>. ` +
    `<button>Try again</button>`;
  const [page, install] = said.querySelectorAll("a");
  page.href = lesson;
  install.href = start;
  said.querySelector("button").onclick = () => location.reload();
  document.body.append(said);
})();
