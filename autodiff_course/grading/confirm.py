"""The second process: what a student's process has claimed is judged again, from the sources and the answers.

Nothing of the student's is imported here. A piece or an answer is run beside its judge only if its source is
plain (``vetting``), and an answer that is data is judged as data. What cannot be judged so is not confirmed.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import symtable
import sys
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, FunctionType
from typing import Any

from autodiff import Tensor

from .. import checking
from ..checking import RIGHT, WRONG, Verdict
from ..exercises.calling import is_counted
from ..machine import live
from ..machine.judging import judge
from ..machine.live import trusted
from ..machine.plan import TOP, Piece, active, find, parts, pieces
from ..machine.store import load
from ..machine.trying import STEPS, Stopped, is_of_machine, stopped_after
from ..place import folder
from .claims import NOT_CONFIRMED, NOT_REACHED
from .needed import Statement, names_in, needed, statements
from .values import NotData, unpacked
from .vetting import fault, guard_exec
from .walls import enter

Say = Callable[..., None]
WATCHED = {"builtins", "math", "json", "numpy", "autodiff", "autodiff_course"}
KINDS = (type, FunctionType, BuiltinFunctionType)


def main() -> None:
    """Judge what is handed over, and report each verdict as soon as it is there."""
    data, report = enter()
    given = json.loads(data)

    def say(**verdict: str) -> None:
        report.write(json.dumps(verdict).encode() + b"\n")

    guard_exec()
    machine: Any = live
    machine.judge = judged_if_plain
    before = fixed()
    judge_pieces(given.get("files", {}), say, before)
    judge_exercises(given.get("notebooks", {}), given.get("claims", {}), say, before)
    say(done="done")
    os._exit(0)


# -- pieces --------------------------------------------------------------------------------------------------


def judge_pieces(files: Mapping[str, str], say: Say, before: Mapping[str, int]) -> None:
    """Judge the pieces in the student's files, each by its probes on the machine with all others."""
    for name, text in files.items():
        (folder() / name).write_text(text, encoding="utf-8", newline="")
    mine = load()
    if mine.note:
        say(note=mine.note)
    given = [name for name in mine.own if name in pieces()]
    for name in given:
        say(piece=name, status=NOT_CONFIRMED, message=NOT_REACHED)
    top_fault = not_plain(mine.top, {}) if mine.top != TOP else ""
    if top_fault:
        mine.top = TOP
    faults = {name: fault_of_part(name, text) for name, text in mine.own.items()}
    mine.own = {name: text for name, text in mine.own.items() if not faults[name]}
    _, _, doubts = trusted(mine, len(parts()))
    there = {part.name for part in active(len(parts()))}
    for name in mine.own.keys() - there:  # a later lesson has replaced it: it is judged as it was then
        verdict = judge(find(name), mine.own[name], {}, mine.top)
        if verdict.status != RIGHT:
            doubts[name] = verdict.message or "It is still empty."
    changed = touched(before)
    for name in given:
        if faults[name] or changed or (top_fault and name in doubts):
            reason = faults[name] or changed or f"at the beginning of the file {top_fault}"
            say(piece=name, status=NOT_CONFIRMED, message=reason)
        else:
            say(piece=name, status=WRONG if name in doubts else RIGHT, message=doubts.get(name, ""))


def judged_if_plain(piece: Piece, code: str, own: Mapping[str, str], top: str = TOP) -> Verdict:
    """Judge a piece unless it is not plain: ``yours`` finds the text of a piece by itself."""
    reason = fault_of_part(piece.name, code)
    return Verdict(WRONG, reason) if reason else judge(piece, code, own, top)


def fault_of_part(name: str, code: str) -> str:
    """Why the text of a part is not run here, or "": it is not plain, or makes what is not its own, by which
    the probes might see something else than is there."""
    reason = not_plain(code, {"np": "numpy", "math": "math"})
    if reason:
        return reason
    try:
        made = names_made(ast.parse(code))
    except SyntaxError:
        return ""
    others = {made for part in parts() for made in part.all_made}
    own = next(part for part in parts() if part.name == name).all_made
    foreign = made & ((others | vars(builtins).keys() | {"np", "math"}) - own)
    return f"it makes another {min(foreign)}" if foreign else ""


