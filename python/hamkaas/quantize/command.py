# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of hamkaas-quantize."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import Any, Dict, NoReturn, Optional, Sequence, Tuple

import numpy as np

from .. import __version__
from ..errors import HamKaasError
from ..tables import format_bytes, format_count
from . import BLOCKS, MIN_ELEMENTS, compare, is_safetensors, quantize
from .report import Layer, OutputErrors, Report
from .rounding import Errors

__all__ = ["main"]

_DESCRIPTION = """\
Makes weights narrow: 4 or 8 bits a number, rounded to nearest, with a scale
for each block of numbers. Prints the error of each weight, and that of a
model's outputs.

  hamkaas-quantize model.onnx -o small.onnx
  hamkaas-quantize model.onnx -o small.onnx --bits=8
  hamkaas-quantize model.onnx -o small.onnx --keep='*lm_head*' --dim=batch=1
  hamkaas-quantize weights.safetensors -o weights.gguf

That of an ONNX model is one, for HamKaas and ONNX Runtime. MatMul and Gemm with
constant right sides become MatMulNBits, Gather from a constant table becomes
GatherBlockQuantized; all else stays as it is. Then compile or run it:

  hamkaas-run small.onnx --input x=x.npy
  hamkaas-run small.onnx --input x=x.npy --quantized-products=int8

That of a safetensors file is a GGUF file with the same names. Matrices are in
blocks of 32 numbers along their rows, in the formats q4_0, q4_1 (--asymmetric)
or q8_0 (--bits=8); all else stays as it is. A script or a graph has each as a
parameter of its bytes, and decodes it by dequantize_blocks. A script becomes
such a one by itself, with its weights in small.gguf:

  hamkaas-quantize model.hk --weights weights.safetensors -o small.hk
  hamkaas-run small.hk --weights small.gguf --input x=x.npy
"""

_EPILOG = """\
relative error: the root of the sum of squared errors, divided by that of the
squared numbers. largest error: that of one number, as a part of the largest
number.

Too large an error? Give --bits=8, a smaller --block, --asymmetric, or --keep
for the layers that matter most, often the first and the last.
"""


def main(arguments: Optional[Sequence[str]] = None) -> NoReturn:
    """Ends the process with 0, or with 1 and a message."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    try:
        _run(_parse(arguments))
        sys.stdout.flush()
    except HamKaasError as error:
        _fail(str(error))
    except BrokenPipeError:
        _drop_output()
        _end_by(signal.SIGPIPE)
    except OSError as error:
        _drop_output()
        _fail(f"cannot write the report: {error.strerror}")
    except _Interrupted as interrupted:
        _end_by(interrupted.number)
    sys.exit(0)


class _Interrupted(BaseException):
    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _interrupt(number: int, frame: object) -> NoReturn:
    raise _Interrupted(number)


def _end_by(number: int) -> NoReturn:
    """Ends the process as the signal does, after files were cleaned up."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    sys.exit(128 + number)


