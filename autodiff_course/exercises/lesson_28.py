"""The exercises of lesson 28: additions without memory, and a spreadsheet in two steps."""

import contextlib

from ..checking import Mistake
from .calling import call, counted, names_of
from .shared import close
from .table import PRINTS, Guess, Right, Table, Wrong

# -- additions without memory --------------------------------------------------------------------------------

Guess(
    "28 times",
    right="2**30 - 1",
    answers=(
        Right("in full", "1073741823"),
        Wrong("each once", "30", "That is a run that computes each node once. Here every path is followed."),
        Wrong("the result", "2**30", "That is the result of a run fed with 1. How many additions add up so many ones?"),
        Wrong("one more", "2**30 + 1", "That is one more than the result. Adding up two ones takes one addition, not three."),
        Wrong("with the leaves", "2**31 - 1", "That counts the visits to the placeholder, too. Count the additions alone."),
        Wrong("from 2", "2**31", "For one doubling there is 1 addition, for two there are 3, not 4 and 8."),
        Wrong("29", "2**29 - 1", "That is for 29 doublings."),
        Wrong("the table's", "2**19 - 1", "That is for 19 doublings, as in the table."),
        Wrong("in proportion", "19 * 30", "It does not grow in proportion: with each doubling it more than doubles."),
        Wrong("a square", "30**2", "It is no square: with each doubling the count more than doubles."),
        Wrong("something else", "7"),
        Wrong("a word", "'many'", holds="A number is asked for"),
    ),
    otherwise="Each doubling computes both halves anew.",
    praise="2**30 - 1 is more than a billion additions, for 31 nodes.",
    hints=(
        "One more doubling computes both halves anew and adds them: twice as many additions, and one.",
        "1, 3, 7, 15 are each one less than 2, 4, 8, 16.",
        "It is 2**30 - 1.",
    ),
    within=0,
    message="It is not {found:,.0f}. {why}",
)

# -- a spreadsheet -------------------------------------------------------------------------------------------


class Sheet:
    """A graph in which every node counts how often it is computed: the course's calculation, and more."""

    def __init__(self, names):
        self.names = names
        self.computed = []
        tensor = names["Tensor"]

        def node(name, op, *creators):
            made = tensor(None, creators, op)
            made.name = name
            return made

        def leaf(name):
            return node(name, None)

        self.price, self.count, self.tax = leaf("price"), leaf("count"), leaf("tax")
        self.sum = node("sum", "mul", self.price, self.count)
        self.added = node("added", "mul", self.sum, self.tax)
        self.rate = node("rate", "add", self.tax, 1.0)
        self.end = node("end", "add", self.sum, self.added)
        self.total = node("total", "mul", self.end, self.rate)
        self.feed = {self.price: 2.0, self.count: 5.0, self.tax: 0.5}

    def numbers(self, **changed):
        """The number of every node, from the fed ones."""
        found = {leaf: changed.get(leaf.name, fed) for leaf, fed in self.feed.items()}
        for node in self.names["order"](self.total):
            if node.creation_op:
                x, y = (found[x] if type(x) is not float else x for x in node.creators)
                found[node] = x * y if node.creation_op == "mul" else x + y
        return found

    @contextlib.contextmanager
    def watched(self):
        """Note each operation that is computed by the table FORWARD."""
        table = self.names["FORWARD"]
        before = dict(table)
        for op in ("add", "mul"):
            table[op] = self.watch(op, before[op])
        try:
            yield self.computed
        finally:
            table.clear()
            table.update(before)

    def watch(self, op, forward):
        """A forward that is noted."""

        def noted(x, y):
            self.computed.append(op)
            return forward(x, y)

        return noted


RIGHT = {
    "price": ["sum", "added", "end", "total"],
    "count": ["sum", "added", "end", "total"],
    "tax": ["added", "rate", "end", "total"],
}
CALL = "affected(end, leaf)"
SHEET = "sum = price * count, added = sum * tax, end = sum + added, total = end * (tax + 1)"


def named(nodes):
    """Names of nodes as a phrase."""
    names = [getattr(node, "name", None) or repr(node) for node in nodes]
    return ", ".join("tax + 1" if name == "rate" else str(name) for name in names) or "no node"


AFFECTED_CODE = """
def affected(end, leaf):
    seen, nodes = {leaf}, []
    for node in order(end):
        if any(x in seen for x in node.creators if isinstance(x, Tensor)):
            seen.add(node)
            nodes.append(node)
    return nodes
"""
BY_ORDER = "[n for n in order(end) if n is not leaf and leaf in order(n)]"

