"""The exercises of lesson 05: a second walk back, and in two steps an order that counts uses."""

import sys
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from ..checking import Mistake, number
from ..machine.trying import PREFIX
from .calling import call, names_of
from .table import PRINTS, Guess, Right, Stop, Table, Wrong, advice, outcome
from .watching import Watch, file_of, most_called

LONG = 2_000  # additions in a chain
DEEP = 200  # so many calls inside one another are a recursion
DOUBLINGS = "a = Tensor(1); y = a + a, then 14 times y = y + y"

# The smallest graphs on which each wrong order fails, the smallest first. A stack is right on h + h * h and a
# queue on h * h + h, so both are here. The last four fail an order that counts users instead of edges, from
# whichever end of the waiting list it takes the next node.
GRAPHS = (
    "y = Tensor(3)",
    "a = Tensor(3); y = a * a",
    "a = Tensor(3); h = a + a; y = h + h",
    "a = Tensor(3); h = a + a; y = a + h",
    "a = Tensor(3); h = a + a; k = h + a; y = h + k",
    "a = Tensor(3); h = a + a; k = h + a; y = k + h",
    "x = Tensor(2); h = x * x; p = h * h; y = h + p",
    "x = Tensor(2); h = x * x; p = h * h; y = p + h",
    "a = Tensor(2); h = a + a; k = a + h; m = k + h; y = k + m",
    "a = Tensor(0); b = Tensor(0); y = a + b",
    "a = Tensor(3); y = a * 2",
    "a = Tensor(3); h = a + a; k = a + a; y = h + k",
    "a = Tensor(3); h = a + a; k = a + a; p = h + h; y = k + p",
    "a = Tensor(3); h = a + a; k = a + a; p = h + h; y = p + k",
    "a = Tensor(3); h = a + a; k = h + h; m = h + a; y = m + k",
)


def build(function, text):
    """The Tensors of a calculation by name, made of the class with which the reader's function works."""
    nodes: dict[str, Any] = {}
    exec(text, {"Tensor": names_of(function, 5)["Tensor"]}, nodes)
    return nodes


def tensors(node):
    """The creators of a node that are Tensors, as often as they are used."""
    return [creator for creator in node.creators if isinstance(creator, type(node))]


def doubled(function):
    """The end of a graph with 16 nodes and 32,768 paths."""
    return build(function, "y = Tensor(1)" + 15 * "; y = y + y")["y"]


NO_CREATORS = Stop(AttributeError, "{said} stops with AttributeError: {error}. A creator can be a plain number, and a plain number has no creators. Go on to Tensors only.", "has no attribute 'creators'")  # fmt: skip


def called(function, end, said):
    """The result of the reader's function for the end of a graph, with advice if it stops."""
    try:
        with advice(NO_CREATORS, said=said):
            return call(function, end, said=said)
    except Mistake as mistake:
        if said.endswith(DOUBLINGS) and "was stopped after" in str(mistake):
            why = "There are 16 nodes and 32,768 paths: it walks along every path separately."
            raise Mistake(f"{said} takes too long. {why} Go on from each node once.") from None
        raise
    except KeyError as error:
        if error.args and isinstance(error.args[0], (int, float)):
            raise Mistake(
                f"{said} stops with KeyError: {error}. {error} is a plain number. Only Tensors are counted."
            ) from None
        raise


# -- a second walk ------------------------------------------------------------------------------------------

LEFT_BEHIND = "{found:.0f} is what a walk gives that passes on what the first one left behind. gradients begins each walk with a dict of its own."  # fmt: skip

