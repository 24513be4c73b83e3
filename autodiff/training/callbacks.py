"""Callbacks: what is told of the course of a ``fit``, and may end it. Each is handed the Model that fits."""

from __future__ import annotations

import csv
import io
import math
import os
from pathlib import Path
from typing import Any

from .files import replacing
from .history import History
from .saving import is_safetensors, save_weights


class Callback:
    """The base of callbacks: a subclass writes the methods it wants to be told by. The others do nothing.

    ``model.stop_training = True`` ends the training after the epoch.

    Example
    -------
    >>> from autodiff import nn, optim, training
    >>> class Told(training.Callback):
    ...     def on_epoch_end(self, model, history):
    ...         print(f"epoch {len(history)}: loss {history['loss'][-1]:.0f}")
    >>> net = nn.Linear(1, 1, generator=0)
    >>> model = training.Model(net, nn.MSELoss(), optim.SGD(net.parameters(), lr=0.25))
    >>> history = model.fit([([[0.0]], [[9.0]])], epochs=2, callbacks=[Told()])
    epoch 1: loss 89
    epoch 2: loss 22
    """

    def on_fit_begin(self, model: Any, history: History) -> None:
        """The training begins, or goes on after the epochs in the history."""

    def on_batch_end(self, model: Any, loss: float) -> None:
        """The parameters have been changed by a batch that had this loss."""

    def on_epoch_end(self, model: Any, history: History) -> None:
        """An epoch was trained and judged; its row is in the history, and the scheduler has gone on."""

    def on_fit_end(self, model: Any, history: History) -> None:
        """The training has ended: as planned, by ``stop_training`` or by Ctrl-C (then ``history.interrupted``
        is True, and ``fit`` raises KeyboardInterrupt when all callbacks have been told), but not by an error.
        """


class Watching(Callback):
    """What callbacks share that watch for the best epoch: the first that no later one has bettered.

    Raises ValueError if ``mode`` is unknown.
    """

    def __init__(self, monitor: str, min_delta: float, mode: str) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f'mode is "min" or "max", not {mode!r}')
        self.monitor, self.min_delta, self.mode = monitor, min_delta, mode
        self.best, self.best_epoch = math.nan, 0

    def _improved(self, history: History) -> bool:
        """Whether the last epoch is the best so far."""
        if self.monitor not in history.rows[-1]:
            raise KeyError(
                f"{type(self).__name__} watches {self.monitor!r}, and the epoch measured "
                f"{', '.join(history.rows[-1])}"
            )
        return self._betters(history.rows[-1][self.monitor], len(history))

    def _betters(self, value: float, epoch: int) -> bool:
        """Take in a value. A nan is never the best."""
        gain = self.best - value if self.mode == "min" else value - self.best
        if not (gain > self.min_delta or (math.isnan(self.best) and not math.isnan(value))):
            return False
        self.best, self.best_epoch = value, epoch
        return True


