"""Pages that compute: a graph, or a training, under the reader's hand, with no kernel and no server.

What runs in such a page is what `ad.compile` wrote, in JavaScript; the picture is that of `ad.draw`.
"""

# `page` writes a whole page from its parts. Each kind of page is imported when it is first needed.

from __future__ import annotations
