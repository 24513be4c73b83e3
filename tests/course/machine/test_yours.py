"""``yours``: all pieces from an empty file to the finished one, which then reads digits by itself; and what
it says, keeps and returns in each case."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autodiff_course import machine, yours
from autodiff_course.machine import live, store
from autodiff_course.machine.plan import TOP, assembled, find, parts, pieces

PIECES = list(pieces().values())
DATA = Path(os.environ.get("AUTODIFF_DATA") or "nowhere") / "mnist"

TRAIN_DIGITS = """
import numpy as np
import engine as my

file = np.load("digits.npz")
x, targets, unseen, answers = (file[name] for name in ("x", "targets", "unseen", "answers"))
rng = np.random.default_rng(0)
net = my.Sequential(my.Linear(64, 32, rng), my.tanh, my.Linear(32, 10, rng))
optimizer = my.Optimizer(my.parameters(net), my.sgd, 0.5)
losses = my.train(net, optimizer, x, targets, 30, 50, np.random.default_rng(1))
print(my.count_right(net, unseen, answers), round(losses[-1], 9))
"""
TRAIN_MNIST = """
import sys
import numpy as np
import engine as my

file = np.load(sys.argv[1])
x, targets, unseen, answers = (file[name] for name in ("x", "targets", "unseen", "answers"))
rng = np.random.default_rng(0)
first, second, last = my.Linear(784, 400, rng), my.Linear(400, 100, rng), my.Linear(100, 10, rng)
net = my.Sequential(first, my.relu, second, my.relu, last)
for p in my.parameters(net):
    p.data = p.data.astype(np.float32)
optimizer = my.Optimizer(my.parameters(net), my.adam, 0.002)
my.train(net, optimizer, x, targets, 6, 128, np.random.default_rng(1), schedule=my.warmup_cosine)
print(my.count_right(net, unseen, answers))
"""


def alone(folder, program, *arguments):
    """What a program prints that has the folder's files and NumPy, and not this package."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def digits(folder):
    """scikit-learn's digits, as lesson 13 divides them."""
    file = pytest.importorskip("sklearn.datasets").load_digits()
    shuffled = np.random.default_rng(0).permutation(len(file.target))
    seen, unseen = shuffled[:1297], shuffled[1297:]
    x, targets = file.data / 16, file.target
    np.savez(
        folder / "digits.npz", x=x[seen], targets=targets[seen], unseen=x[unseen], answers=targets[unseen]
    )


# -- from an empty file to the finished one -----------------------------------------------------------------


def other_form(code):
    """The same answer as a reader might write it: other words in the docstring, a comment, more blank
    lines."""
    lines = []
    for line in code.split("\n"):
        quoted = line.strip().startswith('"""') and line.count('"""') == 2
        lines.append(line.split('"""')[0] + '"""Mine."""' if quoted else line)
    return "\n".join([lines[0] + "  # mine", *lines[1:]])


@pytest.mark.thorough
def test_all_pieces_from_an_empty_file_to_the_finished_one(notebook, mine, capsys):
    lesson = 0
    for count, piece in enumerate(PIECES, start=1):
        if piece.lesson != lesson:
            lesson = piece.lesson
            notebook.restart()
            notebook.run(f"machine.start({lesson})\nfrom autodiff_course.machine import *")
            capsys.readouterr()
        notebook.answer(piece, other_form(piece.code))
        said = " ".join(capsys.readouterr().out.split())
        so_far = store.are_yours(count, len(PIECES))
        assert said == f"Right. Kept in mine/engine.py. Of the whole machine, {so_far}"
    text = (mine / "engine.py").read_text(encoding="utf-8")
    own = {piece.name: other_form(piece.code) for piece in PIECES}
    assert text == assembled(len(parts()), own)
    assert "the reference" not in text
    earlier = (mine / "earlier.py").read_text(encoding="utf-8")
    assert [line for line in earlier.splitlines() if line.startswith("# ")] == [
        "# 03 backward: yours", "# 04 backward: yours", "# 05 gradients: yours", "# 10 gradients: yours",
    ]  # fmt: skip
    compile(earlier, "earlier.py", "exec")
    notebook.restart()
    notebook.run("machine.start()")
    assert capsys.readouterr().out == f"Your machine: {len(pieces())} of {len(pieces())} pieces are yours.\n"
    digits(mine)
    right, _ = alone(mine, TRAIN_DIGITS)
    assert int(right) >= 485


@pytest.fixture(scope="module")
def whole_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("file")
    (folder / "engine.py").write_text(assembled(len(parts())), encoding="utf-8")
    return folder


