"""The lessons as pages: copies of the notebooks, with answers folded and a line of places to open them in."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import nbformat

PARTS = (
    ("One number at a time", range(1, 9)),
    ("From numbers to arrays", range(9, 14)),
    ("The calculus", range(14, 18)),
    ("A framework", range(18, 25)),
    ("Networks with structure", range(25, 28)),
    ("Programs", range(28, 31)),
    ("Projects", range(31, 39)),
)

INDEX = """\
# The course

{lead}

{parts}

The [glossary](glossary.ipynb) says what each word of the course means, and in which lesson it comes first.

```{{toctree}}
:hidden:
:caption: Words

glossary
```
"""

LEAD = """\
You write the machine yourself, piece by piece, and every lesson runs on what you wrote. You need Python and
school mathematics.

Here you can read the lessons. To write, open one in Jupyter: the line *Write it yourself*, below the title of
each lesson, opens it in your browser or downloads it. On your own computer, `jupyter lab notebooks` opens all
of them ([how to install it](../index.md#Run-it))."""

SAID = r"Right\.|Not right yet\.|Not done yet|Your machine"
"""How the lessons' messages begin. A notebook breaks them into lines, and a page breaks them anew."""


def slug(title: str) -> str:
    """The anchor of a heading, as JupyterLab makes it: links between notebooks work here and there."""
    return re.sub(r"<[^>]+>|`", "", title).strip().replace(" ", "-")


def write(docs: Path, repository: str) -> None:
    """Write ``docs/course``: a page for each notebook, and the page that lists them."""
    notebooks = docs.parent / "notebooks"
    course = docs / "course"
    for old in course.glob("*.ipynb"):
        if not (notebooks / old.name).exists():
            old.unlink()
    (course / "solutions").mkdir(parents=True, exist_ok=True)
    solutions = sorted(notebooks.glob("solutions/*.ipynb"))
    for path, following in zip(solutions, [*solutions[1:], None]):
        notebook = page(nbformat.read(path, as_version=4))
        notebook.metadata["orphan"] = True  # linked from its lesson alone
        fold_beginning(notebook)
        notebook.cells.append(nbformat.v4.new_markdown_cell(ways_on(path.name, following), id="ways-on"))
        update(course / "solutions" / path.name, nbformat.writes(notebook))
    names, lines = {}, {}
    for path in sorted(notebooks.glob("*.ipynb")):
        notebook = page(nbformat.read(path, as_version=4))
        if path.stem[:2].isdigit():
            title, _, rest = notebook.cells[0].source.partition("\n")
            notebook.cells[0].source = f"{title}\n\n{places(path.name, repository)}\n{rest}"
            names[int(path.stem[:2])] = path.stem
            lines[path.stem] = line(path.name, title, rest)
        update(course / path.name, nbformat.writes(notebook))
    parts = "\n\n".join(
        part(caption, {names[n]: lines[names[n]] for n in numbers if n in names})
        for caption, numbers in PARTS
    )
    update(course / "index.md", INDEX.format(lead=LEAD, parts=parts))


def line(name: str, title: str, head: str) -> str:
    """A lesson in the list: its title, how long it takes, and what the reader builds, in one sentence."""
    minutes = re.search(r"\*\*Time\*\* (\d+ minutes)", head)
    builds = re.search(r"\*\*(You will .+?\.)\s", head)
    if not minutes or not builds:
        raise ValueError(f"the head of {name} lacks the time or what you will build")
    return f"- **[{title.removeprefix('# ')}]({name})**, {minutes[1]}\\\n  {builds[1].replace('**', '')}"


def part(caption: str, lines: dict[str, str]) -> str:
    """One part of the course as a heading and its lessons; the caption is for the sidebar."""
    if not lines:
        return ""
    lessons = "\n".join(lines)
    said = "\n".join(lines.values())
    return f"## {caption}\n\n{said}\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lessons}\n```"


def page(notebook: Any) -> Any:
    """A notebook as a page: cells whose output is folded in Jupyter are folded here too, films and pictures
    stay as they are."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        jupyter = cell.metadata.get("jupyter", {})
        tags = set(cell.metadata.get("tags", []))
        if jupyter.get("outputs_hidden") and cell.get("outputs"):
            tags.add("hide-output")
        if jupyter.get("source_hidden"):
            tags.add("hide-input")
        if any(re.match(rf"{SAID}|\w+Error: ", text) for text in map(said, cell.get("outputs", []))):
            tags.add("said")
            for output in cell.outputs:
                unbreak(output)
        for output in cell.get("outputs", []):
            shrink(output)
        cell.metadata = {"tags": sorted(tags)} if tags else {}
    return notebook


def said(output: Any) -> str:
    """The text of an output that is nothing but text."""
    alone = set(output.get("data", ())) == {"text/plain"}
    return output.get("text") or (output.data["text/plain"] if alone else "")


def unbreak(output: Any) -> None:
    """Join the lines of each sentence in an output. Lines of code are indented, and stay."""
    if not re.match(SAID, said(output)):
        return
    text = re.sub(rf"^(\S.*)\n(?=\S)(?!{SAID})", r"\1 ", said(output), flags=re.MULTILINE)
    if "text" in output:
        output["text"] = text
    else:
        output.data["text/plain"] = text


def shrink(output: Any) -> None:
    """Let the pictures of an output be a little smaller than in a notebook, if the column is that narrow."""
    html = output.get("data", {}).get("text/html")
    if html:
        html = re.sub(
            r"min-width:(\d+)px",
            lambda found: f"min-width:min({found[1]}px,max(100%,{0.83 * int(found[1]):.0f}px))",
            html,
        )
        output.data["text/html"] = html


def fold_beginning(notebook: Any) -> None:
    """Fold the imports and the machine's start, which stand before the first exercise of a solution."""
    for cell in notebook.cells[1:]:
        if cell.cell_type == "markdown":
            return
        cell.metadata.tags = sorted({*cell.metadata.get("tags", []), "hide-input", "hide-output"})
        cell.metadata.mystnb = {
            "code_prompt_show": "Show the imports",
            "code_prompt_hide": "Hide the imports",
        }


def ways_on(name: str, following: Path | None) -> str:
    """The last line of a page of solutions: back to its lesson, and on to the next one."""
    links = [f"[Back to lesson {name[:2]}](../{name})"]
    if following:
        links.append(f"[On to lesson {following.name[:2]}](../{following.name})")
    return " · ".join(links)


def places(name: str, repository: str) -> str:
    """The line of links: to JupyterLite, Binder, Colab and the file. Binder and Colab need the repository's
    address."""
    links = [f'<a href="../lab/notebooks/index.html?path={name}">in your browser</a>']
    if repository:
        links += [
            f"[on Binder](https://mybinder.org/v2/gh/{repository}/HEAD?urlpath=lab/tree/notebooks/{name})",
            f"[on Colab](https://colab.research.google.com/github/{repository}/blob/HEAD/notebooks/{name})",
        ]
    return f"Write it yourself: {', '.join(links)}, or {{download}}`download the notebook <{name}>`."


def update(path: Path, text: str) -> None:
    """Write a file if its text has changed, so that only changed pages are built anew."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
