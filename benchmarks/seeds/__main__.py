"""Train models of the systems that this project came from, and print what they reach in one table.

    AUTODIFF_DATA=folder python -m benchmarks.seeds                     # all of them, in about half an hour
    AUTODIFF_DATA=folder python -m benchmarks.seeds recurrent convnet   # some families, or single trainings
    python -m benchmarks.seeds --quick                                  # does it run at all? Seconds, no data

The families are the modules beside this one: ``mnist``, ``recurrent`` and ``text``. Each lists its trainings.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from ..__main__ import head, line, machine
from ..measure import Row
from . import mnist, recurrent, text

FAMILIES = {"mnist": mnist.TRAININGS, "recurrent": recurrent.TRAININGS, "text": text.TRAININGS}


def trainings(names: list[str]) -> dict[str, Callable[[bool, int], list[Row]]]:
    """The trainings with these names or of these families, in the order of the table; all for no names."""
    return {
        name: train
        for family, members in FAMILIES.items()
        for name, train in members.items()
        if not names or name in names or family in names
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.seeds", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    known = [*FAMILIES, *trainings([])]
    parser.add_argument("names", nargs="*", metavar="name", help=f"only these, of {', '.join(known)}")
    parser.add_argument("--seeds", type=int, default=1, help="so many trainings, each from another start")
    parser.add_argument("--quick", action="store_true", help="a few steps on small data: does it run at all?")
    options = parser.parse_args()
    if unknown := set(options.names) - set(known):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    rows = [row for train in trainings(options.names).values() for row in train(options.quick, options.seeds)]
    print("\n".join([head(), *map(line, rows), "", f"{machine()}."]))


if __name__ == "__main__":
    main()
