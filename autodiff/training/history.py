"""History: the table of a training run, with one row per epoch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

Row = dict[str, float]

MAX_ROWS = 20  # the repr of a longer table omits the middle rows


class History:
    """A table with one row per epoch. The column "epoch" counts from 1.

    ``Model.fit`` adds "lr" (the learning rate of the epoch; with several parameter groups that of the first
    group), "loss" and the metrics by their names, and the same columns with the prefix ``val_`` for
    the validation.

    Attributes
    ----------
    rows : list of dict
        The epochs in order.
    interrupted : bool
        Whether Ctrl-C ended the last ``fit``.

    Example
    -------
    >>> from autodiff import training
    >>> history = training.History()
    >>> history.append({"loss": 0.75})
    >>> history.append({"loss": 0.5, "val_loss": 0.625})
    >>> history
    epoch  loss  val_loss
        1  0.75         -
        2   0.5     0.625
    >>> history["loss"], len(history)
    ([0.75, 0.5], 2)
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.interrupted = False

    def append(self, row: Mapping[str, float]) -> None:
        """Add the row of the next epoch."""
        self.rows.append({"epoch": len(self.rows) + 1, **row})

    @property
    def columns(self) -> list[str]:
        """The names of all columns, "epoch" first."""
        return list(dict.fromkeys(["epoch", *(name for row in self.rows for name in row)]))

    def __getitem__(self, name: str) -> list[float]:
        """A column, with nan for epochs without a value. Raises KeyError if there is no such column."""
        if name not in self.columns:
            raise KeyError(f"the history has no column {name!r}; it has {', '.join(self.columns)}")
        return [row.get(name, math.nan) for row in self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __repr__(self) -> str:
        if not self.rows:
            return "no epochs yet"
        lines = [[format_value(row.get(name)) for name in self.columns] for row in self.rows]
        if len(lines) > MAX_ROWS:
            lines[MAX_ROWS // 2 : -MAX_ROWS // 2] = [["..."] * len(self.columns)]
        table = [self.columns, *lines]
        widths = [max(map(len, column)) for column in zip(*table)]
        text = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in table]
        return "\n".join([*text, "interrupted"] if self.interrupted else text)

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Plot columns as curves over the epochs.

        Parameters
        ----------
        names
            The columns; by default "loss", and "val_loss" if there is one.
        ax
            The matplotlib Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The Axes with the curves; its ``figure`` can be saved.

        Raises
        ------
        KeyError
            If there is no such column.
        ImportError
            If matplotlib is not installed; the message says how to install it.
        """
        chosen = names or tuple(name for name in ("loss", "val_loss") if name in self.columns)
        curves = {name: self[name] for name in chosen}
        if ax is None:
            _, ax = import_pyplot("History.plot").subplots(layout="tight")
        for name, values in curves.items():
            style = "--" if name.startswith("val_") else "-"
            ax.plot(self["epoch"], values, style, marker=".", label=name)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("epoch")
        if curves:  # an empty legend would give a warning
            ax.legend(frameon=False)
        return ax


def format_value(value: float | None) -> str:
    """A value as text, with four significant digits, since later digits differ between machines."""
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def import_pyplot(function: str) -> ModuleType:
    """Import matplotlib's pyplot for a function, which the error message names."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f'{function} draws with matplotlib, which is not installed: pip install "autodiff[lessons]"'
        ) from error
    return plt  # type: ignore[no-any-return, unused-ignore]
