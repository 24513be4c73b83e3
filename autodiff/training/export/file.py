"""A network as an ONNX file, which other programs run."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from ...nn.module import Module
from ..model import mode
from . import calls, layer_rules, places  # noqa: F401 - each enters its rules
from .rules import is_one_step, written
from .traces import Batch, NetworkTrace, traced
from .writer import OPSET, Writer


def onnx(
    net: Any,
    example: Any,
    path: str | os.PathLike[str],
    *,
    batch_axis: int | None = 0,
    names: Sequence[str] | None = None,
) -> None:
    """Write a network to an ONNX file, which onnxruntime and many other programs run.

    The network is called in eval mode, on arrays that have a shape and a dtype and no values, and what it
    computes becomes the graph; the parameters become part of the file. So the file is right for every input:
    comparisons, ``ad.where``, ``ad.floor`` and ``ad.argmax`` are computed when it runs, and a value that
    Python reads out of a Tensor, as ``if x.sum() > 0`` and ``float(x)`` do, is an error. The network is
    called for batches of several sizes, to see what depends on the size of the batch, so that the file takes
    a batch of any size. ONNX does not say which of several numbers is the largest if one is nan, so in max,
    argmax and sort nan may count otherwise than here.

    Parameters
    ----------
    net : Module or function
        What to export. It takes the examples and returns a Tensor, or a tuple of Tensors.
    example : array, Tensor, or tuple of these
        One batch of inputs, of the shape and dtype that the file takes; the values do not matter.
        Integers are used as indices, as by an Embedding.
    path : path
        The file to write.
    batch_axis : int or None
        The axis of the inputs that counts the examples; with None the file takes this batch size alone.
    names : sequence of str or None
        The names of the inputs; by default "x" for one, "x0", "x1" and so on for several.

    Raises
    ------
    ImportError
        If the library onnx is not installed.
    ValueError
        If the network uses an operation that has no counterpart in ONNX or, in float64, in onnxruntime, which
        the message names; if it needs the value of a Tensor, draws random numbers, or depends on the size of
        the batch in a way that ONNX cannot say; if the names do not fit the examples.

    Examples
    --------
    >>> from autodiff import nn
    >>> from autodiff.training import export
    >>> export.onnx(nn.Linear(2, 3), [[1.0, 2.0]], "net.onnx")  # doctest: +SKIP
    """
    library = _library()
    examples = tuple(example) if isinstance(example, tuple) else (example,)
    inputs = [f"x{k}" for k in range(len(examples))] if len(examples) > 1 else ["x"]
    if names is not None:
        inputs = list(names)
        if len(inputs) != len(examples):
            raise ValueError(f"names has {len(inputs)} names for {len(examples)} inputs: give one for each")
    with mode(net, False) if isinstance(net, Module) else nullcontext():
        trace = traced(net, examples, batch_axis, is_one_step)
    model = _model(library, trace, inputs)
    try:
        library.checker.check_model(model, full_check=True)
    except Exception as error:  # of several types of onnx
        raise ValueError(
            f"the network uses an operation in a dtype that ONNX does not have it in: {error}"
        ) from error
    Path(path).write_bytes(model.SerializeToString())


def _library() -> Any:
    try:
        return importlib.import_module("onnx")
    except ImportError:
        raise ImportError(
            "onnx writes ONNX files, and is not installed: pip install 'autodiff[onnx]'"
        ) from None


def _model(library: Any, trace: NetworkTrace, names: list[str]) -> Any:
    """The ONNX model of a trace."""
    writer = Writer(trace, names)
    for step in trace.steps:
        writer.results.append(written(writer, step))
    helper = library.helper
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), _sizes(shape))
        for name, (shape, dtype) in zip(names, trace.inputs)
    ]
    outputs = []
    for k, operand in enumerate(trace.outputs):
        shape, dtype = trace.kind(operand)
        name = "y" if len(trace.outputs) == 1 else f"y{k}"
        writer.nodes.append(helper.make_node("Identity", [writer.name(operand)], [name]))
        outputs.append(
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), _sizes(shape))
        )
    graph = helper.make_graph(writer.nodes, "autodiff", inputs, outputs, list(writer.initializers.values()))
    opset = helper.make_opsetid("", OPSET)
    return helper.make_model(graph, opset_imports=[opset], producer_name="autodiff", ir_version=9)


def _sizes(shape: tuple[Any, ...]) -> list[Any]:
    """A shape for ONNX: the size of the batch is called "batch", and multiples of it are left open."""
    return [("batch" if size.times == 1 else None) if isinstance(size, Batch) else size for size in shape]
