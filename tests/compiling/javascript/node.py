"""A process of node that answers calls of the runtime."""

from __future__ import annotations

import base64
import functools
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from autodiff.compiling.javascript import Translation
from autodiff.compiling.javascript.shaking import declarations, runtime

KEPT = {
    "Float64Array": "f8", "Float32Array": "f4", "Uint8Array": "u1", "Uint16Array": "u2", "Uint32Array": "u4",
    "Int8Array": "i1", "Int16Array": "i2", "Int32Array": "i4",
}  # fmt: skip


class Error(Exception):
    """What JavaScript has thrown."""


class Node:
    """A process of node with the whole runtime; use it as a context."""

    def __enter__(self) -> Node:
        known = declarations()
        source = runtime(name for name in known if not known[name].is_pattern)
        server = Path(__file__).with_name("server.js").read_text(encoding="utf-8")
        self.folder = tempfile.TemporaryDirectory()
        script = Path(self.folder.name) / "runtime.js"  # too long for an argument
        script.write_text(source + server, encoding="utf-8")
        self.process = subprocess.Popen(
            ["node", str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()
        self.folder.cleanup()

    def call(self, name: str, *args: Any, on: Any = None, **options: Any) -> Any:
        """The result of a function of the runtime; of a method of the generator with the seed ``on``. Where a
        function returns nothing, its first argument after the call."""
        call = {"name": name, "args": [encoded(each) for each in args]}
        call |= {"options": encoded(options)} if options else {}
        call |= {} if on is None else {"on": on}
        return decoded(self.answer(call).get("result"))

    def answer(self, call: Any) -> Any:
        """The answer to a call as JSON."""
        self.process.stdin.write(json.dumps(call) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise Error(answer["error"])
        return answer

    def evaluated(self, text: str) -> Any:
        """What the body of a function returns."""
        return self.answer({"text": text})["result"]

    def run(self, program: Translation, args: Any) -> tuple[list[Any], list[Any]]:
        """The results of a program, and its arguments after it: what it has written into them. It runs with
        the part of the runtime that it calls."""
        text = program.text("program")
        if not program.of_numbers:
            text = runtime({*program.functions, "NdArray", "packed", "values"}) + text
        elif program.functions:
            text = runtime(program.functions, of_numbers=True) + text
        answer = self.answer({"program": text, "args": [encoded(each) for each in args]})
        return decoded(answer["results"]), decoded(answer["after"])

    def __getattr__(self, name: str) -> Any:
        return functools.partial(self.call, name)


def encoded(x: Any) -> Any:
    """An argument as JSON: arrays with their strides, so that views stay views."""
    if isinstance(x, np.generic):
        x = np.asarray(x)
    if isinstance(x, np.ndarray):
        low, high = np.lib.array_utils.byte_bounds(x)
        size, start = x.itemsize, x.__array_interface__["data"][0]
        count = (high - low) // size if x.size else 0
        strides = [step // size for step in x.strides]
        turned = x[tuple(slice(None, None, -1 if step < 0 else 1) for step in x.strides)]  # begins at `low`
        low_view = np.lib.stride_tricks.as_strided(turned, (count,), (size,))
        text = base64.b64encode(low_view.tobytes()).decode()
        found = {"bytes": text, "length": count, "dtype": str(x.dtype), "shape": list(x.shape)}
        return found | {"strides": strides, "offset": (start - low) // size if x.size else 0}
    if isinstance(x, slice):
        parts = {"from": x.start, "to": x.stop, "by": x.step}
        return {key: part for key, part in parts.items() if part is not None}
    if x is Ellipsis:
        return "..."
    if isinstance(x, (list, tuple)):
        return [encoded(each) for each in x]
    if isinstance(x, dict):
        return {key: encoded(each) for key, each in x.items()}
    if isinstance(x, float) and (not np.isfinite(x) or x == 0):
        return {"number": {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(str(x), str(x))}
    if isinstance(x, int) and abs(x) >= 2**53:
        return {"big": str(x)}
    return x


def decoded(x: Any) -> Any:
    """A result."""
    if isinstance(x, list):
        return [decoded(each) for each in x]
    if not isinstance(x, dict):
        return x
    if "number" in x:
        return float(x["number"].replace("Infinity", "inf"))
    if "big" in x:
        return int(x["big"])
    flat = np.frombuffer(base64.b64decode(x["bytes"]), KEPT[x["kept"]])
    with np.errstate(invalid="ignore"):
        found = flat.astype(x["dtype"])
    np.testing.assert_array_equal(found.astype(flat.dtype), flat, "what is kept is not of the dtype")
    return found.reshape(x["shape"])


def check(found: Any, expected: Any, rtol: float = 0.0, atol: float = 0.0, signs: bool = True) -> None:
    """Raise AssertionError unless a result has the dtype, shape and values of NumPy's: every bit of them, the
    sign of 0 too, unless a tolerance is given or ``signs`` is False."""
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            check(one, other, rtol, atol, signs)
        return
    expected = np.asarray(expected)
    assert np.asarray(found).dtype == expected.dtype
    assert np.shape(found) == expected.shape
    if rtol or atol:
        np.testing.assert_allclose(found, expected, rtol, atol)
        return
    np.testing.assert_array_equal(found, expected)
    if expected.dtype.kind == "f" and signs:
        zero = expected == 0
        np.testing.assert_array_equal(np.signbit(found)[zero], np.signbit(expected)[zero])
