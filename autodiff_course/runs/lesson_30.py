"""The full run of lesson 30: a network of numbers, compiled with one pass more at a time, and the GPT of
numbers of lesson 27, which learns the same 1,000 names compiled."""

from __future__ import annotations

import ast
import math
import re
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

import autodiff as ad
from autodiff.compiling.compiled import PASSES

from .lesson_27 import RATE, codes_of
from .shared import Arrays, whole_machine
from .store import stored

SIZES = (2, 4, 1)  # of lesson 08
LARGE = (2, 16, 16, 1)
STAGES: dict[str, tuple[str, ...]] = {
    "written as it is": ("numbers",),
    "constants folded": ("numbers", "fold"),
    "algebra": ("numbers", "fold", "algebra"),
    "nothing twice": ("numbers", "fold", "algebra", "cse"),
    "packed": ("numbers", "fold", "algebra", "cse", "pack"),
    "all passes": PASSES,
}
"""The passes of each stage, by the name that the picture gives it."""


# -- a network of numbers -----------------------------------------------------------------------------------


def two_moons(count: int, seed: int = 0) -> tuple[list[list[float]], list[int]]:
    """The points of lesson 08, half of them of each kind, and the targets 1 and -1."""
    rng, half = np.random.default_rng(seed), count // 2
    points, targets = [], []
    for target in (1, -1):
        for i in range(half):
            x, y = math.cos(math.pi * i / (half - 1)), math.sin(math.pi * i / (half - 1))
            if target == -1:
                x, y = 1 - x, 0.5 - y
            points.append([x + rng.normal(0, 0.1), y + rng.normal(0, 0.1)])
            targets.append(target)
    return points, targets


def loss_of(
    names: Mapping[str, Any], sizes: Sequence[int], points: Sequence[Any], targets: Sequence[Any]
) -> Callable[[Sequence[Any]], Any]:
    """The mean loss of a network of a machine's neurons, as a function of the list of its numbers. These may
    be floats, the machine's Tensors or the package's."""

    def loss(numbers: Sequence[Any]) -> Any:
        rest, layers = iter(numbers), []
        for inputs, outputs in pairwise(sizes):
            layer = names["Neurons"](inputs, outputs, np.random.default_rng(0))
            for neuron in layer.neurons:
                neuron.weights = [next(rest) for _ in range(inputs)]
                neuron.bias = next(rest)
            layers.append(layer)
        total: Any = 0
        for x, target in zip(points, targets):
            for layer in layers:
                x = layer(x)
            total = total + (x[0] - target) ** 2
        return total / len(points)

    return loss


def count_of(sizes: Sequence[int]) -> int:
    """How many numbers such a network has."""
    return sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))


def measured(step: Callable[[], Any], seconds: float = 1.0) -> tuple[float, int]:
    """The least time of a step, in seconds, among at least three and about as many as fit; and the most
    memory that is taken at once in a step, in bytes."""
    step()
    times: list[float] = []
    while len(times) < 3 or sum(times) < seconds:
        begun = time.perf_counter()
        step()
        times.append(time.perf_counter() - begun)
    tracemalloc.start()
    step()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(times), peak


def lines_of(text: str) -> int:
    r"""The lines of a program between its first and its return. What is written over several counts as one.

    >>> lines_of("import numpy as np\n\ndef program(x):\n    y = [\n        x,\n    ]\n    return y")
    1
    """
    program = ast.parse(text).body[-1]
    return sum(isinstance(node, ast.stmt) for node in ast.walk(program)) - 2


def run_on_moons(names: Mapping[str, Any], sizes: Sequence[int] = SIZES, count: int = 100) -> Arrays:
    """Time, memory and lines of the machine, of the compiler of lesson 29, and of each stage."""
    loss = loss_of(names, sizes, *two_moons(count))
    numbers = np.random.default_rng(2).normal(size=count_of(sizes)).tolist()
    tensors = [names["Tensor"](number) for number in numbers]
    own = names["compiled"](names["with_slopes"](lambda *given: loss(given)), *numbers)

    end, arrived = walked(names, loss, tensors)
    right = [end.data, *(arrived[x] for x in tensors)]
    rows = {"your machine": (0, *measured(lambda: walked(names, loss, tensors)))}
    rows["your compiler"] = lines_of(own.text), *measured(lambda: own(*numbers))
    given = [ad.Tensor(number, requires_grad=False) for number in numbers]
    for name, passes in STAGES.items():
        fast = ad.compile(ad.value_and_grad(loss), passes=passes)
        value, slopes = fast(given)
        assert np.allclose([float(value), *map(float, slopes)], right, rtol=1e-9, atol=1e-12)
        rows[name] = lines_of(str(fast.source)), *measured(partial(fast, given))
        sys.stdout.write(f"{name}: {rows[name]}\n")
        sys.stdout.flush()
    return {
        "stages": np.array([*rows], "S"),
        "lines": np.array([row[0] for row in rows.values()]),
        "step_seconds": np.array([row[1] for row in rows.values()]),
        "step_bytes": np.array([row[2] for row in rows.values()]),
    }


