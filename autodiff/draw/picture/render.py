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
from collections.abc import Iterator
from contextlib import closing, contextmanager
from html import escape
from pathlib import Path

HOW_TO_GET_PICTURES = "pip install pygraphviz, which brings its own, or install the program dot of Graphviz"
SMALLEST = 0.7  # of its size: a picture is shrunk no further
NOISE = b"Fontconfig warning"


def fingerprint(text: str) -> str:
    """A mark made from a text table, which shows whether a stored picture belongs to it.

    A stored SVG has it as `<desc>autodiff:...</desc>`; the table is the output's text/plain.

    >>> from autodiff.draw import fingerprint
    >>> fingerprint("node  data  grad")
    '4f7a04568fd6'
    """
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def render(dot: str, file_format: str, engine: str = "dot") -> bytes | None:
    """The picture of a DOT text as the bytes of a file, or None if Graphviz is not installed or fails.

    With the engine "neato" everything stays where the text says.
    """
    for way in (with_dot_program, with_pygraphviz):
        try:
            picture = way(dot, file_format, engine)
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


def with_dot_program(dot: str, file_format: str, engine: str = "dot") -> bytes | None:
    """The picture by the `dot` program, or None if there is no such program."""
    if shutil.which("dot") is None:
        return None
    import graphviz

    stays = 2 if engine == "neato" else None
    picture: bytes = graphviz.pipe(engine, file_format, dot.encode(), neato_no_op=stays, quiet=True)
    return picture


def with_pygraphviz(dot: str, file_format: str, engine: str = "dot") -> bytes | None:
    """The picture by the engine inside pygraphviz. Raises ImportError if that is not installed."""
    with _quiet_fontconfig():
        pygraphviz = importlib.import_module("pygraphviz")
        with closing(pygraphviz.AGraph(string=dot)) as graph:
            picture: bytes = graph.draw(format=file_format, prog="nop2" if engine == "neato" else engine)
    return picture


def image(svg: str, description: str) -> str:
    """An SVG as an `<img>`. A notebook shows it even before it is trusted; a bare SVG it would hide.

    It shrinks to the column, but only as far as its text can be read; beyond that the reader can scroll.
    """
    found = re.search(r'<svg[^>]*? width="(\d+)"', svg)
    width = int(found[1]) if found else 0
    style = f"max-width:100%;min-width:{SMALLEST * width:.0f}px;height:auto"
    data = base64.b64encode(svg.encode()).decode()
    shown = f'<img alt="{escape(description)}" width="{width}" style="{style}"'
    return f'<div style="overflow-x:auto">{shown} src="data:image/svg+xml;base64,{data}"></div>'


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
