"""One function per family of operations: it draws a call, and says what NumPy and PyTorch call the same.

Operations that only move elements have one oracle: NumPy moves the numbers of the places, and PyTorch or
NumPy picks those.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff.engine.catalogue import catalogue
from tests.fuzz.chance import Chance


@dataclass
class Call:
    """An operation on arrays, three times: ours takes Tensors, PyTorch's its tensors, NumPy's arrays."""

    name: str
    arrays: list[Any]
    ours: Callable[..., Any]
    torch: Callable[..., Any] | None
    numpy: Callable[..., Any] | None
    options: dict[str, Any] = field(default_factory=dict)
    analytic: bool = True  # whether NumPy's function takes complex numbers and is analytic
    smooth: bool = True  # whether the second derivative can be compared


def torch_function(name: str) -> Callable[..., Any]:
    """A function of torch's, or of torch.nn.functional's, looked up when it is called."""

    def call(*tensors: Any, **options: Any) -> Any:
        import torch

        for home in (torch, torch.nn.functional, torch.linalg):
            if hasattr(home, name):
                return getattr(home, name)(*tensors, **options)
        raise AttributeError(name)

    return call


def made(chance: Chance, name: str, arrays: list[Any], torch: Any, numpy: Any, **rest: Any) -> Call:
    """A call of the catalogue's operation ``name``, its options sometimes given by position."""
    options = rest.pop("options", {})
    operation = catalogue.find(name)
    return Call(name, arrays, lambda *x: operation(*x, **options), torch, numpy, options, **rest)


erf = np.vectorize(math.erf, otypes=[float])

# name: (values, PyTorch's name, NumPy's function, whether that is analytic)
UNARY: dict[str, tuple[str, Any, Any, bool]] = {
    "neg": ("any", "neg", np.negative, True), "exp": ("any", "exp", np.exp, True),
    "log": ("positive", "log", np.log, True), "sqrt": ("positive", "sqrt", np.sqrt, True),
    "sin": ("any", "sin", np.sin, True), "cos": ("any", "cos", np.cos, True),
    "tanh": ("any", "tanh", np.tanh, True), "abs": ("any", "abs", np.abs, False),
    "sigmoid": ("any", "sigmoid", lambda x: 1 / (1 + np.exp(-x)), True),
    "relu": ("any", "relu", lambda x: x * (x.real > 0), True),
    "square": ("any", "square", np.square, True),
    "reciprocal": ("nonzero", "reciprocal", np.reciprocal, True),
    "cbrt": ("nonzero", lambda x: x.sign() * x.abs() ** (1 / 3), np.cbrt, False),
    "exp2": ("any", "exp2", np.exp2, True), "expm1": ("any", "expm1", np.expm1, True),
    "log2": ("positive", "log2", np.log2, True), "log10": ("positive", "log10", np.log10, True),
    "log1p": ("inside", "log1p", np.log1p, True), "tan": ("small", "tan", np.tan, True),
    "arcsin": ("inside", "arcsin", np.arcsin, True), "arccos": ("inside", "arccos", np.arccos, True),
    "arctan": ("any", "arctan", np.arctan, True), "sinh": ("any", "sinh", np.sinh, True),
    "cosh": ("any", "cosh", np.cosh, True), "arcsinh": ("any", "arcsinh", np.arcsinh, True),
    "arccosh": ("outside", "arccosh", np.arccosh, True), "arctanh": ("inside", "arctanh", np.arctanh, True),
    "erf": ("any", "erf", erf, False),
    "softplus": ("any", "softplus", lambda x: np.log1p(np.exp(x)), True),
    "logsigmoid": ("any", "logsigmoid", lambda x: -np.log1p(np.exp(-x)), True),
    "silu": ("any", "silu", lambda x: x / (1 + np.exp(-x)), True),
    "leaky_relu": ("any", "leaky_relu", lambda x: np.where(x.real > 0, x, 0.01 * x), True),
    "elu": ("any", "elu", lambda x: np.where(x.real > 0, x, np.expm1(x)), True),
    "gelu": (
        "any", "gelu", lambda x: x * (1 + erf(x / math.sqrt(2))) / 2, False,
    ),
    "selu": (
        "any", "selu",
        lambda x: 1.0507009873554805 * np.where(x.real > 0, x, 1.6732632423543772 * np.expm1(x)), True,
    ),
    "celu": ("any", "celu", lambda x: np.where(x.real > 0, x, np.expm1(x)), True),
    "mish": ("any", "mish", lambda x: x * np.tanh(np.log1p(np.exp(x))), True),
    "softsign": ("any", "softsign", lambda x: np.where(x.real > 0, x / (1 + x), x / (1 - x)), True),
    "sinc": ("nonzero", "sinc", np.sinc, True), "deg2rad": ("any", "deg2rad", np.deg2rad, False),
    "rad2deg": ("any", "rad2deg", np.rad2deg, False),
    "nan_to_num": ("any", "nan_to_num", np.nan_to_num, False),
}  # fmt: skip

