"""Slides of a lesson: ``python -m autodiff_course slides notebooks/03_walking_back.ipynb`` writes
``03_walking_back.slides.html``, a page that any browser shows."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

LINES = 16
"""About how many lines fit on a slide. What comes after them goes below it: press the down arrow."""


def with_slides(notebook: Any) -> Any:
    """The notebook with a place in the show for each cell: a heading begins a slide, the cells under it come
    up one after the other, and where a slide is full the next one is below it. What is folded stays off."""
    notebook = copy.deepcopy(notebook)
    lines = 0
    for cell in notebook.cells:
        size = height(cell)
        if cell.cell_type == "markdown" and cell.source.startswith("#"):
            kind, lines = "slide", size
        elif lines + size > LINES:
            kind, lines = "subslide", size
        else:
            kind, lines = "fragment", lines + size
        cell.metadata["slideshow"] = {"slide_type": kind}
        if cell.metadata.get("jupyter", {}).get("outputs_hidden"):
            cell.outputs = []
    return notebook


def height(cell: Any) -> int:
    """About how many lines of a slide the cell takes."""
    wrapped = sum(1 + len(line) // 90 for line in cell.source.splitlines())
    for output in cell.get("outputs", []):
        shown = output.get("data", {})
        is_picture = "text/html" in shown or "image/svg+xml" in shown
        text = output.get("text") or shown.get("text/plain", "")
        wrapped += 8 if is_picture else len(text.splitlines())
    return wrapped


def write(path: Path, folder: Path | None = None) -> Path:
    """Write the slides of a notebook next to it, or into a folder; returns where they are.

    Raises FileNotFoundError if there is no such notebook.
    """
    import nbformat
    from nbconvert import SlidesExporter

    if not path.is_file():
        raise FileNotFoundError(f"there is no notebook {path}")
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    page, _ = SlidesExporter().from_notebook_node(with_slides(notebook))  # type: ignore[no-untyped-call]
    target = (folder or path.parent) / f"{path.stem}.slides.html"
    target.write_text(page, encoding="utf-8")
    return target
