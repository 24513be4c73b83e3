"""The methods of a symbol that would tell its value, which is not known while a function is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.tracing import TraceError


def refuse(what: str) -> Callable[..., Any]:
    """A method that raises TraceError."""

    def refused(self: Any, *args: Any, **options: Any) -> Any:
        raise TraceError(
            f"{what} needs the value of {self!r}: while a function is compiled it is called once, with "
            "arguments that have no values. Use ad.where or ad.maximum in place of a decision, or compile "
            "the parts around it"
        )

    return refused
