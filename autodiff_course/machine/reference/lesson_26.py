"""Lesson 26: cells that carry a memory from step to step."""

from ..plan import Piece, Probe, Wrong

TITLE = "Memory"

CELL = """\
cell = RNN(1, 1, np.random.default_rng(0))
cell.x.weight.data, cell.h.weight.data = np.array([[2.0]]), np.array([[0.5]])
x, h = np.array([[0.3]]), np.array([[0.8]])
"""
GATES = """\
cell = LSTM(1, 1, np.random.default_rng(0))
cell.x.weight.data, cell.h.weight.data = np.zeros((1, 4)), np.zeros((1, 4))
cell.x.bias.data, cell.h.bias.data = np.array([%s]), np.zeros(4)
h, c = cell(np.zeros((1, 1)), (np.zeros((1, 1)), np.array([[2.0]])))
round(float(value(h)[0, 0]), 3), round(float(value(c)[0, 0]), 3)"""

PARTS = (
    Piece(
        "26 RNN",
        '''
class RNN:
    """A cell whose state h depends on the input and on the previous state."""

    def __init__(self, inputs, size, rng):
        self.x, self.h = Linear(inputs, size, rng), Linear(size, size, rng)

    def __call__(self, x, h):
        return tanh(self.x(x) + self.h(h))
''',
        (
            Probe(CELL + "cell(x, h).data.round(4)", [[0.7616]]),
            Probe(CELL + "cell(x, 0 * h).data.round(4)", [[0.537]]),
            Probe(CELL + "cell(5 * x, h).data.round(4)", [[0.9978]]),
            Probe(CELL + "h = Tensor(h)\nbackward(cell(x, h))\nh.grad.round(4)", [[0.21]]),
            Probe(CELL + "cell.h.bias.data = np.array([1.0])\ncell(x, h).data.round(4)", [[0.964]]),
            Probe(CELL + "h = cell(x, h)\ncell(x, h).data.round(4)", [[0.7534]]),
        ),
        (
            Wrong(
                "no memory",
                "The previous state has no influence: add self.h(h) to self.x(x).",
                ("tanh(self.x(x) + self.h(h))", "tanh(self.x(x) + 0.0 * self.h(h))"),
            ),
            Wrong("no input", "The input has no influence: add self.x(x).", ("self.x(x) + self.h(h)", "self.h(h)")),
            Wrong("no tanh", "The sum is right and not bent yet: tanh keeps the state between -1 and 1.", ("tanh(self.x(x) + self.h(h))", "self.x(x) + self.h(h)")),
            Wrong(
                "two tanh",
                "tanh bends the sum once, not each part of it.",
                ("tanh(self.x(x) + self.h(h))", "tanh(self.x(x)) + tanh(self.h(h))"),
            ),
            Wrong(
                "the state added",
                "The previous state goes through self.h, where it is weighted.",
                ("self.h(h)", "h"),
            ),
            Wrong(
                "one layer for both",
                "The state goes through self.h, and the input through self.x: two layers with their own weights.",
                ("self.h(h)", "self.x(h)"),
            ),
            Wrong(
                "input and state exchanged",
                "The input goes through self.x, and the state through self.h: here they are exchanged.",
                ("self.x(x) + self.h(h)", "self.x(h) + self.h(x)"),
            ),
            Wrong("a product", "The input part and the state part are added, not multiplied.", ("self.x(x) + self.h(h)", "self.x(x) * self.h(h)")),
            Wrong(
                "the number only",
                "The number is right, and no gradient comes back to the previous state: use the machine's tanh and the Tensors themselves.",
                ("tanh(self.x(x) + self.h(h))", "Tensor(np.tanh(value(self.x(x) + self.h(h))))"),
            ),
            Wrong(
                "the layer replaced",
                "The first call is right, and the second stops: self.h is a layer, and the first call replaces it. Return the new state, and keep it nowhere.",
                ("return tanh(self.x(x) + self.h(h))", "self.h = tanh(self.x(x) + self.h(h))\n        return self.h"),
            ),
        ),
        open=("__call__",),
    ),
    Piece(
        "26 unroll",
        '''
def unroll(cell, xs, state):
    """The states after each input, one after the other, with the same cell."""
    states = []
    for x in xs:
        state = cell(x, state)
        states.append(state)
    return states
''',
        (
            Probe("unroll(lambda x, state: 10 * state + x, [1, 2, 3], 0)", [1, 12, 123]),
            Probe("unroll(lambda x, state: 10 * state + x, [1, 2], 7)", [71, 712]),
            Probe("unroll(lambda x, state: 10 * state + x, [], 7)", []),
            Probe("unroll(lambda x, state: (state[1], x), [1, 2], (8, 9))", [(9, 1), (1, 2)]),
        ),
        (
            Wrong(
                "every step from the start",
                "Each step begins from the first state. Give the next step the state that came out of this one.",
                ("state = cell(x, state)\n        states.append(state)", "states.append(cell(x, state))"),
            ),
            Wrong(
                "one state behind",
                "The list begins with the state from before the first input, and the last state is missing. Call the cell first, and then append.",
                ("state = cell(x, state)\n        states.append(state)", "states.append(state)\n        state = cell(x, state)"),
            ),
            Wrong("the last state only", "Only the last state comes back. Keep them all in a list.", ("return states", "return state")),
            Wrong(
                "the first state too",
                "The list begins with the state from before the first input. Keep what comes out of the cell.",
                ("states = []", "states = [state]"),
            ),
            Wrong("from the back", "The inputs are read from the back.", ("for x in xs", "for x in xs[::-1]")),
            Wrong("input and state exchanged", "The cell takes the input first, and then the state.", ("cell(x, state)", "cell(state, x)")),
            Wrong(
                "stops after one",
                "Only the first input is read. `return` stands inside the loop.",
                ("    return states", "        return states"),
            ),
        ),
    ),
    Piece(
        "26 LSTM",
        '''
class LSTM:
    """Two states: h, which the cell shows, and c, where it keeps what the forget gate lets through."""

    def __init__(self, inputs, size, rng, forget=1.0):
        self.size = size
        self.x, self.h = Linear(inputs, 4 * size, rng), Linear(size, 4 * size, rng)
        self.h.bias.data[:size] = forget  # at first the forget gates let most through

    def __call__(self, x, state):
        h, c = state
        sums = self.x(x) + self.h(h)
        forget, take, show, new = (sums[:, i * self.size : (i + 1) * self.size] for i in range(4))
        c = sigmoid(forget) * c + sigmoid(take) * tanh(new)
        return sigmoid(show) * tanh(c), c
''',
        (
            Probe(GATES % "30.0, -30, 30, 0.5", (0.964, 2.0)),
            Probe(GATES % "-30.0, 30, 30, 0.5", (0.432, 0.462)),
            Probe(GATES % "30.0, 30, 30, 0.5", (0.986, 2.462)),
            Probe(GATES % "30.0, 30, -30, 0.5", (0.0, 2.462)),
            Probe(GATES % "0.0, 0, 0, 0.5", (0.421, 1.231)),
            Probe(
                "cell = LSTM(2, 3, np.random.default_rng(0))\n"
                "h, c = cell(np.ones((5, 2)), (np.ones((5, 3)), np.zeros((5, 3))))\nh.shape, c.shape",
                ((5, 3), (5, 3)),
            ),
            Probe(
                "cell = LSTM(1, 1, np.random.default_rng(0), forget=30.0)\nc = Tensor(np.array([[2.0]]))\n"
                "state = np.zeros((1, 1)), c\nfor _ in range(20):\n    state = cell(np.zeros((1, 1)), state)\n"
                "backward(state[1])\nround(float(c.grad[0, 0]), 1) > 0",
                True,
            ),
        ),
        (
            Wrong(
                "tanh of the state kept",
                "c itself is kept, without a tanh: the tanh belongs to what is shown, and to what is new.",
                ("sigmoid(forget) * c +", "sigmoid(forget) * tanh(c) +"),
            ),
            Wrong(
                "h and c exchanged",
                "h comes first, and then c: return sigmoid(show) * tanh(c), c.",
                ("return sigmoid(show) * tanh(c), c", "return c, sigmoid(show) * tanh(c)"),
            ),
            Wrong(
                "the old c is shown",
                "What is shown is made from the new c, not from the old one.",
                (
                    "        c = sigmoid(forget) * c + sigmoid(take) * tanh(new)\n        return sigmoid(show) * tanh(c), c",
                    "        kept = sigmoid(forget) * c + sigmoid(take) * tanh(new)\n        return sigmoid(show) * tanh(c), kept",
                ),
            ),
            Wrong(
                "forget turned round",
                "A forget gate of 1 keeps: c is multiplied by sigmoid(forget).",
                ("sigmoid(forget) * c", "(1 - sigmoid(forget)) * c"),
            ),
            Wrong(
                "one gate for both",
                "Keeping and taking are two gates: what is new is multiplied by sigmoid(take).",
                ("sigmoid(take) * tanh(new)", "(1 - sigmoid(forget)) * tanh(new)"),
            ),
            Wrong(
                "no gates",
                "The gates are numbers between 0 and 1: sigmoid of the sums.",
                ("sigmoid(forget) * c + sigmoid(take) * tanh(new)", "forget * c + take * tanh(new)"),
            ),
            Wrong(
                "neither sigmoid nor tanh",
                "The sums are used as they are: the three gates need sigmoid, and new needs tanh.",
                (
                    "        c = sigmoid(forget) * c + sigmoid(take) * tanh(new)\n        return sigmoid(show) * tanh(c), c",
                    "        c = forget * c + take * new\n        return show * tanh(c), c",
                ),
            ),
            Wrong(
                "no sigmoid",
                "The gates are numbers between 0 and 1: sigmoid of the sums, for all three.",
                (
                    "        c = sigmoid(forget) * c + sigmoid(take) * tanh(new)\n        return sigmoid(show) * tanh(c), c",
                    "        c = forget * c + take * tanh(new)\n        return show * tanh(c), c",
                ),
            ),
            Wrong(
                "the layer replaced",
                "The second call stops: self.h is a layer, and the first call replaces it. Return the new states, and keep them nowhere.",
                (
                    "        return sigmoid(show) * tanh(c), c",
                    "        self.h, self.c = sigmoid(show) * tanh(c), c\n        return self.h, self.c",
                ),
            ),
            Wrong(
                "no tanh on the new",
                "What is new goes through tanh before the gate.",
                ("sigmoid(take) * tanh(new)", "sigmoid(take) * new"),
            ),
            Wrong("sigmoid on the new", "new is no gate: it goes through tanh, not through sigmoid.", ("tanh(new)", "sigmoid(new)")),
            Wrong("both on the new", "new is no gate: it goes through tanh alone.", ("tanh(new)", "tanh(sigmoid(new))")),
            Wrong(
                "new of the gates",
                "new is the tanh of its own sum, the fourth. The gates do not go into it.",
                ("tanh(new)", "tanh(sigmoid(forget) + sigmoid(take) + sigmoid(show))"),
            ),
            Wrong(
                "new of the gates' sums",
                "new is the tanh of its own sum, the fourth. The gates do not go into it.",
                ("tanh(new)", "tanh(forget + take + show)"),
            ),
            Wrong(
                "new of a gate of all sums",
                "new is the tanh of its own sum, the fourth. The gates do not go into it.",
                ("tanh(new)", "tanh(sigmoid(forget + take + show))"),
            ),
            Wrong(
                "no tanh on the shown",
                "What is shown goes through tanh before its gate.",
                ("sigmoid(show) * tanh(c)", "sigmoid(show) * c"),
            ),
        ),
        stub='''
class LSTM:
    """Two states: h, which the cell shows, and c, where it keeps what the forget gate lets through."""

    def __init__(self, inputs, size, rng, forget=1.0):
        self.size = size
        self.x, self.h = Linear(inputs, 4 * size, rng), Linear(size, 4 * size, rng)
        self.h.bias.data[:size] = forget  # at first the forget gates let most through

    def __call__(self, x, state):
        h, c = state
        sums = self.x(x) + self.h(h)
        forget, take, show, new = (sums[:, i * self.size : (i + 1) * self.size] for i in range(4))
        return None
''',
    ),
)
