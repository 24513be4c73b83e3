"""LBFGS: Newton's direction from the last few gradients, for smooth losses over all data at once."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from ..engine import edits
from ..engine.recording import enable_grad
from ..engine.silence import silence
from ..engine.tensor import raw
from .line_search import Point, strong_wolfe
from .optimizer import Group, Memory, Optimizer, Parameters, own_array
from .options import whole

LEAST_CURVATURE = 1e-10  # a step along which the gradient hardly grows tells nothing of the curvature


class LBFGS(Optimizer):
    """Limited-memory BFGS: the direction of Newton's method, with the curvature read off the last
    ``history_size`` steps and the changes of the gradient along them.

    It is for losses that are the same at every call (the whole data set, no dropout), and then needs far
    fewer calls than gradient descent. One call of :meth:`step` makes up to ``max_iter`` iterations. Liu and
    Nocedal, "On the Limited Memory BFGS Method for Large Scale Optimization", 1989; Nocedal and Wright,
    "Numerical Optimization", 2006, algorithm 7.4. Algorithm and defaults are PyTorch's.

    Parameters
    ----------
    params
        The leaf Tensors to change, in one group.
    lr
        The length of a step, in units of the direction. With a line search it is only the first that is
        tried.
    max_iter, max_eval
        How many iterations, and calls of the closure, a step makes at most; None for 1.25 times ``max_iter``
        calls.
    tolerance_grad, tolerance_change
        A step ends when no element of the gradient is larger than the one, or when no parameter, or not the
        loss, changes by more than the other.
    history_size
        How many steps are remembered.
    line_search_fn
        "strong_wolfe" looks for a length by which the loss falls; None takes ``lr`` as it is.

    Raises
    ------
    TypeError, ValueError
        As in :class:`Optimizer`; if there is more than one group of parameters, or another line search.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> w = Tensor([-1.0, 1.5])
    >>> optimizer = optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = 100 * (w[1] - w[0] ** 2) ** 2 + (1 - w[0]) ** 2
    ...     loss.backward()
    ...     return loss
    >>> for _ in range(3):
    ...     loss = optimizer.step(closure)
    >>> w
    [1 1]
    """

    common: dict[str, Any] = {}  # noqa: RUF012  weight decay and the like belong to rules that take small steps

    def __init__(
        self,
        params: Parameters,
        lr: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        options = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, options)

    def add_param_group(self, group: Group) -> None:
        """As in :class:`Optimizer`; but a second group is refused with ValueError."""
        if self.param_groups:
            raise ValueError("LBFGS takes all parameters in one group, with the same options")
        super().add_param_group(group)

    def check(self, options: dict[str, Any]) -> dict[str, Any]:
        """As in :class:`Optimizer`; numbers of calls are whole, and there is one line search."""
        options = super().check(options)
        for name in ("max_iter", "max_eval", "history_size"):
            options[name] = whole(name, options[name])
        if options["line_search_fn"] not in (None, "strong_wolfe"):
            raise ValueError(
                f'line_search_fn is "strong_wolfe" or None, not {options["line_search_fn"]!r:.60}'
            )
        return options

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Make up to ``max_iter`` iterations, and return the loss of the first call of ``closure``.

        Parameters
        ----------
        closure
            A function that clears the gradients, computes the loss, calls its ``backward`` and returns it.

        Raises
        ------
        TypeError, RuntimeError
            If there is no closure, or it returns no loss, or leaves no gradient. Parameters are then what
            they were; so they are if the closure raises.
        """
        if closure is None:
            raise TypeError(
                "LBFGS computes the loss several times in a step: give step a closure, a function that "
                "clears the gradients, computes the loss, calls its backward and returns it"
            )
        first = self.param_groups[0]["params"][0]
        fresh = {"n_iter": 0, "func_evals": 0, "pairs": [], "scale": 1.0}
        memory = {key: copy(value) for key, value in self.state.get(first, fresh).items()}
        start = self._data()
        try:
            with silence():
                loss = self._iterate(closure, self.param_groups[0], memory)
        except BaseException:
            self._place(start)
            raise
        self.state[first] = memory
        return loss

    def _iterate(self, closure: Callable[[], Any], group: Group, memory: Memory) -> Any:
        """The iterations of one step."""
        loss, value, grad = self._evaluate(closure, memory)
        last_eval = memory["func_evals"] - 1 + group["max_eval"]
        if np.abs(grad).max() <= group["tolerance_grad"]:
            return loss
        for iteration in range(1, group["max_iter"] + 1):
            direction = newton(grad, memory, group["history_size"])
            memory["n_iter"] += 1
            slope, before = grad @ direction, value
            t = group["lr"] * (min(1.0, float(1 / np.abs(grad).sum())) if memory["n_iter"] == 1 else 1)
            memory.update(direction=direction, t=t, grad=grad)
            if slope > -group["tolerance_change"]:
                break
            if group["line_search_fn"] is None:
                self._place(self._data() + t * direction)
                if iteration == group["max_iter"]:  # nobody would look at the loss there
                    break
                _, value, grad = self._evaluate(closure, memory)
            else:
                found = self._search(closure, Point(0.0, value, grad, slope), last_eval, memory)
                memory["t"], value, grad = found.t, found.value, found.grad
            if memory["func_evals"] >= last_eval or has_converged(grad, value - before, memory, group):
                break
        return loss

    def _search(self, closure: Callable[[], Any], start: Point, last_eval: int, memory: Memory) -> Point:
        """Go along the direction to where the line search ends."""
        data, direction, group = self._data(), memory["direction"], self.param_groups[0]

        def at(t: float) -> Point:
            self._place(data + t * direction)
            _, value, grad = self._evaluate(closure, memory)
            return Point(t, value, grad, grad @ direction)

        size, most = np.abs(direction).max(), last_eval - memory["func_evals"]
        found = strong_wolfe(at, memory["t"], start, size, group["tolerance_change"], most)
        self._place(data + found.t * direction)
        return found

    def _evaluate(self, closure: Callable[[], Any], memory: Memory) -> tuple[Any, Any, np.ndarray]:
        """Call the closure: its loss, that as a number, and the gradients in one vector."""
        memory["func_evals"] += 1
        with enable_grad():
            loss = closure()
        if loss is None:
            raise TypeError("the closure of LBFGS returned None: it returns the loss")
        if all(parameter._grad is None for parameter in self._parameters):
            raise RuntimeError("the closure of LBFGS left no gradient: it calls the loss's backward()")
        grads = [
            np.zeros(parameter.size) if parameter._grad is None else np.ravel(raw(parameter._grad))
            for parameter in self._parameters
        ]
        return loss, np.float64(float(loss)), np.concatenate(grads)

    def _data(self) -> np.ndarray:
        """All parameters in one vector, copied."""
        return np.concatenate([np.ravel(parameter._value) for parameter in self._parameters])

    def _place(self, data: np.ndarray) -> None:
        """Give the parameters the elements of a vector. Gradients are kept, and the change is counted."""
        edit, end = edits.new(), 0
        for parameter in self._parameters:
            begin, end = end, end + parameter.size
            parameter._edit = edit
            if type(parameter._value) is float:
                parameter._value = float(data[begin])
            else:
                own_array(parameter)[...] = data[begin:end].reshape(parameter.shape)


