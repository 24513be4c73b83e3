"""What goes wrong in real notebooks: code that does not end or leans on the notebook, restarts, cells and
lessons out of order, a file that was edited by hand, two notebooks at once, folders that cannot be
written."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from autodiff_course import check, machine, place, source
from autodiff_course.checking import RIGHT, WRONG
from autodiff_course.machine import live, store
from autodiff_course.machine.judging import judge
from autodiff_course.machine.plan import active, after_lesson, assembled, find, parts, pieces

SLOPE = "def slope(f, x, h=0.001):\n    return (f(x + h) - f(x - h)) / (2 * h)"
MUL = 'RULES |= {"mul": (lambda grad, z, x, y: y * grad, lambda grad, z, x, y: x * grad)}'
BACKWARD = find("03 backward").code.replace("creator", "maker").replace("node.makers", "node.creators")


def said(capsys):
    return " ".join(capsys.readouterr().out.split())


@pytest.fixture
def file(mine):
    return mine / "engine.py"


def edit(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


# -- code that does not stand by itself, or does not end -----------------------------------------------------


def test_a_piece_that_leans_on_the_notebook_is_told_so(notebook, mine, capsys):
    notebook.run("def helper(f, x, h):\n    return (f(x + h) - f(x - h)) / (2 * h)")
    notebook.answer(find("02 slope"), "def slope(f, x, h=0.001):\n    return helper(f, x, h)")
    text = said(capsys)
    assert text.startswith("Not right yet: 02 slope. It uses the name helper, which is not in your machine.")
    assert not mine.exists()


def test_a_row_that_leans_on_the_notebook_is_told_to_hold_the_function_itself(notebook, mine, capsys):
    code = find("09 FORWARD").code.replace("lambda x: np.maximum(x, 0)", "my_relu")
    notebook.run("def my_relu(x):\n    return np.maximum(x, 0)")
    notebook.answer(find("09 FORWARD"), code)
    text = " ".join(said(capsys).split())
    assert "It uses the name my_relu" in text
    assert "write the function in the row 'relu' itself, as lambda x: ..." in text
    assert not mine.exists()


def test_a_helper_inside_the_piece_is_fine(notebook, capsys):
    code = (
        "def slope(f, x, h=0.001):\n    def helper(x):\n        return f(x)\n\n"
        "    return (helper(x + h) - helper(x - h)) / (2 * h)"
    )
    notebook.answer(find("02 slope"), code)
    assert "Right." in said(capsys)


@pytest.mark.parametrize(
    ("line", "name"),
    [("import sys", "sys"), ("from autodiff import grad", "autodiff"), ("import autodiff as ad", "autodiff")],
)
def test_a_piece_that_imports_is_told_so(notebook, capsys, line, name):
    notebook.answer(find("02 slope"), SLOPE.replace("    return", f"    {line}\n    return"))
    assert f"It imports {name}. Your machine is built on math and numpy alone" in said(capsys)


ORDER = """\
def order(end, {0}):
    {1}
    stack = [end]
    while stack:
        node = stack[-1]
        if node in seen:
            stack.pop()
            if node not in nodes:
                nodes.append(node)
        else:
            seen.add(node)
            stack.extend(x for x in node.creators[::-1] if isinstance(x, Tensor))
    return nodes"""


@pytest.mark.parametrize(
    ("name", "code", "default"),
    [
        ("05 order", ORDER.format("nodes=[]", "seen = set()"), "nodes=[]"),
        ("05 order", ORDER.format("seen=set()", "nodes = []"), "seen=set()"),
        ("05 order", ORDER.format("*, seen=set()", "nodes = []"), "seen=set()"),
        (
            "08 parameters",
            """
            def parameters(thing, found={}):
                if isinstance(thing, Tensor):
                    found[thing] = True
                elif isinstance(thing, (list, tuple)):
                    [parameters(part) for part in thing]
                else:
                    parameters(list(getattr(thing, "__dict__", {}).values()))
                return list(found)
            """,
            "found={}",
        ),
        ("06 subtract", "subtract = lambda x, y, found=[]: x + -y", "found=[]"),
        (
            "08 Neuron",
            find("08 Neuron").code.replace("self, inputs, rng", "self, inputs, rng=np.random.default_rng(0)"),
            "rng=np.random.default_rng(0)",
        ),
    ],
)
def test_a_default_that_all_calls_share_is_told(name, code, default):
    verdict = judge(find(name), textwrap.dedent(code).strip(), {})
    assert verdict.status == WRONG
    assert f"The default in {default} is made only once" in verdict.message


def test_a_default_of_an_inner_function_and_one_that_cannot_change_are_fine():
    outer = "def subtract(x, y, scale=float(1), *, none=()):\n"
    inner = "    def inner(found=[]):\n        return x + -y\n\n    return inner()"
    assert judge(find("06 subtract"), outer + inner, {}).status == RIGHT


def test_the_package_in_the_notebook_is_no_part_of_the_machine(notebook, capsys):
    notebook.run("import autodiff as ad")
    notebook.answer(find("16 grad"), "def grad(f):\n    return ad.grad(f)")
    assert "It uses the name ad, which is not in your machine." in said(capsys)


ENDLESS = {
    "in two lines": "    while True:\n        pass",
    "in one line": "    while True: pass",
    "counting": "    i = 0\n    while True: i += 1",
    "errors are caught": (
        "    while True:\n        try:\n            x += 1\n        except Exception:\n            x = 1"
    ),
    "a generator": "    return sum(1 for _ in iter(int, 1))",
    "a for": "    for _ in iter(int, 1):\n        x = x + 1",
    "a growing list": "    xs = [x]\n    for y in xs:\n        xs.append(y)",
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_loop_without_end_is_stopped(kind):
    begun = time.monotonic()
    verdict = judge(find("02 slope"), f"def slope(f, x, h=0.001):\n{ENDLESS[kind]}\n    return x", {})
    said = "was stopped after 300,000 lines of code; it should be 22. Does a loop never end?"
    assert said in verdict.message
    assert time.monotonic() - begun < 30
    assert sys.gettrace() is None or "pytest" in repr(sys.gettrace())


@pytest.mark.parametrize("handler", ["except:", "except BaseException:"])
def test_an_except_that_would_catch_the_stop_is_refused(handler):
    body = f"    while True:\n        try:\n            x += 1\n        {handler}\n            x = 1"
    verdict = judge(find("02 slope"), f"def slope(f, x, h=0.001):\n{body}", {})
    assert "Write `except Exception:`" in verdict.message


RAISES_AGAIN = """\
def using(another, f, *inputs):
    global apply
    before, apply = apply, another
    try:
        z = f(*inputs)
    except BaseException:
        apply = before
        raise
    apply = before
    return z
