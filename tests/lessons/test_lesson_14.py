"""Lesson 14: its checks against right answers, stubs and planted mistakes; its numbers; its picture."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff.engine.backward import order
from autodiff.engine.catalogue import catalogue
from autodiff.lessons import check
from autodiff.lessons.plots import lesson_14 as plots_11
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "14_operations_of_your_own.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def answer(name):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    cell = next(cell for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source)
    scope = {"ad": ad, "np": np, "check": check}
    exec(cell.source, scope)
    return scope


def cell_with(words, path=LESSON):
    return next(cell for cell in cells(path) if words in cell.source)


# -- the stored notebooks -----------------------------------------------------------------------------------


def test_the_prediction_comes_before_the_number():
    sources = [cell.source for cell in cells(LESSON)]
    guess = next(i for i, source in enumerate(sources) if "my_guess = None" in source)
    shown = next(i for i, source in enumerate(sources) if "y = x * ad.floor(x)" in source)
    assert guess < shown
    assert "\nx            3.7     3\n" in said(cells(LESSON)[shown])


# -- numbers of the lesson ----------------------------------------------------------------------------------


def is_of_an_operation(part):
    """Whether a statement defines a function or class, or gives an operation its rule."""
    rule = re.compile(r"\w+\.backward\((lambda|clamp_rule)")
    return isinstance(part, (ast.FunctionDef, ast.ClassDef)) or bool(rule.match(ast.unparse(part)))


@pytest.fixture(scope="module")
def operations():
    """The operations that the lesson's cells define, without what these cells print."""
    scope = {"np": np, "ad": ad, "math": math}
    for words in ("def swish", "def careless", "def by_math", "def clamp", "class Swish", "class Round"):
        kept = [part for part in ast.parse(cell_with(words).source).body if is_of_an_operation(part)]
        exec(compile(ast.Module(kept, []), words, "exec"), scope)
    return scope


def test_an_operation_of_four_lines_is_one_of_four_lines():
    source = cell_with("def swish").source
    assert len([line for line in source.splitlines() if line.strip()]) == 4


def test_swish_is_the_package_s(operations):
    for form in (operations["swish"], operations["Swish"].apply):
        assert form(ad.Tensor(1)) == pytest.approx(ad.silu(1.0))
        assert ad.gradcheck(form, [-2, 0.5, 1])
        assert ad.gradgradcheck(form, [-2, 0.5, 1])
        x = ad.Tensor([-3.0, 0.0, 4.0])
        form(x).sum().backward()
        assert np.allclose(x.grad.data, ad.grad(lambda x: ad.silu(x).sum())([-3.0, 0.0, 4.0]).data)


def test_the_careless_rule_passes_at_0_alone(operations):
    assert ad.gradcheck(operations["careless"], [0])
    with pytest.raises(ad.GradcheckError, match=r"input 0, element 1: the rules give 0\.933689"):
        ad.gradcheck(operations["careless"], [0, 0.5, 1])


def test_a_rule_by_math_has_a_right_slope_and_a_wrong_second_one(operations):
    by_math, swish = operations["by_math"], operations["swish"]
    assert ad.grad(by_math)(1.0) == pytest.approx(ad.grad(swish)(1.0).data)
    assert said(cell_with("def by_math")).splitlines()[1:] == [
        "by_math   0.9277          0.2495",
        "swish     0.9277          0.3024",
    ]
    with pytest.raises(ad.GradcheckError, match=r"the rules give 0\.56135, a nudge gives 0\.680324"):
        ad.gradgradcheck(by_math, 1)
    assert f"{0.56135 / 1.5**2:.4f}" == "0.2495"


def test_a_name_in_the_table_is_refused_a_second_time():
    @ad.operation
    def exp(x):
        return 3**x

    with pytest.raises(ValueError, match="already has an operation named 'exp'"):
        catalogue.enter(exp)
    assert catalogue.exp is ad.exp


def test_the_clamp_is_right_off_its_corners(operations):
    clamp = operations["clamp"]
    points = [-3, -1.5, -0.5, 0.7, 1.2, 4]
    assert ad.gradcheck(clamp, points)
    assert ad.gradcheck(lambda x: clamp(x, low=-2, high=0, leak=0.5), points)
    assert ad.gradgradcheck(clamp, points)


