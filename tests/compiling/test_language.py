"""A language is a table: with another table, the same writer writes another language."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

from autodiff.compiling.graph import ProgramGraph
from autodiff.compiling.language import (
    ATOM,
    MINUS,
    OPERATORS,
    PRODUCT,
    SUM,
    Language,
    Text,
    Writer,
    joined,
)
from autodiff.compiling.naming import Names
from autodiff.compiling.numbers import NUMBERS
from autodiff.compiling.plain import RUN
from autodiff.compiling.printing.expressions import READING

OTHER = Language(
    forms={
        "negative": (MINUS, "-{0:power}"),
        "power": "Math.pow({0}, {1})",
        "remainder": lambda writer, node, args: None if args[1].binds == ATOM else f"mod({joined(args)})",
    },
    takes_operator=lambda node: True,
    call=lambda writer, node, args: f"Math.{node.op}({joined(args)})",
    limits=("Infinity", "NaN"),
    digits=lambda value, dtype: str(value).lower(),
    operators=OPERATORS | {"equal": ("===", 1)},
)


def written(node, texts, language=OTHER):
    """A node as text: each node on the way in place, without lines."""
    writer = Writer()
    writer.language, writer.functions = language, set()

    def text(node):
        if node in texts:
            return Text(texts[node])
        if node.op == "const":
            return writer.literal(node.value)
        return writer.called(node, [text(arg) for arg in node.args])

    return text(node).text


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda g, a, b: g("multiply", g("subtract", a, b), a), "(a - b) * a"),
        (lambda g, a, b: g("subtract", a, g("subtract", b, a)), "a - (b - a)"),
        (lambda g, a, b: g("subtract", g("subtract", a, b), a), "a - b - a"),
        (lambda g, a, b: g("divide", a, g("multiply", a, b)), "a / (a * b)"),
        (lambda g, a, b: g("negative", g("add", a, b)), "-(a + b)"),
        (lambda g, a, b: g("multiply", a, g("negative", b)), "a * -b"),
        (lambda g, a, b: g("equal", g("less", a, b), g("less", b, a)), "(a < b) === (b < a)"),
        (lambda g, a, b: g("power", g("add", a, b), b), "Math.pow(a + b, b)"),
        (lambda g, a, b: g("tanh", g("multiply", a, b)), "Math.tanh(a * b)"),
        (lambda g, a, b: g("remainder", a, b), "a % b"),
        (lambda g, a, b: g("remainder", a, g("add", a, b)), "mod(a, a + b)"),
    ],
)
def test_a_table_is_a_language(make, expected):
    graph = ProgramGraph(())
    a, b = graph.input("a", number=float), graph.input("b", number=float)
    assert written(make(graph.elementwise, a, b), {a: "a", b: "b"}) == expected


@pytest.mark.parametrize(
    ("language", "infinity", "nan", "least"),
    [(RUN, "float('inf')", "float('nan')", "-0.5"), (NUMBERS, "inf", "nan", "-0.5"),
     (READING, "np.inf", "np.nan", "-0.5"), (OTHER, "Infinity", "NaN", "-0.5")],
)  # fmt: skip
def test_numbers_in_each_language(language, infinity, nan, least):
    assert language.literal(math.inf) == Text(infinity)
    assert language.literal(-math.inf) == Text(f"-{infinity}", MINUS)
    assert language.literal(math.nan) == Text(nan)
    assert language.literal(-0.5) == Text(least, MINUS)
    assert language.literal(-0.0).text == "-0.0"
    assert language.literal(2.5).binds == ATOM


VALUES = {"a": 1.5, "b": 0.75}
COMPUTED = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "remainder": operator.mod, "negative": operator.neg, "power": math.pow,
}  # fmt: skip


def tree(rng, depth):
    """A random expression: an operation and its operands, a name, or a number."""
    if not depth or rng.random() < 0.15:
        return str(rng.choice(["a", "b"])) if rng.random() < 0.6 else float(rng.choice([-2.0, -0.5, 3.0]))
    op = str(rng.choice([*COMPUTED]))
    return op, *(tree(rng, depth - 1) for _ in range(1 if op == "negative" else 2))


def value_of(part):
    if not isinstance(part, tuple):
        return VALUES.get(part, part)
    op, *parts = part
    return COMPUTED[op](*map(value_of, parts))


@pytest.mark.parametrize("language", [NUMBERS, READING], ids=["numbers", "reading"])
def test_the_text_of_any_expression_has_its_value(language):
    """Powers of negative numbers, powers of powers, differences of differences, products with remainders."""
    rng, compared = np.random.default_rng(0), 0
    for _ in range(600):
        graph = ProgramGraph(())
        names = {graph.input(name, number=float): name for name in VALUES}
        known = {name: node for node, name in names.items()}

        def made(part, graph=graph, known=known):
            if not isinstance(part, tuple):
                return known[part] if part in known else graph.const(part)
            op, *parts = part
            return graph.elementwise(op, *map(made, parts))

        part = tree(rng, 4)
        try:
            expected = value_of(part)
        except (ArithmeticError, ValueError):  # 1 / 0, or a power that is complex
            continue
        text = written(made(part), names, language)
        found = eval(text, {"np": np, "inf": math.inf, "nan": math.nan, **vars(math), **VALUES})
        np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=text)
        compared += 1
    assert compared > 300


def test_a_text_is_in_parentheses_where_it_binds_less():
    total, product = Text("a + b", SUM), Text("a * b", PRODUCT)
    assert [total.within(SUM), total.within(PRODUCT), product.within(SUM)] == ["a + b", "(a + b)", "a * b"]
    assert f"{total} {total:product} {product:atom}" == "a + b (a + b) (a * b)"


def test_names_are_taken_once():
    names = Names(("np",), {"given": 3.5})
    made = [names.new_name(wish) for wish in ("np", "x", "x", "in", "x")]
    assert made == ["np_2", "x", "x_2", "in_", "x_3"]
    assert [names.numbered("x"), names.numbered("sum"), names.numbered("sum", "·")] == ["x1", "sum1", "sum·2"]
    first, equal = np.ones(2), np.ones(2)
    assert [names.keep(each, "data") for each in (first, equal, first)] == ["data", "data_2", "data"]
    assert names.keep(names.constants["given"], "other") == "given"
    assert [names.keep(each, "array", each.tobytes()) for each in (first, equal)] == ["array", "array"]
    assert names.constants["data"] is first
    assert names.constants["data_2"] is equal