Guess(
    "05 second",
    right="44",
    answers=(
        Right("in a Tensor", "Tensor(44.0)"),
        Right("by the machine", "a = Tensor(2)\ne = (a + 2) * (a * 3 + 4)\nbackward(e)\nbackward(e)\na.grad"),
        Wrong("begins again", "22", "22 is what one walk finds. backward adds it to what a.grad holds already."),
        Wrong("sums in grad", "78", LEFT_BEHIND),
        Wrong("two more", "24", "Every contribution of the first walk arrives again, 10 and 12."),
        Wrong("multiplied", "484", "Along a path slopes are multiplied, but what arrives is added."),
        Wrong("cleared", "0", "Nothing is cleared, and gradients of the two walks have the same sign."),
        Wrong("sums in grad, the end's too", "100", LEFT_BEHIND),
        Wrong("one path", "12"),
        Wrong("a word", "'more'", holds="A number is asked for"),
    ),
    message="{why}",
    otherwise="Not {found:.6g}. What does one walk find, and what is there already?",
    praise="22 from the first walk and 22 from the second.",
    hints=(
        "Nothing is cleared between the two walks. What is in a.grad when the second one begins?",
        "The second walk goes over the same graph with the same numbers. What does gradients(e) give for a?",
        "The 22 of the second walk is added to the 22 of the first.",
    ),
)

# -- in steps: uses, and an order that counts them ----------------------------------------------------------


USES = """\
def count_uses(end):
    uses, waiting = {end: 0}, [end]
    while waiting:
        for creator in waiting.pop().creators:
            if isinstance(creator, Tensor):
                if creator not in uses:
                    uses[creator] = 0
                    waiting.append(creator)
                uses[creator] += 1
    return uses"""
BY_ORDER = """\
uses = {node: 0 for node in order(end)}
for creator in [each for node in uses for each in node.creators if isinstance(each, Tensor)]:
    uses[creator] += 1
return uses"""
BY_RECURSION = """\
from collections import Counter
uses, seen = Counter({end: 0}), set()
def visit(node):
    if node not in seen:
        seen.add(node)
        for creator in node.creators:
            if isinstance(creator, Tensor):
                uses[creator] += 1
                visit(creator)
visit(end)
return uses"""

COUNTS = Table(
    "05 uses",
    head="count_uses(end)",
    right=USES,
    answers=(
        Right("by recursion, with a Counter", BY_RECURSION),
        Wrong("the end begins at 1", ("{end: 0}", "{end: 1}"), "Nothing uses the end of a graph."),
        Wrong("users, not edges", ("waiting.pop().creators", "set(waiting.pop().creators)"), "In a * a, two edges lead from a: count edges, not nodes that use it."),
        Wrong("begins at 1", ("= 0\n", "= 1\n"), "A node begins at 0: being met is no use."),
        Wrong("paths, not edges", (("waiting.append(creator)", "pass"), ("+= 1", "+= 1\n                waiting.append(creator)")), "It goes on from a node more than once. Look at the creators of each node once."),
        Wrong("counts down", ("+= 1", "-= 1")),
        Wrong("without the end", ("return uses", "del uses[end]\n    return uses"), holds="so its count is 0"),
        Wrong("one level", ("waiting.append(creator)", "pass"), holds="no count for a"),
        Wrong("a node of its own", ("return uses", "uses[Tensor(0)] = 0\n    return uses"), holds="do not belong to this graph"),
        Wrong("a plain number is looked up", (("            if isinstance(creator, Tensor):\n    ", ""), ("if creator not", "if isinstance(creator, Tensor) and creator not"), ("    uses[creator] += 1", "uses[creator] += 1")), holds="Only Tensors are counted"),
        Wrong("plain numbers too", ("isinstance(creator, Tensor)", "True"), holds="A creator can be a plain number"),
        Wrong("from the machine's order", BY_ORDER, holds="step 2 is to take its place"),
        Wrong("a Counter over the machine's order", "from collections import Counter\nreturn Counter(each for node in order(end) for each in node.creators if isinstance(each, Tensor))", holds="calls the order that is there already"),
        Wrong("by number", (("{end: 0}", "{end.data: 0}"), ("uses[creator]", "uses[creator.data]"), ("not in uses", "not in list(uses)")), holds="The keys are the Tensors"),
        Wrong("one number", "2", holds="Return a dict"),
        Wrong("prints", ("return uses", "print(uses)"), holds=PRINTS),
        Wrong("no argument", "lambda: {}", holds="takes 0"),
        Wrong("a loop without end", ("waiting.pop()", "waiting[0]"), holds="Does a loop never end?"),
        Wrong("a dict", "answer = {}", holds="A function is asked for"),
    ),
    otherwise="Each edge from a creator to a node that uses it counts once.",
    hints=(
        "Every Tensor has to be met once, and each time that one is met, each of its creators is used once more.",
        "Keep a dict uses = {end: 0} and a list waiting = [end]. Take a node out of waiting, and look at its creators. A creator that is not in uses yet goes into both.",
        "For each creator that is a Tensor: if it is not in uses, set uses[creator] = 0 and append it to waiting; then, in any case, add 1 to uses[creator].",
    ),
)  # fmt: skip


