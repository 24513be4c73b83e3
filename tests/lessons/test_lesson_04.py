"""Lesson 04: its checks against right answers, stubs and planted mistakes; its engine, its orders."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from base64 import b64decode
from html import unescape
from itertools import product
from pathlib import Path

import pytest

from autodiff.engine.backward import order as package_order
from autodiff.lessons import after_05, after_07, check, hint, plots
from autodiff.lessons.after_05 import RULES, Tensor, order
from autodiff.lessons.checking import EXERCISES
from autodiff.lessons.exercises import lesson_04
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "04_paths_that_meet.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def assert_wrong(verdict, *words):
    assert verdict.status == "wrong", verdict
    for word in words:
        assert word in verdict.message


# -- the stored notebooks -----------------------------------------------------------------------------------

CHECKS = {"lesson": (LESSON, "Not done yet"), "solutions": (SOLUTIONS, "Right.")}
EXERCISES_OF_04 = (
    'check("04 second", my_guess)',
    'check("04 chain", long_order)',
    'check("04 backward", my_backward)',
)


@pytest.mark.parametrize(("path", "starts"), CHECKS.values(), ids=CHECKS)
def test_every_exercise_is_in_the_notebook(path, starts):
    for call in EXERCISES_OF_04:
        (cell,) = [cell for cell in cells(path) if call in cell.source]
        assert said(cell).startswith(starts), call


@pytest.mark.parametrize("call", ['check("04 order", order)', 'check("04 backward", backward)'])
def test_the_lesson_s_own_engine_passes_its_checks(call):
    (cell,) = [cell for cell in cells(LESSON) if call in cell.source]
    assert said(cell).startswith("Right.")


@pytest.mark.parametrize("name", ["order", "backward"])
def test_the_lesson_s_engine_is_the_snapshot_s(name):
    last = [cell.source for cell in cells(LESSON) if cell.source.startswith(f"def {name}(")][-1]
    snapshot = inspect.getsource(getattr(after_05, name))
    assert ast.dump(ast.parse(last).body[0]) == ast.dump(ast.parse(snapshot).body[0])


@pytest.mark.parametrize(
    ("camera", "sums"),
    [
        ('film(e, style="spread")', ["12 + 10 = 22"]),
        ('film(y, style="spread")', ["1 + 4 = 5", "5 + 4 = 9", "18 + 18 = 36"]),
        ('explain(e, a, style="spread")', ["12 + 10"]),
        ('explain(y, x, style="spread")', ["2 + 2 + 8 + 8 + 8 + 8"]),
        ('compare(y, style="spread")', ["18 + 18 = 36"]),
    ],
)
def test_the_sums_are_seen_in_the_text_and_in_the_picture(camera, sums):
    (cell,) = [cell for cell in cells(LESSON) if cell.source.endswith(camera)]
    (output,) = cell.outputs
    page = re.sub("<style>.*?</style>", "", output.data["text/html"], flags=re.DOTALL)
    for svg in re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", page):
        page += re.sub("<[^>]*>", " ", unescape(b64decode(svg).decode()))
    for text in sums:
        assert text in output.data["text/plain"]
        assert text in re.sub(r"\s+", " ", page)


# -- the walks that the lesson tries, and the smallest graphs on which each is wrong ------------------------


def shares(node, grad):
    """Pairs of a creator and its contribution, when a node passes on grad."""
    if node.creators is not None:
        values = [creator.data for creator in node.creators]
        for creator, rule in zip(node.creators, RULES[node.creation_op]):
            yield creator, rule(grad, node.data, *values)


def overwriting(node, grad=1):
    node.grad = grad
    for creator, share in shares(node, grad):
        overwriting(creator, share)


def passing_the_sum(node, grad=1):
    node.grad = grad if node.grad is None else node.grad + grad
    for creator, rule in zip(node.creators or (), RULES.get(node.creation_op, ())):
        passing_the_sum(creator, rule(node.grad, node.data, *[c.data for c in node.creators]))


def passing_what_arrived(node, grad=1):
    node.grad = grad if node.grad is None else node.grad + grad
    for creator, share in shares(node, grad):
        passing_what_arrived(creator, share)


def visiting_once(node, grad=1):
    is_first = node.grad is None
    node.grad = grad if is_first else node.grad + grad
    if is_first:
        for creator, share in shares(node, grad):
            visiting_once(creator, share)


def as_met(end):
    nodes = {}

    def visit(node):
        if node not in nodes:
            nodes[node] = True
            for creator in node.creators or ():
                visit(creator)

    visit(end)
    return list(nodes)


def from_waiting_list(end, place):
    nodes, waiting = {}, [end]
    while waiting:
        node = waiting.pop(place)
        if node not in nodes:
            nodes[node] = True
            waiting.extend(node.creators or ())
    return list(nodes)


def nearest_first(end):
    return from_waiting_list(end, 0)


def newest_first(end):
    return from_waiting_list(end, -1)


def right_way(end):
    return list(reversed(order(end)))


def along(listing):
    """A backward that goes through a list of nodes, with a dict as the lesson's last one has it."""

    def backward(end):
        arrived = {end: 1}
        for node in listing(end):
            grad = arrived.get(node, 0)
            for creator, share in shares(node, grad):
                arrived[creator] = arrived.get(creator, 0) + share
        for node, grad in arrived.items():
            node.grad = grad if node.grad is None else node.grad + grad

    return backward


