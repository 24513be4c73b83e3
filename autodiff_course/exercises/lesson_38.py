"""The exercises of lesson 38: a network's numbers as plain arrays, its graph as a list of steps, a program
that runs such a list, and a step that is folded into the numbers."""

import numpy as np

from ..checking import Mistake
from ..runs.lesson_38 import interpret
from .calling import call, names_of
from .shared import in_words, listed, numpy_array, same
from .table import GIVES, PRINTS, Guess, Right, Stop, Table, Task, Wrong, advice, outcome

# -- how large the file is ----------------------------------------------------------------------------------

Guess(
    "38 bytes",
    right="4 * (64 * 64 + 64 + 64 * 10 + 10)",
    answers=(
        Right("a number", "19240"),
        Wrong("the numbers", "4810", "That is how many numbers there are. Each takes four bytes."),
        Wrong("float64", ("4 * (", "8 * ("), "Those are eight bytes each, as the machine has them. A float32 takes four."),
        Wrong("without biases", "4 * (64 * 64 + 64 * 10)", "The biases are missing: 64 numbers of the first layer and 10 of the second."),
        Wrong("the first layer", "4 * (64 * 64 + 64)", "That is the first layer alone. Add the second: 64 * 10 weights and 10 biases."),
        Wrong("bits", ("4 * (", "32 * ("), "Those are bits. A byte has eight of them."),
        Wrong("something else", "1000"),
        Wrong("a word", "'few'", holds="A number is asked for"),
    ),
    otherwise="Count the numbers of both layers, and multiply by four.",
    praise="4,810 numbers of four bytes are 19,240 bytes: less than a small photograph.",
    hints=(
        "Count the numbers first: weights and biases of both layers.",
        "The first layer has 64 * 64 weights and 64 biases, the second 64 * 10 and 10.",
        "Together they are 4,810 numbers, of four bytes each.",
    ),
    within=0.5,
)

# -- the numbers --------------------------------------------------------------------------------------------


def network(case, function):
    """The network that a case names, made with the reader's machine."""
    return [eval(case, names_of(function, 38) | {"rng": np.random.default_rng(0)})]


def arrays_of(answer, said):
    """The reader's list of arrays. Raises Mistake for anything else."""
    if not isinstance(answer, list | tuple):
        raise Mistake(f"A list of arrays is asked for, and {said} gives {type(answer).__name__}.")
    if any(hasattr(one, "creators") for one in answer):
        raise Mistake(f"{said} gives Tensors, which only your machine knows. Take the .data of each.")
    odd = [type(one).__name__ for one in answer if not isinstance(one, np.ndarray)]
    if odd:
        raise Mistake(f"{said} has a {odd[0]} in its list. Each part should be a NumPy array.")
    return answer


def other_arrays(found, right, said):
    """Raise Mistake for other arrays than those of the network."""
    if len(found) != len(right):
        raise Mistake(
            f"{said} gives {len(found)} arrays; it should give {len(right)}: a weight and a bias for each layer."
        )
    shapes = [one.shape for one in found], [one.shape for one in right]
    if shapes[0] != shapes[1]:
        raise Mistake(f"{said} gives the shapes {shapes[0]}; they should be {shapes[1]}, as in parameters(net).")
    raise Mistake(f"The shapes are right, but the numbers in {said} are not those of the network.")


def as_float32(answer, wanted, inputs, others, said):
    """Raise Mistake unless the arrays are of float32, and the network is as it was."""
    odd = [one.dtype for one in answer if one.dtype != np.float32]
    if odd:
        raise Mistake(f"{said} gives numbers of {odd[0]}. The other programs expect float32.")
    (net,), (other,) = inputs, others
    parameters = names_of(type(net), 38)["parameters"]
    if not all(np.array_equal(p.data, q.data) for p, q in zip(parameters(net), parameters(other))):
        raise Mistake(f"{said} is right, but the network itself was changed.")


