"""Which derivatives are recorded, in which parts of their results, and what a recorded one costs."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from tests.engine.held import held_by_steps

X = np.array([0.5, -1.0, 2.0])


def weight():
    return Tensor([1.0, -2.0, 0.5], name="w")


def slopes_of(result, *leaves):
    for leaf in leaves:
        leaf.zero_grad()
    result.sum().backward()
    return [None if leaf.grad is None else leaf.grad.data.tolist() for leaf in leaves]


# -- which Tensors take part ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda f, w: ad.grad(f)(X, w),
        lambda f, w: ad.grad(lambda w, x: f(x, w), argnums=1)(w, X),
        lambda f, w: ad.grad(f)(X, w=w),
        lambda f, w: ad.grad(lambda x, p: f(x, p["w"][0]))(X, {"w": [w]}),
        lambda f, w: ad.value_and_grad(f)(X, w)[1],
        lambda f, w: ad.jacobian(lambda x, w: w * x * x)(X, w).sum(0),
    ],
    ids=["position", "earlier position", "keyword", "structure", "value_and_grad", "jacobian"],
)
def test_a_tensor_in_any_place_of_the_arguments_takes_part(call):
    w = weight()
    assert slopes_of(call(lambda x, w: (w * x * x).sum(), w), w) == [(2 * X).tolist()]


def test_a_frozen_parameter_takes_no_part():
    net = nn.Linear(3, 1)
    slope = ad.grad(lambda x: net(x).sum())
    batch = X.astype(np.float32)[None]
    assert slope(batch).requires_grad
    net.requires_grad_(False)
    assert not slope(batch).requires_grad
    np.asarray(slope(batch))


def test_where_the_result_does_not_depend_on_what_is_closed_over_it_is_a_constant():
    """d/dx (x**2 + w) is 2x."""
    w = weight()
    slope = ad.grad(lambda x: (x * x + w).sum())(X)
    assert (slope.requires_grad, slope.creators) == (False, None)
    value, tangent = ad.jvp(lambda x: x * x + w, (X,), (X,))
    assert (value.requires_grad, tangent.requires_grad) == (True, False)
    both = ad.jvp(lambda x: (x * x, w * x), (X,), (X,))
    assert [[part.requires_grad for part in pair] for pair in both] == [[False, True], [False, True]]


def test_a_tensor_that_the_function_makes_takes_no_part():
    def f(x):
        total = Tensor(0.0)
        for scale in Tensor([1.0, 2.0]):
            total += (x * x * scale).sum()
        return total

    slopes = ad.grad(f)(X), ad.vmap(ad.grad(f))(X), ad.compile(ad.grad(f))(X), ad.hessian(f)(X)
    assert not any(slope.requires_grad for slope in slopes)
    np.testing.assert_allclose(np.asarray(slopes[0]), 6 * X)
    outer = ad.grad(lambda y: ad.grad(lambda x: f(x) * y)(3.0))(2.0)
    assert (outer, outer.requires_grad) == (18, False)


def test_a_tensor_that_the_outer_function_makes_takes_part_in_the_inner_derivative():
    def f(x):
        w = Tensor(3.0)
        slope = ad.grad(lambda y: w * y * y * x)(2.0)
        slope.backward()
        assert w.grad == 4 * x
        return slope

    assert ad.grad(f)(5.0) == 12


def test_a_parameter_that_a_lazy_layer_makes_in_the_call_takes_part():
    net = nn.Sequential(nn.LazyLinear(4), nn.Tanh(), nn.LazyLinear(1))
    slope = ad.grad(lambda x: net(x).sum())(X.astype(np.float32)[None])
    (slope * slope).sum().backward()
    assert all(np.any(weight.grad.data) for weight in (net[0].weight, net[2].weight))


def test_what_an_inner_derivative_leaves_behind_takes_no_part():
    """The inner argument is plain: its leaf must not make the outer derivative a recorded one."""
    for inner in (
        lambda x: ad.grad(lambda y: x * y * y)(3.0),
        lambda x: ad.vjp(lambda y: x * y * y, 3.0)[1](1.0)[0],
        lambda x: ad.jvp(lambda y: x * y * y, (3.0,), (1.0,))[1],
        lambda x: ad.hessian(lambda y: x * y * y)(3.0),
    ):
        slope = ad.grad(lambda x, inner=inner: inner(x) * x)(2.0)
        assert (slope.requires_grad, slope.creators) == (False, None)


# -- every part of the result ---------------------------------------------------------------------------


def test_aux_is_recorded_where_a_closed_over_tensor_took_part():
    w = weight()
    f = lambda x: ((x * x).sum(), {"of w": w * x, "of x": x * 2, "w": w, "text": "aux", "plain": [1, 2]})
    slope, aux = ad.grad(f, has_aux=True)(X)
    assert not slope.requires_grad
    assert slopes_of(aux["of w"], w) == [X.tolist()]
    assert not aux["of x"].requires_grad
    np.testing.assert_array_equal(np.asarray(aux["of x"]), 2 * X)
    assert aux["w"] is w
    assert (aux["text"], aux["plain"]) == ("aux", [1, 2])
    with ad.no_grad():
        aux = ad.vjp(f, X, has_aux=True)[2]
    assert not aux["of w"].requires_grad


def test_aux_is_linked_to_an_argument_that_requires_a_gradient():
    x = Tensor(X)
    _, aux = ad.grad(lambda x: ((x * x).sum(), x * 3), has_aux=True)(x)
    assert slopes_of(aux, x) == [[3, 3, 3]]


def test_the_value_is_recorded_too():
    w = weight()
    value, _ = ad.value_and_grad(lambda x: (w * x).sum())(X)
    assert slopes_of(value, w) == [X.tolist()]


def test_a_pull_may_be_called_often_and_under_another_mode():
    w = weight()
    out, pull = ad.vjp(lambda x: w * x * x, X)
    assert slopes_of(out, w) == [(X * X).tolist()]
    for _ in range(2):
        assert slopes_of(pull(np.ones(3))[0], w) == [(2 * X).tolist()]
    with ad.no_grad():
        assert not pull(np.ones(3))[0].requires_grad
        out, quiet = ad.vjp(lambda x: w * x * x, X)
    assert not out.requires_grad
    assert not quiet(np.ones(3))[0].requires_grad
    v = Tensor(np.ones(3))
    assert slopes_of(pull(v)[0], w, v) == [(2 * X).tolist(), (2 * w.data * X).tolist()]


def test_a_pull_after_the_graph_was_released_is_refused():
    w = weight()
    out, pull = ad.vjp(lambda x: (w * x * x).sum(), X)
    out.backward(release=True)
    with pytest.raises(RuntimeError, match="dropped it"):
        pull(1.0)


def test_gradients_asks_for_its_graph():
    w = weight()
    assert not ad.gradients((w * w).sum(), w).requires_grad
    assert ad.gradients((w * w).sum(), w, create_graph=True).requires_grad


def test_nothing_is_stored_in_grad():
    w, x = weight(), Tensor(X)
    h = w * 2
    ad.hessian(lambda x: (h * x**3).sum())(x)
    ad.jvp(lambda x: h * x, (x,), (X,))
    assert (w.grad, h.grad, x.grad) == (None, None, None)


def test_hooks_of_closed_over_tensors_are_called_by_backward_alone():
    w, called = weight(), []
    w.register_hook(called.append)
    slope = ad.grad(lambda x: (w * x * x).sum())(X)
    assert called == []
    slope.sum().backward()
    assert len(called) == 1


# -- converted to NumPy ---------------------------------------------------------------------------------


def test_a_conversion_names_what_was_closed_over():
    w = weight()
    slope = ad.grad(lambda x: (w * x * x).sum())(X)
    for convert in (np.asarray, np.array, lambda a: np.array([a, a]), lambda a: np.asarray(a, dtype=float)):
        with pytest.raises(TypeError, match=r"computed from the Tensor 'w' of shape \(3,\).*no_grad.*detach"):
            convert(slope)
    np.testing.assert_array_equal(np.asarray(slope.detach()), 2 * w.data * X)
    with pytest.raises(TypeError, match=r"'w' of shape \(3,\) and others"):
        np.asarray(slope * Tensor(2.0))
    with pytest.raises(
        TypeError, match=r"^the Tensor 'w' of shape \(3,\) would lose .* as a plain array; use"
    ):
        np.asarray(w)


@pytest.mark.parametrize("method", ["BFGS", "CG", "Newton-CG", "TNC"])
def test_scipy_is_told_what_was_closed_over(method):
    optimize = pytest.importorskip("scipy.optimize")
    w = weight()
    f = lambda x: ((x - w) ** 2).sum()
    with pytest.raises(TypeError, match="computed from the Tensor 'w'"):
        optimize.minimize(lambda x: f(x).item(), X, jac=ad.grad(f), method=method)
    with pytest.raises(ValueError, match="scalar value") as caught:  # SciPy's words, below ours
        optimize.minimize(f, X, jac=ad.grad(f), method=method)
    assert "computed from the Tensor 'w'" in str(caught.value.__cause__)
    with ad.no_grad():
        found = optimize.minimize(f, X, jac=ad.grad(f), method=method)
    np.testing.assert_allclose(found.x, w.data, atol=1e-6)
    w.requires_grad_(False)
    np.testing.assert_allclose(optimize.minimize(f, X, jac=ad.grad(f), method=method).x, w.data, atol=1e-6)


# -- what it costs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [False, True], ids=["nothing made", "a Tensor made inside"])
def test_gradient_descent_holds_no_memory_while_nothing_requires_a_gradient(made):
    frozen = Tensor(np.ones(1000), requires_grad=False)

    def f(w):
        start = Tensor(0.0) if made else 0.0
        return start + (frozen * w * w).sum()

    step = lambda w: w - 0.01 * ad.grad(f)(w)
    _, held = held_by_steps(step, np.ones(1000))
    assert held < 20_000  # two arrays of w's size, not 300


def test_rules_compute_nothing_for_what_is_closed_over():
    """The walk between the inputs and the output leaves out the weights, and what lies behind them."""
    wanted_of = []

    @ad.operation
    def product(x, w):
        return x * w

    def rule(grad, z, x, w, wanted):
        wanted_of.append(wanted)
        return grad * w if wanted[0] else None, grad * x if wanted[1] else None

    product.backward(joint=rule)
    w = weight()
    behind = product(w, 2.0)
    slope = ad.grad(lambda x: product(x, behind).sum())(X)
    assert wanted_of == [(True, False)]
    assert slopes_of(slope, w) == [[2, 2, 2]]


# -- a Function whose backward takes derivatives --------------------------------------------------------


class Exponential(ad.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y


def saved(ctx):
    return ctx.saved_tensors[0]


BACKWARDS = {
    "vjp": lambda ctx, grad: ad.vjp(lambda y: y * y / 2, saved(ctx))[1](grad)[0],
    "vjp that closes over it": lambda ctx, grad: ad.vjp(lambda g: g * saved(ctx), grad)[1](grad)[0],
    "jvp": lambda ctx, grad: ad.jvp(lambda y: y * y / 2, (saved(ctx),), (grad,))[1],
    "grad": lambda ctx, grad: ad.grad(lambda y: (y * y / 2).sum())(saved(ctx)) * grad,
    "jacobian": lambda ctx, grad: ad.jacobian(lambda y: y * y / 2, mode="reverse")(saved(ctx)) * grad,
    "hessian": lambda ctx, grad: ad.hessian(lambda y: (y**3).sum() / 6)(saved(ctx)) * grad,
}


@pytest.mark.parametrize("backward", BACKWARDS.values(), ids=BACKWARDS)
def test_the_backward_of_a_function_differentiates_a_saved_output(backward):
    """The walk once went on through the saved output to the same backward again, without end."""
    own = type("Own", (Exponential,), {"backward": staticmethod(backward)}).apply
    f = own
    for _ in range(4):
        f = ad.grad(f)
        assert float(f(0.5)) == pytest.approx(np.exp(0.5))
    x = Tensor(0.5)
    own(x).backward(create_graph=True)
    slope, x.grad = x.grad, None
    slope.backward()
    assert float(x.grad) == pytest.approx(np.exp(0.5))
