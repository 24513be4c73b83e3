"""Execute the course's notebooks, and say which of them are not kept well.

    python notebooks/execute.py                  run all notebooks, solutions too, and write their outputs
    python notebooks/execute.py 03 solutions/03  run these only (the beginning of a name is enough)
    python notebooks/execute.py --check          run, write nothing, name those whose stored text is stale
    python notebooks/execute.py --tidy           run nothing, normalise: after editing prose in JupyterLab

A notebook is its own source and keeps its outputs, so that it can be read with nothing run. This script alone
writes them: top to bottom in a fresh kernel of this Python, importing this checkout of `autodiff`. Then it
normalises what differs from machine to machine, and stamps each code cell with a hash of its source and its
outputs. `faults` is what can be said about a stored notebook without a kernel; the tests ask it about every
notebook, and let nbval run the cells and compare their text.
"""

from __future__ import annotations

import argparse
import base64
import copy
import hashlib
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).resolve().parent
ROOT = NOTEBOOKS.parent

CELL_SECONDS = 60  # a cell that takes longer is stopped
LESSON_SECONDS = 60  # a lesson that takes longer loses its class
OUTPUT_KIB = 256  # a larger output makes the page slow to open
NOTEBOOK_KIB = 2048  # a larger notebook is not shown by GitHub

METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "pygments_lexer": "ipython3"},
}
CELL_METADATA = {"tags", "jupyter", "editable", "deletable", "stamp"}
NBVAL_TAGS = {"nbval-ignore-output", "nbval-check-output", "nbval-skip", "raises-exception"}

# Outputs that are pictures, or may differ between machines: they are stored, and not compared.
NOT_COMPARED = {"image/png", "image/jpeg", "image/svg+xml", "text/html", "text/vnd.mermaid", "stderr"}

ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{4,}")
LOCAL_PATH = re.compile(
    r"(?<![\w.:/~-])(?:~|/(?:home|Users|root|tmp|private|usr|opt|var|mnt|work|workspace|content))/\w"
    r"|\b[A-Za-z]:\\\w|file:///"
)
TIMING = re.compile(r"\bWall time:|\bCPU times:|\d it/s\b|\d [mµun]?s ± ")
PICTURE = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
DESCRIPTION = re.compile(r"<desc>autodiff(?:-plot)?:([0-9a-f]*)</desc>")
DRAWN = re.compile(r"<desc>autodiff:")
ALT = re.compile(r'<img [^>]*?alt="([^"]*)"')
STILL = "image/svg+xml"  # the picture for pages that show no HTML, or strip the pictures in it

# JupyterLab shows the first line of a folded output, which may be the answer to a question. This output comes
# first, and its line is empty.
COVER = {"output_type": "display_data", "data": {"text/html": " "}, "metadata": {}}


def notebooks(names: list[str] | None = None, folder: Path = NOTEBOOKS) -> list[Path]:
    """The lessons in `folder` and their solutions, sorted; or those that `names` picks.

    A name is the beginning of a notebook's path below the folder (`03`, `solutions/03`), or a path to a file.
    Raises FileNotFoundError, with the names there are, for a name that picks nothing.
    """
    found = sorted([*folder.glob("*.ipynb"), *folder.glob("solutions/*.ipynb")])
    if not names:
        return found
    chosen: list[Path] = []
    for name in names:
        begins = [path for path in found if path.relative_to(folder).as_posix().startswith(name)]
        if not begins and Path(name).is_file():
            begins = [Path(name).resolve()]
        if not begins:
            known = [path.relative_to(folder).with_suffix("").as_posix() for path in found] or ["none yet"]
            raise FileNotFoundError(
                f"no notebook begins with {name!r}; the notebooks are: {', '.join(known)}"
            )
        chosen += [path for path in begins if path not in chosen]
    return chosen


# --- a stored notebook ----------------------------------------------------------------------------


def code_cells(nb: Any) -> Iterator[tuple[str, Any]]:
    """Pairs of a code cell's place, as a message names it, and the cell; blank cells are left out."""
    for i, cell in enumerate(nb.cells, start=1):
        if cell.cell_type == "code" and cell.source.strip():
            yield f"cell {i} ({cell.source.strip().splitlines()[0][:50]})", cell


