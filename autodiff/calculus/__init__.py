"""Derivatives as functions of functions: each takes a function and gives a function, or its derivatives.

``derivatives.py`` has what users call, ``trace.py`` what happens around a call of their function,
``forward.py`` the walk forward, ``trees.py`` arguments that are lists and dicts, and ``checkpoint.py`` trades
time for memory.
"""

from .derivatives import grad, gradients, hessian, hvp, jacobian, jvp, value_and_grad, vjp

__all__ = ["grad", "gradients", "hessian", "hvp", "jacobian", "jvp", "value_and_grad", "vjp"]
