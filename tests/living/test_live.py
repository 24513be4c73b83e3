"""A live page: its numbers are Python's to the last bit, its parts belong together, and it is small."""

from __future__ import annotations

import base64
import json
import math
import random
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw.graph.as_text import blocks, brief
from autodiff.engine.tracing import TraceError
from autodiff.living import live
from tests.living import node
from tests.living.functions import OF_ARRAYS, OF_NUMBERS, course, kinks, layer, net, network, neuron, reused
from tests.living.test_page import Reader

FUNCTIONS = OF_NUMBERS | OF_ARRAYS
HERE = Path(ad.__file__).parent / "living"
EXACT = (course, kinks, reused)
"""The others call exp, tanh or log, whose last bit is V8's in a page and the C library's in Python, or sum
arrays, in another order."""
needs_node = pytest.mark.skipif(node.PROGRAM is None, reason="node is not installed")
by_name = pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)


def data_of(page):
    """The data that the script of a page has."""
    return json.loads(re.search(r"^const GRAPH = (.*);$", page.html, re.MULTILINE)[1])


def script_of(page):
    """The program of a page and its data, without what needs a browser."""
    script = Reader(page.html).texts["script"][0]
    return script[: script.index("\n", script.index("const GRAPH"))]


# -- numbers ------------------------------------------------------------------------------------------------


@needs_node
@by_name
def test_the_numbers_equal_those_of_the_program_in_python(f):
    page = live(f, **FUNCTIONS[f])
    inputs, dice = data_of(page)["inputs"], random.Random(1)
    points = [[dice.gauss(0, 1) for _ in inputs] for _ in range(200)]
    compute = (HERE / "graph.js").read_text(encoding="utf-8")
    compute = re.search(r"^const elements.*?^function compute.*?^}$", compute, re.MULTILINE | re.DOTALL)[0]
    compute += (HERE / "streams.js").read_text(encoding="utf-8")
    found = node.run(f"{script_of(page)}\n{compute}\nreturn {json.dumps(points)}.map(compute);")
    edges = data_of(page)["edges"]
    open_edges = [k for k, edge in enumerate(edges) if edge.get("level", 0) == len(page._levels) - 1]
    for numbers in found:
        numbers |= {part: [numbers[part][k] for k in open_edges] for part in ("slope", "flow")}
    mine = np.array([flat(numbers) for numbers in found], dtype=float)
    theirs = np.array([flat(in_python(page._program, point)) for point in points])
    assert mine.shape == theirs.shape
    assert mine.shape[1] > 4 * len(inputs)
    if f in EXACT:
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-14)


def flat(numbers):
    """All numbers in one list; edges between arrays have no slope, and what leads to a constant no stream."""
    values = [value for part in ("data", "grad", "slope", "flow") for value in numbers[part]]
    return [x for value in values if value is not None for x in value]


def in_python(program, point):
    """The same numbers by the compiled program."""
    entry, places, operands = program.fast._entry(), program.places, []
    for argument in program.arguments:
        start, shape = argument["from"], argument["shape"]
        size = 1 if shape is None else int(np.prod(shape))
        if "packed" in argument:
            packed = base64.b64decode(argument["packed"])
            operands.append(np.frombuffer(packed, argument["dtype"]).reshape(shape))
            continue
        numbers = argument.get("values") or point[start : start + size]
        operands.append(numbers[0] if shape is None else np.reshape(np.array(numbers), shape))
    results = entry.program.run(*operands)

    def read(place):
        return None if place is None else np.ravel(operands[-1 - place] if place < 0 else results[place])

    walked = program.walked
    edges = [(i, place) for i in range(len(walked.order)) for place, _ in walked.places(i)]
    constants = [walked.is_constant(i) for i in range(len(walked.order))]
    return {
        "data": [read(place) for place in places.values],
        "grad": [None if still else read(place) for still, place in zip(constants, places.grads)],
        "slope": [read(places.slopes.get(edge)) for edge in edges],
        "flow": [read(places.flows.get(edge)) for edge in edges],
    }


@needs_node
def test_numbers_are_written_as_in_pictures():
    script = (HERE / "numbers.js").read_text(encoding="utf-8")
    dice = random.Random(2)
    numbers = [dice.gauss(0, 1) * 10 ** dice.uniform(-9, 9) for _ in range(500)]
    numbers += [0.0, -0.0, 1.0, -40.0, 65535.0, 99999.0, 100000.0, 123456.0, 1e-4, 1e-5, 999.6, 1e300, 5e-324]
    found = node.run(f"{script}\nreturn {json.dumps(numbers)}.map((x) => brief(x));")
    assert found == [brief(x) for x in numbers]
    odd = node.run(f"{script}\nreturn [NaN, Infinity, -Infinity].map((x) => brief(x));")
    assert odd == ["nan", "inf", "-inf"]


