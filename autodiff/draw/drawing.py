"""The result of `draw`: a drawing that a notebook shows as a picture, that prints as a table and saves itself
to a file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from .graph.records import ShownGraph
from .look import Look
from .picture import dot, mermaid, render, svg
from .picture.compose import composed
from .picture.layout import laid_out
from .picture.page import Sheet, sheets
from .picture.painting import painted_file
from .picture.scene import Scene, State
from .picture.streams import laid_out_with_streams
from .words.table import sentence, table

FORMATS = ("svg", "png", "pdf", "dot")


class Drawing:
    """A recorded graph at the moment when it was drawn. After another backward pass, draw again.

    As the value of a notebook cell it is a picture; printed, it is the table in `text`.
    """

    def __init__(self, graph: ShownGraph, look: Look) -> None:
        self._graph = graph
        self._look = look

    def __repr__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """The table, one row per node, the same in every run."""
        return table(self._graph, self._look)

    @cached_property
    def description(self) -> str:
        """The picture in a sentence or two, for readers who cannot see it."""
        return sentence(self._graph, self._look)

    @cached_property
    def dot(self) -> str:
        """The DOT source."""
        scene, state = self._composed
        return dot.source(scene, [state], self._look.theme)

    @cached_property
    def mermaid(self) -> str:
        """The Mermaid source."""
        return mermaid.source(self._graph, self._look)

    @cached_property
    def svg(self) -> str | None:
        """The picture as SVG, or None if it is too large for us without Graphviz."""
        if self._sheet is None:
            return None
        mark = f"autodiff:{render.fingerprint(self.text)}"
        return svg.written(self._sheet, self._look.theme, mark=mark, description=self.description)

    @cached_property
    def _composed(self) -> tuple[Scene, State]:
        """What the picture consists of, and what it shows."""
        return composed(self._graph, self._look)

    @cached_property
    def _sheet(self) -> Sheet | None:
        """The painted picture, or None if it is too large for us without Graphviz."""
        scene, state = self._composed
        plan = laid_out_with_streams(scene, state) if self._look.flow else laid_out(scene, [state])
        return None if plan is None else sheets(scene, plan, [state])[0]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file: svg, png, pdf or dot, according to the ending of its name.

        Raises
        ------
        ValueError
            If the ending is none of these.
        FileNotFoundError
            If the file's directory does not exist.
        ImportError
            If Matplotlib, which paints png and pdf, is not installed.
        RuntimeError
            If the graph is too large to be laid out without Graphviz; a dot file needs no layout.

        Examples
        --------
        >>> from types import SimpleNamespace as Node
        >>> from autodiff.draw import draw
        >>> x = Node(data=3.0, grad=None, creators=None, creation_op=None)
        >>> draw(x).save("x.jpeg")
        Traceback (most recent call last):
        ValueError: cannot save 'x.jpeg' as a picture: end the file's name in one of .svg, .png, .pdf, .dot
        """
        target = Path(path)
        file_format = target.suffix.lower().removeprefix(".")
        if file_format not in FORMATS:
            valid = ", ".join(f".{name}" for name in FORMATS)
            raise ValueError(
                f"cannot save {target.name!r} as a picture: end the file's name in one of {valid}"
            )
        render.check_directory(target)
        if file_format == "dot":
            target.write_text(self.dot, encoding="utf-8")
            return
        picture = (self.svg or "").encode() if file_format == "svg" else self._file(file_format)
        if not picture:
            raise RuntimeError(
                f"cannot draw {target.name!r}, since so large a graph needs Graphviz: "
                f"{render.HOW_TO_GET_PICTURES}; or save as .dot"
            )
        target.write_bytes(picture)

    def _file(self, file_format: str) -> bytes | None:
        """The picture as the bytes of a file, None if it is too large for us without Graphviz."""
        return self._sheet and painted_file(self._sheet, self._look.theme, file_format)

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The table, and with it a picture, or Mermaid text without one. This never raises an error."""
        bundle = {"text/plain": self.text}
        # The metadata mark a stored output as a drawing, even if its picture is missing.
        metadata = {"autodiff": render.fingerprint(self.text)}
        with suppress(Exception):  # if the picture fails in any way, the cell still shows the table
            if self.svg:
                bundle["text/html"] = render.image(self.svg, self.description)
                bundle["image/svg+xml"] = self.svg  # for pages that show no HTML, or none of its pictures
            else:
                bundle["text/vnd.mermaid"] = self.mermaid
        return bundle, metadata
