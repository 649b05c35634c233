# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""State that models keep between runs."""

import os
import resource

import numpy as np
import pytest

import hamkaas as hk


def make(**options):
    """Writes `value` to the row `at` of the state and returns all of it."""
    keys = hk.state([4, 2], name="keys")
    at = hk.input("at", [1], dtype="int64")
    end = hk.input("end", [1], dtype="int64")
    node = keys.replace(hk.input("value", [1, 2]), at, end)
    return hk.compile(node, **options)


def write(model, row, number):
    return model.run({"value": np.full([1, 2], number, "float32"),
                      "at": np.int64([row]), "end": np.int64([row + 1])})


def first_column(array):
    return array[:, 0].tolist()


def test_state_is_kept():
    model = make()
    assert model.states == (hk.TensorInfo("keys", np.dtype("float32"), (4, 2)), )
    write(model, 1, 5)
    assert first_column(write(model, 3, 7)) == [0, 5, 0, 7]
    assert first_column(model.state["keys"]) == [0, 5, 0, 7]
    model.state.reset()
    assert first_column(model.state["keys"]) == [0, 0, 0, 0]


def test_a_failed_run_leaves_it():
    model = make()
    write(model, 1, 5)
    with pytest.raises(hk.HamKaasError, match="test_state.py:.* got begin 4"):
        write(model, 4, 6)
    assert first_column(model.state["keys"]) == [0, 5, 0, 0]


def test_reading_gives_copies():
    model = make()
    write(model, 0, 1)
    copy = model.state["keys"]
    copy[:] = 9
    write(model, 1, 2)
    assert first_column(model.state["keys"]) == [1, 2, 0, 0]
    assert first_column(copy) == [9, 9, 9, 9]


def test_assigning():
    model = make()
    model.state["keys"] = np.float32([[1, 2, 3, 4], [5, 6, 7, 8]]).T
    assert first_column(write(model, 0, 0)) == [0, 2, 3, 4]
    assert dict(model.state).keys() == {"keys"} and len(model.state) == 1
    assert repr(model.state) == "<hamkaas.State 32 bytes (keys: float32 [4, 2])>"


@pytest.mark.parametrize("value, found", [
    (np.zeros([4, 2]), "float64 [4, 2]"),
    (np.zeros([2, 4], "float32"), "float32 [2, 4]"),
    (3.0, "float, not an array; numpy.asarray makes an array of it"),
])
def test_assigning_what_does_not_fit(value, found):
    model = make()
    with pytest.raises(hk.HamKaasError) as info:
        model.state["keys"] = value
    assert str(info.value) == (
        f"expected state 'keys' to be float32 [4, 2], got {found}")


def test_unknown_state():
    model = make()
    with pytest.raises(KeyError, match="expected the name of a state, got "
                       "'values'; the model has 'keys'"):
        model.state["values"]
    with pytest.raises(hk.HamKaasError, match="unknown state 'values'"):
        model.state["values"] = np.zeros([4, 2], "float32")
    assert "values" not in model.state


def test_model_without_state():
    state = hk.compile(hk.input("x", [2]).relu()).state
    assert dict(state) == {} and repr(state) == "<hamkaas.State none>"
    state.reset()


def test_states_without_names():
    first, second = hk.state([1]), hk.state([2])
    node = first.replace(np.ones(1, "float32"), 0, 1)[0:1].reshape([1]) + \
        second[0:1]
    model = hk.compile(node)
    model.run({})
    assert {name: array.tolist() for name, array in model.state.items()} == {
        "buffer_0": [1], "buffer_1": [0, 0]}


def test_files(tmp_path):
    model = make()
    write(model, 2, 3)
    model.state.save(tmp_path / "state.safetensors")
    write(model, 2, 4)
    model.state.load(str(tmp_path / "state.safetensors"))
    assert first_column(model.state["keys"]) == [0, 0, 3, 0]
    # Another process would make another model.
    other = make()
    other.state.load(tmp_path / "state.safetensors")
    assert first_column(other.state["keys"]) == [0, 0, 3, 0]


