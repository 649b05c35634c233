# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions of HamKaas."""


class HamKaasError(ValueError):
    """An error in a model, an argument or a file, or an impossible request.

    The text says what was expected and what it got. For models it is the
    compiler's, and begins with the file and line of your program that made the
    node. Several errors are reported at once, one per line.

    A ``ValueError``: a graph, an array, a name or a file did not fit. Arguments
    of a wrong Python type are a ``TypeError`` as everywhere.
    """


class PromotionError(HamKaasError, TypeError):
    """Element types that have no common one.

    Libraries on the array API standard expect a ``TypeError``.
    """


class UnsupportedError(HamKaasError):
    """A valid ONNX model needs something that HamKaas does not have.

    The text lists everything unsupported, with the nodes that need it.
    """
