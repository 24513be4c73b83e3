"""`film`: the walk back or the forward pass, one operation at a time.

`window` chooses the operations, `backward_story` and `forward_story` say what happens in each step, `frame`
draws it, `small_svg` compresses it, and `page` puts it on a page.
"""

from __future__ import annotations

import importlib
import io
import os
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from ..graph.as_text import word
from ..graph.caller import caller_scope
from ..graph.reading import read
from ..graph.walk import check_node, is_node, walk
from ..look import check_count, checked_choice, checked_theme
from ..picture import render
from ..picture.render import fingerprint
from ..theme import Theme
from . import frame, page, small_svg
from .backward_story import Backward
from .forward_story import Forward
from .story import HEADERS, Story
from .window import check_size, window

FORMATS = ("html", "gif", "png", "svg")
DPI = 144  # of slides
PAGE_WIDTH = 1300  # pixels; shown smaller than this, the text of a film would be too small to read
SECONDS = 2.5  # for which a gif shows a step
displayed: Counter[str] = Counter()
"""How often each film was displayed: two films on one page need different ids, and a notebook that is run
again must get the same ids as before."""


class Film:
    """A pass through a graph, step by step, at the moment when it was filmed.

    As the value of a notebook cell it can be stepped through; printed, it is the account in `text`.
    """

    def __init__(self, story: Story, theme: Theme) -> None:
        self._story = story
        self._theme = theme
        self.text: str = story.text

    def __repr__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self._story.steps)

    @cached_property
    def frames(self) -> list[str] | None:
        """One SVG per step, or None if no layout engine is installed."""
        mark = f"autodiff:{fingerprint(self.text)}"
        frames = []
        for step in self._story.steps:
            dot = frame.source(self._story, step, self._theme, self._direction)
            svg = render.render(dot, "svg")
            if svg is None:
                return None
            frames.append(small_svg.compressed(svg, mark))
        return frames

    @cached_property
    def _direction(self) -> str:
        """The direction of all frames: LR, unless that is too wide for a page and TB is narrower."""

        def width(direction: str) -> float:
            dot = frame.source(self._story, self._story.steps[0], self._theme, direction)
            svg = render.render(dot, "svg")
            return small_svg.width(svg) if svg else 0.0

        wide = width("LR")
        return "TB" if wide > PAGE_WIDTH and width("TB") < wide else "LR"

    def html(self, uid: str = "film") -> str:
        """The film as a piece of HTML; its ids begin with `uid`, which must be unique on the page."""
        mark = fingerprint(self.text)
        if self.frames is None:
            return page.without_pictures(self._story, uid, mark, render.HOW_TO_GET_PICTURES)
        return page.film(self._story, self.frames, uid, mark)

    def save(self, path: str | os.PathLike[str], *, seconds: float = SECONDS) -> None:
        """Write the film to one or more files, according to the ending of the name.

        Parameters
        ----------
        path : path
            `x.html` is a page that needs no other file and no network. `x.gif` is an animation.
            `x_{:02}.png` and `x_{:02}.svg` are one file per step, with its number, from 1, in the place of
            the brackets; a directory gets `step_01.png` and so on.
        seconds : float
            How long a gif shows each step; the last one is shown twice as long.

        Raises
        ------
        ValueError
            If the ending is none of these, a name for frames has no place for their number, or `seconds` is
            not above 0.
        FileNotFoundError
            If the file's directory does not exist.
        ImportError
            If Pillow, which writes the gif, is not installed.
        RuntimeError
            If no layout engine is installed.

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
        names = _numbered(target, len(self)) if file_format in {"png", "svg"} else []
        if self.frames is None:
            raise RuntimeError(
                f"no layout engine could draw {target.name!r}: {render.HOW_TO_GET_PICTURES}; the film's text "
                "needs none"
            )
        if file_format == "html":
            film = self.html(f"film-{fingerprint(self.text)}")
            target.write_text(page.page(self._story, film), encoding="utf-8", newline="\n")
        elif file_format == "gif":
            target.write_bytes(_gif(self._slides("png"), seconds))
        else:
            for name, slide in zip(names, self._slides(file_format)):
                name.write_bytes(slide)

    def _slides(self, file_format: str) -> list[bytes]:
        """Each step with its caption in the picture."""
        captions = frame.captions(self._story, self._theme)
        slides = []
        for step, caption in zip(self._story.steps, captions):
            dot = frame.source(self._story, step, self._theme, self._direction, caption=caption)
            if file_format == "png":
                dot = dot.replace("graph [", f"graph [dpi={DPI} ", 1)
            slide = render.render(dot, file_format) or b""
            if file_format == "svg":
                slide = small_svg.compressed(slide, f"autodiff:{fingerprint(self.text)}").encode()
            slides.append(slide)
        return slides

    def _repr_mimebundle_(
        self, include: Iterable[str] | None = None, exclude: Iterable[str] | None = None
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The account in words, and with it the film. This never raises an error."""
        mark = fingerprint(self.text)
        bundle = {"text/plain": self.text}
        with suppress(Exception):  # if the pictures fail in any way, the cell still shows the text
            displayed[mark] += 1
            bundle["text/html"] = self.html(f"film-{mark}-{displayed[mark]}")
        return bundle, {"autodiff": mark}


