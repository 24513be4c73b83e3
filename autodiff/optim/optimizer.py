"""Optimizer, the base class: parameter groups, the step over all parameters, weight decay, saving and
loading.

A subclass adds one method, ``update``, the formula: it changes the array of a parameter by its gradient and
the state of earlier steps. Everything else is done here: Tensors, parameters that are numbers, missing
gradients, and arrays that other objects share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import Any

import numpy as np

from ..clearing import clear_gradients
from ..engine import edits
from ..engine.dtypes import FLOAT16, FLOAT32
from ..engine.locking import Lock
from ..engine.recording import enable_grad
from ..engine.silence import silence
from ..engine.tensor import Tensor, raw
from ..engine.tracing import check_not_compiling
from ..engine.values import is_alone
from .beginning import beginning
from .options import check_parameters, check_saved_by, checked_options, parameter_list

try:
    from . import shortcuts
except ImportError:  # the file only gains speed and may be deleted
    shortcuts = None  # type: ignore[assignment]

Parameters = Iterable[Tensor] | Iterable[tuple[str, Tensor]] | Iterable[dict[str, Any]]
Group = dict[str, Any]
State = dict[str, Any]

NOT_OPTIONS = ("params", "param_names", "initial_lr")  # the entries of a group that are not options
STEP_ADVICE = "compile the loss with its gradients, and step outside; or training.Model(..., compile=True)"
COMMON_OPTIONS = {"weight_decay": 0.0, "decoupled_weight_decay": False, "maximize": False}


class Optimizer:
    """Base class of all optimizers; a new one is a subclass with a method ``update``.

    Parameters
    ----------
    params
        The leaf Tensors to optimize: an iterable of them, of pairs (name, Tensor), or of groups. A group is a
        dictionary with "params" and with options that differ from the defaults:
        ``[{"params": [w]}, {"params": [b], "lr": 0.01}]``.
    defaults
        The options, ``lr`` and those of the rule, with their default values. Every optimizer has three more:
        ``weight_decay`` (0) times the parameter is added to its gradient, or, with ``decoupled_weight_decay``
        (False), lr times weight_decay times the parameter is subtracted from it before the rule (Loshchilov
        and Hutter, "Decoupled Weight Decay Regularization", 2019); ``maximize`` (False) ascends the gradient.

    Attributes
    ----------
    param_groups
        A list of dictionaries. Their options may be changed between steps, by a scheduler or by hand.
    state
        For each parameter that had a gradient, or for all after :meth:`init_state`, a dictionary: the number
        of its steps, and the rule's own entries.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not a Tensor, is not a leaf, requires no gradient or occurs twice, if there is none,
        if an option is unknown or out of range, or if the defaults lack ``lr``.

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

    common: Mapping[str, Any] = MappingProxyType(COMMON_OPTIONS)  # options of every optimizer
    defaults: dict[str, Any]

    def __init__(self, params: Parameters, defaults: dict[str, Any]) -> None:
        if "lr" not in defaults:
            raise ValueError(f"the defaults of {self._name} have no lr: every optimizer needs one")
        self.defaults = defaults | {key: value for key, value in self.common.items() if key not in defaults}
        self._lock = Lock()  # of the state, which several threads may step
        self.param_groups: list[Group] = []
        self.state: dict[Tensor, State] = {}
        given = parameter_list(params, self._name)
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
        """Add a group of parameters: "params", and options that differ from the defaults.

        Raises the errors of the class; nothing is added then.

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
        entries = [params] if isinstance(params, Tensor) else parameter_list(params, self._name)
        pairs = [entry for entry in entries if isinstance(entry, tuple) and len(entry) == 2]
        if pairs and len(pairs) < len(entries):
            raise TypeError("either all parameters of a group come with a name, or none")
        options = self.check({**self.defaults, **group})
        options["params"] = [entry[1] for entry in pairs] or entries
        if pairs:
            options["param_names"] = [str(entry[0]) for entry in pairs]
        check_parameters(options["params"], self._parameters, self._name)
        self.param_groups.append(options)

    def check(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options of a group, checked, with every number as a Python float; a subclass may check more."""
        return checked_options(options, self._name)

    # -- a step ---------------------------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter that has a gradient. Gradients are kept: clear them before the next
        backward.

        An array is overwritten in place unless another object shares it, such as a detached Tensor or a view;
        that one keeps its values. The change is counted: backward over a graph that used the old values
        raises.

        Parameters
        ----------
        closure
            A function that clears the gradients, computes the loss, calls its ``backward`` and returns it. It
            is called before the update. Only :class:`LBFGS` needs one.

        Returns
        -------
        Tensor
            The result of the closure; None without one.
        """
        check_not_compiling("the step of an optimizer", STEP_ADVICE)
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        edit = edits.new()
        with silence(), self._lock.held:
            for group in self.param_groups:
                group.update({key: as_python(value) for key, value in group.items()})
                for parameter in group["params"]:
                    if parameter._grad is not None:
                        parameter._edit = edit
                        self._step_parameter(parameter, group)
        return loss

    def _step_parameter(self, parameter: Tensor, group: Group) -> None:
        """Update one parameter. The rule sees a number as an array without axes."""
        state = self.state.setdefault(parameter, {})
        if type(parameter._value) is float:
            data = np.array(parameter._value)
            self._apply(data, np.float64(raw(parameter._grad)), state, group)
            parameter._value = float(data)
            state.update({key: as_python(value) for key, value in state.items()})
        else:
            data = writable_array(parameter)
            grad = np.asarray(raw(parameter._grad), data.dtype)  # a gradient without axes may be a number
            rule = type(self).update
            # The shortcut only gains speed: it updates a large array in pieces that fit the cache.
            if not (shortcuts and shortcuts.step_in_pieces(self._apply, rule, data, grad, state, group)):
                self._apply(data, grad, state, group)
            if not data.shape:  # NumPy makes scalars of 0-d arrays
                kept = {key: np.asarray(x) for key, x in state.items() if isinstance(x, np.generic)}
                state.update(kept)

    def _apply(self, data: np.ndarray, grad: Any, state: State, group: Group) -> None:
        """Count the step and apply ``maximize`` and weight decay, then the rule. The step and the state of a
        parameter in float16 are float32."""
        if data.dtype == FLOAT16:  # the squares of a small gradient would be 0 there, and so would eps
            wide = data.astype(FLOAT32)
            self._apply(wide, grad.astype(FLOAT32), state, group)
            data[...] = wide
            return
        state["step"] = state.get("step", 0) + 1
        lr, decay = group["lr"], group["weight_decay"]
        if group["maximize"]:
            grad = np.negative(grad)
        if group["decoupled_weight_decay"]:
            data *= 1 - lr * decay
        elif decay:
            grad = grad + decay * data
        self.update(data, grad, state, group)

    def update(self, data: np.ndarray, grad: np.ndarray, state: State, group: Group) -> None:
        """The rule: write the next value of a parameter into ``data``. A step calls it for each parameter
        that has a gradient.

        Parameters
        ----------
        data, grad
            The parameter, to be changed in place, and its gradient, not to be changed, of the same shape. For
            a parameter that is a number, ``data`` is an array without axes and ``grad`` a NumPy number.
        state
            The state of this parameter: "step" counts from 1, the other entries belong to the rule.
        group
            The options.
        """
        raise NotImplementedError(f"{self._name} has no update: define it in the subclass")

    def init_state(self) -> None:
        """Make the state of each parameter that has none, as it is before its first step.

        A step makes what is missing, so this is needed only where the state has to be there before: to be
        looked at, or handed to a program. The steps that follow come to the same bits. An entry begins as the
        value that the rule takes for it while it is not there, in ``state.get(name, value)``; to learn it,
        the rule is called once, on a copy of the parameter. An entry that the rule makes without asking is
        left to the first step.

        Example
        -------
        >>> from autodiff import Tensor, optim
        >>> w = Tensor([1.0, 2.0])
        >>> optimizer = optim.Adam([w])
        >>> optimizer.init_state()
        >>> optimizer.state[w]
        {'step': 0, 'm': array([0., 0.]), 'v': array([0., 0.])}
        """
        check_not_compiling("the state of an optimizer", STEP_ADVICE)
        with silence(), self._lock.held:
            for group in self.param_groups:
                group.update({key: as_python(value) for key, value in group.items()})
                for parameter in group["params"]:
                    if parameter not in self.state:
                        self.state[parameter] = beginning(self.update, parameter, group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients of all parameters: ``.grad`` becomes None. With ``set_to_none=False``, existing
        gradients become zeros instead, and the next step still applies the momentum."""
        clear_gradients(self._parameters, set_to_none)

    # -- saving -------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """A copy of the options and of the state for :meth:`load_state_dict`. Parameters are represented by
        their positions."""
        positions = {parameter: position for position, parameter in enumerate(self._parameters)}
        return {
            "optimizer": self._name,
            "state": {positions[parameter]: deepcopy(state) for parameter, state in self.state.items()},
            "param_groups": [
                {
                    **group_settings(group),
                    "params": [positions[parameter] for parameter in group["params"]],
                    "shapes": parameter_shapes(group),
                }
                for group in self.param_groups
            ],
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from the state of another optimizer of the same class, whose parameters have the same
        shapes and the same order.

        The parameters themselves are not part of the state. It is copied, with floats converted to the dtype
        of each parameter.

        Raises
        ------
        TypeError, ValueError
            If it is not a dictionary or incomplete, if it was saved by another class, or if the number of
            groups, their sizes, or the shapes or names of the parameters differ. Nothing is changed then.

        Example
        -------
        >>> from autodiff import Tensor, optim
        >>> first, second = (optim.Adam([Tensor([1.0, 2.0])], lr=lr) for lr in (0.1, 0.5))
        >>> second.load_state_dict(first.state_dict())
        >>> second
        Adam(1 parameter, 2 elements, lr=0.1, betas=(0.9, 0.999), eps=1e-08)
        """
        check_saved_by(state_dict, "optimizer", self._name)
        if missing := {"param_groups", "state"} - state_dict.keys():
            raise ValueError(f"this state of {self._name} is incomplete: it lacks {' and '.join(missing)}")
        saved, own = state_dict["param_groups"], self.param_groups
        check_equal("numbers of parameters per group", group_sizes(saved), group_sizes(own))
        check_equal("shapes", [group["shapes"] for group in saved], [*map(parameter_shapes, own)])
        if parameter_names(saved) and parameter_names(own):
            check_equal("names", parameter_names(saved), parameter_names(own))
        parameters = dict(enumerate(self._parameters))
        if unknown := state_dict["state"].keys() - parameters.keys():
            raise ValueError(
                f"this state has an entry for parameter {unknown.pop()!r}, but this {self._name} has "
                f"{len(parameters)} parameters"
            )
        self.state = {
            parameters[position]: with_dtype(state, np.result_type(parameters[position].dtype, FLOAT32))
            for position, state in state_dict["state"].items()
        }
        loaded = (*self.defaults, "initial_lr")
        for theirs, ours in zip(saved, own):
            ours.update({key: value for key, value in group_settings(theirs).items() if key in loaded})

    def __repr__(self) -> str:
        lines = [group_summary(group) for group in self.param_groups]
        if len(lines) == 1:
            return f"{self._name}({lines[0]})"
        return "\n    ".join([f"{self._name}(", *lines]) + "\n)"


