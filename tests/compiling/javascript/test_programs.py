"""Every program, and every value of it: what Python computes, its translation to JavaScript computes too.
The programs are those of the value and gradients of every operation of the catalogue, of every layer and
loss, and of a step of every optimizer. A new operation without a counterpart fails here."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import autodiff as ad
from autodiff.compiling.javascript.language import refused
from autodiff.compiling.javascript.shaking import declarations
from autodiff.compiling.javascript.translation import translation_of
from autodiff.compiling.nodes import ELEMENTWISE, reachable
from autodiff.engine.catalogue import catalogue
from tests.compiling import test_layers as layers
from tests.compiling import test_training_step as steps
from tests.compiling.javascript.node import check
from tests.compiling.javascript.programs import OneValue, evaluated, kind_of, recorded
from tests.engine.ops.cases import CASES, calls
from tests.fuzz.compiled import WAYS

NAMES = sorted({operation.name for operation in catalogue if operation.name in CASES})
SEEN: set[object] = set()
TOLERANCE = {"float64": 1e-12, "float32": 3e-5, "float16": 5e-3}
WHOLE = {"float64": 1e-9, "float32": 1e-3, "float16": 0.05}
SIGNS_ARE_FREE = {"eigh", "svd"}  # see test_linalg.py


def check_programs(nd, found):
    """Compare each value of recorded programs, given the values that it is computed from; and what whole
    programs return and write into their arguments."""
    for run in found:
        if any(refused(node) for node in reachable(run.program.results)):
            continue
        values = [*evaluated(run.program, run.before)]
        for made in values:
            check_value(nd, made)
        if not any(getattr(made.node.value, "__name__", "") in SIGNS_ARE_FREE for made in values):
            check_whole(nd, run, values)


def check_value(nd, made):
    kind = kind_of(made)
    if kind in SEEN or made.node.op == "part":
        return
    alone = OneValue(made.node)
    places = [made.node.args.index(arg) for arg in made.node.args]  # what is used twice is one argument
    args = [x for i, x in enumerate(made.args) if places[i] == i and made.node.args[i].op != "const"]
    translation = alone.translation
    try:
        (value,), _ = nd.run(translation, args)
        check_call(value, made)
    except Exception as error:
        error.add_note(f"in {translation.text('program')}, of {made.node}, which is {made.value!r:.300}")
        raise
    SEEN.add(kind)


def check_whole(nd, run, values):
    """With tolerances for what 1e-12 becomes on its way through a program: they are those of the least exact
    dtype in it, relative to its largest value, since results cancel."""
    dtypes = {str(made.node.dtype) for made in values} | {str(node.dtype) for node in run.program.inputs}
    tolerance = max(WHOLE[dtype] for dtype in {*dtypes, "float64"} & WHOLE.keys())
    scale = max(map(largest, [*(made.value for made in values), *run.before, *run.results]), default=0.0)
    translation = translation_of(run.program)
    results, after = nd.run(translation, run.before)
    inputs, updated = run.program.inputs, run.program.updated
    changed = [inputs.index(node) for node in updated if node.shape]
    for i in range(len(after)):
        if i not in changed:
            np.testing.assert_array_equal(after[i], run.before[i], f"argument {i} was changed")
    first = len(run.results) - len(updated)
    expected = run.results[:first] + [x for x, old in zip(run.results[first:], updated) if not old.shape]
    pairs = [*zip(results, expected, strict=True), *((after[i], run.after[i]) for i in changed)]
    for one, other in pairs:
        other = np.asarray(other)
        assert np.shape(one) == other.shape
        if other.dtype.kind == "f":
            np.testing.assert_allclose(one, other, tolerance, tolerance * scale + 1e-300)
        else:
            np.testing.assert_array_equal(one, other)


def largest(value):
    """The largest finite size in a value."""
    if isinstance(value, (list, tuple)):
        return max(map(largest, value), default=0.0)
    array = np.asarray(0.0 if value is None else value)
    if array.dtype.kind not in "fiub":
        return 0.0
    array = array.astype(float)
    return float(np.abs(array[np.isfinite(array)]).max(initial=0.0))


def check_call(found, made):
    expected = list(made.value) if isinstance(made.value, (tuple, list)) else made.value
    if isinstance(expected, list):
        expected = [np.asarray(x) if x is not None else None for x in expected]
    if getattr(made.node.value, "__name__", "") in SIGNS_ARE_FREE and isinstance(expected, list):
        found, expected = [map(np.abs, each) for each in (found, expected)]
        found, expected = [*found], [*expected]
    if made.node.number:
        number = pytest.approx(float(made.value), rel=1e-12, abs=1e-300, nan_ok=True)
        assert np.asarray(found).item() == number
        return
    if not isinstance(expected, list):
        found, expected = [found], [expected]
    for one, other in zip(found, expected, strict=True):
        if other is not None:
            tolerance = TOLERANCE.get(str(np.asarray(other).dtype), 0.0)
            scale = np.abs(np.asarray(other, float))[np.isfinite(np.asarray(other, float))].max(initial=0.0)
            check(one, other, tolerance, tolerance * float(scale) + 1e-300 * bool(tolerance))


@pytest.mark.parametrize("name", NAMES)
def test_operations(nd, name, pytestconfig):
    thorough = pytestconfig.getoption("--thorough")
    ways = ["the gradients inside", *["the second derivative"] * thorough]
    ways = ["the value"] if CASES[name].constant else ways
    operation = catalogue.find(name)

    @settings(
        max_examples=20 if thorough else 2, derandomize=True, database=None, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(data=st.data())
    def some(data):
        operands, options = data.draw(calls(name, (np.float64, np.float32)))
        with np.errstate(all="ignore"), recorded() as found:
            for way in ways:
                WAYS[way](lambda *x: operation(*x, **options), operands, ad.compile)
        check_programs(nd, found)

    some()


@pytest.mark.parametrize("name", layers.LAYERS)
def test_layers_and_losses(nd, name):
    layer, arrays = layers.LAYERS[name]
    with recorded() as found:
        for training in (True, False):
            twin = copy.deepcopy(layer).train(training)
            ad.seed(3)
            layers.results(ad.compile(twin), twin, arrays)
    check_programs(nd, found)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "options"), steps.OPTIMIZERS)
def test_optimizers(nd, name, options, dtype):
    with recorded() as found:
        steps.trained(name, options, dtype, is_compiled=True, steps=3, with_noise=True)
    check_programs(nd, found)


REFUSED_ELEMENTWISE = {
    "bitwise_count": "counts bits, which programs do not",
    "isnat": "of dates, which the runtime has not",
    "nextafter": "of the last bit, which differs between dtypes",
    "spacing": "of the last bit, which differs between dtypes",
}


def test_every_elementwise_function_is_there_or_refused():
    """Nodes have the first name of a function that has several."""
    names = {name for name in ELEMENTWISE if getattr(np, name).__name__ == name}
    assert names - set(declarations()) == REFUSED_ELEMENTWISE.keys()
