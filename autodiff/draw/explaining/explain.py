"""`explain`: every path from a result back to one node, the product along each, and the sum of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..graph.as_text import number, value_of
from ..graph.caller import Scope, caller_scope
from ..graph.names import Names, find_names
from ..graph.reading import read_part
from ..graph.walk import check_node, creators_of, is_constant
from ..look import check_count, checked_look
from ..painted import Painted
from ..picture.labels import FONT, plate
from ..picture.paint import Attributes, Paint
from ..theme import LIGHT
from .path_words import COLOURS, PathWords
from .paths import Arrow, Products, find

LIMIT = 24  # paths that are listed one by one
PICTURE = 60  # nodes that can be read at the width of a page
GLIMPSE = 4  # nodes shown of a graph with too many paths to list
ONE_COLOUR = COLOURS[0]
SLOPE = 12  # points of a local slope


class Explanation(Painted):
    """Every path from a result back to one node, as a table and as a picture in which each has its colour.

    `count` is the number of paths (rounded beyond 60 digits). `products` has the product along each path in
    the order of the table, and `gradient` is their sum. Arrays have neither, and there are no products for
    more paths than are listed.
    """

    count: int
    products: tuple[float, ...]
    gradient: float | None


def explain(e: object, a: object, *, direction: str = "auto", limit: int = LIMIT) -> Explanation:
    """Show every path from `e` back to `a`: the product of its local slopes, and the sum of the products.

    The sum is the gradient that a walk back from `e` gives to `a`. It is computed without `backward`, and no
    gradient is changed. It works on a Tensor, and on an object of any class with `data`, `grad`,
    `creators` and `creation_op`. Paths of arrays are shown with their shapes. If there are more than `limit`
    paths, their number is shown beside the number of nodes.

    Parameters
    ----------
    e : Tensor
        The result.
    a : Tensor
        What it was computed from.
    direction : {"auto", "LR", "TB"}
        The picture from left to right, or from top to bottom; by itself from left to right, if that fits a
        page.
    limit : int
        How many paths to list at most.

    Returns
    -------
    Explanation
        It shows itself in a notebook, prints as a table, and saves to svg, png, pdf and dot.

    Raises
    ------
    TypeError
        If one of the two is not a node of a graph, or `limit` is not an int.
    ValueError
        If `e` was not computed from `a`, if `a` is a constant, if an operation on the way is not known to
        the package, if the direction is unknown, or if `limit` is less than 1.

    Examples
    --------
    >>> import autodiff as ad
    >>> a = ad.Tensor(2)
    >>> b = a * 3
    >>> c = a + 2
    >>> d = b + 4
    >>> e = c * d
    >>> e.backward()
    >>> ad.explain(e, a)
    2 paths lead from e back to a
    <BLANKLINE>
    path              local slopes           in numbers  product
    e <- d <- b <- a  de/dd * dd/db * db/da  4 * 1 * 3        12
    e <- c <- a       de/dc * dc/da          10 * 1           10
    together                                 12 + 10          22
    a.grad                                                    22
    """
    check_node(e, "explain", "the end of a calculation")
    check_node(a, "explain", "a Tensor that the end was computed from")
    check_count("limit", limit, 1, "the number of paths to list at most", can_be_none=False)
    look = checked_look(direction)
    scope = caller_scope()
    paths = find(e, a) if creators_of(e) else None
    if paths is None:
        raise _no_path(e, a, scope)
    names = Names(paths.walk, find_names(paths.walk.order, scope))
    found = Products(paths, limit)
    words = PathWords(found, names)
    warning = words.warning()
    has_colours = found.is_listed and len(found.ways) <= len(COLOURS)
    kept = _kept(found)
    # Nodes on a path are drawn with their names, also those that the caller gave none: the table uses them.
    is_part = len(kept) < len(paths.walk.order)
    named = [i for i in range(len(paths.walk.order)) if is_part or i in paths.arrows or names.is_given(i)]
    shown = Explanation(
        read_part(paths.walk, names, kept, named=set(named)),
        look,
        _paint(found, kept, words.legend() if has_colours else words.glimpse(kept), has_colours),
        "\n".join([*words.table(), *warning]),
        words.sentence(),
        says_more=bool(warning) or not has_colours,
    )
    shown.count, shown.products, shown.gradient = int(paths.count), tuple(found.products), found.total
    return shown


def _no_path(e: Any, a: Any, scope: Scope) -> ValueError:
    """The error that says why no path leads from `e` back to `a`."""
    names = find_names([a, e], scope)
    e_name, a_name = names.get(id(e), ""), names.get(id(a), "")
    target, end = _described(a, a_name), _described(e, e_name)
    if is_constant(a):
        return ValueError(f"{target} is a constant (requires_grad=False): no gradient comes to it")
    if a is not e and find(a, e) is not None:
        return ValueError(
            f"{target} was computed from {end}: give explain the result first, then {e_name or 'the other'}"
        )
    if not creators_of(e):
        return ValueError(
            f"{end} is a leaf: nothing is recorded behind it, so no path leads from it to {target}. Give "
            "explain the result of a calculation first, then a Tensor that it was computed from"
        )
    return ValueError(
        f"no path leads from {end} back to {target}: {e_name or 'the first'} was not computed from "
        f"{a_name or 'the second'}. draw shows what it was computed from"
    )


def _described(node: Any, name: str) -> str:
    data = value_of(node.data).line
    return f"{name} ({data})" if name else f"the Tensor that holds {data}"


def _kept(found: Products) -> set[int]:
    """The nodes that the picture shows: all of a small graph, or the last of those on the paths."""
    most = PICTURE if found.is_listed else GLIMPSE
    count = len(found.paths.walk.order)
    return set(range(count)) if count <= most else set(found.paths.between[-most:])


def _paint(found: Products, kept: set[int], legend: str, has_colours: bool) -> Paint:
    """The colours of the arrows on the paths, the local slopes beside them, and the legend."""
    ways = found.ways if has_colours else []
    colours: dict[Arrow, list[str]] = {}
    through: dict[int, list[str]] = {}
    for colour, way in zip(COLOURS, ways):
        for arrow in way:
            colours.setdefault(arrow, []).append(colour)
            through.setdefault(arrow.node, []).append(colour)
    nodes = [i for i in found.paths.between if i in kept and found.paths.arrows[i]]
    return Paint(
        operands={
            (i, arrow.place): _arrow_look(colours.get(arrow, [ONE_COLOUR]), found.slopes.get(arrow))
            for i in nodes
            for arrow in found.paths.arrows[i]
        },
        results={i: _arrow_look(through.get(i, [ONE_COLOUR])) for i in nodes},
        legend=legend,
    )


def _arrow_look(colours: Sequence[str], slope: float | None = None) -> Attributes:
    """One line for each colour, side by side, and the local slope in the colour of its path."""
    look = {"color": ":".join(dict.fromkeys(colours)), "penwidth": "2"}
    if slope is None:
        return look
    ink = colours[0] if len(colours) == 1 else LIGHT.soft
    label = f"<{plate(number(slope), SLOPE, LIGHT)}>"
    return {**look, "label": label, "fontcolor": ink, "fontsize": f"{SLOPE}", "fontname": FONT}
