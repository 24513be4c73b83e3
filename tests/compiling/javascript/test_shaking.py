"""A program gets the part of the runtime that it calls: the part runs alone, and nothing else is in it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from autodiff.compiling import javascript
from autodiff.compiling.javascript.shaking import (
    FILES,
    TEXT,
    declarations,
    minified,
    needed,
    reached,
    runtime,
)

KNOWN = declarations()
PUBLIC = [name for name, declaration in KNOWN.items() if not declaration.is_pattern]
ROOT = Path(__file__).resolve().parents[3]
LOCAL = re.compile(r"(?:const|let) (\{[^}]*\}|\[[^\]]*\]|\w+)|\(([\w\s,.={}\[\]:\"]*)\) (?:=>|\{)|, (\w+) = ")


def run(script):
    if shutil.which("node") is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    done = subprocess.run(
        ["node", "-"], input=script, capture_output=True, text=True, timeout=60, check=False
    )
    assert not done.returncode, done.stderr[:500]
    return json.loads(done.stdout)


def test_every_file_is_read():
    files = {path.stem for path in Path(javascript.__file__).parent.glob("*.js")}
    assert files == set(FILES)


def test_every_part_loads_alone():
    """Each in a scope of its own, where it sees no other part; what it names is there."""
    tries = (f"{runtime([name], minify=True)}\nfound.push(typeof nd.{name});" for name in PUBLIC)
    parts = [f"(() => {{\n{each}\n}})();" for each in tries]
    script = ["'use strict';", "const found = [];", *parts, "console.log(JSON.stringify(found));"]
    found = run("\n".join(script))
    assert len(found) == len(PUBLIC)
    assert set(found) <= {"function", "object", "number"}


CALLS = {
    "add": "nd.tolist(nd.add(nd.array([1, 2.5]), nd.array([[1], [2]])))",
    "sum": "nd.tolist(nd.sum(nd.array([[1, 2.5], [3, 4]]), {axis: 0}))",
    "matmul": "nd.tolist(nd.matmul(nd.array([[1.5, 2]]), nd.array([1, 2])))",
    "getitem": "nd.tolist(nd.getitem(nd.array([1, 2, 3]), {by: -1}))",
    "inv": "nd.tolist(nd.inv(nd.array([[2, 0], [0, 4]])))",
    "convolution": "nd.tolist(nd.convolution(nd.array([[[[1.5, 2, 3]]]]), nd.array([[[[1, 10]]]]), 0))",
    "default_rng": "[nd.default_rng(0).random()]",
    "erf": "[nd.erf(0.0), nd.erf(1.0)]",
    "sort": "nd.tolist(nd.sort(nd.array([3, 1, 2])))",
}
RESULTS = {
    "add": [[2, 3.5], [3, 4.5]], "sum": [4, 6.5], "matmul": [5.5], "getitem": [3, 2, 1],
    "inv": [[0.5, 0], [0, 0.25]], "convolution": [[[[21.5, 32]]]], "default_rng": [0.6369616873214543],
    "erf": [0, 0.8427007929497149], "sort": [1, 2, 3],
}  # fmt: skip


def test_the_files_go_into_the_wheel():
    """All files of the package do, but for those that git ignores."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    paths = [f"autodiff/compiling/javascript/{file}.js" for file in FILES]
    ignored = subprocess.run(["git", "check-ignore", "--no-index", *paths], cwd=ROOT, check=False)
    assert ignored.returncode == 1


@pytest.mark.parametrize("minify", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_a_part_computes_alone(name, minify):
    names = {name, *re.findall(r"nd\.(\w+)", CALLS[name])}
    found = run(runtime(names, minify=minify) + f"console.log(JSON.stringify({CALLS[name]}));")
    np.testing.assert_allclose(found, RESULTS[name], 1e-15)


def test_a_part_has_nothing_that_is_not_called():
    add = reached(KNOWN, ["add"])
    assert not {"matmul", "sum", "where", "getitem", "Generator", "multiply"} & set(add)
    assert len(runtime(["add"], minify=True)) < 10_000
    assert "castNumber" not in runtime(["isArray"], minify=True)


def test_functions_have_loops_of_their_own():
    text = runtime(["add", "multiply"])
    assert text.count("function elementwise2_add(") == text.count("const add = elementwise2_add(") == 1
    assert "elementwise2(" not in text


def test_an_unknown_name_is_refused():
    with pytest.raises(NotImplementedError, match="the JavaScript runtime has no fft, rank"):
        runtime(["add", "rank", "fft"])
    with pytest.raises(NotImplementedError, match="has no elementwise2"):
        runtime(["elementwise2"])


def test_no_local_variable_has_the_name_of_a_declaration():
    """The text of a function says what it needs only then."""
    for name, declaration in KNOWN.items():
        code = TEXT.sub('""', declaration.code)
        found = " ".join(part for match in LOCAL.finditer(code) for part in match.groups() if part)
        names = set(re.findall(r"(?<![\w.]\.)(?<!= )\b[A-Za-z]\w*\b(?!:)", found)) - {name}
        assert not names & set(KNOWN), (name, names & set(KNOWN))


def test_what_runs_as_a_file_is_loaded_is_declared_above_it():
    order = {name: place for place, name in enumerate(KNOWN)}
    for name, declaration in KNOWN.items():
        match = re.match(r"const \w+ = (\w+)\(", declaration.code)
        if match and match[1] in KNOWN:
            assert order[match[1]] < order[name]


def test_comments_go_and_texts_stay():
    assert minified('  const a = "x"; // why\n\n// what\n  b(1 / 2);') == 'const a = "x";\nb(1 / 2);'
    assert not needed(KNOWN, "sizeOf")


def test_lines_are_short():
    for file in FILES:
        path = Path(javascript.__file__).with_name(f"{file}.js")
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            assert len(line) <= 120, f"{file}.js:{number}"