def test_the_coins_of_the_broken_ones_are_shown_beside_the_right():
    lines = said(cell_with("def forgetful")).splitlines()
    assert lines == ["z        [2 4 0 8 0 0]", "gradient [2 2 2 0 0 2]"]
    assert said(cell_with("def drawered")) == "[2 4 0] [2 2 0]\n"
    twice = next(cell for cell in cells(LESSON) if "first, second = drawered" in cell.source)
    assert said(twice).splitlines() == ["first  [2 4 0] [2 0 0]", "second [8 0 0] [2 0 0]"]
    right = said(cell_with("class Dropout")).splitlines()
    assert right == ["first  [2 4 0] [2 2 0]", "second [8 0 0] [2 0 0]"]


@pytest.fixture(scope="module")
def moons(operations):
    scope = {"np": np, "ad": ad, "Round": operations["Round"]}
    exec(cell_with("angles = ").source, scope)
    return scope


@pytest.mark.parametrize("noise", [0, 1e-9])
def test_rounding_while_learning_gives_the_lesson_s_table(moons, noise):
    """Also where the last digits differ, as on another machine."""
    shown = said(cell_with("rounded afterwards   rounded while learning")).splitlines()[1:]
    rng = np.random.default_rng(7)
    for seed in (0, 3):
        free, rounding = moons["start"](seed), moons["start"](seed)
        for p in (*free, *rounding):
            p.data = p.data + noise * rng.normal(size=p.shape)
        moons["train"](free, lambda p: p)
        moons["train"](rounding, moons["Round"].apply)
        counts = [
            moons["count_right"](free, lambda p: p),
            moons["count_right"](free, ad.round),
            moons["count_right"](rounding, ad.round),
        ]
        assert shown[seed].split() == [str(seed), *map(str, counts)]


def test_what_the_prose_says_of_the_table():
    rows = [line.split() for line in said(cell_with('rounded while learning"')).splitlines()[1:]]
    afterwards, learning = ([100 - int(row[i]) for row in rows] for i in (2, 3))
    assert (max(afterwards), max(learning)) == (26, 8)
    assert sum(late <= early for late, early in zip(afterwards, learning)) == 1


def test_17_is_the_slope_at_neither_place():
    assert said(cell_with("from autodiff.lessons.after_07")) == "17"
    cube = lambda w: (w * w) * w
    assert [ad.grad(cube)(w).data for w in (3.0, 2.0)] == [27, 12]
    assert "into w.data: [17]" in said(cell_with("w.data[0] = 2"))


def test_a_total_of_losses_holds_every_graph():
    lines = said(cell_with("def mean_of_losses")).splitlines()
    assert [line.split()[-2] for line in lines if "nodes" in line] == ["8", "62", "602", "0", "0", "0"]
    assert lines[3] == lines[7]
    w, total = ad.Tensor(2), 0
    for _ in range(3):
        loss = w * w
        loss.backward()
        w -= 0.1 * w.grad
        total += loss
    assert len(order(total)) == 7
    with pytest.raises(RuntimeError, match="was changed after"):
        total.backward()


def test_the_package_refuses_what_pytorch_gets_wrong():
    class Cube(ad.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.square = x * x
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            return 3 * ctx.square * grad

    with pytest.raises(RuntimeError, match="differentiated once only"):
        ad.grad(ad.grad(lambda x: Cube.apply(x) * x))(2.0)
    assert ad.grad(ad.grad(lambda x: (x * x * x) * x))(2.0) == 48


# -- 11 floor -----------------------------------------------------------------------------------------------


def test_floor_takes_the_right_prediction():
    assert check("14 floor", answer("14 floor")["my_guess"]).status == "right"
    assert check("14 floor", ad.grad(lambda x: x * ad.floor(x))(3.7)).status == "right"


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        (6.7, "as if floor passed the gradient on"),
        (7.4, "the slope of x * x"),
        (3.7, "there it ends"),
        (0, "the x in front of it is none"),
        (11.1, "11.1 is the value"),
        (1, "multiplied by 3"),
        (0.003, "per unit"),
        (4, "Near 3.7 the floor is a 3"),
        ("three", "A number is asked for"),
    ],
)
def test_floor_names_the_misconception(guess, kind):
    verdict = check("14 floor", guess)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_floor_is_not_done_yet_without_a_guess():
    assert check("14 floor", None).status == "not done yet"


# -- 11 huber -----------------------------------------------------------------------------------------------


