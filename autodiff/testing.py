"""gradcheck and gradgradcheck: compare the gradients that the rules give with nudges, for anyone who writes
an operation."""

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
    """A gradient and the nudge disagree, or a gradient depends on the memory layout."""


def gradcheck(
    f: Callable[..., Any],
    *inputs: Any,
    eps: float = 1e-6,
    rtol: float = 1e-5,
    atol: float = 1e-7,
    complex_step: bool = False,
) -> bool:
    """Check the gradient of ``f`` at ``inputs`` against two-sided nudges, element by element, and that it is
    the same in every memory layout of the inputs and of the gradient that arrives.

    Parameters
    ----------
    f
        Takes Tensors and returns one, of any shape (its elements are weighted unequally and summed, so that
        mistakes cannot cancel).
    inputs
        Numbers, arrays or Tensors; computed in float64, whatever they come in.
    eps
        The nudge, each way. The error of the nudge itself is about eps**2, plus rounding of about 1e-16 /
        eps.
    rtol, atol
        A gradient g passes if it differs from the nudge's slope s by at most ``atol + rtol * abs(s)``.
    complex_step
        Nudge into the imaginary direction instead, which is exact to the last digits since nothing is
        subtracted (Squire and Trapp, "Using Complex Variables to Estimate Derivatives of Real Functions",
        1998). ``f`` is then an operation, or a ``functools.partial`` of one with its options, whose forward
        takes complex arrays and is analytic: no abs, no comparison. ``rtol=1e-12`` is then a fair demand.

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
    autodiff.testing.GradcheckError: input 0: the rules give 1, a nudge gives 2, off by 1
    """
    points = [np.array(as_data(raw(value)), dtype=np.float64) for value in inputs]
    tensors, out = run(f, points)
    if not out.requires_grad:
        raise TypeError("gradcheck needs a function whose result depends on its inputs through operations")
    slope = complex_nudge if complex_step else functools.partial(nudge, eps=eps)
    weight = weights(out.shape)
    found = gradients(out, tensors, weight)
    for number, (point, grad) in enumerate(zip(points, found)):
        for place in np.ndindex(point.shape):
            slopes = slope(f, points, number, place)
            given = np.asarray(grad.data)[place]
            expected = float(np.sum(weight * slopes))
            if not abs(given - expected) <= atol + rtol * abs(expected):
                raise GradcheckError(disagreement(f, points, number, place, slopes, rtol, atol))
    check_layouts(f, points, rtol, atol)
    return True


def gradgradcheck(
    f: Callable[..., Any], *inputs: Any, eps: float = 1e-6, rtol: float = 1e-5, atol: float = 1e-6
) -> bool:
    """Check the second derivative of ``f``: the gradient's own gradients, by the inputs and by the gradient
    that the walk back began with, against nudges of the gradient.

    Parameters, result and errors are those of :func:`gradcheck`; the last input it names is the gradient.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.gradgradcheck(lambda x, y: x * y.tanh(), 3, [0.5, -1])
    True
    """
    out = run(f, [np.array(as_data(raw(value)), dtype=np.float64) for value in inputs])[1]

    @enable_grad()
    def slopes(*tensors: Tensor) -> Tensor:
        *starts, seed = tensors
        parts = gradients(f(*starts), starts, seed, create_graph=True)
        sums = [(part * weights(part.shape)).sum() for part in parts]
        return sum(sums[1:], sums[0])

    return gradcheck(slopes, *inputs, weights(out.shape), eps=eps, rtol=rtol, atol=atol)


def run(f: Callable[..., Any], points: list[np.ndarray]) -> tuple[list[Tensor], Tensor]:
    """Call ``f`` on fresh Tensors."""
    tensors = [Tensor(point.item() if point.ndim == 0 else point) for point in points]
    out = f(*tensors)
    if not isinstance(out, Tensor):
        raise TypeError(f"gradcheck needs a function that returns a Tensor, not {type(out).__name__}")
    return tensors, out


def nudge(
    f: Callable[..., Any], points: list[np.ndarray], number: int, place: tuple[int, ...], eps: float
) -> np.ndarray:
    """How much each element of the output moves with one element of one input, per unit."""
    ends = []
    for step in (eps, -eps):
        nudged = [point.copy() for point in points]
        nudged[number][place] += step
        ends.append(np.asarray(run(f, nudged)[1].data))
    return (ends[0] - ends[1]) / (2 * eps)


