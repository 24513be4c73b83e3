"""Lesson 01: the Tensor, and the one place where an operation is recorded."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "A number that remembers"

TREE = """\
40 mul
    4 add
        2
        2
    10 add
        6 mul
            2
            3
        4"""

PARTS = (
    Piece(
        "01 Tensor",
        '''
class Tensor:
    """A number that remembers how it was made."""

    def __init__(self, data, creators=(), creation_op=None):
        self.data = data
        self.creators = creators
        self.creation_op = creation_op
        self.grad = None

    def __add__(self, other):
        return apply("add", self, other)

    def __mul__(self, other):
        return apply("mul", self, other)

    def __repr__(self):
        return f"{self.data:.6g}"
''',
        (
            Probe("a = Tensor(2)\na.data, a.creators, a.creation_op", (2, (), None)),
            Probe("a = Tensor(2)\ne = a * 3\ne.data, e.creation_op", (6, "mul")),
            Probe("a = Tensor(2)\ne = a * 3\ne.creators[0] is a, e.creators[1]", (True, 3)),
            Probe("a = Tensor(2)\ne = (a + 2) * (a * 3 + 4)\nstr(e), [str(x) for x in e.creators]", ("40", ["4", "10"])),
            Probe("Tensor(2).grad", None),
            Probe("type(Tensor(2).creators).__name__", "tuple"),
        ),
        (
            Wrong(
                "creators and operation exchanged",
                "The second argument is the creators, the third is the name of the operation: they are exchanged.",
                ("= creators\n", "= mixed\n"),
                ("= creation_op\n", "= creators\n"),
                ("= mixed\n", "= creation_op\n"),
            ),
            Wrong(
                "numbers in place of creators",
                "Keep the creators themselves, not their numbers: a number does not remember where it came from.",
                ("= creators\n", "= tuple(map(value, creators))\n"),
            ),
            Wrong(
                "grad begins at 0",
                "A new Tensor has the grad None, which means that no gradient has arrived. 0 would be a result.",
                ("self.grad = None", "self.grad = 0"),
            ),
            Wrong(
                "data is not kept",
                "A new Tensor has no attribute `data`. Keep every argument in the Tensor itself: self.data = data, and so on.",
                ("        self.data = data\n", ""),
            ),
            Wrong(
                "creators are not kept",
                "A new Tensor has no attribute `creators`. Keep every argument in the Tensor itself: self.creators = creators.",
                ("        self.creators = creators\n", ""),
            ),
            Wrong(
                "the operation is not kept",
                "A new Tensor has no attribute `creation_op`. Keep every argument in the Tensor itself: self.creation_op = creation_op.",
                ("        self.creation_op = creation_op\n", ""),
            ),
            Wrong(
                "grad is not set",
                "A new Tensor has no attribute `grad`. It needs one, and it is None: self.grad = None.",
                ("        self.grad = None\n", ""),
            ),
            Wrong(
                "always a leaf",
                "The creators that are handed over are lost: keep the argument creators.",
                ("self.creators = creators", "self.creators = ()"),
            ),
            Wrong(
                "always without an operation",
                "The word that is handed over is lost: keep the argument creation_op.",
                ("self.creation_op = creation_op", "self.creation_op = None"),
            ),
            Wrong(
                "the arguments are ignored",
                "Two of the arguments are lost: self.creators = creators, and self.creation_op = creation_op.",
                ("self.creators = creators", "self.creators = ()"),
                ("self.creation_op = creation_op", "self.creation_op = None"),
            ),
            Wrong(
                "a list of creators",
                "The creators arrive as a tuple. Keep that tuple as it is: self.creators = creators.",
                ("self.creators = creators", "self.creators = list(creators)"),
            ),
            Wrong(
                "names without self",
                "A new Tensor has no attribute `data`. Keep every argument in the Tensor itself: self.data = data, and so on.",
                ("self.data = data", "tensor_data = data"),
                ("self.creators = c", "tensor_creators = c"),
                ("self.creation_op = c", "tensor_op = c"),
                ("self.grad = None", "tensor_grad = None"),
            ),
        ),
        open=("__init__",),
    ),
    Given(
        "01 value and FORWARD",
        '''
def value(x):
    """The number in a Tensor. A plain number is its own value."""
    return x.data if isinstance(x, Tensor) else x


FORWARD = {
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y,
}
''',
    ),
    Piece(
        "01 apply",
        '''
def apply(op, *inputs):
    """Compute an operation, and record it if one of its inputs is a Tensor."""
    data = FORWARD[op](*map(value, inputs))
    return Tensor(data, inputs, op) if Tensor in map(type, inputs) else data
''',
        (
            Probe("e = Tensor(2) + Tensor(5)\ne.data, e.creation_op", (7, "add")),
            Probe("e = Tensor(2) * 3\ne.data", 6),
            Probe("a = Tensor(2)\ne = a * 3\ne.creators[0] is a, e.creators[1]", (True, 3)),
            Probe("a, b = Tensor(2), Tensor(5)\ne = apply('add', a, b)\n[x.data for x in e.creators]", [2, 5]),
            Probe("e = apply('add', 2, Tensor(3))\ntype(e).__name__", "Tensor"),
            Probe("type(apply('add', 2, 3)).__name__", "int"),
        ),
        (
            Wrong(
                "Tensors handed to FORWARD",
                "A row of FORWARD computes with plain numbers. Take the value of each input first.",
                ("*map(value, inputs)", "*inputs"),
            ),
            Wrong(
                "asks plain numbers for their data",
                "A plain number has no data. `value` takes care of that: value(3) is 3.",
                ("*map(value, inputs)", "*[x.data for x in inputs]"),
            ),
            Wrong(
                "never a Tensor",
                "The result is a plain number. With a Tensor among the inputs it has to be a Tensor.",
                ("    return Tensor(data, inputs, op) if Tensor in map(type, inputs) else data", "    return data"),
            ),
            Wrong(
                "nothing for plain numbers",
                "If no input is a Tensor, return the plain result.",
                ("else data", "else None"),
            ),
            Wrong(
                "one list in place of two numbers",
                "A row of FORWARD takes its numbers one by one: put a star before the list.",
                ("*map(value, inputs)", "[value(x) for x in inputs]"),
            ),
            Wrong(
                "records the numbers",
                "The creators are the inputs themselves, and here their numbers are recorded.",
                ("Tensor(data, inputs, op)", "Tensor(data, tuple(map(value, inputs)), op)"),
            ),
            Wrong(
                "always a Tensor",
                "Two plain numbers give a plain number: without a Tensor there is nothing to record.",
                (" if Tensor in map(type, inputs) else data", ""),
            ),
            Wrong(
                "looks at the first input only",
                "The Tensor may be any of the inputs, not only the first.",
                ("Tensor in map(type, inputs)", "isinstance(inputs[0], Tensor)"),
            ),
            Wrong(
                "records nothing",
                "The number is right, and nothing is recorded: Tensor takes the creators and the operation as well.",
                ("Tensor(data, inputs, op)", "Tensor(data)"),
            ),
            Wrong(
                "the operation is not passed on",
                "The word of the operation is missing: it is the third argument of Tensor.",
                ("Tensor(data, inputs, op)", "Tensor(data, inputs)"),
            ),
            Wrong(
                "records the Tensors only",
                "Every input is a creator, a plain number too: pass on all of inputs.",
                ("Tensor(data, inputs, op)", "Tensor(data, tuple(x for x in inputs if isinstance(x, Tensor)), op)"),
            ),
        ),
    ),
    Piece(
        "01 tree",
        '''
def tree(node, indent=""):
    """Print how a node was made. Its creators stand below it, further to the right."""
    if isinstance(node, Tensor):
        print(indent + str(node), node.creation_op or "")
        for creator in node.creators:
            tree(creator, indent + "    ")
    else:
        print(indent + str(node))
''',
        (
            Probe("tree(Tensor(2))", "2", prints=True),
            Probe("tree(Tensor(2) * 3)", "6 mul\n    2\n    3", prints=True),
            Probe("a = Tensor(2)\ntree((a + 2) * (a * 3 + 4))", TREE, prints=True),
        ),
        (
            Wrong(
                "one level only",
                "It looks one level deep. Below 10 stands a 6 that was made as well: tree has to call tree.",
                ('tree(creator, indent + "    ")', 'print(indent + "    " + str(creator))'),
            ),
            Wrong(
                "fails at a plain number",
                "A plain number has no creators. Print it, and stop there.",
                """
