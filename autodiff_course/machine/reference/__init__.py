"""The reference machine, piece by piece: one module per lesson.

Each module has the lesson's ``TITLE`` and its ``PARTS``: texts that the reader is given, and pieces that the
reader writes. A piece has its reference source, the probes that a right answer passes, and the wrong answers
that a check must refuse, each with the sentence that explains the mistake. A wrong answer is written as the
change that makes the reference wrong. ``python -m autodiff_course.machine`` shows all of them in one go.
"""
