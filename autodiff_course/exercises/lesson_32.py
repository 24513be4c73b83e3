"""The exercises of lesson 32: noise, what a shift leaves of it, a walk, and the mean of noisy copies."""

import numpy as np

from ..checking import Mistake, exercise
from ..runs.lesson_32 import DEVIATION, MEAN
from ..runs.lesson_32 import walk as right_walk
from .calling import call
from .shared import array, in_words, kind_of, numpy_array, predicted, same

# -- noise --------------------------------------------------------------------------------------------------

COUNT, PIXELS = 500, 64


@exercise(
    "32 noisy",
    "rng.normal(mean, deviation, shape) gives an array of random numbers of that shape.",
    "Each number of each picture needs its own: the shape is pictures.shape.",
    "return pictures + rng.normal(0.3, 0.2, pictures.shape)",
)
def noisy(function):
    """Judge adding noise with the mean 0.3 and the standard deviation 0.2."""
    for value in (0.0, 0.5):
        pictures = np.full((COUNT, PIXELS), value)
        said = f"noisy of {COUNT:,} pictures full of {value:g}"
        header = "def noisy(pictures, rng):"
        rng = np.random.default_rng(0)
        found = numpy_array(call(function, pictures, rng, said=said, header=header), f"{said} gave")
        if not (pictures == value).all():
            raise Mistake("noisy changed the pictures. They belong to the caller: return new ones.")
        if found.shape != pictures.shape:
            raise Mistake(f"{said} has the shape {found.shape}; it should stay {pictures.shape}.")
        noise = found - value
        judge_noise(noise, value, said)
        if np.array_equal(found, array(call(function, pictures, rng, said=said), f"{said} gave")):
            raise Mistake("A second call gives the same noise again. Draw from the rng that is handed over.")
        again = call(function, pictures, np.random.default_rng(0), said=said)
        if not np.array_equal(found, array(again, f"{said} gave")):
            raise Mistake("With the same rng it gives other noise. Draw from the rng that is handed over.")
    return "Each number has its own noise, with the mean 0.3 and the deviation 0.2."


def judge_noise(noise, value, said):
    """Raise Mistake unless the noise is as it should be."""
    mean, deviation = noise.mean(), noise.std()
    if deviation < 1e-9:
        kind = "Add random numbers, from rng.normal." if abs(mean) < 1e-9 else (
            "All numbers get the same noise: give rng.normal the shape of the pictures."
        )  # fmt: skip
        raise Mistake(f"In {said}, all numbers change by {mean:.3f}. {kind}")
    if np.ptp(noise, axis=0).max() < 1e-9:
        raise Mistake(f"In {said}, all pictures get the same noise. Give rng.normal their shape.")
    if np.ptp(noise, axis=1).max() < 1e-9:
        raise Mistake(f"In {said}, all pixels of a picture get the same noise. Each number needs its own.")
    if abs(mean - MEAN) > 0.02 or abs(deviation - DEVIATION) > 0.01:
        raise Mistake(
            f"In {said}, the noise has the mean {mean:.2f} and the deviation {deviation:.2f}; they should be "
            f"0.30 and 0.20. {kind_of_noise(noise, mean, deviation, value)}"
        )
    if (np.abs(noise - MEAN) < DEVIATION).mean() < 0.63:
        raise Mistake("Mean and deviation are right, but this noise is spread evenly. Use rng.normal.")


def kind_of_noise(noise, mean, deviation, value):
    """A sentence about noise with a wrong mean or deviation."""
    if abs(mean - MEAN + value) < 0.02 and value:
        return "The noise stands in the place of the pictures. Add it to them."
    if abs(mean) < 0.02:
        return "The mean is missing."
    if abs(mean - DEVIATION) < 0.02 and abs(deviation - MEAN) < 0.02:
        return "They are exchanged: first comes the mean."
    if abs(deviation - DEVIATION**0.5) < 0.02:
        return "0.2 is the deviation and not its square: rng.normal takes the deviation itself."
    if abs(deviation - DEVIATION**2) < 0.01:
        return "0.04 is the square of the deviation, the variance: rng.normal takes the deviation itself."
    if noise.min() >= -1e-9 and abs(mean - MEAN) < 0.02 and abs(deviation - DEVIATION) < 0.03:
        return "Numbers below 0 are cut off or turned round. Leave them as they are."
    return "Each number comes from a normal distribution: rng.normal(0.3, 0.2, pictures.shape)."


