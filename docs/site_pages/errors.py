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

LEAD = """\
# Error messages

{count} messages with which the package refuses something, by the module that says them. A name in
braces stands for what is filled in. An error leaves everything as it was.
"""


def messages(package: Path) -> Iterator[tuple[str, str, str]]:
    """The module, the kind and the text of each message, in the order of the files."""
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
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
    """A message as it stands in the source, with names in braces for what is filled in.

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
    return "{" + short(inner) + "}"


def short(code: ast.expr) -> str:
    """A name for what an expression fills in.

    >>> for code in ("', '.join(map(str, tree))", "x.data.shape", "len(names) - 1", "self._title()"):
    ...     print(short(ast.parse(code, mode="eval").body))
    tree
    shape
    number - 1
    title
    """
    match code:
        case ast.Constant():
            return str(code.value).strip()
        case ast.Name(id="self"):
            return "tensor"
        case ast.Name(id=name):
            return in_words(name)
        case ast.Attribute(attr="__name__", value=inner) | ast.Subscript(value=ast.Attribute() as inner):
            return short(inner)
        case ast.Attribute(attr=name):
            return in_words(name)
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return in_words(name)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return f"{short(left)} - {short(right)}"
        case ast.BinOp(left=ast.Constant(value=int()), right=number):
            return short(number)
        case ast.BinOp(left=left):  # a text that may be left out, or a number in other units
            return short(left)
        case ast.BoolOp(values=[first, *_]):
            return short(first)
        case ast.IfExp(body=one, orelse=other):
            return f"{short(one)} or {short(other)}"
        case ast.Tuple(elts=parts):
            return ", ".join(map(short, parts))
        case ast.Call(func=ast.Name(id="len")):
            return "number"
        case ast.Call(func=ast.Name(id="type")):
            return "type"
        case ast.Call(func=ast.Name(id="getattr"), args=[first, *_]):
            return short(first)
        case ast.Call(func=ast.Name(id="map"), args=[_, second]):
            return short(second)
        case ast.Call(func=ast.Attribute(attr="pop" | "split" | "tolist", value=inner)):
            return short(inner)
        case ast.Call(func=function) if "shape" in name_of(function):
            return "shape"
        case ast.Call(args=[one]):
            return short(one)
        case ast.Call(func=function):
            return in_words(name_of(function))
        case ast.Subscript(value=inner) | ast.Starred(value=inner):
            return short(inner)
        case ast.List(elts=[*_, last]):
            return short(last)
    raise ValueError(f"no name for {ast.unparse(code)}")


def in_words(name: str) -> str:
    """A name without underscores.

    >>> in_words("_kind"), in_words("MOST_BYTES")
    ('kind', 'most bytes')
    """
    return name.strip("_").replace("_", " ").lower()


def page() -> str:
    """All messages as Markdown."""
    found = list(dict.fromkeys(messages(ROOT / "autodiff")))
    rooms: dict[str, dict[str, list[str]]] = {}
    for module, kind, text in found:
        _, room, *rest = [*module.split("."), ""]
        if not (ROOT / "autodiff" / room).is_dir():
            room, rest = "", [room]
        modules = rooms.setdefault(f"autodiff.{room}".rstrip("."), {})
        lines = modules.setdefault(".".join(filter(None, rest)), [])
        lines.append(f"- {kind}: `` {' '.join(text.split())} ``")
    parts = [LEAD.format(count=len(found))]
    for room, modules in sorted(rooms.items()):
        parts.append(f"## {room}\n")
        for module, lines in sorted(modules.items()):
            parts += [f"### {module}\n"] * bool(module) + ["\n".join(lines) + "\n"]
    return "\n".join(parts)


def write(docs: Path) -> None:
    """Write ``docs/errors.md``."""
    from .course import update

    update(docs / "errors.md", page())


if __name__ == "__main__":
    sys.stdout.write(page())
