"""Print the page of all wrong answers and what the reader is told about them, which the site has too."""

from __future__ import annotations

import ast
import itertools
import re
import sys

from .judging import judge
from .plan import Piece, find, lessons

HEAD = """\
# All wrong answers, and what the reader is told

The mistakes that are known in the pieces which a reader of the course writes, lesson by lesson, with what the
reader is told. A message begins with the calculation that goes wrong, which can be copied into a cell; a
sentence follows. Another answer that gives the same numbers gets the same sentence. In what is printed, · is
a blank at the beginning of a line, and → a tab.

## Every piece

| the cell holds | what the reader is told |
|---|---|
"""
SLOPE = "def slope(f, x, h=0.001):\n"
RETURN = "    return (f(x + h) - f(x - h)) / (2 * h)"
GENERAL = {
    "the stub": ("02 slope", find("02 slope").stub),
    "a row that is still None": ("06 rules", find("06 rules").code.replace("grad / x", "None")),
    "a missing row": ("06 rules", 'RULES |= {"neg": (lambda grad, z, x: -grad,)}'),
    "broken syntax (by hand, in the file)": ("02 slope", SLOPE + "    return (f(x + h"),
    "a name of the notebook": ("02 slope", SLOPE + "    return helper(f, x, h)"),
    "a function of the notebook in a row": (
        "09 FORWARD",
        find("09 FORWARD").code.replace("lambda x: np.maximum(x, 0)", "my_relu"),
    ),
    "an import, the package too": ("02 slope", SLOPE + "    import autodiff\n" + RETURN),
    "a missing method": ("18 Sequential", "class Sequential:\n    def __call__(self, x):\n        return x"),
    "an argument too few": ("02 slope", "def slope(f, x):\n    return (f(x + 0.001) - f(x - 0.001)) / 0.002"),
    "an argument of another name": ("02 slope", "def slope(f, x, d=1):\n    return (f(x + d) - f(x)) / d"),
    "a rule with an argument too few": (
        "03 mul",
        'RULES |= {"mul": (lambda grad, x, y: grad * y, lambda grad, x, y: grad * x)}',
    ),
    "one function for two rules": (
        "03 mul",
        'RULES |= {"mul": lambda grad, z, x, y: (grad * y, grad * x)}',
    ),
    "one rule where two belong": ("03 mul", 'RULES |= {"mul": (lambda grad, z, x, y: grad * y,)}'),
    "printing in place of returning": ("02 slope", SLOPE + "    print((f(x + h) - f(x - h)) / (2 * h))"),
    "printing in a rule": ("06 rules", find("06 rules").code.replace(": -grad", ": print(-grad)")),
    "a missing return": ("02 slope", SLOPE + "    s = (f(x + h) - f(x - h)) / (2 * h)"),
    "a loop without end": ("02 slope", SLOPE + "    while True:\n        x = x + h"),
    "a bare except": ("02 slope", SLOPE + "    try:\n    " + RETURN + "\n    except:\n        return 0"),
    "a function that calls itself without end": ("02 slope", SLOPE + "    return slope(f, x + h, h)"),
    "something unknown": ("02 slope", SLOPE + "    return 7.0"),
    "a piece that spoils another": (
        "05 order",
        find("05 order").code.replace("opened.add(node)", "opened.add(node)\n            node.grad = None"),
    ),
}  # fmt: skip


def page() -> str:
    """The whole page."""
    text = [HEAD + "\n".join(row(kind, told(find(name), code)) for kind, (name, code) in GENERAL.items())]
    for number, title, parts in lessons():
        text.append(f"## {number:02} {title}")
        for piece in parts:
            if isinstance(piece, Piece):
                rows = [row(wrong.kind, told(piece, wrong.code(piece.code))) for wrong in piece.wrong]
                text.append(
                    f"### {piece.name}\n\n| mistake | what the reader is told |\n|---|---|\n"
                    + "\n".join(rows)
                )
    return "\n\n".join(text) + "\n"


def told(piece: Piece, code: str) -> str:
    """The message for an answer in one line, with its code in backquotes."""
    verdict = judge(piece, code, {})
    message = verdict.message or ("Not done yet." if verdict.status != "right" else "Right.")
    # What Python and NumPy say in an error differs between their versions.
    should = "; it should be"
    message = re.sub(rf"stops with (\w+): .*?{should}", rf"stops with \1{should}", message, flags=re.DOTALL)
    message = re.sub(r"stops with (\w+): .*", r"stops with \1", message)
    blocks = [(inside, [*lines]) for inside, lines in itertools.groupby(message.split("\n"), is_code)]
    return " ".join(in_backquotes(lines) if inside else " ".join(lines) for inside, lines in blocks).strip()


def is_code(line: str) -> bool:
    """Whether a line of a message is code; blank lines stand only in code."""
    return line.startswith("    ") or not line


def in_backquotes(lines: list[str]) -> str:
    """Lines of code as one; of a long calculation only the end. In what was printed, blanks at a line's
    beginning are dots, and tabs are arrows: the mistake may lie there."""
    shown = [line[4:].rstrip() for line in lines if line]
    try:
        ast.parse("\n".join(shown))
    except SyntaxError:
        shown = [
            re.sub(r"^\s+", lambda begin: begin[0].replace(" ", "·").replace("\t", "→"), each)
            for each in shown
        ]
    code = "; ".join(shown)
    code = re.sub(r":; +", ": ", re.sub(r"; {4,}", "; ", code))
    return f"`{code}`" if len(code) <= 150 else f"... `{lines[-1].strip()}`"


def row(kind: str, message: str) -> str:
    """A line of a table in Markdown, in which stars and underlines outside of backquotes mean themselves."""
    plain = re.sub(r"(`[^`]*`)|([*_<])", lambda found: found[1] or "\\" + found[2], message)
    return f"| {kind} | {plain.replace('|', chr(92) + '|')} |"


if __name__ == "__main__":
    sys.stdout.write(page())
