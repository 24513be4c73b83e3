"""New Tensors: shapes in each form, dtypes, who wants a gradient, and random numbers that come again."""

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
    assert (x.dtype, x.requires_grad, x.creators) == (np.float64, True, None)


@floats
@pytest.mark.parametrize("shape", [(), ((),)])
def test_without_axes_it_is_a_number(name, shape):
    x = getattr(creation, name)(*shape)
    assert type(x.data) is float
    assert x.requires_grad
    assert type(getattr(creation, name)(*shape, dtype=np.float32).data) is np.ndarray


@pytest.mark.parametrize("shape", [(2.0,), ("ab",), ((2, 1.5),), (2, None), ([[1, 2]],)], ids=repr)
@floats
def test_sizes_that_are_no_whole_numbers(name, shape):
    with pytest.raises(TypeError, match=r"a shape is whole numbers, as in 2, 3 or \(2, 3\), not"):
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
        (lambda: creation.full(3, 7), np.full(3, 7.0)),
        (lambda: creation.full((2, 2), 0.5, dtype="float32"), np.full((2, 2), 0.5, np.float32)),
        (lambda: creation.full((2, 3), [1, 2, 3]), np.array([[1.0, 2, 3], [1, 2, 3]])),
        (lambda: creation.eye(3), np.eye(3)),
        (lambda: creation.eye(2, 3, k=1, dtype=np.float32), np.eye(2, 3, 1, np.float32)),
        (lambda: creation.arange(1.0, 3), np.arange(1.0, 3)),
        (lambda: creation.arange(0, 1, 0.25), np.arange(0, 1, 0.25)),
        (lambda: creation.arange(3, dtype=np.float32), np.arange(3, dtype=np.float32)),
        (lambda: creation.linspace(0, 1), np.linspace(0, 1)),
        (lambda: creation.linspace(0, 10, 5, endpoint=False), np.linspace(0, 10, 5, endpoint=False)),
    ],
)
def test_values_are_numpy_s_and_floats_want_a_gradient(made, expected):
    x = made()
    np.testing.assert_array_equal(x.data, expected, strict=True)
    assert x.requires_grad


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: creation.arange(5), np.arange(5)),
        (lambda: creation.arange(5, 0, -2), np.arange(5, 0, -2)),
        (lambda: creation.arange(5, step=2), np.arange(5, step=2)),
        (lambda: creation.arange(5.0, dtype=int), np.arange(5)),
        (lambda: creation.zeros(2, dtype=bool), np.zeros(2, bool)),
        (lambda: creation.full((2,), True, dtype=bool), np.ones(2, bool)),
        (lambda: creation.eye(2, dtype=np.int8), np.eye(2, dtype=np.int8)),
        (lambda: creation.ones_like(np.arange(3)), np.ones(3, int)),
    ],
)
def test_integers_and_booleans_are_constants(made, expected):
    x = made()
    np.testing.assert_array_equal(x.data, expected, strict=True)
    assert not x.requires_grad


@pytest.mark.parametrize(
    "made",
    [
        lambda: creation.zeros(2, dtype=int, requires_grad=True),
        lambda: creation.arange(5, requires_grad=True),
        lambda: creation.ones_like(np.arange(3), requires_grad=True),
    ],
)
def test_integers_that_are_to_have_a_gradient(made):
    with pytest.raises(TypeError, match=r"numbers of int64 cannot have a gradient: give dtype=float"):
        made()


@pytest.mark.parametrize("dtype", [complex, str, object])
def test_numbers_that_are_not_real(dtype):
    with pytest.raises(TypeError, match="real numbers"):
        creation.zeros(2, dtype=dtype)


def test_requires_grad_and_a_name_are_handed_on():
    options = {"requires_grad": False, "name": "w"}
    made = [getattr(creation, name)(2, **options) for name in (*SHAPED, "eye")]
    made += [getattr(creation, name)(made[0], **options) for name in LIKE]
    made += [creation.full(2, 1, **options), creation.full_like(made[0], 1, **options)]
    made += [creation.arange(2.0, **options), creation.linspace(0, 1, 2, **options)]
    assert {(x.requires_grad, x.name) for x in made} == {(False, "w")}
    assert creation.randint(5, name="w").name == "w"


@likes
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(2, 3), (0,), ()], ids=str)
def test_like_a_tensor_or_an_array(name, dtype, shape):
    array = np.zeros(shape, dtype)
    for other in (array, Tensor(array), Tensor(array).detach()):
        x = like(name, other)
        assert (x.shape, x.dtype, x.requires_grad) == (shape, dtype, True)
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


def test_random_like_an_array_of_integers_is_floats():
    assert creation.randn_like(np.arange(3)).dtype == np.float64
    assert creation.rand_like(np.arange(3)).dtype == np.float64


@pytest.mark.parametrize("name", ["randn", "rand"])
def test_random_floats_do_not_become_integers(name):
    with pytest.raises(TypeError, match=r"random floats do not fit into int64; there is randint"):
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
    with pytest.raises(TypeError, match="randomness comes from"):
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
    z = (creation.ones(2) * 3).sum()
    z.backward()
    assert z == 6
