# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A smoke test of an installed package, without torch and without LLVM.

    python smoke.py EXAMPLES

EXAMPLES is the folder `examples` of the repository. Reads digits with the net
of examples/mnist, writes a library and runs it, keeps state, and runs a small
language model by examples/llama2.
"""

import pathlib
import sys
import tempfile

import numpy as np

import hamkaas as hk

BATCH = 128


def read_digits(model, digits):
    """The net's class for each drawing."""
    padded = np.pad(digits, [(0, -len(digits) % BATCH), (0, 0), (0, 0)])
    drawings = (padded / np.float32(255)).reshape(-1, BATCH, 28, 28)
    scores = [model.run({"input": batch}) for batch in drawings]
    return np.concatenate(scores).argmax(axis=1)[:len(digits)]


def check_mnist(folder, scratch):
    digits = np.load(folder / "digits.npy")
    model = hk.load(folder / "mnist.hk", weights=folder / "weights.safetensors")
    read = read_digits(model, digits)
    assert np.mean(read == np.load(folder / "labels.npy")) > 0.93
    model.save(scratch / "mnist.so")
    library = hk.load(scratch / "mnist.so")
    np.testing.assert_array_equal(read_digits(library, digits), read)


def check_state():
    cache = hk.state([4, 8], name="cache")
    at, end = (hk.input(name, [1], "int64") for name in ("at", "end"))
    rows = cache.replace(hk.input("row", [1, 8]), at, end)
    scores = (rows @ np.ones([8, 1], "float32")).reshape([1, 4])
    model = hk.compile(scores.sliced_softmax(end) @ rows)
    for i in range(4):
        row = np.full([1, 8], i, "float32")
        result = model.run({"row": row, "at": np.int64([i]),
                            "end": np.int64([i + 1])})
    weights = np.exp(8 * (np.arange(4.0) - 3))
    np.testing.assert_allclose(
        result[0], np.full(8, (weights * range(4)).sum() / weights.sum()),
        rtol=1e-5)


def check_language_model():
    """Prefill and decode of examples/llama2 against numpy."""
    import llama2_files as files
    from network import LanguageModel
    config = files.Config(dim=24, hidden=20, layers=2, heads=4, kv_heads=2,
                          vocab=40, context=30)
    weights = files.random_weights(config)
    model, plain = LanguageModel(config, weights, chunk=4), \
        files.NumpyModel(config, weights)
    prompt = [1, 7, 3, 9, 2, 30, 11]
    scores = model.feed(prompt)
    for token in prompt:
        expected = plain.feed([token])
    for _ in range(10):
        np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-4)
        token = int(expected.argmax())
        scores, expected = model.feed([token]), plain.feed([token])


def check_libraries():
    with open("/proc/self/maps") as file:
        loaded = {line.split()[-1] for line in file if ".so" in line}
    foreign = [path for path in loaded if "LLVM" in path or "MLIR" in path]
    assert not foreign, foreign


examples = pathlib.Path(sys.argv[1])
with tempfile.TemporaryDirectory() as name:
    check_mnist(examples / "mnist", pathlib.Path(name))
check_state()
check_language_model()
check_libraries()
print(hk.compiler_version(), "works")
