"""The exercises of lesson 29: the lines of a program, and how long its values live, in two steps."""

from ..checking import Mistake, NotYet, exercise, number
from .calling import call

# -- the lines of a program ----------------------------------------------------------------------------------

FORWARD_KINDS = {
    20: "x itself needs no line: it is the input.",
    2**19 - 1: "That is a run without memory. `order` lists each node once.",
    2**19: "That is the result for x = 1. How many nodes were recorded?",
    18: "Each doubling is one node with one line.",
    38: "Both halves of a doubling are the same node, which has one line.",
}
BOTH_KINDS = {
    19: "That is the way forward alone. The walk back has lines, too.",
    38: "Nearly: the walk back begins with a line for 1 * 1.",
    20: "The forward lines are there as well.",
    40: "The input needs no line.",
    57: "An addition passes on its gradient as it is, without a line. Only the sum of the two needs one.",
    58: "An addition passes on its gradient as it is, without a line. Only the sum of the two needs one.",
    76: "An addition passes on its gradient as it is, without a line. Only the sum of the two needs one.",
}


@exercise(
    "29 lines",
    "Forward: one line for each node that has an operation.",
    "Back: both contributions of a doubling are the gradient itself, and they are added up, in one line.",
    "19 forward, one line for 1 * 1, 19 back.",
)
def lines(forward, both=None):
    """Judge the predicted numbers of lines for 19 doublings, without and with the slope."""
    if forward is None or both is None:
        raise NotYet("two numbers are asked for.")
    for found, right, what, kinds in (
        (number(forward), 19, "forward alone", FORWARD_KINDS),
        (number(both), 39, "with the slope", BOTH_KINDS),
    ):
        if found != right:
            kind = kinds.get(int(found), "Write down the first two doublings, and count their lines.")
            raise Mistake(f"It is not {found:g} for the program {what}. {kind}")
    return "19 forward, 1 where the walk begins, and 19 back."


# -- how long values live ------------------------------------------------------------------------------------

CHAIN = ([("v0", ["x0"]), ("v1", ["v0"]), ("v2", ["v1"])], ["v2"])
WEDGE = (
    [("v0", ["x0"]), ("v1", ["v0"]), ("v2", ["v1"]), ("v3", ["v2", "v1"]), ("v4", ["v3", "v0"])],
    ["v2", "v4"],
)
TWICE = ([("v0", ["x0"]), ("v1", ["v0", "v0"]), ("v2", ["v0", "x0"]), ("v3", ["v1", "v2"])], ["v3"])
EARLY = ([("v0", ["x0"]), ("v1", ["x0"]), ("v2", ["v1"]), ("v3", ["v2"])], ["v0", "v3"])
PROGRAMS = (CHAIN, WEDGE, TWICE, EARLY)


def right_last(steps, returned):
    """The last use of each name that a step makes."""
    last = {name: i for i, (_, used) in enumerate(steps) for name in used}
    last |= dict.fromkeys(returned, len(steps))
    return {name: last[name] for name, _ in steps}


def right_alive(steps, returned):
    """How many values are alive at most after a step."""
    last = right_last(steps, returned)
    made = [name for name, _ in steps]
    return max(sum(last[name] > i for name in made[: i + 1]) for i in range(len(steps)))


def in_text(steps, returned):
    """Steps as lines of a program."""
    parts = [f"{name} uses {' and '.join(used)}" for name, used in steps]
    return f"{', '.join(parts)}, returned: {' and '.join(returned)}"


@exercise(
    "29 last",
    "Go through the steps in order, and write down the number of the step for each name that it uses. "
    "Later steps overwrite earlier ones.",
    "Afterwards the names in returned get len(steps).",
    "for i, (name, used) in enumerate(steps): for x in used: last[x] = i",
)
def last_use(function):
    """Judge the last uses in four small programs."""
    for steps, returned in PROGRAMS:
        copy = [(name, [*used]) for name, used in steps]
        found = call(
            function,
            copy,
            [*returned],
            said="last_use(steps, returned)",
            header="def last_use(steps, returned):",
        )
        if not isinstance(found, dict):
            raise Mistake(f"A dict is asked for, and last_use(steps, returned) gives {found!r:.60}.")
        judge_last(found, steps, returned)
        if copy != steps:
            raise Mistake("The dict is right, but the list of steps has changed. Leave it as it is.")
    return "What is returned lives to the end, and everything else to its last use."


def judge_last(found, steps, returned):
    """Raise Mistake unless these are the last uses."""
    said = f"For {in_text(steps, returned)}:"
    first: dict[str, int] = {}
    for i, (_, used) in enumerate(steps):
        for name in used:
            first.setdefault(name, i)
    for made, (name, right) in enumerate(right_last(steps, returned).items()):
        if name not in found:
            raise Mistake(f"{said} there is no entry for {name}. Each name that a step makes has one.")
        if found[name] == right:
            continue
        kind = "Later steps overwrite what earlier ones have written."
        if right == len(steps):
            kind = f"{name} is returned, so it is needed to the end: len(steps)."
        elif found[name] == made:
            kind = "That is the step that makes it. Which one uses it last?"
        elif found[name] == right + 1:
            kind = "Steps are numbered from 0."
        elif found[name] == first.get(name):
            kind = "That is its first use. Which step uses it last?"
        raise Mistake(f"{said} the last use of {name} is {right}, and yours is {found[name]!r:.20}. {kind}")


@exercise(
    "29 alive",
    "For each step i, count the names made by step i or earlier whose last use is larger than i.",
    "last = last_use(steps, returned), and then last[name] > i for the names of steps[: i + 1].",
    "max(sum(last[name] > i for name, used in steps[: i + 1]) for i in range(len(steps)))",
)
def most_alive(function):
    """Judge the largest number of values alive in four small programs."""
    for steps, returned in PROGRAMS:
        found = number(call(
            function, [(name, [*used]) for name, used in steps], [*returned],
            said="most_alive(steps, returned)", header="def most_alive(steps, returned):",
        ))  # fmt: skip
        right = right_alive(steps, returned)
        if found != right:
            raise Mistake(
                f"For {in_text(steps, returned)}: the most alive at once is {right}, and yours is {found:g}. "
                f"{kind_of_alive(found, right, steps, returned)}"
            )
    return "Forward alone that stays small. With the walk back it grows with every layer."


def kind_of_alive(found, right, steps, returned):
    """The message for a wrong number of values."""
    last = right_last(steps, returned)
    if found == len(steps):
        return "That counts all values. Some have had their last use before others are made."
    if found == max(sum(last[n] >= i for n, _ in steps[: i + 1]) for i in range(len(steps))):
        return "A value that a step uses for the last time is no longer alive after it: last[name] > i."
    if found == sum(last[n] > len(steps) - 1 for n, _ in steps):
        return "That counts what is alive at the end. There may be more on the way."
    if found < right:
        return "Values that a later step or the return uses count, too."
    return "Count only what has been made, and will still be used."
