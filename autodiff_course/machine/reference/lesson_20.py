"""Lesson 20: optimizers, as rules that turn a gradient into a step."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "Optimizers"

THREE = "memory = {}\n[round(%s(%s, memory), 4) for _ in range(3)]"
DIFFERENT = "memory = {}\n[round(%s(g, memory), 4) for g in (1.0, 3.0, -1.0)]"
ARRAYS = "memory = {}\n[momentum(g * np.array([1.0, 2.0]), memory%s).round(4).tolist() for g in (%s)]"

PARTS = (
    Piece(
        "20 Optimizer",
        '''
class Optimizer:
    """Turns gradients into steps by a rule, with a memory for each parameter."""

    def __init__(self, parameters, rule, rate):
        self.memory = {p: {} for p in parameters}
        self.rule, self.rate = rule, rate

    def step(self):
        for p, memory in self.memory.items():
            p.data = p.data - self.rate * self.rule(p.grad, memory)
            p.grad = None
''',
        (
            Probe(
                "w = Tensor(1.0)\noptimizer = Optimizer([w], lambda grad, memory: grad, 0.1)\n"
                "backward(w * w)\noptimizer.step()\nround(w.data, 4), w.grad",
                (0.8, None),
            ),
            Probe(
                "w = Tensor(1.0)\noptimizer = Optimizer([w], lambda grad, memory: 5.0, 0.1)\n"
                "backward(w * w)\noptimizer.step()\nround(w.data, 4)",
                0.5,
            ),
            Probe(
                "def count(grad, memory):\n    memory['n'] = memory.get('n', 0) + 1\n    return memory['n']\n\n"
                "w, u = Tensor(1.0), Tensor(1.0)\noptimizer = Optimizer([w, u], count, 0.1)\n"
                "for _ in range(2):\n    backward(w * w + u * 3)\n    optimizer.step()\nround(w.data, 4), round(u.data, 4)",
                (0.7, 0.7),
            ),
            Probe(
                "w = Tensor(1.0)\noptimizer = Optimizer([w], lambda grad, memory: grad, 0.1)\n"
                "for _ in range(2):\n    backward(w * w)\n    optimizer.step()\nround(w.data, 4)",
                0.64,
            ),
            Probe(
                "start = np.array([1.0])\nw = Tensor(start)\noptimizer = Optimizer([w], lambda grad, memory: grad, 0.1)\n"
                "backward(w.sum())\noptimizer.step()\nstart",
                [1.0],
            ),
            Probe(  # lesson 21 changes the rate at each step
                "w = Tensor(1.0)\noptimizer = Optimizer([w], lambda grad, memory: 1.0, 0.2)\n"
                "optimizer.rate = 0.5\nbackward(w * w)\noptimizer.step()\nround(w.data, 4)",
                0.5,
            ),
        ),
        (
            Wrong(
                "an attribute that is not there",
                "The parameters are the keys of self.memory.",
                ("for p, memory in self.memory.items():", "for p, memory in zip(self.parameters, self.memory.values()):"),
            ),
            Wrong(
                "p moved in place of its data",
                "p is only a name in the loop: p = ... gives this name to something else, and changes no parameter. "
                "Set p.data.",
                ("p.data = p.data -", "p = p -"),
            ),
            Wrong(
                "p becomes its data",
                "p is only a name in the loop: p = ... gives this name to something else, and changes no parameter. "
                "Set p.data.",
                ("p.data = p.data -", "p = p.data -"),
            ),
            Wrong(
                "the memory of all",
                "The rule got the memories of all parameters. Give it the memory of this one: self.memory[p].",
                ("self.rule(p.grad, memory)", "self.rule(p.grad, self.memory)"),
            ),
            Wrong(
                "keys only",
                "A loop over a dict goes through its keys only. Write self.memory.items().",
                ("self.memory.items()", "self.memory"),
            ),
            Wrong(
                "gradients are not cleared",
                "The gradient is still there after the step, and would be added to the next one. Set it to None.",
                ("            p.grad = None", ""),
            ),
            Wrong(
                "one memory for all",
                "The second parameter finds the memory of the first. Each parameter has its own.",
                ("self.rule(p.grad, memory)", "self.rule(p.grad, self.__dict__.setdefault('shared', {}))"),
            ),
            Wrong(
                "a new memory each time",
                "The rule finds an empty memory at every step. Give it the memory of the parameter.",
                ("self.rule(p.grad, memory)", "self.rule(p.grad, {})"),
            ),
            Wrong(
                "the rule is not used",
                "The step is the gradient itself. Subtract the rate times what the rule returns.",
                ("self.rule(p.grad, memory)", "p.grad"),
            ),
            Wrong(
                "uphill",
                "The loss rises: a step goes against the gradient.",
                ("p.data - self.rate", "p.data + self.rate"),
            ),
            Wrong(
                "in place",
                "The old array itself was changed, and others may still hold it. Make a new one: p.data = p.data - ...",
                ("p.data = p.data - self.rate", "p.data -= self.rate"),
            ),
            Wrong(
                "no rate", "The step is not multiplied by the rate.", ("self.rate * self.rule", "self.rule")
            ),
            Wrong(
                "the rate written in",
                "0.1 is written in. Use self.rate, which each optimizer has for itself.",
                ("self.rate * self.rule", "0.1 * self.rule"),
            ),
            Wrong(
                "the rate of the beginning",
                "The step uses the rate of the beginning, although optimizer.rate has changed. Use self.rate in step.",
                ("self.rule, self.rate = rule, rate", "self.rule, self.rate, self.first = rule, rate, rate"),
                ("self.rate * self.rule", "self.first * self.rule"),
            ),
            Wrong(
                "the first parameter only",
                "Only the first parameter has moved. A return inside the loop ends it.",
                ("            p.grad = None", "            p.grad = None\n            return"),
            ),
            Wrong(
                "no memory for the rule",
                "A rule takes two arguments: the gradient and the memory of the parameter.",
                ("self.rule(p.grad, memory)", "self.rule(p.grad)"),
            ),
            Wrong(
                "cleared too early",
                "The gradient is cleared before the rule gets it. Clear it after the step.",
                ("            p.data = p.data -", "            p.grad = None\n            p.data = p.data -"),
            ),
            Wrong(
                "0 for None",
                "A gradient that is cleared is None, not 0.",
                ("p.grad = None", "p.grad = 0"),
            ),
        ),
        open=("step",),
    ),
    Given(
        "20 sgd",
        '''
def sgd(grad, memory):
    """Gradient descent: the step is the gradient."""
    return grad
''',
    ),
    Piece(
        "20 momentum",
        '''
def momentum(grad, memory, keep=0.9):
    """A step that keeps nine tenths of the last step."""
    memory["v"] = keep * memory.get("v", 0) + grad
    return memory["v"]
''',
        (
            Probe(ARRAYS % ("", "1, 1, 1"), [[1.0, 2.0], [1.9, 3.8], [2.71, 5.42]]),
            Probe(ARRAYS % ("", "1, 3, -1"), [[1.0, 2.0], [3.9, 7.8], [2.51, 5.02]]),
            Probe(ARRAYS % (", keep=0.5", "1, 1, 1"), [[1.0, 2.0], [1.5, 3.0], [1.75, 3.5]]),
            Probe(
                "grad, memory = np.array([1.0, 2.0]), {}\nmomentum(grad, memory)\nmomentum(grad, memory)\ngrad",
                [1.0, 2.0],
            ),
            Probe("memory = {}\nmomentum(2.0, memory)\nlen(memory) > 0", True),
        ),
        (
            Wrong(
                "nothing is kept",
                "Nothing is kept from step to step. Write into memory.",
                (
                    'memory["v"] = keep * memory.get("v", 0) + grad\n    return memory["v"]',
                    'return keep * memory.get("v", 0) + grad',
                ),
            ),
            Wrong(
                "the gradient is returned",
                "v is kept, and the gradient is returned. Return v.",
                ('return memory["v"]', "return grad"),
            ),
            Wrong(
                "a running mean",
                "This is a running mean. In momentum the whole gradient is added.",
                ('memory.get("v", 0) + grad', 'memory.get("v", 0) + (1 - keep) * grad'),
            ),
            Wrong(
                "everything is kept",
                "The whole last step is kept. Multiply it by keep.",
                ("keep * memory", "memory"),
            ),
            Wrong(
                "the gradient is multiplied, too",
                "The new gradient is multiplied by keep as well. Only the old v is: keep * v + grad.",
                ('keep * memory.get("v", 0) + grad', 'keep * (memory.get("v", 0) + grad)'),
            ),
            Wrong(
                "keeps the gradient",
                "It keeps the last gradient. Keep the last step.",
                (
                    'memory["v"] = keep * memory.get("v", 0) + grad\n    return memory["v"]',
                    'v = keep * memory.get("v", 0) + grad\n    memory["v"] = grad\n    return v',
                ),
            ),
            Wrong(
                "changes the gradient",
                "The array grad has changed: memory holds the same array, and += writes into it.",
                (
                    'memory["v"] = keep * memory.get("v", 0) + grad',
                    'if "v" not in memory:\n        memory["v"] = grad\n    else:\n        memory["v"] *= keep\n        memory["v"] += grad',
                ),
            ),
            Wrong(
                "adds to the gradient",
                "The array grad has changed: += writes into it. Make a new array: keep * v + grad.",
                (
                    'memory["v"] = keep * memory.get("v", 0) + grad\n    return memory["v"]',
                    'grad += keep * memory.get("v", 0)\n    memory["v"] = grad\n    return grad',
                ),
            ),
            Wrong(
                "no first step",
                'At the first step memory is empty. Write memory.get("v", 0) for the old velocity.',
                ('memory.get("v", 0)', 'memory["v"]'),
            ),
            Wrong(
                "0.9 written in",
                "keep is an argument. Use it in place of 0.9.",
                ("keep * memory", "0.9 * memory"),
            ),
            Wrong(
                "the gradient subtracted",
                "The sign is turned. Return keep * v + grad: it is the optimizer that goes against it.",
                ("+ grad", "- grad"),
            ),
            Wrong(
                "Nesterov",
                "That looks one step ahead, as Nesterov's rule does. Momentum's direction is v itself.",
                ('return memory["v"]', 'return grad + keep * memory["v"]'),
            ),
        ),
    ),
    Piece(
        "20 adam",
        '''
def adam(grad, memory, keep=0.9, keep_square=0.999):
    """The running mean of gradients, divided by the root of that of their squares."""
    t = memory["t"] = memory.get("t", 0) + 1
    m = memory["m"] = keep * memory.get("m", 0) + (1 - keep) * grad
    v = memory["v"] = keep_square * memory.get("v", 0) + (1 - keep_square) * grad**2
    return m / (1 - keep**t) / ((v / (1 - keep_square**t)) ** 0.5 + 1e-8)
''',
        (
            Probe(THREE % ("adam", "4.0"), [1.0, 1.0, 1.0]),
            Probe(THREE % ("adam", "-0.01"), [-1.0, -1.0, -1.0]),
            Probe(DIFFERENT % "adam", [1.0, 0.9178, 0.4837]),
            Probe("adam(0.0, {})", 0.0),
            Probe("round(adam(0.0001, {}), 4)", 0.9999),
            Probe(
                "memory = {}\n[round(adam(g, memory, keep=0.5, keep_square=0.8), 4) for g in (1.0, 3.0, -1.0)]",
                [1.0, 1.0, 0.2252],
            ),
            Probe(
                "memory = {}\n[adam(g * np.array([1.0, -10.0]), memory).round(4).tolist() for g in (1, 3, -1)]",
                [[1.0, -1.0], [0.9178, -0.9178], [0.4837, -0.4837]],
            ),
            Probe("grad = np.array([2.0, 3.0])\nadam(grad, {})\ngrad", [2.0, 3.0]),
            Probe("round((1 - adam(1.0, {})) * 1e8)", 1),
        ),
        (
            Wrong(
                "no correction",
                "The first steps have the wrong size: a running mean that begins at 0 is too small at first. "
                "Divide by 1 - keep**t.",
                ("m / (1 - keep**t) / ((v / (1 - keep_square**t)) ** 0.5 + 1e-8)", "m / (v**0.5 + 1e-8)"),
            ),
            Wrong(
                "m is not corrected",
                "Only v is corrected. Divide m by 1 - keep**t, too.",
                ("m / (1 - keep**t) / (", "m / ("),
            ),
            Wrong(
                "v is not corrected",
                "Only m is corrected. Divide v by 1 - keep_square**t, too.",
                ("(v / (1 - keep_square**t))", "v"),
            ),
            Wrong(
                "1e-8 under the root",
                "Take the root first, then add 1e-8.",
                ("((v / (1 - keep_square**t)) ** 0.5 + 1e-8)", "(v / (1 - keep_square**t) + 1e-8) ** 0.5"),
            ),
            Wrong(
                "1e-8 outside of the brackets",
                "1e-8 is added to the quotient here. Put the divisor in brackets: m / (root + 1e-8).",
                (
                    "/ ((v / (1 - keep_square**t)) ** 0.5 + 1e-8)",
                    "/ (v / (1 - keep_square**t)) ** 0.5 + 1e-8",
                ),
            ),
            Wrong(
                "1e-8 before the correction",
                "1e-8 comes last: correct v, take the root, and then add it.",
                (
                    "((v / (1 - keep_square**t)) ** 0.5 + 1e-8)",
                    "((v**0.5 + 1e-8) / (1 - keep_square**t) ** 0.5)",
                ),
            ),
            Wrong(
                "no root",
                "The steps depend on the size of the gradient, and they should not. Take the root of the mean square.",
                ("((v / (1 - keep_square**t)) ** 0.5 + 1e-8)", "(v / (1 - keep_square**t) + 1e-8)"),
            ),
            Wrong(
                "t begins at 0",
                "1 - keep**0 is 0, and here it divides. The first step has the number 1.",
                (
                    't = memory["t"] = memory.get("t", 0) + 1',
                    't = memory.get("t", 0)\n    memory["t"] = t + 1',
                ),
            ),
            Wrong(
                "t begins at 2",
                'The first step is corrected as if it were the second. Its number is 1: memory.get("t", 0) + 1.',
                ('memory.get("t", 0) + 1', 'memory.get("t", 1) + 1'),
            ),
            Wrong(
                "no factors before the new numbers",
                "The new gradient counts 1 - keep, and its square 1 - keep_square.",
                ("(1 - keep) * grad", "grad"),
                ("(1 - keep_square) * grad**2", "grad**2"),
            ),
            Wrong(
                "no factor before the gradient",
                "In m, the new gradient counts 1 - keep.",
                ("(1 - keep) * grad", "grad"),
            ),
            Wrong(
                "no factor before the square",
                "In v, the new square counts 1 - keep_square.",
                ("(1 - keep_square) * grad**2", "grad**2"),
            ),
            Wrong(
                "the square of the mean",
                "This is the square of the mean. The mean of the squares is asked for.",
                ("grad**2", "m**2"),
            ),
            Wrong(
                "t is not kept",
                "Each step is corrected as if it were the first. Write t into memory.",
                ('t = memory["t"] = memory.get("t", 0) + 1', "t = 1"),
            ),
            Wrong(
                "no 1e-8",
                "With a gradient of 0 it divides by 0. Add 1e-8 to the divisor.",
                (" ** 0.5 + 1e-8", " ** 0.5"),
            ),
            Wrong(
                "writes into its memory",
                "With an array, m /= ... writes into the memory, where the same array is kept. "
                "Make a new one: m / (1 - keep**t). The same holds for v.",
                (
                    "    return m / (1 - keep**t) / ((v / (1 - keep_square**t)) ** 0.5 + 1e-8)",
                    "    m /= 1 - keep**t\n    v /= 1 - keep_square**t\n    return m / (v**0.5 + 1e-8)",
                ),
            ),
            Wrong(
                "writes m into its memory",
                "With an array, m /= ... writes into the memory, where the same array is kept. "
                "Make a new one: m / (1 - keep**t).",
                ("    return m / (1 - keep**t)", "    m /= 1 - keep**t\n    return m"),
            ),
            Wrong(
                "0.9 and 0.999 written in",
                "keep and keep_square are arguments. Use them in place of 0.9 and 0.999.",
                ("keep * memory", "0.9 * memory"),
                ("(1 - keep) * grad", "(1 - 0.9) * grad"),
                ("keep_square * memory", "0.999 * memory"),
                ("(1 - keep_square) * grad", "(1 - 0.999) * grad"),
                ("1 - keep**t", "1 - 0.9**t"),
                ("1 - keep_square**t", "1 - 0.999**t"),
            ),
            Wrong(
                "changes the gradient",
                "The array grad has changed: **= writes into it. Write grad**2.",
                (
                    '    v = memory["v"] = keep_square * memory.get("v", 0) + (1 - keep_square) * grad**2',
                    '    grad **= 2\n    v = memory["v"] = keep_square * memory.get("v", 0) + (1 - keep_square) * grad',
                ),
            ),
            Wrong(
                "times t",
                "The correction is 1 - keep**t: keep to the power t, and not times t.",
                ("1 - keep**t", "1 - keep * t"),
                ("1 - keep_square**t", "1 - keep_square * t"),
            ),
            Wrong(
                "the size for the square",
                "v is the running mean of the squares, grad**2, and here it is that of the sizes.",
                ("grad**2", "abs(grad)"),
            ),
            Wrong(
                "one place for both",
                "m and v are kept under the same name in memory. Each needs its own.",
                (
                    'v = memory["v"] = keep_square * memory.get("v", 0)',
                    'v = memory["m"] = keep_square * memory.get("m", 0)',
                ),
            ),
            Wrong(
                "the corrected means are kept",
                "The corrected m and v went into memory. Keep them as they are, and correct them for the step only.",
                (
                    "    return m / (1 - keep**t) / ((v / (1 - keep_square**t)) ** 0.5 + 1e-8)",
                    (
                        '    m = memory["m"] = m / (1 - keep**t)\n    v = memory["v"] = v / (1 - keep_square**t)\n'
                        "    return m / (v**0.5 + 1e-8)"
                    ),
                ),
            ),
            Wrong(
                "the root before the correction",
                "Correct v first: divide it by 1 - keep_square**t, and then take the root.",
                ("((v / (1 - keep_square**t)) ** 0.5 + 1e-8)", "(v**0.5 / (1 - keep_square**t) + 1e-8)"),
            ),
            Wrong(
                "no first step",
                'At the first step memory is empty. Write memory.get("t", 0), and the same for m and v.',
                ('memory.get("t", 0)', 'memory["t"]'),
            ),
            Wrong(
                "no first m",
                'At the first step memory is empty. Write memory.get("m", 0), and the same for v.',
                ('memory.get("m", 0)', 'memory["m"]'),
            ),
        ),
    ),
)
