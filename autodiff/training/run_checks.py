"""Whether what a file has of a run can be one: its parts are of the right kinds, and numbers within their
ranges. What does not fit is a ValueError that says where."""

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
POSITIONS = {"pos": 624, "buffer_pos": 4}  # how far generators may be in their buffers; NumPy does not check
COUNT_LIMIT = 2**53


@contextmanager
def as_value_error(what: str) -> Iterator[None]:
    """Turn every error in the block that is none yet into a ValueError that begins so."""
    try:
        yield
    except ValueError:
        raise
    except Exception as error:  # whatever a value of another type leads to
        raise ValueError(f"{what}: {type(error).__name__}: {error}") from error


def seal(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """The SHA-256 of arrays with their names, shapes and dtypes: of others it is another."""
    total = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        total.update(f"{name!r} {array.shape} {array.dtype.str} ".encode())
        total.update(np.ascontiguousarray(array).data)
    return np.frombuffer(total.digest(), np.uint8)


def check_seal(sealed: np.ndarray | None, arrays: Mapping[str, np.ndarray]) -> None:
    """Raise unless the arrays are those that were sealed."""
    if sealed is None or not np.array_equal(sealed, seal(arrays)):
        raise ValueError("it was changed after it was saved: its contents have another checksum")


def check_run(run: Mapping[str, Any]) -> None:
    """Raise unless all parts of a run are there, and each is of its kind."""
    if missing := PARTS.keys() - run.keys():
        raise ValueError(f"it has no {', '.join(sorted(missing))}")
    for name, kind in PARTS.items():
        if not isinstance(run[name], kind):
            raise ValueError(f"its {name} is {run[name]!r:.60}")
    for name in ("net", "loss"):
        for key, array in (run[name] or {}).items():
            if not (isinstance(key, str) and isinstance(array, np.ndarray)):
                raise ValueError(f"its {name} has {key!r:.60}, which is {array!r:.60} and no array")
    scheduler = run["scheduler"]
    if scheduler is not None and list(map(type, scheduler)) != [str, dict]:
        raise ValueError(f"its scheduler is {scheduler!r:.60}")
    check_history(run["history"])


def check_history(history: list[Any]) -> None:
    """Raise unless this is the rows of a history, and whether it was interrupted."""
    if list(map(type, history)) != [list, bool]:
        raise ValueError(f"its history is {history!r:.60}")
    for number, row in enumerate(history[0], start=1):
        if not isinstance(row, dict) or row.get("epoch") != number:
            raise ValueError(f"row {number} of its history is {row!r:.60}")
        for name, value in row.items():
            if not (isinstance(name, str) and isinstance(value, (Real, type(None)))):
                raise ValueError(f"its history has {name!r:.60}: {value!r:.60} in epoch {number}")


def check_like(saved: Any, own: Any, place: str, optional: tuple[str, ...] = ()) -> None:
    """Raise unless two trees are alike: the same keys, and at every place values of the same kind."""
    if saved is None or own is None:
        return  # a setting that is switched off in one of them
    if isinstance(own, dict):
        if not isinstance(saved, dict) or (saved.keys() ^ own.keys()) - set(optional):
            raise ValueError(f"{place} is {saved!r:.60}, and not like {own!r:.60}")
        for key in saved.keys() & own.keys():
            check_like(saved[key], own[key], f"{place}/{key}")
    elif isinstance(own, (list, tuple)):
        if type(saved) is not type(own) or (isinstance(own, tuple) and len(saved) != len(own)):
            raise ValueError(f"{place} is {saved!r:.60}, and not like {own!r:.60}")
        models = own if len(own) == len(saved) else [*own[:1]] * len(saved)
        for number, (part, model) in enumerate(zip(saved, models)):
            check_like(part, model, f"{place}/{number}")
    elif isinstance(own, np.ndarray):
        if not isinstance(saved, np.ndarray) or (saved.shape, saved.dtype) != (own.shape, own.dtype):
            raise ValueError(f"{place} is {saved!r:.60}, and not like {own!r:.60}")
    elif type(saved) is not type(own) and not (is_number(saved) and is_number(own)):
        raise ValueError(f"{place} is {saved!r:.60}, and not like {own!r:.60}")


def check_optimizer(optimizer: Optimizer) -> None:
    """Raise unless the options that were loaded are within their ranges, and what is remembered of each
    parameter can be added to it."""
    for group in optimizer.param_groups:
        rate = group["lr"] or 1.0  # 0 is where a schedule may end
        optimizer.check({**group, "lr": rate})
        if not group.get("initial_lr", 0.0) >= 0:
            raise ValueError(f"initial_lr is {group['initial_lr']!r:.60}")
    package = Optimizer.__module__.rpartition(".")[0]
    is_ours = type(optimizer).__module__.startswith(package) and type(optimizer).step is Optimizer.step
    for parameter, memory in optimizer.state.items():
        step = memory.get("step", 1)
        if type(step) is not int or not 0 < step < COUNT_LIMIT:
            raise ValueError(f"step is {step!r:.60} in what the optimizer remembers")
        if is_ours:
            for name, value in memory.items():
                is_array = isinstance(value, np.ndarray) and isinstance(parameter.data, np.ndarray)
                shape, kind = (value.shape, value.dtype.kind) if is_array else ((), "")
                if not (is_number(value) or (is_array and shape == parameter.shape and kind == "f")):
                    raise ValueError(f"{name!r:.60} is {value!r:.60} in what the optimizer remembers")


def check_generator(saved: dict[str, Any], own: Mapping[str, Any]) -> None:
    """Raise unless this is the state of such a generator."""
    check_like(saved, own, "the state of a generator")
    parts = saved | saved["state"]
    for name, limit in POSITIONS.items():
        if not 0 <= parts.get(name, 0) <= limit:
            raise ValueError(f"the state of a generator has the {name} {parts[name]}")


def is_number(value: Any) -> bool:
    """Whether this is a real number, and neither True nor False."""
    return isinstance(value, Real) and not isinstance(value, bool)