Task(
    "38 plain",
    head="plain(net)",
    right="[np.asarray(p.data, np.float32) for p in parameters(net)]",
    cases=("Linear(3, 2, rng)", "Sequential(Linear(3, 2, rng), tanh, Linear(2, 4, rng))"),
    answers=(
        Right("astype", "[p.data.astype('float32') for p in parameters(net)]"),
        Right("a tuple", "tuple(np.float32(p.data) for p in parameters(net))"),
        Wrong("Tensors", "list(parameters(net))", holds="Take the .data of each"),
        Wrong("a Tensor as a number", "[np.float32(p) for p in parameters(net)]", holds=".data of each"),
        Wrong("float64", "[p.data for p in parameters(net)]", holds="numbers of float64"),
        Wrong("integers", ("np.float32", "int"), holds="not those of the network"),
        Wrong("transposed", ("p.data", "p.data.T"), holds="the shapes"),
        Wrong("backwards", ("parameters(net)", "parameters(net)[::-1]"), holds="the shapes"),
        Wrong("the first", ("parameters(net)", "parameters(net)[:1]"), holds="1 arrays"),
        Wrong("lists", "[p.data.tolist() for p in parameters(net)]", holds="has a list"),
        Wrong("one array", "np.concatenate([p.data.ravel() for p in parameters(net)])", holds="gives ndarray"),
        Wrong("gradients", ("p.data", "0 * p.data"), holds="not those of the network"),
        Wrong("changes the network", """
            for p in parameters(net):
                p.data = np.float32(p.data)
            return [p.data for p in parameters(net)]""", holds="the network itself was changed"),
        Wrong("prints", "print(parameters(net))", holds=PRINTS),
    ),
    praise="Any program that knows arrays can read them.",
    hints=(
        "parameters(net) gives the Tensors. Each has its numbers in .data.",
        "np.asarray(numbers, np.float32) makes an array of float32 of them.",
        "return [np.asarray(p.data, np.float32) for p in parameters(net)]",
    ),
    inputs=network,
    said="plain({})".format,
    stops=(Stop((TypeError, ValueError), "A parameter is a Tensor, which NumPy does not know. Take the .data of each.", "array element"),),
    read=arrays_of,
    equal=lambda found, right: len(found) == len(right) and all(map(same, found, right)),
    unequal=other_arrays,
    after=as_float32,
)  # fmt: skip

# -- a program that runs a list of steps --------------------------------------------------------------------

OPERATIONS = {"matmul": np.matmul, "add": np.add, "tanh": np.tanh}
AS_MANY = "{said}: tanh has one input, and add has two. Take as many as there are."
INPUTS = "*[known[name] for name in inputs]"


def written(steps):
    """Steps as a line of Python would say them."""
    return "; ".join(f"{output} = {op}({', '.join(inputs)})" for op, inputs, output in steps)


def result(answer, said):
    """What a program gives, as an array."""
    if isinstance(answer, dict):
        raise Mistake(f"{said} gives a dict. Only the result of the last step is asked for.")
    return numpy_array(answer, f"{said} gives")


def values_kept(answer, wanted, inputs, others, said):
    """Raise Mistake unless the caller's values are as they were."""
    given, values = inputs[1], others[1]
    if set(given) != set(values):
        new = min(set(given) ^ set(values))
        raise Mistake(f"The result is right, but {new} now stands in the caller's values. Begin with dict(values).")
    if any(not np.array_equal(given[name], values[name]) for name in values):
        raise Mistake("The result is right, but an array in values was changed. Make new arrays.")


