"""The code that lessons show is that of the real objects, and can be pasted and run."""

from __future__ import annotations

import pytest

import autodiff as ad
from autodiff_course import machine, source
from autodiff_course.checking import Exercise, number


def test_a_function_shown_runs_where_it_is_pasted():
    pasted = {"Any": object, "NotYet": ValueError, "Mistake": ValueError}
    exec("from __future__ import annotations\n" + source(number).code, pasted)
    assert pasted["number"]("2.5") == 2.5


def test_pieces_stand_in_the_order_given_two_lines_apart():
    shown = source(ad.exp, number).code
    assert "\n\n\ndef number(answer: Any) -> float:" in shown
    assert shown.startswith('@operation(scalar=math.exp, kind="elementwise", precision="floats")\ndef exp')


def test_a_class_and_a_function_of_the_machine_have_their_code():
    assert source(Exercise).code.startswith("@dataclass(frozen=True)\nclass Exercise:")
    order = machine.after(5).order
    assert source(order).code.startswith("def order(end):")


def test_it_folds_all_pieces_together():
    page = source(number, ad.exp, folded="Two functions")._repr_markdown_()
    assert page.startswith("<details><summary>Two functions</summary>")
    assert page.count("<details>") == page.count("```python") == 1


@pytest.mark.parametrize(
    ("things", "said"),
    [
        ((), "at least one function"),
        ((number, len), "no source code for len"),
        ((3,), "no source code for 3"),
    ],
)
def test_what_has_no_code_is_named(things, said):
    with pytest.raises(TypeError, match=said):
        source(*things)
