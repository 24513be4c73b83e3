"""The exercises of lesson 24: what a penalty does to a weight, and early stopping."""

import math

import numpy as np

from ..checking import Mistake, exercise, number
from .calling import call, names_of
from .shared import predicted

# -- what a penalty does to a weight ------------------------------------------------------------------------

DECAY_KINDS = {
    0.95: "The slope of w*w is 2*w, and not w.",
    0.1: "That is the step. What is left of the weight?",
    1.1: "The step goes against the gradient, so that the penalty becomes smaller.",
    0.5: "That is the penalty, 0.5 times 1 squared. What is its slope?",
    1.0: "1 is the gradient, and the weight before. The step is the rate times the gradient.",
    0.0: "The step is the rate times the gradient: 0.1 times 1.",
    0.8: "The amount is a factor: the slope of 0.5*w*w is w.",
}


@exercise(
    "24 decay",
    "The penalty is 0.5*w*w. What is its slope where w is 1?",
    "The slope of w*w is 2*w. So the gradient is 0.5 * 2 * 1 = 1, and the step is 0.1 times that.",
)
def decay(guess):
    """Judge the predicted weight after one step."""
    predicted(guess, 0.9, DECAY_KINDS, "Take the weight, minus the rate times the slope of 0.5*w*w.")
    return "The gradient is 1, so one step takes a tenth of the weight away."


# -- when to stop -------------------------------------------------------------------------------------------


def stops(losses, patience, better=lambda loss, best: loss < best, late=0, forgiving=True, last=False):
    """The number of epochs after which training stops; the options are known mistakes."""
    best, waited = math.inf, 0
    for epoch, loss in enumerate(losses, start=1):
        if better(loss, best):
            best, waited = loss, waited * (not forgiving)
        else:
            waited += 1
        if last:
            best = loss
        if waited == patience + late:
            return epoch
    return len(losses)


STOP_CASES: tuple[tuple[list[float], int], ...] = (
    ([3, 2, 1], 2),
    ([5, 4, 6, 7, 8, 3], 3),
    ([5, 4, 4.5, 4.2, 4.3, 4.1, 3], 3),
    ([5, 6, 4, 5, 3, 4, 2, 1], 3),
    ([2, 2, 2, 2], 2),
    ([3, 4, 2, 5, 6, 1], 2),
    ([1, 2], 1),
    ([500, 400, 450, 460, 300], 2),
    ([], 2),
)

STOP_KINDS = (
    (
        lambda losses, p: stops(losses, p, last=True),
        "You compare with the epoch before. Compare with the best so far.",
    ),
    (
        lambda losses, p: stops(losses, p, forgiving=False),
        "You count all epochs without progress. Only those in a row count: a new best sets the count to 0.",
    ),
    (
        lambda losses, p: stops(losses, p, lambda loss, best: loss <= best),
        "As good as the best is not better: it counts as an epoch without progress.",
    ),
    (
        lambda losses, p: stops(losses, p, late=1),
        "One epoch too late: it waits for `patience` epochs, and no longer.",
    ),
    (
        lambda losses, p: stops(losses, p, late=-1),
        "One epoch too early: it waits for `patience` epochs, and one with a new best is none of them.",
    ),
    (lambda losses, p: stops(losses, p) - 1, "Epochs are counted from 1: start=1 in enumerate does it."),
    (  # the same mistake, with the best epoch counted from the end
        lambda losses, p: stops([*losses, -math.inf], p) - 1,
        "Epochs are counted from 1: start=1 in enumerate does it.",
    ),
    (
        lambda losses, p: min(losses[: stops(losses, p)]),
        "That is the best loss. The question is after how many epochs the training ended.",
    ),
    (lambda losses, p: min(range(len(losses)), key=losses.__getitem__) + 1, "That is the best epoch of all."),
    (
        lambda losses, p: min(range(stops(losses, p)), key=losses.__getitem__) + 1,
        "That is the best epoch. The question is when the training ended.",
    ),
    (
        lambda losses, p: stops(losses, p, lambda loss, best: best == math.inf or loss > best),
        "The comparison is the wrong way round: a loss is better when it is lower.",
    ),
    (lambda losses, p: len(losses), "It never stops."),
)


NO_END = "When nothing stops it, the training ends with the list: after the loop, return len(losses)."


@exercise(
    "24 stop",
    "Go through the losses, and keep two things: the best so far, and for how many epochs in a row there has "
    "been no better one.",
    "If the loss is below the best, it is the new best, and the count is 0 again. If not, the count goes up "
    "by 1; when it has reached patience, return the number of the epoch. After the loop: len(losses).",
    "best, waited = float('inf'), 0, and then: for epoch, loss in enumerate(losses, start=1): with those two "
    "cases.",
)
def stop(function):
    """Judge early stopping: against the best value, by consecutive epochs, strictly better, in time."""
    for losses, patience in STOP_CASES:
        said, right = f"stop({losses}, {patience})", stops(losses, patience)
        given = list(losses)
        try:
            found = number(call(function, given, patience, said=said))
        except Mistake as mistake:
            if "gave None" in str(mistake) and any(function([*each], p) for each, p in STOP_CASES):
                raise Mistake(f"{said} gives None; it should be {right}. {NO_END}") from None
            raise
        if given != losses:
            raise Mistake(f"{said} changed the list that was passed in.")
        if found != right:
            raise Mistake(f"{said} gives {found:g}; it should be {right}. {kind_of_stop(function, losses)}")
    return "It compares with the best and not with the last, and counts epochs in a row."


