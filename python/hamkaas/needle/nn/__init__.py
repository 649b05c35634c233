# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of networks."""

from . import nn_basic, nn_conv, nn_sequence, nn_transformer
from .nn_basic import (BatchNorm1d, BatchNorm2d, Dropout, Flatten, Identity,
                       LayerNorm1d, Linear, Module, Parameter, ReLU, Residual,
                       Sequential, SoftmaxLoss)
from .nn_conv import Conv
from .nn_sequence import (LSTM, RNN, Embedding, LSTMCell, RNNCell, Sigmoid)
from .nn_transformer import (AttentionLayer, MultiHeadAttention, Transformer,
                             TransformerLayer)

__all__ = ["AttentionLayer", "BatchNorm1d", "BatchNorm2d", "Conv", "Dropout",
           "Embedding", "Flatten", "Identity", "LSTM", "LSTMCell",
           "LayerNorm1d", "Linear", "Module", "MultiHeadAttention", "Parameter",
           "RNN", "RNNCell", "ReLU", "Residual", "Sequential", "Sigmoid",
           "SoftmaxLoss", "Transformer", "TransformerLayer", "nn_basic",
           "nn_conv", "nn_sequence", "nn_transformer"]
