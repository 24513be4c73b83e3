"""The catalogue: every operation by name, each once; as a function of the package, as a method of Tensor."""

from __future__ import annotations

import types

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.catalogue import Catalogue, catalogue
from autodiff.engine.conversions import Conversions
from autodiff.engine.methods import Methods

NAMES = """
    add subtract multiply divide power negative abs sign square sqrt cbrt reciprocal exp exp2 expm1 log log2
    log10 log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh logaddexp
    maximum minimum fmax fmin hypot where clip floor ceil round
    sigmoid logsigmoid relu leaky_relu elu gelu silu swish softplus softmax log_softmax logsumexp
    sum mean prod max min var std norm cumsum cumprod argmax argmin sort argsort median
    reshape view flatten ravel squeeze unsqueeze expand_dims transpose permute swapaxes moveaxis broadcast_to
    repeat tile flip roll pad concatenate stack split chunk unbind getitem scatter gather scatter_add
    take_along_axis masked_select diagonal tril triu
    matmul dot outer inner bmm einsum trace det inv solve cholesky logdet slogdet
    clone clamp cat mm take index_select masked_fill narrow any all
""".split()  # noqa: SIM905  a paragraph of names

OTHER_NAMES = {
    "subtract": "sub", "multiply": "mul", "divide": "div", "negative": "neg", "power": "pow", "mm": "matmul",
    "swish": "silu", "view": "reshape", "unsqueeze": "expand_dims", "permute": "transpose", "clamp": "clip",
    "cat": "concatenate", "copy": "clone",
}  # fmt: skip
FUNCTIONS = """
    split chunk unbind masked_select bmm slogdet take index_select masked_fill narrow any all
""".split()  # noqa: SIM905  made of operations, none itself


@pytest.mark.parametrize("name", NAMES)
def test_an_operation_is_in_the_package_and_in_the_catalogue(name):
    entry = getattr(ad, name)
    assert entry is getattr(catalogue, OTHER_NAMES.get(name, name))
    if name not in FUNCTIONS:
        assert entry is catalogue.find(OTHER_NAMES.get(name, name))


def test_every_entry_is_an_operation_with_a_rule_or_none_per_input():
    for operation in catalogue:
        assert isinstance(operation, ad.Operation)
        assert operation.joint or len(operation.rules) == len(operation.inputs) > 0
        assert operation.__doc__
    assert not set(FUNCTIONS) & {operation.name for operation in catalogue}


def test_a_name_is_given_once():
    @ad.operation
    def exp(x):
        return x

    fresh = Catalogue()
    assert fresh.enter(ad.exp) is ad.exp
    with pytest.raises(ValueError, match="already has an operation named 'exp'"):
        fresh.enter(exp)
    assert list(fresh) == [ad.exp]
    assert fresh.enter(ad.exp) is ad.exp  # a module that is run again enters its own once more


# -- as methods ------------------------------------------------------------------------------------------

UNARY = """
    abs arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cholesky clone copy cos cosh det erf erfc exp
    exp2 expm1 floor inv log log10 log1p log2 logdet logsigmoid neg negative ravel reciprocal relu sigmoid
    sign silu sin sinh softplus sqrt square tan tanh
""".split()  # noqa: SIM905
BINARY = """
    add arctan2 div divide dot fmax fmin hypot inner logaddexp matmul maximum minimum mm mul multiply outer
    pow solve sub subtract
""".split()  # noqa: SIM905
X = np.array([[0.5, 0.25], [0.25, 0.75]])
Y = np.array([[1.5, 2.0], [0.5, 4.0]])
AXES = {"axis": 1, "keepdims": True}
AXIS = {"axis": 0}
DIAGONALS = {"offset": 1, "axis1": 1, "axis2": 0}
ROWS = np.array([[1, 0]])

# What a method is called with, and the same call of the operation: further operands, and options.
WITH_OPTIONS = {
    "argmax": ((1, True), (), AXES), "argmin": ((1, True), (), AXES), "argsort": ((0,), (), AXIS),
    "broadcast_to": ((3, 2, 2), (), {"shape": (3, 2, 2)}), "clip": ((0.3, 0.6), (0.3, 0.6), {}),
    "clamp": ((0.3, 0.6), (0.3, 0.6), {}),
    "cumprod": ((0,), (), AXIS), "cumsum": ((0,), (), AXIS), "diagonal": ((1, 1, 0), (), DIAGONALS),
    "elu": ((2.0,), (), {"alpha": 2.0}), "expand_dims": ((0,), (), AXIS),
    "flatten": ((0, 1), (), {"start_dim": 0, "end_dim": 1}), "flip": ((0,), (), AXIS),
    "gather": ((0, ROWS), (), {"axis": 0, "indices": ROWS}), "gelu": (("tanh",), (), {"approximate": "tanh"}),
    "leaky_relu": ((0.5,), (), {"slope": 0.5}), "log_softmax": ((0,), (), AXIS),
    "logsumexp": ((1, True), (), AXES), "max": ((1, True), (), AXES), "mean": ((1, True), (), AXES),
    "median": ((1, True), (), AXES), "min": ((1, True), (), AXES),
    "moveaxis": ((0, 1), (), {"source": 0, "destination": 1}), "norm": ((None, 1, True), (), AXES),
    "pad": ((1, "edge"), (), {"pad_width": 1, "mode": "edge"}), "permute": ((1, 0), (), {"axes": (1, 0)}),
    "prod": ((1, True), (), AXES), "repeat": ((2, 0), (), {"repeats": 2, "axis": 0}),
    "reshape": ((4, 1), (), {"shape": (4, 1)}), "roll": ((1, 0), (), {"shift": 1, "axis": 0}),
    "round": ((1,), (), {"decimals": 1}),
    "scatter_add": ((0, ROWS, 5.0), (5.0,), {"axis": 0, "indices": ROWS}),
    "softmax": ((0,), (), AXIS), "sort": ((0,), (), AXIS), "squeeze": (((),), (), {"axis": ()}),
    "std": ((1, True, 1), (), AXES | {"ddof": 1}), "sum": ((1, True), (), AXES),
    "swapaxes": ((0, 1), (), {"axis1": 0, "axis2": 1}),
    "take_along_axis": ((ROWS, 0), (), {"indices": ROWS, "axis": 0}), "tile": ((2,), (), {"reps": 2}),
    "trace": ((1, 1, 0), (), DIAGONALS), "transpose": ((1, 0), (), {"axes": (1, 0)}),
    "tril": ((-1,), (), {"k": -1}), "triu": ((1,), (), {"k": 1}), "unsqueeze": ((0,), (), AXIS),
    "var": ((1, True, 1), (), AXES | {"ddof": 1}), "view": ((4, 1), (), {"shape": (4, 1)}),
    "__getitem__": ((0,), (), {"index": 0}),
}  # fmt: skip
WITH_OPTIONS |= {name: ((), (), {}) for name in UNARY} | {name: ((Y,), (Y,), {}) for name in BINARY}


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_a_method_is_its_operation(name):
    arguments, operands, options = WITH_OPTIONS[name]
    x = Tensor(X + 1) if name == "arccosh" else Tensor(X)
    operation = catalogue.find({"__getitem__": "getitem"}.get(name, OTHER_NAMES.get(name, name)))
    mine, expected = getattr(x, name)(*arguments), operation(x, *operands, **options)
    np.testing.assert_array_equal(mine.data, expected.data)
    assert not np.isnan(mine.data).any()
    assert mine.creation_op is expected.creation_op
    if mine.requires_grad:
        assert mine.creators[0] is x


