"""Answers to the exercises of lesson 28."""

from . import Right, Wrong


def function(head, *lines):
    """A function with these lines."""
    name = head.partition("(")[0]
    return "\n    ".join([f"def {head}:", *lines]) + f"\n\n{name}"


def affected(*lines):
    """A list of affected nodes with these lines."""
    return function("affected(end, leaf)", *lines)


def change(*lines):
    """A change with these lines, and a right `affected`."""
    return AFFECTED.removesuffix("affected") + function("change(numbers, end, leaf, new)", *lines)


START = "seen, nodes = {leaf}, []"
LOOP = "for node in order(end):"
ASK = "    if any(x in seen for x in node.creators if isinstance(x, Tensor)):"
AFFECTED = affected(START, LOOP, ASK, "        seen.add(node)", "        nodes.append(node)", "return nodes")

COPY = "numbers = dict(numbers)"
NEW = "numbers[leaf] = new"
EACH = "for node in affected(end, leaf):"
INPUTS = "    inputs = [numbers[x] if isinstance(x, Tensor) else x for x in node.creators]"
ALL = "for node in [n for n in order(end) if n.creation_op]:"
COMPUTE = "    numbers[node] = FORWARD[node.creation_op](*inputs)"

ANSWERS = {
    "28 times": (
        Right("a power", "2**30 - 1"),
        Right("in full", "1073741823"),
        Wrong("each once", "30", "computes each node once"),
        Wrong("the result", "2**30", "the result of a run"),
        Wrong("one more", "2**30 + 1", "one more than the result"),
        Wrong("with the leaves", "2**31 - 1", "visits to the placeholder"),
        Wrong("29", "2**29 - 1", "for 29 doublings"),
        Wrong("the table's", "524287", "for 19 doublings"),
        Wrong("in proportion", "570", "in proportion"),
        Wrong("a square", "900", "no square"),
        Wrong("something else", "7", "both halves anew"),
        Wrong("a word", "'many'", "A number is asked for"),
    ),
    "28 affected": (
        Right("with a set", AFFECTED),
        Right("by order", affected("return [n for n in order(end) if n is not leaf and leaf in order(n)]")),
        Wrong(
            "with the leaf",
            affected("return [n for n in order(end) if leaf in order(n)]"),
            "The leaf itself is not computed",
        ),
        Wrong(
            "only those next to it",
            affected("return [n for n in order(end) if leaf in n.creators]"),
            "too",
        ),
        Wrong("all", affected("return [n for n in order(end) if n.creation_op]"), "does not depend on"),
        Wrong("with all leaves", affected("return [n for n in order(end) if n is not leaf]"), "Other leaves"),
        Wrong(
            "backwards",
            affected("return [n for n in order(end) if n is not leaf and leaf in order(n)][::-1]"),
            "Creators have to come first",
        ),
        Wrong(
            "a set",
            affected("return {n for n in order(end) if n is not leaf and leaf in order(n)}"),
            "a set has no order",
        ),
        Wrong("no list", affected("return len(order(end))"), "A list of nodes is asked for"),
        Wrong(
            "every path",
            affected(
                "nodes = []",
                "def walk(node):",
                "    hit = node is leaf",
                "    for x in node.creators:",
                "        if isinstance(x, Tensor):",
                "            hit = walk(x) or hit",
                "    if hit and node is not leaf and node not in nodes:",
                "        nodes.append(node)",
                "    return hit",
                "walk(end)",
                "return nodes",
            ),
            "every path is followed",
        ),
        Wrong("prints", affected("print(order(end))"), "prints its result"),
    ),
    "28 change": (
        Right("a loop", change(COPY, NEW, EACH, INPUTS, COMPUTE, "return numbers")),
        Right(
            "with compute",
            change(
                "n = {**numbers, leaf: new}",
                EACH,
                "    n[node] = compute(node.creation_op, *[n[x] if isinstance(x, Tensor) else x for x in node.creators])",
                "return n",
            ),
        ),
        Wrong("in place", change(NEW, EACH, INPUTS, COMPUTE, "return numbers"), "the old dict has changed"),
        Wrong("only the leaf", change(COPY, NEW, "return numbers"), "That is its old number"),
        Wrong("no new number", change(COPY, EACH, INPUTS, COMPUTE, "return numbers"), "its new number first"),
        Wrong(
            "everything",
            change(COPY, NEW, ALL, INPUTS, COMPUTE, "return numbers"),
            "Compute those alone",
        ),
        Wrong(
            "the affected alone",
            change(COPY, NEW, EACH, INPUTS, COMPUTE, "return {n: numbers[n] for n in affected(end, leaf)}"),
            "gives no number for",
        ),
        Wrong("the end alone", change(COPY, NEW, EACH, INPUTS, COMPUTE, "return numbers[end]"), "A dict"),
        Wrong("nothing comes back", change(COPY, NEW, EACH, INPUTS, COMPUTE), "returns nothing"),
    ),
}
