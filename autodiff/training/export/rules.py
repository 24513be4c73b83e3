"""The rules: how a step is written. A rule takes the writer, the step and the names of its operands, and
returns the name of the result.

Here are the rules of operations that ONNX has as a whole. Any other operation is written call by call:
`calls` has the rules of NumPy's functions, `places` of those that move elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .traces import OPERANDS, Batch, Constant, Step
from .writer import Name, Writer


class Rule(NamedTuple):
    """A rule, and the dtypes and options of an operation for which it holds."""

    write: Callable[..., Name]
    dtypes: str
    holds: Callable[[Mapping[str, Any]], bool]


RULES: dict[str, Rule] = {}
PLACES = frozenset(("options", "index"))
"""The options of NumPy's functions that may depend on the size of the batch: shapes and indices."""

FLOATS, SINGLE = "efd", "ef"
"""Some operations are missing in onnxruntime in float64; there they are written call by call."""

SAME = {
    "sigmoid": ("Sigmoid", FLOATS), "relu": ("Relu", FLOATS), "softplus": ("Softplus", SINGLE),
    "erf": ("Erf", SINGLE), "softsign": ("Softsign", SINGLE), "mish": ("Mish", SINGLE),
    "selu": ("Selu", SINGLE), "hardswish": ("HardSwish", SINGLE), "det": ("Det", SINGLE),
}  # fmt: skip
"""Operations that ONNX has in the same form, under another name."""


def rule(
    *names: str, dtypes: str = "?bhilqBHILQefd", holds: Callable[[Mapping[str, Any]], bool] = lambda _: True
) -> Callable[[Callable[..., Name]], Callable[..., Name]]:
    """Make a function the rule of some steps."""

    def put(function: Callable[..., Name]) -> Callable[..., Name]:
        RULES.update(dict.fromkeys(names, Rule(function, dtypes, holds)))
        return function

    return put


def is_one_step(name: str, dtype: np.dtype[Any], options: Mapping[str, Any]) -> bool:
    """Whether there is a rule for an operation as a whole."""
    found = RULES.get(name)
    return found is not None and dtype.char in found.dtypes and found.holds(options)


def written(w: Writer, step: Step) -> Name:
    """Write one step, and give the name of its result. Raises ValueError if ONNX has nothing like it."""
    plain = step.name.removeprefix("call.")
    called = plain.removeprefix("np.")
    found = RULES.get(step.name)
    if found is None and (plain not in RULES or step.dtype.char in RULES[plain].dtypes):
        raise ValueError(
            f"the network uses {called}, which has no counterpart in ONNX; compute it "
            "outside the network, or write it with other operations"
        )
    if found is None or step.dtype.char not in found.dtypes:
        raise unknown(step)
    if not PLACES.issuperset(step.options) and follows(step.options):
        raise ValueError(
            f"an option of {called} depends on the size of the batch, which ONNX cannot "
            "say; export it with batch_axis=None, for this size alone"
        )
    if step.name.startswith("np."):
        return found.write(w, step)
    return found.write(w, step, *(w.operand(operand, step) for operand in step.operands))


def follows(option: Any) -> bool:
    """Whether a size in an option follows the batch."""
    if isinstance(option, Constant):
        return option.first.shape != option.second.shape or not np.array_equal(option.first, option.second)
    if isinstance(option, OPERANDS):
        return False
    if isinstance(option, Batch):
        return True
    parts = option.values() if isinstance(option, Mapping) else option
    return isinstance(option, (tuple, list, Mapping)) and any(map(follows, parts))


def unknown(step: Step) -> ValueError:
    """The error for a step that onnxruntime does not have in this dtype."""
    name = step.name.partition(".")[2] or step.name
    return ValueError(
        f"the network uses {name} in {step.dtype}, which onnxruntime does not have; use float32, as "
        "net.float() makes it"
    )


def whole(kind: str) -> Callable[..., Name]:
    """The rule of an operation that ONNX has in the same form."""
    return lambda w, step, *names: str(w.add(kind, *names))


for name, (kind, dtypes) in SAME.items():
    RULES[name] = Rule(whole(kind), dtypes, lambda _: True)


@rule("erfc", dtypes=SINGLE)
def _erfc(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Sub", w.constant(1, s.dtype), w.add("Erf", x)))


@rule("leaky_relu", dtypes=SINGLE)
def _leaky_relu(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("LeakyRelu", x, alpha=float(s.options["slope"])))


@rule("elu", dtypes=SINGLE)
def _elu(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Elu", x, alpha=float(s.options["alpha"])))


@rule("celu", dtypes="f")
def _celu(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Celu", x, alpha=float(s.options["alpha"])))


@rule("gelu", dtypes=SINGLE)
def _gelu(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Gelu", x, approximate=s.options["approximate"]))


@rule("softmax", "log_softmax", dtypes=FLOATS, holds=lambda options: isinstance(options["axis"], int))
def _softmax(w: Writer, s: Step, x: Name) -> Name:
    kind = "Softmax" if s.name == "softmax" else "LogSoftmax"
    if not s.shape:
        line = w.add("Reshape", x, w.shape((1,)))
        return str(w.add("Reshape", w.add(kind, line, axis=0), w.shape(())))
    return str(w.add(kind, x, axis=s.options["axis"]))


@rule("linear", dtypes=FLOATS)
def _linear(w: Writer, s: Step, x: Name, weight: Name, bias: Name) -> Name:
    """The weight stays in the file as it is in the layer."""
    return str(w.add("Add", w.add("MatMul", x, w.add("Transpose", weight, perm=[1, 0])), bias))


@rule("einsum", dtypes=FLOATS)
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
