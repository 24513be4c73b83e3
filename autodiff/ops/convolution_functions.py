"""Convolution of pictures and of rows with PyTorch's arguments: conv1d, conv2d, and their transposes.

They check their arguments and call the operations in ``convolution.py``.
"""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from ..engine.operands import as_recorded
from ..engine.tensor import describe
from .convolution import convolution, transposed_convolution
from .exactness import is_exact
from .indexing import pad
from .shaping import expand_dims, reshape, shape_of, squeeze
from .windows import Padding, Pair, Windows, check_fits, checked_sizes


def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    *,
    exact: bool = False,
) -> Any:
    """Convolution of pictures: each output is the sum of the pixels in a window, weighted by the kernel.

    As usual in deep learning, the kernel is not flipped: in mathematics this is cross-correlation.

    Parameters
    ----------
    input
        Pictures of shape (N, C, H, W), or one picture of shape (C, H, W).
    weight
        K kernels, of shape (K, C / groups, height, width).
    bias
        Of shape (K,); None for no bias.
    stride
        The distance between windows: a number, or a pair for height and width.
    padding
        Zeros around the pictures: a number for all four sides, a pair for height and width, "valid" for none,
        or "same" for an output of the picture's size divided by the stride, rounded up. If "same" needs an
        odd number of zeros, the end gets one more than the beginning. With a stride, TensorFlow does the
        same; PyTorch allows "same" only with stride 1.
    dilation
        The distance between the elements of the kernel: a number or a pair.
    groups
        The number of groups that the channels are split into. Each output uses the channels of one group.
        ``groups=C`` convolves each channel separately.
    exact
        True does not use Winograd's algorithm; see :class:`autodiff.exact`.

    Returns
    -------
    Tensor or array
        Of shape (N, K, height, width), with (H + padding - dilation * (height - 1) - 1) // stride + 1 rows.

    Raises
    ------
    TypeError, ValueError
        If a setting is not a whole number or a pair of them, or the shapes do not fit together.

    Example
    -------
    >>> import autodiff as ad
    >>> edge = [[[[-1.0, 1.0]]]]
    >>> ad.conv2d(ad.Tensor([[[[1.0, 1.0, 5.0, 5.0]]]]), edge)
    [[[[0 4 0]]]]
    >>> ad.conv2d(ad.Tensor([[[[1.0, 1.0, 5.0, 5.0]]]]), edge, padding="same", stride=2)
    [[[[0 0]]]]
    """
    return convolved("conv2d", input, weight, bias, stride, padding, dilation, groups, exact)


def convolved(
    owner: str, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: Any,
    exact: bool = False,
) -> Any:  # fmt: skip
    """What :func:`conv2d` computes, for the function that its errors name."""
    x, weight, bias = map(as_recorded, (x, weight, bias))
    groups = checked_groups(owner, x, weight, bias, groups)
    windows = windows_on(x, weight, stride, dilation, owner)
    pads = checked_padding(padding, windows, owner)
    check_fits(replace(windows, padding=pads), f"the kernel of {owner}")
    z = convolution(
        as_batch(x), weight, 0 if bias is None else bias, **options_of(windows, pads, groups, exact)
    )
    return z if len(shape_of(x)) == 4 else squeeze(z, axis=0)


def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
    *,
    exact: bool = False,
) -> Any:
    """Transposed convolution: each element of the input adds a multiple of the kernel to the output. It is
    the adjoint of :func:`conv2d` with the same weight and settings, so it maps the output of the
    convolution to pictures of the size of its input.

    Parameters
    ----------
    input
        Of shape (N, K, H, W), or (K, H, W).
    weight
        Of shape (K, C / groups, height, width).
    bias
        Of shape (C,); None for no bias.
    stride, dilation, groups, exact
        As for :func:`conv2d`. The stride is the distance between the copies of the kernel in the output.
    padding
        The number of rows and columns cropped from the output: a number for all four sides, a pair for height
        and width, "valid" for nothing, or "same" for an output of the input's size times the stride.
    output_padding
        The number of rows and columns added at the end: a number or a pair, less than the stride or the
        dilation. A convolution with a stride maps pictures of several sizes to the same size; this selects
        one of them.

    Returns
    -------
    Tensor or array
        Of shape (N, C, height, width), with (H - 1) * stride - 2 * padding + dilation * (height - 1) +
        output_padding + 1 rows.

    Raises
    ------
    TypeError, ValueError
        If a setting is not a whole number or a pair of them, or the shapes do not fit together.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.conv_transpose2d(ad.Tensor([[[[1.0, 2.0]]]]), [[[[1.0, 1.0]]]], stride=2)
    [[[[1 1 2 2]]]]
    """
    return spread_out(
        "conv_transpose2d", input, weight, bias, stride, padding, dilation, groups, output_padding, exact
    )


