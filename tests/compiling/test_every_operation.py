"""Every operation of the catalogue compiles: its value, its gradients, its second derivative and its tangents
are those of the uncompiled operation. Masks as indices are refused: see test_refusals.py."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff as ad
from autodiff.engine.catalogue import catalogue
from autodiff.engine.tensor import constant_tensor
from tests.engine.ops.cases import CASES, calls, examples
from tests.fuzz.compiled import WAYS, check_alike, only_finite

NAMES = sorted({operation.name for operation in catalogue})
BACKWARD = [way for way in WAYS if way != "the value"]
REVERSE = ("the gradients inside", "the second derivative")
FLOATS = (np.float32, np.float64)


def called(name, options):
    operation = catalogue.find(name)
    return lambda *x: operation(*x, **options)


def plain(f):
    return f


def is_rough(operands):
    return any(np.asarray(operand).dtype != float for operand in operands)


@pytest.mark.parametrize("name", NAMES)
@examples(3)
@given(data=st.data())
def test_values_are_as_uncompiled(name, data):
    operands, options = data.draw(calls(name, FLOATS))
    f = called(name, options)
    tensors = [*map(constant_tensor, operands)]
    with np.errstate(all="ignore"):
        for arguments in (operands, tensors):
            expected, found = f(*arguments), ad.compile(f)(*arguments)
            check_alike(found, expected, False, is_rough(operands))


@pytest.mark.parametrize("way", BACKWARD)
@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in CASES or not CASES[name].constant]
)
@examples(1)
@given(data=st.data())
def test_derivatives_are_as_uncompiled(name, way, data):
    operands, options = data.draw(calls(name, FLOATS))
    f = called(name, options)
    with np.errstate(all="ignore"):
        expected, found = (WAYS[way](f, operands, treat) for treat in (lambda f: f, ad.compile))
    if way == "the tangents outside":
        found, expected = only_finite(found, expected)
    check_alike(found, expected, False, is_rough(operands))


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in NAMES if name in CASES and not CASES[name].constant])
@examples(4)
@given(data=st.data())
def test_exact_programs_are_equal_in_every_bit(name, data):
    operands, options = data.draw(calls(name, FLOATS))
    f = called(name, options)
    exactly = functools.partial(ad.compile, exact=True)
    for way in REVERSE:
        with np.errstate(all="ignore"):
            results = [WAYS[way](f, operands, treat) for treat in (plain, exactly)]
        for one, other in zip(*map(ad.calculus.trees.leaves, results), strict=True):
            one, other = (ad.as_tensor(each).data for each in (one, other))
            np.testing.assert_array_equal(np.asarray(other), np.asarray(one))  # 0 and -0 are equal
            assert np.asarray(other).dtype == np.asarray(one).dtype
