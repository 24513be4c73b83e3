"""RemovableHandle: what takes a hook off its module again."""

from __future__ import annotations

from collections.abc import Callable
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
