"""The objects that a compiled function refers to: Tensors are read and changed at each call, and changes of
modules and names are noticed."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, optim
from autodiff.compiling import TraceError

factor = 2.0


def twice(make):
    """Two equal things: one to compile, one to use uncompiled."""
    return make(), make()


# -- Tensors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [
    lambda w: w.assign([5.0, 6.0]),
    lambda w: setattr(w, "data", np.array([5.0, 6.0])),
    lambda w: w.__setitem__(0, 7.0),
    lambda w: w.__iadd__(1.0),
])  # fmt: skip
def test_a_changed_tensor_is_read_again(change):
    w = Tensor([1.0, 2.0])
    fast = ad.compile(lambda x: x * w)
    fast(3.0)
    change(w)
    np.testing.assert_array_equal(fast(3.0).data, 3 * w.data)


def test_another_shape_or_dtype_of_a_tensor_gives_another_program():
    w = Tensor(np.ones(3, np.float32))
    fast = ad.compile(lambda x: x * w)
    assert fast(2.0).dtype == np.float32
    w._value = np.ones((2, 2))
    assert (fast(2.0).dtype, fast(2.0).shape) == (np.float64, (2, 2))


def test_an_optimizer_steps_between_calls():
    def trained(treat):
        net = nn.Sequential(nn.Linear(3, 4, generator=0), nn.Tanh(), nn.Linear(4, 1, generator=1))
        step = optim.Adam(net.parameters(), lr=0.1)
        loss = treat(lambda x: (net(x) ** 2).mean())
        for _ in range(5):
            step.zero_grad()
            loss(np.ones((2, 3))).backward()
            step.step()
        return [p.data for p in net.parameters()]

    for mine, other in zip(trained(ad.compile), trained(lambda f: f), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)


@pytest.mark.parametrize("touch", [
    lambda w: w.data * 2, lambda w: w.detach() * 2,
    lambda w: ad.where(w > 1, 1.0, 2.0), lambda w: np.exp(w), lambda w: w[0], lambda w: [*w],
    lambda w: w == w.data, lambda w: copy.copy(w) * 1, lambda w: copy.deepcopy(w) * 1, lambda w: w.T,
    lambda w: ad.Tensor(w) * 1, lambda w: ad.stack([w, w]), lambda w: [1.0, 2.0] * w,
    lambda w: ad.grad(lambda v: (v * w).sum())(1.0),
])  # fmt: skip
def test_each_way_to_read_a_tensor_reads_it_at_each_call(touch):
    w = Tensor([1.0, 2.0])
    fast = ad.compile(lambda: touch(w))
    fast()
    w.assign([3.0, 0.5])
    for mine, other in zip(np.ravel(listed(fast())), np.ravel(listed(touch(w))), strict=True):
        assert float(mine) == float(other)


def listed(out):
    parts = out if isinstance(out, list) else [out]
    return [np.asarray(part.data if isinstance(part, Tensor) else part) for part in parts]


def test_tensors_made_inside_are_constants():
    fast = ad.compile(lambda x: x * Tensor([1.0, 2.0]) + ad.ones(2) + ad.arange(2))
    np.testing.assert_array_equal(fast(2.0).data, [3, 6])
    np.testing.assert_array_equal(fast(3.0).data, [4, 8])
    assert fast(2.0).requires_grad  # as uncompiled: a Tensor inside requires a gradient


# -- what a function does to Tensors ------------------------------------------------------------------------


def test_assignments_happen_at_each_call():
    count, total = Tensor(0.0, requires_grad=False), Tensor([0.0, 0.0], requires_grad=False)

    @ad.compile
    def add(x):
        count.assign(count + 1)
        total.data = total.data + x
        return count * 10

    assert [float(add(np.array([1.0, 2.0]))) for _ in range(3)] == [10, 20, 30]
    assert float(count) == 3
    np.testing.assert_array_equal(total.data, [3, 6])


def test_in_place_operators_on_captured_tensors_and_on_arguments():
    w = Tensor([1.0, 2.0])

    def step(v, x):
        nonlocal w
        with ad.no_grad():
            w += x
            v *= x
        return v

    fast, v = ad.compile(step), Tensor([3.0, 4.0])
    assert fast(v, 2.0) is v
    np.testing.assert_array_equal(v.data, [6, 8])
    np.testing.assert_array_equal(w.data, [3, 4])


@pytest.mark.parametrize("start", [0.5, np.array(0.5), np.array([0.5, 1.0])])
def test_looking_at_a_gradient_compiles_nothing_again(start):
    w, calls = Tensor(start), []

    @ad.compile
    def step(x):
        calls.append(1)
        (x * w).sum().backward()
        return x

    for count in range(1, 5):
        step(2.0)
        np.testing.assert_array_equal(w.grad.data, np.full(np.shape(start), 2.0 * count))
    assert len(calls) == 2  # while there is no gradient, and when there is one


def test_backward_inside_leaves_gradients():
    def make():
        w, b = Tensor([1.0, 2.0]), Tensor(0.5)

        def step(x):
            loss = ((x * w + b) ** 2).sum()
            loss.backward()
            return loss

        return step, (w, b)

    (plain, one), (slow, other) = twice(make)
    fast = ad.compile(plain)
    x, y = Tensor([1.0, -1.0]), Tensor([1.0, -1.0])
    for _ in range(3):  # they add up
        np.testing.assert_allclose(fast(x).data, slow(y).data)
        for mine, theirs in zip((*one, x), (*other, y), strict=True):
            assert type(mine.grad.data) is type(theirs.grad.data)
            np.testing.assert_allclose(mine.grad.data, theirs.grad.data, rtol=1e-14)
    for tensor in (*one, *other):
        tensor.zero_grad()
    fast(x)
    slow(y)
    np.testing.assert_allclose(one[0].grad.data, other[0].grad.data, rtol=1e-14)


def test_gradients_cleared_and_read_inside():
    def make():
        w = Tensor([1.0, 2.0])

        def step(x):
            before = 0.0 if w.grad is None else w.grad.sum()
            w.zero_grad()
            (w * x).sum().backward()
            w.data = w.data - 0.1 * w.grad.data
            return before

        return step, w

    (plain, one), (slow, other) = twice(make)
    fast = ad.compile(plain)
    for x in (1.0, 2.0, 3.0):
        assert float(fast(x)) == float(slow(x))
        np.testing.assert_allclose(one.data, other.data)
        np.testing.assert_allclose(one.grad.data, other.grad.data)


def test_a_gradient_behind_a_captured_result_is_refused():
    w = Tensor(2.0)
    h = w * 3
    with pytest.raises(TraceError, match="computed outside"):
        ad.compile(lambda x: (h * x).backward())(1.0)
    assert w.grad is None


def test_a_captured_result_gets_its_gradient_from_outside():
    w = Tensor(2.0)
    h = w * 3
    ad.compile(lambda x: h * x)(5.0).backward()
    assert float(w.grad) == 15


def test_hooks_of_captured_tensors_run():
    w = Tensor([1.0, 2.0])
    w.register_hook(lambda g: g * 10)

    @ad.compile
    def step(x):
        (w * x).sum().backward()

    step(2.0)
    np.testing.assert_array_equal(w.grad.data, [20, 20])


# -- what is returned ---------------------------------------------------------------------------------------


def test_a_tensor_that_is_returned_is_itself():
    w = Tensor([1.0, 2.0])
    x = Tensor([3.0])
    out = ad.compile(lambda x: (x, w, [w]))(x)
    assert out[0] is x
    assert out[1] is w
    assert out[2][0] is w


def test_returned_arrays_belong_to_the_caller():
    constant = np.array([1.0, 2.0, 3.0])
    fast = ad.compile(lambda x: (x, x.reshape(-1), constant, constant[:2], x + 0))
    x = np.array([[1.0, 2.0]])
    out = fast(x)
    for place, one in enumerate(out):
        for other in (*out[:place], *fast(x), x, constant):
            assert not np.shares_memory(one, other)
        one[...] = 9
    np.testing.assert_array_equal(fast(x)[3], [1, 2])


# -- modules and names --------------------------------------------------------------------------------------


def test_train_and_eval_are_two_programs():
    net = nn.Sequential(nn.Dropout(1.0))
    fast = ad.compile(net)
    x = np.ones(3)
    assert float(fast(x).sum()) == 0
    net.eval()
    assert float(fast(x).sum()) == 3
    net.train()
    assert float(fast(x).sum()) == 0


def test_a_part_or_an_option_set_anew_is_seen():
    net = nn.Sequential(nn.Linear(2, 2, generator=0), nn.LeakyReLU(0.1))
    fast = ad.compile(lambda x: net(x))
    x = np.array([[1.0, -2.0]])
    fast(x)
    net[0].weight = nn.Parameter([[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(fast(x).data, net(x).data)
    setattr(net, "1", nn.Tanh())
    np.testing.assert_allclose(fast(x).data, net(x).data)


def test_names_of_the_file_and_of_functions_around_are_watched(monkeypatch):
    fast = ad.compile(scaled)
    assert fast(3.0) == 6
    monkeypatch.setitem(globals(), "factor", 5.0)
    assert fast(3.0) == 15
    w = Tensor(2.0)
    fast = ad.compile(ad.value_and_grad(lambda x: x * w))
    assert float(fast(3.0)[1]) == 2
    w = Tensor(7.0)
    assert float(fast(3.0)[1]) == 7


def scaled(x):
    return times_factor(x)


def times_factor(x):
    return x * factor


def test_a_module_that_keeps_a_result_is_refused():
    class Keeps(nn.Module):
        def forward(self, x):
            self.last = x * 2
            return x

    with pytest.raises(TraceError, match="keeps last"):
        ad.compile(Keeps())(np.ones(2))


def test_a_module_that_counts_runs_is_not_compiled_again_and_again():
    class Counts(nn.Module):
        calls = 0

        def forward(self, x):
            self.calls += 1
            return x * 2

    net = Counts()
    fast = ad.compile(net)
    for _ in range(4):
        fast(np.ones(2))
    assert net.calls == 1  # Python's own actions happen once, when the program is made


def test_a_mode_changed_before_the_walk_back_is_refused():
    net = nn.Sequential(nn.Dropout(0.5))
    x = Tensor([1.0, 2.0])
    out = ad.compile(net)(x).sum()
    net.eval()
    with pytest.raises(RuntimeError, match="changed since"):
        out.backward()


def test_batch_norm_updates_its_statistics():
    def make():
        return nn.BatchNorm1d(3)

    one, other = twice(make)
    fast = ad.compile(one)
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=(5, 3))
        np.testing.assert_allclose(fast(x).data, other(x).data, rtol=1e-12)
    for mine, theirs in zip(one.state_dict().values(), other.state_dict().values(), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)
