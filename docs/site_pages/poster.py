"""The course on one sheet of A1: `python docs/site_pages/poster.py [folder]` writes poster.svg, and where the
package cairosvg is installed poster.pdf and card.png, which stands beside links to the site."""

from __future__ import annotations

import ast
import re
import sys
from html import escape
from pathlib import Path

from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String

import autodiff as ad
from autodiff_course.machine.plan import assembled, lessons, parts, place_of

WIDTH, HEIGHT, MARGIN = 1188, 1682, 54  # half millimetres
COLUMNS, SIZE, LINE, GAP = 4, 5.4, 7.3, 20
LAST = 22  # the lesson whose machine is printed
TITLE_WORDS = "See every gradient move"
LEAD = "Learn automatic differentiation by building it, one number at a time"
TITLE = re.compile(r"# (\d\d  .*)")
LETTER = 0.6  # of the size: the width of a letter of the code
INK, GREY, BLUE, ORANGE, PAPER = "#1f2933", "#5f6b76", "#1f5fa8", "#b45309", "#fffdf8"
SERIF, SANS, MONO = "Georgia, serif", "Helvetica, Arial, sans-serif", "DejaVu Sans Mono, monospace"

COLOURS = (
    (Comment, GREY), (String, "#33691e"), (Keyword, BLUE), (Number, ORANGE), (Operator.Word, BLUE),
    (Name.Function, "#7b1fa2"), (Name.Class, "#7b1fa2"),
)  # fmt: skip

LAWS = (
    ("Along a path multiply, where paths meet add.", "12 by one path and 10 by the other: 22."),
    ("Each node once, after all that was made from it.", "16 visits where a recursion makes 65,535 calls."),
    ("What was copied on the way forward is summed on the way back.", "Broadcasting, and its reverse."),
    ("Every rule gives its input's shape back.", "z = x @ y: the gradient times y transposed."),
    ("The walk back is a computation too.", "Recorded, it can be walked back itself."),
)


def main(folder: Path) -> None:
    """Write the poster."""
    svg = poster()
    (folder / "poster.svg").write_text(svg, encoding="utf-8")
    try:
        import cairosvg
    except ImportError:
        sys.stdout.write("poster.svg (for poster.pdf and card.png, install cairosvg)\n")
        return
    cairosvg.svg2pdf(
        bytestring=svg.encode(), write_to=str(folder / "poster.pdf"), output_width=594 * 96 / 25.4
    )
    cairosvg.svg2png(bytestring=card().encode(), write_to=str(folder / "card.png"))
    sys.stdout.write("poster.svg, poster.pdf, card.png\n")


def card() -> str:
    """The picture of a link to the site, as SVG, in the size that such pictures have."""
    wide, high = 1200, 630
    shapes = [
        text(MARGIN, 92, TITLE_WORDS, 50, family=SERIF),
        text(MARGIN, 132, LEAD, 23, GREY),
        *graph(175, high - 30, wide),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}">'
        f'<rect width="{wide}" height="{high}" fill="{PAPER}"/>{"".join(shapes)}</svg>'
    )


def poster() -> str:
    """The poster as SVG."""
    code = code_lines(assembled(sum(place_of(part) <= LAST for part in parts())))
    rows = -(-len(code) // COLUMNS)
    for end in range(rows - 1, len(code), rows):  # a title begins the next column
        code[end:end] = [""] * bool(TITLE.match(code[end]))
    top = HEIGHT - MARGIN - rows * LINE
    lessons_top = top - 36 * 5 - 50
    shapes = [
        text(MARGIN, 92, TITLE_WORDS, 50, family=SERIF),
        text(MARGIN, 122, LEAD, 19, GREY),
        *graph(150, lessons_top - 190),
        *laws(MARGIN, lessons_top - 150),
        *course(lessons_top),
        text(
            MARGIN,
            top - 18,
            f"The machine that reads digits in lesson {LAST}: {count(code)} lines, written by you or given",
            19,
            family=SERIF,
        ),
        *listing(code, rows, top),
    ]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="594mm" height="841mm" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" '
        'role="img" aria-label="The course on one sheet">\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>\n' + "\n".join(shapes) + "\n</svg>\n"
    )


