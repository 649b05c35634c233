# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs real ONNX models and compares with their expected outputs.

A folder of models has NAME/model.onnx, NAME/io.npz (in_0, ..., out_0, ...) and
NAME/meta.json for each, or NAME.onnx, NAME.in.npz, NAME.ref.npz and NAME.json.
Without --folder, the folders are those of the environment variable
HAMKAAS_MODELS; or they are fetched by $HAMKAAS_SHARED/models/fetch.py.

Each output must agree within 1e-4 of its largest magnitude; integers exactly.
Where all of an output is small, the rounding of who computed the expected one
may be more than that: "noise" of meta.json is by how much two of its own ways
differ, and as much is allowed.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from case_pool import Outcome, RunCase, run_cases

TOLERANCE = 1e-4


@dataclasses.dataclass
class RealModel:
    """A model with inputs and what it makes of them."""

    name: str
    path: pathlib.Path
    inputs: List[np.ndarray]
    outputs: List[np.ndarray]
    constants: Dict[str, np.ndarray]
    """Values of inputs that decide about shapes; not among ``inputs``."""
    noise: float = 0.0
    """By how much ``outputs`` may be off themselves."""


#===------------------------------------------------------------------------===#
# Finding models
#===------------------------------------------------------------------------===#


def _numbered(arrays: Mapping[str, np.ndarray], prefix: str) \
        -> List[np.ndarray]:
    count = sum(name.startswith(prefix) for name in arrays)
    return [arrays[f"{prefix}{i}"] for i in range(count)]


def _read_shipped(folder: pathlib.Path, form: str) -> RealModel:
    meta = json.loads((folder / "meta.json").read_text())
    arrays = np.load(folder / "io.npz")
    given = dict(zip(meta["input_names"], _numbered(arrays, "in_")))
    constants = {name: given.pop(name) for name in meta.get("const", [])}
    is_static = form == "static"
    return RealModel(
        f"{folder.name}{'.static' if is_static else ''}",
        folder / ("model.static.onnx" if is_static else "model.onnx"),
        list(given.values()), _numbered(arrays, "out_"),
        {} if is_static else constants, meta.get("noise") or 0.0)


def _read_workload(path: pathlib.Path) -> RealModel:
    names = json.loads(path.with_suffix(".json").read_text())
    inputs = np.load(path.with_suffix(".in.npz"))
    outputs = np.load(path.with_suffix(".ref.npz"))
    return RealModel(path.stem, path, [inputs[name] for name in names["inputs"]],
                     [outputs[name] for name in names["outputs"]], {})


def find_models(folder: pathlib.Path, form: str) -> Iterator[RealModel]:
    """All models in the folder."""
    for meta in sorted(folder.glob("*/meta.json")):
        if (meta.parent / "io.npz").exists():
            yield _read_shipped(meta.parent, form)
    for path in sorted(folder.glob("*.onnx"), key=lambda p: p.stat().st_size):
        yield _read_workload(path)


def fetch(folder: pathlib.Path) -> None:
    """Fetches the shipped models by the program of the shared folder."""
    shared = os.environ.get("HAMKAAS_SHARED")
    if not shared:
        raise SystemExit("expected --folder, or one of the environment "
                         "variables HAMKAAS_MODELS and HAMKAAS_SHARED")
    subprocess.run([sys.executable, f"{shared}/models/fetch.py", "--out",
                    str(folder)], check=True)


#===------------------------------------------------------------------------===#
# Running them
#===------------------------------------------------------------------------===#


def find_difference(expected: Sequence[np.ndarray],
                    found: Sequence[np.ndarray],
                    noise: float = 0.0) -> Tuple[float, str]:
    """The largest difference relative to its output's magnitude, and what is
    wrong, or "". Floats that differ by ``noise`` at most are right.

    >>> one = np.float32([1, 2])
    >>> find_difference([one], [one])
    (0.0, '')
    >>> find_difference([one], [one + 1])
    (0.5, 'output 0 differs by 0.5 of its largest magnitude')
    >>> find_difference([one], [one + 1], noise=1)
    (0.5, '')
    >>> find_difference([np.int64([2])], [np.int64([1])], noise=1)
    (0.5, 'output 0 differs by 0.5 of its largest magnitude')
    """
    if len(expected) != len(found):
        return 0.0, f"expected {len(expected)} outputs, got {len(found)}"
    largest = 0.0
    for i, (wanted, value) in enumerate(zip(expected, found)):
        if (wanted.dtype, wanted.shape) != (value.dtype, value.shape):
            return largest, (f"output {i}: expected {wanted.dtype} "
                             f"{list(wanted.shape)}, got {value.dtype} "
                             f"{list(value.shape)}")
        difference, scale = _measure(wanted, value)
        relative = _divide(difference, scale)
        largest = max(largest, relative)
        is_float = wanted.dtype.kind == "f"
        if difference > (max(TOLERANCE * scale, noise) if is_float else 0):
            return largest, (f"output {i} differs by {relative:.2g} of its "
                             "largest magnitude")
    return largest, ""


