"""The exercises of lesson 04: a prediction, the order of a graph, and a walk back that is right where paths
meet."""

import inspect
from collections.abc import Iterable
from math import inf

from ...draw.comparing.difference import first_difference
from ..checking import Mistake, NotYet, exercise, number
from .watching import DOUBLED, Patience, Watched, build, doubled

LONG = 5_000  # additions in a chain that no recursion gets through


# -- what the lesson builds: backward -----------------------------------------------------------------------

OVERWRITES = "A later contribution takes the place of an earlier one. Where paths meet, they are added."
PASSED_TWICE = (
    "A node passes on its whole sum each time that something arrives, so what came first is passed on "
    "again. It should pass on once, when everything has arrived."
)
VISIT_ONCE = (
    "A node passes on at its first visit, and what arrives later stays in it. It should wait until "
    "everything that uses it has passed on."
)
TOO_EARLY = (
    "A node passes on before everything that uses it has passed on: the order is wrong. Look at a node that "
    "is used by two others, of which one uses the other."
)
NOT_REVERSED = (
    "A node's turn comes before anything has arrived at it: begin at the end, and wait for all uses."
)
COUNT_ARROWS = "a * a uses a twice: count arrows, not users."
USERS_COUNTED = f"A node passes on before everything that uses it has passed on. {COUNT_ARROWS}"

# For each graph: its text, the data of its leaf, the right gradient, and the mistakes behind certain wrong
# ones. These are the smallest graphs on which each wrong order fails, the smallest first. A stack is right on
# h + h * h and a queue on h * h + h, so both are here.
MEETINGS = (
    ("y = a * a", 3, 6, {3: OVERWRITES, 0: NOT_REVERSED}),
    ("h = a + a; y = h + h", 3, 4, {6: PASSED_TWICE, 2: VISIT_ONCE, 1: OVERWRITES, 0: NOT_REVERSED}),
    ("h = a + a; y = a + h", 3, 3, {1: TOO_EARLY}),
    ("h = a + a; k = h + a; y = h + k", 3, 5, {3: TOO_EARLY, 1: TOO_EARLY}),
    ("h = a + a; k = h + a; y = k + h", 3, 5, {3: TOO_EARLY}),
    ("h = x * x; p = h * h; y = h + p", 2, 36, {60: PASSED_TWICE, 4: VISIT_ONCE, 0: NOT_REVERSED}),
    ("h = x * x; p = h * h; y = p + h", 2, 36, {84: PASSED_TWICE, 4: TOO_EARLY, 16: VISIT_ONCE}),
    ("h = a + a; k = a + h; m = k + h; y = k + m", 2, 8, {19: PASSED_TWICE}),
)

# An order that counts users instead of arrows is right on all graphs above, from whichever end of the waiting
# list it takes the next node. Each of these graphs fails it for one end.
USED_TWICE = (
    ("h = a + a; k = a + a; y = h + k", 3, 4, {2: USERS_COUNTED}),
    ("h = a + a; k = a + a; p = h + h; y = k + p", 3, 6, {2: USERS_COUNTED, 4: USERS_COUNTED}),
    ("h = a + a; k = a + a; p = h + h; y = p + k", 3, 6, {2: USERS_COUNTED, 4: USERS_COUNTED}),
    ("h = a + a; k = h + h; m = h + a; y = m + k", 3, 7, {4: USERS_COUNTED}),
)


