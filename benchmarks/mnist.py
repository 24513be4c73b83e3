"""MNIST from the first epoch to the last, beside the published figures and PyTorch, as a user would train it.

    AUTODIFF_DATA=folder python -m benchmarks.mnist [--epochs 20] [--seeds 3] [--kernels Haswell] [--quick]

784-400-100-10, ReLU, softmax cross-entropy, Adam(1e-3), batches of 128, on one thread; weights are drawn as
Glorot and Bengio (2010) do and biases start at zero, as in the published run. For each seed the two take
turns, epoch by epoch, and the clock counts what an epoch of training takes: for us by ``Model.fit``, with
loader and transforms; for PyTorch a bare loop over indexed tensors, which is its fastest way. The accuracies
are of the test pictures.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import autodiff as ad
from autodiff import data, nn, optim, training

from .__main__ import ONE_THREAD, head, line, machine, write
from .measure import Row, clock, installed, ratios, settled

KERNELS = "OPENBLAS_CORETYPE"  # the variable by which OpenBLAS is told for which processor to compute
BEGIN = "<!-- table: python -m benchmarks.mnist --kernels Haswell --write -->"
SIZES = (784, 400, 100, 10)
BATCH, RATE = 128, 1e-3

# By epoch, of the system that this project's headline comes from.
PUBLISHED = (
    .9658, .9740, .9783, .9799, .9805, .9826, .9823, .9819, .9820, .9838,
    .9825, .9810, .9845, .9845, .9835, .9817, .9815, .9835, .9826, .9819,
)  # fmt: skip

Epoch = Callable[[], None]
Judge = Callable[[], float]
Columns = dict[str, list[float]]


def sets(quick: bool) -> tuple[data.Dataset, data.Dataset]:
    """Pictures to train on and to test on, as float32 in a row each; generated ones for a quick run."""
    if not quick:
        transform = data.Compose([data.ToTensor(), data.Flatten()])
        return data.MNIST(transform=transform), data.MNIST(train=False, transform=transform)
    return generated(1000, 500)


def generated(train: int, test: int) -> tuple[data.Dataset, data.Dataset]:
    """So many pictures to train on and to test on: ten kinds, each with noise."""
    rng, count = np.random.default_rng(0), train + test
    kinds, labels = rng.random((10, 784)), rng.integers(0, 10, count)
    pictures = (kinds[labels] + rng.normal(0, 0.3, (count, 784))).astype(np.float32)
    whole = data.TensorDataset(pictures, labels)
    return data.Subset(whole, range(train)), data.Subset(whole, range(train, count))


def ours(train: data.Dataset, test: data.Dataset, seed: int) -> tuple[Epoch, Judge]:
    epoch, judge, _ = trained(train, test, seed)
    return epoch, judge


def trained(
    train: data.Dataset, test: data.Dataset, seed: int, is_compiled: bool = False
) -> tuple[Epoch, Judge, training.Model]:
    """Training and judging, and the model."""
    ad.seed(seed)
    a, b, c, d = SIZES
    net = nn.Sequential(nn.Linear(a, b), nn.ReLU(), nn.Linear(b, c), nn.ReLU(), nn.Linear(c, d))
    for layer in (net[0], net[2], net[4]):
        nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)
    adam = optim.Adam(net.parameters(), lr=RATE)
    model = training.Model(net, nn.CrossEntropyLoss(), adam, compile=is_compiled)
    loader, judged = data.DataLoader(train, BATCH, shuffle=True), data.DataLoader(test, 1000)

    def epoch() -> None:
        model.fit(loader, 1, verbose=False)

    return epoch, lambda: model.evaluate(judged, [training.accuracy])["accuracy"], model


def pytorch(train: data.Dataset, test: data.Dataset, seed: int) -> tuple[Epoch, Judge]:
    import torch
    from torch import nn as layers
    from torch.nn.functional import cross_entropy

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    a, b, c, d = SIZES
    net = layers.Sequential(
        layers.Linear(a, b), layers.ReLU(), layers.Linear(b, c), layers.ReLU(), layers.Linear(c, d)
    )
    for layer in (net[0], net[2], net[4]):
        layers.init.xavier_uniform_(layer.weight)
        layers.init.zeros_(layer.bias)
    optimizer = torch.optim.Adam(net.parameters(), lr=RATE)
    (x, y), (x_test, y_test) = (
        [torch.tensor(part.numpy()) for part in each.batch(range(len(each)))] for each in (train, test)
    )

    def epoch() -> None:
        order = torch.randperm(len(x))
        for start in range(0, len(x), BATCH):
            chosen = order[start : start + BATCH]
            loss = cross_entropy(net(x[chosen]), y[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    def judge() -> float:
        with torch.no_grad():
            return float((net(x_test).argmax(1) == y_test).float().mean())

    return epoch, judge


def growth(train: data.Dataset, test: data.Dataset, epochs: int) -> float:
    """By how many MiB what Python and NumPy hold grows after the second epoch of ours.

    In a training of its own, which is not timed: to count every allocation takes its time.
    """
    epoch, judge = ours(train, test, seed=0)
    held = []
    tracemalloc.start()
    for _ in range(epochs):
        epoch()
        judge()
        gc.collect()
        held.append(tracemalloc.get_traced_memory()[0] / 2**20)
    tracemalloc.stop()
    return held[-1] - held[1]


def timed(run: Epoch) -> float:
    gc.collect()
    start = clock()
    run()
    return clock() - start


def rounds(contenders: dict[str, tuple[Epoch, Judge]], epochs: int) -> tuple[Columns, Columns]:
    """Seconds and accuracies by contender and epoch, printed as they come."""
    seconds: Columns = {name: [] for name in contenders}
    accuracies: Columns = {name: [] for name in contenders}
    with settled():
        for number in range(epochs):
            for name, (epoch, judge) in contenders.items():
                seconds[name].append(timed(epoch))
                accuracies[name].append(judge())
            known = PUBLISHED[number] if number < len(PUBLISHED) else float("nan")
            cells = [f"{number + 1:5}", f"{known:9.4f}"]
            cells += [f"{values[-1]:8.4f}" for values in accuracies.values()]
            cells += [f"{values[-1]:8.2f} s" for values in seconds.values()]
            print("  ".join(cells), flush=True)
    return seconds, accuracies


def measure(epochs: int, seeds: int, quick: bool) -> list[Row]:
    train, test = sets(quick)
    first, best, times = [], [], []
    for seed in range(seeds):
        contenders = {"ours": ours(train, test, seed)}
        if installed("torch"):
            contenders["PyTorch"] = pytorch(train, test, seed)
        titles = ["epoch", "published", *(f"{name:>8}" for name in contenders)]
        titles += [f"{name:>10}" for name in contenders]
        print(f"\nseed {seed}: test accuracy, seconds of training")
        print("  ".join(titles))
        seconds, accuracies = rounds(contenders, epochs)
        first.append(100 * accuracies["ours"][0])
        best.append(100 * max(accuracies["ours"]))
        if "PyTorch" in seconds:
            times += ratios(seconds["ours"], seconds["PyTorch"])
    absent = "" if times else "torch is not installed"
    grown = [growth(train, test, epochs=3 if quick else 5)]
    return [
        Row("MNIST: test accuracy after the first epoch", "at least 96", first, "%", by_seed(first)),
        Row("MNIST: best test accuracy", "at least 98.2", best, "%", by_seed(best)),
        Row("MNIST, an epoch: our time by PyTorch's", "at most 0.9", times, note=absent),
        Row("MNIST: growth of memory after the second epoch", "at most 1", grown, "MiB"),
    ]


def by_seed(values: list[float]) -> str:
    return "by seed " + ", ".join(f"{value:.2f}" for value in values)


def in_own_process(options: argparse.Namespace, kernels: str | None) -> tuple[list[Row], str]:
    """Measured on one thread, with these kernels of OpenBLAS: both are read when NumPy is imported."""
    with TemporaryDirectory() as folder:
        result = Path(folder, "rows.json")
        command = [sys.executable, "-m", "benchmarks.mnist", "--rows", str(result)]
        command += ["--epochs", str(options.epochs), "--seeds", str(options.seeds)]
        command += ["--quick"] if options.quick else []
        env = os.environ | ONE_THREAD | ({KERNELS: kernels} if kernels else {})
        if subprocess.run(command, env=env, check=False).returncode:
            sys.exit("the measurement failed, see above")
        rows, place = json.loads(result.read_text(encoding="utf-8"))
    return [Row(**row) for row in rows], place


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mnist", description=__doc__)
    parser.add_argument("--epochs", type=int, default=len(PUBLISHED))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="generated pictures: does it run at all?")
    parser.add_argument("--kernels", metavar="NAME", help=f"and once more with {KERNELS}=NAME")
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    # For the command itself: measure in this process, and leave the rows in a file.
    parser.add_argument("--rows", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write and options.quick:
        parser.error("--write takes the table measured in full")
    if options.rows:
        rows = measure(options.epochs, options.seeds, options.quick)
        options.rows.write_text(json.dumps([[asdict(row) for row in rows], machine()]), encoding="utf-8")
        return
    tables = []
    for kernels in [None, options.kernels] if options.kernels else [None]:
        rows, place = in_own_process(options, kernels)
        tables.append("\n".join([head(), *map(line, rows), "", f"{place}."]))
        print(f"\n{tables[-1]}", flush=True)
    if options.write:
        write("\n\n".join(tables), BEGIN)


if __name__ == "__main__":
    main()
