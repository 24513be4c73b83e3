"""Judging a piece: its form first, then what it computes, then whether everything else still works with it."""

from __future__ import annotations

import ast
import builtins
import functools
import symtable
from collections.abc import Mapping
from typing import Any

from ..checking import NOT_YET, RIGHT, WRONG, Verdict
from .parts import TOP, Piece, Probe, active, after_lesson, parts
from .trying import STEPS, Outcome, built, compiled, outcome, run_part, same, same_outcome, shown

Own = Mapping[str, str]


def judge(piece: Piece, code: str, own: Own, top: str = TOP) -> Verdict:
    """Judge a text as an answer to a piece, on the machine as it is after the piece's lesson.

    ``own`` are the reader's other parts. The verdict's message is a sentence or several, without the piece's
    name; it is empty for a right answer.
    """
    own = {**own, piece.name: code}
    fault = fault_of_form(piece, code, own, top)
    if fault:
        return fault
    stop = after_lesson(piece.lesson)
    for probe in piece.probes:
        found = outcome(built(stop, own, top), probe)
        if not right(found, probe):
            return Verdict(WRONG, explain(piece, code, probe, found, own, top))
    spoiled = first_spoiled(stop, own, piece.name, top)
    if spoiled:
        other, probe, found = spoiled
        return Verdict(
            WRONG,
            f"By itself it is right, and it spoils {other.name}:\n{calculation(probe)}\n{gives(found, probe)}",
        )
    return Verdict(RIGHT, "")


def right(found: Outcome, probe: Probe) -> bool:
    """Whether a probe gave what it has to give."""
    return found.kind == "value" and same(found.value, probe.right)


def first_spoiled(stop: int, own: Own, but: str = "", top: str = TOP) -> tuple[Piece, Probe, Outcome] | None:
    """The first piece of the course whose probes fail on a machine with the reader's parts, and how. The
    probes of a piece that was replaced belong to it still."""
    for part in parts()[:stop]:
        if isinstance(part, Piece) and part.name != but:
            for probe in part.probes:
                found = outcome(built(stop, own, top), probe)
                if not right(found, probe):
                    return part, probe, found
    return None


def later_need(piece: Piece, code: str, own: Own) -> tuple[Piece, Probe, Outcome] | None:
    """The first later piece whose probes fail because of a text that is right at its own lesson."""
    last = len(parts())
    if piece.name not in {part.name for part in active(last)}:
        return None
    return first_spoiled(last, {piece.name: code}, "")


# -- what a message says ------------------------------------------------------------------------------------------


def explain(piece: Piece, code: str, probe: Probe, found: Outcome, own: Own, top: str) -> str:
    """The calculation that goes wrong, the two results, and the sentence for the kind of mistake."""
    said = general_advice(piece, code, found) or known_mistake(piece, probe, own, top)
    if not said and found.kind == "endless":
        said = "Does a loop never end?"
    if not said and found.kind == "recursion":
        said = "Does a function call itself without end?"
    return f"{calculation(probe)}\n{gives(found, probe)} {said}".rstrip()


def calculation(probe: Probe) -> str:
    """The code of a probe, indented, so that it can be copied into a cell."""
    return "\n".join(f"    {line}".rstrip() for line in probe.code.split("\n"))


def gives(found: Outcome, probe: Probe) -> str:
    """What a probe gave, and what it should have given."""
    wanted = f"right is {shown(probe.right)}"
    if probe.prints:
        lines = [*map("    {}".format, probe.right.split("\n"))]
        wanted = "right is\n" + "\n".join(lines) + "\n" if len(lines) > 1 else wanted
    if found.kind == "endless":
        return f"was stopped after {STEPS:,} lines; {wanted}."
    if found.kind == "recursion":
        return f"stops because functions call each other too often (RecursionError); {wanted}."
    if found.kind == "error":
        return f"stops with {found.value}; {wanted}."
    if probe.prints:
        said = found.value or "nothing"
        return "prints\n" + "\n".join(f"    {line}" for line in said.split("\n")) + f"\n{wanted}"
    return f"gives {shown(found.value)}, and {wanted}."


def general_advice(piece: Piece, code: str, found: Outcome) -> str:
    """The sentence for a function without ``return``, or ""."""
    if not returns_nothing(piece, code) or found.kind == "endless":
        return ""
    what = "prints its result and" if "print(" in code else "computes something and"
    return f"The function {what} returns nothing: end with `return`."


def known_mistake(piece: Piece, failed: Probe, own: Own, top: str) -> str:
    """The sentence of the known wrong answer that gives the same as this one, or "". If several give the same
    for the probe that failed, the one that agrees on most of the other probes."""
    place = piece.probes.index(failed)
    stop = after_lesson(piece.lesson)
    found = [outcome(built(stop, own, top), probe) for probe in piece.probes]
    best, most = "", 0
    for others, say in known_mistakes(piece):
        if same_outcome(found[place], others[place]):
            agreed = sum(map(same_outcome, found, others))
            best, most = (say, agreed) if agreed > most else (best, most)
    return best