def value(x, width):
    return np.where(np.abs(x) <= width, x * x / 2, width * (np.abs(x) - width / 2))


def made(forward=value, rule=lambda x, width: np.clip(x, -width, width)):
    """A Huber's loss, right unless told otherwise; the rule is given without the gradient above."""

    @ad.operation
    def huber(x, *, width=1):
        return forward(x, width)

    return huber.backward(lambda grad, z, x, width=1: grad * rule(x, width))


def test_huber_takes_the_right_answer():
    assert check("14 huber", answer("14 huber")["huber"]).status == "right"
    for rule in (
        lambda x, width: np.where(abs(x) <= width, x, width * np.sign(x)),
        lambda x, width: ad.clip(x, -width, width),
        lambda x, width: np.minimum(np.maximum(x, -width), width),
        lambda x, width: x * (abs(x) <= width) + width * (x > width) - width * (x < -width),
    ):
        assert check("14 huber", made(rule=rule)).status == "right"


def test_huber_lets_the_option_stand_on_the_rule_s_side_as_any_keyword():
    @ad.operation
    def huber(x, *, width=1):
        return value(x, width)

    huber.backward(lambda grad, z, x, **options: grad * np.clip(x, -(w := options.get("width", 1)), w))
    assert check("14 huber", huber).status == "right"


@pytest.mark.parametrize(
    ("forward", "kind"),
    [
        (lambda x, w: value(x, 1), "does not use the width"),
        (lambda x, w: np.where(np.abs(x) <= w, x * x, value(x, w)), "half of x * x"),
        (lambda x, w: np.where(np.abs(x) <= w, x * x / 2, w * np.abs(x)), "width / 2 is taken from"),
        (lambda x, w: np.where(np.abs(x) <= w, x * x / 2, np.abs(x) - w / 2), "multiplied by the width"),
        (lambda x, w: np.where(np.abs(x) <= w, x * x / 2, w * (x - w / 2)), "the loss of -3 is that of 3"),
        (lambda x, w: np.where(x <= w, x * x / 2, value(x, w)), "The middle ends on the left"),
        (lambda x, w: np.where(np.abs(x) > w, x * x / 2, w * (np.abs(x) - w / 2)), "changed places"),
        (lambda x, w: x * x / 2, "the square everywhere"),
        (lambda x, w: 3 * value(x, w), "Compare with a nudge"),
        (lambda x, w: x * x / 2 if abs(x) <= w else w * (abs(x) - w / 2), "Each is inside or outside"),
    ],
)
def test_huber_names_a_wrong_forward(forward, kind):
    verdict = check("14 huber", made(forward=forward))
    assert verdict.status == "wrong"
    assert kind in verdict.message


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        (lambda x, w: np.clip(x, -1, 1), "does not use the width"),
        (lambda x, w: np.where(abs(x) <= w, x, w), "the slope is -width"),
        (lambda x, w: np.minimum(abs(x), w), "the sign is lost"),
        (lambda x, w: x, "it grows no further"),
        (lambda x, w: np.where(abs(x) <= w, 2 * x, np.clip(x, -w, w)), "not 2 * x"),
        (lambda x, w: np.where(abs(x) <= w, x, 0), "but not level"),
        (lambda x, w: np.where(abs(x) <= w, x, np.sign(x)), "as steep as the width says"),
        (lambda x, w: np.where(abs(x) > w, x, w * np.sign(x)), "changed places"),
        (value, "the loss itself"),
        (lambda x, w: -np.clip(x, -w, w), "Compare with a nudge"),
        (lambda x, w: max(-w, min(x, w)), "Each is inside or outside"),
        (lambda x, w: np.clip(np.float64(x) if np.ndim(x) == 0 else x, -w, w), "takes the number out"),
    ],
)
def test_huber_names_a_wrong_rule(rule, kind):
    verdict = check("14 huber", made(rule=rule))
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_huber_sees_that_the_gradient_above_was_dropped():
    """A nudge of a single number cannot: there the gradient above is 1."""

    @ad.operation
    def huber(x, *, width=1):
        return value(x, width)

    huber.backward(lambda grad, z, x, width=1: np.clip(x, -width, width))
    verdict = check("14 huber", huber)
    assert verdict.status == "wrong"
    assert "gradient above was dropped" in verdict.message


