"""The exercises of lesson 01: the Tensor that takes notes, how many nodes a graph has, which are leaves."""

from ..after_01 import Tensor
from ..checking import Mistake, NotYet, exercise, number, result


def example(tensor=Tensor):
    """The calculation of the whole course, e = (a + 2)(3a + 4) at a = 2: its leaf a, and e."""
    a = tensor(2)
    b = a * tensor(3)
    c = a + tensor(2)
    d = b + tensor(4)
    return a, c * d


# -- in class: a prediction ---------------------------------------------------------------------------------


@exercise(
    "01 predict",
    "Write the calculation in two lines: s = a + a, then f = s * a. Which Tensors did these lines make?",
    "Using a once more makes a new arrow. Does it make a new box?",
    "There is a, there is the sum, and there is the product.",
)
def predict(guess):
    """Judge the guessed number of nodes of (a + a) * a."""
    guess = number(guess)
    if guess == 5:
        raise Mistake(
            "You get 5 if every use of a is a new node, or if the two circles are counted as well. There is "
            "one a, however often it is used, and a circle is an operation, not a node."
        )
    if guess == 4:
        raise Mistake("One too many. a is used three times, and it is one node: it has three arrows out.")
    if guess == 2:
        raise Mistake("One is left out. The sum and the product are nodes, and so is the leaf a itself.")
    if guess == 8:
        raise Mistake("8 is the value of f, (2 + 2) * 2. The question is how many boxes its picture has.")
    if guess != 3:
        raise Mistake(f"Not {guess:.6g}. Count one box for a, and one for each result of an operation.")
    return "There is a, there is a + a, and there is the product: three nodes. a has three arrows out."


# -- what the lesson builds: the Tensor ---------------------------------------------------------------------


@exercise(
    "01 tensor",
    "Each of __add__ and __mul__ makes a new Tensor from three things: the number, the pair, the word.",
    "The pair is (self, other): the two Tensors themselves, in the order in which they were written.",
    'For a sum: Tensor(self.data + other.data, (self, other), "add").',
)
def tensor(made):
    """Judge a Tensor class by what its sums and products record. 3 and 5 tell + from *; 2 and 2 would not."""
    if not callable(made):
        raise Mistake(f"Give check the class itself: Tensor, not {made!r:.60}.")
    leaf = made(3)
    for attribute in ("data", "creators", "creation_op", "grad"):
        if not hasattr(leaf, attribute):
            raise Mistake(f"Tensor(3) has no attribute {attribute!r}. A Tensor has four: set it in __init__.")
    if leaf.data != 3:
        raise Mistake(f"Tensor(3).data is {leaf.data!r:.60}, and it should be 3.")
    if leaf.creators or leaf.creation_op is not None:
        raise Mistake("Tensor(3) was made from nothing: its creators and its creation_op should be None.")
    if leaf.grad is not None:
        raise Mistake("A new Tensor has no gradient yet: grad should start as None.")
    if repr(made(40)) != "40":
        raise Mistake(f"Tensor(40) is shown as {repr(made(40))!r:.60}, and it should be shown as 40.")
    for sign, word, right in (("+", "add", 8), ("*", "mul", 15)):
        x, y = made(3), made(5)
        judge_note(x, y, x + y if sign == "+" else x * y, f"Tensor(3) {sign} Tensor(5)", word, right)
    x = made(3)
    double = x + x
    if double.data != 6 or any(creator is not x for creator in double.creators):
        raise Mistake("x + x should be made from x twice: both of its creators are the same object.")
    a, e = example(made)
    if e.data != 40:
        raise Mistake(f"(a + 2) * (3 * a + 4) at a = 2 gave {e.data!r:.60}, and right is 40.")
    if e.creators[0].creators[0] is not a:
        raise Mistake("From e back to c and on to its first creator one should come to a, the same object.")
    return "It adds, it multiplies, and it remembers what it was made from."


