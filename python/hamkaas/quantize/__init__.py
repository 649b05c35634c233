# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of 4 and 8 bits, made of weights that are floats.

The program ``hamkaas-quantize`` is this module: ``python -m hamkaas.quantize
--help``. It needs the package onnx for ONNX models, and the packages gguf and
safetensors for files of weights.
"""

from __future__ import annotations

import fnmatch
import os
from importlib import import_module
from typing import Any, Callable, List, Mapping, Optional, Sequence

from ..errors import HamKaasError
from ..state import PathLike
from .compare import ModelFile, Runs, compare_models
from .files import cannot_read
from .report import Layer, OutputErrors, Report
from .rounding import Errors, Rounding

__all__ = ["Errors", "Layer", "OutputErrors", "Report", "compare",
           "quantize"]

BLOCKS = (16, 32, 64, 128, 256)

MIN_ELEMENTS = 16384
"""64 KB of float32. A transformer's smaller tensors are its norms and biases,
under one percent of it."""


def quantize(source: PathLike, output: PathLike, *, bits: int = 4,
             block: int = 32, asymmetric: bool = False,
             embedding_bits: Optional[int] = None,
             keep: Sequence[str] = (), min_elements: int = MIN_ELEMENTS,
             external_data: bool = False,
             weights: Optional[PathLike] = None,
             on_layer: Optional[Callable[[Layer], None]] = None) -> Report:
    """Writes ``source`` to ``output`` with narrow weights.

    An ONNX model stays one. A safetensors file becomes a GGUF file, whose
    matrices have blocks of 32 numbers along their rows. A script whose weights
    are the safetensors file ``weights`` becomes one that decodes those of a
    GGUF file, which is ``output`` with the ending ``.gguf``.

    In a model, constant right sides of MatMul and Gemm, and the tables of Gather, become
    codes of ``bits`` bits, 4 or 8, with a scale for each ``block`` numbers, and
    a zero point if ``asymmetric``. ``embedding_bits`` are those of tables, 0 to
    leave them. Weights of fewer than ``min_elements`` numbers stay, and those
    that match one of the patterns ``keep`` by their name or that of their node.

    ``external_data`` writes weights to ``output`` + ".data", as happens to
    models that have such data. ``on_layer`` is called for each narrow weight.

    The report has the error of each weight; `compare` finds those of outputs.

    >>> report = quantize("model.onnx", "small.onnx")    # doctest: +SKIP
    >>> report.layers[0].errors.relative                 # doctest: +SKIP
    0.088
    """
    tables = bits if embedding_bits is None else embedding_bits
    _check("bits", bits, (4, 8))
    _check("embedding_bits", tables, (0, 4, 8))
    _check("block", block, BLOCKS)
    report = Report(on_layer=on_layer)
    if weights is not None or is_safetensors(source):
        if block != 32 or embedding_bits is not None or external_data or \
                (bits, asymmetric) == (8, True):
            raise HamKaasError(
                "a safetensors file becomes a GGUF file: expected blocks of "
                "32, 4 bits or 8 bits that are not asymmetric, no bits of "
                "embeddings and no external data")
        files = _import("weights", ("gguf", "safetensors"))
        blocks = files.Choice(files.FORMATS[bits, asymmetric], min_elements,
                              lambda name: _find_pattern(keep, (name,)))
        if weights is None:
            _check_output(output, [source])
            files.narrow_weights(source, output, blocks, report)
            return _add_sizes(report, [source], [output])
        sources, outputs = (source, weights), (output, weights_beside(output))
        for path in outputs:
            _check_output(path, sources)
        scripts = _import("scripts", ())
        scripts.narrow_script(source, weights, *outputs, blocks, report)
        return _add_sizes(report, sources, outputs)
    models = _import("onnx_models", ("onnx",))
    model = models.read_model(source)
    data = models.external_files(model, source)
    written = [os.fspath(output)]
    if external_data or data:
        written.append(written[0] + ".data")
    for path in written:
        _check_output(path, [source, *data])
    models.narrow_model(model, source, output, models.Choice(
        Rounding(bits, block, asymmetric),
        Rounding(tables, block, asymmetric) if tables else None,
        min_elements, lambda *names: _find_pattern(keep, names)),
        external_data or bool(data), report)
    return _add_sizes(report, [source, *data], written)


def weights_beside(script: PathLike) -> str:
    """The file of the weights of a narrow script."""
    path = os.path.splitext(os.fspath(script))[0] + ".gguf"
    if path == os.fspath(script):
        raise HamKaasError(f"expected a script to write, such as model.hk, got "
                           f"'{path}'")
    return path


def compare(source: PathLike, narrow: PathLike, *,
            weights: Optional[PathLike] = None,
            inputs: Optional[Mapping[str, Any]] = None,
            dims: Optional[Mapping[str, int]] = None, seed: int = 0,
            threads: int = 0) -> List[OutputErrors]:
    """Runs a model and the one that `quantize` made of it.

    ``weights`` are those of a script, as for `quantize`.
    Gives the errors of each output, for each arithmetic of the option
    ``quantized_products``. ``inputs`` are arrays by name, None for zeros; the
    others are random numbers from ``seed``: floats from -1 to 1, integers and
    bool 0 or 1. ``dims`` are the sizes of named dimensions.
    """
    runs = Runs(dict(inputs or {}), dict(dims or {}), seed, threads)
    if weights is None:
        return compare_models(ModelFile(source), ModelFile(narrow), runs)
    return compare_models(ModelFile(source, weights), ModelFile(
        narrow, weights_beside(narrow)), runs)


def _check(name: str, value: int, allowed: Sequence[int]) -> None:
    if value not in allowed:
        raise HamKaasError(f"expected '{name}' to be one of "
                           f"{', '.join(map(str, allowed))}, got {value}")


def _find_pattern(patterns: Sequence[str], names: Sequence[str]) \
        -> Optional[str]:
    return next((pattern for pattern in patterns for name in names
                 if fnmatch.fnmatchcase(name, pattern)), None)


def _import(module: str, packages: Sequence[str]) -> Any:
    for package in packages:
        try:
            import_module(package)
        except ImportError:
            raise HamKaasError(
                f"this kind of file needs the package {package}: pip install "
                f"{' '.join(packages)}") from None
    return import_module(f".{module}", __name__)


def is_safetensors(path: PathLike) -> bool:
    """By the contents: the size of a header of JSON, and its beginning."""
    try:
        with open(path, "rb") as file:
            begin = file.read(9)
    except OSError as error:
        raise cannot_read(path, error) from None
    return len(begin) == 9 and begin[8:] == b"{" and begin[5:8] == bytes(3)


def _check_output(path: PathLike, sources: Sequence[PathLike]) -> None:
    if os.path.realpath(path) in map(os.path.realpath, sources):
        raise HamKaasError("expected another file than those that are read, "
                           f"got '{os.fspath(path)}' to write")


def _add_sizes(report: Report, sources: Sequence[PathLike],
               written: Sequence[PathLike]) -> Report:
    report.before = sum(map(os.path.getsize, sources))
    report.after = sum(map(os.path.getsize, written))
    return report
