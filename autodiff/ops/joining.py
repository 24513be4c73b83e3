"""Operations on any number of operands: concatenate, stack, einsum; and functions that split an array: split,
chunk, unbind.

Each operation has one joint rule for all of its operands.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..engine.dtypes import is_number
from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from ..engine.operation import Operation, operation
from .indexing import getitem
from .shaping import moveaxis, reshape, shape_of, stretched, transpose

CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTERS = CAPITALS + CAPITALS.lower()
"""The letters that subscripts of einsum may have."""


@operation(kind="linear")
def concatenate(*parts: Any, axis: int | None = 0) -> Any:
    """Join arrays along ``axis``, or all of their elements in one vector if ``axis`` is None.

    >>> import autodiff as ad
    >>> ad.concatenate([ad.Tensor([1, 2]), [3]])
    [1 2 3]
    """
    return np.concatenate(parts, axis)


def concatenate_rule(
    grad: Any, z: Any, *parts: Any, wanted: Sequence[bool], axis: int | None = 0
) -> list[Any]:
    """Each part gets its slice of the gradient."""
    contributions: list[Any] = []
    end = 0
    before = (slice(None),) * (0 if axis is None else normalize_axis_index(axis, z.ndim))
    for part, want in zip(parts, wanted):
        start, end = end, end + (math.prod(shape_of(part)) if axis is None else part.shape[axis])
        piece = getitem(grad, index=(*before, slice(start, end))) if want else None
        contributions.append(reshape(piece, shape=shape_of(part)) if want and axis is None else piece)
    return contributions


concatenate.backward(joint=concatenate_rule)


@operation(kind="linear")
def stack(*parts: Any, axis: int = 0) -> Any:
    """Join arrays of the same shape along a new ``axis``.

    >>> import autodiff as ad
    >>> ad.stack([ad.Tensor([1, 2]), [3, 4]], axis=1)
    [[1 3]
     [2 4]]
    """
    return np.stack(parts, axis)


def stack_rule(grad: Any, z: Any, *parts: Any, wanted: Sequence[bool], axis: int = 0) -> list[Any]:
    """Part i gets the gradient at index i of the new axis."""
    before = (slice(None),) * normalize_axis_index(axis, z.ndim)
    return [getitem(grad, index=(*before, i)) if want else None for i, want in enumerate(wanted)]


stack.backward(joint=stack_rule)


class Einsum(Operation):
    """einsum, which takes its subscripts before its operands, as NumPy's does."""

    __slots__ = ()

    def __call__(self, *operands: Any, subscripts: str | None = None, **options: Any) -> Any:
        """Compute, and record. The subscripts come first, or by name."""
        if subscripts is None:
            if not (operands and isinstance(operands[0], str)):
                raise TypeError("einsum takes subscripts, such as 'ij,jk->ik', before its operands")
            subscripts, *rest = operands
            operands = tuple(rest)
        return super().__call__(*operands, subscripts=subscripts, **options)


@partial(Einsum, kind="multilinear", precision="single")
def einsum(*operands: Any, subscripts: str) -> Any:
    """Einstein summation: products of elements, summed over the letters that the result does not have.

    >>> import autodiff as ad
    >>> ad.einsum("ij,jk->ik", ad.Tensor([[1, 2]]), [[3], [4]])
    [[11]]
    """
    common = np.result_type(*operands)  # np.einsum would add up a part of one operand in that one's dtype
    operands = tuple(x if is_number(x) or x.dtype == common else x.astype(common) for x in operands)
    return np.einsum(subscripts, *operands, optimize=len(operands) > 1)


def einsum_rule(grad: Any, z: Any, *operands: Any, wanted: Sequence[bool], subscripts: str) -> list[Any]:
    """The contribution to one operand is an einsum of the gradient and the other operands."""
    terms, result = expanded(subscripts, [len(shape_of(operand)) for operand in operands])
    contributions: list[Any] = []
    for i, want in enumerate(wanted):
        if not want:
            contributions.append(None)
            continue
        others = [operand for j, operand in enumerate(operands) if j != i]
        other_terms = [result, *(term for j, term in enumerate(terms) if j != i)]
        common = "".join(dict.fromkeys(letter for letter in terms[i] if letter in "".join(other_terms)))
        contribution = einsum(grad, *others, subscripts=f"{','.join(other_terms)}->{common}")
        contributions.append(to_term(contribution, common, terms[i], shape_of(operands[i])))
    return contributions


einsum.backward(joint=einsum_rule)


