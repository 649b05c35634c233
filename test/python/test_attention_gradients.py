# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of attention, of sizes that are computed in blocks, against numpy.

Blocks are of a million scores; chunks of the batch, blocks of the queries and
what remains of them have kernels of their own.
"""

import math

import numpy as np
import pytest

import hamkaas as hk

# Where blocks end must not show.
TOLERANCE = 2e-6


def attend(q, k, v, hidden, bias, scale):
    """The result and the weights of some queries."""
    scores = scale * (q @ k.swapaxes(-1, -2)) + bias
    scores = np.where(hidden, -np.inf, scores)
    largest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(largest), 0, largest))
    sums = weights.sum(-1, keepdims=True)
    weights /= np.where(sums == 0, 1, sums)
    return weights @ v, weights


def differentiate(q, k, v, g, hidden=np.zeros([1, 1], bool),
                  bias=np.zeros([1, 1])):
    """The gradients of q, k, v and the bias, in float64, 512 queries at a
    time."""
    q, k, v, g = (np.float64(x) for x in (q, k, v, g))
    scale = 1 / math.sqrt(q.shape[-1])
    to_q, to_k, to_v = (np.zeros_like(x) for x in (q, k, v))
    to_bias = []
    for begin in range(0, q.shape[-2], 512):
        rows = np.s_[..., begin:begin + 512, :]
        take = lambda x: x[rows] if x.shape[-2] > 1 else x  # noqa: E731
        _, weights = attend(q[rows], k, v, take(hidden), take(bias), scale)
        h = g[rows] @ v.swapaxes(-1, -2)
        t = weights * (h - (weights * h).sum(-1, keepdims=True))
        to_q[rows] = scale * (t @ k)
        to_k += scale * (t.swapaxes(-1, -2) @ q[rows])
        to_v += weights.swapaxes(-1, -2) @ g[rows]
        to_bias.append(t)
    return to_q, to_k, to_v, to_bias


def check(got, expected):
    for x, y in zip(got, expected):
        assert np.abs(x - y).max() < TOLERANCE * max(1, np.abs(y).max())


def draw(rng, batch, queries, keys, width=8, value_width=8):
    shapes = [(queries, width), (keys, width), (keys, value_width),
              (queries, value_width)]
    return [rng.standard_normal((*batch, *shape), "float32")
            for shape in shapes]


def compute(values, threads=1, **arguments):
    """The gradients of q, k and v by the compiler."""
    nodes = [hk.input(name, x.shape) for name, x in zip("qkvg", values)]
    result = hk.nn.scaled_dot_product_attention(*nodes[:3], **arguments)
    model = hk.compile(hk.gradient(result, nodes[:3], seed=nodes[3]),
                       threads=threads)
    return model, model.run(dict(zip("qkvg", values)))


# Of (3, 5) batches, 3 at a time have less than a million scores.
SIZES = {  # batch, queries, keys
    "one block": ((2, 3), 20, 30),
    "chunks of the batch": ((3, 5), 517, 601),
    "prime batch": ((7,), 500, 700),
    "blocks and a remainder": ((2,), 300, 8200),
    "a remainder of one query": ((1,), 257, 8192),
    "few queries": ((2,), 3, 600),
}


@pytest.mark.parametrize("name", SIZES)
def test_blocks(name, rng):
    values = draw(rng, *SIZES[name])
    _, got = compute(values)
    check(got, differentiate(*values))


@pytest.mark.parametrize("batch, queries, keys", [
    ((2, 3), 20, 20),
    ((2, 2), 130, 130),  # two segments, and then three, of odd sizes
    ((2,), 200, 77),
    ((2,), 200, 501),  # of which nobody sees those from 208 on
    ((6,), 700, 700),
    ((1,), 4099, 4099),  # loops in segments, and remainders
])
def test_causal(batch, queries, keys, rng):
    values = draw(rng, batch, queries, keys, width=4, value_width=6)
    hidden = ~np.tri(queries, keys, dtype=bool)
    _, got = compute(values, is_causal=True)
    check(got, differentiate(*values, hidden))
    # The first query sees one key, whatever it is.
    np.testing.assert_array_equal(got[0][..., 0, :], 0)


@pytest.mark.parametrize("shape", [(3, 517, 601), (517, 601), (3, 1, 601),
                                   (601,)])
@pytest.mark.parametrize("is_bias", [False, True])
def test_masks_without_visible_keys(shape, is_bias, rng):
    """A query that sees no key has no influence."""
    values = draw(rng, (3,), 517, 601)
    hidden = rng.random(shape) < 0.3
    if hidden.ndim > 1:
        hidden[..., ::5, :] = True
    mask = np.where(hidden, np.float32(-np.inf),
                    rng.standard_normal(shape, "float32")) \
        if is_bias else ~hidden
    _, got = compute(values, attn_mask=mask)
    whole = np.broadcast_to(hidden if hidden.ndim > 1 else hidden[None],
                            (3, 517, 601))
    bias = np.where(hidden, 0, mask) if is_bias else np.zeros([1, 1])
    check(got, differentiate(*values, whole,
                             np.broadcast_to(bias, whole.shape)))


def test_masks_of_blocks(rng):
    """The rows of a mask, or its only one, in a loop over blocks."""
    values = draw(rng, (2,), 300, 8200)
    for shape in (2, 300, 8200), (1, 300, 1), (8200,):
        hidden = rng.random(shape) < 0.3
        _, got = compute(values, attn_mask=~hidden)
        check(got, differentiate(*values,
                                 np.broadcast_to(hidden, (2, 300, 8200))))


@pytest.mark.parametrize("shape", [(5, 517, 601), (517, 601), (5, 1, 601)])
def test_the_gradient_of_a_bias(shape, rng):
    values = [*draw(rng, (5,), 517, 601), rng.standard_normal(shape, "float32")]
    q, k, v, g, bias = (hk.input(name, x.shape)
                        for name, x in zip("qkvgb", values))
    result = hk.nn.scaled_dot_product_attention(q, k, v, bias)
    got = hk.compile(hk.gradient(result, [q, k, v, bias], seed=g)).run(
        dict(zip("qkvgb", values)))
    whole = np.broadcast_to(values[4], (5, 517, 601))
    *expected, rows = differentiate(*values[:4], bias=whole)
    to_bias = np.concatenate(rows, -2)
    repeated = [i for i, size in enumerate((1, *shape)[-3:]) if size == 1]
    to_bias = to_bias.sum(tuple(repeated), keepdims=True).reshape(shape)
    check(got, [*expected, to_bias])


def test_heads_that_share_keys(rng):
    q, _, _, g = draw(rng, (2, 6), 400, 1)
    _, k, v, _ = draw(rng, (2, 3), 1, 450)
    _, got = compute([q, k, v, g], enable_gqa=True)
    to_q, *sums, _ = differentiate(q, k.repeat(2, 1), v.repeat(2, 1), g)
    check(got, [to_q, *(x.reshape(2, 3, 2, 450, 8).sum(2) for x in sums)])


@pytest.mark.parametrize("wanted", ["q", "k", "v", "qk", "qv", "kv"])
def test_some_gradients(wanted, rng):
    """Others are not computed, nor given out by loops."""
    values = dict(zip("qkvg", draw(rng, (2,), 300, 8200)))
    nodes = {name: hk.input(name, x.shape) for name, x in values.items()}
    result = hk.nn.scaled_dot_product_attention(
        *(nodes[name] for name in "qkv"))
    got = hk.compile(hk.gradient(result, [nodes[name] for name in wanted],
                                 seed=nodes["g"])).run(
        {name: values[name] for name in values})
    expected = dict(zip("qkv", differentiate(*values.values())))
    check(got, [expected[name] for name in wanted])


@pytest.mark.parametrize("is_causal", [False, True])
def test_bits_do_not_depend_on_threads(is_causal, rng):
    values = draw(rng, (2,), 1100, 1100)
    results = [compute(values, threads, is_causal=is_causal)[1]
               for threads in (1, 2, 3)]
    for other in results[1:]:
        for x, y in zip(results[0], other):
            np.testing.assert_array_equal(x, y)


def test_memory_grows_with_the_number_of_keys():
    """Without blocks, 2048 keys would take 67 MB of scores, 4096 four times
    that."""
    sizes = {}
    for count in 2048, 4096:
        nodes = [hk.input(name, [4, count, 16]) for name in "qkvg"]
        result = hk.nn.scaled_dot_product_attention(*nodes[:3], is_causal=True)
        model = hk.compile(hk.gradient(result, nodes[:3], seed=nodes[3]))
        sizes[count] = model.report.json()["memory"]["workspace"]
    assert sizes[2048] < 15e6
    assert sizes[4096] < 2 * sizes[2048]


@pytest.mark.parametrize("batch, queries, keys, is_causal", [
    ((2,), 5, 6, False), ((1,), 130, 130, True), ((3,), 600, 900, False),
    ((1,), 300, 8200, False)])
def test_gradients_of_gradients(batch, queries, keys, is_causal, rng):
    """The same in float64, of which the parts of attention are operations."""
    values = draw(rng, batch, queries, keys, 4, 4)
    directions = draw(rng, batch, queries, keys, 4, 4)[:3]
    results = []
    for name in "float32", "float64":
        nodes = [hk.input(f"x{i}", x.shape, name)
                 for i, x in enumerate(values)]
        result = hk.nn.scaled_dot_product_attention(*nodes[:3],
                                                    is_causal=is_causal)
        slopes = hk.gradient(result, nodes[:3], seed=nodes[3])
        along = sum(hk.sum(slope * hk.constant(x.astype(name)))
                    for slope, x in zip(slopes, directions))
        results.append(hk.compile(hk.gradient(along, nodes)).run(
            {f"x{i}": x.astype(name) for i, x in enumerate(values)}))
    for got, expected in zip(*results):
        assert np.abs(got - expected).max() < 1e-5 * np.abs(expected).max()


def test_in_the_body_of_a_loop(rng):
    """As in a step of micro-batches: loops in loops."""
    values = [np.stack([x, x / 2]) for x in draw(rng, (2,), 300, 8200)]
    nodes = [hk.input(name, x.shape) for name, x in zip("qkvg", values)]

    def step(total, rows):
        result = hk.nn.scaled_dot_product_attention(*rows[:3])
        slopes = hk.gradient(result, rows[:3], seed=rows[3])
        return total + hk.sum(slopes[0]), slopes

    _, slopes = hk.scan(step, np.float32(0), tuple(nodes))
    got = hk.compile(slopes).run(dict(zip("qkvg", values)))
    for i in range(2):
        check([x[i] for x in got], differentiate(*(x[i] for x in values)))


@pytest.mark.parametrize("is_causal", [False, True])
def test_as_in_torch(is_causal, rng):
    torch = pytest.importorskip("torch", reason="needs torch")
    values = draw(rng, (2, 3), 520, 520, 32, 32)
    tensors = [torch.tensor(x, requires_grad=True) for x in values[:3]]
    q, k, v = tensors
    scores = q @ k.transpose(-1, -2) / math.sqrt(32)
    if is_causal:
        later = torch.ones(520, 520).triu(1).bool()
        scores = scores.masked_fill(later, -math.inf)
    (scores.softmax(-1) @ v).backward(torch.tensor(values[3]))
    _, got = compute(values, is_causal=is_causal)
    check(got, [x.grad.numpy() for x in tensors])
