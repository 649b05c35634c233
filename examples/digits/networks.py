# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two networks for images of 28 x 28 pixels: scores of ten classes."""

import hamkaas as hk
import numpy as np


class Parameters:
    """The states of a network, and what they hold at first."""

    def __init__(self, rng):
        self.rng, self.values = rng, {}

    def add(self, name, shape, value):
        self.values[name] = np.broadcast_to(
            np.asarray(value, np.float32), shape)
        return hk.state(shape, name)

    def weight(self, name, shape, inputs):
        """Normally distributed, as He et al. have it for ReLU."""
        scale = np.sqrt(2 / inputs)
        return self.add(name, shape, self.rng.normal(0, scale, shape))

    def linear(self, name, x, outputs):
        inputs = x.shape[-1]
        return x @ self.weight(f"{name}.weight", (inputs, outputs), inputs) + \
            self.add(f"{name}.bias", (outputs,), 0)

    def layer_norm(self, name, x):
        sizes = (x.shape[-1],)
        return hk.nn.layer_norm(x, sizes,
                                self.add(f"{name}.weight", sizes, 1),
                                self.add(f"{name}.bias", sizes, 0))

    def conv(self, name, x, channels):
        inputs = x.shape[1]
        weight = self.weight(f"{name}.weight", (channels, inputs, 3, 3),
                             9 * inputs)
        return hk.nn.conv2d(x, weight, self.add(f"{name}.bias", (channels,), 0),
                            padding=1)


def mlp(x, parameters, width=256, blocks=3):
    """A residual network of matrices."""
    h = parameters.linear("first", x.reshape([x.shape[0], -1]), width)
    for i in range(blocks):
        inner = parameters.layer_norm(f"block{i}.norm", h)
        inner = parameters.linear(f"block{i}.up", inner, width).relu()
        h = h + 0.5 * parameters.linear(f"block{i}.down", inner, width)
    return parameters.linear("last", parameters.layer_norm("norm", h), 10)


def cnn(x, parameters, channels=(32, 64, 64)):
    """Convolutions, each followed by a pooling to half the size."""
    h = hk.expand_dims(x, axis=1)
    for i, count in enumerate(channels):
        h = parameters.conv(f"conv{i}", h, count).relu()
        h = hk.nn.max_pool2d(h, 2)
    h = parameters.linear("hidden", h.reshape([h.shape[0], -1]), 128).relu()
    return parameters.linear("last", h, 10)
