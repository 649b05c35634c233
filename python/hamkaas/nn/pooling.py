# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling: a number for each window of an image.

``input`` is batch x channels x spatial dimensions, or without the batch. A
spatial dimension of the result is ``(L + 2 * padding - dilation * (kernel_size
- 1) - 1) / stride + 1``, rounded down, or up with ``ceil_mode`` where the last
window begins within the input or the padding before it. ``stride`` is
``kernel_size`` if it is None.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

from ..array_api import elementwise
from ..array_api.axes import count
from ..positions import make_error
from ..tensor import T, make
from .arguments import Sizes, check_integer, check_sizes, refuse
from .convolutions import add_batch, drop_batch


def _read_window(function: str, spatial: int, kernel_size: Any, stride: Any,
                 padding: Any, dilation: Any = 1) -> Any:
    """Attributes of the operation."""
    kernel = check_sizes(function, "kernel_size", kernel_size, spatial, 1)
    strides = kernel if stride is None or stride in ([], ()) else \
        check_sizes(function, "stride", stride, spatial, 1)
    pads = check_sizes(function, "padding", padding, spatial, 0)
    dilations = check_sizes(function, "dilation", dilation, spatial, 1)
    # The window of a pool must not be in the padding alone.
    if any(p > (d * (k - 1) + 1) // 2
           for p, k, d in zip(pads, kernel, dilations)):
        raise make_error(f"'{function}': expected padding of at most half of "
                         f"the window, got {list(pads)} for "
                         f"{list(kernel)}")
    return {"kernel": kernel, "stride": strides, "padding": pads,
            "dilation": dilations}


def _max_pool(spatial: int, x: T, kernel_size: Sizes, stride: Any,
              padding: Sizes, dilation: Sizes, ceil_mode: bool,
              return_indices: bool) -> T:
    function = f"max_pool{spatial}d"
    refuse(function, "return_indices", return_indices, False,
           "places of elements are not computed")
    x, is_single = add_batch(function, x, spatial)
    window = _read_window(function, spatial, kernel_size, stride, padding,
                          dilation)
    return drop_batch(make(function, [x], {**window,
                                           "ceil_mode": bool(ceil_mode)}),
                      is_single)


def max_pool1d(input: T, kernel_size: Sizes, stride: Optional[Sizes] = None,
               padding: Sizes = 0, dilation: Sizes = 1,
               ceil_mode: bool = False, return_indices: bool = False) -> T:
    """The largest element of each window; padding does not count."""
    return _max_pool(1, input, kernel_size, stride, padding, dilation,
                     ceil_mode, return_indices)


def max_pool2d(input: T, kernel_size: Sizes, stride: Optional[Sizes] = None,
               padding: Sizes = 0, dilation: Sizes = 1,
               ceil_mode: bool = False, return_indices: bool = False) -> T:
    """`max_pool1d` with two spatial dimensions."""
    return _max_pool(2, input, kernel_size, stride, padding, dilation,
                     ceil_mode, return_indices)


def max_pool3d(input: T, kernel_size: Sizes, stride: Optional[Sizes] = None,
               padding: Sizes = 0, dilation: Sizes = 1,
               ceil_mode: bool = False, return_indices: bool = False) -> T:
    """`max_pool1d` with three spatial dimensions."""
    return _max_pool(3, input, kernel_size, stride, padding, dilation,
                     ceil_mode, return_indices)


def _avg_pool(spatial: int, x: T, kernel_size: Sizes, stride: Any,
              padding: Sizes, ceil_mode: bool, count_include_pad: bool,
              divisor: Optional[int] = None) -> T:
    function = f"avg_pool{spatial}d"
    x, is_single = add_batch(function, x, spatial)
    window = _read_window(function, spatial, kernel_size, stride, padding)
    del window["dilation"]
    if divisor is None:
        result = make(function, [x], {
            **window, "ceil_mode": bool(ceil_mode),
            "count_include_pad": bool(count_include_pad)})
        return drop_batch(result, is_single)
    if check_integer(function, "divisor_override", divisor) == 0:
        raise make_error(f"'{function}': expected a divisor_override other "
                         "than 0, got 0; leave it out for the size of the "
                         "window")
    if ceil_mode:
        raise make_error(f"'{function}': expected ceil_mode=False beside a "
                         f"divisor_override, got {ceil_mode}; pad the input "
                         "instead, see nn.pad")
    mean = make(function, [x], {**window, "count_include_pad": True})
    factor = count(window["kernel"]) / divisor
    scaled: T = elementwise.multiply(mean, factor)
    return drop_batch(scaled, is_single)


