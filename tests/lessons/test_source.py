"""The code that lessons show is that of the real objects, and can be pasted and run."""

from __future__ import annotations

import inspect
import math

import pytest

import autodiff as ad
from autodiff.lessons import after_03, after_05, after_07, source


def test_an_engine_shown_piece_by_piece_runs_where_it_is_pasted():
    shown = source(
        after_07.Tensor,
        after_07.as_tensor,
        after_07.slope,
        after_07.RULES,
        after_07.order,
        after_07.backward,
    )
    pasted = {"math": math}
    exec(shown.code, pasted)
    a = pasted["Tensor"](2)
    e = (a + 2) * (3 * a + 4)
    pasted["backward"](e)
    assert (e.data, a.grad) == (40, 22)
    assert pasted["RULES"].keys() == after_07.RULES.keys()


def test_a_table_is_shown_as_the_module_has_it_that_wrote_it():
    assert after_05.RULES is after_03.RULES
    shown = source(after_05.RULES).code
    assert shown.startswith("RULES = {\n")
    assert shown in inspect.getsource(after_03)


def test_a_table_is_found_when_a_row_was_replaced(monkeypatch):
    monkeypatch.setitem(after_05.RULES, "add", (lambda grad, z, x, y: grad,) * 2)
    monkeypatch.setitem(after_05.RULES, "log", [lambda grad, z, x: grad / x])
    assert source(after_05.RULES).code.startswith("RULES = {\n")


def test_pieces_stand_in_the_order_given_two_lines_apart():
    shown = source(ad.exp, after_03.backward).code
    assert "\n\n\ndef backward(node, grad=1):" in shown
    assert shown.startswith('@operation(scalar=math.exp, kind="elementwise")\ndef exp')


def test_it_folds_all_pieces_together():
    page = source(after_03.backward, after_05.order, folded="Two functions")._repr_markdown_()
    assert page.startswith("<details><summary>Two functions</summary>")
    assert page.count("<details>") == page.count("```python") == 1


@pytest.mark.parametrize(
    ("things", "said"),
    [
        ((), "at least one function"),
        ((after_03.backward, len), "no source code for len"),
        ((3,), "no source code for 3"),
        (({"a": (lambda x: x,)},), "no source code for the table of a"),
        (({"a": 3},), "no source code for the table of a"),
    ],
)
def test_what_has_no_code_is_named(things, said):
    with pytest.raises(TypeError, match=said):
        source(*things)
