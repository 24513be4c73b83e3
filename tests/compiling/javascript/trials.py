"""Random calls of the runtime, with what NumPy returns: each function makes one trial of its family."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from autodiff.testing import LAYOUTS

FLOATS = ("float64", "float32")
DTYPES = (*FLOATS, "float64", "float32", "int64", "int32", "uint8", "bool", "float16")
SPECIAL = (0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, 3.0)
Rng = np.random.Generator


class Trial(NamedTuple):
    """A call of the runtime, and the result that NumPy gives; by how much it may be off, relatively and
    not."""

    name: str
    args: tuple[Any, ...]
    options: dict[str, Any]
    expected: Any
    rtol: float = 0.0
    atol: float = 0.0

    @property
    def signs(self) -> bool:
        """Whether the sign of 0 is compared. Of two zeros NumPy takes one or the other, depending on the
        number of elements."""
        return self.name not in ("maximum", "minimum", "fmax", "fmin", "max", "min")

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(shown, self.args))}, {self.options})"


def shown(x: Any) -> str:
    """An argument in a message."""
    return f"{x.dtype}{x.shape}{x.strides}" if isinstance(x, np.ndarray) else repr(x)


def pick(rng: Rng, options: Any) -> Any:
    """One of some options."""
    return options[rng.integers(len(options))]


def shape(rng: Rng, least: int = 0, most: int = 4) -> tuple[int, ...]:
    """A small shape; in one of ten a size is 0."""
    sizes = rng.integers(1, 6, rng.integers(least, most + 1))
    if len(sizes) and rng.random() < 0.1:
        sizes[rng.integers(len(sizes))] = 0
    return tuple(map(int, sizes))


def array(rng: Rng, sizes: Any, dtype: str, special: bool = True) -> Any:
    """An array in some memory layout, with nan, inf and zeros of both signs now and then."""
    if dtype == "bool":
        x = rng.random(sizes) < 0.5
    elif np.dtype(dtype).kind != "f":
        x = rng.integers(0 if dtype == "uint8" else -9, 10, sizes)
    else:
        x = rng.normal(size=sizes) * pick(rng, (1, 1, 3, 30))
        if special and rng.random() < 0.3:
            x = np.where(rng.random(sizes) < 0.3, rng.choice(SPECIAL, sizes), x)
    return LAYOUTS[pick(rng, sorted(LAYOUTS))](np.asarray(x).astype(dtype))


def partner(rng: Rng, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts with another one."""
    kept = [1 if rng.random() < 0.3 else n for n in sizes]
    return tuple(kept[rng.integers(0, len(kept) + 1) :]) if rng.random() < 0.4 else tuple(kept)


def number(rng: Rng) -> Any:
    """A Python number."""
    return pick(rng, (True, 2, -3, 0, 0.5, -1.25, 0.1, math.inf, math.nan))


def axis(rng: Rng, count: int) -> Any:
    """All axes, one or several of them."""
    kind = rng.integers(3)
    if kind == 0 or not count:
        return None
    if kind == 1:
        return int(rng.integers(-count, count))
    return [int(a) for a in rng.permutation(count)[: rng.integers(1, count + 1)]]


def as_tuple(places: Any) -> Any:
    return tuple(places) if isinstance(places, list) else places


BINARY = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "remainder",
    "floor_divide", "fmod", "greater", "greater_equal", "less", "less_equal", "equal", "not_equal",
    "logical_and", "logical_or", "logical_xor", "copysign",
)  # fmt: skip
UNARY = (
    "negative", "absolute", "square", "sign", "sqrt", "floor", "ceil", "trunc", "rint", "isnan", "isinf",
    "isfinite", "logical_not", "reciprocal",
)  # fmt: skip
NOT_OF_BOOLEANS = {
    "subtract", "negative", "sign", "square", "fmod", "remainder", "floor_divide", "reciprocal",
}  # fmt: skip


def binary(rng: Rng) -> Trial | None:
    """Two arrays, or an array and a number."""
    name, sizes = pick(rng, BINARY), shape(rng)
    x: Any = array(rng, sizes, pick(rng, DTYPES))
    y: Any = number(rng) if rng.random() < 0.3 else array(rng, partner(rng, sizes), pick(rng, DTYPES))
    if rng.random() < 0.5:
        x, y = y, x
    kinds = {np.asarray(each).dtype.kind for each in (x, y)}
    if "b" in kinds and name in NOT_OF_BOOLEANS:
        return None
    if name in ("remainder", "floor_divide") and kinds != {"f"}:
        return None  # test_elementwise.py has integers
    if "u" in kinds and (isinstance(x, int) or isinstance(y, int)):
        return None  # a number that does not fit is an error in NumPy
    expected = getattr(np, name)(x, y)
    half = expected.dtype == np.float16 and name in (
        "divide", "fmod", "remainder", "floor_divide", "multiply",
    )  # fmt: skip
    return Trial(name, (x, y), {}, expected, 2e-3 * half)