def texts(outputs: list[Any]) -> list[tuple[str, str]]:
    """What nbval compares of a cell's outputs: pairs of kind and text, streams merged."""
    kinds: list[tuple[str, str]] = []
    streams: dict[str, str] = {}
    for output in outputs:
        if output.output_type == "stream":
            streams[output.name] = streams.get(output.name, "") + output.text
        elif output.output_type == "error":
            kinds.append(("error", f"{output.ename}: {output.evalue}"))
        else:
            kinds += [(kind, str(value)) for kind, value in output.data.items()]
    return sorted((kind, text) for kind, text in [*kinds, *streams.items()] if kind not in NOT_COMPARED)


def stamp(cell: Any) -> str:
    """A hash of a code cell's source and outputs: what was run, and what came of it.

    >>> from nbformat.v4 import new_code_cell
    >>> stamp(new_code_cell("1 + 1")) == stamp(new_code_cell("1 + 2"))
    False
    """
    kept = [output for output in cell.outputs if output != COVER]
    outputs = [{k: v for k, v in output.items() if k != "execution_count"} for output in kept]
    return hashlib.sha256(json.dumps([cell.source, outputs], sort_keys=True).encode()).hexdigest()[:12]


def normalise(nb: Any) -> Any:
    """Make a notebook, in place, the same from every machine; its source and outputs stay. Returns it.

    Metadata becomes that of any Python 3, cell ids come from the cells' text, and timings, widget states and
    the marks of editors go. Tracebacks lose the folder of this checkout. Folded outputs get their cover.
    """
    nb.metadata = type(nb.metadata)(json.loads(json.dumps(METADATA)))
    nb.nbformat, nb.nbformat_minor = 4, 5
    seen: dict[str, int] = {}
    for cell in nb.cells:
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
        for key in set(cell.metadata) - CELL_METADATA:
            del cell.metadata[key]
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                output.traceback = [without_checkout(line) for line in output.traceback]
        if cell.get("outputs"):
            cover = [type(nb.metadata)(COVER)] if is_folded(cell) else []
            cell.outputs = cover + [output for output in cell.outputs if output != COVER]
    return nb


def is_folded(cell: Any) -> bool:
    """Whether a code cell's output is hidden until somebody opens it."""
    return bool(cell.metadata.get("jupyter", {}).get("outputs_hidden"))


def without_checkout(text: str) -> str:
    """The text with paths in this checkout made relative to it, also where IPython wrote `~` for the home."""
    text = text.replace(f"{ROOT}{os.sep}", "")
    if ROOT.is_relative_to(Path.home()):
        text = text.replace(f"~{os.sep}{ROOT.relative_to(Path.home())}{os.sep}", "")
    return text


def pictures(output: Any) -> list[str]:
    """The SVG texts of a drawn graph or a plot in an output's HTML, an empty list when it has none."""
    coded = PICTURE.findall(output.get("data", {}).get("text/html", ""))
    return [base64.b64decode(c).decode("utf-8", "replace") for c in coded]


def is_drawing(output: Any) -> bool:
    """Whether an output is a drawn graph or a film, its pictures there or not: its metadata says so, its
    text begins with a header of a film, or a picture of it was drawn here."""
    from autodiff.draw.filming.story import HEADERS

    if "autodiff" in output.get("metadata", {}):
        return True
    begins = output.get("data", {}).get("text/plain", "").partition("\n")[0].split()
    known = (" ".join(header).split() for header in HEADERS.values())
    return begins in known or any(DRAWN.search(svg) for svg in pictures(output))


def drawing_faults(output: Any) -> Iterator[str]:
    """What is wrong with a drawn graph: no picture, or one that does not belong to the text beside it."""
    from autodiff.draw import fingerprint

    svgs = pictures(output)
    if not svgs:
        yield "the drawn graph has no picture: is a layout engine (autodiff[draw]) installed?"
    elif STILL not in output.data:
        yield f"the picture is only in the HTML: a page that strips it needs {STILL} beside it"
    svgs += [output.data[STILL]] if STILL in output.data else []
    marks = {DESCRIPTION.findall(svg)[0] if DESCRIPTION.search(svg) else "" for svg in svgs}
    if svgs and marks != {fingerprint(output.data.get("text/plain", ""))}:
        yield "the picture is stale: it was not drawn from the text stored with it"


def is_plot(output: Any) -> bool:
    """Whether an output is a plot of the lessons: its metadata says so."""
    return "autodiff-plot" in output.get("metadata", {})


