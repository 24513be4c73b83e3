"""Lesson 18: its checks against right answers, stubs and planted mistakes; its layers and its numbers."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn
from autodiff.lessons import check
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "18_layers.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def answer(name):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    cell = next(cell for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source)
    scope = {"ad": ad, "nn": nn, "np": np, "check": check}
    exec(cell.source, scope)
    return scope


def printed(holds, path=LESSON):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(path) if holds in cell.source)


# -- the stored notebooks -----------------------------------------------------------------------------------


# -- the layers ---------------------------------------------------------------------------------------------

BUILDS = (
    "class Dense:", "class Relu:", "class Net:", "upper = np.stack", "def train(", "def nudged",
    "class Adding", "class Summless", "class Module:", "class Linear(", "def train_free", "class Shared(",
)  # fmt: skip


@pytest.fixture(scope="module")
def lesson():
    """The names that the lesson's own cells define; what they train, they train briefly."""
    scope = {"ad": ad, "nn": nn, "np": np, "show_points": lambda *_: None}
    for cell in cells(LESSON):
        if any(word in cell.source for word in BUILDS):
            source = re.sub(r"^(curves = \{\}|free = |wrong = ).*", "", cell.source, flags=re.S | re.M)
            if "def nudged" in source or "class Adding" in source:
                source = re.sub(r"^(def loss\(\)|for kind in ).*", "", source, flags=re.S | re.M)
            exec(source, scope)
    return scope


class Jittered:
    """A generator whose numbers are moved a little: what another machine's arithmetic might do."""

    def __init__(self, seed, size=1e-9):
        self.rng, self.noise, self.size = np.random.default_rng(seed), np.random.default_rng(7), size

    def normal(self, size):
        return self.rng.normal(size=size) + self.size * self.noise.normal(size=size)


def small_net(lesson, dense, rng):
    return lesson["Net"](dense(2, 16, rng), lesson["Relu"](), dense(16, 1, rng))


def test_the_training_does_not_hang_on_the_last_digits(lesson):
    net = small_net(lesson, lesson["Dense"], Jittered(0))
    losses = lesson["train"](net)
    out = net.forward(lesson["points"])
    right = lesson["count_right"](out, lesson["targets"])
    assert (f"{losses[0]:.2f}", f"{losses[-1]:.2f}", right) == ("1.43", "0.16", 96)
    assert printed("losses = train(net)") == "loss 1.43, after 300 steps 0.16\n96 of 100 right\n"


def test_a_missing_sum_learns_who_sits_where(lesson):
    net = small_net(lesson, lesson["Summless"], Jittered(0))
    losses = lesson["train"](net)
    points, targets, count = lesson["points"], lesson["targets"], lesson["count_right"]
    assert f"{losses[-1]:.2f}" == "0.01"
    assert count(net.forward(points), targets) == 100
    assert count(net.forward(points[::-1]), targets[::-1]) == 77
    assert net.layers[0].bias.shape == (100, 16)
    assert "77 right" in printed("points[::-1]")


def test_the_package_asks_each_rule_for_the_shape():
    summless = ad.operation(lambda x, b: x + b)
    summless.backward(lambda grad, z, x, b: grad, lambda grad, z, x, b: np.ones((3, 3)))
    total = summless(ad.Tensor(np.ones((3, 2))), ad.Tensor([1.0, 2.0])).sum()
    with pytest.raises(ValueError, match="shape"):
        total.backward()


def test_the_shared_layer_has_these_gradients(lesson):
    x, above = np.array([[2.0]]), np.array([[1.0]])
    found = {}
    for name in ("Dense", "Adding", "Piling"):
        layer = lesson["make"](lesson[name])
        layer.forward(layer.forward(x))
        layer.backward(layer.backward(above))
        found[name] = (layer.weight_grad.item(), layer.bias_grad.item())
    assert found == {"Dense": (21, 3), "Adding": (28, 4), "Piling": (13, 4)}
    layer = nn.Linear(1, 1)
    layer.load_state_dict({"weight": [[3.0]], "bias": [1.0]})
    layer(layer(ad.Tensor(x, requires_grad=False))).backward()
    assert (layer.weight.grad.item(), layer.bias.grad.item()) == (13, 4)


def test_a_look_in_between_misleads_the_plain_layer_as_well(lesson):
    for name in ("Dense", "Piling"):
        layer = lesson["make"](lesson[name])
        layer.forward(np.array([[2.0]]))
        layer.forward(np.array([[100.0]]))
        layer.backward(np.array([[1.0]]))
        assert layer.weight_grad.item() == 100


