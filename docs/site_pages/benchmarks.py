"""The tables of ``benchmarks/README.md`` with a bar for each ratio."""

from __future__ import annotations

import re
from pathlib import Path

HALF = 30.0
"""Pixels from the line in the middle of a bar to either end."""

LEGEND = """\
A bar to the right says that ours took less than what it is compared with, a bar to the left that it took
more, whichever of the two was divided by the other. Halfway to the end is half as much, or twice as much;
no bar reaches the end.

"""


def write(docs: Path) -> None:
    """Write ``docs/benchmarks.md``."""
    from .course import update

    text = (docs.parent / "benchmarks" / "README.md").read_text(encoding="utf-8")
    update(docs / "benchmarks.md", page(text))


def page(text: str) -> str:
    """The text with bars where there is a goal, and without the lines of what was not measured."""
    lines: list[str] = []
    head: list[str] = []
    for line in text.replace("<!-- table", f"{LEGEND}<!-- table", 1).splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        head = (head or cells) if cells else []
        row = dict(zip(head, cells, strict=False))
        median = row.get("median", "")
        if median.startswith("skipped"):
            continue  # a peer was not installed: nothing was measured
        if "goal" in row and re.fullmatch(r"\d+(\.\d+)?", median):
            row["median"] = f"{bar(gain(row['measured'], float(median)))} {median}"
            line = f"| {' | '.join(row.values())} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def gain(measured: str, ratio: float) -> float:
    """How many times as much the other takes: where a row divides the other's by ours, its ratio."""
    return ratio if re.search(r" (by|/) ours\b", measured) else 1 / ratio if ratio else float("inf")


def bar(gain: float) -> str:
    """A bar from the line in the middle, as long as the part of the larger that the smaller one spares."""
    part = 1 - min(gain, 1 / gain)
    kind = "more" if gain < 1 else "less"
    said = f"took {kind}" if part else "took the same"
    x = HALF - HALF * part if gain < 1 else HALF
    return (
        f'<svg class="bar" width="{2 * HALF:g}" height="12" role="img" aria-label="{said}">'
        f'<rect class="{kind}" x="{x:.1f}" width="{HALF * part:.1f}" height="12"/>'
        f'<path d="M{HALF:g} 0v12"/></svg>'
    )
