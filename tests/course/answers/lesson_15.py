"""Answers to the exercises of lesson 15."""

from . import Right, Wrong

RULE = """\
def again(f):
    def rule(grad, z, x):
        leaf = Tensor(x)
        return gradients(f(leaf), grad)[leaf]
    return rule
"""
POINT = f"{RULE}def checkpoint(f, name):\n    return operation(name, lambda x: no_grad(f, x), again(f))\n"
SEGMENTS = f"""{POINT}
def one_step(x):
    return tanh(x)

def in_segments(x, size):
    def segment(x):
        for _ in range(size):
            x = one_step(x)
        return x
    part = checkpoint(segment, "segment")
    for _ in range(64 // size):
        x = part(x)
    return x
"""

ANSWERS = {
    "15 constant": (
        Right("18", "18"),
        Right("a Tensor with it", "Tensor(18.0)"),
        Wrong("as if all were nodes", "27", "all three factors"),
        Wrong("one path", "9", "one of the factors"),
        Wrong("without the constant", "6", "The constant 3"),
        Wrong("nothing", "0", "Only x.data"),
        Wrong("another number", "12.5", "in place of x.data"),
        Wrong("a word", "'eighteen'", "A number is asked for"),
    ),
    "15 again": (
        Wrong(
            "prints",
            """
def again(f):
    def rule(grad, z, x):
        x = Tensor(x)
        print(gradients(f(x), grad)[x])
    return rule
again""",
            "prints its result and returns nothing",
        ),
        Wrong(
            "a rule without z",
            """
def again(f):
    def rule(grad, x):
        x = Tensor(x)
        return gradients(f(x), grad)[x]
    return rule
again""",
            "Its first line should be `def rule(grad, z, x):`",
        ),
        Right("as in the solutions", f"{RULE}again"),
        Right(
            "by backward",
            "def again(f):\n    def rule(grad, z, x):\n        x = Tensor(x)\n        backward(f(x), grad)\n"
            "        return x.grad\n    return rule\nagain",
        ),
        Wrong(
            "the slope, times grad",
            "def again(f):\n    def rule(grad, z, x):\n        x = Tensor(x)\n        return grad * gradients(f(x))[x]\n"
            "    return rule\nagain",
            "cannot be multiplied by grad afterwards",
        ),
        Wrong(
            "a small nudge",
            "def again(f):\n    return lambda grad, z, x: grad * (f(x + 1e-6) - f(x - 1e-6)) / 2e-6\nagain",
            "not exact",
        ),
        Wrong(
            "two leaves",
            "def again(f):\n    return lambda grad, z, x: gradients(f(Tensor(x)), grad)[Tensor(x)]\nagain",
            "leaf = Tensor(x), and use it twice",
        ),
        Wrong(
            "no leaf",
            "def again(f):\n    return lambda grad, z, x: gradients(f(x), grad)[x]\nagain",
            "f of the plain x is plain",
        ),
        Wrong(
            "grad dropped",
            "def again(f):\n    def rule(grad, z, x):\n        x = Tensor(x)\n        return gradients(f(x))[x]\n"
            "    return rule\nagain",
            "Begin the walk with grad",
        ),
        Wrong(
            "the whole dict",
            "def again(f):\n    def rule(grad, z, x):\n        return gradients(f(Tensor(x)), grad)\n    return rule\nagain",
            "the entry of the leaf",
        ),
        Wrong("f(x)", "def again(f):\n    return lambda grad, z, x: f(x)\nagain", "That is f(x)"),
        Wrong(
            "f(x) times grad",
            "def again(f):\n    return lambda grad, z, x: grad * f(x)\nagain",
            "multiplied grad",
        ),
        Wrong("passed on", "def again(f):\n    return lambda grad, z, x: grad\nagain", "unchanged"),
        Wrong(
            "a nudge",
            "def again(f):\n    return lambda grad, z, x: grad * (f(x + 1e-4) - f(x - 1e-4)) / 2e-4\nagain",
            "not exact",
        ),
        Wrong(
            "by the package",
            "def again(f):\n    def rule(grad, z, x):\n        x = ad.Tensor(x)\n        z = f(x)\n        z.backward(grad)\n"
            "        return x.grad.data\n    return rule\nagain",
            "the package's Tensor",
        ),
        Wrong(
            "copied from the task",
            "def again(f):\n    return lambda grad, z, x: grad * (3 * x * x + 1)\nagain",
            "f was never called",
        ),
        Wrong("no function comes back", "def again(f):\n    return 13.0\nagain", "has to return a function"),
        Wrong("a number", "13", "A function is asked for"),
    ),
    "15 checkpoint": (
        Right("as in the solutions", f"{POINT}checkpoint"),
        Right(
            "with the rule inside",
            "def checkpoint(f, name):\n    def rule(grad, z, x):\n        x = Tensor(x)\n        return gradients(f(x), grad)[x]\n"
            "    def forward(x):\n        return no_grad(f, x)\n    return operation(name, forward, rule)\ncheckpoint",
        ),
        Wrong(
            "f as the forward",
            f"{RULE}def checkpoint(f, name):\n    return operation(name, f, again(f))\ncheckpoint",
            "a Tensor in the Tensor",
        ),
        Wrong(
            "recorded, and the value taken out",
            f"{RULE}def checkpoint(f, name):\n    return operation(name, lambda x: value(f(x)), again(f))\ncheckpoint",
            "f was recorded in the forward",
        ),
        Wrong(
            "no_grad called at once",
            f"{RULE}def checkpoint(f, name):\n    return operation(name, no_grad(f), again(f))\ncheckpoint",
            "calls f at once",
        ),
        Wrong(
            "again itself as the rule",
            f"{RULE}def checkpoint(f, name):\n    return operation(name, lambda x: no_grad(f, x), again)\ncheckpoint",
            "what again returns, again(f)",
        ),
        Wrong("f itself", f"{RULE}def checkpoint(f, name):\n    return f\ncheckpoint", "should hold 2"),
        Wrong(
            "no_grad alone",
            f"{RULE}def checkpoint(f, name):\n    return lambda x: no_grad(f, x)\ncheckpoint",
            "not a Tensor",
        ),
        Wrong(
            "one name for all",
            f"{RULE}def checkpoint(f, name):\n    return operation('checkpoint', lambda x: no_grad(f, x), again(f))\ncheckpoint",
            "the name that it was given",
        ),
        Wrong(
            "the rule of another function",
            f"{RULE}def checkpoint(f, name):\n    return operation(name, lambda x: no_grad(f, x), lambda grad, z, x: grad * z)\n"
            "checkpoint",
            "Is the rule again(f)",
        ),
        Wrong(
            "applied at once",
            f"{RULE}def checkpoint(f, name):\n    return operation(name, lambda x: no_grad(f, x), again(f))(2.0)\ncheckpoint",
            "has to return a function",
        ),
        Wrong(
            "one argument too few",
            f"{RULE}def checkpoint(f):\n    return f\ncheckpoint",
            "Its first line should be",
        ),
    ),
    "15 segments": (
        Wrong(
            "prints",
            """def in_segments(x, size):
    for _ in range(64):
        x = tanh(x)
    print(x)
in_segments""",
            "prints its result and returns nothing",
        ),
        Wrong(
            "never ends",
            """def in_segments(x, size):
    while True:
        pass
in_segments""",
            "Does a loop never end?",
        ),
        Right("as in the solutions", f"{SEGMENTS}in_segments"),
        Right(
            "a new operation for each",
            f"""{POINT}
def in_segments(x, size):
    for start in range(0, 64, size):
        def segment(x):
            for _ in range(size):
                x = tanh(x)
            return x
        x = checkpoint(segment, f"from {{start}}")(x)
    return x
in_segments""",
        ),
        Wrong(
            "no checkpoints",
            "def in_segments(x, size):\n    for _ in range(64):\n        x = tanh(x)\n    return x\nin_segments",
            "holds 65 nodes",
        ),
        Wrong(
            "one segment only",
            SEGMENTS.replace("    for _ in range(64 // size):\n        x = part(x)", "    x = part(x)")
            + "in_segments",
            "64 steps lead to",
        ),
        Wrong(
            "size segments",
            SEGMENTS.replace("range(64 // size)", "range(size)") + "in_segments",
            "64 steps lead to",
        ),
        Wrong(
            "one checkpoint per step",
            SEGMENTS.replace("range(64 // size)", "range(64)").replace("range(size)", "range(1)")
            + "in_segments",
            "are enough",
        ),
        Wrong(
            "all steps in one checkpoint",
            SEGMENTS.replace("range(64 // size)", "range(1)").replace("range(size)", "range(64)")
            + "in_segments",
            "holds 2 nodes, and 9 are asked for",
        ),
        Wrong(
            "without recording at all",
            SEGMENTS.replace("x = part(x)", "x = no_grad(segment, x)") + "in_segments",
            "a Tensor is asked for",
        ),
        Wrong("a number", "9", "A function is asked for"),
    ),
}
