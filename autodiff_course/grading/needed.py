"""Which statements of a notebook an answer needs: its definitions, and what these use in turn."""

from __future__ import annotations

import ast
import copy
import json
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType

MACHINE = {"start", "give"}
"""The calls of the machine that later statements need without naming it."""


@dataclass
class Statement:
    """A statement of a notebook: its code, which names it makes or changes, which it uses, and the calls of
    ``check`` in it, as pairs of an exercise's name and the answers."""

    tree: ast.stmt
    filename: str
    changes: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)
    checks: list[tuple[str, list[ast.expr]]] = field(default_factory=list)
    for_all: bool = False
    """Whether later statements need it without naming what it makes."""

    def compiled(self) -> CodeType:
        """The statement, ready to be run; tracebacks and ``inspect`` see the cell."""
        return compile(ast.Module([self.tree], []), self.filename, "exec")


# -- reading -------------------------------------------------------------------------------------------------


def statements(notebook: str, name: str) -> list[Statement]:
    """The statements at the top of a notebook's cells, in order. Cells that Python cannot read are left out,
    and so are IPython's own lines."""
    found = []
    for number, source in enumerate(sources(notebook)):
        lines = ["" if line.startswith(("%", "!")) else line for line in source.split("\n")]
        text, filename = "\n".join(lines), f"<{name}, cell {number}>"
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        found += [described(part, filename) for node in tree.body for part in apart(node)]
    return found


def apart(node: ast.stmt) -> list[ast.stmt]:
    """An import of several names as several imports, and every other statement as it is."""
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return [node]
    found = [copy.copy(node) for _ in node.names]
    for part, alias in zip(found, node.names):
        part.names = [alias]
    return list(found)


def sources(notebook: str) -> Iterator[str]:
    """The texts of a notebook's cells of code; none if it is no notebook."""
    try:
        cells = json.loads(notebook)["cells"]
        for cell in cells:
            if cell["cell_type"] == "code":
                source = cell["source"]
                yield source if isinstance(source, str) else "".join(source)
    except (ValueError, TypeError, KeyError, RecursionError):
        return


def described(tree: ast.stmt, filename: str) -> Statement:
    """A statement with what it makes, changes and uses."""
    found = Statement(tree, filename)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (found.uses if isinstance(node.ctx, ast.Load) else found.changes).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.changes.add(node.name)
        elif isinstance(node, ast.alias):
            found.changes.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Call):
            note_call(node, found)
    note_targets(tree, found)
    return found


def note_call(node: ast.Call, found: Statement) -> None:
    """Note a call of ``check``, of ``yours`` and of the machine."""
    called = ast.unparse(node.func) if isinstance(node.func, (ast.Name, ast.Attribute)) else ""
    first = node.args[0] if node.args else None
    if called == "check" and isinstance(first, ast.Constant) and isinstance(first.value, str):
        found.checks.append((first.value, node.args[1:]))
    found.for_all |= called == "yours" or called.removeprefix("machine.") in MACHINE


def note_targets(tree: ast.stmt, found: Statement) -> None:
    """Note what a statement changes without assigning to its name: ``p.data = 1``, ``found[0] = 1``,
    ``found.append(1)``, ``backward(z)``."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            found.changes |= root(node)
    if isinstance(tree, ast.AugAssign):
        found.uses |= found.changes
    if isinstance(tree, ast.Expr) and isinstance(tree.value, ast.Call) and not found.checks:
        function = tree.value.func
        found.changes |= root(function) if isinstance(function, ast.Attribute) else set()
        if not isinstance(function, ast.Name) or function.id != "print":
            found.changes |= {arg.id for arg in tree.value.args if isinstance(arg, ast.Name)}


def root(node: ast.expr) -> set[str]:
    """The name at which ``a.b[0].c`` begins."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


# -- choosing ------------------------------------------------------------------------------------------------


def names_in(answers: list[ast.expr]) -> set[str]:
    """The names that answers use."""
    return {node.id for answer in answers for node in ast.walk(answer) if isinstance(node, ast.Name)}


def needed(found: list[Statement], exercises: set[str]) -> list[bool]:
    """For each statement whether the answers to these exercises need it."""
    names: set[str] = set()
    kept = [False] * len(found)
    for place in range(len(found) - 1, -1, -1):
        statement = found[place]
        if statement.for_all or statement.changes & names:
            kept[place] = True
            names |= statement.uses
        for exercise, answers in statement.checks:
            if exercise in exercises:
                names |= names_in(answers)
    return kept
