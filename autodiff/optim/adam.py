"""Adam, AdamW, NAdam, RAdam: running means of the gradient and of its square, freed of their bias towards the
zeros they start from."""

from __future__ import annotations

import math

import numpy as np

from .optimizer import Group, Memory, Optimizer, Parameters, blend, blend_square, slot

Betas = tuple[float, float]


def moments(
    data: np.ndarray, grad: np.ndarray, state: Memory, betas: Betas, scratch: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Move the two running means on: ``m`` of the gradient, ``v`` of its square."""
    m, v = slot(state, "exp_avg", data), slot(state, "exp_avg_sq", data)
    blend(m, grad, betas[0], scratch)
    blend_square(v, grad, betas[1], scratch)
    return m, v


class Adam(Optimizer):
    """Steps of about lr in each element, whatever the size of its gradients.

    With t counting the steps from 1::

        m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g²
        w = w - lr (m / (1 - beta1^t)) / (√(v / (1 - beta2^t)) + eps)

    With ``amsgrad`` the largest v so far stands in v's place. Kingma and Ba 2015; amsgrad: Reddi, Kale and
    Kumar 2018.

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
        if group["amsgrad"]:
            v = np.maximum(slot(state, "max_exp_avg_sq", data), v, out=state["max_exp_avg_sq"])
        correction = math.sqrt(1 - beta2**step)  # of the root of v, taken out of the fraction: one pass less
        size = np.sqrt(v, out=scratch)
        size += group["eps"] * correction
        change = np.divide(m, size, out=scratch)
        change *= group["lr"] * correction / (1 - beta1**step)
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
        m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g²
        d = (1 - mu_t) / (1 - p_t) g + mu_{t+1} / (1 - p_{t+1}) m
        w = w - lr d / (√(v / (1 - beta2^t)) + eps)

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
        size = np.divide(v, 1 - beta2**step, out=scratch)
        np.sqrt(size, out=size)
        size += group["eps"]
        for direction, share in ((grad, (1 - mu) / (1 - product)), (m, mu_next / (1 - product * mu_next))):
            change = np.multiply(direction, group["lr"] * share, out=self.scratch(data, "change"))
            change /= size
            data -= change


class RAdam(Optimizer):
    """Adam that trusts v only when it has seen enough gradients; until then a step goes by m alone.

    With t counting the steps from 1::

        m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g²
        R = 2 / (1 - beta2) - 1,       r = R - 2 t beta2^t / (1 - beta2^t)
        w = w - lr m / (1 - beta1^t)                                       while r <= 5, and then
        w = w - lr m / (1 - beta1^t) √(1 - beta2^t) / (√v + eps) √c
        c = (r - 4) (r - 2) R / ((R - 4) (R - 2) r)

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
        rate = group["lr"] / (1 - beta1**step)
        whole = 2 / (1 - beta2) - 1
        seen = whole - 2 * step * beta2**step / (1 - beta2**step)
        if seen > 5:
            trust = (seen - 4) * (seen - 2) * whole / ((whole - 4) * (whole - 2) * seen)
            size = np.sqrt(v, out=scratch)
            size += group["eps"]
            m = np.divide(m, size, out=scratch)
            rate *= math.sqrt(trust * (1 - beta2**step))
        data -= np.multiply(m, rate, out=scratch)
