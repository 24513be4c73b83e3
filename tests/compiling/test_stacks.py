"""Programs that compute all steps of a loop at once give what the loop gives."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.compiling import compile_function
from benchmarks import recurrent
from benchmarks.peers import ours
from tests.compiling.passes_agree import ALL, agree, calls_of


def data(*shape, dtype=float, seed=0):
    return Tensor(np.random.default_rng(seed).normal(size=shape).astype(dtype))


def by_all(f, count):
    return ad.value_and_grad(f, argnums=tuple(range(count)))


def tolerance(dtype):
    return 1e-12 if dtype == np.float64 else 1e-5


# -- the networks of the benchmarks -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("steps", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("which", ["rnn", "lstm"])
def test_loops_written_with_operations(which, steps, dtype):
    network = getattr(recurrent, which)(steps, 8)
    rows, start = network.constants
    rows = list(np.array(rows, dtype))  # rows of one array
    functions = ours().functions
    loss = lambda *leaves: network.loss(functions, *leaves, rows, start.astype(dtype))
    leaves = [Tensor(leaf.astype(dtype)) for leaf in network.leaves]
    agree(by_all(loss, 3), leaves, ALL, tolerance(dtype))
    if steps >= 6:
        before, after = (calls_of(by_all(loss, 3), leaves, passes) for passes in ((), ALL))
        assert after["matmul"] == 2 * steps + 2  # the loop has 5 for each step but the last
        assert after["stack"] == (2 if which == "rnn" else 5)  # states and gradients; gates, cells and slopes
        assert after["multiply"] + after["subtract"] < 0.7 * (before["multiply"] + before["subtract"])
        assert after["add"] + after["put"] < 0.6 * (before["add"] + before["put"])


@pytest.mark.parametrize("passes", [ALL, *((name,) for name in ALL)])
def test_each_pass_alone(passes):
    network = recurrent.lstm(6, 4)
    _, start = network.constants
    loss = lambda X, *leaves: network.loss(ours().functions, *leaves, list(X), start.astype(float))
    leaves = [data(6, 32, 32), *(Tensor(leaf.astype(float)) for leaf in network.leaves)]
    agree(by_all(loss, 4), leaves, passes)


# -- cells and loops ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 3, 5, 8])
@pytest.mark.parametrize("kind", ["RNNCell", "LSTMCell", "GRUCell"])
def test_cells(kind, steps):
    cell = getattr(nn, kind)(3, 4).to(float)

    def loss(x):
        state, total = None, 0.0
        for row in x:
            state = cell(row, state)
            h = state[0] if isinstance(state, tuple) else state
            total = total + (h * h).sum()
        return total

    agree(ad.value_and_grad(loss), [data(steps, 2, 3)], ALL)


def twice(x):
    return x.repeat(2, axis=1)


LOOPS = {
    "rows": lambda h, x, w, u, b: (x @ w + h @ u + b).tanh(),
    "vectors": lambda h, x, w, u, b: (x[0] @ w + h[0] @ u + b).tanh().reshape((1, -1)) + h,
    "matrix first": lambda h, x, w, u, b: (w.T @ x.T + u.T @ h.T).T.tanh() + b,
    "matrix times vector": lambda h, x, w, u, b: (w.T @ x[0] + u.T @ h[1] + b).sigmoid() + h,
    "bias first": lambda h, x, w, u, b: (b + x @ w + h @ u).relu(),
    "states alone": lambda h, x, w, u, b: (h @ u + b).tanh(),
    "no state": lambda h, x, w, u, b: h + (x @ w + b).tanh(),
    "products of rows": lambda h, x, w, u, b: h + (x @ x.T) @ (x @ w),
    "sums of rows": lambda h, x, w, u, b: h * 0.5 + x.sum() + x.mean(axis=0).sum() + b,
    "gates": lambda h, x, w, u, b: h + twice((x @ w)[:, :2]).sigmoid() * twice((h @ u)[:, 2:]) + b,
    "slope of a product": lambda h, x, w, u, b: h * (x @ w).sigmoid() * (h @ u).tanh() + b,
    "attention": lambda h, x, w, u, b: h + ad.softmax((h @ u) @ (x @ w).T, axis=-1) @ (x @ w),
    "where": lambda h, x, w, u, b: ad.where(x @ w > 0, h @ u, b),
    "not differentiable": lambda h, x, w, u, b: h + ad.sign(x @ w) * b + ad.floor(h),
    "reversed products": lambda h, x, w, u, b: (x @ w) * (h @ u).sin() - b,
}


@pytest.mark.parametrize("steps", [1, 3, 4, 6])
@pytest.mark.parametrize("which", LOOPS)
def test_loops(which, steps):
    def loss(x, h, w, u, b):
        for row in x:
            h = LOOPS[which](h, row, w, u, b)
        return (h * h).sum()

    args = [data(steps, 2, 3), data(2, 4), data(3, 4, seed=1), data(4, 4, seed=2), data(4, seed=3)]
    agree(by_all(loss, 5), args, ALL)


@pytest.mark.parametrize("which", ["rows", "gates", "attention", "slope of a product"])
def test_second_derivatives_of_loops(which):
    def loss(x, h, w, u, b):
        for row in x:
            h = LOOPS[which](h, row, w, u, b)
        return (h * h).sum()

    def squares(*args):
        slopes = ad.grad(loss, argnums=(0, 2, 3, 4))(*args)
        return sum((slope * slope).sum() for slope in slopes)

    args = [data(6, 2, 3), data(2, 4), data(3, 4, seed=1), data(4, 4, seed=2), data(4, seed=3)]
    agree(by_all(squares, 5), args, ALL)


ORDERS = {
    "backwards": lambda x: [x[t] for t in reversed(range(7))],
    "every second": lambda x: [x[t] for t in range(0, 7, 2)],
    "some": lambda x: [x[t] for t in (0, 1, 3, 4, 6)],
    "some twice": lambda x: [x[t] for t in (0, 1, 1, 2, 3, 0)],
    "second axis": lambda x: [x.transpose((1, 0, 2))[:, t] for t in range(7)],
    "computed": lambda x: [(x[t] * 2).tanh() for t in range(7)],
    "shifted": lambda x: [x[t] * x[t + 1] for t in range(6)],
    "far": lambda x: [x[t] * x[6 - t] for t in range(6)],
    "unequal": lambda x: [x[t][: 1 + t % 2] for t in range(6)],
}


@pytest.mark.parametrize("which", ORDERS)
def test_rows_in_any_order(which):
    def loss(x, w, b):
        h, states = 0.0, []
        for row in ORDERS[which](x):
            h = ((row @ w).sum(axis=0) + b + h).tanh()
            states.append(h)
        return (ad.stack(states) ** 2).sum()

    agree(by_all(loss, 3), [data(7, 2, 3), data(3, 4, seed=1), data(4, seed=2)], ALL)


def test_weights_that_are_not_shared():
    def loss(x, w, u):
        h = x[0] @ w[0]
        for t in range(1, 6):
            h = (x[t] @ w[t] + h @ u[t % 2]).tanh()
        return h.sum()

    agree(by_all(loss, 3), [data(6, 2, 3), data(6, 3, 4, seed=1), data(2, 4, 4, seed=2)], ALL)


def test_two_layers():
    def loss(x, w, u, v, s):
        h = k = 0.0
        for row in x:
            h = (row @ w + h @ u if is_array(h) else row @ w).tanh()
            k = (h @ v + k @ s if is_array(k) else h @ v).tanh()
        return (k * h).sum()

    def is_array(state):
        return isinstance(state, Tensor)

    args = [data(7, 2, 3), *(data(n, 4, seed=n) for n in (3, 4)), data(4, 4, seed=5), data(4, 4, seed=6)]
    agree(by_all(loss, 5), args, ALL)


def test_rows_of_an_array_that_the_function_refers_to_are_read_at_each_call():
    X = np.random.default_rng(0).normal(size=(6, 2, 3))

    def loss(w):
        return sum((x @ w).tanh().sum() for x in X)

    fast = compile_function(loss, passes=("fold", "algebra", "cse", *ALL))
    w = data(3, 4)
    fast(w)
    X[2] += 1
    np.testing.assert_allclose(fast(w).data, loss(w).data, rtol=1e-13)


def test_inf_and_nan_stay_where_they_were():
    def loss(x, w, b):
        h = 0.0
        for row in x:
            h = h * 0.5 + (row @ w + b).tanh()
        return h

    x = np.random.default_rng(0).normal(size=(6, 2, 3))
    x[1, 0, 0], x[2, 1, 1] = np.inf, np.nan
    with np.errstate(all="ignore"):
        agree(loss, [Tensor(x), data(3, 4), data(4)], ALL)


GATES = {
    "two": (slice(0, 2), slice(2, 4)),
    "three and one": (slice(0, 2), slice(2, 4), slice(4, 6), slice(7, 9)),
    "gaps": (slice(0, 2), slice(3, 5), slice(5, 7)),
    "unequal": (slice(0, 2), slice(2, 5), slice(5, 8), slice(8, None)),
    "overlapping": (slice(0, 3), slice(2, 5), slice(5, 8)),
    "backwards": (slice(3, 6), slice(0, 3), slice(-3, None)),
    "steps": (slice(0, 6, 2), slice(1, 7, 2), slice(6, None)),
}


@pytest.mark.parametrize("calls", [1, 4])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("which", GATES)
def test_slices_side_by_side(which, axis, calls):
    def loss(x, w):
        z = (x * w).tanh()
        parts = [z[(*(slice(None),) * axis, gate)] for gate in GATES[which]]
        for call in range(calls):
            parts = [part.sin() * part if call % 2 else 1 - 2.5 * part.exp() for part in parts]
        return sum((part * part.sum()).sum() * (place + 1.5) for place, part in enumerate(parts))

    shape = [2, 3, 2]
    shape[axis] = 10
    agree(by_all(loss, 2), [data(*shape), data(*shape, seed=1)], ALL)
    agree(by_all(loss, 2), [data(*shape), data(*shape, seed=1)], ("beside",))


def test_gates_are_computed_in_one_call():
    def gates(x):
        return ad.concatenate([part.sigmoid() * (k + 1) for k, part in enumerate(ad.split(x, 3, axis=1))])

    before, after = (calls_of(gates, [data(2, 6)], passes) for passes in ((), ALL))
    assert (before["exp"], after["exp"]) == (3, 1)


def test_products_of_small_numbers_do_not_vanish():
    """The product a * (s * y) would be 0 where (a * s) * y is 1e-50."""
    args = [Tensor(np.full((2, 3), value)) for value in (1e300, 1e-200, 1e-150)]
    agree(lambda a, s, y: a * s.tanh() * y, args, ALL)


@pytest.mark.parametrize("first", [0, -1])
def test_a_state_that_every_step_waits_for_is_not_stacked(first):
    """Products with the state of the step before cannot be one product."""

    def loss(x, u):
        h = x[first]
        states = []
        for t in range(6):
            h = (h @ u).tanh() + x[t]
            states.append(h)
        return ad.stack(states)

    def both(x, u):
        return loss(x, u), ad.grad(lambda u: (loss(x, u) ** 2).sum())(u)

    agree(both, [data(6, 2, 4), data(4, 4)], ALL)


# -- sums over steps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_recorded", [False, True])
@pytest.mark.parametrize("which", ["rnn", "lstm"])
def test_the_gradient_of_a_bias_is_one_total(which, is_recorded):
    """The gradient of each step is a sum of Tensors, or a product of plain arrays with ones."""
    network = getattr(recurrent, which)(6, 8)
    loss = lambda *leaves: network.loss(ours().functions, *leaves, *network.constants)
    leaves = [Tensor(leaf, requires_grad=is_recorded) for leaf in network.leaves]
    after = calls_of(by_all(loss, 3), leaves, ALL)
    assert (after["matmul"], after["reduce_add"]) == (2 * 6 + 2, 2)  # the other total is the loss


def gram(row):
    return row.T @ row


def total(row):
    return row.sum(axis=0)


def total_by_ones(row):
    return np.ones_like(row, shape=(len(row),)) @ row


@pytest.mark.parametrize("dtypes", [("float64", "float32"), ("float32", "float64"), ("float32", "float32")])
@pytest.mark.parametrize(("term", "shape"), [(gram, (4, 4)), (total, (4,)), (total_by_ones, (4,))])
def test_terms_of_a_sum_are_added_in_its_dtype(term, shape, dtypes):
    """Terms in float32 that are added to a sum in float64 are not added up in float32 first."""

    def f(start, x):
        for row in x.data:
            start = start + term(row)
        return start

    args = [data(*shape, dtype=dtypes[0]), data(6, 3, 4, dtype=dtypes[1], seed=1)]
    agree(f, args, ALL, tolerance(np.float64 if "float64" in dtypes else np.float32))
    if dtypes[0] == dtypes[1]:
        after = calls_of(f, args, ALL)
        assert after["matmul"] + after["reduce_add"] == 1


# -- transposed matrices ------------------------------------------------------------------------------------


def through(count, transposed):
    """A state that passes through the same transposed matrix ``count`` times."""

    def f(h, w):
        for _ in range(count):
            h = transposed(h, w)
        return h, h @ w.swapaxes(-1, -2)

    return f


def step(h, w):
    return (h @ w.swapaxes(-1, -2)).tanh()


TRANSPOSED = {
    "rows": (step, (32, 32), (32, 32), 1),
    "few rows": (step, (3, 32), (32, 32), 0),
    "one row": (step, (1, 32), (32, 32), 0),
    "a vector": (step, (32,), (32, 32), 0),
    "a narrow matrix": (step, (64, 8), (8, 8), 0),
    "a large matrix": (step, (64, 128), (128, 128), 0),
    "batches": (step, (3, 32, 32), (3, 32, 32), 1),
    "many batches": (step, (2, 3, 32, 32), (2, 3, 32, 32), 1),
    "no batches": (step, (0, 32, 32), (0, 32, 32), 0),
    "batches of one matrix": (step, (3, 32, 32), (32, 32), 1),
    "matrices of one batch": (lambda h, w: step(h, w).sum(0), (32, 32), (3, 32, 32), 1),
    "other axes": (lambda h, w: (h @ w.transpose((1, 0, 2))[0].T).tanh(), (64, 32), (32, 1, 32), 1),
    "inf and nan": (lambda h, w: (h @ w.T) * (1 / (h - h)), (64, 32), (32, 32), 1),
}


@pytest.mark.parametrize("dtypes", [("float64", "float64"), ("float32", "float64"), ("float32", "float32")])
@pytest.mark.parametrize("which", TRANSPOSED)
def test_transposed_matrices_are_copied_once(which, dtypes):
    """If there are enough rows to pay for the copy."""
    f, left, right, copies = TRANSPOSED[which]
    f = through(2, f) if "other" not in which else f
    args = [data(*left, dtype=dtypes[0]), data(*right, dtype=dtypes[1], seed=1)]
    for passes in (ALL, ("upright",)):
        agree(f, args, passes, tolerance(np.float64 if "float64" in dtypes else np.float32))
    if dtypes[0] == dtypes[1]:
        assert calls_of(f, args, ("upright",))["copy"] == copies


def test_a_transposed_matrix_that_changes_is_copied_again():
    """The copy is made in each call, and a factor that is computed at each step has a copy of its own."""
    w = data(32, 32)
    fast = compile_function(lambda h: through(4, step)(h, w)[0])
    h = data(32, 32, seed=1)
    first = fast(h).numpy()
    w.assign(-w.numpy())
    np.testing.assert_allclose(fast(h).numpy(), first, rtol=1e-12)  # tanh is odd, and there are 4 steps
    w.assign(2 * w.numpy())
    assert not np.allclose(fast(h).numpy(), first)

    def growing(h, w):
        for _ in range(4):
            w = w + 1
            h = (h @ w.T).tanh() @ w.T
        return h

    agree(growing, [data(64, 32, seed=1), w], ALL)
