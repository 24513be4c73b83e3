"""What the benchmarks compare computes the same gradients. How fast is not asserted here."""

from __future__ import annotations

import importlib.util
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from benchmarks import (
    array_mlp,
    array_operations,
    attention,
    chain,
    compiled,
    compiled_numbers,
    compiled_steps,
    drawing,
    large_arrays,
    peak_memory,
    pictures,
    projects,
    recurrent,
    scalar_mlp,
)
from benchmarks.__main__ import APART, BEGIN, END, README, environment, head, line, machine, workloads
from benchmarks.measure import Row
from benchmarks.peers import Adam, ours
from benchmarks.workload import check, compare, disagreement

ROOT = Path(__file__).resolve().parents[1]
POINTS = 5


def test_scalar_network_s_slope_agrees_with_nudges():
    """Along one random direction, through all 337 parameters at once."""
    layers, data = scalar_mlp.network(ad.Tensor), scalar_mlp.points(POINTS)
    parameters = scalar_mlp.parameters(layers)
    scalar_mlp.loss_of(layers, data).backward()
    rng, before = random.Random(2), [p.item() for p in parameters]
    direction = [rng.gauss(0, 1) for _ in parameters]
    slope = sum(float(p.grad) * d for p, d in zip(parameters, direction))

    def loss_after(step):
        for p, value, d in zip(parameters, before, direction):
            p.data = value + step * d
        with ad.no_grad():
            return scalar_mlp.loss_of(layers, data).item()

    assert (loss_after(1e-6) - loss_after(-1e-6)) / 2e-6 == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("peer", ["micrograd", "torch"])
def test_scalar_network_s_gradients_agree_with_a_peer_s(peer):
    if importlib.util.find_spec(peer) is None:
        pytest.skip(f"{peer} is not installed")
    assert scalar_mlp.disagreement(peer, POINTS) < 1e-12


ON_ARRAYS = [
    *map(array_mlp.network, ("float32", "float64")),
    recurrent.rnn(steps=4, hidden=8),
    recurrent.lstm(steps=3, hidden=8),
    attention.function(False, 2, 4, 8),
    attention.function(True, 2, 4, 8),
    attention.layer(2, 4, 8),
    array_operations.five_operations(),
    array_operations.bias_add(5, 3),
    array_operations.batched_matmul(2, 4, 3),
    array_operations.elementwise_chain(50),
    large_arrays.step_on(50),
    array_operations.ThirdDerivative(3),
    array_operations.ThirdDerivative(None),
]


@pytest.mark.parametrize("workload", ON_ARRAYS, ids=lambda workload: workload.what)
def test_array_workload_s_gradients_agree_with_those_by_hand(workload):
    check(workload, {"ours": workload.step(ours())}, {"ours": ours()})


@pytest.mark.parametrize("layer", recurrent.layers([recurrent.rnn(4, 8), recurrent.lstm(3, 8)])[:2])
def test_a_layer_s_gradients_agree_with_those_by_hand(layer):
    """On the same weights, turned and reordered as PyTorch has them."""
    check(layer, {"ours": layer.step(ours())}, {"ours": ours()})


def test_other_gradients_than_those_by_hand_end_the_run():
    workload = array_operations.bias_add(5, 3)
    more = replace(workload, by_hand=lambda: [1.001 * grad for grad in workload.by_hand()])
    with pytest.raises(AssertionError, match="bias added to 5x3: ours and NumPy by hand do not agree"):
        check(more, {"ours": workload.step(ours())}, {"ours": ours()})


@pytest.mark.parametrize("wrong", [[np.nan], [[1.0]], [1.001]])
def test_nan_and_another_shape_are_no_agreement(wrong):
    assert disagreement([np.array([1.0])], [np.array([1.0])]) == 0
    assert not disagreement([np.array(wrong)], [np.array([1.0])]) < 1e-4


def test_adam_by_hand_moves_as_the_package_s_does():
    w, gradients = np.array([1.0, -2.0]), ([0.5, -3.0], [0.1, 4.0], [-2.0, 0.0])
    tensor = ad.Tensor(w)
    by_hand, optimizer = Adam([w], 0.01), ad.optim.Adam([tensor], lr=0.01)
    for grad in gradients:
        by_hand.step([np.array(grad)])
        tensor.grad = ad.Tensor(grad)
        optimizer.step()
    assert tensor.data == pytest.approx(w, rel=1e-12)


