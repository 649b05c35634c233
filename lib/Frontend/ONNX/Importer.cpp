//===- Importer.cpp - Walks the graph of a model ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "DataTypes.h"
#include "Formats.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Frontend/Builder/Elements.h"
#include "Opsets.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

const NamedValue *Scope::find(StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->parent)
    if (auto found = scope->values.find(name); found != scope->values.end())
      return &found->second;
  return nullptr;
}

Importer::Importer(const ModelProto &model, StringRef name,
                   MLIRContext *context, const OnnxImportOptions &options,
                   ParameterContents &parameters, OnnxSummary &summary)
    : model(model), options(options), context(context),
      modelLocation(FileLineColLoc::get(context, name, 0, 0)),
      parameters(parameters), summary(summary), diagnostics(modelLocation),
      tensors(context,
              {options.path, options.externalDataRoot,
               options.names.externalDataRoot.str()},
              parameters, diagnostics),
      builder(modelLocation, parameters, diagnostics),
      constants(builder, options.names) {
  for (const FunctionProto &function : model.functions)
    functions[getFunctionKey(function.domain, function.name,
                             function.overload)] = &function;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

static OnnxValue describeTensor(StringRef name, const Tensor &tensor) {
  ArrayRef<int64_t> shape = tensor.shape();
  OnnxValue value = {name.str(), tensor.elementType(),
                     std::vector<OnnxValue::Dim>(shape.begin(), shape.end())};
  if (isFormat(getFormat(tensor)))
    value.format = getDataTypeName(getFormat(tensor));
  return value;
}

static std::string describeElements(const OnnxValue &value) {
  return value.format.empty() ? formatType(value.elementType) : value.format;
}

llvm::StringMap<int64_t> onnx::readOpsets(ArrayRef<OpsetProto> list) {
  llvm::StringMap<int64_t> opsets;
  for (const OpsetProto &opset : list)
    opsets[normalizeDomain(opset.domain)] = opset.version;
  return opsets;
}

void Importer::checkModel() {
  if (!model.graph)
    diagnostics.error("expected a model with a graph");
  if (model.hasTrainingInfo)
    diagnostics.error("training information is not supported");
  if (model.irVersion == 0)
    diagnostics.warning(
        "expected the version of the format (ir_version), got none");
  for (const OpsetProto &opset : model.opsets)
    if (normalizeDomain(opset.domain).empty() &&
        opset.version > getNewestOpset())
      diagnostics.warning(
          "opset " + Twine(opset.version) +
          " is not known: operators mean what they do in opset " +
          Twine(getNewestOpset()));
}

/// An output that the operator does not have is an error only if it is used.
void Importer::checkOutputs(const NodeProto &node) {
  std::optional<int64_t> most =
      getMaxOutputs(normalizeDomain(node.domain), node.opType);
  if (!most || int64_t(node.outputs.size()) <= *most ||
      llvm::all_of(ArrayRef(node.outputs).drop_front(*most),
                   [](StringRef name) { return name.empty(); }))
    return;
  diagnostics.warning("expected at most " + Twine(*most) +
                      (*most == 1 ? " output of " : " outputs of ") +
                      escape(node.opType) + ", the others have no value");
}

OwningOpRef<ModuleOp> Importer::run() {
  checkModel();
  Environment environment;
  environment.opsets = readOpsets(model.opsets);
  Scope scope;
  if (!diagnostics.hasErrors()) {
    addInitializers(*model.graph, scope);
    addInputs(*model.graph, scope);
    diagnostics.settleSizes();
    if (!unboundDims.empty())
      constants.setSizesUnknown();
    importNodes(model.graph->nodes, scope, environment);
    addResults(scope);
  }
  diagnostics.emitWarnings();
  summary.failure = findFailure();
  for (unsigned argument : constants.missingInputs())
    summary.missing.push_back(builder.getInputName(argument).str());
  if (diagnostics.hasErrors()) {
    diagnostics.emitErrors(getReportedCertainty());
    return nullptr;
  }
  builder.setLocation(modelLocation);
  if (options.training == OnnxTraining::Step)
    llvm::append_range(results, updates);
  return builder.finish(results);
}

/// Of the errors that are worth telling: no advice for a model that is refused
/// with any sizes and constants, no errors that may come from sizes not given.
Certainty Importer::getReportedCertainty() const {
  if (!certainFailure && diagnostics.hasErrors(Certainty::Final))
    return Certainty::Final;
  return unboundDims.empty() ? Certainty::Open : Certainty::AnySizes;
}

OnnxFailure Importer::findFailure() const {
  if (!diagnostics.hasErrors())
    return OnnxFailure::None;
  if (certainFailure)
    return *certainFailure;
  if (diagnostics.hasErrors(Certainty::Final))
    return OnnxFailure::Unsupported;
  // Other problems may come from what is missing.
  if (!unboundDims.empty() || !constants.missingInputs().empty())
    return OnnxFailure::Incomplete;
  return diagnostics.isSupportMissing() ? OnnxFailure::Unsupported
                                        : OnnxFailure::Invalid;
}

/// Sizes that have names may be any. A wrong one does no harm to what is
/// compiled, but a caller may believe it.
void Importer::checkDeclaredShape(const OnnxValue &declared,
                                  ArrayRef<int64_t> found) {
  if (!declared.dims)
    return;
  bool isEqual = declared.dims->size() == found.size();
  std::string expected;
  for (auto [i, dim] : llvm::enumerate(*declared.dims)) {
    auto *size = std::get_if<int64_t>(&dim);
    isEqual &= !size || (i < found.size() && *size == found[i]);
    expected += (i ? "x" : "") + (size ? std::to_string(*size)
                                       : escape(std::get<std::string>(dim)));
  }
  if (!isEqual)
    diagnostics.warning("output " + quote(declared.name) +
                        ": expected the shape " +
                        (expected.empty() ? "scalar" : expected) +
                        ", as it is declared, got " + formatShape(found));
}

void Importer::addResults(Scope &scope) {
  if (model.graph->outputs.empty())
    diagnostics.error("expected a model with an output");
  llvm::StringSet<> names;
  for (const ValueInfoProto &output : model.graph->outputs) {
    const NamedValue *value = scope.find(output.name);
    if (!isValidName(output.name))
      diagnostics.error(
          "expected the name of an output to be UTF-8 text without "
          "control characters, and not empty, got " +
          quote(output.name));
    else if (!names.insert(output.name).second)
      diagnostics.error("output " + quote(output.name) + " is there twice");
    else if (!value)
      diagnostics.error("no node computes the output " + quote(output.name));
    else if (!value->tensor && !value->problem.empty())
      diagnostics.error("output " + quote(output.name) + ": " + value->problem);
    else if (value->tensor.isSequence())
      diagnostics.error("output " + quote(output.name) +
                        ": values that are no tensors are not supported");
    else if (!value->tensor.isEmpty())
      results.emplace_back(output.name.str(), value->tensor);
    OnnxValue declared = describe(output);
    bool isKnown = value && value->tensor;
    OnnxValue found =
        isKnown ? describeTensor(output.name, value->tensor) : declared;
    bool isSame = declared.elementType == found.elementType &&
                  declared.format == found.format;
    if (declared.elementType && !isSame)
      diagnostics.error("output " + quote(output.name) +
                        ": expected elements of type " +
                        describeElements(declared) +
                        ", as it is declared, got " + describeElements(found));
    if (isKnown && unboundDims.empty())
      checkDeclaredShape(declared, value->tensor.shape());
    declared.elementType = found.elementType;
    declared.format = found.format;
    // Sizes that were not given are 1 for now.
    summary.outputs.push_back(unboundDims.empty() ? found : declared);
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The name of a node in messages: by its name, else by its first output.
static std::string getNodeName(const NodeProto &node,
                               const Environment &environment) {
  std::string name = node.name.str();
  for (StringRef output : node.outputs)
    if (name.empty())
      name = output.str();
  return environment.prefix + name;
}

static Location getLocation(StringRef name, const NodeProto &node,
                            Location place) {
  MLIRContext *context = place.getContext();
  auto op = StringAttr::get(context, escape(node.opType));
  return NameLoc::get(StringAttr::get(context, escape(name)),
                      NameLoc::get(op, place));
}

/// Node number `number` of the model. A model has no lines, so that its line is
/// 0; the column is free for the number, of which line tables make a line.
static FileLineColLoc getPlace(FileLineColLoc model, unsigned number) {
  return FileLineColLoc::get(model.getFilename(), /*line=*/0, number);
}

void Importer::enterNode(StringRef name, Location location) {
  diagnostics.enterNode(name, location);
  builder.setLocation(location);
}

void Importer::importNodes(const Nodes &nodes, Scope &scope,
                           const Environment &environment) {
  std::string outerName = diagnostics.nodeName().str();
  Location outerLocation = diagnostics.nodeLocation();
  // The nodes of a body have the number of the node that they are in.
  auto place = outerLocation->findInstanceOf<FileLineColLoc>();
  bool isModel = outerLocation == modelLocation;
  for (auto [i, node] : llvm::enumerate(nodes)) {
    countNodes(1);
    if (isTooLarge())
      break;
    if (isModel)
      place = getPlace(place, i + 1);
    std::string name = getNodeName(node, environment);
    enterNode(name, getLocation(name, node, place));
    importNode(node, scope, environment);
  }
  enterNode(outerName, outerLocation);
}

/// The inputs, or nothing if one of them is unknown.
std::optional<Tensors> Importer::readInputs(const NodeProto &node,
                                            const Scope &scope) {
  Tensors inputs;
  bool areKnown = true;
  for (StringRef name : node.inputs) {
    const NamedValue *value = name.empty() ? nullptr : scope.find(name);
    if (!name.empty() && !value)
      diagnostics.error("no node before this one computes the input " +
                        quote(name));
    else if (value && !value->problem.empty())
      diagnostics.error("input " + quote(name) + ": " + value->problem);
    areKnown &= name.empty() || (value && (value->tensor || value->isLeftOut));
    inputs.push_back(value ? value->tensor : Tensor());
  }
  if (!areKnown)
    return std::nullopt;
  return inputs;
}

/// Nodes that hold graphs are imported here: they see the values around them.
static bool isControlFlow(StringRef domain, StringRef name) {
  return domain.empty() && (name == "If" || name == "Loop" || name == "Scan" ||
                            name == "SequenceMap");
}

bool Importer::expectPlain(StringRef what, ArrayRef<Tensor> tensors) {
  for (const Tensor &tensor : tensors) {
    if (tensor.isSequence())
      builder.fail("sequences as " + what + " are not supported");
    else if (!tensor.isPlain())
      builder.fail("elements of type " + getDataTypeName(getFormat(tensor)) +
                   " as " + what + " are not supported; Cast converts them");
    if (!tensor.isPlain())
      return false;
  }
  return true;
}

/// Returns whether an operator that takes such inputs may be given these.
bool Importer::checkInputs(ArrayRef<Tensor> inputs, Takes takes) {
  for (auto [i, input] : llvm::enumerate(inputs)) {
    std::string what = ("input " + Twine(i)).str();
    bool isBits = takes != Takes::Tensors && !input.isSequence();
    if (takes != Takes::All && !isBits && !expectPlain(what, input))
      return false;
    bool isMoved = takes == Takes::Bits && !input.isPlain();
    if (isMoved && getFormat(input) != getFormat(inputs.front())) {
      builder.fail("expected the elements of input " + Twine(i) +
                   " to have the type of input 0");
      return false;
    }
  }
  return true;
}

/// " (inputs 'x' of float32 [1, 3], 'w' of float32 [5, 6])".
static std::string listInputs(const NodeProto &node, ArrayRef<Tensor> inputs) {
  constexpr size_t most = 4;
  std::string text;
  for (auto [name, input] : llvm::zip(node.inputs, inputs.take_front(most)))
    if (input && input.isPlain())
      text += (text.empty() ? " (inputs " : ", ") + quote(name) + " of " +
              formatType(input.type());
  return text.empty() ? "" : text + ")";
}

/// A node that becomes more operations, or a list of more tensors, counts as
/// several.
static constexpr int64_t partsOfNode = 4;

std::optional<Tensors> Importer::importOp(const NodeProto &node,
                                          const Call &call,
                                          const OpVersion &op) {
  Takes takes = op.definition->takes;
  if (!checkInputs(call.inputs, takes)) {
    diagnostics.reportFailure();
    return std::nullopt;
  }
  Tensors inputs = call.inputs;
  DataType format = DataType::Undefined;
  if (takes == Takes::Bits && !inputs.empty()) {
    format = getFormat(inputs.front());
    for (Tensor &input : inputs)
      input = withoutFormat(input);
  }
  OpContext context(node, builder, constants, tensors, call.attributes, inputs,
                    op.version, options.training, updates);
  int64_t before = builder.createdCount();
  Tensors outputs = op.definition->import(context, builder);
  int64_t made = builder.createdCount() - before;
  for (const Tensor &output : outputs)
    if (output.isSequence())
      made += output.items().size();
  countNodes(made / partsOfNode);
  context.expectAllRead();
  if (diagnostics.isMismatch())
    diagnostics.addToFailure(listInputs(node, call.inputs));
  if (diagnostics.reportFailure())
    return std::nullopt;
  if (format != DataType::Undefined)
    for (Tensor &output : outputs)
      output = withFormat(output, format);
  return outputs;
}

/// The outputs of a node; none if they are unknown.
std::optional<Tensors> Importer::importCall(const NodeProto &node,
                                            const Scope &scope,
                                            const Environment &environment) {
  StringRef domain = normalizeDomain(node.domain);
  const FunctionProto *function = findFunction(node);
  bool isFlow = !function && isControlFlow(domain, node.opType);
  auto opset = environment.opsets.find(domain);
  if (opset == environment.opsets.end()) {
    diagnostics.error("expected the model to import an opset of the domain " +
                          quote(node.domain),
                      Certainty::AnySizes);
    return std::nullopt;
  }
  OpVersion op;
  if (!function && !isFlow) {
    // Reported even if its inputs are unknown.
    op = findOp(domain, node.opType, opset->getValue(), diagnostics);
    if (!op.definition)
      certainFailure = OnnxFailure::Unsupported;
  }
  std::optional<Tensors> inputs = readInputs(node, scope);
  if (!inputs || (!function && !isFlow && !op.definition))
    return std::nullopt;
  Attributes attributes(node, environment.attributes, diagnostics);
  if (diagnostics.reportFailure())
    return std::nullopt;
  Call call{attributes, std::move(*inputs), scope, environment};
  if (function)
    return importFunction(*function, call);
  if (!isFlow)
    return importOp(node, call, op);
  auto outputs = node.opType == "If"            ? importIf(call)
                 : node.opType == "Loop"        ? importLoop(call)
                 : node.opType == "SequenceMap" ? importSequenceMap(call)
                                                : importScan(call);
  attributes.expectAllRead();
  return diagnostics.reportFailure() ? std::nullopt : outputs;
}

void Importer::importNode(const NodeProto &node, Scope &scope,
                          const Environment &environment) {
  if (!findFunction(node))
    checkOutputs(node);
  std::optional<Tensors> outputs = importCall(node, scope, environment);
  // No failure is silent.
  if (!outputs && !diagnostics.hasErrors())
    diagnostics.error("what this node is given is not supported");
  define(node, outputs, scope);
}

bool Importer::isTooLarge() const { return nodeCount > options.maxNodes; }

/// An operation made by a function or a loop without a node counts, too: so all
/// of them end.
void Importer::countNodes(int64_t count) {
  if (!isTooLarge() && nodeCount + count > options.maxNodes)
    diagnostics.modelError("expected at most " + Twine(options.maxNodes) +
                           " nodes, those of functions and loops included");
  nodeCount += count;
}

void Importer::define(const NodeProto &node,
                      const std::optional<Tensors> &outputs, Scope &scope) {
  for (auto [i, name] : llvm::enumerate(node.outputs)) {
    if (name.empty())
      continue;
    NamedValue value;
    if (outputs && i < outputs->size())
      value.tensor = (*outputs)[i];
    if (outputs && !value.tensor)
      value.problem =
          ("output " + Twine(i) + " of " + node.opType + " is not supported")
              .str();
    defineValue(name, std::move(value), scope);
  }
}

void Importer::defineValue(StringRef name, NamedValue value, Scope &scope) {
  if (!scope.values.try_emplace(name, std::move(value)).second)
    diagnostics.error("the value " + quote(name) + " is there already");
}
