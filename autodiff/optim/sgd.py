"""SGD: stochastic gradient descent, with momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from .optimizer import Group, Memory, Optimizer, Parameters


class SGD(Optimizer):
    """A step against the gradient, or against what the gradients so far add up to.

    Plain, with momentum, and with nesterov::

        w = w - lr g
        v = momentum v + (1 - dampening) g,   w = w - lr v
        v = momentum v + g,                   w = w - lr (g + momentum v)

    where v starts as the first gradient. Plain: Robbins and Monro 1951. Momentum: Polyak 1964. Nesterov:
    Nesterov 1983, in the form of Sutskever et al. 2013. As in PyTorch, lr multiplies v when it is used, and
    not the gradient when it is added to v: the two differ only while a schedule changes lr.

    Parameters
    ----------
    params, weight_decay, maximize, decoupled_weight_decay
        As in :class:`Optimizer`.
    lr, momentum, dampening, nesterov
        The learning rate, and as above. Nesterov asks for a momentum, and for no dampening.

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
        """As in :class:`Optimizer`; and nesterov needs what it is made of."""
        options = super().check(options)
        if options["nesterov"] and (options["momentum"] == 0 or options["dampening"] != 0):
            raise ValueError("nesterov asks for a momentum above 0 and for no dampening")
        return options

    def update(self, data: np.ndarray, grad: np.ndarray, state: Memory, group: Group) -> None:
        """The formulas above."""
        lr, momentum, dampening = group["lr"], group["momentum"], group["dampening"]
        if not momentum:
            data -= lr * grad
            return
        if "momentum_buffer" in state:
            v = momentum * state["momentum_buffer"] + (1 - dampening) * grad
        else:
            v = grad.copy()
        state["momentum_buffer"] = v
        data -= lr * (grad + momentum * v) if group["nesterov"] else lr * v
