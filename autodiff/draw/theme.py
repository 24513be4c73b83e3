"""Colours of pictures. Boxes bring their own ground and ink, so that they read on white and on dark pages;
what lies on the page itself, edges and constants, is a grey that shows on both."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """One set of colours: grounds and lines of boxes by kind, inks, edges."""

    ink: str = "#1f2937"
    soft: str = "#64748b"
    line: str = "#7b8794"
    gradient: str = "#b4410e"
    leaf: str = "#dbeafe"
    leaf_line: str = "#6b93d6"
    made: str = "#f8fafc"
    made_line: str = "#94a3b8"
    quiet: str = "#eef0f3"
    quiet_line: str = "#b6bec9"
    operation: str = "#fde9b8"
    operation_line: str = "#d6a33a"


LIGHT = Theme()
