"""Lesson 29: a recorded graph as the text of a program, forward and back."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "A graph becomes a program"

COURSE = "lambda a: [(a + 2) * (3 * a + 4)]"
RUN = """\
def run(ends, inputs, *numbers):
    text, constants = source(inputs, ends)
    names = FORWARD | constants
    exec(text, names)
    return names['program'](*numbers)
a = Tensor(2.0)
"""
SHARED = "h = a * a\n"
ZERO = "What stands here for an input that f does not use is no node. Its slope is a Tensor with 0: Tensor(0.0)."

PARTS = (
    Given(
        "29 Words",
        '''
TEXT = {
    "add": "{} + {}",
    "mul": "{} * {}",
    "neg": "-{}",
    "pow": "{} ** {}",
    "matmul": "{} @ {}",
    "transpose": "{}.T",
}


def formula(op, *words):
    """An operation as Python text. What has no sign of its own is a call: exp(v3)."""
    return TEXT[op].format(*words) if op in TEXT else f"{op}({', '.join(words)})"


class Words:
    """What stands in the text for a Tensor or a number. What has no word yet becomes a constant."""

    def __init__(self, inputs):
        self.names = {x: f"x{i}" for i, x in enumerate(inputs)}
        self.constants = {}

    def of(self, x):
        if isinstance(x, Tensor) and x in self.names:
            return self.names[x]
        if type(x) in (int, float) and repr(x)[0].isdigit():
            return repr(x)
        name = f"c{len(self.constants)}"
        self.constants[name] = x
        return f"{name}.data" if isinstance(x, Tensor) else name
''',
    ),
    Piece(
        "29 source",
        '''
def source(inputs, ends):
    """The text of a program that computes the ends from the inputs, and a dict of its constants."""
    words, lines = Words(inputs), []
    for node in [node for end in ends for node in order(end)]:
        if node.creation_op and node not in words.names:
            text = formula(node.creation_op, *map(words.of, node.creators))
            words.names[node] = f"v{len(lines)}"
            lines.append(f"    {words.names[node]} = {text}")
    first = f"def program({', '.join(map(words.of, inputs))}):"
    last = f"    return [{', '.join(map(words.of, ends))}]"
    return "\\n".join([first, *lines, last]), words.constants
''',
        (
            Probe(
                "a = Tensor(2.0)\nsource([a], [a + 2])[0]",
                "def program(x0):\n    v0 = x0 + 2\n    return [v0]",
            ),
            Probe(
                "a = Tensor(2.0)\nsource([a], [(a + 2) * (3 * a + 4)])[0].splitlines()[1:-1]",
                ["    v0 = x0 + 2", "    v1 = 3 * x0", "    v2 = v1 + 4", "    v3 = v0 * v2"],
                asks="Both orders keep the rule. Here the nodes behind the first creator come before those behind the "
                "second: if your order keeps a stack, push the creators in reverse.",
            ),
            Probe(RUN + "run([(a + 2) * (3 * a + 4)], [a], 2.0)", [40.0]),
            Probe(RUN + SHARED + "len(source([a], [h + h * h])[0].splitlines())", 5),
            Probe(RUN + SHARED + "len(source([a], [h + 1, h * 3])[0].splitlines())", 5),
            Probe(RUN + SHARED + "run([h + 1, h * 3], [a], 5.0)", [26.0, 75.0]),
            Probe(RUN + "b = Tensor(3.0)\nrun([a * b + a], [a, b], 5.0, 7.0)", [40.0]),
            Probe(RUN + "run([-2.0 * a], [a], 3.0)", [-6.0]),
            Probe(RUN + "w = Tensor(3.0)\nrun([a * w], [a], 5.0)", [15.0]),
            Probe(RUN + "run([relu(a * np.ones(2))], [a], 3.0)[0]", [3.0, 3.0]),
            Probe(RUN + "run([a], [a], 3.0)", [3.0]),
        ),
        (
            Wrong(
                "no indentation",
                "The lines of a function begin with four spaces.",
                ('f"    {words.names[node]} = {text}"', 'f"{words.names[node]} = {text}"'),
            ),
            Wrong(
                "leaves too",
                "A leaf is not computed. Only a node with an operation gets a line.",
                ("if node.creation_op and node not in words.names:", "if node not in words.names:"),
                (
                    "formula(node.creation_op, *map(words.of, node.creators))",
                    "formula(node.creation_op or 'leaf', *map(words.of, node.creators))",
                ),
            ),
            Wrong(
                "a line for a weight",
                "A leaf is not computed. Only a node with an operation gets a line.",
                ("if node.creation_op and node not in words.names:", "if node not in words.names:"),
            ),
            Wrong(
                "the words as one",
                "formula needs each word as an argument of its own. A * before map(...) hands them over one by one.",
                ("*map(words.of, node.creators)", "map(words.of, node.creators)"),
            ),
            Wrong(
                "counts the inputs",
                'The lines are counted from 0, and the inputs are no lines: f"v{len(lines)}".',
                ("{len(lines)}", "{len(words.names)}"),
            ),
            Wrong(
                "a line for each end again",
                "A node that two ends need gets two lines. If it has a name already, pass over it.",
                ("if node.creation_op and node not in words.names:", "if node.creation_op:"),
            ),
            Wrong(
                "numbers in place of words",
                "The numbers of the recording stand in the text, and the program always computes the same. Ask words.of.",
                ("*map(words.of, node.creators))", "*map(str, map(value, node.creators)))"),
            ),
            Wrong(
                "one name for all",
                'Each line needs a name of its own: f"v{len(lines)}".',
                ('f"v{len(lines)}"', '"v0"'),
            ),
            Wrong(
                "the name is not kept",
                "The next line does not find this node's name. Put it into words.names[node].",
                (
                    '            words.names[node] = f"v{len(lines)}"\n            lines.append(f"    {words.names[node]} = {text}")',
                    '            lines.append(f"    v{len(lines)} = {text}")',
                ),
            ),
            Wrong(
                "backwards",
                "A line uses a name that is made further down. Creators come first, as in order(end).",
                ("for node in order(end)]:", "for node in order(end)[::-1]]:"),
            ),
        ),
        stub='''
def source(inputs, ends):
    """The text of a program that computes the ends from the inputs, and a dict of its constants."""
    words, lines = Words(inputs), []
    # Your lines
    first = f"def program({', '.join(map(words.of, inputs))}):"
    last = f"    return [{', '.join(map(words.of, ends))}]"
    return "\\n".join([first, *lines, last]), words.constants
''',
    ),
    Piece(
        "29 compiled",
        '''
def compiled(f, *examples):
    """A program that computes what f computes, recorded once, at the examples."""
    inputs = [Tensor(x) for x in examples]
    text, constants = source(inputs, f(*inputs))
    names = FORWARD | constants
    exec(text, names)
    names["program"].text = text
    return names["program"]
''',
        (
            Probe(f"compiled({COURSE}, 2.0)(2.0)", [40.0]),
            Probe(
                f"program = compiled({COURSE}, 2.0)\n[program(x) for x in (0.0, 2.0, 3.0)]",
                [[8.0], [40.0], [65.0]],
            ),
            Probe("compiled(lambda x, y: [exp(x) * y], 0.0, 3.0)(0.0, 5.0)", [5.0]),
            Probe(
                "w = Tensor(3.0)\nprogram = compiled(lambda x: [w * x], 1.0)\nw.data = 5.0\nprogram(2.0)",
                [10.0],
            ),
            Probe("compiled(lambda x: [x.sum()], np.ones(3))(np.array([1.0, 2.0, 5.0]))", [8.0]),
            Probe(
                "calls = []\nprogram = compiled(lambda x: calls.append(1) or [x * x], 1.0)\nprogram(2.0), program(3.0), len(calls)",
                ([4.0], [9.0], 1),
            ),
            Probe(
                "compiled(lambda x: [x * x], 1.0).text", "def program(x0):\n    v0 = x0 * x0\n    return [v0]"
            ),
            Probe(
                "before = set(FORWARD)\nprogram = compiled(lambda x: [x * np.ones(2)], 1.0)\nset(FORWARD) == before",
                True,
            ),
        ),
        (
            Wrong(
                "f itself",
                "f runs again in every call. Record it once, and return the program.",
                """
