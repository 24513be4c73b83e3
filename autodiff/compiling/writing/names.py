"""Names for the values of a program that have no name of their own."""

from __future__ import annotations

import math

import numpy as np

from ..nodes import ProgramNode

WORDS = {
    "add": "sum", "subtract": "difference", "multiply": "product", "divide": "quotient", "negative": "minus",
    "reduce_add": "total", "reduce_multiply": "product_of_all", "reduce_maximum": "largest",
    "reduce_minimum": "smallest", "maximum": "larger", "minimum": "smaller", "greater": "is_greater",
    "greater_equal": "is_at_least", "less": "is_less", "less_equal": "is_at_most", "equal": "is_equal",
    "not_equal": "is_unequal", "power": "power", "sqrt": "root", "absolute": "size", "where": "chosen",
    "matmul": "matmul", "astype": "converted", "copy": "copied", "reshape": "reshaped",
    "transpose": "transposed", "broadcast_to": "stretched", "ascontiguousarray": "contiguous",
    "getitem": "part", "part": "part", "pick": "picked", "put": "placed", "put_add": "added",
    "stack": "stacked", "concatenate": "joined", "full": "filled", "array": "array", "const": "constant",
}  # fmt: skip
NUMBERS = {
    0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 0.5: "half", -1: "minus_one", -2: "minus_two",
}  # fmt: skip
UNIFORM = {0: "zeros", 1: "ones"}
LARGEST = frozenset(float(np.finfo(kind).max) for kind in (np.float16, np.float32, np.float64))


def word_for(node: ProgramNode) -> str:
    """The word for a value: its own name, or else a word for the operation that computes it."""
    if node.name:
        return node.name
    if node.op == "call":
        name = getattr(node.value, "__name__", "result").strip("<>")
        return name if name.isidentifier() else "result"
    if node.op == "maximum" and node.args[1].op == "const" and not np.any(node.args[1].value):
        return "relu"
    if node.op == "multiply" and node.args[0] is node.args[1]:
        return "square"
    if node.op == "full" and np.asarray(node.args[0].value).item() in UNIFORM:
        return UNIFORM[np.asarray(node.args[0].value).item()]
    return WORDS.get(node.op, node.op)


def word_for_number(value: float) -> str:
    """The name of a constant number: ``half``, ``number_0_1``."""
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "infinity" if value > 0 else "minus_infinity"
    if value in NUMBERS and not (value == 0 and math.copysign(1, value) < 0):
        return NUMBERS[value]
    if abs(value) in LARGEST:
        return "largest_float" if value > 0 else "lowest_float"
    digits = f"{value:g}".replace("e-0", "e-").replace("e-", "e_minus_").replace("e+", "e")
    digits = digits.replace("-", "minus_").replace(".", "_")
    return f"number_{digits}"
