"""The changes that `python -m tests.mutation` makes, and the rooms in which it makes them."""

from __future__ import annotations

import ast
import random

import pytest

from tests.mutants import Finder, broken, difference
from tests.mutation import ROOMS, ROOT, chosen

CHANGES = {
    "a + b": ["a - b"],
    "(a) ** (b)  # é": ["(a) * (b)  # é"],
    "'é' + a * b": ["'é' - a * b", "'é' + a / b"],
    "a < b is c": ["a <= b is c", "a < b is not c"],
    "a not in b": ["a in b"],
    "-a": ["a"],
    "not a": ["a"],
    "a and (b or c)": [
        "True and (b or c)", "a and (True)", "a or (b or c)", "a and (False or c)", "a and (b or False)",
        "a and (b and c)",
    ],
    "x = 1 if a else 2.5": ["x = 1 if not (a) else 2.5", "x = 2 if a else 2.5", "x = 1 if a else 3.5"],
    "x = True, 'a', None": ["x = False, 'a', None"],
    "x = list(a)": ["x = a"],
    "x = np.asarray(a), f(a), list(a, b)": ["x = a, f(a), list(a, b)"],
    "f(a)": ["pass"],
    "a += b": ["pass"],
    "a.b = a[c] = d": ["pass"],
    "raise E(1 + 2)": ["pass"],
    "'words'": [],
    "x = f'{a + 1}'": [],
    "x: Literal[1] = a": [],
    "while a: break": ["while not (a): break", "while a: pass"],
    "def f(x: int = 1, *, y=None) -> A[2]: return x": ["def f(x: int = 2, *, y=None) -> A[2]: return x"],
}  # fmt: skip


@pytest.mark.parametrize("source", CHANGES)
def test_each_place_is_one_small_change(source):
    text = source.encode()
    found = Finder(text).found
    assert sorted(broken(text, place).decode() for place in found) == sorted(CHANGES[source])
    for place in found:
        _, before, after = difference(text, place).splitlines()
        assert before == f"  - {source}"
        assert after.removeprefix("  + ") in [line.strip() for line in CHANGES[source]]


def test_a_place_is_met_in_its_own_lines_a_default_in_the_body_and_a_constant_of_the_module_anywhere():
    source = b"A = 1\n\ndef f(x=2):\n    if x:\n        return 3\n    return (x\n        + y)\n"
    found = {place.text.decode(): (place.kind, [*place.lines]) for place in Finder(source).found}
    assert found == {
        "2": ("constant", [*range(1, 9)]), "3": ("default", [4, 5, 6, 7]), "not (x)": ("condition", [4, 5]),
        "4": ("constant", [5]), "-": ("operator", [6, 7]),
    }  # fmt: skip


def test_what_python_does_not_read_or_reads_as_before_is_no_change():
    source = b"x = (a\n - b)"
    (place,) = Finder(source).found
    assert broken(source, place._replace(text=b"-  ")) is None
    assert broken(source, place._replace(text=b"]")) is None


def test_each_file_is_in_one_room_and_each_room_has_tests():
    files = [path for pattern, _ in ROOMS.values() for path in ROOT.glob(pattern)]
    assert sorted(files) == sorted(
        path for house in ("autodiff", "autodiff_course") for path in (ROOT / house).rglob("*.py")
    )
    assert all(any(ROOT.glob(tests)) for _, tests in ROOMS.values())


def test_the_places_of_a_room_are_of_every_kind_and_the_same_for_the_same_seed():
    places, same = (chosen(ROOT, ROOMS["calculus"][0], 30, random.Random(0)) for _ in range(2))
    assert places == same
    assert {place.kind for _, place in places} == {
        "call", "condition", "constant", "default", "operand", "operator", "raise", "statement",
    }  # fmt: skip
    for path, place in places:
        ast.parse(broken(path.read_bytes(), place))
