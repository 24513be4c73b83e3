"""A still picture of a training, for notebooks in which no script runs: its samples as points."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ...draw.theme import Theme
from .descent import Descent
from .plan import Plan

SIDE, ROOM = 320, 26  # of the square of points, and for the words below it
STILL = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" \
font-family="sans-serif" font-size="13">
<rect width="{width}" height="{height}" fill="{paper}"/>
{marks}
<text x="6" y="{base}" fill="{ink}">{words}</text>
</svg>
"""


def still(plan: Plan | Descent, theme: Theme, words: str) -> str:
    """The picture as SVG."""
    marks = [*points(plan, theme)]
    side = SIDE if marks else 0
    return STILL.format(
        width=max(SIDE, 8 * len(words)),
        height=side + ROOM,
        base=side + ROOM - 8,
        paper=theme.paper,
        ink=theme.ink,
        marks="\n".join(marks),
        words=escape(words, quote=False),
    )


def points(plan: Plan | Descent, theme: Theme) -> Iterator[str]:
    """The samples of the first data set as points; none for pictures and surfaces."""
    if plan.facts["input"] in ("picture", "surface"):
        return
    (_, x, y), (across, up) = plan.sets[0], plan.facts["sets"][0]["domain"]
    targets = y.reshape(len(y), -1)[:, 0]
    heights = x[:, 1] if plan.facts["input"] == "plane" else targets
    middle = plan.facts.get("between", plan.facts["middle"] if plan.facts["target"] == "number" else 0.5)
    for fill, chosen in ((theme.minus, targets <= middle), (theme.plus, targets > middle)):
        yield f'<g fill="{fill}" stroke="{theme.paper}">'
        for a, b in zip(x[chosen, 0], heights[chosen]):
            left, top = (a - across[0]) / (across[1] - across[0]), (up[1] - b) / (up[1] - up[0])
            yield f'<circle cx="{SIDE * left:.1f}" cy="{SIDE * top:.1f}" r="4"/>'
        yield "</g>"