def test_files_as_others_see_them(tmp_path):
    numpy = pytest.importorskip("safetensors.numpy", reason="needs safetensors")
    model = make()
    write(model, 2, 3)
    path = tmp_path / "state.safetensors"
    model.state.save(path)
    assert first_column(numpy.load_file(path)["keys"]) == [0, 0, 3, 0]
    numpy.save_file({"keys": np.ones([4, 2], "float32")}, path)
    model.state.load(path)
    assert first_column(model.state["keys"]) == [1, 1, 1, 1]
    for wrong in ({"keys": np.ones([2, 4], "float32")},
                  {"keys": np.ones([4, 2])}, {},
                  {"keys": np.ones([4, 2], "float32"),
                   "more": np.ones(1, "float32")}):
        numpy.save_file(wrong, path)
        with pytest.raises(hk.HamKaasError):
            model.state.load(path)
    assert first_column(model.state["keys"]) == [1, 1, 1, 1]


@pytest.mark.parametrize("content", [None, b"", b"\x10" + bytes(7) + b"{", b"x" * 99])
def test_wrong_files(tmp_path, content):
    model = make()
    write(model, 0, 1)
    path = tmp_path / "state.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(hk.HamKaasError, match="state.safetensors"):
        model.state.load(path)
    assert first_column(model.state["keys"]) == [1, 0, 0, 0]
    with pytest.raises(hk.HamKaasError, match="missing"):
        model.state.save(tmp_path / "missing" / "state.safetensors")


def make_loader(batches):
    return hk.data.DataLoader(hk.data.ArrayDataset(np.arange(2 * batches)), 2,
                              shuffle=True, seed=5)


def test_snapshots_hold_the_loader(tmp_path):
    path = tmp_path / "snapshot"
    model, loader = make(), make_loader(4)
    batches = iter(loader)
    next(batches)
    write(model, 2, 3)
    model.state.save(path, loader=loader, extra={
        "loss": np.float32([1, 2]), "epoch": np.int64(3)})
    left = [batch.tolist() for (batch, ) in batches]
    write(model, 2, 4)
    other = make_loader(4)
    extra = {"loss": np.zeros(2, "float32"), "epoch": np.zeros([], "int64")}
    model.state.load(path, loader=other, extra=extra)
    assert first_column(model.state["keys"]) == [0, 0, 3, 0]
    assert [batch.tolist() for (batch, ) in other] == left
    assert extra["loss"].tolist() == [1, 2] and extra["epoch"] == 3
    model.state.load(path)


def test_snapshots_that_do_not_fit(tmp_path):
    path = tmp_path / "snapshot"
    model, loader = make(), make_loader(4)
    write(model, 2, 3)
    iterator = iter(loader)
    for _ in range(3):
        next(iterator)
    model.state.save(path, loader=loader)
    write(model, 2, 4)
    extra = {"loss": np.full(2, 9, "float32")}
    with pytest.raises(hk.HamKaasError, match=r"missing extra tensors "
                       r"'extra.loss' \(float32 \[2\]\)"):
        model.state.load(path, extra=extra, loader=loader)
    with pytest.raises(hk.HamKaasError, match="among 2 batches, got"):
        model.state.load(path, loader=make_loader(2))
    state = hk.state([4, 3], name="keys")
    other = hk.compile(hk.sum(state))
    before = loader.position
    with pytest.raises(hk.HamKaasError, match=r"tensor 'keys': expected "
                       r"float32 \[4, 3\], got float32 \[4, 2\]"):
        other.state.load(path, loader=loader)
    assert first_column(model.state["keys"]) == [0, 0, 4, 0]
    assert extra["loss"].tolist() == [9, 9]
    assert loader.position.tolist() == before.tolist()
    with pytest.raises(hk.HamKaasError, match="of a type that a file has"):
        model.state.save(path, extra={"name": "text"})


