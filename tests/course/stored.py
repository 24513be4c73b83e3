"""What a stored notebook holds: its code cells, what they said, and what its prose quotes."""

from __future__ import annotations

import doctest
from pathlib import Path

import nbformat

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def cells(path):
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def said(cell):
    """The text of a cell's outputs."""
    return "".join(out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in cell.outputs)


def lesson_path(number):
    """The notebook of the lesson with this number, two digits as text."""
    (path,) = NOTEBOOKS.glob(f"{number}_*.ipynb")
    return path


def prose(path):
    """The text of a notebook's markdown cells."""
    return "\n".join(
        cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"
    )


def run_examples(text, name, flags=0):
    """Run a text's ``>>>`` examples: how many failed, and how many there were."""
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    return doctest.DocTestRunner(optionflags=flags).run(examples)
