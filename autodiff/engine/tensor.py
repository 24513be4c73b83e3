"""Tensor: a number or an array that remembers how it was made.

It is the node of the recorded graph. ``operation.py`` says how an operation computes and records, and
``backward.py`` computes gradients. Tensor reaches both through the catalogue, which has every operation by
its name, and the walk back as ``walk_back``. So each operator (``operators.py``) and each method that is an
operation (``methods.py``) is one line.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

import numpy as np

from . import edits, leaving, locking, recording, tracing
from .catalogue import catalogue
from .copying import Copying
from .keeping import keep, let_go
from .methods import Methods
from .node_parts import (
    ABSENT,
    ARGUMENT,
    RELEASED,
    UPDATED,
    Extras,
    Hook,
    ScopeBlock,
    blocks_around,
    extras_of,
)
from .operators import Operators
from .origins import origins
from .repeating import note_change
from .values import (
    as_data,
    check_operand,
    is_alone,
    is_foreign,
    kind_of,
    show,
    try_overwrite,
    way_to_numpy,
)


class Tensor(Operators, Methods, Copying):
    """A number or an array, with its gradient and the way it was made.

    Parameters
    ----------
    data
        A number (kept as a Python float) or anything ``np.array`` takes: floats keep their dtype, integers
        and booleans become floats. Arrays are copied, so the caller's own is never changed. A list of Tensors
        becomes their ``ad.stack``, recorded if one of them requires a gradient. A pandas Series or DataFrame
        gives its values in their order, whatever its labels.
        (An array that is a constant in an expression is neither copied nor guarded: changing it before
        backward makes the gradient wrong. If it will change, write ``ad.tensor(array)``, a copy. Copying each
        one would add 60 % to a step on a million numbers, locking each one 7 % to a step on arrays of 4 x 4.)
    creators, creation_op
        The operands and the operation (or its name) that gave this Tensor. Operations fill them in; give both
        or neither.
    requires_grad
        False makes a constant: no gradient is computed for it, and integer and boolean arrays keep their
        dtype (labels, masks, indices).
    name
        What pictures and error messages call it.

    Raises
    ------
    TypeError
        If the data is not real numbers (strings, None, complex numbers, ragged lists).

    Example
    -------
    >>> from autodiff import Tensor
    >>> a = Tensor(2)
    >>> e = (a + 2) * (3 * a + 4)
    >>> e, e.creators, str(e.creation_op)
    (40, (4, 10), 'mul')
    >>> e.backward()
    >>> a.grad
    22
    """

    # Two slots in place of a tuple of creators leave the garbage collector one object per node to track. With
    # a tuple, a network of numbers spends half its time in the collector (see benchmarks/).
    __slots__ = (
        "__weakref__", "_edit", "_extras", "_grad", "_requires_grad", "_value", "_x", "_y", "creation_op",
    )  # fmt: skip

    _value: Any  # float, or a NumPy array or scalar
    _grad: Any  # None, raw data, or (once it has been read, or if it is recorded) a Tensor
    _x: Any  # the operands, as given; the slots of a leaf may hold marks, see node_parts.py
    _y: Any
    _edit: int
    _extras: Extras | None
    creation_op: Any

    def __init__(
        self,
        data: Any,
        creators: Iterable[Any] | None = None,
        creation_op: Any = None,
        *,
        requires_grad: bool = True,
        name: str | None = None,
    ) -> None:
        self._grad = self._extras = self.creation_op = None
        self._x = self._y = ABSENT
        self._requires_grad = bool(requires_grad)
        self._edit = edits.latest
        if isinstance(data, Tensor):
            check_may_leave(data)
        try:
            self._value = as_data(raw(data), requires_grad)
        except TypeError:
            if not (requires_grad and holds_tensors(data)):
                raise
            self._take_over(catalogue.stacked(data))
        switches = recording.current()
        group = switches.group
        if switches.trace is not None:
            switches.trace.made(self)
        if switches.made is not None:
            switches.made.append(self)
        if name is not None or group is not None:
            self._extras = self._extras or Extras(group=group)
            self._extras.name = name
        if creators is not None or creation_op is not None:
            self._adopt(creators, creation_op)

    def _take_over(self, other: Tensor) -> None:
        """Hold the value of another Tensor, recorded as that one is."""
        self._value = other._value
        if other.creation_op is not None:
            self._x, self._y, self.creation_op = other._x, other._y, other.creation_op
            self._extras = other._extras

    def _adopt(self, creators: Iterable[Any] | None, creation_op: Any) -> None:
        """Become the result of an operation on the creators."""
        operands = tuple(creators or ())
        if not operands or creation_op is None:
            raise TypeError("give both creators and creation_op, or neither")
        if isinstance(creation_op, str):
            creation_op = catalogue.find(creation_op)
        elif not hasattr(creation_op, "check_count"):
            raise TypeError(f"creation_op must be an operation or its name, not {creation_op!r:.60}")
        creation_op.check_count(len(operands))
        self._x, self._y = (*operands, ABSENT)[:2]
        if len(operands) > 2 or creation_op.joint:
            self._extras = Extras(operands[2:], name=self.name, group=self._group)
        self.creation_op = creation_op

    # -- what it holds ------------------------------------------------------------------------------------

    @property
    def data(self) -> Any:
        """The value, a float or a NumPy array. Setting it counts as a change and keeps ``.grad``, which
        ``+=``, ``t[...] =`` and ``assign`` clear. The package cannot see a write *into* the array
        (``t.data[0] = 1``), after which backward may use the wrong value."""
        return raw(self)

    @data.setter
    def data(self, value: Any) -> None:
        check_may_leave(value)
        self._replace(as_data(raw(value), self._requires_grad), "set the data of")

    def _like(self, data: Any) -> Any:
        """Data as this Tensor keeps it: a float, or an array of its dtype."""
        if type(self._value) is float and np.ndim(data) == 0:
            return float(data)
        with np.errstate(all="ignore"):  # a number too large for a smaller dtype is inf
            if is_foreign(self._value):
                return np.full_like(self._value, data)
            if is_foreign(data):
                return np.broadcast_to(data, self.shape).astype(self.dtype)
            return np.asarray(data).astype(self.dtype, copy=False)

    def _replace(self, data: Any, action: str) -> None:
        if recording.traces and (twin := tracing.stand_in(self)) is not self:
            twin._replace(data, action)
            return
        if self.creation_op is not None:
            raise RuntimeError(
                f"cannot {action} {describe(self)}: its value comes from its creators. Change a leaf, or "
                "work on a copy: t.detach()"
            )
        if self._x is ARGUMENT:
            raise RuntimeError(
                f"cannot {action} {describe(self)}: it is an argument of a function that is being "
                "differentiated, and the derivative would not know of the change. Compute a new Tensor: "
                "x = x * 2, ad.where(...), ad.concatenate(...)"
            )
        if np.shape(data) != self.shape:
            raise ValueError(f"cannot {action} {describe(self)}: the new value has shape {np.shape(data)}")
        note_change(self)
        self._value = data
        self._edit = edits.new()

    @property
    def grad(self) -> Tensor | None:
        """The gradient as a Tensor; None before backward. It is plain data inside until it is read."""
        if recording.traces and (twin := tracing.with_gradient(self)) is not self:
            return twin.grad
        grad = self._grad
        if grad is not None and not isinstance(grad, Tensor):
            with locking.shared:
                grad = self._grad
                if grad is not None and not isinstance(grad, Tensor):
                    grad = self._grad = constant_tensor(grad)
        return grad

    @grad.setter
    def grad(self, value: Any) -> None:
        if recording.traces and (twin := tracing.with_gradient(self)) is not self:
            twin.grad = value
            return
        if value is not None:
            value = value if isinstance(value, Tensor) else Tensor(value, requires_grad=False)
            if value.shape != self.shape:
                raise ValueError(f"the gradient of {describe(self)} cannot have shape {value.shape}")
            if value.dtype != self.dtype:
                value = constant_tensor(self._like(value._value))
        let_go(self)
        self._grad = value

    @property
    def requires_grad(self) -> bool:
        """Whether backward computes a gradient for this Tensor."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if self.creation_op is not None:
            raise RuntimeError(f"cannot set requires_grad of {describe(self)}: it follows from its creators")
        if value:
            self._value = as_data(self._value, True)
        self._requires_grad = bool(value)

    @property
    def creators(self) -> tuple[Any, ...] | None:
        """The operands this Tensor was made from, in order, constants as given; None for a
        leaf, and after ``release=True``."""
        if self.creation_op is None or self._x is RELEASED:
            return None
        first = (self._x,) if self._y is ABSENT else (self._x, self._y)
        return first if self._extras is None else first + self._extras.rest

    @property
    def options(self) -> dict[str, Any]:
        """The keywords that the operation was called with, such as ``{"axis": 0, "keepdims": False}``."""
        return {} if self._extras is None else self._extras.options

    @property
    def name(self) -> str | None:
        """What pictures and error messages call it."""
        return None if self._extras is None else self._extras.name

    @name.setter
    def name(self, value: str | None) -> None:
        extras_of(self).name = value

    @property
    def _group(self) -> ScopeBlock | None:
        return None if self._extras is None else self._extras.group

    @property
    def scope(self) -> tuple[str, ...]:
        """The names of the ``ad.scope`` blocks it was made in, from the outermost."""
        names = [group.name for group in blocks_around(self._group) if group.name]
        return tuple(reversed(names))

    # -- backward -----------------------------------------------------------------------------------------

    def backward(
        self, grad: Any = None, retain_graph: bool | None = None, create_graph: bool = False, *,
        release: bool = False, gradient: Any = None,
    ) -> None:  # fmt: skip
        """Compute the gradient of this Tensor with respect to itself and to every Tensor behind it that
        requires one, and add it to their ``.grad``.

        Parameters
        ----------
        grad
            The gradient to start from: anything that broadcasts to this Tensor's shape. May be left out for a
            single number, where it is 1. PyTorch's word ``gradient=`` is taken too.
        retain_graph
            PyTorch's word for the opposite of ``release``. The graph is kept unless this is False.
        create_graph
            Record the walk itself, so that gradients can be differentiated again.
        release
            Drop interior gradients and the graph while walking. This takes less memory, but the graph can be
            walked only once.

        Raises
        ------
        RuntimeError
            If this is not a single number and no gradient is given, if nothing was recorded, if the graph was
            released, or if data was changed after it was used.
        ValueError, TypeError
            If the gradient does not broadcast to this Tensor's shape, or the arguments contradict each other.

        Example
        -------
        >>> from autodiff import Tensor
        >>> x = Tensor([1.0, 2.0, 3.0])
        >>> (x * x).backward([1, 1, 1])
        >>> x.grad
        [2 4 6]
        """
        if gradient is not None:
            if grad is not None:
                raise TypeError("grad and gradient are two names for the same argument: give one of them")
            grad = gradient
        if retain_graph is not None:
            if retain_graph and release:
                raise ValueError("release=True drops the graph, and retain_graph=True keeps it: choose one")
            release = not retain_graph
        catalogue.walk_back(self, grad, create_graph=create_graph, release=release)

    def register_hook(self, hook: Callable[[Tensor], Any]) -> Hook:
        """Call ``hook(gradient)`` on every walk back, when all of this Tensor's gradient has arrived.

        What the hook returns, unless it is None, replaces the gradient in ``.grad`` and in everything that is
        computed from it further back. Hooks are called in the order of registration; ``remove()`` on the
        result removes this one.

        Raises RuntimeError if this Tensor is a constant, since no gradient arrives there.

        Example
        -------
        >>> from autodiff import Tensor
        >>> x = Tensor(2)
        >>> h = x * 3
        >>> hook = h.register_hook(lambda grad: 10 * grad)
        >>> (h * h).backward()
        >>> h.grad, x.grad
        (120, 360)
        """
        if not self._requires_grad:
            raise RuntimeError(
                f"cannot register a hook on {describe(self)}: it is a constant, so no gradient arrives there"
            )
        return Hook(extras_of(self), hook)

    def retain_grad(self) -> None:
        """Do nothing: backward keeps the gradient of every Tensor on its way, unless it is called with
        ``release=True``. PyTorch needs this call for a Tensor that is not a leaf."""

    def zero_grad(self) -> None:
        """Forget the gradient: ``.grad`` is None again.

        A leaf keeps the memory of a large gradient until the next one has arrived, which saves much time.
        ``t.grad = None`` frees it at once.
        """
        if recording.traces and (twin := tracing.with_gradient(self)) is not self:
            twin.zero_grad()
            return
        keep(self)
        self._grad = None

    def detach(self) -> Tensor:
        """A constant with the same data: what is computed from it is not recorded."""
        return constant_tensor(raw(self))

    # -- changing it in place -------------------------------------------------------------------------------

    def _update(self, operation: Any, in_place: Any, other: Any) -> Tensor:
        """``t += other``: change a leaf in place, unless ``other`` requires a gradient and is being recorded.

        An argument of a function that is being differentiated is treated like a recorded Tensor: the name is
        bound to a new Tensor.
        """
        if recording.traces and (twin := tracing.stand_in(self)) is not self:
            updated = twin._update(operation, in_place, other)
            return self if updated is twin else updated
        recorded = isinstance(other, Tensor) and other._requires_grad and recording.current().recording
        if recorded or self.creation_op is not None or self._x is ARGUMENT:
            return operation.binary(self, other)
        is_wrapping = operation.precision == "signed" and self.dtype.kind == "u"  # 1 - 2 would be 255
        with locking.shared:
            note_change(self, is_in_place=True)
            if is_alone(self) and not is_wrapping and try_overwrite(in_place, self._value, raw(other)):
                self._edit = edits.new()
            else:
                data = operation.compute(self, other)
                if not np.can_cast(getattr(data, "dtype", FLOAT), self.dtype, "same_kind"):
                    raise TypeError(f"cannot {operation} in place: {describe(self)} cannot hold {data.dtype}")
                self._replace(self._like(data), "update")
        self.zero_grad()
        self._x = UPDATED
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        """Change elements of a leaf in place. This counts as a change, and nothing is recorded.

        Raises RuntimeError if a gradient would be lost: on a recorded Tensor, or if the value requires one.
        """
        if isinstance(value, Tensor) and value._requires_grad and recording.current().recording:
            raise RuntimeError(
                f"{describe(value)} would lose its gradient when written into {describe(self)}. Build the "
                "result with ad.where, ad.scatter or ad.concatenate, or write value.detach()"
            )
        if not isinstance(self._value, np.ndarray) and not is_foreign(self._value):
            raise TypeError(f"{describe(self)} is a number and has no elements; use t.assign(value)")
        check_operand(raw(value))
        with locking.shared:
            data = raw(self).copy()
            data[plain_index(index)] = raw(value)
            self._replace(data, "write into")
        self.grad = None

    def assign(self, value: Any) -> Tensor:
        """Replace a leaf's data by other data of the same shape, in the leaf's dtype; returns the Tensor.

        >>> from autodiff import Tensor
        >>> Tensor([1.0, 2.0]).assign([3, 4])
        [3 4]
        """
        if recording.traces and (twin := tracing.stand_in(self)) is not self:
            twin.assign(value)
            return self
        check_may_leave(value)
        self._replace(self._like(as_data(raw(value), self._requires_grad)), "assign to")
        self.grad = None
        return self

    # -- compared as plain data, never recorded -------------------------------------------------------------

    def __eq__(self, other: object) -> Any: return raw(self) == raw(other)
    def __ne__(self, other: object) -> Any: return raw(self) != raw(other)
    def __lt__(self, other: Any) -> Any: return raw(self) < raw(other)
    def __le__(self, other: Any) -> Any: return raw(self) <= raw(other)
    def __gt__(self, other: Any) -> Any: return raw(self) > raw(other)
    def __ge__(self, other: Any) -> Any: return raw(self) >= raw(other)

    # By identity: two Tensors with the same value are two nodes.
    __hash__: ClassVar[Callable[[object], int]] = object.__hash__

    # -- as plain data: comparisons and conversions are never recorded --------------------------------------

    def __bool__(self) -> bool: return bool(raw(self))

    def __float__(self) -> float:
        number = float(self.item())
        check_may_leave(self)
        return number

    def __int__(self) -> int:
        number = int(self.item())
        check_may_leave(self)
        return number

    def __index__(self) -> int:
        value = raw(self)
        if self._requires_grad or self.ndim or self.dtype.kind not in "iu":
            raise TypeError(
                "only a constant Tensor that is one integer is an index or a count; this is "
                f"{describe(self)} ({self.dtype}). Write int(t.item())"
            )
        return operator.index(value)

    def __len__(self) -> int:
        check_has_axes(self, "len()")
        return len(self._value)

    def __iter__(self) -> Iterator[Tensor]:
        check_has_axes(self, "iteration")
        return (self[i] for i in range(len(self._value)))

    def item(self) -> Any:
        """The value as a Python number. Raises TypeError if there is more than one element."""
        if self.size != 1:
            raise TypeError(f"only a Tensor with one element converts to a number; this is {describe(self)}")
        value = raw(self)
        return value if type(value) is float else value.item()

    def numpy(self) -> np.ndarray:
        """The value as a NumPy array, not copied if it is one."""
        array = np.asarray(raw(self))
        check_may_leave(self)
        return array

    def tolist(self) -> Any:
        """The value as a Python number, or as nested lists of them."""
        values = np.asarray(raw(self)).tolist()
        check_may_leave(self)
        return values

    @property
    def shape(self) -> tuple[int, ...]: return getattr(self._value, "shape", ())
    @property
    def ndim(self) -> int: return len(self.shape)
    @property
    def size(self) -> int: return getattr(self._value, "size", 1)
    @property
    def dtype(self) -> np.dtype: return getattr(self._value, "dtype", FLOAT)

    def __repr__(self) -> str: return show(self._value)

    def __format__(self, spec: str) -> str: return format(self.item(), spec) if spec else str(self)

    # -- NumPy's own functions ------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """``np.exp(t)`` and ``array * t`` are recorded like ``t.exp()`` and ``t * array``."""
        return catalogue.numpy_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """``np.sum(t, axis=0)`` and ``np.concatenate([t, a])`` are recorded like our own operations."""
        return catalogue.numpy_function(function, args, kwargs)

    __pandas_priority__ = 5000  # above DataFrame's: pandas passes ``series * t`` to Tensor, which refuses it

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Convert a constant. Raises TypeError for anything else, whose gradient would be lost silently."""
        if self._requires_grad:
            raise TypeError(
                f"{describe(self)} would lose its gradient as a plain array{text_of_origin(self)} "
                f"{leaving.way_out(sys._getframe(1))}"
            )
        return np.array(raw(self), dtype=dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        """Hand a constant over to another library, ``torch.as_tensor(t)``; it shares the memory."""
        return np.require(np.asarray(self), requirements="W").__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]: return np.empty(0).__dlpack_device__()


FLOAT = np.dtype(float)


def check_may_leave(value: Any) -> None:
    """Raise TypeError if this is a Tensor whose gradient would be lost where it becomes plain data: in a
    function that is being differentiated, and anywhere for ``z[0] = t``."""
    if wants_grad(value):
        caller = sys._getframe(2)
        if (leaving.is_lost() or leaving.is_stored(caller)) and not leaving.is_printed(caller):
            raise leaving.noted(TypeError(leaving.message(describe(value), caller)), caller)


def text_of_origin(tensor: Tensor) -> str:
    """What an error message says of the leaf that makes a Tensor recorded, and how to avoid that."""
    found = sorted(origins(tensor), key=lambda leaf: leaf.name is None)  # those with a name come first
    if not found or found[0] is tensor:
        return ";"
    others = ", which requires" if len(found) == 1 else " and others, which require"
    return (
        f": it was computed from {describe(found[0])}{others} a gradient. If no gradient is wanted "
        "there, set requires_grad_(False) or compute under ad.no_grad(); otherwise"
    )


def check_has_axes(tensor: Tensor, action: str) -> None:
    """Raise TypeError if a Tensor is one number without axes."""
    if tensor.ndim == 0:
        raise TypeError(f"{action} needs a Tensor with at least one axis, and this is {describe(tensor)}")


def check_not_released(node: Tensor) -> None:
    """Raise RuntimeError if ``backward(release=True)`` has dropped a Tensor's operands."""
    if node._x is RELEASED:
        raise RuntimeError(
            f"the graph behind {describe(node)} is gone: backward(release=True) dropped it. Compute it "
            "again, or walk back without release=True"
        )


