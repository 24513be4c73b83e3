"""Lesson 15: computing without recording."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "What a graph remembers"

AFTER_ERROR = """\
try:
    no_grad(lambda: 1 / 0)
except ZeroDivisionError:
    pass
type(Tensor(2.0) * 3).__name__"""
RAISED = """\
try:
    using(compute, lambda: 1 / 0)
    said = "no error"
except ZeroDivisionError:
    said = "ZeroDivisionError"
said"""
INTERRUPTED = """\
def stopped():
    raise KeyboardInterrupt
try:
    using(compute, stopped)
except KeyboardInterrupt:
    pass
type(Tensor(2.0) * 3).__name__"""
NESTED = """\
inside = no_grad(lambda: [no_grad(lambda: 1), Tensor(2.0) * 3])
type(inside[1]).__name__"""

PARTS = (
    Piece(
        "15 compute",
        '''
def compute(op, *inputs):
    """An apply that records nothing."""
    return FORWARD[op](*map(value, inputs))
''',
        (
            Probe("compute('mul', Tensor(2.0), 3)", 6.0),
            Probe("type(compute('mul', Tensor(2.0), 3)).__name__", "float"),
            Probe("compute('neg', Tensor(2.0))", -2.0),
            Probe("type(no_grad(lambda: Tensor(2.0) * 3 + 1)).__name__", "float"),
        ),
        (
            Wrong(
                "still recorded",
                "The result is still a Tensor. Give FORWARD the values of the inputs, and return the number alone.",
                (
                    "return FORWARD[op](*map(value, inputs))",
                    "return Tensor(FORWARD[op](*map(value, inputs)), inputs, op)",
                ),
            ),
            Wrong(
                "a Tensor without creators",
                "The result is still a Tensor. Give FORWARD the values of the inputs, and return the number alone.",
                (
                    "return FORWARD[op](*map(value, inputs))",
                    "return Tensor(FORWARD[op](*map(value, inputs)))",
                ),
            ),
            Wrong(
                "Tensors handed to FORWARD",
                "The result is still a Tensor. Give FORWARD the values of the inputs, and return the number alone.",
                ("*map(value, inputs)", "*inputs"),
            ),
            Wrong(
                "calls apply",
                "The result is still a Tensor. Give FORWARD the values of the inputs, and return the number alone.",
                ("FORWARD[op](*map(value, inputs))", "apply(op, *inputs)"),
            ),
            Wrong(
                "the value of what apply returns",
                "no_grad, the switch that comes below, puts compute in the place of apply, so a compute that calls apply "
                "calls itself. Use FORWARD.",
                ("FORWARD[op](*map(value, inputs))", "value(apply(op, *inputs))"),
            ),
            Wrong(
                "a list of values",
                "A row of FORWARD takes its values one by one: put a * before them.",
                ("*map(value, inputs)", "[value(x) for x in inputs]"),
            ),
            Wrong(
                "every input has data",
                "Not every input is a Tensor. `value` of lesson 01 gives the number of a Tensor, and all else as it is.",
                ("*map(value, inputs)", "*[x.data for x in inputs]"),
            ),
        ),
    ),
    Piece(
        "15 using",
        '''
def using(another, f, *inputs):
    """f(*inputs), while another function has the name apply."""
    global apply
    before, apply = apply, another
    try:
        return f(*inputs)
    finally:
        apply = before
''',
        (
            Probe("using(compute, max, 2, 5)", 5),
            Probe("type(using(compute, lambda: Tensor(2.0) * 3)).__name__", "float"),
            Probe("using(compute, lambda x, y: x * y, 2, 5)", 10),
            Probe("using(compute, lambda: 1)\ntype(Tensor(2.0) * 3).__name__", "Tensor"),
            Probe(AFTER_ERROR, "Tensor"),
            Probe(RAISED, "ZeroDivisionError"),
            Probe(NESTED, "float"),
            Probe(INTERRUPTED, "Tensor"),
        ),
        (
            Wrong(
                "no finally",
                "After an error inside f nothing is recorded any more. `finally` puts apply back in every case.",
                """
def using(another, f, *inputs):
    global apply
    before, apply = apply, another
    result = f(*inputs)
    apply = before
    return result
""",
            ),
            Wrong(
                "assigns apply without global",
                "Without `global apply`, the name apply is local to this function, and has no value when it is read.",
                ("    global apply\n", ""),
            ),
            Wrong(
                "puts apply back at the end of try only",
                "After an error inside f nothing is recorded any more. `finally` puts apply back in every case.",
                (
                    "        return f(*inputs)\n    finally:\n        apply = before",
                    "        result = f(*inputs)\n        apply = before\n        return result\n    finally:\n        pass",
                ),
            ),
            Wrong(
                "returns in finally",
                "After an error inside f there is no result to return, and the error of f is lost. "
                "Put `return f(*inputs)` into `try`, and `apply = before` into `finally`.",
                (
                    "        return f(*inputs)\n    finally:\n        apply = before",
                    "        z = f(*inputs)\n    finally:\n        apply = before\n        return z",
                ),
            ),
            Wrong(
                "returns after except",
                "After an error inside f there is no result to return, and the error of f is lost. "
                "Put `return f(*inputs)` into `try`, and `apply = before` into `finally`.",
                """
def using(another, f, *inputs):
    global apply
    before, apply = apply, another
    try:
        result = f(*inputs)
    except Exception:
        apply = before
    apply = before
    return result
""",
            ),
            Wrong(
                "no global",
                "Without `global`, the name apply is local to this function, and nothing else sees the change.",
                ("    global apply\n    before, apply = apply, another", "    before, apply = None, another"),
            ),
            Wrong(
                "puts record back",
                "One no_grad is inside another, and after the inner one the machine records again. "
                "Put back the function that was there before.",
                ("apply = before", "apply = record"),
            ),
            Wrong(
                "never puts it back",
                "After the call nothing is recorded any more. Put back the function that was there before.",
                ("apply = before", "pass"),
            ),
            Wrong(
                "the error disappears",
                "An error in f has to come out, or a mistake in f is never noticed. `finally` needs no `except`.",
                ("    finally:", "    except Exception:\n        pass\n    finally:"),
            ),
            Wrong(
                "except Exception in place of finally",
                "When you stop a calculation (KeyboardInterrupt), nothing is recorded any more: that is not an Exception. "
                "`finally` puts apply back in every case.",
                """
def using(another, f, *inputs):
    global apply
    before, apply = apply, another
    try:
        result = f(*inputs)
    except Exception:
        apply = before
        raise
    apply = before
    return result
""",
            ),
            Wrong(
                "the inputs in one tuple",
                "f takes its inputs one by one: f(*inputs).",
                ("f(*inputs)", "f(inputs)"),
            ),
            Wrong(
                "calls another",
                "You do not call `another`. Give it the name apply, then return f(*inputs): f calls apply.",
                ("return f(*inputs)", "return another(f, *inputs)"),
            ),
            Wrong(
                "nothing comes back",
                "The function computes something and returns nothing: end with `return`.",
                ("return f(*inputs)", "f(*inputs)"),
            ),
        ),
        stub='''
def using(another, f, *inputs):
    """f(*inputs), while another function has the name apply."""
    global apply
    return None
''',
    ),
    Given(
        "15 no_grad",
        '''
def no_grad(f, *inputs):
    """f(*inputs) without recording."""
    return using(compute, f, *inputs)
''',
    ),
    Given("15 record", "record = apply  # the apply of lesson 01, whatever answers to the name later"),
)