def avg_pool1d(input: T, kernel_size: Sizes, stride: Optional[Sizes] = None,
               padding: Sizes = 0, ceil_mode: bool = False,
               count_include_pad: bool = True) -> T:
    """The mean of each window.

    Padding counts as zeros, or not at all without ``count_include_pad``. What
    ``ceil_mode`` adds after the padding never counts.
    """
    return _avg_pool(1, input, kernel_size, stride, padding, ceil_mode,
                     count_include_pad)


def avg_pool2d(input: T, kernel_size: Sizes, stride: Optional[Sizes] = None,
               padding: Sizes = 0, ceil_mode: bool = False,
               count_include_pad: bool = True,
               divisor_override: Optional[int] = None) -> T:
    """`avg_pool1d` with two spatial dimensions.

    Sums of windows are divided by ``divisor_override`` if it is given.
    """
    return _avg_pool(2, input, kernel_size, stride, padding, ceil_mode,
                     count_include_pad, divisor_override)


def avg_pool3d(input: T, kernel_size: Sizes, stride: Optional[Sizes] = None,
               padding: Sizes = 0, ceil_mode: bool = False,
               count_include_pad: bool = True,
               divisor_override: Optional[int] = None) -> T:
    """`avg_pool2d` with three spatial dimensions."""
    return _avg_pool(3, input, kernel_size, stride, padding, ceil_mode,
                     count_include_pad, divisor_override)


_OutputSize = Union[None, int, Sequence[Optional[int]]]


def _adaptive_pool(kind: str, spatial: int, x: T,
                   output_size: _OutputSize) -> T:
    function = f"adaptive_{kind}_pool{spatial}d"
    x, is_single = add_batch(function, x, spatial)
    given = output_size if isinstance(output_size, (list, tuple)) else \
        [output_size] * spatial
    sizes = check_sizes(function, "output_size", [
        size if one is None else one
        for one, size in zip(given, x.shape[2:])], spatial, 1)
    if len(given) != spatial:
        raise make_error(f"'{function}': expected {spatial} output sizes, got "
                         f"{output_size!r}")
    return drop_batch(make(function, [x], {"size": sizes}), is_single)


def adaptive_avg_pool1d(input: T, output_size: _OutputSize) -> T:
    """The means of ``output_size`` parts of an image.

    None leaves a size. Parts share elements where ``output_size`` does not
    divide that of the image. 1 gives the mean of each channel.
    """
    return _adaptive_pool("avg", 1, input, output_size)


def adaptive_avg_pool2d(input: T, output_size: _OutputSize) -> T:
    """`adaptive_avg_pool1d` with two spatial dimensions."""
    return _adaptive_pool("avg", 2, input, output_size)


def adaptive_avg_pool3d(input: T, output_size: _OutputSize) -> T:
    """`adaptive_avg_pool1d` with three spatial dimensions."""
    return _adaptive_pool("avg", 3, input, output_size)


def adaptive_max_pool1d(input: T, output_size: _OutputSize,
                        return_indices: bool = False) -> T:
    """The largest elements of ``output_size`` parts of an image.

    ``output_size`` as in `adaptive_avg_pool1d`.
    """
    refuse("adaptive_max_pool1d", "return_indices", return_indices, False,
           "places of elements are not computed")
    return _adaptive_pool("max", 1, input, output_size)


def adaptive_max_pool2d(input: T, output_size: _OutputSize,
                        return_indices: bool = False) -> T:
    """`adaptive_max_pool1d` with two spatial dimensions."""
    refuse("adaptive_max_pool2d", "return_indices", return_indices, False,
           "places of elements are not computed")
    return _adaptive_pool("max", 2, input, output_size)


def adaptive_max_pool3d(input: T, output_size: _OutputSize,
                        return_indices: bool = False) -> T:
    """`adaptive_max_pool1d` with three spatial dimensions."""
    refuse("adaptive_max_pool3d", "return_indices", return_indices, False,
           "places of elements are not computed")
    return _adaptive_pool("max", 3, input, output_size)
