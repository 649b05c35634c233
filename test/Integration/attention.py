# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs attention of many shapes and compares with numpy.

usage: attention.py [--every=N]

Each case is compiled for 1 and 2 threads, which must give the same bits, and
compared with sums in double and with the interpreter. What a mask hides is NaN in
some cases, which must not matter. Of all cases, only each Nth is run.
"""

import itertools
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).with_name("Inputs")))
from formulas import attention  # noqa: E402

# Batches, queries, keys, width of a key, width of a value.
SHAPES = [(2, 1, 50, 40, 24), (2, 1, 7, 5, 3), (3, 3, 100, 64, 64),
          (1, 4, 17, 16, 33), (1, 1, 2500, 8, 64), (2, 5, 9, 3, 2),
          (1, 128, 128, 32, 32), (2, 100, 161, 24, 40), (2, 65, 300, 16, 16),
          (1, 70, 129, 130, 150), (1, 7, 20, 1100, 5)]
LEVELS = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"]


def tensor(array):
    kind = "i1" if array.dtype == bool else "f32"
    return "tensor<" + "x".join([*map(str, array.shape), kind]) + ">"


def make_hiding(kind, shape, rng):
    """A mask, its score and a bias."""
    b, m, n, _, _ = shape
    key, query = np.arange(n)[None, None], np.arange(m)[None, :, None]
    infinity = np.float32(-np.inf)
    draw = lambda *dims: rng.standard_normal(dims).astype(np.float32)
    if kind == "none":
        return None, infinity, None
    if kind == "prefix":
        return key > n // 3, np.float32(-1e9), None
    if kind == "window":
        mask = (key > n // 2 + 5) | (key < n // 2)
        return mask, infinity, draw(b, 1, n)
    if kind == "causal":
        return key > query, np.float32(-1e9), draw(1, m, n)
    if kind == "random":
        mask = rng.random((b, m, n)) < 0.5
        mask[..., 0] = False
        return mask, infinity, None
    if kind == "all":
        return np.ones((1, m, 1), bool), np.float32(-1e9), None
    if kind == "nothing":
        return np.ones((1, 1, n), bool), infinity, None
    assert kind == "bias"
    bias = draw(1, m, n)
    bias[..., n // 2:] = infinity
    return None, infinity, bias


KINDS = ["none", "prefix", "window", "causal", "random", "all", "nothing",
         "bias"]


def run(folder, arrays, *options):
    command = ["hamkaas-run", "case.mlir", "--no-cache", "--output=y=y.npy"]
    command += [f"--input={name}={name}.npy" for name in arrays]
    done = subprocess.run([*command, *options], cwd=folder,
                          capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    return np.load(folder / "y.npy")


def write_model(folder, arrays, scale, masked_score, result):
    types = {name: tensor(array) for name, array in arrays.items()}
    inputs = ", ".join(f'%{name}: {kind} {{hamkaas.name = "{name}"}}'
                       for name, kind in types.items())
    hiding = [name for name in ("mask", "bias") if name in arrays]
    names = " ".join(f"{name} %{name}" for name in hiding)
    kinds = " ".join(f"{name} {types[name]}" for name in hiding)
    score = ("0xFF800000" if np.isinf(masked_score) else float(masked_score))
    (folder / "case.mlir").write_text(
        f"func.func @main({inputs}) -> "
        f'({result} {{hamkaas.name = "y"}}) {{\n'
        f"  %y = hamkaas.attention %q, %k, %v {names} scale {float(scale)} "
        f"masked_score {score} : "
        f"{types['q']}, {types['k']}, {types['v']} {kinds}\n"
        f"  return %y : {result}\n}}\n")


def fail(case, message):
    sys.exit(f"{case}: {message}")


def check(folder, shape, kind, level, seed):
    b, m, n, d, e = shape
    case = f"{shape}, {kind}, {level}"
    rng = np.random.default_rng(seed)
    q, k, v = (rng.standard_normal(dims).astype(np.float32)
               for dims in [(b, m, d), (b, n, d), (b, n, e)])
    scale = np.float32(d**-0.5)
    mask, masked_score, bias = make_hiding(kind, shape, rng)
    expected = attention(q.astype(float), k, v, scale, mask, masked_score, bias)
    arrays = {"q": q, "k": k, "v": v}
    if mask is not None:
        arrays["mask"] = mask
    if bias is not None:
        arrays["bias"] = bias
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    write_model(folder, arrays, scale, masked_score,
                f"tensor<{b}x{m}x{e}xf32>")

    results = [run(folder, arrays, f"--target-cpu={level}", f"--threads={t}")
               for t in (1, 2)]
    if level == LEVELS[-1]:
        results.append(run(folder, arrays, "--device=reference"))
    for result in results:
        if isinstance(result, str):
            if f"program needs {level} (" in result:
                return False  # This machine has no such level.
            fail(case, result)
        if not np.array_equal(np.isnan(result), np.isnan(expected)):
            fail(case, "NaN at other places than expected")
        error = np.max(np.nan_to_num(np.abs(result - expected)))
        if error > 1e-5:
            fail(case, f"expected errors below 1e-5, got {error}")
    if results[0].tobytes() != results[1].tobytes():
        fail(case, "other bits on two threads")
    if kind == "prefix" and n > 3 * 64:
        check_unread(folder, arrays, case, n, results[0])
    return True


def check_unread(folder, arrays, case, n, expected):
    """Keys and values that are far behind those seen are not read."""
    for name in ("k", "v"):
        changed = arrays[name].copy()
        changed[:, n // 3 + 200:] = np.nan
        np.save(folder / f"{name}.npy", changed)
    result = run(folder, arrays, "--threads=1")
    if isinstance(result, str):
        fail(case, result)
    if not np.allclose(result, expected, rtol=0, atol=1e-5):
        fail(case, "hidden keys or values were read")


def main():
    every = int(sys.argv[1].removeprefix("--every=")) if sys.argv[1:] else 1
    with tempfile.TemporaryDirectory() as name:
        cases = itertools.product(SHAPES, KINDS)
        for seed, (shape, kind) in list(enumerate(cases))[::every]:
            # All levels for some, each best level there is for all.
            levels = LEVELS[-2:] if seed % 4 else LEVELS
            ran = [check(pathlib.Path(name), shape, kind, level, seed)
                   for level in levels]
            if not any(ran):
                fail(shape, "no level of this machine")


if __name__ == "__main__":
    main()
