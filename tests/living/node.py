"""JavaScript of a live page run by Node, without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess

PROGRAM = shutil.which("node")


def run(script):
    """What a script returns, as JSON gives it; nan and inf are texts."""
    text = "const plain = (key, x) => (typeof x === 'number' && !Number.isFinite(x) ? String(x) : x);\n"
    text += f"const found = (() => {{\n{script}\n}})();\nconsole.log(JSON.stringify(found, plain));"
    done = subprocess.run(
        [PROGRAM, "-"], input=text, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
