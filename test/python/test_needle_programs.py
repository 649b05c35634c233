# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as the course has them, on hamkaas.needle."""

import os
import subprocess
import sys

import numpy as np
import pytest

import hamkaas
import hamkaas.needle as ndl
from hamkaas.needle import nn, optim
from hamkaas.needle.apps import (mlp_resnet, models, simple_ml,
                                 simple_ml_numpy)
from needle_checks import count_programs
from test_needle_data import write_cifar, write_mnist

RNG = np.random.default_rng(3)


def draw_images(count, size=784, classes=10):
    """Images near one of each class."""
    prototypes = np.random.default_rng(4).uniform(0, 1, (classes, size))
    labels = RNG.integers(0, classes, count)
    images = prototypes[labels] + RNG.normal(0, 0.15, (count, size))
    return np.clip(images, 0, 1).astype(np.float32), labels.astype(np.uint8)


def test_regression_of_numpy():
    X, y = draw_images(230)
    assert simple_ml_numpy.add(2, 3) == 5
    thetas = [np.zeros((784, 10), np.float32) for _ in range(2)]
    simple_ml_numpy.softmax_regression_epoch(X, y, thetas[0], lr=0.05)
    assert simple_ml_numpy.softmax_regression_epoch_cpp(
        X, y, thetas[1], lr=0.05) is None
    np.testing.assert_allclose(thetas[1], thetas[0], rtol=1e-4, atol=1e-5)
    assert simple_ml_numpy.softmax_loss(np.zeros((3, 10)), y[:3]) == \
        pytest.approx(np.log(10))


def test_training_of_numpy(capsys):
    data = (*draw_images(300), *draw_images(100))
    simple_ml_numpy.train_softmax(*data, epochs=3, lr=0.1, cpp=True)
    simple_ml_numpy.train_nn(*data, hidden_dim=20, epochs=8, lr=0.1)
    rows = [line.split("|") for line in capsys.readouterr().out.splitlines()]
    assert float(rows[3][5]) < 0.1 and float(rows[-1][5]) < 0.1


def test_two_layers(monkeypatch):
    """Like that of numpy, and each step one program."""
    X, y = draw_images(200)
    weights = [RNG.normal(0, 0.1, shape).astype(np.float32)
               for shape in ((784, 12), (12, 10))]
    ours = simple_ml.nn_epoch(X, y, *map(ndl.Tensor, weights), batch=50)
    expected = [weight.copy() for weight in weights]
    simple_ml_numpy.nn_epoch(X, y, *expected, batch=50)
    for one, other in zip(ours, expected):
        np.testing.assert_allclose(one.numpy(), other, rtol=1e-3, atol=1e-5)
    made = count_programs(monkeypatch)
    W1, W2 = simple_ml.nn_epoch(X, y, *ours, batch=50)
    assert not made
    logits = ndl.relu(ndl.Tensor(X) @ W1) @ W2
    loss, error = simple_ml.loss_err(logits, y)
    assert loss < np.log(10) and error < 0.7


def test_mlp_resnet(tmp_path):
    for part, count in (("train", 300), ("t10k", 100)):
        X, y = draw_images(count)
        write_mnist(tmp_path, part,
                    (X * 255).astype(np.uint8).reshape(-1, 28, 28), y)
    train_error, train_loss, error, loss = mlp_resnet.train_mnist(
        batch_size=50, epochs=6, hidden_dim=32, lr=0.01,
        data_dir=str(tmp_path))
    assert train_error < 0.35 and error < 0.1
    assert loss < 1 and train_loss < 1


def test_resnet9(tmp_path, monkeypatch):
    images, labels = draw_images(2, 3072)
    write_cifar(tmp_path, (images * 200).astype(np.uint8),
                [int(label) for label in labels])
    train = ndl.data.CIFAR10Dataset(str(tmp_path), True)
    loader = ndl.data.DataLoader(train, batch_size=2)
    np.random.seed(0)
    model = models.ResNet9()
    made = count_programs(monkeypatch)
    _, before = simple_ml.train_cifar10(model, loader, n_epochs=1)
    compiled = len(made)
    assert compiled == 1  # Five batches, a program.
    _, after = simple_ml.train_cifar10(model, loader, n_epochs=1)
    assert len(made) == compiled and after < before
    accuracy, loss = simple_ml.evaluate_cifar10(model, loader)
    assert 0 <= accuracy <= 1 and np.isfinite(loss)


