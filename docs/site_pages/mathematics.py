"""A rule's Python as mathematics: ``lambda grad, z, x, y: grad * y`` becomes z's gradient times y.

Only what has a usual notation is translated; for the rest there is the source alone.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

LETTERS = {
    "grad": r"\bar z", "alpha": r"\alpha", "pi": r"\pi", "LOG_2": r"\ln 2", "LOG_10": r"\ln 10",
    "SELU_SCALE": r"\lambda", "SELU_ALPHA": r"\alpha",
}  # fmt: skip
FUNCTIONS = {
    "sin": r"\sin", "cos": r"\cos", "tan": r"\tan", "exp": r"\exp", "log": r"\log", "tanh": r"\tanh",
    "sinh": r"\sinh", "cosh": r"\cosh", "sign": r"\mathrm{sign}", "sigmoid": r"\sigma",
    "sum": r"\textstyle\sum", "softplus": r"\mathrm{softplus}", "lower": r"\mathrm{lower}",
}  # fmt: skip
RELATIONS: dict[type[ast.cmpop], str] = {
    ast.Gt: ">", ast.GtE: r"\ge", ast.Lt: "<", ast.LtE: r"\le", ast.Eq: "=", ast.NotEq: r"\ne",
}  # fmt: skip
SUM, PRODUCT, POWER, ATOM = range(4)
"""How tightly a formula holds together; a looser one within a tighter one needs brackets."""


class NoNotation(Exception):
    """The expression has no usual notation."""


def formula(code: str) -> str | None:
    r"""The rule, a lambda, as LaTeX; or None. A condition in square brackets (Iverson's) is 1 where it holds
    and 0 elsewhere.

    >>> print(formula("lambda grad, z, x, y: grad * y"))
    \bar z\, y
    >>> print(formula("lambda grad, z, x: grad / (2 * z)"))
    \frac{\bar z}{2\, z}
    >>> print(formula("lambda grad, z, x: grad * (x > 0)"))
    \bar z\, [x > 0]
    >>> formula("lambda grad, z, x: grad * unknown(x)") is None
    True
    """
    try:
        found = ast.parse(code.strip().rstrip(","), mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(found, ast.Lambda):
        return None
    try:
        own = {each.arg: rf"\mathit{{{each.arg}}}" if each.arg[1:] else each.arg for each in found.args.args}
        return written(found.body, own | LETTERS)[0]
    except NoNotation:
        return None


def written(node: ast.expr, letters: Mapping[str, str]) -> tuple[str, int]:
    """An expression as LaTeX, and how tightly it holds together. ``letters``: the names that it may use."""

    def within(part: ast.expr, tight: int) -> str:
        """A part in brackets if it is looser than that needs."""
        text, own = written(part, letters)
        return text if own >= tight else f"({text})"

    match node:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name("np" | "math"), attr=name) if name in letters:
            return letters[name], ATOM
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return f"{number:g}", ATOM
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"-{within(operand, PRODUCT)}", SUM
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return rf"\frac{{{within(left, SUM)}}}{{{within(right, SUM)}}}", ATOM
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return f"{within(left, ATOM)}^{{{within(right, SUM)}}}", POWER
        case ast.BinOp(left=left, op=ast.Mult() | ast.BitAnd(), right=right):
            first, second = within(left, PRODUCT), within(right, PRODUCT)
            dot = r"\cdot " if second[0].isdigit() else r"\, "
            return f"{first}{dot}{second}", PRODUCT
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            return rf"{within(left, PRODUCT)}\; {within(right, PRODUCT)}", PRODUCT
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=right):
            tight = PRODUCT if isinstance(sign, ast.Sub) else SUM
            return f"{within(left, SUM)} {'-' if tight else '+'} {within(right, tight)}", SUM
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in RELATIONS:
            return f"[{within(left, SUM)} {RELATIONS[type(op)]} {within(right, SUM)}]", ATOM
        case ast.Attribute(value=matrix, attr="T") | ast.Call(func=ast.Name(id="mT"), args=[matrix]):
            if isinstance(matrix, ast.Call) and ast.unparse(matrix.func) == "inv":
                return f"{within(matrix.args[0], ATOM)}^{{-T}}", POWER
            return f"{within(matrix, ATOM)}^T", POWER
        case ast.Call(func=ast.Name(id="inv"), args=[matrix]):
            return f"{within(matrix, ATOM)}^{{-1}}", POWER
        case ast.Call(func=ast.Name(id="minimum"), args=[first, second]):
            return rf"\min({within(first, SUM)}, {within(second, SUM)})", ATOM
        case ast.Call(func=ast.Name(id="sqrt") | ast.Attribute(attr="sqrt"), args=[inner], keywords=[]):
            return rf"\sqrt{{{within(inner, SUM)}}}", ATOM
        case ast.Call(func=ast.Name(id="abs"), args=[inner], keywords=[]):
            return rf"|{within(inner, SUM)}|", ATOM
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[inner], keywords=[]):
            if name in FUNCTIONS:
                return rf"{FUNCTIONS[name]}({within(inner, SUM)})", POWER
    raise NoNotation
