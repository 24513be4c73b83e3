"""A whole page of HTML in one file that asks for nothing: no network, no server, no library.

Its Content-Security-Policy forbids every request, and every script that was not in the page when it was
written.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import fields
from html import escape
from pathlib import Path

from ..draw.picture.metrics import CODE_FONT, FONT
from ..draw.picture.render import check_directory
from ..draw.theme import AUTO, LIGHT, Theme

GROUND, DARK_GROUND = "#ffffff", "#14181f"  # of the page itself, as that of a film
ROLES = tuple(field.name for field in fields(Theme) if isinstance(getattr(LIGHT, field.name), str))
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{style}
</style>
</head>
<body>
<main>
{body}
</main>
{scripts}
</body>
</html>
"""
STYLE = """\
body{max-width:76em;margin:1.2em auto;padding:0 1em;font:16px/1.45 FONT}
body{background:var(--ground);color:var(--ink)}
h1{font-size:1.35em;margin:.2em 0 .6em}
a{color:var(--minus)}
code,pre{font:13px/1.5 CODE}
"""


def page(
    title: str,
    body: str,
    *,
    styles: Iterable[str] = (),
    scripts: Iterable[str] = (),
    theme: Theme = AUTO,
) -> str:
    """The text of a page with a title, around a body of HTML.

    `styles` are style sheets, which may use the theme's colours: `var(--leaf-line)` is `theme.leaf_line`, and
    `var(--ground)` that of the page. `scripts` are JavaScript modules, whose names do not meet; they run when
    all of the body is there.

    >>> text = page("Two", "<p id=sum></p>", scripts=["document.querySelector('#sum').textContent = 1 + 1;"])
    >>> "<h1>Two</h1>" in text and "default-src 'none'" in text
    True
    """
    modules = [_closed(script, "script") for script in scripts]
    rules = [palette(theme), STYLE.replace("FONT", FONT).replace("CODE", CODE_FONT), *styles]
    return PAGE.format(
        policy=_policy(modules),
        title=escape(title),
        style=_closed("\n".join([rule.strip() for rule in rules]), "style"),
        body=f"<h1>{escape(title, quote=False)}</h1>\n{body}",
        scripts="\n".join([f'<script type="module">{module}</script>' for module in modules]),
    )


def save_page(text: str, path: str | os.PathLike[str]) -> None:
    """Write a page to a file. Raises ValueError if the name does not end in .html, and FileNotFoundError if
    the file's directory does not exist."""
    target = Path(path)
    if target.suffix.lower() != ".html":
        raise ValueError(f"cannot save a live page as {target.name!r}: end the name in .html")
    check_directory(target)
    target.write_text(text, encoding="utf-8", newline="\n")


def palette(theme: Theme, selector: str = ":root") -> str:
    """The colours of a theme as variables of what the selector names, with those of its dark side."""
    if theme.dark is None:
        return f"{selector}{{color-scheme:{'dark' if is_dark(theme) else 'light'};{_colours(theme)}}}"
    # On paper a page is light, whatever the screen is.
    dark = f"@media screen and (prefers-color-scheme:dark){{{selector}{{{_colours(theme.dark)}}}}}"
    return f"{selector}{{color-scheme:light dark;{_colours(theme)}}}\n{dark}"


def is_dark(theme: Theme) -> bool:
    """Whether a theme is for a dark page: its texts are brighter than what is behind them.

    >>> from autodiff.draw import THEMES
    >>> [name for name, theme in THEMES.items() if is_dark(theme)]
    ['dark']
    """
    return _brightness(theme.ink) > _brightness(theme.paper)


def _brightness(colour: str) -> int:
    return sum(bytes.fromhex(colour.removeprefix("#")))


def _colours(theme: Theme) -> str:
    """The variables of one theme, without its dark side."""
    named = [f"--{role.replace('_', '-')}:{theme.colour(role)}" for role in ROLES]
    return ";".join([f"--ground:{DARK_GROUND if is_dark(theme) else GROUND}", *named])


def _policy(scripts: Iterable[str]) -> str:
    """What the page may load: pictures that are in it, its own styles, and exactly these scripts."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join([f"'sha256-{digest}'" for digest in digests]) or "'none'"
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src 'unsafe-inline'; script-src {allowed}"
    )


def _closed(text: str, tag: str) -> str:
    """A script or style in which nothing looks like its end to a parser of HTML."""
    return re.sub(rf"<(?=/{tag}|!--)", r"\\u003c" if tag == "script" else r"\\3c ", text, flags=re.IGNORECASE)
