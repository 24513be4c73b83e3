"""Which operation of the package a node's word means, and the sign that stands for it.

The package's nodes hold the operation itself. A reader's own engine gives a word, such as "mul" or "mm", or
Python's operator, such as "*".
"""

from __future__ import annotations

from ...engine.catalogue import catalogue
from ...engine.operation import Operation
from . import as_text

ALIASES = {"mm": "matmul"}
"""Other names that readers may use for an operation of the catalogue."""


def known(operation: object) -> Operation | None:
    """The package's operation for a name, for a sign between two operands, or for an operation; None if there
    is none.

    >>> import autodiff as ad
    >>> from autodiff.draw.graph.signs import known
    >>> known(ad.mul), known("mul"), known("*"), known("mm"), known("nothing")
    (<operation mul>, <operation mul>, <operation mul>, <operation matmul>, None)
    """
    if isinstance(operation, Operation):
        return operation
    word = as_text.word(operation)
    name = ALIASES.get(word, word)
    for entry in catalogue:
        if entry.name == name or (entry.sign == name and len(entry.inputs) == 2):
            found: Operation = entry
            return found
    return None


class OperationTexts:
    """The names and signs of operations, which are few in a graph of many nodes: each is looked up once."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[str, str | None]] = {}
        self._seen: list[object] = []  # kept alive, so that no other object gets the id of one of these

    def name_and_sign(self, operation: object) -> tuple[str, str | None]:
        """An operation's name, and Python's operator for it if there is one."""
        texts = self._texts.get(id(operation))
        if texts is None:
            name = "?" if operation is None else as_text.word(operation)
            texts = self._texts[id(operation)] = name, sign_of(operation)
            self._seen.append(operation)
        return texts


def sign_of(operation: object) -> str | None:
    """Python's operator for an operation, or None.

    >>> from autodiff.draw.graph.signs import sign_of
    >>> sign_of("pow"), sign_of("*"), sign_of("exp")
    ('**', '*', None)
    """
    meant = known(operation)
    return meant.sign if meant else None