def unary(rng: Rng) -> Trial | None:
    """One array, sometimes with a place for the result."""
    name, x = pick(rng, UNARY), array(rng, shape(rng), pick(rng, DTYPES))
    if x.dtype.kind != "f" and name in ("sqrt", "reciprocal"):
        return None
    if x.dtype.kind == "b" and name in NOT_OF_BOOLEANS:
        return None
    expected = getattr(np, name)(x)
    if x.dtype.kind == "f" and rng.random() < 0.3:
        out = np.zeros(x.shape, expected.dtype)[..., ::-1] if x.ndim else np.zeros((), expected.dtype)
        return Trial(name, (x,), {"out": out}, expected)
    return Trial(name, (x,), {}, expected)


def choice(rng: Rng) -> Trial:
    """np.where of arrays and numbers."""
    sizes = shape(rng)
    mask, parts = array(rng, sizes, "bool"), []
    for _ in "xy":
        is_number = rng.random() < 0.2
        parts.append(float(number(rng)) if is_number else array(rng, partner(rng, sizes), pick(rng, FLOATS)))
    if not any(isinstance(x, np.ndarray) for x in parts):
        parts[0] = array(rng, sizes, "float32")
    return Trial("where", (mask, *parts), {}, np.where(mask, *parts))


def reduction(rng: Rng) -> Trial:
    """Sums, products and extrema along axes: the sums in NumPy's order."""
    name = pick(rng, ("sum", "sum", "prod", "max", "min", "any", "all", "mean"))
    dtype = pick(rng, DTYPES[:-1])
    long = name in ("sum", "mean") and rng.random() < 0.3
    sizes = tuple(map(int, rng.integers(1, 40, 3))) if long else shape(rng)
    x = array(rng, sizes, dtype)
    options: dict[str, Any] = {"axis": axis(rng, x.ndim), "keepdims": bool(rng.random() < 0.4)}
    takes_start = name in ("sum", "prod", "max", "min") and rng.random() < 0.3
    if takes_start or (name in ("max", "min") and not x.size):
        options["initial"] = int(rng.integers(0, 3))
    expected = getattr(np, name)(x, **{**options, "axis": as_tuple(options["axis"])})
    exact = not (name == "mean" and x.dtype.kind != "f")
    return Trial(name, (x,), options, expected, 0 if exact else 1e-15)


def running(rng: Rng) -> Trial:
    """Running sums, order and places of extrema."""
    name = pick(rng, ("cumsum", "cumprod", "sort", "argsort", "argmax", "argmin"))
    x = array(rng, shape(rng, 1), pick(rng, ("float64", "float32", "int64", "bool", "int32")))
    if not x.size:
        x = np.array([[1.0, 2.0], [0.0, math.nan]])
    options: dict[str, Any] = {"axis": pick(rng, (None, *range(-x.ndim, x.ndim)))}
    more = {"kind": "stable"} if "sort" in name else {}
    if name.startswith("arg") and name != "argsort":
        options["keepdims"] = bool(rng.random() < 0.5)
    return Trial(name, (x,), options, getattr(np, name)(x, **options, **more))


def index_for(rng: Rng, sizes: tuple[int, ...]) -> list[Any]:
    """An index for an array: numbers, slices, new axes, an ellipsis, arrays of places, masks."""
    parts: list[Any] = []
    length = int(rng.integers(1, 4))
    place = 0
    while place < len(sizes) and rng.random() < 0.9:
        size, kind = sizes[place], rng.integers(8)
        if kind == 0 and size:
            parts.append(int(rng.integers(-size, size)))
        elif kind == 1 and size:
            parts.append(rng.integers(-size, size, (length,) if rng.random() < 0.7 else (2, length)))
        elif kind == 2:
            parts.append(None)
            continue
        elif kind == 3 and not any(isinstance(p, np.ndarray) for p in parts):
            parts.append(rng.random(size) < 0.6)
            length = int(parts[-1].sum())
            if length == 0 or length > 1:
                length = 1
        else:
            ends = [None if rng.random() < 0.3 else int(v) for v in rng.integers(-7, 8, 2)]
            parts.append(slice(*ends, pick(rng, (None, 1, 2, -1, -2))))
        place += 1
    if rng.random() < 0.3:
        parts.insert(rng.integers(len(parts) + 1), Ellipsis)
    return parts


