# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loop of training: its history, progress, snapshots and errors."""

import io
import re
import sys

import numpy as np
import pytest

import hamkaas as hk

ROWS, BATCH = 40, 8


def compile_model():
    x, y = hk.input("x", [BATCH, 3]), hk.input("y", [BATCH])
    w = hk.state([3], "w")
    loss = hk.nn.mse_loss(x @ w, y)
    return hk.compile({
        "train_step": hk.train_step(loss, hk.optim.Adam(lr=0.1)),
        "evaluate": hk.function({"loss": loss,
                                 "largest": hk.max(hk.abs(x @ w - y))})})


def make_loader(seed=1):
    x = np.random.default_rng(0).normal(size=[ROWS, 3]).astype("float32")
    rows = hk.data.ArrayDataset(x, x @ np.float32([3, -1, 2]))
    return hk.data.DataLoader(rows, BATCH, shuffle=True, seed=seed)


def fit(model, loader, epochs=4, **options):
    return hk.fit(model, loader, epochs, names=["x", "y"],
                  **{"progress": False, **options})


def test_history_has_each_step_and_each_evaluation():
    history = fit(compile_model(), make_loader(), 40, evaluate=make_loader(2))
    assert history.steps == list(range(1, 201))
    assert len(history.losses) == 200
    assert history.losses[-1] < 0.01 * history.losses[0]
    assert [step for step, _ in history.evaluations] == list(range(5, 201, 5))
    first, last = history.evaluations[0][1], history.evaluations[-1][1]
    assert last["loss"] < first["loss"] and last["largest"] < first["largest"]


def test_means_of_an_evaluation():
    model, loader = compile_model(), make_loader(2)
    history = fit(model, make_loader(), 1, evaluate=loader)
    found = [model.evaluate.run({"x": x, "y": y})["loss"] for x, y in loader]
    np.testing.assert_allclose(history.evaluations[0][1]["loss"],
                               np.mean(found), rtol=1e-6)


def test_fit_twice_goes_on():
    model, loader = compile_model(), make_loader()
    fit(model, loader, 2)
    assert fit(model, loader, 1).steps == list(range(11, 16))


class Stop(Exception):
    pass


def test_resumed_training_gives_the_same_bits(tmp_path):
    straight = compile_model()
    expected = fit(straight, make_loader())
    path, loader, model = tmp_path / "s.safetensors", make_loader(), \
        compile_model()

    class Stopping(type(loader)):
        def _make(self, epoch, indices):
            if epoch == 2:
                raise Stop
            return super()._make(epoch, indices)

    loader.__class__ = Stopping
    with pytest.raises(Stop):
        fit(model, loader, snapshot=path, every=7)
    resumed = compile_model()
    history = fit(resumed, make_loader(), snapshot=path, resume=True)
    assert history.steps == list(range(8, 21))
    assert history.losses == expected.losses[7:]
    for name in straight.state:
        np.testing.assert_array_equal(resumed.state[name],
                                      straight.state[name])
    assert fit(compile_model(), make_loader(), snapshot=path,
               resume=True).steps == []


def test_lines_of_the_progress(capsys):
    fit(compile_model(), make_loader(), 2, progress=True,
        evaluate=make_loader(2))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert re.fullmatch(
        r"epoch 2/2  step 10/10  loss [\d.]+  largest [\d.]+  "
        r"[\d,]+ examples/s  [\d.]+ \w+  0:00 left", lines[1])


def test_line_on_a_terminal_is_rewritten(monkeypatch):
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", screen)
    fit(compile_model(), make_loader(), 2, progress=True)
    assert screen.getvalue().count("\r") >= 2
    assert screen.getvalue().count("\n") == 1


def test_batches_may_be_dictionaries():
    rows = [{"x": np.ones([BATCH, 3], "float32"),
             "y": np.ones(BATCH, "float32")}] * 3
    assert hk.fit(compile_model(), rows, 2, progress=False).steps == [
        1, 2, 3, 4, 5, 6]


