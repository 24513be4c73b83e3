"""The rules of the papers for one number at a time, with which the optimizers are compared where PyTorch is
not installed.

Each function takes the gradients g_1, g_2, ... of a parameter that starts at w, and yields w after each step.
"""

from __future__ import annotations

from math import sqrt


def sgd(w, grads, lr, momentum=0.0, dampening=0.0, nesterov=False):
    v = None
    for g in grads:
        v = g if v is None else momentum * v + (1 - dampening) * g
        w -= lr * (g + momentum * v if nesterov else v if momentum else g)
        yield w


def adagrad(w, grads, lr, lr_decay=0.0, initial_accumulator_value=0.0, eps=1e-10):
    s = initial_accumulator_value
    for t, g in enumerate(grads):
        s += g**2
        w -= lr / (1 + t * lr_decay) * g / (sqrt(s) + eps)
        yield w


def rmsprop(w, grads, lr, alpha=0.99, eps=1e-8, momentum=0.0, centered=False):
    s = mean = v = 0.0
    for g in grads:
        s = alpha * s + (1 - alpha) * g**2
        mean = alpha * mean + (1 - alpha) * g
        v = momentum * v + g / (sqrt(s - mean**2 if centered else s) + eps)
        w -= lr * v
        yield w


def adadelta(w, grads, lr, rho=0.9, eps=1e-6):
    s = u = 0.0
    for g in grads:
        s = rho * s + (1 - rho) * g**2
        d = sqrt(u + eps) / sqrt(s + eps) * g
        u = rho * u + (1 - rho) * d**2
        w -= lr * d
        yield w


def moments(grads, beta1, beta2):
    """Step, gradient, m, v, and both without their bias."""
    m = v = 0.0
    for t, g in enumerate(grads, start=1):
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g**2
        yield t, g, m, v, m / (1 - beta1**t), v / (1 - beta2**t)


def adam(w, grads, lr, betas=(0.9, 0.999), eps=1e-8, amsgrad=False):
    largest = 0.0
    for t, _, _, v, m_hat, v_hat in moments(grads, *betas):
        largest = max(largest, v)
        w -= lr * m_hat / (sqrt(largest / (1 - betas[1] ** t) if amsgrad else v_hat) + eps)
        yield w


def nadam(w, grads, lr, betas=(0.9, 0.999), eps=1e-8, momentum_decay=4e-3):
    product = 1.0
    for t, g, m, _, _, v_hat in moments(grads, *betas):
        mu = betas[0] * (1 - 0.96 ** (t * momentum_decay) / 2)
        mu_next = betas[0] * (1 - 0.96 ** ((t + 1) * momentum_decay) / 2)
        product *= mu
        ahead = mu_next * m / (1 - product * mu_next) + (1 - mu) * g / (1 - product)
        w -= lr * ahead / (sqrt(v_hat) + eps)
        yield w


def radam(w, grads, lr, betas=(0.9, 0.999), eps=1e-8):
    whole = 2 / (1 - betas[1]) - 1
    for t, _, _, v, m_hat, _ in moments(grads, *betas):
        bias = 1 - betas[1] ** t
        r = whole - 2 * t * betas[1] ** t / bias
        if r > 5:
            c = (r - 4) * (r - 2) * whole / ((whole - 4) * (whole - 2) * r)
            w -= lr * m_hat * sqrt(c) * sqrt(bias) / (sqrt(v) + eps)
        else:
            w -= lr * m_hat
        yield w
