"""What a module has saved, by name, and how it is loaded again: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..engine.tensor import raw
from ..engine.values import as_data, is_foreign
from .parameter import Parameter


class Mismatch(NamedTuple):
    """What ``load_state_dict`` left out: names that were not saved, and saved names that are not here."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class Savable:
    """The part of a Module that knows what is saved."""

    _buffers: Mapping[str, bool] = MappingProxyType({})  # the names of the buffers, and if they are saved

    def _saved(self, place: str | None = None) -> Iterator[tuple[str, Savable, str]]:
        """What is saved: its name, the module it stands in, and its name there. A shared part has several."""
        parts = list(vars(self).items())
        for name, part in parts:
            if isinstance(part, Parameter):
                yield joined(place, name), self, name
        for name, is_saved in self._buffers.items():
            if is_saved and vars(self).get(name) is not None:
                yield joined(place, name), self, name
        for name, part in parts:
            if isinstance(part, Savable):
                yield from part._saved(joined(place, name))

    def state_dict(self) -> dict[str, np.ndarray]:
        """A copy of every parameter and saved buffer as an array, by name: for :meth:`load_state_dict`, or
        ``np.savez``.

        Example
        -------
        >>> from autodiff import nn
        >>> nn.LayerNorm(2).state_dict()
        {'weight': array([1., 1.], dtype=float32), 'bias': array([0., 0.], dtype=float32)}
        """
        return {name: np.array(raw(vars(module)[key])) for name, module, key in self._saved()}

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Mismatch:
        """Give every parameter and saved buffer the value of its name, in its own dtype.

        Parameters
        ----------
        state_dict
            Arrays by name, as :meth:`state_dict` returns them. What has a ``shape`` and a ``dtype`` is made
            an array only when all of it fits, so that it may lie in a file until then.
        strict
            False leaves alone what was not saved, and ignores what is saved and not here.

        Returns
        -------
        Mismatch
            The names that were left out: ``missing_keys`` and ``unexpected_keys``.

        Raises
        ------
        ValueError
            If, being strict, names are missing or unexpected, or in any case if an entry is of another shape
            or not made of numbers. The message lists all of them, and nothing is changed.

        Example
        -------
        >>> from autodiff import nn
        >>> first, second = nn.Linear(3, 2), nn.Linear(3, 2)
        >>> second.load_state_dict(first.state_dict())
        Mismatch(missing_keys=[], unexpected_keys=[])
        >>> bool((first.weight == second.weight).all())
        True
        >>> second.load_state_dict({"weight": [1.0, 2.0]})
        Traceback (most recent call last):
            ...
        ValueError: nothing was loaded into Linear:
            missing: bias
            weight has the shape (2, 3), and the saved one (2,)
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"a state_dict is a dictionary of arrays, not {state_dict!r:.60}")
        own = {name: (module, key) for name, module, key in self._saved()}
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        faults = [f"missing: {', '.join(missing)}"] if strict and missing else []
        faults += [f"unexpected: {', '.join(map(str, unexpected))}"] if strict and unexpected else []
        values = {name: headed(state_dict[name]) for name in own if name in state_dict}
        faults += [fault for name, value in values.items() for fault in unfit(*own[name], name, value)]
        if faults:
            raise ValueError("\n    ".join([f"nothing was loaded into {type(self).__name__}:", *faults]))
        arrays = {name: np.asarray(value) for name, value in values.items()}
        for name, array in arrays.items():
            module, key = own[name]
            module._load(key, array)
        return Mismatch(missing, unexpected)

    def _shape_for(self, name: str, saved: tuple[int, ...]) -> tuple[int, ...]:
        """The shape that a saved entry must have; a layer that is not yet built may take it as it comes."""
        shape: tuple[int, ...] = vars(self)[name].shape
        return shape

    def _load(self, name: str, value: np.ndarray) -> None:
        """Take over a saved entry whose shape fits."""
        vars(self)[name].assign(value)


def joined(place: str | None, name: str) -> str:
    """The name of a part, seen from further out."""
    return f"{place}.{name}" if place else name


def headed(value: Any) -> Any:
    """A saved entry with its shape and dtype: itself if it tells them, else an array, or the error that came
    of making it one."""
    value = raw(value)
    tells = isinstance(getattr(value, "dtype", None), np.dtype) and hasattr(value, "__array__")
    if tells and not isinstance(value, np.ndarray) and not is_foreign(value):
        return value
    try:
        return np.asarray(as_data(value, requires_grad=False))
    except (TypeError, ValueError) as error:
        return error


def unfit(module: Savable, key: str, name: str, saved: Any) -> Iterator[str]:
    """What speaks against loading an entry, as far as its shape and dtype tell."""
    if isinstance(saved, Exception):
        yield f"{name}: {saved}"
    elif saved.dtype.kind not in "fiub":
        yield f"{name}: a Tensor holds real numbers, not {saved.dtype}"
    else:
        shape = module._shape_for(key, tuple(saved.shape))
        if shape != tuple(saved.shape):
            yield f"{name} has the shape {shape}, and the saved one {tuple(saved.shape)}"
        elif shape != vars(module)[key].shape and getattr(saved, "is_compressed", False):
            yield (
                f"{name} is compressed, and the layer, which is not built yet, cannot tell how large it may "
                "become: build the layer first, by a call"
            )
