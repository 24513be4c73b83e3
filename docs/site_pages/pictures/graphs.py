"""The graphs of the gallery, from one number to networks. The names in a picture are those of variables."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators, disable-error-code="operator"
# ruff: noqa: F841, RUF059
# The functions are shown as readers write them: without hints, and with variables for a picture's names.

from __future__ import annotations

import numpy as np

import autodiff as ad

from .example import Part

FLOW = Part(
    "The gradient as a stream",
    "With `flow=True` the gradient flows back, and each stream is as wide as what it carries.",
)
MOVING = Part(
    "Films, explanations, comparisons and sliders",
    "`ad.film` shows a walk step by step, `ad.explain` why a gradient is what it is, `ad.compare` where a "
    "gradient is wrong, and `ad.slide` what changes while an input moves.",
)
NETWORKS = Part(
    "Arrays and networks",
    "A box shows the numbers of a small array, and the shape and the colours of a larger one.",
)
LOOPS = Part("Loops", "Each round of a loop adds its nodes to the graph.")
FOUND = Part("What a picture brings to light", "Values and gradients stand where they arise.")
MORE = Part(
    "Derivatives of derivatives, and operations of all kinds",
    "A walk back can be recorded like any other calculation.",
)
NUMBERS = Part("One graph in many ways", "`ad.draw` draws what was recorded, and its options choose how.")


def number(seed, *shape):
    """Random numbers, the same in every run."""
    return np.random.default_rng(seed).normal(size=shape or None)


def the_22():
    """Record (a + 2)(3a + 4), and walk back."""
    a = ad.Tensor(2)
    b = 3 * a
    c = a + 2
    d = b + 4
    e = c * d
    e.backward()
    return a, b, c, d, e


@FLOW
def flow_of_22():
    """Where the 22 comes from.

    e = (a + 2)(3a + 4) at a = 2. Two streams leave e, and 12 and 10 arrive in a.
    """
    a, b, c, d, e = the_22()
    return ad.draw(e, flow=True)


@FLOW
def flow_of_network():
    """How an error reaches every weight of a network.

    Two layers, four examples. Orange is above zero and blue below; the bias b2 gets the sum of all four.
    """
    x = ad.Tensor(number(0, 4, 3), requires_grad=False)
    W1, b1 = ad.Tensor(number(1, 3, 5)), ad.Tensor(np.zeros(5))
    W2, b2 = ad.Tensor(number(2, 5, 1)), ad.Tensor(np.zeros(1))
    h = ad.tanh(x @ W1 + b1)
    error = h @ W2 + b2 - 1
    loss = (error * error).mean()
    loss.backward()
    return ad.draw(loss, flow=True)


@NUMBERS
def leaf():
    """A single leaf.

    A number of your own, from which nothing has been computed yet.
    """
    x = ad.Tensor(3)
    return ad.draw(x)


@NUMBERS
def three():
    """Three nodes: c = a + b.

    Two leaves and a result. The arrows show which way the numbers go.
    """
    a, b = ad.Tensor(2), ad.Tensor(3)
    c = a + b
    return ad.draw(c)


@NUMBERS
def twice():
    """One operand twice: x * x.

    Two edges lead from x to y. Each has the local slope 3, and x's gradient is their sum.
    """
    x = ad.Tensor(3)
    y = x * x
    y.backward()
    return ad.draw(y, slopes=True)


@NUMBERS
def graph_of_22():
    """The graph of 22.

    The graph of the first lessons, after its walk back. Two paths lead from e to a, and a's gradient is 22.
    """
    a, b, c, d, e = the_22()
    return ad.draw(e)


@NUMBERS
def graph_of_22_spread():
    """The graph of 22, spread out, with local slopes.

    Each operation has a circle of its own. Along a path the local slopes are multiplied.
    """
    a, b, c, d, e = the_22()
    return ad.draw(e, style="spread", slopes=True)


@NUMBERS
def graph_of_22_path():
    """The graph of 22, with symbols on its edges and a path highlighted.

    What lies between a and e stands out.
    """
    a, b, c, d, e = the_22()
    return ad.draw(e, slopes="symbol", highlight=("a", "e"), title="From a to e")


@NUMBERS
def graph_of_22_down():
    """The graph of 22, from top to bottom.

    Numbers go down the arrows, and gradients come back up.
    """
    a, b, c, d, e = the_22()
    return ad.draw(e, direction="TB", arrows="both")


@NUMBERS
def way_back():
    """The way of the gradient.

    The same graph with its arrows turned round.
    """
    a, b, c, d, e = the_22()
    return ad.draw(e, arrows="backward")


@NUMBERS
def constants():
    """Constants in boxes of their own.

    The 3, the 2 and the 4 are constants: no gradient is wanted for them.
    """
    a, b, c, d, e = the_22()
    return ad.draw(e, constants="shown")


@MOVING
def film_of_22():
    """A film of the walk back.

    One operation after the other passes its gradient on. In a, 12 and 10 meet.
    """
    a, b, c, d, e = the_22()
    return ad.film(e)


@MOVING
def film_of_code():
    """A film beside its code.

    The line whose operation is at work is lit.
    """

    def f(a):
        b = 3 * a
        c = a + 2
        d = b + 4
        return c * d

    a = ad.Tensor(2)
    return ad.film(f)


@MOVING
def film_of_tangents():
    """A film of both directions.

    First a moves, and the film shows how fast everything moves with it. Then the gradients come back. Both
    end at 22.
    """
    a, b, c, d, e = the_22()
    return ad.film(e, moves={a: 1})


@MOVING
def why_22():
    """Why 22: an explanation.

    Every path from e back to a, with the product of its local slopes. The sum of the products is the
    gradient.
    """
    a, b, c, d, e = the_22()
    return ad.explain(e, a)


@MOVING
def wrong_gradient():
    """A gradient that is wrong, and where.

    Here somebody's own walk back has forgotten one of the two paths. `ad.compare` finds the first node, on
    the way back, whose gradient is not what the rules give.
    """
    a, b, c, d, e = the_22()
    a.grad = 12
    return ad.compare(e)


@MOVING
def slide_of_22():
    """A slider.

    The graph, and the curve with its tangent, while a moves from -3 to 3.
    """
    return ad.slide(lambda a: (a + 2) * (3 * a + 4), a=(-3, 3))


def neuron(inputs, weights, bias):
    """The weighted sum of the inputs, through tanh."""
    total = bias
    for x, w in zip(inputs, weights):
        total = total + x * w
    return ad.tanh(total)


@NETWORKS
def one_neuron():
    """A neuron of numbers.

    The inputs want no gradient, the weights and the bias do.
    """
    x1, x2 = ad.Tensor(2.0, requires_grad=False), ad.Tensor(-1.0, requires_grad=False)
    w1, w2, b = ad.Tensor(0.5), ad.Tensor(-0.3), ad.Tensor(0.1)
    out = neuron((x1, x2), (w1, w2), b)
    out.backward()
    return ad.draw(out)


@NETWORKS
def sixteen_neurons():
    """A network of numbers: sixteen neurons, each in its scope.

    A scope gives a part of the graph a name and a frame. In a large graph these are closed. `open=True` opens
    them, and of neurons that are alike the first is drawn.
    """
    x1, x2 = ad.Tensor(2.0, requires_grad=False), ad.Tensor(-1.0, requires_grad=False)
    hidden = []
    for k in range(16):
        with ad.scope(f"neuron {k}"):
            weights = [ad.Tensor(x) for x in number(k, 2)]
            hidden.append(neuron((x1, x2), weights, ad.Tensor(0.0)))
    with ad.scope("output"):
        out = neuron(hidden, [ad.Tensor(x) for x in number(99, 16)], ad.Tensor(0.0))
    return ad.draw(out, open=True)


@NETWORKS
def matrix_vector():
    """A matrix times a vector.

    The gradient of an array has the array's shape.
    """
    W = ad.Tensor([[1.0, 2.0, 3.0], [-1.0, 0.0, 0.5]])
    x = ad.Tensor([1.0, -2.0, 0.5])
    y = W @ x
    total = y.sum()
    total.backward()
    return ad.draw(total)


@NETWORKS
def broadcasting():
    """Broadcasting: (3, 1) + (4,).

    The column is used four times and the line three times: on the way back the gradients of all uses are
    summed.
    """
    column = ad.Tensor([[10.0], [20.0], [30.0]])
    line = ad.Tensor([1.0, 2.0, 3.0, 4.0])
    table = column + line
    total = (table * table).sum()
    total.backward()
    return ad.draw(total)


def layered(count):
    """A network of some layers, each in a scope, after a backward pass."""
    x = ad.Tensor(number(0, 5, 8), requires_grad=False, name="x")
    for k in range(count):
        with ad.scope(f"layer {k + 1}"):
            W = ad.Tensor(0.4 * number(k + 1, 8, 8), name=f"W{k + 1}")
            b = ad.Tensor(np.zeros(8), name=f"b{k + 1}")
            x = ad.tanh(x @ W + b)
    loss = (x * x).mean()
    loss.name = "loss"
    loss.backward()
    return loss


@NETWORKS
def five_layers_closed():
    """Five layers, closed.

    With `depth=0` each layer is a single box.
    """
    return ad.draw(layered(5), depth=0)


@NETWORKS
def five_layers():
    """Five layers, open.

    With `depth=1` the boxes show what is in them.
    """
    return ad.draw(layered(5), depth=1)


@NETWORKS
def digits():
    """Digits: 784 to 50 to 10, and cross-entropy.

    A network reads a batch of 32 pictures. Below the colours stand the smallest and the largest number.
    """
    pictures = ad.Tensor(np.abs(number(1, 32, 784)), requires_grad=False)
    W1, b1 = ad.Tensor(0.05 * number(2, 784, 50)), ad.Tensor(np.zeros(50))
    W2, b2 = ad.Tensor(0.2 * number(3, 50, 10)), ad.Tensor(np.zeros(10))
    hidden = ad.relu(pictures @ W1 + b1)
    scores = hidden @ W2 + b2
    log_probabilities = ad.log_softmax(scores, axis=-1)
    loss = -log_probabilities[np.arange(32), np.arange(32) % 10].mean()
    loss.backward()
    return ad.draw(loss)


@NETWORKS
def convolution():
    """Convolution of pictures.

    Three filters of 3 by 3 slide over two pictures of 8 by 8.
    """
    pictures = ad.Tensor(number(1, 2, 1, 8, 8), requires_grad=False)
    filters = ad.Tensor(number(2, 3, 1, 3, 3))
    maps = ad.relu(ad.conv2d(pictures, filters))
    loss = maps.mean()
    loss.backward()
    return ad.draw(loss)


@NETWORKS
def attention():
    """Attention of four words.

    The words are used three times: for the queries, the keys and the values.
    """
    words = ad.Tensor(number(5, 4, 3))
    Wq, Wk, Wv = (ad.Tensor(number(k, 3, 3)) for k in (6, 7, 8))
    q, k, v = words @ Wq, words @ Wk, words @ Wv
    weights = ad.softmax(q @ k.T / np.sqrt(3), axis=-1)
    out = (weights @ v).sum()
    out.backward()
    return ad.draw(out)


@LOOPS
def chain_10():
    """A chain of ten.

    Five rounds with two operations each. A row that is full goes on below.
    """
    x = ad.Tensor(0.5)
    y = x
    for _ in range(5):
        y = ad.tanh(y * 1.5)
    y.backward()
    return ad.draw(y)


@LOOPS
def loop_10():
    """A loop of ten rounds, unfolded.

    The weight w is used in every round. Where its box is far away, a small copy of it stands.
    """
    x, w = ad.Tensor(1.0), ad.Tensor(0.9)
    h = x
    for _ in range(10):
        h = ad.tanh(h * w)
    h.backward()
    return ad.draw(h, fold=False)


@LOOPS
def loop_10_scopes():
    """A loop of ten rounds with a shared weight, each in a scope of its own.

    Each round has a frame.
    """
    x, w = ad.Tensor(1.0), ad.Tensor(0.9)
    h = x
    for step in range(10):
        with ad.scope(f"step {step}"):
            h = ad.tanh(h * w + x)
    h.backward()
    return ad.draw(h)


@LOOPS
def loop_40():
    """A loop of forty rounds, folded.

    What is the same again and again becomes one box, which says how often.
    """
    x, w = ad.Tensor(1.0), ad.Tensor(0.9)
    h = x
    for _ in range(40):
        h = ad.tanh(h * w + x)
    h.backward()
    return ad.draw(h, fold=True)


@FOUND
def vanishing():
    """A gradient that vanishes over twelve layers.

    Below the colours of each gradient stands its range. On the way back it shrinks, from 1 at the last layer
    to 0.0001 at the first.
    """
    x = ad.Tensor(number(0, 4, 8), name="x")
    for k in range(12):
        x = ad.tanh(x @ ad.Tensor(0.15 * number(k + 1, 8, 8), name=f"W{k + 1}"))
    loss = x.sum()
    loss.backward()
    return ad.draw(loss)


@FOUND
def nan_born():
    """Where nan is born.

    The logarithm of 0 is minus infinity, and 0 times that is not a number. Where one of them arises, the box
    is red.
    """
    a = ad.Tensor(0.0)
    b = ad.log(a)
    c = b * a
    d = c + 1.0
    return ad.draw(d)


@FOUND
def nan_array():
    """An array with nan and inf in it.

    One nan is enough for the sum to be nan.
    """
    x = ad.Tensor([1.0, 0.0, -1.0])
    y = ad.log(x)
    z = (y * 2.0).sum()
    return ad.draw(z)


@FOUND
def facts():
    """Shape, dtype and statistics.

    `show` chooses what stands in a box.
    """
    x = ad.Tensor(number(4, 6, 7).astype(np.float32))
    y = ad.exp(x).sum(axis=0)
    return ad.draw(y, show=("shape", "dtype", "statistics"))


@MORE
def second():
    """A second derivative.

    The walk back over y = x³ was recorded, so the slope 3x² has a graph of its own.
    """
    x = ad.Tensor(2.0)
    y = x**3
    y.backward(create_graph=True)
    slope = x.grad
    return ad.draw(slope)


@MORE
def second_sum():
    """Gradients of gradients: an outer sum.

    A penalty on the size of a gradient, which can be walked back again.
    """
    x = ad.Tensor([1.0, 2.0])
    y = (x * x * x).sum()
    y.backward(create_graph=True)
    slope = x.grad
    penalty = (slope * slope).sum()
    return ad.draw(penalty)


@MORE
def other_types():
    """Integers, truth values and a slice.

    The mask and the indices are no part of the graph: x is its only leaf.
    """
    x = ad.Tensor([3.0, 1.0, 2.0])
    mask = np.array([True, False, True])
    y = ad.where(mask, x, 0.0)
    z = y[np.array([2, 0])].sum()
    return ad.draw(z)


@MORE
def own_operation():
    """An operation of one's own.

    Its forward, its rule, and a graph that uses it.
    """

    @ad.operation
    def cube(x):
        return x * x * x

    cube.backward(lambda grad, z, x: grad * 3 * x * x)
    x = ad.Tensor(2.0)
    y = cube(x) + x
    y.backward()
    return ad.draw(y, slopes=True)
