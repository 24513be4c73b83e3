"""Module: what layers, networks and losses have in common.

A module's parameters, buffers and inner modules are its attributes. There is no second list of them that
could disagree: whoever asks for the parameters gets the attributes that are Parameters, here and in every
module inside. How they are saved stands in ``saving.py``, what hooks are in ``hooks.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn, Self

import numpy as np

from ..engine.scopes import scope
from ..engine.tensor import Tensor
from .buffers import as_buffer, check_dtype, convert, forget_gradients
from .hooks import Hooked
from .parameter import Parameter
from .saving import Savable, joined


def unwritten(module: Module, *args: Any, **options: Any) -> NoReturn:
    """The ``forward`` of a class that has not written its own."""
    raise NotImplementedError(
        f"{type(module).__name__} cannot be called: it has no forward. Write a method forward(self, x) that "
        "returns the output"
    )


class Module(Savable, Hooked):
    """The base of all layers and networks.

    A subclass makes its parts in ``__init__`` and says in ``forward`` what it computes. Parts register
    themselves by being attributes: a :class:`Parameter`, another Module, or a buffer (a constant that is
    saved, see :meth:`register_buffer`). A plain list hides the modules in it: use :class:`ModuleList`.

    Call the module, not its ``forward``: the call opens a scope, so that pictures show it as a box, and runs
    the hooks.

    Attributes
    ----------
    training
        True at first; :meth:`train` and :meth:`eval` set it here and in all modules inside.

    Example
    -------
    >>> import autodiff as ad
    >>> from autodiff import nn
    >>> class Scaled(nn.Module):
    ...     def __init__(self):
    ...         self.fc = nn.Linear(2, 3, generator=0)
    ...         self.scale = nn.Parameter([10.0])
    ...     def forward(self, x):
    ...         return self.scale * self.fc(x)
    >>> net = Scaled()
    >>> [name for name, parameter in net.named_parameters()]
    ['scale', 'fc.weight', 'fc.bias']
    >>> net(ad.Tensor([[1.0, 2.0]])).scope
    ('Scaled',)
    """

    # What a module starts with, until it has its own: so a subclass need not call super().__init__().
    training: bool = True
    _place: str | None = None  # where it stands in the network, "blocks.0.fc"; None if it is in no other
    _short: str = ""  # the end of that, which its box is labelled with

    forward: Callable[..., Any] = unwritten

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Run ``forward``, in a scope of its own and with the hooks around it."""
        kind = type(self).__name__
        with scope(f"{self._short}: {kind}" if self._short else kind):
            for hook in tuple(self._forward_pre_hooks.values()):
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
            output = self.forward(*args, **options)
            for hook in tuple(self._forward_hooks.values()):
                changed = hook(self, args, output)
                output = output if changed is None else changed
            return output

    # -- parts --------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        """Keep an attribute; a part learns where it stands.

        Raises TypeError if anything but None or another Parameter would push a parameter out, and ValueError
        if the module would stand inside itself.
        """
        before = vars(self).get(name)
        if isinstance(before, Parameter) and not (value is None or isinstance(value, Parameter)):
            raise TypeError(
                f"{name} of {type(self).__name__} is a parameter, and would be one no more. Change it in "
                f"place, by {name}.assign(...) or by {name} -= ... with a right side that is not recorded, "
                "or set a new nn.Parameter"
            )
        if name in self._buffers and value is not None:
            value = as_buffer(value)
        if isinstance(value, Module):
            if any(inner is self for inner in value.modules()):
                raise ValueError(f"{type(self).__name__} cannot have itself as its part {name!r}")
            if value._place is None:
                value._settle(joined(self._place, name), self._inner(name))
        elif isinstance(value, Parameter) and self._place is not None and value._place is None:
            value._place = joined(self._place, name)
        super().__setattr__(name, value)

    def add_module(self, name: str, module: Any) -> None:
        """Make a module a part under a name that is computed.

        Raises
        ------
        TypeError
            If ``module`` is no Module, or the name no string.
        ValueError
            If the name is empty, has a dot in it, or is taken by something that is no module.

        Example
        -------
        >>> from autodiff import nn
        >>> net = nn.Module()
        >>> net.add_module("fc1", nn.Identity())
        >>> net.fc1
        Identity()
        """
        if not isinstance(module, Module):
            hint = f"; make one of it: {module.__name__}()" if isinstance(module, type) else ""
            raise TypeError(f"a part of {type(self).__name__} is a Module, not {module!r:.60}{hint}")
        if not isinstance(vars(self).get(name), Module):
            self._check_name(name)
        setattr(self, name, module)

    register_module = add_module

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Make a Parameter a part under a name that is computed; None for one that is switched off.

        Raises TypeError if it is no Parameter, ValueError if the name is empty, has a dot in it or is taken.

        >>> from autodiff import nn
        >>> net = nn.Module()
        >>> net.register_parameter("scale", nn.Parameter([1.0]))
        >>> [name for name, parameter in net.named_parameters()]
        ['scale']
        """
        if not (param is None or isinstance(param, Parameter)):
            raise TypeError(f"a parameter of {type(self).__name__} is an nn.Parameter, not {param!r:.60}")
        if not isinstance(vars(self).get(name), Parameter):
            self._check_name(name)
        setattr(self, name, param)

    def register_buffer(self, name: str, data: Any, persistent: bool = True) -> None:
        """Keep a constant Tensor that belongs to the module and is no parameter, as a running mean is.

        What is set later under this name becomes a constant Tensor too.

        Parameters
        ----------
        name
            The attribute.
        data
            An array (integers keep their dtype), a Tensor, or None for a buffer that is switched off.
        persistent
            Whether ``state_dict`` has it.

        Raises
        ------
        ValueError
            If the name is empty, has a dot in it or is taken.

        Example
        -------
        >>> import numpy as np
        >>> from autodiff import nn
        >>> net = nn.Module()
        >>> net.register_buffer("count", np.array(0))
        >>> net.count, net.count.requires_grad, net.state_dict()
        (0, False, {'count': array(0)})
        """
        if name not in self._buffers:
            self._check_name(name)
        value = None if data is None else as_buffer(data)
        vars(self).setdefault("_buffers", {})[name] = persistent
        setattr(self, name, value)

    def _check_name(self, name: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a part is a string, not {name!r:.60}")
        if not name or "." in name:
            raise ValueError(f"the name of a part has no dot and is not empty; {name!r} is refused")
        if hasattr(self, name):
            raise ValueError(f"{type(self).__name__} has an attribute {name!r} already: choose another name")

    def _inner(self, name: str) -> str:
        """The label of the part called ``name``."""
        return name

    def _settle(self, place: str, short: str) -> None:
        """Learn where this module stands, and let the parts that are first of all its own know."""
        before = self._place
        vars(self).update(_place=place, _short=short)
        for name, part in vars(self).items():
            if isinstance(part, Parameter) and part._place in (None, joined(before, name)):
                part._place = joined(place, name)
            elif isinstance(part, Module) and part._place == joined(before, name):
                part._settle(joined(place, name), self._inner(name))

    # -- walks over the parts -----------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules among the attributes, with their names; each once."""
        seen: set[int] = set()
        for name, part in vars(self).items():
            if isinstance(part, Module) and id(part) not in seen:
                seen.add(id(part))
                yield name, part

    def children(self) -> Iterator[Module]:
        """The modules among the attributes; each once."""
        return (module for _, module in self.named_children())

    def named_modules(self) -> Iterator[tuple[str, Module]]:
        """The module itself, whose name is "", and all modules inside, ``("encoder.fc", ...)``; each once.

        Example
        -------
        >>> from autodiff import nn
        >>> [name for name, module in nn.Sequential(nn.ReLU(), nn.Sequential(nn.ReLU())).named_modules()]
        ['', '0', '1', '1.0']
        """
        seen: set[int] = set()
        stack = [("", self)]
        while stack:
            place, module = stack.pop()
            if id(module) not in seen:
                seen.add(id(module))
                yield place, module
                inner = [(joined(place, name), child) for name, child in module.named_children()]
                stack.extend(reversed(inner))

    def modules(self) -> Iterator[Module]:
        """The module itself and all modules inside; each once."""
        return (module for _, module in self.named_modules())

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their names, ``("encoder.fc.weight", ...)``; a shared one once.

        Parameters
        ----------
        prefix
            What comes before every name, and a dot.
        recurse
            False leaves out those of the modules inside.
        """
        found = self._named(lambda module, name, part: isinstance(part, Parameter), recurse)
        return prefixed(prefix, found)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, for an optimizer; a shared one once.

        >>> from autodiff import nn
        >>> sum(parameter.size for parameter in nn.Linear(784, 10).parameters())
        7850
        """
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their names; each once. Arguments as in :meth:`named_parameters`."""
        found = self._named(lambda module, name, part: name in module._buffers and part is not None, recurse)
        return prefixed(prefix, found)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers; each once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named(
        self, is_wanted: Callable[[Module, str, Any], bool], recurse: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for place, module in self.named_modules() if recurse else [("", self)]:
            for name, part in vars(module).items():
                if is_wanted(module, name, part) and id(part) not in seen:
                    seen.add(id(part))
                    yield joined(place, name), part

    def get_submodule(self, target: str) -> Any:
        """The module of a name that :meth:`named_modules` gives. Raises AttributeError if there is none."""
        return self._get(target, dict(self.named_modules()), "module")

    def get_parameter(self, target: str) -> Any:
        """The parameter of a name, ``"fc.weight"``. Raises AttributeError if there is none."""
        return self._get(target, dict(self.named_parameters()), "parameter")

    def get_buffer(self, target: str) -> Any:
        """The buffer of a name. Raises AttributeError if there is none."""
        return self._get(target, dict(self.named_buffers()), "buffer")

    def _get(self, target: str, parts: dict[str, Any], kind: str) -> Any:
        if target not in parts:
            known = ", ".join(filter(None, parts)) or "none"
            raise AttributeError(f"{type(self).__name__} has no {kind} {target!r}; there are: {known:.200}")
        return parts[target]

    # -- all parts at once ----------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Behave as in training, here and in all modules inside: Dropout drops, BatchNorm looks at the batch.

        Raises ValueError if ``mode`` is not a boolean. Returns the module.
        """
        if not isinstance(mode, bool):
            raise ValueError(f"train() sets the mode, True or False, not {mode!r:.60}; it trains nothing")
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Behave as in use, here and in all modules inside: ``train(False)``. Returns the module.

        Example
        -------
        >>> from autodiff import nn
        >>> net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Dropout(0.5)))
        >>> net.eval()[1][0].training
        False
        """
        return self.train(False)

    def apply(self, function: Callable[[Module], object]) -> Self:
        """Call ``function`` with each module inside, from the innermost, and at last with this one; returns
        it.

        Example
        -------
        >>> from autodiff import nn
        >>> def start(module):
        ...     if isinstance(module, nn.Linear):
        ...         nn.init.zeros_(module.weight)
        >>> nn.Sequential(nn.Linear(2, 1)).apply(start)[0].weight
        [[0 0]]
        """
        for child in self.children():
            child.apply(function)
        function(self)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters: their ``.grad`` is None again, or zeros if that is asked
        for."""
        forget_gradients(self.parameters(), set_to_none)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freeze all parameters with False, thaw them with True; returns the module."""
        for parameter in self.parameters():
            parameter.requires_grad = requires_grad
        return self

    def to(self, dtype: Any) -> Self:
        """Keep all parameters and buffers that are floats in another dtype, and their gradients; returns the
        module.

        They stay the same objects. Make the optimizer afterwards: what it remembers is in the dtype of
        before. The names of PyTorch's devices do nothing ("cpu") or are refused: everything is computed on
        the CPU.

        Raises TypeError if the dtype is no kind of float, ValueError for another device.

        >>> import numpy as np
        >>> from autodiff import nn
        >>> nn.Linear(2, 1).to(np.float64).weight.dtype
        dtype('float64')
        """
        kind = check_dtype(dtype)
        if kind is not None:
            convert((*self.parameters(), *self.buffers()), kind)
        return self

    def float(self) -> Self:
        """Keep everything in single precision, ``to(np.float32)``; returns the module."""
        return self.to(np.float32)

    def double(self) -> Self:
        """Keep everything in double precision, ``to(np.float64)``; returns the module."""
        return self.to(np.float64)

    # -- shown ----------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """What stands in the brackets of the repr; a layer names its settings here."""
        return ""

    def _title(self) -> str:
        """The module in an error message."""
        return f"{type(self).__name__}({self.extra_repr()})"

    def __repr__(self) -> str:
        own = ", ".join(f"{name} {part.shape}" for name, part in self.named_parameters(recurse=False))
        count = sum(parameter.size for parameter in self.parameters())
        note = f"{own}: " * bool(own) + f"{count:,} parameter{'s' * (count != 1)}"
        note = f"  # {note}" if own or count else ""
        inner = [f"({name}): {part!r}" for name, part in vars(self).items() if isinstance(part, Module)]
        if not inner:
            return self._title() + note
        lines = [f"{self._title()[:-1]}{note}", *inner]
        return "\n".join(lines).replace("\n", "\n  ") + "\n)"


def prefixed(prefix: str, pairs: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Pairs of name and part, with something before every name."""
    if not isinstance(prefix, str):
        raise TypeError(f"prefix is a string, not {prefix!r:.60}; recurse is given by its name")
    return ((joined(prefix, name), part) for name, part in pairs)
