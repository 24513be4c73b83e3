"""What you have after lesson 13: a network of arrays that chooses among ten digits, and its training."""
import numpy as np

import autodiff as ad


def start(seed):
    rng = np.random.default_rng(seed)
    W1 = ad.Tensor(rng.normal(size=(64, 32)) / 64**0.5)
    b1 = ad.Tensor(np.zeros(32))
    W2 = ad.Tensor(rng.normal(size=(32, 10)) / 32**0.5)
    b2 = ad.Tensor(np.zeros(10))
    return W1, b1, W2, b2


def network(parameters, x):
    W1, b1, W2, b2 = parameters
    hidden = (x @ W1 + b1).tanh()
    return hidden @ W2 + b2


def softmax(scores):
    powers = (scores - scores.max(axis=1, keepdims=True)).exp()
    return powers / powers.sum(axis=1, keepdims=True)


def cross_entropy(scores, targets):
    chances = softmax(scores)
    picked = chances[np.arange(len(targets)), targets]
    return -picked.log().mean()


def step(parameters, x, targets, rate=0.5):
    loss = cross_entropy(network(parameters, x), targets)
    loss.backward()
    for p in parameters:
        p -= rate * p.grad
    return loss.data


def train(parameters, x, targets, rng, rounds, size=50, step=step):
    losses = []
    for _ in range(rounds):
        shuffled = rng.permutation(len(x))
        for begin in range(0, len(x), size):
            batch = shuffled[begin : begin + size]
            losses.append(step(parameters, x[batch], targets[batch]))
    return losses


def read(parameters, x):
    with ad.no_grad():
        return network(parameters, x).data.argmax(axis=1)
