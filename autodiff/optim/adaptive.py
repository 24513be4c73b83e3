"""Optimizers that give each element a rate of its own, by the size of its gradients: Adagrad, RMSprop,
Adadelta."""

from __future__ import annotations

import numpy as np

from .optimizer import Group, Memory, Optimizer, Parameters, slot


def blend(average: np.ndarray, new: np.ndarray, keep: float, scratch: np.ndarray) -> None:
    """A running average moves on: ``average = keep average + (1 - keep) new``."""
    average *= keep
    average += np.multiply(new, 1 - keep, out=scratch)


def blend_square(average: np.ndarray, new: np.ndarray, keep: float, scratch: np.ndarray) -> None:
    """The same with the square: ``average = keep average + (1 - keep) new²``."""
    np.multiply(new, 1 - keep, out=scratch)
    average *= keep
    average += np.multiply(scratch, new, out=scratch)


class Adagrad(Optimizer):
    """Each element is slowed by all the gradients it has had.

    With t counting the steps from 1, and s starting at ``initial_accumulator_value``::

        s = s + g²,   w = w - lr / (1 + (t - 1) lr_decay) g / (√s + eps)

    Duchi, Hazan and Singer 2011.

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

    def update(self, data: np.ndarray, grad: np.ndarray, state: Memory, group: Group) -> None:
        """The rule."""
        scratch = self.scratch(data)
        total = slot(state, "sum", data, group["initial_accumulator_value"])
        total += np.multiply(grad, grad, out=scratch)
        size = np.sqrt(total, out=scratch)
        size += group["eps"]
        change = np.divide(grad, size, out=scratch)
        change *= group["lr"] / (1 + (state["step"] - 1) * group["lr_decay"])
        data -= change


class RMSprop(Optimizer):
    """Each element is slowed by the gradients it had lately.

    Plain, and with momentum::

        s = alpha s + (1 - alpha) g²,   d = g / (√s + eps)
        w = w - lr d
        v = momentum v + d,   w = w - lr v

    With ``centered`` the square of the running mean of g is taken off s, which leaves the variance. Tieleman
    and Hinton 2012; centered: Graves 2013.

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

    def update(self, data: np.ndarray, grad: np.ndarray, state: Memory, group: Group) -> None:
        """The rule."""
        scratch, alpha = self.scratch(data), group["alpha"]
        square = slot(state, "square_avg", data)
        blend_square(square, grad, alpha, scratch)
        if group["centered"]:
            mean = slot(state, "grad_avg", data)
            blend(mean, grad, alpha, scratch)
            variance = np.subtract(square, np.multiply(mean, mean, out=scratch), out=scratch)
            square = np.maximum(variance, 0, out=scratch)  # rounding can leave it a little below
        size = np.sqrt(square, out=scratch)
        size += group["eps"]
        change = np.divide(grad, size, out=scratch)
        if group["momentum"]:
            velocity = slot(state, "momentum_buffer", data)
            velocity *= group["momentum"]
            velocity += change
            change = velocity
        data -= np.multiply(change, group["lr"], out=scratch)


class Adadelta(Optimizer):
    """Steps in the parameter's own unit: as large as they were lately, by how large the gradients were.

    In plain numbers::

        s = rho s + (1 - rho) g²
        d = √(u + eps) / √(s + eps) g,   u = rho u + (1 - rho) d²,   w = w - lr d

    Zeiler 2012, who has lr = 1.

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

    def update(self, data: np.ndarray, grad: np.ndarray, state: Memory, group: Group) -> None:
        """The rule."""
        scratch, rho, eps = self.scratch(data), group["rho"], group["eps"]
        square, moved = slot(state, "square_avg", data), slot(state, "acc_delta", data)
        blend_square(square, grad, rho, scratch)
        size = np.sqrt(np.add(square, eps, out=scratch), out=scratch)
        change = np.add(moved, eps, out=self.scratch(data, "change"))
        np.sqrt(change, out=change)
        change /= size
        change *= grad
        blend_square(moved, change, rho, scratch)
        data -= np.multiply(change, group["lr"], out=scratch)
