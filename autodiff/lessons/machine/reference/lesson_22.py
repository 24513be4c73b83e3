"""Lesson 22: the loop that trains any network."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "MNIST"

SMALL = """\
rng, first, rates = np.random.default_rng(0), [], []
net = Sequential(Linear(2, 3, rng))
optimizer = Optimizer(parameters(net), sgd, 0.1)

def spied_loss(out, targets):
    first.append(targets.tolist())
    return softmax_cross_entropy(out, targets %% 3)

x, targets = np.arange(14.0).reshape(7, 2) / 14, np.arange(7)
losses = train(net, optimizer, x, targets, 2, 3, rng, spied_loss%s)
%s"""

PARTS = (
    Piece(
        "22 train",
        '''
def train(net, optimizer, x, targets, epochs, size, rng, loss=softmax_cross_entropy, schedule=None):
    """Compute, walk back, step: over all batches, once in each epoch. Returns the losses."""
    losses, rate, steps = [], optimizer.rate, epochs * math.ceil(len(x) / size)
    for _ in range(epochs):
        for batch in batches(len(x), size, rng):
            optimizer.rate = rate * schedule(len(losses), steps) if schedule else rate
            end = loss(net(x[batch]), targets[batch])
            backward(end)
            optimizer.step()
            losses.append(float(end.data))
    optimizer.rate = rate
    return losses
''',
        (
            Probe(SMALL % ("", "len(losses), type(losses[0]).__name__"), (6, "float")),
            Probe(SMALL % ("", "net.layers[0].weight.data[0, 0] == np.random.default_rng(0).normal() / 2**0.5"), False),
            Probe(SMALL % ("", "sorted(t for batch in first[:3] for t in batch)"), [0, 1, 2, 3, 4, 5, 6]),
            Probe(SMALL % ("", "first[:3] == first[3:]"), False),
            Probe(SMALL % (", lambda t, steps: t + steps", "optimizer.rate"), 0.1),
            Probe(SMALL % (", lambda t, steps: rates.append([t, steps]) or 0.0", "rates[:2]"), [[0, 6], [1, 6]]),
        ),
        (
            Wrong(
                "one shuffle for all epochs",
                "The second epoch repeats the batches of the first. Shuffle anew in each epoch.",
                ("    for _ in range(epochs):\n        for batch in batches(len(x), size, rng):",
                 "    pieces = batches(len(x), size, rng)\n    for _ in range(epochs):\n        for batch in pieces:"),
            ),
            Wrong(
                "a loss of its own",
                "train is given a loss, and uses another one: call the argument `loss`.",
                ("loss(net(", "softmax_cross_entropy(net("),
            ),
            Wrong(
                "losses are kept as Tensors",
                "A Tensor holds its whole graph: after a thousand steps there are a thousand graphs. Keep the number.",
                ("float(end.data)", "end"),
            ),
            Wrong(
                "the step before the walk",
                "There is no gradient yet when the step is taken. Compute, walk back, then step.",
                ("            backward(end)\n            optimizer.step()", "            optimizer.step()\n            backward(end)"),
            ),
            Wrong(
                "no step",
                "The weights do not move: the optimizer takes no step.",
                ("            optimizer.step()\n", ""),
            ),
            Wrong(
                "one epoch",
                "There are too few losses: go through all batches once in each epoch.",
                ("for _ in range(epochs)", "for _ in range(1)"),
            ),
            Wrong(
                "steps rounded down",
                "The schedule hears of too few steps: the last, shorter batch of an epoch is a step as well. Round up.",
                ("math.ceil(len(x) / size)", "(len(x) // size)"),
            ),
            Wrong(
                "steps of one epoch",
                "The schedule hears of the steps of one epoch. It needs those of all epochs together.",
                ("epochs * math.ceil", "math.ceil"),
            ),
            Wrong(
                "the rate is not put back",
                "After training the optimizer has the rate of the last step. Put its own rate back.",
                ("    optimizer.rate = rate\n", ""),
            ),
            Wrong(
                "the schedule multiplies up",
                "The schedule is multiplied with the rate of the step before. Multiply it with the full rate.",
                ("rate * schedule(len(losses), steps) if schedule else rate", "optimizer.rate * schedule(len(losses), steps) if schedule else rate"),
                ("    optimizer.rate = rate\n", ""),
            ),
        ),
    ),
    Given(
        "22 count_right",
        '''
def count_right(net, x, targets):
    """How many rows get their largest score at the right place."""
    return int(np.sum(np.argmax(no_grad(net, x), axis=1) == targets))
''',
    ),
)
