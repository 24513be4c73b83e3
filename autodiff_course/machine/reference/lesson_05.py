"""Lesson 05: the second half of the change: an order, and a dict of what has arrived in this walk."""

from ..plan import Piece, Probe, Wrong

TITLE = "Each node once"

COURSE = "a = Tensor(2)\nbackward((a + 2) * (a * 3 + 4))\na.grad"
SHARED = "x = Tensor(2)\nh = x * x\nbackward(h + h * h)\nx.grad"
TWICE = "a = Tensor(2)\ne = (a + 2) * (a * 3 + 4)\nbackward(e)\nbackward(e)\na.grad"
LABORATORY = "a = Tensor(1)\nh = a + a\nk = a + h\nm = k + h\nbackward(k + m)\na.grad"
DOUBLED = "x = y = Tensor(1)\nfor _ in range(60):\n    y = y + y\n"
NEW_ROW = """\
FORWARD['quarter'] = lambda x: x / 4
RULES['quarter'] = (lambda grad, z, x: grad / 4,)
x = Tensor(8)
gradients(apply('quarter', x))[x]"""
WRITTEN_OUT = """
def gradients(end, grad=1):
    arrived = {end: grad}
    for node in reversed(order(end)):
%s
        for creator, slope in zip(node.creators, slopes):
            if isinstance(creator, Tensor):
                arrived[creator] = arrived.get(creator, 0) + arrived[node] * slope
    return arrived
"""
IF_AND_IF = """\
        slopes = ()
        if node.creation_op == "add":
            slopes = 1, 1
        if node.creation_op == "mul":
            slopes = value(node.creators[1]), value(node.creators[0])"""
IF_AND_ELIF = """\
        if not node.creators:
            continue
        if node.creation_op == "add":
            slopes = 1, 1
        elif node.creation_op == "mul":
            slopes = value(node.creators[1]), value(node.creators[0])"""
IF_AND_ELSE = """\
        if not node.creators:
            continue
        if node.creation_op == "add":
            slopes = 1, 1
        else:
            slopes = value(node.creators[1]), value(node.creators[0])"""
BY_HAND = (
    "This operation has a row in RULES, and the slopes of add and mul are written out here. "
    "Take the rules of each node from RULES[node.creation_op]."
)
EMPTY = (
    "The list is empty. If a function inside order does the work, begin with visit(end). If order calls itself, "
    "it has to list end as well."
)
NONE = "The .grad of a fresh node is None. Put the gradient there the first time, and add from then on."
START = (
    "Here grad is added, the number that the walk starts from. Each node gets what gradients has found for it."
)

