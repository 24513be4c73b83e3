"""gradcheck and gradgradcheck: compare the gradients that the rules give with finite differences."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .engine.backward import gradients
from .engine.operation import Operation, operation
from .engine.recording import enable_grad
from .engine.tensor import Tensor, raw
from .engine.values import as_data


class GradcheckError(AssertionError):
    """A gradient and a finite difference disagree, or a gradient depends on the memory layout."""


def gradcheck(
    f: Callable[..., Any],
    *inputs: Any,
    eps: float = 1e-6,
    rtol: float = 1e-5,
    atol: float = 1e-7,
    complex_step: bool = False,
) -> bool:
    """Compare the gradient of ``f`` at ``inputs`` with central differences, element by element, and check
    that it is the same for every memory layout of the inputs and of the arriving gradient.

    Parameters
    ----------
    f
        Takes Tensors and returns one of any shape. (Its elements are summed with unequal weights, so that
        errors cannot cancel.)
    inputs
        Numbers, arrays or Tensors. They are converted to float64.
    eps
        The step in each direction. The error of a central difference is about eps**2, plus a rounding error
        of about 1e-16 / eps.
    rtol, atol
        A gradient passes if it differs from the central difference s by at most ``atol + rtol * abs(s)``.
    complex_step
        Use an imaginary step instead, which is exact to the last digits since nothing is subtracted (Squire
        and Trapp, "Using Complex Variables to Estimate Derivatives of Real Functions", 1998). ``f`` must be
        an operation, or a ``functools.partial`` of one with its options, and its forward analytic on complex
        arrays: no abs, no comparison. ``rtol=1e-12`` is then appropriate.

    Returns
    -------
    bool
        True.

    Raises
    ------
    GradcheckError
        If a gradient is wrong, or if two calls of ``f`` with the same inputs differ. The message names the
        input and the element, and has both numbers. It is an AssertionError.
    TypeError
        If ``f`` does not return a recorded Tensor.

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
    autodiff.testing.GradcheckError: input 0: the rules give 1, a nudge gives 2, off by 1
    """
    difference = functools.partial(complex_difference, f) if complex_step else nudges(f, eps)
    return is_confirmed(f, difference, inputs, rtol, atol)


def gradgradcheck(
    f: Callable[..., Any], *inputs: Any, eps: float = 1e-6, rtol: float = 1e-5, atol: float = 1e-6
) -> bool:
    """Compare second derivatives of ``f`` with central differences of its gradient, with respect to the
    inputs and to the gradient of the output.

    Parameters, result and errors are those of :func:`gradcheck`. In a message, the last input is the gradient
    of the output.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.gradgradcheck(lambda x, y: x * y.tanh(), 3, [0.5, -1])
    True
    """
    _, out = call_on_leaves(f, [np.array(as_data(raw(value)), dtype=np.float64) for value in inputs])

    @enable_grad()
    def weighted_gradient(*tensors: Tensor, create_graph: bool = True) -> Tensor:
        *leaves, cotangent = tensors
        grads = gradients(f(*leaves), leaves, cotangent, create_graph=create_graph)
        sums = [(grad * weights(grad.shape)).sum() for grad in grads]
        return sum(sums[1:], sums[0])

    # A nudged gradient is not differentiated itself. Without its graph the check takes a quarter less time.
    difference = nudges(functools.partial(weighted_gradient, create_graph=False), eps)
    return is_confirmed(weighted_gradient, difference, (*inputs, weights(out.shape)), rtol, atol)


def nudges(f: Callable[..., Any], eps: float) -> Callable[..., np.ndarray]:
    """The central differences of ``f``, as a function of the points, an input's number and an element."""
    return functools.partial(central_difference, f, eps=eps)


