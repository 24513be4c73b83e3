"""no_grad, enable_grad, scope and the edit clock."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine import edits, recording


def records():
    return (Tensor(2) * 3).requires_grad


def test_under_no_grad_nothing_is_recorded():
    x = Tensor(2)
    with ad.no_grad():
        y = x * x
    assert (y.data, y.requires_grad, y.creators, y.creation_op) == (4, False, None, None)
    assert (x.requires_grad, records()) == (True, True)


def test_no_grad_blocks_in_each_other():
    with ad.no_grad():
        with ad.no_grad():
            assert not records()
        assert not records()
        with ad.enable_grad():
            assert records()
        assert not records()
    assert records()


def test_one_no_grad_object_can_be_entered_twice():
    block = ad.no_grad()
    with block, block:
        assert not records()
    assert records()


def in_another_thread(function):
    """What a function gives or raises in a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def test_each_thread_switches_for_itself():
    with ad.no_grad(), ad.scope("here"):
        assert in_another_thread(records)
        assert in_another_thread(lambda: (Tensor(2) * 3).scope) == ()
    inside, leave = Event(), Event()

    def wait_inside():
        with ad.no_grad(), ad.scope("there"):
            inside.set()
            leave.wait(10)
            return records()

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(wait_inside)
        inside.wait(10)
        assert records()
        assert (Tensor(2) * 3).scope == ()
        with ad.no_grad():  # the two blocks end in another order than they began
            leave.set()
            assert not other.result()
            assert not records()
    assert records()
    assert not recording.open_blocks


def test_a_decorated_function_runs_in_two_threads():
    steps = [Event() for _ in range(3)]

    @ad.no_grad()
    def decorated(entered, leave):
        entered.set()
        leave.wait(10)

    def first():
        with ad.no_grad():
            decorated(steps[0], steps[1])
            return records()

    def second():
        steps[0].wait(10)
        decorated(steps[1], steps[2])  # enters while the first is inside, and lets it out
        return records()

    with ThreadPoolExecutor(2) as pool:
        results = pool.submit(first), pool.submit(second)
        assert results[0].result() is False
        steps[2].set()
        assert results[1].result() is True


def test_arrays_are_computed_silently_in_two_threads_at_once():
    meet = Barrier(2, timeout=10)

    @ad.operation
    def slow_log(x):
        meet.wait()
        return np.log(x)

    def run():
        return slow_log(np.zeros(3))

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(run)
        np.testing.assert_array_equal(run(), other.result())


@pytest.mark.parametrize("block", [ad.no_grad, ad.enable_grad])
def test_an_exception_ends_the_block(block):
    before = recording.current().recording
    with pytest.raises(KeyError), block():
        raise KeyError
    assert recording.current().recording is before


def test_no_grad_decorates_also_a_function_that_calls_itself():
    @ad.no_grad()
    def count(n):
        """Count down."""
        assert not records()
        return n and count(n - 1)

    assert count(3) == 0
    assert records()
    assert (count.__name__, count.__doc__) == ("count", "Count down.")

    @ad.no_grad()
    def fail():
        raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert records()


def test_a_new_leaf_wants_a_gradient_under_no_grad_too():
    with ad.no_grad():
        assert Tensor(2).requires_grad


@pytest.mark.parametrize(
    ("change", "counted"),
    [
        (lambda t: setattr(t, "data", 5), 1),
        (lambda t: t.__iadd__(1), 1),
        (lambda t: ad.no_grad()(lambda: t.__imul__(2))(), 1),
        (lambda t: t * 2, 0),
        (lambda t: (t * t).backward(), 0),
        (lambda t: t.zero_grad(), 0),
        (lambda t: t.detach(), 0),
        (lambda t: t.__iadd__(Tensor(1)), 0),
    ],
    ids=["data =", "+= 1", "*= under no_grad", "* 2", "backward", "zero_grad", "detach", "+= recorded"],
)
def test_only_changes_are_counted(change, counted):
    t = Tensor(3)
    before = edits.latest
    change(t)
    assert edits.latest - before == counted


def test_scopes_name_what_is_recorded_in_them():
    x = Tensor(2)
    with ad.scope("net"):
        with ad.scope("layer"):
            h = x * x
        y = h + 1
    assert (x.scope, h.scope, y.scope, (y * 2).scope) == ((), ("net", "layer"), ("net",), ())


def test_a_scope_ends_with_an_exception():
    with pytest.raises(KeyError), ad.scope("net"):
        raise KeyError
    assert Tensor(2).scope == ()


def test_one_block_object_serves_two_threads_at_once():
    block = ad.no_grad()
    inside, outside = threading.Event(), threading.Event()
    found = {}

    def other():
        with ad.enable_grad():
            with block:
                inside.set()
                outside.wait(20)
            found["recording"] = ad.is_grad_enabled()

    with ad.no_grad():
        thread = threading.Thread(target=other)
        thread.start()
        inside.wait(20)
        with block:
            outside.set()
            thread.join()
        assert not ad.is_grad_enabled()
    assert found["recording"]


@pytest.mark.parametrize(
    "decorate",
    [
        ad.no_grad,
        lambda f: ad.no_grad()(f),
        lambda f: ad.enable_grad()(f),
        lambda f: ad.set_grad_enabled(True)(f),
    ],
)
def test_an_async_generator_function_is_not_decorated_in_vain(decorate):
    async def numbers():
        yield 1

    with pytest.raises(TypeError, match="cannot decorate numbers"):
        decorate(numbers)
    assert ad.is_grad_enabled()


def test_what_is_no_function_is_not_decorated():
    with pytest.raises(TypeError, match="decorates a function, not 5"):
        ad.no_grad(5)


def test_one_scope_object_serves_two_threads_at_once():
    block = ad.scope("shared")
    inside, outside = threading.Event(), threading.Event()
    found = {}

    def other():
        with ad.scope("outer"):
            with block:
                inside.set()
                outside.wait(20)
                found["inside"] = (Tensor(2) * 3).scope
            found["outside"] = (Tensor(2) * 3).scope

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait(20)
    with block:
        outside.set()
        thread.join()
        assert (Tensor(2) * 3).scope == ("shared",)
    assert (Tensor(2) * 3).scope == ()
    assert found == {"inside": ("outer", "shared"), "outside": ("outer",)}
