"""Lesson 17: forward mode, which is one more function with the name apply."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "Forward mode"

MATRIX = """\
def f(x):
    return (x.reshape((1, 2)) @ np.array([[1.0, 2, 3], [4, 5, 6]])).sum()
value_of_f, moved = jvp(f, np.array([1.0, 1]), np.array([1.0, 0]))
float(value_of_f), float(moved)"""
IN_PLACE = """\
X, Y = np.ones((2, 3)), np.ones((3, 4))
values = [X, Y]
tangent_of('matmul', 0, 2 * X, X @ Y, values)
values[0].sum()"""
EXACT = """\
z = np.tanh(0.5)
exact = tangent_of('tanh', 0, 1.0, z, [0.5])
abs(exact - (1 - z * z)) < 1e-12"""
AFTER_ERROR = """\
try:
    jvp(lambda a: 1 / 0, 3.0, 1.0)
except ZeroDivisionError:
    pass
x = Tensor(2.0)
x.tangent = 1.0
hasattr(x * 3, 'tangent')"""

NUDGED = """\
def jvp(f, x, tangent):
    h = {h}
    there, back = value(f(Tensor(x + h * tangent))), value(f(Tensor({back})))
    return value(f(Tensor(x))), (there - back) / {apart}
"""
NO_NUDGE = (
    "A nudge is close, and not exact: its step can even reach over a corner. jvp walks forward, without a step: "
    "using(push, f, x), and the tangent of z is the answer."
)

PARTS = (
    Given(
        "17 LINEAR", 'LINEAR = {"matmul", "transpose", "sum", "broadcast_to", "reshape", "getitem", "put"}'
    ),
    Piece(
        "17 tangent_of",
        '''
def tangent_of(op, place, tangent, z, inputs):
    """How far z moves if the input at this place moves by the tangent."""
    if op in LINEAR:
        return FORWARD[op](*inputs[:place], tangent, *inputs[place + 1 :])
    return RULES[op][place](tangent, z, *inputs)
''',
        (
            Probe(
                "tangent_of('mul', 0, 1.0, 35.0, [5.0, 7.0]), tangent_of('mul', 1, 1.0, 35.0, [5.0, 7.0])",
                (7.0, 5.0),
            ),
            Probe("round(tangent_of('tanh', 0, 2.0, 0.5, [0.549306]), 6)", 1.5),
            Probe("round(tangent_of('log', 0, 2.0, np.log(5.0), [5.0]), 6)", 0.4),
            Probe(
                "X, Y = np.ones((2, 3)), np.ones((3, 4))\ntangent_of('matmul', 0, X, X @ Y, [X, Y]).shape",
                (2, 4),
            ),
            Probe(
                "X, Y = np.ones((2, 3)), np.ones((3, 4))\ntangent_of('matmul', 1, Y, X @ Y, [X, Y]).shape",
                (2, 4),
            ),
            Probe(IN_PLACE, 6.0),
            Probe(
                "x = np.ones((2, 3))\ntangent_of('sum', 0, x, np.full((2, 1), 3.0), [x, 1])", [[3.0], [3.0]]
            ),
            Probe(MATRIX, (21.0, 6.0)),
            Probe(EXACT, True),
        ),
        (
            Wrong(
                "the rules for all",
                "The rule of matmul leads back, from the shape of z to the shape of x. "
                "A linear operation carries a tangent as it carries x.",
                (
                    "    if op in LINEAR:\n        return FORWARD[op](*inputs[:place], tangent, *inputs[place + 1 :])\n",
                    "",
                ),
            ),
            Wrong(
                "matmul only",
                "Every operation in LINEAR carries a tangent as it carries x, not matmul alone: ask `op in LINEAR`.",
                ("if op in LINEAR", 'if op == "matmul"'),
            ),
            Wrong(
                "the row in place of a rule",
                "RULES[op] is the whole row. The rule of the input that moves is RULES[op][place].",
                ("RULES[op][place]", "RULES[op]"),
            ),
            Wrong(
                "the input is not left out",
                "FORWARD gets one input too many: the tangent takes the place of the input, "
                "so go on at place + 1.",
                ("inputs[place + 1 :]", "inputs[place:]"),
            ),
            Wrong(
                "the forward for all",
                "tanh(tangent) is not the tangent of tanh. Only linear operations carry a tangent as they carry x.",
                ("    if op in LINEAR:\n        return", "    return"),
                ("    return RULES[op][place](tangent, z, *inputs)", ""),
            ),
            Wrong(
                "a nudge of the forward",
                "The result is close, and not exact. The rule gives the tangent itself, without a nudge.",
                (
                    "    return RULES[op][place](tangent, z, *inputs)",
                    """\
    there = [x + 1e-6 * tangent if i == place else x for i, x in enumerate(inputs)]
    back = [x - 1e-6 * tangent if i == place else x for i, x in enumerate(inputs)]
    return (FORWARD[op](*there) - FORWARD[op](*back)) / 2e-6""",
                ),
            ),
            Wrong(
                "a nudge of the forward on one side",
                "A nudge is not exact: z and x are rounded here, and a division by a small step makes that large. The "
                "rule gives the tangent itself, without a nudge.",
                (
                    "    return RULES[op][place](tangent, z, *inputs)",
                    """\
    there = [x + 1e-6 * tangent if i == place else x for i, x in enumerate(inputs)]
    return (FORWARD[op](*there) - z) / 1e-6""",
                ),
            ),
            Wrong(
                "linear operations only",
                "For an operation that is not in LINEAR nothing comes back. There the rule at `place` gives the tangent.",
                ("    return RULES[op][place](tangent, z, *inputs)", "    return None"),
            ),
            Wrong(
                "always the first place",
                "The tangent belongs to the input at `place`, and here it is always the first.",
                ("RULES[op][place]", "RULES[op][0]"),
            ),
            Wrong(
                "the tangent always first",
                "In a linear operation, too, the tangent takes the place of the input at `place`.",
                ("*inputs[:place], tangent, *inputs[place + 1 :]", "tangent, *inputs[1:]"),
            ),
            Wrong(
                "writes into inputs",
                "The list of the inputs has changed, and the next tangent is computed from it. Write into a copy.",
                (
                    "        return FORWARD[op](*inputs[:place], tangent, *inputs[place + 1 :])",
                    "        inputs[place] = tangent\n        return FORWARD[op](*inputs)",
                ),
            ),
            Wrong(
                "the tangent alone",
                "A function of FORWARD takes all inputs. Only the one at `place` is replaced by the tangent.",
                ("(*inputs[:place], tangent, *inputs[place + 1 :])", "(tangent)"),
            ),
            Wrong(
                "the inputs in one list",
                "A rule takes the inputs one by one: put a * before the list.",
                ("z, *inputs)", "z, inputs)"),
            ),
            Wrong(
                "without z",
                "A rule takes the tangent, then z, then the inputs one by one: (tangent, z, *inputs).",
                ("(tangent, z, *inputs)", "(tangent, *inputs)"),
            ),
            Wrong(
                "the tangent in place of the input, for a rule too",
                "The rule needs the inputs as they are: x is 5, and the tangent only comes in place of grad. "
                "Only FORWARD gets the tangent in place of the input.",
                ("RULES[op][place](tangent, z, *inputs)", "RULES[op][place](tangent, z, *inputs[:place], tangent, *inputs[place + 1 :])"),
            ),
            Wrong(
                "the tangent is lost",
                "This is the local slope. Give the rule the tangent in place of a gradient.",
                ("[place](tangent, z", "[place](1.0, z"),
            ),
        ),
    ),
    Piece(
        "17 push",
        '''
def push(op, *inputs):
    """An apply that records, and carries tangents along."""
    z, values = record(op, *inputs), [value(x) for x in inputs]
    for place, x in enumerate(inputs):
        if hasattr(x, "tangent"):
            moved = getattr(z, "tangent", np.zeros(shape(z)))
            z.tangent = moved + tangent_of(op, place, x.tangent, z.data, values)
    return z
''',
        (
            Probe(
                "x, y = Tensor(5.0), Tensor(7.0)\nx.tangent, y.tangent = 1.0, 10.0\nfloat(push('mul', x, y).tangent)",
                57.0,
            ),
            Probe("x = Tensor(5.0)\nx.tangent = 1.0\nfloat(push('mul', x, 7.0).tangent)", 7.0),
            Probe("z = push('mul', Tensor(5.0), 7.0)\nz.data, hasattr(z, 'tangent')", (35.0, False)),
            Probe("push('mul', 5.0, 7.0)", 35.0),
            Probe("x = Tensor(5.0)\nx.tangent = 1.0\nfloat(using(push, lambda: x * 7.0).tangent)", 7.0),
            Probe(
                "c = Tensor(np.ones(3))\nc.tangent = np.ones(3)\npush('add', c, np.ones((2, 3))).tangent",
                [[1, 1, 1], [1, 1, 1]],
            ),
            Probe("x = Tensor(0.0)\nx.tangent = 1.0\npush('tanh', x).tangent", 1.0),
        ),
        (
            Wrong(
                "the node z passed on",
                "A rule that uses z gives a Tensor here. Give tangent_of the number in it, z.data.",
                ("z.data, values)", "z, values)"),
            ),
            Wrong(
                "the last tangent wins",
                "Both inputs move, and z moves by both: add the second tangent to the first.",
                ('getattr(z, "tangent", np.zeros(shape(z)))', "np.zeros(shape(z))"),
            ),
            Wrong(
                "always the first place",
                "Each input has its own place: give tangent_of the number that enumerate gives.",
                ("tangent_of(op, place,", "tangent_of(op, 0,"),
            ),
            Wrong(
                "no beginning",
                "z has no tangent yet when the first one arrives: begin with zeros.",
                ('            moved = getattr(z, "tangent", np.zeros(shape(z)))\n', ""),
                ("z.tangent = moved + tangent_of", "z.tangent += tangent_of"),
            ),
            Wrong(
                "the shape of the input",
                "z is larger than the input that moves, and its tangent has the shape of z.",
                ("np.zeros(shape(z))", "0"),
            ),
            Wrong(
                "every input has a tangent",
                "Not every input moves. A plain number and a Tensor that stands still have no attribute tangent: ask "
                "with hasattr.",
                ('if hasattr(x, "tangent"):', "if True:"),
            ),
            Wrong(
                "every Tensor has a tangent",
                "Not every input moves. A plain number and a Tensor that stands still have no attribute tangent: ask "
                "with hasattr.",
                ('hasattr(x, "tangent")', "isinstance(x, Tensor)"),
            ),
            Wrong(
                "always a tangent",
                "If no input moves, z stands still and gets no tangent.",
                (
                    "    return z",
                    '    if isinstance(z, Tensor):\n        z.tangent = getattr(z, "tangent", np.zeros(shape(z)))\n    return z',
                ),
            ),
            Wrong(
                "apply in place of record",
                "While f runs, push itself has the name apply, so it calls itself. Use record.",
                ("record(op", "apply(op"),
            ),
            Wrong(
                "Tensors passed on",
                "The tangent is a Tensor here. Give tangent_of plain numbers: values, not inputs.",
                ("z.data, values)", "z.data, inputs)"),
            ),
            Wrong(
                "nothing comes back",
                "The function computes something and returns nothing: end with `return`.",
                ("    return z", "    z.tangent if isinstance(z, Tensor) else z"),
            ),
        ),
    ),
    Piece(
        "17 jvp",
        '''
def jvp(f, x, tangent):
    """f(x), and how far it moves when x moves along the tangent."""
    x = Tensor(x)
    x.tangent = tangent
    z = using(push, f, x)
    return value(z), getattr(z, "tangent", np.zeros(shape(z)))
''',
        (
            Probe("z, moved = jvp(lambda a: (a + 2) * (a * 3 + 4), 2.0, 1.0)\nz, float(moved)", (40.0, 22.0)),
            Probe("z, moved = jvp(lambda a: relu(a - 1e-15), 0.0, 1.0)\nz, float(moved)", (0.0, 0.0)),
            Probe("z, moved = jvp(lambda a: a * a, 3.0, 10.0)\nz, float(moved)", (9.0, 60.0)),
            Probe(
                "z, moved = jvp(lambda x: x * np.ones((2, 3)), np.ones(3), np.ones(3))\nmoved",
                [[1, 1, 1], [1, 1, 1]],
            ),
            Probe("z, moved = jvp(lambda x: Tensor(3.0) * 2, 1.0, 1.0)\nz, float(moved)", (6.0, 0.0)),
            Probe("jvp(lambda x: Tensor(np.ones(2)) * 3, 1.0, 1.0)[1]", [0.0, 0.0]),
            Probe(AFTER_ERROR, False),
            Probe("f = grad(lambda x: x**3)\nz, moved = jvp(f, 2.0, 1.0)\nz, float(moved)", (12.0, 12.0)),
            Probe(
                "z, moved = jvp(lambda x: x[0] * x[1], np.array([2.0, 3.0]), np.array([1.0, 10.0]))\nmoved",
                23.0,
            ),
            Probe("jvp(lambda a: a * a, 3.0, 1.0)\nhasattr(Tensor(2.0) * 3, 'tangent')", False),
            Probe("z, moved = jvp(lambda x: 5.0, 1.0, 1.0)\nz, float(moved)", (5.0, 0.0)),
        ),
        (
            Wrong(
                "apply stays",
                "No tangent is carried along: apply has to be push while f runs.",
                ("using(push, f, x)", "f(x)"),
            ),
            Wrong(
                "a walk back, times the tangent",
                "This walks back and multiplies afterwards, which fails where the result has another shape than x. "
                "jvp walks forward: using(push, f, x), and the tangent of z is the answer.",
                """
