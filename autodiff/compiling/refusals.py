"""Methods of a symbol that raise TraceError, since they need a value, which a symbol does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.tracing import TraceError


def refuse(what: str) -> Callable[..., Any]:
    """A method that raises TraceError."""

    def refused(self: Any, *args: Any, **options: Any) -> Any:
        raise TraceError(
            f"{what} needs the value of {self!r}: a function is compiled by calling it once with arguments "
            "that have no values. Use ad.where or ad.maximum in place of a decision, or compile the parts "
            "before and after it"
        )

    return refused
