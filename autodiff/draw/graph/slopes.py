"""Local slopes and contributions: what one operation passes back to each of its operands.

The engine itself is asked, on copies of the operands, so a picture cannot tell another story than `backward`.
It works on the package's Tensors, and on a reader's own whose operation has a name in the catalogue.
"""

from __future__ import annotations

from typing import Any

from ...engine.backward import gradients
from ...engine.catalogue import catalogue
from ...engine.recording import enable_grad
from ...engine.tensor import Tensor
from .records import creators_of, is_node
from .signs import known


def contributions(node: Any, grad: Any = 1.0) -> list[Any]:
    """What each operand of ``node`` receives when the gradient ``grad`` arrives at it; None for a constant.

    An operand used twice has two entries. With ``grad`` 1 at a number these are the local slopes. Raises
    ValueError if the operation is not known to the catalogue.

    Examples
    --------
    >>> import autodiff as ad
    >>> from autodiff.draw.graph.slopes import contributions
    >>> contributions(ad.Tensor(5) * ad.Tensor(7)), contributions(ad.Tensor(5) * 7, 10)
    ([7.0, 5.0], [70.0, None])
    """
    creators: Any = creators_of(node)
    operands = [Tensor(plain(c.data)) if is_node(c) else c for c in creators]
    operation = known(node.creation_op) or catalogue.find(str(node.creation_op))
    with enable_grad():
        made = operation(*operands, **getattr(node, "options", {}))
    asked = [c for c in operands if isinstance(c, Tensor)]
    found = iter(gradients(made, asked, grad))
    return [next(found).data if isinstance(c, Tensor) else None for c in operands]


def plain(data: Any) -> Any:
    """The number or array behind whatever a node keeps as its data."""
    return plain(data.data) if is_node(data) else data
