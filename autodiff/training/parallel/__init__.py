"""Training on several processes or machines, with Ray."""

# `shares` computes what a worker hands back for its part of a batch, and needs no Ray; `pool` hands parts of
# batches to Ray's workers and replaces those that die; `trainer` is a Model whose batches they compute.

from .trainer import RayTrainer

__all__ = ["RayTrainer"]
