#!/usr/bin/env python3
"""Compares math.exp of compiled kernels with numpy's exp of doubles.

usage: exp.py LEVEL

Prints the largest error in units of the last place of the correct result.
"""

import sys
import tempfile

import numpy as np

import execute

KERNEL = """
func.func private @exp(%x: tensor<{n}xf32>, %out: tensor<{n}xf32>)
    -> tensor<{n}xf32> attributes {{hamkaas.kernel = #hamkaas.kernel<elementwise>}} {{
  %e = tensor.empty() : tensor<{n}xf32>
  %y = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>,
      affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}}
    ins(%x : tensor<{n}xf32>) outs(%e : tensor<{n}xf32>) {{
  ^bb0(%v: f32, %o: f32):
    %r = math.exp %v : f32
    linalg.yield %r : f32
  }} -> tensor<{n}xf32>
  return %y : tensor<{n}xf32>
}}
"""


def sample():
    """Every exponent, a dense line over all that is neither 0 nor inf."""
    tiny = np.ldexp(1.0, np.arange(-149, 7)).astype(np.float32)
    line = np.linspace(-110, 92, 4_000_003, dtype=np.float32)
    edges = np.array([88.72283, 88.722839, 88.72284, -87.33654, -87.33655,
                      -103.97207, -103.97208, -103.97209, 3.4e38, -3.4e38, 0.0,
                      -0.0, np.inf, -np.inf, np.nan], np.float32)
    return np.concatenate([tiny, -tiny, line, edges])


def main():
    level = execute.level_here(sys.argv[1])
    x = sample()
    text, tiles = execute.compile_kernels(KERNEL.format(n=x.size), level)
    with tempfile.TemporaryDirectory() as folder:
        library = execute.build(folder, "exp", text, level)
        got = execute.run_kernel(library.exp, [x], np.zeros_like(x),
                                 [(0, tiles["exp"])])
    with np.errstate(over="ignore"):
        exact = np.exp(x.astype(np.float64))
        rounded = exact.astype(np.float32)
    assert (np.isnan(got) == np.isnan(x)).all(), "NaN must stay NaN"
    infinite = np.isinf(rounded)
    assert (got[infinite] == np.inf).all(), "expected infinity"
    finite = np.isfinite(rounded)
    assert np.isfinite(got[finite]).all(), "expected a finite number"
    unit = np.spacing(rounded[finite]).astype(np.float64)
    errors = np.abs(got[finite].astype(np.float64) - exact[finite]) / unit
    worst = errors.argmax()
    print(f"largest error {errors[worst]:.3f} ulp at {x[finite][worst]!r}")
    assert errors[worst] < 2, "more than 2 ulp"
    assert got[x == 0].tolist() == [1.0, 1.0], "exp(0) is 1"


if __name__ == "__main__":
    main()
