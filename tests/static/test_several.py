"""Functions with several results on nodes: each result is a node, and a run calls the function once."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, static
from autodiff.static.operations import COMPOSED
from autodiff.static.several import CONSTANT, SEVERAL
from autodiff.static.shapes import fits

RNG = np.random.default_rng(0)
MATRIX = RNG.normal(size=(4, 4)) + 4 * np.eye(4)
SYMMETRIC = MATRIX + MATRIX.T
CALLS = {
    "chunk": ([RNG.normal(size=(7, 3))], (3,), {}),
    "divmod": ([RNG.normal(size=(3, 2)), RNG.normal(size=2)], (), {}),
    "eigh": ([SYMMETRIC], (), {}),
    "meshgrid": ([RNG.normal(size=3), RNG.normal(size=4)], (), {"indexing": "ij"}),
    "slogdet": ([MATRIX], (), {}),
    "split": ([RNG.normal(size=(6, 4))], ([1, 4],), {"axis": 0}),
    "svd": ([RNG.normal(size=(5, 3))], (), {}),
    "topk": ([RNG.normal(size=(3, 6))], (2,), {"largest": False}),
    "unbind": ([RNG.normal(size=(3, 4))], (), {"axis": 1}),
}
every = pytest.mark.parametrize("name", SEVERAL)


def test_every_function_with_several_results_is_offered():
    assert set(CALLS) == set(SEVERAL)
    for name in SEVERAL:
        arrays, more, options = CALLS[name]
        assert isinstance(getattr(ad, name)(*arrays, *more, **options), (tuple, list))
    assert not set(SEVERAL) & set(COMPOSED)
    assert set(SEVERAL) <= set(static.__all__)


@every
@pytest.mark.parametrize("known", ["all", "all but the first", "all but the last", "nothing"])
def test_results_are_those_of_the_function(name, known):
    arrays, more, options = CALLS[name]
    expected = getattr(ad, name)(*arrays, *more, **options)
    hide = {
        "all": lambda s: s, "nothing": lambda s: None,
        "all but the first": lambda s: (None, *s[1:]), "all but the last": lambda s: (*s[:-1], None),
    }[known]  # fmt: skip
    needed = {"chunk": "all but the first", "unbind": "all but the last"}.get(name)
    with static.Graph(), static.Session() as session:
        xs = [static.placeholder(hide(array.shape)) for array in arrays]
        if needed and known in (needed, "nothing"):
            with pytest.raises(ValueError, match="Give the placeholder its shape"):
                getattr(static, name)(*xs, *more, **options)
            return
        nodes = getattr(static, name)(*xs, *more, **options)
        assert isinstance(nodes, tuple)
        if hasattr(expected, "_fields"):
            assert type(nodes) is type(expected)
        for _ in range(2):  # node by node, and compiled
            found = session.run(list(nodes), dict(zip(xs, arrays)))
            for node, mine, other in zip(nodes, found, expected, strict=True):
                np.testing.assert_array_equal(mine, other)
                assert np.asarray(mine).dtype == np.asarray(other).dtype
                assert fits(np.shape(other), node.shape)
                if known == "all":
                    assert node.shape == np.shape(other)


@every
def test_gradients_of_each_result_are_the_engine_s(name):
    arrays, more, options = CALLS[name]
    count = len(getattr(ad, name)(*arrays, *more, **options))
    for place in range(count):
        if (name, place) in CONSTANT:
            continue
        tensors = [*map(Tensor, arrays)]
        out = getattr(ad, name)(*tensors, *more, **options)[place]
        eager = ad.gradients((out * out).sum(), tensors, allow_unused=True)
        with static.Graph(), static.Session() as session:
            xs = [static.placeholder(array.shape) for array in arrays]
            node = getattr(static, name)(*xs, *more, **options)[place]
            slopes = static.gradients(static.reduce_sum(node * node), xs)
            for _ in range(2):
                found = session.run(slopes, dict(zip(xs, arrays)))
                for mine, other in zip(found, eager):
                    np.testing.assert_allclose(mine, 0 if other is None else other.data, rtol=1e-12)


@pytest.mark.parametrize(("name", "place"), sorted(CONSTANT))
def test_a_constant_result_has_no_gradient(name, place):
    arrays, more, options = CALLS[name]
    xs = [static.placeholder(array.shape) for array in arrays]
    node = getattr(static, name)(*xs, *more, **options)[place]
    with pytest.raises(ValueError, match="does not depend smoothly"):
        static.gradients(static.reduce_sum(node), xs[0])


def calls_of(name, run):
    """How often a Python function of NumPy with this name is called."""
    count = 0

    def watch(frame, event, argument):
        nonlocal count
        count += event == "call" and frame.f_code.co_name == name and "numpy" in frame.f_code.co_filename

    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


def test_a_run_calls_the_function_once():
    with static.Graph(), static.Session() as session:
        x = static.placeholder((5, 3), name="x")
        u, s, vh = static.svd(x)
        product = static.matmul(u * s, vh)
        array = RNG.normal(size=(5, 3))

        def run():
            np.testing.assert_allclose(session.run([product, s], {x: array})[0], array)

        once = calls_of("svd", lambda: ad.svd(array))
        assert calls_of("svd", run) == once  # node by node
        run()  # compiles
        assert calls_of("svd", run) == once


def test_names_and_pictures():
    with static.Graph() as graph:
        x = static.constant(np.eye(2), name="x")
        parts = static.svd(x)
        halves = static.split(x, 2, name="halves")
    assert [part.name for part in parts] == ["svd_U", "svd_S", "svd_Vh"]
    assert [half.name for half in halves] == ["halves_0", "halves_1"]
    table = ad.draw(parts.S).text
    assert "svd.S(x)" in table
    assert static.Session(graph).run(parts.S).tolist() == [1.0, 1.0]
    assert "svd.S(x)" in ad.draw(parts.S).text


@pytest.mark.parametrize(("attempt", "error", "message"), [
    (lambda x: static.split(x), TypeError, "sections"),
    (lambda x: static.svd(x, ful_matrices=True), TypeError, "ful_matrices"),
    (lambda x: static.split(x, 3), ValueError, "equal"),
    (lambda x: static.svd(Tensor(np.eye(2))), TypeError, "cannot be mixed"),
])  # fmt: skip
def test_a_wrong_call_is_refused_at_once(attempt, error, message):
    x = static.placeholder((4, 3), name="x")
    with pytest.raises(error, match=message):
        attempt(x)
