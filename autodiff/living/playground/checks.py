"""What a playground takes: data, a network whose input can be drawn, an optimizer that can be compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...compiling.compiled import compile_function
from ...engine.recording import no_grad
from ...engine.tensor import Tensor, constant_tensor, raw
from ...engine.tracing import TraceError
from ...optim.optimizer import Optimizer
from .programs import traced

CHANNELS = (1, 3)  # of pictures: grey, or red, green and blue


class Points(NamedTuple):
    """A data set: its name, the inputs and the targets."""

    name: str
    x: np.ndarray
    y: np.ndarray


def checked_data(data: Any) -> list[Points]:
    """The data sets: one pair (x, y), or several by name.

    Raises TypeError or ValueError for anything else, and for data that cannot be drawn.
    """
    named = data if isinstance(data, Mapping) else {"data": data}
    sets = [points_of(str(name), pair) for name, pair in named.items()]
    if not sets:
        raise ValueError("a playground needs data: a pair (x, y), or a dictionary of pairs by name")
    first = sets[0]
    for each in sets:
        for what, mine, other in (("x", each.x, first.x), ("y", each.y, first.y)):
            if mine.shape[1:] != other.shape[1:] or mine.dtype != other.dtype:
                raise ValueError(
                    f"the data sets of a playground are alike, but {what} of {first.name} is "
                    f"{described(other)}, and that of {each.name} {described(mine)}"
                )
    return sets


def points_of(name: str, pair: Any) -> Points:
    """One data set, checked."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise TypeError(f"{name} is a pair (x, y) of arrays, not {type(pair).__name__}")
    x, y = (np.asarray(raw(each) if isinstance(each, Tensor) else each) for each in pair)
    for what, values in (("x", x), ("y", y)):
        if values.dtype.kind not in "fiub" or values.ndim == 0:
            raise TypeError(
                f"{what} of {name} is an array of numbers, a row for each sample, not {described(values)}"
            )
        if not np.isfinite(values).all():
            raise ValueError(f"{what} of {name} holds nan or inf; leave such samples out")
    if len(x) != len(y) or not len(x):
        raise ValueError(
            f"{name} needs as many inputs as targets, at least one: x is {described(x)}, y {described(y)}"
        )
    if input_kind(x.shape[1:]) is None:
        advice = "; write x.reshape(-1, 1) for samples of one number" if x.ndim == 1 else ""
        raise ValueError(
            "a playground draws samples of 1 or 2 numbers and pictures, so x is of shape (n, 1), (n, 2), "
            f"(n, height, width) or (n, 1 or 3, height, width), and not {x.shape} as that of {name}{advice}"
        )
    return Points(name, x if x.dtype.kind == "f" else x.astype(np.float32), y)


def input_kind(shape: tuple[int, ...]) -> str | None:
    """What is drawn for a sample of this shape: a line, a plane or a picture; None for another one."""
    if shape in ((1,), (2,)):
        return "line" if shape == (1,) else "plane"
    is_picture = len(shape) == 2 or (len(shape) == 3 and shape[0] in CHANNELS)
    return "picture" if is_picture and min(shape[-2:]) > 1 else None


def described(array: np.ndarray) -> str:
    """The shape and the dtype of an array."""
    return f"{' x '.join(map(str, array.shape)) or 'one'} {array.dtype}"


def checked_optimizers(optimizer: Any) -> dict[str, Optimizer]:
    """The optimizers by name. Raises TypeError for anything else, and for one whose class has a step of its
    own, which no program contains."""
    found = dict(optimizer) if isinstance(optimizer, Mapping) else {type(optimizer).__name__: optimizer}
    for name, each in found.items():
        if not isinstance(each, Optimizer):
            raise TypeError(f"a playground takes an optimizer, or several by name, not {each!r:.60}")
        if type(each).step is not Optimizer.step:
            raise TypeError(
                f"{name} cannot train in a page: its class has a step of its own, which is not compiled"
            )
    if not found:
        raise ValueError("a playground needs an optimizer")
    return {str(name): each for name, each in found.items()}


def check_fit(model: Any, loss: Any, points: Points) -> None:
    """Raise ValueError if the model does not take the inputs, or the loss not its prediction and the targets;
    TraceError if they are not compiled."""
    said = f"the model does not take x of {points.name}, {described(points.x)}"
    try:
        prediction = traced(compile_function(model), points.x).results[-1]
        said = (
            f"the loss does not take the prediction, {' x '.join(map(str, prediction.shape))}, and y of "
            f"{points.name}, {described(points.y)}"
        )
        end = traced(compile_function(lambda x, y: loss(model(x), y)), points.x, points.y).results[-1]
    except TraceError:
        raise
    except Exception as error:
        raise ValueError(f"{said}: {error}") from error
    if end.shape:
        raise ValueError(f"the loss of a playground is one number, not {' x '.join(map(str, end.shape))}")


def border(loss: Any, low: float, high: float, like: np.ndarray) -> float:
    """The prediction at which either of two targets costs the same: 0 or the number between them."""

    def cost(prediction: float, target: float) -> float:
        shape = (1, *like.shape[1:])
        given = [constant_tensor(np.full(shape, value, like.dtype)) for value in (prediction, target)]
        return float(loss(*given))

    with no_grad():
        found = {}
        for middle in ((low + high) / 2, 0.0):
            difference = abs(cost(middle, low) - cost(middle, high))
            found[middle] = difference if np.isfinite(difference) else np.inf
    return min(found, key=lambda middle: found[middle])
