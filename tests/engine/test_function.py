"""The class form of a custom operation."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor


class Cube(ad.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad


class Exp(ad.Function):
    @staticmethod
    def forward(ctx, x):
        out = x.exp()
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]


class Scale(ad.Function):
    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.factor = factor
        return x * factor + y

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None, grad


class Masked(ad.Function):
    """It keeps something that is neither an input nor the output."""

    @staticmethod
    def forward(ctx, x):
        ctx.mask = x.data > 0
        return x * ctx.mask

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.mask


def test_it_computes_records_and_walks_back():
    x = Tensor([1.0, 2.0])
    y = Cube.apply(x)
    y.backward([1, 1])
    assert (y.data.tolist(), x.grad.data.tolist()) == ([1, 8], [3, 12])
    assert (y.creation_op == "Cube", y.creators[0] is x) == (True, True)


@pytest.mark.parametrize("f", [Cube, Exp])
def test_what_keeps_inputs_and_output_is_differentiated_any_number_of_times(f):
    assert ad.gradcheck(f.apply, [0.5, 1.5])
    assert ad.gradgradcheck(f.apply, [0.5, 1.5])
    same = {Cube: lambda x: x**3, Exp: ad.exp}[f]
    assert float(ad.grad(ad.grad(ad.grad(f.apply)))(0.5)) == pytest.approx(
        float(ad.grad(ad.grad(ad.grad(same)))(0.5))
    )
    moved = ad.jvp(f.apply, ([0.5, 1.5],), ([1.0, 2.0],))[1]
    np.testing.assert_allclose(moved.data, ad.jvp(same, ([0.5, 1.5],), ([1.0, 2.0],))[1].data)


def test_what_keeps_more_is_differentiated_once():
    x = Tensor([1.0, -2.0])
    Masked.apply(x).backward([1, 1])
    assert x.grad.data.tolist() == [1, 0]
    with pytest.raises(RuntimeError, match=r"Masked can be differentiated once only: .*\(mask\)"):
        ad.grad(lambda x: Masked.apply(x).sum())(x)
    assert x.grad.data.tolist() == [1, 0]


def test_a_tensor_of_its_own_that_was_saved_makes_it_once_differentiable():
    class Own(ad.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x * 2)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    assert ad.gradcheck(Own.apply, 3)
    assert ad.grad(Own.apply)(3.0) == 6
    with pytest.raises(RuntimeError, match=r"\(save_for_backward\)"):
        ad.grad(ad.grad(Own.apply))(3.0)


def test_an_argument_that_is_no_tensor_may_be_kept():
    x, y = Tensor(2.0), Tensor(5.0)
    assert ad.grad(ad.grad(lambda x: Scale.apply(x * x, 10.0, 1.0)))(3.0) == 20
    z = Scale.apply(x, 10.0, y)
    z.backward()
    assert (z, x.grad, y.grad, z.creators) == (25, 10, 1, (2, 5))


def test_forward_sees_constants_and_records_nothing():
    seen = []

    class Look(ad.Function):
        @staticmethod
        def forward(ctx, x, y):
            seen.append((x.requires_grad, (x * x).creators, ctx.needs_input_grad))
            return x * y

        @staticmethod
        def backward(ctx, grad):
            return grad, grad

    Look.apply(Tensor(1.0), Tensor(2.0, requires_grad=False))
    assert seen == [(False, None, (True, False))]


def test_on_plain_data_it_gives_plain_data():
    class Double(ad.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    assert Double.apply(3.0) == 6.0
    assert type(Double.apply(3.0)) is float


def test_a_picture_asks_once_more_and_changes_nothing():
    x = Tensor([1.0, -2.0])
    y = Masked.apply(x)
    assert "Masked(x)" in repr(ad.draw(y, slopes=True))
    ad.film(y.sum())
    y.backward([1, 1])
    assert x.grad.data.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("forward", "backward", "error", "says"),
    [
        (lambda ctx, x: x * 1, lambda ctx, grad: (grad, grad), RuntimeError, "gave 2 gradients for 1 inputs"),
        (lambda ctx, x: x.sum(), lambda ctx, grad: grad * [1, 2, 3], ValueError, "gradient of shape"),
    ],
    ids=["too many gradients", "a gradient of another shape"],
)
def test_mistakes_are_named(forward, backward, error, says):
    wrong = type(
        "Wrong", (ad.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    )
    x = Tensor([1.0, 2.0])
    with pytest.raises(error, match=says):
        wrong.apply(x).backward(1)
    assert x.grad is None


@pytest.mark.parametrize("missing", ["forward", "backward"])
def test_what_is_not_written_is_asked_for(missing):
    parts = {"forward": lambda ctx, x: x * 1, "backward": lambda ctx, grad: grad}
    del parts[missing]
    half = type("Half", (ad.Function,), {name: staticmethod(part) for name, part in parts.items()})
    with pytest.raises(NotImplementedError, match=rf"needs a static method {missing}"):
        half.apply(Tensor(1.0)).backward()


class Polar(ad.Function):
    """Two numbers, or two arrays, as radius and angle; with them the quadrant, an integer."""

    @staticmethod
    def forward(ctx, x, y):
        radius = (x * x + y * y).sqrt()
        ctx.save_for_backward(x, y, radius)
        return radius, ad.arctan2(y, x), np.asarray(2 * (y.data < 0) + (x.data < 0))

    @staticmethod
    def backward(ctx, by_radius, by_angle, by_quadrant):
        assert not np.any(by_quadrant.data)
        x, y, radius = ctx.saved_tensors
        square = radius * radius
        return by_radius * x / radius - by_angle * y / square, by_radius * y / radius + by_angle * x / square


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,), (1, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_several_outputs(shape, dtype):
    numbers = np.random.default_rng(0)
    x, y = (Tensor(numbers.normal(size=shape).astype(dtype) + 2) for _ in range(2))
    radius, angle, quadrant = Polar.apply(x, y)
    assert [t.shape for t in (radius, angle, quadrant)] == [shape] * 3
    assert (radius.dtype, angle.dtype, quadrant.dtype.kind) == (dtype, dtype, "i")
    assert not quadrant.requires_grad
    np.testing.assert_array_equal(radius.data, np.sqrt(x.data * x.data + y.data * y.data))
    ((radius + 2 * angle) * radius).sum().backward()
    plain = [Tensor(t.data) for t in (x, y)]
    r = (plain[0] * plain[0] + plain[1] * plain[1]).sqrt()
    ((r + 2 * ad.arctan2(plain[1], plain[0])) * r).sum().backward()
    for ours, expected in zip((x, y), plain):
        assert ours.grad.dtype == dtype
        rtol = 1e-5 if dtype == np.float32 else 1e-12
        np.testing.assert_allclose(ours.grad.data, expected.grad.data, rtol)


def test_an_output_that_is_not_used_has_a_gradient_of_zeros():
    x, y = Tensor([3.0, 1.0]), Tensor([4.0, 0.0])
    Polar.apply(x, y)[0].sum().backward()
    np.testing.assert_allclose(x.grad.data, [0.6, 1])
    x.zero_grad()
    Polar.apply(x, y)[1].sum().backward()
    np.testing.assert_allclose(x.grad.data, [-4 / 25, 0])


def test_several_outputs_are_differentiated_twice():
    def length(x, y):
        radius, angle, _ = Polar.apply(x, y)
        return (radius * angle).sum()

    assert ad.gradgradcheck(length, [1.0, 2.0], [0.5, -1.0])


def test_several_outputs_of_plain_arrays_are_plain():
    class Both(ad.Function):
        @staticmethod
        def forward(ctx, x):
            return x + 1, x * 2

    plain = Both.apply(np.array([3.0]))
    assert type(plain) is tuple
    assert [part.tolist() for part in plain] == [[4], [6]]


def test_one_output_in_a_tuple_comes_in_a_tuple():
    class One(ad.Function):
        @staticmethod
        def forward(ctx, x):
            return (x * 2,)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = Tensor(3.0)
    (y,) = One.apply(x)
    y.backward()
    assert (y, x.grad) == (6, 2)
