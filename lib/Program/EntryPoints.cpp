//===- EntryPoints.cpp - The C functions of a compiled model ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/EntryPoints.h"
#include "HamKaas/Program/Identifiers.h"
#include "HamKaas/Runtime/Files/LibraryDigest.h"
#include "hamkaas-c/Runtime.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <cstddef>

using namespace llvm;

namespace hamkaas {
namespace {

/// Fields of `<name>_options`, in the order of the generated header.
/// `unverified` follows the parameters.
enum OptionsField { StructSize, Device, WeightsFile, Threads, FirstParameter };

class EntryPointBuilder {
public:
  EntryPointBuilder(Module &module, const ProgramInfo &info,
                    const DescriptorOptions &options)
      : module(module), info(info), options(options), names(info),
        builder(module.getContext()), pointer(builder.getPtrTy()),
        size(builder.getInt64Ty()), word(builder.getInt32Ty()) {}

  void build() {
    buildCreate();
    for (size_t i = 0; i < names.functions.size(); ++i)
      buildRun(i);
    forward("_destroy", "HamKaasInstanceDestroy", builder.getVoidTy(), pointer);
    if (info.stateBytes > 0)
      buildState();
    if (options.hasDigest)
      buildVerify();
    buildFreeError();
  }

private:
  void buildCreate();
  void buildRun(size_t number);
  void buildFreeError();
  void buildState();
  void buildVerify();
  void forward(StringRef suffix, StringRef callee, Type *result,
               ArrayRef<Type *> arguments);

  Function *begin(const Twine &suffix, Type *result,
                  ArrayRef<Type *> arguments);
  FunctionCallee runtime(StringRef name, Type *result,
                         ArrayRef<Type *> arguments) {
    return module.getOrInsertFunction(
        name, FunctionType::get(result, arguments, /*isVarArg=*/false));
  }
  void store(Value *base, size_t offset, Value *value) {
    builder.CreateStore(value,
                        builder.CreatePtrAdd(base, builder.getInt64(offset)));
  }
  Constant *program() {
    return module.getOrInsertGlobal(HAMKAAS_PROGRAM_SYMBOL,
                                    builder.getInt8Ty());
  }
  Value *addressList(iterator_range<Function::arg_iterator> arguments);
  Value *optionsBuffer(size_t bytes);
  Value *defaultOptions();
  Value *isOfSize(Value *given, StructType *givenType, uint64_t bytes);
  Value *isOfKnownSize(Value *given, StructType *givenType);
  Value *loadUnverified(Value *given, StructType *givenType);
  void copyOptions(Value *given, StructType *givenType, Value *runtimeOptions,
                   Value *parameters);
  StructType *optionsType();
  GlobalVariable *wrongOptions();

