"""The exercises of lesson 05: a second walk back, and in two steps an order that counts uses."""

import contextlib
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Mapping

from ..checking import Mistake, exercise, number
from ..machine.trying import PREFIX
from .calling import call, names_of

LONG = 2_000  # additions in a chain
DEEP = 200  # so many calls inside one another are a recursion
DOUBLINGS = "a = Tensor(1); y = a + a, then 14 times y = y + y"

E = "a = Tensor(2); b = a * Tensor(3); c = a + Tensor(2); d = b + Tensor(4); e = c * d"

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
    tensor = names_of(function, 5)["Tensor"]
    nodes = {"Tensor": tensor}
    exec(text, {}, nodes)
    del nodes["Tensor"]
    return nodes


def tensors(node):
    """The creators of a node that are Tensors, as often as they are used."""
    return [creator for creator in node.creators if isinstance(creator, type(node))]


def doubled(function):
    """The end of a graph with 16 nodes and 32,768 paths."""
    end = names_of(function, 5)["Tensor"](1)
    for _ in range(15):
        end = end + end
    return end


def called(function, end, said):
    """The result of the reader's function for the end of a graph, with advice if it stops."""
    try:
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
    except AttributeError as error:
        if str(error).endswith("has no attribute 'creators'"):
            raise Mistake(
                f"{said} stops with AttributeError: {error}. A creator can be a plain number, and a plain "
                "number has no creators. Go on to Tensors only."
            ) from None
        raise


# -- a second walk ------------------------------------------------------------------------------------------


@exercise(
    "05 second",
    "Nothing is cleared between the two walks. What is in a.grad when the second one begins?",
    "The second walk goes over the same graph with the same numbers. What does gradients(e) give for a?",
    "The 22 of the second walk is added to the 22 of the first.",
)
def second(guess):
    """Judge the guess of what a.grad is after a second walk."""
    guess = number(guess)
    kinds = {
        22: "22 is what one walk finds. backward adds it to what a.grad holds already.",
        78: "78 is what a walk gives that passes on what the first one left behind. gradients begins each "
        "walk with a dict of its own.",
        24: "Every contribution of the first walk arrives again, 10 and 12.",
        484: "Along a path slopes are multiplied, but what arrives is added.",
        0: "Nothing is cleared, and gradients of the two walks have the same sign.",
    }
    kinds[100] = kinds[78].replace("78", "100")
    if guess != 44:
        other = f"Not {guess:.6g}. What does one walk find, and what is there already?"
        raise Mistake(kinds.get(guess, other))
    return "22 from the first walk and 22 from the second."


# -- in steps: uses, and an order that counts them ----------------------------------------------------------


@exercise(
    "05 uses",
    "Every Tensor has to be met once, and each time that one is met, each of its creators is used once more.",
    "Keep a dict uses = {end: 0} and a list waiting = [end]. Take a node out of waiting, and look at its "
    "creators. A creator that is not in uses yet goes into both.",
    "For each creator that is a Tensor: if it is not in uses, set uses[creator] = 0 and append it to "
    "waiting; then, in any case, add 1 to uses[creator].",
)
def uses(function):
    """Judge a function that counts for every Tensor by how many edges it is used."""
    for text in GRAPHS:
        nodes = build(function, text)
        end = list(nodes.values())[-1]
        name = list(nodes)[-1]
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
        judge_uses(nodes, found, said)
    called(function, doubled(function), f"count_uses(y) with {DOUBLINGS}")
    return "In a * a it counts two edges, although only one node uses a."


def counts(answer, said):
    """The reader's dict of counts. Raises Mistake if it is none."""
    if not isinstance(answer, Mapping):
        raise Mistake(f"{said} gives {answer!r:.60}. Return a dict from each Tensor to a number.")
    if any(not hasattr(node, "creators") for node in answer):
        key = next(node for node in answer if not hasattr(node, "creators"))
        raise Mistake(f"{said} has the key {key!r:.60}. The keys are the Tensors themselves.")
    return {node: number(count) for node, count in answer.items()}


