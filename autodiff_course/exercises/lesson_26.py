"""The exercises of lesson 26: how fast a gradient vanishes, a GRU, and the temperature of probabilities."""

import numpy as np

from ..checking import Mistake, exercise
from .calling import call, check_arguments, check_class, names_of
from .shared import array, kind_of, listed, predicted, same, softmax_rows

# -- how fast a gradient vanishes ---------------------------------------------------------------------------

HALVED_KINDS = {
    9: "After 9 steps it is 0.5 to the ninth, 0.00195. That is still above 0.001.",
    11: "It is below already one step earlier: 0.5 to the tenth is 0.00098.",
    1000: "Each step halves it: after two steps it is 0.25, after three 0.125.",
    500: "Each step halves it: after two steps it is 0.25, after three 0.125.",
    2000: "Each step halves it: after two steps it is 0.25, after three 0.125.",
    3: "After three steps it is 0.5 · 0.5 · 0.5 = 0.125. Go on.",
}


@exercise(
    "26 halved",
    "After one step back it is 0.5, after two 0.25. Go on until it is below 0.001.",
    "2 to the tenth is 1,024.",
    "0.5 to the tenth is 1/1024 = 0.00098, and 0.5 to the ninth is above 0.001. So 10.",
)
def halved(guess):
    """Judge the predicted number of steps."""
    predicted(guess, 10, HALVED_KINDS, "Halve 1 again and again, and count.", within=0, near=0.5)
    return "0.5 to the tenth is 0.00098: after ten steps hardly anything is left."


# -- a GRU --------------------------------------------------------------------------------------------------


def squashed(sums):
    """The sigmoid, by NumPy."""
    return 1 / (1 + np.exp(-sums))


def right_gru(a, b, h):
    """The right cell."""
    r, z = squashed(a[0] + b[0]), squashed(a[1] + b[1])
    return (1 - z) * np.tanh(a[2] + r * b[2]) + z * h


GRU_KINDS = (
    (
        lambda a, b, h: (
            squashed(a[1] + b[1]) * np.tanh(a[2] + squashed(a[0] + b[0]) * b[2])
            + (1 - squashed(a[1] + b[1])) * h
        ),
        "mix and 1 - mix are exchanged: mix keeps the old state.",
    ),
    (
        lambda a, b, h: (1 - squashed(a[1] + b[1])) * np.tanh(a[2] + b[2]) + squashed(a[1] + b[1]) * h,
        "reset has no influence. It multiplies the state part of new.",
    ),
    (
        lambda a, b, h: (
            (1 - squashed(a[1] + b[1])) * np.tanh(squashed(a[0] + b[0]) * (a[2] + b[2]))
            + squashed(a[1] + b[1]) * h
        ),
        "reset multiplies the state part of new alone, not its input part.",
    ),
    (
        lambda a, b, h: (
            (1 - squashed(a[0] + b[0])) * np.tanh(a[2] + squashed(a[1] + b[1]) * b[2])
            + squashed(a[0] + b[0]) * h
        ),
        "reset and mix are exchanged: the first part is for reset, the second for mix.",
    ),
    (
        lambda a, b, h: (
            (1 - squashed(a[1] + b[1])) * (a[2] + squashed(a[0] + b[0]) * b[2]) + squashed(a[1] + b[1]) * h
        ),
        "new goes through tanh.",
    ),
    (
        lambda a, b, h: (
            (1 - squashed(a[1] + b[1])) * (np.tanh(a[2]) + squashed(a[0] + b[0]) * b[2])
            + squashed(a[1] + b[1]) * h
        ),
        "tanh bends the sum of both parts of new, not the input part alone.",
    ),
    (
        lambda a, b, h: (
            (1 - squashed(a[1] + b[1])) * np.tanh(a[2] + squashed(a[0] + b[0]) * h)
            + squashed(a[1] + b[1]) * h
        ),
        "reset multiplies the state part of new, the third of self.parts(self.h(h)), and not h itself.",
    ),
    (
        lambda a, b, h: np.tanh(a[2] + squashed(a[0] + b[0]) * b[2]),
        "That is new alone. The state becomes (1 - mix) * new + mix * h.",
    ),
    (
        lambda a, b, h: (1 - squashed(a[1] + b[1])) * np.tanh(a[2] + squashed(a[0] + b[0]) * b[2]),
        "The old state is missing: + mix * h.",
    ),
    (
        lambda a, b, h: (1 - a[1] - b[1]) * np.tanh(a[2] + (a[0] + b[0]) * b[2]) + (a[1] + b[1]) * h,
        "Gates are numbers between 0 and 1: sigmoid of the sums.",
    ),
    "Compute reset, mix and new one after the other, and then (1 - mix) * new + mix * h.",
)


