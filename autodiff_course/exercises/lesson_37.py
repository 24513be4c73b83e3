"""The exercises of lesson 37: gradients averaged, a parameter server, parts that no worker may lose, and how
many workers pay."""

import numpy as np

from ..checking import Mistake, NotYet
from ..runs.lesson_37 import Died
from .calling import call, check_class
from .shared import close, listed, same
from .table import PRINTS, Guess, Right, Stop, Table, Task, Wrong, advice, as_number, unchanged

# -- two parts of unequal size ------------------------------------------------------------------------------

Guess(
    "37 mean",
    right="(3 * 2 + 1 * 6) / 4",
    answers=(
        Right("a number", "3"),
        Wrong("the mean of the means", "4", "That is the mean of 2 and 6. But three examples have the gradient 2 on average, and one has 6."),
        Wrong("the sum of the means", "8", "That is the sum of the two means."),
        Wrong("the sum", "12", "That is the sum over the four examples. The gradient of a mean loss is divided by 4."),
        Wrong("exchanged", "5", "The part with three examples has the mean 2, not 6."),
        Wrong("six", "6", "That is the sum of the first part, or the mean of the second. Add both sums, and divide by 4."),
        Wrong("the first", "2", "That is the first worker alone."),
        Wrong("something else", "7"),
        Wrong("a word", "'much'", holds="A number is asked for"),
    ),
    otherwise="Add up the gradients of all four examples, and divide by 4.",
    praise="(3 * 2 + 1 * 6) / 4: a mean counts by the number of examples behind it.",
    hints=(
        "Three examples with the mean 2 have together 6. What do all four have together?",
        "6 from the first worker and 6 from the second are 12, for four examples.",
        "12 divided by 4 is 3.",
    ),
)

# -- the average of the gradients ---------------------------------------------------------------------------


def equal(found, right):
    """Whether two lists of arrays are the same."""
    return len(found) == len(right) and all(same(np.asarray(f, float), w) for f, w in zip(found, right))


def arrays_of(answer, said):
    """A reader's list of arrays."""
    if not isinstance(answer, list | tuple):
        raise Mistake(f"{said} gives {answer!r:.60}. A list of arrays is asked for, one for each parameter.")
    return answer


def other_count(found, right, said):
    """Raise Mistake for another number of arrays."""
    if len(found) != len(right):
        raise Mistake(f"{said} gives {len(found)} arrays; it should give {len(right)}: one for each parameter.")


def gradients_and_counts(case):
    """The call of a case in words."""
    workers = (f"[{', '.join(map(listed, each))}]" for each in case[0])
    return f"average for the gradients [{', '.join(workers)}] and the counts {case[1]}"


COUNTED, ALL = "sum(c * g for c, g in zip(counts, each))", "sum(counts)"

Task(
    "37 average",
    head="average(gradients, counts)",
    right=f"[{COUNTED} / {ALL} for each in zip(*gradients)]",
    cases=(
        ([[[2.0]], [[6.0]]], [3, 3]),
        ([[[2.0, 0.0]], [[6.0, 4.0]]], [3, 1]),
        ([[[[1.0, 2.0]], 4.0], [[[3.0, 0.0]], 0.0], [[[-1.0, 4.0]], 8.0]], [1, 2, 5]),
    ),
    answers=(
        Right("np.average", "[np.average(np.array(each), axis=0, weights=counts) for each in zip(*gradients)]"),
        Wrong("the plain mean", "[sum(each) / len(each) for each in zip(*gradients)]", "Each worker counts the same in it. A worker with more examples has to count more."),
        Wrong("the sum", "[sum(each) for each in zip(*gradients)]", "That is the sum over the workers."),
        Wrong("not divided", (f" / {ALL}", ""), "That is the sum over all examples. Divide by how many there are together."),
        Wrong("divided by the workers", (ALL, "len(counts)"), "It is divided by the number of workers. Divide by the number of examples."),
        Wrong("the other way round", (("c * g", "g / c"), (ALL, "sum(1 / c for c in counts)")), "The worker with fewer examples counts more. Multiply by its count."),
        Wrong("the first", "gradients[0]", "Those are the gradients of the first worker."),
        Wrong("the numbers of the example", "[(3 * each[0] + each[1]) / 4 for each in zip(*gradients)]", "It has the 3 and the 4 of the example in it. Use counts."),
        Wrong("zeros", "[0 * g for g in gradients[0]]"),
        Wrong("for each worker", "[c * each[0] for c, each in zip(counts, gradients)]", holds="one for each parameter"),
        Wrong("one array", "np.array([1.0])", holds="A list of arrays"),
        Wrong("in place", """
            for each, c in zip(gradients, counts):
                for g in each:
                    g *= c / sum(counts)
            return [sum(each) for each in zip(*gradients)]""", holds="were changed"),
        Wrong("prints", "print(gradients)", holds=PRINTS),
        Wrong("without counts", "lambda gradients: gradients", holds="counts"),
    ),
    otherwise="Multiply each gradient by the count of its worker, add, and divide.",
    praise="Each example counts once, whoever computed its gradient.",
    hints=(
        "zip(*gradients) gives for each parameter what the workers have for it.",
        "The share of a worker is its count divided by sum(counts).",
        "[sum(c * g for c, g in zip(counts, each)) / sum(counts) for each in zip(*gradients)]",
    ),
    inputs=lambda case, function: [[[np.array(g) for g in each] for each in case[0]], list(case[1])],
    said=gradients_and_counts,
    read=arrays_of,
    equal=equal,
    alike=equal,
    unequal=other_count,
    message="{said} gives {gives} first; it should be {wanted}. {why}",
    shown=lambda arrays: listed(arrays[0]),
    after=unchanged("{said} is right, but the gradients of a worker were changed. Make new arrays.", 0, equal=lambda given, other: all(map(equal, given, other))),
)  # fmt: skip

