# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the small files that the tests of the tools read, into argv[1]."""
import json
import struct
import sys

import numpy as np

folder = sys.argv[1]


def save(name, array):
    np.save(f"{folder}/{name}.npy", array)


def weights(name, tensors, header=None):
    entries, data = {}, b""
    for key, array in tensors.items():
        dtype = {"float32": "F32", "int64": "I64", "float64": "F64"}[
            str(array.dtype)]
        entries[key] = {"dtype": dtype, "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = (json.dumps(entries) if header is None else header).encode()
    with open(f"{folder}/{name}.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


x = np.arange(6, dtype=np.float32).reshape(2, 3)
save("x", x)
save("x64", x.astype(np.float64))
save("x-shape", x.reshape(3, 2))
save("one", np.array([1], np.int64))
save("two", np.array([2], np.int64))
save("five", np.array([5], np.int64))
save("ones", np.ones((1, 3), np.float32))
save("value", np.array([7], np.float32))
with open(f"{folder}/x.npy", "rb") as file:
    whole = file.read()
with open(f"{folder}/truncated.npy", "wb") as file:
    file.write(whole[:-4])

scale = np.array([[1, 10, 100]], np.float32)
weights("good", {"scale": scale})
weights("missing", {})
weights("main", {"main": scale})
weights("extra", {"scale": scale, "other": scale})
weights("shape", {"scale": scale.reshape(3)})
weights("dtype", {"scale": scale.astype(np.float64)})
weights("json", {"scale": scale}, header="{")
weights("outside", {"scale": scale}, header=json.dumps(
    {"scale": {"dtype": "F32", "shape": [1, 3], "data_offsets": [8, 20]}}))
with open(f"{folder}/good.safetensors", "rb") as file:
    whole = file.read()
with open(f"{folder}/truncated.safetensors", "wb") as file:
    file.write(whole[:-4])
with open(f"{folder}/header.safetensors", "wb") as file:
    file.write(struct.pack("<Q", 1 << 60) + whole[8:])
with open(f"{folder}/cut-header.safetensors", "wb") as file:
    file.write(struct.pack("<Q", 99999) + whole[8:])
with open(f"{folder}/short.safetensors", "wb") as file:
    file.write(whole[:3])
weights("offsets", {"scale": scale[:, :2]}, header=json.dumps(
    {"scale": {"dtype": "F32", "shape": [1, 3], "data_offsets": [0, 8]}}))
weights("overlap", {"first": scale, "scale": scale[:, :2]}, header=json.dumps(
    {"first": {"dtype": "F32", "shape": [1, 3], "data_offsets": [0, 12]},
     "scale": {"dtype": "F32", "shape": [1, 3], "data_offsets": [8, 20]}}))
np.save(f"{folder}/fortran.npy", np.asfortranarray(x))
np.save(f"{folder}/objects.npy", x.astype(object))
