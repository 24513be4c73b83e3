"""Values that leave a Tensor as plain numbers or arrays, as in ``float(t)`` and ``math.exp(t)``: when this
would silently lose the gradient, and what the error says.

A plain number has no record of how it was made. Printing ``float(loss)`` is harmless. But inside a function
that is being differentiated, a result that is computed from a plain number has a wrong derivative. There only
``t.item()``, ``t.detach()`` and ``t.data`` take a value out, since they say explicitly that a constant is
meant.
"""

from __future__ import annotations

import dis
from types import CodeType, FrameType
from typing import Any

from . import recording
from .catalogue import catalogue
from .keywords import INSTEAD

STORE = dis.opmap["STORE_SUBSCR"]  # the instruction that Python executes for ``z[0] = t``
BINARY = dis.opmap["BINARY_OP"]
MODULO = {
    instruction.arg
    for statement in ("text % value", "text %= value")
    for instruction in dis.get_instructions(compile(statement, "", "exec"))
    if instruction.opcode == BINARY
}
"""The arguments of the instruction that Python executes for ``"%.2f" % t``."""

WRITING = frozenset(("fill", "put", "__setitem__", "setitem", "insert"))
"""Functions that write a number into an array."""

COPIES = ("Tensor", "tensor", "Parameter")
RECORDED = {
    "fsum": "ad.sum", "fabs": "ad.abs", "dist": "ad.norm", "sumprod": "ad.dot",
} | dict.fromkeys(COPIES, "t.clone()")  # fmt: skip
"""What to write in place of functions that have another name here, so that the call is recorded."""

latest: tuple[CodeType, int, type[Exception], str] | None = None
"""The place, the type and the message of the latest error, for ``raise_in_our_words``."""


def is_lost() -> bool:
    """Whether a function is being differentiated, and recorded, so that taking out the value of a Tensor that
    requires a gradient would lose that gradient."""
    switches = recording.current()
    return switches.depth > 0 and switches.recording


def is_stored(caller: FrameType) -> bool:
    """Whether a frame is executing ``z[0] = t``, where NumPy calls ``__float__`` exactly as ``float(t)``
    does."""
    return caller.f_code.co_code[caller.f_lasti] == STORE


def is_printed(caller: FrameType) -> bool:
    """Whether a frame is executing ``"%.2f" % t``."""
    code, place = caller.f_code.co_code, caller.f_lasti
    return code[place] == BINARY and code[place + 1] in MODULO


def message(described: str, caller: FrameType) -> str:
    """What the error says of a Tensor whose value a frame is taking out."""
    name = called_name(caller)
    if is_stored(caller) or name in WRITING:
        return (
            f"{described} would lose its gradient when written into an array. Collect Tensors in a list and "
            "join them by ad.stack, or write the plain number: t.item()"
        )
    else:
        ours = RECORDED.get(name) or INSTEAD.get(name, f"ad.{name}")
        is_ours = name in RECORDED or hasattr(catalogue, ours.removeprefix("ad."))
        return (
            f"{described} would lose its gradient as plain data{f' in {name}()' * bool(name)}, and the "
            "function that is being differentiated would get a wrong derivative. "
            + (f"Write {ours}, which is recorded, or " if is_ours else "Write t.detach() or ")
            + "t.item() if a constant is meant"
        )


def noted(error: Exception, caller: FrameType | None) -> Exception:
    """An error for a frame, which ``raise_in_our_words`` raises again if another is put in its place. The
    error itself is not kept, since it would keep its frames."""
    global latest
    latest = caller and (caller.f_code, caller.f_lasti, type(error), str(error))
    return error


def forget() -> None:
    """Forget the latest error, when a function is called whose errors are to be its own."""
    global latest
    latest = None


def way_out(caller: FrameType | None) -> str:
    """What to do in place of making a Tensor an array, for the function of another library that a frame
    belongs to."""
    module = name = ""
    while caller is not None and str(caller.f_globals.get("__name__")).startswith(("pandas.", "scipy.")):
        module, name, caller = caller.f_globals["__name__"], caller.f_code.co_name, caller.f_back
    library = module.partition(".")[0]
    if library == "pandas":
        return "pandas records nothing: compute with x.to_numpy() in place of the table, or use t.detach()"
    elif module.startswith("scipy.sparse"):
        return "a sparse matrix records nothing: compute with x.toarray(), or use t.detach()"
    elif library:
        ours = f"write ad.{name}" if hasattr(catalogue, name) else "use ad's own functions"
        return f"scipy's {name}() records nothing: {ours}, or t.detach()"
    return "use t.data or t.detach(). To join Tensors use ad.stack([...])"


def called_name(caller: FrameType) -> str:
    """The name of the function that a frame is calling, ``exp`` in ``math.exp(t)``; empty if Python cannot
    tell. A call and the last instruction that loads its function start at the same place in the source."""
    names: dict[Any, str] = {}
    start, opname = None, ""
    for instruction in dis.get_instructions(caller.f_code):
        if instruction.offset > caller.f_lasti:
            break
        place, opname = instruction.positions, instruction.opname
        start = place and (place.lineno, place.col_offset)
        if opname.startswith("LOAD_") and start and None not in start:
            names[start] = str(instruction.argval)
    return names.get(start, "") if opname.startswith(("CALL", "PRECALL")) else ""


def raise_in_our_words(error: Exception) -> None:
    """Raise the error of a Tensor again if another error has replaced it: for ``a[0] = t`` NumPy says
    "setting an array element with a sequence", and if SciPy's C code continues after an error, Python raises
    SystemError."""
    if latest is None:
        return
    code, at, kind, text = latest
    trace: Any = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    is_of_value = not isinstance(error, LookupError) and str(error) != text  # the index may be wrong too
    is_replaced = (trace.tb_frame.f_code, trace.tb_lasti) == (code, at) and is_of_value
    if is_replaced or (isinstance(error, SystemError) and str(error.__cause__) == text):
        raise kind(text).with_traceback(error.__traceback__) from None
