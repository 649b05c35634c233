# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A suite in the manner of the first HamKaas' own, for one plug-in."""

import unittest

import hamkaas
import torch

plugin = hamkaas.HamKaasPlugin("../cpp/libhamkaas.so")
DEVICES = [dict(), dict(use_gpu=True), dict(use_gpu=True, use_cudnn=True)]


class OpTest(unittest.TestCase):

    def check(self, node, inputs, expected, rtol=1e-5):
        for device in DEVICES:
            model = plugin.compile_model(node, **device)
            for _ in range(2):
                result = model.evaluate(inputs=inputs)
                self.assertEqual(result.shape, expected.shape)
                self.assertTrue(torch.allclose(result, expected, rtol=rtol))

    def test_sum_of_sums(self):
        x = torch.randn(100000)
        node = hamkaas.InputTensor("x", torch.float32, [100000])
        self.check(node + node + x, {"x": x}, x + x + x)

    def test_shared(self):
        x = torch.rand(8)
        node = hamkaas.InputTensor(name="x", type=torch.float32, shape=[8])
        for _ in range(30):
            node = (node + node) * torch.tensor([0.5])
        self.check(node, {"x": x}, x)

    def test_mixed(self):
        x, w = torch.randn(4, 6), torch.randn(6, 8)
        node = hamkaas.InputTensor("x", torch.float32, [4, 6])
        node = (node @ w).silu()[1:3].reshape([2, 2, 4]).permute([1, 0, 2])
        expected = torch.nn.functional.silu(x @ w)[1:3]
        self.check(node, {"x": x},
                   expected.reshape(2, 2, 4).permute(1, 0, 2).contiguous(),
                   rtol=1e-3)

    def test_errors(self):
        with self.assertRaises(Exception):
            hamkaas.InputTensor("x", torch.float32, [2]) + torch.randn(3)
        with self.assertRaises(Exception):
            plugin.compile_model(
                hamkaas.InputTensor("x", torch.float32, [2]) +
                hamkaas.InputTensor("x", torch.float32, [2]))
        node = hamkaas.InputTensor("x", torch.float32, [4])
        model = plugin.compile_model(node.replace(torch.ones(2), 3, 5))
        with self.assertRaises(Exception):
            model.evaluate({"x": torch.zeros(4)})

    def test_inverse_elements(self):
        x = torch.rand(1000, 3) + 0.5
        self.assertTrue(torch.allclose(plugin.inverse_elements(x), 1 / x))


if __name__ == "__main__":
    unittest.main()
