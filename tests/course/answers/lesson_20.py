"""Answers to the exercises of lesson 20."""

from . import Right, Wrong


def function(head, *lines):
    """A function with these lines."""
    name = head.partition("(")[0]
    return "\n    ".join([f"def {head}:", *lines]) + f"\n\n{name}"


def nesterov(*lines):
    """A rule with these lines."""
    return function("nesterov(grad, memory, keep=0.9)", *lines)


def change(*lines):
    """A change of the gradient with these lines, and a function for the gradient at a place."""
    at = function("at(f, place)", "t = Tensor(place)", "backward(f(t))", "return t.grad")
    return at.removesuffix("at") + function("gradient_change(f, w, direction)", *lines)


V = 'v = memory["v"] = keep * memory.get("v", 0) + grad'
NUDGE = "up, down = at(f, w + 0.001 * direction), at(f, w - 0.001 * direction)"
CHANGE = change(NUDGE, "return (up - down) / 0.002").removesuffix("gradient_change")
START = "d = np.random.default_rng(0).normal(size=w.shape)"
LOOP = "for _ in range(100):", "    c = gradient_change(f, w, d); n = np.linalg.norm(c); d = c / n"


def largest(*lines):
    """A largest rate with these lines, and a change of the gradient that is right."""
    return CHANGE + function("largest_rate(f, w)", *lines)


