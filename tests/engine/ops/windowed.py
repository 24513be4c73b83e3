"""Convolution, pooling and fold, written as plain loops over windows: what ``cases.py`` compares with. Here
too are shapes and settings to try them on."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st

Operands = tuple[list[tuple[int, ...]], dict[str, Any]]
NO_PADDING = ((0, 0), (0, 0))


def pairs(value: Any) -> tuple[int, int]:
    return tuple(value) if isinstance(value, tuple) else (value, value)


def padded(x: Any, padding: Any, fill: float = 0.0) -> Any:
    return np.pad(x, ((0, 0), (0, 0), *padding), constant_values=fill)


def places(size: Any, kernel: Any, stride: Any, dilation: Any) -> Any:
    """For each window of a padded picture its place in the output, and the indices of its pixels."""
    counts = [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(size, kernel, stride, dilation)]
    for r, q in itertools.product(*map(range, counts)):
        rows = r * stride[0] + np.arange(kernel[0]) * dilation[0]
        columns = q * stride[1] + np.arange(kernel[1]) * dilation[1]
        yield (r, q), np.ix_(rows, columns)


def out_size(size: Any, kernel: Any, stride: Any, dilation: Any) -> tuple[int, ...]:
    return tuple((n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(size, kernel, stride, dilation))


def convolution(
    x: Any, weight: Any, bias: Any, stride: Any = (1, 1), padding: Any = NO_PADDING, dilation: Any = (1, 1),
    groups: int = 1,
) -> Any:  # fmt: skip
    x, kernel = padded(x, padding), weight.shape[2:]
    parts, weights = np.split(x, groups, 1), np.split(weight, groups, 0)
    shape = (len(x), len(weight), *out_size(x.shape[2:], kernel, stride, dilation))
    z = np.zeros(shape, np.result_type(x, weight, bias))
    for (r, q), (rows, columns) in places(x.shape[2:], kernel, stride, dilation):
        met = [
            np.einsum("nchw,kchw->nk", p[:, :, rows, columns], w) for p, w in zip(parts, weights, strict=True)
        ]
        z[:, :, r, q] = np.concatenate(met, 1) + bias
    return z


def transposed_convolution(
    x: Any, weight: Any, bias: Any, size: Any, stride: Any = (1, 1), padding: Any = NO_PADDING,
    dilation: Any = (1, 1), groups: int = 1,
) -> Any:  # fmt: skip
    whole = [n + sum(ends) for n, ends in zip(size, padding)]
    channels = weight.shape[1]
    z = np.zeros((len(x), groups * channels, *whole), np.result_type(x, weight, bias))
    z += np.reshape(bias, (-1, 1, 1))
    for (r, q), (rows, columns) in places(whole, weight.shape[2:], stride, dilation):
        for g, (p, w) in enumerate(zip(np.split(x, groups, 1), np.split(weight, groups, 0), strict=True)):
            added = np.einsum("nk,kchw->nchw", p[:, :, r, q], w)
            z[:, g * channels : (g + 1) * channels, rows, columns] += added
    (top, _), (left, _) = padding
    return z[:, :, top : top + size[0], left : left + size[1]]


def kernel_gradient(
    x: Any, y: Any, size: Any, stride: Any = (1, 1), padding: Any = NO_PADDING, dilation: Any = (1, 1),
    groups: int = 1,
) -> Any:  # fmt: skip
    x = padded(x, padding)
    z: Any = 0
    for (r, q), (rows, columns) in places(x.shape[2:], size, stride, dilation):
        grouped = zip(np.split(x, groups, 1), np.split(y, groups, 1), strict=True)
        z = z + np.concatenate(
            [np.einsum("nchw,nk->kchw", p[:, :, rows, columns], g[:, :, r, q]) for p, g in grouped]
        )
    return z


# -- pooling ----------------------------------------------------------------------------------------------


def windows(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
            ceil_mode: bool = False) -> Any:  # fmt: skip
    """For each window its place in the output and the pixels of the picture that it holds, with its size."""
    kernel, ends, apart = map(pairs, (kernel_size, padding, dilation))
    steps = kernel if stride is None else pairs(stride)
    axes = []
    for n, k, s, p, d in zip(x.shape[-2:], kernel, steps, ends, apart):
        room = n + 2 * p - (k - 1) * d - 1
        count = (-(-room // s) if ceil_mode else room // s) + 1
        count -= ceil_mode and (count - 1) * s >= n + p
        starts = [i * s - p for i in range(count)]
        held = [[t for t in range(a, a + k * d, d) if 0 <= t < n] for a in starts]
        with_frame = [len([t for t in range(a, a + k * d, d) if t < n + p]) for a in starts]
        axes.append(list(zip(range(count), held, with_frame)))
    for (r, rows, high), (q, columns, wide) in itertools.product(*axes):
        yield (r, q), np.ix_(rows, columns), high * wide


def shape_of_pooled(x: Any, how: Any) -> tuple[int, ...]:
    last = max(place for place, _, _ in windows(x, **how))
    return (*x.shape[:-2], last[0] + 1, last[1] + 1)


def max_pool2d(x: Any, **how: Any) -> Any:
    z = np.empty(shape_of_pooled(x, how), x.dtype)
    for place, (rows, columns), _ in windows(x, **how):
        met = x[..., rows, columns].reshape(*x.shape[:-2], rows.size * columns.size)
        best = np.argmax(met.real, axis=-1)
        z[(..., *place)] = np.take_along_axis(met, best[..., None], -1)[..., 0]
    return z


def to_largest(y: Any, x: Any, **how: Any) -> Any:
    largest = max_pool2d(x, **how)
    z = np.zeros(x.shape, np.result_type(y, x))
    for place, (rows, columns), _ in windows(x, **how):
        won = x[..., rows, columns] == largest[(..., *place)][..., None, None]
        count = won.sum((-2, -1), keepdims=True)
        z[..., rows, columns] += y[(..., *place)][..., None, None] * won / count
    return z


def at_largest(y: Any, x: Any, **how: Any) -> Any:
    largest = max_pool2d(x, **how)
    z = np.zeros(shape_of_pooled(x, how), np.result_type(y, x))
    for place, (rows, columns), _ in windows(x, **how):
        won = x[..., rows, columns] == largest[(..., *place)][..., None, None]
        z[(..., *place)] = (y[..., rows, columns] * won).sum((-2, -1)) / won.sum((-2, -1))
    return z


def divisor(held: Any, whole: int, count_include_pad: bool, divisor_override: Any) -> int:
    rows, columns = held
    return divisor_override or (whole if count_include_pad else rows.size * columns.size)


def avg_pool2d(x: Any, count_include_pad: bool = True, divisor_override: Any = None, **how: Any) -> Any:
    z = np.empty(shape_of_pooled(x, how), x.dtype)
    for place, (rows, columns), whole in windows(x, **how):
        by = divisor((rows, columns), whole, count_include_pad, divisor_override)
        z[(..., *place)] = x[..., rows, columns].sum((-2, -1)) / by
    return z


def spread_mean(
    y: Any, size: Any, count_include_pad: bool = True, divisor_override: Any = None, **how: Any
) -> Any:
    z = np.zeros((*y.shape[:-2], *size), y.dtype)
    for place, (rows, columns), whole in windows(z, **how):
        by = divisor((rows, columns), whole, count_include_pad, divisor_override)
        z[..., rows, columns] += y[(..., *place)][..., None, None] / by
    return z


def unfold(x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    kernel, apart, ends, steps = map(pairs, (kernel_size, dilation, padding, stride))
    whole = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(p, p) for p in ends])
    columns = [
        whole[..., rows, columns].reshape(*x.shape[:-3], x.shape[-3] * kernel[0] * kernel[1])
        for _, (rows, columns) in places(whole.shape[-2:], kernel, steps, apart)
    ]
    return np.stack(columns, -1)


def fold(
    x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    size, kernel, apart, ends, steps = map(pairs, (output_size, kernel_size, dilation, padding, stride))
    whole = [n + 2 * p for n, p in zip(size, ends)]
    channels = x.shape[-2] // (kernel[0] * kernel[1])
    z = np.zeros((*x.shape[:-2], channels, *whole), x.dtype)
    for number, (_, (rows, columns)) in enumerate(places(whole, kernel, steps, apart)):
        z[..., rows, columns] += x[..., number].reshape(*x.shape[:-2], channels, *kernel)
    return z[..., ends[0] : ends[0] + size[0], ends[1] : ends[1] + size[1]]


# -- shapes and settings ----------------------------------------------------------------------------------


def pair(draw: st.DrawFn, low: int, high: int) -> tuple[int, int]:
    return draw(st.tuples(st.integers(low, high), st.integers(low, high)))


def laid(draw: st.DrawFn) -> tuple[Any, dict[str, Any], Any]:
    """A kernel's size, how it is laid on pictures, and the size of those."""
    kernel, stride, dilation = pair(draw, 1, 2), pair(draw, 1, 2), pair(draw, 1, 2)
    padding = pair(draw, 0, 1), pair(draw, 0, 1)
    how = {"stride": stride, "padding": padding, "dilation": dilation}
    most = [(k - 1) * d + 1 - sum(ends) for k, d, ends in zip(kernel, dilation, padding)]
    more = pair(draw, 0, 2)
    return kernel, how, tuple(max(m, 1) + extra for m, extra in zip(most, more))