def test_of_twelve_starts_the_wrong_gradient_wins_three(lesson):
    ahead = []
    for seed in range(12):
        right = lesson["train_free"](lesson["Shared"](Jittered(seed)), steps=200)[-1]
        wrong = lesson["train"](lesson["shared_by_hand"](Jittered(seed)), steps=200)[-1]
        ahead += [seed] if wrong < right else []
        if seed in (0, 10):
            lines = [
                line for line in printed("curves = {}").splitlines() if line.startswith(f"start {seed:2}")
            ]
            assert [line[-4:] for line in lines] == [f"{right:.2f}", f"{wrong:.2f}"]
    assert ahead == [0, 3, 7]


def test_the_free_network_is_the_hand_written_one(lesson):
    rng = np.random.default_rng(3)
    free = lesson["Sequential"](lesson["Linear"](2, 16, rng), lesson["ReLU"](), lesson["Linear"](16, 1, rng))
    net = small_net(lesson, lesson["Dense"], np.random.default_rng(3))
    points, targets = lesson["points"], lesson["targets"]
    out = net.forward(points)
    net.backward(2 * (out - targets) / len(out))
    ((free(points) - targets) ** 2).mean().backward()
    by_hand = [g for layer in net.layers[::2] for g in (layer.weight_grad, layer.bias_grad)]
    for p, grad in zip(free.parameters(), by_hand, strict=True):
        assert np.allclose(p.grad.data, grad)


# -- 15 twice -----------------------------------------------------------------------------------------------


def test_twice_takes_13_and_knows_the_misconceptions():
    assert check("18 twice", 13).status == "right"
    assert check("18 twice", answer("18 twice")["my_guess"]).status == "right"
    assert check("18 twice", ad.Tensor(13)).status == "right"
    assert check("18 twice", None).status == "not done yet"


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        (7, "second use only"),
        (6, "first use only"),
        (9, "how y moves with x"),
        (12, "without the bias"),
        (42, "add up"),
        (21, "second input for the first use"),
        (28, "The first call saw a 2"),
        (4, "gradient of the bias"),
        (5, "h is then 7.002"),
        ("thirteen", "A number is asked for"),
    ],
)
def test_twice_names_the_misconception(guess, kind):
    verdict = check("18 twice", guess)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 15 tanh ------------------------------------------------------------------------------------------------


def layer_of(slope, forward=np.tanh):
    """A hand-written layer with this backward, of (grad, x, z)."""

    class Layer:
        def forward(self, x):
            self.x, self.z = x, forward(x)
            return self.z

        def backward(self, grad):
            return slope(grad, self.x, self.z)

    return Layer


class Changing(layer_of(None)):
    def backward(self, grad):
        grad *= 1 - self.z**2
        return grad


class OneMemory:
    memory: dict = {}  # noqa: RUF012  the planted mistake

    def forward(self, x):
        self.memory["z"] = np.tanh(x)
        return self.memory["z"]

    def backward(self, grad):
        return grad * (1 - self.memory["z"] ** 2)


class OverX(layer_of(None)):
    def forward(self, x):
        np.tanh(x, out=x)
        self.z = x
        return x


class HalfDone(layer_of(None)):
    def backward(self, grad):
        return None


def test_tanh_takes_right_answers():
    for kind in (
        answer("18 tanh")["Tanh"],
        layer_of(lambda grad, x, z: grad * (1 - z * z)),
        layer_of(lambda grad, x, z: grad / np.cosh(x) ** 2),
    ):
        verdict = check("18 tanh", kind)
        assert verdict.status == "right", verdict


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (layer_of(lambda grad, x, z: grad * (1 - x * x)), "x where z belongs"),
        (layer_of(lambda grad, x, z: 1 - z * z), "Multiply it by the gradient above"),
        (layer_of(lambda grad, x, z: grad), "unchanged"),
        (layer_of(lambda grad, x, z: grad * z), "z itself"),
        (layer_of(lambda grad, x, z: grad * (1 - z)), "The square is missing"),
        (layer_of(lambda grad, x, z: -grad * (1 - z * z)), "sign is turned"),
        (layer_of(lambda grad, x, z: (grad * (1 - z * z)).sum(axis=0)), "rows were added up"),
        (layer_of(lambda grad, x, z: grad * (1 - z**4)), "times the local slope"),
        (
            layer_of(lambda grad, x, z: grad * (1 - z * z), np.sin),
            "forward([[0.5, -1], [2, 0.25]]) gives",
        ),
        (layer_of(lambda grad, x, z: "grad"), "An array is asked for"),
        (Changing, "grad *="),
        (OneMemory, "Keep it in self"),
        (OverX, "belongs to the caller"),
        (layer_of(lambda grad, x, z: grad)(), "A class is asked for"),
    ],
)
def test_tanh_names_the_mistake(kind, words):
    verdict = check("18 tanh", kind)
    assert verdict.status == "wrong"
    assert words in verdict.message


