"""Answers to the exercises of lesson 23."""

from . import Right, Wrong

HEAL = """
def heal(net, x):
    outs = activations(net, x)
    for number in range(1, 7):
        if np.all(outs[2 * number - 1] == 0):
            net.layers[2 * number - 2].bias.data = np.zeros(64)
            return number
heal"""


def changed(code, old, new):
    """The answer with one part of it different."""
    assert old in code
    return code.replace(old, new)


ANSWERS = {
    "23 size": [
        Right("2", "2"),
        Right("computed", "math.sqrt(100) * 0.2"),
        Right("about", "1.9"),
        Wrong("nothing cancels", "20", "if nothing cancels"),
        Wrong("the mean", "0", "how far from 0"),
        Wrong("one product", "0.2", "one product"),
        Wrong("the square", "4", "The size is its root"),
        Wrong("divided by the root", "0.02", "Multiply by it"),
        Wrong("divided by 100", "0.002", "larger than one of them"),
        Wrong("the root only", "10", "weights have the size 0.2"),
        Wrong("the 8 of the lesson", "1.6", "for 64 inputs"),
        Wrong("something else", "7", "The root of 100"),
        Wrong("a word", "'large'", "A number is asked for"),
    ],
    "23 dead": [
        Right("all over the rows", "lambda out: np.mean((out == 0).all(axis=0))"),
        Right("the largest of each column", "lambda out: np.mean(np.abs(out).max(axis=0) == 0)"),
        Right("a loop", """
def dead_share(out):
    dead = 0
    for column in out.T:
        if not any(column):
            dead += 1
    return dead / out.shape[1]
dead_share"""),
        Wrong("all zeros", "lambda out: np.mean(out == 0)", "the share of all numbers"),
        Wrong("nearly 0 on average", "lambda out: (out.mean(axis=0) < 0.01).mean()", "a small output is not 0"),
        Wrong("rows", "lambda out: np.mean((out == 0).all(axis=1))", "You look at rows"),
        Wrong("0 for some picture", "lambda out: np.mean((out == 0).any(axis=0))", "0 for all"),
        Wrong("how many", "lambda out: np.sum((out == 0).all(axis=0))", "Divide by how many neurons"),
        Wrong("those alive", "lambda out: 1 - np.mean((out == 0).all(axis=0))", "alive"),
        Wrong("divided by the pictures", "lambda out: (out == 0).all(axis=0).sum() / len(out)", "which are the columns"),
        Wrong("prints", "def dead_share(out):\n    print(np.mean((out == 0).all(axis=0)))\ndead_share", "returns nothing"),
        Wrong("a list for each neuron", "lambda out: (out == 0).all(axis=0)", "A number is asked for"),
        Wrong("an argument too many", "lambda net, out: 0.5", "takes 2"),
        Wrong("changes out", "def dead_share(out):\n    out[out > 0] = 1\n    return np.mean(out.sum(axis=0) == 0)\ndead_share", "changed out"),
    ],
    "23 patient": [
        Right("4", "4"),
        Wrong("the first", "1", "Look at its activations"),
        Wrong("the third", "3", "Go on"),
        Wrong("the fifth", "5", "0 already"),
        Wrong("the last", "7", "Where does it become so"),
        Wrong("counted with relu", "8", "none of them"),
        Wrong("a word", "'bias'", "A number is asked for"),
    ],
    "23 heal": [
        Right("with activations", HEAL),
        Right("layer by layer", """
def heal(net, x):
    number = 0
    for layer in net.layers:
        x = no_grad(layer, x)
        if isinstance(layer, Linear):
            number, last = number + 1, layer
        elif not x.any():
            last.bias.data = last.bias.data * 0
            return number
heal"""),
        Right("by looking for relu", """
def heal(net, x):
    for i, (layer, out) in enumerate(zip(net.layers, activations(net, x))):
        if layer is relu and not out.any():
            net.layers[i - 1].bias.data = np.zeros(64)
            return (i + 1) // 2
heal"""),
        Right("a new Tensor as bias", changed(HEAL, ".bias.data = np.zeros(64)", ".bias = Tensor(np.zeros(64))")),
        Wrong("the place in layers", changed(HEAL, "return number", "return 2 * number - 2"), "place in net.layers"),
        Wrong("counted from 0", changed(HEAL, "return number", "return number - 1"), "Count from 1"),
        Wrong("the last dead one", changed(HEAL, "range(1, 7)", "range(6, 0, -1)"), "the first one is at fault"),
        Wrong("finds and does not repair", changed(HEAL, "net.layers[2 * number - 2].bias.data = np.zeros(64)", "pass"), "is not 64 zeros"),
        Wrong("an array as bias", changed(HEAL, ".bias.data = np.zeros(64)", ".bias = np.zeros(64)"), "has to stay a Tensor"),
        Wrong("all biases and weights", changed(HEAL, "            return number", "            net.layers[0].weight.data = net.layers[0].weight.data * 2\n            return number"), "changed other parameters"),
        Wrong("every bias", changed(HEAL, "            return number", "            for layer in net.layers[::2]:\n                layer.bias.data = layer.bias.data * 0\n            return number"), "changed other parameters"),
        Wrong("the lowest biases", """
def heal(net, x):
    layers = net.layers[:-1:2]
    number = int(np.argmin([layer.bias.data.mean() for layer in layers]))
    layers[number].bias.data = np.zeros(64)
    return number + 1
heal""", "Use activations"),
        Wrong("the number of the lesson", changed(HEAL, "return number", "return 4"), "lesson's patient"),
        Wrong("prints", changed(HEAL, "return number", "print(number)\n            return"), "returns nothing"),
    ],
}  # fmt: skip
