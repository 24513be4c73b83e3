"""What the first page computes as somebody types: the values and gradients that Python has for the text."""

from __future__ import annotations

import json
import math
import random
import shutil
import subprocess
from pathlib import Path

import pytest

import autodiff as ad

STATIC = Path(__file__).parents[2] / "docs" / "_static"
FUNCTIONS = (
    "exp", "log", "sqrt", "square", "sin", "cos", "tanh", "sigmoid", "relu", "abs", "maximum", "minimum",
)  # fmt: skip
TEXTS = [
    "b = 3 * a; c = a + 2; d = b + 4; e = c * d",
    "(a + 2) * (3 * a + 4)",
    "a * a * a - a / b",
    "-a ** 2 + 2 ** -b",
    "a ** b ** 0.5",
    "h = tanh(w * x + b)\nloss = (h - y) ** 2",
    "maximum(a, b) + minimum(a, b) * relu(-a)",
    "a = 1.5; b = a; c = b * b; d = c + .5e1",
    "log(exp(a) + exp(b)) - 1e-3 * abs(a - b)",
]


@pytest.fixture(scope="module")
def answers():
    """The nodes of texts with values of their leaves: name, value, gradient and line; or the error."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed: apt-get install nodejs")
    script = (STATIC / "play_engine.js").read_text(encoding="utf-8") + """
        const asText = (x) => (Object.is(x, -0) ? "-0" : String(x).replace("Infinity", "inf"));
        function answer([text, values]) {
          try {
            const nodes = playEngine.nodesOf(text);
            for (const n of nodes) if (n.start !== undefined) values[n.name] = n.start;
            playEngine.run(nodes, values);
            return nodes.map((n) => [n.name, asText(n.value), asText(n.gradient), playEngine.lineOf(n)]);
          } catch (error) {
            return {message: error.message, start: error.start, end: error.end};
          }
        }
        console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0)).map(answer)));
    """

    def ask(questions):
        found = subprocess.run(
            ["node", "-e", script], input=json.dumps(questions), capture_output=True, text=True, check=True
        )
        return json.loads(found.stdout)

    return ask


def in_python(lines, values):
    """The value and gradient of each node, from its lines as Python, with the package's own Tensors."""
    known = {name: getattr(ad, name) for name in FUNCTIONS if name != "abs"}
    known |= {"Tensor": lambda value: ad.Tensor(float(value)), "inf": math.inf, "NaN": math.nan}
    for name, value in values.items():
        made = f"{name} = Tensor("
        lines = [f"{made}{value!r})" if line.startswith(made) else line for line in lines]
    exec("\n".join(lines), known)
    nodes = [known[line.partition(" = ")[0]] for line in lines]
    slopes = ad.gradients(nodes[-1], nodes)
    return [(node.item(), slope.item()) for node, slope in zip(nodes, slopes)]


def check(found, values):
    expected = in_python([line for *_, line in found], values)
    for (name, value, gradient, _), (other, slope) in zip(found, expected, strict=True):
        assert float(value) == pytest.approx(other, rel=1e-14, nan_ok=True), name
        assert float(gradient) == pytest.approx(slope, rel=1e-12, abs=1e-300, nan_ok=True), name


@pytest.mark.parametrize("text", TEXTS)
def test_values_and_gradients_are_those_of_python(answers, text):
    chance = random.Random(text)
    points = [{name: chance.uniform(0.1, 3) for name in "abwxy"} for _ in range(20)]
    for found, values in zip(answers([[text, point] for point in points]), points, strict=True):
        used = {name: values[name] for name, *_, line in found if " = Tensor(" in line and name in values}
        check(found, used if "a = 1.5" not in text else {})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_at_corners(answers, name):
    text = f"{name}(a, b)" if name in ("maximum", "minimum") else f"{name}(a)"
    points = [{"a": a, "b": 1.0} for a in (-2.0, -1.0, 0.0, 1.0, 2.0, 800.0)]
    for found, values in zip(answers([[text, point] for point in points]), points, strict=True):
        used = {each: values[each] for each, *_, line in found if " = Tensor(" in line}
        check(found, used)


@pytest.mark.parametrize("x", [-2.0, 0.0, 0.5])
@pytest.mark.parametrize("y", [-1.0, 0.0, 1.0, 2.0])
def test_powers_at_corners(answers, x, y):
    (found,) = answers([["a ** b", {"a": x, "b": y}]])
    check(found, {"a": x, "b": y})


@pytest.mark.parametrize(
    ("text", "message", "marked"),
    [
        ("", "type an expression", " "),
        ("a +", "the end is missing", " "),
        ("(a + b", "a bracket is open", " "),
        ("3a", r"between 3 and a a \* is missing", "a"),
        ("a b", "b is too much", "b"),
        ("a ^ 2", r"a power is written \*\*", "^"),
        ("a $ b", r"\$ means nothing here", "$"),
        ("foo(a)", "there is no function foo", "foo"),
        ("maximum(a)", "maximum takes two numbers", "maximum"),
        ("tanh(a, b)", "tanh takes one number", "tanh"),
        ("a = b; a = c", "a has a value already", "a"),
        ("2 * 3", "a number alone has no gradient", "2 * 3"),
        ("a * * b", r"a number or a name is missing before \*", "*"),
        ("+".join(f"a{i}" for i in range(30)), "this page draws 40 nodes", ""),
    ],
)
def test_what_cannot_be_read_is_marked(answers, text, message, marked):
    (found,) = answers([[text, {}]])
    with pytest.raises(ValueError, match=message):
        raise ValueError(found["message"])
    if marked:
        assert f"{text} "[found["start"] : found["end"]] == marked


def test_random_expressions(answers):
    chance = random.Random(3)

    def expression(depth):
        if depth == 0 or chance.random() < 0.2:
            return chance.choice(["a", "b", "c", "0.5", "2"])
        if chance.random() < 0.4:
            return f"{chance.choice(['tanh', 'sin', 'sigmoid', 'square', 'relu'])}({expression(depth - 1)})"
        return f"({expression(depth - 1)} {chance.choice('+-*')} {expression(depth - 1)})"

    texts = [f"a * b + {expression(3)}" for _ in range(200)]
    points = [{name: chance.uniform(-2, 2) for name in "abc"} for _ in texts]
    for found, values in zip(answers([*map(list, zip(texts, points))]), points, strict=True):
        used = {name: values[name] for name, *_, line in found if " = Tensor(" in line}
        check(found, used)
