# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HamKaas as a backend of the package onnx, which this needs.

A module as the backend tests of onnx want one:

>>> import hamkaas.onnx.backend
>>> hamkaas.onnx.backend.supports_device("CPU")
True
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import onnx
from onnx.backend.base import Backend, BackendRep

from .. import _native
from ..arrays import Array
from ..errors import UnsupportedError
from . import PreparedModel
from . import prepare as _prepare

__all__ = ["HamKaasBackend", "HamKaasBackendRep", "is_compatible", "prepare",
           "run_model", "run_node", "supports_device"]

# The GPU architecture that `prepare` compiles for.
_GPU_ARCH = "compute_80"


class HamKaasBackendRep(BackendRep):
    """A prepared model."""

    def __init__(self, prepared: PreparedModel) -> None:
        self._prepared = prepared

    def run(self, inputs: Any, **kwargs: Any) -> Tuple[Array, ...]:
        """The outputs for the inputs, both in the order of the graph."""
        return tuple(self._prepared(list(inputs)))


class HamKaasBackend(Backend):
    """Prepares and runs models and nodes. Devices are "CPU" and HamKaas's."""

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU",
                      **kwargs: Any) -> bool:
        """Whether HamKaas supports the model."""
        try:
            cls.prepare(model, device, **kwargs)
        except UnsupportedError:
            return False
        return True

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU",
                **kwargs: Any) -> HamKaasBackendRep:
        """Compiles the model. The arguments are those of `hamkaas.onnx`."""
        return HamKaasBackendRep(_prepare(model, device.lower(), **kwargs))

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any,
                  device: str = "CPU", **kwargs: Any) -> Tuple[Array, ...]:
        """The outputs of the model for the inputs."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU",
                 outputs_info: Optional[Sequence[Tuple[Any, Tuple[int, ...]]]]
                 = None, **kwargs: Any) -> Tuple[Array, ...]:
        """The outputs of one node for the inputs that it has."""
        names = [name for name in node.input if name]
        arrays = [onnx.numpy_helper.to_array(value)
                  if isinstance(value, onnx.TensorProto) else value
                  for value in inputs]
        graph = onnx.helper.make_graph(
            [node], "node",
            [_make_info(name, array) for name, array in zip(names, arrays)],
            [onnx.helper.make_empty_tensor_value_info(name)
             for name in node.output if name])
        version = kwargs.pop("opset_version", onnx.defs.onnx_opset_version())
        model = onnx.helper.make_model(
            graph,
            opset_imports=[onnx.helper.make_opsetid(node.domain, version)])
        return cls.run_model(model, arrays, device, **kwargs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether models can be prepared for the device, in any case."""
        name = device.lower()
        if _native.device_target(name, _GPU_ARCH) == "cuda":
            return _native.device_target("best", _GPU_ARCH) == "cuda"
        return name in ("cpu", "best", "reference")


def _make_info(name: str, array: Any) -> onnx.ValueInfoProto:
    return onnx.helper.make_tensor_value_info(
        name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


is_compatible = HamKaasBackend.is_compatible
prepare = HamKaasBackend.prepare
run_model = HamKaasBackend.run_model
run_node = HamKaasBackend.run_node
supports_device = HamKaasBackend.supports_device