def run_on_the_large_one(names: Mapping[str, Any], sizes: Sequence[int] = LARGE, count: int = 100) -> Arrays:
    """A larger network: nodes of the machine, operations that were traced, and the program; time and memory
    of your machine and of the program."""
    loss = loss_of(names, sizes, *two_moons(count))
    numbers = np.random.default_rng(2).normal(size=count_of(sizes)).tolist()
    tensors = [names["Tensor"](number) for number in numbers]
    given = [ad.Tensor(number, requires_grad=False) for number in numbers]
    nodes, (end, arrived) = len(names["order"](loss(tensors))), walked(names, loss, tensors)
    fast = ad.compile(ad.value_and_grad(loss))
    value, slopes = fast(given)
    right = [end.data, *(arrived[x] for x in tensors)]
    assert np.allclose([float(value), *map(float, slopes)], right, rtol=1e-9, atol=1e-12)
    del end, arrived
    by_machine = measured(lambda: walked(names, loss, tensors))
    by_program = measured(lambda: fast(given))
    return {
        "large_nodes": np.array(nodes),
        "large_traced": np.array(int(str(fast.report()).split()[1].replace(",", ""))),
        "large_program": np.array(str(fast.program)),
        "large_seconds": np.array([by_machine[0], by_program[0]]),
        "large_bytes": np.array([by_machine[1], by_program[1]]),
    }


def walked(names: Mapping[str, Any], loss: Callable[[Any], Any], tensors: Any) -> tuple[Any, Any]:
    """The end of the machine's graph, and what arrives at each Tensor."""
    end = loss(tensors)
    return end, names["gradients"](end)


# -- the lines of a program as steps ------------------------------------------------------------------------

Steps = list[tuple[str, str, list[str]]]
"""The lines of a program: the name that each makes, its operation, and the words that it uses."""


def steps_of(text: str) -> Steps:
    r"""The lines of a program as the compiler of lesson 29 writes it.

    >>> steps_of("def program(x0):\n    v0 = x0 * 2\n    v1 = tanh(v0)\n    return [v1]")
    [('v0', '*', ['x0', '2']), ('v1', 'tanh', ['v0'])]
    """
    steps = []
    for line in text.splitlines()[1:-1]:
        name, _, formula = line.strip().partition(" = ")
        if called := re.fullmatch(r"(\w+)\((.*)\)", formula):
            steps.append((name, called[1], called[2].split(", ")))
        elif " " not in formula:
            steps.append((name, "neg", [formula.lstrip("-")]))
        else:
            left, op, right = formula.split()
            steps.append((name, op, [left, right]))
    return steps


def levels(steps: Steps) -> dict[str, int]:
    """For each name that a step makes the level of that step: 0 if it uses nothing that a step makes, and
    otherwise the next one after all that it uses."""
    found: dict[str, int] = {}
    for name, _, used in steps:
        found[name] = max((found[word] + 1 for word in used if word in found), default=0)
    return found


def with_sums(steps: Steps, returned: Sequence[str] = ()) -> Steps:
    """The steps, where a chain of additions is one step "sum", with all its terms. An addition belongs to the
    one that uses it if nothing else does.

    >>> with_sums([("v0", "+", ["a", "b"]), ("v1", "+", ["v0", "c"])])
    [('v1', 'sum', ['a', 'b', 'c'])]
    """
    made = {name: (op, used) for name, op, used in steps}
    uses = Counter([word for _, _, used in steps for word in used] + [*returned])
    inner = {
        word
        for _, op, used in steps if op == "+"
        for word in used if word in made and made[word][0] == "+" and uses[word] == 1
    }  # fmt: skip

    def terms(name: str) -> list[str]:
        found, waiting = [], [*reversed(made[name][1])]
        while waiting:
            word = waiting.pop()
            if word in inner:
                waiting += reversed(made[word][1])
            else:
                found.append(word)
        return found

    return [
        (name, "sum", terms(name)) if op == "+" else (name, op, used)
        for name, op, used in steps if name not in inner
    ]  # fmt: skip


# -- the GPT of numbers -------------------------------------------------------------------------------------


