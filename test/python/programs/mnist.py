# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The net of the first HamKaas' text: prints its script, then evaluates it."""

import torch

from hamkaas import HamKaasPlugin, InputTensor, traverse_node

torch.manual_seed(1)
w1, b1 = torch.randn(784, 1000) / 28, torch.randn(1, 1000)
w2, b2 = torch.randn(1000, 10) / 32, torch.randn(1, 10)

x = InputTensor("input", torch.float32, [128, 28, 28])
out = ((x.reshape([128, 784]) @ w1 + b1).relu()) @ w2 + b2
print(traverse_node(out).script, end="")

plugin = HamKaasPlugin("../cpp/libhamkaas.so")
model = plugin.compile_model(out, use_gpu=False)
for _ in range(3):
    images = torch.rand(128, 28, 28)
    result = model.evaluate({"input": images})
    expected = (images.reshape(128, 784) @ w1 + b1).relu() @ w2 + b2
    assert torch.allclose(result, expected, rtol=1e-3, atol=1e-3)
print("digits:", result.argmax(dim=1).shape[0])
