"""The exercises, one module per lesson: a judge for each, its hints, and nothing else. Solutions are
notebooks in ``notebooks/solutions/``."""
