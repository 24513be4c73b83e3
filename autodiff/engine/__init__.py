"""The engine: what a Tensor is, what an operation records, and the walk back (the backward pass).

The main files, in reading order:

``tensor.py``
    the node: a value, a gradient, creators and the operation that made it (its parts in ``node_parts.py``)
``operators.py``, ``catalogue.py``
    how ``x * y`` finds its operation
``operation.py``
    what an operation is, and how a call is computed and recorded
``backward.py``
    the walk back, which adds up contributions
``contributions.py``
    fits each contribution to its Tensor; broadcasting is undone here
``shortcuts.py``
    only for speed: this file can be deleted

Nothing here imports from another room of the package.
"""
