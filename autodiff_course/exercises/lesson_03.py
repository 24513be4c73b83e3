"""The exercises of lesson 03: a prediction, the slope for one of several numbers, and a check of gradients by
nudges."""

import math

from ..checking import Mistake, NotYet, number
from .calling import call
from .nudging import Calls, scaled, swapped, walk_back, why_stopped
from .shared import in_words
from .table import PRINTS, Right, Table, Wrong

# -- a prediction --------------------------------------------------------------------------------------------

PREDICT = Table(
    "03 predict",
    right="(49, 7, 21)",
    answers=(
        Right("a list, with a Tensor", "[Tensor(49), 7.0, 21]"),
        Wrong("old gradients", ("7, 21", "10, 12"), "10 and 12 belong to x = 2, y = 2. A product's local slopes are values: here they are new."),
        Wrong("exchanged", ("7, 21", "21, 7"), "These are the two numbers, the wrong way round. On which path is the factor 3?"),
        Wrong("the 3 is forgotten", ("7, 21", "7, 7"), "x is right. On the way to y there is one more edge, from y to b. What is its slope?"),
        Wrong("the last slope alone", ("7, 21", "7, 3"), "x is right. 3 is the slope of the last edge, and 7 has arrived at b. Multiply the two."),
        Wrong("added to y", ("7, 21", "7, 11"), "x is right. On the way to y you added the slopes, 7, 1 and 3. They are multiplied."),
        Wrong("added along both paths", ("7, 21", "8, 11"), "You added the slopes along each path. They are multiplied."),
        Wrong("7 and 3 added", ("7, 21", "7, 10"), "x is right. On the way to y you added 7 and 3. They are multiplied."),
        Wrong("the last local slopes", ("7, 21", "1, 3"), "Those are the last local slopes alone. Multiply them by the gradient that arrives."),
        Wrong("the values", ("7, 21", "5, 1"), "Those are the values of x and y. A gradient says how far e moves, compared with x or y."),
        Wrong("something else", ("7, 21", "2, 2")),
        Wrong("of the lesson's point", "(40, 10, 12)", holds="Forward first"),
        Wrong("e alone", "49", holds="Three numbers"),
        Wrong("a word", ("7", "'seven'"), holds="A number is asked for"),
    ),
    otherwise="e is right. For the gradients multiply the local slopes along each path, from e to the leaf.",
    hints=(
        "First walk forward: c, b, d and e, at x = 5 and y = 1.",
        "Then back. e has the gradient 1; c gets 1 times the value of d, and d gets 1 times the value of c.",
        "c is 7 and d is 7. From x to c the local slope is 1; from b to d it is 1, and from y to b it is 3.",
    ),
)


@PREDICT.judged
def predict(guess):
    """Judge the guess for e, x.grad and y.grad at x = 5, y = 1."""
    if not isinstance(guess, (tuple, list)) or len(guess) != 3:
        raise Mistake("Three numbers are asked for, in brackets: (e, gradient of x, gradient of y).")
    if any(part is None for part in guess):
        raise NotYet("one of the three numbers is still None.")
    e, *slopes = map(number, guess)
    if e != 49:
        raise Mistake(f"Forward first: e is (5 + 2) times (3 times 1 + 4), and that is not {e:.6g}.")
    if slopes != [7, 21]:
        raise Mistake(PREDICT.why(lambda wrong: slopes == [*wrong[1:]]))
    return "7 times 1 for x, and 7 times 1 times 3 for y."


# -- a nudge check -------------------------------------------------------------------------------------------


def reader_s(function, said, header, calls, *inputs):
    """What a reader's function returns, with advice if it stops. Raises Mistake if it changes the values."""
    values = list(calls.values)
    try:
        answer = call(function, calls.f, values, *inputs, said=said, header=header)
    except TypeError as error:
        if why := why_stopped(error):
            raise Mistake(f"Your code stopped with {type(error).__name__}: {error}. {why}") from error
        raise
    return answer, values


def is_changed(values, before):
    """Whether a list of values has been changed by more than rounding."""
    return len(values) != len(before) or not all(map(math.isclose, values, before))