def spread_out(
    owner: str, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: Any,
    output_padding: Any, exact: bool = False,
) -> Any:  # fmt: skip
    """What :func:`conv_transpose2d` computes, for the function that its errors name."""
    x, weight, bias = map(as_recorded, (x, weight, bias))
    groups = checked_groups(owner, x, weight, bias, groups, is_transposed=True)
    windows = windows_on(x, weight, stride, dilation, owner)
    more = checked_sizes(output_padding, f"output_padding of {owner}", least=0)
    if any(p >= max(s, d) and p for p, s, d in zip(more, windows.stride, windows.dilation)):
        raise ValueError(
            f"output_padding of {owner} is {in_words(tuple(more), owner)}; it must be less than the stride "
            "or the dilation"
        )
    crop, size, beyond = crop_of(windows, padding, more, owner)
    start = 0 if bias is None or any(beyond) else bias
    z = transposed_convolution(
        as_batch(x), weight, start, size=size, **options_of(windows, crop, groups, exact)
    )
    if any(beyond):  # rows that no kernel reaches
        z = pad(z, pad_width=((0, 0), (0, 0), (0, beyond[0]), (0, beyond[1])))
        z = z if bias is None else z + reshape(bias, shape=(-1, 1, 1))
    return z if len(shape_of(x)) == 4 else squeeze(z, axis=0)


