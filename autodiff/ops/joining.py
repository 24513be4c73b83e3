"""Operations on any number of operands: concatenate, stack, einsum; and what takes apart again: split, chunk,
unbind.

One joint rule serves all operands of each.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from ..engine.operation import Operation, operation
from .indexing import getitem
from .shaping import moveaxis, reshape, shape_of, stretched, transpose


@operation(kind="linear")
def concatenate(*parts: Any, axis: int | None = 0) -> Any:
    """Arrays one after the other along ``axis``; without one, all their elements in one row.

    >>> import autodiff as ad
    >>> ad.concatenate([ad.Tensor([1, 2]), [3]])
    [1 2 3]
    """
    return np.concatenate(parts, axis)


def by_part(
    grad: Any, z: Any, *parts: Any, wanted: Sequence[bool], axis: int | None = 0
) -> list[Any]:
    """Each part gets back the stretch of the gradient that it went into."""
    shares: list[Any] = []
    end = 0
    place = (slice(None),) * (0 if axis is None else normalize_axis_index(axis, z.ndim))
    for part, want in zip(parts, wanted):
        start, end = end, end + (math.prod(shape_of(part)) if axis is None else part.shape[axis])
        stretch = getitem(grad, index=(*place, slice(start, end))) if want else None
        shares.append(reshape(stretch, shape=shape_of(part)) if want and axis is None else stretch)
    return shares


concatenate.backward(joint=by_part)


@operation(kind="linear")
def stack(*parts: Any, axis: int = 0) -> Any:
    """Arrays of one shape side by side along a new ``axis``.

    >>> import autodiff as ad
    >>> ad.stack([ad.Tensor([1, 2]), [3, 4]], axis=1)
    [[1 3]
     [2 4]]
    """
    return np.stack(parts, axis)


def by_layer(grad: Any, z: Any, *parts: Any, wanted: Sequence[bool], axis: int = 0) -> list[Any]:
    """Each part gets back its own layer."""
    place = (slice(None),) * normalize_axis_index(axis, z.ndim)
    return [getitem(grad, index=(*place, i)) if want else None for i, want in enumerate(wanted)]


stack.backward(joint=by_layer)


class Contraction(Operation):
    """einsum takes its subscripts first, as NumPy's does."""

    __slots__ = ()

    def __call__(self, *operands: Any, subscripts: str | None = None, **options: Any) -> Any:
        """Compute, and record; the subscripts come first, or by name."""
        if subscripts is None:
            if not (operands and isinstance(operands[0], str)):
                raise TypeError("einsum takes subscripts, such as 'ij,jk->ik', and then its operands")
            subscripts, *rest = operands
            operands = tuple(rest)
        return super().__call__(*operands, subscripts=subscripts, **options)


@partial(Contraction, kind="multilinear")
def einsum(*operands: Any, subscripts: str) -> Any:
    """Products of elements, summed over the letters that the result does not have (Einstein's summation).

    >>> import autodiff as ad
    >>> ad.einsum("ij,jk->ik", ad.Tensor([[1, 2]]), [[3], [4]])
    [[11]]
    """
    return np.einsum(subscripts, *operands, optimize=len(operands) > 1)


def by_factor(grad: Any, z: Any, *operands: Any, wanted: Sequence[bool], subscripts: str) -> list[Any]:
    """For one factor the others change places with the result."""
    letters, result = spelled_out(subscripts, [len(shape_of(operand)) for operand in operands])
    shares: list[Any] = []
    for i, want in enumerate(wanted):
        if not want:
            shares.append(None)
            continue
        others = [operand for j, operand in enumerate(operands) if j != i]
        terms = [result, *(term for j, term in enumerate(letters) if j != i)]
        known = "".join(dict.fromkeys(letter for letter in letters[i] if letter in "".join(terms)))
        share = einsum(grad, *others, subscripts=f"{','.join(terms)}->{known}")
        shares.append(laid_out(share, known, letters[i], shape_of(operands[i])))
    return shares


einsum.backward(joint=by_factor)