def channels(draw: st.DrawFn) -> tuple[int, int, int]:
    """Groups, and the channels of the input and the output in each."""
    return draw(
        st.sampled_from([(1, 1, 1), (1, 2, 1), (1, 1, 2), (2, 1, 1), (2, 2, 1), (2, 1, 2), (1, 8, 2)])
    )


def biased(draw: st.DrawFn, count: int) -> tuple[int, ...]:
    return draw(st.sampled_from([(count,), ()]))


def convolved(draw: st.DrawFn, case: Any) -> Operands:
    kernel, how, size = laid(draw)
    groups, c, k = channels(draw)
    n = draw(st.integers(0, 2))
    shapes = [(n, groups * c, *size), (groups * k, c, *kernel), biased(draw, groups * k)]
    return shapes, how | {"groups": groups}


def convolved_back(draw: st.DrawFn, case: Any) -> Operands:
    kernel, how, size = laid(draw)
    groups, c, k = channels(draw)
    out = out_size([n + sum(f) for n, f in zip(size, how["padding"])], kernel, how["stride"], how["dilation"])
    n = draw(st.integers(0, 2))
    shapes = [(n, groups * k, *out), (groups * k, c, *kernel), biased(draw, groups * c)]
    return shapes, how | {"groups": groups, "size": size}


