"""What a page says of itself to search engines and to those who share it; the page for a wrong address."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from docutils import nodes
from sphinx import addnodes

SAID = "Learn automatic differentiation by building it, one number at a time, and see every gradient move."
"""The description of a page that has no text, and of the site."""
LONGEST, SHORTEST = 200, 30  # letters of a description: what is shorter, the name of a module, says nothing
CARD = "_static/card.png"
BODY = {
    '<summary aria-label="Toggle hidden content">': "<summary>",  # its text says which content
    '<th class="head"><p></p></th>': '<td class="head"></td>',  # what is empty is the head of nothing
}
"""What is written otherwise, for those who listen, or say what they see."""
TAGS = """
<meta name="description" content="{description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="autodiff">
<meta property="og:title" content="{title}">
<meta property="og:description" content="{description}">
<meta property="og:image" content="{card}">
<meta property="og:image:alt" content="The graph of e = (a + 2)(3a + 4), with its gradient flowing back to a">
<meta name="twitter:card" content="summary_large_image">
"""


def description(page: nodes.document | None) -> str:
    """The first paragraph of a page, up to the end of a sentence or of a word.

    The line with a lesson's places to open it, which has a download, says nothing of the page.
    """
    for part in page.findall(nodes.paragraph) if page else ():
        text = " ".join(part.astext().split())
        if len(text) >= SHORTEST and not list(part.findall(addnodes.download_reference)):
            return cut(text)
    return SAID


def cut(text: str) -> str:
    """As many whole sentences of a text as there is room for, or words if the first is too long."""
    if len(text) <= LONGEST:
        return text
    sentences, _, _ = text[: LONGEST + 1].rpartition(". ")
    return f"{sentences}." if sentences else text[:LONGEST].rpartition(" ")[0] + " …"


def complete(app: Any, page: str, _template: str, context: dict[str, Any], doctree: Any) -> None:
    """Put a page's description into its head, and mend what Sphinx and its extensions wrote in its body.

    A picture needs a whole address there, which is known if the site's is.
    """
    title = "" if page == "index" else re.sub("<[^>]+>", "", context.get("title", ""))
    base = app.config.html_baseurl
    tags = TAGS.format(
        description=escape(description(doctree)),
        title=title or app.config.html_title,
        card=escape(base + CARD if base else context["pathto"](CARD, 1)),
    )
    context["metatags"] = context.get("metatags", "") + tags
    for old, new in BODY.items():
        context["body"] = context.get("body", "").replace(old, new)


def from_root(folder: Path, address: str) -> None:
    """Let the links of 404.html begin at the site's root: it is shown at addresses of any depth."""
    root = urlsplit(address).path or "/"
    path = folder / "404.html"
    own = r'\b(href|src|action|data-content_root)="(?![#/]|\w+:)(?:\./)?'
    path.write_text(re.sub(own, rf'\1="{root}', path.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Have Sphinx ask for the head of each page."""
    app.connect("html-page-context", complete)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