"""


def test_an_except_that_raises_again_is_right():
    assert judge(find("15 using"), RAISES_AGAIN, {}).status == RIGHT


@pytest.mark.parametrize("last", ["return 0", "pass", "raise ValueError", "if z:\n            raise"])
def test_an_except_that_does_not_end_with_a_bare_raise_is_refused(last):
    verdict = judge(find("15 using"), RAISES_AGAIN.replace("        raise\n", f"        {last}\n"), {})
    assert "`finally:`" in verdict.message


def test_a_trace_function_of_a_debugger_is_put_back(notebook):
    def debugger(frame, event, arg):
        return None

    before = sys.gettrace()
    sys.settrace(debugger)
    try:
        notebook.answer(find("02 slope"), SLOPE)
        assert sys.gettrace() is debugger
    finally:
        sys.settrace(before)


def test_it_works_without_signals_in_a_thread(notebook, capsys):
    """As on Windows, and where a kernel runs cells in a thread."""
    code = "def slope(f, x, h=0.001):\n    while True:\n        x = x + h"
    worker = threading.Thread(target=notebook.answer, args=(find("02 slope"), code))
    worker.start()
    worker.join(60)
    assert not worker.is_alive()
    assert "was stopped" in said(capsys)


def test_a_function_that_calls_itself_without_end_is_told_so(notebook, capsys):
    notebook.answer(find("02 slope"), "def slope(f, x, h=0.001):\n    return slope(f, x + h, h)")
    assert "(RecursionError); it should be 22. Does a function call itself without end?" in said(capsys)


def test_an_interrupt_by_the_reader_is_not_swallowed(notebook):
    code = "def slope(f, x, h=0.001):\n    raise KeyboardInterrupt"
    with pytest.raises(KeyboardInterrupt):
        notebook.answer(find("02 slope"), code)
    assert sys.gettrace() is None or "pytest" in repr(sys.gettrace())


def test_printing_in_place_of_returning(notebook, capsys):
    notebook.answer(find("02 slope"), SLOPE.replace("return (", "print((") + ")")
    text = said(capsys)
    assert "The function prints its result and returns nothing: end with `return`." in text
    notebook.answer(find("02 slope"), SLOPE.replace("return", "result ="))
    assert "The function computes something and returns nothing" in said(capsys)


def test_a_method_without_a_return_is_told_so(notebook, capsys):
    code = find("18 Sequential").code
    notebook.answer(find("18 Sequential"), code.replace("return x", "print(x)"))
    assert "The function prints its result and returns nothing: end with `return`." in said(capsys)
    notebook.answer(find("18 Sequential"), code.replace("        return x\n", "").replace("return x", ""))
    assert "The function computes something and returns nothing" in said(capsys)


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        (("exp(apart)", "np.exp(apart)"), "such as np.exp, does not take a Tensor."),
        (("log(exp", "np.log(exp"), "such as np.exp, does not take a Tensor."),
        (("exp(apart)", "apart.exp()"), "exp is a function of your machine, and not a method of a Tensor"),
        (("exp(apart).sum(", "np.sum(exp(apart), "), "do not take a Tensor. Write x.sum(...)"),
        (("np.max(value(scores), ", "np.max(scores, "), "do not take a Tensor. Write x.sum(...)"),
    ],
)
def test_numpy_s_functions_of_a_tensor_get_advice(notebook, capsys, change, advice):
    code = find("19 log_softmax").code
    assert change[0] in code
    notebook.answer(find("19 log_softmax"), code.replace(*change))
    assert advice in said(capsys)


def test_what_a_piece_prints_while_it_is_judged_is_not_shown(notebook, capsys):
    notebook.answer(find("02 slope"), SLOPE.replace("    return", "    print('here', x)\n    return"))
    assert "here" not in said(capsys)


@pytest.mark.parametrize(
    ("header", "fault"),
    [
        (
            "def slope(f, x):",
            "slope takes other arguments than asked for. Its first line is: def slope(f, x, h",
        ),
        ("def slope(f, x, h):", "slope takes other arguments than asked for."),
        ("def slope(f, x, step=0.001, h=1):", "slope needs the argument h, at its place"),
        ("def slope(f, x, step=0.001):", "slope needs the argument h, at its place"),
    ],
)
def test_other_arguments_are_told_at_once(notebook, capsys, header, fault):
    body = SLOPE.split("\n")[1]
    notebook.answer(find("02 slope"), f"{header}\n{body}")
    text = said(capsys)
    assert fault in text or ("h" not in header and "uses the name h" in text)


def test_a_class_without_one_of_its_methods_is_told_so(notebook, capsys):
    notebook.answer(find("18 Sequential"), "class Sequential:\n    def __call__(self, x):\n        return x")
    assert "The method __init__ of the class is missing." in said(capsys)


def test_a_class_that_cannot_be_defined_is_told_so():
    verdict = judge(find("18 Sequential"), "class Sequential:\n    layers = 1 / 0", {})
    assert "It cannot be defined: ZeroDivisionError: division by zero." in verdict.message


def test_an_error_names_the_calculation_and_the_right_result(notebook, capsys):
    notebook.answer(find("02 slope"), SLOPE.replace("(f(x + h)", "(f[x + h]"))
    assert "stops with TypeError: 'function' object is not subscriptable; it should be 22." in said(capsys)


# -- a piece that spoils another -----------------------------------------------------------------------------


def test_a_piece_that_spoils_an_earlier_one_is_told_so_and_not_kept(notebook, mine, capsys):
    order = find("05 order").code.replace(
        "opened.add(node)", "opened.add(node)\n            node.grad = None"
    )
    notebook.answer(find("05 order"), order)
    text = said(capsys)
    assert "Not right yet: 05 order. It is right, but it spoils 05 backward: a = Tensor(2)" in text
    assert "gives 22; it should be 44." in text
    assert not mine.exists()


def test_a_piece_that_stops_a_given_text_is_told_so(notebook, mine, capsys):
    """The text after `14 operation` calls it, before any probe does."""
    notebook.run("machine.start(14)")
    said(capsys)
    code = find("14 operation").code
    wrong = code.replace("FORWARD[name], RULES[name] = forward, rules", "FORWARD |= {name: forward}")
    notebook.answer(find("14 operation"), wrong.replace("*rules):", "*rules):\n    RULES[name] = rules"))
    text = said(capsys)
    assert "Not right yet: 14 operation." in text
    assert "stops with UnboundLocalError" in text
    assert "FORWARD[name] = forward" in text
    assert not mine.exists()


def test_what_is_spoiled_is_named():
    code = find("02 slope").code + "\n\n\ndef tree(node, indent=''):\n    print(node)"
    verdict = judge(find("02 slope"), code, {})
    assert verdict.message.startswith(
        "It is right, but it spoils 01 tree:\n    tree(Tensor(2) * 3)\nprints\n    6\n"
    )


# -- restarts, and cells and lessons out of order ------------------------------------------------------------


def test_after_a_restart_the_machine_is_there_again(notebook, capsys):
    notebook.answer(find("02 slope"), SLOPE)
    notebook.answer(find("03 mul"), MUL)
    notebook.restart()
    capsys.readouterr()
    notebook.run("machine.start(4)\nx = machine.Tensor(5)\nmachine.backward(x * 7)")
    assert said(capsys) == "Your machine: 2 of 6 pieces are yours."
    assert notebook.names["x"].grad == 7
    assert "yours" in machine.slope.__code__.co_filename


def test_after_a_restart_a_single_cell_works_without_the_first(notebook, capsys):
    order = notebook.answer(find("05 order"), find("05 order").code)
    assert "Right." in said(capsys)
    assert len(order(machine.Tensor(2) * 3)) == 2
    assert not hasattr(machine, "gradcheck")


def test_any_lesson_can_be_opened_first(notebook, capsys):
    notebook.run("machine.start(22)")
    assert "none of its 44 pieces is yours yet" in said(capsys)
    notebook.run("from autodiff_course.machine import softmax_cross_entropy")
    notebook.answer(find("22 train"), find("22 train").code)
    assert f"1 of {len(pieces())}" in said(capsys)


def test_pieces_may_be_handed_over_in_any_order(notebook, file, capsys):
    notebook.run("machine.start(5)")
    for name in ("05 backward", "05 order", "05 gradients"):
        notebook.answer(find(name), find(name).code)
    assert said(capsys).count("Right.") == 3
    text = file.read_text(encoding="utf-8")
    assert (
        text.index("# 05 order: yours")
        < text.index("# 05 gradients: yours")
        < text.index("# 05 backward: yours")
    )


def test_a_piece_of_an_earlier_lesson_may_be_written_later(notebook, file, capsys):
    notebook.run("machine.start(12)")
    notebook.answer(find("12 mean"), find("12 mean").code)
    gradients = machine.gradients
    notebook.answer(find("03 backward"), BACKWARD)
    assert said(capsys).count("Right.") == 2
    assert "maker" in (file.parent / "earlier.py").read_text(encoding="utf-8")
    assert "maker" not in file.read_text(encoding="utf-8")
    notebook.run("t = machine.Tensor(2)\nmachine.backward((t + 2) * (t * 3 + 4))")
    assert notebook.names["t"].grad == 22  # a later lesson's backward is still the one in use
    assert machine.gradients is gradients
    notebook.restart()
    notebook.run("machine.start(4)")
    assert "maker" in inspect.getsource(machine.backward)


def test_each_lesson_begins_as_the_one_before_it_ended(notebook):
    notebook.run("machine.start(4)\na = machine.Tensor(2)\nmachine.backward((a + 2) * (a * 3 + 4))")
    assert notebook.names["a"].grad == 12  # lesson 04 repairs it
    notebook.run("machine.start(5)\na = machine.Tensor(2)\nmachine.backward((a + 2) * (a * 3 + 4))")
    assert notebook.names["a"].grad == 22
    notebook.run("machine.start(1)")
    assert not hasattr(machine, "Tensor")


def test_the_first_cell_may_be_run_again_and_tensors_stay_tensors(notebook):
    notebook.run(
        "machine.start(6)\nfrom autodiff_course.machine import Tensor, RULES\na = Tensor(2)\ne = a * 3"
    )
    notebook.run("machine.start(6)")
    assert machine.Tensor is notebook.names["Tensor"]
    assert machine.RULES is notebook.names["RULES"]
    machine.backward(notebook.names["e"])
    assert notebook.names["a"].grad == 3
    notebook.run("machine.start(10)\nb = -a")
    assert machine.Tensor is notebook.names["Tensor"]
    notebook.run("machine.start(3)")
    with pytest.raises(TypeError):
        notebook.run("b = -a")  # lesson 06 brings it


def test_a_layer_stays_a_layer_when_a_piece_is_kept_twice(notebook, capsys):
    """The machine is built anew then, and a notebook's ``isinstance(layer, Linear)`` and ``layer is relu``
    have to stay true."""
    notebook.run(
        "machine.start(23)\nfrom autodiff_course.machine import Linear, relu\n"
        "from autodiff_course.exercises.lesson_23 import patient"
    )
    count = "count = sum(isinstance(layer, Linear) or layer is relu for layer in patient().layers)"
    piece = find("23 activations")
    notebook.answer(piece, piece.code)
    notebook.answer(piece, piece.code.replace("outs", "arrays"))
    assert said(capsys).count("Right.") == 2
    notebook.run(count)
    assert notebook.names["count"] == 13
    notebook.run("machine.start(23)")
    notebook.run(count)
    assert notebook.names["count"] == 13


def test_a_new_tensor_class_takes_the_place_of_the_old_one_in_a_running_notebook(notebook):
    notebook.run("machine.start(15)\nfrom autodiff_course.machine import Tensor, operation\na = Tensor(2.0)")
    notebook.run(
        "operation = yours('14 operation', operation)\n"
        "cube = operation('cube', lambda x: x**3, lambda grad, z, x: grad)"
    )
    notebook.answer(find("01 Tensor"), find("01 Tensor").code.replace("A number", "Any number"))
    notebook.run("b = cube(a) - 1\nmachine.backward(b)")
    assert machine.Tensor is type(notebook.names["a"])
    assert notebook.names["b"].data == 7
    assert notebook.names["a"].grad == 1


def test_a_lesson_is_a_number(capsys):
    for lesson in (0, -1, "5", 1.0, True):
        with pytest.raises(ValueError, match=r"as in machine.start\(5\)"):
            machine.start(lesson)


@pytest.mark.parametrize("name", ["_x", "_repr_html_", "__wrapped__", "__path_of_nothing__"])
@pytest.mark.parametrize("is_started", [False, True])
def test_a_name_with_an_underscore_is_not_looked_for(notebook, capsys, name, is_started):
    if is_started:
        notebook.run("machine.start(5)")
    capsys.readouterr()
    with pytest.raises(AttributeError, match=f"module 'autodiff_course.machine' has no attribute '{name}'"):
        getattr(machine, name)
    assert (live.MACHINE.names is not None) is is_started
    assert said(capsys) == ""


def test_beyond_the_last_piece_the_machine_is_whole(notebook, capsys):
    notebook.run("machine.start(30)")
    assert f"none of its {len(pieces())} pieces" in said(capsys)
    assert machine.Dropout


def test_what_the_machine_does_not_have_yet_is_told_with_its_lesson(notebook):
    notebook.run("machine.start(5)")
    with pytest.raises(AttributeError, match="your machine has no softmax here; it comes in lesson 13"):
        _ = machine.softmax
    with pytest.raises(AttributeError, match=r"your machine has no sotfmax here$"):
        _ = machine.sotfmax
    notebook.run("from autodiff_course.machine import *")
    assert {"Tensor", "backward", "RULES"} <= set(notebook.names)
    assert not {"start", "give", "parts"} & set(notebook.names)
    assert {"start", "Tensor"} <= set(dir(machine))


def test_given_texts_come_where_the_lesson_gives_them(notebook, capsys):
    notebook.run("machine.start(3)")
    assert not hasattr(machine, "RULES")
    assert repr(machine.give("03 RULES")).startswith("RULES = {")
    machine.RULES["own"] = ()
    machine.give("03 RULES")
    assert "own" in machine.RULES  # given twice, it changes nothing
    with pytest.raises(ValueError, match="there is no given text '03 rules'; there are '03 RULES'"):
        machine.give("03 rules")


def test_the_source_of_every_piece_can_be_shown(notebook):
    notebook.answer(find("02 slope"), SLOPE)
    assert str(source(machine.slope)) == SLOPE
    notebook.run("machine.start(6)")
    assert "while stack" in repr(source(machine.order))


# -- a file that was edited by hand --------------------------------------------------------------------------


def test_a_change_by_hand_is_checked_and_used(notebook, file, capsys):
    notebook.answer(find("02 slope"), SLOPE)
    edit(file, "/ (2 * h)", "/ h / 2  # by hand")
    notebook.run("machine.start(3)")
    assert "by hand" in inspect.getsource(machine.slope)
    notebook.answer(find("03 mul"), MUL)
    assert "by hand" in file.read_text(encoding="utf-8")


def test_a_piece_written_by_hand_into_the_file_is_the_reader_s(notebook, file, capsys):
    notebook.answer(find("02 slope"), SLOPE)
    edit(file, "        print(indent + str(node))", '        print(f"{indent}{node}")')
    capsys.readouterr()
    notebook.run("machine.start(3)")
    assert said(capsys) == "Your machine: 2 of 4 pieces are yours."
    notebook.answer(find("03 mul"), MUL)
    assert "# 01 tree: yours" in file.read_text(encoding="utf-8")


def test_a_wrong_change_by_hand_is_told_and_left_alone(notebook, file, capsys):
    notebook.answer(find("02 slope"), SLOPE)
    edit(file, "(2 * h)", "(3 * h)")
    capsys.readouterr()
    notebook.run("machine.start(3)")
    text = said(capsys)
    assert "In mine/engine.py, 02 slope is not right, so the reference stands in for it." in text
    assert "gives 14.6667; it should be 22." in text
    assert "none of its 4 pieces is yours" in text
    assert machine.slope(lambda x: x * x, 3) == pytest.approx(6)
    notebook.answer(find("03 mul"), MUL)
    text = file.read_text(encoding="utf-8")
    assert "(3 * h)" in text
    assert "# 02 slope: yours, not right yet" in text
    assert f"1 of {len(pieces())}" in said(capsys)


def test_broken_syntax_is_told_with_its_line_and_left_alone(notebook, file, capsys):
    notebook.answer(find("02 slope"), SLOPE)
    notebook.answer(find("03 mul"), MUL)
    edit(file, "return (f(x + h) - f", "return (f(x + h) - f((")
    capsys.readouterr()
    notebook.run("machine.start(4)")
    text = said(capsys)
    assert "In mine/engine.py, 02 slope is not right" in text
    assert "Python cannot read it: '(' was never closed, in line 2" in text
    assert "1 of 6 pieces is yours." in text
    notebook.answer(find("03 backward"), BACKWARD)
    assert "f((" in file.read_text(encoding="utf-8")


def test_a_change_of_what_is_given_is_respected_if_it_works(notebook, file, capsys):
    notebook.answer(find("02 slope"), SLOPE)
    edit(
        file,
        '    "mul": lambda x, y: x * y,\n',
        '    "mul": lambda x, y: x * y,\n    "half": lambda x: x / 2,\n',
    )
    notebook.run("machine.start(3)")
    assert machine.FORWARD["half"](6) == 3
    edit(file, '"mul": lambda x, y: x * y', '"mul": lambda x, y: x + y')
    capsys.readouterr()
    notebook.run("machine.start(3)")
    assert "In mine/engine.py, 01 value and FORWARD is not right" in said(capsys)
    assert machine.FORWARD["mul"](2, 3) == 6


def test_first_lines_by_hand_are_respected(notebook, file, capsys):
    notebook.answer(find("02 slope"), SLOPE)
    edit(file, "import math\n", "import math\nimport random\n")
    edit(file, "/ (2 * h)", "/ (2 * h) + 0 * random.random()")
    notebook.run("machine.start(3)")
    assert "random" in inspect.getsource(machine.slope)
    edit(file, "import numpy as np\n", "")
    capsys.readouterr()
    notebook.run("machine.start(9)")
    assert "In mine/engine.py, the beginning is not right" in said(capsys)


def test_a_file_without_its_marks_is_told_and_put_aside(notebook, file, capsys):
    notebook.answer(find("02 slope"), SLOPE)
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join(line for line in lines if not line.startswith("# ")), encoding="utf-8")
    before = file.read_text(encoding="utf-8")
    capsys.readouterr()
    notebook.run("machine.start(3)")
    assert "has lost the lines that say where a piece begins" in said(capsys)
    assert file.read_text(encoding="utf-8") == before
    notebook.answer(find("03 mul"), MUL)
    assert (file.parent / "engine_old.py").read_text(encoding="utf-8") == before


@pytest.mark.parametrize("content", [b"\xff\xfe# \x000\x001\x00", "Δ".encode("latin-1", "replace") + b"\xe9"])
def test_a_file_that_is_no_text_is_told_and_never_written(notebook, file, capsys, content):
    file.parent.mkdir()
    file.write_bytes(content)
    notebook.run("machine.start(3)")
    notebook.answer(find("02 slope"), SLOPE)
    text = said(capsys)
    if content.startswith(b"\xff"):
        assert "cannot be read (it is not UTF-8 text)" in text
        assert "Right, and in use in this notebook. It could not be saved:" in text
        assert file.read_bytes() == content
    assert machine.slope(lambda x: x * x, 3) == pytest.approx(6)


def test_windows_line_ends_and_marks_of_editors_do_no_harm(notebook, file, capsys):
    notebook.answer(find("02 slope"), SLOPE)
    text = file.read_text(encoding="utf-8")
    file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    capsys.readouterr()
    notebook.run("machine.start(3)")
    assert said(capsys) == "Your machine: 1 of 4 pieces is yours."
    notebook.answer(find("03 mul"), MUL)
    assert b"\r" not in file.read_bytes()


def test_an_empty_file_is_no_file(notebook, file, capsys):
    file.parent.mkdir()
    file.write_text("")
    notebook.answer(find("02 slope"), SLOPE)
    assert "Right. Kept" in said(capsys)
    assert file.read_text(encoding="utf-8").startswith('"""My machine')