def loss_of_rows(names: Mapping[str, Any], numbers: Any, rows: Any, targets: Any) -> Any:
    """The loss of any name of one length: ``rows`` are those of its letters, and each of ``targets`` is a
    list with 1 at the character that comes next."""
    net = names["NumberGPT"](numbers)
    net.letters, losses = rows, []
    for scores, target in zip(net(range(len(rows))), targets):
        losses.append(-names["log"](sum(p * t for p, t in zip(names["shares"](scores), target))))
    return sum(losses) / len(losses)


def gpt_step(names: Mapping[str, Any]) -> Any:
    """The loss of a name and its slopes by arrays, compiled: a program for each length."""

    def loss(numbers: Any, rows: Any, targets: Any) -> Any:
        return loss_of_rows(names, numbers, rows, targets)

    slopes = ad.value_and_grad(loss, argnums=(0, 1))

    @ad.compile
    def step(numbers: Any, rows: Any, targets: Any) -> Any:
        value, (by_number, by_row) = slopes([*numbers], [*map(list, rows)], [*map(list, targets)])
        return value, ad.stack(by_number), ad.stack([ad.stack(row) for row in by_row])

    return step


def run_on_names(names: Mapping[str, Any], steps: int = 1_000) -> Arrays:
    """The training of lesson 27 on its names, with the same random numbers, compiled."""
    words = stored("27")["names"].astype(str)[:steps]
    numbers = 0.08 * np.random.default_rng(0).normal(size=4192)
    memory: dict[str, Any] = {}
    step, losses, lengths = gpt_step(names), [], set()
    compiling = 0.0
    begun = time.perf_counter()
    for t, word in enumerate(words):
        codes = codes_of(word)
        rows = numbers[: 27 * 16].reshape(27, 16)
        before = time.perf_counter()
        loss, slopes, by_row = step(numbers, rows[codes[:-1]], np.eye(27)[codes[1:]])
        if len(codes) not in lengths:
            lengths.add(len(codes))
            compiling += time.perf_counter() - before
        slopes = slopes.data.copy()
        np.add.at(slopes[: 27 * 16].reshape(27, 16), codes[:-1], by_row.data)
        numbers = numbers - RATE * (1 - t / 1_000) * names["adam"](slopes, memory, 0.85, 0.99)
        losses.append(float(loss))
    seconds = time.perf_counter() - begun
    sys.stdout.write(f"{steps} names: {seconds:.0f} s, {compiling:.0f} of them for {len(lengths)} programs\n")
    return {
        "losses": np.array(losses),
        "lengths": np.array(len(lengths)),
        "training_seconds": np.array(seconds),
        "compiling_seconds": np.array(compiling),
    }


def run_on_a_name(names: Mapping[str, Any]) -> Arrays:
    """One step on "oliver": time and memory of your machine and of the program."""
    numbers, codes = 0.08 * np.random.default_rng(0).normal(size=4192), codes_of("oliver")

    def loss(given: Any) -> Any:
        return names["name_loss"](names["NumberGPT"](given), codes)

    slopes = ad.value_and_grad(loss)

    @ad.compile
    def fast(given: Any) -> Any:
        value, found = slopes([*given])
        return value, ad.stack(found)

    def walk() -> Any:
        end = loss([names["Tensor"](number) for number in numbers.tolist()])
        return names["gradients"](end)

    by_machine, by_program = measured(walk), measured(lambda: fast(numbers))
    return {
        "gpt_seconds": np.array([by_machine[0], by_program[0]]),
        "gpt_bytes": np.array([by_machine[1], by_program[1]]),
        "gpt_program": np.array(str(fast.program)),
    }


def run(names: Mapping[str, Any] | None = None, steps: int = 1_000) -> Arrays:
    """All of it, on your machine where your pieces are kept, and on the reference elsewhere.

    Returns
    -------
    dict of arrays
        Of lesson 08's network: ``stages``, the names of the bars, and for each ``lines``,
        ``step_seconds`` and ``step_bytes``. Of the network 2-16-16-1: ``large_nodes`` of the machine's
        graph, ``large_traced`` operations, the ``large_program``, and ``large_seconds`` and
        ``large_bytes`` for the machine and for the program. Of the GPT the same two as ``gpt_seconds``
        and ``gpt_bytes``, and ``gpt_program``; the ``losses`` of the training, the number of ``lengths``
        of names, ``training_seconds`` and, in them, ``compiling_seconds``.
    """
    names = whole_machine() if names is None else names
    moons = {**run_on_moons(names), **run_on_the_large_one(names)}
    return {**moons, **run_on_a_name(names), **run_on_names(names, steps)}
