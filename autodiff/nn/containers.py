"""Containers: Sequential, which calls its modules one after the other, and ModuleList and ModuleDict, which
hold modules for a forward that calls them itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from .module import Module
from .saving import joined


class Listed(Module):
    """Modules in order, by number. Their names are attributes, too: "0", "1" and so on unless they are
    given."""

    def _names(self) -> list[str]:
        return [name for name, part in vars(self).items() if isinstance(part, Module)]

    def _name_at(self, place: int) -> str:
        names = self._names()
        try:
            return names[place]
        except IndexError:
            kind = type(self).__name__
            raise IndexError(f"{kind} has {len(names)} modules, and none at place {place}") from None

    def __len__(self) -> int:
        return len(self._names())

    def __iter__(self) -> Iterator[Any]:
        return iter([part for part in vars(self).values() if isinstance(part, Module)])

    def __setitem__(self, place: int, module: Module) -> None:
        """Put another module at a place."""
        self.add_module(self._name_at(place), module)

    def append(self, module: Module) -> Self:
        """Add a module at the end; returns the container. Raises TypeError if it is no Module."""
        place = len(self)
        while hasattr(self, str(place)):  # in a slice, whose modules keep their names
            place += 1
        self.add_module(str(place), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end; returns the container. Raises TypeError if one is no Module."""
        for module in modules:
            self.append(module)
        return self


class Sequential(Listed):
    """A chain: each module is called with what the one before returned.

    Parameters
    ----------
    modules
        The modules in order, or one dictionary of them by name.

    Raises
    ------
    TypeError
        If one is no Module (a function is none: ``nn.ReLU()``, not ``ad.relu``).

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

    def __getitem__(self, place: int | slice) -> Any:
        """The module at a place; of a slice, a Sequential of the same modules under the same names."""
        if isinstance(place, slice):
            return type(self)({name: vars(self)[name] for name in self._names()[place]})
        return vars(self)[self._name_at(place)]

    def forward(self, x: Any) -> Any:
        """Call one module after the other; without any, return ``x``."""
        for module in self:
            x = module(x)
        return x


class Shelf(Module):
    """A container that is not called: its modules take their labels with its own before them."""

    def _inner(self, name: str) -> str:
        return joined(self._short, name)

    def forward(self, *args: Any, **options: Any) -> Any:
        """Raises TypeError: only the modules in it can be called."""
        raise TypeError(f"{type(self).__name__} only holds modules: call those, in the forward around it")


class ModuleList(Shelf, Listed):
    """A list of modules that registers what is in it, as a plain list would not.

    Parameters
    ----------
    modules
        The modules in order.

    Raises
    ------
    TypeError
        If one is no Module.

    Example
    -------
    >>> from autodiff import nn
    >>> layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
    >>> len(layers), len(layers[1:]), sum(parameter.size for parameter in layers.parameters())
    (3, 2, 60)
    """

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        self.extend(modules)

    def __getitem__(self, place: int | slice) -> Any:
        """The module at a place; of a slice, a ModuleList."""
        if isinstance(place, slice):
            return type(self)(list(self)[place])
        return vars(self)[self._name_at(place)]


class ModuleDict(Shelf):
    """A dictionary of modules that registers what is in it, as a plain dictionary would not.

    Parameters
    ----------
    modules
        A dictionary of modules by name.

    Raises
    ------
    TypeError, ValueError
        If one is no Module, or a name has a dot in it or is that of a method.

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
        return {name: part for name, part in vars(self).items() if isinstance(part, Module)}

    def __getitem__(self, name: str) -> Any:
        return self._modules()[name]

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)

    def __delitem__(self, name: str) -> None:
        self[name]  # a KeyError if there is none
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
    """Returns what it is given: what stands where a layer was taken out.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.Identity()(Tensor([1.0, 2.0]))
    [1 2]
    """

    def forward(self, x: Any) -> Any:
        """Return ``x``."""
        return x
