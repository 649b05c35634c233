# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backends that run ONNX models, by name."""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, List, Sequence

RunModel = Callable[[Sequence[Any]], List[Any]]
"""From inputs to outputs, both in the order of the graph."""


class Refused(Exception):
    """The backend says that it does not support the model."""


def _prepare_hamkaas(model: bytes) -> RunModel:
    import hamkaas
    import hamkaas.onnx

    def call(function: Callable[[Any], Any], argument: Any) -> Any:
        try:
            return function(argument)
        except hamkaas.UnsupportedError as error:
            raise Refused(str(error)) from None

    device = os.environ.get("HAMKAAS_DEVICE", "cpu")
    prepare = functools.partial(hamkaas.onnx.prepare, device=device, threads=1)
    prepared = call(prepare, model)
    return lambda inputs: call(prepared, list(inputs))


def _prepare_onnxruntime(model: bytes) -> RunModel:
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise Refused(str(error)) from None
    names = [value.name for value in session.get_inputs()]
    return lambda inputs: session.run(None, dict(zip(names, inputs)))


def _prepare_reference(model: bytes) -> RunModel:
    import onnx
    import onnx.reference
    try:
        evaluator = onnx.reference.ReferenceEvaluator(onnx.load_from_string(model))
    except NotImplementedError as error:
        raise Refused(str(error)) from None
    return lambda inputs: evaluator.run(
        None, dict(zip(evaluator.input_names, inputs)))


BACKENDS = {
    "hamkaas": _prepare_hamkaas,
    "onnxruntime": _prepare_onnxruntime,
    "reference": _prepare_reference,
}
"""`prepare(model)` by name: gives a RunModel, or raises Refused."""