def conv1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Convolution of rows, (N, C, L) or (C, L), with kernels (K, C / groups, length); see :func:`conv2d`.

    >>> import autodiff as ad
    >>> ad.conv1d(ad.Tensor([[1.0, 2.0, 4.0, 8.0]]), [[[-1.0, 1.0]]])
    [[1 2 4]]
    """
    settings = {"stride": stride, "padding": padding, "dilation": dilation}
    return on_rows(convolved, "conv1d", input, weight, bias, groups, settings)


def conv_transpose1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """Transposed convolution of rows; see :func:`conv_transpose2d`.

    >>> import autodiff as ad
    >>> ad.conv_transpose1d(ad.Tensor([[1.0, 2.0]]), [[[1.0, 10.0]]])
    [[ 1 12 20]]
    """
    settings = {"stride": stride, "padding": padding, "dilation": dilation, "output_padding": output_padding}
    return on_rows(spread_out, "conv_transpose1d", input, weight, bias, groups, settings)


# -- the arguments ----------------------------------------------------------------------------------------


def on_rows(
    function: Any, owner: str, x: Any, weight: Any, bias: Any, groups: int, settings: dict[str, Any]
) -> Any:
    """Apply a function of pictures to rows, as pictures of height 1."""
    x, weight, bias = map(as_recorded, (x, weight, bias))
    groups = checked_groups(owner, x, weight, bias, groups, "transpose" in owner, axes=1)
    smallest = {"padding": 0, "output_padding": 0}
    for name, value in settings.items():
        if not (name == "padding" and isinstance(value, str)):
            least = smallest.get(name, 1)
            sizes = checked_sizes(value, f"{name} of {owner}", count=1, least=least)
            settings[name] = (least, *sizes)
    x, weight = (expand_dims(a, axis=-2) for a in (x, weight))
    return squeeze(function(owner, x, weight, bias, groups=groups, **settings), axis=-2)


def in_words(sizes: Any, owner: str) -> str:
    """Sizes as an error shows them: of a pair, the second alone for a function of rows."""
    return str(sizes[1] if owner.endswith("1d") else sizes)


def checked_groups(
    owner: str, x: Any, weight: Any, bias: Any, groups: Any, is_transposed: bool = False, axes: int = 2
) -> int:
    """The number of groups. Raises TypeError or ValueError if it or the shapes of the arrays do not fit."""
    sizes, kernel = ("H, W", "height, width") if axes == 2 else ("L", "length")
    if len(shape_of(x)) not in (axes + 1, axes + 2):
        raise ValueError(f"{owner} takes inputs of shape (N, C, {sizes}) or (C, {sizes}), not {describe(x)}")
    if len(shape_of(weight)) != axes + 2 or 0 in shape_of(weight)[2:]:
        raise ValueError(
            f"the weight of {owner} must have the shape (K, C / groups, {kernel}), not {shape_of(weight)}"
        )
    (groups,) = checked_sizes(groups, f"groups of {owner}", count=1)
    kernels, channels = shape_of(weight)[:2]
    takes = kernels if is_transposed else channels * groups
    gives = channels * groups if is_transposed else kernels
    if kernels % groups:
        raise ValueError(f"{owner} cannot split {kernels} kernels into {groups} groups of equal size")
    if shape_of(x)[-axes - 1] != takes:
        and_groups = f" and {groups} groups" if groups > 1 else ""
        raise ValueError(
            f"{owner} with a weight of shape {shape_of(weight)}{and_groups} takes {takes} channels, not "
            f"{describe(x)}"
        )
    if bias is not None and shape_of(bias) != (gives,):
        raise ValueError(f"the bias of {owner} must have the shape ({gives},), not {shape_of(bias)}")
    return groups


def windows_on(x: Any, weight: Any, stride: Any, dilation: Any, owner: str) -> Windows:
    """The windows of a kernel on pictures, without padding."""
    steps = checked_sizes(stride, f"stride of {owner}")
    apart = checked_sizes(dilation, f"dilation of {owner}")
    return Windows(shape_of(weight)[-2:], steps, apart, ((0, 0), (0, 0)), shape_of(x)[-2:])


def options_of(windows: Windows, pads: Padding, groups: int, exact: bool) -> dict[str, Any]:
    """The options of an operation that differ from their defaults."""
    options: dict[str, Any] = {"stride": windows.stride, "padding": pads, "dilation": windows.dilation}
    options |= {"groups": groups, "exact": bool(exact) or is_exact()}
    return {name: value for name, value in options.items() if value != convolution.defaults[name]}


def checked_padding(padding: Any, windows: Windows, owner: str) -> Padding:
    """The number of zeros before and after, for each axis. Raises TypeError or ValueError for other
    values."""
    if not isinstance(padding, str):
        high, wide = checked_sizes(padding, f"padding of {owner}", least=0)
        return (high, high), (wide, wide)
    if padding == "valid":
        return (0, 0), (0, 0)
    if padding != "same":
        pair = "" if owner.endswith("1d") else " a pair,"
        raise ValueError(f"padding of {owner} must be a number,{pair} 'same' or 'valid', not {padding!r}")
    axes = zip(windows.size, windows.kernel, windows.stride, windows.dilation)
    high, wide = (max((math.ceil(n / s) - 1) * s + (k - 1) * d + 1 - n, 0) for n, k, s, d in axes)
    return (high // 2, high - high // 2), (wide // 2, wide - wide // 2)


def crop_of(windows: Windows, padding: Any, more: Pair, owner: str) -> tuple[Padding, Pair, Pair]:
    """How a transposed convolution crops its output: the rows and columns that it removes, the size that is
    left, and the number of rows and columns at the end that no kernel reaches. ``windows`` are those of its
    input."""
    reach = [(k - 1) * d + 1 for k, d in zip(windows.kernel, windows.dilation)]
    whole = [(n - 1) * s + r for n, s, r in zip(windows.size, windows.stride, reach)]
    if padding == "same":
        if any(more):
            raise ValueError(
                f"{owner} with padding='same' takes no output_padding, but "
                f"{in_words(tuple(more), owner)} was given"
            )
        wanted = tuple(n * s for n, s in zip(windows.size, windows.stride))
        crop = checked_padding(padding, replace(windows, size=wanted), owner)
        more = tuple(max(n - w, 0) for n, w in zip(wanted, whole))
    else:
        crop = checked_padding(padding, windows, owner)
    kept = [min(after, m) for (_, after), m in zip(crop, more)]  # rows at the end that are kept
    crop = tuple((before, after - k) for (before, after), k in zip(crop, kept))
    size = tuple(w - sum(ends) for w, ends in zip(whole, crop))
    if min(size) < 1:
        raise ValueError(
            f"padding of {owner} is {in_words(padding, owner)}, which crops all of an output of size "
            f"{in_words(tuple(whole), owner)}"
        )
    return crop, size, tuple(m - k for m, k in zip(more, kept))


def as_batch(x: Any) -> Any:
    """A batch of pictures; a single picture becomes a batch of one."""
    return x if len(shape_of(x)) == 4 else expand_dims(x, axis=0)
