"""Helpers of the layer tests: modules in double precision, and gradient checks for every parameter."""

from __future__ import annotations

import numpy as np

from autodiff import Tensor, gradcheck, gradgradcheck


def in_double(module):
    """The module with its parameters and buffers in float64."""
    for tensor in (*module.parameters(), *module.buffers()):
        if tensor.dtype.kind == "f":
            tensor.data = tensor.data.astype(np.float64)
    return module


def check_gradients(module, *inputs):
    """First and second derivatives by the inputs and by every parameter, against finite differences."""
    places = [
        (inner, name)
        for inner in module.modules()
        for name in [name for name, _ in inner.named_parameters(recurse=False)]
    ]
    values = [np.float64(vars(inner)[name].data) for inner, name in places]
    before = [vars(inner)[name] for inner, name in places]

    def called(*tensors):
        for (inner, name), tensor in zip(places, tensors):
            vars(inner)[name] = tensor  # without the module, which refuses anything but a Parameter
        return module(*tensors[len(places) :])

    gradcheck(called, *values, *inputs)
    gradgradcheck(called, *values, *inputs)
    for (inner, name), parameter in zip(places, before):
        vars(inner)[name] = parameter


def random(*shape, seed=0):
    """Numbers from the standard normal distribution."""
    return np.random.default_rng(seed).normal(size=shape)


def trained(module, *inputs):
    """The output in float32, after a backward."""
    output = module(*(Tensor(np.float32(value)) for value in inputs))
    output.sum().backward()
    return output
