"""`film`: a walk over the graph, one operation at a time."""
