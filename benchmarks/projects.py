"""A step of training of each network of lessons 25 to 36, compiled, beside PyTorch's.

The networks and losses are those of the lessons' full runs, ``autodiff_course/runs``. PyTorch's networks
have layers of the same names, and begin with the same numbers. The pictures in a batch are random: what they
show does not change what a step costs.
"""

from __future__ import annotations

import copy
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import nn
from autodiff.compiling.training_step import TrainingStep
from autodiff_course.runs import (
    lesson_25,
    lesson_26,
    lesson_31,
    lesson_32,
    lesson_33,
    lesson_35,
    lesson_36,
)

from .measure import THREADS, Row, installed, interleaved, ratios, settled, shown
from .peers import Step
from .workload import repeated

Nets = dict[str, Any]


@dataclass
class Turn:
    """What one optimizer does in a step: it lowers a loss of a batch."""

    loss: Callable[..., Any]  # of a package, the networks by their names, and the batch
    moves: tuple[str, ...]  # the names of the networks that Adam moves
    batch: list[np.ndarray]
    rate: float
    betas: tuple[float, float] = (0.9, 0.999)


@dataclass
class Project:
    """The networks of a lesson, and how they are trained."""

    what: str
    goal: str
    times: int  # steps a round
    nets: Nets
    turns: list[Turn]
    is_whole: bool  # whether Adam is compiled with the rest, as Model(compile=True) does


# -- the projects -------------------------------------------------------------------------------------------


def reads(P: Any, nets: Nets, pictures: Any, digits: Any) -> Any:
    return P.nn.functional.cross_entropy(nets["net"](pictures), digits)


def repeats(P: Any, nets: Nets, given: Any, wanted: Any) -> Any:
    return P.nn.functional.mse_loss(nets["net"](given), wanted)


def writes(P: Any, nets: Nets, letters: Any, following: Any) -> Any:
    """The mean over the letters of all names; after a name's end there is nothing to tell, -1."""
    scores = nets["out"](nets["cell"](letters)[0])
    return P.nn.functional.cross_entropy(scores.reshape(-1, 27), following.reshape(-1), ignore_index=-1)


def judges(P: Any, nets: Nets, real: Any, noise: Any) -> Any:
    with P.no_grad():
        forged = nets["forger"](noise)
    softplus = P.nn.functional.softplus
    return softplus(-nets["judge"](real)).mean() + softplus(nets["judge"](forged)).mean()


def forges(P: Any, nets: Nets, noise: Any) -> Any:
    return P.nn.functional.softplus(-nets["judge"](nets["forger"](noise))).mean()


def values(P: Any, nets: Nets, states: Any, chosen: Any, goal: Any) -> Any:
    return P.nn.functional.huber_loss((nets["net"](states) * chosen).sum(1), goal)


def places(P: Any, nets: Nets, words: Any, neighbours: Any, others: Any) -> Any:
    word = nets["places"](words)
    right = (word * nets["around"](neighbours)).sum(1)
    wrong = (word.reshape(-1, 1, lesson_35.SIZE) * nets["around"](others)).sum(2)
    softplus = P.nn.functional.softplus
    return (softplus(-right) + softplus(wrong).sum(1)).mean()


def is_taught(P: Any, nets: Nets, pictures: Any, soft: Any, digits: Any) -> Any:
    temperature, alpha, scores = lesson_36.TEMPERATURE, lesson_36.ALPHA, nets["net"](pictures)
    taught = -(soft * P.nn.functional.log_softmax(scores / temperature, 1)).sum(1).mean()
    return alpha * temperature**2 * taught + (1 - alpha) * P.nn.functional.cross_entropy(scores, digits)


def projects() -> list[Project]:
    rng = np.random.default_rng(0)
    ad.seed(0)

    def random(*shape: int) -> np.ndarray:
        return rng.random(shape, np.float32)

    def digits(count: int) -> np.ndarray:
        return rng.integers(10, size=count)

    def one(what: str, goal: str, times: int, net: Any, loss: Any, *batch: Any, whole: bool) -> Project:
        turn = Turn(loss, ("net",), list(batch), 0.001)
        return Project(what, goal, times, {"net": net}, [turn], whole)

    def game(what: str, goal: str, times: int, pair: tuple[Any, Any]) -> Project:
        size, betas = (lesson_33.BATCH, lesson_33.NOISE), lesson_33.BETAS
        noise, rates = rng.normal(size=size).astype(np.float32), lesson_33.RATES
        judging = Turn(judges, ("judge",), [random(size[0], 784), noise], rates[1], betas)
        forging = Turn(forges, ("forger",), [noise], rates[0], betas)
        return Project(what, goal, times, dict(zip(("forger", "judge"), pair)), [judging, forging], False)

    colours = random(32, 2), random(32, 3)
    pictures, rows = random(100, 1, 28, 28), random(100, 784)
    letters = rng.integers(27, size=(9, lesson_26.BATCH))
    cell = {"cell": nn.LSTM(27, lesson_26.SIZE), "out": nn.Linear(lesson_26.SIZE, 27)}
    written = Turn(writes, ("cell", "out"), [np.eye(27, dtype=np.float32)[letters], letters], 0.01)
    denoiser = nn.Sequential(*(each for part in lesson_32.network(lesson_32.SIZES) for each in part))
    pole = nn.Sequential(nn.Linear(4, 100), nn.ReLU(), nn.Linear(100, 2)).double()
    pushes = rng.random((64, 4)), np.eye(2)[rng.integers(2, size=64)], rng.random(64)
    words = {name: nn.Embedding(3000, lesson_35.SIZE) for name in ("places", "around")}
    count = lesson_35.BATCH
    drawn = [rng.integers(3000, size=size) for size in (count, count, (count, lesson_35.INVENTED))]
    placed = Turn(places, ("places", "around"), drawn, lesson_35.RATE)
    return [
        one("25, ConvNet", "at most 1.2", 1, lesson_25.convnet(), reads, pictures, digits(100), whole=True),
        one("25, dense", "at most 1", 10, lesson_25.dense(), reads, pictures, digits(100), whole=True),
        Project("26, nn.LSTM in place of the reader's", "at most 1.2", 1, cell, [written], is_whole=True),
        one("31, painter", "at most 1", 10, lesson_31.painter(), repeats, *colours, whole=True),
        one("32, noise taken away", "at most 1", 3, denoiser, repeats, rows, rows, whole=True),
        game("33, dense forger and judge", "at most 1", 3, lesson_33.dense()),
        game("33, forger and judge of convolutions", "at most 1.2", 1, lesson_33.conv()),
        one("34, pole", "at most 1", 10, pole, values, *pushes, whole=False),
        Project("35, words", "at most 1", 3, words, [placed], is_whole=False),
        one("36, teacher", "at most 1.2", 1, lesson_36.convnet(), reads, pictures, digits(100), whole=False),
        one(
            "36, student", "at most 1", 10, lesson_36.student(0, 784), is_taught,
            rows, random(100, 10), digits(100), whole=False,
        ),
    ]  # fmt: skip


