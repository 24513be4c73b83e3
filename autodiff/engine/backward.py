"""Gradients are computed here, by a walk over the graph from a result back to what it was computed from.

A rule (see ``operation.py``) is textbook mathematics. What a rule must not care about is done here, once:
which creators want a gradient, the order, sums over paths, broadcasting, dtypes, and data changed too late.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from copy import copy
from typing import Any

import numpy as np

from . import edits, keeping, recording
from .catalogue import catalogue
from .node import ABSENT, RELEASED, UPDATED
from .recording import grad_mode
from .scopes import scope
from .silence import silently
from .tensor import Tensor, constant_tensor, describe, raw
from .values import as_data, is_foreign

try:
    from . import shortcuts
except ImportError:  # that file stands there for speed alone
    shortcuts = None  # type: ignore[assignment]


def backward(end: Tensor, grad: Any = None, *, create_graph: bool = False, release: bool = False) -> None:
    """Walk back from ``end`` once, and add to each Tensor's ``.grad`` what has arrived there."""
    is_number = type(end._value) is float and not (create_graph or release or recording.current().group)
    if shortcuts and is_number and shortcuts.backward(end, start(end, grad, False), order(end), fitted):
        return
    for node, arrived in walk(end, grad, create_graph=create_graph, release=release).items():
        node._grad = arrived if node._grad is None else total(node._grad, arrived)
        keeping.let_go(node)


catalogue.walk_back = backward


def gradients(
    end: Tensor,
    inputs: Sequence[Tensor],
    grad: Any = None,
    *,
    create_graph: bool = False,
    stop: AbstractSet[Tensor] = frozenset(),
) -> list[Tensor]:
    """What arrives at each of ``inputs`` in one walk back from ``end``; zeros where nothing does.

    No ``.grad`` is touched.

    Example
    -------
    >>> from autodiff import Tensor
    >>> from autodiff.engine.backward import gradients
    >>> x, y = Tensor(5), Tensor(7)
    >>> gradients(x * y, [x, y]), x.grad
    ([7, 5], None)
    """
    arrived = walk(end, grad, create_graph=create_graph, stop=stop)
    return [as_tensor(arrived[node] if node in arrived else zeros(node)) for node in inputs]


def walk(
    end: Tensor,
    grad: Any = None,
    *,
    create_graph: bool = False,
    release: bool = False,
    stop: AbstractSet[Tensor] = frozenset(),
) -> dict[Tensor, Any]:
    """Walk back from ``end``: for each Tensor on the way, all that arrives there. The walk ends at leaves,
    and at the Tensors in ``stop``.

    Users come before what they use, so when a node hands its gradient on, all of it has arrived. A dict tells
    Tensors apart by identity: their hash is their identity, so two of them never reach ``==``.
    """
    arrived = {end: start(end, grad, create_graph)}
    nodes = order(end, stop)
    if release:  # all checks are made before anything is dropped
        for node in nodes:
            check_unchanged(node)
    box = scope("", is_backward=True) if create_graph else nullcontext()
    with grad_mode(create_graph), box:
        silently(visit, nodes, arrived, stop, create_graph, release)
    return arrived


def visit(
    nodes: list[Tensor],
    arrived: dict[Tensor, Any],
    stop: AbstractSet[Tensor],
    create_graph: bool,
    release: bool,
) -> None:
    """Visit the nodes from the last to the first, and let each hand on what has arrived there."""
    group = recording.current().group
    watch = None if group is None else group.watch
    while nodes:
        if shortcuts and not (watch or stop):
            shortcuts.visit(nodes, arrived, create_graph, receive, forget if release else None)
            if not nodes:
                break
        node = nodes.pop()
        if node in arrived:  # a node to which no path with a rule leads is skipped
            if node._extras is not None and node._extras.hooks:
                arrived[node] = past_hooks(node, arrived[node], create_graph)
            if node.creation_op is not None and node not in stop:
                if node._edit != edits.latest:  # something was changed since: one of its creators?
                    check_unchanged(node)
                hand_on(node, arrived, create_graph, watch)
        if release and node.creation_op is not None:
            forget(node, arrived)


def hand_on(node: Tensor, arrived: dict[Tensor, Any], create_graph: bool, watch: Any) -> None:
    """One step of the walk: each creator receives what its rule makes of the node's gradient. The rules are
    given Tensors if the walk is recorded, and plain data otherwise."""
    operation, creators, grad = node.creation_op, node.creators or (), arrived[node]
    z, *values = (node, *creators) if create_graph else map(raw, (node, *creators))
    wanted = operation.wanted(creators)
    contributions = operation.contributions(grad, z, values, wanted, node.options)
    known = [grad, z, *values]
    for creator, want, contribution in zip(creators, wanted, contributions, strict=True):
        if not want or (contribution is None and operation.joint):  # a joint rule may leave a None
            continue
        if watch is not None:
            watch.passed(contribution, creator, node)
        receive(creator, contribution, node, known, arrived)
        known.append(contribution)