@exercise(
    "26 GRU",
    "a, b, c = self.parts(self.x(x)) are the input parts for reset, mix and new. The state parts likewise.",
    "reset = sigmoid(a + d), mix = sigmoid(b + e), new = tanh(c + reset * f), where d, e, f are the state "
    "parts.",
    "return (1 - mix) * new + mix * h",
)
def gru_cell(kind):
    """Judge a GRU by three states of two numbers, and by its gradient."""
    check_class(kind, "GRU")
    names = names_of(kind, 26)
    cell = kind(3, 2, np.random.default_rng(0))
    if not callable(cell):
        raise Mistake("GRU has no __call__. Its first line is `def __call__(self, x, h):`.")
    check_arguments(cell, 2, "cell(x, h)", "def __call__(self, x, h):")
    rng = np.random.default_rng(1)
    x, h = rng.normal(size=(3, 3)), rng.normal(size=(3, 2))
    for layer in (cell.x, cell.h):
        layer.bias.data = rng.normal(size=6)
    layers = cell.x, cell.h
    result = call(cell.__call__, x, h.copy(), said="cell(x, h)")
    for name, layer in zip("xh", layers):
        if getattr(cell, name) is not layer:
            raise Mistake(
                f"A second call would stop: self.{name} is a layer, and your __call__ replaces it. Give the "
                "new state a name without self."
            )
    found = array(result, "cell(x, h) gave")
    a, b = (
        [sums[:, 2 * i : 2 * i + 2] for i in range(3)]
        for sums in (part @ layer.weight.data + layer.bias.data for part, layer in ((x, cell.x), (h, cell.h)))
    )
    right = right_gru(a, b, h)
    if not same(found, right):
        raise Mistake(
            f"For a state of two numbers, cell(x, h)[0] gives {listed(first_row(found), 3)}; it should be "
            f"{listed(right[0], 3)}. {kind_of(found, GRU_KINDS, a, b, h)}"
        )
    leaf = names["Tensor"](h)
    new = cell(x, leaf)
    if not hasattr(new, "creators"):
        raise Mistake(
            "The numbers are right, but cell(x, h) is a plain array, so no gradient comes back. Compute with "
            "the Tensors."
        )
    if leaf not in names["gradients"](new.sum()):
        raise Mistake("The numbers are right, and no gradient comes back to h: compute with the Tensors.")
    return "Two gates and one state: it has three quarters of the LSTM's weights."


def first_row(found):
    """The first row of a table, or what there is."""
    return found[0] if found.ndim else found


# -- temperature --------------------------------------------------------------------------------------------

SCORES = np.array([[2.0, 1.0, 0.0], [-1.0, 0.0, 3.0]])

TEMPERED_KINDS = (
    (lambda s, t: softmax_rows(s), "The temperature has no influence. Divide the scores by it."),
    (lambda s, t: softmax_rows(s * t), "The scores are multiplied by the temperature: divide them by it."),
    (lambda s, t: s / t, "These are scores still. softmax makes probabilities of them."),
    (lambda s, t: softmax_rows(s) / t, "Divide the scores, before softmax. Then each row still sums to 1."),
    (
        lambda s, t: np.exp(s / t) / np.exp(s / t).sum(),
        "All rows together sum to 1. Each row alone should.",
    ),
    (lambda s, t: np.exp(s / t), "Each row has to sum to 1."),
    "It is softmax of the scores divided by the temperature.",
)


@exercise(
    "26 tempered",
    "Your machine has softmax, which turns rows of scores into probabilities.",
    "return softmax(scores / temperature)",
)
def tempered(function):
    """Judge probabilities at three temperatures."""
    for temperature in (1, 0.5, 3.0, 0.001):
        said = f"tempered({listed(SCORES)}, {temperature})"
        with np.errstate(all="ignore"):
            found = array(call(function, SCORES.copy(), temperature, said=said), f"{said} gave")
        right = softmax_rows(SCORES / temperature)
        if not same(found, right):
            if np.isnan(found).any():
                kind = "exp of a large number is inf. softmax of lesson 13 subtracts the maximum first."
            else:
                kind = kind_of(found, TEMPERED_KINDS, SCORES, temperature)
            raise Mistake(f"{said} gives {listed(found, 3)}; it should be {listed(right, 3)}. {kind}")
    return "Near 0 the likeliest letter is almost certain; high up all letters become equally likely."


ODDS_KINDS = {
    np.exp(1): "That is at temperature 1. At 0.5 the scores become 4 and 2.",
    np.exp(0.5): "That is at temperature 2: dividing by 0.5 makes the difference larger.",
    2 * np.exp(1): "Not twice as much: the difference of the scores doubles, and its power is squared.",
    2: "That is the difference of the scores after the division. Take its power: exp(2).",
    np.exp(4): "That is exp(4). The second score counts too: exp(4) / exp(2).",
    1 / np.exp(2): "That is the second divided by the first. Turn it round.",
    1 / (1 + np.exp(-2)): "That is the probability of the first. How many times as likely is it?",
}


@exercise(
    "26 odds",
    "Divided by 0.5 the scores are 4 and 2.",
    "exp(4) / exp(2) = exp(2). How much is that?",
    "exp(2) = 7.39",
)
def odds(guess):
    """Judge how many times as likely the first letter is at temperature 0.5."""
    otherwise = "Divide both scores by 0.5, and divide the powers of exp."
    predicted(guess, np.exp(2), ODDS_KINDS, otherwise, within=0.02)
    return "exp(2) is 2.72 times 2.72: half the temperature squares the ratio."
