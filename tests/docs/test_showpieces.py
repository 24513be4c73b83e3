"""The showpieces of the site: what their pages say is what the network says in Python."""

from __future__ import annotations

import numpy as np
import pytest
from site_pages.showpieces import digits, names

import autodiff as ad
from autodiff.living.page import save_page
from tests.browser import chromium
from tests.course.test_lesson_27 import MACHINE

PROGRAM = chromium.find()


@pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")
@pytest.mark.parametrize("size", [8, 28])
def test_a_digit_is_read_as_in_python(tmp_path, size):
    ad.seed(1)
    model, y = digits.network(size), np.arange(10)
    x = np.random.default_rng(0).random((10, 1, size, size), np.float32)
    save_page(digits.written(model, 0.5, (x, y)), tmp_path / "digits.html")
    sure = ad.softmax(model(x), -1).numpy()
    with chromium.started(PROGRAM, tmp_path / "settings") as page:
        page.emulate(width=390)
        page.open(tmp_path / "digits.html")
        for place, digit in enumerate((3, 5, 7)):
            page.click(f"document.querySelectorAll('.example')[{place}]")
            found = page.evaluate("[...document.querySelectorAll('output')].map(each => each.textContent)")
            assert found == [f"{100 * part:.1f}" for part in sure[digit].astype(float)]
        page.click("document.querySelectorAll('.bars button')[4]")
        before = float(page.evaluate("document.querySelectorAll('output')[4].textContent"))
        page.evaluate("document.querySelector('.toward').dispatchEvent(new PointerEvent('pointerdown'))")
        page.wait_for(f"document.querySelectorAll('output')[4].textContent > {before + 2}")
        page.evaluate("document.querySelector('.toward').dispatchEvent(new PointerEvent('pointerup'))")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_network_of_names_is_that_of_the_lesson():
    numbers = [w.numpy().ravel() for w in names.matrices().values()]
    lists = MACHINE.NumberGPT(np.concatenate(numbers).astype(float).tolist())
    fast = names.program()
    for text in ("", "a", "charlot", "abcdefghijklmno"):
        _, (sure, shares) = fast(*names.arguments_for(text, 3))[0]
        scores = np.array(lists([26, *(ord(letter) - ord("a") for letter in text)])[-1])
        np.testing.assert_allclose(sure, np.exp(scores) / np.exp(scores).sum(), 2e-5)
        np.testing.assert_allclose(shares.sum(axis=1), 1, 1e-6)
        assert not shares[:, len(text) + 1 :].any()


def test_gradients_at_letters_are_the_slopes_of_nudges():
    doubles = {name: w.numpy().astype(float) for name, w in names.matrices().items()}
    w = {name: ad.Tensor(x, requires_grad=False) for name, x in doubles.items()}
    moved, written, now, chosen = (x.astype(float) for x in names.arguments_for("anna", 4))

    def score(moved):
        return (names.network(w, moved, written, now)[0] * chosen).sum()

    assert ad.gradcheck(score, moved)


@pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")
def test_names_are_read_and_written_as_in_python(tmp_path):
    fast = names.program()
    save_page(names.written_page(fast), tmp_path / "names.html")
    with chromium.started(PROGRAM, tmp_path / "settings") as page:
        page.emulate(width=390)
        page.open(tmp_path / "names.html")
        for text in ("charlot", "a", ""):
            page.evaluate(
                f"(() => {{ const field = document.querySelector('.text'); field.value = '{text}';"
                " field.dispatchEvent(new Event('input')) })()"
            )
            found = page.evaluate("[...document.querySelectorAll('.bars output')].map(x => x.textContent)")
            _, (sure, _) = fast(*names.arguments_for(text, 0))[0]
            assert found == [f"{100 * part:.1f}" for part in sure.astype(float)]
        page.click("document.querySelector('.name')")
        page.wait_for("document.querySelector('.text').value.length > 1", 20)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
