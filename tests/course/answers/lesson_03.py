"""Answers to the exercises of lesson 03."""

from . import Right, Wrong

NUDGED = """
def nudged(f, values, i):
    up, down = list(values), list(values)
    up[i] += 0.001
    down[i] -= 0.001
    above = f(*[Tensor(v) for v in up]).data
    below = f(*[Tensor(v) for v in down]).data
    return (above - below) / 0.002"""
CHECK = (
    NUDGED
    + """


def nudge_check(f, values, backward):
    leaves = [Tensor(v) for v in values]
    backward(f(*leaves))
    for i, leaf in enumerate(leaves):
        if abs(nudged(f, values, i) - leaf.grad) > 0.001:
            return False
    return True"""
)
COMPARED = (
    NUDGED
    + """


def nudge_check(f, values, backward):
    leaves = [Tensor(v) for v in values]
    backward(f(*leaves))
    slopes = [nudged(f, values, i) for i in range(len(values))]
    grads = [leaf.grad for leaf in leaves]
    return """
)


def change(code, *changes):
    """A text with parts of it replaced."""
    for old, new in changes:
        assert old in code, old
        code = code.replace(old, new)
    return code


def nudged(kind, code, say=None):
    """An answer to 03 nudged."""
    return answer(kind, code, "nudged", say)


def nudge(kind, code, say=None):
    """An answer to 03 nudge: the code, or what it returns of `slopes` and `grads`."""
    return answer(kind, code if "def " in code else COMPARED + code, "nudge_check", say)


def answer(kind, code, name, say):
    """A right answer, or with words of the message a wrong one."""
    code = code.strip("\n") + f"\n{name}"
    return Right(kind, code) if say is None else Wrong(kind, code, say)


SAME = "`up = values` is the same list"

