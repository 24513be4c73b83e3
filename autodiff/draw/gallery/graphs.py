"""The graphs of the gallery: from one number to networks, and all that is hard to draw.

Each function records a graph and returns a camera's picture of it, which has the names of its variables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff as ad

GRAPHS: list[tuple[str, Callable[[], Any]]] = []
"""The titles of the pictures, and the functions that make them."""


def entry(make: Callable[[], Any]) -> Callable[[], Any]:
    """Put a function into the gallery, under the title that its docstring is."""
    GRAPHS.append(((make.__doc__ or "").removesuffix("."), make))
    return make


def number(seed: int, *shape: int) -> Any:
    """Random numbers, the same in every run."""
    return np.random.default_rng(seed).normal(size=shape or None)


def the_22() -> Any:
    """The graph of the first lessons, after its backward pass; the gradient of a is 22."""
    a = ad.Tensor(2.0, name="a")
    b = ad.mul(a, 3.0)
    c = a + 2.0
    d = b + 4.0
    e = c * d
    for name, tensor in zip("bcde", (b, c, d, e)):
        tensor.name = name
    e.backward()
    return e


@entry
def leaf() -> Any:
    """A single leaf."""
    x = ad.Tensor(3.0)
    return ad.draw(x)


@entry
def three() -> Any:
    """Three nodes: c = a + b."""
    a, b = ad.Tensor(2.0), ad.Tensor(3.0)
    c = a + b
    return ad.draw(c)


@entry
def graph_of_22() -> Any:
    """The graph of 22."""
    return ad.draw(the_22())


@entry
def graph_of_22_spread() -> Any:
    """The graph of 22, spread out, with local slopes."""
    return ad.draw(the_22(), style="spread", slopes=True)


@entry
def graph_of_22_path() -> Any:
    """The graph of 22, with symbols on its edges and a path highlighted."""
    return ad.draw(the_22(), slopes="symbol", highlight=("a", "e"), title="From a to e")


@entry
def graph_of_22_down() -> Any:
    """The graph of 22, from top to bottom."""
    return ad.draw(the_22(), direction="TB", arrows="both")


@entry
def way_back() -> Any:
    """The way of the gradient."""
    return ad.draw(the_22(), arrows="backward")


@entry
def constants() -> Any:
    """Constants in boxes of their own."""
    return ad.draw(the_22(), constants="shown")


@entry
def twice() -> Any:
    """One operand twice: x * x."""
    x = ad.Tensor(3.0)
    y = x * x
    y.backward()
    return ad.draw(y, slopes=True)


@entry
def chain_10() -> Any:
    """A chain of ten."""
    x = ad.Tensor(0.5)
    y = x
    for _ in range(5):
        y = ad.tanh(y * 1.5)
    y.backward()
    return ad.draw(y)


@entry
def chain_30() -> Any:
    """A chain of thirty."""
    x = ad.Tensor(1.0)
    y = x
    for _ in range(15):
        y = y * 1.1 + 0.1
    y.backward()
    return ad.draw(y)


@entry
def loop_40() -> Any:
    """A loop of forty rounds, folded."""
    x, w = ad.Tensor(1.0), ad.Tensor(0.9)
    h = x
    for _ in range(40):
        h = ad.tanh(h * w + x)
    h.backward()
    return ad.draw(h, fold=True)


@entry
def loop_10_scopes() -> Any:
    """A loop of ten rounds with a shared weight, each in a scope of its own."""
    x, w = ad.Tensor(1.0), ad.Tensor(0.9)
    h = x
    for step in range(10):
        with ad.scope(f"step {step}"):
            h = ad.tanh(h * w + x)
    h.backward()
    return ad.draw(h)


@entry
def loop_10() -> Any:
    """A loop of ten rounds, unfolded."""
    x, w = ad.Tensor(1.0), ad.Tensor(0.9)
    h = x
    for _ in range(10):
        h = ad.tanh(h * w)
    h.backward()
    return ad.draw(h, fold=False)


@entry
def many() -> Any:
    """Two hundred nodes without a pattern."""
    rng = np.random.default_rng(1)
    pool = [ad.Tensor(float(x)) for x in rng.normal(size=6)]
    for _ in range(200):
        i, j = rng.integers(len(pool) - 6, len(pool), size=2)
        pool.append(pool[i] * pool[j] if rng.random() < 0.5 else pool[i] + pool[j])
    return ad.draw(pool[-1])


@entry
def forty() -> Any:
    """Forty nodes, ten of them leaves."""
    rng = np.random.default_rng(2)
    pool = [ad.Tensor(float(x)) for x in rng.normal(size=10)]
    for k in range(30):
        pool.append(pool[k] + pool[rng.integers(k + 1, len(pool))])
    pool[-1].backward()
    return ad.draw(pool[-1])


def neuron(inputs: Any, weights: Any, bias: Any) -> Any:
    """The weighted sum of the inputs, through tanh."""
    total = bias
    for x, w in zip(inputs, weights):
        total = total + x * w
    return ad.tanh(total)


@entry
def one_neuron() -> Any:
    """A neuron of numbers."""
    x1, x2 = ad.Tensor(2.0, requires_grad=False), ad.Tensor(-1.0, requires_grad=False)
    w1, w2, b = ad.Tensor(0.5), ad.Tensor(-0.3), ad.Tensor(0.1)
    out = neuron((x1, x2), (w1, w2), b)
    out.backward()
    return ad.draw(out)


@entry
def sixteen_neurons() -> Any:
    """A network of numbers: sixteen neurons, each in its scope."""
    x1, x2 = ad.Tensor(2.0, requires_grad=False), ad.Tensor(-1.0, requires_grad=False)
    hidden = []
    for k in range(16):
        with ad.scope(f"neuron {k}"):
            weights = [ad.Tensor(x) for x in number(k, 2)]
            hidden.append(neuron((x1, x2), weights, ad.Tensor(0.0)))
    with ad.scope("output"):
        out = neuron(hidden, [ad.Tensor(x) for x in number(99, 16)], ad.Tensor(0.0))
    return ad.draw(out)


@entry
def matrix_vector() -> Any:
    """A matrix times a vector."""
    W = ad.Tensor([[1.0, 2.0, 3.0], [-1.0, 0.0, 0.5]])
    x = ad.Tensor([1.0, -2.0, 0.5])
    y = W @ x
    total = y.sum()
    total.backward()
    return ad.draw(total)


@entry
def broadcasting() -> Any:
    """Broadcasting: (3, 1) + (4,)."""
    column = ad.Tensor([[10.0], [20.0], [30.0]])
    line = ad.Tensor([1.0, 2.0, 3.0, 4.0])
    table = column + line
    total = (table * table).sum()
    total.backward()
    return ad.draw(total)


def layered(count: int, width: int = 8) -> Any:
    """A network of some layers, each in a scope, after a backward pass."""
    x = ad.Tensor(number(0, 5, width), requires_grad=False, name="x")
    for k in range(count):
        with ad.scope(f"layer {k + 1}"):
            W = ad.Tensor(0.4 * number(k + 1, width, width), name=f"W{k + 1}")
            b = ad.Tensor(np.zeros(width), name=f"b{k + 1}")
            x = ad.tanh(x @ W + b)
    loss = (x * x).mean()
    loss.name = "loss"
    loss.backward()
    return loss


@entry
def five_layers() -> Any:
    """Five layers, open."""
    return ad.draw(layered(5), depth=1)


@entry
def five_layers_closed() -> Any:
    """Five layers, closed."""
    return ad.draw(layered(5), depth=0)


@entry
def vanishing() -> Any:
    """A gradient that vanishes over twelve layers."""
    x = ad.Tensor(number(0, 4, 8), name="x")
    for k in range(12):
        x = ad.tanh(x @ ad.Tensor(0.15 * number(k + 1, 8, 8), name=f"W{k + 1}"))
    loss = x.sum()
    loss.backward()
    return ad.draw(loss)


@entry
def digits() -> Any:
    """Digits: 784 to 50 to 10, and cross-entropy."""
    pictures = ad.Tensor(np.abs(number(1, 32, 784)), requires_grad=False)
    W1, b1 = ad.Tensor(0.05 * number(2, 784, 50)), ad.Tensor(np.zeros(50))
    W2, b2 = ad.Tensor(0.2 * number(3, 50, 10)), ad.Tensor(np.zeros(10))
    hidden = ad.relu(pictures @ W1 + b1)
    scores = hidden @ W2 + b2
    log_probabilities = ad.log_softmax(scores, axis=-1)
    loss = -log_probabilities[np.arange(32), np.arange(32) % 10].mean()
    loss.backward()
    return ad.draw(loss)


@entry
def second() -> Any:
    """A second derivative."""
    x = ad.Tensor(2.0)
    y = x**3
    y.backward(create_graph=True)
    slope = x.grad
    return ad.draw(slope)


@entry
def second_sum() -> Any:
    """Gradients of gradients: an outer sum."""
    x = ad.Tensor([1.0, 2.0])
    y = (x * x * x).sum()
    y.backward(create_graph=True)
    slope: Any = x.grad
    penalty = (slope * slope).sum()
    return ad.draw(penalty)


@entry
def nan_born() -> Any:
    """Where nan is born."""
    a = ad.Tensor(0.0)
    b = ad.log(a)
    c = b * a
    d = c + 1.0
    return ad.draw(d)


@entry
def nan_array() -> Any:
    """An array with nan and inf in it."""
    x = ad.Tensor([1.0, 0.0, -1.0])
    y = ad.log(x)
    z = (y * 2.0).sum()
    return ad.draw(z)


@entry
def extremes() -> Any:
    """Tiny and huge numbers."""
    a, b = ad.Tensor(1.234567e-12), ad.Tensor(-9.87654321e17)
    c = a * b
    d = c - 123456.789
    d.backward()
    return ad.draw(d, slopes=True)


@entry
def zeros() -> Any:
    """Negative zero, whole numbers and thirds."""
    a, b = ad.Tensor(-0.0), ad.Tensor(1 / 3)
    c = a * b
    d = c + 65536.0
    d.backward()
    return ad.draw(d)


@entry
def long_names() -> Any:
    """Long names."""
    the_weight_of_the_first_input = ad.Tensor(1.0)
    learning_rate_after_the_warm_up_steps = ad.Tensor(2.0)
    total_of_everything = the_weight_of_the_first_input * learning_rate_after_the_warm_up_steps
    return ad.draw(total_of_everything)


@entry
def scripts() -> Any:
    """Names in other scripts, and with signs in them."""
    a = ad.Tensor(1.0, name="größe")
    b = ad.Tensor(2.0, name="重み")
    c = ad.Tensor(3.0, name='<b>"&\\n')
    return ad.draw(a * b + c)


@entry
def nameless() -> Any:
    """Nodes without names."""
    return ad.draw((ad.Tensor(2.0) - ad.Tensor(5.0)) / (3.0 - ad.exp(ad.Tensor(1.0))))


@entry
def half_named() -> Any:
    """Only part of the operands named."""
    a = ad.Tensor(2.0)
    y = (a + ad.Tensor(1.0)) * ad.maximum(a, 0.0)
    return ad.draw(y)


@entry
def attention() -> Any:
    """Attention of four words."""
    words = ad.Tensor(number(5, 4, 3))
    Wq, Wk, Wv = (ad.Tensor(number(k, 3, 3)) for k in (6, 7, 8))
    q, k, v = words @ Wq, words @ Wk, words @ Wv
    weights = ad.softmax(q @ k.T / np.sqrt(3), axis=-1)
    out = (weights @ v).sum()
    out.backward()
    return ad.draw(out)


@entry
def convolution() -> Any:
    """Convolution of pictures."""
    pictures = ad.Tensor(number(1, 2, 1, 8, 8), requires_grad=False)
    filters = ad.Tensor(number(2, 3, 1, 3, 3))
    maps = ad.relu(ad.conv2d(pictures, filters))
    loss = maps.mean()
    loss.backward()
    return ad.draw(loss)


@entry
def facts() -> Any:
    """Shape, dtype and statistics."""
    x = ad.Tensor(number(4, 6, 7).astype(np.float32))
    y = ad.exp(x).sum(axis=0)
    return ad.draw(y, show=("shape", "dtype", "statistics"))


@entry
def last_twelve() -> Any:
    """The last twelve of a chain of a hundred."""
    x = ad.Tensor(1.0)
    y = x
    for _ in range(50):
        y = y * 1.01 + 0.01
    return ad.draw(y, limit=12)


@entry
def other_types() -> Any:
    """Integers, truth values and a slice."""
    x = ad.Tensor([3.0, 1.0, 2.0])
    mask = np.array([True, False, True])
    y = ad.where(mask, x, 0.0)
    z = y[np.array([2, 0])].sum()
    return ad.draw(z)


@entry
def own_operation() -> Any:
    """An operation of one's own."""
    @ad.operation
    def gallery_cube(x: Any) -> Any:
        return x * x * x

    gallery_cube.backward(lambda grad, z, x: grad * 3 * x * x)
    x = ad.Tensor(2.0)
    y = gallery_cube(x) + x
    y.backward()
    return ad.draw(y, slopes=True)
