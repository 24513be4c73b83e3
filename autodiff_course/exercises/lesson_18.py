"""The exercises of lesson 18: a layer that is used twice, a tanh layer by hand, and a layer that repeats
another one."""

from contextlib import suppress

import numpy as np

from ..checking import Mistake, number
from .calling import call, check_class, names_of
from .shared import array, listed, same
from .table import PRINTS, Guess, Right, Stop, Table, Task, Wrong, as_number, outcome

# -- a layer used twice -------------------------------------------------------------------------------------

Guess(
    "18 twice",
    right="13",
    answers=(
        Right("a one-sided nudge", "w = 3.001\n(w * (w * 2 + 1) + 1 - 22) / 0.001"),
        Wrong("the second use only", "7", "That is the second use only, whose local slope is h. The first use counts, too."),
        Wrong("the first use only", "6", "That is the first use only, x times the 3 that follows. The second use counts, too."),
        Wrong("the slope of x", "9", "That is how y moves with x: 3 times 3. The question is the weight."),
        Wrong("without the bias", "12", "That would be right without the bias, where h is 6. Here h is 7."),
        Wrong("multiplied", "42", "The two contributions meet in one weight: they add up, and are not multiplied."),
        Wrong("what the layer by hand says", "21", "7 times 3 uses the input of the second call for the first one. The input of the first call was 2."),
        Wrong("seven for both", "28", "That counts 7 and 21. The input of the first call was 2, so its contribution is 2 times 3."),
        Wrong("the bias", "4", "That is the gradient of the bias: 1, and 1 times 3."),
        Wrong("seven twice", "14", "The input of the second use is 7, and that of the first is 2: the two contributions are not equal."),
        Wrong("the weight", "3", "3 is the weight itself."),
        Wrong("y itself", "22", "22 is y itself. How much does it move for each 0.001 of the weight?"),
        Wrong("the slope of h", "2", "2 is the slope of h with respect to the weight. y comes after it."),
        Wrong("something else", "5"),
        Wrong("a word", "'much'", holds="A number is asked for"),
    ),
    otherwise="Take w = 3.001: h is then 7.002. What is y, and by how much has it moved?",
    praise="7 from the second use, and 2 times 3 from the first. They meet in the weight, and add up.",
    hints=(
        "Write it with letters: y = w*h + b, and h = w*x + b. The letter w is there twice.",
        "The second use: the local slope of w*h with respect to w is h. The first use: its local slope is x, and the gradient that arrives there is w, since h goes through the layer once more.",
        "7, and 2 times 3: together 13.",
    ),
    within=0.02,
    near=1e-6,
)

# -- tanh by hand -------------------------------------------------------------------------------------------

INPUT = np.array([[0.5, -1.0], [2.0, 0.25]])
OTHER = np.array([[-0.5, 3.0]])
ABOVE = np.array([[1.0, 10.0], [-2.0, 3.0]])
FORWARD, SLOPE = "self.z = np.tanh(x)\n        return self.z", "(1 - self.z**2)"
KEEPS_X = (FORWARD, "self.z = x\n        return np.tanh(x)")

