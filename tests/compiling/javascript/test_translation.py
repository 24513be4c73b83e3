"""The text of a translation, and what a compiled function says of its program's arguments and results."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn, optim
from autodiff.compiling.javascript import translated
from autodiff.compiling.training_step import TrainingStep


def compiled(f, *args, **options):
    fast = ad.compile(f, **options)
    fast(*args)
    return fast


def test_the_module_runs_as_it_is(tmp_path):
    if shutil.which("node") is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    w = ad.Tensor([[1.0, 2.0], [3.0, 4.0]], name="w", requires_grad=False)
    fast = compiled(ad.value_and_grad(lambda x: ad.tanh(x @ w).sum()), np.array([0.5, -1.0]))
    (tmp_path / "program.mjs").write_text(fast.javascript(), encoding="utf-8")
    (tmp_path / "main.mjs").write_text(
        'import {nd, program} from "./program.mjs";\n'
        'const x = nd.array([0.5, -1], "float64"), w = nd.array([[1, 2], [3, 4]], "float64");\n'
        "const [value, slope] = program(x, w);\n"
        "console.log(nd.tolist(value), ...nd.tolist(slope));\n",
        encoding="utf-8",
    )
    found = subprocess.run(["node", str(tmp_path / "main.mjs")], capture_output=True, text=True, check=True)
    value, slope = fast(np.array([0.5, -1.0]))
    np.testing.assert_allclose([*map(float, found.stdout.split())], [value, *slope], 1e-15)


def test_numbers_need_no_runtime():
    fast = compiled(ad.value_and_grad(lambda a, b: ad.tanh(a * b) + a**2, argnums=(0, 1)), 1.5, -2.0)
    assert "nd" not in fast.javascript()


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda a, b: ad.sigmoid(a * b) * a**3, (0.3, 1.2)),
        (lambda x, y: ad.log_softmax(x @ y).sum(), (np.ones((3, 4)), np.ones((4, 2)))),
        (lambda x: ad.solve(x, x.sum(axis=0)).max(), (np.eye(3) + 1,)),
        (lambda x: (x[1:] * x[:-1]).sum() + x[::2].prod(), (np.arange(5.0),)),
    ],
)
def test_lines_stand_beside_those_that_a_reader_sees(f, args):
    fast = compiled(ad.value_and_grad(f), *args)
    lines = translated(fast).lines
    program = [line.split("  #")[0].strip() for line in str(fast.program).split("\n")]
    start = next(i for i, line in enumerate(program) if line.startswith("def "))
    body = [line for line in program[start + 1 :] if line and not line.startswith("#")]
    assert [line.python for line in lines] == body[: len(lines)]
    assert body[len(lines)].startswith("return")
    assert all(line.name in line.javascript for line in lines)


def test_a_minified_module_computes_the_same(nd):
    x = np.linspace(-1, 1, 6).reshape(2, 3)
    fast = compiled(lambda x: ad.softmax(x, axis=1).cumsum(axis=0), x)
    whole, small = fast.javascript(), fast.javascript(minify=True)
    assert len(small) < 0.9 * len(whole)
    for text in (whole, small):
        text = text.replace("export {nd, program};", "")
        inner = 'nd.tolist(program(nd.array([[-1, -0.6, -0.2], [0.2, 0.6, 1]], "float64"))[0])'
        found = nd.evaluated(f"{text}\nreturn {inner};")
        np.testing.assert_allclose(found, fast(x), 1e-12)


def test_words_that_javascript_reserves(nd):
    f = lambda new, var, nd, Math, Infinity: (new * var + nd) * Math - Infinity
    fast = compiled(f, 0.0, 1.0, 2.0, 3.0, 4.0)
    found, _ = nd.run(translated(fast), [2.0, 3.0, 4.0, 5.0, 6.0])
    assert found == [(2 * 3 + 4) * 5 - 6]


def test_results_share_no_memory(nd):
    """Neither with arguments nor with each other: what is written into one leaves the others as they are."""
    fast = compiled(lambda x: (x.T, x, x[0], x.reshape(-1), x + 1), np.arange(6.0).reshape(2, 3))
    text = translated(fast).text("program")
    assert text.count("nd.copy(") == 4


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: np.spacing(x) * 2, r"^the JavaScript runtime has no spacing: np.spacing\(x\)$"),
        (lambda x: np.abs(x.astype("complex128")), "no complex numbers"),
        (lambda x: np.spacing(x), "np.spacing"),
        (lambda x: np.unwrap(x), "the JavaScript runtime has no unwrap"),
    ],
)
def test_what_has_no_counterpart_is_refused_by_name(f, message):
    fast = compiled(f, np.ones(4))
    with pytest.raises(NotImplementedError, match=message):
        fast.javascript()


def test_a_function_from_elsewhere_is_refused_whatever_it_is_called():
    special = pytest.importorskip("scipy.special")
    fast = compiled(lambda x: special.expit(x), np.ones(3))
    with pytest.raises(NotImplementedError, match=r"no expit: expit_1 = expit\(x\)"):
        fast.javascript()


def test_a_packed_program_is_translated_as_it_was_traced(nd):
    weights = [0.01 * i for i in range(200)]

    def f(xs):
        total = xs[0]
        for w, x in zip(weights, xs):
            total = total + ad.tanh(w * x)
        return total

    numbers = [0.01 * i for i in range(200)]
    fast = compiled(ad.value_and_grad(f), numbers)
    value, slopes = fast(numbers)
    found, _ = nd.run(translated(fast), numbers)
    np.testing.assert_allclose(found, [value, *slopes], 1e-12)


def test_before_the_first_call():
    for look in (lambda fast: fast.javascript(), lambda fast: fast.arguments, lambda fast: fast.results):
        with pytest.raises(RuntimeError, match="call it first"):
            look(ad.compile(lambda x: x))


# -- arguments and results ----------------------------------------------------------------------------------


def test_arguments_and_results_of_a_training_step(nd):
    ad.seed(0)
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Dropout(0.5), nn.Linear(3, 1))
    optimizer = optim.Adam(model.parameters(), 0.01)
    step = TrainingStep(model, nn.MSELoss(), optimizer)
    x, y = np.ones((4, 2)), np.zeros((4, 1))
    for _ in range(2):
        step(x, y)
    fast = step._whole
    kinds = [each.kind for each in fast.arguments]
    assert kinds == sorted(kinds, key=["argument", "captured", "drawn", "gradient"].index)
    captured = [each for each in fast.arguments if each.kind == "captured"]
    assert {each.tensor for each in captured} >= set(model.parameters())
    assert all(each.is_updated for each in captured)
    (drawn,) = [each for each in fast.arguments if each.kind == "drawn"]
    assert drawn.draw.method == "random"
    assert {each.kind for each in fast.results} == {"result"}


def test_a_gradient_that_is_added_to():
    w = ad.Tensor([1.0, 2.0], name="w")

    def f(x):
        (w * x).sum().backward()
        return w.sum()

    fast = ad.compile(f)
    fast(3.0)
    assert [each.kind for each in fast.results] == ["result", "gradient"]
    fast(3.0)
    assert [each.kind for each in fast.arguments] == ["argument", "captured", "gradient"]
    assert fast.arguments[2].tensor is w


def test_arguments_that_are_returned_are_not_among_the_results():
    fast = compiled(lambda a, b: (b, a * b, a), ad.Tensor(2.0), ad.Tensor(3.0))
    assert [each.place for each in fast.results] == [1]
