"""The exercises of lesson 23: the size of a sum, Dropout by hand, and a network with one bad layer."""

import numpy as np

from autodiff import Tensor, nn

from ..checking import Mistake, exercise, number, result

# -- in class: how large is a sum ---------------------------------------------------------------------------

SIZE = 2.0  # 100 inputs of size 1, weights of size 0.2

SIZE_KINDS = (
    (20, "That is the sum if nothing cancels: 100 times 0.2. But half of the products are below 0."),
    (0, "On average over many neurons it is 0. But how far from 0 is one of them, usually?"),
    (0.2, "That is one product. A hundred of them are added."),
    (4, "That is the mean of the square, the variance: 100 times 0.04. The size is its root."),
    (0.02, "You divided by the root of 100. Each layer multiplies by it."),
    (0.002, "You divided by 100. The sum of many is larger than one of them, not smaller."),
    (10, "That is the root of 100. And the weights are of size 0.2."),
    (100, "That is how many products there are."),
)


@exercise(
    "23 size",
    "One product is of size 1 times 0.2. A sum of n of them is how many times as large?",
    "The root of n times. And n is 100.",
    "10 times 0.2.",
)
def size(guess):
    """Judge the predicted size of a sum."""
    found = number(guess)
    if abs(found - SIZE) > 0.15:
        kind = next((words for wrong, words in SIZE_KINDS if abs(found - wrong) < 1e-3), None)
        raise Mistake(f"It is not {found:.6g}. {kind or 'The root of 100, times the size of one product.'}")
    return "The root of 100 is 10, and 10 times 0.2 is 2. Two such layers, and it is 4."


# -- at home: Dropout by hand -------------------------------------------------------------------------------

SHAPE = (200, 100)


def plain(found):
    """The data of a Tensor, or any other value as it is."""
    return np.asarray(found.data if isinstance(found, Tensor) else found)


def drawn(function, p, seed=0, training=True):
    """The result of the reader's function for an array of threes. Raises Mistake if it is no such array."""
    x = np.full(SHAPE, 3.0)
    said = f"dropout(x, {p}, {training}, rng)"
    found = result(function, x, p, training, np.random.default_rng(seed), said=said)
    found = plain(found)
    if found.shape != SHAPE or found.dtype.kind not in "fiub":
        raise Mistake(f"{said} should be an array of the shape of x, {SHAPE}, and it is {found!r:.60}.")
    if not (x == 3).all():
        raise Mistake(f"{said} changed x itself. It belongs to the caller: make a new array.")
    return found.astype(float)


def judge_pattern(dropped):
    """Judge whether each element was drawn independently."""
    for axis, words in ((0, "column"), (1, "row")):
        if (dropped.all(axis=axis) | ~dropped.any(axis=axis)).all():
            raise Mistake(
                f"You drop whole {words}s. Each element has its own coin: rng.random(x.shape), all of it."
            )


def judge_draws(function):
    """Judge whether the reader's function draws from the given rng, and each element independently."""
    said = "dropout(x, 0.5, True, rng)"

    def pattern(rng):
        return plain(result(function, np.full(SHAPE, 3.0), 0.5, True, rng, said=said)) == 0

    rng = np.random.default_rng(0)
    found = [pattern(rng) for _ in range(5)]
    if np.array_equal(found[0], found[1]):
        raise Mistake(
            "Two calls with the same rng drop the same elements. Draw from the rng that is given, and make "
            "none of your own."
        )
    if not np.array_equal(found[0], pattern(np.random.default_rng(0))):
        raise Mistake(
            "Two generators with the same seed should drop the same elements, and they do not. Draw from the "
            "rng that is given: rng.random, not np.random."
        )
    if len({each.sum() for each in found}) == 1:
        raise Mistake(
            f"Each call drops exactly {found[0].sum()} of {found[0].size}. Each element has its own coin, so "
            "how many fall is left to chance, too."
        )


