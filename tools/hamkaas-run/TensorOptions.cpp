//===- TensorOptions.cpp - The values of --input and --output ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorOptions.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace hamkaas;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(text);
}

/// Splits NAME=VALUE behind the longest declared name, which may have a '='
/// itself; at the first '=' if none fits.
static std::pair<StringRef, StringRef>
splitAssignment(StringRef assignment,
                ArrayRef<TensorDeclaration> declarations) {
  std::pair<StringRef, StringRef> best = assignment.split('=');
  for (const TensorDeclaration &declaration : declarations) {
    StringRef value = assignment;
    if (declaration.name.size() > best.first.size() &&
        value.consume_front(declaration.name) && value.consume_front("="))
      best = {declaration.name, value};
  }
  return best;
}

llvm::Expected<llvm::StringMap<std::string>>
hamkaas::parseAssignments(StringRef option, ArrayRef<std::string> assignments,
                          ArrayRef<TensorDeclaration> declarations) {
  llvm::StringMap<std::string> values;
  auto names = llvm::map_range(
      declarations, [](const TensorDeclaration &d) { return d.name; });
  for (StringRef assignment : assignments) {
    auto [name, value] = splitAssignment(assignment, declarations);
    if (value.empty())
      return makeError("--" + option + ": expected NAME=VALUE, got '" +
                       assignment + "'");
    if (!llvm::is_contained(names, name))
      return makeError(
          "--" + option + ": the model has no " + option + " '" + name +
          "'; it has " +
          (declarations.empty() ? "none" : llvm::join(names, ", ")));
    if (!values.try_emplace(name, value.str()).second)
      return makeError("--" + option + ": '" + name + "' is given twice");
  }
  return values;
}

/// `kind` is "input" or "output".
static llvm::Error checkMemory(StringRef kind,
                               const TensorDeclaration &declaration) {
  if (Tensor::canAllocate(declaration.type))
    return llvm::Error::success();
  return makeError("cannot allocate " +
                   llvm::Twine(Tensor::getBytes(declaration.type)) +
                   " bytes for the " + kind + " '" + declaration.name + "'");
}

/// Reads an input from a file, which a misspelt word looks like.
static llvm::Expected<Tensor> readInput(StringRef source,
                                        const TensorDeclaration &declaration) {
  if (source.ends_with(".npy") || llvm::sys::fs::exists(source))
    return readTensor(source, declaration.name, declaration.type);
  std::string meant;
  constexpr unsigned mostEdits = 2;
  for (StringRef word : {"random", "zeros"})
    if (source.edit_distance(word, /*AllowReplacements=*/true, mostEdits) <=
        mostEdits)
      meant = (", did you mean '" + word + "'?").str();
  return makeError("--input: '" + declaration.name +
                   "': expected a .npy file, random or zeros, got '" + source +
                   "', and no such file exists" + meant);
}

llvm::Expected<llvm::StringMap<std::string>>
hamkaas::findSources(const ToolCommandLine &line,
                     ArrayRef<TensorDeclaration> declarations) {
  auto sources =
      parseAssignments("input", line.getAll(OPT_input), declarations);
  if (!sources)
    return sources;
  std::string missing;
  for (const TensorDeclaration &declaration : declarations)
    if (!sources->contains(declaration.name))
      llvm::raw_string_ostream(missing)
          << "\n  --input " << declaration.name << "=F.npy|random|zeros  ("
          << formatType(declaration.type) << ")";
  if (!missing.empty())
    return makeError("expected contents for every input; missing:" + missing);
  return sources;
}

llvm::Expected<SmallVector<Tensor>>
hamkaas::loadInputs(const ToolCommandLine &line,
                    ArrayRef<TensorDeclaration> declarations) {
  auto sources = findSources(line, declarations);
  if (!sources)
    return sources.takeError();
  SmallVector<Tensor> tensors;
  for (const TensorDeclaration &declaration : declarations) {
    std::string source = sources->lookup(declaration.name);
    if (llvm::Error error = checkMemory("input", declaration))
      return std::move(error);
    Tensor tensor(declaration.type);
    if (source == "random") {
      tensor = makeRandomTensor(declaration.type, declaration.name);
    } else if (source != "zeros") {
      auto read = readInput(source, declaration);
      if (!read)
        return read.takeError();
      tensor = std::move(*read);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

llvm::Expected<SmallVector<Tensor>>
hamkaas::makeOutputs(ArrayRef<TensorDeclaration> declarations) {
  SmallVector<Tensor> tensors;
  for (const TensorDeclaration &declaration : declarations) {
    if (llvm::Error error = checkMemory("output", declaration))
      return std::move(error);
    tensors.emplace_back(declaration.type);
  }
  return tensors;
}