def summing_in_grad(end):
    end.grad = 1
    for node in right_way(end):
        for creator, share in shares(node, node.grad):
            creator.grad = share if creator.grad is None else creator.grad + share


def not_reversed(end):
    arrived = {end: 1}
    for node in order(end):
        grad = arrived.get(node, 0)
        for creator, share in shares(node, grad):
            arrived[creator] = arrived.get(creator, 0) + share
        node.grad = grad if node.grad is None else node.grad + grad


WRONG_WALKS = {
    "overwriting": overwriting,
    "passing the sum": passing_the_sum,
    "visiting once": visiting_once,
    "as met": along(as_met),
    "nearest first": along(nearest_first),
    "newest first": along(newest_first),
    "not reversed": not_reversed,
}

GRAPHS = {
    "e": "a = Tensor(2); b = a * Tensor(3); c = a + Tensor(2); d = b + Tensor(4); y = c * d",
    "h + h": "a = Tensor(5); h = a * Tensor(2); y = h + h",
    "h + h*h": "a = Tensor(2); h = a * a; y = h + h * h",
    "h*h + h": "a = Tensor(2); h = a * a; y = h * h + h",
    "laboratory": "a = Tensor(2); h = a + a; k = a + h; m = k + h; y = k + m",
    "h + k": "a = Tensor(3); h = a + a; k = h + a; y = h + k",
    "k + h": "a = Tensor(3); h = a + a; k = h + a; y = k + h",
}


def gradient(walk, text, calls=1):
    names = {"Tensor": Tensor}
    exec(text, names)
    for _ in range(calls):
        walk(names["y"])
    return names["a"].grad


@pytest.mark.parametrize(
    ("walk", "numbers"),
    [
        ("overwriting", [12, 2, 8, 2, 1, 1, 1]),
        ("passing the sum", [22, 6, 60, 84, 19, 7, 7]),
        ("visiting once", [22, 2, 4, 16, 3, 3, 3]),
        ("as met", [22, 4, 4, 36, 3, 3, 5]),
        ("nearest first", [22, 4, 4, 36, 5, 3, 5]),
        ("newest first", [22, 4, 36, 4, 4, 5, 3]),
        ("not reversed", [0, 0, 0, 0, 0, 0, 0]),
    ],
)
def test_each_wrong_walk_gives_the_numbers_it_is_known_for(walk, numbers):
    assert [gradient(WRONG_WALKS[walk], text) for text in GRAPHS.values()] == numbers


