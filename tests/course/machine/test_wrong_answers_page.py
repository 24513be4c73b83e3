"""The page of wrong answers shows each with what the reader is told."""

from __future__ import annotations

import re

import pytest

from autodiff_course.machine.__main__ import GENERAL, in_backquotes, page, row
from autodiff_course.machine.plan import pieces


@pytest.mark.thorough
def test_the_page_shows_every_wrong_answer():
    rows = [line for line in page().splitlines() if line.startswith("| ")]
    heads = 1 + len(pieces())
    assert len(rows) - heads == len(GENERAL) + sum(len(piece.wrong) for piece in pieces().values())
    for piece in pieces().values():
        for wrong in piece.wrong:
            assert any(row.startswith(f"| {wrong.kind} |") for row in rows)


def test_every_sentence_is_plain_and_ends():
    for piece in pieces().values():
        for wrong in piece.wrong:
            assert re.search(r"[.)]$", wrong.say), wrong.say
            assert len(wrong.say.split()) <= 40, wrong.say
            assert not re.search(r"\b(shall|nobody|somebody|is told|are told|asks|knows)\b", wrong.say), (
                wrong.say
            )


def test_blanks_and_tabs_at_the_beginning_of_what_is_printed_can_be_seen():
    assert in_backquotes(["    6 mul", "        2", "    \t3"]) == "`6 mul; ····2; →3`"
    assert in_backquotes(["    def f():", "        return 2"]) == "`def f(): return 2`"


def test_stars_and_underlines_mean_themselves():
    assert row("a star", "x * y_z, not `x * y`") == r"| a star | x \* y\_z, not `x * y` |"
