"""Random graphs of array calls, for tests of the programs that are written from them."""

from __future__ import annotations

import numpy as np

from autodiff.compiling.graph import ProgramGraph
from autodiff.compiling.inference import ComputedPart

UNARY = ("tanh", "sin", "negative", "absolute", "positive", "square")
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "greater", "arctan2")
SHAPES = ((6, 4), (4, 6), (4,), (6, 1), (1, 4), (6, 4, 2), (2, 6, 4), (4, 4), (0, 4), (1,), ())


def itself(x):
    """A function that is called uncompiled and returns its argument."""
    return x


def backward(x):
    """A function that is called uncompiled and returns a view of its argument."""
    return x[::-1] if np.ndim(x) else np.array(x)


class RandomGraph:
    """A random graph with its inputs, its results, and the inputs that get new values."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.graph = ProgramGraph()
        self.inputs = []
        for place in range(self.rng.integers(1, 4)):
            dtype = self.choice((np.float64, np.float64, np.float32))
            self.inputs.append(self.graph.input(f"x{place}", self.choice(SHAPES), dtype))
        self.inputs.append(self.graph.input("rate", number=float))
        self.nodes = list(self.inputs)
        for _ in range(self.rng.integers(2, 20)):
            self.step()
        count = self.rng.integers(1, 6)
        self.results = [self.choice(self.nodes[-8:] + self.inputs) for _ in range(count)]
        self.updated, new = [], []
        for node in self.inputs[:-1]:
            kind = node.shape, node.dtype, None
            fitting = [n for n in self.nodes if (n.shape, n.dtype, n.number) == kind]
            if self.rng.random() < 0.5:
                self.updated.append(node)
                new.append(self.choice(fitting))
        self.results += new

    def choice(self, options):
        return options[self.rng.integers(len(options))]

    def step(self):
        try:
            node = self.choice(STEPS)(self)
        except (ValueError, IndexError):
            return
        if node.size <= 2000:
            self.nodes.append(node)

    def any(self):
        return self.choice(self.nodes[-6:] if self.rng.random() < 0.7 else self.nodes)

    def array(self, ndim=1):
        fitting = [node for node in self.nodes if len(node.shape) >= ndim and not node.number]
        if not fitting:
            raise ValueError
        return self.choice(fitting[-6:] if self.rng.random() < 0.7 else fitting)

    # -- steps ---------------------------------------------------------------------------------------------

    def unary(self):
        x = self.any()
        return self.graph.elementwise(self.choice(UNARY), x if x.dtype.kind == "f" else self.floats(x))

    def floats(self, x):
        return self.graph.astype(x, np.float64)

    def binary(self):
        x, y = self.any(), self.any()
        x, y = (self.floats(v) if v.dtype.kind == "b" else v for v in (x, y))
        return self.graph.elementwise(self.choice(BINARY), x, y)

    def with_number(self):
        number = self.graph.const(self.choice((2.0, 0.5, 1, 0, -1.0, np.inf)))
        x = self.array(0)
        args = (x, number) if self.rng.random() < 0.5 else (number, x)
        name = self.choice(("add", "subtract", "multiply", "maximum", "greater"))
        return self.graph.elementwise(name, *args)

    def where(self):
        x, y = self.any(), self.any()
        return self.graph.elementwise("where", self.graph.elementwise("greater", x, y), x, self.any())

    def reduce(self):
        x = self.array()
        x = self.floats(x) if x.dtype.kind == "b" else x
        count = self.rng.integers(1, len(x.shape) + 1)
        axes = tuple(int(a) for a in self.rng.permutation(len(x.shape))[:count])
        name = "add" if self.rng.random() < 0.7 or 0 in x.shape else "maximum"
        return self.graph.reduce(name, x, axes, bool(self.rng.random() < 0.3))

    def total_of_product(self):
        x, y = self.array(), self.array()
        return self.graph.reduce("add", self.graph.elementwise("multiply", x, y))

    def matmul(self):
        x, y = self.array(2), self.array(1)
        if "b" in (x.dtype.kind, y.dtype.kind):
            raise ValueError
        return self.graph.matmul(x, y)

    def view(self):
        x = self.array()
        kind = self.rng.integers(4)
        if kind == 0:
            return self.graph.transpose(x, self.rng.permutation(len(x.shape)))
        if kind == 1:
            shape = [-1] if self.rng.random() < 0.5 else x.shape[::-1]
            return self.graph.reshape(x, shape)
        if kind == 2:
            return self.graph.broadcast_to(x, (2, *x.shape))
        index = [slice(None, None, -1), slice(1, None), 0, None, slice(None, None, 2), Ellipsis]
        return self.graph.getitem(x, self.choice(index))

    def astype(self):
        return self.graph.astype(self.array(0), self.choice((np.float32, np.float64)))

    def join(self):
        x = self.array()
        fitting = [node for node in self.nodes if node.shape == x.shape and not node.number]
        parts = [x, *(self.choice(fitting) for _ in range(self.rng.integers(1, 3)))]
        return self.graph.join(self.choice(("stack", "concatenate")), parts, 0)

    def put(self):
        base = self.array()
        if self.rng.random() < 0.5:
            base = self.graph.full(base.shape, base.dtype.type(0))
        count = base.shape[0]
        index = self.choice((slice(1, None), 0, self.rng.integers(0, max(count, 1), 3)))
        like = self.graph.getitem(base, index)
        fitting = [n for n in self.nodes if n.shape in (like.shape, ()) and n.dtype == base.dtype]
        add = isinstance(index, np.ndarray)
        return self.graph.put(base, self.choice(fitting), index, add=add)

    def pick(self):
        x = self.array()
        if self.rng.random() < 0.5:
            return self.graph.getitem(x, self.rng.integers(0, x.shape[0], 3))
        if not x.size:
            raise ValueError
        place = self.graph.call(np.argmax, [self.graph.reshape(x, (-1,))], "argmax", np.int64(0))
        place = self.graph.elementwise("remainder", place, self.graph.const(x.shape[0]))
        return self.graph.getitem(x, ComputedPart(()), (place,))

    def call(self):
        x = self.array(0)
        function = self.choice((itself, backward))
        return self.graph.call(function, [x], function, np.empty(x.shape, x.dtype))

    def arrays(self):
        """Values for the inputs."""
        values = [np.asarray(self.rng.normal(size=node.shape), node.dtype) for node in self.inputs[:-1]]
        return [*values, float(self.rng.normal())]


STEPS = [
    *[RandomGraph.unary] * 3, *[RandomGraph.binary] * 4, *[RandomGraph.with_number] * 2, RandomGraph.where,
    *[RandomGraph.reduce] * 2, RandomGraph.total_of_product, *[RandomGraph.matmul] * 2,
    *[RandomGraph.view] * 3, RandomGraph.astype, RandomGraph.join, RandomGraph.put, RandomGraph.pick,
    RandomGraph.call,
]  # fmt: skip
