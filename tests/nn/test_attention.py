"""Attention: as a function, and as a layer with projections."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, gradcheck, gradgradcheck, nn
from autodiff.nn import attention_pieces
from autodiff.nn import functional as F  # noqa: N812  what everybody calls it
from autodiff.nn.attention_functions import causal_mask
from autodiff.nn.attention_pieces import attention
from autodiff.nn.attention_weights import attention_weights
from tests.nn.helpers import check_gradients, in_double, random

attend = F.scaled_dot_product_attention
TRIL = np.tri(3, 4, dtype=bool)


def plain(query, key, value, mask=0.0, scale=None):
    """The formula of the paper, in operations of the catalogue."""
    scale = 1 / np.sqrt(query.shape[-1]) if scale is None else scale
    return ad.softmax(query @ ad.swapaxes(key, -1, -2) * scale + mask) @ value


def three(*lead, queries=3, keys=4, width=2, values=5):
    shapes = (*lead, queries, width), (*lead, keys, width), (*lead, keys, values)
    return [random(*shape, seed=seed) for seed, shape in enumerate(shapes)]


# -- the function -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("lead", [(), (2,), (2, 3), (1, 2, 1)])
@pytest.mark.parametrize("scale", [None, 0.3])
@pytest.mark.parametrize("mask", [0.0, np.where(TRIL, 0, -np.inf), random(3, 4, seed=9)])
def test_it_is_the_formula_in_value_and_gradients(lead, scale, mask):
    arrays = three(*lead)
    ours, theirs = ([Tensor(array) for array in arrays] for _ in range(2))
    grad = random(*lead, 3, 5, seed=7)
    out = attend(*ours, attn_mask=None if np.ndim(mask) == 0 else mask, scale=scale)
    expected = plain(*theirs, mask, scale)
    np.testing.assert_allclose(out.data, expected.data, rtol=1e-12, atol=1e-14)
    out.backward(grad)
    expected.backward(grad)
    for mine, other in zip(ours, theirs):
        np.testing.assert_allclose(mine.grad.data, other.grad.data, rtol=1e-10, atol=1e-13)


def test_literal_numbers():
    log = np.log([[1.0, 3.0]])  # weights of a quarter and three quarters
    out = attend(log.T[:1] * 0 + 1, log.T, [[4.0, 0.0], [8.0, 1.0]], scale=1.0)
    np.testing.assert_allclose(out, [[7.0, 0.75]])
    out = attend([[1.0]], log.T, [[4.0, 0.0], [8.0, 1.0]], scale=1.0, attn_mask=[[True, False]])
    np.testing.assert_allclose(out, [[4.0, 0.0]])


@pytest.mark.parametrize("mask", [0.0, np.where(TRIL, 0, -np.inf), 3 * random(2, 3, 4, seed=9)])
def test_attention_weights_differentiate_twice_and_forward(mask):
    query, key, _ = three(2)

    def weights(query, key):
        return attention_weights(query, key, mask, scale=0.7)

    gradcheck(weights, query, key)
    gradgradcheck(weights, query, key)
    tangents = random(2, 3, 2, seed=5), random(2, 4, 2, seed=6)
    _, forward = ad.jvp(weights, (query, key), tangents)
    eps = 1e-6
    nudged = [weights(query + s * tangents[0], key + s * tangents[1]) for s in (eps, -eps)]
    np.testing.assert_allclose(forward, (nudged[0] - nudged[1]) / (2 * eps), atol=1e-8)


def test_a_learned_mask_gets_a_gradient():
    query, key, value = three(2)
    gradcheck(lambda mask: attend(query, key, value, attn_mask=mask), random(3, 4, seed=3))
    gradgradcheck(lambda mask: attention_weights(query, key, mask, scale=1.0), random(3, 4, seed=3))


MASKS = [0.0, np.where(TRIL, 0, -np.inf), random(5, 1, 1, 4, seed=9), random(5, 2, 3, 4, seed=9)]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("size", [1, 500, 10**9])
def test_attention_in_pieces_is_attention_at_once(mask, size, monkeypatch):
    monkeypatch.setattr(attention_pieces, "PIECE", size)  # one example, two, or all at a time
    arrays, grad = three(5, 2), random(5, 2, 3, 5, seed=7)
    ours, theirs = ([Tensor(array) for array in arrays] for _ in range(2))
    out = attention(*ours, mask, scale=0.7)
    expected = attention_weights(*theirs[:2], mask, scale=0.7) @ theirs[2]
    np.testing.assert_allclose(out.data, expected.data, rtol=1e-12)
    out.backward(grad)
    expected.backward(grad)
    for mine, other in zip(ours, theirs):
        np.testing.assert_allclose(mine.grad.data, other.grad.data, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("mask", MASKS)
def test_attention_differentiates_twice_and_forward(mask, monkeypatch):
    monkeypatch.setattr(attention_pieces, "PIECE", 500)
    arrays = three(5, 2, values=2)

    def means(*qkv):
        return attention(*qkv, mask, scale=0.7)

    gradcheck(means, *arrays)
    gradgradcheck(means, *arrays)
    tangents = [random(*array.shape, seed=5 + i) for i, array in enumerate(arrays)]
    _, forward = ad.jvp(means, tuple(arrays), tuple(tangents))
    eps = 1e-6
    nudged = [means(*(a + s * t for a, t in zip(arrays, tangents))) for s in (eps, -eps)]
    np.testing.assert_allclose(forward, (nudged[0] - nudged[1]) / (2 * eps), atol=1e-8)


def test_the_weights_are_never_there_as_a_whole():
    leaves = [Tensor(np.float32(random(8, 4, 256, 4, seed=seed))) for seed in range(3)]
    attend(*leaves)  # what is made once is made
    tracemalloc.start()
    attend(*leaves, is_causal=True).sum().backward(release=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.8 * 8 * 4 * 256 * 256 * 4


def test_where_it_cannot_be_done_in_pieces_it_is_done_at_once():
    query, key, value = three(2)
    expected = attend(query, key, value)
    assert attend(*map(Tensor, (query, key, value))).creation_op == "attention"
    for one in (attend(Tensor(query), key, np.float32(value)), attend(Tensor(query), key[:1], value)):
        assert one.creation_op == "matmul"
    np.testing.assert_allclose(attend(query, key, np.float32(value)), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("size", [1000.0, -1000.0])
def test_logits_of_plus_and_minus_1000_are_stable(dtype, size):
    query = np.array([[1.0, 0.0], [0.0, 1.0]], dtype)
    key = np.array([[size, size], [size - 8, size], [-size, size]], dtype)
    value = Tensor(np.eye(3, dtype=dtype))
    leaves = Tensor(query), Tensor(key), value
    out = attend(*leaves, scale=1.0)
    shares = np.exp([0.0, -8.0, -np.inf]) if size > 0 else np.array([0.0, 0.0, 1.0])
    tolerance = {"rtol": 2e-3 if dtype == np.float16 else 1e-5, "atol": 1e-6}
    np.testing.assert_allclose(out.data[0], shares / shares.sum(), **tolerance)
    np.testing.assert_allclose(out.data[1], 1 / 3, **tolerance)
    out.sum().backward()
    assert out.dtype == dtype
    assert all(np.isfinite(leaf.grad.data).all() and leaf.grad.dtype == dtype for leaf in leaves)


@pytest.mark.parametrize("shift", [0.0, 300.0, -300.0])
def test_a_shift_of_all_logits_changes_nothing(shift):
    query, key, value = three(2)
    out = attend(query, key, value, attn_mask=np.full((3, 4), shift))
    np.testing.assert_allclose(out, attend(query, key, value), rtol=1e-10)


@pytest.mark.parametrize("hidden", [np.zeros((1, 4), bool), np.full((1, 4), -np.inf)])
@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_a_row_that_is_masked_entirely_gives_zeros_and_no_gradient(hidden, size):
    query, key, value = (Tensor(array) for array in three())
    free = np.ones((2, 4), bool) if hidden.dtype == bool else np.zeros((2, 4))
    out = attend(query * size, key, value, attn_mask=np.concatenate([hidden, free]))
    assert out.data[0].tolist() == [0] * 5
    np.testing.assert_allclose(out.data[1:], attend(query * size, key, value).data[1:])
    out.sum().backward()
    assert query.grad.data[0].tolist() == [0, 0]
    assert np.isfinite(key.grad.data).all()
    assert np.abs(query.grad.data[1:]).max() > 0


def test_a_causal_query_sees_the_keys_up_to_its_own_place():
    query, key, value = three(2, queries=4)
    out = attend(query, key, value, is_causal=True)
    np.testing.assert_array_equal(out, attend(query, key, value, attn_mask=np.tri(4, dtype=bool)))
    later = key.copy(), value.copy()
    for array in later:
        array[:, 2:] += 100
    np.testing.assert_array_equal(attend(query, *later, is_causal=True)[:, :2], out[:, :2])
    np.testing.assert_allclose(out[:, 0], value[:, 0])
    both = attend(query, key, value, attn_mask=np.arange(4) > 0, is_causal=True)
    assert not both[:, 0].any()
    assert not causal_mask(3, 3).flags.writeable


def test_dropout_leaves_weights_out():
    query, key, value = three(keys=2000, values=1)
    ones = np.ones_like(value)
    out = attend(query, key, ones, dropout_p=0.5, generator=0)
    np.testing.assert_allclose(out, 1, atol=0.2)
    assert (out != 1).all()
    np.testing.assert_array_equal(out, attend(query, key, ones, dropout_p=0.5, generator=0))
    assert not attend(query, key, ones, dropout_p=1.0).any()


def test_groups_of_heads_share_keys():
    query, key, value = random(2, 4, 3, 2), random(2, 2, 5, 2, seed=1), random(2, 2, 5, 3, seed=2)
    out = attend(query, key, value, enable_gqa=True)
    np.testing.assert_allclose(out, attend(query, key.repeat(2, 1), value.repeat(2, 1)))
    gradcheck(lambda *x: attend(*x, enable_gqa=True), query, key, value)
    with pytest.raises(ValueError, match="4 heads of queries must be a multiple of the 3 heads"):
        attend(query, random(2, 3, 5, 2), value, enable_gqa=True)
    with pytest.raises(ValueError, match="needs an axis of heads"):
        attend(query[0, 0], key[0, 0], value[0, 0], enable_gqa=True)


@pytest.mark.parametrize(
    ("queries", "keys", "expected"), [(0, 4, (2, 0, 5)), (3, 0, (2, 3, 5)), (1, 1, (2, 1, 5))]
)
def test_no_queries_no_keys_or_one_of_each(queries, keys, expected):
    leaves = [Tensor(array) for array in three(2, queries=queries, keys=keys)]
    out = attend(*leaves)
    out.sum().backward()
    assert out.shape == expected
    assert keys or not out.data.any()
    assert attend(*(leaf.data[:0] for leaf in leaves)).shape == (0, *expected[1:])


def test_lists_arrays_and_float32_stay_what_they_are():
    assert type(attend([[1.0]], [[1.0]], [[2.0]])) is np.ndarray
    arrays = [np.float32(array) for array in three(2)]
    assert attend(*arrays, attn_mask=random(3, 4)).dtype == np.float32
    assert attend(*map(Tensor, arrays), is_causal=True).dtype == np.float32


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([(3,), (4, 2), (4, 2)], r"takes query \(..., L, E\)"),
        ([(3, 2), (4, 3), (4, 2)], "the same last axis"),
        ([(3, 2), (4, 2), (5, 2)], "a value for each key"),
        ([(2, 3, 2), (3, 4, 2), (3, 4, 2)], "leading axes"),
    ],
)
def test_what_does_not_fit_is_refused(shapes, message):
    with pytest.raises(ValueError, match=message):
        attend(*(random(*shape) for shape in shapes))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"attn_mask": np.ones((3, 5), bool)}, ValueError, r"must broadcast to \(2, 3, 4\)"),
        ({"attn_mask": np.ones((7, 2, 3, 4))}, ValueError, r"must broadcast to \(2, 3, 4\)"),
        ({"attn_mask": np.ones((3, 4), int)}, TypeError, "must be boolean or float"),
        ({"dropout_p": 1.5}, ValueError, "dropout_p of scaled_dot_product_attention must be between 0 and 1"),
    ],
)
def test_masks_and_options_are_checked(options, error, message):
    with pytest.raises(error, match=message):
        attend(*three(2), **options)


def test_against_torch():
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    rng = np.random.default_rng(0)
    for trial in range(150):
        lead = tuple(rng.integers(1, 4, rng.integers(0, 3)))
        sizes = dict(zip(("queries", "keys", "width", "values"), rng.integers(1, 6, 4).tolist()))
        arrays = [rng.choice((1, 30)) * array for array in three(*lead, **sizes)]
        options = {} if rng.random() < 0.5 else {"scale": 0.4}
        kind = rng.integers(4)
        hidden = rng.random((sizes["queries"], sizes["keys"])) < 0.4
        if kind == 1:
            options["is_causal"] = True
        elif kind > 1:
            options["attn_mask"] = hidden if kind == 2 else np.where(hidden, -np.inf, rng.normal())
        mine = [Tensor(array) for array in arrays]
        other = [torch.tensor(array, requires_grad=True) for array in arrays]
        out = attend(*mine, **options)
        theirs = options | {k: torch.tensor(v) for k, v in options.items() if isinstance(v, np.ndarray)}
        expected = torch.nn.functional.scaled_dot_product_attention(*other, **theirs)
        grad = rng.normal(size=out.shape)
        out.backward(grad)
        expected.backward(torch.tensor(grad))
        np.testing.assert_allclose(out.data, expected.detach(), rtol=1e-9, atol=1e-10, err_msg=str(trial))
        for ours, its in zip(mine, other):
            np.testing.assert_allclose(ours.grad.data, its.grad, rtol=1e-8, atol=1e-9, err_msg=str(trial))


# -- the layer --------------------------------------------------------------------------------------------


def by_hand(layer, x):
    """Self-attention of one example, head by head."""
    q, k, v = np.split(x @ layer.in_proj_weight.data.T + layer.in_proj_bias.data, 3, axis=1)
    size = layer.embed_dim // layer.num_heads
    heads, weights = [], []
    for start in range(0, layer.embed_dim, size):
        part = np.s_[:, start : start + size]
        logits = q[part] @ k[part].T / np.sqrt(size)
        weights.append(np.exp(logits) / np.exp(logits).sum(1, keepdims=True))
        heads.append(weights[-1] @ v[part])
    return np.concatenate(heads, 1) @ layer.out_proj.weight.data.T + layer.out_proj.bias.data, weights


@pytest.mark.parametrize("layout", ["batch_first", "batch second", "alone"])
def test_each_head_attends_by_itself(layout):
    layer = in_double(nn.MultiheadAttention(6, 3, batch_first=layout == "batch_first", generator=0))
    layer.in_proj_bias.assign(random(18))
    x = random(2, 4, 6)
    expected = [by_hand(layer, each) for each in x]
    given = {"batch_first": x, "batch second": x.swapaxes(0, 1), "alone": x[0]}[layout]
    out, weights = layer(given, given, given)
    _, each = layer(given, given, given, average_attn_weights=False)
    out = out.data[None] if layout == "alone" else out.data
    out = out.swapaxes(0, 1) if layout == "batch second" else out
    for number in range(len(out)):
        np.testing.assert_allclose(out[number], expected[number][0], rtol=1e-10)
        of_one = lambda w, n=number: w.data if layout == "alone" else w.data[n]
        np.testing.assert_allclose(of_one(weights), np.mean(expected[number][1], 0), rtol=1e-10)
        np.testing.assert_allclose(of_one(each), expected[number][1], rtol=1e-10)
    assert layer(given, given, given, need_weights=False)[1] is None


def test_parameters_have_torch_s_names_shapes_and_starting_values():
    layer = nn.MultiheadAttention(64, 4)
    shapes = {name: value.shape for name, value in layer.state_dict().items()}
    assert shapes == {
        "in_proj_weight": (192, 64), "in_proj_bias": (192,),
        "out_proj.weight": (64, 64), "out_proj.bias": (64,),
    }  # fmt: skip
    assert abs(layer.in_proj_weight.data).max() == pytest.approx(np.sqrt(6 / 256), rel=0.01)
    assert abs(layer.out_proj.weight.data).max() == pytest.approx(1 / 8, rel=0.01)
    assert not layer.in_proj_bias.data.any()
    assert not layer.out_proj.bias.data.any()
    other = nn.MultiheadAttention(8, 2, kdim=3, vdim=5, bias=False)
    assert {name: value.shape for name, value in other.state_dict().items()} == {
        "q_proj_weight": (8, 8), "k_proj_weight": (8, 3), "v_proj_weight": (8, 5), "out_proj.weight": (8, 8),
    }  # fmt: skip


def test_literal_numbers_of_torch_s_layer():
    layer = in_double(nn.MultiheadAttention(4, 2))
    start = 0
    for parameter in layer.parameters():
        count = np.arange(start, start := start + parameter.size)
        parameter.assign(0.8 * np.sin(0.7 * count).reshape(parameter.shape))
    x = np.cos(np.arange(12.0)).reshape(3, 1, 4)
    out, weights = layer(x, x, x)
    expected = [
        [-0.945672, 0.465403, -1.223819, -0.697799], [-1.600162, 1.236695, -2.022788, 0.036521],
        [-0.942962, 0.520719, -1.330769, -0.551573],
    ]  # fmt: skip
    np.testing.assert_allclose(out.data[:, 0], expected, atol=1e-6)
    expected = [
        [0.745167, 0.211737, 0.043095], [0.008842, 0.235657, 0.755502], [0.602607, 0.172166, 0.225227],
    ]  # fmt: skip
    np.testing.assert_allclose(weights.data[0], expected, atol=1e-6)


def test_a_seed_repeats_starting_values_and_dropout():
    x = random(3, 2, 4)
    first, second = (nn.MultiheadAttention(4, 2, dropout=0.5, generator=3) for _ in range(2))
    out = first(x, x, x)[0].data
    np.testing.assert_array_equal(out, second(x, x, x)[0].data)
    assert (out != first(x, x, x)[0].data).any()
    np.testing.assert_array_equal(first.eval()(x, x, x)[0].data, second.eval()(x, x, x)[0].data)
    assert 0 in nn.MultiheadAttention(4, 2, dropout=0.5, generator=3)(x, x, x)[1].data


@pytest.mark.parametrize("options", [{}, {"kdim": 3, "vdim": 1}, {"bias": False, "batch_first": True}])
def test_gradients(options):
    layer = nn.MultiheadAttention(4, 2, **options, generator=0)
    query = random(2, 2, 4)
    key = random(2, 2, options.get("kdim", 4), seed=1)
    value = random(2, 2, options.get("vdim", 4), seed=2)
    whole = nn.Module()
    whole.layer = layer
    whole.forward = lambda q, k, v: layer(q, k, v)[0]
    check_gradients(whole, query, key, value)


def test_padding_hides_keys_and_what_they_hold():
    layer = nn.MultiheadAttention(4, 2, batch_first=True, generator=0)
    x = random(2, 3, 4)
    padding = np.array([[False, False, True], [False, True, True]])
    out, weights = layer(x, x, x, key_padding_mask=padding)
    assert (weights.data[padding[:, None, :].repeat(3, 1)] == 0).all()
    other = np.where(padding[..., None], 1e3, x)
    again, _ = layer(x, other, other, key_padding_mask=padding)
    np.testing.assert_allclose(again.data, out.data, rtol=1e-6)
    everything = np.ones((2, 3), bool)
    nothing, weights = layer(x, x, x, key_padding_mask=everything)
    assert not weights.data.any()
    np.testing.assert_allclose(nothing.data, np.broadcast_to(layer.out_proj.bias.data, (2, 3, 4)))


def test_is_causal_needs_no_mask_and_goes_with_others():
    layer = nn.MultiheadAttention(4, 2, batch_first=True, generator=0)
    x = random(2, 3, 4)
    hidden = ~np.tri(3, dtype=bool)
    out = layer(x, x, x, is_causal=True)
    np.testing.assert_array_equal(out[0].data, layer(x, x, x, attn_mask=hidden)[0].data)
    padding = np.array([[False, True, False]] * 2)
    _, weights = layer(x, x, x, is_causal=True, key_padding_mask=padding, attn_mask=np.zeros((3, 3)))
    assert (weights.data[:, :, 1] == 0).all()
    assert (weights.data[:, 1, 2] == 0).all()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"num_heads": 3}, ValueError, "3 does not divide 4"),
        ({"num_heads": 0}, ValueError, "num_heads of MultiheadAttention must be at least 1"),
        ({"embed_dim": 4.0}, TypeError, "embed_dim of MultiheadAttention must be a whole number"),
        ({"dropout": 2}, ValueError, "dropout of MultiheadAttention must be between 0 and 1"),
        ({"add_bias_kv": True}, ValueError, "add_bias_kv and add_zero_attn are not supported"),
        ({"kdim": 0}, ValueError, "kdim"),
        ({"dtype": int}, TypeError, "are floats"),
    ],
)
def test_settings_are_checked(arguments, error, message):
    with pytest.raises(error, match=message):
        nn.MultiheadAttention(**({"embed_dim": 4, "num_heads": 2} | arguments))


@pytest.mark.parametrize(
    ("shapes", "masks", "message"),
    [
        ([(2, 3, 5)] * 3, {}, "takes inputs with the last axis 4"),
        ([(4,)] * 3, {}, "takes queries of shape"),
        ([(2, 3, 4), (3, 4), (3, 4)], {}, "takes queries of shape"),
        ([(2, 3, 4), (1, 3, 4), (1, 3, 4)], {}, "takes queries of shape"),
        ([(2, 3, 4), (2, 5, 4), (2, 6, 4)], {}, "takes queries of shape"),
        ([(2, 3, 4)] * 3, {"attn_mask": (3, 4)}, r"attn_mask must be of shape \(3, 3\) or \(4, 3, 3\)"),
        ([(2, 3, 4)] * 3, {"key_padding_mask": (3, 2)}, r"key_padding_mask must be of shape \(2, 3\)"),
    ],
)
def test_inputs_and_masks_are_checked(shapes, masks, message):
    layer = nn.MultiheadAttention(4, 2, batch_first=True)
    with pytest.raises(ValueError, match=message):
        layer(*(random(*s) for s in shapes), **{name: np.zeros(s, bool) for name, s in masks.items()})


def test_no_examples_and_one():
    layer = nn.MultiheadAttention(4, 2, batch_first=True)
    assert layer(*[np.zeros((0, 3, 4))] * 3)[0].shape == (0, 3, 4)
    assert layer(*[np.zeros((1, 1, 4))] * 3)[0].shape == (1, 1, 4)


def test_it_keeps_float32_draws_as_a_box_and_is_restored():
    layer = nn.MultiheadAttention(4, 2, generator=0)
    x = Tensor(np.float32(random(3, 2, 4)))
    out, weights = layer(x, x, x)
    out.sum().backward()
    assert out.dtype == weights.dtype == x.grad.dtype == np.float32
    assert "MultiheadAttention" in ad.draw(out).dot
    assert "attention_weights" in str(ad.draw(out, depth=3))
    again = nn.MultiheadAttention(4, 2)
    again.load_state_dict(layer.state_dict())
    np.testing.assert_array_equal(again(x, x, x)[0].data, out.data)
    assert repr(layer).startswith("MultiheadAttention(4, 2  #")
    assert repr(nn.MultiheadAttention(4, 2, kdim=1, batch_first=True)).startswith(
        "MultiheadAttention(4, 2, kdim=1, batch_first=True  #"
    )