@pytest.mark.parametrize("walk", [passing_what_arrived, along(right_way), summing_in_grad, after_05.backward])
def test_each_right_walk_is_right_the_first_time(walk):
    assert [gradient(walk, text) for text in GRAPHS.values()] == [22, 4, 36, 36, 8, 5, 5]


def test_the_second_walk_gives_78_or_44():
    assert gradient(summing_in_grad, GRAPHS["e"], calls=2) == 78
    assert gradient(after_05.backward, GRAPHS["e"], calls=2) == 44


def small_graphs(operations):
    """Every end of a graph of so many additions and products that begins with one leaf, a = 3."""
    choices = [product(("+", "*"), range(i + 1), range(i + 1)) for i in range(operations)]
    for steps in product(*choices):
        leaf = Tensor(3)
        nodes = [leaf]
        for sign, i, j in steps:
            nodes.append(nodes[i] + nodes[j] if sign == "+" else nodes[i] * nodes[j])
        yield leaf, nodes[-1]


@pytest.mark.parametrize("listing", [as_met, nearest_first, newest_first])
def test_no_graph_of_two_operations_shows_that_an_order_is_wrong(listing):
    for count in (1, 2):
        for (leaf, end), (right, same_end) in zip(small_graphs(count), small_graphs(count)):
            along(listing)(end)
            after_05.backward(same_end)
            assert leaf.grad == right.grad


def test_the_number_of_calls():
    calls = 0

    def counting(node, grad=1):
        nonlocal calls
        calls += 1
        for creator, share in shares(node, grad):
            counting(creator, share)

    _, end = lesson_04.doubled()
    end.patience.left = 10**6
    counting(end)
    assert calls == 65535 == 2**16 - 1
    assert len(order(end)) == 16


# -- counting users instead of uses -------------------------------------------------------------------------


def count_users(end):
    """The mistake: in a * a, one user of a is counted. On the way back one is taken off for each arrow."""
    users, waiting = {end: 0}, [end]
    while waiting:
        for creator in set(waiting.pop().creators or ()):
            if creator not in users:
                users[creator] = 0
                waiting.append(creator)
            users[creator] += 1
    return users


def in_turn(place, turn, count=count_users):
    """An order that counts, takes the next from one end of the list, and sees arrows in one turn."""

    def listing(end):
        left, nodes, ready = count(end), [], [end]
        while ready:
            nodes.append(ready.pop(place))
            for creator in (nodes[-1].creators or ())[::turn]:
                left[creator] -= 1
                if left[creator] == 0:
                    ready.append(creator)
        return nodes[::-1]

    return listing


def walk_in_turn(place, turn, count=count_users):
    """The same as a backward without a list."""

    def backward(end):
        left, arrived, ready = count(end), {end: 1}, [end]
        while ready:
            node = ready.pop(place)
            grad = arrived[node]
            for creator, share in list(shares(node, grad))[::turn]:
                arrived[creator] = arrived.get(creator, 0) + share
                left[creator] -= 1
                if left[creator] == 0:
                    ready.append(creator)
            node.grad = grad if node.grad is None else node.grad + grad

    return backward


# Where the next is taken from, in which turn the arrows are seen, and the graphs that show the mistake.
TURNS = ((-1, 1, (0, 1, 2, 3)), (-1, -1, (0, 1, 2)), (0, 1, (1,)), (0, -1, (2,)))


@pytest.mark.parametrize(("place", "turn", "graphs"), TURNS)
def test_counting_users_is_caught(place, turn, graphs):
    text = lesson_04.USED_TWICE[graphs[0]][0]
    count = "a * a uses a twice: count arrows, not users."
    assert_wrong(check("04 backward", walk_in_turn(place, turn)), text, count, "Walking back from y")
    for name in ("04 order", "04 chain"):
        assert_wrong(check(name, in_turn(place, turn)), text, count)


