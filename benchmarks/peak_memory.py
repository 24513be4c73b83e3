"""The most memory that a step takes beyond its leaves and constants, and what is left of it afterwards.

On NumPy tracemalloc counts every byte, of arrays and of Python's objects. It does not see PyTorch's arrays:
theirs are added up from what PyTorch's profiler writes down, and its objects are not counted.
"""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from . import array_mlp, array_operations, recurrent
from .chain import traced
from .measure import Row, installed, settled, shown
from .peers import PEERS, Package, Step, ours
from .workload import Workload

ON_NUMPY = ("autograd", "MyGrad", "DeZero")


def workloads(quick: bool) -> list[Workload]:
    found = [
        array_mlp.network("float32"),
        array_operations.five_operations(),
        recurrent.rnn(4, 8) if quick else recurrent.rnn(),
        recurrent.lstm(3, 8) if quick else recurrent.lstm(),
        array_operations.bias_add(1024, 1024),
        array_operations.batched_matmul(64, 64, 32),
        array_operations.elementwise_chain(10_000 if quick else 1_000_000),
    ]
    return [replace(workload, rate=None) for workload in found]  # an update in place adds nothing to a peak


def peak(workload: Workload, name: str, package: Package) -> int:
    """Bytes that a step takes at most, beyond what was there when it began, without gradients."""
    workload.step(package)()  # on leaves of its own: what is made only once, is made
    step = workload.step(package)
    return profiled_peak(step) if name == "PyTorch" else traced_peak(step)


def traced_peak(step: Step) -> int:
    tracemalloc.start()
    before = traced()
    tracemalloc.reset_peak()
    step()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most - before


def profiled_peak(step: Step) -> int:
    from torch.profiler import ProfilerActivity, profile

    with silent(), profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        step()
    events = [event for event in profiler.profiler.kineto_results.events() if event.name() == "[memory]"]
    most = held = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()  # negative where memory is given back
        most = max(most, held)
    return most


@contextmanager
def silent() -> Iterator[None]:
    """Without what PyTorch's profiler tells standard error about itself, past Python."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def left_over(workload: Workload) -> int:
    """Bytes that are still there after a releasing step, while its last node lives, but for the leaves'
    gradients and the node's own data."""
    package = ours()
    leaves, loss = [package.leaf(array) for array in workload.leaves], workload.loss_of(package)

    def step() -> Any:
        end = loss(*leaves)
        end.backward(workload.seed, release=True)
        for leaf in leaves:
            leaf.grad = None  # zero_grad would keep its memory for the next one
        return end

    step()
    tracemalloc.start()
    before = traced()
    end = step()
    left = traced() - before - end.numpy().nbytes
    tracemalloc.stop()
    return left


def measure(quick: bool) -> list[Row]:
    rows, left = [], []
    packages = {"ours": ours(release=True)} | {
        name: make() for name, (module, make) in PEERS.items() if name != "JAX" and installed(module)
    }
    for workload in workloads(quick):
        with settled():
            able = {name: package for name, package in packages.items() if name not in workload.cannot}
            taken = {name: peak(workload, name, package) for name, package in able.items()}
            left.append(left_over(workload) / 1024)
        what = f"peak memory of {workload.what}: ours by the best NumPy peer's"
        note = ", ".join(f"{name} {shown(figure / 1024)} KiB" for name, figure in taken.items())
        if peers := [taken[name] for name in ON_NUMPY if name in taken]:
            rows.append(Row(what, "at most 1", [taken["ours"] / min(peers)], note=note))
        else:
            rows.append(Row(what, "at most 1", [], note=f"none of {', '.join(ON_NUMPY)} is installed"))
    what = f"left of any of these {len(left)} steps after `backward(release=True)`, the last node alive"
    return [*rows, Row(what, "at most 1", [max(left)], "KiB")]
