# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Knobs of our own code generator: results stay right, and the same."""

import numpy as np
import pytest

import hamkaas as hk

PRODUCT_KNOBS = {
    "rows": [1, 2, 3, 4, 5, 6],
    "vectors": [1, 2],
    "depth": [1, 7, 31, 64, 1000],
    "block-rows": [1, 2, 9, 16, 1000],
    "packing": ["never", "always"],
}
CONV_KNOBS = {
    "rows": [1, 3, 5],
    "vectors": [1, 2],
    "block-rows": [1, 4, 1000],
    "packing": ["never", "always"],
    "winograd": ["off", "2", "4"],
}


def draw(rng, knobs):
    """The rule for some of `knobs`."""
    chosen = [f"{name}={rng.choice(values)}" for name, values in knobs.items()
              if rng.random() < 0.6]
    return ":".join(["hamkaas", *chosen])


def run(node, inputs, rule):
    """The results of one and of two threads, which must be equal."""
    results = [hk.compile(node, engine=rule, threads=threads).run(inputs)
               for threads in (1, 2)]
    np.testing.assert_array_equal(*results)
    return results[0]


@pytest.mark.parametrize("rule", [
    f"hamkaas:{name}={values[-1]}" for name, values in PRODUCT_KNOBS.items()
] + ["hamkaas:packing=never"])
@pytest.mark.parametrize("rows, columns, depth", [(1, 2048, 1000), (4, 64, 256),
                                                  (8, 32, 512)])
def test_few_rows(rule, rows, columns, depth):
    """Products in pieces of rows, and dot products."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal([rows, depth]).astype("float32")
    for shape, transposed in (((columns, depth), True),
                              ((depth, columns), False)):
        w = rng.standard_normal(shape).astype("float32")
        right = hk.input("w", shape)
        node = hk.input("x", x.shape) @ (right.T if transposed else right)
        inputs = {"x": x, "w": w}
        np.testing.assert_array_equal(run(node, inputs, rule),
                                      run(node, inputs, "hamkaas"))


@pytest.mark.parametrize("seed", range(12))
def test_products(seed):
    rng = np.random.default_rng(seed)
    batch, rows, depth, columns = rng.integers(1, [4, 70, 150, 70])
    is_constant = bool(rng.random() < 0.3)
    shape = [batch] if rng.random() < 0.5 else []
    x = rng.standard_normal([*shape, rows, depth]).astype("float32")
    w = rng.standard_normal([*shape, depth, columns]).astype("float32")
    b = rng.standard_normal([columns]).astype("float32")
    inputs = {"x": x} if is_constant else {"x": x, "w": w}
    right = w if is_constant else hk.input("w", w.shape)
    node = (hk.input("x", x.shape) @ right + b).relu()
    expected = np.maximum(x.astype("float64") @ w.astype("float64") + b, 0)
    default = run(node, inputs, "hamkaas")
    for _ in range(3):
        rule = draw(rng, PRODUCT_KNOBS)
        result = run(node, inputs, rule)
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4,
                                   err_msg=rule)
        # The order of no sum changes.
        np.testing.assert_array_equal(result, default, err_msg=rule)


def convolve(x, w):
    """In float64, with a padding of one."""
    x = np.pad(x.astype("float64"), [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    return np.einsum("nchwkl,ockl->nohw", windows, w.astype("float64"))


@pytest.mark.parametrize("seed", range(6))
def test_convolutions(seed):
    rng = np.random.default_rng(seed)
    images, channels, height, width, results = rng.integers(
        [1, 1, 3, 3, 1], [3, 40, 17, 17, 40])
    if seed % 2:
        height, width = 4 * (height // 4 + 1), 4 * (width // 4 + 1)
    x = rng.standard_normal([images, channels, height, width]).astype("float32")
    w = rng.standard_normal([results, channels, 3, 3]).astype("float32")
    node = hk.nn.conv2d(hk.input("x", x.shape), hk.input("w", w.shape),
                        padding=1)
    expected = convolve(x, w)
    for _ in range(3):
        rule = draw(rng, CONV_KNOBS)
        result = run(node, {"x": x, "w": w}, rule)
        np.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-3,
                                   err_msg=rule)


@pytest.mark.parametrize("rule, message", [
    ("hamkaas:row=4", "expected one of its knobs 'rows', "),
    ("hamkaas:rows=-1", "expected knob 'rows' to be an integer from 0 to 16"),
    ("hamkaas:packing=1", "expected knob 'packing' to be one of 'auto', "),
])
def test_wrong_knobs(rule, message):
    node = hk.input("x", [4, 4]) @ hk.input("w", [4, 4])
    with pytest.raises(hk.HamKaasError, match=message):
        hk.compile(node, engine=rule)


def test_gradients(rng):
    """Knobs at all operations, those of gradients, too.

    Convolutions to few channels have another kernel, which has no knobs.
    """
    x, k, w = [hk.input(name, shape) for name, shape in
               [("x", [2, 16, 12, 12]), ("k", [16, 16, 3, 3]), ("w", [2304, 30])]]
    hidden = hk.nn.relu(hk.nn.conv2d(x, k, padding=1)).reshape([2, 2304])
    gradients = hk.gradient((hidden @ w).sum(), [x, k, w])
    inputs = {node.name: rng.standard_normal(node.shape).astype("float32")
              for node in (x, k, w)}

    def run_all(rule):
        model = hk.compile(list(gradients), engine=rule, threads=2)
        return model.run(inputs)

    default = run_all("hamkaas")
    for rule in ("hamkaas:rows=3:depth=50:packing=always:grain=512:block-rows=7",
                 "hamkaas:vectors=1:depth=9:packing=never:winograd=off"):
        for result, expected in zip(run_all(rule), default):
            np.testing.assert_array_equal(result, expected, err_msg=rule)
    for result, expected in zip(run_all("hamkaas:winograd=4:rows=2"), default):
        assert np.abs(result - expected).max() < 1e-4 * np.abs(expected).max()
