"""Repeating a call: what a function draws and changes in its first call, so that the second gives the same.

``checkpoint`` computes a function again during backward. The second call has its own generators, which draw
the same random numbers from the states that the first call noted: no state of a shared generator is ever set
back, so other threads go on drawing from it. A running mean is not updated again. A Tensor that the function
changes gets its earlier value back during the second call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

from . import edits, locking
from .contexts import current, open_blocks, switched


class Repeat:
    """One call of a function that will be repeated, or that repeats another call.

    Attributes
    ----------
    states
        The state of the generator before each draw, in order.
    changed
        The Tensors that the function changes, and their earlier values.
    first
        The call that is repeated; None in the first call.
    """

    def __init__(self, first: Repeat | None = None) -> None:
        self.first = first
        self.states: list[Any] = []
        self.changed: dict[Any, Any] = {}
        self.around: Repeat | None = current().repeat
        self.generators: dict[int, Any] = {}
        self.place = 0

    @property
    def is_second(self) -> bool:
        """Whether this call, or one around it, repeats another call."""
        return self.first is not None or (self.around is not None and self.around.is_second)

    def generator(self, source: Any) -> Any:
        """The generator from which the function draws in place of ``source``."""
        from .repeated_draws import RepeatedGenerator

        if isinstance(source, RepeatedGenerator):
            return source
        if id(source) not in self.generators:
            self.generators[id(source)] = RepeatedGenerator(source, self)
        return self.generators[id(source)]

    def draw(self, source: Any, own: Any, method: Callable[..., Any], args: Any, options: Any) -> Any:
        """Draw from ``source`` by its copy ``own``, and note the state; or draw again what was drawn
        first."""
        notes, repeat = [], self
        while repeat.first is None and repeat.around is not None:
            notes.append(repeat)
            repeat = repeat.around
        bits, of_source = own.bit_generator, source.bit_generator
        if repeat.first is not None:
            state = bits.state = repeat.next_state()
            drawn = method(own, *args, **options)
        else:
            notes.append(repeat)
            with of_source.lock:  # as NumPy's own draws do
                state = bits.state = of_source.state
                try:
                    drawn = method(own, *args, **options)
                finally:
                    of_source.state = bits.state
        for note in notes:
            note.states.append(state)
        return drawn

    def next_state(self) -> Any:
        """The state before the next draw of the first call. Raises RuntimeError if there was none."""
        assert self.first is not None
        if self.place == len(self.first.states):
            raise RuntimeError(
                "a function in ad.checkpoint draws more random numbers when it is computed again than "
                "it drew at first, so its gradient would be wrong; it has to do the same each time"
            )
        self.place += 1
        return self.first.states[self.place - 1]

    def note(self, tensor: Any, value: Any) -> None:
        """Note the value of a Tensor that the function is about to change."""
        if self.first is None:
            self.changed.setdefault(tensor, value)
            if self.around is not None:
                self.around.note(tensor, value)

    @contextmanager
    def as_before(self, is_recorded: bool) -> Iterator[None]:
        """Restore the earlier values of the Tensors that the first call changed, until the block ends. If the
        walk is recorded, this counts as a change, which a later walk back over it must find."""
        assert self.first is not None
        now = {tensor: (tensor._value, tensor._edit) for tensor in self.first.changed}
        for tensor, value in self.first.changed.items():
            tensor._value = copy(value)
        try:
            yield
        finally:
            for tensor, (value, edit) in now.items():
                tensor._value, tensor._edit = value, edits.new() if is_recorded else edit


def note_change(tensor: Any, is_in_place: bool = False) -> None:
    """Note the value of a Tensor that is about to be changed, if the change belongs to a call that will be
    repeated."""
    if open_blocks and (repeat := current().repeat) is not None:
        repeat.note(tensor, copy(tensor._value) if is_in_place else tensor._value)


def once(change: Callable[..., Any], *args: Any) -> None:
    """Make a change, such as an update of a running mean, unless it is made by a call that repeats another
    one. Only one thread at a time makes one."""
    repeat = current().repeat
    if repeat is not None and repeat.is_second:
        return
    with locking.shared:
        if repeat is None:
            change(*args)
        else:
            with switched(repeat=None):
                change(*args)
