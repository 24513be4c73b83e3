"""The form of an answer, before it is run on any number: whether it is a stub, stands by itself, and takes
the arguments that the rest of the machine hands over."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..checking import NOT_YET, WRONG, Verdict
from .plan import Piece, after_lesson
from .trying import built, compiled, run_part

Own = Mapping[str, str]

SHARED = (
    "The default in {0}={1} is made only once, when the function is defined, so a second call begins with "
    "what the first has put there. Make it inside the function, where every call makes a new one."
)
UNCHANGEABLE = {"tuple", "frozenset", "int", "float", "bool", "str"}


def fault_of_form(piece: Piece, code: str, own: Own, top: str) -> Verdict | None:
    """What is wrong with a text before it is run on any number, or None."""
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        line = (error.text or "").strip()
        return Verdict(WRONG, f"Python cannot read it: {error.msg}, in line {error.lineno} (`{line}`).")
    if is_stub(piece, code):
        return Verdict(NOT_YET, what_is_open(piece, code))
    imported = [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    imported += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    if imported:
        return Verdict(
            WRONG,
            f"It imports {imported[0]}. Your machine is built on math and numpy alone, and both are there "
            "already, as math and np: leave the import out.",
        )
    handlers = [node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)]
    if any(catches_everything(handler) and not raises_again(handler) for handler in handlers):
        said = (
            "`except:` and `except BaseException:` catch everything, even the stop of a loop without end. "
            "Write `except Exception:`, or end the handler with `raise`. For what has to run in every case "
            "there is `finally:`."
        )
        return Verdict(WRONG, said)
    shared = shared_defaults(tree)
    if shared:
        return Verdict(WRONG, SHARED.format(*shared[0]))
    foreign = strangers(code, names_at(piece, own, top))
    if foreign:
        return Verdict(
            WRONG,
            f"It uses the name {foreign[0]}, which is not in your machine. It may stand in this notebook, "
            f"but the piece has to work in a file of its own: {what_to_do(piece, code, foreign[0])}",
        )
    return fault_of_definition(piece, code, own, top)


def what_to_do(piece: Piece, code: str, name: str) -> str:
    """Where a piece can hold what it takes from the notebook under this name."""
    rows = table_of(code) if piece.kind == "rows" else {}
    key = next((key for key, row in rows.items() if name in names_in(row)), None)
    if key is None:
        return "put what it needs inside it."
    row = table_of(piece.code).get(key, rows[key])
    takes = [ast.unparse(node.args) for node in ast.walk(row) if isinstance(node, ast.Lambda)]
    return f"write the function in the row {key!r} itself, as lambda {(takes or ['x'])[0]}: ..."


def table_of(code: str) -> dict[Any, ast.expr]:
    """The rows of the table that a text assigns."""
    node = next(node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Dict))
    return {ast.literal_eval(key): value for key, value in zip(node.keys, node.values) if key is not None}


def names_in(expression: ast.expr) -> set[str]:
    """The names that an expression uses."""
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


def catches_everything(handler: ast.ExceptHandler) -> bool:
    """Whether an ``except`` catches KeyboardInterrupt and the like as well."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or ast.unparse(kind) == "BaseException" for kind in kinds)


def raises_again(handler: ast.ExceptHandler) -> bool:
    """Whether a handler ends with a bare ``raise``, and nothing before it leaves: what was caught goes on."""
    last = handler.body[-1]
    leaves = (ast.Return, ast.Break, ast.Continue)
    return (
        isinstance(last, ast.Raise)
        and last.exc is None
        and not any(isinstance(node, leaves) for part in handler.body for node in ast.walk(part))
    )


def shared_defaults(tree: ast.Module) -> list[tuple[str, str]]:
    """The arguments whose default is made once and can be changed, with the text of that default.

    A function inside another is defined anew in each call, so what it begins with is not shared."""
    inside = [each for node in tree.body if isinstance(node, ast.ClassDef) for each in node.body]
    found = []
    for node in [*tree.body, *inside]:
        lambdas = [] if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else list(ast.walk(node))
        for function in [node, *lambdas]:
            if isinstance(function, (ast.FunctionDef, ast.Lambda)):
                args = function.args
                names = [*args.posonlyargs, *args.args]
                pairs = [*zip(names[len(names) - len(args.defaults) :], args.defaults)]
                pairs += [(arg, value) for arg, value in zip(args.kwonlyargs, args.kw_defaults) if value]
                found += [(arg.arg, ast.unparse(value)) for arg, value in pairs if can_change(value)]
    return found


