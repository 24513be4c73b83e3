"""The rules of operations as mathematics, where their Python is no formula: loops, guards, other operations.

A lambda is one input's rule, a formula that NumPy can compute as well: a test compares its numbers with those
of the operation. It gets z's gradient, z and the inputs. Everything else is text.
"""

from __future__ import annotations

import ast
import inspect
from itertools import zip_longest

from autodiff.engine.operation import Operation

from .mathematics import formula

NONE = ("no gradient comes back through it: its slope is 0 wherever it has one.",)
BACK = ("z's gradient in the shape of x.",)
ELEMENT = (r":math:`\bar x_j = \sum_{i:\, \mathrm{index}_i = j} \bar z_i`, the sum over all its picks.",)
LARGEST = (r":math:`\bar x_i = \frac{\bar z\, [x_i = z]}{n}`, where :math:`n` elements equal :math:`z`.",)
COPIES = ("each element gets the sum of the gradients of its copies.",)
SMALLER = (
    "lambda grad, z, x, y: grad * ((x < y) + (x == y) / 2)",
    "lambda grad, z, x, y: grad * ((y < x) + (x == y) / 2)",
)
VECTORS = "lambda grad, z, x, y: grad * y", "lambda grad, z, x, y: grad * x"
GATES = r":math:`\bar W_{hh} = \sum_t \bar a_t\, h_{t-1}^T`, :math:`\bar W_{ih} = \sum_t \bar a_t\, x_t^T`"

