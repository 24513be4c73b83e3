"""A film as HTML: radio buttons and CSS show one step at a time, with no kernel and no script.

All steps are in one picture, the strip, and the style shows one step of it. Where a page strips styles, as in
an untrusted notebook, the animated picture and the table remain. A print shows all steps.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

from ..picture.render import SMALLEST, image
from .story import Step, Story
from .view import MARGINS, PHONE, ZOOM

STYLE = """
#ID{display:flex;flex-wrap:wrap;align-items:flex-start;max-width:100%;position:relative}
#ID::after{content:"";order:2;width:100%}
#ID>.i,#ID>pre{display:none}
#ID>input{display:inline-block!important;order:1;margin:.65em .15em 0;width:1em;height:1em;cursor:pointer;\
accent-color:#c2570c}
#ID>.n,#ID>.w{display:grid!important}
#ID>.n>*,#ID>.w>*{grid-area:1/1;visibility:hidden}
#ID>.n>*{display:flex;gap:.4em;margin:.3em 1em .3em 0}
#ID label{border:1px solid #8a94a3;border-radius:.4em;padding:.1em .7em;line-height:1.5;cursor:pointer;\
user-select:none;margin:0}
#ID label:not([for]){opacity:.4;cursor:default}
#ID label[for]:hover{border-color:#c2570c}
#ID label::after{content:attr(title)}
#ID>.s{display:block!important;order:3;flex:0 1 WIDTHpx;min-width:0;overflow-x:auto;margin:.3em 1.5em .3em 0}
#ID .f{aspect-ratio:WIDTH/HEIGHT;width:100%;min-width:LEASTpx;\
background:url("STRIP") 0 0/100% COUNT00%;print-color-adjust:exact;-webkit-print-color-adjust:exact}
#ID>.w{order:PLACED;max-width:48em;line-height:1.45}
#ID .w .f{position:absolute;width:1px;min-width:0;overflow:hidden;clip-path:inset(50%)}
#ID p{margin:.2em 0}
"""
FOLLOWED = """@media (max-width:NARROWpx){
#ID>.n{flex-basis:100%}
#ID>.s{overflow:hidden;flex-basis:WIDEpx;margin-right:0}
#ID>.s>.f{aspect-ratio:auto;height:TALLpx;min-width:0;background-size:WIDEpx auto}
}
"""  # a phone sees a part of the picture, and each step's own
STEP = (
    "#ID>input:nth-of-type(NUMBER):checked~div>:nth-child(NUMBER){visibility:visible}\n"
    "#ID>input:nth-of-type(NUMBER):checked~.s>.f{background-position:VIEW PLACE%}\n"
)
PRINT = """@media print{
#ID>input,#ID>.n,#ID>.s{display:none!important}
#ID>.w{display:block!important;max-width:none}
#ID>.w>*{visibility:visible;break-inside:avoid;margin-bottom:1em}
#ID .w .f{position:static;width:WIDTHpx;max-width:100%;clip-path:none}
}"""
BESIDE, ABOVE = "4;flex:1 1 22em", "2;flex:1 1 100%"  # where the captions are
TALL = 480  # pixels: a picture that is taller has its captions above it, near the buttons
BUTTONS = ("first", "previous", "next", "last")
NOT_RUN = "There is nothing to click here yet: in a notebook, run the cell."  # where styles are stripped
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ max-width: 64em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 Helvetica, Arial, sans-serif }}
@media (prefers-color-scheme: dark) {{ body {{ background: #14181f; color: #e5e9f0 }} }}
pre {{ overflow-x: auto }}
@media print {{ details {{ display: none }} }}
</style>
</head>
<body>
<h1>{title}</h1>
{film}
<details><summary>The same in words</summary><pre>{text}</pre></details>
</body>
</html>
"""


