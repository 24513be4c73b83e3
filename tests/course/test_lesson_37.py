"""Lesson 37: the numbers of its prose, the simulated workers, the stored run, and the cell that uses Ray."""

from __future__ import annotations

import contextlib
import heapq
import io

import numpy as np
import pytest

from autodiff import data, nn, optim, training
from autodiff_course import runs
from autodiff_course.runs import lesson_37, store
from tests.course.stored import cells, lesson_path, prose, said

pytest.importorskip("sklearn")

LESSON = lesson_path("37")
PROSE = prose(LESSON)
RUN = runs.stored("37")


def source(holds):
    """The code of the notebook's first cell with these words, without what it shows."""
    code = next(cell.source for cell in cells(LESSON) if holds in cell.source)
    return code.partition("\nplots.")[0]


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


@pytest.fixture(scope="module")
def lesson():
    """The names of the lesson, with the functions of the full run in the place of the reader's."""
    given = {name: getattr(lesson_37, name) for name in ("average", "Server", "hand_out", "Died")}
    names = {"np": np, "heapq": heapq, "data": data, "nn": nn, "optim": optim, "training": training, **given}
    with contextlib.redirect_stdout(io.StringIO()):
        for words in ("whole =", "def worker(", "def run_workers", "def together", "def loss_after"):
            exec(source(words), names)
    return names


# -- averages -----------------------------------------------------------------------------------------------


def test_the_gradient_of_four_examples_in_two_parts():
    (found,) = lesson_37.average([[np.array(2.0)], [np.array(6.0)]], [3, 1])
    assert found == 3
    assert "three examples is 2. The gradient of the second worker's one example is 6." in PROSE


@pytest.mark.parametrize("counts", [[25, 25, 25, 25], [10, 20, 30, 40], [99, 1], [100]])
def test_averaged_parts_are_the_whole_batch(lesson, counts):
    rows = np.split(np.arange(100), np.cumsum(counts)[:-1])
    gradients = [lesson["gradient_of"](lesson["begin"], part) for part in rows]
    assert lesson["same"](lesson_37.average(gradients, counts), lesson["whole"])
    plain = [sum(each) / len(counts) for each in zip(*gradients)]
    assert lesson["same"](plain, lesson["whole"]) == (len(set(counts)) == 1)


# -- workers that take turns --------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 4, 7])
def test_equally_fast_workers_lag_by_one_less_than_their_number(lesson, count):
    server, _ = lesson["run_workers"]((1,) * count, 1, 0.1)
    assert len(server.lags) == 26
    assert set(server.lags[count:]) == {count - 1}


def test_every_batch_is_taken_once(lesson):
    taken = []
    shared = (taken.append(k) or rows for k, rows in enumerate(lesson["batches"](2)))
    server = lesson_37.Server(lesson["begin"], 0.1)
    lesson["simulate"]([lesson["worker"](server, s, shared) for s in (1, 1, 2.5)])
    assert taken == list(range(52))
    assert server.version == 52


def test_three_workers_in_step_wait_for_more_than_half_of_the_time(lesson):
    team = lesson["together"](lesson["SECONDS"], 15)
    assert [sum(end - start for start, end in spans) / 15 for spans in team] == [0.4, 0.4, 0.4, 1]
    assert "do nothing for more than half of the time" in PROSE


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_old_gradients_need_a_smaller_rate(lesson, monkeypatch, seed):
    real = lesson["batches"]
    monkeypatch.setitem(lesson, "batches", lambda epochs: real(epochs, seed))
    after = lesson["loss_after"]
    assert after(1, 0.5) < 0.3
    assert after(4, 0.5) > 3
    assert abs(after(4, 0.1) - after(1, 0.1)) < 0.05


