"""The same operations in PyTorch, values and gradients, where it is installed. The package never needs it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff as ad
from autodiff import Tensor
from autodiff.ops import indexing, joining, linalg, matrices
from autodiff.testing import weights
from tests.engine.ops.cases import CASES, call, calls, examples

torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.torch])
@examples(10)
@given(data=st.data())
def test_values_and_gradients_are_torch_s(name, data):
    operands, options = data.draw(calls(name))
    function = CASES[name].torch
    function = getattr(torch, function) if isinstance(function, str) else function
    theirs = [torch.tensor(operand, dtype=torch.float64, requires_grad=True) for operand in operands]
    expected = function(*theirs, **options)
    weight = weights(tuple(expected.shape))
    expected.backward(torch.as_tensor(weight, dtype=torch.float64))

    ours = [Tensor(operand) for operand in operands]
    out = call(data, name, ours, options)
    out.backward(weight)
    np.testing.assert_allclose(out.data, expected.detach().numpy(), rtol=1e-12, atol=1e-14)
    for mine, other in zip(ours, theirs, strict=True):
        assert (mine.grad is None) == (other.grad is None)  # which it is for a condition
        if mine.grad is not None:
            np.testing.assert_allclose(mine.grad.data, other.grad.numpy(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("mode", "theirs"), [("reflect", "reflect"), ("edge", "replicate"), ("wrap", "circular")]
)
@pytest.mark.parametrize("widths", [((0, 0), (0, 0), (1, 2), (3, 0)), ((0, 0), (0, 0), (0, 2), (1, 1))])
def test_frames_are_torch_s(mode, theirs, widths):
    array = np.random.default_rng(0).normal(size=(2, 1, 3, 4))
    ours, other = Tensor(array), torch.tensor(array, requires_grad=True)
    mine = ours.pad(widths, mode)
    expected = torch.nn.functional.pad(other, (*widths[3], *widths[2]), theirs)
    (mine * mine).sum().backward()
    (expected * expected).sum().backward()
    np.testing.assert_allclose(mine.data, expected.detach().numpy())
    np.testing.assert_allclose(ours.grad.data, other.grad.numpy(), rtol=1e-12)


PAIR = (np.random.default_rng(0).normal(size=(2, 3, 4)), np.random.default_rng(1).normal(size=(3, 4)))
MADE_OF_OPERATIONS = {
    "slogdet": (
        lambda x, y: matrices.slogdet(x @ y.T).logabsdet, lambda x, y: torch.linalg.slogdet(x @ y.T).logabsdet
    ),
    "cosine_similarity": (linalg.cosine_similarity, lambda x, y: torch.cosine_similarity(x, y, -1)),
    "cosine_similarity along 1": (
        lambda x, y: linalg.cosine_similarity(x, y, 1), lambda x, y: torch.cosine_similarity(x, y, 1)
    ),
    "bmm": (lambda x, y: linalg.bmm(x, x.transpose(0, 2, 1)), lambda x, y: torch.bmm(x, x.mT)),
    "masked_select": (
        lambda x, y: indexing.masked_select(x, y.data > 0), lambda x, y: torch.masked_select(x, y > 0)
    ),
    "chunk": (lambda x, y: joining.chunk(x, 3, axis=2)[1], lambda x, y: torch.chunk(x, 3, 2)[1]),
    "unbind": (lambda x, y: joining.unbind(x, axis=1)[2], lambda x, y: torch.unbind(x, 1)[2]),
    "a bilinear form": (
        lambda x, y: joining.einsum("bij,kj,bkj->bi", x, y, x),
        lambda x, y: torch.einsum("bij,kj,bkj->bi", x, y, x),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("mine", "theirs"), MADE_OF_OPERATIONS.values(), ids=MADE_OF_OPERATIONS)
def test_what_is_made_of_operations_is_torch_s(mine, theirs):
    ours, others = [Tensor(a) for a in PAIR], [torch.tensor(a, requires_grad=True) for a in PAIR]
    found, expected = mine(*ours), theirs(*others)
    (found * found).sum().backward()
    (expected * expected).sum().backward()
    np.testing.assert_allclose(found.data, expected.detach().numpy(), rtol=1e-10)
    for leaf, other in zip(ours, others):
        assert (leaf.grad is None) == (other.grad is None)
        if leaf.grad is not None:
            np.testing.assert_allclose(leaf.grad.data, other.grad.numpy(), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("name", ["relu", "abs", "maximum", "minimum"])
def test_kinks_are_torch_s(name):
    count = len(CASES[name].grids)
    ours = [Tensor([0.0, 1.0]) for _ in range(count)]
    theirs = [torch.tensor([0.0, 1.0], requires_grad=True) for _ in range(count)]
    getattr(ad, name)(*ours).backward(1)
    getattr(torch, name)(*theirs).sum().backward()
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine.grad.data, other.grad.numpy())


def test_a_small_network_has_torch_s_gradients():
    random = np.random.default_rng(0)
    x, w1, b1, w2 = (random.normal(size=shape) for shape in [(5, 3), (3, 4), (4,), (4, 2)])

    def loss(x, w1, b1, w2):
        return (((x @ w1 + b1).tanh() @ w2).exp().sum(-1) ** 2).mean()

    ours = [Tensor(value) for value in (x, w1, b1, w2)]
    theirs = [torch.tensor(value, requires_grad=True) for value in (x, w1, b1, w2)]
    loss(*ours).backward()
    loss(*theirs).backward()
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine.grad.data, other.grad.numpy(), rtol=1e-12)