def film(
    story: Story,
    strip: str,
    loop: str,
    size: tuple[int, int],
    uid: str,
    mark: str,
    views: Sequence[float] | None = None,
) -> str:
    """The part of a page that shows the film; `uid` must be unique on that page.

    `strip` is the picture of all steps, `loop` the animated one, and `size` that of one step. `views` says
    which part of it a phone shows of each step; without it the reader scrolls.
    """
    count = len(story.steps)
    # A sanitizer keeps these two only as attributes with a value.
    hidden = 'hidden="hidden" style="display:none"'
    # JupyterLab uses the arrow keys for its own commands, except on elements with its data-lm attribute.
    radios = [
        f'<input type="radio" {hidden} name="{uid}" id="{uid}-{k}" title="step {k} of {count}" '
        f'aria-label="step {k} of {count}" data-lm-suppress-shortcuts{" checked" if k == 1 else ""}>'
        for k in range(1, count + 1)
    ]
    buttons = "".join(_buttons(uid, k, count) for k in range(count))
    captions = "\n".join(_caption(story, k) for k in range(count))
    return "\n".join(
        [
            f'<div id="{uid}" data-film="{mark}" role="group" aria-label="{title(story)}">',
            f"<style>{_style(uid, strip, size, count, views)}</style>",
            *radios,
            f'<div class="n" {hidden}>{buttons}</div>',
            f'<div class="s" {hidden}><div class="f" aria-hidden="true"></div></div>',
            f'<div class="w" aria-live="polite" {hidden}>{captions}</div>',
            f'<div class="i"><p>{NOT_RUN}</p>{image(loop, description(story, count - 1))}</div>',
            f'<pre style="overflow-x:auto">{escape(story.text, quote=False)}</pre></div>',
        ]
    )


def page(story: Story, film: str) -> str:
    """A whole page that needs no other file."""
    return PAGE.format(title=title(story), film=film, text=escape(story.text, quote=False))


def title(story: Story) -> str:
    """What a film is, in words that HTML may hold."""
    return escape(f"{TITLES[story.direction]} {story.end}, step by step")


TITLES = {
    "backward": "The walk back from",
    "forward": "The way to",
    "tangents": "What moves on the way to",
    "both": "The way to and back from",
}


def _style(
    uid: str, strip: str, size: tuple[int, int], count: int, views: Sequence[float] | None
) -> str:
    """The style of one film: what all steps share, and which step each radio button shows."""
    width, height = size
    coded = base64.b64encode(strip.encode()).decode()
    steps = "".join(
        STEP.replace("NUMBER", str(k + 1))
        .replace("PLACE", f"{100 * k / (count - 1):.6g}")
        .replace("VIEW", f"{views[k]:.3g}%" if views else "0")
        for k in range(count)
    )
    followed = FOLLOWED.replace("NARROW", str(min(PHONE, width + MARGINS))) if views else ""
    followed = followed.replace("TALL", f"{ZOOM * height:.6g}").replace("WIDE", f"{ZOOM * width:.6g}")
    found = (STYLE + followed + steps + PRINT).replace("PLACED", ABOVE if height > TALL else BESIDE)
    found = found.replace("COUNT", str(count)).replace("HEIGHT", str(height))
    found = (
        found.replace("LEAST", str(round(width * SMALLEST))).replace("WIDTH", str(width)).replace("ID", uid)
    )
    return found.replace("STRIP", f"data:image/svg+xml;base64,{coded}").strip()


def _buttons(uid: str, k: int, count: int) -> str:
    targets = (0, k - 1, k + 1, count - 1)
    ends = [f' for="{uid}-{to + 1}"' if 0 <= to < count and to != k else "" for to in targets]
    labels = "".join(f'<label title="{word}"{end}></label>' for word, end in zip(BUTTONS, ends))
    return f"<span>{labels}</span>"


def _caption(story: Story, k: int) -> str:
    """The caption of a step, with its picture, which is shown on paper, and only read aloud on the screen."""
    step, count = story.steps[k], len(story.steps)
    symbols = "".join(f"<br><code>{escape(line)}</code>" for line in step.symbols)
    place = f"background-position:0 {100 * k / (count - 1):.6g}%"
    return (
        f'<div><div class="f" role="img" aria-label="{escape(description(story, k))}" style="{place}"></div>'
        f"<b>Step {k + 1} of {count}: {escape(step.title)}</b>"
        f"<p>{escape(step.words, quote=False)}{symbols}</p></div>"
    )


def description(story: Story, k: int) -> str:
    """What a step shows, for readers who cannot see it."""
    step = story.steps[k]
    shown = [f"{ROWS[row]}: {_known(story, step, row)}" for row in story.rows]
    return f"Graph of {story.end} at step {k + 1}, {'. '.join(shown)}."


ROWS = {"grad": "gradients", "data": "data", "tangent": "tangents"}


def _known(story: Story, step: Step, row: str) -> str:
    known = step.known.get(row, {})
    return "; ".join(
        f"{node.name} {known[node.index].line if node.index in known else '-'}"
        for node in story.nodes
        if not node.is_quiet or row == "data"
    )