def writable_array(tensor: Tensor) -> np.ndarray:
    """The array of a Tensor, to be written into. If another object shares it, the Tensor gets a copy
    first."""
    if not is_alone(tensor):
        tensor._value = tensor._value.copy()
    return tensor._value


def as_python(value: Any) -> Any:
    """A NumPy number, alone or in a tuple, as a Python number, which does not turn float32 into float64."""
    if isinstance(value, tuple):
        return tuple(as_python(part) for part in value)
    return value.item() if isinstance(value, np.generic) else value


def with_dtype(state: State, dtype: np.dtype) -> State:
    """A copy of a parameter's state, with float arrays and NumPy floats converted to a dtype."""
    copied = deepcopy(state)
    for key, value in copied.items():
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind == "f":
            copied[key] = value.astype(dtype, copy=False)
    return copied


def group_settings(group: Group) -> Group:
    """A copy of the entries of a group without its parameters."""
    return deepcopy({key: value for key, value in group.items() if key != "params"})


def check_equal(what: str, saved: Any, own: Any) -> None:
    """Raise ValueError unless the saved value equals the optimizer's own."""
    if saved != own:
        raise ValueError(f"the saved {what} are {saved}, but those of the optimizer are {own}")


def group_sizes(groups: list[Group]) -> list[int]:
    """The number of parameters of each group."""
    return [len(group["params"]) for group in groups]


def parameter_shapes(group: Group) -> list[tuple[int, ...]]:
    """The shape of each parameter of a group."""
    return [parameter.shape for parameter in group["params"]]


def parameter_names(groups: list[Group]) -> list[str]:
    """The names of all parameters; an empty list if they have none."""
    return [name for group in groups for name in group.get("param_names", ())]


def group_summary(group: Group) -> str:
    """A group in one line: the number of its parameters and elements, and the options that are in use."""
    count, elements = len(group["params"]), sum(parameter.size for parameter in group["params"])
    options = (
        f"{key}={value}" for key, value in group.items() if key not in NOT_OPTIONS and (value or key == "lr")
    )
    parts = (f"{count} parameter{'s' * (count != 1)}", f"{elements} element{'s' * (elements != 1)}", *options)
    return ", ".join(parts)
