"""Names from the caller's variables: which one a node gets, in every place a caller can stand."""

from __future__ import annotations

import weakref
from types import SimpleNamespace

import pytest

import autodiff as ad
from autodiff.draw import draw
from tests.draw.readers import Tensor, made

common = Tensor(5)
shared = Tensor(6)


def rows(drawing):
    return [line.split("  ")[0] for line in str(drawing).splitlines()[1:]]


def run(source, **variables):
    """Run source as a module of its own; it leaves a drawing in `seen`."""
    scope = {"__name__": "a_script", "Tensor": Tensor, "made": made, "draw": draw, **variables}
    exec(compile(source, "a_script.py", "exec"), scope)
    return scope


def test_locals_then_globals():
    x = Tensor(1)
    local = shared
    assert rows(draw((x + common) * local)) == ["x", "common", "v2 = x + common", "local", "v4 = v2 * local"]


def test_a_local_hides_the_global_of_the_same_name():
    hidden = common

    def inner():
        common = Tensor(7)
        return rows(draw(common + hidden))

    assert inner() == ["common", "hidden", "v2 = common + hidden"]

    def without_another_name():
        common = Tensor(7)
        return rows(draw(common + globals()["common"]))

    assert without_another_name() == ["common", "v1", "v2 = common + v1"]

    def hidden_by_something_else():
        common = 3
        return rows(draw(globals()["common"] + Tensor(common)))

    assert hidden_by_something_else()[0] == "v0"


def test_a_given_name_wins():
    x = made(None, 1, name="weight")
    y = made(None, 1, name="  ")
    z = made(None, 1, name=3)
    assert rows(draw(made("sum", 3, x, y, z))) == ["weight", "y", "z", "v3 = sum(weight, y, z)"]
    w = ad.Tensor(1.0, name="the weight")
    assert rows(draw(w * 2)) == ["the weight", "v1 = the weight * 2"]


def test_no_two_nodes_share_a_name():
    x = made(None, 1, name="w")
    w = made(None, 1)
    y = made(None, 1, name="w")
    assert rows(draw(made("sum", 3, x, w, y))) == ["w", "v1", "w#2", "v3 = sum(w, v1, w#2)"]


def test_stand_ins_differ_from_names():
    v0 = Tensor(1)
    assert rows(draw(v0 + Tensor(2))) == ["v0", "t1", "t2 = v0 + t1"]


def test_the_first_of_two_variables():
    scope = run("b = Tensor(1)\na = b\nseen = draw(a + a)")
    assert rows(scope["seen"])[0] == "b"


def test_names_nobody_gave_are_skipped():
    source = "_ = _5 = _hidden = Tensor(1)\nOut = {5: _}\nIn = [_]\nexit = _\nseen = draw(_ + _)"
    assert rows(run(source)["seen"])[0] == "v0"


def test_modules_classes_and_functions_are_not_looked_into():
    x = Tensor(1)
    run.node = x
    try:
        assert rows(draw(x + x))[0] == "x"
        assert rows(draw(run.node + Tensor(2)))[0] == "x"
        del x
        assert rows(draw(run.node + Tensor(2)))[0] == "v0"
    finally:
        del run.node


def test_attributes_and_elements():
    net = SimpleNamespace(b=Tensor(1), _secret=Tensor(2))
    w = [Tensor(3), Tensor(4)]
    grid = [[Tensor(5)], (Tensor(6), Tensor(7))]
    table = {"k": Tensor(8), 2: Tensor(9)}
    nodes = [net.b, net._secret, w[1], grid[0][0], grid[1][1], table["k"], table[2]]
    end = made("sum", 0, *nodes)
    del nodes
    assert rows(draw(end))[:-1] == [
        "net.b",
        "v1",
        "w[1]",
        "grid[0][0]",
        "grid[1][1]",
        "table['k']",
        "table[2]",
    ]


def test_one_level_deep_two_for_lists():
    net = SimpleNamespace(layer=SimpleNamespace(w=Tensor(1)))
    deep = [[[Tensor(2)]]]
    assert rows(draw(net.layer.w + deep[0][0][0]))[:2] == ["v0", "v1"]


def test_slots_and_self():
    class Neuron:
        __slots__ = ("b", "unset", "w")

        def __init__(self):
            self.w = Tensor(1)
            self.b = Tensor(2)

        def picture(self):
            return draw(self.w + self.b)

    assert rows(Neuron().picture()) == ["self.w", "self.b", "v2 = self.w + self.b"]


def test_a_plain_name_wins_over_a_place():
    weights = [Tensor(1), Tensor(2)]
    second = weights[1]
    assert rows(draw(weights[0] + second)) == ["weights[0]", "second", "v2 = weights[0] + second"]


def test_a_loop_variable_gives_way_to_an_element():
    weights = [Tensor(1), Tensor(2)]
    for w in weights:
        last = draw(w + weights[0])
    assert rows(last) == ["weights[1]", "weights[0]", "v2 = weights[1] + weights[0]"]
    for i, (w, _) in enumerate(zip(weights, "ab")):
        last = draw(w + weights[1 - i])
    assert rows(last)[:2] == ["weights[1]", "weights[0]"]


def test_a_loop_variable_without_a_list_keeps_its_name():
    for w in (Tensor(1), Tensor(2)):
        last = draw(w + w)
    assert rows(last)[0] == "w"


def test_a_loop_variable_of_a_module_gives_way_inside_its_functions():
    source = """
weights = [Tensor(1), Tensor(2)]
for w in weights:
    pass
alias = weights[0]
def picture():
    return draw(alias + w)
seen = picture()
"""
    assert rows(run(source)["seen"])[:2] == ["alias", "weights[1]"]


