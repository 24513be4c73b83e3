"""The exercises of lesson 20: Adam's first step, a schedule with a warm-up, and Nesterov's momentum."""

import math
from itertools import product
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import optim

from ..checking import Mistake, NotYet, exercise, number, result


def kind_of_number(found, kinds, unknown):
    """The message for a wrong number; ``unknown`` is the message for an unknown mistake."""
    return next((kind for wrong, kind in kinds if abs(found - wrong) <= 2e-3), unknown)


# -- in class: Adam's first step ----------------------------------------------------------------------------

FIRST = 4.9  # from 5, with the gradient 200 and the rate 0.1

FIRST_KINDS = (
    (-15, "That is the plain step, 0.1 times 200. Adam divides the gradient by its own size first."),
    (3, "You left m a tenth of the gradient, and did not divide by the size. What is the root of v?"),
    (4.684, "That is the step without the correction: 20 divided by the root of 40, times the rate."),
    (4.99, "That is m without its correction. Divide m, too: by 1 - 0.9."),
    (1.838, "That is v without its correction. Divide v, too: by 1 - 0.999."),
    (5.1, "The size is right, and it went uphill. The gradient is above 0, so w has to become smaller."),
    (4, "A gradient divided by its size is 1. And then the rate comes."),
    (0.1, "That is how far it moves. Where does it arrive?"),
    (-0.1, "That is how far it moves. Where does it arrive?"),
)


@exercise(
    "20 first",
    "After the first step m is a tenth of the gradient, and v a thousandth of its square. Both are divided "
    "by what is missing: 1 - 0.9, and 1 - 0.999.",
    "So the corrected m is the gradient itself, 200, and the corrected v is its square. What is 200 divided "
    "by the root of 200 squared?",
    "It is 1, and the step is 0.1 times 1: from 5 down to 4.9.",
)
def first(guess):
    """Judge the predicted point after Adam's first step."""
    found = number(guess)
    if abs(found - FIRST) > 1e-6:
        kind = kind_of_number(
            found, FIRST_KINDS, "Write down m and v after one step, and correct each of them."
        )
        raise Mistake(f"It is not {found:.6g}. {kind}")
    return "One rate down. With a gradient of 0.002 it would have been one rate down, too."


# -- at home: warm-up, then down along a cosine -------------------------------------------------------------


def scheduled(step, peak, warmup, total):
    """The right answer."""
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= total:
        return 0.0
    return peak * (1 + math.cos(math.pi * (step - warmup) / (total - warmup))) / 2


def lasting(step, peak, warmup, total):
    """A schedule that is right until the end, and wrong after it."""
    if step < warmup:
        return scheduled(step, peak, warmup, total)
    return peak * (1 + math.cos(math.pi * (step - warmup) / (total - warmup))) / 2


def falling(shape):
    """A schedule with the right warm-up and a wrong decay, ``shape`` of the fraction that is done."""

    def rate(step, peak, warmup, total):
        if step < warmup:
            return scheduled(step, peak, warmup, total)
        return peak * shape(min((step - warmup) / (total - warmup), 1.0))

    return rate


SCHEDULE_CASES = ((1.0, 4, 8), (0.3, 5, 25), (2.0, 1, 10))

SCHEDULE_KINDS = (
    (
        lambda s, p, w, t: p * s / w if s < w else scheduled(s, p, w, t),
        "The first step has the rate 0, and nothing moves. Step 0 gets peak / warmup: count from 1 here.",
    ),
    (
        lambda s, p, w, t: scheduled(s, 1.0, w, t),
        "The peak is 1, whatever is asked for. Multiply by peak.",
    ),
    (
        lambda s, p, w, t: p * (s + 1) / w if s < w else p * (1 + math.cos(math.pi * min(s / t, 1))) / 2,
        "The way down jumps at its beginning. Count from where it begins: step - warmup, of total - warmup.",
    ),
    (
        lambda s, p, w, t: p * (1 + math.cos(math.pi * min(s / t, 1))) / 2,
        "There is no warm-up yet: it begins at the peak.",
    ),
    (lasting, "After step total it rises again: a cosine goes on. Return 0 from total on."),
    (falling(lambda done: 1 - done), "That falls in a straight line. A cosine is flat at both its ends."),
    (falling(lambda done: 1.0), "That stays at the peak for ever. Come down along the cosine."),
    (
        falling(lambda done: math.cos(math.pi * done)),
        "That falls to minus the peak: cos goes from 1 to -1. Add 1, and take half.",
    ),
    (falling(lambda done: 1 + math.cos(math.pi * done)), "That begins at twice the peak. Take half."),
    (
        falling(lambda done: (1 + math.cos(2 * math.pi * done)) / 2),
        "That goes down and up again: it is a whole turn. Half a turn is pi.",
    ),
    (
        falling(lambda done: math.cos(math.pi * done / 2)),
        "That is a quarter of a turn: it falls steeply at the end, where steps should be small and even.",
    ),
    (
        falling(lambda done: (1 + math.cos(180 * done)) / 2),
        "cos takes its angle in radians: half a turn is pi, not 180.",
    ),
)