PARTS = (
    Piece(
        "05 order",
        '''
def order(end):
    """Every Tensor behind end, each once, creators before what they make."""
    nodes, opened, stack = {}, set(), [end]
    while stack:
        node = stack[-1]
        if node in opened:  # on top again: its creators are listed
            nodes[stack.pop()] = True  # a second time changes nothing
        else:
            opened.add(node)
            stack.extend(x for x in node.creators[::-1] if isinstance(x, Tensor))
    return list(nodes)
''',
        (
            Probe("a = Tensor(3)\n[node.data for node in order(a * a)]", [3, 9]),
            Probe("a = Tensor(2)\nlen(order((a + 2) * (a * 3 + 4)))", 5),
            Probe("x = Tensor(2)\nh = x * x\n[node.data for node in order(h + h * h)]", [2, 4, 16, 20]),
            Probe(DOUBLED + "len(order(y))", 61),
            Probe("a = Tensor(0)\nlen(order(a + a))", 2),
            Probe("a = Tensor(3)\norder(a * 2)[0].data", 3),
            Probe("a = Tensor(2)\n[node.data for node in order(a * -1)]", [2, -2]),
            Probe("a = Tensor(1)\nh = a + a\nk = h + a\nbackward(k + h)\na.grad", 5),
            Probe(LABORATORY, 8),
        ),
        (
            Wrong(
                "nearest first",
                "A node stands before another that it was made from. Being near the end does not make a node ready.",
                """
def order(end):
    nodes, queue = [], [end]
    while queue:
        node = queue.pop(0)
        if node not in nodes:
            nodes.append(node)
            queue.extend(x for x in node.creators if isinstance(x, Tensor))
    return nodes[::-1]
""",
            ),
            Wrong(
                "a stack without waiting",
                "Last in, first out does not wait for the other node that uses h.",
                """
def order(end):
    nodes, queue = [], [end]
    while queue:
        node = queue.pop()
        if node not in nodes:
            nodes.append(node)
            queue.extend(x for x in node.creators if isinstance(x, Tensor))
    return nodes[::-1]
""",
            ),
            Wrong(
                "sorted by number",
                "The order does not depend on how large the numbers are, only on what was made from what.",
                """
def order(end):
    nodes, waiting = [], [end]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Tensor) and node not in nodes:
            nodes.append(node)
            waiting.extend(node.creators)
    return sorted(nodes, key=lambda node: node.data)
""",
            ),
            Wrong(
                "lists a node each time",
                "A node is listed each time that it is reached. Remember which nodes it has met.",
                """
def order(end):
    nodes = []

    def visit(node):
        if isinstance(node, Tensor):
            for x in node.creators:
                visit(x)
            nodes.append(node)

    visit(end)
    return nodes
""",
            ),
            Wrong(
                "lists a node for each creator",
                "A node is listed once for each of its creators, and a leaf not at all: move that line out of the loop.",
                """
def order(end):
    nodes, seen = [], set()

    def visit(node):
        if isinstance(node, Tensor) and node not in seen:
            seen.add(node)
            for x in node.creators:
                visit(x)
                nodes.append(node)

    visit(end)
    return nodes
""",
            ),
            Wrong(
                "visit is never called",
                EMPTY,
                """
def order(end):
    nodes, seen = [], set()

    def visit(node):
        if isinstance(node, Tensor) and node not in seen:
            seen.add(node)
            for x in node.creators:
                visit(x)
            nodes.append(node)

    return nodes
""",
            ),
            Wrong(
                "calls itself, and lists nothing",
                EMPTY,
                """
def order(end):
    nodes = []
    for creator in end.creators:
        if isinstance(creator, Tensor):
            for node in order(creator):
                if node not in nodes:
                    nodes.append(node)
    return nodes
""",
            ),
            Wrong(
                "a dict",
                "An order is a list here, and this is a dict: put list(...) around it.",
                ("return list(nodes)", "return nodes"),
            ),
            Wrong(
                "without the end",
                "A node is missing. The end itself belongs in the list.",
                ("return list(nodes)", "return list(nodes)[:-1]"),
            ),
            Wrong(
                "as they are met",
                "A node is listed before its creators. List it after them.",
                """
def order(end):
    nodes, seen = [], set()

    def visit(node):
        if isinstance(node, Tensor) and node not in seen:
            seen.add(node)
            nodes.append(node)
            for x in node.creators:
                visit(x)

    visit(end)
    return nodes
""",
            ),
            Wrong(
                "as they are met, turned round",
                "A node stands before another that it was made from. It is not enough to turn the list round: "
                "list a node after its creators.",
                """
def order(end):
    nodes, seen = [], set()

    def visit(node):
        if isinstance(node, Tensor) and node not in seen:
            seen.add(node)
            nodes.append(node)
            for x in node.creators:
                visit(x)

    visit(end)
    return nodes[::-1]
""",
            ),
            Wrong(
                "goes on from plain numbers",
                "A creator can be a plain number, and a plain number has no creators. Go on to Tensors only.",
                """
def order(end):
    nodes, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for x in node.creators:
                visit(x)
            nodes.append(node)

    visit(end)
    return nodes
""",
            ),
            Wrong(
                "equal numbers as one node",
                "Equal numbers need not be the same node. Remember the nodes themselves, not their numbers.",
                """
def order(end):
    nodes, seen = [], set()

    def visit(node):
        if isinstance(node, Tensor) and node.data not in seen:
            seen.add(node.data)
            for x in node.creators:
                visit(x)
            nodes.append(node)

    visit(end)
    return nodes
""",
            ),
            Wrong(
                "every path",
                "There are 61 nodes and more than a million million million paths, and it walks every path. Remember which nodes it has met.",
                """
def order(end):
    nodes, stack = {}, [end]
    while stack:
        node = stack.pop()
        nodes[node] = True
        stack.extend(x for x in node.creators if isinstance(x, Tensor))
    return list(nodes)[::-1]
""",
            ),
            Wrong(
                "the end first",
                "The list has the end first. Creators come before what they make.",
                ("return list(nodes)", "return list(nodes)[::-1]"),
            ),
            Wrong(
                "plain numbers in the list",
                "The list holds plain numbers as well. Only Tensors belong in it.",
                """
def order(end):
    nodes, opened, stack = [], set(), [end]
    while stack:
        node = stack[-1]
        if node in opened or not isinstance(node, Tensor):
            stack.pop()
            if not isinstance(node, Tensor) or node not in nodes:
                nodes.append(node)
        else:
            opened.add(node)
            stack.extend(node.creators)
    return nodes
""",
            ),
        ),
    ),
    Piece(
        "05 gradients",
        '''
def gradients(end, grad=1):
    """For every Tensor behind end, the gradient that arrives in one walk, as a dict."""
    arrived = {end: grad}
    for node in reversed(order(end)):
        z, *inputs = map(value, (node, *node.creators))
        for creator, rule in zip(node.creators, RULES[node.creation_op]):
            if isinstance(creator, Tensor):
                contribution = rule(arrived[node], z, *inputs)
                arrived[creator] = arrived[creator] + contribution if creator in arrived else contribution
    return arrived
''',
        (
            Probe("a = Tensor(2)\ngradients(a)[a]", 1),
            Probe("x = Tensor(5)\ngradients(x * 3, 10)[x]", 30),
            Probe("a = Tensor(2)\ngradients((a + 2) * (a * 3 + 4))[a]", 22),
            Probe("x = Tensor(2)\nh = x * x\ngradients(h + h * h)[x]", 36),
            Probe("x = Tensor(2)\nh = x * x\ngradients(h * h + h)[x]", 36),
            Probe("x = Tensor(5)\ngradients(apply('mul', 3, x))[x]", 3),
            Probe("a = Tensor(2)\nlen(gradients((a + 2) * (a * 3 + 4)))", 5),
            Probe("a = Tensor(2)\nfound = gradients(a * a)\na.grad", None),
            Probe(NEW_ROW, 0.25),
            Probe(DOUBLED + "gradients(y)[x] == 2**60", True),
        ),
        (
            Wrong(
                "the last contribution wins",
                "The second contribution takes the place of the first. Add it to what has arrived.",
                ("arrived[creator] + contribution if creator in arrived else contribution", "contribution"),
            ),
            Wrong(
                "adds where nothing is",
                "The first time there is nothing to add to: put the contribution there.",
                (
                    "= arrived[creator] + contribution if creator in arrived else contribution",
                    "= arrived[creator] + contribution",
                ),
            ),
            Wrong(
                "takes .grad",
                "No .grad is set here. Hand the rule what has arrived at its node, arrived[node].",
                ("rule(arrived[node]", "rule(node.grad"),
            ),
            Wrong(
                "sets .grad",
                "It sets .grad. gradients only returns what has arrived, and backward will set .grad.",
                ("    return arrived", "    for node in arrived:\n        node.grad = arrived[node]\n    return arrived"),
            ),
            Wrong(
                "leaves plain numbers out before zip",
                "The rule of another creator is used: with the plain number taken out, creators and rules no longer "
                "stand side by side. Go through both with zip, and ask inside the loop whether it is a Tensor.",
                (
                    "zip(node.creators, RULES",
                    "zip([x for x in node.creators if isinstance(x, Tensor)], RULES",
                ),
            ),
            Wrong("slopes written out, none for others", BY_HAND, WRITTEN_OUT % IF_AND_IF),
            Wrong("slopes written out, with elif", BY_HAND, WRITTEN_OUT % IF_AND_ELIF),
            Wrong("slopes written out, with else", BY_HAND, WRITTEN_OUT % IF_AND_ELSE),
            Wrong(
                "counts paths",
                "It passes on what has arrived as it is. Each creator gets what its rule makes of it.",
                ("rule(arrived[node], z, *inputs)", "arrived[node]"),
            ),
            Wrong(
                "calls backward",
                "backward will call gradients, so gradients cannot call backward. Write the walk here.",
                """
def gradients(end, grad=1):
    backward(end, grad)
    return {node: node.grad for node in order(end)}
""",
            ),
            Wrong(
                "from the leaves",
                "It begins at a leaf, where nothing has arrived yet. Walk through the order backwards.",
                ("reversed(order(end))", "order(end)"),
            ),
            Wrong(
                "the first gradient for every node",
                "Each rule is handed the gradient that the walk starts from. Hand it what has arrived at its node.",
                ("rule(arrived[node]", "rule(grad"),
            ),
            Wrong(
                "from the leaves, and 0 where nothing is",
                "It begins at a leaf, where nothing has arrived yet. Walk through the order backwards.",
                ("reversed(order(end))", "order(end)"),
                ("rule(arrived[node]", "rule(arrived.get(node, 0)"),
            ),
            Wrong(
                "plain numbers too",
                "Plain numbers get gradients as well. Only a Tensor gets one.",
                ("if isinstance(creator, Tensor):", "if True:"),
            ),
            Wrong(
                "no start",
                "At the end of the graph nothing has arrived yet. Start from {end: grad}.",
                ("{end: grad}", "{}"),
            ),
            Wrong(
                "always starts from 1",
                "The walk starts from the argument grad, which is 1 only if nothing else is said.",
                ("{end: grad}", "{end: 1}"),
            ),
            Wrong(
                "return inside the loop",
                "It returns after the first node: return stands inside the loop.",
                ("    return arrived", "        return arrived"),
            ),
            Wrong(
                "every path",
                "It walks along every path separately. Go through order(end) backwards, and deal with each node once.",
                """
def gradients(end, grad=1):
    arrived = {}

    def visit(node, grad):
        arrived[node] = arrived.get(node, 0) + grad
        z, *inputs = map(value, (node, *node.creators))
        for creator, rule in zip(node.creators, RULES[node.creation_op]):
            if isinstance(creator, Tensor):
                visit(creator, rule(grad, z, *inputs))

    visit(end, grad)
    return arrived
""",
            ),
        ),
        stub='''
def gradients(end, grad=1):
    """For every Tensor behind end, the gradient that arrives in one walk, as a dict."""
    arrived = {end: grad}
    return None
''',
    ),
    Piece(
        "05 backward",
        '''
def backward(end, grad=1):
    """Add to the .grad of every Tensor behind end what arrives there in this walk."""
    for node, arrived in gradients(end, grad).items():
        node.grad = arrived if node.grad is None else node.grad + arrived
''',
        (
            Probe(COURSE, 22),
            Probe(SHARED, 36),
            Probe(TWICE, 44),
            Probe("a = Tensor(2)\nh = a + 2\nbackward(h * 3, 10)\nh.grad, a.grad", (30, 30)),
            Probe("x = Tensor(2)\ny = x * 3\nbackward(y, 10)\nbackward(y)\nx.grad", 33),
            Probe("a = Tensor(2)\nh = a * 3\nbackward(h * 4)\nbackward(h * 5)\nh.grad", 9),
            Probe(DOUBLED + "backward(y)\nx.grad == 2**60", True),
            Probe(DOUBLED.replace("60", "150") + "backward(y)\nx.grad == 2**150", True),
        ),
        (
            Wrong(
                "passes on old sums",
                "In the second walk the sums of the first are passed on too. Let gradients count each walk by itself.",
                """
def backward(end, grad=1):
    end.grad = grad if end.grad is None else end.grad + grad
    for node in reversed(order(end)):
        z, *inputs = map(value, (node, *node.creators))
        for creator, rule in zip(node.creators, RULES[node.creation_op]):
            if isinstance(creator, Tensor):
                contribution = rule(node.grad, z, *inputs)
                creator.grad = contribution if creator.grad is None else creator.grad + contribution
""",
            ),
            Wrong(
                "passes on old sums, but not the end's",
                "In the second walk the sums of the first are passed on too. Let gradients count each walk by itself.",
                """
def backward(end, grad=1):
    end.grad = grad
    for node in reversed(order(end)):
        z, *inputs = map(value, (node, *node.creators))
        for creator, rule in zip(node.creators, RULES[node.creation_op]):
            if isinstance(creator, Tensor):
                contribution = rule(node.grad, z, *inputs)
                creator.grad = contribution if creator.grad is None else creator.grad + contribution
""",
            ),
            Wrong(
                "or without brackets",
                "The sum of the second walk is lost: Python reads node.grad or (0 + arrived). Put brackets around "
                "(node.grad or 0).",
                ("arrived if node.grad is None else node.grad + arrived", "node.grad or 0 + arrived"),
            ),
            Wrong(
                "a walk for each node",
                "It calls gradients again for every node, and one walk is enough. Call it once, before the loop.",
                """
def backward(end, grad=1):
    for node in order(end):
        arrived = gradients(end, grad)[node]
        node.grad = arrived if node.grad is None else node.grad + arrived
""",
            ),
            Wrong(
                "overwrites the first walk",
                "The second walk overwrites the first. A .grad adds up until it is cleared.",
                ("arrived if node.grad is None else node.grad + arrived", "arrived"),
            ),
            Wrong(
                "adds at the leaves only",
                "A node that was made from others keeps only what the last walk brings. Every node adds, not only the leaves.",
                ("if node.grad is None else", "if node.grad is None or node.creators else"),
            ),
            Wrong(
                "adds to None",
                NONE,
                ("node.grad = arrived if node.grad is None else node.grad + arrived", "node.grad += arrived"),
            ),
            Wrong(
                "adds to None, written out",
                NONE,
                ("arrived if node.grad is None else node.grad + arrived", "node.grad + arrived"),
            ),
            Wrong(
                "the start in place of what arrived",
                START,
                ("arrived if node.grad is None else node.grad + arrived", "grad if node.grad is None else node.grad + grad"),
            ),
            Wrong("the start the second time", START, ("node.grad + arrived", "node.grad + grad")),
            Wrong(
                "the leaves only",
                "Only the leaves have a gradient. Here every node gets its own.",
                ("        node.grad = ", "        if node.creators:\n            continue\n        node.grad = "),
            ),
            Wrong(
                "the end only",
                "Nothing gets to a. Go through all pairs of gradients(end, grad), and add to the .grad of each node.",
                """
def backward(end, grad=1):
    end.grad = gradients(end, grad)[end]
""",
            ),
            Wrong(
                "keys in place of pairs",
                "A loop over a dict gives its keys. For pairs, write .items() after it.",
                (".items()", ""),
            ),
            Wrong(
                "lesson 04's, unchanged",
                "It walks along every path separately. Take what gradients(end, grad) returns.",
                """
def backward(node, grad=1):
    z, *inputs = map(value, (node, *node.creators))
    node.grad = grad if node.grad is None else node.grad + grad
    for creator, rule in zip(node.creators, RULES[node.creation_op]):
        if isinstance(creator, Tensor):
            backward(creator, rule(grad, z, *inputs))
""",
            ),
            Wrong(
                "grad is not passed on",
                "The walk starts from the argument grad: hand it to gradients.",
                ("gradients(end, grad)", "gradients(end)"),
            ),
        ),
        replaces="04 backward",
    ),
)