def receive(
    creator: Tensor, contribution: Any, node: Tensor, known: Sequence[Any], arrived: dict[Tensor, Any]
) -> None:
    """Add a contribution from ``node`` to what has arrived at a creator. ``known`` is what its rules were
    given and have returned already."""
    contribution = fitted(contribution, creator, node)
    if creator in arrived:
        both = arrived[creator] + contribution
        arrived[creator] = np.asarray(both) if isinstance(both, np.generic) else both
    else:
        arrived[creator] = contribution if creator.creation_op else own(contribution, known)


def order(end: Tensor, stop: AbstractSet[Tensor] = frozenset()) -> list[Tensor]:
    """Every Tensor behind ``end`` that wants a gradient, creators before what they make. What lies behind the
    Tensors in ``stop`` is left out.

    Iterative, since a recursion dies on a chain of a few thousand.

    Example
    -------
    >>> from autodiff import Tensor
    >>> from autodiff.engine.backward import order
    >>> h = Tensor(3)
    >>> order(h + h * h)
    [3, 9, 12]
    """
    nodes: list[Tensor] = []
    seen: set[Tensor] = set()
    stack: list[Any] = [end]
    while stack:
        node = stack.pop()
        if node is None:  # the mark over a node that waited for its creators: they are all listed now
            nodes.append(stack.pop())
        elif node not in seen:
            seen.add(node)
            if node.creation_op is None or (stop and node in stop):
                nodes.append(node)
                continue
            stack.append(node)
            stack.append(None)
            x, y = node._x, node._y
            if node._extras is not None:
                rest = reversed(node._extras.rest)
                stack.extend(t for t in rest if isinstance(t, Tensor) and t._requires_grad)
            if isinstance(y, Tensor) and y._requires_grad and y not in seen:
                stack.append(y)
            if isinstance(x, Tensor) and x._requires_grad and x not in seen:  # pushed last, visited first
                stack.append(x)
            elif x is RELEASED:
                raise RuntimeError(
                    f"the graph behind {describe(node)} is gone: backward(release=True) dropped it. Compute "
                    "it again, or walk back without release=True"
                )
    return nodes


def start(end: Tensor, grad: Any, create_graph: bool) -> Any:
    """The gradient that a walk from ``end`` begins with, in the shape and dtype of ``end``."""
    if not end._requires_grad:
        raise RuntimeError(
            f"nothing to walk back from {describe(end)}: it was computed from constants, under no_grad or by "
            "detach, so nothing was recorded. A Tensor to differentiate by is made by ad.Tensor(...), by "
            "nn.Parameter(...) or with requires_grad=True"
        )
    if end.creation_op is None and end._x is UPDATED:
        raise RuntimeError(
            f"nothing to walk back from {describe(end)}: an in-place operator changed it, as y *= 2 does, "
            "and that is not recorded. Write y = x * 2 to compute a new Tensor"
        )
    if grad is None:
        if end.size != 1:
            raise RuntimeError(
                f"backward() starts from a single number, and this is {describe(end)}. Reduce it first "
                f"(.sum() or .mean()), or give a gradient that broadcasts to {end.shape}"
            )
        if not create_graph:
            return 1.0 if type(end._value) is float else np.ones_like(end._value)
        grad = 1.0
    seed = grad if isinstance(grad, Tensor) else constant_tensor(end._like(as_data(grad)))
    try:
        with grad_mode(create_graph):
            seed = catalogue.broadcast_to(seed, shape=end.shape) if seed.shape != end.shape else seed
    except ValueError:
        raise ValueError(f"a gradient of shape {seed.shape} does not broadcast to {describe(end)}") from None
    seed = fitted(seed if create_graph else seed._value, end, end)
    is_fresh = not isinstance(grad, Tensor) and getattr(seed, "base", None) is None  # as_data has copied it
    return seed.copy() if isinstance(seed, np.ndarray) and not is_fresh else seed