def test_huber_sees_that_the_rule_takes_no_option():
    @ad.operation
    def huber(x, *, width=1):
        return value(x, width)

    huber.backward(lambda grad, z, x: grad * np.clip(x, -1, 1))
    verdict = check("14 huber", huber)
    assert verdict.status == "wrong"
    assert "The rule does not take the option" in verdict.message


def test_huber_sees_that_width_is_an_input():
    @ad.operation
    def huber(x, width=1):
        return value(x, width)

    verdict = check("14 huber", huber)
    assert verdict.status == "wrong"
    assert "Options stand after a star" in verdict.message


def test_huber_sees_that_the_option_has_another_name():
    @ad.operation
    def huber(x, *, breadth=1):
        return value(x, breadth)

    verdict = check("14 huber", huber)
    assert verdict.status == "wrong"
    assert "does not take the option" in verdict.message


def test_huber_sees_a_plain_function_and_a_constant():
    verdict = check("14 huber", lambda x, width=1: value(x, width))
    assert verdict.status == "wrong"
    assert "Write @ad.operation" in verdict.message

    @ad.operation
    def huber(x, *, width=1):
        return value(x, width)

    verdict = check("14 huber", huber.backward(None))
    assert verdict.status == "wrong"
    assert "huber is a constant" in verdict.message


def test_huber_tells_a_stub_from_a_mistake():
    assert check("14 huber", made(forward=lambda x, width: None)).status == "not done yet"

    @ad.operation
    def huber(x, *, width=1):
        return value(x, width)

    assert check("14 huber", huber).status == "not done yet"  # no rule at all
    huber.backward(lambda grad, z, x, width=1: None)
    verdict = check("14 huber", huber)
    assert verdict.status == "not done yet"
    assert "the rule of huber gives None" in verdict.message


def test_the_example_in_the_lesson_is_right():
    huber = answer("14 huber")["huber"]
    assert [huber(x) for x in (0.5, 3.0, -3.0)] == [0.125, 2.5, 2.5]


# -- 11 sign ------------------------------------------------------------------------------------------------


def bit(back=lambda grad, x, z: grad * (abs(x) <= 1), front=ad.sign, save=lambda x, z: (x, z)):
    """A Sign, right unless told otherwise."""

    class Sign(ad.Function):
        @staticmethod
        def forward(ctx, x):
            z = front(x)
            ctx.save_for_backward(*save(x, z))
            return z

        @staticmethod
        def backward(ctx, grad):
            x, z = ctx.saved_tensors
            return back(grad, x, z)

    return Sign


def test_sign_takes_the_right_answer():
    assert check("14 sign", answer("14 sign")["Sign"]).status == "right"
    assert check("14 sign", bit()).status == "right"
    assert check("14 sign", bit(front=lambda x: np.sign(x))).status == "right"
    assert check("14 sign", bit(back=lambda grad, x, z: np.where(abs(x) <= 1, grad, 0))).status == "right"


