"""Answers to the exercises of lesson 38."""

from . import Right, Wrong

INTERPRET = """
OPERATIONS = {"matmul": np.matmul, "add": np.add, "tanh": np.tanh}
def interpret(steps, values):
    known = dict(values)
    for op, inputs, output in steps:
        known[output] = OPERATIONS[op](*[known[name] for name in inputs])
    return known[output]
interpret"""

STEPS = """
def steps_of(end, names):
    known, steps = dict(names), []
    for node in order(end):
        if node.creation_op is not None:
            known[node] = f"v{len(steps) + 1}"
            steps.append((node.creation_op, [known[creator] for creator in node.creators], known[node]))
    return steps
steps_of"""

BY_ITSELF = """
def steps_of(end, names):
    known, steps = dict(names), []
    def visit(node):
        if node in known:
            return
        for creator in node.creators:
            visit(creator)
        known[node] = "v" + str(len(steps) + 1)
        steps.append((node.creation_op, tuple(known[c] for c in node.creators), known[node]))
    visit(end)
    return steps
steps_of"""

SCALED = """
def scaled(steps):
    new = [("divide", ["x", "sixteen"], "v0")]
    for op, inputs, output in steps:
        new.append((op, ["v0" if name == "x" else name for name in inputs], output))
    return new
scaled"""


def changed(code, old, new):
    """The answer with one part of it different."""
    assert old in code
    return code.replace(old, new)