def plain_index(index: Any) -> Any:
    """An index as NumPy takes it: a Tensor in it becomes its data."""
    return tuple(map(raw, index)) if isinstance(index, tuple) else raw(index)


def holds_tensors(data: Any) -> bool:
    """Whether this is a list or tuple with a Tensor somewhere in it."""
    return isinstance(data, (list, tuple)) and any(isinstance(x, Tensor) or holds_tensors(x) for x in data)


def raw(value: Any) -> Any:
    """The plain data behind a Tensor; anything else as it is."""
    if recording.traces:
        value = tracing.stand_in(value)
    return value._value if isinstance(value, Tensor) else value


def wants_grad(value: Any) -> bool:
    """Whether this is a Tensor that requires a gradient."""
    return isinstance(value, Tensor) and value._requires_grad


def constant_tensor(data: Any) -> Tensor:
    """Wrap data that is already a float or an array, without copying it."""
    tensor = object.__new__(Tensor)
    tensor._value = data
    tensor._grad = tensor._extras = tensor.creation_op = None
    tensor._x = tensor._y = ABSENT
    tensor._requires_grad = False
    tensor._edit = edits.latest
    return tensor


def describe(value: Any, changed: bool = False) -> str:
    """An operand as error messages show it: its name, its shape, and the operation that made it. A number
    that was ``changed`` is shown with its present value."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if not isinstance(value, Tensor):
        return f"{kind_of(value)} of shape {value.shape}" if way_to_numpy(value) else f"{value!r:.60}"
    name = f" {value.name!r}" if value.name else ""
    made = f" (made by {value.creation_op})" if value.creation_op is not None else ""
    number = f"(now {show(value._value)})" if changed else show(value._value)
    content = f"of shape {value.shape}" if value.ndim else number
    return f"the Tensor{name} {content}{made}"
