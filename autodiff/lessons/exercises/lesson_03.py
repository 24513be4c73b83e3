"""The exercises of lesson 03: the rule of mul, the walk back where no paths meet, a prediction, and a check
of gradients by nudges."""

from collections.abc import Callable, Mapping

from ...draw.comparing.difference import first_difference
from .. import after_05
from ..after_01 import Tensor
from ..checking import Mistake, NotYet, exercise, number, parameters, result
from .nudging import checking_calls, scaled, swapped, why_stopped
from .shared import in_words

# -- in class: the two rules of mul -------------------------------------------------------------------------


# What two wrong rules give at x = 5, y = 7 with the gradient 1 above, and the mistake behind it.
MUL_KINDS = {
    (5, 7): "Each creator got its own value as its local slope. It is the value of the other one.",
    (8, 6): "The gradient above and the local slope are multiplied, not added.",
    (1, 1): "This is the rule of add, where a creator moves the result just as far as it moves.",
    (35, 35): "35 is z, the value of x * y. Asked is how much z moves when one creator moves.",
    (7, 7): "What goes to x is right. What goes to y needs the value of the other one, x.",
    (5, 5): "What goes to y is right. What goes to x needs the value of the other one, y.",
}


@exercise(
    "03 mul",
    "What is the local slope of x * y at x? In lesson 02 it was 7 where x is 5 and y is 7. Whose value is "
    "the 7?",
    "A contribution is the gradient above times the local slope. Both are among the four numbers.",
    "The first function returns grad * y. The second is its mirror image.",
)
def mul(for_x, for_y=None):
    """Judge the two rules of z = x * y. They may come as a pair, as they stand in RULES."""
    if for_y is None and isinstance(for_x, (tuple, list)) and len(for_x) == 2:
        for_x, for_y = for_x
    if for_y is None:
        raise NotYet("there are two functions to write, one for x and one for y.")
    for rule in (for_x, for_y):
        if callable(rule) and parameters(rule) != 4:
            raise Mistake(
                "A rule takes four numbers, grad, z, x and y, also those that it does not use; one of yours "
                f"takes {parameters(rule)}."
            )
    first, second = mul_at(for_x, for_y, 1, 5, 7)
    if (first, second) != (7, 5):
        raise Mistake(
            f"At x = 5, y = 7, with the gradient 1 above, you give {first:.6g} and {second:.6g}; "
            "right is 7 and 5. "
            + MUL_KINDS.get((first, second), "Multiply the gradient above by the local slope.")
        )
    twice = mul_at(for_x, for_y, 2, 5, 7)
    if twice == (7, 5):
        raise Mistake(
            "At x = 5, y = 7, with the gradient 2 above, you still give 7 and 5; right is 14 and 10. The "
            "gradient above is dropped: these are the local slopes, and a contribution is the gradient "
            "times that."
        )
    if twice != (14, 10):
        raise Mistake(
            "At x = 5, y = 7, with the gradient 2 above, you give "
            f"{twice[0]:.6g} and {twice[1]:.6g}; right is 14 and 10."
        )
    try:
        zero = mul_at(for_x, for_y, 1, 0, 7)
    except ZeroDivisionError:
        raise Mistake("At x = 0, y = 7 you divide by zero. The rule needs no division.") from None
    if zero != (7, 0):
        raise Mistake(f"At x = 0, y = 7 you give {zero[0]:.6g} and {zero[1]:.6g}; right is 7 and 0.")
    return "The local slope is the other one's value, and the gradient above is multiplied by it."


def mul_at(for_x, for_y, grad, x, y):
    """The contributions of both rules as plain numbers."""
    rules = {"x": for_x, "y": for_y}
    return tuple(
        number(result(rule, grad, x * y, x, y, said=f"the rule for what goes to {name}"))
        for name, rule in rules.items()
    )


# -- what the lesson builds: backward, on graphs without meetings -------------------------------------------

OWN_VALUE = (
    "In a product each creator got its own value as its local slope. It is the value of the other one: grad "
    "* y goes to x, and grad * x to y."
)
ADDED = "The slopes along a path were added. They are multiplied."
MUL_DROPS = "The rule of mul drops the gradient that came from above: it is grad * y, not y alone."
ADD_DROPS = "The rule of add passes on 1, whatever came from above. It passes on grad."
LIKE_MUL = "A sum is treated like a product. In a sum both local slopes are 1."
LIKE_ADD = "A product is treated like a sum, as if its local slopes were 1."

