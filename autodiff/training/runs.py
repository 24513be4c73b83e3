"""Saving a run with all that is needed to continue it later in new objects, with the same numbers to the bit.

The file is a ``.npz`` with the arrays and an entry "header", a JSON text that describes them. Nothing is
pickled. The entry "sha256" is a checksum of all the others, which detects edits: most of them would silently
give another run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import seeding
from ..engine import edits
from ..engine.tensor import Tensor
from ..nn import Module
from ..optim import Optimizer
from ..optim.lr_scheduler.schedulers import Scheduler
from .files import StrPath, read_npz, write_npz
from .history import History
from .model import Model
from .packing import pack, unpack
from .run_checks import (
    arrays_checksum,
    as_value_error,
    check_checksum,
    check_generator,
    check_like,
    check_optimizer,
    check_run,
)

FORMAT, VERSION = "autodiff run", 3
CHECKSUM = "sha256"  # the name of the checksum's array, in files from version 2 on


def save_run(
    model: Model,
    path: StrPath,
    *,
    scheduler: Scheduler | None = None,
    loader: Any = None,
    generators: Sequence[Any] = (),
) -> None:
    """Save a run between two epochs: after ``fit``, or in a callback's ``on_epoch_end``.

    The file holds the weights and buffers of the net (and of the loss, if it is a module), the states of the
    optimizer and scheduler, the history, and the state of every random generator: the package's, the
    loader's, and those given to modules such as Dropout.

    Parameters
    ----------
    model
        The Model.
    path
        The file. An existing file is replaced atomically.
    scheduler, loader
        The scheduler and the loader that ``fit`` is called with.
    generators
        Other generators that the run draws from: Generators, or objects with an attribute ``generator``, such
        as random transforms.

    Raises
    ------
    ValueError
        If the optimizer has parameters that belong to neither net nor loss, and would not be saved.

    Example
    -------
    >>> import tempfile
    >>> from autodiff import nn, optim, training
    >>> def fresh():
    ...     net = nn.Linear(1, 1, generator=0)
    ...     return training.Model(net, nn.MSELoss(), optim.Adam(net.parameters(), lr=0.1))
    >>> batches = [([[1.0]], [[2.0]])]
    >>> whole, first, second = fresh(), fresh(), fresh()
    >>> history = whole.fit(batches, epochs=4)
    >>> history = first.fit(batches, epochs=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     training.save_run(first, f"{folder}/run.npz")
    ...     history = training.load_run(second, f"{folder}/run.npz")
    >>> second.fit(batches, epochs=2)["loss"] == whole.history["loss"]
    True
    """
    saved = {parameter for module in saved_modules(model) for parameter in module.parameters()}
    if any(not saved.issuperset(group["params"]) for group in model.optimizer.param_groups):
        raise ValueError(
            "the optimizer has parameters that are not the net's, and they would not be saved: make them "
            "part of the net or of the loss"
        )
    by_place = find_generators(model, loader, generators)
    run = {
        "net": model.net.state_dict(),
        "loss": module_state(model.loss),
        "optimizer": model.optimizer.state_dict(),
        "scheduler": None if scheduler is None else [type(scheduler).__name__, scheduler.state_dict()],
        "places": generator_numbers(by_place),
        "generators": [generator.bit_generator.state for generator in unique_generators(by_place)],
        "history": [model.history.rows, model.history.interrupted],
    }
    arrays: dict[str, np.ndarray] = {}
    parts = {name: pack(part, name, arrays) for name, part in run.items()}
    header = {"format": FORMAT, "version": VERSION, "epoch": len(model.history), "run": parts}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    write_npz(path, {CHECKSUM: arrays_checksum(arrays), **arrays})


def load_run(
    model: Model,
    path: StrPath,
    *,
    scheduler: Scheduler | None = None,
    loader: Any = None,
    generators: Sequence[Any] = (),
) -> History:
    """Restore a saved run in a Model and the objects that belong to it. A later ``fit`` continues the run
    with the same numbers, on the same machine and with the same versions.

    Parameters
    ----------
    model, scheduler, loader, generators
        Objects created as those of the run were. Their states are overwritten.
    path
        The file.

    Returns
    -------
    History
        The model's ``history``, with the run's epochs.

    Raises
    ------
    ValueError
        If the file is damaged, edited or not a saved run, or does not match the objects: other names, shapes
        or dtypes, another optimizer or scheduler, other generators. Everything is left as it was.
    FileNotFoundError
        If the file does not exist.
    """
    run = read_run(path)
    by_place = find_generators(model, loader, generators)
    rngs = unique_generators(by_place)
    with as_value_error(f"{path} could not be loaded"), rollback_on_error(model, scheduler, rngs):
        load_module(model.net, run["net"])
        load_module(model.loss, run["loss"])
        load_scheduler(scheduler, run["scheduler"])
        load_optimizer(
            model.optimizer, run["optimizer"]
        )  # last, since loading a scheduler sets learning rates
        check_places(run["places"], generator_numbers(by_place))
        load_generators(rngs, run["generators"])
        history = History()
        history.rows, history.interrupted = run["history"]
    model.history = history
    return history


def read_run(path: StrPath) -> dict[str, Any]:
    """Read and check the contents of a saved run."""
    arrays = read_npz(path)
    try:
        saved_checksum = arrays.pop(CHECKSUM, None)
        header = json.loads(arrays["header"].tobytes())
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r:.60}")
        if header["version"] not in range(1, VERSION + 1):
            raise ValueError(f"its version is {header['version']}, but this autodiff reads up to {VERSION}")
        if header["version"] > 1 or saved_checksum is not None:
            check_checksum(saved_checksum, arrays)
        del arrays["header"]
        run = {name: unpack(part, arrays) for name, part in header["run"].items()}
        check_run(run)
        if arrays or header["epoch"] != len(run["history"][0]):
            raise ValueError("its header does not match its contents")
    except Exception as error:  # an edited header may raise anything
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"{path} is no run that save_run saved: {reason}") from error
    return run


# -- parts -----------------------------------------------------------------------------------------------


def saved_modules(model: Model) -> list[Module]:
    """The net, and the loss if it is a module."""
    return [part for part in (model.net, model.loss) if isinstance(part, Module)]


def module_state(part: Any) -> dict[str, np.ndarray] | None:
    """The ``state_dict`` of a module; None for a loss that is a function."""
    return part.state_dict() if isinstance(part, Module) else None


def load_module(part: Any, saved: dict[str, np.ndarray] | None) -> None:
    """Load the net or the loss. Raises ValueError for other dtypes, since they would give other numbers."""
    if not isinstance(part, Module) and saved is None:
        return
    if not isinstance(part, Module) or saved is None:
        kinds = ("a function", "a module") if saved is None else ("a module", "a function")
        raise ValueError("the loss of the run is {}, but the loss of the model is {}".format(*kinds))
    current = part.state_dict()
    for name in sorted(saved.keys() & current.keys()):
        dtype = current[name].dtype
        if saved[name].dtype != dtype:
            raise ValueError(f"{name} has the dtype {dtype}, but the saved array has {saved[name].dtype}")
    part.load_state_dict(saved)


def load_scheduler(scheduler: Scheduler | None, saved: list[Any] | None) -> None:
    """Load the scheduler. Raises ValueError if the run had a scheduler of another class, or none."""
    current_name = None if scheduler is None else type(scheduler).__name__
    name, state = saved or (None, None)
    if current_name != name:
        raise ValueError(
            f"the run had {name or 'no scheduler'}, but load_run was given {current_name or 'none'}"
        )
    if scheduler is not None:
        current = scheduler.state_dict()
        scheduler.load_state_dict(state or {})
        check_like(state, current, "the scheduler")


def load_optimizer(optimizer: Optimizer, saved: dict[str, Any]) -> None:
    """Load the optimizer. Raises ValueError if it could not continue with what was loaded."""
    current_groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict(saved)
    for group, current in zip(saved["param_groups"], current_groups):
        check_like(group, current, "a parameter group", optional=("initial_lr", "param_names"))
    check_optimizer(optimizer)


# -- generators --------------------------------------------------------------------------------------------


def find_generators(model: Model, loader: Any, generators: Sequence[Any]) -> dict[str, np.random.Generator]:
    """The generators that the run draws from, by their places. One generator may be at several places.

    A layer with parameters draws from its generator only when it is created, and is left out; layers such as
    Dropout draw in every batch.
    """
    by_place: dict[str, Any] = {"the package": seeding.generator(), "the loader": generator_of(loader)}
    for name, part in (("net", model.net), ("loss", model.loss)):
        for place, module in part.named_modules() if isinstance(part, Module) else ():
            if not any(True for _ in module.parameters(recurse=False)):
                by_place[f"{name}.{place}" if place else name] = getattr(module, "_generator", None)
    for number, source in enumerate(generators):
        by_place[f"generators[{number}]"] = generator_of(source)
    return {place: generator for place, generator in by_place.items() if generator is not None}


def check_places(saved: dict[str, int], current: dict[str, int]) -> None:
    """Raise ValueError unless the generators of the run and the current ones are at the same places."""
    if saved != current:
        raise ValueError(
            f"the run drew from generators at {format_places(saved)}, but the current ones are at "
            f"{format_places(current)}: pass load_run the arguments of save_run, created in the same way"
        )


def load_generators(generators: list[np.random.Generator], saved: list[Any]) -> None:
    """Load the states of generators."""
    if len(saved) != len(generators):
        raise ValueError(f"the run has {len(saved)} generators, but there are {len(generators)} to load them")
    for generator, state in zip(generators, saved):
        current = generator.bit_generator.state
        if isinstance(state, dict) and state.get("bit_generator") == current["bit_generator"]:
            check_generator(state, current)
        generator.bit_generator.state = state


def generator_of(source: Any) -> np.random.Generator | None:
    """A Generator, or an object's ``generator``, which is None if it draws from the package's generator."""
    generator = source if isinstance(source, np.random.Generator) else getattr(source, "generator", None)
    if generator is not None and not isinstance(generator, np.random.Generator):
        raise TypeError(
            f"the generator of {source!r:.60} cannot be saved: it is {generator!r:.60}, not a Generator"
        )
    return generator


def unique_generators(by_place: dict[str, np.random.Generator]) -> list[np.random.Generator]:
    """Each generator once, in order."""
    return list({id(generator): generator for generator in by_place.values()}.values())


def generator_numbers(by_place: dict[str, np.random.Generator]) -> dict[str, int]:
    """The index among the unique generators of the generator at each place."""
    order = [id(generator) for generator in unique_generators(by_place)]
    return {place: order.index(id(generator)) for place, generator in by_place.items()}


def format_places(places: dict[str, int]) -> str:
    """Places as text; those that share a generator are joined by "="."""
    groups = [[place for place, number in places.items() if number == k] for k in set(places.values())]
    return ", ".join(" = ".join(group) for group in groups)


# -- rollback ------------------------------------------------------------------------------------------------


@contextmanager
def rollback_on_error(
    model: Model, scheduler: Scheduler | None, generators: list[np.random.Generator]
) -> Iterator[None]:
    """Restore modules, optimizer, scheduler and generators after an error in the block."""
    parts = [part for module in saved_modules(model) for part in module.modules()]
    attributes = [(vars(part), dict(vars(part))) for part in parts]
    attributes += [] if scheduler is None else [(vars(scheduler), dict(vars(scheduler)))]
    attributes += [(group, dict(group)) for group in model.optimizer.param_groups]
    tensors = {t: np.copy(t.data) for part in parts for t in vars(part).values() if isinstance(t, Tensor)}
    optimizer_state = model.optimizer.state
    generator_states = [generator.bit_generator.state for generator in generators]
    try:
        yield
    except BaseException:
        for changed, before in attributes:
            changed.clear()
            changed.update(before)
        for tensor, data in tensors.items():
            tensor._value = data if isinstance(tensor._value, np.ndarray) else float(data)
            tensor._edit = edits.new()
        model.optimizer.state = optimizer_state
        for generator, state in zip(generators, generator_states):
            generator.bit_generator.state = state
        raise
