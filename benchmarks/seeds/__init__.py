"""Models of the systems that this project came from, trained as there; see ``__main__.py``."""