# For each graph: its text, the data of its leaves, the right gradients, and the mistakes behind certain wrong
# gradients. Small graphs come first, so that the first to fail is the smallest. No paths meet. The values are
# chosen so that no two mistakes give the same gradients: on a * a, a swapped rule would be right.
PATHS = (
    ("x + y", (5, 7), (1, 1), {(7, 5): LIKE_MUL, (5, 7): LIKE_MUL}),
    ("x * y", (5, 7), (7, 5), {(5, 7): OWN_VALUE, (8, 6): ADDED, (1, 1): LIKE_ADD}),
    ("(x + y) * z", (2, 3, 5), (5, 5, 5), {(1, 1, 5): ADD_DROPS, (6, 6, 6): ADDED}),
    ("(x * y) * z", (2, 3, 5), (15, 10, 6), {(3, 2, 6): MUL_DROPS}),
)
FORMS: dict[str, Callable[..., Tensor]] = {
    "x + y": lambda x, y: x + y,
    "x * y": lambda x, y: x * y,
    "(x + y) * z": lambda x, y, z: (x + y) * z,
    "(x * y) * z": lambda x, y, z: (x * y) * z,
    "(x + 2) * (y * 3 + 4)": lambda x, y: (x + Tensor(2)) * (y * Tensor(3) + Tensor(4)),
}


def lesson_nodes(x, y):
    """The lesson's expression, e = (x + 2)(3y + 4): its nodes by name."""
    x, y = Tensor(x), Tensor(y)
    c = x + Tensor(2)
    b = y * Tensor(3)
    d = b + Tensor(4)
    return {"x": x, "y": y, "b": b, "c": c, "d": d, "e": c * d}


@exercise(
    "03 backward",
    "Each node does three things: it keeps the gradient that came, it works out what goes to each creator, "
    "and it calls backward there.",
    "RULES[node.creation_op] holds two functions, one per creator: zip pairs them. A leaf has no creators.",
    "for creator, rule in zip(node.creators, RULES[node.creation_op]): "
    "backward(creator, rule(grad, node.data, *values)), where values are the creators' data.",
)
def backward(function):
    """Judge a walk back, and the rules it uses, on graphs in which no paths meet."""
    if not callable(function):
        raise Mistake(f"A function is asked for here, and this is {function!r:.60}.")
    walk_from_leaf(function)
    for words, data, right, kinds in PATHS:
        leaves = list(map(Tensor, data))
        end = FORMS[words](*leaves)
        function(end)
        found = tuple(gradient(leaf, f"the {leaf.data} in {words}") for leaf in leaves)
        if found != right:
            at = ", ".join(f"{name} = {value}" for name, value in zip("xyz", data))
            raise Mistake(
                f"For {words} at {at} you give the gradients {in_words(found)}; right is {in_words(right)}. "
                + kinds.get(found, "Each contribution is the gradient above times the local slope.")
                + first_wrong(end, nodes_of(words, end, leaves))
            )
        if gradient(end, "the end") != 1:
            raise Mistake(
                f"For {words} the end itself got {end.grad:.6g}, and right is 1: it moves exactly as far as "
                "it moves."
            )
    for x, y, gradients in (
        (2, 2, {"e": 1, "c": 10, "d": 4, "b": 4, "x": 10, "y": 12}),
        (5, 1, {"e": 1, "c": 7, "d": 7, "b": 7, "x": 7, "y": 21}),
    ):
        nodes = lesson_nodes(x, y)
        function(nodes["e"])
        for name, wanted in gradients.items():
            found = gradient(nodes[name], name)
            if found != wanted:
                raise Mistake(
                    f"For e = (x + 2)(3y + 4) at x = {x}, y = {y} you give {name} the gradient {found:.6g}, "
                    f"and right is {wanted}." + first_wrong(nodes["e"], {**nodes, **numbers_in(nodes)})
                )
    return "On graphs in which no paths meet, every node gets its gradient."


def numbers_in(nodes):
    """The constants of the lesson's expression by what messages call them: "the 3 in b"."""
    return {f"the {nodes[name].creators[1]} in {name}": nodes[name].creators[1] for name in "cbd"}


def nodes_of(words, end, leaves):
    """The nodes of one of FORMS by their text. At most one of them is neither a leaf nor the end."""
    nodes = dict(zip("xyz", leaves)) | {words: end}
    for creator in end.creators:
        if creator.creators is not None:
            nodes[words[1 : words.index(")")]] = creator
    return nodes


