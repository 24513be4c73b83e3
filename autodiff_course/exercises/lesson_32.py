"""The exercises of lesson 32: noise, what a shift leaves of it, a walk, and the mean of noisy copies."""

import numpy as np

from ..checking import Mistake
from ..runs.lesson_32 import DEVIATION, MEAN
from .calling import call
from .shared import array, in_words, listed, numpy_array
from .table import GIVES, PRINTS, SHAPE, Guess, Right, Table, Task, Wrong, as_numpy_array, unchanged

# -- noise --------------------------------------------------------------------------------------------------

NORMAL = "rng.normal(0.3, 0.2, pictures.shape)"

NOISY = Table(
    "32 noisy",
    head="noisy(pictures, rng)",
    right=f"pictures + {NORMAL}",
    answers=(
        Right("from standard normal", (NORMAL, "0.3 + 0.2 * rng.standard_normal(pictures.shape)")),
        Right("a row of 64 for each picture", ("pictures.shape", "(len(pictures), 64)")),
        Wrong("noise alone", NORMAL, "The noise stands in the place of the pictures. Add it to them."),
        Wrong("no mean", ("0.3", "0"), "The mean is missing."),
        Wrong("exchanged", ("0.3, 0.2", "0.2, 0.3"), "They are exchanged: first comes the mean."),
        Wrong("the root", ("0.2", "0.2**0.5"), "0.2 is the deviation and not its square: rng.normal takes the deviation itself."),
        Wrong("the square", ("0.2", "0.2**2"), "0.04 is the square of the deviation, the variance: rng.normal takes the deviation itself."),
        Wrong("cut off", f"np.clip(pictures + {NORMAL}, 0, 1)", "Numbers below 0 are cut off or turned round. Leave them as they are."),
        Wrong("sizes", (NORMAL, f"abs({NORMAL})"), "Numbers below 0 are cut off or turned round. Leave them as they are."),
        Wrong("random", (NORMAL, "rng.random(pictures.shape)")),
        Wrong("from 0.1 to 0.5", (NORMAL, "rng.uniform(0.1, 0.5, pictures.shape)")),
        Wrong("64 numbers for all", ("pictures.shape", "64"), holds="all pictures get the same"),
        Wrong("one picture's noise", ("shape", "shape[1]"), holds="all pictures get the same"),
        Wrong("one number for all", (", pictures.shape", ""), holds="All numbers get the same noise"),
        Wrong("one number a picture", ("pictures.shape", "(len(pictures), 1)"), holds="all pixels of a picture"),
        Wrong("a constant", (NORMAL, "0.3"), holds="All numbers get the same noise"),
        Wrong("nothing", "pictures", holds="Add random numbers"),
        Wrong("spread evenly", (NORMAL, "rng.uniform(0.3 - 0.2 * 3**0.5, 0.3 + 0.2 * 3**0.5, pictures.shape)"), holds="spread evenly"),
        Wrong("a generator of its own", ("rng", "np.random.default_rng(0)"), holds="second call gives the same"),
        Wrong("a new generator each time", ("rng", "np.random.default_rng()"), holds="With the same rng"),
        Wrong("in place", f"pictures += {NORMAL}\nreturn pictures", holds="changed the pictures"),
        Wrong("one picture", f"pictures[0] + {NORMAL}[0]", holds="should stay"),
        Wrong("a list", f"(pictures + {NORMAL}).tolist()", holds="gave a list. Return np.array"),
        Wrong("prints", "print(pictures)", holds=PRINTS),
        Wrong("without rng", "lambda pictures: pictures", holds="rng"),
    ),
    otherwise="Each number comes from a normal distribution: rng.normal(0.3, 0.2, pictures.shape).",
    hints=(
        "rng.normal(mean, deviation, shape) gives an array of random numbers of that shape.",
        "Each number of each picture needs its own: the shape is pictures.shape.",
        "return pictures + rng.normal(0.3, 0.2, pictures.shape)",
    ),
)


@NOISY.judged
def noisy(function):
    """Judge adding noise with the mean 0.3 and the standard deviation 0.2."""
    for value in (0.0, 0.5):
        pictures = np.full((500, 64), value)
        said, header = f"noisy of {len(pictures)} pictures full of {value:g}", "def noisy(pictures, rng):"
        rng = np.random.default_rng(0)
        found = numpy_array(call(function, pictures, rng, said=said, header=header), f"{said} gave")
        if not (pictures == value).all():
            raise Mistake("noisy changed the pictures. They belong to the caller: return new ones.")
        if found.shape != pictures.shape:
            raise Mistake(f"{said} has the shape {found.shape}; it should stay {pictures.shape}.")
        judge_noise(found, pictures, said)
        if np.array_equal(found, array(call(function, pictures, rng, said=said), f"{said} gave")):
            raise Mistake("A second call gives the same noise again. Draw from the rng that is handed over.")
        again = call(function, pictures, np.random.default_rng(0), said=said)
        if not np.array_equal(found, array(again, f"{said} gave")):
            raise Mistake("With the same rng it gives other noise. Draw from the rng that is handed over.")
    return "Each number has its own noise, with the mean 0.3 and the deviation 0.2."


