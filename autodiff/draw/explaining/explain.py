"""Why a gradient is what it is: every path from a result back to one node, its product, and the sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from ..graph.as_text import attribute, number, word
from ..graph.as_text import read as value
from ..graph.names import caller_scope, find_names
from ..graph.records import creators_of
from ..painted import Look, Painted, all_names, copied
from ..picture.dot import FONT, plate
from ..theme import LIGHT
from .path_words import COLOURS, Words
from .paths import Arrow, Paths, find, gradient, listed, local_slopes, wanted

LIMIT = 24  # paths listed one by one
PICTURE = 60  # nodes that can be read at a page's width
GLIMPSE = 4  # and as many of a graph with more paths than can be told
ONE_COLOUR = COLOURS[0]
SLOPE = 12  # points of a local slope


class Explanation(Painted):
    """Every path from a result back to one node, as a table and as a picture in which each has its colour.

    `count` is the number of paths (from 60 digits on rounded). `products` holds their products in
    the order of the table, and `gradient` their sum. There are no products for arrays and for more paths than
    are listed, and no sum for arrays.
    """

    count: int
    products: tuple[float, ...]
    gradient: float | None


def explain(e: object, a: object, *, direction: str = "auto", limit: int = LIMIT) -> Explanation:
    """Show every path from `e` back to `a`: the product of its local slopes, and the sum of the products.

    The sum is the gradient that a walk back from `e` gives to `a`; it is found here without `backward`, and
    no gradient is touched. It works on a Tensor, and on an object of any class with `data`, `grad`,
    `creators` and `creation_op`. Paths of arrays are shown with their shapes. Where there are more than
    `limit` paths, their number is set against the number of nodes.

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
        If one of the two is not a node of a graph, or `limit` is no int.
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
    wanted(e, "explain", "the end of a calculation")
    wanted(a, "explain", "a Tensor that the end was computed from")
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise TypeError(f"limit is the number of paths to list at most, an int, not {word(limit)}")
    if limit < 1:
        raise ValueError(f"limit is the number of paths to list at most, 1 or more, not {limit}")
    scope = caller_scope()
    paths = find(e, a) if creators_of(e) else None
    if paths is None:
        names = find_names([a, e], scope)
        raise _no_path(e, a, names.get(id(e), ""), names.get(id(a), ""))
    return _explained(paths, *all_names(paths.order, scope), limit, direction)


def _explained(
    paths: Paths, names: Mapping[int, str], given: set[int], limit: int, direction: str
) -> Explanation:
    from .. import draw

    few, numbers = paths.count <= limit, paths.are_numbers
    ways = listed(paths) if few else []
    slopes = local_slopes(paths) if few and numbers else {}
    products = [prod(slopes[arrow] for arrow in way) for way in ways] if numbers else []
    total = None
    if numbers:
        total = sum(products) if few else gradient(paths)
    says = Words(paths, names, slopes)
    warning = says.warning(total, ways, products)
    has_colours = few and len(ways) <= len(COLOURS)
    kept = _kept(paths, few)
    # Nodes on a path are drawn with their names, also those that the caller gave none: the table uses them.
    is_part = len(kept) < len(paths.order)
    named = {i: name for i, name in names.items() if i in given or i in paths.arrows or is_part}
    end, places = copied(paths.order, kept, named)
    shown = Explanation(
        draw(end, direction=direction),
        "\n".join([*says.table(few, ways, products, total), *warning]),
        says.sentence(ways, products, total),
        _looks(paths, places, kept, ways if has_colours else [], slopes),
        says.legend(ways, products) if has_colours else says.glimpse(kept),
        says_more=bool(warning) or not has_colours,
    )
    shown.count, shown.products, shown.gradient = int(paths.count), tuple(products), total
    return shown


def _no_path(e: Any, a: Any, e_name: str, a_name: str) -> ValueError:
    def told_as(node: Any, name: str) -> str:
        data = value(node.data).line
        return f"{name} ({data})" if name else f"the Tensor that holds {data}"

    target, end = told_as(a, a_name), told_as(e, e_name)
    if attribute(a, "requires_grad") is False:
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


def _kept(paths: Paths, few: bool) -> set[int]:
    """The nodes that the picture shows: all of a small graph, else the last of those on the paths."""
    if len(paths.order) <= (PICTURE if few else GLIMPSE):
        return set(range(len(paths.order)))
    return set(paths.between[-(PICTURE if few else GLIMPSE) :])


def _looks(
    paths: Paths,
    place: Mapping[int, int],
    kept: set[int],
    ways: Sequence[Sequence[Arrow]],
    slopes: Mapping[Arrow, float],
) -> dict[str, Look]:
    """The colours of arrows on the paths, and the local slopes beside them."""
    colours: dict[Arrow, list[str]] = {}
    through: dict[int, list[str]] = {}
    for colour, way in zip(COLOURS, ways):
        for arrow in way:
            colours.setdefault(arrow, []).append(colour)
            through.setdefault(arrow.node, []).append(colour)
    looks: dict[str, Look] = {}
    for i in paths.between:
        if i not in kept or not paths.arrows[i]:
            continue
        at = place[i]
        looks[f"o{at} -> n{at}"] = {"color": _striped(through.get(i, [ONE_COLOUR])), "penwidth": "2"}
        for arrow in paths.arrows[i]:
            name = f"n{place[arrow.operand]} -> o{at}" + (f" #{arrow.twin + 1}" if arrow.twin else "")
            stripes = colours.get(arrow, [ONE_COLOUR])
            look = {"color": _striped(stripes), "penwidth": "2"}
            if arrow in slopes:
                ink = stripes[0] if len(stripes) == 1 else LIGHT.soft
                label = f"<{plate(number(slopes[arrow]), SLOPE, LIGHT)}>"
                look |= {"label": label, "fontcolor": ink, "fontsize": f"{SLOPE}", "fontname": FONT}
            looks[name] = look
    return looks


def _striped(colours: Sequence[str]) -> str:
    """Graphviz's colour list: as many lines beside each other."""
    return ":".join(dict.fromkeys(colours))
