"""A training in a page: its steps are those of Python, in node, and what cannot train there is refused."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim
from autodiff.compiling.training_step import TrainingStep
from autodiff.draw.theme import LIGHT
from autodiff.engine.tracing import TraceError
from autodiff.living.playground import playground
from autodiff.living.playground.checks import input_kind
from tests.compiling.test_training_step import OPTIMIZERS

NEEDS_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
COMPILED = [case for case in OPTIMIZERS if case[0] != "RAdam"]
STEPS = 500
ULP = 2.3e-16
BOUND = 1e-9
CALM = 1e-11
"""Python and JavaScript round differently in the last place. So a step is compared, to `BOUND`, as long as
Python agrees to `CALM` with itself, one ulp away at the start: beyond, a training is chaotic."""


def network(outputs=1, inputs=2, dtype=np.float64):
    ad.seed(3)
    return nn.Sequential(nn.Linear(inputs, 6), nn.Tanh(), nn.Linear(6, outputs)).to(dtype)


def two_classes(points):
    x, y = points
    return x.astype(float), y.astype(float).reshape(-1, 1)


MOONS = two_classes(data.moons(60, seed=0))
SPIRAL = two_classes(data.spiral(60, classes=2, noise=0.1, seed=0))
RUN = """
function run({optimizer = 0, size = 0, set = 0, seed = PLAN.seed, steps, looks = false}) {
  const training = new Training(PLAN, TENSORS, SETS, PROGRAMS);
  Object.assign(training, {optimizer, size, set, rate: PLAN.optimizers[optimizer].rate});
  training.reset(seed);
  const grid = nd.full([PLAN.grid ** 2, 2], 0.5, "float64");
  for (let k = 0; k < steps; k++) {
    training.step();
    if (looks) training.peek("look", grid);
  }
  const weights = PLAN.optimizers[optimizer].parameters.map((k) => nd.tolist(training.tensors[k]));
  return {losses: training.losses, sizes: training.sizes, weights};
}
"""


def in_node(pg, ending, tmp_path):
    """What JavaScript after the page's programs writes as JSON."""
    path = tmp_path / "training.js"
    path.write_text(f"{pg.script(('training',))}\n{RUN}\nconsole.log(JSON.stringify({ending}));", "utf-8")
    done = subprocess.run(["node", str(path)], capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr[-2000:]
    return json.loads(done.stdout)


def in_python(model, loss, optimizer, batches, nudge=0.0):
    """The losses of training steps, and the weights after them; ``nudge`` changes the first weights."""
    first = next(iter(model.parameters()))
    first.assign(first.data * (1 + nudge))
    step = TrainingStep(model, loss, optimizer)
    losses = [float(step(x, y)[1].data) for x, y in batches]
    return np.array(losses), [np.copy(p.data) for p in model.parameters()]


def difference(one, other):
    """The relative differences of losses."""
    return np.abs(np.asarray(one) - other) / np.abs(other)


@NEEDS_NODE
@pytest.mark.parametrize("points", ["moons", pytest.param("spiral", marks=pytest.mark.thorough)])
def test_five_hundred_steps_of_every_optimizer_are_those_of_python(points, tmp_path):
    points = {"moons": MOONS, "spiral": SPIRAL}[points]
    model, loss = network(), nn.BCEWithLogitsLoss()
    rules = {repr(case): getattr(optim, case[0])(model.parameters(), **case[1]) for case in COMPILED}
    pg = playground(model, loss, rules, points)
    every = f"PLAN.optimizers.map((_, optimizer) => run({{optimizer, steps: {STEPS}}}))"
    found = in_node(pg, every, tmp_path)
    calm_steps = []
    for (name, options), in_page in zip(COMPILED, found, strict=True):
        runs = []
        for nudge in (0.0, ULP):
            again = network()
            rule = getattr(optim, name)(again.parameters(), **options)
            runs.append(in_python(again, loss, rule, [points] * STEPS, nudge))
        (losses, weights), (nudged, _) = runs
        is_calm = np.maximum.accumulate(difference(nudged, losses)) < CALM
        assert difference(in_page["losses"], losses)[is_calm].max() < BOUND, (name, options)
        if is_calm.all():
            for one, other in zip(in_page["weights"], weights, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-7, err_msg=name)
        calm_steps.append(is_calm.sum())
    assert min(calm_steps) > 50
    assert np.median(calm_steps) == STEPS


@NEEDS_NODE
def test_batches_are_those_of_a_loader_with_the_same_seed(tmp_path):
    model, loss = network(), nn.BCEWithLogitsLoss()
    pg = playground(model, loss, optim.Adam(model.parameters(), lr=0.02), MOONS, batch=25, seed=7)
    found = in_node(pg, "run({size: 25, steps: 9})", tmp_path)
    ad.seed(7)
    losses, _ = in_python(model, loss, optim.Adam(model.parameters(), lr=0.02), batches_of(MOONS, 25, 9))
    np.testing.assert_allclose(found["losses"], losses, rtol=1e-12)


def batches_of(points, size, count):
    """The batches of a loader that draws from the package's generator."""
    loader = data.DataLoader(data.TensorDataset(*points), batch_size=size, shuffle=True, drop_last=True)
    found = []
    while len(found) < count:
        found += [(x, y) for x, y in loader]
    return found[:count]


class Noise(nn.Module):
    """Random numbers of all the kinds that a page has."""

    def forward(self, x):
        rng = ad.seeding.generator()
        x = x * rng.normal(1.0, 0.1, size=x.shape) + rng.uniform(high=0.1, size=x.shape[1:])
        return x * (1 + 0.01 * rng.standard_normal(6)) + 0.01 * rng.integers(3, size=x.shape)


@NEEDS_NODE
def test_another_seed_draws_the_weights_that_python_draws(tmp_path):
    """The layers draw them again in their order, and then the draws of batches and dropout follow."""
    ad.seed(0)
    noise = [nn.Dropout(0.3), Noise(), nn.Dropout(0.2, generator=8)]
    model = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), *noise, nn.Linear(6, 1)).double()
    loss = nn.BCEWithLogitsLoss()
    pg = playground(model, loss, optim.SGD(model.parameters(), lr=0.1, momentum=0.9), MOONS, batch=20)
    found = in_node(pg, "run({size: 20, seed: 5, steps: 3, looks: true})", tmp_path)
    assert "draw" in str(pg.plan.programs[0].arguments)
    ad.seed(5)
    for layer in model.modules():
        if hasattr(layer, "reset_parameters"):
            layer.reset_parameters()
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses, weights = in_python(model, loss, optimizer, batches_of(MOONS, 20, 3))  # of one epoch
    np.testing.assert_allclose(found["losses"], losses, rtol=1e-12)
    for one, other in zip(found["weights"], weights, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)


