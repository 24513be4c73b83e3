"""One program computes every value and gradient of a graph, and the slope and the stream of every edge."""

from __future__ import annotations

import random

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw.graph.walk import walk
from autodiff.living.everything import everything
from tests.living.functions import OF_ARRAYS, OF_NUMBERS, course, network

FUNCTIONS = OF_NUMBERS | OF_ARRAYS


def made(f, inputs):
    given = {name: ad.Tensor(value, name=name) for name, value in inputs.items()}
    walked = walk(f(**given))
    names = [node.name or f"v{i}" for i, node in enumerate(walked.order)]
    fast, places = everything(f, walked, names, set(), given)
    return walked, fast, places


def at(place, results, given):
    value = given[-1 - place] if place < 0 else results[place]
    return np.asarray(getattr(value, "data", value), dtype=float)


def flat(value):
    return [leaf for part in value for leaf in flat(part)] if isinstance(value, (list, tuple)) else [value]


def numbers(fast, places, inputs):
    """All numbers of a graph for some inputs, in the order of `Places`."""
    given = [ad.Tensor(value, name=name) for name, value in inputs.items()]
    leaves = flat(fast(*given))
    count = len(places.values)
    values, grads = leaves[:count], leaves[count : 2 * count]
    slopes = dict(zip(places.slopes, leaves[2 * count :]))
    flows = dict(zip(places.flows, leaves[2 * count + len(places.slopes) :]))
    arrays = [{key: np.asarray(getattr(v, "data", v)) for key, v in each.items()} for each in (slopes, flows)]
    return [np.asarray(v.data) for v in values], [np.asarray(g.data) for g in grads], *arrays


def moved(inputs, shift):
    return {name: (np.asarray(value) + shift).tolist() for name, value in inputs.items()}


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_numbers_are_those_of_backward(f):
    _, fast, places = made(f, FUNCTIONS[f])
    dice = random.Random(0)
    for _ in range(20):
        inputs = moved(FUNCTIONS[f], dice.gauss(0, 1))
        values, grads, slopes, flows = numbers(fast, places, inputs)
        end = f(**{name: ad.Tensor(value, name=name) for name, value in inputs.items()})
        again = walk(end)
        end.backward()
        for i, node in enumerate(again.order):
            np.testing.assert_allclose(values[i], node.data, rtol=1e-13, atol=0)
            if node.requires_grad:
                np.testing.assert_allclose(grads[i], node.grad.data, rtol=1e-12, atol=1e-15)
        arrived = {again.end: np.ones(np.shape(end.data))}
        for (i, place), flow in flows.items():
            j = again.index[id(again.creators[i][place])]
            arrived[j] = arrived.get(j, 0.0) + flow
            if (i, place) in slopes:
                np.testing.assert_allclose(flow, slopes[i, place] * grads[i], rtol=1e-13, atol=1e-300)
        for j, total in arrived.items():
            np.testing.assert_allclose(total, grads[j], rtol=1e-12, atol=1e-15)
        for tensor in (node for node in again.order if not again.creators[again.index[id(node)]]):
            tensor.grad = None


def test_there_is_a_slope_where_both_ends_are_numbers():
    for f in OF_NUMBERS:
        _, _, places = made(f, OF_NUMBERS[f])
        assert places.slopes.keys() == places.flows.keys()
    for f in OF_ARRAYS:
        _, _, places = made(f, OF_ARRAYS[f])
        assert len(places.slopes) < len(places.flows)


def test_nodes_and_gradients_keep_their_names_in_the_program():
    given = {"a": ad.Tensor(2.0, name="a")}
    walked = walk(course(**given))
    fast, _ = everything(course, walked, ["a", "b", "v2", "c", "e"], {0, 1, 3, 4}, given)
    lines = str(fast.program).split("\n")
    assert lines[:7] == [
        "def program(a):",
        "    b = a + 2",
        "    v2 = 3 * a",
        "    c = v2 + 4",
        "    e = b * c",
        "    d_a_from_v2 = b * 3",
        "    d_a = d_a_from_v2 + c",
    ]


def test_slopes_have_names_of_their_own():
    given = {name: ad.Tensor(value, name=name) for name, value in OF_NUMBERS[network].items()}
    walked = walk(network(**given))
    names = [node.name or f"n{i}" for i, node in enumerate(walked.order)]
    fast, _ = everything(network, walked, names, set(), given)
    assert "dn9_dn8 = 1 - n9 * n9" in str(fast.program)


def test_other_programs_name_gradients_as_before():
    made(course, {"a": 2.0})
    fast = ad.compile(ad.grad(lambda a: (a + 2) * (3 * a + 4)))
    fast(2.0)
    assert "d_a" in str(fast.program)


def test_a_function_that_changes_its_mind_is_refused():
    calls = []

    def f(a):
        calls.append(1)
        return a * a if len(calls) == 1 else a + a

    with pytest.raises(ValueError, match="does not always compute the same"):
        made(f, {"a": 1.0})
