# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of a compilation."""

from __future__ import annotations

import dataclasses
import inspect
import operator
import os
import re
import textwrap
from typing import Any, Callable, Dict, Optional, TypeVar, Union, cast

from .errors import HamKaasError
from .state import PathLike

# Numbers that C can take.
_LIMITS = {"Bytes": 1 << 64, "Number": 1 << 31}
Bytes = Union[int, str]
Number = int

# As the command line has them.
_UNITS = {"": 0, "KB": 10, "MB": 20, "GB": 30}


# The parts between marks are made from the table of all options,
# include/HamKaas/Options/CompileOptions.td.
_TEXTS = {
    # hamkaas-tblgen begin: python-texts
    "target_cpu":
        "The ISA level, which every machine that runs the program must have; "
        "results are the same bits on all of them. Values: \"host\", "
        "\"x86-64\", \"x86-64-v2\", \"x86-64-v3\", \"x86-64-v4\".",
    "max_workspace":
        "The results between kernels take no more bytes: some are computed "
        "again, not kept; an error if that is not enough. A number, or a text "
        "such as \"4KB\" or \"1GB\"; 0 is no limit.",
    "unchecked":
        "Leave out the checks of positions that are known only at run time.",
    "cache":
        "False: neither take the code from the cache nor leave it there.",
    "compile_threads":
        "Threads to compile on, 0 for one per core; the program does not "
        "depend on it.",
    "target":
        "The devices of the program: the CPU, NVIDIA GPUs, or both in one "
        "file. `cuda-emulation` is for tests of HamKaas. Values: \"cpu\", "
        "\"cuda\", \"cpu,cuda\".",
    "gpu_arch":
        "For `cuda`: the GPU architectures. `compute_80` is PTX for `sm_80` "
        "and newer, which the driver compiles at load. `sm_80,sm_90` is "
        "machine code for these, and PTX of the oldest for all others. It "
        "needs `ptxas` and `fatbinary` of a CUDA toolkit, in `CUDA_PATH`, "
        "`CUDA_HOME`, `PATH` or `/usr/local/cuda`, and at run time a driver "
        "as new as the toolkit.",
    "engine":
        "Groups of operations go to engine libraries, which must be present "
        "when the program is loaded: for `cpu` those of the processor, for "
        "`cuda` and `cpu,cuda` those of GPUs, such as cublaslt.",
    "precision":
        "For `cuda`: the arithmetic of large float32 matmuls and "
        "convolutions: multiply-adds, or tensor cores, which round the "
        "factors to 10, about 21 or 7 fraction bits. For `cpu` alone: `bf16` "
        "rounds the weights of matmuls, for half of their memory. Sums are "
        "float32. Values: \"exact\", \"tf32\", \"3xtf32\", \"bf16\".",
    "external_data_root":
        "ONNX: a folder that symbolic links of external data may lead to. "
        "External data itself is below the folder of the model. Links of a "
        "Hugging Face cache, from snapshots/X to blobs/Y beside it, are "
        "followed in any case.",
    "no_optimize":
        "Skip optimizations of the graph: `fold-constants`, `simplify`, "
        "`raise`, `move-layouts`, `raise-attention`, `fold-affine`, "
        "`use-winograd`, `fuse-calls`, `multiply-integers`. The report says "
        "how many nodes each removed and added. The interpreter of "
        "`hamkaas-run` always runs the graph as it was read.",
    "winograd_error":
        "Largest error of a convolution by Winograd's method, relative to its "
        "largest value. `3e-5` and more allow tiles of 6 x 6; below `7e-7` "
        "the method is off.",
    "graph_passes":
        "Run passes on the optimized graph: an MLIR pipeline, as in the "
        "brackets of `--pass-pipeline` of `mlir-opt`. The graph is verified "
        "afterwards.",
    "check_each_pass":
        "Interpret the graph before and after each pass, and name the first "
        "one that changes what it computes.",
    "debug_info":
        "Add DWARF line tables, so that `perf annotate` and `gdb` show the "
        "lines of the model beside machine code of the processor.",
    "train":
        "Compile a program that trains the model: the functions `train_step`, "
        "`evaluate` and `predict` over one state.",
    "loss":
        "The loss that training minimizes. Values: \"cross_entropy\", "
        "\"mse\", \"l1\", \"bce_with_logits\", \"nll\", \"kl\".",
    "optimizer":
        "The optimizer with its options.",
    "freeze":
        "Do not train the parameters whose names match a glob pattern such as "
        "`encoder.*`.",
    "train_output":
        "The output that the loss takes, if the model has several.",
    "check_nan":
        "End a run in which an operation makes a NaN with an error at its "
        "line. Programs are much slower then: nothing is fused.",
    "engine_path":
        "Search these folders and files for engine libraries in place of the "
        "usual ones, for which an empty entry stands.",
    "choose":
        "For `cpu`: `model` decides without running anything. `measure` times "
        "the engines and knobs that compute a group on this machine, within "
        "60 or SECONDS seconds, and writes the fastest to a choices file.",
    "choices":
        "A choices file, which says what engine computes which group. Equal "
        "files make equal programs, on any machine. `measure` adds to it what "
        "it lacks, and creates it.",
    "verify_engines":
        "Compare what engines compute with the reference interpreter, and "
        "refuse what differs.",
    "context":
        "GGUF: positions that the cache of keys and values has room for, 0 "
        "for those of the model, but 2048 at most.",
    "chunk":
        "GGUF: tokens that `prefill` reads at once, 0 for 64.",
    "quantized_products":
        "For `cpu`: the arithmetic of products with weights of few bits: "
        "those of the float32 numbers that the weights stand for, or of "
        "integers, with the other side rounded to 8 bits and a scale for each "
        "32 numbers. Values: \"exact\", \"int8\".",
    "cache_type":
        "GGUF: the type of the numbers in the cache of keys and values. "
        "Values: \"f32\", \"f16\", \"bf16\", \"int8\".",
    # hamkaas-tblgen end
}