@NEEDS_NODE
def test_a_training_goes_back_and_on_again(tmp_path):
    model = network()
    pg = playground(model, nn.BCEWithLogitsLoss(), optim.Adam(model.parameters(), lr=0.02), MOONS, batch=25)
    there_and_back = """(() => {
      const training = new Training(PLAN, TENSORS, SETS, PROGRAMS), found = [];
      training.size = 25;
      for (let k = 0; k < 12; k++) training.step();
      found.push([...training.losses]);
      training.goTo(5);
      found.push(training.count);
      for (let k = 0; k < 7; k++) training.step();
      found.push([...training.losses]);
      training.reset(PLAN.seed);
      for (let k = 0; k < 12; k++) training.step();
      return [...found, training.losses];
    })()"""
    first, count, again, anew = in_node(pg, there_and_back, tmp_path)
    assert count == 5
    assert first == again == anew
    assert len(first) == 12


def test_nothing_of_the_reader_s_is_changed():
    ad.seed(0)
    layers = [nn.Linear(2, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Dropout(0.5), nn.Linear(6, 1)]
    model = nn.Sequential(*layers).double()
    model[3].eval()
    optimizer = optim.Adam(model.parameters())
    ad.seed(1)
    before = {key: np.copy(value) for key, value in model.state_dict().items()}
    assert playground(model, nn.BCEWithLogitsLoss(), optimizer, MOONS).html
    assert not optimizer.state
    assert [layer.training for layer in layers] == [True, True, True, False, True]
    np.testing.assert_equal(model.state_dict(), before)
    drawn = ad.seeding.generator().random()
    ad.seed(1)
    assert drawn == ad.seeding.generator().random()


def test_a_training_that_has_begun_goes_on_in_the_page():
    model = network()
    optimizer = optim.Adam(model.parameters())
    TrainingStep(model, nn.BCEWithLogitsLoss(), optimizer)(*MOONS)
    pg = playground(model, nn.BCEWithLogitsLoss(), optimizer, MOONS)
    assert pg.plan.facts["optimizers"][0]["numbers"] == [1.0]
    held = {tensor.name: value for tensor, value in pg.plan.shelf.values.items()}
    np.testing.assert_array_equal(held["0.weight.m"], optimizer.state[model[0].weight]["m"])


class Residual(nn.Module):
    """A forward of one's own, with a parameter that takes no part and comes first."""

    def __init__(self):
        super().__init__()
        self.unused = nn.Parameter(np.ones(3))
        self.into, self.inner, self.out = nn.Linear(2, 5), nn.Linear(5, 5), nn.Linear(5, 1)
        self.norm = nn.LayerNorm(5)

    def forward(self, x):
        x = ad.tanh(self.into(x))
        return self.out(x + ad.relu(self.inner(self.norm(x))))


def normalized():
    return nn.Sequential(nn.Linear(2, 5), nn.BatchNorm1d(5), nn.GELU(), nn.Linear(5, 1))


def whole_rates(model):
    first, *others = model.parameters()
    groups = [{"params": others, "lr": 0.2}, {"params": [first], "lr": 0.05, "weight_decay": 0.1}]
    return optim.SGD(groups, lr=0.1, momentum=0.9)


MODELS = [
    (Residual, nn.BCEWithLogitsLoss(), lambda model: optim.Adam(model.parameters(), lr=0.05)),
    (Residual, nn.BCEWithLogitsLoss(), whole_rates),
    (normalized, nn.BCEWithLogitsLoss(), whole_rates),
    (lambda: nn.Sequential(nn.Linear(2, 1), nn.Sigmoid()), nn.BCELoss(), whole_rates),
    (lambda: nn.Sequential(nn.Linear(2, 40), nn.ReLU(), nn.Linear(40, 1)), nn.HuberLoss(), whole_rates),
]


@NEEDS_NODE
@pytest.mark.parametrize("batch", [60, 13])
@pytest.mark.parametrize(("model", "loss", "rule"), MODELS)
def test_twenty_steps_of_other_networks(model, loss, rule, batch, tmp_path):
    ad.seed(2)
    net = model().double()
    pg = playground(net, loss, rule(net), MOONS, batch=batch)
    found = in_node(pg, f"run({{size: {batch}, steps: 20}})", tmp_path)
    ad.seed(0)
    batches = batches_of(MOONS, batch, 20) if batch < 60 else [MOONS] * 20
    optimizer = rule(net)
    losses, _ = in_python(net, loss, optimizer, batches)
    np.testing.assert_allclose(found["losses"], losses, rtol=1e-9)
    for one, other in zip(found["weights"], optimizer._parameters, strict=True):
        np.testing.assert_allclose(one, other.data, rtol=1e-8)


def rosenbrock(w):
    x, y = w[0], w[1]
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


def down_the_valley(w):
    """An optimizer of each kind, whose rates are small enough."""
    return {
        "plain": optim.SGD([w], lr=0.001),
        "momentum": optim.SGD([w], lr=0.001, momentum=0.9, nesterov=True),
        "RMSprop": optim.RMSprop([w], lr=0.005),
        "Adam": optim.Adam([w], lr=0.1),
    }


REGION = ((-2, 2), (-1, 3))


@NEEDS_NODE
def test_optimizers_go_down_a_surface_as_in_python(tmp_path):
    w = ad.Tensor([-1.2, 1.0])
    pg = playground(w, rosenbrock, down_the_valley(w), REGION)
    found = in_node(pg, "PLAN.optimizers.map((_, optimizer) => run({optimizer, steps: 200}))", tmp_path)
    for name, in_page in zip(down_the_valley(w), found, strict=True):
        v = ad.Tensor([-1.2, 1.0])
        optimizer, losses = down_the_valley(v)[name], []
        for _ in range(200):
            loss = rosenbrock(v)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        np.testing.assert_allclose(in_page["losses"], losses, rtol=1e-9, err_msg=name)
        np.testing.assert_allclose(in_page["weights"][0], v.data, rtol=1e-9, err_msg=name)
    np.testing.assert_array_equal(w.data, [-1.2, 1.0])
    assert repr(pg) == "a playground: plain, momentum, RMSprop, Adam on the surface of rosenbrock"
    assert pg.html in pg._repr_mimebundle_()[0]["text/html"]


W = ad.Tensor([1.0, 2.0], name="w")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"model": ad.Tensor([1.0, 2.0, 3.0])}, ValueError, "over two numbers, not over"),
        ({"optimizer": optim.SGD([W, ad.Tensor(1.0)])}, ValueError, "SGD must move .*'w'.* and nothing else"),
        ({"data": None}, ValueError, r"data is the region .*, not None"),
        ({"data": ((0, 1), (1, 1))}, ValueError, "data is the region"),
        ({"data": ((0, 1), (1, np.inf))}, ValueError, "data is the region"),
        ({"loss": lambda w: w * w}, ValueError, r"loss of a playground is one number, not \(2,\)"),
        ({"loss": lambda w: w.sum() if w[0] > 0 else -w.sum()}, TraceError, "value"),
        ({"optimizer": optim.RAdam([W])}, TraceError, "^RAdam cannot train in a page"),
    ],
)
def test_a_surface_that_does_not_fit_is_refused(given, error, message):
    arguments = {"model": W, "loss": rosenbrock, "optimizer": optim.SGD([W]), "data": REGION, **given}
    with pytest.raises(error, match=message):
        playground(**arguments)


