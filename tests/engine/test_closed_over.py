"""A derivative is recorded whenever a Tensor that requires a gradient took part in it, given or closed over.

Every derivative, vmap, checkpoint and compile, and every pair of them, is applied to a polynomial that refers
to something: a number, a parameter, a recorded Tensor, a module. The oracle is the same transformation by
central differences with 90 digits, which are exact to all digits of a float.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import cache

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn

STEP = Decimal(10) ** -12
V = [Decimal(1) / 2, Decimal(-3) / 4]  # the direction in which a derivative is taken
M = [[Decimal(1), Decimal(1) / 4], [Decimal(-1) / 2, Decimal(2)]]  # weights for the elements of a matrix


# -- what is closed over: its leaves, and y(x), once with Tensors and once with decimals ----------------


def polynomial(y, x):
    """Of degree 4 in x and 2 in what is closed over. It has mixed terms."""
    return (y * y * x * x).sum() + y.sum() * x[0] * x[1]


def exact_polynomial(y, x):
    return sum(b * b * a * a for a, b in zip(x, y)) + sum(y) * x[0] * x[1]


def module():
    net = nn.Linear(2, 2)
    for parameter, values in zip(net.parameters(), ([[0.5, -1.0], [0.25, 2.0]], [1.0, -0.5])):
        parameter.data = parameter.data.astype(np.float64)
        parameter.assign(np.array(values).reshape(parameter.shape))
    return list(net.parameters()), net


def recorded():
    w = Tensor([0.75, -1.5])
    h = w * 2
    return [w], lambda x: h * x


def frozen():
    c = Tensor(1.5, requires_grad=False)
    return [], lambda x: c * x


def parameter(value):
    def make():
        w = Tensor(value)
        return [w], lambda x: w * x

    return make


def threefold_half(x, p):
    return [Decimal(3) / 2 * a for a in x]


def affine(x, p):
    return [p[0] * x[0] + p[1] * x[1] + p[4], p[2] * x[0] + p[3] * x[1] + p[5]]


CLOSED = {
    "nothing": (lambda: ([], lambda x: x), lambda x, p: x),
    "number": (lambda: ([], lambda x: 1.5 * x), threefold_half),
    "frozen": (frozen, threefold_half),
    "parameter": (parameter(1.5), lambda x, p: [p[0] * a for a in x]),
    "array": (parameter([1.5, -0.5]), lambda x, p: [b * a for a, b in zip(x, p)]),
    "recorded": (recorded, lambda x, p: [2 * b * a for a, b in zip(x, p)]),
    "module": (module, affine),
}


# -- each transformation turns a function into another one, from x to one number ------------------------


def like(x, matrix=False):
    """The weights for x, or for a matrix with two axes like x."""
    if np.ndim(getattr(x, "data", x)) == 0:
        return float(M[0][0] if matrix else V[0])
    return np.array(M if matrix else V, dtype=float)


def by_value_and_grad(f):
    def g(x):
        value, slope = ad.value_and_grad(f)(x)
        return value + as_scalar(slope * like(x))

    return g


def by_vjp(f):
    def g(x):
        out, pull = ad.vjp(f, x)
        return out + (pull(0.5)[0] * like(x)).sum()

    return g


def by_jacobian(mode):
    def transform(f):
        two = lambda x: ad.stack(f(x), f(x * 0.5))
        weights = np.array([1.0, -2.0])

        def g(x):
            slopes = ad.jacobian(two, mode=mode)(x)
            return (slopes[0] * like(x)).sum() * weights[0] + (slopes[1] * like(x)).sum() * weights[1]

        return g

    return transform


def as_scalar(value):
    return value.sum() if hasattr(value, "sum") else value


OURS = {
    "grad": lambda f: lambda x: as_scalar(ad.grad(f)(x) * like(x)),
    "value_and_grad": by_value_and_grad,
    "jvp": lambda f: lambda x: sum(ad.jvp(f, (x,), (like(x),))),
    "vjp": by_vjp,
    "hvp": lambda f: lambda x: as_scalar(ad.hvp(f, (x,), (like(x),))[0] * like(x)),
    "hessian": lambda f: lambda x: as_scalar(ad.hessian(f)(x) * like(x, matrix=True)),
    "jacobian, forward": by_jacobian("forward"),
    "jacobian, reverse": by_jacobian("reverse"),
    "vmap": lambda f: lambda x: (ad.vmap(f)(ad.stack(x, x * 0.5)) * np.array([1.0, -2.0])).sum(),
    "checkpoint": lambda f: lambda x: ad.checkpoint(f, x if isinstance(x, Tensor) else constant(x)),
    "compile": ad.compile,
}


def constant(x):
    return Tensor(x, requires_grad=False)


def slopes(f, x):
    """The partial derivatives by central differences."""
    moved = lambda i, by: f([a + by * (j == i) for j, a in enumerate(x)])
    return [(moved(i, STEP) - moved(i, -STEP)) / (2 * STEP) for i in range(len(x))]


def curvature(f, x, weights):
    rows = [lambda x, i=i: slopes(f, x)[i] for i in range(len(x))]
    return sum(w * s for row, r in zip(rows, weights) for s, w in zip(slopes(row, x), r))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def both(f, x):
    return dot(slopes(f, x), V) - 2 * dot(slopes(lambda x: f([a / 2 for a in x]), x), V)


EXACT = {
    "grad": lambda f: lambda x: dot(slopes(f, x), V),
    "value_and_grad": lambda f: lambda x: f(x) + dot(slopes(f, x), V),
    "jvp": lambda f: lambda x: f(x) + dot(slopes(f, x), V),
    "vjp": lambda f: lambda x: f(x) + dot(slopes(f, x), V) / 2,
    "hvp": lambda f: lambda x: curvature(f, x, [[a * b for a in V] for b in V]),
    "hessian": lambda f: lambda x: curvature(f, x, M),
    "jacobian, forward": lambda f: lambda x: both(f, x),
    "jacobian, reverse": lambda f: lambda x: both(f, x),
    "vmap": lambda f: lambda x: f(x) - 2 * f([a / 2 for a in x]),
    "checkpoint": lambda f: f,
    "compile": lambda f: f,
}
ARGUMENTS = {
    "number": (0.75, lambda x: x),
    "array": ([0.75, 1.25], np.array),
    "constant": ([0.75, 1.25], constant),
    "parameter": ([0.75, 1.25], Tensor),
}
PAIRS = [(a, b) for a in OURS for b in OURS]
FEW = ("grad", "jvp", "hessian", "vmap", "checkpoint", "compile")


@cache
def expected(closed, argument, transforms):
    """The value, and its slopes with respect to what is closed over and to the argument."""
    with localcontext(prec=90):
        return found_by_differences(closed, argument, transforms)


def found_by_differences(closed, argument, transforms):
    leaves = CLOSED[closed][0]()[0]
    parameters = [Decimal(a) for leaf in leaves for a in np.ravel(leaf.data).tolist()]
    x = [Decimal(a) for a in np.ravel(ARGUMENTS[argument][0]).tolist()]

    def result(x, parameters):
        def f(x):
            pair = x if len(x) == 2 else [x[0], x[0] / 2]
            return exact_polynomial(CLOSED[closed][1](pair, parameters), pair)

        for name in reversed(transforms):
            f = EXACT[name](f)
        return f(x)

    by_parameters = slopes(lambda p: result(x, p), parameters)
    by_x = slopes(lambda x: result(x, parameters), x) if argument == "parameter" else []
    return [float(a) for a in (result(x, parameters), *by_parameters, *by_x)]


def check(closed, argument, *transforms):
    leaves, y = CLOSED[closed][0]()
    x = ARGUMENTS[argument][1](ARGUMENTS[argument][0])

    def f(x):
        pair = x if np.ndim(getattr(x, "data", x)) else ad.stack(x, x * 0.5)
        return polynomial(y(pair), pair)

    for name in reversed(transforms):
        f = OURS[name](f)
    value, *wanted = expected(closed, argument, transforms)
    wants = [*leaves, x] if argument == "parameter" else leaves
    for _ in range(1 + ("compile" in transforms)):  # a compiled function traces in its first call
        out = f(x)
        assert float(out) == pytest.approx(value, rel=1e-9, abs=1e-9)
        if any(wanted):
            for leaf in wants:
                leaf.zero_grad()
            out.backward()
            found = [0 * leaf.data if leaf.grad is None else leaf.grad.data for leaf in wants]
            found = np.concatenate([np.ravel(gradient) for gradient in found])
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
        elif not wants:
            assert not getattr(out, "requires_grad", False)
            assert getattr(out, "creators", None) is None
            assert np.asarray(out) == pytest.approx(value)
    with ad.no_grad():
        out = f(x)
    assert float(out) == pytest.approx(value, rel=1e-9, abs=1e-9)
    assert not getattr(out, "requires_grad", False)


@pytest.mark.parametrize("transform", OURS)
@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize("closed", CLOSED)
def test_what_took_part_gets_its_gradient(closed, argument, transform):
    check(closed, argument, transform)


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if set(pair) <= set(FEW)], ids=" of ".join)
def test_what_took_part_in_a_pair_gets_its_gradient(pair):
    check("array", "array", *pair)


@pytest.mark.thorough
@pytest.mark.parametrize("pair", PAIRS, ids=" of ".join)
@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize("closed", CLOSED)
def test_what_took_part_in_any_pair_gets_its_gradient(closed, argument, pair):
    check(closed, argument, *pair)
