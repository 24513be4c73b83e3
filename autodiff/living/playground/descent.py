"""The plan of a page in which optimizers go down a surface side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiling.compiled import compile_function
from ...engine.tensor import Tensor, constant_tensor, describe
from ...optim.optimizer import Optimizer
from .checks import Points
from .plan import names_of, steps_of
from .programs import Named, Shelf, traced

GRID = 64  # points of the grid along an axis


class Descent:
    """All that the page knows of a loss of two numbers, as `Plan` of a training.

    Raises
    ------
    TypeError, ValueError
        If ``start`` does not hold two numbers, ``region`` is not a pair of ranges, or an optimizer has other
        parameters.
    TraceError
        If the loss or an optimizer is not compiled.
    """

    scripts = ("training", "painting", "points", "history", "time", "surface")

    def __init__(self, start: Tensor, loss: Any, optimizers: dict[str, Optimizer], region: Any) -> None:
        self.loss = loss
        if start.shape != (2,):
            raise ValueError(f"the surface of a loss is drawn over two numbers, not over {describe(start)}")
        for name, optimizer in optimizers.items():
            if [*map(id, optimizer._parameters)] != [id(start)]:
                raise ValueError(f"{name} must move {describe(start)} and nothing else")
        ranges = checked_region(region)
        self.shelf, self.sets = Shelf(), [Points("surface", np.zeros((1, 1)), np.zeros((1, 1)))]
        value = traced(compile_function(loss), constant_tensor(np.copy(start.data)))
        if value.results[-1].shape:
            raise ValueError(f"the loss of a playground is one number, not {value.results[-1].shape}")
        self.programs: list[Named] = [self.shelf.named("value", value, [["x"]])]

        def here(x: Any) -> Any:
            return start

        def height(prediction: Any, target: Any) -> Any:
            return loss(prediction)

        self.facts: dict[str, Any] = {
            "seed": 0,
            "input": "surface",
            "grid": GRID,
            "map": [GRID, GRID],
            "sizes": [0],
            "sets": [{"name": "surface", "count": 1, "domain": ranges}],
            "columns": [],
            "layers": [],
            "generators": [],
            "optimizers": [*steps_of(here, height, optimizers, self.sets, 1, self.shelf, self.programs)],
        }

    @property
    def text(self) -> str:
        """What goes down, in a line."""
        name = getattr(self.loss, "__name__", type(self.loss).__name__)
        return f"a playground: {', '.join(names_of(self.facts['optimizers']))} on the surface of {name}"


def checked_region(region: Any) -> list[list[float]]:
    """The ranges of both numbers. Raises ValueError unless they are two pairs (low, high)."""
    try:
        ranges = np.asarray(region, float)
    except (TypeError, ValueError):
        ranges = np.empty(0)
    if ranges.shape != (2, 2) or not np.isfinite(ranges).all() or (ranges[:, 0] >= ranges[:, 1]).any():
        raise ValueError(
            "for a loss of two numbers, data is the region that is drawn, ((low, high), (low, high)), not "
            f"{region!r:.60}"
        )
    found: list[list[float]] = ranges.tolist()
    return found
