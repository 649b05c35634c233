# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks two dropouts of the first run of a model.

  check-dropout.py make FOLDER    writes the input
  check-dropout.py check FOLDER
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Integration/Inputs"))
from philox import random_bits  # noqa: E402

X = np.arange(1, 1001, dtype=np.float32)


def main(what, name):
    folder = pathlib.Path(name)
    if what == "make":
        np.save(folder / "x.npy", X)
        return
    words = random_bits([0, 0, 0], [2000])
    for output, drawn in zip("ab", (words[:1000], words[1000:])):
        kept = np.where(drawn < 2**30, 0, X / np.float32(0.75))
        np.testing.assert_allclose(np.load(folder / f"{output}.npy"), kept,
                                   rtol=1e-6)


main(*sys.argv[1:])