@pytest.mark.parametrize(("place", "turn", "graphs"), TURNS)
def test_only_these_graphs_show_that_users_are_counted(place, turn, graphs):
    caught = []
    for i, (text, data, right, kinds) in enumerate(lesson_04.MEETINGS + lesson_04.USED_TWICE):
        name, nodes = lesson_04.build(text, data)
        walk_in_turn(place, turn)(nodes["y"])
        if nodes[name].grad != right:
            assert nodes[name].grad in kinds, text
            caught.append(i - len(lesson_04.MEETINGS))
    assert tuple(caught) == graphs


@pytest.mark.parametrize(("place", "turn", "graphs"), TURNS)
def test_counting_uses_is_right_in_every_turn(place, turn, graphs):
    assert check("04 chain", in_turn(place, turn, count_uses)).status == "right"
    assert check("04 backward", walk_in_turn(place, turn, count_uses)).status == "right"


# -- right answers, and stubs -------------------------------------------------------------------------------


def count_uses(end):
    uses, waiting = {end: 0}, [end]
    while waiting:
        for creator in waiting.pop().creators or ():
            if creator not in uses:
                uses[creator] = 0
                waiting.append(creator)
            uses[creator] += 1
    return uses


def by_counting(end):
    uses, nodes, ready = count_uses(end), [], [end]
    while ready:
        nodes.append(ready.pop())
        for creator in nodes[-1].creators or ():
            uses[creator] -= 1
            if uses[creator] == 0:
                ready.append(creator)
    return nodes[::-1]


def by_counting_oldest_first(end):
    uses, nodes, ready = count_uses(end), [], [end]
    while ready:
        nodes.append(ready.pop(0))
        for creator in reversed(nodes[-1].creators or ()):
            uses[creator] -= 1
            if uses[creator] == 0:
                ready.append(creator)
    return tuple(reversed(nodes))


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("04 second", 44),
        ("04 second", Tensor(44)),
        ("04 order", order),
        ("04 order", after_07.order),
        ("04 order", by_counting),
        ("04 order", by_counting_oldest_first),
        ("04 chain", by_counting),
        ("04 chain", by_counting_oldest_first),
        ("04 backward", after_05.backward),
        ("04 backward", after_07.backward),
        ("04 backward", along(lambda end: reversed(by_counting(end)))),
    ],
)
def test_a_right_answer_passes(name, answer):
    verdict = check(name, answer)
    assert verdict.status == "right", verdict


@pytest.mark.parametrize(
    ("name", "stub"),
    [
        ("04 second", None),
        ("04 order", lambda end: None),
        ("04 chain", lambda end: None),
        ("04 backward", lambda end: None),
        ("04 backward", lambda end, grad=1: None),
    ],
)
def test_a_stub_is_not_done_yet(name, stub):
    verdict = check(name, stub)
    assert verdict.status == "not done yet", verdict


@pytest.mark.parametrize("name", ["04 second", "04 order", "04 chain", "04 backward"])
def test_every_exercise_has_three_hints(name):
    assert str(hint(name, 3)).startswith("Hint 3 of 3")
    assert name in EXERCISES


# -- planted mistakes: the prediction -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        (22, ["restarted"]),
        (78, ["well traced", "what the first one left behind"]),
        (100, ["well traced"]),
        (24, ["10 and 12"]),
        (484, ["what arrives is added"]),
        (12, ["Not 12"]),
        ("more", ["A number is asked for"]),
    ],
)
def test_second_names_the_mistake(guess, words):
    assert_wrong(check("04 second", guess), *words)


# -- planted mistakes: backward -----------------------------------------------------------------------------


def at_its_turn(listing):
    """The lesson's last backward, with another order in it."""

    def backward(end):
        arrived = {end: 1}
        for node in listing(end):
            grad = arrived[node]
            for creator, share in shares(node, grad):
                arrived[creator] = arrived.get(creator, 0) + share
            node.grad = grad if node.grad is None else node.grad + grad

    return backward


