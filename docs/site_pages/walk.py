"""The film of the front page for phones: from top to bottom, with captions as narrow as a phone's page."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import autodiff as ad
from autodiff.draw.filming.film import Film


class Narrow(Film):
    """A film whose captions fit below a narrow picture."""

    _caption_width = 320.0


def main(path: Path) -> None:
    """Write the film of the walk back through e = (a + 2)(3a + 4) at a = 2."""
    a = ad.Tensor(2)
    b = a * 3
    c = a + 2
    d = b + 4
    e = c * d
    wide = ad.film(e)
    Narrow(wide._story, replace(wide._look, direction="TB")).save(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
