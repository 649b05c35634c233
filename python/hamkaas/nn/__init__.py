# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of networks: torch.nn.functional on nodes, and modules of torch.nn.

Names, arguments and results are those of torch.nn.functional. What computes is
the compiler's operations (`hamkaas.ops`). Weights may be nodes or arrays,
which become constants. What does not fit raises HamKaasError with the line of
your program.

>>> import hamkaas as hk, numpy as np
>>> from hamkaas import nn
>>> x = hk.input("x", [1, 3, 8, 8])
>>> w = np.ones([4, 3, 3, 3], "float32")
>>> y = nn.max_pool2d(nn.relu(nn.conv2d(x, w, padding=1)), 2)
>>> y.shape
(1, 4, 4, 4)

`Module` and its subclasses, such as `Linear`, hold parameters, with the names
of torch (docs/Training.md). `dropout` takes a generator of random numbers for
training, and `hamkaas.nn.init` has initial contents of parameters.
``training=True`` of batch_norm and alpha_dropout, and ``inplace=True``, are
errors.

Not here: smoothing modes of interpolate, upsample, grid_sample and
affine_grid; fold and unfold; lp_pool, fractional_max_pool and max_unpool;
return_indices; local_response_norm; ctc_loss, gaussian_nll_loss,
poisson_nll_loss and losses of margins and embeddings; embedding_bag;
gumbel_softmax; multi_head_attention_forward; cdist and pdist; normalization by
statistics of a batch.
"""

from . import init
from .activations import (
    celu, elu, gelu, glu, hardshrink, hardsigmoid, hardswish, hardtanh,
    leaky_relu, log_softmax, logsigmoid, mish, prelu, relu, relu6, rrelu, selu,
    sigmoid, silu, softmax, softmin, softplus, softshrink, softsign, tanh,
    tanhshrink, threshold)
from .attention import embedding, one_hot, scaled_dot_product_attention
from .convolutions import (
    bilinear, conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d,
    conv_transpose3d, linear)
from .interpolation import interpolate
from .losses import (
    binary_cross_entropy, binary_cross_entropy_with_logits, cross_entropy,
    huber_loss, kl_div, l1_loss, mse_loss, nll_loss, smooth_l1_loss)
from .dropouts import (
    alpha_dropout, dropout, dropout1d, dropout2d, dropout3d)
from .normalization import (
    batch_norm, cosine_similarity, group_norm, instance_norm, layer_norm,
    normalize, pairwise_distance, rms_norm)
from .padding import channel_shuffle, pad, pixel_shuffle, pixel_unshuffle
from .pooling import (
    adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d,
    adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, avg_pool1d,
    avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d)
from .containers import (
    ModuleDict, ModuleList, Residual, Sequential)
from .functions import (
    AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d,
    AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AvgPool1d,
    AvgPool2d, AvgPool3d, CELU, ChannelShuffle, ELU, Flatten, GELU, GLU,
    Hardshrink, Hardsigmoid, Hardswish, Hardtanh, Identity, LeakyReLU,
    LogSigmoid, LogSoftmax, MaxPool1d, MaxPool2d, MaxPool3d, Mish,
    PixelShuffle, PixelUnshuffle, ReLU, ReLU6, SELU, Sigmoid, SiLU, Softmax,
    Softmin, Softplus, Softshrink, Softsign, Tanh, Tanhshrink, Threshold,
    Unflatten, Upsample)
from .layers import (
    BatchNorm1d, BatchNorm2d, BatchNorm3d, Bilinear, Conv1d, Conv2d, Conv3d,
    ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, Dropout, Dropout1d,
    Dropout2d, Dropout3d, Embedding, GroupNorm, InstanceNorm1d, InstanceNorm2d,
    InstanceNorm3d, LayerNorm, Linear, PReLU, RMSNorm)
from .module import (
    Buffer, Module, Parameter, manual_seed)
from .pads import (
    ConstantPad1d, ConstantPad2d, ConstantPad3d, ReflectionPad1d,
    ReflectionPad2d, ReplicationPad1d, ReplicationPad2d, ZeroPad1d, ZeroPad2d,
    ZeroPad3d)
from .pairs import (
    BCELoss, BCEWithLogitsLoss, CosineSimilarity, CrossEntropyLoss, HuberLoss,
    KLDivLoss, L1Loss, MSELoss, NLLLoss, PairwiseDistance, SmoothL1Loss)
from .recurrent import (
    GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell)
from .tensor_files import (
    load_arrays, save_arrays)
from .transformer import (
    MultiheadAttention, TransformerDecoder, TransformerDecoderLayer,
    TransformerEncoder, TransformerEncoderLayer)

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AvgPool1d",
    "AvgPool2d", "AvgPool3d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d",
    "BatchNorm2d", "BatchNorm3d", "Bilinear", "Buffer", "CELU",
    "ChannelShuffle", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d",
    "ConvTranspose3d", "CosineSimilarity", "CrossEntropyLoss", "Dropout",
    "Dropout1d", "Dropout2d", "Dropout3d", "ELU", "Embedding", "Flatten",
    "GELU", "GLU", "GRU", "GRUCell", "GroupNorm", "Hardshrink", "Hardsigmoid",
    "Hardswish", "Hardtanh", "HuberLoss", "Identity", "InstanceNorm1d",
    "InstanceNorm2d", "InstanceNorm3d", "KLDivLoss", "L1Loss", "LSTM",
    "LSTMCell", "LayerNorm", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax",
    "MSELoss", "MaxPool1d", "MaxPool2d", "MaxPool3d", "Mish", "Module",
    "ModuleDict", "ModuleList", "MultiheadAttention", "NLLLoss", "PReLU",
    "PairwiseDistance", "Parameter", "PixelShuffle", "PixelUnshuffle",
    "RMSNorm", "RNN", "RNNCell", "ReLU", "ReLU6", "ReflectionPad1d",
    "ReflectionPad2d", "ReplicationPad1d", "ReplicationPad2d", "Residual",
    "SELU", "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss", "Softmax",
    "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink",
    "Threshold", "TransformerDecoder", "TransformerDecoderLayer",
    "TransformerEncoder", "TransformerEncoderLayer", "Unflatten", "Upsample",
    "ZeroPad1d", "ZeroPad2d", "ZeroPad3d", "adaptive_avg_pool1d",
    "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "adaptive_max_pool3d", "alpha_dropout",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm", "bilinear",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu",
    "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "cosine_similarity",
    "cross_entropy", "dropout", "dropout1d", "dropout2d", "dropout3d", "elu",
    "embedding", "gelu", "glu", "group_norm", "hardshrink", "hardsigmoid",
    "hardswish", "hardtanh", "huber_loss", "instance_norm", "interpolate",
    "kl_div", "l1_loss", "layer_norm", "leaky_relu", "linear", "load_arrays",
    "log_softmax", "logsigmoid", "manual_seed", "max_pool1d", "max_pool2d",
    "max_pool3d", "mish", "mse_loss", "nll_loss", "normalize", "one_hot",
    "pad", "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "prelu",
    "relu", "relu6", "rms_norm", "rrelu", "save_arrays",
    "scaled_dot_product_attention", "selu", "sigmoid", "silu",
    "smooth_l1_loss", "softmax", "softmin", "softplus", "softshrink",
    "softsign", "tanh", "tanhshrink", "threshold",
]