@pytest.mark.parametrize("kind", [layer_of(None, lambda x: None), HalfDone], ids=["stub", "half"])
def test_tanh_tells_a_stub_from_a_mistake(kind):
    assert check("18 tanh", kind).status == "not done yet"


# -- 15 parameters ------------------------------------------------------------------------------------------

RIGHT = answer("18 parameters")["parameters"]


def search(lists=True, deep=True, once=True, kind=nn.Parameter, in_lists=(nn.Parameter, nn.Module)):
    """A search for parameters, right unless told."""

    def parameters(module):
        found = []

        def look(part, depth):
            if isinstance(part, kind):
                if not (once and any(part is other for other in found)):
                    found.append(part)
            elif isinstance(part, nn.Module) and (deep or depth < 2):
                for inner in vars(part).values():
                    look(inner, depth + 1)
            elif lists and isinstance(part, list):
                for inner in part:
                    if isinstance(inner, in_lists):
                        look(inner, depth)

        look(module, 0)
        return found

    return parameters


def by_layer(module):
    """Each module once, but a weight that two layers share twice."""
    layers = {id(part): part for part in all_modules(module)}.values()
    own = [p for layer in layers for p in vars(layer).values() if isinstance(p, nn.Parameter)]
    lists = [part for layer in layers for part in vars(layer).values() if isinstance(part, list)]
    return own + [p for each in lists for p in each if isinstance(p, nn.Parameter)]


def all_modules(module):
    yield module
    for part in vars(module).values():
        for inner in part if isinstance(part, list) else [part]:
            if isinstance(inner, nn.Module):
                yield from all_modules(inner)


def by_equality(module):
    found = []
    for p in search(once=False)(module):
        if p not in found:
            found.append(p)
    return found


def by_vars(module):
    """Takes whatever lies in a list for a module."""
    found = []
    for part in vars(module).values():
        if isinstance(part, nn.Parameter):
            found.append(part)
        for inner in part if isinstance(part, list) else [part] * isinstance(part, nn.Module):
            found += by_vars(inner)
    return found


def one_list_for_all(module, found=[]):  # noqa: B006  the planted mistake
    found += RIGHT(module)
    return found


def by_numbers(module):
    return list({str(p.data): p for p in RIGHT(module)}.values())


def test_parameters_takes_right_answers():
    for function in (RIGHT, search(), lambda module: iter(RIGHT(module)), lambda module: RIGHT(module)[::-1]):
        verdict = check("18 parameters", function)
        assert verdict.status == "right", verdict


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda module: list(module.parameters()), "A list is no module"),
        (search(lists=False), "A list is no module"),
        (search(deep=False), "as deep as they like"),
        (search(once=False), "One layer in two places comes once"),
        (search(kind=ad.Tensor), "was kept for another reason"),
        (search(in_lists=nn.Module), "A list may hold parameters themselves"),
        (by_layer, "Each parameter comes once"),
        (by_equality, "with `is`"),
        (by_numbers, "with `is`"),
        (by_vars, "A list may hold parameters themselves"),
        (one_list_for_all, "Begin each call with a new, empty list"),
        (lambda module: [nn.Parameter(p.data) for p in RIGHT(module)], "It is a copy"),
        (lambda module: [p.data for p in RIGHT(module)], "that is no parameter of it"),
        (lambda module: [], "you find 0 parameters"),
        (lambda module: RIGHT(module)[:1] * len(RIGHT(module)), "another comes twice"),
        (lambda module: len(RIGHT(module)), "A list of parameters is asked for"),
        ([], "A function is asked for"),
    ],
)
def test_parameters_names_the_mistake(function, kind):
    verdict = check("18 parameters", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message.replace("\n", " ")


def test_parameters_tells_a_stub_from_a_mistake():
    assert check("18 parameters", lambda module: None).status == "not done yet"