def kernels(draw: st.DrawFn, case: Any) -> Operands:
    kernel, how, size = laid(draw)
    groups, c, k = channels(draw)
    out = out_size([n + sum(f) for n, f in zip(size, how["padding"])], kernel, how["stride"], how["dilation"])
    n = draw(st.integers(0, 2))
    return [(n, groups * c, *size), (n, groups * k, *out)], how | {"groups": groups, "size": kernel}


def a_pool(draw: st.DrawFn, most: int = 4) -> tuple[Any, dict[str, Any]]:
    """A shape of pictures and settings for a pool on them."""
    kernel = pair(draw, 1, 3)
    how = {"kernel_size": kernel, "padding": tuple(draw(st.integers(0, k // 2)) for k in kernel)}
    how |= {"stride": draw(st.none() | st.tuples(st.integers(1, 2), st.integers(1, 2)))}
    how |= {"ceil_mode": draw(st.booleans())}
    least = [max(1, k - 2 * p) for k, p in zip(kernel, how["padding"])]
    size = [draw(st.integers(m, max(m, most))) for m in least]
    leading = draw(st.sampled_from([(1,), (2,), (1, 2), (2, 1), (0, 1)]))
    return (*leading, *size), how


def pooled(draw: st.DrawFn, case: Any) -> Operands:
    shape, how = a_pool(draw)
    return [shape], how


def pooled_back(draw: st.DrawFn, case: Any) -> Operands:
    shape, how = a_pool(draw)
    return [shape_of_pooled(np.empty(shape), how), shape], how


def pooled_again(draw: st.DrawFn, case: Any) -> Operands:
    shape, how = a_pool(draw)
    return [shape, shape], how


def averaged(draw: st.DrawFn, case: Any) -> Operands:
    shape, how = a_pool(draw)
    return [shape], how | {
        "count_include_pad": draw(st.booleans()),
        "divisor_override": draw(st.none() | st.just(3)),
    }


def averaged_back(draw: st.DrawFn, case: Any) -> Operands:
    (shape,), how = averaged(draw, case)
    settings = {k: v for k, v in how.items() if k not in ("count_include_pad", "divisor_override")}
    return [shape_of_pooled(np.empty(shape), settings)], how | {"size": shape[-2:]}


def unfolded(draw: st.DrawFn, case: Any) -> Operands:
    kernel, how, size = laid(draw)
    padding = tuple(min(ends) for ends in how.pop("padding"))
    size = tuple(max(n, (k - 1) * d + 1) for n, k, d in zip(size, kernel, how["dilation"]))
    leading = draw(st.sampled_from([(1,), (2,), (1, 2), (0, 1)]))
    return [(*leading, *size)], how | {"kernel_size": kernel, "padding": padding}


def folded(draw: st.DrawFn, case: Any) -> Operands:
    (shape,), how = unfolded(draw, case)
    return [unfold(np.empty(shape), **how).shape], how | {"output_size": shape[-2:]}
