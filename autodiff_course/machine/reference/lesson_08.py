"""Lesson 08: a neuron, its parameters, and a step downhill."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "A neuron learns"

NEURON = """\
neuron = Neuron(2, np.random.default_rng(0))
neuron.weights[0].data, neuron.weights[1].data, neuron.bias.data = 2.0, 1.0, -1.5
round(float(neuron([%s]).data), 6)"""
STEPS = """\
w, b = Tensor(2.0), Tensor(-1.5)
for _ in range(%s):
    backward((tanh(w * 1 + b) - 1) ** 2)
    step([w, b], 0.5)
round(w.data, 4), round(b.data, 4), w.grad"""

PARTS = (
    Piece(
        "08 Neuron",
        '''
class Neuron:
    """A sum of weighted inputs and a bias, bent by tanh."""

    def __init__(self, inputs, rng):
        self.weights = [Tensor(rng.normal()) for _ in range(inputs)]
        self.bias = Tensor(0.0)

    def __call__(self, point):
        total = self.bias
        for weight, x in zip(self.weights, point):
            total = total + weight * x
        return tanh(total)
''',
        (
            Probe(NEURON % "1, 0", 0.462117),
            Probe(NEURON % "1, 2", 0.986614),
            Probe(
                "neuron = Neuron(2, np.random.default_rng(0))\nbackward(neuron([1, 2]))\n"
                "[p.grad is None for p in (*neuron.weights, neuron.bias)]",
                [False, False, False],
            ),
            Probe("neuron = Neuron(3, np.random.default_rng(0))\nlen(neuron.weights), neuron.bias.data", (3, 0.0)),
            Probe("neuron = Neuron(3, np.random.default_rng(0))\nround(float(neuron([1, 2, 3]).data), 6)", 0.944994),
            Probe(
                "neuron = Neuron(2, np.random.default_rng(0))\nfirst, second = neuron([1, 2]), neuron([1, 2])\n"
                "second.data == first.data",
                True,
            ),
        ),
        (
            Wrong("no tanh", "tanh is missing: the neuron returns tanh of the sum.", ("tanh(total)", "total")),
            Wrong("no bias", "The bias is missing: the sum begins with it.", ("total = self.bias", "total = 0")),
            Wrong(
                "tanh of each product",
                "Each product goes through tanh by itself. Add up first, then take tanh once.",
                ("total + weight * x", "total + tanh(weight * x)"),
                ("return tanh(total)", "return total"),
            ),
            Wrong(
                "the last product only",
                "Only the last product is left. Add each product to the total.",
                ("total = total + weight * x", "total = self.bias + weight * x"),
            ),
            Wrong(
                "return inside the loop",
                "It returns after the first weight: return stands inside the loop.",
                ("        return tanh", "            return tanh"),
            ),
            Wrong(
                "plain numbers",
                "It computes with the numbers alone, so no gradient comes back. Leave .data out.",
                ("total = self.bias", "total = self.bias.data"),
                ("weight * x", "weight.data * x"),
                ("tanh(total)", "Tensor(math.tanh(total))"),
            ),
            Wrong(
                "the weights as plain numbers",
                "The weights enter as plain numbers, so no gradient comes back to them. Leave .data out.",
                ("weight * x", "weight.data * x"),
            ),
            Wrong(
                "the bias as a plain number",
                "The bias enters as a plain number, so no gradient comes back to it. Leave .data out.",
                ("total = self.bias", "total = self.bias.data"),
            ),
            Wrong(
                "math.tanh",
                "math.tanh takes a plain number. Use the machine's own tanh.",
                ("return tanh(total)", "return math.tanh(total)"),
            ),
            Wrong(
                "math.tanh of the number",
                "It returns a plain number, from which nothing can be walked back. Take the machine's own tanh of the sum.",
                ("return tanh(total)", "return math.tanh(total.data)"),
            ),
            Wrong(
                "the last product alone",
                "Only the last product is left, and the bias is lost. Add each product to the total.",
                ("total = total + weight * x", "total = weight * x"),
            ),
            Wrong(
                "the whole point",
                "Each weight belongs to one input, and here it meets the whole list. Go through both with zip.",
                ("total + weight * x", "total + weight * point"),
            ),
            Wrong(
                "adds the input",
                "A weight is multiplied by its input, and here they are added.",
                ("weight * x", "weight + x"),
            ),
            Wrong(
                "two inputs only",
                "There are three weights, and two are used. Go through all of them with zip.",
                ("in zip(self.weights, point)", "in zip(self.weights[:2], point[:2])"),
            ),
            Wrong(
                "changes the bias",
                "The second call gives another answer, since the first has changed the neuron. Give the sum a name of its own.",
                ("        total = self.bias\n", ""),
                ("            total = total + weight * x", "            self.bias = self.bias + weight * x"),
                ("tanh(total)", "tanh(self.bias)"),
            ),
        ),
        open=("__call__",),
    ),
    Given(
        "08 Neurons",
        '''
class Neurons:
    """Several neurons side by side. All of them get the same point."""

    def __init__(self, inputs, outputs, rng):
        self.neurons = [Neuron(inputs, rng) for _ in range(outputs)]

    def __call__(self, point):
        return [neuron(point) for neuron in self.neurons]
''',
    ),
    Piece(
        "08 parameters",
        '''
def parameters(thing):
    """Every Tensor in a thing, in its parts and in their parts, each once."""
    if isinstance(thing, Tensor):
        return [thing]
    parts = thing if isinstance(thing, (list, tuple)) else getattr(thing, "__dict__", {}).values()
    return list(dict.fromkeys(p for part in parts for p in parameters(part)))
''',
        (
            Probe("p = Tensor(2)\n[found is p for found in parameters(p)]", [True]),
            Probe("len(parameters(Neuron(2, np.random.default_rng(0))))", 3),
            Probe("len(parameters(Neurons(2, 4, np.random.default_rng(0))))", 12),
            Probe("neuron = Neuron(2, np.random.default_rng(0))\nlen(parameters([neuron, neuron]))", 3),
            Probe("parameters([tanh, 3, 'name'])", []),
            Probe(
                "many = [Tensor(i % 5) for i in range(50)]\n"
                "mixed = [many[7 * i % 50] for i in range(50)]\n"
                "[p.data for p in parameters(mixed)] == [p.data for p in mixed]",
                True,
            ),
            Probe("p, q = Tensor(1), Tensor(2)\n[x.data for x in parameters((q, [p, q]))]", [2, 1]),
        ),
        (
            Wrong(
                "one level only",
                "The Tensors are in lists, and in parts of parts: parameters has to call parameters.",
                """
