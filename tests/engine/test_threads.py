"""What several threads share loses nothing, while they are switched as often as Python can."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import repeat

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, optim, static
from autodiff.engine import edits

THREADS = 8


@pytest.fixture(autouse=True)
def _threads_switch_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(function, *args):
    """Call a function in several threads at once; returns what they return."""
    begin = threading.Barrier(THREADS)

    def run():
        begin.wait(20)
        return function(*args)

    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result() for future in [pool.submit(run) for _ in range(THREADS)]]


def repeatedly(count, function):
    """What calls a function so often."""
    return lambda: [function() for _ in range(count)]


@pytest.mark.parametrize(("start", "count"), [(np.zeros(100_000), 100), (0.0, 300), (np.zeros(3), 300)])
@pytest.mark.parametrize("looks", [False, True])
def test_what_walks_back_to_one_leaf_adds_up(start, count, looks):
    leaf = Tensor(start)

    def walk():
        (leaf * 1.0).sum().backward()
        if looks:
            assert leaf.grad is not None

    in_threads(repeatedly(count, walk))
    assert np.unique(leaf.grad.data) == THREADS * count


def test_recorded_gradients_add_up():
    leaf = Tensor(np.zeros(3))
    in_threads(repeatedly(30, lambda: (leaf * 1.0).sum().backward(create_graph=True)))
    assert leaf.grad.tolist() == [THREADS * 30] * 3


def test_hooks_are_registered_and_removed():
    kept, x = 50, Tensor(2.0)

    def register():
        for _ in range(kept):
            x.register_hook(lambda grad: None)
            x.register_hook(lambda grad: None).remove()

    in_threads(register)
    assert len(x._extras.hooks) == THREADS * kept

    def named():
        y = Tensor(1.0)
        in_one = [y.register_hook(lambda grad: None), setattr(y, "name", "y")]
        return len(y._extras.hooks), y.name, len(in_one)

    assert {*in_threads(named)} == {(1, "y", 2)}


def test_every_change_has_a_number_of_its_own():
    numbers = in_threads(lambda: [edits.new() for _ in range(2_000)])
    assert len({number for some in numbers for number in some}) == THREADS * 2_000


@pytest.mark.parametrize("start", [0.0, np.zeros(3), np.zeros(100_000)])
def test_in_place_updates_add_up(start):
    x = Tensor(start)

    def add():
        y = x
        for _ in range(100):
            y += 1.0

    in_threads(add)
    assert np.unique(x.data) == THREADS * 100


def test_elements_are_set_in_place():
    x, places = Tensor(np.zeros(THREADS * 50)), iter(range(THREADS * 50))
    in_threads(repeatedly(50, lambda: x.__setitem__(next(places), 1.0)))
    assert x.data.all()


@pytest.mark.parametrize("momentum", [0.1, None])
@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("checkpointed", [False, True])
def test_running_means_and_counts_miss_no_batch(momentum, lazy, checkpointed):
    count = 20
    layer = nn.LazyBatchNorm1d(momentum=momentum) if lazy else nn.BatchNorm1d(2, momentum=momentum)
    x = np.array([[1.0, 2.0], [3.0, 4.0]])

    def run():
        for _ in range(count):
            if checkpointed:
                ad.checkpoint(layer, Tensor(x)).sum().backward()
            else:
                layer(x)

    in_threads(run)
    batches = THREADS * count
    rate = 1 if momentum is None else 1 - (1 - momentum) ** batches
    assert layer.num_batches_tracked == batches
    np.testing.assert_allclose(layer.running_mean.data, np.array([2, 3]) * rate, rtol=1e-5)


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda: nn.LazyLinear(3), (2, 4)),
        (lambda: nn.LazyConv2d(3, 2), (1, 2, 4, 4)),
        (nn.LazyBatchNorm2d, (2, 3, 4, 4)),
    ],
    ids=["linear", "conv", "norm"],
)
def test_a_lazy_layer_is_made_once(make, shape):
    for _ in range(5):
        layer = make().eval()
        weights = in_threads(lambda layer=layer: (layer(np.ones(shape)), layer.weight.data.copy())[1])
        assert all(np.array_equal(weight, layer.weight.data) for weight in weights)


def test_static_variables_miss_no_update():
    with static.Graph() as graph:
        variable = static.Variable(0.0)
        session = static.Session(graph)
        session.run(static.global_variables_initializer())
        step = static.assign_add(variable, 1.0)
    in_threads(repeatedly(50, lambda: session.run(step)))
    assert session.run(variable) == THREADS * 50


def test_nodes_of_a_graph_have_names_of_their_own():
    graph = static.Graph()

    def add():
        with graph.as_default():
            return [static.constant(1.0).name for _ in range(50)]

    names = {name for some in in_threads(add) for name in some}
    assert len(names) == len(graph.nodes) == THREADS * 50
    variable = static.Variable(1.0)
    assert len({id(node) for node in in_threads(lambda: variable.initializer)}) == 1


def test_there_is_one_generator_from_the_first_use_on():
    before = ad.seeding.shared
    try:
        for _ in range(20):
            ad.seeding.shared = None
            assert len({id(generator) for generator in in_threads(ad.seeding.generator)}) == 1
    finally:
        ad.seeding.shared = before


@pytest.mark.parametrize("kind", [optim.SGD, optim.Adam])
def test_an_optimizer_counts_every_step(kind):
    weights = [Tensor(np.zeros(3)), Tensor(0.0)]
    optimizer = kind(weights, lr=0.5)
    for weight in weights:
        weight.grad = np.ones(weight.shape)
    in_threads(repeatedly(20, optimizer.step))
    assert {state["step"] for state in optimizer.state.values()} == {THREADS * 20}
    if kind is optim.SGD:
        assert weights[0].tolist() == [-0.5 * THREADS * 20] * 3


SCHEDULES = {
    "exponential": lambda optimizer: optim.ExponentialLR(optimizer, 0.99),
    "multiplicative": lambda optimizer: optim.MultiplicativeLR(optimizer, lambda step: 0.99),
    "sequential": lambda optimizer: optim.SequentialLR(
        optimizer, [optim.LinearLR(optimizer), optim.StepLR(optimizer, 7)], [9]
    ),
    "cyclic": lambda optimizer: optim.CyclicLR(optimizer, 0.1, 1.0),
    "plateau": lambda optimizer: optim.ReduceLROnPlateau(optimizer, factor=0.99, patience=0, min_lr=1e-9),
}


@pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES)
def test_a_schedule_misses_no_step(schedule):
    def rate_after(call):
        optimizer = optim.SGD([Tensor(0.0)], lr=0.5)
        scheduler = schedule(optimizer)
        metric = [1.0] if isinstance(scheduler, optim.ReduceLROnPlateau) else []
        call(lambda: scheduler.step(*metric))
        assert scheduler.last_epoch == THREADS * 20
        return optimizer.param_groups[0]["lr"]

    together = rate_after(lambda step: in_threads(repeatedly(20, step)))
    assert together == rate_after(lambda step: repeatedly(THREADS * 20, step)())


@pytest.mark.parametrize("clip", [optim.clip_grad_norm_, optim.clip_grad_value_])
def test_gradients_are_clipped_once(clip):
    for _ in range(20):
        weights = [Tensor(np.zeros(2)), Tensor(0.0)]
        weights[0].grad, weights[1].grad = np.array([3e30, 0.0]), 0.0
        in_threads(lambda weights=weights: clip(weights, 3.0))
        np.testing.assert_allclose(weights[0].grad.data, [3, 0], rtol=1e-6)


def test_parts_are_added_to_a_module_that_others_go_through():
    module, numbers = nn.Module(), iter(range(10**6))

    def add():
        for _ in range(20):
            number = next(numbers)
            setattr(module, f"layer{number}", nn.Linear(1, 1))
            module.register_buffer(f"buffer{number}", np.zeros(1))
            assert len([*module.parameters()]) <= 2 * THREADS * 20
            repr(module), module.state_dict(), module.train()

    in_threads(add)
    counts = [len([*parts()]) for parts in (module.parameters, module.buffers, module.children)]
    assert counts == [2 * THREADS * 20, THREADS * 20, THREADS * 20]


def test_hooks_of_a_module():
    layer, seen = nn.Identity(), []

    def run():
        for _ in range(30):
            with layer.register_forward_hook(lambda module, args, output: seen.append(1)):
                layer(1.0)

    in_threads(run)
    assert len(seen) >= THREADS * 30
    assert not layer._forward_hooks


@pytest.mark.parametrize("start", [0.0, np.zeros(3)])
def test_a_compiled_function_that_changes_tensors(start):
    total = Tensor(start)
    weight = Tensor(start)

    @ad.compile
    def step(x):
        (weight * x).sum().backward()
        total.assign(total + x)
        return x * 1

    step(1.0)  # while there is no gradient yet
    step(1.0)
    in_threads(repeatedly(50, lambda: step(1.0)))
    assert np.unique(total.data) == np.unique(weight.grad.data) == THREADS * 50 + 2


@pytest.mark.parametrize("start", [0.0, np.zeros(3)])
def test_compiled_functions_and_plain_walks_back_to_one_leaf_that_has_no_gradient_yet(start):
    for _ in range(5):
        weight = Tensor(start)

        def walk(x, weight=weight):
            (weight * x).sum().backward()
            return x * 1

        shared = ad.compile(walk)
        walks = iter([shared, shared, ad.compile(walk), walk] * 2)

        def run(walks=walks):
            for call in repeat(next(walks), 10):
                call(1.0)

        in_threads(run)
        assert np.unique(weight.grad.data) == THREADS * 10


def test_a_function_is_compiled_once():
    for _ in range(5):
        calls = []
        fast = ad.compile(lambda x, calls=calls: (calls.append(1), (x * x).sum())[1])
        assert {*in_threads(lambda fast=fast: float(fast(np.arange(3.0))))} == {5.0}
        assert len(calls) == 1


def test_compiled_and_vmapped_functions_are_called_at_once():
    fast = ad.compile(ad.value_and_grad(lambda x: (x * x).sum()))
    each = ad.vmap(ad.grad(lambda x: x * x))

    def run():
        for size in (1, 2, 3) * 3:
            x = np.arange(float(size))
            value, slope = fast(Tensor(x))
            assert (float(value), slope.tolist()) == (x @ x, [*(2 * x)])
            assert each(x).tolist() == [*(2 * x)]

    in_threads(run)


def test_what_is_switched_on_in_one_thread():
    def run():
        for place in range(30):
            with ad.no_grad() if place % 2 else nullcontext(), ad.scope(str(place)):
                y = Tensor(2.0) * 3
                assert (y.requires_grad, y.scope) == ((False, ()) if place % 2 else (True, (str(place),)))
            assert ad.grad(lambda x: x * x)(3.0) == 6

    in_threads(run)
    from autodiff.engine import recording

    assert not recording.open_blocks


@pytest.mark.parametrize("draw", [lambda: ad.rand(4), lambda: ad.compile(lambda x: x + ad.rand(4))(0.0)])
def test_no_number_is_drawn_twice(draw):
    rows = [row.tolist() for some in in_threads(repeatedly(15, draw)) for row in some]
    assert len({number for row in rows for number in row}) == THREADS * 15 * 4


@pytest.mark.parametrize("generator", [None, 0])
def test_one_loader_serves_several_loops(generator):
    loader = ad.data.DataLoader(ad.data.TensorDataset(np.arange(40.0)), 8, shuffle=True, generator=generator)

    def orders():
        return [tuple(number for (batch,) in loader for number in batch.tolist()) for _ in range(3)]

    found = [order for some in in_threads(orders) for order in some]
    assert {tuple(sorted(order)) for order in found} == {tuple(range(40))}
    if generator is None:
        assert len({*found}) == THREADS * 3


def test_a_session_runs_for_several_threads_with_their_own_feeds():
    with static.Graph() as graph:
        x = static.placeholder(name="x")
        square, step = x * x, static.assign_add(static.Variable(0.0), 1.0)
        start = static.global_variables_initializer()
    session = static.Session(graph)
    session.run(start)

    def run():
        for number in range(20):
            found, _ = session.run([square, step], {x: float(number)})
            assert found == number * number
            with static.Graph() as mine:  # the default graph of this thread
                assert static.constant(1.0).graph is static.get_default_graph() is mine

    with graph.as_default():
        in_threads(run)


def test_one_picture_is_drawn_for_several_threads():
    a, b = Tensor(2.0, name="a"), Tensor(3.0, name="b")
    e = a * b + a
    e.backward()
    drawing, expected = ad.draw(e), str(ad.draw(e))
    assert {*in_threads(lambda: str(ad.draw(e)))} == {expected}
    assert len({*in_threads(lambda: drawing.svg)}) == 1
    assert len({*in_threads(lambda: (str(ad.film(e)), str(ad.explain(e, a))))}) == 1


def test_no_number_is_drawn_twice_while_a_function_is_checkpointed():
    ad.seed(0)
    stop = threading.Event()

    def draw():
        found = []
        while not stop.is_set() and len(found) < 3000:
            found.append(ad.seeding.generator().random())
        return found

    drawn = []
    other = threading.Thread(target=lambda: drawn.extend(draw()))
    other.start()
    for _ in range(60):
        x = Tensor(np.ones(50))
        y = ad.checkpoint(lambda x: nn.functional.dropout(x, 0.5), x)
        y.sum().backward()
        np.testing.assert_array_equal(x.grad.data, y.data)
    stop.set()
    other.join()
    assert len(drawn) == len({*drawn})