def past_hooks(node: Tensor, grad: Any, create_graph: bool) -> Any:
    """The gradient that has arrived at a node, after its hooks have seen it: what one returns takes its
    place."""
    extras: Any = node._extras
    for hook in extras.hooks:
        found = hook.function(as_tensor(grad))
        if found is not None:
            found = found if isinstance(found, Tensor) else constant_tensor(node._like(as_data(found)))
            if found.shape != node.shape:
                raise ValueError(
                    f"a hook gave {describe(node)} a gradient of shape {found.shape}; it must be {node.shape}"
                )
            grad = fitted(found if create_graph else np.copy(found._value), node, node)
    return grad


def forget(node: Tensor, arrived: dict[Tensor, Any]) -> None:
    """Drop a node's gradient and operands: the graph behind it is gone, unless somebody else holds it."""
    arrived.pop(node, None)
    node._grad = None
    node._x, node._y = RELEASED, ABSENT
    if node._extras is not None:
        node._extras.rest, node._extras.options = (), {}


def own(contribution: Any, known: Sequence[Any]) -> Any:
    """A contribution to a leaf, whose owner may write into it: copied, if it shares memory with anything."""
    data = raw(contribution)
    if is_foreign(data):
        return contribution if isinstance(contribution, Tensor) else np.copy(contribution)
    is_shared = isinstance(data, np.ndarray) and (data.base is not None or any(data is raw(x) for x in known))
    if not is_shared:
        return contribution
    if not isinstance(contribution, Tensor):
        return data.copy()
    if contribution._requires_grad and contribution.creation_op is None:  # given, to be differentiated by
        return contribution
    twin = copy(contribution)  # recorded alike, from the same creators
    twin._value = data.copy()
    return twin


def fitted(contribution: Any, creator: Tensor, node: Tensor) -> Any:
    """A rule's result in the shape and dtype of the creator it is for: here broadcasting is undone."""
    target = creator._value
    if type(contribution) is float is type(target):
        return contribution
    is_array = type(contribution) is np.ndarray is type(target)
    if is_array and contribution.shape == target.shape and contribution.dtype == target.dtype:
        return contribution
    if contribution is None:
        raise TypeError(f"a rule of {node.creation_op} gave None for {describe(creator)}: it has no return")
    if not hasattr(contribution, "__array_function__"):  # a number, of Python's or NumPy's
        contribution = np.asarray(contribution)
    if contribution.shape != creator.shape:
        contribution = unbroadcast(contribution, creator, node)
    if contribution.dtype != creator.dtype:
        contribution = catalogue.cast(contribution, dtype=creator.dtype)
    if isinstance(contribution, Tensor) or is_foreign(contribution):
        return contribution
    return float(contribution) if type(target) is float else np.asarray(contribution)


def unbroadcast(grad: Any, creator: Tensor, node: Tensor) -> Any:
    """Sum a gradient over the axes along which NumPy stretched the creator."""
    if type(grad) is np.ndarray and grad.ndim == 2 and grad.shape[1:] == creator.shape:
        return np.ones(len(grad), grad.dtype) @ grad  # twice as fast as a sum along the first axis
    extra = grad.ndim - creator.ndim
    sizes = grad.shape[max(extra, 0) :]
    if extra < 0 or any(small not in (1, size) for small, size in zip(creator.shape, sizes, strict=True)):
        raise ValueError(
            f"a rule of {node.creation_op} gave {describe(creator)} a gradient of shape {grad.shape}"
        )
    stretched = (extra + axis for axis, size in enumerate(creator.shape) if size == 1 != sizes[axis])
    return grad.sum(axis=(*range(extra), *stretched), keepdims=True).reshape(creator.shape)


def total(before: Any, arrived: Any) -> Any:
    """An earlier gradient and a new one; recorded only if the new one is."""
    if isinstance(arrived, Tensor):
        return before + arrived
    both = raw(before) + arrived
    return np.asarray(both) if isinstance(arrived, np.ndarray) else both


def zeros(node: Tensor) -> Any:
    """The gradient of a Tensor that the result does not depend on."""
    return 0.0 if type(node._value) is float else np.zeros_like(node._value)


def check_unchanged(node: Tensor) -> None:
    """Raise RuntimeError if a creator's data is no longer what ``node`` was computed from."""
    for creator in node.creators or ():
        if isinstance(creator, Tensor) and creator._edit > node._edit:
            raise RuntimeError(
                f"{describe(creator)} was changed after {describe(node)} was computed from it, so the "
                "gradient would be wrong. Walk back before changing it, or compute again afterwards"
            )


def as_tensor(grad: Any) -> Tensor:
    """A gradient, or other plain data, as a constant; a Tensor as it is."""
    return grad if isinstance(grad, Tensor) else constant_tensor(grad)
