"""Vetting a source before it is run beside the judges: whether it is plain enough that it cannot touch them.

What is plain is a part of Python in which everything that the exercises of the course ask for can be
written: functions, classes, arithmetic, NumPy and the package. Left out are the ways to reach what is not
handed over: frames, globals, modules as values, attributes by a computed name, files, objects that say that
they equal everything. A source that is not plain is not run here, so nothing is said against it.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from types import ModuleType
from typing import Any

from ..machine.trying import PREFIX

LIBRARIES = {"math", "cmath", "itertools", "functools", "collections", "random", "numpy", "autodiff"}
INSIDE = {
    *("numpy.linalg", "numpy.random", "numpy.fft", "numpy.lib", "numpy.lib.stride_tricks", "autodiff.data"),
    *("autodiff.nn", "autodiff.nn.functional", "autodiff.optim", "autodiff.static", "autodiff.training"),
    *("autodiff.nn.init", "autodiff.nn.utils", "autodiff.optim.lr_scheduler", "autodiff_course.machine"),
    "autodiff_course.runs",
}
"""The modules within the libraries that may be named."""
MAKERS = {"autodiff_course", "builtins", "_collections", "_functools", "_random"}
"""Where else something may have been made that is taken out of them."""
OF_LESSONS = {"check", "hint", "machine", "yours", "runs"}
OF_MACHINE = {"start", "give", "text", "lines"}
"""What may be used of ``autodiff_course`` and its machine, besides what the machine consists of."""
METHODS = {
    *("init", "call", "repr", "str", "len", "iter", "next", "getitem", "setitem", "contains", "hash", "bool"),
    *("enter", "exit", "neg", "pos", "abs", "add", "radd", "sub", "rsub", "mul", "rmul", "truediv"),
    *("rtruediv", "pow", "rpow", "matmul", "rmatmul", "iadd", "isub", "imul", "array_priority", "slots"),
}
SPECIAL = {f"__{name}__" for name in METHODS}
"""The special methods that a class may define, and that may be called by name. Comparisons are not among
them, nor anything else by which an object passes for another."""
NAMES = SPECIAL | {"__name__"}
ATTRIBUTES = SPECIAL | {"__name__", "__dict__", "__class__", "__doc__"}
OUT_OF_REACH = {
    *("f_back", "f_globals", "f_locals", "f_builtins", "f_code", "f_trace", "gi_frame", "gi_code"),
    *("gi_yieldfrom", "cr_frame", "cr_code", "cr_await", "ag_frame", "ag_code", "tb_frame", "tb_next"),
    *("co_code", "mro", "with_traceback", "ctypes", "as_strided", "tofile", "dump", "dumps", "load", "save"),
    *("savez", "savez_compressed", "savetxt", "loadtxt", "genfromtxt", "fromfile", "fromregex", "memmap"),
    *("open_memmap", "DataSource", "seterrcall", "set_printoptions", "set_string_function", "write"),
    *("os", "sys", "builtins", "gc", "inspect"),
}
"""Attributes that lead out of what is handed over: to frames, memory, files and modules."""
FORBIDDEN = {
    *("eval", "compile", "open", "globals", "locals", "input", "breakpoint", "exit", "quit"),
    *("help", "memoryview", "BaseException"),
}
BY_NAME = {"getattr", "hasattr", "setattr", "delattr"}
ONE_ARGUMENT = {"vars", "type", "dir"}
"""With one argument they look at something; with none or with more they do other things."""
CALLED = BY_NAME | ONE_ARGUMENT | {"exec"}
"""Functions that have to be called where they are named."""
BASES = {"object", "Exception", "ValueError", "TypeError", "KeyError", "RuntimeError"}
"""The built-in classes that a class may be derived from: a number that is equal to all others is none."""


class NotPlain(Exception):
    """Raised for the first thing in a source that is not plain; the message names it."""


def fault(tree: ast.AST, modules: dict[str, str]) -> str:
    """What in a source is not plain, in a few words, or "".

    ``modules`` are the names under which modules have been imported; those that the source imports are
    added.
    """
    try:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                check_import(node, modules)
            elif isinstance(node, ast.ImportFrom):
                check_from(node, modules)
            elif not isinstance(node, (ast.Constant, ast.Attribute)):
                check_names(node)
        Plain(modules).visit(tree)
    except NotPlain as found:
        return str(found)
    except RecursionError:
        return "it is nested too deeply"
    return ""


def check_names(node: ast.AST) -> None:
    """Refuse hidden names, whatever they stand for: a variable, a function, an argument."""
    for _, value in ast.iter_fields(node):
        for name in value if isinstance(value, list) else [value]:
            if isinstance(name, str) and name.startswith("__") and name not in NAMES:
                raise NotPlain(f"it uses the name {name}")


# -- modules -------------------------------------------------------------------------------------------------


def check_import(node: ast.Import, modules: dict[str, str]) -> None:
    """Refuse other modules than the libraries, and note the names of these."""
    for alias in node.names:
        check_module(alias.name)
        first = alias.name.partition(".")[0]
        modules[alias.asname or first] = alias.name if alias.asname else first


def check_from(node: ast.ImportFrom, modules: dict[str, str]) -> None:
    """The same for ``from ... import``, which may take modules out of a module."""
    home = node.module or ""
    if home == "__future__":
        return
    if node.level or home != "autodiff_course":
        check_module("." * node.level + home)
    for alias in node.names:
        value = member(home, alias.name)
        if isinstance(value, ModuleType):
            modules[alias.asname or alias.name] = value.__name__


def check_module(name: str) -> None:
    """Refuse a module that is not one of the libraries."""
    if name not in LIBRARIES | INSIDE and not name.startswith("autodiff_course.runs."):
        raise NotPlain(f"it uses the module {name}")


def member(home: str, name: str) -> Any:
    """What a module has under a name, or None for what it makes only when it is asked for. Refused is what
    leads out of the libraries."""
    refusal = NotPlain(f"it uses {home}.{name}")
    if name.startswith("_") or name in OUT_OF_REACH or name == "*":
        raise refusal
    if home == "autodiff_course":
        if name not in OF_LESSONS:
            raise refusal
        return importlib.import_module(f"{home}.{name}") if name in ("machine", "runs") else None
    module = importlib.import_module(home)
    if home == "autodiff_course.machine":
        if name in vars(module) and name not in OF_MACHINE:
            raise refusal
        return None
    value = getattr(module, name, None)
    if isinstance(value, ModuleType):
        check_module(value.__name__)
        return value
    maker = str(getattr(value, "__module__", None) or home)
    if maker.partition(".")[0] not in {*LIBRARIES, *MAKERS}:
        raise refusal
    return value


def guard_exec() -> None:
    """From now on a source that is vetted, when it calls ``exec``, runs only what is plain as well, in names
    among which Python's own are hidden. Everybody else's ``exec`` is as it was."""
    run = builtins.exec

    def guarded(source: Any, names: Any = None, /, *rest: Any, **options: Any) -> None:
        caller = sys._getframe(1)
        if not is_vetted(caller.f_code.co_filename):
            given = (caller.f_globals, caller.f_locals) if names is None else (names, *rest)
            run(source, *given, **options)
            return
        if not isinstance(source, str) or not isinstance(names, dict) or rest or options:
            raise NotPlain("it uses exec otherwise than with a text and a dict for the names")
        reason = fault(ast.parse(source), {})
        if reason:
            raise NotPlain(reason)
        inside = dict(names)
        run(source, inside)
        names |= {name: value for name, value in inside.items() if name != "__builtins__"}

    builtins.exec = guarded


def is_vetted(filename: str) -> bool:
    """Whether code is a student's, by the name of its file: a part of the machine, a cell, or a text."""
    return filename.startswith((PREFIX, "<")) and not filename.startswith("<frozen ")