# -- a parameter server -------------------------------------------------------------------------------------

SERVER = Table(
    "37 server",
    right="""
        class Server:
            def __init__(self, weights, rate):
                self.weights, self.rate = [w.copy() for w in weights], rate
                self.version, self.lags = 0, []

            def pull(self):
                return self.version, [w.copy() for w in self.weights]

            def push(self, version, gradient):
                self.weights = [w - self.rate * g for w, g in zip(self.weights, gradient)]
                self.lags.append(self.version - version)
                self.version += 1""",
    answers=(
        Right("in place, with copies", ("self.weights = [w - self.rate * g for w, g in zip(self.weights, gradient)]", "for w, g in zip(self.weights, gradient):\n            w -= self.rate * g")),
        Wrong("nothing kept", ("self.weights = [w -", "weights = [w -"), "Nothing has moved. Keep the new weights in self.weights."),
        Wrong("uphill", ("w - self.rate", "w + self.rate"), "It went uphill: subtract."),
        Wrong("no rate", ("self.rate * g", "g"), "The rate is missing."),
        Wrong("replaced", ("w - self.rate", "-self.rate"), "Subtract from the weights; do not replace them."),
        Wrong("half a step", ("self.rate * g", "self.rate * g / 2")),
        Wrong("the weights themselves", ("[w.copy() for w in self.weights]", "self.weights"), holds="added 5"),
        Wrong("a new list of the same arrays", ("[w.copy() for w in self.weights]", "list(self.weights)"), holds="added 5"),
        Wrong("no copies", (("self.weights = [w - self.rate * g for w, g in zip(self.weights, gradient)]", "for w, g in zip(self.weights, gradient):\n            w -= self.rate * g"), ("[w.copy() for w in self.weights]", "self.weights")), holds="had pulled before"),
        Wrong("no version", ("self.version += 1", "pass"), holds="should be 1"),
        Wrong("lag counted after the step", ("self.version - version", "self.version + 1 - version"), holds="this one not counted"),
        Wrong("the version as the lag", ("self.version - version", "version"), holds="[0, 1, 1]"),
        Wrong("weights alone", ("return self.version, ", "return "), holds="a pair"),
        Wrong("exchanged", ("return self.version, [w.copy() for w in self.weights]", "return [w.copy() for w in self.weights], self.version"), holds="first the version"),
        Wrong("the rate of the example", ("self.rate * g", "0.5 * g"), holds="depends on self.rate"),
        Wrong("stale gradients thrown away", ("self.weights = [w -", "if version == self.version:\n            self.weights = [w -"), holds="however old"),
        Wrong("one step alone", ("self.weights = [w -", "if self.version == 0:\n            self.weights = [w -"), holds="however old"),
        Wrong("smaller steps for stale gradients", ("self.rate * g", "self.rate / (1 + self.version - version) * g"), holds="however old"),
        Wrong("the last lag alone", ("self.lags.append(self.version - version)", "self.lags = self.version - version"), holds="Append each lag"),
        Wrong("from 1", ("= 0, []", "= 1, []"), holds="it should be 0"),
        Wrong("other weights at the beginning", ("w.copy() for w in weights", "0 * w for w in weights"), holds="The weights of this moment"),
        Wrong("push without a version", ("push(self, version, gradient)", "push(self, gradient)"), holds="push(version, gradient) stopped with TypeError"),
        Wrong("an instance", "class Server:\n    pass\nServer()", holds="without brackets"),
    ),
    otherwise="w - self.rate * g is asked for.",
    hints=(
        "pull: return self.version and a copy of each weight, [w.copy() for w in self.weights].",
        "push: the step is w - self.rate * g for each weight w and its gradient g, in new arrays.",
        "push ends with self.lags.append(self.version - version), and then self.version += 1.",
    ),
)  # fmt: skip
START, GRADIENT = (np.array([1.0, 2.0]), np.array(3.0)), (np.array([2.0, 0.0]), np.array(-2.0))


