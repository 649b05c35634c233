//===- GraphDrawing.cpp - A module in GRAPH as a drawing --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/GraphDrawing.h"
#include "FamilyColors.h"
#include "FoldedGraph.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Support/Graphviz.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// The language of Graphviz
//===----------------------------------------------------------------------===//

namespace {

/// Prints a folded graph as nodes and edges.
class DotPrinter {
public:
  DotPrinter(func::FuncOp main, const FoldedGraph &graph, llvm::raw_ostream &os)
      : main(main), symbols(main->getParentOp()), graph(graph), os(os) {}
  void print();

private:
  void printNode(StringRef id, ArrayRef<std::string> lines, StringRef style);
  void printEdge(StringRef source, StringRef target, StringRef style);
  void printLeaves(const FoldedGraph::Leaves &leaves, StringRef id);
  void printOp(size_t i);
  void printNodes();
  void printEdges(size_t i);
  void printSinks(const FoldedGraph::Sinks &sinks, StringRef id);
  void printLegend();
  std::string getSource(Value value) const;
  std::string getLeafName(Value leaf);
  std::string getSinkName(OpOperand *use);
  std::string getGlobal(Operation *op) const;

  func::FuncOp main;
  SymbolTable symbols;
  const FoldedGraph &graph;
  llvm::raw_ostream &os;
  std::set<KernelFamily> families;
  /// Those that were printed: of a folded graph several can be the same.
  std::set<std::tuple<std::string, std::string, std::string>> edges;
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

/// Of parameters and states.
static constexpr StringLiteral globalStyle =
    "shape=cylinder, style=filled, fillcolor=\"#f8f8f8\"";

/// The names of equal parts of all repetitions: "layer{0..11}.weight".
static std::string nameRange(StringRef first, StringRef last) {
  if (first == last)
    return first.str();
  size_t prefix =
      std::distance(first.begin(), std::mismatch(first.begin(), first.end(),
                                                 last.begin(), last.end())
                                       .first);
  // A number is taken whole.
  while (prefix > 0 && llvm::isDigit(first[prefix - 1]))
    --prefix;
  StringRef a = first.drop_front(prefix), b = last.drop_front(prefix);
  StringRef from = a.take_while(llvm::isDigit),
            to = b.take_while(llvm::isDigit);
  if (from.empty() || to.empty() ||
      a.drop_front(from.size()) != b.drop_front(to.size()))
    return (first + " … " + last).str();
  return (first.take_front(prefix) + "{" + from + ".." + to + "}" +
          a.drop_front(from.size()))
      .str();
}

void DotPrinter::printEdge(StringRef source, StringRef target,
                           StringRef style) {
  if (edges.emplace(source, target, style).second)
    os << "  " << source << " -> " << target << style << ";\n";
}

/// The parameter or state that `op` loads or stores.
std::string DotPrinter::getGlobal(Operation *op) const {
  auto symbol = op->getAttrOfType<SymbolRefAttr>("global");
  if (!symbol)
    return "";
  return getGlobalName(symbols.lookup(symbol.getRootReference())).str();
}

std::string DotPrinter::getLeafName(Value leaf) {
  if (auto argument = dyn_cast<BlockArgument>(leaf))
    return getName(main.getArgAttrDict(argument.getArgNumber()), "input");
  std::string global = getGlobal(leaf.getDefiningOp());
  return global.empty() ? leaf.getDefiningOp()->getName().stripDialect().str()
                        : global;
}

std::string DotPrinter::getSinkName(OpOperand *use) {
  std::string global = getGlobal(use->getOwner());
  return global.empty()
             ? getName(main.getResultAttrDict(use->getOperandNumber()),
                       "result")
             : global;
}

void DotPrinter::printSinks(const FoldedGraph::Sinks &sinks, StringRef id) {
  StringRef style = getGlobal(sinks.first->getOwner()).empty()
                        ? "shape=ellipse, peripheries=2"
                        : globalStyle;
  printNode(id,
            {nameRange(getSinkName(sinks.first), getSinkName(sinks.last)),
             formatType(sinks.first->get().getType())},
            style);
}

void DotPrinter::printLeaves(const FoldedGraph::Leaves &leaves, StringRef id) {
  StringRef style =
      isa<BlockArgument>(leaves.first) ? "shape=ellipse" : globalStyle;
  printNode(id,
            {nameRange(getLeafName(leaves.first), getLeafName(leaves.last)),
             formatType(leaves.first.getType())},
            style);
}

/// "model.hk:3:1, 4:1" for "folder/model.hk:3:1, 4:1".
static std::string shortenPaths(StringRef location) {
  SmallVector<StringRef> parts;
  location.split(parts, ", ");
  for (StringRef &part : parts)
    part = llvm::sys::path::filename(part);
  return llvm::join(parts, ", ");
}

void DotPrinter::printOp(size_t i) {
  Operation *op = graph.ops()[i];
  std::optional<KernelFamily> family;
  if (auto kernelOp = dyn_cast<KernelOpInterface>(op)) {
    family = kernelOp.getKernelFamily();
    families.insert(*family);
  }
  SmallVector<std::string> lines = {op->getName().stripDialect().str()};
  for (Type type : op->getResultTypes())
    lines.push_back(formatType(type));
  lines.push_back(shortenPaths(formatLocation(op->getLoc())));
  printNode("n" + std::to_string(i), lines,
            ("shape=box, style=\"filled,rounded\", fillcolor=\"" +
             getFamilyColor(family) + "\"")
                .str());
}

/// The node that makes `value`.
std::string DotPrinter::getSource(Value value) const {
  if (std::optional<size_t> index = graph.getIndex(value))
    return "n" + std::to_string(graph.getDrawn(*index));
  return "leaf" + std::to_string(graph.getLeaves(value));
}

/// Which of several results an edge stands for.
static std::string labelEdge(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result || result.getOwner()->getNumResults() == 1)
    return "";
  return " [label=\"#" + std::to_string(result.getResultNumber()) + "\"]";
}

void DotPrinter::printEdges(size_t i) {
  std::string id = "n" + std::to_string(i);
  for (Value operand : graph.ops()[i]->getOperands())
    printEdge(getSource(operand), id, labelEdge(operand));
  const RepeatedBlock *block = graph.getBlock(i);
  if (!block)
    return;
  // Values that the next repetition takes from this one go back.
  for (Value operand : graph.ops()[i + block->period]->getOperands())
    if (auto index = graph.getIndex(operand);
        index && *index >= block->begin &&
        *index < block->begin + block->period)
      printEdge(getSource(operand), id, " [style=dashed, constraint=false]");
}

/// A frame around a block that repeats holds what each repetition has.
void DotPrinter::printNodes() {
  ArrayRef<RepeatedBlock> blocks = graph.blocks();
  auto printAll = [&](const RepeatedBlock *block) {
    for (auto [i, leaves] : llvm::enumerate(graph.leaves()))
      if (leaves.block == block)
        printLeaves(leaves, "leaf" + std::to_string(i));
    for (auto [i, sinks] : llvm::enumerate(graph.sinks()))
      if (sinks.block == block)
        printSinks(sinks, "sink" + std::to_string(i));
    size_t begin = block ? block->begin : 0;
    size_t end = block ? begin + block->period : graph.ops().size();
    for (size_t i = begin; i < end; ++i)
      if (graph.getBlock(i) == block)
        printOp(i);
  };
  for (auto [i, block] : llvm::enumerate(blocks)) {
    os << "  subgraph cluster_" << i << " {\n    label=\"× " << block.count
       << "\"; labeljust=r; fontsize=22; style=\"rounded,filled\"; "
          "color=\"#888888\"; fillcolor=\"#fbfbf3\";\n";
    printAll(&block);
    os << "  }\n";
  }
  printAll(nullptr);
}

/// The families that the graph has, in their colours.
void DotPrinter::printLegend() {
  if (families.empty())
    return;
  os << "  fontname=\"sans-serif\"; fontsize=11; labelloc=b;\n  label=<<table "
        "border=\"0\" cellborder=\"1\" cellspacing=\"6\" color=\"#555555\" "
        "cellpadding=\"4\"><tr>";
  for (KernelFamily family : families)
    os << "<td bgcolor=\"" << getFamilyColor(family) << "\">"
       << stringifyKernelFamily(family) << "</td>";
  if (!graph.blocks().empty())
    os << "<td border=\"0\">dashed: to the next repetition</td>";
  os << "</tr></table>>;\n";
}

void DotPrinter::print() {
  os << "digraph model {\n"
        "  node [fontname=\"sans-serif\", fontsize=11];\n"
        "  edge [color=\"#555555\", fontname=\"sans-serif\", fontsize=9, "
        "fontcolor=\"#555555\"];\n";
  printNodes();
  for (size_t i = 0; i < graph.ops().size(); ++i)
    if (graph.isDrawn(i))
      printEdges(i);
  for (auto [i, sinks] : llvm::enumerate(graph.sinks()))
    printEdge(getSource(sinks.last->get()), "sink" + std::to_string(i),
              labelEdge(sinks.last->get()));
  printLegend();
  os << "}\n";
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

/// Graphviz needs seconds for this many; its time grows with the square of the
/// number, and nothing can interrupt it.
static constexpr int64_t maxOperations = 2000;

llvm::Error hamkaas::drawGraph(ModuleOp module, llvm::raw_ostream &os,
                               bool unfold) {
  func::FuncOp main = findEntryFunction(module);
  if (!main)
    return llvm::createStringError("expected a graph to draw, got none");
  FoldedGraph graph(main, /*fold=*/!unfold);
  auto count = int64_t(graph.countDrawn() + graph.leaves().size() +
                       graph.sinks().size());
  if (count > maxOperations)
    return llvm::createStringError(
        "expected a graph of at most " + Twine(maxOperations) +
        " operations to draw, got " + Twine(count) +
        (graph.blocks().empty() ? "" : " without those that repeat"));
  std::string text;
  llvm::raw_string_ostream stream(text);
  DotPrinter(main, graph, stream).print();
  return runGraphviz(text, os);
}
