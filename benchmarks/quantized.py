# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures networks that ONNX Runtime's quantizer wrote, beside its peers.

usage: PYTHONPATH=build/python quantized.py [--models FOLDER] [--threads N]

Needs the packages hamkaas, onnx, onnxruntime, openvino, torch and torchvision. Makes
ResNet-50 and MobileNet v2 with random weights, in QDQ format, with bytes
without a sign for activations and signed ones a channel for weights. Then each
contestant is a process of its own; they take turns of 0.4 s, and the least of
the medians of three turns counts. `exact` is ONNX Runtime with
session.x64quantprecision, `error` the largest difference from it without
optimizations, relative to the largest value.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

NETWORKS = ("resnet50", "mobilenet_v2")
SHAPE = (1, 3, 224, 224)
TURNS, SECONDS = 3, 0.4


def quantized(path):
    return path.with_name(f"{path.stem}_qdq.onnx")


def make(name, path):
    """Exports a network whose norms have the statistics of random images."""
    import torch
    import torchvision
    from onnxruntime.quantization import (CalibrationDataReader, QuantFormat,
                                          QuantType, quantize_static)
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Reader(CalibrationDataReader):

        def __init__(self):
            rng = np.random.default_rng(0)
            self.images = iter([
                {"x": rng.standard_normal(SHAPE).astype(np.float32)}
                for _ in range(4)
            ])

        def get_next(self):
            return next(self.images, None)

    torch.manual_seed(0)
    model = getattr(torchvision.models, name)().train()
    with torch.no_grad():
        for _ in range(3):
            model(torch.randn(4, *SHAPE[1:]))
    torch.onnx.export(model.eval(), (torch.randn(SHAPE),), str(path),
                      input_names=["x"], opset_version=17, dynamo=False)
    prepared = path.with_name(f"{path.stem}_prepared.onnx")
    quant_pre_process(str(path), str(prepared))
    quantize_static(str(prepared), str(quantized(path)), Reader(),
                    quant_format=QuantFormat.QDQ, per_channel=True,
                    activation_type=QuantType.QUInt8,
                    weight_type=QuantType.QInt8)


def start(peer, path, threads, inputs):
    """A function that runs the model once and returns its result."""
    if peer == "hamkaas":
        import hamkaas
        model = hamkaas.load(path, threads=threads)
        return lambda: np.asarray(model.run(inputs))
    if peer == "openvino":
        import openvino
        compiled = openvino.Core().compile_model(
            path, "CPU", {"INFERENCE_NUM_THREADS": threads})
        request = compiled.create_infer_request()
        return lambda: request.infer(inputs)[0]
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    if peer in ("exact", "reference"):
        options.add_session_config_entry("session.x64quantprecision", "1")
    if peer == "reference":
        options.graph_optimization_level = (
            onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    session = onnxruntime.InferenceSession(path, options)
    return lambda: session.run(None, inputs)[0]


def work(peer, path, threads):
    """Writes the result, then the median of a turn for each line read."""
    rng = np.random.default_rng(7)
    inputs = {"x": rng.standard_normal(SHAPE).astype(np.float32)}
    run = start(peer, path, threads, inputs)
    print(json.dumps(run().ravel().tolist()), flush=True)
    for _ in sys.stdin:
        times = []
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end or len(times) < 3:
            begin = time.perf_counter()
            run()
            times.append(time.perf_counter() - begin)
        print(statistics.median(times) * 1e3, flush=True)


def measure(path, threads):
    contestants = {
        "float32": ("hamkaas", path),
        "hamkaas": ("hamkaas", quantized(path)),
        "exact": ("exact", quantized(path)),
        "onnxruntime": ("onnxruntime", quantized(path)),
        "openvino": ("openvino", quantized(path)),
        "reference": ("reference", quantized(path)),
    }
    processes = {
        name: subprocess.Popen(
            [sys.executable, __file__, "--work", peer, str(model),
             f"--threads={threads}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name, (peer, model) in contestants.items()
    }
    results = {name: np.array(json.loads(process.stdout.readline()))
               for name, process in processes.items()}
    reference = results["reference"]
    times = {name: [] for name in processes if name != "reference"}
    for _ in range(TURNS):
        for name in times:
            processes[name].stdin.write("turn\n")
            processes[name].stdin.flush()
            times[name].append(float(processes[name].stdout.readline()))
    for process in processes.values():
        process.communicate()
    for name, turns in times.items():
        error = (np.abs(results[name] - reference).max() /
                 np.abs(reference).max())
        note = "" if name == "float32" else f", error {100 * error:.1f} %"
        print(f"{path.stem}, {threads} threads, {name}: "
              f"{min(turns):.2f} ms{note}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", type=pathlib.Path, default="quantized")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(*options.work, options.threads)
    options.models.mkdir(parents=True, exist_ok=True)
    for name in NETWORKS:
        path = options.models / f"{name}.onnx"
        if not quantized(path).exists():
            make(name, path)
        measure(path, options.threads)


if __name__ == "__main__":
    main()
