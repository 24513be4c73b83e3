"""A training step as one program: forward, backward and the arithmetic of the optimizer.

The program refers to parameters and moments as Tensors, and changes them in place. Numbers that change
between steps, such as the learning rate and the number of the step, are arguments of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..engine.backward import gradients, order
from ..engine.recording import enable_grad
from ..engine.tensor import Tensor, constant_tensor, raw
from ..engine.tracing import TraceError, name, stand_in
from ..optim.optimizer import Optimizer, as_python
from .compiled import Compiled, compile_function


class TrainingStep:
    """One step of training on a batch: ``step(x, target)`` changes the parameters, and returns the prediction
    and the loss.

    Parameters
    ----------
    forward
        A function of the input that returns the prediction.
    loss
        A function of prediction and target that returns one number.
    optimizer
        Updates the parameters. Its arithmetic is part of the program, unless it branches on a number that
        changes between steps, as in RAdam: then only forward and backward are compiled.
    options
        The options of :func:`autodiff.compile`.

    Steps are compiled once the optimizer has made its state, which it does in the first step.
    """

    def __init__(
        self,
        forward: Callable[[Any], Any],
        loss: Callable[[Any, Any], Any],
        optimizer: Optimizer,
        **options: Any,
    ) -> None:
        self.forward, self.loss, self.optimizer = forward, loss, optimizer
        self._whole: Compiled = compile_function(self._step, **options)
        self._half: Compiled = compile_function(self._gradients, **options)
        self._is_whole = True
        self._moments: dict[Tensor, dict[str, Tensor]] = {}

    def __call__(self, x: Any, target: Any) -> tuple[Tensor, Tensor]:
        """Train on one batch."""
        x, target = as_argument(x), as_argument(target)
        if not self._is_ready():
            return self._plain_step(x, target)
        if self._is_whole:
            numbers = list(self._numbers())
            self._take_moments()
            try:
                prediction, loss, new = self._whole(x, target, numbers, self._structure())
            except TraceError:
                self._is_whole = False
            else:
                self._put_back_numbers(new)
                return prediction, loss
            finally:
                self._put_back_moments()
        return self._half_step(x, target)

    # -- without a program ----------------------------------------------------------------------------------

    def _plain_step(self, x: Any, target: Any) -> tuple[Tensor, Tensor]:
        """A step without a program."""
        with enable_grad():
            prediction = self.forward(x)
            loss = self.loss(prediction, target)
            loss.backward(release=True)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return as_constant(prediction), as_constant(loss)

    def _half_step(self, x: Any, target: Any) -> tuple[Tensor, Tensor]:
        """A step whose gradients come from a program, and whose update does not."""
        prediction, loss, found = self._half(x, target)
        for parameter, gradient in zip(self.optimizer._parameters, found, strict=True):
            parameter._grad = None if gradient is None else raw(gradient)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return prediction, loss

    # -- what is traced -------------------------------------------------------------------------------------

    def _gradients(self, x: Any, target: Any) -> tuple[Any, Any, list[Any]]:
        """The prediction, the loss, and the gradient of each parameter, None if no gradient arrives."""
        with enable_grad():
            prediction = name(self.forward(x), "prediction")
            loss = name(self.loss(prediction, target), "loss")
        parameters = [stand_in(parameter) for parameter in self.optimizer._parameters]
        behind = set(order(loss))
        wanted = [parameter for parameter in parameters if parameter in behind]
        found = dict(zip(wanted, gradients(loss, wanted)))
        return as_constant(prediction), as_constant(loss), [found.get(p) for p in parameters]

    def _step(self, x: Any, target: Any, numbers: list[Any], structure: str) -> tuple[Any, Any, list[Any]]:
        """The prediction, the loss, and the numbers of the optimizer's state after the step."""
        prediction, loss, found = self._gradients(x, target)
        remaining = iter(numbers)
        new: list[Any] = []
        arrived = iter(found)
        for group in self.optimizer.param_groups:
            changing = {key: name(next(remaining), WORDS.get(key, key)) for key in group if is_changing(key)}
            options = {**group, **changing}
            for parameter in group["params"]:
                gradient = next(arrived)
                state = self._traced_state(parameter, remaining)
                if gradient is not None:
                    self._update(parameter, raw(gradient), state, options)
                keys, word = self._number_keys(parameter), name_of(parameter)
                new += [name(state[key], f"{word}_new_{key}") for key in keys]
        return prediction, loss, new

    def _traced_state(self, parameter: Tensor, numbers: Iterator[Any]) -> dict[str, Any]:
        """The state of a parameter, with symbols in place of its moments and numbers."""
        state = dict(self.optimizer.state.get(parameter, {}))
        state |= {key: raw(stand_in(moment)) for key, moment in self._moments_of(parameter).items()}
        word = name_of(parameter)
        return state | {key: name(next(numbers), f"{word}_{key}") for key in self._number_keys(parameter)}

    def _update(self, parameter: Tensor, gradient: Any, state: dict[str, Any], options: Any) -> None:
        """Trace the optimizer's update of one parameter. Raises TraceError if it makes a new entry of its
        state."""
        data, keys = raw(stand_in(parameter)).copy(), set(state)
        if type(parameter._value) is float:  # the update works on 0-d arrays
            data, gradient = data.astype(float), gradient.astype(float)
        elif gradient.dtype != data.dtype:
            gradient = gradient.astype(data.dtype)
        self.optimizer._apply(data, gradient, state, options)
        if state.keys() != keys:
            raise TraceError("the optimizer adds an entry to its state, so this step is not compiled")
        parameter.assign(data)
        for key, moment in self._moments_of(parameter).items():
            moment.assign(state[key])

    # -- the optimizer's state -----------------------------------------------------------------------------

    def _is_ready(self) -> bool:
        """Whether the optimizer has made its state."""
        return bool(self.optimizer.state)

    def _take_moments(self) -> None:
        """Move each array of the state into a Tensor, which the program refers to. The state holds the Tensor
        until the end of the step, since an array is overwritten only if nothing else refers to it."""
        for parameter, state in self.optimizer.state.items():
            held = self._moments.setdefault(parameter, {})
            for key, value in state.items():
                if isinstance(value, np.ndarray):
                    if key not in held:
                        held[key] = held_as(parameter, key, value)
                    held[key]._value = value
                    state[key] = held[key]

    def _put_back_moments(self) -> None:
        """Move the arrays from their Tensors back into the state."""
        for parameter in self.optimizer._parameters:
            state = self.optimizer.state.get(parameter, {})
            for key, moment in self._moments_of(parameter).items():
                state[key], moment._value = moment._value, EMPTY

    def _moments_of(self, parameter: Tensor) -> dict[str, Tensor]:
        """The arrays of a parameter's state, each in its Tensor."""
        state = self.optimizer.state.get(parameter, {})
        return {key: value for key, value in state.items() if isinstance(value, Tensor)}

    def _number_keys(self, parameter: Tensor) -> list[str]:
        """The entries of a parameter's state that are numbers."""
        state = self.optimizer.state.get(parameter, {})
        return [key for key, value in state.items() if type(value) in (int, float)]

    def _numbers(self) -> Iterator[float]:
        """The numbers that change between steps, in the order in which ``_step`` takes them."""
        for group in self.optimizer.param_groups:
            group.update({key: as_python(value) for key, value in group.items()})
            yield from (float(value) for key, value in group.items() if is_changing(key))
            for parameter in group["params"]:
                state = self.optimizer.state.get(parameter, {})
                yield from (float(state[key]) for key in self._number_keys(parameter))

    def _structure(self) -> str:
        """What else the program depends on: the options of the groups, and the keys of the states."""
        return repr(
            [
                (
                    {key: v for key, v in group.items() if key != "params" and not is_changing(key)},
                    [[*self.optimizer.state.get(parameter, ())] for parameter in group["params"]],
                )
                for group in self.optimizer.param_groups
            ]
        )

    def _put_back_numbers(self, new: list[Any]) -> None:
        """Write the numbers after a step into the optimizer's state."""
        remaining = iter(new)
        for parameter in self.optimizer._parameters:
            state = self.optimizer.state.get(parameter, {})
            for key in self._number_keys(parameter):
                state[key] = type(state[key])(next(remaining))


EMPTY = np.empty(0)
"""The value between two steps of a Tensor that holds an array of the state during a step."""


def held_as(parameter: Tensor, key: str, value: Any) -> Tensor:
    """A Tensor for an array of a parameter's state, with a name for both."""
    held = constant_tensor(value)
    held.name = f"{name_of(parameter)}.{key}"
    return held


WORDS = {"lr": "learning_rate"}
"""The names in programs of options that have another name there."""


def name_of(parameter: Tensor) -> str:
    """The name of a parameter in a program."""
    return parameter.name or "parameter"


def is_changing(key: str) -> bool:
    """Whether an option of an optimizer changes between steps, so that it is an argument of the program."""
    return key == "lr"


def as_argument(value: Any) -> Any:
    """A batch as an argument: a list of numbers becomes an array."""
    return value if isinstance(value, (Tensor, np.ndarray)) else np.asarray(value)


def as_constant(value: Any) -> Any:
    """A result without the graph behind it."""
    return value.detach() if isinstance(value, Tensor) else value