def overwriting_grad(end):
    """Right in one walk; a second one replaces what the first one brought."""
    for node in order(end):
        node.grad = None
    after_05.backward(end)


def end_keeps_adding(end):
    """Sums in .grad, the end's too: 100."""
    end.grad = 1 if end.grad is None else end.grad + 1
    for node in right_way(end):
        for creator, share in shares(node, node.grad):
            creator.grad = share if creator.grad is None else creator.grad + share


def only_leaves_add(end):
    leaves = [node for node in order(end) if node.creators is None]
    before = [leaf.grad or 0 for leaf in leaves]
    overwriting_grad(end)
    for leaf, earlier in zip(leaves, before):
        leaf.grad = leaf.grad + earlier


def nodes_by_number(end):
    """A dict with numbers for keys: equal numbers are taken for the same node."""
    arrived = {end.data: 1}
    for node in right_way(end):
        for creator, share in shares(node, arrived[node.data]):
            arrived[creator.data] = arrived.get(creator.data, 0) + share
        node.grad = arrived[node.data] if node.grad is None else node.grad + arrived[node.data]


def replacing_in_the_dict(end):
    arrived = {end: 1}
    for node in right_way(end):
        arrived.update(shares(node, arrived[node]))
        node.grad = arrived[node] if node.grad is None else node.grad + arrived[node]


def not_reversed_and_none(end):
    end.grad = 1
    for node in order(end):
        for creator, share in shares(node, node.grad):
            creator.grad = share if creator.grad is None else creator.grad + share


def not_reversed_and_missing(end):
    arrived = {end: 1}
    for node in order(end):
        for creator, share in shares(node, arrived[node]):
            arrived[creator] = arrived.get(creator, 0) + share
        node.grad = arrived[node]


def not_reversed_in_grad(end):
    end.grad = 1
    for node in order(end):
        for creator, share in shares(node, node.grad):
            creator.grad = (creator.grad or 0) + share


def clearing(end):
    """Right in the leaves, and in one walk after the other; what lies between is set back to None."""
    after_05.backward(end)
    for node in order(end):
        if node.creators is not None and node is not end:
            node.grad = None


def rules_of_a_leaf(end):
    for node in right_way(end):
        node.grad = 1
        RULES[node.creation_op]


def into_leaves(node, grad=1):
    node.grad = grad
    for creator in node.creators:
        into_leaves(creator, grad)


def without_end(end):
    after_05.backward(end)
    if end.creators is None:
        end.grad = None


def endless(end):
    waiting = [end]
    while waiting:
        waiting.extend(waiting[0].creators or ())
        end.grad = 1