def test_models_of_files_train(tmp_path):
    """A library, which has forgotten the dictionary, and a script."""
    compile_model().save(tmp_path / "train.so")
    saved = hk.load(tmp_path / "train.so")
    history = hk.fit(saved, make_loader(), 1, names=["x", "y"])
    expected = hk.fit(compile_model(), make_loader(), 1, names=["x", "y"])
    assert history.losses == expected.losses
    (tmp_path / "net.hk").write_text(
        f"$1 = InputTensor(x, float32, [{BATCH}, 3]);\n"
        "$2 = ConstantTensor(w, float32, [3, 1]);\n"
        "$3 = MatMulNode($1, $2);\n"
        f"$4 = ReshapeNode($3, [{BATCH}]);\n"
        "result = $4;\n")
    model = hk.load(tmp_path / "net.hk", train=True, loss="mse",
                    optimizer="adam:lr=0.1",
                    parameters={"w": np.zeros([3, 1], "float32")})
    history = hk.fit(model, make_loader(), 2, names=["x", "labels"],
                     evaluate=make_loader(2))
    np.testing.assert_allclose(history.losses[:5], expected.losses, rtol=1e-5)
    assert len(history.evaluations) == 2


def test_libraries_have_results_by_name(tmp_path):
    x, w = hk.input("x", [2]), hk.state([], name="w")
    loss = hk.mean((x - w) ** 2)
    model = hk.compile({
        "train_step": hk.train_step(loss, hk.optim.SGD(lr=0.25),
                                    outputs={"mean": hk.mean(x)}),
        "evaluate": hk.function({"loss": loss, "mean": hk.mean(x)})})
    model.save(tmp_path / "train.so")
    loader = hk.data.DataLoader(
        hk.data.ArrayDataset(np.arange(4, dtype="float32")), 2)
    for one in (model, hk.load(tmp_path / "train.so")):
        history = hk.fit(one, loader, 1, names=["x"], evaluate=loader,
                         progress=False)
        assert history.losses == [0.5, 5.3125]
        (_, evaluation), = history.evaluations
        assert evaluation["mean"] == 1.5


def test_bad_arguments(tmp_path):
    model = compile_model()
    with pytest.raises(hk.HamKaasError, match="each of the 2 arrays.*got None"):
        hk.fit(model, make_loader(), 1, progress=False)
    with pytest.raises(hk.HamKaasError, match=r"2 arrays.*got \['x'\]"):
        hk.fit(model, make_loader(), 1, names=["x"], progress=False)
    with pytest.raises(hk.HamKaasError, match="function 'go' of the model"):
        fit(model, make_loader(), step="go")
    with pytest.raises(hk.HamKaasError, match="at least one batch"):
        fit(model, [])
    with pytest.raises(TypeError, match="DataLoader.*got list"):
        fit(model, [1], snapshot=tmp_path / "s")
    with pytest.raises(hk.HamKaasError, match="snapshot to resume from"):
        fit(model, make_loader(), resume=True)
    with pytest.raises(TypeError, match="a hamkaas.Model, got int"):
        fit(3, make_loader())
    with pytest.raises(TypeError, match="number is known.*got generator"):
        fit(model, (batch for batch in ()))
    with pytest.raises(hk.HamKaasError, match="0 or more epochs, got -1"):
        hk.fit(model, make_loader(), -1)


def test_curves_need_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(hk.HamKaasError, match="pip install matplotlib"):
        fit(compile_model(), make_loader()).save(tmp_path / "loss.svg")


def test_curves_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    history = fit(compile_model(), make_loader(), evaluate=make_loader(2))
    history.save(tmp_path / "loss.svg")
    assert "<svg" in (tmp_path / "loss.svg").read_text()
    with pytest.raises(hk.HamKaasError, match="loss.unknown"):
        history.save(tmp_path / "loss.unknown")
