"""Answers to the exercises of lesson 25."""

from . import Right, Wrong


def touched(*lines, head="net, x, i, j"):
    """A function with these lines."""
    return "\n    ".join([f"def touched({head}):", *lines]) + "\n\ntouched"


WALK = "x = Tensor(x)", "backward(net(x)[0, i, j].sum())"

ANSWERS = {
    "25 size": (
        Right("576", "576"),
        Right("computed", "(28 - 5 + 1) ** 2"),
        Right("by the loops", "slide(np.ones((28, 28)), np.ones((5, 5))).size"),
        Wrong("all pixels", "784", "hang over"),
        Wrong("one too few", "529", "one too few"),
        Wrong("one too many", "625", "one too many"),
        Wrong("a row", "24", "in one row"),
        Wrong("the last place", "23", "the last place in a row"),
        Wrong("the weights", "25", "number of weights"),
        Wrong("side by side", "36", "did not overlap"),
        Wrong("something else", "100", "Count the places"),
        Wrong("two numbers", "(24, 24)", "A number is asked for"),
    ),
    "25 filter": (
        Right("ones", "np.array([[-1, 1, -1]] * 3)"),
        Right("lists", "[[-1.0, 1, -1], [-1, 1, -1], [-1, 1, -1]]"),
        Right("one row only", "[[0, 0, 0], [-2, 1, -2], [0, 0, 0]]"),
        Right("sharper", "[[-2, 1, -2], [-2, 2, -2], [-2, 1, -2]]"),
        Wrong("the sum is 0", "[[-1, 2, -1]] * 3", "ink in the left and the middle column"),
        Wrong("an edge", "[[-1, 1, 0]] * 3", "ink in the middle and the right column"),
        Wrong("all ones", "np.ones((3, 3))", "one shade of ink"),
        Wrong("lying down", "[[-1, -1, -1], [1, 1, 1], [-1, -1, -1]]", "should be above 0"),
        Wrong("the sign", "[[1, -1, 1]] * 3", "should be above 0"),
        Wrong("a middle only", "[[0, 1, 0]] * 3", "one shade of ink"),
        Wrong("one row", "[-1, 1, -1]", "the shape (3,)"),
        Wrong("words", "'lines'", "An array of 3 x 3"),
    ),
    "25 touched": (
        Right("a walk", touched(*WALK, "return x.grad[0, :, :, 0] != 0")),
        Right(
            "the gradients",
            touched("x = Tensor(x)", "g = gradients(net(x)[0, i, j].sum())[x]", "return g[0, ..., 0] != 0"),
        ),
        Right("ones and zeros", touched(*WALK, "return (x.grad.reshape(x.shape[1:3]) != 0).astype(int)")),
        Right(
            "by nudges",
            touched(
                "begin, seen = value(net(x))[0, i, j], np.zeros(x.shape[1:3], bool)",
                "for place in np.ndindex(seen.shape):",
                "    y = x.copy()",
                "    y[0, place[0], place[1], 0] += 1e-6",
                "    seen[place] = np.abs(value(net(y))[0, i, j] - begin).max() > 1e-12",
                "return seen",
            ),
        ),
        Wrong("the gradient", touched(*WALK, "return x.grad[0, :, :, 0]"), "the gradient itself"),
        Wrong("above 0", touched(*WALK, "return x.grad[0, :, :, 0] > 0"), "below 0 counts too"),
        Wrong("turned round", touched(*WALK, "return x.grad[0, :, :, 0] == 0"), "are exchanged"),
        Wrong("four axes", touched(*WALK, "return x.grad != 0"), "the only channel"),
        Wrong(
            "from everything",
            touched("x = Tensor(x)", "backward(net(x).sum())", "return x.grad[0, :, :, 0] != 0"),
            "row i and column j alone",
        ),
        Wrong(
            "i and j exchanged",
            touched("x = Tensor(x)", "backward(net(x)[0, j, i].sum())", "return x.grad[0, :, :, 0] != 0"),
            "row i, column j",
        ),
        Wrong(
            "the first channel",
            touched("x = Tensor(x)", "backward(net(x)[0, i, j, 0])", "return x.grad[0, :, :, 0] != 0"),
            "the first channel alone",
        ),
        Wrong("none", touched("return np.zeros(x.shape[1:3], bool)"), "No pixel is left"),
        Wrong("prints", touched(*WALK, "print(x.grad[0, :, :, 0] != 0)"), "prints its result"),
        Wrong("no place", touched("return x", head="net, x"), "your function takes 2"),
        Wrong("a plain array", touched("backward(net(x)[0, i, j].sum())", "return x.grad"), "x = Tensor(x)"),
        Wrong("another attribute", touched(*WALK, "return x.gradient"), "stopped with AttributeError"),
    ),
    "25 patch": (
        Right("a list", "[5, 10]"),
        Right("a tuple", "(3 + 2, 2 * 3 + 4)"),
        Wrong("three times three", "[9, 10]", "the windows overlap"),
        Wrong("side by side", "[6, 10]", "did not overlap"),
        Wrong("one layer", "[3, 10]", "And what do these three see"),
        Wrong("pixels of the patch", "[25, 100]", "How wide"),
        Wrong("another first", "[4, 10]", "sees 3 numbers in a row"),
        Wrong("no pooling", "[5, 7]", "without pooling"),
        Wrong("five and three", "[5, 8]", "Count from the back"),
        Wrong("five before the pooling", "[5, 9]", "not five"),
        Wrong("twice", "[5, 12]", "windows overlap"),
        Wrong("fifteen", "[5, 15]", "side by side three times"),
        Wrong("another second", "[5, 11]", "Go from the back"),
        Wrong("one number", "5", "This has 1"),
    ),
}
