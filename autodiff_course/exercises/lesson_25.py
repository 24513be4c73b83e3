"""The exercises of lesson 25: the size of a result, a filter of one's own, and which pixels a number depends
on."""

import numpy as np

from ..checking import Mistake, NotYet
from .calling import call, names_of
from .shared import array, same
from .table import PRINTS, Guess, Right, Stop, Table, Wrong, advice, outcome

# -- how many numbers come out ------------------------------------------------------------------------------

Guess(
    "25 size",
    right="576",
    answers=(
        Right("computed", "(28 - 5 + 1) ** 2"),
        Right("by the loops", "slide(np.ones((28, 28)), np.ones((5, 5))).size"),
        Wrong("all pixels", "784", "That is the number of pixels. At the border the window must not hang over."),
        Wrong("one too few", "529", "23 places in a row are one too few: the window may stand at 0, and at 28 - 5 = 23 too."),
        Wrong("a row", "24", "That is the number of places in one row, or in one column. How many are there together?"),
        Wrong("the last place", "23", "That is 28 - 5, the last place in a row. How many places are there from 0 to 23?"),
        Wrong("the weights", "25", "That is the number of weights. Each place of the window gives one number."),
        Wrong("one too many", "625", "25 places in a row are one too many: at 24 the window would need the pixel 28, and the last is 27."),
        Wrong("side by side", "36", "That would be so if the windows did not overlap, with pixels left over. It moves by one pixel."),
        Wrong("something else", "100"),
        Wrong("two numbers", "(24, 24)", holds="A number is asked for"),
    ),
    otherwise="Count the places in a row, then the rows of places.",
    praise="28 - 5 + 1 = 24 places across and 24 down: 576 numbers from 25 weights.",
    hints=(
        "How many places are there in one row? The left pixel of the window may be the first one, and the right pixel of the window may be the last one.",
        "The left pixel goes from 0 to 28 - 5 = 23. These are 24 places.",
        "24 places across times 24 places down.",
    ),
    within=0,
    near=0.5,
)

# -- a filter of one's own ----------------------------------------------------------------------------------

INK = {
    "a line in the middle column": ((0, 1, 0), True),
    "one shade of ink everywhere": ((1, 1, 1), False),
    "ink in the left column": ((1, 0, 0), False),
    "ink in the right column": ((0, 0, 1), False),
    "ink in the left and the middle column": ((1, 1, 0), False),
    "ink in the middle and the right column": ((0, 1, 1), False),
}


FILTER = Table(
    "25 filter",
    right="np.array([[-1, 1, -1]] * 3)",
    answers=(
        Right("lists", "[[-1.0, 1, -1], [-1, 1, -1], [-1, 1, -1]]"),
        Right("one row only", "[[0, 0, 0], [-2, 1, -2], [0, 0, 0]]"),
        Right("sharper", "[[-2, 1, -2], [-2, 2, -2], [-2, 1, -2]]"),
        Wrong("the sum is 0", "[[-1, 2, -1]] * 3", holds="ink in the left and the middle column"),
        Wrong("an edge", "[[-1, 1, 0]] * 3", holds="ink in the middle and the right column"),
        Wrong("all ones", "np.ones((3, 3))", holds="one shade of ink"),
        Wrong("lying down", "[[-1, -1, -1], [1, 1, 1], [-1, -1, -1]]", holds="should be above 0"),
        Wrong("no numbers", "[[math.nan] * 3] * 3", holds="should be above 0"),
        Wrong("the sign", "[[1, -1, 1]] * 3", holds="should be above 0"),
        Wrong("a middle only", "[[0, 1, 0]] * 3", holds="one shade of ink"),
        Wrong("one row", "[-1, 1, -1]", holds="the shape (3,)"),
        Wrong("words", "'lines'", holds="An array of 3 x 3"),
    ),
    hints=(
        "The middle column needs weights above 0. What do the other two need, so that an edge does not count?",
        "With ink left and in the middle, the sum is that of the left and the middle weights. It should be at most 0. So the left column takes away at least as much as the middle one gives.",
        "np.array([[-1, 1, -1], [-1, 1, -1], [-1, 1, -1]])",
    ),
)