TANH = Table(
    "18 tanh",
    right=f"""
class Tanh:
    def forward(self, x):
        {FORWARD}

    def backward(self, grad):
        return grad * {SLOPE}
""",
    answers=(
        Right("by what came in", (KEEPS_X, ("self.z**2", "np.tanh(self.z)**2"))),
        Right("by cosh", (KEEPS_X, ("* (1 - self.z**2)", "/ np.cosh(self.z)**2"))),
        Wrong("x for z", KEEPS_X, "The local slope is 1 minus the square of tanh(x), not of x."),
        Wrong("the local slope alone", ("grad * ", ""), "That is the local slope. Multiply it by the gradient that arrives, grad."),
        Wrong("passed on", (f" * {SLOPE}", ""), "That passes the gradient on unchanged. Multiply it by the local slope."),
        Wrong("z itself", (SLOPE, "self.z"), "This is grad times tanh(x). The local slope is 1 - tanh(x)**2."),
        Wrong("z squared", (SLOPE, "self.z**2"), "This is grad times tanh(x)**2. The local slope is 1 - tanh(x)**2."),
        Wrong("no square", ("**2", ""), "The square is missing: the local slope is 1 - tanh(x)**2."),
        Wrong("tanh twice", ("self.z**2", "np.tanh(self.z)**2"), "tanh was taken twice. What you keep is either x or tanh(x): the slope is 1 - tanh(x)**2."),
        Wrong("divided", (f"* {SLOPE}", f"/ {SLOPE}"), "This divides by the local slope. Multiply by it."),
        Wrong("the sign", ("return grad", "return -grad"), "The sign is wrong: tanh rises everywhere."),
        Wrong("a sum over rows", (f"grad * {SLOPE}", f"(grad * {SLOPE}).sum(axis=0)"), "The rows were added up. That is for a bias; each number of x has a gradient of its own."),
        Wrong("tanh missing", (KEEPS_X, ("**2", ""))),
        Wrong("another function", ("np.tanh(x)", "np.sin(x)"), holds="forward([[0.5, -1]"),
        Wrong("a Tensor", ("return self.z", "return Tensor(self.z)"), holds="gives a Tensor"),
        Wrong("a Tensor comes back", (f"grad * {SLOPE}", f"Tensor(grad * {SLOPE})"), holds="gives a Tensor"),
        Wrong("a local name", ("self.z", "z"), holds="does not know the name z"),
        Wrong("not kept", (FORWARD, "return np.tanh(x)"), holds="looks for an attribute 'z'"),
        Wrong("changes grad", (f"return grad * {SLOPE}", f"grad *= {SLOPE}; return grad"), holds="grad *="),
        Wrong("changes x", ("np.tanh(x)", "np.tanh(x, out=x)"), holds="belongs to"),
        Wrong("kept for all layers", ("self.z", "Tanh.z"), holds="Keep it in self"),
        Wrong("prints", (f"return grad * {SLOPE}", "print(grad)"), holds=PRINTS),
        Wrong("no self", ("self, grad", "grad"), holds="besides self"),
        Wrong("an object", (SLOPE, f"{SLOPE}\n\n\nTanh()"), holds="A class is asked for"),
        Wrong("a loop without end", ("return grad", "while True: grad"), holds="was stopped"),
    ),
    otherwise="A contribution is the gradient that arrives times the local slope, 1 - tanh(x)**2.",
    hints=(
        "Look at Dense: forward keeps something in self. Here backward multiplies grad by the local slope.",
        "The local slope is 1 - z*z, where z is np.tanh(x). So keep z (or x). backward returns grad times the local slope.",
        "One way: self.z = np.tanh(x) and return self.z; in backward, return grad * (1 - self.z**2).",
    ),
)  # fmt: skip


def judge_forward(layer, x):
    """Judge the result of the reader's forward."""
    given = x.copy()
    answer = call(layer.forward, given, said=f"forward({listed(x, 3)})")
    refuse_tensor(answer, f"forward({listed(x, 3)})")
    found = array(answer, "forward gave")
    if not same(found, np.tanh(x)):
        raise Mistake(
            f"forward({listed(x, 3)}) gives {listed(found, 3)}; it should be {listed(np.tanh(x), 3)}."
        )
    if not same(given, x):
        raise Mistake("forward is right, but the x that was passed in has changed. It belongs to the caller.")


def refuse_tensor(answer, said):
    """Raise Mistake for a Tensor: a layer by hand works without a graph."""
    if hasattr(answer, "creators"):
        raise Mistake(f"{said} gives a Tensor. A layer by hand works with plain arrays: use np.tanh.")


def judge_backward(layer, x, grad):
    """Judge the result of the reader's backward."""
    given, right = grad.copy(), grad * (1 - np.tanh(x) ** 2)
    said = f"After forward({listed(x, 3)}), backward({listed(grad, 3)})"
    try:
        answer = call(layer.backward, given, said=said)
    except NameError as error:
        raise Mistake(
            f"backward does not know the name {error.name}. A local name of forward is gone when forward "
            "returns: what backward needs has to be kept in the layer, in an attribute of self."
        ) from None
    except AttributeError as error:
        raise Mistake(
            f"Your code looks for an attribute {error.name!r} that is not there. What backward "
            "needs, forward has to keep in self first."
        ) from None
    refuse_tensor(answer, said)
    found = array(answer, f"{said} gave")

    def back(kind):
        other = kind()
        other.forward(x.copy())
        return other.backward(grad.copy())

    if not same(found, right):
        why = TANH.why(lambda wrong: same(found, outcome(back, wrong)))
        raise Mistake(f"{said} gives {listed(found, 3)}; it should be {listed(right, 3)}. {why}")
    if not same(given, grad):
        raise Mistake(
            f"{said} is right, but afterwards the array grad that was passed in is {listed(given, 3)}. It "
            "belongs to the caller: write grad * ..., not grad *= ..."
        )


