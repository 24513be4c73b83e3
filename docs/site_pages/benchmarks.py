"""The tables of ``benchmarks/README.md`` with a bar for each ratio."""

from __future__ import annotations

import re
from pathlib import Path

from .course import update

LARGEST = 3.0
"""The ratio at which a bar is full."""


def write(docs: Path) -> None:
    """Write ``docs/benchmarks.md``."""
    text = (docs.parent / "benchmarks" / "README.md").read_text(encoding="utf-8")
    lines, median = [], -1
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            median = -1
        elif "median" in cells:
            median = cells.index("median")
        elif 0 <= median < len(cells) and (number := re.fullmatch(r"\d+(\.\d+)?", cells[median])):
            cells[median] = f"{bar(float(number[0]))} {cells[median]}"
            line = f"| {' | '.join(cells)} |"
        lines.append(line)
    update(docs / "benchmarks.md", "\n".join(lines) + "\n")


def bar(ratio: float) -> str:
    """A bar as long as the ratio, with a mark at 1."""
    width = min(ratio, LARGEST) / LARGEST * 60
    return (
        f'<svg class="bar" width="60" height="12" role="img" aria-label="a bar for {ratio:g}">'
        f'<rect class="bar" width="{width:.1f}" height="12"/>'
        f'<path class="one" d="M{60 / LARGEST:g} 0v12"/></svg>'
    )