def film(
    e: object,
    *,
    direction: str = "backward",
    between: tuple[object, object] | None = None,
    last: int | None = None,
    theme: str | Theme = "light",
) -> Film:
    """Film the walk back from `e`, one operation at a time.

    The first step shows the gradient of `e`, which is 1. Then one operation after the other passes its
    gradient on, each when all uses of its result have done so. Its edges show gradient, local slope and
    contribution, and nodes where paths meet show the sum so far. No `grad` is read or changed.
    It works on a Tensor, and on an object of any class with `data`, `grad`, `creators` and `creation_op`.

    Parameters
    ----------
    e : Tensor
        The end of the graph; a single number, unless the forward pass is filmed.
    direction : {"backward", "forward"}
        Which pass to film.
    between : (Tensor, Tensor) or None
        Show only what lies on the paths between these two.
    last : int or None
        Show only this many operations, those nearest to the end.
    theme : {"light", "dark", "colour-blind", "print"} or Theme
        The colours.

    Returns
    -------
    Film
        It steps in a notebook, prints as a table, and saves to html, gif and png.

    Raises
    ------
    TypeError
        If `e` is not a node of a graph, `between` is not a pair of nodes, or `last` is not an int.
    ValueError
        If the direction or the theme is unknown, `e` is not a single number or was not computed, the graph is
        too large to be filmed, `last` is less than 1, or `between` is not in the graph or has no path.

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
       1  start      de/de = 1
       2  e = c * d  de/dc += de/de * de/dc = 1 * 10 = 10
                     de/dd += de/de * de/dd = 1 * 4 = 4
       3  d = b + 4  de/db += de/dd * dd/db = 4 * 1 = 4
       4  b = a * 3  de/da += de/db * db/da = 4 * 3 = 12
       5  c = a + 2  de/da += de/dc * dc/da = 10 * 1 = 10; 12 + 10 = 22
    """
    check_node(e, "film", "the end of a calculation")
    checked_choice("direction", direction, tuple(HEADERS))
    colours = checked_theme(theme)
    if between is not None and not (
        isinstance(between, (tuple, list)) and len(between) == 2 and all(is_node(x) for x in between)
    ):
        raise TypeError(f"between is a pair of Tensors, between=(x, y), not {word(between)}")
    check_count("last", last, 1, "the number of operations to show")
    found = walk(e)
    chosen = window(found, between, last)
    graph = read(e, caller_scope(), limit=len(found.order), fold=False)
    check_size(chosen, graph.nodes[-1].name)
    script = Backward if direction == "backward" else Forward
    return Film(script(found, graph, chosen).story(), colours)


def _check_target(target: Path, file_format: str, seconds: float) -> None:
    """Raise ValueError or FileNotFoundError, as `save` says, if a film cannot be saved there."""
    if file_format not in FORMATS:
        raise ValueError(
            f"cannot save a film as {target.name!r}: end the name in .html, .gif, .png or .svg, or name a "
            "directory"
        )
    render.check_directory(target)
    if file_format == "gif" and not seconds > 0:
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


def _gif(slides: list[bytes], seconds: float) -> bytes:
    try:
        pillow = importlib.import_module("PIL.Image")
    except ImportError:
        raise ImportError(
            "Pillow writes animated gifs, and is not installed: pip install pillow, or save as .html"
        ) from None
    images = [pillow.open(io.BytesIO(slide)).convert("RGB") for slide in slides]
    stream = io.BytesIO()
    first, *others = [image.quantize(128) for image in images]
    duration = [round(seconds * 1000)] * len(others) + [round(seconds * 2000)]
    first.save(
        stream, format="GIF", save_all=True, append_images=others, duration=duration, loop=0, optimize=False
    )
    return stream.getvalue()
