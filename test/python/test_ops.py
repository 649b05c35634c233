# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each operation, by operators and methods, against numpy."""

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import hamkaas as hk

# The tolerances of the first HamKaas' tests; products of matrices apart.
CLOSE = {"rtol": 1e-5, "atol": 1e-8}
PRODUCT = {"rtol": 1e-3, "atol": 1e-5}

shapes = st.lists(st.integers(1, 5), max_size=8).filter(
    lambda shape: np.prod(shape) <= 2000)
seeds = st.integers(0, 2**32 - 1)


def normal(seed, shape):
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def run(node, **inputs):
    return hk.compile(node).run(inputs)


def check_unary(make, reference, shape, seed, **tolerance):
    x = normal(seed, shape)
    result = run(make(hk.input("x", shape)), x=x)
    assert result.dtype == np.float32
    np.testing.assert_allclose(result, reference(x), **(tolerance or CLOSE))


@st.composite
def broadcast_shapes(draw, last=None):
    """Two shapes, the second of which is broadcast to the first."""
    shape = draw(shapes)
    right = [draw(st.sampled_from([1, size])) for size in shape]
    return (shape, right) if last is None else (shape + [last], right + [last])


@hypothesis.given(broadcast_shapes(), seeds)
def test_add(both, seed):
    left, right = both
    x, r = normal(seed, left), normal(seed + 1, right)
    node = hk.input("x", left) + hk.input("r", right)
    np.testing.assert_array_equal(run(node, x=x, r=r), x + r)


