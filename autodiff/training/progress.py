"""The progress bar of ``fit``. It is shown on a terminal only, and not in a log, a test or a notebook."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from .history import Row, format_value


@contextmanager
def epoch_progress(
    title: str, batches: int | None, verbose: bool | None
) -> Iterator[Callable[[Row, int], object]]:
    """Show a progress bar for one epoch if ``verbose`` is True, or if it is None and stderr is a terminal.

    Yields a function to call with the measures so far and the number of new batches. If tqdm is not
    installed, the last measures are written as one line at the end.
    """
    if verbose is None:
        verbose = sys.stderr is not None and sys.stderr.isatty()
    if not verbose:
        yield lambda measures, new: None
        return
    try:
        tqdm: Any = import_module("tqdm").tqdm
    except ImportError:
        latest: deque[Row] = deque([{}], maxlen=1)
        yield lambda measures, new: latest.append(measures)
        sys.stderr.write(f"{title}: {format_measures(latest[0])}\n")
        return
    with tqdm(total=batches, desc=title, unit="batch", file=sys.stderr) as bar:

        def advance(measures: Row, new: int) -> None:
            bar.set_postfix_str(format_measures(measures), refresh=not new)
            bar.update(new)

        yield advance


def format_measures(measures: Row) -> str:
    """Measures as one line of text."""
    return ", ".join(f"{name} {format_value(value)}" for name, value in measures.items())
