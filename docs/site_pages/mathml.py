"""Formulas as MathML, which browsers show without a script: pages need nothing from the internet."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

WORD = re.compile(r'<mrow>(?:<mi mathvariant="(italic|normal)">\w</mi>){2,}</mrow>')
"""A word such as ``\\mathit{weight}``, in single letters, which would be set apart."""
BARRED = re.compile(r"<mover><mrow><mi [^>]*>(\w+)</mi></mrow><mo [^>]*>&#x02015;</mo></mover>")
"""A word in italics with a bar over it. The bar grows with the word only in a font that has wide bars."""

SIGN = re.compile(r"(<mo[^>]*>(?:\[|&#x0(?:0028|002C|003[CDE]|226[045]);)</mo>)<mo>(?=&#x02212;</mo>)")
"""What stands before a sign, which has no gap behind it: an opening bracket, a comma or a relation."""


def mathml(latex: str, display: str) -> str:
    r"""A formula as MathML, with each word in one piece.

    >>> print(mathml(r"\mathit{ddof}", "inline"))  # doctest: +ELLIPSIS
    <math ...><mrow><mi style="font-style: italic">ddof</mi></mrow></math>
    """
    text = WORD.sub(joined, convert(latex, display=display))
    text = SIGN.sub(r'\1<mo form="prefix">', text)
    line = r'<mtext><span style="font-style: italic; text-decoration: overline">\1</span></mtext>'
    return BARRED.sub(line, text)


def joined(word: re.Match[str]) -> str:
    """A word's letters in one element. By themselves browsers slant single letters only."""
    letters = re.sub("<[^>]*>", "", word[0])
    return f'<mi style="font-style: italic">{letters}</mi>' if word[1] == "italic" else f"<mi>{letters}</mi>"


def inline(translator: Any, node: Any) -> None:
    """A formula in a line."""
    translator.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def display(translator: Any, node: Any) -> None:
    """A formula of its own."""
    translator.body.append(f'<p class="formula">{mathml(node.astext(), "block")}</p>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Make the renderer known to Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
