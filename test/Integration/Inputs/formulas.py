# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the dialect as formulas of numpy.

Floats have any precision: that of the operands.
"""

import math

import numpy as np


def complex_mul(x, r):
    a, b, c, d = x[..., 0], x[..., 1], r[..., 0], r[..., 1]
    return np.stack([a * c - b * d, a * d + b * c], axis=-1)


def dequantize_q4_0(blocks):
    blocks = blocks.reshape(*blocks.shape[:-1], -1, 18)
    scales = np.ascontiguousarray(blocks[..., :2]).view(np.float16)
    codes = np.concatenate([blocks[..., 2:] & 15, blocks[..., 2:] >> 4], axis=-1)
    numbers = scales.astype(np.float64) * (codes.astype(np.float64) - 8)
    return numbers.reshape(*blocks.shape[:-2], -1)


def rms_norm(x, w, epsilon=1e-5):
    return w * x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + epsilon)


def silu(x):
    return x / (1 + np.exp(-x))


def gelu(x):
    return x * (0.5 * (1 + erf(x / np.sqrt(2))))


def gelu_tanh(x):
    return x * (0.5 * (1 + np.tanh(np.sqrt(2 / np.pi)
                                   * (x + 0.044715 * x**3))))


def hard_swish(x):
    return x * np.clip(x / 6 + 0.5, 0, 1)


def log_sum_exp(x):
    largest = np.max(x, axis=-1, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, 0)
    return np.log(np.sum(np.exp(x - shift), axis=-1)) + shift[..., 0]


def sliced_softmax(x, prefix):
    """Over the first entries of a row; the others stay."""
    y = x.copy()
    head = x[..., :prefix]
    if prefix > 0:
        e = np.exp(head - np.max(head, axis=-1, keepdims=True))
        y[..., :prefix] = e / np.sum(e, axis=-1, keepdims=True)
    return y


def saturate(x, dtype):
    """Floats as integers: towards 0; NaN becomes 0."""
    limits = np.iinfo(dtype)
    return np.clip(np.nan_to_num(np.trunc(x), nan=0.0, posinf=np.inf,
                                 neginf=-np.inf),
                   limits.min, limits.max).astype(dtype)


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def transform_tiles(matrix, at, x, shape):
    """y[p, q] of each tile, of the elements of the matrix that are not 0."""
    y = np.zeros(shape)
    for p, row in enumerate(matrix):
        for q, column in enumerate(matrix):
            for k in np.flatnonzero(row):
                for l in np.flatnonzero(column):
                    y[at(p, q)] += row[k] * column[l] * x(k, l)
    return y


def winograd_input(x, change=np.asarray):
    """Of tiles of 2 x 2; `change` may take magnitudes of the matrix."""
    n, h, w, c = x.shape
    h, w = (h - 2) // 2, (w - 2) // 2
    b = np.array([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, -1, 0, 1]])
    return transform_tiles(change(b), lambda p, q: (p, q),
                           lambda k, l: x[:, k:k + 2 * h:2, l:l + 2 * w:2],
                           (4, 4, n, h, w, c))


A = np.array([[1, 1, 1, 0], [0, 1, -1, 1]])  # transposed, of tiles of 2 x 2


def winograd_output(x, change=np.asarray):
    _, _, n, h, w, c = x.shape
    y = transform_tiles(change(A), lambda p, q: np.s_[:, :, p, :, q],
                        lambda k, l: x[k, l], (n, h, 2, w, 2, c))
    return y.reshape(n, 2 * h, 2 * w, c)


def winograd_gradient(x, change=np.asarray):
    """Of tiles of 2 x 2."""
    n, h, w, c = x.shape
    return transform_tiles(change(A.T), lambda p, q: (p, q),
                           lambda k, l: x[:, k::2, l::2],
                           (4, 4, n, h // 2, w // 2, c))


def argsort_descending(x):
    """From the largest on, the first of equal elements first: from the smallest
    on of the reversed row, reversed."""
    last = x.shape[-1] - 1
    return last - np.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1]


def windows(x, size, case, outside):
    """The windows of [n, ..., c] as an array [n, counts..., c, taps...]."""
    rank = len(size)
    x = np.pad(x, [(0, 0), *zip(case["low"], case["high"]), (0, 0)],
               constant_values=outside)
    extent = [(k - 1) * d + 1 for k, d in zip(size, case["dilations"])]
    view = np.lib.stride_tricks.sliding_window_view(
        x, extent, axis=tuple(range(1, rank + 1)))
    steps = [slice(None, None, s) for s in case["strides"]]
    taps = [slice(None, None, d) for d in case["dilations"]]
    return view[(slice(None), *steps, slice(None), *taps)]


def convolve(x, w, case):
    """`case` has strides, dilations, paddings `low` and `high`, and groups."""
    rank, groups = x.ndim - 2, case["groups"]
    taps = windows(x, w.shape[:rank], case, 0)
    depth, channels = x.shape[-1] // groups, w.shape[-1] // groups
    axes = [*range(rank + 2, 2 * rank + 2), rank + 1]
    parts = []
    for g in range(groups):
        part = np.take(taps, range(g * depth, (g + 1) * depth), axis=rank + 1)
        parts.append(np.tensordot(
            part, w[..., g * channels:(g + 1) * channels],
            axes=(axes, list(range(rank + 1)))))
    return np.concatenate(parts, axis=-1)


def attention(q, k, v, scale, mask, masked_score, bias):
    scores = scale * np.einsum("bid,bjd->bij", q, k)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, masked_score, scores)
    largest = np.max(scores, axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(largest), 0, largest))
    with np.errstate(invalid="ignore"):
        weights /= np.sum(weights, axis=-1, keepdims=True)
    return np.einsum("bij,bje->bie", weights, v)


def shift_left(x, by):
    """0 where `by` is no place of a bit."""
    bits = 8 * x.itemsize
    inside = (by >= 0) & (by < bits)
    return np.where(inside, x << np.where(inside, by, 0).astype(x.dtype),
                    0).astype(x.dtype)


def shift_right(x, by):
    bits = 8 * x.itemsize
    inside = (by >= 0) & (by < bits)
    shifted = x >> np.where(inside, by, 0).astype(x.dtype)
    return np.where(inside, shifted, np.where(x < 0, -1, 0)).astype(x.dtype)
