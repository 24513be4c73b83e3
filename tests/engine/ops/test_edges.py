"""Where arithmetic runs out: numbers give NumPy's inf and nan, forward and back, in silence, as arrays do.

Warnings are errors in these tests, so that silence is tested too.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.backward import gradients
from autodiff.engine.catalogue import catalogue
from tests.engine.ops.cases import CASES

INF, NAN = math.inf, math.nan

EDGES = [
    ("div", 1, 0), ("div", -1, 0), ("div", 0, 0), ("div", 1, INF), ("div", 1e300, 1e-300),
    ("div", 1e-300, 1e300), ("mul", 1e200, 1e200), ("mul", 0, INF), ("add", 1.7e308, 1.7e308),
    ("sub", INF, INF), ("neg", 0), ("pow", -8, 1 / 3), ("pow", 0, 0), ("pow", 0, -1), ("pow", 0, 0.5),
    ("pow", 0, 1), ("pow", 0, 2), ("pow", -2, 3), ("pow", 1e200, 2), ("pow", 2, -2000), ("pow", INF, 0),
    ("pow", NAN, 0), ("pow", -1, INF), ("pow", 0, INF), ("exp", 1000), ("exp", -1000), ("exp", INF),
    ("exp", -INF), ("log", 0), ("log", -1), ("log", INF), ("sqrt", 0), ("sqrt", -1), ("sqrt", INF),
    ("sin", INF), ("cos", -INF), ("tanh", 1000), ("tanh", -INF), ("sigmoid", 1000), ("sigmoid", -1000),
    ("sigmoid", -INF), ("relu", INF), ("relu", -INF), ("relu", 0), ("relu", NAN), ("abs", -INF), ("abs", 0),
    ("sign", NAN), ("maximum", 1, NAN), ("maximum", INF, INF), ("minimum", NAN, 1), ("minimum", 2, 2),
    ("wins", 1, NAN), ("sum", INF), ("mean", -INF), ("prod", INF), ("prod", 0),
    ("max", -INF), ("min", NAN), ("var", INF), ("std", 2), ("norm", 0), ("norm", -INF),
    ("square", 1e200), ("cbrt", 0), ("cbrt", -INF), ("reciprocal", 0), ("reciprocal", INF), ("exp2", 2000),
    ("exp2", -2000), ("expm1", 1000), ("expm1", -1000), ("log2", 0), ("log2", -1), ("log10", 0),
    ("log10", -1), ("log1p", -1), ("log1p", -2), ("logaddexp", -INF, -INF), ("logaddexp", -INF, 1),
    ("logaddexp", 1000, -1000), ("logaddexp", INF, 1), ("tan", INF), ("arcsin", 1), ("arcsin", -1),
    ("arcsin", 2), ("arccos", 1), ("arccos", -2), ("arctan", INF), ("arctan2", 0, 0), ("arctan2", 0, -1),
    ("arctan2", INF, 1), ("hypot", 0, 0), ("hypot", 1e200, 1e200), ("hypot", INF, NAN), ("sinh", 1000),
    ("sinh", -1000), ("cosh", -1000), ("arcsinh", 1e200), ("arcsinh", -INF), ("arccosh", 1), ("arccosh", 0),
    ("arccosh", -2), ("arctanh", 1), ("arctanh", -1), ("arctanh", 2), ("where", 1, 2, NAN),
    ("where", 0, INF, 3), ("where", NAN, 2, 3), ("clip", NAN, 0, 1), ("clip", 1, 1, 2), ("clip", 5, 3, 2),
    ("clip", INF, -INF, INF), ("fmax", 1, NAN), ("fmax", NAN, NAN), ("fmax", 2, 2), ("fmin", NAN, 1),
    ("fmin", INF, INF), ("floor", -INF), ("floor", NAN), ("ceil", INF), ("ceil", -0.5), ("erf", INF),
    ("erf", -1000), ("erf", NAN), ("median", INF), ("median", NAN),
]  # fmt: skip
edges = pytest.mark.parametrize(("name", "values"), [(name, values) for name, *values in EDGES], ids=str)

FORMS = {
    "0-d": lambda value: np.array(value, dtype=np.float64),
    "1 element": lambda value: np.array([value], dtype=np.float64),
}


def run(name, operands, create_graph=False):
    """The result and the gradient of each operand, as flat arrays; None for a gradient that there is not."""
    leaves = [Tensor(operand) for operand in operands]
    out = catalogue.find(name)(*leaves)
    assert out.numpy().dtype == np.float64, "no complex number, no integer"
    slopes = gradients(out, leaves, 1, create_graph=create_graph) if out.requires_grad else []
    return out, [np.ravel(slope.numpy()) for slope in slopes]


@edges
@pytest.mark.parametrize("create_graph", [False, True], ids=["raw", "recorded"])
def test_a_number_does_what_arrays_do(name, values, create_graph):
    number, slopes = run(name, map(float, values), create_graph)
    assert type(number.data) is float
    for form in FORMS.values():
        array, expected = run(name, map(form, values), create_graph)
        np.testing.assert_allclose(np.ravel(array.numpy()), [number.data], rtol=1e-14)
        np.testing.assert_allclose(slopes, expected, rtol=1e-14)


@edges
def test_the_edge_is_numpy_s(name, values):
    operands = [FORMS["1 element"](value) for value in values]
    with np.errstate(all="ignore"):
        expected = CASES[name].numpy(*operands)
    np.testing.assert_array_equal(catalogue.find(name)(*map(Tensor, operands)).numpy(), expected)


@edges
def test_plain_numbers_have_the_same_edges(name, values):
    operands = [float(value) for value in values]
    out = catalogue.find(name)(*operands)
    assert type(out) is float
    np.testing.assert_equal(out, catalogue.find(name)(*map(Tensor, operands)).data)


@pytest.mark.parametrize(
    ("f", "at", "slope"),
    [
        (lambda x: 1 / x, 0, -INF),
        (lambda x: x.log(), 0, INF),
        (lambda x: x.sqrt(), 0, INF),
        (lambda x: x.exp(), 1000, INF),
        (lambda x: x**0, 0, 0),
        (lambda x: x**1, 0, 1),
        (lambda x: x**2, 0, 0),
        (lambda x: x**3, -2, 12),
        (lambda x: x**0.5, 0, INF),
        (lambda x: x**-1, 0, -INF),
        (lambda x: x ** (1 / 3), -8, NAN),
        (lambda x: 0**x, 2, 0),
        (lambda x: 0**x, 0, 0),
        (lambda x: 0**x, -1, -INF),
        (lambda x: 0**x, -INF, -INF),
        (lambda x: x**0, INF, 0),
        (lambda x: 2**x, 0, math.log(2)),
        (lambda x: x.relu(), 0, 0),
        (lambda x: x.abs(), 0, 0),
        (lambda x: x.sigmoid(), -1000, 0),
        (lambda x: x.tanh(), 1000, 0),
    ],
)
@pytest.mark.parametrize("form", [float, *FORMS.values()], ids=["number", *FORMS])
def test_slope_at_an_edge(f, at, slope, form):
    x = Tensor(form(at))
    f(x).backward()
    np.testing.assert_allclose(x.grad.numpy().ravel(), [slope])


@pytest.mark.parametrize("size", [0, 1])
def test_numpy_s_error_handling_does_not_matter(size):
    x = Tensor(np.zeros(size))
    with np.errstate(all="raise"):
        (1 / x).backward(1)
        y = Tensor(0.0)
        (1 / y).backward()
    assert x.grad.shape == (size,)
    assert y.grad == -INF


def test_overflow_while_gradients_add_up_is_inf():
    x = Tensor([1.0])
    y = x * 1.7e308 + x * 1.7e308
    y.backward(1)
    y.backward(1)
    assert x.grad.data.tolist() == [INF]


def test_an_update_in_place_that_overflows_is_inf():
    x = Tensor(np.ones(2, dtype=np.float32))
    x += np.array([1e300, 1])
    assert x.data.tolist() == [INF, 2]


@pytest.mark.parametrize("value", [INF, NAN], ids=str)
def test_an_input_that_plays_no_part_gets_zeros_even_where_it_is_infinite(value):
    used, unused = Tensor(2.0), Tensor([value, 1.0])
    assert gradients(used * 3, [unused])[0].data.tolist() == [0, 0]


def test_ad_pow_never_gives_a_complex_number():
    assert math.isnan(ad.pow(-8.0, 1 / 3))
    assert math.isnan((Tensor(-8.0) ** (1 / 3)).data)


@pytest.mark.parametrize("form", [float, *FORMS.values()], ids=["number", *FORMS])
def test_the_slopes_of_a_power_are_torch_s_wherever_base_and_exponent_may_stand(form):
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    values = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 3.0, INF, -INF, NAN, 1e300, -1e300, 1e-300]
    for base, exponent in itertools.product(values, repeat=2):
        if math.isnan(base) and exponent == 0:  # there it is 0, and here nan
            continue
        ours = [Tensor(form(value)) for value in (base, exponent)]
        theirs = [torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in (base, exponent)]
        ad.pow(*ours).backward()
        torch.pow(*theirs).backward()
        found = [leaf.grad.item() for leaf in ours]
        expected = [leaf.grad.item() for leaf in theirs]
        np.testing.assert_allclose(found, expected, err_msg=f"{base}**{exponent}")
