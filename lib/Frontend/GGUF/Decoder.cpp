//===- Decoder.cpp - The graph of a language model --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gguf;
using namespace hamkaas::graph;

static constexpr double largestInt8 = 127;
/// The smallest normal float32, to divide by.
static constexpr double smallestScale = std::numeric_limits<float>::min();

namespace {

/// One function while it is built.
class FunctionBuilder {
public:
  FunctionBuilder(const Config &config, const Weights &weights,
                  UserGraph &graph, ArrayRef<Cache> caches, OpBuilder &place,
                  Location location, Diagnostics &diagnostics)
      : config(config), weights(weights), graph(graph), caches(caches),
        place(place), location(location), b(place, location, diagnostics) {}

  /// Builds all layers. `tokens` and `position` are the inputs.
  Tensor addLayers(Tensor tokens, Tensor position);
  /// The scores of the next token, from the result of the layers.
  Tensor addClassifier(Tensor x);
  Tensor getNextPosition() { return b.add(position, double(tokens)); }

private:
  /// Gives what follows a name in reports and messages: a file has no lines.
  void enter(const Twine &name);
  void locate(Tensor position);
  Tensor makeRotation();
  Tensor makeMask();

  Tensor norm(Tensor x, const Twine &name);
  Tensor linear(Tensor x, const Twine &name);
  Tensor addBias(Tensor x, Tensor bias);
  /// Queries or keys.
  Tensor rotatedLinear(Tensor x, const Twine &name);
  Tensor attention(Tensor x, int64_t layer);
  Tensor remember(Tensor x, const Cache &cache);
  Tensor write(Tensor rows, uint32_t state);
  Tensor feedForward(Tensor x, const Twine &layer);
  Tensor headsFirst(Tensor x);

  const Config &config;
  const Weights &weights;
  UserGraph &graph;
  ArrayRef<Cache> caches;
  OpBuilder &place;
  Location location;
  GraphBuilder b;

  int64_t tokens = 0;
  /// Known to leave room for the tokens.
  Tensor position;
  Tensor rotation; ///< tokens x 1 x headSize / 2 x 2
  Tensor mask;     ///< True for positions after a query, for all of a group.
};

} // namespace

