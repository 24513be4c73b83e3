"""Answers to the exercises of lesson 11."""

from . import Right, Wrong

SCORES = """
def for_x(grad, z, x, y):
    return {}
def for_y(grad, z, x, y):
    return {}
for_x, for_y"""
FOR_X, FOR_Y = "grad @ y", "grad.T @ x"

BOWL = "def bowl_gradient(x, A):\n    return {}\nbowl_gradient"
NUDGED = """
def bowl_gradient(x, A):
    q = lambda x: x @ A @ x
    found = []
    for i in range(len(x)):
        step = np.zeros(len(x))
        step[i] = {h}
        found.append({slope})
    return {result}
bowl_gradient"""
ONE_SIDED = "(q(x + step) - q(x)) / step[i]"

MISSES = "def misses(prices, amounts, bills):\n    return {}\nmisses"
FIND = """
def find_prices(amounts, bills):
    prices = Tensor(np.zeros((amounts.shape[1], bills.shape[1])))
    for _ in range(500):
        backward((amounts @ prices - bills) ** 2)
        step([prices], 0.01)
    return prices
"""


def scores(left=FOR_X, right=FOR_Y):
    """Two rules."""
    return SCORES.format(left, right)


def find(*changes):
    """The right find_prices with some changes."""
    text = FIND
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text + "find_prices"


