"""A stand-in for Ray that computes in this process: RayTrainer is tested where Ray is not installed."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any


class ActorError(Exception):
    """Raised by ``get`` for a call of a worker that died."""


class TaskError(Exception):
    """Raised by ``get`` for a call that raised ``cause``."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Call:
    """A call of a method of a worker: its result, or the error that ``get`` raises."""

    def __init__(self, result: Any = None, error: Exception | None = None) -> None:
        self.result, self.error = result, error


class Worker:
    """An object whose methods have a method ``remote``."""

    def __init__(self, made: Any) -> None:
        self._made, self._is_alive = made, True

    def __getattr__(self, name: str) -> Any:
        return SimpleNamespace(remote=lambda *args: self._call(getattr(self._made, name), args))

    def _call(self, method: Any, args: Any) -> Call:
        if not self._is_alive:
            return Call(error=ActorError("the worker is dead"))
        try:
            return Call(method(*args))
        except Exception as error:  # noqa: BLE001 - raised by get
            return Call(error=TaskError(error))


class FakeRay:
    """The functions of Ray that the pool calls. ``slow`` is how many waits end without a result."""

    exceptions = SimpleNamespace(
        RayTaskError=TaskError, RayActorError=ActorError, WorkerCrashedError=ActorError
    )

    def __init__(self, cpus: int | None = None, slow: int = 0) -> None:
        self.cpus, self.slow, self.timeouts = cpus, slow, list[Any]()
        self.alive: list[Worker] = []
        self.factories: list[Any] = []
        self.cloudpickle = SimpleNamespace(dumps=self.dumps, loads=lambda data: self.factories[data])

    def dumps(self, function: Any) -> int:
        self.factories.append(function)
        return len(self.factories) - 1

    def is_initialized(self) -> bool:
        return self.cpus is not None

    def init(self, num_cpus: int, **options: Any) -> None:
        self.cpus = num_cpus

    def shutdown(self) -> None:
        self.cpus = None

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": float(self.cpus or 0)}

    def available_resources(self) -> dict[str, float]:
        return {"CPU": float(self.cpus - len(self.alive))}

    def put(self, value: Any) -> Any:
        return pickle.loads(pickle.dumps(value))

    def remote(self, **options: Any) -> Any:
        def actor(kind: Any) -> Any:
            def start(*args: Any) -> Worker:
                self.alive.append(Worker(kind(*args)))
                return self.alive[-1]

            return SimpleNamespace(remote=start)

        return actor

    def kill(self, worker: Worker) -> None:
        worker._is_alive = False
        if worker in self.alive:
            self.alive.remove(worker)

    def wait(self, calls: list[Call], num_returns: int, timeout: float | None) -> Any:
        self.timeouts.append(timeout)
        if self.slow and timeout is not None and num_returns == 1:
            self.slow -= 1
            return [], calls
        return calls[:num_returns], calls[num_returns:]

    def get(self, calls: Any) -> Any:
        if isinstance(calls, list):
            return [self.get(call) for call in calls]
        if calls.error is not None:
            raise calls.error
        return calls.result
