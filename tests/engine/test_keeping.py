"""The memory of a large gradient that was forgotten: how long it stays, and what it saves."""

from __future__ import annotations

import copy
import pickle
import platform
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.keeping import LARGE

ROOT = Path(__file__).resolve().parents[2]
SIZE = LARGE // 8


def walked(size=SIZE, **options):
    """A leaf after backward, and its gradient's array, held by the leaf alone."""
    x = Tensor(np.ones(size))
    (x * x).sum().backward(**options)
    return x, weakref.ref(x.grad.data)


def forget_in_place(x):
    x -= 0.5


@pytest.mark.parametrize("forget", [Tensor.zero_grad, forget_in_place], ids=["zero_grad", "-="])
@pytest.mark.parametrize("create_graph", [False, True], ids=["plain", "create_graph"])
def test_a_large_gradient_waits_for_the_next(forget, create_graph):
    x, first = walked(create_graph=create_graph)
    forget(x)
    assert x.grad is None
    assert first() is not None
    (x * 3).sum().backward()
    assert first() is None
    assert (x.grad.data == 3).all()


def test_the_next_one_may_come_by_another_walk():
    x, first = walked()
    x.zero_grad()
    assert (ad.grad(lambda x: (x * x).sum())(x).data == 2).all()
    assert x.grad is None
    (x * x).sum().backward(release=True)
    assert first() is None


def test_only_one_waits():
    x, first = walked()
    x.zero_grad()
    x.zero_grad()
    assert first() is not None
    x.grad = np.ones(SIZE)
    assert first() is None


@pytest.mark.parametrize(
    "forget",
    [lambda x: setattr(x, "grad", None), lambda x: x.zero_grad() or setattr(x, "grad", None)],
    ids=["at once", "after zero_grad"],
)
def test_none_gives_it_back(forget):
    x, first = walked()
    forget(x)
    assert first() is None


def test_it_goes_with_its_leaf():
    x, first = walked()
    x.zero_grad()
    del x
    assert first() is None


def test_a_small_one_does_not_wait():
    x, first = walked(size=SIZE - 1)
    x.zero_grad()
    assert first() is None


def test_nor_does_that_of_an_inner_node():
    x = Tensor(np.ones(SIZE))
    y = x * x
    y.backward(np.ones(SIZE))
    first = weakref.ref(y.grad.data)
    y.zero_grad()
    assert first() is None


def test_nor_does_a_graph():
    x = Tensor(np.ones(SIZE))
    y = x.exp()  # which its slope is made of
    inner = weakref.ref(y)
    y.sum().backward(create_graph=True)
    del y
    assert inner() is not None
    x.zero_grad()
    assert inner() is None


def test_what_somebody_holds_is_never_written_into():
    x, _ = walked()
    held, view = x.grad, x.grad.data[::2]
    x.zero_grad()
    for _ in range(3):
        (x * 5).sum().backward()
        x.zero_grad()
    assert (held.data == 2).all()
    assert (view == 2).all()


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_it_is_not_copied_along(twin):
    x, _ = walked()
    x.name = "x"
    x.zero_grad()
    other = twin(x)
    assert len(pickle.dumps(x)) < 1.5 * x.data.nbytes
    assert (other.name, other.grad, other.data.tolist()) == ("x", None, x.data.tolist())
    (other * x).sum().backward()
    assert (other.grad.data == 1).all()


STEPS = """
import resource
import numpy as np
from autodiff import Tensor

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def step():
    x.zero_grad()
    w.zero_grad()
    ((x * w).tanh() * (-(x * x)).exp()).sum().backward()

x, w = (Tensor(np.ones(1_000_000, np.float32)) for _ in range(2))
for _ in range(4):
    step()
before = faults()
for _ in range(5):
    step()
print((faults() - before) / 5)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="page faults are counted for glibc's malloc")
@pytest.mark.skipif(sys.maxsize < 2**32, reason="with 32 bits malloc takes no array of 4 MB from the heap")
def test_a_step_after_zero_grad_gets_its_memory_from_the_heap():
    """Each of its arrays has a thousand pages, and without what waits the system gives them anew: 13,600."""
    command = [sys.executable, "-c", STEPS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert float(done.stdout) < 4_000
