"""The exercises, one module per lesson, with a judge and hints for each exercise. The other modules hold what
judges share. Solutions are notebooks in ``notebooks/solutions/``."""
