"""The source of an answer, as it stands in the notebook's cell."""

from __future__ import annotations

import ast
import linecache
import types
from typing import Any

from .plan import YOURS, Piece, clean
from .trying import PREFIX


class NoSource(Exception):
    """Raised if the source of an answer cannot be found. The message is for the reader."""


def source_of(piece: Piece, answer: Any, cell: str) -> str:
    """The text of an answer, as it goes into the file.

    Parameters
    ----------
    piece
        The piece that is answered.
    answer
        A function, a class, or a dict of rows.
    cell
        The name under which Python knows the source of the cell that calls ``yours``.
    """
    if piece.kind == "rows":
        return source_of_rows(piece, answer, cell)
    code = code_object(answer)
    if code is None:
        wanted = piece.kind.split()[-1]
        raise NoSource(f"A {wanted} is asked for, and this is {answer!r:.60}.")
    text = "".join(linecache.getlines(code.co_filename))
    node = statement_at(text, code.co_firstlineno)
    if node is None:
        raise NoSource(
            f"I cannot see its source. Define {piece.makes} in a cell of this notebook and run the cell."
        )
    lambdas = [each for each in ast.walk(node) if isinstance(each, ast.Lambda)]
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(lambdas) == 1:  # in the call
        return f"{piece.makes} = ({ast.get_source_segment(text, lambdas[0])})"
    found = clean(segment(text, node))
    made = getattr(node, "name", "")
    return found if made in ("", piece.makes) else f"{found}\n\n\n{piece.makes} = {made}"


def is_reference(answer: Any) -> bool:
    """Whether an answer is the reference piece that ``yours`` handed back before."""
    code = code_object(answer)
    return (
        code is not None
        and code.co_filename.startswith(PREFIX)
        and code.co_filename.endswith("(the reference)")
    )


def is_kept(answer: Any) -> bool:
    """Whether an answer is the reader's own piece, as the machine has it already."""
    code = code_object(answer)
    return code is not None and code.co_filename.startswith(PREFIX) and f"({YOURS}, " in code.co_filename


def code_object(answer: Any) -> types.CodeType | None:
    """The code of a function, of a class (its first own method), or of a table (its first function)."""
    if isinstance(answer, types.FunctionType):
        return answer.__code__
    inside: list[Any] = []
    if isinstance(answer, type):
        inside = [value for value in vars(answer).values() if isinstance(value, types.FunctionType)]
    elif isinstance(answer, dict):
        rows = [row if isinstance(row, (tuple, list)) else (row,) for row in answer.values()]
        inside = [rule for row in rows for rule in row if isinstance(rule, types.FunctionType)]
    if isinstance(answer, type):  # methods that were hung onto the class later stand elsewhere
        inside = [
            method for method in inside if method.__qualname__.startswith(answer.__qualname__)
        ] or inside
    return inside[0].__code__ if inside else None


def statement_at(text: str, line: int) -> ast.stmt | None:
    """The statement that defines what stands in a line: a function, a class, or an assignment. A method
    belongs to its class."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    kinds = (ast.FunctionDef, ast.ClassDef, ast.Assign)
    found: ast.stmt | None = None
    for node in walk_outside_in(tree):
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        if isinstance(node, kinds) and found is None and first <= line <= (node.end_lineno or first):
            found = node
    return found


def walk_outside_in(tree: ast.Module) -> list[ast.stmt]:
    """All statements of a text; outer ones come before those inside them."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]


def segment(text: str, node: ast.stmt) -> str:
    """The lines of a statement, with its decorators."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


# -- rows of a table -----------------------------------------------------------------------------------------


def source_of_rows(piece: Piece, answer: Any, cell: str) -> str:
    """The text of a dict of rows, as a statement that puts them into the table."""
    if not isinstance(answer, dict):
        raise NoSource(f"A dict of rows is asked for, and this is {answer!r:.60}.")
    for filename in (cell, *(code.co_filename for code in [code_object(answer)] if code)):
        text = "".join(linecache.getlines(filename))
        try:
            node = dict_with(ast.parse(text), list(answer), answer)
        except SyntaxError:
            continue
        if node is not None:
            return f"{piece.makes} |= {dedented(ast.get_source_segment(text, node) or '')}"
    raise NoSource("I cannot see its source. Write the rows as a dict in the cell that calls yours.")


def dict_with(tree: ast.Module, keys: list[Any], answer: dict[Any, Any]) -> ast.Dict | None:
    """The last dict of a text that has these keys; of several, the one with the answer's own functions."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Dict) and literal_keys(node) == keys]
    code = code_object(answer)
    if code is not None:
        near = [node for node in found if node.lineno <= code.co_firstlineno <= (node.end_lineno or 0)]
        found = near or found
    return max(found, key=lambda node: node.lineno) if found else None


def literal_keys(node: ast.Dict) -> list[Any]:
    """The keys of a dict that is written out, or nothing if they are no literals."""
    try:
        return [ast.literal_eval(key) for key in node.keys if key is not None]
    except ValueError:
        return []


def dedented(text: str) -> str:
    """A dict of several lines with its closing bracket at the left."""
    first, *rest = text.split("\n")
    margin = len(rest[-1]) - len(rest[-1].lstrip()) if rest else 0
    return "\n".join([first, *(line[min(margin, len(line) - len(line.lstrip())) :] for line in rest)])
