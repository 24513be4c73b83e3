"""The HTML of a page that trains: what its scripts fill, and what it says without them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from itertools import count
from typing import Any

from ...compiling.javascript import Translation
from .plan import names_of

RATES = 'min="-5" max="1" step="0.05"'  # of the slider: powers of ten
SPEEDS = (1, 2, 5, 20)  # steps a frame
TIME = """\
<p class="ap-bar" data-script hidden>
<button data-play>play</button>
<button data-step title="one step">step</button>
<button data-back title="one step back">back</button>
<button data-reset title="to the beginning">reset</button>
<output class="ap-words" data-words></output>
</p>"""
SPEED = "<label>steps a frame <select data-speed>{speeds}</select></label>"
HISTORY = """\
<p class="ap-bar ap-time" data-script hidden><label>history \
<input type="range" data-history min="0" max="0" step="1" value="0"></label></p>"""
END = """\
<p class="ap-live" data-live aria-live="polite"></p>
<div data-still>{still}<p>This page trains as soon as its script runs.</p></div>
<details data-script hidden><summary>What it runs: the step that <code>ad.compile</code> wrote, \
and the same in JavaScript, line by line</summary>
<div class="ap-scroll">{code}</div></details>
</div>"""
BODY = f"""\
<div class="ap" data-playground>
{TIME}
<p class="ap-bar" data-script hidden>
{{selects}}
<label>learning rate <input type="range" data-rate {{rates}}> <output data-rate-shown></output></label>
<label>batch <select data-size>{{sizes}}</select></label>
{SPEED}
<label title="Another seed draws other weights and other batches">seed \
<input type="number" data-seed min="0" max="999999" step="1" value="{{seed}}"></label>
</p>
<div class="ap-pictures" data-script hidden>
{{network}}
<figure class="ap-points"><canvas data-points tabindex="0" role="img" aria-label="The points"></canvas>
<figcaption data-adding class="ap-bar"></figcaption></figure>
</div>
{HISTORY}
<div class="ap-pictures" data-script hidden>
<figure><canvas data-losses role="img" aria-label="The loss at each step"></canvas>
<figcaption>loss</figcaption></figure>
<figure><canvas data-sizes role="img" \
aria-label="The size of the gradient at each step, for each layer"></canvas>
<figcaption data-legend>size of the gradient: </figcaption></figure>
</div>
{{confusion}}
{END}"""
CONFUSION = """\
<div data-confusion data-script hidden tabindex="0" role="region" \
aria-label="How often samples of each class were taken for each class"></div>"""
NETWORK = """\
<figure class="ap-network"><canvas data-network tabindex="0" role="img" aria-label="The network"></canvas>
<figcaption class="ap-bar"><label>lines show <select data-edges><option value="weights">weights\
<option value="gradients">gradients</select></label>
<span data-neuron></span></figcaption></figure>"""
SURFACE = f"""\
<div class="ap" data-playground>
{TIME}
<div class="ap-pictures" data-script hidden>
<figure class="ap-surface"><canvas data-points tabindex="0" role="img" \
aria-label="The surface of the loss from above, and the ways of the optimizers"></canvas>
<figcaption>Drag the start, or move it by the arrow keys. Lines connect points of equal loss.</figcaption>
</figure>
<div class="ap-side"><p class="ap-bar">{SPEED}</p>
<table class="ap-rules"><thead>
<tr><th scope=col>optimizer<th scope=col>learning rate<th scope=col>loss</tr></thead>
<tbody>{{rules}}</tbody></table>
<figure><canvas data-losses role="img" aria-label="The losses at each step"></canvas>
<figcaption>losses, on a logarithmic scale</figcaption></figure></div>
</div>
{HISTORY}
{END}"""
RULE = """\
<tr><th scope=row><span class="ap-key" data-key></span>{name}
<td><input type="range" {rates} aria-label="learning rate of {name}"> <output data-rate-shown></output>
<td data-loss></tr>"""


def body(facts: Mapping[str, Any], programs: Mapping[str, Translation], still: str) -> str:
    """The HTML of the page, with a still for those whose browser runs no script."""
    sets, optimizers = (names_of(facts[what]) for what in ("sets", "optimizers"))
    selects = [
        f"<label>{label} <select data-{label}>{options(names, count())}</select></label>"
        for label, names in (("data", sets), ("optimizer", optimizers))
        if len(names) > 1
    ]
    codes = [code(name, each) for name, each in programs.items() if name.startswith("step")]
    return (SURFACE if facts["input"] == "surface" else BODY).format(
        selects="\n".join(selects),
        rates=RATES,
        rules="\n".join(RULE.format(name=escape(name), rates=RATES) for name in optimizers),
        sizes=options(["all points", *facts["sizes"][1:]], facts["sizes"]),
        speeds=options(SPEEDS, SPEEDS),
        still=still,
        seed=facts["seed"],
        confusion=CONFUSION if "names" in facts else "",
        network=NETWORK if facts["columns"] else "",
        code="\n".join(codes),
    )


def options(texts: Iterable[Any], values: Iterable[int]) -> str:
    """The options of a select."""
    pairs = zip(texts, values)
    return "".join(f'<option value="{value}">{escape(str(text))}</option>' for text, value in pairs)


def code(name: str, program: Translation) -> str:
    """The lines of a program in Python; beside them the page puts those of the function that it runs."""
    rows = "".join(f"<tr><td><code>{escape(line.python)}</code></tr>" for line in program.lines)
    return (
        f'<table class="ap-code" data-program="{name}" hidden><thead><tr><th scope=col>Python'
        f"<th scope=col>JavaScript</tr></thead><tbody>{rows}</tbody></table>"
    )
