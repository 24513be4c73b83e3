"""A rule's Python as mathematics: ``lambda grad, z, x, y: grad * y`` becomes z's gradient times y.

Only what has a usual notation is translated; for the rest there is the source alone.
"""

from __future__ import annotations

import ast

LETTERS = {"grad": r"\bar z", "z": "z", "x": "x", "y": "y"}
FUNCTIONS = {
    "sin": r"\sin", "cos": r"\cos", "tan": r"\tan", "exp": r"\exp", "log": r"\log", "tanh": r"\tanh",
    "sinh": r"\sinh", "cosh": r"\cosh", "sign": r"\operatorname{sign}", "sigmoid": r"\sigma",
}  # fmt: skip
SUM, PRODUCT, POWER, ATOM = range(4)
"""How tightly a formula holds together; a looser one within a tighter one needs brackets."""


class NoNotation(Exception):
    """The expression has no usual notation."""


def formula(code: str) -> str | None:
    r"""The rule, a lambda, as LaTeX; or None.

    >>> print(formula("lambda grad, z, x, y: grad * y"))
    \bar z\, y
    >>> print(formula("lambda grad, z, x: grad / (2 * z)"))
    \frac{\bar z}{2\, z}
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
        return written(found.body)[0]
    except NoNotation:
        return None


def written(node: ast.expr) -> tuple[str, int]:
    """An expression as LaTeX, and how tightly it holds together."""
    match node:
        case ast.Name(id=name) if name in LETTERS:
            return LETTERS[name], ATOM
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return f"{number:g}", ATOM
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"-{within(operand, PRODUCT)}", SUM
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return rf"\frac{{{written(left)[0]}}}{{{written(right)[0]}}}", ATOM
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return f"{within(left, ATOM)}^{{{written(right)[0]}}}", POWER
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            first, second = within(left, PRODUCT), within(right, PRODUCT)
            dot = r"\cdot " if second[0].isdigit() else r"\, "
            return f"{first}{dot}{second}", PRODUCT
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            return rf"{within(left, PRODUCT)}\; {within(right, PRODUCT)}", PRODUCT
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as sign, right=right):
            tight = PRODUCT if isinstance(sign, ast.Sub) else SUM
            return f"{within(left, SUM)} {'-' if tight else '+'} {within(right, tight)}", SUM
        case ast.Call(func=ast.Name(id="sqrt") | ast.Attribute(attr="sqrt"), args=[inner], keywords=[]):
            return rf"\sqrt{{{written(inner)[0]}}}", ATOM
        case ast.Call(func=ast.Name(id="abs"), args=[inner], keywords=[]):
            return rf"|{written(inner)[0]}|", ATOM
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[inner], keywords=[]):
            if name in FUNCTIONS:
                return rf"{FUNCTIONS[name]}({written(inner)[0]})", POWER
    raise NoNotation


def within(node: ast.expr, tight: int) -> str:
    """An expression as part of another one, in brackets if it is looser than that needs."""
    text, own = written(node)
    return text if own >= tight else f"({text})"
