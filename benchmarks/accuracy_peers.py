"""What PyTorch and JAX call the operations whose accuracy is measured."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

# Of columns x and y, and of c, which has all columns beside each other: PyTorch's, then JAX's. Where a name
# is
# not here it is looked up as it is. None: it has no such function.
CALLS: dict[str, tuple[str | None, str | None]] = {
    "neg": ("-x", "-x"), "pow": ("torch.pow(x, y)", "jnp.power(x, y)"), "div": ("x / y", "x / y"),
    "mul": ("x * y", "x * y"), "sub": ("x - y", "x - y"), "cast": ("x * 1", "x * 1"),
    "clone": ("x * 1", "x * 1"),
    "cbrt": (None, "jnp.cbrt(x)"), "arctan2": ("torch.atan2(x, y)", "jnp.arctan2(x, y)"),
    "where": ("torch.where(x > y, x, y * 2)", "jnp.where(x > y, x, y * 2)"),
    "clip": ("x.clamp(-1, 2)", "jnp.clip(x, -1, 2)"), "celu": ("F.celu(x, 2.)", "jnn.celu(x, 2.)"),
    "threshold": ("F.threshold(x, 0.5, 20.)", None), "abs": ("x.abs()", "jnp.abs(x)"),
    "gelu": ("F.gelu(x)", "jnn.gelu(x, approximate=False)"),
    "huber": ("F.huber_loss(x, x * 0, reduction='none')", None),
    "gelu_tanh": ("F.gelu(x, approximate='tanh')", "jnn.gelu(x, approximate=True)"),
    "hardtanh": ("F.hardtanh(x)", "jnn.hard_tanh(x)"),
    "hardsigmoid": ("F.hardsigmoid(x)", "jnn.hard_sigmoid(x)"),
    "hardswish": ("F.hardswish(x)", "jnn.hard_swish(x)"), "softsign": ("F.softsign(x)", "jnn.soft_sign(x)"),
    "softplus": ("F.softplus(x)", "jnn.softplus(x)"), "logsigmoid": ("F.logsigmoid(x)", "jnn.log_sigmoid(x)"),
    "leaky_relu": ("F.leaky_relu(x)", "jnn.leaky_relu(x)"), "bounded_log": (None, None),
    "prelu": ("torch.where(x > 0, x, y * x)", "jnp.where(x > 0, x, y * x)"),
    "fmin": ("torch.fmin(x, y)", "jnp.fmin(x, y)"), "sinc": ("torch.sinc(x)", "jnp.sinc(x)"),
    "glu": ("F.glu(c, dim=-1)[..., 0]", "jnn.glu(c, axis=-1)[..., 0]"),
    "sum": ("c.sum(-1)", "c.sum(-1)"), "mean": ("c.mean(-1)", "c.mean(-1)"),
    "var": ("c.var(-1, correction=0)", "c.var(-1)"), "std": ("c.std(-1, correction=0)", "c.std(-1)"),
    "norm": ("torch.linalg.vector_norm(c, dim=-1)", "jnp.linalg.norm(c, axis=-1)"),
    "prod": ("c.prod(-1)", "c.prod(-1)"),
    "max": ("c.amax(-1)", "c.max(-1)"), "min": ("c.amin(-1)", "c.min(-1)"),
    "median": ("c.quantile(0.5, dim=-1)", "jnp.median(c, axis=-1)"),
    "cumsum": ("c.cumsum(-1)[..., -1]", "c.cumsum(-1)[..., -1]"),
    "cumprod": ("c.cumprod(-1)[..., -1]", "c.cumprod(-1)[..., -1]"), "linear_recurrence": (None, None),
    "sort": ("c.sort(-1).values[..., 0]", "jnp.sort(c, axis=-1)[..., 0]"),
    "logsumexp": ("c.logsumexp(-1)", "jnn.logsumexp(c, axis=-1)"),
    "softmax": ("c.softmax(-1)[..., 0]", "jnn.softmax(c)[..., 0]"),
    "softmin": ("(-c).softmax(-1)[..., 0]", "jnn.softmax(-c)[..., 0]"),
    "log_softmax": ("c.log_softmax(-1)[..., 0]", "jnn.log_softmax(c)[..., 0]"),
    "power_norm": ("torch.linalg.vector_norm(c, 3, dim=-1)", "jnp.linalg.norm(c, 3, axis=-1)"),
    "cosine_similarity": (
        "F.cosine_similarity(c[..., :2], c[..., 2:], dim=-1)", None
    ),
    "normalize": ("F.normalize(c, dim=-1)[..., 0]", None),
    "cross_entropy": ("-c.log_softmax(-1)[..., 0]", "-jnn.log_softmax(c)[..., 0]"),
    "nll_loss": ("-c[..., 0]", "-c[..., 0]"),
    "kl_div": ("F.kl_div(x, x.detach() * 0 + 0.25, reduction='none')", None),
    **{
        name: (f"F.{name}(x, torch.full_like(x, 0.25), reduction='none')", None)
        for name in ("mse_loss", "l1_loss", "huber_loss", "smooth_l1_loss", "binary_cross_entropy",
                     "binary_cross_entropy_with_logits")
    },
}  # fmt: skip

Results = list[tuple[int, np.ndarray]]
Differentiate = Callable[[Any, np.ndarray], Results]


def call_of(name: str, peer: int, modules: dict[str, Any]) -> Callable[..., Any] | None:
    """The peer's function of columns, or None."""
    if name in CALLS:
        text = CALLS[name][peer]
        if text is None:
            return None
        stack = modules["stack"]

        def called(*columns: Any) -> Any:
            names = dict(zip("xy", columns), c=stack(columns, -1) if "c" in text else None)
            return eval(text, modules, names)

        return called
    places = (modules[key] for key in ("torch", "F", "special", "jnp", "jnn") if key in modules)
    return next((getattr(place, name) for place in places if hasattr(place, name)), None)


