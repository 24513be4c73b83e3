"""Tensors that count how often a walk looks at their creators, so that an endless walk can be stopped."""

from ..checking import Mistake


class Patience:
    """A limit to the number of looks at creators in one graph, and the message for a walk that exceeds it."""

    def __init__(self, graph, looks=2_000, why="Does a loop of yours never end?"):
        self.graph, self.looks, self.left, self.why = graph, looks, looks, why

    def use(self):
        """Count one look. Raises Mistake when the limit is exceeded."""
        self.left -= 1
        if self.left < 0:
            raise Mistake(
                f"On {self.graph}, your code looked at creators more than {self.looks:,} times, and was "
                f"stopped. {self.why}"
            )


class Watched:
    """A Tensor with the four attributes of lesson 01 that counts each look at its creators."""

    def __init__(self, data, creators=None, creation_op=None, patience=None):
        self.data = data
        self.made_from = creators
        self.creation_op = creation_op
        self.grad = None
        self.patience = patience or Patience(f"the leaf {data}")

    @property
    def creators(self):
        """The two nodes that this one was made from, None for a leaf."""
        self.patience.use()
        return self.made_from

    def __add__(self, other):
        return Watched(self.data + other.data, (self, other), "add", self.patience)

    def __mul__(self, other):
        return Watched(self.data * other.data, (self, other), "mul", self.patience)

    def __repr__(self):
        return f"{self.data:.6g}"


def build(text, data):
    """Run the text of a calculation, which messages show; returns the leaf's name and all nodes by name."""
    leaf = text.split(";")[0].split("=")[1].split()[0]
    nodes = {leaf: Watched(data, patience=Patience(text))}
    exec(text, {}, nodes)
    return leaf, nodes


DOUBLED = "h = a + a, then h = h + h, 15 operations in all"


def doubled():
    """The leaf and the end of a graph with 16 nodes and 32,768 paths."""
    why = "There are 16 nodes and 32,768 paths: it walks every path by itself. Deal with each node once."
    leaf = end = Watched(1, patience=Patience(DOUBLED, why=why))
    for _ in range(15):
        end = end + end
    return leaf, end