@hypothesis.given(shapes, st.data(), st.booleans(), seeds)
def test_log_sum_exp(shape, data, keepdims, seed):
    axes = st.sets(st.sampled_from(range(len(shape)))) if shape else st.just(())
    axis = data.draw(st.one_of(st.none(), axes.map(sorted)))
    axis = [d - len(shape) if d % 2 else d for d in axis] if axis else axis
    x = normal(seed, shape) * np.float32(100)
    # No exponential of float64 overflows here.
    expected = np.log(np.sum(np.exp(np.float64(x)), keepdims=keepdims,
                             axis=None if axis is None else tuple(axis)))
    node = hk.input("x", shape).log_sum_exp(axis, keepdims)
    np.testing.assert_allclose(run(node, x=x), expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("axis", [2, -3, [0, 0], [1, -1]])
def test_log_sum_exp_of_other_axes(axis):
    with pytest.raises(hk.HamKaasError, match="expected .*, from -2 to 1, got |"
                       "expected an axis from -2 to 1, got "):
        hk.input("x", [2, 3]).log_sum_exp(axis)


@hypothesis.given(broadcast_shapes(), seeds)
def test_multiply(both, seed):
    left, right = both
    x, r = normal(seed, left), normal(seed + 1, right)
    node = hk.input("x", left) * hk.input("r", right)
    np.testing.assert_array_equal(run(node, x=x, r=r), x * r)


@hypothesis.given(broadcast_shapes(last=2).filter(lambda both: len(both[0]) < 9),
                  seeds)
def test_complex_mul(both, seed):
    left, right = both
    x, r = normal(seed, left), normal(seed + 1, right)
    product = x.view(np.complex64) * r.view(np.complex64)
    node = hk.input("x", left).complex_mul(hk.input("r", right))
    np.testing.assert_allclose(run(node, x=x, r=r), product.view(np.float32),
                               rtol=1e-5, atol=1e-6)


@hypothesis.given(shapes, seeds)
def test_relu(shape, seed):
    check_unary(hk.Node.relu, lambda x: np.maximum(x, 0), shape, seed)


@hypothesis.given(shapes, seeds)
def test_silu(shape, seed):
    check_unary(hk.Node.silu, lambda x: x / (1 + np.exp(-x.astype(float))),
                shape, seed)


def test_extreme_values():
    x = np.float32([-np.inf, -200, -0.0, 0, 200, np.inf, np.nan])
    relu = run(hk.input("x", [7]).relu(), x=x)
    np.testing.assert_array_equal(relu, [0, 0, 0, 0, 200, np.inf, np.nan])
    silu = run(hk.input("x", [7]).silu(), x=x)
    np.testing.assert_allclose(silu, [np.nan, 0, 0, 0, 200, np.inf, np.nan],
                               atol=1e-30)


@hypothesis.given(st.sampled_from(["vector", "matrix", "batch"]),
                  st.integers(1, 40), st.integers(1, 40), st.integers(1, 40),
                  seeds)
def test_matmul(case, m, k, n, seed):
    left = {"vector": [k], "matrix": [m, k], "batch": [3, m, k]}[case]
    right = [3, k, n] if case == "batch" else [k, n]
    x, r = normal(seed, left), normal(seed + 1, right)
    node = hk.input("x", left) @ hk.input("r", right)
    np.testing.assert_allclose(run(node, x=x, r=r), x @ r, **PRODUCT)
    # The same with weights, which are packed once.
    np.testing.assert_allclose(run(hk.input("x", left) @ r, x=x), x @ r,
                               **PRODUCT)


@hypothesis.given(st.lists(st.integers(1, 5), min_size=1, max_size=5), seeds)
def test_rms_norm(shape, seed):
    w = normal(seed + 1, shape[-1:])

    def reference(x):
        mean = np.mean(np.square(x.astype(float)), axis=-1, keepdims=True)
        return w * x / np.sqrt(mean + 1e-5)

    check_unary(lambda x: x.rms_norm(w), reference, shape, seed)


def sliced_softmax(x, prefix):
    result = x.astype(float)
    if prefix:
        part = np.exp(result[..., :prefix] -
                      result[..., :prefix].max(axis=-1, keepdims=True))
        result[..., :prefix] = part / part.sum(axis=-1, keepdims=True)
    return result


@hypothesis.given(st.lists(st.integers(1, 6), min_size=1, max_size=4),
                  st.data(), seeds)
def test_sliced_softmax(shape, data, seed):
    prefix = data.draw(st.integers(0, shape[-1]))
    check_unary(lambda x: x.sliced_softmax(prefix),
                lambda x: sliced_softmax(x, prefix), shape, seed)
    x = normal(seed, shape)
    node = hk.input("x", shape).sliced_softmax(hk.input("n", [1], "int64"))
    np.testing.assert_allclose(run(node, x=x, n=np.int64([prefix])),
                               sliced_softmax(x, prefix), **CLOSE)


@hypothesis.given(st.lists(st.integers(1, 5), min_size=1, max_size=6),
                  st.data(), seeds)
def test_slice(shape, data, seed):
    begin = data.draw(st.integers(0, shape[0] - 1))
    end = data.draw(st.integers(begin + 1, shape[0]))
    check_unary(lambda x: x[begin:end], lambda x: x[begin:end], shape, seed)
    check_unary(lambda x: x[begin:], lambda x: x[begin:], shape, seed)
    check_unary(lambda x: x[:end], lambda x: x[:end], shape, seed)
    check_unary(lambda x: x[begin], lambda x: x[begin], shape, seed)


@hypothesis.given(shapes, st.data(), seeds)
def test_permute(shape, data, seed):
    permutation = data.draw(st.permutations(range(len(shape))))
    check_unary(lambda x: x.permute(permutation),
                lambda x: x.transpose(permutation), shape, seed)


@hypothesis.given(shapes, seeds)
def test_reshape(shape, seed):
    count = int(np.prod(shape))
    check_unary(lambda x: x.reshape([count]), lambda x: x.reshape(count), shape,
                seed)
    check_unary(lambda x: x.reshape([1, count, 1]),
                lambda x: x.reshape(1, count, 1), shape, seed)


@hypothesis.given(st.lists(st.integers(1, 5), min_size=1, max_size=4),
                  st.data(), seeds)
def test_replace(shape, data, seed):
    begin = data.draw(st.integers(0, shape[0] - 1))
    end = data.draw(st.integers(begin + 1, shape[0]))
    x, rows = normal(seed, shape), normal(seed + 1, [end - begin] + shape[1:])
    expected = x.copy()
    expected[begin:end] = rows
    node = hk.input("x", shape).replace(rows, begin, end)
    np.testing.assert_array_equal(run(node, x=x), expected)
    position = [hk.input(name, [1], "int64") for name in ("begin", "end")]
    node = hk.input("x", shape).replace(hk.input("rows", rows.shape), *position)
    result = run(node, x=x, rows=rows, begin=np.int64([begin]),
                 end=np.int64([end]))
    np.testing.assert_array_equal(result, expected)


def test_dequantize_blocks(rng):
    blocks = rng.integers(0, 256, [3, 2, 18], "uint8")
    blocks[..., 1] &= 0xbf  # Scales below 2.
    scales = blocks[..., :2].copy().view(np.float16).astype(np.float32)
    codes = np.concatenate([blocks[..., 2:] & 15, blocks[..., 2:] >> 4], -1)
    expected = (scales * (codes.astype(np.float32) - 8)).reshape(3, 64)
    node = hk.ops.dequantize_blocks(hk.input("b", [3, 36], "uint8"),
                                    format="q4_0")
    np.testing.assert_array_equal(run(node, b=blocks.reshape(3, 36)), expected)


def test_int64_tensors(rng):
    x = rng.integers(-2**62, 2**62, [4, 3])
    node = hk.input("x", [4, 3], np.int64).permute([1, 0])[1:].reshape([8])
    np.testing.assert_array_equal(run(node, x=x), x.T[1:].reshape(8))


@pytest.mark.parametrize("node", [
    hk.input("x", [3]),
    hk.constant(np.float32([1, 2, 3])),
    hk.state([3]),
])
def test_graph_of_one_node(node):
    inputs = {"x": np.float32([1, 2, 3])} if node.name == "x" else {}
    expected = [0, 0, 0] if "Buffer" in repr(node) else [1, 2, 3]
    np.testing.assert_array_equal(hk.compile(node).run(inputs), expected)


def test_numbers_and_arrays_on_either_side(rng):
    a = rng.standard_normal([2, 3], np.float32)
    x = hk.input("x", [2, 3])
    np.testing.assert_array_equal(run(x * 0.5 + 1, x=a),
                                  a * np.float32(0.5) + np.float32(1))
    np.testing.assert_array_equal(run(a + x, x=a), a + a)
    np.testing.assert_array_equal(run(np.float32(2) * x, x=a), 2 * a)
    np.testing.assert_allclose(run(a.T.copy() @ x, x=a), a.T @ a, **PRODUCT)


def test_long_chain_is_not_reassociated(rng):
    """100 sums that each double: an error would grow as they do."""
    x = rng.standard_normal(100).astype(np.float32)
    node, expected = hk.input("x", [100]), x
    for _ in range(100):
        node, expected = node + node, expected + expected
    np.testing.assert_array_equal(run(node, x=x), expected)


def test_vector_of_100000_elements(rng):
    x, w = rng.standard_normal([2, 100000]).astype(np.float32)
    mean = np.mean(np.square(x.astype(float)))
    np.testing.assert_allclose(run(hk.input("x", [100000]).rms_norm(w), x=x),
                               w * x / np.sqrt(mean + 1e-5), **CLOSE)
