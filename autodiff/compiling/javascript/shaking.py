"""The part of the JavaScript runtime that a program calls, found by its text.

The files of this folder follow one convention, which ``arrays.js`` states: each declaration at the left edge
runs to the next one, has a name that no local variable has, and needs nothing but what it names.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

FILES = (
    "arrays", "views", "indexing", "elementwise", "special", "reductions", "products", "linalg", "pictures",
    "layers", "random",
)  # fmt: skip
"""The files, each above those that call its functions as they are loaded."""

DECLARATION = re.compile(r"^(?:function|const|class) ([A-Za-z]\w*)")
COMMENT = re.compile(r"(?:^|\s+)//.*$")
# Not an attribute, after a dot, nor a key, before a colon; in `a ? b : c` it has a blank before it.
NAME = re.compile(r"(?<![\w.])[A-Za-z]\w*(?!\w*:)|(?<=\.\.\.)[A-Za-z]\w*")
TEXT = re.compile(r'"[^"\n]*"')
COPIED = re.compile(r"^const (\w+) = (\w+)\(")


class Declaration(NamedTuple):
    """A function, class or constant of the runtime.

    ``text`` is its source with the comment above it, and ``is_pattern`` says whether each declaration that
    calls it gets a copy of its own.
    """

    name: str
    text: str
    is_pattern: bool

    @property
    def code(self) -> str:
        """The source without comments."""
        return "\n".join(line for line in map(without_comment, self.text.split("\n")) if line.strip())


def runtime(names: Iterable[str], *, minify: bool = False, of_numbers: bool = False) -> str:
    """The JavaScript of ``const nd``, an object of the functions with these names, and of what they call.

    ``minify`` leaves out comments and indentation. With ``of_numbers`` elementwise functions take numbers
    alone, without the loops over arrays. Raises NotImplementedError for a name that the runtime
    does not have.

    Example
    -------
    >>> from autodiff.compiling.javascript.shaking import runtime
    >>> print(runtime(["sameList"]))
    const nd = (() => {
    const sameList = (a, b) => a.length === b.length && a.every((n, i) => n === b[i]);
    <BLANKLINE>
    return {sameList};
    })();
    <BLANKLINE>
    """
    known, wanted = for_numbers() if of_numbers else declarations(), sorted(set(names))
    missing = [name for name in wanted if name not in known or known[name].is_pattern]
    if missing:
        raise NotImplementedError(f"the JavaScript runtime has no {', '.join(missing)}")
    parts = [text for name in reached(known, wanted) for text in written(known, name, minify)]
    returned = f"return {{{', '.join(wanted)}}};"
    return "\n".join(["const nd = (() => {", *parts, returned, "})();\n"])


@functools.cache
def declarations() -> Mapping[str, Declaration]:
    """Every declaration of the runtime by its name, in the order of the files."""
    found: dict[str, Declaration] = {}
    for file in FILES:
        source = (Path(__file__).parent / f"{file}.js").read_text(encoding="utf-8")
        above: list[str] = []  # the comment of the next declaration
        name = ""
        for line in source.split("\n"):
            match = DECLARATION.match(line)
            if match is not None:
                name = match[1]
                text = "\n".join([*above, line])
                found[name] = Declaration(name, text, text.startswith("// Pattern:"))
                above = []
            elif line.startswith("//"):
                above.append(line)
            elif not line:
                above = []
            else:
                found[name] = found[name]._replace(text=f"{found[name].text}\n{line}")
    return found


def for_numbers() -> Mapping[str, Declaration]:
    """The declarations, in which an elementwise function is the function of numbers that it is made from."""
    known = dict(declarations())
    for name in ("elementwise1", "elementwise2"):
        known[name] = Declaration(name, f"const {name} = (f) => f;", False)
    return known


def without_comment(line: str) -> str:
    """A line of JavaScript without the comment at its end."""
    return COMMENT.sub("", line)


def needed(known: Mapping[str, Declaration], name: str) -> set[str]:
    """The declarations that one names, without itself."""
    code = TEXT.sub('""', known[name].code)
    return {each for each in NAME.findall(code) if each in known and each != name}


def reached(known: Mapping[str, Declaration], names: Iterable[str]) -> list[str]:
    """What is needed for these names, directly or not, in the order of the files."""
    seen: set[str] = set()
    stack = list(names)
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            stack.extend(needed(known, name))
    return [name for name in known if name in seen]


def written(known: Mapping[str, Declaration], name: str, minify: bool) -> list[str]:
    """The text of a declaration. What calls a pattern comes with a copy of it, under a name of its own."""
    declaration = known[name]
    texts = [declaration.text]
    if declaration.is_pattern:
        return []
    match = COPIED.match(declaration.code)
    if match is not None and known.get(match[2]) and known[match[2]].is_pattern:
        pattern, own = match[2], f"{match[2]}_{name}"
        copy = known[pattern].code.replace(f"function {pattern}(", f"function {own}(", 1)
        texts = [copy, re.sub(rf"= {pattern}\(", f"= {own}(", declaration.text, count=1)]
    return [*map(minified, texts)] if minify else [f"{text}\n" for text in texts]


def minified(text: str) -> str:
    """JavaScript without comments and indentation."""
    return "\n".join(line.strip() for line in map(without_comment, text.split("\n")) if line.strip())
