"""Random layers on random inputs in random memory layouts: outputs, gradients and buffers against PyTorch's
layers with the same weights, which compute in float64 from contiguous arrays.

    python -m tests.fuzz.layers --trials 10000 --seed 0

Each trial has a seed of its own, which a failure prints with the layer; ``--only SEED TRIAL`` runs one again.
"""

from __future__ import annotations

import collections
import copy
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autodiff import Tensor, nn
from autodiff.testing import laid
from tests.fuzz.chance import Chance, parser, quiet, run_trials

EXACT, ROUGH = 1e-10, 3e-4
"""How far apart numbers may be, beside the largest of them: in float64, and where float32 takes part."""


@dataclass
class Layer:
    """A layer's arguments, and the shapes of the inputs it is called with."""

    name: str
    args: tuple[Any, ...]
    options: dict[str, Any]
    shapes: list[tuple[int, ...]]
    call: dict[str, Any] = field(default_factory=dict)  # arrays among them become PyTorch's
    same: bool = False  # one input stands for all of them
    ties: bool = True  # whether values may be alike along an axis
    training: bool | None = None  # the mode, where only one can be compared

    def __str__(self) -> str:
        call = {name: getattr(value, "shape", value) for name, value in self.call.items()}
        shapes = f"{self.shapes[0]} for all" if self.same else self.shapes
        return f"{self.name}{self.args} {self.options} on {shapes} {call}"


Draw = Callable[[Chance], Layer]


def sizes(chance: Chance, count: int, least: int = 1) -> tuple[int, ...]:
    return tuple(chance.integer(least, 4) for _ in range(count))


def batch(chance: Chance) -> int:
    return chance.choice((0, 1, 1, 2, 3))


def norm_options(chance: Chance) -> dict[str, Any]:
    options: dict[str, Any] = {"eps": chance.choice((1e-5, 0.1))}
    options["momentum"] = chance.choice((0.1, 0.3, None))
    options["affine"] = chance.often(0.6)
    options["track_running_stats"] = chance.often(0.6)
    return options


def batch_norm(chance: Chance) -> Layer:
    channels = chance.integer(1, 4)
    flat = chance.often(0.5)
    inner = sizes(chance, chance.integer(0, 1)) if flat else sizes(chance, 2)
    shape = chance.integer(2, 3), channels, *inner
    lazy = "Lazy" if chance.often(0.2) else ""
    name, args = f"{lazy}BatchNorm{1 if flat else 2}d", () if lazy else (channels,)
    return Layer(name, args, norm_options(chance), [shape])


def instance_norm(chance: Chance) -> Layer:
    channels, axes = chance.integer(1, 4), chance.integer(1, 2)
    options = norm_options(chance)
    lazy = "Lazy" if chance.often(0.2) else ""
    examples = (
        () if chance.often(0.2) and not lazy else (chance.integer(1, 3),)
    )  # PyTorch's lazy ones need it
    shape = (*examples, channels, *sizes(chance, axes, 2))
    return Layer(f"{lazy}InstanceNorm{axes}d", () if lazy else (channels,), options, [shape])


def group_norm(chance: Chance) -> Layer:
    groups, per_group = chance.integer(1, 3), chance.integer(1, 3)
    inner = sizes(chance, chance.integer(0, 3), 2)
    if per_group == 1 and not inner:
        inner = (2,)
    options = {"eps": chance.choice((1e-5, 0.1)), "affine": chance.often(0.6)}
    shape = batch(chance), groups * per_group, *inner
    return Layer("GroupNorm", (groups, groups * per_group), options, [shape])


def last_axes_norm(chance: Chance) -> Layer:
    shape = (*(batch(chance) for _ in range(chance.integer(0, 2))), *sizes(chance, chance.integer(1, 2), 2))
    count = chance.integer(1, min(2, len(shape)))
    if 0 in shape[-count:]:
        count = 1
    last = shape[-1] if count == 1 and chance.often(0.5) else shape[-count:]
    options = {"eps": chance.choice((1e-5, 0.1)), "elementwise_affine": chance.often(0.6)}
    name = chance.choice(("LayerNorm", "RMSNorm"))
    if name == "RMSNorm" and chance.often(0.5):
        options["eps"] = None
    return Layer(name, (last,), options, [shape])


