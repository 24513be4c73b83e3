"""New Tensors: shapes in each form, dtypes, constants unless a gradient is asked for, and random numbers that
come again."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, creation

SHAPED = ["zeros", "ones", "empty", "randn", "rand"]
LIKE = ["zeros_like", "ones_like", "empty_like", "randn_like", "rand_like"]
floats = pytest.mark.parametrize("name", SHAPED)
likes = pytest.mark.parametrize("name", LIKE)


def like(name, x, **options):
    return getattr(creation, name)(x, **options)


@floats
@pytest.mark.parametrize(
    "shape", [(2, 3), ((2, 3),), ([2, 3],), (np.array([2, 3]),), (np.int64(2), 3), (2, 0), (4,), ((4,),)]
)
def test_a_shape_is_given_in_any_form(name, shape):
    x = getattr(creation, name)(*shape)
    assert x.shape == np.zeros(shape[0] if np.ndim(shape[0]) else shape).shape
    assert (x.dtype, x.requires_grad, x.creators) == (np.float64, False, None)
    assert getattr(creation, name)(*shape, requires_grad=True).requires_grad


@floats
@pytest.mark.parametrize("shape", [(), ((),)])
def test_without_axes_it_is_a_number(name, shape):
    x = getattr(creation, name)(*shape)
    assert type(x.data) is float
    assert not x.requires_grad
    assert type(getattr(creation, name)(*shape, dtype=np.float32).data) is np.ndarray


@pytest.mark.parametrize("shape", [(2.0,), ("ab",), ((2, 1.5),), (2, None), ([[1, 2]],)], ids=repr)
@floats
def test_sizes_that_are_no_whole_numbers(name, shape):
    with pytest.raises(TypeError, match=r"a shape consists of integers, as in 2, 3 or \(2, 3\), not"):
        getattr(creation, name)(*shape)


@floats
def test_a_negative_size(name):
    with pytest.raises(ValueError, match="negative"):
        getattr(creation, name)(2, -1)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: creation.zeros(2, 3), np.zeros((2, 3))),
        (lambda: creation.ones((2,), dtype=np.float32), np.ones(2, np.float32)),
        (lambda: creation.full(3, 7.0), np.full(3, 7.0)),
        (lambda: creation.full((2, 2), 0.5, dtype="float32"), np.full((2, 2), 0.5, np.float32)),
        (lambda: creation.full((2, 3), [1.0, 2, 3]), np.array([[1.0, 2, 3], [1, 2, 3]])),
        (lambda: creation.full(3, np.float32(7)), np.full(3, 7, np.float32)),
        (lambda: creation.eye(3), np.eye(3)),
        (lambda: creation.eye(2, 3, k=1, dtype=np.float32), np.eye(2, 3, 1, np.float32)),
        (lambda: creation.arange(1.0, 3), np.arange(1.0, 3)),
        (lambda: creation.arange(0, 1, 0.25), np.arange(0, 1, 0.25)),
        (lambda: creation.arange(3, dtype=np.float32), np.arange(3, dtype=np.float32)),
        (lambda: creation.linspace(0, 1), np.linspace(0, 1)),
        (lambda: creation.linspace(0, 10, 5, endpoint=False), np.linspace(0, 10, 5, endpoint=False)),
    ],
)
def test_values_are_numpy_s_and_constants(made, expected):
    x = made()
    np.testing.assert_array_equal(x.data, expected, strict=True)
    assert not x.requires_grad


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: creation.arange(5), np.arange(5)),
        (lambda: creation.arange(5, 0, -2), np.arange(5, 0, -2)),
        (lambda: creation.arange(5, step=2), np.arange(5, step=2)),
        (lambda: creation.arange(5.0, dtype=int), np.arange(5)),
        (lambda: creation.zeros(2, dtype=bool), np.zeros(2, bool)),
        (lambda: creation.full((2,), True, dtype=bool), np.ones(2, bool)),
        (lambda: creation.full(3, 7), np.full(3, 7)),
        (lambda: creation.full((), 7), np.full((), 7)),
        (lambda: creation.full(3, True), np.full(3, True)),
        (lambda: creation.full((2, 3), [1, 2, 3]), np.array([[1, 2, 3], [1, 2, 3]])),
        (lambda: creation.eye(2, dtype=np.int8), np.eye(2, dtype=np.int8)),
        (lambda: creation.ones_like(np.arange(3)), np.ones(3, int)),
    ],
)
def test_integers_and_booleans_keep_their_dtype(made, expected):
    x = made()
    np.testing.assert_array_equal(x.data, expected, strict=True)
    assert not x.requires_grad


@pytest.mark.parametrize(
    "made",
    [
        lambda: creation.zeros(2, dtype=int, requires_grad=True),
        lambda: creation.arange(5, requires_grad=True),
        lambda: creation.full(5, 1, requires_grad=True),
        lambda: ad.tensor([1, 2], requires_grad=True),
        lambda: ad.tensor(1, requires_grad=True),
        lambda: creation.ones_like(np.arange(3), requires_grad=True),
    ],
)
def test_integers_that_are_to_have_a_gradient(made):
    says = f"numbers of {np.dtype(int)} cannot have a gradient: give dtype=float"
    with pytest.raises(TypeError, match=says):
        made()


@pytest.mark.parametrize("dtype", [complex, str, object])
def test_numbers_that_are_not_real(dtype):
    with pytest.raises(TypeError, match="real numbers"):
        creation.zeros(2, dtype=dtype)


def test_requires_grad_and_a_name_are_handed_on():
    options = {"requires_grad": True, "name": "w"}
    made = [getattr(creation, name)(2, **options) for name in (*SHAPED, "eye")]
    made += [getattr(creation, name)(made[0], **options) for name in LIKE]
    made += [creation.full(2, 1.0, **options), creation.full_like(made[0], 1, **options)]
    made += [creation.arange(2.0, **options), creation.linspace(0, 1, 2, **options)]
    assert {(x.requires_grad, x.name) for x in made} == {(True, "w")}
    assert creation.randint(5, name="w").name == "w"


@likes
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(2, 3), (0,), ()], ids=str)
def test_like_a_tensor_or_an_array(name, dtype, shape):
    array = np.zeros(shape, dtype)
    for other in (array, Tensor(array), Tensor(array).detach()):
        x = like(name, other)
        assert (x.shape, x.dtype, x.requires_grad) == (shape, dtype, False)
        assert like(name, other, requires_grad=True).requires_grad
        assert isinstance(x.data, np.ndarray)


@likes
def test_like_a_number_or_a_list(name):
    assert type(like(name, Tensor(2)).data) is float
    assert type(like(name, 2).data) is float
    assert like(name, [[1.0, 2.0]]).shape == (1, 2)
    assert like(name, Tensor([1.0]), dtype=np.float32).dtype == np.float32


def test_like_has_the_values_of_its_name():
    x = Tensor([[3.0, 4.0]])
    assert creation.zeros_like(x).data.tolist() == [[0, 0]]
    assert creation.ones_like(x).data.tolist() == [[1, 1]]
    assert creation.full_like(x, 7).data.tolist() == [[7, 7]]
    assert creation.full_like(np.array([1, 2]), 7).dtype == int
    assert type(creation.full_like(Tensor(2), 7).data) is float


def test_random_like_an_array_of_integers_is_floats():
    assert creation.randn_like(np.arange(3)).dtype == np.float64
    assert creation.rand_like(np.arange(3)).dtype == np.float64


@pytest.mark.parametrize("name", ["randn", "rand"])
def test_random_floats_do_not_become_integers(name):
    with pytest.raises(TypeError, match=rf"random floats cannot have the dtype {np.dtype(int)}; use randint"):
        getattr(creation, name)(3, dtype=int)


def test_a_full_tensor_takes_no_value_that_wants_a_gradient():
    with pytest.raises(TypeError, match=r"'w'.*t\.detach\(\)"):
        creation.full(2, Tensor(3.0, name="w"))


RANDOM = {
    "randn": lambda **options: creation.randn(4, **options),
    "rand": lambda **options: creation.rand(4, **options),
    "randint": lambda **options: creation.randint(0, 1000, 4, **options),
    "randn_like": lambda **options: creation.randn_like(np.zeros(4), **options),
    "rand_like": lambda **options: creation.rand_like(np.zeros(4), **options),
}


@pytest.mark.parametrize("make", RANDOM.values(), ids=RANDOM)
def test_the_same_seed_gives_the_same_numbers(make):
    ad.seed(3)
    first, second = make().data.tolist(), make().data.tolist()
    ad.seed(3)
    assert make().data.tolist() == first != second
    generator = np.random.default_rng(3)
    assert make(generator=generator).data.tolist() == make(generator=3).data.tolist() == first
    assert make(generator=generator).data.tolist() == second
    assert make().data.tolist() == second  # the package's own was not asked meanwhile
    with pytest.raises(TypeError, match="a generator is a numpy"):
        make(generator="3")


def test_random_numbers_are_spread_as_they_should_be():
    normal, even = creation.randn(20000, generator=0).data, creation.rand(20000, generator=0).data
    assert (normal.mean(), normal.std()) == pytest.approx((0, 1), abs=0.02)
    assert (even.mean(), even.std()) == pytest.approx((0.5, 12**-0.5), abs=0.01)
    assert 0 <= even.min() < even.max() < 1
    assert np.unique(creation.randint(3, 6, 1000, generator=0).data).tolist() == [3, 4, 5]
    assert np.unique(creation.randint(2, size=(10, 10), generator=0).data).tolist() == [0, 1]


def test_random_integers_are_a_constant_of_integers():
    x = creation.randint(0, 10, (2, 3))
    assert (x.shape, x.dtype, x.requires_grad) == ((2, 3), np.int64, False)
    assert (creation.randint(5).shape, creation.randint(5).dtype) == ((), np.int64)
    assert creation.randint(5, dtype=np.uint8).dtype == np.uint8


@pytest.mark.parametrize("bounds", [(1.5,), (10, (2, 3)), ("a",), (0, 2.5)], ids=repr)
def test_bounds_of_random_integers_are_integers(bounds):
    with pytest.raises(TypeError, match="integer"):
        creation.randint(*bounds)


def test_what_is_made_is_one_s_own():
    x = np.zeros(2)
    y = creation.zeros_like(x)
    y += 1
    assert x.tolist() == [0, 0]
    z = (creation.ones(2, requires_grad=True) * 3).sum()
    z.backward()
    assert z == 6


def test_the_first_program_of_somebody_who_knows_pytorch():
    torch = pytest.importorskip("torch")
    found = []
    for there in (ad, torch):
        w = there.zeros(2, requires_grad=True)
        labels, ones = there.full((3,), 2), there.ones(3, 2)
        loss = ((ones @ w - labels) ** 2).sum()
        loss.backward()
        found.append((loss.item(), w.grad.tolist(), ones.requires_grad, ones.grad, str(labels.dtype)[-5:]))
    assert found[0] == found[1]


# -- of given data -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([1, 2], np.array([1, 2])), ([True, False], np.array([True, False])), ([1.0, 2], np.array([1.0, 2])),
        (3, np.array(3)), (True, np.array(True)), (np.float32([1]), np.float32([1])), ([], np.array([])),
        (np.arange(6).reshape(2, 3).T[::-1], np.arange(6).reshape(2, 3).T[::-1]),
        (np.broadcast_to(np.float32(2), (2, 3)), np.full((2, 3), 2, np.float32)),
        (Tensor([1.0, 2.0]), np.array([1.0, 2.0])), ([[]], np.array([[]])),
    ],
    ids=str,
)  # fmt: skip
def test_tensor_is_a_constant_copy_in_the_dtype_of_the_data(data, expected):
    x = ad.tensor(data)
    np.testing.assert_array_equal(x.data, expected, strict=True)
    assert (x.requires_grad, x.is_leaf) == (False, True)
    assert not np.shares_memory(x.data, getattr(data, "data", data) if isinstance(data, Tensor) else data)


def test_tensor_of_a_float_is_a_number_and_takes_a_dtype_and_a_name():
    assert type(ad.tensor(2.5).data) is float
    assert ad.tensor(2.5, dtype=np.float32).dtype == np.float32
    assert ad.tensor([1, 2], dtype=float, requires_grad=True).requires_grad
    assert ad.tensor([1.5, 2], dtype="int64", name="k").data.tolist() == [1, 2]
    assert ad.tensor([1.0], name="k").name == "k"


@pytest.mark.parametrize("data", ["a", None, 1j, [[1], [1, 2]], [1j], 10**30], ids=repr)
def test_tensor_of_what_is_no_real_number(data):
    with pytest.raises(TypeError, match=r"a Tensor (holds real numbers|needs a number)"):
        ad.tensor(data)


def test_as_tensor_and_from_numpy_look_at_the_same_memory():
    array = np.arange(3.0)
    for x in (ad.as_tensor(array), ad.from_numpy(array)):
        assert (x.data is array, x.requires_grad) == (True, False)
        x += 1  # a change of the Tensor is no change of the caller's array
        assert array.tolist() == [0, 1, 2]
    w = Tensor([1.0, 2.0])
    assert ad.as_tensor(w) is w
    ad.as_tensor(w, dtype=np.float32).sum().backward()
    assert w.grad.tolist() == [1, 1]
    assert ad.as_tensor([1, 2]).dtype == int
    assert ad.as_tensor(array, dtype=np.float32).dtype == np.float32
    for refused in ([1, 2], 3.0, w):
        with pytest.raises(TypeError, match="from_numpy takes an array"):
            ad.from_numpy(refused)
    with pytest.raises(TypeError, match="real numbers"):
        ad.from_numpy(np.array(["a"]))


# -- permutations and one_hot ------------------------------------------------------------------------------


def test_a_random_permutation():
    assert sorted(ad.randperm(20).tolist()) == list(range(20))
    three = ad.randperm(3)
    assert (three.dtype, three.requires_grad, ad.randperm(0).shape) == (np.int64, False, (0,))
    ad.manual_seed(1)
    first = ad.randperm(20).tolist()
    ad.manual_seed(1)
    assert ad.randperm(20).tolist() == first == ad.randperm(20, generator=1).tolist()
    with pytest.raises(TypeError, match="integer"):
        ad.randperm(2.5)


@pytest.mark.parametrize("labels", [[0, 2, 1], [[0, 1], [2, 2]], 1, np.array([], int)], ids=str)
def test_one_hot_against_torch(labels):
    torch = pytest.importorskip("torch")
    theirs = torch.nn.functional.one_hot(torch.tensor(labels), 3)
    for given in (labels, ad.tensor(labels)):
        x = ad.one_hot(given, 3)
        np.testing.assert_array_equal(x.data, theirs.numpy(), strict=True)
        assert not x.requires_grad


def test_one_hot_counts_the_classes_itself_and_refuses_what_does_not_fit():
    assert ad.one_hot([0, 2]).shape == ad.one_hot([0, 2], -1).shape == (2, 3)
    assert ad.one_hot([0], 2, dtype=np.float32).dtype == np.float32
    with pytest.raises(TypeError, match="one_hot needs integers as labels, not float64"):
        ad.one_hot([0.0, 1.0])
    for wrong in ([0, 3], [-1, 0]):
        with pytest.raises(ValueError, match="labels from 0 to 2 for 3 classes"):
            ad.one_hot(wrong, 3)
    with pytest.raises(ValueError, match="needs num_classes"):
        ad.one_hot(np.array([], int))


def test_the_package_s_generator_is_made_when_it_is_first_needed(monkeypatch):
    monkeypatch.setattr(ad.seeding, "shared", None)
    first, second = ad.rand(3), ad.rand(3)
    made = ad.seeding.shared
    assert isinstance(made, np.random.Generator)
    assert ad.seeding.generator() is made
    assert (first.data != second.data).all()
