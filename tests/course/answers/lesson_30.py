"""Answers to the exercises of lesson 30."""

from . import Right, Wrong


def function(head, *lines):
    """A function with these lines."""
    name = head.partition("(")[0]
    return "\n    ".join([f"def {head}:", *lines]) + f"\n\n{name}"


def levels(*lines):
    """Levels with these lines."""
    return function("levels(steps)", *lines)


def each(value):
    """Levels in which each name gets the value of this formula."""
    return levels(
        "found = {}",
        "for i, (name, operation, used) in enumerate(steps):",
        f"    found[name] = {value}",
        "return found",
    )


def terms(*lines):
    """Terms with these lines."""
    return function("terms(steps, name)", *lines)


def packed(*lines):
    """Matrices with these lines."""
    return function("packed(table)", *lines)


LEFT = "left = [[a for a, _ in row[0]] for row in table]"
RIGHT = "right = [[b for _, b in pairs] for pairs in zip(*table[0])]"
COMPARE = (
    "for row, factors in zip(table, left):",
    "    if row != [list(zip(factors, column)) for column in zip(*right)]:",
    "        return None",
)
MADE = "made = {n: (op, used) for n, op, used in steps}"

ANSWERS = {
    "30 levels": (
        Right("max", each("max((found[x] + 1 for x in used if x in found), default=0)")),
        Right(
            "a loop",
            levels(
                "found = {}",
                "for name, _, used in steps:",
                "    found[name] = 0",
                "    for x in used:",
                "        if found.get(x, -1) + 1 > found[name]:",
                "            found[name] = found[x] + 1",
                "return found",
            ),
        ),
        Wrong("from 1", each("max((found[x] for x in used if x in found), default=0) + 1"), "counted from 0"),
        Wrong("the line", each("i"), "the number of the line"),
        Wrong("the smallest", each("min((found[x] + 1 for x in used if x in found), default=0)"), "the largest"),
        Wrong("the sum", each("sum(found[x] + 1 for x in used if x in found)"), "adds the levels up"),
        Wrong("all in one", each("0"), "the next level"),
        Wrong("a list", levels("return [0 for step in steps]"), "A dict is asked for"),
        Wrong("empty", levels("return {}"), "no entry for"),
        Wrong("inputs, too", levels(
            "found = {}",
            "for name, _, used in steps:",
            "    for x in used:",
            "        found.setdefault(x, -1)",
            "    found[name] = max(found[x] + 1 for x in used)",
            "return found",
        ), "no inputs or numbers"),
        Wrong("every word looked up", each("1 + max((found[x] for x in used), default=0)"), "no step makes it"),
        Wrong("empties the steps", levels(
            "found = {}",
            "while steps:",
            "    name, _, used = steps.pop(0)",
            "    found[name] = max((found[x] + 1 for x in used if x in found), default=0)",
            "return found",
        ), "Leave it as it is"),
        Wrong("prints", levels("print(steps)"), "prints its result"),
    ),
    "30 points": (
        Right("13", "13"),
        Wrong("ten times", "130", "a line computes a whole array"),
        Wrong("your own", "87_000", "the size of your own program"),
        Wrong("a little more", "23", "More lines for what"),
        Wrong("fewer", "4", "when there are more rows"),
        Wrong("a word", "'many'", "A number is asked for"),
    ),
    "30 terms": (
        Right(
            "recursive",
            terms(
                "for n, op, used in steps:",
                "    if n == name and op == '+':",
                "        return terms(steps, used[0]) + terms(steps, used[1])",
                "return [name]",
            ),
        ),
        Right(
            "a stack",
            terms(
                MADE,
                "found, waiting = [], [name]",
                "while waiting:",
                "    x = waiting.pop()",
                "    if x in made and made[x][0] == '+':",
                "        waiting += made[x][1]",
                "    else:",
                "        found.append(x)",
                "return found",
            ),
        ),
        Wrong("one addition", terms(MADE, "return made[name][1] if made.get(name, 'x')[0] == '+' else [name]"), "Go on"),
        Wrong("no own term", terms(
            "for n, op, used in steps:",
            "    if n == name and op == '+':",
            "        return terms(steps, used[0]) + terms(steps, used[1])",
            "return []",
        ), "made by no addition"),
        Wrong("every word looked up", terms(
            MADE,
            "op, used = made[name]",
            "return terms(steps, used[0]) + terms(steps, used[1]) if op == '+' else [name]",
        ), "no step makes it"),
        Wrong("products, too", terms(
            "for n, op, used in steps:",
            "    if n == name and len(used) == 2:",
            "        return terms(steps, used[0]) + terms(steps, used[1])",
            "return [name]",
        ), "not taken apart"),
        Wrong("only the left", terms(
            "for n, op, used in steps:",
            "    if n == name and op == '+':",
            "        return terms(steps, used[0])",
            "return [name]",
        ), "two parts"),
        Wrong("the name itself", terms("return [name]"), "An addition is still among them"),
        Wrong("a set", terms("return {name}"), "A list is asked for"),
        Wrong("lists in the list", terms(
            MADE,
            "if made.get(name, 'x')[0] == '+':",
            "    return [terms(steps, x) for x in made[name][1]]",
            "return [name]",
        ), "One flat list"),
        Wrong("prints", terms("print(name)"), "prints its result"),
    ),
    "30 packed": (
        Right("compared", packed(
            "if len({len(cell) for row in table for cell in row}) > 1:",
            "    return None",
            LEFT, RIGHT, *COMPARE, "return left, right",
        )),
        Right("without lengths", packed(LEFT, RIGHT, *COMPARE, "return left, right")),
        Right("lists of lists", packed(LEFT, RIGHT, *COMPARE, "return [left, right]")),
        Wrong("careless", packed(LEFT, RIGHT, "return left, right"), "a weight that the others"),
        Wrong("turned", packed(
            LEFT, "right = [[b for _, b in cell] for cell in table[0]]", "return left, right"
        ), "It is turned"),
        Wrong("left turned", packed(
            "left = [list(x) for x in zip(*[[a for a, _ in row[0]] for row in table])]", RIGHT,
            "return left, right",
        ), "a row for each row"),
        Wrong("changed places", packed(LEFT, RIGHT, "return right, left"), "changed places"),
        Wrong("only the first row", packed(
            LEFT, RIGHT,
            "if table[0] != [list(zip(left[0], column)) for column in zip(*right)]:",
            "    return None",
            "return left, right",
        ), "a weight that the others"),
        Wrong("only the right factors", packed(
            LEFT, RIGHT,
            "for row in table:",
            "    if [[b for _, b in c] for c in row] != [list(c) for c in zip(*right)]:",
            "        return None",
            "return left, right",
        ), "an input that the others"),
        Wrong("cut to the shortest", packed(
            LEFT, RIGHT,
            "for row in range(len(table)):",
            "    for j in range(len(table[0])):",
            "        for k in range(len(right)):",
            "            if table[row][j][k] != (left[row][k], right[k][j]):",
            "                return None",
            "return left, right",
        ), "one product more"),
        Wrong("arrays", "import numpy as np\n\n\n" + packed(LEFT, RIGHT, "return np.array(left), np.array(right)"),
              "lists of rows"),
        Wrong("one matrix", packed(LEFT, "return left"), "A pair of matrices"),
        Wrong("prints", packed("print(table)"), "prints its result"),
    ),
}  # fmt: skip