def upsample(chance: Chance) -> Layer:
    axes = chance.integer(1, 2)
    old = tuple(chance.integer(1, 5) for _ in range(axes))
    options: dict[str, Any] = {}
    if chance.often(0.5):
        options["size"] = tuple(chance.integer(1, 9) for _ in old) if chance.often(0.7) else 4
    else:
        factors = [chance.choice((1, 1.3, 1.5, 2, 2.6, 3, 3.05)) for _ in old]
        options["scale_factor"] = tuple(map(float, factors)) if chance.often(0.5) else float(factors[0])
        if chance.often(0.3):
            options["recompute_scale_factor"] = True
    if chance.often(0.6):
        options |= {"mode": ("linear", "bilinear")[axes - 1], "align_corners": chance.often(0.5)}
    elif any(
        int(n * f) in (n, 2 * n) and f != int(f)
        for n in old
        for f in np.ravel(options.get("scale_factor", 1))
    ):
        return upsample(chance)  # PyTorch rounds such a factor in one of its kernels, and not in another
    return Layer("Upsample", (), options, [(chance.integer(1, 3), chance.integer(1, 3), *old)])


def shuffle(chance: Chance) -> Layer:
    r, (channels, rows, columns) = chance.integer(1, 3), sizes(chance, 3)
    lead = sizes(chance, chance.integer(0, 2))  # without examples PyTorch leaves the shape as it is
    if chance.often(0.5):
        return Layer("PixelShuffle", (r,), {}, [(*lead, channels * r * r, rows, columns)])
    return Layer("PixelUnshuffle", (r,), {}, [(*lead, channels, rows * r, columns * r)])


def dropout(chance: Chance) -> Layer:
    shape = batch(chance), *sizes(chance, 3)
    return Layer("Dropout2d", (chance.choice((0.0, 0.5, 1.0)),), {}, [shape], training=False)


def mask_for(chance: Chance, shape: tuple[int, ...]) -> np.ndarray:
    """A mask of floats to add, or a boolean one that hides at most all keys but the first."""
    if chance.often(0.5):
        return chance.rng.normal(size=shape) * chance.choice((1.0, 20.0))
    hidden = chance.rng.random(shape) < 0.4
    hidden[..., 0] = False
    return hidden


def sequences(
    chance: Chance, batch_first: bool, lengths: list[int], widths: list[int]
) -> tuple[int, list[Any]]:
    """The size of the batch, 0 for none, and a shape for each length."""
    count = chance.choice((0, 1, 2, 3))
    shapes: list[Any] = []
    for length, width in zip(lengths, widths):
        lead = ((count, length) if batch_first else (length, count)) if count else (length,)
        shapes.append((*lead, width))
    return count, shapes


def masks(
    chance: Chance, names: tuple[str, str, str], count: int, heads: int, queries: int, keys: int
) -> dict[str, Any]:
    """Some masks of attention, by the names that a layer has for them."""
    mask, padding, causal = names
    call: dict[str, Any] = {}
    if chance.often(0.5):
        lead = (count * heads,) if count and chance.often(0.3) else ()
        call[mask] = mask_for(chance, (*lead, queries, keys))
    elif chance.often(0.4):
        call[mask], call[causal] = np.triu(np.ones((queries, keys), bool), 1), True
    if chance.often(0.3):
        call[padding] = mask_for(chance, (count, keys) if count else (keys,))
    return call


def attention(chance: Chance) -> Layer:
    heads = chance.integer(1, 3)
    width, (queries, keys) = heads * chance.integer(1, 3), sizes(chance, 2)
    same = chance.often(0.4)
    options: dict[str, Any] = {"bias": chance.often(0.7), "batch_first": chance.often(0.5)}
    widths = [width] * 3
    if not same and chance.often(0.4):
        options |= {"kdim": chance.integer(1, 4), "vdim": chance.integer(1, 4)}
        widths[1:] = options["kdim"], options["vdim"]
    keys = queries if same else keys
    count, shapes = sequences(chance, options["batch_first"], [queries, keys, keys], widths)
    names = ("attn_mask", "key_padding_mask", "is_causal")
    call = masks(chance, names, count, heads, queries, keys)
    call |= {"need_weights": chance.often(0.5), "average_attn_weights": chance.often(0.5)}
    return Layer("MultiheadAttention", (width, heads), options, shapes[:1] if same else shapes, call, same)


def block_options(chance: Chance) -> dict[str, Any]:
    return {
        "dim_feedforward": chance.integer(1, 5), "dropout": 0.0,
        "activation": chance.choice(("relu", "gelu")),
        "layer_norm_eps": chance.choice((1e-5, 0.1)), "batch_first": chance.often(0.5),
        "norm_first": chance.often(0.5), "bias": chance.often(0.7),
    }  # fmt: skip


