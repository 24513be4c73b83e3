"""How derivatives and products are written in every text: `∂e/∂d · ∂d/∂b = 4 · 1 = 4`."""

from __future__ import annotations

from collections.abc import Iterable

TIMES = "\N{MIDDLE DOT}"


def partial(result: str, operand: str) -> str:
    """The derivative of one node by another, by their names.

    >>> partial("e", "d"), partial("y", "1st x"), partial("net.b", "W[0]")
    ('∂e/∂d', '∂y/∂(1st x)', '∂net.b/∂W[0]')
    """
    return f"\N{PARTIAL DIFFERENTIAL}{_one(result)}/\N{PARTIAL DIFFERENTIAL}{_one(operand)}"


def product(factors: Iterable[str]) -> str:
    """Factors as a product, empty if there are none. A negative one is in parentheses, unless it comes first.

    >>> product(["-4", "-1", "3"]), product(["∂e/∂d", "∂d/∂b"])
    ('-4 · (-1) · 3', '∂e/∂d · ∂d/∂b')
    """
    texts = [f"({one})" if k and one.startswith("-") else one for k, one in enumerate(factors)]
    return f" {TIMES} ".join(texts)


def _one(name: str) -> str:
    """A name as one thing: in parentheses if there is a space in it."""
    return f"({name})" if " " in name else name
