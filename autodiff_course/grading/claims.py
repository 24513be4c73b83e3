"""What a student's two processes report, read with care: the first may say anything, in any form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..checking import NOT_YET, RIGHT, WRONG, exercises_of
from ..machine.plan import lessons, pieces
from .handed_in import MOST

NOT_CONFIRMED = "not confirmed"
ANSWERS = 20
"""How many answers to one exercise are judged again."""
TEXTS = ("piece", "exercise", "status", "message", "note")
NOT_REACHED = "the second process did not come to it"


Verdicts = Iterator[tuple[str, str, str, str]]


class Claims:
    """What the process that ran the notebooks says: for each piece and exercise the status and the message,
    the answers that it calls right, and the machine's files as they were left."""

    def __init__(self, output: bytes = b"") -> None:
        self.pieces: dict[str, str] = {}
        self.exercises: dict[str, str] = {}
        self.messages: dict[str, str] = {}
        self.answers: dict[str, list[Any]] = {}
        self.kept: dict[str, str] = {}
        rows = {"piece": (self.pieces, set(pieces())), "exercise": (self.exercises, all_exercises())}
        for said in lines(output):
            for kind, (row, names) in rows.items():
                if said.get(kind) in names and said.get("status") in (RIGHT, WRONG, NOT_YET):
                    self.note(row, said[kind], said)
            self.keep(said.get("kept"))

    def note(self, row: dict[str, str], name: str, said: dict[str, Any]) -> None:
        """Note what was said of a piece or an exercise. What was right once stays right."""
        if said["status"] == RIGHT and row is self.exercises:
            answers = self.answers.setdefault(name, [])
            if "answer" in said and len(answers) < ANSWERS:
                answers.append(said["answer"])
        if row.get(name) != RIGHT:
            row[name] = said["status"]
            self.messages.pop(name, None)
            if said["status"] == WRONG:
                self.messages[name] = str(said.get("message"))

    def keep(self, files: Any) -> None:
        """Take the texts of the machine's files."""
        if isinstance(files, dict):
            texts = {name: files[name] for name in MOST if isinstance(files.get(name), str)}
            whole = {name: text.encode("utf-8", "replace").decode() for name, text in texts.items()}
            self.kept = {name: text for name, text in whole.items() if len(text) <= MOST[name]}


def all_exercises() -> set[str]:
    """The names of all exercises."""
    return {name for number, _, _ in lessons() for name in exercises_of(number)}


def lines(output: bytes) -> Iterator[dict[str, Any]]:
    """The dicts in lines of JSON; everything else is left out."""
    for line in output.split(b"\n"):
        try:
            found = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and all(isinstance(found.get(key, ""), str) for key in TEXTS):
            yield found


def verdicts(claims: Claims, output: bytes) -> Verdicts:
    """The kind ("piece" or "exercise"), the name, the status and the message of everything, where only that
    is right which the second process, whose output this is, has found right too."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for kind, row in (("piece", claims.pieces), ("exercise", claims.exercises)):
        for name, status in row.items():
            claimed = (status, claims.messages.get(name, ""))
            found[kind, name] = claimed if status != RIGHT else (NOT_CONFIRMED, NOT_REACHED)
    for said in lines(output):
        for kind in ("piece", "exercise"):
            if kind in said and "status" in said:
                found[kind, said[kind]] = said["status"], said.get("message", "")
    for (kind, name), (status, message) in found.items():
        yield kind, name, status, message


def notes(output: bytes) -> list[str]:
    """What the second process says of the machine's file as a whole."""
    return [said["note"] for said in lines(output) if "note" in said]