def judge_note(x, y, z, said, word, right):
    """Judge what one operation records, z = x + y or x * y."""
    if z is None:
        raise NotYet(f"{said} gave None.")
    if not hasattr(z, "creators"):
        raise Mistake(f"{said} gave {z!r:.60}, which is not a Tensor and takes no notes.")
    if z is x or z is y or (x.data, y.data) != (3, 5):
        raise Mistake(f"{said} should make a new Tensor and leave both of its creators as they were.")
    if z.data != right:
        raise Mistake(f"{said} gave {z.data!r:.60}, and right is {right}.")
    creators = z.creators if isinstance(z.creators, (tuple, list)) else ()
    if len(creators) != 2:
        raise Mistake(f"{said} has the creators {z.creators!r:.60}. It should have two, as a pair.")
    if creators[0] is y and creators[1] is x:
        raise Mistake(f"{said} has its creators in the wrong order: (self, other), as they were written.")
    if not all(hasattr(creator, "creators") for creator in creators):
        raise Mistake(
            f"{said} remembers the numbers {creators!r:.60} and not the Tensors. From a plain number no way "
            "leads further back: write (self, other), without .data."
        )
    if creators[0] is not x or creators[1] is not y:
        raise Mistake(f"{said} has other creators than these two Tensors. Copies will not do: (self, other).")
    if str(z.creation_op) != word:
        raise Mistake(f"{said} says that it was made by {str(z.creation_op)!r:.60}, and right is {word!r}.")


# -- at home: count the nodes, find the leaves --------------------------------------------------------------


def small_graphs():
    """Graphs, the smallest first: the text that messages show, the end, the leaves, the number of nodes.

    Each of the first four shows one mistake: the end left out, equal numbers taken for one node, a node
    counted twice, a stop after one step back.
    """
    x, y, z = Tensor(2), Tensor(2), Tensor(3)
    a, e = example()
    c, d = e.creators
    return (
        ("x + z, where x = Tensor(2) and z = Tensor(3)", x + z, (x, z), 3),
        ("x + y, where x = Tensor(2) and y = Tensor(2)", x + y, (x, y), 3),
        ("a + a", a + a, (a,), 2),
        ("(x + y) * z, where x and y are Tensor(2) and z is Tensor(3)", (x + y) * z, (x, y, z), 5),
        ("e", e, (a, c.creators[1], d.creators[0].creators[1], d.creators[1]), 8),
    )


def on_leaf(function, name, leaf):
    """The result of the reader's function for a leaf. A loop over its creators, None, has its own message."""
    try:
        return result(function, leaf, said=f"{name}(Tensor({leaf!r}))")
    except TypeError as error:
        if "NoneType" not in str(error):
            raise
        raise Mistake(
            f"{name}(Tensor({leaf!r})) stopped with TypeError: {error}. A leaf's creators are None, so ask "
            "whether there are any before you walk into them."
        ) from error


@exercise(
    "01 count",
    "Walk back as tree does, and keep a set of what you have met. What has to be in it, so that a and the "
    "other 2 stay two?",
    "Inside count, write a function visit(node). If the node is in the set, return. If not, add it to the "
    "set, and visit each of its creators, if it has any. Or change one word in `numbers`, and let count "
    "return len of what it collects.",
    "met = set(), made anew inside count; visit(t); return len(met). In visit: met.add(node), not node.data.",
)
def count(function):
    """Judge a function that counts the nodes of a graph, each once."""
    first = on_leaf(function, "count", Tensor(2))
    if isinstance(first, bool) or not isinstance(first, int):
        raise Mistake(f"count(t) gives a whole number; for a leaf yours gave {first!r:.60}.")
    if first == 0:
        raise Mistake("For a leaf you give 0, and right is 1: the node at the end, t itself, counts as well.")
    if first != 1:
        raise Mistake(f"For a leaf, which is a graph of one node, you give {first}.")
    leaf = Tensor(3)
    if on_leaf(function, "count", leaf) != 1 or on_leaf(function, "count", leaf) != 1:
        raise Mistake(
            "For one leaf you give 1, and for the next another number: something is remembered from one call "
            "to the next. Make the set inside count, anew at each call. (A default like met=set() is made "
            "only once.)"
        )
    for words, end, _, right in small_graphs():
        found = result(function, end, said=f"count({words})")
        if found != right:
            why = why_count(found, end, right)
            raise Mistake(f"For {words}, you give {found!r:.60}, and right is {right}. {why}")
    return "e has 8 nodes, and you count each of them once."


