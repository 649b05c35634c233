# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks in QDQ format give the results of the interpreter, but for
few numbers that are rounded to a neighbour, at every level.

usage: quantized-networks.py LEVEL... [--seeds=FIRST:END]
"""

import argparse
import sys

import hamkaas as hk
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Of the largest magnitude: a result may be off by some steps of the last
# quantization, whose operands were off by a step. Few may be.
MOST_STEPS, MOST_FRACTION = 0.06, 0.02


class Network:
    """Nodes that are added one after the other to `last`, of shape `shape`."""

    def __init__(self, rng):
        self.rng = rng
        self.nodes, self.weights, self.count = [], [], 0
        self.shape = [self.pick(1, 2), self.pick(3, 4, 8, 16, 17, 32),
                      self.pick(5, 8, 12, 14), self.pick(5, 7, 8, 14)]
        self.inputs = list(self.shape)
        self.last = self.quantize("x", 2)
        self.kept = None

    def pick(self, *values):
        return values[self.rng.integers(len(values))]

    def happens(self, probability):
        return self.rng.random() < probability

    def name(self):
        self.count += 1
        return f"t{self.count}"

    def constant(self, array):
        name = self.name()
        self.weights.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def add(self, op, *inputs, **attributes):
        name = self.name()
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def quantize(self, x, most):
        """Numbers of about [-most, most], with any zero point."""
        kind = self.pick(np.int8, np.uint8)
        limits = np.iinfo(kind)
        zero = self.pick(limits.min, 0, self.rng.integers(limits.min, limits.max))
        scale = self.constant(np.float32(most / 127 * self.rng.uniform(0.5, 1.2)))
        zero = self.constant(kind(zero))
        codes = self.add("QuantizeLinear", x, scale, zero)
        return self.add("DequantizeLinear", codes, scale, zero)

    def quantize_some(self, x, most, probability):
        return self.quantize(x, most) if self.happens(probability) else x

    def make_weights(self, shape, axis):
        """Signed with a scale a channel, or unsigned with one zero point."""
        if self.happens(0.5):
            count = shape[axis]
            return self.add(
                "DequantizeLinear",
                self.constant(self.rng.integers(-127, 128, shape, np.int8)),
                self.constant(self.rng.uniform(0.002, 0.012, count).astype(
                    np.float32)), self.constant(np.zeros(count, np.int8)),
                axis=axis)
        return self.add(
            "DequantizeLinear",
            self.constant(self.rng.integers(0, 256, shape, np.uint8)),
            self.constant(np.float32(0.007)),
            self.constant(np.uint8(self.pick(128, 100, 150))))

    def add_windows(self, op, size, stride, pad, inputs=(), **attributes):
        """An operation on windows, if the image has one. Returns whether."""
        sizes = [(extent + 2 * pad - size) // stride + 1
                 for extent in self.shape[2:]]
        if min(sizes) < 1:
            return False
        self.last = self.add(op, self.last, *inputs, kernel_shape=[size, size],
                             strides=[stride, stride], pads=[pad] * 4,
                             **attributes)
        self.shape[2:] = sizes
        return True

    def add_conv(self):
        channels = self.shape[1]
        groups = self.pick(1, 1, channels, 4 if channels % 4 == 0 else 1)
        filters = channels if groups > 1 else self.pick(4, 8, 16, 24, 40, 64)
        size = self.pick(1, 3, 3, 5)
        inputs = [self.make_weights([filters, channels // groups, size, size], 0)]
        if self.happens(0.6):
            inputs.append(self.constant(
                self.rng.standard_normal(filters).astype(np.float32)))
        if not self.add_windows("Conv", size, self.pick(1, 1, 2),
                                self.pick(0, size // 2), inputs, group=groups):
            return
        self.shape[1] = filters
        if self.happens(0.5):
            self.last = self.add("Relu", self.last)
        self.last = self.quantize_some(self.last, 6, 0.85)
        if self.happens(0.4):
            self.kept = self.last, list(self.shape)

    def add_pool(self):
        op = self.pick("MaxPool", "AveragePool")
        if self.add_windows(op, 3, self.pick(1, 2), self.pick(0, 1)):
            self.last = self.quantize_some(self.last, 6, 0.7)

    def add_residual(self):
        if self.kept and self.kept[1] == self.shape:
            self.last = self.quantize(self.add("Add", self.last, self.kept[0]), 8)

    def add_product(self):
        columns = self.pick(5, 16, 33)
        weights = self.make_weights([self.shape[3], columns], 1)
        self.last = self.quantize_some(self.add("MatMul", self.last, weights), 6,
                                       0.7)
        self.shape[3] = columns

    def finish(self):
        self.nodes.append(helper.make_node("Identity", [self.last], ["y"]))
        kind = TensorProto.FLOAT
        graph = helper.make_graph(
            self.nodes, "g",
            [helper.make_tensor_value_info("x", kind, self.inputs)],
            [helper.make_tensor_value_info("y", kind, self.shape)], self.weights)
        return helper.make_model(graph, ir_version=9, opset_imports=[
            helper.make_opsetid("", 17)])


def make(seed):
    network = Network(np.random.default_rng(seed))
    steps = (network.add_conv, network.add_conv, network.add_pool,
             network.add_residual, network.add_product)
    for _ in range(network.pick(1, 2, 3, 4, 5)):
        network.pick(*steps)()
    return network.finish(), network.inputs


def check(seed, levels):
    model, shape = make(seed)
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    contents = model.SerializeToString()
    expected = hk.load(contents, device="reference").run({"x": x})
    largest = np.abs(expected).max()
    for level in levels:
        got = hk.load(contents, target_cpu=level).run({"x": x})
        errors = np.abs(got - expected)
        fraction = (errors > 1e-3 * largest).mean()
        if errors.max() > MOST_STEPS * largest or fraction > MOST_FRACTION:
            nodes = [n.op_type for n in model.graph.node if "Lin" not in n.op_type]
            sys.exit(f"seed {seed}, {level}, {nodes}: off by "
                     f"{errors.max() / largest}, a fraction of {fraction}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("levels", nargs="+", metavar="LEVEL")
    parser.add_argument("--seeds", default="0:24", metavar="FIRST:END")
    arguments = parser.parse_args()
    for seed in range(*map(int, arguments.seeds.split(":"))):
        check(seed, arguments.levels)
    print("no errors")


if __name__ == "__main__":
    main()
