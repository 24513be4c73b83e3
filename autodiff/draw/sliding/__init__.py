"""`slide`: the graph of a function while one of its inputs moves."""
