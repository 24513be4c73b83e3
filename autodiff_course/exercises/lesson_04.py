"""The exercises of lesson 04: a gradient by hand, the number of paths, and their products."""

from collections.abc import Iterable

from ..checking import Mistake, number
from .calling import call, names_of
from .shared import in_words
from .table import PRINTS, Guess, Right, Stop, Table, Task, Wrong, advice, outcome

# -- a gradient by hand -------------------------------------------------------------------------------------

ADDED = "Contributions of different paths are added, not multiplied."

Guess(
    "04 guess",
    right="20",
    answers=(
        Right("as a float", "20.0"),
        Right("in a Tensor", "Tensor(20)"),
        Right("by the machine", "x = Tensor(5)\nbackward((x + x) * x)\nx.grad"),
        Wrong("one edge alone", "10", "10 comes either along the edge from x straight to the product, or along the two paths through x + x. Both belong to the gradient."),
        Wrong("one path through the sum", "15", "The sum x + x has two edges to x, and each is a path of its own."),
        Wrong("the value", "50", "50 is y itself. The gradient says how many times as far y moves as x."),
        Wrong("slopes added along a path", "11", "Along a path, local slopes are multiplied: 5 and 1 make 5."),
        Wrong("the square's slope", "25", "The edge from x straight to the product has the other factor as its local slope: x + x, not x."),
        Wrong("products multiplied", "10 * 5 * 5", ADDED),
        Wrong("products multiplied, with the 10 twice", "10 * 5 * 10", ADDED),
        Wrong("something else", "7"),
        Wrong("a word", "'twenty'", holds="A number is asked for"),
    ),
    otherwise="Not {found:.6g}. Multiply along each of the three paths, and add.",
    praise="10 + 5 + 5. By the rules from school, y is 2x², its slope is 4x, and 4 · 5 is 20 as well.",
    hints=(
        "How many edges lead into the product, and from where? And how many edges lead into x + x?",
        "There are three paths from y back to x. One of them is a single edge.",
        "The single edge has the local slope x + x, which is 10. Each of the other two has the local slope x, which is 5, and then 1.",
    ),
    within=0,
    message="{why}",
)

# -- in steps: the number of paths, and their products ------------------------------------------------------

# For each graph: its text, the end and the leaf. The smallest graphs come first.
GRAPHS = (
    ("a = Tensor(3)", "a", "a"),
    ("a = Tensor(3); b = Tensor(5)", "a", "b"),
    ("a = Tensor(3); b = Tensor(3)", "a", "b"),
    ("a = Tensor(3); y = a + a", "y", "a"),
    ("a = Tensor(5); b = Tensor(7); y = a * b", "y", "a"),
    ("x = Tensor(0); y = x * Tensor(7)", "y", "x"),
    ("a = Tensor(2); b = a * Tensor(3); c = a + Tensor(2); d = b + Tensor(4); e = c * d", "e", "a"),
    ("x = Tensor(2); h = x * x; y = h + h * h", "y", "x"),
)


def ends(case, function):
    """The end and the leaf of a graph, made of the Tensors with which the reader's function works."""
    text, end, leaf = case
    nodes = {"Tensor": names_of(function, 4)["Tensor"]}
    exec(text, {}, nodes)
    return [nodes[end], nodes[leaf]]


def how_many(answer, said):
    """The number of paths that a reader's function gives."""
    if isinstance(answer, (list, tuple)):
        raise Mistake(f"{said.partition(' with ')[0]} gives {answer!r:.60}. Return the number of paths.")
    return number(answer)


PATHS = "sum(count_paths(creator, leaf) for creator in end.creators)"

