# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that the first HamKaas' recursion needs a deep stack for."""

import sys

import hamkaas
import torch

sys.setrecursionlimit(10000000)

plugin = hamkaas.HamKaasPlugin("missing/libhamkaas.so")
node = hamkaas.ConstantTensor(torch.ones(4))
for i in range(20000):
    node = hamkaas.ReLUNode(node) if i % 2 else hamkaas.SiLUNode(node)
print(hamkaas.traverse_node(node).script.count("\n"))
print(plugin.compile_model(node).evaluate({}).shape)