def test_a_loop_in_an_earlier_cell():
    cells = ["", "%matplotlib inline", "for i, w in enumerate(weights):\n    pass"]
    weights = [Tensor(1), Tensor(2)]
    source = "seen = draw(weights[0] + w)"
    assert rows(run(source, weights=weights, w=weights[1], In=cells)["seen"])[:2] == [
        "weights[0]",
        "weights[1]",
    ]
    assert rows(run(source, weights=weights, w=weights[1], In=cells[:2])["seen"])[:2] == ["weights[0]", "w"]


def test_comprehensions_see_what_surrounds_them():
    a, b = Tensor(1), Tensor(2)
    pictures = [draw(x + b) for x in [a]]
    assert rows(pictures[0])[:2] == ["a", "b"]
    assert rows(next(draw(x + b) for x in [a]))[:2] == ["a", "b"]
    nested = [[draw(x + y) for y in [b]] for x in [a]]
    assert rows(nested[0][0])[:2] == ["a", "b"]
    scope = run("a = Tensor(1)\nb = Tensor(2)\nseen = [draw(x + b) for x in [a]][0]")
    assert rows(scope["seen"])[:2] == ["x", "b"], "a local name comes before a global one"
    weights = [Tensor(1), Tensor(2)]
    assert rows([draw(w + w) for w in weights][1])[0] == "weights[1]"


def test_a_comprehension_s_names_come_after_those_around_it():
    """From Python 3.12 on a comprehension runs in the frame around it, which lists its names in any order."""
    a, b = Tensor(1), Tensor(2)
    keep = lambda: (a, b)  # a function that uses them moves them behind all others
    for pictures in (
        [draw(x + y) for x in [a] for y in [b]],
        [draw(x + y) for x, y in zip([a], [b], strict=True)],
        [draw(x + y) for x in [a] if x is a for y in [b] if y is b],
        list({draw(x + y) for x in [a] for y in [b]}),
        list({id(x): draw(x + y) for x in [a] for y in [b]}.values()),
        *([draw(x + y) for y in [b]] for x in [a]),
        [draw(x + y) for x in [a] for y in [y for y in [b, a] if y is b]],
        [*(draw(x + y) for x in [a] for y in [b])],
    ):
        assert rows(pictures[0])[:2] == ["a", "b"]
    assert keep() == (a, b)


def test_a_name_that_a_comprehension_has_given_back():
    first = Tensor(1)
    assert [first + 0 for first in [3]] == [3]
    second = first
    assert rows(draw(second + second))[0] == "first"


def test_a_comprehension_s_name_that_a_function_uses_elsewhere():
    """Python 3.13.0 to 3.13.2 end the process when such a variable is read."""
    a, b = Tensor(1), Tensor(2)
    pictures = [draw(x + b) for x in [a]]
    assert [lambda: x for x in [a]][0]() is a  # noqa: RUF015, B023
    assert rows(pictures[0])[:2] == ["a", "b"]


def test_lambdas_nested_functions_and_exec():
    a = Tensor(1)
    picture = lambda: draw(a + a)
    assert rows(picture())[0] == "a"
    local = {}
    exec("b = Tensor(1)\nseen = draw(b + b)", {"Tensor": Tensor, "draw": draw}, local)
    assert rows(local["seen"])[0] == "b"


def test_a_class_body():
    class Body:
        inner = Tensor(1)
        seen = draw(inner + inner)

    assert rows(Body.seen)[0] == "inner"


def test_the_gradient_of_a_node_is_no_container():
    x = Tensor(1)
    x.grad = Tensor(2)
    assert rows(draw(x.grad + Tensor(3)))[0] == "v0"


def test_names_are_read_once():
    x = Tensor(1)
    drawing = draw(x + x)
    del x
    y = drawing
    assert rows(y)[0] == "x"


def test_large_containers_are_looked_at_only_so_far():
    many = [Tensor(0) for _ in range(3_000)]
    assert rows(draw(many[999] + many[1_000]))[:2] == ["many[999]", "v1"]
    filler = [[0] * 1_000] * 1_000  # a million places, of which the first hundred thousand are looked at
    late = [Tensor(1)]
    assert rows(draw(late[0] + late[0]))[0] == "v0"
    assert filler


def test_hostile_objects_in_scope_do_no_harm():
    class Hostile:
        def __getattribute__(self, name):
            raise RuntimeError(name)

        def __eq__(self, other):
            raise RuntimeError

        __hash__ = None

    hostile = Hostile()
    x = Tensor(1)
    assert rows(draw(x + x))[0] == "x"
    assert type(hostile) is Hostile


def test_the_graph_is_not_kept_alive():
    def picture():
        x = Tensor(1)
        return weakref.ref(x), draw(x + x)

    node, drawing = picture()
    assert node() is None
    assert rows(drawing)[0] == "x"


@pytest.mark.parametrize("name", ["two\nlines", "tab\there", "bell\x07"])
def test_a_given_name_stays_on_its_row(name):
    drawing = draw(made(None, 1, name=name))
    assert len(str(drawing).splitlines()) == 2
    assert drawing.svg is not None


shared_weight = ad.Tensor(2.0)


def test_a_local_is_not_passed_over_for_a_global_of_the_same_name():
    def names_inside(shared_weight):
        alias = shared_weight
        return str(draw(alias * 2))

    assert "shared_weight" in names_inside(shared_weight)
    assert "alias" not in names_inside(shared_weight)
