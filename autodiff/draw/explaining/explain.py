"""`explain`: every path from a result back to one node, the product along each, and the sum of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..graph.as_text import brief, value_of
from ..graph.caller import Scope, caller_scope
from ..graph.names import Names, find_names
from ..graph.reading import read_part
from ..graph.walk import check_node, creators_of, is_constant
from ..look import check_count, checked_look
from ..painted import Painted
from ..picture.compose import RESULT, composed
from ..picture.faces import Mark, Row
from ..picture.scene import State
from ..theme import PATHS, Theme
from .path_words import PathWords
from .paths import Arrow, Products, find

LIMIT = 24  # paths that are listed one by one
PICTURE = 60  # nodes that can be read at the width of a page
GLIMPSE = 4  # nodes shown of a graph with too many paths to list
ONE_COLOUR = ("path0",)


class Explanation(Painted):
    """Every path from a result back to one node, as a table and as a picture in which each has its colour.

    `count` is the number of paths (rounded beyond 60 digits). `products` has the product along each path in
    the order of the table, and `gradient` is their sum. Arrays have neither, and there are no products for
    more paths than are listed.
    """

    count: int
    products: tuple[float, ...]
    gradient: float | None


def explain(
    e: object,
    a: object,
    *,
    direction: str = "LR",
    style: str = "compact",
    theme: str | Theme = "auto",
    limit: int = LIMIT,
) -> Explanation:
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
    direction, style, theme
        The layout, the form and the colours of the picture, as in `draw`.
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
        the package, if an option is unknown, or if `limit` is less than 1.
    RuntimeError
        If a Tensor was changed after another had been computed from it.

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
    e <- d <- b <- a  ∂e/∂d · ∂d/∂b · ∂b/∂a  4 · 1 · 3        12
    e <- c <- a       ∂e/∂c · ∂c/∂a          10 · 1           10
    together                                 12 + 10          22
    a.grad                                                    22
    """
    check_node(e, "explain", "the end of a calculation")
    check_node(a, "explain", "a Tensor that the end was computed from")
    check_count("limit", limit, 1, "the number of paths to list at most", can_be_none=False)
    look = checked_look(direction, style=style, theme=theme)
    scope = caller_scope()
    paths = find(e, a) if creators_of(e) else None
    if paths is None:
        raise _no_path(e, a, scope)
    names = Names(paths.walk, find_names(paths.walk.order, scope))
    found = Products(paths, limit)
    words = PathWords(found, names)
    warning = words.warning()
    has_colours = found.is_listed and len(found.ways) <= PATHS
    kept = _kept(found)
    # Nodes on a path are drawn with names, even if the caller gave them none: the table uses these names.
    is_part = len(kept) < len(paths.walk.order)
    named = [i for i in range(len(paths.walk.order)) if is_part or i in paths.arrows or names.is_given(i)]
    graph = read_part(paths.walk, names, kept, named=set(named))
    scene, state = composed(graph, look)
    shown = Explanation(
        graph,
        look,
        (scene, _shown(state, words, kept, has_colours)),
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


def _shown(state: State, words: PathWords, kept: set[int], has_colours: bool) -> State:
    """The state with the arrows on the paths in colour, the local slopes beside them, and the paths below."""
    found = words.found
    on_arrow: dict[Arrow, list[str]] = {}
    on_result: dict[int, list[str]] = {}
    for i, way in enumerate(found.ways if has_colours else []):
        for arrow in way:
            on_arrow.setdefault(arrow, []).append(f"path{i}")
            on_result.setdefault(arrow.node, []).append(f"path{i}")
    marks = dict(state.marks)
    for i in kept.intersection(found.paths.between):
        for arrow in found.paths.arrows[i]:
            inks = on_arrow.get(arrow, ONE_COLOUR)
            marks[i, arrow.place] = _mark(inks, found.slopes.get(arrow))
        if found.paths.arrows[i]:
            marks[i, RESULT] = _mark(on_result.get(i, ONE_COLOUR))
    if has_colours:
        return replace(state, marks=marks, table=words.legend())
    caption = tuple((line, "page") for line in words.glimpse(kept))
    return replace(state, marks=marks, caption=(*state.caption, *caption))


def _mark(inks: Sequence[str], slope: float | None = None) -> Mark:
    """One line for each colour, side by side, and the local slope in the colour of its path."""
    inks = tuple(dict.fromkeys(inks))
    ink = inks[0] if len(inks) == 1 else "soft"
    return Mark(inks, 2.0, label=None if slope is None else Row(text=brief(slope), ink=ink))
