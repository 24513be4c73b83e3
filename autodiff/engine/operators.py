"""Python's operators on Tensors: each looks its operation up in the catalogue, in one line.

Symbols of a trace and nodes of a static graph have such a table of their own, which says something else: it
has names of NumPy's functions, or applies operations later. All three are written out, so that readers,
debuggers and type checkers see each operator, and no call goes through a further function.
"""

from __future__ import annotations

import operator
from typing import Any

from .catalogue import catalogue


class Operators:
    """What ``x + y``, ``2 * x`` and ``x += y`` do."""

    __slots__ = ()

    _update: Any
    round: Any

    def __add__(self, other: Any) -> Any: return catalogue.add.binary(self, other)
    def __radd__(self, other: Any) -> Any: return catalogue.add.binary(other, self)
    def __sub__(self, other: Any) -> Any: return catalogue.sub.binary(self, other)
    def __rsub__(self, other: Any) -> Any: return catalogue.sub.binary(other, self)
    def __mul__(self, other: Any) -> Any: return catalogue.mul.binary(self, other)
    def __rmul__(self, other: Any) -> Any: return catalogue.mul.binary(other, self)
    def __truediv__(self, other: Any) -> Any: return catalogue.div.binary(self, other)
    def __rtruediv__(self, other: Any) -> Any: return catalogue.div.binary(other, self)
    def __floordiv__(self, other: Any) -> Any: return catalogue.floor_divide.binary(self, other)
    def __rfloordiv__(self, other: Any) -> Any: return catalogue.floor_divide.binary(other, self)
    def __mod__(self, other: Any) -> Any: return catalogue.remainder.binary(self, other)
    def __rmod__(self, other: Any) -> Any: return catalogue.remainder.binary(other, self)
    def __divmod__(self, other: Any) -> tuple[Any, Any]: return self // other, self % other
    def __rdivmod__(self, other: Any) -> tuple[Any, Any]: return other // self, other % self
    def __pow__(self, other: Any) -> Any: return catalogue.pow.binary(self, other)
    def __rpow__(self, other: Any) -> Any: return catalogue.pow.binary(other, self)
    def __matmul__(self, other: Any) -> Any: return catalogue.matmul.binary(self, other)
    def __rmatmul__(self, other: Any) -> Any: return catalogue.matmul.binary(other, self)
    def __neg__(self) -> Any: return catalogue.neg.unary(self)
    def __pos__(self) -> Any: return self
    def __abs__(self) -> Any: return catalogue.abs.unary(self)
    def __round__(self, decimals: int | None = None) -> Any: return self.round(decimals or 0)

    def __iadd__(self, other: Any) -> Any: return self._update(catalogue.add, operator.iadd, other)
    def __isub__(self, other: Any) -> Any: return self._update(catalogue.sub, operator.isub, other)
    def __imul__(self, other: Any) -> Any: return self._update(catalogue.mul, operator.imul, other)
    def __itruediv__(self, other: Any) -> Any: return self._update(catalogue.div, operator.itruediv, other)
    def __ipow__(self, other: Any) -> Any: return self._update(catalogue.pow, operator.ipow, other)