def picture_faults(output: Any) -> Iterator[str]:
    """Which pictures of an output say nothing to readers who cannot see them."""
    data = output.data
    if any(not alt.strip() for alt in ALT.findall(data.get("text/html", ""))):
        yield "a picture has no words for readers who cannot see it (alt)"
    for kind in ("image/png", "image/jpeg"):
        if kind in data and not output.metadata.get(kind, {}).get("alt"):
            yield f"an {kind} has no words for readers who cannot see it: show it by autodiff_course.plots"


def output_faults(cell: Any, output: Any) -> Iterator[str]:
    """What is wrong with one output of a cell."""
    if output.output_type == "stream":
        if output.name == "stderr":
            yield f"something was written to stderr: {output.text.strip()[:100]!r}"
        shown = output.text
    elif output.output_type == "error":
        if "raises-exception" not in cell.metadata.get("tags", []):
            yield f"it raised {output.ename}: {output.evalue[:100]} (meant? tag the cell raises-exception)"
        shown = "\n".join([output.evalue, *output.traceback])
    else:
        data = output.data
        page = PICTURE.sub("", html.unescape(data.get("text/html", "")))
        shown = "\n".join([data.get("text/plain", ""), page])
        if is_drawing(output) or is_plot(output):
            yield from drawing_faults(output)
        yield from picture_faults(output)
        if output.output_type == "execute_result" and output.execution_count != cell.execution_count:
            yield "its result carries another execution count than the cell"
    for what, pattern in (
        ("an address", ADDRESS),
        ("a path of one machine", LOCAL_PATH),
        ("a timing", TIMING),
    ):
        if match := pattern.search(shown):
            yield f"its output holds {what}: {shown[max(0, match.start() - 20) : match.end() + 20]!r}"
    size = len(json.dumps(output)) / 1024
    if size > OUTPUT_KIB:
        yield f"an output is {size:.0f} KiB; the most is {OUTPUT_KIB}"


def metadata_faults(nb: Any) -> Iterator[str]:
    """Where a notebook is not as `normalise` leaves it; ids may be older than the prose they came from."""
    if nb.metadata != METADATA or (nb.nbformat, nb.nbformat_minor) != (4, 5):
        yield "its metadata is not normalised"
    ids = [cell.get("id") for cell in nb.cells]
    if len(set(ids)) < len(ids):
        yield "two of its cells have the same id"
    for i, cell in enumerate(nb.cells, start=1):
        if not re.fullmatch(r"[0-9a-f]{8}(-\d+)?", cell.get("id", "")):
            yield f"cell {i} has the id {cell.get('id')!r}, which no normalising gave it"
        if extra := set(cell.metadata) - CELL_METADATA:
            yield f"cell {i} carries metadata that is not kept: {', '.join(sorted(extra))}"
        for tag in cell.metadata.get("tags", []):
            if tag.startswith(("nbval", "raises")) and tag not in NBVAL_TAGS:
                yield f"cell {i} has the tag {tag!r}, which nbval does not know"


def faults(nb: Any) -> list[str]:
    """All that is wrong with a stored notebook, as far as it shows without running it.

    It must be valid, normalised, run once from top to bottom, and not edited since; its outputs must hold no
    errors, warnings, addresses, paths or timings; each drawn graph must have the picture of its own text.
    When all is well, the list is empty.

    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> nb = normalise(new_notebook(cells=[new_code_cell("1 + 1")]))
    >>> faults(nb)
    ['cell 1 (1 + 1): it was not run']
    """
    import nbformat

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # validate repairs ids, with a warning; the copy is thrown away
            nbformat.validate(copy.deepcopy(nb))
    except nbformat.ValidationError as error:
        return [f"it is not a valid notebook: {error}"]
    found = list(metadata_faults(nb))
    for count, (place, cell) in enumerate(code_cells(nb), start=1):
        if cell.execution_count is None:
            found.append(f"{place}: it was not run")
            continue
        if cell.execution_count != count:
            found.append(
                f"{place}: it was run as number {cell.execution_count}, and stands as number {count}"
            )
        if cell.metadata.get("stamp") != stamp(cell):
            found.append(f"{place}: its source or its output was changed since it was run")
        if is_folded(cell) and cell.outputs and cell.outputs[0] != COVER:
            found.append(f"{place}: JupyterLab shows a line of its folded output: run --tidy")
        found += [f"{place}: {fault}" for output in cell.outputs for fault in output_faults(cell, output)]
    size = len(json.dumps(nb)) / 1024
    if size > NOTEBOOK_KIB:
        found.append(f"it is {size:.0f} KiB large; the most is {NOTEBOOK_KIB}")
    return found


