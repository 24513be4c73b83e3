"""The exercises of lesson 22: a mean of means, a dataset of windows, and early stopping."""

import math

import numpy as np

from autodiff import data

from ..checking import Mistake, NotYet, exercise, number, result
from .shared import array, listed

# -- in class: an average of averages -----------------------------------------------------------------------

MEAN_KINDS = {
    99: "That is the true share: 99 of 100. The four averages do not know how many pictures are behind them.",
    100: "Three of the four shares are 100 %. The fourth counts, too.",
    74.25: "The three are all right: their shares are 100 % each.",
    0: "0 % is the share of the last batch alone.",
    50: "There are four shares to take the mean of: three of 100 %, and one of 0 %.",
    25: "25 % is how much is lost. What is left?",
    300: "That is the sum of the four. The mean divides it by four.",
    66.67: "There are four batches: 33, 33, 33 and 1.",
}


@exercise(
    "22 mean",
    "How many batches are there, and how many pictures in each?",
    "33, 33, 33 and 1. The shares of the four batches are 100 %, 100 %, 100 % and 0 %.",
    "Their mean is 300 % divided by 4.",
)
def mean(guess):
    """Judge the predicted mean of the batches' accuracies, in percent or as a fraction."""
    found = number(guess)
    percent = 100 * found if 0 < found <= 1 else found
    if abs(percent - 75) > 0.5:
        kinds = (kind for value, kind in MEAN_KINDS.items() if abs(percent - value) < 0.1)
        kind = next(kinds, "Write down the share of each of the four batches, and take their mean.")
        raise Mistake(f"It is not {found:.6g}. {kind}")
    return "One picture of a hundred costs a quarter, because it is alone in its batch."


# -- at home: windows ---------------------------------------------------------------------------------------

NUMBERS = (1.0, 2.0, 4.0, 7.0, 11.0, 16.0, 22.0)  # all differences are distinct, so that every shift shows
CASES = ((NUMBERS, 2), (NUMBERS, 3), (NUMBERS[::-1], 1))


def judge_length(dataset, name, right, count, width):
    """Judge the number of samples."""
    found = result(dataset.__len__, said=f"len({name})")
    if found == right:
        return
    kinds = {
        count: "The last windows would reach beyond the end of the list.",
        count - width + 1: "The last window has no number after it, so there is nothing to predict.",
        count - width - 1: "One more fits.",
        count // width: "The windows overlap: the next one begins one place later.",
        width: "That is the width of a window.",
    }
    kind = kinds.get(found, "Count the windows that have a number after them.")
    raise Mistake(f"len({name}) is {found!r:.30}, and right is {right}. {kind}")


def judge_sample(dataset, name, index, numbers, width):
    """Judge one sample."""
    said = f"{name}[{index}]"
    sample = result(dataset.__getitem__, index, said=said)
    if not isinstance(sample, (tuple, list)) or len(sample) != 2:
        raise Mistake(f"{said} gave {sample!r:.60}. A sample is a pair: the window, and the number after it.")
    if any(part is None for part in sample):
        raise NotYet(f"{said} gave {sample!r:.60}.")
    window, after = (array(part, f"{said} is", "Numbers are asked for.") for part in sample)
    right, right_after = np.array(numbers[index : index + width]), numbers[index + width]
    if window.shape != right.shape or not np.array_equal(window, right):
        kinds = (
            (after.shape == right.shape and window.shape == (), "The window comes first."),
            (window.shape == (width + 1,), "That is one number too many: numbers[a:b] ends before b."),
            (window.shape == (width - 1,), "That is one number too few: numbers[a:b] ends before b."),
            (
                np.array_equal(window, numbers[index * width : index * width + width]),
                "The windows overlap: the next one begins one place later.",
            ),
            (
                np.array_equal(window, numbers[index + 1 : index + 1 + width]),
                "That is the next window: the first begins at place 0.",
            ),
        )
        kind = next((kind for holds, kind in kinds if holds), f"It begins at place {index}.")
        raise Mistake(f"The window of {said} is {listed(window)}, and right is {listed(right)}. {kind}")
    if after.shape != () or after != right_after:
        wrong = (
            (after.shape != (), "It is a single number, not a list."),
            (after == numbers[index + width - 1], "That is the last number of the window: it was seen."),
            (
                index + width + 1 < len(numbers) and after == numbers[index + width + 1],
                "One number was skipped.",
            ),
        )
        kind = next((kind for holds, kind in wrong if holds), f"It stands at place {index + width}.")
        raise Mistake(f"After the window of {said} comes {right_after:g}, not {listed(after)}. {kind}")


