"""The exercises of lesson 25: the size of a result, a filter of one's own, and which pixels a number depends
on."""

import numpy as np

from ..checking import Mistake, NotYet, exercise
from .calling import call, names_of
from .shared import array, predicted

# -- how many numbers come out ------------------------------------------------------------------------------

SIZE_KINDS = {
    784: "That is the number of pixels. At the border the window must not hang over.",
    529: "23 places in a row are one too few: the window may stand at 0, and at 28 - 5 = 23 too.",
    24: "That is the number of places in one row, or in one column. How many are there together?",
    23: "That is 28 - 5, the last place in a row. How many places are there from 0 to 23?",
    25: "That is the number of weights. Each place of the window gives one number.",
    625: "25 places in a row are one too many: at 24 the window would need the pixel 28, and the last is 27.",
    36: "That would be so if the windows did not overlap, with pixels left over. It moves by one pixel.",
}


@exercise(
    "25 size",
    "How many places are there in one row? The left pixel of the window may be the first one, and the right "
    "pixel of the window may be the last one.",
    "The left pixel goes from 0 to 28 - 5 = 23. These are 24 places.",
    "24 places across times 24 places down.",
)
def size(guess):
    """Judge the predicted number of places."""
    otherwise = "Count the places in a row, then the rows of places."
    predicted(guess, 576, SIZE_KINDS, otherwise, within=0, near=0.5)
    return "28 - 5 + 1 = 24 places across and 24 down: 576 numbers from 25 weights."


# -- a filter of one's own ----------------------------------------------------------------------------------

INK = {
    "a line in the middle column": ((0, 1, 0), True),
    "one shade of ink everywhere": ((1, 1, 1), False),
    "ink in the left column": ((1, 0, 0), False),
    "ink in the right column": ((0, 0, 1), False),
    "ink in the left and the middle column": ((1, 1, 0), False),
    "ink in the middle and the right column": ((0, 1, 1), False),
}


@exercise(
    "25 filter",
    "The middle column needs weights above 0. What do the other two need, so that an edge does not count?",
    "With ink left and in the middle, the sum is that of the left and the middle weights. It should be at "
    "most 0. So the left column takes away at least as much as the middle one gives.",
    "np.array([[-1, 1, -1], [-1, 1, -1], [-1, 1, -1]])",
)
def own_filter(weights):
    """Judge a filter for thin upright lines, by what it gives for six windows."""
    weights = array(weights, "This is", "An array of 3 x 3 weights is asked for.")
    if weights.shape != (3, 3):
        raise Mistake(f"A filter of 3 x 3 weights is asked for, and this has the shape {weights.shape}.")
    for words, (columns, is_line) in INK.items():
        found = float((weights * np.array(columns)).sum())
        if is_line and found <= 1e-9:
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


def walked(names, net, x, i, j, channels=slice(None)):
    """The gradient of the pixels, by a walk of our own, from all channels or from some."""
    leaf = names["Tensor"](x)
    return names["gradients"](net(leaf)[0, i, j, channels].sum())[leaf][0, :, :, 0]


@exercise(
    "25 touched",
    "x has to be a Tensor, so that a gradient arrives there: x = Tensor(x). Then backward, then x.grad.",
    "x.grad has the shape (1, height, width, 1). x.grad[0, :, :, 0] is the table.",
    "x = Tensor(x), then backward(net(x)[0, i, j].sum()), and return x.grad[0, :, :, 0] != 0.",
)
def touched(function):
    """Judge which pixels some numbers depend on, for three networks and three places."""
    names = names_of(function, 25)
    for name, net in nets_of(names):
        for i, j in PLACES:
            x = np.random.default_rng(1).normal(size=(1, 9, 9, 1))
            said = f"touched({name}, x, {i}, {j})"
            try:
                found = call(function, net, x.copy(), i, j, said=said)
            except AttributeError as error:
                if not str(error).endswith("'numpy.ndarray' object has no attribute 'grad'"):
                    raise
                raise Mistake(
                    f"{said} stops with AttributeError: {error}. x is a plain array, and no gradient is "
                    "kept there. Make a Tensor of it first: x = Tensor(x)."
                ) from None
            whole, first = (walked(names, net, x, i, j, part) for part in (slice(None), slice(1)))
            judge_table(array(found, f"{said} gave"), whole, first, said)
    return "A walk back from one number shows all that it has seen."