@SERVER.judged
def server(kind):
    """Judge a parameter server by two workers that take turns."""
    check_class(kind, "Server")
    made, said = kind([w.copy() for w in START], 0.5), "Server([[1, 2], 3], 0.5)"
    first, weights = pulled(made, f"{said}: pull()")
    if first != 0:
        raise Mistake(f"{said}: before any push, pull() gives the version {first!r}; it should be 0.")
    expect(weights, START, f"{said}: pull()", "The weights of this moment are asked for.")
    push(made, 0)
    right = stepped(START)
    second, moved = pulled(made, "pull() after one push")
    if not equal(moved, right):
        why = SERVER.why(lambda wrong: equal(moved, after_a_push(wrong)), kind)
        expect(moved, right, f"{said}: after push(0, [[2, 0], -2]), pull()", why)
    if not equal(weights, START):
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
        push(made, version)
        right, found = stepped(right), pulled(made, f"pull() after the {which} push")[1]
        why = "Each push takes a full step, however old its gradient is."
        expect(found, right, f"After the {which} push, pull()", why)
    if not isinstance(made.lags, list):
        raise Mistake(f"lags is {made.lags!r:.60}; it should be a list. Append each lag to it.")
    if made.lags != [0, 1, 1]:
        raise Mistake(
            f"After pushes with the versions 0, 0 and 1, lags is {made.lags}; it should be [0, 1, 1]: "
            "the steps that were taken since the pull, this one not counted."
        )
    said = "Server([[1, 2], 3], 0.25): after push(0, [[2, 0], -2]), pull()"
    expect(after_a_push(kind, 0.25), stepped(START, 0.25), said, "The step depends on self.rate.")
    return "It has no idea who its workers are, nor how many."


def stepped(weights, rate=0.5):
    """Weights after a step."""
    return [w - rate * g for w, g in zip(weights, GRADIENT)]


def after_a_push(kind, rate=0.5):
    """The weights of a new server after one push."""
    made = kind([w.copy() for w in START], rate)
    push(made, 0)
    return pulled(made, "pull() after one push")[1]


def pulled(made, said):
    """What pull gives, as a version and a list of arrays."""
    found = call(made.pull, said=said)
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], (list, tuple)):
        raise Mistake(f"{said} gives the weights first. They are exchanged: first the version.")
    if not isinstance(found, tuple) or len(found) != 2 or not isinstance(found[1], (list, tuple)):
        raise Mistake(f"{said} gives {found!r:.60}; it should be a pair: the version and the weights.")
    return found


def push(made, version):
    """Push the gradient, in arrays of its own."""
    with advice(Stop(TypeError, "push(version, gradient) stopped with TypeError: {error}")):
        made.push(version, [g.copy() for g in GRADIENT])


def expect(found, right, said, why):
    """Raise Mistake unless the arrays are the right ones."""
    if not equal(found, right):
        gives, wanted = (", ".join(map(listed, arrays)) for arrays in (found, right))
        raise Mistake(f"{said} gives {gives}; it should be {wanted}. {why}")


# -- how old a gradient is ----------------------------------------------------------------------------------