@exercise(
    "04 backward",
    "Two rules: where paths meet, contributions are added; and a node passes on when everything that uses "
    "it has.",
    "Keep what arrives in this walk in a dict, arrived = {end: 1}. A node passes on what arrived[node] "
    "holds when its turn comes, and only then is that added to node.grad.",
    "To know whose turn it is without a list: first count, for every node, how many times it is used; "
    "a * a uses a twice. Start with waiting = [end]. When a node passes on to a creator, take one off that "
    "creator's count; at 0 it joins waiting.",
)
def backward(function):
    """Judge a walk back on graphs in which paths meet, by a second call, and by its number of steps."""
    if not callable(function):
        raise Mistake(f"A function is asked for here, and this is {function!r:.60}.")
    leaf = Watched(3)
    called(function, leaf, "the single leaf a, with a = 3")
    if leaf.grad is None:
        x, y = Watched(5), Watched(7)
        called(function, product := x * y, "x * y")
        if product.grad is None and x.grad is None and y.grad is None:
            raise NotYet("your backward left every grad at None.")
        raise Mistake("After backward(a), where a is a single leaf, a.grad is None; right is 1.")
    for meeting in MEETINGS:
        judge_meeting(function, *meeting)
    judge_second_call(function)
    for meeting in USED_TWICE:  # last, since e shows whether equal numbers are taken for one node
        judge_meeting(function, *meeting)
    leaf, end = doubled()
    called(function, end, DOUBLED)
    if gradient(leaf, "a", DOUBLED) != 2**15:
        raise Mistake(f"For {DOUBLED}, a.grad is {leaf.grad!r:.60}, and right is {2**15}.")
    return "It adds where paths meet, waits for everything, and can be called again."


def judge_meeting(function, text, data, right, kinds):
    """Judge one walk over a graph with one leaf; ``kinds`` maps wrong gradients to their mistakes."""
    name, nodes = build(text, data)
    shown = f"{text}, with {name} = {data}"
    called(function, nodes["y"], shown)
    found = gradient(nodes[name], name, shown)
    if found != right:
        other = "Some paths are missing." if found < right else "Some paths count more than once."
        raise Mistake(
            f"For {shown}, {name}.grad is {found:.6g}, and right is {right}. {kinds.get(found, other)}"
            f"{first_wrong('y', name, nodes)}"
        )


def judge_second_call(function):
    """Judge two walks over e = (a + 2)(3a + 4): a.grad is 22, then 44."""
    shown = "e = (a + 2)(3a + 4), with a = 2"
    a = Watched(2, patience=Patience(shown))
    two, three, four = Watched(2), Watched(3), Watched(4)
    c, b = a + two, a * three
    d = b + four
    e = c * d
    called(function, e, shown)
    if (first := gradient(a, "a", shown)) != 22:
        names = {"a": a, "b": b, "c": c, "d": d, "e": e, "the 2": two, "the 3": three, "the 4": four}
        raise Mistake(
            f"For {shown}, a.grad is {first:.6g}, and right is 22, which is 10 and 12."
            f"{first_wrong('e', 'a', names)}"
        )
    called(function, e, shown)
    found = gradient(a, "a", shown)
    got = f"For {shown}, a.grad is 22, and after a second backward(e) it is {found:.6g}; right is 44. "
    if found in (78, 100):
        raise Mistake(
            got + "In the second walk the nodes on the way pass on what they kept from the first as well. "
            "Keep what arrives in this walk apart, in a dict, and add it to .grad once."
        )
    if found == 22:
        raise Mistake(got + "The second walk starts again from nothing: add to what is in .grad already.")
    if found != 44:
        raise Mistake(got + "Each walk should add its own 22.")
    if gradient(c, "c", shown) != 20:
        raise Mistake(
            f"For {shown}, after two walks c.grad is {c.grad}, and right is 20. On the way, too, each walk "
            "adds its own share."
        )


def called(function, end, shown):
    """Call the reader's function with ``end``. An error becomes a Mistake that names its usual reason."""
    signature = inspect.signature(function)
    try:
        signature.bind(end)
    except TypeError:
        raise Mistake(
            f"The check calls your function with one thing, the end of a graph; yours takes {signature}."
        ) from None
    try:
        return function(end)
    except (TypeError, KeyError) as error:
        stopped = f"For {shown}, your code stopped with {type(error).__name__}: {error}."
        raise Mistake(f"{stopped} {usual_reason(error)}".strip()) from error


