"""Gradients as nodes of the graph. When they run, the engine walks back over the Tensors of that run with the
rules of the operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..calculus import derivatives
from ..engine.contributions import zeros
from ..engine.tensor import constant_tensor, raw, wants_grad
from ..ops import catalogue
from .node import Node, Values, checked_operand, common_graph, filled
from .shapes import shape_text


class Walk(Node):
    """One walk back from ``y``: its value is the list of the gradients with respect to ``xs``."""

    __slots__ = ("start", "xs", "y")

    kind = "walk_back"

    def __init__(self, y: Node, xs: Sequence[Node], start: Any) -> None:
        self.y, self.xs, self.start = y, tuple(xs), start
        super().__init__(y.graph, (y, *xs, *([start] if isinstance(start, Node) else [])))

    def compute(self, values: Values, is_recorded: bool) -> list[Any]:
        """The gradients, by ``ad.gradients``."""
        y, xs = values[self.y], [values[x] for x in self.xs]
        if not wants_grad(y):  # fed, or independent of the nodes with respect to which a gradient is taken
            return [constant_tensor(zeros(x)) for x in xs]
        start = filled(self.start, values, is_recorded)
        found = derivatives.gradients(y, xs, start, create_graph=is_recorded, allow_unused=True)
        return [constant_tensor(zeros(x)) if slope is None else slope for x, slope in zip(xs, found)]


class Gradient(Node):
    """The gradient of one node with respect to another; made by :func:`gradients`."""

    __slots__ = ("place", "walk")

    kind = "gradient"

    def __init__(self, walk: Walk, place: int, name: str | None) -> None:
        self.walk, self.place = walk, place
        x = walk.xs[place]
        super().__init__(walk.graph, (walk,), name, x.shape, x.dtype)

    def compute(self, values: Values, is_recorded: bool) -> Any:
        """The gradient with respect to one node, from the list of the walk."""
        return values[self.walk][self.place]

    @property
    def creators(self) -> tuple[Any, ...]:
        """What pictures show as its operands: the node that is differentiated, and the node with respect to
        which."""
        return self.walk.y, self.walk.xs[self.place]


def gradients(y: Node, xs: Any, grad: Any = None, name: str | None = None) -> list[Gradient]:
    """The gradients of ``y`` with respect to nodes that it is computed from, as nodes.

    Nothing is computed before they run. They can be differentiated again.

    Parameters
    ----------
    y
        The node to differentiate. Its value is one number, unless ``grad`` is given.
    xs
        A node, or a list or tuple of nodes: variables, placeholders, constants or results.
    grad
        The gradient of ``y`` to start from, a node, an array or a number; it broadcasts to the shape of
        ``y``. By default 1.
    name
        What pictures and error messages call the gradients.

    Returns
    -------
    list
        One node for each of ``xs``, as in TensorFlow 1.

    Raises
    ------
    TypeError
        If ``y`` or one of ``xs`` is not a node, or if one of ``xs`` holds integers.
    ValueError
        If ``y`` is not one number and ``grad`` is missing, or if ``y`` does not depend smoothly on one of
        ``xs``.

    Example
    -------
    >>> from autodiff import static
    >>> x = static.placeholder(shape=(), name="x")
    >>> h = x * x
    >>> slope = static.gradients(h + h * h, x)[0]
    >>> curvature = static.gradients(slope, x)[0]
    >>> static.Session().run([slope, curvature], {x: 2.0})
    [36.0, 50.0]
    """
    nodes = [xs] if isinstance(xs, Node) else list(xs)
    for node in (y, *nodes):
        if not isinstance(node, Node):
            raise TypeError(f"static.gradients takes nodes of a static graph, not {node!r:.60}")
    start = None if grad is None else checked_operand(grad)
    common_graph("gradients", [y, *nodes, *([start] if isinstance(start, Node) else [])])
    check_one_number(y, start)
    behind = smoothly_behind(y)
    for node in nodes:
        check_differentiable(y, node, behind)
    walk = Walk(y, nodes, start)
    return [Gradient(walk, place, name) for place in range(len(nodes))]


def smoothly_behind(y: Node) -> set[Node]:
    """The node, and all nodes to which a gradient flows back from it."""
    found: set[Node] = {y}
    stack = [y]
    while stack:
        for node in stack.pop().smooth_inputs():
            if node not in found:
                found.add(node)
                stack.append(node)
    return found


def check_one_number(y: Node, start: Any) -> None:
    """Raise ValueError if ``y`` is known not to be one number, and no gradient to start from is given."""
    sizes = y.shape or ()
    if start is None and any(size not in (1, None) for size in sizes):
        raise ValueError(
            f"gradients starts from a single number, and {y} has the shape {shape_text(y.shape)}. Reduce it "
            "first (reduce_sum or reduce_mean), or give grad="
        )


def check_differentiable(y: Node, x: Node, behind: set[Node]) -> None:
    """Raise ValueError if ``y`` does not depend smoothly on ``x``, TypeError if ``x`` holds integers."""
    if x not in behind:
        raise ValueError(f"{y} does not depend smoothly on {x}, so there is no gradient")
    if x.dtype is not None and x.dtype.kind != "f":
        raise TypeError(f"{x} holds {x.dtype}; a gradient needs floats")


def as_leaf(value: Any, node: Node) -> Any:
    """A value with respect to which a gradient is taken, as a Tensor that requires a gradient and that is the
    value of no other node in the run. Raises TypeError for integers."""
    if wants_grad(value):
        return catalogue.alias(value)
    data = raw(value)
    if getattr(data, "dtype", np.dtype(float)).kind != "f":
        raise TypeError(f"{node} holds {data.dtype}; a gradient needs floats")
    leaf = constant_tensor(data)
    leaf._requires_grad = True
    return leaf
