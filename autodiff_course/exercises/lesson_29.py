"""The exercises of lesson 29: the lines of a program, and how long its values live, in two steps."""

from ..checking import Mistake, NotYet, number
from .calling import call
from .table import PRINTS, Right, Table, Wrong, outcome

# -- the lines of a program ----------------------------------------------------------------------------------

PASSES = "An addition passes on its gradient as it is, without a line. Only the sum of the two needs one."

LINES = Table(
    "29 lines",
    right="19, 39",
    answers=(
        Wrong("the input", ("19", "20"), "x itself needs no line: it is the input."),
        Wrong("without memory", ("19", "2**19 - 1"), "That is a run without memory. `order` lists each node once."),
        Wrong("the result", ("19", "2**19"), "That is the result for x = 1. How many nodes were recorded?"),
        Wrong("one too few", ("19", "18"), "Each doubling is one node with one line."),
        Wrong("both halves", ("19", "38"), "Both halves of a doubling are the same node, which has one line."),
        Wrong("forward only", ("39", "19"), "That is the way forward alone. The walk back has lines, too."),
        Wrong("no start", ("39", "38"), "Nearly: the walk back begins with a line for 1 * 1."),
        Wrong("back only", ("39", "20"), "The forward lines are there as well."),
        Wrong("the input, with the slope", ("39", "40"), "The input needs no line."),
        Wrong("a line for each contribution", ("39", "58"), PASSES),
        Wrong("each contribution, and no start", ("39", "57"), PASSES),
        Wrong("each contribution and their sum", ("39", "76"), PASSES),
        Wrong("something else", ("39", "100")),
        Wrong("a word", ("39", "'many'"), holds="A number is asked for"),
    ),
    otherwise="Write down the first two doublings, and count their lines.",
    hints=(
        "Forward: one line for each node that has an operation.",
        "Back: both contributions of a doubling are the gradient itself, and they are added up, in one line.",
        "19 forward, one line for 1 * 1, 19 back.",
    ),
)


@LINES.judged
def lines(forward, both=None):
    """Judge the predicted numbers of lines for 19 doublings, without and with the slope."""
    if forward is None or both is None:
        raise NotYet("two numbers are asked for.")
    found = number(forward), number(both)
    for place, right, what in ((0, 19, "forward alone"), (1, 39, "with the slope")):
        if found[place] != right:
            why = LINES.why(lambda wrong: wrong[place] == found[place])  # noqa: B023  at once
            raise Mistake(f"It is not {found[place]:g} for the program {what}. {why}")
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


def in_text(steps, returned):
    """Steps as lines of a program."""
    parts = [f"{name} uses {' and '.join(used)}" for name, used in steps]
    return f"{', '.join(parts)}, returned: {' and '.join(returned)}"


LAST_CODE = """
def last_use(steps, returned):
    last = {}
    for i, (name, used) in enumerate(steps):
        for x in used:
            last[x] = i
    last.update({x: len(steps) for x in returned})
    return last
"""

LAST = Table(
    "29 last",
    head="last_use(steps, returned)",
    right=LAST_CODE,
    answers=(
        Right("from behind", """
            last = dict.fromkeys(returned, len(steps))
            for i in reversed(range(len(steps))):
                for x in steps[i][1]:
                    last.setdefault(x, i)
            return last"""),
        Wrong("where it is made", ("for x in used:\n            last[x]", "last[name]"), "That is the step that makes it. Which one uses it last?"),
        Wrong("from 1", ("last[x] = i", "last[x] = i + 1"), "Steps are numbered from 0."),
        Wrong("the first use", ("last[x] = i", "last.setdefault(x, i)"), "That is its first use. Which step uses it last?"),
        Wrong("one early", ("last[x] = i", "last[x] = i - 2")),
        Wrong("without returned", ("last.update({x: len(steps) for x in returned})", "pass"), holds="no entry for"),
        Wrong("the last step", ("len(steps)", "len(steps) - 1"), holds="needed to the end"),
        Wrong("a list", "[name for name, used in steps]", holds="A dict is asked for"),
        Wrong("changes the steps", ("    return last", "    steps.clear()\n    return last"), holds="list of steps has changed"),
        Wrong("prints", "print(steps)", holds=PRINTS),
    ),
    otherwise="Later steps overwrite what earlier ones have written.",
    hints=(
        "Go through the steps in order, and write down the number of the step for each name that it uses. Later steps overwrite earlier ones.",
        "Afterwards the names in returned get len(steps).",
        "for i, (name, used) in enumerate(steps): for x in used: last[x] = i",
    ),
)  # fmt: skip


