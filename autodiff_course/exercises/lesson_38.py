"""The exercises of lesson 38: a network's numbers as plain arrays, its graph as a list of steps, a program
that runs such a list, and a step that is folded into the numbers."""

import numpy as np

from ..checking import Mistake, exercise
from ..runs.lesson_38 import interpret as right_interpret
from .calling import call, names_of
from .shared import in_words, listed, predicted, same

# -- how large the file is ----------------------------------------------------------------------------------

BYTES = 4 * (64 * 64 + 64 + 64 * 10 + 10)

BYTES_KINDS = {
    BYTES // 4: "That is how many numbers there are. Each takes four bytes.",
    2 * BYTES: "Those are eight bytes each, as the machine has them. A float32 takes four.",
    4 * (64 * 64 + 64 * 10): "The biases are missing: 64 numbers of the first layer and 10 of the second.",
    4 * (64 * 64 + 64): "That is the first layer alone. Add the second: 64 * 10 weights and 10 biases.",
    8 * BYTES: "Those are bits. A byte has eight of them.",
}


@exercise(
    "38 bytes",
    "Count the numbers first: weights and biases of both layers.",
    "The first layer has 64 * 64 weights and 64 biases, the second 64 * 10 and 10.",
    "Together they are 4,810 numbers, of four bytes each.",
)
def size_in_bytes(guess):
    """Judge how many bytes the network's numbers take as float32."""
    otherwise = "Count the numbers of both layers, and multiply by four."
    predicted(guess, BYTES, BYTES_KINDS, otherwise, within=0.5)
    return "4,810 numbers of four bytes are 19,240 bytes: less than a small photograph."


# -- the numbers --------------------------------------------------------------------------------------------


@exercise(
    "38 plain",
    "parameters(net) gives the Tensors. Each has its numbers in .data.",
    "np.asarray(numbers, np.float32) makes an array of float32 of them.",
    "return [np.asarray(p.data, np.float32) for p in parameters(net)]",
)
def plain(function):
    """Judge a network's numbers as a list of arrays of float32."""
    names = names_of(function, 38)
    rng = np.random.default_rng(0)
    layers = names["Linear"](3, 2, rng), names["tanh"], names["Linear"](2, 4, rng)
    cases = (
        ("plain(Linear(3, 2, rng))", layers[0]),
        ("plain(Sequential(Linear(3, 2, rng), tanh, Linear(2, 4, rng)))", names["Sequential"](*layers)),
    )
    for said, net in cases:
        wanted = [np.array(p.data) for p in names["parameters"](net)]
        try:
            found = call(function, net, said=said, header="def plain(net):")
        except (TypeError, ValueError) as error:
            if "array element" not in str(error):
                raise
            why = "A parameter is a Tensor, which NumPy does not know. Take the .data of each."
            raise Mistake(why) from None
        judge_plain(found, wanted, said)
        if any(not np.array_equal(p.data, w) for p, w in zip(names["parameters"](net), wanted)):
            raise Mistake(f"{said} is right, but the network itself was changed.")
    return "Any program that knows arrays can read them."


def judge_plain(found, wanted, said):
    """Raise Mistake unless the arrays are the wanted ones."""
    if not isinstance(found, (list, tuple)):
        raise Mistake(f"A list of arrays is asked for, and {said} gives {type(found).__name__}.")
    if any(hasattr(one, "creators") for one in found):
        raise Mistake(f"{said} gives Tensors, which only your machine knows. Take the .data of each.")
    if not all(isinstance(one, np.ndarray) for one in found):
        odd = next(type(one).__name__ for one in found if not isinstance(one, np.ndarray))
        raise Mistake(f"{said} has a {odd} in its list. Each part should be a NumPy array.")
    if len(found) != len(wanted):
        raise Mistake(
            f"{said} gives {len(found)} arrays; it should give {len(wanted)}: a weight and a bias for each "
            "layer."
        )
    shapes = [one.shape for one in found], [one.shape for one in wanted]
    if shapes[0] != shapes[1]:
        raise Mistake(
            f"{said} gives the shapes {shapes[0]}; they should be {shapes[1]}, as in parameters(net)."
        )
    if not all(np.allclose(one, w, rtol=1e-5, atol=1e-7) for one, w in zip(found, wanted)):
        raise Mistake(f"The shapes are right, but the numbers in {said} are not those of the network.")
    if any(one.dtype != np.float32 for one in found):
        odd = next(one.dtype for one in found if one.dtype != np.float32)
        raise Mistake(f"{said} gives numbers of {odd}. The other programs expect float32.")


# -- a program that runs a list of steps --------------------------------------------------------------------

TABLE = {"matmul": np.matmul, "add": np.add, "tanh": np.tanh}

