"""Workers of Ray that compute shares. A worker that dies or takes too long is replaced, and its part of the
batch is computed again, so nothing is lost.

No wait is silently endless: waiting for processors and for workers to start has a limit, and a long wait for
a part is reported.
"""

from __future__ import annotations

import time
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, NamedTuple

from ..model import Model
from .shares import BatchPart, Share, State, Worker

LIVES = 3
"""How many workers may be lost on one part of a batch before the part is taken to be the cause."""

FREE_WITHIN, STARTED_WITHIN, TOLD_AFTER = 5.0, 120.0, 60.0
"""How many seconds processors may take to become free, and workers to start; and after how many ``fit`` says
what it waits for."""

holders: set[object] = set()
"""The pools that keep Ray running, if one of them has started it."""


class Job(NamedTuple):
    """A part of a batch on its way."""

    number: int
    part: BatchPart
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
        After how many seconds a worker is given up and replaced; None waits as long as it takes, and warns
        once if that is long.
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
        self.patience: float | None = patience
        self.replaced: int = 0
        self.workers: list[Any] = []
        self.idle: deque[Any] = deque()
        self.has_warned: bool = False
        is_new = not self.ray.is_initialized()
        if is_new:
            here = {"num_cpus": workers} if address is None else {"address": address}
            self.ray.init(**here, include_dashboard=False, log_to_driver=False, logging_level="error")
        token = object()
        if is_new or holders:
            holders.add(token)
        self._end: Any = weakref.finalize(self, end, self.ray, self.workers, token)
        self._end.atexit = False  # Ray itself ends all workers then
        try:
            self.start(workers)
        except BaseException:
            self.close()
            raise

    def start(self, workers: int) -> None:
        """Start the workers, and wait until they run."""
        self.check_processors(workers)
        self.actor: Any = self.ray.remote(num_cpus=1)(RemoteWorker)
        self.workers += [self.actor.remote(self.factory) for _ in range(workers)]
        calls = [worker.is_ready.remote() for worker in self.workers]
        ready, missing = self.ray.wait(calls, num_returns=workers, timeout=STARTED_WITHIN)
        if missing:
            raise RuntimeError(
                f"{len(ready)} of {workers} workers have started within {STARTED_WITHIN:.0f} seconds: does "
                "make_model take longer, or did another program take Ray's processors?"
            )
        try:
            self.ray.get(ready)
        except self.ray.exceptions.RayActorError as error:
            raise RuntimeError(f"a worker could not make the model: {error}") from error
        self.idle.extend(self.workers)

    def check_processors(self, workers: int) -> None:
        """Wait a moment until there is a free processor for each worker. Raises ValueError if Ray has fewer,
        RuntimeError if others hold them."""
        cpus = self.ray.cluster_resources().get("CPU", 0)
        if cpus < workers:
            raise ValueError(
                f"workers must be at most {cpus:.0f}, the processors that Ray has, not {workers}"
            )
        limit = time.monotonic() + FREE_WITHIN  # those of a pool that was just closed are free soon
        while (free := self.ray.available_resources().get("CPU", 0)) < workers:
            if time.monotonic() > limit:
                raise RuntimeError(
                    f"{workers} workers need as many processors, and of the {cpus:.0f} that Ray has "
                    f"{free:.0f} are free: another RayTrainer holds them, or another program. End that "
                    "trainer first, by trainer.close() or by using it in a with block, or ask for fewer "
                    "workers"
                )
            time.sleep(0.1)

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
        self, parts: Iterable[BatchPart], state: Callable[[], State]
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
                if not done and self.patience is None:
                    self.tell(running)
                for sent in done or overdue(running, self.patience):
                    job = running.pop(sent)
                    if done:
                        self.idle.append(job.worker)
                    share = self.received(sent) if done else None
                    if share is None:
                        again.append(self.lost(job))
                    else:
                        yield job.number, share
        finally:  # a loop that breaks off leaves the workers to the next batch
            self.idle.extend(job.worker for job in running.values())

    def time_left(self, running: dict[Any, Job]) -> float | None:
        """The time until the next worker has taken too long, or until the wait must be reported."""
        if self.patience is None:
            return None if self.has_warned else TOLD_AFTER
        first = min(job.since for job in running.values())
        return max(0.0, first + self.patience - time.monotonic())

    def tell(self, running: dict[Any, Job]) -> None:
        """Warn that the parts take long."""
        self.has_warned = True
        numbers = ", ".join(str(job.number) for job in running.values())
        warnings.warn(
            f"for {TOLD_AFTER:.0f} seconds no worker has finished a part of a batch; fit waits for the parts "
            f"{numbers}. To replace a worker that hangs: RayTrainer(..., patience=seconds)",
            RuntimeWarning,
            stacklevel=2,
        )

    def received(self, sent: Any) -> Any:
        """What a worker has computed; None if it died. What the model raised is raised here."""
        try:
            return self.ray.get(sent)
        except self.ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except (self.ray.exceptions.RayActorError, self.ray.exceptions.WorkerCrashedError):
            return None

    def lost(self, job: Job) -> Job:
        """Replace a worker; returns its job, to be done by another one."""
        if job.losses + 1 >= LIVES:
            raise RuntimeError(
                f"{LIVES} workers in a row have died of part {job.number} or were slower than patience "
                "allows: is there enough memory, and is patience longer than a part takes?"
            )
        self.ray.kill(job.worker)
        self.workers.remove(job.worker)
        if job.worker in self.idle:
            self.idle.remove(job.worker)
        self.workers.append(self.actor.remote(self.factory))
        self.idle.append(self.workers[-1])
        self.replaced += 1
        return job._replace(losses=job.losses + 1)

    def close(self) -> None:
        """End the workers, and Ray if this pool or another has started it and no other is open."""
        self._end()
        self.idle.clear()


def end(ray: Any, workers: list[Any], token: object) -> None:
    """End the workers of a pool; also when the pool is freed without having been closed."""
    if ray.is_initialized():
        for worker in workers:
            ray.kill(worker)
    workers.clear()
    if token in holders:
        holders.discard(token)
        if not holders and ray.is_initialized():
            ray.shutdown()


class RemoteWorker:
    """The Worker in a process of Ray, made from the pickled function."""

    def __init__(self, factory: bytes) -> None:
        self.worker: Worker = Worker(imported_ray().cloudpickle.loads(factory))

    def is_ready(self) -> bool:
        """True, as soon as the model is made."""
        return True

    def share(self, state: State, part: BatchPart) -> Share:
        """The share of a part; see :meth:`Worker.share`."""
        return self.worker.share(state, part)


def next_job(waiting: Iterator[tuple[int, BatchPart]], again: deque[Job]) -> Job | None:
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