def jvp(f, x, tangent):
    x = Tensor(x)
    z = f(x)
    return z.data, gradients(z)[x] * tangent
""",
            ),
            Wrong("a nudge on one side", NO_NUDGE, NUDGED.format(h="1e-5", back="x", apart="h")),
            Wrong(
                "a nudge on both sides",
                NO_NUDGE,
                NUDGED.format(h="1e-6", back="x - h * tangent", apart="(2 * h)"),
            ),
            Wrong(
                "f is called too early",
                "using takes the function itself, and its input after it: using(push, f, x).",
                ("using(push, f, x)", "using(push, f(x))"),
            ),
            Wrong(
                "by hand",
                "After an error in f, apply is still push. `using` of lesson 15 puts it back.",
                """
def jvp(f, x, tangent):
    global apply
    x = Tensor(x)
    x.tangent = tangent
    apply = push
    z = f(x)
    apply = record
    return value(z), getattr(z, "tangent", np.zeros(shape(z)))
""",
            ),
            Wrong(
                "no Tensor of x",
                "A plain number cannot have a tangent. Make a Tensor of x first.",
                ("    x = Tensor(x)\n", ""),
            ),
            Wrong(
                "the other way round",
                "The value of f comes first, and how far it moves second.",
                (
                    'value(z), getattr(z, "tangent", np.zeros(shape(z)))',
                    'getattr(z, "tangent", np.zeros(shape(z))), value(z)',
                ),
            ),
            Wrong(
                "a single 0",
                "The second result has the shape of f(x), even where f does not move: np.zeros(shape(z)).",
                ("np.zeros(shape(z))", "0.0"),
            ),
            Wrong(
                "always along 1",
                "x moves along the argument tangent, not along 1.",
                ("x.tangent = tangent", "x.tangent = 1.0"),
            ),
            Wrong(
                "along 1, times the tangent",
                "The walk begins with the tangent itself: x.tangent = tangent. Nothing is multiplied afterwards, since "
                "each number of x has a tangent of its own.",
                ("x.tangent = tangent", "x.tangent = 1.0"),
                ('getattr(z, "tangent", np.zeros(shape(z)))', 'tangent * getattr(z, "tangent", np.zeros(shape(z)))'),
            ),
            Wrong(
                "along ones, times the tangent",
                "The walk begins with the tangent itself: x.tangent = tangent. Nothing is multiplied afterwards, since "
                "each number of x has a tangent of its own.",
                ("x.tangent = tangent", "x.tangent = np.ones(shape(x))"),
                ('getattr(z, "tangent", np.zeros(shape(z)))', 'tangent * getattr(z, "tangent", np.zeros(shape(z)))'),
            ),
            Wrong(
                "the tangent only",
                "Two results are asked for: f(x), and how far it moves.",
                ("return value(z), getattr(", "return getattr("),
            ),
            Wrong(
                "fails where x is not used",
                "Where f does not use x its result has no tangent: it does not move, so the tangent is 0.",
                ('getattr(z, "tangent", np.zeros(shape(z)))', "z.tangent"),
            ),
            Wrong(
                "the tangent in a Tensor",
                "A tangent is a plain number or array. Give x the tangent as it is, without Tensor(...).",
                ("x.tangent = tangent", "x.tangent = Tensor(tangent)"),
            ),
            Wrong(
                "the end in place of its number",
                "The first result is a Tensor. Return value(z).",
                ("return value(z),", "return z,"),
            ),
            Wrong(
                "the data of a plain number",
                "f may return a plain number, which has no data: use value(z).",
                ("return value(z),", "return z.data,"),
            ),
        ),
    ),
)
