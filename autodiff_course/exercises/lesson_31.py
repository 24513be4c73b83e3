"""The exercises of lesson 31: the places of pixels, what a single colour leaves over, and edges."""

import numpy as np

from autodiff import Tensor, nn

from ..checking import Mistake, number
from .calling import call
from .shared import close, listed, numpy_array, same
from .table import PRINTS, Guess, Right, Table, Task, Wrong, outcome, unchanged

# -- places -------------------------------------------------------------------------------------------------

X, Y = "2 * x.ravel() + 1 - width", "2 * y.ravel() + 1 - height"
STACK = f"frame * np.stack([{X}, {Y}], axis=1) / height"
LOOP = "[[frame * (2 * j + 1 - width) / height, frame * (2 * i + 1 - height) / height] for i in range(height) for j in range(width)]"

PLACES = Table(
    "31 places",
    head="places(height, width, frame=1)",
    right=f"""
        y, x = np.mgrid[:height, :width]
        return {STACK}""",
    answers=(
        Right("by two loops", f"np.array({LOOP})"),
        Right("as float32", ("/ height", "/ np.float32(height)")),
        Wrong("x and y exchanged", (f"{X}, {Y}", f"{Y}, {X}"), "x and y are exchanged: x belongs to the column and stands first."),
        Wrong("y upwards", (Y, f"-({Y})"), "Your y grows upwards. The upper edge of the picture is y = -1, and the lower edge is y = 1."),
        Wrong("column by column", (".ravel", ".T.ravel"), "They come column by column. Go through the first row from left to right, then through the second."),
        Wrong("no frame", ("frame * ", ""), "frame has no effect. Multiply every place by it."),
        Wrong("divided by the frame", ("frame *", "1 / frame *"), "A frame of 2 shows twice as much, so the places lie further out. Multiply by it."),
        Wrong("a unit for x alone", (X, f"({X}) * height / width"), "x has its own unit here. Divide both by height, so that a step to the right is as long as one down."),
        Wrong("both by width", ("/ height", "/ width"), "Divide both by height: y goes from -1 to 1, and x is measured in the same unit."),
        Wrong("corners", ("+ 1 ", ""), "Those are the upper left corners of the pixels. A pixel's place is its middle, half a pixel on."),
        Wrong("from the corner", (("+ 1 - width", "+ 1"), ("+ 1 - height", "+ 1")), "(0, 0) is the upper left corner here. It should be the middle of the picture."),
        Wrong("half as far", ("/ height", "/ height / 2"), "The upper edge is y = -0.5 here. It should be -1, so all places have to be twice as far out."),
        Wrong("numbers of pixels", "np.array([[j, i] for i in range(height) for j in range(width)])", "Those are columns and rows. Bring the middle of the picture to (0, 0), and divide by the height."),
        Wrong("with linspace", """
            x, y = np.meshgrid(np.linspace(-frame, frame, width), np.linspace(-frame, frame, height))
            return np.stack([x.ravel(), y.ravel()], axis=1)""", "The first and last pixels lie on the edges here. Their middles are half a pixel inside."),
        Wrong("zeros", "np.zeros((height * width, 2))"),
        Wrong("a list of rows", LOOP, holds="gave a list. Return np.array"),
        Wrong("a Tensor", f"ad.Tensor({LOOP})", holds="Return an array of NumPy"),
        Wrong("all x and then all y", ("axis=1", "axis=0"), holds="all x and then all y"),
        Wrong("a grid", (STACK, f"({STACK}).reshape(height, width, 2)"), holds="a row for each pixel"),
        Wrong("a constant", "np.zeros((1, 2))", holds="a row for each pixel"),
        Wrong("prints", f"print({LOOP})", holds=PRINTS),
        Wrong("without a frame", "lambda height, width: np.zeros((height * width, 2))", holds="frame"),
    ),
    otherwise="In column j and row i, x is frame * (2j + 1 - width) / height; y is frame * (2i + 1 - height) / height.",
    hints=(
        "Two rows are 1 high each, since y goes from -1 to 1. So their middles are -0.5 and 0.5.",
        "Row i of height rows has the middle (2 * i + 1 - height) / height. For columns put width in place of the first height, and still divide by height.",
        "y, x = np.mgrid[:height, :width] gives the row and the column of each pixel. Then np.stack([2 * x.ravel() + 1 - width, 2 * y.ravel() + 1 - height], axis=1) / height, times frame.",
    ),
)  # fmt: skip


@PLACES.judged
def places(function):
    """Judge the places of the pixels of a picture."""
    for size in ((2, 3), (1, 1), (3, 1), (2, 3, 2), (53, 80, 2)):
        said, pixels = f"places({', '.join(map(str, size))})", size[0] * size[1]
        answer = call(function, *size, said=said, header="def places(height, width, frame=1):")
        found, right = numpy_array(answer, f"{said} gave"), PLACES.answer(function)(*size)
        has = f"{said} has the shape {found.shape}"
        if found.shape == (2, pixels) and pixels != 2:
            raise Mistake(f"{has}: all x and then all y. Give a row for each pixel.")
        if found.shape != right.shape:
            raise Mistake(f"{has}; it should be {right.shape}: a row for each pixel.")
        if not same(found, right):
            why = PLACES.why(lambda wrong: same(found, outcome(wrong, *size)), function)  # noqa: B023  at once
            i = int(np.argmax(np.abs(found - right).max(axis=1) > 1e-7))
            raise Mistake(
                f"In {said} the pixel with number {i} is at ({in_pair(found[i])}); it should be at "
                f"({in_pair(right[i])}). {why}"
            )
    return "Each pixel has the place of its middle, and the frame can be as large as you like."