def names_made(tree: ast.Module) -> set[str]:
    """The names that a text gives to something outside of its functions."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Global)]
    symbols = symtable.symtable(ast.unparse(tree), "part", "exec").get_symbols()
    return {name for node in nodes for name in node.names} | {
        symbol.get_name() for symbol in symbols if symbol.is_assigned() or symbol.is_namespace()
    }


def not_plain(source: str, modules: dict[str, str]) -> str:
    """Why a source is not run here, or "". One that Python cannot read is told so by its judge."""
    try:
        return fault(ast.parse(source), dict(modules))
    except SyntaxError:
        return ""
    except (ValueError, RecursionError, MemoryError):
        return "Python cannot read it"


# -- exercises -----------------------------------------------------------------------------------------------


def judge_exercises(
    notebooks: Mapping[str, str], claims: Mapping[str, list[Any]], say: Say, before: Mapping[str, int]
) -> None:
    """Judge the answers of which the student's process has said that they are right: as data, if they are,
    and otherwise by their sources in the notebooks."""
    for file in folder().iterdir():  # from here on the machine is the reference's
        file.unlink()
    left = dict.fromkeys(claims, "its source was not found")
    for name in list(left):
        if any(right_as_data(name, answer) for answer in claims[name]):
            say(exercise=name, status=RIGHT)
            del left[name]
    for where, text in notebooks.items():
        if left:
            judge_by_source(statements(text, where), left, say, before)
    for name, reason in left.items():
        say(exercise=name, status=NOT_CONFIRMED, message=reason)


def right_as_data(name: str, packed: Any) -> bool:
    """Whether an answer that was handed over as data is right."""
    try:
        answer = unpacked(packed, int(name[:2]))
    except NotData:
        return False
    return checking.check(name, *answer).status == RIGHT


def judge_by_source(
    found: list[Statement], left: dict[str, str], say: Say, before: Mapping[str, int]
) -> None:
    """Run the statements of a notebook that answers need, as far as they are plain, and judge the answers
    where the notebook does. ``left`` are the exercises that are open, and why."""
    names: dict[str, Any] = {"__name__": "notebook"}
    modules: dict[str, str] = {}
    lost: dict[str, str] = {}
    for statement, is_needed in zip(found, needed(found, set(left))):
        if is_needed:
            reason = run(statement, names, modules)
            lost |= dict.fromkeys(statement.changes, reason) if reason else {}
        for name, answers in statement.checks:
            if name in left:
                reason = judged(name, answers, names, modules) or touched(before)
                missing = [lost[used] for used in names_in(answers) if used in lost]
                left[name] = missing[0] if missing and reason else reason
                if not reason:
                    say(exercise=name, status=RIGHT)
                    del left[name]


def run(statement: Statement, names: dict[str, Any], modules: dict[str, str]) -> str:
    """Run a statement, unless it is not plain. Returns the reason why it has not run to its end, or ""."""
    reason = fault(statement.tree, modules)
    if reason:
        return reason
    try:
        with stopped_after(10 * STEPS, is_counted):
            exec(statement.compiled(), names)
    except Stopped:
        return "it does not end"
    except Exception as error:  # noqa: BLE001  the student's code may raise anything
        return f"here it stops with {type(error).__name__}"
    return ""


def judged(name: str, answers: list[ast.expr], names: dict[str, Any], modules: dict[str, str]) -> str:
    """Judge an answer as it stands in a call of ``check``. Returns the reason why it is not right, or ""."""
    expression = ast.Expression(ast.Tuple(answers, ast.Load()))
    reason = fault(expression, modules)
    if reason:
        return reason
    try:
        answer = eval(compile(ast.fix_missing_locations(expression), f"<{name}>", "eval"), names)
        if any(map(has_another_tensor, answer)):
            return "its Tensor is not the machine's"
        verdict = checking.check(name, *answer)
    except Exception as error:  # noqa: BLE001  the student's code may raise anything
        return f"here it stops with {type(error).__name__}"
    return "" if verdict.status == RIGHT else "by itself it is not right"


def has_another_tensor(answer: Any) -> bool:
    """Whether a function or class works with a Tensor that is not the machine's, or is no longer as the
    machine has made it: the judges would take their graphs from it."""
    inside = [answer, *(vars(answer).values() if isinstance(answer, type) else ())]
    found = [getattr(each, "__globals__", {}).get("Tensor", Tensor) for each in inside]
    machine: Any = (live.MACHINE.names or {}).get("Tensor")
    return any(each is not Tensor and (each is not machine or is_changed(each)) for each in found)


def is_changed(kind: type) -> bool:
    """Whether a class of the machine has got a method from elsewhere."""
    functions = [value.fget if isinstance(value, property) else value for value in vars(kind).values()]
    codes = [function.__code__ for function in functions if isinstance(function, FunctionType)]
    return not all(is_of_machine(code.co_filename) for code in codes)


# -- what must stay as it is ---------------------------------------------------------------------------------


def touched(before: Mapping[str, int]) -> str:
    """What of the judges, of NumPy or of the package is another than before, in a few words, or ""."""
    after = fixed()
    changed = [name for name in before if after.get(name) != before[name]]
    return f"it changes {changed[0]}" if changed else ""


def fixed() -> dict[str, int]:
    """The identities of all functions, classes and methods."""
    found = {}
    for module in [module for name, module in sys.modules.items() if name.partition(".")[0] in WATCHED]:
        for name, value in list(vars(module).items()):
            if isinstance(value, KINDS):
                found[f"{module.__name__}.{name}"] = id(value)
            if isinstance(value, type) and value.__module__ == module.__name__:
                for method, function in list(vars(value).items()):
                    found[f"{module.__name__}.{name}.{method}"] = id(function)
    return found


if __name__ == "__main__":
    main()