_T = TypeVar("_T")


def describe_options(documented: _T) -> _T:
    """Describes the options, which are parameters of ``documented``, in place of
    "{options}" in its docstring."""
    before, mark, after = (documented.__doc__ or "").partition("{options}")
    if not mark:
        return documented  # There are no docstrings with python -OO.
    indent = before.rpartition("\n")[2]
    parameters = inspect.signature(cast(Callable[..., Any],
                                        documented)).parameters
    entries = [textwrap.fill(f"``{name}``: {_TEXTS[name]}", 80,
                             initial_indent=indent,
                             subsequent_indent=indent + "    ")
               for name in parameters if name in _TEXTS]
    documented.__doc__ = \
        before.removesuffix(indent) + "\n".join(entries) + after
    return documented


@describe_options
@dataclasses.dataclass(frozen=True)
class CompileOptions:
    """The options that `hamkaas.compile`, `hamkaas.load` and
    `hamkaas.onnx.prepare` take as keyword arguments of these names.

    {options}
    """

    # hamkaas-tblgen begin: python-fields
    target_cpu: str = "host"
    max_workspace: Bytes = 0
    unchecked: bool = False
    cache: bool = True
    compile_threads: Number = 0
    target: Optional[str] = None
    gpu_arch: str = "compute_80"
    engine: Optional[str] = None
    precision: str = "exact"
    external_data_root: Optional[PathLike] = None
    no_optimize: Optional[str] = None
    winograd_error: float = 1e-5
    graph_passes: Optional[str] = None
    check_each_pass: bool = False
    debug_info: bool = False
    train: bool = False
    loss: Optional[str] = None
    optimizer: str = "adam"
    freeze: Optional[str] = None
    train_output: Optional[str] = None
    check_nan: bool = False
    engine_path: Optional[str] = None
    choose: Optional[str] = None
    choices: Optional[PathLike] = None
    verify_engines: bool = False
    context: Number = 0
    chunk: Number = 0
    quantized_products: str = "exact"
    cache_type: str = "f32"
    # hamkaas-tblgen end

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            _check(field.name, str(field.type), getattr(self, field.name))

    def _values(self) -> Dict[str, Any]:
        return {
            # hamkaas-tblgen begin: python-native
            "targetCpu": self.target_cpu,
            "maxWorkspace": count_bytes("max_workspace", self.max_workspace),
            "unchecked": self.unchecked,
            "noCache": not self.cache,
            "compileThreads": self.compile_threads,
            "target": self.target,
            "gpuArch": self.gpu_arch,
            "engine": self.engine,
            "precision": self.precision,
            "externalDataRoot": encode_path(self.external_data_root),
            "noOptimize": self.no_optimize,
            "winogradError": self.winograd_error or 5e-324,
            "graphPasses": self.graph_passes,
            "checkEachPass": self.check_each_pass,
            "debugInfo": self.debug_info,
            "train": self.train,
            "loss": self.loss,
            "optimizer": self.optimizer,
            "freeze": self.freeze,
            "trainOutput": self.train_output,
            "checkNan": self.check_nan,
            "enginePath": self.engine_path,
            "choose": self.choose,
            "choices": encode_path(self.choices),
            "verifyEngines": self.verify_engines,
            "context": self.context,
            "chunk": self.chunk,
            "quantizedProducts": self.quantized_products,
            "cacheType": self.cache_type,
            # hamkaas-tblgen end
        }

    def as_native(self) -> Dict[str, Any]:
        """The values that are not the defaults, by their names in C."""
        defaults = CompileOptions()._values()
        return {name: value for name, value in self._values().items()
                if value != defaults[name]}


