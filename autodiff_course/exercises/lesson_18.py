"""The exercises of lesson 18: a layer that is used twice, a tanh layer by hand, and a layer that repeats
another one."""

import math
from contextlib import suppress

import numpy as np

from ..checking import Mistake, exercise, number
from .calling import call, check_class, names_of
from .shared import array, listed, predicted, same

# -- a layer used twice -------------------------------------------------------------------------------------

TWICE_KINDS: dict[float, str] = {
    7: "That is the second use only, whose local slope is h. The first use counts, too.",
    6: "That is the first use only, x times the 3 that follows. The second use counts, too.",
    9: "That is how y moves with x: 3 times 3. The question is the weight.",
    12: "That would be right without the bias, where h is 6. Here h is 7.",
    42: "The two contributions meet in one weight: they add up, and are not multiplied.",
    21: "7 times 3 uses the input of the second call for the first one. The input of the first call was 2.",
    28: "That counts 7 and 21. The input of the first call was 2, so its contribution is 2 times 3.",
    4: "That is the gradient of the bias: 1, and 1 times 3.",
    14: "The input of the second use is 7, and that of the first is 2: the two contributions are not equal.",
    3: "3 is the weight itself.",
    22: "22 is y itself. How much does it move for each 0.001 of the weight?",
    2: "2 is the slope of h with respect to the weight. y comes after it.",
}


@exercise(
    "18 twice",
    "Write it with letters: y = w*h + b, and h = w*x + b. The letter w is there twice.",
    "The second use: the local slope of w*h with respect to w is h. The first use: its local slope is x, and "
    "the gradient that arrives there is w, since h goes through the layer once more.",
    "7, and 2 times 3: together 13.",
)
def twice(guess):
    """Judge the predicted gradient of a weight that is used twice."""
    otherwise = "Take w = 3.001: h is then 7.002. What is y, and by how much has it moved?"
    predicted(guess, 13, TWICE_KINDS, otherwise, within=0.02, near=1e-6)
    return "7 from the second use, and 2 times 3 from the first. They meet in the weight, and add up."


# -- tanh by hand -------------------------------------------------------------------------------------------

INPUT = np.array([[0.5, -1.0], [2.0, 0.25]])
OTHER = np.array([[-0.5, 3.0]])
ABOVE = np.array([[1.0, 10.0], [-2.0, 3.0]])

TANH_KINDS = (
    (
        lambda grad, x, z: grad * (1 - x * x),
        "The local slope is 1 minus the square of tanh(x), not of x.",
    ),
    (
        lambda grad, x, z: 1 - z * z,
        "That is the local slope. Multiply it by the gradient that arrives, grad.",
    ),
    (lambda grad, x, z: grad, "That passes the gradient on unchanged. Multiply it by the local slope."),
    (lambda grad, x, z: grad * z, "This is grad times tanh(x). The local slope is 1 - tanh(x)**2."),
    (lambda grad, x, z: grad * z * z, "This is grad times tanh(x)**2. The local slope is 1 - tanh(x)**2."),
    (lambda grad, x, z: grad * (1 - z), "The square is missing: the local slope is 1 - tanh(x)**2."),
    (
        lambda grad, x, z: grad * (1 - np.tanh(z) ** 2),
        "tanh was taken twice. What you keep is either x or tanh(x): the slope is 1 - tanh(x)**2.",
    ),
    (
        lambda grad, x, z: grad / (1 - z * z),
        "This divides by the local slope. Multiply by it.",
    ),
    (lambda grad, x, z: -grad * (1 - z * z), "The sign is wrong: tanh rises everywhere."),
    (
        lambda grad, x, z: (grad * (1 - z * z)).sum(axis=0),
        "The rows were added up. That is for a bias; each number of x has a gradient of its own.",
    ),
)


def judge_forward(layer, x):
    """Judge the result of the reader's forward."""
    given = x.copy()
    answer = call(layer.forward, given, said=f"forward({listed(x, 3)})")
    refuse_tensor(answer, f"forward({listed(x, 3)})")
    found = array(answer, "forward gave")
    if not same(found, np.tanh(x)):
        raise Mistake(
            f"forward({listed(x, 3)}) gives {listed(found, 3)}; it should be {listed(np.tanh(x), 3)}."
        )
    if not same(given, x):
        raise Mistake("forward is right, but the x that was passed in has changed. It belongs to the caller.")