def first_wrong(end: Tensor, nodes: Mapping[str, Tensor]) -> str:
    """A line that names the first wrong gradient on the way back from the end; "" for a single operation."""
    if all(creator.creators is None for creator in end.creators or ()):
        return ""
    wrong = first_difference(end, names=nodes)
    return f"\nWalking back, this is the first to go wrong: {wrong}." if wrong else ""


def walk_from_leaf(function):
    """Judge a walk from a leaf, which ends there with the gradient 1. Raises NotYet if it does nothing."""
    leaf, end = Tensor(3), Tensor(5) * Tensor(7)
    try:
        function(leaf)
        function(end)
    except (TypeError, KeyError) as error:
        if leaf.creators is not None or "None" not in str(error):
            raise
        raise Mistake(
            f"Walking from the single leaf Tensor(3) stopped with {type(error).__name__}: {error}. A leaf's "
            "creators are None, so ask whether there are any before you go on to them."
        ) from error
    if leaf.grad is None and all(node.grad is None for node in (end, *end.creators)):
        raise NotYet("backward(x * y) left every grad at None.")
    if leaf.grad is None:
        raise Mistake(
            "Walking from the single leaf Tensor(3) left its grad at None. The end of a walk gets 1."
        )


def gradient(node, name):
    """The gradient of a node as a number. Raises Mistake if it is None."""
    if node.grad is None:
        raise Mistake(f"The walk did not give a gradient to {name}: its grad is None.")
    return number(node.grad)


# -- at home: a prediction, and a check by nudges -----------------------------------------------------------


@exercise(
    "03 predict",
    "First walk forward: c, b, d and e, at x = 5 and y = 1.",
    "Then back. e has the gradient 1; c gets 1 times the value of d, and d gets 1 times the value of c.",
    "c is 7 and d is 7. From c to x the local slope is 1; from d to b it is 1, and from b to y it is 3.",
)
def predict(guess):
    """Judge the guess for e, x.grad and y.grad at x = 5, y = 1."""
    if not isinstance(guess, (tuple, list)) or len(guess) != 3:
        raise Mistake("Three numbers are asked for, in brackets: (e, x.grad, y.grad).")
    if any(part is None for part in guess):
        raise NotYet("one of the three numbers is still None.")
    e, x, y = map(number, guess)
    if e != 49:
        raise Mistake(f"Forward first: e is (5 + 2) times (3 times 1 + 4), and that is not {e:.6g}.")
    mistakes: dict[tuple[float, float], str] = {
        (10, 12): "10 and 12 belong to x = 2, y = 2. A product's local slopes are values: here they are new.",
        (21, 7): "These are the two numbers, the wrong way round. On which path is the factor 3?",
        (7, 7): "x is right. On the way to y there is one more arrow, from b to y. What is its slope?",
        (7, 11): "x is right. On the way to y you added the slopes, 7, 1 and 3. They are multiplied.",
        (8, 11): "You added the slopes along each path. They are multiplied.",
        (7, 10): "x is right. On the way to y you added 7 and 3. They are multiplied.",
        (1, 3): "Those are the last local slopes alone. Multiply them by the gradient from above.",
        (5, 1): "Those are the values of x and y. A gradient says how far e moves, for a nudge of one.",
    }
    if (x, y) in mistakes:
        raise Mistake(mistakes[x, y])
    if (x, y) != (7, 21):
        raise Mistake(
            "e is right. For the gradients multiply the local slopes along each path, from e to the leaf."
        )
    return "7 times 1 for x, and 7 times 1 times 3 for y."