def judge_table(found, gradient, first, said):
    """Raise Mistake unless a table is True where the gradient is not 0. ``first`` is the gradient from the
    first channel alone."""
    right = gradient != 0
    if found.shape != right.shape:
        more = " Take the first picture and the only channel: [0, :, :, 0]." if found.ndim == 4 else ""
        raise Mistake(f"{said} has the shape {found.shape}; the picture's is {right.shape}.{more}")
    if np.array_equal(found, right):
        return
    if np.allclose(found, gradient):
        kind = "This is the gradient itself. Where is it not 0?"
    elif np.array_equal(found, ~right):
        kind = "True and False are exchanged."
    elif np.array_equal(found, gradient > 0):
        kind = "A gradient below 0 counts too: ask for != 0."
    elif np.array_equal(found, first != 0):
        kind = "This walks back from the first channel alone. Add up all of them: net(x)[0, i, j].sum()."
    elif np.all(found == 1):
        kind = "These are all the pixels. Walk back from the numbers in row i and column j alone."
    elif not found.any():
        kind = "No pixel is left. Did the walk go through the Tensor that you made of x?"
    else:
        kind = "Walk back from net(x)[0, i, j].sum(): the first picture, row i, column j, all channels."
    rows, columns = np.nonzero(right)
    raise Mistake(
        f"{said} is True for {int(found.astype(bool).sum())} pixels; right are {right.sum()}, in the rows "
        f"{rows.min()} to {rows.max()} and the columns {columns.min()} to {columns.max()}. {kind}"
    )


def pair_of(guess, words):
    """Two numbers of a reader's answer."""
    if isinstance(guess, (list, tuple)) and any(each is None for each in guess):
        raise NotYet("one of the answers is still None.")
    found = array(guess, "This is", words).ravel()
    if found.size != 2:
        raise Mistake(f"{words} This has {found.size}.")
    return tuple(float(each) for each in found)


FIRST_PATCH = {
    9: "Nine would be three times three, but the windows overlap.",
    6: "Six would be so if the windows did not overlap.",
    3: "Three is what the second layer sees of the first. And what do these three see?",
    25: "That is the number of pixels in the patch. How wide is it?",
}
SECOND_PATCH = {
    7: "Seven would be so without pooling. Behind it, a step to the next number is a step of two pixels.",
    8: "Count from the back: three numbers behind the pooling are six before it, and these see six and four.",
    9: "Three numbers behind the pooling are six before it, not five. And six numbers in a row see 6 + 4.",
    12: "Six numbers in front of the pooling see 6 + 4 pixels, since their windows overlap.",
    15: "Fifteen would be so if windows of five stood side by side three times.",
    30: "Six windows of 5 in a row overlap: each next one brings one pixel more.",
    100: "That is the number of pixels in the patch. How wide is it?",
}


@exercise(
    "25 patch",
    "touched(net, x, 0, 0) for a random x, and then how many columns have a True: .any(axis=0).sum(). With "
    "max_pool, do it for several x, and put their tables together with |.",
    "From the back: a number behind a 3 x 3 convolution depends on 3 numbers in a row. In front of the first "
    "convolution these are 3 + 2 pixels.",
    "3 numbers behind the pooling are 6 in front of it, and these see 6 + 4 = 10 pixels. So [5, 10].",
)
def patch(guess):
    """Judge the widths of two patches."""
    words = "A list of two numbers is asked for: the width behind two convolutions, and behind the ConvNet's."
    first, second = pair_of(guess, words)
    if first != 5:
        unknown = "The second convolution sees 3 numbers in a row. How many pixels do they see together?"
        raise Mistake(f"The first is not {first:.6g}. {FIRST_PATCH.get(first, unknown)}")
    if second != 10:
        unknown = "Go from the back: 3 numbers behind the pooling, how many before it, and how many pixels?"
        raise Mistake(f"5 is right. The second is not {second:.6g}. {SECOND_PATCH.get(second, unknown)}")
    return "5 and 10: each layer sees further, and pooling doubles the steps of all that follow."
