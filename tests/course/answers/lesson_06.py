"""Answers to the exercises of lesson 06."""

from . import Right, Wrong

RULE = """
def sigmoid_rule(grad, z, x):
    return grad * z * (1 - z)
"""
BUILT = """
def sigmoid(x):
    return 1 / (1 + exp(-x))
"""
LAST = "\nsigmoid, sigmoid_rule, "


def built(line, more=""):
    """An answer with another first step."""
    return f"def sigmoid(x):\n{more}    {line}\n\n{RULE}{LAST}4"


def rule(line, header="grad, z, x"):
    """An answer with another rule."""
    return f"{BUILT}\n\ndef sigmoid_rule({header}):\n    {line}\n{LAST}4"


ANSWERS = {
    "06 sigmoid": (
        Right("as the formula stands", BUILT + RULE + LAST + "4"),
        Right(
            "a power in place of the division",
            built("return (1 + exp(-x)) ** -1").replace(LAST + "4", LAST + "3"),
        ),
        Right("built of tanh", built("return (1 + tanh(x / 2)) / 2", "").replace(LAST + "4", LAST + "3")),
        Right("other names for the arguments", rule("return g * y * (1 - y)", "g, y, _")),
        Right("a count as a Tensor", BUILT + RULE + LAST + "Tensor(4)"),
        Wrong("prints", built("print(1 / (1 + exp(-x)))"), "prints its result and returns nothing"),
        Wrong("one argument too many", built("return x").replace("sigmoid(x)", "sigmoid(x, y)"), "takes 2"),
        Wrong("never ends", built("return x", "    while True:\n        pass\n"), "Does a loop never end?"),
        Wrong("no minus", built("return 1 / (1 + exp(x))"), "The minus before x is missing"),
        Wrong("no brackets", built("return 1 / 1 + exp(-x)"), "into brackets"),
        Wrong("tanh", built("return tanh(x)"), "That is tanh"),
        Wrong("math.exp", built("return 1 / (1 + math.exp(-x))"), "Use the machine's exp"),
        Wrong("plain numbers", built("return 1 / (1 + math.exp(-x.data))"), "nothing is recorded"),
        Wrong("a new Tensor", built("return Tensor(1 / (1 + math.exp(-x.data)))"), "no gradient comes back"),
        Wrong(
            "a row of its own",
            "FORWARD['sigmoid'] = lambda x: 1 / (1 + math.exp(-x))\n"
            "RULES['sigmoid'] = (lambda grad, z, x: grad * z * (1 - z),)\n"
            + built("return apply('sigmoid', x)"),
            "build it of those that are there",
        ),
        Wrong("the package's", built("return ad.sigmoid(x.data)"), "nothing is recorded"),
        Wrong("the gradient is lost", rule("return z * (1 - z)"), "This is the local slope alone"),
        Wrong("x for z", rule("return grad * x * (1 - x)"), "this one uses x"),
        Wrong("the rule of tanh", rule("return grad * (1 - z * z)"), "That is the rule of tanh"),
        Wrong("the rule of exp", rule("return grad * z"), "That is the rule of exp"),
        Wrong("half of it", rule("return grad * (1 - z)"), "The factor z is missing"),
        Wrong("added", rule("return grad + z * (1 - z)"), "multiplied, not added"),
        Wrong("the rule prints", rule("print(grad * z * (1 - z))"), "prints its result and returns nothing"),
        Wrong("the rule takes one argument", rule("return z", "z"), "hands over 3 arguments"),
        Wrong("all are counted", BUILT + RULE + LAST + "6", "how many are saved"),
        Wrong("two too few", BUILT + RULE + LAST + "2", "has 6 Tensors"),
    ),
    "06 points": (
        Right("pairs and a number", '\n{"pow": (5, 3), "div": (7, 2), "tanh": 0.5}'),
        Right("lists", '\n{"pow": [2, 3], "div": [1, -2], "tanh": [0.5]}'),
        Right("arrays", '\n{"pow": np.array([2, 3]), "div": np.array([7.0, 2.0]), "tanh": np.float64(-1)}'),
        Wrong("the friend's points", '\n{"pow": (5, 2), "div": (7, 1), "tanh": 0}', "nobody would notice"),
        Wrong(
            "div at 1", '\n{"pow": (5, 3), "div": (3, 1), "tanh": 0.5}', "The mistake is y in place of y * y"
        ),
        Wrong("div of 0", '\n{"pow": (5, 3), "div": (0, 2), "tanh": 0.5}', "nobody would notice"),
        Wrong(
            "pow near 2",
            '\n{"pow": (3, 2.0001), "div": (7, 2), "tanh": 0.5}',
            "gives 6.0003, and the right one 6.0010",
        ),
        Wrong("tanh near 0", '\n{"pow": (5, 3), "div": (7, 2), "tanh": 0.001}', "nearly the same"),
        Wrong("pow of 1", '\n{"pow": (1, 5), "div": (7, 2), "tanh": 0.5}', "Or which x?"),
        Wrong("a single number", '\n{"pow": 5, "div": (7, 2), "tanh": 0.5}', "a pair (x, y)"),
        Wrong("by 0", '\n{"pow": (5, 3), "div": (7, 0), "tanh": 0.5}', "cannot be computed"),
        Wrong("complex", '\n{"pow": (-2, 0.5), "div": (7, 2), "tanh": 0.5}', "Take x above 0"),
        Wrong("nan", '\n{"pow": (5, float("nan")), "div": (7, 2), "tanh": 0.5}', "ordinary numbers"),
        Wrong("infinity", '\n{"pow": (5, 3), "div": (7, 2), "tanh": float("inf")}', "ordinary numbers"),
        Wrong("not a dict", "\n[(5, 3), (7, 2), 0.5]", "in a dict"),
    ),
}
