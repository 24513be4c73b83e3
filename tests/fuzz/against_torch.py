"""Random operations on random arrays in random memory layouts: values, gradients and second derivatives
against PyTorch's, which computes in float64 from contiguous arrays.

    python -m tests.fuzz.against_torch --trials 100000 --seed 0

Each trial has a seed of its own, which a failure prints with the call; ``--only SEED TRIAL`` runs one again.
"""

from __future__ import annotations

import collections
import time
from typing import Any

import numpy as np

from autodiff import Tensor
from autodiff.engine.backward import gradients
from autodiff.testing import laid
from tests.fuzz.chance import Chance, parser, quiet, run_trials
from tests.fuzz.operations import Call
from tests.fuzz.products import a_call

EXACTNESS = {"value": (1e-10, 2e-4), "gradient": (1e-9, 1e-3), "second derivative": (1e-7, np.inf)}
"""How far apart results may be, beside the largest of them: in float64, and where float32 takes part."""


class Trial:
    """One call on arrays, and all that was drawn for it."""

    def __init__(self, seed: Any) -> None:
        chance = self.chance = Chance(seed)
        self.call: Call = self.draw(chance)
        self.dtypes = [chance.choice((np.float64, np.float64, np.float32)) for _ in self.call.arrays]
        self.arrays = [np.asarray(a, dtype=dtype) for a, dtype in zip(self.call.arrays, self.dtypes)]
        self.layouts = [chance.layout() for _ in self.arrays]
        self.arrival = chance.layout()
        self.wanted = [chance.often(0.8) for _ in self.arrays]
        self.wanted[chance.integer(0, len(self.arrays) - 1)] = True
        self.twice = chance.often(0.2)
        self.create_graph = chance.often(0.3)
        self.is_exact = np.float32 not in self.dtypes

    def draw(self, chance: Chance) -> Call:
        return a_call(chance)

    def __str__(self) -> str:
        operands = ", ".join(
            f"{a.dtype}{a.shape} {layout}{'' if want else ' constant'}"
            for a, layout, want in zip(self.arrays, self.layouts, self.wanted)
        )
        return f"{self.call.name}({operands}; {self.call.options}), the gradient arrives {self.arrival}"

    def weights(self, shape: tuple[int, ...]) -> Any:
        return self.chance.array(shape)

    def leaves(self) -> list[Tensor]:
        return [Tensor(a, requires_grad=want) for a, want in zip(self.arrays, self.wanted)]

    def ours(self, leaves: list[Tensor]) -> Tensor:
        """Our result, from operands in their layouts; its gradient arrives in its own."""
        inputs = [laid(leaf, layout=layout) for leaf, layout in zip(leaves, self.layouts)]
        return laid(self.call.ours(*inputs), layout=self.arrival)

    def check(self, what: str, found: Any, expected: Any) -> None:
        """Raise AssertionError if two results differ by more than their dtypes allow."""
        found = np.asarray(found)
        if found.shape != tuple(expected.shape):
            raise AssertionError(f"the {what} has the shape {found.shape}, not {tuple(expected.shape)}")
        tolerance = EXACTNESS[what][not self.is_exact]
        scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        off = float(np.max(np.abs(found - expected), initial=0.0))
        if not off <= tolerance * scale:
            raise AssertionError(f"the {what} is off by {off:.3g}:\n{found}\nnot\n{expected}")

    def run(self) -> None:
        """Raise AssertionError, or whatever the package raises, if something differs."""
        import torch

        theirs = [
            torch.tensor(a.astype(np.float64), requires_grad=want)
            for a, want in zip(self.arrays, self.wanted)
        ]
        assert self.call.torch is not None
        expected = self.call.torch(*theirs)
        weight = self.weights(tuple(expected.shape))
        wanted = [x for x in theirs if x.requires_grad]
        seed = torch.tensor(weight, requires_grad=self.twice)
        slopes = torch.autograd.grad(
            expected, wanted, seed, create_graph=self.twice, allow_unused=True, materialize_grads=True
        )
        leaves = self.leaves()
        out = self.ours(leaves)
        self.check("value", out.data, expected.numpy(force=True))
        self.check_first(leaves, out, weight, [slope.numpy(force=True) for slope in slopes])
        if self.twice and self.is_exact and self.call.smooth:
            directions = [self.weights(tuple(x.shape)) for x in wanted]
            end = sum((slope * torch.tensor(d)).sum() for slope, d in zip(slopes, directions))
            if not end.requires_grad:
                return
            second = torch.autograd.grad(end, [*wanted, seed], allow_unused=True, materialize_grads=True)
            self.check_second(weight, directions, [slope.numpy(force=True) for slope in second])

    def check_first(self, leaves: list[Tensor], out: Tensor, weight: Any, expected: list[Any]) -> None:
        before = [np.array(leaf.data) for leaf in leaves]
        out.backward(weight, create_graph=self.create_graph)
        wanted = [leaf for leaf in leaves if leaf.requires_grad]
        for leaf, slope in zip(wanted, expected, strict=True):
            assert (leaf.grad.shape, leaf.grad.dtype) == (leaf.shape, leaf.dtype), (
                "a gradient is like its data"
            )
            self.check("gradient", leaf.grad.data, slope)
        for leaf, value in zip(leaves, before):
            np.testing.assert_array_equal(leaf.data, value, "an operand was changed")
            assert leaf.requires_grad or leaf.grad is None, "a constant got a gradient"

    def check_second(self, weight: Any, directions: list[Any], expected: list[Any]) -> None:
        leaves, seed = self.leaves(), Tensor(weight)
        wanted = [leaf for leaf in leaves if leaf.requires_grad]
        slopes = gradients(self.ours(leaves), wanted, seed, create_graph=True)
        end = sum((slope * d).sum() for slope, d in zip(slopes, directions))
        if not (isinstance(end, Tensor) and end.requires_grad):
            found = [np.zeros(leaf.shape) for leaf in (*wanted, seed)]
        else:
            found = [slope.data for slope in gradients(end, [*wanted, seed])]
        for slope, other in zip(found, expected, strict=True):
            self.check("second derivative", slope, other)


def fuzz(trials: int, seed: int, kind: type = Trial, seconds: float = np.inf) -> collections.Counter[str]:
    """Run trials, no longer than so many seconds, and count them by operation. A failure raises
    AssertionError with the call and the numbers that run it again."""

    def run(trial: Trial) -> str:
        with quiet():
            trial.run()
        return trial.call.name

    return run_trials(kind, run, trials, seed, seconds)


def main(kind: type = Trial) -> None:
    options = parser(__doc__, 100_000).parse_args()
    if options.only:
        print(trial := kind(tuple(options.only)))  # noqa: T201
        trial.run()
        return
    start = time.monotonic()
    counts = fuzz(options.trials, options.seed, kind)
    names = ", ".join(f"{name} {count}" for name, count in counts.most_common())
    took = f"{counts.total()} trials from seed {options.seed} in {time.monotonic() - start:.0f} s"
    print(f"{took}, no failure: {names}")  # noqa: T201


if __name__ == "__main__":
    main()