KINDS = [
    (network(), nn.BCEWithLogitsLoss(), MOONS, "60 samples"),
    (network(inputs=1), nn.MSELoss(), (MOONS[0][:, :1], MOONS[0][:, 1:]), "60 samples"),
    (network(3), nn.CrossEntropyLoss(), data.spiral(30, seed=0), "30 samples"),
    (
        nn.Sequential(nn.Flatten(), nn.Linear(16, 2)),
        nn.CrossEntropyLoss(),
        (np.ones((4, 4, 4), np.float32), np.arange(4) % 2),
        "4 samples",
    ),
]


@pytest.mark.parametrize(("model", "loss", "points", "said"), KINDS)
def test_a_cell_has_the_page_and_a_still(model, loss, points, said):
    x, y = points
    weight, *_ = model.parameters()
    pg = playground(model, loss, optim.SGD(model.parameters()), (x.astype(weight.dtype), y))
    found, metadata = pg._repr_mimebundle_()
    assert found["text/plain"] == pg.text == repr(pg)
    assert pg.text == f"a playground: Sequential, {type(loss).__name__}, SGD; data ({said})"
    assert found["image/svg+xml"].count("<circle") == (len(x) if x.ndim == 2 else 0)
    assert pg.text in found["image/svg+xml"]
    assert pg.html in found["text/html"]
    assert metadata["autodiff"]


