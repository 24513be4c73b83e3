"""A stand-in for onnx and onnxruntime: it keeps the nodes of a file and computes them with NumPy, as the
standard says of each. So files are checked where neither is installed.
"""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import autodiff as ad


def node(kind: str, operands: list[str], results: list[str], **attributes: Any) -> Any:
    return SimpleNamespace(kind=kind, operands=operands, results=results, attributes=attributes)


class Model:
    """A graph as it is handed over, which is a file as it is."""

    def __init__(self, graph: Any, **options: Any) -> None:
        self.graph = graph

    def SerializeToString(self) -> bytes:  # noqa: N802  # its name in onnx
        return pickle.dumps(self.graph)


helper = SimpleNamespace(
    np_dtype_to_tensor_dtype=lambda dtype: np.dtype(dtype), make_node=node, make_model=Model,
    make_opsetid=lambda domain, version: version,
    make_tensor_value_info=lambda name, dtype, sizes: (name, dtype, sizes),
    make_graph=lambda nodes, name, inputs, outputs, constants: (nodes, inputs, outputs, dict(constants)),
)  # fmt: skip
numpy_helper = SimpleNamespace(from_array=lambda array, name: (name, array))
checker = SimpleNamespace(check_model=lambda model, full_check: None)


def run(path: Path, *inputs: Any) -> list[Any]:
    """What a file computes."""
    nodes, given, outputs, values = pickle.loads(path.read_bytes())
    values = {**values, "": None}
    values.update(zip((name for name, _, _ in given), inputs, strict=True))
    for step in nodes:
        with np.errstate(all="ignore"):
            found = KINDS[step.kind](*(values[name] for name in step.operands), **step.attributes)
        found = found if isinstance(found, tuple) else (found,)
        values.update(zip(step.results, map(np.asarray, found)))
    named: dict[str, int] = {}
    for name, dtype, sizes in (*given, *outputs):
        assert values[name].dtype == dtype
        for size, n in zip(sizes, values[name].shape, strict=True):
            assert size is None or n == (named.setdefault(size, n) if isinstance(size, str) else size)
    return [values[name] for name, _, _ in outputs]


def alike(function: Any) -> Any:
    """A function of operands of one dtype, which stays: ONNX does not promote."""

    def call(*operands: Any, **attributes: Any) -> Any:
        assert len({x.dtype for x in operands}) == 1
        found = np.asarray(function(*operands, **attributes))
        return found if found.dtype == bool else found.astype(operands[0].dtype)

    return call


def divide(x: Any, y: Any) -> Any:
    return x / y if x.dtype.kind == "f" else np.trunc(x / y)


def softmax(x: Any, axis: int = -1) -> Any:
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def gelu(x: Any, approximate: str = "none") -> Any:
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return x / 2 * (1 + (np.tanh(inner) if approximate == "tanh" else erf(x / math.sqrt(2))))


def isinf(x: Any, detect_negative: int = 1, detect_positive: int = 1) -> Any:
    return (detect_positive & (x == np.inf)) | (detect_negative & (x == -np.inf)) != 0


def sigmoid(x: Any) -> Any:
    return np.exp(-np.logaddexp(0, -x))


