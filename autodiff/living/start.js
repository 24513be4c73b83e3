// The page is ready: show what needs a script, and the numbers.

for (const element of findAll("[data-script]")) element.removeAttribute("hidden"); // an SVG has no property of this name
lit = -2;
walkTo(Infinity);
show();
