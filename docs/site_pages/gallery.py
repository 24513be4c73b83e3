"""The gallery as a page: the pictures of ``python -m autodiff.draw.gallery``."""

from __future__ import annotations

from html import escape
from pathlib import Path

from autodiff.draw.gallery.graphs import GRAPHS

from .course import update

LEAD = """\
# Gallery

{count} graphs, drawn, filmed and explained. Each was recorded from a few lines of Python, and is drawn with
one call:
`ad.draw(e)`, `ad.film(e)`, `ad.explain(e, a)`, `ad.compare(e)` or `ad.slide(f, a=(-3, 3))`.
"""


def write(docs: Path) -> None:
    """Write ``docs/gallery.md``."""
    parts = [LEAD.format(count=len(GRAPHS))]
    for title, make in GRAPHS:
        bundle, _ = make()._repr_mimebundle_()
        shown = bundle.get("text/html") or f"<pre>{escape(bundle['text/plain'])}</pre>"
        parts.append(f'## {title}\n\n```{{raw}} html\n<div class="picture">\n{shown}\n</div>\n```\n')
    update(docs / "gallery.md", "\n".join(parts))
