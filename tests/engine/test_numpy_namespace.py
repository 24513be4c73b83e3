"""Of all functions in NumPy's namespace: none gives a plain result where a gradient is lost by it."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import Tensor
from autodiff.numpy_protocol.functions import PLAIN, PLAIN_UFUNCS, UFUNCS

ROWS = np.array([[0.5, -2.0, 3.0], [4.0, 1.5, -6.0], [1.0, 2.5, 0.75]]) + 4 * np.eye(3)
ARGUMENTS = [
    lambda x: (x,), lambda x: (x, x), lambda x: (x, 1), lambda x: ([x, x],), lambda x: (x, x, x),
    lambda x: (x, 0, 1), lambda x: (x[0],), lambda x: (x[0], x[1]), lambda x: (x[0, 0],),
    lambda x: ([x[0], x[1]],), lambda x: (x, (1, 0)), lambda x: (1.5, x), lambda x: (x, x[0]),
    lambda x: (x[0], x[1], x[2]), lambda x: ("ij->ji", x), lambda x: (ROWS > 0, x, 0.0),
    lambda x: ([ROWS > 0], [x]), lambda x: (x, 0.5), lambda x: (x, [0, 2], 1), lambda x: (x, 2, -1),
    lambda x: (x[0, 0], x[1, 1]), lambda x: ([x[0, 0], 1.0],), lambda x: (1, x[0, 0]),
]  # fmt: skip
WITH_EFFECTS = {
    "from_dlpack", "frombuffer", "fromfile", "fromregex", "fromstring", "genfromtxt", "info", "load",
    "loadtxt", "printoptions", "save", "savetxt", "savez", "savez_compressed", "setbufsize", "seterr",
    "seterrcall", "set_printoptions", "show_config", "show_runtime", "test",
}  # fmt: skip
CONSTANTS = {
    "argmax", "argmin", "argsort", "around", "ceil", "empty_like", "fix", "floor", "floor_divide",
    "full_like", "ones_like", "rint", "round", "sign", "trunc", "zeros_like",
    "norm", "where",  # of order 0; of a condition alone
}  # fmt: skip
NEVER_ASKED = {
    # they look at the type, dtype or length
    "bmat", "broadcast_shapes", "isscalar", "issubdtype", "iterable", "mintypecode", "promote_types",
    # the Tensor stands for a size or a dtype; a number is asked for by float(t) or int(t)
    "array", "asanyarray", "asarray", "asarray_chkfinite", "ascontiguousarray", "asfortranarray", "asmatrix",
    "astype", "base_repr", "empty", "eye", "format_float_positional", "format_float_scientific", "fromiter",
    "identity", "indices", "ones", "require", "roots", "tri", "tril_indices", "triu_indices", "zeros",
}  # fmt: skip
"""What gives something plain although a Tensor that needs a gradient was among its arguments: NumPy does not
tell us. ``np.float64(t)`` is ``float(t)``, as ``np.fromiter`` of 0-d Tensors is."""

FUNCTIONS = {
    f"{module.__name__}.{name}".replace("numpy", "np"): getattr(module, name)
    for module in (np, np.linalg)
    for name in dir(module)
    if name[0] != "_"
    and name not in WITH_EFFECTS
    and callable(getattr(module, name))
    and not isinstance(getattr(module, name), type)
}


def parts(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def tensors_in(result):
    if isinstance(result, Tensor):
        return [result]
    return [t for part in result for t in tensors_in(part)] if isinstance(result, (list, tuple)) else []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_of_numpy_s_records_or_refuses_or_only_looks(name):
    function, short = FUNCTIONS[name], name.rpartition(".")[2]
    looks = {f.__name__ for f in (*PLAIN, *PLAIN_UFUNCS)} | NEVER_ASKED
    for arguments in ARGUMENTS:
        try:
            found = function(*arguments(Tensor(ROWS)))
        except Exception:  # noqa: BLE001  a refusal, or arguments that are none for this function
            continue
        tensors = tensors_in(found)
        if not tensors and (tensors_in(arguments(Tensor(ROWS))[0]) or isinstance(function, np.ufunc)):
            assert short in looks or (short == "where" and len(arguments(ROWS)) == 1)
        if tensors and not any(tensor.requires_grad for tensor in tensors):
            assert short in CONSTANTS
        if not tensors or short == "empty_like":
            continue
        try:
            expected = function(*arguments(ROWS.copy()))
        except Exception:  # noqa: BLE001  some of ours take more: np.clip(x, 0), a Tensor for a dtype
            continue
        for mine, theirs in zip(parts(found), parts(expected), strict=True):
            data = mine.data if isinstance(mine, Tensor) else mine
            np.testing.assert_allclose(data, theirs, rtol=1e-9, atol=1e-12)
            assert np.shape(data) == np.shape(theirs)


def test_ufuncs_are_all_in_one_of_the_tables_or_refused():
    for function in vars(np).values():
        if isinstance(function, np.ufunc) and function not in UFUNCS and function not in PLAIN_UFUNCS:
            with pytest.raises(TypeError):
                function(*[Tensor(ROWS)] * function.nin)


# -- arrays made of lists of Tensors -------------------------------------------------------------------------


@pytest.mark.parametrize("value", [2.0, [1.0, 2.0]], ids=["numbers", "arrays"])
@pytest.mark.parametrize("make", [np.array, np.asarray, np.asanyarray, np.sum, np.exp])
def test_a_list_of_tensors_is_refused_if_it_would_lose_a_gradient(make, value):
    """NumPy asks each of them for an array (only np.stack and its like hand the list over to us)."""
    t = Tensor(value)
    for values in ([t, t], [t], (t, 1.0 if value == 2.0 else [1.0, 2.0])):
        with pytest.raises(TypeError, match="would lose its gradient as a plain array"):
            make(values)
    constant = t.detach()
    np.testing.assert_array_equal(make([constant, constant]), make([value, value]))
    assert np.stack([t, t]).creation_op == "stack"
