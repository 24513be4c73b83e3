"""Lesson 03: one row of rules for each operation, and the walk back along the creators."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "Walking back"

TWO = "x, y = Tensor(2), Tensor(2)\nbackward((x + 2) * (y * 3 + 4))\nx.grad, y.grad"
BY_HAND = """
def backward(node, grad=1):
    node.grad = %s
    if node.creation_op == "add":
        for creator in node.creators:
            if isinstance(creator, Tensor):
                backward(creator, grad)
    elif node.creation_op == "mul":
        x, y = node.creators
        if isinstance(x, Tensor):
            backward(x, grad * value(y))
        if isinstance(y, Tensor):
            backward(y, grad * value(x))
"""
NO_RULES = (
    "It does not use the changed row of RULES. Take the rules of the operation from RULES[node.creation_op]: "
    "later lessons change rows, and add more."
)
NEW_RULE = """\
RULES['add'] = (lambda grad, z, x, y: grad * 10, lambda grad, z, x, y: grad)
x, y = Tensor(5), Tensor(7)
backward(x + y)
x.grad, y.grad"""

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
            Probe("to_x, to_y = RULES['mul']\nto_x(1, 0, 0, 7), to_y(1, 0, 0, 7)", (7, 0)),
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
                "one number for both: y",
                "The rule for x is right. In the rule for y the other number is x.",
                ("grad * x", "grad * y"),
            ),
            Wrong(
                "one number for both: x",
                "The rule for y is right. In the rule for x the other number is y.",
                ("grad * y", "grad * x"),
            ),
            Wrong(
                "the product, divided",
                "z / x is y, but not where x is 0. The rule needs no division.",
                ("grad * y", "grad * z / x"),
                ("grad * x", "grad * z / y"),
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
    """Note the gradient that arrives, and pass a contribution to each creator."""
    z, *inputs = map(value, (node, *node.creators))
    node.grad = grad
    for creator, rule in zip(node.creators, RULES[node.creation_op]):
        if isinstance(creator, Tensor):
            backward(creator, rule(grad, z, *inputs))
''',
        (
            Probe("a = Tensor(2)\nbackward(a)\na.grad", 1),
            Probe("x, y = Tensor(5), Tensor(7)\nbackward(x * y)\nx.grad, y.grad", (7, 5)),
            Probe("x = Tensor(2)\nh = x + Tensor(3)\nbackward(h * Tensor(7))\nh.grad, x.grad", (7, 7)),
            Probe(TWO, (10, 12)),
            Probe("x = Tensor(5)\ne = x * 3\nbackward(e, 10)\ne.grad, x.grad", (10, 30)),
            Probe("p = Tensor(5)\nbackward(apply('mul', 3, p))\np.grad", 3),
            Probe("x = Tensor(5)\ne = x * 3\nbackward(e)\nbackward(e, 10)\nx.grad", 30, until_replaced=True),
            Probe(NEW_RULE, (10, 1)),
        ),
        (
            Wrong(
                "passes on 1",
                "Every node is given the gradient 1. Pass on what has arrived at this node.",
                ("rule(grad, z", "rule(1, z"),
            ),
            Wrong(
                "the contribution is not passed on",
                "backward is called for a creator without its contribution, so it begins with 1 again.",
                ("backward(creator, rule(grad, z, *inputs))", "backward(creator)"),
            ),
            Wrong(
                "grad is passed on as it is",
                "Each creator gets grad as it is. Pass on its contribution: rule(grad, z, *inputs).",
                ("backward(creator, rule(grad, z, *inputs))", "backward(creator, grad)"),
            ),
            Wrong(
                "the creator is not passed on",
                "The first argument of backward is the creator, and the second is its contribution.",
                ("backward(creator, rule(grad, z, *inputs))", "backward(rule(grad, z, *inputs))"),
            ),
            Wrong(
                "1 is noted",
                "Every node notes 1. Note the gradient that arrives: node.grad = grad.",
                ("node.grad = grad", "node.grad = 1"),
            ),
            Wrong(
                "the end only",
                "Only the end has a gradient. backward has to call itself for the creators, and not for their numbers.",
                ("backward(creator, rule(grad, z, *inputs))", "rule(grad, z, *inputs)"),
            ),
            Wrong(
                "a list in place of two numbers",
                "inputs is a list. With a star, *inputs, a rule takes its numbers one by one.",
                ("rule(grad, z, *inputs)", "rule(grad, z, inputs)"),
            ),
            Wrong(
                "all rules at once",
                "A row of RULES is a tuple with one rule for each creator. zip takes each creator with its rule.",
                """