@COUNTS.judged
def uses(function):
    """Judge a function that counts for every Tensor by how many edges it is used."""
    for text in GRAPHS:
        nodes = build(function, text)
        name, end = list(nodes.items())[-1]
        said = f"count_uses({name}) with {text}"
        with Watch(file_of(function)) as watch:
            answer = called(function, end, said)
        if watch.borrowed:
            raise Mistake(
                "It calls the order that is there already, and step 2 is to take its place. Keep a list of "
                "your own of the nodes that you have still to look at."
            )
        found = counts(answer, said)
        if end not in found and not hasattr(answer, "__missing__"):  # a Counter says 0 of what is not in it
            raise Mistake(f"{said} has no count for {name}. Nothing uses the end, so its count is 0.")
        judge_uses(function, nodes, found, said)
    called(function, doubled(function), f"count_uses(y) with {DOUBLINGS}")
    return "In a * a it counts two edges, although only one node uses a."


def counts(answer, said):
    """The reader's dict of counts. Raises Mistake if it is none."""
    if not isinstance(answer, Mapping):
        raise Mistake(f"{said} gives {answer!r:.60}. Return a dict from each Tensor to a number.")
    if strange := [node for node in answer if not hasattr(node, "creators")]:
        raise Mistake(f"{said} has the key {strange[0]!r:.60}. The keys are the Tensors themselves.")
    return {node: number(count) for node, count in answer.items()}


def judge_uses(function, nodes, found, said):
    """Compare the counts of one graph."""
    end = list(nodes.values())[-1]
    right = COUNTS.answer(function)(end)
    for name, node in nodes.items():
        if node not in right:
            continue
        if node not in found and node is not end:
            raise Mistake(f"{said} has no count for {name}. Go on from each creator, down to the leaves.")
        count = found.get(node, 0)
        if count != right[node]:
            why = COUNTS.why(lambda wrong: outcome(wrong, end).get(node) == count, function)  # noqa: B023  at once
            raise Mistake(f"{said} says {count:.6g} for {name}; it should be {right[node]}. {why}")
    if set(found) - set(right):
        raise Mistake(f"{said} has counts for nodes that do not belong to this graph.")


CHAIN = f"""\
{USES}

def counted_order(end):
    uses, nodes, ready = count_uses(end), [], [end]
    while ready:
        nodes.append(ready.pop())
        for creator in nodes[-1].creators:
            if isinstance(creator, Tensor):
                uses[creator] -= 1
                if uses[creator] == 0:
                    ready.append(creator)
    return nodes[::-1]"""
RECURSIVE = """
nodes, seen = [], set()
def visit(node):
    if isinstance(node, Tensor) and node not in seen:
        seen.add(node)
        for creator in node.creators:
            visit(creator)
        nodes.append(node)
visit(end)
return nodes"""
WAITING = """
nodes, waiting = [], [end]
while waiting:
    node = waiting.pop(0)
    if isinstance(node, Tensor) and node not in nodes:
        nodes.append(node)
        waiting.extend(node.creators)
return nodes[::-1]"""


def in_count_uses(body):
    """count_uses with this body."""
    return f"def count_uses(end):\n{textwrap.indent(body, '    ')}"


