"""The walk back: from a result to everything it was computed from, with a gradient for each Tensor.

A rule (see ``operation.py``) is textbook mathematics. The walk does the rest, once for all rules: it finds
the order, applies each rule to the gradient that has arrived, and adds up the contributions of several paths.
``contributions.py`` gives each contribution the shape of the Tensor it is for, and so undoes broadcasting.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from . import edits, keeping, locking, recording, tracing
from .catalogue import Catalogue
from .contexts import switched
from .contributions import accumulated, added, after_hooks, as_tensor, fitted, initial_gradient, owned, zeros
from .node_parts import ABSENT, RELEASED
from .scopes import backward_scope
from .silence import silence
from .tensor import Tensor, check_not_released, describe, raw, wants_grad

try:
    from . import shortcuts
except ImportError:  # shortcuts.py serves speed alone and may be deleted
    shortcuts = None  # type: ignore[assignment]


def backward(end: Tensor, grad: Any = None, *, create_graph: bool = False, release: bool = False) -> None:
    """Walk back from ``end`` once, and add what arrives at each Tensor to its ``.grad``."""
    found = walk(end, grad, create_graph=create_graph, release=release)
    with locking.shared:  # another thread may walk back to the same leaves
        for node, arrived in found.items():
            node._grad = arrived if node._grad is None else accumulated(node._grad, arrived)
            if node._extras is not None:
                keeping.let_go(node)  # drop the array kept since zero_grad


Catalogue.walk_back = staticmethod(backward)  # a slot of the class, beside the operations


def gradients(
    end: Tensor,
    inputs: Sequence[Tensor],
    grad: Any = None,
    *,
    create_graph: bool = False,
    stop: AbstractSet[Tensor] = frozenset(),
    nodes: Sequence[Tensor] | None = None,
    within: AbstractSet[Tensor] | None = None,
) -> list[Tensor]:
    """The gradients of ``end`` with respect to ``inputs``, from one walk back; zeros for unused inputs.

    No ``.grad`` changes.

    Example
    -------
    >>> from autodiff import Tensor
    >>> from autodiff.engine.backward import gradients
    >>> x, y = Tensor(5), Tensor(7)
    >>> gradients(x * y, [x, y]), x.grad
    ([7, 5], None)
    """
    arrived = walk(end, grad, create_graph=create_graph, stop=stop, nodes=nodes, within=within)
    return [as_tensor(arrived[node] if node in arrived else zeros(node)) for node in inputs]


def walk(
    end: Tensor,
    grad: Any = None,
    *,
    create_graph: bool = False,
    release: bool = False,
    stop: AbstractSet[Tensor] = frozenset(),
    nodes: Sequence[Tensor] | None = None,
    within: AbstractSet[Tensor] | None = None,
) -> dict[Tensor, Any]:
    """Walk back from ``end``, and return the gradient that has arrived at each Tensor on the way. The walk
    ends at leaves, and at the Tensors in ``stop``. ``nodes``, which it visits from the last to the first, may
    be given; with ``within``, no contributions are computed for Tensors outside of this set.

    The dict tells Tensors apart by identity, since a Tensor's hash is its identity.
    """
    arrived = {end: initial_gradient(end, grad, create_graph)}
    nodes = order(end, stop) if nodes is None else list(nodes)
    if release:  # check everything before anything is dropped
        for node in nodes:
            check_unchanged(node)
    with backward_scope(recording=True) if create_graph else switched(recording=False), silence():
        visit(nodes, arrived, stop, create_graph, release, within)
    if recording.traces:
        tracing.name_gradients(end, arrived)
    return arrived


def visit(
    nodes: list[Tensor],
    arrived: dict[Tensor, Any],
    stop: AbstractSet[Tensor],
    create_graph: bool,
    release: bool,
    within: AbstractSet[Tensor] | None,
) -> None:
    """Visit the nodes from the last to the first. A node is visited after everything that uses it, so its
    gradient is complete by then."""
    group = recording.current().group
    watch = None if group is None else group.watch  # detect_anomaly looks at each contribution
    is_plain = shortcuts and not (watch or stop or within is not None)
    while nodes:
        if is_plain:  # visits nodes as long as they are of the most frequent kind
            shortcuts.visit(nodes, arrived, create_graph, receive, forget if release else None)
            if not nodes:
                break
        node = nodes.pop()
        if node in arrived:  # nothing arrives at a node if no rule leads to it
            arrived[node] = after_hooks(node, arrived[node], create_graph)
            if node.creation_op is not None and node not in stop:
                check_unchanged(node)
                hand_on(node, arrived, create_graph, watch, within)
        if release:
            forget(node, arrived)


def hand_on(
    node: Tensor,
    arrived: dict[Tensor, Any],
    create_graph: bool,
    watch: Any,
    within: AbstractSet[Tensor] | None,
) -> None:
    """One step of the walk: apply the rules of a node's operation to its gradient, and give each creator its
    contribution. The rules compute on Tensors if the walk is recorded, and on plain data otherwise."""
    operation, creators, grad = node.creation_op, node.creators or (), arrived[node]
    z, values = (node, creators) if create_graph else (node._value, [*map(raw, creators)])
    wanted = operation.wanted(creators)
    if within is not None:
        wanted = [want and creator in within for want, creator in zip(wanted, creators)]
    contributions = operation.contributions(grad, z, values, wanted, node.options)
    in_use = [grad, z, *values]
    for creator, is_wanted, contribution in zip(creators, wanted, contributions, strict=True):
        if not is_wanted or (contribution is None and operation.joint):  # a joint rule may return None
            continue
        if watch is not None:
            watch.passed(contribution, creator, node)
        receive(creator, contribution, node, in_use, arrived)
        in_use.append(contribution)


def receive(
    creator: Tensor, contribution: Any, node: Tensor, in_use: Sequence[Any], arrived: dict[Tensor, Any]
) -> None:
    """Add a contribution from ``node`` to what has arrived at a creator. The arrays ``in_use`` belong to
    other Tensors, so a leaf's gradient must not share their memory."""
    contribution = fitted(contribution, creator, node)
    if creator in arrived:
        arrived[creator] = added(arrived[creator], contribution)
    else:
        arrived[creator] = contribution if creator.creation_op else owned(contribution, in_use)