@pytest.mark.parametrize(
    ("walk", "words"),
    [
        (overwriting, ["y = a * a, with a = 3", "a.grad is 3, and right is 6", "takes the place"]),
        (replacing_in_the_dict, ["y = a * a", "a.grad is 3, and right is 6", "takes the place"]),
        (passing_the_sum, ["h = a + a; y = h + h", "a.grad is 6, and right is 4", "passed on again"]),
        (visiting_once, ["h = a + a; y = h + h", "a.grad is 2, and right is 4", "at its first visit"]),
        (along(as_met), ["k = h + a; y = h + k", "is 3, and right is 5", "the order is wrong"]),
        (along(nearest_first), ["k = h + a; y = h + k", "is 3, and right is 5", "the order is wrong"]),
        (along(newest_first), ["k = h + a; y = k + h", "is 3, and right is 5", "the order is wrong"]),
        (at_its_turn(nearest_first), ["h = a + a; y = a + h", "is 1, and right is 3", "the order is wrong"]),
        (at_its_turn(as_met), ["h = a + a; y = a + h", "is 1, and right is 3", "the order is wrong"]),
        (at_its_turn(newest_first), ["k = h + a; y = h + k", "is 1, and right is 5", "the order is wrong"]),
        (not_reversed, ["a.grad is 0", "begin at the end, and wait for all uses"]),
        (not_reversed_and_none, ["h = a + a; y = h + h", "nothing arrived", "Begin at the end"]),
        (not_reversed_and_missing, ["KeyError", "before it was made", "begin at the end, and wait"]),
        (not_reversed_in_grad, ["TypeError", "before anything has arrived", "begin at the end, and wait"]),
        (clearing, ["c.grad is None", "or it was cleared; here every node keeps its grad."]),
        (rules_of_a_leaf, ["KeyError: None", "A leaf's creation_op is None"]),
        (summing_in_grad, ["it is 78; right is 44", "in a dict"]),
        (end_keeps_adding, ["it is 100; right is 44", "in a dict"]),
        (overwriting_grad, ["it is 22; right is 44", "starts again"]),
        (only_leaves_add, ["c.grad is 10, and right is 20"]),
        (passing_what_arrived, ["15 operations", "every path by itself"]),
        (nodes_by_number, ["a.grad"]),
        (into_leaves, ["single leaf", "creators are None"]),
        (without_end, ["single leaf", "right is 1"]),
        (lambda end: setattr(end, "grad", 1), ["a.grad is None"]),
        (lambda end: setattr(end, "grad", "1"), ["None"]),
        (lambda end, uses: None, ["with one thing, the end of a graph", "yours takes (end, uses)"]),
        (lambda end: sum(), ["single leaf", "stopped with TypeError"]),
        (44, ["A function is asked for"]),
    ],
)
def test_backward_names_the_mistake(walk, words):
    assert_wrong(check("04 backward", walk), *words)


def swapped(end):
    """The rule of mul with its numbers swapped: right on every square, and so on most graphs of the check."""
    rules = {**RULES, "mul": (lambda grad, z, x, y: grad * x, lambda grad, z, x, y: grad * y)}
    arrived = {end: 1}
    for node in right_way(end):
        values = [creator.data for creator in node.creators or ()]
        for creator, rule in zip(node.creators or (), rules.get(node.creation_op, ())):
            arrived[creator] = arrived.get(creator, 0) + rule(arrived[node], node.data, *values)
        node.grad = arrived[node]


def adding_at_leaves_only(end):
    """Where paths meet in a leaf they are added; on the way the last contribution takes the place."""
    arrived = {end: 1}
    for node in right_way(end):
        for creator, share in shares(node, arrived[node]):
            arrived[creator] = share if creator.creators else arrived.get(creator, 0) + share
        node.grad = arrived[node]


FIRST_WRONG = (
    (
        overwriting,
        (
            "all is right until a. What belongs there: "
            "3 arrives from y (as its 1st a), 3 from y (as its 2nd a), and 3 + 3 = 6; only 3 is there."
        ),
    ),
    (
        visiting_once,
        (
            "all is right until a. What belongs there: "
            "2 arrives from h (as its 1st a), 2 from h (as its 2nd a), and 2 + 2 = 4; only 2 is there."
        ),
    ),
    (
        along(newest_first),
        (
            "all is right until a. What belongs there: 1 arrives from k, "
            "2 from h (as its 1st a), 2 from h (as its 2nd a), and 1 + 2 + 2 = 5; only 1 + 2 is there."
        ),
    ),
    (
        adding_at_leaves_only,
        (
            "this is the first to go wrong: the gradient of h is 1 and should be 2: "
            "1 arrives from y (as its 1st h), 1 from y (as its 2nd h), and 1 + 1 = 2; only 1 is there."
        ),
    ),
    (
        swapped,
        "this is the first to go wrong: the gradient of d is 10 and should be 4: 4 arrives from e.",
    ),
    (
        nodes_by_number,
        "this is the first to go wrong: the gradient of the 4 is 14 and should be 4: 4 arrives from d.",
    ),
)


@pytest.mark.parametrize(("walk", "line"), FIRST_WRONG)
def test_backward_says_which_gradient_was_the_first_to_go_wrong(walk, line):
    verdict = check("04 backward", walk)
    assert verdict.status == "wrong"
    assert verdict.message.splitlines()[-1].partition(", ")[2] == line


