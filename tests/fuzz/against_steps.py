"""The same random calls where PyTorch is not installed: values against NumPy's functions, and the gradients'
worth of one random move of all operands against a complex step, or two real ones where the function is not
analytic.

    python -m tests.fuzz.against_steps --trials 100000 --seed 0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.fuzz.against_torch import Trial, main


class StepTrial(Trial):
    """A call, and NumPy's function for the oracle."""

    def run(self) -> None:
        exact = [a.astype(np.float64) for a in self.arrays]
        expected = np.asarray(self.call.numpy(*exact))
        weight = self.weights(expected.shape)
        leaves = self.leaves()
        out = self.ours(leaves)
        self.check("value", out.data, expected)
        out.backward(weight, create_graph=self.create_graph)
        moves = [self.weights(a.shape) * want for a, want in zip(self.arrays, self.wanted)]
        worth = sum(
            float(np.sum(np.float64(leaf.grad.data) * move))
            for leaf, move in zip(leaves, moves)
            if leaf.requires_grad
        )
        slope, tolerance = self.slope(exact, moves)
        size = sum(np.abs(weight * slope).ravel().tolist())
        tolerance = tolerance if self.is_exact else 1e-3
        if not abs(worth - float(np.sum(weight * slope))) <= tolerance * (1 + size):
            raise AssertionError(
                f"the move is worth {worth} by the gradients, {np.sum(weight * slope)} by a step"
            )
        self.check_likeness(leaves)

    def check_likeness(self, leaves: list[Any]) -> None:
        for leaf, value in zip(leaves, self.arrays):
            np.testing.assert_array_equal(leaf.data, value, "an operand was changed")
            if leaf.requires_grad:
                assert (leaf.grad.shape, leaf.grad.dtype) == (leaf.shape, leaf.dtype), (
                    "a gradient is like its data"
                )
            else:
                assert leaf.grad is None, "a constant got a gradient"

    def slope(self, exact: list[Any], moves: list[Any]) -> tuple[Any, float]:
        """How the result moves per unit of the moves, and how exactly that is known."""
        if self.call.analytic:
            moved = self.call.numpy(*(x + 1e-30j * move for x, move in zip(exact, moves)))
            return np.imag(moved) / 1e-30, 1e-9
        step = 1e-6
        ends = [self.call.numpy(*(x + h * move for x, move in zip(exact, moves))) for h in (step, -step)]
        return (np.asarray(ends[0]) - np.asarray(ends[1])) / (2 * step), 1e-5


if __name__ == "__main__":
    main(StepTrial)
