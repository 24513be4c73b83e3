"""Lesson 05: the orders that it tries, the numbers they are known for, and the graphs on which each fails."""

from __future__ import annotations

import re
import sys
from base64 import b64decode
from html import unescape
from itertools import permutations, product

import pytest

import autodiff as ad
from autodiff.engine.backward import order as package_order
from autodiff_course import check, machine, plots
from autodiff_course.exercises import lesson_05
from autodiff_course.machine.judging import judge
from autodiff_course.machine.plan import find
from tests.course.stored import cells, lesson_path, prose, said

ENGINE = machine.after(5)
Tensor, RULES, order, value = ENGINE.Tensor, ENGINE.RULES, ENGINE.order, ENGINE.value


def cell_with(text):
    (cell,) = [cell for cell in cells(lesson_path("05")) if text in cell.source]
    return cell


# -- the stored notebook ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def visit_once", "visit once: 4\nnudge:      36.0\n"),
        ("for list_nodes in", "as_met         3 of 8\nnearest_first  5 of 8\n"),
        ("gradients(end)[x]", "32,768 in 16 visits\n50 doublings: 1,125,899,906,842,624 in 51 visits\n"),
        ("second time", "first time:  22\nsecond time: 44\n"),
        ("def backward_without_dict", "d 8   c 20   b 12   a 78\n"),
        ("range(5000)", "as_met: RecursionError\n"),
    ],
)
def test_the_numbers_of_the_lesson(source, words):
    assert said(cell_with(source)).endswith(words)


def test_the_paths_of_the_laboratory_are_those_in_the_prose():
    names = {}
    exec(GRAPHS["laboratory"], {"Tensor": Tensor}, names)
    letter = {node: name for name, node in names.items()}

    def paths(node):
        ends = [f"{letter[node]} {rest}" for creator in node.creators for rest in paths(creator)]
        return ends or [letter[node]]

    found = paths(names["y"])
    listed = [path + " (twice)" * (found.count(path) == 2) for path in dict.fromkeys(found)]
    assert len(found) == 8
    assert f"Eight paths lead back from y: {'; '.join(listed)}." in prose(lesson_path("05"))


def test_the_folded_order_keeps_the_rule():
    """All other orders that begin with y and end with a lose paths."""
    names = {}
    exec(GRAPHS["laboratory"], {"Tensor": Tensor}, names)
    a, h, k, m, y = (names[name] for name in "ahkmy")
    scope = {}
    exec(cell_with("def arrivals").source, scope)
    right = [nodes for nodes in permutations((m, k, h)) if scope["arrivals"]([y, *nodes, a])[a] == 8]
    assert right == [(m, k, h)]
    assert "y, m, k, h, a." in prose(lesson_path("05"))


def test_the_answer_of_the_prediction_is_folded():
    assert cell_with("second time").metadata["jupyter"]["outputs_hidden"]


@pytest.mark.parametrize(
    ("camera", "sums"),
    [
        ("film(y", ["1 + 4 = 5", "5 + 4 = 9", "18 + 18 = 36"]),
        ("compare(y", ["18 + 18 = 36"]),
    ],
)
def test_the_sums_are_seen_in_the_text_and_in_the_picture(camera, sums):
    (output,) = cell_with(camera).outputs
    page = re.sub("<style>.*?</style>", "", output.data["text/html"], flags=re.DOTALL)
    for svg in re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", page):
        page += re.sub("<[^>]*>", " ", unescape(b64decode(svg).decode()))
    for text in sums:
        assert text in output.data["text/plain"]
        assert text in re.sub(r"\s+", " ", page)


def test_the_interest_rate():
    lines = said(cell_with("power * power")).splitlines()
    assert float(lines[-1].split()[3]) == pytest.approx(2 ** (1 / 32), abs=1e-6)
    t = power = Tensor(1.0)
    for _ in range(5):
        power = power * power
    error = power + Tensor(-2)

    def calls(node):
        return 1 + sum(map(calls, node.creators))

    loss = error * error
    assert (len(order(loss)), calls(loss)) == (9, 131)
    assert t in order(loss)


# -- the walks that the lesson tries ------------------------------------------------------------------------


def contributions(node, grad):
    """Pairs of a creator and its contribution, when a node passes on grad."""
    z, *inputs = map(value, (node, *node.creators))
    for creator, rule in zip(node.creators, RULES[node.creation_op]):
        if isinstance(creator, Tensor):
            yield creator, rule(grad, z, *inputs)


