"""A drawing with a text of its own, in colours that show what it says: the result of `explain` and
`compare`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from html import escape

from .drawing import Drawing
from .graph.records import Graph
from .look import Look
from .picture.paint import Paint
from .picture.render import fingerprint, image

FIXED = "font-family:monospace"  # the columns of a table need it, and not every page gives it to <pre>


class Painted(Drawing):
    """A drawing that says something else than its graph's table, and shows it in colours.

    With `says_more` the text stands below the picture in a notebook, too: where the picture alone does not
    say it all.
    """

    def __init__(
        self, graph: Graph, look: Look, paint: Paint, text: str, description: str, says_more: bool = False
    ) -> None:
        super().__init__(graph, look, paint)
        self.text = text
        self.description = description
        self._says_more = says_more

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The text, and beside it the picture. Without a layout engine the text says it all. Never raises."""
        bundle = {"text/plain": self.text}
        metadata = {"autodiff": fingerprint(self.text)}
        with suppress(Exception):  # whatever goes wrong in a picture, the cell shows its text
            if self.svg:
                bundle["text/html"] = image(self.svg, self.description)
                if self._says_more:
                    bundle["text/html"] += f'<pre style="{FIXED}">{escape(self.text)}</pre>'
        return bundle, metadata