Task(
    "04 count",
    head="count_paths(end, leaf)",
    right=f"if end is leaf:\n    return 1\nreturn {PATHS}",
    cases=GRAPHS,
    answers=(
        Right("leaves first", """
            if not end.creators:
                return 1 if end is leaf else 0
            total = 0
            for creator in end.creators:
                if isinstance(creator, Tensor):
                    total += count_paths(creator, leaf)
            return total"""),
        Right("with a list of what is to be done", """
            found, waiting = 0, [end]
            while waiting:
                node = waiting.pop()
                found += node is leaf
                waiting.extend(node.creators)
            return found"""),
        Right("remembering counts", """
            def count_paths(node, target, known=None):
                known = {} if known is None else known
                if node is target:
                    return 1
                if node not in known:
                    known[node] = sum(count_paths(c, target, known) for c in node.creators)
                return known[node]"""),
        Wrong("one level", "1 if end is leaf else sum(creator is leaf for creator in end.creators)", "It looks one level deep: go on from each creator."),
        Wrong("each node once", """
            found, seen, waiting = 0, set(), [end]
            while waiting:
                node = waiting.pop()
                found += node is leaf
                if node not in seen:
                    seen.add(node)
                    waiting.extend(node.creators)
            return found""", "A node can be reached by several paths, and each of them counts. Go on from it every time."),
        Wrong("no path to itself", "sum((creator is leaf) + count_paths(creator, leaf) for creator in end.creators)", "From a node to itself there is one path, with no edge in it."),
        Wrong("compares numbers", ("end is leaf", "end.data == leaf.data"), "Equal numbers need not be the same node: compare with `is`."),
        Wrong("any leaf", ("end is leaf", "not end.creators"), "A path that ends at another leaf does not count."),
        Wrong("creators as a set", ("in end.creators", "in set(end.creators)"), "Two edges lead to a, and each is a path of its own."),
        Wrong("the end, too", (PATHS, f"bool(end.creators) + {PATHS}"), "The end itself is no path to a."),
        Wrong("a constant", "7", holds="it should be 1."),
        Wrong("prints", (("return 1", "print(1)\n        return"), (f"return {PATHS}", f"print({PATHS})")), holds=PRINTS),
        Wrong("None at a leaf", """
            found = 1 if end is leaf else None
            for creator in end.creators:
                found = (found or 0) + (count_paths(creator, leaf) or 0)
            return found""", holds="what stands after `return` is None there"),
        Wrong("a way without return", (f"return {PATHS}", f"if end.creators:\n        return {PATHS}"), holds="this path through the function has no `return`"),
        Wrong("an argument too few", "def count_paths(end):\n    return 1", holds="2 arguments, and your function takes 1"),
        Wrong("a loop without end", "while end is leaf:\n    pass\nreturn 0", holds="Does a loop never end?"),
        Wrong("calls itself without end", "return count_paths(end, leaf)", holds="without end"),
        Wrong("a list of paths", "[1]", holds="Return the number"),
        Wrong("a number", "answer = 2", holds="A function is asked for"),
    ),
    praise="Two edges between the same two nodes are two paths.",
    hints=(
        "Two cases are easy: end is leaf itself, or end has no creators. What is the number for each?",
        "In all other cases a path goes by way of one of the creators. The number of paths from a creator is the same question again.",
        "if end is leaf: return 1. Otherwise return the sum of count_paths(creator, leaf) for all creators.",
    ),
    inputs=ends,
    said=lambda case: f"count_paths({case[1]}, {case[2]}) with {case[0]}",
    read=how_many,
    equal=lambda found, right: found == right,
    alike=lambda found, other: found == other,
    shown="{:.6g}".format,
    message="For {case[0]}, count_paths({case[1]}, {case[2]}) gives {gives}; it should be {wanted}. {why}",
)  # fmt: skip

FACTOR = "The local slope of a product is the other factor. RULES has a rule for each creator."
MULTIPLIED = "Along a path, local slopes are multiplied, and here they are added."
ONE_EDGE = "These are the local slopes of one edge of each path. Multiply along the whole path."
SLOPES = "for creator, rule in zip(end.creators, RULES[end.creation_op])"
BY_HAND = """
    if end is leaf:
        return [1]
    found = []
    for creator in end.creators:
        slope = {} if end.creation_op == "mul" else 1
        found += [slope * rest for rest in products(creator, leaf)]
    return found"""