Task(
    "38 interpret",
    head="interpret(steps, values)",
    right=f"""
        OPERATIONS = {{"matmul": np.matmul, "add": np.add, "tanh": np.tanh}}
        known = dict(values)
        for op, inputs, output in steps:
            known[output] = OPERATIONS[op]({INPUTS})
        return known[output]""",
    cases=(  # each program with the values it begins with; the last one gives an old name new values
        ([("add", ["x", "b"], "v1")], {"x": [1.0, 2.0], "b": [10.0, 20.0]}),
        ([("matmul", ["x", "W"], "v1"), ("add", ["v1", "x"], "v2")], {"x": [1.0, 2.0], "W": [[0.0, 1.0], [2.0, 3.0]]}),
        (
            [("matmul", ["x", "W"], "v1"), ("tanh", ["v1"], "v2"), ("add", ["v2", "v1"], "y")],
            {"x": [[1.0, 0.5]], "W": [[0.5, 2.0], [1.0, -1.0]]},
        ),
        ([("add", ["x", "x"], "x"), ("add", ["x", "x"], "x")], {"x": [1.0, 2.0]}),
    ),
    answers=(
        Right("by if", (f"OPERATIONS[op]({INPUTS})", "np.tanh(known[inputs[0]]) if op == 'tanh' else known[inputs[0]] @ known[inputs[1]] if op == 'matmul' else known[inputs[0]] + known[inputs[1]]")),
        Wrong("return in the loop", ("    return", "        return"), "That is the result of the first step. Does `return` stand inside the loop?"),
        Wrong("backwards", ("in inputs", "in inputs[::-1]"), "The inputs come in the wrong order: they should go in as they stand in the list."),
        Wrong("first input", (INPUTS, "known[inputs[0]], known[inputs[0]]")),
        Wrong("x only", "values['x']"),
        Wrong("the caller's dict", ("dict(values)", "values"), holds="Begin with dict(values)"),
        Wrong("the caller's arrays", ("return known[output]", "values['x'] *= 2\n    return known[output]"), holds="an array in values was changed"),
        Wrong("nothing kept", (("known[output] = OP", "result = OP"), ("return known[output]", "return result")), holds="kept under its name"),
        Wrong("only the beginning", ("*[known[name]", "*[values[name]"), holds="kept under its name"),
        Wrong("everything", ("return known[output]", "return known"), holds="gives a dict"),
        Wrong("two inputs", (INPUTS, "known[inputs[0]], known[inputs[1]]"), holds="as many as there are"),
        Wrong("a word", "'done'", holds="An array is asked for"),
        Wrong("a Tensor", ("return known[output]", "return Tensor(known[output])"), holds="gives a Tensor. Return an array of NumPy"),
        Wrong("prints", ("return known[output]", "print(known[output])"), holds=PRINTS),
    ),
    otherwise="Each step reads its inputs by name, and keeps its result under its own name.",
    praise="Steps, names and arrays are enough to run a network.",
    hints=(
        "Begin with known = dict(values), and go through the steps: for op, inputs, output in steps.",
        "The inputs of a step are [known[name] for name in inputs]. OPERATIONS[op] is its function.",
        "In the loop: known[output] = OPERATIONS[op](*[known[name] for name in inputs]). After it: return known[output].",
    ),
    inputs=lambda case, function: [list(case[0]), {name: np.array(values) for name, values in case[1].items()}],
    said=lambda case: f"interpret for the steps {written(case[0])}",
    stops=(
        Stop(KeyError, "{said} finds no {error}. The result of each step has to be kept under its name."),
        Stop(IndexError, AS_MANY),
    ),
    read=result,
    after=values_kept,
    message=GIVES,
)  # fmt: skip

# -- the graph as a list of steps ---------------------------------------------------------------------------

GRAPHS = {
    "x @ w": ("x @ w", "xw"),
    "x @ w + b": ("x @ w + b", "xwb"),
    "tanh(h) + h, where h is x @ w": ("(lambda h: tanh(h) + h)(x @ w)", "xw"),
}


def graph(case, function):
    """A small graph of the reader's machine: its end, and the names of its leaves."""
    names = names_of(function, 38)
    arrays = {"x": [[1.0, 2.0], [0.5, 1.0]], "w": [[0.0, 1.0], [2.0, 3.0]], "b": [[3.0, 4.0], [5.0, 6.0]]}
    leaves = {name: names["Tensor"](np.array(numbers)) for name, numbers in arrays.items()}
    code, letters = GRAPHS[case]
    return [eval(code, names | leaves), {leaves[name]: name for name in letters}]


def are_steps(answer):
    """Whether something is a list of three things each."""
    return isinstance(answer, list | tuple) and all(
        isinstance(step, list | tuple) and len(step) == 3 for step in answer
    )


def steps_in(answer, said):
    """The reader's list of steps. Raises Mistake for one of another form."""
    if not isinstance(answer, list | tuple):
        raise Mistake(f"A list of steps is asked for, and {said} gives {type(answer).__name__}.")
    if not are_steps(answer):
        raise Mistake(f"{said} has a step of another form. A step is (operation, [inputs], output).")
    flat = [name for _, inputs, output in answer for name in (*np.atleast_1d(inputs), output)]
    if any(hasattr(name, "creators") for name in flat):
        raise Mistake(f"{said} still has Tensors in it. Put their names in their place.")
    if any(op is None for op, _, _ in answer):
        raise Mistake(f"{said} has a step for a leaf. Leaves are there from the beginning: leave them out.")
    return answer


def outer(steps):
    """The operations of steps, and the names of their results."""
    return [op for op, _, _ in steps], [output for _, _, output in steps]


