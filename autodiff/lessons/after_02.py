"""What you have after lesson 02: the Tensor, and a slope found by nudging both ways."""

from .after_01 import Tensor as Tensor


def slope(f, x, h=0.001):
    return (f(x + h) - f(x - h)) / (2 * h)
