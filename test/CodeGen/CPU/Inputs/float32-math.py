#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a function of compiled kernels with that of doubles.

usage: float32-math.py LEVEL FUNCTION

FUNCTION is an operation of the math dialect, nonpositive_exp, sigmoid or
one_plus_erf. Prints the largest error in units of the last place of the correct
result and fails where it is 2 or more, 2.5 for sigmoid. For one_plus_erf the
units are those of 1, and it fails at 3. The argument of nonpositive_exp is a
rounded difference, which may err a little more.
"""

import math
import pathlib
import sys
import tempfile

import numpy as np

sys.path.append(str(pathlib.Path(__file__).parents[2] / "Inputs"))
import execute

KERNEL = """
func.func private @kernel(%x: tensor<{n}xf32>, %out: tensor<{n}xf32>)
    -> tensor<{n}xf32> attributes {{hamkaas.kernel = #hamkaas.kernel<elementwise>}} {{
  %e = tensor.empty() : tensor<{n}xf32>
  %y = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>,
      affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}}
    ins(%x : tensor<{n}xf32>) outs(%e : tensor<{n}xf32>) {{
  ^bb0(%v: f32, %o: f32):
    {body}
    linalg.yield %r : f32
  }} -> tensor<{n}xf32>
  return %y : tensor<{n}xf32>
}}
"""


# The functions of numpy, and the range of arguments in which the function is
# neither a constant nor its argument.
FUNCTIONS = {
    "exp": (np.exp, -110, 92),
    "nonpositive_exp": (np.exp, -110, 0),
    "tanh": (np.tanh, -10, 10),
    "sin": (np.sin, -1e5, 1e5),
    "cos": (np.cos, -1e5, 1e5),
    "erf": (np.vectorize(math.erf, otypes=[np.float64]), -5, 5),
    "log": (np.log, 0, 4),
    "one_plus_erf": (np.vectorize(lambda x: 1 + math.erf(x),
                                  otypes=[np.float64]), -5, 5),
    "sigmoid": (lambda x: np.where(x < 0, np.exp(-np.abs(x)), 1)
                / (1 + np.exp(-np.abs(x))), -104, 20),
}
SIGMOID = """%one = arith.constant 1.0 : f32
    %negative = arith.negf %v : f32
    %exp = math.exp %negative : f32
    %sum = arith.addf %one, %exp : f32
    %r = arith.divf %one, %sum : f32"""
NONPOSITIVE_EXP = "%r = math.exp %v {hamkaas.nonpositive} : f32"
ONE_PLUS_ERF = """%one = arith.constant 1.0 : f32
    %erf = math.erf %v : f32
    %r = arith.addf %erf, %one : f32"""


def sample(low, high, points):
    """Each exponent with several mantissas, and a dense line of `points`."""
    exponents = np.arange(-149, 128)
    powers = np.concatenate([np.ldexp(m, exponents)
                             for m in (1.0, 1.2, 1.41, 1.6, 1.999)])
    powers = powers.astype(np.float32)
    line = np.linspace(low, high, points, dtype=np.float32)
    edges = np.array([88.72283, 88.722839, 88.72284, -87.33654, -87.33655,
                      -103.97207, -103.97208, -103.97209, 3.4e38, -3.4e38, 0.0,
                      -0.0, np.inf, -np.inf, np.nan], np.float32)
    return np.concatenate([powers, -powers, line, edges])


def main():
    level = sys.argv[1]
    function, low, high = FUNCTIONS[sys.argv[2]]
    processor = execute.Processor(level)
    x = sample(low, high, 2_000_003 if processor.is_native(0) else 100_003)
    if sys.argv[2] == "nonpositive_exp":
        x = x[~(x > 0)]
    if sys.argv[2] in ("sin", "cos"):
        x = np.concatenate([x, np.tile(np.array([0, -0.0], np.float32), 32)])
    if sys.argv[2] in ("sin", "cos") and not processor.is_native(0):
        # The emulator passes integers only to the C library.
        x = x[~(np.abs(x) > 1e5)]
    is_sum = sys.argv[2] == "one_plus_erf"
    bodies = {"nonpositive_exp": NONPOSITIVE_EXP, "one_plus_erf": ONE_PLUS_ERF,
              "sigmoid": SIGMOID}
    body = bodies.get(sys.argv[2], f"%r = math.{sys.argv[2]} %v : f32")
    text, tiles, _ = execute.compile_kernels(
        KERNEL.format(n=x.size, body=body), level)
    with tempfile.TemporaryDirectory() as folder:
        library = execute.build(folder, "kernel", text, level)
        got = execute.run_kernel(processor, library.kernel, [x],
                                 np.zeros_like(x), [(0, tiles["kernel"])])
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.float64))
        rounded = exact.astype(np.float32)
    assert (np.isnan(got) == np.isnan(rounded)).all(), "NaN where there is none"
    infinite = np.isinf(rounded)
    assert (got[infinite] == rounded[infinite]).all(), "expected infinity"
    finite = np.isfinite(rounded)
    assert np.isfinite(got[finite]).all(), "expected a finite number"
    unit = np.abs(np.spacing(rounded[finite])).astype(np.float64)
    if is_sum:
        unit[:] = np.spacing(np.float32(1))
        assert (got[x < -3.85] == 0).all(), "expected 0"
    errors = np.abs(got[finite].astype(np.float64) - exact[finite])
    if sys.argv[2] == "nonpositive_exp":
        # The argument may err by a twelfth of what rounding changes it.
        moved = np.minimum(np.abs(x[finite].astype(np.float64)), 200) * 2 ** -28.4
        errors = np.maximum(errors - moved * exact[finite], 0)
    errors /= unit
    worst = errors.argmax()
    print(f"largest error {errors[worst]:.3f} ulp at {x[finite][worst]!r}")
    allowed = {"one_plus_erf": 3, "sigmoid": 2.5}.get(sys.argv[2], 2)
    assert errors[worst] < allowed, f"{allowed} ulp or more"
    zero = x == 0
    assert got[zero].tobytes() == rounded[zero].tobytes(), "wrong at 0 or -0"


if __name__ == "__main__":
    main()
