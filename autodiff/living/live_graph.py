"""`live`: the graph of a function under the reader's hand, in one file that computes by itself."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np

from ..draw.drawing import Drawing
from ..draw.filming.shown import bundle
from ..draw.filming.source import Source, read_source
from ..draw.graph.as_text import SMALL, SMALL_COLUMNS, value_of, word
from ..draw.graph.caller import Scope, caller_scope
from ..draw.graph.records import ShownGraph
from ..draw.graph.walk import Walk, walk
from ..draw.look import Look, check_count, checked_theme
from ..draw.picture import render
from ..draw.sliding.moments import called, name_of
from ..draw.sliding.slide import by_name
from ..draw.theme import Theme
from ..engine.recording import enable_grad
from ..engine.tensor import Tensor
from . import graph_page
from .embedding import output
from .everything import everything
from .levels import Level, first, is_small, levels, whole
from .page import page, save_page
from .program import Program
from .refusals import without_counterpart
from .replaying import Replay


class Live:
    """The graph of a function of numbers or small arrays, which computes anew when one of them changes.

    `save` writes it as a page. As the value of a notebook cell it is that page in a frame; printed, it is the
    table in `text`.
    """

    def __init__(
        self,
        graph: ShownGraph,
        shown: Sequence[Level],
        program: Any,  # a Program, of which a reader's type checker need not know
        source: Source | None,
        title: str,
        theme: Theme,
    ) -> None:
        self.title = title
        self._graph = graph
        self._levels = shown
        self._program = program
        self._source = source
        self._theme = theme
        self._drawing = Drawing(shown[first(shown)].graph, Look(flow=True, theme=theme))

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The table of `draw`: the numbers with which the page begins, their gradients and the streams."""
        return self._drawing.text

    @property
    def description(self) -> str:
        """The graph in a sentence or two, for readers who cannot see it."""
        return self._drawing.description

    @property
    def still(self) -> str | None:
        """The picture of `draw` with which the page begins, as SVG; None if it is too large for us without
        Graphviz."""
        return self._drawing.svg

    @cached_property
    def html(self) -> str:
        """The whole page."""
        uid = f"live-{render.fingerprint(self.text)}"
        body, styles, scripts = graph_page.written(
            self._graph, self._levels, self._program, self._source, self.description, uid
        )
        return page(self.title, body, styles=styles, scripts=scripts, theme=self._theme)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file: it needs no other file, no network and no Python.

        Raises
        ------
        ValueError
            If the name does not end in .html.
        FileNotFoundError
            If the file's directory does not exist.

        Examples
        --------
        >>> import autodiff as ad
        >>> ad.live(lambda a: a * a, a=2.0).save("square.pdf")
        Traceback (most recent call last):
        ValueError: cannot save a live page as 'square.pdf': end the name in .html
        """
        save_page(self.html, path)

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The table, and with it the page in a frame behind its still. This never raises an error."""

        def framed(uid: str) -> str:
            return output(self.html, render.image(self.still or "", self.description), uid)

        return bundle("live", self.text, framed, lambda: self.still)


def live(
    f: Callable[..., Any] | Tensor,
    *inputs: Any,
    title: str | None = None,
    theme: str | Theme = "auto",
    limit: int = 60,
    **named: Any,
) -> Live:
    """Show the graph of `f` under the reader's hand: a page in which one drags, types or steps the inputs.

    Every value, every gradient and what flows along every edge follow at once. What the page runs is the
    program that `ad.compile` writes, as JavaScript, and it shows both. The page is one file; it needs no
    Python, no server and no network.

    Parameters
    ----------
    f : callable or Tensor
        A function of Tensors that returns a Tensor with a single number. It is called a few times, and not
        changed. Or the Tensor at the end of a recorded graph, whose leaves can be moved then.
    inputs, named
        The inputs of `f`, by place or by name, with which the page begins: numbers, or arrays of up to 12
        numbers, in up to 4 rows of up to 6. The Tensors that `f` refers to, such as weights, can be moved too
        if they are as small.
    title : str or None
        What stands above the page.
    theme : {"auto", "light", "dark", "colour-blind", "print"} or Theme
        The colours; "auto" has those for a white page and those for a dark one.
    limit : int
        The most nodes that are shown. A larger graph begins with its modules and scopes closed.

    Returns
    -------
    Live
        It is a page in a notebook, prints as a table, and saves to html.

    Raises
    ------
    TypeError
        If `f` cannot be called, the inputs do not fit it, one of them is neither a number nor a small array,
        or `f` does not return a Tensor.
    ValueError
        If the result is not a single number, an input takes no part in it, the graph has more nodes than
        `limit`, or `f` draws random numbers or refers to a Tensor that is too large for a page.
    TraceError
        If `f` needs the value of an input, for instance in an ``if``: `ad.where` keeps both ways open.
    NotImplementedError
        If an operation has no counterpart in JavaScript.

    Examples
    --------
    >>> import autodiff as ad
    >>> def f(a):
    ...     b = a + 2
    ...     c = 3 * a + 4
    ...     return b * c
    >>> page = ad.live(f, a=2.0)
    >>> page.save("f.html")  # doctest: +SKIP
    >>> page
    node        data  grad  passed back
    a              2    22
    b = a + 2      4    10  10, -
    v2 = 3 * a     6     4  -, 12
    c = v2 + 4    10     4  4, -
    f = b * c     40     1  10, 4
    """
    check_count("limit", limit, 2, "the most nodes that a live graph has", can_be_none=False)
    colours, scope = checked_theme(theme), caller_scope()
    f, given = _function(f, inputs, named, scope)
    with enable_grad():
        end, own = called(f, given)
    own = f.made if isinstance(f, Replay) else own
    _check_result(end, given)
    walked = walk(end)
    found = Scope({**own, **given, name_of(f, {**own, **given}): end}, _others(scope))
    graph, shown = whole(end, walked, found), levels(end, walked, found, limit)
    _check_size(walked, shown, limit)
    source = _source(f, given, walked, scope)
    program = _program(f, walked, graph, given, source)
    words = f"{graph.nodes[-1].name} while you move {_listed(given)}" if title is None else str(title)
    return Live(graph, shown, program, source, words, colours)


