"""The gallery as a page: the pictures of ``site_pages/pictures``, with their lines of Python."""

from __future__ import annotations

from pathlib import Path

from .course import update
from .pictures.hard import PARTS
from .pictures.html import html_of

LEAD = """\
# Gallery

{count} pictures, films and explanations of graphs, each with the lines of Python that make it. A graph is
recorded while Python computes, and the names in a picture are those of the variables. [Draw](guide/draw.md)
says more of the functions. Put these two lines before each example:

```python
import numpy as np
import autodiff as ad
```

A function that several examples call is shown where it is needed first.
"""


def write(docs: Path) -> None:
    """Write ``docs/gallery.md``."""
    parts = [LEAD.format(count=sum(len(part.examples) for part in PARTS))]
    shown: set[str] = set()
    for part in PARTS:
        parts.append(f"## {part.title}\n\n{part.text}\n")
        for example in part.examples:
            picture = f'<div class="picture">\n{html_of(example.make())}\n</div>'
            code = example.code(shown)
            parts.append(f"### {example.title}\n\n{example.text}\n\n```python\n{code}\n```\n")
            parts.append(f"```{{raw}} html\n{picture}\n```\n")
    update(docs / "gallery.md", "\n".join(parts))