def test_the_file_alone_gives_the_package_s_loss_on_digits(whole_file):
    digits(whole_file)
    from autodiff import Tensor, nn

    file = np.load(whole_file / "digits.npz")
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=(64, 32)) / 8, np.zeros(32), rng.normal(size=(32, 10)) / 32**0.5, np.zeros(10)]
    ps, rng, loss_of = [Tensor(w) for w in weights], np.random.default_rng(1), nn.CrossEntropyLoss()
    for _ in range(30):
        shuffled = rng.permutation(1297)
        for begin in range(0, 1297, 50):
            batch = shuffled[begin : begin + 50]
            hidden = (file["x"][batch] @ ps[0] + ps[1]).tanh()
            loss = loss_of(hidden @ ps[2] + ps[3], file["targets"][batch])
            loss.backward()
            for p in ps:
                p -= 0.5 * p.grad
                p.grad = None
    right, last = alone(whole_file, TRAIN_DIGITS)
    assert float(last) == pytest.approx(float(loss.data), rel=1e-6)
    assert int(right) >= 485


def idx(name, skip):
    with gzip.open(DATA / name) as file:
        return np.frombuffer(file.read(), np.uint8, offset=skip)


@pytest.mark.skipif(not DATA.exists(), reason="AUTODIFF_DATA names no folder with mnist in it")
def test_the_file_alone_reads_mnist_at_98_percent(whole_file, request):
    if not request.config.getoption("--thorough"):
        pytest.skip("it trains for two minutes: with --thorough only")
    pictures = {
        "x": idx("train-images-idx3-ubyte.gz", 16), "unseen": idx("t10k-images-idx3-ubyte.gz", 16),
    }  # fmt: skip
    arrays = {
        name: values.reshape(-1, 784).astype(np.float32) / np.float32(255)
        for name, values in pictures.items()
    }
    arrays |= {
        "targets": idx("train-labels-idx1-ubyte.gz", 8),
        "answers": idx("t10k-labels-idx1-ubyte.gz", 8),
    }
    np.savez(whole_file / "mnist.npz", **arrays)
    (right,) = alone(whole_file, TRAIN_MNIST, "mnist.npz")
    assert int(right) >= 9800


# -- what is said, kept and returned ------------------------------------------------------------------------


SLOPE = "def slope(f, x, h=0.001):\n    return (f(x + h) - f(x - h)) / (2 * h)"


def said(capsys):
    return " ".join(capsys.readouterr().out.split())


def test_a_stub_gets_the_reference_and_nothing_is_written(notebook, mine, capsys):
    result = notebook.answer(find("02 slope"), find("02 slope").stub)
    assert said(capsys) == (
        "Not done yet: 02 slope (1 line). The lesson goes on with the reference; "
        "yours takes its place as soon as it is right."
    )
    assert result(lambda x: x * x, 3) == pytest.approx(6)
    assert not mine.exists()


@pytest.mark.parametrize(
    "body", ["pass", "...", "return", "raise NotImplementedError", '"""Only words."""', "return ..."]
)
def test_every_empty_body_is_a_stub(notebook, capsys, body):
    notebook.answer(find("02 slope"), f"def slope(f, x, h=0.001):\n    {body}")
    assert said(capsys).startswith("Not done yet: 02 slope (1 line).")


def test_none_is_not_done_yet(notebook, capsys):
    notebook.run("slope = yours('02 slope', None)")
    assert said(capsys).startswith("Not done yet")


def test_a_wrong_piece_gets_the_mistake_and_the_reference(notebook, mine, capsys):
    result = notebook.answer(find("02 slope"), SLOPE.replace("(2 * h)", "h"))
    assert capsys.readouterr().out == (
        "Not right yet: 02 slope.\n"
        "    def f(a): return (a + 2) * (3 * a + 4)\n"
        "    round(slope(f, 2), 6)\n"
        "gives 44; it should be 22. Between x - h and x + h, x moves by 2h, not by h.\n"
        "The lesson goes on with the reference; yours takes its place as soon as it is right.\n"
    )
    assert result(lambda x: x * x, 3) == pytest.approx(6)
    assert not mine.exists()