erf = np.vectorize(math.erf, otypes=[float])
UNARY = {
    "Neg": np.negative, "Abs": np.abs, "Sqrt": np.sqrt, "Exp": np.exp, "Log": np.log, "Sin": np.sin,
    "Cos": np.cos, "Tan": np.tan, "Sinh": np.sinh, "Cosh": np.cosh, "Tanh": np.tanh, "Asin": np.arcsin,
    "Acos": np.arccos, "Atan": np.arctan, "Asinh": np.arcsinh, "Acosh": np.arccosh, "Atanh": np.arctanh,
    "Floor": np.floor, "Ceil": np.ceil, "Round": np.rint, "Sign": np.sign, "IsNaN": np.isnan, "IsInf": isinf,
    "Not": np.logical_not, "BitwiseNot": np.invert, "Erf": erf, "Sigmoid": sigmoid, "Softmax": softmax,
    "Relu": lambda x: np.maximum(x, 0), "Softplus": lambda x: np.logaddexp(x, 0), "Gelu": gelu,
    "Softsign": lambda x: x / (1 + abs(x)), "Mish": lambda x: x * np.tanh(np.logaddexp(x, 0)),
    "Selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "Det": np.linalg.det,
    "LeakyRelu": lambda x, alpha: np.where(x < 0, alpha * x, x),
    "Elu": lambda x, alpha: np.where(x < 0, alpha * np.expm1(x), x),
    "Celu": lambda x, alpha: np.where(x < 0, alpha * np.expm1(x / alpha), x),
    "LogSoftmax": lambda x, axis: np.log(softmax(x, axis)), "Identity": lambda x: x,
}  # fmt: skip
BINARY = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": divide, "Pow": np.power,
    "Mod": lambda x, y, fmod=0: (np.fmod if fmod else np.mod)(x, y), "Max": np.maximum, "Min": np.minimum,
    "Greater": np.greater, "GreaterOrEqual": np.greater_equal, "Less": np.less, "LessOrEqual": np.less_equal,
    "Equal": np.equal, "And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor,
    "BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor,
    "MatMul": np.matmul, "Einsum": lambda *operands, equation: np.einsum(equation, *operands),
    "Concat": lambda *parts, axis: np.concatenate(parts, axis),
}  # fmt: skip


def reduced(function: Any) -> Any:
    def call(x: Any, axes: Any = None, keepdims: int = 1) -> Any:
        axis = None if axes is None or not len(axes) else tuple(axes)
        return function(x, axis=axis, keepdims=bool(keepdims)).astype(x.dtype)

    return call


REDUCTIONS = {
    "ReduceSum": np.sum, "ReduceProd": np.prod, "ReduceMax": np.max, "ReduceMin": np.min,
    "ReduceMean": np.mean, "ReduceL2": lambda x, **options: np.sqrt(np.sum(x * x, **options)),
}  # fmt: skip


def sliced(x: Any, starts: Any, ends: Any, axes: Any, steps: Any) -> Any:
    index = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        index[axis] = slice(start, None if end < -x.shape[axis] else end, step)
    return x[tuple(index)]


def scattered(x: Any, indices: Any, updates: Any, axis: int, reduction: str = "none") -> Any:
    new, places = x.copy(), [*np.indices(indices.shape)]
    places[axis] = indices
    if reduction == "add":
        np.add.at(new, tuple(places), updates)
    else:
        new[tuple(places)] = updates
    return new


def top(x: Any, count: Any, axis: int, largest: int) -> Any:
    order = np.argsort(-x if largest else x, axis=axis, kind="stable")
    order = np.take(order, range(int(count[0])), axis)
    return np.take_along_axis(x, order, axis), order


def padded(x: Any, amounts: Any, value: Any, mode: str = "constant") -> Any:
    pairs = np.reshape(amounts, (2, -1)).T
    return np.pad(x, pairs, constant_values=value) if mode == "constant" else np.pad(x, pairs, mode=mode)


def on_sides(x: Any, pads: list[int], value: float) -> Any:
    return padded(x, [0, 0, *pads[:2], 0, 0, *pads[2:]], value)


def windows(x: Any, kernel: Any, strides: Any, dilations: Any) -> Any:
    reach = [(k - 1) * gap + 1 for k, gap in zip(kernel, dilations)]
    found = np.lib.stride_tricks.sliding_window_view(x, reach, axis=(2, 3))
    return found[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]


def max_pool(x: Any, kernel_shape: Any, strides: Any, pads: Any, dilations: Any) -> Any:
    return windows(on_sides(x, pads, -np.inf), kernel_shape, strides, dilations).max((-2, -1))


def average_pool(x: Any, kernel_shape: Any, strides: Any, pads: Any, count_include_pad: int) -> Any:
    sums = windows(on_sides(x, pads, 0), kernel_shape, strides, (1, 1)).sum((-2, -1))
    counted = on_sides(np.ones_like(x), pads, count_include_pad)
    return sums / windows(counted, kernel_shape, strides, (1, 1)).sum((-2, -1))


