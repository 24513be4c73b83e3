"""The showpieces of the site: what their pages say is what the network says in Python."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff.living.page import save_page
from tests.browser import chromium

DOCS = Path(__file__).parents[2] / "docs"
PROGRAM = chromium.find()


@pytest.fixture(scope="module")
def digits():
    place = DOCS / "site_pages" / "showpieces" / "digits.py"
    spec = importlib.util.spec_from_file_location("digits_of_the_site", place)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")
@pytest.mark.parametrize("size", [8, 28])
def test_a_digit_is_read_as_in_python(digits, tmp_path, size):
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