def judge_uses(nodes, found, said):
    """Compare the counts of one graph."""
    end = list(nodes.values())[-1]
    everything = all_nodes(end)
    right = {node: sum(tensors(user).count(node) for user in everything) for node in everything}
    for name, node in nodes.items():
        if node not in right:
            continue
        if node not in found and node is not end:
            raise Mistake(f"{said} has no count for {name}. Go on from each creator, down to the leaves.")
        count = found.get(node, 0)
        if count != right[node]:
            raise Mistake(
                f"{said} says {count:.6g} for {name}; it should be {right[node]}. "
                f"{why_counted(node, end, count, right[node], everything)}".rstrip()
            )
    if set(found) - set(right):
        raise Mistake(f"{said} has counts for nodes that do not belong to this graph.")


def why_counted(node, end, count, right, everything):
    """The mistake behind a wrong count, or ""."""
    users = sum(node in tensors(user) for user in everything)
    if node is end:
        return "Nothing uses the end of a graph."
    if count == users < right:
        return "In a * a, two edges lead from a: count edges, not nodes that use it."
    if count == right + 1:
        return "A node begins at 0: being met is no use."
    if count > right:
        return "It goes on from a node more than once. Look at the creators of each node once."
    return "Each edge from a creator to a node that uses it counts once."


@exercise(
    "05 chain",
    "Begin with uses = count_uses(end) and ready = [end]. When may a node be put into ready?",
    "Take a node out of ready and append it to the list. Take one off uses of each of its creators, once for "
    "each edge. A creator whose count is now 0 is ready.",
    "The end comes out first and the leaves last. order lists creators first, so return nodes[::-1].",
)
def chain(function):
    """Judge an order that counts uses, on small graphs and on a chain that is too long for recursion."""
    if not callable(function):
        raise Mistake(f"A function is asked for here, and this is {function!r:.60}.")
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


def file_of(function):
    """The file or cell in which a function was written."""
    return getattr(getattr(function, "__code__", None), "co_filename", "")


def order_given(function, end, shown):
    """The list that the reader's function returns for ``end``, and how many of its calls ran inside one
    another."""
    watch = Watch(file_of(function))
    limit = sys.getrecursionlimit()
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


def most_called(error):
    """The name of the function that stands most often in the calls that led to an error."""
    names = [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)]
    return Counter(name for name in names if not name.startswith("<")).most_common(1)[0][0]


class Watch(contextlib.AbstractContextManager["Watch"]):
    """Watches calls: how many run inside one another, and whether an ``order`` from another file than the
    reader's runs, and which function called it."""

    def __init__(self, filename):
        self.filename, self.depth, self.deepest, self.borrowed, self.by = filename, 0, 0, False, ""

    def __enter__(self):
        self.before = sys.getprofile()
        sys.setprofile(self.see)
        return self

    def __exit__(self, *error):
        sys.setprofile(self.before)

    def see(self, frame, event, arg):
        """Python's profile function."""
        code = frame.f_code
        if event in ("call", "return"):
            self.depth += 1 if event == "call" else -1
            self.deepest = max(self.deepest, self.depth)
        is_known = code.co_name in ("order", "gradients", "backward")
        if event == "call" and is_known and code.co_filename != self.filename:
            self.borrowed = True
            self.by = self.by or caller_of(frame)


def caller_of(frame):
    """The name of the function that a call comes from; a comprehension is part of its function."""
    frame = frame.f_back
    while frame and frame.f_code.co_name.startswith("<") and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame.f_code.co_name if frame else ""


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
    everything = all_nodes(end)
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


def all_nodes(end):
    """All Tensors of the graph of ``end``, each once, in any order."""
    met, waiting = {}, [end]
    while waiting:
        node = waiting.pop()
        if id(node) not in met:
            met[id(node)] = node
            waiting.extend(tensors(node))
    return list(met.values())
