//===- GraphDrawing.cpp - A module in GRAPH as a picture --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/GraphDrawing.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Driver/CollectProgramInfo.h"
#include "HamKaas/Driver/ElementTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// The language of Graphviz
//===----------------------------------------------------------------------===//

namespace {

/// Prints `@main` as nodes and edges.
class DotPrinter {
public:
  DotPrinter(func::FuncOp main, llvm::raw_ostream &os)
      : main(main), symbols(main->getParentOp()), os(os) {}
  void print();

private:
  void printNode(StringRef id, ArrayRef<std::string> lines, StringRef style);
  void printArgument(BlockArgument argument);
  void printOp(Operation &op);
  void printResults(Operation &terminator);
  void printEdge(Value value, StringRef target);

  func::FuncOp main;
  SymbolTable symbols;
  llvm::raw_ostream &os;
  DenseMap<Value, std::string> ids;
  unsigned nextId = 0;
};

} // namespace

/// `text` within a quoted string.
static std::string escapeDot(StringRef text) {
  std::string result;
  for (char c : llvm::json::fixUTF8(text)) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

static StringRef getFamilyColor(Operation *op) {
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  if (!kernelOp)
    return "white";
  switch (kernelOp.getKernelFamily()) {
  case KernelFamily::View:
    return "#eeeeee";
  case KernelFamily::Elementwise:
    return "#b7e4c7";
  case KernelFamily::Row:
    return "#ffd97d";
  case KernelFamily::Contraction:
    return "#8ecae6";
  case KernelFamily::Movement:
    return "#cdb4db";
  case KernelFamily::Transform:
    return "#a8dadc";
  case KernelFamily::Attention:
    return "#ffafcc";
  case KernelFamily::Loops:
    return "#f2cc8f";
  case KernelFamily::Reduction:
    return "#f4a9a0";
  }
}

static std::string getName(DictionaryAttr attributes, const Twine &otherwise) {
  auto name = attributes
                  ? attributes.getAs<StringAttr>(HamKaasDialect::nameAttrName)
                  : StringAttr();
  return name ? name.str() : otherwise.str();
}

void DotPrinter::printNode(StringRef id, ArrayRef<std::string> lines,
                           StringRef style) {
  os << "  " << id << " [" << style << ", label=\"";
  // NOTE: the separator is an escape sequence of Graphviz, not a line break.
  llvm::interleave(
      llvm::make_filter_range(
          lines, [](const std::string &line) { return !line.empty(); }),
      os, [&](const std::string &line) { os << escapeDot(line); }, "\\n");
  os << "\"];\n";
}

void DotPrinter::printEdge(Value value, StringRef target) {
  os << "  " << ids.lookup(value) << " -> " << target << " [label=\""
     << escapeDot(formatType(value.getType())) << "\"];\n";
}

void DotPrinter::printArgument(BlockArgument argument) {
  std::string id = "n" + std::to_string(nextId++);
  ids[argument] = id;
  printNode(id,
            {getName(main.getArgAttrDict(argument.getArgNumber()), "input"),
             formatType(argument.getType())},
            "shape=ellipse");
}

void DotPrinter::printOp(Operation &op) {
  std::string id = "n" + std::to_string(nextId++);
  for (Value result : op.getResults())
    ids[result] = id;
  std::string shape =
      op.getNumResults() ? formatType(op.getResult(0).getType()) : "";
  if (auto symbol = op.getAttrOfType<SymbolRefAttr>("global")) {
    // A parameter or a state, read or written.
    Operation *global = symbols.lookup(symbol.getRootReference());
    printNode(id, {getGlobalName(global).str(), shape},
              "shape=cylinder, style=filled, fillcolor=\"#f8f8f8\"");
  } else {
    printNode(
        id,
        {op.getName().stripDialect().str(), shape, formatLocation(op.getLoc())},
        ("shape=box, style=\"filled,rounded\", fillcolor=\"" +
         getFamilyColor(&op) + "\"")
            .str());
  }
  for (Value operand : op.getOperands())
    printEdge(operand, id);
}

void DotPrinter::printResults(Operation &terminator) {
  for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
    std::string id = "n" + std::to_string(nextId++);
    printNode(id,
              {getName(main.getResultAttrDict(i), "result"),
               formatType(value.getType())},
              "shape=ellipse, peripheries=2");
    printEdge(value, id);
  }
}

void DotPrinter::print() {
  os << "digraph model {\n"
        "  node [fontname=\"sans-serif\", fontsize=11];\n"
        "  edge [color=\"#555555\", fontname=\"sans-serif\", fontsize=9, "
        "fontcolor=\"#555555\"];\n";
  for (BlockArgument argument : main.getArguments())
    printArgument(argument);
  Block &body = main.getBody().front();
  for (Operation &op : body.without_terminator())
    printOp(op);
  printResults(*body.getTerminator());
  os << "}\n";
}

//===----------------------------------------------------------------------===//
// Graphviz
//===----------------------------------------------------------------------===//

/// Graphviz needs seconds for this many; its time grows with the square of the
/// number, and nothing can interrupt it.
static constexpr int64_t maxOperations = 2000;

static llvm::Error checkSize(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  auto count =
      main ? int64_t(main.getBody().front().getOperations().size()) : 0;
  if (count <= maxOperations)
    return llvm::Error::success();
  return llvm::createStringError("expected a graph of at most " +
                                 Twine(maxOperations) +
                                 " operations to draw, got " + Twine(count));
}

/// Creates an empty file whose name ends in `suffix`.
static llvm::Expected<std::string> createTemporaryFile(StringRef suffix) {
  SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("hamkaas", suffix, path))
    return llvm::createStringError(code, "cannot create a temporary file: " +
                                             code.message());
  return path.str().str();
}

static llvm::Error writeFile(StringRef path, ModuleOp module) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    if (auto main = module.lookupSymbol<func::FuncOp>("main"))
      DotPrinter(main, os).print();
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return llvm::createStringError(code, "cannot write " + path + ": " +
                                             code.message());
  return llvm::Error::success();
}

llvm::Error hamkaas::drawGraph(ModuleOp module, llvm::raw_ostream &os) {
  if (llvm::Error error = checkSize(module))
    return error;
  llvm::ErrorOr<std::string> dot = llvm::sys::findProgramByName("dot");
  if (!dot)
    return llvm::createStringError(
        "drawing a graph needs the program 'dot' in PATH: install Graphviz "
        "(Debian: apt-get install graphviz)");
  llvm::Expected<std::string> input = createTemporaryFile("dot");
  if (!input)
    return input.takeError();
  llvm::FileRemover inputRemover(*input);
  llvm::Expected<std::string> output = createTemporaryFile("svg");
  if (!output)
    return output.takeError();
  llvm::FileRemover outputRemover(*output);
  if (llvm::Error error = writeFile(*input, module))
    return error;

  std::string message;
  StringRef arguments[] = {*dot, "-Tsvg", "-o", *output, *input};
  int status = llvm::sys::ExecuteAndWait(*dot, arguments, std::nullopt, {},
                                         /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  if (status != 0)
    return llvm::createStringError("'dot' ended with status " + Twine(status) +
                                   (message.empty() ? "" : ": " + message));
  auto buffer = llvm::MemoryBuffer::getFile(*output);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot read the output of 'dot': " +
                                       buffer.getError().message());
  os << (*buffer)->getBuffer();
  return llvm::Error::success();
}