@FILTER.judged
def own_filter(weights):
    """Judge a filter for thin upright lines, by what it gives for six windows."""
    weights = array(weights, "This is", "An array of 3 x 3 weights is asked for.")
    if weights.shape != (3, 3):
        raise Mistake(f"A filter of 3 x 3 weights is asked for, and this has the shape {weights.shape}.")
    for words, (columns, is_line) in INK.items():
        found = float((weights * np.array(columns)).sum())
        if is_line and not found > 1e-9:  # also nan
            raise Mistake(f"For {words} it gives {found:.4g}, and there it should be above 0.")
        if not is_line and found > 1e-9:
            raise Mistake(f"For {words} it gives {found:.4g}, and there it should be at most 0.")
    return "It finds lines, and neither edges nor plain surfaces."


# -- how far a number sees ----------------------------------------------------------------------------------

PLACES = ((0, 0), (1, 2), (3, 1))


def nets_of(names):
    """Networks whose numbers see more or less far, each with its name."""
    rng = np.random.default_rng(0)
    layer, chain = names["Convolution"], names["Sequential"]
    yield "Convolution(3, 1, 2, rng)", layer(3, 1, 2, rng)
    yield (
        "Sequential(Convolution(3, 1, 4, rng), Convolution(3, 4, 4, rng))",
        chain(layer(3, 1, 4, rng), layer(3, 4, 4, rng)),
    )
    yield (
        "Sequential(Convolution(2, 1, 1, rng), max_pool)",
        chain(layer(2, 1, 1, rng), names["max_pool"]),
    )
    yield "Sequential(Convolution(3, 1, 4, rng), relu)", chain(layer(3, 1, 4, rng), names["relu"])


BACK, TABLE = "backward(net(x)[0, i, j].sum())", "x.grad[0, :, :, 0] != 0"

TOUCHED = Table(
    "25 touched",
    head="touched(net, x, i, j)",
    right=f"x = Tensor(x)\n{BACK}\nreturn {TABLE}",
    answers=(
        Right("the gradients", "x = Tensor(x)\ng = gradients(net(x)[0, i, j].sum())[x]\nreturn g[0, ..., 0] != 0"),
        Right("ones and zeros", (TABLE, "(x.grad.reshape(x.shape[1:3]) != 0).astype(int)")),
        Right("by nudges", """
            begin, seen = value(net(x))[0, i, j], np.zeros(x.shape[1:3], bool)
            for place in np.ndindex(seen.shape):
                y = x.copy()
                y[0, place[0], place[1], 0] += 1e-6
                seen[place] = np.abs(value(net(y))[0, i, j] - begin).max() > 1e-12
            return seen"""),
        Wrong("the gradient", (" != 0", ""), "This is the gradient itself. Where is it not 0?"),
        Wrong("turned round", ("!= 0", "== 0"), "True and False are exchanged."),
        Wrong("above 0", ("!= 0", "> 0"), "A gradient below 0 counts too: ask for != 0."),
        Wrong("the first channel", ("[0, i, j].sum()", "[0, i, j, 0]"), "This walks back from the first channel alone. Add up all of them: net(x)[0, i, j].sum()."),
        Wrong("from everything", ("[0, i, j]", ""), "These are all the pixels. Walk back from the numbers in row i and column j alone."),
        Wrong("none", "np.zeros(x.shape[1:3], bool)", "No pixel is left. Did the walk go through the Tensor that you made of x?"),
        Wrong("i and j exchanged", ("[0, i, j]", "[0, j, i]")),
        Wrong("four axes", (TABLE, "x.grad != 0"), holds="the only channel"),
        Wrong("prints", (f"return {TABLE}", f"print({TABLE})"), holds=PRINTS),
        Wrong("no place", "def touched(net, x):\n    return x", holds="your function takes 2"),
        Wrong("a plain array", ("x = Tensor(x)", "pass"), holds="x = Tensor(x)"),
        Wrong("another attribute", (TABLE, "x.gradient"), holds="stopped with AttributeError"),
    ),
    otherwise="Walk back from net(x)[0, i, j].sum(): the first picture, row i, column j, all channels.",
    hints=(
        "x has to be a Tensor, so that a gradient arrives there: x = Tensor(x). Then backward, then x.grad.",
        "x.grad has the shape (1, height, width, 1). x.grad[0, :, :, 0] is the table.",
        "x = Tensor(x), then backward(net(x)[0, i, j].sum()), and return x.grad[0, :, :, 0] != 0.",
    ),
)  # fmt: skip
PLAIN = Stop(AttributeError, "{said} stops with AttributeError: {error}. x is a plain array, and no gradient is kept there. Make a Tensor of it first: x = Tensor(x).", "'numpy.ndarray' object has no attribute 'grad'")