def usual_reason(error):
    """The usual reason for an error in code that walks back, or ""."""
    said = str(error)
    if isinstance(error, KeyError) and said == "None":
        return "A leaf's creation_op is None, and its creators are None."
    if isinstance(error, KeyError):
        return (
            "Perhaps a count or sum was asked for before it was made. In a walk, begin at the end, and wait "
            "for all uses."
        )
    if "NoneType" in said and any(word in said for word in ("iter", "subscript", "len()")):
        return "A leaf's creators are None."
    return NOT_REVERSED if "NoneType" in said else ""


def gradient(node, name, shown):
    """The gradient of a node as a number. Raises Mistake if it is none."""
    if node.grad is None:
        raise Mistake(
            f"For {shown}, {name}.grad is None: nothing arrived there, or it was cleared; here every node "
            "keeps its grad. Begin at the end, and come to every node."
        )
    try:
        return number(node.grad)
    except Mistake:
        raise Mistake(f"For {shown}, {name}.grad is {node.grad!r:.60}, which is not a number.") from None


def first_wrong(end, leaf, nodes):
    """A line that names the first wrong gradient on the way from ``end`` to ``leaf``, and what should have
    arrived there."""
    nodes[end].patience.left = inf  # this walk is not the reader's
    wrong = first_difference(nodes[end], names=nodes)
    if wrong is None:  # the difference is within rounding
        return ""
    if wrong.name == leaf:
        arrives = wrong.message.partition(": ")[2]
        return f"\nWalking back from {end}, all is right until {leaf}. What belongs there: {arrives}."
    return f"\nWalking back from {end}, this is the first to go wrong: {wrong.message}."


# -- what the lesson builds, and at home without recursion: the order ---------------------------------------

FIRST_MET = "An order of first meeting is not enough: wait until all uses are behind you."


@exercise(
    "04 order",
    "The nearest first will not do: h can be near the end and still have to wait. Ask of a node not how far "
    "away it is, but whether everything that it is made from is in the list already.",
    "as_met lists a node when it comes to it, before it goes on to the node's creators. Only one line of it "
    "stands in the wrong place.",
    "List a node after its creators: nodes.append(node) comes below the loop over the creators.",
)
def order(function):
    """Judge a list that holds every node once, after its creators."""
    if not callable(function):
        raise Mistake(f"A function is asked for here, and this is {function!r:.60}.")
    for text, data, _, _ in MEETINGS:
        judge_order(function, text, data, FIRST_MET)
    for text, data, _, _ in USED_TWICE:
        judge_order(function, text, data, f"Wait until all uses are behind you; {COUNT_ARROWS}")
    _, end = doubled()
    if len(order_given(function, end, DOUBLED)) != 16:
        raise Mistake(f"For {DOUBLED}, there are 16 nodes to list.")
    return "Every node is there once, and after everything that it was made from."


@exercise(
    "04 chain",
    "The nearest first will not do: h can be near the end and still have to wait. Ask of a node not how far "
    "away it is, but whether everything that uses it is in the list already.",
    "First count for every node how many times it is used. A waiting list that you take from and add to, "
    "with a set of the nodes that were on it, comes to every node once, without recursion. For each creator "
    "of such a node add 1 to uses[creator]: in a * a that is 2 for a.",
    "Then begin again with ready = [end]. Take a node out, append it to nodes, and take one off uses of "
    "each of its creators. A creator whose count is now 0 is ready. At last return nodes[::-1], since "
    "order lists creators first.",
)
def chain(function):
    """Judge an order as ``order`` does, and on a chain that is too long for recursion."""
    said = order(function)
    shown = f"a chain of {LONG:,} additions"
    why = f"There are {LONG + 1:,} nodes. Deal with each of them once."
    a = end = Watched(1, patience=Patience(shown, 200 * LONG, why))
    for _ in range(LONG):
        end = end + a
    try:
        nodes = order_given(function, end, shown)
    except RecursionError:
        raise Mistake(
            f"It is right on small graphs, and on {shown} Python stops it with RecursionError: it still "
            "calls itself once per node. Keep a list of what is to be done instead."
        ) from None
    if len(nodes) != LONG + 1 or nodes[0] is not a or nodes[-1] is not end:
        raise Mistake(f"On {shown} of a, the list should begin with a and end with the end.")
    return f"{said} And {shown} is no trouble."


