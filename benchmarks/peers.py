"""The packages that the array workloads run on. A loss is written once, in operators and a few functions; how
a leaf is made and how gradients are taken is each package's own.

A peer is imported when it is first asked for, and left out if it is not installed.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

import autodiff as ad

from .measure import THREADS, installed

Step = Callable[[], Any]
Function = Callable[..., Any]


@dataclass
class Package:
    """What a workload asks of a package."""

    leaf: Function
    constant: Function
    functions: SimpleNamespace  # exp, tanh, sigmoid, relu, cross_entropy; where there are, attention and
    # self_attention
    step: Callable[[Function, list[Any], Any], Step]  # of a loss, its leaves and what backward starts from
    data: Callable[[Any], np.ndarray]  # of a leaf or of a gradient
    slope: Callable[[Function, bool], Function] | None = None  # a function's gradient, recorded or not
    adam: Callable[[list[Any], float], Function] | None = None  # where the package has an Adam of its own

    def optimizer(self, leaves: list[Any], rate: float) -> Function:
        """What updates the leaves by their gradients."""
        if self.adam is not None:
            return self.adam(leaves, rate)
        by_hand = Adam([self.data(leaf) for leaf in leaves], rate)
        return lambda gradients: by_hand.step([self.data(grad) for grad in gradients])


class Adam:
    """Adam (Kingma and Ba, 2014) in NumPy, in place. With c = sqrt(1 - 0.999 ** t) one pass is saved:
    m / (sqrt(v) / c + 1e-8) = c m / (sqrt(v) + c 1e-8)."""

    def __init__(self, arrays: list[np.ndarray], rate: float) -> None:
        self.rate, self.t = rate, 0
        self.each = [(p, np.zeros_like(p), np.zeros_like(p), np.empty_like(p)) for p in arrays]

    def step(self, gradients: list[np.ndarray]) -> None:
        self.t += 1
        correction = (1 - 0.999**self.t) ** 0.5
        rate = self.rate * correction / (1 - 0.9**self.t)
        for (p, m, v, spare), grad in zip(self.each, gradients, strict=True):
            m *= 0.9
            m += np.multiply(grad, 0.1, out=spare)
            v *= 0.999
            np.multiply(grad, grad, out=spare)
            v += np.multiply(spare, 0.001, out=spare)
            np.sqrt(v, out=spare)
            spare += 1e-8 * correction
            np.divide(m, spare, out=spare)
            p -= np.multiply(spare, rate, out=spare)


def walking(forget: Function, walk_back: Function) -> Callable[[Function, list[Any], Any], Step]:
    """How packages that record take gradients: forget those of the leaves, forward, backward."""

    def step(loss: Function, leaves: list[Any], seed: Any) -> Step:
        def run() -> list[Any]:
            for leaf in leaves:
                forget(leaf)
            walk_back(loss(*leaves), seed)
            return [leaf.grad for leaf in leaves]

        return run

    return step


def ours(release: bool = False) -> Package:
    def cross_entropy(z: Any, labels: Any) -> Any:
        return -z.log_softmax()[np.arange(len(labels)), labels].mean()

    def adam(leaves: list[Any], rate: float) -> Function:
        optimizer = ad.optim.Adam(leaves, rate)
        return lambda gradients: optimizer.step()

    def attention(q: Any, k: Any, v: Any, is_causal: bool) -> Any:
        return ad.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)

    def self_attention(x: Any, heads: int, W: Any, b: Any, V: Any, c: Any) -> Any:
        if heads not in layers:
            layers[heads] = ad.nn.MultiheadAttention(x.shape[-1], heads, batch_first=True)
        layer = layers[heads]
        vars(layer).update(in_proj_weight=W, in_proj_bias=b)  # past the module, which takes Parameters alone
        vars(layer.out_proj).update(weight=V, bias=c)
        return layer(x, x, x, need_weights=False, is_causal=True)[0]

    layers: dict[int, Any] = {}
    T = ad.Tensor
    functions = {"exp": T.exp, "tanh": T.tanh, "sigmoid": T.sigmoid, "relu": T.relu}
    return Package(
        T,
        lambda array: array,
        SimpleNamespace(
            **functions, cross_entropy=cross_entropy, attention=attention, self_attention=self_attention
        ),
        walking(T.zero_grad, lambda end, seed: end.backward(seed, release=release)),
        T.numpy,
        lambda f, recorded: ad.grad(f) if recorded else ad.no_grad()(ad.grad(f)),
        adam,
    )


def pytorch() -> Package:
    import torch
    from torch.nn import functional

    torch.set_num_threads(THREADS)

    def attention(q: Any, k: Any, v: Any, is_causal: bool) -> Any:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal)

    def self_attention(x: Any, heads: int, W: Any, b: Any, V: Any, c: Any) -> Any:
        """What its layer calls, which takes the first axis for the places."""
        x, (places, width) = x.transpose(0, 1), x.shape[1:]
        mask = torch.nn.Transformer.generate_square_subsequent_mask(places)
        fixed = x, x, x, width, heads, W, b, None, None, False, 0.0, V, c
        out, _ = functional.multi_head_attention_forward(
            *fixed, need_weights=False, attn_mask=mask, is_causal=True
        )
        return out.transpose(0, 1)

    def forget(leaf: Any) -> None:
        leaf.grad = None

    def adam(leaves: list[Any], rate: float) -> Function:
        optimizer = torch.optim.Adam(leaves, rate)
        return lambda gradients: optimizer.step()

    return Package(
        lambda array: torch.tensor(array, requires_grad=True),
        torch.tensor,
        functions_of(
            torch,
            sigmoid=torch.sigmoid,
            relu=torch.relu,
            cross_entropy=functional.cross_entropy,
            attention=attention,
            self_attention=self_attention,
        ),
        walking(forget, lambda end, seed: end.backward(seed)),
        lambda x: x.detach().numpy(),
        lambda f, recorded: lambda x: torch.autograd.grad(f(x), x, create_graph=recorded)[0],
        adam,
    )


def autograd() -> Package:
    import autograd
    import autograd.numpy as anp

    def step(loss: Function, leaves: list[Any], seed: Any) -> Step:
        def run() -> Any:
            walk_back, end = autograd.make_vjp(lambda leaves: loss(*leaves))(leaves)
            return walk_back(np.ones_like(end) if seed is None else seed)

        return run

    def cross_entropy(z: Any, labels: Any) -> Any:
        return anp.mean(anp.log(anp.sum(anp.exp(z), axis=1)) - z[np.arange(len(labels)), labels])

    return Package(
        np.array,
        np.array,
        functions_of(
            anp,
            sigmoid=lambda x: 1 / (1 + anp.exp(-x)),
            relu=lambda x: anp.maximum(x, 0),
            cross_entropy=cross_entropy,
        ),
        step,
        np.asarray,
        lambda f, recorded: autograd.grad(f),
    )


def mygrad() -> Package:
    import mygrad as mg
    from mygrad.nnet.activations import relu, sigmoid
    from mygrad.nnet.losses import softmax_crossentropy

    return Package(
        mg.tensor,
        lambda array: mg.tensor(array, constant=True),
        functions_of(
            mg,
            sigmoid=sigmoid,
            relu=relu,
            cross_entropy=lambda z, labels: softmax_crossentropy(z, labels.data),
        ),
        walking(mg.Tensor.null_grad, lambda end, seed: end.backward(seed)),
        np.asarray,
    )


def dezero() -> Package:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its source is older than this Python,
        vars(np)["int"] = int  # and than this NumPy
        import dezero
        from dezero import functions
    Variable = dezero.Variable
    Variable.__matmul__ = functions.matmul

    def walk_back(end: Any, seed: Any) -> None:
        end.grad = seed
        end.backward()

    def slope(f: Function, recorded: bool) -> Function:
        def gradient(x: Any) -> Any:
            y = f(x)
            x.cleargrad()
            y.backward(create_graph=recorded)
            return x.grad

        return gradient

    return Package(
        lambda array: Variable(np.asarray(array)),
        Variable,
        functions_of(
            functions,
            sigmoid=functions.sigmoid,
            relu=functions.relu,
            cross_entropy=functions.softmax_cross_entropy,
        ),
        walking(Variable.cleargrad, walk_back),
        lambda x: x.data,
        slope,
    )


def jax() -> Package:
    # One thread: its compiler asks for the machine's processors before its first use.
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_cpu_enable_async_dispatch", False)  # it returns when it is done

    def step(loss: Function, leaves: list[Any], seed: Any) -> Step:
        @jax.jit
        def run(leaves: list[Any]) -> Any:
            end, walk_back = jax.vjp(lambda leaves: loss(*leaves), leaves)
            return walk_back(jnp.ones_like(end) if seed is None else seed)[0]

        return lambda: run(leaves)

    def adam(leaves: list[Any], rate: float) -> Function:
        def moved(p: Any, grad: Any, m: Any, v: Any, t: Any) -> Any:
            m = 0.9 * m + 0.1 * grad
            v = 0.999 * v + 0.001 * grad * grad
            step = rate / (1 - 0.9**t) * m / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8)
            return p - step.astype(p.dtype), m, v

        @jax.jit
        def all_moved(leaves: list[Any], gradients: list[Any], m: list[Any], v: list[Any], t: int) -> Any:
            return list(zip(*(moved(*each, t) for each in zip(leaves, gradients, m, v))))

        t, m = 0, [jnp.zeros_like(leaf) for leaf in leaves]
        v = m

        def update(gradients: list[Any]) -> None:
            nonlocal t, m, v
            t += 1
            leaves[:], m, v = map(list, all_moved(leaves, gradients, m, v, t))

        return update

    def cross_entropy(z: Any, labels: Any) -> Any:
        return -jax.nn.log_softmax(z)[np.arange(len(labels)), labels].mean()

    return Package(
        jnp.asarray,
        jnp.asarray,
        functions_of(jnp, sigmoid=jax.nn.sigmoid, relu=jax.nn.relu, cross_entropy=cross_entropy),
        step,
        np.asarray,
        lambda f, recorded: jax.jit(jax.grad(f)),
        adam,
    )


def functions_of(module: Any, **others: Function) -> SimpleNamespace:
    return SimpleNamespace(exp=module.exp, tanh=module.tanh, **others)


PEERS: dict[str, tuple[str, Callable[[], Package]]] = {
    "PyTorch": ("torch", pytorch),
    "autograd": ("autograd", autograd),
    "MyGrad": ("mygrad", mygrad),
    "DeZero": ("dezero", dezero),
    "JAX": ("jax", jax),
}


def absent() -> list[str]:
    """The modules of those peers that are not installed."""
    return [module for module, _ in PEERS.values() if not installed(module)]
