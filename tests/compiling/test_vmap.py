"""ad.vmap gives what a loop over the examples gives, with derivatives inside and outside, compiled or not."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest

try:
    import jax  # here, since the import draws from NumPy's global generator
except ImportError:
    jax = None

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.compiling.batching import Batch
from autodiff.compiling.batching_sums import total
from autodiff.compiling.graph import ProgramGraph
from autodiff.engine import recording
from autodiff.engine.tracing import TraceError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 2))
Y = RNG.normal(size=(3, 2))
W = RNG.normal(size=(2, 2))


def stacked(f, *batches):
    """The results of a loop."""
    return np.stack(
        [np.asarray(ad.as_tensor(f(*map(Tensor, row))).data) for row in zip(*batches, strict=True)]
    )


def same(found, expected, rtol=1e-12):
    np.testing.assert_allclose(np.asarray(getattr(found, "data", found)), expected, rtol=rtol, atol=1e-12)


def curved(x):
    """A number, whose Hessian is full."""
    return (ad.sin(x) @ W * x).sum() * x[0]


def curves(x):
    """A vector."""
    return ad.tanh(x @ W) * x.sum()


# -- derivatives and programs, inside and outside ----------------------------------------------------------

INSIDE = {
    "value": lambda f: f,
    "grad": lambda f: ad.grad(lambda x: f(x).sum()),
    "value_and_grad": lambda f: lambda x: ad.stack(ad.value_and_grad(lambda x: f(x)[0])(x)[1], x),
    "jacobian": ad.jacobian,
    "forward": lambda f: ad.jacobian(f, mode="forward"),
    "reverse": lambda f: ad.jacobian(f, mode="reverse"),
    "hessian": lambda f: ad.hessian(lambda x: f(x).sum()),
    "jvp": lambda f: lambda x: ad.jvp(f, (x,), (np.ones(2),))[1],
    "hvp": lambda f: lambda x: ad.hvp(lambda x: f(x).sum(), (x,), (np.ones(2),))[0],
    "vjp": lambda f: lambda x: ad.vjp(f, x)[1](x.detach())[0],
}


@pytest.mark.parametrize("name", INSIDE)
@pytest.mark.parametrize("way", ["plain", "compiled", "compiled inside"])
def test_derivatives_inside(name, way):
    f = INSIDE[name](curves)
    over_a_batch = ad.vmap(ad.compile(f) if way == "compiled inside" else f)
    over_a_batch = ad.compile(over_a_batch) if way == "compiled" else over_a_batch
    for _ in range(2):
        same(over_a_batch(Tensor(X)), stacked(f, X))
    found = over_a_batch(X)
    assert isinstance(found, Tensor)
    assert not found.requires_grad


def over_rows(f):
    return lambda x: ad.stack([f(x[i]) for i in range(len(X))])


OUTSIDE = {
    "grad": lambda f: ad.grad(lambda x: (f(x) ** 2).sum()),
    "jacobian forward": lambda f: ad.jacobian(f, mode="forward"),
    "jacobian reverse": lambda f: ad.jacobian(f, mode="reverse"),
    "hessian": lambda f: ad.hessian(lambda x: (f(x) ** 2).sum()),
    "jvp": lambda f: lambda x: ad.jvp(f, (x,), (Y,))[1],
    "hvp": lambda f: lambda x: ad.hvp(lambda x: (f(x) ** 2).sum(), (x,), (Y,))[0],
    "third": lambda f: ad.grad(lambda x: ad.grad(lambda x: ad.grad(lambda x: f(x).sum())(x)[0, 0])(x)[0, 0]),
}


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("way", ["plain", "compiled", "compiled inside", "compiled between"])
def test_derivatives_outside(name, way):
    derivative = OUTSIDE[name]
    over_a_batch = ad.vmap(ad.compile(curved) if way == "compiled inside" else curved)
    over_a_batch = ad.compile(over_a_batch) if way == "compiled between" else over_a_batch
    found = derivative(over_a_batch)
    found = ad.compile(found) if way == "compiled" else found
    same(found(Tensor(X)), derivative(over_rows(curved))(Tensor(X)).data, rtol=1e-10)


def test_jacobian_by_vmap_of_vjp():
    x = Tensor(X[0])
    _, pull = ad.vjp(curves, x)
    same(ad.vmap(lambda row: pull(row)[0])(np.eye(2)), ad.jacobian(curves)(x).data)


def test_hessian_by_vmap_of_jvp_of_grad():
    x = Tensor(X[0])
    found = ad.vmap(lambda v: ad.jvp(ad.grad(curved), (x,), (v,))[1])(np.eye(2))
    same(found, ad.hessian(curved)(x).data)


def test_gradients_between_two_maps():
    def outer(x):
        return ad.grad(lambda s: ad.vmap(lambda y: curved(s * y * x))(Y).sum())(x)

    expected = stacked(lambda x: ad.grad(lambda s: sum(curved(s * Tensor(y) * x) for y in Y))(x), X)
    same(ad.vmap(outer)(X), expected)
    same(ad.compile(ad.vmap(outer))(X), expected)


def test_maps_in_maps_close_over_outer_examples():
    a, b, c = RNG.normal(size=3), RNG.normal(size=4), RNG.normal(size=2)
    w = Tensor(2.0)

    def nested(a, b, c):
        return ad.vmap(lambda x: ad.vmap(lambda y: ad.vmap(lambda z: x * y * z * w)(c))(b))(a)

    expected = 2 * np.einsum("i,j,k->ijk", a, b, c)
    same(nested(Tensor(a), Tensor(b), Tensor(c)), expected)
    same(ad.compile(nested)(a, b, c), expected)
    same(ad.grad(lambda b: nested(a, b, c).sum())(b), np.full(4, 2 * a.sum() * c.sum()))
    nested(a, b, c).sum().backward()
    same(w.grad, expected.sum() / 2)


def test_all_pairs_by_two_maps():
    pairs = ad.vmap(ad.vmap(lambda x, y: (x * y).sum(), in_axes=(None, 0)), in_axes=(0, None))
    same(pairs(X, Y), X @ Y.T)
    same(ad.jacobian(lambda x: pairs(x, Y))(X), np.einsum("ik,jl->ijkl", np.eye(3), Y))


# -- networks ----------------------------------------------------------------------------------------------


@pytest.fixture
def net():
    ad.seed(0)
    layers = nn.Sequential(nn.Linear(2, 5), nn.ReLU(), nn.LayerNorm(5), nn.Linear(5, 3))
    return layers.to(np.float64) if hasattr(layers, "to") else layers


LABELS = np.array([0, 2, 1])


def test_gradients_of_each_example_of_a_network(net):
    parameters = list(net.parameters())

    def gradients(x, label):
        return ad.gradients(nn.functional.cross_entropy(net(x), label), parameters)

    found = ad.vmap(gradients)(X, LABELS)
    by_program = ad.compile(ad.vmap(gradients))(X, LABELS)
    rows = [gradients(Tensor(x), label) for x, label in zip(X, LABELS, strict=True)]
    for place, parameter in enumerate(parameters):
        expected = np.stack([row[place].data for row in rows])
        assert found[place].shape == (3, *parameter.shape)
        for mine in (found[place], by_program[place]):
            np.testing.assert_allclose(mine.data, expected, rtol=1e-5, atol=1e-6)
        assert parameter.grad is None


def test_gradients_of_each_example_with_respect_to_a_dict():
    parameters = {"w": RNG.normal(size=(2, 3)), "b": RNG.normal(size=3)}

    def loss(p, x, label):
        return nn.functional.cross_entropy(ad.tanh(x @ p["w"] + p["b"]), label)

    found = ad.vmap(ad.grad(loss), in_axes=(None, 0, 0))(parameters, X, LABELS)
    by_program = ad.compile(ad.vmap(ad.grad(loss), in_axes=(None, 0, 0)))(parameters, X, LABELS)
    for name in parameters:
        rows = [ad.grad(loss)(parameters, x, label)[name].data for x, label in zip(X, LABELS, strict=True)]
        same(found[name], rows)
        same(by_program[name], rows)


def test_a_network_trains_through_a_map(net):
    loss = ad.vmap(lambda x, label: nn.functional.cross_entropy(net(x), label))(X, LABELS).mean()
    loss.backward()
    found = [parameter.grad.data.copy() for parameter in net.parameters()]
    net.zero_grad()
    nn.functional.cross_entropy(net(Tensor(X)), LABELS).backward()
    for mine, parameter in zip(found, net.parameters(), strict=True):
        np.testing.assert_allclose(mine, parameter.grad.data, rtol=1e-5, atol=1e-6)


def test_a_network_is_an_argument(net):
    same(ad.vmap(lambda net, x: net(x), in_axes=(None, 0))(net, X), net(Tensor(X)).data, rtol=1e-5)


def test_convolutions_of_each_example():
    ad.seed(0)
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 2))
    pictures, parameters = RNG.normal(size=(3, 1, 6, 6)), list(net.parameters())

    def gradients(x):
        return ad.gradients((net(x[None]) ** 2).sum(), parameters)

    found = ad.vmap(gradients)(pictures)
    rows = [gradients(Tensor(x)) for x in pictures]
    for place, mine in enumerate(found):
        np.testing.assert_allclose(mine.data, [row[place].data for row in rows], rtol=1e-4, atol=1e-5)


def test_captured_tensors_are_read_at_each_call():
    w = Tensor(3.0)
    scaled = ad.vmap(lambda x: x * w)
    same(scaled(X), X * 3)
    w.assign(5.0)
    same(scaled(X), X * 5)


def test_the_gradient_of_what_all_examples_share_is_the_sum():
    w, b = Tensor(W), Tensor(2.0)
    ad.vmap(lambda x, w: ((x @ w) ** 2).sum() * b, in_axes=(0, None))(X, w).sum().backward()
    found = w.grad.data, b.grad.data
    w.zero_grad()
    b.zero_grad()
    (((Tensor(X, requires_grad=False) @ w) ** 2).sum() * b).backward()
    same(found[0], w.grad.data)
    same(found[1], b.grad.data)


def test_a_shared_weight_has_no_gradient_for_each_example(monkeypatch):
    from autodiff.compiling import batching

    shapes = []
    matmul = batching.RULES["matmul"]

    def noted(node, front, args):
        shapes.append((*front, *node.shape))
        return matmul(node, front, args)

    monkeypatch.setitem(batching.RULES, "matmul", noted)
    w = Tensor(W)
    ad.vmap(lambda x: ad.tanh(x @ w).sum())(X).sum().backward()
    assert (3, 2) in shapes
    assert (3, 2, 2) not in shapes


def test_the_sum_of_what_is_the_same_for_all_examples_counts_them():
    graph = ProgramGraph()
    w = graph.input("w", (2, 2))
    values = {w: Batch(W, ())}
    same(total(w, values, 3), 3 * W)
    same(total(graph.matmul(w, w), values, 3), 3 * W @ W)


# -- the meaning is that of a loop -------------------------------------------------------------------------


def half_constant(x):
    with ad.no_grad():
        doubled = x * 2
    return (doubled * x + x.detach() * x).sum()


@pytest.mark.parametrize("f", [
    half_constant,
    lambda x: (ad.relu(x) + ad.abs(x) + ad.maximum(x, 0)).sum(),
    lambda x: ad.norm(x * 0) + ad.sqrt(ad.norm(x)),
    lambda x: ad.max(ad.concatenate(x, x)),
], ids=["detach and no_grad", "corners", "norm of 0", "ties"])  # fmt: skip
def test_slopes_are_those_of_the_function_s_own_rules(f):
    points = np.concatenate([X, np.zeros((1, 2))])[: 3 if "sqrt" in f.__code__.co_names else 4]
    expected = stacked(ad.grad(lambda x: f(x).sum()), points)
    same(ad.vmap(ad.grad(lambda x: f(x).sum()))(points), expected)
    same(ad.grad(lambda x: ad.vmap(f)(x).sum())(points), expected)


def test_a_custom_operation_keeps_its_rule():
    @ad.operation
    def straight(x):
        return np.round(x)

    straight.backward(lambda grad, z, x: grad)
    same(ad.grad(lambda x: (ad.vmap(straight)(x) * Y).sum())(X), Y)


def dropped(x):
    return nn.functional.dropout(x, 0.5) ** 2


@pytest.mark.parametrize("change", [
    lambda f: f, ad.compile, lambda f: ad.grad(lambda x: f(x).sum()),
    lambda f: ad.compile(ad.grad(lambda x: f(x).sum())),
])  # fmt: skip
def test_random_numbers_are_drawn_for_each_example_in_the_order_of_a_loop(change):
    fast = change(ad.vmap(dropped))
    slow = change(lambda x: ad.stack([dropped(x[i]) for i in range(len(X))]))
    results = []
    for f in (fast, slow):
        ad.seed(3)
        results.append([f(Tensor(X)).data for _ in range(3)])
    same(np.array(results[0]), np.array(results[1]))
    assert not np.array_equal(results[0][0], results[0][1])


def test_random_numbers_in_nested_maps():
    ad.seed(3)
    found = ad.vmap(ad.vmap(dropped))(X)
    ad.seed(3)
    same(found, [[dropped(Tensor(x)).data for x in row] for row in X])


def test_a_generator_is_used_and_advanced_as_in_a_loop():
    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    found = ad.vmap(lambda x: x + ad.randn(2, generator=ours))(X)
    same(found, [x + ad.randn(2, generator=theirs).data for x in X])
    assert ours.random() == theirs.random()


def assigned(x, w):
    w.assign(x)
    return x


def walked(x, w):
    (w * x).sum().backward()
    return w.grad


@pytest.mark.parametrize("is_argument", [True, False])
def test_a_change_of_a_tensor_is_refused_and_undone(is_argument):
    w = Tensor([1.0, 2.0], name="w")
    f = (lambda f: ad.vmap(f, (0, None))(X, w)) if is_argument else (lambda f: ad.vmap(lambda x: f(x, w))(X))
    with pytest.raises(TraceError, match="changes the Tensor 'w'"):
        f(assigned)
    with pytest.raises(TraceError, match="the gradient of the Tensor 'w'"):
        f(walked)
    assert w.grad is None
    same(w, [1, 2])
    w.grad = [3.0, 4.0]
    with pytest.raises(TraceError, match="the gradient of the Tensor 'w'"):
        f(walked)
    same(f(lambda x, w: x * w), X * [1, 2])
    same(w.grad, [3, 4])


def test_a_gradient_that_each_example_would_leave_is_refused():
    x = Tensor(X)
    with pytest.raises(TraceError, match="returns gradients"):
        ad.vmap(lambda x: (x * x).sum().backward() or x)(x)
    assert x.grad is None


def test_running_statistics_are_refused():
    norm = nn.BatchNorm1d(2)
    with pytest.raises(TraceError, match="evaluation mode"):
        ad.vmap(norm)(np.ones((3, 4, 2)))
    norm.eval()
    assert ad.vmap(norm)(np.ones((3, 4, 2))).shape == (3, 4, 2)


def test_after_an_error_everything_is_as_before():
    def wrong(x):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ad.vmap(ad.vmap(wrong))(X)
    with pytest.raises(ZeroDivisionError):
        ad.compile(ad.vmap(wrong))(X)
    assert recording.current().trace is None
    assert not recording.open_blocks
    same(ad.vmap(lambda x: x * 2)(X), X * 2)


def test_an_error_inside_leaves_the_outer_function_whole():
    def outer(x):
        with pytest.raises(ZeroDivisionError):
            ad.vmap(lambda y: 1 // 0)(x)
        return x * 2

    same(ad.vmap(outer)(X), X * 2)
    same(ad.compile(outer)(X), X * 2)


def test_a_symbol_that_leaks_out_is_refused():
    leaked = []
    ad.vmap(lambda x: leaked.append(x) or x)(X)
    with pytest.raises(TraceError):
        ad.vmap(lambda x: x + leaked[0])(X)


def test_threads():
    results = {}

    def work(number):
        for _ in range(20):
            results[number] = ad.vmap(ad.grad(lambda x: curved(x * number)))(X)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, found in results.items():
        same(found, stacked(ad.grad(lambda x, n=number: curved(x * n)), X))


def test_gradients_are_recorded_for_tensors_that_require_them_and_not_under_no_grad():
    x = Tensor(X)
    assert ad.vmap(curved)(x).requires_grad
    assert not ad.vmap(curved)(X).requires_grad
    assert ad.vmap(ad.grad(curved))(x).requires_grad
    with ad.no_grad():
        assert not ad.vmap(curved)(x).requires_grad


# -- arguments and results ---------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("out", [0, 1, -1, -2])
@pytest.mark.parametrize("size", [0, 1, 4])
def test_every_axis(axis, out, size):
    examples = RNG.normal(size=(size, 2, 3))
    given = np.moveaxis(examples, 0, axis)
    f = ad.vmap(lambda x: ad.exp(x.T) @ W, axis, out)
    same(f(given), np.moveaxis(np.exp(examples.swapaxes(1, 2)) @ W, 0, out))
    weights = RNG.normal(size=f(given).shape)
    gradient = ad.grad(lambda x: (f(x) * weights).sum())(given)
    same(gradient, ad.grad(lambda x: (ad.exp(ad.swapaxes(ad.moveaxis(x, axis, 0), 1, 2)) @ W
                                      * np.moveaxis(weights, out, 0)).sum())(given).data)  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.bool_])
def test_dtypes_stay(dtype):
    values = np.array([[1, 0], [1, 1]], dtype)
    assert ad.vmap(lambda x: x)(values).dtype == dtype
    assert ad.vmap(lambda x: x[0])(values).dtype == dtype
    assert ad.vmap(lambda x: ad.where(x > 0, np.float32(2), x))(values).dtype == np.result_type(
        dtype, np.float32
    )


@pytest.mark.parametrize("layout", [
    np.asfortranarray, lambda x: np.repeat(x, 2, 0)[::2], lambda x: x[::-1, ::-1][::-1, ::-1],
    lambda x: np.broadcast_to(x[:1], x.shape),
])  # fmt: skip
def test_memory_layouts(layout):
    given = layout(X)
    given.flags.writeable = False
    same(ad.vmap(curved)(given), stacked(curved, given))
    same(ad.vmap(ad.grad(curved))(given), stacked(ad.grad(curved), given))


def test_structures_of_axes():
    given = {"a": Tensor(X), "b": [Tensor(Y.T), 3.0]}

    def f(tree, scale):
        return {"sum": tree["a"] + tree["b"][0] * tree["b"][1], "pair": (tree["a"] * scale, tree["a"].sum())}

    axes = ({"a": 0, "b": [1, None]}, None)
    found = ad.vmap(f, in_axes=axes, out_axes={"sum": 1, "pair": (-1, 0)})(given, 2.0)
    same(found["sum"], (X + 3 * Y).T)
    same(found["pair"][0], 2 * X.T)
    same(found["pair"][1], X.sum(1))
    same(ad.vmap(f, in_axes=(0, None))({"a": X, "b": [Y, np.full(3, 3.0)]}, 2.0)["sum"], X + 3 * Y)


def test_lists_of_numbers_are_arrays():
    same(ad.vmap(lambda x, y: x * y, (0, None))([1.0, 2.0], [3.0, 4.0]), [[3, 4], [6, 8]])
    assert ad.vmap(lambda i: i)([1, 2]).dtype == int


def test_none_and_keywords_are_passed_on():
    def f(x, bias, power=1):
        assert bias is None
        return x**power

    same(ad.vmap(f)(X, None, power=2), X**2)


def test_plain_results_are_plain_and_constants_are_repeated():
    w = np.ones(2)
    positive, number, array, place = ad.vmap(lambda x: (x > 0, 3, w, ad.argmax(x)))(Tensor(X))
    np.testing.assert_array_equal(positive, X > 0)
    assert type(positive) is np.ndarray
    assert number.dtype == int
    np.testing.assert_array_equal(number, [3, 3, 3])
    array[...] = 0
    np.testing.assert_array_equal(w, [1, 1])
    np.testing.assert_array_equal(place.data, X.argmax(1))


def test_a_result_without_an_axis_is_the_same_for_all_examples():
    w = Tensor([1.0, 2.0])
    same_x, doubled = ad.vmap(lambda x: (x, w * 2), out_axes=(0, None))(X)
    same(same_x, X)
    same(doubled, [2, 4])
    doubled.sum().backward()
    same(w.grad, [2, 2])
    with pytest.raises(ValueError, match="depends on the examples"):
        ad.vmap(lambda x: x * w, out_axes=None)(X)


def test_results_and_arguments_share_no_memory():
    x = Tensor(X)
    one, other, turned = ad.vmap(lambda x: (x, x, x.reshape(1, 2)))(x)
    arrays = [x.data, one.data, other.data, turned.data]
    for place, array in enumerate(arrays):
        assert not any(np.shares_memory(array, other) for other in arrays[place + 1 :])


def test_indices_are_examples():
    table = Tensor(RNG.normal(size=(4, 3, 2)))
    rows, columns = np.array([0, 3, 3]), np.array([2, 0, 1])

    def f(t, i, j):
        return ad.stack(t[i, j], t[:, j, i % 2][:2], t[:, [0, 1], j % 2][i % 4, :2], t[i, :2, [0]][0])

    expected = stacked(lambda i, j: f(table, int(i.data), int(j.data)), rows, columns)
    same(ad.vmap(f, (None, 0, 0))(table, rows, columns), expected)
    gradient = ad.grad(lambda t: (ad.vmap(f, (None, 0, 0))(t, rows, columns) ** 2).sum())(table)
    by_hand = ad.grad(lambda t: sum((f(t, i, j) ** 2).sum() for i, j in zip(rows, columns, strict=True)))(
        table
    )
    same(gradient, by_hand.data)


def test_matrices_of_each_example():
    matrices = RNG.normal(size=(3, 2, 2)) + 3 * np.eye(2)
    for f in (ad.inv, ad.det, ad.logdet, lambda a: ad.svd(a)[1], lambda a: ad.eigh(a + a.T)[0],
              lambda a: ad.cholesky(a @ a.T), lambda a: ad.solve(a, X[0]), lambda a: ad.solve(W, a),
              lambda a: ad.solve(a, W), ad.sort, ad.argmax, lambda a: ad.cumsum(a, axis=0)):  # fmt: skip
        same(ad.vmap(f)(matrices), stacked(f, matrices))
        if f is not ad.argmax:
            whole = ad.grad(lambda a, f=f: (ad.vmap(f)(a) ** 2).sum())(matrices)
            same(whole, stacked(ad.grad(lambda a, f=f: (f(a) ** 2).sum()), matrices), rtol=1e-9)
    same(ad.vmap(ad.solve)(matrices, X), stacked(ad.solve, matrices, X))
    same(ad.vmap(ad.solve, (None, 0))(W, X), np.linalg.solve(W, X.T).T)


def test_symbols_of_the_function_around():
    def f(x):
        return ad.vmap(lambda y: y * (x > 0) + np.where(x > 0, x, -x))(np.ones((2, 2)))

    for x in X:
        same(ad.compile(f)(x), np.ones((2, 2)) * (x > 0) + np.abs(x))


# -- errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda: ad.vmap(3), TypeError, "takes a function"),
    (lambda: ad.vmap(lambda x, y: x)(X, np.ones(2)), ValueError, "x has 3 examples and y has 2"),
    (lambda: ad.vmap(lambda p: p)({"a": X, "b": [np.ones(2)]}), ValueError,
     r"p\['a'\] has 3 examples and p\['b'\]\[0\] has 2"),
    (lambda: ad.vmap(lambda *xs: xs)(X, np.ones(2)), ValueError, "argument 1 has 2"),
    (lambda: ad.vmap(lambda x: x, None)(X), ValueError, "no argument has examples"),
    (lambda: ad.vmap(lambda: 1)(), ValueError, "no argument has examples"),
    (lambda: ad.vmap(lambda x: x, 2)(X), ValueError, "x, an array of shape .3, 2., has no axis 2"),
    (lambda: ad.vmap(lambda x: x, -3)(X), ValueError, "has no axis -3"),
    (lambda: ad.vmap(lambda x: x)(Tensor(3.0)), ValueError, "the Tensor 3, has no axis 0"),
    (lambda: ad.vmap(lambda x, y: x)(X, 3.0), TypeError, "y is 3.0, not an array"),
    (lambda: ad.vmap(lambda x, y: x)(X, "a"), TypeError, "y is 'a', not an array"),
    (lambda: ad.vmap(lambda x: x, (0, 0))(X), ValueError, "in_axes has 2 axes, .* 1 arguments"),
    (lambda: ad.vmap(lambda x: x, 1.5)(X), TypeError, "in_axes for x is an axis"),
    (lambda: ad.vmap(lambda x: x, True)(X), TypeError, "in_axes for x is an axis"),
    (lambda: ad.vmap(lambda p: p, ({"b": 0},))({"a": X}), ValueError, "structure"),
    (lambda: ad.vmap(lambda p: p, ([0, 0],))([X]), ValueError, "structure"),
    (lambda: ad.vmap(lambda x: x, out_axes=(0, 0))(X), ValueError, "out_axes is .0, 0., .*structure"),
    (lambda: ad.vmap(lambda x: x, out_axes=2)(X), ValueError, "no axis 2"),
    (lambda: ad.vmap(lambda x: x, out_axes="sum")(X), TypeError, "out_axes is an axis"),
    (lambda: ad.vmap(lambda x: None)(X), TypeError, "returns Tensors, arrays or numbers, not None"),
    (lambda: ad.vmap(lambda x: (x, "a"))(X), TypeError, "not 'a'"),
    (lambda: ad.vmap(lambda x: x if x.sum() > 0 else -x)(X), TraceError, "ad.where"),
    (lambda: ad.vmap(lambda x: float(x.sum()))(X), TraceError, "needs the value"),
    (lambda: ad.vmap(lambda x: x[x > 0])(X), TraceError, "mask"),
    (lambda: ad.vmap(lambda x: ad.masked_select(x, x > 0))(X), TraceError, "mask"),
])  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


class Peeking(ad.Function):
    @staticmethod
    def forward(ctx, x):
        return x * float(x.sum())

    @staticmethod
    def backward(ctx, grad):
        return grad


NET = nn.Linear(3, 1)
STEPS = {
    "decision": lambda x: x if x.sum() > 0 else -x,
    "float": lambda x: float(x.sum()),
    "list": lambda x: x.tolist(),
    "array": lambda x: np.zeros(3).__setitem__(0, x[0]),
    "mask": lambda x: x[x > 0],
    "Function": Peeking.apply,
    "seed": lambda x: ad.seed(0),
    "anomaly": lambda x: ad.detect_anomaly().__enter__(),
    "clipping": lambda x: nn.utils.clip_grad_norm_(NET.parameters(), 1.0),
    "step": lambda x: ad.optim.SGD(NET.parameters()).step(),
    "unknown": lambda x: np.unique(x.data),
    "at": lambda x: np.multiply.at(x.data, [0], 2.0),
    "generator": lambda x: np.random.default_rng(0) and x.data.nothing,
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("around", [lambda f: f, ad.grad, lambda f: lambda x: ad.vmap(f)(ad.stack([x, x]))])
def test_errors_speak_of_vmap_and_not_of_compiling(step, around):
    with pytest.raises((TraceError, AttributeError, TypeError)) as caught:
        ad.vmap(around(step), in_axes=0)(X)
    assert not re.search("compil|a sequence", str(caught.value).partition(";\n  in ")[0])
    with pytest.raises((TraceError, AttributeError, TypeError)) as caught:
        ad.compile(step)(X[0])
    assert not {"vmap", "sequence"} & {*str(caught.value).partition(";\n  in ")[0].split()}


# -- other libraries ---------------------------------------------------------------------------------------


def test_against_jax():
    if jax is None:
        pytest.skip("jax is not installed")
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        check_against(jax.numpy)


def check_against(jnp):
    """The same functions in JAX give the same numbers."""

    def loss(np_like, p, x, y):
        return ((np_like.tanh(x @ p["w"]) - y) ** 2).sum()

    p = {"w": W}
    ours = ad.vmap(ad.grad(lambda p, x, y: loss(ad, p, x, y)), (None, 0, 1), out_axes=1)(p, X, Y.T)
    theirs = jax.vmap(jax.grad(lambda p, x, y: loss(jnp, p, x, y)), (None, 0, 1), out_axes=1)(p, X, Y.T)
    same(ours["w"], np.asarray(theirs["w"]))
    ours = ad.hessian(lambda x: (ad.vmap(lambda x, y: loss(ad, p, x, y), (0, 1))(x, Y.T) ** 2).sum())(X)
    theirs = jax.hessian(lambda x: (jax.vmap(lambda x, y: loss(jnp, p, x, y), (0, 1))(x, Y.T) ** 2).sum())(X)
    same(ours, np.asarray(theirs), rtol=1e-9)
    nested = [
        module.vmap(module.vmap(lambda x, y: (x * y).sum(), (None, 0)), (0, None))(X, Y)
        for module in (ad, jax)
    ]
    same(nested[0], np.asarray(nested[1]))


def test_against_pytorch():
    torch = pytest.importorskip("torch")
    ours = ad.vmap(ad.grad(lambda w, x: ad.tanh(x @ w).sum()), (None, 0))(W, X)
    w, x = torch.tensor(W), torch.tensor(X)
    theirs = torch.func.vmap(torch.func.grad(lambda w, x: torch.tanh(x @ w).sum()), (None, 0))(w, x)
    same(ours, theirs.numpy())
