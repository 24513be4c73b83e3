"""Checks of the contents of a saved run: types, structure and ranges. A failed check is a ValueError that
says where in the run the fault is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np

from ..optim import Optimizer

PARTS: dict[str, Any] = {
    "net": dict,
    "loss": (dict, type(None)),
    "optimizer": dict,
    "scheduler": (list, type(None)),
    "places": dict,
    "generators": list,
    "history": list,
}
POSITIONS = {"pos": 624, "buffer_pos": 4}  # limits of a generator's position in its buffer, which NumPy skips
COUNT_LIMIT = 2**53  # beyond which floats cannot count steps


@contextmanager
def as_value_error(what: str) -> Iterator[None]:
    """Turn any other error in the block into a ValueError whose message begins with ``what``."""
    try:
        yield
    except ValueError:
        raise
    except Exception as error:  # a value of a wrong type may raise anything
        raise ValueError(f"{what}: {type(error).__name__}: {error}") from error


def arrays_checksum(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """The SHA-256 of arrays together with their names, shapes and dtypes."""
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name!r} {array.shape} {array.dtype.str} ".encode())
        digest.update(np.ascontiguousarray(array).data)
    return np.frombuffer(digest.digest(), np.uint8)


def check_checksum(saved_checksum: np.ndarray | None, arrays: Mapping[str, np.ndarray]) -> None:
    """Raise ValueError unless the arrays have the saved checksum."""
    if saved_checksum is None or not np.array_equal(saved_checksum, arrays_checksum(arrays)):
        raise ValueError("it was changed after it was saved: its checksum differs")


def check_run(run: Mapping[str, Any]) -> None:
    """Raise ValueError unless a run has all parts, each of the right type."""
    if missing := PARTS.keys() - run.keys():
        raise ValueError(f"it has no {', '.join(sorted(missing))}")
    for name, kind in PARTS.items():
        if not isinstance(run[name], kind):
            raise ValueError(f"its {name} is {run[name]!r:.60}")
    for name in ("net", "loss"):
        for key, array in (run[name] or {}).items():
            if not (isinstance(key, str) and isinstance(array, np.ndarray)):
                raise ValueError(f"its {name} has {key!r:.60}, which is {array!r:.60}, not an array")
    scheduler = run["scheduler"]
    if scheduler is not None and list(map(type, scheduler)) != [str, dict]:
        raise ValueError(f"its scheduler is {scheduler!r:.60}")
    check_history(run["history"])


def check_history(history: list[Any]) -> None:
    """Raise ValueError unless a list holds the rows of a history and its ``interrupted``."""
    if list(map(type, history)) != [list, bool]:
        raise ValueError(f"its history is {history!r:.60}")
    for number, row in enumerate(history[0], start=1):
        if not isinstance(row, dict) or row.get("epoch") != number:
            raise ValueError(f"row {number} of its history is {row!r:.60}")
        for name, value in row.items():
            if not (isinstance(name, str) and isinstance(value, (Real, type(None)))):
                raise ValueError(f"its history has {name!r:.60}: {value!r:.60} in epoch {number}")


def check_like(saved: Any, current: Any, place: str, optional: tuple[str, ...] = ()) -> None:
    """Raise ValueError unless a saved tree has the structure of the current one: the same keys, and values of
    the same types. Keys in ``optional`` may be missing at the top level of either."""
    if saved is None or current is None:
        return  # an option that is off in one of them
    if not is_like(saved, current, optional):
        raise ValueError(f"{place} is {saved!r:.60}, which does not match {current!r:.60}")
    if isinstance(current, dict):
        for key in saved.keys() & current.keys():
            check_like(saved[key], current[key], f"{place}/{key}")
    elif isinstance(current, (list, tuple)):
        models = (
            current if len(current) == len(saved) else [*current[:1]] * len(saved)
        )  # a list may have grown
        for number, (part, model) in enumerate(zip(saved, models)):
            check_like(part, model, f"{place}/{number}")


def is_like(saved: Any, current: Any, optional: tuple[str, ...]) -> bool:
    """Whether the roots of two trees have the same type and the same keys, or length, or shape and dtype."""
    if isinstance(current, dict):
        return isinstance(saved, dict) and not (saved.keys() ^ current.keys()) - set(optional)
    if isinstance(current, tuple):
        return type(saved) is type(current) and len(saved) == len(current)
    if isinstance(current, np.ndarray):
        return isinstance(saved, np.ndarray) and (saved.shape, saved.dtype) == (current.shape, current.dtype)
    return type(saved) is type(current) or (is_number(saved) and is_number(current))


def check_optimizer(optimizer: Optimizer) -> None:
    """Raise ValueError unless the loaded options of an optimizer are within their ranges, and its state fits
    the parameters."""
    for group in optimizer.param_groups:
        rate = group["lr"] or 1.0  # a schedule may end at 0, which `check` refuses
        optimizer.check({**group, "lr": rate})
        if not group.get("initial_lr", 0.0) >= 0:
            raise ValueError(f"initial_lr is {group['initial_lr']!r:.60}")
    package = Optimizer.__module__.rpartition(".")[0]
    is_ours = type(optimizer).__module__.startswith(package) and type(optimizer).step is Optimizer.step
    for parameter, state in optimizer.state.items():
        step = state.get("step", 1)
        if type(step) is not int or not 0 < step < COUNT_LIMIT:
            raise ValueError(f"step is {step!r:.60} in the optimizer's state")
        if is_ours:
            for name, value in state.items():
                is_array = isinstance(value, np.ndarray) and isinstance(parameter.data, np.ndarray)
                shape, kind = (value.shape, value.dtype.kind) if is_array else ((), "")
                if not (is_number(value) or (is_array and shape == parameter.shape and kind == "f")):
                    raise ValueError(f"{name!r:.60} is {value!r:.60} in the optimizer's state")


def check_generator(saved: dict[str, Any], current: Mapping[str, Any]) -> None:
    """Raise ValueError unless a saved state is that of a generator of the same type."""
    check_like(saved, current, "the state of a generator")
    parts = saved | saved["state"]
    for name, limit in POSITIONS.items():
        if not 0 <= parts.get(name, 0) <= limit:
            raise ValueError(f"the state of a generator has the {name} {parts[name]}")


def is_number(value: Any) -> bool:
    """Whether this is a real number, other than True and False."""
    return isinstance(value, Real) and not isinstance(value, bool)
