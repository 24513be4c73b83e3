"""The walk over a recorded graph, what lies between two nodes, and the walk back that all pictures use."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw.graph.slopes import walk_back
from autodiff.draw.graph.walk import between, check_node, is_node, walk
from tests.draw.readers import Tensor, made


def random_graph(seed, kind=ad.Tensor):
    """The end of a graph of numbers in which nodes are used twice, by one operation or by several."""
    random = np.random.default_rng(seed)
    nodes = [kind(float(x)) for x in random.uniform(0.5, 1.5, 3)]
    for _ in range(9):
        x, y = (nodes[i] for i in random.integers(len(nodes), size=2))
        nodes.append([x + y, x * y, x * x][random.integers(3)])
    return nodes[-1]


def paths(operands, start, end):
    """Every path between two nodes, one by one."""
    if start == end:
        return [[end]]
    return [[*path, end] for j in operands(end) for path in paths(operands, start, j)]


@pytest.mark.parametrize("seed", range(8))
def test_between_is_what_lies_on_some_path(seed):
    walked = walk(random_graph(seed))
    for start, end in itertools.combinations_with_replacement(range(len(walked.order)), 2):
        on_some_path = set().union(*paths(walked.operands, start, end))
        assert between(walked.operands, start, end) == sorted(on_some_path)


@pytest.mark.parametrize("seed", range(8))
def test_the_walk_back_finds_what_backward_finds(seed):
    end = random_graph(seed)
    walked = walk(end)
    found = {visit.node: visit.grad for visit in walk_back(walked)}
    assert all(node._grad is None for node in walked.order), "no gradient is touched"
    end.backward()
    assert list(found) == sorted(found, reverse=True)
    assert found == {i: pytest.approx(float(node.grad.data)) for i, node in enumerate(walked.order)}


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_same_on_a_reader_s_own_class(seed):
    mine, theirs = random_graph(seed, Tensor), random_graph(seed)
    found, expected = (
        [(visit.node, visit.grad, len(visit.contributions)) for visit in walk_back(walk(end))]
        for end in (mine, theirs)
    )
    assert found == expected


def test_contributions_add_up_to_the_gradient():
    x = ad.Tensor(3.0)
    arrivals = [c for visit in walk_back(walk(x * x + x)) for c in visit.contributions if c.operand == 0]
    assert [(c.value, c.before, c.after) for c in arrivals] == [
        (1.0, None, 1.0),
        (3.0, 1.0, 4.0),
        (3.0, 4.0, 7.0),
    ]


def test_constants_receive_nothing_and_are_not_visited():
    x, k = ad.Tensor(3.0), ad.Tensor(2.0, requires_grad=False)
    walked = walk(x * k + 1)
    visits = list(walk_back(walked))
    assert walked.index[id(k)] not in [visit.node for visit in visits]
    assert [[c.operand for c in visit.contributions] for visit in visits][1:] == [[walked.index[id(x)]], []]


def test_the_walk_back_keeps_to_the_nodes_it_is_given():
    x, y = ad.Tensor(3.0), ad.Tensor(2.0)
    unknown = made("cube", 8.0, y, grad=None)
    walked = walk(made("mul", 24.0, x, unknown))
    index = walked.index
    visits = list(walk_back(walked, within={index[id(x)]}))
    assert {visit.node: visit.grad for visit in visits} == {walked.end: 1.0, index[id(x)]: 8.0}
    assert [visit.node for visit in walk_back(walked, until=walked.end)] == [walked.end]
    with pytest.raises(
        ValueError, match="no slopes are known for the operation cube of the node that holds 8"
    ):
        list(walk_back(walked))


def test_arrays_and_seeds():
    W, x = ad.Tensor(np.ones((3, 2))), ad.Tensor(np.arange(3.0))
    y = x @ W
    found = {visit.node: visit.grad for visit in walk_back(walk(y), np.array([1.0, 2.0]))}
    y.backward(np.array([1.0, 2.0]))
    for i, node in enumerate(walk(y).order):
        np.testing.assert_allclose(found[i], node.grad.data)


def test_what_is_no_node_is_refused_in_the_name_of_the_caller():
    assert is_node(ad.Tensor(1))
    assert is_node(Tensor(1))
    check_node(Tensor(1), "draw", "the end")
    for thing, reason in [(3, "3 is of type int and has no data, grad"), (Tensor, "Tensor is a class")]:
        with pytest.raises(TypeError, match=f"draw needs the end: a Tensor, or .*; {reason}"):
            check_node(thing, "draw", "the end")
