"""The exercises of lesson 01: how many nodes a graph has, which they are, which are leaves, and how many ways
lead through a graph."""

from ..checking import Mistake
from ..machine import after
from .calling import call, tensor_of
from .table import PRINTS, Guess, Right, Table, Wrong

Tensor = after(1).Tensor


def example(tensor=Tensor):
    """The calculation of the whole course, e = (a + 2)(3a + 4) at a = 2: its leaf a, and e."""
    a = tensor(2)
    b = a * tensor(3)
    c = a + tensor(2)
    d = b + tensor(4)
    return a, c * d


def every_visit(node):
    """The nodes as ``tree`` prints them: each once for every way to it."""
    return [node, *(visit for creator in node.creators for visit in every_visit(creator))]


def each_once(nodes):
    """Nodes without those that came before, by identity."""
    return list({id(node): node for node in nodes}.values())


def small_graphs(tensor):
    """Graphs, the smallest first: the text that messages show, and the end.

    Each of the first four shows one mistake: the end left out, equal numbers taken for one node, a node
    met twice, a stop after one step back.
    """
    x, y, z = tensor(2), tensor(2), tensor(3)
    a, e = example(tensor)
    return (
        ("x + z, where x = Tensor(2) and z = Tensor(3)", x + z),
        ("x + y, where x = Tensor(2) and y = Tensor(2)", x + y),
        ("a + a", a + a),
        ("(x + y) * z, where x and y are Tensor(2) and z is Tensor(3)", (x + y) * z),
        ("e", e),
    )


# -- a prediction --------------------------------------------------------------------------------------------

Guess(
    "01 predict",
    right="3",
    answers=(
        Right("in a Tensor", "Tensor(3)"),
        Wrong("every use is a node", "5", "You get 5 if every use of a is a new node, or if the two circles are counted as well. There is one a, however often it is used, and a circle is an operation, not a node."),
        Wrong("every use is a node, the sum is forgotten", "4", "One too many. a is used three times, and it is one node with three edges out."),
        Wrong("the leaf is forgotten", "2", "One is left out. The sum and the product are nodes, and so is the leaf a itself."),
        Wrong("the value", "8", "8 is the value of f, (2 + 2) * 2. The question is how many boxes its picture has."),
        Wrong("something else", "7"),
        Wrong("a word", "'three'", holds="A number is asked for"),
    ),
    otherwise="Not {found:.6g}. Count one box for a, and one for each result of an operation.",
    praise="There is a, there is a + a, and there is the product: three nodes. a has three edges out.",
    hints=(
        "Write the calculation in two lines: s = a + a, then f = s * a. Which Tensors did these lines make?",
        "Using a once more makes another edge. Does it make another box?",
        "There is a, there is the sum, and there is the product.",
    ),
    message="{why}",
)

# -- all nodes, then the leaves ------------------------------------------------------------------------------

