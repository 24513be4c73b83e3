"""A slide as HTML: a row of radio buttons that looks and works like a slider, with no kernel and no script.

Where a page strips styles, every step remains with its words and its picture, one below the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from ..picture.render import image

ACCENT = "#c2570c"  # a knob and a focus ring: 3:1 on a white page and on a dark one
STYLE = """
#ID{display:flex;flex-wrap:wrap;max-width:100%}
#ID::after{content:"";order:2;width:100%}
#ID>input{display:inline-block!important;appearance:none;order:1;flex:0 1 36px;min-width:8px;height:26px;margin:0;\
cursor:pointer;background:linear-gradient(#8a94a3,#8a94a3) center/100% 3px no-repeat,\
radial-gradient(circle,#8a94a3 3px,transparent 3.5px) center no-repeat}
#ID>input:checked{background:radial-gradient(circle,ACCENT 8px,transparent 8.5px) center no-repeat,\
linear-gradient(#8a94a3,#8a94a3) center/100% 3px no-repeat}
#ID>input:focus-visible{outline:2px solid ACCENT;border-radius:5px}
#ID>div{display:none;order:3;width:100%}
#ID>input:checked+div{display:block}
#ID>div>div{overflow-x:auto}
#ID p{margin:.2em 0}
@media print{#ID>div{display:block;break-inside:avoid}#ID>input{display:none!important}}
"""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ max-width: 60em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 Helvetica, Arial, sans-serif }}
@media (prefers-color-scheme: dark) {{ body {{ background: #14181f; color: #e5e9f0 }} }}
pre {{ overflow-x: auto }}
</style>
</head>
<body>
<h1>{title}</h1>
{slide}
<details><summary>The same in words</summary><pre>{text}</pre></details>
</body>
</html>
"""


class Step(NamedTuple):
    """One position of the slider: its name, what is said there, and what the picture shows."""

    name: str
    words: str
    description: str


def slide(steps: Sequence[Step], pictures: Sequence[str], uid: str, mark: str) -> str:
    """The part of a page that shows a slide; `uid` must be unique on that page."""
    style = STYLE.replace("ID", uid).replace("ACCENT", ACCENT).strip()
    parts = [f'<div id="{uid}" data-slide="{mark}"><style>{style}</style>']
    middle = len(steps) // 2
    for k, (step, svg) in enumerate(zip(steps, pictures)):
        name, checked = escape(step.name), " checked" if k == middle else ""
        # Hidden until the style shows it: without the style it does nothing. JupyterLab uses the arrow keys for
        # its own commands, except on elements with its data-lm attribute.
        parts.append(
            f'<input type="radio" hidden name="{uid}" title="{name}" aria-label="{name}" '
            f"data-lm-suppress-shortcuts{checked}>"
        )
        picture = image(svg, step.description, style="max-width:none")
        parts.append(f"<div><p><b>{name}</b>: {escape(step.words)}</p><div>{picture}</div></div>")
    return "\n".join([*parts, "</div>"])


def without_pictures(text: str, uid: str, mark: str, hint: str) -> str:
    """The slide as text, for an environment without a layout engine."""
    return (
        f'<div id="{uid}" data-slide="{mark}"><pre>{escape(text, quote=False)}</pre>'
        f"<p><small>{escape(hint)}</small></p></div>"
    )


def page(title: str, slide: str, text: str) -> str:
    """A whole page that needs no other file."""
    return PAGE.format(title=escape(title), slide=slide, text=escape(text, quote=False))