@pytest.mark.thorough
def test_peak_memory_is_that_of_the_arrays():
    """Forward a new array of 64 KiB, backward one more each for the result's gradient and a leaf's."""
    workload = array_operations.bias_add(64, 256)
    assert 2 * 64 <= peak_memory.peak(workload, "ours", ours(release=True)) / 1024 < 4 * 64
    # The least of three, since a table somewhere may grow meanwhile.
    assert 0 < min(peak_memory.left_over(workload) for _ in range(3)) < 1024


def test_pytorch_s_memory_is_counted():
    torch = pytest.importorskip("torch")

    def step():
        x = torch.ones(1000)
        y = x + x  # two arrays at a time,
        del x
        return y * y  # and again two

    assert peak_memory.profiled_peak(step) == 2 * 4000


def test_the_lessons_stored_pictures_are_found():
    assert len(drawing.stored_sizes().values) > 50


def test_a_peer_that_is_not_there_is_left_out_with_a_word(monkeypatch):
    monkeypatch.setattr("benchmarks.workload.installed", lambda module: False)
    rows = compare(array_operations.bias_add(5, 3), {"PyTorch": "at most 1"}, times=1, rounds=1)
    assert rows[0].values == []
    assert "skipped: torch is not installed" in line(rows[0])
    assert "dezero is not installed" in rows[1].note
    assert rows[1].values


def test_chain_s_slope():
    x, y = chain.chain(1_000)
    y.backward()
    assert float(x.grad) == pytest.approx(chain.FACTOR**1_000)


@pytest.mark.thorough
def test_chain_s_memory_is_measured():
    figures = {row.what.partition(": ")[2]: row.median for row in chain.memory_per_node(length=2_000)}
    assert figures["recorded"] > 64  # no node is smaller: less would mean that nothing was counted
    assert figures["walked back, `.grad` not looked at"] > figures["recorded"]


@pytest.mark.parametrize(
    ("goal", "value", "reached"),
    [("at least 8", 8.0, True), ("at least 8", 7.9, False), ("at most 1.15", 1.2, False), ("", 1.0, None)],
)
def test_a_goal_is_judged_by_the_median(goal, value, reached):
    assert Row("a figure", goal, [0.0, value, 100.0]).reached is reached
    assert Row("not measured", goal, []).reached is None


QUICK = {
    "chain-memory": "bytes a node",
    "arrays": "network of arrays 20-10-10-5, float32: our time by NumPy's by hand | at most 1.06",
    "operations": "third derivative of tanh, one number: our time by PyTorch's | at most 0.5",
    "large": "a step alone on 10,000: our time by PyTorch's | at most 0.8",
    "recurrent": "nn.LSTM over 3 steps, 8 wide: our time by PyTorch's | at most 0.7",
    "attention": "attention of 2x4 heads over 4 places: our time by PyTorch's | at most 1",
    "pictures": "ConvNet step, 4 pictures, as it comes: our time by PyTorch's | at most 0.65",
    "memory": "the last node alive | at most 1",
    "compiled": "five operations on 4x4: compiled time by NumPy's by hand | at most 1",
    "ablation": "without cse",
}


