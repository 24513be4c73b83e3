"""After a step of an optimizer a drawing tells the new values from what was computed before."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn, optim

SAYS = "changed since the calculation: "


def loss_of(w, b):
    return (w * 2 + b - 1) ** 2


def set_data(w):
    w.data = w.data - 0.5


def set_part(w):
    w[0] = 7.0


def step(w):
    w.grad = np.ones_like(w.data)
    optim.SGD([w], lr=0.1).step()


@pytest.mark.parametrize("change", [set_data, set_part, step])
def test_a_changed_leaf_and_what_was_computed_before_say_so(change):
    w, b = ad.Tensor(np.array([3.0, 4.0]), name="w"), ad.Tensor(1.0, name="b")
    loss = loss_of(w, b)
    before = ad.draw(loss)
    assert SAYS not in str(before)
    assert "from before" not in before.svg
    with ad.no_grad():
        change(w)
    drawing = ad.draw(loss)
    assert str(drawing).splitlines()[-1] == f"{SAYS}w; what it computed is from before"
    ages = {node.name: node.age for node in drawing._graph.nodes}
    assert ages.pop("w") == "changed since"
    assert ages.pop("b") == ""
    assert set(ages.values()) == {"from before"}
    assert drawing.svg.count(">changed since<") == 1
    assert drawing.svg.count(">from before<") == len(ages)
    assert SAYS in drawing.svg
    assert SAYS in drawing.description or SAYS.capitalize() in drawing.description


def test_calculated_again_nothing_is_old():
    w, b = ad.Tensor(3.0, name="w"), ad.Tensor(1.0, name="b")
    old = loss_of(w, b)
    w.data = 4.0
    assert SAYS not in str(ad.draw(loss_of(w, b)))
    both = ad.draw(old + loss_of(w, b))
    assert {node.age for node in both._graph.nodes if node.operation} == {"", "from before"}
    aside = ad.Tensor(1.0)
    y = b * 2
    aside.data = 2.0
    assert SAYS not in str(ad.draw(y)), "another Tensor was changed"


def test_where_the_changed_parameters_are_folded_the_rest_says_it():
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    loss = (net(ad.Tensor(np.ones((4, 2)))) ** 2).mean()
    loss.backward()
    optim.SGD(net.parameters(), lr=0.1).step()
    assert f"{SAYS}what is folded" in str(ad.draw(loss, depth=0))
    assert f"{SAYS}net[0].weight" in str(ad.draw(loss)) or f"{SAYS}0.weight" in str(ad.draw(loss))


@pytest.mark.parametrize(
    "use",
    [
        lambda y, w: ad.film(y).frames,
        ad.explain,
        lambda y, w: ad.draw(y, flow=True),
    ],
    ids=["film", "explain", "flow"],
)
def test_no_gradient_is_computed_from_old_and_new_values_together(use):
    w, x = ad.Tensor(3.0, name="w"), ad.Tensor(2.0, name="x")
    y = w * x * w
    use(y, w)
    w.data = 10.0
    with pytest.raises(RuntimeError, match=r"'w' \(now 10\) was changed after"):
        use(y, w)
    assert "2, 10" not in str(ad.draw(y, slopes=True)), "no slope is shown where it would be wrong"


def test_a_machine_of_ones_own_has_no_clock():
    class Node:
        grad = None

        def __init__(self, data, creators=None, creation_op=None):
            self.data, self.creators, self.creation_op = data, creators, creation_op

    x = Node(3.0)
    y = Node(9.0, (x, x), "mul")
    x.data = 4.0
    assert SAYS not in str(ad.draw(y))
