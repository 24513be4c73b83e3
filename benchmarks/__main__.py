"""The command: ``python -m benchmarks`` prints the table, ``--write`` puts it into README.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from .accuracy import CELLS, COLUMNS
from .measure import Row, installed, shown
from .peers import PEERS

HERE = Path(__file__).parent
README = HERE / "README.md"
BEGIN, END = "<!-- table: python -m benchmarks --write -->", "<!-- end of table -->"
APART = {
    name: f"<!-- table: python -m benchmarks {name} --write -->"
    for name in ("compiled", "ablation", "projects", "accuracy", "live")
}
"""The workloads that have a table of their own, and where it begins."""

KEPT = {"MALLOC_TRIM_THRESHOLD_": str(2**32), "MALLOC_MMAP_THRESHOLD_": str(2**30)}
"""With these glibc keeps the memory of arrays, for those workloads. Otherwise the system takes it back after
each step and gives it out page by page in the next, or not: that depends on what else lies on the heap."""


def environment(threads: int) -> dict[str, str]:
    """So many threads for NumPy and for PyTorch. They read it when they are imported, so it is set for a
    workload's process."""
    libraries = ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")
    names = ["BENCHMARK_THREADS", *(f"{library}_NUM_THREADS" for library in libraries)]
    return dict.fromkeys(names, str(threads))


ONE_THREAD = environment(1)


def workloads() -> dict[str, Callable[[bool], list[Row]]]:
    """Each by its name. Each runs in a process of its own, in which nothing else has been imported."""
    from . import (
        accuracy,
        array_mlp,
        array_operations,
        attention,
        chain,
        compiled,
        drawing,
        import_time,
        large_arrays,
        live,
        peak_memory,
        pictures,
        projects,
        recurrent,
        scalar_mlp,
    )

    return {
        "micrograd": scalar_mlp.beside_micrograd,
        "torch": scalar_mlp.beside_torch,
        "chain-time": chain.time_per_node,
        "chain-memory": chain.memory_per_node,
        "arrays": array_mlp.measure,
        "operations": array_operations.measure,
        "large": large_arrays.measure,
        "recurrent": recurrent.measure,
        "attention": attention.measure,
        "pictures": pictures.measure,
        "memory": peak_memory.measure,
        "import": import_time.measure,
        "drawing": drawing.measure,
        "compiled": compiled.measure,
        "ablation": compiled.ablation,
        "projects": projects.measure,
        "accuracy": accuracy.measure,
        "live": live.measure,
    }


def in_own_process(name: str, quick: bool, threads: int) -> list[Row]:
    command = [sys.executable, "-m", "benchmarks", name, "--rows", *(["--quick"] if quick else [])]
    env = os.environ | environment(threads) | (KEPT if name in APART else {})
    done = subprocess.run(command, cwd=HERE.parent, env=env, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"the workload {name} failed, see above")
    return [Row(**row) for row in json.loads(done.stdout)]


def machine(threads: int = 1) -> str:
    """The machine and the versions, without its name."""
    used = "one thread used" if threads == 1 else f"{threads} threads used"
    parts = [f"{os.cpu_count()} CPUs ({platform.machine()}, {platform.system()}), {used}"]
    parts.append(f"Python {platform.python_version()}")
    peers = [(module, name) for name, (module, _) in PEERS.items()]
    for module, name in [("numpy", "NumPy"), ("micrograd", "micrograd"), *peers]:
        parts.append(f"{name} {version(module)}" if installed(module) else f"no {name}")
        if module == "numpy":
            parts += kernels()
    return ", ".join(parts)


def kernels() -> list[str]:
    """For which processor OpenBLAS computes NumPy's products, where that can be found out."""
    if not installed("threadpoolctl"):
        return []
    from threadpoolctl import threadpool_info

    pools = [pool for pool in threadpool_info() if "numpy" in pool["filepath"]]
    return [f"OpenBLAS for {pool['architecture']}" for pool in pools if "architecture" in pool]


def line(row: Row, has_goals: bool = True) -> str:
    if row.unit == CELLS:
        return f"| {row.what} | {row.note} |"
    if not row.values:
        return written(row.what, row.goal, f"skipped: {row.note}", "", "", has_goals=has_goals)
    span = f"{shown(min(row.values))} to {shown(max(row.values))}" if len(row.values) > 1 else "exact"
    if row.note:
        span += f"; {row.note}"
    reached = {None: "", True: "yes", False: "**no**"}[row.reached]
    unit = "" if row.unit == "times" else f" {row.unit}"
    return written(row.what, row.goal, f"{shown(row.median)}{unit}", span, reached, has_goals=has_goals)


def written(what: str, goal: str, median: str, span: str, reached: str, *, has_goals: bool = True) -> str:
    """A line of the table; one without goals has three columns."""
    cells = [what, goal, median, span, reached] if has_goals else [what, median, span]
    return f"| {' | '.join(cells)} |"


def head(has_goals: bool = True, columns: Sequence[str] = ()) -> str:
    names = written("measured", "goal", "median", "smallest to largest", "reached", has_goals=has_goals)
    if columns:
        names = f"| measured | {' | '.join(columns)} |"
    return f"{names}\n{'|---' * (names.count('|') - 1)}|"


def write(table: str, begin: str = BEGIN) -> None:
    before, _, rest = README.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{begin}\n{table}\n{END}{after}", encoding="utf-8")


def main() -> None:
    names = list(workloads())
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"only these, of {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="smaller and fewer rounds: does it run at all?")
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    parser.add_argument("--threads", type=int, default=1, help="threads of NumPy and of PyTorch, usually one")
    # For the command itself: measure one workload in this process, and print its rows as JSON.
    parser.add_argument("--rows", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.names) - set(names):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if options.threads < 1:
        parser.error(f"--threads must be at least 1, not {options.threads}")
    begin = APART.get(*options.names) if len(options.names) == 1 else None if options.names else BEGIN
    if options.write and (options.quick or begin is None or options.threads > 1):
        parser.error(f"--write takes the whole table, or {' or '.join(APART)}, in full and on one thread")
    if options.rows:
        (name,) = options.names
        print(json.dumps([asdict(row) for row in workloads()[name](options.quick)]))
        return
    has_goals = options.names != ["ablation"]
    lines = [head(has_goals, COLUMNS if options.names == ["accuracy"] else ())]
    print(lines[0])
    for name in options.names or [name for name in names if name not in APART]:
        for row in in_own_process(name, options.quick, options.threads):
            lines.append(line(row, has_goals))
            print(lines[-1], flush=True)
    print(f"\n{machine(options.threads)}")
    if options.write:
        assert begin is not None
        write("\n".join([*lines, "", machine() + "."]), begin)


if __name__ == "__main__":
    main()
