"""Lesson 04: the numbers that it measures, and what its text says of paths."""

from __future__ import annotations

import re
from base64 import b64decode
from html import unescape
from itertools import product

import pytest

from autodiff_course import machine
from autodiff_course.exercises import lesson_04
from autodiff_course.machine.plan import find
from tests.course.stored import cells, lesson_path, said

ENGINE = machine.after(4)
Tensor, backward, value, RULES = ENGINE.Tensor, ENGINE.backward, ENGINE.value, ENGINE.RULES


def cell_with(text):
    (cell,) = [cell for cell in cells(lesson_path("04")) if text in cell.source]
    return cell


def page(cell):
    """What a picture shows, and its text."""
    (output,) = cell.outputs
    html = re.sub("<style>.*?</style>", "", output.data["text/html"], flags=re.DOTALL)
    for svg in re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", html):
        html += re.sub("<[^>]*>", " ", unescape(b64decode(svg).decode()))
    return output.data["text/plain"], re.sub(r"\s+", " ", html)


@pytest.mark.parametrize(
    ("camera", "sums"),
    [
        ("film(e", ["12 + 10 = 22"]),
        ("explain(e, a", ["12 + 10"]),
        ("explain(y, x", ["2 + 2 + 8 + 8 + 8 + 8"]),
    ],
)
def test_the_sums_are_seen_in_the_text_and_in_the_picture(camera, sums):
    text, picture = page(cell_with(camera))
    for each in sums:
        assert each in text
        assert each in picture


def test_the_picture_of_a_wrong_gradient_says_so():
    assert "What arrives has to be added up." in page(cell_with("explain(e, a"))[0]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("nudge:", "machine: 12\nnudge:   22.0\n"),
        ("backward(c, 10)", "after backward(c, 10): 10\nafter backward(d, 4):  12\n"),
        ("backward(e)\na.grad", "22"),
        ("def pass_on_the_sum", "e: 22\nh + h: 6\n"),
        ("make_doublings(10)", "314,039,061,414\npasses on what has arrived: 1,024\n"),
        ("def calls", "16 nodes      65,535 calls\n20 doublings   21 nodes   2,097,151 calls\n"),
    ],
)
def test_the_numbers_of_the_lesson(source, words):
    assert said(cell_with(source)).endswith(words)


def test_two_nudges_at_once():
    assert abs(4.001 * 10.003 - (40 + 0.010 + 0.012 + 0.000003)) < 1e-12


def test_the_square_root_of_two_is_found_to_five_decimals():
    lines = said(cell_with("loss = error * error")).splitlines()
    assert len(lines) == 10
    assert float(lines[-1].split()[3]) == pytest.approx(2**0.5, abs=5e-6)
    assert lines[0].endswith("gradient -4.000000")


def test_the_wrong_walk_is_the_known_wrong_answer():
    """The lesson's broken walk gives what the piece's check names."""
    (wrong,) = [wrong for wrong in find("04 backward").wrong if wrong.kind == "passes on the sum"]
    names = dict(vars(machine.after(4)))
    exec(wrong.code(find("04 backward").code), names)
    x = end = names["Tensor"](1)
    for _ in range(10):
        end = end + end
    names["backward"](end)
    assert x.grad == 314039061414


def doublings(n):
    x = end = Tensor(1)
    for _ in range(n):
        end = end + end
    return x, end


def test_fifty_doublings_would_take_years():
    def calls(node):
        return 1 + sum(map(calls, node.creators))

    assert [calls(doublings(n)[1]) for n in (0, 1, 2, 3)] == [2 ** (n + 1) - 1 for n in (0, 1, 2, 3)]
    seconds_in_a_year = 365 * 24 * 3600
    assert 2**51 / 5e6 / seconds_in_a_year > 10


def products(end, leaf):
    if end is leaf:
        return [1]
    z, *inputs = map(value, (end, *end.creators))
    rows = zip(end.creators, RULES[end.creation_op])
    return [rule(1, z, *inputs) * rest for creator, rule in rows for rest in products(creator, leaf)]


def ends(operations):
    """The leaf and the end of every graph of so many sums and products, from the leaf 3."""
    for steps in product(product("+*", range(operations + 1)), repeat=operations):
        nodes = [Tensor(3)]
        for sign, place in steps:
            other = nodes[min(place, len(nodes) - 1)]
            nodes.append(nodes[-1] + other if sign == "+" else nodes[-1] * other)
        yield nodes[0], nodes[-1]


@pytest.mark.parametrize("operations", [1, 2, 3])
def test_a_gradient_is_the_sum_over_all_paths(operations):
    for leaf, end in ends(operations):
        backward(end)
        assert leaf.grad == sum(products(end, leaf))


def test_the_checks_own_right_numbers():
    answer = lesson_04.PRODUCTS.answer(products)
    for case in lesson_04.GRAPHS:
        end, leaf = lesson_04.ends(case, products)
        assert sorted(products(end, leaf)) == sorted(answer(end, leaf))


def test_fewest_additions_for_a_thousand():
    """The solutions say that twelve are enough, and that eleven are not."""

    def search(numbers, left):
        if numbers[-1] == 1000:
            return numbers
        if left == 0 or numbers[-1] << left < 1000:
            return None
        sums = {one + other for one in numbers for other in numbers}
        bigger = sorted((each for each in sums if numbers[-1] < each <= 1000), reverse=True)
        return next((found for each in bigger if (found := search([*numbers, each], left - 1))), None)

    assert search([1], 11) is None
    assert len(search([1], 12)) == 13
