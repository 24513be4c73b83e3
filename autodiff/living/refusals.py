"""Which operation keeps a function from being a live page, and in which line it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..compiling.compiled import Compiled
from ..compiling.javascript import runtime, translated
from ..draw.filming.source import Source
from ..draw.graph.signs import known
from ..draw.graph.slopes import contributions
from ..draw.graph.walk import Walk
from ..engine.tensor import Tensor, raw
from .everything import ONE_BY_ONE


def without_counterpart(
    error: NotImplementedError, walked: Walk, names: Sequence[str], source: Source | None
) -> NotImplementedError:
    """The error with the operation that JavaScript lacks, for itself or for its gradient, and its line.

    Each operation of the graph is compiled by itself until one cannot be written.
    """
    for i, node in enumerate(walked.order):
        operation = known(walked.operation(i)) if walked.creators[i] else None
        if operation is not None and not _is_written(operation, node, walked.creators[i]):
            text = (
                f"{names[i]} is made by the operation {operation}, which a page cannot compute yet, or not "
                "its gradient. Write it with other operations, or show the rest of the function"
            )
            line = None if source is None else source.lines.get(i)
            if source is not None and line is not None:
                text += f";\n  in the line: {source.code[line].strip()}"
            return NotImplementedError(text)
    return error


def _is_written(operation: Any, node: Tensor, creators: Sequence[Any]) -> bool:
    """Whether an operation and what it passes back can be written in JavaScript."""
    leaves = [creator for creator in creators if isinstance(creator, Tensor)]

    def alone(*given: Any) -> Any:
        taken = iter(given)
        operands = [next(taken) if isinstance(creator, Tensor) else creator for creator in creators]
        made = operation(*operands, **getattr(node, "options", {}))
        return made, [part for part in contributions(made, raw(made)) if part is not None]

    try:
        fast = Compiled(alone, ONE_BY_ONE)
        fast(*[Tensor(raw(leaf)) for leaf in leaves])
        runtime(translated(fast).functions)
    except NotImplementedError:
        return False
    return True
