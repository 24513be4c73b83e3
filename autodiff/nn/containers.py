"""Containers: Sequential calls its modules one after the other; ModuleList and ModuleDict only hold modules,
which the forward of the surrounding module calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from .module import Module
from .naming import join_path


class OrderedModules(Module):
    """Modules in order, by index. Each is also an attribute, named "0", "1" and so on unless names are
    given."""

    def _names(self) -> list[str]:
        return [name for name, part in self._attributes() if isinstance(part, Module)]

    def _name_at(self, index: int) -> str:
        names = self._names()
        try:
            return names[index]
        except IndexError:
            kind = type(self).__name__
            raise IndexError(f"{kind} has {len(names)} modules, and none at index {index}") from None

    def __len__(self) -> int:
        return len(self._names())

    def __iter__(self) -> Iterator[Any]:
        return iter([part for part in vars(self).values() if isinstance(part, Module)])

    def __setitem__(self, index: int, module: Module) -> None:
        """Replace the module at an index."""
        self.add_module(self._name_at(index), module)

    def append(self, module: Module) -> Self:
        """Add a module at the end; return the container. Raises TypeError if it is not a Module."""
        number = len(self)
        while hasattr(self, str(number)):  # taken in a slice, whose modules keep their names
            number += 1
        self.add_module(str(number), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end; return the container. Raises TypeError if one is not a Module."""
        for module in modules:
            self.append(module)
        return self


class Sequential(OrderedModules):
    """A chain of modules: each is called with the output of the one before.

    Parameters
    ----------
    modules
        The modules in order, or one dictionary of modules by name.

    Raises
    ------
    TypeError
        If one is not a Module. A function is not: use ``nn.ReLU()``, not ``ad.relu``.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> net = nn.Sequential(nn.Linear(2, 3), nn.ReLU()).append(nn.Linear(3, 1))
    >>> net
    Sequential(  # 13 parameters
      (0): Linear(in_features=2, out_features=3)  # weight (3, 2), bias (3,): 9 parameters
      (1): ReLU()
      (2): Linear(in_features=3, out_features=1)  # weight (1, 3), bias (1,): 4 parameters
    )
    >>> net(Tensor([[1.0, 2.0]])).shape, net[:2](Tensor([[1.0, 2.0]])).shape
    ((1, 1), (1, 3))
    >>> nn.Sequential({"body": nn.Linear(2, 3), "act": nn.ReLU()}).body.weight.name
    'body.weight'
    """

    def __init__(self, *modules: Any) -> None:
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            for name, module in modules[0].items():
                self.add_module(name, module)
        else:
            self.extend(modules)

    def __getitem__(self, index: int | slice) -> Any:
        """The module at an index; for a slice, a Sequential of the same modules under the same names."""
        if isinstance(index, slice):
            return type(self)({name: vars(self)[name] for name in self._names()[index]})
        return vars(self)[self._name_at(index)]

    def forward(self, x: Any) -> Any:
        """Call one module after the other; without any, return ``x``."""
        for module in self:
            x = module(x)
        return x


class Holder(Module):
    """A container that only holds modules. It is never called and so has no box in pictures; its label stands
    before those of its modules."""

    def _child_label(self, name: str) -> str:
        return join_path(self._label, name)

    def forward(self, *args: Any, **options: Any) -> Any:
        """Raises TypeError: only the modules in it can be called."""
        raise TypeError(
            f"{type(self).__name__} only holds modules and cannot be called: call those in the forward of "
            "the module that contains it"
        )


class ModuleList(Holder, OrderedModules):
    """A list whose modules are registered, which those in a plain list are not.

    Parameters
    ----------
    modules
        The modules in order.

    Raises
    ------
    TypeError
        If one is not a Module.

    Example
    -------
    >>> from autodiff import nn
    >>> layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
    >>> len(layers), len(layers[1:]), sum(parameter.size for parameter in layers.parameters())
    (3, 2, 60)
    """

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        self.extend(modules)

    def __getitem__(self, index: int | slice) -> Any:
        """The module at an index; for a slice, a ModuleList."""
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return vars(self)[self._name_at(index)]


class ModuleDict(Holder):
    """A dictionary whose modules are registered, which those in a plain dictionary are not.

    Parameters
    ----------
    modules
        A dictionary of modules by name.

    Raises
    ------
    TypeError, ValueError
        If one is not a Module, or a name contains a dot or is that of a method.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> heads = nn.ModuleDict({"mean": nn.Linear(4, 1), "spread": nn.Linear(4, 1)})
    >>> heads["mean"](Tensor([1.0, 2.0, 3.0, 4.0])).shape, list(heads), "mean" in heads
    ((1,), ['mean', 'spread'], True)
    """

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        self.update(modules or {})

    def update(self, modules: Mapping[str, Module]) -> None:
        """Add modules, or replace those of the same name."""
        for name, module in modules.items():
            self[name] = module

    def _modules(self) -> dict[str, Any]:
        return {name: part for name, part in self._attributes() if isinstance(part, Module)}

    def __getitem__(self, name: str) -> Any:
        return self._modules()[name]

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)

    def __delitem__(self, name: str) -> None:
        self[name]  # raises KeyError if there is none
        delattr(self, name)

    def __contains__(self, name: object) -> bool:
        return name in self._modules()

    def __len__(self) -> int:
        return len(self._modules())

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules())

    def keys(self) -> Iterable[str]:
        """The names, in order."""
        return self._modules().keys()

    def values(self) -> Iterable[Any]:
        """The modules, in order."""
        return self._modules().values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and modules, in order."""
        return self._modules().items()


class Identity(Module):
    """Returns its input. It can take the place of a layer that was removed.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.Identity()(Tensor([1.0, 2.0]))
    [1 2]
    """

    def forward(self, x: Any) -> Any:
        """Return ``x``."""
        return x
