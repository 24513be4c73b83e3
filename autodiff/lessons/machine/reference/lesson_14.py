"""Lesson 14: operations that the machine does not have yet."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "Operations of your own"

CUBE = "cube = operation('cube', lambda x: x**3, lambda grad, z, x: grad * 3 * x * x)\nx = Tensor(2.0)\n"
TIMES = """\
rules = lambda grad, z, x, y: grad * y, lambda grad, z, x, y: grad * x
times = operation('times', lambda x, y: x * y, *rules)
x, y = Tensor(2.0), Tensor(5.0)
backward(times(x, y))
x.grad, y.grad"""

PARTS = (
    Piece(
        "14 operation",
        '''
def operation(name, forward, *rules):
    """Put a new row into both tables, and return a function that uses it."""
    FORWARD[name], RULES[name] = forward, rules
    return lambda *inputs: apply(name, *inputs)
''',
        (
            Probe(CUBE + "cube(x).data", 8.0),
            Probe(CUBE + "cube(x).creation_op", "cube"),
            Probe(CUBE + "backward(cube(x))\nx.grad", 12.0),
            Probe(TIMES, (5.0, 2.0)),
            Probe(CUBE + "gradcheck(cube, 2.0) < 1e-6", True),
            Probe("bad = operation('bad', lambda x: x**3, lambda grad, z, x: grad * 3 * x)\ngradcheck(bad, 2.0) > 0.5", True),
        ),
        (
            Wrong(
                "one rule, not a row",
                "operation takes other arguments than asked for.",
                ("*rules", "rules"),
            ),
            Wrong(
                "calls the forward",
                "The number is right, and nothing is recorded under the new name: return a function that uses apply.",
                ("lambda *inputs: apply(name, *inputs)", "forward"),
            ),
            Wrong(
                "no rules",
                "RULES has no row for the new operation.",
                ("FORWARD[name], RULES[name] = forward, rules", "FORWARD[name] = forward"),
            ),
            Wrong(
                "one input only",
                "The function takes one input, and an operation may have several: lambda *inputs.",
                ("lambda *inputs: apply(name, *inputs)", "lambda x: apply(name, x)"),
            ),
            Wrong(
                "all inputs as one",
                "All inputs were handed to apply as one tuple. A star hands them over one by one: apply(name, *inputs).",
                ("apply(name, *inputs)", "apply(name, inputs)"),
            ),
            Wrong(
                "the word name",
                "There is no operation called 'name'. Without quotation marks it is the name that was handed over.",
                ("apply(name, *inputs)", 'apply("name", *inputs)'),
            ),
            Wrong(
                "a table with |= inside the function",
                "In a function, `FORWARD |= ...` makes FORWARD a name of the function's own. Put the row in by its name: FORWARD[name] = forward.",
                ("FORWARD[name], RULES[name] = forward, rules", "FORWARD |= {name: forward}\n    RULES |= {name: rules}"),
            ),
            Wrong(
                "apply itself",
                "apply wants the name first. Return a function of the inputs alone: lambda *inputs: ...",
                ("lambda *inputs: apply(name, *inputs)", "apply"),
            ),
            Wrong(
                "the result in place of a function",
                "It returns something else than a function of the inputs: return lambda *inputs: ...",
                ("return lambda *inputs: apply(name, *inputs)", "return apply(name, 2.0)"),
            ),
        ),
    ),
    Given(
        "14 sigmoid",
        """
sigmoid = operation("sigmoid", lambda x: 1 / (1 + np.exp(-x)), lambda grad, z, x: grad * z * (1 - z))
""",
    ),
)
