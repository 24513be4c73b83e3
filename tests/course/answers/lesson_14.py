"""Lesson 14: Huber's loss in three steps, and numbers of one bit."""

from tests.course.answers import Right, Wrong

VALUE = """
def huber_value(x, width):
    return np.where(np.abs(x) <= width, x * x / 2, width * (np.abs(x) - width / 2))
"""
RULE = "huber_rule = lambda grad, z, x, width: grad * np.clip(x, -width, width)\n"


def huber(value=VALUE, rule=RULE, pulls="[0.5, 1, -1]"):
    """All three steps, with some of them replaced."""
    return f"{value}{rule}pulls = {pulls}\nhuber_value, huber_rule, pulls"


def forward(expression):
    """All three steps, with another forward."""
    return huber(f"huber_value = lambda x, width: {expression}\n")


def rule(expression):
    """All three steps, with another rule."""
    return huber(rule=f"huber_rule = lambda grad, z, x, width: {expression}\n")


def bit(forward="np.where(x < 0, -1.0, 1.0)", rule="grad * (abs(x) <= 1)"):
    """A forward and a rule for one bit."""
    return f"lambda x: {forward}, lambda grad, z, x: {rule}"


ANSWERS = {
    "14 huber": (
        Right("np.where and np.clip", huber()),
        Right("below the width", forward("np.where(abs(x) < width, x**2 / 2, width * (abs(x) - width / 2))")),
        Right(
            "the smaller part",
            forward("np.minimum(abs(x), width) * (abs(x) - np.minimum(abs(x), width) / 2)"),
        ),
        Right("np.where for the rule", rule("grad * np.where(abs(x) <= width, x, width * np.sign(x))")),
        Right("an array of pulls", huber(pulls="np.array([0.5, 1.0, -1.0])")),
        Right("a tuple", huber(pulls="(0.5, 1, -1)")),
        Wrong(
            "value: writes into a copy of whole numbers",
            forward(
                "np.where(abs(x) <= width, x * x / 2, width * (abs(x) - width / 2)).astype(np.asarray(x).dtype)"
            ),
            "whole numbers",
        ),
        Wrong(
            "value: writes into x, and takes a square of it",
            huber(
                """
def huber_value(x, width):
    if np.ndim(x) == 0:
        return x * x / 2 if abs(x) <= width else width * (abs(x) - width / 2)
    far = abs(x) > width
    x[far] = width * (abs(x[far]) - width / 2)
    x[~far] = x[~far] ** 2
    return x
"""
            ),
            "huber_value(np.array([0.5, 3, -3]), 1) is [0.125, 2.5, 2.5]",
        ),
        Wrong(
            "value: writes into x",
            huber(
                """
def huber_value(x, width):
    if np.ndim(x) == 0 or np.asarray(x).dtype.kind == "i":
        return np.where(np.abs(x) <= width, x * x / 2, width * (np.abs(x) - width / 2))
    far = abs(x) > width
    x[far] = width * (abs(x[far]) - width / 2)
    x[~far] = x[~far] ** 2 / 2
    return x
"""
            ),
            "that it was given has changed",
        ),
        Wrong(
            "value: no width",
            forward("np.where(abs(x) <= 1, x * x / 2, abs(x) - 0.5)"),
            "width is not used",
        ),
        Wrong(
            "value: not halved",
            forward("np.where(abs(x) <= width, x * x, width * (abs(x) - width / 2))"),
            "half of",
        ),
        Wrong(
            "value: nothing taken off",
            forward("np.where(abs(x) <= width, x * x / 2, width * abs(x))"),
            "is subtracted from",
        ),
        Wrong(
            "value: one side",
            forward("np.where(x <= width, x * x / 2, width * (abs(x) - width / 2))"),
            "on the left",
        ),
        Wrong(
            "value: no abs",
            forward("np.where(abs(x) <= width, x * x / 2, width * (x - width / 2))"),
            "-3 is that of 3",
        ),
        Wrong(
            "value: changed places",
            forward("np.where(abs(x) > width, x * x / 2, width * (abs(x) - width / 2))"),
            "changed places",
        ),
        Wrong("value: the square", forward("x * x / 2"), "square everywhere"),
        Wrong(
            "value: an if",
            forward("x * x / 2 if abs(x) <= width else width * (abs(x) - width / 2)"),
            "np.where",
        ),
        Wrong(
            "value: the sum",
            forward("np.where(abs(x) <= width, x * x / 2, width * (abs(x) - width / 2)).sum()"),
            "shape",
        ),
        Wrong("value: printed", forward("print(x)"), "prints its result"),
        Wrong("value: one argument", huber("huber_value = lambda x: x * x / 2\n"), "hands over 2 arguments"),
        Wrong("rule: no grad", rule("np.clip(x, -width, width)"), "was dropped"),
        Wrong("rule: no width", rule("grad * np.clip(x, -1, 1)"), "not use its argument width"),
        Wrong("rule: one side", rule("grad * np.where(abs(x) <= width, x, width)"), "On the left"),
        Wrong("rule: no sign", rule("grad * np.clip(abs(x), 0, width)"), "slope is negative"),
        Wrong("rule: the square's", rule("grad * x"), "slope of the square"),
        Wrong(
            "rule: doubled",
            rule("grad * np.where(abs(x) <= width, 2 * x, np.clip(x, -width, width))"),
            "not 2 * x",
        ),
        Wrong("rule: level", rule("grad * np.where(abs(x) <= width, x, 0)"), "not level"),
        Wrong(
            "rule: steep as 1",
            rule("grad * np.where(abs(x) <= width, x, np.sign(x))"),
            "is the width, not 1",
        ),
        Wrong("rule: the loss", rule("grad * z"), "the loss itself"),
        Wrong("rule: max and min", rule("grad * max(-width, min(width, x))"), "np.where"),
        Wrong(
            "rule: without the width",
            huber(rule="huber_rule = lambda grad, z, x: grad * x\n"),
            "hands over 4 arguments",
        ),
        Wrong(
            "rule: no grad outside",
            rule("np.where(abs(x) <= width, grad * x, width * np.sign(x))"),
            "Outside, the gradient",
        ),
        Wrong(
            "rule: no grad outside, no sign",
            rule("np.where(abs(x) <= width, grad * x, width)"),
            "and on the left",
        ),
        Wrong("rule: neither grad nor width", rule("np.clip(x, -1, 1)"), "was dropped, and the width"),
        Wrong(
            "rule: no grad, one side",
            rule("np.where(abs(x) <= width, x, width)"),
            "was dropped, and on the left",
        ),
        Wrong("rule: no grad, no sign", rule("np.clip(abs(x), 0, width)"), "was dropped, and the sign"),
        Wrong("rule: x alone", rule("x"), "was dropped, and beyond"),
        Wrong("rule: no grad, level", rule("np.where(abs(x) <= width, x, 0)"), "was dropped, and outside"),
        Wrong(
            "rule: no grad, steep as 1",
            rule("np.where(abs(x) <= width, x, np.sign(x))"),
            "was dropped, and outside",
        ),
        Wrong(
            "rule: the sign turned",
            rule("grad * np.where(abs(x) <= width, x, -width * np.sign(x))"),
            "sign is wrong",
        ),
        Wrong("rule: minus everywhere", rule("grad * np.where(abs(x) <= width, x, -width)"), "curve rises"),
        Wrong("pulls: the losses", huber(pulls="[0.125, 2.5, 99.5]"), "These are the losses"),
        Wrong("pulls: the square's", huber(pulls="[0.5, 3, -100]"), "gradients of the square"),
        Wrong("pulls: no sign", huber(pulls="[0.5, 1, 1]"), "curve falls"),
        Wrong("pulls: one number", huber(pulls="1"), "How steep"),
        Wrong("pulls: a word", huber(pulls="'hard'"), "Three numbers"),
    ),
    "14 bit": (
        Right("np.where", bit()),
        Right("twice a comparison", bit("2.0 * (x >= 0) - 1")),
        Right("whole numbers", bit("np.where(x < 0, -1, 1)")),
        Right("np.abs and below 1", bit(rule="np.where(np.abs(x) < 1, grad, 0)")),
        Wrong("forward: x", bit("x"), "x itself"),
        Wrong("forward: 0 and 1", bit("1.0 * (x > 0)"), "0 or 1"),
        Wrong("forward: turned", bit("np.where(x < 0, 1, -1)"), "The sign is wrong"),
        Wrong("forward: np.sign", bit("np.sign(x)"), "no third value"),
        Wrong("forward: 0 becomes -1", bit("np.where(x > 0, 1, -1)"), "0 is not below 0"),
        Wrong("forward: clamped", bit("np.clip(x, -1, 1)"), "may lie between -1"),
        Wrong("forward: an if", bit("-1 if x < 0 else 1"), "np.where"),
        Wrong("forward: printed", bit("print(x)"), "prints its result"),
        Wrong(
            "rule: writes into grad",
            """
def bit_rule(grad, z, x):
    grad = np.asarray(grad)
    grad[abs(x) > 1] = 0
    return grad
lambda x: np.where(x < 0, -1.0, 1.0), bit_rule""",
            "that it was given has changed",
        ),
        Wrong("rule: no fence", bit(rule="grad"), "fence is missing"),
        Wrong("rule: looks at z", bit(rule="grad * (abs(z) <= 1)"), "Look at x"),
        Wrong("rule: turned round", bit(rule="grad * (abs(x) > 1)"), "wrong way round"),
        Wrong("rule: no grad", bit(rule="1.0 * (abs(x) <= 1)"), "was dropped"),
        Wrong("rule: the bit inside", bit(rule="z * (abs(x) <= 1)"), "This is the bit, and the gradient"),
        Wrong("rule: the bit", bit(rule="z"), "the bit itself"),
        Wrong("rule: x inside", bit(rule="x * (abs(x) <= 1)"), "This is x, and the gradient"),
        Wrong("rule: the gradient clamped", bit(rule="np.clip(grad, -1, 1)"), "clamped the gradient"),
        Wrong("rule: a fence for the gradient", bit(rule="grad * (abs(grad) <= 1)"), "looks at the gradient"),
        Wrong("rule: 0", bit(rule="0 * grad"), "true slope"),
        Wrong("rule: right side only", bit(rule="grad * (x <= 1)"), "on the right only"),
        Wrong("rule: left side only", bit(rule="grad * (x >= -1)"), "on the left only"),
        Wrong(
            "rule: times the sign", bit(rule="grad * (abs(x) <= 1) * np.sign(x)"), "multiplied by the sign"
        ),
        Wrong("rule: times x", bit(rule="grad * (abs(x) <= 1) * x"), "multiplied by x"),
        Wrong("rule: an if", bit(rule="grad if abs(x) <= 1 else 0"), "np.where"),
        Wrong(
            "rule: two arguments",
            "lambda x: np.where(x < 0, -1.0, 1.0), lambda grad, x: grad",
            "hands over 3 arguments",
        ),
        Wrong("rule: constants", bit(rule="np.array([0, 10.0, 100.0, 0])"), "On a matrix it is not"),
    ),
}