# -- two notebooks at once, and folders ----------------------------------------------------------------------


def test_two_notebooks_do_not_overwrite_each_other(notebook, file):
    notebook.run("machine.start(3)")
    store.keep("01 tree", find("01 tree").code)  # as another kernel does meanwhile
    notebook.answer(find("02 slope"), SLOPE)
    text = file.read_text(encoding="utf-8")
    assert "# 01 tree: yours" in text
    assert "# 02 slope: yours" in text


def test_many_writers_at_once_lose_nothing(mine):
    names = [
        part.name
        for part in parts()
        if part.name in ("01 tree", "01 apply", "02 slope", "03 mul", "05 order")
    ]
    code = "import sys\nfrom autodiff_course.machine import store\n"
    code += "from autodiff_course.machine.plan import find\n"
    code += "assert store.keep(sys.argv[1], find(sys.argv[1]).code) == ''"
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    writers = [subprocess.Popen([sys.executable, "-c", code, name], env=environment) for name in names]
    assert [writer.wait(120) for writer in writers] == [0] * len(names)
    text = (mine / "engine.py").read_text(encoding="utf-8")
    assert all(f"# {name}: yours" in text for name in names)
    assert sorted(path.name for path in mine.iterdir()) == ["engine.py"]


def test_a_lock_that_was_left_behind_does_not_stop_anybody(mine):
    mine.mkdir()
    (mine / "engine.lock").write_text("")
    with store.alone(mine / "engine.lock", patience=0.1):
        pass
    assert not (mine / "engine.lock").exists()


