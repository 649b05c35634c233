//===- Destinations.cpp - Where a program's results are written -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Destinations.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace hamkaas;

FailureOr<Destinations> Destinations::create(func::FuncOp program) {
  Destinations result(program);
  for (auto [i, type] : llvm::enumerate(program.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return program.emitError("expected result ")
             << i << " of @" << program.getSymName()
             << " to be a tensor of static shape, got " << type;
  }
  if (failed(result.findStates()))
    return failure();
  result.addArguments();
  result.findStorages();
  return result;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static bool isState(DictionaryAttr attributes) {
  if (!attributes)
    return false;
  auto region =
      attributes.getAs<MemoryRegionAttr>(HamKaasDialect::regionAttrName);
  return region && region.getValue() == MemoryRegion::State;
}

LogicalResult Destinations::findStates() {
  llvm::DenseMap<Attribute, Value> states;
  for (BlockArgument argument : program.getArguments())
    if (DictionaryAttr attributes =
            program.getArgAttrDict(argument.getArgNumber());
        isState(attributes))
      states[attributes.get(HamKaasDialect::nameAttrName)] = argument;
  destinations.resize(program.getNumResults());
  for (unsigned i = 0; i < program.getNumResults(); ++i) {
    DictionaryAttr attributes = program.getResultAttrDict(i);
    if (!isState(attributes))
      continue;
    Attribute name = attributes.get(HamKaasDialect::nameAttrName);
    auto state = states.find(name);
    if (state == states.end())
      return program.emitError("expected result ")
             << i << " of @" << program.getSymName()
             << " to be a state that is an argument, got " << name;
    if (!state->second)
      return program.emitError("expected state ")
             << name << " to be stored at most once";
    destinations[i] = std::exchange(state->second, Value());
  }
  return success();
}

/// Adds all arguments at once: each time, the function's type is made anew.
void Destinations::addArguments() {
  Builder builder(program.getContext());
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  for (unsigned i = 0; i < program.getNumResults(); ++i) {
    if (destinations[i])
      continue;
    NamedAttrList list(program.getResultAttrDict(i));
    if (!list.get(HamKaasDialect::regionAttrName))
      list.set(
          HamKaasDialect::regionAttrName,
          MemoryRegionAttr::get(program.getContext(), MemoryRegion::Output));
    list.set(bufferization::BufferizationDialect::kWritableAttrName,
             builder.getBoolAttr(true));
    types.push_back(program.getResultTypes()[i]);
    attributes.push_back(list.getDictionary(program.getContext()));
  }
  unsigned next = program.getNumArguments();
  SmallVector<Location> locations(types.size(), program.getLoc());
  (void)program.insertArguments(SmallVector<unsigned>(types.size(), next),
                                types, attributes, locations);
  for (Value &destination : destinations)
    if (!destination)
      destination = program.getArgument(next++);
}

/// Follows reshapes, not slices, back.
static Value getReshapedTensor(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

void Destinations::findStorages() {
  Operation *terminator = program.getBody().front().getTerminator();
  bool isLoop = program->hasAttr(HamKaasDialect::loopAttrName);
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    // A state's old value may be read by others, and a run that fails must not
    // change it: left to bufferization and memory planning.
    bool isKept = !isLoop && isState(program.getResultAttrDict(i));
    if (!isKept && destinations[i].use_empty())
      storages.try_emplace(getReshapedTensor(value), destinations[i]);
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The tensor in whose place a kernel or loop writes `value`; null for others.
static Value getWrittenTensor(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto call = dyn_cast_or_null<func::CallOp>(op))
    return call.getOperands().back();
  if (auto repeat = dyn_cast_or_null<RepeatOp>(op))
    return repeat.getTiedOpOperand(cast<OpResult>(value))->get();
  return nullptr;
}

/// The storage of `value` if kernels write to their last argument and loops to
/// their iter args and outputs, in place.
static Value getStorage(Value value) {
  while (true) {
    value = getViewedTensor(value);
    Value storage = getWrittenTensor(value);
    if (!storage)
      return value;
    value = storage;
  }
}

namespace {

/// Writes the results of a function to their destinations. All take their
/// places at once, so that each is read before another one is written over it:
/// a value that is two results, the new value of a state that is also an
/// output, a state that is shifted into another one.
class ResultWriter {
public:
  ResultWriter(func::FuncOp program, ArrayRef<Value> destinations);

  void write();

private:
  static constexpr unsigned none = ~0u;

  void writeWhatIsFree(unsigned first);
  void save(unsigned result);
  Value copyTo(Value value, Value destination);

  Operation *terminator;
  OpBuilder builder;
  ArrayRef<Value> destinations;
  /// For each result, the other one whose destination it lies in.
  SmallVector<unsigned> lyingIn;
  /// For each result, the others that lie in its destination, and how many of
  /// them are still to be read.
  SmallVector<SmallVector<unsigned, 1>> readers;
  SmallVector<unsigned> unread;
  llvm::BitVector written;
};

} // namespace

ResultWriter::ResultWriter(func::FuncOp program, ArrayRef<Value> destinations)
    : terminator(program.getBody().front().getTerminator()),
      builder(terminator), destinations(destinations),
      lyingIn(destinations.size(), none), readers(destinations.size()),
      unread(destinations.size(), 0), written(destinations.size()) {
  llvm::DenseMap<Value, unsigned> indices;
  for (auto [i, destination] : llvm::enumerate(destinations))
    indices[destination] = i;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto other = indices.find(getStorage(value));
    if (other == indices.end() || other->second == i)
      continue;
    lyingIn[i] = other->second;
    readers[other->second].push_back(i);
    ++unread[other->second];
  }
}

void ResultWriter::write() {
  for (unsigned i = 0; i < destinations.size(); ++i)
    if (unread[i] == 0 && !written[i])
      writeWhatIsFree(i);
  // The remaining ones are rings of states, which a copy of one of them opens.
  for (unsigned i = 0; i < destinations.size(); ++i) {
    if (written[i])
      continue;
    for (unsigned reader : readers[i])
      if (!written[reader])
        save(reader);
    writeWhatIsFree(i);
  }
}

/// Writes `first`, then whatever waited for it.
void ResultWriter::writeWhatIsFree(unsigned first) {
  for (unsigned i = first; i != none;) {
    OpOperand &operand = terminator->getOpOperand(i);
    operand.set(copyTo(operand.get(), destinations[i]));
    written.set(i);
    unsigned next = lyingIn[i];
    i = next != none && --unread[next] == 0 ? next : none;
  }
}

void ResultWriter::save(unsigned result) {
  OpOperand &operand = terminator->getOpOperand(result);
  auto type = cast<RankedTensorType>(operand.get().getType());
  Value copy = tensor::EmptyOp::create(builder, operand.get().getLoc(),
                                       type.getShape(), type.getElementType());
  operand.set(copyTo(operand.get(), copy));
  lyingIn[result] = none;
}

/// Copies a reshaped value in the shape that the kernel or loop writes. NOTE:
/// upstream only sees values of the same type in one place, and would otherwise
/// copy by way of a third place.
Value ResultWriter::copyTo(Value value, Value destination) {
  SmallVector<Operation *> reshapes;
  Value written = getReshapedTensor(value);
  Value storage = getWrittenTensor(written);
  if (storage && getReshapedTensor(storage) == destination) {
    destination = storage;
    while (value != written) {
      Operation *reshape = value.getDefiningOp();
      reshapes.push_back(reshape);
      value = reshape->getOperand(0);
    }
  }
  Value copied =
      bufferization::MaterializeInDestinationOp::create(
          builder, terminator->getLoc(), value.getType(), value, destination)
          .getResult();
  for (Operation *reshape : llvm::reverse(reshapes)) {
    Operation *clone = builder.clone(*reshape);
    clone->setOperand(0, copied);
    copied = clone->getResult(0);
  }
  return copied;
}

void Destinations::writeResults() {
  ResultWriter(program, destinations).write();
}