def judge_noise(found, pictures, said):
    """Raise Mistake unless the noise is as it should be."""
    noise = found - pictures
    mean, deviation = noise.mean(), noise.std()
    if deviation < 1e-9:
        why = "All numbers get the same noise: give rng.normal the shape of the pictures."
        if abs(mean) < 1e-9:
            why = "Add random numbers, from rng.normal."
        raise Mistake(f"In {said}, all numbers change by {mean:.3f}. {why}")
    if np.ptp(noise, axis=0).max() < 1e-9:
        raise Mistake(f"In {said}, all pictures get the same noise. Give rng.normal their shape.")
    if np.ptp(noise, axis=1).max() < 1e-9:
        raise Mistake(f"In {said}, all pixels of a picture get the same noise. Each number needs its own.")

    def near(mean_of_noise, deviation_of_noise):
        return abs(mean - mean_of_noise) <= 0.02 and abs(deviation - deviation_of_noise) <= 0.01

    def fits(wrong):
        other = wrong(pictures, np.random.default_rng(0)) - pictures
        return near(other.mean(), other.std())

    if not near(MEAN, DEVIATION):
        raise Mistake(
            f"In {said}, the noise has the mean {mean:.2f} and the deviation {deviation:.2f}; they should be "
            f"0.30 and 0.20. {NOISY.why(fits)}"
        )
    if (np.abs(noise - MEAN) < DEVIATION).mean() < 0.63:
        raise Mistake("Mean and deviation are right, but this noise is spread evenly. Use rng.normal.")


# -- what a shift leaves ------------------------------------------------------------------------------------

Guess(
    "32 shift",
    right="0.2**2",
    answers=(
        Right("a number", "0.04"),
        Wrong("the deviation", "0.2", "That is the deviation. The error is a mean of squares."),
        Wrong("before", "0.13", "That is the error before anything is subtracted: 0.3 squared plus 0.2 squared."),
        Wrong("the square of the mean", "0.09", "That is 0.3 squared, the part that the subtraction takes away."),
        Wrong("nothing", "0", "The mean of the noise is gone, and the noise still differs from pixel to pixel."),
        Wrong("the mean", "0.3", "That is the mean of the noise, which is subtracted."),
        Wrong("the difference", "0.1", "0.3 minus 0.2 is neither a mean nor a square here."),
        Wrong("something else", "0.07"),
        Wrong("a word", "'little'", holds="A number is asked for"),
    ),
    otherwise="Which noise is left, and what is the mean of its squares?",
    praise="0.04, and 0.13 before: the square of the mean, 0.09, is gone.",
    hints=(
        "After 0.3 is subtracted, noise with the mean 0 and the deviation 0.2 is left.",
        "The error is the mean of the squares of that noise: its variance.",
        "The variance is the square of the deviation, 0.2 * 0.2.",
    ),
    within=0.002,
)

# -- a walk -------------------------------------------------------------------------------------------------

SHARES, BETWEEN = "np.linspace(0, 1, steps)", "(1 - share) * start + share * end"

Task(
    "32 walk",
    head="walk(start, end, steps)",
    right=f"""
        share = {SHARES}[:, None]
        return {BETWEEN}""",
    cases=(([2.0, 0.0], [4.0, 8.0], 3), ([1.0], [2.0], 2), ([0.0, 1.0, 0.0], [1.0, 0.0, -3.0], 5)),
    answers=(
        Right("row by row", "np.array([start + k / (steps - 1) * (end - start) for k in range(steps)])"),
        Right("np.linspace", "np.linspace(start, end, steps)"),
        Wrong("backwards", (BETWEEN, "share * start + (1 - share) * end"), "It goes from the end to the start."),
        Wrong("does not arrive", (SHARES, "(np.arange(steps) / steps)"), "It does not arrive: the last row should be the end. There are steps - 1 gaps between the rows."),
        Wrong("without the start", (SHARES, "(np.arange(1, steps + 1) / steps)"), "The start is missing: the first row should be the start."),
        Wrong("in between only", (SHARES, "np.linspace(0, 1, steps + 2)[1:-1]"), "Start and end belong to the walk."),
        Wrong("from 0", (BETWEEN, "share * (end - start)"), "It begins at 0. Add the start."),
        Wrong("plus the end", (BETWEEN, "start + share * end"), "The way from the start to the end is end - start."),
        Wrong("both ends", "np.array([start, end])", "Those are the start and the end alone. Give rows in between."),
        Wrong("zeros", "np.zeros((steps, len(start)))"),
        Wrong("a list of rows", "[start + k / (steps - 1) * (end - start) for k in range(steps)]", holds="gave a list. Return np.array"),
        Wrong("no column", ("[:, None]", ""), holds="stopped with ValueError"),
        Wrong("prints", "print(start)", holds=PRINTS),
        Wrong("two arguments", "lambda start, end: start", holds="steps"),
    ),
    otherwise="Row k of the walk is start + k / (steps - 1) * (end - start).",
    praise="The steps are equal, and both ends belong to the walk.",
    hints=(
        "Row k has gone the share k / (steps - 1) of the way: nothing at first, and all of it in the last row.",
        "np.linspace(0, 1, steps) gives these shares. With [:, None] behind it they stand in a column.",
        "share = np.linspace(0, 1, steps)[:, None], and then return (1 - share) * start + share * end",
    ),
    read=as_numpy_array,
    shape=SHAPE,
    message=GIVES,
    shown=lambda rows: in_words(rows) if np.size(rows) and np.ndim(rows) else listed(rows),
)

