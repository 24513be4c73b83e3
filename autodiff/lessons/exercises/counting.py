"""How many walks a reader's function took: two lessons judge by it."""

import autodiff as ad

passed = 0  # how often a walk went through `watched`


@ad.operation
def watched(x):
    """The same numbers; its rule, which walks in both directions call, counts the walks."""
    return x * 1.0


def count_a_walk(grad, z, x):
    """Hand on what comes in, and count."""
    global passed
    passed += 1
    return grad * 1.0


watched.backward(count_a_walk)


def run_counted(function, *values):
    """What a function gives, and how many walks went through `watched` meanwhile."""
    global passed
    passed = 0
    given = function(*values)
    return given, passed
