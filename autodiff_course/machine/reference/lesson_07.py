"""Lesson 07: the judge of everything that follows: gradients beside nudges."""

from ..plan import Piece, Probe, Wrong

TITLE = "Your Tensor, and ours"

PLANTED = "RULES['mul'] = (%s)\ngradcheck(lambda x, y: x * y, 3.0, 5.0) > 0.001"

ARRAY = """\
FORWARD['squares'] = lambda x: np.sum(x * x)
RULES['squares'] = (lambda grad, z, x: %s,)
%s(gradcheck(lambda x: apply('squares', x), np.array([1.0, 2.0]))%s)"""
BOTH = """\
right, wrong = RULES['mul'], lambda grad, z, x, y: grad
def distance(*row):
    RULES['mul'] = row
    return gradcheck(lambda x, y: x * y, 3.0, 5.0)
both, first, second = distance(wrong, wrong), distance(wrong, right[1]), distance(right[0], wrong)
round(both - max(first, second), 4)"""
STEP = """\
cube = lambda x: x ** 3
round(gradcheck(cube, 2.0, h=0.2) / gradcheck(cube, 2.0, h=0.1), 3)"""
H = "The argument h changes nothing. Nudge by h * direction, and divide by 2 * h, with the h that is handed over."
BOTH_WAYS = (
    "The distance of x³ has to be four times as large for a doubled h, and here it is not: f is nudged one way only. "
    "Take the value above minus the value below, and divide by 2 * h."
)
BRACKETS = "The brackets are missing: / 2 * h divides by 2 and multiplies by h. Write / (2 * h)."
NOT_DIVIDED = "The difference of the two values is not a slope yet: divide it by 2 * h."
SQUARED = "This is a squared distance. Take abs of the difference in place of its square."
DIRECTION = (
    "From lesson 09 on a point may be an array, and here it is one with two elements. The rule exchanges the two, and "
    "this is not noticed: both are nudged by the same amount. Draw a random direction: rng.normal(size=np.shape(points[i]))."
)
SUM = (
    "From lesson 09 on a point may be an array, and here it is one. Then this distance is an array too: multiply the "
    "gradient by the direction, and add up the products with np.sum."
)
DIVIDED = (
    "Here the move of f is divided by the direction too. An array has a direction for each element, and f moves "
    "once: divide by 2 * h alone, and multiply the gradient by the direction."
)
ONE_LACKS = (
    "Only one of the two holds the direction: nudge by h * direction, divide by 2 * h alone, and multiply the "
    "gradient by direction."
)
COMPARED = "This says whether the distance is small. Return the distance itself: whoever calls gradcheck compares."