def expanded(subscripts: str, ndims: Sequence[int]) -> tuple[list[str], str]:
    """The term of each operand and of the result, with letters in place of ``...``; the result is added if it
    was left out."""
    left, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    free = [letter for letter in LETTERS if letter not in subscripts]
    counts = [n - len(term.replace("...", "")) for term, n in zip(terms, ndims)]
    batch = "".join(free[: max((n for term, n in zip(terms, counts) if "..." in term), default=0)])
    if not arrow:  # NumPy's rule: the letters that occur once, in alphabetical order
        once = sorted(letter for letter in set(left) if letter.isalpha() and left.count(letter) == 1)
        result = "..." * ("..." in left) + "".join(once)
    full = [term.replace("...", batch[len(batch) - n :] if n else "") for term, n in zip(terms, counts)]
    return full, result.replace("...", batch)


def to_term(contribution: Any, common: str, term: str, shape: tuple[int, ...]) -> Any:
    """The contribution to an operand, from axes for the letters ``common`` to axes for its own ``term``.

    It is constant along a letter that only this operand has, and on the diagonal of a repeated letter.
    """
    sizes = dict(zip(term, shape))
    missing = [letter for letter in dict.fromkeys(term) if letter not in common]
    if missing:
        contribution = reshape(contribution, shape=(*shape_of(contribution), *(1 for _ in missing)))
    kept = [n if sizes[letter] == 1 else sizes[letter] for letter, n in zip(common, shape_of(contribution))]
    contribution = stretched(contribution, (*kept, *(sizes[letter] for letter in missing)))
    labels: list[Any] = [*common, *missing]  # of the axes: a letter, or the position of a repeated one
    for position, letter in enumerate(term):
        if letter in term[:position]:
            contribution = onto_new_axis(contribution, labels.index(letter))
            labels.append(position)
    order = [labels.index(p if letter in term[:p] else letter) for p, letter in enumerate(term)]
    return contribution if order == sorted(order) else transpose(contribution, axes=order)


def onto_new_axis(x: Any, axis: int) -> Any:
    """Add a last axis such that the elements of ``axis`` are on the diagonal of the two, with zeros
    elsewhere."""
    last = moveaxis(x, source=axis, destination=-1)
    square = reshape(last, shape=(*last.shape, 1)) * np.eye(last.shape[-1], dtype=x.dtype)
    return moveaxis(square, source=-2, destination=axis)


@in_either_words
def split(x: Any, sections: Any, axis: int = 0) -> list[Any]:
    """Split x along ``axis``, as ``np.split``: into ``sections`` equal parts, or before each index in
    ``sections``.

    Raises ValueError if the parts cannot be equal.

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
            raise ValueError(
                f"split cannot make {sections} equal parts of {size} elements along axis {axis}; use chunk"
            )
        cuts = list(range(size // sections, size, size // sections)) if size else [0] * (sections - 1)
    else:
        cuts = list(sections)
    before = (slice(None),) * axis
    bounds = zip([0, *cuts], [*cuts, None])
    return [getitem(x, index=(*before, slice(start, end))) for start, end in bounds]


@in_either_words
def chunk(x: Any, chunks: int, axis: int = 0) -> list[Any]:
    """Split x along ``axis`` into at most ``chunks`` parts of equal size, the last perhaps smaller, as
    ``torch.chunk``.

    Raises ValueError if ``chunks`` is below 1.

    >>> import autodiff as ad
    >>> ad.chunk(ad.Tensor([1, 2, 3, 4, 5]), 3)
    [[1 2], [3 4], [5]]
    """
    if chunks < 1:
        raise ValueError(f"the number of chunks must be at least 1, not {chunks}")
    x = as_recorded(x)
    size = shape_of(x)[normalize_axis_index(axis, len(shape_of(x)))]
    step = max(-(-size // chunks), 1)
    return split(x, range(step, size, step), axis)


@in_either_words
def unbind(x: Any, axis: int = 0) -> list[Any]:
    """The slices of x along ``axis``, without that axis.

    >>> import autodiff as ad
    >>> ad.unbind(ad.Tensor([[1, 2], [3, 4]]), axis=1)
    [[1 3], [2 4]]
    """
    x = as_recorded(x)
    axis = normalize_axis_index(axis, len(shape_of(x)))
    before = (slice(None),) * axis
    return [getitem(x, index=(*before, i)) for i in range(shape_of(x)[axis])]


cat = concatenate  # PyTorch's name
