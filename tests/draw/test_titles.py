"""Titles of boxes: names cut in the middle, and words where dots alone would say nothing."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import draw
from autodiff.draw.graph.as_text import shortened
from autodiff.draw.picture.signs import LONGEST


def titles(drawing):
    _, state = drawing._composed
    return [face.title for face in state.faces.values()]


def test_names_with_one_beginning_or_one_end_stay_apart():
    encoder_attention_query_weight, encoder_attention_query_bias = ad.Tensor(2.0), ad.Tensor(3.0)
    decoder_attention_query_weight = ad.Tensor(5.0)
    y = encoder_attention_query_weight * encoder_attention_query_bias + decoder_attention_query_weight
    found = titles(draw(y))
    assert len(set(found)) == len(found)
    assert "encoder_atten…query_weight" in found
    assert "decoder_atten…query_weight" in found
    assert "encoder_atten…n_query_bias" in found


def test_an_operation_on_long_names_keeps_them_as_far_as_there_is_room():
    the_weight_of_the_first_layer, the_weight_of_the_second_layer = ad.Tensor(2.0), ad.Tensor(3.0)
    product = the_weight_of_the_first_layer * the_weight_of_the_second_layer
    assert titles(draw(product))[-1] == "product = the_…yer × the_…yer"
    part = ad.Tensor(np.arange(20.0), name="self_attn.in_proj_bias")[0:16]
    assert titles(draw(part + 1))[1] == "part = self_at…j_bias[0:16]"
    assert max(map(len, titles(draw(product)))) <= LONGEST + len(" = ")


@pytest.mark.parametrize("most", range(1, 12))
def test_a_shortened_name_has_the_length_that_is_asked_for(most):
    assert len(shortened("abcdefghij", most)) == min(most, 10)


def test_no_title_is_dots_or_a_letter_alone():
    x, rows = ad.Tensor(np.arange(6.0).reshape(2, 3)), np.array([1, 0])
    unnamed = (x * 2)[rows]
    y = ad.sum(ad.transpose(unnamed * 3)[np.array([0, 2]), rows] - 1)
    found = titles(draw(y))
    assert "transpose" in found
    assert "pick […, …]" in found
    assert not set(found) & {"…", "T", "[…]", "[…, …]"}


def test_a_function_of_many_things_without_names_has_no_row_of_dots():
    q, k, v = (ad.Tensor(np.ones((2, 3))) * s for s in (1, 2, 3))
    unnamed = [[ad.Tensor(np.ones((2, 3))) * s] for s in (1, 2, 3)]
    assert titles(draw(ad.stack([one[0] * 2 for one in unnamed])))[-1] == "stack"
    assert titles(draw(ad.stack([q, k, v])))[-1] == "stack(q, k, v)"


def test_a_constant_array_that_is_too_long_is_called_an_array():
    x = ad.Tensor(np.ones((5, 1)), name="x")
    assert titles(draw((x * 1) - np.arange(5.0).reshape(5, 1)))[-1] == "− array"
    where = ad.where(np.array([True, False, True, True, False]), ad.Tensor(np.ones(5), name="y"), 0)
    assert titles(draw(where))[-1] == "where = where(array, y, 0)"
    assert titles(draw(x - 1.5))[-1] == "x − 1.5"


def test_small_titles_are_what_they_were():
    a = ad.Tensor(2.0)
    b = a * 3
    c = (b + 1).tanh()
    assert titles(draw(c)) == ["a", "b = a × 3", "b + 1", "c = tanh(…)"]


def test_the_title_of_a_module_fits_its_frame_where_that_is_cut_into_rows():
    h = ad.Tensor(np.ones((4, 6)), name="x")
    for k in range(3):
        with ad.scope(f"a part with a name that is longer than what is in it {k}"):
            h = h.tanh()
    sheet = draw(h.sum())._sheet
    frames = [s for s in sheet.shapes if s.layer == 0 and s.__class__.__name__ == "Rect"]
    words = [s for s in sheet.shapes if getattr(s, "text", "").startswith("a part")]
    assert len(frames) == len(words)
    for frame, text in zip(frames, words):
        assert len(text.text) * 3 < frame.width