def is_confirmed(
    f: Callable[..., Any],
    difference: Callable[..., np.ndarray],
    inputs: tuple[Any, ...],
    rtol: float,
    atol: float,
) -> bool:
    """Return True if the gradient of ``f`` is what ``difference`` gives, in every layout; raise otherwise, as
    :func:`gradcheck` does."""
    points = [np.array(as_data(raw(value)), dtype=np.float64) for value in inputs]
    tensors, out = call_on_leaves(f, points)
    if not out.requires_grad:
        raise TypeError("gradcheck needs a function whose result depends on its inputs through operations")
    check_repeats(f, points, out)
    weight = weights(out.shape)
    grads = gradients(out, tensors, weight)
    for number, (point, grad) in enumerate(zip(points, grads)):
        for index in np.ndindex(point.shape):
            slopes = difference(points, number, index)
            actual = np.asarray(grad.data)[index]
            expected = float(np.sum(weight * slopes))
            if not abs(actual - expected) <= atol + rtol * abs(expected):
                raise GradcheckError(disagreement(f, points, number, index, slopes, rtol, atol))
    check_layouts(f, points, rtol, atol)
    return True


def call_on_leaves(f: Callable[..., Any], points: list[np.ndarray]) -> tuple[list[Tensor], Tensor]:
    """New leaves at the points, and ``f`` of them. Raises TypeError if ``f`` does not return a Tensor."""
    tensors = [Tensor(point.item() if point.ndim == 0 else point) for point in points]
    out = f(*tensors)
    if not isinstance(out, Tensor):
        raise TypeError(f"gradcheck needs a function that returns a Tensor, not {type(out).__name__}")
    return tensors, out


def check_repeats(f: Callable[..., Any], points: list[np.ndarray], out: Tensor) -> None:
    """Raise GradcheckError if another call of ``f`` at the points gives a result other than ``out``."""
    first, second = np.asarray(out.data), np.asarray(call_on_leaves(f, points)[1].data)
    if first.shape != second.shape or not np.allclose(first, second, 1e-9, 1e-12, equal_nan=True):
        raise GradcheckError(
            f"two calls of the function with the same inputs differ: {out} and {second}. Differences need a "
            "function that repeats itself: draw random numbers before, or by a generator with a seed in it"
        )


def central_difference(
    f: Callable[..., Any], points: list[np.ndarray], number: int, index: tuple[int, ...], eps: float
) -> np.ndarray:
    """The slope of each element of the output with respect to one element of one input."""
    values = []
    for step in (eps, -eps):
        nudged = [point.copy() for point in points]
        nudged[number][index] += step
        values.append(np.asarray(call_on_leaves(f, nudged)[1].data))
    return (values[0] - values[1]) / (2 * eps)


def complex_difference(
    f: Callable[..., Any], points: list[np.ndarray], number: int, index: tuple[int, ...]
) -> np.ndarray:
    """The same slopes by an imaginary step: f(x + ih) is f(x) + ih f'(x) up to terms of order h**2.

    Raises TypeError unless ``f`` is an operation whose forward is analytic.
    """
    operation, options = (f.func, f.keywords) if isinstance(f, functools.partial) else (f, {})
    if not isinstance(operation, Operation):
        raise TypeError("complex_step needs an operation, since it calls the forward on complex numbers")
    step = 1e-30
    nudged: list[np.ndarray] = [point.astype(complex) for point in points]
    nudged[number][index] += step * 1j
    out = np.asarray(operation.forward(*nudged, **options))
    if out.dtype.kind != "c":
        raise TypeError(f"the forward of {operation} loses the imaginary part: complex_step cannot be used")
    return out.imag / step


def with_zero_strides(x: np.ndarray) -> np.ndarray:
    """The same numbers, with a stride of 0 along each axis on which all elements are equal."""
    small = x
    for axis in range(x.ndim):
        first = small.take([0] if x.shape[axis] else [], axis)
        small = first if np.array_equal(np.broadcast_to(first, small.shape), small, equal_nan=True) else small
    return np.broadcast_to(np.array(small, order="C"), x.shape)


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": lambda x: np.array(x, order="C"),
    "Fortran": lambda x: np.array(x, order="F"),
    "permuted": lambda x: np.moveaxis(np.array(np.moveaxis(x, 0, -1), order="C"), -1, 0) if x.ndim else x,
    "strided": lambda x: np.repeat(x[..., None], 2, axis=-1)[..., 0],
    "reversed": lambda x: np.flip(np.array(np.flip(x), order="C")) if x.ndim else x,
    "broadcast": with_zero_strides,
    "read-only": lambda x: np.broadcast_to(np.array(x, order="C"), x.shape),
}
"""The memory layouts in which an array may arrive in a forward or in a rule, as functions that copy."""


