"""The exercises of lesson 04: a gradient by hand, the number of paths, and their products."""

from collections.abc import Iterable

from ..checking import Mistake, exercise, number
from .calling import call, names_of
from .shared import in_words

SAME = "Equal numbers need not be the same node: compare with `is`."

E = "a = Tensor(2); b = a * Tensor(3); c = a + Tensor(2); d = b + Tensor(4); e = c * d"
FACTOR = "The local slope of a product is the other factor. RULES has a rule for each creator."
ONE_LEVEL = "It looks one level deep: go on from each creator."

# For each graph: its text, the end, the leaf, the products of its paths, and the mistakes behind certain
# wrong numbers of paths. The smallest graphs come first.
GRAPHS: tuple[tuple[str, str, str, list[int], dict[float, str]], ...] = (
    (
        "a = Tensor(3)", "a", "a", [1],
        {0: "From a node to itself there is one path, with no edge in it."},
    ),
    (
        "a = Tensor(3); b = Tensor(5)", "a", "b", [],
        {1: "A path that ends at another leaf does not count."},
    ),
    (
        "a = Tensor(3); b = Tensor(3)", "a", "b", [],
        {1: SAME},
    ),
    (
        "a = Tensor(3); y = a + a", "y", "a", [1, 1],
        {1: "Two edges lead to a, and each is a path of its own.", 3: "The end itself is no path to a."},
    ),
    (
        "a = Tensor(5); b = Tensor(7); y = a * b", "y", "a", [7],
        {2: "A path that ends at another leaf does not count."},
    ),
    (
        "x = Tensor(0); y = x * Tensor(7)", "y", "x", [7],
        {},
    ),
    (
        E, "e", "a", [10, 12],
        {3: SAME, 5: "These are the paths to all leaves.", 0: ONE_LEVEL},
    ),
    (
        "x = Tensor(2); h = x * x; y = h + h * h", "y", "x", [2, 2, 8, 8, 8, 8],
        {
            2: "A node can be reached by several paths, and each of them counts. Go on from it every time.",
            3: "h is reached by three paths, and from h two edges lead on to x.",
        },
    ),
)  # fmt: skip


def build(function, text):
    """The nodes of a calculation by name, made of the Tensors with which the reader's function works."""
    nodes = {"Tensor": names_of(function, 4)["Tensor"]}
    exec(text, {}, nodes)
    return nodes


# -- a gradient by hand -------------------------------------------------------------------------------------


@exercise(
    "04 guess",
    "How many edges lead into the product, and from where? And how many edges lead into x + x?",
    "There are three paths from y back to x. One of them is a single edge.",
    "The single edge has the local slope x + x, which is 10. Each of the other two has the local slope x, "
    "which is 5, and then 1.",
)
def guess(answer):
    """Judge the gradient of x in y = (x + x) * x at 5."""
    answer = number(answer)
    kinds = {
        10: "10 comes either along the edge from x straight to the product, or along the two paths through "
        "x + x. Both belong to the gradient.",
        15: "The sum x + x has two edges to x, and each is a path of its own.",
        50: "50 is y itself. The gradient says how many times as far y moves as x.",
        11: "Along a path, local slopes are multiplied: 5 and 1 make 5.",
        25: "The edge from x straight to the product has the other factor as its local slope: x + x, not x.",
        500: "Contributions of different paths are added, not multiplied.",
        250: "Contributions of different paths are added, not multiplied.",
    }
    if answer != 20:
        other = f"Not {answer:.6g}. Multiply along each of the three paths, and add."
        raise Mistake(kinds.get(answer, other))
    return "10 + 5 + 5. By the rules from school, y is 2x², its slope is 4x, and 4 · 5 is 20 as well."


# -- in steps: the number of paths, and their products ------------------------------------------------------


