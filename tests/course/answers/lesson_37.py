"""Answers to the exercises of lesson 37."""

from . import Right, Wrong

AVERAGE = """
def average(gradients, counts):
    total = sum(counts)
    return [sum(c * g for c, g in zip(counts, each)) / total for each in zip(*gradients)]
average"""

SERVER = """
class Server:
    def __init__(self, weights, rate):
        self.weights, self.rate = [w.copy() for w in weights], rate
        self.version, self.lags = 0, []

    def pull(self):
        return self.version, [w.copy() for w in self.weights]

    def push(self, version, gradient):
        self.weights = [w - self.rate * g for w, g in zip(self.weights, gradient)]
        self.lags.append(self.version - version)
        self.version += 1
Server"""

HAND_OUT = """
from autodiff_course.runs.lesson_37 import Died
def hand_out(parts, workers):
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
    return results
hand_out"""

BY_PLACE = """
from autodiff_course.runs.lesson_37 import Died
def hand_out(parts, workers):
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
    return [done(part) for part in parts]
hand_out"""

WHILE = """
from autodiff_course.runs.lesson_37 import Died
def hand_out(parts, workers):
    alive, results = list(workers), []
    for part in parts:
        while alive:
            try:
                results.append(alive[0](part))
                alive.append(alive.pop(0))
                break
            except Died:
                alive.pop(0)
    return results
hand_out"""

LOST = """
from autodiff_course.runs.lesson_37 import Died
def hand_out(parts, workers):
    alive, results = list(workers), []
    for part in parts:
        try:
            results.append(alive[0](part))
            alive.append(alive.pop(0))
        except Died:
            alive.pop(0)
    return results
hand_out"""


def changed(code, old, new):
    """The answer with one part of it different."""
    assert old in code
    return code.replace(old, new)


