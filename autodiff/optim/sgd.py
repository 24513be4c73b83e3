"""SGD: stochastic gradient descent, plain, with momentum, and with Nesterov momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from .optimizer import Group, Optimizer, Parameters, State


class SGD(Optimizer):
    """A step against the gradient, or against an accumulation of gradients, the momentum.

    Plain (Robbins and Monro, "A Stochastic Approximation Method", 1951)::

        w = w - lr g

    With momentum, where v starts as the first gradient (Polyak, "Some methods of speeding up the convergence
    of iteration methods", 1964)::

        v = momentum v + (1 - dampening) g
        w = w - lr v

    With Nesterov momentum (Nesterov 1983, in the form of Sutskever et al., "On the importance of
    initialization and momentum in deep learning", 2013)::

        v = momentum v + g
        w = w - lr (g + momentum v)

    As in PyTorch, lr multiplies v in the step, not g in the accumulation: the two differ only while a
    schedule changes lr.

    Parameters
    ----------
    params, weight_decay, maximize, decoupled_weight_decay
        As in :class:`Optimizer`.
    lr, momentum, dampening, nesterov
        As above. Nesterov momentum requires a momentum above 0 and no dampening.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> w = Tensor(5.0)
    >>> optimizer = optim.SGD([w], lr=0.1)
    >>> for _ in range(20):
    ...     optimizer.zero_grad()
    ...     ((w - 2) ** 2).backward()
    ...     optimizer.step()
    >>> w
    2.03459
    """

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, options)

    def check(self, options: dict[str, Any]) -> dict[str, Any]:
        """As in :class:`Optimizer`; nesterov requires a momentum above 0 and no dampening."""
        options = super().check(options)
        if options["nesterov"] and (options["momentum"] == 0 or options["dampening"] != 0):
            raise ValueError(
                "nesterov of SGD requires a momentum above 0 and no dampening, not "
                f"momentum={options['momentum']} and dampening={options['dampening']}"
            )
        return options

    def update(self, data: np.ndarray, grad: np.ndarray, state: State, group: Group) -> None:
        """The formulas above."""
        lr, momentum, dampening = group["lr"], group["momentum"], group["dampening"]
        if not momentum:
            data -= lr * grad
            return
        share = 1.0
        if dampening and "momentum_buffer" in state:  # the first gradient is taken whole
            share = 1 - dampening * (state["step"] > 1)
        v = momentum * state.get("momentum_buffer", 0.0) + share * grad
        state["momentum_buffer"] = v
        data -= lr * (grad + momentum * v) if group["nesterov"] else lr * v
