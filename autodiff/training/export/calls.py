"""Rules of NumPy's functions that compute with elements: elementwise functions, sums, products, orders."""

from __future__ import annotations

from typing import Any

import numpy as np

from .composed import COMPOSED, like
from .rules import rule, unknown
from .traces import OPERANDS, Constant, Step
from .writer import Name, Writer

SAME = {
    "add": "Add", "subtract": "Sub", "multiply": "Mul", "divide": "Div", "power": "Pow", "maximum": "Max",
    "minimum": "Min", "negative": "Neg", "absolute": "Abs", "fabs": "Abs", "positive": "Identity",
    "exp": "Exp", "log": "Log", "sqrt": "Sqrt", "sin": "Sin", "cos": "Cos", "tanh": "Tanh",
    "tan": "Tan", "sinh": "Sinh", "cosh": "Cosh", "arcsin": "Asin", "arccos": "Acos", "arctan": "Atan",
    "arcsinh": "Asinh", "arccosh": "Acosh", "arctanh": "Atanh",
    "greater": "Greater", "greater_equal": "GreaterOrEqual", "less": "Less", "less_equal": "LessOrEqual",
    "equal": "Equal", "floor": "Floor", "ceil": "Ceil", "rint": "Round", "sign": "Sign", "isnan": "IsNaN",
    "isinf": "IsInf", "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor", "logical_not": "Not",
    "bitwise_and": "BitwiseAnd", "bitwise_or": "BitwiseOr", "bitwise_xor": "BitwiseXor",
    "invert": "BitwiseNot",
}  # fmt: skip
"""Elementwise functions that ONNX has under another name."""

OF_BOOLEANS = {
    "add": "Or", "maximum": "Or", "bitwise_or": "Or", "multiply": "And", "minimum": "And",
    "bitwise_and": "And", "bitwise_xor": "Xor", "not_equal": "Xor", "invert": "Not", "equal": "Equal",
    "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor", "logical_not": "Not", "fmax": "Or",
    "fmin": "And",
}  # fmt: skip
"""What elementwise functions do with booleans, as NumPy defines them."""

NOT_IN_DOUBLE = frozenset((
    "tan", "sinh", "cosh", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh",
))  # fmt: skip
"""Functions that onnxruntime does not have in float64, and that are written with others where they can be."""

TRUTHS = frozenset(("logical_and", "logical_or", "logical_xor", "logical_not"))


def elementwise(w: Writer, s: Step) -> Name:
    """The rule of NumPy's elementwise functions: the operands in the dtypes in which NumPy computes."""
    name = s.name.removeprefix("np.")
    ufunc = getattr(np, name)
    kinds = tuple(np.dtype(bool) if kind is bool else kind for kind in s.kinds)
    if all(isinstance(kind, type) for kind in kinds):
        kinds = tuple(map(np.dtype, kinds))
    *dtypes, result = ufunc.resolve_dtypes((*kinds, None))
    dtypes = [np.dtype(bool)] * len(dtypes) if name in TRUTHS else dtypes
    names = [w.cast(operand, dtype) for operand, dtype in zip(s.operands, dtypes)]
    dtype = dtypes[0]
    if dtype.kind == "b" and name in OF_BOOLEANS:
        found = str(w.add(OF_BOOLEANS[name], *names))
    elif dtype.kind == "b" and ufunc.nin == 2:  # an order of booleans, which ONNX does not have
        found = str(w.add(SAME[name], *(w.as_dtype(x, bool, np.int32) for x in names)))
    elif name in COMPOSED and (name not in SAME or dtype == np.float64):
        found = COMPOSED[name](w, dtype, *names)
    elif name not in SAME or (name in NOT_IN_DOUBLE and dtype == np.float64):
        raise unknown(s)
    elif dtype.kind in "iu" and name in ("floor", "ceil", "rint"):
        found = names[0]
    else:
        found = str(w.add(SAME[name], *names))
    return w.as_dtype(found, result, s.dtype)


for name in {*SAME, *OF_BOOLEANS, *COMPOSED}:
    rule(f"np.{name}")(elementwise)


# -- choices, sums and products ---------------------------------------------------------------------------