ANSWERS = {
    "11 price": (
        Right("the number", "8"),
        Right("a float", "8.0"),
        Right(
            "what the machine gives",
            """
amounts = Tensor(np.array([[1.0, 2, 3], [3, 4, 5]]))
prices = Tensor(np.array([[9.0, 8], [7, 6], [10, 11]]))
backward(amounts @ prices)
prices.grad[2, 1]""",
        ),
        Wrong("the price", "11", "the price itself"),
        Wrong("Ann's plums", "3", "Bob's bill, too"),
        Wrong("Bob's plums", "5", "Ann's bill, too"),
        Wrong("the money", "88", "the money"),
        Wrong("both shops", "16", "both shops"),
        Wrong("the gradient of an amount", "21", "gradient of an amount"),
        Wrong("how many bills", "2", "By how much"),
        Wrong("what arrives at a bill", "1", "passed on"),
        Wrong("multiplied", "15", "not multiplied"),
        Wrong("for 0.01", "0.08", "per unit"),
        Wrong("something else", "7", "It is not 7"),
        Wrong("text", "'eight'", "A number is asked for"),
    ),
    "11 scores": (
        Right("the solution", scores()),
        Right("the transpose of the transpose", scores(right="(x.T @ grad).T")),
        Right("with einsum", scores("np.einsum('ij,jk->ik', grad, y)", "np.einsum('ij,ik->jk', grad, x)")),
        Right("as Tensors", scores("Tensor(grad @ y)", "ad.Tensor(grad.T @ x)")),
        Wrong("the rule of x @ y", scores("grad @ y.T"), "do not fit"),
        Wrong("transposed at the end", scores("(grad @ y).T"), "That is its transpose"),
        Wrong("the gradient is lost", scores("np.ones_like(grad) @ y"), "is lost"),
        Wrong("the factors exchanged", scores("y.T @ grad.T"), "gives the shape (3, 2)"),
        Wrong("the rules exchanged", scores(FOR_Y, FOR_X), "That is the gradient of y"),
        Wrong("twice too much", scores("2 * grad @ y"), "Write one element of z out"),
        Wrong("ones", scores("np.ones(x.shape)"), "for_x gives the right shape, but the wrong numbers"),
        Wrong(
            "ones for y",
            scores(right="np.ones(y.shape)"),
            "for_y gives the right shape, but the wrong numbers",
        ),
        Wrong("the gradient of y.T", scores(right="x.T @ grad"), "transpose it"),
        Wrong("reshaped", scores(right="(x.T @ grad).reshape(y.shape)"), "Use .T"),
        Wrong("the gradient is lost for y", scores(right="np.ones_like(grad).T @ x"), "is lost"),
        Wrong("grad not transposed", scores(right="grad @ x"), "do not fit"),
        Wrong("for x twice", scores(right=FOR_X), "That is the gradient of x"),
        Wrong(
            "right for other sizes only",
            scores("grad @ y if grad.shape[1] != x.shape[1] else grad @ y.T"),
            "the rule of x @ y",
        ),
        Wrong("text", scores("'up'"), "An array is asked for"),
        Wrong("printed", scores("print(grad @ y)"), "returns nothing"),
        Wrong(
            "an argument too few",
            "for_x = lambda grad, x, y: grad @ y\nfor_x, for_x",
            "your function takes 3",
        ),
        Wrong(
            "a number for a function",
            "for_x = lambda grad, z, x, y: grad @ y\nfor_x, 3",
            "A function is asked for",
        ),
    ),
    "11 bowl": (
        Right("two products", BOWL.format("A @ x + A.T @ x")),
        Right("one product", BOWL.format("(A + A.T) @ x")),
        Right("a row on the left", BOWL.format("A @ x + x @ A")),
        Right("a list", BOWL.format("list((A + A.T) @ x)")),
        Right("a one-sided nudge", NUDGED.format(h=1e-5, slope=ONE_SIDED, result="found")),
        Right("a one-sided nudge of 0.001", NUDGED.format(h=1e-3, slope=ONE_SIDED, result="np.array(found)")),
        Right(
            "a nudge to both sides",
            NUDGED.format(h=1e-3, slope="(q(x + step) - q(x - step)) / (2 * step[i])", result="found"),
        ),
        Right(
            "a walk by the package",
            "def bowl_gradient(x, A):\n    x = ad.Tensor(x)\n    (x @ A @ x).backward()\n    return x.grad\nbowl_gradient",
        ),
        Right(
            "a walk by the machine",
            """
def bowl_gradient(x, A):
    x = Tensor(x.reshape(-1, 1))
    backward(x.T @ A @ x)
    return x.grad.ravel()
bowl_gradient""",
        ),
        Wrong("as in school", BOWL.format("2 * A @ x"), "right only where A is symmetric"),
        Wrong("as in school, transposed", BOWL.format("2 * A.T @ x"), "the other A.T"),
        Wrong("the left x only", BOWL.format("A @ x"), "for the x on the left"),
        Wrong("the right x only", BOWL.format("x @ A"), "for the x on the right"),
        Wrong("a column", BOWL.format("((A + A.T) @ x).reshape(-1, 1)"), "come in the shape (2, 1)"),
        Wrong(
            "a walk by the machine, without columns",
            "def bowl_gradient(x, A):\n    x = Tensor(x)\n    backward(x @ A @ x)\n    return x.grad\nbowl_gradient",
            "Its rules for @ are for tables",
        ),
        Wrong("the matrix", BOWL.format("A + A.T"), "The x is missing"),
        Wrong("elementwise", BOWL.format("(A + A.T) * x"), "Put @"),
        Wrong("q itself", BOWL.format("x @ A @ x"), "q itself"),
        Wrong("multiplied", BOWL.format("(A @ x) * (A.T @ x)"), "added, not multiplied"),
        Wrong("2x", BOWL.format("2 * x"), "Nudge each number"),
        Wrong(
            "a nudge that is not divided",
            NUDGED.format(h=1e-3, slope="q(x + step) - q(x)", result="found"),
            "Nudge each number",
        ),
        Wrong("text", BOWL.format("'steep'"), "An array is asked for"),
        Wrong("printed", BOWL.format("print(A @ x)"), "returns nothing"),
        Wrong(
            "an argument too few", "bowl_gradient = lambda x: 2 * x\nbowl_gradient", "your function takes 1"
        ),
        Wrong("no function", "12", "A function is asked for"),
    ),
    "11 misses": (
        Right("the formula", MISSES.format("(amounts @ prices - bills) ** 2")),
        Right("the other way round", MISSES.format("(bills - amounts @ prices) ** 2")),
        Wrong("not squared", MISSES.format("amounts @ prices - bills"), "Square them"),
        Wrong("the sum", MISSES.format("np.sum((amounts @ prices.data - bills) ** 2)"), "their sum"),
        Wrong("the mean", MISSES.format("np.mean((amounts @ prices.data - bills) ** 2)"), "their mean"),
        Wrong(
            "the mean, by the machine", MISSES.format("((amounts @ prices - bills) ** 2).mean()"), "no mean yet"
        ),
        Wrong(
            "another name that is missing",
            MISSES.format("((amounts @ prices - bills) ** 2).middle()"),
            "no attribute 'middle'",
        ),
        Wrong("plain numbers", MISSES.format("(amounts @ prices.data - bills) ** 2"), "nothing was recorded"),
        Wrong(
            "a new Tensor",
            MISSES.format("(amounts @ Tensor(prices.data) - bills) ** 2"),
            "no path leads back",
        ),
        Wrong(
            "elementwise", MISSES.format("(amounts[:2] * prices - bills[:2]) ** 2"), "the shape of the bills"
        ),
        Wrong(
            "the factors exchanged",
            MISSES.format("(prices @ amounts - bills) ** 2"),
            "@ does not fit: rows of 2 on the left, columns of 3 on the right. The amounts are the left factor",
        ),
        Wrong("bills forgotten", MISSES.format("(amounts @ prices) ** 2"), "Subtract what was paid"),
        Wrong("printed", MISSES.format("print((amounts @ prices - bills) ** 2)"), "returns nothing"),
        Wrong("arguments missing", "misses = lambda prices: prices\nmisses", "your function takes 1"),
    ),
    "11 prices": (
        Right("the solution", find()),
        Right("five thousand steps", find(("range(500)", "range(5_000)"))),
        Right("an array", find(("return prices", "return prices.data"))),
        Right("nested lists", find(("return prices", "return prices.data.tolist()"))),
        Right("from ones", find(("np.zeros", "np.ones"))),
        Right(
            "by the rule itself",
            find(
                (
                    "prices = Tensor(np.zeros((amounts.shape[1], bills.shape[1])))",
                    "prices = np.zeros((amounts.shape[1], bills.shape[1]))",
                ),
                ("backward((amounts @ prices - bills) ** 2)", "grad = 2 * (amounts @ prices - bills)"),
                ("step([prices], 0.01)", "prices = prices - 0.01 * amounts.T @ grad"),
            ),
        ),
        Wrong(
            "solved by NumPy",
            "find_prices = lambda amounts, bills: np.linalg.solve(amounts, bills)\nfind_prices",
            "cannot solve this directly",
        ),
        Wrong("too few steps", find(("500", "5")), "take more steps"),
        Wrong(
            "gradients not cleared",
            find(("step([prices], 0.01)", "prices.data = prices.data - 0.01 * prices.grad")),
            "whether the gradients are cleared",
        ),
        Wrong("no step", find(("step([prices], 0.01)", "pass")), "No step has changed"),
        Wrong(
            "the shape of the lesson's prices",
            find(("(amounts.shape[1], bills.shape[1])", "(3, 2)")),
            "Here are 2 fruits and 4 shops",
        ),
        Wrong(
            "a single number",
            find(("np.zeros((amounts.shape[1], bills.shape[1]))", "0.0")),
            "Here are 3 fruits and 2 shops",
        ),
        Wrong(
            "no walk back", find(("backward((amounts @ prices - bills) ** 2)", "pass")), "Walk back before"
        ),
        Wrong(
            "the prices begin anew",
            find(
                (
                    "    for _ in range(500):\n",
                    "    for _ in range(500):\n        prices = Tensor(np.zeros((amounts.shape[1], bills.shape[1])))\n",
                )
            ),
            "begin anew",
        ),
        Wrong("too large a rate", find(("0.01", "1.0")), "without bound"),
        Wrong("uphill", find(("0.01", "-0.01")), "without bound"),
        Wrong(
            "rows and columns exchanged",
            find(("return prices", "return prices.data.T")),
            "a row for each fruit",
        ),
        Wrong("one shop", find(("return prices", "return prices.data[:, 0]")), "a column for each shop"),
        Wrong("printed", find(("return prices", "print(prices)")), "returns nothing"),
        Wrong("without end", find(("for _ in range(500):", "while True:")), "Does a loop never end"),
        Wrong(
            "the numbers of the lesson",
            "find_prices = lambda amounts, bills: [[9, 8], [7, 6], [10, 11]]\nfind_prices",
            "the shape (3, 2)",
        ),
        Wrong(
            "an argument too few",
            find(("(amounts, bills)", "(amounts)"), ("bills", "amounts")),
            "your function takes 1",
        ),
    ),
}