# Without ties: a row of equal numbers is normalized to rounding errors, on the kink of relu.
def encoder_layer(chance: Chance) -> Layer:
    heads = chance.integer(1, 2)
    width, length = heads * chance.integer(2, 3), chance.integer(1, 4)
    options = block_options(chance)
    count, shapes = sequences(chance, options["batch_first"], [length], [width])
    names = ("src_mask", "src_key_padding_mask", "is_causal")
    call = masks(chance, names, count, heads, length, length)
    return Layer("TransformerEncoderLayer", (width, heads), options, shapes, call, ties=False)


def decoder_layer(chance: Chance) -> Layer:
    heads = chance.integer(1, 2)
    width, (length, other) = heads * chance.integer(2, 3), sizes(chance, 2)
    options = block_options(chance)
    count, shapes = sequences(chance, options["batch_first"], [length, other], [width, width])
    names = ("tgt_mask", "tgt_key_padding_mask", "tgt_is_causal")
    call = masks(chance, names, count, heads, length, length)
    names = ("memory_mask", "memory_key_padding_mask", "memory_is_causal")
    call |= masks(chance, names, count, heads, length, other)
    return Layer("TransformerDecoderLayer", (width, heads), options, shapes, call, ties=False)


def transformer(chance: Chance) -> Layer:
    heads = chance.integer(1, 2)
    width, (length, other) = heads * chance.integer(2, 3), sizes(chance, 2)
    options = block_options(chance)
    count, shapes = sequences(chance, options["batch_first"], [other, length], [width, width])
    names = ("tgt_mask", "tgt_key_padding_mask", "tgt_is_causal")
    call = masks(chance, names, count, heads, length, length)
    args = (width, heads, chance.integer(1, 2), chance.integer(1, 2))
    return Layer("Transformer", args, options, shapes, call, ties=False)


DRAWS: list[Draw] = [
    batch_norm, instance_norm, group_norm, last_axes_norm, upsample, shuffle, dropout, attention,
    attention, encoder_layer, decoder_layer, transformer,
]  # fmt: skip


