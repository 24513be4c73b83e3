"""Answers to the exercises of lesson 18."""

from . import Right, Wrong

TANH = """\
class Tanh:
    def forward(self, x):
        {forward}

    def backward(self, grad):
        {backward}

Tanh"""
KEEP = "self.z = np.tanh(x); return self.z"
KEEP_X = "self.x = x; return np.tanh(x)"


def tanh(backward, forward=KEEP):
    """A tanh layer with these lines."""
    return TANH.format(forward=forward, backward=backward)


REPEAT = """\
class Repeat:
    def __init__(self, layer, times):
        {init}

    def __call__(self, x):
        {call}

Repeat"""


def repeat(call, init="self.layer, self.times = layer, times"):
    """A repeating layer with these lines."""
    return REPEAT.format(init=init, call=call.replace("\n", "\n        "))


OVER = "for layer in self.layers: x = layer(x)\nreturn x"
CALLS = "\n    x = self.layer(x)\n"
REST = "self.layer = layer; self.rest = Repeat(layer, times - 1) if times else None"


def count(line):
    """A function that counts a network's numbers with this line."""
    return f"def count_numbers(net):\n    {line}\n\ncount_numbers"


LOOP = "for _ in range(self.times):\n    x = self.layer(x)\nreturn x"

ANSWERS = {
    "18 twice": (
        Right("the two contributions", "13"),
        Right("a float", "13.0"),
        Right("a one-sided nudge", "w = 3.001\n(w * (w * 2 + 1) + 1 - 22) / 0.001"),
        Wrong("the second use only", "7", "The first use counts, too"),
        Wrong("the first use only", "6", "The second use counts, too"),
        Wrong("the slope of x", "9", "The question is the weight"),
        Wrong("without the bias", "12", "Here h is 7"),
        Wrong("multiplied", "42", "add up"),
        Wrong("what the layer by hand says", "21", "The input of the first call was 2"),
        Wrong("seven for both", "28", "The input of the first call was 2"),
        Wrong("the bias", "4", "gradient of the bias"),
        Wrong("y itself", "22", "How much does it move"),
        Wrong("something else", "5", "w = 3.001"),
        Wrong("a word", "'much'", "A number is asked for"),
    ),
    "18 tanh": (
        Right("by what came out", tanh("return grad * (1 - self.z**2)")),
        Right("by what came in", tanh("return grad * (1 - np.tanh(self.x)**2)", KEEP_X)),
        Right("by cosh", tanh("return grad / np.cosh(self.x)**2", KEEP_X)),
        Wrong(
            "a Tensor",
            tanh("return grad * (1 - self.z**2)", "self.z = np.tanh(x); return Tensor(self.z)"),
            "gives a Tensor",
        ),
        Wrong("a Tensor comes back", tanh("return Tensor(grad * (1 - self.z**2))"), "gives a Tensor"),
        Wrong("x for z", tanh("return grad * (1 - self.x**2)", KEEP_X), "not of x"),
        Wrong(
            "a local name",
            tanh("return grad * (1 - z**2)", "z = np.tanh(x); return z"),
            "does not know the name z",
        ),
        Wrong(
            "not kept",
            tanh("return grad * (1 - self.z**2)", "return np.tanh(x)"),
            "looks for an attribute 'z'",
        ),
        Wrong("the local slope alone", tanh("return 1 - self.z**2"), "gradient that arrives"),
        Wrong("passed on", tanh("return grad"), "unchanged"),
        Wrong("z itself", tanh("return grad * self.z"), "grad times tanh(x)."),
        Wrong("z squared", tanh("return grad * self.z**2"), "grad times tanh(x)**2"),
        Wrong("divided", tanh("return grad / (1 - self.z**2)"), "divides by the local slope"),
        Wrong(
            "tanh missing",
            tanh("return grad * (1 - self.x)", KEEP_X),
            "times the local slope, 1 - tanh(x)**2",
        ),
        Wrong("no square", tanh("return grad * (1 - self.z)"), "The square is missing"),
        Wrong("the sign", tanh("return -grad * (1 - self.z**2)"), "The sign is wrong"),
        Wrong("tanh twice", tanh("return grad * (1 - np.tanh(self.z)**2)"), "tanh was taken twice"),
        Wrong("a sum over rows", tanh("return (grad * (1 - self.z**2)).sum(axis=0)"), "rows were added up"),
        Wrong(
            "another function", tanh("return grad", "self.z = np.sin(x); return self.z"), "forward([[0.5, -1]"
        ),
        Wrong("prints", tanh("print(grad * (1 - self.z**2))"), "prints its result"),
        Wrong("no self", tanh("return 1").replace("backward(self, grad)", "backward(grad)"), "besides self"),
        Wrong("changes grad", tanh("grad *= 1 - self.z**2; return grad"), "grad *="),
        Wrong(
            "changes x",
            tanh("return grad * (1 - self.z**2)", "np.tanh(x, out=x); self.z = x; return x"),
            "belongs to",
        ),
        Wrong(
            "kept for all layers",
            tanh("return grad * (1 - Tanh.z**2)", "Tanh.z = np.tanh(x); return Tanh.z"),
            "Keep it in self",
        ),
        Wrong("an object", tanh("return grad").replace("\nTanh", "\nTanh()"), "A class is asked for"),
        Wrong("a loop without end", tanh("while True: pass"), "was stopped"),
    ),
    "18 repeat": (
        Right("a loop", repeat(LOOP)),
        Right("by Sequential", repeat("return Sequential(*[self.layer] * self.times)(x)")),
        Right("a list made before", repeat(OVER, "self.layers = [layer] * times")),
        Right("by recursion", repeat("return self.rest(self.layer(x)) if self.rest else x", REST)),
        Wrong(
            "a relu of its own",
            repeat(
                "for _ in range(self.times):\n    x = relu(self.layer(x)) if shape(x) else max(self.layer(x), 0)\nreturn x"
            ),
            "no relu either",
        ),
        Wrong(
            "at least once",
            repeat("x = self.layer(x)\nfor _ in range(self.times - 1):\n    x = self.layer(x)\nreturn x"),
            "not called at all",
        ),
        Wrong(
            "not chained",
            repeat("for _ in range(self.times):\n    out = self.layer(x)\nreturn out if self.times else x"),
            "again on the last result",
        ),
        Wrong(
            "return inside the loop",
            repeat("for _ in range(self.times):\n    x = self.layer(x)\n    return x\nreturn x"),
            "after the loop",
        ),
        Wrong(
            "once too often",
            repeat("for _ in range(self.times + 1):\n    x = self.layer(x)\nreturn x"),
            "once too often",
        ),
        Wrong(
            "once too few",
            repeat("for _ in range(1, self.times):\n    x = self.layer(x)\nreturn x"),
            "once too few",
        ),
        Wrong(
            "the result is lost",
            repeat("for _ in range(self.times):\n    self.layer(x)\nreturn x"),
            "Write x = self.layer(x)",
        ),
        Wrong("a multiple", repeat("return self.times * self.layer(x)"), "multiplies one result"),
        Wrong(
            "counts itself down",
            repeat("while self.times:\n    x = self.layer(x)\n    self.times -= 1\nreturn x"),
            "second call",
        ),
        Wrong("without end", repeat("while self.times:\n    x = self.layer(x)\nreturn x"), "was stopped"),
        Wrong(
            "copies",
            "import copy\n" + repeat(OVER, "self.layers = [copy.deepcopy(layer) for _ in range(times)]"),
            "no copies",
        ),
        Wrong(
            "only the numbers",
            repeat(
                "for _ in range(self.times):\n    x = self.layer(x)\n"
                "return Tensor(x.data) if isinstance(x, Tensor) else x"
            ),
            "no gradient",
        ),
        Wrong(
            "prints",
            repeat("for _ in range(self.times):\n    x = self.layer(x)\nprint(x)"),
            "prints its result",
        ),
        Wrong("an object", repeat(LOOP).replace("\n\nRepeat", "\n\nRepeat(relu, 2)"), "A class is asked for"),
    ),
    "18 numbers": (
        Right("sizes", count("return sum(p.data.size for p in parameters(net))")),
        Right("shapes", count("return sum(math.prod(p.shape) for p in parameters(net))")),
        Wrong("Tensors", count("return len(parameters(net))"), "How many numbers are in each"),
        Wrong("the size of a Tensor", count("return sum(p.size for p in parameters(net))"), "p.data.size"),
        Wrong(
            "two axes for all",
            count("return sum(p.shape[0] * p.shape[1] for p in parameters(net))"),
            "A bias has one axis only",
        ),
        Wrong("rows", count("return sum(len(p.data) for p in parameters(net))"), "32 weights and 16 biases"),
        Wrong(
            "shared layers twice",
            "def count_numbers(net):\n    layers = getattr(net, 'layers', [net])\n"
            "    return sum(p.data.size for layer in layers for p in parameters(layer))\n\ncount_numbers",
            "its numbers exist once",
        ),
        Wrong("prints", count("print(sum(p.data.size for p in parameters(net)))"), "prints its result"),
        Wrong("a constant", count("return 48"), "relu has none"),
        Wrong("no argument", "def count_numbers():\n    return 48\n\ncount_numbers", "your function takes 0"),
    ),
}
