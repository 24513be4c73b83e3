"""Lesson 03: its checks against right answers, stubs and planted mistakes; its engine and its numbers."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from autodiff.lessons import after_03, after_05, after_07, check, hint, plots
from autodiff.lessons.after_03 import RULES, Tensor
from autodiff.lessons.checking import EXERCISES
from autodiff.lessons.exercises import lesson_03
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "03_walking_back.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def assert_wrong(verdict, *words):
    assert verdict.status == "wrong", verdict
    for word in words:
        assert word in verdict.message


# -- the stored notebooks -----------------------------------------------------------------------------------

EXERCISES_OF_03 = {"03 mul", "03 predict", "03 nudge"}


@pytest.mark.parametrize(
    ("path", "starts"), [(LESSON, "Not done yet"), (SOLUTIONS, "Right.")], ids=["lesson", "solutions"]
)
def test_every_exercise_is_in_the_notebook(path, starts):
    for name in EXERCISES_OF_03:
        (cell,) = [cell for cell in cells(path) if f'check("{name}"' in cell.source]
        assert said(cell).startswith(starts), name


def test_the_lesson_s_own_backward_passes_its_check():
    (cell,) = [cell for cell in cells(LESSON) if 'check("03 backward"' in cell.source]
    assert said(cell).startswith("Right.")


def test_the_lesson_s_engine_is_the_snapshot_s():
    snapshot = ast.parse(inspect.getsource(after_03)).body
    rules = [cell.source for cell in cells(LESSON) if cell.source.startswith("RULES = {")][-1]
    walk = next(cell.source for cell in cells(LESSON) if cell.source.startswith("def backward"))
    assert ast.dump(ast.parse(rules).body[0]) == ast.dump(snapshot[-2])
    assert ast.dump(ast.parse(walk).body[0]) == ast.dump(snapshot[-1])


@pytest.mark.filterwarnings("ignore")  # whatever PyTorch warns of while it is imported
def test_pytorch_keeps_the_gradient_of_an_interior_node_on_request_only():
    torch = pytest.importorskip("torch")
    x = torch.tensor(2.0, requires_grad=True)
    c = x + 2
    e = c * 10
    e.backward(retain_graph=True)
    assert c.grad is None
    c.retain_grad()
    e.backward()
    assert c.grad.item() == 10


def test_the_numbers_in_the_prose():
    nodes = lesson_03.lesson_nodes(2, 2)
    after_03.backward(nodes["e"])
    gradients = {name: node.grad for name, node in nodes.items()}
    assert gradients == {"x": 10, "y": 12, "b": 4, "c": 10, "d": 4, "e": 1}
    three = nodes["b"].creators[1]
    assert (three.data, three.grad) == (3, 8)
    assert len(after_05.order(nodes["e"])) - 1 == 8  # what the walk found besides e's own
    assert 2 * 4 + 4 + 4 + 1 == 17  # the weights and biases of lesson 08's network of 2, 4 and 1


# -- right answers, and stubs -------------------------------------------------------------------------------


def nudge_check(f, values, backward):
    leaves = [Tensor(value) for value in values]
    backward(f(*leaves))
    for i, leaf in enumerate(leaves):
        ends = []
        for h in (0.001, -0.001):
            moved = [Tensor(value + h * (i == j)) for j, value in enumerate(values)]
            ends.append(f(*moved).data)
        if abs((ends[0] - ends[1]) / 0.002 - leaf.grad) > 0.001:
            return False
    return True


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("03 mul", RULES["mul"]),
        ("03 mul", (RULES["mul"],)),  # as a pair
        ("03 predict", ((49, 7, 21),)),
        ("03 predict", ([Tensor(49), 7.0, 21],)),
        ("03 nudge", (nudge_check,)),
        ("03 backward", (after_03.backward,)),
        ("03 backward", (after_05.backward,)),
        ("03 backward", (after_07.backward,)),
    ],
)
def test_a_right_answer_passes(name, answer):
    verdict = check(name, *answer)
    assert verdict.status == "right", verdict


def nothing(*_):
    return None


@pytest.mark.parametrize(
    ("name", "stub"),
    [
        ("03 mul", (nothing, nothing)),
        ("03 mul", (lambda grad, z, x, y: None, lambda grad, z, x, y: None)),
        ("03 mul", (RULES["mul"][0], lambda grad, z, x, y: None)),
        ("03 mul", (RULES["mul"][0], None)),
        ("03 predict", (None,)),
        ("03 predict", ((49, None, None),)),
        ("03 nudge", (nothing,)),
        ("03 backward", (nothing,)),
    ],
)
def test_a_stub_is_not_done_yet(name, stub):
    stubs = [(lambda grad, z, x, y: None) if part is nothing and name == "03 mul" else part for part in stub]
    verdict = check(name, *stubs)
    assert verdict.status == "not done yet", verdict


@pytest.mark.parametrize("name", [*sorted(EXERCISES_OF_03), "03 backward"])
def test_every_exercise_has_three_hints(name):
    assert str(hint(name, 3)).startswith("Hint 3 of 3")
    assert name in EXERCISES


# -- planted mistakes: the rules of mul ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("to_x", "to_y", "words"),
    [
        (
            lambda g, z, x, y: g * x,
            lambda g, z, x, y: g * y,
            ["give 5 and 7", "Each creator got its own value"],
        ),
        (lambda g, z, x, y: y, lambda g, z, x, y: x, ["gradient 2 above", "still give 7 and 5", "dropped"]),
        (lambda g, z, x, y: g + y, lambda g, z, x, y: g + x, ["8 and 6", "multiplied, not added"]),
        (lambda g, z, x, y: g, lambda g, z, x, y: g, ["1 and 1", "the rule of add"]),
        (lambda g, z, x, y: g * z, lambda g, z, x, y: g * z, ["35 is z"]),
        (lambda g, z, x, y: g * z / x, lambda g, z, x, y: g * z / y, ["x = 0", "divide by zero"]),
        (
            lambda g, z, x, y: g * y,
            lambda g, z, x, y: g * y,
            ["give 7 and 7", "What goes to x is right", "other one, x"],
        ),
        (
            lambda g, z, x, y: g * x,
            lambda g, z, x, y: g * x,
            ["give 5 and 5", "What goes to y is right", "other one, y"],
        ),
        (lambda g, z, x, y: g * g * y, lambda g, z, x, y: g * g * x, ["28 and 20", "right is 14 and 10"]),
        (lambda g, y: g * y, lambda g, x: g * x, ["takes four numbers"]),
        (7, 5, ["A function is asked for"]),
        (lambda g, z, x, y: "y", lambda g, z, x, y: "x", ["A number is asked for"]),
    ],
)
def test_mul_names_the_mistake(to_x, to_y, words):
    assert_wrong(check("03 mul", to_x, to_y), *words)


# -- planted mistakes: backward -----------------------------------------------------------------------------


def walk_with(**rows):
    """The lesson's walk, with other rules, as they would be if the reader's table were wrong."""
    rules = {**RULES, **rows}

    def backward(node, grad=1):
        node.grad = grad
        if node.creators is not None:
            values = [creator.data for creator in node.creators]
            for creator, rule in zip(node.creators, rules[node.creation_op]):
                backward(creator, rule(grad, node.data, *values))

    return backward


SWAPPED = walk_with(mul=(lambda g, z, x, y: g * x, lambda g, z, x, y: g * y))
MUL_DROPS = walk_with(mul=(lambda g, z, x, y: y, lambda g, z, x, y: x))
ADD_DROPS = walk_with(add=(lambda g, z, x, y: 1, lambda g, z, x, y: 1))
ADDED = walk_with(mul=(lambda g, z, x, y: g + y, lambda g, z, x, y: g + x))


@pytest.mark.parametrize(
    ("walk", "x", "y"), [(SWAPPED, 4, 20), (MUL_DROPS, 10, 3), (ADD_DROPS, 1, 3), (ADDED, 11, 8)]
)
def test_the_planted_walks_give_the_wrong_numbers_they_are_known_for(walk, x, y):
    nodes = lesson_03.lesson_nodes(2, 2)
    walk(nodes["e"])
    assert (nodes["x"].grad, nodes["y"].grad) == (x, y)


def first_creator_only(node, grad=1):
    node.grad = grad
    if node.creators is not None:
        rule = RULES[node.creation_op][0]
        first_creator_only(node.creators[0], rule(grad, node.data, *[c.data for c in node.creators]))


def leaves_only(node, grad=1):
    if node.creators is None:
        node.grad = grad
    else:
        values = [creator.data for creator in node.creators]
        for creator, rule in zip(node.creators, RULES[node.creation_op]):
            leaves_only(creator, rule(grad, node.data, *values))


def one_step(node):
    node.grad = 1
    values = [creator.data for creator in node.creators or ()]
    for creator, rule in zip(node.creators or (), RULES.get(node.creation_op, ())):
        creator.grad = rule(1, node.data, *values)


def two_levels(node, grad=1, level=0):
    """Two operations away from the end the gradient above is dropped."""
    node.grad = grad
    if node.creators is not None:
        values = [creator.data for creator in node.creators]
        for creator, rule in zip(node.creators, RULES[node.creation_op]):
            two_levels(creator, rule(grad if level < 2 else 1, node.data, *values), level + 1)


def nothing_inside(node, grad=1):
    """The right numbers for one operation; a result that is used again gets 0."""
    after_03.backward(node, grad)
    for creator in node.creators or ():
        if creator.creators is not None:
            nothing_inside(creator, 0)


def no_leaf(node, grad=1):
    node.grad = grad
    for creator, rule in zip(node.creators, RULES[node.creation_op]):
        no_leaf(creator, rule(grad, node.data, *[c.data for c in node.creators]))


@pytest.mark.parametrize(
    ("walk", "words"),
    [
        (SWAPPED, ["x * y at x = 5, y = 7", "gradients 5 and 7", "its own value"]),
        (MUL_DROPS, ["(x * y) * z", "3, 2 and 6", "drops the gradient"]),
        (ADD_DROPS, ["(x + y) * z", "1, 1 and 5", "passes on 1"]),
        (ADDED, ["x * y at x = 5, y = 7", "8 and 6", "added"]),
        (walk_with(mul=RULES["add"]), ["1 and 1", "treated like a sum"]),
        (walk_with(add=RULES["mul"]), ["x + y", "treated like a product"]),
        (first_creator_only, ["the 7 in x + y", "None"]),
        (leaves_only, ["the end", "None"]),
        (one_step, ["(x + y) * z", "None"]),
        (no_leaf, ["single leaf", "creators are None"]),
        (two_levels, ["e = (x + 2)(3y + 4)", "give y the gradient 3, and right is 12"]),
        (lambda end: setattr(end, "grad", 1), ["None"]),
        (12, ["A function is asked for"]),
    ],
)
def test_backward_names_the_mistake(walk, words):
    assert_wrong(check("03 backward", walk), *words)


@pytest.mark.parametrize(
    ("walk", "said"),
    [
        (SWAPPED, None),  # found on x * y, where the way back has one step
        (ADDED, None),
        (MUL_DROPS, "the gradient of y is 2 and should be 10: 10 arrives from x * y."),
        (ADD_DROPS, "the gradient of y is 1 and should be 5: 5 arrives from x + y."),
        (nothing_inside, "the gradient of x + y is 0 and should be 5: 5 arrives from (x + y) * z."),
        (two_levels, "the gradient of the 3 in b is 2 and should be 8: 8 arrives from b."),
    ],
)
def test_backward_names_the_first_node_that_goes_wrong(walk, said):
    _, _, last = check("03 backward", walk).message.partition("Walking back, this is the first to go wrong: ")
    assert (last or None) == said


# -- planted mistakes: the prediction, and the nudge check --------------------------------------------------


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        ((40, 10, 12), ["Forward first"]),
        ((49, 10, 12), ["belong to x = 2, y = 2"]),
        ((49, 21, 7), ["wrong way round"]),
        ((49, 7, 7), ["one more arrow"]),
        ((49, 8, 11), ["added the slopes"]),
        ((49, 7, 11), ["added the slopes"]),
        ((49, 7, 10), ["added 7 and 3"]),
        ((49, 1, 3), ["last local slopes alone"]),
        ((49, 5, 1), ["values of x and y"]),
        ((49, 2, 2), ["multiply the local slopes"]),
        (49, ["Three numbers"]),
        ((49, "seven", 21), ["A number is asked for"]),
    ],
)
def test_predict_names_the_mistake(guess, words):
    assert_wrong(check("03 predict", guess), *words)


def compared(f, values, backward, close):
    """A nudge check with another idea of when two numbers agree."""
    leaves = [Tensor(value) for value in values]
    backward(f(*leaves))
    slopes = []
    for i in range(len(values)):
        ends = [f(*[Tensor(v + h * (i == j)) for j, v in enumerate(values)]).data for h in (0.001, -0.001)]
        slopes.append((ends[0] - ends[1]) / 0.002)
    return close(slopes, [leaf.grad for leaf in leaves])


def forward_only(f, values, backward):
    return f(*map(Tensor, values)).data is not None


def backward_proves_itself(f, values, backward):
    leaves = [Tensor(value) for value in values]
    backward(f(*leaves))
    again = [Tensor(value) for value in values]
    backward(f(*again))
    return [leaf.grad for leaf in leaves] == [leaf.grad for leaf in again]


def plain_floats(f, values, backward):
    leaves = [Tensor(value) for value in values]
    backward(f(*leaves))
    for i, leaf in enumerate(leaves):
        ends = [f(*[v + h * (i == j) for j, v in enumerate(values)]) for h in (0.001, -0.001)]
        if abs((ends[0] - ends[1]) / 0.002 - leaf.grad) > 0.001:
            return False
    return True


def without_a_star(f, values, backward):
    backward(f([Tensor(value) for value in values]))


def minus_on_tensors(f, values, backward):
    up, down = ([Tensor(value + h) for value in values] for h in (0.001, -0.001))
    return (f(*up) - f(*down)).data < 1


def nudged_after_the_tensor(f, values, backward):
    return f(*[Tensor(value) + 0.001 for value in values]).data < 1


def nudged_before_a_tensor(f, values, backward):
    return f(*[0.001 + Tensor(value) for value in values]).data < 1


def grad_is_no_tensor(f, values, backward):
    leaves = [Tensor(value) for value in values]
    backward(f(*leaves))
    return leaves[0].grad.data < 1


def same_list(f, values, backward):
    leaves = [Tensor(value) for value in values]
    backward(f(*leaves))
    for i, leaf in enumerate(leaves):
        up = values
        up[i] += 0.001
        above = f(*map(Tensor, up)).data
        down = values
        down[i] -= 0.001
        below = f(*map(Tensor, down)).data
        if abs((above - below) / 0.002 - leaf.grad) > 0.001:
            return False
    return True


def same_list_at_once(f, values, backward):
    leaves = [Tensor(value) for value in values]
    backward(f(*leaves))
    for i, leaf in enumerate(leaves):
        up = down = values
        up[i] += 0.001
        down[i] -= 0.001
        if abs((f(*map(Tensor, up)).data - f(*map(Tensor, down)).data) / 0.002 - leaf.grad) > 0.001:
            return False
    return True


def same_list_one_way(f, values, backward):
    leaves = [Tensor(value) for value in values]
    end = f(*leaves)
    backward(end)
    for i, leaf in enumerate(leaves):
        up = values
        up[i] += 0.001
        if abs((f(*map(Tensor, up)).data - end.data) / 0.001 - leaf.grad) > 0.001:
            return False
    return True


def changed_for_good(f, values, backward):
    answer = nudge_check(f, list(values), backward)
    values[:] = [value + 1 for value in values]
    return answer


def every_leaf_of_the_graph(f, values, backward):
    end = f(*[Tensor(value) for value in values])
    backward(end)
    found = [node for node in after_05.order(end) if node.creators is None]
    return len(found) == len(values) and nudge_check(f, values, backward)


CLOSE = {
    "divided by one nudge": lambda slopes, grads: all(abs(2 * s - g) < 0.001 for s, g in zip(slopes, grads)),
    "all at once": lambda slopes, grads: abs(sum(slopes) - sum(grads)) < 0.001,
    "first leaf only": lambda slopes, grads: abs(slopes[0] - grads[0]) < 0.001,
    "last leaf only": lambda slopes, grads: abs(slopes[-1] - grads[-1]) < 0.001,
    "without abs": lambda slopes, grads: all(s - g < 0.001 for s, g in zip(slopes, grads)),
    "without abs, turned": lambda slopes, grads: all(g - s < 0.001 for s, g in zip(slopes, grads)),
    "no sign": lambda slopes, grads: all(abs(abs(s) - abs(g)) < 0.001 for s, g in zip(slopes, grads)),
    "equal": lambda slopes, grads: slopes == grads,
    "far too lenient": lambda slopes, grads: all(abs(s - g) < 1 for s, g in zip(slopes, grads)),
    "turned round": lambda slopes, grads: any(abs(s - g) > 0.001 for s, g in zip(slopes, grads)),
    "a number": lambda slopes, grads: max(abs(s - g) for s, g in zip(slopes, grads)),
}


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (forward_only, ["5 and 7", "The forward number"]),
        (backward_proves_itself, ["5 and 7", "nudge each leaf by itself"]),
        ("all at once", ["5 and 7", "nudge each leaf by itself"]),
        ("first leaf only", ["7 and 5.05", "after the first leaf"]),
        ("last leaf only", ["7.07 and 5", "every leaf"]),
        ("without abs", ["too large", "abs"]),
        ("without abs, turned", ["too small", "abs"]),
        ("no sign", ["-7 and 5", "sign"]),
        ("equal", ["closer than 0.001", "not whether they are equal"]),
        ("far too lenient", ["7.07 and 5", "no more than 0.001"]),
        ("turned round", ["exchange the two"]),
        ("a number", ["True or False"]),
        (plain_floats, ["f takes Tensors", "read .data of the result"]),
        (without_a_star, ["one by one: f(*leaves)"]),
        (minus_on_tensors, ["-: 'Tensor' and 'Tensor'", "no minus yet: take .data first"]),
        (nudged_after_the_tensor, ["no attribute 'data'", "Nudge the plain number first"]),
        (nudged_before_a_tensor, ["'float' and 'Tensor'", "Nudge the plain number first"]),
        (same_list, ["far off", "`up = values` is the same list"]),
        (same_list_at_once, ["far off", "`up = values` is the same list"]),
        (same_list_one_way, ["far off", "`up = values` is the same list"]),
        (changed_for_good, ["values came back changed, from [5, 7] to [6, 8]", "nudge a copy"]),
        ("divided by one nudge", ["twice the right one", "0.002"]),
        (every_leaf_of_the_graph, ["For (x + 2) * (y * 3 + 4) at 2 and 2", "made from `values`"]),
        (True, ["A function is asked for"]),
    ],
)
def test_nudge_names_the_mistake(function, words):
    if function in CLOSE:
        close = CLOSE[function]
        assert_wrong(check("03 nudge", lambda f, values, walk: compared(f, values, walk, close)), *words)
    else:
        assert_wrong(check("03 nudge", function), *words)


def test_data_of_a_plain_gradient_is_not_taken_for_a_nudge_that_came_too_late():
    verdict = check("03 nudge", grad_is_no_tensor)
    assert_wrong(verdict, "no attribute 'data'")
    assert "Nudge the plain number" not in verdict.message


# -- the picture --------------------------------------------------------------------------------------------


def test_the_picture_writes_the_products_that_the_walk_carried(monkeypatch):
    import matplotlib.pyplot as plt

    shown = []
    monkeypatch.setattr(plt, "show", lambda **_: shown.extend(t.get_text() for t in plt.gca().texts))
    nodes = lesson_03.lesson_nodes(2, 2)
    after_03.backward(nodes["e"])
    plots.walk_back(nodes, plots.TWO_WAYS, RULES)
    products = sorted(words for words in shown if "=" in words)
    assert products == ["1 × 10 = 10", "1 × 4 = 4", "10 × 1 = 10", "4 × 1 = 4", "4 × 3 = 12"]
    assert {"gradient 12", "gradient 1"} < set(shown)
    assert not plt.get_fignums()
