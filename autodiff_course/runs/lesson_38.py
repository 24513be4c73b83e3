"""The full run of lesson 38: one network on your machine, in PyTorch, in JAX and as an ONNX file."""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autodiff import data, nn, training

from .. import machine
from .shared import Arrays, whole_machine

Step = tuple[str, list[str], str]

OPERATIONS: dict[str, Callable[..., Any]] = {"matmul": np.matmul, "add": np.add, "tanh": np.tanh}
NAMES = ("W1", "b1", "W2", "b2")
SIZES = (64, 64, 10)


def plain(net: Any) -> list[np.ndarray]:
    """The numbers of a network of your machine as a list of NumPy arrays of float32."""
    return [np.asarray(p.data, np.float32) for p in machine.parameters(net)]


def interpret(
    steps: Sequence[Step], values: Mapping[str, Any], operations: Mapping[str, Any] = OPERATIONS
) -> Any:
    """The result of the last step of a list, in which a step has an operation, the names of its inputs, and
    the name of its result. ``values`` has the arrays that are there at the beginning, by name.

    >>> steps = [("add", ["x", "b"], "v1"), ("matmul", ["v1", "v1"], "v2")]
    >>> interpret(steps, {"x": np.array([1, 2]), "b": np.array([1, 1])})
    np.int64(13)
    """
    known = dict(values)
    for op, inputs, output in steps:
        known[output] = operations[op](*[known[name] for name in inputs])
    return known[output]


def steps_of(end: Any, names: Mapping[Any, str]) -> list[Step]:
    """The graph of your machine behind ``end`` as a list of steps. ``names`` has the names of its leaves."""
    known, steps = dict(names), list[Step]()
    for node in machine.order(end):
        if node.creation_op is not None:
            known[node] = f"v{len(steps) + 1}"
            steps.append((node.creation_op, [known[creator] for creator in node.creators], known[node]))
    return steps


def trained(names: Mapping[str, Any], pictures: np.ndarray, digits: np.ndarray) -> Any:
    """A network that a machine, given by its names, has trained for ten epochs. The lesson has the same
    lines."""
    rng = np.random.default_rng(0)
    inputs, hidden, outputs = SIZES
    layers = names["Linear"](inputs, hidden, rng), names["tanh"], names["Linear"](hidden, outputs, rng)
    net = names["Sequential"](*layers)
    optimizer = names["Optimizer"](names["parameters"](net), names["adam"], 0.003)
    names["train"](net, optimizer, pictures, digits, 10, 32, rng)
    return net


# -- elsewhere ----------------------------------------------------------------------------------------------


def in_the_package(arrays: Sequence[np.ndarray]) -> nn.Sequential:
    """The network in layers of the package, which keep a row of weights for each output."""
    net = nn.Sequential(nn.Linear(SIZES[0], SIZES[1]), nn.Tanh(), nn.Linear(SIZES[1], SIZES[2]))
    for p, numbers in zip(net.parameters(), arrays, strict=True):
        p.data = numbers.T.copy()
    return net


def by_pytorch(arrays: Sequence[np.ndarray], x: np.ndarray) -> np.ndarray:
    """The scores by PyTorch."""
    torch: Any = importlib.import_module("torch")
    net = torch.nn.Sequential(
        torch.nn.Linear(SIZES[0], SIZES[1]), torch.nn.Tanh(), torch.nn.Linear(SIZES[1], SIZES[2])
    )
    with torch.no_grad():
        for p, numbers in zip(net.parameters(), arrays, strict=True):
            p.copy_(torch.from_numpy(numbers.T.copy()))
        return np.asarray(net(torch.from_numpy(x)))


def by_jax(arrays: Sequence[np.ndarray], x: np.ndarray) -> np.ndarray:
    """The scores by JAX."""
    jax: Any = importlib.import_module("jax")

    def network(arrays: Any, x: Any) -> Any:
        w1, b1, w2, b2 = arrays
        return jax.numpy.tanh(x @ w1 + b1) @ w2 + b2

    return np.asarray(jax.jit(network)(list(arrays), x))


def exported(arrays: Sequence[np.ndarray], path: Path) -> list[str]:
    """Write the network to an ONNX file; returns its steps in words."""
    training.export.onnx(in_the_package(arrays), np.zeros((2, SIZES[0]), np.float32), path)
    nodes = importlib.import_module("onnx").load(str(path)).graph.node
    return [f"{node.op_type:9} {', '.join(node.input)} -> {', '.join(node.output)}" for node in nodes]


def by_onnxruntime(path: Path, x: np.ndarray) -> np.ndarray:
    """The scores by onnxruntime, from an ONNX file."""
    session = importlib.import_module("onnxruntime").InferenceSession(str(path))
    return np.asarray(session.run(None, {"x": x})[0])


def run() -> Arrays:
    """Train the network, and let four programs compute its scores.

    Returns
    -------
    dict of arrays
        ``W1``, ``b1``, ``W2``, ``b2``: the network's numbers. ``picture``: the first picture of the drawer,
        one row. ``programs``: the names of those that computed. ``scores``: their scores for this picture.
        ``right``: how many of the 500 pictures in the drawer each reads right. ``apart``: how far the scores
        of each are at most from those of your machine, on all 500. ``nodes``: the steps in the ONNX file.
        ``bytes``: the size of this file. ``versions``: of torch, jax, onnx and onnxruntime.

    Raises
    ------
    ImportError
        If one of these libraries is not installed.
    """
    pictures, digits = data.digits()
    shuffled = np.random.default_rng(0).permutation(len(pictures))
    seen, drawer = shuffled[:1297], shuffled[1297:]
    x, meant = pictures[drawer], digits[drawer]
    names = whole_machine()
    net = trained(names, pictures[seen], digits[seen])
    arrays = plain(net)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digits.onnx"
        nodes = exported(arrays, path)
        scores = {
            "your machine": np.asarray(names["value"](net(x))),
            "PyTorch": by_pytorch(arrays, x),
            "JAX": by_jax(arrays, x),
            "ONNX": by_onnxruntime(path, x),
        }
        size = path.stat().st_size
    mine = scores["your machine"]
    libraries = ("torch", "jax", "onnx", "onnxruntime")
    versions = [f"{name} {importlib.import_module(name).__version__}" for name in libraries]
    apart = [abs(found - mine).max() for found in scores.values()]
    sys.stdout.write("".join(f"{name}: at most {far:.1e} apart\n" for name, far in zip(scores, apart)))
    return {
        **dict(zip(NAMES, arrays, strict=True)),
        "picture": x[:1],
        "programs": np.array(list(scores)),
        "scores": np.array([found[0] for found in scores.values()]),
        "right": np.array([(found.argmax(axis=1) == meant).sum() for found in scores.values()]),
        "apart": np.array(apart),
        "nodes": np.array(nodes),
        "bytes": np.array(size),
        "versions": np.array(versions),
    }