EACH_NODE = """
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

NODES = Table(
    "01 nodes",
    head="nodes(t)",
    right=EACH_NODE,
    answers=(
        Right("a list, by a loop", """
            found, todo = [], [t]
            while todo:
                node = todo.pop()
                if not any(node is other for other in found):
                    found.append(node)
                    todo += node.creators
            return found"""),
        Right("a tuple", ("    return met", "    return tuple(met)")),
        Right("the keys of a dict", (("set()", "{}"), ("met.add(node)", "met[node] = True"))),
        Right("with isinstance", ("if node in met", "if not isinstance(node, Tensor) or node in met")),
        Right("the lesson's numbers with one word changed", """
            def collected(node, met):
                met.add(node)
                for creator in node.creators:
                    collected(creator, met)
                return met


            def nodes(t):
                return collected(t, set())"""),
        Wrong("their numbers", (("met.add(node)", "met.add(node.data)"), ("if node in", "if node.data in")), holds="node, not node.data"),
        Wrong("equal numbers once", """
            def nodes(t, met=None):
                met = {} if met is None else met
                met[t.data] = t
                for creator in t.creators:
                    nodes(creator, met)
                return list(met.values())""", holds="Equal numbers are taken for the same node"),
        Wrong("once for every way", "return [t] + [node for creator in t.creators for node in nodes(creator)]", holds="A node is in it twice"),
        Wrong("without t", ("    return met", "    return met - {t}"), holds="The node at the end, t itself"),
        Wrong("without t, but for a leaf", ("    return met", "    return met - {t} or {t}"), holds="The node at the end, t itself"),
        Wrong("one step back", "{t, *t.creators}", holds="stop after one step back"),
        Wrong("one node more", ("    return met", "    return met | {Tensor(5)}"), holds="do not belong to this graph"),
        Wrong("left over from the call before", """
            def nodes(t, met=set()):
                met.add(t)
                for creator in t.creators:
                    nodes(creator, met)
                return met""", holds="left over from the call before"),
        Wrong("their count", ("    return met", "    return len(met)"), holds="The nodes themselves are asked for"),
        Wrong("printed", ("    return met", "    print(met)"), holds=PRINTS),
        Wrong("no return", ("\n    return met", ""), holds="computes something and returns nothing"),
        Wrong("one argument more", "lambda t, met: met", holds="hands over 1 argument"),
        Wrong("an endless loop", ("met = set()", "while t:\n        pass"), holds="Does a loop never end?"),
        Wrong("endless recursion", "return {t} | nodes(t)", holds="calls itself without end"),
        Wrong("one Tensor", "t", holds="gives one Tensor"),
        Wrong("no collection", "object", holds="A set or a list of Tensors is asked for"),
        Wrong("no function", "answer = 8", holds="A function is asked for"),
    ),
    hints=(
        "Begin with `numbers` above. What has to be in the set, so that a and the other 2 stay two?",
        "Inside nodes, write a function visit(node). If the node is in the set, return. If not, add it to the set, and visit each of its creators.",
        "met = set(), made anew inside nodes; visit(t); return met. In visit: met.add(node), not node.data.",
    ),
)  # fmt: skip

CHOSEN = "[node for node in nodes(t) if node.creators == ()]"

LEAVES = Table(
    "01 leaves",
    head="leaves(t)",
    right=f"{EACH_NODE}\n\ndef leaves(t):\n    return {CHOSEN}",
    answers=(
        Right("a set", (CHOSEN, "{node for node in nodes(t) if not node.creators}")),
        Right("by itself", "return set().union(*map(leaves, t.creators)) if t.creators else {t}"),
        Wrong("once for every way", "return [leaf for creator in t.creators for leaf in leaves(creator)] if t.creators else [t]", holds="A node is in it twice"),
        Wrong("the creators", "set(t.creators or (t,))", holds="so it is not a leaf"),
        Wrong("all nodes", (" if node.creators == ()", ""), holds="so it is not a leaf"),
        Wrong("one step back", "{x for x in t.creators or (t,) if not x.creators}", holds="stop after one step back"),
        Wrong("nothing for a leaf", "return {x for creator in t.creators for x in leaves(creator) or {creator}}", holds="that node is its leaf"),
        Wrong("equal numbers once", "return list({x.data: x for creator in t.creators for x in leaves(creator)}.values()) if t.creators else [t]", holds="Equal numbers are taken for the same node"),
        Wrong("their numbers", ("[node for", "[node.data for"), holds="The Tensors themselves"),
        Wrong("their count", (CHOSEN, f"len({CHOSEN})"), holds="The nodes themselves are asked for"),
        Wrong("creators compared with None", ("node.creators == ()", "node.creators is None"), holds="its creators are ()"),
        Wrong("printed", (f"return {CHOSEN}", f"print({CHOSEN})"), holds=PRINTS),
    ),
    hints=(
        "A leaf is a node without creators. What is its tuple of creators?",
        "Go through nodes(t), and keep those whose creators are (). `len(node.creators) == 0` says so, and `not node.creators` too.",
        "return [node for node in nodes(t) if not node.creators]",
    ),
)


@NODES.judged
def nodes(function):
    """Judge a function that collects the nodes of a graph, each once."""
    judge_collection(function, "nodes", each_node)
    return "e has 8 nodes, and you have each of them once."


@LEAVES.judged
def leaves(function):
    """Judge a function that collects the leaves of a graph, each once."""
    judge_collection(function, "leaves", lambda t: [x for x in each_node(t) if not x.creators])
    return "e has four leaves, and a is among them once."


def each_node(t):
    """The nodes of a graph, each once."""
    return each_once(every_visit(t))


def judge_collection(function, name, right_nodes):
    """Judge a function that returns nodes of a graph, first on leaves, then on small graphs."""
    tensor = tensor_of(function, Tensor)
    header = f"def {name}(t):"
    for leaf in (tensor(2), tensor(3), tensor(3)):
        said = f"{name}(Tensor({leaf!r}))"
        found = collected(call(function, leaf, said=said, header=header), said)
        if leaf.data == 3 and any(getattr(node, "data", 3) != 3 for node in found):
            raise Mistake(
                f"{said} gives {shown(found)}: something is left over from the call before. Make your set "
                f"or list inside {name}, anew at each call. (A default like met=set() is made only once.)"
            )
        judge_nodes(found, [leaf], f"the leaf Tensor({leaf!r})", name)
    for words, end in small_graphs(tensor):
        said = f"{name}({words})"
        found = collected(call(function, end, said=said, header=header), said)
        judge_nodes(found, right_nodes(end), words, name)


def collected(answer, said):
    """What a reader's function has collected, as a list. Raises Mistake if it is no collection."""
    if isinstance(answer, (int, float)):
        raise Mistake(f"{said} gives the number {answer:.6g}. The nodes themselves are asked for.")
    if hasattr(answer, "creators"):
        raise Mistake(f"{said} gives one Tensor. A set or a list of Tensors is asked for.")
    try:
        return list(answer)
    except TypeError:
        raise Mistake(f"{said} gives {answer!r:.60}. A set or a list of Tensors is asked for.") from None


