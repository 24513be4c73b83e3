"""Build the site: `python docs/build.py [folder] [--pyodide FOLDER]`, by default into build/site.

It needs what `pip install -e ".[site]"` installs; pip builds and fetches three wheels of pure Python. The
pages are made by Sphinx, whose warnings are errors. `lab/` in the folder is JupyterLite with the lessons and
these wheels: it runs in the reader's browser, and takes Pyodide and NumPy from the internet there. With
`--pyodide` they are taken from a folder, which is Pyodide's distribution (or its core, and the wheels of its
packages beside it), and the site needs no internet at all.

AUTODIFF_SITE is the address that the site will have, with a slash at its end. The page for a wrong address
needs it if the site is not at the root of its host, and so does the picture of a link that somebody shares.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS))

from site_pages import laboratory  # noqa: E402
from site_pages.head import from_root  # noqa: E402
from site_pages.laboratory import run  # noqa: E402


def main(folder: Path, pyodide: Path | None) -> None:
    """Build the pages, the browser's laboratory and the poster."""
    with tempfile.TemporaryDirectory() as place:
        trees = ["-d", str(Path(place) / "trees")]
        run("-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", *trees, str(DOCS), str(folder))
        run(str(DOCS / "site_pages" / "poster.py"), str(folder / "_static"))
        for name in ("digits", "names"):
            piece = DOCS / "site_pages" / "showpieces" / f"{name}.py"
            run(str(piece), str(folder / "_static" / f"{name}.html"))
        laboratory.build(Path(place) / "lab", folder / "lab", pyodide)
    from_root(folder, os.environ.get("AUTODIFF_SITE", ""))
    for source_map in folder.rglob("*.map"):  # of the scripts: 50 MB that nobody reads
        source_map.unlink()
    sys.stdout.write(f"{folder / 'index.html'}\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build the site.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site")
    parser.add_argument(
        "--pyodide", type=Path, help="a folder with Pyodide: then the laboratory needs no internet"
    )
    given = parser.parse_args()
    if given.pyodide and not (given.pyodide / "pyodide-lock.json").is_file():
        parser.error(f"{given.pyodide} holds no Pyodide: there is no pyodide-lock.json in it")
    main(given.folder.resolve(), given.pyodide and given.pyodide.resolve())