# -- everything else -----------------------------------------------------------------------------------------


class Plain(ast.NodeVisitor):
    """Goes through a source and raises NotPlain for the first thing that is not plain."""

    def __init__(self, modules: dict[str, str]) -> None:
        self.modules = modules

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Hidden attributes are refused. What begins at a module is followed to what it is, may not be
        changed, and a module itself is no value."""
        check_word(node.attr)
        if node.attr == "__class__" and not isinstance(node.ctx, ast.Load):
            raise NotPlain("it changes a __class__")
        names, root = [node.attr], node.value
        while isinstance(root, ast.Attribute):
            names.insert(0, root.attr)
            root = root.value
        if not isinstance(root, ast.Name) or root.id not in self.modules:
            self.generic_visit(node)
            return
        value, home = None, self.modules[root.id]
        for name in names:
            check_word(name)
            value = member(home, name)
            if not isinstance(value, ModuleType):
                break
            home = value.__name__
        if isinstance(value, ModuleType) or not isinstance(node.ctx, ast.Load):
            raise NotPlain(f"it hands on or changes {ast.unparse(node)}")

    def visit_Name(self, node: ast.Name) -> None:
        """Some functions of Python are refused, and a module by itself."""
        name = node.id
        if name in FORBIDDEN or (isinstance(node.ctx, ast.Load) and name in CALLED):
            raise NotPlain(f"it uses {name}")
        if name in self.modules:
            raise NotPlain(f"it hands on or changes the module {name}")

    def visit_Call(self, node: ast.Call) -> None:
        """Functions like getattr with a name that is written out, type and vars with one argument."""
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        parts: list[ast.AST] = [node.func, *node.args, *node.keywords]
        if called in BY_NAME:
            name = node.args[1] if len(node.args) > 1 else None
            if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
                raise NotPlain(f"it uses {called} with a name that is not written out")
            check_word(name.value)
            if name.value == "__class__" and called in ("setattr", "delattr"):
                raise NotPlain("it changes a __class__")
            del parts[0]
        plain = len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred)
        if called == "exec" or (called in ONE_ARGUMENT and plain):
            del parts[0]
        if called in ("map", "isinstance") and len(node.args) == 2:
            parts = [part for part in parts if not (isinstance(part, ast.Name) and part.id == "type")]
        for part in parts:
            self.visit(part)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class may be derived from one of its own kind, or from the package's."""
        for base in node.bases:
            name = ast.unparse(base)
            root = self.modules.get(name.partition(".")[0], "")
            is_other = root.partition(".")[0] not in ("", "autodiff", "autodiff_course")
            if is_other or (name in vars(builtins) and name not in BASES):
                raise NotPlain(f"it derives a class from {name}")
        if node.keywords:
            raise NotPlain("it gives a class keywords")
        self.generic_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        """A pattern reads attributes."""
        for name in node.kwd_attrs:
            check_word(name)
        self.generic_visit(node)


def check_word(name: str) -> None:
    """Refuse the name of a hidden attribute."""
    if (name.startswith("__") and name not in ATTRIBUTES) or name in OUT_OF_REACH:
        raise NotPlain(f"it uses the attribute {name}")