@LAST.judged
def last_use(function):
    """Judge the last uses in four small programs."""
    for steps, returned in PROGRAMS:
        copy = [(name, [*used]) for name, used in steps]
        said = "last_use(steps, returned)"
        found = call(function, copy, [*returned], said=said, header=f"def {said}:")
        if not isinstance(found, dict):
            raise Mistake(f"A dict is asked for, and {said} gives {found!r:.60}.")
        judge_last(found, steps, returned)
        if copy != steps:
            raise Mistake("The dict is right, but the list of steps has changed. Leave it as it is.")
    return "What is returned lives to the end, and everything else to its last use."


def judge_last(found, steps, returned):
    """Raise Mistake unless these are the last uses."""
    said, last = f"For {in_text(steps, returned)}:", LAST.answer()(steps, returned)
    for name, _ in steps:
        if name not in found:
            raise Mistake(f"{said} there is no entry for {name}. Each name that a step makes has one.")
        mine, right = found[name], last[name]
        if mine == right:
            continue
        why = f"{name} is returned, so it is needed to the end: len(steps)."
        if right < len(steps):
            why = LAST.why(lambda wrong: outcome(wrong, steps, returned)[name] == mine)  # noqa: B023  at once
        raise Mistake(f"{said} the last use of {name} is {right}, and yours is {mine!r:.20}. {why}")


SUM = "sum(last[name] > i for name, used in steps[: i + 1])"

ALIVE = Table(
    "29 alive",
    head="most_alive(steps, returned)",
    right=f"""
{LAST_CODE}
def most_alive(steps, returned):
    last = last_use(steps, returned)
    return max({SUM} for i in range(len(steps)))""",
    answers=(
        Right("a set", (f"return max({SUM} for i in range(len(steps)))", """alive, most = set(), 0
    for i, (name, used) in enumerate(steps):
        alive = {x for x in alive | {name} if last[x] > i}
        most = max(most, len(alive))
    return most""")),
        Wrong("all", "len(steps)", "That counts all values. Some have had their last use before others are made."),
        Wrong("still used counts", ("> i", ">= i"), "A value that a step uses for the last time is no longer alive after it: last[name] > i."),
        Wrong("at the end", "len(returned)", "That counts what is alive at the end. There may be more on the way."),
        Wrong("too many", ("max(", "7 + max(")),
        Wrong("always one", "1", holds="or the return uses"),
        Wrong("none", "0", holds="or the return uses"),
        Wrong("prints", (f"return max({SUM} for i in range(len(steps)))", "print(last)"), holds=PRINTS),
    ),
    otherwise="Count only what has been made, and will still be used.",
    hints=(
        "For each step i, count the names made by step i or earlier whose last use is larger than i.",
        "last = last_use(steps, returned), and then last[name] > i for the names of steps[: i + 1].",
        "max(sum(last[name] > i for name, used in steps[: i + 1]) for i in range(len(steps)))",
    ),
)  # fmt: skip


@ALIVE.judged
def most_alive(function):
    """Judge the largest number of values alive in four small programs."""
    for steps, returned in PROGRAMS:
        given, said = [(name, [*used]) for name, used in steps], "most_alive(steps, returned)"
        found = number(call(function, given, [*returned], said=said, header=f"def {said}:"))
        right = ALIVE.answer()(steps, returned)
        if found != right:
            fewer = "Values that a later step or the return uses count, too." if found < right else None
            why = ALIVE.why(lambda wrong: outcome(wrong, steps, returned) == found, otherwise=fewer)  # noqa: B023
            text = in_text(steps, returned)
            raise Mistake(f"For {text}: the most alive at once is {right}, and yours is {found:g}. {why}")
    return "Forward alone that stays small. With the walk back it grows with every layer."
