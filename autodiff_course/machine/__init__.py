"""The machine that the reader of the course builds, and what a lesson runs on.

**How a lesson uses it.** The first cell of lesson 05 is:

    from autodiff_course import machine, yours

    machine.start(5)
    from autodiff_course.machine import Tensor, apply, value

``start(5)`` builds the machine as it is when lesson 05 begins: the reader's own pieces from
``mine/engine.py`` where they are there and still right, and the reference's elsewhere; and it prints one
line about it. So any lesson can be opened first, a restarted kernel only runs its first cell again, and a
fresh clone (nbval, or a reader who only reads) runs on the reference alone. The number is needed because an
early lesson must not meet what a later one repairs. The names are imported in so many words, for three
reasons: the reader sees which parts a lesson uses; a piece is tried in the notebook before it is handed
over, so it needs them; and programs that check notebooks know them. ``from autodiff_course.machine import
*`` takes all that the machine has at this moment, and ``machine.Tensor`` one of them. Then a piece is handed
over as an exercise is:

    def order(end):
        return None

    order = yours("05 order", order)

All names belong to one namespace per kernel, so what ``yours`` returns is what the rest of the machine calls.
An imported name is a copy, as everywhere in Python; that is why the result of ``yours`` is assigned. Rows of
a table are handed over as a dict, ``RULES |= yours("03 mul", {"mul": (..., ...)})``, and land in the same
table that the machine uses. What a lesson gives, and the reader does not write, comes with
``machine.give("03 RULES")``, which runs it in the machine and shows it. The parts and their checks are in
``reference/``, one module per lesson.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from ..place import folder
from ..source import Source
from . import store
from .live import MACHINE
from .plan import Piece, active, after_lesson, assembled, code_lines, parts
from .trying import built


def start(lesson: int | None = None) -> None:
    """Build the machine as it is when a lesson begins, and say how much of it is yours.

    Without a number it is the whole machine, as it is after the course.

    Raises
    ------
    ValueError
        If ``lesson`` is no number from 1 on.

    Example
    -------
    >>> from autodiff_course import machine
    >>> machine.start(3)
    Your machine: none of its 4 pieces is yours yet; the reference stands in for them.
    >>> a = machine.Tensor(2)
    >>> (a + 2) * (a * 3 + 4)
    40
    """
    MACHINE.start(lesson)


def give(name: str, folded: str = "") -> Source:
    """Put a text that a lesson gives into the machine, and show it.

    It is for what the reader does not write: ``machine.give("03 RULES")``. If the machine has it already,
    it is shown, and nothing changes. With ``folded`` the code is folded under this line.

    Raises
    ------
    ValueError
        If there is no given text of that name.

    Example
    -------
    >>> from autodiff_course import machine
    >>> machine.start(17)
    Your machine: none of its 33 pieces is yours yet; the reference stands in for them.
    >>> machine.give("17 LINEAR")
    LINEAR = {"matmul", "transpose", "sum", "broadcast_to", "reshape", "getitem", "put"}
    """
    return Source(MACHINE.give(name).code, folded or None)


def after(lesson: int) -> ModuleType:
    """The reference's machine as it is after a lesson, as a module made anew: for checks, plots and tests.

    Example
    -------
    >>> from autodiff_course import machine
    >>> engine = machine.after(4)
    >>> a = engine.Tensor(2)
    >>> engine.backward((a + 2) * (a * 3 + 4))
    >>> a.grad
    22
    """
    module = ModuleType("machine")
    built(after_lesson(lesson), {}, names=vars(module))
    return module


def text(*names: str, folded: bool | str = False) -> Source:
    """Your file as it is now, or some of what the machine holds, to be shown in a notebook.

    Parameters
    ----------
    names
        Functions, classes, tables or parts: "order", "Tensor", "RULES", "05 order". What you have written is
        shown as you wrote it, everything else as the reference has it. Without names it is your whole file;
        if there is none yet, the reference up to where the notebook's machine has come.
    folded
        True folds the code under a line to click on; a string is the text of that line.

    Raises
    ------
    ValueError
        If the machine has nothing of that name yet.

    Example
    -------
    >>> from autodiff_course import machine
    >>> print(machine.text().code.splitlines()[0])
    \"\"\"My machine: it records how a number was made, and walks back for the gradients.
    >>> machine.start(4)
    Your machine: none of its 6 pieces is yours yet; the reference stands in for them.
    >>> machine.text("RULES")
    RULES = {
        None: (),  # a leaf has no creators
        "add": (lambda grad, z, x, y: grad, lambda grad, z, x, y: grad),
    }
    <BLANKLINE>
    <BLANKLINE>
    RULES |= {
        "mul": (lambda grad, z, x, y: grad * y, lambda grad, z, x, y: grad * x),
    }
    """
    summary = "The code, to unfold" if folded is True else folded or None
    if names:
        return Source("\n\n\n".join(code for name in names for code in MACHINE.code_of(name)), summary)
    file = path()
    whole = file.read_text(encoding="utf-8") if file.exists() else assembled(stage())
    return Source(whole, summary)


def write(to: str | Path) -> Path:
    """Write the machine that the notebook runs on as engine.py into a folder, and return where it is.

    It holds your pieces and, where they are not right yet, the reference's, and needs NumPy alone.

    Example
    -------
    >>> import tempfile
    >>> from autodiff_course import machine
    >>> machine.start(4)
    Your machine: none of its 6 pieces is yours yet; the reference stands in for them.
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(machine.write(folder).read_text().count("def "))
    9
    """
    if MACHINE.names is None:
        MACHINE.open(len(parts()))
    file = Path(to) / "engine.py"
    file.write_text(assembled(MACHINE.stop, MACHINE.own), encoding="utf-8")
    return file


def path() -> Path:
    """Where your file is, or will be."""
    return folder() / "engine.py"


def lines() -> tuple[int, int]:
    """How many lines of code of the machine are in pieces that you wrote, and how many it has.

    The machine is the notebook's, as far as it has come. Comments, blank lines and docstrings are not
    counted, and neither are pieces that a later lesson has replaced.

    Example
    -------
    >>> from autodiff_course import machine
    >>> machine.start(25)
    Your machine: none of its 48 pieces is yours yet; the reference stands in for them.
    >>> machine.lines()
    (0, 306)
    """
    own, stop = store.load().own, stage()
    mine = [own[part.name] for part in active(stop) if isinstance(part, Piece) and part.name in own]
    return sum(len(code_lines(code)) for code in mine), len(code_lines(assembled(stop, own)))


def stage() -> int:
    """How many parts the notebook's machine has; all of them before it is started."""
    return len(parts()) if MACHINE.names is None else MACHINE.stop


def __getattr__(name: str) -> Any:
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if MACHINE.names is None:
        MACHINE.start()
    names = MACHINE.names or {}
    public = [known for known in names if not known.startswith("_") and known not in ("math", "np")]
    if name == "__all__":
        return public
    if name not in public:
        lesson = next((part.name[:2] for part in parts() if name in part.all_made), "")
        later = f"; it comes in lesson {lesson}" if lesson else ""
        raise AttributeError(f"your machine has no {name} here{later}")
    return names[name]


def __dir__() -> list[str]:
    return sorted([*globals(), *(MACHINE.names or {})])
