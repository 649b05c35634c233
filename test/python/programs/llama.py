# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small language model as the first HamKaas' llama2.py builds it."""

import math
import sys

import torch
from hamkaas import (BufferTensor, ConstantTensor, HamKaasPlugin, InputTensor,
                     Node)

sys.setrecursionlimit(10000000)
torch.manual_seed(2)

DIM, HIDDEN, LAYERS, HEADS, VOCAB, SEQ = 32, 48, 3, 4, 20, 12
HEAD = DIM // HEADS


def matrix(rows, columns):
    return torch.randn(rows, columns) / math.sqrt(columns)


embedding = torch.randn(VOCAB, DIM)
layers = [
    dict(att_norm=torch.rand(DIM), ffn_norm=torch.rand(DIM),
         wq=matrix(DIM, DIM), wk=matrix(DIM, DIM), wv=matrix(DIM, DIM),
         wo=matrix(DIM, DIM), w1=matrix(HIDDEN, DIM), w2=matrix(DIM, HIDDEN),
         w3=matrix(HIDDEN, DIM)) for _ in range(LAYERS)
]
last_norm = torch.rand(DIM)


def frequencies(position):
    angles = position / 10000**(torch.arange(0, HEAD, 2) / HEAD)
    return torch.stack([torch.cos(angles), torch.sin(angles)], dim=1)


def linear(x: Node, weight: torch.Tensor) -> Node:
    return x @ ConstantTensor(weight.t())


def build() -> Node:
    x = InputTensor("x", torch.float32, [DIM])
    pos_plus_one = InputTensor("pos_plus_one", torch.int64, [1])
    freq_cis = InputTensor("freq_cis", torch.float32, [HEAD // 2, 2])
    size = LAYERS * SEQ * DIM
    caches = [BufferTensor(torch.float32, [size]) for _ in range(2)]
    scale = ConstantTensor(torch.tensor([[1 / math.sqrt(HEAD)]]))

    def rotate(x):
        x = x.reshape([HEADS, HEAD // 2, 2])
        return x.complex_hadamard_product(
            freq_cis.reshape([1, HEAD // 2, 2])).reshape([DIM])

    for l, layer in enumerate(layers):
        start = InputTensor(f"cache_start_{l}", torch.int64, [1])
        end = InputTensor(f"cache_end_{l}", torch.int64, [1])
        y = x.rms_norm(ConstantTensor(layer["att_norm"]))
        new = [rotate(linear(y, layer["wk"])), linear(y, layer["wv"])]
        caches = [cache.replace(row, start, end)
                  for cache, row in zip(caches, new)]
        keys, values = (cache[l * SEQ * DIM:(l + 1) * SEQ * DIM]
                        .reshape([SEQ, HEADS, HEAD]) for cache in caches)
        query = rotate(linear(y, layer["wq"])).reshape([HEADS, 1, HEAD])
        scores = (query @ keys.permute([1, 2, 0])).reshape([HEADS, SEQ]) * scale
        weights = scores.sliced_softmax(pos_plus_one).reshape([HEADS, 1, SEQ])
        y = (weights @ values.permute([1, 0, 2])).reshape([DIM])
        x = x + linear(y, layer["wo"])
        y = x.rms_norm(ConstantTensor(layer["ffn_norm"]))
        y = linear(y, layer["w1"]).silu() * linear(y, layer["w3"])
        x = x + linear(y, layer["w2"])
    return linear(x.rms_norm(ConstantTensor(last_norm)), embedding)


def reference(tokens):
    """The logits after `tokens`, all of them at once."""
    def norm(x, w):
        return w * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)

    def rotate(x):
        cis = torch.stack([frequencies(p) for p in range(len(tokens))])
        x = torch.view_as_complex(x.reshape(-1, HEADS, HEAD // 2, 2))
        x = x * torch.view_as_complex(cis)[:, None]
        return torch.view_as_real(x).reshape(-1, HEADS, HEAD)

    x = embedding[tokens]
    for layer in layers:
        y = norm(x, layer["att_norm"])
        q, k = rotate(y @ layer["wq"].t()), rotate(y @ layer["wk"].t())
        v = (y @ layer["wv"].t()).reshape(-1, HEADS, HEAD)
        scores = torch.einsum("qhd,khd->hqk", q, k) / math.sqrt(HEAD)
        mask = torch.full(scores.shape[1:], -math.inf).triu(1)
        y = torch.einsum("hqk,khd->qhd", torch.softmax(scores + mask, -1), v)
        x = x + y.reshape(-1, DIM) @ layer["wo"].t()
        y = norm(x, layer["ffn_norm"])
        y = torch.nn.functional.silu(y @ layer["w1"].t()) * (y @ layer["w3"].t())
        x = x + y @ layer["w2"].t()
    return (norm(x, last_norm) @ embedding.t())[-1]


plugin = HamKaasPlugin("../cpp/libhamkaas.so")
model = plugin.compile_model(build(), use_gpu=True)
tokens = [1]
for position in range(SEQ):
    inputs = {"x": embedding[tokens[-1]], "freq_cis": frequencies(position),
              "pos_plus_one": torch.tensor([position + 1])}
    for l in range(LAYERS):
        at = (l * SEQ + position) * DIM
        inputs[f"cache_start_{l}"] = torch.tensor([at])
        inputs[f"cache_end_{l}"] = torch.tensor([at + DIM])
    logits = model.evaluate(inputs).contiguous().view(-1)
    assert torch.allclose(logits, reference(tokens), rtol=1e-3, atol=1e-4)
    tokens.append(max(range(VOCAB), key=logits.tolist().__getitem__))
print("tokens:", *tokens)
