"""Lesson 06: more rows in both tables, and the operators that need none."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "More operations"

WHOLE = """\
a, b, c = Tensor(1), Tensor(0.5), Tensor(2)
y = ((a - b) / c) ** 2 + exp(a) * tanh(b)
backward(y)
[round(number, 4) for number in (y.data, a.grad, b.grad, c.grad)]"""


def slope_of(f: str, x: float) -> str:
    """The code of a probe: the gradient of an operation at a point."""
    return f"x = Tensor({x})\nbackward({f})\nround(x.grad, 6)"


def rule_of(op: str, z: str = "") -> str:
    """The code of a probe: a rule at x = 2 when the gradient 10 arrives."""
    return f"rule, = RULES['{op}']\nround(rule(10, {z or f'{op}(2)'}, 2), 4)"

HAT = "In Python ^ is not a power. Write ** in its place: x ** (y - 1)."
EVERYWHERE = (
    "The gradient is passed on everywhere, and it has to be 0 where x is not above 0. Ask for x: z, the result, "
    "is never below 0."
)

PARTS = (
    Given(
        "06 FORWARD and functions",
        '''
FORWARD |= {
    "neg": lambda x: -x,
    "pow": lambda x, y: x**y,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "relu": lambda x: max(x, 0),
}


def exp(x):
    """e to the power x."""
    return apply("exp", x)


def log(x):
    """The natural logarithm of x."""
    return apply("log", x)


def tanh(x):
    """The hyperbolic tangent of x."""
    return apply("tanh", x)


def relu(x):
    """x where it is positive, else 0."""
    return apply("relu", x)


Tensor.__neg__ = lambda x: apply("neg", x)
Tensor.__pow__ = lambda x, y: apply("pow", x, y)
''',
    ),
    Piece(
        "06 rules",
        """
