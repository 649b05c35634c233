# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, linear layers and padding.

Images are batch x channels x spatial dimensions, or without the batch. A
number such as ``stride=2`` counts for all spatial dimensions.
"""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

from ..array_api import linear as products
from ..array_api.broadcasting import make_binary, reshape_to
from ..positions import make_error
from ..tensor import T, make
from .arguments import (Sizes, check_integer, check_operand, check_optional,
                        check_rank, check_sizes, check_tensor, check_word)
from .padding import pad_spatial


def add_batch(function: str, x: T, spatial: int) -> Tuple[T, bool]:
    """``x`` with a batch, and whether it had none."""
    check_tensor(function, x)
    check_rank(function, x, spatial + 1, spatial + 2)
    if x.ndim == spatial + 2:
        return x, False
    return reshape_to(x, (1, *x.shape)), True


def drop_batch(x: T, is_single: bool) -> T:
    """Undoes `add_batch`."""
    return reshape_to(x, x.shape[1:]) if is_single else x


def _read_padding(function: str, padding: Any, window: Tuple[int, ...],
                  strides: Tuple[int, ...], dilations: Tuple[int, ...]) \
        -> Tuple[Tuple[int, ...], Tuple[int, ...]]:
    """Padding before and after each spatial dimension."""
    if not isinstance(padding, str):
        both = check_sizes(function, "padding", padding, len(window), 0)
        return both, both
    check_word(function, "padding", padding, "valid", "same")
    if padding == "valid":
        return (0,) * len(window), (0,) * len(window)
    if set(strides) != {1}:
        raise make_error(f"'{function}': expected strides of 1 with "
                         f"padding='same', got {list(strides)}")
    totals = [d * (k - 1) for d, k in zip(dilations, window)]
    return (tuple(total // 2 for total in totals),
            tuple(total - total // 2 for total in totals))


def _convolve(spatial: int, x: T, weight: Any, bias: Any, stride: Sizes,
              padding: Union[str, Sizes], dilation: Sizes, groups: int) -> T:
    function = f"conv{spatial}d"
    x, is_single = add_batch(function, x, spatial)
    filters: T = check_operand(function, "weight", weight, x)
    if filters.ndim != spatial + 2:
        raise make_error(f"'{function}': expected a weight of {spatial + 2} "
                         f"dimensions, got {list(filters.shape)}")
    strides = check_sizes(function, "stride", stride, spatial, 1)
    dilations = check_sizes(function, "dilation", dilation, spatial, 1)
    low, high = _read_padding(function, padding, filters.shape[2:], strides,
                              dilations)
    if low != high:
        x, low = pad_spatial(x, low, high), (0,) * spatial
    result = make(function, [x, filters, check_optional(function, "bias",
                                                        bias, x)],
                  {"stride": strides, "padding": low, "dilation": dilations,
                   "groups": check_integer(function, "groups", groups)})
    return drop_batch(result, is_single)


def conv1d(input: T, weight: Any, bias: Any = None, stride: Sizes = 1,
           padding: Union[str, Sizes] = 0, dilation: Sizes = 1,
           groups: int = 1) -> T:
    """A convolution, for ``k`` over the window and ``c`` over the channels of
    a group: ``y[n, o, i] = bias[o] + sum(weight[o, c, k] * x[n, c, i * stride
    - padding + k * dilation])``.

    ``input``: N x C x L, ``weight``: O x C / groups x K. ``padding`` is a
    number of zeros on both sides, "valid" for none, or "same" for the size of
    ``input``.
    """
    return _convolve(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(input: T, weight: Any, bias: Any = None, stride: Sizes = 1,
           padding: Union[str, Sizes] = 0, dilation: Sizes = 1,
           groups: int = 1) -> T:
    """`conv1d` with two spatial dimensions.

    ``input``: N x C x H x W, ``weight``: O x C / groups x KH x KW.

    >>> import hamkaas as hk
    >>> images = hk.input("images", [8, 3, 32, 32])
    >>> filters = hk.input("filters", [16, 3, 3, 3])
    >>> conv2d(images, filters, stride=2, padding=1).shape
    (8, 16, 16, 16)
    """
    return _convolve(2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(input: T, weight: Any, bias: Any = None, stride: Sizes = 1,
           padding: Union[str, Sizes] = 0, dilation: Sizes = 1,
           groups: int = 1) -> T:
    """`conv1d` with three spatial dimensions.

    ``input``: N x C x D x H x W, ``weight``: O x C / groups x KD x KH x KW.
    """
    return _convolve(3, input, weight, bias, stride, padding, dilation, groups)


def _transpose(spatial: int, x: T, weight: Any, bias: Any, stride: Sizes,
               padding: Sizes, output_padding: Sizes, groups: int,
               dilation: Sizes) -> T:
    function = f"conv_transpose{spatial}d"
    x, is_single = add_batch(function, x, spatial)
    sizes = {name: check_sizes(function, name, value, spatial, least)
             for name, value, least in (
                 ("stride", stride, 1), ("padding", padding, 0),
                 ("output_padding", output_padding, 0),
                 ("dilation", dilation, 1))}
    result = make(function, [
        x, check_operand(function, "weight", weight, x),
        check_optional(function, "bias", bias, x)],
        {**sizes, "groups": check_integer(function, "groups", groups)})
    return drop_batch(result, is_single)


def conv_transpose1d(input: T, weight: Any, bias: Any = None,
                     stride: Sizes = 1, padding: Sizes = 0,
                     output_padding: Sizes = 0, groups: int = 1,
                     dilation: Sizes = 1) -> T:
    """The transpose of `conv1d`, which goes from its result to its input.

    ``input``: N x C x L, ``weight``: C x O / groups x K. The result is N x O x
    ``(L - 1) * stride - 2 * padding + dilation * (K - 1) + output_padding +
    1``.
    """
    return _transpose(1, input, weight, bias, stride, padding, output_padding,
                      groups, dilation)


def conv_transpose2d(input: T, weight: Any, bias: Any = None,
                     stride: Sizes = 1, padding: Sizes = 0,
                     output_padding: Sizes = 0, groups: int = 1,
                     dilation: Sizes = 1) -> T:
    """`conv_transpose1d` with two spatial dimensions."""
    return _transpose(2, input, weight, bias, stride, padding, output_padding,
                      groups, dilation)


def conv_transpose3d(input: T, weight: Any, bias: Any = None,
                     stride: Sizes = 1, padding: Sizes = 0,
                     output_padding: Sizes = 0, groups: int = 1,
                     dilation: Sizes = 1) -> T:
    """`conv_transpose1d` with three spatial dimensions."""
    return _transpose(3, input, weight, bias, stride, padding, output_padding,
                      groups, dilation)


def linear(input: T, weight: Any, bias: Any = None) -> T:
    """``y[..., o] = sum(x[..., k] * weight[o, k]) + bias[o]``.

    ``input``: ... x K, ``weight``: O x K or K, of which the result has no last
    dimension.
    """
    check_tensor("linear", input)
    matrix: T = check_operand("linear", "weight", weight, input)
    offset: Optional[T] = check_optional("linear", "bias", bias, input)
    if matrix.ndim != 1:
        return make("linear", [input, matrix, offset])
    result: T = products.matmul(input, matrix)
    return result if offset is None else make_binary("add", result, offset)


def bilinear(input1: T, input2: T, weight: Any, bias: Any = None) -> T:
    """``y[..., o] = sum(x1[..., i] * weight[o, i, j] * x2[..., j]) +
    bias[o]``.

    ``input1``: ... x I, ``input2``: ... x J, ``weight``: O x I x J.
    """
    check_tensor("bilinear", input1, "input1")
    second: T = check_operand("bilinear", "input2", input2, input1)
    form: T = check_operand("bilinear", "weight", weight, input1)
    if form.ndim != 3 or input1.shape[:-1] != second.shape[:-1] or \
            form.shape[1:] != (*input1.shape[-1:], *second.shape[-1:]):
        raise make_error(
            "'bilinear': expected inputs ... x I and ... x J and a weight O x "
            f"I x J, got {list(input1.shape)}, {list(second.shape)} and "
            f"{list(form.shape)}")
    result: T = make("einsum", [input1, form, second],
                     {"equation": "...i,oij,...j->...o"})
    offset: Optional[T] = check_optional("bilinear", "bias", bias, input1)
    return result if offset is None else make_binary("add", result, offset)
