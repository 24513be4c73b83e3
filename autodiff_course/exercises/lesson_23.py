"""The exercises of lesson 23: the size of a sum, and a network with one bad layer."""

import numpy as np

from .. import machine
from ..checking import Mistake, number
from ..machine.live import MACHINE
from .calling import call, names_of
from .shared import listed
from .table import PRINTS, Guess, Right, Table, Task, Wrong, as_number, outcome, unchanged

# -- how large is a sum -------------------------------------------------------------------------------------

Guess(
    "23 size",
    right="2",
    answers=(
        Right("computed", "math.sqrt(100) * 0.2"),
        Right("about", "1.9"),
        Wrong("nothing cancels", "20", "That is the sum if nothing cancels: 100 times 0.2. But half of the products are below 0."),
        Wrong("the mean", "0", "On average over many neurons it is 0. But how far from 0 is one of them, usually?"),
        Wrong("one product", "0.2", "That is one product. A hundred of them are added."),
        Wrong("the square", "4", "That is the mean of the square: 100 times 0.04. The size is its root."),
        Wrong("divided by the root", "0.02", "You divided by the root of 100. Multiply by it."),
        Wrong("divided by 100", "0.002", "You divided by 100. The sum of many is larger than one of them, not smaller."),
        Wrong("the root only", "10", "That is the root of 100. The weights have the size 0.2."),
        Wrong("the 8 of the lesson", "1.6", "That is 8 times 0.2, for 64 inputs. Here there are 100."),
        Wrong("how many", "100", "That is the number of products."),
        Wrong("something else", "7"),
        Wrong("a word", "'large'", holds="A number is asked for"),
    ),
    otherwise="The root of 100, times the size of one product.",
    praise="The root of 100 is 10, and 10 times 0.2 is 2. After two such layers it is 4.",
    hints=(
        "One product has the size 1 times 0.2. How many times as large is a sum of n of them?",
        "It is √n times as large, and n is 100.",
        "10 times 0.2.",
    ),
    within=0.15,
    near=1e-3,
)

# -- the patient --------------------------------------------------------------------------------------------

BAD = 4  # which of the seven Linears, counted from 1


def patient(names=None, bad=BAD):
    """A network of seven Linears with relu between them, one of which is made badly. It is made of your
    machine's layers, or of those with the given names.

    Example
    -------
    >>> from autodiff_course.exercises.lesson_23 import patient
    >>> len(patient().layers)
    13
    """
    names = names or MACHINE.names or {}
    if "Sequential" not in names:
        names = vars(machine.after(23))
    rng, layers = np.random.default_rng(1), []
    for place in range(1, 8):
        layer = names["Linear"](64, 64 if place < 7 else 10, rng)
        layer.weight.data = rng.normal(0, (2 / 64) ** 0.5, layer.weight.data.shape)
        layer.bias.data = np.full(layer.bias.data.shape, -20.0 if place == bad else 0.0)
        layers += [layer, names["relu"]]
    return names["Sequential"](*layers[:-1])


def confusing_patient(names, bad):
    """A patient whose biases do not give the fault away: none is zero, and those of a healthy Linear are
    lower on average than those at fault, although half of its neurons are alive."""
    net, rng = patient(names, bad), np.random.default_rng(3)
    for place, layer in enumerate(net.layers[::2], start=1):
        if place != bad:
            layer.bias.data = rng.uniform(-0.1, -0.01, layer.bias.data.shape)
    net.layers[2].bias.data[::2] = -60.0  # Linear number 2, which is never at fault here
    return net


def near(found, right):
    """Whether two shares are the same."""
    return abs(found - right) <= 1e-9


ZERO = "(out == 0).all(axis=0)"