  Module &module;
  const ProgramInfo &info;
  const DescriptorOptions &options;
  Identifiers names;
  IRBuilder<> builder;
  PointerType *pointer;
  IntegerType *size;
  IntegerType *word;
};

Function *EntryPointBuilder::begin(const Twine &suffix, Type *result,
                                   ArrayRef<Type *> arguments) {
  Function *function = Function::Create(
      FunctionType::get(result, arguments, /*isVarArg=*/false),
      GlobalValue::ExternalLinkage, names.model + suffix, module);
  builder.SetInsertPoint(
      BasicBlock::Create(module.getContext(), "entry", function));
  return function;
}

/// A function that does what one of the runtime does.
void EntryPointBuilder::forward(StringRef suffix, StringRef callee,
                                Type *result, ArrayRef<Type *> arguments) {
  Function *function = begin(suffix, result, arguments);
  SmallVector<Value *> passed(llvm::make_pointer_range(function->args()));
  CallInst *call =
      builder.CreateCall(runtime(callee, result, arguments), passed);
  if (result->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

void EntryPointBuilder::buildState() {
  forward("_reset_state", "HamKaasInstanceResetState", pointer, pointer);
  // The model, the name of a state, the data, and its bytes.
  SmallVector<Type *> ofOne = {pointer, pointer, pointer, size};
  forward("_read_state", "HamKaasInstanceReadState", pointer, ofOne);
  forward("_write_state", "HamKaasInstanceWriteState", pointer, ofOne);
  // The model, and the path of a file.
  SmallVector<Type *> ofAll = {pointer, pointer};
  forward("_save_state", "HamKaasInstanceSaveState", pointer, ofAll);
  forward("_load_state", "HamKaasInstanceLoadState", pointer, ofAll);
}

StructType *EntryPointBuilder::optionsType() {
  // NOTE: a new field comes last and must not fit the padding of the header
  // before, so that an older one is known by its size.
  SmallVector<Type *> fields = {size, pointer, pointer, word};
  if (!options.embedParameters)
    fields.append(info.parameters.size(), pointer);
  fields.push_back(size);
  return StructType::get(module.getContext(), fields);
}

/// The error of `create` for options of another size; it is not from the heap,
/// so that it needs no memory and no C library.
GlobalVariable *EntryPointBuilder::wrongOptions() {
  std::string name = names.model + ".wrong_options";
  if (GlobalVariable *known = module.getNamedGlobal(name))
    return known;
  std::string text = "model '" + names.model +
                     "': expected struct_size to be "
                     "sizeof(" +
                     names.model +
                     "_options) of the header that "
                     "was made with this model";
  Constant *value = ConstantDataArray::getString(module.getContext(), text);
  return new GlobalVariable(module, value->getType(), /*isConstant=*/true,
                            GlobalValue::InternalLinkage, value, name);
}

/// Fills the runtime's options from the caller's. Only parameters that are
/// given go into the list.
void EntryPointBuilder::copyOptions(Value *given, StructType *givenType,
                                    Value *runtimeOptions, Value *parameters) {
  auto load = [&](unsigned field) {
    return builder.CreateLoad(givenType->getElementType(field),
                              builder.CreateStructGEP(givenType, given, field));
  };
  store(runtimeOptions, offsetof(HamKaasInstanceOptions, device), load(Device));
  store(runtimeOptions, offsetof(HamKaasInstanceOptions, threads),
        load(Threads));
  store(runtimeOptions, offsetof(HamKaasInstanceOptions, weightsFile),
        load(WeightsFile));
  store(runtimeOptions, offsetof(HamKaasInstanceOptions, unverified),
        loadUnverified(given, givenType));
  store(runtimeOptions, offsetof(HamKaasInstanceOptions, parameters),
        parameters);

  Value *count = builder.getInt32(0);
  unsigned last = givenType->getNumElements() - 1;
  for (unsigned field = FirstParameter; field < last; ++field) {
    const TensorInfo &tensor = info.parameters[field - FirstParameter];
    Value *data = load(field);
    Value *entry = builder.CreateGEP(
        ArrayType::get(builder.getInt8Ty(), sizeof(HamKaasNamedData)),
        parameters, builder.CreateZExt(count, size));
    store(entry, offsetof(HamKaasNamedData, name),
          builder.CreateGlobalString(tensor.name));
    store(entry, offsetof(HamKaasNamedData, data), data);
    store(entry, offsetof(HamKaasNamedData, bytes),
          builder.getInt64(tensor.bytes()));
    count = builder.CreateAdd(
        count, builder.CreateZExt(builder.CreateIsNotNull(data), word));
  }
  store(runtimeOptions, offsetof(HamKaasInstanceOptions, parameterCount),
        count);
}

Value *EntryPointBuilder::optionsBuffer(size_t bytes) {
  AllocaInst *memory =
      builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), bytes));
  memory->setAlignment(Align(alignof(HamKaasInstanceOptions)));
  return memory;
}

/// The runtime's options, all at their defaults.
Value *EntryPointBuilder::defaultOptions() {
  Value *runtimeOptions = optionsBuffer(sizeof(HamKaasInstanceOptions));
  builder.CreateMemSet(runtimeOptions, builder.getInt8(0),
                       sizeof(HamKaasInstanceOptions), MaybeAlign());
  store(runtimeOptions, offsetof(HamKaasInstanceOptions, structSize),
        builder.getInt64(sizeof(HamKaasInstanceOptions)));
  return runtimeOptions;
}

Value *EntryPointBuilder::isOfSize(Value *given, StructType *givenType,
                                   uint64_t bytes) {
  Value *actual = builder.CreateLoad(
      size, builder.CreateStructGEP(givenType, given, StructSize));
  return builder.CreateICmpEQ(actual, builder.getInt64(bytes));
}

/// Returns whether the caller's options have the size that his header says, or
/// that an older one said.
Value *EntryPointBuilder::isOfKnownSize(Value *given, StructType *givenType) {
  const DataLayout &layout = module.getDataLayout();
  uint64_t older = layout.getStructLayout(givenType)->getElementOffset(
      givenType->getNumElements() - 1);
  return builder.CreateOr(
      isOfSize(given, givenType, layout.getTypeAllocSize(givenType)),
      isOfSize(given, givenType, older));
}

/// 0 where an older header had no such field.
Value *EntryPointBuilder::loadUnverified(Value *given, StructType *givenType) {
  Value *isNewer = isOfSize(given, givenType,
                            module.getDataLayout().getTypeAllocSize(givenType));
  Value *field = builder.CreateStructGEP(givenType, given,
                                         givenType->getNumElements() - 1);
  // Any readable address stands in for an absent one.
  Value *readable = builder.CreateSelect(isNewer, field, given);
  Value *isSet = builder.CreateIsNotNull(builder.CreateLoad(size, readable));
  return builder.CreateZExt(builder.CreateAnd(isNewer, isSet), word);
}

void EntryPointBuilder::buildCreate() {
  Function *function = begin("_create", pointer, {pointer, pointer});
  StructType *givenType = optionsType();
  Value *given = function->getArg(0);
  Value *runtimeOptions = defaultOptions();
  // NOTE: one entry more than is used, because entries that are not given are
  // written before they are skipped.
  Value *parameters =
      optionsBuffer(sizeof(HamKaasNamedData) *
                    (givenType->getNumElements() - FirstParameter));

  auto block = [&](const Twine &name) {
    return BasicBlock::Create(module.getContext(), name, function);
  };
  BasicBlock *check = block("check"), *copy = block("copy");
  BasicBlock *create = block("create"), *wrong = block("wrong");
  builder.CreateCondBr(builder.CreateIsNull(given), create, check);

  builder.SetInsertPoint(check);
  builder.CreateCondBr(isOfKnownSize(given, givenType), copy, wrong);
  builder.SetInsertPoint(copy);
  copyOptions(given, givenType, runtimeOptions, parameters);
  builder.CreateBr(create);
  builder.SetInsertPoint(create);
  builder.CreateRet(builder.CreateCall(
      runtime("HamKaasInstanceCreate", pointer, {pointer, pointer, pointer}),
      {program(), runtimeOptions, function->getArg(1)}));
  builder.SetInsertPoint(wrong);
  builder.CreateRet(wrongOptions());
}

/// An array with the addresses that are passed as `arguments`.
Value *EntryPointBuilder::addressList(
    iterator_range<Function::arg_iterator> arguments) {
  size_t count = std::distance(arguments.begin(), arguments.end());
  Value *list = builder.CreateAlloca(ArrayType::get(pointer, count));
  size_t offset = 0;
  for (Argument &argument : arguments) {
    store(list, offset, &argument);
    offset += sizeof(void *);
  }
  return list;
}

void EntryPointBuilder::buildRun(size_t number) {
  const FunctionInfo &described = *info.functions()[number];
  size_t inputCount = described.inputs.size();
  SmallVector<Type *> types(1 + inputCount + described.outputs.size(), pointer);
  Function *function =
      begin("_" + names.functions[number].function, pointer, types);
  auto firstInput = std::next(function->arg_begin());
  auto firstOutput = std::next(firstInput, inputCount);
  Value *inputs = addressList({firstInput, firstOutput});
  Value *outputs = addressList({firstOutput, function->arg_end()});
  if (names.functions.size() == 1)
    builder.CreateRet(builder.CreateCall(
        runtime("HamKaasInstanceRun", pointer, {pointer, pointer, pointer}),
        {function->getArg(0), inputs, outputs}));
  else
    builder.CreateRet(builder.CreateCall(
        runtime("HamKaasInstanceRunFunction", pointer,
                {pointer, word, pointer, pointer}),
        {function->getArg(0), builder.getInt32(number), inputs, outputs}));
}

/// Compares the library with its digest, for which there is a place in it.
void EntryPointBuilder::buildVerify() {
  begin("_verify", pointer, {});
  builder.CreateRet(builder.CreateCall(
      runtime("HamKaasProgramVerify", pointer, {pointer, word}),
      {program(), builder.getInt32(0)}));
  Constant *note = ConstantStruct::getAnon(
      {builder.getInt32(sizeof(rt::digestNoteOwner)),
       builder.getInt32(sizeof(rt::Digest)),
       builder.getInt32(rt::digestNoteType),
       ConstantDataArray::getString(module.getContext(), rt::digestNoteOwner),
       ConstantAggregateZero::get(
           ArrayType::get(builder.getInt8Ty(), sizeof(rt::Digest)))});
  auto *global =
      new GlobalVariable(module, note->getType(),
                         /*isConstant=*/true, GlobalValue::InternalLinkage,
                         note, "hamkaas.digest");
  global->setSection(".note.hamkaas");
  global->setAlignment(Align(4));
  appendToUsed(module, global);
}

void EntryPointBuilder::buildFreeError() {
  Function *function = begin("_free_error", builder.getVoidTy(), pointer);
  Value *message = function->getArg(0);
  BasicBlock *heap = BasicBlock::Create(module.getContext(), "heap", function);
  BasicBlock *done = BasicBlock::Create(module.getContext(), "done", function);
  builder.CreateCondBr(builder.CreateICmpEQ(message, wrongOptions()), done,
                       heap);
  builder.SetInsertPoint(heap);
  builder.CreateCall(runtime("HamKaasErrorFree", builder.getVoidTy(), pointer),
                     message);
  builder.CreateBr(done);
  builder.SetInsertPoint(done);
  builder.CreateRetVoid();
}

} // namespace

std::vector<std::string> entryPointNames(const ProgramInfo &info,
                                         const DescriptorOptions &options) {
  Identifiers identifiers(info);
  const std::string &model = identifiers.model;
  std::vector<std::string> names = {model + "_create"};
  for (const FunctionIdentifiers &function : identifiers.functions)
    names.push_back(model + "_" + function.function);
  names.insert(names.end(), {model + "_destroy", model + "_free_error"});
  if (info.stateBytes > 0)
    for (const char *action : {"reset", "read", "write", "save", "load"})
      names.push_back(model + "_" + action + "_state");
  if (options.hasDigest)
    names.push_back(model + "_verify");
  return names;
}

std::unique_ptr<Module> createEntryPoints(LLVMContext &context,
                                          const TargetMachine &machine,
                                          const ProgramInfo &info,
                                          const DescriptorOptions &options) {
  auto module = std::make_unique<Module>("entry points", context);
  module->setDataLayout(machine.createDataLayout());
  EntryPointBuilder(*module, info, options).build();
  return module;
}

} // namespace hamkaas
