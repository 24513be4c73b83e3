"""Adam, AdamW, NAdam, RAdam: weighted means of all gradients so far and of their squares, in which each step
back counts beta times as much.

A weighted mean is a sum divided by what its weights add up to. The papers keep sums whose weights would add
up to 1 after endless steps, and call the division the correction of their bias towards the zeros they start
from.
"""

from __future__ import annotations

import math

import numpy as np

from .optimizer import Group, Memory, Optimizer, Parameters, slot

Betas = tuple[float, float]


def moments(
    data: np.ndarray, grad: np.ndarray, state: Memory, betas: Betas, scratch: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Move the two sums on: ``m`` of the gradients, ``v`` of their squares.

    The papers' m and v are these times 1 - beta. Left out here and put into the size of the step, the two
    factors save two passes of twelve over memory, a seventh of Adam's time.
    """
    m, v = slot(state, "m", data), slot(state, "v", data)
    m *= betas[0] * kept_mean(state, "beta1", betas[0])
    m += grad
    v *= betas[1] * kept_mean(state, "beta2", betas[1])
    v += np.multiply(grad, grad, out=scratch)
    return m, v


def kept_mean(state: Memory, name: str, beta: float) -> float:
    """What a sum is multiplied by so that the sum times 1 - beta stays, if a schedule has changed the beta;
    else 1."""
    before = state.get(name, beta)
    state[name] = beta
    return (1 - before) / (1 - beta)


def weights(beta: float, step: int) -> float:
    """What the weights in a sum add up to: 1 + beta + beta² + ... for as many steps."""
    return (1 - beta**step) / (1 - beta)


class Adam(Optimizer):
    """Steps of about lr in each element, whatever the size of its gradients.

    With t counting the steps from 1::

        m = beta1 m + g,   v = beta2 v + g²
        c = 1 + beta1 + ... + beta1^(t-1),   d = 1 + beta2 + ... + beta2^(t-1)
        w = w - lr (m / c) / (√(v / d) + eps)

    With ``amsgrad`` the largest (1 - beta2) v so far stands in its place. Kingma and Ba 2015; amsgrad:
    Reddi, Kale and Kumar 2018.

    Parameters
    ----------
    params, weight_decay, maximize, decoupled_weight_decay
        As in :class:`Optimizer`.
    lr, betas, eps, amsgrad
        As above.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> w = Tensor([1.0, 1.0])
    >>> (w * [1, -100]).sum().backward()
    >>> optim.Adam([w], lr=0.1).step()
    >>> w
    [0.9 1.1]
    """

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, options)

    def update(self, data: np.ndarray, grad: np.ndarray, state: Memory, group: Group) -> None:
        """The rule."""
        (beta1, beta2), step, scratch = group["betas"], state["step"], self.scratch(data)
        m, v = moments(data, grad, state, (beta1, beta2), scratch)
        total = weights(beta2, step)
        if group["amsgrad"]:  # the largest mean, since sums of different betas cannot be compared
            mean = np.multiply(v, 1 - beta2, out=scratch)
            v = np.maximum(slot(state, "max_v", data), mean, out=state["max_v"])
            total *= 1 - beta2
        root = math.sqrt(total)  # taken out of the fraction: one pass less
        size = np.sqrt(v, out=scratch)
        size += group["eps"] * root
        change = np.divide(m, size, out=scratch)
        change *= group["lr"] * root / weights(beta1, step)
        data -= change


class AdamW(Adam):
    """Adam with the weight decay taken off the parameter itself, the same share of every element.

    First ``w = (1 - lr weight_decay) w``, then a step of Adam. Loshchilov and Hutter 2019.

    Parameters
    ----------
    params, weight_decay, maximize
        As in :class:`Optimizer`.
    lr, betas, eps, amsgrad
        As in :class:`Adam`.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> w = Tensor([1.0, 100.0])
    >>> (w * 0).sum().backward()
    >>> optim.AdamW([w], lr=0.1, weight_decay=0.5).step()
    >>> w
    [0.95   95]
    """

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, decoupled_weight_decay=True
        )


class NAdam(Optimizer):
    """Adam that looks ahead, as Nesterov's momentum does.

    With t counting the steps from 1::

        mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2),   p_t = mu_1 mu_2 ... mu_t
        m = beta1 m + g,   v = beta2 v + g²
        h = (1 - mu_t) / (1 - p_t) g + mu_{t+1} / (1 - p_{t+1}) (1 - beta1) m
        w = w - lr h / (√(v / d) + eps),   d = 1 + beta2 + ... + beta2^(t-1)

    Dozat 2016.

    Parameters
    ----------
    params, weight_decay, maximize, decoupled_weight_decay
        As in :class:`Optimizer`.
    lr, betas, eps, momentum_decay
        As above.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> w = Tensor(1.0)
    >>> (w * 7).backward()
    >>> optim.NAdam([w], lr=0.1).step()
    >>> w
    0.894355
    """

    def __init__(
        self,
        params: Parameters,
        lr: float = 2e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, options)

    def update(self, data: np.ndarray, grad: np.ndarray, state: Memory, group: Group) -> None:
        """The rule."""
        (beta1, beta2), step, scratch = group["betas"], state["step"], self.scratch(data)
        m, v = moments(data, grad, state, (beta1, beta2), scratch)
        mu, mu_next = (beta1 * (1 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (step, step + 1))
        product = state["mu_product"] = state.get("mu_product", 1.0) * mu
        ahead = mu_next / (1 - product * mu_next) * (1 - beta1)
        size = np.divide(v, weights(beta2, step), out=scratch)
        np.sqrt(size, out=size)
        size += group["eps"]
        for direction, share in ((grad, (1 - mu) / (1 - product)), (m, ahead)):
            change = np.multiply(direction, group["lr"] * share, out=self.scratch(data, "change"))
            change /= size
            data -= change


class RAdam(Optimizer):
    """Adam that trusts v only when it has seen enough gradients; until then a step goes by m alone.

    With t counting the steps from 1::

        m = beta1 m + g,           c = 1 + beta1 + ... + beta1^(t-1)
        v = beta2 v + g²
        R = 2 / (1 - beta2) - 1,   r = R - 2 t beta2^t / (1 - beta2^t)
        w = w - lr m / c                                                   while r <= 5, and then
        w = w - lr m / c √(1 - beta2^t) / (√((1 - beta2) v) + eps) √k
        k = (r - 4) (r - 2) R / ((R - 4) (R - 2) r)

    Liu et al. 2020, whose bound is 4.

    Parameters
    ----------
    params, weight_decay, maximize, decoupled_weight_decay
        As in :class:`Optimizer`.
    lr, betas, eps
        As above.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> w = Tensor(1.0)
    >>> (w * 7).backward()
    >>> optim.RAdam([w], lr=0.1).step()
    >>> w
    0.3
    """

    def __init__(
        self,
        params: Parameters,
        lr: float = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        options = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, options)

    def update(self, data: np.ndarray, grad: np.ndarray, state: Memory, group: Group) -> None:
        """The rule."""
        (beta1, beta2), step, scratch = group["betas"], state["step"], self.scratch(data)
        m, v = moments(data, grad, state, (beta1, beta2), scratch)
        rate = group["lr"] / weights(beta1, step)
        whole = 2 / (1 - beta2) - 1
        seen = whole - 2 * step * beta2**step / (1 - beta2**step)
        if seen > 5:
            trust = (seen - 4) * (seen - 2) * whole / ((whole - 4) * (whole - 2) * seen)
            size = np.sqrt(v, out=scratch)
            size += group["eps"] / math.sqrt(1 - beta2)
            m = np.divide(m, size, out=scratch)
            rate *= math.sqrt(trust * weights(beta2, step))
        data -= np.multiply(m, rate, out=scratch)
