"""Lesson 11: the product of matrices."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "Matrix products"

OBLONG = """\
X, Y = Tensor(np.arange(6.0).reshape(2, 3)), Tensor(np.ones((3, 4)))
backward(X @ Y, np.ones((2, 4)))
X.grad, Y.grad"""
SQUARE = """\
X, Y = Tensor(np.array([[1.0, 2], [3, 4]])), Tensor(np.array([[5.0, 6], [7, 8]]))
backward(X @ Y, np.ones((2, 2)))
X.grad, Y.grad"""
WEIGHTED = """\
X, Y = Tensor(np.array([[1.0, 2], [3, 4]])), Tensor(np.array([[5.0, 6], [7, 8]]))
backward(X @ Y, np.array([[1.0, 0], [10, 0]]))
X.grad, Y.grad"""

PARTS = (
    Given(
        "11 FORWARD and @",
        """
FORWARD |= {"matmul": lambda x, y: x @ y, "transpose": lambda x: x.T}
Tensor.__matmul__ = lambda x, y: apply("matmul", x, y)
Tensor.__rmatmul__ = lambda x, y: apply("matmul", y, x)
Tensor.T = property(lambda x: apply("transpose", x))
""",
    ),
    Piece(
        "11 rules",
        """
RULES |= {
    "matmul": (lambda grad, z, x, y: grad @ y.T, lambda grad, z, x, y: x.T @ grad),
    "transpose": (lambda grad, z, x: grad.T,),
}
""",
        (
            Probe(OBLONG, ([[4, 4, 4], [4, 4, 4]], [[3, 3, 3, 3], [5, 5, 5, 5], [7, 7, 7, 7]])),
            Probe(SQUARE, ([[11, 15], [11, 15]], [[4, 4], [6, 6]])),
            Probe(WEIGHTED, ([[5, 7], [50, 70]], [[31, 0], [42, 0]])),
            Probe("X = Tensor(np.ones((2, 3)))\nbackward(X.T, np.arange(6.0).reshape(3, 2))\nX.grad", [[0, 2, 4], [1, 3, 5]]),
        ),
        (
            Wrong(
                "no transpose",
                "The shapes do not fit. Look at which factor is transposed, and at the order of the two.",
                ("y.T", "y"),
                ("x.T", "x"),
            ),
            Wrong(
                "the wrong side",
                "The factors are right, but on the wrong side. grad takes the place of the result: y.T stands after "
                "it, and x.T before it.",
                ("grad @ y.T", "y.T @ grad"),
                ("x.T @ grad", "grad @ x.T"),
            ),
            Wrong(
                "the rules exchanged",
                "The first rule is for x and the second for y: they are swapped.",
                ("grad @ y.T", "first"),
                ("x.T @ grad", "grad @ y.T"),
                ("first", "x.T @ grad"),
            ),
            Wrong(
                "the gradient of y transposed",
                "The rule for y gives the transpose of what is right. x.T @ grad has the shape of y.",
                ("x.T @ grad", "grad.T @ x"),
            ),
            Wrong(
                "the gradient of x transposed",
                "The rule for x gives the transpose of what is right. grad @ y.T has the shape of x.",
                ("grad @ y.T", "y @ grad.T"),
            ),
            *(
                Wrong(
                    f"for x: {wrong}",
                    "In the rule for x, two shapes do not fit. Write down those of grad, y and x: of the products of "
                    "grad and y, with or without .T, one has the shape of x.",
                    ("grad @ y.T", wrong),
                )
                for wrong in ("grad @ y", "y @ grad", "y.T @ grad", "grad.T @ y")
            ),
            *(
                Wrong(
                    f"for y: {wrong}",
                    "In the rule for y, two shapes do not fit. Write down those of grad, x and y: of the products of "
                    "grad and x, with or without .T, one has the shape of y.",
                    ("x.T @ grad", wrong),
                )
                for wrong in ("x @ grad", "grad @ x.T", "grad @ x", "x @ grad.T")
            ),
            Wrong(
                "the other factor only",
                "The gradient that arrives is missing: each rule is a product of grad and the other factor.",
                ("grad @ y.T", "y.T"),
                ("x.T @ grad", "x.T"),
            ),
            Wrong(
                "element by element, transposed",
                "This is the rule of mul, elementwise. A matrix product needs a matrix product.",
                ("grad @ y.T", "grad * y.T"),
                ("x.T @ grad", "x.T * grad"),
            ),
            Wrong(
                "the sign turned",
                "The sign is turned: nothing is subtracted in a product.",
                ("grad @ y.T", "-grad @ y.T"),
                ("x.T @ grad", "-x.T @ grad"),
            ),
            Wrong(
                "transpose: passes on ones",
                "The local slopes of the transpose are 1, but grad has to be passed on: grad.T.",
                ("grad.T,)", "np.ones_like(x),)"),
            ),
            Wrong(
                "transpose: passes on the value",
                "This passes on x.T, a value. The gradient is what has to be transposed.",
                ("grad.T,)", "x.T,)"),
            ),
            Wrong(
                "transpose: the local slope alone",
                "A rule passes on the gradient that arrives, times the local slope. Here it is grad, with its numbers moved.",
                ("grad.T,)", "1,)"),
            ),
            Wrong(
                "for x: three times too much",
                "The shape is right, but a shape proves nothing: the numbers for x are three times too large.",
                ("grad @ y.T", "3 * grad @ y.T"),
            ),
            Wrong(
                "transpose: reshaped",
                "What arrives at [j, i] belongs to [i, j], so the gradient is transposed. Reshaping keeps the order of the numbers.",
                ("grad.T,)", "grad.reshape(x.shape),)"),
            ),
            Wrong(
                "element by element",
                "This is the rule of mul, elementwise. A matrix product needs a matrix product.",
                ("grad @ y.T", "grad * y"),
                ("x.T @ grad", "grad * x"),
            ),
            Wrong(
                "the wrong factor transposed",
                "grad is transposed, but it should be the other factor: grad @ y.T.",
                ("grad @ y.T", "grad.T @ y"),
                ("x.T @ grad", "x @ grad.T"),
            ),
            Wrong(
                "transpose: passes on the gradient as it is",
                "What arrives at [j, i] belongs to [i, j], so the gradient is transposed. Reshaping keeps the order of the numbers.",
                ("grad.T,)", "grad,)"),
            ),
            Wrong(
                "the gradient that arrives is lost",
                "Only the shape of the gradient that arrives is used. Multiply grad itself by the other factor.",
                ("grad @ y.T", "np.ones_like(grad) @ y.T"),
                ("x.T @ grad", "x.T @ np.ones_like(grad)"),
            ),
        ),
        stub="""
RULES |= {
    "matmul": (lambda grad, z, x, y: None, lambda grad, z, x, y: None),
    "transpose": (lambda grad, z, x: None,),
}
""",
    ),
)
