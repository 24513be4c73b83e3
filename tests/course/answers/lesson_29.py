"""Answers to the exercises of lesson 29."""

from . import Right, Wrong


def function(head, *lines):
    """A function with these lines."""
    name = head.partition("(")[0]
    return "\n    ".join([f"def {head}:", *lines]) + f"\n\n{name}"


def last_use(*lines):
    """A dict of last uses with these lines."""
    return function("last_use(steps, returned)", *lines)


START = "last = {}"
LOOP = "for i, (name, used) in enumerate(steps):"
EACH = "    for x in used:"
ENDS = "last.update({x: len(steps) for x in returned})"
RIGHT = last_use(START, LOOP, EACH, "        last[x] = i", ENDS, "return last")


def most_alive(*lines):
    """A number of values with these lines, and a right `last_use`."""
    return RIGHT.removesuffix("last_use") + function("most_alive(steps, returned)", *lines)


LAST = "last = last_use(steps, returned)"
MADE = "for n, _ in steps[: i + 1])"

ANSWERS = {
    "29 lines": (
        Right("19 and 39", "19, 39"),
        Wrong("the input", "20, 40", "the input"),
        Wrong("without memory", "2**19 - 1, 2**20", "run without memory"),
        Wrong("the result", "2**19, 39", "the result for x = 1"),
        Wrong("one too few", "18, 39", "Each doubling is one node"),
        Wrong("both halves", "38, 39", "the same node"),
        Wrong("no start", "19, 38", "begins with a line"),
        Wrong("forward only", "19, 19", "The walk back has lines, too"),
        Wrong("back only", "19, 20", "forward lines are there"),
        Wrong("a line for each contribution", "19, 58", "Only the sum"),
        Wrong("something else", "19, 100", "count their lines"),
        Wrong("a word", "19, 'many'", "A number is asked for"),
    ),
    "29 last": (
        Right("overwritten", RIGHT),
        Right(
            "from behind",
            last_use(
                "last = dict.fromkeys(returned, len(steps))",
                "for i in reversed(range(len(steps))):",
                "    for x in steps[i][1]:",
                "        last.setdefault(x, i)",
                "return last",
            ),
        ),
        Wrong(
            "the first use",
            last_use(START, LOOP, EACH, "        last.setdefault(x, i)", ENDS, "return last"),
            "its first use",
        ),
        Wrong(
            "without returned",
            last_use(START, LOOP, EACH, "        last[x] = i", "return last"),
            "no entry for",
        ),
        Wrong(
            "where it is made",
            last_use(START, LOOP, "    last[name] = i", ENDS, "return last"),
            "the step that makes it",
        ),
        Wrong(
            "from 1",
            last_use(START, LOOP, EACH, "        last[x] = i + 1", ENDS, "return last"),
            "numbered from 0",
        ),
        Wrong(
            "the last step",
            last_use(
                START,
                LOOP,
                EACH,
                "        last[x] = i",
                ENDS.replace("len(steps)", "len(steps) - 1"),
                "return last",
            ),
            "needed to the end",
        ),
        Wrong("a list", last_use("return [name for name, used in steps]"), "A dict is asked for"),
        Wrong("prints", last_use("print(steps)"), "prints its result"),
    ),
    "29 alive": (
        Right("a sum", most_alive(LAST, f"return max(sum(last[n] > i {MADE} for i in range(len(steps)))")),
        Right(
            "a set",
            most_alive(
                LAST,
                "alive, most = set(), 0",
                "for i, (name, used) in enumerate(steps):",
                "    alive = {x for x in alive | {name} if last[x] > i}",
                "    most = max(most, len(alive))",
                "return most",
            ),
        ),
        Wrong("all", most_alive("return len(steps)"), "That counts all values"),
        Wrong(
            "still used counts",
            most_alive(LAST, f"return max(sum(last[n] >= i {MADE} for i in range(len(steps)))"),
            "no longer alive after it",
        ),
        Wrong("at the end", most_alive("return len(returned)"), "alive at the end"),
        Wrong("always one", most_alive("return 1"), "or the return uses"),
        Wrong("none", most_alive("return 0"), "or the return uses"),
        Wrong("prints", most_alive(LAST, "print(last)"), "prints its result"),
    ),
}
