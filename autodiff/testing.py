"""gradcheck: compare the gradients that the rules give with nudges, for anyone who writes an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .backward import gradients
from .ops.reductions import sum as sum_of
from .state import no_grad
from .tensor import Tensor, raw
from .values import as_data


class GradcheckError(AssertionError):
    """A gradient and the nudge disagree."""


def gradcheck(
    f: Callable[..., Any], *inputs: Any, eps: float = 1e-6, rtol: float = 1e-5, atol: float = 1e-7
) -> bool:
    """Check the gradient of ``f`` at ``inputs`` against two-sided nudges, element by element.

    Parameters
    ----------
    f
        Takes Tensors and returns one, of any shape (its elements are summed with fixed unequal weights, so
        that mistakes cannot cancel).
    inputs
        Numbers, arrays or Tensors; computed in float64, whatever they come in.
    eps
        The nudge, each way. The error of the nudge itself is about eps**2, plus rounding of about 1e-16 /
        eps.
    rtol, atol
        A gradient g passes if it differs from the nudge's slope s by at most ``atol + rtol * abs(s)``.

    Returns
    -------
    bool
        True. A disagreement raises GradcheckError (an AssertionError) that says which input and element, with
        both numbers. TypeError is raised if ``f`` does not return a recorded Tensor.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.gradcheck(lambda x, y: x * y.tanh(), 3, [0.5, -1])
    True
    >>> @ad.operation
    ... def double(x):
    ...     return 2 * x
    >>> double.backward(lambda grad, z, x: grad)  # forgot the 2
    <operation double>
    >>> ad.gradcheck(double, 5)
    Traceback (most recent call last):
        ...
    autodiff.testing.GradcheckError: input 0: the rules give 1, a nudge gives 2
    """
    points = [np.array(as_data(raw(value)), dtype=np.float64) for value in inputs]

    def run(arrays: list[np.ndarray]) -> tuple[list[Tensor], Tensor]:
        tensors = [Tensor(array.item() if array.ndim == 0 else array) for array in arrays]
        out = f(*tensors)
        if not isinstance(out, Tensor):
            raise TypeError(f"gradcheck needs a function that returns a Tensor, not {type(out).__name__}")
        return tensors, sum_of(out * weights(out.shape))

    tensors, end = run(points)
    if not end.requires_grad:
        raise TypeError("gradcheck needs a function whose result depends on its inputs through operations")
    found = [np.asarray(grad.data) for grad in gradients(end, tensors)]
    with no_grad():
        for number, point in enumerate(points):
            for place in np.ndindex(point.shape):
                ends = []
                for nudge in (eps, -eps):
                    nudged = [array.copy() for array in points]
                    nudged[number][place] += nudge
                    ends.append(run(nudged)[1].item())
                slope = (ends[0] - ends[1]) / (2 * eps)
                given = found[number][place]
                if not abs(given - slope) <= atol + rtol * abs(slope):
                    element = f", element {', '.join(map(str, place))}" if place else ""
                    raise GradcheckError(
                        f"input {number}{element}: the rules give {given:.6g}, a nudge gives {slope:.6g}"
                    )
    return True


def weights(shape: tuple[int, ...]) -> Any:
    """Fixed weights between 1 and 2, no two alike among the first thousand; for a number just 1."""
    if not shape:
        return 1.0
    count = np.arange(np.prod(shape, dtype=int))
    return (1 + (count * 0.6180339887498949) % 1).reshape(shape)
