"""How wide a text is in a picture: by the metrics of Helvetica, which Arial and Liberation Sans share.

A picture is laid out before anybody knows which font a reader's browser has. Texts are placed by their middle
or by the edge that they are lined up at, so a wider font stays inside its box.
"""

from __future__ import annotations

from unicodedata import combining, east_asian_width

FONT = "Helvetica,Arial,sans-serif"
CODE_FONT, CODE_WIDTH = "Menlo,Consolas,monospace", 0.602  # of the size: the width of each letter
BOLD = 1.07  # the width of a bold text, as a multiple of a plain one
OTHER, WIDE = 600, 1000  # any other letter; one of a script with square letters


class Widths(dict[str, int]):
    """The widths of letters in thousandths of the size; any other letter gets its width when it is asked
    for."""

    def __missing__(self, letter: str) -> int:
        wide = WIDE if east_asian_width(letter) in "WF" else OTHER
        return 0 if combining(letter) else wide


# From Adobe's font metrics of Helvetica.
WIDTHS = Widths({
    letter: width
    for width, letters in {
        191: "'", 222: "ijl", 260: "|", 278: " !,./:;I[\\]ft\N{MIDDLE DOT}", 333: "()-`r", 334: "{}",
        355: '"', 389: "*", 469: "^", 494: "\N{PARTIAL DIFFERENTIAL}", 500: "Jcksvxyz",
        556: "#$0123456789?L_abdeghnopqu", 584: "+<=>~\N{MULTIPLICATION SIGN}\N{DIVISION SIGN}\N{MINUS SIGN}",
        611: "FTZ", 667: "&ABEKPSVXY", 722: "CDHNRUw", 778: "GOQ", 833: "Mm", 889: "%", 944: "W",
        1000: "\N{HORIZONTAL ELLIPSIS}\N{LEFTWARDS ARROW}\N{RIGHTWARDS ARROW}", 1015: "@",
    }.items()
    for letter in letters
})  # fmt: skip


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a text in pixels, for letters of a size in pixels.

    >>> text_width("data", 10), round(text_width("data", 10, bold=True), 2)
    (19.46, 20.82)
    """
    return sum(map(WIDTHS.__getitem__, text)) * size / 1000 * (BOLD if bold else 1)
