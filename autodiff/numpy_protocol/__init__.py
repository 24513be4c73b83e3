"""What NumPy's own functions do with a Tensor: ``np.exp(t)`` and ``np.sum(t, axis=0)`` are recorded.

``functions.py`` is where NumPy hands a call over; ``answers.py`` and ``shapes.py`` list what is answered.
"""

from . import functions as functions  # enters its answers
