"""Calls in any order (operations, backward, zero_grad, in-place updates, no_grad, detach) against an engine
so naive that it cannot be wrong: it walks every single path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

import autodiff as ad
from autodiff import Tensor

NUMBERS = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 3.0])
ARRAYS = st.lists(NUMBERS, min_size=2, max_size=2).map(np.array)
DEEP = 6  # paths double with every sum of a node with itself


class Naive:
    """A value, the nodes it was made from with the slope by each, and what they were worth then."""

    def __init__(self, value, parents=(), wants=True):
        self.value = value
        self.parents = [(p, slope, p.changes) for p, slope in parents] if wants else []
        self.wants = wants
        self.grad = None
        self.changes = 0
        self.depth = 1 + max((p.depth for p, _ in parents), default=0)

    def is_stale(self):
        return any(p.changes != changes for p, _, changes in self.parents) or any(
            p.is_stale() for p, _, _ in self.parents if p.wants
        )

    def paths(self, grad, arrived):
        """Walk every path and add what it brings to what arrived."""
        arrived.setdefault(id(self), [self, 0.0])[1] += grad
        for parent, slope, _ in self.parents:
            if parent.wants:
                parent.paths(grad * slope, arrived)


class Calls(RuleBasedStateMachine):
    nodes = Bundle("nodes")  # pairs of our Tensor and the naive one

    def __init__(self):
        super().__init__()
        self.all = []

    def pair(self, tensor, naive):
        self.all.append((tensor, naive))
        return tensor, naive

    @initialize(target=nodes, number=NUMBERS, array=ARRAYS)
    def begin(self, number, array):
        return multiple(*(self.pair(Tensor(value), Naive(value)) for value in (number, array)))

    @rule(target=nodes, value=ARRAYS | NUMBERS, wants=st.booleans())
    def leaf(self, value, wants):
        return self.pair(Tensor(value, requires_grad=wants), Naive(np.array(value), wants=wants))

    def made(self, call, naive_value, parents, recording):
        ours, theirs = zip(*((node, slope) for node, slope in parents))
        wants = recording and any(naive.wants for _, naive in ours)
        with ad.enable_grad() if recording else ad.no_grad():
            tensor = call(*(tensor for tensor, _ in ours))
        shape = np.shape(naive_value)
        naive = Naive(
            naive_value, [(n, np.broadcast_to(s, shape)) for (_, n), s in zip(ours, theirs)], wants
        )
        return self.pair(tensor, naive)

    @rule(target=nodes, x=nodes, y=nodes, recording=st.booleans())
    def add(self, x, y, recording):
        if max(x[1].depth, y[1].depth) > DEEP or np.ndim(x[1].value) != np.ndim(y[1].value):
            return x
        return self.made(lambda a, b: a + b, x[1].value + y[1].value, [(x, 1.0), (y, 1.0)], recording)

    @rule(target=nodes, x=nodes, y=nodes, recording=st.booleans())
    def mul(self, x, y, recording):
        if max(x[1].depth, y[1].depth) > DEEP or np.ndim(x[1].value) != np.ndim(y[1].value):
            return x
        a, b = np.array(x[1].value), np.array(y[1].value)
        return self.made(lambda a, b: a * b, a * b, [(x, b), (y, a)], recording)

    @rule(target=nodes, x=nodes)
    def tanh(self, x):
        if x[1].depth > DEEP:
            return x
        z = np.tanh(x[1].value)
        return self.made(lambda a: a.tanh(), z, [(x, 1 - z * z)], True)

    @rule(target=nodes, x=nodes)
    def detach(self, x):
        return self.pair(x[0].detach(), Naive(np.array(x[1].value), wants=False))

    @rule(data=st.data(), amount=NUMBERS)
    def update(self, data, amount):
        leaves = [pair for pair in self.all if pair[0].creation_op is None]
        tensor, naive = data.draw(st.sampled_from(leaves))
        same = tensor
        tensor += amount
        assert tensor is same
        naive.value = naive.value + amount
        naive.changes += 1
        naive.grad = None

    @rule(x=nodes)
    def zero_grad(self, x):
        x[0].zero_grad()
        x[1].grad = None

    @rule(data=st.data(), seed=NUMBERS)
    def backward(self, data, seed):
        made = [pair for pair in self.all if pair[0].creation_op is not None]
        tensor, naive = data.draw(st.sampled_from(made or self.all))
        if not naive.wants or (tensor.creation_op is None and naive.changes):
            with pytest.raises(RuntimeError, match="nothing to walk back from"):
                tensor.backward(seed)
            return
        if naive.is_stale():
            with pytest.raises(RuntimeError, match="was changed after"):
                tensor.backward(seed)
            return
        tensor.backward(seed)
        arrived = {}
        naive.paths(np.full(np.shape(naive.value), seed), arrived)
        for node, grad in arrived.values():
            node.grad = grad if node.grad is None else node.grad + grad

    @invariant()
    def the_two_engines_agree(self):
        for tensor, naive in self.all:
            np.testing.assert_allclose(tensor.data, naive.value, rtol=1e-12, atol=1e-12)
            assert tensor.requires_grad == naive.wants
            if naive.grad is None:
                assert tensor.grad is None
            else:
                np.testing.assert_allclose(tensor.grad.data, naive.grad, rtol=1e-9, atol=1e-9)


Calls.TestCase.settings = settings(max_examples=40, stateful_step_count=25)
TestCalls = Calls.TestCase
