"""The page of error messages: all that the package says when it refuses something, read from its source.

``python docs/site_pages/errors.py`` prints the page.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = "lessons"  # whose messages are on the pages of wrong answers

LEAD = """\
# Error messages

{count} messages with which the package refuses something, by the module that says them; what stands in braces
is filled in. An error leaves everything as it was.
"""


def messages(package: Path) -> Iterator[tuple[str, str, str]]:
    """The module, the kind and the text of each message, in the order of the files."""
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        if LEFT_OUT in parts:
            continue
        module = ".".join(part for part in parts if part != "__init__")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and is_error(kind := name_of(node.func)) and node.args:
                text = text_of(node.args[0])
                if re.search("[a-z]", re.sub(r"\{.*?\}", "", text)):  # else it was written elsewhere
                    yield module, kind, text


def name_of(function: ast.expr) -> str:
    """The last name of what is called."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def is_error(name: str) -> bool:
    """Whether a name is that of an exception or a warning."""
    found = getattr(builtins, name, None)
    return name.endswith(("Error", "Warning")) or (isinstance(found, type) and issubclass(found, Exception))


def text_of(message: ast.expr) -> str:
    """A message as it stands in the source, with what is filled in between braces.

    >>> text_of(ast.parse('f"{name} is no {what}"', mode="eval").body)
    '{name} is no {what}'
    """
    if isinstance(message, ast.Constant):
        return str(message.value)
    if isinstance(message, ast.JoinedStr):
        return "".join(map(text_of, message.values))
    if isinstance(message, ast.BinOp) and isinstance(message.op, ast.Add):
        return text_of(message.left) + text_of(message.right)
    if isinstance(message, ast.IfExp):
        return f"{text_of(message.body)} / {text_of(message.orelse)}"
    inner = message.value if isinstance(message, ast.FormattedValue) else message
    return "{" + ast.unparse(inner) + "}"


def page() -> str:
    """All messages as Markdown."""
    found = list(dict.fromkeys(messages(ROOT / "autodiff")))
    lines = [LEAD.format(count=len(found))]
    last = ""
    for module, kind, text in found:
        if module != last:
            lines.append(f"\n## {module}\n")
            last = module
        lines.append(f"- {kind}: `` {' '.join(text.split())} ``")
    return "\n".join(lines) + "\n"


def write(docs: Path) -> None:
    """Write ``docs/errors.md``."""
    from .course import update

    update(docs / "errors.md", page())


if __name__ == "__main__":
    sys.stdout.write(page())
