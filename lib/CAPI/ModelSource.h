//===- ModelSource.h - What a model is compiled from ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_MODELSOURCE_H
#define HAMKAAS_LIB_CAPI_MODELSOURCE_H

#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include "HamKaas/Options/CompileSettings.h"
#include "HamKaas/Options/OptionError.h"
#include "hamkaas-c/Compiler.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hamkaas::capi {

/// The elements of an input that is to be a constant.
struct ConstantInput {
  std::string name;
  int32_t elementType; ///< A HamKaasElementType.
  std::vector<int64_t> shape;
  std::vector<char> elements;
};

/// A large ONNX or GGUF file. Its weights are read where they are mapped, when
/// the model is compiled and when an instance is created: a copy would take as
/// much memory as they do.
class MappedModel {
public:
  /// Takes `descriptor` of the file, which is open. `status` is of before it
  /// was mapped.
  MappedModel(std::unique_ptr<llvm::MemoryBuffer> contents, int descriptor,
              const llvm::sys::fs::file_status &status)
      : contents(std::move(contents)), descriptor(descriptor), status(status) {}
  MappedModel(const MappedModel &) = delete;
  MappedModel &operator=(const MappedModel &) = delete;
  ~MappedModel();

  llvm::StringRef getText() const { return contents->getBuffer(); }
  /// They are read again when they are needed.
  void releasePages() const;

  /// Returns whether somebody wrote to the file, so that the contents may be
  /// others, or end earlier. It may have another name by now, or none; a file
  /// that took its place has no effect.
  bool hasChanged() const;

private:
  std::unique_ptr<llvm::MemoryBuffer> contents;
  int descriptor;
  llvm::sys::fs::file_status status;
};

/// The text of a model and how to read it: all that is needed to make the graph
/// again.
struct ModelSource {
  std::string text;
  /// Has the text in place of `text`; may be null.
  std::shared_ptr<const MappedModel> mapped = nullptr;
  /// `text` is the bytecode of a graph that was built by calls, and
  /// `parameters` has the contents of its parameters, or is null. Bytecode of
  /// users is not read: upstream's reader does not promise to survive all of
  /// it.
  bool isBytecode = false;
  std::shared_ptr<const ParameterContents> parameters = nullptr;
  /// In messages: a path, or the name of the model.
  std::string file;
  /// Of the file that the text is from; empty if it is from none.
  std::string path = "";
  std::vector<std::pair<std::string, int64_t>> lines;
  std::string name; ///< A C identifier.
  CompileSettings settings;
  /// Whose names messages have for the options.
  Front front = Front::C;
  /// For an ONNX model: sizes of dimensions by their names.
  std::vector<std::pair<std::string, int64_t>> dims;
  std::vector<ConstantInput> constantInputs;

  llvm::StringRef getText() const {
    return mapped ? mapped->getText() : llvm::StringRef(text);
  }
  /// Fails if the text may not be read again.
  llvm::Error checkText() const;
  /// Frees what memory a mapped text takes until it is read again.
  void releaseText() const {
    if (mapped)
      mapped->releasePages();
  }
};

/// The values for HamKaasCompileOptions::failure and summary.
struct CompileNotes {
  int32_t failure = HamKaasInvalidModel;
  /// Empty for null.
  std::string summary;
};

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_MODELSOURCE_H