def backward(node, grad=1):
    z, *inputs = map(value, (node, *node.creators))
    node.grad = grad
    for creator in node.creators:
        if isinstance(creator, Tensor):
            backward(creator, RULES[node.creation_op](grad, z, *inputs))
""",
            ),
            Wrong(
                "multiplied twice",
                "The rule has multiplied by grad already: what it returns is the contribution.",
                ("rule(grad, z, *inputs)", "grad * rule(grad, z, *inputs)"),
            ),
            Wrong(
                "added to None",
                "A new Tensor has the grad None, and nothing can be added to it: set it with =.",
                ("node.grad = grad", "node.grad += grad"),
            ),
            Wrong(
                "added to None, written out",
                "A new Tensor has the grad None, and nothing can be added to it: set it with =.",
                ("node.grad = grad", "node.grad = node.grad + grad"),
            ),
            Wrong(
                "added to the gradient that is there",
                "You add already, and lesson 04 shows why. In this lesson a node keeps only the gradient that "
                "arrives last: node.grad = grad.",
                ("node.grad = grad", "node.grad = (node.grad or 0) + grad"),
            ),
            Wrong(
                "added, and the sum passed on",
                "It adds to the gradient that is there, and passes on the sum. Keep only what arrives, node.grad = grad, "
                "and hand the rule grad.",
                ("node.grad = grad", "node.grad = (node.grad or 0) + grad"),
                ("rule(grad, z", "rule(node.grad, z"),
            ),
            Wrong(
                "only the first gradient is kept",
                "A gradient is there already, and the new one is not kept. Set node.grad = grad whatever is there.",
                ("node.grad = grad", "node.grad = grad if node.grad is None else node.grad"),
            ),
            Wrong(
                "every rule for every creator",
                "Each creator gets the contributions of all rules, and the last one stays. zip takes each creator "
                "with its own rule.",
                """
def backward(node, grad=1):
    z, *inputs = map(value, (node, *node.creators))
    node.grad = grad
    for creator in node.creators:
        for rule in RULES[node.creation_op]:
            if isinstance(creator, Tensor):
                backward(creator, rule(grad, z, *inputs))
""",
            ),
            Wrong(
                "leaves only",
                "Only the leaves keep their gradient. Set node.grad for every node.",
                ("    node.grad = grad\n", "    if not node.creators:\n        node.grad = grad\n"),
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
                "stops at a plain number",
                "The walk ends at the first plain number. Leave that creator out, and go on: those after it still get their contributions.",
                ("        if isinstance(creator, Tensor):\n            ", "        if not isinstance(creator, Tensor):\n            break\n        "),
            ),
            Wrong(
                "return inside the loop",
                "The first creator has its gradient and the second has none: a return inside the loop ends the loop.",
                ("            backward(", "            return backward("),
            ),
            Wrong(
                "grad is not noted",
                "The gradient that arrives is passed on and not noted: set node.grad.",
                ("    node.grad = grad\n", ""),
            ),
            Wrong(
                "the same rule for all",
                "Each creator has a rule of its own, and here all creators get the first one.",
                ("rule(grad, z, *inputs)", "RULES[node.creation_op][0](grad, z, *inputs)"),
            ),
            Wrong("both operations written out", NO_RULES, BY_HAND % "grad"),
        ),
        stub='''
def backward(node, grad=1):
    """Note the gradient that arrives, and pass a contribution to each creator."""
    z, *inputs = map(value, (node, *node.creators))
    return None
''',
    ),
)
