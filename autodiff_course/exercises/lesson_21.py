"""The exercises of lesson 21: how far noise throws, clipping in two steps, and a schedule with a plateau."""

import numpy as np

from ..checking import Mistake, NotYet, number
from .calling import call, names_of
from .shared import close, listed, same
from .table import PRINTS, Guess, Right, Stop, Table, Task, Wrong, advice, as_number, outcome

# -- noise --------------------------------------------------------------------------------------------------

Guess(
    "21 noise",
    right="0.0285",
    answers=(
        Right("half", "0.056 / 2"),
        Right("rounded", "0.03"),
        Right("by the formulas", "12.5 * 0.002 / (2 - 0.002) + 12.5 * 0.002 / (2 - 0.2)"),
        Right("twice that along x", "2 * 6.25 * 0.002"),
        Wrong("the same", "0.056", "That would be the same height. It is about in proportion to the rate."),
        Wrong("twice", "0.112", "A smaller rate throws less far, not further."),
        Wrong("x alone", "0.0125", "That is the height along x alone. Along y it is a little more again."),
        Wrong("a quarter", "0.014", "The height is about in proportion to the rate, not to its square."),
        Wrong("something else", "1"),
    ),
    otherwise="The height is about in proportion to the rate.",
    praise="Half the rate, about half the height.",
    hints=(
        "Along x the height is about 6.25 times the rate. What happens to it if the rate is half as large?",
        "Along y it is a little more than that, and about half as large, too.",
        "0.056 / 2 is 0.028.",
    ),
    within=0.0065,
    near=1e-6,
)

# -- clipping -----------------------------------------------------------------------------------------------

ONE = ([3.0, 4.0],)
TWO = ([2.0, 3.0], [[4.0, 4.0], [2.0, 0.0]])
"""Gradients of two Tensors: their lengths are the root of 13 and 6, together 7."""


def tensors(gradients, function):
    """One argument: Tensors of the reader's machine with these gradients; None stays None."""
    made = []
    for grad in gradients:
        tensor = names_of(function, 21)["Tensor"](np.zeros(np.shape(grad if grad is not None else [0.0])))
        tensor.grad = None if grad is None else np.array(grad)
        made.append(tensor)
    return [made]


def in_words(gradients):
    """Gradients as a message shows them."""
    each = ("None" if grad is None else listed(grad, 3) for grad in gradients)
    return f", where the gradients are {' and '.join(each)},"


ROWS = "[p for p in tensors if p.grad is not None]"
SUM = f"sum(np.sum(p.grad**2) for p in {ROWS})"
AS_ONE = f"np.concatenate([p.grad.ravel() for p in {ROWS}])"
NONE = Stop(TypeError, "{said} stops with {error}. Leave out a grad that is None.", case=lambda case: None in case)

Task(
    "21 length",
    head="length(tensors)",
    right=f"{SUM} ** 0.5",
    cases=(ONE, TWO, ([3.0, 4.0], None)),
    answers=(
        Right("of one array", f"np.linalg.norm({AS_ONE})"),
        Wrong("no root", SUM, "That is the sum of the squares. Take its root."),
        Wrong("lengths added", f"sum(np.linalg.norm(p.grad) for p in {ROWS})", "The lengths were added. Add the squares of all elements, then take one root."),
        Wrong("the first only", "np.linalg.norm(tensors[0].grad)", "That is the length of the first Tensor's gradient. All count together."),
        Wrong("the longest", f"max(np.linalg.norm(p.grad) for p in {ROWS})", "That is the length of the last Tensor's gradient, which is also the longest. All count together."),
        Wrong("the largest element", f"abs({AS_ONE}).max()", "That is the largest element."),
        Wrong("sizes", f"abs({AS_ONE}).sum()", "Take the squares of the elements, not their sizes."),
        Wrong("the mean", f"({AS_ONE} ** 2).mean() ** 0.5", "Take the sum of the squares, not their mean."),
        Wrong("5, as in the first case", "5", holds="should be 7"),
        Wrong("None counts", (ROWS, "tensors"), holds="Leave out a grad"),
        Wrong("shapes", f"np.linalg.norm({AS_ONE.replace('.ravel()', '')})", holds="squares of each one first"),
        Wrong("asks whether an array is true", (" is not None", ""), holds="p.grad is not None"),
        Wrong("prints", f"print({SUM} ** 0.5)", holds=PRINTS),
    ),
    otherwise="Squares of all elements, their sum, and its root.",
    praise="It counts all elements of all parameters, as one long arrow.",
    hints=(
        "Add up np.sum(p.grad**2) for all Tensors p, then take the root.",
        "sum(np.sum(p.grad**2) for p in tensors if p.grad is not None) ** 0.5",
    ),
    inputs=tensors,
    said=lambda gradients: f"length(tensors){in_words(gradients)}",
    stops=(
        NONE,
        Stop(ValueError, "{said} asks whether an array is true. Ask whether it is there: p.grad is not None.", "truth value"),
        Stop(ValueError, "{said} stops, since these have different shapes. Add up the squares of each one first.", case=lambda case: case is TWO),
    ),
    read=as_number,
    equal=close,
    alike=close,
    shown="{:.6g}".format,
)

