"""Each operation of the catalogue over a batch gives what a loop over the examples gives. None is refused."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import autodiff as ad
from autodiff import Tensor
from autodiff.compiling import batching_calls
from autodiff.compiling.batching import RULES
from autodiff.engine.catalogue import catalogue
from tests.engine.ops.cases import CASES, calls, examples, laid_out

FLOATS = (np.float32, np.float64)
every_operation = pytest.mark.parametrize("name", sorted(CASES))
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
Axes = tuple[int | None, ...]


def few(count: int) -> settings:
    """``count`` examples, however long they take to draw."""
    return settings(examples(count), suppress_health_check=SLOW)


@st.composite
def batched_calls(draw: Any, name: str) -> tuple[list[Any], dict[str, Any], Axes, int]:
    """Operands, one or more of them a batch of examples along some axis; options, the axes, the size."""
    dtype = draw(st.sampled_from(FLOATS))  # of one dtype, since a number that is batched has one, too
    operands, options = draw(calls(name, (dtype,)))
    is_batched = draw(st.lists(st.booleans(), min_size=len(operands), max_size=len(operands)).filter(any))
    size = draw(st.sampled_from([3, 1, 0]))
    values, axes = [], []
    for place, (operand, batched) in enumerate(zip(operands, is_batched, strict=True)):
        axis = draw(st.integers(-np.ndim(operand) - 1, np.ndim(operand))) if batched else None
        prepare = CASES[name].prepare if not place else None
        values.append(
            operand
            if axis is None
            else np.moveaxis(batch_of(np.asarray(operand, dtype), size, prepare), 0, axis)
        )
        axes.append(axis)
    return values, options, tuple(axes), size


def batch_of(array: np.ndarray, size: int, prepare: Any) -> np.ndarray:
    """Examples with the elements of an array in different orders."""
    rows = [np.roll(array.reshape(-1), number).reshape(array.shape) for number in range(size)]
    rows = [prepare(row) for row in rows] if prepare else rows
    return np.stack(rows) if rows else np.zeros((0, *array.shape), array.dtype)


def in_a_loop(f: Any, operands: list[Any], axes: Axes, size: int) -> Any:
    """The stack of the results for each example; an error as None, since the operation refuses these."""
    rows = [
        [
            x if axis is None else ad.moveaxis(x, axis, 0)[number]
            for x, axis in zip(operands, axes, strict=True)
        ]
        for number in range(size)
    ]
    try:
        found = [f(*row) for row in rows]
    except (ValueError, np.linalg.LinAlgError):
        return None
    if any(x.requires_grad for x in found):
        return ad.stack(found)
    return Tensor(np.stack([x.data for x in found]), requires_grad=False)


def tolerance(*tensors: Any) -> float:
    """The tolerance between two ways to compute the same value."""
    return 1e-3 if any(tensor.dtype == np.float32 for tensor in tensors) else 1e-9


@every_operation
@few(4)
@given(data=st.data())
def test_a_batch_gives_what_a_loop_gives(name, data):
    values, options, axes, size = data.draw(batched_calls(name))
    operands = [*map(Tensor, laid_out(data, values))]
    before = [np.array(x.data) for x in operands]

    def f(*operands):
        return catalogue.find(name)(*operands, **options)

    expected = in_a_loop(f, operands, axes, size) if size else None
    if size and expected is None:
        return
    out = ad.vmap(f, axes)(*operands)
    assert out.shape[0] == size
    if size:
        assert (out.shape, out.dtype) == (expected.shape, expected.dtype)
        near = tolerance(*operands)
        np.testing.assert_allclose(out.data, expected.data, rtol=near, atol=near)
    for x, was in zip(operands, before, strict=True):
        np.testing.assert_array_equal(x.data, was)
        assert not np.shares_memory(out.data, x.data)


@every_operation
@few(2)
@given(data=st.data())
def test_gradients_of_a_batch_are_those_of_a_loop(name, data):
    values, options, axes, size = data.draw(batched_calls(name))

    def f(*operands):
        return catalogue.find(name)(*operands, **options)

    operands = [*map(Tensor, values)]
    expected = in_a_loop(f, operands, axes, size) if size else None
    if expected is None or not expected.requires_grad:
        return
    twins = [*map(Tensor, values)]
    out = ad.vmap(f, axes)(*twins)
    arriving = np.cos(np.arange(out.size, dtype=out.dtype)).reshape(out.shape)
    try:
        expected.backward(arriving)
    except (ValueError, np.linalg.LinAlgError):  # there is no derivative here
        with pytest.raises((ValueError, np.linalg.LinAlgError)):
            out.backward(arriving)
        return
    out.backward(arriving)
    for mine, other in zip(twins, operands, strict=True):
        found = 0 if mine.grad is None else mine.grad.data
        wanted = 0 if other.grad is None else other.grad.data
        atol = tolerance(*operands) * max(1, np.max(np.abs(wanted), initial=0))
        np.testing.assert_allclose(found, wanted, rtol=tolerance(*operands), atol=atol)


ELEMENTWISE_CALLS = {
    "one operand": lambda x: np.modf(x.data)[0],
    "an array with more axes": lambda x: np.divmod(np.ones((3, 1)), x.data)[1],
    "parts of fewer axes": lambda x: np.divmod(x.data, x.data[0])[1],
    "a number": lambda x: np.divmod(x.data, 2.0)[0],
}


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ELEMENTWISE_CALLS)
def test_an_elementwise_call_is_made_once_for_the_batch(name, dtype, is_compiled, monkeypatch):
    monkeypatch.delattr(batching_calls, "several_over_examples")
    monkeypatch.delattr(batching_calls, "over_examples")
    f = ELEMENTWISE_CALLS[name]
    xs = Tensor((np.arange(8).reshape(4, 2) * 0.7 + 0.3).astype(dtype))
    call = ad.compile(ad.vmap(f)) if is_compiled else ad.vmap(f)
    found, expected = call(xs), np.stack([f(x) for x in xs])
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype


def test_every_op_of_a_graph_has_a_batching_rule():
    import_module("autodiff.compiling.vmap")  # it has the rules registered
    ops = {
        "const", "array", "full", "reduce", "matmul", "astype", "reshape", "transpose", "broadcast_to",
        "getitem", "pick", "put", "put_add", "stack", "concatenate", "call", "part",
        "ascontiguousarray",
    }  # fmt: skip
    assert ops == set(RULES)