def tree(node, indent=""):
    print(indent + str(node), node.creation_op or "")
    for creator in node.creators:
        tree(creator, indent + "    ")
""",
            ),
            Wrong(
                "two spaces",
                "Each creator stands four spaces further to the right.",
                ('indent + "    "', 'indent + "  "'),
            ),
            Wrong(
                "None after a leaf",
                "A leaf has no word for its operation. Print nothing after its number.",
                (' or ""', ""),
            ),
            Wrong(
                "one space too many",
                "print puts a space between its arguments. Put the indent and the number together: indent + str(node).",
                ("print(indent + str(node)", "print(indent, node"),
            ),
            Wrong(
                "one space too many, and None after a leaf",
                "print puts a space between its arguments. Put the indent and the number together: indent + str(node). "
                "And a leaf has no word for its operation. Print nothing after its number.",
                ('print(indent + str(node), node.creation_op or "")', "print(indent, node, node.creation_op)"),
            ),
            Wrong(
                "no space before the word",
                "Put a space between the number and the word.",
                ('str(node), node.creation_op or ""', 'str(node) + (node.creation_op or "")'),
            ),
            Wrong(
                "no indent",
                "Every line begins at the left. Pass on a longer indent: tree(creator, indent + four spaces).",
                ('indent + "    "', "indent"),
            ),
            Wrong(
                "no indent before a plain number",
                "A plain number needs the indent as well: indent + str(node).",
                ("else:\n        print(indent + str(node))", "else:\n        print(node)"),
            ),
            Wrong(
                "a tab",
                "These are tabs. The indent grows by four spaces.",
                ('indent + "    "', r'indent + "\t"'),
            ),
            Wrong(
                "the indent grows in the loop",
                "The second creator stands further to the right than the first. Leave indent as it is in the loop: "
                "tree(creator, indent + four spaces).",
                (
                    '            tree(creator, indent + "    ")',
                    '            indent = indent + "    "\n            tree(creator, indent)',
                ),
            ),
            Wrong(
                "returns its text",
                "tree has to print each line itself, and returns nothing.",
                """
def tree(node, indent=""):
    if not isinstance(node, Tensor):
        return indent + str(node)
    lines = [indent + str(node)] + [tree(creator, indent + "    ") for creator in node.creators]
    return chr(10).join(lines)
""",
            ),
            Wrong(
                "creators first",
                "The creators stand above what they make. Print the node first, then its creators.",
                """
def tree(node, indent=""):
    if isinstance(node, Tensor):
        for creator in node.creators:
            tree(creator, indent + "    ")
        print(indent + str(node), node.creation_op or "")
    else:
        print(indent + str(node))
""",
            ),
        ),
    ),
)
