"""A network that trains in a browser: what a reader sees, by click and by keyboard, on a desk and a phone."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim
from autodiff.compiling.training_step import TrainingStep
from autodiff.living.playground import playground
from tests.browser import chromium

PROGRAM = chromium.find()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")

# What is counted from the first script on: errors, among them those of the page's policy, and requests.
WATCH = """
window.seen = [];
addEventListener("error", (event) => seen.push(event.message));
addEventListener("unhandledrejection", (event) => seen.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => seen.push(event.violatedDirective));
"""


def network(outputs, inputs=2):
    ad.seed(3)
    return nn.Sequential(nn.Linear(inputs, 6), nn.Tanh(), nn.Linear(6, outputs)).double()


def moons():
    x, y = data.moons(60, seed=0)
    return x.astype(float), y.astype(float).reshape(-1, 1)


def training_of_moons():
    model = network(1)
    return model, nn.BCEWithLogitsLoss(), optim.Adam(model.parameters(), lr=0.05)


def of_two_sets_and_rules():
    model = network(1)
    x, y = data.spiral(40, classes=2, seed=0)
    sets = {"moons": moons(), "spiral": (x.astype(float), y.astype(float).reshape(-1, 1))}
    rules = {"Adam": optim.Adam(model.parameters(), lr=0.05), "SGD": optim.SGD(model.parameters(), lr=0.5)}
    return playground(model, nn.BCEWithLogitsLoss(), rules, sets, batch=16)


def of_three_classes():
    model = network(3)
    x, y = data.spiral(60, seed=0)
    return playground(model, nn.CrossEntropyLoss(), optim.Adam(model.parameters()), (x.astype(float), y))


def of_a_curve():
    model = network(1, inputs=1)
    x = np.linspace(-3, 3, 40).reshape(-1, 1)
    return playground(model, nn.MSELoss(), optim.Adam(model.parameters(), lr=0.05), (x, np.sin(x)))


def of_two_classes_on_a_line():
    model = network(1, inputs=1)
    x = np.linspace(-3, 3, 30).reshape(-1, 1)
    return playground(model, nn.BCEWithLogitsLoss(), optim.Adam(model.parameters()), (x, np.abs(x) > 1))


def of_three_classes_on_a_line():
    model = network(3, inputs=1)
    x = np.linspace(-3, 3, 30).reshape(-1, 1)
    y = np.digitize(x[:, 0], [-1, 1])
    return playground(model, nn.CrossEntropyLoss(), optim.Adam(model.parameters()), (x, y))


def of_heights():
    model = network(1)
    x, _ = moons()
    return playground(model, nn.MSELoss(), optim.Adam(model.parameters()), (x, x[:, :1] * x[:, 1:]))


def pictures(count=40):
    """Pictures of 6 x 6 with a bright row (0) or a bright column (1)."""
    rng = np.random.default_rng(0)
    x, y = 0.2 * rng.random((count, 1, 6, 6)), np.arange(count) % 2
    for picture, kind in zip(x[:, 0], y):
        np.swapaxes(picture, 0, kind)[rng.integers(6)] += 0.8
    return x, y


def of_pictures():
    model = nn.Sequential(nn.Flatten(), nn.Linear(36, 6), nn.Tanh(), nn.Linear(6, 10)).double()
    return playground(model, nn.CrossEntropyLoss(), optim.Adam(model.parameters(), lr=0.02), pictures())


def of_pictures_by_convolution():
    layers = [nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, 2)]
    model = nn.Sequential(*layers).double()
    return playground(model, nn.CrossEntropyLoss(), optim.Adam(model.parameters(), lr=0.02), pictures())


def of_a_function():
    a, b = ad.Tensor(0.5), ad.Tensor([1.0])
    x = np.linspace(-1, 1, 20).reshape(-1, 1)
    adam = optim.Adam([a, b], lr=0.1)
    return playground(lambda x: a * x + b, nn.MSELoss(), adam, (x, 2 * x - 1))


def of_a_surface():
    w = ad.Tensor([-1.0, 0.5])
    rules = {"plain": optim.SGD([w], lr=0.1), "Adam": optim.Adam([w], lr=0.1)}
    return playground(w, lambda w: w[0] ** 2 + 4 * w[1] ** 2, rules, ((-2, 2), (-1, 1)))


KINDS = [
    of_a_surface,
    of_two_sets_and_rules,
    of_three_classes,
    of_a_curve,
    of_two_classes_on_a_line,
    of_three_classes_on_a_line,
    of_heights,
    of_pictures,
    of_pictures_by_convolution,
    of_a_function,
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with chromium.started(PROGRAM, tmp_path_factory.mktemp("chromium")) as page:
        page.call("Page.enable")
        page.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        yield page


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("playground") / "moons.html"
    playground(*training_of_moons(), moons(), batch=16).save(path)
    return path


def part(name):
    return f"document.querySelector('[data-{name}]')"


def words(page):
    return page.evaluate(f"{part('words')}.textContent")


def choose(page, name, text):
    """Choose an option by its text."""
    page.evaluate(
        f"(e => {{ e.value = [...e.options].find(o => o.text === {text!r}).value;"
        f" e.dispatchEvent(new Event('change', {{bubbles: true}})); }})({part(name)})"
    )


def enter(page, name, value, kind="change"):
    page.evaluate(f"(e => {{ e.value = {value!r}; e.dispatchEvent(new Event({kind!r})); }})({part(name)})")


def key(page, name, press):
    page.evaluate(f"{part(name)}.dispatchEvent(new KeyboardEvent('keydown', {{key: {press!r}}}))")


def test_steps_have_the_losses_of_python(page, saved):
    model, loss, adam = training_of_moons()
    step = TrainingStep(model, loss, adam)
    page.open(saved)
    assert words(page).startswith("step 0, right ")
    for count in (1, 2, 3):
        page.click(part("step"))
        expected = step(*moons())[1].item()
        assert words(page).startswith(f"step {count}, loss {expected:.3g}, right ")
    assert page.evaluate("seen") == []


def test_it_plays_and_pauses_goes_back_and_begins_anew(page, saved):
    page.open(saved)
    page.click(part("play"))
    assert page.evaluate(f"{part('play')}.textContent") == "pause"
    page.wait_for(f"parseInt({part('words')}.textContent.slice(5)) > 20")
    page.click(part("play"))
    assert page.evaluate(f"{part('play')}.textContent") == "play"
    before = words(page)
    count = int(before.split(",")[0].removeprefix("step "))
    page.click(part("back"))
    assert words(page).startswith(f"step {count - 1}, ")
    page.click(part("step"))
    assert words(page).split(", right")[0] == before.split(", right")[0]
    enter(page, "history", 5, "input")
    assert words(page).startswith("step 5, ")
    page.click(part("reset"))
    assert words(page).startswith("step 0, ")
    assert page.evaluate(f"{part('back')}.disabled")


def test_another_seed_and_another_batch(page, saved):
    page.open(saved)
    losses = set()
    for seed, size in ((0, "all points"), (0, "16"), (1, "all points"), (1, "16")):
        enter(page, "seed", seed)
        choose(page, "size", size)
        page.click(part("step"))
        losses.add(words(page).split(", ")[1])
        assert words(page).startswith("step 1, ")
    assert len(losses) == 4


def test_the_program_that_runs_is_shown_in_both_languages(page, saved):
    page.open(saved)
    page.evaluate("document.querySelector('details').open = true")
    rows = "[...document.querySelectorAll('[data-program]')].find(e => e.checkVisibility()).tBodies[0].rows"
    shown = page.evaluate(f"[...{rows}].map(row => [...row.cells].map(cell => cell.innerText))")
    assert ["d_layer2_weight = difference2.T @ tanh", True] in [[p, "nd.matmul" in j] for p, j in shown]
    assert all(python and script.endswith(";") for python, script in shown)
    assert any("/ 60" in python for python, _ in shown)
    choose(page, "size", "16")
    shown = page.evaluate(f"[...{rows}].map(row => [...row.cells].map(cell => cell.innerText))")
    assert any("/ 16" in python and "16" in script for python, script in shown)


def test_points_are_added_by_click_and_by_keys(page, saved):
    page.open(saved)
    right = page.evaluate("[...document.querySelectorAll('.ap-confusion td')].map(e => +e.innerText)")
    assert sum(right) == 60
    page.click(part("points"))
    page.evaluate("document.querySelectorAll('[data-adding] button')[1].click()")
    page.evaluate(f"{part('points')}.focus()")
    key(page, "points", "ArrowUp")
    key(page, "points", "Enter")
    rows = page.evaluate(
        "[...document.querySelectorAll('.ap-confusion tr')].slice(1)"
        ".map(row => [...row.querySelectorAll('td')].map(e => +e.innerText))"
    )
    assert [sum(row) for row in rows] == [31, 31]
    assert "a point was added, at " in page.evaluate(f"{part('live')}.textContent")
    page.click(part("step"))
    assert words(page).startswith("step 1, ")
    page.click(part("remove"))
    right = page.evaluate("[...document.querySelectorAll('.ap-confusion td')].map(e => +e.innerText)")
    assert sum(right) == 60
    assert page.evaluate("seen") == []


def test_a_neuron_is_chosen_by_keys_and_shown_large(page, saved):
    page.open(saved)
    page.evaluate(f"{part('network')}.focus()")
    painted = f"{part('points')}.toDataURL()"
    pictures = [page.evaluate(painted)]
    for press, expected in [
        ("ArrowRight", "input, neuron 1 of 2"),
        ("ArrowDown", "input, neuron 2 of 2"),
        ("ArrowRight", "0: Linear, neuron 2 of 6"),
        ("ArrowUp", "0: Linear, neuron 1 of 6"),
        ("ArrowUp", "0: Linear, neuron 1 of 6"),
    ]:
        page.press(press)
        assert page.evaluate(f"{part('neuron')}.textContent") == expected
        pictures.append(page.evaluate(painted))
    assert len(set(pictures)) == 5
    key(page, "network", "Escape")
    assert page.evaluate(f"{part('neuron')}.textContent") == ""
    assert page.evaluate(painted) == pictures[0]


def test_lines_show_weights_or_gradients(page, saved):
    page.open(saved)
    page.click(part("step"))
    painted = f"{part('network')}.toDataURL()"
    weights = page.evaluate(painted)
    choose(page, "edges", "gradients")
    assert page.evaluate(painted) != weights
    choose(page, "edges", "weights")
    assert page.evaluate(painted) == weights


def test_a_picture_is_chosen_by_click_and_by_keys(page, tmp_path):
    of_pictures().save(tmp_path / "page.html")
    page.open(tmp_path / "page.html")
    choose(page, "speed", "20")
    page.click(part("play"))
    page.wait_for(f"{part('words')}.textContent.includes('right 100 %')")
    page.click(part("play"))
    page.evaluate(f"{part('points')}.focus()")
    shown = []
    for press in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowLeft"):
        page.press(press)
        shown.append(page.evaluate(f"{part('adding')}.textContent"))
    assert shown == [f"picture {k + 1}: it is {k % 2}, and taken for {k % 2}" for k in (1, 9, 8, 7)]
    assert page.evaluate("seen") == []


def test_sets_and_optimizers_are_chosen(page, tmp_path):
    of_two_sets_and_rules().save(tmp_path / "page.html")
    page.open(tmp_path / "page.html")
    page.click(part("step"))
    painted = f"{part('points')}.toDataURL()"
    first = page.evaluate(painted)
    choose(page, "data", "spiral")
    assert words(page).startswith("step 0, ")
    assert page.evaluate(painted) != first
    choose(page, "optimizer", "SGD")
    assert page.evaluate(f"{part('rate-shown')}.textContent") == "0.5"
    page.click(part("step"))
    assert words(page).startswith("step 1, ")
    assert page.evaluate("seen") == []


@pytest.mark.parametrize("kind", [of_a_curve, of_two_classes_on_a_line, of_three_classes_on_a_line])
def test_points_are_added_to_a_line(page, tmp_path, kind):
    kind().save(tmp_path / "page.html")
    page.open(tmp_path / "page.html")
    page.click(part("points"))
    page.click(part("step"))
    assert words(page).startswith("step 1, loss ")
    assert "NaN" not in words(page)
    assert page.evaluate("seen") == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("width", "theme"), [(1400, "light"), (390, "dark")])
def test_each_kind_trains_without_an_error_and_fits_the_page(page, tmp_path, kind, width, theme):
    kind().save(tmp_path / "page.html")
    page.emulate(width=width, prefers_color_scheme=theme)
    page.open(tmp_path / "page.html")
    for _ in range(3):
        page.click(part("step"))
    shown = words(page)
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    empty = page.evaluate(
        "[...document.querySelectorAll('canvas')].filter(e => e.checkVisibility()).filter(e =>"
        " new Set(new Uint32Array("
        "e.getContext('2d').getImageData(0, 0, e.width, e.height).data.buffer)).size < 3)"
        ".map(e => e.outerHTML)"
    )
    page.emulate()
    assert shown.startswith("step 3, start " if kind is of_a_surface else "step 3, loss ")
    assert overflow <= 0
    assert empty == []
    assert page.evaluate("seen") == []


def test_a_training_that_diverges_stays_visible_and_can_go_back(page, tmp_path):
    a, b = ad.Tensor([2.0]), ad.Tensor([1.0])
    x = np.linspace(-1, 1, 20).reshape(-1, 1)
    pg = playground(lambda x: a * x + b, nn.MSELoss(), optim.SGD([a, b], lr=10.0), (x, x))
    pg.save(tmp_path / "page.html")
    page.open(tmp_path / "page.html")
    page.click(part("step"))
    first = words(page)
    page.evaluate(f"(() => {{ for (let k = 0; k < 400; k++) {part('step')}.click(); }})()")
    assert words(page) == "step 401, loss NaN, the steps were too long: lower the rate, and go back"
    page.click(part("reset"))
    page.click(part("play"))
    page.wait_for(f"{part('words')}.textContent.endsWith('and go back')")
    assert page.evaluate(f"{part('play')}.textContent") == "play"  # it has stopped
    enter(page, "history", 1, "input")
    assert words(page) == first
    enter(page, "rate", -2, "input")
    page.click(part("step"))
    assert "NaN" not in words(page)
    assert page.evaluate("seen") == []


def start_in(said):
    """The two numbers of the start that are said."""
    _, start = said.split("start ")
    return [float(part) for part in start.split(", ")[:2]]


def test_the_start_on_a_surface_is_dragged_and_moved_by_keys(page, tmp_path):
    of_a_surface().save(tmp_path / "page.html")
    page.open(tmp_path / "page.html")
    page.click(part("step"))
    shown = page.evaluate("[...document.querySelectorAll('.ap-rules tbody td')].map(e => e.innerText.trim())")
    assert shown == ["0.1", "2", "0.1", "2"]
    x, y, width = page.evaluate(f"(r => [r.x, r.y, r.width])({part('points')}.getBoundingClientRect())")
    for kind, at in (("mousePressed", 0.5), ("mouseMoved", 0.6), ("mouseReleased", 0.75)):
        page.call(
            "Input.dispatchMouseEvent", type=kind, x=x + at * width, y=y + 0.5 * width, button="left",
            buttons=1, clickCount=1,
        )  # fmt: skip
    assert start_in(words(page)) == pytest.approx([0.4, 0.0], abs=0.01)
    page.evaluate(f"{part('points')}.focus()")
    page.press("ArrowUp")
    assert start_in(words(page)) == pytest.approx([0.4, 0.04], abs=0.01)
    page.click(part("step"))
    assert words(page).startswith("step 1, ")
    assert start_in(words(page)) == pytest.approx([0.4, 0.04], abs=0.01)
    assert page.evaluate("seen") == []


def test_without_scripts_the_still_and_a_sentence_remain(page, saved, tmp_path):
    stripped = tmp_path / "stripped.html"
    text = re.sub(r"<script.*?</script>", "", saved.read_text("utf-8"), flags=re.DOTALL)
    stripped.write_text(text, "utf-8")
    page.open(stripped)
    assert page.evaluate("document.querySelectorAll('svg circle').length") == 60
    assert page.evaluate("document.querySelector('svg').checkVisibility()")
    assert page.evaluate("document.body.innerText").split("\n\n") == [
        "A network learns in this page",
        "a playground: Sequential, BCEWithLogitsLoss, Adam; data (60 samples)",
        "This page trains as soon as its script runs.",
    ]


def test_everything_has_a_name_and_a_tab_stop_of_its_own(page, saved):
    page.open(saved)
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, select, input, canvas')].filter(e => !e.hidden && !("
        "e.ariaLabel || e.innerText || e.labels?.length)).map(e => e.outerHTML)"
    )
    assert nameless == []
    names = []
    for _ in range(9):
        page.press("Tab")
        names.append(page.evaluate("Object.keys(document.activeElement.dataset)[0]"))
    assert names == ["play", "step", "reset", "rate", "size", "speed", "seed", "network", "edges"]
