"""The exercises of lesson 30: the levels of a program, how many lines it has, and in two steps a table of
sums of products that is one matrix product."""

from collections import Counter

from ..checking import Mistake, number
from .calling import call
from .table import PRINTS, Right, Stop, Table, Wrong, advice

# -- levels --------------------------------------------------------------------------------------------------

TWO = [("v0", "*", ["x0", "3"]), ("v1", "*", ["x1", "4"]), ("v2", "+", ["v0", "v1"])]
FORK = [
    ("v0", "*", ["x0", "x0"]),
    ("v1", "tanh", ["v0"]),
    ("v2", "*", ["x1", "2"]),
    ("v3", "+", ["v2", "v1"]),
    ("v4", "*", ["v3", "v0"]),
    ("v5", "neg", ["v2"]),
]
SQUARE = [("v0", "*", ["x0", "2"]), ("v1", "*", ["v0", "v0"]), ("v2", "+", ["v1", "x0"])]
LEVEL = "max((found[x] + 1 for x in used if x in found), default=0)"

LEVELS = Table(
    "30 levels",
    head="levels(steps)",
    right=f"""
        found = {{}}
        for i, (name, operation, used) in enumerate(steps):
            found[name] = {LEVEL}
        return found""",
    answers=(
        Right("a loop", (LEVEL, "0\n        for x in used:\n            if found.get(x, -1) + 1 > found[name]:\n                found[name] = found[x] + 1")),
        Wrong("from 1", (LEVEL, f"{LEVEL.replace(' + 1', '')} + 1"), "Levels are counted from 0."),
        Wrong("the line", (LEVEL, "i"), "That is the number of the line. Lines that do not wait for each other share a level."),
        Wrong("the smallest", ("max", "min"), "It also uses something from a later level: the largest counts."),
        Wrong("the sum", (LEVEL, "sum(found[x] + 1 for x in used if x in found)"), "That adds the levels up. The largest counts."),
        Wrong("all in one", (LEVEL, "0")),
        Wrong("a list", "[0 for step in steps]", holds="A dict is asked for"),
        Wrong("empty", "{}", holds="no entry for"),
        Wrong("inputs, too", (LEVEL, "max(found.setdefault(x, -1) + 1 for x in used)"), holds="no inputs or numbers"),
        Wrong("every word looked up", (LEVEL, "1 + max((found[x] for x in used), default=0)"), holds="no step makes it"),
        Wrong("a name that is not there", ("return found", "return {'v0': found['v9']}"), holds="KeyError: 'v9'"),
        Wrong("empties the steps", ("return found", "steps.clear()\n    return found"), holds="Leave it as it is"),
        Wrong("prints", "print(steps)", holds=PRINTS),
    ),
    otherwise="It is the next level after all that the step uses.",
    hints=(
        "Go through the steps in order, and keep the level of each name in a dict. What a step uses has been made before it, or is an input or a number, which is not in the dict.",
        "Collect levels[word] + 1 for the words that are in the dict. The largest of them counts, or 0.",
        "levels[name] = max([levels[word] + 1 for word in used if word in levels], default=0)",
    ),
)  # fmt: skip


@LEVELS.judged
def levels(function):
    """Judge the levels of three small programs."""
    for steps in (SQUARE, TWO, FORK):
        found = of_steps(function, steps, said="levels(steps)", header="def levels(steps):")
        if not isinstance(found, dict):
            raise Mistake(f"A dict is asked for, and levels(steps) gives {found!r:.60}.")
        uses = (f"{name} uses {' and '.join(used)}" for name, _, used in steps)
        said, right = f"For {', '.join(uses)}:", LEVELS.answer()(steps)
        for name, level in right.items():
            if name not in found:
                raise Mistake(f"{said} there is no entry for {name}. Each name that a step makes has one.")
            if found[name] != level:
                why = LEVELS.why(lambda wrong: found == wrong(steps))  # noqa: B023  at once
                raise Mistake(f"{said} {name} is on level {level}, and yours is {found[name]!r:.20}. {why}")
        if len(found) > len(steps):
            raise Mistake(f"{said} only names that a step makes have a level, and no inputs or numbers.")
    return "All lines on one level could run at the same time."


