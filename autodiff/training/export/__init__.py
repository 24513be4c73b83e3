"""Networks as files that other programs run."""

# `traces` records a network, `writer` collects the nodes of an ONNX file, `rules` has a function for each
# operation that ONNX has, and `file` puts them together.

from .file import onnx

__all__ = ["onnx"]