def test_a_right_piece_is_kept_and_is_what_the_machine_runs_on(notebook, mine, capsys):
    notebook.run("machine.start(2)")
    result = notebook.answer(find("02 slope"), SLOPE)
    kept = f"Right. Kept in mine/engine.py. Of the whole machine, 1 of {len(pieces())} pieces is yours."
    assert kept in said(capsys)
    assert result is machine.slope
    text = (mine / "engine.py").read_text(encoding="utf-8")
    assert f"# 02 slope: yours\n\n{SLOPE}\n" in text
    assert "# 01 tree: the reference, until yours is right" in text
    assert "def backward" not in text  # the file goes as far as the reader's last lesson
    assert alone(mine, "import engine; print(engine.slope(lambda x: x * x, 3) > 5.9)") == ["True"]


def test_a_piece_that_was_right_stays_when_a_wrong_one_comes(notebook, mine, capsys):
    notebook.answer(find("02 slope"), SLOPE + "  # first")
    before = (mine / "engine.py").read_text(encoding="utf-8")
    result = notebook.answer(find("02 slope"), SLOPE.replace("(2 * h)", "h"))
    assert "The one that you kept in mine/engine.py before was right" in said(capsys)
    assert (mine / "engine.py").read_text(encoding="utf-8") == before
    assert result(lambda x: x * x, 3) == pytest.approx(6)
    notebook.answer(find("02 slope"), find("02 slope").stub)
    assert "The one that you kept" in said(capsys)


def test_a_better_version_takes_the_place_of_the_first(notebook, mine):
    notebook.answer(find("02 slope"), SLOPE)
    notebook.answer(find("02 slope"), SLOPE.replace("2 * h", "h + h"))
    text = (mine / "engine.py").read_text(encoding="utf-8")
    assert "h + h" in text
    assert "2 * h" not in text


def test_the_reference_handed_back_is_not_done_yet(notebook, mine, capsys):
    notebook.run("machine.start()\nslope = yours('02 slope', None)\nslope = yours('02 slope', slope)")
    assert said(capsys).count("Not done yet") == 2
    notebook.run("Tensor = yours('01 Tensor', machine.Tensor)\nRULES = yours('06 rules', machine.RULES)")
    assert said(capsys).count("Not done yet") == 2
    assert not mine.exists()


def test_the_machine_runs_what_was_handed_over_last(notebook, mine, capsys):
    notebook.run("machine.start(4)")
    for step in ("0.001", "0.0005"):
        notebook.answer(find("02 slope"), SLOPE.replace("0.001", step))
        assert f"h={step}" in live.MACHINE.own["02 slope"]
        assert notebook.names["machine"].slope.__defaults__ == (float(step),)


def test_a_kept_piece_whose_file_is_gone_is_judged_again(notebook, mine, capsys):
    notebook.answer(find("02 slope"), SLOPE)
    (mine / "engine.py").unlink()
    capsys.readouterr()
    notebook.run("slope = yours('02 slope', machine.slope)")
    assert "already" not in said(capsys)
    assert abs(notebook.names["slope"](lambda x: x * x, 3.0) - 6) < 1e-6


def test_a_kept_piece_may_be_handed_over_again(notebook, mine, capsys):
    notebook.answer(find("02 slope"), SLOPE)
    capsys.readouterr()
    notebook.run("slope = yours('02 slope', machine.slope)")
    assert said(capsys) == "Right. 02 slope is in mine/engine.py already."


def test_a_rows_piece_is_handed_over_as_a_dict(notebook, mine, capsys):
    notebook.run(
        "machine.start(3)\nmachine.give('03 RULES')\nRULES = machine.RULES\n"
        "RULES |= yours(\n    '03 mul',\n    {\n        'mul': (\n"
        "            lambda grad, z, x, y: y * grad,\n            lambda grad, z, x, y: x * grad,\n"
        "        ),\n    },\n)"
    )
    assert "Right." in said(capsys)
    assert notebook.names["RULES"] is machine.RULES
    assert machine.RULES["mul"][0](2, 30, 5, 6) == 12
    text = (mine / "engine.py").read_text(encoding="utf-8")
    assert "RULES |= {\n    'mul': (\n        lambda grad, z, x, y: y * grad," in text


def test_rows_that_are_open_are_named(notebook, capsys):
    code = find("06 rules").code.replace("grad / x", "None").replace("-grad", "None")
    notebook.answer(find("06 rules"), code)
    assert "Not done yet: 06 rules (5 lines). Still open: 'neg', 'log'." in said(capsys)
    notebook.answer(find("06 rules"), "RULES |= {'neg': (lambda grad, z, x: -grad,)}")
    assert "There is no row for 'pow'." in said(capsys)


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ("{'mul': lambda grad, z, x, y: grad * y}", "The row 'mul' is a function."),
        ("{'mul': (lambda grad, z, x, y: grad * y,)}", "The row 'mul' has to hold 2 rules"),
        (
            "{'mul': (lambda grad, x, y: grad * y, lambda grad, x, y: grad * x)}",
            "takes 4 arguments: grad, z, x, y.",
        ),
        ("{'mul': (3, 4)}", "takes 4 arguments"),
        ("[1, 2]", "A dict of rows is asked for, and this is [1, 2]."),
    ],
)
def test_the_form_of_rows_is_checked(notebook, capsys, rows, fault):
    notebook.run(f"answer = {rows}\nyours('03 mul', answer)")
    assert fault in said(capsys)


