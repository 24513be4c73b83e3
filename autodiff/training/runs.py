"""Saving a run: all that it takes to go on later, in fresh objects, to the same numbers bit by bit.

One ``.npz``: the arrays, and under the name "header" a text in JSON that says what they are. Nothing is
pickled. A checksum over all of it, "sha256", tells whether somebody has edited it since: most edits would
give another run without a word.
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
    as_value_error,
    check_generator,
    check_like,
    check_optimizer,
    check_run,
    check_seal,
    seal,
)

FORMAT, VERSION = "autodiff run", 3
SEAL = "sha256"  # the name of an array, in files from version 2 on: tells whether the others are as saved


def save_run(
    model: Model,
    path: StrPath,
    *,
    scheduler: Scheduler | None = None,
    loader: Any = None,
    generators: Sequence[Any] = (),
) -> None:
    """Save a run between two epochs: after ``fit``, or in a callback's ``on_epoch_end``.

    The file has the weights and buffers of the net (and of the loss, if it is a module), what the optimizer
    remembers, the scheduler's state, the history with its count of epochs, and the state of every generator
    of random numbers: the package's, the loader's, and those that modules such as Dropout were given.

    Parameters
    ----------
    model
        The Model.
    path
        The file; an older one is replaced, in one step.
    scheduler, loader
        Those that ``fit`` is called with.
    generators
        What else has a generator of its own: Generators, or objects that keep one as ``generator``, as random
        transforms do.

    Raises
    ------
    ValueError
        If the optimizer changes parameters that belong to neither net nor loss: they would not be saved.

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
    own = {parameter for module in modules(model) for parameter in module.parameters()}
    if any(parameter not in own for group in model.optimizer.param_groups for parameter in group["params"]):
        raise ValueError(
            "the optimizer changes parameters that are not the net's, and they would not be saved: make them "
            "part of the net or of the loss"
        )
    found = sources(model, loader, generators)
    run = {
        "net": model.net.state_dict(),
        "loss": state_of(model.loss),
        "optimizer": model.optimizer.state_dict(),
        "scheduler": None if scheduler is None else [type(scheduler).__name__, scheduler.state_dict()],
        "places": shared(found),
        "generators": [generator.bit_generator.state for generator in distinct(found)],
        "history": [model.history.rows, model.history.interrupted],
    }
    arrays: dict[str, np.ndarray] = {}
    parts = {name: pack(part, name, arrays) for name, part in run.items()}
    header = {"format": FORMAT, "version": VERSION, "epoch": len(model.history), "run": parts}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    write_npz(path, {SEAL: seal(arrays), **arrays})


def load_run(
    model: Model,
    path: StrPath,
    *,
    scheduler: Scheduler | None = None,
    loader: Any = None,
    generators: Sequence[Any] = (),
) -> History:
    """Bring a Model, and what belongs to it, to where a saved run stood. A ``fit`` then goes on as the run
    itself would have, to the same numbers, on the same machine and versions.

    Parameters
    ----------
    model, scheduler, loader, generators
        Made as those of the run were made; what they have learned or drawn is overwritten.
    path
        The file.

    Returns
    -------
    History
        The model's, with the run's epochs.

    Raises
    ------
    ValueError
        If the file is damaged, no saved run, or was edited, or does not fit: other names, shapes or dtypes,
        another optimizer or scheduler, other generators. Everything is left as it was.
    FileNotFoundError
        If there is no such file.
    """
    run = read(path)
    found = sources(model, loader, generators)
    with as_value_error(f"{path} could not be loaded"), all_or_nothing(model, scheduler, distinct(found)):
        for part, saved in ((model.net, run["net"]), (model.loss, run["loss"])):
            load_module(part, saved)
        load_scheduler(scheduler, run["scheduler"])
        load_optimizer(model.optimizer, run["optimizer"])  # last: the rates are as they were, not as planned
        if shared(found) != run["places"]:
            raise ValueError(
                f"the run drew from generators at {worded(run['places'])}, and here they are at "
                f"{worded(shared(found))}: give load_run what save_run was given, made in the same way"
            )
        load_generators(distinct(found), run["generators"])
        history = History()
        history.rows, history.interrupted = run["history"]
    model.history = history
    return history


def read(path: StrPath) -> dict[str, Any]:
    """What a file has of a run."""
    arrays = read_npz(path)
    try:
        sealed = arrays.pop(SEAL, None)
        header = json.loads(arrays["header"].tobytes())
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r:.60}")
        if header["version"] not in range(1, VERSION + 1):
            raise ValueError(f"its version is {header['version']}, and this package reads up to {VERSION}")
        if header["version"] > 1 or sealed is not None:
            check_seal(sealed, arrays)
        del arrays["header"]
        run = {name: unpack(part, arrays) for name, part in header["run"].items()}
        check_run(run)
        if arrays or header["epoch"] != len(run["history"][0]):
            raise ValueError("its header speaks of another run than it has")
    except Exception as error:  # whatever the header leads to if somebody has written something else there
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"{path} is no run that save_run saved: {reason}") from error
    return run


# -- parts -----------------------------------------------------------------------------------------------


def modules(model: Model) -> list[Module]:
    """The net, and the loss if it is a module."""
    return [part for part in (model.net, model.loss) if isinstance(part, Module)]