def test_full_disk(tmp_path):
    path = tmp_path / "snapshot"
    model = make()
    write(model, 2, 3)
    model.state.save(path)
    write(model, 2, 4)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (90, limits[1]))
    try:
        with pytest.raises(hk.HamKaasError, match="cannot write "
                           f"'{path}': File too large"):
            model.state.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert os.listdir(tmp_path) == ["snapshot"]
    model.state.load(path)
    assert first_column(model.state["keys"]) == [0, 0, 3, 0]


def test_instances_have_their_own():
    model = make()
    write(model, 0, 1)
    other = model.new_instance()
    assert first_column(write(other, 1, 2)) == [0, 2, 0, 0]
    assert first_column(model.state["keys"]) == [1, 0, 0, 0]


def test_instances_that_share():
    model = make()
    other = model.new_instance(threads=1, share_state=True)
    write(model, 0, 1)
    assert first_column(write(other, 1, 2)) == [1, 2, 0, 0]
    model.close()
    assert first_column(other.state["keys"]) == [1, 2, 0, 0]


def test_instances_share_constants(rng):
    """A second instance takes no second copy of 64 MB of weights."""
    weights = rng.standard_normal([4096, 4096], np.float32)
    model = hk.compile(hk.input("x", [1, 4096]) @ weights)

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    before = resident()
    others = [model.new_instance() for _ in range(4)]
    assert resident() - before < weights.nbytes // 2
    x = {"x": rng.standard_normal([1, 4096], np.float32)}
    for other in others:
        np.testing.assert_array_equal(other.run(x), model.run(x))


def test_two_programs_over_one_state():
    keys = hk.state([4, 2], name="keys")
    model = make()
    reader = hk.compile(keys * 2.0, state_of=model)
    write(model, 3, 4)
    assert first_column(reader.run({})) == [0, 0, 0, 8]


@pytest.mark.parametrize("shape, name, dtype", [
    ([4, 3], "keys", "float32"), ([4, 2], "key", "float32"),
    ([4, 2], "keys", "int64"),
])
def test_states_that_differ(shape, name, dtype):
    node = hk.state(shape, name=name, dtype=dtype).reshape([np.prod(shape)])
    with pytest.raises(hk.HamKaasError, match="keys"):
        hk.compile(node, state_of=make())


def test_old_and_new_contents():
    """A read that the graph visits before the write sees the old rows."""
    history = hk.state([4], name="history")
    old = history.relu()
    new = history.replace(hk.input("x", [1]), 1, 2)
    model = hk.compile(old + new)
    x = {"x": np.float32([7])}
    assert model.run(x).tolist() == [0, 7, 0, 0]
    assert model.run(x).tolist() == [0, 14, 0, 0]


def test_large_initial_contents(tmp_path):
    """Arrays that are no part of the program are kept beside it."""
    contents = np.arange(70000, dtype="float32").reshape(7, 10000)
    large = hk.state([7, 10000], "large", initial=contents)
    node = large.replace(large + 1, 0, 7)[:, :2]
    model = hk.compile(node)
    np.testing.assert_array_equal(model.run({}), contents[:, :2] + 1)
    np.testing.assert_array_equal(model.run({}), contents[:, :2] + 2)
    model.state.reset()
    np.testing.assert_array_equal(model.state["large"], contents)
    other = model.new_instance()
    model.run({})
    np.testing.assert_array_equal(other.state["large"], contents)
    script = hk.write_script(node)
    assert "large" in script.constants
    (tmp_path / "state.hk").write_text(script.text)
    loaded = hk.load(tmp_path / "state.hk", parameters=script.constants)
    np.testing.assert_array_equal(loaded.run({}), contents[:, :2] + 1)
    model.state.reset()
    model.save(tmp_path / "state.so")
    np.testing.assert_array_equal(
        hk.load(tmp_path / "state.so").run({}), contents[:, :2] + 1)


