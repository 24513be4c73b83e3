"""concatenate, stack, einsum, split, chunk, unbind: parts come together, and gradients part again."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.backward import gradients
from autodiff.ops.joining import chunk, concatenate, einsum, split, stack, unbind


def numbered(*shape):
    return 1.0 + np.arange(np.prod(shape), dtype=float).reshape(shape)


@pytest.mark.parametrize("create_graph", [False, True])
def test_each_part_gets_its_stretch_of_the_gradient(create_graph):
    x, y = Tensor(numbered(2, 1)), Tensor(numbered(2, 2))
    z = concatenate([x, np.zeros((2, 1)), y], axis=1)
    z.backward([[1, 2, 3, 4], [5, 6, 7, 8]], create_graph=create_graph)
    assert z.data.tolist() == [[1, 0, 1, 2], [2, 0, 3, 4]]
    assert x.grad.data.tolist() == [[1], [5]]
    assert y.grad.data.tolist() == [[3, 4], [7, 8]]


def test_parts_come_one_by_one_or_in_a_list_or_a_tuple():
    x, y = Tensor([1.0]), Tensor([2.0])
    for join in (concatenate, stack):
        for z in (join(x, y), join([x, y]), join((x, y))):
            assert z.data.ravel().tolist() == [1, 2]
            assert z.creators == (x, y)


def test_the_same_part_twice_gets_both_gradients():
    x = Tensor([1.0, 2.0])
    stack([x, x]).backward([[1, 2], [10, 20]])
    assert x.grad.data.tolist() == [11, 22]


def test_more_parts_than_two_have_second_derivatives():
    x, y, z = Tensor([1.0]), Tensor([2.0, 3.0]), Tensor([4.0])
    slopes = gradients(concatenate([x, y, z]) ** 3, [x, y, z], 1, create_graph=True)
    assert [slope.data.tolist() for slope in slopes] == [[3], [12, 27], [48]]
    assert gradients(concatenate(slopes), [y], 1)[0].data.tolist() == [12, 18]


@pytest.mark.parametrize(
    ("join", "parts", "says"),
    [
        (concatenate, [[[1, 2]], [[1, 2, 3]]], r"concatenate cannot take .*\(1, 2\) and .*\(1, 3\)"),
        (concatenate, [1.0, 2.0], r"concatenate cannot take .*zero-dimensional"),
        (stack, [[1, 2], [1, 2, 3]], r"stack cannot take .*\(2,\) and .*\(3,\).*same shape"),
        (concatenate, [[1.0]] * 6, r"concatenate cannot take .* and 2 more: axis 1 is out of bounds"),
    ],
    ids=str,
)
def test_parts_that_do_not_fit(join, parts, says):
    with pytest.raises(ValueError, match=says):
        join(*map(Tensor, parts), **({"axis": 1} if len(parts) > 2 else {}))


def test_nothing_to_join():
    for join in (concatenate, stack):
        with pytest.raises(TypeError, match=r"takes any number of operands .* option axis; it got 0"):
            join([])


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 2)]), ("ij,jk", [(2, 3), (3, 2)]),
        ("bij,bjk->bik", [(2, 2, 3), (2, 3, 2)]),
        ("i,j->ij", [(2,), (3,)]), ("i,i->", [(3,), (3,)]), ("ii->i", [(3, 3)]), ("ii", [(3, 3)]),
        ("ij->ji", [(2, 3)]), ("ij->", [(2, 3)]), ("ij->j", [(2, 3)]), ("iij->j", [(2, 2, 3)]),
        ("...ij,...jk->...ik", [(2, 2, 3), (3, 2)]), ("i...->...", [(2, 3, 2)]), ("...i,i", [(2, 3), (3,)]),
        ("ik,jkl,il->ij", [(2, 3), (4, 3, 2), (2, 2)]), (" i j , j k -> k i ", [(2, 3), (3, 2)]),
        ("i,i,i->i", [(2,), (2,), (2,)]), (",i->i", [(), (2,)]), ("ij,ij->ij", [(2, 1), (1, 3)]),
        ("i,i->", [(3,), (1,)]), ("bqhd,bkhd->bhqk", [(1, 2, 2, 3), (1, 3, 2, 3)]),
        ("Ab,bA->", [(2, 3), (3, 2)]),
    ],
    ids=str,
)  # fmt: skip
def test_contractions_of_every_kind(subscripts, shapes):
    random = np.random.default_rng(0)
    operands = [random.normal(size=shape) for shape in shapes]
    z = einsum(subscripts, *map(Tensor, operands))
    np.testing.assert_allclose(z.data, np.einsum(subscripts, *operands))
    assert ad.gradcheck(lambda *factors: einsum(subscripts, *factors), *operands)


def test_a_factor_that_wants_no_gradient_gets_none():
    x, y = Tensor(numbered(2, 2)), Tensor(numbered(2, 2)).detach()
    einsum("ij,jk->ik", x, y).backward(1)
    np.testing.assert_array_equal(x.grad.data, np.ones((2, 2)) @ y.data.T)
    assert y.grad is None


def test_the_derivative_of_a_plain_product_is_one_product():
    x, y = Tensor(numbered(2, 2)), Tensor(numbered(2, 2))
    slope = gradients(einsum("ij,jk->ik", x, y), [x], 1, create_graph=True)[0]
    assert slope.creation_op == "einsum"
    assert slope.options == {"subscripts": "ik,jk->ij"}


@pytest.mark.parametrize("narrow", [np.bool_, np.uint8, np.int8, np.float16, np.float32])
@pytest.mark.parametrize("wide", [np.int64, np.uint32, np.float64])
@pytest.mark.parametrize("subscripts", ["jj,ji->", "ji,jj->", "j,ji->j", "ij,k->", "ij,k,kl->l"])
@pytest.mark.parametrize("treat", [lambda f: f, ad.compile, ad.vmap], ids=["eager", "compiled", "vmapped"])
def test_a_part_of_one_operand_is_added_up_in_the_dtype_of_all(subscripts, wide, narrow, treat):
    """np.einsum itself adds up the columns of the uint8 here as uint8, which wrap around at 256."""
    terms = subscripts.split("->")[0].split(",")
    dtypes = [narrow if len(set(term)) == 2 else wide for term in terms]
    operands = [np.full((2,) + (12,) * len(term), 100.3).astype(dtype) for term, dtype in zip(terms, dtypes)]
    if treat is not ad.vmap:
        operands = [x[0] for x in operands]
    found = np.asarray(treat(lambda *x: ad.einsum(subscripts, *x))(*operands))
    exact = [np.asarray(x if treat is not ad.vmap else x[0], float) for x in operands]
    expected = np.einsum(subscripts, *exact)
    assert found.dtype == np.result_type(*operands)
    np.testing.assert_allclose(found if treat is not ad.vmap else found[1], expected, 1e-12)


@pytest.mark.parametrize(
    ("operands", "error", "says"),
    [
        ((Tensor([1.0]),), TypeError, "einsum takes subscripts, such as 'ij,jk->ik'"),
        (("i,j", Tensor([1.0])), ValueError, r"einsum cannot take .*\(1,\)"),
        (("ij,jk", Tensor(numbered(2, 3)), Tensor(numbered(2, 3))), ValueError, r"\(2, 3\) and .*\(2, 3\)"),
    ],
)
def test_subscripts_that_do_not_fit(operands, error, says):
    with pytest.raises(error, match=says):
        einsum(*operands)


@pytest.mark.parametrize(
    ("take_apart", "theirs"),
    [
        (lambda x: split(x, 2, axis=1), lambda a: np.split(a, 2, axis=1)),
        (lambda x: split(x, np.int64(4), axis=-1), lambda a: np.split(a, 4, axis=-1)),
        (lambda x: split(x, [1, 3], axis=1), lambda a: np.split(a, [1, 3], axis=1)),
        (lambda x: split(x, [2, 1, 9], axis=1), lambda a: np.split(a, [2, 1, 9], axis=1)),
        (lambda x: split(x, [-1], axis=1), lambda a: np.split(a, [-1], axis=1)),
        (lambda x: split(x, np.array([1])), lambda a: np.split(a, [1])),
        (lambda x: split(x, []), lambda a: np.split(a, [])),
        (lambda x: chunk(x, 2, axis=1), lambda a: np.array_split(a, 2, axis=1)),
        (lambda x: chunk(x, 3, axis=1), lambda a: [a[:, :2], a[:, 2:]]),
        (lambda x: chunk(x, 9), lambda a: [a[:1], a[1:]]),
        (lambda x: unbind(x), lambda a: [a[0], a[1]]),
        (lambda x: unbind(x, axis=-1), lambda a: list(np.moveaxis(a, -1, 0))),
    ],
)
def test_taken_apart(take_apart, theirs):
    array = numbered(2, 4)
    x = Tensor(array)
    found, expected = take_apart(x), theirs(array)
    assert type(found) is list
    assert [part.data.tolist() for part in found] == [part.tolist() for part in expected]
    assert all(part.requires_grad for part in found)
    sum((part.sum() * (i + 1) for i, part in enumerate(found)), Tensor(0.0)).backward()
    counted = np.zeros_like(array)
    for i, part in enumerate(theirs(np.arange(8).reshape(2, 4))):
        counted.ravel()[part] += i + 1
    np.testing.assert_array_equal(x.grad.data, counted)
    plain = take_apart(array)
    assert all(type(part) is np.ndarray for part in plain)
    assert [part.tolist() for part in take_apart(array.tolist())] == [part.tolist() for part in plain]


@pytest.mark.parametrize("sections", [1, 3])
def test_nothing_can_be_split_too(sections):
    assert [part.shape for part in split(Tensor(np.zeros((0, 2))), sections)] == [(0, 2)] * sections
    assert [part.shape for part in chunk(Tensor(np.zeros((0, 2))), sections)] == [(0, 2)]
    assert unbind(Tensor(np.zeros((0, 2)))) == []


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x: split(x, 3, axis=1), ValueError, "make 3 equal parts of 4 elements along axis 1; use"),
        (lambda x: split(x, 0), ValueError, "cannot make 0 equal parts"),
        (lambda x: split(x, 2.0), TypeError, "integer"),
        (lambda x: split(x, 2, axis=2), ValueError, "axis 2 is out of bounds"),
        (lambda x: chunk(x, 0), ValueError, "at least 1, not 0"),
        (lambda x: chunk(x, 2, axis=-3), ValueError, "axis -3 is out of bounds"),
        (lambda x: unbind(x, axis=2), ValueError, "axis 2 is out of bounds"),
        (lambda x: unbind(x.sum()), ValueError, "axis 0 is out of bounds"),
    ],
)
def test_there_is_no_way_to_take_it_apart(call, error, says):
    with pytest.raises(error, match=says):
        call(Tensor(numbered(2, 4)))


@pytest.mark.parametrize(
    "call",
    [lambda join, x: join([x, x], 0, 99), lambda join, x: join([x, x], 0, axis=1)],
    ids=["one too many", "axis twice"],
)
@pytest.mark.parametrize("join", [concatenate, stack])
def test_no_argument_is_ignored(join, call):
    with pytest.raises(TypeError, match="takes any number of operands"):
        call(join, Tensor([[1.0, 2.0]]))
