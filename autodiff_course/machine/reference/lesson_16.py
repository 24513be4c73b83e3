"""Lesson 16: the third celebrated change: the walk back can be walked back."""

from ..plan import Piece, Probe, Wrong

TITLE = "Slopes of slopes"

COURSE = "lambda x: (x + 2) * (x * 3 + 4)"
TENSORS = """\
x = Tensor(2.0)
slope_of_x = gradients(x**3, Tensor(1.0))[x]
type(slope_of_x).__name__, slope_of_x.data"""

PARTS = (
    Piece(
        "16 gradients",
        '''
def gradients(end, grad=1):
    """A dict: for every Tensor behind end, the gradient that has arrived there in one walk back.

    A walk that starts from a Tensor is recorded, so that it can be walked back itself.
    """
    arrived = {end: grad * np.ones_like(value(end))}
    for node in reversed(order(end)):
        made = (node, *node.creators)
        z, *inputs = made if isinstance(grad, Tensor) else map(value, made)
        for creator, x, rule in zip(node.creators, inputs, RULES[node.creation_op]):
            if isinstance(creator, Tensor):
                contribution = unbroadcast(rule(arrived[node], z, *inputs), shape(x))
                arrived[creator] = arrived[creator] + contribution if creator in arrived else contribution
    return arrived
''',
        (
            Probe("a = Tensor(2)\nbackward((a + 2) * (a * 3 + 4))\na.grad", 22),
            Probe(TENSORS, ("Tensor", 12.0)),
            Probe(
                "x = Tensor(np.array([1.0, 2.0]))\ntype(gradients(x * x, np.ones(2))[x]).__name__", "ndarray"
            ),
            Probe("x = Tensor(2.0)\nfirst = gradients(x**3, Tensor(1.0))[x]\ngradients(first)[x]", 12.0),
            Probe(
                "x = Tensor(np.array([1.0, 2.0]))\nfirst = gradients((x * x * x).sum(), Tensor(1.0))[x]\ngradients(first.sum())[x]",
                [6.0, 12.0],
            ),
            Probe(
                "x = Tensor(np.array([1.0, 2.0]))\nfirst = gradients((x * x)[np.array([0, 0, 1])].sum(), Tensor(1.0))[x]\n"
                "gradients(first.sum())[x]",
                [4.0, 2.0],
                asks='There, the gradient may be a Tensor, which put(...) does not take. Write apply("put", ...), which records it.',
            ),
            Probe(
                "x = Tensor(0.5)\nfirst = gradients(tanh(x), Tensor(1.0))[x]\nround(gradients(first)[x], 4)",
                -0.7269,
            ),
        ),
        (
            Wrong(
                "always nodes",
                "A walk that starts from a plain number gives a Tensor now: its rules got nodes, so it was recorded, which "
                "costs memory. There they need the value of each node: map(value, made).",
                ("made if isinstance(grad, Tensor) else map(value, made)", "made"),
            ),
            Wrong(
                "new Tensors",
                "The path back to x is lost: a plain number or a new Tensor has no creators. "
                "If isinstance(grad, Tensor), give the rules the nodes themselves: made.",
                (
                    "made if isinstance(grad, Tensor)",
                    "[Tensor(value(x)) for x in made] if isinstance(grad, Tensor)",
                ),
            ),
            Wrong(
                "asks whether grad is the class",
                "The path back to x is lost: a plain number or a new Tensor has no creators. "
                "If isinstance(grad, Tensor), give the rules the nodes themselves: made.",
                ("isinstance(grad, Tensor)", "grad is Tensor"),
            ),
            Wrong(
                "asks for the attribute data",
                "A NumPy array has an attribute data, too, so a walk that starts from an array is recorded. "
                "Ask with isinstance(grad, Tensor).",
                ("made if isinstance(grad, Tensor)", 'made if hasattr(grad, "data")'),
            ),
            Wrong(
                "no second case",
                "z and inputs get no value when the walk starts from a plain number. The line needs both cases: "
                "this if isinstance(grad, Tensor) else that.",
                (
                    "        z, *inputs = made if isinstance(grad, Tensor) else map(value, made)",
                    "        if isinstance(grad, Tensor):\n            z, *inputs = made",
                ),
            ),
            Wrong(
                "Tensors in Tensors, always",
                "The nodes in made are Tensors already, and Tensor(...) puts each into another one. "
                "Take made as it is if grad is a Tensor, and map(value, made) otherwise.",
                ("made if isinstance(grad, Tensor) else map(value, made)", "map(Tensor, made)"),
            ),
            Wrong(
                "Tensors in Tensors",
                "There is a Tensor in the Tensor: the nodes in made are Tensors already. Take made as it is.",
                ("made if isinstance(grad, Tensor)", "map(Tensor, made) if isinstance(grad, Tensor)"),
            ),
            Wrong(
                "asks whether grad is 1",
                "A walk may start from any plain number or array, not from 1 alone. Ask with isinstance(grad, Tensor).",
                (
                    "made if isinstance(grad, Tensor) else map(value, made)",
                    "map(value, made) if grad == 1 else made",
                ),
            ),
            Wrong(
                "the value of the tuple",
                "A walk that starts from a plain number gives a Tensor now: its rules got nodes, so it was recorded, which "
                "costs memory. There they need the value of each node: map(value, made).",
                ("map(value, made)", "value(made)"),
            ),
            Wrong(
                "the other way round",
                "A walk that starts from a plain number is recorded, and one that starts from a Tensor is not.",
                (
                    "made if isinstance(grad, Tensor) else map(value, made)",
                    "map(value, made) if isinstance(grad, Tensor) else made",
                ),
            ),
            Wrong(
                "z stays plain",
                "z is a plain number here, so the rules that use it are recorded as if z never moved. Give them the node.",
                (
                    "z, *inputs = made if isinstance(grad, Tensor) else map(value, made)",
                    "z, inputs = value(node), made[1:] if isinstance(grad, Tensor) else [*map(value, made[1:])]",
                ),
            ),
        ),
        stub='''
def gradients(end, grad=1):
    """A dict: for every Tensor behind end, the gradient that has arrived there in one walk back.

    A walk that starts from a Tensor is recorded, so that it can be walked back itself.
    """
    arrived = {end: grad * np.ones_like(value(end))}
    for node in reversed(order(end)):
        made = (node, *node.creators)
        z, *inputs = map(value, made)  # change this line
        for creator, x, rule in zip(node.creators, inputs, RULES[node.creation_op]):
            if isinstance(creator, Tensor):
                contribution = unbroadcast(rule(arrived[node], z, *inputs), shape(x))
                arrived[creator] = arrived[creator] + contribution if creator in arrived else contribution
    return arrived
''',
        replaces="10 gradients",
        in_place=True,
    ),
    Piece(
        "16 grad",
        '''
def grad(f):
    """The function that gives the slope of f. Its result is recorded, so it has a slope, too."""

    def slope_of_f(x):
        x = x if isinstance(x, Tensor) else Tensor(x)
        return gradients(f(x), Tensor(1.0)).get(x, Tensor(0.0 * value(x)))

    return slope_of_f
''',
        (
            Probe(f"grad({COURSE})(2.0)", "a Tensor with 22"),
            Probe(f"grad(grad({COURSE}))(2.0).data", 6.0),
            Probe(
                "f = grad(lambda x: x**3)\n[f(2.0).data, grad(f)(2.0).data, grad(grad(f))(2.0).data]",
                [12.0, 12.0, 6.0],
            ),
            Probe("grad(lambda x: Tensor(3.0) * 1)(2.0).data", 0.0),
            Probe("x = Tensor(2.0)\ngrad(lambda x: x * x)(x)\nx.grad", None),
        ),
        (
            Wrong(
                "always a new Tensor",
                "A new Tensor has no path back to the x outside, so the slope of the slope is lost. "
                "If x is a Tensor, use it as it is.",
                ("x if isinstance(x, Tensor) else Tensor(x)", "Tensor(value(x))"),
            ),
            Wrong(
                "a Tensor in a Tensor",
                "A new Tensor has no path back to the x outside, so the slope of the slope is lost. "
                "If x is a Tensor, use it as it is.",
                ("x if isinstance(x, Tensor) else Tensor(x)", "Tensor(x)"),
                (".get(x, Tensor(0.0 * value(x)))", "[x]"),
            ),
            Wrong(
                "starts from a plain number",
                "The result is a plain number, which has no slope. Start the walk from a Tensor, Tensor(1.0), and "
                "return what arrives as it is.",
                ("gradients(f(x), Tensor(1.0))", "gradients(f(x))"),
            ),
            Wrong(
                "by way of .grad",
                "The gradient of the first walk is still in .grad when the second walk comes. Use gradients, which leaves .grad alone.",
                (
                    "return gradients(f(x), Tensor(1.0)).get(x, Tensor(0.0 * value(x)))",
                    "backward(f(x), Tensor(1.0))\n        return x.grad",
                ),
            ),
            Wrong(
                "fails where x is not used",
                "Where f does not use x there is no entry for it. The slope is 0 then.",
                (".get(x, Tensor(0.0 * value(x)))", "[x]"),
            ),
            Wrong(
                "a plain 0 where x is not used",
                "Where f does not use x the slope is 0, and it has to be a Tensor there, too: Tensor(0.0).",
                ("Tensor(0.0 * value(x))", "0.0"),
            ),
            Wrong(
                "a plain whole 0 where x is not used",
                "Where f does not use x the slope is 0, and it has to be a Tensor there, too: Tensor(0.0).",
                ("Tensor(0.0 * value(x))", "0"),
            ),
            Wrong(
                "walks back from the function",
                "gradients walks back from a Tensor, and f is a function. Call f(x) in the inner function, and walk back from that.",
                """
def grad(f):
    return gradients(f, Tensor(1.0))
""",
            ),
            Wrong(
                "the slope in place of a function",
                "grad returns a slope here, and it should return a function. Write `def slope(x):` in grad, compute the "
                "slope in it, and end grad with `return slope`.",
                """
def grad(f):
    x = Tensor(2.0)
    return gradients(f(x), Tensor(1.0))[x]
""",
            ),
            Wrong(
                "makes no Tensor of x",
                "A plain number is not recorded, so there is nothing to walk back from. Make a Tensor of x first.",
                ("        x = x if isinstance(x, Tensor) else Tensor(x)\n", ""),
            ),
            Wrong(
                "the inner function returns nothing",
                "The inner function computes the slope and does not return it: end it with `return`.",
                ("return gradients(f(x)", "gradients(f(x)"),
            ),
            Wrong(
                "the inner function is not returned",
                "grad has to return a function, and here nothing comes back: return slope_of_f.",
                ("    return slope_of_f", "    slope_of_f"),
            ),
        ),
    ),
)