class LayerTrial:
    """One layer and its inputs, and all that was drawn for it."""

    def __init__(self, seed: Any, draws: list[Draw] = DRAWS) -> None:
        chance = self.chance = Chance(seed)
        self.layer = chance.choice(draws)(chance)
        self.dtype = chance.choice((np.float64, np.float64, np.float32))
        self.arrays = [
            np.asarray(chance.array(shape, ties=self.layer.ties), self.dtype) for shape in self.layer.shapes
        ]
        self.layouts = [chance.layout() for _ in self.arrays]
        self.arrival = chance.layout()
        self.training = chance.often(0.6) if self.layer.training is None else self.layer.training
        self.is_warm = chance.often(0.5)

    def __str__(self) -> str:
        mode = "training" if self.training else "evaluation"
        dtype = np.dtype(self.dtype)
        return f"{self.layer}, {dtype}, {mode}, laid out {self.layouts}, the gradient arrives {self.arrival}"

    def run(self) -> None:
        """Raise AssertionError where ours and PyTorch's differ."""
        ours, theirs = self.pair()
        again = copy.deepcopy(theirs)  # as it is before the call, which may change its buffers
        inputs = [Tensor(array) for array in self.arrays]
        shown = [laid(x, layout=layout) for x, layout in zip(inputs, self.layouts)]
        outs = listed(ours(*(shown * 3 if self.layer.same else shown), **self.layer.call))
        grad = np.asarray(self.chance.array(outs[0].shape))
        laid(outs[0], layout=self.arrival).backward(grad.astype(outs[0].dtype))
        got, wanted = results(outs, inputs, ours), self.wanted(theirs, grad)
        assert got.keys() == wanted.keys()
        for what, mine in got.items():
            self.same(mine, wanted[what], what, lambda what=what: self.rounding(again, grad, what))

    def wanted(self, theirs: Any, grad: np.ndarray, arrays: Any = None) -> dict[str, np.ndarray]:
        """What PyTorch's layer gives for the inputs, in the type of its weights."""
        import torch

        dtype = next(iter(theirs.parameters()), torch.tensor(0.0, dtype=torch.float64)).dtype
        leaves = [as_torch(array).to(dtype).requires_grad_() for array in arrays or self.arrays]
        outs = listed(theirs(*(leaves * 3 if self.layer.same else leaves), **self.their_call(dtype)))
        outs[0].backward(as_torch(grad).to(dtype))
        return {name: value.detach().numpy() for name, value in results(outs, leaves, theirs).items()}

    def rounding(self, theirs: Any, grad: np.ndarray, what: str) -> float:
        """How far PyTorch's float32 is from its float64, at the worst of inputs that differ in their last
        digits. It is far where a layer subtracts numbers that are nearly alike: a norm of two values does."""
        exact = self.wanted(copy.deepcopy(theirs), grad)[what]
        worst = 0.0
        for seed in range(5):
            noise = np.random.default_rng(seed)
            arrays = [x * (1 + 1e-7 * noise.uniform(-1, 1, x.shape)) for x in self.arrays]
            rough = self.wanted(copy.deepcopy(theirs).float(), grad, arrays)[what]
            worst = max(worst, np.abs(rough - exact).max(initial=0.0))
        return worst

    def pair(self) -> tuple[Any, Any]:
        """Our layer, and PyTorch's with the same weights in float64."""
        import torch

        layer = self.layer
        ours = getattr(nn, layer.name)(*layer.args, **layer.options)
        theirs = getattr(torch.nn, layer.name)(*layer.args, **layer.options)
        with torch.no_grad():
            for module, data in ((ours, self.arrays), (theirs, [as_torch(a).float() for a in self.arrays])):
                if layer.name.startswith("Lazy"):
                    module.eval()
                    module(*data)
                    module.train()
        for parameter in ours.parameters():
            parameter.assign(parameter.data + self.chance.rng.normal(0, 0.3, parameter.shape))
        theirs.load_state_dict({name: torch.tensor(value) for name, value in ours.state_dict().items()})
        theirs = theirs.double()
        ours = ours.to(self.dtype)
        if self.is_warm and self.arrays[0].size:  # a first batch, for the running statistics
            with torch.no_grad():
                theirs(*[as_torch(a) for a in self.inputs()], **self.their_call())
            ours(*self.inputs(), **layer.call)
        return ours.train(self.training), theirs.train(self.training)

    def inputs(self) -> list[np.ndarray]:
        return self.arrays * 3 if self.layer.same else self.arrays

    def their_call(self, dtype: Any = None) -> dict[str, Any]:
        import torch

        call = {
            name: torch.tensor(value) if isinstance(value, np.ndarray) else value
            for name, value in self.layer.call.items()
        }
        return {
            name: value.to(dtype) if torch.is_tensor(value) and value.is_floating_point() else value
            for name, value in call.items()
        }

    def same(self, mine: Any, other: np.ndarray, what: str, rounding: Callable[[], float]) -> None:
        mine = np.asarray(mine.data)
        assert mine.shape == other.shape, f"{what}: {mine.shape}, there {other.shape}"
        if mine.dtype.kind == "f":
            assert mine.dtype == self.dtype, f"{what} is {mine.dtype}"
        scale = max(1.0, np.abs(other).max(initial=0.0))
        tolerance = (EXACT if self.dtype == np.float64 else ROUGH) * scale
        if self.dtype == np.float32 and np.abs(mine - other).max(initial=0.0) > tolerance:
            tolerance = max(tolerance, 4 * rounding())
        np.testing.assert_allclose(mine, other, rtol=0, atol=tolerance, err_msg=what)


def results(outs: list[Any], inputs: list[Any], module: Any) -> dict[str, Any]:
    """The outputs, the gradients and the buffers after a walk back, ours or PyTorch's, by what they are."""
    found = {f"output {number}": out for number, out in enumerate(outs)}
    found |= {f"the gradient of input {i}": x.grad for i, x in enumerate(inputs) if np.prod(x.shape)}
    if np.prod(outs[0].shape):
        found |= {f"the gradient of {name}": weight.grad for name, weight in module.named_parameters()}
    return found | dict(module.named_buffers())


def as_torch(array: np.ndarray) -> Any:
    import torch

    return torch.tensor(np.asarray(array), dtype=torch.float64)


def listed(out: Any) -> list[Any]:
    return [part for part in (out if isinstance(out, tuple) else (out,)) if part is not None]


def fuzz(
    trials: int, seed: int, draws: list[Draw] = DRAWS, seconds: float = np.inf
) -> collections.Counter[str]:
    """Run so many trials, or as many as fit into the time; how often each layer came."""

    def run(trial: LayerTrial) -> str:
        with quiet():  # PyTorch warns about its own lazy modules and masks
            trial.run()
        return trial.layer.name

    return run_trials(lambda its: LayerTrial(its, draws), run, trials, seed, seconds)


def main() -> None:
    options = parser(__doc__, 2_000).parse_args()
    if options.only:
        print(trial := LayerTrial(tuple(options.only)))  # noqa: T201
        trial.run()
        return
    start = time.monotonic()
    counts = fuzz(options.trials, options.seed)
    print(f"{sum(counts.values())} trials in {time.monotonic() - start:.0f} s: {dict(counts)}")  # noqa: T201


if __name__ == "__main__":
    main()
