"""The exercises of lesson 23: the size of a sum, and a network with one bad layer."""

import numpy as np

from .. import machine
from ..checking import Mistake, exercise, number
from ..machine.live import MACHINE
from .calling import call, names_of
from .shared import listed, predicted

# -- how large is a sum -------------------------------------------------------------------------------------

SIZE = 2.0  # 100 inputs of size 1, weights of size 0.2

SIZE_KINDS = {
    20: "That is the sum if nothing cancels: 100 times 0.2. But half of the products are below 0.",
    0: "On average over many neurons it is 0. But how far from 0 is one of them, usually?",
    0.2: "That is one product. A hundred of them are added.",
    4: "That is the mean of the square: 100 times 0.04. The size is its root.",
    0.02: "You divided by the root of 100. Multiply by it.",
    0.002: "You divided by 100. The sum of many is larger than one of them, not smaller.",
    10: "That is the root of 100. The weights have the size 0.2.",
    1.6: "That is 8 times 0.2, for 64 inputs. Here there are 100.",
    100: "That is the number of products.",
}


@exercise(
    "23 size",
    "One product has the size 1 times 0.2. How many times as large is a sum of n of them?",
    "It is √n times as large, and n is 100.",
    "10 times 0.2.",
)
def size(guess):
    """Judge the predicted size of a sum."""
    otherwise = "The root of 100, times the size of one product."
    predicted(guess, SIZE, SIZE_KINDS, otherwise, within=0.15, near=1e-3)
    return "The root of 100 is 10, and 10 times 0.2 is 2. After two such layers it is 4."


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


OUTS = (
    (
        [[0.0, 2.0, 0.0, 1.0], [0.0, 1.0, 0.0, 3.0], [0.0, 4.0, 5.0, 2.0]],
        0.25,
        "only the first neuron is dead",
    ),
    ([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], 1.0, "both neurons are dead"),
    ([[1.0, 2.0, 3.0]], 0.0, "no neuron is dead"),
    (
        [[0.0, 0.0, 0.001, 2.0], [0.0, 0.0, 0.002, 3.0]],
        0.5,
        "only the first two neurons are dead: a small output is not 0",
    ),
)

DEAD_KINDS = (
    (
        lambda out: np.mean(out == 0),
        "That is the share of all numbers that are 0. A neuron is dead if its whole column is 0.",
    ),
    (
        lambda out: np.mean((out == 0).all(axis=1)),
        "You look at rows, which are pictures. A neuron is a column.",
    ),
    (
        lambda out: np.mean((out == 0).any(axis=0)),
        "You count neurons that are 0 for some picture. Dead means 0 for all of them.",
    ),
    (
        lambda out: np.sum((out == 0).all(axis=0)),
        "That is how many are dead. Divide by how many neurons there are.",
    ),
    (lambda out: 1 - np.mean((out == 0).all(axis=0)), "That is the share of neurons that are alive."),
    (
        lambda out: np.sum((out == 0).all(axis=0)) / len(out),
        "You divide by the number of pictures. Divide by the number of neurons, which are the columns.",
    ),
)


@exercise(
    "23 dead",
    "A neuron is a column of out. out == 0 is True where a number is 0.",
    "(out == 0).all(axis=0) is True for each column that is 0 in all rows.",
    "return np.mean((out == 0).all(axis=0)): True counts as 1.",
)
def dead(function):
    """Judge the share of dead neurons."""
    for rows, right, why in OUTS:
        out, said = np.array(rows), f"dead_share({listed(rows)})"
        found = number(call(function, out, said=said))
        if abs(found - right) > 1e-9:
            kinds = (kind for wrong, kind in DEAD_KINDS if abs(found - wrong(np.array(rows))) < 1e-9)
            kind = next(kinds, f"Here {why}.")
            raise Mistake(f"{said} gives {found:.6g}; it should be {right:g}. {kind}")
        if not np.array_equal(out, rows):
            raise Mistake(f"{said} changed out. It belongs to the caller.")
    return "A dead neuron is a column of zeros."


PLACE_KINDS = {
    1: "Its gradient is 0, but so are those of the next ones. Look at its activations.",
    2: "After it most neurons are alive.",
    3: "After it most neurons are alive. Go on.",
    5: "After it all neurons are dead. But what comes in is 0 already, so the fault lies before it.",
    6: "After it all neurons are dead. But what comes in is 0 already, so the fault lies before it.",
    7: "The scores are all 0 because everything that comes in is 0. Where does it become so?",
}


@exercise(
    "23 patient",
    "activations(patient(), pictures[seen]) lists what comes out of all 13 layers. Look behind each relu.",
    "outs[1::2] is what comes out of the six relus. Print dead_share of each.",
    "After the first three, at most about a tenth of the neurons are dead; after the others, all.",
)
def which(guess):
    """Judge which Linear was found."""
    found = number(guess)
    if found not in range(1, 8):
        raise Mistake(f"There are seven Linears, counted from 1, and {found:.6g} is none of them.")
    if found != BAD:
        raise Mistake(f"It is not {found:.0f}. {PLACE_KINDS[int(found)]}")
    return "What comes in is as it should be, and what goes out becomes 0 in relu. Now look at its bias."


@exercise(
    "23 heal",
    "activations(net, x) lists what comes out of each layer. dead_share is 1 where all neurons are dead.",
    "net.layers[0], net.layers[2], ... are the Linears, and relu comes after each of the first six. So "
    "Linear number n is net.layers[2 * n - 2], and what its relu gives is activations(net, x)[2 * n - 1].",
    "For n from 1 to 6: if dead_share(outs[2 * n - 1]) == 1, set net.layers[2 * n - 2].bias.data to zeros "
    "and return n.",
)
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
            raise Mistake(f"{said} returns {found:g}; it should be {bad}. {about(found, bad)}".strip())
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


def about(found, bad):
    """What a wrong number of a layer may come from."""
    if found == BAD:
        return f"Number {BAD} was at fault in the lesson's patient. Here it may be another one."
    if found == 2 * bad - 1:
        return "That is its place among all layers, relu included."
    if found == 2 * bad - 2:
        return "That is its place in net.layers. Count the Linears only."
    if found == bad - 1:
        return "Count from 1."
    if found == 2 < bad:
        return "Its biases are the lowest on average, but half of its neurons are alive. Use activations."
    if found > bad:
        return "What comes after a dead layer is dead as well: the first one is at fault."
    return ""