# -- the mean of copies -------------------------------------------------------------------------------------


def several_copies():
    """Noisy copies of pictures, as arguments."""
    rng = np.random.default_rng(3)
    yield (np.round(rng.normal(0.6, 0.2, (2, 1, 2)), 1),)
    yield (np.round(rng.normal(0.6, 0.2, (5, 3, 4)), 1),)
    yield (np.array([[[0.2, 0.9, 1.6]], [[0.1, 0.8, 1.5]]]),)  # the results are -0.15, 0.55 and 1.25


MEAN_OF = "copies.mean(axis=0)"

Task(
    "32 copies",
    head="from_copies(copies)",
    right=f"{MEAN_OF} - 0.3",
    cases=tuple(several_copies()),
    answers=(
        Right("subtracted first", "np.mean(copies - 0.3, axis=0)"),
        Right("a sum divided", "sum(copies) / len(copies) - 0.3"),
        Wrong("not subtracted", MEAN_OF, "The noise has the mean 0.3. Subtract it."),
        Wrong("added", ("-", "+"), "The noise was added, so 0.3 has to be subtracted."),
        Wrong("the sum", ("mean", "sum"), "That is the sum of the copies. Take their mean."),
        Wrong("all of them", "copies - 0.3", "Those are all the copies. Take the mean over them: axis=0."),
        Wrong("the first", "copies[0] - 0.3", "That is the first copy alone. Use them all."),
        Wrong("one number", ("axis=0", ""), "That is one number. Take the mean over axis 0."),
        Wrong("along the rows", ("axis=0", "axis=-1"), "That is the mean along the rows. Take axis=0."),
        Wrong("along the columns", ("axis=0", "axis=1"), "That is the mean along the columns. Take axis=0."),
        Wrong("cut off at 0", f"np.maximum({MEAN_OF} - 0.3, 0)", "Numbers below 0 are cut off. Leave them as they are."),
        Wrong("cut off at 0 and 1", f"np.clip({MEAN_OF} - 0.3, 0, 1)", "Numbers below 0 and above 1 are cut off. Leave them as they are."),
        Wrong("zeros", "np.zeros(copies.shape[1:])"),
        Wrong("in place", f"copies -= 0.3\nreturn {MEAN_OF}", holds="changed the copies"),
        Wrong("prints", "print(copies)", holds=PRINTS),
    ),
    otherwise="Take the mean over the copies, and subtract 0.3.",
    praise="The picture is the same in all copies, and a part of the noise cancels. How much? Measure.",
    hints=(
        "The noise differs from copy to copy, and the picture does not.",
        "copies.mean(axis=0) is the mean over the copies. Its noise is smaller, and still has the mean 0.3.",
        "return copies.mean(axis=0) - 0.3",
    ),
    said=lambda case: "from_copies for {} copies of {} by {} pixels".format(*case[0].shape),
    shape=SHAPE,
    message="{said}: the first pixel is {found.flat[0]:.3g} and should be {right.flat[0]:.3g}. {why}",
    after=unchanged("from_copies changed the copies. They belong to the caller: return a new array.", 0),
)

Guess(
    "32 how many",
    right="2",
    answers=(
        Wrong("one", "1", "With one copy the error is 0.04. The network has about half of it."),
        Wrong("three", "3", "Three copies are better than the network. Fewer are enough."),
        Wrong("four", "4", "Four copies are better than the network. Fewer are enough."),
        Wrong("none", "0"),
        Wrong("a word", "'two'", holds="A number is asked for"),
    ),
    otherwise="Compare 0.04 for one copy, and what you measure for 2, 3 and 4.",
    praise="Two copies leave 0.04 / 2, and the network leaves about as much of one.",
    hints=(
        "np.stack([noisy(drawer, rng) for _ in range(n)]) is n copies of the whole drawer, and from_copies takes them as they are.",
        "error(from_copies(copies)) for n = 1 is 0.04, as after the subtraction. It falls as n grows.",
        "With n copies the error is 0.04 / n. The network has a little more than 0.02.",
    ),
)
