// What is wrong with the page that is open, for those who read it on a phone, in the dark, by ear or by keyboard.
(() => {
  const found = [];
  const style = (element) => getComputedStyle(element);
  const shown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };

  if (document.documentElement.scrollWidth > innerWidth + 1) found.push("wider than the window");
  if (!document.documentElement.lang) found.push("no language");
  if (!document.title) found.push("no title");
  if (!document.querySelector("meta[name=viewport]")) found.push("no viewport");

  for (const element of document.querySelectorAll("a[href], button, input, select, summary")) {
    if (!shown(element)) continue;
    const name = [element.textContent, element.ariaLabel, element.title, element.placeholder,
      element.querySelector("img")?.alt, element.labels?.[0]?.textContent].some((text) => text?.trim());
    if (!name) found.push("no name: " + element.outerHTML.slice(0, 80));
    if (element.tabIndex < 0) found.push("not by keyboard: " + element.outerHTML.slice(0, 80));
  }

  // Contrast as in WCAG 2.1, 1.4.3 (AA): 4.5 for text, 3 for large text.
  const color = (text) => {
    const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g).map(Number);
    return text.startsWith("color(srgb") ? [255 * red, 255 * green, 255 * blue, alpha] : [red, green, blue, alpha];
  };
  const luminance = (rgb) => {
    const linear = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(rgb[0] / 255) + 0.7152 * linear(rgb[1] / 255) + 0.0722 * linear(rgb[2] / 255);
  };
  const over = (above, below) => [0, 1, 2].map((k) => above[k] * above[3] + below[k] * (1 - above[3]));
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(color(style(e).backgroundColor));
    return layers.reverse().reduce((below, above) => over(above, below), [255, 255, 255]);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || seen.has(element) || element.closest("svg, script, style")) continue;
    seen.add(element);
    if (!shown(element)) continue;
    const ground = behind(element);
    const [light, dark] = [luminance(over(color(style(element).color), ground)), luminance(ground)].sort((a, b) => b - a);
    const size = parseFloat(style(element).fontSize);
    const large = size >= 24 || (size >= 18.66 && style(element).fontWeight >= 700);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < (large ? 3 : 4.5))
      found.push(`contrast ${ratio.toFixed(2)}: ${texts.currentNode.data.trim().slice(0, 60)}`);
  }
  return found;
})()
