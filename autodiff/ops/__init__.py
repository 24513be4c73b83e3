"""The catalogue filled, one module per family. A new operation is its function, its rules, and nothing more:
whatever operation a module here defines is entered."""

from __future__ import annotations

from ..catalogue import Catalogue, catalogue
from ..operation import Operation
from . import (
    activations,
    arithmetic,
    cumulative,
    elementary,
    indexing,
    joining,
    linalg,
    matrices,
    ordering,
    piecewise,
    powers,
    rectifiers,
    reductions,
    shaping,
    trigonometry,
)

__all__ = ["catalogue"]

for family in (
    arithmetic, elementary, reductions, shaping, indexing, joining, cumulative, ordering, linalg, matrices,
    powers, trigonometry, piecewise, activations, rectifiers,
):  # fmt: skip
    for entry in vars(family).values():
        if isinstance(entry, Operation) and entry.__module__ == family.__name__:
            catalogue.enter(entry)

# What is put together from operations, and is none itself: on the class, so that the list does not have it.
for function in (
    joining.split, joining.chunk, joining.unbind, indexing.masked_select, linalg.bmm, matrices.slogdet
):  # fmt: skip
    setattr(Catalogue, function.__name__, staticmethod(function))
