"""Trainings that take too long for a lesson. Each was run in full once, and the lesson shows its results.

    AUTODIFF_DATA=/folder/with/data python -m autodiff_course.runs 22

trains your machine on MNIST and writes ``lesson_22.npz`` anew, and ``stored`` reads it. The last digits of a
training differ between machines; the files hold the results of one run on one machine, by the reference.
"""

from .shared import mnist
from .store import stored

__all__ = ["mnist", "stored"]