AFFECTED = Table(
    "28 affected",
    head=CALL,
    right=AFFECTED_CODE,
    answers=(
        Right("by order", BY_ORDER),
        Wrong("with the leaf", "[n for n in order(end) if leaf in order(n)]", holds="The leaf itself is not computed"),
        Wrong("twice", f"{BY_ORDER} * 2", holds="stands there twice"),
        Wrong("only those next to it", "[n for n in order(end) if leaf in n.creators]", holds="is affected, too"),
        Wrong("the end alone", "[end]", holds="is missing"),
        Wrong("all", "[n for n in order(end) if n.creation_op]", holds="does not depend on"),
        Wrong("with all leaves", "[n for n in order(end) if n is not leaf]", holds="Other leaves"),
        Wrong("backwards", f"{BY_ORDER}[::-1]", holds="Creators have to come first"),
        Wrong("always the end", f"{BY_ORDER} or [end]", holds="A leaf that is not in the graph"),
        Wrong("a set", f"set({BY_ORDER})", holds="a set has no order"),
        Wrong("no list", "len(order(end))", holds="A list of nodes is asked for"),
        Wrong("every path", """
            nodes = []
            def walk(node):
                hit = node is leaf
                for x in node.creators:
                    if isinstance(x, Tensor):
                        hit = walk(x) or hit
                if hit and node is not leaf and node not in nodes:
                    nodes.append(node)
                return hit
            walk(end)
            return nodes""", holds="every path is followed"),
        Wrong("prints", "print(order(end))", holds=PRINTS),
    ),
    hints=(
        "Go through order(end). A node is affected if one of its creators is the leaf or is affected.",
        "Keep a set that begins with the leaf. In this order the creators of a node come before it.",
        "seen, nodes = {leaf}, []; for node in order(end): if any(x in seen for x in node.creators if isinstance(x, Tensor)): seen.add(node); nodes.append(node)",
    ),
)  # fmt: skip


@AFFECTED.judged
def affected(function):
    """Judge which nodes depend on a leaf, for three leaves and for one that is not there."""
    sheet = Sheet(names_of(function, 28))
    for leaf in (sheet.tax, sheet.price, sheet.count):
        said = f"For {SHEET}, affected(total, {leaf.name})"
        found = call(function, sheet.total, leaf, said=CALL, header=f"def {CALL}:")
        judge_nodes(found, RIGHT[leaf.name], leaf, said)
    nothing = call(function, sheet.end, sheet.names["Tensor"](None), said=CALL)
    if list(nothing):
        raise Mistake(f"A leaf that is not in the graph changes nothing, and the list has {named(nothing)}.")
    judge_deep(function, sheet.names)
    return "A node is affected if one of its creators is, and in this order they have been asked before."


def judge_nodes(found, right, leaf, said):
    """Raise Mistake unless these are the affected nodes, creators first."""
    try:
        names = [str(getattr(node, "name", "a node without a name")) for node in found]
    except TypeError:
        raise Mistake(f"{said} gives {found!r:.60}. A list of nodes is asked for.") from None
    if isinstance(found, set | frozenset):
        raise Mistake(f"{said} gives a set, and a set has no order. Return a list, creators first.")
    told = f"{said} gives {named(found)}"
    if leaf.name in names:
        raise Mistake(f"{told}. The leaf itself is not computed: leave it out.")
    if len(set(names)) < len(names):
        raise Mistake(f"{told}. A node stands there twice.")
    missing, extra = [n for n in right if n not in names], [n for n in names if n not in right]
    if set(extra) & {"price", "count", "tax"}:
        raise Mistake(f"{told}. Other leaves do not depend on {leaf.name}.")
    if missing and names and "total" in missing:
        raise Mistake(f"{told}. What depends on an affected node is affected, too.")
    if missing:
        raise Mistake(
            f"{told}; {', '.join(missing)} is missing. A node is affected if any of its creators is."
        )
    if extra:
        raise Mistake(f"{told}. {', '.join(extra)} does not depend on {leaf.name}.")
    places = {name: place for place, name in enumerate(names)}
    pairs = ((getattr(x, "name", 0), node.name) for node in found for x in node.creators)
    if not all(places[x] < places[name] for x, name in pairs if x in places):
        raise Mistake(f"{told}. Creators have to come first, as in order(end).")