def pytorch() -> Differentiate:
    """Value and derivatives by PyTorch, as ``accuracy.differentiate`` gives ours."""
    torch = importlib.import_module("torch")
    modules = {"torch": torch, "F": torch.nn.functional, "special": torch.special, "stack": torch.stack}

    def differentiate(case: Any, rows: np.ndarray) -> Results:
        function = call_of(case.name, 0, modules)
        if function is None:
            return []
        leaves = [torch.tensor(column, requires_grad=True) for column in rows.T.copy()]

        def slopes(z: Any) -> Any:
            ones, options = torch.ones_like(z), {"create_graph": True, "allow_unused": True}
            found = [None] * len(leaves)
            if z.requires_grad:
                found = torch.autograd.grad(z, leaves, ones, **options)
            return [torch.zeros_like(ones) if slope is None else slope for slope in found][:2]

        return [(order, z.numpy(force=True)) for order, z in orders(function(*leaves), slopes)]

    return differentiate


def jax() -> Differentiate:
    """Value and derivatives by JAX."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    modules = {"jnp": jax.numpy, "jnn": jax.nn, "special": jax.scipy.special, "stack": jax.numpy.stack}

    def differentiate(case: Any, rows: np.ndarray) -> Results:
        function = call_of(case.name, 1, modules)
        if function is None:
            return []
        columns = [jax.numpy.asarray(column) for column in rows.T.copy()]
        wanted = tuple(range(len(columns)))[:2]

        def slope(of: Any, place: int) -> Any:
            return jax.grad(lambda *x: of(*x).sum(), place)

        found = [(0, function(*columns))]
        firsts = [slope(function, place) for place in wanted]
        found += [(1, first(*columns)) for first in firsts]
        found += [(2, slope(first, place)(*columns)) for place, first in enumerate(firsts)]
        if len(wanted) == 2:
            found.append((2, slope(firsts[0], 1)(*columns)))
        return [(order, np.asarray(z)) for order, z in found]

    return differentiate


def orders(z: Any, slopes: Callable[[Any], list[Any]]) -> list[tuple[int, Any]]:
    """z; its slopes; and their slopes, each by its own number, then the first by the second."""
    firsts = slopes(z)
    seconds = [slopes(first) for first in firsts]
    found = [(0, z), *((1, first) for first in firsts)]
    found += [(2, second[place]) for place, second in enumerate(seconds)]
    if len(firsts) == 2:
        found.append((2, seconds[0][1]))
    return found