def of_steps(function, steps, *others, said, header):
    """What the reader's function makes of steps. No step makes an input or a number, so looking it up in a
    dict of names ends with an error."""
    copy = [(name, op, [*used]) for name, op, used in steps]
    try:
        found = call(function, copy, *others, said=said, header=header)
    except KeyError as error:
        word = error.args[0] if error.args else None
        if word in {word for _, _, used in steps for word in used} - {name for name, _, _ in steps}:
            raise Mistake(
                f"{said} stops with KeyError: {word!r}. {word} is an input or a number, so no step makes it, "
                "and it is not in the dict. Ask first whether a word is there."
            ) from None
        raise
    if copy != steps:
        raise Mistake(f"{said} has changed the list of steps. Leave it as it is.")
    return found


# -- how many lines ------------------------------------------------------------------------------------------

LINES = 13

POINTS = Table(
    "30 points",
    right=f"{LINES}",
    answers=(
        Wrong("ten times", "130", "Your own program has ten times as many lines. In this one, a line computes a whole array."),
        Wrong("your own", "87_000", holds="the size of your own program"),
        Wrong("a little more", "23", holds="More lines for what"),
        Wrong("fewer", "4"),
        Wrong("a word", "'many'", holds="A number is asked for"),
    ),
    otherwise="What changes in a matrix product when there are more rows?",
    hints=(
        "Which lines of the program would change if there were more points?",
        "More points are more rows of `data`. A matrix product is one line for any number of rows.",
    ),
)


@POINTS.judged
def points(guess):
    """Judge the predicted number of lines for 1,000 points."""
    found, otherwise = number(guess), None
    if found == LINES:
        return "The arrays have more rows, and the program is the same."
    if found > 10 * LINES:
        otherwise = "That is about the size of your own program. What does one line of the package's compute?"
    elif found > LINES:
        otherwise = "More lines for what? Each of them computes a whole array already."
    raise Mistake(f"It is not {found:g}. {POINTS.why(lambda wrong: found == wrong, otherwise=otherwise)}")


# -- a table of sums that is a product -----------------------------------------------------------------------

TEN = [
    ("v0", "*", ["x0", "w0"]),
    ("v1", "*", ["x1", "w1"]),
    ("v2", "+", ["v0", "v1"]),
    ("v3", "*", ["x2", "w2"]),
    ("v4", "+", ["v2", "v3"]),
    ("v5", "+", ["v4", "b"]),
    ("v6", "tanh", ["v5"]),
    ("v7", "+", ["v1", "v6"]),
    ("v8", "+", ["v6", "v7"]),
    ("v9", "*", ["v8", "v5"]),
]

TERMS = Table(
    "30 terms",
    head="terms(steps, name)",
    right="""
        for made, op, used in steps:
            if made == name and op == '+':
                return terms(steps, used[0]) + terms(steps, used[1])
        return [name]""",
    answers=(
        Right("a stack", """
            made = {n: (op, used) for n, op, used in steps}
            found, waiting = [], [name]
            while waiting:
                x = waiting.pop()
                if x in made and made[x][0] == '+':
                    waiting += made[x][1]
                else:
                    found.append(x)
            return found"""),
        Wrong("lists in the list", ("terms(steps, used[0]) + terms(steps, used[1])", "[terms(steps, x) for x in used]"), holds="One flat list"),
        Wrong("no own term", ("return [name]", "return []"), "What is made by no addition is a term itself."),
        Wrong("one addition", ("return terms(steps, used[0]) + terms(steps, used[1])", "return used"), "One of these is an addition as well. Go on until none is left."),
        Wrong("the name itself", "[name]", holds="An addition is still among them"),
        Wrong("products, too", ("op == '+'", "len(used) == 2"), holds="A product is a term"),
        Wrong("only the left", (" + terms(steps, used[1])", "")),
        Wrong("every word looked up", """
            made = {n: (op, used) for n, op, used in steps}
            op, used = made[name]
            return terms(steps, used[0]) + terms(steps, used[1]) if op == '+' else [name]""", holds="no step makes it"),
        Wrong("a set", "{name}", holds="A list is asked for"),
        Wrong("prints", "print(name)", holds=PRINTS),
    ),
    otherwise="Each addition has two parts, and all their terms belong to it.",
    hints=(
        "Find the step that makes the name. If it is an addition, its terms are those of both words that it uses. Anything else is a term itself.",
        "The function may call itself: terms(steps, used[0]) + terms(steps, used[1]).",
        "for made, operation, used in steps: if made == name and operation == '+': return terms(steps, used[0]) + terms(steps, used[1]). After the loop: return [name].",
    ),
)  # fmt: skip


