"""The exercises of lesson 18: a layer that is used twice, a handwritten tanh layer, and a search for
parameters that looks into lists."""

from typing import Any

import numpy as np

import autodiff as ad
from autodiff import nn

from ..checking import Mistake, NotYet, exercise, number, result
from .shared import array, listed, same

# -- in class: a layer used twice ---------------------------------------------------------------------------

TWICE_KINDS: dict[float, str] = {
    7: "That is the second use only, whose local slope is h. The first use moves h as well.",
    6: "That is the first use only, x times the 3 that follows. The second use counts, too.",
    9: "That is how y moves with x: 3 times 3. The question is the weight.",
    12: "That would be right without the bias, where h is 6. Here h is 7.",
    42: "The two contributions meet in one weight: they add up, and are not multiplied.",
    21: "7 times 3 takes the second input for the first use. The first call saw a 2.",
    28: "That counts 7 and 21. The first call saw a 2, so its contribution is 2 times 3.",
    4: "That is the gradient of the bias: 1, and 1 times 3.",
    14: "The second use sees 7, and the first sees 2: the two contributions are not equal.",
    3: "3 is the weight itself.",
    22: "22 is y itself. How much does it move for each 0.001 of the weight?",
    2: "2 is the slope of h with regard to the weight. y comes after it.",
}


@exercise(
    "18 twice",
    "Write it with one letter: y = w*h + b, and h = w*x + b. The letter w stands there twice.",
    "The second use: the local slope of w*h with regard to w is h. The first use: its local slope is x, and "
    "what is above it is w, since h goes through the layer once more.",
    "7, and 2 times 3: together 13.",
)
def twice(guess):
    """Judge the predicted gradient of a weight that is used twice."""
    found = number(guess)
    if abs(found - 13) > 0.02:
        kind = TWICE_KINDS.get(
            round(found, 6), "Take w = 3.001: h is then 7.002. What is y, and by how much has it moved?"
        )
        raise Mistake(f"It is not {found:.6g}. {kind}")
    return "7 from the second use, and 2 times 3 from the first. They meet in the weight, and add up."


# -- at home: tanh by hand ----------------------------------------------------------------------------------

INPUT = np.array([[0.5, -1.0], [2.0, 0.25]])
OTHER = np.array([[-0.5, 3.0]])
ABOVE = np.array([[1.0, 10.0], [-2.0, 3.0]])

TANH_KINDS = (
    (
        lambda grad, x, z: grad * (1 - x * x),
        "You use x where z belongs: the slope is 1 - z*z, with z as it came out.",
    ),
    (lambda grad, x, z: 1 - z * z, "That is the local slope. Multiply it by the gradient above, grad."),
    (lambda grad, x, z: grad, "That passes the gradient on unchanged. Multiply it by the local slope."),
    (lambda grad, x, z: grad * z, "You multiply by z itself. The local slope is 1 - z*z."),
    (lambda grad, x, z: grad * z * z, "You multiply by z*z. The local slope is 1 - z*z."),
    (lambda grad, x, z: grad * (1 - z), "The square is missing: the local slope is 1 - z*z."),
    (lambda grad, x, z: grad * (1 - np.tanh(z) ** 2), "You take tanh once more, of what is tanh already."),
    (lambda grad, x, z: -grad * (1 - z * z), "The sign is turned: tanh rises everywhere."),
    (
        lambda grad, x, z: (grad * (1 - z * z)).sum(axis=0),
        "The rows were added up. That is for a bias; each number of x has a gradient of its own.",
    ),
)


def judge_forward(layer, x):
    """Judge the result of the reader's forward."""
    given = x.copy()
    found = array(result(layer.forward, given, said=f"forward({listed(x, 3)})"), "forward gave")
    if not same(found, np.tanh(x)):
        raise Mistake(
            f"forward({listed(x, 3)}) gives {listed(found, 3)}, and right is {listed(np.tanh(x), 3)}."
        )
    if not same(given, x):
        raise Mistake("forward is right, but the x that came in was changed. It belongs to the caller.")


def judge_backward(layer, x, grad):
    """Judge the result of the reader's backward."""
    given, z = grad.copy(), np.tanh(x)
    said = f"after forward({listed(x, 3)}), backward({listed(grad, 3)})"
    found = array(result(layer.backward, given, said=said), f"{said} gave")
    right = grad * (1 - z * z)
    if not same(found, right):
        kinds = (kind for wrong, kind in TANH_KINDS if same(found, wrong(grad, x, z)))
        kind = next(kinds, "A contribution is the gradient above times the local slope, 1 - z*z.")
        raise Mistake(f"{said} gives {listed(found, 3)}, and right is {listed(right, 3)}. {kind}")
    if not same(given, grad):
        raise Mistake(
            f"{said} is right, but the grad that came in is {listed(given, 3)} afterwards. It belongs to the "
            "caller: write grad * ..., not grad *= ..."
        )


@exercise(
    "18 tanh",
    "Look at Relu: forward keeps something in self, and backward multiplies grad by the local slope.",
    "The local slope is 1 - z*z, so keep z: what np.tanh(x) gave. backward returns grad times that.",
    "self.z = np.tanh(x) and return self.z; in backward: return grad * (1 - self.z**2)",
)
def tanh(kind):
    """Judge a handwritten tanh layer: forward, backward, and that two layers do not share what they keep."""
    if not isinstance(kind, type):
        raise Mistake(f"A class is asked for here, and this is {kind!r:.60}.")
    layer, other = kind(), kind()
    judge_forward(layer, INPUT)
    judge_backward(layer, INPUT, ABOVE)
    judge_forward(layer, INPUT)
    judge_forward(other, OTHER)
    try:
        judge_backward(layer, INPUT, ABOVE)
    except (Mistake, ValueError) as error:
        raise Mistake(
            "One layer alone is right. With two of them, what the second kept was used by the first. Keep "
            "it in self, where each layer has its own."
        ) from error
    judge_backward(other, OTHER, np.array([[2.0, -1.0]]))
    return "And it is right in a network with two of them, as long as each is used once."


