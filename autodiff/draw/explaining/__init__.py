"""`explain`: every path from a result back to one node."""