def test_a_lock_that_windows_denies_for_a_moment_is_waited_for(mine, monkeypatch):
    mine.mkdir()
    opened, denials = os.open, [PermissionError(13, "Permission denied")]

    def deny_once(*arguments):
        if denials:
            raise denials.pop()
        return opened(*arguments)

    monkeypatch.setattr(store.os, "open", deny_once)
    monkeypatch.setattr(store.os, "name", "nt")
    with store.alone(mine / "engine.lock"):
        assert (mine / "engine.lock").exists()


def test_a_folder_that_cannot_be_written_is_told(notebook, tmp_path, monkeypatch, capsys):
    (tmp_path / "occupied").write_text("")
    monkeypatch.setenv("AUTODIFF_MINE", str(tmp_path / "occupied" / "mine"))
    result = notebook.answer(find("02 slope"), SLOPE)
    text = said(capsys)
    assert "Right, and in use in this notebook. It could not be saved:" in text
    assert "set the environment variable AUTODIFF_MINE to a folder of yours" in text
    assert result is machine.slope
    assert "yours" in result.__code__.co_filename


def test_a_file_that_another_program_holds_is_told(notebook, mine, monkeypatch, capsys):
    """As on Windows, where an open file cannot be replaced."""

    def refuse(self, target):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "replace", refuse)
    notebook.answer(find("02 slope"), SLOPE)
    assert "It could not be saved:" in said(capsys)
    assert list(mine.iterdir()) == []


