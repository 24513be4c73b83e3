"""What stands on a box for the operation that made it: `c = a + b`, or for nodes without names `× 3`."""

from __future__ import annotations

from ..graph.as_text import Value, brief, shortened
from ..graph.records import ShownGraph, ShownNode

TYPESET = {
    "-": "\N{MINUS SIGN}",
    "*": "\N{MULTIPLICATION SIGN}",
    "/": "\N{DIVISION SIGN}",
    "**": "^",
}
"""How pictures write Python's operators; the others as they are."""
BLANK = "\N{HORIZONTAL ELLIPSIS}"  # stands for an operand without a name
LONGEST = 26  # letters of a title, not counting " = "
SHORTER = LONGEST, 14, 11, 8  # letters of each name in it


def typeset(sign: str | None, word: str | None) -> str:
    """What a picture shows for an operation: its sign, or its name if it has none.

    >>> typeset("**", "pow"), typeset(None, "exp")
    ('^', 'exp')
    """
    return TYPESET.get(sign, sign) if sign else word or ""


def title(node: ShownNode, graph: ShownGraph, *, has_constants: bool = True) -> str:
    """The title of the box of a Tensor: its name, and the operation on top of it.

    Dots stand for an operand without a name; if neither the result nor the left operand has one, the sign
    comes first. In a title that would be too long the names are shortened, and then there are no operands.
    """
    name = node.name if node.is_named else ""
    if node.operation is None:
        return shortened(name, LONGEST)
    operands = [_operand(operand, graph, has_constants) for operand in node.operands]
    for most in SHORTER:
        short = shortened(name, most)
        words = [_fitting(text, one, most) for text, one in zip(operands, node.operands)]
        made = _applied(node, words, bool(name))
        if len(made) + len(short) <= LONGEST:
            return f"{short} = {made}" if name else made
    made = typeset(node.sign, node.operation)
    return shortened(f"{name} = {made}" if name else made, LONGEST)


def _operand(operand: int | Value, graph: ShownGraph, has_constants: bool) -> str:
    """The name of an operand, or the number that it is; nothing for one without a name."""
    if isinstance(operand, int):
        return graph.name(operand) if graph.has_name(operand) else ""
    if not has_constants:
        return ""
    return "array" if operand.is_shape else brief(operand.numbers) if _is_number(operand) else operand.line


def _fitting(text: str, operand: int | Value, most: int) -> str:
    """An operand in so many letters at most: a name is shortened, and a constant array is called that."""
    if isinstance(operand, int) or not operand.is_array:
        return shortened(text, most)
    return text if len(text) <= most else "array"


def _picking(part: str) -> str:
    """A word before the index of a part that says nothing: arrays are dots in it."""
    return "pick " if set(part) <= set(f"[{BLANK}, ]") else ""


def _is_number(value: Value) -> bool:
    return isinstance(value.numbers, (int, float)) and not isinstance(value.numbers, bool)


def _applied(node: ShownNode, operands: list[str], is_equation: bool) -> str:
    sign = typeset(node.sign, node.operation)
    if node.part:
        return (operands[0] or (BLANK if is_equation else _picking(node.part))) + node.part
    if sign.isalpha() and not any(operands):
        sign = node.operation or sign  # a letter alone says little
    if not any(operands) and not is_equation:
        return sign
    named = [text for text, one in zip(operands, node.operands) if text and isinstance(one, int)]
    if len(operands) > 2 and not named:
        return sign
    if not node.sign or node.sign.isalpha() or len(operands) > 2:
        inside = ", ".join(operand or BLANK for operand in operands)
        return f"{sign}({inside})"
    if len(operands) == 1:
        return f"{sign}{operands[0] or BLANK}"
    left, right = operands
    return f"{left or (BLANK if is_equation else '')} {sign} {right or BLANK}".strip()
