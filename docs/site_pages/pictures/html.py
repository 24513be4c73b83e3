"""What a camera returns, as HTML: its picture, or its text where it has none."""

from __future__ import annotations

from html import escape
from typing import Any


def html_of(shown: Any) -> str:
    """The picture as it stands in a notebook, or the text where there is no picture.

    >>> from autodiff import Tensor
    >>> from autodiff.draw import draw
    >>> html_of(draw(Tensor(2.0, requires_grad=True) * 3))[:4]
    '<div'
    """
    bundle, _ = shown._repr_mimebundle_()
    return bundle.get("text/html") or f"<pre>{escape(bundle['text/plain'])}</pre>"
