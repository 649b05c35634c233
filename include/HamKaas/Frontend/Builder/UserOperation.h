//===- UserOperation.h - Operations by name, checked ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_USEROPERATION_H
#define HAMKAAS_FRONTEND_BUILDER_USEROPERATION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/Error.h"
#include <variant>

namespace hamkaas::graph {

/// The most dimensions of a tensor in an interface of ours.
inline constexpr size_t largestRank = 8;

/// A number, or a flag, as Numbers.h has it as text.
struct NumberText {
  llvm::StringRef text;
};

/// An attribute as a user gives it: a number, a list, a word or another text,
/// or an element type.
struct UserAttribute {
  llvm::StringRef name;
  std::variant<int64_t, double, llvm::ArrayRef<int64_t>, llvm::StringRef,
               mlir::Type, NumberText>
      value;
};

/// An operation or composition of the table (OperationTable.h) as a user asks
/// for it.
struct UserOperation {
  llvm::StringRef name;
  /// In the order of the table; null for an optional one that is left out.
  llvm::ArrayRef<mlir::Value> operands;
  llvm::ArrayRef<UserAttribute> attributes;
  /// How many results the user has places for; any number if left out.
  std::optional<size_t> resultCount = std::nullopt;
};

/// An error about one operand or attribute of a request; another error is about
/// all of it.
class UserOperationError : public llvm::ErrorInfo<UserOperationError> {
public:
  enum class Part { Operand, Attribute };

  UserOperationError(std::string message, Part part, size_t index)
      : message(std::move(message)), part(part), index(index) {}

  static char ID;
  void log(llvm::raw_ostream &stream) const override { stream << message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  std::string message;
  Part part;
  size_t index;
};

/// The type of a tensor of such sizes, which may be anything. `what` begins the
/// error.
llvm::Expected<mlir::RankedTensorType> makeType(llvm::ArrayRef<int64_t> shape,
                                                mlir::Type element,
                                                const llvm::Twine &what);

/// Adds an operation at `place` and returns its results. The error names the
/// operation and the operand or attribute, but no position; then nothing is
/// added.
llvm::Expected<llvm::SmallVector<mlir::Value, 1>>
addUserOperation(const UserOperation &request, mlir::OpBuilder &place,
                 mlir::Location location);

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_USEROPERATION_H
