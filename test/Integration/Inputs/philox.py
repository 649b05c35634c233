# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Philox 4x32-10 in plain Python."""

import numpy as np

# The vectors of Random123 for philox4x32-10: counter, key and block, each the
# lowest word first.
KNOWN = [
    ([0] * 4, [0] * 2, [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]),
    ([0xffffffff] * 4, [0xffffffff] * 2,
     [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]),
    ([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
     [0xa4093822, 0x299f31d0],
     [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]),
]

MASK = 0xffffffff


def split(number, words):
    return [number >> 32 * i & MASK for i in range(words)]


def join(words):
    return sum(word << 32 * i for i, word in enumerate(words))


def philox(counter, key):
    a, b, c, d = counter
    for i in range(10):
        p, q = key[0] + i * 0x9E3779B9, key[1] + i * 0xBB67AE85
        first, second = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b = (second >> 32 ^ b ^ p) & MASK, second & MASK
        c, d = (first >> 32 ^ d ^ q) & MASK, first & MASK
    return [a, b, c, d]


def random_bits(generator, shape, offset=0):
    """As hamkaas.random_bits."""
    key, low, high = (int(word) for word in generator)
    words = []
    for block in range(-(-int(np.prod(shape)) // 4)):
        words += philox(split(low + (high << 64) + offset + block, 4),
                        split(key, 2))
    return np.array(words[:int(np.prod(shape))], np.uint32).reshape(shape)
