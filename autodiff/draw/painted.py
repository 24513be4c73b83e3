"""A drawing whose state and text say more than the graph itself: the result of `explain` and `compare`."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from html import escape

from .drawing import Drawing
from .graph.records import ShownGraph
from .look import Look
from .picture.render import fingerprint, image
from .picture.scene import Scene, State

FIXED = "font-family:monospace"  # for the columns of a table: not every page sets it for <pre>


class Painted(Drawing):
    """A drawing that shows a scene in a state of its own, with a text in place of its graph's table.

    With `says_more` a notebook shows the text below the picture too, since the picture alone does not say it
    all.
    """

    def __init__(
        self,
        graph: ShownGraph,
        look: Look,
        picture: tuple[Scene, State],
        text: str,
        description: str,
        says_more: bool = False,
    ) -> None:
        super().__init__(graph, look)
        self._composed = picture
        self.text = text
        self.description = description
        self._says_more = says_more

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The text, and with it the picture if there is a layout. This never raises an error."""
        bundle = {"text/plain": self.text}
        metadata = {"autodiff": fingerprint(self.text)}
        with suppress(Exception):  # if the picture fails in any way, the cell still shows the text
            if self.svg:
                bundle["text/html"] = image(self.svg, self.description)
                bundle["image/svg+xml"] = self.svg
                if self._says_more:
                    bundle["text/html"] += f'<pre style="{FIXED}">{escape(self.text)}</pre>'
        return bundle, metadata