def test_the_losses_are_as_the_lesson_says(lesson):
    for rate in (0.5, 0.1):
        losses = [lesson["loss_after"](workers, rate) for workers in (1, 4)]
        assert "rate {}:  one worker {:.2f}, four workers {:.2f}\n".format(rate, *losses) in printed(
            "def loss_after"
        )
        for loss in losses:  # far from where the second decimal changes
            assert 1e-4 < (loss - 0.005) % 0.01 < 0.0099
    assert 2.2 < lesson["loss_of"](lesson["begin"], np.arange(1300)).item() < 2.5


def seconds_until(lesson, workers, rate, loss):
    """How many seconds the workers need until the loss is reached, if each batch takes one."""
    done = []

    class Watched(lesson_37.Server):
        def push(self, version, gradient):
            super().push(version, gradient)
            if not done and lesson["loss_of"](self.weights, lesson["everything"]).item() <= loss:
                done.append(-(-self.version // workers))

    server, batches = Watched(lesson["begin"], rate), lesson["batches"](40)
    shared = (rows for rows in batches if not done)
    lesson["simulate"]([lesson["worker"](server, 1, shared) for _ in range(workers)])
    return done[0]


def test_four_workers_are_twice_as_fast_as_one(lesson):
    one = seconds_until(lesson, 1, 0.5, 0.22)
    four = [seconds_until(lesson, 4, rate, 0.22) for rate in (0.1, 0.2, 0.3)]
    assert (
        f"one worker at 0.5 has reached a loss of 0.22 after {one} seconds, and four need {four[0]} at the "
        f"rate 0.1, {four[1]} at 0.2 and {four[2]} at 0.3."
    ) in PROSE
    assert f"at the rate 1.3 it needs {seconds_until(lesson, 1, 1.3, 0.22)}.)" in PROSE
    assert 1.8 < one / four[2] < 2.5  # about twice


def test_the_red_gradients_are_those_of_the_slow_worker(lesson):
    late = []

    class Noted(lesson_37.Server):
        def push(self, version, gradient):
            super().push(version, gradient)
            if self.lags[-1] > np.median(lesson["slow"].lags) + 1:  # as the picture colours them
                late.append(self.lags[-1])

    server, shared = Noted(lesson["begin"], 0.1), lesson["batches"](1)
    *others, last = [lesson["worker"](server, own, shared) for own in lesson["SECONDS"]]
    pushed = []

    def noted(worker):
        for seconds in worker:
            yield seconds
            pushed.append(server.version)

    lesson["simulate"]([*others, noted(last)])
    assert server.lags == lesson["slow"].lags
    assert late == [server.lags[k] for k in pushed]
    assert len(late) > 2


@pytest.mark.parametrize(("lag", "limit"), [(0, 2), (1, 1), (3, 0.445)])
def test_the_limits_of_the_rate_on_a_parabola(lag, limit):
    def end(rate):
        w = [1.0] * (lag + 1)
        for _ in range(4000):
            w.append(w[-1] - rate * w[-1 - lag])
        return abs(w[-1])

    assert end(0.99 * limit) < 1e-3
    assert end(1.01 * limit) > 10
    assert "With a lag of one step only rates below 1 do, and with a lag of three those below" in PROSE
    assert "those below about 0.45." in PROSE


@pytest.mark.parametrize("death", [1, 13, 26])
def test_a_death_changes_no_digit(lesson, death):
    exec(source("def train_in_step").partition("\n\n\nundisturbed")[0], lesson)
    train = lesson["train_in_step"]
    for one, other in zip(train(), train(death=death), strict=True):
        assert np.array_equal(one, other)
    assert printed("def train_in_step") == "all numbers equal: True\n"


def test_no_part_is_lost_when_all_workers_are_dead():
    def dead(part):
        raise lesson_37.Died

    with pytest.raises(RuntimeError, match="no worker is left"):
        lesson_37.hand_out([1, 2, 3], [dead, dead])


# -- the stored run -----------------------------------------------------------------------------------------


def milliseconds(network, way):
    return 1000 * RUN[f"{network}_{way}"].min()


def test_the_stored_run_is_small_and_as_the_lesson_describes_it():
    assert (store.RESULTS / "lesson_37.npz").stat().st_size < 50 * 1024
    for network, make in lesson_37.MAKERS.items():
        numbers = sum(p.size for p in make().net.parameters())
        assert numbers == RUN[f"{network}_numbers"]
        assert f"{numbers:,} numbers" in PROSE
        assert len(RUN[f"{network}_sync_2"]) == lesson_37.ROUNDS == 12
    assert RUN["cores"] == 2
    assert RUN["load"] > 2  # busy with other programs
    assert lesson_37.STEPS == 7
    assert lesson_37.SIZE == 240
    assert abs(RUN["seconds"] / 60 - 3) < 0.5


def test_the_stored_run_lost_nothing_with_a_dead_worker():
    assert RUN["replaced"] == 1
    assert RUN["equal"]
    assert np.array_equal(RUN["loss_whole"], RUN["loss_killed"])


@pytest.mark.parametrize("network", lesson_37.NETWORKS)
def test_two_workers_in_step_learned_what_one_process_learned(network):
    np.testing.assert_allclose(RUN[f"{network}_loss_sync_2"], RUN[f"{network}_loss_alone"], rtol=1e-4)
    assert RUN[f"{network}_loss_async_2"][-1] < RUN[f"{network}_loss_async_2"][0]


@pytest.mark.parametrize("network", lesson_37.NETWORKS)
def test_the_costs_are_as_the_prose_says(network):
    assert milliseconds(network, "sync_1") > milliseconds(network, "alone")
    assert milliseconds(network, "sync_2") > milliseconds(network, "sync_1")
    work = milliseconds(network, "alone")
    ways = [milliseconds(network, f"{mode}_{workers}") for mode, workers in lesson_37.WAYS]
    assert min(ways) > 0.95 * work  # none was clearly faster
    message = milliseconds(network, "sync_1") - work
    assert f"work {work:.0f} ms, message {message:.0f} ms" in printed("price = {}")
    if network == "dense":
        assert 0.5 < message / work < 1.5  # about as long
        assert all(work / n + n * message > work for n in range(1, 100))
        assert "No number of workers helps the dense network." in PROSE


def test_the_picture_of_many_workers_says_what_the_formula_says():
    work = milliseconds("convolution", "alone")
    message = milliseconds("convolution", "sync_1") - work
    times = {n: 100 * work / n + n * message for n in range(1, 129)}
    best = min(times, key=times.__getitem__)
    words = printed("def step_of")
    assert f"a hundred times the batch: at most {100 * work / times[best]:.0f} times, with {best};" in words
    assert f"the top is at {best} workers, which are {100 * work / times[best]:.0f} times as fast" in PROSE
    few = {n: work / n + n * message for n in range(1, 129)}
    best_few = min(few, key=few.__getitem__)
    assert f"it is at {best_few}, with {work / few[best_few]:.1f} times." in PROSE
    assert times[64] > times[best]
    half = work / milliseconds("convolution", "sync_2") / (work / (work / 2 + 2 * message))
    assert half == pytest.approx(0.5, rel=0.05)
    assert "At 2 the convolution is half as fast as predicted" in PROSE


# -- Ray ----------------------------------------------------------------------------------------------------


def test_without_ray_the_cell_says_so(lesson, capsys):
    exec(source("USE_RAY"), lesson)
    assert capsys.readouterr().out == printed("USE_RAY") == "Ray is not switched on\n"


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")  # Ray's own, and JAX's of the processes that Ray starts
def test_with_ray_two_workers_end_where_one_process_ends(lesson, capsys, monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.setenv("PYTHONPATH", str(LESSON.parents[1]))
    names = {**lesson, "__name__": "__main__"}
    exec(source("USE_RAY").replace("USE_RAY = False", "USE_RAY = True"), names)
    assert capsys.readouterr().out.endswith("two workers end where one process ends, up to 0.0001: True\n")
