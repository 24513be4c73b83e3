"""A page in which a digit is drawn by hand and read by a ConvNet at each stroke, with the gradient of a score
in every pixel: what would change the answer. `python digits.py FILE.html` trains the network and writes it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import data, nn, optim, training
from autodiff.compiling.javascript import module, translated
from autodiff.compiling.javascript.language import array_text
from autodiff.living.page import page, save_page

HERE = Path(__file__).parent
BAR = '<button type="button" aria-pressed="false"><b>{0}</b><i></i><output>0.0</output></button>'


def network(size: int) -> nn.Module:
    """Two convolutions for pictures of 28 x 28 or 8 x 8."""
    pool = [nn.MaxPool2d(2)] if size > 16 else []
    left = 400 if size > 16 else 16 * (size - 4) ** 2
    first = [nn.Conv2d(1, 8, 3), nn.ReLU(), *pool]
    return nn.Sequential(*first, nn.Conv2d(8, 16, 3), nn.ReLU(), *pool, nn.Flatten(), nn.Linear(left, 10))


def pictures() -> tuple[Any, Any]:
    """Pictures of shape (n, 1, size, size) and their labels, for training and for a test: MNIST, or where it
    cannot be had, the 1,797 digits of scikit-learn."""
    try:
        parts = [data.MNIST(train=train) for train in (True, False)]
    except OSError as error:
        sys.stderr.write(f"the digits are those of scikit-learn: {error}\n")
        x, y = data.digits()
        x = x.reshape(-1, 1, 8, 8)
        return (x[300:], y[300:]), (x[:300], y[:300])
    train, test = [(part.data[:, None].astype(np.float32) / 255, part.targets) for part in parts]
    return train, test


def trained(epochs: int = 2) -> tuple[nn.Module, float, Any]:
    """The network after a training, how much of a test it reads right, and the test."""
    ad.seed(0)
    (x, y), test = pictures()
    model = network(x.shape[-1])
    adam = optim.Adam(model.parameters(), lr=2e-3)
    loader = data.DataLoader(data.TensorDataset(x, y), 64, shuffle=True, drop_last=True)
    training.Model(model, nn.CrossEntropyLoss(), adam, compile=True).fit(loader, epochs=epochs, verbose=False)
    with ad.no_grad():
        found = [np.argmax(model(test[0][i : i + 500]).numpy(), 1) for i in range(0, len(test[0]), 500)]
    return model, float(np.mean(np.concatenate(found) == test[1])), test


def written(model: nn.Module, right: float, test: Any) -> str:
    """The page."""
    x, y = test
    model.requires_grad_(False)

    def score(x: Any, chosen: Any) -> Any:
        logs = model(x).log_softmax(-1)
        return (logs * chosen).sum(), ad.exp(logs)[0]

    fast = ad.compile(ad.value_and_grad(score, has_aux=True))
    chosen = np.eye(10, dtype=np.float32)[3]
    fast(x[:1], chosen)
    captured = [each.tensor.numpy() for each in fast.arguments if each.kind == "captured"]  # type: ignore[union-attr]
    assert [each.kind for each in fast.arguments[:2]] == ["argument", "argument"]
    examples = [int(np.flatnonzero(y == digit)[0]) for digit in (3, 5, 7)]
    facts = {
        "size": x.shape[-1],
        "places": places_of(fast),
    }
    scripts = [
        module({"program": translated(fast)}, ["NdArray", "full", "packed"], minify=True),
        f"const FACTS = {json.dumps(facts)};",
        f"const WEIGHTS = [{', '.join(map(array_text, captured))}];",
        f"const EXAMPLES = [{', '.join(array_text(x[i, 0]) for i in examples)}];",
        (HERE / "digits.js").read_text(encoding="utf-8"),
    ]
    bars = "".join(BAR.format(k) for k in range(10))
    buttons = " ".join(f'<button type="button" class="example">a {y[i]}</button>' for i in examples)
    count = sum(each.size for each in captured)
    text = (HERE / "digits.html").read_text(encoding="utf-8")
    body = text.format(bars=bars, examples=buttons, count=count, right=right, tests=len(x))
    style = (HERE / "digits.css").read_text(encoding="utf-8")
    return page("Draw a digit", body, styles=[style], scripts=["\n".join(scripts)])


def places_of(fast: Any) -> dict[str, int]:
    """Where the gradient and the probabilities stand among the results."""
    shapes = [each.shape for each in fast.results]
    return {"gradient": next(i for i, s in enumerate(shapes) if len(s) == 4), "sure": shapes.index((10,))}


if __name__ == "__main__":
    save_page(written(*trained()), sys.argv[1])