def other_steps(found, right, said):
    """Raise Mistake for other operations than those of the graph, or other names of results."""
    (found, outputs), (right, numbered) = outer(found), outer(right)
    if found != right:
        why = "Each node that is no leaf is one step."
        if sorted(found) == sorted(right):
            why = "They stand in the wrong order: creators come first, as in order(end)."
        raise Mistake(f"{said} has the operations {', '.join(found)}; they should be {', '.join(right)}. {why}")
    raise Mistake(f"{said} calls its results {', '.join(map(str, outputs))}; they should be {', '.join(numbered)}.")


def run_as_graph(answer, wanted, inputs, others, said):
    """Raise Mistake unless the steps give what the graph has at its end, and the names are as they were."""
    end, leaves = others
    try:
        got = interpret(answer, {name: leaf.data for leaf, name in leaves.items()}, OPERATIONS)
    except (KeyError, TypeError, ValueError) as error:
        raise Mistake(f"{said} cannot be run: {type(error).__name__} for {error}. Are the names right?") from None
    if not same(np.asarray(got, float), end.data):
        raise Mistake(
            f"{said} has the right operations, but run as a program it gives other numbers. The inputs of a "
            "step are the names of its creators, in their order."
        )
    if list(inputs[1].values()) != list(leaves.values()):
        raise Mistake(f"{said} is right, but the dict of names was changed. Begin with dict(names).")


CREATORS = "[known[creator] for creator in node.creators]"

Task(
    "38 steps",
    head="steps_of(end, names)",
    right=f"""
        known, steps = dict(names), []
        for node in order(end):
            if node.creation_op is not None:
                known[node] = f"v{{len(steps) + 1}}"
                steps.append((node.creation_op, {CREATORS}, known[node]))
        return steps""",
    cases=tuple(GRAPHS),
    answers=(
        Right("a walk of its own", """
            known, steps = dict(names), []
            def visit(node):
                if node in known:
                    return
                for creator in node.creators:
                    visit(creator)
                known[node] = "v" + str(len(steps) + 1)
                steps.append((node.creation_op, tuple(known[c] for c in node.creators), known[node]))
            visit(end)
            return steps"""),
        Wrong("leaves too", ("node.creation_op is not None", "True"), holds="a step for a leaf"),
        Wrong("Tensors", (CREATORS, "list(node.creators)"), holds="still has Tensors"),
        Wrong("a Tensor as output", ("known[node]))", "node))"), holds="still has Tensors"),
        Wrong("from the end", ("return steps", "return steps[::-1]"), holds="wrong order"),
        Wrong("walked from the end", ("order(end)", "reversed(order(end))"), holds="finds no name"),
        Wrong("one name", ('f"v{len(steps) + 1}"', '"v"'), holds="they should be v1"),
        Wrong("from v0", ("len(steps) + 1", "len(steps)"), holds="they should be v1"),
        Wrong("with gaps", ("len(steps) + 1", "len(known) + 1"), holds="they should be v1"),
        Wrong("inputs exchanged", ("in node.creators", "in node.creators[::-1]"), holds="in their order"),
        Wrong("another name", (CREATORS, f"[name.upper() for name in {CREATORS}]"), holds="Are the names right?"),
        Wrong("two creators", ("in node.creators", "in (node.creators[0], node.creators[1])"), holds="as many as there are"),
        Wrong("unpacked", (("    steps.app", "    a, b = node.creators\n            steps.app"), (CREATORS, "[known[a], known[b]]")), holds="as many as there are"),
        Wrong("names by letters", ("known[node]))", "known['end']))"), holds="KeyError: 'end'"),
        Wrong("the last step", ("return steps", "return steps[-1:]"), holds="one step"),
        Wrong("pairs", (", known[node]))", "))"), holds="another form"),
        Wrong("text", ("return steps", "return str(steps)"), holds="gives str"),
        Wrong("the caller's dict", ("dict(names)", "names"), holds="dict of names was changed"),
        Wrong("prints", ("return steps", "print(steps)"), holds=PRINTS),
    ),
    praise="This list is the graph, without a single Tensor in it.",
    hints=(
        "order(end) has every Tensor once, creators first. A leaf has creation_op None and is no step.",
        'Keep a dict of names: known = dict(names). A node of a step gets the name "v1", "v2" and so on.',
        "For each node that is no leaf: known[node] = the new name, and steps.append((node.creation_op, [known[creator] for creator in node.creators], known[node])).",
    ),
    inputs=graph,
    said="steps_of({}, ...)".format,
    stops=(
        Stop(KeyError, "Your code stopped with {name}: {error}", "'"),
        Stop(KeyError, "{said} finds no name for a Tensor. Give each node its name before a later step needs it."),
        Stop(IndexError, AS_MANY),
        Stop(ValueError, AS_MANY, "to unpack"),
    ),
    read=steps_in,
    equal=lambda found, right: outer(found) == outer(right),
    unequal=other_steps,
    after=run_as_graph,
)  # fmt: skip

