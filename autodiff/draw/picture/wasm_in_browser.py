"""The browser as the machine that runs a file of WebAssembly, for a Python that runs in it itself (Pyodide).

wasmtime is not available there, and JavaScript has all that is needed.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

# The system calls of the file: there is no environment, the clock stands still, random numbers are whatever
# the memory holds, and every call that is not written out says that no file is open (8).
STARTED = """
(code) => {
    const zero = (...places) => {
        for (const place of places) new DataView(exports.memory.buffer).setUint32(place, 0, true);
        return 0;
    };
    const written = {
        environ_sizes_get: zero,
        environ_get: () => 0,
        clock_time_get: (clock, precision, place) => zero(place, place + 4),
        random_get: () => 0,
        proc_exit: (status) => { throw new Error(`the engine ended with ${status}`); },
    };
    const system = new Proxy(written, { get: (written, name) => written[name] ?? (() => 8) });
    const module = new WebAssembly.Module(code);
    const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: system });
    return exports;
}
"""


class Machine:
    """The browser or node in the role that wasmtime has in `wasm.Machine`."""

    def __init__(self, path: Path) -> None:
        code, ffi = map(importlib.import_module, ("pyodide.code", "pyodide.ffi"))
        self.exports: Any = code.run_js(STARTED)(ffi.to_js(path.read_bytes()))

    def call(self, name: str, *arguments: int) -> int:
        """What a function of the file returns, which is 0 for none."""
        return getattr(self.exports, name)(*arguments) or 0

    def read(self, address: int, size: int) -> bytes:
        """Some bytes of its memory."""
        return self._bytes(address, size).to_bytes()

    def write(self, data: bytes, address: int) -> None:
        """Put bytes into its memory."""
        self._bytes(address, len(data)).assign(data)

    def _bytes(self, address: int, size: int) -> Any:
        return importlib.import_module("js").Uint8Array.new(self.exports.memory.buffer, address, size)
