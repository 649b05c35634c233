# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversion of arrays, and element types by name."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, NamedTuple, Optional, Tuple, Union, cast

import numpy as np
from numpy.typing import NDArray

from . import _native
from .errors import HamKaasError
from .positions import make_error

Array = NDArray[Any]
Shape = Tuple[int, ...]

DTypeLike = Union[str, type, "np.dtype[Any]", Any]
"""``"float32"``, ``"int8"``, ..., or the same as a dtype of numpy or torch."""

# numpy has no bfloat16, and cannot show the one of ml_dtypes to others; between
# here and C++ it is a record, whose field has its name.
_BFLOAT16_BITS = np.dtype([("bfloat16", "<u2")])

_DLPACK_CPU, _DLPACK_CUDA, _DLPACK_CUDA_MANAGED = 1, 2, 13

# The default stream of a GPU's context, as DLPack and
# `__cuda_array_interface__` number it. What the runtime does comes after what
# was begun there.
_DEFAULT_STREAM = 1


def is_torch_tensor(value: object) -> bool:
    """Whether ``value`` is a tensor of torch, which this does not import."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def dtype_of(name: str) -> Union["np.dtype[Any]", str]:
    """The dtype of an element type of a model, by its name.

    bfloat16 is in the package ml_dtypes; without it the name is
    returned.

    >>> dtype_of("bool")
    dtype('bool')
    """
    if name != "bfloat16":
        return np.dtype(name)
    try:
        return np.dtype(import_module("ml_dtypes").bfloat16)
    except ImportError:
        return name


def item_size(dtype: Union["np.dtype[Any]", str]) -> int:
    """The bytes of an element; of bfloat16 also where `dtype_of` has a name."""
    return 2 if dtype == "bfloat16" else np.dtype(dtype).itemsize


def describe(value: object) -> str:
    """The type and the shape of an array, or what else ``value`` is.

    >>> describe(np.zeros([2, 3], bool))
    'bool [2, 3]'
    """
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    name = "bfloat16" if value.dtype == _BFLOAT16_BITS else value.dtype
    return f"{name} {list(value.shape)}"


def element_type_name(dtype: DTypeLike) -> str:
    """The name of an element type as a script has it; any name, also unknown.

    >>> element_type_name(np.float32)
    'float32'
    """
    text = str(dtype)
    if text.startswith("torch."):
        return text[len("torch."):]
    if text == "bfloat16":
        return text
    try:
        known = np.dtype(dtype)
    except TypeError:
        raise HamKaasError(
            f"expected an element type such as float32, got {dtype!r}") \
            from None
    if known == _BFLOAT16_BITS:
        return "bfloat16"
    # Numbers of the other byte order, strings and records have no such name.
    if not known.isnative or not known.name.isalnum():
        raise HamKaasError(
            f"expected an element type such as float32, got {known}")
    return known.name


def shape_of(shape: Any, what: str = "", hint: str = "") -> Shape:
    """A shape as a tuple of Python's integers.

    Raises ``TypeError`` for what is no sequence of integers, with the name of
    the argument, if it is given, and a hint.
    """
    from operator import index
    try:
        return tuple(index(size) for size in shape)
    except TypeError:
        name = f"{what} to be " if what else ""
        raise TypeError(f"expected {name}a list of whole numbers, such as "
                        f"[2, 3], got {shape!r:.100}{hint}") from None


def _from_torch(tensor: Any) -> Array:
    if tensor.device.type != "cpu" or tensor.layout != sys.modules[
            "torch"].strided:
        raise TypeError(f"a torch tensor on {tensor.device} of layout "
                        f"{tensor.layout}, expected a dense one on the CPU")
    # Lazily conjugated or negated tensors share memory that is not theirs.
    tensor = tensor.detach().resolve_conj().resolve_neg()
    torch = sys.modules["torch"]
    try:
        if tensor.dtype == torch.bfloat16:
            bits = cast(Array, tensor.view(torch.int16).numpy())
            return bits.view(_BFLOAT16_BITS)
        return cast(Array, tensor.numpy())
    except TypeError:
        # A type that numpy lacks.
        raise TypeError(f"{tensor.dtype} {list(tensor.shape)}") from None


def _with_bits(array: Array) -> Array:
    if array.dtype.name == "bfloat16":
        return array.view(_BFLOAT16_BITS)
    return array


def as_input(value: object) -> Array:
    """``value`` as a numpy array, without a copy where that can be.

    Numbers of type bfloat16 are records of their bits. Takes arrays of numpy, tensors of torch on the CPU, and whatever offers
    DLPack, ``__array__`` or the buffer protocol. Raises ``TypeError`` with what
    was found for anything else.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("a masked array")
    if isinstance(value, (np.ndarray, np.generic)):
        return _with_bits(np.asarray(value))
    if is_torch_tensor(value):
        return _from_torch(value)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        try:
            return _with_bits(np.asarray(value))
        except TypeError as error:
            raise TypeError(f"{type(value).__name__}, not an array: {error}") \
                from None
    if hasattr(value, "__dlpack__"):
        device = cast(Any, value).__dlpack_device__()
        if device[0] != _DLPACK_CPU:
            raise TypeError(f"an array on device {device} of DLPack")
        return np.from_dlpack(value)
    try:
        return np.asarray(memoryview(cast(Any, value)))
    except TypeError:
        hint = ("; numpy.asarray makes an array of it"
                if isinstance(value, (list, tuple, int, float)) else "")
        raise TypeError(f"{type(value).__name__}, not an array{hint}") from None


