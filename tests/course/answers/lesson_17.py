"""Answers to the exercises of lesson 17."""

from . import Right, Wrong

WALKS = {"scores": (64, 10), "loss": (640, 1), "path": (1, 200)}
COLUMNS = (
    "def by_columns(f, x):\n    return np.stack([jvp(f, x, unit)[1] for unit in np.eye(len(x))], axis=1)\n"
)
ROWS = """\
def by_rows(f, x):
    leaf = Tensor(x)
    z = f(leaf)
    return np.stack([gradients(z, unit)[leaf] for unit in np.eye(len(z.data))])
"""
CHEAPER = f"""\
{COLUMNS}{ROWS}
def jacobian(f, x):
    return by_columns(f, x) if len(x) < len(value(f(x))) else by_rows(f, x)
jacobian"""


def columns(body):
    """An answer to the first step with this result."""
    return f"{ROWS}def by_columns(f, x):\n    return {body}\nby_columns"


def changed(**others):
    """A prediction that differs from the right one."""
    return repr({**WALKS, **others})


ANSWERS = {
    "17 walks": (
        Right("as in the solutions", repr(WALKS)),
        Right("lists", repr({name: list(pair) for name, pair in WALKS.items()})),
        Wrong("the other way round", changed(scores=(10, 64)), "the other way round"),
        Wrong("the other way round for the path", changed(path=(200, 1)), "the other way round"),
        Wrong("one for each slope forward", changed(scores=(640, 10)), "One walk forward moves all results"),
        Wrong("one for each slope back", changed(scores=(64, 640)), "reaches all inputs at once"),
        Wrong("one for each slope", changed(scores=(640, 640)), "one walk for each slope"),
        Wrong("one each", changed(scores=(1, 1)), "not the whole table"),
        Wrong("back like forward", changed(loss=(640, 640)), "reaches all the inputs at once"),
        Wrong("forward like back", changed(path=(200, 200)), "reaches all results at once"),
        Wrong("one more, as a nudge needs", changed(scores=(65, 10)), "A nudge needs one more"),
        Wrong("one back for all rows", changed(scores=(64, 1)), "gives one row"),
        Wrong("one forward for all columns", changed(scores=(1, 10)), "gives one column"),
        Wrong("others", changed(scores=(3, 4)), "64 inputs and 10 results"),
        Wrong("others for the loss", changed(loss=(3, 4)), "640 inputs and 1 result:"),
        Wrong("no pair", changed(scores=64), "a pair is asked for"),
        Wrong("one of three", repr({"scores": (64, 10)}), "A dict with a pair"),
        Wrong("a number", "64", "A dict with a pair"),
    ),
    "17 columns": (
        Wrong(
            "prints",
            """def by_columns(f, x):
    print(jvp(f, x, x))
by_columns""",
            "prints its result and returns nothing",
        ),
        Wrong(
            "never ends",
            """def by_columns(f, x):
    while True:
        pass
by_columns""",
            "Does a loop never end?",
        ),
        Right("as in the solutions", f"{COLUMNS}by_columns"),
        Right(
            "as a list of rows",
            columns("np.transpose([jvp(f, x, unit)[1] for unit in np.eye(len(x))]).tolist()"),
        ),
        Wrong("by the package's jacobian", columns("ad.jacobian(f)(x)"), "your own machine"),
        Wrong(
            "by the package's jvp",
            columns("np.stack([ad.jvp(f, (x,), (unit,))[1].data for unit in np.eye(len(x))], axis=1)"),
            "your own machine",
        ),
        Wrong("by walks back", columns("by_rows(f, x)"), "no walk went forward"),
        Wrong(
            "on its side", columns("np.stack([jvp(f, x, unit)[1] for unit in np.eye(len(x))])"), "transpose"
        ),
        Wrong(
            "on its side if it is square",
            columns(
                "np.stack([jvp(f, x, unit)[1] for unit in np.eye(len(x))], axis=1 if len(x) == 3 else 0)"
            ),
            "transpose",
        ),
        Wrong("all at once", columns("jvp(f, x, np.ones(len(x)))[1]"), "All inputs moved at once"),
        Wrong(
            "all at once, each time",
            columns("np.stack([jvp(f, x, np.ones(len(x)))[1] for _ in x], axis=1)"),
            "All inputs moved at once",
        ),
        Wrong(
            "by x",
            columns("np.stack([jvp(f, x, move)[1] for move in np.diag(x)], axis=1)"),
            "Move by 1, and not by x",
        ),
        Wrong(
            "three walks for every x",
            columns("np.stack([jvp(f, x, unit)[1] for unit in np.eye(3)], axis=1)"),
            "x has 2 numbers, and your table has 3 columns",
        ),
        Wrong("all tangents in one table", columns("jvp(f, x, np.eye(len(x)))[1]"), "one tangent"),
        Wrong("a function", columns("lambda x: jvp(f, x, x)[1]"), "gave a function. A table"),
        Wrong("the first only", columns("jvp(f, x, np.eye(len(x))[0])[1]"), "the first column alone"),
        Wrong(
            "backwards",
            columns("np.stack([jvp(f, x, unit)[1] for unit in np.eye(len(x))[::-1]], axis=1)"),
            "the wrong order",
        ),
        Wrong(
            "values",
            columns("np.stack([jvp(f, x, unit)[0] for unit in np.eye(len(x))], axis=1)"),
            "returns two things",
        ),
        Wrong(
            "both of the pair",
            columns("[jvp(f, x, unit) for unit in np.eye(len(x))]"),
            "Take the second of them",
        ),
        Wrong(
            "in one row",
            columns("np.stack([jvp(f, x, unit)[1] for unit in np.eye(len(x))], axis=1).ravel()"),
            "Make a table of them",
        ),
        Wrong(
            "nudges",
            columns(
                "np.stack([(f(x + 1e-5 * unit) - f(x - 1e-5 * unit)) / 2e-5 for unit in np.eye(len(x))], axis=1)"
            ),
            "no walk went forward",
        ),
        Wrong(
            "nudges beside the walks",
            columns(
                "np.stack([jvp(f, x, unit)[1] * 0 + (f(x + 0.01 * unit) - f(x - 0.01 * unit)) / 0.02 for unit in np.eye(len(x))], axis=1)"
            ),
            "12.0001 in place of 12",
        ),
        Wrong(
            "constants from a message",
            columns("np.array([[3.0, 2, 0], [0, 25, 30]]) if len(x) == 3 else np.array([[2.0, 5], [0, 12]])"),
            "f was never called",
        ),
        Wrong(
            "twice each",
            columns(
                "np.stack([(jvp(f, x, unit)[1] + jvp(f, x, unit)[1]) / 2 for unit in np.eye(len(x))], axis=1)"
            ),
            "One walk for each input is enough",
        ),
        Wrong(
            "one argument too few", "def by_columns(f):\n    return f\nby_columns", "Its first line should be"
        ),
        Wrong("a number", "5", "A function is asked for"),
    ),
    "17 hessian": (
        Wrong(
            "columns of a walk that starts from a number",
            f"{COLUMNS}def hessian_by_columns(f, x):\n"
            "    return by_columns(lambda p: gradients(f(p))[p], x)\nhessian_by_columns",
            "no tangent came through",
        ),
        Right(
            "as in the solutions",
            f"{COLUMNS}def hessian_by_columns(f, x):\n    return by_columns(grad(f), x)\nhessian_by_columns",
        ),
        Right(
            "with the loop inside",
            "def hessian_by_columns(f, x):\n    return np.stack([jvp(grad(f), x, unit)[1] for unit in np.eye(len(x))])\nhessian_by_columns",
        ),
        Wrong(
            "by walks back",
            f"{ROWS}def hessian_by_columns(f, x):\n    return by_rows(grad(f), x)\nhessian_by_columns",
            "no walk went forward",
        ),
        Wrong(
            "grad without f",
            f"{COLUMNS}def hessian_by_columns(f, x):\n    return by_columns(grad, x)\nhessian_by_columns",
            "grad takes a function",
        ),
        Wrong(
            "grad without f, in a loop",
            "def hessian_by_columns(f, x):\n    return np.stack([jvp(grad, x, unit)[1] for unit in np.eye(3)])\nhessian_by_columns",
            "grad takes a function",
        ),
        Wrong(
            "gradients in place of grad",
            f"{COLUMNS}def hessian_by_columns(f, x):\n    return by_columns(gradients(f), x)\nhessian_by_columns",
            "The gradient as a function is grad(f)",
        ),
        Wrong(
            "the gradient in place of the function",
            f"{COLUMNS}def hessian_by_columns(f, x):\n    return by_columns(grad(f)(x), x)\nhessian_by_columns",
            "grad(f), without (x)",
        ),
        Wrong(
            "of f itself",
            f"{COLUMNS}def hessian_by_columns(f, x):\n    return by_columns(f, x)\nhessian_by_columns",
            "grad(f)",
        ),
        Wrong(
            "the gradient",
            "def hessian_by_columns(f, x):\n    return grad(f)(x)\nhessian_by_columns",
            "That is the gradient",
        ),
        Wrong(
            "along ones",
            "def hessian_by_columns(f, x):\n    return jvp(grad(f), x, np.ones(len(x)))[1]\nhessian_by_columns",
            "one for each input",
        ),
        Wrong(
            "the diagonal",
            f"{COLUMNS}def hessian_by_columns(f, x):\n    return np.diag(np.diag(by_columns(grad(f), x)))\nhessian_by_columns",
            "Only the diagonal",
        ),
        Wrong(
            "by the package",
            "def hessian_by_columns(f, x):\n    return ad.hessian(f)(x).data\nhessian_by_columns",
            "your own machine",
        ),
        Wrong("a table", "[[1, 2], [3, 4]]", "A function is asked for"),
    ),
    "17 cheaper": (
        Right("as in the solutions", CHEAPER),
        Right("columns if equal", CHEAPER.replace("len(x) < len", "len(x) <= len")),
        Right("by the shape of a Tensor", CHEAPER.replace("len(value(f(x)))", "f(Tensor(x)).shape[0]")),
        Wrong("always columns", f"{COLUMNS}by_columns", "The walk back needs 2"),
        Wrong(
            "a walk that counts the results",
            CHEAPER.replace("len(value(f(x)))", "len(jvp(f, x, 0 * x)[0])"),
            "one more than needed",
        ),
        Wrong("always rows", f"{ROWS}by_rows", "The walk forward needs 2"),
        Wrong("the other way round", CHEAPER.replace("len(x) < len", "len(x) > len"), "you walked 7 times"),
        Wrong(
            "both",
            CHEAPER.replace("return by_columns(f, x) if", "by_columns(f, x)\n    return by_columns(f, x) if"),
            "you walked",
        ),
        Wrong(
            "by the package",
            "def jacobian(f, x):\n    return ad.jacobian(f)(x).data\njacobian",
            "your own machine",
        ),
        Wrong(
            "rows on their side",
            CHEAPER.replace("np.eye(len(z.data))])", "np.eye(len(z.data))], axis=1)"),
            "transpose",
        ),
        Wrong(
            "rows by backward, which add up",
            CHEAPER.replace("gradients(z, unit)[leaf]", "(backward(z, unit), leaf.grad)[1]"),
            "backward adds to .grad",
        ),
        Wrong("a number", "2", "A function is asked for"),
    ),
}
