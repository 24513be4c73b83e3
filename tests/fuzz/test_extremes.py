"""Functions of numbers at zeros of both signs, infinities, nan, huge and tiny numbers, in pairs too.

Values and slopes are PyTorch's. Where the package decided otherwise, or holds farther out, a line says so.
"""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import Tensor
from autodiff.engine.catalogue import catalogue
from tests.fuzz.operations import BINARY, UNARY, torch_function

torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")

INF, NAN = np.inf, np.nan


def extremes(dtype):
    limits = np.finfo(dtype)
    huge = 1e300 if dtype == np.float64 else 1e30
    sizes = [0.0, 0.5, 1.0, 2.0, 3.0, 40.0, 100.0, 750.0, huge, 1 / huge, limits.max, limits.tiny, INF]
    signed = [sign * size for size in sizes for sign in (1, -1)]
    return np.array([*signed, NAN, limits.smallest_subnormal], dtype)


def is_far(x):
    return (np.abs(x) > 1e15) | (np.abs(x) < 1e-15)


# Where the two differ. At nan a rectifier's slope is 0 here and 1 there; a tie of fmax is shared here.
DIFFERENT = {
    "relu": np.isnan,
    "leaky_relu": np.isnan,
    "elu": np.isnan,
    "abs": np.isnan,
    "selu": np.isnan,
    "celu": np.isnan,
    "softsign": lambda x: np.abs(x) > 100,  # the slope loses digits there, and is nan at inf
    # The slope is -3e-300 at 1e-300 here, and 0 there; at an integer the value is 0 here, and 4e-17 there.
    "sinc": lambda x: is_far(x) | (x == np.rint(x)),
    "tanh": lambda x: np.abs(x) > 3,  # the slope is 7e-35 at 40 here, and 0 there
    "sigmoid": lambda x: x > 3,  # likewise
    "expm1": lambda x: x < -3,  # likewise
    "arcsinh": is_far,  # the slope is 1e-300 at 1e300 here, and 0 there
    "arccosh": lambda x: is_far(x) | (x < 0),  # below its domain it is nan here
    "softplus": lambda x: x > 20,  # from where on PyTorch has it linear
    "gelu": lambda x: np.isinf(x) | (x < -2),  # in float32 nan at inf there, and few digits below -2
    "maximum": lambda x, y: np.isnan(x + y) & (np.isnan(x) | np.isnan(y)),
    "minimum": lambda x, y: np.isnan(x + y) & (np.isnan(x) | np.isnan(y)),
    "fmax": lambda x, y: (x == y) | np.isnan(x) | np.isnan(y),
    "fmin": lambda x, y: (x == y) | np.isnan(x) | np.isnan(y),
    "arctan2": lambda x, y: is_far(x) | is_far(y),  # its squares overflow there, or are lost
    "hypot": lambda x, y: (x == 0) & (y == 0),  # 0 here, nan there
    "logaddexp": lambda x, y: (x == y) & (np.abs(x) > 1e15),  # a half here, 1 there; masked out, 0 and nan
    "logaddexp2": lambda x, y: x == y,  # of two times -1 it is 0 here, and -5e-17 there
    "pow": lambda x, y: (y == 0) & ~(np.abs(x) >= np.finfo(x.dtype).tiny) & (x != 0),  # nan here
}


def differ(found, expected, dtype):
    """Where two results are not the same: to digits, or to the smallest numbers."""
    rtol = 1e-9 if dtype == np.float64 else 1e-5
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    return ~(same | (np.abs(found - expected) <= rtol * np.abs(expected) + np.finfo(dtype).tiny))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", [name for name in (*UNARY, *BINARY) if name != "cbrt"])  # torch has none
def test_values_and_slopes_at_the_extremes(name, dtype):
    values = extremes(dtype)
    operands = [x.ravel() for x in np.meshgrid(values, values)] if name in BINARY else [values]
    theirs = [torch.tensor(x, requires_grad=True) for x in operands]
    expected = torch_function(name)(*theirs)
    expected.backward(torch.ones_like(expected))
    ours = [Tensor(x) for x in operands]
    with np.errstate(all="ignore"):
        out = catalogue.find(name)(*ours)
        out.backward(1)
        is_compared = ~DIFFERENT.get(name, lambda *x: np.zeros(x[0].shape, bool))(*operands)
        results = [(out.data, expected.numpy(force=True))]
        results += [(leaf.grad.data, other.grad.numpy()) for leaf, other in zip(ours, theirs, strict=True)]
        for found, other in results:
            wrong = differ(found, other, dtype) & is_compared
            table = np.stack([*operands, found, other], axis=-1)[wrong]
            assert not wrong.any(), f"operands, found, expected:\n{table[:10]}"


@pytest.mark.filterwarnings("ignore:std\\(\\). degrees of freedom:UserWarning")
@pytest.mark.parametrize("name", ["sum", "prod", "max", "cumsum", "logsumexp", "norm", "std", "softmax"])
@pytest.mark.parametrize("shape", [(0,), (1,), (0, 2), (2, 0), (1, 1)], ids=str)
def test_along_axes_of_no_elements_and_of_one(name, shape):
    """Nothing to reduce is refused here where NumPy refuses it; else values and gradients are PyTorch's."""
    array = np.full(shape, 2.0)
    x, other = Tensor(array), torch.tensor(array, requires_grad=True)
    if name == "max" and shape[-1] == 0:
        with pytest.raises(ValueError, match="zero-size array"):
            catalogue.find(name)(x, axis=-1)
        return
    theirs = {
        "max": lambda: other.amax(-1), "norm": lambda: torch.linalg.vector_norm(other, dim=-1),
        "std": lambda: other.std(-1, correction=0),
    }.get(name, lambda: getattr(other, name)(-1))()  # fmt: skip
    out = catalogue.find(name)(x, axis=-1)
    np.testing.assert_array_equal(out.data, theirs.numpy(force=True))
    out.backward(1)
    theirs.backward(torch.ones_like(theirs))
    expected = np.zeros(shape) if name == "std" else other.grad.numpy()  # at its kink: nan there, 0 here
    np.testing.assert_array_equal(x.grad.data, expected)