def spelled_out(subscripts: str, ndims: Sequence[int]) -> tuple[list[str], str]:
    """The letters of each operand and of the result, with those that ``...`` stands for and a result that was
    left out."""
    terms, arrow, result = subscripts.replace(" ", "").partition("->")
    letters = terms.split(",")
    free = [chr(code) for code in range(ord("A"), ord("z") + 1) if chr(code).isalpha()]
    free = [letter for letter in free if letter not in subscripts]
    sizes = [n - len(term.replace("...", "")) for term, n in zip(letters, ndims)]
    hidden = "".join(free[: max((n for term, n in zip(letters, sizes) if "..." in term), default=0)])
    if not arrow:  # NumPy's rule: letters that stand once, in the order of the alphabet
        once = sorted(c for c in set(terms) if c.isalpha() and terms.count(c) == 1)
        result = "..." * ("..." in terms) + "".join(once)
    spelled = [
        term.replace("...", hidden[len(hidden) - n :] if n else "") for term, n in zip(letters, sizes)
    ]
    return spelled, result.replace("...", hidden)


def laid_out(share: Any, known: str, letters: str, shape: tuple[int, ...]) -> Any:
    """A gradient for the letters ``known``, laid out for all ``letters`` of an operand: the same along a
    letter that only it has, or whose size is 1 elsewhere; on the diagonal where a letter stands twice."""
    sizes = dict(zip(letters, shape))
    missing = [letter for letter in dict.fromkeys(letters) if letter not in known]
    if missing:
        share = reshape(share, shape=(*shape_of(share), *(1 for _ in missing)))
    whole = [n if sizes[letter] == 1 else sizes[letter] for letter, n in zip(known, shape_of(share))]
    share = stretched(share, (*whole, *(sizes[letter] for letter in missing)))
    names: list[Any] = [*known, *missing]
    for place, letter in enumerate(letters):
        if letter in letters[:place]:  # its second place: a new axis, with zeros off the diagonal
            axis = names.index(letter)
            last = moveaxis(share, source=axis, destination=-1)
            square = reshape(last, shape=(*last.shape, 1)) * np.eye(sizes[letter], dtype=share.dtype)
            share = moveaxis(square, source=-2, destination=axis)
            names.append(place)
    order = [names.index(p if c in letters[:p] else c) for p, c in enumerate(letters)]
    return share if order == sorted(order) else transpose(share, axes=order)


@in_either_words
def split(x: Any, sections: Any, axis: int = 0) -> list[Any]:
    """Parts of ``x`` along ``axis``, as ``np.split``: so many equal ones, or cut at the places given.

    Raises ValueError if there is no way to cut it into equal parts.

    >>> import autodiff as ad
    >>> ad.split(ad.Tensor([1, 2, 3, 4]), 2)
    [[1 2], [3 4]]
    """
    x = as_recorded(x)
    axis = normalize_axis_index(axis, len(shape_of(x)))
    size = shape_of(x)[axis]
    if np.ndim(sections) == 0:
        sections = operator.index(sections)
        if sections < 1 or size % sections:
            raise ValueError(f"{size} elements along axis {axis} make no {sections} equal parts; see chunk")
        cuts = list(range(size // sections, size, size // sections)) if size else [0] * (sections - 1)
    else:
        cuts = list(sections)
    place = (slice(None),) * axis
    return [
        getitem(x, index=(*place, slice(start, end))) for start, end in zip([0, *cuts], [*cuts, None])
    ]


@in_either_words
def chunk(x: Any, chunks: int, axis: int = 0) -> list[Any]:
    """At most ``chunks`` parts of equal size along ``axis``, the last perhaps smaller, as ``torch.chunk``.

    >>> import autodiff as ad
    >>> ad.chunk(ad.Tensor([1, 2, 3, 4, 5]), 3)
    [[1 2], [3 4], [5]]
    """
    if chunks < 1:
        raise ValueError(f"chunk makes at least 1 part, not {chunks}")
    x = as_recorded(x)
    size = shape_of(x)[normalize_axis_index(axis, len(shape_of(x)))]
    step = max(-(-size // chunks), 1)
    return split(x, range(step, size, step), axis)


@in_either_words
def unbind(x: Any, axis: int = 0) -> list[Any]:
    """The layers of ``x`` along ``axis``, without that axis.

    >>> import autodiff as ad
    >>> ad.unbind(ad.Tensor([[1, 2], [3, 4]]), axis=1)
    [[1 3], [2 4]]
    """
    x = as_recorded(x)
    axis = normalize_axis_index(axis, len(shape_of(x)))
    place = (slice(None),) * axis
    return [getitem(x, index=(*place, i)) for i in range(shape_of(x)[axis])]


cat = concatenate  # as PyTorch calls it
