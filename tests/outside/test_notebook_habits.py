"""What people do in notebooks: cells run twice, plots, lists of losses, threads, tasks, copies."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim


def test_a_cell_that_runs_twice_adds_its_gradients():
    w = ad.Tensor(3.0)
    cell = "loss = w * w\nloss.backward()"
    names = {"w": w}
    exec(cell, names)
    exec(cell, names)
    assert w.grad == 12
    w.zero_grad()
    exec(cell, names)
    assert w.grad == 6


def test_losses_are_collected_and_plotted():
    plt = pytest.importorskip("matplotlib.pyplot")
    w, losses, kept = ad.Tensor(3.0), [], []
    for _ in range(10):
        loss = (w - 1) ** 2
        loss.backward()
        with ad.no_grad():
            w -= 0.1 * w.grad
        losses.append(float(loss))
        kept.append(loss.detach())
    figure, axes = plt.subplots()
    (line,) = axes.plot(losses)
    np.testing.assert_allclose(line.get_ydata(), [4 * 0.64**i for i in range(10)])
    axes.plot(np.array(kept))
    axes.plot(ad.tensor([1.0, 2.0]), ad.tensor([3.0, 4.0]))
    axes.set_title(f"{loss:.3f} after {len(losses)} steps")
    plt.close(figure)


def test_numbers_are_printed_inside_of_a_function_that_is_differentiated(capsys):
    def f(x):
        y = x**2
        print("y is", y, f"{y:.2f}", repr(y))  # noqa: T201
        return y * x

    assert ad.grad(f)(2.0) == 12
    assert capsys.readouterr().out == "y is 4 4.00 4\n"


def test_a_function_decides_by_a_value():
    def clipped(x):
        if x > 1:
            return x * 0 + 1
        return x * x

    assert (ad.grad(clipped)(0.5), ad.grad(clipped)(2.0)) == (1, 0)


def test_a_table_of_losses():
    pd = pytest.importorskip("pandas")
    w = ad.Tensor([1.0, 2.0, 3.0])
    series = pd.Series([10.0, 20.0, 30.0], index=[2, 1, 0])
    loss = (w * series.to_numpy()).sum()
    loss.backward()
    assert w.grad.tolist() == [10, 20, 30]
    table = pd.DataFrame({"loss": [loss.item(), float(loss)], "step": [0, 1]})
    assert table.loss.tolist() == [140, 140]


def test_a_thread_pool_of_gradients():
    rosenbrock = lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()
    starts = np.random.default_rng(0).normal(size=(40, 5))
    alone = [np.asarray(ad.grad(rosenbrock)(x)) for x in starts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda x: np.asarray(ad.grad(rosenbrock)(x)), starts))
    np.testing.assert_array_equal(alone, together)


def test_threads_add_to_one_weight():
    w = ad.Tensor(np.zeros(2000))

    def walk(_):
        for _ in range(50):
            (w * 1.0).sum().backward()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(walk, range(8)))
    assert (w.grad.data == 400).all()


def test_no_grad_stays_with_its_task():
    w = ad.Tensor(2.0)

    async def judge():
        with ad.no_grad():
            await asyncio.sleep(0.01)
            return (w * w).requires_grad

    async def train():
        await asyncio.sleep(0.005)
        return (w * w).requires_grad

    async def both():
        return await asyncio.gather(judge(), train())

    assert asyncio.run(both()) == [False, True]


def test_no_grad_stays_in_its_generator():
    w = ad.Tensor(2.0)

    def predictions():
        with ad.no_grad():
            for x in (1.0, 2.0, 3.0):
                yield w * x

    for y in predictions():
        assert not y.requires_grad
        assert (w * y).requires_grad
    assert (w * 1).requires_grad


def test_a_context_manager_of_one_s_own_holds_in_its_block():
    w = ad.Tensor(2.0)

    @contextlib.contextmanager
    def judged(net):
        net.eval()
        with ad.no_grad():
            yield net
        net.train()

    net = nn.Linear(1, 1)
    with judged(net):
        assert not (w * w).requires_grad
        assert not net.training
    assert (w * w).requires_grad
    assert net.training


def test_weights_are_copied_and_pickled():
    ad.seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
    x = np.ones((1, 2))
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert (twin(x).data == net(x).data).all()
        twin[0].weight.data = twin[0].weight.data + 1
        assert (twin[0].weight.data != net[0].weight.data).all()


def test_a_label_picks_a_name():
    scores = ad.tensor([0.1, 2.0, 0.3])
    assert ["cat", "dog", "cow"][scores.argmax()] == "dog"
    assert list(range(ad.tensor(3))) == [0, 1, 2]


def test_an_array_is_filled_with_values():
    losses = np.zeros(3)
    w = ad.Tensor(2.0)
    for i in range(3):
        losses[i] = (w * i).item()
    assert losses.tolist() == [0, 2, 4]
    with pytest.raises((TypeError, RuntimeError), match="item"):
        ad.grad(lambda x: _filled(x).sum())(1.0)


def _filled(x):
    values = np.zeros(2)
    values[0] = x
    return values


def test_a_loader_with_workers_gives_the_same_batches():
    class Noisy(data.Dataset):
        def __len__(self):
            return 12

        def __getitem__(self, i):
            return i + ad.rand(1).data

    def batches():
        ad.seed(3)
        return np.concatenate([np.asarray(b) for b in data.DataLoader(Noisy(), batch_size=3, num_workers=2)])

    np.testing.assert_array_equal(batches(), batches())


def test_what_is_left_switched_off_holds_in_the_next_cell():
    pytest.importorskip("ipykernel")
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    cells = [
        "import autodiff as ad\nw = ad.Tensor(2.0)\nad.set_grad_enabled(False);",
        "print((w * w).requires_grad)\nad.set_grad_enabled(True);",
        "print((w * w).requires_grad)",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(book, timeout=60).execute()
    assert [cell.outputs[0].text for cell in book.cells[1:]] == ["False\n", "True\n"]


def test_an_early_stop_in_the_middle_of_a_walk_leaves_all_as_it_was():
    w = ad.Tensor([1.0, 2.0])
    (w * w).sum().backward()
    before = w.grad.tolist()

    def stop(grad):
        raise KeyboardInterrupt

    h = w * 3
    h.register_hook(stop)
    with pytest.raises(KeyboardInterrupt):
        h.sum().backward()
    assert w.grad.tolist() == before
    assert ad.is_grad_enabled()


def test_the_best_weights_are_kept_while_training_goes_on():
    w = ad.Tensor([1.0, 2.0])
    optimizer = optim.SGD([w], lr=0.1)
    best = None
    for _ in range(3):
        optimizer.zero_grad()
        (w * w).sum().backward()
        optimizer.step()
        if best is None:
            best = copy.deepcopy(w)
    np.testing.assert_allclose(best.data, [0.8, 1.6])
    np.testing.assert_allclose(w.data, [0.512, 1.024])