def order_given(function, end, shown):
    """The list that the reader's function returns for ``end``."""
    found = called(function, end, shown)
    if found is None:
        raise NotYet(f"your order, for {shown}, gave None.")
    if isinstance(found, (list, tuple)):
        return list(found)
    said = f"An order is a list of nodes; for {shown}, you give {found!r:.60}."
    raise Mistake(f"{said} Give a list: put list(...) around it." if isinstance(found, Iterable) else said)


def judge_order(function, text, data, why):
    """Judge the order of one graph; ``why`` is the advice for a wrong order."""
    _, nodes = build(text, data)
    found = order_given(function, nodes["y"], text)
    names = {id(node): name for name, node in nodes.items()}
    for node in found:
        if not isinstance(node, Watched):
            raise Mistake(f"An order is a list of nodes; for {text}, yours has {node!r:.60} in it.")
        names.setdefault(id(node), f"{node!r}")  # one that the reader made
    everything = every_node(nodes["y"])
    places = {id(node): place for place, node in enumerate(found)}
    shown = f"For {text}, your list is {' '.join(names[id(node)] for node in found) or 'empty'}. "
    if len(places) < len(found):
        raise Mistake(shown + "A node is in it twice. Remember which nodes you have met.")
    missing = [names[id(node)] for node in everything if id(node) not in places]
    if missing:
        raise Mistake(
            f"{shown}Not in it: {', '.join(missing)}. All nodes belong in the list, from the leaves to the "
            "end itself."
        )
    if len(found) > len(everything):
        raise Mistake(shown + "There are nodes in it that do not belong to this graph.")
    pairs = [(node, creator) for node in found for creator in node.made_from or ()]
    if all(places[id(creator)] > places[id(node)] for node, creator in pairs):
        raise Mistake(
            shown + "It is the right order the other way round: order lists creators first and the end "
            "last, and backward reverses it."
        )
    for node, creator in pairs:
        if places[id(creator)] > places[id(node)]:
            early, late = names[id(node)], names[id(creator)]
            raise Mistake(
                f"{shown}{early} stands before {late}, and {early} is made from {late}. Walked from the end, "
                f"{late} would have its turn before {early} has passed on. {why}"
            )


def every_node(end):
    """All nodes of the graph of ``end``, each once, in any order."""
    met, waiting = {}, [end]
    while waiting:
        node = waiting.pop()
        if id(node) not in met:
            met[id(node)] = node
            waiting.extend(node.made_from or ())
    return list(met.values())


# -- in class: a prediction ---------------------------------------------------------------------------------


@exercise(
    "04 second",
    "Nothing is cleared between the two walks. Does a gradient restart by itself?",
    "The second walk goes over the same graph with the same numbers. What does it find for a, taken by "
    "itself?",
    "Gradients add up: the 22 of the first walk and the 22 of the second.",
)
def second(guess):
    """Judge the guess of what a.grad should be after a second walk."""
    guess = number(guess)
    if guess == 22:
        raise Mistake(
            "22 is what one walk finds. It would stay 22 if the second walk restarted, but nobody cleared "
            "a.grad, and what arrives is added to what is there."
        )
    if guess in (78, 100):
        raise Mistake(
            f"{guess:.6g} is well traced: it is what a walk gives that passes on what the first one left "
            "behind. But each walk by itself finds 22. What should two of them add up to?"
        )
    if guess == 24:
        raise Mistake("Only 2 more? Every contribution of the first walk arrives again, 10 and 12.")
    if guess == 484:
        raise Mistake("22 times 22: along a path slopes are multiplied, but what arrives is added.")
    if guess != 44:
        raise Mistake(
            f"Not {guess:.6g}. What would the second walk find by itself, and what is there already?"
        )
    return "22 from the first walk and 22 from the second."
