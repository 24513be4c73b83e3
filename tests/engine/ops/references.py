"""What NumPy and PyTorch say of the operations on arrays, where it takes more than a function's name.

Also what makes a matrix fit to be inverted or factored. ``cases.py`` refers to all this.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np


def median(x: Any, **options: Any) -> Any:
    """NumPy's median, which stops at several axes of an array with nothing in it."""
    if np.size(x):
        return np.median(x, **options)
    return np.mean(x, **options)


def in_silence(function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's function without its warnings about nothing to take a mean of."""

    def call(x: Any, **options: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return function(x, **options)

    return call


def complex_step(
    function: Callable[..., Any], operands: list[Any], options: dict[str, Any], number: int, weight: Any
) -> Any:
    """The slope of the weighted sum of a function's result by each element of one operand: the imaginary part
    after a step of 1e-30 i (Lyness and Moler, 1967). No difference is taken, and so no digit lost."""
    exact = np.array(operands[number], dtype=complex)
    slopes = np.empty(exact.shape)
    for place in np.ndindex(exact.shape):
        moved = exact.copy()
        moved[place] += 1e-30j
        z = function(*operands[:number], moved, *operands[number + 1 :], **options)
        slopes[place] = np.sum(weight * np.imag(z)) / 1e-30
    return slopes


def ties(x: Any, y: Any, axis: Any) -> Any:
    won = np.asarray(x == y, dtype=np.result_type(x, y))
    with np.errstate(invalid="ignore"):
        return won / won.sum(axis=axis, keepdims=True)


def recurrence(x: Any, y: Any, axis: int) -> Any:
    x, y = np.broadcast_arrays(*(np.asarray(a, dtype=np.result_type(x, y)) for a in (x, y)))
    z: list[Any] = []
    for a, b in zip(np.moveaxis(x, axis, 0), np.moveaxis(y, axis, 0), strict=True):
        z.append(b if not z else a * z[-1] + b)
    return np.stack(z, axis=axis) if z else x + y


def cells(step: Callable[..., Any], gates: int) -> Callable[..., Any]:
    """A recurrent layer cell by cell. ``step`` is given the states, and per gate what an input adds and what
    a state adds; it returns the next states, and whatever else the result tells of the step."""

    def reference(x: Any, h: Any, *operands: Any, **options: Any) -> Any:
        *cell, weight_ih, weight_hh, bias_ih, bias_hh = operands
        dtype = np.result_type(x, h, *operands)
        shape = np.shape(x)[1], weight_hh.shape[1]
        states = [np.array(np.broadcast_to(s, shape), dtype) for s in (h, *cell)]
        course = []
        for inputs in x:
            a = np.split(inputs @ weight_ih.T + bias_ih, gates, axis=-1)
            b = np.split(states[0] @ weight_hh.T + bias_hh, gates, axis=-1)
            results = step(*states, a, b, **options)
            states = results[: len(states)]
            course.append(np.stack(results))
        kinds = {1: 1, 3: 5, 4: 6}[gates]
        z = np.stack(course, axis=1) if course else np.zeros((kinds, 0, *shape))
        return np.asarray(z[0] if kinds == 1 else z, dtype)

    return reference


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def rnn_step(h: Any, a: Any, b: Any, nonlinearity: str) -> list[Any]:
    return [np.tanh(a[0] + b[0]) if nonlinearity == "tanh" else np.maximum(a[0] + b[0], 0)]


def lstm_step(h: Any, c: Any, a: Any, b: Any) -> list[Any]:
    i, f, g, o = (p + q for p, q in zip(a, b))
    i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
    c = f * c + i * g
    return [o * np.tanh(c), c, i, f, g, o]


def gru_step(h: Any, a: Any, b: Any) -> list[Any]:
    r, z = sigmoid(a[0] + b[0]), sigmoid(a[1] + b[1])
    n = np.tanh(a[2] + r * b[2])
    return [(1 - z) * n + z * h, r, z, n, b[2]]


def scatter(x: Any, index: Any, shape: Any) -> Any:
    z = np.zeros(shape, dtype=np.result_type(x))
    np.add.at(z, index, x)
    return z


def dot(x: Any, y: Any) -> Any:
    return np.dot(x, y) if np.ndim(x) and np.ndim(y) else x * y  # np.dot makes an array's dtype of a number's


def inner(x: Any, y: Any) -> Any:
    return np.inner(x, y) if np.ndim(x) and np.ndim(y) else x * y


def norm(x: Any, **options: Any) -> Any:
    return np.sqrt(np.sum(x * x, **options))


def cofactors(x: Any) -> Any:
    """By the definition: the determinant without row i and column j, with alternating signs."""
    z = np.empty_like(x)
    for i, j in np.ndindex(x.shape[-2:]):
        minor = np.delete(np.delete(x, i, axis=-2), j, axis=-1)
        z[..., i, j] = (-1) ** (i + j) * np.linalg.det(minor)
    return z


def flatten(x: Any, start_dim: int, end_dim: int) -> Any:
    shape = np.shape(x) or (1,)
    stop = end_dim % len(shape) + 1
    return np.reshape(x, (*shape[:start_dim], math.prod(shape[start_dim:stop]), *shape[stop:]))


def middle(x: Any, axis: Any) -> Any:
    """By nudging: how far the median moves with each element that is neither alone nor tied."""
    x = np.asarray(x)
    z = np.empty_like(x)
    for place in np.ndindex(x.shape):
        moved = x.copy()
        moved[place] += 2.0**-10
        z[place] = np.sum(np.median(moved, axis) - np.median(x, axis)) * 2.0**10
    return z


def gather(x: Any, axis: int, indices: Any) -> Any:
    z = np.empty(indices.shape, dtype=x.dtype)
    for place in np.ndindex(z.shape):
        at = list(place)
        at[axis] = indices[place]
        z[place] = x[tuple(at)]
    return z


def scatter_add(x: Any, source: Any, axis: int, indices: Any) -> Any:
    z = np.array(x, dtype=np.result_type(x, source))
    source = np.broadcast_to(source, indices.shape)
    for place in np.ndindex(indices.shape):
        at = list(place)
        at[axis] = indices[place]
        z[tuple(at)] += source[place]
    return z


def concatenate(*parts: Any, axis: int | None) -> Any:
    return np.concatenate(parts, axis)


def stack(*parts: Any, axis: int) -> Any:
    return np.stack(parts, axis)


def einsum(*operands: Any, subscripts: str) -> Any:
    return np.einsum(subscripts, *operands)


def argsort(x: Any, axis: int | None) -> Any:
    return np.argsort(x, axis, kind="stable")


def logdet(x: Any) -> Any:
    return np.linalg.slogdet(x)[1]


def torch_logdet(x: Any) -> Any:
    return x.slogdet()[1]


def well_conditioned(x: Any) -> Any:
    return x + 4 * np.eye(x.shape[-1], dtype=x.dtype)


def positive_definite(x: Any) -> Any:
    return x @ np.swapaxes(x, -1, -2) + np.eye(x.shape[-1], dtype=x.dtype)


def torch_axes(tensor: Any, axis: Any) -> Any:
    return tuple(range(tensor.ndim)) if axis is None else axis


def torch_prod(tensor: Any, axis: Any, keepdims: bool) -> Any:
    axes = [axis] if isinstance(axis, int) else torch_axes(tensor, axis)
    for a in sorted((a % tensor.ndim for a in axes), reverse=True):
        tensor = tensor.prod(dim=a, keepdim=keepdims)
    return tensor * 1


def torch_var(tensor: Any, axis: Any, keepdims: bool, ddof: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about nothing to take a mean of
        return tensor.var(dim=torch_axes(tensor, axis), keepdim=keepdims, correction=ddof)


def torch_norm(tensor: Any, axis: Any, keepdims: bool) -> Any:
    return (tensor * tensor).sum(dim=torch_axes(tensor, axis), keepdim=keepdims).sqrt()


def torch_max(tensor: Any, axis: Any, keepdims: bool) -> Any:
    return tensor.amax(dim=torch_axes(tensor, axis), keepdim=keepdims)


def torch_min(tensor: Any, axis: Any, keepdims: bool) -> Any:
    return tensor.amin(dim=torch_axes(tensor, axis), keepdim=keepdims)


def torch_sort(tensor: Any, axis: int | None) -> Any:
    return torch_cumulative("sort")(tensor, axis).values


def torch_squeeze(tensor: Any, axis: Any) -> Any:
    return tensor.squeeze() if axis is None else tensor.squeeze(dim=axis)


def torch_outer(x: Any, y: Any) -> Any:
    return x.ravel().outer(y.ravel())


def torch_trace(tensor: Any, offset: int, axis1: int, axis2: int) -> Any:
    return tensor.diagonal(offset, axis1, axis2).sum(-1)


def torch_median(tensor: Any, axis: Any, keepdims: bool) -> Any:
    """PyTorch's own takes the lower of two in the middle, its quantile NumPy's mean of both."""
    axes = [a % tensor.ndim for a in ((axis,) if isinstance(axis, int) else torch_axes(tensor, axis))]
    rest = [a for a in range(tensor.ndim) if a not in axes]
    rows = tensor.permute(*rest, *axes).flatten(len(rest)) if axes else tensor[..., None]
    if not tensor.numel():
        z = rows.mean(-1)
    else:
        z = rows.quantile(0.5, dim=-1, interpolation="midpoint")
    return z.reshape([1 if a in axes else n for a, n in enumerate(tensor.shape)]) if keepdims else z


def torch_gather(tensor: Any, axis: int, indices: Any) -> Any:
    return tensor.gather(axis, tensor.new_tensor(indices % tensor.shape[axis]).long())


def torch_scatter_add(tensor: Any, source: Any, axis: int, indices: Any) -> Any:
    where = tensor.new_tensor(indices % tensor.shape[axis]).long()
    return tensor.scatter_add(axis, where, source.expand(where.shape))


def torch_concatenate(*tensors: Any, axis: int | None) -> Any:
    import torch

    return torch.cat([t.reshape(-1) for t in tensors] if axis is None else tensors, axis or 0)


def torch_stack(*tensors: Any, axis: int) -> Any:
    import torch

    return torch.stack(tensors, axis)


def torch_einsum(*tensors: Any, subscripts: str) -> Any:
    import torch

    return torch.einsum(subscripts, *tensors)


def torch_row(tensor: Any, axis: int | None) -> tuple[Any, int]:
    return (tensor.reshape(-1), 0) if axis is None else (tensor, axis)


def torch_cumulative(name: str) -> Callable[..., Any]:
    def call(tensor: Any, axis: int | None) -> Any:
        row, along = torch_row(tensor, axis)
        return getattr(row, name)(dim=along)

    return call


def torch_take(tensor: Any, indices: Any, axis: int | None) -> Any:
    row, along = torch_row(tensor, axis)
    where = tensor.new_tensor(indices % row.shape[along]).long()
    return row.take_along_dim(where, dim=along)


def torch_repeat(tensor: Any, repeats: Any, axis: int | None) -> Any:
    row, along = torch_row(tensor, axis)
    counts = repeats if isinstance(repeats, int) else tensor.new_tensor(repeats).long()
    return row.repeat_interleave(counts, dim=along)


def torch_cholesky(x: Any) -> Any:
    """Of the lower triangle and its mirror image: torch reads the lower triangle alone, and yet gives each
    element above the diagonal half of the gradient."""
    import torch

    return torch.linalg.cholesky(x.tril() + x.tril(-1).mT)


def torch_solve(x: Any, y: Any) -> Any:
    """With as many axes on the right as on the left, since torch guesses what two axes mean."""
    if y.ndim == 1:
        return torch_solve(x, y[:, None])[..., 0]
    return x.inverse() @ y


# -- of angles, decompositions and norms ---------------------------------------------------------------------


def sinc_slope(x: Any, order: int) -> Any:
    """By quadrature: sinc(x) is the integral of cos(pi t x) over t from 0 to 1."""
    t, weights = np.polynomial.legendre.leggauss(40)
    t = (t + 1) / 2
    x = np.asarray(x)
    curve = (math.pi * t) ** order * np.cos(math.pi * t * x[..., None] + order * math.pi / 2)
    return np.asarray(curve @ (weights / 2)).astype(np.result_type(x))


def singular_vectors(x: Any) -> Any:
    u, _, vh = np.linalg.svd(x, full_matrices=False)
    return np.concatenate([u, np.swapaxes(vh, -1, -2)], axis=-2)


def power_norm(x: Any, order: float, axis: Any, keepdims: bool) -> Any:
    return np.sum(np.abs(x) ** order, axis=axis, keepdims=keepdims) ** (1 / order)


def unit(x: Any, order: float, axis: Any) -> Any:
    return x / power_norm(x, order, axis, keepdims=True)


@in_silence
def score(x: Any, axis: Any, ddof: int) -> Any:
    """0 where there is no deviation."""
    deviation = np.std(x, axis=axis, keepdims=True, ddof=ddof)
    return (x - np.mean(x, axis=axis, keepdims=True)) / np.where(deviation == 0, 1, deviation)


def far_apart(x: Any) -> Any:
    """Eigenvalues and singular values that differ, and none near 0."""
    return x / 8 + np.diag([2, 4, 7])[: x.shape[-2], : x.shape[-1]].astype(x.dtype)


def torch_eigvalsh(x: Any, UPLO: str) -> Any:
    """From the one triangle that is read; PyTorch spreads the gradient over both."""
    import torch

    lower = x if UPLO == "L" else x.mT
    return torch.linalg.eigvalsh(lower.tril() + lower.tril(-1).mT)


def torch_svdvals(x: Any) -> Any:
    import torch

    return torch.linalg.svdvals(x)


def torch_pinv(x: Any) -> Any:
    import torch

    return torch.linalg.pinv(x)


def torch_power_norm(tensor: Any, order: float, axis: Any, keepdims: bool) -> Any:
    axes = torch_axes(tensor, axis)
    return (tensor.abs() ** order).sum(dim=axes, keepdim=keepdims) ** (1 / order)
