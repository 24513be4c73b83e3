"""Saving and loading of a module's parameters and buffers by name. Either all entries are loaded or none."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..engine.tensor import raw
from ..engine.values import as_data, is_foreign
from .naming import join_path
from .parameter import Parameter


class Mismatch(NamedTuple):
    """The names that ``load_state_dict`` skipped: names of the module that the state lacks, and names in the
    state that the module lacks."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class Savable:
    """The part of a Module that saves and loads its state."""

    _buffers: Mapping[str, bool] = MappingProxyType({})  # per buffer: whether it is saved

    def _attributes(self) -> ItemsView[str, Any]:
        """A snapshot of the attributes, by name, since another thread may add one meanwhile."""
        return vars(self).copy().items()

    def _saved(self, path: str | None = None) -> Iterator[tuple[str, Savable, str]]:
        """For each saved entry: its name, the module that holds it, and the attribute there. A shared part
        has several entries."""
        parts = self._attributes()
        for name, part in parts:
            if isinstance(part, Parameter):
                yield join_path(path, name), self, name
        for name, is_saved in dict(self._buffers).items():
            if is_saved and vars(self).get(name) is not None:
                yield join_path(path, name), self, name
        for name, part in parts:
            if isinstance(part, Savable):
                yield from part._saved(join_path(path, name))

    def state_dict(self) -> dict[str, np.ndarray]:
        """A copy of every parameter and saved buffer as an array, by name, for :meth:`load_state_dict` or
        ``np.savez``.

        Example
        -------
        >>> from autodiff import nn
        >>> nn.LayerNorm(2).state_dict()
        {'weight': array([1., 1.], dtype=float32), 'bias': array([0., 0.], dtype=float32)}
        """
        return {name: np.array(raw(vars(module)[attribute])) for name, module, attribute in self._saved()}

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Mismatch:
        """Set every parameter and saved buffer to the saved array of the same name, in its own dtype.

        Parameters
        ----------
        state_dict
            Arrays by name, as :meth:`state_dict` returns them. A value with a ``shape`` and a ``dtype`` is
            converted to an array only after all entries have been checked, so it may be read from a file
            then.
        strict
            False leaves entries unchanged that the state lacks, and ignores those that the module lacks.

        Returns
        -------
        Mismatch
            The names that were skipped: ``missing_keys`` and ``unexpected_keys``.

        Raises
        ------
        ValueError
            If an entry has another shape or contains no numbers, or, with ``strict``, if names are missing or
            unexpected. The message lists all of them, and nothing is changed.

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
        own = {name: (module, attribute) for name, module, attribute in self._saved()}
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        faults = [f"missing: {', '.join(missing)}"] if strict and missing else []
        faults += [f"unexpected: {', '.join(map(str, unexpected))}"] if strict and unexpected else []
        values = {name: as_entry(state_dict[name]) for name in own if name in state_dict}
        faults += [fault for name, value in values.items() for fault in entry_faults(*own[name], name, value)]
        if faults:
            raise ValueError("\n    ".join([f"nothing was loaded into {type(self).__name__}:", *faults]))
        arrays = {name: np.asarray(value) for name, value in values.items()}
        for name, array in arrays.items():
            module, attribute = own[name]
            module._load(attribute, array)
        return Mismatch(missing, unexpected)

    def _shape_for(self, name: str, saved: tuple[int, ...]) -> tuple[int, ...]:
        """The shape that a saved entry must have. A layer that is not built yet accepts the saved one."""
        shape: tuple[int, ...] = vars(self)[name].shape
        return shape

    def _load(self, name: str, value: np.ndarray) -> None:
        """Set an attribute to a saved array of the right shape."""
        vars(self)[name].assign(value)


def as_entry(value: Any) -> Any:
    """A saved value with a shape and a dtype: the value itself if it has both, else an array, or the error
    that the conversion to an array raised."""
    value = raw(value)
    is_array_like = isinstance(getattr(value, "dtype", None), np.dtype) and hasattr(value, "__array__")
    if is_array_like and not isinstance(value, np.ndarray) and not is_foreign(value):
        return value
    try:
        return np.asarray(as_data(value, requires_grad=False))
    except (TypeError, ValueError) as error:
        return error


def entry_faults(module: Savable, attribute: str, name: str, saved: Any) -> Iterator[str]:
    """The reasons why an entry cannot be loaded, by its shape and dtype."""
    if isinstance(saved, Exception):
        yield f"{name}: {saved}"
    elif saved.dtype.kind not in "fiub":
        yield f"{name}: a Tensor holds real numbers, not {saved.dtype}"
    else:
        shape = module._shape_for(attribute, tuple(saved.shape))
        if shape != tuple(saved.shape):
            yield f"{name} has the shape {shape}, and the saved one {tuple(saved.shape)}"
        elif shape != vars(module)[attribute].shape and getattr(saved, "is_compressed", False):
            yield (
                f"{name} is compressed, and the layer is not built yet, so the size of {name} cannot be "
                "checked: build the layer first, with a call"
            )