def complex_nudge(
    f: Callable[..., Any], points: list[np.ndarray], number: int, place: tuple[int, ...]
) -> np.ndarray:
    """The same by one step in the imaginary direction: f(x + ih) is f(x) + ih f'(x), and the rest is tiny."""
    operation, options = (f.func, f.keywords) if isinstance(f, functools.partial) else (f, {})
    if not isinstance(operation, Operation):
        raise TypeError("complex_step calls the forward of an operation on complex numbers; f is none")
    step = 1e-30
    nudged: list[np.ndarray] = [point.astype(complex) for point in points]
    nudged[number][place] += step * 1j
    out = np.asarray(operation.forward(*nudged, **options))
    if out.dtype.kind != "c":
        raise TypeError(f"the forward of {operation} loses the imaginary part: complex_step cannot be used")
    return out.imag / step


def stretched(x: np.ndarray) -> np.ndarray:
    """With a stride of 0 along each axis on which all elements are equal."""
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
    "broadcast": stretched,
    "read-only": lambda x: np.broadcast_to(np.array(x, order="C"), x.shape),
}
"""The same numbers in memory: how an array may arrive in a forward or in a rule."""


@operation(number=lambda x, layout: x, kind="linear")
def laid(x: Any, *, layout: str) -> Any:
    """The same numbers in one of ``LAYOUTS``; their gradient is laid out so, too.

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
    shape = run(f, points)[1].shape
    for weight in (weights(shape), np.broadcast_to(1.5, shape)):
        expected = in_layout(f, points, weight, "C")
        for layout in LAYOUTS:
            for number, (one, other) in enumerate(zip(in_layout(f, points, weight, layout), expected)):
                if not np.allclose(one, other, rtol, atol, equal_nan=True):
                    what = f"the gradient of input {number - 1}" if number else "the result"
                    raise GradcheckError(
                        f"{what} depends on the memory layout: it is another where inputs and gradients are "
                        f"laid out as {layout!r}. Does a forward or a rule write into a reshaped array?"
                    )


def in_layout(f: Callable[..., Any], points: list[np.ndarray], weight: Any, layout: str) -> list[np.ndarray]:
    """The result of ``f`` and the gradient of each input, all computed from arrays in one layout."""
    tensors = [laid(Tensor(point.item() if point.ndim == 0 else point), layout=layout) for point in points]
    out = laid(f(*tensors), layout=layout)
    return [np.asarray(data.data) for data in (out, *gradients(out, tensors, weight))]


def disagreement(
    f: Callable[..., Any],
    points: list[np.ndarray],
    number: int,
    place: tuple[int, ...],
    slopes: np.ndarray,
    rtol: float,
    atol: float,
) -> str:
    """About which element of the output rules and nudge disagree most, and by how much."""
    given = np.empty_like(slopes)
    for spot in np.ndindex(slopes.shape):
        tensors, out = run(f, points)
        one = np.zeros_like(slopes)
        one[spot] = 1
        given[spot] = np.asarray(gradients(out, tensors, one)[number].data)[place]
    off = np.where(np.isnan(given), np.inf, np.abs(given - slopes))
    worst = np.unravel_index(np.argmax(off), off.shape)
    if off[worst] <= atol + rtol * abs(slopes[worst]):
        return f"input {number}: the rules are right where the gradient above is 1 alone. Is it passed on?"
    target = f" for the output's element {', '.join(map(str, worst))}" if worst else ""
    element = f", element {', '.join(map(str, place))}" if place else ""
    return (
        f"input {number}{element}: the rules give {given[worst]:.6g}{target}, "
        f"a nudge gives {slopes[worst]:.6g}, off by {off[worst]:.3g}"
    )


def weights(shape: tuple[int, ...]) -> Any:
    """Fixed weights between 1 and 2, no two alike among the first thousand, and none of them 1: a rule that
    forgets the gradient above is right where that is 1."""
    count = np.arange(1, 1 + np.prod(shape, dtype=int))
    if not shape:
        return 1.5
    return (1 + (count * 0.6180339887498949) % 1).reshape(shape)
