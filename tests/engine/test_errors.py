"""What the engine refuses: messages say what happened, to which Tensor, what to do; nothing changes."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.catalogue import catalogue


@pytest.mark.parametrize(
    "data",
    ["3", ["1", "2"], None, [1, None], 1j, [1 + 2j], {"a": 1}, object(), np.array(["2024-01-01"], "M8[D]")],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("requires_grad", [True, False])
def test_data_that_is_not_real_numbers(data, requires_grad):
    with pytest.raises(TypeError, match="a Tensor holds real numbers, not "):
        Tensor(data, requires_grad=requires_grad)


def test_a_ragged_list():
    with pytest.raises(TypeError, match="a Tensor needs a number or a regular array"):
        Tensor([[1, 2], [3]])


def test_refused_data_is_shown_but_not_at_length():
    with pytest.raises(TypeError, match="'xxxx") as refusal:
        Tensor("x" * 10_000)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("other", ["3", None, 1j, [1j], object()], ids=lambda value: type(value).__name__)
def test_an_operand_that_is_not_real_numbers(other):
    x = Tensor([1.0, 2.0])
    for call in (lambda: x + other, lambda: other + x, lambda: ad.add(other, 1.0)):
        with pytest.raises(TypeError, match=r"^add .*Tensors, real numbers and arrays of them"):
            call()


def test_a_ragged_list_as_operand_names_the_operation():
    with pytest.raises((TypeError, ValueError), match="mul"):
        Tensor([1.0, 2.0]) * [1, [2]]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "pow", "maximum", "minimum"])
def test_shapes_that_do_not_broadcast(name):
    with pytest.raises(ValueError, match=rf"^{name} cannot take .*\(2,\).* and .*\(3,\)"):
        catalogue.find(name)(Tensor([1.0, 2.0]), Tensor([1.0, 2.0, 3.0]))


def test_shapes_that_do_not_broadcast_say_which_tensors():
    x = Tensor([1.0, 2.0], name="speed")
    y = Tensor([1.0, 2.0, 3.0]).exp()
    with pytest.raises(ValueError, match=r"'speed' of shape \(2,\) and .*\(3,\) \(made by exp\)"):
        x + y


def test_backward_from_more_than_one_number():
    x = Tensor([1.0, 2.0, 3.0])
    y = x * 2
    y.name = "losses"
    with pytest.raises(RuntimeError) as refusal:
        y.backward()
    for part in ("'losses' of shape (3,) (made by mul)", ".sum()", "give a gradient that broadcasts to (3,)"):
        assert part in str(refusal.value)
    assert (x.grad, y.grad) == (None, None)


def test_a_gradient_of_a_wrong_shape():
    x = Tensor([1.0, 2.0, 3.0])
    y = x * 2
    y.backward(1)
    for wrong in ([1, 2], np.ones((2, 3)), np.ones((1, 3)), Tensor([1.0, 2.0])):
        with pytest.raises(
            ValueError, match=r"does not broadcast to the Tensor of shape \(3,\) \(made by mul\)"
        ) as refusal:
            y.backward(wrong)
        assert f"gradient of shape {np.shape(getattr(wrong, 'data', wrong))}" in str(refusal.value)
    assert (x.grad.data.tolist(), y.grad.data.tolist()) == ([2, 2, 2], [1, 1, 1])


def test_a_gradient_that_is_not_real_numbers():
    x = Tensor(1.0)
    with pytest.raises(TypeError, match="real numbers"):
        (x * 2).backward("1")
    assert x.grad is None


@pytest.mark.parametrize(
    "end",
    [
        lambda x: Tensor(3.0, requires_grad=False, name="k"),
        lambda x: x.detach() * 2,
        lambda x: ad.no_grad()(lambda: x * 2)(),
        lambda x: ad.sign(x),
    ],
    ids=["a constant", "detached", "no_grad", "no slope"],
)
def test_backward_where_nothing_was_recorded(end):
    x = Tensor(2.0)
    end = end(x)
    with pytest.raises(
        RuntimeError, match=r"nothing to walk back from the Tensor ('k' )?\d.*nothing was recorded"
    ):
        end.backward()
    assert (x.grad, end.grad) == (None, None)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.__iadd__(1),
        lambda x: setattr(x, "data", x.data * 2),
        lambda x: ad.no_grad()(lambda: x.__imul__(2))(),
    ],
    ids=["+=", "data =", "*= under no_grad"],
)
@pytest.mark.parametrize("value", [3.0, [3.0, 4.0]], ids=["number", "array"])
def test_data_changed_after_it_was_recorded(change, value):
    x = Tensor(value, name="x")
    y = (x * x).exp()
    y.backward(1)
    x.grad = None
    held = y.grad
    change(x)
    with pytest.raises(RuntimeError) as refusal:
        y.backward(1)
    for part in ("the Tensor 'x'", "was changed after the Tensor", "made by mul", "compute again"):
        assert part in str(refusal.value)
    assert x.grad is None
    assert y.grad is held


def test_a_constant_that_was_changed_counts_too():
    x, constant = Tensor(2.0), Tensor(3.0, requires_grad=False, name="scale")
    y = x * constant
    constant += 1
    with pytest.raises(RuntimeError, match=r"'scale' \(now 4\) was changed after"):
        y.backward()
    assert x.grad is None


def test_a_change_before_recording_is_no_fault():
    x = Tensor(2.0)
    x += 1
    (x * x).backward()
    assert x.grad == 6


def test_a_second_backward_after_release():
    x = Tensor(3.0)
    y = x * x
    y.backward(release=True)
    with pytest.raises(RuntimeError) as refusal:
        y.backward()
    for part in ("the graph behind the Tensor 9 (made by mul) is gone", "release=True", "Compute it again"):
        assert part in str(refusal.value)
    assert x.grad == 6


def test_a_graph_that_was_released_in_part():
    x = Tensor(3.0)
    h = x * x
    y, z = h + 1, h * h
    y.backward(release=True)
    with pytest.raises(RuntimeError, match=r"the graph behind the Tensor 9 \(made by mul\) is gone"):
        z.backward()
    assert (x.grad.data, z.grad) == (6, None)


def test_a_releasing_walk_that_fails_keeps_the_graph():
    x, y = Tensor(3.0), Tensor(2.0)
    h = x * x
    z = h * y
    x += 1
    with pytest.raises(RuntimeError, match="was changed"):
        z.backward(release=True)
    assert z.creators == (h, y)
    assert (z.grad, h.grad, y.grad) == (None, None, None)


def test_an_error_in_the_middle_of_a_walk_leaves_every_gradient_as_it_was():
    @ad.operation
    def fragile(x):
        return x * 1

    fragile.backward(lambda grad, z, x: grad)
    x, y = Tensor([1.0]), Tensor([2.0])
    h = fragile(x)
    z = h * y
    z.backward(1)
    before = [t.grad for t in (x, y, h, z)]

    def refuse(*_):
        raise KeyError("in the middle")

    fragile.backward(refuse)
    with pytest.raises(KeyError):
        z.backward(5)
    assert all(t.grad is held for t, held in zip((x, y, h, z), before, strict=True))
    assert [t.grad.data.tolist() for t in (x, y, h, z)] == [[2], [1], [2], [1]]
    assert (x * y).creators is not None, "recording is on again"


@pytest.mark.parametrize("convert", [float, int, Tensor.item], ids=["float", "int", "item"])
def test_one_number_out_of_many(convert):
    x = Tensor([1.0, 2.0], name="pair")
    with pytest.raises(
        TypeError, match=r"only a Tensor with one element converts to a number; this is the Tensor 'pair'"
    ):
        convert(x)


def test_a_format_for_a_number_refuses_an_array():
    with pytest.raises(TypeError, match=r"one element .*\(2,\)"):
        f"{Tensor([1.0, 2.0]):.3f}"


def test_a_recorded_tensor_s_data_cannot_be_set():
    y = Tensor(2.0) * 3
    with pytest.raises(
        RuntimeError, match=r"cannot set the data of the Tensor 6 \(made by mul\): .*Change a leaf"
    ):
        y.data = 5
    with pytest.raises(RuntimeError, match=r"cannot set requires_grad of the Tensor 6 \(made by mul\)"):
        y.requires_grad = False
    assert (y.data, y.requires_grad) == (6, True)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda w: setattr(w, "data", [1, 2, 3]),
            r"cannot set the data of the Tensor 'w' of shape \(2,\).*\(3,\)",
        ),
        (lambda w: w.__iadd__(np.ones((3, 2))), r"cannot update the Tensor 'w' of shape \(2,\).*\(3, 2\)"),
        (lambda w: setattr(w, "grad", [1, 2, 3]), r"the gradient of the Tensor 'w' of shape \(2,\) .*\(3,\)"),
    ],
    ids=["data =", "+=", "grad ="],
)
def test_a_leaf_keeps_its_shape(change, says):
    w = Tensor([1.0, 2.0], name="w")
    w.grad = [5.0, 6.0]
    with pytest.raises(ValueError, match=says):
        change(w)
    assert (w.data.tolist(), w.grad.data.tolist()) == ([1, 2], [5, 6])


def test_an_update_of_integers_by_fractions():
    count = Tensor([1, 2], requires_grad=False)
    with pytest.raises(
        TypeError, match=r"cannot add in place: the Tensor of shape \(2,\) cannot hold float64"
    ):
        count += 0.5
    assert count.data.tolist() == [1, 2]


@pytest.mark.parametrize(
    "given", [{"creators": (Tensor(1),)}, {"creation_op": "add"}, {"creators": (), "creation_op": "add"}]
)
def test_creators_without_an_operation_or_the_reverse(given):
    with pytest.raises(TypeError, match="both creators and creation_op, or neither"):
        Tensor(1, **given)


def test_an_operation_that_does_not_exist():
    with pytest.raises(ValueError, match=r"no operation is called 'plus'; the operations are .*add.*matmul"):
        Tensor(3, (Tensor(1), Tensor(2)), "plus")


def test_creators_that_are_too_few_for_their_operation():
    with pytest.raises((TypeError, ValueError), match="mul"):
        Tensor(6, (Tensor(2),), "mul")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda t: np.spacing(t), "np.spacing is not recorded for the Tensor 'w'.*t.data"),
        (lambda t: np.add.reduceat(t, [0]), "np.add.reduceat is not recorded for the Tensor 'w'.*slices"),
        (lambda t: np.exp(t, out=np.zeros(2)), "np.exp with out= is not recorded for the Tensor 'w'.*result"),
    ],
    ids=["unknown", "a method of a ufunc", "out="],
)
def test_a_numpy_function_that_is_not_recorded(call, says):
    with pytest.raises(TypeError, match=f"^{says}"):
        call(Tensor([1.0, 2.0], name="w"))


def test_an_array_is_not_made_of_a_tensor_that_wants_a_gradient():
    with pytest.raises(
        TypeError, match=r"'w' of shape \(2,\) would lose its gradient.*t\.data or t\.detach\(\)"
    ):
        np.asarray(Tensor([1.0, 2.0], name="w"))
    assert np.asarray(Tensor([1.0, 2.0]).detach()).tolist() == [1, 2]


def test_assign_keeps_large_integers_of_a_constant():
    labels = Tensor(np.array([1, 2], np.int64), requires_grad=False)
    labels.assign([2**53 + 1, 3])
    assert labels.data.tolist() == [2**53 + 1, 3]


@pytest.mark.parametrize("number", [Tensor(3.0), Tensor(np.float32([1, 2])).sum().detach()])
def test_a_number_has_no_elements_to_set(number):
    with pytest.raises(TypeError, match=r"is a number and has no elements; use t.assign"):
        number[...] = 3


def test_a_creation_op_that_is_none():
    with pytest.raises(TypeError, match="creation_op must be an operation or its name, not 5"):
        Tensor(3, (1, 2), 5)


@pytest.mark.parametrize("returned", [None, [1.0], (1.0, 2.0, 3.0)])
def test_a_joint_rule_that_returns_the_wrong_number_of_contributions(returned):
    @ad.operation
    def product(x, y):
        return x * y

    product.backward(joint=lambda grad, z, x, y, wanted: returned)
    x = Tensor(2.0)
    with pytest.raises(TypeError, match=r"the joint rule of product returned .*None for each of 2 inputs"):
        product(x, 3.0).backward()
    assert x.grad is None