def test_what_the_page_knows_of_a_network():
    model = Residual().double()
    rules = {"a": optim.SGD(model.parameters(), lr=0.5), "b": optim.Adam([model.out.weight], lr=0.25)}
    facts = playground(model, nn.BCEWithLogitsLoss(), rules, {"m": MOONS, "s": SPIRAL}).plan.facts
    assert [layer["name"] for layer in facts["layers"]] == [
        "Residual", "into: Linear", "inner: Linear", "out: Linear", "norm: LayerNorm",
    ]  # fmt: skip
    assert [(column["name"], column["width"]) for column in facts["columns"]] == [
        ("into: Linear", 5), ("inner: Linear", 5), ("out: Linear", 1),
    ]  # fmt: skip
    assert [(rule["name"], rule["rate"], len(rule["parameters"])) for rule in facts["optimizers"]] == [
        ("a", 0.5, 9), ("b", 0.25, 1),
    ]  # fmt: skip
    assert facts["sizes"] == [0, 32]
    assert [(each["name"], each["count"]) for each in facts["sets"]] == [("m", 60), ("s", 60)]
    known = facts["target"], facts["names"], facts["between"], facts["middle"]
    assert known == ("sign", ["0", "1"], 0.5, 0)
    assert facts["room"] == 60 + facts["added"]