PRODUCTS = Table(
    "04 products",
    head="products(end, leaf)",
    right=f"""
if end is leaf:
    return [1]
z, *inputs = map(value, (end, *end.creators))
found = []
{SLOPES}:
    for rest in products(creator, leaf):
        found.append(rule(1, z, *inputs) * rest)
return found""",
    answers=(
        Right("as a tuple, end first", """
            def products(node, leaf, so_far=1):
                if node is leaf:
                    return (so_far,)
                z, *inputs = map(value, (node, *node.creators))
                found = ()
                for creator, rule in zip(node.creators, RULES[node.creation_op]):
                    if isinstance(creator, Tensor):
                        found += products(creator, leaf, rule(so_far, z, *inputs))
                return found"""),
        Right("local slopes written out", """
            if end is leaf:
                return [1]
            if not end.creators:
                return []
            x, y = end.creators
            to_x, to_y = (y.data, x.data) if end.creation_op == "mul" else (1, 1)
            return [to_x * p for p in products(x, leaf)] + [to_y * p for p in products(y, leaf)]"""),
        Wrong("the sum, or nothing", ("return found", "return [sum(found)] if found else []"), "That is the sum. Each path has a product of its own in the list."),
        Wrong("one edge of each path", ("* rest", "* 1"), ONE_EDGE),
        Wrong("the last edge of each path", ("rule(1, z, *inputs) * rest", "rule(1, z, *inputs) if creator is leaf else rest"), ONE_EDGE),
        Wrong("slopes added along a path, from 1", ("* rest", "+ rest"), MULTIPLIED),
        Wrong("slopes added", ("* rest", "+ rest * (creator is not leaf)"), MULTIPLIED),
        Wrong("the sum", ("return found", "return [sum(found)]"), holds="so the list is empty"),
        Wrong("slopes added along a path, from 0", (("[1]", "[0]"), ("* rest", "+ rest")), holds="The path with no edge has the product 1"),
        Wrong("any leaf", ("end is leaf", "not end.creators"), holds="No path leads from a to b"),
        Wrong("each creator once", (SLOPES, "for creator, rule in dict(zip(end.creators, RULES[end.creation_op])).items()"), holds="There are 2 paths, and the list has 1"),
        Wrong("its own number", BY_HAND.format("creator.data"), holds="the other factor"),
        Wrong("the product divided by its own number", BY_HAND.format("end.data / creator.data"), holds="divides by 0. The local slope of a product is the other factor"),
        Wrong("constants of the task", "[10, 12]", holds="with no edge has the product 1"),
        Wrong("a gradient that is not set", "[leaf.grad]", holds="multiply local slopes"),
        Wrong("append in place of extend", "return [1] if end is leaf else [products(creator, leaf) for creator in end.creators]", holds="take extend, or +=, not append"),
        Wrong("the gradient", "backward(end)\nreturn leaf.grad or 0", holds="one product for each path"),
        Wrong("prints", "print([1])", holds=PRINTS),
        Wrong("an argument too many", "def products(end, leaf, known):\n    return [1]", holds="2 arguments, and your function takes 3"),
    ),
    hints=(
        "It is count_paths again: in place of 1 there is [1], and in place of a sum of numbers a longer list.",
        "Each product for a creator is multiplied by the local slope of the edge to this creator, and then it is a product for end.",
        "Take the values as backward does: z, *inputs = map(value, (end, *end.creators)). For each creator with its rule, the local slope is rule(1, z, *inputs).",
    ),
)  # fmt: skip
BY_ZERO = Stop(ZeroDivisionError, f"For {{case[0]}}, {{said}} divides by 0. {FACTOR}")


@PRODUCTS.judged
def products(function):
    """Judge a function that lists the product of each path from a node back to a leaf."""
    for case in GRAPHS:
        text, end, leaf = case
        said = f"products({end}, {leaf})"
        with advice(BY_ZERO, said=said, case=case):
            answer = call(function, *ends(case, function), said=f"{said} with {text}")
        found = sorted(listed_numbers(answer, said))
        right = sorted(PRODUCTS.answer(function)(*ends(case, function)))
        if found != right:
            gives = f"For {text}, {said} gives {shown(found)}; it should be {shown(right)}."
            raise Mistake(f"{gives} {why(found, right, function, case)}".rstrip())
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


def why(found, right, function, case):
    """The mistake behind a wrong list, or ""."""
    if case[1] == case[2]:
        return "The path with no edge has the product 1."
    if not right:
        said = "No path leads from a to b, so the list is empty."
        return said if found == [0] else f"{said} Compare nodes with `is`."
    otherwise = FACTOR if right == [7] else ""
    if len(found) != len(right):
        otherwise = f"There are {in_words([len(right)])} paths, and the list has {len(found)}."
    return PRODUCTS.why(
        lambda wrong: found == sorted(outcome(wrong, *ends(case, function))), function, otherwise
    )