def indexed(rng: Rng) -> Trial | None:
    """x[index], and what is written or added there."""
    x = array(rng, shape(rng), pick(rng, DTYPES[:-1]))
    index = index_for(rng, x.shape)
    try:
        expected = x[tuple(index)]
    except IndexError:
        return None
    if rng.random() < 0.5:
        return Trial("getitem", (x, *index), {}, expected)
    name = pick(rng, ("setitem", "put", "put_add", "add_at"))
    if x.dtype.kind == "b" and "add" in name:
        return None
    value: Any = array(rng, partner(rng, np.shape(expected)), str(x.dtype))
    whole = x.copy()
    if name in ("setitem", "put"):
        whole[tuple(index)] = value
    else:
        # NumPy 2.4 reads beyond the end of a value that an index of two axes into one axis repeats.
        np.add.at(whole, tuple(index), np.array(np.broadcast_to(value, np.shape(expected))))
    if name == "setitem":
        return Trial(name, (x.copy(), value, *index), {}, whole)
    if name == "add_at":
        return Trial(name, (x.copy(), index, value), {}, whole)
    return Trial(name, (x, value, index), {}, whole)


MOVES = (
    "transpose", "swapaxes", "moveaxis", "expand_dims", "squeeze", "broadcast_to", "flip", "reshape", "ravel",
    "astype", "copy", "concatenate", "stack",
)  # fmt: skip


def moved(rng: Rng) -> Trial:
    """Other shapes of the same elements."""
    x = array(rng, shape(rng, 1), pick(rng, DTYPES))
    name = pick(rng, MOVES)
    a, b = (int(v) for v in rng.integers(-x.ndim, x.ndim, 2))
    if name == "transpose":
        order = [int(v) for v in rng.permutation(x.ndim)]
        return Trial(name, (x, order), {}, np.transpose(x, order))
    if name in ("swapaxes", "moveaxis"):
        return Trial(name, (x, a, b), {}, getattr(np, name)(x, a, b))
    if name in ("expand_dims", "flip"):
        return Trial(name, (x, a), {}, getattr(np, name)(x, a))
    if name == "squeeze":
        return Trial(name, (x,), {}, np.squeeze(x))
    if name == "broadcast_to":
        sizes = (2, *(3 if n == 1 else n for n in x.shape))
        return Trial(name, (x, list(sizes)), {}, np.broadcast_to(x, sizes))
    if name == "reshape":
        sizes = [int(v) for v in rng.permutation((*x.shape, 1))]
        if x.size:
            sizes[rng.integers(len(sizes))] = -1
        return Trial(name, (x, sizes), {}, x.reshape(sizes))
    if name == "astype":
        dtype = pick(rng, DTYPES)
        safe = np.nan_to_num(x, nan=1, posinf=2, neginf=3) if x.dtype.kind == "f" else x
        safe = np.abs(safe) if dtype == "uint8" else safe
        return Trial(name, (safe, dtype), {}, safe.astype(dtype))
    if name in ("concatenate", "stack"):
        other = array(rng, x.shape, pick(rng, DTYPES))
        return Trial(name, ([x, other, x],), {"axis": a}, getattr(np, name)([x, other, x], axis=a))
    return Trial(name, (x,), {}, np.array(np.ravel(x) if name == "ravel" else x))


def product(rng: Rng) -> Trial:
    """Matrix products of vectors, matrices and stacks."""
    m, k, n = (int(v) for v in rng.integers(0 if rng.random() < 0.1 else 1, 9, 3))
    lead = shape(rng, 0, 2)
    dtype, other = pick(rng, FLOATS), pick(rng, (*FLOATS, "int64"))
    x = array(rng, pick(rng, ((k,), (m, k), (*lead, m, k))), dtype, special=False)
    y = array(rng, pick(rng, ((k,), (k, n), (*partner(rng, lead), k, n))), other, special=False)
    expected = np.matmul(x, y)
    rtol = 1e-5 if expected.dtype == np.float32 else 1e-12
    return Trial("matmul", (x, y), {}, expected, rtol, 100 * rtol)


EINSUMS = (
    "ij,jk->ik", "ij,jk", "ii->i", "ii", "ij->ji", "...j,...j->...", "...j->...", "ij,kj->ik", "i,j->ij",
    "bij,bjk->bik", "ij,ij->", "ij,jk,kl->il", "...ij,jk->...ik", "ij,ij->ij", "a,a,a->a",
)  # fmt: skip


def einsum(rng: Rng) -> Trial:
    """Einstein's notation."""
    text = pick(rng, EINSUMS)
    sizes = {c: int(rng.integers(1, 5)) for c in "abijkl"}
    shapes = [[sizes[c] for c in part.replace("...", "ab")] for part in text.split("->")[0].split(",")]
    operands = [array(rng, each, pick(rng, FLOATS), special=False) for each in shapes]
    expected = np.einsum(text, *operands)
    rtol = 1e-5 if expected.dtype == np.float32 else 1e-12
    return Trial("einsum", (text, *operands), {}, expected, rtol, 100 * rtol)


FAMILIES = (binary, unary, choice, reduction, running, indexed, indexed, moved, product, einsum)


def trial(seed: Any) -> Trial:
    """The trial of a seed."""
    rng = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        while True:
            found = pick(rng, FAMILIES)(rng)
            if found is not None:
                return found
