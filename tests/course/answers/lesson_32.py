"""Answers to the exercises of lesson 32."""

from . import Right, Wrong

WALK = """
def walk(start, end, steps):
    share = np.linspace(0, 1, steps)[:, None]
    return (1 - share) * start + share * end
walk"""


def changed(code, old, new):
    """The answer with one part of it different."""
    assert old in code
    return code.replace(old, new)


def noise(drawn):
    """A function that adds what is drawn."""
    return f"lambda pictures, rng: pictures + {drawn}"


ANSWERS = {
    "32 noisy": [
        Right("rng.normal", noise("rng.normal(0.3, 0.2, pictures.shape)")),
        Right("from standard normal", noise("0.3 + 0.2 * rng.standard_normal(pictures.shape)")),
        Right("a row of 64 for each picture", noise("rng.normal(0.3, 0.2, (len(pictures), 64))")),
        Wrong("64 numbers for all", noise("rng.normal(0.3, 0.2, 64)"), "all pictures get the same"),
        Wrong("a list", "lambda pictures, rng: (pictures + rng.normal(0.3, 0.2, pictures.shape)).tolist()", "gave a list. Return np.array"),
        Wrong("one number for all", noise("rng.normal(0.3, 0.2)"), "All numbers get the same noise"),
        Wrong("one picture's noise", noise("rng.normal(0.3, 0.2, pictures.shape[1])"), "all pictures get the same"),
        Wrong("one number a picture", noise("rng.normal(0.3, 0.2, (len(pictures), 1))"), "all pixels of a picture"),
        Wrong("no mean", noise("rng.normal(0, 0.2, pictures.shape)"), "The mean is missing"),
        Wrong("exchanged", noise("rng.normal(0.2, 0.3, pictures.shape)"), "exchanged"),
        Wrong("the root", noise("rng.normal(0.3, 0.2**0.5, pictures.shape)"), "not its square"),
        Wrong("spread evenly", noise("rng.uniform(0.3 - 0.2 * 3**0.5, 0.3 + 0.2 * 3**0.5, pictures.shape)"), "spread evenly"),
        Wrong("random", noise("rng.random(pictures.shape)"), "should be 0.30 and 0.20"),
        Wrong("from 0.1 to 0.5", noise("rng.uniform(0.1, 0.5, pictures.shape)"), "comes from a normal distribution"),
        Wrong("the square", noise("rng.normal(0.3, 0.2**2, pictures.shape)"), "the variance"),
        Wrong("a constant", noise("0.3"), "All numbers get the same noise"),
        Wrong("nothing", "lambda pictures, rng: pictures", "Add random numbers"),
        Wrong("a generator of its own", noise("np.random.default_rng(0).normal(0.3, 0.2, pictures.shape)"), "second call gives the same"),
        Wrong("a new generator each time", noise("np.random.default_rng().normal(0.3, 0.2, pictures.shape)"), "With the same rng"),
        Wrong("in place", "def noisy(pictures, rng):\n    pictures += rng.normal(0.3, 0.2, pictures.shape)\n    return pictures\nnoisy", "changed the pictures"),
        Wrong("noise alone", "lambda pictures, rng: rng.normal(0.3, 0.2, pictures.shape)", "in the place of the pictures"),
        Wrong("cut off", "lambda pictures, rng: np.clip(pictures + rng.normal(0.3, 0.2, pictures.shape), 0, 1)", "cut off or turned round"),
        Wrong("sizes", noise("abs(rng.normal(0.3, 0.2, pictures.shape))"), "cut off or turned round"),
        Wrong("one picture", "lambda pictures, rng: (pictures + rng.normal(0.3, 0.2, pictures.shape))[0]", "should stay"),
        Wrong("prints", "lambda pictures, rng: print(pictures)", "returns nothing"),
        Wrong("without rng", "lambda pictures: pictures", "rng"),
    ],
    "32 shift": [
        Right("a number", "0.04"),
        Right("computed", "0.2**2"),
        Wrong("the deviation", "0.2", "mean of squares"),
        Wrong("before", "0.13", "before anything is subtracted"),
        Wrong("the square of the mean", "0.09", "takes away"),
        Wrong("nothing", "0", "still differs"),
        Wrong("the mean", "0.3", "is subtracted"),
        Wrong("the difference", "0.1", "neither"),
        Wrong("something else", "0.07", "Which noise is left"),
        Wrong("a word", "'little'", "A number is asked for"),
    ],
    "32 walk": [
        Right("shares in a column", WALK),
        Right("row by row", "lambda start, end, steps: np.array([start + k / (steps - 1) * (end - start) for k in range(steps)])"),
        Right("np.linspace", "lambda start, end, steps: np.linspace(start, end, steps)"),
        Wrong("a list of rows", "lambda start, end, steps: [start + k / (steps - 1) * (end - start) for k in range(steps)]", "gave a list. Return np.array"),
        Wrong("backwards", changed(WALK, "(1 - share) * start + share * end", "share * start + (1 - share) * end"), "from the end to the start"),
        Wrong("does not arrive", changed(WALK, "np.linspace(0, 1, steps)", "(np.arange(steps) / steps)"), "does not arrive"),
        Wrong("without the start", changed(WALK, "np.linspace(0, 1, steps)", "(np.arange(1, steps + 1) / steps)"), "start is missing"),
        Wrong("in between only", changed(WALK, "np.linspace(0, 1, steps)", "np.linspace(0, 1, steps + 2)[1:-1]"), "Start and end belong"),
        Wrong("from 0", changed(WALK, "(1 - share) * start + share * end", "share * (end - start)"), "Add the start"),
        Wrong("plus the end", changed(WALK, "(1 - share) * start + share * end", "start + share * end"), "end - start"),
        Wrong("both ends", "lambda start, end, steps: np.array([start, end])", "start and the end alone"),
        Wrong("no column", changed(WALK, "[:, None]", ""), "stopped with ValueError"),
        Wrong("prints", changed(WALK, "return (1 - share) * start + share * end", "print(share)"), "returns nothing"),
        Wrong("two arguments", "lambda start, end: start", "steps"),
        Wrong("zeros", "lambda start, end, steps: np.zeros((steps, len(start)))", "Row k of the walk"),
    ],
    "32 how many": [
        Right("two", "2"),
        Wrong("one", "1", "about half of it"),
        Wrong("three", "3", "Fewer are enough"),
        Wrong("four", "4", "Fewer are enough"),
        Wrong("none", "0", "what you measure"),
        Wrong("a word", "'two'", "A number is asked for"),
    ],
    "32 copies": [
        Right("the mean minus 0.3", "lambda copies: copies.mean(axis=0) - 0.3"),
        Right("subtracted first", "lambda copies: np.mean(copies - 0.3, axis=0)"),
        Right("a sum divided", "lambda copies: sum(copies) / len(copies) - 0.3"),
        Wrong("not subtracted", "lambda copies: copies.mean(axis=0)", "Subtract it"),
        Wrong("added", "lambda copies: copies.mean(axis=0) + 0.3", "has to be subtracted"),
        Wrong("the sum", "lambda copies: copies.sum(axis=0) - 0.3", "Take their mean"),
        Wrong("all of them", "lambda copies: copies - 0.3", "all the copies"),
        Wrong("the first", "lambda copies: copies[0] - 0.3", "first copy alone"),
        Wrong("one number", "lambda copies: copies.mean() - 0.3", "That is one number"),
        Wrong("along the rows", "lambda copies: copies.mean(axis=-1) - 0.3", "along the rows"),
        Wrong("along the columns", "lambda copies: copies.mean(axis=1) - 0.3", "along the columns"),
        Wrong("cut off at 0", "lambda copies: np.maximum(copies.mean(axis=0) - 0.3, 0)", "Numbers below 0 are cut off"),
        Wrong("cut off at 0 and 1", "lambda copies: np.clip(copies.mean(axis=0) - 0.3, 0, 1)", "above 1 are cut off"),
        Wrong("in place", "def from_copies(copies):\n    copies -= 0.3\n    return copies.mean(axis=0)\nfrom_copies", "changed the copies"),
        Wrong("zeros", "lambda copies: np.zeros(copies.shape[1:])", "Take the mean over the copies, and"),
        Wrong("prints", "lambda copies: print(copies)", "returns nothing"),
    ],
}
