"""Optimizers with a learning rate for each element, adapted to the magnitude of its gradients: Adagrad,
RMSprop, Adadelta."""

from __future__ import annotations

import numpy as np

from .optimizer import Group, Optimizer, Parameters, State


class Adagrad(Optimizer):
    """Divides each element's step by the root of the sum of all its squared gradients (Duchi, Hazan and
    Singer, "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization", 2011).

    With t counting the steps from 1, and s starting at ``initial_accumulator_value``::

        s = s + g²
        w = w - lr / (1 + (t - 1) lr_decay) g / (√s + eps)

    Parameters
    ----------
    params, weight_decay, maximize, decoupled_weight_decay
        As in :class:`Optimizer`.
    lr, lr_decay, initial_accumulator_value, eps
        As above.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> w = Tensor([1.0, 1.0])
    >>> (w * [1, 100]).sum().backward()
    >>> optim.Adagrad([w], lr=0.1).step()
    >>> w
    [0.9 0.9]
    """

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "lr_decay": lr_decay,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "eps": eps,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, options)

    def update(self, data: np.ndarray, grad: np.ndarray, state: State, group: Group) -> None:
        """The formulas above."""
        lr, lr_decay, eps, t = group["lr"], group["lr_decay"], group["eps"], state["step"]
        s = state.get("sum", group["initial_accumulator_value"]) + grad * grad
        state["sum"] = s
        data -= lr / (1 + (t - 1) * lr_decay) * grad / (np.sqrt(s) + eps)


class RMSprop(Optimizer):
    """Divides each element's step by the root of a moving average of its squared gradients (Tieleman and
    Hinton, "Lecture 6.5 - RMSprop", 2012).

    With s, and below mean and v, starting at 0::

        s = alpha s + (1 - alpha) g²
        d = g / (√s + eps)
        w = w - lr d

    With ``centered``, an estimate of the variance replaces s in d (Graves, "Generating Sequences With
    Recurrent Neural Networks", 2013)::

        mean = alpha mean + (1 - alpha) g
        d = g / (√(s - mean²) + eps)

    With momentum, the last line is replaced by::

        v = momentum v + d
        w = w - lr v

    Parameters
    ----------
    params, weight_decay, maximize, decoupled_weight_decay
        As in :class:`Optimizer`.
    lr, alpha, eps, momentum, centered
        As above.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> w = Tensor([1.0, 1.0])
    >>> (w * [1, 100]).sum().backward()
    >>> optim.RMSprop([w], alpha=0.75, lr=0.1).step()
    >>> w
    [0.8 0.8]
    """

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "alpha": alpha,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "centered": centered,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, options)

    def update(self, data: np.ndarray, grad: np.ndarray, state: State, group: Group) -> None:
        """The formulas above."""
        lr, alpha, eps, momentum = group["lr"], group["alpha"], group["eps"], group["momentum"]
        s = alpha * state.get("square_avg", 0.0) + (1 - alpha) * grad * grad
        state["square_avg"] = s
        if group["centered"]:
            mean = alpha * state.get("grad_avg", 0.0) + (1 - alpha) * grad
            state["grad_avg"] = mean
            s = np.maximum(s - mean * mean, 0)  # rounding can make the variance negative
        d = grad / (np.sqrt(s) + eps)
        if momentum:
            v = momentum * state.get("momentum_buffer", 0.0) + d
            state["momentum_buffer"] = v
            data -= lr * v
        else:
            data -= lr * d


class Adadelta(Optimizer):
    """Steps in the unit of the parameter: the ratio of the root mean squares of past steps and of past
    gradients replaces a learning rate (Zeiler, "ADADELTA: An Adaptive Learning Rate Method", 2012, with lr =
    1).

    With s and u starting at 0::

        s = rho s + (1 - rho) g²
        d = √(u + eps) / √(s + eps) g
        u = rho u + (1 - rho) d²
        w = w - lr d

    Parameters
    ----------
    params, weight_decay, maximize, decoupled_weight_decay
        As in :class:`Optimizer`.
    lr, rho, eps
        As above.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> w = Tensor(1.0)
    >>> (w * 7).backward()
    >>> optim.Adadelta([w], eps=0.1).step()
    >>> w
    0.0100505
    """

    def __init__(
        self,
        params: Parameters,
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, options)

    def update(self, data: np.ndarray, grad: np.ndarray, state: State, group: Group) -> None:
        """The formulas above."""
        lr, rho, eps = group["lr"], group["rho"], group["eps"]
        s = rho * state.get("square_avg", 0.0) + (1 - rho) * grad * grad
        u = state.get("acc_delta", np.zeros_like(data))
        d = np.sqrt(u + eps) / np.sqrt(s + eps) * grad
        u = rho * u + (1 - rho) * d * d
        state["square_avg"], state["acc_delta"] = s, u
        data -= lr * d
