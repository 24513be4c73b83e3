"""The exercises of lesson 37: gradients averaged, a parameter server, parts that no worker may lose, and how
many workers pay."""

import math

import numpy as np

from ..checking import Mistake, NotYet, exercise, number
from ..runs.lesson_37 import Died
from ..runs.lesson_37 import average as right_average
from .calling import call, check_class
from .shared import listed, predicted, same

# -- two parts of unequal size ------------------------------------------------------------------------------

MEAN_KINDS: dict[float, str] = {
    4: "That is the mean of 2 and 6. But three examples have the gradient 2 on average, and one has 6.",
    8: "That is the sum of the two means.",
    12: "That is the sum over the four examples. The gradient of a mean loss is divided by 4.",
    5: "The part with three examples has the mean 2, not 6.",
    6: "That is the sum of the first part, or the mean of the second. Add both sums, and divide by 4.",
    2: "That is the first worker alone.",
}


@exercise(
    "37 mean",
    "Three examples with the mean 2 have together 6. What do all four have together?",
    "6 from the first worker and 6 from the second are 12, for four examples.",
    "12 divided by 4 is 3.",
)
def mean(guess):
    """Judge the gradient of a batch of which two workers have unequal parts."""
    predicted(guess, 3, MEAN_KINDS, "Add up the gradients of all four examples, and divide by 4.")
    return "(3 * 2 + 1 * 6) / 4: a mean counts by the number of examples behind it."


# -- the average of the gradients ---------------------------------------------------------------------------

PARTS = (
    ([[np.array([2.0])], [np.array([6.0])]], [3, 3]),
    ([[np.array([2.0, 0.0])], [np.array([6.0, 4.0])]], [3, 1]),
    (
        [
            [np.array([[1.0, 2.0]]), np.array(4.0)],
            [np.array([[3.0, 0.0]]), np.array(0.0)],
            [np.array([[-1.0, 4.0]]), np.array(8.0)],
        ],
        [1, 2, 5],
    ),
)

AVERAGE_KINDS = (
    (
        lambda gradients, counts: right_average(gradients, [1] * len(counts)),
        "Each worker counts the same in it. A worker with more examples has to count more.",
    ),
    (
        lambda gradients, counts: [sum(each) for each in zip(*gradients)],
        "That is the sum over the workers.",
    ),
    (
        lambda gradients, counts: [sum(c * g for c, g in zip(counts, each)) for each in zip(*gradients)],
        "That is the sum over all examples. Divide by how many there are together.",
    ),
    (
        lambda gradients, counts: [
            sum(c * g for c, g in zip(counts, each)) / len(counts) for each in zip(*gradients)
        ],
        "It is divided by the number of workers. Divide by the number of examples.",
    ),
    (
        lambda gradients, counts: [
            sum(g / c for c, g in zip(counts, each)) / sum(1 / c for c in counts) for each in zip(*gradients)
        ],
        "The worker with fewer examples counts more. Multiply by its count.",
    ),
    (lambda gradients, counts: gradients[0], "Those are the gradients of the first worker."),
    (
        lambda gradients, counts: [(3 * each[0] + each[1]) / 4 for each in zip(*gradients)],
        "It has the 3 and the 4 of the example in it. Use counts.",
    ),
)


@exercise(
    "37 average",
    "zip(*gradients) gives for each parameter what the workers have for it.",
    "The share of a worker is its count divided by sum(counts).",
    "[sum(c * g for c, g in zip(counts, each)) / sum(counts) for each in zip(*gradients)]",
)
def average(function):
    """Judge the average of the workers' gradients, weighted by their examples."""
    for gradients, counts in PARTS:
        said = f"average for the gradients {listed_all(gradients)} and the counts {counts}"
        given = [[g.copy() for g in each] for each in gradients]
        header = "def average(gradients, counts):"
        found = call(function, given, list(counts), said=said, header=header)
        if isinstance(found, np.ndarray) or not isinstance(found, (list, tuple)):
            raise Mistake(
                f"{said} gives {found!r:.60}. A list of arrays is asked for, one for each parameter."
            )
        wanted = right_average(gradients, counts)
        if len(found) != len(wanted):
            raise Mistake(
                f"{said} gives {len(found)} arrays; it should give {len(wanted)}: one for each parameter."
            )
        if not equal(found, wanted):
            kinds = (kind for wrong, kind in AVERAGE_KINDS if equal(found, wrong(gradients, counts)))
            kind = next(kinds, "Multiply each gradient by the count of its worker, add, and divide.")
            raise Mistake(f"{said} gives {listed(found[0])} first; it should be {listed(wanted[0])}. {kind}")
        if any(not np.array_equal(g, old) for a, b in zip(given, gradients) for g, old in zip(a, b)):
            raise Mistake(f"{said} is right, but the gradients of a worker were changed. Make new arrays.")
    return "Each example counts once, whoever computed its gradient."