@TOUCHED.judged
def touched(function):
    """Judge which pixels some numbers depend on, for three networks and three places."""
    for name, net in nets_of(names_of(function, 25)):
        for i, j in PLACES:
            x = np.random.default_rng(1).normal(size=(1, 9, 9, 1))
            said = f"touched({name}, x, {i}, {j})"
            with advice(PLAIN, said=said):
                found = call(function, net, x.copy(), i, j, said=said)
            judge_table(array(found, f"{said} gave"), function, (net, x, i, j), said)
    return "A walk back from one number shows all that it has seen."


def judge_table(found, function, inputs, said):
    """Raise Mistake unless a table is True where the gradient is not 0."""
    right = TOUCHED.answer(function)(*inputs)
    if found.shape != right.shape:
        more = " Take the first picture and the only channel: [0, :, :, 0]." if found.ndim == 4 else ""
        raise Mistake(f"{said} has the shape {found.shape}; the picture's is {right.shape}.{more}")
    if not np.array_equal(found, right):
        why = TOUCHED.why(lambda wrong: same(found, outcome(wrong, *inputs)), function)
        rows, columns = np.nonzero(right)
        raise Mistake(
            f"{said} is True for {int(found.astype(bool).sum())} pixels; right are {right.sum()}, in the rows "
            f"{rows.min()} to {rows.max()} and the columns {columns.min()} to {columns.max()}. {why}"
        )


# -- two patches --------------------------------------------------------------------------------------------

PATCH = Table(
    "25 patch",
    right="[5, 10]",
    answers=(
        Right("a tuple", "(3 + 2, 2 * 3 + 4)"),
        Wrong("three times three", ("5", "9"), "Nine would be three times three, but the windows overlap."),
        Wrong("side by side", ("5", "6"), "Six would be so if the windows did not overlap."),
        Wrong("one layer", ("5", "3"), "Three is what the second layer sees of the first. And what do these three see?"),
        Wrong("pixels of the first patch", ("5", "25"), "That is the number of pixels in the patch. How wide is it?"),
        Wrong("no pooling", ("10", "7"), "Seven would be so without pooling. Behind it, a step to the next number is a step of two pixels."),
        Wrong("five and three", ("10", "8"), "Count from the back: three numbers behind the pooling are six before it, and these see six and four."),
        Wrong("five before the pooling", ("10", "9"), "Three numbers behind the pooling are six before it, not five. And six numbers in a row see 6 + 4."),
        Wrong("twice", ("10", "12"), "Six numbers in front of the pooling see 6 + 4 pixels, since their windows overlap."),
        Wrong("fifteen", ("10", "15"), "Fifteen would be so if windows of five stood side by side three times."),
        Wrong("thirty", ("10", "30"), "Six windows of 5 in a row overlap: each next one brings one pixel more."),
        Wrong("pixels of the second patch", ("10", "100"), "That is the number of pixels in the patch. How wide is it?"),
        Wrong("another first", ("5", "4"), holds="sees 3 numbers in a row"),
        Wrong("another second", ("10", "11"), holds="Go from the back"),
        Wrong("one number", "5", holds="This has 1"),
    ),
    hints=(
        "touched(net, x, 0, 0) for a random x, and then how many columns have a True: .any(axis=0).sum(). With max_pool, do it for several x, and put their tables together with |.",
        "From the back: a number behind a 3 x 3 convolution depends on 3 numbers in a row. In front of the first convolution these are 3 + 2 pixels.",
        "3 numbers behind the pooling are 6 in front of it, and these see 6 + 4 = 10 pixels. So [5, 10].",
    ),
)
FIRST = "The second convolution sees 3 numbers in a row. How many pixels do they see together?"
SECOND = "Go from the back: 3 numbers behind the pooling, how many before it, and how many pixels?"


@PATCH.judged
def patch(guess):
    """Judge the widths of two patches."""
    words = "A list of two numbers is asked for: the width behind two convolutions, and behind the ConvNet's."
    if isinstance(guess, (list, tuple)) and any(each is None for each in guess):
        raise NotYet("one of the answers is still None.")
    found = array(guess, "This is", words).ravel()
    if found.size != 2:
        raise Mistake(f"{words} This has {found.size}.")
    first, second = map(float, found)
    if first != 5:
        why = PATCH.why(lambda wrong: wrong[0] == first, otherwise=FIRST)
        raise Mistake(f"The first is not {first:.6g}. {why}")
    if second != 10:
        why = PATCH.why(lambda wrong: wrong[1] == second, otherwise=SECOND)
        raise Mistake(f"5 is right. The second is not {second:.6g}. {why}")
    return "5 and 10: each layer sees further, and pooling doubles the steps of all that follow."