MADE_OF_OPERATIONS = {
    "T": (lambda x: x.T, lambda x: ad.transpose(x)),
    "topk": (lambda x: x.topk(1).values, lambda x: x.max(axis=1, keepdims=True)),
    "diag": (lambda x: x.diag(), lambda x: ad.diagonal(x)),
    "where": (lambda x: x.where(Y > 1, 0.0), lambda x: ad.where(Y > 1, x, 0.0)),
    "bmm": (lambda x: x[None].bmm(Y[None]), lambda x: (x @ Y)[None]),
    "masked_select": (lambda x: x.masked_select(Y > 1), lambda x: x[Y > 1]),
    "split": (lambda x: x.split(2, 1)[1], lambda x: x[:, 1:]),
    "chunk": (lambda x: x.chunk(2, 1)[1], lambda x: x[:, 1:]),
    "unbind": (lambda x: x.unbind(1)[1], lambda x: x[:, 1]),
    "slogdet": (lambda x: x.slogdet().logabsdet, lambda x: ad.logdet(x)),
    "t": (lambda x: x.t(), lambda x: x.T),
    "take": (lambda x: x.take([3, 0, 3]), lambda x: x.ravel()[[3, 0, 3]]),
    "index_select": (lambda x: x.index_select(1, [1, 1, 0]), lambda x: x[:, [1, 1, 0]]),
    "narrow": (lambda x: x.narrow(1, 1, 1), lambda x: x[:, 1:]),
    "masked_fill": (lambda x: x.masked_fill(Y > 1, 3.0), lambda x: ad.where(Y > 1, 3.0, x)),
    "expand": (lambda x: x.expand(3, -1, 2), lambda x: ad.broadcast_to(x, shape=(3, 2, 2))),
    "expand_as": (lambda x: x.expand_as(np.ones((3, 2, 2))), lambda x: ad.broadcast_to(x, shape=(3, 2, 2))),
    "view_as": (lambda x: x.view_as(np.ones(4)), lambda x: x.ravel()),
    "reshape_as": (lambda x: x.reshape_as(np.ones(4)), lambda x: x.ravel()),
    "contiguous": (lambda x: x.contiguous(), lambda x: x),
    "cpu": (lambda x: x.cpu(), lambda x: x),
    "to": (lambda x: x.to("cpu"), lambda x: x),
}
ELSEWHERE = """
    add_ sub_ mul_ div_ fill_ zero_ copy_ clamp_ requires_grad_ is_leaf astype half float double int
    long bool any all dim numel nelement
""".split()  # noqa: SIM905  in test_conversions.py and test_updates.py


@pytest.mark.parametrize(("mine", "expected"), MADE_OF_OPERATIONS.values(), ids=MADE_OF_OPERATIONS)
def test_a_method_that_is_made_of_operations(mine, expected):
    x, same = Tensor(X), Tensor(X)
    found = mine(x)
    np.testing.assert_array_equal(found.data, expected(same).data)
    found.backward(1)
    expected(same).backward(1)
    np.testing.assert_array_equal(x.grad.data, same.grad.data)


def test_shapes_and_axes_are_given_in_either_form():
    x = Tensor(X)
    assert x.view((1, 4)).shape == x.view(1, 4).shape == x.view(1, -1).shape == (1, 4)
    assert x.permute((1, 0)).data.tolist() == x.permute(1, 0).data.tolist() == X.T.tolist()
    assert x.broadcast_to((3, 2, 2)).shape == x.broadcast_to(3, 2, 2).shape == (3, 2, 2)


def test_every_method_is_called_above():
    kinds = (types.FunctionType, property)
    entries = [*vars(Methods).items(), *vars(Conversions).items()]
    methods = {name for name, entry in entries if type(entry) in kinds}
    assert methods == {*WITH_OPTIONS, *MADE_OF_OPERATIONS, *ELSEWHERE}
