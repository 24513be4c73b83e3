"""The operations of the package, one module per family. Importing this package fills the catalogue.

To add an operation, write its function and its rules in one of the modules of the first loop below. An import
in ``autodiff/__init__.py`` makes it public, and a line in ``engine/methods.py`` makes it a method.
"""

from __future__ import annotations

from ..engine.catalogue import Catalogue, catalogue
from ..engine.operation import Operation
from . import (
    activations,
    angles,
    arithmetic,
    assembling,
    convolution,
    convolution_functions,
    cumulative,
    decompositions,
    elementary,
    indexing,
    joining,
    linalg,
    matrices,
    norms,
    ordering,
    patches,
    piecewise,
    pooling,
    pooling_functions,
    powers,
    predicates,
    ranking,
    rectifiers,
    recurrence,
    reductions,
    rounding,
    shaping,
    trigonometry,
    updates,
    variants,
)

__all__ = ["catalogue"]

for family in (
    arithmetic, elementary, reductions, shaping, indexing, joining, cumulative, ordering, linalg, matrices,
    powers, trigonometry, piecewise, activations, rectifiers, rounding, angles, decompositions, norms,
    recurrence, convolution, pooling, patches,
):  # fmt: skip
    for entry in vars(family).values():
        if isinstance(entry, Operation) and entry.__module__ == family.__name__:
            catalogue.enter(entry)

# Functions composed of operations. They go on the class, so that iterating over the catalogue skips them.
for function in (
    joining.split, joining.chunk, joining.unbind, indexing.masked_select, linalg.bmm, matrices.slogdet,
    variants.take, variants.index_select, variants.masked_fill, variants.narrow, variants.expand, variants.t,
    variants.astype, variants.to, predicates.any, predicates.all,
    updates.update_in_place, updates.fill_in_place, updates.copy_in_place, updates.clamp_in_place,
    assembling.stacked, assembling.diag, assembling.kron, assembling.meshgrid, assembling.tensordot,
    assembling.cross, assembling.multi_dot, assembling.matrix_power,
    decompositions.eigh, decompositions.svd,
    norms.norm_of_order, ranking.topk, ranking.partition, ranking.quantile, rounding.divmod,
    convolution_functions.conv1d, convolution_functions.conv2d, convolution_functions.conv_transpose1d,
    convolution_functions.conv_transpose2d,
    pooling_functions.adaptive_avg_pool1d, pooling_functions.adaptive_avg_pool2d,
    pooling_functions.avg_pool1d, pooling_functions.max_pool1d,
):  # fmt: skip
    setattr(Catalogue, function.__name__, staticmethod(function))
