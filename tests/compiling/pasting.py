"""Programs that are shown, run as they stand."""

from __future__ import annotations

from autodiff.compiling.inspecting import program_text


def pasted(fast):
    """The program that a compiled function shows, as a function."""
    return pasted_program(fast._entry().program)


def pasted_program(program):
    """A program as it is shown, as a function. Only objects that are shown as ``...`` are supplied."""
    text = program_text(program)
    names = {}
    exec(str(text), names)
    missing = {name for name, value in names.items() if value is ...}
    assert missing <= set(text.constants)
    names |= {name: text.constants[name] for name in missing}
    return names["program"]
