"""Model: a network, a loss and an optimizer, and the loops over batches that train and judge them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from numbers import Real
from typing import Any

import numpy as np

from ..engine.recording import no_grad
from ..engine.tensor import Tensor, constant_tensor, raw
from ..nn import Module
from ..optim import Optimizer
from ..optim.lr_scheduler.schedulers import Scheduler
from .batches import batches_of, check_epochs, check_loader, length, loader_of, pairs
from .callbacks import Callback
from .history import History, Row
from .interrupts import held_back, let_through, taken
from .measures import Metrics, Seen, are_metrics, by_name, joined, number, undivided
from .plan import Plan, check_plan, interrupted_note, step, tell
from .progress import progress
from .summary import Summary, summary_of


class Model:
    """A network that is trained: by three verbs, one batch at a time, or by :meth:`fit`, which calls them.

    A subclass can write a verb anew, to clip gradients for one::

        class Clipped(Model):
            def apply_grad(self):
                optim.clip_grad_norm_(self.net.parameters(), 1.0)
                super().apply_grad()

    Parameters
    ----------
    net
        The Module.
    loss
        Called with prediction and target; gives a single Tensor, the batch's mean.
    optimizer
        Made with the net's parameters.

    Attributes
    ----------
    history : History
        All epochs that :meth:`fit` has trained so far.
    stop_training : bool
        Set to True by a callback, ends :meth:`fit` after the epoch.

    Raises
    ------
    TypeError
        If one of them is something else.
    ValueError
        If the optimizer has none of the net's parameters, so that nothing would be learned.

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

    def __init__(self, net: Module, loss: Callable[[Any, Any], Any], optimizer: Optimizer) -> None:
        if not isinstance(net, Module):
            raise TypeError(f"the net of a Model is an nn.Module, not {net!r:.60}")
        if not callable(loss) or isinstance(loss, type):
            hint = f"; make one of it: {loss.__name__}()" if isinstance(loss, type) else ""
            raise TypeError(f"the loss of a Model is a function or module, not {loss!r:.60}{hint}")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"the optimizer of a Model is one of autodiff.optim, not {optimizer!r:.60}")
        changed = {parameter for group in optimizer.param_groups for parameter in group["params"]}
        if changed.isdisjoint(net.parameters()):
            raise ValueError(
                "the optimizer has none of the net's parameters, so the net would not learn: make it with "
                "net.parameters()"
            )
        self.net = net
        self.loss = loss
        self.optimizer = optimizer
        self.history = History()
        self.stop_training = False

    # -- the three verbs ------------------------------------------------------------------------------------

    def forward(self, x: Any) -> Any:
        """The net's prediction for a batch of inputs."""
        return self.net(x)

    def backward(self, prediction: Any, target: Any) -> Any:
        """The loss of a prediction, after walking back from it: the parameters have their gradients.

        The graph is released on the way, so a prediction can be walked back from once.
        """
        loss = self.loss(prediction, target)
        loss.backward(release=True)
        return loss

    def apply_grad(self) -> None:
        """One step of the optimizer; then the gradients are cleared for the next batch."""
        self.optimizer.step()
        self.optimizer.zero_grad()

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
        """Train for some epochs more, in training mode: ``fit(loader, epochs)`` on the batches of a loader,
        or ``fit(x, y, epochs=...)`` on arrays. Afterwards every module has the mode it had.

        Ctrl-C ends the training once the batch at hand is done; pressed again, at once. Everything is left in
        order: the history has all epochs that were finished and its ``interrupted`` is True, the parameters
        are those after the last batch, and callbacks have been told of the end (so EarlyStopping has restored
        the best weights, if it is to). Then KeyboardInterrupt is raised again, so that a program around
        ``fit``, such as a loop over seeds, stops too. In a notebook whose next cells shall run on,
        ``on_interrupt="return"`` returns the history instead.

        Parameters
        ----------
        x, y
            A loader, which gives batches, pairs (input, target), anew in every epoch, and the number of
            epochs; or inputs and targets, arrays of shapes (n, ...).
        epochs
            How many.
        batch_size, shuffle
            Of arrays: how many samples are in a batch (32), and whether their order is drawn anew, from the
            package's generator, in every epoch (True).
        validation, validation_data, validation_split
            What is judged after every epoch, as :meth:`evaluate` does: a loader; or a pair of arrays; or the
            share of x and y that is kept from the training for it. That is their last part, as in Keras, so
            what is sorted should be shuffled first.
        metrics
            Functions of prediction and target that give a number, under their own names or, as a dictionary,
            under others. They see all predictions of an epoch at once, as they were made: those of the
            training while the net was learning, with dropout.
        callbacks
            Told of what happens, see :class:`Callback`.
        scheduler
            Goes a step on after every epoch, a ReduceLROnPlateau by the validation's loss, or by the
            training's if there is no validation. One that is meant to go on with every batch belongs into
            a callback's ``on_batch_end``.
        on_interrupt
            What Ctrl-C leads to when all is in order: "raise" or "return".
        verbose
            Whether to show a progress bar; None for only if stderr is a terminal.

        Returns
        -------
        History
            The model's own, which a later ``fit`` continues. The loss of an epoch is the mean of its batches'
            losses, each counted by its samples.

        Raises
        ------
        TypeError, ValueError
            If batches are no pairs, there are none or can be read only once, x and y have different lengths,
            a metric gives no number, a callback is a class, or the scheduler is none or another optimizer's.
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
                raise TypeError(f"fit was given the number of epochs twice, as {y} and as {epochs}")
            epochs, y = y, None  # type: ignore[assignment]
        loader, judged = batches_of(x, y, batch_size, shuffle, validation, validation_data, validation_split)
        plan = Plan(loader, judged, by_name(metrics), callbacks, scheduler, verbose)
        check_plan(plan, self.optimizer, on_interrupt)
        last = len(self.history) + check_epochs(epochs, loader, judged)
        self.history.interrupted = self.stop_training = False
        with held_back():
            try:
                self._train(plan, last)
            except KeyboardInterrupt as pressed:
                self.history.interrupted = True
                tell(callbacks, "on_fit_end", self, self.history)
                if on_interrupt == "raise":
                    pressed.add_note(interrupted_note(len(self.history), last))
                    raise
            else:
                tell(callbacks, "on_fit_end", self, self.history)
            if on_interrupt == "return":
                self.history.interrupted |= taken()
        return self.history

    def _train(self, plan: Plan, last: int) -> None:
        """Train until the history has so many epochs."""
        history = self.history
        self.optimizer.zero_grad()
        try:
            with mode(self.net, training=True):
                tell(plan.callbacks, "on_fit_begin", self, history)
                while len(history) < last and not self.stop_training:
                    title = f"epoch {len(history) + 1}/{last}"
                    with progress(title, length(plan.loader), plan.verbose) as advance:
                        row = self._epoch(plan, advance)
                        if plan.validation is not None:
                            judged = self.evaluate(plan.validation, metrics=plan.metrics)
                            row |= {f"val_{name}": value for name, value in judged.items()}
                        advance(row, 0)
                    history.append(row)
                    if plan.scheduler is not None:
                        step(plan.scheduler, row)
                    tell(plan.callbacks, "on_epoch_end", self, history)
                    let_through()
        finally:
            self.optimizer.zero_grad()

    def _epoch(self, plan: Plan, advance: Callable[[Row, int], object]) -> Row:
        """Train on every batch once."""
        rate = self.optimizer.param_groups[0]["lr"]
        seen = Seen(plan.metrics)
        with closing(pairs(plan.loader)) as batches:
            for x, target in batches:
                prediction = self.forward(x)
                loss = number(self.backward(prediction, target), "the loss")
                self.apply_grad()
                seen.add(loss, prediction, target)
                tell(plan.callbacks, "on_batch_end", self, loss)
                advance({"loss": seen.loss}, 1)
        return {"lr": rate, **seen.measures()}

    def evaluate(self, x: Any, y: Any = None, metrics: Metrics = (), *, batch_size: int | None = None) -> Row:
        """Loss and metrics over all batches, in evaluation mode and without recording:
        ``evaluate(loader, metrics)`` or ``evaluate(x, y, metrics)``.

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
        seen = Seen(by_name(metrics))
        if y is None:
            check_loader(x, batch_size=batch_size)
        loader = x if y is None else loader_of(x, y, batch_size)
        with mode(self.net, training=False), no_grad(), closing(pairs(loader)) as batches:
            for inputs, target in batches:
                prediction = self.forward(inputs)
                seen.add(number(self.loss(prediction, target), "the loss"), prediction, target)
            return seen.measures()

    def predict(self, x: Any, *, batch_size: int | None = None) -> Tensor:
        """The net's predictions in evaluation mode, as a constant Tensor.

        Parameters
        ----------
        x
            One batch of inputs, an array or Tensor; or a loader of batches, which are inputs or tuples that
            begin with them, and whose predictions are joined.
        batch_size
            For an array whose predictions do not fit into memory at once: how many rows to take at a time.

        Raises
        ------
        ValueError
            If a loader gives no batches.
        TypeError
            If the net gives several outputs and not one.

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
            x = loader_of(x, x, batch_size)  # whose batches begin with the inputs
        with mode(self.net, training=False), no_grad():
            if isinstance(x, (Tensor, np.ndarray, Real, list, tuple, dict)):
                return constant_tensor(undivided(self.forward(x)))
            batches = (batch[0] if isinstance(batch, (tuple, list)) else batch for batch in x)
            return constant_tensor(joined([raw(self.forward(batch)) for batch in batches]))

    def summary(self, x: Any = None) -> Summary:
        """A table of the net's layers, with their output shapes and numbers of parameters.

        Parameters
        ----------
        x
            A batch of inputs, or the shape of one as a tuple, its first axis being that of the samples. A
            copy of the net is called with it, in evaluation mode; with a shape, with zeros. Without it the
            table has no output shapes.

        Returns
        -------
        Summary
            Shows itself as text: ``print(model.summary(x))`` in a program, ``model.summary(x)`` in a
            notebook.
            A parameter that several layers share is counted with the first.

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


@contextmanager
def mode(net: Module, training: bool) -> Iterator[None]:
    """In the block the net is in training or evaluation mode; then each module has its own mode again."""
    before = [(module, module.training) for module in net.modules()]
    try:
        net.train(training)
        yield
    finally:
        for module, was_training in before:
            module.training = was_training