@rule("np.where")
def _where(w: Writer, s: Step) -> Name:
    condition = w.cast(s.operands[0], np.bool_)
    inner = np.dtype(np.int32) if s.dtype == bool else s.dtype  # onnxruntime has no Where for booleans
    x, y = (w.as_dtype(w.cast(operand, s.dtype), s.dtype, inner) for operand in s.operands[1:])
    return w.as_dtype(str(w.add("Where", condition, x, y)), inner, s.dtype)


REDUCTIONS = {
    "add": "ReduceSum", "multiply": "ReduceProd", "maximum": "ReduceMax", "minimum": "ReduceMin",
    "logical_and": "ReduceMin", "logical_or": "ReduceMax",
}  # fmt: skip


@rule(*(f"np.reduce_{name}" for name in REDUCTIONS))
def _reduce(w: Writer, s: Step) -> Name:
    axes, keepdims = s.options["options"]
    name = s.name.removeprefix("np.reduce_")
    (operand,) = s.operands
    inner = np.dtype(np.int32) if s.dtype == bool else s.dtype
    x = w.cast(operand, s.dtype) if s.dtype != bool else w.as_dtype(w.cast(operand, np.bool_), bool, inner)
    found = w.add(REDUCTIONS[name], x, w.constant(np.array(axes, dtype=np.int64)), keepdims=int(keepdims))
    return w.as_dtype(found, inner, s.dtype)


def axes_of(w: Writer, s: Step) -> list[Name]:
    """The axes of a reduction as an operand of ONNX; none for all axes."""
    axis = s.options["axis"]
    return [] if axis is None else [w.constant(np.atleast_1d(np.asarray(axis, dtype=np.int64)))]


@rule("norm", dtypes="efd")
def _norm(w: Writer, s: Step, x: Name) -> Name:
    """The square root of a sum of squares, of elements that are divided by the largest."""
    if s.options["axis"] == ():
        return str(w.add("Abs", x))
    axes, zero = axes_of(w, s), like(w, s.dtype, 0)
    size = w.add("ReduceMax", w.add("Abs", x), *axes, keepdims=1)
    is_plain = w.add("Or", w.add("Equal", size, zero), w.add("IsInf", size))
    scale = w.add("Where", is_plain, like(w, s.dtype, 1), size)
    found = w.add("Mul", w.add("ReduceL2", w.add("Div", x, scale), *axes, keepdims=1), scale)
    return str(found if s.options["keepdims"] else w.add("Reshape", found, w.shape(s.shape), allowzero=1))


@rule("std", dtypes="efd")
def _std(w: Writer, s: Step, x: Name) -> Name:
    """The norm of the centred elements, divided by the square root of their number."""
    whole = w.shape_of(s.operands[0])
    axis = range(len(whole)) if s.options["axis"] is None else np.atleast_1d(s.options["axis"])
    sizes = [whole[int(a)] for a in axis]
    if s.options["axis"] == ():
        sizes = []
        centred = w.add("Sub", x, x)
    else:
        centred = w.add("Sub", x, w.add("ReduceMean", x, *axes_of(w, s), keepdims=1))
    product = w.add("ReduceProd", w.shape(tuple(sizes)), keepdims=0) if sizes else w.constant(np.int64(1))
    count = w.add("Sub", w.as_dtype(product, np.int64, s.dtype), like(w, s.dtype, s.options["ddof"]))
    return str(w.add("Div", _norm(w, s, centred), w.add("Sqrt", w.add("Max", count, like(w, s.dtype, 0)))))


@rule("np.round")
def _round(w: Writer, s: Step) -> Name:
    x = w.cast(s.options["0"], s.dtype)
    decimals = s.options.get("decimals", s.options.get("1", 0))
    if s.dtype.kind != "f" and decimals >= 0:
        return x
    if s.dtype.kind != "f":
        raise unknown(s)
    factor = like(w, s.dtype, 10.0 ** abs(decimals))
    kinds = ("Mul", "Div") if decimals >= 0 else ("Div", "Mul")
    return str(
        w.add("Round", x)
        if not decimals
        else w.add(kinds[1], w.add("Round", w.add(kinds[0], x, factor)), factor)
    )