def kind_of_stop(function, losses):
    """What may have gone wrong for these losses."""
    if losses and min(losses) > 100:
        return "The best so far has to begin above every loss: float('inf') is above all numbers."
    kinds = (kind for wrong, kind in STOP_KINDS if agrees(function, wrong))
    return next(kinds, "Go through it with a pencil, and note the best so far and the count.")


def agrees(function, wrong):
    """Whether the reader's function agrees with a known mistake on every case."""
    for losses, patience in STOP_CASES[:-2]:
        if patience < 2:  # an epoch less is none
            continue
        value = function(list(losses), patience)
        if value is None or number(value) != wrong(losses, patience):
            return False
    return True


# -- a training that stops ----------------------------------------------------------------------------------

UNTIL_CASES = (
    ([5, 4, 6, 7, 8, 3], 3, 50),
    ([3, 2, 1], 2, 3),
    ([500, 400, 300, 450, 350, 420, 200], 3, 50),
    ([2, 2, 2, 2], 2, 50),
)


class Training:
    """A net whose parameters tell which epoch it was, and losses that are written down beforehand."""

    def __init__(self, names, losses):
        self.net = names["Sequential"](names["Linear"](2, 1, np.random.default_rng(0)))
        self.parameters, self.losses, self.epochs, self.judged = names["parameters"](self.net), losses, 0, 0
        self.set(0)

    def set(self, epoch):
        """Give the parameters the values of an epoch."""
        for p in self.parameters:
            p.data = np.full(p.data.shape, float(epoch))

    def epoch(self):
        """One more epoch."""
        if self.epochs == len(self.losses):
            raise Mistake(
                f"With the losses {self.losses} it should end, but it goes on. It ends after `patience` "
                "epochs in a row without a better loss, and after `most` epochs at the latest."
            )
        self.epochs += 1
        self.set(self.epochs)
        return 0.0

    def judge(self):
        """The validation loss of the parameters as they are now."""
        if not self.epochs:
            raise Mistake("judge() was called before the first epoch(). First train, then judge.")
        self.judged += 1
        return self.losses[self.epochs - 1]


@exercise(
    "24 train until",
    "It is the loop of step one, with epoch() and judge() in it. Whenever the loss is the best so far, keep "
    "what is needed to come back.",
    "kept = [p.data for p in parameters(net)] keeps the arrays: a step of the optimizer makes new ones. "
    "zip(parameters(net), kept) puts them back at the end.",
    "for number in range(1, most + 1): epoch(), loss = judge(). If loss < best, then best, best_number and "
    "kept are new; else if number - best_number == patience: break. After the loop put kept back, and return "
    "best_number.",
)
def train_until(function):
    """Judge a training with early stopping: when it ends, what it puts back, and what it returns."""
    names = names_of(function, 24)
    for losses, patience, most in UNTIL_CASES:
        training = Training(names, losses)
        said = f"With the losses {losses}, patience={patience} and most={most}, train_until"
        found = number(
            call(function, training.net, training.epoch, training.judge, patience, most, said=said)
        )
        right, end = (
            losses.index(min(losses[: stops(losses, patience)])) + 1,
            min(stops(losses, patience), most),
        )
        if training.epochs != end:
            when = "too early" if training.epochs < end else "too late"
            raise Mistake(f"{said} ends after {training.epochs} epochs; it should be {end}: {when}.")
        if training.judged > training.epochs:
            raise Mistake(
                f"{said} calls judge() {training.judged} times in {training.epochs} epochs. It takes time: "
                "call it once after each epoch, and keep what it returned."
            )
        if found != right:
            raise Mistake(
                f"{said} returns {found:g}; it should be {right}. {kind_of_until(found, right, end)}"
            )
        now = {float(number) for p in training.parameters for number in np.ravel(p.data)}
        if now != {float(right)}:
            epochs = " and ".join(f"{number:g}" for number in sorted(now))
            raise Mistake(
                f"{said} leaves the parameters of epoch {epochs} in the net, and the best was epoch {right}. "
                "Keep the arrays when an epoch is the best, and put them back at the end."
            )
    return "It stops in time, and the best epoch is back in the net."


def kind_of_until(found, right, end):
    """What a wrong number may come from."""
    if found == end:
        return "That is the last epoch. Asked for is the best."
    if found == right - 1:
        return "Epochs are counted from 1."
    return "Return the number of the epoch with the lowest loss; of equal ones it is the first."
