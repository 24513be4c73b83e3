"""Each exercise's check against right and wrong answers."""

from __future__ import annotations

import math

import pytest

from autodiff_course import check
from autodiff_course.checking import EXERCISES, exercises_of
from autodiff_course.exercises.table import Guess
from tests.course.answers import answers, everything, lessons, verdict

ALL = everything()
IDS = [f"{name}: {answer.kind}" for name, answer in ALL]
GUESSES = [name for name in dict(ALL) if isinstance(EXERCISES[name].table, Guess)]


@pytest.mark.parametrize(("name", "answer"), ALL, ids=IDS)
def test_a_check_accepts_what_is_right_and_names_what_is_wrong(name, answer):
    judged, _ = verdict(name, answer)
    assert judged.status == ("right" if answer.is_right else "wrong"), judged
    assert all(words in judged.message for words in answer.words)


@pytest.mark.parametrize("number", lessons())
def test_every_exercise_has_a_right_answer_and_three_wrong_ones(number):
    for name, row in answers(number).items():
        kinds = [answer.kind for answer in row]
        assert len(set(kinds)) == len(kinds), name
        assert any(answer.is_right for answer in row), name
        assert sum(not answer.is_right for answer in row) >= 3, name


@pytest.mark.parametrize("name", GUESSES)
def test_what_is_no_number_is_not_near_the_right_one(name):
    assert check(name, math.nan).status == "wrong"


@pytest.mark.parametrize("number", lessons())
def test_a_stub_is_not_done_yet(number):
    for name in exercises_of(int(number)):
        assert check(name, None).status == "not done yet"


def test_another_number_of_answers_than_asked_for_is_told_so():
    two = check("25 patch", 5, 10)
    assert two.status == "wrong"
    assert "One answer is asked for, and you gave 2. Put several numbers into one list" in two.message
    assert "2 answers are asked for, and you gave 1." in check("16 quartic", 1).message