def newton(grad: np.ndarray, memory: Memory, history_size: int) -> np.ndarray:
    """The direction: minus the gradient times an estimate of the inverse Hessian, in two loops over the steps
    that are remembered. The last step joins them first."""
    if memory["n_iter"] == 0:
        return -grad
    step, change = memory["t"] * memory["direction"], grad - memory["grad"]
    curvature = change @ step
    if curvature > LEAST_CURVATURE:
        memory["pairs"] = [*memory["pairs"], (step, change, 1 / curvature)][-history_size:]
        memory["scale"] = curvature / (change @ change)
    direction, shares = -grad, []
    for step, change, rho in reversed(memory["pairs"]):
        shares.append(rho * (step @ direction))
        direction = direction - shares[-1] * change
    direction = memory["scale"] * direction
    for (step, change, rho), share in zip(memory["pairs"], reversed(shares)):
        direction += (share - rho * (change @ direction)) * step
    return direction


def has_converged(grad: np.ndarray, change: Any, memory: Memory, group: Group) -> bool:
    """Whether the gradient, the last step or the last change of the loss is below its tolerance."""
    step = memory["t"] * memory["direction"]
    return bool(
        np.abs(grad).max() <= group["tolerance_grad"]
        or np.abs(step).max() <= group["tolerance_change"]
        or abs(change) < group["tolerance_change"]
    )
