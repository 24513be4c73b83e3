"""Servers on this machine that misbehave as real ones do."""

from __future__ import annotations

import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONTENT = bytes(range(256)) * 1000  # so that every part of it can be told from every other


class Server:
    """A server on loopback, in a thread. Each request is answered by the next of ``answers``, the last of
    which is for all later ones. An answer takes the handler and the first byte that was asked for."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.ranges = []  # what each request asked for
        self.stopping = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                wanted = self.headers.get("Range")
                outer.ranges.append(wanted)
                answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                self.stopping = outer.stopping
                with suppress(ConnectionError):  # the other side had enough
                    answer(self, int(wanted[len("bytes=") : -1]) if wanted else 0)
                self.close_connection = True

            def log_message(self, *args):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *exception):
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()  # waits for the threads of requests
        self._thread.join()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._http.server_port}/file"


def head(handler, start, length):
    handler.send_response(206 if start else 200)
    if start:
        handler.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
    if length is not None:
        handler.send_header("Content-Length", str(length))
    handler.end_headers()


def good(handler, start):
    head(handler, start, len(CONTENT) - start)
    handler.wfile.write(CONTENT[start:])


def ignores_range(handler, start):
    good(handler, 0)


def without_length(handler, start):
    head(handler, start, None)
    handler.wfile.write(CONTENT[start:])


def slow(handler, start):
    """Comes in small pieces, each of them in time."""
    head(handler, start, len(CONTENT) - start)
    for place in range(start, len(CONTENT), 16_000):
        handler.wfile.write(CONTENT[place : place + 16_000])
        handler.stopping.wait(0.02)


def breaks_off(handler, start):
    """100,000 bytes, and that was it."""
    head(handler, start, len(CONTENT) - start)
    handler.wfile.write(CONTENT[start : start + 100_000])


def falls_silent(handler, start):
    """100,000 bytes, and then nothing, with the connection open."""
    breaks_off(handler, start)
    handler.wfile.flush()
    handler.stopping.wait(60)


def wrong_bytes(handler, start):
    head(handler, start, len(CONTENT) - start)
    handler.wfile.write(b"x" * (len(CONTENT) - start))


def another_page(handler, start):
    """What a hotel's network says to every address."""
    page = b"<html>Please log in</html>"
    head(handler, 0, len(page))
    handler.wfile.write(page)


def wrong_part(handler, start):
    """Whatever is asked for, the part from byte 1000 on."""
    head(handler, 1000 if start else 0, len(CONTENT) - (1000 if start else 0))
    handler.wfile.write(CONTENT[1000 if start else 0 :])


def status(code):
    def answer(handler, start):
        handler.send_error(code)

    return answer
