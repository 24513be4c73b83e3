"""Lesson 19: its checks against right answers, stubs and planted mistakes; its losses and its numbers."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn
from autodiff.lessons import after_13, check
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "19_losses.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def answer(name, path=SOLUTIONS):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    cell = next(cell for cell in cells(path) if f'check("{name}"' in cell.source)
    scope = {"ad": ad, "nn": nn, "np": np, "check": check}
    exec(cell.source, scope)
    return scope


def printed(holds, path=LESSON):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(path) if holds in cell.source)


def defined(*names):
    """The lesson's own functions, each from the cell that defines it, without what that cell does besides."""
    scope = {"ad": ad, "nn": nn, "np": np}
    for name in names:
        source = next(cell.source for cell in cells(LESSON) if f"def {name}(" in cell.source)
        parts = re.split(r"\n\n\n|\n\n(?=\S)", source)
        exec("\n\n\n".join(part for part in parts if re.match(r"def |@ad|\w+\.backward\(", part)), scope)
    return scope


# -- the stored notebooks -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_pytorch_warns_of_two_shapes_and_broadcasts():
    torch = pytest.importorskip("torch")
    with pytest.warns(UserWarning, match="target size"):
        loss = torch.nn.functional.mse_loss(torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([1.0, 2, 3]))
    assert loss.item() == pytest.approx(4 / 3)


# -- requests -----------------------------------------------------------------------------------------------


def test_the_mean_and_the_middle():
    found = {}
    for loss in (nn.mse_loss, nn.l1_loss, nn.huber_loss):
        for start in (3, 10):
            c = ad.Tensor(start)
            loss(c * np.ones(5), [1, 2, 3, 4, 40]).backward()
            found[loss.__name__, start] = round(c.grad.item(), 6)
    assert list(found.values()) == [-14, 0, 0, 0.6, 0, 0.6]


def test_the_saturated_gradient_and_the_surprise():
    def gradient(loss):
        logit = ad.Tensor(-6)
        loss(ad.sigmoid(logit)).backward()
        return logit.grad.item()

    assert gradient(lambda chance: (chance - 1) ** 2) == pytest.approx(-0.00492, abs=1e-5)
    assert gradient(lambda chance: -chance.log()) == pytest.approx(-0.99753, abs=1e-5)
    learn = defined("learn")["learn"]
    assert learn(lambda chance: (chance - 1) ** 2)[-1] < 0.01
    assert learn(lambda chance: -chance.log())[20] == pytest.approx(0.762, abs=5e-4)


# -- numbers that are too large -----------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "first"), [(np.float64, 37), (np.float32, 17)])
def test_from_where_on_a_chance_is_1(kind, first):
    def chance(at):
        return 1 / (1 + ad.exp(-ad.Tensor(np.array([at], dtype=kind)))).data[0]

    assert chance(first) == 1
    assert chance(first - 1) != 1


def test_the_naive_formula_and_the_repaired_one():
    scope = defined("naive", "log_sum_exp", "yes_or_no")
    for at in (-1000.0, 1000.0):
        for target in (1, 0):
            x = ad.Tensor(at)
            broken = scope["naive"](x, target)
            broken.backward()
            assert not math.isfinite(broken.item())
            assert math.isnan(x.grad.item())
            x = ad.Tensor(at)
            loss = scope["yes_or_no"](x, target)
            loss.backward()
            assert loss.item() == (1000 if (at > 0) != target else 0)
            assert x.grad.item() == (at > 0) - target
            assert loss.item() == nn.binary_cross_entropy_with_logits(at, float(target))


def test_the_floor_hides_the_loss_and_kills_the_gradient():
    x = ad.Tensor([-20.0, -40, -1000])
    loss = -ad.maximum(ad.sigmoid(x), 1e-12).log()
    loss.backward(np.ones(3))
    assert np.allclose(loss.data, [20, 27.631, 27.631], atol=1e-3)
    assert np.allclose(x.grad.data, [-1, 0, 0])


def test_cross_entropy_by_log_sum_exp_is_the_package_s():
    scope = defined("log_sum_exp", "cross_entropy")
    for row in ([2.0, 1, 0], [1000.0, 0, -1000], [-5.0, 3, 3]):
        for target in range(3):
            mine, ours = ad.Tensor(row), ad.Tensor(row)
            loss = scope["cross_entropy"](mine, target)
            loss.backward()
            right = nn.cross_entropy(ours, target)
            right.backward()
            assert loss.item() == pytest.approx(right.item())
            assert np.allclose(mine.grad.data, ours.grad.data)
    assert math.isinf(after_13.cross_entropy(ad.Tensor([[1000.0, 0]]), [1]).item())


# -- wrong gradients ----------------------------------------------------------------------------------------


