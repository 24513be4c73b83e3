"""Pictures of recorded graphs.

`draw` walks the graph behind a Tensor and returns a `Drawing`. In the order in which they build on each
other: `values` (data as text), `graph` (the walk), `names` (what the caller calls the nodes), `text` (the
table), `dot` and `mermaid` (the sources of pictures), `render` (layout engines), `drawing`.
"""

from __future__ import annotations

from .drawing import Drawing
from .graph import NEEDED, is_node, read
from .names import caller_scope, find_names
from .render import fingerprint
from .values import word

__all__ = ["Drawing", "draw", "fingerprint"]

DIRECTIONS = ("LR", "TB")


def draw(e: object, *, direction: str = "LR", limit: int | None = None) -> Drawing:
    """Draw the graph that was recorded while `e` was computed.

    It works on a Tensor, and on an object of any class with `data`, `grad`, `creators` and `creation_op`.
    Nodes carry the names of the caller's variables; `name=` wins over these. The drawing shows this moment:
    after a backward pass, draw again to see the gradients.

    Parameters
    ----------
    e : Tensor
        The end of the graph.
    direction : {"LR", "TB"}
        From left to right, or from top to bottom.
    limit : int or None
        Draw only the last so many nodes; the drawing says that there are more. Without it a graph is drawn
        whole up to 300 nodes, and of a larger one the last 60.

    Returns
    -------
    Drawing
        It shows itself in a notebook, prints as a table, and saves to svg, png, pdf and dot.

    Raises
    ------
    TypeError
        If `e` is not a node of a graph, or `limit` is no int.
    ValueError
        If the direction is unknown or the limit less than 1.

    Examples
    --------
    >>> from types import SimpleNamespace as Node
    >>> x = Node(data=3.0, grad=None, creators=None, creation_op=None)
    >>> y = Node(data=9.0, grad=None, creators=(x, x), creation_op="mul")
    >>> draw(y)
    node       data  grad
    x             3     -
    y = x * x     9     -
    """
    if not is_node(e):
        missing = ", ".join(name for name in NEEDED if isinstance(e, type) or not hasattr(e, name))
        shown = e.__name__ if isinstance(e, type) else word(e)
        what = "a class" if isinstance(e, type) else f"of type {type(e).__name__}"
        raise TypeError(
            f"draw wants a Tensor, or an object with {', '.join(NEEDED)}; {shown} is {what}"
            + ("" if isinstance(e, type) else f" and has no {missing}")
            + ": give it the Tensor at the end of a calculation"
        )
    if direction not in DIRECTIONS:
        raise ValueError(f"unknown direction {direction!r}: the valid ones are {', '.join(DIRECTIONS)}")
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool)):
        raise TypeError(f"limit is the number of nodes to draw at most, an int or None, not {word(limit)}")
    if limit is not None and limit < 1:
        raise ValueError(f"limit is the number of nodes to draw at most, 1 or more, not {limit}")
    scope = caller_scope()
    return Drawing(read(e, lambda nodes: find_names(nodes, scope), limit), direction)