PARTS = (
    Piece(
        "07 gradcheck",
        '''
def gradcheck(f, *points, h=1e-6):
    """The largest distance between the gradients of f, which gives one number, and nudges.

    Each point is nudged by h along a random direction. Then f moves by about h times the sum of gradient
    times direction.
    """
    leaves = [Tensor(point) for point in points]
    rng = np.random.default_rng(0)
    distances = []
    found = gradients(f(*leaves))
    for i, leaf in enumerate(leaves):
        direction = rng.normal(size=np.shape(points[i]))
        above = value(f(*points[:i], points[i] + h * direction, *points[i + 1 :]))
        below = value(f(*points[:i], points[i] - h * direction, *points[i + 1 :]))
        distances.append(abs(np.sum(found.get(leaf, 0) * direction) - (above - below) / (2 * h)))
    return float(max(distances))
''',
        (
            Probe("round(gradcheck(lambda x: x * x, 3.0), 6)", 0.0),
            Probe("round(gradcheck(lambda x, y: x * y, 3.0, 5.0), 6)", 0.0),
            Probe("round(gradcheck(lambda x, y: x * x, 3.0, 5.0), 6)", 0.0),
            Probe(PLANTED % "lambda grad, z, x, y: grad * x, RULES['mul'][1]", True),
            Probe(PLANTED % "RULES['mul'][0], lambda grad, z, x, y: grad * y", True),
            Probe(PLANTED % "lambda grad, z, x, y: grad, lambda grad, z, x, y: grad", True),
            Probe("RULES['tanh'] = (lambda grad, z, x: grad * (1 - x * x),)\ngradcheck(tanh, 0.5) > 0.001", True),
            Probe(STEP, 4.0),
            Probe(BOTH, 0.0),
            Probe(ARRAY % ("grad * 2 * x", "round", ", 6"), 0.0),
            Probe(ARRAY % ("grad * 2 * x[::-1]", "", " > 0.001"), True),
        ),
        (
            Wrong(
                "moves all points at once",
                "A right machine is called wrong: all points are nudged at once. Nudge one at a time.",
                (
                    "f(*points[:i], points[i] + h * direction, *points[i + 1 :])",
                    "f(*[point + h * direction for point in points])",
                ),
                (
                    "f(*points[:i], points[i] - h * direction, *points[i + 1 :])",
                    "f(*[point - h * direction for point in points])",
                ),
            ),
            Wrong(
                "one distance for all points",
                "All points are nudged at once, so two wrong gradients can cancel. Nudge one point at a time.",
                """
def gradcheck(f, *points, h=1e-6):
    leaves, rng = [Tensor(point) for point in points], np.random.default_rng(0)
    found = gradients(f(*leaves))
    directions = [rng.normal(size=np.shape(point)) for point in points]
    above = value(f(*[point + h * direction for point, direction in zip(points, directions)]))
    below = value(f(*[point - h * direction for point, direction in zip(points, directions)]))
    total = sum(np.sum(found.get(leaf, 0) * direction) for leaf, direction in zip(leaves, directions))
    return float(abs(total - (above - below) / (2 * h)))
""",
            ),
            Wrong(
                "the sum",
                "With both rules wrong this is the sum of the two distances. Return the largest.",
                ("max(distances)", "sum(distances)"),
            ),
            Wrong(
                "the mean",
                "The mean makes a wrong gradient look smaller beside right ones. Return the largest distance.",
                ("max(distances)", "sum(distances) / len(distances)"),
            ),
            Wrong(
                "the direction 1",
                DIRECTION,
                ("rng.normal(size=np.shape(points[i]))", "1.0"),
            ),
            Wrong(
                "one number as the direction of an array",
                DIRECTION,
                ("rng.normal(size=np.shape(points[i]))", "rng.normal()"),
            ),
            Wrong(
                "no sum over the elements",
                SUM,
                ("np.sum(found.get(leaf, 0) * direction)", "found.get(leaf, 0) * direction"),
            ),
            Wrong(
                "divided by the direction, no sum",
                SUM,
                ("np.sum(found.get(leaf, 0) * direction)", "found.get(leaf, 0)"),
                ("/ (2 * h)", "/ (2 * h * direction)"),
            ),
            Wrong(
                "divided by the direction",
                DIVIDED,
                ("found.get(leaf, 0) * direction", "found.get(leaf, 0)"),
                (" - (above - below) / (2 * h)", " - np.sum((above - below) / (2 * h * direction))"),
            ),
            Wrong(
                "divided by the direction, then the sum of the distances",
                DIVIDED,
                (
                    "abs(np.sum(found.get(leaf, 0) * direction) - (above - below) / (2 * h))",
                    "np.sum(abs(found.get(leaf, 0) - (above - below) / (2 * h * direction)))",
                ),
            ),
            Wrong(
                "divided by the direction as well",
                ONE_LACKS,
                ("/ (2 * h)", "/ (2 * h * direction)"),
            ),
            Wrong(
                "a direction for each side",
                "Above and below, the point moves along two different directions. Draw one direction, and use it for "
                "both and for the gradient.",
                ("points[i] - h * direction", "points[i] - h * rng.normal(size=np.shape(points[i]))"),
            ),
            Wrong(
                "true or false",
                COMPARED,
                ("float(max(distances))", "max(distances) < 1e-5"),
            ),
            Wrong(
                "True or False of Python",
                COMPARED,
                ("float(max(distances))", "bool(max(distances) < 1e-5)"),
            ),
            Wrong(
                "the leaves as one list",
                "f takes each leaf as an argument of its own, and here it gets one list. Write f(*leaves).",
                ("f(*leaves)", "f(leaves)"),
            ),
            Wrong(
                "changes the points",
                "points is a tuple, and its elements cannot be changed. Hand f new points: *points[:i], then the moved "
                "one, then *points[i + 1 :].",
                ("        above =", "        points[i] = points[i] + h * direction\n        above ="),
            ),
            Wrong(
                "one side only",
                "Only one side is nudged. Compute f at the point moved by -h * direction as well, or divide by h.",
                ("f(*points[:i], points[i] - h * direction, *points[i + 1 :])", "f(*points)"),
            ),
            Wrong("h typed into the nudge", H, ("    leaves =", "    h = 1e-6\n    leaves =")),
            Wrong(
                "above only",
                BOTH_WAYS,
                ("(above - below) / (2 * h)", "(above - below) / h"),
                ("f(*points[:i], points[i] - h * direction, *points[i + 1 :])", "f(*points)"),
            ),
            Wrong(
                "below only",
                BOTH_WAYS,
                ("(above - below) / (2 * h)", "(above - below) / h"),
                ("f(*points[:i], points[i] + h * direction, *points[i + 1 :])", "f(*points)"),
            ),
            Wrong("no brackets around 2 * h", BRACKETS, ("/ (2 * h)", "/ 2 * h")),
            Wrong("not divided", NOT_DIVIDED, (" - (above - below) / (2 * h)", " - (above - below)")),
            Wrong("divided by 2 alone", NOT_DIVIDED, ("/ (2 * h)", "/ 2")),
            Wrong(
                "a squared distance",
                SQUARED,
                ("abs(np.sum", "((np.sum"),
                ("(above - below) / (2 * h))", "(above - below) / (2 * h)) ** 2)"),
            ),
            Wrong(
                "the last point only",
                "A wrong rule for the first number is not noticed: only the last point is compared.",
                ("max(distances)", "distances[-1]"),
            ),
            Wrong(
                "signs cancel",
                "A distance that is too small comes out negative, and the largest hides it. Take abs of each.",
                ("abs(np.sum", "(np.sum"),
            ),
            Wrong(
                "divides by h",
                "A right machine is called wrong: from below to above is 2h, not h.",
                ("/ (2 * h)", "/ h"),
            ),
            Wrong(
                "fails where a number is not used",
                "A point that f does not use has no entry in the dict of gradients. Its gradient is 0.",
                ("found.get(leaf, 0)", "found[leaf]"),
            ),
            Wrong(
                "the gradient without the direction",
                ONE_LACKS,
                ("found.get(leaf, 0) * direction", "found.get(leaf, 0)"),
            ),
            Wrong(
                "the nudge without the direction",
                ONE_LACKS,
                ("h * direction", "h"),
            ),
            Wrong(
                "the sign of the nudge",
                "The difference has the wrong sign: it is the value above minus the value below.",
                ("(above - below)", "(below - above)"),
            ),
            Wrong(
                "reads grad",
                "gradients returns a dict, and leaves every grad alone. Look the leaf up in the dict.",
                ("found.get(leaf, 0)", "leaf.grad"),
            ),
            Wrong(
                "Tensors, not their values",
                "f gave a Tensor. Take the number out of it with value.",
                ("value(f(*points[:i]", "Tensor.__mul__(Tensor(1), f(*points[:i]"),
            ),
            Wrong(
                "return inside the loop",
                "Only the first point is compared: return stands inside the loop.",
                ("    return float(max", "        return float(max"),
            ),
            Wrong("a list", "These are all distances. Return the largest of them.", ("float(max(distances))", "distances")),
            Wrong(
                "nothing is compared",
                "A wrong rule is not noticed: the distance has to be the one between gradients and nudges.",
                ("float(max(distances))", "0.0"),
            ),
            Wrong(
                "the smallest distance",
                "One wrong gradient is enough, and this reports the one that fits best. Return the largest distance.",
                ("max(distances)", "min(distances)"),
            ),
        ),
        stub='''
def gradcheck(f, *points, h=1e-6):
    """The largest distance between the gradients of f, which gives one number, and nudges.

    Each point is nudged by h along a random direction. Then f moves by about h times the sum of gradient
    times direction.
    """
    leaves = [Tensor(point) for point in points]
    rng = np.random.default_rng(0)
    distances = []
    return None
''',
    ),
)