def test_a_rule_that_is_deaf_passes_alone_and_fails_with_something_behind_it():
    deaf = defined("deaf", "softmax_less_one_hot")["deaf"]
    scores = ad.Tensor([2.0, 1, 0])
    deaf(scores, target=1).backward()
    assert np.allclose(scores.grad.data, [0.665241, -0.755272, 0.090031], atol=1e-6)
    with pytest.raises(ad.GradcheckError):
        ad.gradcheck(lambda x: 0.1 * deaf(x, target=1), [2, 1, 0])
    assert ad.gradcheck(lambda x: 0.1 * nn.cross_entropy(x, 1), [2, 1, 0])


def test_without_softmax_it_is_the_gradient_of_a_squared_distance():
    careless = defined("careless")["careless"]
    table, targets = np.array([[2.0, 1, 0], [0, 3, 1]]), [1, 2]
    scores, other = ad.Tensor(table), ad.Tensor(table)
    careless(scores, target=targets).backward()
    (((other - np.eye(3)[targets]) ** 2).sum() / 4).backward()
    assert np.allclose(scores.grad.data, other.grad.data)
    assert np.e / (np.e + 9) == pytest.approx(0.23, abs=0.005)


@pytest.mark.parametrize("noise", [0, 1e-6])
def test_the_digits_do_not_hang_on_the_last_digits(noise):
    file = pytest.importorskip("sklearn.datasets").load_digits()
    scope = defined("careless", "train")
    moved = file.data / 16 + noise * np.random.default_rng(5).normal(size=file.data.shape)
    scope |= {"pictures": moved.astype(np.float32), "digits": file.target}
    shown = []
    for loss in (nn.cross_entropy, lambda scores, target: scope["careless"](scores, target=target)):
        net, _ = scope["train"](loss)
        with ad.no_grad():
            scores = net(scope["pictures"])
            share = (scores.data.argmax(axis=1) == file.target).mean()
            sure = ad.softmax(scores).data.max(axis=1).mean()
            shown.append(
                [f"{share:.0%}", f"{nn.cross_entropy(scores, file.target).item():.1f}", f"{sure:.1f}"]
            )
    assert [line.split()[2:] for line in printed("def train").splitlines()[1:]] == shown
    assert shown == [["97%", "0.2", "0.9"], ["95%", "1.7", "0.2"]]


def test_the_smoothed_target_is_content_between_4_and_6():
    for top, sign in ((4, -1), (6, 1)):
        scores = ad.Tensor([top] + 9 * [0])
        nn.cross_entropy(scores, 0, label_smoothing=0.1).backward()
        assert np.sign(scores.grad.data[0]) == sign


# -- 16 sure ------------------------------------------------------------------------------------------------


def test_sure_takes_1000():
    for guess in (1000, 1000.0, ad.Tensor(1000), answer("19 sure")["my_guess"]):
        assert check("19 sure", guess).status == "right"
    assert check("19 sure", None).status == "not done yet"


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        (math.inf, "tiny, but it is not 0"),
        (math.nan, "tiny, but it is not 0"),
        (-1000, "minus that"),
        (1, "squared distance"),
        (0, "sure of the opposite"),
        (math.log(2), "logit 0"),
        (math.log(1000), "is not 1/1000"),
        (100, "patch"),
        (1000 / math.log(10), "to base 10"),
        (434, "to base 10"),
        (27.631, "floor of 1e-12"),
        (500, "What does log make of"),
        ("much", "A number is asked for"),
    ],
)
def test_sure_names_the_misconception(guess, kind):
    verdict = check("19 sure", guess)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 16 yesno -----------------------------------------------------------------------------------------------


def stable(x, t):
    return ad.softplus(-x) * t + ad.softplus(x) * (1 - t)


def naive(x, t):
    chance = 1 / (1 + (-x).exp())
    return -(t * chance.log() + (1 - t) * (1 - chance).log())


def floored(x, t, floor=1e-12):
    yes, no = ad.sigmoid(x), ad.sigmoid(-x)
    return -(t * ad.maximum(yes, floor).log() + (1 - t) * ad.maximum(no, floor).log())


def clipped_logits(x, t):
    return stable(ad.clip(x, -50, 50), t)


