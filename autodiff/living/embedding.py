"""A page as the output of a notebook's cell: a still picture, and in its place, where scripts run, the page
in a frame that can reach nothing around it.

The page waits in a comment of HTML. A sanitizer, which takes scripts and frames away, takes that too, and the
still remains. (As an attribute of a frame, ``nbconvert --sanitize-html`` would print all of it as text.)
"""

from __future__ import annotations

from pathlib import Path

from .squeezing import squeezed

OUTPUT = '<div id="{uid}" data-live><div>{still}</div><!--{page}--><script>{script}</script></div>'
END = "-->"  # of a comment: it stands in the page in another form


def output(page: str, still: str, uid: str) -> str:
    """The HTML of a cell's output; `uid` must be unique on the page around it.

    >>> output("<!doctype html><p>1</p>", "<img>", "u")[:60]
    '<div id="u" data-live><div><img></div><!--<!doctype html><p>'
    """
    script = (Path(__file__).parent / "embedding.js").read_text(encoding="utf-8").replace("UID", uid)
    kept = page.replace(END, END.replace(">", "&gt;"))
    return OUTPUT.format(uid=uid, still=still, page=kept, script=squeezed(script))
