"""What you have after lesson 08: a network of numbers, and the loop that trains it."""

import autodiff as ad


class Neuron:
    def __init__(self, inputs, rng):
        self.weights = [ad.Tensor(rng.normal()) for _ in range(inputs)]
        self.bias = ad.Tensor(0)

    def __call__(self, point):
        total = self.bias
        for weight, x in zip(self.weights, point):
            total = total + weight * x
        return total.tanh()

    def parameters(self):
        return [*self.weights, self.bias]


class Network:
    def __init__(self, inputs, hidden, rng):
        self.hidden = [Neuron(inputs, rng) for _ in range(hidden)]
        self.last = Neuron(hidden, rng)

    def __call__(self, point):
        return self.last([neuron(point) for neuron in self.hidden])

    def parameters(self):
        neurons = [*self.hidden, self.last]
        return [p for neuron in neurons for p in neuron.parameters()]


def mean_loss(net, points, targets):
    total = 0
    for point, target in zip(points, targets):
        total = total + (net(point) - target) ** 2
    return total / len(points)


def count_right(net, points, targets):
    pairs = zip(points, targets)
    return sum((net(point).data > 0) == (target > 0) for point, target in pairs)


def train(net, points, targets, rate, steps):
    losses = []
    for _ in range(steps):
        loss = mean_loss(net, points, targets)
        loss.backward()
        for p in net.parameters():
            p.data -= rate * p.grad.data
            p.grad = None
        losses.append(loss.data)
    return losses
