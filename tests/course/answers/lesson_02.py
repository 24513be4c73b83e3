"""Answers to the exercises of lesson 02."""

from . import Right, Wrong

STEP = "def step(f, x, rate):\n    return x - rate * slope(f, x)"
LOWEST = (
    STEP
    + """


def lowest(f, x, rate):
    while abs(slope(f, x)) > 0.001:
        x = step(f, x, rate)
    return x"""
)


def step(kind, code, say=None):
    """An answer to 02 step: the code, or what is returned in place of the reference's."""
    code = code if code.startswith("def") else STEP.replace("x - rate * slope(f, x)", code)
    return answer(kind, code, "step", say)


def lowest(kind, code, say=None, *, by=""):
    """An answer to 02 lowest: the code, or a text in the reference and what stands ``by`` it instead."""
    code = LOWEST.replace(code, by) if by else code
    return answer(kind, code, "lowest", say)


def answer(kind, code, name, say):
    """A right answer, or with words of the message a wrong one."""
    return Right(kind, f"{code}\n{name}") if say is None else Wrong(kind, f"{code}\n{name}", say)


ANSWERS = {
    "02 predict": (
        Right("six", "6"),
        Right("as a float", "6.0"),
        Right("as a one-sided nudge gives it", "6.001"),
        Right("in a Tensor", "Tensor(6)"),
        Wrong("the value", "9", "9 is the value"),
        Wrong("x", "3", "x stands in x * x twice"),
        Wrong("two", "2", "2 leaves out x"),
        Wrong("how far it moves", "0.006", "Now divide by how far x moved"),
        Wrong("the sign", "-6", "not negative"),
        Wrong("something else", "5", "Not 5"),
        Wrong("a word", "'six'", "A number is asked for"),
    ),
    "02 local": (
        Right("7 and 5", "7, 5"),
        Right("as floats", "7.0, 5.0"),
        Wrong("own values", "5, 7", "its own value"),
        Wrong("of a sum", "1, 1", "slopes of a sum"),
        Wrong("the product", "35, 35", "35 is the value"),
        Wrong("one for both", "7, 7", "From y it is not 7"),
        Wrong("the sum", "12, 5", "From x it is not 12"),
    ),
    "02 step": (
        step("by slope", "x - rate * slope(f, x)"),
        step("by hand", "x - rate * (f(x + 0.001) - f(x - 0.001)) / 0.002"),
        step("nudged one way", "x - rate * (f(x + 0.001) - f(x)) / 0.001"),
        step("other names", "def step(g, a, lr):\n    return a + -lr * slope(g, a, 1e-4)"),
        step("uphill", "x + rate * slope(f, x)", "It goes uphill"),
        step("without the rate", "x - slope(f, x)", "as far as the whole slope"),
        step("without the slope", "x - rate", "whatever the slope is"),
        step("the slope", "slope(f, x)", "This is the slope"),
        step("how far", "rate * slope(f, x)", "how far the step goes"),
        step("how far, with its sign", "-rate * slope(f, x)", "how far the step goes"),
        step("the height", "f(x - rate * slope(f, x))", "not the height"),
        step("goes by the height", "x - rate * f(x)", "f(x) is the height"),
        step("x alone", "x", "It stays where it is"),
        step("the constant", "-0.2", "use the f, x and rate that come in"),
        step("the rate is fixed", "x - 0.1 * slope(f, x)", "step(f, 2, 0.4) gives -0.2"),
        step("the lesson's f", "x - rate * (6 * x + 10)", "use the f, x and rate that come in"),
        step("printed", "def step(f, x, rate):\n    print(x - rate * slope(f, x))", "prints its result and returns nothing"),
        step("no return", "def step(f, x, rate):\n    x = x - rate * slope(f, x)", "computes something and returns nothing"),
        step("one argument too few", "def step(f, x):\n    return x - 0.1 * slope(f, x)", "hands over 3 argument"),
        Wrong("a number", "-0.2", "A function is asked for"),
    ),
    "02 lowest": (
        lowest("a loop", LOWEST),
        lowest("with break", STEP + "\n\n\ndef lowest(f, x, rate):\n    while True:\n        if -0.001 < slope(f, x) < 0.001:\n            return x\n        x = step(f, x, rate)"),
        lowest("recursion", STEP + "\n\n\ndef lowest(f, x, rate):\n    return x if abs(slope(f, x)) < 0.001 else lowest(f, step(f, x, rate), rate)"),
        lowest("nudged one way", "def lowest(f, x, rate):\n    while True:\n        s = (f(x + 1e-4) - f(x)) / 1e-4\n        if abs(s) < 0.001:\n            return x\n        x = x - rate * s"),
        lowest("a smaller limit", "> 0.001", by="> 0.000001"),
        lowest("step first", STEP + "\n\n\ndef lowest(f, x, rate):\n    while True:\n        x = step(f, x, rate)\n        if abs(slope(f, x)) < 0.001:\n            return x"),
        lowest("without abs", "abs(slope(f, x)) > 0.001", "compare with abs", by="slope(f, x) > 0.001"),
        lowest("a fixed number of steps", "while abs(slope(f, x)) > 0.001:", "a fixed number of steps", by="for _ in range(100):"),
        lowest("a thousand steps", "while abs(slope(f, x)) > 0.001:", "no step is needed", by="for _ in range(1000):"),
        lowest("ten thousand steps", "while abs(slope(f, x)) > 0.001:", "no step is needed", by="for _ in range(10000):"),
        lowest("until the slope is 0", "abs(slope(f, x)) > 0.001", "Do not wait for exactly 0", by="slope(f, x) != 0"),
        lowest("the lowest of many places", "def lowest(f, x, rate):\n    return min([i / 1000 for i in range(-5000, 5000)], key=f)", "the other valley"),
        lowest("the lowest place close to x", "def lowest(f, x, rate):\n    return min([x + i / 1000 for i in range(-7000, 7000)], key=f)", "the other valley"),
        lowest("one step", "while abs(slope(f, x)) > 0.001:", "Go on until", by="if abs(slope(f, x)) > 0.001:"),
        lowest("return in the loop", "        x = step(f, x, rate)\n    return x", "Go on until", by="        x = step(f, x, rate)\n        return x\n    return x"),
        lowest("uphill", "x - rate", "It runs away", by="x + rate"),
        lowest("the height", LOWEST[: -len("return x")] + "return f(x)", "the height of the lowest point"),
        lowest("x does not move", "        x = step", "Does a loop never end?", by="        y = step"),
        lowest("the new place is not kept", "        x = step", "x = step(f, x, rate) goes there", by="        step"),
        lowest("until the step is small", "while abs(slope(f, x)) > 0.001:", "is the step small and not the slope", by="while abs(rate * slope(f, x)) > 0.001:"),
        lowest("the constant", "def lowest(f, x, rate):\n    return -5 / 3", "Use the f that comes in"),
        lowest("printed", LOWEST[: -len("return x")] + "print(x)", "prints its result and returns nothing"),
        lowest("no return", LOWEST[: -len("    return x")].rstrip(), "computes something and returns nothing"),
        lowest("one argument too few", "def lowest(f, x):\n    return x", "hands over 3 argument"),
    ),
}  # fmt: skip
