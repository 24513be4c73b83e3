"""The colours of pictures.

A picture in a notebook may lie on a white or on a dark page. The theme "auto" has colours for both, and the
page decides. In the other themes everything on the page itself has a grey that can be read on both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

SHADES = 8  # from the ground of an array's cell to the full colour of a sign
PATHS = 6  # colours for paths
PALE = 0.45  # the deepest tint behind a number, as a fraction of the way to the full colour


@dataclass(frozen=True, slots=True)
class Theme:
    """One set of colours: backgrounds and outlines of boxes by kind, texts, edges, and the two signs.

    A number above zero is `plus` and one below is `minus`, wherever a picture shows a sign by a colour.
    `dark` is the theme to take on a dark page, if there is one.
    """

    ink: str = "#1f2937"
    soft: str = "#556274"
    line: str = "#6b7785"
    gradient: str = "#b4410e"
    leaf: str = "#dbeafe"
    leaf_line: str = "#6b93d6"
    made: str = "#f8fafc"
    made_line: str = "#94a3b8"
    quiet: str = "#eef0f3"
    quiet_line: str = "#b6bec9"
    operation: str = "#fde9b8"
    operation_line: str = "#d6a33a"
    operation_ink: str = "#1f2937"
    backward: str = "#f3e3fb"  # nodes made by a recorded backward pass
    backward_line: str = "#b07acb"
    fold: str = "#dcefe6"  # many nodes as one
    fold_line: str = "#559d7d"
    lit: str = "#d6247f"  # highlighted nodes and arrows
    way_back: str = "#c2551d"  # arrows of the gradient, on the page itself
    page: str = "#5f6b7a"  # titles and captions, on the page itself
    paper: str = "#ffffff"  # behind the texts on edges
    badge: str = "#fff1e6"  # behind a sum
    cell: str = "#ffffff"  # a cell of an array that holds 0
    cell_line: str = "#cbd5e1"
    plus: str = "#d9620f"
    minus: str = "#2f6fd0"
    zero: str = "#9aa5b1"
    wrong: str = "#fdd9d9"
    wrong_line: str = "#d92d2d"
    paths: tuple[str, ...] = ("#6d3fc9", "#08795a", "#b5256f", "#806208", "#0b7285", "#57534e")
    dark: Theme | None = None

    def colour(self, role: str) -> str:
        """The colour for a role: a field of the theme, a shade such as ``tint3`` or ``shade8``, a path such
        as ``path0``, or a colour itself.

        >>> from autodiff.draw import Theme
        >>> Theme(cell="#ffffff", plus="#ff0000").colour("shade8"), Theme().colour("#123456")
        ('#ff0000', '#123456')
        """
        if role.startswith("#") or role in ("none", "transparent"):
            return role
        if role.startswith("path"):
            return self.paths[int(role.removeprefix("path"))]
        shade = re.fullmatch(r"(tint|shade)(-?\d+)", role)
        if not shade:
            found: str = getattr(self, role)
            return found
        level = int(shade[2])
        if abs(level) > SHADES:  # nan or inf
            return self.wrong_line if shade[1] == "shade" else self.wrong
        part = abs(level) / SHADES * (PALE if shade[1] == "tint" else 1.0)
        return mixed(self.cell, self.plus if level > 0 else self.minus, part)


def mixed(near: str, far: str, part: float) -> str:
    """The colour that lies this part of the way from one to another.

    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = [(int(near[i : i + 2], 16), int(far[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in pairs)


LIGHT = Theme()

DARK = Theme(
    ink="#e8edf4",
    soft="#b3c0d1",
    line="#8592a3",
    gradient="#ffb183",
    leaf="#1e3a63",
    leaf_line="#5b8bd6",
    made="#27303d",
    made_line="#66758a",
    quiet="#333b46",
    quiet_line="#566170",
    operation="#5a4718",
    operation_line="#c99a35",
    operation_ink="#fbeecb",
    backward="#44285a",
    backward_line="#b283d1",
    fold="#1d4536",
    fold_line="#56a281",
    lit="#ff6db5",
    way_back="#e0713a",
    page="#b4c0cf",
    paper="#1c232d",
    badge="#4a2d18",
    cell="#1c232d",
    cell_line="#475264",
    plus="#f0813a",
    minus="#6aa5ff",
    zero="#7c8896",
    wrong="#5c2323",
    wrong_line="#ff6b6b",
    paths=("#b79cff", "#4cc9a0", "#ff86c0", "#e0b84a", "#5ccfe6", "#c8c2bc"),
)

AUTO = replace(LIGHT, dark=DARK)

# The colours of Okabe and Ito (2008), pale in backgrounds and full in lines: they can be told apart with
# every kind of colour vision.
COLOUR_BLIND = Theme(
    gradient="#a63c00",
    leaf="#d3ebf9",
    leaf_line="#0072b2",
    made="#fafafa",
    made_line="#8a929c",
    operation="#fdeebf",
    operation_line="#e69f00",
    backward="#f9e0ee",
    backward_line="#cc79a7",
    fold="#cfeee5",
    fold_line="#009e73",
    lit="#d55e00",
    way_back="#bf5300",
    plus="#d55e00",
    minus="#0072b2",
)

# Black on white for paper: lines and greys take the place of colours.
PRINT = Theme(
    ink="#000000",
    soft="#555555",
    line="#444444",
    gradient="#000000",
    leaf="#ffffff",
    leaf_line="#000000",
    made="#ffffff",
    made_line="#777777",
    quiet="#f2f2f2",
    quiet_line="#aaaaaa",
    operation="#ffffff",
    operation_line="#000000",
    operation_ink="#000000",
    backward="#e2e2e2",
    backward_line="#777777",
    fold="#ffffff",
    fold_line="#000000",
    lit="#000000",
    way_back="#000000",
    page="#000000",
    badge="#ffffff",
    plus="#000000",
    minus="#8a8a8a",
    wrong="#ffffff",
    wrong_line="#000000",
)

THEMES = {"auto": AUTO, "light": LIGHT, "dark": DARK, "colour-blind": COLOUR_BLIND, "print": PRINT}
"""The themes by the names that ``theme=`` takes: "auto", "light", "dark", "colour-blind" and "print"."""
