"""What a stored notebook holds: its code cells, and what they said."""

from __future__ import annotations

import nbformat


def cells(path):
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def said(cell):
    """The text of a cell's outputs."""
    return "".join(out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in cell.outputs)