def in_pair(place):
    """Two numbers of a place."""
    return ", ".join(listed(value, 4) for value in place)


# -- one colour ---------------------------------------------------------------------------------------------

Guess(
    "31 one colour",
    right="2 / 9",
    answers=(
        Right("rounded", "0.222"),
        Right("rounded to two digits", "0.22"),
        Right("computed", "np.var([0, 0, 1])"),
        Wrong("the grey", "1 / 3", "That is the best grey. The question asks for the mean squared error that it leaves."),
        Wrong("the sum", "2 / 3", "That is the sum of the three squares. The mean divides it by three."),
        Wrong("the middle", "0.25", "That is the error of the grey 0.5. A darker grey is better, since two of three pixels are black."),
        Wrong("of the grey 2/3", "5 / 12", "That grey is too light. Which number is closest to 0, 0 and 1 in the mean of the squares?"),
        Wrong("distances", "4 / 9", "That is the mean of the distances. Square each of them first."),
        Wrong("nothing", "0", "One grey cannot be right for black and for white pixels."),
        Wrong("the grey, rounded", "0.33", holds="best grey"),
        Wrong("something else", "0.9"),
        Wrong("a word", "'dark'", holds="A number is asked for"),
    ),
    otherwise="Try some greys: 0.2, 0.3, 0.4.",
    praise="2/9, or 0.22: the best single colour is the mean, and its error is called the variance.",
    hints=(
        "If the grey is g, the error is the mean of g*g, g*g and (1 - g)*(1 - g). For which g is it smallest?",
        "Where the slope is 0: 2g + 2g - 2(1 - g) = 0. That is the mean of the three pixels.",
        "g is 1/3. The squares of the three differences are 1/9, 1/9 and 4/9: take their mean.",
    ),
    within=0.0025,
    near=0.004,  # 0.22 and 0.33 are rounded
)

# -- what is left over --------------------------------------------------------------------------------------

PICTURE = np.array([[[0.0, 0.5, 1.0], [1.0, 0.5, 0.0]], [[0.0, 0.1, 1.0], [0.2, 0.1, 1.0]]])
PAINTING = np.array([[[0.1, 0.4, 0.8], [0.7, 0.5, 0.3]], [[0.1, 0.2, 0.9], [0.3, 0.1, 0.9]]])


def one_number(answer, said):
    """A reader's number. Raises Mistake for an array of several."""
    shape = np.shape(getattr(answer, "data", answer))
    if isinstance(answer, np.ndarray | Tensor) and shape:
        raise Mistake(
            f"{said} gave an array of the shape {shape}. One number is asked for: take the mean of the squares "
            "in each error, and then divide."
        )
    return number(answer)


ERROR, SPREAD = "((painting - picture) ** 2).mean()", "((picture - mean) ** 2).mean()"

Task(
    "31 left over",
    head="left_over(picture, painting)",
    right=f"""
        mean = picture.mean(axis=(0, 1))
        return {ERROR} / {SPREAD}""",
    cases=(
        ("a painting of four pixels", PICTURE, PAINTING),
        ("the mean colour as the painting", PICTURE, np.zeros_like(PICTURE) + PICTURE.mean(axis=(0, 1))),
        ("the picture as its own painting", PICTURE, PICTURE),
        ("a painting of six pixels", PICTURE[:, [0, 1, 0]], PAINTING[:, [1, 1, 0]]),
    ),
    answers=(
        Right("by the variance", f"{ERROR} / picture.var(axis=(0, 1)).mean()"),
        Wrong("the error alone", ERROR, "That is the error of the painting. Divide it by the error of the mean colour."),
        Wrong("one grey", ("axis=(0, 1)", ""), "That compares with one grey: the mean over red, green and blue alike. Take the mean of each colour."),
        Wrong("the painting's mean", ("= picture", "= painting"), "The mean colour is that of the picture, and not that of the painting."),
        Wrong("what is explained", ("return", "return 1 -"), "That is the share that the painting explains. The share that is left over is 1 minus it."),
        Wrong("upside down", (f"{ERROR} / {SPREAD}", f"{SPREAD} / {ERROR}"), "It is upside down: the error of the painting stands above."),
        Wrong("distances", "np.abs(painting - picture).mean() / np.abs(picture - picture.mean(axis=(0, 1))).mean()", "Those are distances. Square them first, in both errors."),
        Wrong("against black", (" - mean", ""), "That compares with black. Compare with the mean colour of the picture."),
        Wrong("a constant", "0.0"),
        Wrong("no means", (ERROR, "(painting - picture) ** 2"), holds="an array of the shape (2, 2, 3). One number"),
        Wrong("changes the painting", (("    mean", "    painting -= picture\n    mean"), ("(painting - picture)", "painting")), holds="changed a picture"),
        Wrong("prints", ("return", "print(mean)\n    x ="), holds=PRINTS),
        Wrong("an argument too few", "lambda picture: 0.0", holds="1"),
    ),
    otherwise="Divide the mean squared error of the painting by that of the picture's mean colour.",
    praise="0 is a perfect painting, and 1 is one that knows the mean colour alone.",
    hints=(
        "There are two errors: of the painting, and of a picture that has the mean colour everywhere.",
        "picture.mean(axis=(0, 1)) is the mean colour, three numbers. NumPy repeats it for each pixel when you subtract it.",
        "((painting - picture) ** 2).mean() / ((picture - picture.mean(axis=(0, 1))) ** 2).mean()",
    ),
    inputs=lambda case, function: [part.copy() for part in case[1:]],
    said=lambda case: f"left_over with {case[0]}",
    read=one_number,
    equal=close,
    message="With {case[0]} it gives {found:.4f}; it should be {right:.4f}. {why}",
    after=unchanged("left_over changed a picture. They belong to the caller."),
)

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


