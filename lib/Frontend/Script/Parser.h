//===- Parser.h - Script text to GRAPH --------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_SCRIPT_PARSER_H
#define HAMKAAS_LIB_FRONTEND_SCRIPT_PARSER_H

#include "ModuleBuilder.h"
#include "Operators.h"
#include "TokenReader.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace hamkaas::script {

/// An argument of an operator.
struct Argument {
  enum class Kind { Node, Integer, Float, List, Flag, Word };

  Kind kind = Kind::Integer;
  /// The first one.
  Token token;
  /// That of an attribute given by name, otherwise empty.
  Token name;
  /// None for a node whose definition was wrong.
  std::optional<uint32_t> node;
  /// Also 0 or 1 for a flag.
  int64_t integer = 0;
  llvm::SmallVector<int64_t> list;
  llvm::SmallVector<Position> itemPositions;

  bool isNamed() const { return !name.text.empty(); }
};

/// The node an id stands for, or nothing where its definition was wrong: that
/// was reported, so its uses keep quiet.
using NodeOrError = std::optional<uint32_t>;

/// A loop over statements, which do not nest. A statement that cannot be parsed
/// is skipped; one that means nothing is reported argument by argument.
class Parser : TokenReader {
public:
  /// `lines` are ScriptImportOptions::lines, which outlive the parser.
  Parser(llvm::StringRef text, mlir::StringAttr fileName,
         llvm::ArrayRef<SourceLine> lines);

  /// Null after an error, all of which were reported.
  mlir::OwningOpRef<mlir::ModuleOp> parse();

private:
  struct Definition {
    NodeOrError node;
    Position position;
  };

  bool isAtStatement() const;
  void skipStatement();

  // Statements.
  void parseStatement();
  llvm::LogicalResult parseVersion();
  llvm::LogicalResult parseResult();
  llvm::LogicalResult parseDefinition();
  void checkEnd();

  // The right side of a definition. Failure means that the syntax is wrong.
  llvm::FailureOr<NodeOrError> parseRightSide(const Token &id);
  llvm::FailureOr<NodeOrError> parseTensor(const Token &id,
                                           const Token &spelling);
  std::optional<uint64_t> parseId(const Token &id);
  llvm::FailureOr<NodeOrError> parseNode();
  llvm::LogicalResult parseList(Argument &argument);
  Token takeOperator(std::string &joined);
  llvm::LogicalResult parseValue(Argument &argument);
  llvm::FailureOr<Argument> parseArgument();
  llvm::LogicalResult
  parseArguments(llvm::SmallVectorImpl<Argument> &arguments);

  // The meaning of arguments; in ParserOperators.cpp.
  NodeOrError defineTensor(const Token &id, const Token &spelling,
                           const Token &name, const Token &typeName,
                           const Argument &shape);
  mlir::TypedAttr parseNumber(const Token &number, mlir::Type type);
  bool checkName(const Token &spelling, const Token &name);
  bool checkShape(const Argument &shape);
  NodeOrError applyOperator(const Token &id, const Token &spelling,
                            llvm::ArrayRef<Argument> arguments);
  NodeOrError applyByTable(const Operator &op, const Token &id,
                           const Token &spelling,
                           llvm::ArrayRef<Argument> arguments);
  NodeOrError applyByName(mlir::OperationName name, const Token &id,
                          const Token &spelling,
                          llvm::ArrayRef<Argument> arguments);
  bool bind(const Parameter &parameter, const Argument &argument,
            Application &application);
  bool bindNode(const Parameter &parameter, const Argument &argument,
                Application &application);
  bool bindAttribute(const Argument &argument, Application &application);
  bool bindResult(const Argument &argument, Application &application);
  bool rejectValue(const Argument &argument, const llvm::Twine &wanted);
  mlir::Attribute findAttribute(const Argument &argument,
                                const Application &application,
                                std::string &wanted);
  bool checkResult(const Token &spelling, const Application &application);
  NodeOrError build(Application &application);
  std::optional<mlir::OperationName> findOp(llvm::StringRef spelling) const;
  void reportUnknownOperator(const Token &spelling);

  ModuleBuilder graph;
  unsigned version = 1;
  bool isFirstStatement = true;
  /// The last result statement, and whether no definition followed it.
  std::optional<Definition> result;
  bool resultIsLast = false;
  llvm::DenseMap<uint64_t, Definition> definitions;
  std::optional<uint64_t> lastId;
  /// Where a name was given, by the operator that took it and the name.
  llvm::StringMap<Position> names;
  /// Of version 1, by spelling.
  llvm::StringMap<const Operator *> operators;
  /// The dialect's ops, by their spelling in version 2.
  llvm::StringMap<mlir::OperationName> ops;
  /// Those that were reported: a misspelt one is often used many times.
  llvm::StringSet<> unknownOperators;
};

} // namespace hamkaas::script

#endif // HAMKAAS_LIB_FRONTEND_SCRIPT_PARSER_H
