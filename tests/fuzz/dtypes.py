"""Random calls on operands of every dtype: booleans, integers, unsigned integers, floats of all sizes.

    python -m tests.fuzz.dtypes --trials 50000 --seed 0

The oracle is the same call on the same numbers in float64, rounded once; for a result of integers it is
NumPy. A compiled and a vmapped call return the dtype of the uncompiled one. A failure prints the numbers of
its trial; ``--only SEED TRIAL`` runs that trial again.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.backward import gradients
from autodiff.engine.catalogue import catalogue
from autodiff.engine.dtypes import WIDE
from autodiff.engine.tracing import TraceError
from autodiff.nn import functional as F  # noqa: N812 - its usual name
from tests.fuzz.chance import Chance, parser, run_trials
from tests.fuzz.operations import Call
from tests.fuzz.products import a_call

FLOATS = (np.float16, np.float32, np.float64)
WHOLE = (
    np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
)  # fmt: skip
REFUSED = (TypeError, ValueError, IndexError, OverflowError, np.linalg.LinAlgError)
ULPS = {"the value": 1, "compiled": 1, "vmapped": 1, "the gradient": 2, "the second derivative": 4}
MIDDLE = 2
"""Where one operation follows another, the first result is rounded by half an ulp, which is up to one of
the last, and a square doubles it: exp(x)**2 is 32.0 in float16 where 31.971 is right."""

ACTIVATIONS = (
    F.sigmoid, F.tanh, F.relu, F.softplus, F.silu, F.logsigmoid, F.mish, F.gelu, F.elu, F.selu, F.celu,
    F.softsign, F.hardsigmoid, F.hardswish, F.hardtanh, F.leaky_relu, F.relu6, ad.erf, ad.square,
)  # fmt: skip
ALONG = (F.softmax, F.softmin, F.log_softmax, ad.logsumexp, ad.cumsum, ad.var, ad.std, ad.mean, ad.norm)
LOSSES = (
    F.mse_loss, F.l1_loss, F.huber_loss, F.smooth_l1_loss, F.binary_cross_entropy_with_logits, F.kl_div,
)  # fmt: skip


def call_of(function: Callable[..., Any], arrays: list[Any]) -> Call:
    return Call(function.__name__, arrays, function, None, None)


def layer(chance: Chance) -> Call:
    """An activation, a softmax or a sum along an axis, a loss, or a layer of pictures."""
    shape = chance.shape(least=1, most=3)
    kind = chance.integer(0, 3)
    if kind == 0:
        return call_of(chance.choice(ACTIVATIONS), [chance.array(chance.shape())])
    if kind == 1:
        function, axis = chance.choice(ALONG), chance.axis(shape)
        return Call(
            function.__name__, [chance.array(shape)], lambda x: function(x, dim=axis), None,
            None,
        )  # fmt: skip
    if kind == 2:
        function, target = chance.choice(LOSSES), abs(chance.array(shape))
        reduction = chance.choice(("mean", "sum", "none"))
        return Call(
            function.__name__, [chance.array(shape)], lambda x: function(x, target, reduction=reduction),
            None, None, smooth=False,
        )  # fmt: skip
    pictures = (chance.integer(1, 2), chance.integer(2, 3), 4, chance.integer(3, 5))
    x = chance.array(pictures)
    weight = chance.array((2, pictures[1], 3, 3))
    rows = tuple(range(1, 4))
    size = pictures[1:]
    return chance.choice((
        lambda: call_of(F.conv2d, [x, weight]),
        lambda: Call("avg_pool2d", [x], lambda x: F.avg_pool2d(x, 2), None, None),
        lambda: Call("adaptive_avg_pool2d", [x], lambda x: F.adaptive_avg_pool2d(x, 2), None, None),
        lambda: Call("layer_norm", [x], lambda x: F.layer_norm(x, size), None, None),
        lambda: Call("rms_norm", [x], lambda x: F.rms_norm(x, size, eps=1e-5), None, None),
        lambda: Call("normalize", [x], lambda x: F.normalize(x, dim=rows), None, None),
        lambda: Call("attention", [x], lambda x: F.scaled_dot_product_attention(x, x, x), None, None),
    ))()  # fmt: skip


def in_dtype(array: Any, dtype: Any) -> np.ndarray:
    """Values in a dtype: floats as they are, integers from -12 to 12, booleans for what is above 0."""
    if np.dtype(dtype).kind == "f":
        return np.asarray(array, dtype)
    if dtype is np.bool_:
        return np.asarray(np.asarray(array) > 0)
    whole = np.asarray(np.clip(np.rint(4 * np.asarray(array)), -12, 12))
    return np.asarray(np.abs(whole) if np.dtype(dtype).kind == "u" else whole).astype(dtype)


class Trial:
    """A random call on operands of random dtypes."""

    def __init__(self, seed: Any) -> None:
        chance = self.chance = Chance(seed)
        self.call = layer(chance) if chance.often(0.4) else a_call(chance)
        operation = catalogue.__dict__.get(self.call.name)
        self.is_one = getattr(operation, "precision", None) in WIDE
        self.is_elementwise = getattr(operation, "kind", None) == "elementwise"
        self.is_composed = " of " in self.call.name
        # Integers between two operations may have other values than floats: uint8 wraps around.
        whole = () if self.is_composed else (*WHOLE, np.uint8)
        first = chance.choice((np.float16, *FLOATS, *whole))
        second = chance.choice((*FLOATS, *whole)) if chance.often(0.3) else first
        self.arrays = [in_dtype(x, second if place else first) for place, x in enumerate(self.call.arrays)]
        self.is_one = self.is_one and not is_single_or_double(self.arrays)

    def __str__(self) -> str:
        shown = ", ".join(f"{x.dtype}{x.shape}" for x in self.arrays)
        return f"{self.call.name} {self.call.options} of {shown}"

    def run(self) -> None:
        """Raise AssertionError if a result has another dtype or other values than it should."""
        with np.errstate(all="ignore"):
            self.exact = [np.asarray(x, np.float64) for x in self.arrays]
            tensors = [Tensor(x, requires_grad=False) for x in self.arrays]
            found = result_of(self.call.ours, self.arrays)
            expected = result_of(self.call.ours, self.exact)
            if isinstance(found, Exception):
                self.check_refusal(found, expected)
                return
            self.check("the value", found, expected)
            recorded = result_of(self.call.ours, tensors)
            # NumPy's scalars keep their dtype in NumPy's operators; operations take them for numbers.
            self.check("the value", recorded, expected, like=None if self.is_composed else found)
            self.check_whole(recorded)
            self.check_other_ways(tensors, found, recorded, expected)
            if any(x.dtype == np.float16 for x in self.arrays):
                self.check_derivatives()

    def check_refusal(self, error: Exception, expected: Any) -> None:
        """What is refused is refused of floats as well, or by NumPy."""
        if isinstance(expected, Exception) or self.call.numpy is None:
            return
        theirs = result_of(self.call.numpy, self.arrays)
        assert isinstance(theirs, Exception), f"refused, and NumPy returns {theirs}: {error}"

    def check_other_ways(self, tensors: list[Any], found: Any, recorded: Any, expected: Any) -> None:
        """Compiled and vmapped, on arrays and on Tensors."""
        for operands, like in ((self.arrays, found), (tensors, recorded)):
            fast = result_of(ad.compile(self.call.ours), operands)
            if not isinstance(fast, TraceError):
                self.check("compiled", fast, expected, like=like)
        batch = [Tensor(np.stack([x, x]), requires_grad=False) for x in self.arrays]
        rows = result_of(ad.vmap(self.call.ours), batch)
        if not isinstance(rows, TraceError):
            assert not isinstance(rows, Exception), f"vmap refused: {rows}"
            # An example of one number counts as an array without axes, or as x[1] does: NumPy's scalar.
            one = result_of(self.call.ours, [x[1] for x in batch])
            like = one if np.asarray(one).dtype == rows.dtype else recorded
            self.check("vmapped", np.asarray(rows)[1], expected, like=like)

    def check_whole(self, found: Any) -> None:
        """A result of integers is NumPy's."""
        found = np.asarray(found)
        if found.dtype.kind == "f" or self.call.numpy is None:
            return
        theirs = np.asarray(result_of(self.call.numpy, self.arrays))
        if theirs.dtype.kind in "iub":
            np.testing.assert_array_equal(found, theirs, "not NumPy's integers")

    def check(self, what: str, found: Any, expected: Any, like: Any = None) -> None:
        """Raise AssertionError unless a result has the dtype of another one and the values in float64."""
        assert not isinstance(found, Exception), f"{what} refused: {found}"
        found, expected = np.asarray(found), np.asarray(expected)
        assert like is None or found.dtype == np.asarray(like).dtype, (
            f"{what} has the dtype {found.dtype}, not {np.asarray(like).dtype}"
        )
        assert found.shape == expected.shape, f"{what} has the shape {found.shape}, not {expected.shape}"
        if found.dtype.kind != "f":
            return
        is_narrow = any(x.dtype == np.float16 for x in self.arrays)
        assert found.dtype != np.float16 or is_narrow, f"{what} is float16"
        if found.dtype == np.float16:
            self.check_ulps(what, found, expected)
            return
        near = 1e-9 if found.dtype == np.float64 and not is_single(self.arrays) else 1e-3
        np.testing.assert_allclose(found, expected, near, near, err_msg=what)

    def check_ulps(self, what: str, found: Any, expected: Any) -> None:
        """Compare float16 with float64 rounded once."""
        rounded = expected.astype(np.float16)
        # What is made of several operations is rounded several times: its error is one of the largest number.
        # So is a second derivative in which elements are added up, as in one of a system of equations.
        is_one = self.is_one and (self.is_elementwise or what != "the second derivative")
        size = np.abs(rounded) if is_one else np.fmax(np.abs(rounded), largest(rounded))
        ulp = np.spacing(size).astype(float)
        differs = (found != rounded) & ~(np.isnan(found) & np.isnan(rounded))
        off = np.abs(found.astype(float) - rounded.astype(float))
        allowed = ULPS[what] + MIDDLE * self.is_composed
        assert not np.any(differs & ~(off <= allowed * ulp)), f"{what} is\n{found}\nnot\n{rounded}"

    def check_derivatives(self) -> None:
        """First and second derivatives by float16 operands."""
        first = [self.slopes(arrays, 1) for arrays in (self.arrays, self.exact)]
        pairs = [("the gradient", first)]
        if self.call.smooth:
            second = [self.slopes(arrays, 2) for arrays in (self.arrays, self.exact)]
            pairs.append(("the second derivative", second))
        for what, (found, expected) in pairs:
            for array, mine, other in zip(self.arrays, found, expected):
                if array.dtype == np.float16:
                    assert mine.dtype == np.float16, f"{what} has the dtype {mine.dtype}"
                    self.check_ulps(what, np.asarray(mine), np.asarray(other))

    def slopes(self, arrays: list[Any], order: int) -> list[Any]:
        """The derivatives by all operands of the sum of the result, or of its weighted first derivatives."""
        leaves = [Tensor(x, requires_grad=y.dtype.kind == "f") for x, y in zip(arrays, self.arrays)]
        out = self.call.ours(*leaves)
        wanted = [leaf for leaf in leaves if leaf.requires_grad]
        found: list[Any] = [np.float16(0)] * len(leaves)
        if not (isinstance(out, Tensor) and out.requires_grad):
            return []
        slopes = gradients(out, wanted, eighths(out.shape), create_graph=order == 2)
        if order == 2:
            end = sum((slope * eighths(slope.shape)).sum() for slope in slopes)
            if not end.requires_grad:
                return []
            slopes = gradients(end, wanted)
        places = iter(slopes)
        for place, leaf in enumerate(leaves):
            if leaf.requires_grad:
                found[place] = next(places).data
        return found


