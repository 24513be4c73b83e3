"""History: what a training run measured, a row per epoch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

Row = dict[str, float]

SHOWN = 20  # a longer table shows its first and last rows


class History:
    """A table with a row per epoch: "epoch", counted from 1, and whatever was measured.

    ``Model.fit`` fills it with "lr" (the learning rate that the epoch was trained with; with several
    parameter groups that of the first), "loss", the metrics by their names, and those of the validation
    under the same names after "val_".

    Attributes
    ----------
    rows : list of dict
        The epochs in order.
    interrupted : bool
        Whether the last ``fit`` was ended by Ctrl-C.

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
        """Add the next epoch's measures."""
        self.rows.append({"epoch": len(self.rows) + 1, **row})

    @property
    def columns(self) -> list[str]:
        """The names of all that was measured in any epoch, "epoch" first."""
        return list(dict.fromkeys(["epoch", *(name for row in self.rows for name in row)]))

    def __getitem__(self, name: str) -> list[float]:
        """A column, with nan for an epoch in which it was not measured. Raises KeyError if there is none."""
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
        lines = [[shown(row.get(name)) for name in self.columns] for row in self.rows]
        if len(lines) > SHOWN:
            lines[SHOWN // 2 : -SHOWN // 2] = [["..."] * len(self.columns)]
        table = [self.columns, *lines]
        widths = [max(map(len, column)) for column in zip(*table)]
        text = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in table]
        return "\n".join([*text, "interrupted"] if self.interrupted else text)

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draw columns as curves over the epochs.

        Parameters
        ----------
        names
            The columns; by default "loss", and "val_loss" if there is one.
        ax
            The Axes of matplotlib to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on; its ``figure`` can be saved.

        Raises
        ------
        KeyError
            If there is no such column.
        ImportError
            If matplotlib is not installed; the message says how to.
        """
        chosen = names or tuple(name for name in ("loss", "val_loss") if name in self.columns)
        curves = {name: self[name] for name in chosen}
        if ax is None:
            _, ax = pyplot("History.plot").subplots(layout="tight")
        for name, values in curves.items():
            style = "--" if name.startswith("val_") else "-"
            ax.plot(self["epoch"], values, style, marker=".", label=name)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("epoch")
        if curves:  # there are none before the first epoch
            ax.legend(frameon=False)
        return ax


def shown(value: float | None) -> str:
    """A cell of the table: four significant digits, since more differ from one machine to the next."""
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.4g}"


def pyplot(wanted: str) -> ModuleType:
    """The pyplot of matplotlib, or an ImportError that says who wants it and how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f'{wanted} draws with matplotlib, which is not installed: pip install "autodiff[lessons]"'
        ) from error
    return plt  # type: ignore[no-any-return, unused-ignore]
