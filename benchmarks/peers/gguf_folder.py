# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the weights of a GGUF file as a model of the package transformers.

usage: gguf_folder.py FILE.gguf FOLDER

ONNX Runtime GenAI's model builder reads the folder. Only for the architecture
llama. The weights are float32; the tokenizer is none, because gguf.py gives
tokens. Needs the packages gguf, safetensors, tokenizers and transformers.
"""

import json
import pathlib
import sys

import numpy as np
from gguf import GGUFReader, dequantize
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

NAMES = {"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
         "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
         "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
         "ffn_down": "mlp.down_proj", "attn_norm": "input_layernorm",
         "ffn_norm": "post_attention_layernorm"}
OTHERS = {"token_embd": "model.embed_tokens", "output_norm": "model.norm",
          "output": "lm_head"}


def main(source, folder):
    reader = GGUFReader(source)

    def field(name):
        found = reader.fields["llama." + name]
        return found.parts[found.data[0]][0].item()

    heads = {"attn_q": field("attention.head_count"),
             "attn_k": field("attention.head_count_kv")}
    tensors = {}
    for tensor in reader.tensors:
        weight = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        *layer, kind, _ = tensor.name.split(".")
        if kind in heads:  # From pairs of neighbours to pairs of halves.
            rows, columns = weight.shape
            pairs = (heads[kind], rows // heads[kind] // 2, 2, columns)
            weight = weight.reshape(pairs).swapaxes(1, 2)
            weight = weight.reshape(rows, columns)
        name = f"model.layers.{layer[1]}.{NAMES[kind]}" if layer else \
            OTHERS[kind]
        tensors[name + ".weight"] = np.ascontiguousarray(weight)
    vocabulary, width = tensors["model.embed_tokens.weight"].shape
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama",
        "hidden_size": width, "vocab_size": vocabulary,
        "intermediate_size": field("feed_forward_length"),
        "num_hidden_layers": field("block_count"),
        "num_attention_heads": heads["attn_q"],
        "num_key_value_heads": heads["attn_k"],
        "head_dim": width // heads["attn_q"],
        "rms_norm_eps": field("attention.layer_norm_rms_epsilon"),
        "rope_theta": field("rope.freq_base"),
        "max_position_embeddings": field("context_length"),
        "tie_word_embeddings": "lm_head.weight" not in tensors,
        "hidden_act": "silu", "torch_dtype": "float32",
        "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2
    }
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config))
    words = Tokenizer(models.WordLevel({"<unk>": 0}, unk_token="<unk>"))
    PreTrainedTokenizerFast(tokenizer_object=words,
                            unk_token="<unk>").save_pretrained(folder)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
