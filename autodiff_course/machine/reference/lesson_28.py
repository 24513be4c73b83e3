"""Lesson 28: the graph first, without numbers, and a session that computes it."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "First the graph, then the numbers"

COURSE = "with Graph():\n    a = placeholder('a')\n    e = (a + 2) * (3 * a + 4)\n"
AT_ONCE = "a = Tensor(2.0)\ne = (a + 2) * (3 * a + 4)\n"
WATCHED = """\
calls = []
FORWARD['watched'] = lambda x: calls.append(1) or x
with Graph():
    h = apply('watched', placeholder('x'))
    y, z = h + h * h, h * 3
"""
DOUBLED = """\
with Graph():
    x = placeholder('x')
    h = x
    for _ in range(200):
        h = h + h
"""

SHARED = (
    "The second end computes anew what the first one has found. All ends of a run share one dict, and a node "
    "that is in it is passed over."
)

PARTS = (
    Piece(
        "28 define",
        '''
def define(op, *inputs):
    """An apply that records, and computes nothing if one of its inputs is a Tensor."""
    return Tensor(None, inputs, op) if Tensor in map(type, inputs) else compute(op, *inputs)
''',
        (
            Probe("define('mul', Tensor(2.0), 3).data", None),
            Probe(
                "z = define('mul', Tensor(2.0), 3)\nz.creation_op, z.creators",
                ("mul", ("a Tensor with 2", 3)),
            ),
            Probe("type(define('mul', 3, Tensor(2.0))).__name__", "Tensor"),
            Probe("define('mul', 2.0, 3)", 6.0),
            Probe("x = Tensor(None)\nz = define('neg', define('exp', x))\nlen(order(z)), z.data", (3, None)),
        ),
        (
            Wrong(
                "computes",
                "The node has a number already, so something was computed. Its data is None until a session runs.",
                ("Tensor(None, inputs, op)", "Tensor(FORWARD[op](*map(value, inputs)), inputs, op)"),
            ),
            Wrong(
                "calls record",
                "The node has a number already, so something was computed. Its data is None until a session runs.",
                ("Tensor(None, inputs, op)", "record(op, *inputs)"),
            ),
            Wrong(
                "a node of plain numbers",
                "Where no input is a Tensor there is nothing to wait for: compute(op, *inputs) gives the number.",
                (" if Tensor in map(type, inputs) else compute(op, *inputs)", ""),
            ),
            Wrong(
                "the operation is missing",
                "The node has to know its operation: Tensor(None, inputs, op).",
                ("Tensor(None, inputs, op)", "Tensor(None, inputs)"),
            ),
            Wrong(
                "values in place of nodes",
                "The creators are numbers here, and the way back to the leaves is lost. Hand over the inputs themselves.",
                ("Tensor(None, inputs, op)", "Tensor(None, tuple(map(value, inputs)), op)"),
            ),
            Wrong(
                "only the first input",
                "The second input is a Tensor. One Tensor among all inputs is enough to record: "
                "Tensor in map(type, inputs).",
                ("Tensor in map(type, inputs)", "isinstance(inputs[0], Tensor)"),
            ),
            Wrong(
                "nothing for plain numbers",
                "With plain numbers nothing comes back. Compute them at once: compute(op, *inputs).",
                ("else compute(op, *inputs)", "else None"),
            ),
        ),
    ),
    Given(
        "28 Graph",
        '''
class Graph:
    """While a `with` block of it is entered, operations are recorded and not computed."""

    def __enter__(self):
        global apply
        self.before, apply = apply, define

    def __exit__(self, *error):
        global apply
        apply = self.before


def placeholder(name):
    """A leaf without a number: every run is fed one for it."""
    leaf = Tensor(None)
    leaf.name = name
    return leaf


def held(leaf):
    """The number in a leaf. A placeholder has none."""
    if leaf.data is None:
        raise ValueError(f"nothing is fed for {leaf.name}")
    return leaf.data


Tensor.__repr__ = lambda x: "no number yet" if x.data is None else str(np.round(x.data, 6))
''',
    ),
    Piece(
        "28 Session",
        '''
class Session:
    """Computes nodes of a graph, each at most once in a run."""

    def run(self, ends, feed_dict):
        found = dict(feed_dict)
        for end in ends:
            for node in order(end):
                if node not in found and node.creation_op:
                    inputs = [found[x] if isinstance(x, Tensor) else x for x in node.creators]
                    found[node] = FORWARD[node.creation_op](*inputs)
                elif node not in found:
                    found[node] = held(node)
        return [found[end] for end in ends]
''',
        (
            Probe(COURSE + "Session().run([e], {a: 2.0})", [40.0]),
            Probe(
                COURSE + "session = Session()\nsession.run([e], {a: 2.0}), session.run([e], {a: 0.0})",
                ([40.0], [8.0]),
            ),
            Probe(COURSE + "s = Session().run([e], {a: np.array([0.0, 1.0, 2.0])})\ns[0]", [8.0, 21.0, 40.0]),
            Probe(COURSE + "Session().run([e, a], {a: 2.0})", [40.0, 2.0]),
            Probe(
                "w = Tensor(3.0)\nwith Graph():\n    x = placeholder('x')\n    z = w * x\nsession = Session()\n"
                "first = session.run([z], {x: 2.0})\nw.data = 5.0\nfirst, session.run([z], {x: 2.0})",
                ([6.0], [10.0]),
            ),
            Probe(AT_ONCE + "Session().run([e], {a: 0.0})", [8.0]),
            Probe(WATCHED + "Session().run([y], {h.creators[0]: 2.0}), len(calls)", ([6.0], 1)),
            Probe(WATCHED + "Session().run([y, z], {h.creators[0]: 2.0}), len(calls)", ([6.0, 6.0], 1)),
            Probe(DOUBLED + "Session().run([h], {x: 1.0}) == [2.0**200]", True),
            Probe(COURSE + "feed = {a: 2.0}\nSession().run([e], feed)\nlen(feed)", 1),
            Probe(COURSE + "Session().run([e], {a: 2.0})\ne.data, a.data", (None, None)),
            Probe(
                COURSE
                + "try:\n    said = Session().run([e], {})\nexcept ValueError as error:\n    said = str(error)\nsaid",
                "nothing is fed for a",
            ),
        ),
        (
            Wrong(
                "one result in place of a list",
                "run is asked for a list of nodes and returns a list: a number for each of them.",
                ("return [found[end] for end in ends]", "return found[end]"),
            ),
            Wrong(
                "all that was found",
                "run is asked for a list of nodes and returns a list: a number for each of them.",
                ("return [found[end] for end in ends]", "return found"),
            ),
            Wrong(
                "computes without memory",
                "Nodes are computed again and again, once for every path that leads to them. Keep each result in `found`, "
                "and go through order(end).",
                """
