"""Programs in JavaScript beside the same in Python, and the pages that they make: times, equality, sizes.

``python -m benchmarks live`` prints these rows alone. Each program runs on the same numbers in Python and in
a process of node, turn by turn; what they return is compared first.
"""

from __future__ import annotations

import gzip
import inspect
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import nn, optim
from autodiff.compiling.compiled import PASSES, Compiled
from autodiff.compiling.javascript import Translation, module, translated
from autodiff.compiling.javascript.language import array_text, value
from autodiff.compiling.training_step import TrainingStep

from .measure import Row

Case = tuple[str, Compiled, list[Any]]  # what it is, the compiled function, and the program's arguments

# A process that runs a program on `args`: a line with a number of runs in, their milliseconds out.
SCRIPT = """
const flat = (x) => (typeof x === "object" ? nd.tolist(x) : Number(x));
require("readline").createInterface({input: process.stdin}).on("line", (line) => {
  if (line === "results") {
    const results = program(...args).map(flat);
    console.log(JSON.stringify([results, args.map(flat)]).replaceAll("null", "NaN"));
    return;
  }
  const start = performance.now();
  for (let i = 0; i < Number(line); i++) program(...args);
  console.log(performance.now() - start);
});
"""


@contextmanager
def in_node(program: Translation, args: list[Any]) -> Iterator[Callable[[str], Any]]:
    """Ask a process of node that has the program and its arguments."""
    calls = ("array", "full", "packed", "tolist", "zeros")
    given = ", ".join(array_text(x) if isinstance(x, np.ndarray) else value(float(x)) for x in args)
    script = f"{module({'program': program}, calls, minify=True)}\nconst args = [{given}];{SCRIPT}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "script.js")
        path.write_text(script, encoding="utf-8")
        process = subprocess.Popen(
            ["node", str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        to, of = process.stdin, process.stdout
        assert to is not None
        assert of is not None

        def ask(line: str) -> Any:
            to.write(f"{line}\n")
            to.flush()
            return json.loads(of.readline())

        yield ask
        to.close()
        process.wait(10)
        of.close()


# -- the programs -------------------------------------------------------------------------------------------


def arguments(fast: Compiled, given: list[Any]) -> list[Any]:
    """The arguments of a program: those that are given, then what the function refers to."""
    left, found = list(given), []
    for each in fast.arguments:
        assert each.kind in ("argument", "captured")
        value = left.pop(0) if each.kind == "argument" else each.tensor.numpy().copy()  # type: ignore[union-attr]
        found.append(value if each.shape else float(value))
    return found


def of_numbers() -> Case:
    """The derivative of a neuron with two inputs."""

    def neuron(w1: Any, w2: Any, b: Any, x1: Any, x2: Any) -> Any:
        return ad.tanh(w1 * x1 + w2 * x2 + b)

    fast = ad.compile(ad.value_and_grad(neuron, argnums=(0, 1, 2)))
    numbers = [0.5, -1.0, 0.25, 1.5, -0.75]
    fast(*numbers)
    return "a neuron of two inputs, with gradients", fast, numbers


def step_of(dtype: str) -> Case:
    """A step of training with Adam: 2-8-8-1 on 32 points."""
    ad.seed(0)
    layers = [nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1)]
    model = nn.Sequential(*layers).to(dtype)
    step = TrainingStep(model, nn.BCEWithLogitsLoss(), optim.Adam(model.parameters(), 0.01))
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(32, 2)).astype(dtype), rng.integers(0, 2, (32, 1)).astype(dtype)
    step(x, y)
    step(x, y)
    fast = step._whole
    state = step._state
    assert state is not None
    numbers = state.numbers()
    assert numbers is not None
    state.take()
    try:
        args = arguments(fast, [x, y, *state.rates(), *numbers])
    finally:
        state.put_back()
    return f"a training step of 2-8-8-1 on 32 points, Adam, {dtype}", fast, args


