"""Define, then run: a graph of nodes is built first and computed later, as in SimpleFlow and TensorFlow 1.

Operations on nodes make further nodes. Nothing is computed before ``Session.run``, which takes values for the
placeholders. Operations and gradients are those of the package: a run computes with Tensors, and
``gradients`` walks back over them.

Every operation of the catalogue is a function on nodes here, such as ``static.exp`` and ``static.matmul``.
Some have TensorFlow's names too, such as ``reduce_sum`` and ``multiply``. Functions with several results,
such as ``static.svd`` and ``static.split``, return a tuple of nodes.

Example
-------
>>> import numpy as np
>>> from autodiff import static
>>> with static.Graph().as_default() as graph:
...     x = static.placeholder(shape=(None, 1), name="x")
...     y = static.placeholder(shape=(None, 1), name="y")
...     w = static.Variable([[0.0]], name="w")
...     loss = static.reduce_mean(static.square(x @ w - y))
...     step = static.GradientDescentOptimizer(0.1).minimize(loss)
...     init = static.global_variables_initializer()
>>> with static.Session(graph) as session:
...     session.run(init)
...     for _ in range(100):
...         session.run(step, feed_dict={x: [[1], [2]], y: [[3], [6]]})
...     session.run(w)
array([[3.]])
"""

from typing import TYPE_CHECKING, Any

from .differentiating import gradients
from .graph import Graph, get_default_graph, get_default_session, reset_default_graph
from .leaves import constant, placeholder
from .node import Node, apply
from .operations import FUNCTIONS, INTERNAL
from .optimizers import AdamOptimizer, GradientDescentOptimizer, MomentumOptimizer
from .session import Session
from .variables import Variable, assign, assign_add, assign_sub, global_variables_initializer, group

__all__ = [
    "AdamOptimizer", "GradientDescentOptimizer", "Graph", "MomentumOptimizer", "Node", "Session", "Variable",
    "apply", "assign", "assign_add", "assign_sub", "constant", "get_default_graph", "get_default_session",
    "global_variables_initializer", "gradients", "group", "placeholder", "reset_default_graph",
]  # fmt: skip
__all__ += [name for name in FUNCTIONS if name not in INTERNAL]

globals().update(FUNCTIONS)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
