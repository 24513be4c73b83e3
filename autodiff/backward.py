"""The walk back: the order of the graph, and how gradients arrive, add up and get their shape.

A rule (see ``operation.py``) is textbook mathematics. What it must not care about is done here, once: which
creators want a gradient, broadcasting, dtypes, accumulation, and data that was changed too late.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from copy import copy
from typing import Any

import numpy as np

from . import state
from .catalogue import catalogue
from .keeping import let_go
from .node import ABSENT, RELEASED
from .operation import REFUSALS, as_numpy
from .tensor import Tensor, constant_tensor, describe, raw
from .values import as_data, is_foreign

NONE: dict[str, Any] = {}  # the options of a node without extras


def order(end: Tensor) -> list[Tensor]:
    """Every Tensor behind ``end`` that wants a gradient, creators before what they make.

    Iterative, since a recursion dies on a chain of a few thousand. The set tells Tensors apart by identity:
    their hash is their identity, so two of them never reach ``==``.

    Example
    -------
    >>> from autodiff import Tensor
    >>> from autodiff.backward import order
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
            if node.creation_op is None:
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


def backward(end: Tensor, grad: Any = None, *, create_graph: bool = False, release: bool = False) -> None:
    """Add to the ``.grad`` of every Tensor behind ``end`` what arrives there in one walk back."""
    with arrivals(end, grad, create_graph, release) as (_, earlier):
        for node, before in earlier:
            if not (release and node.creation_op):
                node._grad = before if node._grad is None else total(before, node._grad)


catalogue.walk_back = backward


def gradients(
    end: Tensor, inputs: list[Tensor], grad: Any = None, *, create_graph: bool = False
) -> list[Tensor]:
    """What arrives at each of ``inputs`` in one walk back from ``end``. No ``.grad`` is touched.

    An input that ``end`` does not depend on gets zeros.

    Example
    -------
    >>> from autodiff import Tensor
    >>> from autodiff.backward import gradients
    >>> x, y = Tensor(5), Tensor(7)
    >>> gradients(x * y, [x, y]), x.grad
    ([7, 5], None)
    """
    with arrivals(end, grad, create_graph, release=False) as (nodes, earlier):
        walked = set(nodes)
        found = [node._grad if node in walked else None for node in inputs]
        for node in nodes:
            node._grad = None
        for node, before in earlier:
            node._grad = before
    return [
        share if isinstance(share, Tensor) else constant_tensor(zeros(node) if share is None else share)
        for node, share in zip(inputs, found, strict=True)
    ]


@contextmanager
def cut(nodes: Iterable[Any]) -> Iterator[None]:
    """In the block these Tensors are leaves, where a walk back ends; afterwards they are whole again."""
    made = [(node, node.creation_op) for node in nodes if isinstance(node, Tensor)]
    for node, _ in made:
        node.creation_op = None
    try:
        yield
    finally:
        for node, operation in reversed(made):  # one that is listed twice was whole the first time
            node.creation_op = operation


@contextmanager
def arrivals(
    end: Tensor, grad: Any, create_graph: bool, release: bool
) -> Iterator[tuple[list[Tensor], list[tuple[Tensor, Any]]]]:
    """Walk back from ``end``. Inside the block each node's ``_grad`` is what arrived in this walk alone;
    handed over are the nodes and the gradients of before, which after an error stand as they were."""
    seed = start(end, grad, create_graph)
    nodes = order(end)
    leaves: list[Tensor] = []
    if release:  # what can be refused is refused while the graph is whole
        for node in nodes:
            if node._edit != state.edits:
                unchanged(node)
    earlier = [(node, node._grad) for node in nodes if node._grad is not None]
    for node, _ in earlier:
        node._grad = None
    end._grad = seed
    try:
        scope = state.scope("", is_backward=True) if create_graph else nullcontext()
        with state.grad_mode(create_graph), scope:
            visits = drain(nodes) if release else reversed(nodes)
            state.silently(walk, visits, leaves, create_graph, release)
            yield nodes, earlier
    except BaseException:
        for node in nodes + leaves:
            node._grad = None
        for node, before in earlier:
            node._grad = before
        raise