def refuse_tensor(answer, said):
    """Raise Mistake for a Tensor: a layer by hand works without a graph."""
    if hasattr(answer, "creators"):
        raise Mistake(f"{said} gives a Tensor. A layer by hand works with plain arrays: use np.tanh.")


def judge_backward(layer, x, grad):
    """Judge the result of the reader's backward."""
    given, z = grad.copy(), np.tanh(x)
    said = f"After forward({listed(x, 3)}), backward({listed(grad, 3)})"
    try:
        answer = call(layer.backward, given, said=said)
    except NameError as error:
        raise Mistake(
            f"backward does not know the name {error.name}. A local name of forward is gone when forward "
            "returns: what backward needs has to be kept in the layer, in an attribute of self."
        ) from None
    except AttributeError as error:
        raise Mistake(
            f"Your code looks for an attribute {error.name!r} that is not there. What backward "
            "needs, forward has to keep in self first."
        ) from None
    refuse_tensor(answer, said)
    found, right = array(answer, f"{said} gave"), grad * (1 - z * z)
    if not same(found, right):
        kinds = (kind for wrong, kind in TANH_KINDS if same(found, wrong(grad, x, z)))
        kind = next(
            kinds, "A contribution is the gradient that arrives times the local slope, 1 - tanh(x)**2."
        )
        raise Mistake(f"{said} gives {listed(found, 3)}; it should be {listed(right, 3)}. {kind}")
    if not same(given, grad):
        raise Mistake(
            f"{said} is right, but afterwards the array grad that was passed in is {listed(given, 3)}. It "
            "belongs to the caller: write grad * ..., not grad *= ..."
        )


@exercise(
    "18 tanh",
    "Look at Dense: forward keeps something in self. Here backward multiplies grad by the local slope.",
    "The local slope is 1 - z*z, where z is np.tanh(x). So keep z (or x). backward returns grad times the "
    "local slope.",
    "One way: self.z = np.tanh(x) and return self.z; in backward, return grad * (1 - self.z**2).",
)
def tanh(kind):
    """Judge a handwritten tanh layer: forward, backward, and that two layers do not share what they keep."""
    check_class(kind, "Tanh")
    layer, other = kind(), kind()
    judge_forward(layer, INPUT)
    judge_backward(layer, INPUT, ABOVE)
    judge_forward(layer, INPUT)
    judge_forward(other, OTHER)
    try:
        judge_backward(layer, INPUT, ABOVE)
    except (Mistake, ValueError) as error:
        raise Mistake(
            "One layer alone is right. With two layers, the first used what the second had kept. Keep "
            "it in self, where each layer has its own."
        ) from error
    judge_backward(other, OTHER, np.array([[2.0, -1.0]]))
    return "And it is right in a network with two of them, as long as each is used once."


# -- a layer that repeats another ---------------------------------------------------------------------------

REPEATS = (
    (lambda x: 2 * x, "2 * x", 3, 1, 8),  # other results for a call too few and for a result that is lost
    (lambda x: x + 1, "x + 1", 1, 5, 6),
    (lambda x: 2 * x + 1, "2 * x + 1", 2, 5, 23),
    (lambda x: 2 * x, "2 * x", 2, -3, -12),
    (lambda x: 2 * x, "2 * x", 0, 5, 5),
)
REPEAT_KINDS = (
    (
        lambda f, times, x: f(x) if times == 0 else math.nan,
        "With times 0 the layer is not called at all, and x is returned as it is.",
    ),
    (
        lambda f, times, x: max(repeated(f, times, x), 0),
        "Repeat adds nothing of its own, and no relu either.",
    ),
    (
        lambda f, times, x: f(x),
        "That is one call on x. Call the layer again on the last result, and return after the loop.",
    ),
    (lambda f, times, x: repeated(f, times + 1, x), "The layer was called once too often."),
    (
        lambda f, times, x: x,
        "The result of the layer is lost, or the layer is never called. Write x = self.layer(x).",
    ),
    (lambda f, times, x: repeated(f, times - 1, x), "The layer was called once too few."),
    (lambda f, times, x: times * f(x), "It multiplies one result. Call the layer again on the result."),
)