def _function(
    f: Any, inputs: tuple[Any, ...], named: Mapping[str, Any], scope: Scope
) -> tuple[Callable[..., Any], dict[str, Tensor]]:
    """The function, and its inputs by name. Raises TypeError if they do not fit each other."""
    if isinstance(f, Tensor):
        if inputs or named:
            raise TypeError(
                "live of a Tensor begins with the numbers that its graph has: leave out the inputs, or give "
                "the function that computes it, live(f, a=2.0)"
            )
        replay = Replay(f, scope)
        if not replay.leaves:
            raise ValueError("there is nothing to move: no leaf of this graph is a number or a small array")
        return replay, replay.leaves
    if not callable(f):
        raise TypeError(f"live needs a function, as in live(f, a=2.0), or a Tensor, not {word(f)}")
    given = by_name("live", f, inputs, named)
    if not given:
        raise TypeError("live needs numbers to begin with: live(f, a=2.0) for a parameter a")
    return f, {name: _checked_input(name, value) for name, value in given.items()}


def _program(
    f: Callable[..., Any],
    walked: Walk,
    graph: ShownGraph,
    given: Mapping[str, Tensor],
    source: Source | None,
) -> Program:
    """The program of all numbers of the graph. Raises NotImplementedError with the operation that JavaScript
    lacks."""
    names = [node.name for node in graph.nodes]
    is_named = {place for place, node in enumerate(graph.nodes) if node.is_named}
    fast, places = everything(f, walked, names, is_named, given)
    try:
        return Program(fast, places, walked, names, given)
    except NotImplementedError as error:
        raise without_counterpart(error, walked, names, source) from error


def _others(scope: Scope) -> dict[str, object]:
    """The caller's variables, in which a Tensor that the function refers to may have its name."""
    return {**scope.common, **scope.local}


def _source(f: Callable[..., Any], given: Mapping[str, Tensor], walked: Walk, scope: Scope) -> Source | None:
    """The code of the function with the line that made each node; None if it cannot be read."""
    with suppress(TypeError, ValueError, OSError):
        order = inspect.signature(f).bind(**given).args
        return read_source((f, *order), walked, {}, scope)
    return None


# -- what is refused ----------------------------------------------------------------------------------------


def _checked_input(name: str, given: object) -> Tensor:
    """An input as a Tensor with its name. Raises TypeError if it is neither a number nor a small array."""
    data = given.data if isinstance(given, Tensor) else given
    try:
        array = np.asarray(data)
    except ValueError:  # rows of unequal length
        array = np.asarray(None)
    if array.dtype.kind not in "iuf":
        raise TypeError(
            f"live shows numbers, and the input {name} is {word(given)}: give a number, {name}=2.0, or a "
            f"list of numbers, {name}=[1.0, -2.0]"
        )
    if array.ndim and not is_small(value_of(array)):
        raise TypeError(
            f"an input of a live page has up to {SMALL} numbers, in rows of up to {SMALL_COLUMNS}, and "
            f"{name} has the shape {array.shape}: give it a part of that, or let the function refer to it"
        )
    return Tensor(float(array) if not array.ndim else np.array(array, dtype=float), name=name)


def _check_result(end: object, given: Mapping[str, Tensor]) -> None:
    """Raise TypeError or ValueError if a result has no graph that leads to all inputs."""
    if not isinstance(end, Tensor):
        raise TypeError(
            f"live needs a function that returns a Tensor, and it returned {word(end)}: compute it from its "
            "inputs by operations that record, without .data or float()"
        )
    if np.size(end.data) != 1:
        raise ValueError(
            f"live shows the gradient of a single number, and the function returned the shape "
            f"{np.shape(end.data)}: return a sum or mean of it"
        )
    found = {id(node) for node in walk(end).order}
    left = [name for name, value in given.items() if id(value) not in found or value is end]
    if left:
        raise ValueError(
            f"the function's result is not computed from {_listed(left)}: use it in the calculation, or "
            "leave it out of the function"
        )


def _check_size(walked: Walk, shown: Sequence[Level], limit: int) -> None:
    """Raise ValueError if a graph has too many nodes, with its boxes closed too."""
    if not shown:
        count = len(walked.order)
        raise ValueError(
            f"the graph has {count} nodes, and limit={limit} are shown: show a smaller part of it, compute "
            "with arrays in place of single numbers, put parts of it into modules or `with ad.scope(...)`, "
            f"which are closed then, or ask for limit={count}"
        )


def _listed(names: Iterable[str]) -> str:
    """Names in a sentence."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