# Each program with the values it begins with. The last one gives an old name new values.
PROGRAMS = (
    ([("add", ["x", "b"], "v1")], {"x": np.array([1.0, 2.0]), "b": np.array([10.0, 20.0])}),
    (
        [("matmul", ["x", "W"], "v1"), ("add", ["v1", "x"], "v2")],
        {"x": np.array([1.0, 2.0]), "W": np.array([[0.0, 1.0], [2.0, 3.0]])},
    ),
    (
        [("matmul", ["x", "W"], "v1"), ("tanh", ["v1"], "v2"), ("add", ["v2", "v1"], "y")],
        {"x": np.array([[1.0, 0.5]]), "W": np.array([[0.5, 2.0], [1.0, -1.0]])},
    ),
    ([("add", ["x", "x"], "x"), ("add", ["x", "x"], "x")], {"x": np.array([1.0, 2.0])}),
)


AS_MANY = "tanh has one input, and add has two. Take as many as there are."


def first_only(steps, values):
    """The mistake of a `return` inside the loop."""
    return right_interpret(steps[:1], values, TABLE)


def exchanged(steps, values):
    """The mistake of inputs in the wrong order."""
    return right_interpret([(op, inputs[::-1], output) for op, inputs, output in steps], values, TABLE)


INTERPRET_KINDS = (
    (first_only, "That is the result of the first step. Does `return` stand inside the loop?"),
    (exchanged, "The inputs come in the wrong order: they should go in as they stand in the list."),
)


@exercise(
    "38 interpret",
    "Begin with known = dict(values), and go through the steps: for op, inputs, output in steps.",
    "The inputs of a step are [known[name] for name in inputs]. OPERATIONS[op] is its function.",
    "In the loop: known[output] = OPERATIONS[op](*[known[name] for name in inputs]). After it: "
    "return known[output].",
)
def interpret(function):
    """Judge the program that runs a list of steps."""
    for steps, values in PROGRAMS:
        given = {name: array.copy() for name, array in values.items()}
        said = f"interpret for the steps {written(steps)}"
        found = called(function, list(steps), given, said)
        if isinstance(found, dict):
            raise Mistake(f"{said} gives a dict. Only the result of the last step is asked for.")
        wanted = right_interpret(steps, values, TABLE)
        judge_result(found, wanted, steps, values, said)
        if set(given) != set(values):
            new = min(set(given) ^ set(values))
            raise Mistake(
                f"The result is right, but {new} now stands in the caller's values. Begin with dict(values)."
            )
        if any(not np.array_equal(given[name], values[name]) for name in values):
            raise Mistake("The result is right, but an array in values was changed. Make new arrays.")
    return "Steps, names and arrays are enough to run a network."


def written(steps):
    """Steps as a line of Python would say them."""
    return "; ".join(f"{output} = {op}({', '.join(inputs)})" for op, inputs, output in steps)


def called(function, steps, values, said):
    """What the reader's function gives; a name that is missing has a message of its own."""
    try:
        return call(function, steps, values, said=said, header="def interpret(steps, values):")
    except KeyError as error:
        raise Mistake(
            f"{said} finds no {error.args[0]!r}. The result of each step has to be kept under its name."
        ) from None
    except IndexError:
        raise Mistake(f"{said}: {AS_MANY}") from None


def judge_result(found, wanted, steps, values, said):
    """Raise Mistake unless the result is the wanted one."""
    try:
        found = np.asarray(found, float)
    except (TypeError, ValueError):
        raise Mistake(f"{said} gives {found!r:.60}. An array is asked for.") from None
    if not same(found, wanted):
        fits = (kind for wrong, kind in INTERPRET_KINDS if same(found, wrong_result(wrong, steps, values)))
        kind = next(fits, "Each step reads its inputs by name, and keeps its result under its own name.")
        raise Mistake(f"{said} gives {listed(found)}; it should give {listed(wanted)}. {kind}")


def wrong_result(wrong, steps, values):
    """The result of a known mistake, or None if it cannot be computed."""
    try:
        return wrong(steps, values)
    except (ValueError, KeyError, IndexError):
        return None


# -- the graph as a list of steps ---------------------------------------------------------------------------


def graphs(names):
    """Small graphs of a machine: in words, the end, and the names of its leaves."""
    Tensor = names["Tensor"]
    arrays = [[1.0, 2.0], [0.5, 1.0]], [[0.0, 1.0], [2.0, 3.0]], [[3.0, 4.0], [5.0, 6.0]]
    x, w, b = (Tensor(np.array(array)) for array in arrays)
    first = x @ w
    shared = first + b
    return (
        ("x @ w", first, {x: "x", w: "w"}),
        ("x @ w + b", shared, {x: "x", w: "w", b: "b"}),
        ("tanh(h) + h, where h is x @ w", names["tanh"](first) + first, {x: "x", w: "w"}),
    )