def shown(found):
    """Collected nodes as a message shows them, in an order that is the same for every set."""
    return f"{sorted(found, key=repr)!r:.60}"


def judge_nodes(found, right, words, what):
    """Judge collected nodes by identity: what is no node, what is there twice, what is missing."""
    said = f"For {words}, you give {shown(found)}. "
    if any(not hasattr(node, "creators") for node in found):
        raise Mistake(f"{said}These are numbers. The Tensors themselves are asked for: node, not node.data.")
    if what == "leaves" and any(node.creators for node in found):
        node = next(node for node in found if node.creators)
        raise Mistake(f"{said}The {node!r} in it was made from {node.creators!r}, so it is not a leaf.")
    if len(each_once(found)) < len(found):
        raise Mistake(f"{said}A node is in it twice. Remember which nodes you have met.")
    missing = [node for node in right if not any(node is other for other in found)]
    if not missing and len(found) > len(right):
        raise Mistake(f"{said}There are nodes in it that do not belong to this graph.")
    if not missing:
        return
    count = f"There should be {len(right)}: {shown(right)}. " if len(right) > 1 else ""
    why = "Do you stop after one step back? Each creator may have creators of its own."
    if any(node.data == other.data for node in missing for other in found):
        why = "Equal numbers are taken for the same node: put the nodes into your set, not their data."
    elif missing[0] is right[0] and what == "nodes":
        why = "The node at the end, t itself, belongs to it as well."
    elif len(right) == 1:
        why = "A leaf is a graph of one node, and that node is its leaf: its creators are ()."
    raise Mistake(f"{said}{count}{why}")


# -- how many ways -------------------------------------------------------------------------------------------

SUM = "sum(ways(start, creator) for creator in t.creators)"

