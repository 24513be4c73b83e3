"""How fast each node moves if some of them do: forward mode, by the engine's own rules, step by step.

Like the walk back it computes on copies, so it works on a reader's own class too if the operations have names
in the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...calculus.forward import push
from ...engine.catalogue import catalogue
from ...engine.contributions import fitted
from ...engine.recording import enable_grad
from ...engine.tensor import Tensor, raw
from ..graph import as_text
from ..graph.signs import known
from ..graph.walk import Walk, is_node, plain


@dataclass(frozen=True, slots=True)
class Motion:
    """The tangents of the nodes that move, by index, and the part of each that came along one use of another
    node, by the index of the result and the place of the operand."""

    tangents: Mapping[int, Any]
    parts: Mapping[tuple[int, int], Any]


def motion(walk: Walk, moves: Mapping[int, Any]) -> Motion:
    """The tangents of all nodes, from those of some.

    >>> import autodiff as ad
    >>> from autodiff.draw.graph.walk import walk
    >>> x = ad.Tensor(3)
    >>> motion(walk(x * x), {0: 1.0}).tangents
    {0: 1.0, 1: 6.0}
    """
    tangents = dict(moves)
    parts: dict[tuple[int, int], Any] = {}
    for i in range(len(walk.order)):
        places = [(place, j) for place, j in walk.places(i) if j in tangents]
        if i in moves or not places:
            continue
        made, operands = _again(walk.order[i], walk.creators[i])
        for place, j in places:
            part = _pushed(made, {operands[place]: tangents[j]})
            if part is None:
                continue
            parts[i, place] = part
            with np.errstate(all="ignore"):
                tangents[i] = part if i not in tangents else tangents[i] + part
    return Motion(tangents, parts)


def _again(node: Any, creators: Any) -> tuple[Tensor, list[Any]]:
    """The operation of a node applied again, to a copy of the operand at each place."""
    operands = [Tensor(plain(c.data)) if is_node(c) else c for c in creators]
    operation = known(node.creation_op) or catalogue.find(as_text.word(node.creation_op))
    with enable_grad():
        made: Tensor = operation(*operands, **getattr(node, "options", {}))
    return made, operands


def _pushed(made: Tensor, tangents: dict[Any, Any]) -> Any:
    """The tangent of a node from those of its operands."""
    with np.errstate(all="ignore"):
        tangent = push(made, tangents, create_graph=False)
    return None if tangent is None else raw(fitted(tangent, made, made))


def checked_moves(walk: Walk, moves: object, names: Mapping[str, int]) -> dict[int, Any]:
    """The moves by the index of the node that moves.

    Raises TypeError if `moves` is not a dict of Tensors or names, ValueError if one of them is not in the
    graph or its move is not of its shape.
    """
    if not isinstance(moves, Mapping) or not moves:
        raise TypeError(
            "moves says how fast Tensors of the graph move, as a dict: moves={a: 1.0}, or by name "
            f"moves={{'a': 1.0}}, not {as_text.word(moves)}"
        )
    found = {}
    for key, move in moves.items():
        i = names.get(key) if isinstance(key, str) else walk.index.get(id(key))
        if i is None:
            raise ValueError(f"moves has {as_text.word(key)!r}, which is not in the graph that is filmed")
        found[i] = _checked_move(plain(walk.order[i].data), move, as_text.word(key))
    return found


def _checked_move(data: Any, move: object, name: str) -> Any:
    """A move in the shape of the data; a single number moves all elements alike."""
    move = plain(move)
    try:
        values = np.asarray(move, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"the move of {name} is {as_text.word(move)}: give a number or an array") from None
    if np.ndim(data) == 0 and values.ndim == 0:
        return float(values)
    if values.shape not in ((), np.shape(data)):
        raise ValueError(f"the move of {name} has the shape {values.shape}, and {name} has {np.shape(data)}")
    return np.broadcast_to(values, np.shape(data)).copy()
