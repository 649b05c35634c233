# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the random numbers of three devices: their distribution, and whether
they are the same, and those of the published generator.

  check-random.py make FOLDER            writes the inputs
  check-random.py keep FOLDER DEVICE     keeps the outputs as those of a device
  check-random.py check FOLDER
"""

import os
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "Integration/Inputs"))
from philox import philox  # noqa: E402

COUNT = 60000
NAMES = "uniform wide half normal coins classes kept mask".split()
DEVICES = "cpu reference cuda-emulation".split()
CHANCES = np.linspace(0.1, 0.9, COUNT).astype(np.float32)
WORTH = np.float32([[1, 2, 3, 4], [5, 1e-4, 3, 2]])


def draw_word(seed, i):
    """Word ``i`` of the generator with the bits of a float as key."""
    key = [int(np.float32(seed).view("u4")), 0]
    return philox([i // 4, 0, 0, 0], key)[i % 4]


def near(found, expected, deviations):
    """Within five standard deviations of a mean of so many numbers."""
    limit = 5 * deviations / np.sqrt(found.size)
    assert abs(found.mean(dtype="f8") - expected) < limit, (
        found.mean(dtype="f8"), expected, limit)


def check_uniform(outputs):
    words = [draw_word(1, i) for i in (0, 1, 2, COUNT - 1)]
    expected = [(word >> 8) * 2.0**-24 * 4 - 1 for word in words]
    uniform = outputs["uniform"].ravel()
    np.testing.assert_array_equal(uniform[[0, 1, 2, -1]],
                                  np.float32(expected))
    near(uniform, 1, 4 / np.sqrt(12))
    # The lower halves come behind all upper ones.
    high, low = draw_word(2, 7), draw_word(2, COUNT + 7)
    assert outputs["wide"][7] == high * 2.0**-32 + (low >> 11) * 2.0**-53
    assert outputs["half"][7] == (high >> 21) * 2.0**-11
    for name in ("uniform", "wide", "half"):
        x = outputs[name].astype("f8")
        x = (x + 1) / 4 if name == "uniform" else x
        assert x.min() >= 0 and x.max() < 1
        counts = np.histogram(x, 100, (0, 1))[0]
        # Chi squared of 99 degrees: beyond 170 once in 100,000.
        assert ((counts - COUNT / 100)**2 / (COUNT / 100)).sum() < 170


def check_normal(outputs):
    x = (outputs["normal"].ravel().astype("f8") - 1) / 2
    near(x, 0, 1)
    near(x**2, 1, np.sqrt(2))
    near(x**3, 0, np.sqrt(15))
    near(x**4, 3, np.sqrt(96))
    for size, beyond in ((1, 0.3173105), (2, 0.0455003), (3, 0.0026998)):
        near(np.float64(abs(x) > size), beyond, np.sqrt(beyond))


def check_choices(outputs):
    assert set(np.unique(outputs["coins"])) == {0, 1}
    near(outputs["coins"] - CHANCES, 0, 0.5)
    near(outputs["mask"].astype("f8"), 0.75, np.sqrt(0.75 * 0.25))
    kept = np.where(outputs["mask"], CHANCES / np.float32(0.75), 0)
    np.testing.assert_allclose(outputs["kept"], kept, rtol=1e-6)
    for row, worth in zip(outputs["classes"], WORTH):
        for i, chance in enumerate(worth / worth.sum()):
            near(np.float64(row == i), chance, np.sqrt(chance))


def main(what, folder, device=""):
    def path(*parts):
        return os.path.join(folder, "-".join(parts) + ".npy")

    if what == "make":
        np.save(path("p"), CHANCES)
        np.save(path("logits"), np.log(WORTH))
    elif what == "keep":
        for name in NAMES:
            os.replace(path(name), path(name, device))
    else:
        for name in NAMES:
            cpu, *others = (np.load(path(name, d)) for d in DEVICES)
            for other in others:
                if name == "normal":
                    np.testing.assert_allclose(other, cpu, atol=2e-6, rtol=0)
                else:
                    np.testing.assert_array_equal(other, cpu, name)
        outputs = {name: np.load(path(name, "cpu")) for name in NAMES}
        check_uniform(outputs)
        check_normal(outputs)
        check_choices(outputs)


main(*sys.argv[1:])
