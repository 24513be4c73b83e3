"""Recurrent layers in random configurations beside PyTorch's: outputs, last states and all gradients.

    python -m tests.fuzz.recurrent_layers --trials 5000 --seed 0

Each trial has a seed of its own, which a failure prints with the configuration; ``--only SEED TRIAL`` runs
one again. Both compute in float64, from the same state_dict.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff import Tensor, nn
from autodiff.testing import laid
from tests.fuzz.chance import Chance, parser, run_trials

KINDS = ("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell")


class LayerTrial:
    """A layer, an input, perhaps a state to start from, and what arrives at each result."""

    def __init__(self, seed: Any) -> None:
        chance = self.chance = Chance(seed)
        self.kind = chance.choice(KINDS)
        self.is_cell = self.kind.endswith("Cell")
        self.sizes = chance.integer(1, 4), chance.integer(1, 4)
        self.options: dict[str, Any] = {"bias": chance.often(0.7)}
        if self.kind.startswith("RNN"):
            self.options["nonlinearity"] = chance.choice(("tanh", "relu"))
        if not self.is_cell:
            self.options |= {"num_layers": chance.integer(1, 3), "bidirectional": chance.often(0.5)}
            self.options |= {"batch_first": chance.often(0.5)}
        self.steps, self.batch = chance.integer(1, 5), chance.integer(1, 4)
        self.form = chance.choice(
            ("batch", "single") if self.is_cell else ("batch", "batch", "packed", "single")
        )
        self.lengths = chance.integers(1, self.steps, self.batch)
        self.is_sorted = chance.often(0.5)
        if self.is_sorted:
            self.lengths = np.sort(self.lengths)[::-1].copy()
        self.has_state = chance.often(0.6)
        self.layouts = chance.layout(), chance.layout()
        self.x = chance.rng.normal(size=self.input_shape())

    def input_shape(self) -> tuple[int, ...]:
        size, form = self.sizes[0], self.form
        if self.is_cell:
            return (size,) if form == "single" else (self.batch, size)
        if form == "single":
            return self.steps, size
        first_two = (self.batch, self.steps) if self.options["batch_first"] else (self.steps, self.batch)
        return (*first_two, size)

    def state_shape(self) -> tuple[int, ...]:
        batch = () if self.form == "single" else (self.batch,)
        if self.is_cell:
            return (*batch, self.sizes[1])
        return self.options["num_layers"] * (1 + self.options["bidirectional"]), *batch, self.sizes[1]

    def __str__(self) -> str:
        form = f"packed {self.lengths.tolist()}" if self.form == "packed" else self.form
        options = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return (
            f"{self.kind}{self.sizes} with {options}; {form} input of shape {self.x.shape}, "
            f"{'a' if self.has_state else 'no'} state, laid out {self.layouts}"
        )

    def run(self) -> None:
        """Raise AssertionError if a result or a gradient differs from PyTorch's."""
        import torch

        theirs = getattr(torch.nn, self.kind)(*self.sizes, **self.options).double()
        options = self.options | {"dtype": np.float64, "generator": self.chance.rng}
        ours = getattr(nn, self.kind)(*self.sizes, **options)
        assert list(ours.state_dict()) == list(theirs.state_dict())
        theirs.load_state_dict({name: torch.tensor(value) for name, value in ours.state_dict().items()})
        count = (2 if self.kind.startswith("LSTM") else 1) * self.has_state
        states = [self.chance.rng.normal(size=self.state_shape()) for _ in range(count)]
        leaves = [Tensor(array) for array in (self.x, *states)]
        others = [torch.tensor(array, requires_grad=True) for array in (self.x, *states)]
        packing = torch.nn.utils.rnn, nn.utils.rnn
        expected = self.results(theirs, others, packing[0])
        found = self.results(ours, [laid(leaf, layout=self.layouts[0]) for leaf in leaves], packing[1])
        end, their_end = Tensor(0.0), torch.tensor(0.0)
        for result, other in zip(found, expected, strict=True):
            same("a result", result.data, other)
            weight = self.chance.rng.normal(size=tuple(other.shape))
            end = end + (laid(result, layout=self.layouts[1]) * weight).sum()
            their_end = their_end + (other * torch.tensor(weight)).sum()
        end.backward()
        their_end.backward()
        for leaf, other in zip((*leaves, *ours.parameters()), (*others, *theirs.parameters()), strict=True):
            same("a gradient", leaf.grad.data, other.grad)

    def results(self, layer: Any, operands: list[Any], packing: Any) -> list[Any]:
        """Everything that a layer returns, in a row."""
        x, *states = operands
        if self.form == "packed":
            x = packing.pack_padded_sequence(
                x, self.lengths.tolist(), self.options["batch_first"], enforce_sorted=self.is_sorted
            )
        before = (tuple(states) if len(states) > 1 else states[0],) if states else ()
        out = layer(x, *before)
        if self.is_cell:
            return list(out) if isinstance(out, tuple) else [out]
        output, last = out
        if self.form == "packed":
            padded, lengths = packing.pad_packed_sequence(output, self.options["batch_first"])
            assert np.asarray(lengths).tolist() == self.lengths.tolist()
            output = padded
        return [output, *(last if isinstance(last, tuple) else (last,))]


def same(what: str, found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected.numpy(force=True), rtol=1e-9, atol=1e-11, err_msg=what)


def fuzz(trials: int, seed: int, seconds: float = np.inf) -> int:
    """Run trials, no longer than so many seconds; returns how many were run. A failure raises AssertionError
    with the configuration and the numbers that run it again."""
    return run_trials(LayerTrial, LayerTrial.run, trials, seed, seconds).total()


def main() -> None:
    options = parser(__doc__, 1_000).parse_args()
    if options.only:
        trial = LayerTrial(tuple(options.only))
        print(trial)  # noqa: T201
        trial.run()
        return
    print(f"{fuzz(options.trials, options.seed)} trials from seed {options.seed}")  # noqa: T201


if __name__ == "__main__":
    main()