WAYS = Table(
    "01 ways",
    head="ways(start, t)",
    right=f"""
        if t is start:
            return 1
        return {SUM}""",
    answers=(
        Right("a loop", (f"return {SUM}", "found = 0\n    for creator in t.creators:\n        found += ways(start, creator)\n    return found")),
        Right("other names", (("start", "a"), ("t.", "z."), ("if t", "if z"), ("(a, t)", "(a, z)"))),
        Wrong("equal numbers", ("t is start", "t.data == start.data"), holds="compare nodes with `is`"),
        Wrong("one more for each node", ("return sum", "return 1 + sum"), holds="nothing is added for the node itself"),
        Wrong("ends at any leaf", ("t is start", "not t.creators"), holds="it should be"),
        Wrong("the product", ("sum", "math.prod"), holds="it should be"),
        Wrong("the largest", (SUM, "max([ways(start, creator) for creator in t.creators], default=0)"), holds="Two edges lead from a"),
        Wrong("each node once", ("in t.creators", "in set(t.creators)"), holds="Two edges lead from a"),
        Wrong("the edges out of start", (SUM, "sum((x is start) + ways(start, x) * (x is not start) for x in set(t.creators)) or 0"), holds="it should be"),
        Wrong("without the way from a node to itself", "return sum((x is start) or ways(start, x) for x in t.creators)", holds="staying put"),
        Wrong("constant", "2", holds="From a node to itself"),
        Wrong("always 2, but from a node to itself", (SUM, "2"), holds="do not return a fixed number"),
        Wrong("a list of ways", "[t]", holds="A whole number is asked for"),
        Wrong("printed", (f"return {SUM}", "print(t)"), holds=PRINTS),
        Wrong("no else", (f"return {SUM}", "pass"), holds="has no `return`"),
        Wrong("one argument too few", "lambda t: 2", holds="hands over 2 argument"),
    ),
    hints=(
        "The last step of every way leads to t from one of its creators. So how many ways are there, if you know how many lead to each creator?",
        "If t is start, there is one way. Otherwise add up ways(start, creator) for all creators of t. A leaf that is not start has no creators, and the sum is 0.",
        "if t is start: return 1, and then: return sum(ways(start, creator) for creator in t.creators)",
    ),
)


@WAYS.judged
def ways(function):
    """Judge a function that counts the ways from one node to another."""
    tensor = tensor_of(function, Tensor)
    a, other = tensor(2), tensor(2)
    double = a + a
    b, c = a * tensor(3), a + other
    e = c * (b + tensor(4))
    h = a
    for _ in range(5):
        h = h + h
    for start, end, said, right, why in (
        (a, a, "ways(a, a)", 1, "From a node to itself there is one way: staying put."),
        (a, c, "ways(a, a + Tensor(2))", 1, "One edge leads from a into the sum."),
        (a, double, "ways(a, a + a)", 2, "Two edges lead from a into the sum: two ways."),
        (a, double * a, "ways(a, (a + a) * a)", 3, "Two ways lead over the sum, and one past it."),
        (a, e, "ways(a, e)", 2, "One way goes by way of b, and one by way of c."),
        (c, e, "ways(c, e)", 1, "A way may begin at any node, and c is no leaf."),
        (a, double * double, "ways(a, s * s), where s = a + a,", 4, "Two lead to s, and two from there."),
        (e, a, "ways(e, a)", 0, "The edges lead from a to e, and none leads back."),
        (a, h, "ways(a, h), where h = h + h was done five times,", 32, "Each sum doubles the ways."),
    ):  # fmt: skip
        found = call(function, start, end, said=said, header="def ways(start, t):")
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            raise Mistake(f"{said} gives {found!r:.60}. A whole number is asked for.")
        if found != right:
            why = why_ways(function, start, end, found) or why
            raise Mistake(f"{said} gives {found}; it should be {right}. {why}")
    return "Two ways lead from a to e. With h = h + h, done five times, there are 32."


def why_ways(function, start, end, found):
    """The mistake behind a wrong number of ways from a to a + Tensor(2), or ""."""
    other = end.creators[1] if end.creators else start
    if other is start or len(end.creators) != 2 or found < 2:
        return ""
    to_other = call(function, start, other, said="ways(a, Tensor(2))")
    if to_other == found:
        return "Add up the ways to the creators; do not return a fixed number."
    if to_other == 1 and found == 2:
        return "The other 2 is another object than a: compare nodes with `is`, not their numbers."
    return "The ways to the two creators are added up, and nothing is added for the node itself."
