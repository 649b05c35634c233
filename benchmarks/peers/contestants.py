# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contestants: their interface, and those that run a model in a call or two.

A peer is a function `f(model, threads) -> Session` under @peer. What it does
and the first run count as the time of compilation. Files that it makes go to
`model.scratch`.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.metadata
import json
import os
import pathlib
from typing import Any, Callable, Optional


@dataclasses.dataclass
class Session:
    """A model that is ready to run, its inputs bound."""
    run: Callable[[], Any]  # one whole inference
    # The results of the last run as arrays, in the order of Model.outputs.
    outputs: Callable[[], list[Any]]
    version: str
    # The time of compilation, if the compiled form was in a file already.
    compile_seconds: Optional[float] = None
    note: str = ""


class Model:
    """The files of a workload."""

    def __init__(self, folder: pathlib.Path, name: str,
                 scratch: pathlib.Path) -> None:
        self.folder, self.name, self.scratch = folder, name, scratch
        self.onnx = str(folder / f"{name}.onnx")
        description = json.loads((folder / f"{name}.json").read_text())
        self._input_names = description["inputs"]
        self.outputs: list[str] = description["outputs"]

    @functools.cached_property
    def inputs(self) -> dict[str, Any]:
        import numpy as np
        arrays = np.load(self.folder / f"{self.name}.in.npz")
        return {
            name: np.ascontiguousarray(arrays[name])
            for name in self._input_names
        }

    def reference(self) -> list[Any]:
        import numpy as np
        arrays = np.load(self.folder / f"{self.name}.ref.npz")
        return [arrays[name] for name in self.outputs]

    def torch_workload(self) -> Any:
        import workloads
        return workloads.build(self.name)


Peer = Callable[[Model, int], Session]
PEERS: dict[str, Peer] = {}
# Imported before the clock starts.
IMPORTS: dict[str, list[str]] = {}


def peer(name: str, *imports: str) -> Callable[[Peer], Peer]:

    def register(function: Peer) -> Peer:
        PEERS[name] = function
        IMPORTS[name] = list(imports)
        return function

    return register


def version(*packages: str) -> str:
    return " ".join(f"{package} {importlib.metadata.version(package)}"
                    for package in packages)


def import_peers() -> None:
    importlib.import_module("compilers")


@peer("hamkaas", "hamkaas")
def run_hamkaas(model: Model, threads: int) -> Session:
    import hamkaas
    import numpy as np
    loaded = hamkaas.load(model.onnx, threads=threads)
    outputs = {
        output.name: np.empty(output.shape, output.dtype)
        for output in loaded.outputs
    }
    return Session(lambda: loaded.run(model.inputs, outputs),
                   lambda: [outputs[name] for name in model.outputs],
                   f"hamkaas {hamkaas.__version__}")


@peer("numpy", "onnx.reference")
def run_numpy(model: Model, threads: int) -> Session:
    """Onnx's reference implementation: no rival, but it is easily had."""
    from onnx.reference import ReferenceEvaluator
    evaluator = ReferenceEvaluator(model.onnx)
    results: list[Any] = []

    def run() -> None:
        results[:] = evaluator.run(model.outputs, model.inputs)

    return Session(run, lambda: results, version("onnx", "numpy"))


#===------------------------------------------------------------------------===#
# PyTorch
#===------------------------------------------------------------------------===#


def run_torch(model: Model, threads: int,
              compile_module: Callable[[Any], Any]) -> Session:
    import torch
    torch.set_num_threads(threads)
    workload = model.torch_workload()
    inputs = list(workload.inputs.values())
    results: list[Any] = []
    with torch.inference_mode():
        function = compile_module(workload.module)

    def run() -> None:
        with torch.inference_mode():
            result = function(*inputs)
        results[:] = result if isinstance(result, (tuple, list)) else [result]

    return Session(run, lambda: [result.numpy() for result in results],
                   version("torch"))


@peer("eager", "torch")
def run_eager(model: Model, threads: int) -> Session:
    return run_torch(model, threads, lambda module: module)


@peer("inductor", "torch._inductor.config")
def run_inductor(model: Model, threads: int) -> Session:
    import torch
    import torch._inductor.config as config
    config.freezing = True  # Weights are constants: folded and packed.
    config.force_disable_caches = True  # Seconds of compilation are real.
    return run_torch(
        model, threads, lambda module: torch.compile(
            module, fullgraph=True, dynamic=False))


#===------------------------------------------------------------------------===#
# Runtimes of ONNX models
#===------------------------------------------------------------------------===#


@peer("ort", "onnxruntime")
def run_onnxruntime(model: Model, threads: int) -> Session:
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    session = ort.InferenceSession(model.onnx, options,
                                   providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    kept, outputs = [], []
    for name, array in model.inputs.items():
        kept.append(ort.OrtValue.ortvalue_from_numpy(array))
        binding.bind_ortvalue_input(name, kept[-1])
    for name, array in zip(model.outputs, model.reference()):
        outputs.append(
            ort.OrtValue.ortvalue_from_shape_and_type(array.shape, array.dtype))
        binding.bind_ortvalue_output(name, outputs[-1])
    return Session(lambda: session.run_with_iobinding(binding),
                   lambda: [output.numpy() for output in outputs],
                   version("onnxruntime"))


@peer("openvino", "openvino")
def run_openvino(model: Model, threads: int) -> Session:
    import openvino
    core = openvino.Core()
    compiled = core.compile_model(
        core.read_model(model.onnx), "CPU", {
            "INFERENCE_PRECISION_HINT": "f32",
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
            "EXECUTION_MODE_HINT": "ACCURACY"
        })
    request = compiled.create_infer_request()
    kept = []
    for name, array in model.inputs.items():
        kept.append(openvino.Tensor(array, shared_memory=True))
        request.set_tensor(name, kept[-1])
    return Session(
        request.infer,
        lambda: [request.get_tensor(name).data for name in model.outputs],
        version("openvino"))


@peer("jax")
def run_jax(model: Model, threads: int) -> Session:
    if threads == 1:  # XLA sizes its pools by the CPUs that it may use.
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    import jax
    import numpy as np
    import onnx_jax
    jax.config.update("jax_enable_x64", True)
    function, parameters = onnx_jax.load(model.onnx)
    parameters = jax.device_put(parameters)
    inputs = jax.device_put(model.inputs)
    compiled = jax.jit(function).lower(parameters, inputs).compile()
    results: list[Any] = []

    def run() -> None:
        results[:] = jax.block_until_ready(compiled(parameters, inputs))

    return Session(run, lambda: [np.asarray(result) for result in results],
                   version("jax", "jaxlib"))


@peer("tract", "tract")
def run_tract(model: Model, threads: int) -> Session:
    if threads != 1:
        raise RuntimeError("tract's Python binding runs on one thread")
    import tract
    graph = tract.onnx().load(model.onnx)
    names = [graph.input_name(i) for i in range(graph.input_count())]
    typed = graph.into_model() if hasattr(graph,
                                          "into_model") else graph.into_tract()
    state = typed.into_runnable().spawn_state()
    inputs = [tract.Tensor.from_numpy(model.inputs[name]) for name in names]
    results: list[Any] = []

    def run() -> None:
        results[:] = state.run(inputs)

    return Session(run, lambda: [result.to_numpy() for result in results],
                   version("tract"))
