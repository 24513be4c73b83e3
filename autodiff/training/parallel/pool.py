"""Workers of Ray that compute shares. A worker that dies or takes too long is replaced, and its part of the
batch is computed again, so nothing is lost."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, NamedTuple

from ..model import Model
from .shares import Part, Share, State, Worker

LIVES = 3
"""How many workers may be lost on one part of a batch before it is held to be the part's fault."""


class Job(NamedTuple):
    """A part of a batch on its way."""

    number: int
    part: Part
    worker: Any
    since: float
    losses: int


class Pool:
    """Ray's workers, each with a copy of the model.

    Parameters
    ----------
    make_model
        A function that makes the model.
    workers
        How many workers there are.
    patience
        After how many seconds a worker is given up and replaced; None waits for ever.
    address
        The address of a cluster of Ray, such as "auto"; None starts Ray on this machine, unless the program
        has started it already.

    Attributes
    ----------
    replaced : int
        How many workers have been replaced so far.
    """

    def __init__(
        self, make_model: Callable[[], Model], workers: int, patience: float | None, address: str | None
    ) -> None:
        self.ray: Any = imported_ray()
        self.factory: bytes = self.pickled(make_model)
        self.starts_ray: bool = not self.ray.is_initialized()
        if self.starts_ray:
            here = {"num_cpus": workers} if address is None else {"address": address}
            self.ray.init(**here, include_dashboard=False, log_to_driver=False, logging_level="error")
        cpus = self.ray.cluster_resources().get("CPU", 0)
        if cpus < workers:
            self.close()
            raise ValueError(
                f"workers must be at most {cpus:.0f}, the processors that Ray has, not {workers}"
            )
        self.actor: Any = self.ray.remote(num_cpus=1)(RemoteWorker)
        self.patience = patience
        self.replaced: int = 0
        self.workers: list[Any] = [self.actor.remote(self.factory) for _ in range(workers)]
        self.idle: deque[Any] = deque(self.workers)

    def pickled(self, make_model: Callable[[], Model]) -> bytes:
        """The function as bytes for another process. Raises TypeError if it holds what cannot be sent."""
        try:
            return self.ray.cloudpickle.dumps(make_model)
        except Exception as error:  # noqa: BLE001  whatever an object raises that cannot be pickled
            raise TypeError(
                f"make_model cannot be sent to other processes ({error}): make the net, the loss and the "
                "optimizer inside of it"
            ) from None

    def shares(
        self, parts: Iterable[Part], state: Callable[[], State]
    ) -> Generator[tuple[int, Share], None, None]:
        """Have the parts computed, each at the ``state`` of the moment when a worker takes it; yields the
        number of a part and its share, in the order in which they are done."""
        waiting, again, running = iter(enumerate(parts)), deque[Job](), dict[Any, Job]()
        try:
            while True:
                while self.idle and (job := next_job(waiting, again)) is not None:
                    worker = self.idle.popleft()
                    sent = worker.share.remote(state(), job.part)
                    running[sent] = job._replace(worker=worker, since=time.monotonic())
                if not running:
                    return
                done, _ = self.ray.wait(list(running), num_returns=1, timeout=self.time_left(running))
                for sent in done or overdue(running, self.patience):
                    job = running.pop(sent)
                    share = self.received(sent, job) if done else None
                    if share is None:
                        again.append(self.lost(job))
                    else:
                        self.idle.append(job.worker)
                        yield job.number, share
        finally:  # who breaks off leaves the workers to the next batch
            self.idle.extend(job.worker for job in running.values())

    def time_left(self, running: dict[Any, Job]) -> float | None:
        """How long to wait until the next worker has taken too long."""
        if self.patience is None:
            return None
        first = min(job.since for job in running.values())
        return max(0.0, first + self.patience - time.monotonic())

    def received(self, sent: Any, job: Job) -> Share | None:
        """A share; None if its worker died. What the model raised is raised here."""
        try:
            share: Share = self.ray.get(sent)
        except self.ray.exceptions.RayTaskError as error:
            self.idle.append(job.worker)
            raise error.cause from None
        except (self.ray.exceptions.RayActorError, self.ray.exceptions.WorkerCrashedError):
            return None
        return share

    def lost(self, job: Job) -> Job:
        """Replace a worker; returns its job, to be done by another one."""
        if job.losses + 1 >= LIVES:
            raise RuntimeError(
                f"{LIVES} workers in a row have died of part {job.number} or were slower than patience "
                "allows: is there enough memory, and is patience longer than a part takes?"
            )
        self.ray.kill(job.worker)
        self.workers.remove(job.worker)
        self.workers.append(self.actor.remote(self.factory))
        self.idle.append(self.workers[-1])
        self.replaced += 1
        return job._replace(losses=job.losses + 1)

    def close(self) -> None:
        """End the workers, and Ray if this pool has started it."""
        for worker in getattr(self, "workers", ()):
            self.ray.kill(worker)
        self.workers, self.idle = [], deque()
        if self.starts_ray and self.ray.is_initialized():
            self.ray.shutdown()


class RemoteWorker:
    """The Worker in a process of Ray, made from the pickled function."""

    def __init__(self, factory: bytes) -> None:
        self.worker: Worker = Worker(imported_ray().cloudpickle.loads(factory))

    def share(self, state: State, part: Part) -> Share:
        """The share of a part; see :meth:`Worker.share`."""
        return self.worker.share(state, part)


def next_job(waiting: Iterator[tuple[int, Part]], again: deque[Job]) -> Job | None:
    """The next job: first those that were lost; None if all are given out."""
    if again:
        return again.popleft()
    number, part = next(waiting, (-1, None))
    return None if part is None else Job(number, part, None, 0.0, 0)


def overdue(running: dict[Any, Job], patience: float | None) -> list[Any]:
    """What was sent to workers that have taken too long."""
    now = time.monotonic()
    return [sent for sent, job in running.items() if patience is not None and now - job.since >= patience]


def imported_ray() -> Any:
    """Ray. Raises ImportError, with the command that installs it, if it is missing."""
    try:
        import ray
    except ImportError as error:
        raise ImportError(
            'training on several processes needs Ray, which is not installed: pip install "autodiff[ray]"'
        ) from error
    return ray
