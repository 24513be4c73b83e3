"""The arguments of a call to an operation, sorted into operands and options however the caller gave them.

Options may follow the operands without their names, operands may be given by name, an operation on any number
of operands takes one list of them, and PyTorch's keywords stand for NumPy's (see ``keywords.py``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .keywords import check_words, translate
from .tensor import Tensor

ARRAYS = (Tensor, np.ndarray, list, tuple)


def operands_of(operation: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    """The operands of a call. Options among the ``arguments`` are moved into ``options``, and operands among
    the ``options`` are taken out of it."""
    if operation.is_variadic or len(arguments) > len(operation.inputs):
        arguments = by_position(operation, arguments, options)
    if not operation.option_names.issuperset(options):
        arguments = by_name(operation, arguments, options)
    operation.check_count(len(arguments))
    return arguments


def by_position(operation: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    """The operands among the positional arguments; the arguments after them are put into ``options``."""
    count = len(operation.inputs)
    operands, rest = arguments[:count], arguments[count:]
    if operation.is_variadic:
        first, *more = arguments or ((),)
        is_one_list = isinstance(first, (list, tuple)) and not any(isinstance(x, ARRAYS) for x in more)
        operands, rest = (tuple(first), tuple(more)) if is_one_list else (arguments, ())
    names = operation.options[: len(rest)]
    if len(names) < len(rest) or not options.keys().isdisjoint(names):
        raise wrong_count(operation, len(arguments))
    options.update(zip(names, rest))
    return operands


def by_name(operation: Any, operands: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    """The operands, with those that were given by name, which leave ``options``. The options that remain get
    the operation's own names."""
    names = (*operation.inputs, *operation.options)
    translate(operation.name, options, names, operation.defaults)
    if not operation.takes_any_option:
        check_words(operation.name, options, names, signature(operation))
    if operation.is_variadic and not operands:
        return tuple(options.pop(operation.inputs[0], ()))
    named = {name: options.pop(name) for name in operation.inputs if name in options}
    missing = [name for name in operation.inputs[len(operands) :] if name not in named]
    twice = [name for name in operation.inputs[: len(operands)] if name in named]
    if twice:
        raise TypeError(f"{operation} got its operand {twice[0]} twice: by position and by name")
    if missing and named:
        raise TypeError(f"{operation} needs {' and '.join(missing)} too; it takes {signature(operation)}")
    return (*operands, *(named[name] for name in operation.inputs[len(operands) :] if name in named))


def wrong_count(operation: Any, count: int) -> TypeError:
    """The error for a call with ``count`` arguments, which are too many or too few."""
    return TypeError(f"{operation} takes {signature(operation)}; it got {count}{operation.hint}")


def signature(operation: Any) -> str:
    """What an operation takes, in words: ``2 operands (x, y)``, ``1 operand (x) and the option axis``."""
    count = len(operation.inputs)
    operands = "any number of operands" if operation.is_variadic else f"{count} operand{'s' * (count > 1)}"
    names = f"{operands} ({', '.join(operation.inputs)})"
    options = f"the option{'s' * (len(operation.options) > 1)} {', '.join(operation.options)}"
    return f"{names} and {options}" if operation.options else names