ORDER = Table(
    "05 chain",
    head="counted_order(end)",
    right=CHAIN,
    answers=(
        Right("oldest first, as a tuple", (("ready.pop()", "ready.pop(0)"), ("nodes[::-1]", "tuple(reversed(nodes))"))),
        Right("a list of what is to be done", """
            nodes, seen, to_do = [], set(), [(end, False)]
            while to_do:
                node, is_done = to_do.pop()
                if is_done:
                    nodes.append(node)
                elif isinstance(node, Tensor) and node not in seen:
                    seen.add(node)
                    to_do.append((node, True))
                    to_do.extend((creator, False) for creator in node.creators)
            return nodes"""),
        Wrong("calls itself", RECURSIVE, holds="RecursionError: visit calls itself"),
        Wrong("count_uses calls itself", (USES, in_count_uses(BY_RECURSION)), holds="RecursionError: visit calls itself"),
        Wrong("count_uses itself", (USES, """\
def count_uses(end, uses=None):
    uses = {end: 0} if uses is None else uses
    for creator in end.creators:
        if isinstance(creator, Tensor):
            uses[creator] = uses.get(creator, 0) + 1
            if uses[creator] == 1:
                count_uses(creator, uses)
    return uses"""), holds="RecursionError: count_uses calls itself"),
        Wrong("calls itself, with a higher limit", RECURSIVE.replace("visit(end)", "import sys\nsys.setrecursionlimit(100_000)\nvisit(end)"), holds="whatever the limit is"),
        Wrong("the machine's own order", "answer = order", holds="the order of your machine"),
        Wrong("calls the machine's order", "order(end)", holds="there already"),
        Wrong("count_uses goes through the machine's order", (USES, in_count_uses(BY_ORDER)), holds="Your count_uses goes through the order"),
        Wrong("takes the machine's gradients", "list(gradients(end))[::-1]", holds="there already"),
        Wrong("the package's order", "from autodiff.engine.backward import order as ours\nreturn ours(end)", holds="there already"),
        Wrong("nearest first", WAITING, holds="h stands before a, and is made from it"),
        Wrong("newest first", WAITING.replace("pop(0)", "pop()"), holds="h stands before a, and is made from it"),
        Wrong("the end first", ("nodes[::-1]", "nodes"), holds="the other way round"),
        Wrong("users, not edges", ("waiting.pop().creators", "set(waiting.pop().creators)"), holds="edges"),
        Wrong("one off for each user", ("in nodes[-1].creators", "in set(nodes[-1].creators)"), holds="Not in it: a"),
        Wrong("twice", ("nodes[::-1]", "nodes[::-1] * 2"), holds="A node is in it twice"),
        Wrong("a node of its own", ("return nodes[::-1]", "return [Tensor(0), *nodes[::-1]]"), holds="do not belong to this graph"),
        Wrong("a plain number", ("return nodes[::-1]", "return [3, *nodes[::-1]]"), holds="3 is no Tensor"),
        Wrong("ten nodes at most", ("while ready:", "while ready and len(nodes) < 10:"), holds="there are 16 nodes to list"),
        Wrong("a thousand nodes at most", ("while ready:", "while ready and len(nodes) < 1000:"), holds="should begin with a"),
        Wrong("a generator", ("nodes[::-1]", "reversed(nodes)"), holds="put list(...) around"),
        Wrong("their number", ("nodes[::-1]", "len(nodes)"), holds="An order is a list of nodes"),
        Wrong("prints", ("return nodes[::-1]", "print(nodes[::-1])"), holds=PRINTS),
        Wrong("an argument too many", "lambda end, uses: [end]", holds="takes 2"),
        Wrong("all paths", RECURSIVE.replace(" and node not in seen", "").replace("        nodes.append", "        if node not in nodes: nodes.append"), holds="32,768 paths"),
        Wrong("a loop without end", "while True:\n    end = end\nreturn end", holds="Does a loop never end?"),
        Wrong("a list", "answer = [1, 2]", holds="A function is asked for"),
    ),
    hints=(
        "Begin with uses = count_uses(end) and ready = [end]. When may a node be put into ready?",
        "Take a node out of ready and append it to the list. Take one off uses of each of its creators, once for each edge. A creator whose count is now 0 is ready.",
        "The end comes out first and the leaves last. order lists creators first, so return nodes[::-1].",
    ),
)  # fmt: skip


