#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a network on handwritten digits, as one program.

    train.py DATA [--model=mlp|cnn] [--epochs=N] [--save=FILE]

DATA is a table of digits as text, which gzip may have compressed: in each row
the 784 grey values, 0 to 255, of an image of 28 x 28 pixels and the digit that
it shows, with commas between them. README.md says where there is one.

100 digits of each class are kept out of training. Exit status 1 if fewer of
them are read right than --require says, in percent.
"""

import argparse
import gzip
import math
import pathlib
import sys
import time

import hamkaas as hk
import networks
import numpy as np

BATCH = 100
SEED = 0
KEPT_OUT_PER_CLASS = 100
LARGEST_SHIFT = 2  # pixels
EPOCHS = {"mlp": 60, "cnn": 30}


def read_digits(path):
    """Images, 28 x 28 numbers from 0 to 1, and what they show."""
    with open(path, "rb") as file:
        is_compressed = file.read(2) == b"\x1f\x8b"
    opened = gzip.open(path, "rt") if is_compressed else open(path)
    with opened as file:
        table = np.loadtxt(file, np.uint8, delimiter=",", ndmin=2)
    if table.shape[1] != 28 * 28 + 1 or table[:, -1].max() > 9:
        sys.exit(f"train.py: {path}: expected rows of 784 grey values and a "
                 f"digit, got {table.shape[1]} columns")
    images = table[:, :-1].reshape(-1, 28, 28).astype(np.float32) / 255
    return images, table[:, -1].astype(np.int64)


def split(labels, rng):
    """Which digits to train on, and which to keep out."""
    kept_out = np.concatenate([
        rng.permutation(np.flatnonzero(labels == digit))[:KEPT_OUT_PER_CLASS]
        for digit in range(10)])
    return np.setdiff1d(np.arange(len(labels)), kept_out), kept_out


def shift(images, rng):
    """Each image moved by up to LARGEST_SHIFT pixels in each direction."""
    pad = LARGEST_SHIFT
    padded = np.pad(images, ((0, 0), (pad, pad), (pad, pad)))
    rows, columns = rng.integers(0, 2 * pad + 1, size=(2, len(images)))
    return np.stack([image[row:row + 28, column:column + 28]
                     for image, row, column in zip(padded, rows, columns)])


def compile_model(network, steps):
    """The functions train_step and predict over the network's states."""
    x = hk.input("x", [BATCH, 28, 28])
    labels = hk.input("labels", [BATCH], "int64")
    parameters = networks.Parameters(np.random.default_rng(SEED))
    scores = getattr(networks, network)(x, parameters)
    loss = hk.nn.cross_entropy(scores, labels, label_smoothing=0.05)

    def rate(step):
        """Rises for a tenth of the steps, then falls to 0 as a cosine."""
        warm = step / (0.1 * steps)
        return 2e-3 * hk.minimum(warm, 0.5 * (1 + hk.cos(math.pi * step /
                                                         steps)))

    model = hk.compile({
        "train_step": hk.train_step(
            loss, hk.optim.AdamW(lr=rate, weight_decay=0.05)),
        "predict": hk.function(hk.argmax(scores, axis=1)),
    }, name=network)
    for name, value in parameters.values.items():
        model.state[name] = value
    return model


def measure(model, images, labels):
    """The share of digits that are read right."""
    right = 0
    for begin in range(0, len(labels), BATCH):
        part = slice(begin, begin + BATCH)
        batch = np.zeros((BATCH, 28, 28), np.float32)
        batch[:len(labels[part])] = images[part]
        answers = model.predict.run({"x": batch})[:len(labels[part])]
        right += int((answers == labels[part]).sum())
    return right / len(labels)


class Progress:
    """A line with the loss, digits a second and the time left."""

    def __init__(self, steps):
        self.steps, self.begin = steps, time.monotonic()
        self.is_shown = sys.stderr.isatty()

    def show(self, step, loss):
        seconds = (time.monotonic() - self.begin) / step
        if self.is_shown:
            print(f"\r{100 * step // self.steps:3d} %  loss {loss:.4f}  "
                  f"{BATCH / seconds:,.0f} digits/s  "
                  f"{(self.steps - step) * seconds:.0f} s left  ", end="",
                  file=sys.stderr, flush=True)

    def close(self):
        if self.is_shown:
            print(file=sys.stderr)


def train(model, images, labels, epochs):
    """Runs the training step on shifted digits, in another order each time."""
    rng = np.random.default_rng(SEED)
    count = len(labels) // BATCH
    progress = Progress(epochs * count)
    for epoch in range(epochs):
        order = rng.permutation(len(labels))[:count * BATCH]
        for number, chosen in enumerate(order.reshape(count, BATCH)):
            result = model.train_step.run({
                "x": shift(images[chosen], rng), "labels": labels[chosen]})
            progress.show(epoch * count + number + 1, float(result["loss"]))
    progress.close()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=pathlib.Path, nargs="?")
    parser.add_argument("--model", choices=EPOCHS, default="mlp")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--save", type=pathlib.Path)
    parser.add_argument("--require", type=float, default=0)
    arguments = parser.parse_args()
    if arguments.data is None or not arguments.data.is_file():
        sys.exit("train.py: expected the path of a table of digits, got "
                 f"{arguments.data or 'none'}; README.md says where there is "
                 "one")
    images, labels = read_digits(arguments.data)
    chosen, kept_out = split(labels, np.random.default_rng(SEED))
    epochs = arguments.epochs or EPOCHS[arguments.model]
    model = compile_model(arguments.model, epochs * (len(chosen) // BATCH))
    begin = time.monotonic()
    train(model, images[chosen], labels[chosen], epochs)
    accuracy = measure(model, images[kept_out], labels[kept_out])
    print(f"{arguments.model}: {100 * accuracy:.1f} % of {len(kept_out):,} "
          f"digits kept out are read right, after {epochs} epochs of "
          f"{len(chosen):,} digits in {time.monotonic() - begin:.0f} s")
    if arguments.save:
        model.state.save(arguments.save)
    if 100 * accuracy < arguments.require:
        sys.exit(1)


if __name__ == "__main__":
    main()