SLOPE, COPIES = "(above - below) / 0.002", "list(values), list(values)"
BOTH = "up[i] += 0.001\n    down[i] -= 0.001"
SLOPE_OF_ONE = f"""
def nudged(f, values, i):
    up, down = {COPIES}
    {BOTH}
    above = f(*[Tensor(v) for v in up]).data
    below = f(*[Tensor(v) for v in down]).data
    return {SLOPE}
"""

NUDGED = Table(
    "03 nudged",
    head="nudged(f, values, i)",
    right=SLOPE_OF_ONE,
    answers=(
        Right("nudged one way", "up = values[:]\nup[i] = up[i] + 0.001\nreturn (f(*map(Tensor, up)).data - f(*map(Tensor, values)).data) / 0.001"),
        Right("by slope", "slope(lambda x: f(*[Tensor(x if j == i else v) for j, v in enumerate(values)]).data, values[i])"),
        Right("there and back on one list", """
            values[i] += 0.001
            above = f(*map(Tensor, values)).data
            values[i] -= 0.002
            below = f(*map(Tensor, values)).data
            values[i] += 0.001
            return (above - below) / 0.002"""),
        Right("a Tensor is nudged", "up, down = ([Tensor(v) + h * (j == i) for j, v in enumerate(values)] for h in (0.001, -0.001))\nreturn (f(*up).data - f(*down).data) / 0.002"),
        Wrong("divided by one nudge", ("0.002", "0.001"), "From 0.001 below to 0.001 above it is 0.002: divide by that."),
        Wrong("the sign", ("above - below", "below - above"), "The sign is wrong: f at the larger number comes first."),
        Wrong("no copies", (COPIES, "values, values"), "Did you copy the list? `up = values` is the same list and no copy: list(values) is one."),
        Wrong("no copies, one after the other", """
            up = values
            up[i] += 0.001
            above = f(*map(Tensor, up)).data
            down = values
            down[i] -= 0.001
            below = f(*map(Tensor, down)).data
            return (above - below) / 0.002""", "Divide by how far the number moves. And is `up` a copy? `up = values` is the same list."),
        Wrong("all at once", (BOTH, "up = [v + 0.001 for v in up]\n    down = [v - 0.001 for v in down]"), "Nudge the number i alone, and leave the others as they are."),
        Wrong("always the first", ("[i]", "[0]"), "This is the slope for the first number: use i."),
        Wrong("not divided", (" / 0.002", ""), holds="This is how far f moves"),
        Wrong("no number", (SLOPE, f"math.nan * {SLOPE}"), holds="gives nan; it should be 7."),
        Wrong("three times", (SLOPE, f"3 * {SLOPE}"), holds="gives 21; it should be 7."),
        Wrong("the list is changed", (COPIES, "values, list(values)"), holds="nudge a copy, list(values)"),
        Wrong("plain numbers", ("Tensor(v)", "v"), holds="f takes Tensors"),
        Wrong("no star", ("*[", "["), holds="one by one"),
        Wrong("minus on Tensors", (".data", ""), holds="take .data first"),
        Wrong("a Tensor", (SLOPE, f"Tensor({SLOPE})"), holds="read .data"),
        Wrong("0.001 + a Tensor", ("Tensor(v) for v in up", "0.001 + Tensor(v) for v in up"), holds="Nudge the plain number first"),
        Wrong("without f", "values[1 - i]", holds="never calls the f"),
        Wrong("the machine's gradient", "leaves = [Tensor(v) for v in values]\nbackward(f(*leaves))\nreturn leaves[i].grad", holds="A nudge compares two calls of f"),
        Wrong("constants", "f(Tensor(5), Tensor(7))\nf(Tensor(5), Tensor(7))\nreturn 7 - 2 * i", holds="f takes 3 Tensors here"),
        Wrong("printed", (f"return {SLOPE}", f"print({SLOPE})"), holds=PRINTS),
        Wrong("one argument too few", "def nudged(f, values):\n    return 7", holds="hands over 3 argument"),
    ),
    hints=(
        "Copy the list, and add 0.001 to the element i of the copy. What does f give for Tensors with these values?",
        "Do the same with 0.001 less. f(...).data is a plain number. How far did it move, and how far did the number i?",
        "up, down = list(values), list(values); up[i] += 0.001; down[i] -= 0.001. Then the difference of f(*[Tensor(v) for v in up]).data and the same for down, divided by 0.002.",
    ),
)  # fmt: skip


