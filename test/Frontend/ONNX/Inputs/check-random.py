# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the random numbers of three devices: their distribution, and whether
they are the same, and those of the published generator.

  check-random.py make FOLDER            writes the inputs
  check-random.py keep FOLDER DEVICE     keeps the outputs as those of a device
  check-random.py check FOLDER
"""

import os
import sys

import numpy as np

COUNT = 60000
NAMES = "uniform wide half normal coins classes kept mask".split()
DEVICES = "cpu reference cuda-emulation".split()
CHANCES = np.linspace(0.1, 0.9, COUNT).astype(np.float32)
WORTH = np.float32([[1, 2, 3, 4], [5, 1e-4, 3, 2]])


def threefry(key, counter, rounds=20):
    """Threefry-2x32 of Salmon et al., SC 2011, word by word."""
    mask = 0xFFFFFFFF
    keys = [*key, 0x1BD11BDA ^ key[0] ^ key[1]]
    low, high = ((c + k) & mask for c, k in zip(counter, key))
    for i in range(rounds):
        turn = [13, 15, 26, 6, 17, 29, 16, 24][i % 8]
        low = (low + high) & mask
        high = ((high << turn | high >> (32 - turn)) & mask) ^ low
        if i % 4 == 3:
            injection = i // 4 + 1
            low = (low + keys[injection % 3]) & mask
            high = (high + keys[(injection + 1) % 3] + injection) & mask
    return low, high


def check_generator():
    # The authors' known answers.
    assert threefry((0, 0), (0, 0)) == (0x6B200159, 0x99BA4EFE)
    assert threefry((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3)) == (
        0xC4923A9C, 0x483DF7A0)


def near(found, expected, deviations):
    """Within five standard deviations of a mean of so many numbers."""
    limit = 5 * deviations / np.sqrt(found.size)
    assert abs(found.mean(dtype="f8") - expected) < limit, (
        found.mean(dtype="f8"), expected, limit)


def check_uniform(outputs):
    key = (int(np.float32(1).view("u4")), 0)
    words = [threefry(key, (i, 0)) for i in (0, 1, 2, COUNT - 1)]
    expected = [(low >> 8) * 2.0**-24 * 4 - 1 for low, _ in words]
    uniform = outputs["uniform"].ravel()
    np.testing.assert_array_equal(uniform[[0, 1, 2, -1]],
                                  np.float32(expected))
    near(uniform, 1, 4 / np.sqrt(12))
    key = (int(np.float32(2).view("u4")), 0)
    low, high = threefry(key, (7, 0))
    assert outputs["wide"][7] == low * 2.0**-32 + (high >> 11) * 2.0**-53
    assert outputs["half"][7] == (low >> 21) * 2.0**-11
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
        check_generator()
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