def listed_all(gradients):
    """The gradients of all workers, as one would type them."""
    return f"[{', '.join('[' + ', '.join(map(listed, each)) + ']' for each in gradients)}]"


def equal(found, wanted):
    """Whether two lists of arrays are the same."""
    return len(found) == len(wanted) and all(same(np.asarray(f, float), w) for f, w in zip(found, wanted))


# -- a parameter server -------------------------------------------------------------------------------------

SERVER_HEADER = "class Server:"


@exercise(
    "37 server",
    "pull: return self.version and a copy of each weight, [w.copy() for w in self.weights].",
    "push: the step is w - self.rate * g for each weight w and its gradient g, in new arrays.",
    "push ends with self.lags.append(self.version - version), and then self.version += 1.",
)
def server(kind):
    """Judge a parameter server by two workers that take turns."""
    check_class(kind, "Server")
    start = [np.array([1.0, 2.0]), np.array(3.0)]
    made = kind([w.copy() for w in start], 0.5)
    said = "Server([[1, 2], 3], 0.5)"
    first, weights = pulled(made, f"{said}: pull()")
    if first != 0:
        raise Mistake(f"{said}: before any push, pull() gives the version {first!r}; it should be 0.")
    expect(weights, start, f"{said}: pull()", "The weights of this moment are asked for.")
    step = [np.array([2.0, 0.0]), np.array(-2.0)]
    call_push(made, 0, step)
    right = [np.array([0.0, 2.0]), np.array(4.0)]
    second, moved = pulled(made, "pull() after one push")
    if not equal(moved, right):
        raise Mistake(
            f"{said}: after push(0, [[2, 0], -2]), pull() gives {', '.join(map(listed, moved))}; it should "
            f"be {', '.join(map(listed, right))}. {kind_of_push(moved, start, step)}"
        )
    if not equal(weights, start):
        raise Mistake("A push has changed the weights that a worker had pulled before. Let pull give copies.")
    if second != 1:
        raise Mistake(f"After one push, pull() gives the version {second!r}; it should be 1.")
    moved[0] += 5
    if not equal(pulled(made, "pull() after one push")[1], right):
        raise Mistake(
            "A worker has added 5 to the weights that it had pulled, and the server's have changed too. Let "
            "pull give copies: [w.copy() for w in self.weights]."
        )
    for version, which in ((0, "second"), (1, "third")):
        call_push(made, version, step)
        right = [w - 0.5 * g for w, g in zip(right, step)]
        expect(
            pulled(made, f"pull() after the {which} push")[1], right, f"After the {which} push, pull()",
            "Each push takes a full step, however old its gradient is.",
        )  # fmt: skip
    if not isinstance(made.lags, list):
        raise Mistake(f"lags is {made.lags!r:.60}; it should be a list. Append each lag to it.")
    if made.lags != [0, 1, 1]:
        raise Mistake(
            f"After pushes with the versions 0, 0 and 1, lags is {made.lags}; it should be [0, 1, 1]: "
            "the steps that were taken since the pull, this one not counted."
        )
    slower = kind([w.copy() for w in start], 0.25)
    call_push(slower, 0, step)
    expect(
        pulled(slower, "pull() after one push")[1], [w - 0.25 * g for w, g in zip(start, step)],
        "Server([[1, 2], 3], 0.25): after push(0, [[2, 0], -2]), pull()", "The step depends on self.rate.",
    )  # fmt: skip
    return "It has no idea who its workers are, nor how many."


def pulled(made, said):
    """What pull gives, as a version and a list of arrays."""
    found = call(made.pull, said=said)
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], (list, tuple)):
        raise Mistake(f"{said} gives the weights first. They are exchanged: first the version.")
    if not isinstance(found, tuple) or len(found) != 2 or not isinstance(found[1], (list, tuple)):
        raise Mistake(f"{said} gives {found!r:.60}; it should be a pair: the version and the weights.")
    return found


def call_push(made, version, gradient):
    """Push a gradient, in arrays of its own."""
    try:
        made.push(version, [g.copy() for g in gradient])
    except TypeError as error:
        raise Mistake(f"push(version, gradient) stopped with TypeError: {error}") from None


