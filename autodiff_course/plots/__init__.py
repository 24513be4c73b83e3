"""The plots of the lessons, one module per lesson. Each draws one figure, shows it, and returns nothing.

``style`` holds what they share. The plots of lessons 02 to 08, which later lessons use too, can be imported
from here.
"""

from .lesson_02 import closer, downhill, secants
from .lesson_03 import tangents
from .lesson_05 import LABORATORY, lost_paths
from .lesson_06 import curves_and_slopes
from .lesson_08 import Photograph, boundaries, loss_curves, photograph, show_points

__all__ = [
    "LABORATORY",
    "Photograph",
    "boundaries",
    "closer",
    "curves_and_slopes",
    "downhill",
    "loss_curves",
    "lost_paths",
    "photograph",
    "secants",
    "show_points",
    "tangents",
]
