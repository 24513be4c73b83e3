"""A page in which a GPT of 4,192 numbers writes names letter by letter: what may come next, which letters
each head looks at, and the gradient of the answer at each letter. `python names.py FILE.html` writes it; the
numbers are those that lesson 27 keeps of its training.
"""

from __future__ import annotations

import json
import sys
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

import autodiff as ad
from autodiff.compiling.javascript import module, translated
from autodiff.compiling.javascript.language import array_text
from autodiff.living.page import page, save_page
from autodiff_course import runs

HERE = Path(__file__).parent
CONTEXT, CHARACTERS, WIDTH, HEADS = 16, 27, 16, 4  # the 27th character is the end of a name
SHAPES = {
    "letters": (CHARACTERS, WIDTH), "places": (CONTEXT, WIDTH),
    "query": (WIDTH, WIDTH), "key": (WIDTH, WIDTH), "value": (WIDTH, WIDTH), "out": (WIDTH, WIDTH),
    "up": (4 * WIDTH, WIDTH), "down": (WIDTH, 4 * WIDTH), "last": (CHARACTERS, WIDTH),
}  # fmt: skip
HIDDEN = np.triu(np.full((CONTEXT, CONTEXT), -np.inf, np.float32), 1)  # nobody looks ahead


def matrices() -> dict[str, ad.Tensor]:
    """The numbers of the trained network, by name."""
    numbers = runs.stored("27")["numbers_1000"]
    ends = [*accumulate(rows * columns for rows, columns in SHAPES.values())]
    parts = np.split(numbers, ends[:-1])
    return {
        name: ad.Tensor(part.reshape(shape), requires_grad=False, name=name)
        for part, (name, shape) in zip(parts, SHAPES.items())
    }


def normed(x: Any) -> Any:
    """Rows of mean square 1 (Zhang and Sennrich, 2019)."""
    return x / ad.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5)


def network(w: dict[str, ad.Tensor], moved: Any, written: Any, now: Any) -> tuple[Any, Any]:
    """The logarithms of the 27 probabilities of what comes next, and the shares of each head.

    ``written`` has a row for each place, with a 1 at its character; ``now`` has a 1 at the last place.
    ``moved`` is added to the vectors of the characters: its gradient is that of those vectors.
    """
    x = normed(written @ w["letters"] + moved + w["places"])
    h = normed(x)
    split = (CONTEXT, HEADS, WIDTH // HEADS)
    queries, keys, values = (
        (h @ w[name].T).reshape(split).transpose(1, 0, 2) for name in ("query", "key", "value")
    )
    scores = queries @ keys.transpose(0, 2, 1) / (WIDTH // HEADS) ** 0.5
    shares = ad.softmax(scores + HIDDEN, axis=-1)
    x = x + (shares @ values).transpose(1, 0, 2).reshape(CONTEXT, WIDTH) @ w["out"].T
    x = x + ad.relu(normed(x) @ w["up"].T) @ w["down"].T
    return ad.log_softmax(now @ x @ w["last"].T), (shares * now[:, None]).sum(axis=1)


def program() -> Any:
    """The compiled function of (moved, written, now, chosen): the score of the chosen character with its
    gradient, all probabilities, and who looks at whom."""
    w = matrices()

    def score(moved: Any, written: Any, now: Any, chosen: Any) -> Any:
        logs, shares = network(w, moved, written, now)
        return (logs * chosen).sum(), (ad.exp(logs), shares)

    fast = ad.compile(ad.value_and_grad(score, has_aux=True))
    fast(*arguments_for("anna", 0))
    return fast


def arguments_for(text: str, chosen: int) -> list[Any]:
    """The arguments of the program for what was written so far, and the character that is asked for."""
    codes = [26, *(ord(letter) - ord("a") for letter in text)]
    written, now = np.zeros((CONTEXT, CHARACTERS), np.float32), np.zeros(CONTEXT, np.float32)
    written[range(len(codes)), codes] = 1
    now[len(codes) - 1] = 1
    moved = np.zeros((CONTEXT, WIDTH), np.float32)
    return [moved, written, now, np.eye(CHARACTERS, dtype=np.float32)[chosen]]


def written_page(fast: Any) -> str:
    """The page."""
    captured = [each.tensor.numpy() for each in fast.arguments if each.kind == "captured"]
    shapes = [each.shape for each in fast.results]
    facts = {
        "gradient": shapes.index((CONTEXT, WIDTH)), "sure": shapes.index((CHARACTERS,)),
        "shares": shapes.index((HEADS, CONTEXT)),
    }  # fmt: skip
    script = [
        module({"program": translated(fast)}, ["NdArray", "full", "packed"], minify=True),
        f"const FACTS = {json.dumps(facts)};",
        f"const WEIGHTS = [{', '.join(map(array_text, captured))}];",
        (HERE / "names.js").read_text(encoding="utf-8"),
    ]
    body, style = ((HERE / f"names.{kind}").read_text(encoding="utf-8") for kind in ("html", "css"))
    return page("A network writes names", body, styles=[style], scripts=["\n".join(script)])


if __name__ == "__main__":
    save_page(written_page(program()), sys.argv[1])
