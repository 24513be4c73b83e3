"""Methods of a symbol that raise TraceError, since they need a value, which a symbol does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.frames import frame_outside
from ..engine.leaving import noted
from ..engine.tracing import TraceError
from .variables import LIBRARIES

DECISION = "Use ad.where or ad.maximum in place of a decision, or compile the parts before and after it"
INTO_AN_ARRAY = (
    "To write it into an array of zeros, as in y[0] = x[0], make that by np.zeros_like(x), or join the parts "
    "with np.stack; or compile the parts before and after this"
)


def refuse(what: str, advice: str = DECISION) -> Callable[..., Any]:
    """A method that raises TraceError, and says what to do instead."""

    def refused(self: Any, *args: Any, **options: Any) -> Any:
        error = TraceError(
            f"{what} needs the value of {self!r}: a function is compiled by calling it once with arguments "
            f"that have no values. {advice}"
        )
        raise noted(error, frame_outside(LIBRARIES))

    return refused
