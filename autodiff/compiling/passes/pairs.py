"""Pairs: the two gradients of a convolution, with respect to its pictures and its kernel, as one call. With
Winograd's algorithm they share the transform of the gradient that arrives.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...ops import convolution
from ...ops.windows import Windows
from ..graph import Graph
from ..known_results import windows
from ..memory_order import stand_in
from ..nodes import Node, reachable
from ..opaque import ArgumentPlace, call_with

OF_PICTURES, OF_KERNEL = convolution.transposed_convolution.forward, convolution.kernel_gradient.forward


class Gradient(NamedTuple):
    """A call that computes one of the gradients."""

    node: Node
    is_of_kernel: bool
    grad: Node  # the gradient that arrives
    other: Node  # the kernel, or the pictures
    size: tuple[int, ...]
    options: dict[str, Any]


def pairs(graph: Graph, inputs: Sequence[Node], results: Sequence[Node]) -> list[Node]:
    """Compute both gradients of each convolution in one call where that is faster."""
    waiting: dict[Node, list[Gradient]] = {}
    replace: dict[Node, Callable[[dict[Node, Node]], Node]] = {}
    for node in reachable(results):
        found = gradient(node)
        if found is None:
            continue
        others = waiting.setdefault(found.grad, [])
        for other in [other for other in others if other.is_of_kernel != found.is_of_kernel]:
            of_pictures, of_kernel = (other, found) if found.is_of_kernel else (found, other)
            where = shared(of_pictures, of_kernel)
            if where is not None:
                replace |= together(graph, where, of_pictures, of_kernel)
                others.remove(other)
                break
        else:
            others.append(found)
    return graph.rewrite(results, replace) if replace else list(results)


def gradient(node: Node) -> Gradient | None:
    """What a call of one of the two operations computes; None for any other node."""
    run = node.value
    if node.op != "call" or not isinstance(run, functools.partial) or run.func is not call_with:
        return None
    function, (args, options) = run.args
    if function not in (OF_PICTURES, OF_KERNEL) or args[2:] not in ((), (0,)):
        return None
    if not all(isinstance(arg, ArgumentPlace) for arg in args[:2]):
        return None
    x, y = (node.args[arg.number] for arg in args[:2])
    grad, other = (x, y) if function is OF_PICTURES else (y, x)
    options = dict(options)
    return Gradient(node, function is OF_KERNEL, grad, other, tuple(options.pop("size")), options)


def shared(of_pictures: Gradient, of_kernel: Gradient) -> Windows | None:
    """The windows of the convolution of which two calls compute the gradients; None if they belong to two
    convolutions, or are not faster as one."""
    weight, x, grad = of_pictures.other, of_kernel.other, of_pictures.grad
    fits = weight.shape[2:] == of_kernel.size and x.shape[2:] == of_pictures.size
    begins = min(of_pictures.node.index, of_kernel.node.index)
    if not fits or of_pictures.options != of_kernel.options or max(weight.index, x.index) > begins:
        return None
    options = dict(of_pictures.options)
    groups, exact = options.pop("groups", 1), options.pop("exact", False)
    found = windows(of_kernel.size, of_pictures.size, **options)
    like = [stand_in(node.shape, node.dtype) for node in (x, weight, grad)]
    kernels, channels = weight.shape[:2]
    uses = convolution.uses_winograd(found, x.shape[0], channels, kernels, groups, exact, *like)
    return found if uses else None


def together(
    graph: Graph, found: Windows, of_pictures: Gradient, of_kernel: Gradient
) -> dict[Node, Callable[[dict[Node, Node]], Node]]:
    """What replaces the two calls: the parts of one."""
    function = convolution.winograd_gradients
    run = functools.partial(call_with, function, ((found, *map(ArgumentPlace, range(3))), {}))
    functools.update_wrapper(run, function, assigned=("__name__",), updated=())
    old = of_kernel.other, of_pictures.other, of_pictures.grad
    likes = [stand_in(each.node.shape, each.node.dtype) for each in (of_pictures, of_kernel)]

    def part(place: int, node: Node) -> Callable[[dict[Node, Node]], Node]:
        def made(new: dict[Node, Node]) -> Node:
            whole = graph.call(run, [new[arg] for arg in old], id(run), likes)
            return graph.part(whole, place, likes[place], *node.options)

        return made

    return {each.node: part(place, each.node) for place, each in enumerate((of_pictures, of_kernel))}
