"""NumPy's elementwise functions on Tensors: their methods, in-place changes of arrays, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor

MATRIX = np.array([[0.5, -2.0, 3.0], [4.0, 1.5, -6.0]])

METHODS = {
    "add.reduce": lambda np, x: np.add.reduce(x),
    "add.reduce along 1": lambda np, x: np.add.reduce(x, 1, keepdims=True),
    "add.reduce over all": lambda np, x: np.add.reduce(x, axis=None, initial=1.0),
    "add.reduce of some": lambda np, x: np.add.reduce(x, where=MATRIX > 0),
    "add.reduce in a dtype": lambda np, x: np.add.reduce(x, dtype=float),
    "multiply.reduce": lambda np, x: np.multiply.reduce(x, axis=(0, 1)),
    "maximum.reduce": lambda np, x: np.maximum.reduce(x, axis=1),
    "minimum.reduce": lambda np, x: np.minimum.reduce(x),
    "add.accumulate": lambda np, x: np.add.accumulate(x),
    "multiply.accumulate": lambda np, x: np.multiply.accumulate(x, axis=1),
    "multiply.outer": lambda np, x: np.multiply.outer(x, [1.0, 2.0]),
    "subtract.outer": lambda np, x: np.subtract.outer(MATRIX[0], x),
    "arctan2.outer": lambda np, x: np.arctan2.outer(x, x[0]),
    "where=True": lambda np, x: np.add(x, 1, where=True, dtype=None),
    "positive": lambda np, x: np.positive(x),
    "conjugate": lambda np, x: np.conjugate(x),
    "divmod": lambda np, x: sum(np.divmod(x, 0.7)),
    "mod": lambda np, x: np.mod(x, 0.7),
    "remainder": lambda np, x: np.remainder(3.1, x),
    "fmod": lambda np, x: np.fmod(x, MATRIX / 3.3),
    "degrees": lambda np, x: np.degrees(x),
    "radians": lambda np, x: np.radians(x),
    "deg2rad": lambda np, x: np.deg2rad(x),
    "rad2deg": lambda np, x: np.rad2deg(x),
    "logaddexp2": lambda np, x: np.logaddexp2(x, 1.0),
}


@pytest.mark.parametrize("call", METHODS.values(), ids=METHODS)
def test_a_method_of_an_elementwise_function(call):
    x = Tensor(MATRIX)
    found, expected = call(np, x), call(np, MATRIX)
    assert found.requires_grad
    np.testing.assert_allclose(found.data, expected, rtol=1e-14)
    assert ad.gradcheck(lambda x: (call(np, x) ** 2).sum(), MATRIX)


def test_a_quotient_in_whole_numbers_is_a_constant():
    quotient = np.floor_divide(Tensor(MATRIX), 0.75)
    assert quotient.data.tolist() == np.floor_divide(MATRIX, 0.75).tolist()
    assert not quotient.requires_grad
    assert np.trunc(Tensor(MATRIX)).data.tolist() == np.trunc(MATRIX).tolist()


def change(operator, array, t):
    exec(f"a {operator}= t", {"a": array, "t": t})


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "**", "%", "//"])
def test_an_array_changed_in_place_by_a_tensor(operator):
    array = np.ones((2, 3))
    with pytest.raises(TypeError) as refusal:
        change(operator, array, Tensor(MATRIX, name="w"))
    assert str(refusal.value) == (
        "a NumPy array cannot be changed in place by the Tensor 'w' of shape (2, 3), which would lose its "
        f"gradient; write a = a {operator} t"
    )
    assert array.tolist() == np.ones((2, 3)).tolist()


def test_an_array_changed_in_place_by_a_constant():
    """There is no gradient to lose, so NumPy does as it would with the plain data."""
    array, t = np.ones((2, 3)), Tensor(MATRIX).detach()
    array += t
    np.add(array, t, out=array)
    np.add.at(array, 0, t[0])
    assert array.tolist() == (1 + 2 * MATRIX + [MATRIX[0], np.zeros(3)]).tolist()
    assert isinstance(array, np.ndarray)


@pytest.mark.parametrize("requires_grad", [True, False])
def test_nothing_is_written_into_a_tensor(requires_grad):
    t = Tensor(np.zeros((2, 3)), requires_grad=requires_grad)
    for write in (lambda: np.add(MATRIX, 1, out=t), lambda: np.exp(t, out=t)):
        with pytest.raises(TypeError, match=r"np\.\w+ cannot write into a Tensor \(out=\)"):
            write()
    assert not t.data.any()


def test_advice_fits_what_is_refused():
    x = Tensor(MATRIX)
    for call, advice in [
        (lambda: np.add.at(np.zeros((2, 3)), 0, x), "ad.scatter_add"),
        (lambda: np.add.reduceat(x, [0]), "Add up slices"),
        (lambda: np.exp(x, out=np.zeros((2, 3))), "Use the result"),
        (lambda: np.spacing(x), "t.data"),
    ]:
        with pytest.raises(TypeError, match=advice) as refusal:
            call()
        assert "Recorded" not in str(refusal.value)