# --- running --------------------------------------------------------------------------------------


def kernel_environment(folder: str, mine: Path | None = None) -> dict[str, str]:
    """The environment of a kernel that runs a lesson: this checkout first, nobody's own settings, and no
    pieces of the reader's machine but those in the folder `mine`."""
    environment = {**os.environ, "IPYTHONDIR": folder, "AUTODIFF_MINE": str(mine or Path(folder) / "mine")}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment.pop("MPLBACKEND", None)  # set, it would keep the plots out of the notebook
    return environment


def execute(nb: Any, folder: Path, mine: Path | None = None) -> Any:
    """Run a notebook's cells in place, from the top, in a fresh kernel of this Python started in `folder`.

    The reader's machine is empty, or what the folder `mine` holds. Returns the notebook, normalised and
    stamped. Raises nbclient's CellExecutionError when a cell fails that is not tagged raises-exception, and
    CellTimeoutError when one takes over a minute.
    """
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    # The kernel called python3 may belong to another environment, so the manager is told which Python to run.
    manager = AsyncKernelManager(kernel_name="python3")
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager._kernel_spec = KernelSpec(argv=command, display_name="Python 3", language="python")
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(
        nb,
        km=manager,
        timeout=CELL_SECONDS,
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
    )
    with tempfile.TemporaryDirectory() as settings:
        # The kernel's own log goes nowhere; what cells write to stderr arrives as their output.
        client.execute(env=kernel_environment(settings, mine), stderr=subprocess.DEVNULL, cleanup_kc=True)
    normalise(nb)
    for _, cell in code_cells(nb):
        cell.metadata["stamp"] = stamp(cell)
    return nb


def stale(stored: Any, fresh: Any) -> list[str]:
    """The places of the cells whose stored text differs from the text of a fresh run."""
    pairs = zip(code_cells(stored), code_cells(fresh), strict=True)
    return [place for (place, old), (_, new) in pairs if texts(old.outputs) != texts(new.outputs)]


def work_on(path: Path, *, check: bool, tidy: bool) -> list[str]:
    """Execute, check or tidy one notebook, and return what is wrong with it afterwards."""
    import nbformat
    from nbclient.exceptions import CellExecutionError, CellTimeoutError

    nb = nbformat.read(path, as_version=4)
    if tidy:
        normalise(nb)
    else:
        stored = copy.deepcopy(nb)
        try:
            execute(nb, path.parent)
        except (CellExecutionError, CellTimeoutError) as error:
            return [f"nothing was written, since a cell failed:\n{without_checkout(str(error))}"]
        if check:
            changed = [f"{place}: a fresh run gives another text" for place in stale(stored, nb)]
            return faults(stored) + changed
    path.write_text(nbformat.writes(nb) + "\n", encoding="utf-8", newline="\n")
    return faults(nb)


def main(arguments: list[str] | None = None) -> int:
    """The command line. Returns 0 when every notebook is kept well, 1 otherwise, 2 for an unknown name."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", help="the beginning of a notebook's name (all when none is given)"
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="write nothing, name what is stale")
    mode.add_argument("--tidy", action="store_true", help="run nothing, normalise the metadata")
    options = parser.parse_args(arguments)
    if str(ROOT) not in sys.path:  # Python puts the script's folder there, not the checkout
        sys.path.insert(0, str(ROOT))
    try:
        paths = notebooks(options.names)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    failed = 0
    for path in paths:
        start = time.perf_counter()
        found = work_on(path, check=options.check, tidy=options.tidy)
        seconds = time.perf_counter() - start
        print(f"{path.relative_to(NOTEBOOKS) if path.is_relative_to(NOTEBOOKS) else path}: ", end="")
        print(f"{'not ' if found else ''}kept well ({seconds:.1f} s)")
        if seconds > LESSON_SECONDS:
            print(f"  this is slow: a lesson should run in under {LESSON_SECONDS} s")
        for fault in found:
            print("  -", fault)
        failed += bool(found)
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