@exercise(
    "03 nudge",
    "Make a list of Tensors from the values. Call f(*leaves): the star hands over what is in the list one by "
    "one. Walk back with backward, and look at each grad. Then compute f again with one value a little "
    "larger, and once more with it a little smaller.",
    "For leaf number i: copy the list of values, add 0.001 to the copy's element i, make new Tensors, and "
    "read f(...).data. Do the same with 0.001 less. The difference divided by 0.002 is the slope.",
    "As soon as abs(slope - leaf.grad) is more than 0.001 for one leaf, return False. After the last leaf, "
    "True.",
)
def nudge(function):
    """Judge a function that checks gradients by nudging, with right and wrong walks back."""
    changed = []  # the lists of values that the reader's code has changed

    def says(words, values, walk):
        said = f"nudge_check, for {words} at {in_words(values)},"
        given = list(values)
        try:
            answer = result(function, checking_calls(FORMS[words], len(values)), given, walk, said=said)
        except (TypeError, AttributeError) as error:
            if why := why_stopped(error):
                raise Mistake(f"Your code stopped with {type(error).__name__}: {error}. {why}") from error
            raise
        if given != list(values):
            changed.append(given)
        if answer not in (True, False):
            raise Mistake(f"nudge_check answers True or False; yours gave {answer!r:.60}.")
        return bool(answer)

    judge_right_walks(says, changed)
    judge_wrong_walks(says)
    if says("(x + y) * z", (2, 3, 5), scaled((1, 1, 2))):
        raise Mistake(
            "For (x + y) * z at 2, 3 and 5 the gradient of z was twice what it should be: you missed it."
        )
    if not says("(x + 2) * (y * 3 + 4)", (2, 2), after_05.backward):
        raise Mistake(
            "For (x + 2) * (y * 3 + 4) at 2 and 2 the walk back was right, and you say that it is wrong. f "
            "makes three Tensors of its own: compare those that you made from `values`, and no others."
        )
    return "It lets right gradients pass, and finds a wrong one at every leaf."


PRODUCT = "For x * y at 5 and 7 "


def judge_right_walks(says, changed):
    """Raise Mistake if the reader's check calls a right walk back wrong, or changes its list of values."""
    lets_right_pass = says("x * y", (5, 7), after_05.backward)
    if not lets_right_pass and says("x * y", (5, 7), swapped):
        raise Mistake(PRODUCT + "you call right gradients wrong, and wrong ones right: exchange the two.")
    if not lets_right_pass and says("x * y", (5, 7), scaled((2, 2))):
        raise Mistake(
            PRODUCT + "the slope that you find is twice the right one. From 0.001 below to 0.001 above it is "
            "0.002: divide by that."
        )
    if not lets_right_pass and (changed or any(says("x * y", (5, 7), scaled((k, k))) for k in (0, 0.5))):
        raise Mistake(
            PRODUCT + "the walk back was right, and you say that it is wrong. The slope that you found is "
            "far off. Did you copy the list? `up = values` is the same list."
        )
    if changed:
        raise Mistake(f"values came back changed, from [5, 7] to {changed[0]}: nudge a copy.")
    if not lets_right_pass or not says("(x * y) * z", (0.1, 0.3, 0.7), after_05.backward):
        raise Mistake(
            ("For (x * y) * z at 0.1, 0.3 and 0.7 " if lets_right_pass else PRODUCT)
            + "the walk back was right, and you say that it is wrong. A nudged slope is off by a little: ask "
            "whether the two are closer than 0.001, not whether they are equal."
        )


def judge_wrong_walks(says):
    """Raise Mistake if the reader's check calls a wrong walk back right, on x * y."""
    if says("x * y", (5, 7), swapped):
        raise Mistake(
            PRODUCT + "a wrong walk back gave the gradients 5 and 7, and you say that they are right. The "
            "forward number, 35, is right even then, and so is the sum of the two: nudge each leaf by itself."
        )
    missed = {
        factors
        for factors in ((1.01, 1), (0.99, 1), (-1, 1), (1, 1.01), (1, 0.99))
        if says("x * y", (5, 7), scaled(factors))
    }
    if {(1, 1.01), (1, 0.99)} <= missed and (1.01, 1) not in missed:
        raise Mistake(
            PRODUCT + "a wrong walk back gave 7 and 5.05, and you missed it. Right is 7 and 5. Does your "
            "check stop after the first leaf?"
        )
    if {(1.01, 1), (0.99, 1)} <= missed:
        raise Mistake(
            PRODUCT + "a wrong walk back gave 7.07 and 5, and you missed it. Right is 7 and 5. Is every leaf "
            "compared, and by no more than 0.001?"
        )
    for factors, words in (
        ((1.01, 1), "7.07 and 5. A gradient that is too large is wrong as well: compare with abs."),
        ((0.99, 1), "6.93 and 5. A gradient that is too small is wrong as well: compare with abs."),
        ((-1, 1), "-7 and 5. The sign counts."),
    ):
        if factors in missed:
            raise Mistake(PRODUCT + f"right is 7 and 5, and you missed that a wrong walk back gave {words}")
