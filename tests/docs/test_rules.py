"""The rules on the site's pages: every operation has them, and the formulas have the operations' numbers."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from site_pages import rules

import autodiff as ad
from autodiff.engine.operation import Operation
from autodiff_course.source import operation_code

RULES = rules.RULES
FORMULAS = [name for name, rules in RULES.items() if any(rule.startswith("lambda") for rule in rules)]
MATRICES = {"cholesky", "det", "inv", "linear", "logdet", "matmul", "pinv", "solve"}

NAMES = {
    "inv": np.linalg.inv, "lower": lambda x: np.tril(x) - np.diag(np.diag(x)) / 2,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "softplus": lambda x: np.log1p(np.exp(x)),
    "exp": np.exp, "log": np.log, "tanh": np.tanh, "cos": np.cos, "sqrt": np.sqrt, "abs": np.abs,
    "pi": np.pi, "LOG_2": np.log(2),
}  # fmt: skip


def operands(name, count):
    """Operands for an operation: numbers above 0, or matrices, the first with a determinant above 0."""
    rng = np.random.default_rng(0)
    if name == "where":
        return [np.array([True, False, True]), rng.random(3), rng.random(3)]
    if name in MATRICES:
        made = [rng.random((3, 3)) for _ in range(count)]
        made[0] = made[0] @ made[0].T + np.eye(3) if name == "cholesky" else made[0] + 2 * np.eye(3)
        return [made[0], made[1], rng.random(3)] if name == "linear" else made
    if name == "pinv":
        return [rng.random((4, 3))]
    x = rng.random(4) + 0.1
    return [x, np.where([True, False, False, False], x, rng.random(4))][:count]  # the first two are equal


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_has_the_numbers_of_the_operation(name):
    operation = getattr(ad, name)
    rules = [rule for rule in RULES[name] if not rule or rule.startswith("lambda")]
    values = operands(name, len(rules))
    leaves = [ad.Tensor(value, requires_grad=value.dtype != bool) for value in values]
    has_axis = "axis" in inspect.signature(operation.forward).parameters
    z = operation(*leaves, **({"axis": 0} if has_axis else {}))
    grad = np.random.default_rng(1).random(z.shape)
    z.backward(grad)
    names = NAMES | {"sum": lambda x: x.sum(axis=0)}
    for leaf, rule in zip(leaves, rules, strict=True):
        if rule:
            found = eval(rule, names)(grad, z.numpy(), *values)
            wanted = leaf.grad.numpy()
            if name == "cholesky":  # a lower triangle stands for both
                found, wanted = found + found.T, wanted + wanted.T
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_every_operation_has_its_rules_in_mathematics():
    operations = {name: getattr(ad, name) for name in ad.__all__ if isinstance(getattr(ad, name), Operation)}
    assert len(operations) > 120
    bare = [
        name
        for name, operation in operations.items()
        if operation.name == name and not rules.sentences(operation, operation_code(operation))
    ]
    assert bare == []


def test_no_rule_of_an_operation_is_left_out():
    for name, operation in vars(ad).items():
        if not isinstance(operation, Operation) or operation.name in RULES:
            continue
        code = operation_code(operation)
        wanted = [rule for rule in rules.rules_in(code) if rule != "None"]
        assert len(rules.sentences(operation, code)) == len(wanted), name


def test_no_text_of_a_rule_is_left_over():
    assert set(RULES) <= {each.name for each in vars(ad).values() if isinstance(each, Operation)}
