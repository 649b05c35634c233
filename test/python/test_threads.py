# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads, processes, and others in the process."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import hamkaas as hk

X = np.float32([[1, -2, 3]])


def make(**options):
    x = hk.input("x", [1, 3])
    node = (x @ np.eye(3, dtype="float32") + 1.0).relu()
    return hk.compile(node, **options)


def test_many_threads_and_models(rng):
    """Compiled and run at the same time; each result is right."""
    weights = rng.standard_normal([6, 32, 32]).astype("float32")
    x = rng.standard_normal([8, 32]).astype("float32")
    problems = []

    def work(weight):
        try:
            model = hk.compile(hk.input("x", [8, 32]) @ weight, threads=2)
            for _ in range(50):
                np.testing.assert_allclose(model.run({"x": x}), x @ weight,
                                           rtol=1e-3, atol=1e-4)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=[w]) for w in weights]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_runs_of_one_model_wait():
    """Eight threads add to one state; no addition is lost."""
    total = hk.state([1, 256], name="total")
    node = total.replace(total + hk.input("x", [1, 256]), 0, 1)
    model = hk.compile(node)
    other = model.new_instance(share_state=True)
    one = {"x": np.ones([1, 256], "float32")}

    def work(instance):
        for _ in range(500):
            instance.run(one)

    threads = [threading.Thread(target=work, args=[instance])
               for instance in (model, other) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(model.state["total"], np.full([1, 256], 4000))


def test_other_threads_run_meanwhile():
    """A run gives the interpreter's lock to others."""
    x = np.ones([512, 512], "float32")
    node = hk.input("x", [512, 512])
    for _ in range(8):
        node = node @ x
    model = hk.compile(node, threads=1)
    is_done = threading.Event()
    turns = 0

    def take_turns():
        nonlocal turns
        while not is_done.is_set():
            turns += 1
            time.sleep(0)  # Lets go of the lock.

    thread = threading.Thread(target=take_turns)
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # Nobody is made to let go of it.
    thread.start()
    try:
        before = turns
        model.run({"x": x})
        assert turns - before > 10
    finally:
        is_done.set()
        sys.setswitchinterval(switch)
        thread.join()


@pytest.mark.parametrize("action", ["run", "read"])
def test_interrupt_gives_the_lock_back(action):
    """Wherever Ctrl-C strikes, other threads can use the model afterwards."""
    model = hk.compile(hk.state([1], name="s").relu())
    act = {"run": lambda: model.run({}), "read": lambda: model.state["s"]}[action]
    # Python looks for signals where a function begins and after each call.
    places = ("call", "c_return")

    def interrupt(number):
        """Whether `act` has a place of this number, to be interrupted at."""
        left = number

        def count(frame, event, _):
            nonlocal left
            if event in places and "hamkaas" in frame.f_globals["__name__"]:
                left -= 1
                if left == 0:
                    raise KeyboardInterrupt

        try:
            sys.setprofile(count)
            act()
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)
        return left <= 0

    number = 1
    while interrupt(number):
        thread = threading.Thread(target=act, daemon=True)
        thread.start()
        thread.join(10)
        assert not thread.is_alive(), f"interrupted at place {number}"
        number += 1
    assert number > 3


def in_child(work):
    """The exit status of `work` in a forked process."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test_fork():
    model = make(threads=2)
    model.run({"x": X})

    def work():
        np.testing.assert_array_equal(model.run({"x": X}), [[2, 0, 4]])
        np.testing.assert_array_equal(make(threads=2).run({"x": X}),
                                      [[2, 0, 4]])
        hk.input("x", [2]) + hk.input("y", [2])
        model.close()

    assert in_child(work) == 0
    np.testing.assert_array_equal(model.run({"x": X}), [[2, 0, 4]])


def test_fork_while_another_thread_runs():
    """The child does not wait for a thread that it does not have."""
    x = np.ones([512, 512], "float32")
    node = hk.input("x", [512, 512])
    for _ in range(8):
        node = node @ x
    busy, idle = hk.compile(node), make()
    is_done = threading.Event()

    def keep_busy():
        while not is_done.is_set():
            busy.run({"x": x})

    thread = threading.Thread(target=keep_busy)
    thread.start()

    def work():
        signal.alarm(60)
        np.testing.assert_array_equal(idle.run({"x": X}), [[2, 0, 4]])
        try:
            busy.run({"x": x})
        except hk.HamKaasError as error:
            assert "running" in str(error)

    try:
        for _ in range(5):
            assert in_child(work) == 0
    finally:
        is_done.set()
        thread.join()


@pytest.mark.parametrize("work", [
    "model.run({'x': x})",
    "hk.input('y', [random.randint(1, 10**6)]).relu()",
    "hk.compile(node, progress=lambda *_: sum(range(30000)))",
])
def test_daemon_threads_at_the_end(work):
    """Threads that still run when the interpreter ends do not crash."""
    code = f"""
import random, threading, time
import numpy as np
import hamkaas as hk
x = np.ones([4, 4], "float32")
node = hk.input("x", [4, 4]).relu()
model = hk.compile(node)
def work():
    while True:
        {work}
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True,
                            text=True, timeout=100)
    assert result.returncode == 0, result.stderr


def test_another_llvm_in_the_process():
    """torch and llvmlite bring an LLVM of their own."""
    pytest.importorskip("torch", reason="needs torch")
    pytest.importorskip("llvmlite", reason="needs llvmlite")
    code = """
import torch
import llvmlite.binding as llvm
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
module = llvm.parse_assembly("define i32 @f() { ret i32 7 }")
machine = llvm.Target.from_default_triple().create_target_machine()
engine = llvm.create_mcjit_compiler(module, machine)
engine.finalize_object()
import hamkaas as hk
x = hk.input("x", [2, 2])
model = hk.compile((x @ torch.eye(2)).silu().relu())
print(model.run({"x": torch.ones(2, 2)}))
import ctypes
print(ctypes.CFUNCTYPE(ctypes.c_int)(engine.get_function_address("f"))())
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True,
                            text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split()[-1] == "7" and "0.731" in result.stdout