RULES |= {
    "neg": (lambda grad, z, x: -grad,),
    "pow": (lambda grad, z, x, y: grad * y * x ** (y - 1), lambda grad, z, x, y: grad * z * log(x)),
    "exp": (lambda grad, z, x: grad * z,),
    "log": (lambda grad, z, x: grad / x,),
    "tanh": (lambda grad, z, x: grad * (1 - z * z),),
    "relu": (lambda grad, z, x: grad * (x > 0),),
}
""",
        (
            Probe("x = Tensor(2)\nbackward(-x)\nx.grad", -1),
            Probe(slope_of("x ** 3", 2), 12),
            Probe(slope_of("x ** 2", 3), 6),
            Probe(slope_of("x ** 2", 0), 0),
            Probe("y = Tensor(3)\nbackward(apply('pow', 2, y))\nround(y.grad, 6)", 5.545177),
            Probe(slope_of("exp(x)", 0.5), 1.648721),
            Probe(slope_of("log(x)", 2), 0.5),
            Probe(slope_of("log(x)", 5), 0.2),
            Probe(slope_of("tanh(x)", 0.5), 0.786448),
            Probe("x = Tensor(2)\nbackward(relu(x))\nx.grad", 1),
            Probe("x = Tensor(-2)\nbackward(relu(x))\nx.grad", 0),
            Probe("x = Tensor(0)\nbackward(relu(x))\nx.grad", 0),
            Probe(rule_of("neg", "-2"), -10),
            Probe("to_x, to_y = RULES['pow']\nto_x(10, 8, 2, 3), round(to_y(10, 8, 2, 3), 4)", (120, 55.4518)),
            Probe(rule_of("exp"), 73.8906),
            Probe(rule_of("log"), 5),
            Probe(rule_of("tanh"), 0.7065),
            Probe(rule_of("relu"), 10),
            Probe("x = Tensor(0.5)\nbackward(relu(x) * -3)\nx.grad", -3),
        ),
        (
            Wrong("pow: ^ in place of **", HAT, ("x ** (y - 1)", "x ^ (y - 1)")),
            Wrong("pow: ^ in brackets", HAT, ("x ** (y - 1)", "(x ^ (y - 1))")),
            Wrong(
                "pow: y times x",
                "The slope of x**3 is 3 * x**2. (For x**2 this rule gives the right number.)",
                ("x ** (y - 1)", "x"),
            ),
            Wrong(
                "pow: the exponent is missing",
                "The exponent comes down as a factor: the slope of x**3 is 3 * x**2.",
                ("grad * y * x ** (y - 1)", "grad * x ** (y - 1)"),
            ),
            Wrong(
                "pow: the base's rule for the exponent",
                "The exponent has a rule of its own: the slope of 2**y is 2**y * log(2).",
                ("lambda grad, z, x, y: grad * z * log(x)", "lambda grad, z, x, y: grad * y * x ** (y - 1)"),
            ),
            Wrong(
                "pow: the rules exchanged",
                "The two rules stand in the wrong order: first the base's, then the exponent's.",
                (
                    "lambda grad, z, x, y: grad * y * x ** (y - 1), lambda grad, z, x, y: grad * z * log(x)",
                    "lambda grad, z, x, y: grad * z * log(x), lambda grad, z, x, y: grad * y * x ** (y - 1)",
                ),
            ),
            Wrong(
                "pow: no brackets",
                "x ** y - 1 is the power minus 1. Put brackets around the exponent: x ** (y - 1).",
                ("x ** (y - 1)", "(x ** y - 1)"),
            ),
            Wrong(
                "pow: no brackets at all",
                "x ** y - 1 is the power minus 1. Put brackets around the exponent: x ** (y - 1).",
                ("grad * y * x ** (y - 1)", "grad * y * x ** y - 1"),
            ),
            Wrong(
                "pow: log of z alone",
                "This takes the logarithm of z. The local slope is z times the logarithm of the base, log(x).",
                ("grad * z * log(x)", "grad * log(z)"),
            ),
            Wrong(
                "pow: log of the base alone",
                "The factor z is missing: the local slope is z * log(x).",
                ("grad * z * log(x)", "grad * log(x)"),
            ),
            Wrong(
                "pow: z for x",
                "The rule for the base uses x, and here it uses z, the power itself.",
                ("grad * y * x ** (y - 1)", "grad * y * z ** (y - 1)"),
            ),
            Wrong(
                "pow: z times the base",
                "This multiplies by the base. The local slope is z times the logarithm of the base, log(x).",
                ("grad * z * log(x)", "grad * z * x"),
            ),
            Wrong(
                "pow: z times log of z",
                "This takes the logarithm of z. The local slope is z times the logarithm of the base, log(x).",
                ("grad * z * log(x)", "grad * z * log(z)"),
            ),
            Wrong(
                "pow: no slope for the exponent",
                "The exponent is an input too: moving it moves the power, by z * log(x) times as much.",
                ("grad * z * log(x)", "0"),
            ),
            Wrong(
                "pow: another logarithm",
                "This logarithm has another base. The natural one is log.",
                ("grad * z * log(x)", "grad * z * math.log10(x)"),
            ),
            Wrong(
                "pow: z divided by x",
                "This divides by x, and at 0 it cannot. The slope of x**2 at 0 is 0: use x ** (y - 1).",
                ("grad * y * x ** (y - 1)", "grad * y * z / x"),
            ),
            Wrong(
                "pow: log of the exponent",
                "This takes the logarithm of the exponent. The local slope is z times the logarithm of the base, log(x).",
                ("grad * z * log(x)", "grad * z * log(y)"),
            ),
            Wrong(
                "pow: the gradient is lost on both paths",
                "The local slopes are right, and the gradient that arrives is lost: multiply both by grad.",
                ("grad * y * x", "y * x"),
                ("grad * z * log(x)", "z * log(x)"),
            ),
            Wrong(
                "pow: the gradient is lost on the way to the base",
                "The local slope of the base is right, and the gradient that arrives is lost: multiply by grad.",
                ("grad * y * x", "y * x"),
            ),
            Wrong(
                "pow: the gradient is lost on the way to the exponent",
                "The local slope of the exponent is right, and the gradient that arrives is lost: multiply by grad.",
                ("grad * z * log(x)", "z * log(x)"),
            ),
            Wrong("neg: no minus", "The slope of -x is -1.", ("-grad", "grad")),
            Wrong(
                "neg: its value",
                "-x is the value. The contribution is minus the gradient that arrives.",
                ("-grad", "-x"),
            ),
            Wrong("exp: x", "The slope of exp at x is exp(x), which is z.", ("lambda grad, z, x: grad * z,", "lambda grad, z, x: grad * x,")),
            Wrong(
                "log: its value",
                "This is the value of log. Its slope is 1/x.",
                ("grad / x", "grad * z"),
            ),
            Wrong("log: z", "Divide by x, not by z, which is log(x).", ("grad / x", "grad / z")),
            Wrong("log: x", "The slope of log at x is 1/x: divide by x.", ("grad / x", "grad * x")),
            Wrong(
                "tanh: x for z",
                "The rule of tanh needs z, the result, and this one uses x. (At 0 both are the same.)",
                ("1 - z * z", "1 - x * x"),
            ),
            Wrong(
                "tanh: tanh of z",
                "z is tanh(x) already, and here tanh is taken once more.",
                ("1 - z * z", "1 - tanh(z) ** 2"),
            ),
            Wrong(
                "tanh: no brackets",
                "grad * 1 - z * z multiplies the 1 alone. Put brackets around (1 - z * z).",
                ("grad * (1 - z * z)", "grad * 1 - z * z"),
            ),
            Wrong("tanh: the other sign", "The sign is wrong: the slope is 1 - z * z.", ("1 - z * z", "z * z - 1")),
            Wrong("tanh: z once", "z is squared: the slope is 1 - z * z.", ("1 - z * z", "1 - z")),
            Wrong(
                "relu: always",
                EVERYWHERE,
                ("x > 0", "z >= 0"),
            ),
            Wrong("relu: no question", EVERYWHERE, ("grad * (x > 0)", "grad")),
            Wrong(
                "relu: no brackets",
                "grad * x > 0 compares the whole product with 0. Put brackets around the comparison: grad * (x > 0).",
                ("grad * (x > 0)", "grad * x > 0"),
            ),
            Wrong(
                "relu: the other side",
                "This passes on the gradient where x is below 0. Pass it on where x is above 0.",
                ("x > 0", "x < 0"),
            ),
            Wrong(
                "relu: no else",
                "Left of 0 the rule gives None. The contribution there is 0.",
                ("grad * (x > 0)", "grad if x > 0 else None"),
            ),
            Wrong(
                "relu: half at the corner",
                "At 0 there is a corner. A nudge gives 0.5 there, and the convention is 0.",
                ("grad * (x > 0)", "grad * ((x > 0) + 0.5 * (x == 0))"),
            ),
            Wrong(
                "relu: asks the gradient",
                "Ask whether x is above 0, not whether the gradient is.",
                ("grad * (x > 0)", "max(grad, 0)"),
            ),
            Wrong("relu: 1 at the corner", "At 0 there is a corner. The convention is 0 there.", ("x > 0", "x >= 0")),
            Wrong(
                "relu: its value",
                "relu passes on the whole gradient or nothing. Its own value is not a factor.",
                ("grad * (x > 0)", "grad * z"),
            ),
            Wrong(
                "no comma",
                "A row with one rule needs a comma after it: (rule,).",
                ("-grad,)", "-grad)"),
            ),
            Wrong(
                "the gradient that arrives is lost",
                "The local slope is right, and the gradient that arrives is lost: multiply by grad.",
                ("grad * y * x", "y * x"),
                ("grad * z", "z"),
                ("grad / x", "1 / x"),
                ("grad * (", "("),
                ("-grad", "-1"),
            ),
        ),
        stub="""