@NUDGED.judged
def nudged(function):
    """Judge the slope of a function of several numbers for one of them."""
    both_ways = True
    for words, values, i, right in (
        ("x * y", (5, 7), 0, 7),
        ("x * y", (5, 7), 1, 5),
        ("(x * y) * z", (2, 3, 5), 2, 6),
        ("(x + y) * z", (-2, 3, 0.5), 0, 0.5),
        ("(x + 2) * (y * 3 + 4)", (2, 2), 1, 12),
    ):
        calls = Calls(words, values)
        said = f"nudged(f, {list(values)}, {i}), where f is {words},"
        answer, after_it = reader_s(function, said, "def nudged(f, values, i):", calls, i)
        both_ways = both_ways and {-1, 1} <= calls.moves[i]
        if calls.of_f == 0:
            raise Mistake("Your function never calls the f that it is given.")
        if calls.of_f == 1:
            raise Mistake("Your function calls f only once. A nudge compares two calls of f.")
        if hasattr(answer, "creators"):
            raise Mistake(f"{said} gives a Tensor. A plain number is asked for: read .data.")
        found = number(answer)
        if is_changed(after_it, values):
            raise Mistake(f"{said} changes the list to {after_it}: nudge a copy, list(values).")
        if not abs(found - right) <= 0.01:  # also nan

            def fits(wrong, found=found, words=words, values=values, i=i):
                return abs(found - wrong(Calls(words, values).f, [*values], i)) < 2e-3

            moves = "This is how far f moves. Divide it by how far the number moves."
            why = NUDGED.why(fits, function, moves if abs(found) < 0.05 else None)
            raise Mistake(f"{said} gives {found:.6g}; it should be {right}. {why}".rstrip())
    more = "" if both_ways else " Both ways is more exact."
    return f"Each number is nudged by itself, and the others stay as they are.{more}"


CLOSE = "all(abs(s - g) < 0.001 for s, g in zip(slopes, grads))"
LOOP = "for s, g in zip(slopes, grads):\n        if abs(s - g) > 0.001:\n            return False"
SAME = "`up = values` is the same list"

