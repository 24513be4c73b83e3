"""A pass over the graph is left out only where it would have found nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np

import autodiff as ad
from autodiff.compiling.nodes import reachable
from autodiff.compiling.passes import GRAPH_PASSES
from autodiff.compiling.trace import ProgramTrace, node_of_result
from tests.compiling.random_graphs import RandomGraph
from tests.compiling.test_random_loops import RandomLoop

MADE = ("fold", "algebra", "cse")


def traced(function, args):
    """The graph, the inputs and the results of a function."""
    trace = ProgramTrace(MADE)
    arguments = [trace.input(arg, f"x{place}") for place, arg in enumerate(args)]
    _, out = trace.call(function, arguments, {})
    return trace.graph, trace.inputs, [node_of_result(trace.graph, value) for value in out]


def programs():
    def data(*shape):
        return ad.Tensor(np.random.default_rng(0).normal(size=shape), requires_grad=False)

    def slopes(f, count):
        return ad.grad(f, argnums=tuple(range(count)))

    yield traced(slopes(lambda x, w: ((x @ w).sigmoid() ** 2).sum(), 2), [data(5, 3), data(3, 4)])
    yield traced(slopes(lambda x: sum((x[t] * (t + 1)).tanh().sum() for t in range(6)), 1), [data(6, 4)])
    yield traced(lambda a, x: [a * x.tanh() * (1 - x.tanh())], [data(3), data(3)])
    alike = slopes(lambda w, *x: sum((a @ w).tanh().sum() for a in x), 1)  # without an array of rows
    yield traced(alike, [data(3, 4), *(data(8, 3) for _ in range(6))])
    yield traced(lambda x, w: [x @ w.T], [data(70, 64), data(64, 64)])
    yield traced(lambda x: [part.exp() for part in ad.split(x, 3, axis=1)], [data(2, 6)])
    for seed in range(12):
        random = RandomGraph(seed)
        yield random.graph, random.inputs, random.results
    for seed in range(6):
        loop = RandomLoop(seed)
        yield traced(loop.function(), loop.args)


def test_a_pass_that_finds_no_work_changes_nothing():
    left_out, has_worked = Counter(), Counter()
    for graph, inputs, results in programs():
        for name, graph_pass in GRAPH_PASSES.items():
            counts = Counter(node.op for node in reachable(results))
            found = graph_pass.rewritten(graph, inputs, results)
            if graph_pass.finds_work(counts):
                has_worked[name] += found != results
            else:
                left_out[name] += 1
                assert found == list(results), name
            results = found
    assert [*GRAPH_PASSES] == [name for name in GRAPH_PASSES if left_out[name] and has_worked[name]]
