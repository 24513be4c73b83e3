"""The plots of all lessons: words for readers who cannot see them, colours, contrast, and small pictures."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

from autodiff.draw.theme import DARK, LIGHT
from autodiff_course import plots
from autodiff_course.plots import colours

from .stored import NOTEBOOKS

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

from matplotlib import pyplot as plt  # noqa: E402

from autodiff_course.plots import as_svg, style  # noqa: E402

FOLDER = Path(plots.__file__).parent
MODULES = [
    importlib.import_module(f"autodiff_course.plots.{p.stem}") for p in sorted(FOLDER.glob("lesson_*.py"))
]
PAGES = (LIGHT.paper, "#111111")  # a light page, and a dark one: JupyterLab's
TEXT, GRAPHIC = 4.5, 3.0  # the least contrast by WCAG 2, level AA


def shows(function):
    """Whether a function of a plots module shows a figure itself or by another one of these modules."""
    tree = ast.parse(inspect.getsource(function))
    calls = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return bool(calls & {"show", "show_grid", "confusion"})


PLOTS = {
    f"{module.__name__[-2:]} {name}": function
    for module in MODULES
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__ and shows(function)
}


@pytest.fixture(scope="module")
def shown():
    """By plot: the words and the SVG that its example gives."""
    found = {}
    pieces = [*MODULES, importlib.import_module("autodiff_course.plots.pictures")]
    with pytest.MonkeyPatch.context() as patch:
        for name, function in PLOTS.items():

            def keep(words, name=name):
                picture = plt.gcf()
                style.finish(picture)
                found[name] = (words, as_svg.as_svg(picture, words, "autodiff-plot:123456"))
                plt.close(picture)

            for piece in pieces:
                if hasattr(piece, "show"):
                    patch.setattr(piece, "show", keep)
            example = doctest.DocTestParser().get_doctest(function.__doc__, {}, name, None, 0)
            assert not doctest.DocTestRunner().run(example).failed, name
    return found


def contrast(one, other):
    """The contrast of two colours by WCAG 2."""

    def light(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05

    low, high = sorted((light(one), light(other)))
    return high / low


# -- words --------------------------------------------------------------------------------------------------


def test_there_are_plots_in_all_modules():
    assert len(PLOTS) >= 38
    assert {name[:2] for name in PLOTS} == {module.__name__[-2:] for module in MODULES}


def test_a_figure_cannot_be_shown_without_words():
    assert inspect.signature(style.show).parameters["words"].default is inspect.Parameter.empty
    with pytest.raises(TypeError, match="words"):
        style.show()


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_says_what_it_shows(name, shown):
    words, svg = shown[name]
    assert len(words.split()) >= 5
    assert words.endswith(".")
    assert re.match(r"[A-Z0-9\[a-z]", words)
    label = as_svg.escape(words)
    assert f'role="img" aria-label="{label}"' in svg
    assert [other for other, (text, _) in shown.items() if text == words] == [name]


def test_only_the_helper_shows_figures():
    for path in [*FOLDER.glob("*.py"), *NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("solutions/*.ipynb")]:
        if path.name not in ("style.py", "as_svg.py"):
            assert not re.search(r"plt\.show|pyplot|import matplotlib\b", path.read_text("utf-8")), path.name


def test_in_a_notebook_a_plot_has_words_html_and_a_still_picture(monkeypatch):
    displayed = []
    monkeypatch.setattr(style, "is_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", displayed.append)
    plots.secants(lambda a: a * a, 2, (1,))
    (plot,) = displayed
    bundle, metadata = plot._repr_mimebundle_()
    assert bundle["text/plain"] == repr(plot) == plot.words
    assert f'alt="{plot.words}"' in bundle["text/html"]
    assert bundle["image/svg+xml"].startswith("<svg ")
    assert f"<desc>autodiff-plot:{metadata['autodiff-plot']}</desc>" in bundle["image/svg+xml"]
    assert plt.get_fignums() == []


# -- pictures -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLOTS)
def test_a_picture_is_small_and_transparent(name, shown):
    _, svg = shown[name]
    assert len(svg) < 26_000
    assert "#000000" not in svg
    assert "DejaVu" not in svg
    assert "<metadata" not in svg


@pytest.mark.parametrize("name", PLOTS)
def test_a_picture_is_the_same_in_every_run(name, shown):
    _, svg = shown[name]
    ids = re.findall(r' id="([^"]+)"', svg)
    assert ids[0] == "p123456"
    assert len(set(ids)) == len(ids)
    used = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', svg))
    assert {first or second for first, second in used} == set(ids[1:])


@pytest.mark.parametrize("name", PLOTS)
def test_texts_can_be_read_on_both_pages(name, shown):
    _, svg = shown[name]
    light, _, dark = svg.partition("@media")
    inks = {match[1]: match[2] for match in re.finditer(r"#p123456 \.(\w+)\{([^}]*)\}", light)}
    dark_inks = dict(re.findall(r"#p123456 \.(\w+)\{([^}]*)\}", dark.partition("</style>")[0]))
    classes = set(re.findall(r'<(?:text|tspan)[^>]* class="(\w+)"', svg))
    assert classes
    for each in classes:
        ink = re.search(r"fill:(#\w{6})", inks[each])
        assert ink, inks[each]
        assert contrast(ink[1], PAGES[0]) >= TEXT, (ink[1], inks[each])
        on_dark = re.search(r"fill:(#\w{6})", dark_inks[each])
        assert contrast(on_dark[1], PAGES[1]) >= TEXT, (on_dark[1], dark_inks[each])
        size = re.search(r"font-size:([\d.]+)px", inks[each])
        assert float(size[1]) * as_svg.SCALE >= 10


# -- colours ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ink", [colours.INK, colours.RED])
@pytest.mark.parametrize("ground", [colours.PAPER, *colours.TINTS])
def test_numbers_can_be_read_in_their_cells(ink, ground):
    assert contrast(ink, ground) >= TEXT
    assert contrast(colours.on_dark(ink), colours.on_dark(ground)) >= TEXT


@pytest.mark.parametrize("colour", sorted({*colours.CURVES, *colours.OTHERS, *colours.METHODS.values()}))
def test_curves_can_be_seen_on_both_pages(colour):
    assert contrast(colour, PAGES[0]) >= GRAPHIC
    assert contrast(colours.on_dark(colour), PAGES[1]) >= GRAPHIC


def test_each_optimizer_has_one_colour_of_its_own():
    optimizers = ("descent", "momentum", "RMSProp", "Adam", "AdamW", "Newton")
    assert len({colours.METHODS[name] for name in optimizers}) == len(optimizers)
    for name in optimizers:
        alone, second = colours.colours_of([name])[0], colours.colours_of(["other", name])[1]
        assert alone == second == colours.METHODS[name]
        assert colours.colours_of(["other", name])[0] not in colours.METHODS.values()


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("plain, rate 0.019", "descent"),
        ("gradient descent, 1586 steps", "descent"),
        ("SGD", "descent"),
        ("RMSprop", "RMSProp"),
        ("Newton, 10 steps", "Newton"),
        ("AdamW", "AdamW"),
        ("gradients forgotten", "right"),
    ],
)
def test_a_method_is_known_by_the_names_that_lessons_give_it(name, method):
    assert colours.colours_of([name]) == [colours.METHODS[method]]


def test_signs_have_the_colours_of_the_drawings():
    assert colours.sign_colour(2.0) == LIGHT.plus
    assert colours.sign_colour(-2.0) == LIGHT.minus
    assert colours.on_dark(LIGHT.plus) == DARK.plus
    plots.lesson_19 = importlib.import_module("autodiff_course.plots.lesson_19")
    kept = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            plots.lesson_19, "show", lambda words: kept.append([p.get_facecolor() for p in plt.gca().patches])
        )
        plots.lesson_19.bars({"gradient": [0.5, -0.5]})
        plt.close("all")
    assert [matplotlib.colors.to_hex(colour) for colour in kept[0]] == [LIGHT.plus, LIGHT.minus]
