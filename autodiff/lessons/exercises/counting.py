"""Counting the walks that a reader's function takes, for the judges of lessons 16 and 17."""

import autodiff as ad

walks = 0  # the number of walks through `watched`


@ad.operation
def watched(x):
    """The identity. Walks in both directions call its rule, which counts them."""
    return x * 1.0


def count_a_walk(grad, z, x):
    """The rule of the identity; it counts its calls."""
    global walks
    walks += 1
    return grad * 1.0


watched.backward(count_a_walk)


def run_counted(function, *values):
    """The result of a function, and the number of walks through `watched` that it took."""
    global walks
    walks = 0
    answer = function(*values)
    return answer, walks
