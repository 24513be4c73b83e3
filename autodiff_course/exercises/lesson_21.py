"""The exercises of lesson 21: how far noise throws, clipping in two steps, and a schedule with a plateau."""

import numpy as np

from ..checking import Mistake, NotYet, exercise, number
from .calling import call, names_of
from .shared import close, listed, same

# -- noise --------------------------------------------------------------------------------------------------


@exercise(
    "21 noise",
    "Along x the height is about 6.25 times the rate. What happens to it if the rate is half as large?",
    "Along y it is a little more than that, and about half as large, too.",
    "0.056 / 2 is 0.028.",
)
def noise(guess):
    """Judge the predicted height with half the rate."""
    found = number(guess)
    if not 0.022 <= found <= 0.035:
        kinds = {
            0.056: "That would be the same height. It is about in proportion to the rate.",
            0.112: "A smaller rate throws less far, not further.",
            0.0125: "That is the height along x alone. Along y it is a little more again.",
            0.014: "The height is about in proportion to the rate, not to its square.",
        }
        unknown = "The height is about in proportion to the rate."
        raise Mistake(f"It is not {found:.6g}. {kinds.get(round(found, 6), unknown)}")
    return "Half the rate, about half the height."


# -- clipping -----------------------------------------------------------------------------------------------

ONE = ([3.0, 4.0],)
TWO = ([2.0, 3.0], [[4.0, 4.0], [2.0, 0.0]])
"""Gradients of two Tensors: their lengths are the root of 13 and 6, together 7."""


def tensors_with(names, gradients):
    """Tensors of the reader's machine with these gradients; None stays None."""
    made = []
    for grad in gradients:
        tensor = names["Tensor"](np.zeros(np.shape(grad if grad is not None else [0.0])))
        tensor.grad = None if grad is None else np.array(grad)
        made.append(tensor)
    return made


def in_words(gradients):
    """Gradients as a message shows them."""
    each = ("None" if grad is None else listed(grad, 3) for grad in gradients)
    return f", where the gradients are {' and '.join(each)},"


LENGTH_KINDS = (
    (lambda g: sum(np.sum(x**2) for x in g), "That is the sum of the squares. Take its root."),
    (
        lambda g: sum(np.sqrt(np.sum(x**2)) for x in g),
        "The lengths were added. Add the squares of all elements, then take one root.",
    ),
    (
        lambda g: np.sqrt(np.sum(g[0] ** 2)),
        "That is the length of the first Tensor's gradient. All count together.",
    ),
    (
        lambda g: np.sqrt(np.sum(g[-1] ** 2)),
        "That is the length of the last Tensor's gradient, which is also the longest. All count together.",
    ),
    (lambda g: max(np.abs(x).max() for x in g), "That is the largest element."),
    (lambda g: sum(np.sum(np.abs(x)) for x in g), "Take the squares of the elements, not their sizes."),
    (
        lambda g: sum(np.sum(x) for x in g),
        "That is the sum of the elements. Add up their squares and take the root.",
    ),
    (
        lambda g: np.sqrt(np.mean(np.concatenate([x.ravel() for x in g]) ** 2)),
        "Take the sum of the squares, not their mean.",
    ),
)


@exercise(
    "21 length",
    "Add up np.sum(p.grad**2) for all Tensors p, then take the root.",
    "sum(np.sum(p.grad**2) for p in tensors if p.grad is not None) ** 0.5",
)
def length(function):
    """Judge the length of gradients: of one Tensor, of two, and with a None."""
    names = names_of(function, 21)
    for gradients in (ONE, TWO, ([3.0, 4.0], None)):
        made = tensors_with(names, gradients)
        said = f"length(tensors){in_words(gradients)}"
        try:
            found = number(call(function, made, said=said))
        except TypeError as error:
            if None not in gradients:
                raise
            raise Mistake(f"{said} stops with {error}. Leave out a grad that is None.") from None
        except ValueError as error:
            if "truth value" in str(error):
                raise Mistake(
                    f"{said} asks whether an array is true. Ask whether it is there: p.grad is not None."
                ) from None
            if gradients is not TWO:
                raise
            raise Mistake(
                f"{said} stops, since these have different shapes. Add up the squares of each one first."
            ) from None
        arrays = [np.array(grad) for grad in gradients if grad is not None]
        right = np.sqrt(sum(np.sum(x**2) for x in arrays))
        if not close(found, right):
            fits = (words for wrong, words in LENGTH_KINDS if close(found, wrong(arrays)))
            kind = next(fits, "Squares of all elements, their sum, and its root.")
            raise Mistake(f"{said} gives {found:.6g}; it should be {right:.6g}. {kind}")
    return "It counts all elements of all parameters, as one long arrow."