def convolved(x: Any, w: Any, b: Any, strides: Any, pads: Any, dilations: Any, group: int) -> Any:
    options = {"stride": strides, "dilation": dilations, "groups": group}
    return ad.conv2d(on_sides(x, pads, 0), w, b, **options).data


def spread(
    x: Any, w: Any, b: Any, strides: Any, pads: Any, dilations: Any, group: int, output_padding: Any
) -> Any:
    options = {"stride": strides, "dilation": dilations, "groups": group}
    found = ad.conv_transpose2d(x, w, b, **options).data
    top, left, bottom, right = pads
    more = np.pad(found, [(0, 0), (0, 0), *((0, size) for size in output_padding)])
    more = more + np.where(np.pad(np.ones(found.shape), [(0, 0)] * 2 + [(0, n) for n in output_padding]) == 0,
                           b[:, None, None], 0).astype(b.dtype)  # fmt: skip
    return more[:, :, top : more.shape[2] - bottom, left : more.shape[3] - right]


def recurrent(
    x: Any, w: Any, r: Any, b: Any, lengths: Any, *begun: Any, hidden_size: int,
    activations: Any = None, linear_before_reset: int = 0,
) -> Any:  # fmt: skip
    """An RNN if it has an activation, a GRU if its reset comes last, else an LSTM."""
    h, *cells = (state[0] for state in begun)
    states = []
    for now in x:
        a, z = (now @ w[0].T + b[0, : len(w[0])], h @ r[0].T + b[0, len(w[0]) :])
        gates = [np.split(part, len(w[0]) // hidden_size, axis=-1) for part in (a, z)]
        both = [one + other for one, other in zip(*gates)]
        if activations:
            h = {"Tanh": np.tanh, "Relu": lambda x: np.maximum(x, 0)}[activations[0]](both[0])
        elif linear_before_reset:
            update = sigmoid(both[0])
            new = np.tanh(gates[0][2] + sigmoid(both[1]) * gates[1][2])
            h = (1 - update) * new + update * h
        else:
            cells = [sigmoid(both[2]) * cells[0] + sigmoid(both[0]) * np.tanh(both[3])]
            h = sigmoid(both[1]) * np.tanh(cells[0])
        states.append(h)
    return np.stack(states)[:, None], h[None], *(cell[None] for cell in cells)


KINDS = {
    **{kind: alike(function) for kind, function in (UNARY | BINARY).items()},
    **{kind: reduced(function) for kind, function in REDUCTIONS.items()},
    "Cast": lambda x, to: x.astype(to), "Where": np.where, "Transpose": lambda x, perm: x.transpose(perm),
    "Reshape": lambda x, shape, allowzero=0: x.reshape(shape),
    "Expand": lambda x, shape: np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape))),
    "Unsqueeze": lambda x, axes: np.expand_dims(x, tuple(axes)), "Range": np.arange,
    "Squeeze": lambda x, axes=None: np.squeeze(x, None if axes is None else tuple(axes)),
    "Shape": lambda x, start, end: np.array(x.shape[start:end]), "Tile": np.tile,
    "Gather": lambda x, places, axis: np.take(x, places, axis), "Slice": sliced, "Pad": padded,
    "GatherElements": lambda x, places, axis: np.take_along_axis(x, places, axis),
    "ScatterElements": scattered, "TopK": top, "CumSum": lambda x, axis: np.cumsum(x, axis, x.dtype),
    "Trilu": lambda x, k, upper: (np.triu if upper else np.tril)(x, k),
    "ArgMax": lambda x, axis, keepdims: np.argmax(x, axis, keepdims=bool(keepdims)),
    "ArgMin": lambda x, axis, keepdims: np.argmin(x, axis, keepdims=bool(keepdims)),
    "Col2Im": lambda x, size, kernel, dilations, pads, strides: ad.nn.functional.fold(
        x, size.tolist(), kernel.tolist(), dilation=dilations, padding=pads[:2], stride=strides
    ).data,
    "MaxPool": max_pool, "AveragePool": average_pool, "Conv": convolved, "ConvTranspose": spread,
    "RNN": recurrent, "GRU": recurrent, "LSTM": recurrent,
}  # fmt: skip
