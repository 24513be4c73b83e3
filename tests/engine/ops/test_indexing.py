"""getitem, scatter and their kin: elements picked and put, and the gradients that go the other way."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.backward import gradients
from autodiff.engine.catalogue import catalogue
from autodiff.ops.indexing import masked_select

INTEGER = np.dtype(int)  # int64, or int32 on a machine of 32 bits


def numbered(*shape):
    return 1.0 + np.arange(np.prod(shape), dtype=float).reshape(shape)


def picked(x, index):
    return catalogue.find("getitem")(x, index=index)


@pytest.mark.parametrize(
    ("index", "gradient"),
    [
        (0, [[1, 1, 1], [0, 0, 0]]),
        (-1, [[0, 0, 0], [1, 1, 1]]),
        ((1, 2), [[0, 0, 0], [0, 0, 1]]),
        (slice(None, None, -2), [[0, 0, 0], [1, 1, 1]]),
        ((..., None, slice(1)), [[1, 0, 0], [1, 0, 0]]),
        ([0, 0, 1], [[2, 2, 2], [1, 1, 1]]),
        (([0, 0, 1], [2, 2, 0]), [[0, 0, 2], [1, 0, 0]]),
        ((slice(None), [1, 1, 1]), [[0, 3, 0], [0, 3, 0]]),
        ((slice(1), np.array([[0, 1], [1, 1]])), [[1, 3, 0], [0, 0, 0]]),
        (numbered(2, 3) > 4, [[0, 0, 0], [0, 1, 1]]),
        (np.array([True, False]), [[1, 1, 1], [0, 0, 0]]),
        ([], [[0, 0, 0], [0, 0, 0]]),
        (Tensor(np.array([1, 1]), requires_grad=False), [[0, 0, 0], [2, 2, 2]]),
        ((0, Tensor(np.array([1, 1]), requires_grad=False)), [[0, 2, 0], [0, 0, 0]]),
    ],
    ids=str,
)
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_place_gets_as_often_a_gradient_as_it_was_picked(index, gradient, create_graph):
    x = Tensor(numbered(2, 3))
    picked(x, index).backward(1, create_graph=create_graph)
    assert x.grad.data.tolist() == gradient


FORMS = {
    "tuple": tuple,
    "list": list,
    "array": np.array,
    "int8": lambda places: np.array(places, np.int8),
    "uint64": lambda places: np.array(places, np.uint64),
    "array.array": lambda places: array("l", places),
    "memoryview": lambda places: memoryview(np.array(places)),
    "Tensor": lambda places: Tensor(np.array(places), requires_grad=False),
    "list of arrays": lambda places: [np.array(place) for place in places],
    "list of Tensors": lambda places: [Tensor(np.array(place), requires_grad=False) for place in places],
    "tuple of integers of NumPy's": lambda places: tuple(map(np.int64, places)),
}
every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


@every_form
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_place_that_comes_twice_counts_twice_in_whatever_it_is_written(form, create_graph):
    x = Tensor([1.0, 2.0, 4.0])
    picked(x, (form([0, 0, 1]),)).backward([1, 2, 4], create_graph=create_graph)
    assert x.grad.data.tolist() == [3, 4, 0]
    table = Tensor(numbered(2, 3))
    picked(table, (slice(None), form([2, 2, 0]))).backward(1, create_graph=create_graph)
    assert table.grad.data.tolist() == [[1, 0, 2], [1, 0, 2]]
    both = Tensor(numbered(2, 3))
    picked(both, (form([1, 0, 1]), (2, 0, 2))).backward(1, create_graph=create_graph)
    assert both.grad.data.tolist() == [[1, 0, 0], [0, 0, 2]]


def test_pairs_unzipped_are_an_index():
    rows, columns = zip(*[(0, 1), (1, 2), (0, 1)])
    x = Tensor(numbered(2, 3))
    x[rows, columns].sum().backward()
    assert x.grad.data.tolist() == [[0, 2, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("index", "gradient"),
    [
        (range(2), [[1, 1, 1], [1, 1, 1]]),
        ((slice(None), range(0, 3, 2)), [[1, 0, 1], [1, 0, 1]]),
        ([[0, 0], [1, 1]], [[2, 2, 2], [2, 2, 2]]),
        (([[0, 0], [1, 1]], ((1, 1),)), [[0, 2, 0], [0, 2, 0]]),
        (([True, False], (1, 1)), [[0, 2, 0], [0, 0, 0]]),
        ((np.array([True, True]), (2, 2)), [[0, 0, 1], [0, 0, 1]]),
        ((slice(None), [True, False, True]), [[1, 0, 1], [1, 0, 1]]),
        ((True, 0), [[1, 1, 1], [0, 0, 0]]),
        ((np.True_, (0, 0)), [[2, 2, 2], [0, 0, 0]]),
        ((False, 0), [[0, 0, 0], [0, 0, 0]]),
        ((np.array(1), (0, 0)), [[0, 0, 0], [2, 0, 0]]),
        ((np.int64(-1), np.array(0)), [[0, 0, 0], [1, 0, 0]]),
        ((None, (0, 0), ..., None), [[2, 2, 2], [0, 0, 0]]),
        (((),), [[0, 0, 0], [0, 0, 0]]),
        ((slice(None), []), [[0, 0, 0], [0, 0, 0]]),
        ((), [[1, 1, 1], [1, 1, 1]]),
    ],
    ids=str,
)
@pytest.mark.parametrize("create_graph", [False, True])
def test_what_else_numpy_takes_for_an_index(index, gradient, create_graph):
    x = Tensor(numbered(2, 3))
    out = picked(x, index)
    np.testing.assert_array_equal(out.data, x.data[index])
    out.backward(1, create_graph=create_graph)
    assert x.grad.data.tolist() == gradient


def test_the_gradient_of_columns_is_not_lost_in_a_memory_layout():
    """x[:, [0, 2]] is laid out in columns, and so is the gradient that arrives there."""
    x = Tensor(np.ones((2, 3)))
    x[:, [0, 2]].exp().sum().backward()
    np.testing.assert_allclose(x.grad.data, [[np.e, 0, np.e]] * 2)
    y = Tensor(np.ones((2, 3)))
    y.repeat([1, 0, 2], axis=1).T.exp().sum().backward()
    np.testing.assert_allclose(y.grad.data, [[np.e, 0, 2 * np.e]] * 2)
    words = np.array([[0, 1], [1, 1]])
    table = Tensor(np.ones((3, 2)))
    table[words].transpose(2, 1, 0).exp().sum().backward()
    np.testing.assert_allclose(table.grad.data, np.e * np.array([[1, 1], [3, 3], [0, 0]]))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64])
def test_counts_may_be_integers_of_any_length(dtype):
    """np.repeat itself takes no uint64, and where a machine has 32 bits no int64."""
    for counts, copies in ((np.array([1, 0, 2], dtype), [1, 0, 2]), (dtype(2), [2, 2, 2])):
        for given in (counts, Tensor(counts, requires_grad=False)):
            x = Tensor([1.0, 2.0, 3.0])
            y = np.repeat(x, given)
            assert y.tolist() == np.repeat([1.0, 2.0, 3.0], copies).tolist()
            y.sum().backward()
            assert x.grad.tolist() == copies
    with pytest.raises(TypeError, match="Cannot cast"):
        ad.repeat(Tensor([1.0, 2.0]), repeats=np.array([1.0, 2.0]))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("index", [(slice(None), [2, 0, 2]), ([1, 1, 0],), ([1, 1], [2, 2])], ids=str)
def test_scatter_of_an_array_in_any_order(order, index):
    shape = np.empty((2, 3))[index].shape
    values = np.array(numbered(*shape), order=order)
    z = catalogue.find("scatter")(values, index=index, shape=(2, 3))
    expected = np.zeros((2, 3))
    np.add.at(expected, index, values)
    np.testing.assert_array_equal(z, expected)


@pytest.mark.parametrize("treat", [lambda f: f, ad.compile, ad.vmap], ids=["eager", "compiled", "vmapped"])
@pytest.mark.parametrize("shape", [(), (4,), (1,), (3, 1), (1, 4), (3, 4)], ids=str)
@pytest.mark.parametrize("kind", ["alone", "before dots", "after dots", "of two axes"])
def test_scatter_broadcasts_to_the_index(shape, kind, treat):
    """np.add.at of NumPy 2.4 reads beyond the end of a row that is added at a table of places on one axis."""
    rows = np.random.default_rng(0).integers(0, 5, (3, 4))
    dots = {"alone": rows, "before dots": (rows, ...), "after dots": (..., rows)}
    index, width = dots.get(kind, (rows, 0 * rows)), (1,) * (kind == "of two axes")
    x = numbered(*shape)
    expected = np.zeros(5)
    for place, value in zip(rows.ravel(), np.broadcast_to(x, rows.shape).ravel(), strict=True):
        expected[place] += value
    given = np.stack([x, x]) if treat is ad.vmap else x
    z = treat(lambda x: ad.scatter(x, index=index, shape=(5, *width)))(given)
    np.testing.assert_array_equal(np.reshape(z[1] if treat is ad.vmap else z, 5), expected)


def test_scatter_adds_where_a_place_comes_twice():
    x = Tensor([1.0, 2.0, 4.0])
    y = catalogue.find("scatter")(x, index=np.array([2, 0, 2]), shape=(3,))
    y.backward([10, 20, 30])
    assert y.data.tolist() == [2, 0, 5]
    assert x.grad.data.tolist() == [30, 10, 30]


def test_the_rows_of_an_embedding_are_added_in_their_own_dtype():
    table = Tensor(numbered(4, 2).astype(np.float32))
    words = np.array([[0, 3], [3, 3]])
    picked(table, words).backward(1)
    assert table.grad.dtype == np.float32
    assert table.grad.data.tolist() == [[1, 1], [0, 0], [0, 0], [3, 3]]


def test_a_picked_element_has_a_second_derivative():
    x = Tensor([2.0, 3.0])
    slope = gradients(picked(x, [0, 0, 1]) ** 3, [x], 1, create_graph=True)[0]
    assert slope.data.tolist() == [24, 27]
    assert gradients(slope, [x], 1)[0].data.tolist() == [24, 18]


def test_what_was_picked_does_not_change_with_the_leaf():
    x = Tensor([1.0, 2.0])
    y = picked(x, slice(1))
    x += 5
    assert y.data.tolist() == [1]


@pytest.mark.parametrize("index", [2, (0, 0, 0), [0.5], np.array([True])], ids=str)
def test_a_place_that_is_not_there(index):
    with pytest.raises(IndexError):
        picked(Tensor(numbered(2, 3)), index)


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_a_triangle_keeps_infinity_out_of_the_gradient(name):
    x = Tensor(np.full((2, 2), np.inf))
    y = catalogue.find(name)(x)
    y.backward(1)
    assert sorted(y.data.ravel()) == [0, np.inf, np.inf, np.inf]
    assert x.grad.data.tolist() == getattr(np, name)(np.ones((2, 2))).tolist()


def test_pad_takes_widths_in_each_form():
    x = Tensor([[1.0]])
    assert catalogue.find("pad")(x, pad_width=1).shape == (3, 3)
    assert catalogue.find("pad")(x, pad_width=(1, 0)).data.tolist() == [[0, 0], [0, 1]]
    assert catalogue.find("pad")(x, pad_width=((0, 0), (1, 2))).data.tolist() == [[0, 1, 0, 0]]
    with pytest.raises(ValueError, match=r"pad cannot take .*\(1, 1\).*must be at least 0"):
        catalogue.find("pad")(x, pad_width=-1)


@pytest.mark.parametrize(
    ("mode", "value", "gradient"),
    [
        ("edge", [1, 1, 1, 2, 3, 3, 3], [3, 1, 3]),
        ("reflect", [3, 2, 1, 2, 3, 2, 1], [2, 3, 2]),
        ("symmetric", [2, 1, 1, 2, 3, 3, 2], [2, 3, 2]),
        ("wrap", [2, 3, 1, 2, 3, 1, 2], [2, 3, 2]),
        ("constant", [7, 7, 1, 2, 3, 7, 7], [1, 1, 1]),
    ],
)
@pytest.mark.parametrize("create_graph", [False, True])
def test_what_a_frame_is_picked_from_gets_its_share(mode, value, gradient, create_graph):
    x = Tensor([1.0, 2.0, 3.0])
    filling = {"constant_values": 7} if mode == "constant" else {}
    y = catalogue.find("pad")(x, pad_width=2, mode=mode, **filling)
    y.backward(1, create_graph=create_graph)
    assert y.data.tolist() == value
    assert x.grad.data.tolist() == gradient


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"mode": "median"}, "mode must be 'constant', 'edge', 'reflect', 'symmetric' or 'wrap', not 'med"),
        ({"mode": "edge", "pad_width": -1}, "widths in pad_width must be at least 0, not -1"),
        ({"constant_values": (1, 2)}, "constant_values must be one number for all sides"),
    ],
    ids=str,
)
def test_a_frame_that_will_not_do(options, says):
    with pytest.raises(ValueError, match=rf"pad cannot take .*\(1, 2\).*{says}"):
        catalogue.find("pad")(Tensor([[1.0, 2.0]]), **{"pad_width": 1, **options})


def test_gather_and_scatter_add_undo_each_other():
    x, rows = Tensor(numbered(2, 3)), np.array([[1, 0, 0]])
    y = catalogue.find("gather")(x, axis=0, indices=rows)
    y.backward([[10, 20, 30]])
    assert y.data.tolist() == [[4, 2, 3]]
    assert x.grad.data.tolist() == [[0, 20, 30], [10, 0, 0]]
    z = catalogue.find("scatter_add")(np.zeros((2, 3)), [[10, 20, 30]], axis=0, indices=rows)
    np.testing.assert_array_equal(z, x.grad.data)


def test_scatter_add_adds_where_a_place_comes_twice_and_leaves_its_operands_alone():
    x, source = Tensor([1.0, 2.0, 3.0]), Tensor([10.0, 20.0, 30.0])
    indices = Tensor(np.array([2, 0, 2]), requires_grad=False)
    y = catalogue.find("scatter_add")(x, source, axis=0, indices=indices)
    y.backward([1, 2, 3])
    assert y.data.tolist() == [21, 2, 43]
    assert x.data.tolist() == [1, 2, 3]
    assert x.grad.data.tolist() == [1, 2, 3]
    assert source.grad.data.tolist() == [3, 1, 3]


@pytest.mark.parametrize("name", ["gather", "scatter_add"])
@pytest.mark.parametrize(
    ("indices", "axis", "error", "says"),
    [
        ([0, 1], 0, ValueError, rf"as many axes as the data, 2, not an array of {INTEGER} of shape \(2,\)"),
        ([[0.0, 1.0]], 0, ValueError, r"the indices must be integers .*float64 of shape \(1, 2\)"),
        ([[True, False]], 0, ValueError, r"the indices must be integers .*bool of shape \(1, 2\)"),
        ([[2]], 0, IndexError, "index 2 is out of bounds"),
        ([[0, 0, 0, 0]], 0, IndexError, "out of bounds for axis 1 with size 3"),
        ([[0]], 2, ValueError, "axis 2 is out of bounds"),
    ],
)
def test_indices_that_lead_nowhere(name, indices, axis, error, says):
    operands = [Tensor(numbered(2, 3)), 1.0][: 1 + (name == "scatter_add")]
    with pytest.raises(error, match=rf"{name} cannot take .*{says}"):
        catalogue.find(name)(*operands, axis=axis, indices=np.array(indices))


@pytest.mark.parametrize(
    ("mask", "picked", "gradient"),
    [
        ([[True, False], [False, True]], [1, 4], [[1, 0], [0, 1]]),
        ([True, False], [1, 3], [[1, 0], [1, 0]]),
        ([[True], [False]], [1, 2], [[1, 1], [0, 0]]),
        ([[[True]], [[True]]], [1, 2, 3, 4, 1, 2, 3, 4], [[2, 2], [2, 2]]),
        (False, [], [[0, 0], [0, 0]]),
    ],
    ids=str,
)
@pytest.mark.parametrize("form", [np.array, lambda mask: Tensor(np.array(mask), requires_grad=False)])
def test_what_a_mask_selects(mask, picked, gradient, form):
    x = Tensor(numbered(2, 2))
    y = masked_select(x, form(mask))
    y.backward(1)
    assert y.data.tolist() == picked
    assert x.grad.data.tolist() == gradient
    np.testing.assert_array_equal(masked_select(x.data, form(mask)), picked)


def test_a_mask_of_numbers_is_refused():
    with pytest.raises(TypeError, match=f"takes a boolean mask, such as x > 0, not {INTEGER}"):
        masked_select(Tensor([1.0, 2.0]), [1, 0])
    assert masked_select([1.0, 2.0], [True, False]).tolist() == [1]
    assert masked_select(Tensor(5.0), True).data.tolist() == [5]


@pytest.mark.parametrize(
    ("name", "options", "gradient"),
    [
        ("repeat", {"repeats": 3, "axis": 0}, [[3, 3], [3, 3]]),
        ("repeat", {"repeats": [0, 2], "axis": 1}, [[0, 2], [0, 2]]),
        ("tile", {"reps": (3, 1, 2)}, [[6, 6], [6, 6]]),
        ("pad", {"pad_width": 2}, [[1, 1], [1, 1]]),
        ("diagonal", {}, [[1, 0], [0, 1]]),
        ("diagonal", {"offset": 1}, [[0, 1], [0, 0]]),
        ("diagonal", {"offset": -1, "axis1": 1, "axis2": 0}, [[0, 1], [0, 0]]),
        ("diagonal", {"offset": 5}, [[0, 0], [0, 0]]),
        ("take_along_axis", {"indices": [[0, 0], [1, 1]], "axis": 1}, [[2, 0], [0, 2]]),
        ("take_along_axis", {"indices": [3, 3], "axis": None}, [[0, 0], [0, 2]]),
        ("trace", {}, [[1, 0], [0, 1]]),
    ],
    ids=str,
)
def test_gradients_by_hand(name, options, gradient):
    x = Tensor(numbered(2, 2))
    catalogue.find(name)(x, **options).backward(1)
    assert x.grad.data.tolist() == gradient


def test_embedding_is_torch_s():
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    random = np.random.default_rng(0)
    table, words = random.normal(size=(5, 3)), random.integers(0, 5, size=(4, 6))
    ours, theirs = Tensor(table), torch.tensor(table, requires_grad=True)
    (picked(ours, words) ** 2).sum().backward()
    (theirs[torch.tensor(words)] ** 2).sum().backward()
    np.testing.assert_allclose(ours.grad.data, theirs.grad.numpy(), rtol=1e-12)


def test_operations_with_indices_draw():
    x = Tensor(numbered(2, 3), name="x")
    out = picked(x, (slice(None), [0, 2])).sum()
    assert "x[:, …]" in str(ad.draw(out))
