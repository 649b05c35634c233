# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions of HamKaas."""


class HamKaasError(ValueError):
    """Something given to HamKaas is not what was expected, or cannot be done.

    The text says what was expected and what was found. For models it is the
    compiler's, and begins with the file and line of yours that made the node.
    Several problems are told at once, one a line.

    A ``ValueError``: a graph, an array, a name or a file did not fit. Arguments
    of a wrong Python type are a ``TypeError`` as everywhere.
    """


class UnsupportedError(HamKaasError):
    """A valid ONNX model needs something that HamKaas does not have.

    The text tells all that is not supported, with the nodes that need it.
    """
