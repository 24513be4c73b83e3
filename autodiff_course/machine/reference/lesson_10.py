"""Lesson 10: the second celebrated change: an array's contribution is summed back to its shape."""

from ..plan import Piece, Probe, Wrong

TITLE = "Broadcasting and its reverse"

FRONT_ONLY = (
    "(3, 1) was stretched along its last axis, but only axes that were added in front are summed. If you do sum "
    "along the last, keep what it gives: sum does not change the array, so write grad = grad.sum(...)."
)
SINGLE = (
    "The gradient that the walk starts from needs the shape of the end's value, but here it is a single number. "
    "np.ones_like takes the array, value(end), and not the Tensor."
)
SUMS = "np.sum(np.asarray(unbroadcast(np.arange(12.0).reshape(3, 4), %s)))"
COLUMN_AND_ROW = """\
a, r, c = Tensor(np.ones((3, 4))), Tensor(np.ones(4)), Tensor(np.ones((3, 1)))
backward(a * c + r)
%s"""

PARTS = (
    Piece(
        "10 unbroadcast",
        '''
def unbroadcast(grad, to):
    """Sum a gradient back to the shape `to`, along every axis that was stretched."""
    if shape(grad) == to:
        return grad
    front = len(shape(grad)) - len(to)
    ones = [front + axis for axis, size in enumerate(to) if size == 1]
    return grad.sum(axis=tuple(ones), keepdims=True).sum(axis=tuple(range(front)))
''',
        (
            Probe("unbroadcast(np.ones((3, 4)), (4,))", [3.0, 3.0, 3.0, 3.0]),
            Probe("unbroadcast(np.arange(6.0).reshape(2, 3), (3,))", [3.0, 5.0, 7.0]),
            Probe("unbroadcast(np.ones((3, 4)), (3, 1))", [[4.0], [4.0], [4.0]]),
            Probe("unbroadcast(np.ones((3, 4)), (1, 4))", [[3.0, 3.0, 3.0, 3.0]]),
            Probe("unbroadcast(np.ones((2, 3, 4)), (3, 1))", [[8.0], [8.0], [8.0]]),
            Probe("unbroadcast(np.ones((3, 4)), (1, 1))", [[12.0]]),
            Probe("np.shape(unbroadcast(np.ones((3, 4)), ())), float(unbroadcast(np.ones((3, 4)), ()))", ((), 12.0)),
            Probe("unbroadcast(np.arange(3.0), (3,))", [0.0, 1.0, 2.0]),
            Probe("unbroadcast(5.0, ())", 5.0),
            Probe("type(unbroadcast(5.0, ())).__name__", "float"),
            Probe("g = np.ones((2, 3))\nunbroadcast(g, (3,))\ng", [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]),
        ),
        (
            Wrong(
                "nothing is summed",
                "Nothing is summed. The row was stretched over 3 rows, so the contributions of its 3 copies are added.",
                """
def unbroadcast(grad, to):
    return grad
""",
            ),
            Wrong(
                "everything is summed",
                "Everything is summed. Sum only along the axes that were stretched; here that is the first.",
                """
def unbroadcast(grad, to):
    return grad if shape(grad) == to else grad.sum()
""",
            ),
            Wrong(
                "the last axis for a missing one",
                "It sums along the last axis. Missing axes are on the left, so sum along the first.",
                """
def unbroadcast(grad, to):
    while len(shape(grad)) > len(to):
        grad = grad.sum(axis=-1)
    for axis, size in enumerate(to):
        if size == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad
""",
            ),
            Wrong(
                "aligned on the left",
                "The shapes are aligned on the left here. Align them on the right: the missing axes are the first.",
                """
def unbroadcast(grad, to):
    if shape(grad) == to:
        return grad
    for axis, size in enumerate(to + (1,) * (len(shape(grad)) - len(to))):
        if size == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad.reshape(to)
""",
            ),
            Wrong(
                "only one axis of size 1",
                "Both axes have size 1, and only one of them is summed. Sum along each axis of size 1.",
                """
def unbroadcast(grad, to):
    if shape(grad) == to:
        return grad
    while len(shape(grad)) > len(to):
        grad = grad.sum(axis=0)
    return grad.sum(axis=to.index(1), keepdims=True) if 1 in to else grad
""",
            ),
            Wrong(
                "ndim of a plain number",
                "A plain number has no ndim. len(shape(grad)) is the number of axes for numbers and arrays.",
                """
def unbroadcast(grad, to):
    while grad.ndim > len(to):
        grad = grad.sum(axis=0)
    for axis, size in enumerate(to):
        if size == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad
""",
            ),
            Wrong(
                "nothing is returned unchanged",
                "A plain number has no .sum. It already has the shape (): return it unchanged.",
                ("    if shape(grad) == to:\n        return grad\n", ""),
            ),
            Wrong(
                "an array for a number",
                "A gradient that already has the right shape is returned unchanged, even a plain number.",
                """
def unbroadcast(grad, to):
    grad = np.asarray(grad)
    while grad.ndim > len(to):
        grad = grad.sum(axis=0)
    for axis, size in enumerate(to):
        if size == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad
""",
            ),
            Wrong(
                "front axes only",
                FRONT_ONLY,
                """
def unbroadcast(grad, to):
    if shape(grad) == to:
        return grad
    return grad.sum(axis=tuple(range(len(shape(grad)) - len(to))))
""",
            ),
            Wrong(
                "always the first axis",
                "It always sums along the first axis, but (3, 1) was stretched along its second.",
                """
def unbroadcast(grad, to):
    return grad if shape(grad) == to else grad.sum(axis=0)
""",
            ),
            Wrong(
                "one sum for two missing axes",
                "Two axes are missing here, and only one was summed.",
                """
def unbroadcast(grad, to):
    if len(shape(grad)) > len(to):
        grad = grad.sum(axis=0)
    for axis, size in enumerate(to):
        if size == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad
""",
            ),
            Wrong(
                "the first axis, then reshaped",
                "(3, 1) was stretched along its second axis: sum along that one, and keep it with keepdims=True.",
                """
def unbroadcast(grad, to):
    return grad if shape(grad) == to else grad.sum(axis=0).reshape(to)
""",
            ),
            Wrong(
                "the axis of size 1 is lost",
                "The numbers are right, but the axis is lost. Keep it, with size 1.",
                (", keepdims=True)", ")"),
            ),
            Wrong(
                "mean in place of sum",
                "Where paths meet, contributions are added. A mean is too small.",
                (".sum(", ".mean("),
            ),
            Wrong(
                "cut to the shape",
                "The shape is right, but numbers were cut off where they should be summed.",
                """
def unbroadcast(grad, to):
    return np.resize(grad, to)
""",
            ),
            Wrong(
                "the axes of `to` are not shifted",
                "An axis of `to` is further right in the gradient: axes were added in front.",
                ("front + axis for", "axis for"),
            ),
            Wrong(
                "a range for the axes",
                "axis takes one number or a tuple, and a range is neither: tuple(range(...)).",
                ("axis=tuple(range(front))", "axis=range(front)"),
            ),
            Wrong(
                "the axes move up",
                "After a sum, the axes to its right move up by one. Sum along axis 0 each time, or along a tuple "
                "of axes at once.",
                """
def unbroadcast(grad, to):
    for axis in range(len(shape(grad)) - len(to)):
        grad = grad.sum(axis=axis)
    for axis, size in enumerate(to):
        if size == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad
""",
            ),
            Wrong(
                "sizes taken for axes",
                "`for axis in to` gives sizes, not the numbers of the axes. enumerate(to) gives both: "
                "for axis, size in enumerate(to).",
                """
def unbroadcast(grad, to):
    while len(shape(grad)) > len(to):
        grad = grad.sum(axis=0)
    for axis in to:
        if axis == 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad
""",
            ),
            Wrong(
                "the shape of a plain number",
                "A plain number has no .shape. shape(grad) works for numbers and arrays.",
                ("shape(grad) == to", "grad.shape == to"),
            ),
            Wrong(
                "the sum is not kept",
                FRONT_ONLY,
                """
def unbroadcast(grad, to):
    while len(shape(grad)) > len(to):
        grad = grad.sum(axis=0)
    for axis, size in enumerate(to):
        if size == 1:
            grad.sum(axis=axis, keepdims=True)
    return grad
""",
            ),
            Wrong(
                "no return at the end",
                "Here your function returns nothing. End with `return`.",
                ("return grad.sum(", "grad = grad.sum("),
            ),
        ),
    ),
    Piece(
        "10 gradients",
        '''
def gradients(end, grad=1):
    """For every Tensor behind end, the gradient that arrives in one walk, as a dict."""
    arrived = {end: grad * np.ones_like(value(end))}
    for node in reversed(order(end)):
        z, *inputs = map(value, (node, *node.creators))
        for creator, x, rule in zip(node.creators, inputs, RULES[node.creation_op]):
            if isinstance(creator, Tensor):
                contribution = unbroadcast(rule(arrived[node], z, *inputs), shape(x))
                arrived[creator] = arrived[creator] + contribution if creator in arrived else contribution
    return arrived
''',
        (
            Probe("a = Tensor(2)\nbackward((a + 2) * (a * 3 + 4))\na.grad", 22),
            Probe("x = Tensor(np.array([1.0, 2.0, 3.0]))\nbackward(x * x)\nx.grad", [2.0, 4.0, 6.0]),
            Probe("x = Tensor(np.array([1.0, 2.0]))\nbackward(x)\nx.grad", [1.0, 1.0]),
            Probe(COLUMN_AND_ROW % "r.grad", [3.0, 3.0, 3.0, 3.0]),
            Probe(COLUMN_AND_ROW % "c.grad", [[4.0], [4.0], [4.0]]),
            Probe("b = Tensor(0.5)\nbackward(b + np.ones((2, 3)))\nfloat(b.grad), np.shape(b.grad)", (6.0, ())),
            Probe("x = Tensor(np.ones(3, np.float32))\nbackward(x * x)\nstr(x.grad.dtype)", "float32"),
            Probe("x = Tensor(np.ones(2))\nbackward(x * x, np.array([10.0, 1.0]))\nx.grad", [20.0, 2.0]),
            Probe("x = Tensor(np.array([2, 0, -4]))\nbackward(x * x, 0.5)\nx.grad", [2.0, 0.0, -4.0]),
            Probe("x = Tensor(np.array([1.0, 2.0]))\nbackward((x + x) + x)\nx.grad", [3.0, 3.0]),
        ),
        (
            Wrong(
                "nothing is summed back",
                "The gradient has kept the stretched shape. Sum each contribution back to the shape of the creator it goes to.",
                ("unbroadcast(rule(arrived[node], z, *inputs), shape(x))", "rule(arrived[node], z, *inputs)"),
            ),
            Wrong(
                "starts from a single 1",
                SINGLE,
                ("grad * np.ones_like(value(end))", "grad"),
            ),
            Wrong(
                "ones like the Tensor",
                SINGLE,
                ("np.ones_like(value(end))", "np.ones_like(end)"),
            ),
            Wrong(
                "the value for its shape",
                "The second argument of unbroadcast is a shape: shape(x), not x.",
                ("shape(x))", "x)"),
            ),
            Wrong(
                "the arguments exchanged",
                "unbroadcast takes the gradient first, then the shape.",
                (
                    "unbroadcast(rule(arrived[node], z, *inputs), shape(x))",
                    "unbroadcast(shape(x), rule(arrived[node], z, *inputs))",
                ),
            ),
            Wrong(
                "x.shape",
                "x may be a plain number, which has no .shape. shape(x) works for numbers and for arrays.",
                ("shape(x))", "x.shape)"),
            ),
            Wrong(
                "summed along axis 0",
                "Nothing was stretched here, so nothing is to be summed. unbroadcast sums only what was stretched.",
                ("unbroadcast(rule(arrived[node], z, *inputs), shape(x))", "np.sum(rule(arrived[node], z, *inputs), axis=0)"),
            ),
            Wrong(
                "summed before the rule",
                "The gradient was summed before the rule multiplied it. Apply the rule first, then sum what it gives.",
                ("unbroadcast(rule(arrived[node], z, *inputs), shape(x))", "rule(unbroadcast(arrived[node], shape(x)), z, *inputs)"),
            ),
            Wrong(
                "back to the shape of the node",
                "The gradient has kept the stretched shape. Sum each contribution back to the shape of the creator it goes to.",
                ("shape(x))", "shape(z))"),
            ),
            Wrong(
                "float64",
                "float32 became float64: the start needs the type of the end, too. np.ones_like has both.",
                ("np.ones_like(value(end))", "np.ones(shape(end))"),
            ),
            Wrong(
                "cut off to whole numbers",
                "The end holds whole numbers, and in an array of their type 0.5 is cut off to 0. Multiply: grad times ones.",
                ("grad * np.ones_like(value(end))", "np.full_like(value(end), grad)"),
            ),
            Wrong(
                "adds in place",
                "+= changes the array itself, and it belongs to other nodes, too: the rules of + pass on one and "
                "the same array. Make a new one: arrived[creator] = arrived[creator] + contribution.",
                (
                    "                arrived[creator] = arrived[creator] + contribution if creator in arrived else contribution",
                    "                if creator in arrived:\n                    arrived[creator] += contribution\n                else:\n                    arrived[creator] = contribution",
                ),
            ),
            Wrong(
                "the rule is gone",
                "The rule is gone. Keep rule(arrived[node], z, *inputs), and hand what it gives to unbroadcast.",
                ("rule(arrived[node], z, *inputs)", "arrived[node]"),
            ),
            Wrong(
                "grad is ignored",
                "The walk starts from the argument grad, times ones.",
                ("grad * np.ones_like", "np.ones_like"),
            ),
        ),
        stub='''
def gradients(end, grad=1):
    """For every Tensor behind end, the gradient that arrives in one walk, as a dict."""
    arrived = {end: grad}  # change this line
    for node in reversed(order(end)):
        z, *inputs = map(value, (node, *node.creators))
        for creator, x, rule in zip(node.creators, inputs, RULES[node.creation_op]):
            if isinstance(creator, Tensor):
                contribution = rule(arrived[node], z, *inputs)  # and this one
                arrived[creator] = arrived[creator] + contribution if creator in arrived else contribution
    return arrived
''',
        replaces="05 gradients",
        in_place=True,
    ),
)
