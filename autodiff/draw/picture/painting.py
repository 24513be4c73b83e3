"""A sheet as PNG or PDF, painted by Matplotlib, which brings its fonts: the same picture on every machine.

The letters are DejaVu Sans, whose texts are wider than those that a picture is laid out for
(``metrics.py``). So they are a tenth smaller, which makes them as high as Helvetica's, and a text that is
still too wide shrinks.
"""

from __future__ import annotations

import io
from typing import Any

from ..theme import Theme
from .metrics import CODE_WIDTH, text_width
from .page import Sheet
from .shapes import Curve, Patch, Point, Rect, Text
from .svg import BASELINE, DASH

HOW_TO_GET = 'pip install "autodiff[draw]", whose Matplotlib paints it'
FINENESS = {"png": 2}  # pixels of the file to one on the screen, so that letters stay sharp
POINTS = 72  # to an inch; a pixel of the sheet is a point of the file
ANCHORS: Any = {"start": "left", "middle": "center", "end": "right"}  # in Matplotlib's words
FAMILIES = ("DejaVu Sans", "DejaVu Sans Mono")
SMALLER = 0.9
ROUND = 0.45  # how far from a corner the handles of its curve are, as a part of its radius


def painted_file(sheet: Sheet, theme: Theme, file_format: str, ground: str = "none") -> bytes:
    """The sheet as the bytes of a png or pdf file. Raises ImportError if Matplotlib is not installed."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(f"a {file_format} file is painted by Matplotlib: {HOW_TO_GET}") from None
    with mpl.rc_context():
        mpl.rcdefaults()  # the picture does not depend on the reader's own settings
        mpl.rcParams["pdf.fonttype"] = 42  # letters stay letters, to be found and copied
        width, height = round(sheet.width), round(sheet.height)
        figure = Figure(figsize=(width / POINTS, height / POINTS), dpi=POINTS * FINENESS.get(file_format, 1))
        figure.patch.set_facecolor(ground)
        painter = Painter(figure, theme, width, height)
        for shape in sorted(sheet.shapes, key=lambda shape: shape.layer):
            painter.paint(shape)
        stream = io.BytesIO()
        undated = {"CreationDate": None} if file_format == "pdf" else {"Software": None}
        figure.savefig(stream, format=file_format, facecolor=ground, metadata=undated)
    return stream.getvalue()


class Painter:
    """Puts shapes on a figure. Coordinates are those of a sheet, from the upper left corner."""

    def __init__(self, figure: Any, theme: Theme, width: int, height: int) -> None:
        from matplotlib.transforms import Affine2D

        self.figure, self.theme = figure, theme
        self.place = Affine2D().scale(1 / width, -1 / height).translate(0, 1) + figure.transFigure

    def paint(self, shape: Rect | Curve | Patch | Text) -> None:
        """Put one shape on top of what is there."""
        if isinstance(shape, Text):
            self._text(shape)
        elif isinstance(shape, Patch):
            self._outline(shape.points, [1] + [2] * (len(shape.points) - 1), fill=shape.fill)
        elif isinstance(shape, Curve):
            codes = [1] + [4] * (len(shape.points) - 1)
            self._outline(shape.points, codes, "", shape.line, shape.weight, shape.is_dashed)
        else:
            points = rounded(shape)
            codes = [1] + [4] * (len(points) - 1)
            self._outline(points, codes, shape.fill, shape.line, shape.weight, shape.is_dashed)

    def _outline(
        self,
        points: tuple[Point, ...],
        codes: list[int],
        fill: str = "",
        line: str = "",
        weight: float = 1.0,
        is_dashed: bool = False,
    ) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        dash = tuple(float(length) / weight for length in DASH.split())  # Matplotlib multiplies by the weight
        self.figure.add_artist(
            PathPatch(
                Path(points, codes),
                transform=self.place,
                facecolor=self.theme.colour(fill) if fill else "none",
                edgecolor=self.theme.colour(line) if line else "none",
                linewidth=weight if line else 0,
                linestyle=(0, dash) if is_dashed else "solid",
                capstyle="butt",
                joinstyle="miter",
            )
        )

    def _text(self, text: Text) -> None:
        from matplotlib.font_manager import FontProperties
        from matplotlib.text import Text as Written

        size = text.size * SMALLER
        font = FontProperties(
            family=FAMILIES[text.is_code], size=size, weight="bold" if text.is_bold else "normal"
        )
        room = text_width(text.text, text.size, bold=text.is_bold)
        if text.is_code:
            room = CODE_WIDTH * text.size * len(text.text)
        font.set_size(size * min(1.0, room / max(_width(text.text, font), 1e-9)))
        self.figure.add_artist(
            Written(
                text.x,
                text.y + BASELINE * text.size,
                text.text,
                transform=self.place,
                color=self.theme.colour(text.ink),
                fontproperties=font,
                horizontalalignment=ANCHORS[text.anchor],
                verticalalignment="baseline",
                parse_math=False,
            )
        )


def _width(text: str, font: Any) -> float:
    """The width of a text in points."""
    from matplotlib.textpath import text_to_path

    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def rounded(rect: Rect) -> tuple[Point, ...]:
    """The outline of a rectangle as Bezier curves, closed."""
    x0, y0, x1, y1 = rect.x, rect.y, rect.x + rect.width, rect.y + rect.height
    r = min(rect.radius, rect.width / 2, rect.height / 2)
    k = r * ROUND
    corners = [
        ((x1 - r, y0), (x1 - k, y0), (x1, y0 + k), (x1, y0 + r)),
        ((x1, y1 - r), (x1, y1 - k), (x1 - k, y1), (x1 - r, y1)),
        ((x0 + r, y1), (x0 + k, y1), (x0, y1 - k), (x0, y1 - r)),
        ((x0, y0 + r), (x0, y0 + k), (x0 + k, y0), (x0 + r, y0)),
    ]
    points: list[Point] = [(x0 + r, y0)]
    for start, first, second, end in corners:
        points += [points[-1], start, start, first, second, end]
    points += [points[-1], points[0], points[0]]
    return tuple(points)
