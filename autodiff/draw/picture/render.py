"""From DOT to a picture: by the `dot` program if there is one, else by the engine inside pygraphviz.

The fingerprint, which ties a stored picture to its text, is here too.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from html import escape, unescape
from pathlib import Path

HOW_TO_GET_PICTURES = "pip install pygraphviz, which brings its own, or install the program dot of Graphviz"
NOISE = b"Fontconfig warning"
SCALE = 1.25  # pixels for one of Graphviz's points: its text is then as large as that of a notebook


def fingerprint(text: str) -> str:
    """A mark made from a text table, which shows whether a stored picture belongs to it.

    A stored SVG has it as `<desc>autodiff:...</desc>`; the table is the output's text/plain.

    >>> fingerprint("node  data  grad")
    '4f7a04568fd6'
    """
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def render(dot: str, file_format: str) -> bytes | None:
    """The picture of a DOT text as the bytes of a file, or None if no engine could draw it."""
    for engine in (with_dot_program, with_pygraphviz):
        try:
            picture = engine(dot, file_format)
        except Exception:  # noqa: BLE001 - if one engine fails in any way, the next may work
            continue
        if picture:
            return picture
    return None


def check_directory(target: Path) -> None:
    """Raise FileNotFoundError if the directory of a file to be written does not exist."""
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"cannot save {target.name!r}: there is no directory {str(target.parent)!r}; make it first"
        )


def with_dot_program(dot: str, file_format: str) -> bytes | None:
    """The picture by the `dot` program, or None if there is no such program."""
    if shutil.which("dot") is None:
        return None
    import graphviz

    picture: bytes = graphviz.pipe("dot", file_format, dot.encode(), quiet=True)
    return picture


def with_pygraphviz(dot: str, file_format: str) -> bytes | None:
    """The picture by the engine inside pygraphviz. Raises ImportError if that is not installed."""
    with _quiet_fontconfig():
        pygraphviz = importlib.import_module("pygraphviz")
        with closing(pygraphviz.AGraph(string=dot)) as graph:
            picture: bytes = graph.draw(format=file_format, prog="dot")
    return picture


def for_page(svg: bytes, text: str, description: str, titles: Mapping[str, str]) -> str:
    """Graphviz's SVG made fit for a page: it shrinks to the column, and has a description and its mark.

    The title of each node, in which Graphviz wrote its DOT name, is replaced by that in `titles`.
    """
    picture = svg.decode()
    picture = picture[picture.index("<svg") :].rstrip()
    picture = re.sub(r"<!--.*?-->\n?", "", picture, flags=re.DOTALL)
    picture = re.sub(
        r"<title>(.*?)</title>\n?", lambda found: _title(titles.get(unescape(found[1]))), picture
    )
    # Boxes are drawn last: their lines hide nothing, and their titles lie over the arrows that come in.
    boxes = re.findall(r'<g id="clust.*?</g>\n', picture, flags=re.DOTALL)
    for box in boxes:
        picture = picture.replace(box, "")
    picture = picture.replace("</g>\n</svg>", f"{''.join(boxes)}</g>\n</svg>")
    # The font, which Graphviz repeats in every text, is given once: that saves a third of the bytes.
    font = re.search(r' font-family="[^"]*"', picture)
    if font:
        picture = picture.replace(font[0], "").replace("<svg", f"<svg{font[0]}", 1)
    picture = picture.replace(' xml:space="preserve"', "")
    width, height = (
        float(found) * SCALE for found in re.findall(r'(?:width|height)="([\d.]+)pt"', picture)[:2]
    )
    head = (
        f'<svg width="{width:.0f}" height="{height:.0f}" style="max-width:100%;height:auto" role="img" '
        f'aria-label="{escape(description)}"'
    )
    picture = re.sub(
        r'<svg([^>]*?) width="[^"]*" height="[^"]*"', lambda found: head + found[1], picture, count=1
    )
    return picture.replace("<g id=", f"<desc>autodiff:{fingerprint(text)}</desc>\n<g id=", 1)


def image(svg: str, description: str, style: str = "max-width:100%;height:auto") -> str:
    """An SVG as an `<img>`. A notebook shows it even before it is trusted; a bare SVG it would hide."""
    found = re.search(r'<svg[^>]*? width="(\d+)"', svg)
    width = f' width="{found[1]}"' if found else ""
    styled = f' style="{style}"' if style else ""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{escape(description)}"{width}{styled} src="data:image/svg+xml;base64,{data}">'


def _title(title: str | None) -> str:
    return f"<title>{escape(title)}</title>\n" if title else ""


@contextmanager
def _quiet_fontconfig() -> Iterator[None]:
    """Keep Fontconfig's warnings about its own settings out of the notebook, and let everything else through.

    C code writes them to the error stream of the process, so that stream goes to a file for the moment.
    """
    try:
        stream = os.dup(2)
    except OSError:  # a process without an error stream shows no warnings
        yield
        return
    with tempfile.TemporaryFile() as aside:
        os.dup2(aside.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(stream, 2)
            os.close(stream)
            aside.seek(0)
            others = b"".join(line for line in aside if not line.startswith(NOISE))
            if others:
                os.write(2, others)
