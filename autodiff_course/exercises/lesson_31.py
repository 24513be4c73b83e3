"""The exercises of lesson 31: the places of pixels, what a single colour leaves over, and edges."""

import numpy as np

from autodiff import Tensor, nn

from ..checking import Mistake, exercise, number
from ..runs.lesson_31 import places as right_places
from .calling import call
from .shared import array, kind_of, listed, numpy_array, predicted, same

# -- places -------------------------------------------------------------------------------------------------


def grid(height, width):
    """The columns and rows of all pixels."""
    y, x = np.mgrid[:height, :width]
    return x.ravel().astype(float), y.ravel().astype(float)


def both(x, y):
    """Two rows of numbers as pairs."""
    return np.stack([x, y], axis=1)


PLACE_KINDS = (
    (
        lambda h, w, frame: right_places(h, w, frame)[:, ::-1],
        "x and y are exchanged: x belongs to the column and stands first.",
    ),
    (
        lambda h, w, frame: right_places(h, w, frame) * [1, -1],
        "Your y grows upwards. The upper edge of the picture is y = -1, and the lower edge is y = 1.",
    ),
    (
        lambda h, w, frame: right_places(h, w, frame).reshape(h, w, 2).swapaxes(0, 1).reshape(-1, 2),
        "They come column by column. Go through the first row from left to right, then through the second.",
    ),
    (
        lambda h, w, frame: right_places(h, w),
        "frame has no effect. Multiply every place by it.",
    ),
    (
        lambda h, w, frame: right_places(h, w, 1 / frame),
        "A frame of 2 shows twice as much, so the places lie further out. Multiply by it.",
    ),
    (
        lambda h, w, frame: right_places(h, w, frame) * [h / w, 1],
        "x has its own unit here. Divide both by height, so that a step to the right is as long as one down.",
    ),
    (
        lambda h, w, frame: right_places(h, w, frame) * h / w,
        "Divide both by height: y goes from -1 to 1, and x is measured in the same unit.",
    ),
    (
        lambda h, w, frame: right_places(h, w, frame) - frame / h,
        "Those are the upper left corners of the pixels. A pixel's place is its middle, half a pixel on.",
    ),
    (
        lambda h, w, frame: frame * (both(*grid(h, w)) + 0.5) / h * 2,
        "(0, 0) is the upper left corner here. It should be the middle of the picture.",
    ),
    (
        lambda h, w, frame: right_places(h, w, frame) / 2,
        "The upper edge is y = -0.5 here. It should be -1, so all places have to be twice as far out.",
    ),
    (
        lambda h, w, frame: both(*grid(h, w)),
        "Those are columns and rows. Bring the middle of the picture to (0, 0), and divide by the height.",
    ),
    (
        lambda h, w, frame: both(*(np.linspace(-frame, frame, n)[np.asarray(k, int)]
                                   for n, k in zip((w, h), grid(h, w), strict=True))),
        "The first and last pixels lie on the edges here. Their middles are half a pixel inside.",
    ),
    "In column j and row i, x is frame * (2j + 1 - width) / height; y is frame * (2i + 1 - height) / height.",
)  # fmt: skip


@exercise(
    "31 places",
    "Two rows are 1 high each, since y goes from -1 to 1. So their middles are -0.5 and 0.5.",
    "Row i of height rows has the middle (2 * i + 1 - height) / height. For columns put width in place of "
    "the first height, and still divide by height.",
    "y, x = np.mgrid[:height, :width] gives the row and the column of each pixel. Then "
    "np.stack([2 * x.ravel() + 1 - width, 2 * y.ravel() + 1 - height], axis=1) / height, times frame.",
)
def places(function):
    """Judge the places of the pixels of a picture."""
    for height, width, *frame in ((2, 3), (1, 1), (3, 1), (2, 3, 2), (53, 80, 2)):
        said = f"places({', '.join(map(str, (height, width, *frame)))})"
        header = "def places(height, width, frame=1):"
        found = numpy_array(call(function, height, width, *frame, said=said, header=header), f"{said} gave")
        wanted = right_places(height, width, *frame)
        has = f"{said} has the shape {found.shape}"
        if found.shape == (2, height * width) and height * width != 2:
            raise Mistake(f"{has}: all x and then all y. Give a row for each pixel.")
        if found.shape != wanted.shape:
            raise Mistake(f"{has}; it should be {wanted.shape}: a row for each pixel.")
        if not same(found, wanted):
            kind = kind_of(found, PLACE_KINDS, height, width, *(frame or (1,)))
            i = int(np.argmax(np.abs(found - wanted).max(axis=1) > 1e-7))
            raise Mistake(
                f"In {said} the pixel with number {i} is at ({in_pair(found[i])}); it should be at "
                f"({in_pair(wanted[i])}). {kind}"
            )
    return "Each pixel has the place of its middle, and the frame can be as large as you like."


