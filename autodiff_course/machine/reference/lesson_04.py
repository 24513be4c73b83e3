"""Lesson 04: the first half of the first celebrated change: ``=`` becomes ``+=``."""

from ..plan import Piece, Probe, Wrong
from .lesson_03 import BY_HAND, NEW_RULE, NO_RULES

TITLE = "Paths that meet"

PARTS = (
    Piece(
        "04 backward",
        '''
def backward(node, grad=1):
    """Add the gradient that arrives, and pass a contribution to each creator."""
    z, *inputs = map(value, (node, *node.creators))
    node.grad = grad if node.grad is None else node.grad + grad
    for creator, rule in zip(node.creators, RULES[node.creation_op]):
        if isinstance(creator, Tensor):
            backward(creator, rule(grad, z, *inputs))
''',
        (
            Probe("a = Tensor(2)\nbackward((a + 2) * (a * 3 + 4))\na.grad", 22),
            Probe("a = Tensor(3)\nbackward(a + a)\na.grad", 2),
            Probe("x = Tensor(2)\nh = x * x\nbackward(h + h * h)\nx.grad", 36),
            Probe("x = Tensor(2)\nh = x * x\nbackward(h + h * h)\nh.grad", 9),
            Probe(NEW_RULE, (10, 1)),
        ),
        (
            Wrong(
                "the last contribution wins",
                "The second contribution takes the place of the first. Where paths meet, add.",
                ("grad if node.grad is None else node.grad + grad", "grad + 0"),
            ),
            Wrong(
                "passes on the sum",
                "h is reached several times, and each time it passes on its whole sum. Pass on only what arrives now.",
                ("rule(grad, z", "rule(node.grad, z"),
            ),
            Wrong(
                "adds to None",
                "The first time there is nothing to add to: node.grad is None then.",
                ("node.grad = grad if node.grad is None else node.grad + grad", "node.grad += grad"),
            ),
            Wrong(
                "adds to None, written out",
                "The first time there is nothing to add to: node.grad is None then.",
                ("grad if node.grad is None else node.grad + grad", "node.grad + grad"),
            ),
            Wrong(
                "0 in place of the first contribution",
                "The first contribution is lost: with nothing there yet, node.grad becomes grad, not 0.",
                ("grad if node.grad is None else node.grad + grad", "0 if node.grad is None else node.grad + grad"),
            ),
            Wrong(
                "multiplies the contributions",
                "Along a path slopes are multiplied, and where paths meet they are added.",
                ("node.grad + grad", "node.grad * grad"),
            ),
            Wrong(
                "counts the first contribution twice",
                "The first contribution is counted twice: with nothing there yet, node.grad becomes grad itself.",
                ("grad if node.grad is None else node.grad + grad", "grad + (node.grad if node.grad else grad)"),
            ),
            Wrong(
                "adds at the leaves only",
                "Here a node that was made from others keeps only what arrives last. Every node adds, not only the leaves.",
                (
                    "grad if node.grad is None else node.grad + grad",
                    "(node.grad or 0) + grad if not node.creators else grad",
                ),
            ),
            Wrong(
                "goes on to plain numbers",
                "A creator can be a plain number, and a plain number has no creators. Go on to Tensors only.",
                ("if isinstance(creator, Tensor):", "if True:"),
            ),
            Wrong(
                "the first contribution wins",
                "The first contribution is kept and the second is lost. Where paths meet, add.",
                ("else node.grad + grad", "else node.grad"),
            ),
            Wrong("both operations written out", NO_RULES, BY_HAND % "grad if node.grad is None else node.grad + grad"),
        ),
        stub='''
def backward(node, grad=1):
    """Add the gradient that arrives, and pass a contribution to each creator."""
    z, *inputs = map(value, (node, *node.creators))
    node.grad = grad  # change this line
    for creator, rule in zip(node.creators, RULES[node.creation_op]):
        if isinstance(creator, Tensor):
            backward(creator, rule(grad, z, *inputs))
''',
        replaces="03 backward",
    ),
)
