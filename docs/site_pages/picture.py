"""The directive ``picture``: the code in it is shown and run when the page is built, and what its last line
gives stands below. The pictures of a page share their names. A film that ``plays`` stands above its code, and
goes on by itself until the reader pauses it (site.js)."""

from __future__ import annotations

import ast
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from .pictures.html import html_of


class Picture(SphinxDirective):
    """Shows code, and the picture that it makes."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"plays": directives.flag}

    def run(self) -> list[nodes.Node]:
        """The code and the picture."""
        code = "\n".join(self.content)
        names = self.env.temp_data.setdefault("autodiff_names", {"__name__": "page"})
        picture = html_of(value_of(code, names))
        plays = "plays" in self.options
        both = [
            nodes.literal_block(code, code, language="python"),
            nodes.raw("", f'<div class="picture{" plays" * plays}">{picture}</div>', format="html"),
        ]
        return both[::-1] if plays else both


def value_of(code: str, names: dict[str, Any]) -> Any:
    """Run the code with these names; returns the value of its last line, which is an expression."""
    *before, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        raise ValueError(f"the last line of a picture has to be an expression: {code}")
    exec(compile(ast.Module(before, []), "page", "exec"), names)
    return eval(compile(ast.Expression(last.value), "page", "eval"), names)


def setup(app: Any) -> dict[str, bool]:
    """Make the directive known to Sphinx."""
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