# -- a division, and a division folded in -------------------------------------------------------------------

W, B = np.array([[32.0, 0.0], [16.0, -16.0], [0.0, 8.0]]), np.array([1.0, 2.0])
PROGRAMS = (
    [("matmul", ["x", "W1"], "v1"), ("add", ["v1", "b1"], "v2")],
    [("add", ["x", "b1"], "v1"), ("add", ["v1", "x"], "v2")],
    [("add", ["x2", "x"], "v1")],
)
RENAMED = '["v0" if name == "x" else name for name in inputs]'

SCALED = Table(
    "38 scaled",
    head="scaled(steps)",
    right=f"""
        new = [("divide", ["x", "sixteen"], "v0")]
        for op, inputs, output in steps:
            new.append((op, {RENAMED}, output))
        return new""",
    answers=(
        Right("another name", ('"v0"', '"small"')),
        Wrong("not used", '[("divide", ["x", "sixteen"], "v0"), *steps]', "Nobody uses the result of the division: every step that read x has to read the result of the division."),
        Wrong("at the end", '[*steps, ("divide", [steps[-1][2], "sixteen"], "y")]', "The division comes at the end. Put it in front."),
        Wrong("only the first step", ("return new", "return [*new[:2], *steps[1:]]")),
        Wrong("x twice", '[("divide", ["x", "sixteen"], "x"), *steps]', holds="a name of its own"),
        Wrong("v1 twice", ('"v0"', '"v1"'), holds="a name of its own"),
        Wrong("letters exchanged", (RENAMED, '[name.replace("x", "v0") for name in inputs]'), holds="Compare whole names"),
        Wrong("a number", ('"sixteen"', "16"), holds="there is no 16"),
        Wrong("behind", ("return new", "return new[1:] + new[:1]"), holds="cannot be run"),
        Wrong("no division", "list(steps)", holds="no step with the operation divide"),
        Wrong("text", "str(steps)", holds="A list of steps is asked for"),
        Wrong("in place", 'steps.insert(0, ("divide", ["x", "sixteen"], "x"))\nreturn steps', holds="Return a new one"),
        Wrong("prints", ("return new", "print(new)"), holds=PRINTS),
    ),
    otherwise="Every step that read x has to read the result of the division.",
    hints=(
        'The new step stands in front: ("divide", ["x", "sixteen"], ...), and it needs a name for its result.',
        'With the result "v0", the old first step has to read v0 where it read x.',
        'new = [("divide", ["x", "sixteen"], "v0")]; then each old step with "v0" in the place of "x": (op, ["v0" if name == "x" else name for name in inputs], output).',
    ),
)  # fmt: skip


@SCALED.judged
def scaled(function):
    """Judge a list of steps with a division by 16 in front."""
    for steps in PROGRAMS:
        said = f"scaled for the steps {written(steps)}"
        given = [(op, list(inputs), output) for op, inputs, output in steps]
        found = call(function, given, said=said, header="def scaled(steps):")
        if given != steps:
            raise Mistake("scaled changed the list that it was given. Return a new one.")
        judge_scaled(function, found, steps, said)
    return "The division travels with the network now."


def judge_scaled(function, found, steps, said):
    """Raise Mistake unless the steps divide their input by sixteen first."""
    if not are_steps(found):
        raise Mistake(f"{said} gives {found!r:.60}. A list of steps is asked for.")
    if not any(step[0] == "divide" for step in found):
        raise Mistake(f"{said} has no step with the operation divide.")
    taken = ["x", "x2", "W1", "b1", "sixteen"]
    for _, _, output in found:
        if output in taken:
            raise Mistake(
                f"{said} gives a result the name {output!r}, which another array has. Each result needs a "
                "name of its own: an ONNX file in which a name is given twice is refused."
            )
        taken.append(output)
    x = np.array([16.0, 8.0]) if steps is not PROGRAMS[0] else np.array([[16.0, 8.0, 4.0]])
    values = {"x": x, "x2": 3 * B, "W1": W, "b1": B, "sixteen": 16.0}

    def run(steps):
        return interpret(steps, values, {**OPERATIONS, "divide": np.divide})

    try:
        got = run(found)
    except KeyError as error:
        why = "The divisor has the name 'sixteen', and a result has to be there before it is used."
        if any("x2" in inputs for _, inputs, _ in steps):
            why = "Only x has a new name: x2 is an array of its own. Compare whole names."
        raise Mistake(f"{said} cannot be run: there is no {error.args[0]!r}. {why}") from None
    wanted = run(SCALED.answer(function)(steps))
    if not same(got, wanted):
        why = SCALED.why(lambda wrong: same(got, outcome(lambda: run(wrong(steps)))), function)
        raise Mistake(f"{said} gives {listed(got)} where {listed(wanted)} is right. {why}")