def test_no_line_about_what_rounding_makes():
    name, nodes = lesson_04.build("y = a * a", 3)
    after_05.backward(nodes["y"])
    nodes[name].grad += 1e-9
    assert lesson_04.first_wrong("y", name, nodes) == ""


def test_looking_for_the_first_wrong_gradient_needs_none_of_the_walk_s_patience():
    def wasteful(end):
        overwriting(end)
        while end.patience.left:
            end.creators  # noqa: B018

    assert_wrong(check("04 backward", wasteful), "a.grad is 3, and right is 6", "all is right until a")


@pytest.mark.parametrize("walk", [not_reversed, not_reversed_and_missing, lambda: None, into_leaves])
def test_backward_does_not_advise_the_order_that_is_forbidden_at_home(walk):
    assert "order(" not in check("04 backward", walk).message


def test_the_number_of_arguments_is_no_reason_to_begin_at_the_end():
    assert "egin at the end" not in check("04 backward", lambda: None).message
    assert "egin at the end" not in check("04 backward", lambda end: sum()).message


def test_a_walk_that_does_not_end_is_stopped():
    """A loop over a leaf alone looks at its creators again and again."""
    assert_wrong(check("04 backward", endless), "looked at creators", "never end")


@pytest.mark.parametrize(
    ("walk", "text", "data", "wrong"),
    [
        (overwriting, "e", 2, 12),
        (passing_the_sum, "h = x * x; p = h * h; y = h + p", 2, 60),
        (visiting_once, "h = x * x; p = h * h; y = h + p", 2, 4),
        (along(nearest_first), "h = x * x; p = h * h; y = h + p", 2, 4),
        (along(newest_first), "h = x * x; p = h * h; y = p + h", 2, 4),
        (not_reversed, "h = x * x; p = h * h; y = h + p", 2, 0),
    ],
)
def test_each_graph_of_the_check_would_catch_its_mistake_alone(walk, text, data, wrong):
    if text == "e":
        assert gradient(walk, GRAPHS["e"]) == wrong
        return
    name, nodes = lesson_04.build(text, data)
    walk(nodes["y"])
    assert nodes[name].grad == wrong
    known = {graph: kinds for graph, _, _, kinds in lesson_04.MEETINGS}
    assert wrong in known[text]


def test_the_check_s_own_right_numbers():
    for text, data, right, _ in lesson_04.MEETINGS + lesson_04.USED_TWICE:
        name, nodes = lesson_04.build(text, data)
        after_05.backward(nodes["y"])
        assert nodes[name].grad == right, text


# -- planted mistakes: the order ----------------------------------------------------------------------------


def with_repeats(end):
    nodes = []

    def visit(node):
        for creator in node.creators or ():
            visit(creator)
        nodes.append(node)

    visit(end)
    return nodes


def by_number(end):
    nodes, seen = [], set()

    def visit(node):
        if node.data not in seen:
            seen.add(node.data)
            for creator in node.creators or ():
                visit(creator)
            nodes.append(node)

    visit(end)
    return nodes


def without_seen(end):
    nodes = []

    def visit(node):
        for creator in node.creators or ():
            visit(creator)
        if node not in nodes:
            nodes.append(node)

    visit(end)
    return nodes