ANSWERS = {
    "20 limit": (
        Right("0.02", "0.02"),
        Right("a fraction", "2 / 100"),
        Wrong("at once", "0.01", "arrives at once"),
        Wrong("the one of the picture", "0.019", "still comes nearer"),
        Wrong("above", "0.021", "grows already"),
        Wrong("that of x", "2", "limit along x"),
        Wrong("nothing", "0", "nothing moves"),
        Wrong("0.1", "0.1", "-9"),
        Wrong("0.2", "0.2", "-19"),
        Wrong("turned round", "50", "1 divided by"),
        Wrong("something else", "0.5", "Put your rate into"),
        Wrong("a word", "'small'", "A number is asked for"),
    ),
    "20 first": (
        Right("4.9", "4.9"),
        Right("computed", "5 - 0.1 * adam(200.0, {})"),
        Wrong("sgd", "-15", "the step of sgd"),
        Wrong("m alone", "3", "That is m alone"),
        Wrong("no correction", "5 - 0.1 * 20 / 40**0.5", "without the correction"),
        Wrong("m not corrected", "4.99", "Divide m, too"),
        Wrong("v not corrected", "5 - 0.1 * 200 / 40**0.5", "Divide v, too"),
        Wrong("uphill", "5.1", "uphill"),
        Wrong("no rate", "4", "The step is the rate times that"),
        Wrong("the step", "0.1", "Where does it arrive"),
        Wrong("something else", "7", "Write down m and v"),
    ),
    "20 nesterov": (
        Right("two lines", nesterov(V, "return grad + keep * v")),
        Right(
            "another name",
            nesterov('memory["u"] = memory.get("u", 0) * keep + grad', 'return grad + keep * memory["u"]'),
        ),
        Wrong("momentum", nesterov(V, "return v"), "That is momentum"),
        Wrong(
            "the old velocity",
            nesterov('old = memory.get("v", 0)', V, "return grad + keep * old"),
            "with the old velocity",
        ),
        Wrong("sgd", nesterov("return grad"), "the gradient alone"),
        Wrong("all of v", nesterov(V, "return grad + v"), "not all of v"),
        Wrong("no gradient", nesterov(V, "return keep * v"), "gradient itself is missing"),
        Wrong("nothing kept", nesterov("return grad + keep * grad"), "Nothing is kept"),
        Wrong(
            "a running mean",
            nesterov(
                'v = memory["v"] = keep * memory.get("v", 0) + (1 - keep) * grad', "return grad + keep * v"
            ),
            "1 - keep",
        ),
        Wrong(
            "never fades",
            nesterov('v = memory["v"] = memory.get("v", 0) + grad', "return grad + keep * v"),
            "multiplied by keep",
        ),
        Wrong(
            "0.9 written in",
            nesterov('v = memory["v"] = 0.9 * memory.get("v", 0) + grad', "return grad + 0.9 * v"),
            "keep is an argument",
        ),
        Wrong(
            "changes the gradient",
            nesterov(
                'if "v" not in memory:',
                '    memory["v"] = grad',
                "else:",
                '    memory["v"] *= keep',
                '    memory["v"] += grad',
                'return grad + keep * memory["v"]',
            ),
            "The gradient itself was changed",
        ),
        Wrong(
            "no first step",
            nesterov('v = memory["v"] = keep * memory["v"] + grad', "return grad + keep * v"),
            "memory.get('v', 0)",
        ),
        Wrong("prints", nesterov(V, "print(grad + keep * v)"), "prints its result"),
        Wrong("one argument too few", function("nesterov(grad)", "return grad"), "your function takes 1"),
    ),
    "20 change": (
        Right("both ways", change(NUDGE, "return (up - down) / 0.002")),
        Right(
            "by a walk",
            change(
                "t = Tensor(w)",
                "s = gradients(f(t), Tensor(1.0))[t]",
                "return gradients((s * direction).sum())[t]",
            ),
        ),
        Wrong("one way", change("return (at(f, w + 0.001 * direction) - at(f, w)) / 0.001"), "one side only"),
        Wrong(
            "the other way",
            change("return (at(f, w) - at(f, w - 0.001 * direction)) / 0.001"),
            "one side only",
        ),
        Wrong("half", change(NUDGE, "return (up - down) / 0.001"), "0.002 apart"),
        Wrong("not divided", change(NUDGE, "return up - down"), "Divide it by"),
        Wrong("the sign", change(NUDGE, "return (down - up) / 0.002"), "The sign is wrong"),
        Wrong("the gradient", change("return at(f, w)"), "That is the gradient at w"),
        Wrong("a number", change(NUDGE, "return direction @ (up - down) / 0.002"), "That is one number"),
        Wrong(
            "changes w",
            change(
                "up = at(f, w + 0.001 * direction)",
                "w -= 0.001 * direction",
                "return (up - at(f, w)) / 0.002",
            ),
            "the array w was changed",
        ),
        Wrong("prints", change(NUDGE, "print((up - down) / 0.002)"), "prints its result"),
        Wrong(
            "without the direction", function("gradient_change(f, w)", "return w"), "your function takes 2"
        ),
    ),
    "20 largest": (
        Right("a loop", largest(START, *LOOP, "return 2 / n")),
        Right(
            "all directions",
            largest(
                "m = [gradient_change(f, w, e) for e in np.eye(len(w))]",
                "return 2 / np.linalg.eigvalsh(np.array(m))[-1]",
            ),
        ),
        Wrong("the curvature", largest(START, *LOOP, "return n"), "That is the curvature"),
        Wrong("1 for 2", largest(START, *LOOP, "return 1 / n"), "The limit is 2"),
        Wrong("the fraction", largest(START, *LOOP, "return n / 2"), "Turn the fraction"),
        Wrong(
            "three rounds",
            largest(START, LOOP[0].replace("100", "3"), LOOP[1], "return 2 / n"),
            "Does the loop run 100 times?",
        ),
        Wrong(
            "begins with ones", largest("d = np.ones(len(w))", *LOOP, "return 2 / n"), "gentlest direction"
        ),
        Wrong(
            "the length of the direction",
            largest(START, *LOOP, "return 2 / np.linalg.norm(d)"),
            "before you divide by it",
        ),
        Wrong(
            "always the gentle direction",
            largest("d = np.eye(len(w))[0]", *LOOP, "return 2 / n"),
            "gentlest direction",
        ),
        Wrong(
            "along the axes",
            largest("return min(2 / np.linalg.norm(gradient_change(f, w, d) * d) for d in np.eye(len(w)))"),
            "limit along the axes",
        ),
        Wrong("the constant of the bowl", largest("return 0.02"), "The largest curvature"),
        Wrong("without end", largest(START, "while True:", "    d = d / 1"), "was stopped"),
        Wrong("prints", largest(START, *LOOP, "print(2 / n)"), "prints its result"),
    ),
}
