"""`film`: a walk through the graph, one operation at a time."""
