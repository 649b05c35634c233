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
#include <deque>
#include <set>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// The language of Graphviz
//===----------------------------------------------------------------------===//

namespace {

/// Prints the folded graph of a function as nodes and edges.
class DotPrinter {
public:
  /// `prefix` begins the identifiers of all nodes.
  DotPrinter(func::FuncOp function, std::string prefix,
             const FoldedGraph &graph, llvm::raw_ostream &os)
      : function(function), prefix(std::move(prefix)),
        symbols(function->getParentOp()), graph(graph), os(os) {}
  void print();

  /// The families that it printed.
  const std::set<KernelFamily> &getFamilies() const { return families; }

private:
  void printNode(StringRef id, ArrayRef<std::string> lines, StringRef style);
  void printEdge(StringRef source, StringRef target, StringRef style);
  void printLeaves(const FoldedGraph::Leaves &leaves, StringRef id);
  void printOp(size_t i);
  void printNodes();
  void printEdges(size_t i);
  void printSinks(const FoldedGraph::Sinks &sinks, StringRef id);
  std::string makeId(const char *kind, size_t number) const {
    return prefix + kind + std::to_string(number);
  }
  std::string getSource(Value value) const;
  std::string getLeafName(Value leaf);
  std::string getSinkName(OpOperand *use);
  std::string getGlobal(Operation *op) const;

  func::FuncOp function;
  std::string prefix;
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
    return getName(function.getArgAttrDict(argument.getArgNumber()), "input");
  std::string global = getGlobal(leaf.getDefiningOp());
  return global.empty() ? leaf.getDefiningOp()->getName().stripDialect().str()
                        : global;
}

std::string DotPrinter::getSinkName(OpOperand *use) {
  std::string global = getGlobal(use->getOwner());
  return global.empty()
             ? getName(function.getResultAttrDict(use->getOperandNumber()),
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
  printNode(makeId("n", i), lines,
            ("shape=box, style=\"filled,rounded\", fillcolor=\"" +
             getFamilyColor(family) + "\"")
                .str());
}

/// The node that makes `value`.
std::string DotPrinter::getSource(Value value) const {
  if (std::optional<size_t> index = graph.getIndex(value))
    return makeId("n", graph.getDrawn(*index));
  return makeId("leaf", graph.getLeaves(value));
}

/// Which of several results an edge stands for.
static std::string labelEdge(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result || result.getOwner()->getNumResults() == 1)
    return "";
  return " [label=\"#" + std::to_string(result.getResultNumber()) + "\"]";
}

void DotPrinter::printEdges(size_t i) {
  std::string id = makeId("n", i);
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
        printLeaves(leaves, makeId("leaf", i));
    for (auto [i, sinks] : llvm::enumerate(graph.sinks()))
      if (sinks.block == block)
        printSinks(sinks, makeId("sink", i));
    size_t begin = block ? block->begin : 0;
    size_t end = block ? begin + block->period : graph.ops().size();
    for (size_t i = begin; i < end; ++i)
      if (graph.getBlock(i) == block)
        printOp(i);
  };
  for (auto [i, block] : llvm::enumerate(blocks)) {
    os << "  subgraph cluster_" << makeId("block", i) << " {\n    label=\"× "
       << block.count
       << "\"; labeljust=r; fontsize=22; style=\"rounded,filled\"; "
          "color=\"#888888\"; fillcolor=\"#fbfbf3\";\n";
    printAll(&block);
    os << "  }\n";
  }
  printAll(nullptr);
}

void DotPrinter::print() {
  printNodes();
  for (size_t i = 0; i < graph.ops().size(); ++i)
    if (graph.isDrawn(i))
      printEdges(i);
  for (auto [i, sinks] : llvm::enumerate(graph.sinks()))
    printEdge(getSource(sinks.last->get()), makeId("sink", i),
              labelEdge(sinks.last->get()));
}

/// The families that a drawing has, in their colours.
static void printLegend(const std::set<KernelFamily> &families, bool hasBlocks,
                        llvm::raw_ostream &os) {
  if (families.empty())
    return;
  os << "  fontname=\"sans-serif\"; fontsize=11; labelloc=b;\n  label=<<table "
        "border=\"0\" cellborder=\"1\" cellspacing=\"6\" color=\"#555555\" "
        "cellpadding=\"4\"><tr>";
  for (KernelFamily family : families)
    os << "<td bgcolor=\"" << getFamilyColor(family) << "\">"
       << stringifyKernelFamily(family) << "</td>";
  if (hasBlocks)
    os << "<td border=\"0\">dashed: to the next repetition</td>";
  os << "</tr></table>>;\n";
}

/// A function of several has a frame with its name.
static void printGraphs(MutableArrayRef<func::FuncOp> functions,
                        const std::deque<FoldedGraph> &graphs,
                        llvm::raw_ostream &os) {
  os << "digraph model {\n"
        "  node [fontname=\"sans-serif\", fontsize=11];\n"
        "  edge [color=\"#555555\", fontname=\"sans-serif\", fontsize=9, "
        "fontcolor=\"#555555\"];\n";
  std::set<KernelFamily> families;
  bool hasBlocks = false, isOnly = functions.size() == 1;
  for (auto [i, function] : llvm::enumerate(functions)) {
    std::string prefix = isOnly ? "" : "f" + std::to_string(i) + "_";
    if (!isOnly)
      os << "  subgraph cluster_" << prefix << " {\n  label=\""
         << escapeDot(function.getSymName())
         << "\"; labeljust=l; fontname=\"sans-serif\"; fontsize=16; "
            "color=\"#888888\";\n";
    DotPrinter printer(function, prefix, graphs[i], os);
    printer.print();
    if (!isOnly)
      os << "  }\n";
    families.insert(printer.getFamilies().begin(), printer.getFamilies().end());
    hasBlocks |= !graphs[i].blocks().empty();
  }
  printLegend(families, hasBlocks, os);
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
  SmallVector<func::FuncOp> functions = llvm::to_vector(
      llvm::make_filter_range(module.getOps<func::FuncOp>(), isEntryFunction));
  if (functions.empty())
    return llvm::createStringError("expected a graph to draw, got none");
  // Their blocks are pointed to.
  std::deque<FoldedGraph> graphs;
  int64_t count = 0;
  bool hasBlocks = false;
  for (func::FuncOp function : functions) {
    const FoldedGraph &graph = graphs.emplace_back(function, /*fold=*/!unfold);
    count += graph.countDrawn() + graph.leaves().size() + graph.sinks().size();
    hasBlocks |= !graph.blocks().empty();
  }
  if (count > maxOperations)
    return llvm::createStringError(
        "expected a graph of at most " + Twine(maxOperations) +
        " operations to draw, got " + Twine(count) +
        (hasBlocks ? " without those that repeat" : ""));
  std::string text;
  llvm::raw_string_ostream stream(text);
  printGraphs(functions, graphs, stream);
  return runGraphviz(text, os);
}
