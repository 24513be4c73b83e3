"""RayTrainer: a Model whose batches are computed by several workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import numpy as np

from ...nn.loss_weights import noted
from ..batches import batch_pairs
from ..history import Row
from ..measures import EpochTotals
from ..model import Model
from ..plan import FitPlan, notify
from .pool import Pool
from .shares import BatchPart, State, joined, put_together, split, state_of

MODES = ("sync", "async")


class RayTrainer(Model):
    """A Model that trains on several processes, or on the machines of a cluster, by Ray. It is used like any
    other Model: ``fit``, ``evaluate``, callbacks, ``save_run`` and ``load_run`` work as they do
    there.

    This process is the parameter server: it holds the weights and the optimizer. Workers have copies of the
    model and compute gradients.

    - ``mode="sync"``: every batch is cut into one part for each worker, the gradients are put together, and
      one step is taken. That is the step of one process with the whole batch, up to rounding, for every loss
      of the package: each part is weighted by the divisor of its loss. Any other loss is weighted by its
      samples, as a mean over samples is. Batch normalisation takes the statistics of each part, and its
      running statistics are the parts' mean; dropout draws other numbers than in one process.
    - ``mode="async"``: every worker takes a batch of its own, and a step is taken as soon as one is done.
      No worker waits, and gradients may belong to weights that are some steps old.

    A worker that dies, or is slower than ``patience``, is replaced, and its samples are computed again.

    The workers hold processors of Ray until the trainer is closed: use it in a ``with`` block, or call
    :meth:`close`. They end, too, when the trainer itself is freed.

    Parameters
    ----------
    make_model
        A function without arguments that makes the net, the loss and the optimizer, and returns their Model.
        It is called here and in every worker.
    workers
        The number of workers.
    mode
        "sync" or "async".
    seed
        Seeds what the nets draw, such as dropout: the same seed gives the same run, with ``mode="sync"`` and
        any number of workers lost.
    patience
        After how many seconds a worker is given up; None waits as long as it takes, with a warning after a
        minute in which no part was finished.
    address
        The address of a cluster of Ray; None starts Ray on this machine.

    Raises
    ------
    ImportError
        If Ray is not installed.
    TypeError
        If ``make_model`` is not a function that returns a Model, or cannot be sent to other processes.
    ValueError
        If ``workers`` is not an integer of 1 or more, ``mode`` is unknown, ``patience`` is not positive, or
        the cluster has fewer processors than workers.
    RuntimeError
        If too few of Ray's processors are free, such as while another RayTrainer is open, or workers do not
        start.

    Example
    -------
    ::

        def make_model():
            net = nn.Sequential(nn.Linear(64, 32, generator=0), nn.Tanh(), nn.Linear(32, 10, generator=1))
            return training.Model(net, nn.CrossEntropyLoss(), optim.Adam(net.parameters(), lr=0.01))

        with training.parallel.RayTrainer(make_model, workers=2) as trainer:
            trainer.fit(loader, epochs=5, metrics=[training.accuracy])
        training.save_weights(trainer.net, "digits.npz")

    References
    ----------
    Li et al., "Scaling Distributed Machine Learning with the Parameter Server", 2014. Moritz et al., "Ray: A
    Distributed Framework for Emerging AI Applications", 2018.
    """

    def __init__(
        self,
        make_model: Callable[[], Model],
        workers: int = 2,
        mode: str = "sync",
        *,
        seed: int = 0,
        patience: float | None = None,
        address: str | None = None,
    ) -> None:
        model = checked_model(make_model)
        if not isinstance(workers, (int, np.integer)) or isinstance(workers, bool) or workers < 1:
            raise ValueError(f"workers must be an integer of 1 or more, not {workers!r:.60}")
        if mode not in MODES:
            raise ValueError(f'mode must be "sync" or "async", not {mode!r:.60}')
        if patience is not None and not patience > 0:
            raise ValueError(f"patience must be a positive number of seconds, not {patience!r:.60}")
        np.random.SeedSequence(seed)  # raises for what cannot be a seed
        super().__init__(model.net, model.loss, model.optimizer)
        self.mode = mode
        self.seed = seed
        self.batch: int = 0  # of the epoch
        self.pool: Pool = Pool(make_model, int(workers), patience, address)

    @property
    def workers(self) -> int:
        """The number of workers."""
        return len(self.pool.workers)

    @property
    def replaced(self) -> int:
        """How many workers were replaced so far, because they died or took too long."""
        return self.pool.replaced

    def close(self) -> None:
        """End the workers. The net stays as it is."""
        self.pool.close()

    def __enter__(self) -> RayTrainer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- training -------------------------------------------------------------------------------------------

    def training_step(self, x: Any, target: Any) -> tuple[Any, Any]:
        """Train on one batch, a part of it in each worker; returns the prediction and the loss."""
        self.check_open()
        state = self.pool.ray.put(state_of(self))
        parts = [self.part(*pair, number) for number, pair in enumerate(split(x, target, self.workers))]
        shares = [
            share for _, share in sorted(self.pool.shares(parts, lambda: state), key=lambda one: one[0])
        ]
        loss, weight = put_together(self, shares)
        self.apply_grad()
        self.batch += 1
        return joined([share.prediction for share in shares]), noted(loss, weight)

    def _epoch(self, plan: FitPlan, advance: Callable[[Row, int], object]) -> Row:
        """Train on every batch once; returns the row of the history."""
        self.check_open()
        self.batch = 0
        if self.mode == "sync":
            return super()._epoch(plan, advance)
        rate = self.optimizer.param_groups[0]["lr"]
        totals = EpochTotals(plan.metrics)
        given: dict[int, Any] = {}

        def parts() -> Iterator[BatchPart]:
            for number, (x, target) in enumerate(batches):
                given[number] = target
                yield self.part(x, target, number)

        with (
            closing(batch_pairs(plan.loader)) as batches,
            closing(self.pool.shares(parts(), self.state)) as done,
        ):
            for number, share in done:
                put_together(self, [share])
                self.apply_grad()
                totals.add(share.loss, share.weight, share.prediction, given.pop(number))
                notify(plan.callbacks, "on_batch_end", self, share.loss)
                advance({"loss": totals.loss}, 1)
        return {"lr": rate, **totals.measures()}

    def part(self, x: Any, target: Any, number: int) -> BatchPart:
        """A part of a batch with a seed that belongs to its place in the run."""
        place = np.random.SeedSequence([self.seed, len(self.history), self.batch, number])
        whole = split(x, target, 1)[0]  # arrays, whatever they were
        return BatchPart(*whole, int(place.generate_state(1)[0]))

    def state(self) -> State:
        """The weights and buffers of this moment."""
        return state_of(self)

    def check_open(self) -> None:
        """Raise RuntimeError if the workers were ended."""
        if not self.pool.workers:
            raise RuntimeError("the workers of this RayTrainer were ended by close(): make a new RayTrainer")


def checked_model(make_model: Any) -> Model:
    """The Model that the function makes. Raises TypeError if it makes none."""
    if isinstance(make_model, Model) or not callable(make_model):
        raise TypeError(
            f"make_model must be a function that returns a training.Model, not {make_model!r:.60}"
        )
    model = make_model()
    if not isinstance(model, Model):
        raise TypeError(f"make_model must return a training.Model, and it returned {model!r:.60}")
    return model