Guess(
    "37 lag",
    right="4 - 1",
    answers=(
        Right("a number", "3"),
        Wrong("all four", "4", "While a worker calculates, each of the other three pushes once. Its own push does not count."),
        Wrong("none", "0", "That would be so if it were alone. What do the others do meanwhile?"),
        Wrong("one", "1", "All three others push while it calculates, not only one."),
        Wrong("two", "2", "How many others are there? Each pushes once while it calculates."),
        Wrong("twelve", "12", "In the time of one of its own steps, each other worker takes one step."),
        Wrong("something else", "7"),
    ),
    otherwise="Count the pushes of the others between its pull and its push.",
    praise="With n equally fast workers it is n - 1.",
    hints=(
        "All four take the same time. Between the pull and the push of one worker, how often does another push?",
        "Once each. And there are three others.",
        "The server has taken 3 steps meanwhile.",
    ),
)

# -- nothing is lost ----------------------------------------------------------------------------------------

HAND_OUT = Table(
    "37 hand out",
    head="hand_out(parts, workers)",
    right="""
        from autodiff_course.runs.lesson_37 import Died
        alive, results = list(workers), []
        for part in parts:
            result = None
            while result is None:
                try:
                    result = alive[0](part)
                    alive.append(alive.pop(0))
                except Died:
                    alive.pop(0)
            results.append(result)
        return results""",
    answers=(
        Right("a function that calls itself", """
            from autodiff_course.runs.lesson_37 import Died
            alive, turn = list(workers), 0
            def done(part):
                nonlocal turn
                turn += 1
                worker = alive[turn % len(alive)]
                try:
                    return worker(part)
                except Died:
                    alive.remove(worker)
                    return done(part)
            return [done(part) for part in parts]"""),
        Right("an error of its own", ("    try:", "    if not alive:\n                raise RuntimeError('nobody is left')\n            try:")),
        Wrong("nothing when all are dead", ("while result", "while alive and result"), holds="Raise an error if no worker is left"),
        Wrong("a loop without end when all are dead", ("    try:", "    if not alive:\n                continue\n            try:"), holds="Does a loop never end"),
        Wrong("every error is a death", ("except Died", "except Exception"), holds="Catch Died alone"),
        Wrong("every error is a death, without a name", ("except Died", "except"), holds="Catch Died alone"),
        Wrong("lost", ("while result is None", "for _ in range(1)"), holds="is lost"),
        Wrong("not caught", "[workers[k % len(workers)](part) for k, part in enumerate(parts)]", holds="Catch it"),
        Wrong("asked again", ("except Died:\n                alive.pop(0)", "except Died:\n                alive.append(alive.pop(0))"), holds="asked again"),
        Wrong("one does it all", ("                alive.append(alive.pop(0))\n", ""), holds="take turns"),
        Wrong("twice", ("append(result)", "extend([result, result])"), holds="done twice"),
        Wrong("a gap", ("except Died:", "except Died:\n                results.append(None)"), holds="A dead worker has no result"),
        Wrong("backwards", ("return results", "return results[::-1]"), holds="order of the parts"),
        Wrong("text", ("return results", "return str(results)"), holds="A list of results is asked for"),
        Wrong("the caller's list", ("list(workers)", "workers"), holds="list of your own"),
        Wrong("prints", ("return results", "print(results)"), holds=PRINTS),
    ),
    hints=(
        "For each part: try worker after worker, until one gives a result.",
        "try: result = alive[0](part), and except Died: alive.pop(0). Repeat until there is a result.",
        "After a result: alive.append(alive.pop(0)), so that the next part goes to the next worker.",
    ),
)  # fmt: skip


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


@HAND_OUT.judged
def hand_out(function):
    """Judge whether every part is done once, by workers some of whom die."""
    for what, parts, count, dies in TEAMS:
        team, said = Team(count, dies), f"hand_out for {what}"
        given = list(team.workers)
        with advice(Stop(Died, "{said} stopped with Died. Catch it: try: ... except Died: ..."), said=said):
            found = call(function, list(parts), given, said=said, header="def hand_out(parts, workers):")
        judge_hand_out(found, parts, team, said)
        if given != team.workers:
            raise Mistake(f"{said} is right, but the caller's list was changed. Make a list of your own.")
    judge_errors(function)
    return "A worker may die at any moment, and no part is lost."


