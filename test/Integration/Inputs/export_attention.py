# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what PyTorch's two exporters make of small models with attention.

    export_attention.py FOLDER

needs torch, transformers and onnxscript, and writes to FOLDER

- MODEL-EXPORTER-OPSET.textproto for each graph that differs. Its first lines
  name the packages and all opsets that have this graph.
- failures.txt: what could not be exported, and the exporter's reason.

Models have one layer, few elements and weights of no interest: a tensor of more
than `KEPT` floats refers to `weights.bin`, which the test makes, and names are
numbers. Scales, epsilons and masks stay. `attention-exports.py` reads the files.
"""

import contextlib
import io
import itertools
import logging
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
import transformers
from google.protobuf import text_format
from onnx import numpy_helper
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

KEPT = 8
OPSETS = {"torchscript": range(13, 21), "dynamo": range(18, 24)}
LENGTH, WIDTH, HEADS, TOKENS = 6, 16, 2, 32


class Product(nn.Module):
    """scaled_dot_product_attention."""

    def __init__(self, **options):
        super().__init__()
        self.options = options

    def forward(self, q, k, v, mask=None):
        return scaled_dot_product_attention(q, k, v, mask, **self.options)


class SelfAttention(nn.Module):
    """nn.MultiheadAttention of one sequence with itself."""

    def __init__(self, needs_weights):
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.needs_weights = needs_weights

    def forward(self, x, is_padding=None):
        y, weights = self.attention(x, x, x, is_padding,
                                    need_weights=self.needs_weights)
        return (y, weights) if self.needs_weights else y


class LastState(nn.Module):
    """The last hidden state of a model of transformers."""

    def __init__(self, model, *names):
        super().__init__()
        self.model, self.names = model, names

    def forward(self, *inputs):
        return self.model(**dict(zip(self.names, inputs))).last_hidden_state


def floats(*shape):
    return torch.randn(shape)


def tokens():
    return torch.randint(TOKENS, (1, LENGTH))


def heads():
    return [floats(1, HEADS, LENGTH, WIDTH // HEADS) for _ in range(3)]


def torch_models():
    ones = torch.ones(LENGTH, LENGTH)
    padding = torch.zeros(1, LENGTH, dtype=torch.bool)
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 32, batch_first=True,
                                       activation="gelu")
    yield "sdpa", Product(), heads()
    yield "sdpa-scale", Product(scale=0.3), heads()
    yield "sdpa-causal", Product(is_causal=True), heads()
    yield "sdpa-bool-mask", Product(), [*heads(), ones.bool()]
    yield "sdpa-float-mask", Product(), [*heads(), ones]
    q = floats(1, 2 * HEADS, LENGTH, WIDTH // HEADS)
    yield "sdpa-groups", Product(enable_gqa=True), [q, *heads()[1:]]
    yield "mha", SelfAttention(False), [floats(1, LENGTH, WIDTH)]
    yield "mha-padding", SelfAttention(False), [floats(1, LENGTH, WIDTH),
                                                padding]
    yield "mha-weights", SelfAttention(True), [floats(1, LENGTH, WIDTH)]
    yield "encoder-layer", layer, [floats(1, LENGTH, WIDTH)]


def transformers_models(attention):
    common = {"attn_implementation": attention, "use_cache": False}
    shape = {"hidden_size": WIDTH, "num_hidden_layers": 1,
             "num_attention_heads": HEADS, "intermediate_size": 32}
    text = {"vocab_size": TOKENS, "max_position_embeddings": 8, **shape}
    bert = transformers.BertModel(
        transformers.BertConfig(**text, **common), add_pooling_layer=False)
    mask = torch.ones(1, LENGTH, dtype=torch.int64)
    yield "bert", LastState(bert, "input_ids", "attention_mask"), [tokens(),
                                                                   mask]
    yield "bert-no-mask", LastState(bert, "input_ids"), [tokens()]
    gpt2 = transformers.GPT2Model(transformers.GPT2Config(
        vocab_size=TOKENS, n_positions=8, n_embd=WIDTH, n_layer=1,
        n_head=HEADS, **common))
    yield "gpt2", LastState(gpt2, "input_ids"), [tokens()]
    llama = transformers.LlamaModel(transformers.LlamaConfig(
        **{**text, "num_attention_heads": 2 * HEADS},
        num_key_value_heads=HEADS, **common))
    yield "llama", LastState(llama, "input_ids"), [tokens()]
    vit = transformers.ViTModel(transformers.ViTConfig(
        image_size=8, patch_size=4, **shape, **common),
        add_pooling_layer=False)
    yield "vit", LastState(vit, "pixel_values"), [floats(1, 3, 8, 8)]
    t5 = transformers.T5Model(transformers.T5Config(
        vocab_size=TOKENS, d_model=WIDTH, d_kv=WIDTH // HEADS, d_ff=32,
        num_layers=1, num_heads=HEADS, relative_attention_num_buckets=8,
        **common))
    yield "t5", LastState(t5, "input_ids", "decoder_input_ids"), [tokens(),
                                                                  tokens()]


def models():
    yield from torch_models()
    for attention in ("sdpa", "eager"):
        for name, model, inputs in transformers_models(attention):
            yield f"{name}-{attention}", model, inputs


def randomize(model):
    """No ones and zeros, which optimizers would see."""
    torch.manual_seed(0)
    for parameter in model.parameters():
        nn.init.normal_(parameter)
    return model.eval()


def export(model, inputs, exporter, opset):
    if exporter == "dynamo":
        return torch.onnx.export(model, tuple(inputs), dynamo=True,
                                 opset_version=opset,
                                 verbose=False).model_proto
    file = io.BytesIO()
    torch.onnx.export(model, tuple(inputs), file, dynamo=False,
                      opset_version=opset)
    return onnx.load_from_string(file.getvalue())


def attributes_of(graph):
    return (attribute for node in graph.node for attribute in node.attribute)


def tensors_of(graph):
    yield from graph.initializer
    for attribute in attributes_of(graph):
        if attribute.type == onnx.AttributeProto.TENSOR:
            yield attribute.t


class Renamer:
    """Short names in the order in which a graph has them."""

    def __init__(self):
        self.names = {"": ""}

    def __getitem__(self, name):
        return self.names.setdefault(name, f"v{len(self.names)}")

    def rename_all(self, names):
        names[:] = [self[name] for name in names]


def shorten(graph, names):
    """Leaves out of a graph what no importer needs."""
    for value in itertools.chain(graph.input, graph.output, graph.initializer):
        value.name = names[value.name]
        value.ClearField("doc_string")
        value.ClearField("metadata_props")
    for node in graph.node:
        names.rename_all(node.input)
        names.rename_all(node.output)
        for field in ("name", "doc_string", "metadata_props"):
            node.ClearField(field)
        for attribute in node.attribute:
            attribute.ClearField("doc_string")
            if attribute.type == onnx.AttributeProto.GRAPH:
                shorten(attribute.g, names)
    graph.name = "g"
    for field in ("doc_string", "value_info", "metadata_props"):
        graph.ClearField(field)


def set_values(tensor, offset):
    """Values as numbers; many floats where the test puts them. Returns the bytes
    taken of that file."""
    values = numpy_helper.to_array(tensor)
    for field in ("raw_data", "float_data", "int64_data", "int32_data",
                  "external_data", "data_location", "doc_string",
                  "metadata_props"):
        tensor.ClearField(field)
    if tensor.data_type == onnx.TensorProto.INT64:
        tensor.int64_data.extend(values.ravel().tolist())
    elif tensor.data_type != onnx.TensorProto.FLOAT:
        tensor.int32_data.extend(values.ravel().astype(int).tolist())
    elif values.size <= KEPT or np.abs(values).max() > 1e30 or \
            (values == values.flat[0]).all():
        tensor.float_data.extend(values.ravel().tolist())
    else:
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in (("location", "weights.bin"), ("offset", offset),
                           ("length", values.nbytes)):
            tensor.external_data.add(key=key, value=str(value))
        return values.nbytes
    return 0


def to_text(graph):
    """The graph alone, a line for each node."""
    shorten(graph, Renamer())
    offset = 0
    for tensor in tensors_of(graph):
        offset += set_values(tensor, offset)
    lines = ["graph {", '  name: "g"']
    for field in ("input", "output", "initializer", "node"):
        for message in getattr(graph, field):
            text = text_format.MessageToString(message, as_one_line=True)
            lines.append(f"  {field} {{ {text} }}")
    return "\n".join([*lines, "}", ""])


def opset_of(model):
    return next(opset.version for opset in model.opset_import
                if not opset.domain)


def export_all(model, inputs, exporter):
    """The texts of the graphs and the reasons of failures, each with its
    opsets."""
    graphs, failures = {}, {}
    for opset in OPSETS[exporter]:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exported = export(model, inputs, exporter, opset)
        except Exception as error:  # Whatever an exporter raises.
            reason = str(error).strip().partition("\n")[0]
            # The same for all opsets, and without escape sequences.
            reason = re.split(" to ONNX opset|\\. .*\x1b", reason)[0]
            failures.setdefault(reason, []).append(opset)
            continue
        if opset_of(exported) == opset:
            graphs.setdefault(to_text(exported.graph), []).append(opset)
    return graphs, failures


def main():
    folder = Path(sys.argv[1])
    versions = ", ".join(f"{module.__name__} {module.__version__}"
                         for module in (torch, transformers))
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    failed = []
    for (name, model, inputs), exporter in itertools.product(models(), OPSETS):
        graphs, failures = export_all(randomize(model), inputs, exporter)
        for text, opsets in graphs.items():
            numbers = " ".join(map(str, opsets))
            path = folder / f"{name}-{exporter}-{opsets[0]}.textproto"
            path.write_text(f"# {versions}\n# opsets {numbers}\n"
                            f"ir_version: 8\n{text}")
        failed += [f"{name}-{exporter} opsets {' '.join(map(str, opsets))}: "
                   f"{reason}\n" for reason, opsets in failures.items()]
    (folder / "failures.txt").write_text("".join(failed))


main()
