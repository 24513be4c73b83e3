"""Answers to the exercises of lesson 24."""

from . import Right, Wrong

STOP = """
def stop(losses, patience):
    best, waited = float("inf"), 0
    for epoch, loss in enumerate(losses, start=1):
        if loss < best:
            best, waited = loss, 0
        else:
            waited += 1
            if waited == patience:
                return epoch
    return len(losses)
stop"""

UNTIL = """
def train_until(net, epoch, judge, patience, most):
    best, best_number, kept = float("inf"), 0, []
    for number in range(1, most + 1):
        epoch()
        loss = judge()
        if loss < best:
            best, best_number, kept = loss, number, [p.data for p in parameters(net)]
        elif number - best_number == patience:
            break
    for p, data in zip(parameters(net), kept):
        p.data = data
    return best_number
train_until"""


def changed(code, old, new):
    """The answer with one part of it different."""
    assert old in code
    return code.replace(old, new)


ANSWERS = {
    "24 decay": [
        Right("0.9", "0.9"),
        Right("computed", "1 - 0.1 * 2 * 0.5 * 1"),
        Right("a Tensor", "Tensor(0.9)"),
        Wrong("the slope of w*w is w", "0.95", "2*w"),
        Wrong("the step", "0.1", "That is the step"),
        Wrong("uphill", "1.1", "against the gradient"),
        Wrong("the penalty", "0.5", "What is its slope"),
        Wrong("the gradient", "1", "the rate times the gradient"),
        Wrong("without the rate", "0", "0.1 times 1"),
        Wrong("without the amount", "0.8", "amount is a factor"),
        Wrong("something else", "0.3", "minus the rate"),
        Wrong("a word", "'smaller'", "A number is asked for"),
    ],
    "24 stop": [
        Right("a loop", STOP),
        Right("by the numbers of epochs", """
def stop(losses, patience):
    best = 0
    for i in range(len(losses)):
        if losses[i] < losses[best]:
            best = i
        if i - best >= patience:
            return i + 1
    return len(losses)
stop"""),
        Wrong("the best begins at 100", changed(STOP, 'float("inf")', "100"), "above all numbers"),
        Wrong("the epoch before", changed(STOP, "            waited += 1", "            best = loss\n            waited += 1"), "Compare with the best so far"),
        Wrong("all epochs without progress", changed(STOP, "best, waited = loss, 0", "best = loss"), "Only those in a row"),
        Wrong("as good is better", changed(STOP, "loss < best", "loss <= best"), "is not better"),
        Wrong("one too late", changed(STOP, "waited == patience", "waited > patience"), "too late"),
        Wrong("one too early", changed(STOP, "waited == patience", "waited == patience - 1"), "too early"),
        Wrong("no else", STOP.replace("        else:\n", "").replace("            waited +", "        waited +").replace("            if waited == patience:\n                return", "        if waited == patience:\n            return"), "with a new best is none of them"),
        Wrong("the best loss", changed(STOP, "return epoch", "return best").replace("return len(losses)", "return best"), "That is the best loss"),
        Wrong("counted from 0", changed(STOP, ", start=1", ""), "counted from 1"),
        Wrong("the best epoch", changed(STOP, "return epoch", "return epoch - patience"), "is the best epoch"),
        Wrong("never stops", "lambda losses, patience: len(losses)", "never stops"),
        Wrong("no end", changed(STOP, "    return len(losses)", "    return None"), "after the loop"),
        Wrong("uphill", changed(STOP, "if loss < best:", "if best == float('inf') or loss > best:"), "wrong way round"),
        Wrong("prints", changed(STOP, "return epoch", "print(epoch)").replace("return len(losses)", "print(len(losses))"), "returns nothing"),
        Wrong("an argument too few", "lambda losses: len(losses)", "takes 1"),
        Wrong("changes the list", changed(STOP, "    return len(losses)", "    n = len(losses)\n    losses.sort()\n    return n"), "changed the list"),
        Wrong("an endless loop", "def stop(losses, patience):\n    while True:\n        patience += 1\nstop", "never end"),
    ],
    "24 train until": [
        Right("one loop", UNTIL),
        Right("copies", changed(UNTIL, "[p.data for p", "[p.data.copy() for p")),
        Right("without a number for the best", """
def train_until(net, epoch, judge, patience, most):
    losses, kept = [], []
    while len(losses) < most and not (losses and len(losses) - 1 - losses.index(min(losses)) >= patience):
        epoch()
        losses.append(judge())
        kept.append([p.data for p in parameters(net)])
    best = losses.index(min(losses))
    for p, data in zip(parameters(net), kept[best]):
        p.data = data
    return best + 1
train_until"""),
        Wrong("judged twice", changed(UNTIL, "        loss = judge()\n        if loss < best:\n            best,", "        if judge() < best:\n            loss = judge()\n            best,"), "once after each epoch"),
        Wrong("judged before the epoch", changed(UNTIL, "        epoch()\n        loss = judge()\n", "        loss = judge()\n        epoch()\n"), "First train, then judge"),
        Wrong("nothing put back", changed(UNTIL, "        p.data = data", "        pass"), "put them back"),
        Wrong("the Tensors are kept", changed(UNTIL, "[p.data for p in parameters(net)]", "list(parameters(net))").replace("p.data = data", "p.data = data.data"), "Keep the arrays"),
        Wrong("the last epoch", changed(UNTIL, "return best_number", "return number"), "the last epoch"),
        Wrong("counted from 0", changed(UNTIL, "return best_number", "return best_number - 1"), "counted from 1"),
        Wrong("the best begins at 100", changed(UNTIL, 'float("inf")', "100"), "ends after"),
        Wrong("never stops early", changed(UNTIL, "            break", "            pass"), "it should end, but"),
        Wrong("one too early", changed(UNTIL, "== patience", "== patience - 1"), "too early"),
        Wrong("most is forgotten", changed(UNTIL, "range(1, most + 1)", "range(1, 1000)"), "it should end, but"),
        Wrong("prints", changed(UNTIL, "return best_number", "print(best_number)"), "returns nothing"),
        Wrong("an argument too few", "lambda net, epoch, judge, patience: 1", "takes 4"),
    ],
}  # fmt: skip