# -- what a shift leaves ------------------------------------------------------------------------------------

SHIFT_KINDS = {
    0.2: "That is the deviation. The error is a mean of squares.",
    0.13: "That is the error before anything is subtracted: 0.3 squared plus 0.2 squared.",
    0.09: "That is 0.3 squared, the part that the subtraction takes away.",
    0.0: "The mean of the noise is gone, and the noise still differs from pixel to pixel.",
    0.3: "That is the mean of the noise, which is subtracted.",
    0.1: "0.3 minus 0.2 is neither a mean nor a square here.",
}


@exercise(
    "32 shift",
    "After 0.3 is subtracted, noise with the mean 0 and the deviation 0.2 is left.",
    "The error is the mean of the squares of that noise: its variance.",
    "The variance is the square of the deviation, 0.2 * 0.2.",
)
def shift(guess):
    """Judge the mean squared error that is left when 0.3 is subtracted everywhere."""
    otherwise = "Which noise is left, and what is the mean of its squares?"
    predicted(guess, DEVIATION**2, SHIFT_KINDS, otherwise, within=0.002)
    return "0.04, and 0.13 before: the square of the mean, 0.09, is gone."


# -- a walk -------------------------------------------------------------------------------------------------

WALK_KINDS = (
    (lambda a, b, n: right_walk(b, a, n), "It goes from the end to the start."),
    (
        lambda a, b, n: right_walk(a, b, n + 1)[:-1],
        "It does not arrive: the last row should be the end. There are steps - 1 gaps between the rows.",
    ),
    (
        lambda a, b, n: right_walk(a, b, n + 1)[1:],
        "The start is missing: the first row should be the start.",
    ),
    (lambda a, b, n: right_walk(a, b, n + 2)[1:-1], "Start and end belong to the walk."),
    (lambda a, b, n: right_walk(0 * a, b - a, n), "It begins at 0. Add the start."),
    (lambda a, b, n: right_walk(a, a + b, n), "The way from the start to the end is end - start."),
    (lambda a, b, n: np.stack([a, b]), "Those are the start and the end alone. Give rows in between."),
    "Row k of the walk is start + k / (steps - 1) * (end - start).",
)


@exercise(
    "32 walk",
    "Row k has gone the share k / (steps - 1) of the way: nothing at first, and all of it in the last row.",
    "np.linspace(0, 1, steps) gives these shares. With [:, None] behind it they stand in a column.",
    "share = np.linspace(0, 1, steps)[:, None], and then return (1 - share) * start + share * end",
)
def walk(function):
    """Judge the rows on the straight line from one row of numbers to another."""
    cases = (
        ("[2, 0], [4, 8], 3", np.array([2.0, 0.0]), np.array([4.0, 8.0]), 3),
        ("[1], [2], 2", np.array([1.0]), np.array([2.0]), 2),
        ("[0, 1, 0], [1, 0, -3], 5", np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, -3.0]), 5),
    )
    for said, start, end, steps in cases:
        said = f"walk({said})"
        header = "def walk(start, end, steps):"
        answer = call(function, start.copy(), end.copy(), steps, said=said, header=header)
        found, wanted = numpy_array(answer, f"{said} gave"), right_walk(start, end, steps)
        if not same(found, wanted):
            kind = kind_of(found, WALK_KINDS, start, end, steps)
            if found.shape != wanted.shape:
                raise Mistake(f"{said} has the shape {found.shape}; it should be {wanted.shape}. {kind}")
            raise Mistake(f"{said} gives {in_words(found)}; it should give {in_words(wanted)}. {kind}")
    return "The steps are equal, and both ends belong to the walk."


