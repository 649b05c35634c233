# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses the interface of the first HamKaas through ctypes.

usage: first-system.py LIBRARY
"""

import ctypes
import sys


class InitializeResult(ctypes.Structure):
    _fields_ = [("handle", ctypes.c_void_p), ("error", ctypes.c_void_p)]


class CompilationOptions(ctypes.Structure):
    _fields_ = [("use_gpu", ctypes.c_bool), ("use_cudnn", ctypes.c_bool)]


class NamedBuffer(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("data", ctypes.c_void_p)]


class CompilationResult(ctypes.Structure):
    _fields_ = [("model", ctypes.c_void_p), ("error", ctypes.c_void_p)]


SCRIPT = b"""$1 = InputTensor(x, float32, [2, 2]);
$2 = ConstantTensor(bias, float32, [2, 2]);
$3 = SumNode($1, $2);
$4 = ReLUNode($3);
result = $4;
"""


def load(path):
    library = ctypes.CDLL(path)
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    buffers = ctypes.POINTER(NamedBuffer)
    for name, result, arguments in [
            ("Initialize", InitializeResult, []),
            ("Finalize", None, [pointer]),
            ("CompileModel", CompilationResult,
             [pointer, CompilationOptions, ctypes.c_char_p, buffers, integer]),
            ("FreeModel", None, [pointer, pointer]),
            ("EvaluateModel", pointer,
             [pointer, pointer, buffers, integer, pointer]),
            ("InverseElements", pointer, [pointer, pointer, integer]),
            ("FreeErrorMessage", None, [pointer])]:
        function = getattr(library, "HamKaas" + name)
        function.restype, function.argtypes = result, arguments
    return library


def report(library, error):
    """Prints and frees an error; false if there is none."""
    if not error:
        return False
    print("error:", ctypes.string_at(error).decode())
    library.HamKaasFreeErrorMessage(error)
    return True


def named(buffers):
    array = (NamedBuffer * len(buffers))()
    for place, (name, data) in zip(array, buffers.items()):
        place.name = name.encode()
        place.data = ctypes.cast(data, ctypes.c_void_p)
    return array


def main():
    library = load(sys.argv[1])
    session = library.HamKaasInitialize()
    assert not report(library, session.error)
    floats = ctypes.c_float * 4
    x, bias, output = floats(10, 20, 30, -40), floats(1, 2, 3, -4), floats()

    def compile_model(script, constants, *options):
        constants = named(constants)
        result = library.HamKaasCompileModel(
            session.handle, CompilationOptions(*options), script, constants,
            len(constants))
        assert report(library, result.error) != bool(result.model)
        return result.model

    def evaluate(model, inputs):
        inputs = named(inputs)
        if not report(library, library.HamKaasEvaluateModel(
                session.handle, model, inputs, len(inputs), output)):
            print(list(output))

    for options in [(False, False), (True, True)]:
        model = compile_model(SCRIPT, {"bias": bias}, *options)
        evaluate(model, {"x": x})
        if options[0]:
            evaluate(model, {})
        library.HamKaasFreeModel(session.handle, model)
    compile_model(b"$1 = SumNode($2, $3);\nresult = $1;\n", {}, False, False)
    compile_model(SCRIPT, {"bias": bias}, False, True)

    three = ctypes.c_float * 3
    inverse = three()
    for elements in [three(1, 2, 4), three(0, 1, 1)]:
        if not report(library, library.HamKaasInverseElements(
                elements, inverse, 3)):
            print(list(inverse))
    library.HamKaasFinalize(session.handle)


main()