@ORDER.judged
def chain(function):
    """Judge an order that counts uses, on small graphs and on a chain that is too long for recursion."""
    if file_of(function).startswith(PREFIX):
        raise Mistake("This is the order of your machine. Write one that counts uses.")
    for text in GRAPHS:
        nodes = build(function, text)
        judge_order(function, nodes, text)
    if len(order_given(function, doubled(function), DOUBLINGS)[0]) != 16:
        raise Mistake(f"With {DOUBLINGS}, there are 16 nodes to list.")
    a = end = names_of(function, 5)["Tensor"](1)
    for _ in range(LONG):
        end = end + a
    shown = f"a chain of {LONG:,} additions"
    nodes, deepest = order_given(function, end, shown)
    if deepest > DEEP:
        raise Mistake(
            f"On {shown}, {deepest:,} calls run inside one another: a function calls itself once for each "
            "node, whatever the limit is. Keep a list of what is to be done instead."
        )
    if len(nodes) != LONG + 1 or nodes[0] is not a or nodes[-1] is not end:
        raise Mistake(f"On {shown} of a, the list should begin with a and end with the end.")
    return f"Every node is there once, after everything that it was made from, on {shown} too."


def order_given(function, end, shown):
    """The list that the reader's function returns for ``end``, and how many of its calls ran inside one
    another."""
    watch, limit = Watch(file_of(function)), sys.getrecursionlimit()
    try:
        with watch:
            found = called(function, end, f"counted_order of {shown}")
    except RecursionError as error:
        raise Mistake(
            f"On {shown}, Python stops it with RecursionError: {most_called(error)} calls itself once for "
            "each node. Keep a list of what is to be done instead."
        ) from None
    finally:
        sys.setrecursionlimit(limit)
    if watch.borrowed:
        if watch.by == "count_uses":
            raise Mistake(
                "Your count_uses goes through the order that is there already, and here the counts have to "
                "come first. Let count_uses keep a list of its own of the nodes that it has still to look at."
            )
        raise Mistake("It calls the order that is there already. Write one that counts uses.")
    if isinstance(found, (list, tuple)):
        return list(found), watch.deepest
    said = f"An order is a list of nodes; of {shown}, yours is {found!r:.60}."
    raise Mistake(f"{said} Give a list: put list(...) around it." if isinstance(found, Iterable) else said)


def judge_order(function, nodes, text):
    """Judge the order of one graph."""
    end = list(nodes.values())[-1]
    found, _ = order_given(function, end, text)
    names = {id(node): name for name, node in nodes.items()}
    shown = f"For {text}, your list is {' '.join(names.get(id(x), f'{x!r:.20}') for x in found) or 'empty'}. "
    if strange := [node for node in found if not isinstance(node, type(end))]:
        raise Mistake(f"{shown}{strange[0]!r:.60} is no Tensor. Only Tensors belong in the list.")
    places = {id(node): place for place, node in enumerate(found)}
    if len(places) < len(found):
        raise Mistake(f"{shown}A node is in it twice.")
    everything = COUNTS.answer(function)(end)
    if missing := [names[id(node)] for node in everything if id(node) not in places]:
        raise Mistake(
            f"{shown}Not in it: {', '.join(missing)}. Did its count reach 0? Take one off for each edge, and "
            "count edges, not nodes that use it."
        )
    if len(found) > len(everything):
        raise Mistake(f"{shown}There are nodes in it that do not belong to this graph.")
    pairs = [(node, creator) for node in found for creator in tensors(node)]
    if pairs and all(places[id(creator)] > places[id(node)] for node, creator in pairs):
        raise Mistake(f"{shown}It is the right order the other way round: the leaves come first.")
    for node, creator in pairs:
        if places[id(creator)] > places[id(node)]:
            early, late = names[id(node)], names[id(creator)]
            raise Mistake(
                f"{shown}{early} stands before {late}, and is made from it. A node is ready when all edges "
                "to nodes that use it are behind you: count edges, as a * a uses a twice."
            )
