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
from ..engine.tensor import Tensor, raw
from ..engine.tracing import TraceError, name, stand_in
from ..nn.loss_weights import LossWeights, noted
from ..optim.optimizer import Optimizer
from .compiled import Compiled, compile_function
from .step_state import CHANGING, StepState


class TrainingStep:
    """One step of training on a batch: ``step(x, target)`` changes the parameters, and returns the prediction
    and the loss.

    All steps are compiled. If the optimizer has a rule that makes an entry of its state in the first step,
    without a value to begin with (see ``Optimizer.init_state``), the update of the first step is not.

    Parameters
    ----------
    forward
        A function of the input that returns the prediction.
    loss
        A function of prediction and target that returns one number.
    optimizer
        Updates the parameters. Its arithmetic is part of the program, unless it branches on a number that
        changes between steps, as in RAdam, or its class has a ``step`` of its own: then only forward and
        backward are compiled.
    options
        The options of :func:`autodiff.compile`.
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
        self._is_whole = type(optimizer).step is Optimizer.step
        self._held: dict[tuple[Tensor, str], Tensor] = {}  # the Tensors for arrays of the state
        self._state: StepState | None = None
        self._structures: dict[str, int] = {}  # a number for each structure of the state so far

    def __call__(self, x: Any, target: Any) -> tuple[Tensor, Tensor]:
        """Train on one batch."""
        x, target = as_argument(x), as_argument(target)
        if self._is_whole:
            is_first = not self.optimizer.state
            state, numbers = self._current_state()
            state.take()
            try:
                found = self._whole(x, target, state.rates(), numbers, state.number)
            except TraceError:
                self._is_whole = is_first  # a first step may make entries of the state that were missing
            else:
                prediction, loss, weight, new = found
                state.put_back_numbers(new)
                return prediction, noted(loss, weight)
            finally:
                state.put_back()
        return self._half_step(x, target)

    def _current_state(self) -> tuple[StepState, list[float]]:
        """The optimizer's state as the program takes it, and its numbers."""
        state = self._state
        numbers = state.numbers() if state is not None and state.fits() else None
        if state is None or numbers is None:
            self.optimizer.init_state()
            state = self._state = StepState(self.optimizer, self._held)
            state.number = self._structures.setdefault(state.structure, len(self._structures))
            numbers = state.numbers()
        assert numbers is not None
        return state, numbers

    # -- without a program ----------------------------------------------------------------------------------

    def _plain_step(self, x: Any, target: Any) -> tuple[Tensor, Tensor]:
        """A step without a program."""
        with enable_grad():
            prediction = self.forward(x)
            with LossWeights() as weights:
                loss = self.loss(prediction, target)
            loss.backward(release=True)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return as_constant(prediction), noted(as_constant(loss), weights.of(loss))

    def _half_step(self, x: Any, target: Any) -> tuple[Tensor, Tensor]:
        """A step whose gradients come from a program, and whose update does not."""
        prediction, loss, weight, found = self._half(x, target)
        for parameter, gradient in zip(self.optimizer._parameters, found, strict=True):
            parameter._grad = None if gradient is None else raw(gradient)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return prediction, noted(loss, weight)

    # -- what is traced -------------------------------------------------------------------------------------

    def _gradients(self, x: Any, target: Any) -> tuple[Any, Any, Any, list[Any]]:
        """The prediction, the loss and its weight, and the gradient of each parameter, None if no gradient
        arrives."""
        with enable_grad():
            prediction = name(self.forward(x), "prediction")
            with LossWeights() as weights:
                loss = name(self.loss(prediction, target), "loss")
        parameters = [stand_in(parameter) for parameter in self.optimizer._parameters]
        behind = set(order(loss))
        wanted = [parameter for parameter in parameters if parameter in behind]
        found = dict(zip(wanted, gradients(loss, wanted)))
        weight = weights.of(loss)
        return as_constant(prediction), as_constant(loss), weight, [found.get(p) for p in parameters]

    def _step(
        self, x: Any, target: Any, rates: list[Any], numbers: list[Any], structure: int
    ) -> tuple[Any, Any, Any, list[Any]]:
        """The prediction, the loss and its weight, and the numbers of the optimizer's state after the
        step."""
        assert self._state is not None
        prediction, loss, weight, found = self._gradients(x, target)
        remaining, of_groups = iter(numbers[place] for place in self._state.arguments), iter(rates)
        new: list[Any] = []
        arrived = iter(found)
        for group in self.optimizer.param_groups:
            options = dict(group)
            if CHANGING in group:
                options[CHANGING] = name(next(of_groups), "learning_rate")
            for parameter in group["params"]:
                gradient = next(arrived)
                state = self._traced_state(parameter, remaining)
                if gradient is not None:
                    self._update(parameter, raw(gradient), state, options)
                keys, word = self._number_keys(parameter), self._state.word_for
                new += [name(state[key], word(parameter, f"new_{key}")) for key in keys]
        return prediction, loss, weight, new

    def _traced_state(self, parameter: Tensor, numbers: Iterator[Any]) -> dict[str, Any]:
        """The state of a parameter, with symbols in place of its moments and numbers. Raises TraceError
        for an entry of another type, which may change between steps."""
        state = dict(self.optimizer.state.get(parameter, {}))
        for key, value in state.items():
            if type(value) not in (Tensor, int, float):
                raise TraceError(
                    f"{key!r} in the state of the optimizer is a {type(value).__name__}, neither an array "
                    "nor a number, so this step is not compiled"
                )
        state |= {key: raw(stand_in(moment)) for key, moment in self._moments_of(parameter).items()}
        assert self._state is not None
        keys, word = self._number_keys(parameter), self._state.word_for
        return state | {key: name(next(numbers), word(parameter, key)) for key in keys}

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

    def _moments_of(self, parameter: Tensor) -> dict[str, Tensor]:
        """The arrays of a parameter's state, each in its Tensor."""
        state = self.optimizer.state.get(parameter, {})
        return {key: value for key, value in state.items() if isinstance(value, Tensor)}

    def _number_keys(self, parameter: Tensor) -> list[str]:
        """The entries of a parameter's state that are numbers."""
        state = self.optimizer.state.get(parameter, {})
        return [key for key, value in state.items() if type(value) in (int, float)]


def as_argument(value: Any) -> Any:
    """A batch as an argument: a list of numbers becomes an array."""
    return value if isinstance(value, (Tensor, np.ndarray)) else np.asarray(value)


def as_constant(value: Any) -> Any:
    """A result without the graph behind it."""
    return value.detach() if isinstance(value, Tensor) else value
