"""Graph: the nodes of a calculation that runs later, each with a unique name; and the default graph and
session of a thread."""

from __future__ import annotations

import itertools
import threading
from typing import Any

from ..engine import locking
from ..engine.contexts import Block, current

numbers = itertools.count(1)


class Graph(Block):
    """A set of nodes.

    Placeholders, variables and constants are made in the graph of the innermost ``with`` block. An operation
    belongs to the graph of its operands. Outside of all ``with`` blocks each thread has a default graph.

    Attributes
    ----------
    name
        What error messages call it.
    nodes
        The nodes by their names, in the order in which they were made.

    Example
    -------
    >>> from autodiff import static
    >>> with static.Graph("sums") as graph:
    ...     total = static.constant(1.0) + 2.0
    >>> total.graph is graph, list(graph.nodes)
    (True, ['constant', 'add'])
    >>> static.Session(graph).run(total)
    3.0
    """

    def __init__(self, name: str | None = None) -> None:
        self.name: str = name or f"graph {next(numbers)}"
        self.nodes: dict[str, Any] = {}
        self.last_run: Any = None  # what pictures take values from, see session.py
        self._counts: dict[str, int] = {}

    def add(self, node: Any, name: str) -> str:
        """Add a node, and return its name: the given name, with a number if it is taken (``add_1``)."""
        with locking.shared:
            unused = name
            while unused in self.nodes:
                self._counts[name] = self._counts.get(name, 0) + 1
                unused = f"{name}_{self._counts[name]}"
            self.nodes[unused] = node
            return unused

    def as_default(self) -> Graph:
        """The graph itself, for ``with graph.as_default():``, where it is the default graph."""
        return self

    def _changes(self) -> dict[str, Any]:
        return {"graph": self}

    def __enter__(self) -> Graph:
        super().__enter__()
        return self

    def __repr__(self) -> str:
        return f"<{self.name!r} with {len(self.nodes)} node{'s' * (len(self.nodes) != 1)}>"


class Defaults(threading.local):
    """The default graph of one thread outside of all blocks."""

    def __init__(self) -> None:
        self.graph = Graph("the default graph")


defaults = Defaults()


def get_default_graph() -> Graph:
    """The graph of the innermost ``with`` block; outside all blocks the thread's first graph.

    >>> from autodiff import static
    >>> with static.Graph() as graph:
    ...     static.get_default_graph() is graph
    True
    """
    return current().graph or defaults.graph


def get_default_session() -> Any:
    """The session of the innermost ``with`` block; None outside all blocks."""
    return current().session


def reset_default_graph() -> None:
    """Replace the thread's default graph by an empty one, for example when a notebook cell runs again.

    Raises RuntimeError inside a graph's ``with`` block.

    >>> from autodiff import static
    >>> static.reset_default_graph()
    >>> static.get_default_graph()
    <'the default graph' with 0 nodes>
    """
    if current().graph is not None:
        raise RuntimeError(
            f"reset_default_graph was called inside the with block of {current().graph}; call it outside"
        )
    defaults.graph = Graph("the default graph")