CLIP = Table(
    "21 clip",
    right=f"""
length = lambda tensors: {SUM} ** 0.5
def clip(tensors, most):
    n = length(tensors)
    if n > most:
        for p in {ROWS}:
            p.grad = p.grad * (most / n)
    return n""",
    answers=(
        Right("at most 1", (("if n > most", "if n"), ("(most / n)", "min(1.0, most / n)"))),
        Right("with 1e-12, as in PyTorch", (("if n > most", "if True"), ("(most / n)", "min(1.0, most / (n + 1e-12))"))),
        Wrong("each element", ("p.grad * (most / n)", "np.clip(p.grad, -most, most)"), "Each element was limited by itself, which changes the direction. Scale all by one factor."),
        Wrong("each Tensor by itself", (("if n > most", "if n"), ("(most / n)", "min(1, most / np.linalg.norm(p.grad))")), "Each Tensor was scaled by its own length. All of them get the same factor."),
        Wrong("longer, too", ("if n > most", "if n"), "Gradients that were short enough were made longer. Leave them as they are."),
        Wrong("to 1", (("if n > most", "if n"), ("most / n", "1 / n")), "Their length together is 1 now. Multiply by most."),
        Wrong("does nothing", ("if n > most", "if False"), "The gradients have not changed."),
        Wrong("upside down", (("if n > most", "if n"), ("most / n", "n / most")), "The factor is upside down: it is most divided by the length."),
        Wrong("a number of its own", ("(most / n)", "0.1")),
        Wrong("return inside the if", ("    return", "        return"), holds="is the return inside the if?"),
        Wrong("the package's", "def clip(tensors, most):\n    return ad.nn.utils.clip_grad_norm_(tensors, most)", holds="Write it yourself"),
        Wrong("returns nothing", ("return n", "pass"), holds="returns nothing"),
        Wrong("the length after", ("return n", "return length(tensors)"), holds="had before"),
        Wrong("in place", ("p.grad = p.grad *", "p.grad *="), holds="Make new ones"),
        Wrong("a grad that is None", (f"for p in {ROWS}", "for p in tensors"), holds="Leave out a grad that is None"),
        Wrong("divides by a length of 0", (("if n > most", "if True"), ("(most / n)", "min(1, most / float(n))")), holds="All gradients are 0 here"),
        Wrong("divides by a wrong length of 0", (("if n > most", "if True"), ("(most / n)", "min(1, most / float(n - 5))")), holds="ZeroDivisionError"),
        Wrong("one argument too few", "lambda tensors: 1", holds="your function takes 1"),
    ),
    otherwise="Scale all gradients by most divided by their length, if they are longer.",
    hints=(
        "before = length(tensors). Only if before > most is anything scaled.",
        "p.grad = p.grad * (most / before), for every p whose grad is not None. At the end return before.",
    ),
)  # fmt: skip
CLIP_STOPS = (
    Stop(TypeError, "The package's function does not take Tensors of your machine. Write it yourself, with length.", "clipping takes Tensors"),
    NONE,
    Stop(ZeroDivisionError, "{said} stops with {name}: {error}. All gradients are 0 here, and so is their length. Ask `if before > most` first.", case=lambda case: not np.any(case[0])),
)  # fmt: skip


@CLIP.judged
def clip(function):
    """Judge clipping: long gradients, short ones, two Tensors, a None, and whose arrays are changed."""
    for gradients, most in ((ONE, 1.0), (ONE, 10.0), (TWO, 3.5), ((*TWO, None), 3.5), (([0.0, 0.0],), 1.0)):
        (made,) = tensors(gradients, function)
        given = [p.grad for p in made]
        arrays = [np.array(grad) for grad in gradients if grad is not None]
        size = float(np.sqrt(sum(np.sum(x**2) for x in arrays)))
        said = f"clip(tensors, {most:g}){in_words(gradients)}"
        with advice(*CLIP_STOPS, said=said, case=gradients), np.errstate(all="ignore"):
            before = call(function, made, most, said=said, is_none_right=True)
        if before is None and all(p.grad is grad for p, grad in zip(made, given)):
            if size > most:
                raise NotYet(f"{said} gave None.")
            raise Mistake(
                f"{said} returns nothing. The length is returned in every case, also when nothing is "
                "scaled: is the return inside the if?"
            )
        right = [x * min(1.0, most / size) if size else x for x in arrays]
        found = gradients_of(made)
        if not all_same(found, right):

            def fits(wrong, gradients=gradients, most=most, found=found):
                (others,) = tensors(gradients, function)
                return outcome(wrong, others, most) is not None and all_same(found, gradients_of(others))

            why = CLIP.why(fits, function)
            raise Mistake(f"After {said} they are {shown(found)}; it should be {shown(right)}. {why}")
        if before is None or not close(number(before), size):
            gave = "nothing" if before is None else f"{number(before):.6g}"
            raise Mistake(f"{said} returns {gave}. The length that they had before is {size:.6g}.")
        if any(grad is not None and not same(grad, old) for grad, old in zip(given, gradients)):
            raise Mistake("It writes into the old arrays. Make new ones: p.grad = p.grad * factor.")
    return "One factor for all, so the direction stays."