NUDGE = Table(
    "03 nudge",
    head="nudge_check(f, values, backward)",
    right=f"""
{SLOPE_OF_ONE}
def nudge_check(f, values, backward):
    leaves = [Tensor(v) for v in values]
    backward(f(*leaves))
    slopes = [nudged(f, values, i) for i in range(len(values))]
    grads = [leaf.grad for leaf in leaves]
    return {CLOSE}""",
    answers=(
        Right("a loop over the leaves", (f"return {CLOSE}", f"{LOOP}\n    return True")),
        Right("NumPy's answer", (CLOSE, "np.abs(np.array(slopes) - grads).max() < 0.001")),
        Right("nudged one way", (("    down[i] -= 0.001\n", ""), ("0.002", "0.001"))),
        Wrong("the number at the end", "f(*map(Tensor, values)).data is not None", holds="never calls the backward that it is given"),
        Wrong("always True", "True", holds="never calls the backward that it is given"),
        Wrong("ignores its argument", (("def nudge_check", "walk = backward\n\n\ndef nudge_check"), ("    backward(f(", "    walk(f(")), holds="never calls the backward that it is given"),
        Wrong("ignores f", (("backward(f(*leaves))", "backward(leaves[0] * leaves[1])"), ("[nudged(f,", "[nudged(lambda x, y: x * y,")), holds="never calls the f"),
        Wrong("other values", (("in values]\n    backward", "in [5, 7]]\n    backward"), ("[nudged(f, values", "[nudged(f, [5, 7]")), holds="f takes 3 Tensors here"),
        Wrong("the walk proves itself", """
            grads = []
            for _ in range(2):
                leaves = [Tensor(v) for v in values]
                backward(f(*leaves))
                grads.append([leaf.grad for leaf in leaves])
            return grads[0] == grads[1]""", holds="nudge each leaf by itself"),
        Wrong("all at once", (CLOSE, "abs(sum(slopes) - sum(grads)) < 0.001"), holds="nudge each leaf by itself"),
        Wrong("the first leaf only", (CLOSE, "abs(slopes[0] - grads[0]) < 0.001"), holds="after the first leaf"),
        Wrong("the last leaf only", (CLOSE, "abs(slopes[-1] - grads[-1]) < 0.001"), holds="Is every leaf compared"),
        Wrong("return True in the loop", (f"return {CLOSE}", f"{LOOP}\n        return True"), holds="after the first leaf"),
        Wrong("without abs", ("abs(s - g)", "s - g"), holds="too large"),
        Wrong("without abs, turned", ("abs(s - g)", "g - s"), holds="too small"),
        Wrong("no sign", ("abs(s - g)", "abs(abs(s) - abs(g))"), holds="The sign counts"),
        Wrong("the last of three", ("grads))", "grads[:2]))"), holds="the gradient of z was twice"),
        Wrong("equal", (CLOSE, "slopes == grads"), holds="not whether they are equal"),
        Wrong("what backward returns", (("backward(f(", "grads = backward(f("), ("    grads = [leaf.grad for leaf in leaves]\n", "")), holds="backward returns nothing: read t.grad"),
        Wrong("far too lenient", ("< 0.001", "< 1"), holds="no more than 0.001"),
        Wrong("turned round", (CLOSE, "any(abs(s - g) > 0.001 for s, g in zip(slopes, grads))"), holds="exchange the two"),
        Wrong("a number", (CLOSE, "max(abs(s - g) for s, g in zip(slopes, grads))"), holds="answers True or False"),
        Wrong("divided by one nudge", ("/ 0.002", "/ 0.001"), holds="twice the right one"),
        Wrong("no copies", (COPIES, "values, values"), holds=SAME),
        Wrong("the list is changed", ("    return all", "    values[:] = [v + 1 for v in values]\n    return all"), holds="values came back changed"),
        Wrong("plain numbers", ("leaves = [Tensor(v)", "leaves = [v"), holds="f takes Tensors"),
        Wrong("backward of a number", ("backward(f(*leaves))", "backward(f(*leaves).data)"), holds="the Tensor that f returns"),
        Wrong("every leaf of the graph", (("    backward(f(*leaves))", "    end = f(*leaves)\n    backward(end)\n    if len(leaves_of(end)) > len(values):\n        return False"), ("def nudge_check", "def leaves_of(t):\n    return [x for c in t.creators for x in leaves_of(c)] if t.creators else [t]\n\n\ndef nudge_check")), holds="made from `values`"),
        Wrong("printed", (f"return {CLOSE}", f"print({CLOSE})"), holds=PRINTS),
        Wrong("no return True", (f"return {CLOSE}", LOOP), holds="has no `return`"),
        Wrong("one argument too few", "def nudge_check(f, values):\n    return True", holds="hands over 3 argument"),
        Wrong("no function", "answer = True", holds="A function is asked for"),
    ),
    hints=(
        "Make a list of Tensors from the values. Call f(*leaves): the star hands over what is in the list one by one. Walk back with the backward that you are given, and look at each grad.",
        "For every i compare leaves[i].grad with nudged(f, values, i). A nudged slope is off by a little, so ask whether they are closer than 0.001.",
        "As soon as abs(nudged(f, values, i) - leaves[i].grad) is more than 0.001 for one i, return False. After the last one, return True.",
    ),
)  # fmt: skip


