# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses all of a library's functions that touch files, and looks around.

usage: host-process.py LIBRARY
"""

import _ctypes
import ctypes
import os
import signal
import sys
import tempfile

SCRIPT = b"""$1 = InputTensor(x, float32, [2]);
$2 = ReLUNode($1);
result = $2;
"""


def signal_state():
    """Which signals are ignored, and which are handled."""
    with open("/proc/self/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    # NOTE: signals 32 and 33 are the C library's own, for threads.
    own = 3 << 31
    return [int(lines[key], 16) & ~own for key in ("SigIgn", "SigCgt")]


def main():
    library = ctypes.CDLL(sys.argv[1])

    def call(name, *arguments):
        function = getattr(library, name)
        function.restype = ctypes.c_void_p
        error = function(*arguments)
        return ctypes.string_at(error).decode() if error else None

    # Where Python starts in the background, it ignores it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    before = signal_state()
    model, instance = ctypes.c_void_p(), ctypes.c_void_p()
    assert not call("HamKaasModelCompile", SCRIPT,
                    ctypes.c_uint64(len(SCRIPT)), None, ctypes.byref(model))
    options = (ctypes.c_uint64 * 9)(72)
    assert not call("HamKaasModelCreateInstance", model, options,
                    ctypes.byref(instance))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "adder.so").encode()
        assert not call("HamKaasModelWrite", model, path, None)
        assert call("HamKaasModelWrite", model, b"/none/x.so", None)
        files = sorted(os.listdir(folder))
    text = ctypes.c_char_p()
    # It fails where there is no Graphviz.
    call("HamKaasModelDescribe", model, 3, ctypes.byref(text))
    call("HamKaasModelDestroy", model)
    print("signals:", "as before" if signal_state() == before else "changed")
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        print("interrupted")

    run = library.HamKaasInstanceRun
    run.restype = ctypes.c_void_p
    destroy = library.HamKaasInstanceDestroy
    _ctypes.dlclose(library._handle)
    x, y = (ctypes.c_float * 2)(-1, 2), (ctypes.c_float * 2)()
    inputs = (ctypes.c_void_p * 1)(ctypes.addressof(x))
    outputs = (ctypes.c_void_p * 1)(ctypes.addressof(y))
    assert not run(instance, inputs, outputs)
    destroy(instance)
    print("threads:", len(os.listdir("/proc/self/task")))
    print("files:", *files)
    print("after closing:", list(y))


main()
