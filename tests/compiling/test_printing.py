"""The programs for readers compute what the programs that run compute."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff as ad
from autodiff.compiling import compile_function
from autodiff.compiling.compiled import EXACT_PASSES
from autodiff.compiling.plain import PlainWriter
from autodiff.compiling.program import Program, runnable
from autodiff.engine.catalogue import catalogue
from tests.compiling.pasting import pasted_program
from tests.compiling.random_graphs import RandomGraph
from tests.engine.ops.cases import CASES, calls, examples

NAMES = sorted({operation.name for operation in catalogue})
SMOOTH = [name for name in NAMES if name not in CASES or not CASES[name].constant]


def check_pasted(fast, arguments):
    """Check that the program that is shown returns what the program that runs does."""
    inputs = [np.array(argument) if np.ndim(argument) else argument for argument in arguments]
    program = fast._entry().program
    with np.errstate(all="ignore"):
        expected, found = program.run(*inputs), pasted_program(program)(*inputs)
    assert len(found) == len(expected)
    for mine, other in zip(found, expected):
        assert np.shape(mine) == np.shape(other)
        assert np.asarray(mine).dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(mine, other)


def compiled(f, operands):
    fast = compile_function(f, passes=EXACT_PASSES)
    fast(*operands)
    return fast


@pytest.mark.parametrize("name", NAMES)
@examples(4)
@given(data=st.data())
def test_every_operation_is_shown_as_it_runs(name, data):
    operands, options = data.draw(calls(name, (np.float32, np.float64)))
    operation = catalogue.find(name)
    with np.errstate(all="ignore"):
        fast = compiled(lambda *x: operation(*x, **options), operands)
    check_pasted(fast, operands)


@pytest.mark.parametrize("name", SMOOTH)
@examples(2)
@given(data=st.data())
def test_the_derivative_of_every_operation_is_shown_as_it_runs(name, data):
    operands, options = data.draw(calls(name, (np.float32, np.float64)))
    operation = catalogue.find(name)

    def total(*x):
        out = operation(*x, **options)
        return (out * out).sum()

    with np.errstate(all="ignore"):
        fast = compiled(ad.grad(total), operands)
    check_pasted(fast, operands)


@pytest.mark.parametrize("seed", range(150))
def test_random_programs_with_inputs_that_are_updated(seed):
    made = RandomGraph(seed)
    program = Program(made.graph, made.inputs, made.results, made.updated, EXACT_PASSES)
    values = [*made.arrays()[:-1], 0.5]
    writer = PlainWriter(made.inputs, made.results)
    with np.errstate(all="ignore"):
        expected = runnable(writer.source(), writer.constants)(*map(np.copy, values[:-1]), 0.5)
        expected = [np.array(value) for value in expected]
        found = [*pasted_program(program)(*values)]
    new = dict(zip(made.updated, expected[len(expected) - len(made.updated) :]))
    wanted = expected[: len(expected) - len(new)] + [x for node, x in new.items() if not node.shape]
    for mine, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(mine, other)
    for node, value in zip(made.inputs, values):  # written in place
        if node in new and node.shape:
            np.testing.assert_array_equal(value, new[node])


@pytest.mark.parametrize("exponent", [-2, -1, -0.5, 0, 0.5, 1, 2, 3, 1.5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers_are_shown_as_they_run(exponent, dtype):
    x = np.random.default_rng(0).uniform(0.01, 9, 1000).astype(dtype)
    for f in (lambda x: np.power(x, exponent), lambda x: np.power(x, x.dtype.type(exponent))):
        check_pasted(compiled(f, [x]), [x])


@pytest.mark.parametrize("value", [
    0.1, 1 / 3, -1 / 7, 1 - 0.9, 1 - 0.999, 8**0.5, -(2**0.5), 1e-8, 2.0, -0.0, 1e300, 0.1 + 0.2, 1 / 192,
    np.inf, -np.inf, np.nan, float(np.finfo(float).max), float(np.finfo(np.float32).max), 3.141592653589793,
])  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_are_shown_with_their_value(value, dtype):
    x = np.random.default_rng(0).normal(size=100).astype(dtype)
    with np.errstate(all="ignore"):
        constant = dtype(value)
        for f in (lambda x: x * value + constant, lambda x: np.maximum(x, constant), lambda x: constant / x):
            check_pasted(compiled(f, [x]), [x])
    check_pasted(compiled(lambda x: x.sum() * value, [x]), [x])
