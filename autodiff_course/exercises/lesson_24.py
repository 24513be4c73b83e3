"""The exercises of lesson 24: what a penalty does to a weight, and early stopping."""

import numpy as np

from ..checking import Mistake, number
from .calling import call, names_of
from .table import PRINTS, Guess, Right, Table, Wrong, outcome

# -- what a penalty does to a weight ------------------------------------------------------------------------

Guess(
    "24 decay",
    right="0.9",
    answers=(
        Right("computed", "1 - 0.1 * 2 * 0.5 * 1"),
        Right("a Tensor", "Tensor(0.9)"),
        Wrong("the slope of w*w is w", "0.95", "The slope of w*w is 2*w, and not w."),
        Wrong("the step", "0.1", "That is the step. What is left of the weight?"),
        Wrong("uphill", "1.1", "The step goes against the gradient, so that the penalty becomes smaller."),
        Wrong("the penalty", "0.5", "That is the penalty, 0.5 times 1 squared. What is its slope?"),
        Wrong("the gradient", "1", "1 is the gradient, and the weight before. The step is the rate times the gradient."),
        Wrong("without the rate", "0", "The step is the rate times the gradient: 0.1 times 1."),
        Wrong("without the amount", "0.8", "The amount is a factor: the slope of 0.5*w*w is w."),
        Wrong("something else", "0.3"),
        Wrong("a word", "'smaller'", holds="A number is asked for"),
    ),
    otherwise="Take the weight, minus the rate times the slope of 0.5*w*w.",
    praise="The gradient is 1, so one step takes a tenth of the weight away.",
    hints=(
        "The penalty is 0.5*w*w. What is its slope where w is 1?",
        "The slope of w*w is 2*w. So the gradient is 0.5 * 2 * 1 = 1, and the step is 0.1 times that.",
    ),
)

# -- when to stop -------------------------------------------------------------------------------------------

BETTER, WAITED, FULL = "best, waited = loss, 0", "waited += 1", "waited == patience"
BEST_EPOCH = "losses.index(best) + 1"
LENGTH = "return len(losses)"

STOP = Table(
    "24 stop",
    head="stop(losses, patience)",
    right=f"""
best, waited = float("inf"), 0
for epoch, loss in enumerate(losses, start=1):
    if loss < best:
        {BETTER}
    else:
        {WAITED}
        if {FULL}:
            return epoch
{LENGTH}""",
    answers=(
        Right("by the numbers of epochs", """
            best = 0
            for i in range(len(losses)):
                if losses[i] < losses[best]:
                    best = i
                if i - best >= patience:
                    return i + 1
            return len(losses)"""),
        Wrong("the epoch before", (WAITED, f"best = loss\n            {WAITED}"), "You compare with the epoch before. Compare with the best so far."),
        Wrong("all epochs without progress", (BETTER, "best = loss"), "You count all epochs without progress. Only those in a row count: a new best sets the count to 0."),
        Wrong("as good is better", ("loss < best", "loss <= best"), "As good as the best is not better: it counts as an epoch without progress."),
        Wrong("one too late", (FULL, "waited > patience"), "One epoch too late: it waits for `patience` epochs, and no longer."),
        Wrong("one too early", (FULL, "waited == patience - 1"), "One epoch too early: it waits for `patience` epochs, and one with a new best is none of them."),
        Wrong("counted from 0", ((", start=1", ""), (LENGTH, "return len(losses) - 1")), "Epochs are counted from 1: start=1 in enumerate does it."),
        Wrong("counted from 0 but for the end", (", start=1", ""), "Epochs are counted from 1: start=1 in enumerate does it."),
        Wrong("the best loss", (("return epoch", "return best"), (LENGTH, "return best")), "That is the best loss. The question is after how many epochs the training ended."),
        Wrong("the best epoch of all", "losses.index(min(losses)) + 1", "That is the best epoch of all."),
        Wrong("the best epoch", (("return epoch", f"return {BEST_EPOCH}"), (LENGTH, f"return {BEST_EPOCH}")), "That is the best epoch. The question is when the training ended."),
        Wrong("the best epoch but for the end", ("return epoch", "return epoch - patience"), "That is the best epoch. The question is when the training ended."),
        Wrong("uphill", ("if loss < best", "if best == float('inf') or loss > best"), "The comparison is the wrong way round: a loss is better when it is lower."),
        Wrong("never stops", "len(losses)", "It never stops."),
        Wrong("zero", "0"),
        Wrong("the best begins at 100", ('float("inf")', "100"), holds="above all numbers"),
        Wrong("no else", """
            best, waited = float("inf"), 0
            for epoch, loss in enumerate(losses, start=1):
                if loss < best:
                    best, waited = loss, 0
                waited += 1
                if waited == patience:
                    return epoch
            return len(losses)""", holds="with a new best is none of them"),
        Wrong("no end", (f"\n    {LENGTH}", ""), holds="after the loop"),
        Wrong("prints", (("return epoch", "print(epoch)"), (LENGTH, "print(len(losses))")), holds=PRINTS),
        Wrong("an argument too few", "lambda losses: len(losses)", holds="takes 1"),
        Wrong("changes the list", (LENGTH, "n = len(losses)\n    losses.sort()\n    return n"), holds="changed the list"),
        Wrong("an endless loop", "while True:\n    patience += 1\nreturn 0", holds="never end"),
    ),
    otherwise="Go through it with a pencil, and note the best so far and the count.",
    hints=(
        "Go through the losses, and keep two things: the best so far, and for how many epochs in a row there has been no better one.",
        "If the loss is below the best, it is the new best, and the count is 0 again. If not, the count goes up by 1; when it has reached patience, return the number of the epoch. After the loop: len(losses).",
        "best, waited = float('inf'), 0, and then: for epoch, loss in enumerate(losses, start=1): with those two cases.",
    ),
)  # fmt: skip

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
NO_END = "When nothing stops it, the training ends with the list: after the loop, return len(losses)."


