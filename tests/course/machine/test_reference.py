"""The reference: each stage stands by itself and passes every earlier probe; each piece's check passes the
solution, tells the stub that it is not done, and refuses each known wrong answer with its own sentence."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff_course import machine
from autodiff_course.checking import NOT_YET, RIGHT, WRONG
from autodiff_course.machine.judging import calculation, judge, known_mistakes, right
from autodiff_course.machine.plan import (
    Piece,
    Probe,
    active,
    after_lesson,
    assembled,
    code_lines,
    find,
    lessons,
    made,
    parts,
    pieces,
)  # fmt: skip
from autodiff_course.machine.trying import built, outcome

PIECES = list(pieces().values())
WHOLE = assembled(len(parts()))
each_piece = pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece.name)
each_lesson = pytest.mark.parametrize("lesson", [number for number, _, _ in lessons()])


def run(text):
    names = {}
    exec(compile(text, "engine", "exec"), names)
    return names


# -- stages ---------------------------------------------------------------------------------------------


@each_lesson
def test_a_stage_stands_by_itself_and_passes_all_probes_up_to_its_lesson(lesson):
    run(assembled(after_lesson(lesson)))
    for piece in PIECES:
        for probe in piece.probes if piece.lesson <= lesson else ():
            if probe.until_replaced and piece not in active(after_lesson(lesson)):
                continue
            found = outcome(built(after_lesson(lesson), {}), probe)
            assert right(found, probe), (piece.name, probe.code, found)


@pytest.mark.parametrize(
    ("name", "stage_before"),
    [(p.name, after_lesson(p.lesson - 1)) for p in PIECES if p.replaces and not p.name.startswith("05")],
)
def test_the_stage_before_a_celebrated_change_fails_its_probes(name, stage_before):
    piece = find(name)
    assert any(not right(outcome(built(stage_before, {}), probe), probe) for probe in piece.probes)


def test_there_are_three_celebrated_changes_and_no_other_rewriting():
    assert {p.name: p.replaces for p in PIECES if p.replaces} == {
        "04 backward": "03 backward", "05 backward": "04 backward",  # = becomes +=, and the order comes
        "10 gradients": "05 gradients",  # a contribution is summed back to its shape
        "16 gradients": "10 gradients",  # the walk passes on nodes
    }  # fmt: skip
    names = [made(part.code)[0] for part in active(len(parts())) if isinstance(part, Piece)]
    repeated = {name for name in names if names.count(name) > 1}
    assert repeated == {"RULES"}


def test_every_lesson_has_a_piece_and_its_names_begin_with_its_number():
    for number, title, there in lessons():
        assert title
        assert any(isinstance(part, Piece) for part in there) or number >= 30  # the projects add nothing
        assert all(part.name.startswith(f"{number:02} ") for part in there)
    assert len({part.name for part in parts()}) == len(parts())


# -- the whole file -------------------------------------------------------------------------------------


def test_the_file_is_as_long_as_lesson_01_and_the_readme_say():
    """In lesson 13 about 200 lines, in lesson 22 about 300, at the end about 500."""
    for lesson, said in ((13, 200), (22, 300), (lessons()[-1][0], 500)):
        count = len(code_lines(assembled(after_lesson(lesson))))
        assert round(count / 100) * 100 == said, (lesson, count)
    root = Path(__file__).resolve().parents[3]
    lesson_01 = (root / "notebooks" / "01_a_number_that_remembers.ipynb").read_text(encoding="utf-8")
    assert "of about 200 lines by lesson 13 and about 500 by the end" in lesson_01
    assert "about 300 lines" in (root / "README.md").read_text(encoding="utf-8")


def test_the_whole_file_needs_numpy_alone():
    nodes = ast.walk(ast.parse(WHOLE))
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert [ast.unparse(node) for node in imports] == ["import math", "import numpy as np"]
    assert max(map(len, WHOLE.splitlines())) <= 110


@pytest.mark.parametrize("lesson", [13, lessons()[-1][0]])
def test_more_than_half_of_it_stands_in_pieces(lesson):
    there = active(after_lesson(lesson))
    in_pieces = sum(len(code_lines(part.code)) for part in there if isinstance(part, Piece))
    assert in_pieces / len(code_lines(assembled(after_lesson(lesson)))) > 0.55
    assert max(piece.lines for piece in PIECES) <= 11


def test_every_function_and_class_has_a_docstring():
    tree = ast.parse(WHOLE)
    bare = [node.name for node in tree.body if hasattr(node, "name") and not ast.get_docstring(node)]
    assert bare == []


def test_the_words_are_those_of_the_field():
    assert not re.search(r"\b(chances?|surprise|share|insides|seed)\b", WHOLE)
    assert {"probabilities", "cross_entropy", "contribution", "activations"} <= set(re.findall(r"\w+", WHOLE))


def test_no_name_of_the_module_hides_one_of_the_machine():
    own = set(vars(machine)) - {"np", "math"}
    assert not own & set(built(len(parts()), {})) - {"__name__", "__builtins__", "__doc__"}


# -- the checks -----------------------------------------------------------------------------------------


@each_piece
def test_the_solution_is_right_and_the_stub_is_not_done_yet(piece):
    assert judge(piece, piece.code, {}).status == RIGHT
    assert judge(piece, piece.stub, {}).status == NOT_YET


def test_a_long_calculation_stands_below_the_sentence():
    piece = find("22 train")
    wrong = next(wrong for wrong in piece.wrong if wrong.kind == "one epoch")
    message = judge(piece, wrong.code(piece.code), {}).message
    assert message.startswith(wrong.say)
    assert message.index(wrong.say) < message.index(calculation(piece.probes[0]))


@each_piece
def test_each_wrong_answer_is_refused_with_its_own_sentence(piece):
    assert len(piece.wrong) >= 3
    assert len({wrong.kind for wrong in piece.wrong}) == len(piece.wrong)
    for wrong in piece.wrong:
        verdict = judge(piece, wrong.code(piece.code), {})
        assert verdict.status == WRONG, wrong.kind
        assert wrong.say in verdict.message, (wrong.kind, verdict.message)
        # The calculation can be copied into a cell, except where the form alone is wrong.
        shown = any(calculation(probe) in verdict.message for probe in piece.probes)
        assert shown or "first line is" in verdict.message or "The row" in verdict.message


def test_almost_every_probe_tells_something():
    """At least one known wrong answer fails it; a few guard what nobody has got wrong yet."""
    idle = [
        (piece.name, probe.code)
        for piece in PIECES
        for i, probe in enumerate(piece.probes)
        if all(right(outcomes[i], probe) for outcomes, _ in known_mistakes(piece))
    ]
    assert len(idle) <= 0.2 * sum(len(piece.probes) for piece in PIECES), idle


def test_a_probe_with_another_right_result_would_be_noticed():
    piece = find("02 slope")
    planted = Probe(piece.probes[0].code, 23.0)
    assert not right(outcome(built(after_lesson(2), {}), planted), planted)


# -- beside the package ---------------------------------------------------------------------------------


CALCULATIONS = {
    "the course's": (lambda m, a: (a + 2) * (3 * a + 4), (2.0,)),
    "h + h * h": (lambda m, x: x * x + x * x * (x * x), (2.0,)),
    "lesson 06's": (lambda m, a, b, c: ((a - b) / c) ** 2 + m.exp(a) * m.tanh(b), (1.0, 0.5, 2.0)),
    "numbers on the left": (lambda m, a: 7 / a - 2 * a + (1 - a) + 2**a, (1.5,)),
    "arrays": (
        lambda m, a, b: (m.tanh(a @ b) * a[:, :1]).sum() + a.max(axis=0).mean(),
        (np.random.default_rng(0).normal(size=(3, 4)), np.random.default_rng(1).normal(size=(4, 2))),
    ),
}


class Reference:
    """The whole reference as a module."""

    def __init__(self):
        vars(self).update(run(WHOLE))


@pytest.mark.parametrize("said", CALCULATIONS)
def test_the_machine_gives_the_package_s_numbers(said):
    f, points = CALCULATIONS[said]
    m = Reference()
    mine, ours = [m.Tensor(point) for point in points], [ad.Tensor(point) for point in points]
    mine_end, our_end = f(m, *mine), f(ad, *ours)
    m.backward(mine_end)
    our_end.backward()
    assert np.allclose(mine_end.data, our_end.data, rtol=1e-12)
    for x, y in zip(mine, ours):
        assert np.allclose(x.grad, y.grad.data, rtol=1e-12, atol=1e-15)


def test_second_derivatives_and_forward_mode_give_the_package_s_numbers():
    m = Reference()
    third, ours = m.grad(m.grad(m.grad(m.tanh))), ad.grad(ad.grad(ad.grad(ad.tanh)))
    assert float(third(0.5).data) == pytest.approx(float(ours(0.5)), rel=1e-12)
    x, v = np.array([0.3, -1.2]), np.array([1.0, 2.0])
    value, moved = m.jvp(lambda x: m.exp(x) * x, x, v)
    our_value, our_moved = ad.jvp(lambda x: ad.exp(x) * x, (x,), (v,))
    assert np.allclose(value, ad.Tensor(our_value).data)
    assert np.allclose(moved, ad.Tensor(our_moved).data)
