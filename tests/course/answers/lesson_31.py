"""Answers to the exercises of lesson 31."""

from . import Right, Wrong

PLACES = """
def places(height, width, frame=1):
    y, x = np.mgrid[:height, :width]
    return frame * np.stack([2 * x.ravel() + 1 - width, 2 * y.ravel() + 1 - height], axis=1) / height
places"""

LOOP = """
def places(height, width, frame=1):
    found = []
    for i in range(height):
        for j in range(width):
            x = (2 * j + 1 - width) / height
            y = (2 * i + 1 - height) / height
            found.append([frame * x, frame * y])
    return np.array(found)
places"""

LEFT = """
def left_over(picture, painting):
    mean = picture.mean(axis=(0, 1))
    return ((painting - picture) ** 2).mean() / ((picture - mean) ** 2).mean()
left_over"""

EDGES = """
def edges(net, where):
    where = ad.Tensor(where)
    net(where).sum().backward()
    return np.sqrt((where.grad.numpy() ** 2).sum(axis=1))
edges"""


def changed(code, old, new):
    """The answer with one part of it different."""
    assert old in code
    return code.replace(old, new)


ANSWERS = {
    "31 places": [
        Right("with NumPy", PLACES),
        Right("by two loops", LOOP),
        Right("as float32", changed(PLACES, "/ height", "/ np.float32(height)")),
        Wrong("a list of rows", changed(LOOP, "np.array(found)", "found"), "gave a list. Return np.array"),
        Wrong("a Tensor", changed(LOOP, "np.array(found)", "ad.Tensor(found)"), "Return an array of NumPy"),
        Wrong("x and y exchanged", changed(LOOP, "[frame * x, frame * y]", "[frame * y, frame * x]"), "x and y are exchanged"),
        Wrong("column by column", changed(LOOP, "    for i in range(height):\n        for j in range(width):", "    for j in range(width):\n        for i in range(height):"), "column by column"),
        Wrong("y upwards", changed(LOOP, "frame * y]", "-frame * y]"), "Your y grows upwards"),
        Wrong("no frame", changed(PLACES, "frame * np", "np"), "frame has no effect"),
        Wrong("divided by the frame", changed(PLACES, "frame * np", "1 / frame * np"), "Multiply by it"),
        Wrong("a unit for x alone", changed(LOOP, "- width) / height", "- width) / width"), "x has its own unit"),
        Wrong("both by width", changed(PLACES, "/ height", "/ width"), "y goes from -1 to 1"),
        Wrong("corners", changed(LOOP, "+ 1 -", "-"), "upper left corners"),
        Wrong("from the corner", changed(changed(LOOP, "+ 1 - width", "+ 1"), "+ 1 - height", "+ 1"), "upper left corner here"),
        Wrong("half as far", changed(PLACES, "/ height", "/ height / 2"), "twice as far out"),
        Wrong("numbers of pixels", "lambda height, width, frame=1: np.array([[j, i] for i in range(height) for j in range(width)])", "Those are columns and rows"),
        Wrong("with linspace", """
def places(height, width, frame=1):
    x, y = np.meshgrid(np.linspace(-frame, frame, width), np.linspace(-frame, frame, height))
    return np.stack([x.ravel(), y.ravel()], axis=1)
places""", "half a pixel inside"),
        Wrong("all x and then all y", changed(PLACES, "axis=1", "axis=0"), "all x and then all y"),
        Wrong("a grid", changed(PLACES, "/ height", "/ height).reshape(height, width, 2)").replace("frame * np", "(frame * np"), "a row for each pixel"),
        Wrong("prints", changed(PLACES, "return frame", "print(frame").replace("/ height", "/ height)"), "returns nothing"),
        Wrong("without a frame", "lambda height, width: np.zeros((height * width, 2))", "frame"),
        Wrong("a constant", "lambda height, width, frame=1: np.zeros((1, 2))", "a row for each pixel"),
    ],
    "31 one colour": [
        Right("a fraction", "2 / 9"),
        Right("rounded", "0.222"),
        Right("rounded to two digits", "0.22"),
        Right("computed", "np.var([0, 0, 1])"),
        Wrong("the grey", "1 / 3", "best grey"),
        Wrong("the grey, rounded", "0.33", "best grey"),
        Wrong("the sum", "2 / 3", "divides it by three"),
        Wrong("the middle", "0.25", "two of three pixels are black"),
        Wrong("distances", "4 / 9", "Square each"),
        Wrong("nothing", "0", "One grey cannot"),
        Wrong("something else", "0.9", "Try some greys"),
        Wrong("a word", "'dark'", "A number is asked for"),
    ],
    "31 left over": [
        Right("two means", LEFT),
        Right("by the variance", "lambda picture, painting: np.mean((painting - picture) ** 2) / picture.var(axis=(0, 1)).mean()"),
        Wrong("the error alone", "lambda picture, painting: np.mean((painting - picture) ** 2)", "error of the mean colour"),
        Wrong("no means", "lambda picture, painting: (painting - picture) ** 2 / (picture - picture.mean(axis=(0, 1))).var()", "an array of the shape (2, 2, 3). One number"),
        Wrong("one grey", changed(LEFT, "axis=(0, 1)", ""), "each colour"),
        Wrong("the painting's mean", changed(LEFT, "mean = picture", "mean = painting"), "not that of the painting"),
        Wrong("what is explained", changed(LEFT, "return (", "return 1 - ("), "1 minus it"),
        Wrong("upside down", "lambda picture, painting: picture.var(axis=(0, 1)).mean() / np.mean((painting - picture) ** 2 + 1e-30)", "upside down"),
        Wrong("distances", "lambda picture, painting: np.abs(painting - picture).mean() / np.abs(picture - picture.mean(axis=(0, 1))).mean()", "Square them"),
        Wrong("against black", "lambda picture, painting: ((painting - picture) ** 2).mean() / (picture**2).mean()", "compares with black"),
        Wrong("a constant", "lambda picture, painting: 0.0", "Divide the mean squared error"),
        Wrong("changes the painting", changed(LEFT, "    mean", "    painting -= picture\n    mean").replace("(painting - picture)", "painting"), "changed a picture"),
        Wrong("prints", changed(LEFT, "return", "x =") .replace("\nleft_over", "\n    print(x)\nleft_over"), "returns nothing"),
        Wrong("an argument too few", "lambda picture: 0.0", "1"),
    ],
    "31 edges": [
        Right("one walk back", EDGES),
        Right("with hypot", changed(EDGES, "np.sqrt((where.grad.numpy() ** 2).sum(axis=1))", "np.hypot(where.grad.numpy()[:, 0], where.grad.numpy()[:, 1])")),
        Right("a Tensor comes back", changed(EDGES, "np.sqrt((where.grad.numpy() ** 2).sum(axis=1))", "(where.grad**2).sum(1).sqrt()")),
        Right("by nudges", """
def edges(net, where):
    h = 1e-6
    found = []
    for step in ([h, 0], [0, h]):
        with ad.no_grad():
            moved = net(where + np.array(step)) - net(where - np.array(step))
        found.append(moved.numpy().sum(axis=1) / (2 * h))
    return np.hypot(*found)
edges"""),
        Wrong("both slopes", changed(EDGES, "np.sqrt((where.grad.numpy() ** 2).sum(axis=1))", "where.grad.numpy()"), "length of each row"),
        Wrong("along x", changed(EDGES, "np.sqrt((where.grad.numpy() ** 2).sum(axis=1))", "where.grad.numpy()[:, 0]"), "along x alone"),
        Wrong("along y", changed(EDGES, "np.sqrt((where.grad.numpy() ** 2).sum(axis=1))", "where.grad.numpy()[:, 1]"), "along y alone"),
        Wrong("slopes added", changed(EDGES, "np.sqrt((where.grad.numpy() ** 2).sum(axis=1))", "where.grad.numpy().sum(axis=1)"), "length is 5"),
        Wrong("sizes added", changed(EDGES, "np.sqrt((where.grad.numpy() ** 2).sum(axis=1))", "np.abs(where.grad.numpy()).sum(axis=1)"), "two sizes are added"),
        Wrong("no root", changed(EDGES, "np.sqrt((where.grad.numpy() ** 2).sum(axis=1))", "(where.grad.numpy() ** 2).sum(axis=1)"), "Take the root"),
        Wrong("mean over colours", changed(EDGES, "net(where).sum()", "net(where).mean(1).sum()"), "not their mean"),
        Wrong("mean over everything", changed(EDGES, "net(where).sum()", "net(where).mean()"), "not"),
        Wrong("mean over places", changed(EDGES, "net(where).sum()", "net(where).sum(1).mean()"), "not the mean"),
        Wrong("one number", changed(EDGES, "np.sqrt((where.grad.numpy() ** 2).sum(axis=1))", "np.sqrt((where.grad.numpy() ** 2).sum(axis=1)).mean()"), "gives 5; it should be [5]. That is one number"),
        Wrong("a constant", "lambda net, where: np.zeros(len(where))", "two parts"),
        Wrong("no Tensor", changed(EDGES, "    where = ad.Tensor(where)\n", ""), "stopped with AttributeError"),
        Wrong("prints", changed(EDGES, "return np.sqrt((where.grad.numpy() ** 2).sum(axis=1))", "print(where.grad)"), "returns nothing"),
    ],
}
