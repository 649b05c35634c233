//===- Config.cpp - Sizes and kinds of a language model ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Config.h"
#include "MetadataReader.h"
#include <cmath>

using namespace llvm;
using namespace hamkaas;
using namespace hamkaas::gguf;
using hamkaas::graph::Diagnostics;
using hamkaas::graph::quote;

/// Sizes have a limit, so that no product of three overflows.
static constexpr int64_t largestSize = 1 << 20, longestContext = 1 << 24;
static constexpr int64_t defaultContext = 2048, defaultChunk = 64;

namespace {

class ConfigReader {
public:
  ConfigReader(const rt::GgufFile &file, const GgufImportOptions &options,
               Diagnostics &diagnostics)
      : file(file), options(options), diagnostics(diagnostics),
        metadata(file, diagnostics) {}

  Config read();

private:
  bool readArchitecture();
  void readSizes();
  void readHeads();
  void readRotation();
  double readRotationScale();
  void readContext();
  void readVocabulary();
  void refuseExtensions();
  int64_t getSize(StringRef key,
                  std::optional<int64_t> otherwise = std::nullopt) {
    return metadata.getCount(key, 1, largestSize, otherwise);
  }

  const rt::GgufFile &file;
  const GgufImportOptions &options;
  Diagnostics &diagnostics;
  MetadataReader metadata;
  Config config;
};

} // namespace

bool ConfigReader::readArchitecture() {
  StringRef name = metadata.getText("general.architecture");
  if (diagnostics.hasErrors())
    return false;
  if (name != "llama" && name != "qwen2" && name != "gemma") {
    diagnostics.modelError("the architecture " + quote(name) +
                           " is not supported, expected llama, qwen2 or gemma");
    return false;
  }
  config.pairsHalves = name != "llama";
  config.hasGelu = config.scalesEmbedding = name == "gemma";
  metadata.setPrefix((name + ".").str());
  return true;
}

void ConfigReader::readSizes() {
  config.dim = getSize("embedding_length");
  config.hidden = getSize("feed_forward_length");
  config.layers = getSize("block_count");
  config.epsilon = metadata.getNumber("attention.layer_norm_rms_epsilon");
}

void ConfigReader::readHeads() {
  config.heads = getSize("attention.head_count");
  config.kvHeads = getSize("attention.head_count_kv", config.heads);
  if (config.heads % config.kvHeads != 0)
    diagnostics.modelError("expected a number of heads that is a multiple of "
                           "those of keys, got " +
                           Twine(config.heads) + " and " +
                           Twine(config.kvHeads));
  bool isGiven = metadata.has("attention.key_length");
  if (!isGiven && config.dim % config.heads != 0)
    diagnostics.modelError("expected embeddings that the heads divide, got " +
                           Twine(config.dim) + " and " + Twine(config.heads));
  config.headSize = getSize("attention.key_length",
                            std::max<int64_t>(config.dim / config.heads, 1));
  int64_t valueSize = getSize("attention.value_length", config.headSize);
  if (valueSize != config.headSize)
    diagnostics.modelError("values of another size than keys are not "
                           "supported, got " +
                           Twine(valueSize) + " and " + Twine(config.headSize));
}

/// The factor of all angles.
double ConfigReader::readRotationScale() {
  double factor = metadata.getNumber("rope.scaling.factor", 1);
  factor = metadata.getNumber("rope.scale_linear", factor);
  StringRef type = metadata.getText("rope.scaling.type", "linear");
  if (type == "none")
    return 1;
  if (type != "linear")
    diagnostics.modelError("rotary embeddings scaled by " + quote(type) +
                           " are not supported, expected none or linear");
  return 1 / factor;
}

void ConfigReader::readRotation() {
  int64_t size = getSize("rope.dimension_count", config.headSize);
  if (size != config.headSize || size % 2 != 0)
    diagnostics.modelError("expected rotary embeddings of all " +
                           Twine(config.headSize) +
                           " numbers of a head, in pairs, got " + Twine(size));
  double base = metadata.getNumber("rope.freq_base", 10000);
  double scale = readRotationScale();
  for (int64_t i = 0; i < config.headSize; i += 2)
    config.frequencies.push_back(
        scale * std::pow(base, -double(i) / double(config.headSize)));
}

void ConfigReader::readContext() {
  int64_t most = metadata.getCount("context_length", 1, longestContext);
  config.context =
      options.context ? options.context : std::min(most, defaultContext);
  if (config.context > most)
    diagnostics.modelError("context: expected at most the " + Twine(most) +
                           " positions of the model, got " +
                           Twine(config.context));
  config.chunk =
      options.chunk ? options.chunk : std::min(config.context, defaultChunk);
  config.cacheType = options.cacheType;
  if (config.chunk > config.context)
    diagnostics.modelError(
        "chunk: expected at most the " + Twine(config.context) +
        " positions of the context, got " + Twine(config.chunk));
}

void ConfigReader::readVocabulary() {
  const rt::GgufTensor *embedding = file.findTensor("token_embd.weight");
  config.vocab = embedding && embedding->rank == 2 ? embedding->shape[0] : 1;
  std::optional<int64_t> stated;
  if (metadata.has("vocab_size"))
    stated = metadata.getCount("vocab_size", 1, INT64_MAX);
  MetadataReader tokenizer(file, diagnostics);
  std::optional<int64_t> tokens = tokenizer.getLength("tokenizer.ggml.tokens");
  for (std::optional<int64_t> count : {stated, tokens})
    if (embedding && count && *count != config.vocab)
      diagnostics.modelError("expected embeddings of " + Twine(*count) +
                             " tokens, got " + Twine(config.vocab));
}

/// Keys that change what the model computes unless they have this value.
void ConfigReader::refuseExtensions() {
  if (int64_t experts = metadata.getCount("expert_count", 0, INT64_MAX, 0))
    diagnostics.modelError(Twine(experts) + " experts are not supported");
  metadata.getCount("expert_used_count", 0, 0, 0);
  if (int64_t window =
          metadata.getCount("attention.sliding_window", 0, INT64_MAX, 0))
    diagnostics.modelError("a sliding window of " + Twine(window) +
                           " positions is not supported");
  for (StringRef key : {"tensor_data_layout", "rope.scaling.finetuned",
                        "rope.scaling.original_context_length"})
    metadata.ignore(key);
  metadata.reportUnknown();
}

Config ConfigReader::read() {
  if (!readArchitecture())
    return config;
  readSizes();
  readHeads();
  readRotation();
  readContext();
  readVocabulary();
  refuseExtensions();
  return config;
}

Config gguf::readConfig(const rt::GgufFile &file,
                        const GgufImportOptions &options,
                        Diagnostics &diagnostics) {
  return ConfigReader(file, options, diagnostics).read();
}