RULES |= {
    "neg": (lambda grad, z, x: None,),
    "pow": (lambda grad, z, x, y: None, lambda grad, z, x, y: None),
    "exp": (lambda grad, z, x: grad * z,),
    "log": (lambda grad, z, x: None,),
    "tanh": (lambda grad, z, x: None,),
    "relu": (lambda grad, z, x: None,),
}
""",
    ),
    Piece(
        "06 subtract",
        '''
def subtract(x, y):
    """x - y, made of operations that are there."""
    return x + -y
''',
        (
            Probe("subtract(Tensor(7), 2).data", 5),
            Probe("x, y = Tensor(7), Tensor(2)\nbackward(subtract(x, y))\nx.grad, y.grad", (1, -1)),
            Probe("x = Tensor(2)\nbackward(subtract(7, x))\nx.grad", -1),
            Probe("(Tensor(7) - 2).data, (7 - Tensor(2)).data", (5, 5)),
            Probe("subtract(Tensor(7), Tensor(2)).data", 5, at_once=True),
        ),
        (
            Wrong("adds", "Add the opposite of y: x + -y.", ("-y", "y")),
            Wrong("exchanged", "The number has the wrong sign: here y - x is computed.", ("x + -y", "y + -x")),
            Wrong("both negative", "Here x becomes negative as well. Only y changes its sign.", ("x + -y", "-x + -y")),
            Wrong(
                "computes the number only",
                "The number is right, and no gradient comes back: Tensor(...) has no creators here. Use + and -.",
                ("x + -y", "Tensor(value(x) - value(y))"),
            ),
            Wrong(
                "data of a plain number",
                "Each of the two may be a plain number, which has no data. Compute with x and y themselves.",
                ("x + -y", "x.data - y.data"),
            ),
            Wrong(
                "calls itself",
                "Here - calls subtract again, without end. Build it from + and the minus sign before a number.",
                ("x + -y", "x - y"),
            ),
            Wrong(
                "a plain number",
                "This gives a plain number, so nothing is recorded. Compute with x and y themselves.",
                ("x + -y", "value(x) - value(y)"),
            ),
            Wrong(
                "a row of its own",
                "There is no row for 'sub'. Build it from operations that are there.",
                ("x + -y", 'apply("sub", x, y)'),
            ),
            Wrong(
                "a row of its own, by hand",
                "There is no row for 'sub'. Build it from operations that are there.",
                ("x + -y", 'Tensor(value(x) - value(y), (x, y), "sub")'),
            ),
            Wrong(
                "a plain number on the left",
                "A plain number cannot stand on the left yet: write -y, or y * -1.",
                ("-y", "-1 * y"),
            ),
        ),
    ),
    Piece(
        "06 divide",
        '''
def divide(x, y):
    """x / y, made of operations that are there."""
    return x * y**-1.0
''',
        (
            Probe("divide(Tensor(7), 2).data", 3.5),
            Probe("x, y = Tensor(7), Tensor(2)\nbackward(divide(x, y))\nx.grad, y.grad", (0.5, -1.75)),
            Probe("x = Tensor(2)\nbackward(divide(7, x))\nx.grad", -1.75),
            Probe("divide(Tensor(7), -2).data", -3.5),
            Probe("x = Tensor(0)\nbackward(divide(x, 4))\nx.grad", 0.25),
            Probe("(Tensor(7) / 2).data, (7 / Tensor(2)).data", (3.5, 3.5)),
            Probe(WHOLE, [1.3187, 1.5062, 1.8878, -0.0625]),
        ),
        (
            Wrong("multiplies", "Multiply by 1/y, which is y to the power -1.", ("y**-1.0", "y")),
            Wrong("exchanged", "Here y / x is computed.", ("x * y**-1.0", "y * x**-1.0")),
            Wrong("x is missing", "This is 1/y. Multiply x by it.", ("x * y**-1.0", "y**-1.0")),
            Wrong(
                "the minus before the power",
                "The minus belongs to the exponent, y ** -1.0, and here it stands before y.",
                ("x * y**-1.0", "x * -y ** 1.0"),
            ),
            Wrong(
                "a plain number",
                "This gives a plain number, so nothing is recorded. Compute with x and y themselves.",
                ("x * y**-1.0", "value(x) / value(y)"),
            ),
            Wrong(
                "a row of its own",
                "There is no row for 'div'. Build it from operations that are there.",
                ("x * y**-1.0", 'apply("div", x, y)'),
            ),
            Wrong(
                "a row of its own, by hand",
                "There is no row for 'div'. Build it from operations that are there.",
                ("x * y**-1.0", 'Tensor(value(x) / value(y), (x, y), "div")'),
            ),
            Wrong(
                "the square root",
                "The power 0.5 is the square root. 1/y is another power of y.",
                ("y**-1.0", "y**0.5"),
            ),
            Wrong(
                "by the logarithm",
                "Only numbers above 0 have a logarithm, and y may be negative. Use a power of y.",
                ("y**-1.0", "exp(-log(y))"),
            ),
            Wrong(
                "the other way round twice",
                "On the way this divides by x, which may be 0. Leave x as it is, and take a power of y alone.",
                ("x * y**-1.0", "(y * x**-1.0) ** -1.0"),
            ),
            Wrong(
                "computes the number only",
                "The number is right, and no gradient comes back: Tensor(...) has no creators here. Use * and **.",
                ("x * y**-1.0", "Tensor(value(x) / value(y))"),
            ),
            Wrong(
                "data of a plain number",
                "Each of the two may be a plain number, which has no data. Compute with x and y themselves.",
                ("x * y**-1.0", "x.data / y.data"),
            ),
            Wrong(
                "calls itself",
                "Here / calls divide again, without end. Build it from * and **.",
                ("x * y**-1.0", "x / y"),
            ),
        ),
    ),
    Given(
        "06 operators",
        """
Tensor.__sub__ = subtract
Tensor.__truediv__ = divide
Tensor.__radd__ = lambda x, y: apply("add", y, x)
Tensor.__rmul__ = lambda x, y: apply("mul", y, x)
Tensor.__rpow__ = lambda x, y: apply("pow", y, x)
Tensor.__rsub__ = lambda x, y: subtract(y, x)
Tensor.__rtruediv__ = lambda x, y: divide(y, x)
Tensor.__gt__ = lambda x, y: value(x) > value(y)  # true or false: there is no slope to record
""",
    ),
)
