"""A slide as HTML: a row of radio buttons that looks and works like a slider, with no kernel and no script.

All steps are in one picture, and the style shows one of them. Where a page strips styles, as in an untrusted
notebook, the animated picture and the table remain. A print shows all steps.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from ..filming.page import NOT_RUN, PAGE, PRINT, STEP
from ..picture.render import SMALLEST, image

ACCENT = "#c2570c"  # a knob and a focus ring: 3:1 on a white page and on a dark one
STYLE = """
#ID{display:flex;flex-wrap:wrap;max-width:100%;position:relative}
#ID::after{content:"";order:2;width:100%}
#ID>.i,#ID>pre{display:none}
#ID>input{display:inline-block!important;appearance:none;order:1;flex:0 0 min(36px,100%/COUNT);\
min-width:0;height:26px;margin:0;cursor:pointer;\
background:linear-gradient(#8a94a3,#8a94a3) center/100% 3px no-repeat,\
radial-gradient(circle,#8a94a3 3px,transparent 3.5px) center no-repeat}
#ID>input:checked{background:radial-gradient(circle,ACCENT 8px,transparent 8.5px) center no-repeat,\
linear-gradient(#8a94a3,#8a94a3) center/100% 3px no-repeat}
#ID>input:focus-visible{outline:2px solid ACCENT;border-radius:5px}
#ID>.w{display:grid!important;order:3;width:100%}
#ID>.w>*{grid-area:1/1;visibility:hidden}
#ID>.s{display:block!important;order:4;flex:0 1 WIDTHpx;min-width:0;overflow-x:auto;margin:.3em 0}
#ID .f{aspect-ratio:WIDTH/HEIGHT;width:100%;min-width:LEASTpx;\
background:url("STRIP") 0 0/100% COUNT00%;print-color-adjust:exact;-webkit-print-color-adjust:exact}
#ID .w .f{position:absolute;width:1px;min-width:0;overflow:hidden;clip-path:inset(50%)}
#ID p{margin:.2em 0}
"""


class Step(NamedTuple):
    """One position of the slider: its name, what is said there, and what the picture shows."""

    name: str
    words: str
    description: str


def slide(
    title: str,
    steps: Sequence[Step],
    strip: str,
    loop: str,
    size: tuple[int, int],
    text: str,
    uid: str,
    mark: str,
) -> str:
    """The part of a page that shows a slide; `uid` must be unique on that page.

    `strip` is the picture of all steps, `loop` the animated one, and `size` that of one step.
    """
    count, middle = len(steps), len(steps) // 2
    # A sanitizer keeps these two only as attributes with a value.
    hidden = 'hidden="hidden" style="display:none"'
    # JupyterLab uses the arrow keys for its own commands, except on elements with its data-lm attribute.
    radios = [
        f'<input type="radio" {hidden} name="{uid}" title="{escape(step.name)}" '
        f'aria-label="{escape(step.name)}" data-lm-suppress-shortcuts{" checked" if k == middle else ""}>'
        for k, step in enumerate(steps)
    ]
    captions = "\n".join(_caption(step, k, count) for k, step in enumerate(steps))
    return "\n".join(
        [
            f'<div id="{uid}" data-slide="{mark}" role="group" aria-label="{escape(title)}">',
            f"<style>{_style(uid, strip, size, count)}</style>",
            *radios,
            f'<div class="w" aria-live="polite" {hidden}>{captions}</div>',
            f'<div class="s" {hidden}><div class="f" aria-hidden="true"></div></div>',
            f'<div class="i"><p>{NOT_RUN}</p>{image(loop, steps[-1].description)}</div>',
            f"<pre>{escape(text, quote=False)}</pre></div>",
        ]
    )


def page(title: str, slide: str, text: str) -> str:
    """A whole page that needs no other file."""
    return PAGE.format(title=escape(title), film=slide, text=escape(text, quote=False))


def _style(uid: str, strip: str, size: tuple[int, int], count: int) -> str:
    """The style of one slide: what all steps share, and which step each radio button shows."""
    width, height = size
    coded = base64.b64encode(strip.encode()).decode()
    steps = "".join(
        STEP.replace("NUMBER", str(k + 1)).replace("PLACE", f"{_place(k, count):.6g}").replace("VIEW", "0")
        for k in range(count)
    )
    found = (STYLE + steps + PRINT).replace("COUNT", str(count)).replace("HEIGHT", str(height))
    found = found.replace("LEAST", str(round(width * SMALLEST))).replace("WIDTH", str(width))
    found = found.replace("ID", uid).replace("ACCENT", ACCENT)
    return found.replace("STRIP", f"data:image/svg+xml;base64,{coded}").strip()


def _caption(step: Step, k: int, count: int) -> str:
    """The words of a step with its picture, which is shown on paper, and only read aloud on the screen."""
    return (
        f'<div><div class="f" role="img" aria-label="{escape(step.description)}" '
        f'style="background-position:0 {_place(k, count):.6g}%"></div>'
        f"<p><b>{escape(step.name)}</b>: {escape(step.words)}</p></div>"
    )


def _place(k: int, count: int) -> float:
    """Where in the strip a step is, in percent."""
    return 100 * k / (count - 1)