def made_of(loss, points, outputs=1):
    model = network(outputs, inputs=points[0].shape[1])
    return playground(model, loss, optim.SGD(model.parameters()), points)


@pytest.mark.parametrize(
    ("loss", "points", "expected"),
    [
        (nn.BCEWithLogitsLoss(), MOONS, ("sign", 0.0, 0.5)),
        (nn.MSELoss(), MOONS, ("sign", 0.5, 2.4)),
        (nn.MSELoss(), (MOONS[0], 2 * MOONS[1] - 1), ("sign", 0.0, 1.2)),
        (nn.MSELoss(), (MOONS[0], np.linspace(1, 5, 60).reshape(-1, 1)), ("number", 3.0, 0.6)),
    ],
)
def test_predictions_become_colours_around_the_border_between_targets(loss, points, expected):
    facts = made_of(loss, points).plan.facts
    assert (facts["target"], facts["middle"], facts["scale"]) == expected


def test_where_points_are_drawn():
    x, y = np.array([[0.0, 10.0], [2.0, 30.0]]), np.array([[1.0], [4.0]])
    pg = made_of(nn.MSELoss(), (x, y))
    assert pg.plan.facts["sets"][0]["domain"] == [[-0.3, 2.3], [7.0, 33.0]]
    picture = pg._repr_mimebundle_()[0]["image/svg+xml"]
    assert re.search(rf'"{LIGHT.minus}"[^/]*<circle[^/]*/>\n</g>\n<g[^/]*"{LIGHT.plus}"[^/]*<circle', picture)
    marks = re.findall(r'cx="(.*?)" cy="(.*?)"', picture)
    near, far = 320 * 0.3 / 2.6, 320 * 2.3 / 2.6
    np.testing.assert_allclose(np.array(marks, float), [[near, far], [far, near]], atol=0.06)
    line = made_of(nn.MSELoss(), (x[:, :1], y))
    assert line.plan.facts["sets"][0]["domain"] == [[-0.3, 2.3], [0.55, 4.45]]


def test_a_page_is_saved_as_html_alone(tmp_path):
    pg = playground(KINDS[0][0], KINDS[0][1], optim.SGD(KINDS[0][0].parameters()), MOONS, title="M < N")
    pg.save(tmp_path / "moons.html")
    assert "<title>M &lt; N</title>" in (tmp_path / "moons.html").read_text("utf-8")
    with pytest.raises(ValueError, match=r"as 'moons.pdf': end the name in .html"):
        pg.save(tmp_path / "moons.pdf")
    with pytest.raises(FileNotFoundError, match="there is no directory"):
        pg.save(tmp_path / "nowhere" / "moons.html")


def test_a_page_stays_as_it_was_while_the_network_trains_on():
    model, loss = network(), nn.BCEWithLogitsLoss()
    adam = optim.Adam(model.parameters())
    step = TrainingStep(model, loss, adam)
    step(*MOONS)
    one, other = (playground(model, loss, adam, MOONS) for _ in range(2))
    before = one.html
    step(*MOONS)
    assert other.html == before
    assert playground(model, loss, adam, MOONS).html != before


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        ((1,), "line"), ((2,), "plane"), ((8, 8), "picture"), ((1, 8, 8), "picture"), ((3, 8, 8), "picture"),
        ((3,), None), ((), None), ((2, 8, 8), None), ((1, 8), None), ((8, 1), None), ((3, 8, 8, 1), None),
    ],
)  # fmt: skip
def test_what_is_drawn_of_a_sample(shape, kind):
    assert input_kind(shape) == kind


