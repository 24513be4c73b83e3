"""The page of a live graph: the picture, the table of its inputs, the code, and what a script needs of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from ..draw.filming.source import Source
from ..draw.graph.as_text import brief
from ..draw.graph.records import ShownGraph
from ..draw.words.equations import equation
from .levels import Level, first
from .picture import Pictures, pictures
from .program import Program
from .squeezing import shortened, squeezed, squeezed_style

HERE = Path(__file__).parent
SCRIPTS = (
    "numbers", "streams", "maps", "graph", "hand", "modules", "guess", "nudge", "curve", "downhill", "link",
    "embedded", "start",
)  # fmt: skip
OPEN = 26  # lines of a program that are shown without a click
BODY = """\
<div id="{uid}" class="autodiff-live">
<p class="al-bar" data-script hidden><button type="button" class="al-reset">reset</button>
<button type="button" class="al-downhill">walk downhill</button>
<label>rate <select class="al-rate"><option>0.001<option>0.01<option selected>0.05<option>0.2<option>1\
</select></label>
<label><input type="checkbox" class="al-nudge"> nudge by</label> <select class="al-h" aria-label="nudge">\
<option>1<option selected>0.1<option>0.01<option>0.001<option>1e-6<option>1e-12</select>
<label>edges show <select class="al-edges"><option value="flows">what flows back
<option value="slopes">local slopes</select></label>
{levels}
<label><input type="checkbox" class="al-guess"> guess the gradients</label> <output class="al-found"></output>
<button type="button" class="al-link">copy link</button>
<small>Drag a blue number, or type, or use the arrow keys; Shift is finer.</small></p>
<noscript><p>This page computes by a script, and scripts are off: here is how it begins.</p></noscript>
<div class="al-columns"><div class="al-scroll al-picture">{svg}</div>
<div class="al-side">{source}<p class="al-rule" aria-hidden="true"></p></div>
<div><p class="al-end">{end}</p>
<table class="al-inputs"><thead><tr><th>input</th><th>value</th><th>gradient</th>\
<th class="al-nudged" hidden>by a nudge</th><th data-script hidden>walks</th></tr></thead>
<tbody>{rows}</tbody></table></div>
<svg class="al-curve" data-script hidden width="370" height="164" role="img" \
aria-label="The curve of {end_name}"></svg></div>
<details{is_open}><summary>What runs here: the program that <code>ad.compile</code> wrote, and the same in \
JavaScript</summary>
<div class="al-scroll" tabindex="0" role="region" aria-label="the program"><table class="al-code">
<tbody>{lines}</tbody></table></div></details>
<p class="al-said" aria-live="polite"></p>
</div>"""


def written(
    graph: ShownGraph,
    shown: Sequence[Level],
    program: Program,
    source: Source | None,
    description: str,
    uid: str,
) -> tuple[str, list[str], list[str]]:
    """The body of the page, its style sheets and its scripts; `uid` must be unique on the page."""
    start = first(shown)
    drawn = pictures([level.graph for level in shown], start, description, f"#{uid} ")
    lines = program.rows
    end = graph.nodes[-1]
    body = BODY.format(
        uid=uid,
        svg="".join(drawn.svgs),
        levels=_levels(len(shown), start),
        end=f"{escape(end.name)} = {end.data.line}",
        end_name=escape(end.name),
        rows="".join(_rows(graph, program)),
        source=_source(source),
        is_open=" open" if len(lines) <= OPEN else "",
        lines="".join(_lines(lines)),
    )
    data = f"const GRAPH = {json.dumps(_data(graph, shown, program, drawn, uid), separators=(',', ':'))};"
    without = ("maps",) * all(node.data.is_whole for node in graph.nodes) + ("modules",) * (len(shown) == 1)
    return body, [_style(), drawn.style], [f"{program.javascript}\n{data}\n{_scripts(without)}"]


def _text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


@cache
def _scripts(without: tuple[str, ...]) -> str:
    """The scripts of a live graph, as one module, without those that it does not need."""
    return squeezed(shortened("\n".join(_text(f"{name}.js") for name in SCRIPTS if name not in without)))


@cache
def _style() -> str:
    return squeezed_style(_text("live.css"))


def _data(
    graph: ShownGraph, shown: Sequence[Level], program: Program, drawn: Pictures, uid: str
) -> dict[str, Any]:
    """What the script has to know: where all numbers are, what they are called, and how edges run."""
    places = program.places
    with_rule = {graph.nodes[to].operands[place] for to, place in places.slopes}
    nodes = [
        {
            "name": node.name,
            "title": equation(node, graph),
            "data": places.values[i],
            "grad": None if node.is_quiet else places.grads[i],
            "map": _map(node.data.numbers, program.walked.data(i)) if not node.data.is_whole else None,
            "line": None if i in with_rule else program.gradient_line(i),
        }
        for i, node in enumerate(graph.nodes)
    ]
    edges = []
    for level, (to, place), points in drawn.edges:
        own = shown[level]
        tail = own.tail(program.walked, (to, place))
        flows = [
            [places.flows[edge] for edge in edges if edge in places.flows]
            for edges in own.flowing(program.walked, (to, place))
        ]
        is_open = not {to, tail} & own.closed.keys()
        edges.append(
            {
                **({"level": level} if level else {}),
                "to": to,
                "from": tail,
                "slope": places.slopes.get((to, place)) if is_open else None,
                "flow": [flow for flow in flows if flow],
                "rule": program.rule((to, place)) if is_open else None,
                "points": [round(x) for point in points for x in point],
            }
        )
    return {
        "id": uid,
        "inputs": [one._asdict() for one in program.inputs],
        "arguments": program.arguments,
        "nodes": nodes,
        "edges": edges,
        "start": first(shown),
        "closed": [level.closed for level in shown],
    }


def _levels(count: int, start: int) -> str:
    """The choice of how far modules are open, if there are several ways."""
    if count == 1:
        return ""
    names = ["closed", *[f"{k} open" for k in range(1, count - 1)], "open"]
    options = "".join(
        f'<option value="{k}"{" selected" * (k == start)}>{name}' for k, name in enumerate(names)
    )
    return f'<label>modules <select class="al-levels">{options}</select></label>'


def _map(cells: Any, array: Any) -> list[int]:
    """How many rows and columns the map of a large array has, and how many it has itself as a table."""
    columns = array.shape[-1] if array.ndim > 1 else array.size
    return [len(cells), len(cells[0]), array.size // columns, columns]


def _rows(graph: ShownGraph, program: Program) -> Iterable[str]:
    """A row of the table for each number that can be moved."""
    for k, (name, node, cell, value) in enumerate(program.inputs):
        grad = graph.nodes[node].grad.numbers
        grads = [x for row in grad for x in row] if isinstance(grad, tuple) else [grad]
        yield (
            f'<tr data-i="{k}"><th scope="row">{escape(name)}</th><td class="al-value">{brief(value)}</td>'
            f'<td class="al-grad">{brief(grads[cell])}</td><td class="al-nudged" hidden></td>'
            f'<td class="al-walks" data-script hidden><input type="checkbox" checked '
            f'aria-label="{escape(name)} walks downhill"></td></tr>'
        )


def _of(nodes: Iterable[int]) -> str:
    """The attribute of a line that is about some nodes."""
    listed = " ".join(map(str, nodes))
    return f' data-of="{listed}"' if listed else ""


def _source(source: Source | None) -> str:
    """The reader's code, each line with the nodes that it made."""
    if source is None:
        return ""
    lines = [
        f"<span{_of(node for node, at in source.lines.items() if at == k)}>{escape(line, quote=False)}</span>"
        for k, line in enumerate(source.code)
    ]
    return f'<pre class="al-source">{chr(10).join(lines)}</pre>'


def _lines(lines: Sequence[tuple[str, str, list[int]]]) -> Iterable[str]:
    """The rows of the program, one language beside the other."""
    for python, script, nodes in lines:
        yield f"<tr{_of(nodes)}><td>{escape(python, quote=False)}<td>{escape(script, quote=False)}"