# -- at home: parameters in lists ---------------------------------------------------------------------------


class Plain(nn.Module):
    """A module with the given attributes."""

    def __init__(self, **parts):
        for name, part in parts.items():
            setattr(self, name, part)


def shared():
    """A module that has the same layer under two names."""
    layer = nn.Linear(2, 3, generator=0)
    return Plain(first=layer, again=layer)


def tied():
    """Two layers with the same weight."""
    first, second = nn.Linear(2, 2, generator=0), nn.Linear(2, 2, generator=1)
    second.weight = first.weight
    return Plain(first=first, second=second)


def with_constant():
    """A module with a Tensor that is not a parameter."""
    return Plain(layer=nn.Linear(2, 1, generator=0), mean=ad.Tensor([1.0, 2.0], requires_grad=False))


def alike():
    """Two parameters that are equal but distinct."""
    return Plain(first=nn.Parameter([0.0, 0.0]), second=nn.Parameter([0.0, 0.0]))


def linear(inputs, outputs):
    """A linear layer that does not draw from the package's generator."""
    return nn.Linear(inputs, outputs, generator=0)


# For each case: its text, its number of parameters, a function that builds it, and the message if it fails.
SEARCHES = (
    ("nn.Linear(2, 3)", 2, lambda: linear(2, 3), "A weight and a bias, as attributes."),
    (
        "nn.Sequential(nn.Linear(2, 3), nn.ReLU())",
        2,
        lambda: nn.Sequential(linear(2, 3), nn.ReLU()),
        "The parameters of a module inside count, too.",
    ),
    (
        "a Sequential in a Sequential in a Sequential",
        2,
        lambda: nn.Sequential(nn.Sequential(nn.Sequential(linear(2, 3)))),
        "Modules may lie inside modules as deep as they like: let the function call itself.",
    ),
    (
        "a module with two parameters that are both [0, 0]",
        2,
        alike,
        "Equal is not the same: ask with `is`, not with == or `in`.",
    ),
    (
        "a module with a layer and a constant Tensor",
        2,
        with_constant,
        "A Tensor that is no nn.Parameter was kept for another reason.",
    ),
    (
        "a module with a list of two layers, and one more",
        6,
        lambda: Plain(layers=[linear(4, 4), linear(4, 4)], top=linear(4, 1)),
        "A list is no module. Look at each thing in it.",
    ),
    (
        "a module with a list of two nn.Parameters",
        2,
        lambda: Plain(weights=[nn.Parameter([1.0]), nn.Parameter([2.0])]),
        "A list may hold parameters themselves.",
    ),
    ("a module that holds one layer under two names", 2, shared, "One layer in two places comes once."),
    (
        "two layers that share one weight",
        3,
        tied,
        "The layers differ, and the weight is one. Each parameter comes once.",
    ),
)


def expected(module):
    """The right answer: every parameter once."""
    found: list[Any] = []

    def look(part):
        if isinstance(part, nn.Parameter):
            found.extend([part] * (not any(part is other for other in found)))
        elif isinstance(part, nn.Module):
            for inner in vars(part).values():
                look(inner)
        elif isinstance(part, list):
            for inner in part:
                look(inner)

    look(module)
    return found


def listing(answer, said):
    """The result of the reader's function as a list."""
    try:
        found = list(answer)
    except TypeError:
        raise Mistake(f"{said} gave {answer!r:.60}. A list of parameters is asked for.") from None
    if found and all(value is None for value in found):
        raise NotYet(f"{said} gave nothing but None.")
    return found


@exercise(
    "18 parameters",
    "A thing can be a parameter, a module or a list. Write a function that looks at one thing, whichever it "
    "is, and calls itself for what is inside.",
    "isinstance(part, nn.Parameter), isinstance(part, nn.Module) with vars(part).values(), and "
    "isinstance(part, (list, tuple)). Before you add one: any(part is other for other in found).",
    "found = []; def look(part): the three cases, the first of them with found.append(part) unless it is "
    "there; then look(module) and return found.",
)
def parameters(function):
    """Judge a search for parameters, which must look into modules and lists and find each once."""
    for said, count, make, kind in SEARCHES:
        module = make()
        try:
            found = listing(result(function, module, said=f"parameters({said})"), f"parameters({said})")
        except ValueError as error:
            raise Mistake(
                f"At {said} your code stopped with ValueError. Tensors are compared number by number, so ask "
                "with `is` whether two are the same one."
            ) from error
        except (AttributeError, TypeError) as error:
            raise Mistake(
                f"At {said} your code stopped with {type(error).__name__}: {error}. {kind}"
            ) from error
        right = expected(module)
        extra = [part for part in found if not any(part is other for other in right)]
        if extra:
            what = type(extra[0]).__name__
            if isinstance(extra[0], nn.Parameter):
                kind = "It is a copy, or from an earlier call. Begin each call with a new, empty list."
            raise Mistake(f"In {said}, a {what} was found that is no parameter of it. {kind}")
        if len(found) != count:
            raise Mistake(f"In {said}, you find {len(found)} parameters, and there are {count}. {kind}")
        if any(not any(part is other for other in found) for part in right):
            raise Mistake(f"In {said}, one parameter is missing, and another comes twice. {kind}")
    return "Through modules and lists, as deep as they go, and each once."