def test_large_states_of_one_name_have_equal_contents():
    first, second = (hk.state([70000], "s", initial=np.full(
        70000, value, "float32")) for value in (1, 2))
    with pytest.raises(hk.HamKaasError, match="expected 's' to have the same "
                       "elements in all functions, got others"):
        hk.compile({"a": hk.function(first + 1), "b": hk.function(second)})


def test_initial_contents(tmp_path):
    """Numbers and arrays, which a reset restores, also in scripts."""
    last = hk.state([2], "last", initial=np.float32([3, -1]))
    ones = hk.state([2, 2], "ones", dtype="int8", initial=1)
    node = last.replace(last + 1, 0, 2) * hk.sum(ones).astype("float32")
    model = hk.compile(node)
    for expected in ([16, 0], [20, 4]):
        np.testing.assert_array_equal(model.run({}), expected)
    model.state.reset()
    np.testing.assert_array_equal(model.state["last"], [3, -1])
    script = hk.write_script(node)
    (tmp_path / "state.hk").write_text(script.text)
    loaded = hk.load(tmp_path / "state.hk", parameters=script.constants)
    np.testing.assert_array_equal(loaded.run({}), [16, 0])
    for wrong, message in (
            (lambda: hk.state([2], initial=np.zeros(3, "float32")),
             r"of the shape \[2\], got \[3\]"),
            (lambda: hk.state([2], dtype="int8", initial=200), "got 200")):
        with pytest.raises(hk.HamKaasError, match=message):
            wrong()


#===------------------------------------------------------------------------===#
# Runs that fail late
#===------------------------------------------------------------------------===#


TABLE = np.arange(10, dtype="float32").reshape(5, 2)


def pick(number):
    """Rows of the table at a place that only the run knows."""
    return hk.take(hk.constant(TABLE), number.astype("int64").reshape([1]),
                   axis=0)


def write_all(state, x):
    """A state that is written and not read."""
    new = state.replace(hk.tanh(x), 0, 4)
    return {"late": pick(hk.sum(x) * 2), "y": new * 2}


def write_all_that_is_checked(state, x):
    return {"late": pick(hk.sum(state.replace(x * 1.5, 0, 4)))}


def write_a_part(state, x):
    new = state.replace(hk.tanh(x)[1:3], 1, 3)
    return {"late": pick(hk.sum(new) * 3)}


def write_where_the_run_says(state, x):
    begin = hk.sum(x).astype("int64").reshape([1])
    new = state.replace(x[:2], begin, begin + 2)
    return {"sum": hk.sum(new)}


def make_a_nan(state, x):
    new = state.replace(x[1:3], 1, 3)
    return {"sum": hk.sum(new), "root": hk.sqrt(hk.sum(new) + 1)}


def carry(state, x):
    def step(total, number):
        total = total + number
        return total, pick(hk.sum(total))

    total, rows = hk.scan(step, state, x)
    return {"new": state.replace(total, 0, 4), "rows": rows}


def write_rows(state, x):
    def step(total, number):
        total = total + number
        return total, total * hk.sum(pick(total))

    _, rows = hk.scan(step, np.zeros([], "float32"), x)
    return {"sum": hk.sum(state.replace(rows, 0, 4))}


LATE_FAILURES = [write_all, write_all_that_is_checked, write_a_part,
                 write_where_the_run_says, carry, write_rows]


@pytest.mark.parametrize("build, good, bad", [
    *[(build, 0.25, 4.0) for build in LATE_FAILURES],
    (make_a_nan, 0.75, -2.0)])
def test_a_run_that_fails_late_leaves_it(build, good, bad):
    state, x = hk.state([4], "s", initial=[0.5, 0, 0, 0]), hk.input("x", [4])
    model = hk.compile(build(state, x), check_nan=build is make_a_nan)
    model.run({"x": np.full([4], good / 4, "float32")})
    before = model.state["s"]
    assert before.tolist() != [0.5, 0, 0, 0]
    with pytest.raises(hk.HamKaasError, match="expected"):
        model.run({"x": np.full([4], bad, "float32")})
    assert model.state["s"].tolist() == before.tolist()