BINARY: dict[str, tuple[str, str, Any, bool]] = {
    "add": ("any", "any", np.add, True), "sub": ("any", "any", np.subtract, True),
    "mul": ("any", "any", np.multiply, True), "div": ("any", "nonzero", np.divide, True),
    "pow": ("positive", "any", np.power, True), "maximum": ("any", "any", np.maximum, True),
    "minimum": ("any", "any", np.minimum, True), "logaddexp": ("any", "any", np.logaddexp, False),
    "arctan2": ("nonzero", "nonzero", np.arctan2, False), "hypot": ("nonzero", "nonzero", np.hypot, False),
    "fmax": ("any", "any", np.fmax, True), "fmin": ("any", "any", np.fmin, True),
    "logaddexp2": ("any", "any", np.logaddexp2, False),
}  # fmt: skip


def unary(chance: Chance) -> Call:
    name = chance.choice(list(UNARY))
    kind, torch, numpy, analytic = UNARY[name]
    torch = torch_function(torch) if isinstance(torch, str) else torch
    return made(chance, name, [chance.array(chance.shape(), kind)], torch, numpy, analytic=analytic)


def binary(chance: Chance) -> Call:
    name = chance.choice(list(BINARY))
    left, right, numpy, analytic = BINARY[name]
    one, other = chance.broadcastable(2)
    arrays = [chance.array(one, left), chance.array(other, right)]
    return made(chance, name, arrays, torch_function(name), numpy, analytic=analytic)


def ternary(chance: Chance) -> Call:
    first, second, third = chance.broadcastable(3)
    if chance.often(0.5):
        condition = chance.rng.random(first) < 0.5
        where = catalogue.find("where")

        def torch_where(x: Any, y: Any) -> Any:
            return torch_function("where")(x.new_tensor(condition) != 0, x, y)

        arrays = [chance.array(second), chance.array(third)]
        return Call(
            "where",
            arrays,
            lambda x, y: where(condition, x, y),
            torch_where,
            lambda x, y: np.where(condition, x, y),
            {"condition": condition},
        )
    arrays = [chance.array(shape) for shape in (first, second, third)]
    return made(
        chance,
        "clip",
        arrays,
        lambda x, low, high: x.maximum(low).minimum(high),
        lambda x, low, high: np.minimum(np.maximum(x, low), high),
    )


def torch_reduction(name: str) -> Callable[..., Any]:
    def call(x: Any, axis: Any, keepdims: bool, **options: Any) -> Any:
        axes = tuple(range(x.ndim)) if axis is None else axis
        if name == "prod":  # along one axis at a time
            for a in sorted((a % x.ndim for a in np.ravel(axes).astype(int).tolist()), reverse=True):
                x = x.prod(dim=a, keepdim=keepdims)
            return x * 1
        if name == "norm":
            return (x * x).sum(dim=axes, keepdim=keepdims).sqrt()
        return getattr(x, name)(dim=axes, keepdim=keepdims, **options)

    return call


def reduction(chance: Chance) -> Call:
    names = ("sum", "sum", "mean", "prod", "var", "std", "norm", "max", "min", "logsumexp", "median")
    name = chance.choice(names)
    shape = chance.shape(side=int(name not in ("sum", "prod", "norm", "logsumexp")))
    options = {"axis": chance.axes(shape), "keepdims": chance.often(0.5)}
    torch: Any = torch_reduction({"max": "amax", "min": "amin"}.get(name, name))
    numpy: Any = getattr(np, name, None)
    arrays = [chance.array(shape, ties=name in ("sum", "mean", "prod", "logsumexp"))]
    ours = dict(options)
    count = (
        math.prod(np.take(shape, options["axis"]).ravel())
        if options["axis"] is not None
        else math.prod(shape)
    )
    if name in ("var", "std"):
        if count < 2:
            name = "var"
            torch, numpy = torch_reduction("var"), np.var
        ours["ddof"] = chance.integer(0, 1) if count > 1 else 0
        torch = with_options(torch, **options, correction=ours["ddof"])
        numpy = with_options(numpy, **ours)
    elif name == "norm":
        if count == 0:
            return movement(chance)
        torch, numpy = with_options(torch, **options), lambda x: np.sqrt(np.sum(x * x, **options))
    elif name == "logsumexp":
        torch, numpy = with_options(torch, **options), lambda x: np.log(np.sum(np.exp(x), **options))
        if count == 0:
            return movement(chance)
    elif name == "median":
        torch, numpy = with_options(torch_median, **options), with_options(np.median, **options)
    else:
        torch, numpy = with_options(torch, **options), with_options(numpy, **options)
    return made(chance, name, arrays, torch, numpy, options=ours, analytic=name not in ("var", "std"))


