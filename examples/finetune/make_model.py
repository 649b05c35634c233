#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes digits.onnx: a network 784-64-64-10 that reads upright digits.

Trained on 800 of the digits of ../mnist, moved by up to two pixels. The others,
each fifth, are kept out here as in main.c. Needs the packages hamkaas and onnx.
"""

import pathlib

import hamkaas as hk
import numpy as np
import onnx

HERE = pathlib.Path(__file__).resolve().parent
BATCH, WIDTH, EPOCHS, LARGEST_SHIFT = 50, 64, 150, 2
SIZES = (28 * 28, WIDTH, WIDTH, 10)


def read_digits():
    images = np.load(HERE.parent / "mnist" / "digits.npy")
    labels = np.load(HERE.parent / "mnist" / "labels.npy")
    return (images.reshape(-1, 28, 28).astype(np.float32) / 255,
            labels.astype(np.int64))


def shift(image, rng):
    rows, columns = rng.integers(-LARGEST_SHIFT, LARGEST_SHIFT + 1, 2)
    return np.roll(image, (rows, columns), (0, 1))


def train(images, labels):
    """The parameters by their names."""
    rng = np.random.default_rng(0)
    h = hk.input("image", [BATCH, SIZES[0]])
    for i, (inputs, outputs) in enumerate(zip(SIZES, SIZES[1:]), 1):
        w = hk.state([inputs, outputs], f"layer{i}.weight",
                     initial=rng.normal(0, (2 / inputs)**0.5,
                                        [inputs, outputs]))
        h = (h if i == 1 else h.relu()) @ w + \
            hk.state([outputs], f"layer{i}.bias")
    loss = hk.nn.cross_entropy(h, hk.input("labels", [BATCH], "int64"))
    model = hk.compile({"train_step": hk.train_step(loss, hk.optim.AdamW(
        lr=1e-3, weight_decay=0.05))})
    data = hk.data.ArrayDataset(
        images, labels,
        transform=lambda item, rng: (shift(item[0], rng).ravel(), item[1]))
    loader = hk.data.DataLoader(data, BATCH, shuffle=True)
    for _ in range(EPOCHS):
        for image, digits in loader:
            model.train_step.run({"image": image, "labels": digits})
    return {name: value for name, value in model.state.items()
            if name.startswith("layer")}


def write_onnx(path, parameters):
    nodes, h = [], "image"
    for i in range(1, len(SIZES)):
        y = "scores" if i == len(SIZES) - 1 else f"sum{i}"
        nodes.append(onnx.helper.make_node(
            "Gemm", [h, f"layer{i}.weight", f"layer{i}.bias"], [y],
            name=f"layer{i}"))
        h = f"hidden{i}"
        if y != "scores":
            nodes.append(onnx.helper.make_node("Relu", [y], [h]))
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes, "digits",
        [value("image", onnx.TensorProto.FLOAT, [BATCH, SIZES[0]])],
        [value("scores", onnx.TensorProto.FLOAT, [BATCH, SIZES[-1]])],
        [onnx.numpy_helper.from_array(array, name)
         for name, array in parameters.items()])
    onnx.save(onnx.helper.make_model(
        graph, ir_version=8,
        opset_imports=[onnx.helper.make_opsetid("", 17)]), path)


def main():
    images, labels = read_digits()
    is_kept_out = np.arange(len(labels)) % 5 == 0
    parameters = train(images[~is_kept_out], labels[~is_kept_out])
    h = images[is_kept_out].reshape(-1, SIZES[0])
    for i in range(1, len(SIZES)):
        h = (h if i == 1 else np.maximum(h, 0)) @ \
            parameters[f"layer{i}.weight"] + parameters[f"layer{i}.bias"]
    right = (h.argmax(axis=1) == labels[is_kept_out]).mean()
    print(f"{100 * right:.1f} % of {is_kept_out.sum()} digits kept out")
    write_onnx(HERE / "digits.onnx", parameters)


if __name__ == "__main__":
    main()
