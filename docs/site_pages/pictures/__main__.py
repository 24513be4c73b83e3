"""Write the gallery: in `docs`, `python -m site_pages.pictures [file]`, by default gallery.html there."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from .hard import PARTS
from .html import html_of

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{count} pictures of graphs</title>
<style>
:root {{ color-scheme: light dark }}
body {{ max-width: 60em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 Helvetica, Arial, sans-serif }}
section {{ margin: 2em 0; overflow-x: auto }}
h2 {{ font-size: 1em }}
</style>
</head>
<body>
<h1>{count} pictures of graphs</h1>
{sections}
</body>
</html>
"""


def page() -> str:
    """All pictures of the gallery as one page of HTML."""
    sections = []
    for part in PARTS:
        for example in part.examples:
            picture = html_of(example.make())
            sections.append(f"<section><h2>{escape(example.title)}</h2>\n{picture}</section>")
    return PAGE.format(count=len(sections), sections="\n".join(sections))


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "gallery.html")
    target.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{target}: {sum(len(part.examples) for part in PARTS)} pictures\n")
