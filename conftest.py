"""How pytest runs the notebooks: nbval compares the text of every cell.

That a stored picture belongs to its text is proved without a kernel, in tests/notebooks.
Unit tests have their own settings in tests/conftest.py.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent

# On small matrices threads cost more than they give: a lesson that trains a network keeps two processors busy
# six times as long. NumPy reads this when it is imported, and kernels inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# nbval is loaded here, where jsonschema, which it imports, can be kept from building the grammar of web
# addresses: that takes 1.4 seconds, longer than all else of a start, and no notebook's schema asks for one.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
import jsonschema  # noqa: E402, F401

del sys.modules["rfc3987_syntax"]
pytest_plugins = ["nbval.plugin"]

# nbval compares every kind of output except bitmaps. Of these, pictures differ between versions of Graphviz,
# Mermaid is seen only where no layout engine is installed, and warnings differ between versions of NumPy.
NOT_COMPARED = ("image/svg+xml", "text/html", "text/vnd.mermaid", "stderr")


class Kernels:
    """Starts the kernel of the next notebook while one is running: a start takes more than a second, and
    leaves a processor idle."""

    folders: Sequence[str] = ()
    """The folder of each notebook that is still to run, in their order."""

    begun: Any = None
    """The folder of the next notebook, and the manager and the client of its kernel."""

    def start(self, startup_timeout: float, kernel_name: str, stderr: Any, cwd: str) -> tuple[Any, Any]:
        """Do what nbval's ``start_new_kernel`` does, and begin with the next one."""
        stderr.close()  # of os.devnull; a kernel of an earlier call does not write there
        if self.begun is None or self.begun[0] != cwd:
            self.stop()
            self.begin(kernel_name, cwd)
        _, manager, client = self.begun
        client.wait_for_ready(timeout=startup_timeout)
        self.begun = None
        self.folders = self.folders[1:]
        if self.folders:
            self.begin(kernel_name, self.folders[0])
        return manager, client

    def begin(self, kernel_name: str, cwd: str) -> None:
        """Start a process; nobody waits until it is ready."""
        from jupyter_client.manager import KernelManager
        from nbval.kernel import NbvalKernelspecManager

        manager = KernelManager(kernel_name=kernel_name, kernel_spec_manager=NbvalKernelspecManager())
        manager.start_kernel(stderr=subprocess.DEVNULL, cwd=cwd)
        client = manager.client()
        client.start_channels()
        self.begun = cwd, manager, client

    def stop(self) -> None:
        """End the kernel that nobody needs, or that did not get ready."""
        if self.begun is not None:
            _, manager, client = self.begun
            client.stop_channels()
            manager.shutdown_kernel(now=True)
            self.begun = None


KERNELS = pytest.StashKey[Kernels]()


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "four times as many examples in property tests, and the tests that take seconds each"
    parser.addoption("--thorough", action="store_true", help=words)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Share the whole suite out between processes. For anything less, starting them and collecting in each
    takes longer than it saves, and a debugger and a test's own output want one process."""
    is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    return min(os.cpu_count() or 1, 4) if is_whole and not config.getoption("keyword") else 0


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out files one by one, as ``--dist=loadfile`` does. Xdist's own way goes through all tests that a
    process has had after each, and looks for each among all."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # in the order of testpaths; a notebook is long and has few tests

    class Files(LoadFileScheduling):
        places: dict[str, int] | None = None

        def _assign_work_unit(self, node: Any) -> None:
            file, tests = self.workqueue.popitem(last=False)
            self.assigned_work[node][file] = tests
            if self.places is None:
                self.places = {test: place for place, test in enumerate(self.collection)}
            node.send_runtest_some([self.places[test] for test in tests])

        def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
            test = self.collection[item_index]
            file, files = self._split_scope(test), self.assigned_work[node]
            del files[file][test]
            if not files[file]:
                del files[file]
            self._reschedule(node)

    return Files(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that take seconds each, unless the run is to be thorough."""
    if not config.getoption("--thorough"):
        slow = pytest.mark.skip(reason="it takes seconds: run with --thorough")
        for item in items:
            if item.get_closest_marker("thorough"):
                item.add_marker(slow)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let no example of a docstring see the static graph of another: it would find other names there."""
    if isinstance(item, pytest.DoctestItem):
        from autodiff import static

        static.reset_default_graph()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Take what is there by now out of Python's search for cycles. Through 30,000 collected tests it takes
    most of a second, and tests of memory search often."""
    notebooks = dict.fromkeys(item.path for item in session.items if item.path.suffix == ".ipynb")
    session.config.stash[KERNELS].folders = [str(path.parent) for path in notebooks]
    gc.collect()
    gc.freeze()


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Have nbval leave pictures and stderr alone. It has no option for that."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += NOT_COMPARED


def pytest_configure(config: pytest.Config) -> None:
    """Let cells run as they do in JupyterLab, on this checkout, and with nobody's own IPython settings."""
    import nbval.kernel
    from nbval.kernel import RunningKernel

    kernels = config.stash[KERNELS] = Kernels()
    config.add_cleanup(kernels.stop)

    def execute_cell_input(self: Any, cell_input: str, allow_stdin: bool | None = None) -> str:
        return self.kc.execute(cell_input, store_history=True, allow_stdin=allow_stdin, stop_on_error=False)

    settings = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    config.add_cleanup(settings.cleanup)
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    patch.setattr(nbval.kernel, "start_new_kernel", kernels.start)
    # nbval runs cells without history, and then IPython does not see the `;` that silences a cell's value.
    patch.setattr(RunningKernel, "execute_cell_input", execute_cell_input)
    # Kernels inherit the environment; a fixture would come too late, since a notebook's cells ask for none.
    patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])))
    patch.setenv("IPYTHONDIR", settings.name)
    # A reader's own file must not change what the lessons print, and no test may write into it.
    patch.setenv("AUTODIFF_MINE", str(Path(settings.name) / "mine"))
    patch.delenv("MPLBACKEND", raising=False)  # set, it would keep the plots out of the notebook