def visit_once(node, grad=1):
    is_first = node.grad is None
    node.grad = grad if is_first else node.grad + grad
    if is_first:
        for creator, share in contributions(node, grad):
            visit_once(creator, share)


def as_met(end):
    nodes = {}

    def visit(node):
        if node not in nodes:
            nodes[node] = True
            for creator in node.creators:
                visit(creator)

    visit(end)
    return list(nodes)


def from_waiting_list(end, place):
    nodes, waiting = {}, [end]
    while waiting:
        node = waiting.pop(place)
        if node not in nodes:
            nodes[node] = True
            waiting.extend(node.creators)
    return list(nodes)


def nearest_first(end):
    return from_waiting_list(end, 0)


def newest_first(end):
    return from_waiting_list(end, -1)


def right_way(end):
    return order(end)[::-1]


def along(listing):
    """A backward that goes through a list of nodes."""

    def backward(end):
        arrived = {end: 1}
        for node in listing(end):
            for creator, share in contributions(node, arrived.get(node, 0)):
                arrived[creator] = arrived.get(creator, 0) + share
        for node, grad in arrived.items():
            node.grad = grad if node.grad is None else node.grad + grad

    return backward


def sums_in_grad(end):
    end.grad = 1
    for node in right_way(end):
        for creator, share in contributions(node, node.grad):
            creator.grad = (creator.grad or 0) + share


GRAPHS = {
    "e": "a = Tensor(2); b = a * Tensor(3); c = a + Tensor(2); d = b + Tensor(4); y = c * d",
    "h + h": "a = Tensor(5); h = a * Tensor(2); y = h + h",
    "h + h*h": "a = Tensor(2); h = a * a; y = h + h * h",
    "h*h + h": "a = Tensor(2); h = a * a; y = h * h + h",
    "laboratory": "a = Tensor(2); h = a + a; k = a + h; m = k + h; y = k + m",
    "h + k": "a = Tensor(3); h = a + a; k = h + a; y = h + k",
    "k + h": "a = Tensor(3); h = a + a; k = h + a; y = k + h",
}
WALKS = {
    "visit once": visit_once,
    "as met": along(as_met),
    "nearest first": along(nearest_first),
    "newest first": along(newest_first),
    "not reversed": along(order),
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
        ("visit once", [22, 2, 4, 16, 3, 3, 3]),
        ("as met", [22, 4, 4, 36, 3, 3, 5]),
        ("nearest first", [22, 4, 4, 36, 5, 3, 5]),
        ("newest first", [22, 4, 36, 4, 4, 5, 3]),
        ("not reversed", [0, 0, 0, 0, 0, 0, 0]),
    ],
)
def test_each_wrong_walk_gives_the_numbers_it_is_known_for(walk, numbers):
    assert [gradient(WALKS[walk], text) for text in GRAPHS.values()] == numbers


@pytest.mark.parametrize("walk", [along(right_way), sums_in_grad, ENGINE.backward])
def test_each_right_walk_is_right_the_first_time(walk):
    assert [gradient(walk, text) for text in GRAPHS.values()] == [22, 4, 36, 36, 8, 5, 5]


def test_the_second_walk_gives_78_or_44():
    assert gradient(sums_in_grad, GRAPHS["e"], calls=2) == 78
    assert gradient(ENGINE.backward, GRAPHS["e"], calls=2) == 44


def sums(operations):
    """The end of every graph of so many additions."""
    for steps in product(*(product(range(i + 1), repeat=2) for i in range(operations))):
        nodes = [Tensor(1)]
        for i, j in steps:
            nodes.append(nodes[i] + nodes[j])
        yield nodes[0], nodes[-1]


def arrives(listing, leaf, end):
    arrived = {end: 1}
    for node in listing(end):
        for creator in node.creators:
            arrived[creator] = arrived.get(creator, 0) + arrived[node]
    return arrived[leaf]


def test_with_four_additions_the_first_order_keeps_two_of_ten_paths_and_no_smaller_share():
    graphs = [(leaf, end) for leaf, end in sums(4) if leaf is not end]
    shares = {(arrives(as_met, leaf, end), arrives(right_way, leaf, end)) for leaf, end in graphs}
    assert min(shares, key=lambda pair: pair[0] / pair[1]) == (2, 10)


# -- the piece ----------------------------------------------------------------------------------------------

RECURSION = """
def order(end):
    nodes, seen = [], set()

    def visit(node):
        if isinstance(node, Tensor) and node not in seen:
            seen.add(node)
            for creator in node.creators:
                visit(creator)
            nodes.append(node)

    visit(end)
    return nodes
"""
COUNTING = (
    "def order(end):\n"
    + "\n".join(f"    {line}" for line in lesson_05.USES.strip("\n").splitlines())
    + "\n"
    + lesson_05.CHAIN.partition("def counted_order(end):")[2].replace("counted_order", "")
)


