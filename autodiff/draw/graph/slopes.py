"""What one operation passes back to each of its operands, and a whole walk back made of such steps.

The engine's own rules compute this on copies of the operands, so a picture always agrees with `backward`,
and no `.grad` is read or changed. It works on the package's Tensors, and on a reader's own class if the
operations have names in the catalogue.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine.backward import check_unchanged, gradients
from ...engine.catalogue import catalogue
from ...engine.recording import enable_grad
from ...engine.tensor import Tensor
from .as_text import attribute, number, word
from .signs import known
from .walk import Walk, creators_of, is_node, plain


@dataclass(frozen=True, slots=True)
class Contribution:
    """What the operand at one place of an operation receives, and its gradient `before` and `after` that."""

    place: int
    operand: int
    value: Any
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Visit:
    """A node in a walk back: its complete gradient, and what it passes on."""

    node: int
    grad: Any
    contributions: tuple[Contribution, ...]


def walk_back(
    walk: Walk, seed: Any = 1.0, *, until: int = 0, within: Container[int] | None = None, own: bool = True
) -> Iterator[Visit]:
    """Walk back from the end of a graph, with `seed` as its gradient, and visit each node that it reaches.

    The walk ends at the node with the index `until`. If `within` is given, only these nodes receive
    contributions. `own` is that of `contributions`. Raises ValueError at a node whose operation is not in the
    catalogue.

    >>> import autodiff as ad
    >>> from autodiff.draw.graph.walk import walk
    >>> x = ad.Tensor(3)
    >>> for visit in walk_back(walk(x * x)):
    ...     print(visit.node, visit.grad, [c.after for c in visit.contributions])
    1 1.0 [3.0, 6.0]
    0 6.0 []
    """
    arrived: dict[int, Any] = {walk.end: seed}
    for i in range(walk.end, until - 1, -1):
        if i not in arrived or walk.is_constant(i):
            continue
        grad = arrived.pop(i)
        shares = contributions(walk.order[i], grad, own=own) if walk.creators[i] else []
        received = []
        for place, j in walk.places(i):
            if shares[place] is None or walk.is_constant(j) or (within is not None and j not in within):
                continue
            before = arrived.get(j)
            with np.errstate(all="ignore"):
                arrived[j] = shares[place] if before is None else before + shares[place]
            received.append(Contribution(place, j, shares[place], before, arrived[j]))
        yield Visit(i, grad, tuple(received))


def contributions(node: Any, grad: Any = 1.0, *, own: bool = True) -> list[Any]:
    """What each operand of ``node`` receives when the gradient ``grad`` arrives at it; None for a constant.

    An operand used twice has two entries. With ``grad`` 1 at a number these are the local slopes. For nodes
    of another machine that has the functions `apply` and `gradients`, its own rules are used, and the
    package's if ``own`` is False.

    Raises ValueError if the operation is not in the catalogue, and RuntimeError if an operand was changed
    after the node had been computed from it.

    Examples
    --------
    >>> import autodiff as ad
    >>> from autodiff.draw.graph.slopes import contributions
    >>> contributions(ad.Tensor(5) * ad.Tensor(7)), contributions(ad.Tensor(5) * 7, 10)
    ([7.0, 5.0], [70.0, None])
    """
    creators: Any = creators_of(node)
    if isinstance(node, Tensor):
        check_unchanged(node)
    names = {} if isinstance(node, Tensor) else getattr(type(node).__init__, "__globals__", {})
    if own and "apply" in names and "gradients" in names:
        operands = [type(node)(plain(c.data)) if is_node(c) else c for c in creators]
        arrived = names["gradients"](names["apply"](node.creation_op, *operands), grad)
        return [arrived.get(c) if is_node(c) else None for c in operands]
    operands = [Tensor(plain(c.data)) if is_node(c) else c for c in creators]
    wanted = [c for c in operands if isinstance(c, Tensor)]
    try:
        operation = known(node.creation_op) or catalogue.find(str(node.creation_op))
        with enable_grad():
            made = operation(*operands, **getattr(node, "options", {}))
            found = iter(gradients(made, wanted, grad))
    except ValueError as error:
        data = plain(node.data)
        raise ValueError(
            f"no slopes are known for the operation {word(attribute(node, 'creation_op'))} of the node that "
            f"holds {number(data) if np.ndim(data) == 0 else 'an array'}: {error}"
        ) from error
    return [next(found).data if isinstance(c, Tensor) else None for c in operands]
