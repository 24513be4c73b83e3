"""Program: the nodes of a traced function, written as a Python function that calls NumPy."""

from __future__ import annotations

import copy
import functools
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..engine.silence import silence
from .graph import ProgramGraph
from .nodes import LEAVES, ProgramNode, reachable
from .numbers import NumberWriter, is_of_numbers, runner
from .packing import pack, word_for_packed
from .passes import GRAPH_PASSES
from .plain import PlainWriter
from .printing import Printer
from .writing import INEXACT_PASSES as INEXACT_WRITING
from .writing import WRITING_PASSES, ArrayWriter
from .writing.binding import bound
from .writing.planning import is_large
from .writing.running import Pool, in_order, recycled

INEXACT_GRAPH_PASSES = [name for name, each in GRAPH_PASSES.items() if not each.exact]
INEXACT_PASSES = frozenset(("broadcasts", "pack", *INEXACT_GRAPH_PASSES, *INEXACT_WRITING))
"""The passes that change the order of sums, and so the last digits of results."""

DROPPED = "dropped"
LARGE = 10_000
"""The number of operations up to which a graph that was packed is kept. A larger one would take megabytes,
and time in each run of the garbage collector."""


class Program:
    """A compiled graph.

    Parameters
    ----------
    graph
        The graph in which the passes make nodes.
    inputs
        The arguments of the program.
    results
        The nodes that it returns. The last of them are the new values of the inputs in ``updated``.
    updated
        The inputs whose memory the program may overwrite, at its end, with their new values.
    passes
        The names of the passes over the graph.

    Attributes
    ----------
    source
        The text of the program.
    constants
        The objects that the source refers to by name.
    words
        The words for values from the variables that they were assigned to.
    inputs, results, updated
        The nodes of the program that is written, before it is packed. Of a large graph that was packed the
        results are kept without what they are computed from.
    counts
        The number of calls that were traced, and what each simplification has left of them.
    stages
        The results as they were traced, called ``"used"``, and after each pass, by its name. A large graph
        that was packed is counted in ``counts`` and not kept.
    printer
        Makes the writer of the program for readers, when it is asked for; None for a program of numbers,
        whose source is for readers.
    bytes
        The size of the memory that the program keeps for intermediate results.
    run
        The function: it takes the values of the inputs, and returns a tuple of the results. The results share
        no memory with each other, with the inputs or with anything else, except that the new values of
        ``updated`` lie in the memory of their inputs.
    """

    run: Callable[..., tuple[Any, ...]]

    def __init__(
        self,
        graph: ProgramGraph,
        inputs: Sequence[ProgramNode],
        results: Sequence[ProgramNode],
        updated: Sequence[ProgramNode] = (),
        passes: Collection[str] = (),
    ) -> None:
        results = list(results)
        self.counts, self.words = graph.counts(), graph.words
        self.inputs, self.results, self.updated = list(inputs), results, list(updated)
        self.stages = [("used", results)]
        self.bytes = 0
        self.printer: Callable[[], Printer] | None = None
        adapt: Callable[[Any], Any] | None = None
        if "pack" in passes:
            found = pack(graph, inputs, results)
            if found is not None:
                inputs, results, adapt = found.inputs, list(found.results), found.runner
                if found.operations > LARGE:
                    self.counts["used"], self.stages = found.operations, []
                    self.results = [*map(dropped, self.results)]
                self.stages.append(("pack", results))
        if "numbers" in passes and is_of_numbers(results):
            numbers = NumberWriter(inputs, results, graph.words)
            self.source, self.constants = numbers.imports + numbers.source, numbers.constants
            self.run = runner(numbers, inputs, results)
            return
        results = self.rewritten(graph, inputs, results, passes)
        if adapt is not None:
            self.printer = printer = functools.cache(
                partial(Printer, inputs, results, word=word_for_packed)
            )
            self.source, self.constants = printer().rolled, printer().constants
            self.run = adapt(runnable(self.source, self.constants))
        else:
            self.results = results
            self.printer = functools.cache(partial(Printer, inputs, results, updated, words=graph.words))
            results = with_copies(graph, results, len(results) - len(updated))
            self.run = self.written(inputs, results, updated, passes)

    def rewritten(
        self,
        graph: ProgramGraph,
        inputs: Sequence[ProgramNode],
        results: list[ProgramNode],
        passes: Collection[str],
    ) -> list[ProgramNode]:
        """The results after the passes over the graph, those that find something to do in it."""
        counts = Counter(node.op for node in reachable(results))
        for name, graph_pass in GRAPH_PASSES.items():
            if name in passes:
                before = results
                if graph_pass.finds_work(counts):
                    results = with_names(graph_pass.rewritten(graph, inputs, results), results)
                if results != before:
                    counts = Counter(node.op for node in reachable(results))
                self.stages.append((name, results))
        return results

    def written(
        self,
        inputs: Sequence[ProgramNode],
        results: Sequence[ProgramNode],
        updated: Sequence[ProgramNode],
        passes: Collection[str],
    ) -> Callable[..., tuple[Any, ...]]:
        """The program as a function, and its source: a line for each node if all values are numbers,
        otherwise a program that reuses the memory of arrays."""
        if is_of_numbers(results):
            plain = PlainWriter(inputs, results)
            self.source, self.constants = plain.source(), plain.constants
            return runnable(self.source, self.constants)
        writer = ArrayWriter(inputs, results, updated, [p for p in passes if p in WRITING_PASSES])
        self.source, self.constants = writer.source(), writer.constants
        self.bytes = writer.buffers.bytes
        run = runnable(self.source, self.constants)
        if writer.counts_on_order:
            return in_order(run, writer.orders_of_inputs, lambda: written_plainly(inputs, results, updated))
        return run


def dropped(node: ProgramNode) -> ProgramNode:
    """A node without what it is computed from."""
    found = copy.copy(node)
    found.op, found.args = DROPPED, ()
    return found


def with_copies(graph: ProgramGraph, results: Sequence[ProgramNode], count: int) -> list[ProgramNode]:
    """The results, of which the first ``count`` are returned: copies in place of inputs and constants, so
    that they are made where the program reads these."""
    return [
        graph.copy(node) if place < count and node.op in LEAVES and is_large(node) else node
        for place, node in enumerate(results)
    ]


def with_names(results: Sequence[ProgramNode], before: Sequence[ProgramNode]) -> list[ProgramNode]:
    """The results of a pass, called as the results were before it."""
    for result, old in zip(results, before, strict=True):
        if result.args and result.name is None:
            result.name = old.name
    return list(results)


def runnable(source: str, constants: dict[str, Any]) -> Callable[..., tuple[Any, ...]]:
    """The function that a source defines. It finds NumPy's functions under names of their own."""
    names: dict[str, Any] = {"np": np, "recycled": recycled, **constants}
    with silence():
        exec(compile(bound(source, names), "<compiled program>", "exec"), names)
        return Pool(names["build"]) if "build" in names else names["program"]


def written_plainly(
    inputs: Sequence[ProgramNode], results: Sequence[ProgramNode], updated: Sequence[ProgramNode]
) -> Callable[..., tuple[Any, ...]]:
    """The program with a new array for each value."""
    writer = ArrayWriter(inputs, results, updated, ())
    return runnable(writer.source(), writer.constants)