def in_pair(place):
    """Two numbers of a place."""
    return ", ".join(listed(value, 4) for value in place)


# -- one colour ---------------------------------------------------------------------------------------------

ONE_KINDS = {
    1 / 3: "That is the best grey. The question asks for the mean squared error that it leaves.",
    2 / 3: "That is the sum of the three squares. The mean divides it by three.",
    0.25: "That is the error of the grey 0.5. A darker grey is better, since two of three pixels are black.",
    5 / 12: "That grey is too light. Which number is closest to 0, 0 and 1 in the mean of the squares?",
    4 / 9: "That is the mean of the distances. Square each of them first.",
    0: "One grey cannot be right for black and for white pixels.",
}


@exercise(
    "31 one colour",
    "If the grey is g, the error is the mean of g*g, g*g and (1 - g)*(1 - g). For which g is it smallest?",
    "Where the slope is 0: 2g + 2g - 2(1 - g) = 0. That is the mean of the three pixels.",
    "g is 1/3. The squares of the three differences are 1/9, 1/9 and 4/9: take their mean.",
)
def one_colour(guess):
    """Judge the smallest error that a single grey leaves for the pixels 0, 0 and 1."""
    otherwise = "Try some greys: 0.2, 0.3, 0.4."
    predicted(guess, 2 / 9, ONE_KINDS, otherwise, within=0.0025, near=0.004)  # 0.22 and 0.33 are rounded
    return "2/9, or 0.22: the best single colour is the mean, and its error is called the variance."


# -- what is left over --------------------------------------------------------------------------------------

PICTURE = np.array([[[0.0, 0.5, 1.0], [1.0, 0.5, 0.0]], [[0.0, 0.1, 1.0], [0.2, 0.1, 1.0]]])
PAINTING = np.array([[[0.1, 0.4, 0.8], [0.7, 0.5, 0.3]], [[0.1, 0.2, 0.9], [0.3, 0.1, 0.9]]])


def error(one, other):
    """The mean squared error between two pictures, or between a picture and a colour."""
    return ((one - other) ** 2).mean()


def colour(picture):
    """A picture's mean colour."""
    return picture.mean(axis=(0, 1))


def distance(one, other):
    """The mean distance between two pictures, or between a picture and a colour."""
    return np.abs(one - other).mean()


LEFT_KINDS = (
    (error, "That is the error of the painting. Divide it by the error of the mean colour."),
    (
        lambda picture, painting: error(picture, painting) / error(picture, picture.mean()),
        "That compares with one grey: the mean over red, green and blue alike. Take the mean of each colour.",
    ),
    (
        lambda picture, painting: error(picture, painting) / error(picture, colour(painting)),
        "The mean colour is that of the picture, and not that of the painting.",
    ),
    (
        lambda picture, painting: 1 - error(picture, painting) / error(picture, colour(picture)),
        "That is the share that the painting explains. The share that is left over is 1 minus it.",
    ),
    (
        lambda picture, painting: error(picture, colour(picture)) / error(picture, painting),
        "It is upside down: the error of the painting stands above.",
    ),
    (
        lambda picture, painting: distance(picture, painting) / distance(picture, colour(picture)),
        "Those are distances. Square them first, in both errors.",
    ),
    (
        lambda picture, painting: error(picture, painting) / (picture**2).mean(),
        "That compares with black. Compare with the mean colour of the picture.",
    ),
    "Divide the mean squared error of the painting by that of the picture's mean colour.",
)


@exercise(
    "31 left over",
    "There are two errors: of the painting, and of a picture that has the mean colour everywhere.",
    "picture.mean(axis=(0, 1)) is the mean colour, three numbers. NumPy repeats it for each pixel when you "
    "subtract it.",
    "((painting - picture) ** 2).mean() / ((picture - picture.mean(axis=(0, 1))) ** 2).mean()",
)
def left_over(function):
    """Judge the share of the mean colour's error that a painting leaves over."""
    cases = (
        ("a painting of four pixels", PICTURE, PAINTING),
        ("the mean colour as the painting", PICTURE, np.zeros_like(PICTURE) + colour(PICTURE)),
        ("the picture as its own painting", PICTURE, PICTURE),
        ("a painting of six pixels", PICTURE[:, [0, 1, 0]], PAINTING[:, [1, 1, 0]]),
    )
    for what, picture, painting in cases:
        given = picture.copy(), painting.copy()
        answer = call(function, *given, said=f"left_over with {what}")
        shape = np.shape(getattr(answer, "data", answer))
        if isinstance(answer, np.ndarray | Tensor) and shape:
            raise Mistake(
                f"left_over with {what} gave an array of the shape {shape}. One number is asked for: take "
                "the mean of the squares in each error, and then divide."
            )
        found = number(answer)
        right = error(picture, painting) / error(picture, colour(picture))
        if abs(found - right) > 1e-6:
            kind = kind_of(np.array(found), LEFT_KINDS, picture, painting)
            raise Mistake(f"With {what} it gives {found:.4f}; it should be {right:.4f}. {kind}")
        if not (np.array_equal(given[0], picture) and np.array_equal(given[1], painting)):
            raise Mistake("left_over changed a picture. They belong to the caller.")
    return "0 is a perfect painting, and 1 is one that knows the mean colour alone."


