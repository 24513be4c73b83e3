"""Model: a network, a loss and an optimizer, and the loops over batches that train and judge them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np

from ..nn import Module
from ..optim import Optimizer, ReduceLROnPlateau
from ..optim.schedulers import Scheduler
from ..state import no_grad
from ..tensor import Tensor, constant_tensor, raw
from .callbacks import Callback
from .history import History, Row
from .interrupts import held_back, let_through
from .measures import Metric, Metrics, Seen, by_name, joined, number, undivided
from .progress import progress


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
        loader: Iterable[Any],
        epochs: int,
        *,
        validation: Iterable[Any] | None = None,
        metrics: Metrics = (),
        callbacks: Sequence[Callback] = (),
        scheduler: Scheduler | None = None,
        verbose: bool | None = None,
    ) -> History:
        """Train for some epochs more, in training mode. Afterwards every module has the mode it had.

        Ctrl-C ends the training as an early stop does, once the batch at hand is done; pressed again, at
        once. The history returned has all epochs that were finished, and ``interrupted`` is True; the
        parameters are those after the last batch. So a program that does more after ``fit`` goes on, and asks
        for ``history.interrupted`` if it should not.

        Parameters
        ----------
        loader
            Gives batches, pairs (input, target), anew in every epoch.
        epochs
            How many.
        validation
            A loader too, judged after every epoch as :meth:`evaluate` does.
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
            If batches are no pairs, there are none or can be read only once, a metric gives no number, a
            callback is a class, or the scheduler is none or another optimizer's.
        """
        named = by_name(metrics)
        expect(callbacks, scheduler, self.optimizer)
        if not isinstance(epochs, (int, np.integer)) or isinstance(epochs, bool) or epochs < 0:
            raise ValueError(f"epochs is a whole number of 0 or more, not {epochs!r:.60}")
        for given in (loader, validation):
            if isinstance(given, Iterator) and epochs > 1:
                raise ValueError(
                    f"this {type(given).__name__} can be read once, and there are {epochs} epochs: give a "
                    "DataLoader, or a list of batches"
                )
        history, last = self.history, len(self.history) + epochs
        history.interrupted = self.stop_training = False
        self.optimizer.zero_grad()
        try:
            with held_back(), mode(self.net, training=True):
                tell(callbacks, "on_fit_begin", self, history)
                while len(history) < last and not self.stop_training:
                    title = f"epoch {len(history) + 1}/{last}"
                    with progress(title, length(loader), verbose) as advance:
                        row = self._epoch(loader, named, callbacks, advance)
                        if validation is not None:
                            judged = self.evaluate(validation, named)
                            row |= {f"val_{name}": value for name, value in judged.items()}
                        advance(row, 0)
                    history.append(row)
                    if scheduler is not None:
                        step(scheduler, row)
                    tell(callbacks, "on_epoch_end", self, history)
                    let_through()
        except KeyboardInterrupt:
            history.interrupted = True
        finally:
            self.optimizer.zero_grad()
        tell(callbacks, "on_fit_end", self, history)
        return history

    def _epoch(
        self,
        loader: Iterable[Any],
        metrics: Mapping[str, Metric],
        callbacks: Sequence[Callback],
        advance: Callable[[Row, int], object],
    ) -> Row:
        """Train on every batch once."""
        rate = self.optimizer.param_groups[0]["lr"]
        seen = Seen(metrics)
        for x, target in pairs(loader):
            prediction = self.forward(x)
            loss = number(self.backward(prediction, target), "the loss")
            self.apply_grad()
            seen.add(loss, prediction, target)
            tell(callbacks, "on_batch_end", self, loss)
            advance({"loss": seen.loss}, 1)
        return {"lr": rate, **seen.measures()}

    def evaluate(self, loader: Iterable[Any], metrics: Metrics = ()) -> Row:
        """Loss and metrics over all batches, in evaluation mode and without recording.

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
        """
        seen = Seen(by_name(metrics))
        with mode(self.net, training=False), no_grad():
            for x, target in pairs(loader):
                prediction = self.forward(x)
                seen.add(number(self.loss(prediction, target), "the loss"), prediction, target)
            return seen.measures()

    def predict(self, x: Any) -> Tensor:
        """The net's predictions in evaluation mode, as a constant Tensor.

        Parameters
        ----------
        x
            One batch of inputs, an array or Tensor; or a loader of batches, which are inputs or tuples that
            begin with them, and whose predictions are joined.

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
        with mode(self.net, training=False), no_grad():
            if isinstance(x, (Tensor, np.ndarray, Real, list, tuple, dict)):
                return constant_tensor(undivided(self.forward(x)))
            batches = (batch[0] if isinstance(batch, (tuple, list)) else batch for batch in x)
            return constant_tensor(joined([raw(self.forward(batch)) for batch in batches]))


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


def pairs(loader: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """The batches of a loader, if there are any and they are pairs. A Ctrl-C is let through between them."""
    batch = None
    for batch in loader:
        if not isinstance(batch, (tuple, list)) or len(batch) != 2:
            found = f"{len(batch)} parts" if isinstance(batch, (tuple, list)) else type(batch).__name__
            raise TypeError(f"a Model takes batches that are pairs (input, target), and this one is {found}")
        yield batch[0], batch[1]
        let_through()
    if batch is None:
        raise ValueError("the loader gave no batches: it is empty, or was read before and can be read once")


def length(loader: Iterable[Any]) -> int | None:
    """How many batches a loader has, if it knows."""
    try:
        return len(loader) if isinstance(loader, Sized) else None
    except TypeError:  # a DataLoader of a stream knows no length
        return None


def expect(callbacks: Sequence[Callback], scheduler: Any, optimizer: Optimizer) -> None:
    """Raise unless the callbacks can be told and the scheduler is the optimizer's."""
    if isinstance(callbacks, Callback):
        raise TypeError(f"callbacks is a list, also of one: [{type(callbacks).__name__}(...)]")
    for callback in callbacks:
        if isinstance(callback, type):
            raise TypeError(f"a callback is an object, not a class; make one of it: {callback.__name__}(...)")
    if scheduler is None:
        return
    if not isinstance(scheduler, Scheduler):
        raise TypeError(f"the scheduler of a fit is one of autodiff.optim, not {scheduler!r:.60}")
    if scheduler.optimizer is not optimizer:
        raise ValueError("this scheduler sets the rates of another optimizer: make it with the model's own")


def step(scheduler: Scheduler, row: Row) -> None:
    """Have a scheduler go on after an epoch."""
    if isinstance(scheduler, ReduceLROnPlateau):
        scheduler.step(row.get("val_loss", row["loss"]))
    else:
        scheduler.step()  # type: ignore[attr-defined]


def tell(callbacks: Sequence[Callback], event: str, *about: Any) -> None:
    """Call all callbacks, in order."""
    for callback in callbacks:
        getattr(callback, event)(*about)