@pytest.mark.parametrize(
    "name", [name if name == "ablation" else pytest.param(name, marks=pytest.mark.thorough) for name in QUICK]
)
def test_command_runs_a_workload_in_a_process_of_its_own(name):
    """With every peer that is here: the run ends with an error if their gradients differ."""
    command = [sys.executable, "-m", "benchmarks", name, "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert QUICK[name] in done.stdout
    assert machine() in done.stdout


def test_command_says_which_workloads_there_are():
    command = [sys.executable, "-m", "benchmarks", "chains"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert f"there is no chains; there are {', '.join(workloads())}" in done.stderr


def in_environment(threads, program):
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=os.environ | environment(threads),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.split()


@pytest.mark.thorough
@pytest.mark.parametrize("threads", [1, 2])
def test_numpy_and_pytorch_have_as_many_threads(threads):
    pools = "[pool['num_threads'] for pool in threadpool_info() if 'numpy' in pool['filepath']]"
    if importlib.util.find_spec("threadpoolctl"):
        program = f"import numpy; from threadpoolctl import threadpool_info; print(*{pools})"
        assert set(in_environment(threads, program)) <= {str(min(threads, os.cpu_count()))}
    if importlib.util.find_spec("torch"):
        start = "import torch; from benchmarks import peers, pictures;"
        for made in ("peers.pytorch()", "pictures.network_of_torch(2)"):
            program = f"{start} torch.set_num_threads(3); {made}; print(torch.get_num_threads())"
            assert in_environment(threads, program) == [str(threads)]


def test_the_time_of_several_threads_is_not_added_up():
    program = "from benchmarks.measure import clock; print(clock.__name__)"
    assert in_environment(2, program) == ["perf_counter"]
    if os.name == "posix":
        assert in_environment(1, program) == ["process_time"]


@pytest.mark.thorough
def test_command_measures_with_two_threads_and_does_not_write_that():
    command = [sys.executable, "-m", "benchmarks", "--threads", "2"]
    done = subprocess.run(
        [*command, "attention", "--quick"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert machine(2) in done.stdout
    assert "2 threads used" in machine(2)
    refused = (
        (["--write"], "on one thread"),
        (["compiled", "--write"], "on one thread"),
        (["--threads", "0"], "at least 1, not 0"),
    )
    for arguments, message in refused:
        done = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert message in done.stderr


def test_readme_holds_the_table():
    text = README.read_text(encoding="utf-8")
    table = text.partition(BEGIN)[2].partition(END)[0]
    assert table.count("| at least ") + table.count("| at most ") == 58


def test_a_table_without_goals_has_no_columns_for_them():
    row = Row("without fold", "", [0.5, 1.5])
    assert line(row) == "| without fold |  | 1.00 | 0.50 to 1.50 |  |"
    assert line(row, has_goals=False) == "| without fold | 1.00 | 0.50 to 1.50 |"
    assert head(has_goals=False) == "| measured | median | smallest to largest |\n|---|---|---|"
    text = README.read_text(encoding="utf-8")
    assert f"{APART['ablation']}\n{head(has_goals=False)}\n" in text
    assert f"{APART['compiled']}\n{head()}\n" in text


def test_a_table_of_its_own_takes_one_name():
    command = [sys.executable, "-m", "benchmarks", "--write"]
    for names in (["compiled", "--quick"], ["compiled", "ablation"], ["arrays"]):
        done = subprocess.run([*command, *names], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "the whole table, or compiled or ablation or projects" in done.stderr


def test_readme_holds_the_tables_of_the_compiler():
    text = README.read_text(encoding="utf-8")
    goals = {"compiled": 33, "ablation": 0, "projects": 11, "accuracy": 0, "live": 12}
    for name, begin in APART.items():
        assert text.count(begin) == 1
        table = text.partition(begin)[2].partition(END)[0]
        assert table.count("| at least ") + table.count("| at most ") == goals[name]
        assert len(table.splitlines()) > 10


def test_the_networks_of_the_lessons_take_the_same_steps_in_both_packages():
    pytest.importorskip("torch")
    painter, words = (next(p for p in projects.projects() if p.what.startswith(n)) for n in ("31", "35"))
    for project in (painter, words):
        steps = {"compiled": projects.ours(project), "PyTorch": projects.pytorch(project)}
        projects.check(project, steps)
    with pytest.raises(AssertionError, match="31, painter: the losses of other are"):
        projects.check(painter, {"other": projects.ours(words), "PyTorch": projects.pytorch(painter)})


def test_the_network_of_numbers_by_hand_has_the_slopes_of_the_engine():
    contest = compiled_numbers.network(POINTS)
    steps = {name: contest.others[name]() for name in ("eager", compiled.HAND)}
    compiled.check(contest, steps)
    loss, _ = steps["eager"]()
    assert loss.item() == pytest.approx(steps[compiled.HAND]()[0], rel=1e-12)


def test_a_contender_that_computes_something_else_ends_the_run():
    contest = compiled_numbers.second_derivative()
    right = contest.others[compiled.HAND]()
    with pytest.raises(AssertionError, match="second derivative of a number: eager and NumPy by hand do not"):
        compiled.check(contest, {"eager": lambda: 1.001 * right(), compiled.HAND: right})
    contest = replace(contest, agrees=lambda: False)
    with pytest.raises(AssertionError, match="the compiled step does not do the same"):
        compiled.check(contest, {})


def test_steps_of_training_do_the_same_compiled():
    network, _, epoch = compiled_steps.contests(quick=True)
    for contest in (network, epoch):
        compiled.check(contest, {})


def test_the_networks_of_pictures_have_the_same_gradients_exact_and_fast():
    exact, fast = pictures.network_of_ours(4, exact=True), pictures.network_of_ours(4, exact=False)
    assert disagreement(fast(), exact()) < 1e-4
    for single in map(pictures.small, pictures.SINGLES):
        assert disagreement(single.of_ours(False)(), single.of_ours(True)()) < 1e-5
