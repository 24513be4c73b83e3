"""`slide`: the graph of a function while one of its inputs moves.

`moments` runs the function, `curve` draws its curve and tangent, and `page` puts the pictures on a page.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from math import isfinite, sqrt
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from ..filming.reel import Reel, evenly
from ..filming.shown import bundle, without_pictures
from ..graph.as_text import brief, word
from ..graph.caller import caller_scope
from ..graph.records import Flow, ShownGraph, ShownNode
from ..look import Look, check_count, checked_theme
from ..picture import render, svg
from ..picture.compose import Composer
from ..picture.faces import Mark, Row
from ..picture.layout import laid_out
from ..picture.page import MARGIN, Sheet, moved, sheets
from ..picture.render import fingerprint
from ..picture.scene import Scene, State
from ..picture.shapes import Shape
from ..theme import Theme
from ..words.columns import columns
from . import page
from .curve import HEIGHT, LEAST_WIDTH, MOST_WIDTH, Plot
from .live import Live, live
from .moments import Moment, Path, check_same, moment_at, path

PAGE = 1200.0  # pixels: streams can be followed in a wide picture, and not around many corners
SECONDS = 0.8  # for which the animated picture shows a step
MOST_BYTES = 250_000  # of what a notebook stores
COLUMNS = 6  # the most intermediate numbers that the table shows
THIN, THICK = 1.2, 7.0  # the widths of a stream


class Slide:
    """The graph of a function at several values of one input, with the curve of the function above it.

    As the value of a notebook cell it is moved like a slider; printed, it is the table in `text`.
    """

    def __init__(self, path: Path, theme: Theme, at: Callable[[float], Moment]) -> None:
        self._path = path
        self._theme = theme
        self._at = at

    def __repr__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self._path.moments)

    @property
    def size(self) -> int:
        """How many bytes a notebook stores for it, without the table."""
        return len(self.html()) + len(self.frames[0] if self.frames else "")

    def beginning(self, steps: int) -> Slide:
        """A slide of the first steps only."""
        return Slide(replace(self._path, moments=self._path.moments[:steps]), self._theme, self._at)

    @cached_property
    def text(self) -> str:
        """The table, a row for each value of the input, with what is computed on the way and the slope."""
        moving, end = self._path.moving, self._path.end
        between = [node.index for node in self._path.moments[0].graph.nodes[:-1] if _is_step(node)]
        between = between if len(between) <= COLUMNS else []
        names = [self._path.moments[0].graph.name(i) for i in between]
        rows = [(moving, *names, end, f"{_D}{end}/{_D}{moving}")]
        for moment in self._path.moments:
            data = {node.index: node.data.numbers for node in moment.graph.nodes}
            numbers = [moment.x, *(data[i] for i in between), moment.y, moment.slope]
            rows.append(tuple(map(brief, numbers)))
        fixed = [f"with {name} = {value.line}" for name, value in self._path.fixed]
        return "\n".join([*columns(rows, right=range(len(rows[0]))), *fixed])

    @cached_property
    def frames(self) -> list[str] | None:
        """One SVG per step, or None if it is too large for us without Graphviz."""
        if self._sheets is None:
            return None
        mark = f"autodiff:{fingerprint(self.text)}"
        return [svg.written(sheet, self._theme, mark=mark) for sheet in self._sheets]

    @cached_property
    def _sheets(self) -> list[Sheet] | None:
        """The picture at each step: the curve, and the graph below it."""
        scene, states = _composed(self._path, self._theme)
        plan = laid_out(scene, states, PAGE)
        if plan is None:
            return None
        below = sheets(scene, plan, states)
        width = max(below[0].width, LEAST_WIDTH)
        plot = Plot(self._path.curve, min(width, MOST_WIDTH))
        aside = (width - min(width, MOST_WIDTH)) / 2
        names = self._path.moving, self._path.end
        made = []
        for moment, sheet in zip(self._path.moments, below):
            above = plot.shapes(moment.x, moment.y, moment.slope, names)
            shapes: list[Shape] = [moved(shape, aside, MARGIN) for shape in above]
            shapes += [moved(s, (width - sheet.width) / 2, HEIGHT + 2 * MARGIN) for s in sheet.shapes]
            made.append(Sheet(width, HEIGHT + 2 * MARGIN + sheet.height, tuple(shapes)))
        return made

    def html(self, uid: str = "slide") -> str:
        """The slide as a piece of HTML; its ids begin with `uid`, which must be unique on the page."""
        if self._sheets is None:
            return without_pictures("slide", self.text, uid)
        mark = fingerprint(self.text)
        reel = Reel(self._sheets)
        strip = reel.strip(self._theme, f"autodiff:{mark}")
        times = evenly(len(self), SECONDS)
        loop = reel.animated(self._theme, times, f"autodiff:{mark}", is_alone=True)
        steps = [self._step(moment) for moment in self._path.moments]
        size = reel.width, reel.height
        return page.slide(self._title, steps, strip, loop, size, self.text, uid, mark)

    @property
    def _title(self) -> str:
        return f"{self._path.end} while {self._path.moving} moves"

    def _step(self, moment: Moment) -> page.Step:
        """The words of one step."""
        moving, end = self._path.moving, self._path.end
        numbers = f"{end} = {brief(moment.y)}, {_D}{end}/{_D}{moving} = {brief(moment.slope)}"
        nodes = "; ".join(
            f"{node.name} = {node.data.line}, gradient {node.grad.line}" for node in moment.graph.nodes
        )
        name = f"{moving} = {brief(moment.x)}"
        return page.Step(
            name, numbers, f"Curve of {end} with its tangent at {name}: {numbers}. Graph: {nodes}."
        )

    def live(self) -> Live:
        """A slider that stops everywhere between the two ends, for a notebook whose kernel runs.

        The function is called again at each place to which the slider is moved. Nothing of it is stored in
        the notebook: the slide itself is for those who only read.

        Raises
        ------
        ImportError
            If ipywidgets is not installed.

        Examples
        --------
        >>> import autodiff as ad
        >>> shown = ad.slide(lambda a: (a + 2) * (3 * a + 4), a=(-3, 3)).live()
        >>> knob, picture = shown.children
        >>> knob.value = 2.25
        >>> "23.5" in picture.value
        True
        """
        first, *_, last = (moment.x for moment in self._path.moments)
        return live(self._path.moving, (first, last), self._picture_at)

    def _picture_at(self, x: float) -> str:
        """The picture at any value of the input, as HTML, as large as the pictures at both ends need."""
        first, *_, last = self._path.moments
        found = self._at(x)
        check_same(first, found, self._path.moving)
        one = Slide(replace(self._path, moments=(first, last, found)), self._theme, self._at)
        if one.frames is None:
            return without_pictures("slide", one.text, "live")
        return render.image(one.frames[-1], one._step(found).description)

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the slide to `x.html`, a page that needs no other file and no network.

        Raises
        ------
        ValueError
            If the name does not end in .html.
        FileNotFoundError
            If the file's directory does not exist.
        """
        target = FilePath(file)
        if target.suffix.lower() != ".html":
            raise ValueError(f"cannot save a slide as {target.name!r}: end the name in .html")
        render.check_directory(target)
        whole = page.page(self._title, self.html(f"slide-{fingerprint(self.text)}"), self.text)
        target.write_text(whole, encoding="utf-8", newline="\n")

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The table, and with it the slide. This never raises an error."""
        middle = len(self) // 2
        return bundle("slide", self.text, self.html, lambda: self.frames[middle] if self.frames else None)


_D = "\N{PARTIAL DIFFERENTIAL}"


def slide(
    f: Callable[..., Any], *inputs: Any, steps: int = 15, theme: str | Theme = "auto", **named: Any
) -> Slide:
    """Show the graph of `f` while one of its inputs moves, with the curve of `f` and its tangent above.

    The graph is the same at all steps; its values, gradients and local slopes change. An arrow leads back
    from each result to its operands: the wider it is, the more gradient passes there, in one colour for
    numbers above 0 and another for numbers below.

    Parameters
    ----------
    f : callable
        A function of numbers or arrays that returns a Tensor with a single number. It is called for each
        step, and some hundred times more for its curve.
    inputs, named
        The inputs of `f`, by place or by name. One of them is a pair `(low, high)`: it moves from one to the
        other. The rest stay as they are: numbers, arrays or Tensors.
    steps : int
        How many values of the input are shown, 2 or more.
    theme : {"auto", "light", "dark", "colour-blind", "print"} or Theme
        The colours.

    Returns
    -------
    Slide
        It is moved like a slider in a notebook, prints as a table, and saves to html.

    Raises
    ------
    TypeError
        If `f` cannot be called, the inputs do not fit it, or it does not return a Tensor.
    ValueError
        If not exactly one input is a pair of two different finite numbers, the result is not a single
        number or not computed from that input, the graph changes on the way, or the slide would be larger
        than 250 KB.

    Examples
    --------
    >>> import autodiff as ad
    >>> def f(a, b):
    ...     c = a * b
    ...     return c + a
    >>> ad.slide(f, a=(-1, 1), b=2.0, steps=3)
     a   c   f  ∂f/∂a
    -1  -2  -3      3
     0   0   0      3
     1   2   3      3
    with b = 2
    """
    if not callable(f):
        raise TypeError(f"slide needs a function, as in slide(f, a=(-3, 3)), not {word(f)}")
    check_count("steps", steps, 2, "how many values of the input are shown", can_be_none=False)
    colours = checked_theme(theme)
    given = by_name("slide", f, inputs, named)
    moving, low, high = _range(given)
    xs = [float(f"{x:.12g}") for x in np.linspace(low, high, steps).tolist()]
    scope = caller_scope()
    at = partial(moment_at, f, given, moving, scope=scope)
    made = Slide(path(f, given, moving, xs, scope), colours, at)
    _check_size(made)
    return made


def by_name(
    caller: str, f: Callable[..., Any], inputs: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, Any]:
    """The inputs of `f` by the names of its parameters.

    Raises TypeError, in the name of the function `caller`, if they do not fit it.
    """
    try:
        signature = inspect.signature(getattr(f, "forward", f))  # a module passes on what it is given
    except ValueError:  # not a Python function: its parameters are unknown
        if inputs:
            raise TypeError(
                f"{caller} cannot read the parameters of {word(f)}: give its inputs by name"
            ) from None
        return dict(named)
    try:
        given = dict(signature.bind(*inputs, **named).arguments)
    except TypeError as error:
        parameters = ", ".join(signature.parameters) or "none"
        raise TypeError(
            f"these inputs do not fit the function, whose parameters are {parameters}: {error}"
        ) from None
    for name, parameter in signature.parameters.items():
        if parameter.kind == parameter.VAR_POSITIONAL and given.pop(name, ()):
            raise TypeError(
                f"{caller} needs a name for each input, and *{name} has none: wrap the function, as in "
                f"{caller}(lambda a: f(a), a=...)"
            )
        if parameter.kind == parameter.VAR_KEYWORD:
            given |= given.pop(name, {})
    return given


def _range(given: Mapping[str, Any]) -> tuple[str, float, float]:
    """The input that moves, and from where to where. Raises ValueError if there is not exactly one."""
    moving = [name for name, value in given.items() if isinstance(value, tuple)]
    if len(moving) != 1:
        found = f"{' and '.join(moving)} are pairs" if moving else "none is one"
        raise ValueError(
            f"slide moves one input: give exactly one as a pair (low, high) in round brackets, as in "
            f"a=(-3, 3); here {found}"
        )
    (name,) = moving
    ends = given[name]
    are_numbers = all(isinstance(end, (int, float, np.number)) and isfinite(end) for end in ends)
    if len(ends) != 2 or not are_numbers or not ends[0] < ends[1]:
        raise ValueError(
            f"{name} moves from a lower to a higher finite number, {name}=(low, high), not {name}={ends!r}"
        )
    return name, float(ends[0]), float(ends[1])


def _check_size(slide: Slide) -> None:
    """Raise ValueError if the slide is too large for a notebook."""
    size = slide.size
    if size <= MOST_BYTES:
        return
    least = slide.beginning(2).size
    each = (size - least) / (len(slide) - 2) if len(slide) > 2 else size
    fit = int((MOST_BYTES - least) / (1.1 * each)) + 2
    advice = f"ask for steps={fit} or fewer" if fit > 1 else "show a smaller graph"
    raise ValueError(
        f"the slide would take {size // 1000} KB, and {MOST_BYTES // 1000} are the most for a notebook: "
        f"{advice}"
    )


def _is_step(node: ShownNode) -> bool:
    """Whether a node is a number that is computed on the way."""
    return node.operation is not None and not node.data.is_array


def _slope_label(graph: ShownGraph, key: tuple[int, int]) -> Row | None:
    """The local slope on the edge to a node from its operand at a place, if both are numbers."""
    index, place = key
    slopes = graph.nodes[index].slopes
    slope = slopes[place] if slopes else None
    return None if slope is None else Row(text=brief(slope.numbers), ink="gradient")


def _stream(flow: Flow, most: float, label: Row | None) -> Mark:
    """The look of an edge by what flows back along it: its width by the size, its colours by the sign."""
    width = THIN + (THICK - THIN) * sqrt(flow.size / most) if not flow.is_odd else THICK
    parts = {"plus": flow.above or 0.0, "minus": 1 - flow.above if flow.above is not None else 0.0}
    inks = tuple(ink for ink, part in parts.items() if part > 0) or ("zero",)
    if flow.is_odd:
        inks = ("wrong_line",)
    return Mark(inks, width, tuple(width / len(inks) for _ in inks), way="backward", label=label)


def _composed(path: Path, theme: Theme) -> tuple[Scene, list[State]]:
    """The scene of all steps, and the state at each, with all shades and streams on one scale."""
    look = Look(slopes=True, theme=theme)
    composers = [Composer(moment.graph, look) for moment in path.moments]
    for part in ("data", "grad"):
        largest = max(composer.scales[part] for composer in composers)
        for composer in composers:
            composer.scales[part] = largest
    sizes = [flow.size for moment in path.moments for flow in moment.passed.values() if not flow.is_odd]
    most = max(sizes, default=0.0) or 1.0
    states = []
    for moment, composer in zip(path.moments, composers):
        state = composer.state()
        marks: dict[Hashable, Mark] = {**state.marks}
        for key, flow in moment.passed.items():
            marks[key] = _stream(flow, most, _slope_label(moment.graph, key))
        states.append(replace(state, marks=marks))
    return composers[0].scene(), states
