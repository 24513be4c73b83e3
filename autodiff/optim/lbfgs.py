"""LBFGS: an approximation of Newton's method from the last few gradients, for smooth losses of the whole data
set."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

import numpy as np

from ..engine import edits
from ..engine.recording import enable_grad
from ..engine.silence import silence
from ..engine.tensor import raw
from ..engine.tracing import check_not_compiling
from .line_search import Point, strong_wolfe
from .optimizer import STEP_ADVICE, Group, Optimizer, Parameters, State, writable_array
from .options import checked_steps

MIN_CURVATURE = 1e-10  # a pair (s, y) with a smaller y·s is not stored; the estimate stays positive definite
BEGINNING: State = {"n_iter": 0, "func_evals": 0, "pairs": [], "scale": 1.0}  # before the first step


class LBFGS(Optimizer):
    """Limited-memory BFGS: Newton's method with an inverse Hessian that is estimated from the last
    ``history_size`` steps and the changes of the gradient along them.

    The loss must be the same function at every call (the whole data set, no dropout). LBFGS then needs far
    fewer calls than gradient descent. One call of :meth:`step` makes up to ``max_iter`` iterations. Liu and
    Nocedal, "On the Limited Memory BFGS Method for Large Scale Optimization", 1989; Nocedal and Wright,
    "Numerical Optimization", 2006, algorithms 7.4 and 7.5. Details and defaults are PyTorch's.

    Parameters
    ----------
    params
        The leaf Tensors to optimize, in one group.
    lr
        The step length, a multiple of the direction. With a line search, it is only the first trial.
    max_iter, max_eval
        The largest number of iterations, and of calls of the closure, in a step; None for 1.25 times
        ``max_iter`` calls.
    tolerance_grad, tolerance_change
        A step ends when no element of the gradient exceeds ``tolerance_grad``, when no parameter changes by
        more than ``tolerance_change``, or when the loss does not.
    history_size
        The number of steps that are stored.
    line_search_fn
        "strong_wolfe" searches for a step length that decreases the loss enough; None uses ``lr``.

    Raises
    ------
    TypeError, ValueError
        As in :class:`Optimizer`; also if there is more than one group of parameters, or another line search.

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

    common: dict[str, Any] = {}  # noqa: RUF012  no weight decay, and nothing else that every rule shares

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
        """As in :class:`Optimizer`. Raises ValueError for a second group."""
        if self.param_groups:
            raise ValueError("LBFGS takes all parameters in one group, with the same options")
        super().add_param_group(group)

    def check(self, options: dict[str, Any]) -> dict[str, Any]:
        """As in :class:`Optimizer`; also the numbers of iterations and calls, and the line search."""
        options = super().check(options)
        for name in ("max_iter", "max_eval", "history_size"):
            options[name] = checked_steps(name, options[name], self)
        if options["line_search_fn"] not in (None, "strong_wolfe"):
            raise ValueError(
                f'line_search_fn must be "strong_wolfe" or None, not {options["line_search_fn"]!r:.60}'
            )
        return options

    def init_state(self) -> None:
        """As in :class:`Optimizer`: no pair of steps is known yet."""
        self.state.setdefault(self.param_groups[0]["params"][0], deepcopy(BEGINNING))

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Make up to ``max_iter`` iterations; return the loss of the first call of ``closure``.

        Parameters
        ----------
        closure
            A function that clears the gradients, computes the loss, calls its ``backward`` and returns it.

        Raises
        ------
        TypeError, RuntimeError
            If there is no closure, or it returns no loss or leaves no gradient. The parameters are unchanged
            then, and also when the closure itself raises.
        """
        check_not_compiling("the step of an optimizer", STEP_ADVICE)
        if closure is None:
            raise TypeError(
                "LBFGS computes the loss several times in a step: pass a closure to step, a function that "
                "clears the gradients, computes the loss, calls its backward and returns it"
            )
        first = self.param_groups[0]["params"][0]  # the state of the whole vector is stored under it
        state = {key: copy(value) for key, value in self.state.get(first, BEGINNING).items()}
        start = self._parameter_vector()
        try:
            with silence():
                loss = self._iterate(closure, self.param_groups[0], state)
        except BaseException:
            self._set_parameters(start)
            raise
        self.state[first] = state
        return loss

    def _iterate(self, closure: Callable[[], Any], group: Group, state: State) -> Any:
        """The iterations of one step."""
        loss, value, grad = self._evaluate(closure, state)
        last_eval = state["func_evals"] - 1 + group["max_eval"]
        if np.abs(grad).max() <= group["tolerance_grad"]:
            return loss
        for iteration in range(1, group["max_iter"] + 1):
            direction = newton_direction(grad, state, group["history_size"])
            state["n_iter"] += 1
            slope, old_value = grad @ direction, value
            t = group["lr"] * (min(1.0, float(1 / np.abs(grad).sum())) if state["n_iter"] == 1 else 1)
            state.update(direction=direction, t=t, grad=grad)
            if slope > -group["tolerance_change"]:
                break
            if group["line_search_fn"] is None:
                self._set_parameters(self._parameter_vector() + t * direction)
                if iteration == group["max_iter"]:  # the loss there is not needed
                    break
                _, value, grad = self._evaluate(closure, state)
            else:
                found = self._line_search(closure, Point(0.0, value, grad, slope), last_eval, state)
                state["t"], value, grad = found.t, found.value, found.grad
            if state["func_evals"] >= last_eval or has_converged(grad, value - old_value, state, group):
                break
        return loss

    def _line_search(self, closure: Callable[[], Any], start: Point, last_eval: int, state: State) -> Point:
        """Search along the direction and set the parameters to the point that is found."""
        origin, direction, group = self._parameter_vector(), state["direction"], self.param_groups[0]

        def evaluate(t: float) -> Point:
            self._set_parameters(origin + t * direction)
            _, value, grad = self._evaluate(closure, state)
            return Point(t, value, grad, grad @ direction)

        scale, max_tries = np.abs(direction).max(), last_eval - state["func_evals"]
        found = strong_wolfe(evaluate, state["t"], start, scale, group["tolerance_change"], max_tries)
        self._set_parameters(origin + found.t * direction)
        return found

    def _evaluate(self, closure: Callable[[], Any], state: State) -> tuple[Any, Any, np.ndarray]:
        """Call the closure; return its loss, the loss as a number, and all gradients as one vector."""
        state["func_evals"] += 1
        with enable_grad():
            loss = closure()
        if loss is None:
            raise TypeError("the closure of LBFGS returned None: it must return the loss")
        if all(parameter._grad is None for parameter in self._parameters):
            raise RuntimeError("the closure of LBFGS left no gradient: it must call backward() of the loss")
        grads = [
            np.zeros(parameter.size) if parameter._grad is None else np.ravel(raw(parameter._grad))
            for parameter in self._parameters
        ]
        return loss, np.float64(float(loss)), np.concatenate(grads)

    def _parameter_vector(self) -> np.ndarray:
        """A copy of all parameters as one vector."""
        return np.concatenate([np.ravel(parameter._value) for parameter in self._parameters])

    def _set_parameters(self, data: np.ndarray) -> None:
        """Set all parameters to the elements of a vector. Gradients are kept, and the change is counted."""
        edit, end = edits.new(), 0
        for parameter in self._parameters:
            begin, end = end, end + parameter.size
            parameter._edit = edit
            if type(parameter._value) is float:
                parameter._value = float(data[begin])
            else:
                writable_array(parameter)[...] = data[begin:end].reshape(parameter.shape)


def newton_direction(grad: np.ndarray, state: State, history_size: int) -> np.ndarray:
    """The direction -H grad, with the estimate H of the inverse Hessian: the two-loop recursion of Nocedal
    and Wright, algorithm 7.4, started from -grad. First, the last step s and the change y of the gradient
    along it are stored."""
    if state["n_iter"] == 0:
        return -grad
    s, y = state["t"] * state["direction"], grad - state["grad"]
    if y @ s > MIN_CURVATURE:
        rho, gamma = 1 / (y @ s), (y @ s) / (y @ y)
        state["pairs"] = [*state["pairs"], (s, y, rho)][-history_size:]
        state["scale"] = gamma
    q, alphas = -grad, []
    for s, y, rho in reversed(state["pairs"]):
        alpha = rho * (s @ q)
        q = q - alpha * y
        alphas.append(alpha)
    r = state["scale"] * q
    for (s, y, rho), alpha in zip(state["pairs"], reversed(alphas)):
        beta = rho * (y @ r)
        r += (alpha - beta) * s
    return r


def has_converged(grad: np.ndarray, change: Any, state: State, group: Group) -> bool:
    """Whether the gradient, the last step or the last change of the loss is below its tolerance."""
    step = state["t"] * state["direction"]
    return bool(
        np.abs(grad).max() <= group["tolerance_grad"]
        or np.abs(step).max() <= group["tolerance_change"]
        or abs(change) < group["tolerance_change"]
    )
