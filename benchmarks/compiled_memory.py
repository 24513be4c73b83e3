"""The most memory that a step of a compiled function takes, by that of the step by hand.

It is what ``tracemalloc`` counts during a step beyond what there was before, and the arrays that are kept
from step to step: a program's buffers, and what the code by hand works in. The arguments, the parameters and
the moments of an optimizer are not counted.
"""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np

from autodiff.compiling.compiled import PASSES

from .compiled import Contest
from .measure import Row, shown
from .peak_memory import profiled_peak, traced_peak
from .peers import Step
from .workload import HAND

ARRAYS = tracemalloc.DomainFilter(inclusive=True, domain=np.lib.tracemalloc_domain)


def kept_bytes(step: Step) -> int:
    """The bytes of arrays that a step leaves behind, and that the next one uses again."""
    gc.collect()
    tracemalloc.start()
    for _ in range(3):  # a training step makes its moments in the first, and its program in the second
        step()
    gc.collect()
    traces = tracemalloc.take_snapshot().filter_traces([ARRAYS]).traces
    tracemalloc.stop()
    return sum(trace.size for trace in traces)


def taken(contest: Contest) -> int:
    """The bytes that the compiled step takes."""
    step, _ = contest.compiled(PASSES)
    kept = kept_bytes(step) - contest.state
    return kept + traced_peak(step)


def row_of(contest: Contest, limit: Step) -> Row:
    """The memory of the compiled step by that of the limit, ``limit``, which has run before."""
    name = next(iter(contest.others))
    ours = taken(contest)
    theirs = contest.kept + traced_peak(limit) if name == HAND else profiled_peak(limit)
    note = f"{shown(ours / 1024)} KiB by {shown(theirs / 1024)} KiB"
    what = f"{contest.what}: peak memory by " + ("NumPy's by hand" if name == HAND else f"{name}'s")
    return Row(what, "at most 1.2", [ours / theirs], note=note)