def start(end: Tensor, grad: Any, create_graph: bool) -> Any:
    """The gradient that a walk from ``end`` begins with, in the shape and dtype of ``end``."""
    if not end._requires_grad:
        raise RuntimeError(
            f"nothing to walk back from {describe(end)}: it was computed from constants, under no_grad or by "
            "detach, so nothing was recorded"
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
        with state.grad_mode(create_graph):
            seed = catalogue.broadcast_to(seed, shape=end.shape) if seed.shape != end.shape else seed
    except ValueError:
        raise ValueError(f"a gradient of shape {seed.shape} does not broadcast to {describe(end)}") from None
    seed = fitted(seed if create_graph else seed._value, end, end)
    is_fresh = not isinstance(grad, Tensor) and getattr(seed, "base", None) is None  # as_data has copied it
    return seed.copy() if isinstance(seed, np.ndarray) and not is_fresh else seed


def drain(nodes: list[Tensor]) -> Iterator[Tensor]:
    """The nodes from last to first, each let go when the next is asked for."""
    while nodes:
        yield nodes[-1]
        nodes.pop()


def walk(nodes: Iterable[Tensor], leaves: list[Tensor], create_graph: bool, release: bool) -> None:
    """Visit the nodes, users before what they use, and pass the gradient of each on to its creators."""
    owned: set[Tensor] = set()
    edits = state.edits
    group = state.here().group
    watch = None if group is None else group.watch
    for node in nodes:
        if node.creation_op is None:
            leaves.append(node)
            let_go(node)  # of the gradient before: this one is complete
            continue
        if node._grad is not None:  # else no path with a rule leads here
            if node._edit != edits:  # something was changed since it was recorded: one of its creators?
                unchanged(node)
            if watch is not None or (node._extras is not None and is_long(node)):
                pass_on(node, owned, create_graph, watch)
            else:
                pass_on_short(node, owned, create_graph)
        if release:
            node._grad = None
            node._x, node._y = RELEASED, ABSENT
            if node._extras is not None:
                node._extras.rest, node._extras.options = (), {}


def is_long(node: Tensor) -> bool:
    """Whether a node with extras needs the general step: for a joint rule (whose nodes always have extras),
    for operands beyond two, or for options beside two operands."""
    extras: Any = node._extras
    return bool(node.creation_op.joint or extras.rest or (extras.options and node._y is not ABSENT))


def pass_on(node: Tensor, owned: set[Tensor], create_graph: bool, watch: Any) -> None:
    """One step of the walk: each creator receives what its rule makes of the node's gradient."""
    creators: Any = node.creators
    if create_graph:
        z, values = node, creators
    else:
        z, values = node._value, [c._value if isinstance(c, Tensor) else c for c in creators]
    operation = node.creation_op
    wanted = [isinstance(c, Tensor) and c._requires_grad for c in creators]
    if not operation.joint:
        wanted = [want and rule is not None for want, rule in zip(wanted, operation.rules, strict=True)]
    shares = operation.shares(node._grad, z, values, wanted, node.options)
    for creator, want, share in zip(creators, wanted, shares, strict=True):
        if want and not (share is None and operation.joint):  # which may have nothing to pass on
            if watch is not None:
                watch.passed(share, creator, node)
            receive(creator, fitted(share, creator, node), node, owned)


def pass_on_short(node: Tensor, owned: set[Tensor], create_graph: bool) -> None:
    """The same for two operands, or for one and options, written out: a third of a scalar network's time is
    spent here, and the general way takes twice that."""
    x, y = node._x, node._y
    grad = node._grad
    z = node if create_graph else node._value
    into_x = into_y = False
    if isinstance(x, Tensor):
        a, into_x = x if create_graph else x._value, x._requires_grad
    else:
        a = x
    if y is ABSENT:
        if not into_x:
            return
        (by_x,) = node.creation_op.rules
        if by_x is None:
            return
        options = NONE if node._extras is None else node._extras.options
        try:
            share = by_x(grad, z, a, **options)
        except REFUSALS:
            share = as_numpy(by_x, grad, z, a, **options)
        if type(share) is float is type(a):
            x._grad = share if x._grad is None else x._grad + share
        else:
            receive(x, fitted(share, x, node), node, owned)
        return
    if isinstance(y, Tensor):
        b, into_y = y if create_graph else y._value, y._requires_grad
    else:
        b = y
    by_x, by_y = node.creation_op.rules
    if into_x and by_x is not None:
        try:
            share = by_x(grad, z, a, b)
        except REFUSALS:
            share = as_numpy(by_x, grad, z, a, b)
        if type(share) is float is type(a):
            x._grad = share if x._grad is None else x._grad + share
        else:
            receive(x, fitted(share, x, node), node, owned)
    if into_y and by_y is not None:
        try:
            share = by_y(grad, z, a, b)
        except REFUSALS:
            share = as_numpy(by_y, grad, z, a, b)
        if type(share) is float is type(b):
            y._grad = share if y._grad is None else y._grad + share
        else:
            receive(y, fitted(share, y, node), node, owned)


def receive(creator: Tensor, share: Any, node: Tensor, owned: set[Tensor]) -> None:
    """Add a contribution. The first is kept as it came, the second makes a new array, later ones add into
    that.

    A leaf's gradient is its owner's to write into, so what may be shared with another array is copied for
    it."""
    held = creator._grad
    if held is None:
        creator._grad = own(share, node) if creator.creation_op is None else share
    elif creator in owned:
        held += share
    else:
        creator._grad = held + share
        if isinstance(share, np.ndarray):
            creator._grad = np.asarray(creator._grad)  # NumPy makes a scalar of two arrays without axes
            owned.add(creator)


def own(share: Any, node: Tensor) -> Any:
    """A contribution in memory of its own: a copy if it is a view, or what the rule was given, handed on."""
    data = raw(share)
    if is_foreign(data):
        return share if isinstance(share, Tensor) else np.copy(share)
    if not isinstance(data, np.ndarray) or (data.base is None and not is_given(share, node)):
        return share
    if not isinstance(share, Tensor):
        return data.copy()
    if share._requires_grad and share.creation_op is None:  # a gradient given to be differentiated by
        return share
    twin = copy(share)  # recorded alike, from the same creators
    twin._value = data.copy()
    return twin


def is_given(share: Any, node: Tensor) -> bool:
    """Whether a contribution is the very array, or Tensor, that a rule of ``node`` was given."""
    if share is node._grad or share is node._value or share is node:
        return True
    for creator in node.creators or ():
        if share is creator or (isinstance(creator, Tensor) and share is creator._value):
            return True
    return False


def fitted(share: Any, creator: Tensor, node: Tensor) -> Any:
    """A rule's result in the shape and dtype of the creator it is for: here broadcasting is undone."""
    target = creator._value
    if type(share) is float is type(target):
        return share
    is_array = type(share) is np.ndarray is type(target)
    if is_array and share.shape == target.shape and share.dtype == target.dtype:
        return share
    if share is None:
        raise TypeError(f"a rule of {node.creation_op} gave None for {describe(creator)}: it has no return")
    if not hasattr(share, "__array_function__"):  # a number, of Python's or NumPy's
        share = np.asarray(share)
    if share.shape != creator.shape:
        share = unbroadcast(share, creator, node)
    if share.dtype != creator.dtype:
        share = catalogue.cast(share, dtype=creator.dtype)
    if isinstance(share, Tensor):
        return share
    return float(share) if type(target) is float else share if is_foreign(share) else np.asarray(share)


def unbroadcast(share: Any, creator: Tensor, node: Tensor) -> Any:
    """Sum a gradient over the axes along which NumPy stretched the creator."""
    if type(share) is np.ndarray and share.ndim == 2 and share.shape[1:] == creator.shape:
        return np.ones(len(share), share.dtype) @ share  # twice as fast as a sum along the first axis
    extra = share.ndim - creator.ndim
    sizes = share.shape[max(extra, 0) :]
    if extra < 0 or any(small not in (1, size) for small, size in zip(creator.shape, sizes, strict=True)):
        raise ValueError(
            f"a rule of {node.creation_op} gave {describe(creator)} a gradient of shape {share.shape}"
        )
    stretched = (extra + axis for axis, size in enumerate(creator.shape) if size == 1 != sizes[axis])
    return share.sum(axis=(*range(extra), *stretched), keepdims=True).reshape(creator.shape)


def total(before: Any, arrived: Any) -> Any:
    """An earlier gradient and a new one; recorded only if the new one is."""
    if isinstance(arrived, Tensor):
        return before + arrived
    both = raw(before) + arrived
    return np.asarray(both) if isinstance(arrived, np.ndarray) else both


def zeros(node: Tensor) -> Any:
    """The gradient of a Tensor that plays no part."""
    return 0.0 if type(node._value) is float else np.zeros_like(node._value)


def unchanged(node: Tensor) -> None:
    """Raise RuntimeError if a creator's data is no longer what ``node`` was computed from."""
    for creator in node.creators or ():
        if isinstance(creator, Tensor) and creator._edit > node._edit:
            raise RuntimeError(
                f"{describe(creator)} was changed after {describe(node)} was computed from it, so the "
                "gradient would be wrong. Walk back before changing it, or compute again afterwards"
            )
