# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The workloads of the peers: PyTorch modules, exported as ONNX files.

Nothing is downloaded: weights are random with a fixed seed, in float32, and all
shapes are static. Run as a program, `workloads.py FOLDER NAME...` writes for
each NAME the files NAME.onnx, NAME.in.npz (inputs), NAME.ref.npz (PyTorch's
outputs) and NAME.json (names, FLOPs, bytes).
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import pathlib
import sys
from typing import Any, Optional

# The modules of this folder that build them. Those of `small` need no PyTorch.
MODULES = {
    "networks": ["mlp1", "mlp128", "resnet50", "mobilenet_v2", "bert_mini",
                 "gpt2_prefill"],
    "llama": ["llama15m", "llama15m_kvio", "llama110m", "smollm2_135m"],
    "operations": ["sgemm_128x784x1000", "sgemm_512x512x512",
                   "sgemm_1024x1024x1024", "sgemm_2048x2048x2048",
                   "sgemm_4096x4096x4096",
                   "bmm_12x128x64x128", "softmax_1024x1024",
                   "layernorm_1024x1024", "eltwise_4m", "transpose_2048",
                   "conv3x3_64_64_56", "conv3x3_256_256_14",
                   "conv1x1_256_64_56", "dwconv3x3_144_56"],
    "small": ["small_mlp", "small_conv", "small_softmax", "small_cache"],
}  # yapf: disable
SMALL = MODULES["small"]
ALL = [name for names in MODULES.values() for name in names]
# Too large for a processor.
FOR_GPUS = ["sgemm_4096x4096x4096", "smollm2_135m"]
# Measured by default.
NAMES = [name for name in ALL if name not in [*SMALL, *FOR_GPUS]]


@dataclasses.dataclass
class Workload:
    name: str
    module: Any  # torch.nn.Module, in evaluation mode
    inputs: dict[str, Any]  # name to tensor, in the order of forward()
    outputs: list[str]
    # The least memory traffic of a run, each byte counted once, if that is not
    # all weights, inputs and outputs.
    bytes: Optional[int] = None
    unused_weight_bytes: int = 0


def module_of(name: str) -> str:
    return next(module for module, names in MODULES.items() if name in names)


def build(name: str) -> Workload:
    """The same weights and inputs whenever it is called."""
    import torch
    torch.manual_seed(0)
    return importlib.import_module(module_of(name)).build(name)


def tensor_bytes(tensors: Any) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def export(name: str, folder: pathlib.Path) -> None:
    """Writes the files of a PyTorch workload."""
    import numpy as np
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    workload = build(name)
    torch.set_num_threads(1)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        outputs = workload.module(*workload.inputs.values())
    if not isinstance(outputs, tuple):
        outputs = (outputs, )
    moved = workload.bytes or tensor_bytes([
        *workload.module.parameters(), *workload.inputs.values(), *outputs
    ]) - workload.unused_weight_bytes

    stem = str(folder / name)
    inputs = {key: value.numpy() for key, value in workload.inputs.items()}
    reference = dict(
        zip(workload.outputs, [value.numpy() for value in outputs]))
    np.savez(stem + ".in.npz", **inputs)
    np.savez(stem + ".ref.npz", **reference)
    if hasattr(workload.module, "fused_attention"):
        workload.module.fused_attention = False
    torch.onnx.export(workload.module, tuple(workload.inputs.values()),
                      stem + ".onnx", input_names=list(workload.inputs),
                      output_names=workload.outputs, opset_version=17,
                      dynamo=False, do_constant_folding=True)
    simplify(stem + ".onnx")
    write_description(folder, name, list(inputs), workload.outputs,
                      counter.get_total_flops(), moved)


def simplify(path: str) -> None:
    """Folds what the exporter left of shape computations, so that every peer
    gets the same clean graph. Its fusions need newer operator sets."""
    import onnx
    model = onnx.load(path)
    try:
        import onnxsim
        simple, is_equal = onnxsim.simplify(model, perform_optimization=False)
        model = simple if is_equal else model
    except Exception as error:  # The graph as exported works as well.
        print(f"workloads.py: {path}: not simplified: {error}",
              file=sys.stderr)
    onnx.save(onnx.shape_inference.infer_shapes(model), path)


def write_description(folder: pathlib.Path, name: str, inputs: list[str],
                      outputs: list[str], flops: Optional[int], moved: int,
                      **more: str) -> None:
    """Last of all files: a workload is there when this is. `flops` is None
    where nobody counted them."""
    description = dict(name=name, inputs=inputs, outputs=outputs, flops=flops,
                       bytes=moved, **more)
    (folder / f"{name}.json").write_text(json.dumps(description))


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:]:
        if name in SMALL:
            importlib.import_module("small").export(name, folder)
        else:
            export(name, folder)
        print(f"exported {name}", flush=True)


if __name__ == "__main__":
    main()
