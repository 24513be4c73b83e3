"""What a run computes: a plan for some fetches and feeds, and the function that carries it out.

``execute`` is pure: it takes the fed values and the values of the variables, and returns the fetched values
and the new values of the variables. It does not branch on values, so it can be traced.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ..engine.recording import enable_grad
from ..engine.tensor import raw
from .differentiating import Walk, as_leaf
from .leaves import Placeholder
from .node import Node, Result
from .variables import Assign, Variable


class RunPlan:
    """The nodes that a run computes, for some fetches and some fed nodes.

    Attributes
    ----------
    fetches, fed
        The nodes whose values are returned, and those whose values are given.
    order
        Every node that is needed, each once, inputs before what is computed from them.
    variables, placeholders
        The variables and placeholders that are needed and not fed.
    assigns
        The nodes that change variables.
    targets
        The nodes with respect to which a gradient is taken.
    recorded
        The nodes through which a gradient is taken; their operations are recorded.
    has_operations
        Whether the run applies operations, beyond reading and setting variables.

    Raises
    ------
    ValueError
        If two nodes assign to one variable.
    """

    def __init__(self, fetches: Sequence[Node], fed: Collection[Node]) -> None:
        self.fetches, self.fed = tuple(fetches), tuple(fed)
        self.order = order(fetches, frozenset(fed))
        needed = [node for node in self.order if node not in frozenset(fed)]
        self.variables = [node for node in needed if isinstance(node, Variable)]
        self.placeholders = [node for node in needed if isinstance(node, Placeholder)]
        self.assigns = [node for node in needed if isinstance(node, Assign)]
        walks = [node for node in needed if isinstance(node, Walk)]
        self.targets = {x for walk in walks for x in walk.xs}
        self.recorded = recorded(needed)
        self.has_operations = any(isinstance(node, Result) for node in needed)
        self._check_assigns()

    def _check_assigns(self) -> None:
        first: dict[Variable, Assign] = {}
        for node in self.assigns:
            other = first.setdefault(node.variable, node)
            if other is not node:
                raise ValueError(
                    f"one run cannot assign to the variable {node.variable.name!r} twice, by {other} and by "
                    f"{node}; run them one after the other"
                )


def order(ends: Iterable[Node], fed: Collection[Node] = frozenset()) -> list[Node]:
    """Every node that is needed to compute ``ends``, each once, inputs before the nodes computed from them.
    The inputs of a fed node are not needed.

    The walk uses a stack, since Python limits recursion to a depth of a thousand calls.
    """
    nodes: list[Node] = []
    seen: set[Node] = set()
    stack: list[Any] = list(ends)[::-1]
    while stack:
        node = stack.pop()
        if node is None:  # a mark: all inputs of the node below it are listed
            nodes.append(stack.pop())
        elif isinstance(node, Node) and node not in seen:
            seen.add(node)
            stack += [node, None]
            if node not in fed:
                stack += node.inputs[::-1]
    return nodes


def recorded(needed: Sequence[Node]) -> set[Node]:
    """The nodes that the starts of the walks back depend on, and these starts."""
    found: set[Node] = set()
    for node in reversed(needed):
        if isinstance(node, Walk):
            found.add(node.y)
        if node in found:
            found.update(x for x in node.inputs if isinstance(x, Node))
    return found


def evaluate(plan: RunPlan, fed: Sequence[Any], held: Sequence[Any]) -> dict[Node, Any]:
    """The value of each node of the plan, computed once, in order. It is a Tensor if a gradient is taken
    through the node, otherwise plain data."""
    values: dict[Node, Any] = {}
    given = dict(zip((*plan.fed, *plan.variables), (*fed, *held)))
    with enable_grad():
        for node in plan.order:
            value = given[node] if node in given else computed(node, values, node in plan.recorded)
            values[node] = as_leaf(value, node) if node in plan.targets else value
    return values


def computed(node: Node, values: dict[Node, Any], is_recorded: bool) -> Any:
    """The value of one node. An error gets a note that names the node."""
    try:
        return node.compute(values, is_recorded)
    except Exception as error:
        error.add_note(f"(while the node {node} was computed)")
        raise


def execute(plan: RunPlan, fed: Sequence[Any], held: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Run a plan on the fed values and the values of its variables. Returns the fetched values, and the new
    values of the variables that are assigned to, as plain data."""
    values = evaluate(plan, fed, held)
    return [raw(values[node]) for node in plan.fetches], [raw(values[node]) for node in plan.assigns]
