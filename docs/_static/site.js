// The buttons that copy code show their name when the mouse is over them; a screen reader needs it as well.
window.addEventListener("load", () => {
  for (const button of document.querySelectorAll("button.copybtn")) button.setAttribute("aria-label", "Copy");
});
