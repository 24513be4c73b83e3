"""Pictures and films of the reader's machine, with operations that the package does not have in this form."""

from __future__ import annotations

import numpy as np

from autodiff.draw import compare, draw, film
from autodiff_course import machine


def machine_names():
    names = vars(machine.after(12))
    return names, names["Tensor"]


def test_a_film_of_the_readers_machine_uses_its_own_rules():
    names, tensor = machine_names()
    x = tensor(np.array([[3.0, 7, 5], [8, 2, 8]]))
    average = x.max(axis=1).mean()
    text = str(film(average))
    assert "v4 = sum(v3, None)" in text
    assert "+= ∂average/∂v1 · ∂v1/∂x = [[0, 0.5, 0], [0.25, 0, 0.25]]" in text
    names["FORWARD"]["cube"], names["RULES"]["cube"] = lambda x: x**3, (lambda grad, z, x: grad * 3 * x * x,)
    y = names["apply"]("cube", tensor(2.0))
    assert "12" in str(film(y))


def test_operands_of_the_readers_machine_are_written_as_they_are():
    _, tensor = machine_names()
    x = tensor(np.array([1.0, 3, 1]))
    z = x[np.array([1, 0, 0])].sum()
    text = str(draw(z))
    for words in ("x[[1, 0, 0]]", "sum(v1, None)", "reshape(v2, ())"):
        assert words in text
    table = tensor(np.ones((2, 3)))
    assert "table[[0, 1], [2, 0]]" in str(draw(table[np.array([0, 1]), np.array([2, 0])]))
    assert "table[:, 1]" in str(draw(table[:, 1]))


def test_compare_uses_the_rules_of_the_package_whatever_the_machine_has():
    names, tensor = machine_names()
    names["RULES"]["tanh"] = (lambda grad, z, x: grad * (1 - x * x),)
    b = tensor(0.5)
    z = names["tanh"](b) * 2 - b
    names["backward"](z)
    assert b.grad == 0.5
    assert "the gradient of b is 0.5 and should be 0.572895" in str(compare(z))
