"""The gallery as a page: the pictures of ``site_pages/pictures``, first small, then with their Python."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from .course import update
from .pictures.hard import GALLERY

LEAD = """\
# Gallery

{count} pictures, films and explanations of graphs, each with the lines of Python that make it. A graph is
recorded while Python computes, and the names in a picture are those of the variables.

```{{raw}} html
<nav class="sheet" aria-label="All pictures">
{sheet}
</nav>
```

Three pages compute under your hand: [a network that learns](index.md), [a digit that you draw](digits.md),
and [a network that writes names](names.md).

[Draw](guide/draw.md) says more of the functions. Put these two lines before each example:

```python
import numpy as np
import autodiff as ad
```

A function that several examples call is shown where it is needed first.
"""
SMALL = """\
<a href="#{anchor}">
<img class="{shape}" role="presentation" alt="" src="_static/gallery/{anchor}.svg">{title}
</a>"""
EXAMPLE = """\
({anchor})=
### {title}

{text}

```python
{code}
```

```{{raw}} html
<div class="picture">
{picture}
</div>
```
"""


def write(docs: Path) -> None:
    """Write ``docs/gallery.md``, and the small pictures."""
    folder = docs / "_static" / "gallery"
    folder.mkdir(exist_ok=True)
    sheet, parts, shown = [], [], set[str]()
    for part in GALLERY:
        parts.append(f"## {part.title}\n\n{part.text}\n")
        for example in part.examples:
            bundle, _ = example.make()._repr_mimebundle_()
            still, code = bundle["image/svg+xml"], example.code(shown)
            update(folder / f"{example.anchor}.svg", still)
            given = {"anchor": example.anchor, "title": example.title, "text": example.text, "code": code}
            parts.append(EXAMPLE.format(**given, picture=bundle["text/html"]))
            given |= {"title": escape(example.title), "shape": shape(still)}
            sheet.append(SMALL.format(**given))
    lead = LEAD.format(count=len(sheet), sheet="\n".join(sheet))
    update(docs / "gallery.md", "\n".join([lead, *parts]))


def shape(svg: str) -> str:
    """Whether a picture is so tall that only its beginning can be seen where it is small."""
    width, height = map(int, re.search(r' width="(\d+)" height="(\d+)"', svg).groups())  # type: ignore[union-attr]
    return "tall" if height > width else "wide"
