"""Contests of compiled functions of numbers. By hand they are loops over floats, with the slopes worked out
on paper."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff as ad
from autodiff.compiling.compiled import Compiled

from . import peers, scalar_mlp
from .compiled import JAX, Contest
from .peers import Step
from .scalar_mlp import Layers
from .workload import HAND

Points = list[tuple[tuple[float, float], float]]


def of_numbers(
    what: str,
    goal: str,
    f: Callable[..., Any],
    arguments: tuple[Any, ...],
    by_hand: Step,
    by_jax: Callable[[], Step] | None,
    times: int,
    rounds: int = 31,
) -> Contest:
    """The arguments are floats, or Tensors in lists and tuples."""

    def compiled(passes: tuple[str, ...]) -> tuple[Step, Compiled]:
        fast = ad.compile(f, passes=passes)
        return (lambda: fast(*arguments)), fast

    others: dict[str, Callable[[], Step]] = {HAND: lambda: by_hand, "eager": lambda: lambda: f(*arguments)}
    if by_jax is not None:
        others[JAX] = by_jax
    return Contest(what, goal, times, rounds, compiled, others)


# -- a network ----------------------------------------------------------------------------------------------


def network_by_hand(layers: Layers, data: Points) -> Step:
    """The sum of squared errors of the network of ``scalar_mlp``, and its slopes in the order of its
    parameters."""

    def step() -> Any:
        total = 0.0
        slopes = [[([0.0] * len(weights), [0.0]) for weights, _ in layer] for layer in layers]
        for x, y in data:
            inputs = forward(layers, x)
            error = inputs.pop()[0] - y
            total += error * error
            backward(layers, slopes, inputs, [2 * error])
        return total, slopes

    return step


def forward(layers: Layers, x: Any) -> list[list[float]]:
    """What goes into each layer, and what comes out of the last."""
    inputs = [x]
    for layer in layers:
        z = []
        for weights, bias in layer:
            for weight, xi in zip(weights, x):
                bias += weight * xi
            z.append(bias)
        x = z if layer is layers[-1] else [zi if zi > 0 else 0.0 for zi in z]
        inputs.append(x)
    return inputs


def backward(layers: Layers, slopes: Any, inputs: list[list[float]], by_z: list[float]) -> None:
    """Add the slopes of one point to those of the points before."""
    for layer, found, x in zip(reversed(layers), reversed(slopes), reversed(inputs)):
        by_x = [0.0] * len(x)
        for (weights, _), (by_weights, by_bias), slope in zip(layer, found, by_z):
            if slope:
                by_bias[0] += slope
                for i, xi in enumerate(x):
                    by_weights[i] += slope * xi
                    by_x[i] += slope * weights[i]
        by_z = [slope if xi > 0 else 0.0 for slope, xi in zip(by_x, x)]


def in_layers(parameters: list[Any], like: Layers) -> Layers:
    """A list of parameters as the layers of a network."""
    rest = iter(parameters)
    return [[([next(rest) for _ in weights], next(rest)) for weights, _ in layer] for layer in like]


def network(count: int) -> Contest:
    """The parameters are one list of numbers."""
    layers, data = scalar_mlp.network(float), scalar_mlp.points(count)
    tensors = [ad.Tensor(value, requires_grad=False) for value in scalar_mlp.parameters(layers)]
    f = ad.value_and_grad(lambda parameters: scalar_mlp.loss_of(in_layers(parameters, layers), data))
    what = f"network of numbers 2-16-16-1, {count} points"
    return of_numbers(what, "at most 0.05", f, (tensors,), network_by_hand(layers, data), None, 20, 7)


# -- one number ---------------------------------------------------------------------------------------------

TIMES = 5


def curve(x: Any, tanh: Callable[[Any], Any] = ad.tanh) -> Any:
    for _ in range(TIMES):
        x = tanh(x) * x + 0.5 * x
    return x * x


def second_derivative() -> Contest:
    """By hand, the value and its first two derivatives go forward together."""
    at = 0.7

    def by_hand() -> float:
        x, first, second = at, 1.0, 0.0
        for _ in range(TIMES):
            t = math.tanh(x)
            by_x = 1 - t * t
            slope = by_x * x + t + 0.5
            second = slope * second + (2 * by_x - 2 * t * by_x * x) * first * first
            first *= slope
            x = t * x + 0.5 * x
        return 2 * (first * first + x * second)

    def by_jax() -> Step:
        package = peers.jax()
        import jax

        f = jax.jit(jax.grad(jax.grad(lambda x: curve(x, jax.numpy.tanh))))
        x = package.leaf(np.float64(at))
        return lambda: f(x)

    f = ad.grad(ad.grad(curve))
    return of_numbers("second derivative of a number", "at most 2", f, (at,), by_hand, by_jax, 300)


def links(x: Any, w: Any, length: int, tanh: Callable[[Any], Any] = ad.tanh) -> Any:
    for _ in range(length // 2):
        x = tanh(w * x)
    return x


def chain(length: int) -> Contest:
    """Products and hyperbolic tangents in turn."""
    at = (0.3, 1.1)

    def by_hand() -> Any:
        x, w = at
        results = [x]
        for _ in range(length // 2):
            x = math.tanh(w * x)
            results.append(x)
        by_x, by_w = 1.0, 0.0
        for k in range(len(results) - 1, 0, -1):
            t = results[k]
            by_x *= 1 - t * t
            by_w += by_x * results[k - 1]
            by_x *= w
        return x, (by_x, by_w)

    def by_jax() -> Step:
        package = peers.jax()
        import jax

        loss = jax.value_and_grad(lambda x, w: links(x, w, length, jax.numpy.tanh), argnums=(0, 1))
        f, arguments = jax.jit(loss), [package.leaf(np.float64(value)) for value in at]
        return lambda: f(*arguments)

    f = ad.value_and_grad(lambda x, w: links(x, w, length), argnums=(0, 1))
    return of_numbers(f"chain of {length:,} numbers", "at most 1", f, at, by_hand, by_jax, 30)


def contests(quick: bool) -> list[Contest]:
    return [network(5 if quick else scalar_mlp.POINTS), second_derivative(), chain(20 if quick else 1000)]
