"""register_hook: a gradient passing by; PyTorch's words for backward; set_grad_enabled."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine import recording


def seen_by(tensor):
    """The gradients that a hook on ``tensor`` is shown."""
    seen = []
    tensor.register_hook(lambda grad: seen.append(np.array(grad.data)))
    return seen


@pytest.mark.parametrize(
    "value", [2.0, np.array([1.0, 2.0]), np.ones((2, 2), np.float32)], ids=["float", "1-d", "2-d"]
)
def test_a_hook_sees_the_whole_gradient_once(value):
    x = Tensor(value)
    h = x * 3
    seen_h, seen_x = seen_by(h), seen_by(x)
    (h * h + h).sum().backward()
    assert (len(seen_h), len(seen_x)) == (1, 1)
    np.testing.assert_array_equal(seen_h[0], h.grad.data)
    np.testing.assert_array_equal(seen_x[0], x.grad.data)


def test_a_second_walk_shows_its_own_gradient_alone():
    x = Tensor(2.0)
    seen = seen_by(x)
    (x * x).backward()
    (x * x).backward()
    assert (seen, x.grad) == ([4, 4], 8)


def test_what_a_hook_returns_takes_the_gradient_s_place():
    x = Tensor([1.0, 2.0])
    h = x * 3
    h.register_hook(lambda grad: grad * 10)
    h.register_hook(lambda grad: np.array([1.0, 2.0]) + grad)
    h.sum().backward()
    assert h.grad.data.tolist() == [11, 12]
    assert x.grad.data.tolist() == [33, 36]


@pytest.mark.parametrize("kind", [lambda mine: mine, lambda mine: ad.as_tensor(mine), Tensor])
def test_a_leaf_s_replaced_gradient_is_its_own(kind):
    mine = np.array([5.0, 6.0])
    returned = kind(mine)
    x = Tensor([1.0, 2.0])
    x.register_hook(lambda grad: returned)
    x.sum().backward()
    assert x.grad.data.tolist() == [5, 6]
    assert x.grad.data.flags.owndata
    assert x.grad.data.flags.writeable
    assert not np.shares_memory(x.grad.data, mine)
    assert not np.shares_memory(x.grad.data, getattr(returned, "data", mine))


def test_hooks_are_called_in_order_and_can_be_removed():
    x, calls = Tensor(2.0), []
    first, second = (x.register_hook(lambda grad, name=name: calls.append(name)) for name in "ab")
    (x * x).backward()
    first.remove()
    first.remove()
    (x * x).backward()
    second.remove()
    (x * x).backward()
    assert calls == ["a", "b", "b"]


def test_a_hook_where_no_gradient_comes_is_not_called():
    x, other = Tensor(2.0), Tensor(3.0)
    seen = seen_by(other)
    (x * x + other.detach()).backward()
    assert seen == []
    with pytest.raises(RuntimeError, match="cannot register a hook on the Tensor 3: it is a constant"):
        other.detach().register_hook(print)


def test_a_hook_that_fails_leaves_every_gradient_as_it_was():
    x = Tensor(2.0)
    h = x * x
    (h * h).backward()
    before = x.grad, h.grad
    h.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (h * h).backward()
    assert (x.grad, h.grad) == before
    h._extras.hooks = ()
    h.register_hook(lambda grad: [1.0, 2.0])
    with pytest.raises(ValueError, match=r"a hook gave .* a gradient of shape \(2,\); it must be \(\)"):
        (h * h).backward()
    assert (x.grad, h.grad) == before


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("release", [False, True])
def test_hooks_on_every_kind_of_walk(create_graph, release):
    x = Tensor([1.0, 2.0])
    h = x.exp()
    h.register_hook(lambda grad: 2 * grad)
    (h * h).sum().backward(create_graph=create_graph, release=release)
    np.testing.assert_allclose(x.grad.data, 4 * np.exp(2 * x.data))


def test_hooks_are_differentiated_too():
    """The gradient of x**2 by way of a hook that cubes it: 8 x**3, whose slope is 24 x**2."""
    x = Tensor(2.0)
    h = x * 1
    hook = h.register_hook(lambda grad: grad**3)
    (slope,) = ad.gradients(h * h, [x], create_graph=True)
    hook.remove()  # it would be shown the second walk's gradient too
    assert (slope, ad.gradients(slope, [x])) == (64, [96])


def test_retain_grad_is_there_for_those_who_are_used_to_it():
    x = Tensor(2.0)
    h = x * x
    h.retain_grad()
    (h * 3).backward()
    assert h.grad == 3


# -- backward, in PyTorch's words ----------------------------------------------------------------------------


def test_gradient_is_a_word_for_grad():
    x = Tensor([1.0, 2.0])
    (x * x).backward(gradient=[1.0, 10.0])
    assert x.grad.data.tolist() == [2, 40]
    with pytest.raises(TypeError, match="two names for the same argument"):
        (x * x).backward([1.0, 1.0], gradient=[1.0, 1.0])


def test_retain_graph():
    x = Tensor(2.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward(None, True, False)
    assert x.grad == 8
    y.backward(retain_graph=False)
    with pytest.raises(RuntimeError, match="is gone"):
        y.backward()
    with pytest.raises(ValueError, match="choose one"):
        (x * x).backward(retain_graph=True, release=True)


def test_backward_of_constants_says_how_to_make_what_is_wanted():
    with pytest.raises(RuntimeError, match=r"made by ad.Tensor\(...\), by nn.Parameter"):
        Tensor(2.0, requires_grad=False).backward()


# -- recording switched by a call ----------------------------------------------------------------------------


def records():
    return (Tensor(2.0) * 3).requires_grad


@pytest.fixture
def usual_switches():
    yield
    ad.set_grad_enabled(True)


@pytest.mark.usefixtures("usual_switches")
def test_set_grad_enabled_holds_from_the_call_on():
    ad.set_grad_enabled(False)
    assert not records()
    assert not ad.is_grad_enabled()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(records).result()
    with ad.enable_grad():
        assert records()
        ad.set_grad_enabled(True)
    assert not records()
    ad.set_grad_enabled(True)
    assert records()
    for _ in range(100):
        ad.set_grad_enabled(False)
    with ad.no_grad():
        ad.set_grad_enabled(True)
        assert records()
    assert not records()
    assert len(recording.open_blocks) == 1


@pytest.mark.parametrize("mode", [True, False])
@pytest.mark.parametrize("outside", [True, False])
def test_set_grad_enabled_as_a_block_and_as_a_decorator(mode, outside):
    with ad.enable_grad() if outside else ad.no_grad():
        with ad.set_grad_enabled(mode):
            assert records() is mode
        assert records() is outside
        decorated = ad.set_grad_enabled(mode)(records)
        assert records() is outside
        assert decorated() is mode
        assert decorated() is mode
        assert records() is outside
        with pytest.raises(ZeroDivisionError), ad.set_grad_enabled(mode):
            1 / 0  # noqa: B018
        assert records() is outside
    assert not recording.open_blocks


@pytest.mark.parametrize("decorator", [ad.no_grad, ad.no_grad()], ids=["bare", "called"])
def test_no_grad_as_a_decorator_with_parentheses_and_without(decorator):
    @decorator
    def f(x, *, y):
        """Says what it does."""
        return x * y

    assert (f.__name__, f.__doc__) == ("f", "Says what it does.")
    assert not f(Tensor(2.0), y=3).requires_grad
    assert records()


def test_enable_grad_as_a_decorator_without_parentheses():
    recorded = ad.enable_grad(records)
    with ad.no_grad():
        assert recorded()
        assert not records()
