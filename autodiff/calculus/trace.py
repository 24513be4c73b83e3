"""The recorded call of a function, from which ``derivatives.py`` pulls gradients back and pushes tangents
forward.

What the function refers to is found behind its results, in the graph that the engine has recorded. A trace of
``compiling`` has no such graph, and meets it at each operand instead; an export is such a trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..engine import recording
from ..engine.backward import gradients, order
from ..engine.contexts import switched
from ..engine.contributions import zeros
from ..engine.leaving import forget, raise_in_our_words
from ..engine.node_parts import ARGUMENT, PLAIN, Extras
from ..engine.origins import is_origin, origins
from ..engine.tensor import Tensor, check_not_released, constant_tensor, wants_grad
from ..engine.tracing import stand_in, stand_ins
from ..engine.values import as_data
from .forward import leaf_of, link, pushforward
from .trees import leaves, rebuilt, with_tensors

Function = Callable[..., Any]


class CallTrace:
    """A call of ``f`` on fresh leaves in place of the arguments to differentiate with respect to.

    During the call, these leaves depend on nothing. ``close`` links them to the arguments again, so that the
    derivative can be differentiated too.

    The derivative is recorded if a Tensor that requires a gradient took part in the call: as an argument, or
    because ``f`` refers to it. The leaves that ``f`` itself has made, as in ``total = Tensor(0)``, are not
    counted, except for parameters, which a module may keep.

    Attributes
    ----------
    primals
        The arguments to differentiate with respect to, as they were given.
    inputs, outputs
        The leaves in their place, and the Tensors that ``f`` returned.
    out
        The returned value, in its structure, with constants as Tensors.
    aux
        The second part of the returned pair, if ``has_aux``.
    nodes
        For each output, the nodes behind it that a walk visits, in topological order: those that depend on
        inputs, since what ``f`` refers to gets no gradient here.
    within
        For an output behind which there are arrays that are not inputs, the same nodes as a set: rules are
        not asked for contributions to others. (For numbers, asking costs more than it saves.)
    is_recorded
        Whether the derivative is recorded.
    """

    def __init__(
        self,
        f: Function,
        arguments: Sequence[Any],
        argnums: int | Sequence[int],
        keywords: dict[str, Any] | None = None,
        has_aux: bool = False,
    ) -> None:
        self.is_single = isinstance(argnums, int)
        positions = checked_positions(argnums, len(arguments))
        self.primals = [arguments[position] for position in positions]
        self.primal_leaves = [leaf for primal in self.primals for leaf in leaves(primal)]
        self.inputs = [argument_leaf(x) for x in self.primal_leaves]
        self.is_recording = recording.current().recording
        remaining = iter(self.inputs)
        replaced = list(arguments)
        for position, primal in zip(positions, self.primals):
            replaced[position] = rebuilt(primal, remaining)
        out, self.own = call(f, replaced, keywords or {})
        self.aux = None
        if has_aux:
            out, self.aux = checked_pair(out)
        self.outputs = [as_output(value) for value in leaves(out)]
        self.out = rebuilt(out, self.outputs)
        self.nodes: dict[Tensor, list[Tensor]] = {}
        self.within: dict[Tensor, set[Tensor]] = {}
        is_given = any(map(wants_grad, self.primal_leaves))
        self.is_recorded = (self.look_behind_outputs() or is_given) and self.is_recording

    def look_behind_outputs(self) -> bool:
        """Find the nodes to visit, and whether any output depends on an origin that is not an input."""
        known, has_others = self.own.union(self.inputs), False
        for output in self.outputs:
            nodes = self.nodes[output] = order(output) if output._requires_grad else []
            ends = [node for node in nodes if node.creation_op is None and node not in known]
            if not ends:
                continue
            others = [node for node in ends if is_origin(node)]
            found = depending(self.inputs, nodes)
            self.nodes[output] = [node for node in nodes if node in found]
            if any(x.ndim for x in others):
                self.within[output] = found
            has_others = has_others or bool(others)
        return has_others

    def close(self) -> None:
        """Link each leaf to the argument that it was made from, or mark it as made from a plain one."""
        if self.is_recorded:
            link(self.inputs, self.primal_leaves)
        for leaf in self.inputs:
            if leaf.creation_op is None:
                leaf._y = PLAIN
        if self.aux is not None:
            self.aux = with_tensors(self.aux, self.settled)

    def like_primals(self, values: Iterable[Any]) -> Any:
        """One result per input, in the structure of the primals: a tuple, if ``argnums`` is a sequence."""
        remaining = iter([self.settled(x) if x._requires_grad else x for x in values])
        parts = tuple(rebuilt(primal, remaining) for primal in self.primals)
        return parts[0] if self.is_single else parts

    def pull(self, output: Tensor, cotangent: Any = None) -> list[Tensor]:
        """The gradients of the inputs from a gradient of one output."""
        nodes = self.nodes[output]
        if not nodes:  # it does not depend on the inputs
            return [constant_tensor(zeros(x)) for x in self.inputs]
        is_wanted = self.is_recorded or wants_grad(cotangent)
        create_graph = is_wanted and recording.current().recording
        within = self.within.get(output)
        return gradients(
            output, self.inputs, cotangent, create_graph=create_graph, nodes=nodes, within=within
        )

    def check_not_released(self) -> None:
        """Raise RuntimeError if a ``backward(release=True)`` since the call has dropped what is needed."""
        for nodes in self.nodes.values():
            for node in nodes:
                check_not_released(node)

    def push(self, tangents: dict[Tensor, Any]) -> list[Tensor]:
        """The tangents of the outputs from tangents of inputs."""
        create_graph = self.is_recorded or any(map(wants_grad, tangents.values()))
        return [
            pushforward(output, tangents, create_graph=create_graph, nodes=self.nodes[output])
            for output in self.outputs
        ]

    def value(self) -> Any:
        """What ``f`` returned."""
        finished = self.settled if self.is_recorded else Tensor.detach
        return rebuilt(self.out, map(finished, self.outputs))

    def settled(self, result: Tensor) -> Tensor:
        """A result after ``close``: a constant, unless it is recorded and an origin is behind it."""
        if not result._requires_grad:
            return result
        is_kept = self.is_recording and any(leaf not in self.own for leaf in origins(result))
        return result if is_kept else result.detach()


def call(f: Function, arguments: Sequence[Any], keywords: dict[str, Any]) -> tuple[Any, set[Tensor]]:
    """What ``f`` returns, and the leaves that it makes itself. Recording is enabled, so that derivatives
    inside it are recorded too."""
    outside, made = recording.current(), []  # type: tuple[Any, list[Any]]
    forget()
    with switched(recording=True, depth=outside.depth + 1, made=made):
        try:
            out = f(*arguments, **keywords)
        except Exception as error:
            raise_in_our_words(error)
            raise
        finally:
            if outside.made is not None:
                outside.made += made
    return out, {leaf for leaf in stand_ins(tuple(made)) if type(leaf) is Tensor} if made else set()


def depending(inputs: Sequence[Tensor], nodes: Sequence[Tensor]) -> set[Tensor]:
    """The inputs, and those of the nodes, creators before what they make, that depend on one."""
    found = set(inputs)
    for node in nodes:
        for creator in node.creators or ():
            if isinstance(creator, Tensor) and creator in found:
                found.add(node)
                break
    return found


def argument_leaf(value: Any) -> Tensor:
    """A fresh leaf in place of an argument. In-place operators rebind its name; other updates are errors."""
    leaf = leaf_of(value) if isinstance(value, Tensor) else stand_in(Tensor(value))
    leaf._x = ARGUMENT
    if group := recording.current().group:
        leaf._extras = Extras(group=group)
    return leaf


def checked_positions(argnums: int | Sequence[int], count: int) -> list[int]:
    """The positions in ``argnums`` as a list. Raises TypeError if they are not ints, ValueError if one is out
    of range."""
    positions = [argnums] if isinstance(argnums, int) else argnums
    is_sequence = isinstance(positions, (list, tuple, range))
    if not is_sequence or not all(isinstance(position, int) for position in positions):
        raise TypeError(
            f"argnums is the position of an argument, or several, not {argnums!r:.60}. The derivative is a "
            "function: ad.grad(f)(x)"
        )
    for position in positions:
        if not -count <= position < count:
            raise ValueError(f"argnums has {position}, and the function was called with {count} arguments")
    return list(positions)


def checked_pair(out: Any) -> tuple[Any, Any]:
    """What a function with ``has_aux`` returned. Raises TypeError unless it is a pair."""
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(f"with has_aux=True the function returns a pair, (result, aux), not {out!r:.60}")
    return out


def as_output(value: Any) -> Tensor:
    """A returned value as a Tensor: a number or an array becomes a constant, with the derivative 0.

    Raises TypeError for anything else.
    """
    if isinstance(value, Tensor):
        return value
    try:
        return constant_tensor(as_data(value))
    except TypeError:
        raise TypeError(
            f"a function to differentiate returns Tensors or numbers, not {type(value).__name__}"
        ) from None
