"""Derivatives of functions: grad, vjp, jvp, jacobian, hessian and hvp take a function.

``derivatives.py`` has these transformations, ``trace.py`` the recorded call of the function, ``forward.py``
forward mode, ``trees.py`` arguments that are lists and dicts. ``checkpoint.py`` trades time for memory.
"""

from .derivatives import grad, gradients, hessian, hvp, jacobian, jvp, value_and_grad, vjp

__all__ = ["grad", "gradients", "hessian", "hvp", "jacobian", "jvp", "value_and_grad", "vjp"]