def gradients_of(made):
    """The gradients that are there."""
    return [p.grad for p in made if p.grad is not None]


def all_same(found, right):
    """Whether arrays are the same, one by one."""
    return len(found) == len(right) and all(map(same, found, right))


def shown(arrays):
    """Arrays as a message shows them."""
    return " and ".join(listed(array, 3) for array in arrays)


# -- a schedule with a plateau ------------------------------------------------------------------------------

UP, DOWN = "(t + 1) / warm", "(steps - t) / cool"

PLATEAU = Table(
    "21 plateau",
    head="plateau(t, steps, warm, cool)",
    right=f"min({UP}, 1.0, {DOWN})",
    answers=(
        Right("three cases", f"{UP} if t < warm else 1.0 if t < steps - cool else {DOWN}"),
        Wrong("begins at 0", ("t + 1", "t"), "The first step has the rate 0. Begin with 1 / warm."),
        Wrong("no way down", (f", {DOWN}", ""), "The way down is missing: in the last cool steps it falls to 0."),
        Wrong("no warm-up", (f"{UP}, ", ""), "The warm-up is missing."),
        Wrong("no plateau", ("1.0, ", ""), "It rises above 1. Between the two ways it stays at 1."),
        Wrong("falls at once", ("cool", "(steps - warm)"), "It falls from the warm-up on. It stays at 1 until cool steps are left."),
        Wrong("one early", ("steps - t", "steps - t - 1"), "It reaches 0 one step early: at step `steps` it is 0."),
        Wrong("multiplied", f"{UP} * {DOWN}", "It rises above 1. Nothing may exceed 1: take the least of the three, with min."),
        Wrong("turned round", f"min({UP}, 1) if t < steps - cool else (t - steps) / cool", "The way down is turned round: steps - t steps are left."),
        Wrong("turned round in the least of three", ("steps - t", "t - steps"), "The way down is turned round: steps - t steps are left."),
        Wrong("constant", "1.0", "It is 1 all the time."),
        Wrong("falls from step cool on", f"min({UP}, 1) if t < cool else {DOWN}", "The fall begins at step `steps - cool`, not at step `cool`."),
        Wrong("cool as a step", f"min({UP}, 1) if t < cool else (steps - t) / (steps - cool)", "cool is the number of steps that the way down takes."),
        Wrong("a half", "0.5"),
        Wrong("the numbers of the task", "[0.5, 1, 1, 1, 1, 1, 2 / 3, 1 / 3, 0][t]", holds="Other steps, warm and cool are tried"),
        Wrong("prints", f"print(min({UP}, 1, {DOWN}))", holds=PRINTS),
        Wrong("a missing else", "def plateau(t, steps, warm, cool):\n    if t < warm:\n        return (t + 1) / warm", holds="has no `return`"),
    ),
    otherwise="Print it for every step of plateau(t, 8, 2, 3), beside the numbers of the task.",
    hints=(
        "Three cases: t below warm, t from steps - cool on, and between them.",
        "Up: (t + 1) / warm. Down: (steps - t) / cool, which is 1 when cool steps are left. Between them: 1.",
        "return min((t + 1) / warm, 1, (steps - t) / cool)",
    ),
)


@PLATEAU.judged
def plateau(function):
    """Judge the schedule at every step of three cases."""
    right = PLATEAU.answer(function)
    for case in ((8, 2, 3), (10, 4, 4), (20, 5, 10)):

        def theirs(t, *case):
            return number(call(function, t, *case, said=f"plateau({t}, {', '.join(map(str, case))})"))

        def table(schedule, case=case):
            return [schedule(t, *case) for t in range(case[0] + 1)]

        for t, wanted in enumerate(table(right)):
            found = theirs(t, *case)
            if close(found, wanted):
                continue
            said = f"plateau({t}, {', '.join(map(str, case))}) gives {found:.4g}; it should be {wanted:.4g}"
            try:
                given = table(theirs)
            except IndexError as error:
                raise Mistake(
                    f"{said}, and a later step stops with {error}. Other steps, warm and cool are tried as "
                    "well: compute with the arguments."
                ) from None
            why = PLATEAU.why(lambda wrong: np.allclose(given, table(wrong)), function)  # noqa: B023  at once
            raise Mistake(f"{said}. {why}")
    return "Up, along, and down to 0."
