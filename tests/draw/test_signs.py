"""Signs in pictures and words: those that the operations have, for the package's nodes and for a reader's."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import compare, draw, film
from autodiff.draw.graph.signs import known, sign_of
from autodiff.draw.picture.signs import typeset
from tests.draw.readers import Tensor, face, made

SHOWN = {
    "add": "+", "sub": "−", "mul": "×", "div": "÷", "pow": "^", "matmul": "@", "neg": "−", "transpose": "T",
    "remainder": "%", "floor_divide": "//", "exp": "exp", "mm": "@", "+": "+", "-": "−", "*": "×", "/": "÷",
    "**": "^", "@": "@", "attention": "attention",
}  # fmt: skip


@pytest.mark.parametrize("word", SHOWN)
def test_pictures_of_a_reader_s_nodes_show_the_sign(word):
    x, y = Tensor(1.0), Tensor(2.0)
    spread = draw(made(word, 3.0, x, y), style="spread")
    assert face(spread, "o2").title == SHOWN[word]
    assert f'(("{SHOWN[word]}"))' in spread.mermaid
    compact = draw(made(word, 3.0, x, y))
    sign = SHOWN[word]
    assert face(compact, "n2").title in (f"x {sign} y", f"{sign}(x, y)")
    mermaid = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), compact.mermaid)
    assert f'n2["{face(compact, "n2").title}<br/>' in mermaid


def test_pictures_of_the_package_s_nodes_show_the_sign():
    x = ad.Tensor(np.ones((2, 2)), name="x")
    for out, shown in [(x * x, "×"), (x @ x, "@"), (x.T, "T"), (-x, "−"), (x % 3, "%"), (x.exp(), "exp")]:
        assert face(draw(out, style="spread"), "o1").title == shown
    titles = [face(draw(out), "n1").title for out in (x * 2, x.T, -x, x**2, x.exp(), 3 / x)]
    assert titles == ["out = x × 2", "out = T(x)", "out = −x", "out = x ^ 2", "out = exp(x)", "out = 3 ÷ x"]
    words = [repr(draw(out)).splitlines()[-1].partition("  ")[0] for out in (x % 3, x.T, -x)]
    assert [word.partition(" = ")[2] for word in words] == ["x % 3", "transpose(x)", "-x"]


def test_an_operation_of_one_s_own_shows_its_own_sign():
    @ad.operation(sign="&")
    def both(x, y):
        return x * y

    both.backward(lambda grad, z, x, y: grad * y, lambda grad, z, x, y: grad * x)
    x, y = ad.Tensor(2.0, name="x"), ad.Tensor(3.0, name="y")
    z = both(x, y)
    assert face(draw(z, style="spread"), "o2").title == "&"
    assert face(draw(z), "n2").title == "z = x & y"
    assert ">z = x &amp; y</text>" in draw(z).svg
    assert repr(draw(z)).splitlines()[-1].startswith("z = x & y ")
    assert "z = x & y" in film(z).text
    assert sign_of(z.creation_op) == "&"
    assert known("both") is None


def test_a_sign_means_the_operation_on_two_operands():
    assert known("-") is ad.sub
    assert known("T") is None
    assert known(None) is None
    assert (sign_of("T"), sign_of("exp"), sign_of(object())) == (None, None, None)
    assert typeset(None, None) == ""


def test_a_reader_s_signs_are_compared_with_the_package_s_operations():
    a, b = Tensor(2.0), Tensor(3.0)
    mine = made("**", 8.0, a, b)
    mine.grad, a.grad, b.grad = 1.0, 12.0, 8.0 * np.log(2)
    assert compare(ad.Tensor(2.0) ** ad.Tensor(3.0), mine).difference is None
    assert compare(ad.Tensor(2.0) * ad.Tensor(3.0), mine).difference.kind == "operation"


X = np.array([[-1.0, 2.0, 3.0], [0.5, -2.0, 1.0]])


@pytest.mark.parametrize(
    ("f", "says"),
    [
        (lambda x, b: ad.gelu(x), ["∂y/∂x += ∂y/∂z · ∂z/∂x = "]),
        (
            lambda x, b: ad.where(X > 0, x, b),
            ["∂y/∂x += ∂y/∂z · ∂z/∂x = [[0, 1, 1], [1, 0, 1]]", "∂y/∂b += sum(∂y/∂z · ∂z/∂b) = [1, 1, 0]"],
        ),
        (
            lambda x, b: ad.clip(x, -1.5, b),
            ["∂y/∂x += ∂y/∂z · ∂z/∂x = [[1, 0, 0], [1, 0, 0]]", "∂y/∂b += sum(∂y/∂z · ∂z/∂b) = [0, 1, 2]"],
        ),
        (lambda x, b: ad.ops.shaping.cast(x, dtype="float32"), ["∂y/∂x += ∂y/∂z · ∂z/∂x = [[1, 1, 1], "]),
        (lambda x, b: ad.hypot(x, x), ["∂y/∂z · ∂z/∂(1st x) = ", "∂y/∂z · ∂z/∂(2nd x) = "]),
        (lambda x, b: ad.nn.losses.huber(x), ["∂y/∂x += ∂y/∂z · ∂z/∂x = [[-1, 1, 1], [0.5, -1, 1]]"]),
        (lambda x, b: ad.ops.shaping.broadcast_to(b, shape=(2, 3)), ["∂y/∂b += [2, 2, 2]"]),
        (lambda x, b: x.T, ["∂y/∂x += [[1, 1, 1], [1, 1, 1]]"]),
        (lambda x, b: ad.cumsum(x), ["∂y/∂x += [[6, 5, 4], [3, 2, 1]]"]),
    ],
)
def test_the_film_tells_the_local_slope_of_elementwise_operations_alone(f, says):
    x, b = ad.Tensor(X, name="x"), ad.Tensor([5.0, 1.0, 0.5], name="b")
    z = f(x, b)
    z.name = "z"
    y = z.sum()
    y.name = "y"
    told = film(y).text
    for line in says:
        assert line in told


def test_the_film_tells_of_one_s_own_operation_what_its_rule_hands_on():
    def told(kind):
        @ad.operation(kind=kind)
        def cube(x):
            return x * x * x

        cube.backward(lambda grad, z, x: grad * 3 * x * x)
        x = ad.Tensor([1.0, 2.0], name="x")
        z = cube(x)
        z.name = "z"
        return film(z.sum()).text.splitlines()[-1]

    for kind in ("elementwise", None):
        assert told(kind).endswith("∂x += (the rule of cube) [3, 12]"), kind
