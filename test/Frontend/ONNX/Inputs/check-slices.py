# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a model of slices at some places, and compares with numpy.

check-slices.py FOLDER COMMAND...
"""

import subprocess
import sys

import numpy as np

folder, *command = sys.argv[1:]
X = np.arange(40, dtype=np.float32).reshape(10, 4)


def run(p, q):
    """The outputs; the message if the run ends with an error."""
    inputs = {"x": X, "p": np.int64(p), "q": np.int32([q])}
    names = ["row", "columns", "grid"]
    for name, value in inputs.items():
        np.save(f"{folder}/{name}.npy", value)
    done = subprocess.run(
        [*command, *(f"--input={name}={folder}/{name}.npy" for name in inputs),
         *(f"--output={name}={folder}/{name}.npy" for name in names)],
        capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    return [np.load(f"{folder}/{name}.npy") for name in names]


def expect(p, q):
    row, columns, grid = run(p, q)
    np.testing.assert_array_equal(row, X[2 * p:2 * p + 1])
    np.testing.assert_array_equal(columns, X[:, q - 7:q - 5])
    np.testing.assert_array_equal(grid, X[p:p + 3:2, q - 7:q - 5])


def expect_error(p, q):
    message = run(p, q)
    assert isinstance(message, str) and "expected indices from" in message, message


expect(0, 7)
expect(3, 9)
expect(4, 8)
# From the end.
expect(-4, 9)
expect(-5, 8)
# Bounds beyond the last row and the last column, before the first one, and on
# both sides of the end: x[-2:1] and x[:, -1:1].
for p, q in ((5, 7), (4, 10), (-6, 7), (-2, 7), (0, 6)):
    expect_error(p, q)
