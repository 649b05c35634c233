//===- GraphParser.h - Scripts of version 3 to GRAPH ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_SCRIPT_GRAPHPARSER_H
#define HAMKAAS_LIB_FRONTEND_SCRIPT_GRAPHPARSER_H

#include "HamKaas/Frontend/Builder/UserGraph.h"
#include "TokenReader.h"

namespace hamkaas::script {

/// Reads a script whose first statement is `version = 3;`. A statement calls an
/// operation of the table (OperationTable.h), or one of a few words of the
/// language (`getStatements`). One that is wrong is reported and skipped; what
/// it would have defined is known to be wrong, so that its uses keep quiet.
class GraphParser : TokenReader {
public:
  /// `lines` are ScriptImportOptions::lines, which outlive the parser.
  GraphParser(llvm::StringRef text, mlir::StringAttr fileName,
              llvm::ArrayRef<SourceLine> lines);

  /// Null after an error, all of which were reported.
  mlir::OwningOpRef<mlir::ModuleOp> parse();

private:
  /// None for one whose definition was wrong.
  using Node = std::optional<uint32_t>;

  struct Definition {
    Node node;
    Position position;
    /// Number of the bodies that it stands in.
    unsigned depth;
  };

  /// The values that a statement gives to the ids before its `=`.
  struct Results {
    llvm::SmallVector<Node, 2> nodes;
    /// False if it was wrong: any number of ids will do.
    bool isKnown = true;
  };

  /// The declaration of an input, a parameter or a state.
  struct Tensor {
    std::string name;
    mlir::RankedTensorType type;
    mlir::Attribute contents = nullptr;
  };

  /// An argument of an operation.
  struct Argument {
    /// That of an attribute, otherwise empty.
    Token name;
    /// The first one of the value.
    Token token;
    /// Null if the definition was wrong, or for `none`.
    Node node = std::nullopt;
    bool isWrong = false;
    llvm::SmallVector<int64_t> list = {};
    std::string text = "";

    bool isNamed() const { return !name.text.empty(); }
    /// The place that messages point at.
    Position position() const {
      return isNamed() ? name.position : token.position;
    }
  };
  using Arguments = llvm::SmallVector<Argument, 4>;

  /// A word that begins a statement of the language's own, and what parses the
  /// statement behind the parenthesis.
  struct Statement {
    llvm::StringLiteral word;
    llvm::FailureOr<Results> (GraphParser::*parse)(const Token &word);
    enum Place { BeforeFunctions, OutsideBodies, InBodies, Anywhere } place;
  };
  static llvm::ArrayRef<Statement> getStatements();
  static const Statement *findStatement(llvm::StringRef word);
  static llvm::StringRef findMeant(llvm::StringRef word);

  // Statements. Failure means that the rest of the statement is to be skipped.
  void parseVersion();
  bool isAtStatement() const;
  bool isAtFunction() const;
  void skipStatement();
  void parseStatement();
  void parseFunction();
  llvm::LogicalResult checkPlace(const Token &word, const Statement *known);
  llvm::LogicalResult parseIds(llvm::SmallVectorImpl<Token> &ids);
  llvm::FailureOr<Results> parseCall(const Token &word);
  void define(llvm::ArrayRef<Token> ids, const Token &word,
              const Results &results);
  void defineId(const Token &id, Node node);
  void forgetIds(size_t kept);
  void endFunction();
  llvm::LogicalResult report(Position position, llvm::Error error);
  llvm::FailureOr<Results> single(const Token &word,
                                  llvm::Expected<uint32_t> value);

  // Nodes and literals.
  llvm::FailureOr<Node> parseNode() { return parseNode(depth); }
  llvm::FailureOr<Node> parseNode(unsigned wantedDepth);
  llvm::LogicalResult parseList(llvm::SmallVectorImpl<int64_t> &list);
  llvm::FailureOr<std::string> parseString(llvm::StringRef what);
  llvm::LogicalResult closeCall(llvm::StringRef last);

  // Tensors; in GraphParserTensors.cpp.
  llvm::FailureOr<Results> parseInput(const Token &word);
  llvm::FailureOr<Results> parseParameter(const Token &word);
  llvm::FailureOr<Results> parseState(const Token &word);
  llvm::FailureOr<Results> parseConstant(const Token &word);
  llvm::FailureOr<Results> parseStore(const Token &word);
  llvm::FailureOr<Results> parseOutput(const Token &word);
  llvm::FailureOr<Tensor> parseTensor();
  llvm::FailureOr<mlir::RankedTensorType> parseType();
  llvm::FailureOr<mlir::DenseElementsAttr>
  parseElements(mlir::RankedTensorType type);
  llvm::LogicalResult parseContents(Tensor &tensor, mlir::Attribute contents);
  std::optional<llvm::APInt> parseElement(mlir::Type type);

  // Bodies; in GraphParserBodies.cpp.
  llvm::FailureOr<Results> parseScan(const Token &word);
  llvm::FailureOr<Results> parseYield(const Token &word);
  template <graph::UserGraph::ScanArgument kind>
  llvm::FailureOr<Results> parseScanArgument(const Token &word);
  llvm::FailureOr<Results> parseBody(const Token &word, int64_t steps,
                                     bool isReversed);
  Results endScan(const Token &word, llvm::ArrayRef<uint32_t> values,
                  mlir::Location location);

  // Operations; in GraphParserOperations.cpp.
  llvm::FailureOr<Results> parseOperation(const Token &word);
  llvm::FailureOr<Argument> parseArgument();
  llvm::LogicalResult parseArguments(Arguments &arguments);
  graph::UserAttribute makeAttribute(const Token &word,
                                     const Argument &argument);
  llvm::LogicalResult reportOperation(const Token &word,
                                      llvm::ArrayRef<Argument> arguments,
                                      llvm::Error error);

  graph::UserGraph graph;
  llvm::DenseMap<uint64_t, Definition> definitions;
  std::optional<uint64_t> lastId;
  std::vector<std::pair<std::string, uint32_t>> outputs;
  llvm::StringSet<> outputNames;
  /// There is an output or a store, right or wrong.
  bool hasEffect = false;
  /// Where the statement begins.
  Position statement;
  /// There was a statement that functions may not follow.
  bool hasMain = false;
  bool hasFunctions = false, isInFunction = false;
  /// Number of the bodies that are open.
  unsigned depth = 0;
  /// The ids that are defined in the function and in them.
  std::vector<uint64_t> bodyIds;
  /// The innermost body uses no value whose definition was wrong.
  bool isBodyKnown = true;
  /// By the last statement of the innermost one.
  std::optional<llvm::SmallVector<uint32_t>> yielded;
};

} // namespace hamkaas::script

#endif // HAMKAAS_LIB_FRONTEND_SCRIPT_GRAPHPARSER_H