def test_the_file_is_in_the_notebooks_of_a_checkout(monkeypatch):
    monkeypatch.delenv("AUTODIFF_MINE")
    root = Path(__file__).resolve().parents[3]
    assert machine.path() == root / "notebooks" / "mine" / "engine.py"


def test_git_ignores_the_reader_s_file():
    root = Path(__file__).resolve().parents[3]
    assert "/notebooks/mine/" in (root / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_without_a_checkout_it_is_beside_the_notebook(monkeypatch, tmp_path):
    monkeypatch.delenv("AUTODIFF_MINE")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(place, "__file__", str(tmp_path / "site" / "autodiff_course" / "place.py"))
    assert place.folder() == tmp_path / "mine"


def test_messages_call_the_file_the_same_on_every_system(notebook, capsys):
    notebook.answer(find("02 slope"), SLOPE)
    assert "mine/engine.py" in said(capsys)
    assert "\\" not in store.SHOWN


@pytest.mark.parametrize(
    ("variable", "words"), [("BINDER_SERVICE_HOST", "This is Binder"), ("COLAB_RELEASE_TAG", "This is Colab")]
)
def test_where_nothing_is_kept_it_is_said_how_to_save(notebook, monkeypatch, capsys, variable, words):
    monkeypatch.setenv(variable, "1")
    monkeypatch.delenv("AUTODIFF_MINE")
    monkeypatch.setattr(store, "folder", lambda: Path("nowhere") / "mine")
    notebook.run("machine.start(3)")
    assert words in said(capsys)
    monkeypatch.setenv("AUTODIFF_MINE", "drive")
    assert store.how_to_save() == ""


# -- the map -------------------------------------------------------------------------------------------------


def test_the_map_shows_what_is_whose_and_where_to_go_on(notebook, mine, capsys):
    from autodiff_course.__main__ import course_map

    assert "Go on with 01 Tensor, in lesson 01." in course_map()
    notebook.answer(find("01 Tensor"), find("01 Tensor").code)
    notebook.answer(find("02 slope"), SLOPE)
    edit(mine / "engine.py", "(2 * h)", "(3 * h)")
    text = course_map()
    assert "    [x] Tensor                 class, 4 lines\n" in text
    assert "    [!] slope                  function, 1 line\n" in text
    assert "    [ ] mul                    rows, 1 line\n" in text
    assert f"1 of {len(pieces())} pieces is yours." in text
    assert "Not right in your file any more: 02 slope." in text
    assert "Go on with 01 apply, in lesson 01." in text


def test_the_map_shows_the_exercises_that_were_solved(notebook, mine, monkeypatch):
    from autodiff_course.__main__ import course_map

    assert "    [ ] predict                exercise\n" in course_map()
    check("01 predict", 4)
    assert not mine.exists()
    for _ in range(2):
        assert check("01 predict", 3).status == "right"
    assert (mine / "solved.txt").read_text(encoding="utf-8") == "01 predict\n"
    assert "    [x] predict                exercise\n" in course_map()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", denied)  # a folder that cannot be written
        assert check("09 predict", [16, 0, -20]).status == "right"
    assert place.solved() == {"01 predict"}


def denied(*arguments, **options):
    raise PermissionError("read-only")


def test_the_map_is_printed_by_the_module(mine):
    root = Path(__file__).resolve().parents[3]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "autodiff_course"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "24  Learned by heart" in done.stdout
    assert f"0 of {len(pieces())} pieces are yours." in done.stdout


def test_the_map_of_a_finished_machine(mine):
    from autodiff_course.__main__ import course_map

    mine.mkdir()
    text = assembled(len(parts())).replace(": the reference, until yours is right", ": yours")
    (mine / "engine.py").write_text(text, encoding="utf-8")
    current = [part for part in active(len(parts())) if part.name in pieces()]
    assert f"{len(current)} of {len(pieces())} pieces are yours." in course_map()
    assert machine.text().code == text
    own, whole = machine.lines()
    assert 0.4 * whole < own < whole


def test_nothing_of_a_judged_machine_leaks_into_the_notebook_s(notebook):
    notebook.run("machine.start(15)\napply = machine.apply")
    notebook.answer(find("15 using"), find("15 using").code.replace("apply = before", "pass"))
    assert machine.apply is notebook.names["apply"]
    assert live.MACHINE.stop == after_lesson(15) or live.MACHINE.stop < after_lesson(15)