def steps_of(total):
    """The steps to judge: all, and two after the end."""
    return (*range(total + 1), total + 2, total + 5)


@exercise(
    "20 schedule",
    "Two cases, and a third at the end. While step is below warmup: a line. From there to total: half a "
    "cosine, which goes from 1 to -1. From total on: 0.",
    "In the line, step 0 has peak * 1 / warmup and step warmup - 1 has the peak. On the way down, the part "
    "that is done is (step - warmup) / (total - warmup), from 0 to 1.",
    "if step < warmup: return peak * (step + 1) / warmup. If step >= total: return 0. Else return "
    "peak * (1 + math.cos(math.pi * (step - warmup) / (total - warmup))) / 2",
)
def schedule(function):
    """Judge a schedule at every step of each case, and after the end."""
    for peak, warmup, total in SCHEDULE_CASES:
        for step in steps_of(total):
            said = f"rate({step}, {peak:g}, {warmup}, {total})"
            found = number(result(function, step, peak, warmup, total, said=said))
            right = scheduled(step, peak, warmup, total)
            if abs(found - right) <= 1e-6:
                continue
            given = [number(function(each, peak, warmup, total)) for each in steps_of(total)]
            kind = next(
                (
                    words
                    for wrong, words in SCHEDULE_KINDS
                    if np.allclose(given, [wrong(each, peak, warmup, total) for each in steps_of(total)])
                ),
                "Print it for every step of rate(step, 1, 4, 8), beside the row above.",
            )
            raise Mistake(f"{said} gives {found:.4g}, and right is {right:.4g}. {kind}")
    return "It rises from the first step, meets its peak, and comes to rest."


# -- at home: Nesterov's momentum ---------------------------------------------------------------------------

GRADIENTS = np.array([[4.0, -2.0], [1.0, 3.0], [-2.0, 0.5], [0.0, 1.0]])  # of two elements, for four steps
LR, MOMENTUM = 0.2, 0.75  # with 0.5, a v that is the gradient itself comes to it again: v *= 0.5, v += v


def nesterov(v, g):
    """The direction of the right answer."""
    return g + MOMENTUM * v


DIRECTIONS = (
    (
        lambda v, g: v,
        "That is momentum without the look ahead, or a look with the old velocity. v comes first.",
    ),
    (lambda v, g: g, "That is the plain step. The velocity should take part."),
    (lambda v, g: g + v, "You look ahead by the whole velocity. It will fade by then: momentum * v."),
    (lambda v, g: MOMENTUM * v, "The gradient itself is missing in the step: g + momentum * v."),
    (lambda v, g: -nesterov(v, g), "It walks uphill: the step is taken off, not added."),
    (lambda v, g: nesterov(v, g) / LR, "The rate is missing: group['lr']."),
    (lambda v, g: nesterov(v, g) * LR, "The rate comes in twice."),
)


def faded(gradients, share=1 - MOMENTUM):
    """A mistake: the velocity is a moving average of gradients, as Adam's m."""
    v = np.zeros(2)
    for g in gradients:
        v = MOMENTUM * v + share * g
        yield nesterov(v, g)


def unfading(gradients):
    """A mistake: the velocity is the sum of all gradients."""
    v = np.zeros(2)
    for g in gradients:
        v = v + g
        yield nesterov(v, g)


def fixed(momentum, ahead):
    """A mistake: fixed numbers in place of the group's momentum."""
    v = np.zeros(2)
    for g in GRADIENTS:
        v = momentum * v + g
        yield g + ahead * v


def points_along(directions, lr=LR):
    """The points from (1, 1) along directions."""
    w, points = np.ones(2), []
    for direction in directions:
        w = w - lr * direction
        points.append(w)
    return np.array(points)


def along(direction):
    """The directions of a rule that has the right velocity."""
    v, found = np.zeros(2), []
    for g in GRADIENTS:
        v = MOMENTUM * v + g
        found.append(direction(v, g))
    return found


