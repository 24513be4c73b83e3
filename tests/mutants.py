"""The places where a source may be broken, by one small change each: an operator, a constant or a default
becomes another, a condition is turned; a statement, a raise, a call, a part of a condition is left out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

FLIPS = {
    ast.Add: "+-", ast.Sub: "-+", ast.Mult: "*/", ast.Div: "/*", ast.Mod: "%*", ast.BitAnd: "&|",
    ast.BitOr: "|&", ast.Pow: ("**", "*"), ast.FloorDiv: ("//", "/"), ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.And: ("and", "or"), ast.Or: ("or", "and"),
}  # fmt: skip
FORGETTABLE = frozenset((
    "list", "tuple", "sorted", "set", "dict", "abs", "int", "float", "bool", "copy", "asarray", "array",
    "ascontiguousarray",
))  # fmt: skip
"""Functions of one argument that one may forget to call."""
UNSEEN = frozenset(("annotation", "returns", "decorator_list", "target", "targets"))


class Place(NamedTuple):
    """A change of a file: its kind, the bytes that it replaces, the new ones, and where a test meets it."""

    kind: str
    start: int
    end: int
    text: bytes
    lines: range


class Finder:
    """The places of a file."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.begins = [0, *(match.end() for match in re.finditer(b"\n", source))]
        everywhere = range(1, len(self.begins) + 1)  # what runs at the import is met by every call
        self.found = list(self.places(ast.parse(source), everywhere, is_default=False))

    def span(self, node: Any) -> tuple[int, int]:
        start, end = self.begins[node.lineno - 1], self.begins[node.end_lineno - 1]
        return start + node.col_offset, end + node.end_col_offset  # which count bytes

    def places(self, node: Any, lines: range | None, is_default: bool) -> Iterator[Place]:
        """The places at a node and in it. ``lines`` is None in a function, where a place has its own."""
        for kind, start, end, text in self.changes(node):
            own = lines or range(node.lineno, node.end_lineno + 1)
            yield Place("default" if is_default else kind, start, end, text, own)
        if isinstance(node, (ast.Raise, ast.JoinedStr)):
            return  # messages
        is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        body = range(node.body[0].lineno, node.end_lineno + 1) if is_function else None
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and name not in UNSEEN:
                    is_signature = is_function and name == "args"
                    inside = body if is_signature else None if is_function else lines
                    yield from self.places(child, inside, is_default or is_signature)

    def changes(self, node: Any) -> Iterator[tuple[str, int, int, bytes]]:
        """What may be changed at a node itself."""
        match node:
            case ast.Raise():
                yield "raise", *self.span(node), b"pass"
            case ast.AugAssign() | ast.Continue() | ast.Break() | ast.Expr(value=ast.Call()):
                yield "statement", *self.span(node), b"pass"
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]):
                yield "statement", *self.span(node), b"pass"
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                yield "condition", *self.span(test), b"not (" + self.text(test) + b")"
            case ast.BoolOp(op=op, values=values):
                neutral = b"True" if isinstance(op, ast.And) else b"False"
                yield from (("operand", *self.span(value), neutral) for value in values)
                yield from self.flips([op], values[:2])
            case ast.BinOp(left=left, op=op, right=right):
                yield from self.flips([op], [left, right])
            case ast.Compare(left=left, ops=ops, comparators=others):
                yield from self.flips(ops, [left, *others])
            case ast.UnaryOp(operand=operand):
                yield "operator", self.span(node)[0], self.span(operand)[0], b""
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[arg], keywords=[]):
                if name in FORGETTABLE:
                    yield "call", *self.span(node), self.text(arg)
            case ast.Constant(value=bool() | int() | float() as value):
                new = not value if isinstance(value, bool) else value + 1
                yield "constant", *self.span(node), repr(new).encode()

    def text(self, node: Any) -> bytes:
        start, end = self.span(node)
        return self.source[start:end]

    def flips(self, operators: list[Any], operands: list[Any]) -> Iterator[tuple[str, int, int, bytes]]:
        """Another operator between two operands."""
        for operator, left, right in zip(operators, operands, operands[1:]):
            old, new = FLIPS.get(type(operator), "  ")
            at = self.source.find(old.encode(), self.span(left)[1], self.span(right)[0])
            if at >= 0:
                yield "operator", at, at + len(old), new.encode()


def broken(source: bytes, place: Place) -> bytes | None:
    """The text of a file with one place changed; None if Python reads it as before, or not at all."""
    text = source[: place.start] + place.text + source[place.end :]
    try:
        return None if ast.dump(ast.parse(text)) == ast.dump(ast.parse(source)) else text
    except SyntaxError:
        return None


def difference(source: bytes, place: Place) -> str:
    """The line of a place, before and after."""
    old, new = source.decode().splitlines(), (broken(source, place) or source).decode().splitlines()
    at = next(number for number, (one, other) in enumerate(zip(old, new)) if one != other)
    return f"{at + 1}: {place.kind}\n  - {old[at].strip()}\n  + {new[at].strip()}"
