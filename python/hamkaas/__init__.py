# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HamKaas: compiles a neural network into one program.

Build a graph from inputs, constants and states, compile it, run it:

>>> import hamkaas as hk, numpy as np
>>> x = hk.input("x", [2, 3])
>>> weights = hk.constant(np.ones([3, 2], "float32"))
>>> model = hk.compile((x @ weights).relu())
>>> model.run({"x": np.float32([[1, 2, 3], [-4, -5, -6]])})
array([[6., 6.],
       [0., 0.]], dtype=float32)

Tensors are float32 or int64, of up to 8 dimensions, with shapes that are known
when the graph is built. What does not fit raises `HamKaasError`.

The names in capitals and `traverse_node` are those of the first HamKaas, see
`hamkaas.compat`.
"""

from ._native import compiler_version
from .arrays import digest
from .compat import (BufferTensor, ComplexHadamardProductNode, ConstantTensor,
                     HadamardProductNode, HamKaasPlugin, InputTensor,
                     MatMulNode, PermuteNode, ReLUNode, ReplaceSliceNode,
                     ReshapeNode, RMSNormNode, SiLUNode, SlicedSoftmaxNode,
                     SliceNode, SumNode, traverse_node)
from .describe import Graph, MemoryPlan, Report
from .errors import HamKaasError, UnsupportedError
from .graph import Node, constant, input, state
from .model import Model, compile, load
from .script import Script, write_script
from .state import State
from .tables import TensorInfo

__version__ = "0.1.0"

__all__ = [
    "BufferTensor", "ComplexHadamardProductNode", "ConstantTensor", "Graph",
    "HadamardProductNode", "HamKaasError", "HamKaasPlugin", "InputTensor",
    "MatMulNode", "MemoryPlan", "Model", "Node", "PermuteNode", "RMSNormNode",
    "ReLUNode", "ReplaceSliceNode", "Report", "ReshapeNode", "Script",
    "SiLUNode", "SliceNode", "SlicedSoftmaxNode", "State", "SumNode",
    "TensorInfo", "UnsupportedError", "compile", "compiler_version", "constant",
    "digest", "input", "load", "state", "traverse_node", "write_script"
]
