"""Random numbers that a trace cannot see: those of ``np.random`` and ``random``, and of a
``numpy.random.Generator`` that the function refers to. They would be constants of the program, so a function
that draws them is refused."""

from __future__ import annotations

import ctypes
import random
import threading
from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType
from typing import Any, TypeVar

import numpy  # noqa: ICN001

from ..engine.tracing import TraceError
from .guards import contents, names_in, unwrapped

np: Any = numpy  # some of whose functions have no annotation
Result = TypeVar("Result")
TRIES = 3
NORMAL = {"random", "randn", "normal", "standard_normal", "lognormal", "multivariate_normal"}
STATE_BYTES = 2500  # of the Mersenne Twister: 624 numbers and a position


def refusing_draws(
    function: Any, consequence: str, trace: Callable[[], Result], is_thorough: bool = False
) -> Result:
    """The result of ``trace``, which calls the function. Raises TraceError if that draws random numbers which
    the trace does not see. While other threads run, which may draw too, a function is refused if this is seen
    each of several times."""
    for _ in range(TRIES):
        before = [(name, state, state()) for name, state in sources(function, is_thorough)]
        found = trace()
        drawn = next((name for name, state, earlier in before if state() != earlier), None)
        if drawn is None:
            return found
        if threading.active_count() == 1:
            break
    raise TraceError(
        f"the function draws random numbers from {drawn}, and {consequence}. Draw from "
        "ad.seeding.generator(), ad.rand or ad.randn, or from ad.seeding.generator(rng) for a generator rng "
        "of your own"
    )


def sources(function: Any, is_thorough: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The name of each generator that the function may draw from, and a function that gives its state."""
    inner = unwrapped(function)
    is_known = isinstance(inner, FunctionType)
    names = {*names_in(inner.__code__)} if is_known else set()
    yield "np.random, NumPy's global generator,", state_of_numpy(is_thorough or not names.isdisjoint(NORMAL))
    if not is_known:
        return
    referred = {name: inner.__globals__[name] for name in names if name in inner.__globals__}
    cells = zip(inner.__code__.co_freevars, inner.__closure__ or ())
    for name, value in (*referred.items(), *((name, contents(cell)) for name, cell in cells)):
        owner = random if value is random else getattr(value, "__self__", value)
        if isinstance(owner, np.random.Generator):
            yield f"the generator {name}", partial(state_text, owner.bit_generator)
        elif isinstance(owner, np.random.RandomState) and owner is not np.random.mtrand._rand:
            yield f"the generator {name}", partial(state_of, owner)
        elif owner is random or isinstance(owner, random.Random):
            yield f"{name}, a generator of Python's", owner.getstate


def state_of_numpy(is_thorough: bool) -> Callable[[], Any]:
    """The state of NumPy's global generator. The bytes of its usual kind are read in a hundredth of the time
    that NumPy takes to return them; but of every two normal numbers, the second leaves them as they are."""
    bits = np.random.get_bit_generator()
    if is_thorough or type(bits) is not np.random.MT19937:
        return partial(state_of, np.random)
    address = bits.ctypes.state_address
    return lambda: ctypes.string_at(address, STATE_BYTES)


def state_of(owner: Any) -> str:
    """The state of a RandomState, or of NumPy's global one, to compare."""
    return repr([*flat(owner.get_state(legacy=False))])


def state_text(bits: Any) -> str:
    """The state of a bit generator, to compare."""
    return repr([*flat(bits.state)])


def flat(state: Any) -> Iterator[Any]:
    """The numbers in a state, whose arrays are not shortened as in a repr."""
    for value in state.values():
        if isinstance(value, dict):
            yield from flat(value)
        else:
            yield value.tobytes() if isinstance(value, np.ndarray) else value
