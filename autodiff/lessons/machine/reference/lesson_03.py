"""Lesson 03: one row of rules for each operation, and the walk back along the creators."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "Walking back"

TWO = "x, y = Tensor(2), Tensor(2)\nbackward((x + 2) * (y * 3 + 4))\nx.grad, y.grad"

PARTS = (
    Given(
        "03 RULES",
        """
RULES = {
    None: (),  # a leaf has no creators
    "add": (lambda grad, z, x, y: grad, lambda grad, z, x, y: grad),
}
""",
    ),
    Piece(
        "03 mul",
        """
RULES |= {
    "mul": (lambda grad, z, x, y: grad * y, lambda grad, z, x, y: grad * x),
}
""",
        (
            Probe("to_x, to_y = RULES['mul']\nto_x(1, 35, 5, 7), to_y(1, 35, 5, 7)", (7, 5)),
            Probe("to_x, to_y = RULES['mul']\nto_x(4, 35, 5, 7), to_y(4, 35, 5, 7)", (28, 20)),
            Probe(TWO, (10, 12)),
        ),
        (
            Wrong(
                "its own number",
                "Nudge x, and x * y moves y times as far: the slope for x is the other number, y.",
                ("grad * y", "grad * mixed"),
                ("grad * x", "grad * y"),
                ("grad * mixed", "grad * x"),
            ),
            Wrong(
                "the gradient that arrives is lost",
                "The gradient that arrives is lost: the contribution is grad times the local slope.",
                ("grad * y", "y"),
                ("grad * x", "x"),
            ),
            Wrong(
                "adds along the path",
                "Along a path slopes are multiplied, and here they are added.",
                ("grad * y", "grad + y"),
                ("grad * x", "grad + x"),
            ),
            Wrong(
                "the rules of add",
                "These are the rules of add. For a product the contribution depends on the other number.",
                ("grad * y", "grad"),
                ("grad * x", "grad"),
            ),
            Wrong(
                "the whole product",
                "z is the product itself. The slope for x is y alone, and the slope for y is x.",
                ("grad * y", "grad * z"),
                ("grad * x", "grad * z"),
            ),
        ),
        stub="""
RULES |= {
    "mul": (lambda grad, z, x, y: None, lambda grad, z, x, y: None),
}
""",
    ),
    Piece(
        "03 backward",
        '''
def backward(node, grad=1):
    """Walk back from a node: note the gradient that arrives, and hand a contribution to each creator."""
    z, *inputs = map(value, (node, *node.creators))
    node.grad = grad
    for creator, rule in zip(node.creators, RULES[node.creation_op]):
        if isinstance(creator, Tensor):
            backward(creator, rule(grad, z, *inputs))
''',
        (
            Probe("a = Tensor(2)\nbackward(a)\na.grad", 1),
            Probe(TWO, (10, 12)),
            Probe("x = Tensor(2)\nh = x + 3\nbackward(h * 7)\nh.grad, x.grad", (7, 7)),
            Probe("x = Tensor(5)\nbackward(x * 3, 10)\nx.grad", 30),
        ),
        (
            Wrong(
                "hands on 1",
                "Every node is handed the gradient 1. Hand on what has arrived at this node.",
                ("rule(grad, z", "rule(1, z"),
            ),
            Wrong(
                "one level only",
                "The walk stops after one step. The creators' creators come next: backward has to call backward.",
                ("backward(creator, rule(grad, z, *inputs))", "creator.grad = rule(grad, z, *inputs)"),
            ),
            Wrong(
                "walks into plain numbers",
                "The walk goes into a plain number. Only a Tensor has a grad and creators.",
                ("        if isinstance(creator, Tensor):\n            backward", "        backward"),
            ),
            Wrong(
                "return inside the loop",
                "The first creator has its gradient and the second has none: a return inside the loop ends the loop.",
                ("            backward(", "            return backward("),
            ),
            Wrong(
                "grad is not noted",
                "The gradient that arrives is handed on and not noted: set node.grad.",
                ("    node.grad = grad\n", ""),
            ),
            Wrong(
                "the same rule for all",
                "Each creator has a rule of its own, and here all creators get the first one.",
                ("rule(grad, z, *inputs)", "RULES[node.creation_op][0](grad, z, *inputs)"),
            ),
        ),
        stub='''
def backward(node, grad=1):
    """Walk back from a node: note the gradient that arrives, and hand a contribution to each creator."""
    z, *inputs = map(value, (node, *node.creators))
    return None
''',
    ),
)
