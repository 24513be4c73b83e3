"""Judging a piece: its form, then what it computes, then whether everything else still works with it."""

from __future__ import annotations

import ast
import functools

from ..checking import RIGHT, WRONG, Verdict, advice_on_error, in_words
from .form import Own, fault_of_form
from .plan import TOP, Piece, Probe, active, after_lesson, after_piece, lessons, parts
from .trying import STEPS, Outcome, built, outcome, raised_in, same, same_outcome, shown

LONG = 6  # a calculation of more lines than this stands below the sentence


def judge(piece: Piece, code: str, own: Own, top: str = TOP) -> Verdict:
    """Judge a text as an answer to a piece, on the machine as it is after the piece's lesson.

    ``own`` are the reader's other parts. The verdict's message is a sentence or several, without the piece's
    name; it is empty for a right answer.
    """
    own = {**own, piece.name: code}
    fault = fault_of_form(piece, code, own, top)
    if fault:
        return fault
    for probe in piece.probes:
        found = tried(stage_of(piece, probe), own, probe, top)
        if not right(found, probe):
            return Verdict(WRONG, explain(piece, code, probe, found, own, top))
    spoiled = first_spoiled(after_lesson(piece.lesson), own, piece.name, top)
    if spoiled:
        other, probe, found = spoiled
        return Verdict(
            WRONG,
            f"It is right, but it spoils {other.name}:\n{calculation(probe)}\n{gives(found, probe)}".rstrip(),
        )
    return Verdict(RIGHT, "")


def stage_of(piece: Piece, probe: Probe) -> int:
    """How many parts the machine has on which a probe judges its piece."""
    return after_piece(piece.name) if probe.at_once else after_lesson(piece.lesson)


def tried(stop: int, own: Own, probe: Probe, top: str = TOP) -> Outcome:
    """What a probe gives on a machine with these parts. A text that is given after a piece may call it, so a
    piece can stop the machine while it is built."""
    try:
        names = built(stop, own, top)
    except Exception as error:  # noqa: BLE001  the reader's code may raise anything
        return Outcome("error", f"{type(error).__name__}: {error}", "", raised_in(error))
    return outcome(names, probe)


def right(found: Outcome, probe: Probe) -> bool:
    """Whether a probe gave what it has to give."""
    return found.kind == "value" and same(found.value, probe.right)


def first_spoiled(stop: int, own: Own, but: str = "", top: str = TOP) -> tuple[Piece, Probe, Outcome] | None:
    """The first piece of the course whose probes fail on a machine with the reader's parts, and how. The
    probes of a piece that was replaced belong to it still, but for those that hold until then only."""
    there = set(active(stop))
    for part in parts()[:stop]:
        if isinstance(part, Piece) and part.name != but:
            for probe in part.probes:
                if probe.until_replaced and part not in there:
                    continue
                found = tried(stop, own, probe, top)
                if not right(found, probe):
                    return part, probe, found
    return None


@functools.lru_cache(maxsize=100)  # a cell is run again, and each later piece has many probes
def later_need(piece: Piece, code: str) -> tuple[Piece, Probe, Outcome] | None:
    """The first later piece whose probes fail because of a text that is right at its own lesson. A piece that
    a later lesson replaces is tried on the last machine that has it."""
    for lesson in range(lessons()[-1][0], piece.lesson, -1):
        stop = after_lesson(lesson)
        if piece in active(stop):
            return first_spoiled(stop, {piece.name: code})
    return None


# -- what a message says -------------------------------------------------------------------------------------


def explain(piece: Piece, code: str, probe: Probe, found: Outcome, own: Own, top: str) -> str:
    """The calculation that goes wrong, the two results, and the sentence for the kind of mistake, which comes
    first if the calculation is long."""
    said = general_advice(piece, code, found) or known_mistake(piece, probe, found, own, top)
    if not said and found.kind == "error":
        said = advice_on_error(found.value)
    if not said and found.kind == "endless":
        said = "Does a loop never end?"
    if not said and found.kind == "recursion":
        said = "Does a function call itself without end?"
    if said and probe.code.count("\n") >= LONG:  # nobody should have to look for it below ten lines of code
        return f"{said}\n{calculation(probe)}\n{gives(found, probe)}".rstrip()
    return f"{calculation(probe)}\n{gives(found, probe)}{said}".rstrip()