@STOP.judged
def stop(function):
    """Judge early stopping: against the best value, by consecutive epochs, strictly better, in time."""
    for losses, patience in STOP_CASES:
        said, right = f"stop({losses}, {patience})", STOP.answer()(losses, patience)
        given = list(losses)
        try:
            found = number(call(function, given, patience, said=said))
        except Mistake as mistake:
            if "gave None" in str(mistake) and any(outcome(function, [*each], p) for each, p in STOP_CASES):
                raise Mistake(f"{said} gives None; it should be {right}. {NO_END}") from None
            raise
        if given != losses:
            raise Mistake(f"{said} changed the list that was passed in.")
        if found != right:
            why = STOP.why(lambda wrong: agrees(function, wrong), function)
            if losses and min(losses) > 100:
                why = "The best so far has to begin above every loss: float('inf') is above all numbers."
            raise Mistake(f"{said} gives {found:g}; it should be {right}. {why}")
    return "It compares with the best and not with the last, and counts epochs in a row."


def agrees(function, wrong):
    """Whether the reader's function agrees with a known mistake on every case."""
    for losses, patience in STOP_CASES[:-2]:
        if patience > 1:  # an epoch less is none
            value = outcome(function, [*losses], patience)
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


KEPT = "[p.data for p in parameters(net)]"

UNTIL = Table(
    "24 train until",
    head="train_until(net, epoch, judge, patience, most)",
    right=f"""
best, best_number, kept = float("inf"), 0, []
for number in range(1, most + 1):
    epoch()
    loss = judge()
    if loss < best:
        best, best_number, kept = loss, number, {KEPT}
    elif number - best_number == patience:
        break
for p, data in zip(parameters(net), kept):
    p.data = data
return best_number""",
    answers=(
        Right("copies", ("p.data for", "p.data.copy() for")),
        Right("without a number for the best", """
            losses, kept = [], []
            while len(losses) < most and not (losses and len(losses) - 1 - losses.index(min(losses)) >= patience):
                epoch()
                losses.append(judge())
                kept.append([p.data for p in parameters(net)])
            best = losses.index(min(losses))
            for p, data in zip(parameters(net), kept[best]):
                p.data = data
            return best + 1"""),
        Wrong("judged twice", (("        loss = judge()\n        if loss", "        if judge()"), ("            best,", "            loss = judge()\n            best,")), holds="once after each epoch"),
        Wrong("judged before the epoch", ("        epoch()\n        loss = judge()", "        loss = judge()\n        epoch()"), holds="First train, then judge"),
        Wrong("nothing put back", ("p.data = data", "pass"), holds="put them back"),
        Wrong("the Tensors are kept", ((KEPT, "list(parameters(net))"), ("p.data = data", "p.data = data.data")), holds="Keep the arrays"),
        Wrong("the last epoch", ("return best_number", "return number"), holds="the last epoch"),
        Wrong("counted from 0", ("return best_number", "return best_number - 1"), holds="counted from 1"),
        Wrong("a constant", ("return best_number", "return 7"), holds="the lowest loss"),
        Wrong("the best begins at 100", ('float("inf")', "100"), holds="ends after"),
        Wrong("never stops early", ("break", "pass"), holds="it should end, but"),
        Wrong("one too early", ("== patience", "== patience - 1"), holds="too early"),
        Wrong("most is forgotten", ("most + 1", "1000"), holds="it should end, but"),
        Wrong("prints", ("return best_number", "print(best_number)"), holds=PRINTS),
        Wrong("an argument too few", "lambda net, epoch, judge, patience: 1", holds="takes 4"),
    ),
    hints=(
        "It is the loop of step one, with epoch() and judge() in it. Whenever the loss is the best so far, keep what is needed to come back.",
        "kept = [p.data for p in parameters(net)] keeps the arrays: a step of the optimizer makes new ones. zip(parameters(net), kept) puts them back at the end.",
        "for number in range(1, most + 1): epoch(), loss = judge(). If loss < best, then best, best_number and kept are new; else if number - best_number == patience: break. After the loop put kept back, and return best_number.",
    ),
)  # fmt: skip


@UNTIL.judged
def train_until(function):
    """Judge a training with early stopping: when it ends, what it puts back, and what it returns."""
    names = names_of(function, 24)
    for losses, patience, most in UNTIL_CASES:
        training = Training(names, losses)
        said = f"With the losses {losses}, patience={patience} and most={most}, train_until"
        found = number(call(function, training.net, training.epoch, training.judge, patience, most, said=said))
        stops = STOP.answer()(losses, patience)
        right, end = losses.index(min(losses[:stops])) + 1, min(stops, most)
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
