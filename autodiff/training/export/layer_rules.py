"""Rules for the operations behind layers: convolution, pooling, folding, attention and recurrence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .rules import SINGLE, rule
from .traces import Constant, Step
from .writer import Name, Writer

RECURRENT = {"rnn": ("RNN", (0,)), "gru": ("GRU", (1, 0, 2)), "lstm": ("LSTM", (0, 3, 1, 2))}
"""The layer in ONNX, and its gates in ONNX's order, i, o, f, c or z, r, h, by their index in our weights."""


def pair(value: Any) -> list[int]:
    """An option for both axes of a picture."""
    return [int(x) for x in np.broadcast_to(value, (2,))]


def sides(padding: Any) -> list[int]:
    """Padding as ONNX has it: the starts of both axes, then their ends."""
    (top, bottom), (left, right) = padding
    return [top, left, bottom, right]


@rule("convolution", dtypes=SINGLE)
def _convolution(w: Writer, s: Step, x: Name, weight: Name, bias: Name) -> Name:
    o = s.options
    return biased(w, s, bias, s.shape[1], "Conv", x, weight,
                  strides=pair(o["stride"]), pads=sides(o["padding"]),
                  dilations=pair(o["dilation"]), group=o["groups"])  # fmt: skip


@rule("transposed_convolution", dtypes=SINGLE)
def _transposed(w: Writer, s: Step, x: Name, weight: Name, bias: Name) -> Name:
    o = s.options
    kernel = w.shape_of(s.operands[1])[2:]
    stride, dilation = pair(o["stride"]), pair(o["dilation"])
    pads = o["padding"]
    sizes = [
        (size_in - 1) * by + (k - 1) * gap + 1 - sum(pad)
        for size_in, by, k, gap, pad in zip(w.shape_of(s.operands[0])[2:], stride, kernel, dilation, pads)
    ]
    more = [int(wanted - got) for wanted, got in zip(pair(o["size"]), sizes)]
    return biased(w, s, bias, s.shape[1], "ConvTranspose", x, weight, strides=stride, pads=sides(pads),
                  dilations=dilation, group=o["groups"], output_padding=more)  # fmt: skip


def biased(w: Writer, s: Step, bias: Name, channels: int, kind: str, *operands: Name, **options: Any) -> Name:
    """A convolution with its bias, which may be a single number."""
    if not w.shape_of(s.operands[2]):
        bias = w.add("Expand", bias, w.shape((channels,)))
    return str(w.add(kind, *operands, bias, **options))


@rule("max_pool2d", dtypes="efd")
def _max_pool2d(w: Writer, s: Step, x: Name) -> Name:
    return pooled(w, s, "MaxPool", x, dilations=pair(s.options["dilation"]))


@rule("avg_pool2d", dtypes=SINGLE, holds=lambda o: not o["ceil_mode"] and o["divisor_override"] is None)
def _avg_pool2d(w: Writer, s: Step, x: Name) -> Name:
    return pooled(w, s, "AveragePool", x, count_include_pad=int(s.options["count_include_pad"]))


def pooled(w: Writer, s: Step, kind: str, x: Name, **options: Any) -> Name:
    """A pooling step; ONNX knows only batches of pictures, so a single picture becomes a batch of one."""
    first = w.constant(np.array([0], dtype=np.int64))
    is_single = len(s.shape) == 3
    found = w.add(kind, w.add("Unsqueeze", x, first) if is_single else x, **options, **windows(w, s))
    return str(w.add("Squeeze", found, first) if is_single else found)


def windows(w: Writer, s: Step) -> dict[str, Any]:
    """The windows of a pooling step."""
    o = s.options
    kernel = pair(o["kernel_size"])
    stride = kernel if o["stride"] is None else pair(o["stride"])
    starts = ends = pair(o["padding"])
    if o["ceil_mode"]:
        # In ONNX the last window may not lie in the padding alone, so the padding is made to fit.
        reach = [(k - 1) * gap + 1 for k, gap in zip(kernel, pair(o.get("dilation", 1)))]
        steps = zip(s.shape[-2:], stride, reach, w.shape_of(s.operands[0])[-2:], starts)
        ends = [(count - 1) * by + far - size - start for count, by, far, size, start in steps]
    return {"kernel_shape": kernel, "strides": stride, "pads": [*starts, *(max(0, end) for end in ends)]}