FOLDED = Table(
    "38 folded",
    head="folded(values)",
    right='{**values, "W1": values["W1"] / 16}',
    answers=(
        Wrong("multiplied", ("/ 16", "* 16"), "The weights are multiplied. They have to be divided by 16: x / 16 @ W is x @ (W / 16)."),
        Wrong("the bias too", ("/ 16", '/ 16, "b1": values["b1"] / 16'), "The bias is divided too. It comes after the product: leave it as it is."),
        Wrong("the bias", ("W1", "b1"), "The division belongs to the weights: x / 16 @ W is x @ (W / 16)."),
        Wrong("nothing", "dict(values)", "Nothing has changed. Divide the weights of the first layer."),
        Wrong("W1 alone", ("**values, ", ""), "b1 is missing. Keep all the other arrays."),
        Wrong("whole numbers", ("/", "//"), "// leaves out what stands after the point. Divide by /."),
        Wrong("W1 missing", '{"b1": values["b1"]}', holds="gives no W1 of the shape"),
        Wrong("W2 missing", ("**values, ", '"b1": values["b1"], '), holds="another array is not. Only W1 changes"),
        Wrong("all layers", "{name: array / 16 for name, array in values.items()}", holds="leave it as it is"),
        Wrong("x", ("W1", "x"), holds="Change W1"),
        Wrong("in place", 'values["W1"] = values["W1"] / 16\nreturn values', holds="Return a new dict"),
        Wrong("the array", 'values["W1"] / 16', holds="A dict of arrays"),
        Wrong("prints", 'print(values["W1"] / 16)', holds=PRINTS),
    ),
    otherwise="Only W1 changes: each of its numbers is divided by 16.",
    hints=(
        "x / 16 @ W1 is the same as x @ (W1 / 16).",
        'Make a new dict: folded = dict(values), and give "W1" another array.',
        'return {**values, "W1": values["W1"] / 16}',
    ),
)
NO_X = Stop(KeyError, "There is no 'x' in the dict, which has the network's arrays alone: x comes later. Change W1.", "'x'")


@FOLDED.judged
def folded(function):
    """Judge values in which the division by 16 is part of the first weights."""
    values = {"W1": W.copy(), "b1": B.copy(), "W2": np.eye(2)}
    said = f"folded with W1 = {listed(W)} and b1 = {listed(B)}"
    with advice(NO_X):
        found = call(function, values, said=said, header="def folded(values):")
    if not isinstance(found, dict):
        raise Mistake(f"A dict of arrays is asked for, and {said} gives {type(found).__name__}.")
    if not same(values["W1"], W) or not same(values["b1"], B):
        raise Mistake("folded changed the arrays of the caller. Return a new dict, with a new W1.")
    if all(same(found.get(name), array) for name, array in FOLDED.answer(function)(values).items()):
        return "No step more, and the pixels from 0 to 16 go in as they are. Exporters do this too."

    def fits(wrong):
        other = wrong(values)
        return all(np.array_equal(found.get(name, 0), other.get(name, 0)) for name in ("W1", "b1"))

    why, w = FOLDED.why(fits, function), np.asarray(found.get("W1"))
    if same(w, W / 16):
        raise Mistake(f"In {said}, the new W1 is right, and another array is not. {why}")
    if w.shape != W.shape:
        raise Mistake(f"{said} gives no W1 of the shape {W.shape}. {why}")
    k = next(k for k in range(len(W)) if not same(w[k], W[k] / 16))
    which = ("first", "second", "third")[k]
    raise Mistake(f"{said} gives the {which} row of W1 {in_words(w[k])}; it should be {in_words(W[k] / 16)}. {why}")
