"""Answers to the exercises of lesson 05."""

import textwrap

from tests.course.answers import Right, Wrong

USES = """
def count_uses(end):
    uses, waiting = {end: 0}, [end]
    while waiting:
        for creator in waiting.pop().creators:
            if isinstance(creator, Tensor):
                if creator not in uses:
                    uses[creator] = 0
                    waiting.append(creator)
                uses[creator] += 1
    return uses
"""
CHAIN = (
    USES
    + """

def counted_order(end):
    uses, nodes, ready = count_uses(end), [], [end]
    while ready:
        nodes.append(ready.pop())
        for creator in nodes[-1].creators:
            if isinstance(creator, Tensor):
                uses[creator] -= 1
                if uses[creator] == 0:
                    ready.append(creator)
    return nodes[::-1]

counted_order
"""
)
COUNT_USES = USES + "\ncount_uses"
RECURSIVE = """
def counted_order(end):
    nodes, seen = [], set()

    def visit(node):
        if isinstance(node, Tensor) and node not in seen:
            seen.add(node)
            for creator in node.creators:
                visit(creator)
            nodes.append(node)

    visit(end)
    return nodes

counted_order
"""
WAITING = """
def counted_order(end):
    nodes, waiting = [], [end]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, Tensor) and node not in nodes:
            nodes.append(node)
            waiting.extend(node.creators)
    return nodes[::-1]

counted_order
"""