def judge_windows(dataset, numbers, width):
    """Judge the length and every sample."""
    name = f"Windows({listed(numbers)}, {width})"
    judge_length(dataset, name, len(numbers) - width, len(numbers), width)
    for index in range(len(numbers) - width):
        judge_sample(dataset, name, index, list(numbers), width)


@exercise(
    "22 windows",
    "__init__ keeps the numbers and the width in self. How many windows have a number after them? Write "
    "them down for six numbers and a width of 2.",
    "Window number i is numbers[i : i + width], and the number after it is numbers[i + width]. The last i "
    "for which that exists is len(numbers) - width - 1.",
    "__len__ returns len(self.numbers) - self.width, and __getitem__ returns the pair "
    "self.numbers[index : index + self.width], self.numbers[index + self.width].",
)
def windows(kind):
    """Judge a dataset of windows: its length, its samples, and its batches."""
    if not isinstance(kind, type):
        raise Mistake(f"A class is asked for here, and this is {kind!r:.60}.")
    for numbers, width in CASES:
        judge_windows(kind(np.array(numbers), width), numbers, width)
    made = [kind(np.array(numbers), width) for numbers, width in CASES]
    try:
        judge_windows(made[0], *CASES[0])
    except (Mistake, IndexError, ValueError) as error:
        raise Mistake(
            "One dataset alone is right. With two of them, the first has the numbers or the width of the "
            "second. Keep them in self, where each dataset has its own."
        ) from error
    x, y = next(iter(data.DataLoader(made[0], batch_size=3)))
    if x.shape != (3, 2) or y.shape != (3,):
        raise Mistake(f"A batch of three has the shapes {x.shape} and {y.shape}, not (3, 2) and (3,).")
    return "And a DataLoader makes batches of it: three windows of two, and three numbers."


# -- at home: when to stop ----------------------------------------------------------------------------------


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


STOP_CASES = (
    ([3, 2, 1], 2),
    ([5, 4, 6, 7, 8, 3], 3),
    ([5, 4, 4.5, 4.2, 4.3, 4.1, 3], 3),
    ([5, 6, 4, 5, 3, 4, 2, 1], 3),
    ([2, 2, 2, 2], 2),
    ([3, 4, 2, 5, 6, 1], 2),
    ([1, 2], 1),
)

STOP_KINDS = (
    (
        lambda losses, p: stops(losses, p, last=True),
        "You compare with the epoch before. Compare with the best so far.",
    ),
    (
        lambda losses, p: stops(losses, p, forgiving=False),
        "You count all the epochs without progress. Only those in a row count: a new best sets it back to 0.",
    ),
    (
        lambda losses, p: stops(losses, p, lambda loss, best: loss <= best),
        "As good as the best is not better: it counts as an epoch without progress.",
    ),
    (lambda losses, p: stops(losses, p, late=1), "One epoch too late: patience is how many it waits."),
    (lambda losses, p: stops(losses, p, late=-1), "One epoch too early: patience is how many it waits."),
    (lambda losses, p: stops(losses, p) - 1, "Epochs are counted from 1: start=1 in enumerate does it."),
    (  # the same mistake, with the best epoch counted from the end
        lambda losses, p: stops([*losses, -math.inf], p) - 1,
        "Epochs are counted from 1: start=1 in enumerate does it.",
    ),
    (lambda losses, p: min(range(len(losses)), key=losses.__getitem__) + 1, "That is the best epoch of all."),
    (
        lambda losses, p: min(range(stops(losses, p)), key=losses.__getitem__) + 1,
        "That is the best epoch. The question is when the training ended.",
    ),
    (
        lambda losses, p: stops(losses, p, lambda loss, best: best == math.inf or loss > best),
        "The sign is turned: a loss is better when it is lower.",
    ),
    (lambda losses, p: len(losses), "It never stops."),
)


NO_END = "When nothing stops it, the training ends with the list: after the loop, return len(losses)."


@exercise(
    "22 stop",
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
            found = number(result(function, given, patience, said=said))
        except NotYet:
            if all(function(list(each), p) is None for each, p in STOP_CASES):
                raise
            raise Mistake(f"{said} gives None, and right is {right}. {NO_END}") from None
        if given != losses:
            raise Mistake(f"{said} changed the list that it was given.")
        if found != right:
            kinds = (kind for wrong, kind in STOP_KINDS if agrees(function, wrong))
            kind = next(kinds, "Go through it with a pencil: the best so far, and the count.")
            raise Mistake(f"{said} gives {found:g}, and right is {right}. {kind}")
    return "It waits for the best and not for the last, in a row, and not an epoch longer."


def agrees(function, wrong):
    """Whether the reader's function agrees with a known mistake on every case."""
    for losses, patience in STOP_CASES:
        value = function(list(losses), patience)
        if value is None or number(value) != wrong(losses, patience):
            return False
    return True
