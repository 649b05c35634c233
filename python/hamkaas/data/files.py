# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Readers of files of data sets."""

from __future__ import annotations

import gzip
import math
import os
import pathlib
import struct
import tarfile
from typing import List, Tuple, Union

import numpy as np

from ..arrays import Array
from ..errors import HamKaasError

Path = Union[str, "os.PathLike[str]"]

_IDX_TYPES = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def _read(path: Path) -> bytes:
    """The contents of a file, uncompressed."""
    data = pathlib.Path(path).read_bytes()
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError) as error:
        raise HamKaasError(f"{path}: {error}") from None


def read_idx(path: Path) -> Array:
    """The array of an idx file, as MNIST has them, perhaps compressed."""
    data = _read(path)
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] not in _IDX_TYPES:
        raise HamKaasError(f"{path}: expected an idx file, got one that begins "
                           f"with {data[:4]!r}")
    rank, dtype = data[3], np.dtype(_IDX_TYPES[data[2]])
    begin = 4 + 4 * rank
    if len(data) < begin:
        raise HamKaasError(f"{path}: expected {rank} dimensions, got the end "
                           "of the file")
    shape = struct.unpack(f">{rank}I", data[4:begin])
    size = math.prod(shape) * dtype.itemsize
    if len(data) - begin != size:
        raise HamKaasError(f"{path}: expected {size} bytes of elements for the "
                           f"shape {list(shape)}, got {len(data) - begin}")
    array: Array = np.frombuffer(data, dtype, offset=begin).reshape(shape)
    return array.astype(dtype.newbyteorder("="))


def _find(folder: Path, name: str) -> pathlib.Path:
    for candidate in (name, f"{name}.gz"):
        path = pathlib.Path(folder) / candidate
        if path.exists():
            return path
    raise HamKaasError(f"{folder}: expected a file {name} or {name}.gz, got "
                       "neither")


def read_mnist(folder: Path, train: bool = True) -> Tuple[Array, Array]:
    """Images, float32 from 0 to 1, and classes, int64, of a folder of MNIST."""
    part = "train" if train else "t10k"
    images = read_idx(_find(folder, f"{part}-images-idx3-ubyte"))
    labels = read_idx(_find(folder, f"{part}-labels-idx1-ubyte"))
    if images.ndim != 3 or labels.shape != images.shape[:1]:
        raise HamKaasError(
            f"{folder}: expected images and a class for each, got the shapes "
            f"{list(images.shape)} and {list(labels.shape)}")
    return images.astype(np.float32) / np.float32(255), labels.astype(np.int64)


_CIFAR_ROW = 1 + 3 * 32 * 32


def read_cifar10(archive: Path, train: bool = True) -> Tuple[Array, Array]:
    """Images ``[n, 3, 32, 32]``, float32 from 0 to 1, and classes, int64.

    ``archive`` is the binary version, cifar-10-binary.tar.gz.
    """
    names = [f"data_batch_{i}.bin" for i in range(1, 6)] if train \
        else ["test_batch.bin"]
    parts: List[Array] = []
    try:
        with tarfile.open(os.fspath(archive)) as tar:
            members = {os.path.basename(member.name): member for member in tar
                       if member.isfile()}
            for name in names:
                file = tar.extractfile(members[name]) \
                    if name in members else None
                if file is None:
                    raise HamKaasError(f"{archive}: expected a file {name}, "
                                       "got none")
                parts.append(np.frombuffer(file.read(), np.uint8))
    except (tarfile.TarError, EOFError) as error:
        raise HamKaasError(f"{archive}: expected an archive of CIFAR-10: "
                           f"{error}") from None
    data = np.concatenate(parts)
    if data.size % _CIFAR_ROW:
        raise HamKaasError(f"{archive}: expected images of {_CIFAR_ROW} bytes, "
                           f"got {data.size} bytes")
    rows = data.reshape(-1, _CIFAR_ROW)
    images = rows[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32)
    return images / np.float32(255), rows[:, 0].astype(np.int64)