def test_a_function_of_another_name_and_a_lambda_are_accepted(notebook, mine, capsys):
    notebook.run(
        "def my_slope(f, x, h=0.001):\n    return (f(x + h) - f(x - h)) / 2 / h\nyours('02 slope', my_slope)"
    )
    assert "Right." in said(capsys)
    assert alone(mine, "import engine; print(engine.slope is engine.my_slope)") == ["True"]
    notebook.run("slope = lambda f, x, h=0.001: (f(x + h) - f(x - h)) / (2 * h)\nyours('02 slope', slope)")
    assert "Right." in said(capsys)


def test_a_class_of_another_name_is_accepted_and_its_methods_are_judged(notebook, mine, capsys):
    text = """
class MyRNN:
    def __init__(self, inputs, size, rng):
        self.x, self.h = Linear(inputs, size, rng), Linear(size, size, rng)

    def __call__(self, x, h{more}):
        return tanh(self.x(x) + self.h(h))


yours("26 RNN", MyRNN)"""
    notebook.run("machine.start(26)\nfrom autodiff_course.machine import Linear, tanh")
    notebook.run(text.format(more=", c"))
    assert "__call__ takes other arguments than asked for" in said(capsys)
    notebook.run(text.format(more=""))
    assert "Right." in said(capsys)
    assert alone(mine, "import engine; print(engine.RNN is engine.MyRNN)") == ["True"]


def test_a_lambda_in_the_call_itself_is_kept_without_the_call(notebook, mine, capsys):
    notebook.run("slope = yours('02 slope', lambda f, x, h=0.001: (f(x + h) - f(x - h)) / (2 * h))")
    assert "Right." in said(capsys)
    assert alone(mine, "import engine; print(engine.slope(lambda x: 3 * x, 0, 0.5))") == ["3.0"]


def test_a_function_from_an_earlier_cell_is_found(notebook, mine, capsys):
    notebook.run(SLOPE)
    notebook.run("x = 1\n\n\nslope = yours('02 slope', slope)")
    assert "Right." in said(capsys)


def test_of_two_functions_of_one_name_the_one_handed_over_counts(notebook, mine, capsys):
    notebook.run(f"{SLOPE.replace('2 * h', 'h')}\n\n\n{SLOPE}\n\n\nyours('02 slope', slope)")
    assert "Right." in said(capsys)


@pytest.mark.parametrize("answer", ["len", "3", "'slope'", "object()"])
def test_what_is_no_function_of_the_notebook_is_told_so(notebook, capsys, answer):
    notebook.run(f"yours('02 slope', {answer})")
    assert "A function is asked for, and this is" in said(capsys)


def test_a_function_without_source_is_told_so(notebook, capsys):
    notebook.run(f"exec({SLOPE!r})\nyours('02 slope', slope)")
    assert "I cannot see its source." in said(capsys)


def test_an_unknown_piece_names_those_of_its_lesson():
    with pytest.raises(
        ValueError, match="there is no piece '05 ordre'; this lesson has 05 order, 05 gradients"
    ):
        yours("05 ordre", None)
    with pytest.raises(ValueError, match="the first is '01 Tensor'"):
        yours("order", None)


def test_the_folded_reference_shows_its_code_only_when_it_is_opened():
    folded = live.Folded(find("05 order"))
    assert "while" not in repr(folded)
    assert folded._repr_markdown_().startswith("<details><summary>The reference for 05 order")
    assert "while stack" in folded._repr_markdown_()


def test_a_piece_that_later_lessons_find_too_narrow_is_kept_and_told_so(notebook, mine, capsys):
    code = find("06 rules").code.replace('grad * z,),\n    "log"', 'grad * math.exp(x),),\n    "log"')
    notebook.answer(find("06 rules"), code)
    text = said(capsys)
    assert "Right. Kept" in text
    assert "too narrow for lesson" in text
    notebook.restart()
    notebook.run("machine.start(24)")
    assert "In mine/engine.py, 06 rules is not right, so the reference stands in for it." in said(capsys)
    notebook.run("machine.start(7)")
    assert said(capsys) == "Your machine: 1 of 13 pieces is yours."


