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

ONE_ROW = """\
spied, w = [], Tensor(np.ones((1, 2)))
optimizer = Optimizer([w], lambda grad, memory: spied.append(%s) or grad, 0.2)
train(lambda rows: rows @ w, optimizer, np.ones((3, 1)), np.array([0, 1, 0]), 1, 1, np.random.default_rng(0),
      lambda out, targets: out.sum()%s)
spied"""

MATCHED = """\
matched, w = [], Tensor(np.eye(6))
def share(out, targets):
    matched.append(value(out)[np.arange(len(targets)), targets].tolist())
    return out.sum()

train(lambda rows: rows @ w, Optimizer([w], sgd, 0.0), np.eye(6), np.arange(6), 1, 4, np.random.default_rng(1), share)
matched"""

ORDERS = """\
orders, w = [], Tensor(np.ones((1, 1)))
def noted(out, targets):
    orders.append(targets.tolist())
    return out.sum()

for seed in (0, 0, 1):
    optimizer, rng = Optimizer([w], sgd, 0.0), np.random.default_rng(seed)
    train(lambda rows: rows @ w, optimizer, np.ones((20, 1)), np.arange(20), 1, 20, rng, noted)
orders[0] == orders[1], orders[0] == orders[2]"""

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
            Probe(MATCHED, [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0]]),
            Probe(ONE_ROW % ("grad.tolist()", ""), [[[1.0, 1.0]]] * 3),
            Probe(
                SMALL % ("", "net.layers[0].weight.data[0, 0] == np.random.default_rng(0).normal() / 2**0.5"),
                False,
            ),
            Probe(SMALL % ("", "sorted(t for batch in first[:3] for t in batch)"), [0, 1, 2, 3, 4, 5, 6]),
            Probe(SMALL % ("", "first[:3] == first[3:]"), False),
            Probe(ORDERS, (True, False)),
            Probe(SMALL % (", lambda t, steps: t + 2", "optimizer.rate"), 0.1),
            Probe(
                SMALL % (", lambda t, steps: rates.append([t, steps]) or 0.0", "rates[:4]"),
                [[0, 6], [1, 6], [2, 6], [3, 6]],
            ),
            Probe(ONE_ROW % ("round(optimizer.rate, 3)", ", lambda t, steps: 1 / (1 + t)"), [0.2, 0.1, 0.067]),
        ),
        (
            Wrong(
                "one shuffle for all epochs",
                "The second epoch repeats the batches of the first. Shuffle again in each epoch: call batches inside the loop.",
                (
                    "    for _ in range(epochs):\n        for batch in batches(len(x), size, rng):",
                    "    pieces = batches(len(x), size, rng)\n    for _ in range(epochs):\n        for batch in pieces:",
                ),
            ),
            Wrong(
                "a generator of its own",
                "train gets a generator, but shuffles with another one. Hand its argument rng on to batches.",
                ("    losses, rate", "    rng = np.random.default_rng(0)\n    losses, rate"),
            ),
            Wrong(
                "a generator without a seed",
                "train gets a generator, but shuffles with another one. Hand its argument rng on to batches.",
                ("    losses, rate", "    rng = np.random.default_rng()\n    losses, rate"),
            ),
            Wrong(
                "all rows for each batch",
                "The rows and the targets of a step do not belong together: the batch has to pick from both.",
                ("net(x[batch])", "net(x)"),
            ),
            Wrong(
                "the whole table in each step",
                "All rows go into every step. Take the rows of the batch: x[batch] and targets[batch].",
                ("net(x[batch]), targets[batch]", "net(x), targets"),
            ),
            Wrong(
                "the first rows for each batch",
                "The rows and the targets of a step do not belong together: the batch has to pick from both.",
                ("net(x[batch])", "net(x[:len(batch)])"),
            ),
            Wrong(
                "rows in another order than their targets",
                "The rows and the targets of a step do not belong together: the batch has to pick from both.",
                ("net(x[batch])", "net(x[np.sort(batch)])"),
            ),
            Wrong(
                "all targets for each batch",
                "The rows and the targets of a step do not belong together: the batch has to pick from both.",
                ("targets[batch]", "targets"),
            ),
            Wrong(
                "targets before scores",
                "The loss takes the scores first, and then the targets.",
                ("loss(net(x[batch]), targets[batch])", "loss(targets[batch], net(x[batch]))"),
            ),
            Wrong(
                "two walks back",
                "The gradient is twice what it should be: walk back once for each step.",
                ("            backward(end)\n", "            backward(end)\n            backward(end)\n"),
            ),
            Wrong(
                "the schedule alone is the rate",
                "The schedule is a factor. Multiply the optimizer's own rate by it.",
                ("rate * schedule(", "schedule("),
            ),
            Wrong(
                "the schedule is added",
                "The schedule is a factor. Multiply the optimizer's own rate by it.",
                ("rate * schedule(", "rate + schedule("),
            ),
            Wrong(
                "what the schedule says is thrown away",
                "The schedule is asked, but the rate stays as it was: set optimizer.rate before the step.",
                ("optimizer.rate = rate * schedule(len(losses), steps) if schedule else rate", "_ = schedule and schedule(len(losses), steps)"),
            ),
            Wrong(
                "the rate is set after the step",
                "The rate comes one step late: set it before the step.",
                ("            optimizer.rate = rate * schedule(len(losses), steps) if schedule else rate\n", ""),
                ("            optimizer.step()\n", "            optimizer.step()\n            optimizer.rate = rate * schedule(len(losses), steps) if schedule else rate\n"),
            ),
            Wrong(
                "the schedule is not asked",
                "The schedule was never asked. Before each step, call it with the number of the step and the number of steps in all.",
                ("rate * schedule(len(losses), steps) if schedule else rate", "rate"),
            ),
            Wrong(
                "the steps are counted from 1",
                "The first step has the number 0: that is how many losses there are before it.",
                ("schedule(len(losses), steps)", "schedule(len(losses) + 1, steps)"),
            ),
            Wrong(
                "the steps are counted anew in each epoch",
                "The number of the step begins at 0 again in the second epoch. It goes on through all epochs: it is how many losses there are before it.",
                ("for batch in batches(len(x), size, rng)", "for i, batch in enumerate(batches(len(x), size, rng))"),
                ("schedule(len(losses), steps)", "schedule(i, steps)"),
            ),
            Wrong(
                "the number of the epoch",
                "The schedule gets the number of the epoch. It needs the number of the step, which is how many losses there are before it.",
                ("for _ in range(epochs)", "for epoch in range(epochs)"),
                ("schedule(len(losses), steps)", "schedule(epoch, steps)"),
            ),
            Wrong(
                "the loss has the name of its function",
                "`loss` is the function that was handed in. When a Tensor gets that name, the next step cannot call the function any more. Give the Tensor another name, such as end.",
                ("end = loss(", "loss = loss("),
                ("backward(end)", "backward(loss)"),
                ("float(end.data)", "float(loss.data)"),
            ),
            Wrong(
                "NumPy's number is kept",
                "Each loss is to be a plain number, and these are NumPy's. Write float(...) around each.",
                ("float(end.data)", "end.data"),
            ),
            Wrong(
                "one loss for each epoch",
                "There are too few losses. Keep one for each batch: append belongs inside the inner loop.",
                ("            losses.append(float(end.data))", "        losses.append(float(end.data))"),
            ),
            Wrong(
                "the last loss alone",
                "One loss came back. Return the list of all of them.",
                ("return losses", "return losses[-1]"),
            ),
            Wrong(
                "a loss of its own",
                "train gets a loss function as an argument, but uses another one: call `loss`.",
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
                (
                    "            backward(end)\n            optimizer.step()",
                    "            optimizer.step()\n            backward(end)",
                ),
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
                "The schedule gets too few steps: the last, shorter batch of an epoch is a step as well. Round up.",
                ("math.ceil(len(x) / size)", "(len(x) // size)"),
            ),
            Wrong(
                "rounded up once for all epochs",
                "The schedule gets too few steps: each epoch ends with a shorter batch of its own. Round up for one epoch first, and then multiply by epochs.",
                ("epochs * math.ceil(len(x) / size)", "math.ceil(epochs * len(x) / size)"),
            ),
            Wrong(
                "steps of one epoch",
                "The schedule gets the number of steps in one epoch. It needs the number in all epochs together.",
                ("epochs * math.ceil", "math.ceil"),
            ),
            Wrong(
                "the rate is not put back",
                "After training the optimizer has the rate of the last step. Put its own rate back.",
                ("    optimizer.rate = rate\n", ""),
            ),
            Wrong(
                "the rate of the lesson is put back",
                "After training the optimizer has another rate. Remember its own rate before the loop, and put it back after the loop.",
                ("    optimizer.rate = rate\n", "    optimizer.rate = 0.003\n"),
            ),
            Wrong(
                "the schedule multiplies up",
                "The schedule is multiplied by the rate of the step before. Multiply it by the full rate.",
                (
                    "rate * schedule(len(losses), steps) if schedule else rate",
                    "optimizer.rate * schedule(len(losses), steps) if schedule else rate",
                ),
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
