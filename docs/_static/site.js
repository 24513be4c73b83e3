// The buttons that copy code show their name when the mouse is over them; a screen reader needs it as well.
window.addEventListener("load", () => {
  for (const button of document.querySelectorAll("button.copybtn")) button.setAttribute("aria-label", "Copy");
});

// The film of the front page, once it is seen, goes on by itself, each step as long as its words take to read, to its
// end: until a reader pauses it, or steps by hand. Who wants no motion gets none.
window.addEventListener("load", () => {
  const film = document.querySelector(".plays > [data-film]");
  if (!film) return;
  const steps = [...film.querySelectorAll(":scope > input")];
  const words = film.querySelector(":scope > .w");
  const button = document.createElement("button");
  const now = () => steps.findIndex((step) => step.checked);
  let timer = 0;

  const pause = () => {
    clearTimeout(timer);
    timer = 0;
    button.textContent = "play";
    words.ariaLive = "polite";
  };
  const play = () => {
    const count = words.children[now()].querySelector("p").firstChild.textContent.split(" ").length;
    button.textContent = "pause";
    words.ariaLive = "off"; // what goes on by itself must not keep a screen reader talking
    timer = setTimeout(() => {
      steps[now() + 1].checked = true;
      if (now() + 1 < steps.length) play();
      else pause();
    }, 1000 + 250 * count);
  };

  button.type = "button";
  button.addEventListener("click", () => {
    if (timer) return pause();
    if (now() + 1 === steps.length) steps[0].checked = true;
    play();
  });
  film.addEventListener("change", pause);
  film.prepend(button);
  pause();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  new IntersectionObserver(([{ isIntersecting }], seen) => {
    if (!isIntersecting) return;
    seen.disconnect();
    play();
  }, { threshold: 0.5 }).observe(film);
});

// Who says "Search Control K" to the computer means the button on which this is written.
window.addEventListener("load", () => {
  for (const button of document.querySelectorAll(".search-button-field"))
    button.ariaLabel = button.textContent.replace(/\s+/g, " ").trim();
});

// What is wider than the page scrolls by itself, by the arrow keys too: for these it has to be reached by Tab.
for (const moment of ["load", "resize", "toggle"])
  window.addEventListener(moment, () => {
    for (const part of document.querySelectorAll(".bd-article *"))
      if (part.scrollWidth > part.clientWidth && /auto|scroll/.test(getComputedStyle(part).overflowX)) part.tabIndex = 0;
  }, true);

// On a phone a table of three or five columns is a list (site.css): each of its lines says which column it was.
window.addEventListener("load", () => {
  for (const table of document.querySelectorAll(".bd-article table")) {
    const heads = [...table.querySelectorAll("thead :is(th, td)")].map((head) => head.textContent.trim());
    for (const row of table.querySelectorAll("tbody tr"))
      [...row.cells].forEach((cell, i) => heads[i] && cell.setAttribute("data-label", heads[i]));
  }
});

// Where a name in code has to be broken, it is broken after a dot, an underline, a bracket or a comma.
window.addEventListener("load", () => {
  for (const part of document.querySelectorAll(".bd-article td code .pre, .bd-article .sig .pre, .bd-sidebar-secondary code .pre"))
    part.innerHTML = part.innerHTML.replace(/([._([,])(?=\w)/g, "$1<wbr>");
});