# -- the mean of copies -------------------------------------------------------------------------------------

COPY_KINDS = (
    (lambda copies: copies.mean(axis=0), "The noise has the mean 0.3. Subtract it."),
    (lambda copies: copies.mean(axis=0) + MEAN, "The noise was added, so 0.3 has to be subtracted."),
    (lambda copies: copies.sum(axis=0) - MEAN, "That is the sum of the copies. Take their mean."),
    (lambda copies: copies - MEAN, "Those are all the copies. Take the mean over them: axis=0."),
    (lambda copies: copies[0] - MEAN, "That is the first copy alone. Use them all."),
    (lambda copies: np.array(copies.mean() - MEAN), "That is one number. Take the mean over axis 0."),
    (lambda copies: copies.mean(axis=-1) - MEAN, "That is the mean along the rows. Take axis=0."),
    (lambda copies: copies.mean(axis=1) - MEAN, "That is the mean along the columns. Take axis=0."),
    (
        lambda copies: np.maximum(copies.mean(axis=0) - MEAN, 0),
        "Numbers below 0 are cut off. Leave them as they are.",
    ),
    (
        lambda copies: np.clip(copies.mean(axis=0) - MEAN, 0, 1),
        "Numbers below 0 and above 1 are cut off. Leave them as they are.",
    ),
    "Take the mean over the copies, and subtract 0.3.",
)  # fmt: skip


@exercise(
    "32 copies",
    "The noise differs from copy to copy, and the picture does not.",
    "copies.mean(axis=0) is the mean over the copies. Its noise is smaller, and still has the mean 0.3.",
    "return copies.mean(axis=0) - 0.3",
)
def copies(function):
    """Judge the picture that is computed from several noisy copies of it."""
    rng = np.random.default_rng(3)
    for given in (
        np.round(rng.normal(0.6, 0.2, (2, 1, 2)), 1),
        np.round(rng.normal(0.6, 0.2, (5, 3, 4)), 1),
        np.array([[[0.2, 0.9, 1.6]], [[0.1, 0.8, 1.5]]]),  # the results are -0.15, 0.55 and 1.25
    ):
        n, height, width = given.shape
        said = f"from_copies for {n} copies of {height} by {width} pixels"
        handed = given.copy()
        found = array(call(function, handed, said=said), f"{said} gave")
        if not np.array_equal(handed, given):
            raise Mistake("from_copies changed the copies. They belong to the caller: return a new array.")
        wanted = given.mean(axis=0) - MEAN
        if not same(found, wanted):
            kind = kind_of(found, COPY_KINDS, given)
            if found.shape != wanted.shape:
                raise Mistake(f"{said} has the shape {found.shape}; it should be {wanted.shape}. {kind}")
            first, right = found.ravel()[0], wanted.ravel()[0]
            raise Mistake(f"{said}: the first pixel is {first:.3g} and should be {right:.3g}. {kind}")
    return "The picture is the same in all copies, and a part of the noise cancels. How much? Measure."


MANY_KINDS = {
    1: "With one copy the error is 0.04. The network has about half of it.",
    3: "Three copies are better than the network. Fewer are enough.",
    4: "Four copies are better than the network. Fewer are enough.",
}


@exercise(
    "32 how many",
    "np.stack([noisy(drawer, rng) for _ in range(n)]) is n copies of the whole drawer, and from_copies takes "
    "them as they are.",
    "error(from_copies(copies)) for n = 1 is 0.04, as after the subtraction. It falls as n grows.",
    "With n copies the error is 0.04 / n. The network has a little more than 0.02.",
)
def how_many(guess):
    """Judge how many noisy copies are as good as the lesson's network is with one."""
    predicted(guess, 2, MANY_KINDS, "Compare 0.04 for one copy, and what you measure for 2, 3 and 4.")
    return "Two copies leave 0.04 / 2, and the network leaves about as much of one."