def can_change(value: ast.expr) -> bool:
    """Whether an expression makes something that can be changed: a list, a dict, a set, or what a call
    returns."""
    if isinstance(value, ast.Call):
        return not (isinstance(value.func, ast.Name) and value.func.id in UNCHANGEABLE)
    return isinstance(value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp))


def names_at(piece: Piece, own: Own, top: str) -> set[str]:
    """The names that a machine has after the piece's lesson."""
    others = {name: text for name, text in own.items() if name != piece.name}
    return set(built(after_lesson(piece.lesson), others, top))


def fault_of_definition(piece: Piece, code: str, own: Own, top: str) -> Verdict | None:
    """Whether a text can be run and makes what the piece makes, with the arguments that it is called with."""
    names = built(after_lesson(piece.lesson), {k: v for k, v in own.items() if k != piece.name}, top)
    if piece.kind == "rows":
        missing = [row for row in rows_of(piece.code) if row not in rows_of(code)]
        if missing:
            return Verdict(NOT_YET, f"There is no row for {missing[0]!r}.")
    try:
        run_part(piece, {piece.name: code}, names)
    except Exception as error:  # noqa: BLE001  the reader's code may raise anything
        return Verdict(WRONG, f"It cannot be defined: {type(error).__name__}: {error}.")
    if piece.kind == "rows":
        return fault_of_rows(piece, names[piece.makes])
    kind = type if piece.kind == "class" else object
    if (
        piece.makes not in names
        or not callable(names[piece.makes])
        or not isinstance(names[piece.makes], kind)
    ):
        return Verdict(WRONG, f"A {piece.kind.split()[-1]} with the name {piece.makes} is asked for.")
    return fault_of_arguments(piece, code)


def rows_of(code: str) -> list[Any]:
    """The keys of the table that a text assigns."""
    return list(table_of(code))


def fault_of_rows(piece: Piece, table: dict[Any, Any]) -> Verdict | None:
    """A row of rules is a tuple of one function for each creator; each takes grad, z and the inputs."""
    reference: dict[Any, Any] = {piece.makes: {}}
    exec(compiled(piece.name, piece.code, "the reference"), {"np": np}, reference)
    for key, wanted in reference[piece.makes].items():
        found = table[key]
        if not isinstance(wanted, tuple):
            if not callable(found):
                return Verdict(WRONG, f"The row {key!r} holds no function.")
            continue
        if callable(found):
            asked = "A row with one rule needs a comma after it: (rule,)."
            if len(wanted) > 1:
                rules = ", ".join(["rule"] * len(wanted))
                asked = f"It needs {len(wanted)} rules in brackets, one for each creator: ({rules})."
            return Verdict(WRONG, f"The row {key!r} is a function. {asked}")
        if not isinstance(found, (tuple, list)) or len(found) != len(wanted):
            rules = f"{len(wanted)} rule{'s' * (len(wanted) > 1)}"
            return Verdict(WRONG, f"The row {key!r} has to hold {rules}, one for each creator.")
        for rule, right_rule in zip(found, wanted):
            count = right_rule.__code__.co_argcount
            if not callable(rule) or getattr(rule, "__code__", right_rule.__code__).co_argcount != count:
                names = ", ".join(right_rule.__code__.co_varnames[:count])
                return Verdict(WRONG, f"A rule in the row {key!r} takes {count} arguments: {names}.")
    return None


def fault_of_arguments(piece: Piece, code: str) -> Verdict | None:
    """Functions and methods have to take the arguments that the reference takes, defaults included."""
    wanted, found = arguments(piece.code), arguments(code)
    for name, (names, optional, star) in wanted.items():
        method = name.rpartition(".")[2]
        if name not in found:
            if "." in name:
                return Verdict(WRONG, f"The method {method} of the class is missing.")
            continue
        other_names, other_optional, other_star = found[name]
        most = 99 if other_star else len(other_names)
        least = len(other_names) - len(other_optional)
        if most < len(names) or least > len(names) - len(optional) or (star and not other_star):
            line = header(piece, method)
            said = f"{method} takes other arguments than asked for. Its first line is:\n    {line}"
            return Verdict(WRONG, said)
        for option in optional:
            if option not in other_optional or other_names.index(option) != names.index(option):
                return Verdict(
                    WRONG,
                    f"{method} needs the argument {option}, at its place and with its default. "
                    f"Its first line is:\n    {header(piece, method)}",
                )
    return None