@needs_node
def test_numbers_fit_their_boxes():
    script = (HERE / "numbers.js").read_text(encoding="utf-8")
    dice = random.Random(3)
    numbers = [dice.gauss(0, 1) * 10 ** dice.uniform(-12, 12) for _ in range(500)]
    found = node.run(f"{script}\nreturn {json.dumps(numbers)}.map((x) => [inBox(x), inCell(x)]);")
    assert max(len(box) for box, _ in found) <= 8
    assert max(len(cell) for _, cell in found) <= 7


@needs_node
@pytest.mark.parametrize("shape", [(8,), (8, 2), (1, 30), (7, 13), (40, 40), (3, 5, 4), (13, 1)])
def test_the_map_of_a_large_array_is_that_of_pictures(shape):
    script = (HERE / "maps.js").read_text(encoding="utf-8")
    array = np.random.default_rng(0).standard_normal(shape)
    rows, is_whole = blocks(array)
    assert not is_whole
    columns = shape[-1] if len(shape) > 1 else array.size
    table = [len(rows), len(rows[0]), array.size // columns, columns]
    found = node.run(f"{script}\nreturn farthest({array.ravel().tolist()}, {table});")
    assert found == [x for row in rows for x in row]


@needs_node
@pytest.mark.parametrize(
    ("text", "number"),
    [("2", 2), (" -1.5 ", -1.5), ("\N{MINUS SIGN}3", -3), ("1,5", 1.5), ("1e-3", 0.001), ("", "NaN"),
     ("two", "NaN"), ("1.2.3", "NaN"), ("1/0", "NaN")],
)  # fmt: skip
def test_what_is_typed_is_a_number_or_nothing(text, number):
    script = (HERE / "numbers.js").read_text(encoding="utf-8")
    assert node.run(f"{script}\nreturn parsed({json.dumps(text)});") == number


# -- the page -----------------------------------------------------------------------------------------------


@by_name
def test_every_node_and_edge_has_its_place_in_the_picture(f):
    page = live(f, **FUNCTIONS[f])
    data, text = data_of(page), page.html
    assert re.findall(r'data-n="(\d+)"', text) != []
    assert {*map(int, re.findall(r'data-n="(\d+)"', text))} == {*range(len(data["nodes"]))}
    assert {*map(int, re.findall(r'data-e="(\d+)"', text))} == {*range(len(data["edges"]))}
    for i in range(len(data["nodes"])):
        box = re.search(rf'<g data-n="{i}">(.*?)</g>', text)[1]
        count = box.count('<text class="') and len(re.findall(r'<text[^>]* data-p="data"', box))
        value = page._program.walked.order[i].data
        assert count == (1 if data["nodes"][i]["map"] else np.size(value))


def test_a_page_takes_thirty_kilobytes_beside_its_graph():
    page = live(course, a=2.0)
    own = graph_of(page)
    assert 5_000 < len(own) < 10_000
    assert len(page.html.encode()) - len(own.encode()) < 30_000


def graph_of(page):
    """What a page has of its graph alone: the picture with its style, the data, the program and the code."""
    style = Reader(page.html).texts["style"][0].strip().splitlines()[-1]
    assert style.startswith("#live-")
    parts = [r"<svg xmlns.*?</svg>", r"const GRAPH = [^\n]*", r"function program.*?\n}", "<pre .*?</pre>"]
    parts.append("<tbody>.*?</tbody>")
    return style + "".join("".join(re.findall(part, page.html, re.DOTALL)) for part in parts)


def test_thirty_five_nodes_stay_small():
    assert len(live(network, **OF_NUMBERS[network]).html.encode()) < 82_000


def test_it_says_what_it_shows_without_a_script():
    page = live(course, a=2.0)
    shown = unescape(re.sub(r"<script.*?</script>|<style.*?</style>", "", page.html, flags=re.DOTALL))
    assert "e = 40" in shown
    assert page.description in shown
    assert re.search(r'<td class="al-grad">22</td>', shown)
    assert "<noscript>" in shown


def test_it_prints_as_the_table_of_draw():
    assert live(course, a=2.0).text == repr(live(course, a=2.0))
    assert "c = v2 + 4    10     4  4, -\n" in live(course, a=2.0).text


def test_gradients_that_the_tensors_have_are_neither_read_nor_changed():
    w = ad.Tensor(3.0, name="w")
    w.grad = 7.0
    page = live(lambda a: a * w, a=2.0)
    assert w.grad == 7.0
    assert "7" not in page.text


def test_what_the_function_refers_to_can_be_moved_too():
    names = [one["name"] for one in data_of(live(layer, x=[1.0, -2.0, 0.5]))["inputs"]]
    assert names == ["x[0]", "x[1]", "x[2]", *[f"W[{i}, {j}]" for i in range(2) for j in range(3)]]


def test_a_constant_cannot_be_moved():
    c = ad.Tensor(3.0, name="c", requires_grad=False)
    data = data_of(live(lambda a: a * c, a=2.0))
    assert [one["name"] for one in data["inputs"]] == ["a"]
    assert [argument.get("values") for argument in data["arguments"]] == [None, [3.0]]


def test_a_captured_zero_is_itself():
    zero = ad.Tensor(0.0, name="zero")
    data = data_of(live(lambda a: a * zero + a, a=2.0))
    assert [(one["name"], one["value"]) for one in data["inputs"]] == [("a", 2.0), ("zero", 0.0)]


@pytest.mark.parametrize(
    ("i", "rule"), [(1, ["c"]), (3, ["b"]), (2, ["1"]), (0, ["1", "3"])], ids=["b", "c", "product", "a"]
)
def test_a_rule_is_the_slope_in_terms_of_nodes(i, rule):
    edges = data_of(live(course, a=2.0))["edges"]
    assert [edge["rule"] for edge in edges if edge["from"] == i] == rule


def test_a_slope_of_its_own_is_written_out():
    edges = data_of(live(neuron, **OF_NUMBERS[neuron]))["edges"]
    assert "1 - o * o" in [edge["rule"] for edge in edges]


def test_each_line_of_code_knows_its_nodes():
    text = live(course, a=2.0).html
    source = re.search(r'<pre class="al-source">(.*?)</pre>', text, re.DOTALL)[1]
    found = re.findall(r"<span(?: data-of=\"([\d ]+)\")?>(.*?)</span>", source)
    assert [(nodes, line.strip()) for nodes, line in found] == [
        ("", "def course(a):"), ("1", "b = a + 2"), ("2 3", "c = 3 * a + 4"), ("4", "e = b * c"),
        ("", "return e  # noqa: RET504 - the page shows this name"),
    ]  # fmt: skip


def test_each_line_of_the_program_knows_its_nodes():
    rows = live(course, a=2.0)._program.rows
    assert [(python.strip(), nodes) for python, _, nodes in rows] == [
        ("def program(a):", []), ("b = a + 2", [1]), ("v2 = 3 * a", [2]), ("c = v2 + 4", [3]),
        ("e = b * c", [4]), ("d_a_from_v2 = b * 3", [0]), ("d_a = d_a_from_v2 + c", [0]),
        ("# d_e is 1", [4]), ("# d_c is b", [3]), ("# d_v2 is b", [2]), ("# d_b is c", [1]),
        ("return ...  # all of these, the slopes and the streams", []),
    ]  # fmt: skip


def test_it_is_saved_as_one_file(tmp_path):
    live(course, a=2.0).save(tmp_path / "course.html")
    assert (tmp_path / "course.html").read_text(encoding="utf-8") == live(course, a=2.0).html


def test_titles_and_themes():
    page = live(course, a=2.0, title="One & two", theme="dark")
    assert "<title>One &amp; two</title>" in page.html
    assert "prefers-color-scheme" not in page.html


# -- modules ------------------------------------------------------------------------------------------------


def deep(x):
    for k in range(9):
        with ad.scope(f"step {k}"):
            x = ad.tanh(x * 0.5 + 1) * x - 0.1 * x * x
    return x


def test_a_large_graph_begins_with_its_boxes_closed():
    page = live(deep, x=0.3)
    assert len(page._program.walked.order) > 60
    assert [len(level.graph.items()) for level in page._levels] == [11]
    assert len(page._levels[0].closed) == 9
    assert "data-b=" in page.html
    assert "al-levels" not in page.html


def test_a_higher_limit_lets_it_open():
    page = live(deep, x=0.3, limit=100)
    data = data_of(page)
    assert len(page._levels) == 2
    assert data["start"] == 0
    assert page.html.count("<svg xmlns") == 2
    assert '<option value="0" selected>closed<' in page.html


@needs_node
@pytest.mark.parametrize("f", [net, deep], ids=["net", "deep"])
def test_what_flows_out_of_closed_boxes_adds_up_to_the_gradient(f):
    page = live(f, limit=100, **({"x": [0.5, -1.0]} if f is net else {"x": 0.3}))
    data = data_of(page)
    compute = re.search(
        r"^const elements.*?^function compute.*?^}$",
        (HERE / "graph.js").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )[0]
    compute += (HERE / "streams.js").read_text(encoding="utf-8")
    numbers = [one["value"] for one in data["inputs"]]
    found = node.run(f"{script_of(page)}\n{compute}\nreturn compute({json.dumps(numbers)});")
    for k, level in enumerate(page._levels):
        arrived = {}
        for edge, flow in zip(data["edges"], found["flow"]):
            if edge.get("level", 0) == k and edge["from"] not in level.closed:
                arrived[edge["from"]] = np.add(arrived.get(edge["from"], 0.0), flow)
        assert len(arrived) >= 2 - (f is deep)
        for i, total in arrived.items():
            np.testing.assert_allclose(total, found["grad"][i], rtol=1e-12)


# -- what is refused ----------------------------------------------------------------------------------------


def with_if(a):
    return a * a if a > 1 else a


@ad.operation
def gamma(x):
    return np.vectorize(math.gamma)(x)


gamma.backward(lambda grad, z, x: grad * z)


def with_gamma(a):
    b = a * 2
    d = gamma(b)
    return d.sum()


BIG = ad.Tensor(np.ones((9, 9)), name="BIG")
HUGE = ad.Tensor(np.ones((400, 400)), name="HUGE")
REFUSED = {
    "no function": (lambda: live(3.0), TypeError, "live needs a function"),
    "no inputs": (lambda: live(lambda: BIG.sum()), TypeError, "numbers to begin with"),
    "no such input": (lambda: live(course, b=1.0), TypeError, "do not fit"),
    "a word": (lambda: live(course, a="two"), TypeError, "the input a is two: give a number"),
    "a truth": (lambda: live(course, a=True), TypeError, "give a number"),
    "nothing": (lambda: live(course, a=None), TypeError, "give a number"),
    "ragged": (lambda: live(course, a=[[1.0], [1.0, 2.0]]), TypeError, "give a number"),
    "complex": (lambda: live(course, a=1j), TypeError, "give a number"),
    "a large array": (lambda: live(lambda a: a.sum(), a=np.ones((9, 9))), TypeError, r"shape \(9, 9\)"),
    "an empty array": (lambda: live(lambda a: a.sum(), a=[]), TypeError, r"shape \(0,\)"),
    "a huge array": (lambda: live(lambda a: (a * HUGE).sum(), a=1.0), ValueError, "refers to HUGE of"),
    "no tensor": (lambda: live(lambda a: 3.0, a=1.0), TypeError, "returns a Tensor, and it returned 3"),
    "many numbers": (lambda: live(lambda a: a * 2, a=[1.0, 2.0]), ValueError, "a single number"),
    "unused": (lambda: live(lambda a, b: a * 2, a=1.0, b=2.0), ValueError, "not computed from b"),
    "itself": (lambda: live(lambda a: a, a=1.0), ValueError, "not computed from a"),
    "an if": (lambda: live(with_if, a=2.0), TraceError, r"(?s)ad\.where.*if a > 1"),
    "too many nodes": (lambda: live(course, a=2.0, limit=4), ValueError, "5 nodes, and limit=4"),
    "a wrong limit": (lambda: live(course, a=2.0, limit="all"), TypeError, "limit"),
    "a wrong theme": (lambda: live(course, a=2.0, theme="pink"), ValueError, "unknown theme 'pink'"),
    "a picture": (lambda: live(course, a=2.0).save("x.png"), ValueError, r"end the name in \.html"),
    "no folder": (lambda: live(course, a=2.0).save("/nowhere/x.html"), FileNotFoundError, "no directory"),
    "no counterpart": (
        lambda: live(with_gamma, a=[1.0, 2.0]),
        NotImplementedError,
        r"(?s)^d is made by the operation gamma, which a page cannot .* in the line: d = gamma\(b\)$",
    ),
    "random": (lambda: live(lambda a: a * ad.rand(()), a=2.0), ValueError, "draws random numbers"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused(case):
    call, kind, message = REFUSED[case]
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("value", [2, np.float32(2), np.int64(2), np.array(2.0), ad.Tensor(2.0)])
def test_every_kind_of_number_is_taken(value):
    assert live(course, a=value).text == live(course, a=2.0).text