@rule("fold", dtypes="f")
def _fold(w: Writer, s: Step, x: Name) -> Name:
    o = s.options
    first, *sizes = (w.constant(np.array(value, dtype=np.int64))
                     for value in ([0], pair(o["output_size"]), pair(o["kernel_size"])))  # fmt: skip
    is_single = len(s.shape) == 3
    dilations, pads, strides = pair(o["dilation"]), pair(o["padding"]) * 2, pair(o["stride"])
    x = w.add("Unsqueeze", x, first) if is_single else x
    found = w.add("Col2Im", x, *sizes, dilations=dilations, pads=pads, strides=strides)
    return str(w.add("Squeeze", found, first) if is_single else found)


@rule("attention_weights", dtypes="efd")
def _attention_weights(w: Writer, s: Step, query: Name, key: Name, mask: Name) -> Name:
    """A row whose keys are all masked is zero."""
    last = len(w.shape_of(s.operands[1])) - 1
    turned = w.add("Transpose", key, perm=[*range(last - 1), last, last - 1])
    logits = w.add("Mul", w.add("MatMul", query, turned), w.constant(s.options["scale"], s.dtype))
    if not w.shape_of(s.operands[2]):
        return str(w.add("Softmax", logits, axis=-1))
    logits = w.add("Add", logits, mask)
    most = w.add("ReduceMax", logits, w.constant(np.array([-1], dtype=np.int64)), keepdims=1)
    is_masked = w.add("Equal", most, w.constant(-np.inf, s.dtype))
    return str(w.add("Where", is_masked, w.constant(0, s.dtype), w.add("Softmax", logits, axis=-1)))


@rule("attention", dtypes="efd")
def _attention(w: Writer, s: Step, query: Name, key: Name, value: Name, mask: Name) -> Name:
    weighing = replace(s, operands=[*s.operands[:2], s.operands[3]])
    weights = _attention_weights(w, weighing, query, key, mask)
    return str(w.add("MatMul", weights, value))


@rule("rnn", dtypes=SINGLE)
def _rnn(w: Writer, s: Step, x: Name, h: Name, *weights: Name) -> Name:
    activation = s.options["nonlinearity"].capitalize()
    return recurrent(w, s, x, (h,), s.operands[2:], activations=[activation])


@rule("gru", dtypes=SINGLE)
def _gru(w: Writer, s: Step, x: Name, h: Name, *weights: Name) -> Name:
    return recurrent(w, s, x, (h,), s.operands[2:], linear_before_reset=1)


@rule("lstm", dtypes=SINGLE)
def _lstm(w: Writer, s: Step, x: Name, h: Name, c: Name, *weights: Name) -> Name:
    return recurrent(w, s, x, (h, c), s.operands[3:])


def recurrent(w: Writer, s: Step, x: Name, states: tuple[Name, ...], weights: Any, **options: Any) -> Name:
    """A recurrent layer. Its states over time, and an LSTM's last cell, are kept for the steps that read
    them."""
    kind, order = RECURRENT[s.name]
    if not all(isinstance(given, Constant) for given in weights):
        raise ValueError(
            f"the weights of {s.name} are computed in the network, and ONNX takes only constants there"
        )
    w_ih, w_hh, b_ih, b_hh = (given.first.astype(s.dtype) for given in weights)
    hidden = w_hh.shape[1]
    gates = len(order)

    def sorted_rows(weight: Any) -> Any:
        weight = np.broadcast_to(weight, (gates * hidden, *weight.shape[1:]))
        parts = np.split(weight, gates)
        return np.concatenate([parts[k] for k in order])

    first = w.constant(np.array([0], dtype=np.int64))
    bias = np.concatenate([sorted_rows(b_ih), sorted_rows(b_hh)])
    begun = [w.add("Unsqueeze", state, first) for state in states]
    results = w.add(
        kind, x, w.constant(sorted_rows(w_ih)[None]), w.constant(sorted_rows(w_hh)[None]),
        w.constant(bias[None]), "", *begun, outputs=len(states) + 1, hidden_size=hidden, **options,
    )  # fmt: skip
    over_time = w.add("Squeeze", results[0], w.constant(np.array([1], dtype=np.int64)))
    w.kept[over_time] = {0: over_time}
    if len(states) == 2:
        w.kept[over_time][1] = w.add("Squeeze", results[2], first)
    return str(over_time)
