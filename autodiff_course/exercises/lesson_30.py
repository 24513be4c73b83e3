"""The exercises of lesson 30: the levels of a program, how many lines it has, and in two steps a table of
sums of products that is one matrix product."""

from collections import Counter

from ..checking import Mistake, exercise, number
from ..runs import lesson_30 as runs
from .calling import call

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


def in_text(steps):
    """Steps as lines of a program."""
    return ", ".join(f"{name} uses {' and '.join(used)}" for name, _, used in steps)


@exercise(
    "30 levels",
    "Go through the steps in order, and keep the level of each name in a dict. What a step uses has been "
    "made before it, or is an input or a number, which is not in the dict.",
    "Collect levels[word] + 1 for the words that are in the dict. The largest of them counts, or 0.",
    "levels[name] = max([levels[word] + 1 for word in used if word in levels], default=0)",
)
def levels(function):
    """Judge the levels of three small programs."""
    for steps in (SQUARE, TWO, FORK):
        found = of_steps(function, steps, said="levels(steps)", header="def levels(steps):")
        if not isinstance(found, dict):
            raise Mistake(f"A dict is asked for, and levels(steps) gives {found!r:.60}.")
        judge_levels(found, steps)
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


def judge_levels(found, steps):
    """Raise Mistake unless these are the levels."""
    right = runs.levels(steps)
    said = f"For {in_text(steps)}:"
    for place, (name, _, used) in enumerate(steps):
        if name not in found:
            raise Mistake(f"{said} there is no entry for {name}. Each name that a step makes has one.")
        if found[name] == right[name]:
            continue
        before = [right[word] + 1 for word in used if word in right]
        kind = "It is the next level after all that the step uses."
        if found == {each: level + 1 for each, level in right.items()}:
            kind = "Levels are counted from 0."
        elif found[name] == place:
            kind = "That is the number of the line. Lines that do not wait for each other share a level."
        elif found[name] in before:
            kind = "It also uses something from a later level: the largest counts."
        elif before and found[name] == sum(before):
            kind = "That adds the levels up. The largest counts."
        raise Mistake(f"{said} {name} is on level {right[name]}, and yours is {found[name]!r:.20}. {kind}")
    if len(found) > len(steps):
        raise Mistake(f"{said} only names that a step makes have a level, and no inputs or numbers.")


# -- how many lines ------------------------------------------------------------------------------------------

LINES = 13


@exercise(
    "30 points",
    "Which lines of the program would change if there were more points?",
    "More points are more rows of `data`. A matrix product is one line for any number of rows.",
)
def points(guess):
    """Judge the predicted number of lines for 1,000 points."""
    found = number(guess)
    if found == LINES:
        return "The arrays have more rows, and the program is the same."
    kind = "What changes in a matrix product when there are more rows?"
    if found == 10 * LINES:
        kind = "Your own program has ten times as many lines. In this one, a line computes a whole array."
    elif found > 10 * LINES:
        kind = "That is about the size of your own program. What does one line of the package's compute?"
    elif LINES < found < 10 * LINES:
        kind = "More lines for what? Each of them computes a whole array already."
    raise Mistake(f"It is not {found:g}. {kind}")


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


def right_terms(steps, name):
    """The terms behind a name, through all additions."""
    made = {each: (op, used) for each, op, used in steps}
    op, used = made.get(name, ("", []))
    return [term for word in used for term in right_terms(steps, word)] if op == "+" else [name]


