"""Random programs as ONNX files, run on other inputs than the example: other values, signs and batch sizes.

    python -m tests.fuzz.exported 2000 [seed]

prints what failed, and how many programs were equal, refused by name, or hung on a decision so near that
rounding turns it.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import autodiff as ad
from autodiff.training import export
from tests.fuzz.chance import Chance

Function = Callable[..., Any]

UNARY: dict[str, Function] = {
    name: getattr(ad, name)
    for name in (
        "exp", "sin", "cos", "tanh", "sigmoid", "relu", "abs", "floor", "ceil", "round", "sign", "softplus",
        "square", "expm1", "elu", "silu", "leaky_relu", "mish", "hardswish", "softsign", "logsigmoid", "sinc",
        "celu", "selu", "trunc",
    )
} | {
    "log": lambda x: ad.log(ad.abs(x) + 0.5), "sqrt": lambda x: ad.sqrt(ad.abs(x) + 0.1),
    "reciprocal": lambda x: 1 / (ad.abs(x) + 0.3), "clip": lambda x: ad.clip(x, -0.6, 0.7),
    "power": lambda x: ad.abs(x) ** 1.5, "cube": lambda x: x**3, "mod": lambda x: x % 0.7,
    "floor_divide": lambda x: x // 0.7, "nan": lambda x: ad.where(ad.isnan(x / x), 0.0, x),
    "positive": lambda x: x * (x > 0), "mask": lambda x: ad.where((x > -0.5) & (x < 0.8), x, -x),
    "or": lambda x: ad.where((x > 1) | ~(x >= -1), x, x * 2), "count": lambda x: (x > 0) + (x > 0.5) * x,
    "data": lambda x: x * (x.data <= 0.25), "detach": lambda x: x - ad.floor(x.detach()),
    "integers": lambda x: x.astype(np.int64).astype(x.dtype) + x, "minus": lambda x: 1 - x,
    "log1p": lambda x: ad.log1p(ad.abs(x)), "neg": lambda x: -x, "nothing": lambda x: x * 1,
    "grad": lambda x: ad.grad(lambda v: (ad.tanh(v) * v).sum())(x),
}  # fmt: skip

BINARY: dict[str, Function] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "maximum": ad.maximum,
    "minimum": ad.minimum, "where": lambda x, y: ad.where(x > y, x, y * 2), "hypot": ad.hypot,
    "div": lambda x, y: x / (ad.abs(y) + 0.5), "logaddexp": ad.logaddexp, "fmax": ad.fmax,
    "equal": lambda x, y: (x == y) * x + (x != y) * y, "mod": lambda x, y: x % (ad.abs(y) + 0.4),
    "order": lambda x, y: (x <= y) ^ (x >= 0.5), "copysign": lambda x, y: ad.where(y < 0, -abs(x), abs(x)),
}  # fmt: skip


def along_an_axis(c: Chance, x: Any) -> Any:
    """A sum, an order or a choice along an axis other than the batch's."""
    axis = c.integer(1, x.ndim - 1)
    kind = c.integer(0, 11)
    if kind < 5:
        name = ("sum", "mean", "max", "min", "logsumexp")[kind]
        return getattr(ad, name)(x, axis=axis, keepdims=True)
    if kind < 7:
        return (ad.sort, ad.cumsum)[kind - 5](x, axis=axis)
    if kind == 7:
        return ad.softmax(x, axis=axis)
    if kind == 8:
        places = (ad.argmax, ad.argmin)[c.integer(0, 1)](x, axis=axis, keepdims=True)
        return ad.take_along_axis(x, indices=places, axis=axis)
    if kind == 9:
        return ad.topk(x, c.integer(1, x.shape[axis]), axis=axis)[0]
    return (ad.std, ad.norm)[kind - 10](x, axis=axis, keepdims=True)


def moved(c: Chance, x: Any) -> Any:
    """The elements in other places."""
    kind, axis = c.integer(0, 10), c.integer(1, x.ndim - 1)
    if kind == 0:
        return ad.swapaxes(x, 1, x.ndim - 1)
    if kind == 1:
        return x.reshape(len(x), -1, 1)
    if kind == 2:
        return ad.flip(x, axis=axis)
    if kind == 3:
        return ad.roll(x, c.integer(-3, 3), axis=axis)
    if kind == 4:
        return x[:, :: c.choice((1, 2, -1))]
    if kind == 5:
        return x[:, c.integers(-x.shape[1], x.shape[1] - 1, c.integer(1, 3))]
    if kind == 6:
        return ad.concatenate([x, -x], axis=axis)
    if kind == 7:
        return ad.repeat(x, 2, axis=axis)
    if kind == 8:
        return ad.pad(x, [(0, 0)] * axis + [(1, 2)] + [(0, 0)] * (x.ndim - axis - 1))
    if kind == 9:
        return x[np.arange(len(x)), ad.argmax(x.sum(axis=2), axis=1).data][:, None]
    return ad.stack([x, x * 2], axis=1).sum(axis=1)


