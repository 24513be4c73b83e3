"""Program: the nodes of a traced function as a Python function over NumPy, with its source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from ..engine.silence import silence
from .graph import Graph
from .nodes import Node, reachable
from .passes import GRAPH_PASSES
from .plain import PlainWriter
from .writing import WRITING_PASSES, ArrayWriter
from .writing.running import Pool, in_order, recycled


class Program:
    """A compiled graph.

    Parameters
    ----------
    graph
        Makes the nodes of the passes.
    inputs
        The arguments of the program.
    results
        What it returns. For each input in ``updated``, the last results are the new values.
    updated
        The inputs whose memory the program may overwrite at its end, with their new values; it returns these
        new values too.
    passes
        The names of the passes over the graph.

    Attributes
    ----------
    source
        What runs, as text.
    constants
        The objects that the source refers to by name.
    run
        The function: it takes the values of the inputs, and returns a tuple of the results. These share no
        memory with each other, with the inputs or with anything else, but for the new values, which lie in the
        memory of their inputs.
    """

    run: Callable[..., tuple[Any, ...]]

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        results: Sequence[Node],
        updated: Sequence[Node] = (),
        passes: Collection[str] = (),
    ) -> None:
        results = list(results)
        for name, graph_pass in GRAPH_PASSES.items():
            if name in passes:
                results = graph_pass(graph, inputs, results)
        if all(node.number for node in reachable(results)):
            writer: PlainWriter = PlainWriter(inputs, results)
        else:
            writer = ArrayWriter(inputs, results, updated, [name for name in WRITING_PASSES if name in passes])
        self.source = writer.source()
        self.constants = writer.constants
        self.run = runnable(self.source, self.constants)
        if isinstance(writer, ArrayWriter) and writer.counts_on_order:
            self.run = in_order(self.run, lambda: written_plainly(inputs, results, updated))


def runnable(source: str, constants: dict[str, Any]) -> Callable[..., tuple[Any, ...]]:
    """The program of a source."""
    names: dict[str, Any] = {"np": np, "recycled": recycled, **constants}
    with silence():
        exec(compile(source, "<compiled program>", "exec"), names)
        return Pool(names["build"]) if "build" in names else names["program"]


def written_plainly(
    inputs: Sequence[Node], results: Sequence[Node], updated: Sequence[Node]
) -> Callable[..., tuple[Any, ...]]:
    """The same program with a new array for each value."""
    writer = ArrayWriter(inputs, results, updated, ())
    return runnable(writer.source(), writer.constants)