@pytest.mark.parametrize(
    ("listing", "words"),
    [
        (
            lambda end: nearest_first(end)[::-1],
            ["y = a + h", "h a y", "h stands before a", "An order of first meeting is not enough"],
        ),
        (
            lambda end: as_met(end)[::-1],
            ["y = a + h", "h a y", "h stands before a", "An order of first meeting is not enough"],
        ),
        (
            lambda end: newest_first(end)[::-1],
            ["y = h + k", "h a k y", "h stands before a", "An order of first meeting is not enough"],
        ),
        (right_way, ["y = a * a", "y a", "the other way round"]),
        (with_repeats, ["y = a * a", "a a y", "in it twice"]),
        (lambda end: order(end)[:-1], ["Not in it: y"]),
        (lambda end: [node for node in order(end) if node.creators], ["Not in it: a"]),
        (lambda end: [node.data for node in order(end)], ["has 3 in it"]),
        (lambda end: [*order(end), Tensor(1)], ["has 1 in it"]),
        (lambda end: 5, ["An order is a list"]),
        (lambda end: reversed(right_way(end)), ["An order is a list", "put list(...) around it"]),
        (lambda end: dict.fromkeys(order(end)), ["An order is a list", "put list(...) around it"]),
        (lambda end: [*end.creators, order(end.creators[0])], ["has [3] in it"]),
        (
            lambda end: order(end) + list(end.creators[0].creators),
            ["NoneType", "A leaf's creators are None."],
        ),
        (lambda end: {}[end], ["KeyError", "before it was made"]),
        (lambda end, seen: order(end), ["yours takes (end, seen)"]),
        (by_number, ["k = a + a", "Not in it"]),
        (lambda end: [], ["empty"]),
        (without_seen, ["15 operations", "every path by itself"]),
        ([1, 2], ["A function is asked for"]),
    ],
)
@pytest.mark.parametrize("name", ["04 order", "04 chain"])
def test_order_names_the_mistake(name, listing, words):
    assert_wrong(check(name, listing), *words)


def test_equal_numbers_are_not_the_same_node():
    """In no graph of the check a is 0; here a + a equals a, and a list made by numbers loses it."""
    a = Tensor(0)
    assert len(by_number(a + a)) == 1
    assert len(order(a + a)) == 2


def test_the_chain_stops_a_recursion():
    verdict = check("04 chain", order)
    assert_wrong(verdict, "RecursionError", "5,000")
    assert sys.getrecursionlimit() < lesson_04.LONG


def test_the_chain_stops_what_looks_at_all_nodes_for_each_node():
    def slow(end):
        nodes = by_counting(end)
        for _ in nodes:
            for other in nodes:
                other.creators  # noqa: B018
        return nodes

    assert_wrong(check("04 chain", slow), "5,000 additions", "1,000,000 times")


def test_the_package_s_order_goes_through_a_chain_that_recursion_does_not():
    import autodiff as ad

    x = end = ad.Tensor(1)
    for _ in range(3000):
        end = end + x
    assert len(package_order(end)) == 3001
    end.backward()
    assert x.grad.data == 3001


# -- the picture --------------------------------------------------------------------------------------------


def test_the_picture_loses_the_paths_that_the_walk_loses(monkeypatch):
    import matplotlib.pyplot as plt

    shown = []

    def keep(**_):
        shown.extend((ax.get_title(), [t.get_text() for t in ax.texts]) for ax in plt.gcf().axes)

    monkeypatch.setattr(plt, "show", keep)
    names = {}
    exec(GRAPHS["laboratory"], {"Tensor": Tensor}, names)
    places = {"a": (0, 0), "h": (1, 0), "k": (2, 1), "m": (3, 0), "y": (4, 1)}
    listings = {"met": as_met, "nearest": nearest_first, "newest": newest_first, "right": right_way}
    plots.lost_paths(names, places, {title: listing(names["y"]) for title, listing in listings.items()})
    lost = {
        "met": "lost: y m k a, y m k h a (2 times), y m h a (2 times)",
        "nearest": "lost: y m k a, y m k h a (2 times)",
        "newest": "lost: y k h a (2 times), y m k h a (2 times)",
        "right": "no path is lost",
    }
    for (title, texts), (name, listing) in zip(shown, listings.items(), strict=True):
        reached = gradient(along(listing), GRAPHS["laboratory"])
        assert title == f"{name}: {reached} of 8 paths"
        assert lost[name] in texts
    assert not plt.get_fignums()
