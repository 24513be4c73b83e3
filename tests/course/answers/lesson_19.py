"""Answers to the exercises of lesson 19."""

from . import Right, Wrong


def function(head, *lines):
    """A function with these lines."""
    name = head.partition("(")[0]
    return "\n    ".join([f"def {head}:", *lines]) + f"\n\n{name}"


def softplus(*lines):
    """A softplus with these lines."""
    return function("softplus(x)", *lines)


SAFE = "m = np.maximum(x.data, 0)", "return m + log(np.exp(-m) + exp(x - m))"
BY_RELU = "return relu(x) + log(1 + exp(-(relu(x) + relu(-x))))"


def yes_no(line, *more):
    """A loss with this line, and a softplus that is right."""
    return softplus(*SAFE).removesuffix("softplus") + function("yes_no(logits, targets)", *more, line)


def gradient(*lines):
    """A gradient with these lines."""
    return function("score_gradient(scores, targets, T)", *lines)


ONE_HOT = "one_hot = np.eye(scores.shape[1])[targets]"

ANSWERS = {
    "19 sure": (
        Right("1000", "1000"),
        Right("a Tensor", "Tensor(1000.0)"),
        Wrong("inf", "math.inf", "not 0"),
        Wrong("nan", "math.nan", "not 0"),
        Wrong("no minus", "-1000", "minus that"),
        Wrong("a distance", "1", "can be larger"),
        Wrong("for the other class", "0", "if the second class"),
        Wrong("equal scores", "math.log(2)", "two equal scores"),
        Wrong("log of 1000", "math.log(1000)", "is not 1/1000"),
        Wrong("base 10", "434.294", "to base 10"),
        Wrong("the library's floor", "100", "A floor of -100"),
        Wrong("the floor", "27.631", "A floor of 1e-12"),
        Wrong("something else", "500", "What does log make of"),
        Wrong("a word", "'much'", "A number is asked for"),
    ),
    "19 softplus": (
        Right("the larger one out", softplus(*SAFE)),
        Right("by relu, in both places", softplus("m = relu(x)", "return m + log(exp(-m) + exp(x - m))")),
        Right(
            "an operation",
            "made = operation('sp', lambda x: np.logaddexp(0, x), lambda g, z, x: g * sigmoid(x))\nmade",
        ),
        Wrong("the formula", softplus("return log(1 + exp(x))"), "Take the larger of 0 and x out"),
        Wrong("by relu, and wrong at 0", softplus(BY_RELU), "slope 0 at 0"),
        Wrong("NumPy's exp", softplus("return log(1 + np.exp(x))"), "such as np.exp, does not take a Tensor"),
        Wrong("exp as a method", softplus("return log(1 + x.exp())"), "exp is a function of your machine"),
        Wrong("the numbers only", softplus("return np.logaddexp(0, x.data)"), "not a Tensor"),
        Wrong("a new Tensor", softplus("return Tensor(np.logaddexp(0, x.data))"), "its gradient is not"),
        Wrong("relu", softplus("return relu(x)"), "The logarithm is still to come"),
        Wrong("not put back", softplus(SAFE[0], "return log(np.exp(-m) + exp(x - m))"), "add it back"),
        Wrong(
            "one for all",
            softplus("m = np.max(x.data)", "return m + log(np.exp(-m) + exp(x - m).sum())"),
            "the shape ()",
        ),
        Wrong(
            "the sign",
            softplus("m = np.maximum(-x.data, 0)", "return m + log(np.exp(-m) + exp(-x - m))"),
            "sign of x",
        ),
        Wrong("the sigmoid", softplus("return sigmoid(x)"), "the slope of softplus"),
        Wrong("prints", softplus(SAFE[0], "print(m + log(np.exp(-m) + exp(x - m)))"), "prints its result"),
    ),
    "19 yesno": (
        Right("by softplus", yes_no("return (softplus(logits) - targets * logits).mean()")),
        Right(
            "by both signs",
            yes_no("return (targets * softplus(-logits) + (1 - targets) * softplus(logits)).mean()"),
        ),
        Wrong("a sum", yes_no("return (softplus(logits) - targets * logits).sum()"), "The mean is asked for"),
        Wrong("no mean", yes_no("return softplus(logits) - targets * logits"), "a single number"),
        Wrong(
            "changed places",
            yes_no("return (softplus(logits) - (1 - targets) * logits).mean()"),
            "changed places",
        ),
        Wrong(
            "x for no as well", yes_no("return (softplus(logits) - logits).mean()"), "The score of a no is 0"
        ),
        Wrong(
            "the targets", yes_no("return (softplus(logits) - targets).mean()"), "not the targets themselves"
        ),
        Wrong("nothing subtracted", yes_no("return softplus(logits).mean()"), "still to be subtracted"),
        Wrong("added", yes_no("return (softplus(logits) + targets * logits).mean()"), "Subtract the score"),
        Wrong("only yes", yes_no("return (targets * softplus(-logits)).mean()"), "A no can be wrong"),
        Wrong("only no", yes_no("return ((1 - targets) * softplus(logits)).mean()"), "Where yes is right"),
        Wrong("squares", yes_no("return ((sigmoid(logits) - targets) ** 2).mean()"), "squared error"),
        Wrong(
            "by probabilities",
            yes_no("return -(targets * log(p) + (1 - targets) * log(1 - p)).mean()", "p = sigmoid(logits)"),
            "the logarithm of 0",
        ),
        Wrong(
            "the numbers only",
            yes_no("return np.mean(softplus(logits).data - targets * logits.data)"),
            "not a Tensor",
        ),
        Wrong(
            "one argument too few",
            function("yes_no(logits)", "return logits.mean()"),
            "your function takes 1",
        ),
    ),
    "19 temperature": (
        Right(
            "by one's softmax", gradient(ONE_HOT, "return (softmax(scores / T) - one_hot) / T / len(scores)")
        ),
        Right(
            "in place of a copy",
            gradient(
                "p = softmax(scores / T)", "p[np.arange(len(p)), targets] -= 1", "return p / (T * len(p))"
            ),
        ),
        Wrong(
            "by a walk",
            gradient(
                "s = Tensor(scores)", "backward(softmax_cross_entropy(s / T, targets))", "return s.grad"
            ),
            "It uses backward",
        ),
        Wrong(
            "by the package",
            gradient(
                "s = ad.Tensor(scores)",
                "ad.nn.cross_entropy(s / T, targets).backward()",
                "return s.grad.data",
            ),
            "yourself",
        ),
        Wrong(
            "three columns",
            gradient("return (softmax(scores / T) - np.eye(3)[targets]) / T / len(scores)"),
            "Not every table has three columns",
        ),
        Wrong(
            "no 1/T",
            gradient(ONE_HOT, "return (softmax(scores / T) - one_hot) / len(scores)"),
            "1/T is missing",
        ),
        Wrong(
            "times T",
            gradient(ONE_HOT, "return (softmax(scores / T) - one_hot) * T / len(scores)"),
            "multiply by T",
        ),
        Wrong("no mean", gradient(ONE_HOT, "return (softmax(scores / T) - one_hot) / T"), "number of rows"),
        Wrong(
            "no softmax",
            gradient(ONE_HOT, "return (scores / T - one_hot) / T / len(scores)"),
            "softmax was left out",
        ),
        Wrong(
            "no temperature",
            gradient(ONE_HOT, "return (softmax(scores) - one_hot) / len(scores)"),
            "not use the temperature",
        ),
        Wrong("the probabilities", gradient("return softmax(scores / T)"), "Those are the probabilities"),
        Wrong(
            "one maximum for all rows",
            gradient(
                ONE_HOT,
                "powers = np.exp((scores - scores.max()) / T)",
                "return (powers / powers.sum(axis=1, keepdims=True) - one_hot) / T / len(scores)",
            ),
            "own largest score",
        ),
        Wrong(
            "changes the scores",
            gradient(ONE_HOT, "scores /= T", "return (softmax(scores) - one_hot) / T / len(scores)"),
            "that were passed in",
        ),
        Wrong(
            "the mean over classes",
            gradient(ONE_HOT, "return (softmax(scores / T) - one_hot) / T / scores.shape[1]"),
            "number of classes",
        ),
    ),
}
