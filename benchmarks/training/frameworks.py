# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations that networks.py needs, and training steps, of each framework.

A framework is imported when its contestant starts: all but one may be missing.
"""

from __future__ import annotations

import math
from typing import Any

import networks
import numpy as np

Step = Any  # Takes a batch, returns the loss before the step.
WEIGHT_DECAY = 0.01
MOMENTUM = 0.9


class HamKaas:

    def __init__(self, threads: int) -> None:
        import hamkaas as hk
        self.hk, self.threads = hk, threads
        self.version = "hamkaas"
        self.relu, self.gelu = hk.nn.relu, hk.nn.gelu
        self.embedding = hk.nn.embedding
        self.permute, self.reshape = hk.permute_dims, hk.reshape

    def conv(self, x: Any, weight: Any) -> Any:
        return self.hk.nn.conv2d(x, weight, padding=1)

    def max_pool(self, x: Any, size: int) -> Any:
        return self.hk.nn.max_pool2d(x, size)

    def batch_norm(self, x: Any, weight: Any, bias: Any) -> Any:
        hk = self.hk
        mean = hk.mean(x, axis=(0, 2, 3), keepdims=True)
        variance = hk.mean(hk.square(x - mean), axis=(0, 2, 3), keepdims=True)
        scale, shift = (hk.reshape(v, (1, -1, 1, 1)) for v in (weight, bias))
        return (x - mean) / hk.sqrt(variance + 1e-5) * scale + shift

    def layer_norm(self, x: Any, weight: Any, bias: Any) -> Any:
        return self.hk.nn.layer_norm(x, (x.shape[-1],), weight, bias)

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        return self.hk.nn.scaled_dot_product_attention(q, k, v, is_causal=True)

    def lstm(self, x: Any, w: Any, u: Any, b: Any) -> Any:
        hk = self.hk

        def step(carry: Any, row: Any) -> Any:
            h, c = carry
            i, f, g, o = hk.unstack(
                hk.reshape(row + h @ u, (x.shape[1], 4, -1)), axis=1)
            c = hk.nn.sigmoid(f) * c + hk.nn.sigmoid(i) * hk.tanh(g)
            h = hk.nn.sigmoid(o) * hk.tanh(c)
            return (h, c), h

        zeros = np.zeros((x.shape[1], x.shape[2]), np.float32)
        return hk.scan(step, (zeros, zeros), x @ w + b)[1]

    def build_step(self, network: networks.Network,
                   with_contents: bool = False) -> Any:
        """The function that trains. Its parameters are zero at first, or have
        their contents."""
        hk = self.hk
        p = {name: hk.state(value.shape, name,
                            initial=value if with_contents else None)
             for name, value in network.parameters.items()}
        batch = {name: hk.input(name, value.shape, str(value.dtype))
                 for name, value in network.batches[0].items()}
        loss = hk.nn.cross_entropy(*network.forward(self, p, **batch))
        optimizer = {
            "adam": lambda: hk.optim.Adam(network.rate),
            "adamw": lambda: hk.optim.AdamW(network.rate,
                                            weight_decay=WEIGHT_DECAY),
            "sgd": lambda: hk.optim.SGD(network.rate, MOMENTUM),
        }[network.optimizer]()
        return hk.train_step(loss, optimizer)

    def make_step(self, network: networks.Network) -> Step:
        self.model = self.hk.compile({"step": self.build_step(network)},
                                     threads=self.threads)
        for name, value in network.parameters.items():
            self.model.state[name] = value
        self.workspace = self.model.report.json()["memory"]["workspace"]
        return lambda batch: self.model.step.run(batch)["loss"]


class Torch:
    """torch.compile of the loss, and the fused form of the optimizer."""

    is_compiled = True

    def __init__(self, threads: int) -> None:
        import torch
        torch.set_num_threads(threads)
        self.torch, self.f = torch, torch.nn.functional
        self.version, self.workspace = f"torch {torch.__version__}", None
        self.relu, self.gelu = self.f.relu, self.f.gelu
        self.embedding = self.f.embedding
        self.permute, self.reshape = torch.permute, torch.reshape

    def conv(self, x: Any, weight: Any) -> Any:
        return self.f.conv2d(x, weight, padding=1)

    def max_pool(self, x: Any, size: int) -> Any:
        return self.f.max_pool2d(x, size)

    def batch_norm(self, x: Any, weight: Any, bias: Any) -> Any:
        return self.f.batch_norm(x, None, None, weight, bias, training=True)

    def layer_norm(self, x: Any, weight: Any, bias: Any) -> Any:
        return self.f.layer_norm(x, weight.shape, weight, bias)

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        if not hasattr(self.f, "scaled_dot_product_attention"):  # torch 1.13
            scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
            later = self.torch.ones(scores.shape[-2:]).triu(1).bool()
            return scores.masked_fill(later, -math.inf).softmax(-1) @ v
        return self.f.scaled_dot_product_attention(q, k, v, is_causal=True)

    def lstm(self, x: Any, w: Any, u: Any, b: Any) -> Any:
        zeros = self.torch.zeros(1, x.shape[1], x.shape[2])
        weights = [w.T, u.T, b, self.torch.zeros_like(b)]
        return self.torch.lstm(x, (zeros, zeros), weights, True, 1, 0.0, True,
                               False, False)[0]

    def make_step(self, network: networks.Network) -> Step:
        torch = self.torch
        p = {name: torch.nn.Parameter(torch.tensor(value))
             for name, value in network.parameters.items()}

        def compute_loss(**batch: Any) -> Any:
            return self.f.cross_entropy(*network.forward(self, p, **batch))

        if self.is_compiled:
            compute_loss = torch.compile(compute_loss)
        optimizer = self._make_optimizer(network, list(p.values()))

        def step(batch: Any) -> Any:
            optimizer.zero_grad()
            loss = compute_loss(
                **{name: torch.from_numpy(x) for name, x in batch.items()})
            loss.backward()
            optimizer.step()
            return loss.item()

        return step

    def _make_optimizer(self, network: networks.Network, p: Any) -> Any:
        optim = self.torch.optim
        fused = {"fused": True} if self.is_compiled else {}
        return {
            "adam": lambda: optim.Adam(p, network.rate, **fused),
            "adamw": lambda: optim.AdamW(p, network.rate, **fused,
                                         weight_decay=WEIGHT_DECAY),
            "sgd": lambda: optim.SGD(p, network.rate, MOMENTUM, **fused),
        }[network.optimizer]()


class Eager(Torch):
    is_compiled = False


class Jax:
    """jax.jit of the whole step, with optax; parameters are given away."""

    def __init__(self, threads: int) -> None:
        import jax
        import optax
        self.jax, self.jnp, self.optax = jax, jax.numpy, optax
        self.version = f"jax {jax.__version__}, optax {optax.__version__}"
        self.workspace = None
        self.relu = jax.nn.relu
        self.permute, self.reshape = jax.numpy.transpose, jax.numpy.reshape

    def gelu(self, x: Any) -> Any:
        return self.jax.nn.gelu(x, approximate=False)

    def embedding(self, x: Any, weight: Any) -> Any:
        return weight[x]

    def conv(self, x: Any, weight: Any) -> Any:
        return self.jax.lax.conv_general_dilated(x, weight, (1, 1), "SAME")

    def max_pool(self, x: Any, size: int) -> Any:
        window = (1, 1, size, size)
        return self.jax.lax.reduce_window(x, -math.inf, self.jax.lax.max,
                                          window, window, "VALID")

    def batch_norm(self, x: Any, weight: Any, bias: Any) -> Any:
        shape = (1, -1, 1, 1)
        x = self.jax.nn.standardize(x, (0, 2, 3), epsilon=1e-5)
        return x * weight.reshape(shape) + bias.reshape(shape)

    def layer_norm(self, x: Any, weight: Any, bias: Any) -> Any:
        return self.jax.nn.standardize(x, -1, epsilon=1e-5) * weight + bias

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
        earlier = self.jnp.tril(self.jnp.ones(scores.shape[-2:], bool))
        scores = self.jnp.where(earlier, scores, -math.inf)
        return self.jax.nn.softmax(scores) @ v

    def lstm(self, x: Any, w: Any, u: Any, b: Any) -> Any:
        jnp, sigmoid = self.jnp, self.jax.nn.sigmoid

        def step(carry: Any, row: Any) -> Any:
            h, c = carry
            i, f, g, o = jnp.split(row + h @ u, 4, axis=-1)
            c = sigmoid(f) * c + sigmoid(i) * jnp.tanh(g)
            h = sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = jnp.zeros(x.shape[1:])
        return self.jax.lax.scan(step, (zeros, zeros), x @ w + b)[1]

    def make_step(self, network: networks.Network) -> Step:
        jax, optax = self.jax, self.optax
        optimizer = {
            "adam": lambda: optax.adam(network.rate),
            "adamw": lambda: optax.adamw(network.rate,
                                         weight_decay=WEIGHT_DECAY),
            "sgd": lambda: optax.sgd(network.rate, MOMENTUM),
        }[network.optimizer]()
        self.p = jax.tree.map(self.jnp.array, network.parameters)
        self.moments = optimizer.init(self.p)

        def compute_loss(p: Any, batch: Any) -> Any:
            scores, labels = network.forward(self, p, **batch)
            return optax.softmax_cross_entropy_with_integer_labels(
                scores, labels).mean()

        def change(p: Any, moments: Any, batch: Any) -> Any:
            loss, gradients = jax.value_and_grad(compute_loss)(p, batch)
            updates, moments = optimizer.update(gradients, moments, p)
            return optax.apply_updates(p, updates), moments, loss

        example = jax.tree.map(self.jnp.array, network.batches[0])
        run = jax.jit(change, donate_argnums=(0, 1)).lower(
            self.p, self.moments, example).compile()
        self.workspace = run.memory_analysis().temp_size_in_bytes

        def step(batch: Any) -> Any:
            self.p, self.moments, loss = run(
                self.p, self.moments, jax.tree.map(self.jnp.array, batch))
            return loss.item()

        return step


FRAMEWORKS = {"hamkaas": HamKaas, "jax": Jax, "torch": Torch, "eager": Eager}
