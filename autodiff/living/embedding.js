// The output of a cell in a notebook: the page, which waits in a comment, in a frame in place of the still.

(() => {
  const root = document.getElementById("UID"), [still, page] = root.childNodes;
  const frame = document.createElement("iframe"), grounds = [];
  // The frame is as dark as what it stands on: the first ground that is not transparent.
  for (let element = root; element; element = element.parentElement) {
    grounds.push(getComputedStyle(element).backgroundColor.match(/[\d.]+/g).map(Number));
  }
  const [red, green, blue] = grounds.find(([, , , alpha = 1]) => alpha > 0.5) ?? [255, 255, 255];
  frame.style.cssText = "width:100%;height:640px;border:0";
  frame.style.colorScheme = red + green + blue < 384 ? "dark" : "light";
  frame.title = still.querySelector("img").alt;
  frame.setAttribute("sandbox", "allow-scripts");
  frame.srcdoc = page.data.replaceAll("--&gt;", "--" + ">");
  addEventListener("message", ({source, data}) => {
    if (source === frame.contentWindow && data.height > 0) frame.style.height = `${Math.ceil(data.height)}px`;
  });
  still.hidden = true;
  root.append(frame);
})();