@TERMS.judged
def terms(function):
    """Judge the terms of some of ten lines."""
    for name in ("v2", "v5", "v9", "v8", "x0"):
        said = f"terms(steps, {name!r})"
        found = of_steps(function, TEN, name, said=said, header="def terms(steps, name):")
        right = TERMS.answer()(TEN, name)
        if not isinstance(found, list | tuple):
            raise Mistake(f"A list is asked for, and {said} gives {found!r:.60}.")
        if in_any_order(found) != in_any_order(right):
            raise Mistake(f"{said} should be {right}, and yours is {found!r:.90}. {why_terms(found, name)}")
    return "A chain of any length is one sum."


def why_terms(found, name):
    """The message for wrong terms of a name."""
    made, otherwise = {each: op for each, op, _ in TEN}, None
    factors = {word for _, op, used in TEN if op == "*" for word in used}
    if any(isinstance(word, list | tuple) for word in found):
        return "Yours has lists in it. One flat list of names is asked for."
    if any(made.get(str(word)) == "+" for word in found):
        otherwise = "An addition is still among them, in place of its terms."
    elif any(str(word) in factors for word in found):
        otherwise = "A product is a term, and is not taken apart."
    return TERMS.why(lambda wrong: in_any_order(wrong(TEN, name)) == in_any_order(found), otherwise=otherwise)


def in_any_order(words):
    """How often each word is there."""
    return Counter(map(repr, words))


LEFT, RIGHT = "[[a for a, _ in row[0]] for row in table]", "[[b for _, b in pairs] for pairs in zip(*table[0])]"
COMPARE = """
        for row, factors in zip(table, left):
            if row != [list(zip(factors, column)) for column in zip(*right)]:
                return None"""

