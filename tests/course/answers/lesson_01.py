"""Answers to the exercises of lesson 01."""

from . import Right, Wrong

VISIT = """
def nodes(t):
    met = set()

    def visit(node):
        if node in met:
            return
        met.add(node)
        for creator in node.creators:
            visit(creator)

    visit(t)
    return met
"""
LIST = """
def nodes(t):
    found, todo = [], [t]
    while todo:
        node = todo.pop()
        if not any(node is other for other in found):
            found.append(node)
            todo += node.creators
    return found
"""
LEAVES = (
    VISIT
    + """

def leaves(t):
    return [node for node in nodes(t) if node.creators == ()]
"""
)
WAYS = """
def ways(start, t):
    if t is start:
        return 1
    return sum(ways(start, creator) for creator in t.creators)
"""


def change(code, *changes):
    """A text with parts of it replaced."""
    for old, new in changes:
        assert old in code, old
        code = code.replace(old, new)
    return code


def nodes(kind, code, say=None):
    """An answer to 01 nodes."""
    return answer(kind, code, "nodes", say)


def leaves(kind, code, say=None):
    """An answer to 01 leaves."""
    return answer(kind, code, "leaves", say)


def ways(kind, code, say=None):
    """An answer to 01 ways."""
    return answer(kind, code, "ways", say)


def answer(kind, code, name, say):
    """A right answer, or with words of the message a wrong one."""
    code = code.strip("\n") + f"\n{name}"
    return Right(kind, code) if say is None else Wrong(kind, code, say)


