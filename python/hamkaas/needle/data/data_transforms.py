# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes of images ``(h, w, c)``, drawn by numpy's global generator."""

from __future__ import annotations

import numpy as np

from ...arrays import Array


class Transform:
    """A change of an image."""

    def __call__(self, x: Array) -> Array:
        raise NotImplementedError


class RandomFlipHorizontal(Transform):
    """The image from right to left with probability ``p``."""

    def __init__(self, p: float = 0.5) -> None:
        self.p = p

    def __call__(self, img: Array) -> Array:
        return img[:, ::-1] if np.random.rand() < self.p else img


class RandomCrop(Transform):
    """The image moved by up to ``padding`` pixels, with zeros behind it."""

    def __init__(self, padding: int = 3) -> None:
        self.padding = padding

    def __call__(self, img: Array) -> Array:
        p = self.padding
        down, right = np.random.randint(low=-p, high=p + 1, size=2)
        padded = np.pad(img, [(p, p), (p, p)] + [(0, 0)] * (img.ndim - 2))
        return padded[p + down:p + down + img.shape[0],
                      p + right:p + right + img.shape[1]]