@pytest.mark.parametrize("code", [RECURSION, COUNTING], ids=["it calls itself", "it counts uses"])
def test_the_piece_accepts_every_right_order(code):
    verdict = judge(find("05 order"), code.strip(), {})
    assert verdict.status == "right", verdict


def test_an_order_that_imports_to_raise_the_limit_is_refused():
    higher = "    import sys\n    sys.setrecursionlimit(10**6)\n    visit(end)\n"
    code = RECURSION.strip().replace("    visit(end)\n", higher)
    verdict = judge(find("05 order"), code, {})
    assert verdict.status == "wrong"
    assert "It imports sys" in verdict.message


def test_a_creator_that_was_seen_is_listed():
    """The lesson's proof: in a recorded graph, a call of visit that is still running is for no creator."""
    running, listed = [], set()

    def visit(node):
        assert node not in running
        if node not in listed:
            running.append(node)
            for creator in node.creators:
                visit(creator)
            running.pop()
            assert listed.issuperset(node.creators)
            listed.add(node)

    for _, end in sums(4):
        visit(end)


@pytest.mark.parametrize(("tensor", "listing"), [(Tensor, order), (ad.Tensor, package_order)])
def test_the_reference_and_the_package_go_through_a_chain_that_recursion_does_not(tensor, listing):
    x = end = tensor(1)
    for _ in range(20_000):
        end = end + x
    assert len(listing(end)) == 20_001


# -- the exercises ------------------------------------------------------------------------------------------


def count_users(end):
    """The mistake: in a * a, one user of a is counted. On the way back one is taken off for each edge."""
    users, waiting = {end: 0}, [end]
    while waiting:
        for creator in {c for c in waiting.pop().creators if isinstance(c, Tensor)}:
            if creator not in users:
                users[creator] = 0
                waiting.append(creator)
            users[creator] += 1
    return users


def in_turn(place, turn):
    """An order that counts users, takes the next from one end of the list, and sees edges in one turn."""

    def listing(end):
        left, nodes, ready = count_users(end), [], [end]
        while ready:
            nodes.append(ready.pop(place))
            for creator in [c for c in nodes[-1].creators if isinstance(c, Tensor)][::turn]:
                left[creator] -= 1
                if left[creator] == 0:
                    ready.append(creator)
        return nodes[::-1]

    return listing


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize("turn", [1, -1])
def test_counting_users_is_caught_in_every_turn(place, turn):
    verdict = check("05 chain", in_turn(place, turn))
    assert verdict.status == "wrong"
    assert "edges" in verdict.message


def test_a_recursion_in_another_cell_is_seen_when_the_limit_is_high():
    names = {"Tensor": Tensor}
    exec(compile(RECURSION.replace("def order", "def helper"), "another cell", "exec"), names)
    exec("def counted_order(end):\n    return helper(end)", names)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        verdict = check("05 chain", names["counted_order"])
    finally:
        sys.setrecursionlimit(before)
    assert verdict.status == "wrong"
    assert "whatever the limit is" in verdict.message


def test_the_check_leaves_python_s_limit_as_it_was():
    def raising(end):
        sys.setrecursionlimit(sys.getrecursionlimit() + 1)
        return [end]

    before = sys.getrecursionlimit()
    check("05 chain", raising)
    assert sys.getrecursionlimit() == before
    assert sys.getprofile() is None


@pytest.mark.parametrize("text", lesson_05.GRAPHS)
def test_the_checks_graphs_have_an_order(text):
    end = list(lesson_05.build(order, text).values())[-1]
    assert set(order(end)) == set(lesson_05.COUNTS.answer(order)(end))


# -- the picture --------------------------------------------------------------------------------------------


def test_the_picture_loses_the_paths_that_the_walk_loses(monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    shown = []

    def keep(**_):
        shown.extend((ax.get_title(), [t.get_text() for t in ax.texts]) for ax in plt.gcf().axes)

    monkeypatch.setattr(plt, "show", keep)
    names = {}
    exec(GRAPHS["laboratory"], {"Tensor": Tensor}, names)
    listings = {"met": as_met, "nearest": nearest_first, "newest": newest_first, "right": right_way}
    orders = {title: listing(names["y"]) for title, listing in listings.items()}
    plots.lost_paths(names, plots.LABORATORY, orders)
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