def _drop_output() -> None:
    """Lets no later write to standard output fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(text: str) -> NoReturn:
    sys.stdout.flush()
    print(f"hamkaas-quantize: error: {text}", file=sys.stderr)
    sys.exit(1)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        _fail(f"{message}; see hamkaas-quantize --help")


def _parse(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = _Parser(
        prog="hamkaas-quantize", description=_DESCRIPTION, epilog=_EPILOG,
        usage="hamkaas-quantize MODEL -o OUT [options]", allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("model", metavar="MODEL", help="an ONNX file, its external data beside "
        "it, a safetensors file, or a script with --weights")
    add("-o", dest="output", metavar="OUT", required=True,
        help="the file to write; an old one is replaced")
    add("--weights", metavar="F.safetensors",
        help="the weights of a script; the new ones are written beside OUT, "
        "with the ending .gguf")
    add("--bits", type=int, choices=(4, 8), default=4,
        help="bits of a number (default: 4)")
    add("--block", type=int, choices=BLOCKS, default=32,
        help="numbers with one scale: a smaller block has a smaller error and "
        "more scales (default: 32)")
    add("--asymmetric", action="store_true",
        help="a zero point for each block, too: a smaller error for numbers "
        "that are not around 0; kernels of HamKaas take more memory for them")
    add("--embedding-bits", type=int, choices=(0, 4, 8), metavar="{0,4,8}",
        help="bits of the tables of Gather, 0 to leave them (default: those "
        "of --bits)")
    add("--keep", action="append", default=[], metavar="PATTERN",
        help="leave weights whose name, or whose node's name, matches a glob "
        "pattern such as '*lm_head*'; may be given several times")
    add("--min-elements", type=_count, default=MIN_ELEMENTS, metavar="N",
        help=f"leave weights of fewer numbers (default: {MIN_ELEMENTS})")
    add("--external-data", action="store_true",
        help="write the weights to OUT.data, as is done for models with "
        "external data")
    add("--input", action="append", default=[], metavar="NAME=F.npy|random|"
        "zeros", help="an input to compare the outputs on; by default random: "
        "floats from -1 to 1, integers and bool 0 or 1")
    add("--dim", action="append", default=[], metavar="NAME=N",
        help="the size of a dimension of the inputs that has a name")
    add("--seed", type=_count, default=0, metavar="N",
        help="seed of random inputs (default: 0)")
    add("--threads", type=_count, default=0, metavar="N",
        help="threads to run the models on, 0 for one per core (default: 0)")
    add("--no-compare", action="store_true",
        help="do not run the models to compare their outputs")
    add("--version", action="version", version=f"HamKaas {__version__}")
    return parser.parse_args(arguments)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(
            f"expected a number of 0 or more, got '{text}'")
    return int(text)


def _split(option: str, text: str) -> Tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals or not value:
        raise HamKaasError(f"--{option}: expected NAME=VALUE, got '{text}'")
    return name, value


def _read_inputs(texts: Sequence[str]) -> Dict[str, Any]:
    inputs: Dict[str, Any] = {}
    for text in texts:
        name, value = _split("input", text)
        if name in inputs:
            raise HamKaasError(f"--input: '{name}' is given twice")
        if value == "random":
            continue
        inputs[name] = None if value == "zeros" else _read_array(value)
    return inputs


def _read_array(path: str) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except OSError as error:
        raise HamKaasError(f"cannot read '{path}': {error.strerror}") from None
    except (ValueError, EOFError) as error:
        raise HamKaasError(f"{path}: expected an npy file: {error}") from None


def _read_dims(texts: Sequence[str]) -> Dict[str, int]:
    dims = {}
    for text in texts:
        name, value = _split("dim", text)
        if not value.isascii() or not value.isdigit() or int(value) == 0:
            raise HamKaasError(f"--dim: expected a size of 1 or more for "
                               f"'{name}', got '{value}'")
        dims[name] = int(value)
    return dims


def _run(options: argparse.Namespace) -> None:
    inputs, dims = _read_inputs(options.input), _read_dims(options.dim)
    is_model = options.weights is not None or \
        not is_safetensors(options.model)
    if (inputs or dims) and not is_model:
        raise HamKaasError("--input and --dim are for models, got a "
                           "safetensors file")
    report = quantize(
        options.model, options.output, bits=options.bits, block=options.block,
        asymmetric=options.asymmetric, embedding_bits=options.embedding_bits,
        keep=options.keep, min_elements=options.min_elements,
        external_data=options.external_data, weights=options.weights,
        on_layer=_Table().add)
    _print_rest(options.output, report)
    if options.no_compare or not is_model:
        return
    sys.stdout.flush()
    try:
        found = compare(options.model, options.output,
                        weights=options.weights, inputs=inputs, dims=dims,
                        seed=options.seed, threads=options.threads)
    except HamKaasError as error:
        text = f"the outputs were not compared: {error}"
        if options.input:
            raise HamKaasError(text) from None
        print(f"hamkaas-quantize: warning: {text}", file=sys.stderr)
        return
    _print_outputs(found, options)


def _print_row(*cells: str) -> None:
    # The last is a name, of any length.
    widths = (9, 9, 8, 19, 12, 0)
    print("  ".join(cell.rjust(width) for cell, width in zip(cells, widths)))


class _Table:
    """The rows of narrow weights, as they come."""

    _has_head = False

    def add(self, layer: Layer) -> None:
        if not self._has_head:
            _print_row("relative", "largest", "format", "size", "shape",
                       "weight")
        self._has_head = True
        _print_layer(layer)


def _print_layer(layer: Layer) -> None:
    _print_row(*_describe(layer.errors), layer.format,
               f"{format_bytes(layer.before)} -> {format_bytes(layer.after)}",
               "x".join(map(str, layer.shape)), layer.label)


def _describe(errors: Errors) -> Tuple[str, str]:
    largest = errors.largest / errors.greatest if errors.greatest else 0
    return f"{errors.relative:.3%}", f"{largest:.3%}"


def _print_rest(output: str, report: Report) -> None:
    print()
    for name, reason in report.left:
        print(f"left: '{name}' {reason}")
    if report.small:
        print(f"left: {format_count(report.small, 'weight')} of too few "
              "numbers (--min-elements)")
    print(f"{output}: {format_count(len(report.layers), 'narrow weight')}, "
          f"{format_bytes(report.before)} -> {format_bytes(report.after)}")


def _print_outputs(found: Sequence[OutputErrors],
                   options: argparse.Namespace) -> None:
    given = "the given inputs" if options.input else "random inputs"
    print(f"\noutputs beside those of {options.model}, on {given}, "
          f"seed {options.seed}:")
    _print_row("relative", "largest", "products", "output")
    for output in found:
        _print_row(*_describe(output.errors), output.arithmetic, output.name)
