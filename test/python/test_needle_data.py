# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data sets and loaders of hamkaas.needle."""

import gzip
import os
import pickle
import struct

import numpy as np
import pytest

from hamkaas import HamKaasError
from hamkaas.needle import data


def write_mnist(folder, part, images, labels):
    paths = [folder / f"{part}-{name}-ubyte.gz"
             for name in ("images-idx3", "labels-idx1")]
    with gzip.open(paths[0], "wb") as file:
        file.write(struct.pack(">4i", 2051, *images.shape) + images.tobytes())
    with gzip.open(paths[1], "wb") as file:
        file.write(struct.pack(">2i", 2049, len(labels)) + labels.tobytes())
    return [str(path) for path in paths]


@pytest.fixture
def digits(tmp_path):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (7, 28, 28)).astype(np.uint8)
    labels = rng.integers(0, 10, 7).astype(np.uint8)
    return images, labels, write_mnist(tmp_path, "train", images, labels)


def test_mnist(digits):
    images, labels, paths = digits
    digits = data.MNISTDataset(*paths)
    assert len(digits) == 7
    image, label = digits[2]
    assert image.shape == (28, 28, 1) and image.dtype == np.float32
    np.testing.assert_allclose(image[..., 0], images[2] / 255, rtol=1e-6)
    assert label == labels[2]
    several, classes = digits[np.array([1, 3])]
    assert several.shape == (2, 28, 28, 1) and len(classes) == 2
    assert digits[2:5][0].shape == (3, 28, 28, 1)


def test_transforms(digits):
    crop, flip = data.RandomCrop(2), data.RandomFlipHorizontal(0.5)
    images = data.MNISTDataset(*digits[2], transforms=[flip, crop])
    plain = data.MNISTDataset(*digits[2])
    np.random.seed(1)
    made = images[np.array([0, 4])][0]
    np.random.seed(1)
    for ours, number in zip(made, (0, 4)):
        image = plain[number][0]
        if np.random.rand() < 0.5:
            image = image[:, ::-1]
        down, right = np.random.randint(low=-2, high=3, size=2)
        for i in range(28):
            for j in range(28):
                inside = 0 <= i + down < 28 and 0 <= j + right < 28
                expected = image[i + down, j + right] if inside else 0
                assert ours[i, j] == expected


def test_loader():
    items = data.NDArrayDataset(np.arange(10.0), np.arange(10))
    loader = data.DataLoader(items, batch_size=4)
    for _ in range(2):
        parts = [[part.numpy().tolist() for part in batch] for batch in loader]
        assert [part[0] for part in parts] == [[0, 1, 2, 3], [4, 5, 6, 7],
                                               [8, 9]]
        assert parts[0][0] == parts[0][1]
    np.random.seed(2)
    shuffled = data.DataLoader(items, batch_size=10, shuffle=True)
    made = [next(iter(shuffled))[0].numpy().tolist() for _ in range(2)]
    np.random.seed(2)
    assert made == [np.random.permutation(10).tolist() for _ in range(2)]
    with pytest.raises(StopIteration):
        next(data.DataLoader(items))
    with pytest.raises(HamKaasError, match="batch_size of at least 1"):
        data.DataLoader(items, batch_size=0)


def write_cifar(folder, images, labels):
    names = [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]
    for i, name in enumerate(names):
        with open(folder / name, "wb") as file:
            pickle.dump({b"data": images + np.uint8(i), b"labels": labels},
                        file, protocol=2)


def test_cifar(tmp_path):
    images = np.arange(2 * 3072).reshape(2, 3072).astype(np.uint8) % 200
    write_cifar(tmp_path, images, [3, 7])
    train = data.CIFAR10Dataset(str(tmp_path), True)
    test = data.CIFAR10Dataset(str(tmp_path), False)
    assert len(train) == 10 and len(test) == 2
    assert train.X.shape == (10, 3, 32, 32) and train.y[3] == 7
    image, label = test[1]
    assert image.shape == (3, 32, 32) and label == 7
    np.testing.assert_allclose(image, (images[1] + 5).reshape(3, 32, 32) / 255,
                               rtol=1e-6)


def test_pickles_run_nothing(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    write_cifar(tmp_path, np.zeros((1, 3072), np.uint8), [0])
    (tmp_path / "test_batch").write_bytes(pickle.dumps(Evil()))
    with pytest.raises(HamKaasError, match="expected arrays in the file"):
        data.CIFAR10Dataset(str(tmp_path), False)
    assert not (tmp_path / "made").exists()
    for content in (b"", pickle.dumps({})):
        (tmp_path / "test_batch").write_bytes(content)
        with pytest.raises(HamKaasError, match="test_batch: "):
            data.CIFAR10Dataset(str(tmp_path), False)


def test_texts(tmp_path):
    (tmp_path / "train.txt").write_text("a b a\nc\n d d\n")
    (tmp_path / "test.txt").write_text("d e\n")
    corpus = data.Corpus(str(tmp_path))
    assert corpus.train == [0, 1, 0, 2, 3, 2, 4, 4, 2]
    assert corpus.test == [4, 5, 2] and len(corpus.dictionary) == 6
    assert data.Corpus(str(tmp_path), max_lines=1).train == [0, 1, 0, 2]
    batches = data.batchify(corpus.train, 2, None, "float32")
    np.testing.assert_array_equal(batches, [[0, 3], [1, 2], [0, 4], [2, 4]])
    x, y = data.get_batch(batches, 2, 3)
    assert x.numpy().tolist() == [[0, 4]] and y.numpy().tolist() == [2, 4]
    x, y = data.get_batch(batches, 0, 2)
    assert x.shape == (2, 2) and y.numpy().tolist() == [1, 2, 0, 4]


def test_wrong_files(digits, tmp_path):
    images, _, paths = digits
    with pytest.raises(HamKaasError, match="images and a class for each"):
        data.MNISTDataset(paths[1], paths[0])
    with pytest.raises(HamKaasError, match="an idx file"):
        (tmp_path / "x").write_bytes(b"none")
        data.MNISTDataset(str(tmp_path / "x"), paths[1])