ANSWERS = {
    "03 predict": (
        Right("a tuple", "(49, 7, 21)"),
        Right("a list, with a Tensor", "[Tensor(49), 7.0, 21]"),
        Wrong("of the lesson's point", "(40, 10, 12)", "Forward first"),
        Wrong("old gradients", "(49, 10, 12)", "belong to x = 2, y = 2"),
        Wrong("exchanged", "(49, 21, 7)", "wrong way round"),
        Wrong("the 3 is forgotten", "(49, 7, 7)", "one more edge"),
        Wrong("the last slope alone", "(49, 7, 3)", "Multiply the two"),
        Wrong("added along both paths", "(49, 8, 11)", "added the slopes"),
        Wrong("added to y", "(49, 7, 11)", "added the slopes"),
        Wrong("7 and 3 added", "(49, 7, 10)", "added 7 and 3"),
        Wrong("the last local slopes", "(49, 1, 3)", "last local slopes alone"),
        Wrong("the values", "(49, 5, 1)", "values of x and y"),
        Wrong("something else", "(49, 2, 2)", "multiply the local slopes"),
        Wrong("e alone", "49", "Three numbers"),
        Wrong("a word", "(49, 'seven', 21)", "A number is asked for"),
    ),
    "03 nudged": (
        nudged("a copy for each direction", NUDGED),
        Right("nudged one way", "def nudged(f, values, i):\n    up = values[:]\n    up[i] = up[i] + 0.001\n    return (f(*map(Tensor, up)).data - f(*map(Tensor, values)).data) / 0.001\nnudged", "Both ways is more exact."),
        nudged("by slope", "def nudged(f, values, i):\n    def moved(x):\n        return f(*[Tensor(x if j == i else v) for j, v in enumerate(values)]).data\n\n    return slope(moved, values[i])"),
        nudged("there and back on one list", "def nudged(f, values, i):\n    values[i] += 0.001\n    above = f(*map(Tensor, values)).data\n    values[i] -= 0.002\n    below = f(*map(Tensor, values)).data\n    values[i] += 0.001\n    return (above - below) / 0.002"),
        nudged("a Tensor is nudged", "def nudged(f, values, i):\n    up, down = ([Tensor(v) + h * (j == i) for j, v in enumerate(values)] for h in (0.001, -0.001))\n    return (f(*up).data - f(*down).data) / 0.002"),
        nudged("divided by one nudge", change(NUDGED, ("0.002", "0.001")), "divide by that"),
        nudged("not divided", change(NUDGED, (" / 0.002", "")), "This is how far f moves"),
        nudged("the sign", change(NUDGED, ("above - below", "below - above")), "The sign is wrong"),
        nudged("all at once", change(NUDGED, ("up[i] += 0.001\n    down[i] -= 0.001", "up = [v + 0.001 for v in up]\n    down = [v - 0.001 for v in down]")), "Nudge the number i alone"),
        nudged("always the first", change(NUDGED, ("[i]", "[0]")), "use i"),
        nudged("no copies", change(NUDGED, ("list(values), list(values)", "values, values")), SAME),
        nudged("no copies, one after the other", "def nudged(f, values, i):\n    up = values\n    up[i] += 0.001\n    above = f(*map(Tensor, up)).data\n    down = values\n    down[i] -= 0.001\n    below = f(*map(Tensor, down)).data\n    return (above - below) / 0.002", SAME),
        nudged("the list is changed", change(NUDGED, ("up, down = list(values), list(values)", "up, down = values, list(values)")), "nudge a copy, list(values)"),
        nudged("plain numbers", change(NUDGED, ("Tensor(v)", "v")), "f takes Tensors"),
        nudged("no star", change(NUDGED, ("*[", "[")), "one by one"),
        nudged("minus on Tensors", change(NUDGED, (".data", "")), "take .data first"),
        nudged("a Tensor", change(NUDGED, ("return (above - below) / 0.002", "return Tensor((above - below) / 0.002)")), "read .data"),
        nudged("0.001 + a Tensor", change(NUDGED, ("Tensor(v) for v in up", "0.001 + Tensor(v) for v in up")), "Nudge the plain number first"),
        nudged("without f", "def nudged(f, values, i):\n    return values[1 - i]", "never calls the f"),
        nudged("the machine's gradient", "def nudged(f, values, i):\n    leaves = [Tensor(v) for v in values]\n    backward(f(*leaves))\n    return leaves[i].grad", "A nudge compares two calls of f"),
        nudged("constants", "def nudged(f, values, i):\n    f(Tensor(5), Tensor(7))\n    f(Tensor(5), Tensor(7))\n    return 7 - 2 * i", "f takes 3 Tensors here"),
        nudged("printed", change(NUDGED, ("return (above - below) / 0.002", "print((above - below) / 0.002)")), "prints its result and returns nothing"),
        nudged("one argument too few", "def nudged(f, values):\n    return 7", "hands over 3 argument"),
    ),
    "03 nudge": (
        nudge("a loop over the leaves", CHECK),
        nudge("all at the end", "all(abs(s - g) < 0.001 for s, g in zip(slopes, grads))"),
        nudge("NumPy's answer", "np.abs(np.array(slopes) - grads).max() < 0.001"),
        nudge("nudged one way", change(CHECK, ("    down[i] -= 0.001\n", ""), ("0.002", "0.001"))),
        nudge("the number at the end", "def nudge_check(f, values, backward):\n    return f(*map(Tensor, values)).data is not None", "never calls the backward that it is given"),
        nudge("always True", "def nudge_check(f, values, backward):\n    return True", "never calls the backward that it is given"),
        nudge("ignores its argument", "walk = backward\n" + change(CHECK, ("    backward(f(", "    walk(f(")), "never calls the backward that it is given"),
        nudge("ignores f", change(CHECK, ("backward(f(*leaves))", "backward(leaves[0] * leaves[1])"), ("abs(nudged(f,", "abs(nudged(lambda x, y: x * y,")), "never calls the f"),
        nudge("other values", change(CHECK, ("in values]\n    backward", "in [5, 7]]\n    backward"), ("abs(nudged(f, values, i)", "abs(nudged(f, [5, 7], i)")), "f takes 3 Tensors here"),
        nudge("the walk proves itself", "def nudge_check(f, values, backward):\n    grads = []\n    for _ in range(2):\n        leaves = [Tensor(v) for v in values]\n        backward(f(*leaves))\n        grads.append([leaf.grad for leaf in leaves])\n    return grads[0] == grads[1]", "nudge each leaf by itself"),
        nudge("all at once", "abs(sum(slopes) - sum(grads)) < 0.001", "nudge each leaf by itself"),
        nudge("the first leaf only", "abs(slopes[0] - grads[0]) < 0.001", "after the first leaf"),
        nudge("the last leaf only", "abs(slopes[-1] - grads[-1]) < 0.001", "Is every leaf compared"),
        nudge("return True in the loop", change(CHECK, ("            return False\n    return True", "            return False\n        return True")), "after the first leaf"),
        nudge("without abs", "all(s - g < 0.001 for s, g in zip(slopes, grads))", "too large"),
        nudge("without abs, turned", "all(g - s < 0.001 for s, g in zip(slopes, grads))", "too small"),
        nudge("no sign", "all(abs(abs(s) - abs(g)) < 0.001 for s, g in zip(slopes, grads))", "The sign counts"),
        nudge("equal", "slopes == grads", "not whether they are equal"),
        nudge("what backward returns", change(CHECK, ("    backward(f(", "    grads = backward(f("), ("leaf.grad)", "grads[i])")), "backward returns nothing: read t.grad"),
        nudge("far too lenient", "all(abs(s - g) < 1 for s, g in zip(slopes, grads))", "no more than 0.001"),
        nudge("turned round", "any(abs(s - g) > 0.001 for s, g in zip(slopes, grads))", "exchange the two"),
        nudge("a number", "max(abs(s - g) for s, g in zip(slopes, grads))", "answers True or False"),
        nudge("divided by one nudge", change(CHECK, ("/ 0.002", "/ 0.001")), "twice the right one"),
        nudge("no copies", change(CHECK, ("list(values), list(values)", "values, values")), SAME),
        nudge("the list is changed", change(CHECK, ("    return True", "    values[:] = [v + 1 for v in values]\n    return True")), "values came back changed"),
        nudge("plain numbers", change(CHECK, ("leaves = [Tensor(v)", "leaves = [v")), "f takes Tensors"),
        nudge("backward of a number", change(CHECK, ("backward(f(*leaves))", "backward(f(*leaves).data)")), "the Tensor that f returns"),
        nudge("every leaf of the graph", change(CHECK, ("    for i, leaf", "    if len(leaves_of(end)) > len(values):\n        return False\n    for i, leaf"), ("    backward(f(*leaves))", "    end = f(*leaves)\n    backward(end)"), ("def nudge_check", "def leaves_of(t):\n    return [x for c in t.creators for x in leaves_of(c)] if t.creators else [t]\n\n\ndef nudge_check")), "made from `values`"),
        nudge("printed", change(CHECK, ("    return True", "    print(True)")), "prints its result and returns nothing"),
        nudge("no return True", change(CHECK, ("\n    return True", "")), "has no `return`"),
        nudge("one argument too few", "def nudge_check(f, values):\n    return True", "hands over 3 argument"),
        Wrong("no function", "True", "A function is asked for"),
    ),
}  # fmt: skip