def expect(found, wanted, said, why):
    """Raise Mistake unless the arrays are the wanted ones."""
    if not equal(found, wanted):
        shown = ", ".join(listed(f) for f in found)
        raise Mistake(f"{said} gives {shown}; it should be {', '.join(map(listed, wanted))}. {why}")


def kind_of_push(found, start, step):
    """A sentence about wrong weights after a push."""
    kinds = (
        (start, "Nothing has moved. Keep the new weights in self.weights."),
        ([w + 0.5 * g for w, g in zip(start, step)], "It went uphill: subtract."),
        ([w - g for w, g in zip(start, step)], "The rate is missing."),
        ([-0.5 * g for g in step], "Subtract from the weights; do not replace them."),
    )
    return next((kind for wrong, kind in kinds if equal(found, wrong)), "w - self.rate * g is asked for.")


# -- how old a gradient is ----------------------------------------------------------------------------------

LAG_KINDS: dict[float, str] = {
    4: "While a worker calculates, each of the other three pushes once. Its own push does not count.",
    0: "That would be so if it were alone. What do the others do meanwhile?",
    1: "All three others push while it calculates, not only one.",
    2: "How many others are there? Each pushes once while it calculates.",
    12: "In the time of one of its own steps, each other worker takes one step.",
}


@exercise(
    "37 lag",
    "All four take the same time. Between the pull and the push of one worker, how often does another push?",
    "Once each. And there are three others.",
    "The server has taken 3 steps meanwhile.",
)
def lag(guess):
    """Judge how many steps old the gradients of four equally fast workers are."""
    predicted(guess, 3, LAG_KINDS, "Count the pushes of the others between its pull and its push.")
    return "With n equally fast workers it is n - 1."


# -- nothing is lost ----------------------------------------------------------------------------------------


class Team:
    """Workers that note what they are asked. Some die at their n-th part."""

    def __init__(self, count, dies):
        self.asked: list[list[int]] = [[] for _ in range(count)]
        self.dies = dies
        self.workers = [self.worker(k) for k in range(count)]

    def worker(self, k):
        """Worker k."""

        def work(part):
            self.asked[k].append(part)
            if len(self.asked[k]) >= self.dies.get(k, 99):
                raise Died
            return 10 * part

        return work


TEAMS: tuple[tuple[str, list[int], int, dict[int, int]], ...] = (
    ("three parts and one worker", [1, 2, 3], 1, {}),
    ("four parts and two workers", [1, 2, 3, 4], 2, {}),
    ("four parts and two workers, of which the first dies at its second part", [1, 2, 3, 4], 2, {0: 2}),
    ("three parts and three workers, of which two die at once", [1, 2, 3], 3, {0: 1, 1: 1}),
)


@exercise(
    "37 hand out",
    "For each part: try worker after worker, until one gives a result.",
    "try: result = alive[0](part), and except Died: alive.pop(0). Repeat until there is a result.",
    "After a result: alive.append(alive.pop(0)), so that the next part goes to the next worker.",
)
def hand_out(function):
    """Judge whether every part is done once, by workers some of whom die."""
    for what, parts, count, dies in TEAMS:
        team = Team(count, dies)
        said = f"hand_out for {what}"
        given = list(team.workers)
        try:
            found = call(function, list(parts), given, said=said, header="def hand_out(parts, workers):")
        except Died:
            raise Mistake(f"{said} stopped with Died. Catch it: try: ... except Died: ...") from None
        judge_hand_out(found, parts, team, given, said)
    judge_errors(function)
    return "A worker may die at any moment, and no part is lost."


def judge_hand_out(found, parts, team, given, said):
    """Raise Mistake unless all parts were done, and nobody was asked after its death."""
    wanted = [10 * part for part in parts]
    if not isinstance(found, (list, tuple)):
        raise Mistake(f"{said} gives {found!r:.60}. A list of results is asked for.")
    found = list(found)
    if found != wanted:
        lost = [part for part, result in zip(parts, wanted) if result not in found]
        if lost:
            kind = f"Part {lost[0]} is lost: it has to go to another worker."
        elif None in found:
            kind = "A dead worker has no result. Leave it out."
        elif len(found) > len(wanted):
            kind = "A part was done twice."
        else:
            kind = "They should stand in the order of the parts."
        raise Mistake(f"{said} gives {found}; it should give {wanted}. {kind}")
    for k, asked in enumerate(team.asked):
        if len(asked) > team.dies.get(k, 99):
            raise Mistake(f"{said}: a dead worker was asked again. Take it off the list.")
    if len(team.asked) > 1 and not team.dies and max(map(len, team.asked)) == len(parts):
        raise Mistake(f"{said}: one worker did it all. They should take turns.")
    if given != team.workers:
        raise Mistake(f"{said} is right, but the caller's list was changed. Make a list of your own.")


