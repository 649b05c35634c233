# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of two inputs: losses and distances."""

from __future__ import annotations

from typing import Any, Callable, Type

from ..graph import Node
from . import losses, normalization
from .module import Module


class _Pair(Module):
    """A function of two inputs, with arguments."""

    function: Callable[..., Any]

    def __init__(self, *args: Any, **named: Any) -> None:
        self.args, self.named = args, named

    def forward(self, input: Node, other: Any) -> Node:
        result: Node = type(self).function(input, other, *self.args,
                                           **self.named)
        return result


def _wrap(name: str, function: Callable[..., Any]) -> Type[_Pair]:
    return type(name, (_Pair,), {
        "function": staticmethod(function), "__module__": __name__,
        "__doc__": f"`{function.__name__}` as a module; takes its arguments "
                   "behind the first two."})


BCELoss = _wrap("BCELoss", losses.binary_cross_entropy)
BCEWithLogitsLoss = _wrap("BCEWithLogitsLoss",
                          losses.binary_cross_entropy_with_logits)
CrossEntropyLoss = _wrap("CrossEntropyLoss", losses.cross_entropy)
HuberLoss = _wrap("HuberLoss", losses.huber_loss)
KLDivLoss = _wrap("KLDivLoss", losses.kl_div)
L1Loss = _wrap("L1Loss", losses.l1_loss)
MSELoss = _wrap("MSELoss", losses.mse_loss)
NLLLoss = _wrap("NLLLoss", losses.nll_loss)
SmoothL1Loss = _wrap("SmoothL1Loss", losses.smooth_l1_loss)
CosineSimilarity = _wrap("CosineSimilarity", normalization.cosine_similarity)
PairwiseDistance = _wrap("PairwiseDistance", normalization.pairwise_distance)
