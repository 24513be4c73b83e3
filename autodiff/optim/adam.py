"""Adam, AdamW, NAdam, RAdam: steps from exponential moving averages of the gradients and of their squares.

The two averages, m and v, estimate the first and second moment of the gradient. They start at zero, and the
division by 1 - beta^t corrects that bias.
"""

from __future__ import annotations

import math

import numpy as np

from .optimizer import Group, Optimizer, Parameters, State

Betas = tuple[float, float]


class Adam(Optimizer):
    """Steps of about lr in each element, whatever the magnitude of its gradients (Kingma and Ba, "Adam: A
    Method for Stochastic Optimization", 2015, algorithm 1).

    With t counting the steps from 1, and m and v starting at 0::

        m = beta1 m + (1 - beta1) g
        v = beta2 v + (1 - beta2) g²
        m_hat = m / (1 - beta1^t)
        v_hat = v / (1 - beta2^t)
        w = w - lr m_hat / (√v_hat + eps)

    With ``amsgrad``, the maximum of all v so far replaces v in v_hat (Reddi, Kale and Kumar, "On the
    Convergence of Adam and Beyond", 2018, with the bias correction of PyTorch).

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

    def update(self, data: np.ndarray, grad: np.ndarray, state: State, group: Group) -> None:
        """The formulas above."""
        lr, (beta1, beta2), eps, t = group["lr"], group["betas"], group["eps"], state["step"]
        m = beta1 * state.get("m", 0.0) + (1 - beta1) * grad
        v = beta2 * state.get("v", 0.0) + (1 - beta2) * grad * grad
        state["m"], state["v"] = m, v
        if group["amsgrad"]:
            v = state["max_v"] = np.maximum(state.get("max_v", 0.0), v)
        m_hat = m / (1 - beta1**t)
        v_hat = v / (1 - beta2**t)
        data -= lr * m_hat / (np.sqrt(v_hat) + eps)


class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, "Decoupled Weight Decay Regularization",
    2019).

    Each step first shrinks the parameter by a constant factor::

        w = (1 - lr weight_decay) w

    A step of :class:`Adam` follows, without weight decay in its gradient.

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
    """Adam with Nesterov momentum (Dozat, "Incorporating Nesterov Momentum into Adam", 2016, algorithm 2).

    With t counting the steps from 1, and m and v starting at 0::

        mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2)
        p_t = mu_1 mu_2 ... mu_t
        m = beta1 m + (1 - beta1) g
        v = beta2 v + (1 - beta2) g²
        m_hat = mu_{t+1} / (1 - p_{t+1}) m + (1 - mu_t) / (1 - p_t) g
        v_hat = v / (1 - beta2^t)
        w = w - lr m_hat / (√v_hat + eps)

    As in PyTorch, m is updated with beta1, where the paper has mu_t.

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

    def update(self, data: np.ndarray, grad: np.ndarray, state: State, group: Group) -> None:
        """The formulas above."""
        lr, (beta1, beta2), eps, t = group["lr"], group["betas"], group["eps"], state["step"]
        mu = beta1 * (1 - 0.96 ** (t * group["momentum_decay"]) / 2)
        mu_next = beta1 * (1 - 0.96 ** ((t + 1) * group["momentum_decay"]) / 2)
        p = state["mu_product"] = state.get("mu_product", 1.0) * mu
        m = beta1 * state.get("m", 0.0) + (1 - beta1) * grad
        v = beta2 * state.get("v", 0.0) + (1 - beta2) * grad * grad
        state["m"], state["v"] = m, v
        m_hat = mu_next / (1 - p * mu_next) * m + (1 - mu) / (1 - p) * grad
        v_hat = v / (1 - beta2**t)
        data -= lr * m_hat / (np.sqrt(v_hat) + eps)


class RAdam(Optimizer):
    """Adam that uses v only after enough steps, when its variance is small; before, it steps by m alone (Liu
    et al., "On the Variance of the Adaptive Learning Rate and Beyond", 2020, algorithm 2).

    With t counting the steps from 1, and m and v starting at 0::

        m = beta1 m + (1 - beta1) g
        v = beta2 v + (1 - beta2) g²
        m_hat = m / (1 - beta1^t)
        rho_inf = 2 / (1 - beta2) - 1
        rho = rho_inf - 2 t beta2^t / (1 - beta2^t)
        r = √((rho - 4) (rho - 2) rho_inf / ((rho_inf - 4) (rho_inf - 2) rho))
        l_t = √(1 - beta2^t) / (√v + eps)
        w = w - lr r m_hat l_t   if rho > 5,   else   w = w - lr m_hat

    The bound 5 for rho is PyTorch's; the paper has 4.

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

    def update(self, data: np.ndarray, grad: np.ndarray, state: State, group: Group) -> None:
        """The formulas above."""
        lr, (beta1, beta2), eps, t = group["lr"], group["betas"], group["eps"], state["step"]
        m = beta1 * state.get("m", 0.0) + (1 - beta1) * grad
        v = beta2 * state.get("v", 0.0) + (1 - beta2) * grad * grad
        state["m"], state["v"] = m, v
        m_hat = m / (1 - beta1**t)
        rho_inf = 2 / (1 - beta2) - 1
        rho = rho_inf - 2 * t * beta2**t / (1 - beta2**t)
        if rho > 5:
            r = math.sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho))
            l_t = math.sqrt(1 - beta2**t) / (np.sqrt(v) + eps)
            data -= lr * r * m_hat * l_t
        else:
            data -= lr * m_hat