@exercise(
    "30 terms",
    "Find the step that makes the name. If it is an addition, its terms are those of both words that it "
    "uses. Anything else is a term itself.",
    "The function may call itself: terms(steps, used[0]) + terms(steps, used[1]).",
    "for made, operation, used in steps: if made == name and operation == '+': return terms(steps, used[0]) "
    "+ terms(steps, used[1]). After the loop: return [name].",
)
def terms(function):
    """Judge the terms of some of ten lines."""
    for name in ("v2", "v5", "v9", "v8", "x0"):
        said = f"terms(steps, {name!r})"
        found = of_steps(function, TEN, name, said=said, header="def terms(steps, name):")
        right = right_terms(TEN, name)
        if not isinstance(found, list | tuple):
            raise Mistake(f"A list is asked for, and {said} gives {found!r:.60}.")
        if Counter(map(repr, found)) != Counter(map(repr, right)):
            raise Mistake(
                f"{said} should be {right}, and yours is {found!r:.90}. {kind_of_terms(found, name)}"
            )
    return "A chain of any length is one sum."


def kind_of_terms(found, name):
    """The message for wrong terms of a name."""
    made = {each: (op, used) for each, op, used in TEN}
    op, used = made.get(name, ("", []))
    if any(isinstance(word, list | tuple) for word in found):
        return "Yours has lists in it. One flat list of names is asked for."
    if not found:
        return "What is made by no addition is a term itself."
    if op != "+":
        return "No addition makes it, so it is its own only term."
    if list(found) == used:
        return "One of these is an addition as well. Go on until none is left."
    if any(made.get(str(word), ("",))[0] == "+" for word in found):
        return "An addition is still among them, in place of its terms."
    if any(word in factors for word in found for kind, factors in made.values() if kind == "*"):
        return "A product is a term, and is not taken apart."
    return "Each addition has two parts, and all their terms belong to it."


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


@exercise(
    "30 packed",
    "The left matrix can be read off the first sum of each row, and the right one off the sums of the first "
    "row.",
    "Then check every sum of the table: its pairs have to be those of its row and its column. Otherwise "
    "return None.",
    "Begin as `careless` does. Then compare [list(zip(factors, column)) for column in zip(*right)] with the "
    "row of the table, for each row of factors in left.",
)
def packed(function):
    """Judge the recognized products, and the tables that are none."""
    for left, right in (LAYER, LONG, SAME):
        found = called(function, table(left, right))
        if found is None or not is_pair(found):
            raise Mistake(
                "A pair of matrices is asked for, left and right, as lists of rows, and packed gives "
                f"{found!r:.60}."
            )
        judge_matrices([*map(as_lists, found)], left, right)
    for what, wrong in OTHERS.items():
        try:
            found = function(wrong)
        except (IndexError, ValueError):
            raise Mistake(
                f"A table has {what}, and your function stops with an error. Return None."
            ) from None
        if found is not None:
            raise Mistake(
                f"In one table a sum has {what}. It is no matrix product, and packed gives {found!r:.80}. "
                "Check every sum, and return None."
            )
    return "It packs what is a matrix product, and nothing else."


def called(function, given):
    """What the reader's function makes of a table."""
    return call(function, given, said="packed(table)", header="def packed(table):")


def is_pair(found):
    """Whether this is a pair of lists."""
    return (
        isinstance(found, tuple | list)
        and len(found) == 2
        and all(isinstance(x, list | tuple) for x in found)
    )


def as_lists(matrix):
    """A matrix as a list of lists."""
    return [[*row] if isinstance(row, list | tuple) else row for row in matrix]


def judge_matrices(found, left, right):
    """Raise Mistake unless these are the matrices."""
    columns_of_right = [[*column] for column in zip(*right)]
    for which, mine, matrix in (("left", found[0], left), ("right", found[1], right)):
        if mine == matrix:
            continue
        kind = (
            "Its rows belong to the rows of the table."
            if which == "left"
            else "It has a column for each sum."
        )
        if found == [right, left]:
            kind = "The two have changed places."
        elif which == "right" and mine == columns_of_right:
            kind = "It is turned: in a product, the right matrix has a column for each column of the table."
        elif which == "left" and mine == [[*column] for column in zip(*left)]:
            kind = "It is turned: it has a row for each row of the table."
        raise Mistake(f"The {which} matrix should be {matrix}, and yours is {mine!r:.90}. {kind}")