def judge_hand_out(found, parts, team, said):
    """Raise Mistake unless all parts were done, and nobody was asked after its death."""
    right = [10 * part for part in parts]
    if not isinstance(found, (list, tuple)):
        raise Mistake(f"{said} gives {found!r:.60}. A list of results is asked for.")
    found = list(found)
    if found != right:
        lost = [part for part, result in zip(parts, right) if result not in found]
        why = "They should stand in the order of the parts."
        if lost:
            why = f"Part {lost[0]} is lost: it has to go to another worker."
        elif None in found:
            why = "A dead worker has no result. Leave it out."
        elif len(found) > len(right):
            why = "A part was done twice."
        raise Mistake(f"{said} gives {found}; it should give {right}. {why}")
    if any(len(asked) > team.dies.get(k, 99) for k, asked in enumerate(team.asked)):
        raise Mistake(f"{said}: a dead worker was asked again. Take it off the list.")
    if len(team.asked) > 1 and not team.dies and max(map(len, team.asked)) == len(parts):
        raise Mistake(f"{said}: one worker did it all. They should take turns.")


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

Task(
    "37 step time",
    head="step_time(workers, work, message)",
    right="work / workers + workers * message",
    cases=((1, 100.0, 1.0), (4, 100.0, 1.0), (8, 60.0, 2.0)),
    answers=(
        Wrong("one message", (" + workers *", " +"), "Each worker sends a message, and the server takes them one by one."),
        Wrong("not shared", (" / workers", ""), "The calculation is shared: divide it by the workers."),
        Wrong("no messages", (" + workers * message", ""), "The messages are missing."),
        Wrong("one message shared", "(work + message) / workers", "The messages are not shared: each worker sends one of its own."),
        Wrong("all shared", "(work + workers * message) / workers", holds="Each worker sends a message"),
        Wrong("whole parts", ("/", "//"), "// leaves out what is behind the point. Divide with /."),
        Wrong("a constant", "101"),
        Wrong("prints", "print(work / workers)", holds=PRINTS),
    ),
    otherwise="It has two parts: one gets smaller with more workers, the other larger.",
    praise="One part gets smaller with more workers, and the other larger.",
    hints=(
        "The calculation is divided by the workers: work / workers.",
        "Each worker needs its own message to the server, one after the other: workers * message.",
        "return work / workers + workers * message",
    ),
    read=as_number,
    equal=close,
    alike=close,
    message="{said} gives {found:.6g}; it should give {right:.6g}. {why}",
)

ROOT = "(work / message) ** 0.5"

Task(
    "37 best",
    head="best(work, message)",
    right="min(range(1, 1000), key=lambda n: work / n + n * message)",
    cases=((100.0, 1.0), (100.0, 25.0), (8.0, 1.0), (1.0, 5.0), (6400.0, 1.0), (2.2, 1.0), (5.0, 1.0), (10.0, 1.0)),
    answers=(
        Right("by the root", ("range(1, 1000)", f"(max(1, int({ROOT}) + k) for k in (0, 1))")),
        Wrong("the time", "min(work / n + n * message for n in range(1, 1000))", "That is the time itself. How many workers have it?"),
        Wrong("the root", ROOT, "There are only whole workers, and at least one. Try the two whole numbers beside it."),
        Wrong("rounded", f"max(1, round({ROOT}))", "The whole number nearest to the root is not always the best. Compare both beside it."),
        Wrong("rounded up", f"math.ceil({ROOT})", "The root rounded up is not always the best. Compare both whole numbers beside it."),
        Wrong("rounded down", f"max(1, int({ROOT}))", "The root rounded down is not always the best. Compare both whole numbers beside it."),
        Wrong("no root", "work / message", "There the messages take as long as the whole calculation. The best is before."),
        Wrong("a constant", "10"),
        Wrong("prints", "print(work)", holds=PRINTS),
    ),
    otherwise="Which number of workers has the smallest work / n + n * message?",
    praise="It is near the square root of work / message.",
    hints=(
        "Try 1, 2, 3 and so on with step_time, and keep the number with the smallest time.",
        "The slope of work / n + n * message with respect to n is -work / n**2 + message. Where is it 0?",
        "min(range(1, 1000), key=lambda n: step_time(n, work, message))",
    ),
    read=as_number,
    equal=close,
    alike=close,
    message="{said} gives {found:.6g}; it should give {right:g}. {why}",
)
