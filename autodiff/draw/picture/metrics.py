"""How wide a text is in a picture: by the metrics of Helvetica, which Arial and Liberation Sans share.

A picture is laid out before anybody knows which font a reader's browser has. Texts are placed by their middle
or by the edge that they are lined up at, so a wider font stays inside its box.
"""

from __future__ import annotations

from unicodedata import combining, east_asian_width

FONT = "Helvetica,Arial,sans-serif"
CODE_FONT, CODE_WIDTH = "Menlo,Consolas,monospace", 0.602  # of the size: the width of each letter
OTHER, BOLD_OTHER, WIDE = 600, 640, 1000  # any other letter, plain and bold; one with square letters


class Widths(dict[str, int]):
    """The widths of letters in thousandths of the size; any other letter gets its width when it is asked
    for."""

    def __init__(self, letters: dict[int, str], other: int) -> None:
        super().__init__((letter, width) for width, group in letters.items() for letter in group)
        self.other = other

    def __missing__(self, letter: str) -> int:
        wide = WIDE if east_asian_width(letter) in "WF" else self.other
        return 0 if combining(letter) else wide


SIGNS = "+<=>~\N{MULTIPLICATION SIGN}\N{DIVISION SIGN}\N{MINUS SIGN}"
SQUARE = "\N{HORIZONTAL ELLIPSIS}\N{LEFTWARDS ARROW}\N{RIGHTWARDS ARROW}"
# From Adobe's font metrics of Helvetica and Helvetica Bold, whose narrow letters are wider by a quarter.
PLAIN = Widths({
    191: "'", 222: "ijl", 260: "|", 278: " !,./:;I[\\]ft\N{MIDDLE DOT}", 333: "()-`r", 334: "{}",
    355: '"', 389: "*", 469: "^", 494: "\N{PARTIAL DIFFERENTIAL}", 500: "Jcksvxyz",
    556: "#$0123456789?L_abdeghnopqu", 584: SIGNS, 611: "FTZ", 667: "&ABEKPSVXY", 722: "CDHNRUw",
    778: "GOQ", 833: "Mm", 889: "%", 944: "W", 1000: SQUARE, 1015: "@",
}, OTHER)  # fmt: skip
BOLD = Widths({
    238: "'", 278: " ,./I\\ijl\N{MIDDLE DOT}", 280: "|", 333: "!()-:;[]`ft", 389: "*r{}", 474: '"',
    494: "\N{PARTIAL DIFFERENTIAL}", 500: "z", 556: "#$0123456789J_aceksvxy",
    584: "^" + SIGNS, 611: "?FLTZbdghnopqu", 667: "EPSVXY", 722: "&ABCDHKNRU", 778: "GOQw", 833: "M",
    889: "%m", 944: "W", 975: "@", 1000: SQUARE,
}, BOLD_OTHER)  # fmt: skip


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a text in pixels, for letters of a size in pixels.

    >>> text_width("data", 10), round(text_width("data", 10, bold=True), 2)
    (19.46, 20.56)
    """
    return sum(map((BOLD if bold else PLAIN).__getitem__, text)) * size / 1000
