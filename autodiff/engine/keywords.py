"""PyTorch's keywords for options that have NumPy's names here: ``dim`` for ``axis``, ``keepdim`` for
``keepdims``.

They are translated here, for operations and for functions made of operations. The messages about an unknown
keyword or an unknown function of the package are here too.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

# Each keyword, with the names it may stand for: it means the one that the operation has.
MEANINGS: dict[str, tuple[str, ...]] = {
    "dim": ("axis",),
    "dims": ("axis", "axes", "reps"),
    "keepdim": ("keepdims",),
    "dim1": ("axis1",),
    "dim2": ("axis2",),
    "correction": ("ddof",),
    "index": ("indices",),
    "src": ("source",),
    "shifts": ("shift",),
    "diagonal": ("k",),
    "negative_slope": ("slope",),
    "input": ("x",),
    "other": ("y",),
    "tensors": ("parts",),
    "arrays": ("parts",),
    "min": ("low",),
    "max": ("high",),
    "a_min": ("low",),
    "a_max": ("high",),
}


# Names that users of other libraries look for in the package, with what to write instead.
INSTEAD: dict[str, str] = {
    "acos": "ad.arccos", "asin": "ad.arcsin", "atan": "ad.arctan", "atan2": "ad.arctan2",
    "acosh": "ad.arccosh", "asinh": "ad.arcsinh", "atanh": "ad.arctanh", "absolute": "ad.abs",
    "amax": "ad.max", "amin": "ad.min", "concat": "ad.concatenate", "ger": "ad.outer", "mv": "ad.matmul",
    "movedim": "ad.moveaxis", "swapdims": "ad.swapaxes", "repeat_interleave": "ad.repeat",
    "take_along_dim": "ad.take_along_axis", "vstack": "np.vstack", "hstack": "np.hstack",
    "array": "ad.tensor", "asarray": "ad.as_tensor", "variable": "ad.Tensor", "Variable": "ad.Tensor",
    "Parameter": "ad.nn.Parameter", "autograd": "ad.grad", "func": "ad.grad",
    "float16": "np.float16", "half": "np.float16", "float32": "np.float32", "float": "np.float32",
    "float64": "np.float64", "double": "np.float64", "int32": "np.int32", "int": "np.int32",
    "int64": "np.int64", "long": "np.int64", "uint8": "np.uint8", "bool": "np.bool_", "dtype": "np.dtype",
    "pi": "np.pi", "inf": "np.inf", "nan": "np.nan", "e": "np.e",
}  # fmt: skip


def instead(name: str) -> str:
    """The hint that an error message about an unknown ``name`` ends with; empty if there is none.

    >>> instead("asin")
    "; write ad.arcsin instead of 'asin'"
    """
    return f"; write {INSTEAD[name]} instead of {name!r}" if name in INSTEAD else ""


def translate(
    name: str, options: dict[str, Any], takes: Iterable[str], defaults: Mapping[str, Any]
) -> None:
    """Rename the options that have another library's names to the names in ``takes``, in place.

    A method passes ``axis`` at its default together with ``dim``; then ``dim`` takes precedence. Raises
    TypeError if both were chosen.

    >>> options = {"dim": [0, 1], "keepdim": True}
    >>> translate("sum", options, ("axis", "keepdims"), {"axis": None, "keepdims": False})
    >>> options
    {'axis': (0, 1), 'keepdims': True}
    """
    names = frozenset(takes)
    for word in [word for word in options if word not in names and word in MEANINGS]:
        target = next((meaning for meaning in MEANINGS[word] if meaning in names), None)
        if target is None:
            continue
        if target in options and options[target] is not defaults.get(target):
            raise TypeError(f"{name} was given both {target}= and {word}=, which mean the same; give one")
        value = options.pop(word)
        options[target] = tuple(value) if word in ("dim", "dims") and isinstance(value, list) else value


def check_words(name: str, options: Iterable[str], takes: Iterable[str], described: str) -> None:
    """Raise TypeError for an option that the operation ``name`` does not take.

    >>> check_words("relu", {"inplace": True}, ("x",), "the operand x")
    Traceback (most recent call last):
        ...
    TypeError: relu takes no 'inplace'; it takes the operand x
    """
    names = frozenset(takes)
    unknown = [repr(word) for word in options if word not in names]
    if unknown:
        raise TypeError(f"{name} takes no {' and no '.join(unknown)}; it takes {described}")


def in_either_words(function: Function) -> Function:
    """Let a function made of operations take ``dim`` for ``axis``, as operations do.

    >>> @in_either_words
    ... def first(x, axis=0):
    ...     return x, axis
    >>> first(5, dim=1)
    (5, 1)
    """
    parameters = inspect.signature(function).parameters
    defaults = {name: p.default for name, p in parameters.items() if p.default is not p.empty}
    known = frozenset(parameters)
    place = [*parameters, "axis"].index("axis")  # behind all the others if there is none

    @functools.wraps(function)
    def call(*inputs: Any, **options: Any) -> Any:
        if not known.issuperset(options):
            translate(function.__name__, options, parameters, defaults)
            check_words(function.__name__, options, parameters, ", ".join(parameters))
        twice = [name for name, _ in zip(parameters, inputs) if name in options]
        if twice:
            raise TypeError(f"{function.__name__} was given {twice[0]} twice: by position and by name")
        if type(options.get("axis")) is list:
            options["axis"] = tuple(options["axis"])
        elif place < len(inputs) and type(inputs[place]) is list:
            inputs = (*inputs[:place], tuple(inputs[place]), *inputs[place + 1 :])
        return function(*inputs, **options)

    return call  # type: ignore[return-value]
