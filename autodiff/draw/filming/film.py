"""`film`: the walk back or the forward pass, one operation at a time.

`window` chooses the operations, the stories say what happens in each step, `states` shows that in one
picture, `reel` puts all steps into one SVG, `view` chooses what of it a phone shows, and `page` puts it on
a page.
"""

from __future__ import annotations

import importlib
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

from ..graph.as_text import word
from ..graph.caller import Scope, caller_scope
from ..graph.names import find_names
from ..graph.reading import read
from ..graph.walk import Walk, check_node, is_node, walk
from ..look import STYLES, Look, check_count, checked_choice, checked_theme
from ..picture import render, svg
from ..picture.layout import laid_out
from ..picture.page import Sheet, sheets
from ..picture.painting import painted_file
from ..picture.plan import PicturePlan
from ..picture.render import fingerprint
from ..picture.scene import Scene, State
from ..theme import Theme
from . import page
from .backward_story import Backward
from .code_panel import beside
from .forward_story import Forward
from .reel import Reel, evenly
from .shown import bundle, without_pictures
from .source import Source, called, read_source
from .states import NARROW, Screen, captions
from .story import Story
from .tangent_story import Both, Forth
from .tangents import checked_moves
from .view import views
from .window import check_size, window

DIRECTIONS = ("backward", "forward")
FORMATS = ("html", "gif", "png", "svg")
SECONDS = 2.5  # for which the loop shows a step where a page strips styles, and with them the words
LOOK_AT, READ = 1.0, 0.25  # seconds for the picture of a step, and for each of its words


