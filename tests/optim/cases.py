"""Every optimizer with each of its options: the cases of the tests in this folder."""

from __future__ import annotations

from tests.optim import references

RULES = {
    "SGD": references.sgd,
    "Adagrad": references.adagrad,
    "RMSprop": references.rmsprop,
    "Adadelta": references.adadelta,
    "Adam": references.adam,
    "AdamW": references.adam,
    "NAdam": references.nadam,
    "RAdam": references.radam,
}
OWN_OPTIONS = {
    "SGD": [{"momentum": 0.9}, {"momentum": 0.9, "dampening": 0.3}, {"momentum": 0.9, "nesterov": True}],
    "Adagrad": [{"lr_decay": 0.1}, {"initial_accumulator_value": 0.5}, {"eps": 0.1}],
    "RMSprop": [
        {"alpha": 0.8},
        {"momentum": 0.9},
        {"centered": True},
        {"momentum": 0.9, "centered": True},
        {"eps": 0.1},
    ],
    "Adadelta": [{"rho": 0.5}, {"eps": 0.1}],
    "Adam": [{"amsgrad": True}, {"betas": (0.5, 0.7)}, {"betas": (0.0, 0.0)}, {"eps": 0.1}],
    "AdamW": [{"amsgrad": True}, {"betas": (0.2, 0.7)}],
    "NAdam": [{"momentum_decay": 0.1}, {"betas": (0.5, 0.9)}, {"eps": 0.1}],
    "RAdam": [{"betas": (0.5, 0.9)}, {"betas": (0.9, 0.6)}, {"eps": 0.1}],
}
CASES = [(name, {}) for name in RULES] + [
    (name, options) for name, several in OWN_OPTIONS.items() for options in several
]


def step(optimizer, *grads):
    """One step with these gradients, one per parameter."""
    for parameter, grad in zip(optimizer._parameters, grads, strict=True):
        parameter.grad = grad
    optimizer.step()


def title(name, options):
    """A case as one string: its key in ``literals.py``."""
    return f"{name} {label(options)}".strip()


def label(value):
    """The name of a case in pytest."""
    return value if isinstance(value, str) else " ".join(f"{key}={option}" for key, option in value.items())