PACKED = Table(
    "30 packed",
    head="packed(table)",
    right=f"""
        left = {LEFT}
        right = {RIGHT}{COMPARE}
        return left, right""",
    answers=(
        Right("compared", ("left =", "if len({len(cell) for row in table for cell in row}) > 1:\n        return None\n    left =")),
        Right("lists of lists", ("return left, right", "return [left, right]")),
        Wrong("changed places", ("return left, right", "return right, left"), "The two have changed places."),
        Wrong("turned", ("return left, right", "return left, [list(x) for x in zip(*right)]"), "It is turned: in a product, the right matrix has a column for each column of the table."),
        Wrong("left turned", ("return left, right", "return [list(x) for x in zip(*left)], right"), "It is turned: it has a row for each row of the table."),
        Wrong("one row", ("return left, right", "return left[:1], right")),
        Wrong("careless", f"({LEFT}, {RIGHT})", holds="a weight that the others"),
        Wrong("only the first row", ("zip(table, left)", "zip(table[:1], left)"), holds="a weight that the others"),
        Wrong("only the right factors", """
            left = [[a for a, _ in row[0]] for row in table]
            right = [[b for _, b in pairs] for pairs in zip(*table[0])]
            for row in table:
                if [[b for _, b in c] for c in row] != [list(c) for c in zip(*right)]:
                    return None
            return left, right""", holds="an input that the others"),
        Wrong("cut to the shortest", """
            left = [[a for a, _ in row[0]] for row in table]
            right = [[b for _, b in pairs] for pairs in zip(*table[0])]
            for row in range(len(table)):
                for j in range(len(table[0])):
                    for k in range(len(right)):
                        if table[row][j][k] != (left[row][k], right[k][j]):
                            return None
            return left, right""", holds="one product more"),
        Wrong("an error for what is none", ("return None", "raise ValueError"), holds="stops with an error. Return None"),
        Wrong("no end for what is none", ("return None", "while True: pass"), holds="Does a loop never end?"),
        Wrong("arrays", ("return left, right", "return np.array(left), np.array(right)"), holds="lists of rows"),
        Wrong("one matrix", LEFT, holds="A pair of matrices"),
        Wrong("prints", "print(table)", holds=PRINTS),
    ),
    otherwise="The left one has a row for each row of the table, and the right one a column for each column.",
    hints=(
        "The left matrix can be read off the first sum of each row, and the right one off the sums of the first row.",
        "Then check every sum of the table: its pairs have to be those of its row and its column. Otherwise return None.",
        "Begin as `careless` does. Then compare [list(zip(factors, column)) for column in zip(*right)] with the row of the table, for each row of factors in left.",
    ),
)  # fmt: skip


def table(left, right):
    """The table of sums whose cell (i, j) has the pairs of row i of the left and column j of the right."""
    return [[[*zip(row, column)] for column in zip(*right)] for row in left]


LAYER = ([["x0", "y0"], ["x1", "y1"], ["x2", "y2"]], [["a", "c"], ["b", "d"]])
LONG = ([["p", "q", "r"]], [["a"], ["b"], ["c"]])
SAME = ([["x", "x"], ["x", "y"]], [["a", "a"], ["b", "a"]])


def spoiled(i, j, k, pair):
    """The table of LAYER with another pair in one place."""
    found = table(*LAYER)
    found[i][j][k] = pair
    return found


OTHERS = {
    "a weight that the others of its column do not have": spoiled(2, 1, 0, ("x2", "d")),
    "an input that the others of its row do not have": spoiled(1, 1, 1, ("y2", "d")),
    "one product more than the others": [
        [[("x", "a")], [("x", "b")]],
        [[("y", "a")], [("y", "b"), ("y", "a")]],
    ],
}


@PACKED.judged
def packed(function):
    """Judge the recognized products, and the tables that are none."""
    for matrices in (LAYER, LONG, SAME):
        found = call(function, table(*matrices), said="packed(table)", header="def packed(table):")
        if not (isinstance(found, tuple | list) and len(found) == 2 and all(isinstance(x, list | tuple) for x in found)):
            raise Mistake(
                "A pair of matrices is asked for, left and right, as lists of rows, and packed gives "
                f"{found!r:.60}."
            )
        found = as_lists(found)
        for which, mine, right in zip(("left", "right"), found, matrices):
            if mine != right:
                why = PACKED.why(lambda wrong: found == as_lists(wrong(table(*matrices))))  # noqa: B023  at once
                raise Mistake(f"The {which} matrix should be {right}, and yours is {mine!r:.90}. {why}")
    for what, wrong in OTHERS.items():
        with advice(Stop((IndexError, ValueError), f"A table has {what}, and your function stops with an error. Return None.")):
            found = call(function, wrong, said="packed(table)", header="def packed(table):", is_none_right=True)
        if found is not None:
            raise Mistake(
                f"In one table a sum has {what}. It is no matrix product, and packed gives {found!r:.80}. "
                "Check every sum, and return None."
            )
    return "It packs what is a matrix product, and nothing else."


def as_lists(matrices):
    """Matrices as lists of lists."""
    return [[[*row] if isinstance(row, list | tuple) else row for row in matrix] for matrix in matrices]
