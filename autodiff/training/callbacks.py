"""Callbacks: objects that ``fit`` calls at certain events, and that can stop the training."""

from __future__ import annotations

import csv
import io
import math
import os
from pathlib import Path
from typing import Any

from .files import atomic_write
from .history import History
from .saving import is_safetensors, save_weights


class Callback:
    """The base class of callbacks. A subclass overrides the methods it needs; the others do nothing.

    ``model.stop_training = True`` ends the training after the epoch.

    Example
    -------
    >>> from autodiff import nn, optim, training
    >>> class PrintLoss(training.Callback):
    ...     def on_epoch_end(self, model, history):
    ...         print(f"epoch {len(history)}: loss {history['loss'][-1]:.0f}")
    >>> net = nn.Linear(1, 1, generator=0)
    >>> model = training.Model(net, nn.MSELoss(), optim.SGD(net.parameters(), lr=0.25))
    >>> history = model.fit([([[0.0]], [[9.0]])], epochs=2, callbacks=[PrintLoss()])
    epoch 1: loss 89
    epoch 2: loss 22
    """

    def on_fit_begin(self, model: Any, history: History) -> None:
        """Called when the training begins, or continues after the epochs in the history."""

    def on_batch_end(self, model: Any, loss: float) -> None:
        """Called after the optimizer's step on a batch that had this loss."""

    def on_epoch_end(self, model: Any, history: History) -> None:
        """Called after an epoch's training, validation and scheduler step; its row is in the history."""

    def on_fit_end(self, model: Any, history: History) -> None:
        """Called when the training has ended as planned, by ``stop_training`` or by Ctrl-C, but not after an
        error. After Ctrl-C, ``history.interrupted`` is True, and ``fit`` raises KeyboardInterrupt when all
        callbacks have been called."""


class BestEpochCallback(Callback):
    """The base class of callbacks that monitor a column of the history for its best epoch.

    Of equal values, the earliest is the best. Raises ValueError if ``mode`` is unknown.
    """

    def __init__(self, monitor: str, min_delta: float, mode: str) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f'mode of {type(self).__name__} must be "min" or "max", not {mode!r}')
        self.monitor = monitor
        self.min_delta = min_delta
        self.mode = mode
        self.best: float = math.nan
        self.best_epoch: int = 0

    def _forget_best(self) -> None:
        """Begin anew: no epoch is the best so far."""
        self.best, self.best_epoch = math.nan, 0

    def _improved(self, history: History) -> bool:
        """Whether the last epoch is the best so far."""
        if self.monitor not in history.rows[-1]:
            raise KeyError(
                f"{type(self).__name__} monitors {self.monitor!r}, but the history has only the columns "
                f"{', '.join(history.rows[-1])}"
            )
        return self._update_best(history.rows[-1][self.monitor], len(history))

    def _update_best(self, value: float, epoch: int) -> bool:
        """Update the best value and epoch if this value is better. A nan is never better."""
        gain = self.best - value if self.mode == "min" else value - self.best
        if not (gain > self.min_delta or (math.isnan(self.best) and not math.isnan(value))):
            return False
        self.best, self.best_epoch = value, epoch
        return True


class EarlyStopping(BestEpochCallback):
    """Stops the training when a monitored value has not improved for ``patience`` epochs (Prechelt, "Early
    stopping - but when?", 1998). Every call of ``fit`` starts the count anew.

    Parameters
    ----------
    monitor
        A column of the history.
    patience
        The number of consecutive epochs without improvement after which to stop.
    min_delta
        A value counts as an improvement if it is better than the best by more than this.
    mode
        "min" for a value that should fall (a loss), "max" for one that should rise (an accuracy).
    restore_best
        Whether to give the net the weights of the best epoch at the end.

    Attributes
    ----------
    best, best_epoch
        The best value so far, and the number of its epoch.

    Raises
    ------
    ValueError
        If ``mode`` is unknown or ``patience`` is below 1.
    KeyError
        After the first epoch, if the history has no column ``monitor``.
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        patience: int = 5,
        min_delta: float = 0.0,
        mode: str = "min",
        restore_best: bool = False,
    ) -> None:
        if not patience >= 1:
            raise ValueError(f"patience of EarlyStopping must be 1 epoch or more, not {patience}")
        super().__init__(monitor, min_delta, mode)
        self.patience = patience
        self.restore_best = restore_best
        self._weights: dict[str, Any] | None = None
        self._waited = 0

    def on_fit_begin(self, model: Any, history: History) -> None:
        """Reset the state of an earlier ``fit``."""
        self._forget_best()
        self._weights, self._waited = None, 0

    def on_epoch_end(self, model: Any, history: History) -> None:
        """Keep the weights of a better epoch if they may be restored; stop when patience has run out."""
        if self._improved(history):
            self._waited = 0
            self._weights = model.net.state_dict() if self.restore_best else None
        else:
            self._waited += 1
            model.stop_training |= self._waited >= self.patience

    def on_fit_end(self, model: Any, history: History) -> None:
        """Restore the weights of the best epoch."""
        if self._weights is not None:
            model.net.load_state_dict(self._weights)
            self._weights = None


class BestCheckpoint(BestEpochCallback):
    """Saves the net's weights by :func:`save_weights` after every epoch that is better than all before it.
    When ``fit`` continues a history and the file exists, the earlier epochs count too.

    Parameters
    ----------
    path
        The file, ``.npz`` or ``.safetensors``. An existing file is replaced atomically.
    monitor, min_delta, mode
        As for :class:`EarlyStopping`.

    Attributes
    ----------
    best, best_epoch
        The best value so far, and the number of its epoch.

    Raises
    ------
    ValueError
        If ``mode`` is unknown, or the path has another suffix.
    KeyError
        After the first epoch, if the history has no column ``monitor``.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        monitor: str = "val_loss",
        mode: str = "min",
        min_delta: float = 0.0,
    ) -> None:
        super().__init__(monitor, min_delta, mode)
        is_safetensors(path)  # refuses another suffix now, and not only after an epoch
        self.path = path

    def on_fit_begin(self, model: Any, history: History) -> None:
        """Find the best earlier epoch if the file exists."""
        self._forget_best()
        if Path(self.path).is_file():
            for epoch, row in enumerate(history, start=1):
                self._update_best(row.get(self.monitor, math.nan), epoch)

    def on_epoch_end(self, model: Any, history: History) -> None:
        """Save the weights if the epoch is the best so far."""
        if self._improved(history):
            save_weights(model.net, self.path)


