# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models to PTX, which the command CHECK_PTX must accept.

usage: models-to-ptx.py language FOLDER -- CHECK_PTX...
       models-to-ptx.py onnx FOLDER -- CHECK_PTX...

`language` takes the two programs of examples/llama2, which FOLDER is, with
random weights; `onnx` each NAME/model.static.onnx or NAME.onnx in FOLDER.
"""

import pathlib
import subprocess
import sys
import tempfile


def write_language_models(example, folder):
    sys.path.insert(0, str(example))
    import hamkaas as hk
    import numpy as np
    import graph
    from weights import Config, Layer, Weights, layer_shapes

    config = Config(dim=96, hidden=256, layers=2, heads=6, kv_heads=3,
                    vocab=200, context=128)
    random = np.random.default_rng(0)

    def make(*shape):
        return random.standard_normal(shape, np.float32)

    layers = [Layer(**{name: make(*shape)
                       for name, shape in layer_shapes(config).items()})
              for _ in range(config.layers)]
    weights = Weights(make(config.vocab, config.dim), layers, make(config.dim))
    for name, node in (("decode", graph.build_decode(config, weights)),
                       ("prefill", graph.build_prefill(config, weights, 32))):
        path = pathlib.Path(folder) / f"{name}.mlir"
        path.write_text(hk.compile(node, name=name).graph.mlir)
        yield path


def find_onnx_models(folder):
    return sorted([*folder.glob("*/model.static.onnx"), *folder.glob("*.onnx")])


def assemble(model, ptx, check):
    """Why it did not work, or an empty text. Kernels for newer GPUs wait for
    each other."""
    for virtual, *options in (["compute_80"], ["compute_90", "--arch=sm_90"]):
        done = subprocess.run(["hamkaas-compile", model, "--target=cuda",
                               f"--gpu-arch={virtual}", "--emit=ptx",
                               "-o", ptx], capture_output=True, text=True)
        if done.returncode == 0:
            done = subprocess.run([*check, *options, ptx], capture_output=True,
                                  text=True)
        if done.returncode:
            return done.stderr
    return ""


def main():
    kind, folder, separator, *check = sys.argv[1:]
    assert separator == "--" and check
    folder = pathlib.Path(folder)
    count = failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        models = write_language_models(folder, scratch) \
            if kind == "language" else find_onnx_models(folder)
        for model in models:
            reason = assemble(model, pathlib.Path(scratch, "model.ptx"), check)
            if reason:
                print(f"{model}: {reason}")
            count += 1
            failures += bool(reason)
    print(f"{count} models, {failures} failures")
    return failures > 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())
