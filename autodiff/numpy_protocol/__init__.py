"""NumPy's functions applied to Tensors: ``np.exp(t)`` and ``np.sum(t, axis=0)`` are recorded.

NumPy calls ``functions.py``; ``implementations.py`` and ``shapes.py`` implement the functions whose arguments
differ from ours.
"""

from . import functions as functions  # enters the protocol's two functions in the catalogue
