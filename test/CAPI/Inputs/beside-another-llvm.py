# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles, runs and writes a model in a process with another LLVM.

usage: beside-another-llvm.py LIBRARY OTHER

OTHER is a libLLVM.so, or `llvmlite`. It works afterwards as before.
"""

import ctypes
import os
import sys
import tempfile

SCRIPT = b"""$1 = InputTensor(x, float32, [4]);
$2 = InputTensor(bias, float32, [4]);
$3 = SumNode($1, $2);
$4 = ReLUNode($3);
result = $4;
"""


def load_other(other):
    """Loads it, and returns what makes use of it: its major version."""
    if other == "llvmlite":
        import llvmlite.binding as llvm
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()

        def use():
            module = llvm.parse_assembly(
                "define i32 @major() { ret i32 %d }" % llvm.llvm_version_info[0])
            machine = llvm.Target.from_default_triple().create_target_machine()
            with llvm.create_mcjit_compiler(module, machine) as engine:
                address = engine.get_function_address("major")
                return ctypes.CFUNCTYPE(ctypes.c_int32)(address)()
        return use
    library = ctypes.CDLL(other, ctypes.RTLD_GLOBAL)

    def use():
        numbers = [ctypes.c_uint() for _ in range(3)]
        library.LLVMGetVersion(*map(ctypes.byref, numbers))
        return numbers[0].value
    return use


def main():
    use_other = load_other(sys.argv[2])
    before = use_other()
    library = ctypes.CDLL(sys.argv[1])

    def call(name, *arguments):
        function = getattr(library, name)
        function.restype = ctypes.c_void_p
        error = function(*arguments)
        if error:
            sys.exit(f"{name}: {ctypes.string_at(error).decode()}")

    model, instance = ctypes.c_void_p(), ctypes.c_void_p()
    call("HamKaasModelCompile", SCRIPT, ctypes.c_uint64(len(SCRIPT)), None,
         ctypes.byref(model))
    call("HamKaasModelCreateInstance", model, None, ctypes.byref(instance))
    floats = ctypes.c_float * 4
    x, bias, y = floats(10, 20, 30, -40), floats(1, 2, 3, -4), floats()

    def addresses(*arrays):
        return (ctypes.c_void_p * len(arrays))(*map(ctypes.addressof, arrays))
    call("HamKaasInstanceRun", instance, addresses(x, bias), addresses(y))
    print(list(y))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "adder.so")
        call("HamKaasModelWrite", model, path.encode(), None)
        ctypes.CDLL(path)
    print("written")
    call("HamKaasModelDestroy", model)
    library.HamKaasInstanceDestroy(instance)
    assert use_other() == before
    print("another LLVM:", before)


main()
