"""A graph in words: equations, tables, and the sentence that describes a picture."""