ANSWERS = {
    "37 mean": [
        Right("a number", "3"),
        Right("computed", "(3 * 2 + 1 * 6) / 4"),
        Wrong("the mean of the means", "4", "the mean of 2 and 6"),
        Wrong("the sum of the means", "8", "sum of the two means"),
        Wrong("the sum", "12", "divided by 4"),
        Wrong("exchanged", "5", "has the mean 2"),
        Wrong("six", "6", "Add both sums"),
        Wrong("the first", "2", "first worker alone"),
        Wrong("something else", "7", "Add up the gradients"),
        Wrong("a word", "'much'", "A number is asked for"),
    ],
    "37 average": [
        Right("divided at the end", AVERAGE),
        Right("np.average", "lambda gradients, counts: [np.average(np.array(each), axis=0, weights=counts) for each in zip(*gradients)]"),
        Wrong("the plain mean", "lambda gradients, counts: [sum(each) / len(each) for each in zip(*gradients)]", "count more"),
        Wrong("the sum", "lambda gradients, counts: [sum(each) for each in zip(*gradients)]", "sum over the workers"),
        Wrong("not divided", changed(AVERAGE, " / total for", " for"), "Divide by how many"),
        Wrong("divided by the workers", changed(AVERAGE, "sum(counts)\n", "len(counts)\n"), "number of workers"),
        Wrong("the other way round", "lambda gradients, counts: [sum(g / c for c, g in zip(counts, each)) / sum(1 / c for c in counts) for each in zip(*gradients)]", "Multiply by its count"),
        Wrong("the first", "lambda gradients, counts: gradients[0]", "first worker"),
        Wrong("for each worker", "lambda gradients, counts: [c * each[0] for c, each in zip(counts, gradients)]", "one for each parameter"),
        Wrong("one array", "lambda gradients, counts: np.array([1.0])", "A list of arrays"),
        Wrong("in place", "def average(gradients, counts):\n    for each, c in zip(gradients, counts):\n        for g in each:\n            g *= c / sum(counts)\n    return [sum(each) for each in zip(*gradients)]\naverage", "were changed"),
        Wrong("the numbers of the example", "lambda gradients, counts: [(3 * each[0] + each[1]) / 4 for each in zip(*gradients)]", "Use counts"),
        Wrong("prints", "lambda gradients, counts: print(gradients)", "returns nothing"),
        Wrong("without counts", "lambda gradients: gradients", "counts"),
    ],
    "37 server": [
        Right("new arrays", SERVER),
        Right("in place, with copies", changed(SERVER, "self.weights = [w - self.rate * g for w, g in zip(self.weights, gradient)]", "for w, g in zip(self.weights, gradient):\n            w -= self.rate * g")),
        Wrong("the weights themselves", changed(SERVER, "[w.copy() for w in self.weights]\n\n    def push", "self.weights\n\n    def push"), "added 5"),
        Wrong("a new list of the same arrays", changed(SERVER, "[w.copy() for w in self.weights]\n\n    def push", "list(self.weights)\n\n    def push"), "added 5"),
        Wrong("no copies", changed(changed(SERVER, "self.weights = [w - self.rate * g for w, g in zip(self.weights, gradient)]", "for w, g in zip(self.weights, gradient):\n            w -= self.rate * g"), "self.version, [w.copy() for w in self.weights]", "self.version, self.weights"), "had pulled before"),
        Wrong("uphill", changed(SERVER, "w - self.rate", "w + self.rate"), "uphill"),
        Wrong("no rate", changed(SERVER, "self.rate * g", "g"), "rate is missing"),
        Wrong("replaced", changed(SERVER, "w - self.rate", "-self.rate"), "do not replace"),
        Wrong("nothing kept", changed(SERVER, "self.weights = [w -", "weights = [w -"), "Nothing has moved"),
        Wrong("no version", changed(SERVER, "        self.version += 1\n", "        pass\n"), "should be 1"),
        Wrong("lag counted after the step", changed(SERVER, "        self.lags.append(self.version - version)\n        self.version += 1", "        self.version += 1\n        self.lags.append(self.version - version)"), "this one not counted"),
        Wrong("the version as the lag", changed(SERVER, "self.version - version)", "version)"), "[0, 1, 1]"),
        Wrong("weights alone", changed(SERVER, "self.version, [w.copy()", "[w.copy()"), "a pair"),
        Wrong("exchanged", changed(SERVER, "self.version, [w.copy() for w in self.weights]\n\n", "[w.copy() for w in self.weights], self.version\n\n"), "first the version"),
        Wrong("the rate of the example", changed(SERVER, "self.rate * g", "0.5 * g"), "depends on self.rate"),
        Wrong("stale gradients thrown away", changed(SERVER, "        self.weights = [w - self.rate", "        if version == self.version:\n            self.weights = [w - self.rate"), "however old"),
        Wrong("one step alone", changed(SERVER, "        self.weights = [w - self.rate", "        if self.version == 0:\n            self.weights = [w - self.rate"), "however old"),
        Wrong("smaller steps for stale gradients", changed(SERVER, "w - self.rate * g", "w - self.rate / (1 + self.version - version) * g"), "however old"),
        Wrong("the last lag alone", changed(SERVER, "self.lags.append(self.version - version)", "self.lags = self.version - version"), "Append each lag"),
        Wrong("from 1", changed(SERVER, "= 0, []", "= 1, []"), "it should be 0"),
        Wrong("an instance", SERVER + "([], 1)", "without brackets"),
    ],
    "37 lag": [
        Right("a number", "3"),
        Right("computed", "4 - 1"),
        Wrong("all four", "4", "Its own push does not count"),
        Wrong("none", "0", "alone"),
        Wrong("one", "1", "All three others"),
        Wrong("two", "2", "How many others"),
        Wrong("twelve", "12", "takes one step"),
        Wrong("something else", "7", "Count the pushes"),
    ],
    "37 hand out": [
        Right("a list that turns", HAND_OUT),
        Right("a function that calls itself", BY_PLACE),
        Right("an error of its own", changed(HAND_OUT, "            try:", "            if not alive:\n                raise RuntimeError('nobody is left')\n            try:")),
        Wrong("nothing when all are dead", WHILE, "Raise an error if no worker is left"),
        Wrong("a loop without end when all are dead", changed(HAND_OUT, "            try:", "            if not alive:\n                continue\n            try:"), "Does a loop never end"),
        Wrong("every error is a death", changed(HAND_OUT, "except Died", "except Exception"), "Catch Died alone"),
        Wrong("every error is a death, without a name", changed(HAND_OUT, "except Died", "except"), "Catch Died alone"),
        Wrong("lost", LOST, "is lost"),
        Wrong("not caught", "lambda parts, workers: [workers[k % len(workers)](part) for k, part in enumerate(parts)]", "Catch it"),
        Wrong("asked again", changed(HAND_OUT, "            except Died:\n                alive.pop(0)", "            except Died:\n                alive.append(alive.pop(0))"), "asked again"),
        Wrong("one does it all", changed(HAND_OUT, "                alive.append(alive.pop(0))\n            except", "            except"), "take turns"),
        Wrong("twice", changed(HAND_OUT, "        results.append(result)", "        results += [result, result]"), "done twice"),
        Wrong("backwards", changed(HAND_OUT, "return results", "return results[::-1]"), "order of the parts"),
        Wrong("the caller's list", changed(HAND_OUT, "list(workers)", "workers"), "list of your own"),
        Wrong("a gap", changed(LOST, "alive.pop(0)\n    return", "results.append(None)\n            alive.pop(0)\n    return"), "is lost"),
        Wrong("prints", changed(HAND_OUT, "return results", "print(results)"), "returns nothing"),
    ],
    "37 step time": [
        Right("both parts", "lambda workers, work, message: work / workers + workers * message"),
        Wrong("one message", "lambda workers, work, message: work / workers + message", "one by one"),
        Wrong("not shared", "lambda workers, work, message: work + workers * message", "divide it by the workers"),
        Wrong("no messages", "lambda workers, work, message: work / workers", "messages are missing"),
        Wrong("whole parts", "lambda workers, work, message: work // workers + workers * message", "Divide with /"),
        Wrong("all shared", "lambda workers, work, message: (work + workers * message) / workers", "Each worker sends"),
        Wrong("a constant", "lambda workers, work, message: 101", "it should give"),
        Wrong("prints", "lambda workers, work, message: print(work / workers)", "returns nothing"),
    ],
    "37 best": [
        Right("tried out", "lambda work, message: min(range(1, 1000), key=lambda n: work / n + n * message)"),
        Right("by the root", "lambda work, message: min((max(1, int((work / message) ** 0.5) + k) for k in (0, 1)), key=lambda n: work / n + n * message)"),
        Wrong("the root", "lambda work, message: (work / message) ** 0.5", "only whole workers"),
        Wrong("rounded down", "lambda work, message: max(1, int((work / message) ** 0.5))", "rounded down"),
        Wrong("rounded up", "lambda work, message: int(np.ceil((work / message) ** 0.5))", "rounded up"),
        Wrong("rounded", "lambda work, message: max(1, round((work / message) ** 0.5))", "nearest to the root"),
        Wrong("the time", "lambda work, message: min(work / n + n * message for n in range(1, 1000))", "That is the time itself"),
        Wrong("no root", "lambda work, message: work / message", "The best is before"),
        Wrong("a constant", "lambda work, message: 10", "it should give 2"),
        Wrong("prints", "lambda work, message: print(work)", "returns nothing"),
    ],
}