def calculation(probe: Probe) -> str:
    """The code of a probe, indented, so that it can be copied into a cell."""
    return indented(probe.code)


def gives(found: Outcome, probe: Probe) -> str:
    """What a probe gave, and what it should have given."""
    if probe.prints:
        what = (
            f"prints\n{indented(found.value or 'nothing')}"
            if found.kind == "value"
            else how_it_stopped(found)
        )
        return f"{what}\nIt should print\n{indented(probe.right)}\n"
    if found.kind == "value":
        texts = [(shown(found.value, digits), shown(probe.right, digits)) for digits in range(6, 18)]
        gave, right = next((two for two in texts if two[0] != two[1]), texts[0])
        return f"gives {gave}; it should be {right}. "
    return f"{how_it_stopped(found)}; it should be {shown(probe.right)}. "


def how_it_stopped(found: Outcome) -> str:
    """The words for an outcome that is no value."""
    if found.kind == "endless":
        return f"was stopped after {STEPS:,} lines of code"
    if found.kind == "recursion":
        return "stops because functions call each other too often (RecursionError)"
    return f"stops with {in_words(found.value)}"


def indented(text: str) -> str:
    """A text with a margin, as messages show code."""
    return "\n".join(f"    {line}".rstrip() for line in text.split("\n"))


def general_advice(piece: Piece, code: str, found: Outcome) -> str:
    """The sentence for a function without ``return``, or for a row that prints, or ""."""
    if piece.kind == "rows" and any(is_print(node) for node in ast.walk(ast.parse(code))):
        return "`print` gives None. Write the result after the colon, without print."
    if not returns_nothing(piece, code) or found.kind == "endless":
        return ""
    if any(isinstance(node, ast.Yield) for node in ast.walk(ast.parse(code))):
        is_asked = "generator" in str(found.value)
        return "The function uses `yield`. Collect the results in a list and return it." * is_asked
    what = "prints its result and" if "print(" in code else "computes something and"
    return f"The function {what} returns nothing: end with `return`."


def known_mistake(piece: Piece, failed: Probe, found: Outcome, own: Own, top: str) -> str:
    """The sentence of the known wrong answer that gives the same as this one, or "". If several give the same
    for the probe that failed, the one that agrees on most of the other probes."""
    place = piece.probes.index(failed)
    alike = [(others, say) for others, say in known_mistakes(piece) if same_outcome(found, others[place])]
    if len({say for _, say in alike}) < 2:
        return alike[0][1] if alike else ""
    outcomes = [tried(stage_of(piece, probe), own, probe, top) for probe in piece.probes]
    return max(alike, key=lambda known: sum(map(same_outcome, outcomes, known[0])))[1]


@functools.cache
def known_mistakes(piece: Piece) -> tuple[tuple[list[Outcome], str], ...]:
    """For each known wrong answer what it gives for all probes of its piece, and its sentence."""
    found = []
    for wrong in piece.wrong:
        own = {piece.name: wrong.code(piece.code)}
        outcomes = [tried(stage_of(piece, probe), own, probe) for probe in piece.probes]
        found.append((outcomes, wrong.say))
    return tuple(found)


def returns_nothing(piece: Piece, code: str) -> bool:
    """Whether a function, or a method of a class, has no ``return`` with a value although the reference has
    one."""
    if piece.kind.endswith("class"):
        theirs = methods(code)
        right = methods(piece.code).items()
        return any(returns(text) and not returns(theirs.get(name, text)) for name, text in right)
    return piece.kind.endswith("function") and returns(piece.code) and not returns(code)


def is_print(node: ast.AST) -> bool:
    """Whether a piece of code is a lambda that prints its result."""
    return (
        isinstance(node, ast.Lambda)
        and isinstance(node.body, ast.Call)
        and ast.unparse(node.body.func) == "print"
    )


def methods(code: str) -> dict[str, str]:
    """The texts of the methods of the classes in a text, by their names."""
    classes = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ClassDef))
    return {
        node.name: ast.unparse(node)
        for each in classes
        for node in each.body
        if isinstance(node, ast.FunctionDef)
    }


def returns(code: str) -> bool:
    """Whether some function in a text returns a value. A lambda always does."""
    nodes = list(ast.walk(ast.parse(code)))
    named = any(isinstance(node, ast.FunctionDef) for node in nodes)
    return not named or any(isinstance(node, ast.Return) and node.value is not None for node in nodes)
