"""Operations of one's own whose forward calls what the compiler does not know: they are called as they are,
and differentiate in every way."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad

COUNTED = np.frompyfunc(math.gamma, 1, 1)
VECTOR = np.vectorize(lambda x: x * x if x > 2 else 3 * x)


@ad.operation(kind="elementwise")
def gamma(x):
    return COUNTED(x).astype(np.asarray(x).dtype) if np.ndim(x) else math.gamma(x)


gamma.backward(None)


@ad.operation(kind="elementwise")
def bent(x):
    return VECTOR(x)


bent.backward(lambda grad, z, x: grad * ad.where(x > 2, 2 * x, 3.0))


@ad.operation
def power(x, *, exponent=2, scale=1.0):
    return scale * x**exponent


power.backward(lambda grad, z, x, exponent, scale: grad * scale * exponent * x ** (exponent - 1))


@ad.operation
def power_by_joint(x, *, exponent=2):
    return x**exponent


power_by_joint.backward(joint=lambda grad, z, x, wanted, exponent: [grad * exponent * x ** (exponent - 1)])

X = np.array([1.5, 2.5, 4.0])
FUNCTIONS = {
    "bent": (bent, np.where(X > 2, 2 * X, 3), np.where(X > 2, 2, 0)),
    "defaults": (power, 2 * X, np.full(3, 2.0)),
    "an option": (lambda x: power(x, exponent=3), 3 * X**2, 6 * X),
    "both options": (lambda x: power(x, exponent=3, scale=2.0), 6 * X**2, 12 * X),
    "joint": (power_by_joint, 2 * X, np.full(3, 2.0)),
}


def total(f):
    return lambda x: f(x).sum()


WAYS = {
    "eager": lambda f, x: ad.grad(total(f))(x),
    "compiled": lambda f, x: ad.compile(ad.grad(total(f)))(x),
    "exact": lambda f, x: ad.compile(ad.grad(total(f)), exact=True)(x),
    "vmapped": lambda f, x: ad.vmap(ad.grad(f))(x),
    "of vmap": lambda f, x: ad.grad(lambda x: ad.vmap(f)(x).sum())(x),
    "numbers": lambda f, x: np.array([float(ad.grad(f)(one)) for one in x.tolist()], x.dtype),
    "compiled numbers": lambda f, x: np.array(
        [float(ad.compile(ad.grad(f))(one)) for one in x.tolist()], x.dtype
    ),
    "forward": lambda f, x: ad.jvp(f, (x,), (np.ones_like(x),))[1],
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name, way, dtype):
    f, first, second = FUNCTIONS[name]
    found = np.asarray(WAYS[way](f, X.astype(dtype)))
    np.testing.assert_allclose(found, first, rtol=1e-6)
    assert found.dtype == dtype
    found = WAYS[way](ad.grad(f), X) if "vmap" in way or "number" in way else WAYS[way](ad.grad(total(f)), X)
    np.testing.assert_allclose(np.asarray(found), second, rtol=1e-12)


@pytest.mark.parametrize("way", [lambda f: f, ad.compile, ad.vmap])
def test_a_function_of_scipy_s(way):
    special = pytest.importorskip("scipy.special")

    @ad.operation(kind="elementwise")
    def log_gamma(x):
        return special.gammaln(x)

    @ad.operation(kind="elementwise")
    def digamma(x):
        return special.digamma(x)

    log_gamma.backward(lambda grad, z, x: grad * digamma(x))
    np.testing.assert_allclose(ad.as_tensor(way(log_gamma)(X)).data, special.gammaln(X))
    slope = way(ad.grad(log_gamma if way is ad.vmap else total(log_gamma)))(X)
    np.testing.assert_allclose(np.asarray(slope), special.digamma(X))


@pytest.mark.parametrize("way", [lambda f: f, ad.compile, ad.vmap])
def test_a_ufunc_of_python_s_functions(way):
    found = ad.as_tensor(way(gamma)(X)).data
    np.testing.assert_allclose(np.asarray(found, float), [math.gamma(x) for x in X])


@pytest.mark.parametrize("way", [lambda f: f, ad.compile, ad.vmap, ad.grad])
@pytest.mark.parametrize(
    "x", [X, ad.Tensor(X), 1.5, ad.Tensor(1.5)], ids=["array", "Tensor", "number", "of number"]
)
def test_an_operation_has_one_result(way, x):
    if way is ad.vmap and np.ndim(x) == 0:
        pytest.skip("vmap takes examples")

    @ad.operation
    def both(x):
        return np.sin(x), np.cos(x)

    both.backward(lambda grad, z, x: grad)
    with pytest.raises(
        TypeError, match=r"the forward of both returned a \w+ of 2, and an operation has one result"
    ):
        way(both)(x)
