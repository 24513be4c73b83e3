"""det, inv, solve, cholesky, logdet, slogdet: by hand, singular, empty, large and small."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.catalogue import catalogue
from autodiff.ops.matrices import slogdet

det, inv, solve = map(catalogue.find, ("det", "inv", "solve"))


@pytest.mark.parametrize(
    ("matrix", "value", "gradient"),
    [
        ([[1, 2], [3, 4]], -2, [[4, -3], [-2, 1]]),
        ([[1, 2], [2, 4]], 0, [[4, -2], [-2, 1]]),
        ([[0, 0], [0, 0]], 0, [[0, 0], [0, 0]]),
        ([[0, 0, 0], [0, 2, 0], [0, 0, 3]], 0, [[6, 0, 0], [0, 0, 0], [0, 0, 0]]),
        ([[7]], 7, [[1]]),
    ],
)
def test_a_determinant_and_its_slopes(matrix, value, gradient):
    x = Tensor(matrix)
    y = det(x)
    y.backward()
    assert y.item() == pytest.approx(value)
    np.testing.assert_allclose(x.grad.data, gradient, atol=1e-14)


def test_the_determinant_of_nothing_is_1():
    x = Tensor(np.zeros((0, 0)))
    y = det(x)
    y.backward()
    assert y.item() == 1
    assert x.grad.shape == (0, 0)


@pytest.mark.parametrize("scale", [1e-200, 1000.0, 1e200])
def test_logdet_where_the_determinant_is_out_of_reach(scale):
    x = Tensor(np.diag([scale, -2 * scale]))
    y = catalogue.find("logdet")(x)
    y.backward()
    assert y.item() == pytest.approx(np.log(2) + 2 * np.log(scale))
    np.testing.assert_allclose(x.grad.data, np.diag([1 / scale, -0.5 / scale]))


@pytest.mark.parametrize(
    ("name", "operands", "says"),
    [
        ("inv", [[[1, 2], [2, 4]]], r"inv cannot take .*\(2, 2\).*Singular"),
        ("solve", [[[1, 2], [2, 4]], [1, 1]], r"solve cannot take .*\(2, 2\).* and .*Singular"),
        ("cholesky", [[[1, 2], [2, 1]]], r"cholesky cannot take .*positive definite"),
        ("det", [[[1, 2, 3], [4, 5, 6]]], r"det cannot take .*\(2, 3\).*square"),
    ],
    ids=str,
)
def test_a_matrix_that_will_not_do_is_refused_by_name(name, operands, says):
    with pytest.raises(ValueError, match=says):
        catalogue.find(name)(*map(Tensor, operands))


def test_an_inverse_by_hand():
    x = Tensor([[2.0, 0.0], [0.0, 4.0]])
    y = inv(x)
    y.backward([[1, 0], [0, 0]])
    assert y.data.tolist() == [[0.5, 0], [0, 0.25]]
    assert x.grad.data.tolist() == [[-0.25, 0], [0, 0]]


@pytest.mark.parametrize("right", [(2,), (2, 3), (4, 2, 1), (1, 2, 3)], ids=str)
@pytest.mark.parametrize("left", [(2, 2), (4, 2, 2), (1, 2, 2)], ids=str)
def test_solve_is_a_product_with_the_inverse(left, right):
    random = np.random.default_rng(2)
    x, y = random.normal(size=left) + 3 * np.eye(2), random.normal(size=right)
    ours, product = [Tensor(x), Tensor(y)], [Tensor(x), Tensor(y)]
    for z in (solve(*ours), inv(product[0]) @ product[1]):
        (z * z).sum().backward()
    for mine, other in zip(ours, product, strict=True):
        np.testing.assert_allclose(mine.grad.data, other.grad.data, rtol=1e-9)
    assert ad.gradcheck(solve, x, y)


@pytest.mark.parametrize("stack", [(), (2,), (0,), (1, 3)], ids=str)
@pytest.mark.parametrize("n", [0, 1, 2, 4])
def test_cholesky_reads_the_lower_triangle_alone_as_numpy_s(stack, n):
    random = np.random.default_rng(n)
    root = random.normal(size=(*stack, n, n))
    matrix = root @ np.swapaxes(root, -1, -2) + n * np.eye(n) + np.triu(random.normal(size=(n, n)), 1)
    cholesky = catalogue.find("cholesky")
    x = Tensor(matrix)
    y = cholesky(x)
    y.backward(random.normal(size=y.shape))
    np.testing.assert_array_equal(y.data, np.linalg.cholesky(matrix))
    np.testing.assert_array_equal(x.grad.data, np.tril(x.grad.data))
    assert ad.gradcheck(cholesky, matrix)


def test_what_a_symmetric_matrix_was_computed_from_gets_torch_s_gradient():
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    root = np.random.default_rng(0).normal(size=(2, 3, 3))
    weight = np.random.default_rng(1).normal(size=(2, 3, 3))
    ours, theirs = Tensor(root), torch.tensor(root, requires_grad=True)
    (catalogue.find("cholesky")(ours @ ours.swapaxes(-1, -2)) * weight).sum().backward()
    (torch.linalg.cholesky(theirs @ theirs.mT) * torch.tensor(weight)).sum().backward()
    np.testing.assert_allclose(ours.grad.data, theirs.grad.numpy(), rtol=1e-8)


def test_slogdet_is_a_constant_sign_and_a_logarithm():
    array = np.array([[[0.0, 1e200], [2e200, 0.0]], [[3.0, 0.0], [0.0, 4.0]]])
    x = Tensor(array)
    sign, logarithm = slogdet(x)
    logarithm.backward(1)
    expected = np.linalg.slogdet(array)
    assert sign.data.tolist() == expected.sign.tolist() == [-1, 1]
    np.testing.assert_allclose(logarithm.data, expected.logabsdet)
    assert (sign.requires_grad, logarithm.requires_grad) == (False, True)
    np.testing.assert_allclose(x.grad.data, [[[0, 1e-200], [5e-201, 0]], [[1 / 3, 0], [0, 0.25]]])


def test_slogdet_of_a_singular_matrix_and_of_nothing():
    assert [part.item() for part in slogdet(Tensor([[1.0, 2.0], [2.0, 4.0]]))] == [0, -np.inf]
    assert [part.item() for part in slogdet(Tensor(np.zeros((0, 0))))] == [1, 0]
    assert slogdet(np.eye(2)).logabsdet == 0


@pytest.mark.parametrize("right", [(2,), (2, 3)], ids=str)
def test_solve_gives_a_side_that_wants_none_no_gradient_and_solves_once_for_both(right, monkeypatch):
    solved = []
    solve_once = np.linalg.solve
    monkeypatch.setattr(np.linalg, "solve", lambda *sides: solved.append(sides) or solve_once(*sides))
    left = np.array([[2.0, 1.0], [1.0, 3.0]])
    for wanted in ((True, True), (True, False), (False, True)):
        x, y = (Tensor(side, requires_grad=want) for side, want in zip((left, np.ones(right)), wanted))
        out = solve(x, y)
        solved.clear()
        out.backward(1)
        assert len(solved) == 1
        assert (x.grad is not None, y.grad is not None) == wanted
