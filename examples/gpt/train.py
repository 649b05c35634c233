#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small GPT learns a text, character by character, and writes some.

    train.py [TEXT] [--epochs=N] [--sample=CHARACTERS] [--save=FILE]

TEXT is any file of text; without one, the GPL of this Debian system.
"""

import argparse
import math
import pathlib
import sys
import time

import hamkaas as hk
import numpy as np
from hamkaas import nn

TEXT = pathlib.Path("/usr/share/common-licenses/GPL-3")
SEED = 0


class GPT(nn.Module):
    """Characters before each place to scores of the next one."""

    def __init__(self, characters, length, width, layers, heads):
        self.places = nn.Parameter(np.random.default_rng(SEED).normal(
            0, 0.02, [length, width]).astype("float32"))
        self.embedding = nn.Embedding(characters, width)
        self.blocks = [
            nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu",
                                       batch_first=True, norm_first=True)
            for _ in range(layers)]
        self.norm = nn.LayerNorm(width)
        self.scores = nn.Linear(width, characters)

    def forward(self, tokens):
        length = tokens.shape[-1]
        mask = np.triu(np.full([length, length], -np.inf, "float32"), 1)
        x = self.embedding(tokens) + self.places
        for block in self.blocks:
            x = block(x, mask)
        return self.scores(self.norm(x))


def compile_model(text, arguments, steps):
    """The functions train_step and predict over the same states."""
    nn.manual_seed(SEED)
    characters, length = len(text.alphabet), arguments.length
    net = GPT(characters, length, arguments.width, arguments.layers,
              arguments.heads)
    tokens = hk.input("tokens", [arguments.batch, length], "int64")
    following = hk.input("following", [arguments.batch, length], "int64")
    loss = nn.cross_entropy(net(tokens).reshape([-1, characters]),
                            following.reshape([-1]))
    seen = hk.input("seen", [1, length], "int64")

    def rate(step):
        """Rises for a tenth of the steps, then falls to 0 as a cosine."""
        fall = 0.5 * (1 + hk.cos(math.pi * step / steps))
        return 3e-3 * hk.minimum(step / (0.1 * steps), fall)

    return hk.compile({
        "train_step": hk.train_step(loss, hk.optim.AdamW(lr=rate),
                                    clip_norm=1.0),
        "predict": hk.function(net(seen).reshape([length, characters])),
    }, name="gpt")


def write(model, text, count, start):
    """``start`` and ``count`` characters more, drawn from the model's scores."""
    rng, length = np.random.default_rng(SEED), text.length
    places = {character: i for i, character in enumerate(text.alphabet)}
    tokens = [places[character] for character in start]
    for _ in range(count):
        last = tokens[-length:]
        seen = np.zeros([1, length], np.int64)
        seen[0, :len(last)] = last
        scores = model.predict.run({"seen": seen})[len(last) - 1] / 0.7
        shares = np.exp(scores - scores.max()).astype("float64")
        tokens.append(int(rng.choice(len(shares), p=shares / shares.sum())))
    return text.decode(tokens)


def read_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("text", type=pathlib.Path, nargs="?", default=TEXT)
    for name, default in (("epochs", 6), ("sample", 300), ("batch", 32),
                          ("length", 64), ("width", 128), ("layers", 3),
                          ("heads", 4)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--save", type=pathlib.Path)
    return parser.parse_args()


def read_text(arguments):
    try:
        text = arguments.text.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"train.py: expected a file of text, got {error}")
    wanted = arguments.batch * 8 + arguments.length
    if len(text) <= wanted:
        sys.exit(f"train.py: {arguments.text}: expected more than {wanted} "
                 f"characters, got {len(text)}")
    return hk.data.TextDataset(text, arguments.length, stride=8)


def main():
    arguments = read_arguments()
    text = read_text(arguments)
    loader = hk.data.DataLoader(text, arguments.batch, shuffle=True, seed=SEED)
    model = compile_model(text, arguments, arguments.epochs * len(loader))
    begin = time.monotonic()
    history = hk.fit(model, loader, arguments.epochs,
                     names=["tokens", "following"], snapshot=arguments.save)
    last = history.losses[-len(loader):]
    print(f"loss {history.losses[0]:.2f} at first, {np.mean(last):.2f} in the "
          f"last epoch, after {len(history.losses):,} steps in "
          f"{time.monotonic() - begin:.0f} s\n")
    start = text.decode(text.tokens[:1])
    print(write(model, text, arguments.sample, start))


if __name__ == "__main__":
    main()
