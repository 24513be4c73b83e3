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


def run_examples(text, name):
    """Run a text's ``>>>`` examples: how many failed, and how many there were."""
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    return doctest.DocTestRunner().run(examples)
