"""Optimizers as nodes: ``minimize`` makes a node that updates variables when it runs.

The formulas are those of ``autodiff.optim``, which names their sources, with nodes in place of arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..ops import catalogue
from .differentiating import gradients, smoothly_behind
from .node import Node, apply
from .variables import Assign, GroupNode, Variable, assign, group

Pair = tuple[Any, Variable]


class Optimizer:
    """Base class of the optimizers. A subclass defines ``updates``."""

    def minimize(
        self, loss: Node, var_list: Iterable[Variable] | None = None, name: str | None = None
    ) -> GroupNode:
        """A node that takes one step when it runs: it updates the variables that the loss depends on.

        Parameters
        ----------
        loss
            The node to minimize, one number.
        var_list
            The variables to update; by default the trainable ones that the loss depends on.
        name
            What pictures and error messages call the node.

        Raises
        ------
        TypeError
            If the loss is not a node.
        ValueError
            If the loss depends on no trainable variable, or not on one of ``var_list``.
        """
        return self.apply_gradients(self.compute_gradients(loss, var_list), name)

    def compute_gradients(
        self, loss: Node, var_list: Iterable[Variable] | None = None
    ) -> list[Pair]:
        """The gradients of the loss as pairs (gradient, variable), for :meth:`apply_gradients`."""
        if not isinstance(loss, Node):
            raise TypeError(f"minimize takes a node of a static graph, not {loss!r:.60}")
        variables = trainable_behind(loss) if var_list is None else list(var_list)
        if not variables:
            raise ValueError(f"{loss} depends on no trainable variable, so there is nothing to update")
        return list(zip(gradients(loss, variables), variables))

    def apply_gradients(self, pairs: Iterable[Pair], name: str | None = None) -> GroupNode:
        """A node that updates variables by their gradients. The gradients can be changed before, for example
        clipped. Raises ValueError if there are no pairs."""
        pairs = list(pairs)
        if not pairs:
            raise ValueError("apply_gradients was given no pair (gradient, variable); give at least one")
        return group(*self.updates(pairs), name=name)

    def updates(self, pairs: Sequence[Pair]) -> list[Assign]:
        """The assignments of one step: to the variables, and to the variables that the optimizer keeps."""
        raise NotImplementedError


class GradientDescentOptimizer(Optimizer):
    """Gradient descent, ``w = w - rate g``, as :class:`autodiff.optim.SGD`. The rate is a number or a node.

    Example
    -------
    >>> from autodiff import static
    >>> with static.Graph(), static.Session() as session:
    ...     w = static.Variable(5.0, name="w")
    ...     step = static.GradientDescentOptimizer(0.1).minimize((w - 2) ** 2)
    ...     session.run(static.global_variables_initializer())
    ...     for _ in range(20):
    ...         session.run(step)
    ...     round(session.run(w), 5)
    2.03459
    """

    def __init__(self, learning_rate: Any) -> None:
        self.learning_rate = learning_rate

    def updates(self, pairs: Sequence[Pair]) -> list[Assign]:
        """The assignments of the formula above."""
        return [assign(w, w - self.learning_rate * grad) for grad, w in pairs]


class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum, ``v = momentum v + g`` and ``w = w - rate v``, where v starts at 0, as
    :class:`autodiff.optim.SGD`; with ``use_nesterov`` the step is ``w = w - rate (g + momentum v)``."""

    def __init__(self, learning_rate: Any, momentum: Any, use_nesterov: bool = False) -> None:
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.use_nesterov = use_nesterov

    def updates(self, pairs: Sequence[Pair]) -> list[Assign]:
        """The assignments of the formulas above."""
        found = []
        for grad, w in pairs:
            kept = kept_beside(w, "momentum")
            v = self.momentum * kept + grad
            step = grad + self.momentum * v if self.use_nesterov else v
            found += [assign(kept, v), assign(w, w - self.learning_rate * step)]
        return found


class AdamOptimizer(Optimizer):
    """Adam, with the formulas of :class:`autodiff.optim.Adam`, where t counts the steps from 1.

    ::

        m = beta1 m + (1 - beta1) g
        v = beta2 v + (1 - beta2) g²
        w = w - rate m / (1 - beta1^t) / (√(v / (1 - beta2^t)) + epsilon)

    TensorFlow adds its epsilon to the root of v before the correction, which gives slightly other numbers.
    """

    def __init__(
        self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8
    ) -> None:
        self.learning_rate = learning_rate
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon

    def updates(self, pairs: Sequence[Pair]) -> list[Assign]:
        """The formulas above. A variable counts the steps."""
        with pairs[0][1].graph:
            count = Variable(0.0, "adam_steps", trainable=False)
        t = count + 1
        correct_m, correct_v = 1 - self.beta1**t, 1 - self.beta2**t
        found = [assign(count, t)]
        for grad, w in pairs:
            kept_m, kept_v = kept_beside(w, "adam_m"), kept_beside(w, "adam_v")
            m = self.beta1 * kept_m + (1 - self.beta1) * grad
            v = self.beta2 * kept_v + (1 - self.beta2) * grad * grad
            step = self.learning_rate * (m / correct_m) / (root(v / correct_v) + self.epsilon)
            found += [assign(kept_m, m), assign(kept_v, v), assign(w, w - step)]
        return found


def root(value: Any) -> Any:
    """The node of a square root."""
    return apply(catalogue.sqrt, value)


def trainable_behind(loss: Node) -> list[Variable]:
    """The trainable variables that a loss depends on smoothly, in the order in which they were made."""
    behind = smoothly_behind(loss)
    return [
        node
        for node in loss.graph.nodes.values()
        if isinstance(node, Variable) and node.trainable and node in behind
    ]


def kept_beside(variable: Variable, what: str) -> Variable:
    """A variable of zeros that an optimizer keeps for another variable."""
    sizes: Any = variable.shape
    zeros = 0.0 if variable.is_number else np.zeros(sizes, variable.dtype)
    with variable.graph:
        return Variable(zeros, f"{variable.name}/{what}", trainable=False)