def make_write_options(values: Dict[str, Any]) -> Dict[str, Any]:
    """Those of ``values``, by their names in C, that are given."""
    for name, value in values.items():
        _check(name, "Optional[str]", value)
    return {name: value for name, value in values.items() if value is not None}


def check_text(what: str, value: object) -> None:
    """Raises a TypeError unless ``value`` is a text."""
    if not isinstance(value, str):
        raise TypeError(f"expected {what} to be a text, got {value!r}")


def check_number(what: str, value: Any, limit: int) -> None:
    """Raises a TypeError unless ``value`` is a whole number.

    HamKaasError unless it is from 0 to ``limit - 1``, which C can take.
    """
    if not hasattr(value, "__index__"):
        raise TypeError(f"expected {what} to be a whole number, got {value!r}")
    if not 0 <= operator.index(value) < limit:
        raise HamKaasError(
            f"expected {what} to be from 0 to {limit - 1}, got {value}")


def count_bytes(name: str, value: Union[int, str]) -> int:
    """A number of bytes, of a number or of a text such as "4KB"."""
    if not isinstance(value, str):
        return value
    match = re.fullmatch("([0-9]{1,20})([KMGkmg][Bb]|)", value)
    count = int(match[1]) << _UNITS[match[2].upper()] if match else 0
    if not 0 < count < 1 << 63:
        raise HamKaasError(f"expected {name} to be a number of bytes such as "
                           f"4096, 64KB or 2MB, got {value!r:.100}")
    return count


def _check(name: str, type_name: str, value: Any) -> None:
    if value is None and type_name.startswith("Optional"):
        return
    if type_name in ("str", "Optional[str]"):
        check_text(name, value)
        if "\0" in value:
            raise HamKaasError(f"expected {name} without zero bytes, got one")
    elif type_name == "Bytes" and isinstance(value, str):
        count_bytes(name, value)
    elif type_name in _LIMITS:
        check_number(name, value, _LIMITS[type_name])
    elif type_name == "float" and not isinstance(value, (int, float)):
        raise TypeError(f"expected {name} to be a number, got {value!r}")
    elif type_name == "bool" and not isinstance(value, bool):
        raise TypeError(
            f"expected {name} to be True or False, got {value!r}")


def encode_path(path: Optional[PathLike]) -> Optional[bytes]:
    """The bytes of a path for C."""
    return None if path is None else os.fsencode(path)
