//===- Optimizer.h - Optimizers by their text -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TRAINING_OPTIMIZER_H
#define HAMKAAS_TRAINING_OPTIMIZER_H

#include "HamKaas/Frontend/Builder/OperationTable.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

/// An optimizer as a text gives it: "adam:lr=1e-3,beta1=0.95". Its update is an
/// operation of the table: the options are attributes of that, and its operands
/// say which moments there are.
class Optimizer {
public:
  /// Alternatives in braces that a glob pattern of names may have.
  static constexpr size_t mostPatterns = 1024;

  /// Checks the names of all options, and the values of those that are not
  /// attributes.
  static llvm::Expected<Optimizer> parse(llvm::StringRef text);

  /// The begin of the names of its states: "adam", or the option `name`.
  llvm::StringRef getLabel() const { return label; }
  double getLearningRate() const { return learningRate; }
  /// A bound of the norm of all gradients, or of each element.
  std::optional<double> getClipNorm() const { return clipNorm; }
  std::optional<double> getClipValue() const { return clipValue; }

  /// The glob pattern of names of parameters that do not decay; empty for none.
  llvm::StringRef getNoDecay() const { return noDecay; }
  bool decays(llvm::StringRef parameter) const;

  /// Parameters whose names match a glob pattern, with options of their own.
  struct Group {
    std::string pattern;
    std::optional<double> learningRate = {};
    /// A factor of the learning rate.
    double rateScale = 1;
    std::vector<std::pair<std::string, std::string>> attributes = {};

    bool matches(llvm::StringRef parameter) const;
  };
  llvm::ArrayRef<Group> getGroups() const { return groups; }
  /// The first group that a parameter is in; null for none.
  const Group *findGroup(llvm::StringRef parameter) const;
  /// True if its update depends on how many steps are done.
  bool usesStep() const;

  /// The moments that it keeps for each parameter, in the order of the results
  /// of the update that follow the parameter.
  llvm::SmallVector<llvm::StringRef> getMoments() const;

  /// Adds the update of a parameter. `operands` are named as in the table. The
  /// results are the parameter, then the moments. The attributes are those of
  /// the parameter `name`.
  llvm::Expected<llvm::SmallVector<mlir::Value, 1>>
  addUpdate(const llvm::StringMap<mlir::Value> &operands,
            mlir::OpBuilder &place, mlir::Location location,
            llvm::StringRef name) const;

private:
  llvm::Error take(llvm::StringRef option, llvm::StringRef value);
  llvm::Error takePattern(llvm::StringRef value);
  llvm::Error takeGroup(llvm::StringRef value);
  llvm::Error takeInGroup(Group &group, llvm::StringRef option,
                          llvm::StringRef value) const;
  llvm::Error makeUnknownError(llvm::StringRef option,
                               llvm::StringRef known) const;
  /// Names and texts of the attributes for a parameter.
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>>
  getAttributes(llvm::StringRef parameter) const;
  bool isGiven(llvm::StringRef attribute) const;
  bool usesOperand(const graph::ValueInfo &operand) const;

  std::string label, noDecay;
  const graph::OperationInfo *operation = nullptr;
  double learningRate = 0;
  std::optional<double> clipNorm, clipValue;
  bool isCentered = false;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Group> groups;
};

} // namespace hamkaas

#endif // HAMKAAS_TRAINING_OPTIMIZER_H