def arguments(code: str) -> dict[str, tuple[list[str], list[str], bool]]:
    """For each function or method of a text its arguments, those with defaults, and whether it takes any
    number of them. What has a second name at the end, RNN = MyRNN, is found under that one."""
    found, body = {}, ast.parse(code).body
    pairs = [(node.value, node.targets[0]) for node in body if isinstance(node, ast.Assign)]
    second = {ast.unparse(value): ast.unparse(target) for value, target in pairs}
    for node in body:
        inside = (
            [(second.get(node.name, node.name) + ".", each) for each in node.body]
            if isinstance(node, ast.ClassDef)
            else [("", node)]
        )
        for before, function in inside:
            if isinstance(function, ast.FunctionDef):
                args = function.args
                names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
                optional = names[len(names) - len(args.defaults) :]
                optional += [arg.arg for arg, default in zip(args.kwonlyargs, args.kw_defaults) if default]
                names += [name for name in optional if name not in names]
                found[before + function.name] = names, optional, args.vararg is not None
    return found


def header(piece: Piece, name: str) -> str:
    """The line in which the reference begins a function or a method."""
    return next(line.strip() for line in piece.code.split("\n") if line.strip().startswith(f"def {name}("))


def is_stub(piece: Piece, code: str) -> bool:
    """Whether a text is the stub, or leaves something of it open: a function that only returns None, a row
    that is None."""
    if same_code(code, piece.stub):
        return True
    tree = ast.parse(code)
    if piece.kind == "rows":
        empty = [node.body for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
        values = [value for node in ast.walk(tree) if isinstance(node, ast.Dict) for value in node.values]
        return any(map(is_empty_value, [*empty, *values]))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    opened = [node for node in functions if all(map(is_empty, node.body))]
    return bool(opened)


def what_is_open(piece: Piece, code: str) -> str:
    """Which rows of a table are still open, if others are done."""
    if piece.kind != "rows" or same_code(code, piece.stub):
        return ""
    table = next(node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Dict))
    rows = zip(table.keys, table.values)
    opened = [ast.unparse(key) for key, row in rows if key and "None" in ast.unparse(row)]
    return f"Still open: {', '.join(opened)}." if opened else ""


def is_empty(statement: ast.stmt) -> bool:
    """Whether a statement does nothing: a docstring, ``pass``, ``...``, ``return None``,
    NotImplementedError."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Return):
        return statement.value is None or is_empty_value(statement.value)
    if isinstance(statement, ast.Raise) and statement.exc is not None:
        return "NotImplementedError" in ast.unparse(statement.exc)
    return isinstance(statement, ast.Pass)


def is_empty_value(value: ast.expr) -> bool:
    """Whether an expression is None or ``...``."""
    return isinstance(value, ast.Constant) and value.value in (None, ...)


def same_code(code: str, other: str) -> bool:
    """Whether two texts are the same but for comments, blank lines and docstrings."""
    return bare(code) == bare(other)


def bare(code: str) -> str:
    """A text as Python would write it, without comments and docstrings."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def strangers(code: str, known: set[str]) -> list[str]:
    """Names that a text takes from outside and that neither the machine nor Python has."""
    found: list[str] = []

    def visit(table: symtable.SymbolTable, top: set[str]) -> None:
        for symbol in table.get_symbols():
            outside = symbol.is_global() or (table.get_type() == "module" and not symbol.is_assigned())
            if outside and symbol.is_referenced() and symbol.get_name() not in top:
                found.append(symbol.get_name())
        for child in table.get_children():
            visit(child, top)

    whole = symtable.symtable(code, "piece", "exec")
    own = {
        symbol.get_name() for symbol in whole.get_symbols() if symbol.is_assigned() or symbol.is_namespace()
    }
    visit(whole, own | known | set(vars(builtins)))
    return sorted(set(found))
