"""Networks as files that other programs run."""

# `traces` makes records of a network, which `calling` traces as `ad.compile` does; `writer` collects the
# nodes of an ONNX file; `rules` says how a step of the records is written, with `calls`, `composed` and
# `places` for NumPy's functions and `layer_rules` for layers; `file` puts them together.

from .file import onnx

__all__ = ["onnx"]
