//===- ExternalFile.h - Opening a file that a model names -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_EXTERNALFILE_H
#define HAMKAAS_LIB_FRONTEND_ONNX_EXTERNALFILE_H

#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>

namespace hamkaas::onnx {

/// An open file or folder, closed in the end. May be none.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor();

  explicit operator bool() const { return number >= 0; }
  int get() const { return number; }

private:
  int number = -1;
};

/// Where the external data of a model may lie.
struct DataPlaces {
  std::string model; ///< Path of the model, empty if it is not a file.
  std::string root;  ///< A folder that links may lead to, empty for none.
  /// How the user spells the option that names `root`.
  std::string rootOption = "--external-data-root";
};

/// Opens the file that the model calls `location`; none after a failure. An
/// untrusted model must not make us read files that do not belong to it. So the
/// path is below the folder of the model, without "..", and a symbolic link is
/// only followed
///
/// * to a file in the folder `root`, unless that is empty, which the user
/// names;
/// * in a cache of the Hugging Face hub: from R/snapshots/X/... to R/blobs/Y.
///
/// Each path step starts from an open folder, so exchanging files meanwhile
/// gains nothing. The caller checks the kind of the file.
Descriptor openExternalFile(const DataPlaces &places, llvm::StringRef location,
                            graph::Diagnostics &diagnostics);

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_EXTERNALFILE_H
