"""Hooks: functions that a module calls before and after its forward."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any


class RemovableHandle:
    """A registered hook. ``remove`` removes it from its module; so does the end of a ``with`` block.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> layer = nn.ReLU()
    >>> with layer.register_forward_hook(lambda module, args, output: output * 10):
    ...     inside = layer(Tensor([1.0]))
    >>> inside, layer(Tensor([1.0]))
    ([10], [1])
    """

    def __init__(self, hooks: dict[RemovableHandle, Callable[..., Any]], hook: Callable[..., Any]) -> None:
        if not callable(hook):
            raise TypeError(f"a hook is a function, not {hook!r:.60}")
        self._hooks = hooks
        hooks[self] = hook

    def remove(self) -> None:
        """Remove the hook. A second call has no effect."""
        self._hooks.pop(self, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


class Hooked:
    """The part of a Module that holds its hooks; the module's call runs them."""

    # The values of a new module are class attributes, so a subclass need not call super().__init__().
    _forward_hooks: Mapping[RemovableHandle, Callable[..., Any]] = MappingProxyType({})
    _forward_pre_hooks: Mapping[RemovableHandle, Callable[..., Any]] = MappingProxyType({})

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, args)`` before every forward. Its result, a tuple or a single value, replaces
        the arguments unless it is None.

        Example
        -------
        >>> from autodiff import Tensor, nn
        >>> layer = nn.Identity()
        >>> handle = layer.register_forward_pre_hook(lambda module, args: args[0] + 1)
        >>> layer(Tensor([1.0]))
        [2]
        >>> handle.remove()
        """
        return RemovableHandle(vars(self).setdefault("_forward_pre_hooks", {}), hook)

    def register_forward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after every forward. Its result replaces the output unless it
        is None.

        Example
        -------
        >>> from autodiff import Tensor, nn
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        >>> seen = []
        >>> handle = net[0].register_forward_hook(lambda module, args, output: seen.append(output.shape))
        >>> out = net(Tensor([[1.0, 2.0]]))
        >>> seen
        [(1, 3)]
        >>> handle.remove()
        """
        return RemovableHandle(vars(self).setdefault("_forward_hooks", {}), hook)
