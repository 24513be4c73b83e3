"""A film as HTML: radio buttons and CSS show one frame at a time, with no kernel and no script.

The style adds the words on the buttons and the row of dots. Where a page strips styles, every step remains
with its caption and its picture, one below the other.
"""

from __future__ import annotations

from html import escape

from ..picture.render import image
from .story import Story

STYLE = """
#ID{display:flex;flex-wrap:wrap;align-items:center;max-width:100%}
#ID::after{content:"";order:2;width:100%}
#ID>input{display:inline-block!important;order:1;margin:0 .15em;width:1em;height:1em;cursor:pointer;\
accent-color:#c2570c}
#ID>div{display:none}
#ID>input:checked+div{display:contents}
#ID>div>span{order:0;display:flex;gap:.4em;margin:.3em 1em .3em 0}
#ID label{border:1px solid #8a94a3;border-radius:.4em;padding:.1em .7em;line-height:1.5;cursor:pointer;\
user-select:none;margin:0}
#ID label:not([for]){opacity:.4;cursor:default}
#ID label[for]:hover{border-color:#c2570c}
#ID label::after{content:attr(title)}
#ID img{order:3;max-width:100%;height:auto;margin:.3em 1.5em .3em 0}
#ID>div>div{order:4;flex:1 1 22em;align-self:flex-start;max-width:48em;line-height:1.45}
#ID p{margin:.2em 0}
"""
BUTTONS = ("first", "previous", "next", "last")
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
{film}
<details><summary>The same in words</summary><pre>{text}</pre></details>
</body>
</html>
"""


def film(story: Story, frames: list[str], uid: str, mark: str) -> str:
    """The part of a page that shows the film; `uid` must be unique on that page."""
    count = len(frames)
    # Only plain tags, which every sanitizer lets through.
    parts = [f'<div id="{uid}" data-film="{mark}"><style>{STYLE.replace("ID", uid).strip()}</style>']
    for k, (step, svg) in enumerate(zip(story.steps, frames)):
        spot = f"step {k + 1} of {count}"
        checked = " checked" if k == 0 else ""
        # The buttons are hidden until the style shows them: without the style they do nothing. JupyterLab
        # uses the arrow keys for its own commands, except on elements with its data-lm attribute.
        parts.append(
            f'<input type="radio" hidden name="{uid}" id="{uid}-{k + 1}" title="{spot}" '
            f'aria-label="{spot}" data-lm-suppress-shortcuts{checked}>'
        )
        picture = image(svg, _description(story, k), style="")
        symbols = "".join(f"<br><code>{escape(line)}</code>" for line in step.symbols)
        parts.append(
            f"<div>{_buttons(uid, k, count)}<div><b>Step {k + 1} of {count}: {escape(step.title)}</b>"
            f"<p>{escape(step.words, quote=False)}{symbols}</p></div>{picture}</div>"
        )
    return "\n".join([*parts, "</div>"])


def without_pictures(story: Story, uid: str, mark: str, hint: str) -> str:
    """The film as text, for an environment without a layout engine."""
    return (
        f'<div id="{uid}" data-film="{mark}"><pre>{escape(story.text, quote=False)}</pre>'
        f"<p><small>{escape(hint)}</small></p></div>"
    )


def page(story: Story, film: str) -> str:
    """A whole page that needs no other file."""
    way = "The walk back from" if story.direction == "backward" else "The way to"
    title = escape(f"{way} {story.end}, step by step")
    return PAGE.format(title=title, film=film, text=escape(story.text, quote=False))


def _buttons(uid: str, k: int, count: int) -> str:
    targets = (0, k - 1, k + 1, count - 1)
    ends = [f' for="{uid}-{to + 1}"' if 0 <= to < count and to != k else "" for to in targets]
    labels = "".join(f'<label title="{word}"{end}></label>' for word, end in zip(BUTTONS, ends))
    return f"<span>{labels}</span>"


def _description(story: Story, k: int) -> str:
    """What a frame shows, for readers who cannot see it."""
    step = story.steps[k]
    what = "gradients" if story.direction == "backward" else "data"
    parts = []
    for node in story.nodes:
        cell = step.cells[node.index]
        array = "a heat map" if cell.is_known else "-"
        parts.append(f"{node.name} {array if cell.shades else cell.text}")
    return f"Graph of {story.end} at step {k + 1}, {what}: {'; '.join(parts)}."
