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

THERE = """\
operation('cube', lambda x: x**3, lambda grad, z, x: grad * 3 * x * x)
'cube' in FORWARD, 'cube' in RULES"""

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
            Probe(
                "bad = operation('bad', lambda x: x**3, lambda grad, z, x: grad * 3 * x)\ngradcheck(bad, 2.0) > 0.5",
                True,
            ),
            Probe(THERE, (True, True)),
        ),
        (
            Wrong(
                "one rule, not a row",
                "operation takes other arguments than asked for.",
                ("*rules", "rules"),
            ),
            Wrong(
                "the first rule without its tuple",
                "RULES gets the whole tuple, with a rule for each input. The star in `*rules` collects them into it.",
                ("= forward, rules", "= forward, rules[0]"),
            ),
            Wrong(
                "the first rule only",
                "The second input has no rule. RULES gets the whole tuple, with a rule for each input.",
                ("= forward, rules", "= forward, rules[:1]"),
            ),
            Wrong(
                "the tables have changed places",
                "The tables have changed places: FORWARD gets the function forward, and RULES gets the tuple rules.",
                ("= forward, rules", "= rules, forward"),
            ),
            Wrong(
                "rows at the first call",
                "The rows are not there before the first call. Put them into the tables first, and then return the function.",
                """
def operation(name, forward, *rules):
    def applied(*inputs):
        FORWARD[name], RULES[name] = forward, rules
        return apply(name, *inputs)
    return applied
""",
            ),
            Wrong(
                "applied at once, to nothing",
                "operation applies the new operation at once, and there is no input yet. Return a function: lambda *inputs: ...",
                ("return lambda *inputs: apply(name, *inputs)", "return apply(name)"),
            ),
            Wrong(
                "the rules taken out of their tuple",
                "RULES[name] has to be a tuple with a rule for each input. rules is that tuple: store it as it is.",
                ("= forward, rules", "= forward, *rules"),
            ),
            Wrong(
                "the rules in a list",
                "rules is a tuple already, with a rule for each input. Store it as it is, without brackets.",
                ("= forward, rules", "= forward, [rules]"),
            ),
            Wrong(
                "calls the forward",
                "The number is right, but nothing is recorded under the new name. Return a function that calls apply.",
                ("lambda *inputs: apply(name, *inputs)", "forward"),
            ),
            Wrong(
                "no rules",
                "RULES has no row for the new operation.",
                ("FORWARD[name], RULES[name] = forward, rules", "FORWARD[name] = forward"),
            ),
            Wrong(
                "one input only",
                "The function takes one input only, and an operation may have several: lambda *inputs.",
                ("lambda *inputs: apply(name, *inputs)", "lambda x: apply(name, x)"),
            ),
            Wrong(
                "all inputs as one",
                "apply received all inputs as one tuple. With a star it receives them one by one: apply(name, *inputs).",
                ("apply(name, *inputs)", "apply(name, inputs)"),
            ),
            Wrong(
                "the word name",
                "There is no operation called 'name'. Without quotation marks, name is the name that was given to operation.",
                ("apply(name, *inputs)", 'apply("name", *inputs)'),
            ),
            Wrong(
                "the word name everywhere",
                'The text "name" stands where the name belongs. Without quotation marks, name is the name that was given to operation.',
                ("FORWARD[name], RULES[name]", 'FORWARD["name"], RULES["name"]'),
                ("apply(name, *inputs)", 'apply("name", *inputs)'),
            ),
            Wrong(
                "update with the word name",
                "The tables have no row under the new name. update(name=...) makes a row called 'name'; write FORWARD[name] = forward.",
                (
                    "FORWARD[name], RULES[name] = forward, rules",
                    "FORWARD.update(name=forward)\n    RULES.update(name=rules)",
                ),
            ),
            Wrong(
                "a star on one side only",
                "Both places need the star: lambda *inputs collects all inputs into a tuple, and apply(name, *inputs) spreads them out.",
                ("lambda *inputs:", "lambda inputs:"),
            ),
            Wrong(
                "a table with |= inside the function",
                "Inside a function, `FORWARD |= ...` makes FORWARD a local name. Put the row in by its name: FORWARD[name] = forward.",
                (
                    "FORWARD[name], RULES[name] = forward, rules",
                    "FORWARD |= {name: forward}\n    RULES |= {name: rules}",
                ),
            ),
            Wrong(
                "apply itself",
                "apply needs the name first. Return a function of the inputs alone: lambda *inputs: ...",
                ("lambda *inputs: apply(name, *inputs)", "apply"),
            ),
            Wrong(
                "the result in place of a function",
                "operation has to return a function of the inputs: return lambda *inputs: ...",
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