def order(end: Tensor, stop: AbstractSet[Tensor] = frozenset()) -> list[Tensor]:
    """Every Tensor behind ``end`` that requires a gradient, creators before what they make. What lies behind
    the Tensors in ``stop`` is left out.

    A stack takes the place of recursion, which Python stops at a depth of a thousand calls.

    Example
    -------
    >>> from autodiff import Tensor
    >>> from autodiff.engine.backward import order
    >>> h = Tensor(3)
    >>> order(h + h * h)
    [3, 9, 12]
    """
    if shortcuts:
        return shortcuts.order(end, stop)
    nodes: list[Tensor] = []
    seen: set[Tensor] = set()
    stack: list[Any] = [end]
    while stack:
        node = stack.pop()
        if node is None:  # all creators of the node below this mark are listed by now
            nodes.append(stack.pop())
        elif node not in seen:
            seen.add(node)
            stack += [node, None]
            if node not in stop:
                check_not_released(node)
                stack += filter(wants_grad, reversed(node.creators or ()))
    return nodes


def forget(node: Tensor, arrived: dict[Tensor, Any]) -> None:
    """Drop the gradient and the operands of a recorded node, so that the graph behind it can be freed."""
    if node.creation_op is None:
        return
    arrived.pop(node, None)
    node._grad = None
    node._x, node._y = RELEASED, ABSENT
    if node._extras is not None:
        node._extras.rest, node._extras.options = (), {}


def check_unchanged(node: Tensor) -> None:
    """Raise RuntimeError if a creator's data is no longer what ``node`` was computed from."""
    if node._edit == edits.latest:  # nothing has changed since
        return
    for creator in node.creators or ():
        if isinstance(creator, Tensor) and creator._edit > node._edit:
            raise RuntimeError(
                f"{describe(creator, changed=True)} was changed after {describe(node)} had been computed "
                "from it, so the gradient would be wrong. Walk back before changing it, or compute again "
                "afterwards"
            )
