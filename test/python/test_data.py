# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data sets, loaders and readers of files."""

import gzip
import io
import struct
import tarfile
import threading

import numpy as np
import pytest

import hamkaas as hk
from hamkaas import data


def draw(item, rng):
    return (item[0] + rng.random(), item[1])


def make_loader(transform=None, **options):
    set_of = data.ArrayDataset(np.arange(23, dtype="float64"), np.arange(23),
                               transform=transform)
    return data.DataLoader(set_of, 4, **{"shuffle": True, "seed": 5, **options})


def check_equal(first, second):
    assert len(first) == len(second)
    for one, other in zip(first, second):
        for a, b in zip(one, other):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("transform", [None, draw])
@pytest.mark.parametrize("prefetch", [0, 1, 3])
def test_epochs_and_positions(transform, prefetch):
    loader = make_loader(transform, prefetch=prefetch)
    assert len(loader) == 5
    epochs = [list(loader) for _ in range(3)]
    indices = [np.concatenate([batch[1] for batch in epoch])
               for epoch in epochs]
    assert all(len(set(order)) == 20 for order in indices)
    assert list(indices[0]) != list(indices[1])
    check_equal(epochs[0], list(make_loader(transform, prefetch=0)))
    for stop in (0, 2, 5):
        stopped = make_loader(transform, prefetch=prefetch)
        list(stopped)
        batches = iter(stopped)
        got = [next(batches) for _ in range(stop)]
        position = stopped.position
        batches.close()
        resumed = make_loader(transform)
        resumed.position = position
        if stop == 5:
            check_equal(epochs[2], list(resumed))
        else:
            check_equal(epochs[1], got + list(resumed))
            check_equal(epochs[2], list(resumed))
    assert not any(thread.name == "hamkaas.data"
                   for thread in threading.enumerate())


def test_order_without_shuffling():
    loader = make_loader(shuffle=False)
    np.testing.assert_array_equal(
        np.concatenate([y for _, y in loader]), np.arange(20))


def test_errors_of_items_are_passed_on():
    def fail(item, rng):
        raise ValueError("this item")

    with pytest.raises(ValueError, match="this item"):
        list(make_loader(fail))


def test_text():
    text = data.TextDataset("to be or not to be", 4, stride=3)
    assert len(text) == 5
    x, y = text[1]
    assert text.decode(x) == "be o" and text.decode(y) == "e or"
    with pytest.raises(IndexError):
        text[5]
    batches = list(data.DataLoader(text, 2))
    assert [x.shape for x, _ in batches] == [(2, 4)] * 2
    with pytest.raises(hk.HamKaasError, match="got 'x', too"):
        data.TextDataset("ax", 1, alphabet="a")


def encode_idx(array, code):
    return (bytes([0, 0, code, array.ndim]) +
            struct.pack(f">{array.ndim}I", *array.shape) +
            array.astype(array.dtype.newbyteorder(">")).tobytes())


def test_mnist(tmp_path):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (7, 28, 28), np.uint8)
    labels = rng.integers(0, 10, 7, np.uint8)
    (tmp_path / "t10k-images-idx3-ubyte").write_bytes(encode_idx(images, 8))
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(
        gzip.compress(encode_idx(labels, 8)))
    x, y = data.read_mnist(tmp_path, train=False)
    np.testing.assert_array_equal(x, images.astype("float32") / 255)
    np.testing.assert_array_equal(y, labels)
    with pytest.raises(hk.HamKaasError, match="train-images-idx3-ubyte.gz"):
        data.read_mnist(tmp_path)
    floats = rng.normal(size=(2, 3)).astype("float32")
    (tmp_path / "floats").write_bytes(encode_idx(floats, 13))
    np.testing.assert_array_equal(data.read_idx(tmp_path / "floats"), floats)


@pytest.mark.parametrize("contents, message", [
    (b"", "expected an idx file"), (b"\0\0\7\1", "expected an idx file"),
    (b"\0\0\x08\3\0\0", "expected 3 dimensions"),
    (b"\0\0\x08\1\0\0\0\2a", "expected 2 bytes .* got 1"),
    (b"\x1f\x8babc", "file"),
])
def test_bad_idx_files(tmp_path, contents, message):
    (tmp_path / "file").write_bytes(contents)
    with pytest.raises(hk.HamKaasError, match=message):
        data.read_idx(tmp_path / "file")


def write_archive(path, files):
    with tarfile.open(path, "w:gz") as tar:
        for name, contents in files.items():
            info = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            info.size = len(contents)
            tar.addfile(info, io.BytesIO(contents))


def test_cifar10(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 256, (10, 3073), np.uint8)
    path = tmp_path / "cifar.tar.gz"
    write_archive(path, {f"data_batch_{i + 1}.bin": rows[2 * i:2 * i + 2]
                         .tobytes() for i in range(5)})
    x, y = data.read_cifar10(path)
    np.testing.assert_array_equal(y, rows[:, 0])
    np.testing.assert_array_equal(x.reshape(10, -1),
                                  rows[:, 1:].astype("float32") / 255)
    with pytest.raises(hk.HamKaasError, match="expected a file test_batch.bin"):
        data.read_cifar10(path, train=False)
    write_archive(path, {"test_batch.bin": b"abc"})
    with pytest.raises(hk.HamKaasError, match="images of 3073 bytes"):
        data.read_cifar10(path, train=False)
    path.write_bytes(b"no archive")
    with pytest.raises(hk.HamKaasError, match="an archive of CIFAR-10"):
        data.read_cifar10(path)


@pytest.mark.parametrize("call, message", [
    (lambda: data.ArrayDataset(np.ones(2), np.ones(3)), "as many rows"),
    (lambda: data.ArrayDataset(), "as many rows"),
    (lambda: data.DataLoader(data.ArrayDataset(np.ones(2)), 3), "the 2 items"),
    (lambda: data.DataLoader(data.ArrayDataset(np.ones(2)), 1, seed=-1),
     "expected a seed"),
    (lambda: data.TextDataset("abc", 0), "at least 1, got 0"),
    (lambda: setattr(make_loader(), "position", [0, 0, 6]), "among 5 batches"),
])
def test_errors(call, message):
    with pytest.raises(hk.HamKaasError, match=message):
        call()
