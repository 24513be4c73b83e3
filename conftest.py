"""How pytest runs the notebooks: nbval compares the text of every cell.

That a stored picture belongs to its text is proved without a kernel, in tests/notebooks.
Unit tests have their own settings in tests/conftest.py.
"""

from __future__ import annotations

import gc
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent

# nbval compares every kind of output except bitmaps. Of these, pictures differ between versions of Graphviz,
# Mermaid is seen only where no layout engine is installed, and warnings differ between versions of NumPy.
NOT_COMPARED = ("image/svg+xml", "text/html", "text/vnd.mermaid", "stderr")


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "four times as many examples in property tests, and the tests that take seconds each"
    parser.addoption("--thorough", action="store_true", help=words)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that take seconds each, unless the run is to be thorough."""
    if not config.getoption("--thorough"):
        slow = pytest.mark.skip(reason="it takes seconds: run with --thorough")
        for item in items:
            if item.get_closest_marker("thorough"):
                item.add_marker(slow)


def pytest_collection_finish() -> None:
    """Take what is there by now out of Python's search for cycles. Through 30,000 collected tests it takes
    most of a second, and tests of memory search often."""
    gc.collect()
    gc.freeze()


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Have nbval leave pictures and stderr alone. It has no option for that."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += NOT_COMPARED


def pytest_configure(config: pytest.Config) -> None:
    """Let cells run as they do in JupyterLab, on this checkout, and with nobody's own IPython settings."""
    from nbval.kernel import RunningKernel

    def execute_cell_input(self: Any, cell_input: str, allow_stdin: bool | None = None) -> str:
        return self.kc.execute(cell_input, store_history=True, allow_stdin=allow_stdin, stop_on_error=False)

    settings = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    config.add_cleanup(settings.cleanup)
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    # nbval runs cells without history, and then IPython does not see the `;` that silences a cell's value.
    patch.setattr(RunningKernel, "execute_cell_input", execute_cell_input)
    # Kernels inherit the environment; a fixture would come too late, since a notebook's cells ask for none.
    patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])))
    patch.setenv("IPYTHONDIR", settings.name)
    # A reader's own file must not change what the lessons print, and no test may write into it.
    patch.setenv("AUTODIFF_MINE", str(Path(settings.name) / "mine"))
    patch.delenv("MPLBACKEND", raising=False)  # set, it would keep the plots out of the notebook
