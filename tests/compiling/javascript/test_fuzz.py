"""A thousand random calls, and with --thorough twenty thousand: dtypes, shapes, memory layouts, axes,
indices, nan, inf, -0 and no elements."""

from __future__ import annotations

import warnings

from tests.compiling.javascript.node import check
from tests.compiling.javascript.trials import trial


def test_random_calls(nd, pytestconfig):
    count = 20_000 if pytestconfig.getoption("--thorough") else 1_000
    for seed in range(count):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            each = trial(seed)
        try:
            found = nd.call(each.name, *each.args, **each.options)
            check(found, each.expected, each.rtol, each.atol, each.signs)
        except Exception as error:
            raise AssertionError(f"trial {seed}, {each}: {error}") from error
