//===- VerifyEngine.cpp - Engines against the interpreter -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/VerifyEngine.h"
#include "EngineRuns.h"
#include "HamKaas/Engine/GroupGraph.h"
#include "HamKaas/Interpreter/Interpreter.h"
#include "HamKaas/Interpreter/RandomElements.h"
#include "HamKaas/Program/Difference.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "HamKaas/Runtime/Engine/EngineGroup.h"
#include "HamKaas/Support/DiagnosticText.h"
#include "HamKaas/Support/Errors.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

namespace {

/// One run of the group.
struct Sample {
  const char *name; ///< "random"
  std::vector<TensorBytes> inputs;
  ReferenceTensor expected;
  /// The largest usual scale of the values that the operations compute.
  double scale = 0;
};

/// Interprets a group on inputs that it makes.
class SampleMaker {
public:
  static llvm::Expected<std::vector<Sample>>
  make(const HamKaasEngineGroup &group, MLIRContext *context) {
    auto graph = buildGroupGraph(group, context);
    if (!graph)
      return graph.takeError();
    DiagnosticText problems(context);
    FailureOr<Interpreter> interpreter =
        Interpreter::create(**graph, /*parameters=*/{});
    if (failed(interpreter))
      return problems.take();
    SampleMaker maker(group, context, *interpreter);
    for (const char *name : {"random", "other random", "special"})
      maker.add(name);
    // Special values may be positions that the group does not take.
    if (maker.samples.empty())
      return problems.take();
    llvm::consumeError(problems.take());
    return std::move(maker.samples);
  }

private:
  SampleMaker(const HamKaasEngineGroup &group, MLIRContext *context,
              Interpreter &interpreter)
      : group(group), context(context), interpreter(interpreter) {}

  ReferenceTensor makeInput(int32_t input, StringRef name) {
    const HamKaasEngineTensor &tensor = group.values[input];
    RankedTensorType type = makeTensorType(context, tensor.elementType,
                                           ArrayRef(tensor.shape, tensor.rank));
    std::string number = std::to_string(input);
    // Equal in all samples: constants are packed once.
    if (tensor.isConstant)
      return makeRandomElements(type, "constant " + number);
    std::string seed = (name + " " + number).str();
    return name == "special" ? makeSpecialElements(type, seed)
                             : makeRandomElements(type, seed);
  }

  void add(const char *name) {
    SmallVector<ReferenceTensor> inputs, outputs;
    Sample sample = {name, {}, {}, 0};
    for (int32_t i = 0; i < group.inputCount; ++i) {
      ReferenceTensor &input = inputs.emplace_back(makeInput(i, name));
      const ElementTypeInfo &element = getElementType(input.type);
      TensorBytes &bytes = sample.inputs.emplace_back(
          input.type.getNumElements() * rt::elementTypeSize(element.type));
      element.encode(input, bytes.data());
    }
    auto measure = [&](Value, const ReferenceTensor &value) {
      sample.scale = std::max(sample.scale, getUsualScale(value));
    };
    if (failed(interpreter.run(inputs, outputs, measure)))
      return;
    sample.expected = std::move(outputs.front());
    samples.push_back(std::move(sample));
  }

  const HamKaasEngineGroup &group;
  MLIRContext *context;
  Interpreter &interpreter;
  std::vector<Sample> samples;
};

} // namespace

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static ReferenceTensor decode(const TensorBytes &bytes, RankedTensorType type) {
  ReferenceTensor tensor(type);
  getElementType(type).decode(bytes.data(), tensor);
  return tensor;
}

/// "element [1, 2] of the result"
static std::string nameElement(RankedTensorType type, int64_t index) {
  SmallVector<std::string> positions;
  for (int64_t size : llvm::reverse(type.getShape())) {
    positions.insert(positions.begin(), std::to_string(index % size));
    index /= size;
  }
  return "element [" + llvm::join(positions, ", ") + "] of the result";
}

static std::string formatElement(const ReferenceTensor &tensor, int64_t index) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  tensor.withElements([&](const auto &elements) {
    auto element = elements[index];
    if constexpr (std::is_floating_point_v<decltype(element)>)
      stream << llvm::format(std::is_same_v<decltype(element), float> ? "%.9g"
                                                                      : "%.17g",
                             double(element));
    else if (tensor.type.getElementType().isUnsignedInteger())
      stream << uint64_t(element);
    else
      stream << element;
  });
  return text;
}

namespace {

/// The results of one sample against what was expected.
class SampleCheck {
public:
  SampleCheck(const Sample &sample, ArrayRef<TensorBytes> results,
              double leastScale)
      : sample(sample), results(results), leastScale(leastScale) {}

