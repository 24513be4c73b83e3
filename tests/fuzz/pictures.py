"""Random convolutions, pools and folds against PyTorch: values, gradients and second derivatives.

python -m tests.fuzz.pictures --trials 2000 --seed 0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autodiff as ad
from tests.fuzz.against_torch import Trial, main
from tests.fuzz.chance import Chance
from tests.fuzz.operations import Call


def functional(name: str) -> Callable[..., Any]:
    """A function of torch.nn.functional, looked up when it is called."""

    def call(*tensors: Any, **options: Any) -> Any:
        import torch

        return getattr(torch.nn.functional, name)(*tensors, **options)

    return call


def a_call(name: str, arrays: list[Any], options: dict[str, Any]) -> Call:
    ours = getattr(ad, name)
    theirs = functional(name)
    return Call(
        name, arrays, lambda *x: ours(*x, **options), lambda *x: theirs(*x, **options), ours, options=options
    )


def setting(chance: Chance, axes: int, low: int, high: int) -> Any:
    """A number, or one for each axis."""
    if chance.often(0.5):
        return chance.integer(low, high)
    return tuple(chance.integer(low, high) for _ in range(axes))


def each(value: Any, axes: int) -> tuple[int, ...]:
    return value if isinstance(value, tuple) else (value,) * axes


def channels(chance: Chance) -> tuple[int, int, int]:
    """Groups, and the channels of the input and the output in each; now and then many of one or the other."""
    if chance.often(0.15):
        return 50, 1, 1  # enough for the fast form of a depthwise convolution
    groups = chance.choice((1, 1, 1, 2, 3))
    return groups, chance.choice((1, 1, 2, 3, 9)), chance.choice((1, 2, 3))


def batch(chance: Chance) -> tuple[int, ...]:
    """One picture, or as many as there may be."""
    return () if chance.often(0.2) else (chance.choice((1, 2, 3, 3)),)


def with_bias(chance: Chance, arrays: list[Any], count: int) -> list[Any]:
    return [*arrays, chance.array((count,))] if chance.often(0.5) else arrays


def convolved(chance: Chance) -> Call:
    axes = chance.choice((1, 2, 2))
    groups, c, k = channels(chance)
    kernel = tuple(chance.integer(1, 3) for _ in range(axes))
    how = {"stride": setting(chance, axes, 1, 3), "dilation": setting(chance, axes, 1, 2), "groups": groups}
    how["padding"] = chance.choice(("valid", setting(chance, axes, 0, 3), setting(chance, axes, 0, 3)))
    if chance.often(0.3):
        how |= {"stride": 1, "padding": "same"}
    reach = [(n - 1) * d + 1 for n, d in zip(kernel, each(how["dilation"], axes))]
    ends = (0,) * axes if isinstance(how["padding"], str) else each(how["padding"], axes)
    size = tuple(chance.integer(max(1, r - 2 * p), r + 6) for r, p in zip(reach, ends))
    arrays = [chance.array((*batch(chance), groups * c, *size)), chance.array((groups * k, c, *kernel))]
    return a_call(f"conv{axes}d", with_bias(chance, arrays, groups * k), how)


def convolved_back(chance: Chance) -> Call:
    axes = chance.choice((1, 2, 2))
    groups, c, k = channels(chance)
    kernel = tuple(chance.integer(1, 3) for _ in range(axes))
    how = {"stride": setting(chance, axes, 1, 3), "dilation": setting(chance, axes, 1, 2), "groups": groups}
    pairs = list(zip(each(how["stride"], axes), each(how["dilation"], axes)))
    how["output_padding"] = tuple(chance.integer(0, max(pair) - 1) for pair in pairs)
    size = tuple(chance.integer(1, 5) for _ in range(axes))
    whole = [(n - 1) * s + (m - 1) * d + 1 for n, m, (s, d) in zip(size, kernel, pairs)]
    ends = [chance.integer(0, 2) for _ in whole]
    how["padding"] = tuple(p if 2 * p < w else 0 for p, w in zip(ends, whole))
    arrays = [chance.array((*batch(chance), groups * k, *size)), chance.array((groups * k, c, *kernel))]
    return a_call(f"conv_transpose{axes}d", with_bias(chance, arrays, groups * c), how)


def pooled(chance: Chance) -> Call:
    axes = chance.choice((1, 2, 2))
    name = chance.choice(("max", "avg"))
    kernel = setting(chance, axes, 1, 4)
    how: dict[str, Any] = {"kernel_size": kernel, "ceil_mode": chance.often(0.5)}
    how["padding"] = tuple(chance.integer(0, n // 2) for n in each(kernel, axes))
    if chance.often(0.7):
        how["stride"] = setting(chance, axes, 1, 3)
    if name == "max":
        how["dilation"] = setting(chance, axes, 1, 2)
    elif chance.often(0.5):
        how["count_include_pad"] = chance.often(0.5)
        if axes == 2 and chance.often(0.3):
            how["divisor_override"] = chance.integer(1, 5)
    apart = each(how.get("dilation", 1), axes)  # no more than the size: a window of padding alone is -inf
    reach = [(n - 1) * d + 1 for n, d in zip(each(kernel, axes), apart)]
    size = tuple(chance.integer(max(d, r - 2 * p), r + 6) for r, p, d in zip(reach, how["padding"], apart))
    lead = (*batch(chance), chance.integer(1, 3))
    return a_call(f"{name}_pool{axes}d", [chance.array((*lead, *size), ties=name != "max")], how)


def adapted(chance: Chance) -> Call:
    if chance.often(0.2):
        rows = chance.array((*batch(chance), chance.integer(1, 3), chance.integer(1, 7)))
        return a_call("adaptive_avg_pool1d", [rows], {"output_size": chance.integer(1, 6)})
    wanted = tuple(chance.choice((None, 1, 2, 3, 5, 7)) for _ in range(2))
    how = {"output_size": chance.choice((wanted, chance.integer(1, 6)))}
    shape = (*batch(chance), chance.integer(1, 3), chance.integer(1, 7), chance.integer(1, 7))
    return a_call("adaptive_avg_pool2d", [chance.array(shape)], how)


def patches(chance: Chance) -> Call:
    kernel = setting(chance, 2, 1, 3)
    how: dict[str, Any] = {"kernel_size": kernel, "dilation": setting(chance, 2, 1, 2)}
    how |= {"padding": setting(chance, 2, 0, 2), "stride": setting(chance, 2, 1, 3)}
    reach = [(n - 1) * d + 1 for n, d in zip(each(kernel, 2), each(how["dilation"], 2))]
    size = tuple(chance.integer(max(1, r - 2 * p), r + 5) for r, p in zip(reach, each(how["padding"], 2)))
    shape = (*batch(chance), chance.integer(1, 3), *size)
    x = chance.array(shape)
    if chance.often(0.5):
        return a_call("unfold", [x], how)
    columns = ad.unfold(x, **how)
    return a_call("fold", [chance.array(columns.shape)], how | {"output_size": size})


FAMILIES = (convolved, convolved, convolved, convolved_back, convolved_back, pooled, pooled, adapted, patches)


class PictureTrial(Trial):
    """A call on pictures or rows."""

    def draw(self, chance: Chance) -> Call:
        return chance.choice(FAMILIES)(chance)


if __name__ == "__main__":
    main(PictureTrial)
