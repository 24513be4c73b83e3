"""The progress of a ``fit``: a bar on a terminal, nothing in a log, a test or a notebook that is checked."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from .history import Row, shown


@contextmanager
def progress(title: str, batches: int | None, verbose: bool | None) -> Iterator[Callable[[Row, int], object]]:
    """A bar for one epoch, if it is wanted: ``verbose``, or with None whether stderr is a terminal.

    Handed over is what to call with measures so far and the number of batches that are new. Without tqdm
    the epoch's last measures are written as a line.
    """
    if verbose is None:
        verbose = sys.stderr is not None and sys.stderr.isatty()
    if not verbose:
        yield lambda measures, new: None
        return
    try:
        tqdm: Any = import_module("tqdm").tqdm
    except ImportError:
        heard: deque[Row] = deque([{}], maxlen=1)
        yield lambda measures, new: heard.append(measures)
        sys.stderr.write(f"{title}: {worded(heard[0])}\n")
        return
    with tqdm(total=batches, desc=title, unit="batch", file=sys.stderr) as bar:

        def advance(measures: Row, new: int) -> None:
            bar.set_postfix_str(worded(measures), refresh=not new)
            bar.update(new)

        yield advance


def worded(measures: Row) -> str:
    """Measures in one line."""
    return ", ".join(f"{name} {shown(value)}" for name, value in measures.items())
