"""Optimizer: parameter groups, the walk over the parameters, weight decay, saving and loading.

What makes an optimizer itself is one method, ``update``: it changes a parameter's array by its gradient and
by what is remembered of earlier steps. The rest is done here, once: Tensors, parameters that are numbers,
missing gradients, and arrays that somebody else holds, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import Any

import numpy as np

from ..engine import edits
from ..engine.recording import enable_grad
from ..engine.silence import silence
from ..engine.tensor import Tensor, raw
from ..engine.values import is_alone
from .options import checked, expect_owner, listed, refuse

try:
    from . import shortcuts
except ImportError:  # they are for speed alone, and the file may be deleted
    shortcuts = None  # type: ignore[assignment]

Parameters = Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[dict[str, Any]]
Group = dict[str, Any]
Memory = dict[str, Any]

NOT_OPTIONS = ("params", "param_names", "initial_lr")  # what a group holds besides its options
COMMON = {"weight_decay": 0.0, "decoupled_weight_decay": False, "maximize": False}


class Optimizer:
    """The base of all optimizers; a new one is a subclass with an ``update``.

    Parameters
    ----------
    params
        The leaf Tensors to change: an iterable of them, or of pairs (name, Tensor), or of groups. A group is
        a dictionary of "params" and of the options that are to be its own:
        ``[{"params": [w]}, {"params": [b], "lr": 0.01}]``.
    defaults
        The options and their values for groups that give none: ``lr``, and the rule's own. Three more are
        understood for every optimizer: ``weight_decay`` (0) adds that share of the parameter to its gradient,
        or, with ``decoupled_weight_decay`` (False), takes lr times that share off the parameter itself, past
        the rule (Loshchilov and Hutter 2019); ``maximize`` (False) walks uphill.

    Attributes
    ----------
    param_groups
        A list of dictionaries. Schedulers, and you, may change their options between steps.
    state
        Per parameter that had a gradient: a dictionary of the step count, and what the rule remembers.

    Raises
    ------
    TypeError, ValueError
        If a parameter is no Tensor, no leaf, wants no gradient or comes twice, if there is none, if an option
        is unknown or out of range, or if the defaults have no ``lr``.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, optim
    >>> class SignDescent(optim.Optimizer):
    ...     def __init__(self, params, lr=0.5):
    ...         super().__init__(params, {"lr": lr})
    ...     def update(self, data, grad, state, group):
    ...         data -= group["lr"] * np.sign(grad)
    >>> w = Tensor([1.0, -3.0])
    >>> optimizer = SignDescent([w])
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    [ 0.5 -2.5]
    """

    common: Mapping[str, Any] = MappingProxyType(COMMON)  # options that every optimizer understands

    def __init__(self, params: Parameters, defaults: dict[str, Any]) -> None:
        if "lr" not in defaults:
            raise ValueError(f"the defaults of {self._name} have no lr, by which every step goes")
        self.defaults = defaults | {key: value for key, value in self.common.items() if key not in defaults}
        self.param_groups: list[Group] = []
        self.state: dict[Tensor, Memory] = {}
        given = listed(params, self._name)
        if not any(isinstance(entry, dict) for entry in given):
            given = [{"params": given}]
        for group in given:
            self.add_param_group(group)

    @property
    def _name(self) -> str:
        return type(self).__name__

    @property
    def _parameters(self) -> list[Tensor]:
        return [parameter for group in self.param_groups for parameter in group["params"]]

    # -- groups ---------------------------------------------------------------------------------------------

    def add_param_group(self, group: Group) -> None:
        """Take in more parameters: "params", and the options that are to be their own.

        Raises what the class raises, and then nothing was added.

        Example
        -------
        >>> from autodiff import Tensor, optim
        >>> optimizer = optim.SGD([Tensor(1.0)], lr=0.1)
        >>> optimizer.add_param_group({"params": [Tensor([1.0, 2.0])], "lr": 0.01})
        >>> optimizer
        SGD(
            1 parameter, 1 element, lr=0.1
            1 parameter, 2 elements, lr=0.01
        )
        """
        if not isinstance(group, dict) or "params" not in group:
            raise TypeError(f'a parameter group is a dictionary with "params", not {group!r:.60}')
        unknown = sorted(group.keys() - self.defaults.keys() - {"params"})
        if unknown:
            raise TypeError(f"{self._name} has no option {unknown[0]!r}; it has {', '.join(self.defaults)}")
        params = group["params"]
        entries = [params] if isinstance(params, Tensor) else listed(params, self._name)
        pairs = [entry for entry in entries if isinstance(entry, tuple) and len(entry) == 2]
        if pairs and len(pairs) < len(entries):
            raise TypeError("either all parameters of a group come with a name, or none")
        options = self.check({**self.defaults, **group})
        options["params"] = [entry[1] for entry in pairs] or entries
        if pairs:
            options["param_names"] = [str(entry[0]) for entry in pairs]
        refuse(options["params"], self._parameters, self._name)
        self.param_groups.append(options)

    def check(self, options: dict[str, Any]) -> dict[str, Any]:
        """A group's options with every number as a Python float; what is out of range is refused."""
        return checked(options, self._name)

    # -- a step ---------------------------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient. Gradients are kept: clear them before the next walk.

        An array is overwritten in its own memory if nobody else holds it; what was detached, viewed or
        handed out keeps its value. The change is counted: a later backward over a graph that used the old
        value raises.

        Parameters
        ----------
        closure
            A function that clears the gradients, computes the loss, calls its ``backward`` and returns it. It
            is called first. Only :class:`LBFGS` needs one.

        Returns
        -------
        Tensor
            What the closure returned; None without one.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        edit = edits.new()
        with silence():
            for group in self.param_groups:
                group.update({key: as_python(value) for key, value in group.items()})
                for parameter in group["params"]:
                    if parameter._grad is not None:
                        parameter._edit = edit
                        self._move(parameter, group)
        return loss

    def _move(self, parameter: Tensor, group: Group) -> None:
        """One step of one parameter; a number goes through the rule as an array without axes."""
        state = self.state.setdefault(parameter, {})
        if type(parameter._value) is float:
            data = np.array(parameter._value)
            self._apply(data, np.float64(raw(parameter._grad)), state, group)
            parameter._value = float(data)
            state.update({key: as_python(value) for key, value in state.items()})
        else:
            data = own_array(parameter)
            grad = np.asarray(raw(parameter._grad), data.dtype)  # without axes it may be a number
            rule = type(self).update
            if not (shortcuts and shortcuts.in_pieces(self._apply, rule, data, grad, state, group)):
                self._apply(data, grad, state, group)

    def _apply(self, data: np.ndarray, grad: Any, state: Memory, group: Group) -> None:
        """What all optimizers share, then the rule."""
        state["step"] = state.get("step", 0) + 1
        lr, decay = group["lr"], group["weight_decay"]
        if group["maximize"]:
            grad = np.negative(grad)
        if group["decoupled_weight_decay"]:
            data *= 1 - lr * decay
        elif decay:
            grad = grad + decay * data
        self.update(data, grad, state, group)

    def update(self, data: np.ndarray, grad: np.ndarray, state: Memory, group: Group) -> None:
        """The rule: write a parameter's next value into ``data``. A step calls it for each parameter that has
        a gradient.

        Parameters
        ----------
        data, grad
            The parameter, to be changed in place, and its gradient (left as it is), of the same shape. For a
            parameter that is a number, ``data`` is an array without axes and ``grad`` a NumPy number.
        state
            What is remembered of this parameter: "step" counts from 1, the rest is the rule's own.
        group
            The options.
        """
        raise NotImplementedError(f"{self._name} has no update")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters: their ``.grad`` is None again. With ``set_to_none=False``
        those that there are become zeros; a step then still moves what has momentum."""
        for parameter in self._parameters:
            if set_to_none or parameter._grad is None:
                parameter.zero_grad()
            else:
                parameter.grad = np.zeros(parameter.shape, parameter.dtype)

    # -- saving -------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """The options and all that is remembered, copied, with parameters as positions: for
        :meth:`load_state_dict`."""
        places = {parameter: place for place, parameter in enumerate(self._parameters)}
        return {
            "optimizer": self._name,
            "state": {places[parameter]: deepcopy(memory) for parameter, memory in self.state.items()},
            "param_groups": [
                {**settings(group), "params": [places[p] for p in group["params"]], "shapes": shapes(group)}
                for group in self.param_groups
            ],
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another optimizer of the same class stood, with the same parameters in the same order.

        The parameters themselves are not part of it. What is loaded is copied, floats in each parameter's
        dtype.

        Raises
        ------
        TypeError, ValueError
            If it is no dictionary or not whole, if it was saved by another class, or if the number of groups,
            their sizes, or the shapes or names of the parameters differ. Nothing is changed then.

        Example
        -------
        >>> from autodiff import Tensor, optim
        >>> first, second = (optim.Adam([Tensor([1.0, 2.0])], lr=lr) for lr in (0.1, 0.5))
        >>> second.load_state_dict(first.state_dict())
        >>> second
        Adam(1 parameter, 2 elements, lr=0.1, betas=(0.9, 0.999), eps=1e-08)
        """
        expect_owner(state_dict, "optimizer", self._name)
        if missing := {"param_groups", "state"} - state_dict.keys():
            raise ValueError(f"this state of {self._name} is not whole: it has no {' and no '.join(missing)}")
        saved, own = state_dict["param_groups"], self.param_groups
        differ("numbers of parameters per group", sizes(saved), sizes(own))
        differ("shapes", [group["shapes"] for group in saved], [shapes(group) for group in own])
        if names(saved) and names(own):
            differ("names", names(saved), names(own))
        parameters = dict(enumerate(self._parameters))
        if unknown := state_dict["state"].keys() - parameters.keys():
            count = len(parameters)
            raise ValueError(f"this state remembers parameter {unknown.pop()!r}, and there are {count}")
        self.state = {
            parameters[place]: in_dtype(memory, parameters[place].dtype)
            for place, memory in state_dict["state"].items()
        }
        loaded = (*self.defaults, "initial_lr")
        for theirs, ours in zip(saved, own):
            ours.update({key: value for key, value in settings(theirs).items() if key in loaded})

    def __repr__(self) -> str:
        lines = [summary(group) for group in self.param_groups]
        if len(lines) == 1:
            return f"{self._name}({lines[0]})"
        return "\n    ".join([f"{self._name}(", *lines]) + "\n)"