def wrong_walks():
    """Yield the points of each known mistake with its message."""
    yield from ((points_along(along(direction)), words) for direction, words in DIRECTIONS)
    yield (
        points_along(faded(GRADIENTS)),
        "The gradient goes into the velocity with a share of 1 - momentum. Here it goes in whole.",
    )
    yield points_along(unfading(GRADIENTS)), "The velocity never fades: multiply the old one by momentum."
    for lr, momentum, ahead in product((LR, 0.1, 0.01), (MOMENTUM, 0.9), (MOMENTUM, 0.9)):
        yield points_along(fixed(momentum, ahead), lr), "The rate and the momentum are those of group."


class Unremembered(KeyError):
    """Raised when the reader's update looks up a key that it has not put into state."""


class Memory(dict[str, Any]):
    """A parameter's state that raises Unremembered for a missing key, unlike the group."""

    def __missing__(self, key):
        raise Unremembered(key)


def walk(made):
    """Step the reader's optimizer on two parameters, the second with negated gradients. Returns their points,
    whether the gradients were left unchanged, and the keys of the first one's state."""
    pair: list[Any] = [ad.Tensor(np.ones(2)) for _ in range(2)]
    optimizer = made(pair, lr=LR, momentum=MOMENTUM)
    if not isinstance(optimizer, optim.Optimizer):
        raise Mistake("This is no subclass of optim.Optimizer.")
    optimizer.state.update((p, Memory()) for p in pair)
    points, untouched = [], True
    for g in GRADIENTS:
        optimizer.zero_grad()
        ((pair[0] * g).sum() + (pair[1] * -g).sum()).backward()
        optimizer.step()
        untouched = untouched and np.array_equal(pair[0].grad.data, g)
        points.append([p.data.copy() for p in pair])
    memory = set(optimizer.state.get(pair[0], {})) - {"step"}
    return np.array(points), untouched, memory


@exercise(
    "20 nesterov",
    "Two lines of the rule, and one for the first step, when nothing is remembered yet. What is remembered "
    "goes into state, and data is changed in place: data -= ...",
    "The velocity: state['v'] = group['momentum'] * state.get('v', 0) + grad. Then the step, along grad plus "
    "momentum times the velocity.",
    "v = state['v'] = group['momentum'] * state.get('v', 0) + grad, and then "
    "data -= group['lr'] * (grad + group['momentum'] * v)",
)
def nesterov_class(made):
    """Judge an optimizer by four steps on two parameters."""
    if not isinstance(made, type):
        raise Mistake(f"A class is asked for here, and this is {made!r:.60}.")
    try:
        points, untouched, memory = walk(made)
    except Unremembered as error:
        raise Mistake(
            f"state[{error.args[0]!r}] is not there: at the first step nothing is remembered yet: "
            f"state.get({error.args[0]!r}, 0)"
        ) from None
    right = points_along(along(nesterov))
    first, second = points[:, 0], points[:, 1]
    if (points == 1).all():
        if not memory:
            raise NotYet("update changes nothing.")
        raise Mistake(
            "Nothing moves. 'data = data - ...' makes a new array and calls it data; the parameter keeps the "
            "old one. Write into it: data -= ..."
        )
    if not untouched:
        raise Mistake(
            "The gradient itself was changed: after a step with the gradient [4, -2] it is another. Remember "
            "a copy: an in-place change of what you remembered reaches the gradient, too."
        )
    if np.allclose(first, right) and np.allclose(second, 2 - right):
        return "It looks ahead, and is the package's SGD(nesterov=True) to the last digit."
    step = int(np.flatnonzero(~np.isclose(points, np.stack([right, 2 - right], axis=1)).all(axis=(1, 2)))[0])
    raise Mistake(
        f"From [1, 1] with the rate {LR} and the momentum {MOMENTUM}, and the gradients "
        f"{GRADIENTS[: step + 1].tolist()}, w comes to {np.round(first[step], 3).tolist()}, and right is "
        f"{np.round(right[step], 3).tolist()}. {kind_of_walk(first, right, memory)}"
    )


def kind_of_walk(found, right, memory):
    """The message for wrong points of the first parameter; ``memory`` is what its state holds."""
    kind = next((words for wrong, words in wrong_walks() if np.allclose(found, wrong)), None)
    if kind:
        return kind
    if not np.allclose(found[0], right[0]):
        return "Write down v and w for the first step: v is the gradient, the step goes along 1.75 g."
    if memory:
        return "The first step is right, a later one is not: how does the velocity go on?"
    return (
        "The first parameter's first step is right, and then the two get in each other's way: what is "
        "remembered belongs into state, which each parameter has for itself."
    )