def state_of(part: Any) -> dict[str, np.ndarray] | None:
    """What a module saves; None for a loss that is a function."""
    return part.state_dict() if isinstance(part, Module) else None


def load_module(part: Any, saved: dict[str, np.ndarray] | None) -> None:
    """Load the net, or the loss; other dtypes would give other numbers, and are refused."""
    if saved is None or not isinstance(part, Module):
        if saved is None and not isinstance(part, Module):
            return
        raise ValueError("one loss is a function, and the other a module: the run's, and the one here")
    kept = part.state_dict()
    other = [name for name in saved.keys() & kept.keys() if saved[name].dtype != kept[name].dtype]
    if other:
        name = min(other)
        raise ValueError(f"{name} has the dtype {kept[name].dtype}, and the saved one {saved[name].dtype}")
    part.load_state_dict(saved)


def load_scheduler(scheduler: Scheduler | None, saved: list[Any] | None) -> None:
    """Load the scheduler, if the run had the same."""
    own = None if scheduler is None else type(scheduler).__name__
    name, state = saved or (None, None)
    if own != name:
        raise ValueError(f"the run had {name or 'no scheduler'}, and load_run was given {own or 'none'}")
    if scheduler is not None:
        before = scheduler.state_dict()
        scheduler.load_state_dict(state or {})
        check_like(state, before, "the scheduler")


def load_optimizer(optimizer: Optimizer, saved: dict[str, Any]) -> None:
    """Load the optimizer, and make sure that it can go on with what was loaded."""
    own = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict(saved)
    for theirs, ours in zip(saved["param_groups"], own):
        check_like(theirs, ours, "a parameter group", optional=("initial_lr", "param_names"))
    check_optimizer(optimizer)


# -- generators --------------------------------------------------------------------------------------------


def sources(model: Model, loader: Any, generators: Sequence[Any]) -> dict[str, np.random.Generator]:
    """The generators that the run draws from, by where they are. One may be at several places.

    A layer with parameters has used up its generator when it drew them; Dropout and its like go on drawing.
    """
    found: dict[str, Any] = {"the package": seeding.generator(), "the loader": generator_of(loader)}
    for name, part in (("net", model.net), ("loss", model.loss)):
        for place, module in part.named_modules() if isinstance(part, Module) else ():
            if not any(True for _ in module.parameters(recurse=False)):
                found[f"{name}.{place}" if place else name] = getattr(module, "_generator", None)
    for number, given in enumerate(generators):
        found[f"generators[{number}]"] = generator_of(given)
    return {place: generator for place, generator in found.items() if generator is not None}


def load_generators(generators: list[np.random.Generator], saved: list[Any]) -> None:
    """Have generators go on where those of the run stood."""
    if len(saved) != len(generators):
        raise ValueError(f"the run has the state of {len(saved)} generators, and here are {len(generators)}")
    for generator, state in zip(generators, saved):
        own = generator.bit_generator.state
        if isinstance(state, dict) and state.get("bit_generator") == own["bit_generator"]:
            check_generator(state, own)
        generator.bit_generator.state = state


def generator_of(given: Any) -> np.random.Generator | None:
    """A Generator, or the one that an object keeps; None for one that draws from the package's."""
    generator = given if isinstance(given, np.random.Generator) else getattr(given, "generator", None)
    if generator is not None and not isinstance(generator, np.random.Generator):
        raise TypeError(f"{given!r:.60} has no generator that could be saved, but {generator!r:.60}")
    return generator


def distinct(found: dict[str, np.random.Generator]) -> list[np.random.Generator]:
    """Each generator once, in order."""
    return list({id(generator): generator for generator in found.values()}.values())


def shared(found: dict[str, np.random.Generator]) -> dict[str, int]:
    """Which of the distinct generators is at which place."""
    order = [id(generator) for generator in distinct(found)]
    return {place: order.index(id(generator)) for place, generator in found.items()}


def worded(places: dict[str, int]) -> str:
    """Places in a message: those of one generator joined."""
    groups = [[place for place, number in places.items() if number == k] for k in set(places.values())]
    return ", ".join(" = ".join(group) for group in groups)


# -- all or nothing ------------------------------------------------------------------------------------------


@contextmanager
def all_or_nothing(
    model: Model, scheduler: Scheduler | None, generators: list[np.random.Generator]
) -> Iterator[None]:
    """After an error in the block, modules, optimizer, scheduler and generators are as they were before."""
    parts = [part for module in modules(model) for part in module.modules()]
    attributes = [(vars(part), dict(vars(part))) for part in parts]
    attributes += [] if scheduler is None else [(vars(scheduler), dict(vars(scheduler)))]
    attributes += [(group, dict(group)) for group in model.optimizer.param_groups]
    tensors = {t: np.copy(t.data) for part in parts for t in vars(part).values() if isinstance(t, Tensor)}
    memory = model.optimizer.state
    drawn = [generator.bit_generator.state for generator in generators]
    try:
        yield
    except BaseException:
        for changed, before in attributes:
            changed.clear()
            changed.update(before)
        for tensor, data in tensors.items():
            tensor._value = data if isinstance(tensor._value, np.ndarray) else float(data)
            tensor._edit = edits.new()
        model.optimizer.state = memory
        for generator, state in zip(generators, drawn):
            generator.bit_generator.state = state
        raise