# -- the same step in both packages -------------------------------------------------------------------------


def ours(project: Project, *, compiled: bool = True) -> Step:
    """A step of ours, which returns the losses."""
    nets = copy.deepcopy(project.nets)

    def make(turn: Turn) -> Step:
        adam = ad.optim.Adam(parameters(nets, turn), turn.rate, betas=turn.betas)
        loss_of = partial(turn.loss, ad, nets)
        if compiled and project.is_whole:
            x, target = turn.batch
            step = TrainingStep(lambda x: x, loss_of, adam)  # forward is part of the loss here
            return lambda: step(x, target)[1]
        lower = lowering(loss_of)
        return stepping(ad.compile(lower) if compiled else lower, adam, turn.batch)

    return in_turn(project, make)


def pytorch(project: Project) -> Step:
    """The same in PyTorch."""
    import torch

    torch.set_num_threads(THREADS)
    nets = {name: in_pytorch(net) for name, net in project.nets.items()}

    def make(turn: Turn) -> Step:
        adam = torch.optim.Adam(parameters(nets, turn), turn.rate, betas=turn.betas)
        lower = lowering(partial(turn.loss, torch, nets))
        return stepping(lower, adam, [torch.tensor(array) for array in turn.batch])

    return in_turn(project, make)


def in_pytorch(net: Any) -> Any:
    """The network with PyTorch's layers: what a layer of ours prints is what makes PyTorch's."""
    import torch

    def layer(one: Any) -> Any:
        if isinstance(one, nn.Sequential):
            return torch.nn.Sequential(*map(layer, one))
        if isinstance(one, nn.Reshape):
            return torch.nn.Unflatten(1, one.shape)
        return eval(repr(one).partition("  #")[0], vars(torch.nn).copy())

    made = layer(net).to(getattr(torch, next(net.parameters()).data.dtype.name))
    made.load_state_dict({name: torch.tensor(np.asarray(array)) for name, array in net.state_dict().items()})
    return made


def lowering(loss_of: Callable[..., Any]) -> Callable[..., Any]:
    def lower(*batch: Any) -> Any:
        loss = loss_of(*batch)
        loss.backward()
        return loss

    return lower


def stepping(lower: Callable[..., Any], optimizer: Any, batch: list[Any]) -> Step:
    """A step in words that both packages share."""

    def step() -> Any:
        optimizer.zero_grad()
        loss = lower(*batch)
        optimizer.step()
        return loss

    return step


def in_turn(project: Project, make: Callable[[Turn], Step]) -> Step:
    steps = [make(turn) for turn in project.turns]
    return lambda: [step() for step in steps]


def parameters(nets: Nets, turn: Turn) -> list[Any]:
    return [p for name in turn.moves for p in nets[name].parameters()]


# -- the contest --------------------------------------------------------------------------------------------


def row_of(project: Project, quick: bool) -> Row:
    """Our compiled time by PyTorch's, and in the note our eager time."""
    what = f"{project.what}: compiled step by PyTorch's"
    if not installed("torch"):
        return Row(what, project.goal, [], note="torch is not installed")
    made = {"compiled": ours(project), "eager": ours(project, compiled=False), "PyTorch": pytorch(project)}
    check(project, made)
    times, rounds = (1, 2) if quick else (project.times, 31)
    with settled():
        seconds = interleaved({name: repeated(step, times) for name, step in made.items()}, rounds)
    eager = statistics.median(ratios(seconds["eager"], seconds["PyTorch"]))
    least = min(seconds["compiled"]) / min(seconds["PyTorch"])
    note = f"of the least {shown(least)}; eager {shown(eager)}"
    return Row(what, project.goal, ratios(seconds["compiled"], seconds["PyTorch"]), note=note)


def check(project: Project, made: dict[str, Step]) -> None:
    """Raise AssertionError if the losses of the third step are not the same for all."""
    losses = {name: [loss.item() for loss in [step(), step(), step()][-1]] for name, step in made.items()}
    theirs = losses["PyTorch"]
    for name, found in losses.items():
        if not np.allclose(found, theirs, rtol=1e-4):
            raise AssertionError(f"{project.what}: the losses of {name} are {found}, PyTorch's {theirs}")


def measure(quick: bool) -> list[Row]:
    return [row_of(project, quick) for project in projects()]