def eighths(shape: tuple[int, ...]) -> np.ndarray:
    """Weights that float16 holds exactly."""
    return (np.arange(np.prod(shape, dtype=int)) % 5 * np.float16(0.125) + np.float16(0.5)).reshape(shape)


def largest(rounded: Any) -> Any:
    """The largest finite number, or 1 if that is larger."""
    return np.max(np.abs(rounded), initial=1, where=np.isfinite(rounded))


def is_single_or_double(arrays: list[Any]) -> bool:
    return any(x.dtype in (np.float32, np.float64) for x in arrays)


def is_single(arrays: list[Any]) -> bool:
    return any(x.dtype in (np.float16, np.float32) for x in arrays)


def result_of(function: Any, operands: list[Any]) -> Any:
    """The result, or the error that refuses the operands."""
    try:
        found = function(*operands)
    except (*REFUSED, TraceError) as error:
        return error
    return found.data if isinstance(found, Tensor) else found


def fuzz(trials: int, seed: int, seconds: float = np.inf) -> collections.Counter[str]:
    """Run trials, no longer than so many seconds, and count them by operation."""

    def run(trial: Trial) -> str:
        trial.run()
        return trial.call.name

    return run_trials(Trial, run, trials, seed, seconds)


if __name__ == "__main__":
    options = parser(__doc__, 10_000).parse_args()
    if options.only:
        Trial(tuple(options.only)).run()
    else:
        counts = fuzz(options.trials, options.seed)
        print(f"{counts.total()} trials of {len(counts)} functions, none wrong")  # noqa: T201