Task(
    "23 dead",
    head="dead_share(out)",
    right=f"np.mean({ZERO})",
    cases=(
        ("only the first neuron is dead", [[0.0, 2.0, 0.0, 1.0], [0.0, 1.0, 0.0, 3.0], [0.0, 4.0, 5.0, 2.0]]),
        ("both neurons are dead", [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]),
        ("no neuron is dead", [[1.0, 2.0, 3.0]]),
        ("only the first two neurons are dead: a small output is not 0", [[0.0, 0.0, 0.001, 2.0], [0.0, 0.0, 0.002, 3.0]]),
    ),
    answers=(
        Right("the largest of each column", "np.mean(np.abs(out).max(axis=0) == 0)"),
        Right("a loop", "sum(not any(column) for column in out.T) / out.shape[1]"),
        Wrong("all zeros", (".all(axis=0)", ""), "That is the share of all numbers that are 0. A neuron is dead if its whole column is 0."),
        Wrong("rows", ("axis=0", "axis=1"), "You look at rows, which are pictures. A neuron is a column."),
        Wrong("0 for some picture", ("all", "any"), "You count neurons that are 0 for some picture. Dead means 0 for all of them."),
        Wrong("how many", ("mean", "sum"), "That is how many are dead. Divide by how many neurons there are."),
        Wrong("those alive", ("np.", "1 - np."), "That is the share of neurons that are alive."),
        Wrong("divided by the pictures", f"{ZERO}.sum() / len(out)", "You divide by the number of pictures. Divide by the number of neurons, which are the columns."),
        Wrong("nearly 0 on average", "(out.mean(axis=0) < 0.01).mean()"),
        Wrong("half", f"np.mean({ZERO}) / 2"),
        Wrong("prints", (f"np.mean({ZERO})", f"print(np.mean({ZERO}))"), holds=PRINTS),
        Wrong("a list for each neuron", ZERO, holds="A number is asked for"),
        Wrong("an argument too many", "lambda net, out: 0.5", holds="your function takes 2"),
        Wrong("changes out", "out[out > 0] = 1\nreturn np.mean(out.sum(axis=0) == 0)", holds="changed out"),
    ),
    otherwise="Here {case[0]}.",
    praise="A dead neuron is a column of zeros.",
    hints=(
        "A neuron is a column of out. out == 0 is True where a number is 0.",
        "(out == 0).all(axis=0) is True for each column that is 0 in all rows.",
        "return np.mean((out == 0).all(axis=0)): True counts as 1.",
    ),
    inputs=lambda case, function: [np.array(case[1])],
    said=lambda case: f"dead_share({listed(case[1])})",
    read=as_number,
    equal=near,
    alike=near,
    shown="{:.6g}".format,
    after=unchanged("{said} changed out. It belongs to the caller.", 0),
)

BEFORE = "After it all neurons are dead. But what comes in is 0 already, so the fault lies before it."

PATIENT = Table(
    "23 patient",
    right=f"{BAD}",
    answers=(
        Wrong("the first", "1", "Its gradient is 0, but so are those of the next ones. Look at its activations."),
        Wrong("the second", "2", "After it most neurons are alive."),
        Wrong("the third", "3", "After it most neurons are alive. Go on."),
        Wrong("the fifth", "5", BEFORE),
        Wrong("the sixth", "6", BEFORE),
        Wrong("the last", "7", "The scores are all 0 because everything that comes in is 0. Where does it become so?"),
        Wrong("counted with relu", "8", holds="none of them"),
        Wrong("a word", "'bias'", holds="A number is asked for"),
    ),
    hints=(
        "activations(patient(), pictures[seen]) lists what comes out of all 13 layers. Look behind each relu.",
        "outs[1::2] is what comes out of the six relus. Print dead_share of each.",
        "After the first three, at most about a tenth of the neurons are dead; after the others, all.",
    ),
)


@PATIENT.judged
def which(guess):
    """Judge which Linear was found."""
    found = number(guess)
    if found not in range(1, 8):
        raise Mistake(f"There are seven Linears, counted from 1, and {found:.6g} is none of them.")
    if found != BAD:
        raise Mistake(f"It is not {found:.0f}. {PATIENT.why(lambda wrong: wrong == found)}")
    return "What comes in is as it should be, and what goes out becomes 0 in relu. Now look at its bias."


BIAS, RETURN = "bias.data = np.zeros(64)", "return number"

