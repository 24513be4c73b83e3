"""The catalogue: every operation by name, each once."""

from __future__ import annotations

import pytest

import autodiff as ad
from autodiff.catalogue import Catalogue, catalogue

NAMES = [
    "add", "sub", "mul", "div", "neg", "pow", "exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu",
    "abs", "maximum", "minimum", "sum", "mean", "reshape", "transpose", "matmul",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_is_in_the_package_and_in_the_catalogue(name):
    assert getattr(ad, name) is catalogue.find(name) is getattr(catalogue, name)


def test_every_entry_is_an_operation_with_a_rule_or_none_per_input():
    for operation in catalogue:
        assert isinstance(operation, ad.Operation)
        assert operation.rules or operation.joint
        assert operation.__doc__


def test_a_name_is_given_once():
    @ad.operation
    def exp(x):
        return x

    fresh = Catalogue()
    assert fresh.enter(ad.exp) is ad.exp
    with pytest.raises(ValueError, match="already has an operation named 'exp'"):
        fresh.enter(exp)
    assert list(fresh) == [ad.exp]
    assert fresh.enter(ad.exp) is ad.exp  # a module that is run again enters its own once more