def judge_errors(function):
    """Raise Mistake unless there is an error where no worker is left, and where one has a mistake in it."""
    said = "hand_out for three parts and two workers that both die at once"
    try:
        found = call(function, [1, 2, 3], Team(2, {0: 1, 1: 1}).workers, said=said)
    except (Mistake, NotYet):
        raise
    except Exception:  # noqa: BLE001  any error says that the work was not done
        pass
    else:
        raise Mistake(f"{said} gives {found!r:.60}. Raise an error if no worker is left.")

    def mistaken(part):
        raise ValueError("a mistake in the program")

    said = "hand_out for three parts and two workers, of which one raises ValueError"
    try:
        call(function, [1, 2, 3], [mistaken, *Team(1, {}).workers], said=said)
    except ValueError:
        return
    raise Mistake(f"{said} goes on as if it had died, and the mistake stays hidden. Catch Died alone.")


# -- how many workers pay -----------------------------------------------------------------------------------


@exercise(
    "37 step time",
    "The calculation is divided by the workers: work / workers.",
    "Each worker needs its own message to the server, one after the other: workers * message.",
    "return work / workers + workers * message",
)
def step_time(function):
    """Judge the time of a step with so many workers."""
    kinds = (
        (lambda n, c, m: c / n + m, "Each worker sends a message, and the server takes them one by one."),
        (lambda n, c, m: c + n * m, "The calculation is shared: divide it by the workers."),
        (lambda n, c, m: c / n, "The messages are missing."),
        (lambda n, c, m: (c + m) / n, "The messages are not shared: each worker sends one of its own."),
        (lambda n, c, m: (c + n * m) / n, "Only the calculation is shared."),
        (lambda n, c, m: c // n + n * m, "// leaves out what is behind the point. Divide with /."),
    )
    for n, work, message in ((1, 100.0, 1.0), (4, 100.0, 1.0), (8, 60.0, 2.0)):
        said = f"step_time({n}, {work:g}, {message:g})"
        header = "def step_time(workers, work, message):"
        found = number(call(function, n, work, message, said=said, header=header))
        right = work / n + n * message
        if abs(found - right) > 1e-6:
            kind = next(
                (kind for wrong, kind in kinds if abs(found - wrong(n, work, message)) < 1e-6),
                "It has two parts: one gets smaller with more workers, the other larger.",
            )
            raise Mistake(f"{said} gives {found:.6g}; it should give {right:.6g}. {kind}")
    return "One part gets smaller with more workers, and the other larger."


@exercise(
    "37 best",
    "Try 1, 2, 3 and so on with step_time, and keep the number with the smallest time.",
    "The slope of work / n + n * message with respect to n is -work / n**2 + message. Where is it 0?",
    "min(range(1, 1000), key=lambda n: step_time(n, work, message))",
)
def best(function):
    """Judge the number of workers with the shortest step."""
    cases = ((100, 1), (100, 25), (8, 1), (1, 5), (6400, 1), (2.2, 1), (5, 1), (10, 1))
    for work, message in cases:
        said = f"best({work:g}, {message:g})"
        header = "def best(work, message):"
        found = number(call(function, float(work), float(message), said=said, header=header))
        times = {n: work / n + n * message for n in range(1, 500)}
        right = min(times, key=times.__getitem__)
        if abs(found - right) > 1e-6:
            kind = "Which number of workers has the smallest work / n + n * message?"
            if abs(found - times[right]) < 1e-6:
                kind = "That is the time itself. How many workers have it?"
            elif abs(found - (work / message) ** 0.5) < 1e-6:
                kind = "There are only whole workers, and at least one. Try the two whole numbers beside it."
            elif found == max(1, round((work / message) ** 0.5)):
                kind = "The whole number nearest to the root is not always the best. Compare both beside it."
            elif found == math.ceil((work / message) ** 0.5):
                kind = "The root rounded up is not always the best. Compare both whole numbers beside it."
            elif found == max(1, math.floor((work / message) ** 0.5)):
                kind = "The root rounded down is not always the best. Compare both whole numbers beside it."
            elif abs(found - work / message) < 1e-6:
                kind = "There the messages take as long as the whole calculation. The best is before."
            raise Mistake(f"{said} gives {found:.6g}; it should give {right}. {kind}")
    return "It is near the square root of work / message."