def text(
    x: float, y: float, words: str, size: float, fill: str = INK, family: str = SANS, more: str = ""
) -> str:
    """A line of text."""
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-family="{family}" fill="{fill}"'
    return f"<text {place}{more}>{escape(words)}</text>"


def graph(top: float, bottom: float, page: float = WIDTH) -> list[str]:
    """The graph of e = (a + 2)(3a + 4) with its gradients, as large as there is room on a page so wide."""
    a = ad.Tensor(2)
    b = 3 * a
    c = a + 2
    d = b + 4
    e = c * d
    e.backward()
    bundle, _ = ad.draw(e, flow=True)._repr_mimebundle_()
    found = re.sub(
        r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", bundle["image/svg+xml"]
    )  # paper is never dark
    size = re.search(r'width="(\d+)" height="(\d+)"', found)
    assert size
    tall = min(bottom - top - 20, (page - 2 * MARGIN) * int(size[2]) / int(size[1]))
    wide = tall * int(size[1]) / int(size[2])
    x, y = (page - wide) / 2, top + 20
    placed = found.replace(size[0], f'x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{tall:.0f}"', 1)
    said = f"e = (a + 2)(3a + 4) at a = 2: e is {e.data:g}, and its slope is {a.grad.data:g}"
    return [text(MARGIN, top + 8, said, 15), placed]


def laws(x: float, y: float) -> list[str]:
    """The sentences to remember."""
    found = []
    for i, (law, example) in enumerate(LAWS):
        left, above = x + i % 2 * (WIDTH / 2 - MARGIN + 10), y + i // 2 * 48
        found += [text(left, above, law, 16), text(left, above + 20, example, 12.5, GREY)]
    return found


def course(y: float) -> list[str]:
    """The map: a box for each lesson."""
    titles = [(number, title) for number, title, _ in lessons()]
    per_row = -(-len(titles) // 5)
    wide = (WIDTH - 2 * MARGIN + 8) / per_row - 8
    found = []
    for i, (number, title) in enumerate(titles):
        left, above = MARGIN + i % per_row * (wide + 8), y + i // per_row * 36
        shade = "#e8f0fa" if i // per_row % 2 == 0 else "#fbeedd"
        found.append(
            f'<rect x="{left:.1f}" y="{above:.1f}" width="{wide:.1f}" height="30" rx="5" fill="{shade}"/>'
        )
        found.append(text(left + 6, above + 12, f"{number:02}", 8.5, GREY))
        size = min(9.5, (wide - 10) / (0.5 * len(title)))
        found.append(text(left + 6, above + 24, title, round(size, 1)))
    return found


def code_lines(source: str) -> list[str]:
    """The machine's text without docstrings, notes of whose a piece is, and blank lines; a line with the
    number and the title begins each lesson."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            said = node.body[0]
            for i in range(said.lineno - 1, said.end_lineno or said.lineno):
                lines[i] = ""
    kept = [re.sub(r" =+$", "", line).replace("# == ", "# ") for line in lines]
    kept = [
        line for line in kept if line.strip() and not re.match(r"# \d\d \S.*: (the reference|given)", line)
    ]
    return [part for line in kept for part in (["", line] if TITLE.match(line) else [line])]


def count(code: list[str]) -> int:
    """The lines that are no comments."""
    return sum(bool(line) and not line.startswith("#") for line in code)


def listing(code: list[str], rows: int, top: float) -> list[str]:
    """The code in columns, coloured."""
    column = (WIDTH - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS
    found = []
    for i, line in enumerate(code):
        x, y = MARGIN + i // rows * (column + GAP), top + i % rows * LINE
        if title := TITLE.match(line):
            found.append(text(x, y, title[1], SIZE + 1, ORANGE, more=' font-weight="bold"'))
            continue
        size = min(SIZE, column / (LETTER * max(len(line), 1)))
        spans = "".join(
            f'<tspan fill="{fill}">{escape(part)}</tspan>' if (fill := colour(kind)) else escape(part)
            for kind, part in PythonLexer(stripnl=False).get_tokens(line)
        ).rstrip("\n")
        found.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.2f}" font-family="{MONO}" fill="{INK}" '
            f'xml:space="preserve">{spans}</text>'
        )
    return found


def colour(kind: object) -> str:
    """The colour of a token, or nothing."""
    return next((fill for group, fill in COLOURS if kind in group), "")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