def judge_deep(function, names):
    """Raise Mistake for a walk that follows every path."""
    tensor = names["Tensor"]
    leaf = end = tensor(None)
    for _ in range(40):
        end = tensor(None, (end, end), "add")
    try:
        found = call(function, end, leaf, said=f"{CALL} after 40 doublings")
    except Mistake as mistake:
        if "was stopped" not in str(mistake):
            raise
        raise Mistake(
            "The small sheet is right, but 40 doublings take too long: every path is followed, and there are "
            "2**40. Go through order(end), where each node stands once."
        ) from None
    if len(list(found)) != 40:
        raise Mistake(f"Of 40 doublings all 40 nodes are affected, and the list has {len(list(found))}.")


COPY, NEW, EACH = "numbers = dict(numbers)", "numbers[leaf] = new", "affected(end, leaf):"

CHANGE = Table(
    "28 change",
    head="change(numbers, end, leaf, new)",
    right=f"""
{AFFECTED_CODE}
def change(numbers, end, leaf, new):
    {COPY}
    {NEW}
    for node in {EACH}
        inputs = [numbers[x] if isinstance(x, Tensor) else x for x in node.creators]
        numbers[node] = FORWARD[node.creation_op](*inputs)
    return numbers""",
    answers=(
        Right("with compute", ("FORWARD[node.creation_op](*inputs)", "compute(node.creation_op, *inputs)")),
        Wrong("in place", (COPY, "pass"), holds="the old dict has changed"),
        Wrong("only the leaf", f"{COPY}\n{NEW}\nreturn numbers", holds="That is its old number"),
        Wrong("no new number", (NEW, "pass"), holds="its new number first"),
        Wrong("everything", (f"for node in {EACH}", "for node in [n for n in order(end) if n.creation_op]:"), holds="Compute those alone"),
        Wrong("by hand", ("FORWARD[node.creation_op](*inputs)", "math.prod(inputs) if node.creation_op == 'mul' else sum(inputs)"), holds="nothing of FORWARD ran"),
        Wrong("the affected alone", ("return numbers", "return {n: numbers[n] for n in affected(end, leaf)}"), holds="gives no number for"),
        Wrong("the end alone", ("return numbers", "return numbers[end]"), holds="A dict"),
        Wrong("nothing comes back", ("    return numbers", ""), holds="returns nothing"),
    ),
    hints=(
        "numbers = dict(numbers) makes a copy. Then numbers[leaf] = new.",
        "Then compute each node of affected(end, leaf), as Session.run does, from the numbers in the copy.",
        "for node in affected(end, leaf): inputs = [numbers[x] if isinstance(x, Tensor) else x for x in node.creators]; numbers[node] = FORWARD[node.creation_op](*inputs)",
    ),
)


@CHANGE.judged
def change(function):
    """Judge the numbers after a change, and how many nodes were computed for it."""
    sheet = Sheet(names_of(function, 28))
    for leaf, new in ((sheet.tax, 0.25), (sheet.price, 3.0)):
        given = sheet.numbers()
        before = dict(given)
        right = sheet.numbers(**{leaf.name: new})
        said = f"For {SHEET}, change(numbers, total, {leaf.name}, {new:g})"
        sheet.computed.clear()
        with sheet.watched() as computed:
            found = call(
                function, given, sheet.total, leaf, new,
                said="change(numbers, end, leaf, new)", header="def change(numbers, end, leaf, new):",
            )  # fmt: skip
        judge_numbers(found, right, before, leaf, new, said)
        if given != before:
            raise Mistake(f"{said} is right, but the old dict has changed. Begin with a copy: dict(numbers).")
        if len(computed) > 4:
            raise Mistake(
                f"{said} is right, but {counted(len(computed), 'operation')} ran, and 4 nodes are affected. "
                "Compute those alone."
            )
        if not computed:
            raise Mistake(f"{said} is right, but nothing of FORWARD ran. That table has all operations.")
    return "Four operations in place of five, and in a large sheet a few in place of thousands."


def judge_numbers(found, right, before, leaf, new, said):
    """Raise Mistake unless these are the numbers after the change."""
    if not isinstance(found, dict):
        raise Mistake(f"{said} gives {found!r:.60}. A dict with the number of every node is asked for.")
    for node, number_of_node in right.items():
        if node not in found:
            raise Mistake(f"{said} gives no number for {named([node])}. Keep the numbers that stay, too.")
        value = found[node]
        if not close(float(value), number_of_node):
            kind = ""
            if node is leaf:
                kind = " The leaf has to get its new number first."
            elif close(float(value), before[node]):
                kind = " That is its old number."
            gives = f"{said} gives {float(value):g} for {named([node])}"
            raise Mistake(f"{gives}; it should be {number_of_node:g}.{kind}")