@exercise(
    "38 steps",
    "order(end) has every Tensor once, creators first. A leaf has creation_op None and is no step.",
    'Keep a dict of names: known = dict(names). A node of a step gets the name "v1", "v2" and so on.',
    "For each node that is no leaf: known[node] = the new name, and steps.append((node.creation_op, "
    "[known[creator] for creator in node.creators], known[node])).",
)
def steps_of(function):
    """Judge the list of steps that is made of a graph."""
    machine = names_of(function, 38)
    for what, end, leaves in graphs(machine):
        said = f"steps_of({what}, ...)"
        given = dict(leaves)
        try:
            found = call(function, end, given, said=said, header="def steps_of(end, names):")
        except KeyError as error:
            if not isinstance(error.args[0], machine["Tensor"]):
                raise
            raise Mistake(
                f"{said} finds no name for a Tensor. Give each node its name before a later step needs it."
            ) from None
        except (IndexError, ValueError) as error:
            if isinstance(error, ValueError) and "to unpack" not in str(error):
                raise
            raise Mistake(f"{said}: {AS_MANY}") from None
        judge_steps(found, end, leaves, machine, said)
        if given != leaves:
            raise Mistake(f"{said} is right, but the dict of names was changed. Begin with dict(names).")
    return "This list is the graph, without a single Tensor in it."


def judge_steps(found, end, leaves, machine, said):
    """Raise Mistake unless the list gives the graph's operations and its result."""
    if not isinstance(found, (list, tuple)):
        raise Mistake(f"A list of steps is asked for, and {said} gives {type(found).__name__}.")
    wanted = [node.creation_op for node in machine["order"](end) if node.creation_op is not None]
    shape = all(isinstance(step, (list, tuple)) and len(step) == 3 for step in found)
    if not shape:
        raise Mistake(f"{said} has a step of another form. A step is (operation, [inputs], output).")
    flat = [name for _, inputs, output in found for name in (*np.atleast_1d(inputs), output)]
    if any(hasattr(name, "creators") for name in flat):
        raise Mistake(f"{said} still has Tensors in it. Put their names in their place.")
    if any(op is None for op, _, _ in found):
        raise Mistake(f"{said} has a step for a leaf. Leaves are there from the beginning: leave them out.")
    if [op for op, _, _ in found] != wanted:
        kind = (
            "They stand in the wrong order: creators come first, as in order(end)."
            if sorted(op for op, _, _ in found) == sorted(wanted)
            else "Each node that is no leaf is one step."
        )
        there = ", ".join(op for op, _, _ in found)
        raise Mistake(f"{said} has the operations {there}; they should be {', '.join(wanted)}. {kind}")
    outputs = [output for _, _, output in found]
    numbered = [f"v{k + 1}" for k in range(len(outputs))]
    if outputs != numbered:
        raise Mistake(
            f"{said} calls its results {', '.join(map(str, outputs))}; they should be {', '.join(numbered)}."
        )
    values = {name: leaf.data for leaf, name in leaves.items()}
    try:
        got = right_interpret(found, values, TABLE)
    except (KeyError, TypeError, ValueError) as error:
        raise Mistake(
            f"{said} cannot be run: {type(error).__name__} for {error}. Are the names right?"
        ) from None
    if not same(np.asarray(got, float), end.data):
        raise Mistake(
            f"{said} has the right operations, but run as a program it gives other numbers. The inputs of a "
            "step are the names of its creators, in their order."
        )


# -- a division, and a division folded in -------------------------------------------------------------------

W = np.array([[32.0, 0.0], [16.0, -16.0], [0.0, 8.0]])
B = np.array([1.0, 2.0])
STEPS = [("matmul", ["x", "W1"], "v1"), ("add", ["v1", "b1"], "v2")]


@exercise(
    "38 scaled",
    'The new step stands in front: ("divide", ["x", "sixteen"], ...), and it needs a name for its result.',
    'With the result "v0", the old first step has to read v0 where it read x.',
    'new = [("divide", ["x", "sixteen"], "v0")]; then each old step with "v0" in the place of "x": '
    '(op, ["v0" if name == "x" else name for name in inputs], output).',
)
def scaled(function):
    """Judge a list of steps with a division by 16 in front."""
    cases = (
        STEPS,
        [("add", ["x", "b1"], "v1"), ("add", ["v1", "x"], "v2")],
        [("add", ["x2", "x"], "v1")],
    )
    for steps in cases:
        said = f"scaled for the steps {written(steps)}"
        given = [(op, list(inputs), output) for op, inputs, output in steps]
        found = call(function, given, said=said, header="def scaled(steps):")
        if given != [(op, list(inputs), output) for op, inputs, output in steps]:
            raise Mistake("scaled changed the list that it was given. Return a new one.")
        judge_scaled(found, steps, said)
    return "The division travels with the network now."


