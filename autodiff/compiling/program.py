"""Program: the nodes of a traced function as a Python function over NumPy, with its source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from .graph import Graph
from .nodes import Node
from .numbers import NumberWriter, is_of_numbers, runner
from .packing import PackedWriter, pack
from .passes import GRAPH_PASSES
from .plain import PlainWriter


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
        The function: it takes the values of the inputs, and returns a tuple of the results.
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        results: Sequence[Node],
        updated: Sequence[Node] = (),
        passes: Collection[str] = (),
    ) -> None:
        results = list(results)
        self.run: Callable[..., tuple[Any, ...]]
        adapt: Callable[[Any], Any] | None = None
        if "pack" in passes:
            found = pack(graph, inputs, results)
            if found is not None:
                inputs, results, adapt = found.inputs, found.results, found.runner
        if "numbers" in passes and is_of_numbers(results):
            numbers = NumberWriter(inputs, results)
            self.source, self.constants = numbers.imports + numbers.source, numbers.constants
            self.run = runner(numbers, results)
            return
        for name, graph_pass in GRAPH_PASSES.items():
            if name in passes:
                results = graph_pass(graph, inputs, results)
        writer = PackedWriter(inputs, results) if adapt is not None else PlainWriter(inputs, results)
        self.source = writer.source()
        self.constants = writer.constants
        names: dict[str, Any] = {"np": np, **self.constants}
        exec(compile(self.source, "<compiled program>", "exec"), names)
        self.run = names["program"]
        if adapt is not None:
            self.run = adapt(self.run)