HEAL = Table(
    "23 heal",
    head="heal(net, x)",
    right=f"""
outs = activations(net, x)
for number in range(1, 7):
    if np.all(outs[2 * number - 1] == 0):
        net.layers[2 * number - 2].{BIAS}
        {RETURN}""",
    answers=(
        Right("layer by layer", """
            number = 0
            for layer in net.layers:
                x = no_grad(layer, x)
                if isinstance(layer, Linear):
                    number, last = number + 1, layer
                elif not x.any():
                    last.bias.data = last.bias.data * 0
                    return number"""),
        Right("by looking for relu", """
            for i, (layer, out) in enumerate(zip(net.layers, activations(net, x))):
                if layer is relu and not out.any():
                    net.layers[i - 1].bias.data = np.zeros(64)
                    return (i + 1) // 2"""),
        Right("a new Tensor as bias", (BIAS, "bias = Tensor(np.zeros(64))")),
        Wrong("the number of the lesson", (RETURN, f"return {BAD}"), f"Number {BAD} was at fault in the lesson's patient. Here it may be another one."),
        Wrong("the place, relu included", (RETURN, f"{RETURN} * 2 - 1"), "That is its place among all layers, relu included."),
        Wrong("the place in layers", (RETURN, f"{RETURN} * 2 - 2"), "That is its place in net.layers. Count the Linears only."),
        Wrong("counted from 0", (RETURN, f"{RETURN} - 1"), "Count from 1."),
        Wrong("the lowest biases", """
            layers = net.layers[:-1:2]
            number = int(np.argmin([layer.bias.data.mean() for layer in layers]))
            layers[number].bias.data = np.zeros(64)
            return number + 1""", holds="Use activations"),
        Wrong("the last dead one", ("range(1, 7)", "range(6, 0, -1)"), holds="the first one is at fault"),
        Wrong("finds and does not repair", (f"net.layers[2 * number - 2].{BIAS}", "pass"), holds="is not 64 zeros"),
        Wrong("an array as bias", (BIAS, "bias = np.zeros(64)"), holds="has to stay a Tensor"),
        Wrong("all biases and weights", (RETURN, f"net.layers[0].weight.data = net.layers[0].weight.data * 2\n            {RETURN}"), holds="changed other parameters"),
        Wrong("every bias", (RETURN, f"for layer in net.layers[::2]:\n                layer.bias.data = layer.bias.data * 0\n            {RETURN}"), holds="changed other parameters"),
        Wrong("prints", (RETURN, "print(number)\n            return"), holds=PRINTS),
    ),
    hints=(
        "activations(net, x) lists what comes out of each layer. dead_share is 1 where all neurons are dead.",
        "net.layers[0], net.layers[2], ... are the Linears, and relu comes after each of the first six. So Linear number n is net.layers[2 * n - 2], and what its relu gives is activations(net, x)[2 * n - 1].",
        "For n from 1 to 6: if dead_share(outs[2 * n - 1]) == 1, set net.layers[2 * n - 2].bias.data to zeros and return n.",
    ),
)  # fmt: skip


@HEAL.judged
def heal(function):
    """Judge that the sick layer is found, and that its bias alone is repaired."""
    x = np.random.default_rng(2).random((50, 64))
    names = names_of(function, 23)
    for bad in (6, 3, 1):
        net = confusing_patient(names, bad)
        before = [p.data.copy() for p in names["parameters"](net)]
        said = f"heal(net, x) with Linear number {bad} at fault"
        found = number(call(function, net, x, said=said))
        if found != bad:

            def fits(wrong, bad=bad, found=found):
                return outcome(wrong, confusing_patient(names, bad), x) == found

            otherwise = ""
            if found == 2 < bad:
                otherwise = "Its biases are the lowest on average, but half of its neurons are alive. Use activations."
            elif found > bad:
                otherwise = "What comes after a dead layer is dead as well: the first one is at fault."
            why = HEAL.why(fits, function, otherwise)
            raise Mistake(f"{said} returns {found:g}; it should be {bad}. {why}".strip())
        if not hasattr(net.layers[2 * bad - 2].bias, "creators"):
            raise Mistake(
                f"{said} returns {bad}, and the bias of that Linear is no Tensor any more. Put the zeros "
                "into bias.data: the bias itself has to stay a Tensor."
            )
        after = [p.data for p in names["parameters"](net)]
        place = 2 * bad - 1
        if np.shape(after[place]) != (64,) or np.any(after[place]):
            raise Mistake(f"{said} returns {bad}, and the bias of that Linear is not 64 zeros afterwards.")
        if any(not np.array_equal(old, new) for i, (old, new) in enumerate(zip(before, after)) if i != place):
            raise Mistake(f"{said} has changed other parameters, too. Only the bias of that Linear is bad.")
    return "The patient can be trained now."