def judge_scale(rest, p):
    """Judge whether the kept elements were multiplied by 1 / (1 - p)."""
    right = 3 / (1 - p)
    if np.allclose(rest, right):
        return
    kinds = (
        (3, "What is left stays as it was. Scale it in training, and use can be left alone."),
        (3 * (1 - p), "You multiplied by 1 - p. The sums have lost that share: divide by it."),
        (3 / p, "You divided by p. What is left is a share of 1 - p."),
        (1, "Those are the coins. Multiply x by them."),
        (1 / (1 - p), "Those are the coins, scaled. Multiply x by them."),
    )
    value = float(np.mean(rest))
    kind = next((words for wrong, words in kinds if np.allclose(rest, wrong)), "Multiply by 1 / (1 - p).")
    raise Mistake(f"With p = {p} a 3 that is left becomes {value:.4g}, and right is {right:.4g}. {kind}")


@exercise(
    "23 dropout",
    "In use: return x. In training: throw a coin for each element, multiply by 0 or by 1 / (1 - p).",
    "rng.random(x.shape) is below p with the probability p. So keep = rng.random(x.shape) >= p is True for "
    "those that stay, and True counts as 1.",
    "if not training: return x. Then keep = rng.random(x.shape) >= p, and return x * keep / (1 - p)",
)
def dropout(function):
    """Judge Dropout: how many elements, which ones, the scale of the rest, a new draw per call, and no effect
    in evaluation."""
    for p in (0.2, 0.5):
        found = drawn(function, p)
        dropped = found == 0
        share = dropped.mean()
        if 0 < share < 1:
            judge_pattern(dropped)
        if abs(share - p) > 0.03:
            turned = abs(share + p - 1) < 0.03
            kind = " You keep what should go: with the probability p it is 0." if turned else ""
            if share == 0:
                kind = " Multiply by 0 where the coin says so."
            raise Mistake(f"With p = {p} a share of {share:.2f} was set to 0.{kind}")
        judge_scale(found[~dropped], p)
    judge_draws(function)
    used = drawn(function, 0.5, training=False)
    if not (used == 3).all():
        raise Mistake(
            "In use something is 0: nothing may be left out there."
            if (used == 0).any()
            else f"In use a 3 becomes {used[0, 0]:.4g}. The scaling was done in training: return x as it is."
        )
    return "Dropped by chance, scaled in training, and untouched in use."


# -- at home: the patient -----------------------------------------------------------------------------------

BAD = 4  # which of the seven Linears, counted from 1


def patient():
    """A network with six hidden layers and relu, in which one Linear is badly initialized.

    Example
    -------
    >>> from autodiff.lessons.exercises.lesson_23 import patient
    >>> len(patient())
    13
    """
    rng, layers = np.random.default_rng(1), []
    for place in range(1, 8):
        layer = nn.Linear(64, 64 if place < 7 else 10)
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu", generator=rng)
        layer.bias = nn.Parameter(np.full(layer.out_features, -20.0 if place == BAD else 0.0))
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


PLACE_KINDS = {
    1: "Its gradient is 0, that is true. So are those of the next four. But look at its activations.",
    2: "What comes out of it, on the way there, is as large as what comes in.",
    3: "What comes out of it, on the way there, is as large as what comes in. Go on.",
    5: "What it is given is 0 already, so it cannot be blamed for what it makes of it.",
    6: "The gradient ends there, on its way back. But why? What this layer is given is 0 already.",
    7: "The scores are all 0 because all that arrives is 0. Where does it become so?",
}


@exercise(
    "23 patient",
    "Take a fresh patient(), and there, back = look(it). Print size_of for each of the six, there and back.",
    "The gradients tell that hardly anybody learns, but not who began. Follow the activations from the "
    "first layer on: they hold up to some layer.",
    "The activations of layer 3 are as large as those of layer 1, and those of layer 4 are all 0.",
)
def which(guess):
    """Judge which Linear was found."""
    found = number(guess)
    if found not in range(1, 8):
        raise Mistake(f"There are seven Linears, counted from 1, and {found:.6g} is none of them.")
    if found != BAD:
        raise Mistake(f"It is not {found:.0f}. {PLACE_KINDS[int(found)]}")
    return "It is given numbers as they should be, and makes 0 of them all. Now look at its bias."