class Film:
    """A pass through a graph, step by step, at the moment when it was filmed.

    As the value of a notebook cell it can be stepped through; printed, it is its `text`.
    """

    _caption_width: float = NARROW

    def __init__(self, story: Story, look: Look, source: Source | None = None) -> None:
        self._story = story
        self._source = source
        self._look = look
        self._theme = look.theme
        self.text: str = story.text

    def __repr__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self._story.steps)

    @cached_property
    def frames(self) -> list[str] | None:
        """One SVG per step, or None if it is too large for us without Graphviz."""
        if self._sheets is None:
            return None
        return [self._svg(sheet, k) for k, sheet in enumerate(self._sheets)]

    @cached_property
    def _mark(self) -> str:
        return f"autodiff:{fingerprint(self.text)}"

    @cached_property
    def _picture(self) -> tuple[Scene, list[State], PicturePlan | None]:
        """The picture, its states, and its layout: None if it is too large for us without Graphviz."""
        screen = Screen(self._story, self._look)
        states = screen.states()
        return screen.scene, states, laid_out(screen.scene, states)

    @cached_property
    def _sheets(self) -> list[Sheet] | None:
        """The painted steps, or None if it is too large for us without Graphviz."""
        scene, states, plan = self._picture
        return None if plan is None else self._with_code(sheets(scene, plan, states))

    @cached_property
    def _slides(self) -> list[Sheet]:
        """The steps with their captions in the picture."""
        scene, states, plan = self._picture
        if plan is None:
            return []
        told = zip(states, captions(self._story, max(plan.width, self._caption_width)))
        states = [replace(state, title=title, caption=lines) for state, (title, lines) in told]
        return self._with_code(sheets(scene, plan, states))

    def _with_code(self, made: list[Sheet]) -> list[Sheet]:
        """The sheets with the code beside them, if there is any."""
        if self._source is None:
            return made
        lit = [self._source.lines.get(-1 if s.active is None else s.active) for s in self._story.steps]
        return beside(made, self._source.code, lit)

    def _svg(self, sheet: Sheet, k: int) -> str:
        description = page.description(self._story, k)
        return svg.written(sheet, self._theme, mark=self._mark, description=description)

    def html(self, uid: str = "film") -> str:
        """The film as a piece of HTML; its ids begin with `uid`, which must be unique on the page."""
        if self._sheets is None:
            return without_pictures("film", self.text, uid)
        mark = fingerprint(self.text)
        reel = Reel(self._sheets)
        strip = reel.strip(self._theme, self._mark)
        loop = reel.animated(self._theme, evenly(len(self), SECONDS), self._mark, is_alone=True)
        return page.film(self._story, strip, loop, (reel.width, reel.height), uid, mark, self._views)

    @property
    def _views(self) -> list[float] | None:
        """What a phone shows of each step; beside code, where two places count, the reader scrolls."""
        _, _, plan = self._picture
        if plan is None or self._sheets is None or self._source is not None:
            return None
        return views(self._story, plan, self._sheets[0].width)

    def save(self, path: str | os.PathLike[str], *, seconds: float | None = None) -> None:
        """Write the film to one or more files, according to the ending of the name.

        Parameters
        ----------
        path : path
            `x.html` is a page that needs no other file and no network. `x.svg` and `x.gif` are animations;
            the first is smaller, and shows only the end to readers who want no motion. `x_{:02}.png` and
            `x_{:02}.svg` are one file per step, with its number, from 1, in the place of the brackets; a
            directory gets `step_01.png` and so on.
        seconds : float or None
            How long an animation shows each step, the last one twice as long. By default as long as its words
            take to read.

        Raises
        ------
        ValueError
            If the ending is none of these, a name for frames has no place for their number, or `seconds` is
            not above 0.
        FileNotFoundError
            If the file's directory does not exist.
        ImportError
            If Matplotlib, which paints png and gif, or Pillow, which writes the gif, is not installed.
        RuntimeError
            If the graph is too large to be laid out without Graphviz.

        Examples
        --------
        >>> import autodiff as ad
        >>> a = ad.Tensor(2)
        >>> ad.film(a * 3).save("a.mp4")
        Traceback (most recent call last):
        ValueError: cannot save a film as 'a.mp4': end the name in .html, .gif, .png or .svg, ...
        """
        target = Path(path)
        if target.is_dir():
            target = target / f"step_{{:0{max(2, len(str(len(self))))}}}.png"
        file_format = target.suffix.lower().removeprefix(".")
        _check_target(target, file_format, seconds)
        is_animation = file_format == "gif" or (file_format == "svg" and "{" not in target.name)
        is_one_file = is_animation or file_format == "html"
        names = [target] if is_one_file else _numbered(target, len(self))
        if self._sheets is None:
            raise RuntimeError(
                f"cannot draw {target.name!r}, since so large a graph needs Graphviz: "
                f"{render.HOW_TO_GET_PICTURES}; the film's text needs no layout"
            )
        times = self._times(seconds)
        files = self._animation(file_format, times) if is_one_file else self._files(file_format)
        for name, content in zip(names, files):
            name.write_bytes(content)

    def _times(self, seconds: float | None) -> list[float]:
        """How long an animation shows each step."""
        if seconds is not None:
            return evenly(len(self), seconds)
        return [LOOK_AT + READ * len(step.words.split()) for step in self._story.steps]

    def _animation(self, file_format: str, times: Sequence[float]) -> list[bytes]:
        """The whole film as one file."""
        if file_format == "html":
            film = self.html(f"film-{fingerprint(self.text)}")
            return [page.page(self._story, film).encode()]
        if file_format == "gif":
            return [_gif(self._files("png"), times)]
        description = page.description(self._story, len(self) - 1)
        return [Reel(self._slides).animated(self._theme, times, self._mark, description).encode()]

    def _files(self, file_format: str) -> list[bytes]:
        """Each step with its caption in the picture."""
        if file_format == "svg":
            return [self._svg(sheet, k).encode() for k, sheet in enumerate(self._slides)]
        theme = self._theme
        return [painted_file(sheet, theme, "png", theme.paper) for sheet in self._slides]

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The text, and with it the film. This never raises an error."""
        return bundle("film", self.text, self.html, lambda: self.frames[-1] if self.frames else None)


def film(
    e: object,
    *,
    direction: str = "backward",
    between: tuple[object, object] | None = None,
    last: int | None = None,
    moves: Mapping[Any, Any] | None = None,
    source: object = None,
    style: str = "compact",
    theme: str | Theme = "auto",
) -> Film:
    """Film the walk back from `e`, one operation at a time.

    The first step shows the gradient of `e`, which is 1. Then one operation after the other passes its
    gradient on, each when all uses of its result have done so. Its edges show gradient, local slope and
    contribution, and nodes where paths meet show the sum so far. No `grad` is read or changed.
    It works on a Tensor, and on an object of any class with `data`, `grad`, `creators` and `creation_op`.

    Parameters
    ----------
    e : Tensor or function
        The end of the graph; a single number, unless the forward pass is filmed. A function is called with
        the caller's variables that have the names of its parameters, and its code stands beside the graph.
    direction : {"backward", "forward"}
        Which pass to film.
    between : (Tensor, Tensor) or None
        Show only what lies on the paths between these two.
    last : int or None
        Show only this many operations, those nearest to the end.
    moves : dict or None
        How fast some Tensors move, by themselves or by name: `moves={a: 1.0}`. Then the film first shows the
        tangents going forward, how fast everything moves, and after them the gradients coming back: both give
        the same number at the end. With `direction="forward"` it shows the tangents alone.
    source : function or (function, arguments) or None
        The function that computed `e`: its code stands beside the graph, with the running line highlighted,
        and its variables name the nodes. It is called once more for that. Arguments that are not given are
        found by the names of the parameters.
    style : {"compact", "spread"}
        As for `draw`: "compact" writes an operation on top of the box of its result, "spread" gives it a
        circle of its own.
    theme : {"auto", "light", "dark", "colour-blind", "print"} or Theme
        The colours; "auto" has those for a white page and those for a dark one.

    Returns
    -------
    Film
        It steps in a notebook, prints as a table, and saves to html, svg, gif and png.

    Raises
    ------
    TypeError
        If `e` is not a node of a graph, `between` is not a pair of nodes, `last` is not an int, `moves` is
        not a dict of numbers or arrays, or `source` is not a function.
    ValueError
        If an option is unknown, `e` is not a single number or was not computed, the graph is too large to be
        filmed, `last` is less than 1, `between` or something that moves is not in the graph, there is no
        path, or `source` did not compute `e`.
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
    >>> ad.film(e)
    step  operation  what arrives
       1  start      ∂e/∂e = 1
       2  e = c * d  ∂e/∂c += ∂e/∂e · ∂e/∂c = 1 · 10 = 10
                     ∂e/∂d += ∂e/∂e · ∂e/∂d = 1 · 4 = 4
       3  d = b + 4  ∂e/∂b += ∂e/∂d · ∂d/∂b = 4 · 1 = 4
       4  b = a * 3  ∂e/∂a += ∂e/∂b · ∂b/∂a = 4 · 3 = 12
       5  c = a + 2  ∂e/∂a += ∂e/∂c · ∂c/∂a = 10 · 1 = 10; 12 + 10 = 22

    >>> ad.film(e, moves={a: 1.0}, last=1, direction="forward")
    step  operation  what moves
       1  start      tangent of c = 1
                     tangent of d = 3
       2  e = c * d  tangent of e = ∂e/∂c · tangent of c + ∂e/∂d · tangent of d = 10 · 1 + 4 · 3 = 22
    ... and 3 operations more that are not shown
    """
    checked_choice("direction", direction, DIRECTIONS)
    checked_choice("style", style, STYLES)
    look = Look(style=style, show=("data",), theme=checked_theme(theme))
    caller = caller_scope()
    if isinstance(e, (FunctionType, MethodType)):
        e, source = called(e, caller), source or e
    check_node(e, "film", "the end of a calculation")
    _check_window(between, last)
    found = walk(e)
    code = None if source is None else read_source(source, found, _named(found, caller), caller)
    if code is not None:
        caller = replace(caller, local={**code.names, **caller.local})
    chosen = window(found, between, last)
    graph = read(e, caller, limit=len(found.order), fold=False)
    check_size(chosen, graph.nodes[-1].name)
    if moves is None:
        script = Backward if direction == "backward" else Forward
        return Film(script(found, graph, chosen).story(), look, code)
    moved = checked_moves(found, moves, {node.name: node.index for node in graph.nodes})
    teller = Both if direction == "backward" else Forth
    return Film(teller(found, graph, chosen, moved).story(), look, code)


def _check_window(between: object, last: object) -> None:
    """Raise TypeError or ValueError if these do not say what to show."""
    if between is not None and not (
        isinstance(between, (tuple, list)) and len(between) == 2 and all(is_node(x) for x in between)
    ):
        raise TypeError(f"between is a pair of Tensors, between=(x, y), not {word(between)}")
    check_count("last", last, 1, "the number of operations to show")


def _named(found: Walk, caller: Scope) -> dict[str, object]:
    """The nodes of a graph by the names that they have for the caller."""
    given = find_names(found.order, caller)
    return {given[id(node)]: node for node in found.order if id(node) in given}


def _check_target(target: Path, file_format: str, seconds: float | None) -> None:
    """Raise ValueError or FileNotFoundError, as `save` says, if a film cannot be saved there."""
    if file_format not in FORMATS:
        raise ValueError(
            f"cannot save a film as {target.name!r}: end the name in .html, .gif, .png or .svg, or name a "
            "directory"
        )
    render.check_directory(target)
    if file_format in {"gif", "svg"} and seconds is not None and not seconds > 0:
        raise ValueError(f"seconds is how long each step is shown, more than 0, not {seconds}")


def _numbered(target: Path, count: int) -> list[Path]:
    """A name for the file of each step. Raises ValueError if the name has no place for the number."""
    try:
        names = [target.with_name(target.name.format(k)) for k in range(1, count + 1)]
    except (IndexError, KeyError, ValueError):
        names = []
    if len(set(names)) != count or (count == 1 and "{" not in target.name):
        raise ValueError(
            f"{target.name!r} names one file, and a film has one for each step: put {{:02}} where its number "
            f"goes, as in {target.stem.split('{')[0] or 'step'}_{{:02}}{target.suffix}, or give a directory"
        )
    return names


def _gif(slides: list[bytes], times: Sequence[float]) -> bytes:
    try:
        pillow = importlib.import_module("PIL.Image")
    except ImportError:
        raise ImportError(
            "Pillow writes animated gifs, and is not installed: pip install pillow, or save as .html"
        ) from None
    images = [pillow.open(io.BytesIO(slide)).convert("RGB") for slide in slides]
    stream = io.BytesIO()
    first, *others = [image.quantize(128) for image in images]
    duration = [round(1000 * seconds) for seconds in times]
    first.save(
        stream, format="GIF", save_all=True, append_images=others, duration=duration, loop=0, optimize=False
    )
    return stream.getvalue()