def test_sign_takes_an_x_under_a_name_and_says_what_that_costs():
    class Sign(ad.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x = x
            return ad.sign(x)

        @staticmethod
        def backward(ctx, grad):
            return grad * (abs(ctx.x) <= 1)

    verdict = check("14 sign", Sign)
    assert verdict.status == "right"
    assert "differentiated once only" in verdict.message
    assert "once only" not in check("14 sign", bit()).message


@pytest.mark.parametrize(
    ("back", "kind"),
    [
        (lambda grad, x, z: grad, "the fence is missing"),
        (lambda grad, x, z: grad * (abs(z) <= 1), "Ask x"),
        (lambda grad, x, z: grad * (abs(x) > 1), "turned round"),
        (lambda grad, x, z: 1.0 * (abs(x) <= 1), "gradient above was dropped"),
        (lambda grad, x, z: 0 * grad, "the true slope of a step"),
        (lambda grad, x, z: grad * (x <= 1), "on the right only"),
        (lambda grad, x, z: grad * (x >= -1), "on the left only"),
        (lambda grad, x, z: grad * z * (abs(x) <= 1), "not multiplied by the sign"),
        (lambda grad, x, z: grad * x * (abs(x) <= 1), "not multiplied by x"),
        (lambda grad, x, z: -grad * (abs(x) <= 1), "Which of the four"),
        (lambda grad, x, z: grad if abs(x) <= 1 else 0 * grad, "multiply by the comparison"),
        (lambda grad, x, z: (grad * (abs(x) <= 1), None), "2 gradients for 1 inputs"),
    ],
)
def test_sign_names_a_wrong_backward(back, kind):
    verdict = check("14 sign", bit(back))
    assert verdict.status == "wrong"
    assert kind in verdict.message


@pytest.mark.parametrize(
    ("front", "kind"),
    [
        (lambda x: x, "x itself"),
        (lambda x: 1.0 * (x.data > 0), "0 or 1"),
        (lambda x: -ad.sign(x), "turned round"),
        (lambda x: ad.clip(x, -1, 1), "may lie between"),
        (lambda x: 2 * ad.sign(x), "It is ad.sign(x)"),
    ],
)
def test_sign_names_a_wrong_forward(front, kind):
    verdict = check("14 sign", bit(front=front))
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_sign_sees_one_drawer_for_all_calls():
    class Sign(ad.Function):
        @staticmethod
        def forward(ctx, x):
            Sign.x = x
            return ad.sign(x)

        @staticmethod
        def backward(ctx, grad):
            return grad * (abs(Sign.x) <= 1)

    verdict = check("14 sign", Sign)
    assert verdict.status == "wrong"
    assert "in one place for all calls" in verdict.message


def test_sign_sees_what_was_not_saved_or_not_unpacked():
    def with_backward(unpack, save=True):
        class Sign(ad.Function):
            @staticmethod
            def forward(ctx, x):
                if save:
                    ctx.save_for_backward(x)
                return ad.sign(x)

            @staticmethod
            def backward(ctx, grad):
                return grad * (abs(unpack(ctx.saved_tensors)) <= 1)

        return Sign

    def first(saved):
        (x,) = saved
        return x

    assert check("14 sign", with_backward(first)).status == "right"
    for cls, kind in (
        (with_backward(first, save=False), "Nothing was saved"),
        (with_backward(lambda saved: saved), "is a tuple, also with one x in it"),
    ):
        verdict = check("14 sign", cls)
        assert verdict.status == "wrong"
        assert kind in verdict.message


def test_sign_takes_a_backward_by_numpy_and_says_what_that_costs():
    for inside in (lambda saved: np.abs(saved) <= 1, lambda saved: np.abs(np.asarray(saved[0])) <= 1):

        class Sign(ad.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return ad.sign(x)

            @staticmethod
            def backward(ctx, grad, inside=inside):
                return grad * inside(ctx.saved_tensors)

        verdict = check("14 sign", Sign)
        assert verdict.status == "right", verdict
        assert "is a tuple, also with one x in it" in verdict.message


def test_sign_tells_a_stub_from_a_mistake():
    class Sign(ad.Function):
        @staticmethod
        def forward(ctx, x):
            return None

    assert check("14 sign", Sign).status == "not done yet"
    verdict = check("14 sign", bit(back=lambda grad, x, z: None))
    assert verdict.status == "not done yet"
    assert "backward of Sign gives None" in verdict.message
    for other in (ad.sign, int, bit()()):
        verdict = check("14 sign", other)
        assert verdict.status == "wrong"
        assert "A class is asked for" in verdict.message


# -- the picture --------------------------------------------------------------------------------------------


@pytest.fixture
def drawn(monkeypatch):
    """The figures that plots have shown, kept open to be looked at; nothing is put on a screen."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figures = []
    monkeypatch.setattr(plots_11, "show", lambda words: figures.append(plt.gcf()))
    yield figures
    plt.close("all")


def test_coins_rings_the_gradients_that_are_not_where_their_number_was_kept(drawn):
    from matplotlib.patches import Circle, Rectangle

    plots_11.coins({"right": ([1, 2], [2, 0], [2, 0]), "wrong": ([1, 2, 3], [2, 0, 6], [0, 2, 2])})
    ax = drawn[0].axes[0]
    rings = [patch for patch in ax.patches if isinstance(patch, Circle)]
    gradients = [text for text in ax.texts if text.get_position()[1] > 4.5]
    numbers = [text.get_text() for text in gradients if text.get_text() != "gradient of x"]
    assert numbers == ["2", "0", "0", "2", "2"]
    places = [text.get_position()[0] for text in gradients if text.get_text() in ("0", "2")]
    assert [ring.center[0] for ring in rings] == places[2:4]
    blue = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert len(blue) == 3 * (2 + 3)


def test_plots_leave_no_figure_open():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    plots_11.coins({"one": ([1], [2], [2])})
    assert plt.get_fignums() == []