def over_the_batch(c: Chance, x: Any) -> Any:
    """What the examples of a batch have in common."""
    kind = c.integer(0, 3)
    if kind == 3:
        return x * np.arange(len(x))[:, None, None]
    return x - (ad.mean, ad.max, ad.sum)[kind](x, axis=0)


def product(c: Chance, x: Any) -> Any:
    """A product with a constant matrix."""
    weight = c.array((x.shape[-1], c.integer(1, 3)), ties=False).astype(x.dtype)
    return x @ ad.Tensor(weight)


STEPS = (along_an_axis, moved, over_the_batch, product)


def program(seed: Any) -> Function:
    """A program of three axes in and out, which makes the same draws in each call."""

    def run(x: Any) -> Any:
        c = Chance(seed)
        values = [x]
        for _ in range(c.integer(2, 7)):
            value = c.choice(values)
            if c.often(0.45):
                value = UNARY[c.choice(sorted(UNARY))](value)
            elif c.often(0.4):
                others = [other for other in values if broadcasts(value, other)]
                value = BINARY[c.choice(sorted(BINARY))](value, c.choice(others))
            else:
                value = c.choice(STEPS)(c, value)
            value = value if isinstance(value, ad.Tensor) else ad.Tensor(value, requires_grad=False)
            values.append(value if value.dtype.kind == "f" else value.astype(x.dtype))
        return values[-1]

    return run


def broadcasts(x: Any, y: Any) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(x.shape[1:], y.shape[1:]))


def computed(runtime: Any, path: Any, x: Any) -> Any:
    """What onnxruntime computes from a file."""
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def trial(seed: Any, runtime: Any, path: Any) -> str:
    """Export a program and run it on other inputs; "equal", "refused", "near" or what went wrong."""
    c = Chance(seed)
    net, dtype = program([1, *seed]), c.choice((np.float32, np.float64))
    shape = (c.integer(1, 4), c.integer(1, 4), c.integer(1, 4))
    try:
        export.onnx(net, np.zeros(shape, dtype), path)
    except ValueError as error:
        return f"refused: {error}"
    tolerance = 2e-4 if dtype == np.float32 else 1e-9
    for size in (shape[0], *c.integers(1, 6, 2)):
        x = (np.round(c.rng.normal(size=(size, *shape[1:])) * 32) / 16 + 1 / 64).astype(dtype)
        with ad.no_grad(), np.errstate(all="ignore"):
            near = [x, x.astype(np.float64), *(x + by * np.abs(x) for by in (1e-6, -1e-6))]
            expected, *others = (net(ad.Tensor(each)).data for each in near)
        found = computed(runtime, path, x)
        if found.shape != expected.shape or found.dtype != expected.dtype:
            return f"wrong: {found.dtype} {found.shape}, not {expected.dtype} {expected.shape}"
        if not close(found, expected, tolerance):
            if any(not close(other, expected, tolerance + 1e-3) for other in others):
                return "near"
            return f"wrong: off by {np.nanmax(np.abs(found - expected))}"
    return "equal"


def close(x: Any, y: Any, tolerance: float) -> bool:
    size = float(np.abs(y[np.isfinite(y)]).max(initial=1))
    return np.allclose(x, y, rtol=tolerance, atol=tolerance * size, equal_nan=True)


def main(trials: int, seed: int = 0) -> Counter[str]:
    import onnxruntime as runtime

    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(trials):
            try:
                result = trial([seed, number], runtime, Path(folder) / "net.onnx")
            except Exception as error:  # noqa: BLE001 - a trial that breaks is counted like any other
                result = f"wrong: {type(error).__name__}: {error}"
            word = result.partition(":")[0]
            found[word] += 1
            if word == "wrong":
                sys.stdout.write(f"{[seed, number]} {result[:300]!r}\n")
            elif word == "refused":
                found[result[:90]] += 1
    return found


if __name__ == "__main__":
    for word, count in main(*map(int, sys.argv[1:])).most_common():
        sys.stdout.write(f"{count:6d} {word}\n")
