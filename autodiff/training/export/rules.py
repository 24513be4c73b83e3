"""For each operation that ONNX has, or that can be put together of its operations: how it is written.

A rule gets the writer, the step and the names of its operands, and gives the name of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log

import numpy as np

from .traces import Step
from .writer import Name, Writer

RULES: dict[str, Callable[..., Name]] = {}

SAME = {
    "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "pow": "Pow", "maximum": "Max", "minimum": "Min",
    "neg": "Neg", "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "sin": "Sin", "cos": "Cos", "tan": "Tan",
    "tanh": "Tanh", "sigmoid": "Sigmoid", "relu": "Relu", "abs": "Abs", "arcsin": "Asin",
    "arccos": "Acos", "arctan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "arcsinh": "Asinh",
    "arccosh": "Acosh",
    "arctanh": "Atanh", "softplus": "Softplus", "erf": "Erf",
    "reciprocal": "Reciprocal", "softsign": "Softsign", "mish": "Mish", "det": "Det", "selu": "Selu",
    "hardswish": "HardSwish", "matmul": "MatMul", "alias": "Identity", "clone": "Identity",
}  # fmt: skip
"""Operations that ONNX has just so, under another name."""


def rule(*names: str) -> Callable[[Callable[..., Name]], Callable[..., Name]]:
    """Make a function the rule of some operations."""

    def put(function: Callable[..., Name]) -> Callable[..., Name]:
        RULES.update(dict.fromkeys(names, function))
        return function

    return put


def written(w: Writer, step: Step) -> Name:
    """Write one step, and give the name of its result. Raises ValueError if ONNX has nothing like it."""
    names = [w.operand(operand, step) for operand in step.operands]
    if step.name in SAME:
        return str(w.add(SAME[step.name], *names))
    if step.name not in RULES:
        raise ValueError(
            f"the network uses {step.name}, which has no counterpart in ONNX; compute it outside the "
            "network, or write it with other operations"
        )
    return RULES[step.name](w, step, *names)


# -- elementwise ------------------------------------------------------------------------------------------


@rule("square")
def _square(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Mul", x, x))


@rule("exp2")
def _exp2(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Pow", w.like(s, 2), x))


@rule("expm1")
def _expm1(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Sub", w.add("Exp", x), w.like(s, 1)))


@rule("log1p")
def _log1p(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Log", w.add("Add", x, w.like(s, 1))))


@rule("log2", "log10")
def _log_to_base(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Div", w.add("Log", x), w.like(s, log(2 if s.name == "log2" else 10))))


@rule("erfc")
def _erfc(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Sub", w.like(s, 1), w.add("Erf", x)))


@rule("deg2rad", "rad2deg")
def _angle(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Mul", x, w.like(s, np.pi / 180 if s.name == "deg2rad" else 180 / np.pi)))


@rule("silu")
def _silu(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Mul", x, w.add("Sigmoid", x)))


@rule("logsigmoid")
def _logsigmoid(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Neg", w.add("Softplus", w.add("Neg", x))))


@rule("leaky_relu")
def _leaky_relu(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("LeakyRelu", x, alpha=float(s.options["slope"])))


@rule("prelu")
def _prelu(w: Writer, s: Step, x: Name, weight: Name) -> Name:
    negative = w.add("Min", x, w.like(s, 0))
    return str(w.add("Add", w.add("Relu", x), w.add("Mul", weight, negative)))


@rule("elu", "celu")
def _elu(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add(s.name.capitalize(), x, alpha=float(s.options["alpha"])))


@rule("gelu")
def _gelu(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Gelu", x, approximate=s.options["approximate"]))


@rule("hardsigmoid")
def _hardsigmoid(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("HardSigmoid", x, alpha=1 / 6, beta=0.5))


@rule("hardtanh")
def _hardtanh(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Clip", x, w.like(s, s.options["low"]), w.like(s, s.options["high"])))


@rule("clip")
def _clip(w: Writer, s: Step, x: Name, low: Name, high: Name) -> Name:
    return str(w.add("Min", w.add("Max", x, low), high))


@rule("threshold")
def _threshold(w: Writer, s: Step, x: Name) -> Name:
    is_above = w.add("Greater", x, w.like(s, s.options["level"]))
    return str(w.add("Where", is_above, x, w.like(s, s.options["value"])))


@rule("where")
def _where(w: Writer, s: Step, condition: Name, x: Name, y: Name) -> Name:
    is_chosen = w.add("Cast", w.name(s.operands[0]), to=w.onnx.TensorProto.BOOL)
    return str(w.add("Where", is_chosen, x, y))


@rule("remainder")
def _remainder(w: Writer, s: Step, x: Name, y: Name) -> Name:
    return str(w.add("Sub", x, w.add("Mul", w.add("Floor", w.add("Div", x, y)), y)))


@rule("fmod")
def _fmod(w: Writer, s: Step, x: Name, y: Name) -> Name:
    return str(w.add("Mod", x, y, fmod=1))


@rule("hypot")
def _hypot(w: Writer, s: Step, x: Name, y: Name) -> Name:
    return str(w.add("Sqrt", w.add("Add", w.add("Mul", x, x), w.add("Mul", y, y))))


@rule("logaddexp")
def _logaddexp(w: Writer, s: Step, x: Name, y: Name) -> Name:
    return str(w.add("Add", x, w.add("Softplus", w.add("Sub", y, x))))


@rule("cast")
def _cast(w: Writer, s: Step, x: Name) -> Name:
    if s.dtype not in (np.float16, np.float32, np.float64):
        raise ValueError(f"numbers of dtype {s.dtype} have no counterpart in ONNX")
    return str(w.add("Cast", x, to=w.onnx.helper.np_dtype_to_tensor_dtype(s.dtype)))


# -- reductions -------------------------------------------------------------------------------------------


REDUCTIONS = {
    "sum": "ReduceSum", "mean": "ReduceMean", "prod": "ReduceProd", "max": "ReduceMax", "min": "ReduceMin",
    "logsumexp": "ReduceLogSumExp", "norm": "ReduceL2",
}  # fmt: skip


@rule(*REDUCTIONS)
def _reduce(w: Writer, s: Step, x: Name) -> Name:
    return reduced(w, REDUCTIONS[s.name], x, s)


def reduced(w: Writer, kind: str, x: Name, s: Step) -> Name:
    """A reduction along the axes of a step."""
    axis = s.options["axis"]
    keepdims = int(s.options.get("keepdims", False))
    if axis == ():
        return str(w.add("Abs" if kind == "ReduceL2" else "Identity", x))
    if axis is None:
        return str(w.add(kind, x, keepdims=keepdims))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return str(w.add(kind, x, w.constant(np.array(axes, dtype=np.int64)), keepdims=keepdims))


@rule("var", "std")
def _var(w: Writer, s: Step, x: Name) -> Name:
    if s.options["ddof"]:
        raise ValueError(f"{s.name} with ddof={s.options['ddof']} has no counterpart in ONNX; use ddof=0")
    axis = s.options["axis"]
    axes = [] if axis is None else [w.constant(np.array(np.atleast_1d(axis), dtype=np.int64))]
    centred = w.add("Sub", x, w.add("ReduceMean", x, *axes, keepdims=1))
    found = reduced(w, "ReduceMean", w.add("Mul", centred, centred), s)
    return str(w.add("Sqrt", found)) if s.name == "std" else found


@rule("softmax", "log_softmax")
def _softmax(w: Writer, s: Step, x: Name) -> Name:
    kind = "Softmax" if s.name == "softmax" else "LogSoftmax"
    axis = s.options["axis"]
    if not isinstance(axis, int):
        raise ValueError(f"{s.name} over several axes has no counterpart in ONNX; reshape these axes to one")
    if not s.shape:
        line = w.add("Reshape", x, w.shape((1,)))
        return str(w.add("Reshape", w.add(kind, line, axis=0), w.shape(())))
    return str(w.add(kind, x, axis=axis))


@rule("cumsum")
def _cumsum(w: Writer, s: Step, x: Name) -> Name:
    axis = s.options["axis"]
    flat = x if axis is not None else w.add("Reshape", x, w.shape((-1,)))
    return str(w.add("CumSum", flat, w.constant(np.int64(axis or 0))))


@rule("normalize")
def _normalize(w: Writer, s: Step, x: Name) -> Name:
    axes = w.constant(np.array(s.options["axis"], dtype=np.int64))
    centred = w.add("Sub", x, w.add("ReduceMean", x, axes, keepdims=1))
    variance = w.add("ReduceMean", w.add("Mul", centred, centred), axes, keepdims=1)
    return str(w.add("Div", centred, w.add("Sqrt", w.add("Add", variance, w.like(s, s.options["eps"])))))


@rule("rms_normalize")
def _rms_normalize(w: Writer, s: Step, x: Name) -> Name:
    axes = w.constant(np.array(s.options["axis"], dtype=np.int64))
    mean = w.add("ReduceMean", w.add("Mul", x, x), axes, keepdims=1)
    return str(w.add("Div", x, w.add("Sqrt", w.add("Add", mean, w.like(s, s.options["eps"])))))


# -- products ---------------------------------------------------------------------------------------------


@rule("linear")
def _linear(w: Writer, s: Step, x: Name, weight: Name, bias: Name) -> Name:
    return str(w.add("Add", w.add("MatMul", x, w.add("Transpose", weight, perm=[1, 0])), bias))


@rule("einsum")
def _einsum(w: Writer, s: Step, *operands: Name) -> Name:
    equation = s.options["subscripts"].replace(" ", "")
    if "->" not in equation:
        once = sorted(letter for letter in set(equation) - set(",.") if equation.count(letter) == 1)
        equation += "->" + ("..." if "..." in equation else "") + "".join(once)
    terms = equation.partition("->")[0].split(",")
    spare = {
        len(w.shape_of(operand)) - len(term.replace("...", ""))
        for operand, term in zip(s.operands, terms)
        if "..." in term
    }
    if len(spare) > 1:
        raise ValueError("einsum with dots for different numbers of axes has no counterpart in ONNX")
    return str(w.add("Einsum", *operands, equation=equation))


@rule("attention")
def _attention(w: Writer, s: Step, query: Name, key: Name, value: Name, mask: Name) -> Name:
    last = len(s.shape) - 1
    turned = w.add("Transpose", key, perm=[*range(last - 1), last, last - 1])
    logits = w.add("Mul", w.add("MatMul", query, turned), w.like(s, s.options["scale"]))
    weights = w.add("Softmax", w.add("Add", logits, mask), axis=-1)
    return str(w.add("MatMul", weights, value))
