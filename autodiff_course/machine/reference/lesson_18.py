"""Lesson 18: layers."""

from ..plan import Piece, Probe, Wrong

TITLE = "Layers"

CHAIN = """\
rng = np.random.default_rng(0)
net = Sequential(Linear(2, 5, rng), tanh, Linear(5, 3, rng))
%s"""

PARTS = (
    Piece(
        "18 Linear",
        '''
class Linear:
    """A matrix product and a bias."""

    def __init__(self, inputs, outputs, rng):
        self.weight = Tensor(rng.normal(size=(inputs, outputs)) / inputs**0.5)
        self.bias = Tensor(np.zeros(outputs))

    def __call__(self, x):
        return x @ self.weight + self.bias
''',
        (
            Probe("Linear(3, 2, np.random.default_rng(0))(np.ones((4, 3))).shape", (4, 2)),
            Probe("layer = Linear(3, 2, np.random.default_rng(0))\nlayer.bias", "a Tensor with [0, 0]"),
            Probe("len(parameters(Linear(3, 2, np.random.default_rng(0))))", 2),
            Probe("layer = Linear(3, 2, np.random.default_rng(0))\nlayer.weight.shape", (3, 2)),
            Probe("layer = Linear(3, 2, np.random.default_rng(0))\nlayer.weight.creators", ()),
            Probe(
                "first, second = (Linear(3, 2, np.random.default_rng(0)) for _ in range(2))\nbool(np.all(first.weight.data == second.weight.data))",
                True,
            ),
            Probe(
                "layer = Linear(3, 2, np.random.default_rng(0))\nbackward(layer(np.ones((4, 3))))\nlayer.bias.grad",
                [4.0, 4.0],
            ),
            Probe(
                "layer = Linear(400, 100, np.random.default_rng(0))\nround(float(np.std(layer(np.ones((1, 400))).data)))",
                1,
            ),
        ),
        (
            Wrong(
                "weights too large",
                "The sums spread about 20 wide. Divide the weights by the square root of the number of inputs.",
                (" / inputs**0.5", ""),
            ),
            Wrong(
                "divided by the inputs",
                "The sums hardly spread at all. Draw random weights, and divide them by the square root of the number of inputs.",
                ("/ inputs**0.5", "/ inputs"),
            ),
            Wrong(
                "weights of 0",
                "The sums hardly spread at all. Draw random weights, and divide them by the square root of the number of inputs.",
                ("rng.normal(size=(inputs, outputs))", "np.zeros((inputs, outputs))"),
            ),
            Wrong(
                "divided by the root of the outputs",
                "The sums spread too wide. A sum has as many parts as there are inputs: divide by the root of their number.",
                ("/ inputs**0.5", "/ outputs**0.5"),
            ),
            Wrong(
                "a plain weight",
                "A weight that is a plain array is never trained. Make it a Tensor.",
                (
                    "Tensor(rng.normal(size=(inputs, outputs)) / inputs**0.5)",
                    "rng.normal(size=(inputs, outputs)) / inputs**0.5",
                ),
            ),
            Wrong(
                "inputs and outputs exchanged",
                "The shapes do not fit: the weight has the shape (inputs, outputs).",
                ("size=(inputs, outputs)", "size=(outputs, inputs)"),
            ),
            Wrong(
                "a plain bias",
                "A bias that is a plain array is never trained. Make it a Tensor.",
                ("Tensor(np.zeros(outputs))", "np.zeros(outputs)\n        self.bias_data = self.bias"),
            ),
            Wrong(
                "a list in the bias",
                "This bias holds a Python list, and a list has no shape: all its numbers get one gradient together. "
                "Write Tensor(np.zeros(outputs)).",
                ("np.zeros(outputs)", "[0.0] * outputs"),
            ),
            Wrong(
                "a table in the bias",
                "This bias has two axes, a table with one row. Its shape is (outputs,): write np.zeros(outputs).",
                ("np.zeros(outputs)", "np.zeros((1, outputs))"),
            ),
            Wrong(
                "one bias for all outputs",
                "All outputs share one bias here. Each output has its own: write np.zeros(outputs).",
                ("np.zeros(outputs)", "0.0"),
            ),
            Wrong(
                "PyTorch's order of the axes",
                "PyTorch keeps its weight the other way round. Here it has the shape (inputs, outputs), and no transpose is needed.",
                ("size=(inputs, outputs)", "size=(outputs, inputs)"),
                ("x @ self.weight", "x @ self.weight.T"),
            ),
            Wrong(
                "divides the Tensor",
                "This weight was computed from another Tensor, so it is not a leaf. Divide the array, and make a Tensor of the result.",
                (
                    "Tensor(rng.normal(size=(inputs, outputs)) / inputs**0.5)",
                    "Tensor(rng.normal(size=(inputs, outputs))) / inputs**0.5",
                ),
            ),
            Wrong(
                "another generator",
                "Two generators with the same seed give different weights. Draw from the argument rng.",
                ("rng.normal", "np.random.default_rng().normal"),
            ),
            Wrong(
                "a random bias", "The bias starts at 0.", ("np.zeros(outputs)", "rng.normal(size=outputs)")
            ),
        ),
        open=("__init__",),
    ),
    Piece(
        "18 Sequential",
        '''
class Sequential:
    """Layers one after the other. A plain function may stand among them."""

    def __init__(self, *layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
''',
        (
            Probe("Sequential(lambda x: x + 1, lambda x: x * 10)(2)", 30),
            Probe(CHAIN % "net(np.ones((4, 2))).shape", (4, 3)),
            Probe(CHAIN % "len(parameters(net))", 4),
            Probe("Sequential()(7)", 7),
        ),
        (
            Wrong(
                "the result is not kept",
                "A layer does not change x. It returns its result: write x = layer(x).",
                ("x = layer(x)", "layer(x)"),
            ),
            Wrong(
                "every layer gets the input",
                "The second layer gets the input again. Give it the result of the first.",
                (
                    "            x = layer(x)\n        return x",
                    "            out = layer(x)\n        return out",
                ),
            ),
            Wrong(
                "return inside the loop",
                "It stops after the first layer: return is inside the loop.",
                ("        return x", "            return x"),
            ),
            Wrong(
                "two layers only",
                "Not all layers are called. There may be any number of them: write a loop.",
                (
                    "        for layer in self.layers:\n            x = layer(x)\n        return x",
                    "        return self.layers[1](self.layers[0](x))",
                ),
            ),
            Wrong(
                "backwards",
                "The layers run in the wrong order: the first one comes first.",
                ("in self.layers", "in self.layers[::-1]"),
            ),
            Wrong(
                "the last layer only",
                "Only the last layer is used.",
                (
                    "        for layer in self.layers:\n            x = layer(x)\n        return x",
                    "        return self.layers[-1](x) if self.layers else x",
                ),
            ),
        ),
        open=("__call__",),
    ),
)