# -- edges --------------------------------------------------------------------------------------------------


def straight():
    """A painter whose colours are sums of x and y, and the gradient of its brightness, (3, -4)."""
    net = nn.Linear(2, 3, bias=False).double()
    net.weight.data = np.array([[1.0, -1.0], [2.0, -2.0], [0.0, -1.0]])
    return net


def curved():
    """A painter with a tanh, whose gradient differs from place to place."""
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh()).double()
    net[0].weight.data = np.array([[1.0, 0.5], [-0.5, 2.0], [0.0, 1.5]])
    net[0].bias.data = np.array([0.1, -0.2, 0.3])
    return net


def slopes(net, where, h=1e-6):
    """For each place the slopes of the brightness along x and y, by nudges."""
    found = []
    for step in (np.array([h, 0.0]), np.array([0.0, h])):
        moved = net(where + step).data - net(where - step).data
        found.append(moved.sum(axis=1) / (2 * h))
    return np.stack(found, axis=1)


def lengths(slope):
    """The length of each row."""
    return np.sqrt((slope**2).sum(axis=1))


EDGE_KINDS = (
    (lambda slope: slope, "Those are the two slopes. Give the length of each row, by Pythagoras."),
    (lambda slope: slope[:, 0], "That is the slope along x alone. An edge may run in any direction."),
    (lambda slope: slope[:, 1], "That is the slope along y alone. An edge may run in any direction."),
    (lambda slope: slope.sum(axis=1), "The two slopes are added. Of 3 and -4 the length is 5."),
    (lambda slope: np.abs(slope).sum(axis=1), "The two sizes are added. Add the squares and take the root."),
    (lambda slope: (slope**2).sum(axis=1), "That is the square of the length. Take the root."),
    (lambda slope: lengths(slope) / 3, "The brightness is the sum of the three colours, and not their mean."),
    (lambda slope: lengths(slope) / len(slope), "Walk back from the sum over all places, not the mean."),
    (
        lambda slope: lengths(slope) / (3 * len(slope)),
        "Walk back from the sum over all places and colours, not the mean.",
    ),
    (
        lambda slope: np.array(lengths(slope).mean()),
        "That is one number. Give the length of the gradient for each place.",
    ),
    "At each place the brightness has a gradient with two parts, along x and along y. Give its length.",
)  # fmt: skip


@exercise(
    "31 edges",
    "The places have to be a Tensor, where = ad.Tensor(where), so that a gradient arrives at them.",
    "Walk back from net(where).sum(). A place has an effect on its own colour alone, so its row of "
    "where.grad is the gradient of its own brightness.",
    "After net(where).sum().backward(): np.sqrt((where.grad.numpy() ** 2).sum(axis=1)).",
)
def edges(function):
    """Judge the length of the gradient of the brightness at each place."""
    where = np.array([[0.5, -1.0], [-1.5, 0.25]])
    cases = ((straight, where[:1]), (straight, where), (curved, where[:1]), (curved, where))
    for made, given in cases:
        net = made()
        count = f"{len(given)} place{'s' * (len(given) > 1)}"
        said = f"edges(net, where) for {count}"
        answer = call(function, net, given.copy(), said=said, header="def edges(net, where):")
        found = array(answer, f"{said} gave")
        wanted = slopes(net, given)
        right = lengths(wanted)
        if found.shape != right.shape or not np.allclose(found, right, atol=1e-5):
            kinds = ((lambda row, f=f: np.round(f(row), 4), say) for f, say in EDGE_KINDS[:-1])
            kind = kind_of(np.round(found, 4), (*kinds, EDGE_KINDS[-1]), np.round(wanted, 6))
            raise Mistake(f"{said} gives {shortly(found)}; it should be {shortly(right)}. {kind}")
    return "Where the picture changes fast, the length is large: those are its edges."


def shortly(found):
    """A short row of numbers in brackets, a single number without, or an array by its shape."""
    if found.ndim > 1 or found.size > 3:
        return f"an array of the shape {found.shape}"
    return listed(found, 4)
