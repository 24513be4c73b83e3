"""Open the lessons as the README's first command does: JupyterLab shows lesson 01, and its kernel computes.

Its home is a folder of its own, since Jupyter starts in no home that it cannot write to.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import tempfile
import time
import urllib.request
import uuid

from tornado.websocket import websocket_connect

PORT = 8951
LESSON = "01_a_number_that_remembers.ipynb"
CODE = "import autodiff as ad; a = ad.Tensor(2.0); (a * a).backward(); ad.draw(a); assert a.grad == 4"


def ask(page: str, body: object = None) -> bytes:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://localhost:{PORT}/{page}", data, {"Authorization": "token lab"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return reply.read()


def wait_for(page: str) -> bytes:
    for _ in range(200):
        try:
            return ask(page)
        except OSError:  # it has not started yet
            time.sleep(0.3)
    raise TimeoutError(f"JupyterLab shows no {page}")


async def run(kernel: str, code: str) -> dict:
    """Run code in a kernel, as a page of the laboratory does; return the kernel's reply."""
    header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "session": "lab", "username": "lab",
              "version": "5.3"}  # fmt: skip
    content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
    page = await websocket_connect(f"ws://localhost:{PORT}/api/kernels/{kernel}/channels?token=lab")
    await page.write_message(
        json.dumps(
            {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        )
    )
    while (message := json.loads(await page.read_message()))["msg_type"] != "execute_reply":
        pass
    return message["content"]


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        words = ["jupyter", "lab", "notebooks", "--no-browser", f"--port={PORT}"]
        lab = subprocess.Popen(words, env={**os.environ, "HOME": home, "JUPYTER_TOKEN": "lab"})
        try:
            assert b"jupyter-config-data" in wait_for(f"lab/tree/{LESSON}")
            asked = {"path": LESSON, "name": LESSON, "type": "notebook", "kernel": {"name": "python3"}}
            kernel = json.loads(ask("api/sessions", asked))["kernel"]["id"]
            reply = asyncio.run(asyncio.wait_for(run(kernel, CODE), 60))
            assert reply["status"] == "ok", reply
        finally:
            lab.terminate()
            lab.wait()


if __name__ == "__main__":
    main()
