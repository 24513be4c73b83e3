"""Runs that somebody has edited: loading one is a ValueError that changes nothing, or gives a run that goes
on."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autodiff as ad
from autodiff import optim, training
from autodiff.training.files import read_npz
from tests.training.edits import edit, edit_archive
from tests.training.test_runs import Parts

OPTIONS = [
    {"own": True},
    {"optimizer": optim.SGD, "lr": 0.1, "momentum": 0.9},
    {"optimizer": optim.NAdam, "scheduler": lambda optimizer: optim.ReduceLROnPlateau(optimizer, patience=0)},
    {"scheduler": lambda optimizer: optim.OneCycleLR(optimizer, 0.1, total_steps=50)},
]


@pytest.fixture(params=range(len(OPTIONS)))
def saved(request, tmp_path):
    """A saved run, and parts that it can be loaded into."""
    ad.seed(0)
    parts = Parts(**OPTIONS[request.param])
    parts.fit(2)
    parts.save(tmp_path / "run.npz")
    fresh = Parts(**OPTIONS[request.param])
    fresh.fit(1)
    return tmp_path / "run.npz", fresh


def trials(config, small, large):
    return range(large if config.getoption("--thorough") else small)


def refused(parts, path):
    """Whether the run is refused, which leaves everything as it was."""
    before, history = parts.state(), parts.model.history
    try:
        parts.load(path)
    except ValueError:
        assert parts.state() == before
        assert parts.model.history is history
        return True
    return False


def test_every_edit_is_a_value_error(saved, pytestconfig):
    """Edits that leave the seal as it was, as somebody makes them who does not know of it."""
    path, parts = saved
    arrays, content, rng = read_npz(path), path.read_bytes(), np.random.default_rng(0)
    original = (seal_free := dict(arrays)).pop("header").tobytes()
    for trial in trials(pytestconfig, 40, 1000):
        if trial % 4:
            edit(path, arrays, rng, sealed=False)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                edit_archive(path, content, rng)
        try:
            now = read_npz(path)
        except ValueError:
            now = {}
        if now.keys() == arrays.keys() and now["header"].tobytes() == original:
            same = all(
                (now[name].dtype, now[name].shape, now[name].tobytes())
                == (array.dtype, array.shape, array.tobytes())
                for name, array in seal_free.items()
            )
            if same:
                continue
        assert refused(parts, path), f"trial {trial}"


def test_an_edit_with_a_new_seal_is_a_value_error_or_a_run_that_goes_on(saved, pytestconfig):
    path, parts = saved
    arrays, rng, accepted = read_npz(path), np.random.default_rng(1), 0
    start = path.with_name("start.npz")
    parts.save(start)
    for _ in trials(pytestconfig, 40, 1000):
        edit(path, arrays, rng, sealed=True)
        if not refused(parts, path):
            accepted += 1
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                parts.fit(1)
                parts.save(path)
            repr(parts.model.history)
            parts.load(start)
    assert accepted < len(trials(pytestconfig, 40, 1000)) / 2


def test_a_file_of_the_first_version_is_read(tmp_path):
    """It had no seal."""
    import json

    from autodiff.training.files import write_npz

    parts, path = Parts(), tmp_path / "run.npz"
    parts.fit(1)
    parts.save(path)
    expected = parts.state()
    arrays = read_npz(path)
    del arrays["sha256"]
    header = json.loads(arrays["header"].tobytes())
    header["version"] = 1
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    write_npz(path, arrays)
    parts.fit(1)
    parts.load(path)
    assert parts.state() == expected


def test_an_edit_is_named(tmp_path):
    model_parts, path = Parts(), tmp_path / "run.npz"
    model_parts.save(path)
    arrays = read_npz(path)
    arrays["net/0.weight"] += 1
    training.files.write_npz(path, arrays)
    with pytest.raises(ValueError, match=r"no run that save_run saved: it was changed after it was saved"):
        model_parts.load(path)
