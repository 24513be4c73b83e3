"""Lesson 27: the numbers of its prose, its stored run, and its two GPTs beside each other."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn
from autodiff_course import machine, runs
from autodiff_course.runs import lesson_27, store
from tests.course.stored import cells, lesson_path, prose, said

LESSON = lesson_path("27")
PROSE = prose(LESSON)
RUN = runs.stored("27")
WORDS = RUN["names"].astype(str).tolist()
MACHINE = machine.after(27)


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


def defined(name, **names):
    """What a cell of the notebook defines under this name."""
    names = {"np": np, **vars(MACHINE), **names}
    source = next(cell.source for cell in cells(LESSON) if f"def {name}(" in cell.source)
    lines = source[source.index(f"def {name}(") :].split("\n\n\n")[0].splitlines()
    exec("\n".join(lines), names)
    return names[name]


# -- attention ----------------------------------------------------------------------------------------------


def test_the_table_of_the_first_example():
    keys = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    weights = MACHINE.attend([2.0, 0.0], keys, np.eye(3).tolist())
    products = [2 * key[0] for key in keys]
    powers = np.exp(np.array(products) / 2**0.5)
    for product, power, weight in zip(products, powers, weights):
        row = f"| {product:g} | {product / 2**0.5:.3f} | {power:.3f} | {weight:.3f} |"
        assert row.replace("0.000", "0").replace("1.000", "1") in PROSE
    assert f"their sum, {powers.sum():.3f}" in PROSE
    assert f"gets a share of {MACHINE.attend([1.0], [[1.0], [0.0]], [[1.0], [0.0]])[0]:.2f}" in PROSE


def test_sums_of_n_products_have_about_the_size_of_the_root_of_n():
    rng = np.random.default_rng(0)
    for n in (4, 64):
        sums = (rng.normal(size=(20_000, n)) * rng.normal(size=(20_000, n))).sum(axis=1)
        assert sums.std() == pytest.approx(n**0.5, rel=0.03)


def test_attention_for_all_places_is_attend_for_each():
    rng = np.random.default_rng(0)
    queries, keys, values = (rng.normal(size=(5, 4)) for _ in range(3))
    found = MACHINE.attention(queries, keys, values, MACHINE.mask(5))
    for i in range(5):
        assert np.allclose(found[i], MACHINE.attend(queries[i], keys[: i + 1], values[: i + 1]), atol=1e-12)
    theirs = nn.functional.scaled_dot_product_attention(
        *map(ad.Tensor, (queries, keys, values)), is_causal=True
    )
    assert np.allclose(found, theirs.data, atol=1e-6)


def test_the_nudge_agrees_with_the_gradient():
    gradient, moved = map(
        float, re.findall(r"\d+\.\d{3,}", printed("gradient {q.grad").replace("0.001 ", ""))
    )
    assert abs(moved / 0.001 - gradient) < 0.001


# -- the GPT of numbers -------------------------------------------------------------------------------------


def test_the_gpt_of_numbers_has_the_size_of_microgpt():
    sizes = MACHINE.SIZES.values()
    assert sum(rows * columns for rows, columns in sizes) == 4192
    assert "4,192 parameters, 57,405 nodes in the graph" in printed("net = NumberGPT(map(Tensor")


def test_the_gpt_of_numbers_is_that_of_the_benchmarks():
    from benchmarks import microgpt
    from benchmarks.number_engines import FLOATS

    numbers = (0.08 * np.random.default_rng(1).normal(size=4192)).tolist()
    codes = lesson_27.codes_of("anna")
    expected = microgpt.loss_of_name(codes, microgpt.Sizes(), FLOATS)(numbers)
    assert MACHINE.name_loss(MACHINE.NumberGPT(numbers), codes) == pytest.approx(expected, rel=1e-12)


def test_no_character_is_read_before_its_turn():
    net = MACHINE.NumberGPT((0.08 * np.random.default_rng(0).normal(size=4192)).tolist())
    assert np.array_equal(net([26, 0, 1, 2])[:2], net([26, 0, 5, 9])[:2])
    arrays = MACHINE.GPT(27, 16, 4, 1, 16, np.random.default_rng(0))
    one, other = (MACHINE.no_grad(arrays, np.array(codes)) for codes in ([26, 0, 1, 2], [26, 0, 5, 9]))
    assert np.array_equal(one[:2], other[:2])
    assert (one[2:] != other[2:]).any()


def test_both_gpts_are_one_function():
    said_ = printed("put_numbers(arrays, lists)")
    assert "the same loss to 12 places: True" in said_
    assert "118 nodes in place of 57,405" in said_


# -- the stored run -----------------------------------------------------------------------------------------


def test_the_class_s_losses_are_those_of_the_full_training():
    net = lesson_27.untrained(vars(MACHINE))
    losses = list(lesson_27.train_on_names(vars(MACHINE), net, WORDS[:2]))
    assert losses == pytest.approx(RUN["loss"][:2].tolist(), rel=1e-6)
    assert "the same losses as in the full training: True" in printed("def my_adam")


def test_the_numbers_that_are_stored_have_learned():
    means = RUN["loss"].reshape(10, 100).mean(axis=1)
    assert means[-1] < 2.45 < means[0]
    assert f"{means[-1]:.2f}" in printed("hundreds = ")
    for steps, reach in ((100, 2.9), (1000, 2.6)):
        net = MACHINE.NumberGPT(RUN[f"numbers_{steps}"].tolist())
        assert np.mean([MACHINE.name_loss(net, lesson_27.codes_of(word)) for word in WORDS[:20]]) < reach
    assert (store.RESULTS / "lesson_27.npz").stat().st_size < 100 * 1024


@pytest.mark.parametrize("start", [0.1, 0.3, 1])
def test_a_table_of_letter_pairs_that_learns_ends_at_2_5(start):
    counts, losses = np.full((27, 27), start), []
    for word in WORDS:
        codes = lesson_27.codes_of(word)
        before, after = codes[:-1], codes[1:]
        losses.append(-np.log(counts[before, after] / counts[before].sum(axis=1)).mean())
        np.add.at(counts, (before, after), 1)
    assert f"one name after the other, ends at about {np.mean(losses[-100:]):.1f}." in PROSE


def test_the_shares_are_those_with_which_a_head_looks_back(monkeypatch):
    net, codes = MACHINE.NumberGPT(RUN["numbers_1000"].tolist()), lesson_27.codes_of("emma")[:-1]
    seen = []
    original = MACHINE.attend

    def attend(query, keys, values):
        seen.append(original(query, keys, np.eye(len(codes))[: len(keys)].tolist()))
        return original(query, keys, values)

    monkeypatch.setitem(vars(MACHINE), "attend", attend)
    net(codes)
    found = lesson_27.shares_of(original, net, codes)
    for number in range(4):  # the net asks its four heads for each character
        for row, right in zip(found[f"head {number + 1}"], seen[number::4], strict=True):
            assert np.allclose(row, right, atol=1e-9)


def test_head_4_looks_back_to_the_beginning_as_the_text_says():
    net = MACHINE.NumberGPT(RUN["numbers_1000"].tolist())
    shares = lesson_27.shares_of(MACHINE.attend, net, lesson_27.codes_of("charlotte")[:-1])["head 4"]
    assert [int(np.argmax(row)) == 0 for row in shares[1:]] == [False] * 3 + [True] * 6
    assert "from the r on, each letter gives it the largest share" in PROSE


def test_the_written_names_were_not_among_those_it_read():
    line = printed("def write").splitlines()[-1]
    made_up = line.split(": ")[1].split(", ")
    assert len(made_up) == 8
    assert not set(made_up) & set(WORDS)


def test_the_names_are_those_of_the_file():
    try:
        assert lesson_27.some_names() == WORDS
    except data.DownloadError:
        pytest.skip("the names are not here")


def test_the_plays_stand_in_the_run():
    assert f"{RUN['plays_weights']:,} numbers" in printed("plays_weights")
    assert f"its loss is {RUN['plays_loss_aside']:.2f} a letter" in PROSE
    assert RUN["plays_loss_aside"] < 2
    assert ":\n" in str(RUN["plays"])
    shares = RUN["line_shares"] / 255
    assert shares.shape == (2, 4, len(lesson_27.LINE), len(lesson_27.LINE))
    assert np.abs(shares.sum(axis=3) - 1).max() < 0.1
    for end in (32, len(lesson_27.LINE)):  # what is drawn, and the whole line
        before = shares[0, 2, range(1, end), range(end - 1)].mean()
        assert f"gives {100 * before:.0f} % of its attention to the character before" in PROSE
        assert 0.5 < shares[1, 1, 7:end, 6].mean() < 0.65  # the line break before the line
    assert "head 2 gives over half of it to the line break" in PROSE
    assert lesson_27.LINE[6] == "\n"


def test_a_full_run_stores_what_it_says(monkeypatch):
    monkeypatch.setattr(lesson_27.data, "names", lambda **_: ["anna", "bob"])
    monkeypatch.setattr(lesson_27.data, "shakespeare", lambda **_: (lesson_27.LINE + "$ \n") * 60)
    monkeypatch.setattr(lesson_27, "KEPT", ())
    found = lesson_27.run(vars(MACHINE), steps=(2, 2))
    assert set(found) | {"seconds", "code", "plays_100", "plays_500", "numbers_100", "numbers_1000"} == set(
        RUN
    ) | {"numbers_2"}
    assert len(found["loss"]) == 2


# -- without a mask -----------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("jitter", [0, 1e-9])
def test_without_a_mask_the_loss_is_too_good_and_nothing_is_written(jitter):
    names = {"run": RUN, "names": WORDS, "codes_of": lesson_27.codes_of}
    names["my_adam"] = lambda grad, memory: MACHINE.adam(grad + jitter, memory, 0.85, 0.99)
    learn = defined("learn", **names)
    write = defined("write")
    for mask, low in ((MACHINE.mask, False), (lambda length: np.zeros((length, length)), True)):
        net, losses = learn(mask)
        assert (np.mean(losses[-100:]) < 0.5) == low
        rng = np.random.default_rng(0)
        assert (not any(write(net, rng) for _ in range(4))) == low
    assert "without        loss below 0.5: True. It writes: ['', '', '', '']" in printed("curves = {")
