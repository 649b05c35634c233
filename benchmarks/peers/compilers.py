# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contestants that have a compiler of their own to run first."""

from __future__ import annotations

import ctypes
import pathlib
import subprocess
import sys
import time
from typing import Any, Callable

from contestants import Model, Session, peer, version

HERE = pathlib.Path(__file__).resolve().parent


def run_command(*command: str) -> None:
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(result.stderr)


def installed_program(name: str) -> str:
    """Of a package of this interpreter."""
    return str(pathlib.Path(sys.executable).parent / name)


def compile_once(output: pathlib.Path, compile_to: Callable[[pathlib.Path],
                                                            str]) -> Session:
    """Makes a file unless an earlier process did. The session has nothing to
    run yet; it knows how long this took, and what the compiler noted."""
    record = output.with_name(output.name + ".seconds")
    if not record.exists():
        output.parent.mkdir(parents=True, exist_ok=True)
        begin = time.perf_counter()
        note = compile_to(output)
        record.write_text(f"{time.perf_counter() - begin} {note}")
    seconds, _, note = record.read_text().partition(" ")
    return Session(lambda: None, lambda: [], "", float(seconds), note)


#===------------------------------------------------------------------------===#
# IREE
#===------------------------------------------------------------------------===#

# Weights of larger models stay outside of the module.
LARGE_MODEL = 300_000_000


def is_large(model: Model) -> bool:
    return pathlib.Path(model.onnx).stat().st_size > LARGE_MODEL


def compile_iree(model: Model, output: pathlib.Path) -> str:
    graph = output.with_suffix(".mlir")
    weights = [
        "--externalize-params", "--save-params-to",
        str(output.with_suffix(".irpa"))
    ] if is_large(model) else []
    run_command(installed_program("iree-import-onnx"), model.onnx, "-o",
                str(graph), *weights)
    failure = ""
    # Not every graph compiles at the highest level.
    for level in ("O3", "O1"):
        try:
            run_command(installed_program("iree-compile"), str(graph), "-o",
                        str(output), "--iree-hal-target-device=local",
                        "--iree-hal-local-target-device-backends=llvm-cpu",
                        "--iree-llvmcpu-target-cpu=host",
                        f"--iree-opt-level={level}", "--iree-opt-data-tiling",
                        "--iree-llvmcpu-stack-allocation-limit=262144")
            graph.unlink()
            return level
        except RuntimeError as error:
            failure = str(error)
    raise RuntimeError(failure)


@peer("iree", "iree.runtime")
def run_iree(model: Model, threads: int) -> Session:
    import iree.runtime as rt
    module = model.scratch / "iree" / f"{model.name}.vmfb"
    session = compile_once(module, lambda output: compile_iree(model, output))
    if threads > 1:
        rt.flags.parse_flags(f"--task_topology_group_count={threads}",
                             "--task_worker_stack_size=1048576")
    config = rt.Config("local-sync" if threads == 1 else "local-task")
    context = rt.SystemContext(config=config)
    if is_large(model):
        index = rt.ParameterIndex()
        index.load(str(module.with_suffix(".irpa")))
        context.add_vm_module(
            rt.create_io_parameters_module(
                config.vm_instance, index.create_provider(scope="model")))
    vm_module = rt.VmModule.mmap(config.vm_instance, str(module))
    context.add_vm_module(vm_module)
    name = next(name for name in vm_module.function_names
                if not name.startswith("__") and not name.endswith("$async"))
    function = vm_module.lookup_function(name)
    inputs = [
        rt.asdevicearray(config.device, array)
        for array in model.inputs.values()
    ]
    results: list[Any] = []

    def run() -> None:
        given = rt.VmVariantList(len(inputs))
        got = rt.VmVariantList(len(model.outputs))
        for array in inputs:
            given.push_ref(array._buffer_view)
        context.vm_context.invoke(function, given, got)
        results[:] = [got]

    def outputs() -> list[Any]:
        views = [
            results[0].get_as_object(i, rt.HalBufferView)
            for i in range(len(model.outputs))
        ]
        return [
            rt.DeviceArray(config.device, view,
                           implicit_host_transfer=True).to_host()
            for view in views
        ]

    session.run, session.outputs = run, outputs
    session.version = version("iree-base-compiler", "iree-base-runtime")
    return session


#===------------------------------------------------------------------------===#
# MNN
#===------------------------------------------------------------------------===#


def compile_mnn(model: Model, output: pathlib.Path) -> str:
    run_command(installed_program("mnnconvert"), "-f", "ONNX", "--modelFile",
                model.onnx, "--MNNModel", str(output), "--bizCode", "x")
    return ""


