"""The colours of pictures.

A picture in a notebook may lie on a white or on a dark page. Nodes, slopes and the titles of boxes have a
background of their own. Edges, constants and captions, which lie on the page itself, are of a grey that
can be read on both.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """One set of colours: backgrounds and outlines of boxes by kind, texts, edges."""

    ink: str = "#1f2937"
    soft: str = "#64748b"
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


LIGHT = Theme()

DARK = Theme(
    ink="#e8edf4",
    soft="#9fb0c5",
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
)

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
    way_back="#d55e00",
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
)

THEMES = {"light": LIGHT, "dark": DARK, "colour-blind": COLOUR_BLIND, "print": PRINT}
