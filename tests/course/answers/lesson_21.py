"""Answers to the exercises of lesson 21."""

from . import Right, Wrong


def function(head, *lines):
    """A function with these lines."""
    name = head.partition("(")[0]
    return "\n    ".join([f"def {head}:", *lines]) + f"\n\n{name}"


def length(line):
    """A length with this line."""
    return function("length(tensors)", line)


SUM = "sum(np.sum(p.grad**2) for p in tensors if p.grad is not None)"
LENGTH = length(f"return {SUM} ** 0.5").removesuffix("length")
SCALE = "    if p.grad is not None:", "        p.grad = p.grad * factor"


def clip(*lines):
    """A clip with these lines, and a length that is right."""
    return LENGTH + function("clip(tensors, most)", "n = length(tensors)", *lines)


def plateau(*lines):
    """A schedule with these lines."""
    return function("plateau(t, steps, warm, cool)", *lines)


ALL = "for p in tensors:"
ROWS = "[p for p in tensors if p.grad is not None]"

ANSWERS = {
    "21 noise": (
        Right("half", "0.056 / 2"),
        Right("rounded", "0.03"),
        Right("by the formulas", "12.5 * 0.002 / (2 - 0.002) + 12.5 * 0.002 / (2 - 0.2)"),
        Right("twice that along x", "2 * 6.25 * 0.002"),
        Wrong("the same", "0.056", "the same height"),
        Wrong("twice", "0.112", "throws less far"),
        Wrong("a quarter", "0.014", "not to its square"),
        Wrong("x alone", "6.25 * 0.002", "along x alone"),
        Wrong("something else", "1", "about in proportion to the rate"),
    ),
    "21 length": (
        Right("one root", length(f"return {SUM} ** 0.5")),
        Right(
            "of one array", length(f"return np.linalg.norm(np.concatenate([p.grad.ravel() for p in {ROWS}]))")
        ),
        Wrong("no root", length(f"return {SUM}"), "Take its root"),
        Wrong(
            "lengths added",
            length(f"return sum(np.linalg.norm(p.grad) for p in {ROWS})"),
            "lengths were added",
        ),
        Wrong("the first only", length("return np.linalg.norm(tensors[0].grad)"), "first Tensor's gradient"),
        Wrong(
            "the largest element",
            length(f"return max(np.abs(p.grad).max() for p in {ROWS})"),
            "largest element",
        ),
        Wrong(
            "the longest",
            length(f"return max(np.linalg.norm(p.grad) for p in {ROWS})"),
            "which is also the longest",
        ),
        Wrong("5, as in the first case", length("return 5"), "should be 7"),
        Wrong("sizes", length(f"return sum(np.abs(p.grad).sum() for p in {ROWS})"), "not their sizes"),
        Wrong(
            "None counts", length("return sum(np.sum(p.grad**2) for p in tensors) ** 0.5"), "Leave out a grad"
        ),
        Wrong(
            "different shapes in one array",
            length(f"return np.linalg.norm(np.concatenate([p.grad for p in {ROWS}]))"),
            "squares of each one first",
        ),
        Wrong(
            "asks whether an array is true",
            length("return sum(np.sum(p.grad**2) for p in tensors if p.grad) ** 0.5"),
            "p.grad is not None",
        ),
        Wrong("prints", length(f"print({SUM} ** 0.5)"), "prints its result"),
    ),
    "21 clip": (
        Right(
            "a factor",
            clip("if n > most:", f"    for p in {ROWS}:", "        p.grad = p.grad * (most / n)", "return n"),
        ),
        Right("at most 1", clip("factor = min(1.0, most / n) if n else 1.0", ALL, *SCALE, "return n")),
        Right(
            "with 1e-6, as in PyTorch",
            clip("factor = min(1.0, most / (n + 1e-12))", ALL, *SCALE, "return n"),
        ),
        Wrong(
            "each element",
            clip(f"for p in {ROWS}:", "    p.grad = np.clip(p.grad, -most, most)", "return n"),
            "changes the direction",
        ),
        Wrong(
            "each Tensor by itself",
            clip(
                f"for p in {ROWS}:",
                "    p.grad = p.grad * min(1, most / (np.linalg.norm(p.grad) or 1))",
                "return n",
            ),
            "the same factor",
        ),
        Wrong("longer, too", clip("factor = most / n", ALL, *SCALE, "return n"), "made longer"),
        Wrong(
            "to 1",
            clip(
                "factor = 1 / n",
                "if n > most:",
                "    for p in tensors:",
                "        p.grad = p.grad * factor",
                "return n",
            ),
            "Multiply by most",
        ),
        Wrong(
            "return inside the if",
            clip("if n > most:", f"    for p in {ROWS}:", "        p.grad = p.grad * (most / n)", "    return n"),
            "is the return inside the if?",
        ),
        Wrong(
            "the package's",
            function("clip(tensors, most)", "return ad.nn.utils.clip_grad_norm_(tensors, most)"),
            "Write it yourself",
        ),
        Wrong("returns nothing", clip("factor = min(1.0, most / (n or 1))", ALL, *SCALE), "returns nothing"),
        Wrong(
            "the length after",
            clip("factor = min(1.0, most / (n or 1))", ALL, *SCALE, "return length(tensors)"),
            "had before",
        ),
        Wrong(
            "in place",
            clip(
                "factor = min(1.0, most / (n or 1))", f"for p in {ROWS}:", "    p.grad *= factor", "return n"
            ),
            "Make new ones",
        ),
        Wrong("does nothing", clip("return n"), "have not changed"),
        Wrong(
            "a grad that is None",
            clip("factor = min(1.0, most / (n or 1))", ALL, "    p.grad = p.grad * factor", "return n"),
            "Leave out a grad that is None",
        ),
        Wrong(
            "divides by a length of 0",
            clip("factor = min(1, most / float(n))", ALL, *SCALE, "return n"),
            "All gradients are 0 here",
        ),
        Wrong(
            "divides by a wrong length of 0",
            clip("factor = min(1, most / float(n - 5))", ALL, *SCALE, "return n"),
            "ZeroDivisionError",
        ),
        Wrong("one argument too few", function("clip(tensors)", "return 1"), "your function takes 1"),
    ),
    "21 plateau": (
        Right("the least", plateau("return min((t + 1) / warm, 1, (steps - t) / cool)")),
        Right(
            "three cases",
            plateau(
                "if t < warm:",
                "    return (t + 1) / warm",
                "return 1.0 if t < steps - cool else (steps - t) / cool",
            ),
        ),
        Wrong("begins at 0", plateau("return min(t / warm, 1, (steps - t) / cool)"), "Begin with 1 / warm"),
        Wrong("no way down", plateau("return min((t + 1) / warm, 1)"), "The way down is missing"),
        Wrong("no warm-up", plateau("return min(1, (steps - t) / cool)"), "warm-up is missing"),
        Wrong("no plateau", plateau("return min((t + 1) / warm, (steps - t) / cool)"), "above 1"),
        Wrong(
            "falls at once",
            plateau("return min((t + 1) / warm, 1, (steps - t) / (steps - warm))"),
            "stays at 1 until",
        ),
        Wrong(
            "one early", plateau("return min((t + 1) / warm, 1, (steps - t - 1) / cool)"), "one step early"
        ),
        Wrong(
            "falls from step cool on",
            plateau(
                "if t < warm:",
                "    return (t + 1) / warm",
                "if t < cool:",
                "    return 1",
                "return (steps - t) / cool",
            ),
            "not at step `cool`",
        ),
        Wrong(
            "multiplied", plateau("return (t + 1) / warm * (steps - t) / cool"), "Nothing may exceed 1"
        ),
        Wrong(
            "the way down turned round",
            plateau(
                "if t < warm:",
                "    return (t + 1) / warm",
                "return 1.0 if t < steps - cool else (t - steps) / cool",
            ),
            "turned round",
        ),
        Wrong(
            "turned round in the least of three",
            plateau("return min((t + 1) / warm, 1, (t - steps) / cool)"),
            "turned round",
        ),
        Wrong(
            "the numbers of the task",
            plateau("return [0.5, 1, 1, 1, 1, 1, 2 / 3, 1 / 3, 0][t]"),
            "Other steps, warm and cool are tried",
        ),
        Wrong("constant", plateau("return 1.0"), "1 all the time"),
        Wrong("prints", plateau("print(min((t + 1) / warm, 1, (steps - t) / cool))"), "prints its result"),
        Wrong(
            "a missing else",
            plateau(
                "if t < warm:",
                "    return (t + 1) / warm",
                "if t >= steps - cool:",
                "    return (steps - t) / cool",
            ),
            "has no `return`",
        ),
    ),
}