CLIP_KINDS = (
    (
        lambda g, most: [np.clip(x, -most, most) for x in g],
        "Each element was limited by itself, which changes the direction. Scale all by one factor.",
    ),
    (
        lambda g, most: [x * min(1, most / np.linalg.norm(x)) for x in g],
        "Each Tensor was scaled by its own length. All of them get the same factor.",
    ),
    (
        lambda g, most: [x * most / together(g) for x in g],
        "Gradients that were short enough were made longer. Leave them as they are.",
    ),
    (lambda g, most: [x / together(g) for x in g], "Their length together is 1 now. Multiply by most."),
    (lambda g, most: g, "The gradients have not changed."),
    (lambda g, most: [x * most for x in g], "Multiply by most and divide by the length."),
    (
        lambda g, most: [x * together(g) / most for x in g],
        "The factor is upside down: it is most divided by the length.",
    ),
)


def together(arrays):
    """The length of several arrays together."""
    return float(np.sqrt(sum(np.sum(x**2) for x in arrays)))


@exercise(
    "21 clip",
    "before = length(tensors). Only if before > most is anything scaled.",
    "p.grad = p.grad * (most / before), for every p whose grad is not None. At the end return before.",
)
def clip(function):
    """Judge clipping: long gradients, short ones, two Tensors, a None, and whose arrays are changed."""
    names = names_of(function, 21)
    for gradients, most in ((ONE, 1.0), (ONE, 10.0), (TWO, 3.5), ((*TWO, None), 3.5), (([0.0, 0.0],), 1.0)):
        made = tensors_with(names, gradients)
        given = [p.grad for p in made]
        arrays = [np.array(grad) for grad in gradients if grad is not None]
        size = together(arrays)
        said = f"clip(tensors, {most:g}){in_words(gradients)}"
        try:
            before = call_clip(function, made, most, said)
        except NotYet:
            if size <= most:
                raise Mistake(
                    f"{said} returns nothing. The length is returned in every case, also when nothing is "
                    "scaled: is the return inside the if?"
                ) from None
            raise
        right = [x * min(1.0, most / size) if size else x for x in arrays]
        found = [p.grad for p in made if p.grad is not None]
        if len(found) != len(right) or not all(map(same, found, right)):
            fits = (words for wrong, words in CLIP_KINDS if all(map(same, found, wrong(arrays, most))))
            kind = next(fits, "Scale all gradients by most divided by their length, if they are longer.")
            raise Mistake(f"After {said} they are {shown(found)}; it should be {shown(right)}. {kind}")
        if before is None or not close(number(before), size):
            gave = "nothing" if before is None else f"{number(before):.6g}"
            raise Mistake(f"{said} returns {gave}. The length that they had before is {size:.6g}.")
        if any(grad is not None and not same(grad, old) for grad, old in zip(given, gradients)):
            raise Mistake("It writes into the old arrays. Make new ones: p.grad = p.grad * factor.")
    return "One factor for all, so the direction stays."


def call_clip(function, made, most, said):
    """What the reader's clip returns; None if it returns nothing but has done something."""
    old = [p.grad for p in made]
    returned = []

    def run(tensors, largest):
        returned.append(function(tensors, largest))
        return True

    if not callable(function):
        call(function, made, most, said=said)
    try:
        with np.errstate(all="ignore"):
            run(made, most)
    except TypeError as error:
        if "positional argument" in str(error):
            call(function, made, most, said=said)
        if "clipping takes Tensors" in str(error):
            raise Mistake(
                "The package's function does not take Tensors of your machine. Write it yourself, "
                "with length."
            ) from None
        if all(grad is not None for grad in old):
            raise
        raise Mistake(f"{said} stops with {error}. Leave out a grad that is None.") from None
    except ZeroDivisionError as error:
        if any(grad is not None and grad.any() for grad in old):
            raise
        raise Mistake(
            f"{said} stops with {type(error).__name__}: {error}. All gradients are 0 here, and so is their "
            "length. Ask `if before > most` first."
        ) from None
    if returned[0] is None and all(p.grad is grad for p, grad in zip(made, old)):
        return call(lambda: None, said=said)
    return returned[0]