class EarlyStopping(Watching):
    """Ends the training when a measure has not improved for ``patience`` epochs (Prechelt, "Early stopping -
    but when?", 1998). It counts within one ``fit``.

    Parameters
    ----------
    monitor
        A column of the history.
    patience
        After how many epochs without improvement in a row to stop.
    min_delta
        By how much more a value must be better than the best to count as an improvement.
    mode
        "min" for a measure that should fall (a loss), "max" for one that should rise (an accuracy).
    restore_best
        Whether at the end the net gets back the weights of the best epoch.

    Attributes
    ----------
    best, best_epoch
        The best value so far, and the number of its epoch.

    Raises
    ------
    ValueError
        If ``mode`` is unknown or ``patience`` below 1.
    KeyError
        After the first epoch, if the history has no such column.
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
            raise ValueError(f"patience is 1 epoch or more, not {patience}")
        super().__init__(monitor, min_delta, mode)
        self.patience = patience
        self.restore_best = restore_best
        self._weights: dict[str, Any] | None = None
        self._waited = 0

    def on_fit_begin(self, model: Any, history: History) -> None:
        """Forget an earlier ``fit``."""
        self.best, self.best_epoch = math.nan, 0
        self._weights, self._waited = None, 0

    def on_epoch_end(self, model: Any, history: History) -> None:
        """Count, and keep the weights if they are to be restored."""
        if self._improved(history):
            self._waited = 0
            self._weights = model.net.state_dict() if self.restore_best else None
        else:
            self._waited += 1
            model.stop_training |= self._waited >= self.patience

    def on_fit_end(self, model: Any, history: History) -> None:
        """Give the net its best weights back."""
        if self._weights is not None:
            model.net.load_state_dict(self._weights)
            self._weights = None


class BestCheckpoint(Watching):
    """Saves the net's weights, as :func:`save_weights` does, whenever a measure is better than in any epoch
    before. In a history that goes on, with the file still there, it must better the earlier epochs too.

    Parameters
    ----------
    path
        The file, ``.npz`` or ``.safetensors``; an older one is replaced, in one step.
    monitor, min_delta, mode
        As for :class:`EarlyStopping`.

    Attributes
    ----------
    best, best_epoch
        The best value so far, and the number of its epoch.

    Raises
    ------
    ValueError
        If ``mode`` is unknown, or the path ends in neither.
    KeyError
        After the first epoch, if the history has no such column.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        monitor: str = "val_loss",
        mode: str = "min",
        min_delta: float = 0.0,
    ) -> None:
        super().__init__(monitor, min_delta, mode)
        is_safetensors(path)  # so that another ending is refused now, and not after an epoch
        self.path = path

    def on_fit_begin(self, model: Any, history: History) -> None:
        """Find out what the file stands for."""
        self.best, self.best_epoch = math.nan, 0
        if Path(self.path).is_file():
            for epoch, row in enumerate(history, start=1):
                self._betters(row.get(self.monitor, math.nan), epoch)

    def on_epoch_end(self, model: Any, history: History) -> None:
        """Save, if it is time."""
        if self._improved(history):
            save_weights(model.net, self.path)


class CSVLogger(Callback):
    """Keeps the history in a CSV file, complete after every epoch, in full precision; what was not measured
    is left empty.

    A file that begins with the epochs of the same history, as after :func:`load_run`, is gone on with. Any
    other is somebody's, and left alone.

    Parameters
    ----------
    path
        The file; it is replaced as a whole after every epoch.
    append
        Whether to write below the table of another run. The epochs of each run are counted from 1.

    Raises
    ------
    FileExistsError
        When ``fit`` begins, if the file has another run or something else in it, and ``append`` is False.
    ValueError
        If it is to be appended to what is no such table.

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
        """Find out whose file it is."""
        self._before = []
        if not Path(self.path).exists():
            return
        rows = table_in(self.path)
        start = last_run(rows) if rows else 0
        own = [{name: str(value) for name, value in row.items()} for row in history]
        is_own = rows is not None and bool(own or not rows) and all(map(agree, rows[start:], own))
        if not is_own and not self.append:
            raise FileExistsError(
                f"{self.path} has something else in it than this run, and is left alone: give CSVLogger "
                "another path, remove the file, or write below it, by CSVLogger(path, append=True)"
            )
        if rows is None:
            raise ValueError(f"{self.path} is no table of a CSVLogger, and nothing can be appended to it")
        self._before = rows[:start] if is_own else rows

    def on_epoch_end(self, model: Any, history: History) -> None:
        """Write the table anew: a run that was interrupted or loaded has no gap in it."""
        text = io.StringIO()
        columns = dict.fromkeys([*history.columns, *(self._before[0] if self._before else ())])
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*self._before, *history])
        with replacing(self.path) as stream:
            stream.write(text.getvalue().encode())


def table_in(path: str | os.PathLike[str]) -> list[dict[str, str]] | None:
    """The rows of a CSV file that has a column "epoch"; none if it is empty, and None if it is something
    else."""
    try:
        with Path(path).open(newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream, strict=True)
            columns, rows = reader.fieldnames or ["epoch"], list(reader)
    except (UnicodeDecodeError, csv.Error):
        return None
    is_table = columns[0] == "epoch" and all(None not in row and None not in row.values() for row in rows)
    return rows if is_table else None


def last_run(rows: list[dict[str, str]]) -> int:
    """The place in a table where its last run begins."""
    return max((place for place, row in enumerate(rows) if row["epoch"] == "1"), default=0)


def agree(row: dict[str, str], own: dict[str, str]) -> bool:
    """Whether a row of a file is that of a history, which may have measured more since."""
    return all(value in ("", own.get(name)) for name, value in row.items())
