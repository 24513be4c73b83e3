"""Recurrent networks: an RNN over 50 steps and an LSTM over 20, written with operations, cell by cell, and as
layers, ``nn.RNN`` and ``nn.LSTM`` beside PyTorch's.

Batch 32, 32 inputs, float32, as for names or texts read letter by letter. By hand, what does not wait for the
cell before (the inputs' products, the gradients of the weights) is one product over all steps.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import autodiff as ad

from .measure import Row
from .peers import PEERS, Package, Step
from .workload import Workload, compare

BATCH, INPUTS, HIDDEN = 32, 32, 64


def data(steps: int, hidden: int, gates: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """The two weights and the bias; the inputs, step by step; the state before the first."""
    rng = np.random.default_rng(0)
    shapes = [(INPUTS, gates * hidden), (hidden, gates * hidden), (gates * hidden,)]
    leaves = [rng.normal(0, hidden**-0.5, shape).astype(np.float32) for shape in shapes]
    X = rng.normal(size=(steps, BATCH, INPUTS)).astype(np.float32)
    return leaves, X, np.zeros((BATCH, hidden), np.float32)


def rnn_loss(F: Any, Wx: Any, Wh: Any, b: Any, X: Any, h: Any) -> Any:
    for x in X:
        h = F.tanh(x @ Wx + h @ Wh + b)
    return h.sum()


def rnn(steps: int = 50, hidden: int = HIDDEN) -> Workload:
    leaves, X, start = data(steps, hidden, 1)
    Wx, Wh, b = leaves
    H = np.empty((steps + 1, *start.shape), np.float32)  # the states
    H[0] = start

    def by_hand() -> list[np.ndarray]:
        Z = X @ Wx
        Z += b
        for t in range(steps):
            Z[t] += H[t] @ Wh
            np.tanh(Z[t], out=H[t + 1])
        H[-1].sum()
        slope = 1 - H[1:] ** 2
        grad = np.ones_like(start)
        for t in reversed(range(steps)):
            Z[t] = grad * slope[t]  # from here on the gradient of what tanh was taken of
            grad = Z[t] @ Wh.T
        return by_weights(Z, X, H)

    what = f"RNN over {steps} steps, {hidden} wide"
    return Workload(what, rnn_loss, leaves, by_hand, [list(X), start], kept=H.nbytes)


def by_weights(Z: np.ndarray, X: np.ndarray, H: np.ndarray) -> list[np.ndarray]:
    """The gradients of the weights and the bias from those of what they add up to, in one product each."""
    X, H, Z = (array.reshape(-1, array.shape[-1]) for array in (X, H[:-1], Z))
    return [X.T @ Z, H.T @ Z, np.ones(len(Z), Z.dtype) @ Z]


def lstm_loss(F: Any, Wx: Any, Wh: Any, b: Any, X: Any, h: Any) -> Any:
    width = h.shape[1]
    c = h
    for x in X:
        z = x @ Wx + h @ Wh + b
        i = F.sigmoid(z[:, :width])
        f = F.sigmoid(z[:, width : 2 * width])
        o = F.sigmoid(z[:, 2 * width : 3 * width])
        g = F.tanh(z[:, 3 * width :])
        c = f * c + i * g
        h = o * F.tanh(c)
    return h.sum()


def lstm(steps: int = 20, hidden: int = HIDDEN) -> Workload:
    """After Hochreiter and Schmidhuber (1997); its forget gate after Gers, Schmidhuber and Cummins (2000)."""
    leaves, X, start = data(steps, hidden, 4)
    Wx, Wh, b = leaves
    H = np.empty((steps + 1, *start.shape), np.float32)  # the states,
    C = np.empty_like(H)  # the cells,
    T = np.empty_like(H)  # and their tanh
    H[0] = C[0] = start
    i, f, o, g = (np.s_[:, k * hidden : (k + 1) * hidden] for k in range(4))

    def by_hand() -> list[np.ndarray]:
        Z = X @ Wx
        Z += b
        for t, z in enumerate(Z):
            z += H[t] @ Wh
            gates, candidate = z[:, : 3 * hidden], z[g]
            np.exp(np.negative(gates, out=gates), out=gates)
            gates += 1
            np.reciprocal(gates, out=gates)
            np.tanh(candidate, out=candidate)
            np.multiply(z[f], C[t], out=C[t + 1])
            C[t + 1] += z[i] * candidate
            np.tanh(C[t + 1], out=T[t + 1])
            np.multiply(z[o], T[t + 1], out=H[t + 1])
        H[-1].sum()
        slope = 1 - Z  # of a sigmoid s it is s (1 - s), of tanh 1 - t ** 2
        slope[..., : 3 * hidden] *= Z[..., : 3 * hidden]
        slope[..., 3 * hidden :] = 1 - Z[..., 3 * hidden :] ** 2
        by_h, by_c = np.ones_like(start), np.zeros_like(start)
        for t in reversed(range(steps)):
            z = Z[t]
            by_c += by_h * z[o] * (1 - T[t + 1] ** 2)
            share = np.concatenate([by_c * z[g], by_c * C[t], by_h * T[t + 1], by_c * z[i]], axis=1)
            by_c *= z[f]
            np.multiply(share, slope[t], out=z)
            by_h = z @ Wh.T
        return by_weights(Z, X, H)

    what = f"LSTM over {steps} steps, {hidden} wide"
    return Workload(what, lstm_loss, leaves, by_hand, [list(X), start], kept=3 * H.nbytes)


@dataclass
class Layer:
    """A whole layer of ``nn``, on the weights and inputs of a network written with operations. Backward
    starts from the last state."""

    network: Workload
    kind: str
    with_onednn: bool = True  # whether PyTorch may use Intel's kernels for an LSTM, where it has them

    cannot = tuple(name for name in PEERS if name != "PyTorch")

    @property
    def what(self) -> str:
        steps, _, width = self.network.what.split(maxsplit=1)[1].partition(" steps, ")
        without = "" if self.with_onednn else ", PyTorch without oneDNN"
        return f"nn.{self.kind} {steps} steps, {width}{without}"

    def weights(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """Both weights and the bias as a layer has them: the other way round, and an LSTM's gates in the
        order i, f, g, o."""
        order = (0, 1, 3, 2) if self.kind == "LSTM" else (0,)
        parts = [np.split(array, len(order), axis=-1) for array in arrays]
        return [np.concatenate([part[place] for place in order], axis=-1).T.copy() for part in parts]

    def step(self, package: Package) -> Step:
        w_ih, w_hh, bias = self.weights(self.network.leaves)
        x = package.constant(np.stack(self.network.constants[0]))
        if isinstance(package.leaf(bias), ad.Tensor):
            return self.ours(x, [w_ih, w_hh, bias, 0 * bias])
        return self.pytorch(x, [w_ih, w_hh, bias, 0 * bias])

    def ours(self, x: Any, weights: list[np.ndarray]) -> Step:
        layer = getattr(ad.nn, self.kind)(INPUTS, weights[1].shape[1])
        for parameter, array in zip(layer.parameters(), weights, strict=True):
            parameter.assign(array)

        def run() -> list[Any]:
            layer.zero_grad()
            last = layer(x)[1]
            (last[0] if self.kind == "LSTM" else last).sum().backward()
            return [parameter.grad for parameter in layer.parameters()]

        return run

    def pytorch(self, x: Any, weights: list[np.ndarray]) -> Step:
        import torch

        layer = getattr(torch.nn, self.kind)(INPUTS, weights[1].shape[1])
        with torch.no_grad():
            for parameter, array in zip(layer.parameters(), weights, strict=True):
                parameter.copy_(torch.tensor(array))

        def run() -> list[Any]:
            layer.zero_grad()
            with torch.backends.mkldnn.flags(enabled=self.with_onednn):
                last = layer(x)[1]
                (last[0] if self.kind == "LSTM" else last).sum().backward()
            return [parameter.grad for parameter in layer.parameters()]

        return run

    def by_hand(self) -> list[np.ndarray]:
        w_ih, w_hh, bias = self.weights(self.network.by_hand())
        return [w_ih, w_hh, bias, bias]


def measure(quick: bool) -> list[Row]:
    times, rounds = (1, 3) if quick else (3, 21)
    networks = [rnn(4, 8), lstm(3, 8)] if quick else [rnn(), lstm()]
    rows = [
        row
        for network, goal in zip(networks, ("at most 0.65", "at most 0.7"), strict=True)
        for row in compare(network, {"PyTorch": goal}, times, rounds)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # PyTorch's, about a graphics card that is not there
        for layer, goal in zip(layers(networks), ("at most 0.5", "at most 0.7", ""), strict=True):
            by_pytorch, by_hand = compare(layer, {"PyTorch": goal}, times, rounds)
            rows += [by_pytorch, replace(by_hand, note="")] if layer.with_onednn else [by_pytorch]
    return rows


def layers(networks: list[Workload]) -> list[Layer]:
    simple, gated = networks
    return [Layer(simple, "RNN"), Layer(gated, "LSTM"), Layer(gated, "LSTM", with_onednn=False)]