@pytest.mark.parametrize("kind", ["rnn", "lstm", "transformer"])
def test_language_models(tmp_path, kind, monkeypatch):
    """A text of five words in order is learnt."""
    for name in ("train.txt", "test.txt"):
        (tmp_path / name).write_text("we learn by doing\n" * 40)
    corpus = ndl.data.Corpus(str(tmp_path))
    batches = ndl.data.batchify(corpus.train, 4, ndl.cpu(), "float32")
    np.random.seed(0)
    words = len(corpus.dictionary)
    model = models.LanguageModel(8, words, 12, 1, kind, seq_len=7)
    made = count_programs(monkeypatch)
    adam = {"optimizer": optim.Adam, "lr": 0.02}
    _, before = simple_ml.train_ptb(model, batches, seq_len=7, clip=5.0, **adam)
    compiled = len(made)
    # The first state is none, the last piece is not shorter.
    assert len(batches) == 50 and compiled <= 2
    accuracy, after = simple_ml.train_ptb(model, batches, seq_len=7, clip=5.0,
                                          n_epochs=4, **adam)
    assert len(made) == compiled
    assert after < 0.7 * before and accuracy > 0.5
    accuracy, _ = simple_ml.evaluate_ptb(model, batches, seq_len=7)
    assert accuracy > 0.5
    with pytest.raises(hamkaas.HamKaasError, match="'transformer'"):
        models.LanguageModel(2, 2, 2, seq_model="gru")


PROGRAM = """
import sys
import numpy as np
import needle as ndl
import needle.nn as nn
from needle import backend_ndarray as nd
from needle.autograd import Tensor, find_topo_sort
import needle.ops.ops_mathematic
import hamkaas.needle.autograd

assert needle.autograd is hamkaas.needle.autograd
assert needle.ops.ops_mathematic.EWiseAdd is ndl.ops.EWiseAdd

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 16), nn.ReLU(),
                                    nn.Linear(16, 2))

    def forward(self, x):
        return self.layers(x)

np.random.seed(0)
X = np.random.randn(64, 4).astype(np.float32)
y = (X[:, 0] * X[:, 1] > 0).astype(np.int64)
model = Net()
opt = ndl.optim.Adam(model.parameters(), lr=0.02)
loss_fn = nn.SoftmaxLoss()
count = None
for step in range(150):
    opt.reset_grad()
    loss = loss_fn(model(ndl.Tensor(X)), ndl.Tensor(y))
    loss.backward()
    opt.step()
    if step == 5:
        count = ndl.autograd.TENSOR_COUNTER
assert ndl.autograd.TENSOR_COUNTER == count
model.eval()
right = (model(ndl.Tensor(X)).numpy().argmax(axis=1) == y).mean()
print(f"{right > 0.9} {model.parameters()[0].dtype}")
"""


@pytest.mark.parametrize("backend", ["nd", "np"])
def test_alias(tmp_path, backend):
    """A program that imports `needle`, in both modes."""
    (tmp_path / "needle").mkdir()
    (tmp_path / "needle" / "__init__.py").write_text(
        "import hamkaas.needle.alias\nhamkaas.needle.alias.install(__name__)\n")
    (tmp_path / "program.py").write_text(PROGRAM)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    result = subprocess.run(
        [sys.executable, tmp_path / "program.py"], capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": path,
                        "NEEDLE_BACKEND": backend})
    assert result.stdout == "True float32\n", result.stderr


def test_unknown_backend():
    result = subprocess.run(
        [sys.executable, "-c", "import hamkaas.needle"], capture_output=True,
        text=True, env={**os.environ, "NEEDLE_BACKEND": "jax",
                        "PYTHONPATH": os.pathsep.join(sys.path)})
    assert "expected NEEDLE_BACKEND to be 'nd' or 'np', got 'jax'" in \
        result.stderr
