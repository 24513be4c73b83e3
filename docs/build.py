"""Build the site: `python docs/build.py [folder]`, by default into build/site.

It needs what `pip install -e ".[site]"` installs, and takes nothing from the internet. The pages are made by
Sphinx, whose warnings are errors. `lab/` in the folder is JupyterLite with the lessons and the wheel of this
package: it runs in the reader's browser, and takes Pyodide and NumPy from the internet there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
FIRST = "# Only in the browser: what the lesson needs.\n%pip install -q autodiff matplotlib scikit-learn"

WELCOME = """\
# autodiff, in your browser

Open `01_a_number_that_remembers.ipynb` and run it cell by cell. Nothing is installed: Python
runs in this page. The first cell takes it from the internet, which may take a minute.

What you write stays in this browser. To keep it, download the notebook, and `mine/engine.py`, which is the
machine that you build.
"""


def main(folder: Path) -> None:
    """Build the pages, the browser's laboratory and the poster."""
    (DOCS / "_static" / "walk.svg").write_bytes((ROOT / "notebooks" / "walk.svg").read_bytes())
    run(str(DOCS / "site_pages" / "walk.py"), str(DOCS / "_static" / "walk_narrow.svg"))
    run("-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(DOCS), str(folder))
    run(str(DOCS / "site_pages" / "poster.py"), str(folder / "_static"))
    with tempfile.TemporaryDirectory() as place:
        build_lab(Path(place), folder / "lab")
    sys.stdout.write(f"{folder / 'index.html'}\n")


def build_lab(place: Path, folder: Path) -> None:
    """Build JupyterLite with the lessons and the wheels of this package and of graphviz, both pure Python."""
    run("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(place), str(ROOT))
    lessons, notebooks = place / "lessons", ROOT / "notebooks"
    (lessons / "solutions").mkdir(parents=True)
    for path in sorted([*notebooks.glob("*.ipynb"), *notebooks.glob("solutions/*.ipynb")]):
        notebook = nbformat.read(path, as_version=4)
        if path.stem[:2].isdigit():
            notebook.cells.insert(0, nbformat.v4.new_code_cell(FIRST, id="install"))
        nbformat.write(notebook, lessons / path.relative_to(notebooks))
    (lessons / "README.md").write_text(WELCOME, encoding="utf-8")
    wheel = next(place.glob("autodiff-*-none-any.whl"))
    settings = {
        "PipliteAddon": {"piplite_urls": [str(wheel)]},
        "LiteBuildConfig": {"contents": [str(lessons)]},
    }
    name = {"jupyter-lite-schema-version": 0, "jupyter-config-data": {"appName": "autodiff"}}
    (place / "jupyter-lite.json").write_text(json.dumps(name), encoding="utf-8")
    (place / "jupyter_lite_config.json").write_text(json.dumps(settings), encoding="utf-8")
    places = ["--lite-dir", str(place), "--output-dir", str(folder)]
    run("-m", "jupyter", "lite", "build", *places, "--log-level", "ERROR")


def run(*words: str) -> None:
    """Run this Python, and stop with its exit status if it fails."""
    done = subprocess.run([sys.executable, *words], cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site").resolve())