@NUDGE.judged
def nudge(function):
    """Judge a function that checks gradients by nudging, with right and wrong walks back."""
    changed = []  # the lists of values that the reader's code has changed

    def says(words, values, walk):
        calls = Calls(words, values, walk)
        said = f"nudge_check, for {words} at {in_words(values)},"
        answer, after_it = reader_s(
            function, said, "def nudge_check(f, values, backward):", calls, calls.backward
        )
        if calls.of_walk == 0:
            raise Mistake(
                "Your check never calls the backward that it is given. It has to judge this one, which may "
                "be another than ours, with a mistake in it."
            )
        if calls.of_f == 0:
            raise Mistake("Your check never calls the f that it is given.")
        if is_changed(after_it, values):
            changed.append(after_it)
        if answer not in (True, False):
            raise Mistake(f"nudge_check answers True or False; yours gave {answer!r:.60}.")
        return bool(answer)

    judge_right_walks(says, changed)
    judge_wrong_walks(says)
    if says("(x + y) * z", (2, 3, 5), scaled((1, 1, 2))):
        raise Mistake(
            "For (x + y) * z at 2, 3 and 5 the gradient of z was twice what it should be: you missed it."
        )
    if not says("(x + 2) * (y * 3 + 4)", (2, 2), walk_back):
        raise Mistake(
            "For (x + 2) * (y * 3 + 4) at 2 and 2 the walk back was right, and you say that it is wrong. f "
            "makes three Tensors of its own: compare those that you made from `values`, and no others."
        )
    return "It lets right gradients pass, and finds a wrong one at every leaf."


PRODUCT = "For x * y at 5 and 7, "


def judge_right_walks(says, changed):
    """Raise Mistake if the reader's check calls a right walk back wrong, or changes its list of values."""
    lets_right_pass = says("x * y", (5, 7), walk_back)
    if not lets_right_pass and says("x * y", (5, 7), swapped):
        raise Mistake(PRODUCT + "you call right gradients wrong, and wrong ones right: exchange the two.")
    if not lets_right_pass and says("x * y", (5, 7), scaled((2, 2))):
        raise Mistake(
            PRODUCT + "the slope that you find is twice the right one. From 0.001 below to 0.001 above it is "
            "0.002: divide by that."
        )
    if not lets_right_pass and (changed or any(says("x * y", (5, 7), scaled((k, k))) for k in (0, 0.5))):
        raise Mistake(
            PRODUCT + "the walk back was right, and you say that it is wrong. The slope that you found is "
            "far off. Did you copy the list? `up = values` is the same list."
        )
    if changed:
        raise Mistake(f"values came back changed, from [5, 7] to {changed[0]}: nudge a copy.")
    if not lets_right_pass or not says("(x * y) * z", (0.1, 0.3, 0.7), walk_back):
        raise Mistake(
            ("For (x * y) * z at 0.1, 0.3 and 0.7 " if lets_right_pass else PRODUCT)
            + "the walk back was right, and you say that it is wrong. A nudged slope is off by a little: ask "
            "whether the two are closer than 0.001, not whether they are equal."
        )


def judge_wrong_walks(says):
    """Raise Mistake if the reader's check calls a wrong walk back right, on x * y."""
    if says("x * y", (5, 7), swapped):
        raise Mistake(
            PRODUCT + "a wrong walk back gave the gradients 5 and 7, and you say that they are right. The "
            "forward number, 35, is right even then, and so is the sum of the two: nudge each leaf by itself."
        )
    missed = {
        factors
        for factors in ((1.01, 1), (0.99, 1), (-1, 1), (1, 1.01), (1, 0.99))
        if says("x * y", (5, 7), scaled(factors))
    }
    if {(1, 1.01), (1, 0.99)} <= missed and (1.01, 1) not in missed:
        raise Mistake(
            PRODUCT + "a wrong walk back gave 7 and 5.05, and you missed it. They should be 7 and 5. Does "
            "your check stop after the first leaf?"
        )
    if {(1.01, 1), (0.99, 1)} <= missed:
        raise Mistake(
            PRODUCT + "a wrong walk back gave 7.07 and 5, and you missed it. They should be 7 and 5. Is "
            "every leaf compared, and by no more than 0.001?"
        )
    for factors, words in (
        ((1.01, 1), "7.07 and 5. A gradient that is too large is wrong as well: compare with abs."),
        ((0.99, 1), "6.93 and 5. A gradient that is too small is wrong as well: compare with abs."),
        ((-1, 1), "-7 and 5. The sign counts."),
    ):
        if factors in missed:
            raise Mistake(PRODUCT + f"a wrong walk back gave, in place of 7 and 5, {words}")
