"""Formulas as MathML, which browsers show without a script: pages need nothing from the internet."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def inline(translator: Any, node: Any) -> None:
    """A formula in a line."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def display(translator: Any, node: Any) -> None:
    """A formula of its own."""
    translator.body.append(f'<p class="formula">{convert(node.astext(), display="block")}</p>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Make the renderer known to Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
