"""The tables of ``benchmarks/README.md`` with a bar for each ratio."""

from __future__ import annotations

import re
from pathlib import Path

LARGEST = 3.0
"""The ratio at which a bar is full."""

LEGEND = """\
The bar of a ratio shows how large it is, up to 3. The line in it is at 1, where both are the same.

"""


def write(docs: Path) -> None:
    """Write ``docs/benchmarks.md``."""
    from .course import update

    text = (docs.parent / "benchmarks" / "README.md").read_text(encoding="utf-8")
    update(docs / "benchmarks.md", page(text))


def page(text: str) -> str:
    """The text with bars, and without the lines of what was not measured."""
    lines, median = [], -1
    for line in text.replace("<!-- table", f"{LEGEND}<!-- table", 1).splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            median = -1
        elif "median" in cells:
            median = cells.index("median")
        elif 0 <= median < len(cells) and cells[median].startswith("skipped"):
            continue  # a peer was not installed: nothing was measured
        elif 0 <= median < len(cells) and (number := re.fullmatch(r"\d+(\.\d+)?", cells[median])):
            cells[median] = f"{bar(float(number[0]))} {cells[median]}"
            line = f"| {' | '.join(cells)} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def bar(ratio: float) -> str:
    """A bar as long as the ratio, with a mark at 1."""
    width = min(ratio, LARGEST) / LARGEST * 60
    return (
        f'<svg class="bar" width="60" height="12" role="img" aria-label="a bar for {ratio:g}">'
        f'<rect class="bar" width="{width:.1f}" height="12"/>'
        f'<path class="one" d="M{60 / LARGEST:g} 0v12"/></svg>'
    )