@rule("np.sinc", dtypes="efd")
def _sinc(w: Writer, s: Step) -> Name:
    x = w.cast(s.options["0"], s.dtype)
    angle = w.add("Mul", x, like(w, s.dtype, np.pi))
    found = w.add("Div", w.add("Sin", angle), angle)
    return str(w.add("Where", w.add("Equal", x, like(w, s.dtype, 0)), like(w, s.dtype, 1), found))


@rule("np.matmul")
def _matmul(w: Writer, s: Step) -> Name:
    return str(w.add("MatMul", *(w.cast(operand, s.dtype) for operand in s.operands)))


@rule("np.astype")
def _astype(w: Writer, s: Step) -> Name:
    return w.cast(s.operands[0], s.dtype)


# -- along an axis ----------------------------------------------------------------------------------------


def along(w: Writer, s: Step, place: int, default: Any) -> tuple[Name, int, tuple[Any, ...]]:
    """The array that a function takes, flattened if the axis is None, the axis, which may be the argument at
    a place, and the shape."""
    operand = s.options["0"]
    axis = s.options.get("axis", s.options.get(str(place), default))
    shape = w.shape_of(operand)
    x = w.name(operand)
    if axis is None:
        return w.add("Reshape", x, w.shape((-1,))), 0, (None,)
    return x, axis % len(shape), shape


@rule("np.argmax", "np.argmin")
def _argmax(w: Writer, s: Step) -> Name:
    x, axis, _ = along(w, s, 1, None)
    keepdims = s.options.get("keepdims", False)
    kind = "ArgMax" if s.name == "np.argmax" else "ArgMin"
    found = w.add(kind, x, axis=axis, keepdims=int(keepdims is True))
    return str(w.add("Reshape", found, w.shape(s.shape)))


@rule("np.sort", "np.argsort")
def _sort(w: Writer, s: Step) -> Name:
    x, axis, _ = along(w, s, 1, -1)
    count = w.shape((s.shape[axis],))
    values, order = w.add("TopK", x, count, outputs=2, axis=axis, largest=0)
    return str(values if s.name == "np.sort" else order)


@rule("np.cumsum", "np.add.accumulate")
def _cumsum(w: Writer, s: Step) -> Name:
    x, axis, _ = along(w, s, 1, None if s.name == "np.cumsum" else 0)
    x = w.as_dtype(x, w.trace.kind(s.options["0"])[1], s.dtype)
    return str(w.add("CumSum", x, w.constant(np.int64(axis))))


@rule("np.take_along_axis")
def _take_along_axis(w: Writer, s: Step) -> Name:
    x, axis, shape = along(w, s, 2, -1)
    indices = w.cast(s.options["1"], np.int64)
    if shape != (None,):  # the other axes broadcast
        x = w.add("Expand", x, w.shape((*s.shape[:axis], shape[axis], *s.shape[axis + 1 :])))
    indices = w.add("Expand", indices, w.shape(s.shape))
    return str(w.add("GatherElements", x, indices, axis=axis))


@rule("np.take")
def _take(w: Writer, s: Step) -> Name:
    x, axis, _ = along(w, s, 2, None)
    indices = s.options.get("indices", s.options.get("1"))
    operand = indices if isinstance(indices, OPERANDS) else as_constant(indices)
    return str(w.add("Gather", x, w.cast(operand, np.int64), axis=axis))


def as_constant(value: Any) -> Constant:
    """An option as an operand."""
    array = np.asarray(value)
    return Constant(array, array, array.shape)


@rule("np.nan_to_num", dtypes="efd")
def _nan_to_num(w: Writer, s: Step) -> Name:
    x = w.cast(s.options["0"], s.dtype)
    info = np.finfo(s.dtype)
    given = {"nan": 0.0, "posinf": info.max, "neginf": info.min}
    given |= {key: value for key, value in s.options.items() if key in given and value is not None}
    nan, most, least = (w.constant(np.asarray(given[key]), s.dtype) for key in ("nan", "posinf", "neginf"))
    bounded = w.add("Where", w.add("IsInf", x, detect_negative=0), most, x)
    bounded = w.add("Where", w.add("IsInf", x, detect_positive=0), least, bounded)
    return str(w.add("Where", w.add("IsNaN", x), nan, bounded))