ANSWERS = {
    "38 bytes": [
        Right("a number", "19240"),
        Right("computed", "4 * (64 * 64 + 64 + 64 * 10 + 10)"),
        Wrong("the numbers", "4810", "Each takes four bytes"),
        Wrong("float64", "38480", "eight bytes each"),
        Wrong("without biases", "18944", "biases are missing"),
        Wrong("the first layer", "16640", "first layer alone"),
        Wrong("bits", "153920", "Those are bits"),
        Wrong("something else", "1000", "Count the numbers"),
        Wrong("a word", "'few'", "A number is asked for"),
    ],
    "38 plain": [
        Right("by parameters", "lambda net: [np.asarray(p.data, np.float32) for p in parameters(net)]"),
        Right("astype", "lambda net: [p.data.astype('float32') for p in parameters(net)]"),
        Right("a tuple", "lambda net: tuple(np.float32(p.data) for p in parameters(net))"),
        Wrong("Tensors", "lambda net: list(parameters(net))", "Take the .data of each"),
        Wrong("a Tensor as a number", "lambda net: [np.float32(p) for p in parameters(net)]", ".data of each"),
        Wrong("float64", "lambda net: [p.data for p in parameters(net)]", "numbers of float64"),
        Wrong("integers", "lambda net: [p.data.astype(int) for p in parameters(net)]", "not those of the network"),
        Wrong("transposed", "lambda net: [np.float32(p.data.T) for p in parameters(net)]", "the shapes"),
        Wrong("backwards", "lambda net: [np.float32(p.data) for p in parameters(net)][::-1]", "the shapes"),
        Wrong("the first", "lambda net: [np.float32(p.data) for p in parameters(net)][:1]", "1 arrays"),
        Wrong("lists", "lambda net: [p.data.tolist() for p in parameters(net)]", "has a list"),
        Wrong("one array", "lambda net: np.concatenate([p.data.ravel() for p in parameters(net)])", "gives ndarray"),
        Wrong("gradients", "lambda net: [np.float32(0 * p.data) for p in parameters(net)]", "not those of the network"),
        Wrong("prints", "lambda net: print(parameters(net))", "returns nothing"),
    ],
    "38 interpret": [
        Right("a dict", INTERPRET),
        Right(
            "by if",
            """
def interpret(steps, values):
    known = {**values}
    for op, names, output in steps:
        ins = [known[n] for n in names]
        if op == "matmul":
            known[output] = ins[0] @ ins[1]
        elif op == "add":
            known[output] = ins[0] + ins[1]
        else:
            known[output] = np.tanh(ins[0])
    return known[steps[-1][2]]
interpret""",
        ),
        Wrong("return in the loop", changed(INTERPRET, "    return", "        return"), "inside the loop"),
        Wrong("the caller's dict", changed(INTERPRET, "dict(values)", "values"), "Begin with dict(values)"),
        Wrong("nothing kept", changed(INTERPRET, "known[output] = OP", "result = OP").replace("return known[output]", "return result"), "kept under its name"),
        Wrong("only the beginning", changed(INTERPRET, "*[known[name]", "*[values[name]"), "kept under its name"),
        Wrong("backwards", changed(INTERPRET, "for name in inputs", "for name in inputs[::-1]"), "wrong order"),
        Wrong("everything", changed(INTERPRET, "return known[output]", "return known"), "gives a dict"),
        Wrong("first input", changed(INTERPRET, "*[known[name] for name in inputs]", "known[inputs[0]], known[inputs[0]]"), "it should give"),
        Wrong("two inputs", changed(INTERPRET, "*[known[name] for name in inputs]", "known[inputs[0]], known[inputs[1]]"), "as many as there are"),
        Wrong("prints", changed(INTERPRET, "return known", "print(known"). replace("print(known[output]", "print(known[output])"), "returns nothing"),
        Wrong("x only", "lambda steps, values: values['x']", "Each step reads its inputs by name"),
    ],
    "38 steps": [
        Right("by order", STEPS),
        Right("a walk of its own", BY_ITSELF),
        Wrong("leaves too", changed(STEPS, "if node.creation_op is not None:", "if True:"), "a step for a leaf"),
        Wrong("Tensors", changed(STEPS, "[known[creator] for creator in node.creators]", "list(node.creators)"), "still has Tensors"),
        Wrong("a Tensor as output", changed(STEPS, "node.creators], known[node])", "node.creators], node)"), "still has Tensors"),
        Wrong("from the end", changed(STEPS, "return steps", "return steps[::-1]"), "wrong order"),
        Wrong("walked from the end", changed(STEPS, "in order(end)", "in reversed(order(end))"), "finds no name"),
        Wrong("one name", changed(STEPS, 'f"v{len(steps) + 1}"', '"v"'), "they should be v1"),
        Wrong("from v0", changed(STEPS, "len(steps) + 1", "len(steps)"), "they should be v1"),
        Wrong("with gaps", changed(STEPS, "len(steps) + 1", "len(known) + 1"), "they should be v1"),
        Wrong("inputs exchanged", changed(STEPS, "in node.creators]", "in node.creators[::-1]]"), "in their order"),
        Wrong("two creators", changed(STEPS, "[known[creator] for creator in node.creators]", "[known[c] for c in (node.creators[0], node.creators[1])]"), "as many as there are"),
        Wrong("unpacked", changed(STEPS, "            steps.append((node.creation_op, [known[creator] for creator in node.creators]", "            a, b = node.creators\n            steps.append((node.creation_op, [known[a], known[b]]"), "as many as there are"),
        Wrong("the last step", changed(STEPS, "return steps", "return steps[-1:]"), "one step"),
        Wrong("pairs", changed(STEPS, ", known[node]))", "))"), "another form"),
        Wrong("the caller's dict", changed(STEPS, "dict(names)", "names"), "dict of names was changed"),
        Wrong("prints", changed(STEPS, "return steps", "print(steps)"), "returns nothing"),
    ],
    "38 scaled": [
        Right("names exchanged", SCALED),
        Right(
            "another name",
            changed(SCALED, '"v0"', '"small"'),
        ),
        Wrong("x twice", 'lambda steps: [("divide", ["x", "sixteen"], "x"), *steps]', "a name of its own"),
        Wrong("v1 twice", changed(SCALED, '"v0"', '"v1"'), "a name of its own"),
        Wrong("not used", 'lambda steps: [("divide", ["x", "sixteen"], "v0"), *steps]', "Nobody uses"),
        Wrong("only the first step", """
def scaled(steps):
    op, inputs, output = steps[0]
    first = (op, ["v0" if name == "x" else name for name in inputs], output)
    return [("divide", ["x", "sixteen"], "v0"), first, *steps[1:]]
scaled""", "Every step that read x"),
        Wrong("at the end", 'lambda steps: [*steps, ("divide", [steps[-1][2], "sixteen"], "y")]', "in front"),
        Wrong("letters exchanged", changed(SCALED, '["v0" if name == "x" else name for name in inputs]', '[name.replace("x", "v0") for name in inputs]'), "Compare whole names"),
        Wrong("a number", changed(SCALED, '"sixteen"', "16"), "there is no 16"),
        Wrong("behind", changed(SCALED, "return new", "return new[1:] + new[:1]"), "cannot be run"),
        Wrong("no division", "lambda steps: list(steps)", "no step with the operation divide"),
        Wrong("in place", 'def scaled(steps):\n    steps.insert(0, ("divide", ["x", "sixteen"], "x"))\n    return steps\nscaled', "Return a new one"),
        Wrong("prints", changed(SCALED, "return new", "print(new)"), "returns nothing"),
    ],
    "38 folded": [
        Right("a new dict", 'lambda values: {**values, "W1": values["W1"] / 16}'),
        Wrong("multiplied", 'lambda values: {**values, "W1": values["W1"] * 16}', "have to be divided"),
        Wrong("the bias too", 'lambda values: {**values, "W1": values["W1"] / 16, "b1": values["b1"] / 16}', "leave it as it is"),
        Wrong("the bias", 'lambda values: {**values, "b1": values["b1"] / 16}', "belongs to the weights"),
        Wrong("nothing", "lambda values: dict(values)", "Nothing has changed"),
        Wrong("whole numbers", 'lambda values: {**values, "W1": values["W1"] // 16}', "the third row"),
        Wrong("x", 'lambda values: {**values, "x": values["x"] / 16}', "Change W1"),
        Wrong("W1 alone", 'lambda values: {"W1": values["W1"] / 16}', "Keep all the other arrays"),
        Wrong("in place", 'def folded(values):\n    values["W1"] = values["W1"] / 16\n    return values\nfolded', "Return a new dict"),
        Wrong("the array", 'lambda values: values["W1"] / 16', "A dict of arrays"),
        Wrong("all layers", 'lambda values: {name: array / 16 for name, array in values.items()}', "leave it as it is"),
        Wrong("prints", 'lambda values: print(values["W1"] / 16)', "returns nothing"),
    ],
}
