"""A graph in words: its table, its equations and its sentence."""