def judge_scaled(found, steps, said):
    """Raise Mistake unless the steps divide their input by sixteen first."""
    if not isinstance(found, (list, tuple)) or not all(
        isinstance(step, (list, tuple)) and len(step) == 3 for step in found
    ):
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
    x = np.array([16.0, 8.0]) if steps is not STEPS else np.array([[16.0, 8.0, 4.0]])
    values = {"x": x, "x2": 3 * B, "W1": W, "b1": B, "sixteen": 16.0}
    table = {**TABLE, "divide": np.divide}
    try:
        got = right_interpret(found, values, table)
    except KeyError as error:
        if any("x2" in inputs for _, inputs, _ in steps):
            raise Mistake(
                f"{said} cannot be run: there is no {error.args[0]!r}. Only x has a new name: x2 is "
                "an array of its own. Compare whole names."
            ) from None
        raise Mistake(
            f"{said} cannot be run: there is no {error.args[0]!r}. The divisor has the name 'sixteen', and a "
            "result has to be there before it is used."
        ) from None
    wanted = right_interpret(steps, {**values, "x": x / 16}, TABLE)
    if not same(got, wanted):
        kind = "Every step that read x has to read the result of the division."
        if same(got, right_interpret(steps, values, TABLE)):
            kind = "Nobody uses the result of the division: " + kind[0].lower() + kind[1:]
        elif same(got, right_interpret(steps, values, TABLE) / 16):
            kind = "The division comes at the end. Put it in front."
        raise Mistake(f"{said} gives {listed(got)} where {listed(wanted)} is right. {kind}")


FOLDED_KINDS = (
    (lambda w, b: (w * 16, b), "The weights are multiplied. They have to be divided by 16: x / 16 @ W is x @ (W / 16)."),
    (lambda w, b: (w / 16, b / 16), "The bias is divided too. It comes after the product: leave it as it is."),
    (lambda w, b: (w, b / 16), "The division belongs to the weights: x / 16 @ W is x @ (W / 16)."),
    (lambda w, b: (w, b), "Nothing has changed. Divide the weights of the first layer."),
    (lambda w, b: (w / 16, None), "b1 is missing. Keep all the other arrays."),
    (lambda w, b: (w // 16, b), "// leaves out what stands after the point. Divide by /."),
)  # fmt: skip


@exercise(
    "38 folded",
    "x / 16 @ W1 is the same as x @ (W1 / 16).",
    'Make a new dict: folded = dict(values), and give "W1" another array.',
    'return {**values, "W1": values["W1"] / 16}',
)
def folded(function):
    """Judge values in which the division by 16 is part of the first weights."""
    values = {"W1": W.copy(), "b1": B.copy(), "W2": np.eye(2)}
    said = f"folded with W1 = {listed(W)} and b1 = {listed(B)}"
    try:
        found = call(function, values, said=said, header="def folded(values):")
    except KeyError as error:
        if error.args[0] != "x":
            raise
        raise Mistake(
            "There is no 'x' in the dict, which has the network's arrays alone: x comes later. Change W1."
        ) from None
    if not isinstance(found, dict):
        raise Mistake(f"A dict of arrays is asked for, and {said} gives {type(found).__name__}.")
    if not same(values["W1"], W) or not same(values["b1"], B):
        raise Mistake("folded changed the arrays of the caller. Return a new dict, with a new W1.")
    if same(found.get("W1"), W / 16) and same(found.get("b1"), B) and same(found.get("W2"), np.eye(2)):
        return "No step more, and the pixels from 0 to 16 go in as they are. Exporters do this too."
    w = np.asarray(found.get("W1"))
    pair = found.get("W1"), found.get("b1")
    kinds = (kind for wrong, kind in FOLDED_KINDS if all(map(alike, wrong(W, B), pair)))
    kind = next(kinds, "Only W1 changes: each of its numbers is divided by 16.")
    if same(w, W / 16):
        raise Mistake(f"In {said}, the new W1 is right, and another array is not. {kind}")
    if np.shape(w) != W.shape:
        raise Mistake(f"{said} gives no W1 of the shape {W.shape}. {kind}")
    k = next(k for k in range(len(W)) if not same(w[k], W[k] / 16))
    which = ("first", "second", "third")[k]
    raise Mistake(
        f"{said} gives the {which} row of W1 {in_words(w[k])}; it should be {in_words(W[k] / 16)}. {kind}"
    )


def alike(one, other):
    """Whether two arrays are the same, or both are missing."""
    return one is other if one is None or other is None else same(one, other)
