"""The pages of all known wrong answers with what the reader is told, as the checks say it now."""

from pathlib import Path

from autodiff_course.machine import __main__ as pieces
from tests.course import answers

from .course import update


def write(docs: Path) -> None:
    """Write ``docs/wrong_answers.md`` and ``docs/wrong_answers_of_exercises.md``."""
    update(docs / "wrong_answers.md", pieces.page())
    update(docs / "wrong_answers_of_exercises.md", answers.page())