def own_array(tensor: Tensor) -> np.ndarray:
    """A Tensor's array to be written into; a copy, and from now on its own, if anybody else holds it."""
    if not is_alone(tensor):
        tensor._value = tensor._value.copy()
    return tensor._value


def as_python(value: Any) -> Any:
    """A NumPy number as Python's own, alone or in a tuple; it would make float32 float64 on the way."""
    if isinstance(value, tuple):
        return tuple(as_python(part) for part in value)
    return value.item() if isinstance(value, np.generic) else value


def in_dtype(memory: Memory, dtype: np.dtype) -> Memory:
    """A copy of a parameter's memory, with its arrays and NumPy numbers that are floats in another dtype."""
    copied = deepcopy(memory)
    for key, value in copied.items():
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f":
            copied[key] = value.astype(dtype, copy=False)
    return copied


def settings(group: Group) -> Group:
    """What a group holds besides its parameters, copied."""
    return deepcopy({key: value for key, value in group.items() if key != "params"})


def differ(what: str, saved: Any, own: Any) -> None:
    """Raise ValueError if what was saved is not what is there."""
    if saved != own:
        raise ValueError(f"the saved {what} are {saved}, and here they are {own}")


def sizes(groups: list[Group]) -> list[int]:
    """How many parameters each group has."""
    return [len(group["params"]) for group in groups]


def shapes(group: Group) -> list[tuple[int, ...]]:
    """The shape of each parameter of a group."""
    return [parameter.shape for parameter in group["params"]]


def names(groups: list[Group]) -> list[str]:
    """The names of all parameters; none if they came without."""
    return [name for group in groups for name in group.get("param_names", ())]


def summary(group: Group) -> str:
    """A group in one line: how much it holds, and the options that are in use."""
    count, elements = len(group["params"]), sum(parameter.size for parameter in group["params"])
    options = (
        f"{key}={value}" for key, value in group.items() if key not in NOT_OPTIONS and (value or key == "lr")
    )
    parts = (f"{count} parameter{'s' * (count != 1)}", f"{elements} element{'s' * (elements != 1)}", *options)
    return ", ".join(parts)