def with_options(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return lambda *x: function(*x, **options)


def torch_median(x: Any, axis: Any, keepdims: bool) -> Any:
    """PyTorch's own takes the lower of two in the middle; the mean of both is NumPy's."""
    axes = sorted(
        {int(a) % x.ndim for a in np.ravel(range(x.ndim) if axis is None else axis)} if x.ndim else ()
    )
    rest = [a for a in range(x.ndim) if a not in axes]
    rows = x.permute(*rest, *axes).flatten(len(rest)) if axes else x[..., None]
    rows = rows.sort(dim=-1).values
    n = rows.shape[-1]
    z = (rows[..., (n - 1) // 2] + rows[..., n // 2]) / 2
    return z.reshape([1 if a in axes else n for a, n in enumerate(x.shape)]) if keepdims else z


def along_one_axis(chance: Chance) -> Call:
    name = chance.choice(("cumsum", "cumprod", "sort", "softmax", "log_softmax"))
    shape = chance.shape(least=1)
    axis = chance.choice((chance.axis(shape), None if name.startswith(("cum", "sort")) else -1))

    def torch(x: Any) -> Any:
        row = x.reshape(-1) if axis is None else x
        if name == "sort":
            return row.sort(dim=axis or 0).values
        return getattr(row, name)(axis or 0)

    def numpy(x: Any) -> Any:
        if name in ("cumsum", "cumprod", "sort"):
            return getattr(np, name)(x, axis=axis)
        part = np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)
        return np.log(part) if name == "log_softmax" else part

    array = chance.array(shape, ties=name != "sort")
    return made(chance, name, [array], torch, numpy, options={"axis": axis})


def moved_by(
    name: str, array: Any, move: Callable[[Any], Any], options: dict[str, Any], fill: float = 0.0
) -> Call:
    """An operation that moves elements: where each comes from is read off the places that NumPy moved; -1 is
    filled up."""
    places = np.array(move(np.arange(array.size).reshape(array.shape)), order="C")

    def torch(x: Any) -> Any:
        row = torch_function("cat")([x.reshape(-1), x.new_tensor([fill])])
        return row[x.new_tensor(places).long()]

    def numpy(x: Any) -> Any:
        return np.append(np.ravel(x), fill)[places]

    operation = catalogue.find(name)
    return Call(name, [array], lambda x: operation(x, **options), torch, numpy, options)


def movement(chance: Chance) -> Call:
    shape = chance.shape()
    array = chance.array(shape)
    n = len(shape)
    name = chance.choice(
        ("getitem",) * 6
        + ("repeat",) * 2
        + (
            "tile",
            "transpose",
            "transpose",
            "flip",
            "roll",
            "reshape",
            "ravel",
            "expand_dims",
            "squeeze",
            "swapaxes",
            "moveaxis",
            "broadcast_to",
            "pad",
            "diagonal",
            "tril",
            "triu",
            "take_along_axis",
        )
    )
    options: dict[str, Any] = {}
    if name == "getitem":
        options = {"index": chance.index(shape)}
        try:
            np.empty(shape)[options["index"]]
        except IndexError:  # index arrays that do not broadcast together
            options = {"index": ...}
        return moved_by(name, array, lambda x: np.asarray(x[options["index"]]), options)
    if name == "pad":
        mode = (
            chance.choice(("constant", "edge", "reflect", "symmetric", "wrap")) if array.size else "constant"
        )
        options = {"pad_width": [tuple(chance.integers(0, 2, 2).tolist()) for _ in shape] or 0, "mode": mode}
        filled = {"constant_values": -1} if mode == "constant" else {}
        fill = float(chance.integer(0, 2))
        ours = options | ({"constant_values": fill} if filled else {})
        return moved_by(name, array, lambda x: np.pad(x, **options, **filled), ours, fill)
    if name in ("tril", "triu") and n > 1:
        k = chance.integer(-2, 2)
        kept = getattr(np, name)(np.ones(shape, bool), k)
        return moved_by(name, array, lambda x: np.where(kept, x, -1), {"k": k})
    options, move = MOVES[name](chance, shape) if name in MOVES else ({}, None)
    if move is None:  # of so few axes there is nothing else to do
        name, options, move = "ravel", {}, np.ravel
    return moved_by(name, array, move, options)


def repeated(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    axis = chance.choice((None, chance.axis(shape))) if shape else None
    size = math.prod(shape) if axis is None else shape[axis]
    repeats = chance.choice((chance.integer(0, 3), chance.integers(0, 3, size)))
    return {"repeats": repeats, "axis": axis}, lambda x: np.repeat(x, repeats, axis)


def tiled(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    reps = chance.choice((chance.integer(0, 3), tuple(chance.integers(0, 2, chance.integer(0, 3)).tolist())))
    return {"reps": reps}, lambda x: np.tile(x, reps)


def transposed(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    axes = tuple((chance.rng.permutation(len(shape)) - len(shape) * chance.often(0.3)).tolist())
    axes = None if chance.often(0.3) else axes
    return {"axes": axes}, lambda x: np.transpose(x, axes)


def flipped(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    axis = chance.axes(shape)
    return {"axis": axis}, lambda x: np.flip(x, axis) if x.ndim else x


def rolled(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    axis, shift = chance.axes(shape), chance.integer(-5, 5)
    return {"shift": shift, "axis": axis}, lambda x: np.roll(x, shift, axis)


def reshaped(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    target = tuple(chance.rng.permutation((*shape, 1)).tolist())
    if 0 not in target and chance.often(0.4):
        target = (*target[:-1], -1)
    return {"shape": target}, lambda x: np.reshape(x, target)


def expanded(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    axis = chance.integer(-len(shape) - 1, len(shape))
    return {"axis": axis}, lambda x: np.expand_dims(x, axis)


def squeezed(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    ones = [a for a, size in enumerate(shape) if size == 1]
    axis = chance.choice((None, tuple(ones)))
    return {"axis": axis}, lambda x: np.squeeze(x, axis)


def swapped(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    if not shape:
        return {}, None
    one, other = chance.axis(shape), chance.axis(shape)
    return {"axis1": one, "axis2": other}, lambda x: np.swapaxes(x, one, other)


def axis_moved(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    if not shape:
        return {}, None
    one, other = chance.axis(shape), chance.axis(shape)
    return {"source": one, "destination": other}, lambda x: np.moveaxis(x, one, other)


def stretched(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    target = (*chance.shape(0, 2), *(chance.size() if n == 1 else n for n in shape))
    return {"shape": target}, lambda x: np.broadcast_to(x, target)


def diagonal(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    if len(shape) < 2 or 0 in shape:
        return {}, None
    one, other = chance.rng.permutation(len(shape))[:2].tolist()
    offset = chance.integer(1 - shape[one], shape[other] - 1)
    options = {"offset": offset, "axis1": one - len(shape) * chance.often(0.3), "axis2": other}
    return options, lambda x: np.diagonal(x, **options)


def taken(chance: Chance, shape: tuple[int, ...]) -> tuple[dict[str, Any], Any]:
    if not shape or 0 in shape:
        return {}, None
    axis = chance.axis(shape)
    size = [chance.choice((1, n)) for n in shape]
    size[axis] = chance.integer(0, 4)
    indices = chance.integers(-shape[axis], shape[axis] - 1, size)
    return {"indices": indices, "axis": axis}, lambda x: np.take_along_axis(x, indices, axis)


MOVES: dict[str, Callable[[Chance, tuple[int, ...]], tuple[dict[str, Any], Any]]] = {
    "repeat": repeated, "tile": tiled, "transpose": transposed, "flip": flipped, "roll": rolled,
    "reshape": reshaped, "ravel": lambda chance, shape: ({}, np.ravel), "expand_dims": expanded,
    "squeeze": squeezed, "swapaxes": swapped, "moveaxis": axis_moved, "broadcast_to": stretched,
    "diagonal": diagonal, "take_along_axis": taken,
}  # fmt: skip