RULES: dict[str, tuple[str, ...]] = {
    # -- of a number --------------------------------------------------------------------------------------
    "arccos": ("lambda grad, z, x: -grad / sqrt(1 - x**2)",),
    "arcsin": ("lambda grad, z, x: grad / sqrt(1 - x**2)",),
    "arctanh": ("lambda grad, z, x: grad / (1 - x**2)",),
    "arcsinh": ("lambda grad, z, x: grad / sqrt(x**2 + 1)",),
    "arctan2": (
        "lambda grad, z, y, x: grad * x / (x**2 + y**2)",
        "lambda grad, z, y, x: -(grad * y) / (x**2 + y**2)",
    ),
    "clip": (
        r":math:`\bar x = \bar z\, [\mathit{low} \le x \le \mathit{high}]`",
        r":math:`\overline{\mathit{low}} = \bar z\, [x < \mathit{low}]`",
        r":math:`\overline{\mathit{high}} = \bar z\, [x > \mathit{high}]`",
    ),
    "deg2rad": ("lambda grad, z, x: grad * pi / 180",),
    "erf": ("lambda grad, z, x: grad * 2 / sqrt(pi) * exp(-(x**2))",),
    "erfc": ("lambda grad, z, x: -grad * 2 / sqrt(pi) * exp(-(x**2))",),
    "fmin": SMALLER,
    "fmod": (r":math:`\bar x = \bar z`", r":math:`\bar y = -\bar z\, \mathrm{trunc}(x / y)`"),
    "gelu": (
        (
            r":math:`\bar x = \bar z\, (\Phi(x) + x\, \varphi(x))`, with the normal distribution "
            r":math:`\Phi` and its density :math:`\varphi`."
        ),
    ),
    "hypot": ("lambda grad, z, x, y: grad * x / z", "lambda grad, z, x, y: grad * y / z"),
    "logaddexp": (
        "lambda grad, z, x, y: grad * sigmoid(x - y)",
        "lambda grad, z, x, y: grad * sigmoid(y - x)",
    ),
    "logaddexp2": (
        "lambda grad, z, x, y: grad * sigmoid((x - y) * LOG_2)",
        "lambda grad, z, x, y: grad * sigmoid((y - x) * LOG_2)",
    ),
    "maximum": (
        "lambda grad, z, x, y: grad * ((x > y) + (x == y) / 2)",
        "lambda grad, z, x, y: grad * ((y > x) + (x == y) / 2)",
    ),
    "minimum": SMALLER,
    "mish": (
        "lambda grad, z, x: grad * (tanh(softplus(x)) + x * sigmoid(x) * (1 - tanh(softplus(x)) ** 2))",
    ),
    "nan_to_num": (r":math:`\bar x = \bar z\, [x \textrm{ is finite}]`.",),
    "pow": ("lambda grad, z, x, y: grad * y * x ** (y - 1)", "lambda grad, z, x, y: grad * z * log(x)"),
    "rad2deg": ("lambda grad, z, x: grad * 180 / pi",),
    "remainder": (r":math:`\bar x = \bar z`", r":math:`\bar y = -\bar z\, \mathrm{floor}(x / y)`"),
    "sigmoid": ("lambda grad, z, x: grad * z * (1 - z)",),
    "silu": ("lambda grad, z, x: grad * (sigmoid(x) + z * (1 - sigmoid(x)))",),
    "arctan": ("lambda grad, z, x: grad / (1 + x**2)",),
    "sinc": ("lambda grad, z, x: grad * (cos(pi * x) - z) / x",),
    "softsign": ("lambda grad, z, x: grad / (1 + abs(x)) ** 2",),
    "where": (
        "",
        "lambda grad, z, condition, x, y: grad * condition",
        "lambda grad, z, condition, x, y: grad * (1 - condition)",
    ),
    **dict.fromkeys(
        ("argmax", "argmin", "argsort", "ceil", "floor", "floor_divide", "round", "sign", "trunc"), NONE
    ),
    # -- sums, maxima and orders, over the axis or over all elements -----------------------------------------
    "cumprod": (r":math:`\bar x_i = \frac{1}{x_i} \sum_{j \ge i} \bar z_j\, z_j`.",),
    "cumsum": (r":math:`\bar x_i = \sum_{j \ge i} \bar z_j`.",),
    "linear_recurrence": (
        (
            r"with :math:`z_t = x_t\, z_{t-1} + y_t`, "
            r":math:`\bar y_t = \bar z_t + x_{t+1}\, \bar y_{t+1}` and "
            r":math:`\bar x_t = \bar y_t\, z_{t-1}`."
        ),
    ),
    "log_softmax": ("lambda grad, z, x: grad - exp(z) * sum(grad)",),
    "logsumexp": ("lambda grad, z, x: grad * exp(x - z)",),
    "max": LARGEST,
    "mean": (r":math:`\bar x_i = \frac{\bar z}{n}`, the same for each of the :math:`n` elements.",),
    "median": (r":math:`\bar x_i = \bar z` for the element in the middle, half of it if there are two.",),
    "min": LARGEST,
    "norm": ("lambda grad, z, x: grad * x / z",),
    "prod": ("lambda grad, z, x: grad * z / x",),
    "softmax": ("lambda grad, z, x: z * (grad - sum(grad * z))",),
    "sort": (r":math:`\bar x_{p_i} = \bar z_i`, where :math:`z_i = x_{p_i}`: back to where it came from.",),
    "std": (
        (
            r":math:`\bar x_i = \bar z\, \frac{x_i - \mu}{n\, z}` with the mean :math:`\mu`, and "
            r":math:`n - \mathit{ddof}` in place of :math:`n`."
        ),
    ),
    "sum": (r":math:`\bar x_i = \bar z`, the same for each element.",),
    "var": (
        (
            r":math:`\bar x_i = \bar z\, \frac{2\, (x_i - \mu)}{n}` with the mean :math:`\mu`, and "
            r":math:`n - \mathit{ddof}` in place of :math:`n`."
        ),
    ),
    # -- matrices, and vectors where there is no matrix ------------------------------------------------------
    "cholesky": (
        "lambda grad, z, x: 0.5 * inv(z).T @ (lower(z.T @ grad) + lower(z.T @ grad).T) @ inv(z)",
        r"where :math:`\mathrm{lower}` takes the lower triangle with half of the diagonal.",
    ),
    "det": ("lambda grad, z, x: grad * z * inv(x).T",),
    "dot": VECTORS,
    "eigvalsh": (r":math:`\bar x = V\, \mathrm{diag}(\bar z)\, V^T`, with the eigenvectors in :math:`V`.",),
    "einsum": ("an ``einsum`` of z's gradient and the other operands, whose result has its subscripts.",),
    "inner": VECTORS,
    "inv": ("lambda grad, z, x: -z.T @ grad @ z.T",),
    "linear": (
        "lambda grad, z, x, weight, bias: grad @ weight",
        "lambda grad, z, x, weight, bias: grad.T @ x",
        "lambda grad, z, x, weight, bias: sum(grad)",
    ),
    "logdet": ("lambda grad, z, x: grad * inv(x).T",),
    "matmul": ("lambda grad, z, x, y: grad @ y.T", "lambda grad, z, x, y: x.T @ grad"),
    "outer": ("lambda grad, z, x, y: grad @ y", "lambda grad, z, x, y: grad.T @ x"),
    "pinv": (
        (
            "lambda grad, z, x: grad.T @ z @ z.T - x @ z @ grad.T @ z @ z.T"
            " + z.T @ z @ grad.T - z.T @ z @ grad.T @ z @ x - z.T @ grad @ z.T"
        ),
    ),
    "solve": ("lambda grad, z, x, y: -inv(x).T @ grad @ z.T", "lambda grad, z, x, y: inv(x).T @ grad"),
    "trace": (r":math:`\bar x = \bar z\, I`.",),
    # -- shapes and picking ---------------------------------------------------------------------------------
    "concatenate": ("each part gets its part of z's gradient.",),
    "diagonal": ("z's gradient on the diagonal, and 0 elsewhere.",),
    **dict.fromkeys(("expand_dims", "flatten", "ravel", "reshape", "squeeze"), BACK),
    "flip": (r":math:`\bar x = \mathrm{flip}(\bar z)`.",),
    **dict.fromkeys(("gather", "getitem", "take_along_axis"), ELEMENT),
    **dict.fromkeys(("moveaxis", "swapaxes", "transpose"), ("z's gradient with its axes put back.",)),
    "pad": ("the part of z's gradient that belongs to x; what was copied into the frame is added to it.",),
    **dict.fromkeys(("repeat", "tile"), COPIES),
    "roll": ("z's gradient, rolled back.",),
    "scatter": (r":math:`\bar x_i = \bar z_{\mathrm{index}_i}`.",),
    "scatter_add": (r":math:`\bar x = \bar z`", "and ``source`` gets z's gradient at its indices."),
    "stack": ("each part gets its slice of z's gradient.",),
    "tril": (r":math:`\bar x = \mathrm{tril}(\bar z)`.",),
    "triu": (r":math:`\bar x = \mathrm{triu}(\bar z)`.",),
    # -- windows and recurrence -----------------------------------------------------------------------------
    "avg_pool2d": (
        (
            r":math:`\bar x_j = \sum_{i:\, j \in W_i} \frac{\bar z_i}{n}`, over the windows :math:`W_i` of "
            r":math:`n` elements in which it lies."
        ),
    ),
    "fold": (r":math:`\bar x = \mathrm{unfold}(\bar z)`.",),
    "gru": (
        r"with :math:`h_t = (1 - u_t)\, n_t + u_t\, h_{t-1}`, from the last step to the first: "
        r":math:`\bar n_t = \bar h_t\, (1 - u_t)`, :math:`\bar u_t = \bar h_t\, (h_{t-1} - n_t)`, then "
        r"through tanh and the sigmoids to :math:`a_t`, and "
        r":math:`\bar h_{t-1} = \bar h_t\, u_t + W_{hh}^T\, \bar a_t`; " + GATES + ".",
    ),
    "lstm": (
        r"with :math:`c_t = f_t\, c_{t-1} + i_t\, g_t` and :math:`h_t = o_t \tanh(c_t)`, from the last step "
        r"to the first: :math:`\bar c_t` gains :math:`\bar h_t\, o_t\, (1 - \tanh^2(c_t))`; "
        r":math:`\bar f_t = \bar c_t\, c_{t-1}`, :math:`\bar i_t = \bar c_t\, g_t`, "
        r":math:`\bar g_t = \bar c_t\, i_t`, :math:`\bar o_t = \bar h_t \tanh(c_t)`, then through the "
        r"sigmoids and tanh to :math:`a_t`; :math:`\bar c_{t-1} = \bar c_t\, f_t`, "
        r":math:`\bar h_{t-1} = W_{hh}^T\, \bar a_t`; " + GATES + ".",
    ),
    "max_pool2d": (r":math:`\bar x_j = \sum_i \bar z_i`, over the windows in which it is the largest.",),
    "rnn": (
        r"with :math:`h_t = \tanh(a_t)`, from the last step to the first: "
        r":math:`\bar a_t = \bar h_t\, (1 - h_t^2)`, and :math:`\bar h_{t-1}` gains "
        r":math:`W_{hh}^T\, \bar a_t`; " + GATES + ".",
    ),
    "unfold": (r":math:`\bar x = \mathrm{fold}(\bar z)`: the sum over its windows.",),
}


def rules_in(code: str) -> list[str]:
    """The rules in an operation's source, in Python; "None" where an input has none."""
    calls = [each.value for each in ast.parse(code).body if isinstance(each, ast.Expr)]
    return [ast.unparse(rule) for call in calls if isinstance(call, ast.Call) for rule in call.args]


def sentences(operation: Operation, code: str) -> list[str]:
    """The rules of an operation's inputs as mathematics: those of ``RULES``, else those of its source."""
    own = rules_in(code)
    said = []
    inputs = inspect.signature(operation.forward).parameters
    for name, rule in zip_longest(inputs, RULES.get(operation.name, own)):
        text = formula(rule) if rule else None
        if text:
            left = rf"\bar{{{name}}}" if len(name) == 1 else rf"\overline{{\mathit{{{name}}}}}"
            said.append(rf":math:`{left} = {text}`")
        elif rule and operation.name in RULES:
            said.append(rule)
    return said