def parameters(thing):
    if isinstance(thing, Tensor):
        return [thing]
    return [p for p in vars(thing).values() if isinstance(p, Tensor)]
""",
            ),
            Wrong(
                "a Tensor itself",
                "For a Tensor the answer is a list with the Tensor in it: [thing].",
                ("return [thing]", "return thing"),
            ),
            Wrong(
                "a Tensor taken apart",
                "A Tensor is its own only parameter, and here it is taken apart.",
                ("    if isinstance(thing, Tensor):\n        return [thing]\n", ""),
            ),
            Wrong(
                "lists are not opened",
                "The weights are in a list. The parts of a list or a tuple are its elements.",
                ("thing if isinstance(thing, (list, tuple)) else ", ""),
            ),
            Wrong(
                "tuples are not opened",
                "A tuple has parts too, and here only a list is opened: ask for (list, tuple).",
                ("(list, tuple)", "list"),
            ),
            Wrong(
                "lists in lists",
                "parameters gives a list, and append puts that list in as one element. Take extend, or +=.",
                """
def parameters(thing):
    if isinstance(thing, Tensor):
        return [thing]
    found = []
    for part in thing if isinstance(thing, (list, tuple)) else getattr(thing, "__dict__", {}).values():
        found.append(parameters(part))
    return found
""",
            ),
            Wrong(
                "lists in a dict",
                "parameters gives a list, and append puts that list in as one element. Take extend, or +=.",
                """
def parameters(thing):
    if isinstance(thing, Tensor):
        return [thing]
    found = []
    for part in thing if isinstance(thing, (list, tuple)) else getattr(thing, "__dict__", {}).values():
        found.append(parameters(part))
    return list(dict.fromkeys(found))