def repeated(f, times, x):
    """The right answer."""
    for _ in range(times):
        x = f(x)
    return x


@exercise(
    "18 repeat",
    "Sequential's loop, with one layer.",
    "for _ in range(self.times): x = self.layer(x). After the loop, return x.",
)
def repeat(kind):
    """Judge a layer that calls another one several times: its numbers, and that the layer is not copied."""
    check_class(kind, "Repeat")
    for f, text, times, x, right in REPEATS:
        said = f"Repeat(lambda x: {text}, {times})({x})"
        made = kind(f, times)
        for again in ("", " at the second call"):
            found = number(call(made.__call__, x, said=said))
            if found != right:
                known = (words for wrong, words in REPEAT_KINDS if wrong(f, times, x) == found)
                why = "A call has to leave self as it was." if again else next(known, "")
                raise Mistake(f"{said} gives {found:g}{again}; it should be {right}. {why}".rstrip())
    judge_sharing(kind)
    return "One layer, called as often as you like, with one set of parameters."


def judge_sharing(kind):
    """Judge that a repeated layer keeps one set of parameters, and that they get a gradient."""
    names = names_of(kind, 18)
    layer = names["Linear"](1, 1, np.random.default_rng(0))
    layer.weight, layer.bias = (names["Tensor"](np.array(numbers)) for numbers in ([[3.0]], [1.0]))
    made = kind(layer, 2)
    count = len(names["parameters"](made))
    if count != 2:
        raise Mistake(
            f"Repeat(Linear(1, 1, rng), 2) has {count} parameters, and there should be 2: a weight and a "
            "bias. Use the same layer each time, and no copies of it."
        )
    y = made(np.array([[2.0]]))
    with suppress(AttributeError):
        names["backward"](y)
    found = layer.weight.grad
    if found is None or not same(found, [[13.0]]):
        raise Mistake(
            "The outputs are right, but no gradient comes back to the layer. Call the layer itself, and "
            "compute with the Tensors that it returns."
        )


# -- how many numbers there are -----------------------------------------------------------------------------


def networks(names):
    """Networks with their text, how many numbers they have, and the message for a wrong count."""
    rng, relu = np.random.default_rng(0), names["relu"]
    layer = names["Linear"](2, 2, rng)
    return (
        ("Linear(2, 16, rng)", names["Linear"](2, 16, rng), 48, "There are 32 weights and 16 biases."),
        (
            "Sequential(Linear(2, 16, rng), relu, Linear(16, 1, rng))",
            names["Sequential"](names["Linear"](2, 16, rng), relu, names["Linear"](16, 1, rng)),
            65,
            "The layers have 48 and 17 numbers. relu has none.",
        ),
        (
            "Sequential(layer, relu, layer) with layer = Linear(2, 2, rng)",
            names["Sequential"](layer, relu, layer),
            6,
            "The layer is used twice, but its numbers exist once.",
        ),
        (
            "Sequential(Sequential(Linear(2, 2, rng)))",
            names["Sequential"](names["Sequential"](names["Linear"](2, 2, rng))),
            6,
            "A layer may stand inside another layer.",
        ),
    )


@exercise(
    "18 numbers",
    "parameters(net) gives every Tensor of the network, each once.",
    "How many numbers are in a Tensor? p.data is an array, and an array has a .size.",
    "return sum(p.data.size for p in parameters(net))",
)
def numbers(function):
    """Judge how many numbers a network has."""
    for text, net, right, why in networks(names_of(function, 18)):
        said = f"count_numbers({text})"
        try:
            found = number(call(function, net, said=said))
        except AttributeError as error:
            if error.name != "size":
                raise
            raise Mistake("A Tensor has no size. Its array has one: p.data.size.") from None
        except IndexError as error:
            if "tuple index" not in str(error):
                raise
            raise Mistake(
                "A bias has one axis only, so its shape has no second number. p.data.size counts the "
                "elements of any shape."
            ) from None
        if found != right:
            if found == {48: 2, 65: 4, 6: 2}[right]:
                why = "That is how many Tensors there are. How many numbers are in each of them?"
            raise Mistake(f"{said} gives {found:g}; it should be {right}. {why}")
    return "Each number once, however often its layer is used."