void FunctionBuilder::enter(const Twine &name) {
  b.setLocation(NameLoc::get(StringAttr::get(b.context(), name), location));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// One check for the run in place of one for each write to a cache.
void FunctionBuilder::locate(Tensor given) {
  enter("position");
  position = checkIndices(b, given, config.context - tokens + 1, /*dim=*/0,
                          /*areNonnegative=*/true);
  rotation = makeRotation();
  mask = makeMask();
}

/// For each token and pair the complex number that turns it.
Tensor FunctionBuilder::makeRotation() {
  Type f32 = Float32Type::get(b.context());
  auto half = int64_t(config.frequencies.size());
  Tensor frequencies = b.constantOf(f32, config.frequencies, {1, half});
  if (weights.has("rope_freqs.weight"))
    frequencies = b.div(
        frequencies, b.reshape(weights.get(b, "rope_freqs.weight"), {1, half}));
  Tensor positions =
      b.add(b.cast(position, f32), b.reshape(b.count(tokens, f32), tokens));
  Tensor angles = b.mul(b.reshape(positions, {tokens, 1}), frequencies);
  Shape shape = {tokens, 1, half, 1};
  return b.concat(
      {b.reshape(b.cos(angles), shape), b.reshape(b.sin(angles), shape)}, 3);
}

Tensor FunctionBuilder::makeMask() {
  Type i64 = IntegerType::get(b.context(), 64);
  Tensor last = b.reshape(b.add(position, b.count(tokens, i64)), {tokens, 1});
  Tensor later =
      b.gt(b.reshape(b.count(config.context, i64), {1, config.context}), last);
  // The heads that share keys are rows of one product, and a single token's
  // rows are equal.
  if (tokens == 1)
    return b.reshape(later, {1, 1, config.context});
  Tensor repeated = b.broadcast(b.reshape(later, {1, tokens, config.context}),
                                {config.group(), tokens, config.context});
  return b.reshape(repeated, {1, config.group() * tokens, config.context});
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

Tensor FunctionBuilder::norm(Tensor x, const Twine &name) {
  enter(name);
  return b.rmsNorm(x, weights.get(b, name + ".weight"), config.epsilon);
}

Tensor FunctionBuilder::addBias(Tensor x, Tensor bias) {
  return b.add(x, b.reshape(bias, {1, bias.count()}));
}

Tensor FunctionBuilder::linear(Tensor x, const Twine &name) {
  enter(name);
  x = b.matmul(x, b.permute(weights.get(b, name + ".weight"), {1, 0}));
  return weights.has(name + ".bias")
             ? addBias(x, weights.get(b, name + ".bias"))
             : x;
}

Tensor FunctionBuilder::rotatedLinear(Tensor x, const Twine &name) {
  enter(name);
  if (config.pairsHalves) {
    // Queries and keys in the same other order have the same products.
    x = b.matmul(
        x, b.permute(weights.getPaired(b, name + ".weight", config.headSize),
                     {1, 0}));
    if (weights.has(name + ".bias"))
      x = addBias(x, weights.getPaired(b, name + ".bias", config.headSize));
  } else {
    x = linear(x, name);
  }
  if (!x)
    return {};
  int64_t heads = x.dim(1) / config.headSize;
  x = b.reshape(x, {tokens, heads, config.headSize / 2, 2});
  return b.reshape(b.create<ComplexMulOp>({x, rotation}),
                   {tokens, heads, config.headSize});
}

/// tokens x heads x size as heads x tokens x size.
Tensor FunctionBuilder::headsFirst(Tensor x) {
  if (!x)
    return {};
  if (x.dim(0) == 1 || x.dim(1) == 1)
    return b.reshape(x, {x.dim(1), x.dim(0), x.dim(2)});
  return b.permute(x, {1, 0, 2});
}

/// Writes rows of the tokens, kvHeads x tokens x width, into a state, in which
/// the rows of one head are neighbours, so that both products of attention read
/// one contiguous matrix a head. Returns all rows, kvHeads x context x width.
Tensor FunctionBuilder::write(Tensor x, uint32_t state) {
  Tensor rows(graph.value(state));
  int64_t width = rows.dim(1);
  for (int64_t head = 0; head < config.kvHeads; ++head) {
    Tensor begin = b.add(position, double(head * config.context));
    Tensor end = b.add(begin, double(tokens));
    Tensor row = b.reshape(b.sliceDim(x, 0, head, 1), {tokens, width});
    rows = b.replaceRows(rows, row, begin, end);
  }
  if (Value value = b.materialize(rows))
    graph.storeStateAt(place, state, value, location);
  return b.reshape(rows, {config.kvHeads, config.context, width});
}

/// Writes the rows of the tokens, tokens x kvHeads x headSize, into the cache.
/// Returns all rows as they are read: the tokens of this run, too, are rounded
/// to what the cache holds, so that a prompt may be cut anywhere.
Tensor FunctionBuilder::remember(Tensor x, const Cache &cache) {
  x = headsFirst(x);
  if (!x)
    return {};
  Type f32 = Float32Type::get(b.context());
  Type stored = Tensor(graph.value(cache.rows)).elementType();
  if (!cache.scales)
    return b.cast(write(b.cast(x, stored), cache.rows), f32);
  Tensor scales = b.div(b.reduce(Combiner::Max, b.abs(x), 2, /*keepDims=*/true),
                        largestInt8);
  // A row of zeros has the scale 0.
  Tensor rows = b.round(b.div(x, b.max(scales, smallestScale)));
  return b.mul(b.cast(write(b.cast(rows, stored), cache.rows), f32),
               write(scales, *cache.scales));
}

Tensor FunctionBuilder::attention(Tensor x, int64_t layer) {
  std::string name = "blk." + std::to_string(layer) + ".attn_";
  Tensor queries = rotatedLinear(x, name + "q");
  Tensor keys = remember(rotatedLinear(x, name + "k"), caches[2 * layer]);
  Tensor values = b.reshape(linear(x, name + "v"),
                            {tokens, config.kvHeads, config.headSize});
  values = remember(values, caches[2 * layer + 1]);
  enter("blk." + Twine(layer) + ".attention");
  queries =
      b.reshape(headsFirst(queries),
                {config.kvHeads, config.group() * tokens, config.headSize});
  Tensor mixed = b.attention(queries, keys, values, mask,
                             1 / std::sqrt(double(config.headSize)));
  mixed = b.reshape(mixed, {config.heads, tokens, config.headSize});
  return linear(b.reshape(headsFirst(mixed), {tokens, config.queryDim()}),
                name + "output");
}

Tensor FunctionBuilder::feedForward(Tensor x, const Twine &layer) {
  Tensor gate = linear(x, layer + "ffn_gate");
  gate = config.hasGelu ? b.gelu(gate, GeluApproximation::Tanh) : b.silu(gate);
  return linear(b.mul(gate, linear(x, layer + "ffn_up")), layer + "ffn_down");
}

Tensor FunctionBuilder::addLayers(Tensor given, Tensor position) {
  tokens = given.count();
  locate(position);
  enter("token_embd");
  Tensor x = weights.getRows(b, "token_embd.weight", given);
  if (config.scalesEmbedding)
    x = b.mul(x, std::sqrt(double(config.dim)));
  for (int64_t i = 0; i < config.layers; ++i) {
    std::string name = "blk." + std::to_string(i) + ".";
    x = b.add(x, attention(norm(x, name + "attn_norm"), i));
    x = b.add(x, feedForward(norm(x, name + "ffn_norm"), name));
  }
  return x;
}

Tensor FunctionBuilder::addClassifier(Tensor x) {
  StringRef name = weights.has("output.weight") ? "output" : "token_embd";
  return b.reshape(linear(norm(x, "output_norm"), name), config.vocab);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static Type getCachedType(const Config &config, Location location) {
  MLIRContext *context = location.getContext();
  switch (config.cacheType) {
  case CacheType::F32:
    return Float32Type::get(context);
  case CacheType::F16:
    return Float16Type::get(context);
  case CacheType::BF16:
    return BFloat16Type::get(context);
  case CacheType::Int8:
    return IntegerType::get(context, 8);
  }
  llvm_unreachable("no other type");
}

llvm::Error Decoder::addCaches() {
  Type f32 = Float32Type::get(location.getContext());
  int64_t count = config.kvHeads * config.context;
  auto rows = RankedTensorType::get({count, config.headSize},
                                    getCachedType(config, location));
  auto scales = RankedTensorType::get({count, 1}, f32);
  for (int64_t i = 0; i < config.layers; ++i)
    for (StringRef kind : {"keys", "values"}) {
      std::string name = ("blk." + Twine(i) + "." + kind).str();
      Cache cache;
      if (llvm::Error error =
              graph.addState(name, rows, {}, location).moveInto(cache.rows))
        return error;
      if (config.cacheType == CacheType::Int8)
        if (llvm::Error error =
                graph.addState(name + ".scales", scales, {}, location)
                    .moveInto(cache.scales.emplace()))
          return error;
      caches.push_back(cache);
    }
  return llvm::Error::success();
}

llvm::Error Decoder::addFunction(StringRef name, StringRef tokensName,
                                 int64_t tokens, bool isDecode,
                                 StringRef outputName) {
  if (llvm::Error error = graph.beginFunction(name))
    return error;
  Type i64 = IntegerType::get(location.getContext(), 64);
  auto given =
      graph.addInput(tokensName, RankedTensorType::get(tokens, i64), location);
  if (!given)
    return given.takeError();
  auto position =
      graph.addInput("position", RankedTensorType::get(1, i64), location);
  if (!position)
    return position.takeError();
  auto results = graph.addValues(
      [&](OpBuilder &place) -> llvm::Expected<SmallVector<Value>> {
        FunctionBuilder function(config, weights, graph, caches, place,
                                 location, diagnostics);
        Tensor x = function.addLayers(Tensor(graph.value(*given)),
                                      Tensor(graph.value(*position)));
        Tensor output =
            isDecode ? function.addClassifier(x) : function.getNextPosition();
        if (!output || diagnostics.hasFailed())
          return llvm::createStringError(diagnostics.takeFailure());
        return SmallVector<Value>{output.value()};
      });
  if (!results)
    return results.takeError();
  return graph.setOutputs(std::pair(outputName, results->front()));
}

llvm::Error Decoder::addPrefill() {
  return addFunction("prefill", "tokens", config.chunk, /*isDecode=*/false,
                     "next");
}

llvm::Error Decoder::addDecode() {
  return addFunction("decode", "token", 1, /*isDecode=*/true, "logits");
}