@operation(scalar=lambda x, layout: x, kind="linear")
def laid(x: Any, *, layout: str) -> Any:
    """Copy x to one of the ``LAYOUTS``; the rule copies the gradient to the same layout.

    Example
    -------
    >>> from autodiff.testing import laid
    >>> laid(np.ones((2, 3)), layout="Fortran").strides
    (8, 16)
    """
    return LAYOUTS[layout](np.asarray(x))


laid.backward(lambda grad, z, x, layout: laid(grad, layout=layout))


def check_layouts(f: Callable[..., Any], points: list[np.ndarray], rtol: float, atol: float) -> None:
    """Raise GradcheckError if the result of ``f`` or a gradient depends on the memory layout of the inputs or
    of the gradient that arrives."""
    shape = call_on_leaves(f, points)[1].shape
    for weight in (weights(shape), np.broadcast_to(1.5, shape)):
        expected = result_and_gradients(f, points, weight, "C")
        for layout in LAYOUTS:
            results = result_and_gradients(f, points, weight, layout)
            for number, (actual, wanted) in enumerate(zip(results, expected)):
                if not np.allclose(actual, wanted, rtol, atol, equal_nan=True):
                    what = f"the gradient of input {number - 1}" if number else "the result"
                    raise GradcheckError(
                        f"{what} depends on the memory layout: it is different if inputs and gradients have "
                        f"the layout {layout!r}. Does a forward or a rule write into a reshaped array?"
                    )


def result_and_gradients(
    f: Callable[..., Any], points: list[np.ndarray], weight: Any, layout: str
) -> list[np.ndarray]:
    """The result of ``f`` and the gradient of each input, all computed from arrays in one layout."""
    tensors = [laid(Tensor(point.item() if point.ndim == 0 else point), layout=layout) for point in points]
    out = laid(f(*tensors), layout=layout)
    return [np.asarray(value.data) for value in (out, *gradients(out, tensors, weight))]


def disagreement(
    f: Callable[..., Any],
    points: list[np.ndarray],
    number: int,
    index: tuple[int, ...],
    slopes: np.ndarray,
    rtol: float,
    atol: float,
) -> str:
    """The error message about the element of the output at which the rules are furthest from the slopes."""
    actual = np.empty_like(slopes)
    for output_index in np.ndindex(slopes.shape):
        tensors, out = call_on_leaves(f, points)
        unit = np.zeros_like(slopes)
        unit[output_index] = 1
        actual[output_index] = np.asarray(gradients(out, tensors, unit)[number].data)[index]
    off = np.where(np.isnan(actual), np.inf, np.abs(actual - slopes))
    worst = np.unravel_index(np.argmax(off), off.shape)
    if off[worst] <= atol + rtol * abs(slopes[worst]):
        return (
            f"input {number}: the rules are right only where the gradient of the output is 1. Does a rule "
            "ignore grad?"
        )
    target = f" for the output's element {', '.join(map(str, worst))}" if worst else ""
    element = f", element {', '.join(map(str, index))}" if index else ""
    return (
        f"input {number}{element}: the rules give {actual[worst]:.6g}{target}, "
        f"a nudge gives {slopes[worst]:.6g}, off by {off[worst]:.3g}"
    )


def weights(shape: tuple[int, ...]) -> Any:
    """Fixed weights between 1 and 2. The first thousand are all different, and none is 1, where a rule that
    ignores the gradient of the output would be right."""
    count = np.arange(1, 1 + np.prod(shape, dtype=int))
    if not shape:
        return 1.5
    return (1 + (count * 0.6180339887498949) % 1).reshape(shape)