@TANH.judged
def tanh(kind):
    """Judge a handwritten tanh layer: forward, backward, and that two layers do not share what they keep."""
    check_class(kind, "Tanh")
    layer, other = kind(), kind()
    judge_forward(layer, INPUT)
    judge_backward(layer, INPUT, ABOVE)
    judge_forward(layer, INPUT)
    judge_forward(other, OTHER)
    try:
        judge_backward(layer, INPUT, ABOVE)
    except (Mistake, ValueError) as error:
        raise Mistake(
            "One layer alone is right. With two layers, the first used what the second had kept. Keep "
            "it in self, where each layer has its own."
        ) from error
    judge_backward(other, OTHER, np.array([[2.0, -1.0]]))
    return "And it is right in a network with two of them, as long as each is used once."


# -- a layer that repeats another ---------------------------------------------------------------------------

REPEATS = (
    (lambda x: 2 * x, "2 * x", 3, 1, 8),  # other results for a call too few and for a result that is lost
    (lambda x: x + 1, "x + 1", 1, 5, 6),
    (lambda x: 2 * x + 1, "2 * x + 1", 2, 5, 23),
    (lambda x: 2 * x, "2 * x", 2, -3, -12),
    (lambda x: 2 * x, "2 * x", 0, 5, 5),
)
LOOP = "for _ in range(self.times):\n            x = self.layer(x)\n        return x"

REPEAT = Table(
    "18 repeat",
    right=f"""
class Repeat:
    def __init__(self, layer, times):
        self.layer, self.times = layer, times

    def __call__(self, x):
        {LOOP}
""",
    answers=(
        Right("by Sequential", (LOOP, "return Sequential(*[self.layer] * self.times)(x)")),
        Right("a list made before", (("layer, times\n", "[layer] * times, times\n"), ("_ in range(self.times)", "layer in self.layer"), ("= self.layer(", "= layer("))),
        Right("by recursion", (LOOP, "return Repeat(self.layer, self.times - 1)(self.layer(x)) if self.times else x")),
        Wrong("at least once", ("for _ in range(self.times)", "x = self.layer(x)\n        for _ in range(self.times - 1)"), "With times 0 the layer is not called at all, and x is returned as it is."),
        Wrong("a relu of its own", ("self.layer(x)", "relu(self.layer(x)) if shape(x) else max(self.layer(x), 0)"), "Repeat adds nothing of its own, and no relu either."),
        Wrong("not chained", (("x = self", "out = self"), ("return x", "return out if self.times else x")), "That is one call on x. Call the layer again on the last result, and return after the loop."),
        Wrong("return inside the loop", ("(x)\n", "(x)\n            return x\n"), holds="after the loop"),
        Wrong("once too often", ("range(self.times", "range(self.times + 1"), "The layer was called once too often."),
        Wrong("the result is lost", ("x = self", "self"), "The result of the layer is lost, or the layer is never called. Write x = self.layer(x)."),
        Wrong("once too few", ("range(self", "range(1, self"), "The layer was called once too few."),
        Wrong("a multiple", (LOOP, "return self.times * self.layer(x)"), "It multiplies one result. Call the layer again on the result."),
        Wrong("counts itself down", (("for _ in range(self.times)", "while self.times"), ("(x)\n", "(x)\n            self.times -= 1\n")), holds="second call"),
        Wrong("without end", ("for _ in range(self.times)", "while self.times"), holds="was stopped"),
        Wrong("copies", (("class", "import copy\n\nclass"), ("layer, times\n", "[copy.deepcopy(layer) for _ in range(times)], times\n"), ("_ in range(self.times)", "layer in self.layer"), ("= self.layer(", "= layer(")), holds="no copies"),
        Wrong("only the numbers", ("return x", "return Tensor(x.data) if isinstance(x, Tensor) else x"), holds="no gradient"),
        Wrong("prints", ("return x", "print(x)"), holds=PRINTS),
        Wrong("an object", ("return x", "return x\n\n\nRepeat(relu, 2)"), holds="A class is asked for"),
    ),
    hints=("Sequential's loop, with one layer.", "for _ in range(self.times): x = self.layer(x). After the loop, return x."),
)  # fmt: skip