def of_digits() -> Case:
    """What a ConvNet says of one digit of 28 x 28, and the gradient of its answer in every pixel."""
    ad.seed(0)
    first, second = nn.Conv2d(1, 8, 3), nn.Conv2d(8, 16, 3)
    parts = [first, nn.ReLU(), nn.MaxPool2d(2), second, nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
    model = nn.Sequential(*parts, nn.Linear(400, 10)).to("float32").requires_grad_(False)
    fast = ad.compile(ad.value_and_grad(lambda x: model(x).log_softmax(-1)[0, 3]))
    x = np.random.default_rng(0).random((1, 1, 28, 28), np.float32)
    fast(x)
    return "a ConvNet 8-16 on one digit, with the gradient of each pixel", fast, arguments(fast, [x])


def of_memory() -> Case:
    """A step of an LSTM."""
    ad.seed(0)
    cell = nn.LSTMCell(32, 128).to("float32").requires_grad_(False)
    fast = ad.compile(lambda x, h, c: cell(x, (h, c)))
    rng = np.random.default_rng(0)
    given = [rng.normal(size=(1, size)).astype(np.float32) for size in (32, 128, 128)]
    fast(*given)
    return "a step of an LSTM of 128 cells", fast, arguments(fast, given)


def of_the_table() -> list[Case]:
    """Workloads of the table of compiled functions."""
    from . import compiled

    cases = []
    for contest in compiled.contests_on_arrays(False):
        step, fast = contest.compiled(PASSES)
        step()
        values = [tensor.numpy() for tensor in inspect.getclosurevars(step).nonlocals["tensors"]]
        cases.append((contest.what, fast, arguments(fast, values)))
    return cases


def measured(case: Case, rounds: int, seconds: float) -> list[Row]:
    """How many times as long node takes as Python, and by how much the results differ."""
    what, fast, args = case
    run = fast._entry().program.run
    with in_node(translated(fast), args) as ask:
        mine = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
        expected = [*run(*mine)]
        results, after = ask("results")
        apart = difference([*results, *after], [*expected[: len(results)], *mine])
        turns = count(lambda: run(*mine), seconds)
        times = []
        for _ in range(rounds + 1):
            start = time.perf_counter()
            for _ in range(turns):
                run(*mine)
            python = time.perf_counter() - start
            times.append(ask(str(turns)) / 1e3 / python)
    note = f"largest difference {apart:.0e}"
    return [Row(f"{what}: JavaScript / Python", "at most 3", times[1:], note=note)]


def count(run: Callable[[], object], seconds: float) -> int:
    """How often something runs in so many seconds."""
    start, turns = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        run()
        turns += 1
    return turns


def difference(found: list[Any], expected: list[Any]) -> float:
    """The largest difference of results, relative to the largest element of each."""
    worst = 0.0
    for one, other in zip(found, expected, strict=True):
        other = np.asarray(other, float)
        scale = float(np.abs(other).max(initial=0.0))
        worst = max(worst, float(np.abs(np.asarray(one, float) - other).max(initial=0.0)) / (scale or 1.0))
    return worst


# -- the pages ----------------------------------------------------------------------------------------------


def pages() -> list[Row]:
    """The sizes of live pages."""

    def course(a: Any) -> Any:
        b = a * 3
        c = a + 2
        d = b + 4
        return c * d

    def neuron(w1: Any, w2: Any, b: Any, x1: Any, x2: Any) -> Any:
        return ad.tanh(w1 * x1 + w2 * x2 + b)

    numbers = {"w1": 0.5, "w2": -1.0, "b": 0.25, "x1": 1.5, "x2": -0.75}
    rows = []
    for what, live, goal in (
        ("five nodes", ad.live(course, a=2.0), "at most 30"), ("a neuron", ad.live(neuron, **numbers), ""),
    ):  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "page.html")
            live.save(path)
            text = path.read_bytes()
        zipped = len(gzip.compress(text)) / 1024
        rows.append(Row(f"page of {what}", goal, [len(text) / 1024], "KiB", f"{zipped:.0f} KiB zipped"))
    return rows


def measure(quick: bool) -> list[Row]:
    rounds, seconds = (1, 0.01) if quick else (15, 0.05)
    cases = [of_numbers(), step_of("float64"), step_of("float32"), of_digits(), of_memory()]
    if shutil.which("node") is None:
        return [*(Row(what, "at most 3", [], note="node is not installed") for what, *_ in cases), *pages()]
    cases += [] if quick else of_the_table()
    return [*(row for case in cases for row in measured(case, rounds, seconds)), *pages()]
