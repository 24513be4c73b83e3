"""A GPT with 4,192 parameters that writes names letter by letter, on any engine that computes with numbers.

    python -m benchmarks.microgpt [--rounds 9]
    AUTODIFF_DATA=folder python -m benchmarks.microgpt --train [--steps 1000] [--seed 42] [--engine compiled]

The network is that of Karpathy's microgpt (2026), written anew: one block, a width of 16, 4 heads, 16 letters
of context, norms without weights, no biases. Every parameter is a single number. The same lines run on all
engines of ``number_engines.py``, since they never read the value of a number. The command prints the times
that the engines take for a step on seven letters, forward and backward, as ratios within one run, and the
time of the same lines compiled. ``--train`` takes 1,000 steps of Adam on one name each, and prints the loss
and some new names; with ``--engine compiled`` each length of names has a program. ``--quick`` uses a smaller
network and no data file.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

import autodiff as ad
from autodiff import data

from .__main__ import head, line, machine
from .measure import Row, clock, collector, interleaved, ratios, settled
from .number_engines import AUTODIFF, FLOATS, VALUE, Engine, engines
from .seeds.text import NAMES

Rows = list[list[Any]]
Slopes = Callable[[Sequence[int], list[Any]], tuple[float, list[Any]]]
"""The loss of a name, given by its ids, and its gradients, for a list of parameters."""

# -- the network, on numbers ------------------------------------------------------------------------------


class Sizes(NamedTuple):
    """The sizes of the network. The 27 signs are 26 letters and the end of a name, which also begins it."""

    signs: int = 27
    width: int = 16
    heads: int = 4
    context: int = 16

    def shapes(self) -> dict[str, tuple[int, int]]:
        """The rows and columns of each matrix, in the order of the parameters."""
        square = (self.width, self.width)
        return {
            "letters": (self.signs, self.width),
            "places": (self.context, self.width),
            "query": square,
            "key": square,
            "value": square,
            "out": square,
            "up": (4 * self.width, self.width),
            "down": (self.width, 4 * self.width),
            "head": (self.signs, self.width),
        }

    def count(self) -> int:
        return sum(rows * columns for rows, columns in self.shapes().values())


SMALL = Sizes(width=4, heads=2, context=8)


def matrices(parameters: Sequence[Any], sizes: Sizes) -> dict[str, Rows]:
    """The list of parameters, divided into matrices: lists of rows."""
    shapes = sizes.shapes()
    ends = accumulate((rows * columns for rows, columns in shapes.values()), initial=0)
    return {
        name: [list(parameters[i : i + columns]) for i in range(start, end, columns)]
        for (name, (_, columns)), (start, end) in zip(shapes.items(), pairwise(ends))
    }


def linear(x: list[Any], matrix: Rows) -> list[Any]:
    return [sum(w * xi for w, xi in zip(row, x)) for row in matrix]


def added(x: list[Any], y: list[Any]) -> list[Any]:
    return [xi + yi for xi, yi in zip(x, y)]


def normed(x: list[Any]) -> list[Any]:
    """Scale x to a mean square of 1 (Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019)."""
    mean_square = sum(xi * xi for xi in x) / len(x)
    scale = (mean_square + 1e-5) ** -0.5
    return [xi * scale for xi in x]


def softmax(x: list[Any], engine: Engine) -> list[Any]:
    """Shares that add up to 1. The numbers here are so small that exp works without subtracting the
    maximum."""
    powers = [engine.exp(xi) for xi in x]
    total = sum(powers)
    return [power / total for power in powers]


def attended(query: list[Any], keys: Rows, values: Rows, heads: int, engine: Engine) -> list[Any]:
    """The mean of the values of all places so far, weighted by attention, head by head."""
    size = len(query) // heads
    found = []
    for start in range(0, len(query), size):
        part = slice(start, start + size)
        scores = [sum(q * k for q, k in zip(query[part], key[part])) / size**0.5 for key in keys]
        shares = softmax(scores, engine)
        columns = zip(*(value[part] for value in values))
        found += [sum(share * v for share, v in zip(shares, column)) for column in columns]
    return found


def predictions(net: dict[str, Rows], letters: Rows, heads: int, engine: Engine) -> Rows:
    """For each place, the logits of the next letter. ``letters`` holds the row of each letter so far."""
    keys: Rows = []
    values: Rows = []
    logits = []
    for letter, place in zip(letters, net["places"]):
        x = normed(added(letter, place))
        h = normed(x)
        keys.append(linear(h, net["key"]))
        values.append(linear(h, net["value"]))
        context = attended(linear(h, net["query"]), keys, values, heads, engine)
        x = added(x, linear(context, net["out"]))
        hidden = [engine.relu(unit) for unit in linear(normed(x), net["up"])]
        x = added(x, linear(hidden, net["down"]))
        logits.append(linear(x, net["head"]))
    return logits


# -- the loss, as a function of the parameters -------------------------------------------------------------


def loss_of_name(ids: Sequence[int], sizes: Sizes, engine: Engine) -> Callable[[Sequence[Any]], Any]:
    """The mean loss per letter of one name, as a function of the list of parameters. ``ids`` are those of the
    letters of the name, with the end before and after them."""

    def loss(parameters: Sequence[Any]) -> Any:
        net = matrices(parameters, sizes)
        logits = predictions(net, [net["letters"][i] for i in ids[:-1]], sizes.heads, engine)
        losses = [-engine.log(softmax(x, engine)[i]) for x, i in zip(logits, ids[1:])]
        return sum(losses) / len(losses)

    return loss


def loss_of_length(sizes: Sizes, engine: Engine) -> Callable[[Sequence[Any], Rows, Rows], Any]:
    """The same loss for any name, as a function of the parameters, the rows of the name's letters, and for
    each next letter a list with 1 at that letter and 0 elsewhere. Names of equal length then need the same
    operations, so a compiled program serves all of them."""

    def loss(parameters: Sequence[Any], letters: Rows, targets: Rows) -> Any:
        logits = predictions(matrices(parameters, sizes), letters, sizes.heads, engine)
        losses = []
        for x, target in zip(logits, targets):
            losses.append(-engine.log(sum(share * t for share, t in zip(softmax(x, engine), target))))
        return sum(losses) / len(losses)

    return loss


# -- what is measured -------------------------------------------------------------------------------------

COMPILED = "compiled"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
END = len(LETTERS)


def ids_of(name: str, context: int) -> list[int]:
    """The ids of the end, the letters, and the end again; a long name is cut to the context."""
    return [END, *map(LETTERS.index, name), END][: context + 1]


def random_parameters(sizes: Sizes, seed: int = 42) -> list[float]:
    rng = random.Random(seed)
    return [rng.gauss(0.0, 0.08) for _ in range(sizes.count())]


def loss_and_gradients(
    loss: Callable[[Sequence[Any]], Any], parameters: Sequence[float], engine: Engine
) -> tuple[float, list[float]]:
    leaves = [engine.number(value) for value in parameters]
    result = loss(leaves)
    result.backward()
    return float(getattr(result, "data", result)), [engine.gradient(leaf) for leaf in leaves]


def slopes_by(engine: Engine, sizes: Sizes) -> Slopes:
    """The loss and its gradients by an engine."""
    return lambda ids, parameters: loss_and_gradients(loss_of_name(ids, sizes, engine), parameters, engine)


def slopes_compiled(sizes: Sizes) -> Slopes:
    """The loss and its gradients by programs, one for each length of names. The parameters are one array, in
    a list, and the functions above receive its elements."""
    slopes = ad.value_and_grad(loss_of_length(sizes, AUTODIFF), argnums=(0, 1))

    @ad.compile
    def program(parameters: Any, letters: Any, targets: Any) -> Any:
        loss, (by_parameter, by_letter) = slopes([*parameters], [*map(list, letters)], [*map(list, targets)])
        return loss, ad.stack(by_parameter), ad.stack([ad.stack(row) for row in by_letter])

    one_hot, table = np.eye(sizes.signs), sizes.signs * sizes.width

    def run(ids: Sequence[int], parameters: list[Any]) -> tuple[float, list[Any]]:
        rows = parameters[0][:table].reshape(sizes.signs, sizes.width)
        loss, gradients, by_letter = program(parameters[0], rows[[*ids[:-1]]], one_hot[[*ids[1:]]])
        gradients = gradients.data
        np.add.at(gradients[:table].reshape(rows.shape), [*ids[:-1]], by_letter.data)
        return loss.item(), [gradients]

    return run


def disagreement(engine: Engine, ids: Sequence[int], sizes: Sizes) -> float:
    """The largest difference between autodiff's loss and gradients and another engine's, in units of the
    largest."""
    both = []
    for each in (AUTODIFF, engine):
        loss = loss_of_name(ids, sizes, each)
        value, gradients = loss_and_gradients(loss, random_parameters(sizes), each)
        both.append([value, *gradients])
    return max(abs(a - b) for a, b in zip(*both, strict=True)) / max(map(abs, both[0]))


def step(engine: Engine, ids: Sequence[int], sizes: Sizes, times: int = 1) -> Callable[[], Any]:
    """A function that runs ``times`` steps of training without the update: forget the gradients, forward,
    backward. Each new loss replaces the last one, whose graph is then freed. It returns the last loss."""
    leaves = [engine.number(value) for value in random_parameters(sizes)]
    loss = loss_of_name(ids, sizes, engine)

    def run() -> Any:
        result = None
        for _ in range(times):
            for leaf in leaves:
                engine.forget(leaf)
            result = loss(leaves)
            result.backward()
        return result

    return run


def compiled_row(ids: Sequence[int], sizes: Sizes, rounds: int, times: int = 20) -> Row:
    """The time of the Value, in training, divided by that of the program. Raises AssertionError if their
    gradients differ."""
    parameters, slopes = random_parameters(sizes), slopes_compiled(sizes)
    array = [np.array(parameters)]
    start = clock()
    loss, (found,) = slopes(ids, array)
    seconds = clock() - start
    expected_loss, expected = slopes_by(VALUE, sizes)(ids, parameters)
    if abs(loss - expected_loss) > 1e-9 or np.abs(found - expected).max() > 1e-9:
        raise AssertionError("the compiled GPT of numbers and the Value do not agree")
    both = {
        "Value": step(VALUE, ids, sizes, 10),
        "compiled": lambda: [slopes(ids, array) for _ in range(10 * times)] and None,
    }
    with settled():  # the program's graph would slow the collector for the Value
        taken = interleaved(both, max(rounds // 3, 1))
    values = [times * ratio for ratio in ratios(taken["Value"], taken["compiled"])]
    title = f"GPT of numbers, {len(ids) - 1} letters, compiled: Value's time in training by ours"
    least = min(taken["compiled"]) / (10 * times)
    return Row(title, "at least 200", values, note=f"ours {1e3 * least:.2f} ms; compiled in {seconds:.1f} s")


TURNS = (
    ("a step in training", 10, True, ""),
    ("a step alone", 1, True, "at least 1.8"),
    ("a step alone, collector off", 1, False, ""),
)


def measure(rounds: int, sizes: Sizes) -> list[Row]:
    """The time of each other engine divided by ours: for several steps in a row, for one step after a full
    garbage collection, and for one step with the garbage collector off."""
    ids = ids_of("oliver", sizes.context)
    found = engines()
    for peer, engine in found.items():
        if disagreement(engine, ids, sizes) > 1e-9:
            raise AssertionError(f"autodiff and {peer} do not agree on the gradients of the GPT of numbers")
    rows = []
    for what, times, on, goal in TURNS:
        with collector(on):
            steps = {peer: step(engine, ids, sizes, times) for peer, engine in found.items()}
            seconds = interleaved(steps, rounds if times == 1 else max(rounds // 3, 1))
        for peer in [*found][1:]:
            title = f"GPT of numbers, {len(ids) - 1} letters, {what}: {peer}'s time by ours"
            values = ratios(seconds[peer], seconds["autodiff"])
            note = f"ours {1e3 * min(seconds['autodiff']) / times:.0f} ms"
            rows.append(Row(title, goal if peer == "Value" else "", values, note=note))
    return [*rows, compiled_row(ids, sizes, rounds)]


# -- training ---------------------------------------------------------------------------------------------


class Adam:
    """Adam (Kingma and Ba, 2014) on floats or arrays, with a learning rate that falls linearly to 0."""

    def __init__(self, count: int, steps: int, rate: float = 0.01, betas: tuple[float, float] = (0.85, 0.99)):
        self.steps, self.rate, self.betas = steps, rate, betas
        self.first: list[Any] = [0.0] * count
        self.second: list[Any] = [0.0] * count
        self.done = 0

    def update(self, parameters: list[Any], gradients: list[Any]) -> None:
        rate = self.rate * (1 - self.done / self.steps)
        self.done += 1
        b1, b2 = self.betas
        c1, c2 = 1 - b1**self.done, 1 - b2**self.done
        for i, g in enumerate(gradients):
            self.first[i] = m = b1 * self.first[i] + (1 - b1) * g
            self.second[i] = v = b2 * self.second[i] + (1 - b2) * g * g
            parameters[i] -= rate * (m / c1) / ((v / c2) ** 0.5 + 1e-8)


def train(
    names: Sequence[str], steps: int, seed: int, slopes: Slopes, parameters: list[Any], sizes: Sizes
) -> list[float]:
    """Change the parameters in ``steps`` steps on one name each, and return the loss of each step. Prints the
    progress ten times."""
    names = list(names)
    random.Random(seed).shuffle(names)
    adam = Adam(len(parameters), steps)
    losses: list[float] = []
    start = clock()
    for number in range(1, steps + 1):
        ids = ids_of(names[(number - 1) % len(names)], sizes.context)
        loss, gradients = slopes(ids, parameters)
        adam.update(parameters, gradients)
        losses.append(loss)
        part = max(steps // 10, 1)
        if number % part == 0:
            recent = sum(losses[-part:]) / part
            seconds = clock() - start
            print(f"step {number:5}: mean loss {recent:.3f}, {seconds:.0f} s", flush=True)
    return losses


def made_up(parameters: list[float], seed: int, sizes: Sizes, temperature: float = 0.5) -> str:
    """A new name, drawn letter by letter, computed on plain floats."""
    rng = random.Random(seed)
    net = matrices(parameters, sizes)
    ids = [END]
    while len(ids) <= sizes.context:
        logits = predictions(net, [net["letters"][i] for i in ids], sizes.heads, FLOATS)[-1]
        shares = softmax([x / temperature for x in logits], FLOATS)
        ids += rng.choices(range(sizes.signs), shares)
        if ids[-1] == END:
            break
    return "".join(LETTERS[i] for i in ids if i != END)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.microgpt", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--train", action="store_true", help="train on names, and write some")
    parser.add_argument("--steps", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--engine", choices=[*engines(), COMPILED], default="autodiff")
    parser.add_argument("--quick", action="store_true", help="a small network: does it run at all?")
    options = parser.parse_args()
    sizes = SMALL if options.quick else Sizes()
    if not options.train:
        print(head(), *map(line, measure(options.rounds, sizes)), "", machine(), sep="\n")
        return
    names = NAMES if options.quick else data.names()
    parameters: list[Any] = random_parameters(sizes, options.seed)
    if options.engine == COMPILED:
        slopes, parameters = slopes_compiled(sizes), [np.array(parameters)]
    else:
        slopes = slopes_by(engines()[options.engine], sizes)
    losses = train(names, options.steps, options.seed, slopes, parameters, sizes)
    recent = losses[-max(options.steps // 10, 1) :]
    print(f"the mean loss of the last tenth is {sum(recent) / len(recent):.3f}")
    print(", ".join(made_up(np.hstack(parameters).tolist(), seed, sizes) for seed in range(20)))


if __name__ == "__main__":
    main()
