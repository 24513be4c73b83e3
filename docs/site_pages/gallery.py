"""The gallery as a page: the pictures of ``python -m autodiff.draw.gallery``."""

from __future__ import annotations

from pathlib import Path

from autodiff.draw.gallery.graphs import GRAPHS
from autodiff.draw.gallery.html import html_of

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
        picture = f'<div class="picture">\n{html_of(make())}\n</div>'
        parts.append(f"## {title}\n\n```{{raw}} html\n{picture}\n```\n")
    update(docs / "gallery.md", "\n".join(parts))