  /// "did not write element [3] of the result"; empty if all is right.
  std::string findProblem(bool isBitExact) const {
    std::string problem = findUnwritten();
    for (size_t time = 0; problem.empty() && time < results.size(); ++time)
      problem = findWrong(time);
    if (problem.empty() && isBitExact)
      problem = findUnequal();
    return problem;
  }

private:
  size_t getElementSize() const {
    return rt::elementTypeSize(getElementType(sample.expected.type).type);
  }

  std::string findUnwritten() const {
    size_t size = getElementSize();
    for (size_t first = 0; first < results.front().size(); first += size) {
      auto isUnwritten = [&](size_t time) {
        return llvm::all_of(ArrayRef(results[time]).slice(first, size),
                            [&](char byte) {
                              return static_cast<unsigned char>(byte) ==
                                     EngineRuns::getPattern(time);
                            });
      };
      if (llvm::all_of(llvm::seq(results.size()), isUnwritten))
        return "did not write " +
               nameElement(sample.expected.type, first / size);
    }
    return "";
  }

  std::string findWrong(size_t time) const {
    ReferenceTensor actual = decode(results[time], sample.expected.type);
    auto wrong = findWrongElement(actual, sample.expected, leastScale);
    if (!wrong)
      return "";
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << "expected " << nameElement(actual.type, wrong->index) << " to be "
           << formatElement(sample.expected, wrong->index) << ", got "
           << formatElement(actual, wrong->index);
    double tolerance = getElementType(actual.type).tolerance;
    if (tolerance > 0)
      stream << "; it may differ by " << llvm::format("%.3g", tolerance)
             << " * " << llvm::format("%.3g", wrong->scale);
    stream << " (" << sample.name << " inputs, "
           << (time == 0 ? "one thread" : "two threads") << ")";
    return text;
  }

  std::string findUnequal() const {
    auto [a, b] =
        std::mismatch(results[0].begin(), results[0].end(), results[1].begin());
    if (a == results[0].end())
      return "";
    RankedTensorType type = sample.expected.type;
    int64_t index = (a - results[0].begin()) / getElementSize();
    return "notes BitExact, but " + nameElement(type, index) + " is " +
           formatElement(decode(results[0], type), index) +
           " with one thread, and " +
           formatElement(decode(results[1], type), index) +
           " with two and its tensors elsewhere (" + sample.name + " inputs)";
  }

  const Sample &sample;
  ArrayRef<TensorBytes> results; ///< One a time.
  double leastScale;
};

} // namespace

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// The least scale of an element. A result of few elements, such as one sum,
/// may be small by chance, but not for all random inputs. The rounding error of
/// a large sum stays large in what follows it, such as a `tanh`; but more than
/// 1 % of a usual row is always wrong.
static double getLeastScale(const Sample &sample, ArrayRef<Sample> samples) {
  double scale = sample.scale, usual = getUsualScale(sample.expected);
  for (const Sample &other : samples)
    if (StringRef(other.name) != "special") {
      scale = std::max(scale, other.scale);
      usual = std::max(usual, getUsualScale(other.expected));
    }
  double tolerance = getElementType(sample.expected.type).tolerance;
  double most = tolerance > 0 ? std::max(1.0, 0.01 / tolerance) : 0;
  return std::min(scale, most * usual);
}

llvm::Error hamkaas::verifyEngine(const rt::EngineAccess &engine,
                                  StringRef group, StringRef knobs,
                                  StringRef place) {
  rt::EngineGroup parsed;
  if (rt::Error error = parsed.parse(group.str().c_str()))
    return toError(std::move(error));
  std::string prefix = std::string("engine '") + engine.id() + "' of " +
                       engine.path() + ": " + place.str();
  // One of its own: the caller's need not know the interpreter.
  DialectRegistry registry;
  registerGroupDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto samples = SampleMaker::make(parsed.get(), &context);
  if (!samples)
    return llvm::createStringError(
        prefix + ": the reference interpreter cannot compute the group: " +
        llvm::toString(samples.takeError()));
  std::vector<std::vector<TensorBytes>> inputs;
  for (Sample &sample : *samples)
    inputs.push_back(std::move(sample.inputs));
  EngineRuns runs = {engine, parsed.get(), knobs.str(), prefix, inputs};
  std::vector<TensorBytes> results;
  if (llvm::Error error = runs.make(results))
    return error;
  bool isBitExact = engine.get().notes & HamKaasEngineBitExact;
  ArrayRef<TensorBytes> rest = results;
  for (const Sample &sample : *samples) {
    SampleCheck check(sample, rest.take_front(EngineRuns::timesEach),
                      getLeastScale(sample, *samples));
    if (std::string problem = check.findProblem(isBitExact); !problem.empty())
      return llvm::createStringError(prefix + ": " + problem);
    rest = rest.drop_front(EngineRuns::timesEach);
  }
  return llvm::Error::success();
}
