"""Hooks: functions that are called before and after a module's forward."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any


class RemovableHandle:
    """A hook's place among those of its module; ``remove`` takes it out, and so does the end of a ``with``.

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
        """Take the hook off. Removing it twice does nothing."""
        self._hooks.pop(self, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


class Hooked:
    """The part of a Module that keeps hooks; its call runs them."""

    # What a module starts with, until it has its own: so a subclass need not call super().__init__().
    _forward_hooks: Mapping[RemovableHandle, Callable[..., Any]] = MappingProxyType({})
    _forward_pre_hooks: Mapping[RemovableHandle, Callable[..., Any]] = MappingProxyType({})

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have ``hook(module, args)`` called before every forward. What it returns, unless None, takes the
        place of the arguments: a tuple, or a single one.

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
        """Have ``hook(module, args, output)`` called after every forward. What it returns, unless None, takes
        the place of the output.

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