def shown(arrays):
    """Arrays as a message shows them."""
    return " and ".join(listed(array, 3) if array is not None else "None" for array in arrays)


# -- a schedule with a plateau ------------------------------------------------------------------------------

CASES = ((8, 2, 3), (10, 4, 4), (20, 5, 10))


def plateau_of(t, steps, warm, cool):
    """The right answer."""
    return min((t + 1) / warm, 1.0, (steps - t) / cool)


PLATEAU_KINDS = (
    (lambda t, s, w, c: min(t / w, 1, (s - t) / c), "The first step has the rate 0. Begin with 1 / warm."),
    (
        lambda t, s, w, c: min((t + 1) / w, 1),
        "The way down is missing: in the last cool steps it falls to 0.",
    ),
    (lambda t, s, w, c: min(1, (s - t) / c), "The warm-up is missing."),
    (
        lambda t, s, w, c: min((t + 1) / w, (s - t) / c),
        "It rises above 1. Between the two ways it stays at 1.",
    ),
    (
        lambda t, s, w, c: min((t + 1) / w, 1, (s - t) / (s - w)),
        "It falls from the warm-up on. It stays at 1 until cool steps are left.",
    ),
    (
        lambda t, s, w, c: min((t + 1) / w, 1, (s - t - 1) / c),
        "It reaches 0 one step early: at step `steps` it is 0.",
    ),
    (
        lambda t, s, w, c: (t + 1) / w * (s - t) / c,
        "It rises above 1. Nothing may exceed 1: take the least of the three, with min.",
    ),
    (
        lambda t, s, w, c: min((t + 1) / w, 1) if t < s - c else (t - s) / c,
        "The way down is turned round: steps - t steps are left.",
    ),
    (
        lambda t, s, w, c: min((t + 1) / w, 1, (t - s) / c),
        "The way down is turned round: steps - t steps are left.",
    ),
    (lambda t, s, w, c: 1.0, "It is 1 all the time."),
    (
        lambda t, s, w, c: min((t + 1) / w, 1) if t < c else (s - t) / c,
        "The fall begins at step `steps - cool`, not at step `cool`.",
    ),
    (
        lambda t, s, w, c: min((t + 1) / w, 1) if t < c else (s - t) / (s - c),
        "cool is the number of steps that the way down takes.",
    ),
)


@exercise(
    "21 plateau",
    "Three cases: t below warm, t from steps - cool on, and between them.",
    "Up: (t + 1) / warm. Down: (steps - t) / cool, which is 1 when cool steps are left. Between them: 1.",
    "return min((t + 1) / warm, 1, (steps - t) / cool)",
)
def plateau(function):
    """Judge the schedule at every step of three cases."""
    for case in CASES:
        times = range(case[0] + 1)
        for t in times:
            said = f"plateau({t}, {', '.join(map(str, case))})"
            try:
                found, right = number(call(function, t, *case, said=said)), plateau_of(t, *case)
            except NotYet:
                if t == 0:
                    raise
                raise Mistake(f"{said} returns nothing. Is there a case without a return?") from None
            if close(found, right):
                continue
            try:
                given = [number(call(function, each, *case, said=said)) for each in times]
            except IndexError as error:
                raise Mistake(
                    f"{said} gives {found:.4g}; it should be {right:.4g}, and a later step stops with "
                    f"{error}. Other steps, warm and cool are tried as well: compute with the arguments."
                ) from None
            fits = (
                words
                for wrong, words in PLATEAU_KINDS
                if np.allclose(given, [wrong(t, *case) for t in times])
            )
            kind = next(
                fits, "Print it for every step of plateau(t, 8, 2, 3), beside the numbers of the task."
            )
            raise Mistake(f"{said} gives {found:.4g}; it should be {right:.4g}. {kind}")
    return "Up, along, and down to 0."