@exercise(
    "04 count",
    "Two cases are easy: end is leaf itself, or end has no creators. What is the number for each?",
    "In all other cases a path goes by way of one of the creators. The number of paths from a creator is the "
    "same question again.",
    "if end is leaf: return 1. Otherwise return the sum of count_paths(creator, leaf) for all creators.",
)
def count(function):
    """Judge a function that counts the paths from a node back to a leaf."""
    for text, end, leaf, right, kinds in GRAPHS:
        nodes = build(function, text)
        said = f"count_paths({end}, {leaf})"
        answer = call(function, nodes[end], nodes[leaf], said=f"{said} with {text}")
        if isinstance(answer, (list, tuple)):
            raise Mistake(f"{said} gives {answer!r:.60}. Return the number of paths.")
        found = number(answer)
        if found != len(right):
            gives = f"For {text}, {said} gives {found:.6g}; it should be {len(right)}."
            raise Mistake(f"{gives} {kinds.get(found, '')}".rstrip())
    return "Two edges between the same two nodes are two paths."


@exercise(
    "04 products",
    "It is count_paths again: in place of 1 there is [1], and in place of a sum of numbers a longer list.",
    "Each product for a creator is multiplied by the local slope of the edge to this creator, and then it is "
    "a product for end.",
    "Take the values as backward does: z, *inputs = map(value, (end, *end.creators)). For each creator with "
    "its rule, the local slope is rule(1, z, *inputs).",
)
def products(function):
    """Judge a function that lists the product of each path from a node back to a leaf."""
    for text, end, leaf, right, _ in GRAPHS:
        nodes = build(function, text)
        said = f"products({end}, {leaf})"
        try:
            answer = call(function, nodes[end], nodes[leaf], said=f"{said} with {text}")
        except ZeroDivisionError:
            raise Mistake(f"For {text}, {said} divides by 0. {FACTOR}") from None
        found = sorted(listed_numbers(answer, said))
        if found != right:
            raise Mistake(f"For {text}, {said} gives {shown(found)}; it should be {shown(right)}. "
                          f"{why(found, right, end, leaf)}".rstrip())  # fmt: skip
    return "22 is 10 + 12, and 36 is 2 + 2 + 8 + 8 + 8 + 8."


def listed_numbers(answer, said):
    """The reader's list as numbers. Raises Mistake if it is none."""
    if isinstance(answer, Iterable) and not isinstance(answer, (str, dict)):
        answer = list(answer)
        if any(each is None for each in answer):
            what = "A product is a number, and None is not a number."
            raise Mistake(f"{said} gives {answer!r:.60}. {what} (No .grad is set: multiply local slopes.)")
        if any(isinstance(each, (list, tuple)) for each in answer):
            what = "There is a list in the list: take extend, or +=, not append."
            raise Mistake(f"{said} gives {answer!r:.60}. {what}")
        return [number(each) for each in answer]
    raise Mistake(f"{said} gives {answer!r:.60}. Return a list with one product for each path.")


def shown(numbers):
    """A list of numbers, or the word for an empty one."""
    return f"[{', '.join(f'{each:.6g}' for each in numbers)}]"


def why(found, right, end, leaf):
    """The mistake behind a wrong list, or ""."""
    if end == leaf:
        return "The path with no edge has the product 1."
    if not right:
        said = "No path leads from a to b, so the list is empty."
        return said if found == [0] else f"{said} Compare nodes with `is`."
    if found == [sum(right)]:
        return "That is the sum. Each path has a product of its own in the list."
    if right == [10, 12] and found in ([4, 10], [1, 3]):
        return "These are the local slopes of one edge of each path. Multiply along the whole path."
    if right == [10, 12] and found == [8, 11]:
        return "Along a path, local slopes are multiplied, and here they are added."
    if len(found) != len(right):
        return f"There are {in_words([len(right)])} paths, and the list has {len(found)}."
    if right == [7]:
        return FACTOR
    if right == [1, 1] and found == [2, 2]:
        return "Along a path, local slopes are multiplied, and here they are added."
    return ""
