"""Lesson 23: what comes out of each layer."""

from ..plan import Piece, Probe, Wrong

TITLE = "Looking inside"

NET = """\
rng = np.random.default_rng(0)
net = Sequential(Linear(2, 5, rng), tanh, Linear(5, 3, rng))
outs = activations(net, np.ones((4, 2)))
%s"""

PARTS = (
    Piece(
        "23 activations",
        '''
def activations(net, x):
    """What comes out of each layer, as plain arrays."""
    outs = []
    for layer in net.layers:
        x = no_grad(layer, x)
        outs.append(x)
    return outs
''',
        (
            Probe(NET % "[out.shape for out in outs]", [(4, 5), (4, 5), (4, 3)]),
            Probe(NET % "type(outs[0]).__name__", "ndarray"),
            Probe(NET % "bool(np.allclose(outs[-1], net(np.ones((4, 2))).data))", True),
        ),
        (
            Wrong(
                "every layer gets the input",
                "Each layer gets the input. Give it what came out of the layer before.",
                ("x = no_grad(layer, x)\n        outs.append(x)", "outs.append(no_grad(layer, x))"),
            ),
            Wrong(
                "the whole net each time",
                "These are the results of the whole net. Hand x from layer to layer: go through net.layers.",
                ("x = no_grad(layer, x)\n        outs.append(x)", "outs.append(no_grad(net, x))"),
            ),
            Wrong(
                "the whole net",
                "This is the result of the whole net. Hand x from layer to layer: go through net.layers.",
                """
def activations(net, x):
    return no_grad(net, x)
""",
            ),
            Wrong(
                "return inside the loop",
                "Only the first result is returned: `return` stands inside the loop.",
                ("    return outs", "        return outs"),
            ),
            Wrong(
                "a generator",
                "The function uses `yield`. Collect the results in a list and return it.",
                ("    outs = []\n", ""),
                ("        outs.append(x)\n    return outs", "        yield x"),
            ),
            Wrong(
                "recorded",
                "The results are Tensors with their graphs. Use no_grad.",
                ("no_grad(layer, x)", "layer(x)"),
            ),
            Wrong(
                "the input too",
                "The first array is the input. Keep only what comes out of the layers.",
                ("    outs = []", "    outs = [x]"),
            ),
            Wrong(
                "the last only",
                "Only the last result is returned. Keep the result of each layer.",
                ("return outs", "return outs[-1:]"),
            ),
            Wrong(
                "the inputs",
                "These are the inputs of the layers. Keep what comes out.",
                ("x = no_grad(layer, x)\n        outs.append(x)", "outs.append(x)\n        x = no_grad(layer, x)"),
            ),
        ),
    ),
)
