"""The gradients that reach what a function closes over, against torch.func and JAX, on functions that are no
polynomials. ``test_closed_over.py`` has an oracle of its own."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor

try:
    import jax  # here, since the import draws from NumPy's global generator
except ImportError:
    jax = None

X = np.array([0.4, -0.7])
W = np.array([[0.5, -1.0], [0.25, 2.0]])
V = np.array([0.5, -0.75])
M = np.array([[1.0, 0.25], [-0.5, 2.0]])
SCALES = np.array([1.0, 0.5, -2.0])


def energy(of, w, x):
    """A small network of one layer, with a term that is linear in x."""
    h = of.tanh(x @ w)
    return (h * h * of.exp(x)).sum() + (w[0] * x).sum()


def transformations(of):
    """Each turns a function of x into another one, by the functions of a library."""
    v, m, scales = (of.array(a) for a in (V, M, SCALES))

    def by_value_and_grad(f):
        def g(x):
            slope, value = of.grad_and_value(f)(x)
            return value + (slope * v).sum()

        return g

    def by_vjp(f):
        def g(x):
            out, pull = of.vjp(f, x)
            return out + (pull(of.array(0.5))[0] * v).sum()

        return g

    return {
        "grad": lambda f: lambda x: (of.grad(f)(x) * v).sum(),
        "value_and_grad": by_value_and_grad,
        "jvp": lambda f: lambda x: sum(of.jvp(f, (x,), (v,))),
        "vjp": by_vjp,
        "hessian": lambda f: lambda x: (of.hessian(f)(x) * m).sum(),
        "hvp": lambda f: lambda x: (of.jvp(of.grad(f), (x,), (v,))[1] * v).sum(),
        "jacobian, forward": lambda f: lambda x: (of.jacfwd(lambda x: f(x) * of.exp(x))(x) * m).sum(),
        "jacobian, reverse": lambda f: lambda x: (of.jacrev(lambda x: f(x) * of.exp(x))(x) * m).sum(),
        "vmap": lambda f: lambda x: (of.vmap(f)(scales[:, None] * x) * scales).sum(),
        "checkpoint": of.checkpoint,
        "compile": of.compile,
    }


class Ours:
    array = staticmethod(np.array)
    tanh, exp, grad, jvp, vjp, hessian, vmap = ad.tanh, ad.exp, ad.grad, ad.jvp, ad.vjp, ad.hessian, ad.vmap
    compile = ad.compile
    jacfwd = staticmethod(lambda f: ad.jacobian(f, mode="forward"))
    jacrev = staticmethod(lambda f: ad.jacobian(f, mode="reverse"))
    grad_and_value = staticmethod(lambda f: lambda x: ad.value_and_grad(f)(x)[::-1])
    checkpoint = staticmethod(lambda f: lambda x: ad.checkpoint(f, x))

    @staticmethod
    def slopes(of_w):
        w = Tensor(W)
        out = of_w(w, X)
        out.backward()
        return out.data, w.grad.data


def torch_func():
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")

    class Torch:
        array = staticmethod(lambda a: torch.tensor(a, dtype=torch.float64))
        tanh, exp = torch.tanh, torch.exp
        grad, jvp, vjp, hessian, vmap, grad_and_value, jacfwd, jacrev = (
            staticmethod(getattr(torch.func, name))
            for name in ("grad", "jvp", "vjp", "hessian", "vmap", "grad_and_value", "jacfwd", "jacrev")
        )
        checkpoint = compile = staticmethod(lambda f: f)

        @staticmethod
        def slopes(of_w):
            w = torch.tensor(W, requires_grad=True)
            out = of_w(w, torch.tensor(X))
            out.backward()
            return out.detach().numpy(), w.grad.numpy()

    return Torch


def by_jax():
    if jax is None:
        pytest.skip("a second opinion, for those who have JAX installed")
    numpy = jax.numpy

    class Jax:
        array, tanh, exp = numpy.array, numpy.tanh, numpy.exp
        grad, jvp, vjp, hessian, vmap, jacfwd, jacrev, checkpoint = (
            staticmethod(getattr(jax, name))
            for name in ("grad", "jvp", "vjp", "hessian", "vmap", "jacfwd", "jacrev", "checkpoint")
        )
        compile = staticmethod(jax.jit)
        grad_and_value = staticmethod(lambda f: lambda x: jax.value_and_grad(f)(x)[::-1])

        @staticmethod
        def slopes(of_w):
            with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
                return jax.value_and_grad(of_w)(numpy.array(W), numpy.array(X))

    return Jax


NAMES = [*transformations(Ours)]
EACH = [(name,) for name in NAMES]
FEW = [*EACH, ("grad", "vmap"), ("vmap", "grad"), ("jvp", "grad"), ("compile", "hvp"), ("checkpoint", "grad")]

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")


@pytest.mark.parametrize("names", FEW, ids=" of ".join)
def test_torch_func_agrees(names):
    check(names, torch_func())


@pytest.mark.parametrize("names", [("grad",), ("jvp", "grad")], ids=" of ".join)
def test_jax_agrees(names):
    check(names, by_jax())


@pytest.mark.thorough
@pytest.mark.parametrize("library", [torch_func, by_jax], ids=["torch.func", "JAX"])
@pytest.mark.parametrize("names", [*EACH, *((a, b) for a in NAMES for b in NAMES)], ids=" of ".join)
def test_they_agree_on_any_pair(names, library):
    check(names, library())


def check(names, other):
    (value, slopes), (their_value, their_slopes) = (results(names, of) for of in (Ours, other))
    np.testing.assert_allclose(value, their_value, rtol=1e-10)
    np.testing.assert_allclose(slopes, their_slopes, rtol=1e-10, atol=1e-12)


def results(names, of):
    def of_w(w, x):
        f = lambda x: energy(of, w, x)
        for name in reversed(names):
            f = transformations(of)[name](f)
        return f(x)

    return of.slopes(of_w)