def nearly(found, right):
    """Whether two arrays are the same up to the rounding of nudges."""
    return np.shape(found) == np.shape(right) and np.allclose(found, right, atol=1e-5)


def shortly(found):
    """A short row of numbers in brackets, a single number without, or an array by its shape."""
    if found.ndim > 1 or found.size > 3:
        return f"an array of the shape {found.shape}"
    return listed(found, 4)


ONE, TWO = [[0.5, -1.0]], [[0.5, -1.0], [-1.5, 0.25]]
GRAD, SUM = "where.grad.numpy()", "net(where).sum()"
LENGTHS = f"np.sqrt(({GRAD} ** 2).sum(axis=1))"

Task(
    "31 edges",
    head="edges(net, where)",
    right=f"""
        where = ad.Tensor(where)
        {SUM}.backward()
        return {LENGTHS}""",
    cases=((straight, ONE), (straight, TWO), (curved, ONE), (curved, TWO)),
    answers=(
        Right("with hypot", (LENGTHS, f"np.hypot({GRAD}[:, 0], {GRAD}[:, 1])")),
        Right("a Tensor comes back", (LENGTHS, "(where.grad**2).sum(1).sqrt()")),
        Right("by nudges", """
            h = 1e-6
            found = []
            for step in ([h, 0], [0, h]):
                with ad.no_grad():
                    moved = net(where + np.array(step)) - net(where - np.array(step))
                found.append(moved.numpy().sum(axis=1) / (2 * h))
            return np.hypot(*found)"""),
        Wrong("both slopes", (LENGTHS, GRAD), "Those are the two slopes. Give the length of each row, by Pythagoras."),
        Wrong("along x", (LENGTHS, f"{GRAD}[:, 0]"), "That is the slope along x alone. An edge may run in any direction."),
        Wrong("along y", (LENGTHS, f"{GRAD}[:, 1]"), "That is the slope along y alone. An edge may run in any direction."),
        Wrong("slopes added", (LENGTHS, f"{GRAD}.sum(axis=1)"), "The two slopes are added. Of 3 and -4 the length is 5."),
        Wrong("sizes added", (LENGTHS, f"np.abs({GRAD}).sum(axis=1)"), "The two sizes are added. Add the squares and take the root."),
        Wrong("no root", ("np.sqrt", ""), "That is the square of the length. Take the root."),
        Wrong("mean over colours", (SUM, "net(where).mean(1).sum()"), "The brightness is the sum of the three colours, and not their mean."),
        Wrong("mean over places", (SUM, "net(where).sum(1).mean()"), "Walk back from the sum over all places, not the mean."),
        Wrong("one number", (LENGTHS, f"{LENGTHS}.mean()"), "That is one number. Give the length of the gradient for each place."),
        Wrong("a constant", "np.zeros(len(where))"),
        Wrong("mean over everything", (SUM, "net(where).mean()"), holds="not their mean"),
        Wrong("no Tensor", ("ad.Tensor(where)", "where"), holds="stopped with AttributeError"),
        Wrong("prints", (f"return {LENGTHS}", "print(where.grad)"), holds=PRINTS),
    ),
    otherwise="At each place the brightness has a gradient with two parts, along x and along y. Give its length.",
    praise="Where the picture changes fast, the length is large: those are its edges.",
    hints=(
        "The places have to be a Tensor, where = ad.Tensor(where), so that a gradient arrives at them.",
        "Walk back from net(where).sum(). A place has an effect on its own colour alone, so its row of where.grad is the gradient of its own brightness.",
        "After net(where).sum().backward(): np.sqrt((where.grad.numpy() ** 2).sum(axis=1)).",
    ),
    inputs=lambda case, function: [case[0](), np.array(case[1])],
    said=lambda case: f"edges(net, where) for {len(case[1])} place{'s' * (len(case[1]) > 1)}",
    equal=nearly,
    alike=nearly,
    shown=shortly,
)  # fmt: skip