def test_yesno_takes_right_answers():
    for function in (
        answer("19 yesno")["yes_no"],
        stable,
        lambda x, t: ad.softplus(x) - t * x,
        lambda x, t: ad.logsumexp(ad.stack([0 * x, x]), axis=0) - t * x,
        lambda x, t: nn.binary_cross_entropy_with_logits(x, t, reduction="none"),
        lambda x, t: -(t * ad.logsigmoid(x) + (1 - t) * ad.logsigmoid(-x)),
    ):
        verdict = check("19 yesno", function)
        assert verdict.status == "right", verdict


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (naive, "had become 0"),
        (lambda x, t: (1 + x.exp()).log() - t * x, "exp of a large number"),
        (floored, "a floor under the chance"),
        (clipped_logits, "a floor under the chance"),
        (lambda x, t: stable(x, 1 - t), "have changed places"),
        (lambda x, t: -stable(x, t), "The sign is turned"),
        (lambda x, t: ad.softplus(x), "still to be taken off"),
        (lambda x, t: ad.softplus(x) + t * x, "and not added"),
        (lambda x, t: ad.softplus(x) - x, "The score of a no is 0"),
        (lambda x, t: ad.softplus(x) - t, "Take off targets * logits"),
        (lambda x, t: ad.logsumexp(ad.stack([0 * x, x])) - t * x, "The sum runs over all logits"),
        (lambda x, t: ad.logsumexp(x) - t * x, "The sum runs over all logits"),
        (lambda x, t: ad.softplus(-x) * t, "A no can surprise"),
        (lambda x, t: ad.softplus(x) * (1 - t), "A yes can surprise"),
        (lambda x, t: (ad.sigmoid(x) - t) ** 2, "squared distance"),
        (lambda x, t: ad.sigmoid(x) - t, "That is the gradient"),
        (lambda x, t: stable(x, t).mean(), "no sum and no mean"),
        (lambda x, t: stable(x, t) * 2, "Log-sum-exp of 0 and x, less"),
        (lambda x, t: stable(x.data, t), "nothing was recorded"),
        (lambda x, t: ad.softplus(x) - t * x.data, "their gradient is not"),
        (lambda x, t: "surprise", "Numbers are asked for"),
        ([1, 0], "A function is asked for"),
    ],
)
def test_yesno_names_the_mistake(function, kind):
    verdict = check("19 yesno", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message.replace("\n", " ")


def test_yesno_tells_a_stub_from_a_mistake():
    assert check("19 yesno", lambda logits, targets: None).status == "not done yet"


# -- 16 temperature -----------------------------------------------------------------------------------------


def soft(scores):
    return ad.softmax(np.asarray(scores, dtype=float), axis=1)


def hot(scores, targets):
    return np.eye(scores.shape[1])[targets]


def unguarded(s, t, T):
    powers = np.exp(s / T)
    return (powers / powers.sum(axis=1, keepdims=True) - hot(s, t)) / T / len(s)


def in_place(s, t, T):
    s /= T
    return (soft(s) - hot(s, t)) / T / len(s)


def by_walking(s, t, T):
    scores = ad.Tensor(s)
    nn.cross_entropy(scores, t, temperature=T).backward()
    return scores.grad


def test_temperature_takes_right_answers():
    for function in (
        answer("19 temperature")["score_gradient"],
        lambda s, t, T: (soft(s / T) - hot(s, t)) / (T * len(s)),
        by_walking,  # and so the right answer is what a walk back gives
    ):
        verdict = check("19 temperature", function)
        assert verdict.status == "right", verdict


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda s, t, T: (soft(s / T) - hot(s, t)) / len(s), "The factor 1/T is missing"),
        (lambda s, t, T: soft(s / T) - hot(s, t), "The factor 1/T is missing"),
        (lambda s, t, T: (soft(s / T) - hot(s, t)) * T / len(s), "You multiply by T"),
        (lambda s, t, T: (soft(s / T) - hot(s, t)) / T, "The loss is a mean"),
        (lambda s, t, T: (hot(s, t) - soft(s / T)) / T / len(s), "The sign is turned"),
        (lambda s, t, T: (soft(s) - hot(s, t)) / T / len(s), "Divide them by T before it"),
        (lambda s, t, T: (soft(s) - hot(s, t)) / len(s), "The temperature does nothing"),
        (lambda s, t, T: (s / T - hot(s, t)) / T / len(s), "The softmax was left out"),
        (lambda s, t, T: (soft(s * T) - hot(s, t)) * T / len(s), "were multiplied by T"),
        (lambda s, t, T: soft(s / T), "What is taken off"),
        (lambda s, t, T: (soft(s / T) - 1) / T / len(s), "only at the right place"),
        (lambda s, t, T: (ad.softmax(s / T, axis=None) - hot(s, t)) / T / len(s), "over the whole table"),
        (lambda s, t, T: (soft(s / T) - hot(s, t)) / T / s.shape[1], "number of classes"),
        (lambda s, t, T: (soft(s / T) - hot(s, t)) / T / len(s) * 3, "nn.cross_entropy"),
        (lambda s, t, T: (soft(s / T) - hot(s, t)).sum(axis=1), "Each score has its gradient"),
        (unguarded, "Take the largest of each row off"),
        (in_place, "Work on a copy"),
        (lambda s, t, T: "softmax", "Numbers are asked for"),
        (0.5, "A function is asked for"),
    ],
)
def test_temperature_names_the_mistake(function, kind):
    verdict = check("19 temperature", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message.replace("\n", " ")


def test_temperature_tells_a_stub_from_a_mistake():
    assert check("19 temperature", lambda scores, targets, T: None).status == "not done yet"
