"""Pictures of recorded graphs: `draw`, `film`, `slide`, `explain` and `compare`.

What they return shows itself in a notebook, prints as text, and saves itself to files.
"""

# Each folder uses only those named before it: `graph` reads a recorded graph into plain records, `words`
# writes them as a table, and `picture` writes them as DOT or Mermaid and has them drawn. `look` and `theme`
# are the options of a drawing, `drawing` and `painted` are the objects that show themselves. The other
# functions have one folder each: `explaining`, `comparing`, `filming`, and `sliding`, which shows its steps
# as a film does. All of it is imported when it is first needed.

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .comparing.compare import Comparison, compare
    from .drawing import Drawing
    from .explaining.explain import Explanation, explain
    from .filming.film import Film, film
    from .picture.render import fingerprint
    from .sliding.slide import Slide, slide
    from .theme import THEMES, Theme

__all__ = [
    "THEMES",
    "Comparison",
    "Drawing",
    "Explanation",
    "Film",
    "Slide",
    "Theme",
    "compare",
    "draw",
    "explain",
    "film",
    "fingerprint",
    "slide",
]

HOMES = {
    "Comparison": "comparing.compare",
    "Drawing": "drawing",
    "Explanation": "explaining.explain",
    "Film": "filming.film",
    "Slide": "sliding.slide",
    "THEMES": "theme",
    "Theme": "theme",
    "compare": "comparing.compare",
    "explain": "explaining.explain",
    "film": "filming.film",
    "fingerprint": "picture.render",
    "slide": "sliding.slide",
}


def __getattr__(name: str) -> Any:
    """Import a name from its module when it is first used, so that `import autodiff` stays fast."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{HOMES[name]}", __name__), name)


def draw(
    e: object,
    *,
    direction: str = "LR",
    style: str = "compact",
    show: str | Iterable[str] = ("data", "grad"),
    slopes: bool | str = False,
    constants: str = "quiet",
    highlight: object = None,
    arrows: str = "forward",
    theme: str | Theme = "auto",
    title: str | None = None,
    depth: int | None = None,
    open: bool | str | Iterable[str] | None = None,
    fold: bool | None = None,
    limit: int | None = None,
    flow: bool = False,
) -> Drawing:
    """Draw the graph that was recorded while `e` was computed.

    It works on a Tensor, on a node of a static graph (which shows shapes until it has been run), and on an
    object of any class with `data`, `grad`, `creators` and `creation_op`.
    Nodes have the names of the caller's variables, unless they were given one by `name=`. The drawing shows
    this moment: after a backward pass, draw again to see the gradients; after a step of an optimizer, new
    values stand beside what was computed before, and both say so. What `ad.scope` named has a box around it,
    and what a recorded backward pass made has a colour of its own.

    Parameters
    ----------
    e : Tensor
        The end of the graph.
    direction : {"LR", "TB"}
        From left to right, in several rows if it is long, or from top to bottom.
    style : {"compact", "spread"}
        "compact" writes an operation on top of the box of its result, `c = a + b`; "spread" gives it a circle
        of its own between its operands and its result.
    show : any of "data", "grad", "shape", "dtype", "statistics"
        What a node shows. Statistics are the range and the mean of an array; a picture always has them for
        an array that is too large to be shown.
    slopes : {False, True, "symbol"}
        The local slope on each edge between numbers; with "symbol" also its name: ∂e/∂c = 10.
    constants : {"quiet", "shown", "hidden"}
        Plain numbers and arrays in the calculation: as grey text, in boxes, or left out of the picture.
    highlight : Tensor, name, tuple of these, or list of all that
        Nodes to highlight. A tuple is a path: all paths from each of its nodes to the next are highlighted.
    arrows : {"forward", "backward", "both"}
        The arrows show the direction of the calculation, that of the gradient (dashed), or both.
    theme : {"auto", "light", "dark", "colour-blind", "print"} or Theme
        The colours; "auto" has those for a white page and those for a dark one.
    title : str or None
        A line above the picture.
    depth : int or None
        How far boxes are opened: 0 shows each as one node, 1 opens the outermost. By default all are open in
        a graph of up to 40 nodes, and in a larger one the outermost, as far as leaves few things to look at.
    open : bool, str, or several str
        Modules and scopes that are opened besides: by the name of an attribute (``"norm1"``), a path
        (``"layers.0.norm1"``), a class (``"LayerNorm"``), or a scope's name. True opens all, False none.
    fold : bool or None
        True shows repeated parts only once, False shows every node. By default, a graph is folded if it has
        over 300 nodes, or over 40 if there are boxes or folding hides half of them.
    limit : int or None
        Draw only this many of the last nodes, and fold none of them; the drawing says that there are more.
        By default a large graph that cannot be folded shows its last 60.
    flow : bool
        Show the gradient flowing back as streams. An edge is as wide as the root of what it passes back, and
        orange if that is above zero, blue if it is below, both for an array that has both, and grey if it is
        zero. The number stands on the stream where there is room; for an array it is the root mean square of
        the elements. All this comes from a walk back that begins with ones at `e`; no `.grad` is read or
        changed.

    Returns
    -------
    Drawing
        It shows itself in a notebook, prints as a table, and saves to svg, png, pdf and dot.

    Raises
    ------
    TypeError
        If `e` is not a node of a graph, `limit` or `depth` is not an int, `open` holds anything but names, or
        `highlight` neither Tensors nor names.
    ValueError
        If an option is unknown, a limit or depth too small, what to open or highlight is not in the graph, or
        `open` is given with a limit or fold; with `flow`, also if an operation is not in the catalogue, if
        there is no data yet, or if `slopes` or `arrows` are given too.
    RuntimeError
        With `flow`, if a Tensor was changed after another had been computed from it.

    Examples
    --------
    >>> from types import SimpleNamespace as Node
    >>> import autodiff as ad
    >>> x = Node(data=3.0, grad=None, creators=None, creation_op=None)
    >>> y = Node(data=9.0, grad=None, creators=(x, x), creation_op="mul")
    >>> ad.draw(y)
    node       data  grad
    x             3     -
    y = x * x     9     -
    >>> ad.draw(y, slopes=True, highlight="x")
    node       data  grad  local slopes
    x             3     -
    y = x * x     9     -  3, 3
    highlighted: x
    """
    from .drawing import Drawing
    from .graph.caller import caller_scope
    from .graph.opening import checked_names
    from .graph.reading import read
    from .graph.walk import check_node
    from .look import check_count, checked_choice, checked_look

    check_node(e, "draw", "the end of a calculation")
    look = checked_look(direction, show, slopes, constants, arrows, theme, title, style, flow)
    checked_choice("fold", fold, (None, True, False))
    check_count("limit", limit, 1, "the number of nodes to draw at most")
    check_count("depth", depth, 0, "how many nested boxes are opened at most")
    names = checked_names(open)
    if names is not None and (limit, fold) != (None, None):
        raise ValueError("open says what is shown closed: leave out limit and fold")
    graph = read(
        e,
        caller_scope(),
        limit=limit,
        fold=fold,
        depth=depth,
        names=names,
        highlight=highlight,
        slopes=bool(look.slopes),
        flow=look.flow,
    )
    return Drawing(graph, look)