@REPEAT.judged
def repeat(kind):
    """Judge a layer that calls another one several times: its numbers, and that the layer is not copied."""
    check_class(kind, "Repeat")
    for f, text, times, x, right in REPEATS:
        said = f"Repeat(lambda x: {text}, {times})({x})"
        made = kind(f, times)
        for again in ("", " at the second call"):
            found = number(call(made.__call__, x, said=said))
            if found != right:
                result = f"{said} gives {found:g}{again}; it should be {right}."
                if again:
                    raise Mistake(f"{result} A call has to leave self as it was.")
                why = REPEAT.why(lambda wrong: outcome(lambda: wrong(f, times)(x)) == found, kind)  # noqa: B023  at once
                raise Mistake(f"{result} {why}".rstrip())
    judge_sharing(kind)
    return "One layer, called as often as you like, with one set of parameters."


def judge_sharing(kind):
    """Judge that a repeated layer keeps one set of parameters, and that they get a gradient."""
    names = names_of(kind, 18)
    layer = names["Linear"](1, 1, np.random.default_rng(0))
    layer.weight, layer.bias = (names["Tensor"](np.array(numbers)) for numbers in ([[3.0]], [1.0]))
    made = kind(layer, 2)
    count = len(names["parameters"](made))
    if count != 2:
        raise Mistake(
            f"Repeat(Linear(1, 1, rng), 2) has {count} parameters, and there should be 2: a weight and a "
            "bias. Use the same layer each time, and no copies of it."
        )
    y = made(np.array([[2.0]]))
    with suppress(AttributeError):
        names["backward"](y)
    found = layer.weight.grad
    if found is None or not same(found, [[13.0]]):
        raise Mistake(
            "The outputs are right, but no gradient comes back to the layer. Call the layer itself, and "
            "compute with the Tensors that it returns."
        )


# -- how many numbers there are -----------------------------------------------------------------------------


def network(case, function):
    """A network of the reader's machine, by its text."""
    text, _, before = case[0].partition(" with ")
    names = names_of(function, 18) | {"rng": np.random.default_rng(0)}
    exec(before, names)
    return [eval(text, names)]


ALL = "parameters(net)"

Task(
    "18 numbers",
    head="count_numbers(net)",
    right=f"sum(p.data.size for p in {ALL})",
    cases=(
        ("Linear(2, 16, rng)", "There are 32 weights and 16 biases."),
        ("Sequential(Linear(2, 16, rng), relu, Linear(16, 1, rng))", "The layers have 48 and 17 numbers. relu has none."),
        ("Sequential(layer, relu, layer) with layer = Linear(2, 2, rng)", "The layer is used twice, but its numbers exist once."),
        ("Sequential(Sequential(Linear(2, 2, rng)))", "A layer may stand inside another layer."),
    ),
    answers=(
        Right("shapes", ("p.data.size", "math.prod(p.shape)")),
        Wrong("Tensors", f"len({ALL})", "That is how many Tensors there are. How many numbers are in each of them?"),
        Wrong("rows", ("p.data.size", "len(p.data)"), holds="32 weights and 16 biases"),
        Wrong("a constant", "48", holds="relu has none"),
        Wrong("shared layers twice", (ALL, "[p for layer in getattr(net, 'layers', [net]) for p in parameters(layer)]"), holds="its numbers exist once"),
        Wrong("layers inside layers", (ALL, "{p for layer in getattr(net, 'layers', [net]) if hasattr(layer, 'weight') for p in (layer.weight, layer.bias)}"), holds="inside another layer"),
        Wrong("the size of a Tensor", (".data", ""), holds="p.data.size"),
        Wrong("two axes for all", ("p.data.size", "p.shape[0] * p.shape[1]"), holds="A bias has one axis only"),
        Wrong("prints", "print(net)", holds=PRINTS),
        Wrong("no argument", "lambda: 48", holds="your function takes 0"),
    ),
    otherwise="{case[1]}",
    praise="Each number once, however often its layer is used.",
    hints=(
        "parameters(net) gives every Tensor of the network, each once.",
        "How many numbers are in a Tensor? p.data is an array, and an array has a .size.",
        "return sum(p.data.size for p in parameters(net))",
    ),
    inputs=network,
    said=lambda case: f"count_numbers({case[0]})",
    stops=(
        Stop(AttributeError, "A Tensor has no size. Its array has one: p.data.size.", "attribute 'size'"),
        Stop(IndexError, "A bias has one axis only, so its shape has no second number. p.data.size counts the elements of any shape.", "tuple index"),
    ),
    read=as_number,
    equal=lambda found, right: found == right,
)
