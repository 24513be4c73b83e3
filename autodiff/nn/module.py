"""Module: the base class of layers, networks and losses.

A module's parameters, buffers and child modules are its attributes. No second list of them exists that could
disagree: ``parameters()`` goes through the attributes of the module and of every module inside it.

Three parts of the class have files of their own: saving and loading in ``saving.py``, hooks in ``hooks.py``,
conversion to another dtype in ``precision.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Self

from ..clearing import clear_gradients
from ..engine import tracing
from ..engine.scopes import inner_scope
from ..engine.tensor import Tensor
from .buffers import as_buffer
from .checks import NO_ARGUMENTS, check_options
from .hooks import Hooked
from .naming import join_path, with_prefix
from .parameter import Parameter
from .precision import Convertible
from .saving import Savable


def missing_forward(module: Module, *args: Any, **options: Any) -> NoReturn:
    """The ``forward`` of a class that defines none. Raises NotImplementedError."""
    raise NotImplementedError(
        f"{type(module).__name__} cannot be called: it has no forward. Define a method forward(self, x) that "
        "returns the output"
    )


class Module(Savable, Hooked, Convertible):
    """The base class of all layers and networks.

    A subclass creates its parts in ``__init__`` and defines in ``forward`` what it computes. A part is
    registered by being an attribute: a :class:`Parameter`, another Module, or a buffer (a constant that is
    saved, see :meth:`register_buffer`). A plain list hides the modules in it: use :class:`ModuleList`.

    Call the module, not its ``forward``: the call opens a scope, which pictures show as a box, and runs the
    hooks.

    Attributes
    ----------
    training
        True initially; :meth:`train` and :meth:`eval` set it here and in all modules inside.

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

    # The values of a new module are class attributes, so a subclass need not call super().__init__().
    training: bool = True
    _path: str | None = None  # its path in the network, "blocks.0.fc"; None if no other module contains it
    _label: str = ""  # the end of its path, which labels its box in pictures

    forward: Callable[..., Any] = missing_forward

    if not TYPE_CHECKING:  # type checkers and inspect take the arguments from __init__

        def __new__(cls, *arguments: Any, **options: Any) -> Self:
            """Make the object. Raises TypeError for an argument that a layer of the package does not have."""
            check_options(cls, arguments, options)
            return super().__new__(cls)

        __new__.__signature__ = NO_ARGUMENTS

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Run the pre-hooks, ``forward`` and the hooks, in a scope of its own."""
        kind = type(self).__name__
        with inner_scope(f"{self._label}: {kind}" if self._label else kind):
            tracing.note(self)
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
        """Set an attribute; a part that has no path yet gets one.

        Raises TypeError if a parameter would be replaced by anything but None or another Parameter, and
        ValueError if the module would contain itself.
        """
        old = vars(self).get(name)
        if isinstance(old, Parameter) and not (value is None or isinstance(value, Parameter)):
            raise TypeError(
                f"{name} of {type(self).__name__} is a parameter, and this assignment would replace it by "
                f"something else. Change it in place, with {name}.assign(...) or with {name} -= ... and a "
                "right side that is not recorded, or set a new nn.Parameter"
            )
        if name in self._buffers and value is not None:
            value = as_buffer(value)
        if isinstance(value, Module):
            if any(inner is self for inner in value.modules()):
                raise ValueError(f"{type(self).__name__} cannot contain itself as its part {name!r}")
            if value._path is None:
                value._set_path(join_path(self._path, name), self._child_label(name))
        elif isinstance(value, Parameter) and self._path is not None and value._path is None:
            value._path = join_path(self._path, name)
        super().__setattr__(name, value)

    def add_module(self, name: str, module: Any) -> None:
        """Add a module as a part, under a name that is computed.

        Raises
        ------
        TypeError
            If ``module`` is not a Module, or the name not a string.
        ValueError
            If the name is empty, contains a dot, or belongs to an attribute that is not a module.

        Example
        -------
        >>> from autodiff import nn
        >>> net = nn.Module()
        >>> net.add_module("fc1", nn.Identity())
        >>> net.fc1
        Identity()
        """
        if not isinstance(module, Module):
            hint = f"; create one: {module.__name__}()" if isinstance(module, type) else ""
            raise TypeError(f"a part of {type(self).__name__} is a Module, not {module!r:.60}{hint}")
        if not isinstance(vars(self).get(name), Module):
            self._check_name(name)
        setattr(self, name, module)

    register_module = add_module

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a Parameter as a part, under a name that is computed; None stands for one that is omitted.

        Raises TypeError if it is not a Parameter, and ValueError if the name is empty, contains a dot or is
        taken.

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
        """Add a constant Tensor that belongs to the module and is not a parameter, such as a running mean.

        A value that is set later under this name becomes a constant Tensor too.

        Parameters
        ----------
        name
            The name of the attribute.
        data
            An array (integers keep their dtype), a Tensor, or None for a buffer that is omitted.
        persistent
            Whether ``state_dict`` contains it.

        Raises
        ------
        ValueError
            If the name is empty, contains a dot or is taken.

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
            raise ValueError(f"the name of a part is not empty and contains no dot; it cannot be {name!r}")
        if hasattr(self, name):
            raise ValueError(f"{type(self).__name__} has an attribute {name!r} already: choose another name")

    def _child_label(self, name: str) -> str:
        """The label in pictures of the child called ``name``."""
        return name

    def _set_path(self, path: str, label: str) -> None:
        """Set the path of this module, and of the parts in it whose path leads through this module.

        A part that several modules share keeps the path that it got first.
        """
        old = self._path
        vars(self).update(_path=path, _label=label)
        for name, part in self._attributes():
            if isinstance(part, Parameter) and part._path in (None, join_path(old, name)):
                part._path = join_path(path, name)
            elif isinstance(part, Module) and part._path == join_path(old, name):
                part._set_path(join_path(path, name), self._child_label(name))

    # -- going through the parts ----------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules among the attributes, with their names; each once."""
        seen: set[int] = set()
        for name, part in self._attributes():
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
            path, module = stack.pop()
            if id(module) not in seen:
                seen.add(id(module))
                yield path, module
                children = [(join_path(path, name), child) for name, child in module.named_children()]
                stack.extend(reversed(children))

    def modules(self) -> Iterator[Module]:
        """The module itself and all modules inside; each once."""
        return (module for _, module in self.named_modules())

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their names, ``("encoder.fc.weight", ...)``; a shared one once.

        Parameters
        ----------
        prefix
            Stands before every name, followed by a dot.
        recurse
            False leaves out the parameters of the modules inside.
        """
        found = self._named(lambda module, name, part: isinstance(part, Parameter), recurse)
        return with_prefix(prefix, found)

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
        return with_prefix(prefix, found)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers; each once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named(
        self, is_wanted: Callable[[Module, str, Any], bool], recurse: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for path, module in self.named_modules() if recurse else [("", self)]:
            for name, part in module._attributes():
                if is_wanted(module, name, part) and id(part) not in seen:
                    seen.add(id(part))
                    yield join_path(path, name), part

    def get_submodule(self, target: str) -> Any:
        """The module with a name, ``"encoder.fc"``. Raises AttributeError if there is none."""
        return self._get(target, dict(self.named_modules()), "module")

    def get_parameter(self, target: str) -> Any:
        """The parameter with a name, ``"fc.weight"``. Raises AttributeError if there is none."""
        return self._get(target, dict(self.named_parameters()), "parameter")

    def get_buffer(self, target: str) -> Any:
        """The buffer with a name, ``"norm.running_mean"``. Raises AttributeError if there is none."""
        return self._get(target, dict(self.named_buffers()), "buffer")

    def _get(self, target: str, parts: dict[str, Any], kind: str) -> Any:
        if target not in parts:
            known = ", ".join(filter(None, parts)) or "none"
            raise AttributeError(f"{type(self).__name__} has no {kind} {target!r}; there are: {known:.200}")
        return parts[target]

    # -- all parts at once ----------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Set training mode, here and in all modules inside: Dropout drops elements, BatchNorm uses the mean
        and variance of the batch. Returns the module.

        Raises ValueError if ``mode`` is not a boolean.
        """
        if not isinstance(mode, bool):
            raise ValueError(
                f"train() sets the mode to True or False, not to {mode!r:.60}; it does not train the module"
            )
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Set evaluation mode, here and in all modules inside: ``train(False)``. Returns the module.

        Example
        -------
        >>> from autodiff import nn
        >>> net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Dropout(0.5)))
        >>> net.eval()[1][0].training
        False
        """
        return self.train(False)

    def apply(self, function: Callable[[Module], object]) -> Self:
        """Call ``function`` with each module inside, children before parents, and with this one last; return
        the module.

        Example
        -------
        >>> from autodiff import nn
        >>> def set_to_zero(module):
        ...     if isinstance(module, nn.Linear):
        ...         nn.init.zeros_(module.weight)
        >>> nn.Sequential(nn.Linear(2, 1)).apply(set_to_zero)[0].weight
        [[0 0]]
        """
        for child in self.children():
            child.apply(function)
        function(self)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters: ``.grad`` becomes None. With ``set_to_none=False``, existing
        gradients become zeros instead."""
        clear_gradients(self.parameters(), set_to_none)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freeze all parameters with False, unfreeze them with True; return the module."""
        for parameter in self.parameters():
            parameter.requires_grad = requires_grad
        return self

    # -- text -----------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """The text in the parentheses of the repr; a layer lists its settings here."""
        return ""

    def _title(self) -> str:
        """The module as error messages and the repr name it: class and settings."""
        return f"{type(self).__name__}({self.extra_repr()})"

    def __repr__(self) -> str:
        own = ", ".join(f"{name} {part.shape}" for name, part in self.named_parameters(recurse=False))
        count = sum(parameter.size for parameter in self.parameters())
        note = f"{own}: " * bool(own) + f"{count:,} parameter{'s' * (count != 1)}"
        note = f"  # {note}" if own or count else ""
        inner = [f"({name}): {part!r}" for name, part in self._attributes() if isinstance(part, Module)]
        if not inner:
            return self._title() + note
        lines = [f"{self._title()[:-1]}{note}", *inner]
        return "\n".join(lines).replace("\n", "\n  ") + "\n)"
