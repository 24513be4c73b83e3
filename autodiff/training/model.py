"""Model: a network with a loss and an optimizer, and the loops that train and evaluate it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from numbers import Real
from typing import Any

import numpy as np

from ..compiling.training_step import TrainingStep
from ..engine.recording import no_grad
from ..engine.tensor import Tensor, constant_tensor, raw
from ..nn import Module
from ..nn.loss_weights import LossWeights
from ..optim import Optimizer
from ..optim.lr_scheduler.schedulers import Scheduler
from .batches import array_loader, batch_count, batch_pairs, check_loader, checked_epochs, fit_loaders
from .callbacks import Callback
from .history import History, Row
from .interrupts import defer_interrupts, pop_pending, raise_pending
from .measures import EpochTotals, Metrics, are_metrics, as_float, concatenate, named_metrics, single_array
from .plan import FitPlan, check_plan, interrupted_note, notify, step_scheduler
from .progress import epoch_progress
from .summary import Summary, summary_of


class Model:
    """A network with its loss and optimizer. :meth:`forward`, :meth:`backward` and :meth:`apply_grad` train
    on one batch; :meth:`fit` calls them for all batches of several epochs.

    A subclass can override one of the three, for example to clip gradients::

        class Clipped(Model):
            def apply_grad(self):
                optim.clip_grad_norm_(self.net.parameters(), 1.0)
                super().apply_grad()

    Parameters
    ----------
    net
        The Module.
    loss
        A function or module that takes prediction and target and returns the loss of the batch, one number.
    optimizer
        An optimizer of the net's parameters.
    compile
        Whether :meth:`fit` trains by a program that is compiled from the whole step, see
        :func:`autodiff.compile`: the same numbers, faster. One program is made for each shape of a batch.

    Attributes
    ----------
    history : History
        All epochs that :meth:`fit` has trained so far.
    stop_training : bool
        A callback sets it to True to end :meth:`fit` after the epoch.

    Raises
    ------
    TypeError
        If an argument is of the wrong type.
    ValueError
        If the optimizer has none of the net's parameters, or if ``compile`` is True for a subclass that
        overrides one of the three methods.

    Example
    -------
    >>> from autodiff import Tensor, nn, optim, training
    >>> net = nn.Linear(1, 1, generator=0)
    >>> model = training.Model(net, nn.MSELoss(), optim.SGD(net.parameters(), lr=0.1))
    >>> x = Tensor([[0.0], [1.0], [2.0]], requires_grad=False)
    >>> for _ in range(200):
    ...     prediction = model.forward(x)
    ...     loss = model.backward(prediction, 3 * x - 1)
    ...     model.apply_grad()
    >>> f"{net.weight.item():.2f} {net.bias.item():.2f}"
    '3.00 -1.00'
    """

    def __init__(
        self,
        net: Module,
        loss: Callable[[Any, Any], Any],
        optimizer: Optimizer,
        *,
        compile: bool = False,  # noqa: A002
    ) -> None:
        if not isinstance(net, Module):
            raise TypeError(f"the net of a Model must be an nn.Module, not {net!r:.60}")
        if not callable(loss) or isinstance(loss, type):
            hint = f"; create an instance: {loss.__name__}()" if isinstance(loss, type) else ""
            raise TypeError(f"the loss of a Model must be a function or module, not {loss!r:.60}{hint}")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"the optimizer of a Model must be one of autodiff.optim, not {optimizer!r:.60}")
        optimized = {parameter for group in optimizer.param_groups for parameter in group["params"]}
        if optimized.isdisjoint(net.parameters()):
            raise ValueError(
                "the optimizer has none of the net's parameters, so the net would not learn: create it with "
                "net.parameters()"
            )
        self.net = net
        self.loss = loss
        self.optimizer = optimizer
        self.history: History = History()
        self.stop_training: bool = False
        self._compiled_step = compiled_step(self) if compile else None

    # -- one batch ------------------------------------------------------------------------------------------

    def forward(self, x: Any) -> Any:
        """The net's prediction for a batch of inputs."""
        return self.net(x)

    def backward(self, prediction: Any, target: Any) -> Any:
        """Compute the loss of a prediction and the gradients of the parameters; returns the loss.

        The graph is released, so that backward can be called only once per prediction.
        """
        loss = self.loss(prediction, target)
        loss.backward(release=True)
        return loss

    def apply_grad(self) -> None:
        """Take one step of the optimizer, and clear the gradients for the next batch."""
        self.optimizer.step()
        self.optimizer.zero_grad()

    def training_step(self, x: Any, target: Any) -> tuple[Any, Any]:
        """Train on one batch; returns the prediction and the loss, from before the step."""
        if self._compiled_step is not None:
            return self._compiled_step(x, target)
        prediction = self.forward(x)
        loss = self.backward(prediction, target)
        self.apply_grad()
        return prediction, loss

    # -- loops ----------------------------------------------------------------------------------------------

    def fit(
        self,
        x: Any,
        y: Any = None,
        *,
        epochs: int | None = None,
        batch_size: int | None = None,
        shuffle: bool | None = None,
        validation: Iterable[Any] | None = None,
        validation_data: tuple[Any, Any] | None = None,
        validation_split: float = 0.0,
        metrics: Metrics = (),
        callbacks: Sequence[Callback] = (),
        scheduler: Scheduler | None = None,
        on_interrupt: str = "raise",
        verbose: bool | None = None,
    ) -> History:
        """Train for a number of epochs, in training mode: ``fit(loader, epochs)`` on the batches of a loader,
        or ``fit(x, y, epochs=...)`` on arrays. Every module's mode is restored at the end.

        Ctrl-C ends the training after the current batch; pressed twice, it ends at once. The history then
        holds all finished epochs and its ``interrupted`` is True, the parameters are those after the last
        batch, and the callbacks' ``on_fit_end`` has been called (so that EarlyStopping has restored the best
        weights). Then KeyboardInterrupt is raised, so that a program around ``fit``, such as a loop over
        seeds, stops too. With ``on_interrupt="return"`` the history is returned instead, so that a notebook
        continues with its next cells.

        Parameters
        ----------
        x, y
            A loader and the number of epochs, where the loader yields batches, pairs (input, target), anew in
            every epoch; or inputs and targets, arrays of shapes (n, ...).
        epochs
            The number of epochs.
        batch_size, shuffle
            For arrays: the number of samples in a batch (default 32), and whether every epoch takes the
            samples in a new order, drawn from the package's generator (default True).
        validation, validation_data, validation_split
            The data that :meth:`evaluate` measures after every epoch: a loader; or a pair of arrays; or the
            fraction of x and y to hold out for validation. As in Keras, the last samples are held out, so
            sorted data should be shuffled first.
        metrics
            Functions of prediction and target that return a number: a list, or a dictionary from column names
            to functions. A metric is computed from all predictions of an epoch at once. The training's
            predictions are those made during the epoch, while the parameters changed, with dropout.
        callbacks
            Objects that are called at certain events, see :class:`Callback`.
        scheduler
            Takes a step after every epoch; a ReduceLROnPlateau uses the validation loss, or the training loss
            if there is no validation. To step after every batch, write a callback with ``on_batch_end``.
        on_interrupt
            "raise" or "return": what ``fit`` does at the end of a training that Ctrl-C has ended.
        verbose
            Whether to show a progress bar; None shows it only if stderr is a terminal.

        Returns
        -------
        History
            The model's ``history``, which a later ``fit`` continues. The loss of an epoch is that of one
            batch of all its samples, whatever a loss of the package divides by: ignored targets and class
            weights are taken into account, and sums are added up. Any other loss is weighted by its samples.

        Raises
        ------
        TypeError, ValueError
            If a batch is not a pair, there are no batches or they can be read only once, x and y have
            different lengths, a metric returns no number, a callback is a class, or the scheduler is not one
            of this optimizer.
        KeyboardInterrupt
            After Ctrl-C, unless ``on_interrupt`` is "return".

        Example
        -------
        >>> import numpy as np
        >>> from autodiff import nn, optim, training
        >>> x = np.linspace(-1, 1, 50)[:, None]
        >>> net = nn.Linear(1, 1, generator=0)
        >>> model = training.Model(net, nn.MSELoss(), optim.SGD(net.parameters(), lr=0.2))
        >>> history = model.fit(x, 3 * x - 1, epochs=30, batch_size=10)
        >>> f"{net.weight.item():.2f} {net.bias.item():.2f}"
        '3.00 -1.00'
        """
        if isinstance(y, Real):
            if epochs is not None:
                raise TypeError(f"fit got the number of epochs twice, {y} and {epochs}: give it once")
            epochs, y = y, None  # type: ignore[assignment]
        loader, validation_loader = fit_loaders(
            x, y, batch_size, shuffle, validation, validation_data, validation_split
        )
        plan = FitPlan(loader, validation_loader, named_metrics(metrics), callbacks, scheduler, verbose)
        check_plan(plan, self.optimizer, on_interrupt)
        last = len(self.history) + checked_epochs(epochs, loader, validation_loader)
        self.history.interrupted = self.stop_training = False
        with defer_interrupts():
            self._train_or_interrupt(plan, last, on_interrupt)
        return self.history

    def _train_or_interrupt(self, plan: FitPlan, last: int, on_interrupt: str) -> None:
        """Train, and call ``on_fit_end`` at the end or after Ctrl-C, which is raised again or not."""
        try:
            self._train(plan, last)
        except KeyboardInterrupt as interrupt:
            self.history.interrupted = True
            notify(plan.callbacks, "on_fit_end", self, self.history)
            if on_interrupt == "raise":
                interrupt.add_note(interrupted_note(len(self.history), last))
                raise
        else:
            notify(plan.callbacks, "on_fit_end", self, self.history)
        if on_interrupt == "return":
            self.history.interrupted |= pop_pending()

    def _train(self, plan: FitPlan, last: int) -> None:
        """Train until the history has ``last`` epochs."""
        history = self.history
        self.optimizer.zero_grad()
        try:
            with mode(self.net, training=True):
                notify(plan.callbacks, "on_fit_begin", self, history)
                while len(history) < last and not self.stop_training:
                    title = f"epoch {len(history) + 1}/{last}"
                    with epoch_progress(title, batch_count(plan.loader), plan.verbose) as advance:
                        row = self._epoch(plan, advance)
                        if plan.validation is not None:
                            measures = self.evaluate(plan.validation, metrics=plan.metrics)
                            row |= {f"val_{name}": value for name, value in measures.items()}
                        advance(row, 0)
                    history.append(row)
                    if plan.scheduler is not None:
                        step_scheduler(plan.scheduler, row)
                    notify(plan.callbacks, "on_epoch_end", self, history)
                    raise_pending()
        finally:
            self.optimizer.zero_grad()

    def _epoch(self, plan: FitPlan, advance: Callable[[Row, int], object]) -> Row:
        """Train on every batch once; returns the row of the history."""
        rate = self.optimizer.param_groups[0]["lr"]
        totals = EpochTotals(plan.metrics)
        with closing(batch_pairs(plan.loader)) as batches:
            for x, target in batches:
                with LossWeights() as weights:
                    prediction, loss_tensor = self.training_step(x, target)
                loss = as_float(loss_tensor, "the loss")
                totals.add(loss, weights.of(loss_tensor), prediction, target)
                notify(plan.callbacks, "on_batch_end", self, loss)
                advance({"loss": totals.loss}, 1)
        return {"lr": rate, **totals.measures()}

    def evaluate(self, x: Any, y: Any = None, metrics: Metrics = (), *, batch_size: int | None = None) -> Row:
        """Measure the loss and metrics over all batches, in evaluation mode and without recording:
        ``evaluate(loader, metrics)`` or ``evaluate(x, y, metrics)``. The result does not depend on how the
        samples are cut into batches.

        Parameters and errors are those of :meth:`fit`.

        Example
        -------
        >>> from autodiff import nn, optim, training
        >>> net = nn.Linear(1, 1, generator=0)
        >>> nn.init.zeros_(net.weight), nn.init.zeros_(net.bias)
        ([[0]], [0])
        >>> model = training.Model(net, nn.MSELoss(), optim.SGD(net.parameters()))
        >>> model.evaluate([([[1.0]], [[2.0]]), ([[1.0]], [[4.0]])], metrics=[training.mae])
        {'loss': 10.0, 'mae': 3.0}
        >>> model.evaluate([[1.0], [1.0]], [[2.0], [4.0]])
        {'loss': 10.0}
        """
        if are_metrics(y):
            metrics, y = y, None
        totals = EpochTotals(named_metrics(metrics))
        if y is None:
            check_loader(x, batch_size=batch_size)
        loader = x if y is None else array_loader(x, y, batch_size)
        with mode(self.net, training=False), no_grad(), closing(batch_pairs(loader)) as batches:
            for inputs, target in batches:
                prediction = self.forward(inputs)
                with LossWeights() as weights:
                    loss = self.loss(prediction, target)
                totals.add(as_float(loss, "the loss"), weights.of(loss), prediction, target)
            return totals.measures()

    def predict(self, x: Any, *, batch_size: int | None = None) -> Tensor:
        """The net's predictions in evaluation mode, as a constant Tensor.

        Parameters
        ----------
        x
            One batch of inputs, an array or Tensor; or a loader whose batches are inputs, or tuples that
            begin with inputs. The predictions of its batches are concatenated.
        batch_size
            For an array: the number of rows to predict at a time, to save memory. By default all at once.

        Raises
        ------
        ValueError
            If a loader yields no batches.
        TypeError
            If the net returns several outputs.

        Example
        -------
        >>> import numpy as np
        >>> from autodiff import data, nn, optim, training
        >>> net = nn.Linear(2, 3)
        >>> model = training.Model(net, nn.MSELoss(), optim.SGD(net.parameters()))
        >>> model.predict([[1.0, 2.0]]).shape
        (1, 3)
        >>> model.predict(data.DataLoader(data.TensorDataset(np.ones((50, 2))), batch_size=20)).shape
        (50, 3)
        """
        if batch_size is not None:
            x = array_loader(x, x, batch_size)  # the second x, in place of targets, is not used
        with mode(self.net, training=False), no_grad():
            if isinstance(x, (Tensor, np.ndarray, Real, list, tuple, dict)):
                return constant_tensor(single_array(self.forward(x)))
            batches = (batch[0] if isinstance(batch, (tuple, list)) else batch for batch in x)
            return constant_tensor(concatenate([raw(self.forward(batch)) for batch in batches]))

    def summary(self, x: Any = None) -> Summary:
        """A table of the net's layers with their output shapes and numbers of parameters.

        Parameters
        ----------
        x
            A batch of inputs, or its shape as a tuple, which stands for a batch of zeros. A copy of the net
            is called with it, in evaluation mode. Without it, the table has no output shapes.

        Returns
        -------
        Summary
            A table whose repr is its text. A parameter that several layers share is counted in the first.

        Example
        -------
        >>> from autodiff import nn, optim, training
        >>> net = nn.Sequential(nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 10))
        >>> model = training.Model(net, nn.CrossEntropyLoss(), optim.SGD(net.parameters()))
        >>> model.summary((64, 784))
        layer        output shape  parameters
        Sequential   (64, 10)               0
          0: Linear  (64, 32)          25,120
          1: ReLU    (64, 32)               0
          2: Linear  (64, 10)             330
        -------------------------------------
        25,450 parameters, 101,800 bytes
        """
        return summary_of(self.net, x)


def compiled_step(model: Model) -> TrainingStep:
    """The program that trains a model on one batch. Raises ValueError for a model whose own methods it would
    bypass."""
    for name in ("forward", "backward", "apply_grad"):
        if getattr(type(model), name) is not getattr(Model, name):
            way = (
                "write what it does into the net or the loss"
                if name == "forward"
                else "compile a function that calls loss.backward(), and change gradients outside"
            )
            raise ValueError(
                f"{type(model).__name__} overrides {name}, which a compiled step does not call: leave "
                f"compile=True out, or {way}"
            )
    return TrainingStep(model.net, model.loss, model.optimizer)


@contextmanager
def mode(net: Module, training: bool) -> Iterator[None]:
    """Put the net in training or evaluation mode for the block, and restore each module's mode afterwards."""
    before = [(module, module.training) for module in net.modules()]
    try:
        net.train(training)
        yield
    finally:
        for module, was_training in before:
            module.training = was_training
