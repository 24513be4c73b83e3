"""Answers to the exercises of lesson 16."""

from . import Right, Wrong

TIMES = "def hessian_times(f, x, v):\n    return grad(lambda x: (grad(f)(x) * v).sum())(x).data\n"
FASTEST = (
    TIMES
    + """\
def fastest(f, x, v, times):
    for _ in range(times):
        product = hessian_times(f, x, v)
        length = np.linalg.norm(product)
        v = product / length
    return length
"""
)
HESSIAN = """\
def hessian(f, x):
    x = Tensor(x)
    slopes = grad(f)(x)
    return np.stack([gradients(slopes, unit)[x] for unit in np.eye(len(x.data))])
"""


def times(body):
    """An answer with this result."""
    return f"{HESSIAN}def hessian_times(f, x, v):\n    return {body}\nhessian_times"


def fastest(*changes):
    """The right answer with changes."""
    code = FASTEST
    for before, after in changes:
        assert before in code
        code = code.replace(before, after)
    return f"{code}fastest"


ANSWERS = {
    "16 quartic": (
        Right("fractions", "2, 4 / 3"),
        Right("two digits", "2, 1.33"),
        Right("Tensors", "Tensor(2.0), Tensor(4 / 3)"),
        Wrong("the lowest point", "0, 0", "falls short"),
        Wrong("uphill", "4, 5", "uphill"),
        Wrong("value over slope", "2.25, 1", "value over slope"),
        Wrong("how far", "1, 0.5", "the step is 1 long"),
        Wrong("how far, by the value", "0.75, 0.5", "how far value over slope goes"),
        Wrong("the slope alone", "-105, 1", "the slope alone"),
        Wrong("another first", "2.5, 1", "slope over second slope"),
        Wrong("second at the bottom", "2, 0", "by the second step either"),
        Wrong("the same step again", "2, 1", "not 1 long again"),
        Wrong("how far the second goes", "2, 2 / 3", "how far it goes"),
        Wrong("second by the value", "2, 1.5", "value over slope"),
        Wrong("one digit", "2, 1.3", "two digits"),
        Wrong("second uphill", "2, 8 / 3", "uphill"),
        Wrong("the third", "2, 8 / 9", "the third step"),
        Wrong("another second", "2, 1.9", "starts at 2"),
        Wrong("a word", "'two', 1", "A number is asked for"),
    ),
    "16 times": (
        Wrong(
            "the product of two vectors by @",
            "def hessian_times(f, x, v):\n    return grad(lambda p: grad(f)(p) @ v)(x).data\nhessian_times",
            "not for two vectors",
        ),
        Wrong(
            "prints",
            """def hessian_times(f, x, v):
    print(grad(lambda x: (grad(f)(x) * v).sum())(x))
hessian_times""",
            "prints its result and returns nothing",
        ),
        Wrong(
            "never ends",
            """def hessian_times(f, x, v):
    while True:
        pass
hessian_times""",
            "Does a loop never end?",
        ),
        Right("as in the solutions", f"{TIMES}hessian_times"),
        Wrong("a Tensor", times("grad(lambda x: (grad(f)(x) * v).sum())(x)"), "but in a Tensor"),
        Wrong("a list", times("list(grad(lambda x: (grad(f)(x) * v).sum())(x).data)"), "but in a list"),
        Right(
            "two walks by hand",
            """
def hessian_times(f, x, v):
    x = Tensor(x)
    slopes = gradients(f(x), Tensor(1.0))[x]
    return gradients((slopes * v).sum())[x]
hessian_times""",
        ),
        Right(
            "the second walk begins with v",
            """
def hessian_times(f, x, v):
    x = Tensor(x)
    return gradients(grad(f)(x), v)[x]
hessian_times""",
        ),
        Wrong("by the package's hvp", times("ad.hvp(f, (x,), (v,))"), "your own machine"),
        Wrong(
            "by the package's grad",
            times("ad.grad(lambda x: (ad.grad(f)(x) * v).sum())(x)"),
            "your own machine",
        ),
        Wrong("element by element", times("grad(f)(x) * v"), "element by element"),
        Wrong("one number", times("(grad(f)(x) * v).sum()"), "take *its* gradient"),
        Wrong("v on both sides", times("v @ hessian(f, x) @ v"), "The product itself has three"),
        Wrong("the diagonal", times("np.diag(hessian(f, x)) * v"), "Only the diagonal"),
        Wrong("without v", times("grad(lambda x: grad(f)(x).sum())(x)"), "Where is v?"),
        Wrong("v too late", times("grad(lambda x: grad(f)(x).sum())(x) * v"), "too late"),
        Wrong("f times v", times("grad(lambda x: (f(x) * v).sum())(x)"), "f's value by v"),
        Wrong("the gradient", times("grad(f)(x)"), "That is the gradient."),
        Wrong("the whole Hessian", times("hessian(f, x)"), "without building"),
        Wrong("row by row", times("hessian(f, x) @ v"), "you walked"),
        Wrong("the sign", times("-(hessian(f, x) @ v)"), "The sign is wrong"),
        Wrong("twice", times("2 * (hessian(f, x) @ v)"), "twice the product"),
        Wrong(
            "a nudge",
            times("(grad(f)(x + 1e-4 * v).data - grad(f)(x - 1e-4 * v).data) / 2e-4"),
            "38.000002 in place of 38",
        ),
        Wrong(
            "values between the walks",
            times("grad(lambda y: (grad(f)(y.data) * v).sum() + 0 * y.sum())(x)"),
            "All zeros",
        ),
        Wrong(
            "the gradient in the way",
            """
def hessian_times(f, x, v):
    x = Tensor(x)
    backward(f(x), Tensor(1.0))
    backward((x.grad * v).sum())
    return x.grad
hessian_times""",
            "still in it",
        ),
        Wrong("copied from the message", times("np.array([-4.0, 42.0, 38.0])"), "f was never called"),
        Wrong(
            "v overwritten",
            f"{TIMES}def other(f, x, v):\n    product = hessian_times(f, x, v)\n    v *= 2\n    return product\nother",
            "has changed",
        ),
        Wrong(
            "one argument too few",
            "def hessian_times(f, x):\n    return x\nhessian_times",
            "Its first line should be",
        ),
        Wrong("no function", "[1, 2, 3]", "A function is asked for"),
    ),
    "16 fastest": (
        Wrong(
            "divided before the product",
            fastest(
                ("        product = hessian", "        v = v / np.linalg.norm(v)\n        product = hessian"),
                ("v = product / length", "v = product"),
            ),
            "divided before the first product",
        ),
        Wrong(
            "once too few",
            fastest(("in range(times)", "in range(times - 1)")),
            "it has to run once",
        ),
        Wrong(
            "prints",
            """def fastest(f, x, v, times):
    print(v)
fastest""",
            "prints its result and returns nothing",
        ),
        Wrong(
            "never ends",
            """def fastest(f, x, v, times):
    while True:
        pass
fastest""",
            "Does a loop never end?",
        ),
        Right("as in the solutions", fastest()),
        Right(
            "the length as a sum", fastest(("np.linalg.norm(product)", "(product * product).sum() ** 0.5"))
        ),
        Wrong(
            "after the division", fastest(("return length", "return np.linalg.norm(v)")), "after the division"
        ),
        Wrong("never divided", fastest(("v = product / length", "v = product")), "never divided"),
        Wrong("the vector", fastest(("return length", "return v")), "One number is asked for"),
        Wrong("once more", fastest(("range(times)", "range(times + 1)")), "once more"),
        Wrong("once less", fastest(("range(times)", "range(max(times - 1, 1))")), "once less"),
        Wrong(
            "divided by the sum",
            fastest(("np.linalg.norm(product)", "np.abs(product).sum()")),
            "root of the sum",
        ),
        Wrong("v not replaced", fastest(("v = product / length", "u = product / length")), ""),
        Wrong(
            "NumPy's eigenvalues",
            f"{HESSIAN}def fastest(f, x, v, times):\n    return np.abs(np.linalg.eigvalsh(hessian(f, x))).max()\nfastest",
            "Multiply, take the length, divide",
        ),
        Wrong(
            "v overwritten",
            fastest(
                ("        product = hessian", "        product = v * 1\n        product[:] = hessian"),
                ("v = product / length", "v[:] = product / length"),
            ),
            "v has changed",
        ),
        Wrong("a number", "3", "A function is asked for"),
    ),
    "16 rate": (
        Right("from the eigenvalue", "2 / 1001.6"),
        Right("rounded", "0.002"),
        Right(
            "with the earlier steps",
            FASTEST
            + "ravine = lambda p: (1 - p[0]) ** 2 + 100 * (p[1] - p[0] * p[0]) ** 2\n2 / fastest(ravine, np.ones(2), np.ones(2), 20)",
        ),
        Wrong("one over it", "1 / 1001.6", "twice as large"),
        Wrong("the eigenvalue", "1001.6", "That is the second slope"),
        Wrong("upside down", "1001.6 / 2", "not the second slope by 2"),
        Wrong("the slow direction", "2 / 0.39936", "The fastest direction decides"),
        Wrong("the lesson's", "0.01", "went down the valley"),
        Wrong("of the valley", "0.0197", "Use ravine"),
        Wrong("a tenth of the valley's", "2 / 1016", "not ten times as steep in every direction"),
        Wrong("another", "0.5", "2 over the largest"),
        Wrong("a word", "'small'", "A number is asked for"),
    ),
}