ANSWERS = {
    "05 second": (
        Right("the sum", "44"),
        Right("in a Tensor", "Tensor(44.0)"),
        Right("by the machine", """
            a = Tensor(2)
            e = (a + 2) * (a * 3 + 4)
            backward(e)
            backward(e)
            a.grad
            """),
        Wrong("begins again", "22", "holds already"),
        Wrong("sums in grad", "78", "a dict of its own"),
        Wrong("sums in grad, the end's too", "100", "a dict of its own"),
        Wrong("two more", "24", "10 and 12"),
        Wrong("multiplied", "484", "what arrives is added"),
        Wrong("cleared", "0", "Nothing is cleared"),
        Wrong("one path", "12", "Not 12"),
        Wrong("a word", "'more'", "A number is asked for"),
    ),
    "05 uses": (
        Right("with a waiting list", COUNT_USES),
        Wrong("without the end", COUNT_USES.replace(
            "return uses", "del uses[end]\n    return uses"), "so its count is 0"),
        Wrong("a plain number is looked up", COUNT_USES.replace("            if isinstance(creator, Tensor):\n", "")
              .replace("                if creator not in uses", "            if isinstance(creator, Tensor) and creator not in uses")
              .replace("                uses[creator] += 1", "            uses[creator] += 1"),
              "Only Tensors are counted"),
        Wrong("from the machine's order", """
            def count_uses(end):
                uses = {node: 0 for node in order(end)}
                for node in uses:
                    for creator in node.creators:
                        if isinstance(creator, Tensor):
                            uses[creator] += 1
                return uses

            count_uses
            """, "step 2 is to take its place"),
        Wrong("a Counter over the machine's order", """
            from collections import Counter

            def count_uses(end):
                return Counter(creator for node in order(end) for creator in node.creators
                               if isinstance(creator, Tensor))

            count_uses
            """, "calls the order that is there already"),
        Right("by recursion, with a Counter", """
            from collections import Counter

            def count_uses(end):
                uses, seen = Counter({end: 0}), set()

                def visit(node):
                    if node not in seen:
                        seen.add(node)
                        for creator in node.creators:
                            if isinstance(creator, Tensor):
                                uses[creator] += 1
                                visit(creator)

                visit(end)
                return uses

            count_uses
            """),
        Wrong("prints", COUNT_USES.replace("return uses", "print(uses)"), "prints its result and returns nothing"),
        Wrong("no argument", "def count_uses():\n    return {}\n\ncount_uses", "takes 0"),
        Wrong("users, not edges", COUNT_USES.replace("waiting.pop().creators", "set(waiting.pop().creators)"),
              "count edges"),
        Wrong("begins at 1", COUNT_USES.replace("uses[creator] = 0", "uses[creator] = 1"), "begins at 0"),
        Wrong("the end begins at 1", COUNT_USES.replace("{end: 0}", "{end: 1}"), "Nothing uses the end"),
        Wrong("one level", """
            def count_uses(end):
                uses = {end: 0}
                for creator in end.creators:
                    if isinstance(creator, Tensor):
                        uses[creator] = uses.get(creator, 0) + 1
                return uses

            count_uses
            """, "no count for a"),
        Wrong("paths, not edges", """
            def count_uses(end):
                uses, waiting = {end: 0}, [end]
                while waiting:
                    for creator in waiting.pop().creators:
                        if isinstance(creator, Tensor):
                            uses[creator] = uses.get(creator, 0) + 1
                            waiting.append(creator)
                return uses

            count_uses
            """, "more than once"),
        Wrong("by number", COUNT_USES.replace("{end: 0}", "{end.data: 0}")
              .replace("uses[creator]", "uses[creator.data]").replace("not in uses", "not in list(uses)"),
              "The keys are the Tensors"),
        Wrong("plain numbers too", COUNT_USES.replace("if isinstance(creator, Tensor):", "if True:"),
              "A creator can be a plain number"),
        Wrong("one number", "def count_uses(end):\n    return 2\n\ncount_uses", "Return a dict"),
        Wrong("a loop without end", COUNT_USES.replace("waiting.pop()", "waiting[0]"), "Does a loop never end?"),
        Wrong("a dict", "{}", "A function is asked for"),
    ),
    "05 chain": (
        Right("by counting", CHAIN),
        Right("oldest first, as a tuple", CHAIN.replace("ready.pop()", "ready.pop(0)")
              .replace("nodes[::-1]", "tuple(reversed(nodes))")),
        Right("a list of what is to be done", """
            def counted_order(end):
                nodes, seen, to_do = [], set(), [(end, False)]
                while to_do:
                    node, is_done = to_do.pop()
                    if is_done:
                        nodes.append(node)
                    elif isinstance(node, Tensor) and node not in seen:
                        seen.add(node)
                        to_do.append((node, True))
                        to_do.extend((creator, False) for creator in node.creators)
                return nodes

            counted_order
            """),
        Wrong("calls itself", RECURSIVE, "RecursionError: visit calls itself"),
        Wrong("count_uses calls itself", """
            def count_uses(end):
                uses = {end: 0}

                def visit(node):
                    for creator in node.creators:
                        if isinstance(creator, Tensor):
                            if creator not in uses:
                                uses[creator] = 0
                                visit(creator)
                            uses[creator] += 1

                visit(end)
                return uses
            """ + textwrap.indent(CHAIN[len(USES):], " " * 12), "RecursionError: visit calls itself"),
        Wrong("count_uses itself", """
            def count_uses(end, uses=None):
                uses = {end: 0} if uses is None else uses
                for creator in end.creators:
                    if isinstance(creator, Tensor):
                        is_new = creator not in uses
                        uses[creator] = uses.get(creator, 0) + 1
                        if is_new:
                            count_uses(creator, uses)
                return uses
            """ + textwrap.indent(CHAIN[len(USES):], " " * 12), "RecursionError: count_uses calls itself"),
        Wrong("calls itself, with a higher limit", RECURSIVE.replace(
            "    visit(end)", "    import sys\n    sys.setrecursionlimit(100_000)\n    visit(end)"),
            "whatever the limit is"),
        Wrong("the machine's own order", "order", "the order of your machine"),
        Wrong("calls the machine's order", "def counted_order(end):\n    return order(end)\n\ncounted_order",
              "there already"),
        Wrong("count_uses goes through the machine's order",
              "def count_uses(end):\n    uses = {node: 0 for node in order(end)}\n"
              "    for creator in [c for node in order(end) for c in node.creators]:\n"
              "        if isinstance(creator, Tensor):\n            uses[creator] += 1\n    return uses\n"
              + CHAIN[len(USES):], "Your count_uses goes through the order"),
        Wrong("takes the machine's gradients",
              "def counted_order(end):\n    return list(gradients(end))[::-1]\n\ncounted_order", "there already"),
        Wrong("the package's order", """
            from autodiff.engine.backward import order as ours

            def counted_order(end):
                return ours(end)

            counted_order
            """, "there already"),
        Wrong("nearest first", WAITING, "h stands before a, and is made from it"),
        Wrong("newest first", WAITING.replace("pop(0)", "pop()"), "h stands before a, and is made from it"),
        Wrong("the end first", CHAIN.replace("nodes[::-1]", "nodes"), "the other way round"),
        Wrong("users, not edges", CHAIN.replace("waiting.pop().creators", "set(waiting.pop().creators)"), "edges"),
        Wrong("one off for each user", CHAIN.replace("in nodes[-1].creators", "in set(nodes[-1].creators)"),
              "Not in it: a"),
        Wrong("a generator", CHAIN.replace("return nodes[::-1]", "return reversed(nodes)"), "put list(...) around"),
        Wrong("prints", CHAIN.replace("return nodes[::-1]", "print(nodes[::-1])"),
              "prints its result and returns nothing"),
        Wrong("an argument too many", "def counted_order(end, uses):\n    return [end]\n\ncounted_order",
              "takes 2"),
        Wrong("all paths", """
            def counted_order(end):
                nodes = []

                def visit(node):
                    for creator in node.creators:
                        if isinstance(creator, Tensor):
                            visit(creator)
                    if node not in nodes:
                        nodes.append(node)

                visit(end)
                return nodes

            counted_order
            """, "32,768 paths"),
        Wrong("a loop without end", "def counted_order(end):\n    while True:\n        pass\n\ncounted_order",
              "Does a loop never end?"),
        Wrong("a list", "[1, 2]", "A function is asked for"),
    ),
}  # fmt: skip
