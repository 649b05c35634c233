#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads 1,000 handwritten digits with the net of mnist.hk.

Compiles the net, shows some digits with what the net sees in them, counts how
many of all it gets right, and compares the compiled program with the slow and
simple reference interpreter. Needs python3, numpy and the built tools. Exit
status 1 when fewer than 93 % are right or the comparison fails.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
MODEL = os.path.relpath(HERE / "mnist.hk")  # short in the report
WEIGHTS = HERE / "weights.safetensors"
BATCH = 128  # digits in one run of the net, as mnist.hk says
REQUIRED_ACCURACY = 0.93
SHADES = " .:-=+*#%@"


def run(tool, *arguments):
    """Runs a tool of ours; what it prints goes to the terminal."""
    sys.stdout.flush()
    if subprocess.run([tool, *arguments]).returncode != 0:
        sys.exit(f"demo.py: {tool.name} failed")


def classify(tools, digits, folder):
    """Returns the net's ten scores for each digit."""
    scores = []
    for begin in range(0, len(digits), BATCH):
        part = digits[begin:begin + BATCH]
        batch = np.zeros((BATCH, 28, 28), np.float32)
        batch[:len(part)] = part / np.float32(255)
        np.save(folder / f"batch{begin}.npy", batch)
        run(tools / "hamkaas-run", MODEL, "--weights", WEIGHTS,
            "--input", f"input={folder}/batch{begin}.npy",
            "--output", f"result={folder}/result.npy")
        scores.append(np.load(folder / "result.npy")[:len(part)])
    return np.concatenate(scores)


def as_text(image):
    """24 of 28 columns, and one line for two rows: letters are high."""
    rows = image.reshape(14, 2, 28).mean(axis=1)[:, 2:26]
    return ["".join(SHADES[int(p) * len(SHADES) // 256] for p in row)
            for row in rows]


def show(digits, labels, predicted, indices):
    for line in zip(*(as_text(digits[i]) for i in indices)):
        print("  ".join(line).rstrip())
    captions = [f"reads {predicted[i]}, is {labels[i]}" for i in indices]
    print("  ".join(caption.center(24) for caption in captions).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=pathlib.Path, metavar="FOLDER",
                        default=HERE.parents[1] / "build" / "bin",
                        help="where hamkaas-compile and hamkaas-run are")
    tools = parser.parse_args().tools.resolve()
    if not (tools / "hamkaas-run").exists():
        sys.exit(f"demo.py: no tools in {tools}; run `make demo`, or say where "
                 "they are with --tools")
    digits = np.load(HERE / "digits.npy")
    labels = np.load(HERE / "labels.npy")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        print("-- What the compiler knows about the net before it runs\n")
        run(tools / "hamkaas-compile", MODEL, "--weights", WEIGHTS,
            "-o", folder / "mnist.so", "--report")

        predicted = classify(tools, digits, folder).argmax(axis=1)
        right = predicted == labels
        accuracy = right.mean()
        print("\n-- Digits that it never saw in training, one it gets wrong last\n")
        show(digits, labels, predicted,
             [*range(2), *np.flatnonzero(~right)[:1]])
        print(f"\nRight: {right.sum()} of {len(labels)} ({accuracy:.1%})")

        first_batch = ["--input", f"input={folder}/batch0.npy",
                       "--output", f"result={folder}/result.npy"]
        print(f"\n-- Time for a batch of {BATCH} digits\n")
        run(tools / "hamkaas-run", folder / "mnist.so", *first_batch,
            "--repeat=200")

        print("\n-- The same batch in the reference interpreter\n")
        run(tools / "hamkaas-run", MODEL, "--weights", WEIGHTS,
            *first_batch, "--check-against=reference")

    if accuracy < REQUIRED_ACCURACY:
        sys.exit(f"demo.py: expected at least {REQUIRED_ACCURACY:.0%} right")


if __name__ == "__main__":
    main()