def why_count(found, end, right):
    """The mistake behind a wrong number of nodes."""
    lines = every_visit(end)
    if found == len({node.data for node in lines}):
        return "Equal numbers are taken for the same node. Put the nodes into your set, not their data."
    if found == len(lines):
        return "A node that two ways lead to is counted twice. Remember which nodes you have met."
    if found == right - 1:
        return "Is the node at the end, t itself, counted as well?"
    if found == 1 + len(set(end.creators)):
        return "You stop after one step back. Each creator may have creators of its own."
    return "Each node counts once: t, its creators, the creators of these, back to the leaves."


def every_visit(node):
    """The nodes as ``tree`` prints them: each once for every path to it."""
    return [node, *(visit for creator in node.creators or () for visit in every_visit(creator))]


@exercise(
    "01 leaves",
    "It is the walk of count. When you meet a node, ask: does it have creators?",
    "If it has none, append it to a list. If it has some, visit each of them. Keep the set of nodes that "
    "you have met, or a will be in your list twice.",
    "met = set() and found = [], both made anew inside leaves. In visit: if node.creators is None: "
    "found.append(node), else visit each creator.",
)
def leaves(function):
    """Judge a function that lists the leaves of a graph, each once."""
    leaf = Tensor(2)
    judge_leaves(on_leaf(function, "leaves", leaf), (leaf,), "a leaf")
    other = Tensor(3)
    again = on_leaf(function, "leaves", other)
    if any(node is leaf for node in as_list(again)) or not as_list(again):
        raise Mistake(
            "For one leaf your answer is right, and for the next it is not: something is remembered from one "
            "call to the next. Make the list and the set inside leaves, anew at each call."
        )
    for words, end, right, _ in small_graphs():
        judge_leaves(result(function, end, said=f"leaves({words})"), right, words)
    return "e has four leaves, and a is among them once."


def as_list(found):
    """The reader's leaves as a list. Raises Mistake if they cannot be iterated over."""
    try:
        return list(found)
    except TypeError:
        raise Mistake(f"leaves(t) gives a list of Tensors; yours gave {found!r:.60}.") from None


def judge_leaves(found, right, words):
    """Judge a list of leaves by identity: what is no leaf, what is in it twice, what is missing."""
    found = as_list(found)
    shown = f"For {words}, you give {found!r:.60}. "
    for node in found:
        if not hasattr(node, "creators"):
            raise Mistake(f"{shown}These are numbers, and asked for are the Tensors themselves.")
        if node.creators is not None:
            raise Mistake(
                f"{shown}The {node!r} in it was made from {node.creators!r}, so it is no leaf. Walk on, "
                "until a node has no creators."
            )
    if len(set(map(id, found))) < len(found):
        raise Mistake(f"{shown}There is a leaf in it twice. Remember which nodes you have met.")
    missing = [leaf for leaf in right if not any(leaf is node for node in found)]
    if missing and any(leaf.data == node.data for leaf in missing for node in found):
        raise Mistake(
            f"{shown}Right are {len(right)} leaves, {list(right)!r}. Equal numbers are taken for the same "
            "node: remember the nodes, not their data."
        )
    if missing and words == "a leaf":
        raise Mistake(f"{shown}A leaf is a graph of one node, and that node is its leaf.")
    if missing:
        raise Mistake(
            f"{shown}Right are {len(right)} leaves, {list(right)!r}. Do you stop after one step back? Each "
            "creator may have creators of its own."
        )
    if len(found) > len(right):
        raise Mistake(f"{shown}There are leaves in it that do not belong to this graph.")
