"""Films and slides as values of a notebook cell: their output, and what stands there without pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from html import escape

from ..picture.render import HOW_TO_GET_PICTURES, fingerprint

displayed: Counter[str] = Counter()
"""How often each text was displayed: two films on one page need different ids, and a notebook that is run
again must get the same ids as before."""


def bundle(
    kind: str, text: str, html: Callable[[str], str], still: Callable[[], str | None]
) -> tuple[dict[str, str], dict[str, str]]:
    """The output of a cell: the text, and with it the HTML under an id of its own, and one picture as SVG for
    pages that show no HTML, or none of its pictures. This never raises an error."""
    mark = fingerprint(text)
    found = {"text/plain": text}
    with suppress(Exception):  # if the pictures fail in any way, the cell still shows the text
        displayed[mark] += 1
        found["text/html"] = html(f"{kind}-{mark}-{displayed[mark]}")
        picture = still()
        if picture:
            found["image/svg+xml"] = picture
    return found, {"autodiff": mark}


def without_pictures(kind: str, text: str, uid: str) -> str:
    """The text as HTML, where there is no picture."""
    return (
        f'<div id="{uid}" data-{kind}="{fingerprint(text)}"><pre>{escape(text, quote=False)}</pre>'
        f"<p><small>{escape(HOW_TO_GET_PICTURES)}</small></p></div>"
    )
