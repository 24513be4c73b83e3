"""Functions as programs: ``ad.compile`` traces a function, simplifies what it does, and writes it out as a
NumPy program, which runs in its place and can be printed."""

from ..engine.tracing import TraceError
from .compiled import Compiled, compile_function

__all__ = ["Compiled", "TraceError", "compile_function"]