@functools.cache
def known_mistakes(piece: Piece) -> tuple[tuple[list[Outcome], str], ...]:
    """For each known wrong answer what it gives for all probes of its piece, and its sentence."""
    found = []
    for wrong in piece.wrong:
        own = {piece.name: wrong.code(piece.code)}
        try:
            outcomes = [outcome(built(after_lesson(piece.lesson), own), probe) for probe in piece.probes]
        except Exception:  # noqa: BLE001  this one cannot even be defined
            continue
        found.append((outcomes, wrong.say))
    return tuple(found)


def returns_nothing(piece: Piece, code: str) -> bool:
    """Whether a function has no ``return`` with a value although the reference has one."""
    return piece.kind.endswith("function") and returns(piece.code) and not returns(code)


def returns(code: str) -> bool:
    """Whether some function in a text returns a value. A lambda always does."""
    nodes = list(ast.walk(ast.parse(code)))
    named = any(isinstance(node, ast.FunctionDef) for node in nodes)
    return not named or any(isinstance(node, ast.Return) and node.value is not None for node in nodes)


# -- the form of an answer ------------------------------------------------------------------------------------------


def fault_of_form(piece: Piece, code: str, own: Own, top: str) -> Verdict | None:
    """What is wrong with a text before it is run on any number, or None."""
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        line = (error.text or "").strip()
        return Verdict(WRONG, f"Python cannot read it: {error.msg}, in line {error.lineno} (`{line}`).")
    if is_stub(piece, code):
        return Verdict(NOT_YET, "")
    imported = [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
    imported += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    if imported:
        return Verdict(
            WRONG,
            f"It imports {imported[0]}. Your machine is built on math and numpy alone, and both are there: "
            "math and np.",
        )
    foreign = strangers(code, names_at(piece, own, top))
    if foreign:
        return Verdict(
            WRONG,
            f"It uses the name {foreign[0]}, which is not in your machine: it may stand in this notebook, but "
            "the piece has to work in a file of its own. Put what it needs inside it.",
        )
    return fault_of_definition(piece, code, own, top)


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
    if piece.makes not in names or not callable(names[piece.makes]) or not isinstance(names[piece.makes], kind):
        return Verdict(WRONG, f"A {piece.kind.split()[-1]} with the name {piece.makes} is asked for.")
    return fault_of_arguments(piece, code)


def rows_of(code: str) -> list[Any]:
    """The keys of the table that a text assigns."""
    node = next(node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Dict))
    return [ast.literal_eval(key) for key in node.keys if key is not None]


def fault_of_rows(piece: Piece, table: dict[Any, Any]) -> Verdict | None:
    """A row of rules is a tuple of one function for each creator; each takes grad, z and the inputs."""
    reference: dict[Any, Any] = {piece.makes: {}}
    exec(compiled(piece.name, piece.code, "the reference"), {"np": __import__("numpy")} | reference, reference)
    for key, wanted in reference[piece.makes].items():
        found = table[key]
        if not isinstance(wanted, tuple):
            if not callable(found):
                return Verdict(WRONG, f"The row {key!r} holds no function.")
            continue
        if callable(found):
            return Verdict(WRONG, f"The row {key!r} is a function. A row with one rule needs a comma after it: (rule,).")
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
    for name, (count, optional, star) in wanted.items():
        if name not in found:
            if "." in name:
                return Verdict(WRONG, f"The method {name.split('.')[1]} of the class is missing.")
            continue
        other_count, other_optional, other_star = found[name]
        most = 99 if other_star else other_count
        least = other_count - len(other_optional) if not other_star else 0
        if most < count or least > count - len(optional) or (star and not other_star):
            return Verdict(
                WRONG, f"{name.split('.')[-1]} takes other arguments than asked for. Its first line is:\n    {header(piece, name)}"
            )
        for option in optional:
            if option not in other_optional:
                return Verdict(
                    WRONG,
                    f"{name.split('.')[-1]} needs the argument {option} with its default. Its first line is:\n"
                    f"    {header(piece, name)}",
                )
    return None


def arguments(code: str) -> dict[str, tuple[int, list[str], bool]]:
    """For each function or method of a text how many arguments it takes, which have defaults, and whether it
    takes any number of them."""
    found = {}
    for node in ast.parse(code).body:
        inside = [(node.name + ".", each) for each in node.body] if isinstance(node, ast.ClassDef) else [("", node)]
        for before, function in inside:
            if isinstance(function, ast.FunctionDef):
                args = function.args
                names = [arg.arg for arg in (*args.posonlyargs, *args.args)]
                optional = names[len(names) - len(args.defaults) :]
                optional += [arg.arg for arg, default in zip(args.kwonlyargs, args.kw_defaults) if default]
                count = len(names) + sum(default is not None for default in args.kw_defaults)
                found[before + function.name] = count, optional, args.vararg is not None
    return found


def header(piece: Piece, name: str) -> str:
    """The line in which the reference begins a function or a method."""
    last = name.split(".")[-1]
    return next(line.strip() for line in piece.code.split("\n") if line.strip().startswith(f"def {last}("))


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


def is_empty(statement: ast.stmt) -> bool:
    """Whether a statement does nothing: a docstring, ``pass``, ``...``, ``return None``, NotImplementedError."""
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
    own = {symbol.get_name() for symbol in whole.get_symbols() if symbol.is_assigned() or symbol.is_namespace()}
    visit(whole, own | known | set(vars(builtins)))
    return sorted(set(found))
