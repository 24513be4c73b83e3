"""The command line: run the named lessons' trainings in full, and store their results."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .store import run_and_store, runs


def main(lessons: Sequence[str]) -> int:
    """Run and store each of these lessons; returns the exit status."""
    if not lessons or set(lessons) - set(runs()):
        sys.stderr.write(f"name one or more lessons: {', '.join(runs())}\n")
        return 2
    for lesson in lessons:
        run_and_store(lesson)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