def as_output(value: object) -> Array:
    """The memory of ``value``, an array to write to, as a numpy array.

    Takes arrays of numpy and tensors of torch on the CPU; others may only seem
    to share their memory. Raises ``TypeError`` for anything else.
    """
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("a masked array")
    if isinstance(value, np.ndarray):
        return _with_bits(value.view(np.ndarray))
    if is_torch_tensor(value):
        if cast(Any, value).is_neg() or cast(Any, value).is_conj():
            raise TypeError("a torch tensor that is lazily negated")
        return _from_torch(value)
    raise TypeError(f"{type(value).__name__}, expected an array of numpy or a "
                    "tensor of torch")


class GpuArray(NamedTuple):
    """Elements in the memory of a GPU."""

    address: int
    dtype: str
    shape: Shape
    is_dense: bool
    owner: object


def _from_cuda_interface(value: object, is_output: bool) -> GpuArray:
    interface = cast(Any, value).__cuda_array_interface__
    address, is_read_only = interface["data"]
    dtype = np.dtype(interface["typestr"])
    shape = tuple(interface["shape"])
    if is_output and is_read_only:
        raise TypeError("an array that is read-only")
    if interface.get("mask") is not None:
        raise TypeError("a masked array")
    if interface.get("stream") not in (None, _DEFAULT_STREAM):
        raise TypeError("an array that another stream than the default one "
                        "works on; synchronise it, or use the default stream")
    strides, size, is_dense = interface.get("strides"), dtype.itemsize, True
    for length, stride in zip(reversed(shape), reversed(strides or ())):
        is_dense &= length == 1 or stride == size
        size *= length
    return GpuArray(address, element_type_name(dtype), shape,
                    is_dense or 0 in shape, value)


def _torch_capsule(tensor: Any, is_output: bool) -> object:
    if tensor.layout != sys.modules["torch"].strided:
        raise TypeError(f"a torch tensor of layout {tensor.layout}, expected a "
                        "dense one")
    tensor = tensor.detach()
    if is_output:
        if tensor.is_neg() or tensor.is_conj():
            raise TypeError("a torch tensor that is lazily negated")
    else:
        tensor = tensor.resolve_conj().resolve_neg().contiguous()
    return tensor.__dlpack__(stream=_DEFAULT_STREAM)