class Session:
    def run(self, ends, feed_dict):
        def number(node):
            if not isinstance(node, Tensor):
                return node
            if node in feed_dict:
                return feed_dict[node]
            if node.creation_op:
                return FORWARD[node.creation_op](*map(number, node.creators))
            return held(node)

        return [number(end) for end in ends]
""",
            ),
            Wrong(
                "a memory for each end",
                SHARED,
                (
                    "        found = dict(feed_dict)\n        for end in ends:\n",
                    "        numbers = []\n        for end in ends:\n            found = dict(feed_dict)\n",
                ),
                (
                    "        return [found[end] for end in ends]",
                    "            numbers.append(found[end])\n        return numbers",
                ),
            ),
            Wrong(
                "computed again for the next end",
                SHARED,
                ("if node not in found and node.creation_op:", "if node.creation_op:"),
            ),
            Wrong(
                "numbers stay in the nodes",
                "The numbers of the run were written into the graph. Keep them in `found`, so that the graph stays empty.",
                (
                    "        return [found[end] for end in ends]",
                    "        for node in found:\n            node.data = found[node]\n        return [found[end] for end in ends]",
                ),
            ),
            Wrong(
                "writes into feed_dict",
                "feed_dict belongs to the caller, and has grown. Begin with a copy: dict(feed_dict).",
                ("found = dict(feed_dict)", "found = feed_dict"),
            ),
            Wrong(
                "remembers between runs",
                "The second run gives the numbers of the first. Every run begins with what is fed and nothing else.",
                (
                    "found = dict(feed_dict)",
                    'found = self.__dict__.setdefault("found", {})\n        found.update(feed_dict)',
                ),
            ),
            Wrong(
                "asks for data",
                "A leaf without a number was used as None. held(node) says which placeholder is not fed.",
                ("found[node] = held(node)", "found[node] = node.data"),
            ),
            Wrong(
                "nodes handed to FORWARD",
                "FORWARD computes with numbers. Look each input up in `found`, if it is a Tensor.",
                ("[found[x] if isinstance(x, Tensor) else x for x in node.creators]", "node.creators"),
            ),
            Wrong(
                "plain numbers looked up",
                "A plain number, such as the 2 in a + 2, is not in `found`. Take it as it is.",
                ("found[x] if isinstance(x, Tensor) else x for x", "found[x] for x"),
            ),
            Wrong(
                "data where there is some",
                "Another number was fed, and the old ones of the other nodes were taken. Compute every node that has "
                "an operation: only what a leaf holds counts.",
                (
                    "                if node not in found and node.creation_op:",
                    """\
                if node not in found and node.data is not None:
                    found[node] = node.data
                elif node not in found and node.creation_op:""",
                ),
            ),
            Wrong(
                "only placeholders",
                "A leaf that holds a number, such as a weight, is not fed. Take its number: held(node).",
                (
                    "                elif node not in found:\n                    found[node] = held(node)\n",
                    "",
                ),
            ),
        ),
        open=("run",),
    ),
)
