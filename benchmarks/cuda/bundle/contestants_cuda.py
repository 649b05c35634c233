# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures a peer: `contestants_cuda.py PEER DEVICE SECONDS WORKLOAD...`.

Writes a line of JSON for each workload with the median in microseconds. The
modules come from workloads/workloads.py, the same that the models were exported
from.
"""

import json
import pathlib
import statistics
import sys
import tempfile
import time

WORKLOADS = pathlib.Path(__file__).resolve().parent / "workloads"
sys.path.insert(0, str(WORKLOADS))
WARM_UP_RUNS = 5
LEAST_RUNS = 20
INPUT_SETS = 4


def measure(run, prepare, seconds):
    """`prepare(i)` makes the inputs of a run ready and is not measured."""
    times = []
    for i in range(WARM_UP_RUNS):
        prepare(i)
        run()
    begin = time.perf_counter()
    while len(times) < LEAST_RUNS or time.perf_counter() - begin < seconds:
        prepare(len(times))
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return {"median_us": 1e6 * statistics.median(times),
            "least_us": 1e6 * min(times), "runs": len(times)}


def make_variants(tensors):
    """Sets of inputs with other values of the floats."""
    import torch
    return [[torch.roll(tensor, i) if tensor.is_floating_point() else tensor
             for tensor in tensors] for i in range(INPUT_SETS)]


#===------------------------------------------------------------------------===#
# PyTorch
#===------------------------------------------------------------------------===#


def measure_torch(name, device, seconds, compile_module, tf32=False):
    import torch
    import workloads
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.backends.cudnn.allow_tf32 = tf32
    workload = workloads.build(name)
    module = workload.module.to(device)
    inputs = [tensor.to(device) for tensor in workload.inputs.values()]
    variants = make_variants(inputs)
    synchronize = (torch.cuda.synchronize if device.startswith("cuda")
                   else lambda: None)
    with torch.inference_mode():
        function = compile_module(module)
        run = capture(function, inputs, device)

        def prepare(i):
            for own, other in zip(inputs, variants[i % INPUT_SETS]):
                own.copy_(other)
            synchronize()

        def run_and_wait():
            run()
            synchronize()

        result = measure(run_and_wait, prepare, seconds)
        if device.startswith("cuda"):
            result["kernels_us"] = measure_on_gpu(run)
        return result


def measure_on_gpu(run):
    """By the GPU's clock, without the host's part: the GPU is kept busy until
    all of a run waits for it."""
    import torch
    times = []
    for _ in range(LEAST_RUNS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(100_000)
        begin.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(1e3 * begin.elapsed_time(end))
    return statistics.median(times)


def capture(function, inputs, device):
    """The function as a graph of CUDA, where it can be recorded."""
    import torch

    def run():
        function(*inputs)

    if not device.startswith("cuda"):
        return run
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def measure_eager(name, device, seconds):
    return measure_torch(name, device, seconds, lambda module: module)


def measure_tf32(name, device, seconds):
    """As `--precision=tf32` computes."""
    return measure_torch(name, device, seconds, lambda module: module,
                         tf32=True)


def measure_bf16(name, device, seconds):
    """As `--precision=bf16` computes: float32 in memory, products of bfloat16.
    """
    import torch

    def compile_module(module):

        def run(*inputs):
            with torch.autocast(torch.device(device).type, torch.bfloat16):
                return module(*inputs)

        return run

    return measure_torch(name, device, seconds, compile_module)


def measure_inductor(name, device, seconds):
    import torch
    import torch._inductor.config as config
    config.freezing = True
    return measure_torch(
        name, device, seconds, lambda module: torch.compile(
            module, mode="max-autotune-no-cudagraphs"))


#===------------------------------------------------------------------------===#
# From ONNX
#===------------------------------------------------------------------------===#


def export(name, folder):
    import workloads
    workloads.export(name, folder)
    return str(folder / f"{name}.onnx")


def measure_ort(name, device, seconds):
    import numpy as np
    import onnxruntime
    provider = ("CUDAExecutionProvider" if device.startswith("cuda")
                else "CPUExecutionProvider")
    if provider not in onnxruntime.get_available_providers():
        raise RuntimeError(f"this onnxruntime has no {provider}")
    with tempfile.TemporaryDirectory() as scratch:
        model = export(name, pathlib.Path(scratch))
        arrays = np.load(pathlib.Path(scratch) / f"{name}.in.npz")
        options = {"use_tf32": 0} if device.startswith("cuda") else {}
        session = onnxruntime.InferenceSession(model,
                                               providers=[(provider, options)])
    place = device.partition(":")[0]
    binding = session.io_binding()
    given = {}
    for argument in session.get_inputs():
        given[argument.name] = onnxruntime.OrtValue.ortvalue_from_numpy(
            arrays[argument.name], place, 0)
        binding.bind_ortvalue_input(argument.name, given[argument.name])
    for result in session.get_outputs():
        binding.bind_output(result.name, place)

    def prepare(i):
        for key, value in given.items():
            array = arrays[key]
            if array.dtype.kind == "f":
                array = np.roll(array, i % INPUT_SETS)
            value.update_inplace(np.ascontiguousarray(array))

    def run():
        session.run_with_iobinding(binding)
        binding.synchronize_outputs()

    return measure(run, prepare, seconds)


def measure_jax(name, device, seconds):
    import jax
    import numpy as np
    import onnx_jax
    platform = "gpu" if device.startswith("cuda") else "cpu"
    place = jax.devices(platform)[0]
    jax.config.update("jax_default_matmul_precision", "highest")
    with tempfile.TemporaryDirectory() as scratch:
        model = export(name, pathlib.Path(scratch))
        arrays = dict(np.load(pathlib.Path(scratch) / f"{name}.in.npz"))
        function, parameters = onnx_jax.load(model)
    parameters = jax.device_put(parameters, place)
    compiled = jax.jit(function)
    variants = [{key: jax.device_put(
        np.roll(array, i) if array.dtype.kind == "f" else array, place)
        for key, array in arrays.items()} for i in range(INPUT_SETS)]
    chosen = [variants[0]]

    def prepare(i):
        chosen[0] = variants[i % INPUT_SETS]

    def run():
        jax.block_until_ready(compiled(parameters, chosen[0]))

    return measure(run, prepare, seconds)


#===------------------------------------------------------------------------===#
# cuBLASLt
#===------------------------------------------------------------------------===#


def measure_cublaslt(name, device, seconds):
    """Products of float32 matrices: by PyTorch, told to use that library."""
    if not name.startswith("sgemm_"):
        raise RuntimeError("expected a product of matrices")
    import torch
    if not device.startswith("cuda"):
        raise RuntimeError("expected a GPU")
    torch.backends.cuda.preferred_blas_library("cublaslt")
    return measure_eager(name, device, seconds)


CONTESTANTS = {"eager": measure_eager, "tf32": measure_tf32,
               "bf16": measure_bf16, "inductor": measure_inductor,
               "ort": measure_ort, "jax": measure_jax,
               "cublaslt": measure_cublaslt}


def main():
    peer, device, seconds, *names = sys.argv[1:]
    for name in names:
        try:
            result = CONTESTANTS[peer](name, device, float(seconds))
        except Exception as error:  # It is the parent that reports it.
            result = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"workload": name, **result}), flush=True)


main()