def _measure(expected: np.ndarray, found: np.ndarray) -> Tuple[float, float]:
    """The largest difference, and the largest magnitude that is expected."""
    wanted, value = expected.astype("float64"), found.astype("float64")
    scale = float(np.max(np.abs(wanted), initial=0.0, where=np.isfinite(wanted)))
    is_same = (wanted == value) | (np.isnan(wanted) & np.isnan(value))
    if is_same.all():
        return 0.0, scale
    with np.errstate(invalid="ignore"):
        difference = float(np.max(np.abs(wanted - value)[~is_same]))
    # An infinity or a NaN that only one of them has.
    return (difference if np.isfinite(difference) else float("inf")), scale


def _divide(difference: float, scale: float) -> float:
    if scale:
        return difference / scale
    return float("inf") if difference else 0.0


def describe(model: Any, seconds: float, relative: float) -> str:
    """Numbers about a model that gave the right outputs."""
    report = model.report.json()
    workspace = report["memory"]["workspace"]
    bound = report["memory"]["workspaceLowerBound"]
    return (f"compiled in {seconds:.2f} s, differs by {relative:.1e}, " +
            (f"workspace {workspace} bytes, {workspace / bound:.3f} of the "
             "lower bound" if bound else "no workspace"))


def make_run(models: Sequence[RealModel], device: str,
             repeat: int) -> RunCase:
    """A function that runs the model of a number."""
    import hamkaas
    import hamkaas.onnx

    def run_model(number: int) -> Outcome:
        real = models[number]
        start = time.perf_counter()
        try:
            prepared = hamkaas.onnx.prepare(real.path, device,
                                            const_inputs=real.constants)
            outputs = prepared(real.inputs)
        except hamkaas.UnsupportedError as error:
            return "refused", str(error)
        except Exception as error:
            return "crashed", f"{type(error).__name__}: {error}"
        compiled = time.perf_counter() - start
        relative, problem = find_difference(real.outputs, outputs,
                                            real.noise)
        if problem:
            return "wrong", problem
        text = describe(prepared.model, compiled, relative)
        times = [_time(prepared, real.inputs) for _ in range(repeat)]
        return "passed", text + (f", runs in {min(times) * 1e3:.3f} ms"
                                 if times else "")

    return run_model


def _time(prepared: Any, inputs: Sequence[np.ndarray]) -> float:
    start = time.perf_counter()
    prepared(inputs)
    return time.perf_counter() - start


#===------------------------------------------------------------------------===#
# The program
#===------------------------------------------------------------------------===#


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, action="append",
                        metavar="FOLDER", help="a folder of models")
    parser.add_argument("--form", choices=["shipped", "static"],
                        default="shipped",
                        help="model.onnx, or model.static.onnx with all shapes")
    parser.add_argument("--only", metavar="NAME,...", default="")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--repeat", type=int, default=3, metavar="N",
                        help="runs whose shortest time is told")
    parser.add_argument("--timeout", type=float, default=300, metavar="S",
                        help="seconds for one model (default: %(default)g)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="write the outcome of each model")
    return parser.parse_args()


def find_folders(given: Optional[List[pathlib.Path]]) -> List[pathlib.Path]:
    """The folders asked for."""
    if given:
        return given
    if "HAMKAAS_MODELS" in os.environ:
        return [pathlib.Path(folder) for folder in
                os.environ["HAMKAAS_MODELS"].split(os.pathsep)]
    folder = pathlib.Path("build/onnx-models")
    fetch(folder)
    return [folder]


def main() -> int:
    arguments = parse_arguments()
    models = [model for folder in find_folders(arguments.folder)
              for model in find_models(folder, arguments.form)]
    if arguments.only:
        wanted = arguments.only.split(",")
        models = [model for model in models
                  if model.name.removesuffix(".static") in wanted]
    outcomes: Dict[str, Outcome] = {}
    # One after the other: the times matter.
    for result in run_cases(
            range(len(models)),
            lambda: make_run(models, arguments.device, arguments.repeat), 1,
            arguments.timeout):
        name, (what, why) = models[result.number].name, result.outcome
        outcomes[name] = result.outcome
        print(f"{name}: {what}: {why}", flush=True)
    passed = sum(what == "passed" for what, _ in outcomes.values())
    print(f"\n{passed} of {len(models)} models agree")
    if arguments.json:
        arguments.json.write_text(json.dumps(
            {name: {"outcome": what, "reason": why}
             for name, (what, why) in outcomes.items()}, indent=1) + "\n")
    return 0 if passed == len(models) else 1


if __name__ == "__main__":
    sys.exit(main())