class CSVLogger(Callback):
    """Writes the history to a CSV file after every epoch, in full precision. A value that was not measured is
    left empty.

    If the file holds the first epochs of the same history, as after ``load_run``, the table continues.
    Any other existing file is left alone unless ``append`` is True.

    Parameters
    ----------
    path
        The file. It is rewritten after every epoch.
    append
        Whether to write below the table of another run. The epochs of each run are counted from 1.

    Raises
    ------
    FileExistsError
        When ``fit`` begins, if the file holds another run or other content and ``append`` is False.
    ValueError
        If ``append`` is True and the file holds no table of a CSVLogger.

    Example
    -------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from autodiff import nn, optim, training
    >>> net = nn.Linear(1, 1, generator=0)
    >>> model = training.Model(net, nn.MSELoss(), optim.SGD(net.parameters(), lr=0.25))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "log.csv")
    ...     history = model.fit([([[0.0]], [[9.0]])], 1, callbacks=[training.CSVLogger(path)])
    ...     path.read_text().split()[0]
    'epoch,lr,loss'
    """

    def __init__(self, path: str | os.PathLike[str], append: bool = False) -> None:
        self.path = path
        self.append = append
        self._before: list[dict[str, str]] = []  # the rows of earlier runs

    def on_fit_begin(self, model: Any, history: History) -> None:
        """Read an existing file, and find the rows of earlier runs in it."""
        self._before = []
        if not Path(self.path).exists():
            return
        rows = read_log(self.path)
        start = start_of_last_run(rows) if rows else 0
        written = [{name: str(value) for name, value in row.items()} for row in history]
        is_this_run = (
            rows is not None and bool(written or not rows) and all(map(is_same_row, rows[start:], written))
        )
        if not is_this_run and not self.append:
            raise FileExistsError(
                f"{self.path} holds something else than this run: give CSVLogger another path, remove the "
                "file, or write below its content with CSVLogger(path, append=True)"
            )
        if rows is None:
            raise ValueError(f"{self.path} is no table of a CSVLogger: nothing can be appended to it")
        self._before = rows[:start] if is_this_run else rows

    def on_epoch_end(self, model: Any, history: History) -> None:
        """Rewrite the whole table, so that an interrupted or loaded run leaves no gap."""
        text = io.StringIO()
        columns = dict.fromkeys([*history.columns, *(self._before[0] if self._before else ())])
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*self._before, *history])
        with atomic_write(self.path) as stream:
            stream.write(text.getvalue().encode())


def read_log(path: str | os.PathLike[str]) -> list[dict[str, str]] | None:
    """The rows of a CSV file whose first column is "epoch"; an empty list if the file is empty, None if it is
    no such table."""
    try:
        with Path(path).open(newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream, strict=True)
            columns, rows = reader.fieldnames or ["epoch"], list(reader)
    except (UnicodeDecodeError, csv.Error):
        return None
    is_table = columns[0] == "epoch" and all(None not in row and None not in row.values() for row in rows)
    return rows if is_table else None


def start_of_last_run(rows: list[dict[str, str]]) -> int:
    """The index of the row at which the last run of a table begins."""
    return max((index for index, row in enumerate(rows) if row["epoch"] == "1"), default=0)


def is_same_row(row: dict[str, str], written: dict[str, str]) -> bool:
    """Whether a row of a file agrees with a row of the history, which may have more columns."""
    return all(value in ("", written.get(name)) for name, value in row.items())