def compiled(f, *examples):
    def program(*numbers):
        program.text, _ = source([*map(Tensor, examples)], f(*map(Tensor, examples)))
        return [value(end) for end in f(*map(Tensor, numbers))]

    return program
""",
            ),
            Wrong(
                "recorded in every call",
                "f runs again in every call. Record it once, and return the program.",
                """
def compiled(f, *examples):
    def program(*numbers):
        inputs = [Tensor(x) for x in examples]
        program.text, constants = source(inputs, f(*inputs))
        names = FORWARD | constants
        exec(program.text, names)
        return names["program"](*numbers)

    return program
""",
            ),
            Wrong(
                "a list as the only input",
                "f takes its inputs one by one, and was called with a list of them. Write f(*inputs), with a *.",
                ("f(*inputs)", "f(inputs)"),
            ),
            Wrong(
                "the numbers of the recording",
                "It was computed once, and gives the numbers of the examples. Return the program.",
                (
                    '    return names["program"]',
                    '    result = names["program"](*examples)\n    return lambda *numbers: result',
                ),
            ),
            Wrong(
                "the result of the program",
                "The program itself is asked for, which can be called again and again, and not its result.",
                ('    return names["program"]', '    return names["program"](*examples)'),
            ),
            Wrong(
                "the result of exec",
                'exec returns nothing. It puts the function into the dict: names["program"].',
                ("    exec(text, names)\n", "    program = exec(text, names)\n"),
                ('names["program"].text = text', "program.text = text"),
                ('return names["program"]', "return program"),
            ),
            Wrong(
                "the text itself",
                'That is the text of the program. Return the function, names["program"].',
                ('    return names["program"]', "    return text"),
            ),
            Wrong(
                "without FORWARD",
                "The text calls operations by name, such as exp(v0). exec needs the names in FORWARD.",
                ("FORWARD | constants", "dict(constants)"),
            ),
            Wrong(
                "without the constants",
                "The text uses constants, such as c0. exec needs their names, too: FORWARD | constants.",
                ("FORWARD | constants", "dict(FORWARD)"),
            ),
            Wrong(
                "into FORWARD",
                "The names of this program stand in FORWARD now. Make a new dict: FORWARD | constants.",
                ("names = FORWARD | constants", "names = FORWARD\n    names |= constants"),
            ),
            Wrong(
                "no text",
                "The text of the program is missing. Keep it: program.text = text.",
                ('    names["program"].text = text\n', ""),
            ),
            Wrong(
                "plain examples",
                "f has to be recorded, so it needs Tensors and not plain numbers.",
                ("[Tensor(x) for x in examples]", "list(examples)"),
            ),
            Wrong(
                "new inputs",
                "f was recorded with other Tensors than source was given, so the program does not know its inputs.",
                ("f(*inputs)", "f(*map(Tensor, examples))"),
            ),
        ),
    ),
    Piece(
        "29 with_slopes",
        '''
def with_slopes(f, *leaves):
    """A function that returns [f, its slopes], for the leaves or, if there are none, for its inputs."""

    def both(*inputs):
        end = f(*inputs)
        arrived = gradients(end, Tensor(1.0))
        return [end, *(arrived.get(x, Tensor(0.0 * value(x))) for x in leaves or inputs)]

    return both
''',
        (
            Probe(
                "[type(x).__name__ for x in with_slopes(lambda a: a * a)(Tensor(2.0))]", ["Tensor", "Tensor"]
            ),
            Probe(
                "[float(value(x)) for x in with_slopes(lambda a: (a + 2) * (3 * a + 4))(Tensor(2.0))]",
                [40.0, 22.0],
            ),
            Probe(
                "program = compiled(with_slopes(lambda a: (a + 2) * (3 * a + 4)), 2.0)\n[float(x) for x in program(0.0)]",
                [8.0, 10.0],
            ),
            Probe(
                "program = compiled(with_slopes(lambda x, y: x * y), 5.0, 7.0)\n[float(x) for x in program(2.0, 3.0)]",
                [6.0, 3.0, 2.0],
            ),
            Probe(
                "w = Tensor(4.0)\nprogram = compiled(with_slopes(lambda x: x * w, w), 5.0)\n[float(x) for x in program(3.0)]",
                [12.0, 3.0],
            ),
            Probe(
                "program = compiled(with_slopes(lambda x, y: x * x), 5.0, 7.0)\n[float(x) for x in program(3.0, 1.0)]",
                [9.0, 6.0, 0.0],
            ),
            Probe(
                "both = with_slopes(lambda a: a * a)\n"
                "[[float(value(x)) for x in both(Tensor(number))] for number in (2.0, 3.0)]",
                [[4.0, 4.0], [9.0, 6.0]],
            ),
            Probe("x = Tensor(2.0)\nends = with_slopes(lambda x: x * x)(x)\nx.grad", None),
        ),
        (
            Wrong(
                "a walk with numbers",
                "The slopes are numbers of the recording and no nodes. Begin the walk with a Tensor, Tensor(1.0).",
                ("gradients(end, Tensor(1.0))", "{x: Tensor(g) for x, g in gradients(end).items()}"),
            ),
            Wrong(
                "plain slopes",
                "The slopes are plain numbers and no nodes. Begin the walk with a Tensor, Tensor(1.0).",
                ("gradients(end, Tensor(1.0))", "gradients(end)"),
            ),
            Wrong(
                "slopes alone",
                "The result of f comes first, and then its slopes.",
                ("return [end, *(", "return [*("),
            ),
            Wrong(
                "never the leaves",
                "Where leaves are given, the slopes are theirs and not those of the inputs.",
                ("in leaves or inputs", "in inputs"),
            ),
            Wrong(
                "always the leaves",
                "Without leaves, the slopes of the inputs are asked for: leaves or inputs.",
                ("in leaves or inputs", "in leaves"),
            ),
            Wrong(
                "not used",
                "An input that f does not use has no entry in the dict. Its slope is a Tensor with 0.",
                ("arrived.get(x, Tensor(0.0 * value(x)))", "arrived[x]"),
            ),
            Wrong(
                "a plain 0.0",
                ZERO,
                ("Tensor(0.0 * value(x))", "0.0"),
            ),
            Wrong("a plain 0", ZERO, ("Tensor(0.0 * value(x))", "0")),
            Wrong("None", ZERO, ("arrived.get(x, Tensor(0.0 * value(x)))", "arrived.get(x)")),
            Wrong(
                "the leaves and the inputs",
                "Where leaves are given, only their slopes are asked for: leaves or inputs.",
                ("in leaves or inputs", "in leaves + inputs"),
            ),
            Wrong(
                "leaves made local",
                "Inside the function `leaves` is assigned to, so Python takes it for a local name. Go through "
                "`leaves or inputs` and leave `leaves` as it is.",
                ("        end = f(*inputs)\n", "        leaves = leaves or inputs\n        end = f(*inputs)\n"),
                ("in leaves or inputs", "in leaves"),
            ),
            Wrong(
                "no function",
                "with_slopes returns a function. The inputs come when that one is called: write it inside, and return it.",
                """
def with_slopes(f, *leaves):
    end = f(*leaves)
    arrived = gradients(end, Tensor(1.0))
    return [end, *(arrived[x] for x in leaves)]
""",
            ),
            Wrong(
                "the inputs of the first call",
                "In the second call the slopes still belong to the inputs of the first. Leave `leaves` as it is, "
                "and go through `leaves or inputs` in each call.",
                (
                    "        end = f(*inputs)\n",
                    "        nonlocal leaves\n        leaves = leaves or inputs\n        end = f(*inputs)\n",
                ),
                ("in leaves or inputs", "in leaves"),
            ),
            Wrong(
                "by way of .grad",
                "The walk was kept in .grad, where it is added up. Use gradients, which leaves .grad alone.",
                (
                    "arrived = gradients(end, Tensor(1.0))",
                    "backward(end, Tensor(1.0))\n        arrived = {x: x.grad for x in order(end)}",
                ),
            ),
        ),
    ),
)