def as_gpu_array(value: object, is_output: bool) -> Optional[object]:
    """The elements of ``value`` in the memory of a GPU: a capsule of DLPack or
    a GpuArray.

    None if they are not there. What other streams compute of them is waited for
    by the GPU. Raises ``TypeError`` with what was found for what cannot be used.
    """
    if is_torch_tensor(value):
        return _torch_capsule(value,
                              is_output) if cast(Any, value).is_cuda else None
    # An output must be the memory itself, which DLPack may show read-only.
    if hasattr(value, "__cuda_array_interface__") and (
            is_output or not hasattr(value, "__dlpack__")):
        return _from_cuda_interface(value, is_output)
    if is_output or not hasattr(value, "__dlpack__"):
        return None
    device = cast(Any, value).__dlpack_device__()
    if device[0] not in (_DLPACK_CUDA, _DLPACK_CUDA_MANAGED):
        return None
    capsule: object = cast(Any, value).__dlpack__(stream=_DEFAULT_STREAM)
    return capsule


def digest(value: object) -> str:
    """The BLAKE3 of the elements of an array, as they lie in memory.

    As `model.run` takes and returns arrays. It is what `hamkaas-run --digest`
    prints for an output, so two users who ran a model on equal inputs can
    compare what they got: equal digests are equal bits. A model gives the same
    bits on all machines of one instruction set level (`target_cpu`), whatever
    the number of threads.

    >>> import hamkaas as hk, numpy as np
    >>> hk.digest(np.float32([1, 2, 3]))[:16]
    '8eca85c9292e3aba'
    """
    array = check_array("value", value)
    dtype = array.dtype
    if dtype != _BFLOAT16_BITS and (dtype.kind not in "biuf"
                                    or not dtype.isnative):
        raise HamKaasError(f"expected an array of numbers of this machine's "
                           f"byte order, got {dtype}")
    # Of whatever type, also one that numpy shows to nobody.
    return _native.digest(array.reshape(-1).view(np.uint8))


def as_dense(value: object) -> Array:
    """``value`` as a dense row-major array, copied if it is not one."""
    return np.require(as_input(value), requirements=["C", "A"])


def check_array(what: str, value: object) -> Array:
    """`as_dense` of an argument, with an error that names it."""
    try:
        return as_dense(value)
    except TypeError as error:
        raise TypeError(f"expected {what} to be an array, got {error}") \
            from None


def is_array(value: object) -> bool:
    """Tells what `as_dense` may take from numbers, lists and anything else."""
    return (isinstance(value, (np.ndarray, np.generic)) or
            is_torch_tensor(value) or hasattr(value, "__dlpack__") or
            hasattr(value, "__array_interface__"))


def _encode_bfloat16(array: Array) -> Array:
    """Float32 rounded to its upper half, of two the even one."""
    single = array.astype(np.float32, order="C").reshape(-1)
    bits = single.view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16
    rounded = np.where(np.isnan(single), np.uint64(0x7fc0), rounded)
    records = rounded.astype("<u2").view(_BFLOAT16_BITS)
    return records.reshape(array.shape)


def encode(values: Any, name: str) -> Array:
    """Numbers as a dense array of an element type.

    A record of bits for bfloat16. Raises HamKaasError for numbers that the type
    does not have.

    >>> encode([1, 2], "int8")
    array([1, 2], dtype=int8)
    """
    array = np.asarray(values)
    if name == "bfloat16":
        return _encode_bfloat16(array)
    dtype = np.dtype(name)
    if dtype.kind in "iu" and array.size:
        info = np.iinfo(dtype)
        for value in (array.min(), array.max()):
            if not info.min <= value <= info.max or value != int(value):
                raise make_error(f"expected whole numbers from {info.min} to "
                                 f"{info.max} for {name}, got {value}")
    with np.errstate(over="ignore"):
        return array.astype(dtype, order="C")