ANSWERS = {
    "01 predict": (
        Right("three", "3"),
        Right("in a Tensor", "Tensor(3)"),
        Wrong("every use is a node", "5", "every use of a is a new node"),
        Wrong("every use is a node, the sum is forgotten", "4", "One too many"),
        Wrong("the leaf is forgotten", "2", "One is left out"),
        Wrong("the value", "8", "8 is the value"),
        Wrong("something else", "7", "Not 7"),
        Wrong("a word", "'three'", "A number is asked for"),
    ),
    "01 nodes": (
        nodes("a set, by a function inside", VISIT),
        nodes("a list, by a loop", LIST),
        nodes("a tuple", change(LIST, ("return found", "return tuple(found)"))),
        nodes("the keys of a dict", change(VISIT, ("set()", "{}"), ("met.add(node)", "met[node] = True"))),
        nodes(
            "with isinstance",
            change(VISIT, ("if node in met", "if not isinstance(node, Tensor) or node in met")),
        ),
        nodes(
            "the lesson's numbers with one word changed",
            """
def collected(node, met):
    met.add(node)
    for creator in node.creators:
        collected(creator, met)
    return met


def nodes(t):
    return collected(t, set())
""",
        ),
        nodes("their numbers", change(VISIT, ("met.add(node)", "met.add(node.data)"), ("if node in", "if node.data in")), "node, not node.data"),
        nodes(
            "equal numbers once",
            "def nodes(t, met=None):\n    met = {} if met is None else met\n    met[t.data] = t\n"
            "    for creator in t.creators:\n        nodes(creator, met)\n    return list(met.values())",
            "Equal numbers are taken for the same node",
        ),
        nodes(
            "once for every way",
            "def nodes(t):\n    return [t] + [node for creator in t.creators for node in nodes(creator)]",
            "A node is in it twice",
        ),
        nodes("without t", change(VISIT, ("    return met", "    return met - {t}")), "The node at the end, t itself"),
        nodes(
            "without t, but for a leaf",
            change(VISIT, ("    return met", "    return met - {t} or {t}")),
            "The node at the end, t itself",
        ),
        nodes("one step back", "def nodes(t):\n    return {t, *t.creators}", "stop after one step back"),
        nodes(
            "left over from the call before",
            "def nodes(t, met=set()):\n    met.add(t)\n    for creator in t.creators:\n        nodes(creator, met)\n    return met",
            "left over from the call before",
        ),
        nodes("their count", change(VISIT, ("    return met", "    return len(met)")), "The nodes themselves are asked for"),
        nodes("printed", change(VISIT, ("    return met", "    print(met)")), "prints its result and returns nothing"),
        nodes("no return", change(VISIT, ("\n    return met", "")), "computes something and returns nothing"),
        nodes("one argument more", "def nodes(t, met):\n    return met", "hands over 1 argument"),
        nodes("an endless loop", "def nodes(t):\n    while t:\n        pass", "Does a loop never end?"),
        nodes("endless recursion", "def nodes(t):\n    return {t} | nodes(t)", "calls itself without end"),
        nodes("one Tensor", "def nodes(t):\n    return t", "gives one Tensor"),
        Wrong("no function", "8", "A function is asked for"),
    ),
    "01 leaves": (
        leaves("a list", LEAVES),
        leaves("a set", change(LEAVES, ("[node for node in nodes(t) if node.creators == ()]", "{node for node in nodes(t) if not node.creators}"))),
        leaves(
            "by itself",
            """
def leaves(t):
    if not t.creators:
        return {t}
    return set().union(*map(leaves, t.creators))
""",
        ),
        leaves(
            "once for every way",
            "def leaves(t):\n    return [leaf for creator in t.creators for leaf in leaves(creator)] if t.creators else [t]",
            "A node is in it twice",
        ),
        leaves("the creators", "def leaves(t):\n    return set(t.creators or (t,))", "so it is not a leaf"),
        leaves("all nodes", change(LEAVES, (" if node.creators == ()", "")), "so it is not a leaf"),
        leaves("one step back", "def leaves(t):\n    return {x for x in t.creators or (t,) if not x.creators}", "stop after one step back"),
        leaves(
            "nothing for a leaf",
            "def leaves(t):\n    found = set()\n    for creator in t.creators:\n        found |= leaves(creator) or {creator}\n    return found",
            "that node is its leaf",
        ),
        leaves(
            "equal numbers once",
            "def leaves(t):\n    if not t.creators:\n        return [t]\n    found = {x.data: x for creator in t.creators for x in leaves(creator)}\n    return list(found.values())",
            "Equal numbers are taken for the same node",
        ),
        leaves("their numbers", change(LEAVES, ("[node for", "[node.data for")), "The Tensors themselves"),
        leaves("their count", change(LEAVES, ("[node for node in nodes(t) if node.creators == ()]", "len(nodes(t))")), "The nodes themselves are asked for"),
        leaves("creators compared with None", change(LEAVES, ("node.creators == ()", "node.creators is None")), "its creators are ()"),
        leaves("printed", change(LEAVES, ("return [node", "print([node"), ("== ()]", "== ()])")), "prints its result"),
    ),
    "01 ways": (
        ways("recursion", WAYS),
        ways("a loop", "def ways(start, t):\n    if t is start:\n        return 1\n    found = 0\n    for creator in t.creators:\n        found += ways(start, creator)\n    return found"),
        ways("other names, the start as a default too", change(WAYS, ("start", "a"), ("t.", "z."), ("if t", "if z"), ("(a, t)", "(a, z)"))),
        ways("equal numbers", change(WAYS, ("t is start", "t.data == start.data")), "compare nodes with `is`"),
        ways("one more for each node", change(WAYS, ("return sum(", "return 1 + sum(")), "nothing is added for the node itself"),
        ways("ends at any leaf", change(WAYS, ("    if t is start:", "    if not t.creators:")), "it should be"),
        ways("the product", change(WAYS, ("sum(", "math.prod(")), "it should be"),
        ways("the largest", change(WAYS, ("sum(ways(start, creator) for creator in t.creators)", "max([ways(start, creator) for creator in t.creators], default=0)")), "Two edges lead from a"),
        ways("each node once", "def ways(start, t):\n    return int(t is start) + sum(ways(start, creator) for creator in set(t.creators))", "Two edges lead from a"),
        ways("the edges out of start", "def ways(start, t):\n    if t is start:\n        return 1\n    return sum((x is start) + ways(start, x) * (x is not start) for x in set(t.creators)) or 0", "it should be"),
        ways("without the way from a node to itself", "def ways(start, t):\n    return sum((x is start) or ways(start, x) for x in t.creators)", "staying put"),
        ways("printed", change(WAYS, ("    return sum(ways(start, creator) for creator in t.creators)", "    print(sum(1 for creator in t.creators))")), "prints its result and returns nothing"),
        ways("no else", "def ways(start, t):\n    if t is start:\n        return 1", "has no `return`"),
        ways("one argument too few", "def ways(t):\n    return 2", "hands over 2 argument"),
        ways("constant", "def ways(start, t):\n    return 2", "From a node to itself"),
        ways("always 2, but from a node to itself", "def ways(start, t):\n    return 1 if t is start else 2", "do not return a fixed number"),
        ways("a list of ways", "def ways(start, t):\n    return [t]", "A whole number is asked for"),
    ),
}  # fmt: skip
