"""Pages that compute: a graph under the reader's hand, with no kernel, no server and no network.

What runs in such a page is what `ad.compile` wrote, in JavaScript; the picture is that of `ad.draw`.
"""

# `page` writes a whole page from its parts, and `embedding` puts it into a notebook. `replaying` makes a
# function of a recorded graph. For a live graph `everything` makes one program of all its numbers,
# `program` names them and writes it in JavaScript, `picture` draws the graph so that a script finds
# everything in it, `levels` says which modules are closed, `graph_page` puts the parts together, and
# `live_graph` is the object that shows itself. The scripts are in `.js` files, which are joined to one:
# `numbers` and `streams` write and draw, `graph` computes and shows, `hand` moves, and each of the others
# adds one thing that one can do. All of it is imported when it is first needed.

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .live_graph import Live, live

__all__ = ["Live", "live"]

HOMES = {"Live": "live_graph", "live": "live_graph"}


def __getattr__(name: str) -> Any:
    """Import a name from its module when it is first used."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{HOMES[name]}", __name__), name)