@peer("mnn", "MNN")
def run_mnn(model: Model, threads: int) -> Session:
    import MNN
    import MNN.expr as expr
    import numpy as np
    path = model.scratch / "mnn" / f"{model.name}.mnn"
    session = compile_once(path, lambda output: compile_mnn(model, output))
    runtime = MNN.nn.create_runtime_manager(({
        "backend": "CPU",
        "precision": "high",
        "numThread": threads,
        "memory": "high"
    }, ))
    net = MNN.nn.load_module_from_file(str(path), list(model.inputs),
                                       model.outputs, runtime_manager=runtime,
                                       shape_mutable=False)
    inputs = []
    for array in model.inputs.values():
        is_integer = array.dtype == np.int64
        inputs.append(
            expr.const(array.astype(np.int32) if is_integer else array,
                       list(array.shape), expr.NCHW,
                       expr.int if is_integer else expr.float))
    results: list[Any] = []

    def run() -> None:
        results[:] = net.forward(inputs)
        for result in results:
            result.ptr  # What is lazy until then is computed.

    session.run = run
    session.outputs = lambda: [
        expr.convert(result, expr.NCHW).read() for result in results
    ]
    session.version = version("mnn")
    return session


#===------------------------------------------------------------------------===#
# TVM, without its tuner
#===------------------------------------------------------------------------===#


@peer("tvm", "onnx", "tvm.relax")
def run_tvm(model: Model, threads: int) -> Session:
    import onnx
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx
    target = tvm.target.Target({
        "kind": "llvm",
        "mcpu": tvm.target.codegen.llvm_get_system_cpu(),
        "num-cores": threads
    })
    module = from_onnx(onnx.load(model.onnx), keep_params_in_input=False)
    with target, tvm.transform.PassContext(opt_level=3):
        module = relax.transform.DecomposeOpsForInference()(module)
        module = relax.get_pipeline("zero")(module)
        executable = tvm.compile(module, target=target)
    function = relax.VirtualMachine(executable, tvm.cpu())["main"]
    inputs = [tvm.runtime.tensor(array) for array in model.inputs.values()]
    results: list[Any] = []

    def run() -> None:
        result = function(*inputs)
        results[:] = [result] if hasattr(result, "numpy") else result

    return Session(run, lambda: [result.numpy() for result in results],
                   version("apache-tvm"))


#===------------------------------------------------------------------------===#
# A loop in plain C
#===------------------------------------------------------------------------===#

LAYER_WEIGHTS = ("q", "k", "v", "o", "gate", "down", "up")


def build_llama_library(folder: pathlib.Path) -> ctypes.CDLL:
    source, library = HERE / "llama2ref.c", folder / "llama2ref.so"
    if not library.exists() or (library.stat().st_mtime <
                                source.stat().st_mtime):
        folder.mkdir(parents=True, exist_ok=True)
        run_command("gcc", "-Ofast", "-march=native", "-fopenmp", "-shared",
                    "-fPIC", str(source), "-o", str(library), "-lm")
    loaded = ctypes.CDLL(str(library))
    for name in ("llama_new", "llama_forward", "llama_kv"):
        getattr(loaded, name).restype = ctypes.c_void_p
    return loaded


def float_array(address: int, shape: tuple[int, ...]) -> Any:
    import numpy as np
    pointer = ctypes.cast(address, ctypes.POINTER(ctypes.c_float))
    return np.ctypeslib.as_array(pointer, shape)


@peer("llama2.c", "torch")
def run_llama_loop(model: Model, threads: int) -> Session:
    """Threads are those of the environment."""
    import llama
    if not model.name.startswith("llama"):
        raise RuntimeError("expected a llama workload, got " + model.name)
    config = llama.config_of(model.name)
    network = model.torch_workload().module
    library = build_llama_library(model.scratch)
    kept: list[Any] = []

    def address(tensor: Any) -> int:
        kept.append(tensor.detach().numpy())
        return kept[-1].ctypes.data

    layers = [
        address(tensor) for block in network.blocks for tensor in
        [*[getattr(block, name).weight for name in LAYER_WEIGHTS],
         block.norm1.weight, block.norm2.weight]
    ]
    sizes = (ctypes.c_int * 6)(config.dim, config.hidden, config.layers,
                               config.heads, config.vocab, config.length)
    handle = ctypes.c_void_p(
        library.llama_new(sizes, ctypes.c_void_p(address(network.embedding)),
                          ctypes.c_void_p(address(network.norm.weight)),
                          (ctypes.c_void_p * len(layers))(*layers)))
    caches = [
        float_array(library.llama_kv(handle, kind),
                    (config.layers, config.length, config.dim))
        for kind in (0, 1)
    ]
    for layer in range(config.layers):
        for kind, letter in enumerate("kv"):
            given = model.inputs[f"{letter}{layer}"].transpose(1, 0, 2)
            caches[kind][layer] = given.reshape(config.length, config.dim)
    token = int(model.inputs["token"][0])
    results: list[Any] = []

    def run() -> None:
        results[:] = [library.llama_forward(handle, token, config.position)]

    def outputs() -> list[Any]:
        arrays = [float_array(results[0], (1, config.vocab))]
        for layer in range(config.layers):
            for cache in caches:
                rows = cache[layer].reshape(config.length, config.heads, -1)
                rows = rows.transpose(1, 0, 2)
                arrays.append(rows if config.returns_caches else
                              rows[:, config.position:config.position + 1])
        assert kept  # The library points into these arrays.
        return arrays

    compiler = subprocess.run(["gcc", "-dumpfullversion"],
                              capture_output=True, text=True)
    return Session(run, outputs, "gcc " + compiler.stdout.strip())