@pytest.mark.parametrize(
    ("name", "changes", "later", "asked"),
    [
        (
            "12 rules",
            ('apply("put", grad, index, shape(x))', "put(grad, index, shape(x))"),
            16,
            'Write apply("put", ...)',
        ),
        (
            "13 softmax",
            ("np.max(value(scores), axis=1, keepdims=True)", "scores.max(axis=1, keepdims=True)"),
            27,
            "Take a plain maximum",
        ),
    ],
    ids=["put of a Tensor", "the maximum of minus infinity"],
)
def test_what_a_later_lesson_finds_too_narrow_comes_with_its_reason(
    notebook, mine, capsys, name, changes, later, asked
):
    piece = find(name)
    assert changes[0] in piece.code
    notebook.answer(piece, piece.code.replace(*changes))
    text = said(capsys)
    assert "Right. Kept" in text
    assert f"too narrow for lesson {later:02}" in text
    assert asked in " ".join(text.split())


@pytest.mark.parametrize(
    ("name", "changes", "asked"),
    [
        ("06 rules", ("grad * (x > 0)", "grad if x > 0 else 0"), "multiply by a comparison"),
        ("06 divide", ("y**-1.0", "y**-1"), "to the power -1.0"),
        ("06 rules", ("grad * (1 - z * z)", "grad / math.cosh(x) ** 2"), "math's functions do not take"),
        ("06 rules", ("z * log(x)", "z * math.log(x)"), "use the machine's log"),
        ("08 step", ("p.data = p.data - rate", "p.data -= rate"), "Make a new one"),
        (
            "05 backward",
            ("arrived if node.grad is None else node.grad + arrived", "(node.grad or 0) + arrived"),
            "ask `is None`",
        ),
        (
            "05 backward",
            (
                "node.grad = arrived if node.grad is None else node.grad + arrived",
                (
                    "if node.grad is None:\n            node.grad = arrived\n"
                    "        else:\n            node.grad += arrived"
                ),
            ),
            "write a = a + b",
        ),
        (
            "05 gradients",
            (
                "arrived[creator] = arrived[creator] + contribution if creator in arrived else contribution",
                (
                    "if creator in arrived:\n                    arrived[creator] += contribution\n"
                    "                else:\n                    arrived[creator] = contribution"
                ),
            ),
            "write a = a + b",
        ),
    ],
    ids=[
        "if an array",
        "whole numbers",
        "math.cosh of an array",
        "math.log of an array",
        "-= on .data",
        "or an array",
        "+= on .grad",
        "+= on what has arrived",
    ],
)
def test_what_is_right_for_numbers_only_is_told_so_and_not_used_from_lesson_09_on(
    notebook, mine, capsys, name, changes, asked
):
    piece = find(name)
    assert changes[0] in piece.code
    notebook.answer(piece, piece.code.replace(*changes))
    text = said(capsys)
    assert "Right. Kept" in text
    assert "too narrow for lesson 09" in text
    assert "In the later lesson, it " in text
    assert asked in " ".join(text.split())
    for lesson, right in ((8, True), (9, False), (10, False)):
        if lesson == piece.lesson or (name == "05 gradients" and lesson == 10):
            continue  # lesson 08 begins without its own step, and lesson 10 has other gradients
        notebook.restart()
        notebook.run(f"machine.start({lesson})")
        text = said(capsys)
        assert ("Your machine: 1 of" in text) == right, text
        assert (f"{name} is not right, so the reference stands in for it." in text) != right, text


def test_the_machine_of_a_notebook_is_written_with_what_is_right_of_the_reader_s(notebook, mine, tmp_path):
    notebook.answer(find("02 slope"), SLOPE)
    notebook.answer(find("06 rules"), find("06 rules").code.replace("grad * (x > 0)", "grad if x > 0 else 0"))
    notebook.restart()
    notebook.run("machine.start(13)")
    text = machine.write(tmp_path).read_text(encoding="utf-8")
    assert "# 02 slope: yours" in text
    assert "# 06 rules: the reference" in text
    assert alone(tmp_path, "import engine; print(engine.unbroadcast.__name__)") == ["unbroadcast"]


def test_the_top_of_the_file_says_what_it_is(notebook, mine):
    notebook.answer(find("02 slope"), SLOPE)
    assert (mine / "engine.py").read_text(encoding="utf-8").startswith(TOP.splitlines()[0])