# -- bad input ----------------------------------------------------------------------------------------------


def branching(x):
    return x if x.sum() > 0 else -x


X, Y = MOONS
GOOD = (X, Y)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"data": (np.ones((9, 3)), Y[:9])}, ValueError, r"of shape \(n, 1\), .*, and not \(9, 3\)"),
        ({"data": (X[:, 0], Y)}, ValueError, r"write x.reshape\(-1, 1\)"),
        ({"data": (X, Y[:5])}, ValueError, "as many inputs as targets"),
        ({"data": (X[:0], Y[:0])}, ValueError, "at least one"),
        ({"data": X}, TypeError, r"data is a pair \(x, y\) of arrays, not ndarray"),
        ({"data": {}}, ValueError, "needs data"),
        ({"data": {"a": GOOD, "b": (X[:, :1], Y)}}, ValueError, "alike, but x of a is .* that of b 60 x 1"),
        ({"data": {"a": GOOD, "b": (X.astype("f"), Y)}}, ValueError, "alike, but x of a is 60 x 2 float64"),
        ({"data": (X * np.nan, Y)}, ValueError, "x of data holds nan or inf"),
        ({"data": (X.astype(str), Y)}, TypeError, "x of data is an array of numbers"),
        ({"data": (X[:, :1], Y)}, ValueError, "model does not take x of data, 60 x 1 float64: .*Linear"),
        ({"data": (X, Y[:, 0])}, ValueError, "take the prediction, 60 x 1, and y of data, 60 float64"),
        ({"loss": lambda p, y: (p - y) ** 2}, ValueError, "loss of a playground is one number, not 60 x 1"),
        ({"model": branching}, TraceError, "if x.sum|value"),
        ({"optimizer": "adam"}, TypeError, "takes an optimizer, or several by name, not 'adam'"),
        ({"optimizer": {}}, ValueError, "needs an optimizer"),
        ({"batch": 0}, ValueError, "batch of a playground must be at least 1"),
        ({"theme": "pink"}, ValueError, "theme"),
        ({"seed": -1}, ValueError, "seed of a playground must be at least 0"),
    ],
)
def test_what_does_not_fit_is_refused(given, error, message):
    model = network()
    adam = optim.Adam(model.parameters())
    arguments = {"model": model, "loss": nn.BCEWithLogitsLoss(), "optimizer": adam, "data": GOOD, **given}
    with pytest.raises(error, match=message):
        playground(**arguments)


@pytest.mark.parametrize(
    ("rule", "error", "message"),
    [
        (optim.RAdam, TraceError, "^RAdam cannot train in a page: "),
        (optim.LBFGS, TypeError, "LBFGS cannot train in a page: its class has a step of its own"),
    ],
)
def test_an_optimizer_that_is_not_compiled_is_refused(rule, error, message):
    model = network()
    with pytest.raises(error, match=message):
        playground(model, nn.BCEWithLogitsLoss(), rule(model.parameters()), MOONS)


@pytest.mark.parametrize("wrong", [-1, 2])
def test_a_class_without_an_output_is_refused(wrong):
    model, (x, y) = network(2, dtype=np.float32), data.moons(20, seed=0)
    y[3] = wrong
    with pytest.raises(ValueError, match=f"y holds the class {wrong}, but the model has outputs for 0 to 1"):
        playground(model, nn.CrossEntropyLoss(), optim.SGD(model.parameters()), (x, y))


def test_an_optimizer_of_other_weights_is_refused():
    with pytest.raises(ValueError, match="does not depend on the parameters of Adam"):
        playground(network(), nn.BCEWithLogitsLoss(), optim.Adam(network().parameters()), MOONS)