""",
            ),
            Wrong(
                "prints",
                "The list is printed, and the function returns nothing: end with `return`.",
                ("return list(", "print("),
            ),
            Wrong(
                "an attribute that a list lacks",
                "A list has no attributes of its own: its parts are its elements.",
                ('thing if isinstance(thing, (list, tuple)) else getattr(thing, "__dict__", {}).values()', "thing.__dict__.values()"),
            ),
            Wrong(
                "an attribute that a number lacks",
                "A number or a function of NumPy has no __dict__: getattr(thing, '__dict__', {}) gives an empty one.",
                ('getattr(thing, "__dict__", {})', "thing.__dict__"),
            ),
            Wrong(
                "names in place of values",
                "Going through a dict gives its names. The parts are its values: take .values().",
                ('getattr(thing, "__dict__", {}).values()', 'getattr(thing, "__dict__", {})'),
            ),
            Wrong(
                "a neuron only",
                "It finds the Tensors of neurons only. The same function has to find them in anything.",
                "def parameters(thing):\n    return [*thing.weights, thing.bias]",
            ),
            Wrong(
                "a shared part twice",
                "A part that is used twice is listed twice, and would take two steps. List each Tensor once.",
                ("list(dict.fromkeys(p for part in parts for p in parameters(part)))", "[p for part in parts for p in parameters(part)]"),
            ),
            Wrong(
                "fails at a number",
                "A number or a function has no parts: its list is empty.",
                ('getattr(thing, "__dict__", {}).values()', "vars(thing).values()"),
            ),
            Wrong(
                "a list of a set",
                "A set has no order, and the parameters have to come in the same order each time.",
                ("dict.fromkeys(p for part in parts for p in parameters(part))", "set(p for part in parts for p in parameters(part))"),
            ),
            Wrong(
                "a set",
                "A set has no order, and the parameters have to come in the same order each time.",
                ("list(dict.fromkeys(p for part in parts for p in parameters(part)))", "set(p for part in parts for p in parameters(part))"),
            ),
        ),
    ),
    Piece(
        "08 step",
        '''
def step(tensors, rate):
    """Move each Tensor against its gradient, and clear the gradient."""
    for p in tensors:
        p.data = p.data - rate * p.grad
        p.grad = None
''',
        (
            Probe("w = Tensor(2.0)\nbackward(w * w)\nstep([w], 0.25)\nw.data, w.grad", (1.0, None)),
            Probe(STEPS % 1, (2.423, -1.077, None)),
            Probe(STEPS % 2, (2.4532, -1.0468, None)),
            Probe("w = Tensor(2.0)\nbackward(w * w)\nstep([w], 0.25)\nw.creators", ()),
            Probe("w = Tensor(0.0)\nbackward(w * w)\nstep([w], 0.25)\nw.data, w.grad", (0.0, None)),
        ),
        (
            Wrong("uphill", "The loss rises: a step goes against the gradient.", ("- rate", "+ rate")),
            Wrong("no rate", "The step is the rate times the gradient.", ("rate * p.grad", "p.grad")),
            Wrong(
                "the gradient alone",
                "The step takes something away from p.data, and here it replaces p.data.",
                ("p.data - rate * p.grad", "rate * p.grad"),
            ),
            Wrong(
                "cleared too early",
                "The gradient is None when the step needs it: clear it after the step.",
                ("        p.data = p.data", "        p.grad = None\n        p.data = p.data"),
            ),
            Wrong(
                "the first Tensor only",
                "Only the first Tensor takes a step: return stands inside the loop.",
                ("p.grad = None", "p.grad = None\n        return tensors"),
            ),
            Wrong(
                "gradients are not cleared",
                "The step is right and the gradient is still there; it would be added to the next one. Set it to None.",
                ("\n        p.grad = None", ""),
            ),
            Wrong(
                "the last gradient alone is cleared",
                "Only the gradient of the last Tensor is cleared: p.grad = None belongs inside the loop.",
                ("        p.grad = None", "    p.grad = None"),
            ),
            Wrong(
                "a new Tensor",
                "The Tensor that the network holds has not moved: here a new one is made. Change the data of each Tensor itself.",
                ("p.data = p.data - rate * p.grad\n        p.grad = None", "p = Tensor(p.data - rate * p.grad)"),
            ),
            Wrong(
                "a list of new Tensors",
                "The Tensor that the network holds has not moved: here a new one is made. Change the data of each Tensor itself.",
                "def step(tensors, rate):\n    return [Tensor(p.data - rate * p.grad) for p in tensors]",
            ),
            Wrong(
                "a rate typed in",
                "The rate is written into the function. Take the argument rate.",
                ("- rate *", "- 0.5 *"),
            ),
            Wrong(
                "a recorded step",
                "p.data is a Tensor now, so the graph grows with every step. Compute with p.data, a plain number.",
                ("p.data - rate", "p - rate"),
            ),
            Wrong(
                "asks the gradient",
                "From lesson 09 on, p.grad may be an array, and `if` cannot take an array for true or false. "
                "Leave the question out, or ask `is not None`.",
                (
                    "        p.data = p.data - rate * p.grad\n        p.grad = None",
                    "        if p.grad:\n            p.data = p.data - rate * p.grad\n            p.grad = None",
                ),
            ),
            Wrong(
                "cleared to 0",
                "A cleared gradient is None, as in a new Tensor. 0 would be a result.",
                ("p.grad = None", "p.grad = 0"),
            ),
        ),
    ),
)
